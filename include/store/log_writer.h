/*
 * log_writer.h - appending to the run log: the owner's side.
 *
 * A writer belongs to the thread that opened it. SQLite is not visible through
 * this header.
 */
#ifndef DEVS_LOG_WRITER_H
#define DEVS_LOG_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "event.h"
#include "place.h"
#include "run_state.h"
#include "str.h"

enum {
    LOG_TRANSACTION_MAX = 256 * 1024,        /* bytes that one transaction carries, about */
    LOG_CHECKPOINT_BYTES = 16 * 1024 * 1024, /* WAL size that calls for a checkpoint */
    LOG_FULL_SYNC_MS = 200,                  /* at most this often while there is news */
    LOG_UID_MAX = 40,
    LOG_GAIN_BYTES_MAX = 1024 * 1024, /* of a row of `gain`; a longer one is not written */
};

/* What is known of a run when it begins. All borrowed for the call. */
struct log_run {
    const char *name;
    const char *kind;       /* "plan" or "exec" */
    const char *plan_text;  /* as plan_parse() reads it */
    const char *dir;        /* the run's folder */
    const char *command;    /* the command line, for people */
    const char *rules_hash; /* SHA-256 hex of the rule set */
    const char *rules_text;
    uint64_t seed;
    int jobs;
    int tasks;
    struct moment now;
};

/* A piece of an attempt's output. */
enum log_output_part {
    LOG_OUTPUT_HEAD, /* the next bytes of the head, as they came */
    LOG_OUTPUT_TAIL, /* the latest bytes, written over the row of that kind */
    LOG_OUTPUT_REST, /* a piece of the final tail, after the head and the gap */
};

struct log_output {
    int task, step, attempt;
    int stream; /* LOG_STREAM_OUT... (log_reader.h) */
    enum log_output_part part;
    int index;      /* of this part, from 0 */
    int64_t offset; /* of bytes[0] in the whole stream */
    struct moment at;
    const char *bytes; /* borrowed for the call */
    size_t len;
};

/* Forensic record of a failed step. */
struct log_capture {
    int task, step, attempt;
    struct moment at;
    const char *json; /* borrowed for the call */
};

/* What tells new output of a task from old (entropy.h), as of the end of one of its attempts.
 * One row a task, written over the last one. */
struct log_gain {
    int task, step, attempt;
    const char *bytes; /* borrowed for the call; NULL: the task is over, its row goes */
    size_t len;
};

struct log_batch {
    const struct event *events;
    size_t event_count;
    const struct log_output *outputs;
    size_t output_count;
    const struct log_capture *captures;
    size_t capture_count;
    const struct log_gain *gains;
    size_t gain_count;
    bool idle; /* nothing goes on after it: a good time for a checkpoint */
};

struct log_writer;

/* Open (create, migrate) the log. Files are 0600 whatever the umask.
 * ERR_DAMAGED for a file that is no log of ours or was written by a newer devs; ERR_BUSY, ERR_IO.
 * The caller ends *out with log_writer_close(). */
ATTR_MUST_USE bool log_writer_open(struct log_writer **out, const struct place *place,
                                   struct err *err);
/* Controls that are still open are refused, the owner lock is freed. NULL is allowed. */
void log_writer_close(struct log_writer *writer);

/* Enter a new run and take its owner lock; *number_out is the #41. `state` is the
 * fold that the projections are written from; borrowed until the writer closes. ERR_BUSY: others
 * keep the log; ERR_IO. */
ATTR_MUST_USE bool log_writer_begin(struct log_writer *writer, const struct log_run *run,
                                    const struct run_state *state, int64_t *number_out,
                                    struct err *err);
/* The run's uid, "" before log_writer_begin(). Owned by the writer. */
const char *log_writer_uid(const struct log_writer *writer);

/* Who goes on with a run, and what of it. */
struct log_heir {
    struct run_state *state; /* borrowed until the writer closes: as run_state_init() left it, for
                                the plan and the seed of that run */
    void (*each)(void *ctx, const struct event *event); /* told of each event; NULL = nobody */
    void *ctx;                                          /* borrowed for the call */
    bool has_ended; /* the run is expected to have ended; else to have been interrupted */
};

/* What the log has of it beside events. */
struct log_estate {
    bool rebooted;    /* the clock since boot began anew since somebody owned it */
    struct str rules; /* owned by the caller; its rule set, as classifier_rules() gave it; empty
                         where none was recorded */
};

/* Go on with a run that nobody owns any more: take its owner lock and fold all its events into
 * the heir's state. With the first commit its row names this process. ERR_BUSY: it has an
 * owner; ERR_INVALID: it has ended, or has not, against what the heir expects; ERR_DAMAGED: it
 * holds events of a newer devs. Nothing is written where it fails. *out is all zero before. */
ATTR_MUST_USE bool log_writer_continue(struct log_writer *writer, int64_t number,
                                       const struct log_heir *heir, struct log_estate *out,
                                       struct err *err);

struct spill_reason;
/* Open a spill (spill.h) for the run of `from`, which keeps the log open and the run's owner
 * lock. What is committed to it goes on where `from` ended. It is closed like any writer.
 * ERR_BUSY: an earlier spill of the run has not been merged yet; ERR_INVALID: there is no folder
 * of ours for it; ERR_IO. */
ATTR_MUST_USE bool log_writer_spill(struct log_writer **out, const struct log_writer *from,
                                    const struct spill_reason *reason, struct err *err);
/* Where the writer writes to. Owned by it. */
const struct place *log_writer_place(const struct log_writer *writer);
/* Of a spill: controls asked for in it have this number or a higher one. */
int64_t log_writer_first_control(const struct log_writer *writer);
/* Of a spill: is there room for output? */
bool log_writer_has_room(const struct log_writer *writer);
/* Was the log deleted or replaced under us, as the last commit found? It is not written to
 * any more, for nobody else would see it. */
bool log_writer_is_cut_off(const struct log_writer *writer);
/* Was what it had committed destroyed, for instance by truncating the WAL? Then it is cut off for
 * good, nothing more is copied into the database, and earlier runs stay as they are there. */
bool log_writer_is_broken(const struct log_writer *writer);
/* Is all that was committed still there? Reads the part of the WAL that is not in the database yet.
 * ERR_IO if not, with the first reason that was found; the log is then broken or cut off. Commits
 * look whether the run still belongs to this process; this does not. */
ATTR_MUST_USE bool log_writer_check(struct log_writer *writer, struct err *err);
/* Everything of the run's spill into the log, in order; nothing may be committed to the spill
 * meanwhile. After a failure it may be done again. Then the writer goes on behind it. Fails as
 * log_writer_commit(), and with ERR_DAMAGED where events are missing between the two. */
ATTR_MUST_USE bool log_writer_take_home(struct log_writer *writer, const struct place *spill,
                                        struct err *err);

enum log_sync { LOG_SYNC_NORMAL, LOG_SYNC_FULL };

/* Commit a batch: outputs, captures, gains, then events with what they change in the
 * projections, split into transactions of about LOG_TRANSACTION_MAX. Rings the bell. The
 * state must have the events folded in. FULL: brought to the disk before it returns;
 * else another thread sees to it within LOG_FULL_SYNC_MS. False: not all of it is in
 * the log; ERR_BUSY: another process is in the way. The same batch, or a longer one,
 * may then be given again: events that are in the log are not repeated. A checkpoint that
 * is due then is done by a thread of the writer's own. */
ATTR_MUST_USE bool log_writer_commit(struct log_writer *writer, const struct log_batch *batch,
                                     enum log_sync sync, struct err *err);
/* How long others kept it waiting, in all. */
int64_t log_writer_waited_ms(const struct log_writer *writer);
/* The last event that is in the log; 0 = none yet. */
int64_t log_writer_committed_seq(const struct log_writer *writer);
/* False, and why, if what is in the log could not be brought to the disk: readers see
 * it, a power failure may take it. Told once for each time that it went wrong. */
ATTR_MUST_USE bool log_writer_synced(struct log_writer *writer, struct err *err);

/* Controls that were asked for this run and not yet answered, oldest first, at
 * most `max`. What another program wrote and nobody understands is refused. They are answered by
 * EVENT_CONTROL_ANSWERED in a commit. ERR_BUSY, ERR_IO. */
ATTR_MUST_USE bool log_writer_controls(struct log_writer *writer, struct control *out, size_t max,
                                       size_t *count_out, struct err *err);

/* Ask for an act on the run of this writer, which has to be its owner: log_writer_controls() gives
 * it back with its id. ERR_BUSY, ERR_IO. */
ATTR_MUST_USE bool log_writer_ask(struct log_writer *writer, const struct control *control,
                                  struct err *err);

/* The row of gain->task, appended to *bytes; gain->step and gain->attempt say whose end it
 * is of, gain->bytes is not touched. Where that is not the last one that the fold knows of, the
 * row is of no use. ERR_NOT_FOUND if there is none. */
ATTR_MUST_USE bool log_writer_load_gain(struct log_writer *writer, struct log_gain *gain,
                                        struct str *bytes, struct err *err);

#endif
