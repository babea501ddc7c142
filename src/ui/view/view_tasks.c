/* view_tasks.c - the Tasks screen: its own keys, marks, and acts on folds. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "view.h"
#include "view_internal.h"
#include "xalloc.h"

/* Returns true if the task's latest try failed, or it ended without passing. */
static bool has_failed(const struct view_facts *facts, int task)
{
    switch (shown_task(facts->state, task, facts->orphaned)) {
    case SHOWN_NEEDS_YOU:
    case SHOWN_BACKOFF:
    case SHOWN_GAVE_UP:
    case SHOWN_STUCK:
    case SHOWN_LOST:
        return true;
    case SHOWN_RUNNING:
    case SHOWN_QUIET:
    case SHOWN_STOPPING:
    case SHOWN_QUEUED:
    case SHOWN_HELD:
    case SHOWN_PASSED:
    case SHOWN_CANCELLED:
    case SHOWN_BLOCKED:
    case SHOWN_COUNT:
        break;
    }
    return false;
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

/* In the records pane, up and down move in time. */
static bool go_along(enum act act, struct view_todo *out)
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
    for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
        if (ways[i].act != act)
            continue;
        *out = (struct view_todo){.kind = VIEW_TRANSPORT, .move = ways[i].move};
        return true;
    }
    return false;
}

bool view_tasks_act(struct view *view, const struct view_facts *facts, enum act act,
                    struct view_todo *out)
{
    if (view_preview_act(view, act))
        return true;
    if (view->pane == VIEW_PANE_EVENTS && go_along(act, out))
        return true;
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

static void recount(struct view_marks *marks, int task_count)
{
    marks->count = 0;
    for (int i = 0; i < task_count; i++)
        marks->count += marks->of[i];
}

static bool *widen(bool *marks, int room)
{
    size_t cap = 0;
    return xgrow(marks, &cap, (size_t)room + 1, sizeof(*marks));
}

void view_marks_take_tasks(struct view_marks *marks, int task_count, int before)
{
    if (task_count > marks->room || !marks->of) {
        int room = task_count > 2 * marks->room ? task_count : 2 * marks->room;
        marks->of = widen(marks->of, room);
        marks->before = widen(marks->before, room);
        marks->standing = widen(marks->standing, room);
        marks->room = room;
    }
    for (int i = before; i < task_count; i++)
        marks->of[i] = marks->before[i] = marks->standing[i] = false;
    if (marks->range_from >= task_count)
        marks->range_from = -1;
    recount(marks, task_count);
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

static size_t bytes(const struct view *view)
{
    return (size_t)view->order_count * sizeof(*view->marks.of);
}

/* Marks all tasks of a row. */
static void set_row(struct view *view, int row, bool marked)
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

static bool row_is_marked(const struct view *view, int row)
{
    return view->marks.of[view_row_task(row)];
}

static void mark_chosen(struct view *view)
{
    int chosen = view_chosen_row(view);
    if (chosen < 0)
        return;
    set_row(view, view->rows[chosen], !row_is_marked(view, view->rows[chosen]));
    if (chosen + 1 < view->row_count)
        view_choose(view, view->rows[chosen + 1]);
}

static void mark_range(struct view *view)
{
    struct view_marks *marks = &view->marks;
    if (marks->range_from >= 0) {
        marks->range_from = -1;
        return;
    }
    if (view->chosen < 0)
        return;
    memcpy(marks->standing, marks->of, bytes(view));
    marks->range_from = view->chosen;
}

static void mark_all(struct view *view)
{
    for (int i = 0; i < view->row_count; i++)
        set_row(view, view->rows[i], true);
}

/* Returns the row that shows a task, its own or its fold's; -1 = none. */
static int row_with(const struct view *view, int task)
{
    for (int i = 0; i < view->row_count; i++) {
        if (is_in_row(view, view->rows[i], task))
            return i;
    }
    return -1;
}

void view_marks_stretch(struct view *view)
{
    struct view_marks *marks = &view->marks;
    int chosen = view_chosen_row(view);
    if (marks->range_from < 0 || chosen < 0)
        return;
    int from = row_with(view, marks->range_from);
    if (from < 0) /* the filter hides the start of the range */
        return;
    int last = from > chosen ? from : chosen;
    memcpy(marks->of, marks->standing, bytes(view));
    for (int i = from < chosen ? from : chosen; i <= last; i++)
        set_row(view, view->rows[i], true);
    recount(marks, view->order_count);
}

bool view_marks_drop_range(struct view *view)
{
    struct view_marks *marks = &view->marks;
    if (marks->range_from < 0)
        return false;
    marks->range_from = -1;
    memcpy(marks->of, marks->standing, bytes(view));
    recount(marks, view->order_count);
    return true;
}

void view_marks_undo(struct view *view)
{
    struct view_marks *marks = &view->marks;
    bool *undone = marks->of;
    marks->of = marks->before;
    marks->before = undone;
    marks->range_from = -1;
    recount(marks, view->order_count);
}

static void say_count(struct view *view, const struct view_facts *facts)
{
    int count = view->marks.count;
    int hidden = view_marked_hidden(view);
    if (view->marks.range_from >= 0)
        view_tell(view, &facts->clock,
                  "marking from here: move, then {mark-range} again; {back} drops it");
    else if (hidden > 0)
        view_say(view, &facts->clock, "marked: %d, %d of them not shown", count, hidden);
    else
        view_say(view, &facts->clock, "marked: %d", count);
}

void view_marks_act(struct view *view, const struct view_facts *facts, enum act act)
{
    bool ends_range = act == UI_MARK_RANGE && view->marks.range_from >= 0;
    if (!ends_range)
        memcpy(view->marks.before, view->marks.of, bytes(view)); /* for undo */
    switch (act) {
    case UI_MARK:
        view->marks.range_from = -1;
        mark_chosen(view);
        break;
    case UI_MARK_RANGE:
        mark_range(view);
        break;
    case UI_MARK_ALL:
        view->marks.range_from = -1;
        mark_all(view);
        break;
    case UI_UNMARK:
        view->marks.range_from = -1;
        memset(view->marks.of, 0, bytes(view));
        break;
    default: /* the others are not about marks */
        assert(false);
        break;
    }
    view_marks_stretch(view);
    recount(&view->marks, view->order_count);
    say_count(view, facts);
}

/* A key and the fold it applies to. */
struct fold_stroke {
    struct view *view;
    const struct view_facts *facts;
    const struct view_fold *fold;
};

/* The act applies to the tasks in the fold now, even if the fold changes later. */
static void aim_at_all(const struct fold_stroke *stroke)
{
    struct view *view = stroke->view;
    view->target_count = 0;
    for (int i = 0; i < view->order_count; i++) {
        if (view_fold_of(view, i) == stroke->fold)
            view->targets[view->target_count++] = view_aim(stroke->facts->state, i);
    }
}

static struct view_todo send_one(const struct fold_stroke *stroke)
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

/* Holds the tasks that are not held, or releases them if all are held. Holding applies to the task
 * in any state. */
static struct view_todo hold_all(const struct fold_stroke *stroke)
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

static struct view_todo cancel_all(const struct fold_stroke *stroke)
{
    static const struct prompt_many many = {.kind = PROMPT_CANCEL_MANY,
                                            .whose = "tasks of one fault"};
    aim_at_all(stroke);
    return view_ask_about_many(stroke->view, stroke->facts, &many);
}

static struct view_todo toggle(const struct fold_stroke *stroke)
{
    view_toggle_fold(stroke->view, stroke->fold);
    view_narrow(stroke->view, stroke->facts);
    return (struct view_todo){.kind = VIEW_DRAW};
}

bool view_fold_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out)
{
    const struct fold_stroke stroke = {
        .view = view, .facts = facts, .fold = view_chosen_fold(view)};
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
    default: /* the other acts are about the screen, or a single task */
        return false;
    }
}
