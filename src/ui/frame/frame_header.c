/* frame_header.c - the lines about the run as a whole: header with the mode, banner, gate. */
#include <assert.h>
#include <stddef.h>

#include "clock.h"
#include "frame_internal.h"
#include "shown.h"
#include "text.h"

enum {
    NAME_COLUMNS = 60,     /* narrower: without the run's name */
    NAME_GAP_COLUMNS = 80, /* narrower: a smaller gap before the clock */
    WIDE_COLUMNS = 120,
    CLOCK_COLUMNS = 20, /* narrower: counts only */
    NAME_WIDTH_MAX = 40,
};

/* All states, in the order in which the header shows their counts: states that need the user first.
 * Each task is counted once. Counts that do not fit are not shown. */
static const enum shown counted[] = {
    SHOWN_NEEDS_YOU, SHOWN_BACKOFF, SHOWN_QUIET,   SHOWN_RUNNING, SHOWN_STOPPING,
    SHOWN_HELD,      SHOWN_STUCK,   SHOWN_GAVE_UP, SHOWN_LOST,    SHOWN_PASSED,
    SHOWN_CANCELLED, SHOWN_BLOCKED, SHOWN_QUEUED,
};
static_assert(ARRAY_LEN(counted) == SHOWN_COUNT, "every state is counted");

struct counts {
    int of[SHOWN_COUNT];
    bool ascii;
    int worded; /* how many of `counted` are shown with words instead of signs */
    int gap;    /* blanks between two counts */
};

static struct counts count_tasks(const struct canvas *canvas, const struct view_facts *facts)
{
    struct counts counts = {
        .ascii = canvas->ascii,
        .gap = canvas->columns >= NAME_GAP_COLUMNS ? 2 : 1,
    };
    for (int i = 0; i < facts->state->plan->task_count; i++)
        counts.of[shown_task(facts->state, i, facts->orphaned)]++;
    return counts;
}

/* Draws as many counts as fit and returns the columns used. With a NULL canvas, only returns the
 * columns. */
static int put_counts(struct canvas *canvas, struct spot spot, const struct counts *counts)
{
    int at = 0;
    for (size_t i = 0; i < ARRAY_LEN(counted); i++) {
        enum shown shown = counted[i];
        if (counts->of[shown] == 0)
            continue;
        struct str text = {0};
        str_addf(&text, "%s%d", shown_sign(shown, counts->ascii), counts->of[shown]);
        if ((int)i < counts->worded)
            str_addf(&text, " %s", shown_word(shown));
        int width = text_width(text.data, text.len);
        int from = at > 0 ? at + counts->gap : 0;
        if (from + width <= spot.width) {
            if (canvas)
                (void)canvas_text(canvas, (struct spot){spot.row, spot.column + from, width},
                                  frame_style(shown), text.data);
            at = from + width;
        }
        str_done(&text);
    }
    return at;
}

/* Returns how many of the first counts can be shown with words so that all counts still fit.
 * Returns 0 if that is fewer than WORDED_MIN, because a few words among bare numbers are
 * distracting. */
static int words_that_fit(const struct counts *counts, int width)
{
    enum { WORDED_MIN = 5 };
    const struct spot whole = {0, 0, CANVAS_COLUMNS_MAX};
    struct counts tried = *counts;
    tried.worded = (int)ARRAY_LEN(counted);
    while (tried.worded >= WORDED_MIN && put_counts(NULL, whole, &tried) > width)
        tried.worded--;
    return tried.worded >= WORDED_MIN ? tried.worded : 0;
}

/* Appends the time for the right end, see frame_now(); `with_word` adds "ended" or "last seen", and
 * the key that leaves the past. */
static void add_clock(const struct frame_input *input, bool with_word, struct str *out)
{
    const struct view_facts *facts = input->facts;
    char hms[CLOCK_TEXT_MAX];
    if (with_word && facts->mode == VIEW_ENDED)
        str_add(out, "ended ");
    if (with_word && facts->mode == VIEW_INTERRUPTED)
        str_add(out, "last seen ");
    if (frame_now(input).at_ms > 0)
        str_add(out, clock_hms(frame_now(input).at_ms, hms));
    if (with_word && input->view->times == SHOWN_TIMES_UTC)
        str_add(out, "Z");
    if (with_word)
        frame_add_way_back(input, out);
}

static void add_run_facts(const struct frame_input *input, const struct canvas *canvas,
                          struct str *out)
{
    const struct view_facts *facts = input->facts;
    const int columns = canvas->columns;
    str_add(out, columns >= NAME_COLUMNS ? "   " : " ");
    frame_add_mode(input, canvas, out);
    if (facts->mode == VIEW_PAST)
        return;
    const bool is_past = facts->mode != VIEW_LIVE;
    const bool has_others = facts->live_runs > (is_past ? 0 : 1);
    if (columns >= WIDE_COLUMNS || ((is_past || has_others) && columns >= NAME_GAP_COLUMNS)) {
        str_add(out, "   run ");
        shown_run_number(input->number, has_others ? facts->live_runs : 0, out);
    }
    if (columns >= WIDE_COLUMNS && facts->mode == VIEW_LIVE) {
        str_add(out, "   ");
        shown_slots(facts->state, out);
    }
}

void frame_paint_row(struct canvas *canvas, int row, enum style style)
{
    for (int i = 0; i < canvas->columns; i++)
        canvas_cell(canvas, row, i)->style = (uint8_t)style;
}

void frame_header(struct canvas *canvas, const struct frame_input *input)
{
    int columns = canvas->columns;
    const bool is_bar = frame_mode_is_bar(input->facts);
    const enum style style = frame_mode_style(input->facts);
    struct str clock = {0};
    add_clock(input, columns >= NAME_COLUMNS, &clock);
    int right = frame_put_right(canvas, (struct spot){0, 0, columns}, style, str_text(&clock));

    int at = frame_put(canvas, (struct spot){0, 1, columns - 1}, style, "devs");
    if (columns >= NAME_COLUMNS) {
        at = frame_put(
            canvas,
            (struct spot){0, at + 2, NAME_WIDTH_MAX < columns / 3 ? NAME_WIDTH_MAX : columns / 3},
            style, input->name);
    }
    struct str run = {0};
    add_run_facts(input, canvas, &run);
    at = frame_put(canvas, (struct spot){0, at, right - at - 1}, style, str_text(&run));

    struct counts counts = count_tasks(canvas, input->facts);
    int gap = columns >= NAME_GAP_COLUMNS ? 5 : 3;
    struct spot room = {0, at + 2, right - gap - at - 2};
    counts.worded = words_that_fit(&counts, room.width);
    if (room.width > 0 && !input->facts->live) {
        int used = put_counts(NULL, room, &counts);
        room.column += room.width - used;
        (void)put_counts(canvas, room, &counts);
    }
    if (is_bar)
        frame_paint_row(canvas, 0, style);
    str_done(&clock);
    str_done(&run);
}

bool frame_has_banner(const struct frame_input *input)
{
    return input->facts->banner && input->facts->banner[0] != '\0';
}

void frame_banner(struct canvas *canvas, int row, const struct frame_input *input)
{
    enum style style = input->facts->banner_is_mild ? STYLE_MILD : STYLE_BANNER;
    (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, style,
                    input->facts->banner);
    frame_paint_row(canvas, row, style);
}

void frame_gate(struct canvas *canvas, int row, const struct frame_input *input)
{
    struct shown_look look = frame_look(input, canvas->ascii);
    struct rows rows = {0};
    look.is_brief = canvas->columns < NAME_COLUMNS;
    rows_gates(&rows, input->facts->state, &look);
    (void)frame_put(canvas, (struct spot){row, 1, canvas->columns - 1}, STYLE_BACKOFF,
                    rows_value(&rows, "gate"));
    rows_done(&rows);
}

void frame_small(struct canvas *canvas, const struct frame_input *input)
{
    int columns = canvas->columns;
    struct counts counts = count_tasks(canvas, input->facts);
    struct str clock = {0};
    int right = columns;
    bool has_clock = columns >= CLOCK_COLUMNS;
    if (has_clock) {
        add_clock(input, false, &clock);
        right = frame_put_right(canvas, (struct spot){0, 0, columns}, STYLE_HEAD, str_text(&clock));
    }
    int margin = has_clock ? 1 : 0;
    if (put_counts(canvas, (struct spot){0, margin, right - 2 * margin}, &counts) == 0) {
        /* No room for a number: draw the sign of the first count. */
        size_t i = 0;
        while (i + 1 < ARRAY_LEN(counted) && counts.of[counted[i]] == 0)
            i++;
        if (counts.of[counted[i]] > 0)
            (void)canvas_text(canvas, (struct spot){0, 0, 1}, frame_style(counted[i]),
                              shown_sign(counted[i], counts.ascii));
    }
    bool has_banner = frame_has_banner(input) && canvas->rows >= 2;
    if (has_banner)
        frame_banner(canvas, 1, input);
    int line = has_banner ? 2 : 1;
    bool has_room = canvas->rows > line + (has_banner ? 1 : 0);
    if (columns >= CLOCK_COLUMNS && has_room && input->view->chosen >= 0)
        frame_list_line(canvas, line, input);
    if (columns >= CLOCK_COLUMNS && canvas->rows >= 3)
        frame_message(canvas, canvas->rows - 1, input);
    if (frame_mode_is_bar(input->facts))
        frame_paint_row(canvas, 0, STYLE_REPLAY);
    str_done(&clock);
}

enum {
    READ_ONLY_COLUMNS = 60, /* narrower: a single word for the mode */
    LIVE_COLUMNS = 70,      /* narrower: without the counts of the live run */
};

static const char *const words[] = {
    [VIEW_LIVE] = "LIVE",     [VIEW_ENDED] = "ENDED", [VIEW_INTERRUPTED] = "INTERRUPTED",
    [VIEW_REPLAY] = "REPLAY", [VIEW_PAST] = "PAST",
};
static_assert(ARRAY_LEN(words) == VIEW_PAST + 1, "every mode has a word");

bool frame_mode_is_bar(const struct view_facts *facts)
{
    return facts->mode == VIEW_REPLAY || facts->mode == VIEW_PAST;
}

enum style frame_mode_style(const struct view_facts *facts)
{
    return frame_mode_is_bar(facts) ? STYLE_REPLAY : STYLE_HEAD;
}

void frame_add_mode(const struct frame_input *input, const struct canvas *canvas, struct str *out)
{
    const struct view_facts *facts = input->facts;
    str_add(out, words[facts->mode]);
    if (facts->mode == VIEW_REPLAY && canvas->columns >= READ_ONLY_COLUMNS)
        str_add(out, " (read only)");
    if (facts->mode != VIEW_PAST)
        return;
    /* The distance into the past: from now, or from the end of a run that has ended. */
    const bool goes_on = facts->live_mode == VIEW_LIVE;
    const struct moment *end = goes_on ? &facts->clock : &facts->live->heard;
    str_add(out, " -");
    shown_duration(end->mono_ms - facts->now.mono_ms, out);
    if (canvas->columns < LIVE_COLUMNS)
        return;
    if (!goes_on) {
        str_addf(out, "  (%s)",
                 facts->live_mode == VIEW_ENDED ? "the run has ended" : "the run is interrupted");
        return;
    }
    /* States of the live run whose counts may make the user want to return. */
    static const enum shown returning[] = {SHOWN_NEEDS_YOU, SHOWN_BACKOFF, SHOWN_QUIET,
                                           SHOWN_RUNNING, SHOWN_STOPPING};
    int of[SHOWN_COUNT] = {0};
    const char *between = ": ";
    for (int i = 0; i < facts->live->plan->task_count; i++)
        of[shown_task(facts->live, i, false)]++;
    str_add(out, "  (live continues");
    for (size_t i = 0; i < ARRAY_LEN(returning); i++) {
        if (of[returning[i]] == 0)
            continue;
        str_addf(out, "%s%s%d", between, shown_sign(returning[i], canvas->ascii), of[returning[i]]);
        between = " ";
    }
    str_add(out, ")");
}

const char *frame_present_word(const struct view_facts *facts)
{
    return facts->live_mode == VIEW_LIVE ? "live" : "end";
}

void frame_add_way_back(const struct frame_input *input, struct str *out)
{
    const struct key_place place = view_place(input->view, input->facts);
    const struct key_binding *key = keymap_of(input->view->keys, UI_END, place);
    char name[KEY_NAME_MAX];
    if (input->facts->mode == VIEW_PAST && key)
        str_addf(out, "   %s = %s", keymap_key_name(key->key, false, name),
                 frame_present_word(input->facts));
}
