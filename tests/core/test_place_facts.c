#include <string.h>

#include "event_text.h"
#include "json.h"
#include "play.h"
#include "shown.h"
#include "test_main.h"

#define PLAN                                                                                       \
    "{\"version\":1,\"workspace\":\"worktree\",\"tasks\":[{\"id\":\"a\",\"steps\":["               \
    "{\"phase\":\"RED\",\"run\":[\"x\"],\"expect\":\"failure\"},{\"run\":[\"x\"]},"                \
    "{\"phase\":\"VERIFY\",\"run\":[\"x\"]}]}]}"

static struct play play;
static struct str text;

static void setup(void)
{
    text = (struct str){0};
    play_open(&play, PLAN);
    play_start(&play, 1);
}

static void teardown(void)
{
    play_close(&play);
    str_done(&text);
}

static void tell(int step, int attempt, struct event fact)
{
    play_input(
        &play,
        (struct input){
            .kind = INPUT_FACT, .task = 0, .step = step, .attempt = attempt, .fact_event = fact});
}

static struct event made(enum workspace_kind kind, const char *path, const char *branch)
{
    return (struct event){.kind = EVENT_WORKSPACE_MADE,
                          .workspace = {.kind = kind, .path = path, .branch = branch}};
}

static struct event cut(int64_t count)
{
    return (struct event){.kind = EVENT_SECRETS_CUT, .secrets.count = count};
}

static void tell_tree(enum event_kind kind, int step, int attempt, uint64_t tree)
{
    tell(step, attempt,
         (struct event){.kind = kind,
                        .tree = {.tree = {tree, tree}, .count = 3, .bytes = 2048, .ms = 31}});
}

/* The words of the last event. */
static const char *words(void)
{
    str_clear(&text);
    event_words(&play.state, &play.events.items[play.events.count - 1], &text);
    return str_text(&text);
}

static const char *strip(void)
{
    str_clear(&text);
    shown_strip(&play.state, 0, true, &text);
    return str_text(&text);
}

static void pass_red(void)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
}

static const struct {
    const char *want;
    struct event fact;
} said[] = {
    {.want = "workspace created: worktree at /w/a from 9be1f00d9be1 for devs/41/a in 0.21 s, setup "
             "1.5 s",
     .fact = {.kind = EVENT_WORKSPACE_MADE,
              .workspace = {.kind = WORKSPACE_WORKTREE,
                            .ms = 210,
                            .path = "/w/a",
                            .base = "9be1f00d9be1f00d",
                            .branch = "devs/41/a",
                            .setup_ms = 1500}}},
    {.want = "workspace created: copy in 2 ms",
     .fact = {.kind = EVENT_WORKSPACE_MADE, .workspace = {.kind = WORKSPACE_COPY, .ms = 2}}},
    {.want = "tree saved: 5000 files, 3 MiB in 0.3 s",
     .fact = {.kind = EVENT_WORKSPACE_SAVED,
              .tree = {.tree = {1, 1}, .count = 5000, .bytes = 3 << 20, .ms = 300}}},
    {.want = "tree restored: 12 paths in 31 ms",
     .fact = {.kind = EVENT_WORKSPACE_RESET,
              .tree = {.tree = {1, 1}, .count = 12, .bytes = 100, .ms = 31}}},
    {.want = "tree unchanged, checked in 31 ms",
     .fact = {.kind = EVENT_WORKSPACE_RESET,
              .tree = {.tree = {1, 1}, .count = 0, .bytes = 0, .ms = 31}}},
    {.want = "proven on tree 000000000000: 1 file, 2 KiB in 9 ms",
     .fact = {.kind = EVENT_TREE_PROVEN,
              .tree = {.tree = {0x0b1e, 1}, .count = 1, .bytes = 2048, .ms = 9}}},
    {.want = "proven on tree 000000000000: 1 file, 2 KiB in 9 ms",
     .fact = {.kind = EVENT_TREE_PROVEN,
              .tree = {.tree = {0x0b1e, 1}, .count = 1, .bytes = 1599, .ms = 9}}},
    {.want = "proven on tree 000000000000: 1 file, 1 MiB in 9 ms",
     .fact = {.kind = EVENT_TREE_PROVEN,
              .tree = {.tree = {0x0b1e, 1}, .count = 1, .bytes = (1 << 20) - 1, .ms = 9}}},
    {.want = "proven on tree 000000000000: 1 file, 2 MiB in 9 ms",
     .fact = {.kind = EVENT_TREE_PROVEN,
              .tree = {.tree = {0x0b1e, 1}, .count = 1, .bytes = 7 << 18, .ms = 9}}},
    {.want = "changed 2 paths, +5 -1 lines: M src/a.c, D b",
     .fact =
         {.kind = EVENT_WORKSPACE_CHANGED,
          .changes = {.paths = 2, .added = 5, .removed = 1, .ms = 9, .changed = "M src/a.c\nD b"}}},
    {.want = "changed 1 path (not everything was checked: out of time)",
     .fact = {.kind = EVENT_WORKSPACE_CHANGED,
              .changes = {.paths = 1, .partial = true, .ms = 9, .why = "out of time"}}},
    {.want = "changes unknown: it is gone",
     .fact = {.kind = EVENT_WORKSPACE_CHANGED,
              .changes = {.partial = true, .ms = 9, .why = "it is gone"}}},
    {.want = "result kept: branch devs/41/a at 9be1f00d9be1",
     .fact = {.kind = EVENT_RESULT_KEPT,
              .kept = {.branch = "devs/41/a", .commit = "9be1f00d9be1f00d"}}},
    {.want = "result kept: tree at /w/r",
     .fact = {.kind = EVENT_RESULT_KEPT, .kept = {.is_folder = true, .path = "/w/r"}}},
    {.want = "sandbox does not enforce pids, network: no cgroup",
     .fact = {.kind = EVENT_SANDBOX_LACKS, .lacks = {.keys = "pids\nnetwork", .why = "no cgroup"}}},
    {.want = "cut 3 secrets: API_KEY 2x, TOKEN",
     .fact = {.kind = EVENT_SECRETS_CUT, .secrets = {.count = 3, .names = "2 API_KEY\n1 TOKEN"}}},
};

START_TEST(test_a_fact_has_words)
{
    struct str want = {0};
    tell(0, 1, said[_i].fact);
    const struct event *event = &play.events.items[play.events.count - 1];
    ck_assert_int_eq((int)event->kind, (int)said[_i].fact.kind);
    ck_assert_int_eq(event->task, 0);
    ck_assert_int_eq(event->step, 0);
    ck_assert_int_eq(event->attempt, 1);
    ck_assert_int_eq(event->grant, 1);
    str_addf(&want, "a try 1/1 RED %s", said[_i].want);
    ck_assert_str_eq(words(), str_text(&want));
    str_done(&want);
}
END_TEST

/* The last event as JSON. The caller frees. */
static struct json *last_as_json(void)
{
    struct json *json = NULL;
    str_clear(&text);
    event_json(&play.state, 7, &play.events.items[play.events.count - 1], &text);
    ck_assert(json_parse(text.data, text.len, &json, NULL, NULL));
    return json;
}

START_TEST(test_a_fact_is_written_as_json)
{
    tell(0, 1,
         (struct event){
             .kind = EVENT_WORKSPACE_CHANGED,
             .changes = {
                 .paths = 2, .added = 5, .removed = 1, .partial = true, .ms = 9, .why = "time"}});
    struct json *json = last_as_json();
    ck_assert_int_eq(json_i64(json_get(json_get(json, "data"), "paths"), -1), 2);
    ck_assert(json_bool(json_get(json_get(json, "data"), "partial"), false));
    ck_assert_str_eq(json_text(json_get(json_get(json, "data"), "why"), ""), "time");
    json_free(json);
    tell_tree(EVENT_TREE_PROVEN, 0, 1, 0xab);
    json = last_as_json();
    ck_assert_str_eq(json_text(json_get(json_get(json, "data"), "tree"), ""),
                     "00000000000000ab00000000000000ab");
    ck_assert_int_eq(json_i64(json_get(json_get(json, "data"), "files"), -1), 3);
    json_free(json);
}
END_TEST

START_TEST(test_a_suspended_process_is_a_fact_of_the_run)
{
    tell(5, 77, (struct event){.kind = EVENT_TIME_STOPPED, .stopped.ms = 61000});
    const struct event *event = &play.events.items[play.events.count - 1];
    ck_assert_int_eq(event->task, -1);
    ck_assert_int_eq(event->attempt, 0);
    ck_assert_int_eq(play.state.stopped_ms, 61000);
    ck_assert_str_eq(words(), "devs was suspended for 61 s, not counted by timeouts");
}
END_TEST

static const struct {
    int task, step, attempt;
    struct event fact;
} ignored[] = {
    {-1, 0, 1, {.kind = EVENT_SECRETS_CUT, .secrets.count = 1}},
    {1, 0, 1, {.kind = EVENT_SECRETS_CUT, .secrets.count = 1}},
    {0, 3, 1, {.kind = EVENT_SECRETS_CUT, .secrets.count = 1}},
    {0, 0, 2, {.kind = EVENT_SECRETS_CUT, .secrets.count = 1}},
    {0, 1, 1, {.kind = EVENT_SECRETS_CUT, .secrets.count = 1}},
    {0, 0, 1, {.kind = EVENT_SECRETS_CUT, .secrets.count = -1}},
    {0, 0, 1, {.kind = EVENT_WORKSPACE_MADE, .workspace.kind = WORKSPACE_KIND_COUNT}},
    {0, 0, 1, {.kind = EVENT_TREE_PROVEN, .tree = {.count = 1, .bytes = 1, .ms = 1}}},
    {0,
     0,
     1,
     {.kind = EVENT_WORKSPACE_SAVED, .tree = {.tree = {1, 1}, .count = 1, .bytes = -1, .ms = 1}}},
    {0,
     0,
     1,
     {.kind = EVENT_WORKSPACE_CHANGED,
      .changes = {.paths = 1, .added = 1, .removed = -1, .ms = 1}}},
    {0, 0, 1, {.kind = EVENT_STEP_ENDED}},
    {0, 0, 1, {.kind = EVENT_UNKNOWN}},
};

START_TEST(test_anything_else_is_ignored)
{
    const size_t before = play.events.count;
    play_input(&play, (struct input){.kind = INPUT_FACT,
                                     .task = ignored[_i].task,
                                     .step = ignored[_i].step,
                                     .attempt = ignored[_i].attempt,
                                     .fact_event = ignored[_i].fact});
    ck_assert_uint_eq(play.events.count, before);
}
END_TEST

START_TEST(test_facts_after_the_end_are_taken)
{
    pass_red();
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "a", 0, play_passed());
    ck_assert(play.state.ended);
    tell(2, 1,
         (struct event){.kind = EVENT_RESULT_KEPT, .kept = {.is_folder = true, .path = "/w/r"}});
    tell_tree(EVENT_TREE_PROVEN, 2, 1, 9);
    ck_assert_str_eq(play.state.tasks[0].place->result, "/w/r");
    ck_assert_int_eq(step_state_trees(&play.state.tasks[0].steps[2])->proven_attempt, 1);
    ck_assert(play.state.ended);
}
END_TEST

START_TEST(test_the_workspace_is_known)
{
    tell(0, 1, made(WORKSPACE_WORKTREE, "/w/a", "devs/41/a"));
    tell(0, 1, (struct event){.kind = EVENT_SANDBOX_LACKS, .lacks.keys = "pids\nnetwork"});
    shown_workspace(&play.state, 0, &text);
    str_add(&text, "; ");
    shown_lacks(&play.state, 0, &text);
    ck_assert_str_eq(str_text(&text), "worktree /w/a; sandbox does not enforce pids, network");
    tell(0, 1, cut(2));
    tell(0, 1, cut(3));
    ck_assert_int_eq(play.state.secrets_cut, 5);
}
END_TEST

START_TEST(test_a_result_replaces_its_workspace)
{
    tell(0, 1, made(WORKSPACE_WORKTREE, "/w/a", "devs/41/a"));
    tell(0, 1, (struct event){.kind = EVENT_RESULT_KEPT, .kept.branch = "devs/41/b"});
    shown_workspace(&play.state, 0, &text);
    ck_assert_str_eq(str_text(&text), "result on branch devs/41/b");
    str_clear(&text);
    tell(0, 1,
         (struct event){.kind = EVENT_RESULT_KEPT, .kept = {.is_folder = true, .path = "/w/r"}});
    shown_workspace(&play.state, 0, &text);
    ck_assert_str_eq(str_text(&text), "result at /w/r");
}
END_TEST

START_TEST(test_a_later_change_makes_a_proof_stale)
{
    pass_red();
    tell_tree(EVENT_WORKSPACE_SAVED, 1, 1, 1);
    play_exit(&play, "a", 0, play_passed());
    tell_tree(EVENT_TREE_PROVEN, 1, 1, 2);
    tell_tree(EVENT_WORKSPACE_SAVED, 2, 1, 2);
    ck_assert_str_eq(strip(), "R+G+V>");
    str_clear(&text);
    shown_proof_words(&play.state, 0, 1, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text), "proven on tree 000000000000 by try 1"));

    play_exit(&play, "a", 1, play_persistent(REASON_COMPILE));
    tell(2, 1, (struct event){.kind = EVENT_WORKSPACE_CHANGED, .changes = {.paths = 1, .ms = 1}});
    ck_assert_str_eq(strip(), "R+G?V>");
    play_wait(&play, 60000);
    tell_tree(EVENT_WORKSPACE_RESET, 2, 2, 2);
    ck_assert_str_eq(strip(), "R+G+V>");

    play_exit(&play, "a", 0, play_passed());
    tell_tree(EVENT_TREE_PROVEN, 2, 2, 3);
    ck_assert_str_eq(strip(), "R+G?V+");
    ck_assert_int_eq((int)shown_proof(&play.state, 0, 1), SHOWN_PROOF_STALE);
    ck_assert_int_eq((int)shown_proof(&play.state, 0, 2), SHOWN_PROOF_HOLDS);
    str_clear(&text);
    shown_stale(&play.state, 0, &text);
    ck_assert_str_eq(str_text(&text), "step 2 GREEN: the tree has changed since");
}
END_TEST

START_TEST(test_a_failure_before_the_work_stays_proven)
{
    tell_tree(EVENT_WORKSPACE_SAVED, 0, 1, 1);
    pass_red();
    tell_tree(EVENT_TREE_PROVEN, 0, 1, 1);
    ck_assert_int_eq((int)shown_proof(&play.state, 0, 1), SHOWN_PROOF_NONE);
    play_exit(&play, "a", 0, play_passed());
    tell_tree(EVENT_TREE_PROVEN, 1, 1, 2);
    ck_assert(run_state_tree_is_stale(&play.state, 0, 0));
    ck_assert_str_eq(strip(), "R+G+V>");
}
END_TEST

START_TEST(test_an_unchanged_tree_leaves_the_proof)
{
    pass_red();
    play_exit(&play, "a", 0, play_passed());
    tell_tree(EVENT_TREE_PROVEN, 1, 1, 1);
    tell(2, 1, (struct event){.kind = EVENT_WORKSPACE_CHANGED, .changes.ms = 1});
    ck_assert_int_eq((int)shown_proof(&play.state, 0, 1), SHOWN_PROOF_HOLDS);
    tell(2, 1,
         (struct event){.kind = EVENT_WORKSPACE_CHANGED, .changes = {.partial = true, .ms = 1}});
    ck_assert_int_eq((int)shown_proof(&play.state, 0, 1), SHOWN_PROOF_STALE);
}
END_TEST

START_TEST(test_facts_survive_a_crash)
{
    tell(0, 1, made(WORKSPACE_COPY, "/w/a", NULL));
    tell_tree(EVENT_WORKSPACE_SAVED, 0, 1, 1);
    play_crash(&play, play.events.count, false);
    ck_assert_str_eq(play.state.tasks[0].place->path, "/w/a");
    ck_assert(digest_is_known(step_state_trees(&play.state.tasks[0].steps[0])->saved));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("place_facts");
    TCase *tcase = test_case(suite, "place_facts");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_a_fact_has_words, 0, TABLE_LEN(said));
    tcase_add_test(tcase, test_a_fact_is_written_as_json);
    tcase_add_test(tcase, test_a_suspended_process_is_a_fact_of_the_run);
    tcase_add_loop_test(tcase, test_anything_else_is_ignored, 0, TABLE_LEN(ignored));
    tcase_add_test(tcase, test_facts_after_the_end_are_taken);
    tcase_add_test(tcase, test_the_workspace_is_known);
    tcase_add_test(tcase, test_a_result_replaces_its_workspace);
    tcase_add_test(tcase, test_a_later_change_makes_a_proof_stale);
    tcase_add_test(tcase, test_a_failure_before_the_work_stays_proven);
    tcase_add_test(tcase, test_an_unchanged_tree_leaves_the_proof);
    tcase_add_test(tcase, test_facts_survive_a_crash);
    return suite;
}
