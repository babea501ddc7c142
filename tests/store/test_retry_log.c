/* test_retry_log.c - does retrying help: what is read from the projection and a few events is what
 * a fold of all events says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_try.h"
#include "must.h"
#include "retry_log.h"
#include "test_main.h"
#include "xalloc.h"

enum { TASKS = 400, ACT_EACH = 7 };

static struct sample sample;
static uint64_t chance = 88172645463325252U;

/* Numbers that look like chance, the same ones each time. */
static int below(int limit)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (int)(chance % (uint64_t)limit);
}

static void setup(void)
{
    const struct place place = sample_place();
    sample_open(&sample, &place, TASKS);
    sample_start(&sample);
}

static void teardown(void)
{
    sample_done(&sample);
}

/* An end of any kind: a third pass; the others fail in a few ways, with a few results. */
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

/* A person tries again with a hint or without, or with more tries, or says what it really was. */
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

static void play(void)
{
    for (int turn = 0; turn < 20 * TASKS; turn++) {
        if (turn % ACT_EACH == 0)
            act_on(below(TASKS));
        if (sample.live_count > 0)
            end_first();
        else if (!sample_advance(&sample))
            break;
    }
}

/* The same from the fold. */
static void count_state(struct retry_help *out)
{
    for (int i = 0; i < TASKS; i++) {
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

/* Has the sample what the test is about? */
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
    ck_assert_int_ge(help->failed, TASKS);
}

START_TEST(test_projection_counts_what_a_fold_counts)
{
    struct retry_help *read = xcalloc(1, sizeof(*read));
    struct retry_help *want = xcalloc(1, sizeof(*want));
    const struct retry_log_scope all = {.events = INT64_MAX};
    play();
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

START_TEST(test_runs_that_are_too_long_or_too_new_are_passed_over)
{
    struct retry_help *read = xcalloc(1, sizeof(*read));
    const struct retry_log_scope scopes[] = {
        {.events = sample.state.last_seq - 1},
        {.before = sample.number, .events = INT64_MAX},
    };
    play();
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

START_TEST(test_a_run_without_attempts_says_nothing)
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
    Suite *suite = suite_create("retry_log");
    TCase *tcase = test_case(suite, "read");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_projection_counts_what_a_fold_counts);
    tcase_add_test(tcase, test_runs_that_are_too_long_or_too_new_are_passed_over);
    tcase_add_test(tcase, test_a_run_without_attempts_says_nothing);
    return suite;
}
