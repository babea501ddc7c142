#include "columns.h"

#include <string.h>

#include "text.h"

void columns_add(struct str *out, const char *text, int columns)
{
    int width = text_width(text, strlen(text));
    str_add(out, text);
    for (int i = width < columns ? width : columns - 1; i < columns; i++)
        str_add_char(out, ' ');
}

/* An id is ASCII: a byte is a column. */
void columns_widen(int *columns, const char *id)
{
    const size_t len = strlen(id);
    const int wanted = len < COLUMNS_ID_MAX ? (int)len : COLUMNS_ID_MAX;
    *columns = wanted > *columns ? wanted : *columns;
}
