#include "timeline_axis.h"

#include <assert.h>
#include <stddef.h>

#include "attr.h"

enum {
    SECOND_MS = 1000,
    MINUTE_MS = 60 * SECOND_MS,
    HOUR_MS = 60 * MINUTE_MS,
    DAY_MS = 24 * HOUR_MS,
    PER_SECOND_MAX = 10, /* columns; finer than that nobody looks */
    PER_MINUTE_MAX = 59,
    ZOOM_MAX = 40,
};

/* Minutes that one column stands for. */
static const int minutes[] = {
    1,   2,   3,   4,    5,    6,    10,    12,    15,     20,     30,      60,       120,      180,
    240, 360, 720, 1440, 2880, 7200, 14400, 43200, 129600, 525600, 5256000, 52560000, 525600000};

enum { SCALES = PER_SECOND_MAX + PER_MINUTE_MAX + (int)ARRAY_LEN(minutes) };

/* The scales there are, the finest first: so many columns for a second, for a minute, and minutes
 * for a column. A label at a full minute or second is at the beginning of a column then. */
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

/* The number of a time's column, counted from 1970, as if nothing were folded. */
static int64_t number_of(const struct timeline_axis *axis, int64_t ms)
{
    return divide_down((ms + axis->wall_ms) * axis->scale.columns, axis->scale.ms);
}

/* Columns that folds before this column save; all of a fold's time lies in its columns. */
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

/* What is too short to save anything is not folded. */
static void fold_idle(struct timeline_axis *axis, const struct axis_window *window)
{
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
}

/* How many columns there are from the beginning to the end of what is to be shown. */
static int64_t columns_of(struct timeline_axis *axis, const struct axis_window *window,
                          struct axis_scale scale)
{
    axis->scale = scale;
    axis->first = number_of(axis, window->whole.from_ms);
    fold_idle(axis, window);
    const int64_t last = number_of(axis, window->whole.until_ms);
    return last + 1 - axis->first - saved_before(axis, last + 1);
}

/* Is a scale at least so many times as fine as another one? */
static bool is_finer(struct axis_scale scale, struct axis_scale than, double times)
{
    const double rate = (double)scale.columns / (double)scale.ms;
    return rate >= times * (double)than.columns / (double)than.ms;
}

/* Where the window begins when it is zoomed: the centre in the middle, nothing before the
 * beginning or behind the end. */
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

/* Folds that lie before the window, in part or whole, are none of it. */
static void drop_folds_before(struct timeline_axis *axis)
{
    int dropped = 0;
    while (dropped < axis->fold_count && axis->folds[dropped].from < axis->first)
        dropped++;
    for (int i = dropped; i < axis->fold_count; i++)
        axis->folds[i - dropped] = axis->folds[i];
    axis->fold_count -= dropped;
}

void axis_make(struct timeline_axis *axis, const struct axis_window *window, int columns)
{
    assert(columns > 0);
    axis->columns = columns;
    axis->wall_ms = window->now.at_ms - window->now.mono_ms;
    int index = 0;
    while (index < SCALES - 1 && columns_of(axis, window, scale_at(index)) > columns)
        index++;
    const struct axis_scale whole = scale_at(index);
    const int zoom = window->zoom < ZOOM_MAX ? window->zoom : ZOOM_MAX;
    const double times = (double)((int64_t)1 << (zoom > 0 ? zoom : 0));
    while (index > 0 && !is_finer(scale_at(index), whole, times))
        index--;
    const int64_t all = columns_of(axis, window, scale_at(index));
    axis->first = begin_at(axis, window, all);
    drop_folds_before(axis);
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
