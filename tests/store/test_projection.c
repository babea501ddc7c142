/* The tables beside a run's events agree with a fold of the events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "golden_log.h"
#include "log_reader.h"
#include "log_rebuild.h"
#include "log_try.h"
#include "log_write.h"
#include "must.h"
#include "retry_log.h"
#include "shop_log.h"
#include "test_main.h"
#include "xalloc.h"

enum { TASKS = 60, MANY_TASKS = 6000, ROOM_STEPS = 6, ROOM_STEP_BYTES = 80 * 1024 };

static const char last_seq[] = "SELECT last_seq FROM run";

static struct sample sample;

static void teardown(void)
{
    sample_done(&sample);
}

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, TASKS);
}

/* All rows of a table as text, one line each. */
static void dump(const char *sql, struct str *out)
{
    struct db db;
    sqlite3_stmt *statement = NULL;
    bool row = true;
    must(db_init(&db, sample.place.db, DB_READ, &err));
    must(db_prepare(&db, &sql, 1, &statement, &err));
    while (db_next(&db, statement, &row, NULL) && row) {
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);
            str_addf(out, "%s=%s ", sqlite3_column_name(statement, i), text ? text : "NULL");
        }
        str_add_char(out, '\n');
    }
    db_finalize(&statement, 1);
    db_done(&db);
}

static void dump_all(struct str *out)
{
    dump("SELECT * FROM task ORDER BY run, task", out);
    dump("SELECT * FROM attempt ORDER BY run, task, step, attempt", out);
    dump("SELECT * FROM run ORDER BY id", out);
}

/* The rows that were written step by step equal those of a fold from the start. */
static void assert_rebuilds(void)
{
    sample_close_log(&sample);
    struct str written = {0};
    struct str rebuilt = {0};
    dump_all(&written);
    must(log_rebuild(&sample.place, sample.number, &err));
    dump_all(&rebuilt);
    ck_assert_str_eq(str_text(&written), str_text(&rebuilt));
    ck_assert_ptr_nonnull(strstr(written.data, "id=t59"));
    str_done(&written);
    str_done(&rebuilt);
}

START_TEST(test_a_whole_run)
{
    sample_start(&sample);
    sample_drive(&sample);
    ck_assert(sample.state.ended);
    assert_rebuilds();
}
END_TEST

START_TEST(test_a_running_run)
{
    sample_start(&sample);
    for (int i = 0; i < 1 + _i * 7; i++)
        ck_assert(sample_advance(&sample));
    assert_rebuilds();
}
END_TEST

START_TEST(test_before_its_first_event)
{
    assert_rebuilds();
}
END_TEST

static struct control act(enum control_verb verb, int task)
{
    struct control control = {.verb = verb, .mode = CANCEL_TERM, .task = task, .step = -1};
    (void)snprintf(control.by, sizeof(control.by), "ann");
    return control;
}

START_TEST(test_acts_that_change_other_tasks)
{
    sample_start(&sample);
    sample_control(&sample, act(CONTROL_HOLD, 3));
    for (int i = 0; i < 30; i++)
        ck_assert(sample_advance(&sample));
    sample_control(&sample, act(CONTROL_RELEASE, 3));
    sample_control(&sample, act(CONTROL_CANCEL, 5));  /* t6 needs it */
    sample_control(&sample, act(CONTROL_CANCEL, 19)); /* t20 */
    sample_control(&sample, act(CONTROL_RETRY, 19));
    sample_drive(&sample);
    sample_control(&sample, act(CONTROL_RETRY, 5));
    sample_control(&sample, act(CONTROL_CANCEL, -1));
    sample_drive(&sample);
    assert_rebuilds();
}
END_TEST

START_TEST(test_a_run_with_an_owner_is_left_alone)
{
    sample_start(&sample);
    must_fail(log_rebuild(&sample.place, sample.number, &err), ERR_BUSY);
    must_fail(log_rebuild(&sample.place, 99, &err), ERR_NOT_FOUND);
}
END_TEST

/* A rebuild repairs rows that were changed. */
START_TEST(test_a_rebuild_mends)
{
    sample_start(&sample);
    sample_drive(&sample);
    sample_close_log(&sample);
    struct str before = {0};
    struct str after = {0};
    dump_all(&before);
    log_change(&sample.place,
               "UPDATE task SET status=1; DELETE FROM attempt WHERE task%2;"
               "INSERT INTO task SELECT run, 1000, 'x', 'x', status, step, try, tries,"
               " entropy, held, cancelling, by, blocked_by, due_at_ms, started_at_ms,"
               " waited_ms FROM task WHERE task=0; UPDATE run SET passed=0");
    must(log_rebuild(&sample.place, sample.number, &err));
    dump_all(&after);
    ck_assert_str_eq(before.data, after.data);
    str_done(&before);
    str_done(&after);
}
END_TEST

/* Overviews: the tables say the same of a run as a fold of its events. */

enum { OVERVIEW_TASKS = 30, APART = 5 };

static void setup_overview(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, OVERVIEW_TASKS);
}

static void add_row(const struct overview_row *row, struct str *out)
{
    const struct failure_class *class = &row->class;
    str_addf(out, " %d %d%d%d due %lld '%s' by '%s' %d/%d %lld-%lld %d %d %d %d %d %d\n", row->task,
             (int)row->status, row->held, row->quiet, (long long)row->due_at_ms, row->id, row->by,
             row->tried, row->tries, (long long)row->started_at_ms, (long long)row->ended_at_ms,
             (int)class->label.class, (int)class->label.type, (int)class->label.reason,
             (int)class->kind, class->code, class->is_silent);
}

/* Everything in it. */
static void add_overview(const struct overview *tasks, struct str *out)
{
    str_addf(out, "%d tasks, due %lld:", tasks->tasks, (long long)tasks->due_at_ms);
    for (int i = 0; i < SHOWN_COUNT; i++)
        str_addf(out, " %d", tasks->counts[i]);
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        str_addf(out, "\nkind %d, %d of %d:\n", kind, tasks->row_counts[kind],
                 overview_count(tasks, (enum overview_kind)kind));
        for (int i = 0; i < tasks->row_counts[kind]; i++)
            add_row(&tasks->rows[kind][i], out);
    }
}

static struct log_overview look(const struct place *place, int64_t run)
{
    struct log_reader *reader = log_reader_of(place);
    struct log_overview out;
    must(log_reader_overview(reader, run, &out, &err));
    log_reader_close(reader);
    log_run_info_done(&out.run);
    return out;
}

static bool is_known(const struct place *place, int64_t run)
{
    return look(place, run).is_known;
}

/* The tables know the run, and say what a fold says. */
static void check_overview(const struct place *place, int64_t run)
{
    const struct log_overview said = look(place, run);
    struct follower *follower = log_follow(place, run);
    struct overview folded;
    struct str is = {0};
    struct str want = {0};
    ck_assert(said.is_known);
    ck_assert_int_eq(said.orphaned, follower_is_orphaned(follower));
    overview_of_state(&folded, follower_state(follower), said.orphaned);
    add_overview(&said.tasks, &is);
    add_overview(&folded, &want);
    ck_assert_str_eq(str_text(&is), str_text(&want));
    str_done(&is);
    str_done(&want);
    follower_close(follower);
}

START_TEST(test_overviews_of_golden_runs)
{
    const struct place place = golden_log_place(golden_log_name(_i));
    ck_assert(!is_known(&place, 1)); /* golden runs are stored without these tables */
    must(log_rebuild(&place, 1, &err));
    check_overview(&place, 1);
}
END_TEST

/* Every state of a task, in runs that go on and that are over. */
START_TEST(test_overviews_of_the_shops_runs)
{
    const struct place place = sample_place();
    must(shop_log_write(&place, &err));
    for (int run = 1; run <= 3; run++)
        check_overview(&place, run);
    check_overview(&place, 0); /* nobody owns it: tasks behind its gates do not count as waiting */
    ck_assert(look(&place, 0).orphaned);
}
END_TEST

static int counted(enum shown shown)
{
    return look(&sample.place, 0).tasks.counts[shown];
}

START_TEST(test_overview_at_each_moment_of_a_run)
{
    int held = 0;
    int waits = 0;
    sample_start(&sample);
    sample_control(&sample, (struct control){.verb = CONTROL_HOLD, .task = 3, .by = "ann"});
    for (int i = 0; !sample.state.ended && i < 1000; i++) {
        if (i % APART == 0) {
            check_overview(&sample.place, 0);
            held += counted(SHOWN_HELD);
            waits += counted(SHOWN_BACKOFF);
        }
        if (!sample_advance(&sample))
            sample_control(&sample,
                           (struct control){.verb = CONTROL_RELEASE, .task = 3, .by = "ann"});
    }
    ck_assert_int_gt(held, 0);
    ck_assert_int_gt(waits, 0);
    ck_assert(sample.state.ended);
    check_overview(&sample.place, sample.number);
    ck_assert_int_gt(counted(SHOWN_PASSED), 0);
    ck_assert_int_gt(counted(SHOWN_GAVE_UP), 0);
}
END_TEST

static struct input input_for(enum input_kind kind)
{
    const struct sample_live *live = &sample.live[0];
    return (struct input){.kind = kind,
                          .task = live->task,
                          .step = live->step,
                          .attempt = live->attempt,
                          .pid = 7,
                          .quiet_ms = 90000};
}

START_TEST(test_a_quiet_task_is_counted)
{
    sample_start(&sample);
    ck_assert_uint_gt(sample.live_count, 1);
    sample_step(&sample, input_for(INPUT_RUNNING));
    sample_step(&sample, input_for(INPUT_QUIET));
    check_overview(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_QUIET), 1);
    sample_step(&sample, input_for(INPUT_HEARD));
    check_overview(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_QUIET), 0);
    sample_step(&sample, input_for(INPUT_QUIET));
    sample_close_log(&sample);
    check_overview(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_QUIET), 0);
    ck_assert_int_eq(counted(SHOWN_LOST), (int)sample.live_count);
}
END_TEST

/* A cancelled task that is silent is not counted as a running one. */
START_TEST(test_a_task_that_is_stopping_is_not_quiet)
{
    sample_start(&sample);
    const int running = (int)sample.live_count;
    struct input cancel = input_for(INPUT_CONTROL);
    cancel.control = (struct control){
        .verb = CONTROL_CANCEL, .task = sample.live[0].task, .step = -1, .by = "ann"};
    sample_step(&sample, input_for(INPUT_RUNNING));
    sample_step(&sample, cancel);
    sample_step(&sample, input_for(INPUT_QUIET));
    check_overview(&sample.place, 0);
    ck_assert_int_eq(counted(SHOWN_STOPPING), 1);
    ck_assert_int_eq(counted(SHOWN_QUIET), 0);
    ck_assert_int_eq(counted(SHOWN_RUNNING), running - 1);
}
END_TEST

START_TEST(test_a_killed_owner_and_its_heir)
{
    struct run_state state;
    struct log_estate estate = {0};
    struct log_heir heir = {.state = &state};
    sample_start(&sample);
    for (int i = 0; i < OVERVIEW_TASKS / 2; i++)
        ck_assert(sample_advance(&sample));
    sample_close_log(&sample);
    check_overview(&sample.place, 0);
    ck_assert(look(&sample.place, 0).orphaned);
    run_state_init(&state, sample.plan, sample.state.seed);
    must(log_writer_open(&sample.writer, &sample.place, &err));
    must(log_writer_continue(sample.writer, sample.number, &heir, &estate, &err));
    check_overview(&sample.place, 0);
    ck_assert(!look(&sample.place, 0).orphaned);
    sample_close_log(&sample); /* the writer borrows the state */
    str_done(&estate.rules);
    run_state_done(&state);
}
END_TEST

START_TEST(test_overview_of_a_run_that_grows)
{
    struct place place = sample_place();
    sample_done(&sample);
    sample_open(&sample, &place, 0);
    sample_start(&sample);
    check_overview(&place, 0);
    sample_add(&sample, 12);
    check_overview(&place, 0);
    sample_drive(&sample);
    sample_add(&sample, 5);
    check_overview(&place, 0);
    ck_assert_int_eq(look(&place, 0).tasks.tasks, 17);
}
END_TEST

START_TEST(test_overview_of_a_bundle)
{
    char file[PATH_MAX];
    struct bundle *bundle = NULL;
    sample_start(&sample);
    sample_drive(&sample);
    sample_close_log(&sample);
    (void)snprintf(file, sizeof(file), "%s/run.devs", test_tmpdir());
    const struct bundle_asked asked = {.place = &sample.place, .run = sample.number, .file = file};
    must(bundle_open(&bundle, &asked, &err));
    check_overview(bundle_place(bundle), 0);
    bundle_close(bundle);
}
END_TEST

/* The disk is full somewhere within a batch of several transactions, and has room again later.
 * Where events of the batch are in the log, the rows beside them are not, and nothing is said. */
START_TEST(test_a_write_that_fails_leaves_no_row_behind)
{
    struct place place = sample_place();
    sample_open(&sample, &place, MANY_TASKS);
    sample_start(&sample);
    struct log_writer *writer = sample.writer;
    sample.writer = NULL;
    sample_control(&sample, act(CONTROL_CANCEL, -1));
    sample.writer = writer;

    const struct log_batch batch = {.events = sample.turn.events.items,
                                    .event_count = sample.turn.events.count};
    const int64_t before = log_number(&place, last_seq);
    sample_limit_wal(&sample, (int64_t)_i * ROOM_STEP_BYTES);
    const bool ok = log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, NULL);
    sample_limit_wal(&sample, -1);
    ck_assert_msg(!ok, "there was room for all of it");
    const bool begun = log_number(&place, last_seq) > before;
    ck_assert(begun || _i < ROOM_STEPS - 1);
    ck_assert(is_known(&place, 0) != begun);
    log_commit(writer, &batch);
    ck_assert_int_eq(log_writer_committed_seq(writer), sample.state.last_seq);
    check_overview(&place, 0);
    assert_rebuilds();
}
END_TEST

/* Tables that are not of the last event, or are invalid, are not used. */
START_TEST(test_invalid_or_outdated_tables_are_not_used)
{
    static const char *const changes[] = {
        "UPDATE run SET last_seq=last_seq+1",
        "DELETE FROM task WHERE task=5",
        "UPDATE task SET task=1000 WHERE task=5",
        "UPDATE task SET status=99 WHERE task=5",
        "UPDATE task SET held=7 WHERE task=5",
        "UPDATE plan SET text=replace(text, '\"version\"', '\"best_effort\":true,\"version\"')",
        "UPDATE attempt SET class=44, ended_at_ms=1 WHERE task=4",
        "PRAGMA user_version=7",
    };
    sample_start(&sample);
    sample_drive(&sample);
    sample_close_log(&sample);
    ck_assert_int_lt(_i, TABLE_LEN(changes));
    check_overview(&sample.place, 0);
    log_change(&sample.place, changes[_i]);
    ck_assert_msg(!is_known(&sample.place, 0), "%s", changes[_i]);
}
END_TEST

/* Does retrying help: the projection and a few events give the counts of a full fold. */

enum { RETRY_TASKS = 400, ACT_EACH = 7 };

static uint64_t chance = 88172645463325252U;

/* Pseudo-random numbers, the same ones each time. */
static int below(int limit)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (int)(chance % (uint64_t)limit);
}

static void setup_retries(void)
{
    const struct place place = sample_place();
    sample_open(&sample, &place, RETRY_TASKS);
    sample_start(&sample);
}

/* An end of any kind: a third of the attempts pass, the others fail in various ways. */
static struct input an_end(const struct sample_live *live)
{
    struct input input = {.kind = INPUT_ENDED,
                          .task = live->task,
                          .step = live->step,
                          .attempt = live->attempt,
                          .outcome = {.kind = OUTCOME_EXIT, .ran_ms = 10 + below(5000)},
                          .verdict = verdict_new(),
                          .fingerprint = {.hi = 1, .lo = (uint64_t)below(3) + 1}};
    const int way = below(9);
    if (way < 3)
        return input;
    input.verdict.class = VERDICT_PERSISTENT;
    input.outcome.code = way;
    if (way == 3)
        input.verdict.reason = REASON_TEST_FAIL;
    if (way < 7)
        return input;
    input.verdict.class = VERDICT_TRANSIENT;
    input.verdict.type = TRANSIENT_RESOURCE_BUSY;
    input.outcome.kind = OUTCOME_TIMEOUT;
    input.outcome.code = 0;
    input.outcome.quiet_ms = way == 7 ? 900000 : 0;
    return input;
}

static void end_first(void)
{
    const struct sample_live live = sample.live[0];
    sample.live_count--;
    memmove(sample.live, sample.live + 1, sample.live_count * sizeof(*sample.live));
    sample_step(&sample, (struct input){.kind = INPUT_RUNNING,
                                        .task = live.task,
                                        .step = live.step,
                                        .attempt = live.attempt,
                                        .pid = 1000 + live.task,
                                        .pid_start = 5});
    sample_step(&sample, an_end(&live));
}

/* A person retries, with or without a hint or more tries, or corrects the class. */
static void act_on(int task)
{
    struct control control = {.task = task, .step = -1, .by = "ann"};
    const struct attempt_state *last = step_state_attempt(run_state_step(&sample.state, task));
    const int way = below(5);
    if (!last)
        return;
    control.verb = way < 2 ? CONTROL_CORRECT : CONTROL_RETRY;
    if (control.verb == CONTROL_CORRECT) {
        control.step = run_state_step_number(&sample.state, task);
        control.attempt = 1 + below(last->number);
        control.label.class = way == 0 ? VERDICT_SUCCESS : VERDICT_PERSISTENT;
        control.label.reason = way == 0 ? REASON_NONE : REASON_COMPILE;
    }
    if (way == 3)
        (void)snprintf(control.hint, sizeof(control.hint), "look at the clock");
    control.tries = way == 4 ? 2 : 0;
    sample_control(&sample, control);
}

static void play_retries(void)
{
    for (int turn = 0; turn < 20 * RETRY_TASKS; turn++) {
        if (turn % ACT_EACH == 0)
            act_on(below(RETRY_TASKS));
        if (sample.live_count > 0)
            end_first();
        else if (!sample_advance(&sample))
            break;
    }
}

/* Counts the same from the fold. */
static void count_state(struct retry_help *out)
{
    for (int i = 0; i < RETRY_TASKS; i++) {
        const struct step_state *step = &sample.state.tasks[i].steps[0];
        struct retry_step counted = {.help = out};
        for (size_t at = 0; at < step->attempt_count; at++) {
            const struct attempt_state *attempt = &step->attempts[at];
            const struct retry_attempt told = {.number = attempt->number,
                                               .class = failure_class_of(attempt),
                                               .outcome = attempt->outcome.kind,
                                               .fingerprint = attempt->fingerprint,
                                               .waited_ms = attempt->waited_ms,
                                               .ran_ms = attempt->outcome.ran_ms,
                                               .hinted = attempt->hint != NULL};
            if (attempt->ended.at_ms != 0)
                retry_step_add(&counted, &told);
        }
    }
    out->runs = 1;
    retry_help_sort(out);
}

static void assert_classes_equal(const struct retry_help *a, const struct retry_help *b)
{
    ck_assert_int_eq(a->attempts, b->attempts);
    ck_assert_int_eq(a->failed, b->failed);
    ck_assert_int_eq(a->class_count, b->class_count);
    for (int i = 0; i < a->class_count; i++) {
        const struct retry_class *left = &a->classes[i];
        const struct retry_class *right = &b->classes[i];
        ck_assert_msg(failure_class_equals(&left->class, &right->class), "class %d", i);
        ck_assert_int_eq(left->failed, right->failed);
        ck_assert_int_eq(left->waited_ms, right->waited_ms);
        ck_assert_int_eq(left->ran_ms, right->ran_ms);
        ck_assert_int_eq(left->in_vain_ms, right->in_vain_ms);
        ck_assert_mem_eq(left->cells, right->cells, sizeof(left->cells));
    }
}

/* Checks that the sample has enough cases of each kind. */
static void assert_is_rich(const struct retry_help *help)
{
    struct retry_count hinted = {0};
    bool silent = false;
    bool compile = false;
    for (int i = 0; i < help->class_count; i++) {
        hinted.cases += retry_class_count(&help->classes[i], RETRY_OF_HINTED, 0, 0).cases;
        silent = silent || help->classes[i].class.is_silent;
        compile = compile || help->classes[i].class.label.reason == REASON_COMPILE;
    }
    ck_assert_int_ge(hinted.cases, 3);
    ck_assert(silent && compile);
    ck_assert_int_ge(help->failed, RETRY_TASKS);
}

START_TEST(test_projection_counts_what_a_fold_counts)
{
    struct retry_help *read = xcalloc(1, sizeof(*read));
    struct retry_help *want = xcalloc(1, sizeof(*want));
    const struct retry_log_scope all = {.events = INT64_MAX};
    play_retries();
    struct log_reader *reader = log_reader_of(&sample.place);
    must(retry_log_read(reader, &all, read, &err));
    count_state(want);
    ck_assert_int_eq(read->runs, 1);
    assert_classes_equal(read, want);
    assert_is_rich(read);
    log_reader_close(reader);
    free(read);
    free(want);
}
END_TEST

START_TEST(test_runs_that_are_too_long_or_too_new_are_skipped)
{
    struct retry_help *read = xcalloc(1, sizeof(*read));
    const struct retry_log_scope scopes[] = {
        {.events = sample.state.last_seq - 1},
        {.before = sample.number, .events = INT64_MAX},
    };
    play_retries();
    struct log_reader *reader = log_reader_of(&sample.place);
    for (size_t i = 0; i < ARRAY_LEN(scopes); i++) {
        must(retry_log_read(reader, &scopes[i], read, &err));
        ck_assert_int_eq(read->runs, 0);
        ck_assert_int_eq(read->attempts, 0);
    }
    log_reader_close(reader);
    free(read);
}
END_TEST

START_TEST(test_a_run_without_attempts_counts_nothing)
{
    struct retry_help *read = xcalloc(1, sizeof(*read));
    struct log_reader *reader = log_reader_of(&sample.place);
    must(retry_log_add(reader, sample.number, read, &err));
    ck_assert_int_eq(read->failed, 0);
    ck_assert_int_eq(read->class_count, 0);
    log_reader_close(reader);
    free(read);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("projection");
    TCase *tcase = test_case(suite, "rebuild");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_whole_run);
    tcase_add_loop_test(tcase, test_a_running_run, 0, 8);
    tcase_add_test(tcase, test_before_its_first_event);
    tcase_add_test(tcase, test_acts_that_change_other_tasks);
    tcase_add_test(tcase, test_a_run_with_an_owner_is_left_alone);
    tcase_add_test(tcase, test_a_rebuild_mends);
    TCase *full = test_case(suite, "full");
    tcase_add_checked_fixture(full, NULL, teardown);
    tcase_add_loop_test(full, test_a_write_that_fails_leaves_no_row_behind, 0, ROOM_STEPS);
    TCase *recorded = test_case(suite, "recorded");
    tcase_add_loop_test(recorded, test_overviews_of_golden_runs, 0, golden_log_count());
    tcase_add_test(recorded, test_overviews_of_the_shops_runs);
    TCase *moments = test_case(suite, "moments");
    tcase_add_checked_fixture(moments, setup_overview, teardown);
    tcase_add_test(moments, test_overview_at_each_moment_of_a_run);
    tcase_add_test(moments, test_a_quiet_task_is_counted);
    tcase_add_test(moments, test_a_task_that_is_stopping_is_not_quiet);
    tcase_add_test(moments, test_a_killed_owner_and_its_heir);
    tcase_add_test(moments, test_overview_of_a_run_that_grows);
    tcase_add_test(moments, test_overview_of_a_bundle);
    tcase_add_loop_test(moments, test_invalid_or_outdated_tables_are_not_used, 0, 8);
    TCase *retries = test_case(suite, "retries");
    tcase_add_checked_fixture(retries, setup_retries, teardown);
    tcase_add_test(retries, test_projection_counts_what_a_fold_counts);
    tcase_add_test(retries, test_runs_that_are_too_long_or_too_new_are_skipped);
    tcase_add_test(retries, test_a_run_without_attempts_counts_nothing);
    return suite;
}
