#include "text_list.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

size_t text_list_count(char *const *texts)
{
    size_t count = 0;
    while (texts && texts[count])
        count++;
    return count;
}

char **text_list_copy(char *const *texts)
{
    if (!texts)
        return NULL;
    const size_t count = text_list_count(texts);
    char **copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = xstrdup(texts[i]);
    return copy;
}

void text_list_free(char **texts)
{
    for (char **text = texts; text && *text; text++)
        free(*text);
    free(texts);
}

void text_list_write(struct str *out, const char *key, char *const *texts)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    for (size_t i = 0; texts && texts[i]; i++) {
        str_add(out, i > 0 ? "," : "");
        str_add_json(out, texts[i], strlen(texts[i]));
    }
    str_add_char(out, ']');
}
