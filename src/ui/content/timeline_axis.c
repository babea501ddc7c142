/* timeline_axis.c - maps times to columns, and draws the bars of tasks and the load on them.
 *
 * With the available scales, full minutes and seconds are at the start of a column, so labels are
 * exact. A fold has a fixed number of columns. If several spans share a column, the one with the
 * highest rank is drawn, but the last end of a task always keeps its column. */
#include "timeline_axis.h"

#include <assert.h>
#include <ctype.h>
#include <stddef.h>

#include "attr.h"
#include "outcome.h"
#include "run_state.h"
#include "shown.h"

enum {
    SECOND_MS = 1000,
    MINUTE_MS = 60 * SECOND_MS,
    HOUR_MS = 60 * MINUTE_MS,
    DAY_MS = 24 * HOUR_MS,
    PER_SECOND_MAX = 10, /* finest scale, in columns per second; a finer one would not be useful */
    PER_MINUTE_MAX = 59,
    ZOOM_MAX = 40,
};

/* Minutes per column. */
static const int minutes[] = {
    1,   2,   3,   4,    5,    6,    10,    12,    15,     20,     30,      60,       120,      180,
    240, 360, 720, 1440, 2880, 7200, 14400, 43200, 129600, 525600, 5256000, 52560000, 525600000};

enum { SCALES = PER_SECOND_MAX + PER_MINUTE_MAX + (int)ARRAY_LEN(minutes) };

/* Returns one of the available scales, finest first: columns per second, columns per minute,
 * minutes per column. With these scales, a label at a full minute or second is at the start of a
 * column. */
static struct axis_scale scale_at(int index)
{
    if (index < PER_SECOND_MAX)
        return (struct axis_scale){PER_SECOND_MAX - index, SECOND_MS};
    index -= PER_SECOND_MAX;
    if (index < PER_MINUTE_MAX)
        return (struct axis_scale){PER_MINUTE_MAX - index, MINUTE_MS};
    return (struct axis_scale){1, (int64_t)minutes[index - PER_MINUTE_MAX] * MINUTE_MS};
}

static int64_t divide_down(int64_t value, int64_t by)
{
    int64_t result = value / by;
    return value % by < 0 ? result - 1 : result;
}

/* Returns the number of the column with this time, counted from 1970 and without folds. */
static int64_t number_of(const struct timeline_axis *axis, int64_t ms)
{
    return divide_down((ms + axis->wall_ms) * axis->scale.columns, axis->scale.ms);
}

/* Returns how many columns are saved by folds before this column. A fold contains whole columns
 * only. */
static int64_t saved_before(const struct timeline_axis *axis, int64_t number)
{
    int64_t saved = 0;
    for (int i = 0; i < axis->fold_count && axis->folds[i].from < number; i++) {
        const struct axis_fold *fold = &axis->folds[i];
        const bool is_inside = number < fold->until;
        const int64_t gone = (is_inside ? number : fold->until) - fold->from;
        const int64_t most = is_inside ? AXIS_FOLD_COLUMNS - 1 : AXIS_FOLD_COLUMNS;
        saved += gone > most ? gone - most : 0;
    }
    return saved;
}

/* Returns the number of columns from start to end of the window. Folds idle time, except stretches
 * too short to save any columns. */
static int64_t window_columns(struct timeline_axis *axis, const struct axis_window *window,
                              struct axis_scale scale)
{
    axis->scale = scale;
    axis->first = number_of(axis, window->whole.from_ms);
    axis->fold_count = 0;
    for (int i = 0; i < window->idle_count && axis->fold_count < AXIS_FOLDS_MAX; i++) {
        const struct stretch *idle = &window->idle[i];
        struct axis_fold *fold = &axis->folds[axis->fold_count];
        fold->from = number_of(axis, idle->from_ms - 1) + 1;
        fold->until = number_of(axis, idle->until_ms);
        fold->ms = idle->until_ms - idle->from_ms;
        if (fold->ms >= AXIS_FOLD_MIN_MS && fold->until - fold->from > AXIS_FOLD_COLUMNS)
            axis->fold_count++;
    }
    const int64_t last = number_of(axis, window->whole.until_ms);
    return last + 1 - axis->first - saved_before(axis, last + 1);
}

/* Returns the number of the first column of a zoomed window: the window is centered, but never
 * starts before the beginning or extends past the end. */
static int64_t begin_at(const struct timeline_axis *axis, const struct axis_window *window,
                        int64_t all)
{
    const int64_t centre = number_of(axis, window->centre_ms);
    int64_t at = centre - axis->first - saved_before(axis, centre) - axis->columns / 2;
    if (at > all - axis->columns)
        at = all - axis->columns;
    if (at <= 0)
        return axis->first;
    int64_t number = axis->first + at;
    for (int i = 0; i < axis->fold_count && axis->folds[i].from < number; i++) {
        const int64_t cut = axis->folds[i].until - axis->folds[i].from - AXIS_FOLD_COLUMNS;
        const bool is_inside = number < axis->folds[i].from + AXIS_FOLD_COLUMNS;
        number = is_inside ? axis->folds[i].from : number + cut;
    }
    return number;
}

void axis_make(struct timeline_axis *axis, const struct axis_window *window, int columns)
{
    assert(columns > 0);
    axis->columns = columns;
    axis->wall_ms = window->now.at_ms - window->now.mono_ms;
    int index = 0;
    while (index < SCALES - 1 && window_columns(axis, window, scale_at(index)) > columns)
        index++;
    const struct axis_scale whole = scale_at(index);
    const int zoom = window->zoom < ZOOM_MAX ? window->zoom : ZOOM_MAX;
    const double times = (double)((int64_t)1 << (zoom > 0 ? zoom : 0));
    while (index >
           0) { /* until the scale is `times` times as fine as that of the whole run, or finer */
        const struct axis_scale scale = scale_at(index);
        const double rate = (double)scale.columns / (double)scale.ms;
        if (rate >= times * (double)whole.columns / (double)whole.ms)
            break;
        index--;
    }
    const int64_t all = window_columns(axis, window, scale_at(index));
    axis->first = begin_at(axis, window, all);
    int dropped = 0; /* folds that begin before the window */
    while (dropped < axis->fold_count && axis->folds[dropped].from < axis->first)
        dropped++;
    for (int i = dropped; i < axis->fold_count; i++)
        axis->folds[i - dropped] = axis->folds[i];
    axis->fold_count -= dropped;
}

bool axis_can_zoom(const struct timeline_axis *axis)
{
    return axis->scale.ms != SECOND_MS || axis->scale.columns < PER_SECOND_MAX;
}

bool axis_equals(const struct timeline_axis *a, const struct timeline_axis *b)
{
    if (a->scale.columns != b->scale.columns || a->scale.ms != b->scale.ms ||
        a->first != b->first || a->columns != b->columns || a->fold_count != b->fold_count)
        return false;
    for (int i = 0; i < a->fold_count; i++) {
        if (a->folds[i].from != b->folds[i].from || a->folds[i].until != b->folds[i].until)
            return false;
    }
    return true;
}

int axis_column(const struct timeline_axis *axis, int64_t ms)
{
    const int64_t number = number_of(axis, ms);
    const int64_t column = number - axis->first - saved_before(axis, number);
    if (column < 0)
        return -1;
    return column < axis->columns ? (int)column : axis->columns;
}

int axis_fold_at(const struct timeline_axis *axis, int column, int *first_out)
{
    int64_t saved = 0;
    for (int i = 0; i < axis->fold_count; i++) {
        const struct axis_fold *fold = &axis->folds[i];
        const int64_t first = fold->from - axis->first - saved;
        if (column >= first && column < first + AXIS_FOLD_COLUMNS) {
            *first_out = (int)first;
            return i;
        }
        saved += fold->until - fold->from - AXIS_FOLD_COLUMNS;
    }
    return -1;
}

int64_t axis_time(const struct timeline_axis *axis, int column)
{
    int first;
    int64_t number = axis->first + column;
    const int in_fold = axis_fold_at(axis, column, &first);
    if (in_fold >= 0) {
        number = axis->folds[in_fold].from;
    } else {
        for (int i = 0; i < axis->fold_count && axis->folds[i].from < number; i++)
            number += axis->folds[i].until - axis->folds[i].from - AXIS_FOLD_COLUMNS;
    }
    return -divide_down(-number * axis->scale.ms, axis->scale.columns) - axis->wall_ms;
}

void axis_column_words(const struct timeline_axis *axis, struct str *out)
{
    enum { TENTH_MS = SECOND_MS / 10 };
    const int64_t ms = axis->scale.ms / axis->scale.columns;
    if (ms >= HOUR_MS)
        str_addf(out, "%lld h", (long long)(ms / HOUR_MS));
    else if (ms >= MINUTE_MS)
        str_addf(out, "%lld m", (long long)(ms / MINUTE_MS));
    else if (ms % SECOND_MS < TENTH_MS)
        str_addf(out, "%lld s", (long long)(ms / SECOND_MS));
    else
        str_addf(out, "%lld.%lld s", (long long)(ms / SECOND_MS),
                 (long long)(ms % SECOND_MS / TENTH_MS));
}

void axis_fold_words(int64_t ms, struct str *out)
{
    if (ms >= 2 * DAY_MS)
        str_addf(out, "%lldd", (long long)(ms / DAY_MS));
    else if (ms >= 2 * HOUR_MS)
        str_addf(out, "%lldh", (long long)(ms / HOUR_MS));
    else
        str_addf(out, "%lldm", (long long)(ms / MINUTE_MS));
}

int64_t axis_tick_ms(const struct timeline_axis *axis, int columns)
{
    static const int seconds[] = {1,      2,      5,       10,      15,       30,
                                  60,     120,    300,     600,     900,      1800,
                                  3600,   7200,   10800,   21600,   43200,    86400,
                                  172800, 604800, 1209600, 2592000, 31536000, 315360000};
    int64_t ms = 0;
    for (size_t i = 0; i < ARRAY_LEN(seconds); i++) {
        ms = (int64_t)seconds[i] * SECOND_MS;
        if (ms * axis->scale.columns >= columns * axis->scale.ms)
            break;
    }
    return ms;
}

/* The priority of spans that share a column. */
enum {
    RANK_NONE,
    RANK_RUNNING,
    RANK_QUIET,
    RANK_WAIT,
    RANK_SHORT, /* a try that would have no column otherwise */
    RANK_END,   /* rank of an end: RANK_END plus its enum span_end */
};

static const char *const letters[PHASE_COUNT][2] = {
    [PHASE_RED] = {"R", "r"},
    [PHASE_GREEN] = {"G", "g"},
    [PHASE_VERIFY] = {"V", "v"},
    [PHASE_REFACTOR] = {"F", "f"},
};
static const enum style phase_styles[PHASE_COUNT] = {
    [PHASE_RED] = STYLE_PHASE_RED,
    [PHASE_GREEN] = STYLE_PHASE_GREEN,
    [PHASE_VERIFY] = STYLE_PHASE_VERIFY,
    [PHASE_REFACTOR] = STYLE_PHASE_REFACTOR,
};

static const struct {
    const char *sign;
    enum style style;
} ends[] = {
    [SPAN_END_NONE] = {" ", STYLE_PLAIN},      [SPAN_END_PASSED] = {"✓", STYLE_PASSED},
    [SPAN_END_CANCELLED] = {"⊘", STYLE_PLAIN}, [SPAN_END_LOST] = {"?", STYLE_LOST},
    [SPAN_END_FAILED] = {"✗", STYLE_FAILED},   [SPAN_END_STUCK] = {"∞", STYLE_FAILED},
    [SPAN_END_GAVE_UP] = {"■", STYLE_FAILED},
};
static_assert(ARRAY_LEN(ends) == SPAN_END_COUNT, "every end has a sign");

/* Returns the cell of a single span. */
static struct bar_cell cell_of(const struct span *span, const struct plan_task *plan)
{
    const enum phase phase = plan->steps[span->step].phase;
    switch (span->kind) {
    case SPAN_RUNNING:
        return (struct bar_cell){phase_styles[phase], letters[phase][0], 0, RANK_RUNNING};
    case SPAN_QUIET:
        return (struct bar_cell){phase_styles[phase], letters[phase][1], 0, RANK_QUIET};
    case SPAN_BACKOFF:
    case SPAN_GATE:
        return (struct bar_cell){STYLE_BACKOFF, "┄", 0, RANK_WAIT};
    case SPAN_HELD:
        return (struct bar_cell){STYLE_HELD, shown_sign(SHOWN_HELD, false), 0, RANK_WAIT};
    case SPAN_NEEDS_YOU:
        return (struct bar_cell){STYLE_NEEDS_YOU, shown_sign(SHOWN_NEEDS_YOU, false), 0, RANK_WAIT};
    case SPAN_QUEUED:
    case SPAN_OVER:
    case SPAN_KIND_COUNT:
        break;
    }
    return (struct bar_cell){STYLE_PLAIN, " ", 0, RANK_NONE};
}

static void put_cell(struct bar_cell *cell, struct bar_cell wanted, int span)
{
    if (wanted.rank < cell->rank || (wanted.rank == RANK_NONE && cell->span >= 0))
        return;
    *cell = wanted;
    cell->span = span;
}

/* Gets the visible columns that the span covers; each span covers at least one. Returns false if
 * none is visible. */
static bool span_columns(const struct span *span, const struct timeline_axis *axis, int *first_out,
                         int *last_out)
{
    const int64_t last_ms = span->until_ms > span->from_ms ? span->until_ms - 1 : span->from_ms;
    const int first = axis_column(axis, span->from_ms);
    const int last = axis_column(axis, last_ms);
    *first_out = first > 0 ? first : 0;
    *last_out = last < axis->columns ? last : axis->columns - 1;
    return last >= 0 && first < axis->columns;
}

/* Returns true if the span is visible in any column. */
static bool has_cell(const struct bar_cell *cells, int first, int last, int span)
{
    for (int i = first; i <= last; i++) {
        if (cells[i].span == span)
            return true;
    }
    return false;
}

/* Draws the last end in its column in any case, because the row would contradict the task's state
 * otherwise. The cell that was there moves one column to the left, unless that column has another
 * end. */
static void put_last_end(const struct timeline *timeline, const struct timeline_axis *axis,
                         struct bar_cell *cells)
{
    int first, column;
    int last = (int)timeline->count - 1;
    while (last >= 0 && timeline->spans[last].end == SPAN_END_NONE)
        last--;
    if (last < 0 || !span_columns(&timeline->spans[last], axis, &first, &column) ||
        cells[column].rank < RANK_END || cells[column].span == last)
        return;
    const enum span_end end = timeline->spans[last].end;
    if (column > 0 && cells[column - 1].rank < RANK_END)
        cells[column - 1] = cells[column];
    cells[column] = (struct bar_cell){ends[end].style, ends[end].sign, last, RANK_END + (int)end};
}

void bar_make(const struct timeline *timeline, const struct plan_task *plan,
              const struct timeline_axis *axis, struct bar_cell *cells)
{
    const struct span *spans = timeline->spans;
    int first, last;
    for (int i = 0; i < axis->columns; i++)
        cells[i] = (struct bar_cell){STYLE_PLAIN, " ", -1, RANK_NONE};
    for (size_t i = 0; i < timeline->count; i++) {
        if (!span_columns(&spans[i], axis, &first, &last))
            continue;
        const struct bar_cell cell = cell_of(&spans[i], plan);
        for (int column = first; column <= last; column++)
            put_cell(&cells[column], cell, (int)i);
    }
    /* A try that is too short to have a column gets one. */
    for (size_t i = 0; i < timeline->count; i++) {
        const bool runs = spans[i].kind == SPAN_RUNNING || spans[i].kind == SPAN_QUIET;
        if (!runs || !span_columns(&spans[i], axis, &first, &last) ||
            has_cell(cells, first, last, (int)i))
            continue;
        struct bar_cell cell = cell_of(&spans[i], plan);
        cell.rank = RANK_SHORT;
        put_cell(&cells[first], cell, (int)i);
    }
    for (size_t i = 0; i < timeline->count; i++) {
        const enum span_end end = spans[i].end;
        const bool is_seen = span_columns(&spans[i], axis, &first, &last) &&
                             axis_column(axis, spans[i].until_ms - 1) < axis->columns;
        if (end == SPAN_END_NONE || !is_seen)
            continue;
        const struct bar_cell cell = {ends[end].style, ends[end].sign, 0, RANK_END + (int)end};
        put_cell(&cells[last], cell, (int)i);
    }
    put_last_end(timeline, axis, cells);
}

int bar_span_at(const struct timeline *timeline, const struct plan_task *plan,
                const struct timeline_axis *axis, bool is_placed, int64_t cursor_ms)
{
    struct bar_cell cells[CANVAS_COLUMNS_MAX] = {0};
    const int column = axis_column(axis, cursor_ms);
    if (!is_placed) { /* the present */
        int last = (int)timeline->count - 1;
        while (last >= 0 && timeline->spans[last].is_planned)
            last--;
        return last;
    }
    for (size_t i = 0; i < timeline->count; i++) {
        if (timeline->spans[i].end != SPAN_END_NONE && timeline->spans[i].until_ms - 1 == cursor_ms)
            return (int)i;
    }
    if (column < 0 || column >= axis->columns)
        return -1;
    bar_make(timeline, plan, axis, cells);
    return cells[column].span;
}

static bool is_taken(const struct timeline_load *load, char letter)
{
    for (int i = 0; i < load->class_count; i++) {
        if (load->classes[i].letter == letter)
            return true;
    }
    return false;
}

/* Counts a failure. Returns the letter of its class; a new class gets the first unused letter of
 * its name, as a capital if possible. */
static char count_failure(struct timeline_load *load, const struct failure_class *class)
{
    for (int i = 0; i < load->class_count; i++) {
        if (!failure_class_equals(&load->classes[i].class, class))
            continue;
        load->classes[i].count++;
        return load->classes[i].letter;
    }
    if (load->class_count == TIMELINE_LOAD_CLASSES_MAX)
        return TIMELINE_LOAD_SEVERAL;
    struct str word = {0};
    char letter = TIMELINE_LOAD_SEVERAL;
    failure_class_word(class, &word);
    for (size_t i = 0; i < word.len && letter == TIMELINE_LOAD_SEVERAL; i++) {
        const unsigned char c = (unsigned char)word.data[i];
        if (isalpha(c) && !is_taken(load, (char)toupper(c)))
            letter = (char)toupper(c);
        else if (isalpha(c) && !is_taken(load, (char)tolower(c)))
            letter = (char)tolower(c);
    }
    str_done(&word);
    load->classes[load->class_count++] = (struct timeline_load_class){*class, letter, 1};
    return letter;
}

void timeline_load_read(struct timeline_load *load, const struct run_state *state,
                        const struct timeline_axis *axis, const struct moment *now, bool orphaned)
{
    struct timeline timeline = {0};
    *load = (struct timeline_load){0};
    for (int task = 0; task < state->plan->task_count; task++) {
        timeline_read(&timeline, state, task, now, orphaned);
        for (size_t n = 0; n < timeline.count; n++) {
            const struct span *span = &timeline.spans[n];
            const bool runs = span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
            const int64_t last_ms =
                span->until_ms > span->from_ms ? span->until_ms - 1 : span->from_ms;
            const int first = axis_column(axis, span->from_ms);
            const int last = axis_column(axis, last_ms);
            /* Count the tries that are running at the end of each column, so that a try is not
             * counted in the column where it ends. */
            for (int i = first > 0 ? first : 0; runs && i < axis->columns && i <= last; i++)
                load->running[i] += i < last || span->until_ms >= now->mono_ms;
            if (span->end < SPAN_END_FAILED || last < 0 || last >= axis->columns)
                continue;
            const struct attempt_state *attempt = span_attempt(span, state, task);
            if (!attempt)
                continue;
            const struct failure_class class = failure_class_of(attempt);
            const char letter = count_failure(load, &class);
            const bool is_alone = load->failed[last] == 0 || load->failed[last] == letter;
            load->failed[last] = is_alone ? letter : TIMELINE_LOAD_SEVERAL;
        }
    }
    timeline_done(&timeline);
}
