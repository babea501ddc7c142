#include "arg_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

void arg_list_add(struct arg_list *list, const char *text)
{
    list->items = xgrow(list->items, &list->cap, list->count + 2, sizeof(*list->items));
    list->items[list->count++] = xstrdup(text);
    list->items[list->count] = NULL;
}

void arg_list_addf(struct arg_list *list, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int len = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *text = xcalloc((size_t)(len > 0 ? len : 0) + 1, 1);
    va_start(args, fmt);
    (void)vsnprintf(text, (size_t)(len > 0 ? len : 0) + 1, fmt, args);
    va_end(args);
    arg_list_add(list, text);
    free(text);
}

void arg_list_add_all(struct arg_list *list, char *const *texts)
{
    for (size_t i = 0; texts && texts[i]; i++)
        arg_list_add(list, texts[i]);
}

bool arg_list_has(const struct arg_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], text) == 0)
            return true;
    }
    return false;
}

void arg_list_done(struct arg_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct arg_list){0};
}
