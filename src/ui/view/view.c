#include "view.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "xalloc.h"

static void *widen(void *array, int room, size_t extra, size_t size)
{
    size_t cap = 0;
    return xgrow(array, &cap, (size_t)room + extra, size);
}

/* Each array is twice as large as it needs to be, at most. */
static void make_room(struct view *view, int task_count)
{
    if (view->order && task_count <= view->task_room)
        return;
    int room = task_count > 2 * view->task_room ? task_count : 2 * view->task_room;
    view->order = widen(view->order, room, 1, sizeof(*view->order));
    view->fold_of = widen(view->fold_of, room, 1, sizeof(*view->fold_of));
    view->targets = widen(view->targets, room, 1, sizeof(*view->targets));
    view->rows = widen(view->rows, room, VIEW_FOLDS_MAX + 1, sizeof(*view->rows));
    view->task_room = room;
}

void view_init(struct view *view, int task_count)
{
    assert(task_count >= 0);
    *view = (struct view){
        .chosen = -1, .chosen_then = -1, .tried = {.task = -1}, .keys = keymap_builtin()};
    view_marks_init(&view->marks);
    view_log_init(&view->log);
    make_room(view, task_count);
    view_take_tasks(view, task_count);
}

static int sooner_task(int task, int task_count)
{
    return task < task_count ? task : task_count - 1;
}

/* Those behind the last one are gone; the rows are made anew. */
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
    view_undo_done(&view->undo); /* it may be about one of those */
    view->on_fold = false;
    if (view->tried.task >= task_count)
        view->tried = (struct view_try){.task = -1};
    if (view->chosen >= task_count)
        trail_go(&view->trail, SCREEN_TASKS);
    view->chosen = sooner_task(view->chosen, task_count);
    view->chosen_then = sooner_task(view->chosen_then, task_count);
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
    view->suspend_asked_ms = 0; /* another message than that question */
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

static int clamp(int value, int least, int most)
{
    if (value > most)
        value = most;
    return value < least ? least : value;
}

void view_fit(struct view *view, int list_rows, int log_lines, unsigned panes)
{
    view_panes_take(view, panes);
    view->log_page = log_lines > 0 ? (size_t)log_lines : 1;
    if (list_rows <= 0) /* where one was in the list is as it was when it comes back */
        return;
    view->page = list_rows;
    int row = view_chosen_row(view);
    if (row >= 0 && !view->is_scrolled)
        view->top = clamp(view->top, row - view->page + 1, row);
    view->top =
        clamp(view->top, 0, view->row_count > view->page ? view->row_count - view->page : 0);
}

void view_scroll(struct view *view, int rows)
{
    const int last = view->row_count > view->page ? view->row_count - view->page : 0;
    view->top = clamp(view->top + rows, 0, last);
    view->is_scrolled = true;
}
