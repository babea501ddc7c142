#include "forensics.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "contract.h"
#include "frame.h"
#include "golden.h"
#include "json.h"
#include "log_writer.h"
#include "term.h"
#include "test_main.h"
#include "view.h"

/* 2025-11-20 13:50:00 UTC */
#define START_AT_MS INT64_C(1763646600000)

static struct place place;
static struct plan *plan;
static struct run_state state;
static struct log_writer *writer;
static struct log_reader *reader;
static struct forensics forensics;
static struct view view;
static struct view_facts facts;
static struct log_tail tail;
static struct replay replay;
static struct canvas canvas;
static struct moment now;
static int64_t number;

static const char plan_text[] =
    "{\"version\":1,\"name\":\"shop-api\",\"idempotent\":true,\"tasks\":[{\"id\":\"T-104\","
    "\"title\":\"checkout: tax rounding\",\"steps\":[{\"run\":[\"make\",\"test\"]}]},"
    "{\"id\":\"T-105\",\"steps\":[{\"run\":[\"true\"]}]}]}";

static void commit(const struct log_batch *batch)
{
    struct err err = {0};
    ck_assert_msg(log_writer_commit(writer, batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
}

static void fold(struct event event)
{
    struct err err = {0};
    event.seq = state.last_seq + 1;
    event.at = now;
    ck_assert_msg(run_state_apply(&state, &event, &err), "%s", err.message);
    commit(&(struct log_batch){.events = &event, .event_count = 1});
}

static struct event about(enum event_kind kind, int attempt)
{
    struct event event = event_new(kind);
    event.task = event.step = 0;
    event.round = event.grant = 1;
    event.attempt = attempt;
    return event;
}

static void pass_time(int seconds)
{
    now.at_ms += INT64_C(1000) * seconds;
    now.mono_ms += INT64_C(1000) * seconds;
}

static void say(int attempt, int stream, const char *text)
{
    const struct log_output output = {.attempt = attempt,
                                      .stream = stream,
                                      .part = LOG_OUTPUT_HEAD,
                                      .at = now,
                                      .bytes = text,
                                      .len = strlen(text)};
    commit(&(struct log_batch){.outputs = &output, .output_count = 1});
}

static void start(int attempt)
{
    struct event started = about(EVENT_ATTEMPT_STARTED, attempt);
    started.started.call.hi = 1;
    fold(started);
    pass_time(107);
}

static const char output_text[] =
    "make test\nrate of 19 %\nTAP version 13\nok 1 - adds\nok 2 - zero rate is zero\n"
    "not ok 3 - rounds half to even\n  # expected 19.99, got 20.00\n  # at tests/tax.c:88\n"
    "ok 4 - many lines\n# tests 14\n# pass 13\n# fail 1\n";

/* The attempt fails like a test. */
static void fail_try(int attempt)
{
    say(attempt, 1, output_text);
    say(attempt, 2, "make: \x1b[31m*** [test] Error 1\x1b[0m\n");
    struct event ended = about(EVENT_ATTEMPT_ENDED, attempt);
    ended.ended.outcome = (struct outcome){
        .code = 1,
        .ran_ms = 107000,
        .bytes = {(int64_t)sizeof(output_text) - 1, 26},
        .lines = {12, 1},
        .rss_kib_max = 31000,
        .cpu_ms = 22000,
    };
    ended.ended.fingerprint = (struct digest){.hi = UINT64_C(0x7c1e) << 48, .lo = 1};
    fold(ended);
    struct event judged = about(EVENT_ATTEMPT_JUDGED, attempt);
    judged.judged.label.class = VERDICT_PERSISTENT;
    judged.judged.label.reason = REASON_TEST_FAIL;
    judged.judged.rule = "test.tap";
    judged.judged.subtype = "TEST_FAILURE";
    judged.judged.stream = VERDICT_STREAM_OUT;
    judged.judged.offset = 75;
    judged.judged.line = 6;
    judged.judged.match = "not ok 3 - rounds half to even";
    judged.judged.near_count = 1;
    judged.judged.near[0] = (struct verdict_near_record){
        .rule = "b1.http-429", .why = NEAR_PATTERN, .stream = VERDICT_STREAM_OUT, .offset = 10};
    fold(judged);
}

static void wait_for_next(int seconds)
{
    const struct attempt_state *last = step_state_attempt(&state.tasks[0].steps[0]);
    struct event waits = about(EVENT_WAIT_STARTED, last->number);
    waits.wait.delay.delay_ms = waits.wait.delay.exact_ms = seconds * 1000;
    waits.wait.due.at_ms = now.at_ms + seconds * 1000;
    waits.wait.due.mono_ms = now.mono_ms + seconds * 1000;
    fold(waits);
    pass_time(seconds);
    struct event ended = about(EVENT_WAIT_ENDED, waits.attempt);
    fold(ended);
}

static const char capture_text[] =
    "{\"v\":1,\"part\":1,\"task\":\"T-104\",\"step\":1,\"attempt\":3,\"argv\":[\"make\",\"test\"],"
    "\"cwd\":\"/home/ann/shop\",\"env\":[\"HOME\",\"PATH\",\"API_KEY\"],\"env_cut\":[\"API_KEY\"],"
    "\"policy\":{\"name\":\"patient\",\"hash\":\"41d0aaaa\"},\"rules\":\"9be1bbbb\","
    "\"sandbox\":{\"kind\":\"bwrap\",\"memory_mb\":512},"
    "\"tree\":{\"kind\":\"worktree\",\"dir\":\"/home/ann/shop/.devs/work/x\",\"commit\":"
    "\"9be1000000000000000000000000000000000000\",\"branch\":\"devs/41/T-104\",\"before\":"
    "\"00000000000000010000000000000002\"},"
    "\"end\":{\"how\":\"exit 1\",\"sender\":\"itself\",\"sender_why\":\"it exited on its own\"},"
    "\"oom\":{\"killed\":\"no\",\"evidence\":\"memory.events says 0\"},\"clock_step_ms\":0,"
    "\"tests\":{\"form\":\"tap\",\"passed\":13,\"failed\":1,\"total\":14,\"stream\":\"stdout\","
    "\"line\":\"# fail 1\"},\"ran\":1,\"ran_processes\":[{\"pid\":48213,\"parent\":1,\"name\":"
    "\"tax\\u001b[31m\",\"state\":\"S\"}],\"left\":0,\"left_processes\":[],\"load\":[1.2,0.9,0.5],"
    "\"memory_available_kib\":9223372036854775807,\"disk_free_kib\":40000000,\"network\":{"
    "\"interfaces\":"
    "[{\"name\":\"eth0\",\"state\":\"up\"}],\"up\":true},\"versions\":{\"devs\":\"0.1.0\","
    "\"kernel\":\"6.1\",\"machine\":\"x86_64\"},\"took_us\":1234,"
    "\"missing\":{\"log_disk_free\":\"the log's folder is not known\"}}";

static const char changes_text[] =
    "{\"v\":1,\"part\":2,\"kind\":\"diff\",\"took_ms\":12,\"changed\":2,\"added\":1,\"removed\":1,"
    "\"paths\":[[\"M\",\"src/tax.c\",1,1],[\"A\",\"no\\u202etxt\\u001b[2J\"]],\"diff\":"
    "\"--- a/src/tax.c\\n+++ b/src/tax.c\\n@@ -88 +88 @@\\n-  return half_up(x);\\n"
    "+  return half_even(x);\\n\"}";

static void capture(int attempt)
{
    const struct log_capture captures[] = {{.attempt = attempt, .at = now, .json = capture_text},
                                           {.attempt = attempt, .at = now, .json = changes_text}};
    commit(&(struct log_batch){.captures = captures, .capture_count = 2});
}

static void end_step(int attempt)
{
    struct event cut = about(EVENT_SECRETS_CUT, attempt);
    cut.secrets.count = 2;
    cut.secrets.names = "2 API_KEY";
    fold(cut);
    capture(attempt);
    struct event ended = about(EVENT_STEP_ENDED, attempt);
    ended.step_ended.decision = DECISION_RETRY_EXHAUSTED;
    ended.step_ended.attempts = attempt;
    ended.step_ended.entropy = true;
    ended.step_ended.capture = true;
    fold(ended);
}

static void open_log(void)
{
    char path[PATH_MAX];
    struct err err = {0};
    const struct log_run run = {.name = "shop-api",
                                .kind = "plan",
                                .plan_text = plan_text,
                                .dir = "/",
                                .command = "devs run",
                                .rules_hash = "abc",
                                .rules_text = "{}",
                                .jobs = 1,
                                .tasks = 2,
                                .now = now};
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    ck_assert_msg(place_find(path, true, &place, &err), "%s", err.message);
    ck_assert_msg(log_writer_open(&writer, &place, &err), "%s", err.message);
    ck_assert_msg(log_writer_begin(writer, &run, &state, &number, &err), "%s", err.message);
    ck_assert_msg(log_reader_open(&reader, &place, &err), "%s", err.message);
}

/* Two tries that failed and were tried again, and a third that ended the step. */
static void set_up(void)
{
    struct violations violations = {0};
    setenv("TZ", "UTC", 1);
    tzset();
    now = (struct moment){START_AT_MS, 1000};
    ck_assert(plan_parse(plan_text, strlen(plan_text), &plan, &violations));
    run_state_init(&state, plan, 7);
    open_log();
    struct event begun = event_new(EVENT_RUN_STARTED);
    begun.run_started.jobs = 1;
    fold(begun);
    for (int attempt = 1; attempt <= 3; attempt++) {
        start(attempt);
        fail_try(attempt);
        if (attempt < 3)
            wait_for_next(20);
    }
    end_step(3);
    view_init(&view, plan->task_count);
    view.chosen = 0;
    facts = (struct view_facts){
        .state = &state, .log = &tail, .forensics = &forensics, .now = now, .clock = now};
}

static void tear_down(void)
{
    forensics_done(&forensics);
    view_done(&view);
    canvas_done(&canvas);
    log_reader_close(reader);
    log_writer_close(writer);
    run_state_done(&state);
    plan_free(plan);
}

static void read_try(int attempt)
{
    struct err err = {0};
    const struct log_output_key key = {.run = number, .attempt = attempt};
    ck_assert_msg(forensics_read(&forensics, &state, &key, reader, &err), "%s", err.message);
}

/* Draws as the app does. */
static void draw(int rows, int columns, bool ascii)
{
    facts.replay = facts.mode == VIEW_REPLAY ? &replay : NULL;
    const struct frame_input input = {
        .facts = &facts, .view = &view, .name = "shop-api", .number = 41};
    canvas_done(&canvas);
    canvas_init(&canvas, rows, columns, ascii);
    view_arrange(&view, &facts);
    const struct view_try at = view_try_now(&view, &state);
    const struct log_output_key key = {
        .run = number, .task = at.task, .step = at.step, .attempt = at.attempt};
    ck_assert(forensics_read(&forensics, &state, &key, reader, NULL));
    view_forensics_fit(&view, frame_forensics_room(rows, columns, &input));
    frame_draw(&canvas, &input);
}

static struct view_todo press(uint32_t key)
{
    return view_key(&view, key, &facts);
}

static bool holds(const struct str *text, const char *wanted)
{
    bool found = strstr(str_text(text), wanted) != NULL;
    if (!found)
        printf("no \"%s\" in:\n%s", wanted, str_text(text));
    return found;
}

static bool shows(const char *wanted)
{
    struct str out = {0};
    canvas_to_text(&canvas, &out);
    bool found = holds(&out, wanted);
    str_done(&out);
    return found;
}

static const char *const told[] = {
    "exit 1  test-fail  13:56:01  ran 1:47  2 captures, 1.3 kB, 2 secrets cut",
    "2 secrets cut before anything was written: API_KEY 2 times",
    "why         rule test.tap at out:6: \"not ok 3 - rounds half to even\"",
    "near        b1.http-429: its keyword is present, its pattern does not match",
    "  > not ok 3 - rounds half to even",
    "    # expected 19.99, got 20.00",
    "same        also in try 1, 2; no other task",
    "ended by    itself (it exited on its own)",
    "used        cpu 22 s",
    "memory      30 MiB",
    "oom killed  no (memory.events says 0)",
    "clock step  none",
    "  make test",
    "of these, secrets",
    "policy      patient (sha 41d0aaaa)",
    "sandbox     bwrap, memory_mb 512",
    "workspace   worktree, /home/ann/shop/.devs/work/x",
    "commit      9be1000000000000000000000000000000000000 on devs/41/T-104",
    "changed     2 paths, +1 -1 lines",
    "M  src/tax.c   +1 -1",
    "+  return half_even(x);",
    "13:56:01  ok 4 - many lines",
    "13:56:01  make: *** [test] Error 1",
    "tests       1 failed, 13 passed, 14 total",
    "48213    tax",
    "- log's disk  the log's folder is not known",
    "network     up (eth0 up)",
    "captured in 1.2 ms",
    "memory free 9223 PB", /* a file may contain any number */
};

START_TEST(test_all_that_was_captured_is_told)
{
    struct str text = {0};
    read_try(3);
    forensics_to_text(&forensics, &text);
    for (size_t i = 0; i < ARRAY_LEN(told); i++)
        ck_assert(holds(&text, told[i]));
    str_done(&text);
}
END_TEST

START_TEST(test_nothing_of_strangers_reaches_the_terminal)
{
    struct str text = {0};
    read_try(3);
    forensics_to_text(&forensics, &text);
    ck_assert_ptr_null(strchr(text.data, '\x1b'));
    ck_assert_ptr_null(strstr(text.data, "\xe2\x80\xae")); /* right-to-left override */
    str_done(&text);
}
END_TEST

START_TEST(test_a_try_that_did_not_end_its_step_says_so)
{
    struct str text = {0};
    read_try(2);
    ck_assert_str_eq(forensics.nothing.data,
                     "Try 2 did not end its step: nothing was captured; see the log for the rest.");
    forensics_to_text(&forensics, &text);
    ck_assert(holds(&text, "why         rule test.tap"));
    ck_assert(holds(&text, "- environment not captured"));
    ck_assert(!forensics.sections[FORENSICS_TREE].there);
    ck_assert(forensics.sections[FORENSICS_OUT].there);
    str_done(&text);
}
END_TEST

START_TEST(test_what_a_try_changed_is_told_without_a_capture)
{
    const struct log_capture changes = {.attempt = 2, .at = now, .json = changes_text};
    struct event changed = about(EVENT_WORKSPACE_CHANGED, 2);
    changed.changes.paths = 2;
    commit(&(struct log_batch){.captures = &changes, .capture_count = 1});
    fold(changed);
    read_try(2);
    ck_assert_str_eq(forensics.nothing.data, "Try 2 did not end its step: only its diff was "
                                             "captured; see the log for the rest.");
    ck_assert(forensics.sections[FORENSICS_DIFF].there);
    ck_assert(!forensics.sections[FORENSICS_TREE].there);
}
END_TEST

START_TEST(test_what_is_damaged_is_as_if_it_were_not_there)
{
    const struct log_capture broken = {.attempt = 3, .at = now, .json = "{\"v\":1,\"part\":1,"};
    commit(&(struct log_batch){.captures = &broken, .capture_count = 1});
    read_try(3);
    ck_assert_str_eq(forensics.nothing.data, "The log has no capture of try 3.");
}
END_TEST

START_TEST(test_a_try_that_runs_has_none_yet)
{
    struct event reopened = about(EVENT_STEP_REOPENED, 0);
    reopened.reopened.grant = 2;
    reopened.reopened.allowed = 3;
    reopened.grant = 2;
    reopened.by = "ann";
    fold(reopened);
    struct event started = about(EVENT_ATTEMPT_STARTED, 4);
    started.grant = 2;
    started.started.call.hi = 1;
    fold(started);
    (void)press('i');
    ck_assert_int_eq(view_try_now(&view, &state).attempt, 4);
    draw(24, 80, false);
    ck_assert(shows("Try 4 is still running. It is captured when it ends. [ shows try 3."));
    (void)press('[');
    draw(24, 80, false);
    ck_assert(shows("T-104 > try 3 > forensics"));
    ck_assert(shows("test-fail (persistent, TEST_FAILURE)"));
}
END_TEST

START_TEST(test_nothing_tried_yet)
{
    view.chosen = 1;
    (void)press('i');
    ck_assert_int_eq(view_screen(&view), SCREEN_FORENSICS);
    draw(24, 80, false);
    ck_assert(shows("No tries yet: nothing captured."));
    draw(3, 30, false);
    (void)press('q');
    ck_assert_int_ne(view_screen(&view), SCREEN_FORENSICS);
}
END_TEST

/* In a replay, later events are not known. */
START_TEST(test_what_came_later_is_not_told_in_a_replay)
{
    struct run_state then;
    struct event_page page = {0};
    run_state_init(&then, plan, 7);
    ck_assert(log_reader_events(reader, number, 0, &page, NULL));
    for (size_t i = 0; i + 1 < page.count; i++) /* everything except the end of the step */
        ck_assert(run_state_apply(&then, &page.events[i], NULL));
    const struct log_output_key key = {.run = number, .attempt = 3};
    ck_assert(forensics_read(&forensics, &then, &key, reader, NULL));
    ck_assert(!forensics.sections[FORENSICS_TREE].there);
    ck_assert_uint_gt(forensics.nothing.len, 0);
    event_page_done(&page);
    run_state_done(&then);
}
END_TEST

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
    const char *keys;
} frames[] = {
    {"forensics-80x24", 24, 80, false, "i"},
    {"forensics-80x24-ascii", 24, 80, true, "i"},
    {"forensics-140x40", 40, 140, false, "i"},
    {"forensics-140x40-ascii", 40, 140, true, "i"},
    {"forensics-40x12", 12, 40, false, "i"},
    {"forensics-40x12-ascii", 12, 40, true, "i"},
    {"forensics-40x12-text", 12, 40, false, "i\t"},
    {"forensics-20x4", 4, 20, false, "i\t"},
    {"forensics-diff-80x24", 24, 80, false, "ijjjj"},
    {"forensics-command-140x40", 40, 140, false, "4jj\t"},
    {"forensics-try-before-80x24", 24, 80, false, "i["},
};

START_TEST(test_golden)
{
    for (const char *key = frames[_i].keys; *key; key++)
        (void)press(*key == '\t' ? TERM_KEY_TAB : (uint32_t)*key);
    draw(frames[_i].rows, frames[_i].columns, frames[_i].ascii);
    golden_check(&canvas, frames[_i].name);
}
END_TEST

START_TEST(test_keys_choose_and_scroll)
{
    (void)press('i');
    ck_assert_int_eq(view_try_now(&view, &state).attempt, 3);
    draw(12, 80, false);
    (void)press('j');
    ck_assert_int_eq(view.forensics.section, FORENSICS_END);
    (void)press('k');
    (void)press('k');
    ck_assert_int_eq(view.forensics.section, FORENSICS_VERDICT);
    (void)press('G');
    ck_assert_int_eq(view.forensics.section, FORENSICS_SECTION_COUNT - 1);
    (void)press('g');
    (void)press(TERM_KEY_TAB);
    draw(12, 80, false);
    (void)press('j');
    ck_assert_uint_eq(view.forensics.top, 1);
    ck_assert_int_eq(view.forensics.section, FORENSICS_VERDICT);
    (void)press('G');
    draw(12, 80, false);
    ck_assert(shows("# at tests/tax.c:88"));
    (void)press('j');
    ck_assert_uint_eq(view.forensics.top, view.forensics.room.last);
    (void)press('g');
    ck_assert_uint_eq(view.forensics.top, 0);
}
END_TEST

/* Adds a line that takes more rows than a small screen has. */
static void say_a_long_line(struct str *line)
{
    for (int i = 0; i < 400; i++)
        str_addf(line, "word%d ", i);
    str_add(line, "the-end");
    struct log_output output = {.attempt = 3,
                                .stream = 2,
                                .part = LOG_OUTPUT_HEAD,
                                .offset = 1000,
                                .at = now,
                                .bytes = line->data,
                                .len = line->len};
    commit(&(struct log_batch){.outputs = &output, .output_count = 1});
}

START_TEST(test_a_long_line_is_seen_to_its_end)
{
    struct str line = {0};
    struct str text = {0};
    say_a_long_line(&line);
    (void)press('i');
    view.forensics.section = FORENSICS_ERR;
    (void)press(TERM_KEY_TAB);
    draw(12, 40, false);
    ck_assert(shows("word0 "));
    (void)press('G');
    draw(12, 40, false);
    ck_assert(shows("the-end"));
    forensics_to_text(&forensics, &text);
    ck_assert_msg(holds(&text, line.data), "a pipe has it in one piece");
    str_done(&text);
    str_done(&line);
}
END_TEST

START_TEST(test_what_cannot_be_read_does_not_show_another_try)
{
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(place.db, &db), SQLITE_OK);
    (void)press('i');
    draw(24, 80, false);
    ck_assert(shows("not ok 3"));
    ck_assert_int_eq(sqlite3_exec(db, "DROP TABLE output", NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);

    struct err err = {0};
    const struct log_output_key key = {.run = number, .attempt = 2};
    ck_assert(!forensics_read(&forensics, &state, &key, reader, &err));
    ck_assert(err.code != ERR_NONE);
    ck_assert_int_eq(forensics.key.attempt, 0);
    ck_assert(strstr(forensics.nothing.data, "Cannot read the captures: "));
    ck_assert_uint_eq(forensics.count, 0);
}
END_TEST

START_TEST(test_tries_are_walked_in_live_and_replay_alike)
{
    static const enum view_mode modes[] = {VIEW_LIVE, VIEW_REPLAY};
    facts.mode = modes[_i];
    (void)press('i');
    ck_assert_int_eq(press('[').kind, VIEW_DRAW);
    ck_assert_int_eq(view_try_now(&view, &state).attempt, 2);
    (void)press('[');
    (void)press('[');
    ck_assert_int_eq(view_try_now(&view, &state).attempt, 1);
    ck_assert_str_eq(view.message, "the task has no earlier try");
    (void)press(']');
    ck_assert_int_eq(view_try_now(&view, &state).attempt, 2);
}
END_TEST

START_TEST(test_other_keys_mean_what_they_mean_elsewhere)
{
    (void)press('i');
    (void)press('/');
    ck_assert(!view.filter.open);
    ck_assert_str_eq(view.message, "works only in the task list: q goes back to it");
    ck_assert_int_eq(press('r').kind, VIEW_ASK);
    (void)press('?');
    ck_assert(view.help.open);
    (void)press(TERM_KEY_ESC);
    ck_assert_int_eq(view_screen(&view), SCREEN_FORENSICS);
    (void)press(TERM_KEY_ESC);
    ck_assert_int_ne(view_screen(&view), SCREEN_FORENSICS);
}
END_TEST

START_TEST(test_every_size_is_drawn)
{
    (void)press('i');
    for (int rows = 1; rows <= 30; rows++) {
        for (int columns = 1; columns <= 130; columns += 3) {
            view.forensics.section = (enum forensics_section)(rows % FORENSICS_SECTION_COUNT);
            view.forensics.right = columns % 2 == 0;
            draw(rows, columns, columns % 4 == 0);
        }
    }
    ck_assert(shows("forensics"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("forensics");
    TCase *words = test_case(suite, "words");
    tcase_add_checked_fixture(words, set_up, tear_down);
    tcase_add_test(words, test_all_that_was_captured_is_told);
    tcase_add_test(words, test_nothing_of_strangers_reaches_the_terminal);
    tcase_add_test(words, test_a_try_that_did_not_end_its_step_says_so);
    tcase_add_test(words, test_what_a_try_changed_is_told_without_a_capture);
    tcase_add_test(words, test_what_is_damaged_is_as_if_it_were_not_there);
    tcase_add_test(words, test_what_came_later_is_not_told_in_a_replay);
    TCase *screen = test_case(suite, "screen");
    tcase_add_checked_fixture(screen, set_up, tear_down);
    tcase_add_test(screen, test_a_try_that_runs_has_none_yet);
    tcase_add_test(screen, test_nothing_tried_yet);
    tcase_add_loop_test(screen, test_golden, 0, TABLE_LEN(frames));
    tcase_add_test(screen, test_keys_choose_and_scroll);
    tcase_add_test(screen, test_a_long_line_is_seen_to_its_end);
    tcase_add_test(screen, test_what_cannot_be_read_does_not_show_another_try);
    tcase_add_loop_test(screen, test_tries_are_walked_in_live_and_replay_alike, 0, 2);
    tcase_add_test(screen, test_other_keys_mean_what_they_mean_elsewhere);
    tcase_add_test(screen, test_every_size_is_drawn);
    return suite;
}
