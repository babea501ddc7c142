/*
 * outcome.h - the facts of one attempt's end, before anybody judges them.
 */
#ifndef DEVS_OUTCOME_H
#define DEVS_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers are in the log: never renumber. */
enum outcome_kind {
    OUTCOME_EXIT = 0,        /* code: exit status 0..255 */
    OUTCOME_SIGNAL = 1,      /* code: signal number, not sent by us */
    OUTCOME_NOT_STARTED = 2, /* code: errno of the start, or an enum start_code */
    OUTCOME_TIMEOUT = 3,     /* we ended it: its time was used up */
    OUTCOME_CANCELLED = 4,   /* we ended it: a person asked */
    OUTCOME_INTERRUPTED = 5, /* devs died while it ran */
    OUTCOME_KIND_COUNT,
};

/* Why an attempt never started where no errno says it. Numbers are in the log and beyond any
 * errno: never renumber. */
enum start_code {
    START_CODE_FIRST = 1001,
    START_SANDBOX_FAILED = 1001,   /* the sandbox refused or broke */
    START_TIMED_OUT = 1002,        /* it was not ready in time */
    START_DAEMON_DOWN = 1003,      /* what runs containers does not answer */
    START_IMAGE_MISSING = 1004,    /* the container's image is not here */
    START_WORKSPACE_FAILED = 1005, /* the workspace cannot be made, or not be put back */
    START_CONFLICT = 1006,         /* the results of the needed tasks do not merge */
    START_NO_SPACE = 1007,         /* no room for the workspace or its snapshot */
    START_TOO_LARGE = 1008,        /* the workspace is over the limit of a snapshot */
    START_LEFT_ALIVE = 1009,       /* what an earlier attempt of the step left cannot be ended */
    START_SECRET_MISSING = 1010,   /* a secret that was cut from the plan in the log is not here */
    START_STDIN_GONE = 1011,       /* the standard input of devs exec cannot be read again */
    START_CODE_END,
};

/* Why we ended an attempt that nobody asked to end. Numbers are in the log: never renumber. */
enum outcome_stop {
    STOP_ASKED = 0,    /* somebody did, or we did not end it */
    STOP_LOOP = 1,     /* its calls loop */
    STOP_BUDGET = 2,   /* its budget is spent */
    STOP_HOPELESS = 3, /* its own retries cannot succeed without a person */
    STOP_COUNT,
};

struct outcome {
    enum outcome_kind kind;
    int code;
    enum outcome_stop stop; /* CANCELLED only */
    int left;               /* processes that outlived every attempt to end them */
    int own_retries;        /* of its agent, since the model last answered */
    int64_t quiet_ms;       /* TIMEOUT only: it was silent for so long; 0 = its time was used up */
    int64_t own_wait_ms;    /* of ran_ms, from a first own retry of its agent to the next answer or
                               the end */
    int64_t ran_ms;         /* from start to end */
    int64_t bytes[2];       /* written to stdout, stderr */
    int64_t lines[2];       /* line feeds in each */
    int64_t rss_kib_max;    /* peak memory of the child and what it waited for */
    int64_t cpu_ms;         /* user + system */
};

/* "exit", "signal", "not started", "timeout", "cancelled", "interrupted". */
const char *outcome_kind_name(enum outcome_kind kind);

struct event;
struct json;
/* What EVENT_ATTEMPT_ENDED says; `text` is its text, read. */
struct outcome outcome_of_end(const struct event *event, const struct json *text);

/* Is it an enum start_code, and no errno? */
bool start_code_is_known(int code);

struct str;
/* "exit 1", "signal 9", "not started: No such file or directory", "timeout", "timeout: no output
 * for 900 s", "ended: its budget is spent". */
void outcome_words(const struct outcome *outcome, struct str *out);

/* False where devs died: how long it ran and how much it wrote nobody saw, and the numbers are 0.
 */
bool outcome_is_seen(const struct outcome *outcome);

#endif
