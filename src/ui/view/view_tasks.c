/* view_tasks.c - the Tasks screen: its own keys, marks, and acts on folds. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "view.h"
#include "view_internal.h"
#include "xalloc.h"

/* Returns true if the task waits after a failed try, needs the user, gave up, is stuck or lost. */
static bool has_failed(const struct view_facts *facts, int task)
{
    const enum shown shown = shown_task(facts->state, task, facts->orphaned);
    return shown_is_failed(shown) || shown == SHOWN_BACKOFF || shown == SHOWN_LOST;
}

/* Returns the next row with a failure, wrapping around from the selected one; -1: there is no
 * other. */
static int row_of_failure(const struct view *view, const struct view_facts *facts, int step)
{
    const int here = view_chosen_row(view);
    const int count = view->row_count;
    for (int i = 1; i <= count; i++) {
        const int row = ((here + step * i) % count + count) % count;
        if (row != here && has_failed(facts, view_row_task(view->rows[row])))
            return row;
    }
    return -1;
}

const char *view_tasks_refusal(const struct view *view, const struct view_facts *facts,
                               enum act act)
{
    const bool is_find = act == UI_ERROR_NEXT || act == UI_ERROR_BACK;
    const bool is_in_time = facts->mode == VIEW_REPLAY || facts->mode == VIEW_PAST;
    if (is_find && !is_in_time && row_of_failure(view, facts, 1) < 0)
        return "no other task in the list has failed";
    return NULL;
}

bool view_tasks_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out)
{
    static const struct {
        enum act act;
        enum replay_move move;
    } ways[] = {
        {UI_UP, REPLAY_EVENT_BACK},
        {UI_DOWN, REPLAY_EVENT_ON},
        {UI_FIRST, REPLAY_START},
        {UI_LAST, REPLAY_END},
    };
    if (view_preview_act(view, act))
        return true;
    /* In the records pane, up and down move in time. */
    for (size_t i = 0; view->pane == VIEW_PANE_EVENTS && i < ARRAY_LEN(ways); i++) {
        if (ways[i].act != act)
            continue;
        *out = (struct view_todo){.kind = VIEW_TRANSPORT, .move = ways[i].move};
        return true;
    }
    if (act != UI_ERROR_NEXT && act != UI_ERROR_BACK)
        return false;
    if (facts->mode == VIEW_REPLAY || facts->mode == VIEW_PAST)
        *out = (struct view_todo){.kind = VIEW_TRANSPORT,
                                  .move = act == UI_ERROR_NEXT ? REPLAY_FAILURE_ON
                                                               : REPLAY_FAILURE_BACK};
    else
        view_choose_row(view, row_of_failure(view, facts, act == UI_ERROR_NEXT ? 1 : -1));
    return true;
}

void view_marks_init(struct view_marks *marks)
{
    *marks = (struct view_marks){.range_from = -1};
}

void view_marks_done(struct view_marks *marks)
{
    free(marks->of);
    free(marks->before);
    free(marks->standing);
    view_marks_init(marks);
}

static void recount_marks(struct view_marks *marks, int task_count)
{
    marks->count = 0;
    for (int i = 0; i < task_count; i++)
        marks->count += marks->of[i];
}

static bool *widen_marks(bool *marks, int room)
{
    size_t cap = 0;
    return xgrow(marks, &cap, (size_t)room + 1, sizeof(*marks));
}

void view_marks_take_tasks(struct view_marks *marks, int task_count, int before)
{
    if (task_count > marks->room || !marks->of) {
        int room = task_count > 2 * marks->room ? task_count : 2 * marks->room;
        marks->of = widen_marks(marks->of, room);
        marks->before = widen_marks(marks->before, room);
        marks->standing = widen_marks(marks->standing, room);
        marks->room = room;
    }
    for (int i = before; i < task_count; i++)
        marks->of[i] = marks->before[i] = marks->standing[i] = false;
    if (marks->range_from >= task_count)
        marks->range_from = -1;
    recount_marks(marks, task_count);
}

int view_marked(const struct view *view)
{
    return view->marks.count;
}

bool view_is_marked(const struct view *view, int task)
{
    return task >= 0 && task < view->order_count && view->marks.of[task];
}

static bool is_in_row(const struct view *view, int row, int task)
{
    if (!view_row_is_fold(row))
        return view_row_task(row) == task;
    const struct view_fold *fold = view_fold_of(view, view_row_task(row));
    return fold && view_fold_of(view, task) == fold;
}

int view_marked_hidden(const struct view *view)
{
    int shown = 0;
    for (int i = 0; i < view->row_count; i++) {
        int row = view->rows[i];
        if (!view_row_is_fold(row)) {
            shown += view_is_marked(view, view_row_task(row));
            continue;
        }
        for (int task = 0; task < view->order_count; task++)
            shown += view_is_marked(view, task) && is_in_row(view, row, task);
    }
    return view->marks.count - shown;
}

static size_t marks_bytes(const struct view *view)
{
    return (size_t)view->order_count * sizeof(*view->marks.of);
}

/* Marks or unmarks all tasks of a row. */
static void mark_row(struct view *view, int row, bool marked)
{
    if (!view_row_is_fold(row)) {
        view->marks.of[view_row_task(row)] = marked;
        return;
    }
    for (int task = 0; task < view->order_count; task++) {
        if (is_in_row(view, row, task))
            view->marks.of[task] = marked;
    }
}

void view_marks_stretch(struct view *view)
{
    struct view_marks *marks = &view->marks;
    int chosen = view_chosen_row(view);
    if (marks->range_from < 0 || chosen < 0)
        return;
    int from = 0; /* the row of the task where the range began, its own or its fold's */
    while (from < view->row_count && !is_in_row(view, view->rows[from], marks->range_from))
        from++;
    if (from == view->row_count) /* the filter hides the start of the range */
        return;
    int last = from > chosen ? from : chosen;
    memcpy(marks->of, marks->standing, marks_bytes(view));
    for (int i = from < chosen ? from : chosen; i <= last; i++)
        mark_row(view, view->rows[i], true);
    recount_marks(marks, view->order_count);
}

bool view_marks_drop_range(struct view *view)
{
    struct view_marks *marks = &view->marks;
    if (marks->range_from < 0)
        return false;
    marks->range_from = -1;
    memcpy(marks->of, marks->standing, marks_bytes(view));
    recount_marks(marks, view->order_count);
    return true;
}

void view_marks_undo(struct view *view)
{
    struct view_marks *marks = &view->marks;
    bool *undone = marks->of;
    marks->of = marks->before;
    marks->before = undone;
    marks->range_from = -1;
    recount_marks(marks, view->order_count);
}

void view_marks_act(struct view *view, const struct view_facts *facts, enum act act)
{
    struct view_marks *marks = &view->marks;
    const int from = marks->range_from;
    const int chosen = view_chosen_row(view);
    if (act != UI_MARK_RANGE || from < 0) /* otherwise the key ends the open range */
        memcpy(marks->before, marks->of, marks_bytes(view)); /* for undo */
    marks->range_from = -1;
    switch (act) {
    case UI_MARK:
        if (chosen < 0)
            break;
        mark_row(view, view->rows[chosen], !marks->of[view_row_task(view->rows[chosen])]);
        if (chosen + 1 < view->row_count)
            view_choose(view, view->rows[chosen + 1]);
        break;
    case UI_MARK_RANGE:
        if (from >= 0 || view->chosen < 0)
            break;
        memcpy(marks->standing, marks->of, marks_bytes(view));
        marks->range_from = view->chosen;
        break;
    case UI_MARK_ALL:
        for (int i = 0; i < view->row_count; i++)
            mark_row(view, view->rows[i], true);
        break;
    case UI_UNMARK:
        memset(marks->of, 0, marks_bytes(view));
        break;
    default: /* other acts are not about marks */
        assert(false);
        break;
    }
    view_marks_stretch(view);
    recount_marks(marks, view->order_count);
    const int hidden = view_marked_hidden(view);
    if (marks->range_from >= 0)
        view_tell(view, &facts->clock,
                  "marking from here: move, then {mark-range} again; {back} cancels");
    else if (hidden > 0)
        view_say(view, &facts->clock, "marked: %d, %d of them not shown", marks->count, hidden);
    else
        view_say(view, &facts->clock, "marked: %d", marks->count);
}

/* Makes targets of the fold's present tasks, so that the act applies to these even if the fold
 * changes later. */
static void aim_at_fold(struct view *view, const struct view_facts *facts,
                        const struct view_fold *fold)
{
    view->target_count = 0;
    for (int i = 0; i < view->order_count; i++) {
        if (view_fold_of(view, i) == fold)
            view->targets[view->target_count++] = view_aim(facts->state, i);
    }
}

/* Holds the tasks that are not held, or releases them if all are held. Holding applies to the task
 * in any state. */
static struct view_todo hold_fold(struct view *view, const struct view_facts *facts,
                                  const struct view_fold *fold)
{
    bool release = fold->held == fold->fault.count;
    aim_at_fold(view, facts, fold);
    int kept = 0;
    for (int i = 0; i < view->target_count; i++) {
        int task = view->targets[i].task;
        if (facts->state->tasks[task].held == release)
            view->targets[kept++] = (struct view_target){.task = task, .step = -1};
    }
    view->target_count = kept;
    return (struct view_todo){
        .kind = VIEW_ASK_MANY,
        .control = {.verb = release ? CONTROL_RELEASE : CONTROL_HOLD,
                    .key_at_ms = facts->clock.at_ms},
    };
}

bool view_fold_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out)
{
    static const struct prompt_many many = {.kind = PROMPT_CANCEL_MANY,
                                            .whose = "tasks of one fault"};
    const struct view_fold *fold = view_chosen_fold(view);
    if (!fold)
        return false;
    switch (act) {
    case UI_OPEN:
        view_toggle_fold(view, fold);
        view_narrow(view, facts);
        *out = (struct view_todo){.kind = VIEW_DRAW};
        return true;
    case UI_RETRY: {
        const struct view_target target = view_aim(facts->state, view->chosen);
        *out = (struct view_todo){
            .kind = VIEW_ASK,
            .control = {.verb = CONTROL_SEND_ONE,
                        .task = target.task,
                        .step = target.step,
                        .attempt = target.attempt,
                        .key_at_ms = facts->clock.at_ms},
        };
        return true;
    }
    case UI_HOLD:
        *out = hold_fold(view, facts, fold);
        return true;
    case UI_CANCEL:
        aim_at_fold(view, facts, fold);
        *out = view_ask_about_many(view, facts, &many);
        return true;
    default: /* other acts are about the screen, or about a single task */
        return false;
    }
}
