/* quiet_thread.c - starts a thread with all signals blocked, except the signals of faults. */
#include "quiet_thread.h"

#include <signal.h>
#include <stddef.h>

#include "attr.h"

static const int fault_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};

int quiet_thread_start(pthread_t *out, void *(*run)(void *arg), void *arg)
{
    sigset_t blocked;
    sigset_t before;

    (void)sigfillset(&blocked);
    for (size_t i = 0; i < ARRAY_LEN(fault_signals); i++)
        (void)sigdelset(&blocked, fault_signals[i]);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const int failed = pthread_create(out, NULL, run, arg);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}
