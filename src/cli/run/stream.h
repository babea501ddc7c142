/* stream.h - prints a run as lines, one for each event, plain or JSON, or prints the output of the
 * command itself (exec). Main thread, except tee_put(). */
#ifndef DEVS_STREAM_H
#define DEVS_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "filter.h"
#include "follower.h"
#include "place.h"
#include "str.h"

/* The outlet: writes to stdout as fast as its reader reads, so that a full pipe does not keep us
 * from handling signals. */

/* Called with the number of a signal. Returns false to give up writing. */
typedef bool outlet_signal_fn(void *ctx, int signal);

/* Owned by the caller; all zero except signal_fd. */
struct outlet {
    struct str waiting;          /* output that has not been written yet */
    int signal_fd;               /* a signalfd; -1 = none */
    outlet_signal_fn *on_signal; /* may be NULL if signal_fd is -1 */
    void *ctx;                   /* borrowed */
    bool closed;                 /* the reader has closed the pipe: output is dropped */
    int error; /* errno of a write that failed although there was a reader; 0 = none */
};

/* Handles the signals that have arrived; returns false if on_signal did. */
bool outlet_take_signals(struct outlet *outlet);
/* Returns whether the reader of stdout has closed it. Asks the kernel and writes nothing. */
bool outlet_is_deserted(void);

/*
 * The tee: a command's complete output, from the engine's thread to the main thread. The log only
 * keeps its head and tail.
 */

enum { TEE_BYTES_MAX = 1024 * 1024 }; /* bytes that can wait; if there are more, the child blocks */

struct tee;

/* Opens an empty tee. */
ATTR_MUST_USE bool tee_open(struct tee **out, struct err *err);
/* Frees the tee. No other thread may call tee_put() any more. */
void tee_close(struct tee *tee);

/* Engine thread, as engine_options.tee; ctx is the tee. Blocks while TEE_BYTES_MAX bytes wait. */
void tee_put(void *ctx, int stream, const char *bytes, size_t len);
/* Drops all further output, so that tee_put() never blocks again. */
void tee_give_up(struct tee *tee);

/* The stream itself. */

enum stream_form { STREAM_PLAIN, STREAM_JSON, STREAM_OUTPUT };

struct stream {
    const struct place *place; /* borrowed */
    int64_t run;               /* 0 = the current run */
    struct known_plan known;   /* the run's plan, if this process has it */
    int64_t shown_seq;         /* skip events up to this one */
    enum stream_form form;
    const struct record_filter *filter; /* borrowed; NULL = all records */
    bool names_run;                     /* prefix each line with the run's number */
    bool details;                       /* add the hash of each result (event_details()) */
    bool folds;                         /* consecutive cancelled tasks share a line */
    bool follow;                        /* continue until the run ends */
    int done_fd;                 /* readable once the engine in this process has ended; -1 = none */
    int signal_fd;               /* a signalfd; -1 = none */
    struct tee *tee;             /* borrowed; STREAM_OUTPUT only: the source of the output */
    outlet_signal_fn *on_signal; /* called for each signal; false ends the stream */
    void *ctx;                   /* borrowed; for on_signal */
    int *unwritten; /* receives the errno of a failed write instead of an error; may be NULL */
};

/* Prints all available events. With `follow`, continues until the run or the engine has ended, or
 * until the reader has closed the pipe and there is no engine in this process. */
ATTR_MUST_USE bool stream_print(const struct stream *stream, struct err *err);
/* Like stream_print(), for callers that need the result of the run: *out is the follower,
 * positioned after the last line, also after an error; it is unchanged if the log cannot be opened.
 * The caller closes it before anything that `known` borrows. */
ATTR_MUST_USE bool stream_follow(const struct stream *stream, struct follower **out,
                                 struct err *err);

#endif
