/*
 * log_reader.h - reads the run log page by page.
 *
 * A reader belongs to the thread that opened it. No function leaves a read transaction open, so a
 * slow reader does not make the WAL grow.
 *
 * Functions that read can fail with ERR_DAMAGED (an invalid row), ERR_BUSY (another process keeps
 * the log locked) and ERR_IO; other errors are documented with the function.
 */
#ifndef DEVS_LOG_READER_H
#define DEVS_LOG_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "digest.h"
#include "err.h"
#include "event.h"
#include "overview.h"
#include "place.h"
#include "run_state.h"
#include "str.h"
#include "verdict.h"

enum { LOG_PAGE_EVENTS = 1024, LOG_PAGE_RUNS = 256, LOG_PAGE_BYTES = 1024 * 1024 };

struct log_reader;

/* Opens a log for reading. Fails with ERR_NOT_FOUND if the file does not exist; ERR_DAMAGED if it
 * is not a devs log, or has a newer schema that lacks what devs needs. Never creates anything. If a
 * run could not write to its log, this and all other functions read the rest from its spill
 * (spill.h), as if it were in the log. The caller closes *out with log_reader_close(). */
ATTR_MUST_USE bool log_reader_open(struct log_reader **out, const struct place *place,
                                   struct err *err);
/* Frees the reader, which may be NULL. */
void log_reader_close(struct log_reader *reader);
/* Returns the location that the log was opened at. Borrowed; valid until log_reader_close(). */
const struct place *log_reader_place(const struct log_reader *reader);

/* Problems with a log that can still be read. */
enum log_trouble_kind {
    LOG_TROUBLE_NONE,
    LOG_TROUBLE_SPILLED, /* the log cannot be written; the run continues in a spill */
    LOG_TROUBLE_LEFT,    /* the spill of a run without an owner; gc --merge merges it */
    LOG_TROUBLE_CUT_OFF, /* the file was deleted or replaced */
    LOG_TROUBLE_NEWER,   /* written by a newer devs */
    LOG_TROUBLE_STILL,   /* the location is read-only */
    LOG_TROUBLE_BUSY,    /* one process has been writing for too long: follower_trouble() */
};
enum { LOG_TROUBLE_TEXT_MAX = 256 };
struct log_trouble {
    enum log_trouble_kind kind;
    int64_t since_ms;                /* SPILLED: when the spill began, UTC */
    int64_t for_ms;                  /* BUSY: how long so far */
    int64_t pid;                     /* BUSY: the process; 0 = unknown */
    int schema;                      /* NEWER: schema number */
    char text[LOG_TROUBLE_TEXT_MAX]; /* SPILLED: reason; LEFT: file; NEWER: version */
};
/* Reports a problem with the log and with this run in it (0 = only the log). Does some look-ups in
 * the file system: call it on changes and at slow intervals, not for each frame. */
void log_reader_trouble(struct log_reader *reader, int64_t run, struct log_trouble *out);
/* Appends one line for people: what is wrong and what still works. Appends nothing for NONE. */
void log_trouble_words(const struct log_trouble *trouble, struct str *out);

/* A row of the run table. The strings are owned; free them with log_run_info_done(). */
struct log_run_info {
    int64_t number;
    const char *uid, *name, *kind, *dir, *command, *rules_hash; /* in `texts` */
    char *texts;                                                /* owned */
    char *plan_text;                                            /* owned; NULL = not read */
    char *boot; /* owned; id of the boot it ran in; NULL or "" if unknown */
    uint64_t seed;
    int jobs, tasks;
    int64_t pid;
    int64_t started_at_ms;
    int64_t ended_at_ms; /* 0 = no end recorded */
    int exit_code;
    int64_t last_seq, last_at_ms;
    int64_t attempts, passed, cancelled, waited_ms;
    int64_t failed;  /* failed and blocked tasks */
    bool is_session; /* session of an agent that devs did not start (call_log.h): no process owns it
                      */
    bool owner_alive;   /* the run may continue; for a session, true until its end is recorded */
    bool owner_stopped; /* the owner is alive but suspended: starts nothing and enforces no timeouts
                         */
};
/* Frees the strings of a row and sets it to {0}. */
void log_run_info_done(struct log_run_info *info);

enum {
    LOG_LIVE_LOOK_RUNS = 1000, /* how many of the newest runs log_reader_live() examines */
    LOG_LIVE_MAX =
        64, /* maximum number of these runs that have not ended and whose owner it checks */
};

/* The runs that a live process owns, without sessions of agents that devs did not start. */
struct log_live {
    int64_t newest; /* number of the newest live run; 0 = none */
    int count;
};
/* Reads the row of each run that has not ended, and checks its owner lock. */
ATTR_MUST_USE bool log_reader_live(struct log_reader *reader, struct log_live *out,
                                   struct err *err);

/* Reads one run. Number 0 is the current one: the newest live run, otherwise the newest. Fails with
 * ERR_NOT_FOUND if there is none. */
ATTR_MUST_USE bool log_reader_run(struct log_reader *reader, int64_t number,
                                  struct log_run_info *out, struct err *err);
/* Like log_reader_run(), without the plan: plan_text is NULL. */
ATTR_MUST_USE bool log_reader_run_row(struct log_reader *reader, int64_t number,
                                      struct log_run_info *out, struct err *err);
/* Reads at most LOG_PAGE_RUNS runs older than `before` (0 = from the newest), newest first.
 * plan_text is NULL. */
ATTR_MUST_USE bool log_reader_runs(struct log_reader *reader, int64_t before,
                                   struct log_run_info *out, size_t max, size_t *count_out,
                                   struct err *err);

/* Looks at one run, which is borrowed. Returns false, with *err, to end log_reader_each_run(). */
typedef bool log_run_fn(void *ctx, const struct log_run_info *run, struct err *err);
/* Calls `look` for all runs, newest first; plan_text is NULL. */
ATTR_MUST_USE bool log_reader_each_run(struct log_reader *reader, log_run_fn *look, void *ctx,
                                       struct err *err);

/* Totals over all runs of the log. */
struct log_totals {
    int64_t runs, attempts;
};
/* Counts runs and attempts. O(runs). */
ATTR_MUST_USE bool log_reader_totals(struct log_reader *reader, struct log_totals *out,
                                     struct err *err);

/* A summary of a run's tasks and attempts that is not in the run's row. */
struct log_run_sum {
    int64_t ran_ms;                /* total duration of all finished attempts */
    int running;                   /* tasks with an attempt under way at the last event */
    int states[TASK_STATUS_COUNT]; /* number of tasks per state */
    /* Failed tasks (task_status_is_failed()), without the tasks that they block. `alike` is true if
     * all failed tasks have the same result (fingerprint.h); then the fields below describe that
     * result and its verdict. */
    int own_failures;
    bool alike;
    struct digest fault;
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
};
/* Summarizes a run. O(tasks + attempts) of the run: call it only for visible runs. */
ATTR_MUST_USE bool log_reader_sum(struct log_reader *reader, int64_t run, struct log_run_sum *out,
                                  struct err *err);

/* The output of an attempt: raw stdout and stderr, and the readable form of an agent's messages. */
enum { LOG_STREAM_OUT = 1, LOG_STREAM_ERR = 2, LOG_STREAM_AGENT = 3, LOG_STREAM_COUNT = 3 };

/* Selects an attempt and the form of its output. */
struct log_output_key {
    int64_t run;
    int task, step, attempt;
    bool readable; /* for people: an agent's messages in place of its stdout, if there are any;
                      otherwise raw stdout and stderr */
};

/* A page of events; reused between calls. Initialize to {0}. */
struct event_page {
    struct event *events; /* owned; strings point into `texts` and `fields` */
    size_t count, cap;
    struct str texts;  /* the events' data */
    struct str fields; /* decoded strings of the fields */
};
/* Frees the contents of a page and sets it to {0}. */
void event_page_done(struct event_page *page);

/* Reads events with seq > after, at most LOG_PAGE_EVENTS. Fewer than that means that there are no
 * more at present. */
ATTR_MUST_USE bool log_reader_events(struct log_reader *reader, int64_t run, int64_t after,
                                     struct event_page *page, struct err *err);

/* Like log_reader_events(), but only the agents' sessions and usage. Scans the events of the run.
 */
ATTR_MUST_USE bool log_reader_agent_events(struct log_reader *reader, int64_t run, int64_t after,
                                           struct event_page *page, struct err *err);

#define LOG_COST_MAX (INT64_C(1) << 60) /* larger sums count as this */
/* Adds up what agents have used in attempts whose last usage was reported at `from_ms` or later, in
 * millionths of a US dollar. Scans the events of the runs that were active since then. */
ATTR_MUST_USE bool log_reader_cost_since(struct log_reader *reader, int64_t from_ms, int64_t *out,
                                         struct err *err);

/* Reads the first LOG_PAGE_EVENTS events of one attempt, except its agent's calls, of which there
 * may be thousands. Scans all events of the run. */
ATTR_MUST_USE bool log_reader_attempt_events(struct log_reader *reader,
                                             const struct log_output_key *key,
                                             struct event_page *page, struct err *err);

/* One row of output. Rows are in order of arrival, across streams. */
struct log_output_row {
    int64_t id;     /* row id: pass the last one as `after` to continue */
    int stream;     /* LOG_STREAM_OUT... */
    int64_t offset; /* position of its first byte in the stream */
    int64_t at_ms;
    size_t start, len; /* range of the row's bytes in the page's `text` */
    bool replaceable;  /* a live tail: while the attempt runs, a newer row replaces it, which has a
                          higher id and may repeat some of its bytes (see offset) */
};
struct output_page {
    struct log_output_row *rows; /* owned */
    size_t count, cap;
    struct str text;
};
/* Frees the contents of a page and sets it to {0}. Initialize a page to {0}. */
void output_page_done(struct output_page *page);

/* Reads rows with id > after, about LOG_PAGE_BYTES at most. */
ATTR_MUST_USE bool log_reader_output(struct log_reader *reader, const struct log_output_key *key,
                                     int64_t after, struct output_page *page, struct err *err);
/* Like log_reader_output(), but reads about `bytes` (> 0) at most; at least one row, if there is
 * any. */
ATTR_MUST_USE bool log_reader_output_piece(struct log_reader *reader,
                                           const struct log_output_key *key, int64_t after,
                                           size_t bytes, struct output_page *page, struct err *err);
/* Reads the last rows, about `bytes` of text at most, in order: for a screen. */
ATTR_MUST_USE bool log_reader_output_tail(struct log_reader *reader,
                                          const struct log_output_key *key, size_t bytes,
                                          struct output_page *page, struct err *err);

/* Reads the answer to a control and appends its text to *answer; *answered is false while it is
 * pending. Fails with ERR_NOT_FOUND if there is no such control. */
ATTR_MUST_USE bool log_reader_answer(struct log_reader *reader, int64_t control, bool *answered,
                                     bool *done, struct str *answer, struct err *err);

/* The beginning of the JSON of a capture's second part, which lists the changes made by the
 * attempt. */
#define LOG_CAPTURE_CHANGES "{\"v\":1,\"part\":2"

/* Reads the newest capture of an attempt (attempt 0: of the step) as JSON; "" if none. */
ATTR_MUST_USE bool log_reader_capture(struct log_reader *reader, const struct log_output_key *key,
                                      struct str *out, struct err *err);
/* Like log_reader_capture(), for the second part, which is written slightly later. */
ATTR_MUST_USE bool log_reader_changes(struct log_reader *reader, const struct log_output_key *key,
                                      struct str *out, struct err *err);

/* Summaries of runs without their events, from the tables that the engine writes together with the
 * events (docs/run-log.md, "projections"). */

struct log_overview {
    struct log_run_info run; /* owned: log_run_info_done(); plan_text is NULL */
    bool orphaned;           /* no recorded end and no owner */
    /* False if the tables do not match the last event, or do not say enough about this run (it has
     * a gate, its sandbox may be incomplete, its devs is newer, or part of it is in a spill). Then
     * `tasks` is not set, and the caller has to read the events. */
    bool is_known;
    struct overview tasks;
};

/* Reads the summary of a run (0 = the current one), consistent for one point in time. O(tasks); for
 * a live run O(events) in the worst case, reading only a few columns of each. Fails like
 * log_reader_run(). */
ATTR_MUST_USE bool log_reader_overview(struct log_reader *reader, int64_t number,
                                       struct log_overview *out, struct err *err);

#endif
