/*
 * view_runs.c - the Runs screen: the selected run, the filter, and its keys.
 */
#include "runs_list.h"
#include "view.h"
#include "view_internal.h"

size_t view_runs_chosen(const struct view_runs *runs, const struct runs_list *list)
{
    size_t at = 0;
    if (runs->chosen == 0 || list->shown_count == 0)
        return 0;
    while (at + 1 < list->shown_count && list->rows[list->shown[at]].number > runs->chosen)
        at++;
    return at;
}

void view_runs_fit(struct view_runs *runs, const struct runs_list *list, int page)
{
    const size_t chosen = view_runs_chosen(runs, list);
    int lines = 0;
    size_t first = chosen;
    runs->page = page > 0 ? page : 1;
    if (runs->top > chosen || list->shown_count == 0)
        runs->top = chosen;
    /* Find the first row from which the selected one is visible. */
    for (size_t i = chosen + 1; i > runs->top && i <= list->shown_count; i--) {
        lines += runs_row_lines(&list->rows[list->shown[i - 1]]);
        if (lines > runs->page && i <= chosen)
            break;
        first = i - 1;
    }
    runs->top = first;
}

const char *view_runs_refusal(const struct view *view, const struct view_facts *facts, enum act act)
{
    const struct runs_list *list = facts->runs;
    if (!list)
        return NULL;
    const bool is_empty = view_runs_chosen(&view->runs, list) >= list->shown_count;
    switch (act) {
    case UI_OPEN:
    case UI_TASKS:
    case UI_TIMELINE:
        return is_empty ? "no run to open" : NULL;
    case UI_BUNDLE:
        return is_empty ? "no run to write" : NULL;
    case UI_DETAIL:
    case UI_LOG:
    case UI_FORENSICS:
        return "open the run with {open}, then select a task";
    case UI_HOSTS:
        return "open the run with {open} first";
    case UI_NEXT:
    case UI_PREV:
        return "the filter shows all matching runs: {down} and {up} move through them";
    default: /* other acts always have an effect */
        return NULL;
    }
}

bool view_runs_act(struct view *view, const struct view_facts *facts, enum act act,
                   struct view_todo *out)
{
    const struct runs_list *list = facts->runs;
    if (!list)
        return false;
    const size_t at = view_runs_chosen(&view->runs, list);
    switch (act) {
    case UI_OPEN:
    case UI_TASKS:
    case UI_TIMELINE:
        if (at < list->shown_count)
            *out = (struct view_todo){
                .kind = VIEW_OPEN_RUN,
                .run = list->rows[list->shown[at]].number,
                .screen = act == UI_TIMELINE ? SCREEN_TIMELINE : SCREEN_TASKS,
            };
        return true;
    case UI_BACK: /* the first press removes the filter */
        if (view->runs.filter.len == 0)
            return false;
        line_edit_clear(&view->runs.filter);
        return true;
    case UI_FILTER:
        line_edit_open(&view->runs.filter);
        return true;
    default: { /* scrolling; other acts have their general meaning */
        const int by = view_move_lines(act, view->runs.page);
        const int64_t last = (int64_t)list->shown_count - 1;
        if (by != 0 && last >= 0) {
            const int64_t to = (int64_t)at + by > last ? last : (int64_t)at + by;
            view->runs.chosen = list->rows[list->shown[to > 0 ? to : 0]].number;
        }
        return by != 0;
    }
    }
}

bool view_runs_say_compare(struct view *view, const struct view_facts *facts)
{
    const struct runs_list *list = facts->runs;
    if (view_screen(view) != SCREEN_RUNS || !list || list->shown_count < 2)
        return false;
    const size_t at = view_runs_chosen(&view->runs, list);
    const size_t older = at + 1 < list->shown_count ? at + 1 : at;
    view_say(view, &facts->clock, "two runs side by side: devs debug --diff %lld %lld",
             (long long)list->rows[list->shown[older]].number,
             (long long)list->rows[list->shown[older - 1]].number);
    return true;
}
