#define _GNU_SOURCE /* clone */

#include "spawn.h"

#include <assert.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

#include "spawn_child.h"

enum { STACK_BYTES = 32 * 1024 };

int spawn_process(const struct spawn_call *call, pid_t *pid_out)
{
    assert(call->cwd[0] == '/');
    for (int i = 0; i < 3; i++)
        assert(call->fds[i] > 2);
    spawn_child_prepare();

    struct spawn_child child = {.call = call};
    sigset_t all;
    sigset_t before;
    _Alignas(max_align_t) char stack[STACK_BYTES]; /* a part of our own, which waits */
    /* A handler of ours must not run in the child: it has our memory. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid =
        CLONE(spawn_child_run, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, &child);
    int number = pid < 0 ? errno : child.number;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (number != 0) {
        while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
        return number;
    }
    *pid_out = pid;
    return 0;
}
