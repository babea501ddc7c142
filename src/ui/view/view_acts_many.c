/* view_acts_many.c - an act on many tasks: aimed at once, asked about with their names, and asked
 * again where they have changed meanwhile. */
#include <stdlib.h>
#include <string.h>

#include "view_acts.h"
#include "xalloc.h"

enum { NAMES_MAX = PROMPT_LIST_MAX - 1 }; /* bytes of ids; the question cuts what is longer */

/* How targets are named to a prompt, as long as that is made. */
struct named {
    struct prompt_many many;
    struct str ids, left_why;
};

static bool runs(const struct view_target *target)
{
    return target->status == TASK_RUNNING;
}

/* How many of the targets have no row, not even that of a fold. */
static int count_hidden(const struct view *view)
{
    bool *shown = xcalloc((size_t)view->order_count + 1, sizeof(*shown));
    int hidden = 0;
    for (int i = 0; i < view->row_count; i++) {
        if (!view_row_is_fold(view->rows[i]))
            shown[view_row_task(view->rows[i])] = true;
    }
    for (int i = 0; i < view->target_count; i++) {
        const int task = view->targets[i].task;
        const struct view_fold *fold = view_fold_of(view, task);
        hidden += !shown[task] && !(fold && view_has_fold_row(view, fold));
    }
    free(shown);
    return hidden;
}

static void add_target(const struct run_state *state, int task, struct named *out)
{
    const struct prompt_target asked = view_asked_of(state, task);
    if (out->ids.len + strlen(asked.id) < NAMES_MAX)
        str_addf(&out->ids, "%s%s", out->ids.len > 0 ? " " : "", asked.id);
    out->many.running += asked.status == TASK_RUNNING;
    out->many.agents += asked.hint_goes != HINT_GOES_NOWHERE;
    out->many.count++;
}

static void name_targets(const struct view *view, const struct run_state *state, struct named *out)
{
    out->many.running = out->many.agents = out->many.count = 0;
    out->many.hidden = count_hidden(view);
    for (int i = 0; i < view->target_count; i++)
        add_target(state, view->targets[i].task, out);
    out->many.ids = str_text(&out->ids);
    out->many.left_why = str_text(&out->left_why);
}

static void named_done(struct named *named)
{
    str_done(&named->ids);
    str_done(&named->left_why);
}

struct view_todo view_ask_about_many(struct view *view, const struct view_facts *facts,
                                     const struct prompt_many *many)
{
    struct named named = {.many = *many};
    str_add(&named.left_why, many->left_why ? many->left_why : "");
    name_targets(view, facts->state, &named);
    prompt_open_many(&view->prompt, &named.many, facts->clock.mono_ms);
    named_done(&named);
    return (struct view_todo){.kind = VIEW_ASKED};
}

/* Once all of them are held the key lets all go; else it holds those that are not. */
static bool lets_go(const struct view *view, const struct run_state *state)
{
    for (int task = 0; task < view->order_count; task++) {
        const struct task_state *one = &state->tasks[task];
        if (view_is_marked(view, task) && !one->held && !task_status_is_final(one->status))
            return false;
    }
    return true;
}

static enum prompt_kind question_of(const struct view *view, const struct run_state *state,
                                    enum act act)
{
    switch (act) {
    case UI_RETRY:
        return PROMPT_RETRY_MANY;
    case UI_RETRY_WITH:
        return PROMPT_RETRY_WITH_MANY;
    case UI_KILL:
        return PROMPT_KILL_MANY;
    case UI_HOLD:
        return lets_go(view, state) ? PROMPT_RELEASE_MANY : PROMPT_HOLD_MANY;
    default:
        return PROMPT_CANCEL_MANY;
    }
}

static enum act act_of(enum prompt_kind kind)
{
    switch (kind) {
    case PROMPT_RETRY_MANY:
        return UI_RETRY;
    case PROMPT_RETRY_WITH_MANY:
        return UI_RETRY_WITH;
    case PROMPT_KILL_MANY:
        return UI_KILL;
    case PROMPT_HOLD_MANY:
    case PROMPT_RELEASE_MANY:
        return UI_HOLD;
    default: /* the rest of those about many */
        return UI_CANCEL;
    }
}

/* Can this be asked of the task? Else *why says why not. */
static bool takes(const struct view *view, const struct view_facts *facts, int task,
                  enum prompt_kind kind, struct str *why)
{
    const bool held = facts->state->tasks[task].held;
    const char *id = facts->state->plan->tasks[task].id;
    if (kind == PROMPT_HOLD_MANY && held) {
        str_addf(why, "%s is held already", id);
        return false;
    }
    if (kind == PROMPT_RELEASE_MANY && !held) {
        str_addf(why, "%s is not held", id);
        return false;
    }
    return !view_task_refusal(view, facts, task, act_of(kind), why);
}

struct view_todo view_act_on_marked(struct view *view, const struct view_facts *facts, enum act act)
{
    struct str why = {0};
    struct prompt_many many = {.kind = question_of(view, facts->state, act)};
    view->target_count = 0;
    for (int task = 0; task < view->order_count; task++) {
        struct str one = {0};
        if (!view_is_marked(view, task))
            continue;
        if (takes(view, facts, task, many.kind, &one))
            view->targets[view->target_count++] = view_aim(facts->state, task);
        else if (many.left_out++ == 0)
            str_add(&why, str_text(&one));
        str_done(&one);
    }
    many.whose = view->target_count == 1 ? "marked task" : "marked tasks";
    many.left_why = str_text(&why);
    struct view_todo todo = view_ask_about_many(view, facts, &many);
    str_done(&why);
    return todo;
}

struct view_todo view_ask_about_all(struct view *view, const struct view_facts *facts,
                                    enum prompt_kind kind)
{
    const struct prompt_many many = {.kind = kind, .whose = "tasks, all of this run"};
    view->target_count = 0;
    for (int task = 0; task < view->order_count; task++) {
        struct str why = {0};
        if (takes(view, facts, task, kind, &why))
            view->targets[view->target_count++] = view_aim(facts->state, task);
        str_done(&why);
    }
    if (view->target_count > 0)
        return view_ask_about_many(view, facts, &many);
    view_say(view, &facts->clock, "there is no task that this can be done to now");
    return (struct view_todo){.kind = VIEW_DRAW};
}

/* Another try, or another end of it: what was asked about is not what is there now. */
static bool has_changed(const struct view_target *then, const struct view_target *now)
{
    return then->step != now->step || then->attempt != now->attempt || runs(then) != runs(now) ||
           task_status_is_final(then->status) != task_status_is_final(now->status) ||
           then->held != now->held;
}

/* Those it can still be done to stay; true if any is another one than it was. */
static bool look_again(struct view *view, const struct view_facts *facts, struct str *why)
{
    bool changed = false;
    int kept = 0;
    for (int i = 0; i < view->target_count; i++) {
        struct str one = {0};
        const struct view_target now = view_aim(facts->state, view->targets[i].task);
        if (!has_changed(&view->targets[i], &now)) {
            view->targets[kept++] = view->targets[i];
            continue;
        }
        changed = true;
        if (takes(view, facts, now.task, view->prompt.kind, &one))
            view->targets[kept++] = now;
        else if (why->len == 0)
            str_add(why, str_text(&one));
        str_done(&one);
    }
    view->target_count = kept;
    return changed;
}

bool view_update_targets(struct view *view, const struct view_facts *facts)
{
    struct prompt *prompt = &view->prompt;
    struct named named = {.many = {.kind = prompt->kind, .whose = prompt->whose}};
    struct str why = {0};
    const int before = view->target_count;
    const bool changed = look_again(view, facts, &why);
    if (changed && view->target_count == 0) {
        prompt_close(prompt);
        view_say(view, &facts->clock, "nothing is left to ask about: %s", str_text(&why));
    } else if (changed) {
        str_add(&named.left_why, prompt->left_out > 0 ? prompt->left_why : str_text(&why));
        named.many.left_out = prompt->left_out + before - view->target_count;
        name_targets(view, facts->state, &named);
        prompt_update_many(prompt, &named.many, facts->clock.mono_ms);
    }
    named_done(&named);
    str_done(&why);
    return changed;
}
