/* loop_recover.c - a run taken up again: what is left of it ended, then the scheduler's recovery.
 */
#include <stdio.h>

#include "loop.h"
#include "sandbox.h"

static void add_names(struct str *out, const struct str *names)
{
    if (names->len > 0)
        str_addf(out, "%s%s", out->len > 0 ? ", " : "", names->data);
}

/* Containers outlive us, and even a boot; after one pids say nothing, for all else is gone. */
static void end_what_is_left(struct loop *loop, struct str *ended, struct str *left)
{
    struct str boxes_ended = {0};
    struct str boxes_left = {0};
    if (!loop->rebooted)
        recovery_sweep(&loop->recovery, &loop->state, loop->run_mark, ended, left);
    (void)sandbox_sweep(log_writer_uid(loop->recorder.writer), &boxes_ended, &boxes_left);
    add_names(ended, &boxes_ended);
    add_names(left, &boxes_left);
    str_done(&boxes_ended);
    str_done(&boxes_left);
}

/* Whoever added its tasks is gone, and nobody waits for what they give: it is brought to its end.
 */
static void end_growing(struct loop *loop)
{
    loop_note(loop, "whoever asked for its tasks is gone", "none of them is started again");
    loop->cancelled = true;
    loop_cancel(loop, loop->options->by, CANCEL_KILL);
}

void loop_recover(struct loop *loop)
{
    const enum take_up take_up = loop->options->take_up;
    struct str ended = {0};
    struct str left = {0};
    if (take_up == TAKE_UP_OPEN) /* what ended left nothing */
        end_what_is_left(loop, &ended, &left);

    struct input input = {.kind = INPUT_RECOVER,
                          .jobs = loop->options->jobs,
                          .rebooted = loop->rebooted,
                          .take_up = take_up};
    (void)snprintf(input.control.by, sizeof(input.control.by), "%s", loop->options->by);
    loop_queue(loop, input);
    if (ended.len > 0)
        loop_note(loop, "ended what was left of the run", ended.data);
    if (left.len > 0)
        loop_note(loop, "left of the run, and cannot be ended", left.data);
    str_done(&ended);
    str_done(&left);
    if (loop->options->plan->grows)
        end_growing(loop);
}
