#include "view_mouse.h"

#include "runs_list.h"
#include "view.h"
#include "view_detail.h"

static const struct view_todo draw = {.kind = VIEW_DRAW};

static void choose_item(struct view *view, const struct view_facts *facts, uint32_t item)
{
    const enum screen screen = view_screen(view);
    const struct runs_list *runs = facts->runs;
    if (screen == SCREEN_RUNS && runs && item < runs->shown_count)
        view->runs.chosen = runs->rows[runs->shown[item]].number;
    if (screen == SCREEN_DETAIL && view->chosen >= 0)
        view_detail_choose(view, facts->state, (int)item);
    if (screen != SCREEN_FORENSICS || item >= FORENSICS_SECTION_COUNT)
        return;
    view->forensics.section = (enum forensics_section)item;
    view->forensics.top = 0;
    view->forensics.right = false;
}

static void choose_pane(struct view *view, uint32_t pane)
{
    if (view_screen(view) == SCREEN_FORENSICS)
        view->forensics.right = pane == VIEW_FORENSICS_TEXT;
    else if (pane < VIEW_PANE_COUNT && (view->panes & (1u << pane)) != 0)
        view->pane = (enum view_pane)pane;
}

static void choose_row(struct view *view, uint32_t row)
{
    if ((int)row >= view->row_count)
        return;
    view->pane = VIEW_PANE_LIST;
    view_choose_row(view, (int)row);
}

static struct view_todo seek(const struct canvas_zone *zone, int column)
{
    const int last = zone->spot.width > 1 ? zone->spot.width - 1 : 1;
    int at = column - zone->spot.column;
    at = at < 0 ? 0 : at > last ? last : at;
    return (struct view_todo){.kind = VIEW_SEEK, .seek = at * VIEW_SEEK_WHOLE / last};
}

static struct view_todo press(struct view *view, const struct view_facts *facts,
                              const struct canvas *canvas, const struct mouse *mouse)
{
    const unsigned kinds = view_is_covered(view) ? ZONES_KEY
                                                 : ZONES_KEY | ZONES_ROW | ZONES_ITEM | ZONES_HEAD |
                                                       ZONES_PANE | ZONES_TIME | ZONES_EVENT;
    const struct canvas_zone *zone = canvas_find_zone(canvas, mouse->row, mouse->column, kinds);
    if (!zone)
        return draw;
    switch (zone->kind) {
    case ZONE_KEY:
        return view_key(view, zone->value, facts);
    case ZONE_ROW:
        choose_row(view, zone->value);
        break;
    case ZONE_ITEM:
        choose_item(view, facts, zone->value);
        break;
    case ZONE_HEAD:
        if (view->sorted.by == (enum order_by)zone->value)
            view_order_turn(view, facts);
        else if (zone->value < ORDER_COUNT)
            view_order_take(view, facts, (enum order_by)zone->value);
        break;
    case ZONE_PANE:
        choose_pane(view, zone->value);
        break;
    case ZONE_TIME:
        return seek(zone, mouse->column);
    case ZONE_EVENT:
        return (struct view_todo){.kind = VIEW_TO_EVENT, .event = zone->value};
    case ZONE_KIND_COUNT:
        break;
    }
    return draw;
}

/* A drag that began on the line of time stays on it wherever the hand goes up or down. */
static struct view_todo drag(const struct view *view, const struct canvas *canvas,
                             const struct mouse *mouse)
{
    const struct canvas_zone *zone =
        canvas_find_zone(canvas, view->pressed_row, mouse->column, ZONES_TIME);
    return zone && !view_is_covered(view) ? seek(zone, mouse->column) : draw;
}

static size_t moved(size_t at, int by, size_t last)
{
    const int64_t to = (int64_t)at + by;
    return to < 0 ? 0 : (size_t)to > last ? last : (size_t)to;
}

static void scroll_tail(struct view *view, const struct log_tail *log, int rows)
{
    const size_t last = log && log->count > view->log_page ? log->count - view->log_page : 0;
    view->log_back = moved(view->log_back, -rows, last);
}

static void scroll_text(struct view *view, const struct view_facts *facts, int rows)
{
    struct view_todo ignored = draw; /* a text that scrolls asks for nothing */
    for (int i = 0; i < rows; i++)
        (void)view_log_act(view, facts, UI_DOWN, &ignored);
    for (int i = 0; i > rows; i--)
        (void)view_log_act(view, facts, UI_UP, &ignored);
}

/* The pane under the mouse, else the one that has the keys. */
static enum view_pane pane_under(const struct view *view, const struct canvas *canvas,
                                 const struct mouse *mouse)
{
    const struct canvas_zone *zone =
        canvas_find_zone(canvas, mouse->row, mouse->column, ZONES_PANE);
    return zone && zone->value < VIEW_PANE_COUNT ? (enum view_pane)zone->value : view->pane;
}

static void wheel(struct view *view, const struct view_facts *facts, const struct canvas *canvas,
                  const struct mouse *mouse)
{
    const int rows = mouse->kind == MOUSE_WHEEL_UP ? -VIEW_WHEEL_ROWS : VIEW_WHEEL_ROWS;
    const enum screen screen = view_screen(view);
    if (view_is_covered(view))
        return;
    if (screen == SCREEN_LOG) {
        scroll_text(view, facts, rows);
    } else if (screen == SCREEN_FORENSICS) {
        view->forensics.top = moved(view->forensics.top, rows, view->forensics.room.last);
    } else if (screen == SCREEN_TASKS || screen == SCREEN_DETAIL) {
        const enum view_pane pane = pane_under(view, canvas, mouse);
        if (pane == VIEW_PANE_LOG)
            scroll_tail(view, facts->log, rows);
        else if (pane == VIEW_PANE_LIST && screen == SCREEN_TASKS)
            view_scroll(view, rows);
    }
}

struct view_todo view_mouse(struct view *view, const struct view_facts *facts,
                            const struct canvas *canvas, const struct mouse *mouse)
{
    view->used_at_ms = facts->clock.mono_ms;
    view->still_until = facts->clock.mono_ms + VIEW_STILL_MS;
    switch (mouse->kind) {
    case MOUSE_PRESS:
        view->pressed_row = mouse->row;
        return press(view, facts, canvas, mouse);
    case MOUSE_DRAG:
        return drag(view, canvas, mouse);
    case MOUSE_WHEEL_UP:
    case MOUSE_WHEEL_DOWN:
        wheel(view, facts, canvas, mouse);
        break;
    case MOUSE_RELEASE:
        break;
    }
    return draw;
}
