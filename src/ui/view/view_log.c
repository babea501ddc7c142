/* view_log.c - the Log screen: its keys and its scroll position. */
#include <string.h>

#include "lines.h"
#include "log_lines.h"
#include "view.h"
#include "view_internal.h"

void view_log_open(struct view *view, const struct view_facts *facts)
{
    if (view->chosen < 0) {
        view_say(view, &facts->clock, "no task selected");
        return;
    }
    if (view_screen(view) != SCREEN_LOG)
        view_log_restart(&view->log);
    trail_go(&view->trail, SCREEN_LOG);
}

void view_log_restart(struct view_log *log)
{
    *log = (struct view_log){.hit = -1,
                             .unwrapped = log->unwrapped,
                             .only = log->only,
                             .raw = log->raw,
                             .room = log->room};
}

/* Searches again after the text has changed. */
static void take_search(struct view *view)
{
    struct view_log *log = &view->log;
    log->hit = -1;
    log->top = log->was_top;
    log->row = 0;
    log->stays = log->did_stay;
    log->want = view->search.len > 0 ? VIEW_LOG_MATCH : VIEW_LOG_NOTHING;
    log->step = log->stays ? 1 : -1;
    log->from = log->stays ? (int64_t)log->top - 1 : INT64_MAX;
    log->either_way = true;
    if (view->search.len == 0 && !view->search.open)
        log->only = false;
}

static void open_search(struct view *view, bool asks_only)
{
    struct view_log *log = &view->log;
    log->was_top = log->top;
    log->was_hit = log->hit;
    log->did_stay = log->stays;
    log->asks_only = asks_only;
    log->was_only = log->only;
    log->only = log->only || asks_only;
    log->was_search = view->search;
    line_edit_clear(&view->search);
    line_edit_open(&view->search);
    take_search(view);
}

void view_log_search_key(struct view *view, const struct view_facts *facts, uint32_t key)
{
    struct view_log *log = &view->log;
    const enum line_edit_result result = line_edit_key(&view->search, key);
    if (!log->asks_only || result == LINE_EDIT_OPEN) {
        take_search(view);
        return;
    }
    /* Enter without search text shows all lines again. If all lines are shown already, it shows the
     * matches of the last search. */
    const bool is_of_before = result == LINE_EDIT_KEPT && view->search.len == 0 && !log->was_only;
    if (is_of_before)
        view->search = log->was_search;
    log->asks_only = false;
    log->only = view->search.len > 0;
    take_search(view);
    if (is_of_before) { /* its hit is already known */
        log->hit = log->was_hit;
        log->want = VIEW_LOG_NOTHING;
    }
    struct str text = {0};
    if (log->only) {
        str_addf(&text, "only lines with \"%s\"", view->search.text);
        keymap_say(view->keys, ": {match-only} Enter shows all", &text);
    } else {
        str_add(&text, "all lines are shown");
    }
    view_say(view, &facts->clock, "%s", str_text(&text));
    str_done(&text);
}

/* A search: its target and where it starts. */
struct quest {
    enum view_log_want want;
    int step;
    int64_t from;
};

/* Returns the search for an act: it starts at the last hit if that is visible, or else at the edge
 * of the screen. The first search for errors starts with the bytes that the rule matched.
 * VIEW_LOG_NOTHING: the act does not search. */
static struct quest quest_of(const struct view *view, const struct log_pager *pager, enum act act)
{
    const struct view_log *log = &view->log;
    struct quest out = {.want = VIEW_LOG_NOTHING};
    if (act == UI_NEXT || act == UI_PREV)
        out.want = VIEW_LOG_MATCH;
    else if (act == UI_ERROR_NEXT || act == UI_ERROR_BACK)
        out.want = VIEW_LOG_ERROR;
    if (out.want == VIEW_LOG_NOTHING || !pager)
        return (struct quest){.want = VIEW_LOG_NOTHING};
    if (out.want == VIEW_LOG_ERROR && log->hit < 0 && pager->rule_line != SIZE_MAX) {
        out.step = 1;
        out.from = (int64_t)pager->rule_line - 1;
        return out;
    }
    const int64_t top = (int64_t)log_pager_number(pager, log->top);
    const size_t end = log->top + (size_t)(log->room.rows > 0 ? log->room.rows : 1);
    const int64_t bottom = (int64_t)log_pager_number(pager, end);
    const bool in_sight = log->hit >= top && log->hit < bottom;
    out.step = act == UI_NEXT || act == UI_ERROR_NEXT ? 1 : -1;
    out.from = in_sight ? log->hit : out.step > 0 ? top - 1 : log->stays ? top : bottom;
    return out;
}

/* Appends a message that nothing was found in this direction (step 1: down). */
static void add_none_found(const struct view *view, const struct log_pager *pager,
                           enum view_log_want want, int step, struct str *out)
{
    const bool of_errors = want == VIEW_LOG_ERROR;
    const struct pager_set *set = of_errors ? &pager->errors : &pager->found;
    const char *way = step > 0 ? "down" : "up";
    if (of_errors && set->count == 0)
        str_add(out, "no line looks like an error");
    else if (of_errors)
        str_addf(out, "no error further %s", way);
    else if (set->count == 0)
        str_addf(out, "\"%s\" not found in this log", view->search.text);
    else
        str_addf(out, "\"%s\" not found further %s", view->search.text, way);
}

/* Appends a message if it is known that there is nothing to find in that direction. */
static void add_nothing_there(const struct view *view, const struct view_facts *facts, enum act act,
                              struct str *why)
{
    const struct log_pager *pager = facts->pager;
    const struct view_try now = view_try_now(view, facts->state);
    const struct quest quest = quest_of(view, pager, act);
    size_t line = 0;
    if (quest.want == VIEW_LOG_NOTHING)
        return;
    /* Keys can be ahead of the pager, which may still have a different attempt or search text. */
    if (pager->key.task != now.task || pager->key.step != now.step ||
        pager->key.attempt != now.attempt || strcmp(pager->needle, view->search.text) != 0)
        return;
    const struct pager_set *set = quest.want == VIEW_LOG_ERROR ? &pager->errors : &pager->found;
    if (log_pager_next(pager, set, quest.from, quest.step, &line) == PAGER_NEXT_NONE)
        add_none_found(view, pager, quest.want, quest.step, why);
}

void view_log_refusal(const struct view *view, const struct view_facts *facts, enum act act,
                      struct str *why)
{
    switch (act) {
    case UI_FOLLOW:
        if (!view->log.stays)
            str_add(why, "already following the end of the log");
        break;
    case UI_LEFT:
    case UI_RIGHT:
        if (!view->log.unwrapped)
            keymap_say(view->keys, "long lines are wrapped: {wrap} cuts them off", why);
        break;
    case UI_NEXT:
    case UI_PREV:
        if (view->search.len == 0)
            keymap_say(view->keys, "no search text: {filter} sets it", why);
        else
            add_nothing_there(view, facts, act, why);
        break;
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK:
        add_nothing_there(view, facts, act, why);
        break;
    case UI_OPEN:
        keymap_say(view->keys, "this is the whole output: {forensics} shows why it ended", why);
        break;
    default: /* other acts always have an effect */
        break;
    }
}

bool view_log_act(struct view *view, const struct view_facts *facts, enum act act,
                  struct view_todo *out)
{
    struct view_log *log = &view->log;
    (void)out; /* unused: only a new frame is needed */
    switch (act) {
    case UI_FIRST:
        log->stays = true;
        log->is_to_start = true;
        log->scroll = 0;
        return true;
    case UI_LAST:
    case UI_FOLLOW:
        log->stays = false;
        log->is_to_start = false;
        log->scroll = 0;
        if (act == UI_FOLLOW)
            view_say(view, &facts->clock, "following the end of the log");
        return true;
    case UI_LEFT:
    case UI_RIGHT: {
        const int by = log->room.columns / 2 > 0 ? log->room.columns / 2 : 1;
        log->column += act == UI_RIGHT ? by : -by;
        if (log->column < 0)
            log->column = 0;
        return true;
    }
    case UI_WRAP:
        log->unwrapped = !log->unwrapped;
        log->column = 0;
        log->row = 0;
        view_tell(view, &facts->clock, "%s",
                  log->unwrapped ? "long lines are cut off: {left} {right} scroll sideways"
                                 : "long lines are wrapped");
        return true;
    case UI_FILTER:
        open_search(view, false);
        return true;
    case UI_ONLY_MATCHES:
        open_search(view, true);
        return true;
    case UI_NEXT:
    case UI_PREV:
    case UI_ERROR_NEXT:
    case UI_ERROR_BACK: {
        const struct quest quest = quest_of(view, facts->pager, act);
        if (quest.want == VIEW_LOG_NOTHING)
            return true;
        log->want = quest.want;
        log->step = quest.step;
        log->from = quest.from;
        log->either_way = false;
        return true;
    }
    case UI_RAW:
        log->raw = !log->raw;
        view_tell(view, &facts->clock,
                  log->raw ? "raw output: {raw} makes it readable" : "readable agent output");
        return true;
    case UI_BACK: /* the first press ends the search */
        if (view->search.len == 0 && !log->only)
            return false;
        line_edit_clear(&view->search);
        log->only = false;
        log->want = VIEW_LOG_NOTHING;
        log->hit = -1;
        return true;
    default: { /* scrolling; other acts have their general meaning */
        const int by = view_move_lines(act, log->room.rows);
        log->stays = log->stays || by < 0; /* scrolling up stops following at once */
        log->scroll += log->stays ? by : 0;
        return by != 0;
    }
    }
}

enum {
    /* Maximum number of rows per step if the rows of each line must be computed. */
    SCROLL_ROWS_MAX = 1000,
    HIT_PART = 3, /* a hit is placed a third of the way down the screen */
};

/* Parameters of the functions that resolve the position. */
struct settling {
    struct view *view;
    struct view_log *log;
    struct log_pager *pager;
    const struct log_source *source;
    struct err *err;
};

static size_t rows_of_screen(const struct settling *it)
{
    return it->log->room.rows > 0 ? (size_t)it->log->room.rows : 1;
}

/* Returns the number of rows that a line takes; 1 if it is not in the window. */
static int line_rows(const struct settling *it, size_t index)
{
    const struct pager_line *line = log_pager_line(it->pager, index);
    if (!line || it->log->unwrapped || it->log->room.columns <= 0)
        return 1;
    return line_wrap_rows(log_pager_text(it->pager, line), line->len, it->log->room.columns);
}

static bool load_lines(const struct settling *it, size_t index, size_t count)
{
    return log_pager_load(it->pager, it->source, index, count, it->err);
}

/* Scrolls so that the end of the last line is in the last row. */
static bool go_to_end(const struct settling *it)
{
    struct view_log *log = it->log;
    const size_t count = log_pager_count(it->pager);
    const size_t rows = rows_of_screen(it);
    size_t used = 0;
    size_t top = count;
    if (!load_lines(it, count > rows ? count - rows : 0, rows))
        return false;
    while (top > 0 && used < rows)
        used += (size_t)line_rows(it, --top);
    log->top = top;
    log->row = used > rows ? (int)(used - rows) : 0;
    return true;
}

static bool scroll_down(const struct settling *it, size_t by)
{
    struct view_log *log = it->log;
    const size_t count = log_pager_count(it->pager);
    if (log->unwrapped) {
        log->top += by;
        return true;
    }
    by = by < SCROLL_ROWS_MAX ? by : SCROLL_ROWS_MAX;
    if (!load_lines(it, log->top, by + rows_of_screen(it)))
        return false;
    for (; by > 0 && log->top < count; by--) {
        if (log->row + 1 < line_rows(it, log->top)) {
            log->row++;
        } else {
            log->row = 0;
            log->top++;
        }
    }
    return true;
}

static bool scroll_up(const struct settling *it, size_t by)
{
    struct view_log *log = it->log;
    if (log->unwrapped) {
        log->top -= by < log->top ? by : log->top;
        return true;
    }
    by = by < SCROLL_ROWS_MAX ? by : SCROLL_ROWS_MAX;
    const size_t first = log->top > by ? log->top - by : 0;
    if (!load_lines(it, first, by + rows_of_screen(it)))
        return false;
    for (; by > 0 && (log->top > 0 || log->row > 0); by--) {
        if (log->row > 0)
            log->row--;
        else
            log->row = line_rows(it, --log->top) - 1;
    }
    return true;
}

/* Limits the position to the end of the log, and loads the lines. Near the end, this needs the rows
 * of each line. */
static bool keep_in_bounds(const struct settling *it)
{
    struct view_log *log = it->log;
    const size_t count = log_pager_count(it->pager);
    const size_t rows = rows_of_screen(it);
    if (log->top + rows < count)
        return load_lines(it, log->top, rows);
    const struct view_log was = *log;
    if (!go_to_end(it))
        return false;
    const bool is_higher = was.top < log->top || (was.top == log->top && was.row < log->row);
    if (is_higher) {
        log->top = was.top;
        log->row = was.row;
    }
    return load_lines(it, log->top, rows);
}

/* Moves to the search target if it is known by now. Shows a message if there is none. */
static void seek_match(const struct settling *it, const struct view_facts *facts)
{
    struct view_log *log = it->log;
    const struct pager_set *set =
        log->want == VIEW_LOG_ERROR ? &it->pager->errors : &it->pager->found;
    size_t line = 0;
    if (log->want == VIEW_LOG_NOTHING)
        return;
    enum pager_next next = log_pager_next(it->pager, set, log->from, log->step, &line);
    if (next == PAGER_NEXT_NONE && log->either_way)
        next = log_pager_next(it->pager, set, log->from, -log->step, &line);
    if (next == PAGER_NEXT_NONE) {
        struct str words = {0};
        add_none_found(it->view, it->pager, log->want, log->step, &words);
        view_say(it->view, &facts->clock, "%s", str_text(&words));
        str_done(&words);
        log->want = VIEW_LOG_NOTHING;
    }
    if (next != PAGER_NEXT_FOUND)
        return;
    const size_t index = log_pager_index(it->pager, line);
    const size_t above = rows_of_screen(it) / HIT_PART;
    const bool in_sight = index >= log->top && index + log->below < log_pager_count(it->pager) &&
                          index < log->top + rows_of_screen(it);
    log->hit = (int64_t)line;
    log->want = VIEW_LOG_NOTHING;
    log->stays = true;
    log->scroll = 0;
    log->is_to_start = false;
    if (in_sight && log->below > 0)
        return;
    log->top = index > above ? index - above : 0;
    log->row = 0;
}

void view_log_sync(struct view *view, struct log_pager *pager)
{
    struct view_log *log = &view->log;
    const bool only = log->only && view->search.len > 0;
    size_t line = log_pager_number(pager, log->top);
    log_pager_search(pager, view->search.text);
    if (log_pager_moved(pager, &line) || only != pager->only) {
        log_pager_show_only(pager, only);
        log->top = log_pager_index(pager, line);
    }
}

bool view_log_settle(struct view *view, const struct view_facts *facts, struct log_pager *pager,
                     const struct log_source *source, struct err *err)
{
    struct view_log *log = &view->log;
    const struct settling it = {
        .view = view, .log = log, .pager = pager, .source = source, .err = err};
    seek_match(&it, facts);
    const int64_t scroll = log->scroll;
    log->scroll = 0;
    if (!log->stays) {
        if (!go_to_end(&it))
            return false;
    } else {
        if (log->is_to_start) {
            log->top = 0;
            log->row = 0;
            log->is_to_start = false;
        }
        if (scroll > 0 && !scroll_down(&it, (size_t)scroll))
            return false;
        if (scroll < 0 && !scroll_up(&it, (size_t)-scroll))
            return false;
        if (!keep_in_bounds(&it))
            return false;
    }
    const size_t count = log_pager_count(pager);
    size_t used = 0;
    size_t index = log->top;
    int hidden = log->row;
    while (index < count && used < rows_of_screen(&it)) {
        used += (size_t)(line_rows(&it, index++) - hidden);
        hidden = 0;
    }
    log->below = count - index;
    return true;
}
