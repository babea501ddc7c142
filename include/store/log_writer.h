/*
 * log_writer.h - appends to the run log on behalf of the run's owner.
 *
 * A writer belongs to the thread that opened it. This header does not expose SQLite.
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
    LOG_TRANSACTION_MAX = 256 * 1024,        /* approximate size of one transaction in bytes */
    LOG_CHECKPOINT_BYTES = 16 * 1024 * 1024, /* WAL size that triggers a checkpoint */
    LOG_FULL_SYNC_MS = 200, /* interval between syncs while there are new commits */
    LOG_UID_MAX = 40,
    LOG_GAIN_BYTES_MAX =
        1024 * 1024, /* maximum size of a row of `gain` in bytes; larger rows are not written */
};

/* Properties of a new run. Everything is borrowed for the call. */
struct log_run {
    const char *name;
    const char *kind;       /* "plan" or "exec" */
    const char *plan_text;  /* as accepted by plan_parse() */
    const char *dir;        /* the run's directory */
    const char *command;    /* the command line, for people */
    const char *rules_hash; /* SHA-256 hex of the rule set */
    const char *rules_text;
    uint64_t seed;
    int jobs;
    int tasks;
    struct moment now;
};

/* The part of an attempt's output that a piece belongs to. */
enum log_output_part {
    LOG_OUTPUT_HEAD, /* the next bytes of the head, unchanged */
    LOG_OUTPUT_TAIL, /* the latest bytes; replaces the previous tail */
    LOG_OUTPUT_REST, /* a piece of the final tail, after the head and the gap */
};

struct log_output {
    int task, step, attempt;
    int stream; /* LOG_STREAM_OUT... (log_reader.h) */
    enum log_output_part part;
    bool begins; /* read again from the beginning of the stream: replaces all its output in the log
                  */
    int index;   /* index within this part, from 0 */
    int64_t offset; /* position of bytes[0] in the whole stream */
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

/* Lets the loop detector (entropy.h) tell new output of a task from old, as of the end of an
 * attempt. One row per task; each one replaces the previous. */
struct log_gain {
    int task, step, attempt;
    const char *bytes; /* borrowed for the call; NULL deletes the row, because the task has ended */
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
    bool idle; /* nothing follows: a good time for a checkpoint */
};

struct log_writer;

/* Opens the log; creates or migrates it if needed. Files have mode 0600 whatever the umask. Fails
 * with ERR_DAMAGED if the file is not a devs log or was written by a newer devs, with ERR_BUSY or
 * ERR_IO. The caller closes *out with log_writer_close(). */
ATTR_MUST_USE bool log_writer_open(struct log_writer **out, const struct place *place,
                                   struct err *err);
/* Rejects controls that are still pending, releases the owner lock and frees the writer. `writer`
 * may be NULL. */
void log_writer_close(struct log_writer *writer);

/* Creates a run and takes its owner lock; *number_out is its number (#41). `state` is the run state
 * that the projections are written from; borrowed until the writer closes. Fails with ERR_IO, or
 * with ERR_BUSY if other processes keep the log locked. */
ATTR_MUST_USE bool log_writer_begin(struct log_writer *writer, const struct log_run *run,
                                    const struct run_state *state, int64_t *number_out,
                                    struct err *err);
/* Returns the run's uid, "" before log_writer_begin(). Owned by the writer. */
const char *log_writer_uid(const struct log_writer *writer);

/* The parameters for continuing a run. */
struct log_heir {
    struct run_state *state; /* borrowed until the writer closes; as initialized by run_state_init()
                                for the plan and seed of that run */
    void (*each)(void *ctx, const struct event *event); /* called for each event; may be NULL */
    void *ctx;                                          /* borrowed for the call */
    bool has_ended; /* the run is expected to have ended; otherwise to have been interrupted */
};

/* Other data that the log has about the run. */
struct log_estate {
    bool rebooted;    /* the machine was restarted after the previous owner started */
    struct str rules; /* rule set, as returned by classifier_rules(); empty if none was recorded.
                         The caller frees */
};

/* Continues a run without an owner: takes its owner lock and applies all its events to the heir's
 * state. The first commit makes this process its owner in the run's row. *out must be all zero.
 * Fails with ERR_BUSY if the run has an owner; ERR_INVALID if `has_ended` is wrong; ERR_DAMAGED if
 * it contains events of a newer devs. On failure nothing is written. */
ATTR_MUST_USE bool log_writer_continue(struct log_writer *writer, int64_t number,
                                       const struct log_heir *heir, struct log_estate *out,
                                       struct err *err);

struct spill_reason;
/* Opens a spill (spill.h) for the run of `from`, which keeps the log open and the owner lock.
 * Commits to the spill continue where `from` stopped. The caller closes it like any writer. Fails
 * with ERR_BUSY if an earlier spill of the run has not been merged yet, ERR_INVALID if there is no
 * private directory for it, or ERR_IO. */
ATTR_MUST_USE bool log_writer_spill(struct log_writer **out, const struct log_writer *from,
                                    const struct spill_reason *reason, struct err *err);
/* Returns the location that the writer writes to. Owned by the writer. */
const struct place *log_writer_place(const struct log_writer *writer);
/* For a spill: returns the lowest id of controls requested in it. */
int64_t log_writer_first_control(const struct log_writer *writer);
/* For a spill: returns true if there is room for output. */
bool log_writer_has_room(const struct log_writer *writer);
/* Returns true if the last commit found that the log was deleted or replaced. The writer then stops
 * writing to it, since no other process would see the data. */
bool log_writer_is_cut_off(const struct log_writer *writer);
/* Returns true if committed data was destroyed, for instance by truncating the WAL. The log is then
 * cut off for good, and nothing more is copied into the database, so that earlier runs stay intact
 * there. */
bool log_writer_is_broken(const struct log_writer *writer);
/* Checks that everything committed is still there, by reading the part of the WAL that is not in
 * the database yet. Fails with ERR_IO and the first reason found; the log is then broken or cut
 * off. Unlike a commit, it does not check that this process still owns the run. */
ATTR_MUST_USE bool log_writer_check(struct log_writer *writer, struct err *err);
/* Copies everything in the run's spill into the log, in order. Nothing may be committed to the
 * spill meanwhile. Can be repeated after a failure. Afterwards the writer continues after the
 * copied events. Fails like log_writer_commit(), and with ERR_DAMAGED if events are missing between
 * the two. */
ATTR_MUST_USE bool log_writer_take_home(struct log_writer *writer, const struct place *spill,
                                        struct err *err);

enum log_sync { LOG_SYNC_NORMAL, LOG_SYNC_FULL };

/* Commits a batch: outputs, captures, gains, then events with their changes to the projections,
 * split into transactions of about LOG_TRANSACTION_MAX. Notifies followers. The events must already
 * be applied to the state. With LOG_SYNC_FULL the data is on disk on return; otherwise another
 * thread syncs it within LOG_FULL_SYNC_MS. False means that part of the batch is not in the log,
 * with ERR_BUSY if other processes keep the log locked. The caller may then pass the same batch
 * again, or a longer one: events already in the log are not repeated. If a checkpoint is due, a
 * thread of the writer does it. */
ATTR_MUST_USE bool log_writer_commit(struct log_writer *writer, const struct log_batch *batch,
                                     enum log_sync sync, struct err *err);
/* Returns the total time spent waiting for other processes. */
int64_t log_writer_waited_ms(const struct log_writer *writer);
/* Returns the number of the last event in the log; 0 = none yet. */
int64_t log_writer_committed_seq(const struct log_writer *writer);
/* Fails if the log could not be synced to disk: readers see the data, but a power failure may lose
 * it. Reports each failure once. */
ATTR_MUST_USE bool log_writer_synced(struct log_writer *writer, struct err *err);

/* Reads at most `max` controls that were requested for this run and are not answered yet, oldest
 * first. Rejects rows from other programs that devs does not understand. Answer controls by
 * committing EVENT_CONTROL_ANSWERED. Fails with ERR_BUSY or ERR_IO. */
ATTR_MUST_USE bool log_writer_controls(struct log_writer *writer, struct control *out, size_t max,
                                       size_t *count_out, struct err *err);

/* Requests an action on the run of this writer, which must be its owner: log_writer_controls()
 * returns it with its id. Fails with ERR_BUSY or ERR_IO. */
ATTR_MUST_USE bool log_writer_ask(struct log_writer *writer, const struct control *control,
                                  struct err *err);

/* Appends the row of gain->task to *bytes, and sets gain->step and gain->attempt to the attempt
 * that it was written after; gain->bytes is unchanged. If that is not the last finished attempt,
 * the row is useless. Fails with ERR_NOT_FOUND if there is no row. */
ATTR_MUST_USE bool log_writer_load_gain(struct log_writer *writer, struct log_gain *gain,
                                        struct str *bytes, struct err *err);

#endif
