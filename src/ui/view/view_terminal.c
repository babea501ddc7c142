/*
 * view_terminal.c - freezing the screen, copying text, and the mouse.
 */
#include "view.h"

#include <string.h>

#include "log_lines.h"
#include "rows.h"
#include "runs_list.h"
#include "shown.h"
#include "text.h"
#include "view_internal.h"

static void toggle_freeze(struct view *view, const struct view_facts *facts)
{
    view->frozen = !view->frozen;
    if (!view->frozen)
        view_say(view, &facts->clock, "the screen is live again");
}

bool view_terminal_act(struct view *view, const struct view_facts *facts, enum act act,
                       struct view_todo *out)
{
    *out = (struct view_todo){.kind = VIEW_DRAW};
    switch (act) {
    case UI_COPY:
        out->kind = VIEW_COPY;
        return true;
    case UI_COPY_PATH:
        out->kind = VIEW_COPY_PATH;
        return true;
    case UI_PAGER:
        out->kind = VIEW_PAGER;
        return true;
    case UI_MOUSE:
        out->kind = VIEW_MOUSE;
        view->leaves_mouse = !view->leaves_mouse;
        view_tell(view, &facts->clock,
                  view->leaves_mouse
                      ? "mouse released: select text with the mouse; {mouse} captures it again"
                      : "mouse captured: it selects and scrolls here; {mouse} releases it");
        return true;
    case UI_FREEZE:
        toggle_freeze(view, facts);
        return true;
    default: /* other acts are handled elsewhere */
        return false;
    }
}

struct view_todo view_frozen_act(struct view *view, const struct view_facts *facts, enum act act)
{
    struct view_todo todo = {.kind = VIEW_DRAW};
    if (act == UI_FREEZE || act == UI_BACK || act == UI_QUIT)
        toggle_freeze(view, facts);
    else if (act == UI_COPY || act == UI_COPY_PATH || act == UI_MOUSE)
        (void)view_terminal_act(view, facts, act, &todo);
    else
        view_tell(view, &facts->clock, "the screen is frozen: {freeze} resumes it");
    return todo;
}

enum { WORDS_MAX = 80 }; /* maximum bytes of copied text that the message repeats */

static void add_task(const struct view_facts *facts, int task, struct str *out)
{
    const struct plan_task *plan = &facts->state->plan->tasks[task];
    str_add(out, plan->id);
    if (strcmp(plan->id, plan->title) != 0)
        str_addf(out, " %s", plan->title);
}

static void add_shortened(const struct str *text, struct str *words)
{
    str_add_n(words, str_text(text), text_cut(str_text(text), text->len, WORDS_MAX));
    if (text->len > WORDS_MAX)
        str_add(words, "...");
}

static void add_lines(size_t count, const char *of, struct str *words)
{
    shown_count((int64_t)count, "line of ", "lines of ", words);
    str_add(words, of);
}

static bool copy_tasks(const struct view *view, const struct view_facts *facts, struct str *text,
                       struct str *words)
{
    if (view_marked(view) == 0) {
        add_task(facts, view->chosen, text);
        add_shortened(text, words);
        return true;
    }
    for (int task = 0; task < facts->state->plan->task_count; task++) {
        if (!view_is_marked(view, task))
            continue;
        add_task(facts, task, text);
        str_add_char(text, '\n');
    }
    str_addf(words, "%d marked tasks", view_marked(view));
    return true;
}

/* Copies the visible lines of the log pane. */
static bool copy_tail(const struct view *view, const struct log_tail *log, struct str *text,
                      struct str *words)
{
    const size_t end = log->count > view->log_back ? log->count - view->log_back : 0;
    const size_t from = end > view->log_page ? end - view->log_page : 0;
    for (size_t i = from; i < end; i++) {
        str_add_n(text, log_tail_line(log, i), log->lines[i].len);
        str_add_char(text, '\n');
    }
    add_lines(end - from, "the log", words);
    return end > from;
}

/* Copies the visible lines of the Log screen. */
static bool copy_pager(const struct view *view, const struct log_pager *log, struct str *text,
                       struct str *words)
{
    size_t count = 0;
    for (size_t i = view->log.top; (int)count < view->log.room.rows; i++) {
        const struct pager_line *line = log_pager_line(log, i);
        if (!line)
            break;
        str_add_n(text, log_pager_text(log, line), line->len);
        str_add_char(text, '\n');
        count++;
    }
    add_lines(count, "the log", words);
    return count > 0;
}

static bool copy_section(const struct view *view, const struct forensics *forensics,
                         struct str *text, struct str *words)
{
    const enum forensics_section section = view->forensics.section;
    const size_t first = forensics->sections[section].first;
    const size_t count = forensics->sections[section].count;
    size_t lines = 0;
    for (size_t i = first; i < first + count; i++) {
        str_add_n(text, forensics_line(forensics, i), forensics->lines[i].len);
        if (forensics->lines[i].goes_on)
            continue;
        str_add_char(text, '\n');
        lines++;
    }
    add_lines(lines, forensics_name(section), words);
    return lines > 0;
}

bool view_copy_text(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words)
{
    const enum screen screen = view_screen(view);
    if (screen == SCREEN_RUNS) {
        const struct runs_list *runs = facts->runs;
        const size_t at = runs ? view_runs_chosen(&view->runs, runs) : 0;
        if (!runs || at >= runs->shown_count)
            return false;
        const long long number = (long long)runs->rows[runs->shown[at]].number;
        str_addf(text, "%lld", number);
        str_addf(words, "the number of run %lld", number);
        return true;
    }
    if (screen == SCREEN_HOSTS) {
        const int number = view_hosts_now(view, facts);
        str_add(text,
                number == HOST_HERE ? "local" : run_state_host_place(facts->state, number).host);
        add_shortened(text, words);
        return true;
    }
    if (screen == SCREEN_FORENSICS && facts->forensics)
        return copy_section(view, facts->forensics, text, words);
    if (screen == SCREEN_LOG && facts->pager)
        return copy_pager(view, facts->pager, text, words);
    if (view->chosen < 0)
        return false;
    if (view->pane == VIEW_PANE_LOG)
        return copy_tail(view, facts->log, text, words);
    return copy_tasks(view, facts, text, words);
}

bool view_copy_path(const struct view *view, const struct view_facts *facts, struct str *text,
                    struct str *words)
{
    const struct task_place *place =
        view->chosen >= 0 ? facts->state->tasks[view->chosen].place : NULL;
    bool has_own = view_screen(view) != SCREEN_RUNS && place && place->path;
    if (!has_own && (!facts->log_file || !*facts->log_file))
        return false;
    str_add(text, has_own ? place->path : facts->log_file);
    add_shortened(text, words);
    return true;
}

static const struct view_todo draw = {.kind = VIEW_DRAW};

/* Returns the action for a click or drag on the time line. */
static struct view_todo seek_column(const struct canvas_zone *zone, int column)
{
    const int last = zone->spot.width > 1 ? zone->spot.width - 1 : 1;
    int at = column - zone->spot.column;
    at = at < 0 ? 0 : at > last ? last : at;
    return (struct view_todo){.kind = VIEW_SEEK, .seek = at * VIEW_SEEK_WHOLE / last};
}

static struct view_todo press_mouse(struct view *view, const struct view_facts *facts,
                                    const struct canvas *canvas, const struct mouse *mouse)
{
    const unsigned kinds = view_is_covered(view) ? ZONES_KEY
                                                 : ZONES_KEY | ZONES_ROW | ZONES_ITEM | ZONES_HEAD |
                                                       ZONES_PANE | ZONES_TIME | ZONES_EVENT;
    const struct canvas_zone *zone = canvas_find_zone(canvas, mouse->row, mouse->column, kinds);
    const enum screen screen = view_screen(view);
    const struct runs_list *runs = facts->runs;
    if (!zone)
        return draw;
    const uint32_t value = zone->value;
    switch (zone->kind) {
    case ZONE_KEY:
        return view_key(view, value, facts);
    case ZONE_ROW:
        if ((int)value >= view->row_count)
            break;
        view->pane = VIEW_PANE_LIST;
        view_choose_row(view, (int)value);
        break;
    case ZONE_ITEM:
        if (screen == SCREEN_RUNS && runs && value < runs->shown_count)
            view->runs.chosen = runs->rows[runs->shown[value]].number;
        if (screen == SCREEN_HOSTS)
            view_hosts_choose(view, facts, (int)value);
        if (screen == SCREEN_DETAIL && view->chosen >= 0)
            view_detail_choose(view, facts->state, (int)value);
        if (screen == SCREEN_FORENSICS && value < FORENSICS_SECTION_COUNT) {
            view->forensics.section = (enum forensics_section)value;
            view->forensics.top = 0;
            view->forensics.right = false;
        }
        break;
    case ZONE_HEAD:
        if (view->sorted.by == (enum order_by)value)
            view_order_turn(view, facts);
        else if (value < ORDER_COUNT)
            view_order_take(view, facts, (enum order_by)value);
        break;
    case ZONE_PANE:
        if (screen == SCREEN_FORENSICS)
            view->forensics.right = value == VIEW_FORENSICS_TEXT;
        else if (value < VIEW_PANE_COUNT && (view->panes & (1u << value)) != 0)
            view->pane = (enum view_pane)value;
        break;
    case ZONE_TIME:
        return seek_column(zone, mouse->column);
    case ZONE_EVENT:
        return (struct view_todo){.kind = VIEW_TO_EVENT, .event = value};
    case ZONE_KIND_COUNT:
        break;
    }
    return draw;
}

static size_t moved_within(size_t at, int by, size_t last)
{
    const int64_t to = (int64_t)at + by;
    return to < 0 ? 0 : (size_t)to > last ? last : (size_t)to;
}

static void turn_wheel(struct view *view, const struct view_facts *facts,
                       const struct canvas *canvas, const struct mouse *mouse)
{
    const int rows = mouse->kind == MOUSE_WHEEL_UP ? -VIEW_WHEEL_ROWS : VIEW_WHEEL_ROWS;
    const enum screen screen = view_screen(view);
    if (view_is_covered(view))
        return;
    if (screen == SCREEN_LOG) {
        struct view_todo ignored = draw; /* scrolling text needs no action */
        for (int i = 0; i < VIEW_WHEEL_ROWS; i++)
            (void)view_log_act(view, facts, rows > 0 ? UI_DOWN : UI_UP, &ignored);
    } else if (screen == SCREEN_FORENSICS) {
        view->forensics.top = moved_within(view->forensics.top, rows, view->forensics.room.last);
    } else if (screen == SCREEN_TASKS || screen == SCREEN_DETAIL) {
        /* Use the pane under the mouse, or else the pane with the focus. */
        const struct canvas_zone *zone =
            canvas_find_zone(canvas, mouse->row, mouse->column, ZONES_PANE);
        const enum view_pane pane =
            zone && zone->value < VIEW_PANE_COUNT ? (enum view_pane)zone->value : view->pane;
        const struct log_tail *log = facts->log;
        if (pane == VIEW_PANE_LOG) {
            const size_t last =
                log && log->count > view->log_page ? log->count - view->log_page : 0;
            view->log_back = moved_within(view->log_back, -rows, last);
        } else if (pane == VIEW_PANE_LIST && screen == SCREEN_TASKS) {
            view_scroll(view, rows);
        }
    }
}

struct view_todo view_mouse(struct view *view, const struct view_facts *facts,
                            const struct canvas *canvas, const struct mouse *mouse)
{
    const struct canvas_zone *zone;
    view->used_at_ms = facts->clock.mono_ms;
    view->still_until = facts->clock.mono_ms + VIEW_STILL_MS;
    switch (mouse->kind) {
    case MOUSE_PRESS:
        view->pressed_row = mouse->row;
        return press_mouse(view, facts, canvas, mouse);
    case MOUSE_DRAG:
        /* A drag that began on the time line continues when the mouse leaves its row. */
        zone = canvas_find_zone(canvas, view->pressed_row, mouse->column, ZONES_TIME);
        if (zone && !view_is_covered(view))
            return seek_column(zone, mouse->column);
        break;
    case MOUSE_WHEEL_UP:
    case MOUSE_WHEEL_DOWN:
        turn_wheel(view, facts, canvas, mouse);
        break;
    case MOUSE_RELEASE:
        break;
    }
    return draw;
}
