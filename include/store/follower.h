/* follower.h - follows a run: combines log reader, plan, run state and change notification.
 *
 * Every screen, `--plain`, `--json`, `devs log` and `devs status` use it to follow a run. Belongs
 * to one thread. Holds no read transaction between calls. */
#ifndef DEVS_FOLLOWER_H
#define DEVS_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "run_state.h"

struct follower;

/* Called for each event after it was applied to the state. Return false to make the current read
 * stop early. */
typedef bool follower_event_fn(void *ctx, const struct run_state *state, const struct event *event);

/* Opens run `number` (0 = the current one), positioned before its first event. Fails with
 * ERR_NOT_FOUND if there is no log or no such run, ERR_DAMAGED if the file is not a devs log or the
 * plan cannot be read. The caller closes *out with follower_close(). */
ATTR_MUST_USE bool follower_open(struct follower **out, const struct place *place, int64_t number,
                                 struct err *err);
/* Like follower_open(), with an open reader, because reopening a log costs about 1 ms. Takes
 * ownership of the reader, even on failure. */
ATTR_MUST_USE bool follower_open_on(struct follower **out, struct log_reader *reader,
                                    int64_t number, struct err *err);

/* A plan that this process has in memory, and the uid of its run. Everything is borrowed; NULL =
 * none. */
struct known_plan {
    const struct plan *plan;
    const char *uid;
};
/* Like follower_open(), for streaming callers that print events and never look back: keeps minimal
 * state (RUN_STATE_TELLS). If the run is that of `known`, uses its plan, borrowed until
 * follower_close(); plan_text of the run's row is then NULL. */
ATTR_MUST_USE bool follower_open_to_tell(struct follower **out, const struct place *place,
                                         int64_t number, const struct known_plan *known,
                                         struct err *err);
/* Frees the follower, which may be NULL. */
void follower_close(struct follower *follower);

/* Returns the run's row as last read. The strings in it, except the boot id, are valid until
 * follower_close(). */
const struct log_run_info *follower_run(const struct follower *follower);
/* Returns the state of the run after the last event that was read. Borrowed; changes with each
 * follower_read() and follower_seek(), valid until follower_close(). */
const struct run_state *follower_state(const struct follower *follower);
/* Returns the reader, for look-ups in the same thread (outputs, answers). */
struct log_reader *follower_reader(struct follower *follower);

/* Starts listening for changes. Call it before the first follower_read(); otherwise changes between
 * the two calls are noticed only with the next change. Use it only to wait for changes: stopping
 * costs the kernel about 10 ms, in follower_close() or when the process exits. */
void follower_watch(struct follower *follower);
/* Returns a descriptor that is readable when there may be changes; -1 if the follower does not
 * listen or inotify is not available (then poll every WATCH_POLL_MS). */
int follower_fd(const struct follower *follower);
/* Clears the change notification; returns true if there was one. Call it before follower_read(). */
bool follower_heard(struct follower *follower);

/* Reads and applies at most `max` more events (0 = all available); `each` may be NULL. Sets
 * *count_out (may be NULL) to their number. Fails like log_reader_events(), or with ERR_DAMAGED if
 * an event is inconsistent; earlier events stay applied. */
ATTR_MUST_USE bool follower_read(struct follower *follower, size_t max, follower_event_fn *each,
                                 void *ctx, size_t *count_out, struct err *err);

/* Keeps snapshots of the state, for going back (run_state.h). If events were already applied,
 * starts over before the first event. Keeps nothing for a run whose plan grows. */
void follower_keep_past(struct follower *follower);

/* Opens a second follower of the same run, for browsing the past while the first one continues
 * reading. It starts at the current position and takes over the snapshots of the first one, which
 * stops keeping them. It does not listen for changes. The caller closes it before the first one.
 * O(tasks + attempts). If the plan grows, it starts before the first event. */
ATTR_MUST_USE bool follower_fork(struct follower **out, struct follower *from, struct err *err);

/* Moves to the state right after event `seq` (0 = before the first). Going back, or starting from
 * the first event, turns on snapshots. Going forward costs at most the events in between; going
 * back costs one snapshot and at most the events between two snapshots. Fails with ERR_NOT_FOUND if
 * the run has no such event yet, otherwise like follower_read(). */
ATTR_MUST_USE bool follower_seek(struct follower *follower, int64_t seq, struct err *err);

/* Returns true if the run has no owner and no recorded end: devs was killed. Checks the owner lock,
 * so call it on changes and at slow intervals, not for each frame. */
bool follower_is_orphaned(struct follower *follower);

enum { FOLLOWER_BUSY_MS = 2000 };
/* Reports what is wrong with the log, like log_reader_trouble(), and also whether one process has
 * kept all others from writing for FOLLOWER_BUSY_MS or longer. `now_ms` is the steady clock. Call
 * it on changes and at slow intervals. */
void follower_trouble(struct follower *follower, int64_t now_ms, struct log_trouble *out);

#endif
