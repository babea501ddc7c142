/* view_question.c - the open question: its keys, what its answer asks for, and what it is about as
 * that is now. */
#include <stdio.h>

#include "view_acts.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

/* What a kind of question asks for. */
static enum control_verb verb_of(enum prompt_kind kind)
{
    switch (kind) {
    case PROMPT_HOLD_MANY:
        return CONTROL_HOLD;
    case PROMPT_RELEASE_MANY:
        return CONTROL_RELEASE;
    case PROMPT_RETRY_MANY:
    case PROMPT_RETRY_WITH:
    case PROMPT_RETRY_WITH_MANY:
        return CONTROL_RETRY;
    case PROMPT_CANCEL:
    case PROMPT_CANCEL_MANY:
    case PROMPT_KILL:
    case PROMPT_KILL_MANY:
    case PROMPT_QUIT:
    case PROMPT_NONE:
    case PROMPT_KIND_COUNT:
        break;
    }
    return CONTROL_CANCEL;
}

/* Holding is meant for the task, whatever it does by then. */
static void aim_at_tasks(struct view *view)
{
    for (int i = 0; i < view->target_count; i++) {
        view->targets[i].step = -1;
        view->targets[i].attempt = 0;
    }
}

/* `asked` is the question that was closed by its answer. */
static struct view_todo carry_out(struct view *view, const struct view_facts *facts,
                                  const struct prompt *asked, enum cancel_mode mode)
{
    const bool is_of_many = prompt_is_of_many(asked);
    struct view_todo todo = {
        .kind = is_of_many ? VIEW_ASK_MANY : VIEW_ASK,
        .control = {.verb = verb_of(asked->kind),
                    .mode = mode,
                    .task = asked->task,
                    .step = asked->step,
                    .attempt = asked->attempt,
                    .tries = prompt_tries(asked),
                    .key_at_ms = facts->clock.at_ms},
    };
    (void)snprintf(todo.control.hint, sizeof(todo.control.hint), "%s", prompt_hint(asked));
    if (asked->kind == PROMPT_HOLD_MANY || asked->kind == PROMPT_RELEASE_MANY)
        aim_at_tasks(view);
    return todo;
}

struct view_todo view_question_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    (void)view_update_prompt(view, facts);
    const struct prompt asked = view->prompt;
    switch (prompt_key(&view->prompt, key, facts->clock.mono_ms)) {
    case PROMPT_STOP:
        return carry_out(view, facts, &asked, CANCEL_STOP);
    case PROMPT_TERM:
        return carry_out(view, facts, &asked, CANCEL_TERM);
    case PROMPT_KILLED:
        return carry_out(view, facts, &asked, CANCEL_KILL);
    case PROMPT_GO:
        return carry_out(view, facts, &asked, CANCEL_STOP);
    case PROMPT_WAIT:
        return (struct view_todo){.kind = VIEW_LEAVE_WAIT};
    case PROMPT_CANCEL_ALL:
        return (struct view_todo){.kind = VIEW_LEAVE_CANCEL};
    case PROMPT_DETACH:
        return (struct view_todo){.kind = VIEW_LEAVE_DETACH};
    case PROMPT_KEPT:
        view_say(view, &facts->clock, "left as it is");
        break;
    case PROMPT_UNDECIDED:
        break;
    }
    return draw;
}

bool view_question_update(struct view *view, const struct view_facts *facts)
{
    struct prompt *prompt = &view->prompt;
    if (prompt_is_of_many(prompt))
        return view_update_targets(view, facts);
    if (!prompt_is_of_one(prompt))
        return false;
    struct prompt_target target = view_asked_of(facts->state, prompt->task);
    return prompt_update(prompt, &target, facts->clock.mono_ms);
}
