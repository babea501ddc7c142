/* view_report.c - marks tries for a comparison, asks for a file, and scrolls the report. */
#include "runs_list.h"
#include "view.h"
#include "view_internal.h"

static struct view_todo mark_or_compare(struct view *view, const struct view_facts *facts)
{
    const struct run_state *state = facts->state;
    const struct view_try now = view_try_now(view, state);
    struct view_try *marked = &view->report.marked;
    if (marked->attempt == 0) {
        *marked = now;
        view_tell(view, &facts->clock,
                  "try %d marked: select another one, {compare} compares the two", now.attempt);
    } else if (marked->task >= state->plan->task_count || !view_try_state(state, marked)) {
        /* a recording has moved back to before the attempt */
        *marked = now;
        view_say(view, &facts->clock,
                 "the marked try had not started then; try %d is marked instead", now.attempt);
    } else if (marked->task == now.task && marked->step == now.step &&
               marked->attempt == now.attempt) {
        marked->attempt = 0;
        view_say(view, &facts->clock, "no try marked");
    } else {
        return (struct view_todo){.kind = VIEW_COMPARE};
    }
    return (struct view_todo){.kind = VIEW_DRAW};
}

struct view_todo view_report_ask(struct view *view, const struct view_facts *facts)
{
    const enum screen screen = view_screen(view);
    if (screen == SCREEN_DETAIL || screen == SCREEN_LOG)
        return mark_or_compare(view, facts);
    line_edit_open(&view->report.file); /* keeps the previous file name */
    return (struct view_todo){.kind = VIEW_DRAW};
}

void view_report_fit(struct view *view, int rows, int page)
{
    struct view_report *report = &view->report;
    report->page = page;
    report->last = rows > page ? rows - page : 0;
    if (report->top > report->last)
        report->top = report->last;
}

struct view_todo view_report_bundle(struct view *view, const struct view_facts *facts)
{
    struct view_todo todo = {.kind = VIEW_BUNDLE, .run = facts->run};
    if (view_screen(view) != SCREEN_RUNS)
        return todo;
    const struct runs_list *list = facts->runs;
    const size_t at = list ? view_runs_chosen(&view->runs, list) : 0;
    if (!list || at >= list->shown_count)
        return (struct view_todo){.kind = VIEW_DRAW};
    todo.run = list->rows[list->shown[at]].number;
    return todo;
}

struct view_todo view_report_key(struct view *view, uint32_t key, enum act act)
{
    const struct view_todo draw = {.kind = VIEW_DRAW};
    struct view_report *report = &view->report;
    if (report->kind == REPORT_BUNDLE && (key == 'y' || key == 'Y'))
        return (struct view_todo){.kind = VIEW_KEEP_BUNDLE};
    const int top = report->top + view_move_lines(act, report->page);
    report->top = top < 0 ? 0 : top > report->last ? report->last : top;
    const bool is_asked_again =
        report->kind != REPORT_BUNDLE && (act == UI_COMPARE || act == UI_OPEN);
    if (act != UI_QUIT && act != UI_BACK && !is_asked_again)
        return draw;
    report->kind = REPORT_NONE;
    report->marked.attempt = 0;
    return draw;
}
