/* view_fold_act.c - what keys do to the tasks of one fault as a whole. */
#include "view_acts.h"

/* One key, and the fold that it is about. */
struct stroke {
    struct view *view;
    const struct view_facts *facts;
    const struct view_fold *fold;
};

/* All tasks of the fold as they are now are what the act is about, whatever changes later. */
static void aim_at_all(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    view->target_count = 0;
    for (int i = 0; i < view->order_count; i++) {
        if (view_fold_of(view, i) == stroke->fold)
            view->targets[view->target_count++] = view_aim(stroke->facts->state, i);
    }
}

static struct view_todo send_one(const struct stroke *stroke)
{
    struct view_target target = view_aim(stroke->facts->state, stroke->view->chosen);
    return (struct view_todo){
        .kind = VIEW_ASK,
        .control = {.verb = CONTROL_SEND_ONE,
                    .task = target.task,
                    .step = target.step,
                    .attempt = target.attempt,
                    .key_at_ms = stroke->facts->clock.at_ms},
    };
}

/* Hold those that are not; once all are, let all go. Holding is meant for the task, whatever
 * it does by then. */
static struct view_todo hold_all(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    bool release = stroke->fold->held == stroke->fold->fault.count;
    aim_at_all(stroke);
    int kept = 0;
    for (int i = 0; i < view->target_count; i++) {
        int task = view->targets[i].task;
        if (stroke->facts->state->tasks[task].held == release)
            view->targets[kept++] = (struct view_target){.task = task, .step = -1};
    }
    view->target_count = kept;
    return (struct view_todo){
        .kind = VIEW_ASK_MANY,
        .control = {.verb = release ? CONTROL_RELEASE : CONTROL_HOLD,
                    .key_at_ms = stroke->facts->clock.at_ms},
    };
}

static struct view_todo cancel_all(const struct stroke *stroke)
{
    static const struct prompt_many many = {.kind = PROMPT_CANCEL_MANY,
                                            .whose = "tasks of one fault"};
    aim_at_all(stroke);
    return view_ask_about_many(stroke->view, stroke->facts, &many);
}

static struct view_todo toggle(const struct stroke *stroke)
{
    view_toggle_fold(stroke->view, stroke->fold);
    view_narrow(stroke->view, stroke->facts);
    return (struct view_todo){.kind = VIEW_DRAW};
}

bool view_fold_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out)
{
    const struct stroke stroke = {.view = view, .facts = facts, .fold = view_chosen_fold(view)};
    if (!stroke.fold)
        return false;
    switch (act) {
    case UI_OPEN:
        *out = toggle(&stroke);
        return true;
    case UI_RETRY:
        *out = send_one(&stroke);
        return true;
    case UI_HOLD:
        *out = hold_all(&stroke);
        return true;
    case UI_CANCEL:
        *out = cancel_all(&stroke);
        return true;
    default: /* the other acts are about the screen, or the task by itself */
        return false;
    }
}
