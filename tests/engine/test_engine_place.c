#define _GNU_SOURCE /* setenv beside POSIX */

#include <limits.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "engine_try.h"
#include "log_reader.h"
#include "sandbox_internal.h"
#include "test_main.h"
#include "workspace_stage.h"

/* Runs whose tasks have workspaces and sandboxes of their own: with real git, real bwrap. */

enum { SOON_MS = TRY_DEADLINE_MS }; /* nobody waits for the set-up, which takes much longer */

static struct stage stage;

/* A user's repository with odd files; the log is in it. */
static void open_stage(enum workspace_kind kind)
{
    stage_open(&stage, test_tmpdir(), kind);
    try_open_at(stage.repo, test_path(stage.repo, ".devs"));
}

static void setup(void)
{
    open_stage(WORKSPACE_WORKTREE);
    tried.keys = "'workspace':'worktree',";
}

/* Whatever a run did, the user's tree is as it was. */
static void teardown(void)
{
    try_close();
    stage_check(&stage);
}

/* A file beside the repository, for scripts to say something in. */
static void write_script(const char *name, const char *text)
{
    test_write_file(test_path(stage.dir, name), text, 0644);
}

static bool is_beside(const char *name)
{
    return access(test_path(stage.dir, name), F_OK) == 0;
}

static bool is_ready_beside(void)
{
    return is_beside("ready");
}

/* What the tree is, all that find(1) and sha256sum(1) tell of it; then all of it is ruined. */
static const char wreck[] =
    "exec 2>&1; out=$1\n"
    "{ find . -path ./.git -prune -o -printf '%p|%y|%m|%U:%G|%T@|%l\\n' | LC_ALL=C sort;\n"
    "  find . -path ./.git -prune -o -type f -print0 | LC_ALL=C sort -z |\n"
    "  xargs -0 sha256sum; } | sha256sum >>\"$out\"\n"
    "rm -rf src/deep; echo changed >src/one.c; echo added >added; mkdir -p new/folder\n"
    "touch new/folder/file; rm -f src/link; ln -s /etc src/link; chmod 000 docs\n"
    "chmod 777 tools/run; mv tools elsewhere; ln -s /etc/passwd tools; mkfifo pipe\n"
    "mkdir nested; git init -q nested; echo x >nested/file; echo obj >made.o; touch -d 2001-01-01 "
    ".\n"
    "test $(wc -l <\"$out\") -ge 3\n";

static const struct {
    const char *name;
    const char *keys;
    enum workspace_kind kind;
} resets[] = {
    {"worktree", "'workspace':'worktree',", WORKSPACE_WORKTREE},
    {"copy", "'workspace':'copy',", WORKSPACE_COPY},
};

static void want_three_equal_lines(const char *name)
{
    char text[1000];
    char script[PATH_MAX + 100];
    (void)snprintf(script, sizeof(script), "wc -l <trees; sort -u trees | wc -l");
    stage_sh(stage.dir, script, text, sizeof(text));
    ck_assert_msg(strcmp(text, "3\n1") == 0, "%s: lines, different ones: %s", name, text);
}

START_TEST(test_A11_a_retry_finds_the_tree_as_the_first_try_did)
{
    char task[3 * PATH_MAX];
    tried.keys = resets[_i].keys;
    write_script("wreck", wreck);
    (void)snprintf(task, sizeof(task),
                   "{'id':'a','steps':[{'policy':'quick','run':['sh','%s/wreck','%s/trees']}]}",
                   stage.dir, stage.dir);
    try_start(task);
    struct engine_result result = try_finish();
    try_read_log();

    ck_assert_int_eq(result.exit_code, 0);
    want_three_equal_lines(resets[_i].name);
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_MADE, 0), 1);
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_SAVED, 0), 1);
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_CHANGED, 0), 2);
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_RESET, 0), 2);
    ck_assert_int_eq(try_find(EVENT_WORKSPACE_MADE, 0)->workspace.kind, resets[_i].kind);
    ck_assert_int_gt(try_find(EVENT_WORKSPACE_RESET, 0)->tree.count, 5);
    ck_assert_int_ge(try_find(EVENT_WORKSPACE_RESET, 0)->tree.ms, 0);
    const struct event *saved = try_find(EVENT_WORKSPACE_SAVED, 0);
    const struct event *reset = try_find(EVENT_WORKSPACE_RESET, 0);
    ck_assert(digest_is_same(saved->tree.tree, reset->tree.tree));
}
END_TEST

START_TEST(test_a_workspace_that_its_try_took_away_is_told)
{
    try_run("{'id':'a','workspace':'worktree','steps':[{'policy':{'like':'default',"
            "'max_attempts':1},'run':['sh','-c','rm -rf $PWD; exit 1']}]}",
            1);
    const struct event *changed = try_find(EVENT_WORKSPACE_CHANGED, 0);
    ck_assert(changed->changes.paths == 0 && changed->changes.partial == 1);
    ck_assert_ptr_nonnull(strstr(changed->data, "cannot open the workspace"));
}
END_TEST

/* Does what ended leave its folder, and what passed none? */
static bool has_tree(const char *task)
{
    char text[100];
    char script[200];
    (void)snprintf(script, sizeof(script), "find .devs/work -maxdepth 3 -path '*/%s/tree' | wc -l",
                   task);
    stage_sh(stage.repo, script, text, sizeof(text));
    return strcmp(text, "0") != 0;
}

START_TEST(test_what_needs_a_task_starts_from_its_result)
{
    try_run("{'id':'a','steps':[{'run':['sh','-c','echo from a >a.txt']}]},"
            "{'id':'b','steps':[{'run':['sh','-c','echo from b >b.txt']},"
            "{'phase':'VERIFY','run':['grep','b','b.txt']}]},"
            "{'id':'c','needs':['a','b'],'steps':[{'run':['sh','-c','cat a.txt b.txt']}]},"
            "{'id':'d','needs':['a'],'steps':[{'phase':'VERIFY','policy':{'like':'default',"
            "'max_attempts':1},'run':['sh','-c','echo bad >a.txt; exit 1']}]}",
            TRY_ANY_EXIT);

    struct str text = {0};
    try_read_output(2, 1, 1, &text);
    ck_assert_str_eq(str_text(&text), "from a\nfrom b\n");
    str_done(&text);
    ck_assert_int_eq(tried.state.tasks[2].status, TASK_PASSED);
    ck_assert_int_eq(tried.state.tasks[3].status, TASK_GAVE_UP);
    ck_assert(!has_tree("a") && !has_tree("b") && !has_tree("c"));
    ck_assert(has_tree("d"));
    char branches[200];
    stage_sh(stage.repo, "git for-each-ref --format='%(refname:short)' refs/heads/devs | xargs",
             branches, sizeof(branches));
    ck_assert_str_eq(branches, "devs/1/a devs/1/b devs/1/c");
    /* The result is in the log before its task has passed. */
    ck_assert_int_lt(try_find(EVENT_RESULT_KEPT, 0)->seq, try_find(EVENT_ATTEMPT_ENDED, 0)->seq);
    ck_assert_uint_eq(try_count(EVENT_TREE_PROVEN, 1), 2);
}
END_TEST

/* git takes a tag before a branch where both have the name. */
START_TEST(test_a_tag_called_like_a_result_is_none)
{
    try_run("{'id':'a','steps':[{'run':['sh','-c','echo from a >a.txt; git tag devs/1/a; "
            "git tag devs/1/b']}]},"
            "{'id':'b','needs':['a'],'steps':[{'run':['sh','-c','cat a.txt >b.txt']}]},"
            "{'id':'c','needs':['a','b'],'steps':[{'run':['cat','a.txt','b.txt']}]}",
            0);

    struct str text = {0};
    try_read_output(2, 1, 1, &text);
    ck_assert_str_eq(str_text(&text), "from a\nfrom a\n");
    str_done(&text);
    stage_sh(stage.repo, "git tag -d devs/1/a devs/1/b", NULL, 0);
}
END_TEST

START_TEST(test_results_that_do_not_merge_need_a_person)
{
    try_run("{'id':'a','steps':[{'run':['sh','-c','echo from a >src/one.c']}]},"
            "{'id':'b','steps':[{'run':['sh','-c','echo from b >src/one.c']}]},"
            "{'id':'c','needs':['a','b'],'steps':[{'run':['true']}]}",
            4);
    const struct event *end = try_find(EVENT_ATTEMPT_ENDED, 2);
    ck_assert_int_eq(tried.state.tasks[2].status, TASK_NEEDS_YOU);
    ck_assert_int_eq(end->ended.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(end->ended.outcome.code, START_CONFLICT);
    ck_assert_ptr_nonnull(strstr(end->data, "src/one.c"));
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_RUNNING, 2), 0);
}
END_TEST

/* `docker` that says what it says when nobody serves it. */
static void put_docker_in_path(void)
{
    char path[2 * PATH_MAX];
    write_script("docker", "#!/bin/sh\n"
                           "echo 'Cannot connect to the Docker daemon at unix:///nowhere. "
                           "Is the docker daemon running?' >&2; exit 1\n");
    ck_assert_int_eq(chmod(test_path(stage.dir, "docker"), 0755), 0);
    (void)snprintf(path, sizeof(path), "%s:%s", stage.dir, getenv("PATH"));
    ck_assert_int_eq(setenv("PATH", path, 1), 0);
    tried.options.environment = environ;
}

START_TEST(test_B5_starts_of_a_sandbox_that_are_used_up_leave_one_record)
{
    put_docker_in_path();
    try_run("{'id':'a','steps':[{'phase':'REFACTOR','sandbox':{'kind':'docker','image':'none'},"
            "'run':['true']}]}",
            1);

    const struct step_state *step = &tried.state.tasks[0].steps[0];
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 4);
    ck_assert_uint_eq(try_count(EVENT_WAIT_STARTED, 0), 3);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_RUNNING, 0), 0);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.code, START_DAEMON_DOWN);
    ck_assert_int_eq(try_find(EVENT_WAIT_STARTED, 0)->wait.delay.delay_ms, 1000);
    ck_assert_int_eq(step->end, DECISION_TRANSIENT_EXHAUSTED);
    ck_assert_int_eq(tried.state.tasks[0].entropy, 1);
    ck_assert_int_eq(try_find(EVENT_STEP_ENDED, 0)->step_ended.capture, 1);
    struct str capture = {0};
    struct err err = {0};
    const struct log_output_key key = {
        .run = tried.number, .attempt = (int)step->attempts[step->attempt_count - 1].number};
    ck_assert_msg(log_reader_capture(tried.reader, &key, &capture, &err), "%s", err.message);
    str_done(&capture);
}
END_TEST

static bool has_bwrap_and_groups(void)
{
    struct bwrap_means bwrap;
    struct cgroup_means groups;
    bwrap_means(&bwrap);
    cgroup_means(&groups);
    if (bwrap.works && groups.memory)
        return true;
    (void)printf("skipped: bwrap or the memory controller cannot be had here: %s %s\n", bwrap.why,
                 groups.why);
    return false;
}

START_TEST(test_B1_memory_over_the_limit_is_told_from_an_exit_like_it)
{
    if (!has_bwrap_and_groups())
        return;
    try_run("{'id':'eats','steps':[{'policy':{'like':'default','max_attempts':1},"
            "'sandbox':{'kind':'bwrap','memory_mb':32},"
            "'run':['sh','-c','head -c 200000000 /dev/zero | tail -c 190000000 >/dev/null']}]},"
            "{'id':'says','steps':[{'policy':{'like':'default','max_attempts':1},"
            "'sandbox':{'kind':'bwrap','memory_mb':512},'run':['sh','-c','exit 137']}]}",
            TRY_ANY_EXIT);
    const struct attempt_state *eats = &tried.state.tasks[0].steps[0].attempts[0];
    const struct attempt_state *says = &tried.state.tasks[1].steps[0].attempts[0];
    ck_assert_int_eq(eats->class, VERDICT_TRANSIENT);
    ck_assert_int_eq(eats->type, TRANSIENT_CONTAINER_OOM);
    ck_assert_int_eq(says->class, VERDICT_PERSISTENT);
}
END_TEST

static const char *const cancelled_how[] = {"cancel", "stop"};

/* The setup of a workspace takes its time; nobody waits for it who has asked for the end. */
START_TEST(test_cancel_while_a_workspace_is_made)
{
    static char keys[2 * PATH_MAX];
    (void)snprintf(keys, sizeof(keys),
                   "'workspace':{'kind':'worktree','setup':['sh','-c','touch %s/ready; "
                   "exec sleep 1000']},",
                   stage.dir);
    tried.keys = keys;
    try_start("{'id':'a','steps':[{'run':['true']}]}");
    ck_assert(try_await(is_ready_beside));
    int64_t from_ms = clock_now().mono_ms;
    struct engine_result result;
    if (_i == 0) {
        engine_cancel(tried.engine, "someone");
        result = try_finish();
    } else {
        engine_stop(tried.engine, &result);
        tried.engine = NULL;
    }
    ck_assert_msg(clock_now().mono_ms - from_ms < SOON_MS, "%s", cancelled_how[_i]);
    try_read_log();
    ck_assert_int_eq(result.exit_code, 130);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_CANCELLED);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_CANCELLED);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_RUNNING, 0), 0);
}
END_TEST

START_TEST(test_what_cannot_be_enforced_is_refused_before_there_is_a_run)
{
    struct err err = {0};
    tried.keys = "'idempotent':true,'sandbox':{'kind':'none','network':false},";
    ck_assert(try_refuse("{'id':'a','steps':[{'run':['true']}]}", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "task 'a'"));
    ck_assert_ptr_nonnull(strstr(err.message, "network"));
    ck_assert_ptr_nonnull(strstr(err.hint, "best_effort"));
    ck_assert_int_ne(access(tried.place.db, F_OK), 0);
}
END_TEST

START_TEST(test_best_effort_is_marked)
{
    tried.keys = "'idempotent':true,'sandbox':{'kind':'none','network':false,'best_effort':true},";
    try_run("{'id':'a','steps':[{'run':['true']}]}", 0);
    ck_assert_uint_eq(try_count(EVENT_SANDBOX_LACKS, 0), 1);
    ck_assert_str_eq(tried.state.tasks[0].place->lacks, "network");
}
END_TEST

/* In a process of its own, so that it can be killed. */
static pid_t fork_engine(const char *tasks)
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid > 0)
        return pid;
    try_start(tasks);
    (void)try_finish();
    _exit(0);
}

/* What devs died over finds its workspace again, as it was before the step. */
START_TEST(test_A11_what_was_interrupted_finds_its_tree_as_it_was)
{
    char tasks[4 * PATH_MAX];
    int status;
    (void)snprintf(tasks, sizeof(tasks),
                   "{'id':'a','steps':[{'run':['sh','-c','echo kept >first']},"
                   "{'run':['sh','-c','cat first; ls added; rm -rf src first; touch added; "
                   "test -e %s/ready || { touch %s/ready; exec sleep 100; }']}]}",
                   stage.dir, stage.dir);
    pid_t pid = fork_engine(tasks);
    ck_assert(try_await(is_ready_beside));
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);

    tried.options.resume = 1;
    try_run(tasks, 0);
    const struct step_state *step = &tried.state.tasks[0].steps[1];
    ck_assert_uint_eq(step->attempt_count, 2);
    ck_assert_int_eq(step->attempts[0].outcome.kind, OUTCOME_INTERRUPTED);
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_RESET, 0), 1);
    ck_assert_int_gt(try_find(EVENT_WORKSPACE_RESET, 0)->tree.count, 2);
    ck_assert(tried.state.tasks[0].place->is_kept);
}
END_TEST

/* What devs died over while it made a workspace is ended before another one is made. */
START_TEST(test_A11_two_setups_of_one_workspace_do_not_meet)
{
    static char keys[4 * PATH_MAX];
    static const char tasks[] = "{'id':'a','steps':[{'run':['true']}]}";
    int status;
    (void)snprintf(keys, sizeof(keys),
                   "'workspace':{'kind':'worktree','setup':['sh','-c','cd %s; if test -e pid; then "
                   "grep -q . /proc/$(cat pid)/cmdline 2>/dev/null && cat /proc/$(cat pid)/status "
                   ">both; touch second; else "
                   "echo $$ >pid; touch ready; exec sleep 100; fi']},",
                   stage.dir);
    tried.keys = keys;
    pid_t pid = fork_engine(tasks);
    ck_assert(try_await(is_ready_beside));
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);

    tried.options.resume = 1;
    try_start(tasks);
    ck_assert_int_eq(try_finish().exit_code, 0);
    stage_sh(stage.dir, "ls -la; if test -e both; then cat both; exit 1; fi; test -e second", NULL,
             0);
}
END_TEST

/* The plan in the log has marks where secrets were; what is called has them. */
START_TEST(test_setup_is_called_with_its_secrets)
{
    static const char real[] =
        "{\"version\":1,\"workspace\":{\"kind\":\"worktree\",\"setup\":[\"sh\",\"-c\",\"test real "
        "= real\"]},\"tasks\":[{\"id\":\"a\",\"steps\":[{\"run\":[\"true\"]}]}]}";
    struct plan *calls = NULL;
    struct violations wrong = {0};
    ck_assert(plan_parse(real, strlen(real), &calls, &wrong));
    tried.options.calls = calls;
    tried.keys = "'workspace':{'kind':'worktree','setup':['sh','-c','test [cut:X] = real']},";
    try_start("{'id':'a','steps':[{'run':['true']}]}");
    ck_assert_int_eq(try_finish().exit_code, 0);
    plan_free(calls);
}
END_TEST

/* Whoever removes the workspace of a run that is to go on takes the steps before along. */
START_TEST(test_A11_a_later_step_does_not_begin_in_a_workspace_made_anew)
{
    char tasks[4 * PATH_MAX];
    int status;
    (void)snprintf(tasks, sizeof(tasks),
                   "{'id':'a','steps':[{'run':['sh','-c','echo kept >first']},"
                   "{'run':['sh','-c','test -e first || touch %s/blind; "
                   "touch %s/ready; exec sleep 100']}]}",
                   stage.dir, stage.dir);
    pid_t pid = fork_engine(tasks);
    ck_assert(try_await(is_ready_beside));
    ck_assert_int_eq(kill(pid, SIGKILL), 0);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);

    stage_sh(tried.place.dir, "chmod -R u+rwx work; rm -r work/*", NULL, 0);
    tried.options.resume = 1;
    try_run(tasks, 1);
    const struct step_state *step = &tried.state.tasks[0].steps[1];
    const struct attempt_state *last = &step->attempts[step->attempt_count - 1];
    ck_assert_int_eq(last->outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(last->outcome.code, START_WORKSPACE_FAILED);
    stage_sh(stage.dir, "! test -e blind", NULL, 0);
}
END_TEST

/* Outside of a repository there is no worktree, and trying again makes none. */
START_TEST(test_B3_workspace_that_cannot_be_made_is_told_at_once)
{
    stage_sh(stage.dir, "mkdir plain", NULL, 0);
    char dir[PATH_MAX];
    (void)snprintf(dir, sizeof(dir), "%s/plain", stage.dir);
    tried.options.run_dir = dir;
    try_run("{'id':'a','steps':[{'run':['true']}]}", 1);
    const struct event *end = try_find(EVENT_ATTEMPT_ENDED, 0);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_GAVE_UP);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 1);
    ck_assert_int_eq(end->ended.outcome.code, START_WORKSPACE_FAILED);
    ck_assert_ptr_nonnull(strstr(end->data, "repository"));
}
END_TEST

/* Agents whose tasks have workspaces and sandboxes of their own: which tree do they find? */

#define SESSION "5c2d9c1e-0000-4000-8000-000000000001"
#define QUICK   "'policy':{'like':'transport','base_delay_ms':1,'jitter':0}"

static struct str agent_keys;

/* The agent counts its calls beside the tree; it fails the first time. */
static const char counting_agent[] =
    "cd \"$PWD\" && beside=$1 && shift\n"
    "echo x >>$beside/calls; n=$(($(wc -l <$beside/calls)))\n"
    "ls made.* >$beside/found.$n 2>/dev/null\n"
    "touch made.$n\n"
    "case $* in *--resume*) touch $beside/resumed.$n;; esac\n"
    "if [ $n = 1 ] && [ ! -f $beside/willing ]; then\n"
    "  echo '{\"type\":\"result\",\"is_error\":true,\"api_error_status\":429,\"result\":"
    "\"API Error: 429 rate limit\",\"session_id\":\"" SESSION "\"}'; exit 1\n"
    "fi\n"
    "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\","
    "\"num_turns\":1,\"session_id\":\"" SESSION "\"}'\n";

static void setup_agents(void)
{
    stage_open(&stage, test_tmpdir(), WORKSPACE_WORKTREE);
    try_open_at(stage.repo, test_path(stage.repo, ".devs"));
    write_script("agent", counting_agent);
    str_addf(&agent_keys,
             "'workspace':'worktree','agents':{"
             "'fake':{'like':'claude','program':'sh','argv':['%s/agent','%s'],"
             "'argv_resume':['%s/agent','%s','--resume','{session}']},"
             "'forgets':{'like':'generic','program':'sh','argv':['%s/agent','%s']},"
             "'echoes':{'like':'generic','program':'cat'}},",
             stage.dir, stage.dir, stage.dir, stage.dir, stage.dir, stage.dir);
    tried.keys = agent_keys.data;
}

static void teardown_agents(void)
{
    try_close();
    str_done(&agent_keys);
    stage_check(&stage);
}

/* What the agent's n-th call found of what it had made before. */
static void check_found(int number, const char *wanted)
{
    char script[64];
    char text[256];
    (void)snprintf(script, sizeof(script), "tr '\\n' ' ' <found.%d", number);
    stage_sh(stage.dir, script, text, sizeof(text));
    ck_assert_str_eq(text, wanted);
}

START_TEST(test_agent_that_goes_on_in_its_session_finds_its_tree)
{
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'," QUICK "}]}", 0);
    ck_assert(is_beside("resumed.2"));
    check_found(2, "made.1 ");
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_SAVED, 0), 1);
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_RESET, 0), 0);
}
END_TEST

START_TEST(test_agent_that_begins_anew_finds_the_first_tree)
{
    try_run("{'id':'a','steps':[{'agent':'forgets','prompt':'Make it.'," QUICK "}]}", 0);
    ck_assert(!is_beside("resumed.2"));
    check_found(2, "");
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_RESET, 0), 1);
}
END_TEST

/* The check fails twice in round 1, and once in round 2, and leaves something each time.
 * Its last try finds what the counting_agent made in both rounds, and nothing of the try before it.
 */
static const char failing_check[] = "beside=$1\n"
                                    "echo x >>$beside/checks; n=$(($(wc -l <$beside/checks)))\n"
                                    "ls junk.* made.* >$beside/check.$n 2>/dev/null\n"
                                    "touch junk.$n\n"
                                    "test $n = 4\n";

START_TEST(test_retry_in_a_later_round_finds_the_tree_of_that_round)
{
    char task[3 * PATH_MAX];
    char found[256];
    stage_sh(stage.dir, "touch willing", NULL, 0);
    write_script("check", failing_check);
    (void)snprintf(task, sizeof(task),
                   "{'id':'a','rounds':2,'steps':[{'agent':'fake','prompt':'Make it.'},"
                   "{'policy':{'like':'default','base_delay_ms':1,'max_attempts':2},"
                   "'run':['sh','%s/check','%s']}]}",
                   stage.dir, stage.dir);
    try_run(task, 0);
    check_found(2, "made.1 ");
    stage_sh(stage.dir, "tr '\\n' ' ' <check.4", found, sizeof(found));
    ck_assert_str_eq(found, "junk.2 made.1 made.2 ");
    ck_assert_uint_eq(try_count(EVENT_ROUND_STARTED, 0), 1);
}
END_TEST

START_TEST(test_agent_in_a_sandbox_hears_its_prompt)
{
    struct bwrap_means means;
    struct str words = {0};
    bwrap_means(&means);
    if (!means.works) {
        (void)printf("skipped: bwrap cannot be had here: %s\n", means.why);
        return;
    }
    try_run("{'id':'a','steps':[{'agent':'echoes','prompt':'Say it again.',"
            "'sandbox':'bwrap'}]}",
            0);
    try_read_output(0, 1, LOG_STREAM_AGENT, &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "Say it again."));
    str_done(&words);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_place");
    TCase *trees = test_case(suite, "trees");
    tcase_add_unchecked_fixture(trees, stage_prepare, NULL);
    tcase_add_checked_fixture(trees, setup, teardown);
    tcase_add_loop_test(trees, test_A11_a_retry_finds_the_tree_as_the_first_try_did, 0,
                        TABLE_LEN(resets));
    tcase_add_test(trees, test_a_workspace_that_its_try_took_away_is_told);
    tcase_add_test(trees, test_what_needs_a_task_starts_from_its_result);
    tcase_add_test(trees, test_a_tag_called_like_a_result_is_none);
    tcase_add_test(trees, test_results_that_do_not_merge_need_a_person);
    tcase_add_loop_test(trees, test_cancel_while_a_workspace_is_made, 0, TABLE_LEN(cancelled_how));
    tcase_add_test(trees, test_B3_workspace_that_cannot_be_made_is_told_at_once);
    tcase_add_test(trees, test_setup_is_called_with_its_secrets);
    TCase *interrupted = test_case(suite, "interrupted");
    tcase_add_unchecked_fixture(interrupted, stage_prepare, NULL);
    tcase_add_checked_fixture(interrupted, setup, teardown);
    tcase_add_test(interrupted, test_A11_what_was_interrupted_finds_its_tree_as_it_was);
    tcase_add_test(interrupted, test_A11_a_later_step_does_not_begin_in_a_workspace_made_anew);
    tcase_add_test(interrupted, test_A11_two_setups_of_one_workspace_do_not_meet);
    TCase *boxes = test_case(suite, "boxes");
    tcase_add_unchecked_fixture(boxes, stage_prepare, NULL);
    tcase_add_checked_fixture(boxes, setup, teardown);
    tcase_add_test(boxes, test_B5_starts_of_a_sandbox_that_are_used_up_leave_one_record);
    tcase_add_test(boxes, test_B1_memory_over_the_limit_is_told_from_an_exit_like_it);
    tcase_add_test(boxes, test_what_cannot_be_enforced_is_refused_before_there_is_a_run);
    tcase_add_test(boxes, test_best_effort_is_marked);
    TCase *agents = test_case(suite, "agents");
    tcase_add_unchecked_fixture(agents, stage_prepare, NULL);
    tcase_add_checked_fixture(agents, setup_agents, teardown_agents);
    tcase_add_test(agents, test_agent_that_goes_on_in_its_session_finds_its_tree);
    tcase_add_test(agents, test_agent_that_begins_anew_finds_the_first_tree);
    tcase_add_test(agents, test_retry_in_a_later_round_finds_the_tree_of_that_round);
    tcase_add_test(agents, test_agent_in_a_sandbox_hears_its_prompt);
    return suite;
}
