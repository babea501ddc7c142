/* view_refusal.c - which acts have no effect now, and why. Used by key handlers and the help. */
#include "view.h"
#include "view_internal.h"

/* Returns why the task does not allow the act, or NULL if it does. */
static const char *act_reason(const struct view_facts *facts, int number, enum act act)
{
    const struct task_state *task = &facts->state->tasks[number];
    const bool has_stopped = task->status == TASK_NEEDS_YOU;
    const bool has_ended = task_status_is_final(task->status);
    switch (act) {
    case UI_RETRY:
    case UI_RETRY_WITH:
        if (task->status == TASK_RUNNING && !facts->orphaned)
            return "is running: nothing to retry yet ({cancel} cancels)";
        if (task->status == TASK_PASSED)
            return "has passed: nothing to retry";
        if (has_ended && facts->state->plan->grows)
            return "has ended: its caller has the answer and may call again";
        if (act == UI_RETRY_WITH || task->status != TASK_QUEUED || task->held ||
            run_state_is_behind_gate(facts->state, number))
            return NULL;
        return task->unmet > 0 ? "waits for other tasks: nothing to retry"
                               : "starts in the next free slot anyway";
    case UI_CANCEL:
        if (has_stopped)
            return "waits for you and starts nothing on its own: nothing to cancel";
        return has_ended ? "has ended: nothing to cancel" : NULL;
    case UI_KILL:
        if (has_stopped)
            return "waits for you and is not running: nothing to kill";
        if (has_ended)
            return "has ended: nothing to kill";
        return task->status == TASK_RUNNING ? NULL
                                            : "is not running: nothing to kill ({cancel} cancels)";
    case UI_HOLD:
        if (task->held || !has_ended)
            return NULL;
        return has_stopped ? "waits for you and starts nothing on its own: nothing to hold"
                           : "has ended: nothing to hold";
    case UI_CORRECT:
        return view_correct_is_possible(facts->state, number) ? NULL
                                                              : "has no finished try: no class yet";
    default: /* other acts are not about tasks */
        return NULL;
    }
}

/* Returns true if the act would start something in a run whose engine has died. Unlike for a run
 * that has ended, no new engine is started for it. */
static bool lacks_engine(const struct view_facts *facts, enum act act)
{
    return facts->orphaned && (act == UI_RETRY || act == UI_RETRY_WITH);
}

bool view_task_refusal(const struct view *view, const struct view_facts *facts, int task,
                       enum act act, struct str *why)
{
    const char *words = act_reason(facts, task, act);
    if (!words)
        return false;
    str_addf(why, "%s ", facts->state->plan->tasks[task].id);
    keymap_say(view->keys, words, why);
    return true;
}

bool view_task_allows(const struct view_facts *facts, int task, enum act act)
{
    const bool is_past = facts->mode == VIEW_REPLAY || facts->mode == VIEW_PAST;
    return !is_past && !facts->read_only && !lacks_engine(facts, act) &&
           !act_reason(facts, task, act);
}

static bool is_about_tasks(enum act act)
{
    return act == UI_RETRY || act == UI_RETRY_WITH || act == UI_CANCEL || act == UI_KILL ||
           act == UI_HOLD || act == UI_CORRECT;
}

/* Returns true and appends the first task's reason if no marked task allows the act. */
static bool marked_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                           struct str *why)
{
    struct str first = {0};
    bool refused = true;
    for (int task = 0; task < view->order_count && refused; task++) {
        struct str one = {0};
        if (view_is_marked(view, task))
            refused = view_task_refusal(view, facts, task, act, &one);
        if (first.len == 0)
            str_add(&first, str_text(&one));
        str_done(&one);
    }
    if (refused)
        str_addf(why, "none of the %d marked: %s", view_marked(view), str_text(&first));
    str_done(&first);
    return refused;
}

/* Returns true and appends why if a fold does not allow the act. An act applies to the fold as a
 * whole: a retry sends one task, the other acts hold or cancel all tasks. */
static bool fold_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                         struct str *why)
{
    const struct view_fold *fold = view_chosen_fold(view);
    const int before = (int)why->len;
    if (act == UI_KILL)
        keymap_say(view->keys, "none of them is running: nothing to kill ({cancel} cancels)", why);
    else if (act == UI_RETRY_WITH)
        keymap_say(view->keys, "select one task ({open} lists them), or mark tasks", why);
    else if (act == UI_RETRY && fold->leader >= 0) {
        str_addf(why, "retrying %s first: ", facts->state->plan->tasks[fold->leader].id);
        keymap_say(view->keys, "{hold} releases them now, {cancel} cancels", why);
    }
    return (int)why->len > before;
}

static bool tasks_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                          struct str *why)
{
    if (lacks_engine(facts, act)) {
        str_addf(why, "no devs is running this run: resume it with devs run --continue %lld",
                 (long long)facts->run);
        return true;
    }
    if (act != UI_CORRECT && view_marked(view) > 0)
        return marked_refusal(view, facts, act, why);
    if (view->chosen < 0) {
        str_add(why, "no task selected");
        return true;
    }
    if (view_chosen_fold(view) && act != UI_CORRECT)
        return fold_refusal(view, facts, act, why);
    return view_task_refusal(view, facts, view->chosen, act, why);
}

/* Returns the reason from checks that apply to all screens, or NULL. */
static const char *common_reason(const struct view *view, const struct view_facts *facts,
                                 enum act act)
{
    const enum screen screen = view_screen(view);
    switch (act) {
    case UI_NEEDS_YOU_NEXT:
        return facts->state->counts[TASK_NEEDS_YOU] == 0 ? "nothing needs you" : NULL;
    case UI_ONLY_NEEDS_YOU:
        return !view->only_needs_you && facts->state->counts[TASK_NEEDS_YOU] == 0
                   ? "nothing needs you"
                   : NULL;
    case UI_UNMARK:
        return view_marked(view) == 0 ? "nothing is marked: {mark} marks" : NULL;
    case UI_MARK:
    case UI_MARK_RANGE:
    case UI_MARK_ALL:
        return view->row_count == 0 ? "no task to mark" : NULL;
    case UI_OPEN:
        return view->chosen < 0 && screen != SCREEN_RUNS && screen != SCREEN_HOSTS
                   ? "no task selected"
                   : NULL;
    case UI_DETAIL:
    case UI_LOG:
    case UI_FORENSICS:
        return view->chosen < 0 ? "no task selected" : NULL;
    case UI_HOSTS:
        return facts->state->plan->executor_count == 0
                   ? "this plan has no executors: all tasks run on this machine"
                   : NULL;
    case UI_NEXT:
    case UI_PREV:
        if (screen == SCREEN_LOG)
            return NULL;
        if (view->pane == VIEW_PANE_LOG)
            return view->search.len == 0 ? "no search text: {filter} sets it" : NULL;
        return view->filter.len == 0 && !view->only_needs_you
                   ? "no filter is set: {filter} sets one"
                   : NULL;
    case UI_BUNDLE:
        return facts->newer ? "the log was written by a newer devs: it cannot be exported" : NULL;
    case UI_TRY_BACK:
        return view_try_has(view, facts->state, -1) ? NULL : "the task has no earlier try";
    case UI_TRY_FORWARD:
        return view_try_has(view, facts->state, 1) ? NULL : "the task has no later try";
    case UI_COMPARE:
        return (screen == SCREEN_DETAIL || screen == SCREEN_LOG) &&
                       view_try_now(view, facts->state).attempt == 0
                   ? "no try yet: nothing to compare"
                   : NULL;
    default: /* other keys always have an effect */
        return NULL;
    }
}

bool view_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                  struct str *why)
{
    const size_t before = why->len;
    const bool is_recorded = is_about_tasks(act) || act == UI_UNDO || act == UI_BOOKMARK;
    if (facts->read_only && is_recorded) {
        str_add(why, "this log is read only: this run cannot be changed from here");
        return true;
    }
    if (is_about_tasks(act))
        return tasks_refusal(view, facts, act, why);
    if (act == UI_UNDO)
        return view_undo_refusal(view, facts, why);
    if (view_screen(view) == SCREEN_LOG)
        view_log_refusal(view, facts, act, why);
    if (why->len > before)
        return true;
    const char *words = NULL;
    switch (view_screen(view)) {
    case SCREEN_TASKS:
        words = view_tasks_refusal(view, facts, act);
        break;
    case SCREEN_DETAIL:
        words = view_detail_refusal(view, facts, act);
        break;
    case SCREEN_FORENSICS:
        words = view_forensics_refusal(view, facts, act);
        break;
    case SCREEN_TIMELINE:
        words = view_timeline_refusal(view, facts, act);
        break;
    case SCREEN_RUNS:
        words = view_runs_refusal(view, facts, act);
        break;
    case SCREEN_HOSTS:
        words = view_hosts_refusal(facts, act);
        break;
    case SCREEN_LOG: /* view_log_refusal() includes the search text */
    case SCREEN_COUNT:
        break;
    }
    if (!words)
        words = view_pane_refusal(view, act);
    if (!words)
        words = stroke_time_refusal(view, facts, act);
    if (!words)
        words = common_reason(view, facts, act);
    if (words)
        keymap_say(view->keys, words, why);
    return words != NULL;
}
