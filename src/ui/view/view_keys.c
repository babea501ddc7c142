/* view_keys.c - maps each key to its meaning: what handles it, which act it is, and what that act
 * does if the screen does not define it. */
#include <assert.h>
#include <stddef.h>

#include "attr.h"
#include "view.h"
#include "view_internal.h"
#include "view_terminal.h"

/* A key press and its context. */
struct stroke {
    struct view *view;              /* borrowed, like the facts */
    const struct view_facts *facts; /* at the time of the key press */
    enum act act;
};

/* Carries out a stroke and returns the app's action. */
typedef struct view_todo stroke_fn(const struct stroke *stroke);

enum { FAR = 1 << 24 };

static const struct step {
    enum act act;
    int lines, halves; /* halves of a page */
} steps[] = {
    {UI_DOWN, 1, 0},      {UI_UP, -1, 0},      {UI_HALF_DOWN, 0, 1}, {UI_HALF_UP, 0, -1},
    {UI_PAGE_DOWN, 0, 2}, {UI_PAGE_UP, 0, -2}, {UI_FIRST, -FAR, 0},  {UI_LAST, FAR, 0},
};

static const struct step *find_step(enum act act)
{
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        if (steps[i].act == act)
            return &steps[i];
    }
    return NULL;
}

int view_move_lines(enum act act, int page)
{
    const struct step *step = find_step(act);
    const int half = page / 2 > 0 ? page / 2 : 1;
    return step ? step->lines + step->halves * half : 0;
}

bool view_move_is_by_page(enum act act)
{
    const struct step *step = find_step(act);
    return step && step->halves != 0;
}

const struct bookmark *view_bookmark_here(const struct view_facts *facts)
{
    for (size_t i = 0; i < facts->bookmark_count; i++) {
        const struct bookmark *bookmark = &facts->bookmarks[i];
        if (bookmark->seq == facts->state->last_seq && bookmark->at_ms == facts->now.at_ms)
            return bookmark;
    }
    return NULL;
}

/* m: asks for a name, or removes the bookmark at this moment. */
static struct view_todo view_bookmark(struct view *view, const struct view_facts *facts)
{
    const struct bookmark *here = view_bookmark_here(facts);
    if (here)
        return (struct view_todo){.kind = VIEW_UNBOOKMARK, .bookmark = here->id};
    line_edit_clear(&view->bookmark);
    line_edit_open(&view->bookmark);
    return (struct view_todo){.kind = VIEW_DRAW};
}

static const struct view_todo draw = {.kind = VIEW_DRAW};

static struct view_todo stroke_filter(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    if (view->pane == VIEW_PANE_LOG) {
        line_edit_clear(&view->search);
        line_edit_open(&view->search);
        return draw;
    }
    view->chosen_then = view->chosen;
    line_edit_open(&view->filter);
    return draw;
}

/* Shows the log line that was found in the last row of the pane. */
static void find_in_log(const struct stroke *stroke, int step)
{
    struct view *view = stroke->view;
    const struct log_tail *log = stroke->facts->log;
    size_t here = log->count > view->log_back ? log->count - view->log_back - 1 : 0;
    size_t from = log->count == 0 ? 0 : here + (size_t)step;
    size_t found = log_tail_find(log, view->search.text, from, step);
    if (found == log->count)
        view_say(view, &stroke->facts->clock, "\"%s\" not found further %s", view->search.text,
                 step < 0 ? "up" : "down");
    else
        view->log_back = log->count - found - 1;
}

static struct view_todo stroke_find(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    bool on = stroke->act == UI_NEXT;
    if (view->pane == VIEW_PANE_LOG) {
        find_in_log(stroke, on ? 1 : -1);
    } else if (view->row_count > 0) {
        int row = view_chosen_row(view) + (on ? 1 : -1);
        view_choose_row(view, (row + view->row_count) % view->row_count);
    }
    return draw;
}

static struct view_todo stroke_needs_you_next(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    int here = view_chosen_row(view);
    for (int i = 1; i <= view->row_count; i++) {
        int row = (here + i) % view->row_count;
        if (stroke->facts->state->tasks[view_row_task(view->rows[row])].status == TASK_NEEDS_YOU) {
            view_choose_row(view, row);
            return draw;
        }
    }
    view_say(view, &stroke->facts->clock, "nothing needs you");
    return draw;
}

static struct view_todo stroke_only_needs_you(const struct stroke *stroke)
{
    stroke->view->only_needs_you = !stroke->view->only_needs_you;
    view_narrow(stroke->view, stroke->facts);
    return draw;
}

/* Handles a key while the search is being typed. */
static struct view_todo stroke_search_key(const struct stroke *stroke, uint32_t key)
{
    struct view *view = stroke->view;
    if (view_screen(view) == SCREEN_LOG)
        view_log_search_key(view, stroke->facts, key);
    else if (line_edit_key(&view->search, key) == LINE_EDIT_KEPT && view->search.len > 0)
        find_in_log(stroke, -1);
    return draw;
}

static struct view_todo stroke_go_to(const struct stroke *stroke)
{
    line_edit_clear(&stroke->view->go_to);
    line_edit_open(&stroke->view->go_to);
    return draw;
}

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

/* Gets the move of a playback key; returns false for any other. */
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

static struct view_todo stroke_transport(const struct stroke *stroke)
{
    struct view_todo todo = {.kind = VIEW_TRANSPORT};
    return move_of(stroke->act, &todo.move) ? todo : draw;
}

static struct view_todo stroke_later(const struct stroke *stroke)
{
    struct view *view = stroke->view;
    view->shows_later = !view->shows_later;
    view_tell(view, &stroke->facts->clock,
              view->shows_later ? "what came later is shown: {later} hides it again"
                                : "what came later is hidden");
    return draw;
}

static struct view_todo stroke_compare(const struct stroke *stroke)
{
    return view_report_ask(stroke->view, stroke->facts);
}

static struct view_todo stroke_bookmark(const struct stroke *stroke)
{
    return view_bookmark(stroke->view, stroke->facts);
}

static struct view_todo stroke_try(const struct stroke *stroke)
{
    (void)view_try_step(stroke->view, stroke->facts->state, stroke->act == UI_TRY_BACK ? -1 : 1);
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
        [SHOWN_TIMES_CLOCK] = "times: local",
        [SHOWN_TIMES_UTC] = "times: UTC",
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

/* A screen's own handling of an act; returns false to use the general meaning. */
typedef bool screen_act_fn(struct view *view, const struct view_facts *facts, enum act act,
                           struct view_todo *out);
static screen_act_fn *const screen_acts[SCREEN_COUNT] = {
    [SCREEN_TASKS] = view_tasks_act,       [SCREEN_DETAIL] = view_detail_act,
    [SCREEN_LOG] = view_log_act,           [SCREEN_FORENSICS] = view_forensics_act,
    [SCREEN_TIMELINE] = view_timeline_act, [SCREEN_RUNS] = view_runs_act,
};

/* Shows why the act has no effect now; returns false if it has. */
static bool is_refused(const struct stroke *stroke)
{
    struct str why = {0};
    const bool refused = view_refusal(stroke->view, stroke->facts, stroke->act, &why);
    if (refused)
        view_say(stroke->view, &stroke->facts->clock, "%s", str_text(&why));
    str_done(&why);
    return refused;
}

/* Lets the current screen handle the act, or else carries out its general meaning. */
static struct view_todo stroke_do(const struct stroke *stroke)
{
    struct view_todo todo = draw;
    if (is_refused(stroke))
        return todo;
    screen_act_fn *of_screen = screen_acts[view_screen(stroke->view)];
    if (of_screen && of_screen(stroke->view, stroke->facts, stroke->act, &todo))
        return todo;
    if (view_terminal_act(stroke->view, stroke->facts, stroke->act, &todo))
        return todo;
    bool folds = stroke->act == UI_OPEN; /* acts on a fold's tasks count as acts on tasks */
    if (folds && view_fold_act(stroke->view, stroke->facts, stroke->act, &todo))
        return todo;
    if (view_pane_act(stroke->view, stroke->act))
        return todo;
    stroke_fn *handler = handlers[stroke->act];
    return handler ? handler(stroke) : draw;
}

static struct view_todo time_key(const struct stroke *stroke, uint32_t key)
{
    struct view *view = stroke->view;
    if (line_edit_key(&view->go_to, key) == LINE_EDIT_KEPT && view->go_to.len > 0)
        return (struct view_todo){.kind = VIEW_GO_TO};
    return draw;
}

bool view_update_prompt(struct view *view, const struct view_facts *facts)
{
    view_leave_update(view, facts);
    if (view->correct.stage != CORRECT_CLOSED)
        return view_correct_update(view, facts);
    return view_question_update(view, facts);
}

static bool is_typed(const struct view *view)
{
    return view->command.line.open || view->filter.open || view->search.open || view->go_to.open ||
           view->bookmark.open || view->report.file.open || view->runs.filter.open;
}

bool view_wants_text(const struct view *view)
{
    return is_typed(view) || view->help.open || prompt_wants_text(&view->prompt) ||
           correct_wants_text(&view->correct);
}

bool view_is_covered(const struct view *view)
{
    return view->help.open || view->prompt.kind != PROMPT_NONE || view_wants_text(view) ||
           view->correct.stage != CORRECT_CLOSED || view->sorted.is_open || view->frozen ||
           view->report.kind != REPORT_NONE;
}

/* An open range of marks is extended to the new selection. */
static struct view_todo do_and_stretch(const struct stroke *stroke)
{
    const struct view_todo todo = stroke_do(stroke);
    view_marks_stretch(stroke->view);
    return todo;
}

static struct view_todo refuse(const struct stroke *stroke, const struct key_binding *binding,
                               struct key_place place)
{
    if (binding->act == UI_CORRECT && place.mode == KEYMAP_REPLAY)
        view_correct_refuse(stroke->view, stroke->facts);
    else if (binding->act != UI_COMPARE || !view_runs_say_compare(stroke->view, stroke->facts))
        view_tell(stroke->view, &stroke->facts->clock, "%s", keymap_refusal(binding, place));
    return draw;
}

static struct view_todo bound_key(struct stroke *stroke, uint32_t key)
{
    const struct key_place place = view_place(stroke->view, stroke->facts);
    const struct key_binding *binding = keymap_find(stroke->view->keys, place, key);
    assert(binding);
    if (!keymap_works(binding, place))
        return refuse(stroke, binding, place);
    stroke->act = binding->act;
    return do_and_stretch(stroke);
}

struct view_todo view_do(struct view *view, const struct view_facts *facts, enum act act)
{
    const struct stroke stroke = {.view = view, .facts = facts, .act = act};
    const struct key_place place = view_place(view, facts);
    const struct key_binding *elsewhere = NULL;
    const struct keymap *keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        const struct key_binding *row = &keys->rows[i];
        if (row->act == act && keymap_works(row, place))
            return do_and_stretch(&stroke);
        elsewhere = row->act == act ? row : elsewhere;
    }
    return elsewhere ? refuse(&stroke, elsewhere, place) : draw;
}

/* Redraw and suspend work whatever is open, and change nothing. */
static bool is_for_the_terminal(const struct key_binding *binding)
{
    return binding && binding->key < ' ' &&
           (binding->act == UI_REDRAW || binding->act == UI_SUSPEND);
}

static void say_unbound(struct view *view, const struct view_facts *facts, char key)
{
    struct str text = {0};
    str_addf(&text, "%c means nothing here: ", key);
    keymap_say(view->keys, "{help} lists the keys", &text);
    view_say(view, &facts->clock, "%s", str_text(&text));
    str_done(&text);
}

static struct view_todo take_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    struct stroke stroke = {.view = view, .facts = facts};
    const struct key_place place = view_place(view, facts);
    if (is_for_the_terminal(keymap_find(view->keys, place, key)))
        return bound_key(&stroke, key);
    view->still_until = facts->clock.mono_ms + VIEW_STILL_MS;
    view->is_scrolled = false;
    if (view->frozen) {
        const struct key_binding *binding = keymap_find(view->keys, place, key);
        return view_frozen_act(view, facts, binding ? binding->act : UI_NONE);
    }
    bool takes_all = view->help.open || view->prompt.kind != PROMPT_NONE || is_typed(view) ||
                     view->correct.stage != CORRECT_CLOSED || view->sorted.is_open;
    bool is_unbound = !takes_all && !keymap_find(view->keys, place, key);
    if (is_unbound) {
        if (key > ' ' && key <= '~' && view->message[0] == '\0') /* do not replace an answer */
            say_unbound(view, facts, (char)key);
        return draw;
    }
    view->message[0] = '\0';
    if (view->help.open) {
        stroke.act = help_key(&view->help, key);
        return stroke.act == UI_COMMAND ? view_command_begin(view, facts, view->help.command)
                                        : view_do(view, facts, stroke.act);
    }
    if (view->prompt.kind != PROMPT_NONE)
        return view_question_key(view, key, facts);
    if (view->correct.stage != CORRECT_CLOSED)
        return view_correct_key(view, key, facts);
    if (view->sorted.is_open) {
        view_order_key(view, key, facts);
        return draw;
    }
    if (view->command.line.open)
        return view_command_key(view, key, facts);
    if (view->filter.open)
        return view_filter_key(view, key, facts);
    if (view->search.open)
        return stroke_search_key(&stroke, key);
    if (view->go_to.open)
        return time_key(&stroke, key);
    if (view->bookmark.open) {
        const bool is_kept = line_edit_key(&view->bookmark, key) == LINE_EDIT_KEPT;
        return (struct view_todo){.kind = is_kept ? VIEW_BOOKMARK : VIEW_DRAW};
    }
    if (view->report.file.open)
        return view_report_type(view, key);
    if (view->report.kind != REPORT_NONE) {
        const struct key_binding *binding = keymap_find(view->keys, place, key);
        return view_report_key(view, key, binding ? binding->act : UI_NONE);
    }
    if (view->runs.filter.open) {
        view_runs_type(view, key);
        return draw;
    }
    return bound_key(&stroke, key);
}

struct view_todo view_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    view->used_at_ms = facts->clock.mono_ms;
    const struct view_todo todo = take_key(view, key, facts);
    view_undo_note_act(view, facts, &todo);
    return todo;
}
