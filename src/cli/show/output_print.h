/*
 * output_print.h - an attempt's recorded output, all streams to stdout, from its
 * start, and on as it grows. Main thread.
 */
#ifndef DEVS_OUTPUT_PRINT_H
#define DEVS_OUTPUT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_reader.h"

/* A value of the caller's; end it with output_print_done(). */
struct output_print {
    struct log_reader *reader; /* borrowed */
    struct log_output_key key;
    bool times;      /* each line begins with when it came, and on which stream */
    int open_stream; /* with times: of the line that has not ended yet; 0 = none */
    int64_t after;   /* last row printed */
    int64_t next[LOG_STREAM_COUNT + 1]; /* by stream: offset that comes next */
    struct output_page page;
};

/* Print what is new. To a terminal it is cleaned of control bytes, elsewhere it
 * goes out as it came. Bytes that were not kept are named in a line. */
ATTR_MUST_USE bool output_print_more(struct output_print *print, struct err *err);
void output_print_done(struct output_print *print);

#endif
