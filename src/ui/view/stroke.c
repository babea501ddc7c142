#include "stroke.h"

#include "view_acts.h"
#include "view_detail.h"
#include "view_leave.h"
#include "view_move.h"
#include "view_tasks.h"
#include "view_terminal.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

static void scroll_log(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    size_t count = stroke->facts->log->count;
    int64_t most = count > view->log_page ? (int64_t)(count - view->log_page) : 0;
    int64_t back = (int64_t)view->log_back - view_move_lines(stroke->act, (int)view->log_page);
    back = back > most ? most : back;
    view->log_back = back > 0 ? (size_t)back : 0;
}

static struct view_todo move(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    if (view->pane == VIEW_PANE_LOG)
        scroll_log(stroke);
    else
        view_choose_row(view, view_chosen_row(view) + view_move_lines(stroke->act, view->page));
    return draw;
}

static struct view_todo open_task(const struct stroke *stroke)
{
    trail_go(&stroke->view->trail, SCREEN_DETAIL);
    return draw;
}

static struct view_todo go_to_tasks(const struct stroke *stroke)
{
    trail_go(&stroke->view->trail, SCREEN_TASKS);
    return draw;
}

static struct view_todo go_to_runs(const struct stroke *stroke)
{
    trail_go(&stroke->view->trail, SCREEN_RUNS);
    return draw;
}

static struct view_todo open_timeline(const struct stroke *stroke)
{
    view_timeline_open(stroke->view);
    return draw;
}

static struct view_todo go_back(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    if (view_marks_drop_range(view)) {
        view_say(view, &stroke->facts->clock, "marked: %d", view_marked(view));
    } else if (trail_back(&view->trail)) {
        return draw;
    } else if (view->filter.len > 0 || view->only_needs_you) {
        line_edit_clear(&view->filter);
        view->only_needs_you = false;
        view_narrow(view, stroke->facts);
    } else if (view->pane != VIEW_PANE_LIST) {
        view->pane = VIEW_PANE_LIST;
    } else if (stroke->facts->mode == VIEW_PAST) {
        return view_go_to_the_present();
    } else {
        view_tell(view, &stroke->facts->clock, "this is the top; {quit} leaves");
    }
    return draw;
}

static struct view_todo act_on_tasks(const struct stroke *stroke)
{
    return view_act_on_tasks(stroke->view, stroke->facts, stroke->act);
}

static struct view_todo mark(const struct stroke *stroke)
{
    view_marks_act(stroke->view, stroke->facts, stroke->act);
    view_undo_note_marks(stroke->view, stroke->facts);
    return draw;
}

static struct view_todo undo(const struct stroke *stroke)
{
    return view_undo(stroke->view, stroke->facts);
}

static struct view_todo follow_log(const struct stroke *stroke)
{
    stroke->view->log_back = 0;
    view_say(stroke->view, &stroke->facts->clock, "the end of the log is followed");
    return draw;
}

static struct view_todo open_forensics(const struct stroke *stroke)
{
    view_forensics_open(stroke->view, stroke->facts);
    return draw;
}

static struct view_todo open_log(const struct stroke *stroke)
{
    view_log_open(stroke->view, stroke->facts);
    return draw;
}

static struct view_todo change_list(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    if (stroke->act == UI_ORDER)
        view_order_open(view);
    else if (stroke->act == UI_TURN)
        view_order_turn(view, stroke->facts);
    else
        view_filter_passed(view, stroke->facts);
    return draw;
}

static struct view_todo change_times(const struct stroke *stroke)
{
    static const char *const words[SHOWN_TIMES_COUNT] = {
        [SHOWN_TIMES_AGO] = "times: how long ago",
        [SHOWN_TIMES_CLOCK] = "times: by the clock here",
        [SHOWN_TIMES_UTC] = "times: by the clock, in UTC",
    };
    struct view *view = stroke->view;
    view->times = (view->times + 1) % SHOWN_TIMES_COUNT;
    view_say(view, &stroke->facts->clock, "%s", words[view->times]);
    return draw;
}

static struct view_todo write_bundle(const struct stroke *stroke)
{
    return view_report_bundle(stroke->view, stroke->facts);
}

static struct view_todo open_command(const struct stroke *stroke)
{
    view_command_open(stroke->view);
    return draw;
}

static struct view_todo open_help(const struct stroke *stroke)
{
    help_open(&stroke->view->help, stroke->view->keys, view_place(stroke->view, stroke->facts));
    return draw;
}

static struct view_todo redraw_all(const struct stroke *stroke)
{
    (void)stroke;
    return (struct view_todo){.kind = VIEW_REDRAW_ALL};
}

static struct view_todo suspend(const struct stroke *stroke)
{
    return view_suspend(stroke->view, stroke->facts);
}

static struct view_todo quit(const struct stroke *stroke)
{
    return view_quit(stroke->view, stroke->facts);
}

static stroke_fn *const handlers[UI_ACT_COUNT] = {
    [UI_DOWN] = move,
    [UI_UP] = move,
    [UI_FIRST] = move,
    [UI_LAST] = move,
    [UI_HALF_DOWN] = move,
    [UI_HALF_UP] = move,
    [UI_PAGE_DOWN] = move,
    [UI_PAGE_UP] = move,
    [UI_OPEN] = open_task,
    [UI_BACK] = go_back,
    [UI_FILTER] = stroke_filter,
    [UI_NEXT] = stroke_find,
    [UI_PREV] = stroke_find,
    [UI_NEEDS_YOU_NEXT] = stroke_needs_you_next,
    [UI_ONLY_NEEDS_YOU] = stroke_only_needs_you,
    [UI_ORDER] = change_list,
    [UI_TURN] = change_list,
    [UI_FINISHED] = change_list,
    [UI_TIMES] = change_times,
    [UI_RETRY] = act_on_tasks,
    [UI_RETRY_WITH] = act_on_tasks,
    [UI_CANCEL] = act_on_tasks,
    [UI_KILL] = act_on_tasks,
    [UI_HOLD] = act_on_tasks,
    [UI_UNDO] = undo,
    [UI_CORRECT] = act_on_tasks,
    [UI_MARK] = mark,
    [UI_MARK_RANGE] = mark,
    [UI_MARK_ALL] = mark,
    [UI_UNMARK] = mark,
    [UI_FOLLOW] = follow_log,
    [UI_FORENSICS] = open_forensics,
    [UI_LOG] = open_log,
    [UI_PLAY] = stroke_transport,
    [UI_EVENT_BACK] = stroke_transport,
    [UI_EVENT_FORWARD] = stroke_transport,
    [UI_BOOKMARK] = stroke_bookmark,
    [UI_LATER] = stroke_later,
    [UI_COMPARE] = stroke_compare,
    [UI_BUNDLE] = write_bundle,
    [UI_TRY_BACK] = stroke_try,
    [UI_TRY_FORWARD] = stroke_try,
    [UI_TRY_START] = stroke_transport,
    [UI_TRY_NEXT] = stroke_transport,
    [UI_SLOWER] = stroke_transport,
    [UI_FASTER] = stroke_transport,
    [UI_START] = stroke_transport,
    [UI_END] = stroke_transport,
    [UI_COMMAND] = open_command,
    [UI_HELP] = open_help,
    [UI_REDRAW] = redraw_all,
    [UI_SUSPEND] = suspend,
    [UI_TASKS] = go_to_tasks,
    [UI_DETAIL] = open_task,
    [UI_TIMELINE] = open_timeline,
    [UI_RUNS] = go_to_runs,
    [UI_GO_TO] = stroke_go_to,
    [UI_QUIT] = quit,
};

/* What a screen makes of an act itself; false leaves it to what it means everywhere. */
typedef bool screen_act_fn(struct view *view, const struct view_facts *facts, enum act act,
                           struct view_todo *out);
static screen_act_fn *const screen_acts[SCREEN_COUNT] = {
    [SCREEN_TASKS] = view_tasks_act,       [SCREEN_DETAIL] = view_detail_act,
    [SCREEN_LOG] = view_log_act,           [SCREEN_FORENSICS] = view_forensics_act,
    [SCREEN_TIMELINE] = view_timeline_act, [SCREEN_RUNS] = view_runs_act,
};

/* Says why the act cannot be done now; false: it can. */
static bool is_refused(const struct stroke *stroke)
{
    struct str why = {0};
    const bool refused = view_refusal(stroke->view, stroke->facts, stroke->act, &why);
    if (refused)
        view_say(stroke->view, &stroke->facts->clock, "%s", str_text(&why));
    str_done(&why);
    return refused;
}

struct view_todo stroke_do(const struct stroke *stroke)
{
    struct view_todo todo = draw;
    if (is_refused(stroke))
        return todo;
    screen_act_fn *of_screen = screen_acts[view_screen(stroke->view)];
    if (of_screen && of_screen(stroke->view, stroke->facts, stroke->act, &todo))
        return todo;
    if (view_terminal_act(stroke->view, stroke->facts, stroke->act, &todo))
        return todo;
    bool folds = stroke->act == UI_OPEN; /* acts on a fold's tasks are acts on tasks */
    if (folds && view_fold_act(stroke->view, stroke->facts, stroke->act, &todo))
        return todo;
    if (view_pane_act(stroke->view, stroke->act))
        return todo;
    stroke_fn *handler = handlers[stroke->act];
    return handler ? handler(stroke) : draw;
}
