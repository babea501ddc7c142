#include <stdio.h>

#include "loop.h"

/* After a reboot pids say nothing: all of it is gone. */
static void end_processes(struct loop *loop, struct str *ended, struct str *left)
{
    if (!loop->rebooted)
        recovery_sweep(&loop->recovery, &loop->state, loop->run_mark, ended, left);
}

void loop_recover(struct loop *loop)
{
    struct str ended = {0};
    struct str left = {0};
    end_processes(loop, &ended, &left);

    struct input input = {
        .kind = INPUT_RECOVER, .jobs = loop->options->jobs, .rebooted = loop->rebooted};
    (void)snprintf(input.control.by, sizeof(input.control.by), "%s", loop->options->by);
    loop_queue(loop, input);
    if (ended.len > 0)
        loop_note(loop, "ended what was left of the run", ended.data);
    if (left.len > 0)
        loop_note(loop, "left of the run, and cannot be ended", left.data);
    str_done(&ended);
    str_done(&left);
}
