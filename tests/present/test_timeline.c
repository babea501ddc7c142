#include "timeline.h"

#include <string.h>

#include "json.h"
#include "play.h"
#include "test_main.h"

#define PLAN                                                                                       \
    "{'version':1,'idempotent':true,'policies':{'slow':{'like':'default','base_delay_ms':10000,"   \
    "'cap_ms':60000,'max_attempts':4}},'policy':'slow','tasks':["                                  \
    "{'id':'a','steps':[{'run':['x']},{'phase':'VERIFY','run':['y']}]},"                           \
    "{'id':'b','steps':[{'run':['x'],'source':'api'}]},"                                           \
    "{'id':'c','steps':[{'run':['x'],'source':'api'}]},"                                           \
    "{'id':'d','needs':['a'],'steps':[{'run':['x']}]}]}"

enum { TASKS = 4 };

static struct play play;
static struct timeline timeline;

static void setup(void)
{
    play_open(&play, PLAN);
    play_start(&play, 2);
    timeline = (struct timeline){0};
}

static void teardown(void)
{
    timeline_done(&timeline);
    play_close(&play);
}

static void read(const char *task)
{
    timeline_read(&timeline, &play.state, play_task(&play, task), &play.now, false);
}

/* What failed needs a person. */
static struct verdict asks(void)
{
    struct verdict verdict = play_persistent(REASON_AUTH);
    verdict.ask = true;
    return verdict;
}

/* A span that is wanted, its length in seconds. */
struct want {
    enum span_kind kind;
    int seconds;
    enum span_end end;
    int attempt;
};

/* The spans that were read. */
static void check_read(const char *task, const struct want *wants, size_t count)
{
    for (size_t i = 0; i < count && i < timeline.count; i++) {
        const struct span *span = &timeline.spans[i];
        ck_assert_msg(span->kind == wants[i].kind && span->end == wants[i].end &&
                          span->attempt == wants[i].attempt &&
                          span->until_ms - span->from_ms == (int64_t)wants[i].seconds * 1000,
                      "span %zu of %s: kind %d end %d attempt %d, %lld ms", i, task, span->kind,
                      span->end, span->attempt, (long long)(span->until_ms - span->from_ms));
    }
    ck_assert_uint_eq(timeline.count, count);
}

static void check_spans(const char *task, const struct want *wants, size_t count)
{
    read(task);
    check_read(task, wants, count);
}

static void be_quiet(const char *task, int attempt, int64_t ms)
{
    play_input(&play, (struct input){.kind = INPUT_QUIET,
                                     .task = play_task(&play, task),
                                     .attempt = attempt,
                                     .quiet_ms = ms});
}

static void be_heard(const char *task, int attempt)
{
    play_input(&play, (struct input){
                          .kind = INPUT_HEARD, .task = play_task(&play, task), .attempt = attempt});
}

START_TEST(test_an_attempt_that_is_quiet_for_a_while_has_three_parts)
{
    static const struct want wants[] = {{SPAN_RUNNING, 10, SPAN_END_NONE, 1},
                                        {SPAN_QUIET, 25, SPAN_END_NONE, 1},
                                        {SPAN_RUNNING, 5, SPAN_END_FAILED, 1}};
    play_wait(&play, 30000);
    be_quiet("a", 1, 20000);
    play_wait(&play, 5000);
    be_heard("a", 1);
    play_wait(&play, 5000);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    read("a");
    ck_assert(timeline.spans[--timeline.count].is_planned);
    check_read("a", wants, TABLE_LEN(wants));
}
END_TEST

START_TEST(test_an_attempt_that_is_silent_now_is_quiet_to_now)
{
    static const struct want wants[] = {{SPAN_RUNNING, 10, SPAN_END_NONE, 1},
                                        {SPAN_QUIET, 20, SPAN_END_NONE, 1}};
    play_wait(&play, 25000);
    be_quiet("a", 1, 15000);
    play_wait(&play, 5000);
    check_spans("a", wants, TABLE_LEN(wants));
}
END_TEST

START_TEST(test_a_wait_is_planned_until_it_is_due)
{
    play_wait(&play, 4000);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    const int64_t due_ms = play.state.tasks[0].steps[0].due.mono_ms;
    play_wait(&play, 1000);
    read("a");
    ck_assert_uint_eq(timeline.count, 3);
    ck_assert_int_eq(timeline.spans[1].kind, SPAN_BACKOFF);
    ck_assert(!timeline.spans[1].is_planned);
    ck_assert_int_eq(timeline.spans[1].until_ms, play.now.mono_ms);
    ck_assert(timeline.spans[2].is_planned);
    ck_assert_int_eq(timeline.spans[2].until_ms, due_ms);
    ck_assert_int_eq(timeline_plan_end(&play.state), due_ms);
    /* Nobody continues the run: nothing is planned. */
    timeline_read(&timeline, &play.state, 0, &play.now, true);
    ck_assert_uint_eq(timeline.count, 2);
}
END_TEST

START_TEST(test_a_hold_covers_a_wait_but_not_an_attempt)
{
    static const struct want wants[] = {{SPAN_RUNNING, 5, SPAN_END_FAILED, 1},
                                        {SPAN_HELD, 7, SPAN_END_NONE, 1}};
    play_wait(&play, 2000);
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    play_wait(&play, 3000);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_wait(&play, 7000);
    check_spans("a", wants, TABLE_LEN(wants));
}
END_TEST

START_TEST(test_the_time_that_needed_a_person_is_shown_after_a_retry)
{
    static const struct want wants[] = {{SPAN_RUNNING, 5, SPAN_END_FAILED, 1},
                                        {SPAN_NEEDS_YOU, 60, SPAN_END_NONE, 1},
                                        {SPAN_RUNNING, 3, SPAN_END_NONE, 2}};
    play_wait(&play, 5000);
    play_exit(&play, "b", 0, play_passed()); /* its slot is c's, that of a is free */
    play_exit(&play, "a", 1, asks());
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    play_wait(&play, 60000);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    play_wait(&play, 3000);
    check_spans("a", wants, TABLE_LEN(wants));
}
END_TEST

static void let_a_give_up(void)
{
    play_wait(&play, 5000);
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "c", 0, play_passed()); /* a slot is free from now on */
    for (int i = 0; i < 4; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
        play_wait(&play, 100000);
    }
}

/* The end of the last attempt is shown as giving up, also later. */
START_TEST(test_the_end_of_a_task_is_the_end_of_its_last_attempt)
{
    let_a_give_up();
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    read("a");
    ck_assert_int_eq(timeline.spans[timeline.count - 1].kind, SPAN_OVER);
    ck_assert_int_eq(timeline.spans[timeline.count - 2].end, SPAN_END_GAVE_UP);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    play_wait(&play, 1000);
    read("a");
    ck_assert_int_eq(timeline.spans[timeline.count - 3].end, SPAN_END_GAVE_UP);
    ck_assert_int_eq(timeline.spans[timeline.count - 2].kind, SPAN_OVER);
    ck_assert_int_eq(timeline.spans[timeline.count - 1].kind, SPAN_RUNNING);
}
END_TEST

/* The task may end a moment after its last attempt: that moment does not count as an attempt. */
START_TEST(test_an_attempt_that_failed_is_counted_once)
{
    struct task_state *task = &play.state.tasks[play_task(&play, "a")];
    struct time_spent spent;
    let_a_give_up();
    task->since.mono_ms += 10;
    read("a");
    time_spent_of_run(&spent, &play.state, &play.now, false);
    task->since.mono_ms -= 10;
    ck_assert_int_eq(timeline.spans[timeline.count - 2].end, SPAN_END_GAVE_UP);
    ck_assert_int_eq(timeline.spans[timeline.count - 3].end, SPAN_END_FAILED);
    ck_assert_int_eq(spent.attempts, 2 + 4);
    ck_assert_int_eq(spent.failed, 4);
}
END_TEST

START_TEST(test_a_task_behind_a_limit_waits_for_it)
{
    play_wait(&play, 5000);
    play_exit(&play, "b", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_wait(&play, 2000);
    read("c");
    ck_assert_int_eq(timeline.spans[timeline.count - 1].kind, SPAN_GATE);
    struct time_spent spent;
    time_spent_of_run(&spent, &play.state, &play.now, false);
    ck_assert_int_gt(spent.ms[TIME_WAIT], 0);
    ck_assert_int_eq(spent.classes[0].class.label.type, TRANSIENT_API_RATE_LIMIT);
}
END_TEST

START_TEST(test_own_retries_of_an_agent_are_waiting)
{
    const struct outcome outcome = {
        .code = 1, .ran_ms = 5000, .own_retries = 2, .own_wait_ms = 4000};
    struct time_spent spent;
    play_wait(&play, 5000);
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "c", 0, play_passed());
    play_outcome(&play, "a", outcome, play_transient(TRANSIENT_API_OVERLOADED));
    time_spent_of_run(&spent, &play.state, &play.now, false);
    ck_assert_int_eq(spent.ms[TIME_WAIT], 4000);
    ck_assert_int_eq(spent.ms[TIME_WORK], 2 * 5000 - 4000);
    ck_assert_int_eq(spent.classes[0].class.label.type, TRANSIENT_API_OVERLOADED);
    ck_assert_int_eq(spent.classes[0].waited_ms, 4000);
    ck_assert_int_eq(play.state.waited_ms, 4000);
}
END_TEST

START_TEST(test_a_lost_attempt_is_shown)
{
    play_wait(&play, 5000);
    timeline_read(&timeline, &play.state, 0, &play.now, true);
    ck_assert_int_eq(timeline.spans[timeline.count - 1].end, SPAN_END_LOST);
    play_crash(&play, play.events.count, true);
    read("a");
    ck_assert_int_eq(timeline.spans[0].end, SPAN_END_LOST);
}
END_TEST

static void check_in_order(const struct run_state *state, int task, const struct moment *now)
{
    timeline_read(&timeline, state, task, now, false);
    int64_t at_ms = state->started_at.mono_ms;
    bool planned = false;
    for (size_t i = 0; i < timeline.count; i++) {
        const struct span *span = &timeline.spans[i];
        ck_assert_int_eq(span->from_ms, at_ms);
        ck_assert_int_ge(span->until_ms, span->from_ms);
        if (span->is_planned)
            ck_assert_int_eq(span->from_ms, now->mono_ms);
        ck_assert(!planned); /* it is the last */
        planned = span->is_planned;
        at_ms = span->until_ms;
        if (!planned)
            ck_assert_int_le(at_ms, now->mono_ms);
    }
    if (!planned)
        ck_assert_int_eq(at_ms, now->mono_ms);
}

/* The time that attempts ran is the sum of work and quiet time. */
static void check_sums(const struct run_state *state, const struct moment *now)
{
    struct time_spent spent;
    int64_t ran_ms = 0, sum_ms = 0;
    int percent = 0;
    for (int i = 0; i < TASKS; i++) {
        for (int k = 0; k < state->plan->tasks[i].step_count; k++) {
            const struct step_state *step = &state->tasks[i].steps[k];
            for (size_t a = 0; a < step->attempt_count; a++)
                ran_ms += (step->attempts[a].ended.at_ms != 0 ? step->attempts[a].ended.mono_ms
                                                              : now->mono_ms) -
                          step->attempts[a].started.mono_ms;
        }
    }
    time_spent_of_run(&spent, state, now, false);
    ck_assert_int_eq(spent.ms[TIME_WORK] + spent.ms[TIME_QUIET], ran_ms);
    for (int use = 0; use < TIME_USE_COUNT; use++) {
        sum_ms += spent.ms[use];
        percent += time_spent_percent(&spent, (enum time_use)use);
    }
    ck_assert_int_eq(sum_ms, spent.total_ms);
    ck_assert_int_eq(percent, spent.total_ms > 0 ? 100 : 0);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

static void do_something(uint32_t *seed)
{
    static const char *const ids[TASKS] = {"a", "b", "c", "d"};
    static const enum control_verb verbs[] = {CONTROL_HOLD, CONTROL_RELEASE, CONTROL_RETRY,
                                              CONTROL_CANCEL};
    const int task = (int)(next_random(seed) % TASKS);
    const struct step_state *step = run_state_step(&play.state, task);
    const bool runs = step->status == STEP_RUNNING;
    const int attempt = runs ? step_state_attempt(step)->number : 0;
    const uint32_t what = next_random(seed) % 10;
    if (what == 0)
        play_control(&play, verbs[next_random(seed) % TABLE_LEN(verbs)], ids[task], CANCEL_TERM);
    else if (what == 1 && runs && step->quiet)
        be_heard(ids[task], attempt);
    else if (what <= 2 && runs && !step->quiet)
        be_quiet(ids[task], attempt, play.now.mono_ms - step_state_attempt(step)->started.mono_ms);
    else if (what <= 4 && runs)
        play_exit(&play, ids[task], 1, play_persistent(REASON_TEST_FAIL));
    else if (what == 5 && runs)
        play_exit(&play, ids[task], 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    else if (what == 6 && runs)
        play_exit(&play, ids[task], 1, asks());
    else if (what == 7 && runs)
        play_exit(&play, ids[task], 0, play_passed());
    else
        play_wait(&play, next_random(seed) % 20000);
}

/* At each event of random runs, and after reboots. */
START_TEST(test_spans_are_in_order_and_cover_the_age_of_the_task)
{
    enum { STEPS = 150 };
    uint32_t seed = (uint32_t)_i;
    for (int i = 0; i < STEPS; i++) {
        do_something(&seed);
        if (i == STEPS / 2 && _i % 2 == 0)
            play_crash(&play, play.events.count, _i % 4 == 0);
        for (int task = 0; task < TASKS; task++)
            check_in_order(&play.state, task, &play.now);
        check_sums(&play.state, &play.now);
    }
    struct run_state state;
    run_state_init(&state, play.plan, play.state.seed);
    for (size_t i = 0; i < play.events.count; i++) {
        ck_assert(run_state_apply(&state, &play.events.items[i], NULL));
        for (int task = 0; state.started && task < TASKS; task++)
            check_in_order(&state, task, &state.last);
    }
    run_state_done(&state);
}
END_TEST

START_TEST(test_pauses_are_bounded)
{
    for (int i = 0; i < TASK_PAUSES_MAX + 10; i++) {
        play_wait(&play, 10);
        be_quiet("a", 1, 5);
        play_wait(&play, 1);
        be_heard("a", 1);
    }
    ck_assert_uint_eq(play.state.tasks[0].pauses->count, TASK_PAUSES_MAX);
    check_in_order(&play.state, 0, &play.now);
}
END_TEST

START_TEST(test_stretches_in_which_nothing_ran_are_found)
{
    struct stretch idle[TIMELINE_STRETCHES_MAX];
    play_wait(&play, 1000);
    for (int i = 0; i < 2; i++)
        play_exit(&play, i == 0 ? "a" : "b", 1, asks());
    play_exit(&play, "c", 1, asks());
    ck_assert_int_eq(play.state.running, 0);
    const int64_t from_ms = play.now.mono_ms;
    play_wait(&play, 300000);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    play_wait(&play, 5000);
    ck_assert_int_eq(timeline_idle(&play.state, &play.now, 60000, idle), 1);
    ck_assert_int_ge(idle[0].from_ms, from_ms);
    ck_assert_int_ge(idle[0].until_ms - idle[0].from_ms, 299000);
    ck_assert_int_le(idle[0].until_ms, play.now.mono_ms - 5000);
    ck_assert_int_eq(timeline_idle(&play.state, &play.now, 400000, idle), 0);
}
END_TEST

/* The timeline as a trace, for trace viewers. */
#define TRACE_PLAN                                                                                 \
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"slow\":{\"like\":\"default\","             \
    "\"base_delay_ms\":10000,\"cap_ms\":60000,\"max_attempts\":4}},\"policy\":\"slow\",\"tasks\":" \
    "[{\"id\":\"a\",\"title\":\"the \\\"first\\\"\",\"steps\":[{\"run\":[\"x\"]}]},"               \
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]}]}"

static struct json *trace; /* of what was played */

static void setup_trace(void)
{
    play_open(&play, TRACE_PLAN);
    play_start(&play, 2);
}

static void teardown_trace(void)
{
    json_free(trace);
    trace = NULL;
    play_close(&play);
}

/* All events again, through the writer. */
static void write_trace(void)
{
    struct run_state state;
    struct trace_json *writer = NULL;
    struct str text = {0};
    struct err err = {0};
    run_state_init(&state, play.plan, play.state.seed);
    trace_json_open(&writer, 7, "day", &text);
    for (size_t i = 0; i < play.events.count; i++) {
        ck_assert_msg(run_state_apply(&state, &play.events.items[i], &err), "%s", err.message);
        trace_json_add(writer, &state, &play.events.items[i], &text);
    }
    trace_json_end(writer, &state, &text);
    trace_json_close(writer);
    run_state_done(&state);
    ck_assert_msg(json_parse_data(str_text(&text), text.len, &trace, NULL, &err), "%s: %s",
                  err.message, str_text(&text));
    str_done(&text);
}

/* The nth slice of a thread; NULL: there is none. */
static const struct json *slice(int thread, int nth)
{
    const struct json *list = json_get(trace, "traceEvents");
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *event = json_at(list, i);
        const bool is_slice = strcmp(json_text(json_get(event, "ph"), ""), "X") == 0;
        if (is_slice && json_i64(json_get(event, "tid"), -1) == thread && nth-- == 0)
            return event;
    }
    return NULL;
}

static void check_slice(int thread, int nth, const char *name, int64_t from_ms, int64_t ms)
{
    const struct json *event = slice(thread, nth);
    ck_assert_msg(event, "no slice %d of thread %d", nth, thread);
    ck_assert_str_eq(json_text(json_get(event, "name"), ""), name);
    ck_assert_int_eq(json_i64(json_get(event, "ts"), -1), from_ms * 1000);
    ck_assert_int_eq(json_i64(json_get(event, "dur"), -1), ms * 1000);
}

static const char *arg(const struct json *event, const char *key)
{
    return json_text(json_get(json_get(event, "args"), key), "");
}

START_TEST(test_tries_and_waits_follow_each_other)
{
    play_wait(&play, 3000);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    const int64_t wait_ms = play_last(&play, EVENT_WAIT_STARTED)->wait.delay.delay_ms;
    play_wait(&play, wait_ms);
    play_wait(&play, 500);
    play_exit(&play, "a", 0, play_passed());
    play_wait(&play, 200);
    write_trace();
    check_slice(1, 0, "GREEN try 1", 0, 3000);
    ck_assert_str_eq(arg(slice(1, 0), "class"), "network");
    ck_assert_str_eq(arg(slice(1, 0), "outcome"), "exit 1");
    check_slice(1, 1, "wait", 3000, wait_ms);
    ck_assert_str_ne(arg(slice(1, 1), "formula"), "");
    check_slice(1, 2, "GREEN try 2", 3000 + wait_ms, 500);
    ck_assert_str_eq(arg(slice(1, 2), "class"), "");
    ck_assert_ptr_null(slice(1, 3));
    ck_assert_str_eq(arg(slice(2, 0), "outcome"), "no end recorded");
}
END_TEST

START_TEST(test_time_does_not_go_back_after_a_reboot)
{
    play_wait(&play, 5000);
    play_crash(&play, play.events.count, true);
    play_wait(&play, 1000);
    write_trace();
    const struct json *list = json_get(trace, "traceEvents");
    int64_t last = 0;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *event = json_at(list, i);
        const int64_t at = json_i64(json_get(event, "ts"), last);
        ck_assert_int_ge(json_i64(json_get(event, "dur"), 0), 0);
        if (strcmp(json_text(json_get(event, "ph"), ""), "i") == 0) {
            ck_assert_int_ge(at, last);
            last = at;
        }
    }
    ck_assert_int_ge(last, 5000 * 1000);
}
END_TEST

/* A foreign log may have any times that a fold accepts: they must fit in microseconds. */
START_TEST(test_a_clock_that_leaps_overflows_nothing)
{
    enum { LEAPS_MAX = 64 };
    const int64_t far_ms = INT64_C(999) * 1000 * 1000 * 1000 * 1000;
    struct moment were[LEAPS_MAX];
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
        play_wait(&play, play_last(&play, EVENT_WAIT_STARTED)->wait.delay.delay_ms);
    }
    ck_assert_uint_le(play.events.count, LEAPS_MAX);
    for (size_t i = 0; i < play.events.count; i++) {
        were[i] = play.events.items[i].at;
        play.events.items[i].at.mono_ms = i % 2 == 0 ? -far_ms : far_ms;
        play.events.items[i].at.at_ms = -play.events.items[i].at.mono_ms;
    }
    write_trace();
    for (size_t i = 0; i < play.events.count; i++)
        play.events.items[i].at = were[i];
    ck_assert_int_gt(json_i64(json_get(slice(1, 0), "dur"), -1), 0);
}
END_TEST

START_TEST(test_threads_are_called_as_the_tasks_are)
{
    write_trace();
    const struct json *list = json_get(trace, "traceEvents");
    int found = 0;
    for (size_t i = 0; i < json_count(list); i++) {
        const struct json *event = json_at(list, i);
        ck_assert_int_eq(json_i64(json_get(event, "pid"), 0), 7);
        found += strcmp(arg(event, "name"), "a the \"first\"") == 0;
        found += strcmp(arg(event, "name"), "b") == 0;
        found += strcmp(arg(event, "name"), "run #7 day") == 0;
    }
    ck_assert_int_eq(found, 3);
}
END_TEST

Suite *test_suite(void)
{
    enum { RUNS = 24 };
    Suite *suite = suite_create("timeline");
    TCase *tcase = test_case(suite, "timeline");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_an_attempt_that_is_quiet_for_a_while_has_three_parts);
    tcase_add_test(tcase, test_an_attempt_that_is_silent_now_is_quiet_to_now);
    tcase_add_test(tcase, test_a_wait_is_planned_until_it_is_due);
    tcase_add_test(tcase, test_a_hold_covers_a_wait_but_not_an_attempt);
    tcase_add_test(tcase, test_the_time_that_needed_a_person_is_shown_after_a_retry);
    tcase_add_test(tcase, test_the_end_of_a_task_is_the_end_of_its_last_attempt);
    tcase_add_test(tcase, test_an_attempt_that_failed_is_counted_once);
    tcase_add_test(tcase, test_a_task_behind_a_limit_waits_for_it);
    tcase_add_test(tcase, test_own_retries_of_an_agent_are_waiting);
    tcase_add_test(tcase, test_a_lost_attempt_is_shown);
    tcase_add_loop_test(tcase, test_spans_are_in_order_and_cover_the_age_of_the_task, 0, RUNS);
    tcase_add_test(tcase, test_pauses_are_bounded);
    tcase_add_test(tcase, test_stretches_in_which_nothing_ran_are_found);
    tcase = test_case(suite, "trace");
    tcase_add_checked_fixture(tcase, setup_trace, teardown_trace);
    tcase_add_test(tcase, test_tries_and_waits_follow_each_other);
    tcase_add_test(tcase, test_time_does_not_go_back_after_a_reboot);
    tcase_add_test(tcase, test_a_clock_that_leaps_overflows_nothing);
    tcase_add_test(tcase, test_threads_are_called_as_the_tasks_are);
    return suite;
}
