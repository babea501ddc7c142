#include "what_if.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "test_main.h"
#include "text.h"

/* Five tries with 1 s, 2 s, 4 s, 8 s between; `b` needs `a`, `c` needs nothing. */
static const char plan[] =
    "{'version':1,'idempotent':true,'policies':{'mine':{'like':'default','max_attempts':5,"
    "'base_delay_ms':1000}},'policy':'mine','tasks':["
    "{'id':'a','steps':[{'phase':'GREEN','run':['x']}]},"
    "{'id':'b','needs':['a'],'steps':[{'phase':'GREEN','run':['x']}]},"
    "{'id':'c','steps':[{'phase':'GREEN','run':['x']}]}]}";

enum { HISTORIES = 12, DAMAGES = 25 }; /* of one test */

static struct play play;
static struct what_if_sum sum;

static void setup(void)
{
    play_open(&play, plan);
    play_start(&play, 3);
}

static void teardown(void)
{
    play_close(&play);
}

/* The task fails this often, and each wait passes. */
static void fail_often(const char *task, int times, struct verdict verdict)
{
    for (int i = 0; i < times; i++) {
        play_exit(&play, task, 1, verdict);
        play_wait(&play, 8000);
    }
}

/* "a" fails, and waits for so long. */
static void fail_and_wait(int64_t ms)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_wait(&play, ms);
}

static struct what_if *ask(const char *policies)
{
    struct what_if *what = play_what_if(&play, policies);
    what_if_sum(what, &sum);
    return what;
}

static const char *hms(int64_t at_ms, char out[SHOWN_CLOCK_MAX])
{
    (void)snprintf(out, SHOWN_CLOCK_MAX, "%" PRId64, at_ms);
    return out;
}

static char *lines_of(const struct what_if *what, int width)
{
    const struct what_if_look look = {.width = width, .hms = hms};
    struct str out = {0};
    what_if_lines(what, &look, &out);
    return out.data;
}

START_TEST(test_fewer_tries_end_a_task_and_what_needs_it)
{
    fail_often("a", 3, play_persistent(REASON_TEST_FAIL));
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "c", 0, play_passed());
    struct what_if *what = ask("{'max_attempts':2}");
    ck_assert_int_eq(sum.recorded.tries, 6);
    ck_assert_int_eq(sum.other.tries, 3);
    ck_assert_int_eq(sum.not_run, 3);
    ck_assert_int_eq(sum.recorded.counts[TASK_PASSED], 3);
    ck_assert_int_eq(sum.other.counts[TASK_PASSED], 1);
    ck_assert_int_eq(sum.other.counts[TASK_GAVE_UP], 1);
    ck_assert_int_eq(sum.other.counts[TASK_BLOCKED], 1);
    ck_assert_int_eq(sum.other.waited_ms, 8000);
    ck_assert_int_eq(sum.recorded.ran_ms, 60);
    ck_assert_int_eq(sum.other.ran_ms, 30);
    ck_assert_int_eq(sum.ends, 1);
    ck_assert_int_eq(what_if_task(what, 0)->not_run_from, 3);
    ck_assert_int_eq(what_if_task(what, 0)->not_run_to, 4);
    ck_assert_int_eq(sum.first.attempt, 2);
    ck_assert_int_eq(sum.first.recorded.kind, DECISION_WAIT);
    ck_assert_int_eq(sum.first.other.kind, DECISION_RETRY_EXHAUSTED);
    ck_assert_str_eq(sum.first.why, "2 of 2 tries used");
    what_if_free(what);
}
END_TEST

START_TEST(test_tries_that_never_happened_are_not_made_up)
{
    fail_often("a", 5, play_persistent(REASON_TEST_FAIL));
    ck_assert_int_eq(play_status(&play, "b"), TASK_BLOCKED);
    struct what_if *what = ask("{'policies':{'mine':{'max_attempts':9}}}");
    ck_assert_int_eq(sum.recorded.tries, 6);
    ck_assert_int_eq(sum.other.tries, 6);
    ck_assert_int_eq(sum.other.unknown, 2); /* a, and b which needs it */
    ck_assert_int_eq(sum.other.counts[TASK_GAVE_UP], 0);
    ck_assert_int_eq(sum.goes_on, 1);
    ck_assert_int_eq(sum.not_run, 0);
    char *lines = lines_of(what, 80);
    ck_assert_ptr_nonnull(strstr(lines, "a after try 5: continues; the log cannot show how"));
    ck_assert_ptr_nonnull(strstr(lines, "are not guessed"));
    free(lines);
    what_if_free(what);
}
END_TEST

START_TEST(test_shorter_waits_change_the_waiting_only)
{
    fail_and_wait(1000);
    fail_and_wait(2000);
    fail_and_wait(4000);
    play_exit(&play, "a", 0, play_passed());
    struct what_if *what = ask("{'cap_ms':1500}");
    ck_assert_int_eq(sum.recorded.waited_ms, 7000);
    ck_assert_int_eq(sum.other.waited_ms, 4000);
    ck_assert_int_eq(sum.differ, 2);
    ck_assert_int_eq(sum.waits, 2);
    ck_assert_int_eq(sum.other.tries, sum.recorded.tries);
    ck_assert_mem_eq(sum.other.counts, sum.recorded.counts, sizeof(sum.other.counts));
    what_if_free(what);
}
END_TEST

START_TEST(test_waits_after_a_rate_limit_are_no_shorter)
{
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_wait(&play, 1000);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(&play, 2000);
    play_exit(&play, "a", 0, play_passed());
    struct what_if *what = ask("{'base_delay_ms':100}");
    ck_assert_int_eq(sum.recorded.waited_ms, 3000);
    ck_assert_int_eq(sum.other.waited_ms, 1000 + 200);
    ck_assert(sum.rate_limits);
    what_if_free(what);
    what = ask("{'base_delay_ms':3000}");
    ck_assert_int_eq(sum.other.waited_ms, 3000 + 6000);
    what_if_free(what);
}
END_TEST

START_TEST(test_a_wait_that_a_person_ended_is_not_made_longer)
{
    fail_and_wait(400);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    play_exit(&play, "a", 0, play_passed());
    struct what_if *what = ask("{'base_delay_ms':5000}");
    ck_assert_int_eq(sum.recorded.waited_ms, 400);
    ck_assert_int_eq(sum.other.waited_ms, 400);
    what_if_free(what);
    what = ask("{'base_delay_ms':100}");
    ck_assert_int_eq(sum.other.waited_ms, 100);
    what_if_free(what);
}
END_TEST

START_TEST(test_a_deadline_counts_the_time_that_shorter_waits_save)
{
    fail_and_wait(1000);
    fail_and_wait(2000);
    play_exit(&play, "a", 0, play_passed());
    struct what_if *what = ask("{'deadline_ms':2500}");
    ck_assert_int_eq(sum.first.other.kind, DECISION_DEADLINE);
    ck_assert_int_eq(sum.first.attempt, 2);
    ck_assert_int_eq(what_if_task(what, 0)->course, WHAT_IF_ENDS);
    what_if_free(what);
    what = ask("{'deadline_ms':2500,'base_delay_ms':100}");
    ck_assert_int_eq(what_if_task(what, 0)->course, WHAT_IF_SAME);
    what_if_free(what);
}
END_TEST

START_TEST(test_a_retry_by_hand_continues_the_task)
{
    fail_often("a", 5, play_persistent(REASON_TEST_FAIL));
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "b", 0, play_passed());
    struct what_if *what = ask("{'max_attempts':2}");
    ck_assert_int_eq(sum.by_hand, 1);
    ck_assert_int_eq(sum.not_run, 3);
    ck_assert_int_eq(sum.other.tries, sum.recorded.tries - 3);
    ck_assert_int_eq(sum.other.counts[TASK_PASSED], 2);
    what_if_free(what);
}
END_TEST

START_TEST(test_equal_results_end_it_earlier)
{
    for (int i = 0; i < 3; i++) {
        play_input(&play, (struct input){.kind = INPUT_ENDED,
                                         .task = 2,
                                         .attempt = i + 1,
                                         .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                         .verdict = play_persistent(REASON_TEST_FAIL),
                                         .fingerprint = {.hi = 1, .lo = 2}});
        play_wait(&play, 8000);
    }
    play_exit(&play, "c", 0, play_passed());
    struct what_if *what = ask("{'policies':{'mine':{'same_stops':2}}}");
    ck_assert_int_eq(what_if_task(what, 2)->status, TASK_STUCK);
    ck_assert_int_eq(what_if_task(what, 2)->attempt, 2);
    char *lines = lines_of(what, 80);
    ck_assert_ptr_nonnull(strstr(lines, "gave-up    stuck\n"));
    ck_assert_ptr_nonnull(strstr(lines, "1 (+1)\n"));
    free(lines);
    what_if_free(what);
}
END_TEST

START_TEST(test_a_policy_that_no_step_has_changes_nothing)
{
    fail_often("a", 3, play_persistent(REASON_TEST_FAIL));
    struct what_if *what = ask("{'policies':{'transport':{'max_attempts':1}}}");
    ck_assert_int_eq(sum.differ, 0);
    ck_assert_int_eq(sum.steps_changed, 0);
    char *lines = lines_of(what, 80);
    ck_assert_ptr_nonnull(strstr(lines, "changes the policy of 0 of 3 steps"));
    free(lines);
    what_if_free(what);
}
END_TEST

/* Another policy stands in for another build. */
START_TEST(test_a_build_that_decides_differently_is_reported)
{
    const struct what_if_look look = {.width = 60, .hms = hms};
    struct str out = {0};
    fail_often("a", 3, play_persistent(REASON_TEST_FAIL));
    struct what_if *what = ask(NULL);
    what_if_doubt(what, 41, &look, &out);
    ck_assert_str_eq(str_text(&out), "");
    what_if_free(what);
    what = ask("{'max_attempts':2}");
    what_if_doubt(what, 41, &look, &out);
    ck_assert_ptr_nonnull(strstr(str_text(&out), "this devs decides differently"));
    ck_assert_ptr_nonnull(strstr(str_text(&out), "verify 41\n"));
    what_if_free(what);
    str_done(&out);
}
END_TEST

START_TEST(test_starts_that_fail_are_changed_by_their_name)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = START_DAEMON_DOWN};
    for (int i = 0; i < 3; i++) {
        play_outcome(&play, "c", not_started, play_transient(TRANSIENT_DOCKER_SOCKET_UNAVAILABLE));
        play_wait(&play, 8000);
    }
    play_exit(&play, "c", 0, play_passed());
    struct what_if *what = ask("{'max_attempts':1}");
    ck_assert_int_eq(what_if_task(what, 2)->course, WHAT_IF_SAME);
    what_if_free(what);
    what = ask("{'policies':{'infrastructure':{'max_attempts':2}}}");
    ck_assert_int_eq(what_if_task(what, 2)->course, WHAT_IF_ENDS);
    ck_assert_int_eq(sum.other.tries, sum.recorded.tries - 1);
    what_if_free(what);
}
END_TEST

START_TEST(test_a_plan_that_would_be_rejected_is_reported)
{
    play_close(&play);
    play_open(&play, "{'version':1,'tasks':[{'id':'a','steps':[{'phase':'GREEN','run':['x'],"
                     "'policy':'once'}]}],'policies':{'once':{'max_attempts':1}}}");
    play_start(&play, 1);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    struct what_if *what = ask("{'max_attempts':3}");
    ck_assert_int_eq(sum.steps_refused, 1);
    ck_assert_int_eq(sum.goes_on, 1);
    char *lines = lines_of(what, 80);
    ck_assert_ptr_nonnull(strstr(lines, "a plan with policy B would be rejected"));
    free(lines);
    what_if_free(what);
}
END_TEST

START_TEST(test_lines_fit_their_width)
{
    fail_often("a", 3, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "b", 0, play_passed());
    struct what_if *what = ask("{'max_attempts':2,'cap_ms':100}");
    for (int width = WHAT_IF_WIDTH_MIN; width <= 140; width++) {
        char *lines = lines_of(what, width);
        for (const char *line = lines; *line != '\0'; line += strcspn(line, "\n") + 1) {
            const int columns = text_width(line, strcspn(line, "\n"));
            ck_assert_msg(columns <= width, "%d of %d columns: %.*s", columns, width,
                          (int)strcspn(line, "\n"), line);
        }
        free(lines);
    }
    what_if_free(what);
}
END_TEST

START_TEST(test_lines_say_it_in_80_columns)
{
    fail_often("a", 3, play_persistent(REASON_TEST_FAIL));
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "c", 0, play_passed());
    struct what_if *what = ask("{'max_attempts':2}");
    char *lines = lines_of(what, 80);
    ck_assert_str_eq(
        lines, "                tries      wait  run time  passed   gave-up   blocked\n"
               " as recorded        6      0:24      0:00       3         0         0\n"
               " policy B           3      0:08      0:00  1 (-2)    1 (+1)    1 (+1)\n"
               " first difference: 1013000 a after try 2: as recorded waits 2 s; policy B:\n"
               "   gave-up (2 of 2 tries used)\n"
               " a after try 2: gave-up; 2 tries not run: #3 to #4\n"
               " b: blocked, a task that it needs does not pass; 1 try not run: #1\n"
               " 1 of 3 decisions differ: 1 by ending\n"
               " assumed: a try would end the same way after a different wait; slots, budgets\n"
               "          and loops are as recorded\n");
    free(lines);
    what_if_free(what);
}
END_TEST

START_TEST(test_json_says_what_the_lines_say)
{
    fail_often("a", 3, play_persistent(REASON_TEST_FAIL));
    struct what_if *what = ask("{'max_attempts':2}");
    struct str out = {0};
    struct json *json = NULL;
    str_add_char(&out, '{');
    what_if_json(what, &out);
    str_add_char(&out, '}');
    ck_assert(json_parse(str_text(&out), out.len, &json, NULL, NULL));
    const struct json *first = json_get(json, "first");
    ck_assert_str_eq(json_text(json_get(first, "task"), ""), "a");
    ck_assert_int_eq(json_i64(json_get(first, "attempt"), 0), 2);
    ck_assert_str_eq(json_text(json_get(json_get(first, "recorded"), "decision"), ""), "wait");
    ck_assert_int_eq(json_i64(json_get(json_get(json, "recorded"), "tries"), 0), 5);
    ck_assert_int_eq(json_i64(json_get(json_get(json, "other"), "tries"), 0), 3);
    ck_assert_uint_eq(json_count(json_get(json, "tasks")), 1);
    json_free(json);
    str_done(&out);
    what_if_free(what);
}
END_TEST

/* splitmix64, so that each history can be had again by its number. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

static int below(uint64_t *state, int limit)
{
    return (int)(draw(state) % (uint64_t)limit);
}

static void add_policy(uint64_t *chance, struct str *out)
{
    static const int stops[] = {0, 2, 3};
    str_addf(out,
             "{'max_attempts':%d,'base_delay_ms':%d,'cap_ms':%d,'same_stops':%d,"
             "'deadline_ms':%d,'jitter':%s}",
             1 + below(chance, 6), below(chance, 4000), below(chance, 9000),
             stops[below(chance, TABLE_LEN(stops))],
             below(chance, 3) == 0 ? 5000 + below(chance, 20000) : 0,
             below(chance, 2) == 0 ? "0.5" : "'full'");
}

static void add_plan(uint64_t *chance, int tasks, struct str *out)
{
    str_add(out, "{'version':1,'idempotent':true,'policies':{'mine':");
    add_policy(chance, out);
    str_add(out, "},'policy':'mine','tasks':[");
    for (int i = 0; i < tasks; i++) {
        str_addf(out, "%s{'id':'t%d',", i > 0 ? "," : "", i);
        if (i > 0 && below(chance, 2) == 0)
            str_addf(out, "'needs':['t%d'],", below(chance, i));
        str_add(out, "'steps':[{'phase':'GREEN','run':['x']},{'phase':'VERIFY','run':['y'],"
                     "'policy':'transport'}]}");
    }
    str_add(out, "]}");
}

static struct verdict some_verdict(uint64_t *chance)
{
    switch (below(chance, 5)) {
    case 0:
        return play_transient(TRANSIENT_API_RATE_LIMIT);
    case 1:
        return play_transient(TRANSIENT_NETWORK_TIMEOUT);
    case 2:
        return play_passed();
    default:
        return play_persistent(REASON_TEST_FAIL);
    }
}

/* Lets something possible happen to this task. */
static void happen(uint64_t *chance, int task)
{
    const struct task_state *state = &play.state.tasks[task];
    const char *id = play.state.plan->tasks[task].id;
    if (state->status == TASK_RUNNING) {
        const struct verdict verdict = some_verdict(chance);
        const bool ran = verdict.class == VERDICT_SUCCESS || below(chance, 8) > 0;
        play_input(
            &play,
            (struct input){.kind = INPUT_ENDED,
                           .task = task,
                           .step = run_state_step_number(&play.state, task),
                           .attempt = step_state_attempt(run_state_step(&play.state, task))->number,
                           .outcome = {.kind = ran ? OUTCOME_EXIT : OUTCOME_NOT_STARTED,
                                       .code = verdict.class == VERDICT_SUCCESS ? 0 : 1,
                                       .ran_ms = below(chance, 500)},
                           .verdict = verdict,
                           .fingerprint = {.hi = (uint64_t)below(chance, 3), .lo = 1}});
    } else if (below(chance, 6) == 0 && !play.state.ended) {
        static const enum control_verb verbs[] = {CONTROL_RETRY, CONTROL_HOLD, CONTROL_RELEASE,
                                                  CONTROL_CANCEL};
        play_control(&play, verbs[below(chance, below(chance, 4) == 0 ? 4 : 3)], id, CANCEL_STOP);
    }
}

static void play_history(uint64_t *chance)
{
    enum { TASKS = 6, HAPPENINGS = 120 };
    struct str text = {0};
    play_close(&play);
    add_plan(chance, TASKS, &text);
    play_open(&play, str_text(&text));
    str_done(&text);
    play_start(&play, 1 + below(chance, 4));
    for (int i = 0; i < HAPPENINGS && !play.state.ended; i++) {
        happen(chance, below(chance, TASKS));
        play_wait(&play, below(chance, 3000));
    }
}

/* play_close() asks for the recorded policies; here they stand in a file. */
START_TEST(test_the_recorded_policy_in_a_file_differs_nowhere)
{
    uint64_t chance = (uint64_t)_i;
    for (int i = 0; i < HISTORIES; i++) {
        struct str policies = {0};
        uint64_t again = chance;
        play_history(&chance);
        str_add(&policies, "{'policies':{'mine':");
        add_policy(&again, &policies); /* what the plan drew first */
        str_add(&policies, ",'transport':{'like':'transport'}}}");
        struct what_if *what = ask(str_text(&policies));
        ck_assert_msg(sum.differ == 0, "%s", str_text(&policies));
        ck_assert_mem_eq(&sum.recorded, &sum.other, sizeof(sum.other));
        ck_assert_int_gt(sum.decisions, 0);
        what_if_free(what);
        str_done(&policies);
    }
}
END_TEST

static int tasks_of(const struct what_if_side *side)
{
    int tasks = side->unknown;
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        tasks += side->counts[i];
    return tasks;
}

/* With any policy: nothing is invented, and the recorded side stays the same. */
START_TEST(test_another_policy_makes_nothing_up)
{
    uint64_t chance = 1000 + (uint64_t)_i;
    int differed = 0;
    for (int i = 0; i < HISTORIES; i++) {
        struct str policies = {0};
        play_history(&chance);
        struct what_if *what = ask(NULL);
        const struct what_if_sum recorded = sum;
        what_if_free(what);
        add_policy(&chance, &policies);
        what = ask(str_text(&policies));
        ck_assert_mem_eq(&sum.recorded, &recorded.recorded, sizeof(sum.recorded));
        ck_assert_int_eq(sum.other.tries + sum.not_run, sum.recorded.tries);
        ck_assert_int_le(sum.other.ran_ms, sum.recorded.ran_ms);
        ck_assert_int_le(sum.other.counts[TASK_PASSED], sum.recorded.counts[TASK_PASSED]);
        ck_assert_int_eq(tasks_of(&sum.other), tasks_of(&sum.recorded));
        ck_assert_int_eq(sum.differ, sum.waits + sum.ends + sum.goes_on);
        ck_assert_int_eq(sum.has_first, sum.differ > 0);
        ck_assert_int_ge(sum.other.waited_ms, 0);
        differed += sum.differ > 0;
        what_if_free(what);
        str_done(&policies);
    }
    ck_assert_int_gt(differed, HISTORIES / 4);
}
END_TEST

enum { DAMAGE_KINDS = 5 };

#define NUMBER(kind, member)                                                                       \
    {                                                                                              \
        kind, offsetof(struct event, member), sizeof(((struct event *)0)->member)                  \
    }

/* Up to three numbers of each kind of event. */
static const struct {
    enum event_kind kind;
    size_t offset, size;
} numbers[] = {
    NUMBER(EVENT_RUN_STARTED, run_started.jobs),
    NUMBER(EVENT_ATTEMPT_STARTED, started.start),
    NUMBER(EVENT_ATTEMPT_RUNNING, running.pid),
    NUMBER(EVENT_ATTEMPT_RUNNING, running.pid_start),
    NUMBER(EVENT_ATTEMPT_ENDED, ended.outcome.kind),
    NUMBER(EVENT_ATTEMPT_ENDED, ended.outcome.code),
    NUMBER(EVENT_ATTEMPT_ENDED, ended.outcome.ran_ms),
    NUMBER(EVENT_ATTEMPT_JUDGED, judged.label.class),
    NUMBER(EVENT_ATTEMPT_JUDGED, judged.label.type),
    NUMBER(EVENT_ATTEMPT_JUDGED, judged.label.reason),
    NUMBER(EVENT_WAIT_STARTED, wait.delay.delay_ms),
    NUMBER(EVENT_WAIT_STARTED, wait.due.at_ms),
    NUMBER(EVENT_WAIT_STARTED, wait.due.mono_ms),
    NUMBER(EVENT_STEP_ENDED, step_ended.decision),
    NUMBER(EVENT_STEP_ENDED, step_ended.attempts),
    NUMBER(EVENT_STEP_REOPENED, reopened.grant),
    NUMBER(EVENT_STEP_REOPENED, reopened.allowed),
    NUMBER(EVENT_STEP_REOPENED, reopened.scale),
    NUMBER(EVENT_GATE_CLOSED, gate_closed.source),
    NUMBER(EVENT_GATE_CLOSED, gate_closed.due.at_ms),
    NUMBER(EVENT_GATE_CLOSED, gate_closed.due.mono_ms),
    NUMBER(EVENT_GATE_OPENED, gate_opened.source),
    NUMBER(EVENT_GATE_OPENED, gate_opened.spacing_ms),
};

/* Sets the number that `which` chooses: one of the event's own (or its task), or a time. */
static void damage(struct event *event, int which, int64_t value)
{
    const int number = (int)value;
    int found = 0;
    size_t offset = offsetof(struct event, task);
    size_t size = sizeof(event->task);
    if (which >= 3) {
        *(which == 3 ? &event->at.at_ms : &event->at.mono_ms) = value;
        return;
    }
    for (int i = 0; i < TABLE_LEN(numbers); i++) {
        if (numbers[i].kind != event->kind || found++ > which)
            continue;
        offset = numbers[i].offset;
        size = numbers[i].size;
    }
    memcpy((char *)event + offset, size == sizeof(value) ? (const void *)&value : &number, size);
}

/* A damaged log is refused, or taken without computing with its wild numbers. */
START_TEST(test_damaged_events_are_refused_or_taken_and_never_trusted)
{
    static const int64_t wild[] = {INT64_MAX, INT64_MIN, -1, 1LL << 40, 99};
    uint64_t chance = 5000 + (uint64_t)_i;
    struct str text = {0};
    play_history(&chance);
    plan_write(play.plan, &text);
    for (int i = 0; i < DAMAGES; i++) {
        struct what_if *what = NULL;
        ck_assert(what_if_new(&what, str_text(&text), 7, NULL, NULL));
        const size_t at = (size_t)below(&chance, (int)play.events.count);
        bool ok = true;
        for (size_t k = 0; ok && k < play.events.count; k++) {
            struct event event = play.events.items[k];
            if (k == at)
                damage(&event, below(&chance, DAMAGE_KINDS), wild[below(&chance, TABLE_LEN(wild))]);
            ok = what_if_take(what, &event, NULL);
        }
        what_if_sum(what, &sum);
        ck_assert_int_eq(tasks_of(&sum.recorded), 6);
        what_if_free(what);
    }
    str_done(&text);
}
END_TEST

static const struct {
    int64_t tries, other_tries, saved_ms;
    int passed, other_passed, unknown, goes_on;
    const char *want;
} savings[] = {
    {9, 3, 130000, 1, 1, 0, 0, "6 attempts and 2:10 less, same result"},
    {4, 3, 999, 0, 0, 0, 0, "1 attempt less, same result"},
    {4, 4, 5000, 1, 1, 0, 0, ""},
    {4, 5, 5000, 1, 1, 0, 0, ""},
    {9, 3, 130000, 1, 0, 0, 0, ""},
    {9, 3, 130000, 1, 1, 1, 0, ""},
    {9, 3, 130000, 1, 1, 0, 1, ""},
};

START_TEST(test_savings_are_shown_if_the_result_is_the_same)
{
    const struct what_if_sum all = {
        .recorded = {.tries = savings[_i].tries,
                     .waited_ms = savings[_i].saved_ms,
                     .ran_ms = 10,
                     .counts = {[TASK_PASSED] = savings[_i].passed}},
        .other = {.tries = savings[_i].other_tries,
                  .ran_ms = 10,
                  .counts = {[TASK_PASSED] = savings[_i].other_passed},
                  .unknown = savings[_i].unknown},
        .goes_on = savings[_i].goes_on,
    };
    struct str words = {0};
    what_if_savings(&all, &words);
    ck_assert_str_eq(str_text(&words), savings[_i].want);
    str_done(&words);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("what_if");
    TCase *tcase = test_case(suite, "what_if");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_savings_are_shown_if_the_result_is_the_same, 0,
                        TABLE_LEN(savings));
    tcase_add_test(tcase, test_fewer_tries_end_a_task_and_what_needs_it);
    tcase_add_test(tcase, test_tries_that_never_happened_are_not_made_up);
    tcase_add_test(tcase, test_shorter_waits_change_the_waiting_only);
    tcase_add_test(tcase, test_waits_after_a_rate_limit_are_no_shorter);
    tcase_add_test(tcase, test_a_wait_that_a_person_ended_is_not_made_longer);
    tcase_add_test(tcase, test_a_deadline_counts_the_time_that_shorter_waits_save);
    tcase_add_test(tcase, test_a_retry_by_hand_continues_the_task);
    tcase_add_test(tcase, test_equal_results_end_it_earlier);
    tcase_add_test(tcase, test_a_policy_that_no_step_has_changes_nothing);
    tcase_add_test(tcase, test_a_build_that_decides_differently_is_reported);
    tcase_add_test(tcase, test_starts_that_fail_are_changed_by_their_name);
    tcase_add_test(tcase, test_a_plan_that_would_be_rejected_is_reported);
    tcase_add_test(tcase, test_lines_fit_their_width);
    tcase_add_test(tcase, test_lines_say_it_in_80_columns);
    tcase_add_test(tcase, test_json_says_what_the_lines_say);
    tcase_add_loop_test(tcase, test_the_recorded_policy_in_a_file_differs_nowhere, 0, 3);
    tcase_add_loop_test(tcase, test_another_policy_makes_nothing_up, 0, 3);
    tcase_add_loop_test(tcase, test_damaged_events_are_refused_or_taken_and_never_trusted, 0, 3);
    return suite;
}
