/*
 * recorder.h - commits to the log, and what happens when it cannot be written.
 *
 * A commit that fails stops nothing: the run goes on in a second log (spill.h), and once a
 * second the log is tried again; when it takes what it lacks, all is brought home in order and
 * the spill goes. Where there can be no spill either, events are kept here and tried again at
 * most once a second; output of that time is not kept. When such a try fails and more than
 * RECORDER_KEPT_BYTES wait, recording is over, since a log has no gaps. What is written but
 * could not be brought to the disk is told once and tried no more.
 * Belongs to the thread that opened it.
 */
#ifndef DEVS_RECORDER_H
#define DEVS_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_writer.h"

enum {
    RECORDER_KEPT_BYTES = 1024 * 1024,
    RECORDER_RETRY_MS = 1000,
    RECORDER_FINISH_MS = 10000,
};

struct recorder {
    struct log_writer *writer; /* owned; the log's */
    struct log_writer *spill;  /* owned; NULL while the log can be written */
    struct event *kept;        /* owned, texts too; events that neither has, in order */
    size_t kept_count, kept_cap, kept_bytes;
    bool failing;     /* the last commit failed */
    bool busy;        /* because another process was in the way */
    bool lost;        /* something will never be in the log */
    bool over;        /* no more commits */
    int64_t retry_ms; /* when the next commit to what fails may be tried */
    struct err err;   /* what began the last spell of failures */

    /* Controls that were handed out: those of the log, and from this number on the spill's. */
    int64_t control_seen, spill_control_seen, spill_controls;

    bool has_output;  /* some was committed */
    bool left_output; /* it is in a log that was taken away: the spill has the events alone */

    /* For recorder_news(). */
    bool spilled, home;  /* a spill was begun; it was brought home */
    bool recovered;      /* a commit went through after failures */
    bool output_lost;    /* since the last such news */
    bool unsynced, told; /* what is written may not be on the disk; and that was told */
    struct err sync_err;
};

/* Open the log for writing. It is ended by recorder_done(), also where this failed. */
ATTR_MUST_USE bool recorder_init(struct recorder *recorder, const struct place *place,
                                 struct err *err);
void recorder_done(struct recorder *recorder);

enum recorder_urgency {
    RECORDER_IN_TIME, /* on the disk within LOG_FULL_SYNC_MS: the writer sees to it */
    RECORDER_NOW,     /* on the disk on return; tried even if the last failure was just now */
};

/* False: the log does not have all of it (now). */
bool recorder_commit(struct recorder *recorder, const struct log_batch *batch,
                     enum recorder_urgency urgency, int64_t now_ms);

/* Controls that were asked for, here or in the spill, and not handed out before; as
 * log_writer_controls(). */
ATTR_MUST_USE bool recorder_controls(struct recorder *recorder, struct control *out, size_t max,
                                     size_t *count_out, struct err *err);
/* Must controls be looked for by time? The spill's bell is not watched. */
bool recorder_is_away(const struct recorder *recorder);

/* Before the end: the log is tried once more, and what waits only for another process for
 * RECORDER_FINISH_MS. A spill that cannot be brought home stays. */
void recorder_finish(struct recorder *recorder);

/* Something about the log that the person should read. */
struct recorder_news {
    const char *what; /* static; NULL = nothing */
    const char *why;  /* the error behind it, owned by the recorder; "" = none */
};
/* The next piece of news; each is returned once. */
struct recorder_news recorder_news(struct recorder *recorder);

/* When recorder_commit() wants to be called even if there is no news: INT64_MAX
 * unless something waits to be tried again. */
int64_t recorder_due(const struct recorder *recorder);

#endif
