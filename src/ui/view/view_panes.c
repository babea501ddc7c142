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

static void go_round(struct view *view, const struct view_facts *facts, int by)
{
    int pane = (int)view->pane;
    do
        pane = (pane + by + VIEW_PANE_COUNT) % VIEW_PANE_COUNT;
    while (pane != (int)view->pane && !has(view, pane));
    if (pane == (int)view->pane)
        view_say(view, &facts->clock, "there is no room for a second pane");
    view->pane = (enum view_pane)pane;
}

static void zoom(struct view *view, const struct view_facts *facts)
{
    if (view_is_zoomed(view)) {
        view->zoom.is_on = false;
        return;
    }
    if ((view->panes & (view->panes - 1)) == 0) {
        view_say(view, &facts->clock, "there is nothing beside this to make room of");
        return;
    }
    view->zoom = (struct view_zoom){.is_on = true, .screen = view_screen(view)};
}

bool view_pane_act(struct view *view, const struct view_facts *facts, enum act act)
{
    if (act == UI_PANE_NEXT || act == UI_PANE_PREV)
        go_round(view, facts, act == UI_PANE_NEXT ? 1 : -1);
    else if (act == UI_ZOOM)
        zoom(view, facts);
    else
        return false;
    return true;
}
