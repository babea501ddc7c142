#include "view.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"
#include "str.h"
#include "words.h"
#include "xalloc.h"

enum {
    FILTER_WORD_MAX = LINE_EDIT_MAX,
    NEAR = 2, /* so many wrong letters are taken for a slip */
};

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
    view->suspend_asked_ms = 0; /* another message than that question */
}

static bool text_has(const char *text, const char *word)
{
    return words_find(text, strlen(text), word) != NULL;
}

static bool class_has(const struct view_facts *facts, int task, const char *word)
{
    struct str class = {0};
    shown_class(facts->state, task, &class);
    bool found = text_has(str_text(&class), word);
    str_done(&class);
    return found;
}

/* "circles" finds what goes in circles and what may, "laps" what the list calls so. */
static bool circles_have(const struct view_facts *facts, int task, const char *word)
{
    struct shown_circle circle;
    struct str brief = {0};
    if (!shown_circles_of(facts->state, task, &circle))
        return false;
    shown_circles_brief(&circle.verdict, &brief);
    bool found = text_has("circles", word) || text_has(str_text(&brief), word);
    str_done(&brief);
    return found;
}

/* A word of the filter: "state=backoff", "class=network", "id=tax", or a part of
 * any of these or of the title, or "circles". */
static bool word_matches(const struct view_facts *facts, int task, const char *word)
{
    const struct plan_task *plan = &facts->state->plan->tasks[task];
    const char *state = shown_word(shown_task(facts->state, task, facts->orphaned));
    const char *value = strchr(word, '=');
    if (value && value[1] == '\0')
        return true;
    if (strncmp(word, "state=", 6) == 0)
        return text_has(state, value + 1);
    if (strncmp(word, "class=", 6) == 0)
        return class_has(facts, task, value + 1);
    if (strncmp(word, "id=", 3) == 0)
        return text_has(plan->id, value + 1);
    return text_has(plan->id, word) || text_has(plan->title, word) || text_has(state, word) ||
           class_has(facts, task, word) || circles_have(facts, task, word);
}

/* The word at *at, which goes on behind it; false if there is none. */
static bool next_word(const char **at, char word[FILTER_WORD_MAX])
{
    *at += strspn(*at, " ");
    size_t len = strcspn(*at, " ");
    (void)snprintf(word, FILTER_WORD_MAX, "%.*s", (int)len, *at);
    *at += len;
    return len > 0;
}

bool view_matches(const struct view *view, const struct view_facts *facts, int task)
{
    if (view->only_needs_you && shown_task(facts->state, task, facts->orphaned) != SHOWN_NEEDS_YOU)
        return false;
    const char *at = view->filter.text;
    char word[FILTER_WORD_MAX];
    while (next_word(&at, word)) {
        if (!word_matches(facts, task, word))
            return false;
    }
    return true;
}

/* A word that was looked for, and the one that is nearest to it so far. */
struct nearest {
    const char *wanted;
    const char *kind; /* "state" or "class"; NULL = none is near */
    struct str word;
    int distance;
};

static void consider(struct nearest *nearest, const char *kind, const char *word)
{
    int distance = words_distance(nearest->wanted, word);
    if (distance >= nearest->distance)
        return;
    nearest->distance = distance;
    nearest->kind = kind;
    str_clear(&nearest->word);
    str_add(&nearest->word, word);
}

static void consider_all(struct nearest *nearest, const struct view_facts *facts, const char *word)
{
    bool only_state = strncmp(word, "state=", 6) == 0;
    bool only_class = strncmp(word, "class=", 6) == 0;
    nearest->wanted = only_state || only_class ? word + 6 : word;
    size_t len = strlen(nearest->wanted);
    nearest->distance = len > NEAR ? NEAR + 1 : (int)len;
    for (int i = 0; i < SHOWN_COUNT && !only_class; i++)
        consider(nearest, "state", shown_word((enum shown)i));
    for (int i = 0; i < facts->state->plan->task_count && !only_state; i++) {
        struct str class = {0};
        shown_class(facts->state, i, &class);
        consider(nearest, "class", str_text(&class));
        str_done(&class);
    }
}

static bool matches_any(const struct view_facts *facts, const char *word)
{
    for (int i = 0; i < facts->state->plan->task_count; i++) {
        if (word_matches(facts, i, word))
            return true;
    }
    return false;
}

static int count_matches(const struct view_facts *facts, const char *kind, const char *value)
{
    int count = 0;
    struct str word = {0};
    str_addf(&word, "%s=%s", kind, value);
    for (int i = 0; i < facts->state->plan->task_count; i++)
        count += word_matches(facts, i, word.data);
    str_done(&word);
    return count;
}

void view_nearest(const struct view *view, const struct view_facts *facts, struct str *out)
{
    struct nearest nearest = {0};
    char word[FILTER_WORD_MAX];
    const char *at = view->filter.text;
    while (!nearest.kind && next_word(&at, word)) {
        if (!matches_any(facts, word))
            consider_all(&nearest, facts, word);
    }
    if (nearest.kind)
        str_addf(out, "nearest %s: %s (%d)", nearest.kind, str_text(&nearest.word),
                 count_matches(facts, nearest.kind, str_text(&nearest.word)));
    str_done(&nearest.word);
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
    if (row >= 0)
        view->top = clamp(view->top, row - view->page + 1, row);
    view->top =
        clamp(view->top, 0, view->row_count > view->page ? view->row_count - view->page : 0);
}
