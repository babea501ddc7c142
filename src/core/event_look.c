#include "event_look.h"

struct event_look event_look_up(const struct run_state *state, const struct event *event,
                                const struct json *text, struct str *out)
{
    struct event_look look = {.state = state, .event = event, .text = text, .out = out};
    if (event->task < 0 || event->task >= state->plan->task_count)
        return look;
    const struct plan_task *plan = &state->plan->tasks[event->task];
    if (event->step < 0 || event->step >= plan->step_count)
        return look;
    look.plan = &plan->steps[event->step];
    look.step = &state->tasks[event->task].steps[event->step];
    look.attempt = step_state_find_attempt(look.step, event->attempt);
    return look;
}

static bool event_is_before_verdict(const struct event *event)
{
    return event->kind == EVENT_ATTEMPT_STARTED || event->kind == EVENT_ATTEMPT_ENDED;
}

bool event_look_is_there(const struct event_look *look)
{
    switch (look->event->kind) {
    case EVENT_ATTEMPT_STARTED:
    case EVENT_ATTEMPT_ENDED:
    case EVENT_ATTEMPT_JUDGED:
    case EVENT_WAIT_STARTED:
        return look->attempt && (look->step->verdict || event_is_before_verdict(look->event));
    case EVENT_STEP_ENDED:
        return look->step != NULL;
    default: /* the rest needs no attempt */
        return true;
    }
}

void event_look_error(const struct event_look *look, struct str *out)
{
    if (look->step->verdict && look->step->verdict->match[0] != '\0')
        str_add(out, look->step->verdict->match);
    else
        outcome_words(&look->attempt->outcome, out);
}

struct event_retry event_look_retry(const struct event_look *look)
{
    int64_t at = json_i64(json_get(look->text, "n"), 1);
    int64_t max = json_i64(json_get(look->text, "allowed"), 0) - 1;
    return (struct event_retry){.at = at, .max = max > at ? max : at};
}
