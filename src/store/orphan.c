#include "orphan.h"

#include <string.h>

#include "clock.h"
#include "follower.h"
#include "log_read.h"
#include "log_write.h"
#include "scheduler.h"
#include "this_process.h"

enum { CONTROLS_AT_ONCE = 16, ROUNDS_MAX = 64 };

static const char needs_engine[] = "no devs runs it: devs run --continue goes on";
static const char goes_on_by_itself[] =
    "devs did not start this agent: what is typed in its session lets it go on";
static const char has_ended[] = "the run has ended";

struct orphan {
    struct follower *follower; /* owned */
    struct log_writer *writer; /* owned */
    struct turn turn;          /* owned */
};

static bool open_orphan(struct orphan *orphan, const struct place *place, int64_t run,
                        struct err *err)
{
    return follower_open(&orphan->follower, place, run, err) &&
           follower_read(orphan->follower, 0, NULL, NULL, NULL, err) &&
           log_writer_open(&orphan->writer, place, err) &&
           log_writer_resume(orphan->writer, run, follower_state(orphan->follower), err);
}

/* Now, on the clock of the boot that the run was in: after a reboot this one began anew. */
static struct moment now_for(const struct log_run_info *run, const struct moment *last)
{
    struct moment now = clock_now();
    struct this_process self;
    this_process_read(&self);
    bool same_boot = run->boot && strcmp(run->boot, self.boot) == 0;
    if (!same_boot)
        now.mono_ms = last->mono_ms + (now.at_ms > last->at_ms ? now.at_ms - last->at_ms : 0);
    return now;
}

/* The scheduler decides as ever, but starts nothing, and with nobody to send signals
 * a cancel can only be the mildest. What it wants done is left undone: there is no
 * engine. */
static void act(struct orphan *orphan, const struct control *control)
{
    struct run_state *state = follower_own_state(orphan->follower);
    struct scheduler scheduler = {
        .state = state, .orphaned = true, .is_session = follower_run(orphan->follower)->is_session};
    struct input input = {.kind = INPUT_CONTROL,
                          .now = now_for(follower_run(orphan->follower), &state->last),
                          .control = *control};
    input.control.mode = CANCEL_STOP;
    scheduler_step(&scheduler, &input, &orphan->turn);
}

static bool answer(struct orphan *orphan, const struct control *control, struct err *err)
{
    const struct run_state *state = follower_state(orphan->follower);
    bool starts = control->verb == CONTROL_RETRY || control->verb == CONTROL_SEND_ONE;
    if (state->ended && control->verb != CONTROL_CORRECT)
        return log_writer_refuse(orphan->writer, control->id, has_ended, err);
    const bool is_session = follower_run(orphan->follower)->is_session;
    if (starts || !state->started)
        return log_writer_refuse(orphan->writer, control->id,
                                 is_session ? goes_on_by_itself : needs_engine, err);

    turn_clear(&orphan->turn);
    act(orphan, control);
    struct log_batch batch = {.events = orphan->turn.events,
                              .event_count = orphan->turn.event_count};
    return log_writer_commit(orphan->writer, &batch, LOG_SYNC_FULL, err);
}

static bool answer_all(struct orphan *orphan, struct err *err)
{
    for (int i = 0; i < ROUNDS_MAX; i++) {
        struct control controls[CONTROLS_AT_ONCE];
        size_t count = 0;
        if (!log_writer_controls(orphan->writer, controls, CONTROLS_AT_ONCE, &count, err))
            return false;
        if (count == 0)
            return true;
        for (size_t at = 0; at < count; at++) {
            if (!answer(orphan, &controls[at], err))
                return false;
        }
    }
    return true; /* whoever asks so much is answered by the next who asks */
}

bool orphan_answer(const struct place *place, int64_t run, struct err *err)
{
    struct orphan orphan = {0};
    bool ok = open_orphan(&orphan, place, run, err) && answer_all(&orphan, err);
    log_writer_close(orphan.writer);
    follower_close(orphan.follower);
    turn_done(&orphan.turn);
    return ok;
}
