/* redact_marks.c - marks of secrets in a plan's text, and values put back for them. */
#include <string.h>

#include "redact.h"
#include "redact_alphabet.h"

static const char mark_start[] = "[cut:";

/* The next mark at or after `text`: where it begins, and its name. NULL: none. */
static const char *next_mark(const char *text, char name[REDACT_NAME_MAX + 1])
{
    const size_t start = sizeof(mark_start) - 1;
    const char *at = strstr(text, mark_start);
    for (; at; at = strstr(at + 1, mark_start)) {
        const size_t len =
            redact_run(REDACT_DOTTED, at + start, strlen(at + start), REDACT_NAME_MAX);
        if (len == 0 || at[start + len] != ']')
            continue;
        memcpy(name, at + start, len);
        name[len] = '\0';
        return at;
    }
    return NULL;
}

bool redact_find_mark(const char *text, char name[REDACT_NAME_MAX + 1])
{
    return next_mark(text, name) != NULL;
}

static const char *value_of(char *const *environment, const char *name)
{
    const size_t len = strlen(name);
    for (size_t i = 0; environment && environment[i]; i++) {
        if (strncmp(environment[i], name, len) == 0 && environment[i][len] == '=')
            return environment[i] + len + 1;
    }
    return NULL;
}

bool redact_restore(const char *text, char *const *environment, struct str *out)
{
    char name[REDACT_NAME_MAX + 1];
    bool all = true;
    const char *mark = next_mark(text, name);
    for (; mark; mark = next_mark(text, name)) {
        const char *value = value_of(environment, name);
        const size_t len = sizeof(mark_start) + strlen(name); /* its bracket is the NUL's byte */
        all = all && value;
        str_add_n(out, text, (size_t)(mark - text));
        if (value)
            str_add(out, value);
        else
            str_add_n(out, mark, len);
        text = mark + len;
    }
    str_add(out, text);
    return all;
}
