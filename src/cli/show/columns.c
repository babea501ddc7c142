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
    const int wanted = (int)strlen(id);
    *columns = wanted > *columns ? wanted : *columns;
}
