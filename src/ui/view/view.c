/*
 * view.c - the state of the screens: panes, selection, messages, suspending and leaving.
 *
 * Suspending devs stops the engine in this process, but not the attempts, so ^Z must be pressed
 * twice while tries are running. Arrays with an entry for each task grow with the run, and shrink
 * if a recording goes back.
 */
#include "view.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "view_internal.h"
#include "xalloc.h"

static bool has_pane(const struct view *view, int pane)
{
    return (view->panes & (1u << pane)) != 0;
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
        return has_one && !view_is_zoomed(view) ? "there is only one pane" : NULL;
    if ((act != UI_PANE_NEXT && act != UI_PANE_PREV) || screen == SCREEN_FORENSICS)
        return NULL;
    if (screen != SCREEN_TASKS && screen != SCREEN_DETAIL)
        return "this view has one pane: {tasks} has several";
    return has_one ? "no room for a second pane" : NULL;
}

bool view_pane_act(struct view *view, enum act act)
{
    int pane = (int)view->pane;
    switch (act) {
    case UI_PANE_NEXT:
    case UI_PANE_PREV: /* the next pane of the screen, wrapping around */
        do
            pane = (pane + (act == UI_PANE_NEXT ? 1 : -1) + VIEW_PANE_COUNT) % VIEW_PANE_COUNT;
        while (pane != (int)view->pane && !has_pane(view, pane));
        view->pane = (enum view_pane)pane;
        return true;
    case UI_ZOOM:
        view->zoom =
            (struct view_zoom){.is_on = !view_is_zoomed(view), .screen = view_screen(view)};
        return true;
    default: /* other acts are not about panes */
        return false;
    }
}

static int count_waiting(const struct run_state *state)
{
    return state->counts[TASK_BACKOFF] + state->counts[TASK_QUEUED];
}

/* Returns the present state of the run whose engine may be in this process. */
static const struct run_state *own_state(const struct view_facts *facts)
{
    if (facts->own)
        return facts->own;
    return facts->live ? facts->live : facts->state;
}

/* Forgets the first ^Z and removes its message. */
static void forget_suspend(struct view *view)
{
    if (view->suspend_asked_ms > 0)
        view->message[0] = '\0';
    view->suspend_asked_ms = 0;
}

struct view_todo view_suspend(struct view *view, const struct view_facts *facts)
{
    const struct moment *now = &facts->clock;
    const struct run_state *own = own_state(facts);
    bool asked =
        view->suspend_asked_ms > 0 && now->mono_ms - view->suspend_asked_ms < VIEW_SUSPEND_MS;
    forget_suspend(view);
    /* Suspending this process suspends the engine, but not the attempts it started: nobody reads
     * their output or enforces their timeouts then. */
    if (asked || !facts->engine_here || own->ended || own->running <= 0)
        return (struct view_todo){.kind = VIEW_SUSPEND};
    /* The alternative comes first, because a narrow screen truncates the message. */
    view_tell(view, now,
              "%d %s: {quit} d detaches; {suspend} again suspends devs: no supervision until fg",
              own->running, own->running == 1 ? "try is running" : "tries are running");
    view->suspend_asked_ms = now->mono_ms;
    return (struct view_todo){.kind = VIEW_DRAW};
}

/* Returns true if leaving would stop work that is running or waiting. */
static bool would_end_work(const struct view_facts *facts)
{
    const struct run_state *own = own_state(facts);
    return facts->engine_here && !own->ended && (own->running > 0 || count_waiting(own) > 0);
}

struct view_todo view_quit(struct view *view, const struct view_facts *facts)
{
    const struct run_state *state = own_state(facts);
    if (trail_back(&view->trail))
        return (struct view_todo){.kind = VIEW_DRAW};
    if (facts->mode == VIEW_PAST)
        return (struct view_todo){.kind = VIEW_TRANSPORT, .move = REPLAY_END};
    if (!would_end_work(facts))
        return (struct view_todo){.kind = VIEW_LEAVE};
    prompt_open_quit(&view->prompt, state->running, count_waiting(state), facts->clock.mono_ms);
    return (struct view_todo){.kind = VIEW_ASKED};
}

void view_leave_update(struct view *view, const struct view_facts *facts)
{
    const struct run_state *own = own_state(facts);
    if (facts->clock.mono_ms - view->suspend_asked_ms >= VIEW_SUSPEND_MS || facts->state->ended)
        forget_suspend(view);
    if (view->prompt.kind == PROMPT_QUIT && !would_end_work(facts)) {
        prompt_close(&view->prompt);
        view_tell(view, &facts->clock,
                  own->ended ? "the run has ended; {quit} quits"
                             : "nothing is running or waiting; {quit} quits");
    } else {
        prompt_update_quit(&view->prompt, own->running, count_waiting(own));
    }
}

static void *widen_array(void *array, int room, size_t extra, size_t size)
{
    size_t cap = 0;
    return xgrow(array, &cap, (size_t)room + extra, size);
}

/* Makes room for more tasks; at least doubles the arrays each time. */
static void make_room(struct view *view, int task_count)
{
    if (view->order && task_count <= view->task_room)
        return;
    int room = task_count > 2 * view->task_room ? task_count : 2 * view->task_room;
    view->order = widen_array(view->order, room, 1, sizeof(*view->order));
    view->fold_of = widen_array(view->fold_of, room, 1, sizeof(*view->fold_of));
    view->targets = widen_array(view->targets, room, 1, sizeof(*view->targets));
    view->rows = widen_array(view->rows, room, VIEW_FOLDS_MAX + 1, sizeof(*view->rows));
    view->task_room = room;
}

void view_init(struct view *view, int task_count)
{
    assert(task_count >= 0);
    *view = (struct view){.chosen = -1,
                          .chosen_then = -1,
                          .tried = {.task = -1},
                          .keys = keymap_builtin(),
                          .log = {.hit = -1}};
    view_marks_init(&view->marks);
    make_room(view, task_count);
    view_take_tasks(view, task_count);
}

/* Drops tasks that no longer exist. The rows must be rebuilt. */
static void drop_tasks(struct view *view, int task_count)
{
    int kept = 0;
    for (int i = 0; i < view->order_count; i++) {
        if (view->order[i] < task_count)
            view->order[kept++] = view->order[i];
    }
    view->row_count = 0;
    view->fold_count = 0;
    view->target_count = 0;
    view_undo_done(&view->undo); /* it may refer to a dropped task */
    view->on_fold = false;
    if (view->tried.task >= task_count)
        view->tried = (struct view_try){.task = -1};
    if (view->chosen >= task_count)
        trail_go(&view->trail, SCREEN_TASKS);
    if (view->chosen >= task_count)
        view->chosen = task_count - 1;
    if (view->chosen_then >= task_count)
        view->chosen_then = task_count - 1;
}

void view_take_tasks(struct view *view, int task_count)
{
    const int before = view->order_count;
    if (task_count < before)
        drop_tasks(view, task_count);
    make_room(view, task_count);
    view_marks_take_tasks(&view->marks, task_count, before);
    for (int i = before; i < task_count; i++)
        view->order[i] = i;
    view->order_count = task_count;
    if (before == 0 && task_count > 0 && view->chosen < 0)
        view->chosen = 0;
    for (int i = task_count < before ? 0 : before; i < task_count; i++)
        view->fold_of[i] = -1;
}

void view_done(struct view *view)
{
    if (!view)
        return;
    free(view->order);
    free(view->rows);
    free(view->fold_of);
    free(view->targets);
    view_marks_done(&view->marks);
    view_undo_done(&view->undo);
    *view = (struct view){0};
}

enum screen view_screen(const struct view *view)
{
    return trail_here(&view->trail);
}

struct key_place view_place(const struct view *view, const struct view_facts *facts)
{
    enum keymap_mode mode = KEYMAP_LIVE;
    if (facts->mode == VIEW_REPLAY)
        mode = KEYMAP_REPLAY;
    else if (facts->mode == VIEW_PAST)
        mode = KEYMAP_PAST;
    return (struct key_place){.mode = mode, .screen = view_screen(view)};
}

void view_say(struct view *view, const struct moment *now, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(view->message, sizeof(view->message), fmt, args);
    va_end(args);
    view->message_at_ms = now->at_ms;
    view->message_undo = false;
    view->suspend_asked_ms = 0; /* this message replaces the question about suspending */
}

void view_tell(struct view *view, const struct moment *now, const char *fmt, ...)
{
    char words[VIEW_MESSAGE_MAX];
    struct str text = {0};
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, args);
    va_end(args);
    keymap_say(view->keys, words, &text);
    view_say(view, now, "%s", str_text(&text));
    str_done(&text);
}

int64_t view_wake_ms(const struct view *view)
{
    return view->unsettled ? view->still_until : -1;
}

static int clamp_row(int value, int least, int most)
{
    if (value > most)
        value = most;
    return value < least ? least : value;
}

void view_fit(struct view *view, int list_rows, int log_lines, unsigned panes)
{
    view->panes = panes;
    /* The list gets the focus if the focused pane is not visible any more. */
    if (!has_pane(view, (int)view->pane))
        view->pane = VIEW_PANE_LIST;
    view->log_page = log_lines > 0 ? (size_t)log_lines : 1;
    if (list_rows <= 0) /* the list keeps its scroll position until it is visible again */
        return;
    view->page = list_rows;
    int row = view_chosen_row(view);
    if (row >= 0 && !view->is_scrolled)
        view->top = clamp_row(view->top, row - view->page + 1, row);
    view->top =
        clamp_row(view->top, 0, view->row_count > view->page ? view->row_count - view->page : 0);
}

void view_scroll(struct view *view, int rows)
{
    const int last = view->row_count > view->page ? view->row_count - view->page : 0;
    view->top = clamp_row(view->top + rows, 0, last);
    view->is_scrolled = true;
}
