/* frame_put.c - what every screen puts on its canvas: text, rules, zones, and the time it shows. */
#include <assert.h>
#include <string.h>

#include "clock.h"
#include "frame_parts.h"
#include "text.h"

static const enum style styles[] = {
    [SHOWN_NEEDS_YOU] = STYLE_NEEDS_YOU, [SHOWN_BACKOFF] = STYLE_BACKOFF,
    [SHOWN_RUNNING] = STYLE_RUNNING,     [SHOWN_QUIET] = STYLE_QUIET,
    [SHOWN_STOPPING] = STYLE_HELD,       [SHOWN_QUEUED] = STYLE_PLAIN,
    [SHOWN_HELD] = STYLE_HELD,           [SHOWN_PASSED] = STYLE_PASSED,
    [SHOWN_GAVE_UP] = STYLE_FAILED,      [SHOWN_CANCELLED] = STYLE_PLAIN,
    [SHOWN_STUCK] = STYLE_FAILED,        [SHOWN_BLOCKED] = STYLE_PLAIN,
    [SHOWN_LOST] = STYLE_LOST,
};
static_assert(ARRAY_LEN(styles) == SHOWN_COUNT, "every shown state has a style");

enum style frame_style(enum shown shown)
{
    assert(shown < SHOWN_COUNT);
    return styles[shown];
}

struct moment frame_now(const struct frame_input *input)
{
    const struct view_facts *facts = input->facts;
    if (facts->mode == VIEW_ENDED)
        return facts->state->ended_at;
    return facts->mode == VIEW_INTERRUPTED ? facts->state->heard : facts->now;
}

bool frame_stands(const struct frame_input *input)
{
    return !shown_counts(input->facts->state, input->facts->mode == VIEW_INTERRUPTED);
}

struct shown_time frame_time(const struct frame_input *input)
{
    return (struct shown_time){.now = frame_now(input),
                               .clock = clock_short,
                               .hms = clock_hms,
                               .times = input->view->times};
}

void frame_say(const struct frame_input *input, const char *words, struct str *out)
{
    keymap_say(input->view->keys, words, out);
}

int frame_put(struct canvas *canvas, struct spot spot, enum style style, const char *text)
{
    if (spot.width <= 0)
        return spot.column;
    return spot.column + canvas_text(canvas, spot, style, text);
}

int frame_put_right(struct canvas *canvas, struct spot spot, enum style style, const char *text)
{
    int width = text_width(text, strlen(text));
    if (width > spot.width)
        return spot.column + spot.width;
    int at = spot.column + spot.width - width;
    (void)canvas_text(canvas, (struct spot){spot.row, at, width}, style, text);
    return at;
}

void frame_pane_zone(struct canvas *canvas, const struct frame_box *box, uint32_t pane)
{
    const struct canvas_zone zone = {.spot = {box->row, box->column, box->columns},
                                     .rows = box->rows,
                                     .kind = ZONE_PANE,
                                     .value = pane};
    canvas_add_area(canvas, &zone);
}

void frame_rule(struct canvas *canvas, struct spot spot, const char *title, const char *note)
{
    canvas_rule(canvas, spot.row, spot.column, spot.width);
    int note_width = *note != '\0' ? text_width(note, strlen(note)) : 0;
    bool has_note = note_width > 0 && note_width + 16 < spot.width;
    int room = spot.width - 4 - (has_note ? note_width + 4 : 0);
    if (*title != '\0' && room > 0) {
        struct str text = {0};
        str_addf(&text, " %s", title);
        int end = frame_put(canvas, (struct spot){spot.row, spot.column + 2, room}, STYLE_HEAD,
                            str_text(&text));
        (void)frame_put(canvas, (struct spot){spot.row, end, 1}, STYLE_HEAD, " ");
        str_done(&text);
    }
    if (has_note) {
        struct str text = {0};
        str_addf(&text, " %s ", note);
        (void)frame_put_right(canvas, (struct spot){spot.row, spot.column, spot.width - 1},
                              STYLE_RULE, str_text(&text));
        str_done(&text);
    }
}

void frame_rule_say(struct canvas *canvas, struct spot spot, const char *title, const char *note,
                    const struct frame_input *input)
{
    struct str text = {0};
    frame_say(input, note, &text);
    frame_rule(canvas, spot, title, str_text(&text));
    str_done(&text);
}

void frame_pane_mark(struct canvas *canvas, struct spot spot, const struct view *view,
                     enum view_pane pane)
{
    if (view->pane == pane && pane != VIEW_PANE_LIST && spot.row >= 0)
        (void)canvas_text(canvas, (struct spot){spot.row, spot.column, 1}, STYLE_KEY, "▸");
}
