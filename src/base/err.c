/*
 * err.c - sets errors and hints; the first one wins.
 */
#include "err.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERRNO_TEXT_MAX = 128 };

static bool is_taken(const struct err *err)
{
    return !err || err->code != ERR_NONE;
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    assert(code > ERR_NONE && code < ERR_CODE_COUNT);
    if (is_taken(err))
        return false;

    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(err->message, sizeof(err->message), fmt, args);
    va_end(args);
    err->hint[0] = '\0';
    err->code = code;
    return false;
}

bool err_set_errno(struct err *err, int number, const char *fmt, ...)
{
    if (is_taken(err))
        return false;

    char what[ERR_MESSAGE_MAX - ERRNO_TEXT_MAX - sizeof(": ")];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);

    char why[ERRNO_TEXT_MAX];
    if (strerror_r(number, why, sizeof(why)) != 0)
        (void)snprintf(why, sizeof(why), "error %d", number);
    (void)err_set(err, ERR_IO, "%s: %s", what, why);
    return (number == ENOSPC || number == EDQUOT) && err_hint(err, "free some space on that disk");
}

bool err_hint(struct err *err, const char *fmt, ...)
{
    bool wanted = err && err->code != ERR_NONE && err->hint[0] == '\0';
    if (!wanted)
        return false;

    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(err->hint, sizeof(err->hint), fmt, args);
    va_end(args);
    return false;
}
