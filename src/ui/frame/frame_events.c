#include "frame_events.h"

#include "clock.h"
#include "event_lines.h"
#include "frame_parts.h"

enum {
    TIME_COLUMNS = 16,  /* a sign, the time to the millisecond, a bookmark between blanks */
    LATER_ROWS_MIN = 5, /* a lower pane shows nothing of what comes later */
    LATER_PERCENT = 40, /* of the rows, for that */
    KEYS_COLUMNS = 70,  /* a narrower rule names no keys */
};

static void add_time(int64_t at_ms, struct str *out)
{
    char hms[CLOCK_TEXT_MAX];
    str_addf(out, "%s.%03d", clock_hms(at_ms, hms), (int)(at_ms % 1000));
}

static enum style style_of(const struct event_line *line, bool is_later)
{
    if (line->level == EVENT_LEVEL_ERROR)
        return STYLE_FAILED;
    return is_later || line->level == EVENT_LEVEL_DEBUG ? STYLE_LABEL : STYLE_PLAIN;
}

static bool has_bookmark(const struct frame_input *input, int64_t seq)
{
    bool found = false;
    for (size_t i = 0; i < input->facts->bookmark_count && !found; i++)
        found = input->facts->bookmarks[i].seq == seq;
    return found;
}

static void draw_line(struct canvas *canvas, struct spot spot, const struct frame_input *input,
                      int index)
{
    const struct event_lines *lines = input->facts->events;
    const struct event_line *line = &lines->items[index];
    const int64_t at = input->facts->replay->at;
    struct str time = {0};
    add_time(line->at.at_ms, &time);
    if (line->seq == at)
        (void)frame_put(canvas, spot, STYLE_KEY, "▸");
    if (has_bookmark(input, line->seq))
        (void)frame_put(canvas, (struct spot){spot.row, spot.column + TIME_COLUMNS - 2, 1},
                        STYLE_KEY, "m");
    (void)frame_put(canvas, (struct spot){spot.row, spot.column + 1, TIME_COLUMNS - 4}, STYLE_LABEL,
                    str_text(&time));
    (void)frame_put(canvas,
                    (struct spot){spot.row, spot.column + TIME_COLUMNS, spot.width - TIME_COLUMNS},
                    style_of(line, line->seq > at), event_lines_text(lines, index));
    const struct canvas_zone zone = {
        .spot = spot, .rows = 1, .kind = ZONE_EVENT, .value = (uint32_t)line->seq};
    canvas_add_area(canvas, &zone);
    str_done(&time);
}

static void draw_rule(struct canvas *canvas, const struct frame_box *box,
                      const struct frame_input *input)
{
    const struct spot spot = {box->row - 1, box->column, box->columns};
    frame_rule_say(canvas, spot, "events",
                   box->columns >= KEYS_COLUMNS
                       ? "{error-next} {error-back} failure  {to-try-back} {to-try-next} try"
                         "  {bookmark} bookmark  {later} later"
                       : "",
                   input);
    frame_pane_mark(canvas, (struct spot){spot.row, spot.column, 1}, input->view, VIEW_PANE_EVENTS);
}

void frame_events(struct canvas *canvas, const struct frame_box *box,
                  const struct frame_input *input)
{
    const struct event_lines *lines = input->facts->events;
    draw_rule(canvas, box, input);
    frame_pane_zone(canvas, box, VIEW_PANE_EVENTS);
    if (!lines)
        return;
    if (lines->trouble.code != ERR_NONE) {
        (void)frame_put(canvas, (struct spot){box->row, box->column + 1, box->columns - 1},
                        STYLE_FAILED, lines->trouble.message);
        return;
    }
    const int later = box->rows >= LATER_ROWS_MIN ? box->rows * LATER_PERCENT / 100 : 0;
    const int here = event_lines_find(lines, input->facts->replay->at);
    int first = here - (box->rows - 1 - later);
    first = first < 0 ? 0 : first;
    for (int row = 0; row < box->rows && first + row < (int)lines->count; row++)
        draw_line(canvas, (struct spot){box->row + row, box->column, box->columns}, input,
                  first + row);
}
