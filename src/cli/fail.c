#include "fail.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "exit_code.h"

static int code_of(enum err_code code)
{
    switch (code) {
    case ERR_INVALID:
    case ERR_LIMIT:
        return EXIT_USAGE;
    case ERR_NOT_FOUND:
        return EXIT_NO_LOG;
    case ERR_BUSY:
        return EXIT_BUSY;
    case ERR_DAMAGED:
        return EXIT_DAMAGED;
    case ERR_IO:
        return EXIT_NO_CREATE;
    case ERR_NONE:
    case ERR_CODE_COUNT:
        break;
    }
    return EXIT_GAVE_UP;
}

int fail(const struct err *err)
{
    assert(err->code != ERR_NONE);
    (void)fprintf(stderr, "devs: %s\n", err->message);
    if (err->hint[0] != '\0')
        (void)fprintf(stderr, "hint: %s\n", err->hint);
    return code_of(err->code);
}

int fail_usage(const char *hint, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)fputs("devs: ", stderr);
    (void)vfprintf(stderr, fmt, args);
    (void)fputc('\n', stderr);
    va_end(args);
    if (hint)
        (void)fprintf(stderr, "hint: %s\n", hint);
    return EXIT_USAGE;
}

void warn(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)fputs("devs: ", stderr);
    (void)vfprintf(stderr, fmt, args);
    (void)fputc('\n', stderr);
    va_end(args);
}
