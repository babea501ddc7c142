#include "report_rows.h"

#include <assert.h>
#include <stdlib.h>

#include "xalloc.h"

bool report_rows_add(struct report_rows *rows, const char *text, size_t len, enum report_mark mark)
{
    if (rows->count == REPORT_ROWS_MAX)
        return false;
    rows->items = xgrow(rows->items, &rows->cap, rows->count + 1, sizeof(*rows->items));
    rows->items[rows->count++] =
        (struct report_row){.start = rows->text.len, .len = len, .mark = mark};
    str_add_n(&rows->text, text, len);
    str_add_char(&rows->text, '\n');
    return true;
}

void report_rows_drop(struct report_rows *rows)
{
    assert(rows->count > 0);
    str_cut(&rows->text, rows->items[--rows->count].start);
}

void report_rows_clear(struct report_rows *rows)
{
    str_clear(&rows->text);
    rows->count = 0;
}

void report_rows_done(struct report_rows *rows)
{
    str_done(&rows->text);
    free(rows->items);
    *rows = (struct report_rows){0};
}
