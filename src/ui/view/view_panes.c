#include "view_panes.h"

#include "view.h"
#include "view_move.h"

static bool has(const struct view *view, int pane)
{
    return (view->panes & (1u << pane)) != 0;
}

void view_panes_take(struct view *view, unsigned panes)
{
    view->panes = panes;
    if (!has(view, (int)view->pane))
        view->pane = VIEW_PANE_LIST;
}

void view_preview_fit(struct view *view, int rows, int page)
{
    struct view_preview *preview = &view->preview;
    if (preview->task != view->chosen)
        *preview = (struct view_preview){.task = view->chosen};
    preview->page = page;
    preview->last = rows > page ? rows - page : 0;
    if (preview->top > preview->last)
        preview->top = preview->last;
}

bool view_preview_act(struct view *view, enum act act)
{
    struct view_preview *preview = &view->preview;
    const int by = view_move_lines(act, preview->page);
    if (view->pane != VIEW_PANE_PREVIEW || by == 0)
        return false;
    const int top = preview->top + by;
    preview->top = top < 0 ? 0 : top > preview->last ? preview->last : top;
    return true;
}

bool view_is_zoomed(const struct view *view)
{
    return view->zoom.is_on && view->zoom.screen == view_screen(view);
}

const char *view_pane_refusal(const struct view *view, enum act act)
{
    const bool has_one = (view->panes & (view->panes - 1)) == 0;
    const enum screen screen = view_screen(view);
    if (act == UI_ZOOM)
        return has_one && !view_is_zoomed(view) ? "there is nothing beside this to make room of"
                                                : NULL;
    if ((act != UI_PANE_NEXT && act != UI_PANE_PREV) || screen == SCREEN_FORENSICS)
        return NULL;
    if (screen != SCREEN_TASKS && screen != SCREEN_DETAIL)
        return "this view has one pane: {tasks} has several";
    return has_one ? "there is no room for a second pane" : NULL;
}

static void go_round(struct view *view, int by)
{
    int pane = (int)view->pane;
    do
        pane = (pane + by + VIEW_PANE_COUNT) % VIEW_PANE_COUNT;
    while (pane != (int)view->pane && !has(view, pane));
    view->pane = (enum view_pane)pane;
}

bool view_pane_act(struct view *view, enum act act)
{
    if (act == UI_PANE_NEXT || act == UI_PANE_PREV)
        go_round(view, act == UI_PANE_NEXT ? 1 : -1);
    else if (act == UI_ZOOM)
        view->zoom =
            (struct view_zoom){.is_on = !view_is_zoomed(view), .screen = view_screen(view)};
    else
        return false;
    return true;
}
