/* story_agents.c - a made-up run of agents: rounds, budgets, looping calls. */
#include <check.h>
#include <stddef.h>

#include "story.h"

enum { DOLLAR = 1000000, CENT = 10000 };

static const char tasks[] =
    "{\"id\": \"tax\", \"title\": \"checkout: tax rounding\", \"rounds\": 3,"
    " \"budget\": {\"cost_usd\": 2, \"calls\": 100}, \"steps\": ["
    "{\"phase\": \"GREEN\", \"agent\": \"claude\", \"prompt\": \"round half to even\"},"
    "{\"phase\": \"VERIFY\", \"run\": [\"make\", \"test\"]}]},"
    "{\"id\": \"mail\", \"title\": \"mail: retry bounced\", \"budget\": {\"cost_usd\": 1},"
    " \"steps\": [{\"phase\": \"GREEN\", \"agent\": \"codex\", \"prompt\": \"retry\"}]},"
    "{\"id\": \"cart\", \"title\": \"cart: merge on login\", \"steps\": ["
    "{\"phase\": \"GREEN\", \"agent\": \"claude\", \"prompt\": \"merge\"}]},"
    "{\"id\": \"docs\", \"title\": \"docs: openapi\", \"steps\": ["
    "{\"phase\": \"GREEN\", \"agent\": \"pi\", \"prompt\": \"write\"}]}";

static void begin_session(struct story *story, const char *id, const char *text)
{
    story_start(story, id);
    story_add_json(story, story_event(story, id, EVENT_AGENT_SESSION), text);
}

static void use(struct story *story, const char *id, int turns, int calls, int64_t cost)
{
    struct event event = story_event(story, id, EVENT_AGENT_USED);
    event.used.used = (struct agent_used){
        .turns = turns, .calls = calls, .cost_micro = cost, .tokens = (int64_t)turns * 1500};
    story_add(story, event);
}

static void say(struct story *story, const char *id, int number, const char *text)
{
    struct event event = story_event(story, id, EVENT_AGENT_CALL);
    event.call.number = number;
    event.call.what = text;
    story_add(story, event);
}

static void tell_budget(struct story *story, const char *id, int64_t used, int64_t limit,
                        bool is_spent)
{
    struct event event = story_event(story, id, EVENT_BUDGET);
    event.budget.kind = BUDGET_COST;
    event.budget.used = used;
    event.budget.limit = limit;
    event.budget.is_spent = is_spent;
    story_add(story, event);
}

static const char session[] =
    "{\"agent\":\"claude\",\"session\":\"83ca3d6e-1111-4222-8333-444455556666\"}";

/* The agent says that it is done, but the check fails. */
static void tell_first_round(struct story *story)
{
    begin_session(story, "tax", session);
    use(story, "tax", 7, 19, 90 * CENT);
    say(story, "tax", 20, "All tests pass now.");
    story_at(story, 5, 0);
    story_pass(story, "tax");
    story_start(story, "tax");
    story_at(story, 5, 40);
    story_fail(story, "tax", REASON_TEST_FAIL, NULL);
    struct event event = story_event(story, "tax", EVENT_ROUND_STARTED);
    event.round_started.round = 2;
    event.round_started.failed_step = 1;
    event.round_started.failed_attempt = 1;
    event.round_started.prompt = "make test failed";
    story_add(story, event);
}

/* Most of the budget is used. */
static void tell_second_round(struct story *story)
{
    begin_session(story, "tax", session);
    struct event event = story_event(story, "tax", EVENT_AGENT_USED);
    event.used.used =
        (struct agent_used){.turns = 5, .calls = 12, .cost_micro = 72 * CENT, .own_retries = 3};
    story_add(story, event);
    tell_budget(story, "tax", 162 * CENT, 2 * DOLLAR, false);
}

static void spend_all(struct story *story)
{
    begin_session(story, "mail", "{\"agent\":\"codex\",\"session\":\"01a20206-bb30\"}");
    use(story, "mail", 30, 88, 104 * CENT);
    tell_budget(story, "mail", 104 * CENT, DOLLAR, true);
    struct event event = story_event(story, "mail", EVENT_ATTEMPT_ENDED);
    event.ended.outcome.kind = OUTCOME_CANCELLED;
    event.ended.outcome.ran_ms = 61000;
    story_add(story, event);
    event = story_event(story, "mail", EVENT_ATTEMPT_JUDGED);
    event.judged.label.class = VERDICT_PERSISTENT;
    event.judged.label.reason = REASON_BUDGET;
    story_add(story, event);
    event = story_event(story, "mail", EVENT_STEP_ENDED);
    event.step_ended.decision = DECISION_NEEDS_YOU;
    story_add_json(story, event,
                   "{\"policy\":\"transport\",\"phase\":\"GREEN\",\"used\":1,\"allowed\":4,"
                   "\"of\":\"task\",\"budget\":\"cost_usd\",\"spent\":1040000,"
                   "\"limit\":1000000}");
}

static void call_again(struct story *story, const char *id, int count)
{
    static const struct entropy_fact same = {
        .call = {.hi = UINT64_C(0x7c1e) << 48, .lo = 1},
        .raw = 7,
        .bits = ENTROPY_FAILED,
        .new_permille = -1,
        .lines = 3,
    };
    for (int i = 1; i <= count; i++) {
        struct event event = story_event(story, id, EVENT_AGENT_CALL);
        event.call.number = i;
        event.call.ms = 2000;
        event.call.code = 2;
        event.call.tool = "Bash";
        event.call.what = "make test";
        event.call.has_loop = true;
        event.call.loop = same;
        story_add(story, event);
    }
    const struct entropy_verdict *verdict =
        &story->state.tasks[story_task(story, id)].agent->calls->verdict;
    struct event event = story_event(story, id, EVENT_LOOP_SUSPECTED);
    ck_assert_int_eq(verdict->level, ENTROPY_SUSPECT);
    event.loop.facts.rung = verdict->rung;
    event.loop.facts.first = verdict->first_number;
    event.loop.facts.last = verdict->last_number;
    event.loop.facts.count = verdict->count;
    event.loop.of_calls = true;
    event.loop.nudge = "make test says the same: do something else";
    story_add(story, event);
}

void story_init_agents(struct story *story)
{
    story_init_tasks(story, tasks);
    story_at(story, 1, 0);
    tell_first_round(story);
    tell_second_round(story);
    story_at(story, 9, 0);
    spend_all(story);
    story_at(story, 11, 30);
    begin_session(story, "cart", "{\"agent\":\"claude\",\"session\":\"2d90aaaa-bbbb\"}");
    call_again(story, "cart", 3);
    story_at(story, 12, 37);
}

void story_init_said(struct story *story)
{
    story_init_tasks(story, tasks);
    story_at(story, 1, 0);
    tell_first_round(story);
    story_at(story, 5, 41);
}
