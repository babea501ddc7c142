#include "stop_signal.h"

#include <signal.h>
#include <stddef.h>

#include "attr.h"

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
