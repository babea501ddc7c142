/* stroke_find.c - finding: in the list of tasks, and in the log below it. */
#include "stroke.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

struct view_todo stroke_filter(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    if (view->pane == VIEW_PANE_LOG) {
        line_edit_clear(&view->search);
        line_edit_open(&view->search);
        return draw;
    }
    view->chosen_then = view->chosen;
    line_edit_open(&view->filter);
    return draw;
}

/* Show the log line that was found: in the last row of the pane. */
static void find_in_log(const struct stroke *stroke, int step)
{
    struct view *view = stroke->view;
    const struct log_tail *log = stroke->facts->log;
    size_t here = log->count > view->log_back ? log->count - view->log_back - 1 : 0;
    size_t from = log->count == 0 ? 0 : here + (size_t)step;
    size_t found = log_tail_find(log, view->search.text, from, step);
    if (found == log->count)
        view_say(view, &stroke->facts->clock, "\"%s\" not found further %s", view->search.text,
                 step < 0 ? "up" : "down");
    else
        view->log_back = log->count - found - 1;
}

struct view_todo stroke_find(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    bool on = stroke->act == UI_NEXT;
    if (view->pane == VIEW_PANE_LOG) {
        find_in_log(stroke, on ? 1 : -1);
    } else if (view->row_count > 0) {
        int row = view_chosen_row(view) + (on ? 1 : -1);
        view_choose_row(view, (row + view->row_count) % view->row_count);
    }
    return draw;
}

struct view_todo stroke_needs_you_next(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    int here = view_chosen_row(view);
    for (int i = 1; i <= view->row_count; i++) {
        int row = (here + i) % view->row_count;
        if (stroke->facts->state->tasks[view_row_task(view->rows[row])].status == TASK_NEEDS_YOU) {
            view_choose_row(view, row);
            return draw;
        }
    }
    view_say(view, &stroke->facts->clock, "nothing needs you");
    return draw;
}

struct view_todo stroke_only_needs_you(const struct stroke *stroke)
{
    stroke->view->only_needs_you = !stroke->view->only_needs_you;
    view_narrow(stroke->view, stroke->facts);
    return draw;
}

struct view_todo stroke_search_key(const struct stroke *stroke, uint32_t key)
{
    struct view *view = stroke->view;
    if (view_screen(view) == SCREEN_LOG)
        view_log_search_key(view, stroke->facts, key);
    else if (line_edit_key(&view->search, key) == LINE_EDIT_KEPT && view->search.len > 0)
        find_in_log(stroke, -1);
    return draw;
}
