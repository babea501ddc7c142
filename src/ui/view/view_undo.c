#include "view_undo.h"

#include <stdlib.h>

#include "view_acts.h"
#include "xalloc.h"

void view_undo_done(struct view_undo *undo)
{
    free(undo->targets);
    *undo = (struct view_undo){0};
}

static void note(struct view *view, const struct view_facts *facts, enum view_undo_kind kind)
{
    view_undo_done(&view->undo);
    view->undo.kind = kind;
    view->undo.at_ms = facts->clock.mono_ms;
}

void view_undo_note_marks(struct view *view, const struct view_facts *facts)
{
    note(view, facts, VIEW_UNDO_MARKS);
}

/* The class that a correction takes the place of. */
static void keep_label(struct view_undo *undo, const struct run_state *state)
{
    const struct control *control = &undo->control;
    const struct step_state *step = &state->tasks[control->task].steps[control->step];
    const struct attempt_state *attempt = step_state_find_attempt(step, control->attempt);
    if (!attempt)
        return;
    undo->label = attempt->correction ? attempt->correction->label
                                      : (struct verdict_label){.class = attempt->class,
                                                               .type = attempt->type,
                                                               .reason = attempt->reason};
}

void view_undo_note_act(struct view *view, const struct view_facts *facts,
                        const struct view_todo *todo)
{
    const bool is_one = todo->kind == VIEW_ASK;
    const bool is_many = todo->kind == VIEW_ASK_MANY && view->target_count > 0;
    if (!is_one && !is_many)
        return;
    struct view_undo *undo = &view->undo;
    size_t cap = 0;
    note(view, facts, VIEW_UNDO_ACT);
    undo->control = todo->control;
    undo->count = is_one ? 1 : view->target_count;
    undo->targets = xgrow(NULL, &cap, (size_t)undo->count + 1, sizeof(*undo->targets));
    for (int i = 0; i < undo->count; i++)
        undo->targets[i] =
            view_aim(facts->state, is_one ? todo->control.task : view->targets[i].task);
    if (todo->control.verb == CONTROL_CORRECT)
        keep_label(undo, facts->state);
}

/* Undoing is an act of its own; a verb of 0: this task's part cannot be undone, see `why`. */
struct remedy {
    enum control_verb verb;
    const char *why;
};

static struct remedy remedy_of_cancel(const struct view_undo *undo,
                                      const struct view_target *target)
{
    if (target->status == TASK_BACKOFF || target->status == TASK_QUEUED)
        return (struct remedy){.verb = CONTROL_RETRY};
    if (undo->control.mode == CANCEL_STOP)
        return (struct remedy){.why = "runs to its end: {retry} gives it more tries then"};
    return (struct remedy){.why = "was told to end, and will not go on: {retry} tries it again"};
}

static struct remedy remedy_of_retry(const struct view_target *target,
                                     const struct task_state *task)
{
    if (task->status == TASK_RUNNING)
        return (struct remedy){.why = "has started: {cancel} cancels it"};
    if (target->held)
        return (struct remedy){.verb = CONTROL_HOLD};
    return (struct remedy){.why = "waits no more, and that does not come back: {hold} holds "
                                  "it, {cancel} cancels it"};
}

static struct remedy find_remedy(const struct view_undo *undo, const struct run_state *state,
                                 const struct view_target *target)
{
    switch (undo->control.verb) {
    case CONTROL_HOLD:
        return (struct remedy){.verb = CONTROL_RELEASE};
    case CONTROL_RELEASE:
        return (struct remedy){.verb = CONTROL_HOLD};
    case CONTROL_CANCEL:
        return remedy_of_cancel(undo, target);
    case CONTROL_CORRECT:
        return (struct remedy){.verb = CONTROL_CORRECT};
    case CONTROL_RETRY:
    case CONTROL_SEND_ONE:
    case CONTROL_VERB_COUNT:
        break;
    }
    return remedy_of_retry(target, &state->tasks[target->task]);
}

static bool is_too_late(const struct view *view, const struct view_facts *facts)
{
    return view->undo.kind == VIEW_UNDO_NOTHING ||
           facts->clock.mono_ms - view->undo.at_ms > VIEW_UNDO_MS;
}

bool view_undo_refusal(const struct view *view, const struct view_facts *facts, struct str *why)
{
    const struct view_undo *undo = &view->undo;
    if (is_too_late(view, facts)) {
        str_add(why, "nothing to undo: an act can be undone for 5 s");
        return true;
    }
    if (undo->kind == VIEW_UNDO_MARKS)
        return false;
    for (int i = 0; i < undo->count; i++) {
        if (find_remedy(undo, facts->state, &undo->targets[i]).verb != 0)
            return false;
    }
    const struct view_target *first = &undo->targets[0];
    const struct remedy remedy = find_remedy(undo, facts->state, first);
    str_addf(why, "%s ", facts->state->plan->tasks[first->task].id);
    keymap_say(view->keys, remedy.why, why);
    return true;
}

/* The tasks whose part can be undone become the view's targets, all by the same act. */
static enum control_verb aim_at_undone(struct view *view, const struct run_state *state)
{
    enum control_verb verb = (enum control_verb)0;
    view->target_count = 0;
    for (int i = 0; i < view->undo.count; i++) {
        const struct view_target *was = &view->undo.targets[i];
        const struct remedy remedy = find_remedy(&view->undo, state, was);
        if (remedy.verb == 0)
            continue;
        verb = remedy.verb;
        struct view_target *target = &view->targets[view->target_count++];
        *target = *was;
        if (verb == CONTROL_HOLD || verb == CONTROL_RELEASE) { /* whatever it does by then */
            target->step = -1;
            target->attempt = 0;
        }
    }
    return verb;
}

struct view_todo view_undo(struct view *view, const struct view_facts *facts)
{
    if (view->undo.kind == VIEW_UNDO_MARKS) {
        view_marks_undo(view);
        view_say(view, &facts->clock, "undone: marked: %d", view_marked(view));
        return (struct view_todo){.kind = VIEW_DRAW};
    }
    struct control control = {.verb = aim_at_undone(view, facts->state),
                              .key_at_ms = facts->clock.at_ms};
    const struct view_target *first = &view->targets[0];
    control.task = first->task;
    control.step = first->step;
    control.attempt = first->attempt;
    if (control.verb == CONTROL_CORRECT) {
        control.step = view->undo.control.step;
        control.attempt = view->undo.control.attempt;
        control.label = view->undo.label;
    }
    view_undo_done(&view->undo);
    return (struct view_todo){.kind = view->target_count > 1 ? VIEW_ASK_MANY : VIEW_ASK,
                              .is_undo = true,
                              .control = control};
}
