#include "view_tasks.h"

#include "shown.h"
#include "view.h"

/* Did the latest try of the task fail, or is it over without having passed? */
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

/* The next row of a failure, round the list from the chosen one on; -1: there is no other. */
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

/* Along the records: up and down lead in time. */
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
