/*
 * Agents while they run: sessions, budgets, calls that loop. When a budget warns and ends, is
 * counted, and is renewed: tests/sim/onlooker.c.
 */
#include <errno.h>
#include <string.h>

#include "adapter.h"
#include "play.h"
#include "repair.h"
#include "str.h"
#include "test_main.h"

#define TASK(id, members, steps) "{\"id\": \"" id "\"," members " \"steps\": [" steps "]}"
#define PLAN(members, tasks)                                                                       \
    "{\"version\": 1, \"workspace\": \"copy\"," members " \"tasks\": [" tasks "]}"
#define AGENT "{\"agent\": \"claude\", \"prompt\": \"do it\"}"
#define CHECK "{\"phase\": \"VERIFY\", \"run\": [\"make\"]}"

static struct play play;
static int calls; /* of the attempt that runs */

static void open_plan(const char *json)
{
    play_open(&play, json);
    play_start(&play, 4);
    calls = 0;
}

static void teardown(void)
{
    play_close(&play);
}

/* Sends the engine's report about the running attempt. */
static void tell(const char *id, struct event fact)
{
    const int task = play_task(&play, id);
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&play.state, task));
    play_input(&play, (struct input){.kind = INPUT_FACT,
                                     .task = task,
                                     .step = run_state_step_number(&play.state, task),
                                     .attempt = attempt->number,
                                     .fact_event = fact});
}

static struct event session(const char *id, bool resumed)
{
    struct event fact = event_new(EVENT_AGENT_SESSION);
    fact.session.agent = "claude";
    fact.session.session = id;
    fact.session.resumed = resumed;
    return fact;
}

static void use(const char *id, int64_t turns, int64_t cost_micro)
{
    struct event fact = event_new(EVENT_AGENT_USED);
    fact.used.used = (struct agent_used){.turns = turns, .cost_micro = cost_micro, .tokens = 1000};
    tell(id, fact);
}

/* Reports the same call with the same result, or another one each time. */
static void call(bool alike)
{
    struct entropy_fact fact = {.call = {7, 7}, .outcome = {8, 8}, .lines = 3};
    calls++;
    if (!alike) {
        fact.call.hi += (uint64_t)calls;
        fact.outcome.hi += (uint64_t)calls;
        fact.gain = ENTROPY_GAIN_LINE;
        fact.new_permille = 1000;
    }
    struct event event = event_new(EVENT_AGENT_CALL);
    event.call.number = calls;
    event.call.ms = 20;
    event.call.tool = "Bash";
    event.call.what = "make tax";
    event.call.has_loop = true;
    event.call.loop = fact;
    tell("a", event);
}

static int kills(void)
{
    int count = 0;
    for (size_t i = 0; i < play.turn.action_count; i++)
        count += play.turn.actions[i].kind == ACTION_KILL;
    return count;
}

static void was_ended(const char *id)
{
    struct verdict cancelled = play_persistent(REASON_CANCELLED);
    play_outcome(&play, id, (struct outcome){.kind = OUTCOME_CANCELLED, .code = 143}, cancelled);
}

static const struct task_agent *agent_of(const char *id)
{
    return play.state.tasks[play_task(&play, id)].agent;
}

START_TEST(test_a_session_is_known_from_its_first_event_on)
{
    open_plan(PLAN("", TASK("a", "", AGENT "," CHECK)));
    ck_assert_ptr_null(agent_of("a")->session);
    tell("a", session("s-1", false));
    ck_assert_str_eq(agent_of("a")->session, "s-1");
    ck_assert_str_eq(agent_of("a")->agent, "claude");
    ck_assert_int_eq(agent_of("a")->heard_attempt, 1);
    tell("a", session("s-2", false));
    ck_assert_str_eq(agent_of("a")->session, "s-2");
}
END_TEST

static bool is_called_with(const char *session)
{
    char **argv = agent_session_argv(&play.state, play_task(&play, "a"), 0);
    bool found = false;
    for (int i = 0; argv[i]; i++)
        found = found || strcmp(argv[i], session) == 0;
    adapter_argv_free(argv);
    return found;
}

START_TEST(test_an_attempt_is_shown_as_it_was_called)
{
    open_plan(PLAN("", TASK("a", "", AGENT)));
    ck_assert(!is_called_with("s-1"));
    tell("a", session("s-1", false));
    ck_assert(!is_called_with("s-1"));
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    ck_assert(is_called_with("s-1")); /* the one that is waited for */
    play_wait(&play, 60000);
    tell("a", session("s-1", true));
    ck_assert(is_called_with("s-1"));
}
END_TEST

/* It would be an option of the CLI that is started with it. */
START_TEST(test_an_invalid_id_is_not_kept_as_a_session)
{
    open_plan(PLAN("", TASK("a", "", AGENT)));
    tell("a", session("--dangerously-skip-permissions", false));
    ck_assert_ptr_null(agent_of("a")->session);
    ck_assert_int_eq(agent_of("a")->heard_attempt, 0);
}
END_TEST

#define BUDGET(of) "\"budget\": {" of "},"

static bool is_due(int64_t turns, int64_t cost_micro)
{
    const struct agent_used used = {.turns = turns, .cost_micro = cost_micro, .calls = 1000};
    return run_state_budget_is_due(&play.state, play_task(&play, "a"), &used);
}

/* The engine writes to the log at once what a budget is waiting for. */
START_TEST(test_a_budget_is_due_at_its_mark_and_at_its_end)
{
    open_plan(PLAN(BUDGET("\"cost_usd\": 1"), TASK("a", BUDGET("\"turns\": 3"), AGENT) "," TASK(
                                                  "b", "", AGENT) "," TASK("c", "", CHECK)));
    use("b", 1, 500000);
    ck_assert(!is_due(1, 0));
    ck_assert(is_due(2, 0));
    ck_assert(is_due(1, 300000)); /* the run's */
    use("a", 2, 0);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->budget.is_spent, false);
    ck_assert(!is_due(2, 0));
    ck_assert(is_due(3, 0));
    use("a", 3, 0);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->budget.is_spent, true);
    ck_assert(!is_due(4, 0));
    ck_assert(is_due(4, 500000));
    ck_assert(
        !run_state_budget_is_due(&play.state, play_task(&play, "c"), &(struct agent_used){0}));
}
END_TEST

START_TEST(test_a_spent_budget_ends_the_attempt_and_needs_a_person)
{
    open_plan(PLAN("", TASK("a", BUDGET("\"cost_usd\": 0.5"), AGENT "," CHECK)));
    use("a", 1, 500001);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->budget.is_spent, true);
    ck_assert_int_eq(kills(), 1);
    was_ended("a");
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(end->step_ended.decision, DECISION_NEEDS_YOU);
    ck_assert_int_eq(end->step_ended.inputs.of, DECISION_OF_TASK);
    ck_assert_int_eq(end->step_ended.inputs.budget, BUDGET_COST);
    ck_assert_int_eq(play_last(&play, EVENT_ATTEMPT_JUDGED)->judged.label.reason, REASON_BUDGET);
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(step_state_attempt(run_state_step(&play.state, 0))->outcome.stop, STOP_BUDGET);
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.exit_code, 4);
}
END_TEST

START_TEST(test_the_budget_of_the_run_ends_all_its_agents)
{
    open_plan(PLAN(BUDGET("\"turns\": 10"),
                   TASK("a", "", AGENT) "," TASK("b", "", AGENT "," CHECK) "," TASK(
                       "c", "", CHECK) "," TASK("d", "\"needs\": [\"c\"],", AGENT)));
    use("a", 4, 0);
    use("b", 5, 0);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->task, -1);
    use("b", 6, 0);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->budget.is_spent, true);
    ck_assert_int_eq(kills(), 2);
    was_ended("a");
    was_ended("b");
    play_exit(&play, "c", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(play_status(&play, "b"), TASK_NEEDS_YOU);
    ck_assert_int_eq(play_status(&play, "c"), TASK_PASSED);
    ck_assert_int_eq(play_status(&play, "d"), TASK_NEEDS_YOU);
    ck_assert_uint_eq(run_state_step(&play.state, 3)->attempt_count, 0);
    ck_assert_int_eq(step_state_formulas(run_state_step(&play.state, 3))->inputs.of,
                     DECISION_OF_RUN);
}
END_TEST

/* All runs of the log had used this much today. */
static void tell_day(int date, int64_t cost_micro)
{
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(EVENT_DAY_COST);
    input.fact_event.day.date = date;
    input.fact_event.day.cost_micro = cost_micro;
    play_input(&play, input);
}

START_TEST(test_the_budget_of_a_day_counts_other_runs)
{
    enum { TODAY = 20261201, TOMORROW };
    open_plan(PLAN(BUDGET("\"day_usd\": 10"), TASK("a", "", AGENT) "," TASK("b", "", AGENT)));
    struct budget_use use_of;
    tell_day(TODAY, 7000000);
    ck_assert_ptr_null(play_last(&play, EVENT_BUDGET));
    use("a", 1, 900000);
    ck_assert_ptr_null(play_last(&play, EVENT_BUDGET));
    ck_assert(run_state_budget(&play.state, -1, BUDGET_DAY, &play.now, &use_of));
    ck_assert_int_eq(use_of.used, 7900000);
    tell_day(TODAY, 7900000); /* nothing new */
    ck_assert_int_eq(play_count(&play, EVENT_DAY_COST, NULL), 1);
    tell_day(TODAY, 8500000);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->budget.kind, BUDGET_DAY);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->budget.is_spent, false);
    ck_assert(!run_state_budget(&play.state, 0, BUDGET_DAY, &play.now, &use_of));
    tell_day(TOMORROW, 0); /* what this run had used counts no more */
    ck_assert(run_state_budget(&play.state, -1, BUDGET_DAY, &play.now, &use_of));
    ck_assert_int_eq(use_of.used, 0);
    use("a", 2, 1900000);
    tell_day(TOMORROW, 9000000);
    ck_assert_int_eq(kills(), 0);
    use("b", 1, 1000000);
    ck_assert_int_eq(play_last(&play, EVENT_BUDGET)->budget.is_spent, true);
    ck_assert_int_eq(kills(), 2);
    was_ended("a");
    was_ended("b");
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(step_state_formulas(run_state_step(&play.state, 0))->inputs.budget,
                     BUDGET_DAY);
}
END_TEST

/* Nobody sees what runs then, and a person's request does not change that. */
START_TEST(test_no_budget_is_spent_while_there_is_no_engine)
{
    open_plan(PLAN("", TASK("a", BUDGET("\"wall_s\": 100"), AGENT)));
    play_wait(&play, 10000);
    play.scheduler.orphaned = true;
    play_wait(&play, 500000);
    ck_assert_int_eq(play_count(&play, EVENT_BUDGET, "a"), 0);
    ck_assert_int_eq(kills(), 0);
}
END_TEST

/* Sends the state of the attempt's job. */
static void tell_job(enum job_state state)
{
    struct event fact = event_new(EVENT_JOB_STATE);
    fact.job.state = state;
    fact.job.job = "17";
    tell("a", fact);
}

static int64_t wall_of(int task)
{
    struct budget_use use;
    ck_assert(run_state_budget(&play.state, task, BUDGET_WALL, &play.now, &use));
    return use.used;
}

/* Nor while a job waits in the queue of its cluster: neither the task's nor that of the run. */
START_TEST(test_no_budget_is_spent_in_a_queue)
{
    open_plan(
        "{\"version\": 1, \"budget\": {\"wall_s\": 300}, \"executors\": {\"farm\": {\"like\":"
        " \"slurm\", \"shared\": \"/s\"}}, \"executor\": \"farm\", \"tasks\": [{\"id\": \"a\","
        " \"budget\": {\"wall_s\": 100}, \"steps\": [" AGENT "]}]}");
    play_wait(&play, 1000);
    tell_job(JOB_QUEUED);
    play_wait(&play, 500000);
    tell_job(JOB_QUEUED);
    ck_assert_int_eq(wall_of(0), 1000);
    ck_assert_int_eq(wall_of(-1), 1000);
    ck_assert_int_eq(play.state.in_queue, 1);
    ck_assert_int_eq(run_state_since_ms(&play.state, 0,
                                        step_state_attempt(run_state_step(&play.state, 0)),
                                        play.now.mono_ms),
                     500000);
    tell_job(JOB_RUNNING);
    play_wait(&play, 60000);
    ck_assert_int_eq(play.state.in_queue, 0);
    ck_assert_int_eq(wall_of(0), 61000);
    ck_assert_int_eq(wall_of(-1), 61000);
    tell_job(JOB_QUEUED); /* it got another job */
    play_wait(&play, 100000);
    ck_assert_int_eq(play_count(&play, EVENT_BUDGET, "a"), 0);
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&play.state, 0));
    ck_assert_int_eq(run_state_queue_ms(&play.state, 0, attempt, play.now.mono_ms), 600000);
    ck_assert_int_eq(run_state_running_ms(&play.state, 0, attempt, play.now.mono_ms), 61000);
    play_crash(&play, play.events.count, true); /* the clock since boot begins again */
    attempt = step_state_attempt(run_state_step(&play.state, 0));
    const int64_t lasted_ms = play.now.mono_ms - attempt->started.mono_ms;
    ck_assert_int_eq(run_state_queue_ms(&play.state, 0, attempt, play.now.mono_ms),
                     lasted_ms - 61000);
    ck_assert_int_eq(wall_of(-1), 61000);
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_LOST},
                 play_transient(TRANSIENT_NETWORK_TIMEOUT));
    ck_assert_int_eq(play.state.in_queue, 0);
    ck_assert_int_eq(wall_of(0), 61000);
}
END_TEST

static int calls_until(enum event_kind kind, int most)
{
    const int before = play_count(&play, kind, "a");
    while (calls < most && play_count(&play, kind, "a") == before)
        call(true);
    return calls;
}

START_TEST(test_a_suspicion_is_kept_for_the_next_prompt)
{
    open_plan(PLAN("", TASK("a", "\"rounds\": 2,", AGENT "," CHECK)));
    call(false);
    ck_assert_int_lt(calls_until(EVENT_LOOP_SUSPECTED, 40), 40);
    const struct event *event = play_last(&play, EVENT_LOOP_SUSPECTED);
    ck_assert(event->loop.of_calls);
    ck_assert_int_eq(event->loop.facts.first, 2);
    ck_assert_int_eq(event->loop.facts.last, calls);
    ck_assert_int_eq(kills(), 0);
    ck_assert_ptr_nonnull(strstr(agent_of("a")->nudge, "make tax"));
    call(false);
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_ptr_nonnull(agent_of("a")->nudge);
    play_input(&play, (struct input){.kind = INPUT_RUNNING, .step = 0, .attempt = 2, .pid = 9});
    ck_assert_msg(!agent_of("a")->nudge, "it was said with the prompt");
}
END_TEST

START_TEST(test_calls_in_a_loop_end_the_attempt_and_the_task)
{
    open_plan(PLAN("", TASK("a", "\"rounds\": 3,", AGENT "," CHECK)));
    while (!agent_of("a")->is_stuck && calls < 60)
        call(true);
    ck_assert(agent_of("a")->is_stuck);
    ck_assert_int_eq(kills(), 1);
    call(true);
    ck_assert_int_eq(kills(), 0);
    ck_assert_int_eq(play_count(&play, EVENT_LOOP_SUSPECTED, "a"), 2);
    was_ended("a");
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(end->step_ended.decision, DECISION_ENTROPY);
    ck_assert_int_eq(end->step_ended.inputs.of, DECISION_OF_CALLS);
    ck_assert_int_eq(play_last(&play, EVENT_ATTEMPT_JUDGED)->judged.label.reason, REASON_LOOP);
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    ck_assert_int_eq(play.state.exit_code, 3);
}
END_TEST

START_TEST(test_a_message_of_a_person_resets_the_loop)
{
    open_plan(PLAN("", TASK("a", "", AGENT)));
    while (!agent_of("a")->is_stuck)
        call(true);
    const int first = calls;
    was_ended("a");
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    calls = 0;
    for (int i = 0; i < 2 * first - 1; i++)
        call(true);
    calls++;
    struct event message = event_new(EVENT_AGENT_CALL);
    message.call.number = calls;
    message.call.tool = "user";
    message.call.what = "try it in another way";
    tell("a", message);
    call(true);
    ck_assert(!agent_of("a")->is_stuck);
    ck_assert_int_eq(agent_of("a")->calls->verdict.level, ENTROPY_OK);
}
END_TEST

START_TEST(test_E2_an_agent_that_is_not_found_is_not_tried_again)
{
    open_plan(PLAN("", TASK("a", "", AGENT)));
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = ENOENT},
                 play_persistent(REASON_NOT_FOUND));
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_FAILED);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
}
END_TEST

START_TEST(test_E2_silence_is_a_timeout_and_not_tried_again)
{
    struct str words = {0};
    open_plan(PLAN("", TASK("a", "", AGENT)));
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_TIMEOUT, .quiet_ms = 900000},
                 play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision, DECISION_FAILED);
    outcome_words(&step_state_attempt(run_state_step(&play.state, 0))->outcome, &words);
    ck_assert_str_eq(str_text(&words), "timeout: no output for 900 s");
    str_done(&words);
}
END_TEST

START_TEST(test_E4_a_step_of_an_agent_may_have_a_policy_of_its_own)
{
    open_plan(PLAN("", TASK("a", "",
                            "{\"agent\": \"claude\", \"prompt\": \"x\","
                            " \"policy\": {\"like\": \"transport\", \"max_attempts\": 2}}")));
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
    play_wait(&play, 60000);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    ck_assert_int_eq(play_last(&play, EVENT_STEP_ENDED)->step_ended.decision,
                     DECISION_TRANSIENT_EXHAUSTED);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("agent_limits");
    TCase *facts = test_case(suite, "facts");
    tcase_add_checked_fixture(facts, NULL, teardown);
    tcase_add_test(facts, test_a_session_is_known_from_its_first_event_on);
    tcase_add_test(facts, test_an_attempt_is_shown_as_it_was_called);
    tcase_add_test(facts, test_an_invalid_id_is_not_kept_as_a_session);
    TCase *budgets = test_case(suite, "budgets");
    tcase_add_checked_fixture(budgets, NULL, teardown);
    tcase_add_test(budgets, test_a_budget_is_due_at_its_mark_and_at_its_end);
    tcase_add_test(budgets, test_a_spent_budget_ends_the_attempt_and_needs_a_person);
    tcase_add_test(budgets, test_the_budget_of_the_run_ends_all_its_agents);
    tcase_add_test(budgets, test_the_budget_of_a_day_counts_other_runs);
    tcase_add_test(budgets, test_no_budget_is_spent_in_a_queue);
    tcase_add_test(budgets, test_no_budget_is_spent_while_there_is_no_engine);
    TCase *circles = test_case(suite, "calls");
    tcase_add_checked_fixture(circles, NULL, teardown);
    tcase_add_test(circles, test_a_suspicion_is_kept_for_the_next_prompt);
    tcase_add_test(circles, test_calls_in_a_loop_end_the_attempt_and_the_task);
    tcase_add_test(circles, test_a_message_of_a_person_resets_the_loop);
    TCase *transport = test_case(suite, "transport");
    tcase_add_checked_fixture(transport, NULL, teardown);
    tcase_add_test(transport, test_E2_an_agent_that_is_not_found_is_not_tried_again);
    tcase_add_test(transport, test_E2_silence_is_a_timeout_and_not_tried_again);
    tcase_add_test(transport, test_E4_a_step_of_an_agent_may_have_a_policy_of_its_own);
    return suite;
}
