/* scheduler_hint.c - what a person says with a retry: a hint, and how many tries. */
#include "scheduling.h"

bool scheduler_has_choices(const struct control *control)
{
    return control->verb == CONTROL_RETRY && (control->hint[0] != '\0' || control->tries > 0);
}

void scheduler_give_hint(const struct scheduling *now, const struct control *control, int task,
                         int allowed)
{
    struct event event = scheduler_event(now, EVENT_HINT_GIVEN, task);
    struct str text = {0};
    event.a = allowed;
    if (control->hint[0] == '\0' && allowed == 0)
        return;
    str_add_char(&text, '{');
    if (control->hint[0] != '\0')
        str_json_text(&text, "hint", control->hint);
    if (control->by[0] != '\0')
        str_json_text(&text, "by", control->by);
    str_add_char(&text, '}');
    scheduler_emit(now, event, text.data);
    str_done(&text);
}

void scheduler_give_choices(const struct scheduling *now, const struct control *control, int task)
{
    int used = run_state_step(now->state, task)->used;
    scheduler_give_hint(now, control, task, control->tries > 0 ? used + control->tries : 0);
}

void scheduler_choices_words(const struct scheduling *now, const struct control *control, int task,
                             struct str *out)
{
    const struct task_agent *agent = now->state->tasks[task].agent;
    if (control->tries > 0)
        str_addf(out, "; %d tr%s from now", control->tries, control->tries == 1 ? "y" : "ies");
    if (control->hint[0] == '\0')
        return;
    switch (run_state_hint_goes(now->state, task)) {
    case HINT_GOES_NOWHERE:
        str_add(out, "; your hint is kept as a note, this step has no agent");
        break;
    case HINT_GOES_HERE:
        str_add(out, "; its agent gets your hint");
        break;
    case HINT_GOES_BACK:
        if (agent->round < agent->rounds)
            str_addf(out, "; the agent gets your hint in round %d", agent->round + 1);
        else
            str_add(out, "; the agent gets your hint if it has another round");
        break;
    case HINT_GOES_ON:
        str_add(out, "; the next agent of the task gets your hint");
        break;
    }
}
