/*
 * follower.h - a run as this process sees it: reader, plan, fold and bell in one.
 *
 * Every screen, `--plain`, `--json`, `devs log` and `devs status` follow a run
 * through this. Belongs to one thread. Holds no read transaction between calls.
 */
#ifndef DEVS_FOLLOWER_H
#define DEVS_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "run_state.h"

struct follower;

/* Called for each event after it was folded in. False stops this call early. */
typedef bool follower_event_fn(void *ctx, const struct run_state *state, const struct event *event);

/* Follow run `number` (0 = the current one) from before its first event. ERR_NOT_FOUND: no log, or
 * no such run; ERR_DAMAGED: no log of ours, or its plan cannot be read. The caller ends *out with
 * follower_close(). */
ATTR_MUST_USE bool follower_open(struct follower **out, const struct place *place, int64_t number,
                                 struct err *err);
/* The same with a reader that is open, which belongs to the follower from now on, whatever comes of
 * it: to open a log anew costs about a millisecond. Ended and failing likewise. */
ATTR_MUST_USE bool follower_open_on(struct follower **out, struct log_reader *reader,
                                    int64_t number, struct err *err);

/* A plan that this process has, and the run in the log that it is of. All borrowed; NULL = none. */
struct known_plan {
    const struct plan *plan;
    const char *uid;
};
/* As follower_open(), for who tells each event as it passes and asks for nothing later: its state
 * keeps little (RUN_STATE_TELLS). The plan is `known`, borrowed until follower_close(), where the
 * run is that one; the row then has no plan_text. */
ATTR_MUST_USE bool follower_open_to_tell(struct follower **out, const struct place *place,
                                         int64_t number, const struct known_plan *known,
                                         struct err *err);
/* Free. NULL is allowed. */
void follower_close(struct follower *follower);

/* The run's row as it was read last. Its texts, but for the boot, stay until follower_close(). */
const struct log_run_info *follower_run(const struct follower *follower);
/* What is true of the run as of the last event that was read. Borrowed; changes with each
 * follower_read() and follower_seek(), gone with follower_close(). */
const struct run_state *follower_state(const struct follower *follower);
/* For look-ups in the same thread (outputs, answers). */
struct log_reader *follower_reader(struct follower *follower);

/* Listen for news from now on: before the first follower_read(), or what comes between the two is
 * heard of with the news after it. Only for who waits for them: to stop listening costs the kernel
 * some 10 ms, in follower_close() or at the process' end. */
void follower_watch(struct follower *follower);
/* Readable when there may be news; -1 where nobody listens or inotify cannot be had (then look
 * every WATCH_POLL_MS). */
int follower_fd(const struct follower *follower);
/* Forget that the bell was rung; true if it was. Call before follower_read(). */
bool follower_heard(struct follower *follower);

/* Read and fold at most `max` more events (0 = all there are now); `each` may be
 * NULL. *count_out (may be NULL) says how many. False as log_reader_events(), or ERR_DAMAGED for an
 * event that does not fit; what came before it is folded in, and stays. */
ATTR_MUST_USE bool follower_read(struct follower *follower, size_t max, follower_event_fn *each,
                                 void *ctx, size_t *count_out, struct err *err);

/* Keep states on the way, for going back (run_past.h). Where events were folded already it begins
 * anew, before the first. Nothing is kept where the plan grows. */
void follower_keep_past(struct follower *follower);

/* A second follower of the same run, for going about in what is over while the first one reads on:
 * where that is now, and with the past that it kept, which it keeps no longer. Rings at no news.
 * The caller closes it before the first one. O(tasks + attempts); where the plan grows it begins
 * before the first event. */
ATTR_MUST_USE bool follower_fork(struct follower **out, struct follower *from, struct err *err);

/* Fold from the start up to and with event `seq` (0 = before the first): replay. The past is kept
 * from the first call on. Going forward costs the events between, or less; going back a kept state
 * and at most so many events as lie between two of them. ERR_NOT_FOUND: the run has no such event
 * yet; else as follower_read(). */
ATTR_MUST_USE bool follower_seek(struct follower *follower, int64_t seq, struct err *err);

/* Nobody owns the run and no end is recorded: devs was killed. Looks at the owner
 * lock, so call it on news and at slow intervals, not for each frame. */
bool follower_is_orphaned(struct follower *follower);

enum { FOLLOWER_BUSY_MS = 2000 };
/* What is wrong with the log, as log_reader_trouble(), and whether one process has kept all
 * others from writing for FOLLOWER_BUSY_MS or longer. `now_ms`: steady clock. At news and at
 * slow intervals. */
void follower_trouble(struct follower *follower, int64_t now_ms, struct log_trouble *out);

#endif
