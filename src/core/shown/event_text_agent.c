/* event_text_agent.c - the words of events about agents. */
#include <stddef.h>

#include "budget.h"
#include "event_look.h"
#include "shown.h"

static const char *text_of(const struct event_look *w, const char *key)
{
    return json_text(json_get(event_look_text(w), key), "");
}

void event_words_agent_session(const struct event_look *w)
{
    const bool resumed = json_bool(json_get(event_look_text(w), "resumed"), false);
    str_addf(w->out, "%s %s session %s", text_of(w, "agent"), resumed ? "goes on with" : "began",
             text_of(w, "session"));
}

void event_words_agent_used(const struct event_look *w)
{
    const struct agent_used used = agent_used_of_event(w->event);
    str_add(w->out, "used ");
    shown_used(&used, w->out);
}

void event_words_agent_call(const struct event_look *w)
{
    const struct event *event = w->event;
    if (!event_look_say(w, "", "tool", ": "))
        str_add(w->out, "says: ");
    (void)event_look_say(w, "", "what", "");
    if (event->d != 0)
        str_add(w->out, ", still runs");
    else if (event->c != 0)
        str_addf(w->out, ", failed (%lld)", (long long)event->c);
    if (event->b > 0) {
        str_add(w->out, ", ");
        shown_seconds(event->b, w->out);
    }
}

void event_words_budget(const struct event_look *w)
{
    const struct budget_use use = {
        .kind = (enum budget_kind)w->event->a, .used = w->event->b, .limit = w->event->c};
    const bool is_spent = w->event->d == EVENT_BUDGET_SPENT;
    str_addf(w->out, "%sbudget %s: ", w->event->task < 0 ? "the run's " : "",
             is_spent ? "is spent" : "is nearly spent");
    budget_use_words(&use, w->out);
    str_addf(w->out, " (%d %%)", shown_budget_percent(&use));
}

void event_words_round_started(const struct event_look *w)
{
    const struct task_agent *agent = w->plan ? w->state->tasks[w->event->task].agent : NULL;
    struct str round = {0};
    str_add(w->out, "round ");
    if (agent)
        shown_round(w->state, w->event->task, &round);
    if (round.len > 0)
        str_add(w->out, round.data);
    else
        str_addf(w->out, "%lld: step %lld failed", (long long)w->event->a,
                 (long long)w->event->c + 1);
    str_done(&round);
}

void event_words_task_added(const struct event_look *w)
{
    str_addf(w->out, "task %lld added: %s", (long long)w->event->a,
             json_text(json_get(json_get(event_look_text(w), "task"), "id"), "?"));
}
