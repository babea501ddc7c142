/*
 * log_reader.h - reading the run log, page by page.
 *
 * A reader belongs to the thread that opened it. No call keeps a read
 * transaction open when it returns, so the WAL stays small behind a slow reader.
 *
 * Whatever reads can fail with ERR_DAMAGED (a row that is invalid), ERR_BUSY (somebody keeps
 * the log) and ERR_IO; what else it can fail with is said with it.
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
#include "place.h"
#include "run_state.h"
#include "str.h"
#include "verdict.h"

enum { LOG_PAGE_EVENTS = 4096, LOG_PAGE_RUNS = 256, LOG_PAGE_BYTES = 1024 * 1024 };

struct log_reader;

/* Open a log for reading. ERR_NOT_FOUND: no such file; ERR_DAMAGED: no log of ours, or one of a
 * newer schema without what is asked for. Never creates anything. What a run could not write to its
 * log is read from its spill (spill.h), here and below, as if it were in the log. The caller ends
 * *out with log_reader_close(). */
ATTR_MUST_USE bool log_reader_open(struct log_reader **out, const struct place *place,
                                   struct err *err);
/* Free. NULL is allowed. */
void log_reader_close(struct log_reader *reader);
/* The place it was opened at. Borrowed; stays until log_reader_close(). */
const struct place *log_reader_place(const struct log_reader *reader);

/* What is wrong with a log that can be looked at all the same. */
enum log_trouble_kind {
    LOG_TROUBLE_NONE,
    LOG_TROUBLE_SPILLED, /* it cannot be written, and the run goes on in a spill */
    LOG_TROUBLE_LEFT,    /* the spill of a run that nobody owns: gc --merge brings it in */
    LOG_TROUBLE_CUT_OFF, /* the file under its name is another one, or none */
    LOG_TROUBLE_NEWER,   /* a newer devs wrote it */
    LOG_TROUBLE_STILL,   /* nothing can be written where it is */
    LOG_TROUBLE_BUSY,    /* one process has been writing to it for long: follower_trouble() */
};
enum { LOG_TROUBLE_TEXT_MAX = 256 };
struct log_trouble {
    enum log_trouble_kind kind;
    int64_t since_ms;                /* SPILLED: UTC */
    int64_t for_ms;                  /* BUSY: how long so far */
    int64_t pid;                     /* BUSY: who; 0 = not known */
    int schema;                      /* NEWER: its number */
    char text[LOG_TROUBLE_TEXT_MAX]; /* SPILLED: why; LEFT: the file; NEWER: the version */
};
/* Of the log and of this run in it (0 = of the log alone). Some look-ups in the file system:
 * at news and at slow intervals, not for each frame. */
void log_reader_trouble(struct log_reader *reader, int64_t run, struct log_trouble *out);
/* One line for people: what is wrong and what works all the same; nothing for NONE. */
void log_trouble_words(const struct log_trouble *trouble, struct str *out);

/* A row of the run table. Texts are owned: log_run_info_done(). */
struct log_run_info {
    int64_t number;
    char *uid, *name, *kind, *plan_text, *dir, *command, *rules_hash;
    char *boot; /* id of the boot it ran in; NULL or "" where that was not told */
    uint64_t seed;
    int jobs, tasks;
    int64_t pid;
    int64_t started_at_ms;
    int64_t ended_at_ms; /* 0 = no end recorded */
    int exit_code;
    int64_t last_seq, last_at_ms;
    int64_t attempts, passed, failed, cancelled, waited_ms;
    bool is_session;    /* of an agent that devs did not start (call_log.h): no process owns it */
    bool owner_alive;   /* it may go on; a session until its end is recorded */
    bool owner_stopped; /* it lives, but stands still: nothing is started and no time is kept */
};
/* Free the texts of a row; it is as empty as {0} then. */
void log_run_info_done(struct log_run_info *info);

enum {
    LOG_LIVE_LOOK_RUNS = 1000, /* of the newest so many, those that have not ended, */
    LOG_LIVE_MAX = 64,         /* at most so many, are asked for their owner */
};

/* The runs that a process owns. Sessions of agents that devs did not start are not counted. */
struct log_live {
    int64_t newest; /* number of the newest of them; 0 = none */
    int count;
};
/* Reads a row of each run that has not ended, and asks for the lock of its owner. */
ATTR_MUST_USE bool log_reader_live(struct log_reader *reader, struct log_live *out,
                                   struct err *err);

/* One run. Number 0 is the current one: the newest live run, else the newest. ERR_NOT_FOUND if
 * there is none. */
ATTR_MUST_USE bool log_reader_run(struct log_reader *reader, int64_t number,
                                  struct log_run_info *out, struct err *err);
/* The same without the plan: plan_text is NULL. */
ATTR_MUST_USE bool log_reader_run_row(struct log_reader *reader, int64_t number,
                                      struct log_run_info *out, struct err *err);
/* Runs older than `before` (0 = from the newest), newest first, plan_text left
 * NULL; at most LOG_PAGE_RUNS. */
ATTR_MUST_USE bool log_reader_runs(struct log_reader *reader, int64_t before,
                                   struct log_run_info *out, size_t max, size_t *count_out,
                                   struct err *err);

/* All runs of the log together. */
struct log_totals {
    int64_t runs, attempts;
};
/* Count them. O(runs). */
ATTR_MUST_USE bool log_reader_totals(struct log_reader *reader, struct log_totals *out,
                                     struct err *err);

/* What a run's row does not say, from its tasks and attempts. */
struct log_run_sum {
    int64_t ran_ms;                /* all its attempts that are over, together */
    int running;                   /* tasks of which an attempt was under way at its last event */
    int states[TASK_STATUS_COUNT]; /* how many tasks are in which state */
    /* All that failed (gave up, stuck, needs a person), and whether with one and the same result
     * (fingerprint.h): then that and what it was judged as. */
    int failed;
    bool alike;
    struct digest fault;
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
};
/* O(tasks + attempts) of the run: for the runs in sight. */
ATTR_MUST_USE bool log_reader_sum(struct log_reader *reader, int64_t run, struct log_run_sum *out,
                                  struct err *err);

/* What an attempt writes: as it came, and an agent's own words made readable of it. */
enum { LOG_STREAM_OUT = 1, LOG_STREAM_ERR = 2, LOG_STREAM_AGENT = 3, LOG_STREAM_COUNT = 3 };

/* Which attempt is wanted, and what of its output. */
struct log_output_key {
    int64_t run;
    int task, step, attempt;
    bool readable; /* for people: the words of an agent in place of its stdout, where there are
                      any. Else stdout and stderr as they came */
};

/* A page of events; reused from call to call. */
struct event_page {
    struct event *events; /* owned; texts point into `texts` */
    size_t count, cap;
    struct str texts;
};
/* Free what a page holds; it is as empty as {0} then, which is how a page begins. */
void event_page_done(struct event_page *page);

/* Events with seq > after, at most LOG_PAGE_EVENTS (fewer than that: no more now). */
ATTR_MUST_USE bool log_reader_events(struct log_reader *reader, int64_t run, int64_t after,
                                     struct event_page *page, struct err *err);

/* The events of one attempt but for its agent's calls, of which there may be thousands; the first
 * LOG_PAGE_EVENTS of them. Looks through all events of the run. */
ATTR_MUST_USE bool log_reader_attempt_events(struct log_reader *reader,
                                             const struct log_output_key *key,
                                             struct event_page *page, struct err *err);

/* One row of output, in the order it came (all streams by time). */
struct log_output_row {
    int64_t id;     /* row id: pass the last one as `after` to read on */
    int stream;     /* LOG_STREAM_OUT... */
    int64_t offset; /* of its first byte in the stream */
    int64_t at_ms;
    size_t start, len; /* its bytes in the page's text */
    bool replaceable;  /* a live tail: while the attempt runs it makes way for a newer row,
                          which has a higher id and may repeat some of its bytes: see offset */
};
struct output_page {
    struct log_output_row *rows; /* owned */
    size_t count, cap;
    struct str text;
};
/* Free what a page holds; it is as empty as {0} then, which is how a page begins. */
void output_page_done(struct output_page *page);

/* Rows with id > after, at most about LOG_PAGE_BYTES. */
ATTR_MUST_USE bool log_reader_output(struct log_reader *reader, const struct log_output_key *key,
                                     int64_t after, struct output_page *page, struct err *err);
/* The same, at most about `bytes` (> 0): one row at least, if there is any. */
ATTR_MUST_USE bool log_reader_output_piece(struct log_reader *reader,
                                           const struct log_output_key *key, int64_t after,
                                           size_t bytes, struct output_page *page, struct err *err);
/* The last rows, at most about `bytes` of text: for a screen. In order. */
ATTR_MUST_USE bool log_reader_output_tail(struct log_reader *reader,
                                          const struct log_output_key *key, size_t bytes,
                                          struct output_page *page, struct err *err);

/* The answer to a control: false and ERR_NOT_FOUND if there is no such row;
 * *answered false while it is open. Text appended to *answer. */
ATTR_MUST_USE bool log_reader_answer(struct log_reader *reader, int64_t control, bool *answered,
                                     bool *done, struct str *answer, struct err *err);

/* What the JSON of a capture's second part begins with: what the attempt changed. */
#define LOG_CAPTURE_CHANGES "{\"v\":1,\"part\":2"

/* The newest capture of an attempt (attempt 0: of the step) as JSON text; "" if none. */
ATTR_MUST_USE bool log_reader_capture(struct log_reader *reader, const struct log_output_key *key,
                                      struct str *out, struct err *err);
/* The same of its second part, which is written a little later. */
ATTR_MUST_USE bool log_reader_changes(struct log_reader *reader, const struct log_output_key *key,
                                      struct str *out, struct err *err);

#endif
