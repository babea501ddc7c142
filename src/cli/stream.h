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
#include "event_text.h"
#include "place.h"

enum stream_form { STREAM_PLAIN, STREAM_JSON, STREAM_OUTPUT };

struct stream {
    const struct place *place; /* borrowed */
    int64_t run;               /* number; 0 = the newest */
    enum stream_form form;
    enum event_level level; /* least important that is printed */
    const char *task;       /* only this task's; NULL = all */
    bool follow;            /* go on until the run ends */
    int done_fd;            /* engine in this process: readable when it ended; -1 */
    int signal_fd;          /* readable when a signal came; -1 = none */
};

/* Print until there is no more (or, with follow, until the run or the engine has
 * ended). *signal_out (may be NULL) is a signal that came on signal_fd and made
 * it return early, else 0. */
ATTR_MUST_USE bool stream_print(const struct stream *stream, int *signal_out, struct err *err);

#endif
