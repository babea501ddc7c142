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
    struct event event = story_event(story, id, EVENT_AGENT_SESSION);
    event.text = text;
    story_add(story, event);
}

static void use(struct story *story, const char *id, int turns, int calls, int64_t cost)
{
    struct event event = story_event(story, id, EVENT_AGENT_USED);
    event.a = turns;
    event.b = calls;
    event.c = cost;
    event.d = (int64_t)turns * 1500;
    story_add(story, event);
}

static void say(struct story *story, const char *id, int number, const char *text)
{
    struct event event = story_event(story, id, EVENT_AGENT_CALL);
    event.a = number;
    event.text = text;
    story_add(story, event);
}

static void tell_budget(struct story *story, const char *id, int64_t used, int64_t limit,
                        enum event_budget_mark mark)
{
    struct event event = story_event(story, id, EVENT_BUDGET);
    event.a = BUDGET_COST;
    event.b = used;
    event.c = limit;
    event.d = mark;
    story_add(story, event);
}

static const char session[] =
    "{\"agent\":\"claude\",\"session\":\"83ca3d6e-1111-4222-8333-444455556666\"}";

/* The agent says that it is done, but the check fails. */
static void tell_first_round(struct story *story)
{
    begin_session(story, "tax", session);
    use(story, "tax", 7, 19, 90 * CENT);
    say(story, "tax", 20, "{\"tool\":\"\",\"what\":\"All tests pass now.\"}");
    story_at(story, 5, 0);
    story_pass(story, "tax");
    story_start(story, "tax");
    story_at(story, 5, 40);
    story_fail(story, "tax", REASON_TEST_FAIL, NULL);
    struct event event = story_event(story, "tax", EVENT_ROUND_STARTED);
    event.a = 2;
    event.b = 0;
    event.c = 1;
    event.d = 1;
    event.text = "{\"prompt\":\"make test failed\"}";
    story_add(story, event);
}

/* Most of the budget is used. */
static void tell_second_round(struct story *story)
{
    begin_session(story, "tax", session);
    struct event event = story_event(story, "tax", EVENT_AGENT_USED);
    event.a = 5;
    event.b = 12;
    event.c = 72 * CENT;
    event.e = 3;
    story_add(story, event);
    tell_budget(story, "tax", 162 * CENT, 2 * DOLLAR, EVENT_BUDGET_TOLD);
}

static void spend_all(struct story *story)
{
    begin_session(story, "mail", "{\"agent\":\"codex\",\"session\":\"01a20206-bb30\"}");
    use(story, "mail", 30, 88, 104 * CENT);
    tell_budget(story, "mail", 104 * CENT, DOLLAR, EVENT_BUDGET_SPENT);
    struct event event = story_event(story, "mail", EVENT_ATTEMPT_ENDED);
    event.a = OUTCOME_CANCELLED;
    event.c = 61000;
    story_add(story, event);
    event = story_event(story, "mail", EVENT_ATTEMPT_JUDGED);
    event.a = VERDICT_PERSISTENT;
    event.c = REASON_BUDGET;
    story_add(story, event);
    event = story_event(story, "mail", EVENT_STEP_ENDED);
    event.a = DECISION_NEEDS_YOU;
    event.text = "{\"policy\":\"transport\",\"phase\":\"GREEN\",\"used\":1,\"allowed\":4,"
                 "\"reason\":\"budget\",\"of\":\"task\",\"budget\":\"cost_usd\",\"spent\":1040000,"
                 "\"limit\":1000000}";
    story_add(story, event);
}

static void call_again(struct story *story, const char *id, int count)
{
    static const char same[] =
        "{\"tool\":\"Bash\",\"what\":\"make test\",\"loop\":{\"call\":"
        "\"7c1e0000000000000000000000000001\",\"outcome\":\"7c1e0000000000000000000000000002\","
        "\"raw\":7,\"bits\":1,\"lines\":3}}";
    for (int i = 1; i <= count; i++) {
        struct event event = story_event(story, id, EVENT_AGENT_CALL);
        event.a = i;
        event.b = 2000;
        event.c = 2;
        event.text = same;
        story_add(story, event);
    }
    const struct entropy_verdict *verdict =
        &story->state.tasks[story_task(story, id)].agent->calls->verdict;
    struct event event = story_event(story, id, EVENT_LOOP_SUSPECTED);
    ck_assert_int_eq(verdict->level, ENTROPY_SUSPECT);
    event.a = verdict->rung;
    event.b = verdict->first_number;
    event.c = verdict->last_number;
    event.d = verdict->count;
    event.e = EVENT_LOOP_OF_CALLS;
    event.text = "{\"rung\":\"repeat\",\"count\":3,\"first\":1,\"last\":3,\"of\":\"calls\","
                 "\"nudge\":\"make test says the same: do something else\"}";
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
