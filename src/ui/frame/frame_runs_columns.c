#include "frame_runs_columns.h"

#include <stdbool.h>
#include <stddef.h>

#include "runs_list.h"

enum {
    AIRY_COLUMNS = 100, /* narrower: less air between the columns, for the name */
    WIDE_COLUMNS = 76,  /* narrower: fewer columns */
    MID_COLUMNS = 56,
    NARROW_COLUMNS = 36, /* narrower: only how long it lasted */
    NAME_COLUMNS_MIN = 6,
};

const struct runs_extra runs_extras[RUNS_EXTRAS] = {
    {TASK_NEEDS_YOU, SHOWN_NEEDS_YOU},
    {TASK_STUCK, SHOWN_STUCK},
    {TASK_BLOCKED, SHOWN_BLOCKED},
};

static struct runs_columns columns_by_width(int width)
{
    if (width >= WIDE_COLUMNS && width < AIRY_COLUMNS)
        return (struct runs_columns){.started = 9,
                                     .lasted = 30,
                                     .tasks = 37,
                                     .tries = 44,
                                     .passed = 48,
                                     .failed = 52,
                                     .cancelled = 56,
                                     .waited = 64,
                                     .name = 67};
    if (width >= AIRY_COLUMNS)
        return (struct runs_columns){.started = 9,
                                     .lasted = 33,
                                     .tasks = 42,
                                     .tries = 49,
                                     .passed = 53,
                                     .failed = 57,
                                     .cancelled = 61,
                                     .waited = 70,
                                     .name = 73};
    if (width >= MID_COLUMNS)
        return (struct runs_columns){.started = 8,
                                     .lasted = 28,
                                     .tasks = 34,
                                     .tries = 40,
                                     .passed = 44,
                                     .failed = 48,
                                     .cancelled = 52};
    if (width >= NARROW_COLUMNS)
        return (struct runs_columns){.started = 8, .lasted = 28, .passed = 32, .failed = 36};
    return (struct runs_columns){.lasted = width};
}

/* The columns behind the extra ones. */
static void move(struct runs_columns *at, int by)
{
    at->cancelled += at->cancelled > 0 ? by : 0;
    at->waited += at->waited > 0 ? by : 0;
    at->name += at->name > 0 ? by : 0;
}

/* What is left out for more states: the count of tries, then the name, then what was waited. */
static void fit(struct runs_columns *at, int width)
{
    const int tries = at->tries - at->tasks;
    if (at->name > 0 && at->name + NAME_COLUMNS_MIN > width && at->tries > 0) {
        at->passed -= tries;
        at->failed -= tries;
        for (size_t i = 0; i < RUNS_EXTRAS; i++)
            at->extra[i] -= at->extra[i] > 0 ? tries : 0;
        move(at, -tries);
        at->tries = 0;
    }
    if (at->name + NAME_COLUMNS_MIN > width)
        at->name = 0;
    if (at->waited > width)
        at->waited = 0;
}

static bool has_any(const struct frame_input *input, int rows, enum task_status status)
{
    const struct runs_list *list = input->facts->runs;
    const size_t top = input->view->runs.top;
    for (size_t i = top; i < top + (size_t)rows && i < list->shown_count; i++) {
        if (runs_row_count(&list->rows[list->shown[i]], status) > 0)
            return true;
    }
    return false;
}

struct runs_columns runs_columns_of(const struct canvas *canvas, const struct frame_input *input)
{
    enum { COUNT_COLUMNS = 4 };
    struct runs_columns at = columns_by_width(canvas->columns);
    int end = at.failed;
    for (size_t i = 0; i < RUNS_EXTRAS && at.cancelled > 0; i++) {
        if (!has_any(input, canvas->rows, runs_extras[i].status))
            continue;
        move(&at, COUNT_COLUMNS);
        end += COUNT_COLUMNS;
        at.extra[i] = end;
    }
    fit(&at, canvas->columns);
    return at;
}
