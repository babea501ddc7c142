/* frame_transport.c - the two lines of a replay: where it is, and the scrubber. */
#include "clock.h"
#include "frame_parts.h"
#include "text.h"

enum {
    SCRUBBER_MIN = 10,
    HM_LEN = 5,
    HMS_LEN = 8,
    HMS_COLUMNS = 60,      /* narrower: no seconds on the line of time */
    HMS_LASTS_MS = 600000, /* longer: none either */
    FULL_COLUMNS = 100,    /* narrower: signs for words */
};

static void add_speed(const struct replay *replay, struct str *out)
{
    if (replay->speed >= REPLAY_SPEED_ONE)
        str_addf(out, "%dx", replay->speed / REPLAY_SPEED_ONE);
    else
        str_addf(out, "0.%sx", replay->speed == 1 ? "25" : "5");
}

/* How far it is to the end. The head of the past says how far back that is. */
static void add_to_the_end(const struct frame_input *input, bool in_full, struct str *out)
{
    const struct replay *replay = input->facts->replay;
    const int64_t left = replay->marks[replay->count - 1].at.mono_ms - replay_now(replay).mono_ms;
    if (input->facts->mode == VIEW_PAST)
        return;
    str_add(out, in_full ? "   " : "   -");
    shown_duration(left, out);
    if (in_full)
        str_add(out, " before the end of the log");
}

/* A key and what it does, so that it ends at the end of the spot. Returns the spot before it. */
static struct spot put_way(struct canvas *canvas, struct spot spot, const struct frame_input *input,
                           enum act act)
{
    const struct key_place place = view_place(input->view, input->facts);
    const struct key_binding *key = keymap_of(input->view->keys, act, place);
    char name[KEY_NAME_MAX];
    struct str text = {0};
    if (!key)
        return spot;
    str_addf(&text, "%s %s", keymap_key_name(key->key, canvas->ascii, name), key->brief);
    const int at = frame_put_right(canvas, spot, STYLE_PLAIN, str_text(&text));
    canvas_add_zone(canvas, (struct spot){spot.row, at, spot.column + spot.width - at}, key->key);
    str_done(&text);
    return (struct spot){spot.row, spot.column, at - spot.column - 2};
}

void frame_transport(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct replay *replay = input->facts->replay;
    const bool in_full = canvas->columns >= FULL_COLUMNS;
    struct str text = {0};
    char hms[CLOCK_TEXT_MAX];
    if (replay->playing)
        str_add(&text, canvas->ascii ? " > " : " ▸ ");
    else
        str_add(&text, canvas->ascii ? " ||" : " ❚❚");
    if (in_full)
        str_add(&text, replay->playing ? " playing " : " paused  ");
    str_add(&text, " ");
    add_speed(replay, &text);
    if (replay->count > 0) {
        str_addf(&text, "   %s", clock_hms(replay_now(replay).at_ms, hms));
        add_to_the_end(input, in_full, &text);
    }
    const size_t len = text.len;
    str_addf(&text, "   event %lld of %zu", (long long)replay->at, replay->count);
    if (text_width(str_text(&text), text.len) >= canvas->columns)
        str_cut(&text, len);
    const struct bookmark *bookmark = view_bookmark_here(input->facts);
    if (bookmark)
        str_addf(&text, "   m %s", bookmark->name);
    const int end =
        frame_put(canvas, (struct spot){row, 0, canvas->columns}, STYLE_PLAIN, str_text(&text));
    const struct spot spot = {row, end + 2, canvas->columns - end - 3};
    (void)put_way(canvas, put_way(canvas, spot, input, UI_COMPARE), input, UI_GO_TO);
    str_done(&text);
}

/* The line of time, one cell for each stretch of it. */
struct scrubber {
    struct canvas *canvas;
    int row, column, width;
    int64_t from_ms, lasts_ms;
};

static int cell_of(const struct scrubber *scrubber, int64_t mono_ms)
{
    if (scrubber->lasts_ms <= 0)
        return scrubber->column;
    int64_t on = mono_ms - scrubber->from_ms;
    on = on < 0 ? 0 : on > scrubber->lasts_ms ? scrubber->lasts_ms : on;
    return scrubber->column + (int)(on * (scrubber->width - 1) / scrubber->lasts_ms);
}

static void draw_sign(const struct scrubber *scrubber, int64_t mono_ms, enum style style,
                      const char *sign)
{
    struct spot spot = {scrubber->row, cell_of(scrubber, mono_ms), 1};
    (void)canvas_text(scrubber->canvas, spot, style, sign);
}

static void draw_marks(const struct scrubber *scrubber, const struct replay *replay,
                       enum replay_sign sign)
{
    bool ascii = scrubber->canvas->ascii;
    bool pass = sign == REPLAY_PASS;
    const char *text = pass ? (ascii ? "+" : "✓") : (ascii ? "x" : "✗");
    int drawn = -1; /* there are many to a cell */
    const struct replay_signed *marks = &replay->signs[sign];
    for (size_t i = 0; i < marks->count; i++) {
        const int64_t mono_ms = replay->marks[marks->marks[i]].at.mono_ms;
        const int cell = cell_of(scrubber, mono_ms);
        if (cell != drawn)
            draw_sign(scrubber, mono_ms, pass ? STYLE_PASSED : STYLE_FAILED, text);
        drawn = cell;
    }
}

static void draw_time(struct canvas *canvas, struct spot spot, int64_t at_ms)
{
    char hms[CLOCK_TEXT_MAX];
    (void)canvas_text_n(canvas, spot, STYLE_PLAIN, clock_hms(at_ms, hms), (size_t)spot.width);
}

/* A stranger's log may say anything. */
static int64_t after_event(const struct bookmark *bookmark, const struct moment *at, int64_t most)
{
    int64_t ms = 0;
    if (bookmark->at_ms <= at->at_ms)
        return 0;
    return __builtin_sub_overflow(bookmark->at_ms, at->at_ms, &ms) || ms > most ? most : ms;
}

/* A bookmark stands at its event, or so long after it. */
static void draw_bookmarks(const struct scrubber *scrubber, const struct frame_input *input)
{
    const struct replay *replay = input->facts->replay;
    for (size_t i = 0; i < input->facts->bookmark_count; i++) {
        const struct bookmark *bookmark = &input->facts->bookmarks[i];
        const bool is_here = bookmark->seq >= 1 && bookmark->seq <= (int64_t)replay->count;
        const struct moment *at = &replay->marks[is_here ? bookmark->seq - 1 : 0].at;
        const int64_t after_ms = is_here ? after_event(bookmark, at, scrubber->lasts_ms) : 0;
        draw_sign(scrubber, at->mono_ms + after_ms, STYLE_KEY, "m");
    }
}

void frame_scrubber(struct canvas *canvas, int row, const struct frame_input *input)
{
    const struct replay *replay = input->facts->replay;
    if (replay->count == 0)
        return;
    const struct moment *first = &replay->marks[0].at;
    const struct moment *last = &replay->marks[replay->count - 1].at;
    const int64_t lasts_ms = last->mono_ms - first->mono_ms;
    const bool has_seconds = canvas->columns >= HMS_COLUMNS && lasts_ms <= HMS_LASTS_MS;
    const int len = has_seconds ? HMS_LEN : HM_LEN;
    const struct scrubber scrubber = {
        .canvas = canvas,
        .row = row,
        .column = len + 3,
        .width = canvas->columns - 2 * (len + 3),
        .from_ms = first->mono_ms,
        .lasts_ms = lasts_ms,
    };
    if (scrubber.width < SCRUBBER_MIN)
        return;
    draw_time(canvas, (struct spot){row, 1, len}, first->at_ms);
    draw_time(canvas, (struct spot){row, canvas->columns - len - 1, len}, last->at_ms);
    canvas_rule(canvas, row, scrubber.column, scrubber.width);
    const struct canvas_zone zone = {
        .spot = {row, scrubber.column, scrubber.width}, .rows = 1, .kind = ZONE_TIME};
    canvas_add_area(canvas, &zone);
    (void)canvas_text(canvas, (struct spot){row, scrubber.column - 1, 1}, STYLE_RULE,
                      canvas->ascii ? "|" : "├");
    (void)canvas_text(canvas, (struct spot){row, scrubber.column + scrubber.width, 1}, STYLE_RULE,
                      canvas->ascii ? "|" : "┤");
    draw_marks(&scrubber, replay, REPLAY_PASS);
    draw_marks(&scrubber, replay, REPLAY_FAILURE);
    draw_bookmarks(&scrubber, input);
    draw_sign(&scrubber, replay_now(replay).mono_ms, STYLE_REPLAY, canvas->ascii ? "O" : "●");
}
