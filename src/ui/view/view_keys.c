/* view_keys.c - maps each key to its meaning: the handler or the act, and the general meaning of
 * each act that a screen does not define. */
#include <assert.h>
#include <stddef.h>

#include "attr.h"
#include "view.h"
#include "view_internal.h"

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

static const struct view_todo draw = {.kind = VIEW_DRAW};

/* Finds the next line with the search text, and scrolls so that it is in the last row of the log
 * pane. */
static void find_in_log(struct view *view, const struct view_facts *facts, int step)
{
    const struct log_tail *log = facts->log;
    size_t here = log->count > view->log_back ? log->count - view->log_back - 1 : 0;
    size_t from = log->count == 0 ? 0 : here + (size_t)step;
    size_t found = log_tail_find(log, view->search.text, from, step);
    if (found == log->count)
        view_say(view, &facts->clock, "\"%s\" not found further %s", view->search.text,
                 step < 0 ? "up" : "down");
    else
        view->log_back = log->count - found - 1;
}

/* Moves in the log if that pane has the focus, otherwise in the list. */
static void move_in_pane(struct view *view, const struct view_facts *facts, enum act act)
{
    if (view->pane != VIEW_PANE_LOG) {
        view_choose_row(view, view_chosen_row(view) + view_move_lines(act, view->page));
        return;
    }
    size_t count = facts->log->count;
    int64_t most = count > view->log_page ? (int64_t)(count - view->log_page) : 0;
    int64_t back = (int64_t)view->log_back - view_move_lines(act, (int)view->log_page);
    back = back > most ? most : back;
    view->log_back = back > 0 ? (size_t)back : 0;
}

static void choose_next_needs_you(struct view *view, const struct view_facts *facts)
{
    int here = view_chosen_row(view);
    for (int i = 1; i <= view->row_count; i++) {
        int row = (here + i) % view->row_count;
        if (facts->state->tasks[view_row_task(view->rows[row])].status == TASK_NEEDS_YOU) {
            view_choose_row(view, row);
            return;
        }
    }
    view_say(view, &facts->clock, "nothing needs you");
}

/* Gets the move of a playback act. Returns false for other acts. */
static bool replay_move_of(enum act act, enum replay_move *out)
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
    else if (!replay_move_of(act, &move))
        return NULL;
    return replay_refusal(facts->replay, move, view->chosen, facts->mode == VIEW_PAST);
}

static struct view_todo go_back(struct view *view, const struct view_facts *facts)
{
    if (view_marks_drop_range(view)) {
        view_say(view, &facts->clock, "marked: %d", view_marked(view));
    } else if (trail_back(&view->trail)) {
        return draw;
    } else if (view->filter.len > 0 || view->only_needs_you) {
        line_edit_clear(&view->filter);
        view->only_needs_you = false;
        view_narrow(view, facts);
    } else if (view->pane != VIEW_PANE_LIST) {
        view->pane = VIEW_PANE_LIST;
    } else if (facts->mode == VIEW_PAST) {
        return (struct view_todo){.kind = VIEW_TRANSPORT, .move = REPLAY_END};
    } else {
        view_tell(view, &facts->clock, "this is the top; {quit} quits");
    }
    return draw;
}

/* Handles `m`: asks for a name, or removes the bookmark at this moment. */
static struct view_todo toggle_bookmark(struct view *view, const struct view_facts *facts)
{
    const struct bookmark *here = view_bookmark_here(facts);
    if (here)
        return (struct view_todo){.kind = VIEW_UNBOOKMARK, .bookmark = here->id};
    line_edit_clear(&view->bookmark);
    line_edit_open(&view->bookmark);
    return draw;
}

/* Carries out the general meaning of an act, and returns the app's action. */
static struct view_todo do_general_act(struct view *view, const struct view_facts *facts,
                                       enum act act)
{
    static const char *const times[SHOWN_TIMES_COUNT] = {
        [SHOWN_TIMES_AGO] = "times: how long ago",
        [SHOWN_TIMES_CLOCK] = "times: local",
        [SHOWN_TIMES_UTC] = "times: UTC",
    };
    struct view_todo todo = draw;
    const int step = act == UI_NEXT || act == UI_TRY_FORWARD ? 1 : -1;
    switch (act) {
    case UI_DOWN:
    case UI_UP:
    case UI_FIRST:
    case UI_LAST:
    case UI_HALF_DOWN:
    case UI_HALF_UP:
    case UI_PAGE_DOWN:
    case UI_PAGE_UP:
        move_in_pane(view, facts, act);
        break;
    case UI_OPEN:
    case UI_DETAIL:
        trail_go(&view->trail, SCREEN_DETAIL);
        break;
    case UI_TASKS:
        trail_go(&view->trail, SCREEN_TASKS);
        break;
    case UI_RUNS:
        trail_go(&view->trail, SCREEN_RUNS);
        break;
    case UI_TIMELINE:
        trail_go(&view->trail, SCREEN_TIMELINE);
        break;
    case UI_HOSTS:
        trail_go(&view->trail, SCREEN_HOSTS);
        break;
    case UI_FORENSICS:
        view_forensics_open(view, facts);
        break;
    case UI_LOG:
        view_log_open(view, facts);
        break;
    case UI_BACK:
        return go_back(view, facts);
    case UI_FILTER:
        if (view->pane == VIEW_PANE_LOG) {
            line_edit_clear(&view->search);
            line_edit_open(&view->search);
        } else {
            view->chosen_then = view->chosen;
            line_edit_open(&view->filter);
        }
        break;
    case UI_NEXT:
    case UI_PREV:
        if (view->pane == VIEW_PANE_LOG) {
            find_in_log(view, facts, step);
        } else if (view->row_count > 0) {
            int row = view_chosen_row(view) + step;
            view_choose_row(view, (row + view->row_count) % view->row_count);
        }
        break;
    case UI_NEEDS_YOU_NEXT:
        choose_next_needs_you(view, facts);
        break;
    case UI_ONLY_NEEDS_YOU:
        view->only_needs_you = !view->only_needs_you;
        view_narrow(view, facts);
        break;
    case UI_ORDER:
        view->sorted.is_open = true; /* a digit or Enter picks an order, see view_order_key() */
        view->sorted.at = view->sorted.by;
        break;
    case UI_TURN:
        view_order_turn(view, facts);
        break;
    case UI_FINISHED:
        view_filter_passed(view, facts);
        break;
    case UI_TIMES:
        view->times = (view->times + 1) % SHOWN_TIMES_COUNT;
        view_say(view, &facts->clock, "%s", times[view->times]);
        break;
    case UI_RETRY:
    case UI_RETRY_WITH:
    case UI_CANCEL:
    case UI_KILL:
    case UI_HOLD:
    case UI_CORRECT:
        return view_act_on_tasks(view, facts, act);
    case UI_UNDO:
        return view_undo(view, facts);
    case UI_MARK:
    case UI_MARK_RANGE:
    case UI_MARK_ALL:
    case UI_UNMARK:
        view_marks_act(view, facts, act);
        view_undo_note_marks(view, facts);
        break;
    case UI_FOLLOW:
        view->log_back = 0;
        view_say(view, &facts->clock, "following the end of the log");
        break;
    case UI_TRY_BACK:
    case UI_TRY_FORWARD:
        (void)view_try_step(view, facts->state, step);
        break;
    case UI_GO_TO:
        line_edit_clear(&view->go_to);
        line_edit_open(&view->go_to);
        break;
    case UI_BOOKMARK:
        return toggle_bookmark(view, facts);
    case UI_LATER:
        view->shows_later = !view->shows_later;
        view_tell(view, &facts->clock,
                  view->shows_later ? "showing later events: {later} hides them again"
                                    : "hiding later events");
        break;
    case UI_COMPARE:
        return view_report_ask(view, facts);
    case UI_BUNDLE:
        return view_report_bundle(view, facts);
    case UI_COMMAND:
        view_command_open(view);
        break;
    case UI_HELP:
        help_open(&view->help, view->keys, view_place(view, facts));
        break;
    case UI_REDRAW:
        todo.kind = VIEW_REDRAW_ALL;
        break;
    case UI_SUSPEND:
        return view_suspend(view, facts);
    case UI_QUIT:
        return view_quit(view, facts);
    default: /* playback; other acts only have a meaning on certain screens */
        if (replay_move_of(act, &todo.move))
            todo.kind = VIEW_TRANSPORT;
        break;
    }
    return todo;
}

/* A screen's own handling of an act; returns false to use the general meaning. */
typedef bool screen_act_fn(struct view *view, const struct view_facts *facts, enum act act,
                           struct view_todo *out);
static screen_act_fn *const screen_acts[SCREEN_COUNT] = {
    [SCREEN_TASKS] = view_tasks_act,       [SCREEN_DETAIL] = view_detail_act,
    [SCREEN_LOG] = view_log_act,           [SCREEN_FORENSICS] = view_forensics_act,
    [SCREEN_TIMELINE] = view_timeline_act, [SCREEN_RUNS] = view_runs_act,
    [SCREEN_HOSTS] = view_hosts_act,
};

/* Lets the current screen handle the act, or else carries out its general meaning. Shows why an act
 * has no effect now. An open range of marks is extended to the new selection. */
static struct view_todo do_act(struct view *view, const struct view_facts *facts, enum act act)
{
    struct view_todo todo = draw;
    struct str why = {0};
    if (view_refusal(view, facts, act, &why)) {
        view_say(view, &facts->clock, "%s", str_text(&why));
    } else {
        /* Other acts on a fold's tasks are carried out by view_act_on_tasks(). */
        bool folds = act == UI_OPEN;
        const bool is_done = screen_acts[view_screen(view)](view, facts, act, &todo) ||
                             view_terminal_act(view, facts, act, &todo) ||
                             (folds && view_fold_act(view, facts, act, &todo)) ||
                             view_pane_act(view, act);
        if (!is_done)
            todo = do_general_act(view, facts, act);
    }
    str_done(&why);
    view_marks_stretch(view);
    return todo;
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

/* Shows why a key has no effect in this place. */
static struct view_todo refuse_key(struct view *view, const struct view_facts *facts,
                                   const struct key_binding *binding, struct key_place place)
{
    if (binding->act == UI_CORRECT && place.mode == KEYMAP_REPLAY)
        view_correct_refuse(view, facts);
    else if (binding->act != UI_COMPARE || !view_runs_say_compare(view, facts))
        view_tell(view, &facts->clock, "%s", keymap_refusal(binding, place));
    return draw;
}

static struct view_todo do_binding(struct view *view, const struct view_facts *facts,
                                   const struct key_binding *binding)
{
    const struct key_place place = view_place(view, facts);
    assert(binding);
    if (!keymap_works(binding, place))
        return refuse_key(view, facts, binding, place);
    return do_act(view, facts, binding->act);
}

struct view_todo view_do(struct view *view, const struct view_facts *facts, enum act act)
{
    const struct key_place place = view_place(view, facts);
    const struct key_binding *elsewhere = NULL;
    const struct keymap *keys = keymap_builtin();
    for (size_t i = 0; i < keys->count; i++) {
        const struct key_binding *row = &keys->rows[i];
        if (row->act == act && keymap_works(row, place))
            return do_act(view, facts, act);
        elsewhere = row->act == act ? row : elsewhere;
    }
    return elsewhere ? refuse_key(view, facts, elsewhere, place) : draw;
}

/* Passes the key to the open prompt or input, or else carries out the act that it is bound to. */
static struct view_todo take_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    const struct key_binding *binding = keymap_find(view->keys, view_place(view, facts), key);
    const enum act act = binding ? binding->act : UI_NONE;
    /* Redraw and suspend work regardless of what is open, and change nothing. */
    if (binding && binding->key < ' ' && (act == UI_REDRAW || act == UI_SUSPEND))
        return do_binding(view, facts, binding);
    view->still_until = facts->clock.mono_ms + VIEW_STILL_MS;
    view->is_scrolled = false;
    if (view->frozen)
        return view_frozen_act(view, facts, act);
    bool takes_all = view->help.open || view->prompt.kind != PROMPT_NONE || is_typed(view) ||
                     view->correct.stage != CORRECT_CLOSED || view->sorted.is_open;
    if (!takes_all && !binding) {
        /* Do not replace the answer to another key. */
        if (key > ' ' && key <= '~' && view->message[0] == '\0') {
            struct str text = {0};
            str_addf(&text, "%c does nothing here: ", (char)key);
            keymap_say(view->keys, "{help} lists the keys", &text);
            view_say(view, &facts->clock, "%s", str_text(&text));
            str_done(&text);
        }
        return draw;
    }
    view->message[0] = '\0';
    if (view->help.open) {
        const enum act chosen = help_key(&view->help, key);
        return chosen == UI_COMMAND ? view_command_begin(view, facts, view->help.command)
                                    : view_do(view, facts, chosen);
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
    if (view->search.open) {
        if (view_screen(view) == SCREEN_LOG)
            view_log_search_key(view, facts, key);
        else if (line_edit_key(&view->search, key) == LINE_EDIT_KEPT && view->search.len > 0)
            find_in_log(view, facts, -1);
        return draw;
    }
    if (view->go_to.open) {
        const bool is_kept =
            line_edit_key(&view->go_to, key) == LINE_EDIT_KEPT && view->go_to.len > 0;
        return (struct view_todo){.kind = is_kept ? VIEW_GO_TO : VIEW_DRAW};
    }
    if (view->bookmark.open) {
        const bool is_kept = line_edit_key(&view->bookmark, key) == LINE_EDIT_KEPT;
        return (struct view_todo){.kind = is_kept ? VIEW_BOOKMARK : VIEW_DRAW};
    }
    if (view->report.file.open) {
        struct line_edit *file = &view->report.file;
        const bool is_kept = line_edit_key(file, key) == LINE_EDIT_KEPT && file->len > 0;
        return (struct view_todo){.kind = is_kept ? VIEW_WHAT_IF : VIEW_DRAW};
    }
    if (view->report.kind != REPORT_NONE)
        return view_report_key(view, key, act);
    if (view->runs.filter.open) {
        (void)line_edit_key(&view->runs.filter, key);
        view->runs.top = 0;
        return draw;
    }
    return do_binding(view, facts, binding);
}

struct view_todo view_key(struct view *view, uint32_t key, const struct view_facts *facts)
{
    view->used_at_ms = facts->clock.mono_ms;
    const struct view_todo todo = take_key(view, key, facts);
    view_undo_note_act(view, facts, &todo);
    return todo;
}
