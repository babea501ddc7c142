/*
 * outcome.h - the facts of an attempt's end, before any judgment; and the phases of steps.
 */
#ifndef DEVS_OUTCOME_H
#define DEVS_OUTCOME_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"

/* Numbers are stored in the log: never renumber. */
enum outcome_kind {
    OUTCOME_EXIT = 0,        /* `code` is the exit status, 0..255 */
    OUTCOME_SIGNAL = 1,      /* `code` is the number of a signal that devs did not send */
    OUTCOME_NOT_STARTED = 2, /* `code` is the errno of the start, or an enum start_code */
    OUTCOME_TIMEOUT = 3,     /* devs ended the attempt because its time was up */
    OUTCOME_CANCELLED = 4,   /* devs ended the attempt on a person's request */
    OUTCOME_INTERRUPTED = 5, /* devs died while the attempt ran */
    OUTCOME_LOST = 6, /* on another machine: how the command ended is not known, or the machine
                         ended it; no process of the attempt is left */
    OUTCOME_KIND_COUNT,
};

/* Why an attempt never started, if there is no errno. Numbers are stored in the log and larger
 * than any errno: never renumber. */
enum start_code {
    START_CODE_FIRST = 1001,
    START_SANDBOX_FAILED = 1001,   /* the sandbox refused or failed */
    START_TIMED_OUT = 1002,        /* the sandbox was not ready in time */
    START_DAEMON_DOWN = 1003,      /* the container engine does not answer */
    START_IMAGE_MISSING = 1004,    /* the container's image is missing */
    START_WORKSPACE_FAILED = 1005, /* the workspace cannot be created or restored */
    START_CONFLICT = 1006,         /* the results of the needed tasks do not merge */
    START_NO_SPACE = 1007,         /* no space for the workspace or its snapshot */
    START_TOO_LARGE = 1008,        /* the workspace exceeds the limit of a snapshot */
    START_LEFT_ALIVE = 1009,       /* processes of an earlier attempt of the step cannot be ended */
    START_SECRET_MISSING = 1010,   /* a secret that was redacted from the plan in the log is
                                      missing */
    START_STDIN_GONE = 1011,       /* the standard input of devs exec cannot be read again */
    START_EXECUTOR_DOWN = 1012,    /* the other machine does not answer */
    START_EXECUTOR_REFUSED = 1013, /* the other machine refused the connection or the attempt */
    START_HAND_MISSING = 1014,     /* devs-hand is missing on the other machine, or is another
                                      version */
    START_NO_FOLDER = 1015,        /* the working folder is missing on the other machine */
    START_QUEUED_TOO_LONG = 1016,  /* its job waited in the queue of a cluster for too long */
    START_CODE_END,
};

/* The evidence that no process of an attempt on another machine is left. */
enum outcome_proof {
    PROOF_NONE = 0,   /* on this machine, or not known */
    PROOF_REAPED = 1, /* devs-hand reaped every process of it */
    PROOF_FENCED = 2, /* its lease and the grace period are over */
    PROOF_COUNT,
};

/* What a cluster did to an attempt of OUTCOME_LOST or OUTCOME_TIMEOUT. Numbers are stored in the
 * log: never renumber. */
enum outcome_cause {
    CAUSE_NONE = 0,       /* nothing, or not known */
    CAUSE_TIME_LIMIT = 1, /* the job's time was up */
    CAUSE_PREEMPTED = 2,  /* other work displaced it */
    CAUSE_CANCELLED = 3,  /* somebody else cancelled the job */
    CAUSE_MEMORY = 4,     /* it used more memory than the job has */
    CAUSE_NODE = 5,       /* its node failed */
    CAUSE_COUNT,
};

/* The state of an attempt's job on a cluster. Numbers are stored in the log: never renumber. */
enum job_state {
    JOB_QUEUED = 0,  /* waits in the cluster's queue */
    JOB_RUNNING = 1, /* has its node; commands can start */
    JOB_ENDED = 2,   /* has left its node; the task's next attempt needs a new job */
    JOB_STATE_COUNT,
};

/* Why devs ended an attempt without a request. */
enum outcome_stop {
    STOP_ASKED = 0,    /* on request, or not ended by devs */
    STOP_LOOP = 1,     /* the agent's calls loop */
    STOP_BUDGET = 2,   /* a budget is spent */
    STOP_HOPELESS = 3, /* the agent's own retries cannot succeed without a person */
    STOP_COUNT,
};

struct outcome {
    enum outcome_kind kind;
    int code;
    enum outcome_stop stop; /* CANCELLED only */
    int processes_left;     /* processes that could not be ended */
    int own_retries;        /* own retries of the agent since the model last answered */
    int64_t quiet_ms;       /* TIMEOUT only: time without output; 0 = the attempt's time was up */
    int64_t own_wait_ms; /* part of ran_ms: from the agent's first own retry to the next answer or
                            the end */
    int64_t ran_ms;      /* from start to end */
    int64_t bytes[2];    /* bytes written to stdout and stderr */
    int64_t lines[2];    /* line feeds in stdout and stderr */
    int64_t rss_kib_max; /* peak memory of the child and the processes it waited for */
    int64_t cpu_ms;      /* user + system */
    enum outcome_proof proof;
    enum outcome_cause cause;
};

/* Returns "exit", "signal", "not started", "timeout", "cancelled", "interrupted" or
 * "lost". Static. */
const char *outcome_kind_name(enum outcome_kind kind);

/* Returns true for an enum start_code, false for an errno. */
bool start_code_is_known(int code);

/* Returns "none", "time limit", "preempted", "cancelled", "memory" or "node failed". Static. */
const char *outcome_cause_name(enum outcome_cause cause);
/* Returns "queued", "running" or "ended". Static. */
const char *job_state_name(enum job_state state);

struct str;
/* Appends text such as "exit 1", "signal 9", "not started: No such file or directory", "timeout",
 * "timeout: no output for 900 s" or "stopped: its budget is spent". */
void outcome_words(const struct outcome *outcome, struct str *out);

/* Returns whether the end says nothing about the work, so that it uses up no attempt: devs died
 * (INTERRUPTED), or the other machine was lost (LOST). */
static inline bool outcome_is_broken_off(enum outcome_kind kind)
{
    return kind == OUTCOME_INTERRUPTED || kind == OUTCOME_LOST;
}

/* Returns false if devs died during the attempt: time and output were not measured, so these
 * numbers are 0. */
bool outcome_is_seen(const struct outcome *outcome);

/*
 * The four phases of a task, in order.
 */

enum phase { PHASE_RED, PHASE_GREEN, PHASE_VERIFY, PHASE_REFACTOR, PHASE_COUNT };

/* Returns "RED", ... Static. */
const char *phase_name(enum phase phase);

/* Returns the letter in the phase strip: 'R', 'G', 'V', 'F'. */
char phase_letter(enum phase phase);

/* Parses a phase name in capitals. Returns false and leaves *out alone for any other text. */
ATTR_MUST_USE bool phase_parse(const char *text, enum phase *out);

#endif
