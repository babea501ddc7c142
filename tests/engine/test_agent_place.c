/* Agents whose tasks have workspaces and sandboxes of their own: which tree do they find? */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine_try.h"
#include "log_reader.h"
#include "sandbox_internal.h"
#include "test_main.h"
#include "workspace_stage.h"

#define SESSION "5c2d9c1e-0000-4000-8000-000000000001"
#define QUICK   "'policy':{'like':'transport','base_delay_ms':1,'jitter':0}"

static struct stage stage;
static struct str keys;

/* The agent counts its calls beside the tree; it fails the first time. */
static const char agent[] =
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

static void write_script(const char *name, const char *text)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%.64s", stage.dir, name);
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

static void setup(void)
{
    char path[PATH_MAX];
    stage_open(&stage, test_tmpdir(), WORKSPACE_WORKTREE);
    (void)snprintf(path, sizeof(path), "%s/.devs", stage.repo);
    try_open_at(stage.repo, path);
    write_script("agent", agent);
    str_addf(&keys,
             "'workspace':'worktree','agents':{"
             "'fake':{'like':'claude','program':'sh','argv':['%s/agent','%s'],"
             "'argv_resume':['%s/agent','%s','--resume','{session}']},"
             "'forgets':{'like':'generic','program':'sh','argv':['%s/agent','%s']},"
             "'echoes':{'like':'generic','program':'cat'}},",
             stage.dir, stage.dir, stage.dir, stage.dir, stage.dir, stage.dir);
    tried.keys = keys.data;
}

static void teardown(void)
{
    try_close();
    str_done(&keys);
    stage_check(&stage);
}

static bool is_beside(const char *name)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/%.64s", stage.dir, name);
    return access(path, F_OK) == 0;
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
    try_start("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'," QUICK "}]}");
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    ck_assert(is_beside("resumed.2"));
    check_found(2, "made.1 ");
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_SAVED, 0), 1);
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_RESET, 0), 0);
}
END_TEST

START_TEST(test_agent_that_begins_anew_finds_the_first_tree)
{
    try_start("{'id':'a','steps':[{'agent':'forgets','prompt':'Make it.'," QUICK "}]}");
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    ck_assert(!is_beside("resumed.2"));
    check_found(2, "");
    ck_assert_uint_eq(try_count(EVENT_WORKSPACE_RESET, 0), 1);
}
END_TEST

/* The check fails twice in round 1, and once in round 2, and leaves something each time. Its last
 * try finds what the agent made in both rounds, and nothing of the try before it. */
static const char check[] = "beside=$1\n"
                            "echo x >>$beside/checks; n=$(($(wc -l <$beside/checks)))\n"
                            "ls junk.* made.* >$beside/check.$n 2>/dev/null\n"
                            "touch junk.$n\n"
                            "test $n = 4\n";

START_TEST(test_retry_in_a_later_round_finds_the_tree_of_that_round)
{
    char task[3 * PATH_MAX];
    char found[256];
    stage_sh(stage.dir, "touch willing", NULL, 0);
    write_script("check", check);
    (void)snprintf(task, sizeof(task),
                   "{'id':'a','rounds':2,'steps':[{'agent':'fake','prompt':'Make it.'},"
                   "{'policy':{'like':'default','base_delay_ms':1,'max_attempts':2},"
                   "'run':['sh','%s/check','%s']}]}",
                   stage.dir, stage.dir);
    try_start(task);
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
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
    try_start("{'id':'a','steps':[{'agent':'echoes','prompt':'Say it again.',"
              "'sandbox':'bwrap'}]}");
    ck_assert_int_eq(try_finish().exit_code, 0);
    try_read_log();
    try_read_output(0, 1, LOG_STREAM_AGENT, &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "Say it again."));
    str_done(&words);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("agent_place");
    TCase *trees = test_case(suite, "trees");
    tcase_add_unchecked_fixture(trees, stage_prepare, NULL);
    tcase_add_checked_fixture(trees, setup, teardown);
    tcase_add_test(trees, test_agent_that_goes_on_in_its_session_finds_its_tree);
    tcase_add_test(trees, test_agent_that_begins_anew_finds_the_first_tree);
    tcase_add_test(trees, test_retry_in_a_later_round_finds_the_tree_of_that_round);
    tcase_add_test(trees, test_agent_in_a_sandbox_hears_its_prompt);
    return suite;
}
