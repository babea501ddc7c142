#include "progress.h"

#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "attr.h"
#include "clock.h"

static volatile sig_atomic_t came;

static void note(int number)
{
    if (came == 0)
        came = number;
}

void stop_signal_watch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        struct sigaction old;
        struct sigaction ours = {.sa_handler = note};
        (void)sigemptyset(&ours.sa_mask); /* cannot fail */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            (void)sigaction(numbers[i], &ours, NULL); /* the number is one */
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
    const bool is_due =
        now_us - progress->began_us >= TELL_AFTER_US && now_us - progress->told_us >= TELL_EVERY_US;
    if (!is_due || all <= 0 || !isatty(STDERR_FILENO))
        return;
    progress->told_us = now_us;
    (void)fprintf(stderr, "\r%s %3lld %% ", what, (long long)(done * PERCENT / all));
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
    if (progress->told_us > 0)
        (void)fputs("\r\x1b[K", stderr);
    *progress = (struct progress){0};
}
