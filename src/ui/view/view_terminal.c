#include "view_terminal.h"

#include "view.h"

static void freeze(struct view *view, const struct view_facts *facts)
{
    view->frozen = !view->frozen;
    if (!view->frozen)
        view_say(view, &facts->clock, "the screen goes on");
}

static void switch_mouse(struct view *view, const struct view_facts *facts)
{
    view->leaves_mouse = !view->leaves_mouse;
    if (view->leaves_mouse)
        view_tell(view, &facts->clock,
                  "the mouse is the terminal's: choose text with it; {mouse} ends it");
    else
        view_tell(view, &facts->clock, "the mouse chooses and scrolls here; {mouse} gives it back");
}

bool view_terminal_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out)
{
    *out = (struct view_todo){.kind = VIEW_DRAW};
    switch (act) {
    case UI_COPY:
        out->kind = VIEW_COPY;
        return true;
    case UI_COPY_PATH:
        out->kind = VIEW_COPY_PATH;
        return true;
    case UI_PAGER:
        out->kind = VIEW_PAGER;
        return true;
    case UI_MOUSE:
        switch_mouse(view, facts);
        out->kind = VIEW_MOUSE;
        return true;
    case UI_FREEZE:
        freeze(view, facts);
        return true;
    default: /* all others are somebody else's */
        return false;
    }
}

struct view_todo view_frozen_act(struct view *view, const struct view_facts *facts, enum act act)
{
    struct view_todo todo = {.kind = VIEW_DRAW};
    bool moves_on = act == UI_FREEZE || act == UI_BACK || act == UI_QUIT;
    bool is_harmless = act == UI_COPY || act == UI_COPY_PATH || act == UI_MOUSE;
    if (moves_on)
        freeze(view, facts);
    else if (is_harmless)
        (void)view_terminal_act(view, facts, act, &todo);
    else
        view_tell(view, &facts->clock, "the screen stands still: {freeze} lets it go on");
    return todo;
}
