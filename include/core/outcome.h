/*
 * outcome.h - the facts of one attempt's end, before anybody judges them.
 */
#ifndef DEVS_OUTCOME_H
#define DEVS_OUTCOME_H

#include <stdint.h>

/* Numbers are in the log: never renumber. */
enum outcome_kind {
    OUTCOME_EXIT = 0,        /* code: exit status 0..255 */
    OUTCOME_SIGNAL = 1,      /* code: signal number, not sent by us */
    OUTCOME_NOT_STARTED = 2, /* code: errno of the start */
    OUTCOME_TIMEOUT = 3,     /* we ended it: its time was used up */
    OUTCOME_CANCELLED = 4,   /* we ended it: a person asked */
    OUTCOME_INTERRUPTED = 5, /* devs died while it ran */
    OUTCOME_KIND_COUNT,
};

struct outcome {
    enum outcome_kind kind;
    int code;
    int64_t ran_ms;      /* from start to end */
    int64_t bytes[2];    /* written to stdout, stderr */
    int64_t lines[2];    /* line feeds in each */
    int64_t rss_kib_max; /* peak memory of the child and what it waited for */
    int64_t cpu_ms;      /* user + system */
    int left;            /* processes that outlived every attempt to end them */
};

/* "exit", "signal", "not started", "timeout", "cancelled", "interrupted". */
const char *outcome_kind_name(enum outcome_kind kind);

/* "exit 1", "signal 9", "not started: No such file or directory", "timeout". */
struct str;
void outcome_words(const struct outcome *outcome, struct str *out);

#endif
