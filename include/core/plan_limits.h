/*
 * plan_limits.h - limits of attempts, and what a run does when its terminal goes away: words
 * that plans and settings share.
 */
#ifndef DEVS_PLAN_LIMITS_H
#define DEVS_PLAN_LIMITS_H

#include <stdint.h>

enum {
    PLAN_LINE_BYTES_MIN = 1024, /* of limits.output_line_bytes */
    PLAN_LINE_BYTES_MAX = 64 * 1024 * 1024,
    PLAN_LINE_BYTES = 1024 * 1024, /* where nothing is said */
    PLAN_PROCESSES_MAX = 100000,   /* of limits.processes */
    PLAN_FILES_MAX = 32,           /* of expect_files */
    PLAN_FILE_LINES_MAX = 1000000, /* of its min_lines */
};

/* What a run does when its terminal goes away. Numbers are stable. */
enum plan_hangup {
    PLAN_HANGUP_GO_ON = 0,  /* without a terminal */
    PLAN_HANGUP_WAIT = 1,   /* starts nothing more, and leaves when what runs has ended */
    PLAN_HANGUP_CANCEL = 2, /* as if a person had cancelled the run */
    PLAN_HANGUP_COUNT,
};

/* Limits of each attempt, whatever its sandbox. */
struct plan_limits {
    int64_t output_line_bytes; /* a line that is longer is taken as several */
    int64_t processes;         /* alive at a time; 0 = no limit */
};

/* Which of the keys a document has, as bits: what it does not say is at its default. */
enum plan_said {
    PLAN_SAYS_WORKSPACE = 1,
    PLAN_SAYS_SANDBOX = 2,
    PLAN_SAYS_LIMITS = 4,
    PLAN_SAYS_HANGUP = 8,
};

#endif
