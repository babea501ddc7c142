/* stroke_time.c - through time, and through tries: in a replay, and back in a run that goes on. */
#include "stroke.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

struct view_todo stroke_go_to(const struct stroke *stroke)
{
    line_edit_clear(&stroke->view->go_to);
    line_edit_open(&stroke->view->go_to);
    return draw;
}

/* What a key of the transport does; false for any other. */
static bool move_of(enum act act, enum replay_move *out)
{
    static const struct {
        enum act act;
        enum replay_move move;
    } moves[] = {
        {UI_PLAY, REPLAY_PLAY},
        {UI_EVENT_BACK, REPLAY_EVENT_BACK},
        {UI_TRY_START, REPLAY_TRY_BACK},
        {UI_EVENT_FORWARD, REPLAY_EVENT_ON},
        {UI_TRY_NEXT, REPLAY_TRY_ON},
        {UI_SLOWER, REPLAY_SLOWER},
        {UI_FASTER, REPLAY_FASTER},
        {UI_START, REPLAY_START},
        {UI_END, REPLAY_END},
    };
    for (size_t i = 0; i < ARRAY_LEN(moves); i++) {
        if (moves[i].act != act)
            continue;
        *out = moves[i].move;
        return true;
    }
    return false;
}

const char *stroke_time_refusal(const struct view *view, const struct view_facts *facts,
                                enum act act)
{
    enum replay_move move = REPLAY_END;
    const bool is_failure = act == UI_ERROR_NEXT || act == UI_ERROR_BACK;
    if (!facts->replay || facts->opens)
        return NULL;
    if (is_failure && view_screen(view) == SCREEN_TASKS)
        move = act == UI_ERROR_NEXT ? REPLAY_FAILURE_ON : REPLAY_FAILURE_BACK;
    else if (!move_of(act, &move))
        return NULL;
    return replay_refusal(facts->replay, move, view->chosen, facts->mode == VIEW_PAST);
}

struct view_todo stroke_transport(const struct stroke *stroke)
{
    struct view_todo todo = {.kind = VIEW_TRANSPORT};
    return move_of(stroke->act, &todo.move) ? todo : draw;
}

struct view_todo stroke_later(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    view->shows_later = !view->shows_later;
    view_tell(view, &stroke->facts->clock,
              view->shows_later ? "what came later is shown: {later} hides it again"
                                : "what came later is hidden");
    return draw;
}

struct view_todo stroke_compare(const struct stroke *stroke)
{
    return view_report_ask(stroke->view, stroke->facts);
}

struct view_todo stroke_bookmark(const struct stroke *stroke)
{
    return view_bookmark(stroke->view, stroke->facts);
}

struct view_todo stroke_try(const struct stroke *stroke)
{
    (void)view_try_step(stroke->view, stroke->facts->state, stroke->act == UI_TRY_BACK ? -1 : 1);
    return draw;
}
