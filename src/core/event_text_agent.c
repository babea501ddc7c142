/* event_text_agent.c - the words of events about agents. */
#include <stddef.h>

#include "budget.h"
#include "event_look.h"
#include "shown.h"

enum { MICRO = 1000000, TEN_THOUSANDTH = 100 };

static const char *text_of(const struct event_look *w, const char *key)
{
    return json_text(json_get(w->text, key), "");
}

void event_words_agent_session(const struct event_look *w)
{
    const bool resumed = json_bool(json_get(w->text, "resumed"), false);
    str_addf(w->out, "%s %s session %s", text_of(w, "agent"), resumed ? "goes on with" : "began",
             text_of(w, "session"));
}

static void add_count(struct str *out, int64_t count, const char *noun)
{
    str_addf(out, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
}

void event_words_agent_used(const struct event_look *w)
{
    const struct event *event = w->event;
    str_add(w->out, "used ");
    add_count(w->out, event->a, "turn");
    str_add(w->out, ", ");
    add_count(w->out, event->b, "call");
    str_addf(w->out, ", $%lld.%04lld", (long long)(event->c / MICRO),
             (long long)(event->c % MICRO / TEN_THOUSANDTH));
    if (event->d > 0)
        str_addf(w->out, ", %lld tokens", (long long)event->d);
    if (event->e > 0)
        str_addf(w->out, ", asked again %lldx by itself", (long long)event->e);
}

void event_words_agent_call(const struct event_look *w)
{
    const struct event *event = w->event;
    str_addf(w->out, "%s: %s", text_of(w, "tool"), text_of(w, "what"));
    if (event->d != 0)
        str_add(w->out, ", still runs");
    else if (event->c != 0)
        str_addf(w->out, ", failed (%lld)", (long long)event->c);
    if (event->b > 0) {
        str_add(w->out, ", ");
        shown_duration(event->b, w->out);
    }
}

void event_words_budget(const struct event_look *w)
{
    const struct budget_use use = {
        .kind = (enum budget_kind)w->event->a, .used = w->event->b, .limit = w->event->c};
    str_addf(w->out, "%sbudget%s: ", w->event->task < 0 ? "the run's " : "",
             w->event->d == EVENT_BUDGET_SPENT ? " is spent" : "");
    budget_use_words(&use, w->out);
}

void event_words_round_started(const struct event_look *w)
{
    const struct task_agent *agent = w->plan ? w->state->tasks[w->event->task].agent : NULL;
    str_addf(w->out, "round %lld", (long long)w->event->a);
    if (agent)
        str_addf(w->out, "/%d", agent->rounds);
    str_addf(w->out, " begins at step %lld: step %lld failed", (long long)w->event->b + 1,
             (long long)w->event->c + 1);
}

void event_words_task_added(const struct event_look *w)
{
    str_addf(w->out, "task %lld added: %s", (long long)w->event->a,
             json_text(json_get(json_get(w->text, "task"), "id"), "?"));
}
