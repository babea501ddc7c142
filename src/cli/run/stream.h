/*
 * stream.h - a run as lines: one for each event, plain or JSON; or the output of
 * the command itself (exec).
 */
#ifndef DEVS_STREAM_H
#define DEVS_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "filter.h"
#include "follower.h"
#include "outlet.h"
#include "place.h"
#include "tee.h"

enum stream_form { STREAM_PLAIN, STREAM_JSON, STREAM_OUTPUT };

struct stream {
    const struct place *place; /* borrowed */
    int64_t run;               /* number; 0 = the current one */
    struct known_plan known;   /* the run's plan, where this process has it */
    int64_t shown_seq;         /* events up to this one are not printed */
    enum stream_form form;
    const struct record_filter *filter; /* borrowed; NULL = all records */
    bool names_run;                     /* each line begins with the run's number */
    bool details;                       /* and the hash of each result (event_details()) */
    bool folds;                         /* tasks cancelled in a row share a line */
    bool follow;                        /* continue until the run ends */
    int done_fd;                        /* engine in this process: readable when it ended; -1 */
    int signal_fd;                      /* a signalfd; -1 = none */
    struct tee *tee;             /* borrowed; STREAM_OUTPUT only: where the output comes from */
    outlet_signal_fn *on_signal; /* told of each signal; false ends the stream */
    void *ctx;                   /* borrowed; for on_signal */
    int *unwritten; /* errno of a write that failed, which is then no error; may be NULL */
};

/* Print until there is no more (or, with follow, until the run or the engine has
 * ended, or nobody reads any more and no engine is ours). */
ATTR_MUST_USE bool stream_print(const struct stream *stream, struct err *err);
/* The same for who asks what the run came to: *out is where the lines ended, whatever comes of
 * them, untouched where the log cannot be opened. It is the caller's, who closes it before what
 * `known` borrows. */
ATTR_MUST_USE bool stream_follow(const struct stream *stream, struct follower **out,
                                 struct err *err);

#endif
