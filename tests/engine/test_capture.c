#define _GNU_SOURCE /* mkdtemp's folders by git */

#include "capture.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract.h"
#include "json.h"
#include "plan.h"
#include "test_main.h"
#include "xalloc.h"

static struct plan *plan;
static struct run_state state;
static struct attempt attempt;
static struct call_setting setting;
static struct capture_facts facts;
static struct event end;
static char dir[PATH_MAX];
static int64_t seq;

static void fold(struct event event)
{
    struct err err = {0};
    event.seq = ++seq;
    event.at = (struct moment){1000 + seq, 5000 + seq};
    ck_assert_msg(run_state_apply(&state, &event, &err), "%s", err.message);
    end = event;
}

static struct event about(enum event_kind kind)
{
    struct event event = event_new(kind);
    event.task = event.step = 0;
    event.round = event.grant = event.attempt = 1;
    return event;
}

/* One attempt of a plan's only step that ended so. */
static void end_step(const char *step, enum outcome_kind kind, int code)
{
    static char *const environment[] = {(char *)(uintptr_t) "HOME=/home/ann",
                                        (char *)(uintptr_t) "PASSWORD=hunter2hunter2", NULL};
    struct violations violations = {0};
    struct str text = {0};
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    str_addf(&text,
             "{\"version\":1,\"name\":\"t\",\"idempotent\":true,\"tasks\":[{\"id\":\"tax\","
             "\"steps\":[%s]}]}",
             step);
    ck_assert(plan_parse(text.data, text.len, &plan, &violations));
    str_done(&text);
    seq = 0;
    run_state_init(&state, plan, 1);
    struct event begun = event_new(EVENT_RUN_STARTED);
    begun.run_started.jobs = 1;
    fold(begun);
    struct event started = about(EVENT_ATTEMPT_STARTED);
    started.started.call.hi = 1;
    fold(started);
    struct event ended = about(EVENT_ATTEMPT_ENDED);
    ended.ended.outcome.kind = kind;
    ended.ended.outcome.code = code;
    ended.ended.outcome.ran_ms = 107000;
    fold(ended);
    struct event judged = about(EVENT_ATTEMPT_JUDGED);
    judged.judged.label.class = VERDICT_PERSISTENT;
    judged.judged.label.reason = REASON_TEST_FAIL;
    judged.judged.rule = "tap.not-ok";
    judged.judged.near_count = 1;
    judged.judged.near[0] = (struct verdict_near_record){.rule = "http.429", .why = NEAR_PATTERN};
    fold(judged);
    struct event step_ended = about(EVENT_STEP_ENDED);
    step_ended.step_ended.decision = DECISION_RETRY_EXHAUSTED;
    step_ended.step_ended.attempts = 1;
    step_ended.step_ended.capture = 1;
    fold(step_ended);

    setting = (struct call_setting){
        .plan = plan, .run_dir = dir, .environment = environment, .run_mark = "DEVS_RUN=1"};
    attempt = (struct attempt){.number = 1, .plan = plan->tasks[0].steps};
    call_init(&attempt.call, &setting, 0, 0, 0);
    for (int i = 0; i < 2; i++)
        output_init(&attempt.streams[i], 0, PLAN_LINE_BYTES);
    facts = (struct capture_facts){.state = &state,
                                   .event = &end,
                                   .attempt = &attempt,
                                   .setting = &setting,
                                   .rules_hash = "abc",
                                   .log_dir = dir,
                                   .memory_killed = -1};
}

static void tear_down(void)
{
    call_done(&attempt.call);
    for (int i = 0; i < 2; i++)
        output_done(&attempt.streams[i]);
    run_state_done(&state);
    plan_free(plan);
    plan = NULL;
}

static struct json *parse(const struct str *text)
{
    struct json *json = NULL;
    struct err err = {0};
    ck_assert_msg(json_parse_data(str_text(text), text->len, &json, NULL, &err), "%s: %s",
                  err.message, str_text(text));
    return json;
}

/* The capture as JSON. The caller frees. */
static struct json *capture(void)
{
    struct str text = {0};
    capture_write(&facts, &text);
    ck_assert_uint_le(text.len, CAPTURE_BYTES_MAX);
    struct json *json = parse(&text);
    str_done(&text);
    return json;
}

static const char simple_step[] = "{\"run\":[\"sh\",\"-c\",\"exit 1\"]}";

/* What is captured, and what `missing` calls it where it is not there. */
static const struct {
    const char *member, *item;
} items[] = {
    {"verdict", "verdict"},
    {"argv", "argv"},
    {"cwd", "cwd"},
    {"env", "env"},
    {"tree", "tree"},
    {"changes", "diff"},
    {"stdout_tail", "output"},
    {"stderr_tail", "output"},
    {"tests", "tests"},
    {"ran_processes", "processes"},
    {"left_processes", "processes"},
    {"end", "end"},
    {"peak_memory", "peak_memory"},
    {"oom", "oom"},
    {"load", "load"},
    {"memory_available_kib", "memory_available"},
    {"disk_free_kib", "disk_free"},
    {"log_disk_free_kib", "log_disk_free"},
    {"clock_step_ms", "clock_step"},
    {"network", "network"},
    {"policy", "policy"},
    {"rules", "rules"},
    {"versions", "versions"},
};

static void check_items(void)
{
    struct json *json = capture();
    for (size_t i = 0; i < ARRAY_LEN(items); i++) {
        const char *why = json_text(json_get(json_get(json, "missing"), items[i].item), "");
        ck_assert_msg(json_get(json, items[i].member) || *why, "%s: not there, no word why",
                      items[i].member);
    }
    json_free(json);
}

START_TEST(test_every_item_is_there_or_says_why_not)
{
    end_step(simple_step, OUTCOME_EXIT, 1);
    check_items();
    facts.attempt = NULL; /* it had already ended */
    facts.log_dir = NULL;
    facts.rules_hash = NULL;
    check_items();
}
END_TEST

START_TEST(test_names_of_the_environment_and_no_values)
{
    struct str text = {0};
    end_step("{\"env\":{\"TOKEN\":\"tok-123456789\"},\"run\":[\"true\"]}", OUTCOME_EXIT, 1);
    capture_write(&facts, &text);
    ck_assert_ptr_nonnull(strstr(text.data, "\"TOKEN\""));
    ck_assert_ptr_nonnull(strstr(text.data, "\"PASSWORD\""));
    ck_assert_ptr_null(strstr(text.data, "tok-123456789"));
    ck_assert_ptr_null(strstr(text.data, "hunter2hunter2"));
    str_done(&text);
}
END_TEST

START_TEST(test_only_what_a_sandbox_lets_in_is_listed)
{
    static char let_in[] = "HOME=/home/ann";
    static char *environment[] = {let_in, NULL};
    struct surroundings around = {.environment = environment};
    end_step(simple_step, OUTCOME_EXIT, 1);
    attempt.around = &around;
    struct json *json = capture();
    ck_assert_uint_eq(json_count(json_get(json, "env")), 1);
    ck_assert_uint_eq(json_count(json_get(json, "env_cut")), 0);
    json_free(json);
    attempt.around = NULL;
    json = capture();
    ck_assert_uint_eq(json_count(json_get(json, "env")), 4); /* two of them our marks */
    ck_assert_str_eq(json_text(json_at(json_get(json, "env_cut"), 0), ""), "PASSWORD");
    json_free(json);
}
END_TEST

static const struct {
    const char *name;
    enum outcome_kind kind;
    int code, memory_killed;
    const char *sender, *signal;
} senders[] = {
    {"exit", OUTCOME_EXIT, 1, -1, "itself", ""},
    {"segfault", OUTCOME_SIGNAL, SIGSEGV, -1, "kernel", "SEGV"},
    {"abort", OUTCOME_SIGNAL, SIGABRT, -1, "itself", "ABRT"},
    {"cpu limit", OUTCOME_SIGNAL, SIGXCPU, -1, "kernel", "XCPU"},
    {"oom", OUTCOME_SIGNAL, SIGKILL, 1, "kernel", "KILL"},
    {"killed, not for memory", OUTCOME_SIGNAL, SIGKILL, 0, "unknown", "KILL"},
    {"killed, nobody knows", OUTCOME_SIGNAL, SIGKILL, -1, "unknown", "KILL"},
    {"somebody's TERM", OUTCOME_SIGNAL, SIGTERM, -1, "unknown", "TERM"},
    {"our timeout", OUTCOME_TIMEOUT, 128 + SIGTERM, -1, "devs", "TERM"},
    {"our cancel", OUTCOME_CANCELLED, 128 + SIGKILL, -1, "devs", "KILL"},
    {"not started", OUTCOME_NOT_STARTED, 2, -1, "none", ""},
};

START_TEST(test_who_sent_the_signal)
{
    end_step(simple_step, senders[_i].kind, senders[_i].code);
    facts.memory_killed = senders[_i].memory_killed;
    struct json *json = capture();
    const struct json *how = json_get(json, "end");
    ck_assert_msg(strcmp(json_text(json_get(how, "sender"), ""), senders[_i].sender) == 0, "%s: %s",
                  senders[_i].name, json_text(json_get(how, "sender"), ""));
    ck_assert_str_eq(json_text(json_get(how, "signal"), ""), senders[_i].signal);
    ck_assert_str_ne(json_text(json_get(how, "sender_why"), ""), "");
    json_free(json);
}
END_TEST

START_TEST(test_a_code_of_a_shell_names_its_signal)
{
    end_step(simple_step, OUTCOME_EXIT, 128 + SIGKILL);
    struct json *json = capture();
    ck_assert_str_eq(json_text(json_get(json_get(json, "end"), "inner_signal"), ""), "KILL");
    json_free(json);
}
END_TEST

START_TEST(test_tails_and_a_test_report)
{
    static const char report[] = "TAP version 13\nnot ok 1 - a\0b\n# tests 3\n# pass 2\n# fail 1\n";
    end_step(simple_step, OUTCOME_EXIT, 1);
    output_add(&attempt.streams[0], report, sizeof(report) - 1);
    struct json *json = capture();
    size_t len = 0;
    const char *tail = json_bytes(json_get(json, "stdout_tail"), &len);
    ck_assert_uint_eq(len, sizeof(report) - 1);
    ck_assert_mem_eq(tail, report, len);
    const struct json *tests = json_get(json, "tests");
    ck_assert_str_eq(json_text(json_get(tests, "form"), ""), "tap");
    ck_assert_int_eq(json_i64(json_get(tests, "failed"), -1), 1);
    ck_assert_int_eq(json_i64(json_get(tests, "passed"), -1), 2);
    json_free(json);
}
END_TEST

START_TEST(test_a_capture_is_bounded_whatever_comes)
{
    enum { WORDS = 4000, BYTES = 64 * 1024 };
    struct str step = {0};
    char *bytes = xcalloc(BYTES, 1);
    str_add(&step, "{\"run\":[\"true\"");
    for (int i = 0; i < WORDS; i++)
        str_addf(&step, ",\"\\u0001%060d\"", i);
    str_add(&step, "],\"env\":{\"A\":\"1\"");
    for (int i = 0; i < 900; i++)
        str_addf(&step, ",\"NAME_%0100d\":\"1\"", i);
    str_add(&step, "}}");
    end_step(step.data, OUTCOME_EXIT, 1);
    for (int i = 0; i < 2; i++)
        output_add(&attempt.streams[i], bytes, BYTES); /* NULs: six bytes each in JSON */
    struct json *json = capture();
    ck_assert_int_gt(json_i64(json_get(json, "argv_more"), 0), 0);
    ck_assert_int_gt(json_i64(json_get(json, "env_more"), 0), 0);
    ck_assert_int_eq(json_i64(json_get(json, "argv_more"), 0) +
                         (int64_t)json_count(json_get(json, "argv")),
                     WORDS + 1);
    json_free(json);
    free(bytes);
    str_done(&step);
}
END_TEST

static void run_git(const char *folder, const char *const *argv)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0) {
        bool quiet = freopen("/dev/null", "w", stdout) && freopen("/dev/null", "w", stderr);
        if (quiet && chdir(folder) == 0)
            execvp(argv[0], (char *const *)(uintptr_t)argv); /* it changes nothing */
        _exit(127);
    }
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

static void save(const char *name, const char *text)
{
    test_write_file(test_path(dir, name), text, 0644);
}

/* A repository with one commit in `dir`. */
static void make_repository(void)
{
    static const char *const commands[][10] = {
        {"git", "init", "-q", "-b", "trunk/x", ".", NULL},
        {"git", "add", ".", NULL},
        {"git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first", NULL},
    };
    save("a.txt", "one\n");
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        run_git(dir, commands[i]);
}

START_TEST(test_the_commit_is_read_without_git)
{
    static const char *const pack[] = {"git", "pack-refs", "--all", NULL};
    static const char *const detach[] = {"git", "checkout", "-q", "--detach", NULL};
    static const char *const add[] = {"git", "worktree", "add", "-q", "-b", "side", "tree", NULL};
    struct capture_commit commit;
    struct capture_commit other;
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    capture_find_commit(dir, &commit);
    ck_assert_str_ne(commit.why, "");
    make_repository();
    capture_find_commit(dir, &commit);
    ck_assert_str_eq(commit.why, "");
    ck_assert_uint_eq(strlen(commit.commit), 40);
    ck_assert_str_eq(commit.branch, "trunk/x");

    ck_assert_int_eq(mkdir(test_path(dir, "deep"), 0700), 0);
    run_git(dir, pack);
    capture_find_commit(test_path(dir, "deep"), &other);
    ck_assert_str_eq(other.commit, commit.commit);
    run_git(dir, add);
    capture_find_commit(test_path(dir, "tree"), &other);
    ck_assert_str_eq(other.commit, commit.commit);
    ck_assert_str_eq(other.branch, "side");
    run_git(dir, detach);
    capture_find_commit(dir, &other);
    ck_assert_str_eq(other.commit, commit.commit);
    ck_assert_str_eq(other.branch, "");
}
END_TEST

/* What lies in .git may be anything: nothing waits for it. */
START_TEST(test_a_repository_that_is_none_keeps_nobody)
{
    struct capture_commit commit;
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    ck_assert_int_eq(mkdir(test_path(dir, ".git"), 0700), 0);
    ck_assert_int_eq(mkfifo(test_path(dir, ".git/HEAD"), 0600), 0);
    capture_find_commit(dir, &commit);
    ck_assert_str_eq(commit.commit, "");
    ck_assert_str_ne(commit.why, "");
    ck_assert_int_eq(unlink(test_path(dir, ".git/HEAD")), 0);
    save(".git/HEAD", "ref: ../../../etc/passwd\n");
    capture_find_commit(dir, &commit);
    ck_assert_str_eq(commit.commit, "");
}
END_TEST

static struct diff_path *new_paths(size_t count, size_t len)
{
    struct diff_path *paths = xcalloc(count, sizeof(*paths));
    for (size_t i = 0; i < count; i++) {
        paths[i] = (struct diff_path){.kind = DIFF_CHANGED, .added = 3, .removed = 1};
        paths[i].path = xcalloc(len + 1, 1);
        memset(paths[i].path, i % 2 == 0 ? 'x' : 0xff, len);
    }
    return paths;
}

START_TEST(test_the_second_part_is_bounded)
{
    enum { PATHS = 1000, PATH_BYTES = 4000, LINES = 20000 };
    struct tree_diff diff = {.paths = new_paths(PATHS, PATH_BYTES),
                             .path_count = PATHS,
                             .changed = 2 * PATHS,
                             .added = 7,
                             .ms = 12};
    struct str text = {0};
    for (int i = 0; i < LINES; i++)
        str_addf(&diff.text, "+line %d \x01\x02\n", i);
    str_add(&diff.why, "too much of it");
    capture_changes_write(&diff, &text);
    ck_assert_uint_le(text.len, CAPTURE_BYTES_MAX);
    struct json *json = parse(&text);
    ck_assert_int_eq(json_i64(json_get(json, "part"), 0), 2);
    ck_assert_int_eq(json_i64(json_get(json, "changed"), 0), 2 * PATHS);
    ck_assert_uint_gt(json_count(json_get(json, "paths")), 3);
    ck_assert_int_gt(json_i64(json_get(json, "diff_more_bytes"), 0), 0);
    const char *shown = json_text(json_get(json, "diff"), "");
    ck_assert_int_eq(shown[strlen(shown) - 1], '\n');
    json_free(json);

    str_clear(&text);
    const struct event event = capture_changes_event(&diff, &text);
    ck_assert_uint_le(text.len, EVENT_TEXT_MAX);
    ck_assert_str_eq(event.changes.why, "too much of it");
    ck_assert(event.changes.partial);
    str_done(&text);
    tree_diff_done(&diff);
}
END_TEST

START_TEST(test_the_event_names_the_first_paths)
{
    struct tree_diff diff = {.paths = new_paths(30, 10), .path_count = 30, .changed = 30};
    struct str text = {0};
    const struct event event = capture_changes_event(&diff, &text);
    const char *lines = event.changes.changed;
    int count = 0;
    ck_assert_int_eq(event.changes.paths, 30);
    ck_assert_int_eq(strncmp(lines, "M xxxxxxxxxx\n", strlen("M xxxxxxxxxx\n")), 0);
    for (; lines; lines = strchr(lines + 1, '\n'))
        count++;
    ck_assert_int_eq(count, CHANGES_EVENT_PATHS_MAX);
    str_done(&text);
    tree_diff_done(&diff);
}
END_TEST

START_TEST(test_in_place_git_says_what_is_dirty)
{
    struct str text = {0};
    (void)snprintf(dir, sizeof(dir), "%s", test_tmpdir());
    const struct changes_call call = {.dir = dir, .scratch = test_tmpdir(), .environment = environ};
    capture_changes_in_place(&call, NULL, &text);
    struct json *json = parse(&text);
    ck_assert_str_eq(json_text(json_get(json, "kind"), ""), "none");
    ck_assert_str_eq(json_text(json_get(json, "why"), ""), "not a git repository");
    json_free(json);
    str_clear(&text);

    make_repository();
    save("a.txt", "two\n");
    save("new \"name\".txt", "new\n");
    capture_changes_in_place(&call, NULL, &text);
    json = parse(&text);
    ck_assert_str_eq(json_text(json_get(json, "kind"), ""), "status");
    ck_assert_int_eq(json_i64(json_get(json, "changed"), -1), 2);
    const struct json *paths = json_get(json, "paths");
    ck_assert_str_eq(json_text(json_at(json_at(paths, 0), 0), ""), "M");
    ck_assert_str_eq(json_text(json_at(json_at(paths, 0), 1), ""), "a.txt");
    ck_assert_str_eq(json_text(json_at(json_at(paths, 1), 0), ""), "A");
    ck_assert_str_eq(json_text(json_at(json_at(paths, 1), 1), ""), "new \"name\".txt");
    json_free(json);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("capture");
    TCase *first = test_case(suite, "first part");
    tcase_add_checked_fixture(first, NULL, tear_down);
    tcase_add_test(first, test_every_item_is_there_or_says_why_not);
    tcase_add_test(first, test_names_of_the_environment_and_no_values);
    tcase_add_test(first, test_only_what_a_sandbox_lets_in_is_listed);
    tcase_add_loop_test(first, test_who_sent_the_signal, 0, TABLE_LEN(senders));
    tcase_add_test(first, test_a_code_of_a_shell_names_its_signal);
    tcase_add_test(first, test_tails_and_a_test_report);
    tcase_add_test(first, test_a_capture_is_bounded_whatever_comes);
    TCase *commits = test_case(suite, "commit");
    tcase_add_test(commits, test_the_commit_is_read_without_git);
    tcase_add_test(commits, test_a_repository_that_is_none_keeps_nobody);
    TCase *changes = test_case(suite, "changes");
    tcase_add_test(changes, test_the_second_part_is_bounded);
    tcase_add_test(changes, test_the_event_names_the_first_paths);
    tcase_add_test(changes, test_in_place_git_says_what_is_dirty);
    return suite;
}
