/* view_log_settle.c - from what the keys asked for to what is on the screen; see view_log.h. */
#include "line_wrap.h"
#include "log_pager.h"
#include "view.h"

enum {
    SCROLL_ROWS_MAX = 1000, /* in one go, where heights have to be known */
    HIT_PART = 3,           /* what was found is shown a third down the screen */
};

/* The parts of a settling, so that they need not be handed on one by one. */
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

/* Rows that a line takes; one where it is not in the window. */
static int height(const struct settling *it, size_t index)
{
    const struct pager_line *line = log_pager_line(it->pager, index);
    if (!line || it->log->unwrapped || it->log->room.columns <= 0)
        return 1;
    return line_wrap_rows(log_pager_text(it->pager, line), line->len, it->log->room.columns);
}

static bool load(const struct settling *it, size_t index, size_t count)
{
    return log_pager_load(it->pager, it->source, index, count, it->err);
}

/* So that the last row of the screen is the last one there is. */
static bool go_to_end(const struct settling *it)
{
    struct view_log *log = it->log;
    const size_t count = log_pager_count(it->pager);
    const size_t rows = rows_of_screen(it);
    size_t used = 0;
    size_t top = count;
    if (!load(it, count > rows ? count - rows : 0, rows))
        return false;
    while (top > 0 && used < rows)
        used += (size_t)height(it, --top);
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
    if (!load(it, log->top, by + rows_of_screen(it)))
        return false;
    for (; by > 0 && log->top < count; by--) {
        if (log->row + 1 < height(it, log->top)) {
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
    if (!load(it, first, by + rows_of_screen(it)))
        return false;
    for (; by > 0 && (log->top > 0 || log->row > 0); by--) {
        if (log->row > 0)
            log->row--;
        else
            log->row = height(it, --log->top) - 1;
    }
    return true;
}

/* Not past the end: where fewer lines are left than the screen has rows, their rows count. */
static bool keep_in_bounds(const struct settling *it)
{
    struct view_log *log = it->log;
    const size_t count = log_pager_count(it->pager);
    const size_t rows = rows_of_screen(it);
    if (log->top + rows < count)
        return load(it, log->top, rows);
    const struct view_log was = *log;
    if (!go_to_end(it))
        return false;
    const bool is_higher = was.top < log->top || (was.top == log->top && was.row < log->row);
    if (is_higher) {
        log->top = was.top;
        log->row = was.row;
    }
    return load(it, log->top, rows);
}

static void show_hit(const struct settling *it, size_t line)
{
    struct view_log *log = it->log;
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

static void say_none(const struct settling *it, const struct view_facts *facts)
{
    struct str words = {0};
    view_log_add_none(it->view, it->pager, it->log->want, it->log->step, &words);
    view_say(it->view, &facts->clock, "%s", str_text(&words));
    str_done(&words);
}

/* Go to what is wanted, if it is known by now. */
static void seek(const struct settling *it, const struct view_facts *facts)
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
    if (next == PAGER_NEXT_FOUND) {
        show_hit(it, line);
    } else if (next == PAGER_NEXT_NONE) {
        say_none(it, facts);
        log->want = VIEW_LOG_NOTHING;
    }
}

/* Lines that begin below the last row. */
static size_t count_below(const struct settling *it)
{
    const size_t count = log_pager_count(it->pager);
    size_t used = 0;
    size_t index = it->log->top;
    int hidden = it->log->row;
    while (index < count && used < rows_of_screen(it)) {
        used += (size_t)(height(it, index++) - hidden);
        hidden = 0;
    }
    return count - index;
}

static bool move(const struct settling *it)
{
    struct view_log *log = it->log;
    const int64_t scroll = log->scroll;
    log->scroll = 0;
    if (!log->stays)
        return go_to_end(it);
    if (log->is_to_start) {
        log->top = 0;
        log->row = 0;
        log->is_to_start = false;
    }
    if (scroll > 0 && !scroll_down(it, (size_t)scroll))
        return false;
    if (scroll < 0 && !scroll_up(it, (size_t)-scroll))
        return false;
    return keep_in_bounds(it);
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
    const struct settling it = {
        .view = view, .log = &view->log, .pager = pager, .source = source, .err = err};
    seek(&it, facts);
    const bool ok = move(&it);
    view->log.below = ok ? count_below(&it) : view->log.below;
    return ok;
}
