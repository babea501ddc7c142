#include "timeline.h"

#include <string.h>

#include "json.h"
#include "play.h"
#include "test_main.h"

#define PLAN                                                                                       \
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"slow\":{\"like\":\"default\","             \
    "\"base_delay_ms\":10000,\"cap_ms\":60000,\"max_attempts\":4}},\"policy\":\"slow\",\"tasks\":" \
    "[{\"id\":\"a\",\"title\":\"the \\\"first\\\"\",\"steps\":[{\"run\":[\"x\"]}]},"               \
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]}]}"

static struct play play;
static struct json *trace; /* of what was played */

static void setup(void)
{
    play_open(&play, PLAN);
    play_start(&play, 2);
    trace = NULL;
}

static void teardown(void)
{
    json_free(trace);
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
    for (size_t i = 0; i < play.event_count; i++) {
        ck_assert_msg(run_state_apply(&state, &play.events[i], &err), "%s", err.message);
        trace_json_add(writer, &state, &play.events[i], &text);
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
    const int64_t wait_ms = play_last(&play, EVENT_WAIT_STARTED)->a;
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

START_TEST(test_time_does_not_go_back_with_the_machine)
{
    play_wait(&play, 5000);
    play_crash(&play, play.event_count, true);
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

/* A stranger's log may say any times that a fold takes: microseconds of them have to fit. */
START_TEST(test_a_clock_that_leaps_overflows_nothing)
{
    enum { LEAPS_MAX = 64 };
    const int64_t far_ms = INT64_C(999) * 1000 * 1000 * 1000 * 1000;
    struct moment were[LEAPS_MAX];
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
        play_wait(&play, play_last(&play, EVENT_WAIT_STARTED)->a);
    }
    ck_assert_uint_le(play.event_count, LEAPS_MAX);
    for (size_t i = 0; i < play.event_count; i++) {
        were[i] = play.events[i].at;
        play.events[i].at.mono_ms = i % 2 == 0 ? -far_ms : far_ms;
        play.events[i].at.at_ms = -play.events[i].at.mono_ms;
    }
    write_trace();
    for (size_t i = 0; i < play.event_count; i++)
        play.events[i].at = were[i];
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
    Suite *suite = suite_create("trace_json");
    TCase *traces = test_case(suite, "traces");
    tcase_add_checked_fixture(traces, setup, teardown);
    tcase_add_test(traces, test_tries_and_waits_follow_each_other);
    tcase_add_test(traces, test_time_does_not_go_back_with_the_machine);
    tcase_add_test(traces, test_a_clock_that_leaps_overflows_nothing);
    tcase_add_test(traces, test_threads_are_called_as_the_tasks_are);
    return suite;
}
