/* sandbox_words.c - what a sandbox's program wrote of an attempt's end. */
#include <stdio.h>
#include <string.h>

#include "sandbox_parts.h"

void sandbox_last_line(const char *text, char *out, size_t size)
{
    size_t len = strlen(text);
    while (len > 0 && strchr("\r\n \t", text[len - 1]))
        len--;
    size_t from = len;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    (void)snprintf(out, size, "%.*s", (int)(len - from), text + from);
    for (char *c = out; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
}

bool sandbox_ended_itself(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_EXIT || outcome->kind == OUTCOME_SIGNAL;
}

void sandbox_was_not_started(struct sandbox_end *end, int start_code, const char *why)
{
    end->outcome.kind = OUTCOME_NOT_STARTED;
    end->outcome.code = start_code;
    (void)snprintf(end->start_why, sizeof(end->start_why), "%s", why);
}
