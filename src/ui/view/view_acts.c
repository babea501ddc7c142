/* view_acts.c - acts on one task or many. The targets are fixed when the key is pressed. If
 * necessary, the user confirms them, and confirms them again if the tasks have changed in the
 * meantime. The latest act can be undone. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"
#include "view_internal.h"
#include "xalloc.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

struct view_target view_aim(const struct run_state *state, int task)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    return (struct view_target){.task = task,
                                .step = run_state_step_number(state, task),
                                .attempt = attempt ? attempt->number : 0,
                                .status = state->tasks[task].status,
                                .held = state->tasks[task].held};
}

/* Returns a task's present state as a question shows it. */
static struct prompt_target view_asked_of(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    const struct view_target aim = view_aim(state, task);
    const bool is_fresh = step->grant == 0 || task_status_is_final(aim.status);
    return (struct prompt_target){
        .task = task,
        .id = plan->id,
        .title = strcmp(plan->id, plan->title) != 0 ? plan->title : "",
        .status = aim.status,
        .step = aim.step,
        .phase = plan->steps[aim.step].phase,
        .attempt = aim.attempt,
        .attempts = (int)step->attempt_count,
        .tries_left =
            is_fresh ? plan_step_attempts(&plan->steps[aim.step]) : step->allowed - step->used,
        .hint_goes = run_state_hint_goes(state, task),
    };
}

/* Makes the request for the selected task. A retry refers to the present attempt; other verbs apply
 * to the task in any state. */
static struct view_todo control_for_chosen(const struct view *view, const struct view_facts *facts,
                                           enum control_verb verb)
{
    const struct view_target aim = view_aim(facts->state, view->chosen);
    bool aimed = verb == CONTROL_RETRY;
    return (struct view_todo){
        .kind = VIEW_ASK,
        .control = {.verb = verb,
                    .task = aim.task,
                    .step = aimed ? aim.step : -1,
                    .attempt = aimed ? aim.attempt : 0,
                    .key_at_ms = facts->clock.at_ms},
    };
}

static struct view_todo open_question(struct view *view, const struct view_facts *facts,
                                      enum prompt_kind kind)
{
    const struct prompt_target target = view_asked_of(facts->state, view->chosen);
    prompt_open(&view->prompt, kind, &target, facts->clock.mono_ms);
    return (struct view_todo){.kind = VIEW_ASKED};
}

static struct view_todo act_on_chosen(struct view *view, const struct view_facts *facts,
                                      enum act act)
{
    switch (act) {
    case UI_RETRY:
        return control_for_chosen(view, facts, CONTROL_RETRY);
    case UI_RETRY_WITH:
        return open_question(view, facts, PROMPT_RETRY_WITH);
    case UI_CANCEL:
        return open_question(view, facts, PROMPT_CANCEL);
    case UI_KILL:
        return open_question(view, facts, PROMPT_KILL);
    case UI_HOLD:
        return control_for_chosen(
            view, facts, facts->state->tasks[view->chosen].held ? CONTROL_RELEASE : CONTROL_HOLD);
    case UI_CORRECT:
        return view_correct_open(view, facts);
    default: /* no other act is about tasks */
        assert(false);
        return draw;
    }
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
    case UI_HOLD: /* when all tasks are held, the key releases them; otherwise it holds the rest */
        for (int task = 0; task < view->order_count; task++) {
            const struct task_state *one = &state->tasks[task];
            if (view_is_marked(view, task) && !one->held && !task_status_is_final(one->status))
                return PROMPT_HOLD_MANY;
        }
        return PROMPT_RELEASE_MANY;
    default:
        return PROMPT_CANCEL_MANY;
    }
}

/* The act that each question is about, and the request that is sent if the answer is yes. */
static const struct asked_act {
    enum act act;
    enum control_verb verb;
} asked_acts[] = {
    [PROMPT_NONE] = {UI_CANCEL, CONTROL_CANCEL},
    [PROMPT_CANCEL] = {UI_CANCEL, CONTROL_CANCEL},
    [PROMPT_CANCEL_MANY] = {UI_CANCEL, CONTROL_CANCEL},
    [PROMPT_KILL] = {UI_KILL, CONTROL_CANCEL},
    [PROMPT_KILL_MANY] = {UI_KILL, CONTROL_CANCEL},
    [PROMPT_RETRY_MANY] = {UI_RETRY, CONTROL_RETRY},
    [PROMPT_RETRY_WITH] = {UI_RETRY_WITH, CONTROL_RETRY},
    [PROMPT_RETRY_WITH_MANY] = {UI_RETRY_WITH, CONTROL_RETRY},
    [PROMPT_HOLD_MANY] = {UI_HOLD, CONTROL_HOLD},
    [PROMPT_RELEASE_MANY] = {UI_HOLD, CONTROL_RELEASE},
    [PROMPT_QUIT] = {UI_CANCEL, CONTROL_CANCEL},
};
static_assert(ARRAY_LEN(asked_acts) == PROMPT_KIND_COUNT, "every question has its act");

/* Returns true if the task allows the act of this question; otherwise appends to *why. */
static bool allows_question(const struct view *view, const struct view_facts *facts, int task,
                            enum prompt_kind kind, struct str *why)
{
    const bool held = facts->state->tasks[task].held;
    const char *id = facts->state->plan->tasks[task].id;
    if (kind == PROMPT_HOLD_MANY && held) {
        str_addf(why, "%s is already held", id);
        return false;
    }
    if (kind == PROMPT_RELEASE_MANY && !held) {
        str_addf(why, "%s is not held", id);
        return false;
    }
    return !view_task_refusal(view, facts, task, asked_acts[kind].act, why);
}

/* Makes targets of the marked tasks that allow the act, and asks about them. */
static struct view_todo act_on_marked(struct view *view, const struct view_facts *facts,
                                      enum act act)
{
    struct str why = {0};
    struct prompt_many many = {.kind = question_of(view, facts->state, act)};
    view->target_count = 0;
    for (int task = 0; task < view->order_count; task++) {
        struct str one = {0};
        if (!view_is_marked(view, task))
            continue;
        if (allows_question(view, facts, task, many.kind, &one))
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

struct view_todo view_act_on_tasks(struct view *view, const struct view_facts *facts, enum act act)
{
    struct view_todo todo = draw;
    if (act != UI_CORRECT && view_marked(view) > 0)
        todo = act_on_marked(view, facts, act);
    else if (!view_fold_act(view, facts, act, &todo))
        todo = act_on_chosen(view, facts, act);
    return todo;
}

/* Maximum size of the list of ids in bytes; the question truncates the list. */
enum { NAMES_MAX = PROMPT_LIST_MAX - 1 };

/* Returns how many targets have no row, not even that of a fold. */
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

/* Fills in the description of the view's targets for a question. `ids` owns their list. */
static void name_targets(const struct view *view, const struct run_state *state,
                         struct prompt_many *many, struct str *ids)
{
    many->running = many->agents = many->count = 0;
    many->hidden = count_hidden(view);
    for (int i = 0; i < view->target_count; i++) {
        const struct prompt_target asked = view_asked_of(state, view->targets[i].task);
        if (ids->len + strlen(asked.id) < NAMES_MAX)
            str_addf(ids, "%s%s", ids->len > 0 ? " " : "", asked.id);
        many->running += asked.status == TASK_RUNNING;
        many->agents += asked.hint_goes != HINT_GOES_NOWHERE;
        many->count++;
    }
    many->ids = str_text(ids);
}

struct view_todo view_ask_about_many(struct view *view, const struct view_facts *facts,
                                     const struct prompt_many *many)
{
    struct prompt_many named = *many;
    struct str ids = {0};
    named.left_why = many->left_why ? many->left_why : "";
    name_targets(view, facts->state, &named, &ids);
    prompt_open_many(&view->prompt, &named, facts->clock.mono_ms);
    str_done(&ids);
    return (struct view_todo){.kind = VIEW_ASKED};
}

struct view_todo view_ask_about_all(struct view *view, const struct view_facts *facts,
                                    enum prompt_kind kind)
{
    const struct prompt_many many = {.kind = kind, .whose = "tasks of this run"};
    view->target_count = 0;
    for (int task = 0; task < view->order_count; task++) {
        struct str why = {0};
        if (allows_question(view, facts, task, kind, &why))
            view->targets[view->target_count++] = view_aim(facts->state, task);
        str_done(&why);
    }
    if (view->target_count > 0)
        return view_ask_about_many(view, facts, &many);
    view_say(view, &facts->clock, "this does not apply to any task now");
    return (struct view_todo){.kind = VIEW_DRAW};
}

/* Updates the targets of an open question; drops tasks that no longer allow the act. Returns true
 * if a target has changed: it has a different attempt, its attempt has started or ended, or it was
 * held or released. */
static bool update_targets(struct view *view, const struct view_facts *facts)
{
    struct prompt *prompt = &view->prompt;
    struct str why = {0}; /* why the first task was dropped */
    const int before = view->target_count;
    bool changed = false;
    int kept = 0;
    for (int i = 0; i < before; i++) {
        const struct view_target then = view->targets[i];
        const struct view_target now = view_aim(facts->state, then.task);
        if (then.step == now.step && then.attempt == now.attempt && then.held == now.held &&
            (then.status == TASK_RUNNING) == (now.status == TASK_RUNNING) &&
            task_status_is_final(then.status) == task_status_is_final(now.status)) {
            view->targets[kept++] = then;
            continue;
        }
        struct str one = {0};
        changed = true;
        if (allows_question(view, facts, now.task, prompt->kind, &one))
            view->targets[kept++] = now;
        else if (why.len == 0)
            str_add(&why, str_text(&one));
        str_done(&one);
    }
    view->target_count = kept;
    if (changed && kept == 0) {
        prompt_close(prompt);
        view_say(view, &facts->clock, "nothing left to confirm: %s", str_text(&why));
    } else if (changed) {
        struct str ids = {0};
        struct str left_why = {0};
        str_add(&left_why, prompt->left_out > 0 ? prompt->left_why : str_text(&why));
        struct prompt_many many = {.kind = prompt->kind,
                                   .left_out = prompt->left_out + before - kept,
                                   .left_why = str_text(&left_why)};
        name_targets(view, facts->state, &many, &ids);
        prompt_update_many(prompt, &many, facts->clock.mono_ms);
        str_done(&ids);
        str_done(&left_why);
    }
    str_done(&why);
    return changed;
}

/* Returns the request for an answer. `asked` is the question, which the answer has already
 * closed. */
static struct view_todo carry_out_answer(struct view *view, const struct view_facts *facts,
                                         const struct prompt *asked, enum cancel_mode mode)
{
    const bool is_of_many = prompt_is_of_many(asked);
    struct view_todo todo = {
        .kind = is_of_many ? VIEW_ASK_MANY : VIEW_ASK,
        .control = {.verb = asked_acts[asked->kind].verb,
                    .mode = mode,
                    .task = asked->task,
                    .step = asked->step,
                    .attempt = asked->attempt,
                    .tries = prompt_tries(asked),
                    .key_at_ms = facts->clock.at_ms},
    };
    (void)snprintf(todo.control.hint, sizeof(todo.control.hint), "%s", prompt_hint(asked));
    bool holds = asked->kind == PROMPT_HOLD_MANY || asked->kind == PROMPT_RELEASE_MANY;
    for (int i = 0; holds && i < view->target_count; i++) { /* applies to the task in any state */
        view->targets[i].step = -1;
        view->targets[i].attempt = 0;
    }
    return todo;
}

struct view_todo view_question_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    (void)view_update_prompt(view, facts);
    const struct prompt asked = view->prompt;
    switch (prompt_key(&view->prompt, key, facts->clock.mono_ms)) {
    case PROMPT_STOP:
        return carry_out_answer(view, facts, &asked, CANCEL_STOP);
    case PROMPT_TERM:
        return carry_out_answer(view, facts, &asked, CANCEL_TERM);
    case PROMPT_KILLED:
        return carry_out_answer(view, facts, &asked, CANCEL_KILL);
    case PROMPT_GO:
        return carry_out_answer(view, facts, &asked, CANCEL_STOP);
    case PROMPT_WAIT:
        return (struct view_todo){.kind = VIEW_LEAVE_WAIT};
    case PROMPT_CANCEL_ALL:
        return (struct view_todo){.kind = VIEW_LEAVE_CANCEL};
    case PROMPT_DETACH:
        return (struct view_todo){.kind = VIEW_LEAVE_DETACH};
    case PROMPT_KEPT:
        view_say(view, &facts->clock, "nothing changed");
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
        return update_targets(view, facts);
    if (!prompt_is_of_one(prompt))
        return false;
    struct prompt_target target = view_asked_of(facts->state, prompt->task);
    return prompt_update(prompt, &target, facts->clock.mono_ms);
}

void view_undo_done(struct view_undo *undo)
{
    free(undo->targets);
    *undo = (struct view_undo){0};
}

static void begin_undo(struct view *view, const struct view_facts *facts, enum view_undo_kind kind)
{
    view_undo_done(&view->undo);
    view->undo.kind = kind;
    view->undo.at_ms = facts->clock.mono_ms;
}

void view_undo_note_marks(struct view *view, const struct view_facts *facts)
{
    begin_undo(view, facts, VIEW_UNDO_MARKS);
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
    begin_undo(view, facts, VIEW_UNDO_ACT);
    undo->control = todo->control;
    undo->count = is_one ? 1 : view->target_count;
    undo->targets = xgrow(NULL, &cap, (size_t)undo->count + 1, sizeof(*undo->targets));
    for (int i = 0; i < undo->count; i++)
        undo->targets[i] =
            view_aim(facts->state, is_one ? todo->control.task : view->targets[i].task);
    if (undo->control.verb != CONTROL_CORRECT)
        return;
    /* Save the class that the correction replaces. */
    const struct step_state *step =
        &facts->state->tasks[undo->control.task].steps[undo->control.step];
    const struct attempt_state *attempt = step_state_find_attempt(step, undo->control.attempt);
    if (attempt && attempt->correction)
        undo->label = attempt->correction->label;
    else if (attempt)
        undo->label = (struct verdict_label){
            .class = attempt->class, .type = attempt->type, .reason = attempt->reason};
}

/* The act that undoes an act. Verb 0: the act cannot be undone for this task; `why` says why. */
struct remedy {
    enum control_verb verb;
    const char *why;
};

static struct remedy find_remedy(const struct view_undo *undo, const struct run_state *state,
                                 const struct view_target *target)
{
    switch (undo->control.verb) {
    case CONTROL_HOLD:
        return (struct remedy){.verb = CONTROL_RELEASE};
    case CONTROL_RELEASE:
        return (struct remedy){.verb = CONTROL_HOLD};
    case CONTROL_CANCEL:
        if (target->status == TASK_BACKOFF || target->status == TASK_QUEUED)
            return (struct remedy){.verb = CONTROL_RETRY};
        if (undo->control.mode == CANCEL_STOP)
            return (struct remedy){.why = "finishes this try: {retry} retries it after that"};
        return (struct remedy){.why = "has already been signaled: {retry} retries it"};
    case CONTROL_CORRECT:
        return (struct remedy){.verb = CONTROL_CORRECT};
    case CONTROL_RETRY:
    case CONTROL_SEND_ONE:
    case CONTROL_VERB_COUNT:
        break;
    }
    if (state->tasks[target->task].status == TASK_RUNNING)
        return (struct remedy){.why = "has started: {cancel} cancels it"};
    if (target->held)
        return (struct remedy){.verb = CONTROL_HOLD};
    return (struct remedy){.why = "no longer waits, which cannot be undone: {hold} holds it, "
                                  "{cancel} cancels it"};
}

bool view_undo_refusal(const struct view *view, const struct view_facts *facts, struct str *why)
{
    const struct view_undo *undo = &view->undo;
    if (undo->kind == VIEW_UNDO_NOTHING || facts->clock.mono_ms - undo->at_ms > VIEW_UNDO_MS) {
        str_add(why, "nothing to undo: actions can be undone within 5 s");
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

struct view_todo view_undo(struct view *view, const struct view_facts *facts)
{
    const struct view_undo *undo = &view->undo;
    if (undo->kind == VIEW_UNDO_MARKS) {
        view_marks_undo(view);
        view_say(view, &facts->clock, "undone: marked: %d", view_marked(view));
        return (struct view_todo){.kind = VIEW_DRAW};
    }
    struct control control = {.key_at_ms = facts->clock.at_ms};
    /* Targets are the tasks for which the act can be undone; the verb is the same for all. */
    view->target_count = 0;
    for (int i = 0; i < undo->count; i++) {
        const struct remedy remedy = find_remedy(undo, facts->state, &undo->targets[i]);
        if (remedy.verb == 0)
            continue;
        control.verb = remedy.verb;
        struct view_target *target = &view->targets[view->target_count++];
        *target = undo->targets[i];
        if (remedy.verb == CONTROL_HOLD || remedy.verb == CONTROL_RELEASE) {
            target->step = -1; /* applies to the task in any state */
            target->attempt = 0;
        }
    }
    const struct view_target *first = &view->targets[0];
    control.task = first->task;
    control.step = first->step;
    control.attempt = first->attempt;
    if (control.verb == CONTROL_CORRECT) {
        control.step = undo->control.step;
        control.attempt = undo->control.attempt;
        control.label = undo->label;
    }
    view_undo_done(&view->undo);
    return (struct view_todo){.kind = view->target_count > 1 ? VIEW_ASK_MANY : VIEW_ASK,
                              .is_undo = true,
                              .control = control};
}
