#include "view_panes.h"

#include <assert.h>

#include "view.h"

static const char *const names[] = {
    [VIEW_PANE_LIST] = "list",
    [VIEW_PANE_PREVIEW] = "preview",
    [VIEW_PANE_TIMELINE] = "timeline",
    [VIEW_PANE_LOG] = "log",
};
static_assert(ARRAY_LEN(names) == VIEW_PANE_COUNT, "every pane has a name");

const char *view_pane_name(enum view_pane pane)
{
    assert(pane < VIEW_PANE_COUNT);
    return names[pane];
}

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
