/*
 * view_forensics.c - the Forensics screen: its keys and its scroll position.
 */
#include "view.h"
#include "view_internal.h"

void view_forensics_open(struct view *view, const struct view_facts *facts)
{
    if (view->chosen < 0) {
        view_say(view, &facts->clock, "no task selected");
        return;
    }
    /* Keep an attempt that the user selected on the way here. */
    if (view->tried.task != view->chosen || view->tried.attempt == 0)
        view_try_choose_failure(view, facts->state);
    view->forensics = (struct view_forensics){.right = false};
    trail_go(&view->trail, SCREEN_FORENSICS);
}

void view_forensics_fit(struct view *view, struct view_room room)
{
    struct view_forensics *at = &view->forensics;
    at->room = room;
    if (at->top > room.last)
        at->top = room.last;
}

const char *view_forensics_refusal(const struct view *view, const struct view_facts *facts,
                                   enum act act)
{
    const struct view_forensics *at = &view->forensics;
    const bool is_empty = view_try_now(view, facts->state).attempt == 0;
    switch (act) {
    case UI_UP:
        if (at->right)
            return at->top == 0 ? "this is the start" : NULL;
        return is_empty || at->section == 0 ? "this is the first section" : NULL;
    case UI_DOWN:
        if (at->right)
            return at->top >= at->room.last ? "this is the end" : NULL;
        return is_empty || at->section + 1 == FORENSICS_SECTION_COUNT ? "this is the last section"
                                                                      : NULL;
    case UI_PANE_NEXT:
    case UI_PANE_PREV:
        return is_empty ? "nothing captured yet" : NULL;
    case UI_FILTER:
    case UI_NEXT:
    case UI_PREV:
    case UI_ONLY_NEEDS_YOU:
    case UI_NEEDS_YOU_NEXT:
    case UI_FOLLOW:
        return "works only in the task list: {quit} goes back to it";
    default: /* other acts always have an effect */
        return NULL;
    }
}

bool view_forensics_act(struct view *view, const struct view_facts *facts, enum act act,
                        struct view_todo *out)
{
    struct view_forensics *forensics = &view->forensics;
    (void)out; /* unused: only a new frame is needed */
    switch (act) {
    case UI_FORENSICS:
        (void)trail_back(&view->trail);
        return true;
    case UI_PANE_NEXT:
    case UI_PANE_PREV:
        forensics->right = !forensics->right;
        return true;
    case UI_OPEN:
        forensics->right = true;
        return true;
    case UI_TRY_BACK:
    case UI_TRY_FORWARD:
        forensics->top = 0;
        (void)view_try_step(view, facts->state, act == UI_TRY_BACK ? -1 : 1);
        return true;
    default: /* scrolling; other acts have their general meaning */
        break;
    }
    const int by = view_move_lines(act, (int)forensics->room.page);
    if (by == 0)
        return false;
    if (forensics->right || view_move_is_by_page(act)) {
        int64_t top = (int64_t)forensics->top + by;
        if (top > (int64_t)forensics->room.last)
            top = (int64_t)forensics->room.last;
        forensics->top = top > 0 ? (size_t)top : 0;
        return true;
    }
    int section = (int)forensics->section + by;
    if (section < 0)
        section = 0;
    if (section >= FORENSICS_SECTION_COUNT)
        section = FORENSICS_SECTION_COUNT - 1;
    if (section != (int)forensics->section)
        forensics->top = 0;
    forensics->section = (enum forensics_section)section;
    return true;
}
