/* fail.c - prints errors, text and progress, and notices signals.
 *
 * Text may come from untrusted sources, so control characters are removed before it is printed. */
#include "fail.h"

#include <assert.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "clock.h"
#include "contract.h"
#include "str.h"
#include "text.h"

/* Prints one line, whatever the text contains. */
static void put_line(const char *start, const char *text)
{
    struct str clean = {0};
    text_clean_line(&clean, text, strlen(text));
    (void)fprintf(stderr, "%s%s\n", start, str_text(&clean));
    str_done(&clean);
}

void say_hint(const char *text)
{
    put_line("hint: ", text);
}

/* Prints "devs: ..." and the hint, if any, below it. */
static void put_error(const char *message, const char *hint)
{
    put_line("devs: ", message);
    if (hint && *hint)
        say_hint(hint);
}

int fail(const struct err *err)
{
    assert(err->code != ERR_NONE);
    put_error(err->message, err->hint);
    switch (err->code) {
    case ERR_INVALID:
    case ERR_LIMIT:
        return EXIT_USAGE;
    case ERR_NOT_FOUND:
        return EXIT_NO_INPUT;
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

int fail_usage(const char *hint, const char *fmt, ...)
{
    char message[ERR_MESSAGE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    put_error(message, hint);
    return EXIT_USAGE;
}

int fail_violations(const char *what, const char *so, const struct violations *violations)
{
    struct str text = {0};
    size_t count = violations->count + violations->dropped;
    violations_display_brief(violations, &text);
    warn("%s: %zu error%s, %s", what, count, count == 1 ? "" : "s", so);
    say_error(str_text(&text));
    str_done(&text);
    return EXIT_USAGE;
}

void warn(const char *fmt, ...)
{
    char message[ERR_MESSAGE_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    put_error(message, NULL);
}

static void put_clean(const char *text, FILE *to)
{
    struct str clean = {0};
    text_clean(&clean, text, strlen(text));
    (void)fputs(str_text(&clean), to);
    str_done(&clean);
}

void say(const char *text)
{
    put_clean(text, stdout);
}

void say_error(const char *text)
{
    put_clean(text, stderr);
}

void sayf(const char *fmt, ...)
{
    char text[SAY_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    say(text);
}

void say_json(const char *text)
{
    struct str escaped = {0};
    if (isatty(STDOUT_FILENO))
        text_escape(&escaped, text, strlen(text));
    (void)fputs(isatty(STDOUT_FILENO) ? str_text(&escaped) : text, stdout);
    str_done(&escaped);
}

static volatile sig_atomic_t came;

static void note_signal(int number)
{
    if (came == 0)
        came = number;
}

void stop_signal_watch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        struct sigaction old;
        struct sigaction ours = {.sa_handler = note_signal};
        (void)sigemptyset(&ours.sa_mask); /* cannot fail */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &ours, NULL); /* the number is valid */
    }
}

int stop_signal(void)
{
    return came;
}

enum { TELL_AFTER_US = 1000 * 1000, TELL_EVERY_US = 100 * 1000, PERCENT = 100 };

struct progress progress_new(void)
{
    return (struct progress){.began_us = clock_mono_us()};
}

void progress_say(struct progress *progress, const char *what, int64_t done, int64_t all)
{
    const int64_t now_us = clock_mono_us();
    const bool is_due = now_us - progress->began_us >= TELL_AFTER_US &&
                        now_us - progress->shown_us >= TELL_EVERY_US;
    if (!is_due || all <= 0 || !isatty(STDERR_FILENO))
        return;
    progress->shown_us = now_us;
    (void)fprintf(stderr, "\r%s %3lld%% ", what, (long long)(done * PERCENT / all));
    (void)fflush(stderr);
}

bool progress_tell(struct progress *progress, const char *what, int64_t done, int64_t all,
                   struct err *err)
{
    if (stop_signal() != 0)
        return err_set(err, ERR_BUSY, "stopped by a signal: nothing was written");
    progress_say(progress, what, done, all);
    return true;
}

void progress_done(struct progress *progress)
{
    if (progress->shown_us > 0)
        (void)fputs("\r\x1b[K", stderr);
    *progress = (struct progress){0};
}
