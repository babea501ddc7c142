#include "scheduler_answer.h"

#include <stdarg.h>
#include <stdio.h>

ATTR_PRINTF(3, 0)
static void set_answer(struct answer *answer, bool done, const char *fmt, va_list args)
{
    answer->done = done;
    (void)vsnprintf(answer->words, sizeof(answer->words), fmt, args);
}

void answer_refuse(struct answer *answer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_answer(answer, false, fmt, args);
    va_end(args);
}

void answer_accept(struct answer *answer, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    set_answer(answer, true, fmt, args);
    va_end(args);
}
