/* Which events the fold takes and which it refuses, and that its digest covers the state. */
#include "run_state.h"

#include <stddef.h>
#include <string.h>

#include "play.h"
#include "test_main.h"

static const char plan[] =
    "{'version':1,'idempotent':true,'tasks':[{'id':'a','steps':[{'run':['x'],'source':'api'},"
    "{'run':['y']}]},{'id':'b','steps':[{'run':['x'],'source':'web'}]},"
    "{'id':'c','needs':['b'],'steps':[{'run':['x']}]}]}";

enum { TASKS = 3, SOURCES = 2 };

static struct play play;

static void correct(const char *task)
{
    play_input(&play, (struct input){.kind = INPUT_CONTROL,
                                     .control = {.verb = CONTROL_CORRECT,
                                                 .task = play_task(&play, task),
                                                 .step = 0,
                                                 .attempt = 1,
                                                 .label = {.class = VERDICT_PERSISTENT},
                                                 .by = "ann"}});
}

/* A run in which each kind of event that carries numbers happens. */
static void setup(void)
{
    struct verdict limit = play_transient(TRANSIENT_API_RATE_LIMIT);
    limit.retry_after_ms = 1000;
    play_open(&play, plan);
    play_start(&play, 2);
    play_exit(&play, "a", 1, limit);
    play_wait(&play, 1000);
    play_exit(&play, "a", 0, play_passed());
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    play_exit(&play, "b", 1, limit);
    correct("a");
    play_control(&play, CONTROL_RELEASE, "c", CANCEL_STOP);
    play_control(&play, CONTROL_CANCEL, "b", CANCEL_STOP);
    play_wait(&play, 1000);
    play_exit(&play, "a", 1, play_persistent(REASON_AUTH));
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_STOP);
}

static void teardown(void)
{
    play_close(&play);
}

/* A number of an event. */
struct field {
    size_t at;
    bool is_int;
};
#define WIDE(member)                                                                               \
    {                                                                                              \
        offsetof(struct event, member), false                                                      \
    }
#define SMALL(member)                                                                              \
    {                                                                                              \
        offsetof(struct event, member), true                                                       \
    }

static void set_number(struct event *event, const struct field *field, int64_t value)
{
    void *at = (char *)event + field->at;
    if (field->is_int)
        *(int *)at = (int)value;
    else
        *(int64_t *)at = value;
}

/* The first event of a kind is refused with the numbers next to these bounds. */
static const struct {
    enum event_kind kind;
    struct field field;
    int64_t least, most;
    bool most_is_taken;
} bounds[] = {
    {EVENT_ATTEMPT_STARTED, SMALL(step), 0, 0, true},
    {EVENT_ATTEMPT_STARTED, SMALL(attempt), 1, 1, true},
    {EVENT_ATTEMPT_ENDED, SMALL(attempt), 1, 1, true},
    {EVENT_ATTEMPT_ENDED, SMALL(ended.outcome.kind), 0, OUTCOME_KIND_COUNT - 1, true},
    {EVENT_ATTEMPT_JUDGED, SMALL(judged.label.class), 0, VERDICT_CLASS_COUNT - 1, true},
    {EVENT_ATTEMPT_JUDGED, SMALL(judged.label.type), 0, TRANSIENT_TYPE_COUNT - 1, true},
    {EVENT_ATTEMPT_JUDGED, SMALL(judged.label.reason), 0, REASON_COUNT - 1, true},
    {EVENT_CLASS_CORRECTED, SMALL(corrected.class), 0, VERDICT_CLASS_COUNT - 1, true},
    {EVENT_CLASS_CORRECTED, SMALL(corrected.reason), 0, REASON_COUNT - 1, true},
    {EVENT_CLASS_CORRECTED, SMALL(step), 0, 0, true},
    {EVENT_CLASS_CORRECTED, SMALL(step), 0, 1, false},
    {EVENT_CLASS_CORRECTED, SMALL(attempt), 1, 2, true},
    {EVENT_GATE_CLOSED, SMALL(gate_closed.source), 0, SOURCES - 1, true},
    {EVENT_GATE_CLOSED, WIDE(gate_closed.due.at_ms), INT64_MIN + 1, INT64_MAX - 1, false},
    {EVENT_GATE_CLOSED, WIDE(gate_closed.due.mono_ms), INT64_MIN + 1, INT64_MAX - 1, false},
    {EVENT_GATE_CLOSED, SMALL(gate_closed.limits), -1, INT32_MAX - 1, false},
    {EVENT_GATE_CLOSED, SMALL(gate_closed.limits), 1, INT32_MAX - 1, false},
    {EVENT_GATE_CLOSED, SMALL(gate_closed.chosen), -1, TASKS - 1, true},
    {EVENT_GATE_OPENED, SMALL(gate_opened.source), 0, SOURCES - 1, true},
    {EVENT_GATE_OPENED, WIDE(gate_opened.spacing_ms), 0, INT64_MAX - 1, false},
    {EVENT_TASK_HELD, SMALL(held.follows), -1, TASKS - 1, true},
    {EVENT_STEP_ENDED, SMALL(step_ended.decision), 0, DECISION_KIND_COUNT - 1, true},
    {EVENT_STEP_ENDED, SMALL(step_ended.decision), DECISION_WAIT + 1, DECISION_KIND_COUNT - 1,
     true},
    {EVENT_STEP_ENDED, SMALL(step), 0, 1, false},
    {EVENT_RUN_STARTED, SMALL(run_started.jobs), 0, INT32_MAX - 1, false},
    {EVENT_WAIT_STARTED, WIDE(wait.delay.delay_ms), 0, INT64_MAX - 1, false},
    {EVENT_WAIT_STARTED, WIDE(wait.due.at_ms), INT64_MIN + 1, INT64_MAX - 1, false},
    {EVENT_WAIT_STARTED, WIDE(wait.due.mono_ms), INT64_MIN + 1, INT64_MAX - 1, false},
    {EVENT_WAIT_STARTED, WIDE(wait.delay.exact_ms), INT64_MIN + 1, INT64_MAX - 1, false},
    {EVENT_CANCEL_ASKED, SMALL(cancel.mode), 0, CANCEL_MODE_COUNT - 1, true},
};

START_TEST(test_numbers_are_taken_within_their_bounds)
{
    const int64_t refused[] = {bounds[_i].least - 1, bounds[_i].most + 1};
    struct run_state state;
    struct err err = {0};
    run_state_init(&state, play.plan, 7);
    size_t at = 0;
    while (at < play.events.count && play.events.items[at].kind != bounds[_i].kind) {
        ck_assert_msg(run_state_apply(&state, &play.events.items[at], &err), "%s", err.message);
        at++;
    }
    ck_assert_uint_lt(at, play.events.count);
    struct event event = play.events.items[at];
    const uint64_t before = run_state_digest(&state);
    for (int i = 0; i < TABLE_LEN(refused); i++) {
        err = (struct err){0};
        set_number(&event, &bounds[_i].field, refused[i]);
        ck_assert_msg(!run_state_apply(&state, &event, &err), "%lld", (long long)refused[i]);
        ck_assert_int_eq(err.code, ERR_DAMAGED);
        ck_assert_uint_eq(run_state_digest(&state), before);
    }
    set_number(&event, &bounds[_i].field, bounds[_i].most);
    if (bounds[_i].most_is_taken)
        ck_assert(run_state_apply(&state, &event, NULL));
    run_state_done(&state);
}
END_TEST

static bool takes(enum event_kind kind, int task)
{
    struct event event = {
        .seq = play.state.last_seq + 1, .at = play.now, .kind = kind, .task = task, .step = -1};
    return run_state_apply(&play.state, &event, NULL);
}

START_TEST(test_a_held_or_finished_task_is_not_held_again)
{
    play_close(&play);
    play_open(&play, plan);
    play_start(&play, 1);
    int c = play_task(&play, "c");
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    ck_assert(!takes(EVENT_TASK_HELD, c));
    play_control(&play, CONTROL_CANCEL, "c", CANCEL_STOP);
    ck_assert(!takes(EVENT_TASK_HELD, c));
    ck_assert(!takes(EVENT_TASK_RELEASED, c));
    ck_assert(!takes(EVENT_TASK_BLOCKED, c));
    ck_assert(!takes(EVENT_TASK_BLOCKED, play_task(&play, "a"))); /* it runs */
    ck_assert(!takes(EVENT_TASK_BLOCKED, TASKS));
    ck_assert(!takes(EVENT_TASK_HELD, -1));
}
END_TEST

/* Behind its last step in memory is another task's first. */
START_TEST(test_task_that_passed_has_no_next_step)
{
    play_close(&play);
    play_open(&play, plan);
    play_start(&play, 3);
    play_exit(&play, "b", 0, play_passed());
    struct event event = {.seq = play.state.last_seq + 1,
                          .at = play.now,
                          .kind = EVENT_STEP_ENDED,
                          .task = play_task(&play, "b"),
                          .step = 1,
                          .step_ended.decision = DECISION_FAILED};
    play_exit(&play, "c", 1, play_persistent(REASON_NONE));
    event.seq = play.state.last_seq + 1;
    ck_assert(!run_state_apply(&play.state, &event, NULL));
}
END_TEST

/* A row by hand, as a damaged log may have it. */
static bool takes_row(enum event_kind kind, int task, int number)
{
    struct event event = {.seq = play.state.last_seq + 1,
                          .at = play.now,
                          .kind = kind,
                          .task = task,
                          .round = 1,
                          .grant = 1};
    switch (kind) {
    case EVENT_STEP_ENDED:
        event.step_ended.decision = (enum decision_kind)number;
        break;
    case EVENT_STEP_REOPENED:
        event.reopened.grant = number;
        event.reopened.allowed = -1;
        break;
    case EVENT_TASK_BLOCKED:
        event.blocked.needs = number;
        break;
    case EVENT_TASK_HELD:
        event.held.follows = -1;
        break;
    default:
        break;
    }
    return run_state_apply(&play.state, &event, NULL);
}

START_TEST(test_nothing_happens_before_the_start)
{
    play_close(&play);
    play_open(&play, plan);
    ck_assert(!takes_row(EVENT_STEP_ENDED, 0, DECISION_CANCELLED));
    ck_assert(!takes_row(EVENT_TASK_HELD, 0, 0));
    ck_assert(!takes_row(EVENT_RUN_RECOVERED, -1, 0));
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_STOP);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->answered.done, 0);
    play_start(&play, 1);
    ck_assert(!takes_row(EVENT_RUN_STARTED, -1, 1));
}
END_TEST

START_TEST(test_a_step_that_has_not_begun_is_only_cancelled_or_blocked)
{
    play_close(&play);
    play_open(&play, plan);
    play_start(&play, 3);
    int b = play_task(&play, "b"), c = play_task(&play, "c");
    ck_assert(!takes_row(EVENT_STEP_ENDED, c, DECISION_SUCCEEDED));
    ck_assert(!takes_row(EVENT_TASK_BLOCKED, c, b)); /* it runs */
    play_exit(&play, "b", 1, play_persistent(REASON_AUTH));
    play_control(&play, CONTROL_CANCEL, "b", CANCEL_STOP);
    ck_assert_int_eq(play_status(&play, "c"), TASK_BLOCKED);
    play_control(&play, CONTROL_RETRY, "b", CANCEL_STOP);
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    ck_assert(!takes_row(EVENT_TASK_BLOCKED, c, 77));
    ck_assert(!takes_row(EVENT_TASK_BLOCKED, c, 0)); /* it does not need a */
    play_control(&play, CONTROL_CANCEL, "b", CANCEL_STOP);
    ck_assert(!takes_row(EVENT_STEP_REOPENED, b, 2)); /* -1 attempts */
}
END_TEST

/* A hand-written log may have nothing but the kind. */
START_TEST(test_wait_without_its_formula)
{
    struct run_state state;
    struct event event = {.at = play.now, .attempt = 1};
    run_state_init(&state, play.plan, 7);
    for (int i = 0; i < 2; i++) /* the run has started, its first attempt too */
        ck_assert(run_state_apply(&state, &play.events.items[i], NULL));
    const struct step_state *step = run_state_step(&state, 0);

    event.seq = 3;
    event.kind = EVENT_ATTEMPT_ENDED;
    event.ended.outcome.kind = OUTCOME_NOT_STARTED;
    event.ended.new_permille = -1;
    ck_assert(run_state_apply(&state, &event, NULL));
    ck_assert(!digest_is_known(step->attempts[0].fingerprint));

    event = event_new(EVENT_WAIT_STARTED);
    event.seq = 4;
    event.at = play.now;
    event.task = event.step = 0;
    event.attempt = 1;
    event.wait.is_free = true;
    ck_assert(run_state_apply(&state, &event, NULL));
    ck_assert_int_eq(step_state_formulas(step)->delay.retry_number, 0);
    ck_assert_int_eq((int)(step_state_formulas(step)->delay.factor * 100), 100);
    ck_assert_int_eq(step_state_formulas(step)->delay.hint_ms, -1);
    ck_assert_int_eq(step->used, 0); /* nothing was used that could be given back */
    ck_assert_int_eq(step->free_hints, 0);
    ck_assert_ptr_null(step_state_formulas(step)->inputs.policy);
    run_state_done(&state);
}
END_TEST

START_TEST(test_the_end_is_kept)
{
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.ended_at.at_ms, play.now.at_ms);
    ck_assert_int_eq(play.state.last.at_ms, play.now.at_ms);
    ck_assert_int_eq(play.state.last.mono_ms, play.now.mono_ms);
}
END_TEST

START_TEST(test_done_is_done_once)
{
    struct run_state state;
    run_state_init(&state, play.plan, 7);
    run_state_done(&state);
    run_state_done(&state);
    ck_assert_ptr_null(state.plan);
}
END_TEST

START_TEST(test_names_of_statuses)
{
    static const char *const want[] = {"queued",    "running", "backoff",   "passed", "gave-up",
                                       "cancelled", "blocked", "needs-you", "stuck"};
    static const bool final[] = {false, false, false, true, true, true, true, true, true};
    ck_assert_int_eq(TABLE_LEN(want), TASK_STATUS_COUNT);
    for (int i = 0; i < TABLE_LEN(want); i++) {
        ck_assert_str_eq(task_status_name((enum task_status)i), want[i]);
        ck_assert_int_eq(task_status_is_final((enum task_status)i), final[i]);
    }
}
END_TEST

/* Changes one fact at a time: the digest differs, and is the old one when the fact is restored. */
static void check_seen(const char *name, void *at, size_t size)
{
    unsigned char *bytes = at;
    uint64_t before = run_state_digest(&play.state);
    ck_assert_uint_ge(size, 1);
    bytes[0] ^= 1;
    ck_assert_msg(run_state_digest(&play.state) != before, "%s is not in the digest", name);
    bytes[0] ^= 1;
    ck_assert_uint_eq(run_state_digest(&play.state), before);
}

#define SEEN(member) check_seen(#member, &(member), sizeof(member))

START_TEST(test_digest_sees_the_run)
{
    struct run_state *run = &play.state;
    SEEN(run->seed);
    SEEN(run->jobs);
    SEEN(run->started);
    SEEN(run->ended);
    SEEN(run->stopped_by_person);
    SEEN(run->exit_code);
    SEEN(run->last_seq);
    SEEN(run->unknown_events);
    SEEN(run->running);
    SEEN(run->held_count);
    SEEN(run->follow_count);
    SEEN(run->attempts);
    SEEN(run->waited_ms);
    SEEN(run->away_ms);
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        SEEN(run->counts[i]);
    for (int i = 0; i < SOURCES; i++) {
        struct gate_state *gate = &run->gates[i];
        SEEN(gate->status);
        SEEN(gate->closed);
        SEEN(gate->since.at_ms);
        SEEN(gate->due.mono_ms);
        SEEN(gate->spacing_ms);
        SEEN(gate->probe);
        SEEN(gate->chosen);
    }
}
END_TEST

static void check_task(struct task_state *task)
{
    SEEN(task->status);
    SEEN(task->unmet);
    SEEN(task->blocked_by);
    SEEN(task->entropy);
    SEEN(task->held);
    SEEN(task->follows);
    SEEN(task->followers);
    SEEN(task->cancelling);
    SEEN(task->cancel_mode);
    SEEN(task->since.at_ms);
    SEEN(task->held_since.at_ms);
    SEEN(task->waited_ms);
    SEEN(task->first_start.at_ms);
}

START_TEST(test_digest_sees_the_tasks)
{
    for (int i = 0; i < TASKS; i++)
        check_task(&play.state.tasks[i]);
    uint64_t before = run_state_digest(&play.state);
    number_set_add(&play.state.ready, 2);
    ck_assert(run_state_digest(&play.state) != before);
    number_set_remove(&play.state.ready, 2);
    heap_put(&play.state.waits, 2, 2);
    ck_assert(run_state_digest(&play.state) != before);
    heap_remove(&play.state.waits, 2);
    number_set_add(&play.state.gates[1].line, 1);
    ck_assert(run_state_digest(&play.state) != before);
    number_set_remove(&play.state.gates[1].line, 1);
    ck_assert_uint_eq(run_state_digest(&play.state), before);
}
END_TEST

static void check_step(struct step_state *step)
{
    SEEN(step->status);
    SEEN(step->end);
    SEEN(step->grant);
    SEEN(step->used);
    SEEN(step->allowed);
    SEEN(step->start_failures);
    SEEN(step->free_hints);
    SEEN(step->same);
    SEEN(step->interrupted);
    SEEN(step->held_ms);
    SEEN(step->judged);
    SEEN(step->silent_failure);
    SEEN(step->quiet);
    SEEN(step->first_start.mono_ms);
    SEEN(step->wait_from.mono_ms);
    SEEN(step->due.at_ms);
    SEEN(step->due.mono_ms);
}

static void check_attempt(struct attempt_state *attempt)
{
    SEEN(attempt->number);
    SEEN(attempt->grant);
    SEEN(attempt->started.at_ms);
    SEEN(attempt->ended.at_ms);
    SEEN(attempt->pid);
    SEEN(attempt->waited_ms);
    SEEN(attempt->call.hi);
    SEEN(attempt->call.lo);
    SEEN(attempt->fingerprint.hi);
    SEEN(attempt->fingerprint.lo);
    SEEN(attempt->outcome.kind);
    SEEN(attempt->outcome.code);
    SEEN(attempt->outcome.ran_ms);
    SEEN(attempt->outcome.bytes[0]);
    SEEN(attempt->outcome.bytes[1]);
    SEEN(attempt->class);
    SEEN(attempt->type);
    SEEN(attempt->reason);
    if (!attempt->correction)
        return;
    SEEN(attempt->correction->at_ms);
    SEEN(attempt->correction->label.class);
    SEEN(attempt->correction->label.type);
    SEEN(attempt->correction->label.reason);
    SEEN(attempt->correction->by[0]);
}

START_TEST(test_digest_sees_steps_and_attempts)
{
    int corrections = 0;
    for (int i = 0; i < play.plan->step_count; i++) {
        struct step_state *step = &play.state.steps[i];
        check_step(step);
        for (size_t k = 0; k < step->attempt_count; k++) {
            check_attempt(&step->attempts[k]);
            corrections += step->attempts[k].correction != NULL;
        }
    }
    ck_assert_int_eq(corrections, 1);
}
END_TEST

/* A run that goes on: `a` and `b` run, `c` needs `b`. */
static void setup_running(void)
{
    play_open(&play, plan);
    play_start(&play, 2);
}

/* Events that cannot follow: each is refused and changes nothing. */
static const struct {
    const char *name;
    int64_t seq_off;
    enum event_kind kind;
    int task, step, attempt;
    bool is_damaged;
} damaged[] = {
    {.name = "the same seq again", .kind = EVENT_NOTE, .seq_off = -1, .task = -1, .step = -1},
    {.name = "a gap", .kind = EVENT_NOTE, .seq_off = 1, .task = -1, .step = -1},
    {.name = "invalid data", .kind = EVENT_NOTE, .task = -1, .step = -1, .is_damaged = true},
    {.name = "no such task", .kind = EVENT_TASK_HELD, .task = TASKS, .step = -1},
    {.name = "no task where one is needed", .kind = EVENT_TASK_HELD, .task = -1, .step = -1},
    {.name = "no such step", .kind = EVENT_ATTEMPT_STARTED, .step = 2, .attempt = 1},
    {.name = "a step that is not the present one", .kind = EVENT_STEP_ENDED, .step = 1},
    {.name = "an attempt that never started", .kind = EVENT_ATTEMPT_ENDED, .task = 2, .attempt = 1},
    {.name = "an attempt that is not the latest", .kind = EVENT_ATTEMPT_ENDED, .attempt = 2},
    {.name = "an attempt number that jumps", .kind = EVENT_ATTEMPT_STARTED, .attempt = 3},
    {.name = "a new attempt while one runs", .kind = EVENT_ATTEMPT_STARTED, .attempt = 2},
    {.name = "a verdict before the end", .kind = EVENT_ATTEMPT_JUDGED, .attempt = 1},
    {.name = "the end of a wait that is not", .kind = EVENT_WAIT_ENDED, .attempt = 1},
    {.name = "more tries for what runs", .kind = EVENT_STEP_REOPENED, .attempt = 1},
    {.name = "a release of what nobody holds", .kind = EVENT_TASK_RELEASED, .step = -1},
    {.name = "a block of what runs", .kind = EVENT_TASK_BLOCKED, .step = -1},
    {.name = "a second start", .kind = EVENT_RUN_STARTED, .task = -1, .step = -1},
};

START_TEST(test_an_event_that_cannot_follow_is_refused)
{
    const uint64_t before = run_state_digest(&play.state);
    struct event event = event_new(damaged[_i].kind);
    event.seq = play.state.last_seq + 1 + damaged[_i].seq_off;
    event.at = play.now;
    event.task = damaged[_i].task;
    event.step = damaged[_i].step;
    event.attempt = damaged[_i].attempt;
    event.is_damaged = damaged[_i].is_damaged;
    if (event.kind == EVENT_STEP_REOPENED)
        event.reopened.grant = event.reopened.allowed = 2;
    if (event.kind == EVENT_TASK_BLOCKED)
        event.blocked.needs = 1;
    if (event.kind == EVENT_RUN_STARTED)
        event.run_started.jobs = 2;
    struct err err = {0};
    ck_assert_msg(!run_state_apply(&play.state, &event, &err), "%s", damaged[_i].name);
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_uint_eq(run_state_digest(&play.state), before);
}
END_TEST

START_TEST(test_an_unknown_kind_is_counted_and_skipped)
{
    struct run_state copy;
    struct err err = {0};
    run_state_init(&copy, play.plan, 7);
    struct event event = {
        .seq = 1, .at = play.now, .kind = EVENT_UNKNOWN, .task = 77, .unknown.kind = "later"};
    ck_assert_msg(run_state_apply(&copy, &event, &err), "%s", err.message);
    ck_assert_int_eq(copy.unknown_events, 1);
    ck_assert_int_eq(copy.last_seq, 1);
    run_state_done(&copy);
}
END_TEST

START_TEST(test_attempts_keep_what_became_of_them)
{
    play_input(&play, (struct input){.kind = INPUT_RUNNING, .attempt = 1, .pid = 4711});
    struct verdict verdict = play_persistent(REASON_TEST_FAIL);
    (void)memcpy(verdict.match, "not ok 3", sizeof("not ok 3"));
    play_outcome(&play, "a",
                 (struct outcome){.kind = OUTCOME_EXIT,
                                  .code = 2,
                                  .ran_ms = 30,
                                  .bytes = {5, 6},
                                  .lines = {1, 2},
                                  .rss_kib_max = 900,
                                  .cpu_ms = 3},
                 verdict);
    const struct attempt_state *attempt = &play.state.steps[0].attempts[0];
    ck_assert_int_eq(attempt->pid, 4711);
    ck_assert_int_eq(attempt->outcome.code, 2);
    ck_assert_int_eq(attempt->outcome.bytes[1], 6);
    ck_assert_int_eq(attempt->outcome.lines[1], 2);
    ck_assert_int_eq(attempt->outcome.rss_kib_max, 900);
    ck_assert_int_eq(attempt->reason, REASON_TEST_FAIL);
    struct verdict kept;
    ck_assert_ptr_eq(step_state_verdict(&play.state.steps[0], &kept), &kept);
    ck_assert_int_eq(kept.reason, REASON_TEST_FAIL);
    ck_assert_str_eq(kept.match, "not ok 3");
    ck_assert_str_eq(kept.rule, "test.rule");
}
END_TEST

START_TEST(test_tries_count_those_that_can_still_come)
{
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    ck_assert_int_eq(run_state_tries(&play.state, 0), 3);
    play_wait(&play, 500);
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = 11},
                 play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(run_state_tries(&play.state, 0), 4); /* the start used up no try */
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fold");
    TCase *tcase = test_case(suite, "events");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_numbers_are_taken_within_their_bounds, 0, TABLE_LEN(bounds));
    tcase_add_test(tcase, test_a_held_or_finished_task_is_not_held_again);
    tcase_add_test(tcase, test_task_that_passed_has_no_next_step);
    tcase_add_test(tcase, test_nothing_happens_before_the_start);
    tcase_add_test(tcase, test_a_step_that_has_not_begun_is_only_cancelled_or_blocked);
    tcase_add_test(tcase, test_wait_without_its_formula);
    tcase_add_test(tcase, test_the_end_is_kept);
    tcase_add_test(tcase, test_done_is_done_once);
    tcase_add_test(tcase, test_names_of_statuses);
    tcase_add_test(tcase, test_digest_sees_the_run);
    tcase_add_test(tcase, test_digest_sees_the_tasks);
    tcase_add_test(tcase, test_digest_sees_steps_and_attempts);
    tcase = test_case(suite, "running");
    tcase_add_checked_fixture(tcase, setup_running, teardown);
    tcase_add_loop_test(tcase, test_an_event_that_cannot_follow_is_refused, 0, TABLE_LEN(damaged));
    tcase_add_test(tcase, test_an_unknown_kind_is_counted_and_skipped);
    tcase_add_test(tcase, test_attempts_keep_what_became_of_them);
    tcase_add_test(tcase, test_tries_count_those_that_can_still_come);
    return suite;
}
