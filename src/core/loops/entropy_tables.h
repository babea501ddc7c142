/*
 * entropy_tables.h - the inside of an entropy_memory: what its files share. Private to
 * core.
 */
#ifndef DEVS_ENTROPY_TABLES_H
#define DEVS_ENTROPY_TABLES_H

#include "entropy_call.h"
#include "entropy_memory.h"
#include "entropy_news.h"

enum {
    TALKED_MAX = 3,    /* messages that a new one is compared with */
    FAILURES_MAX = 16, /* failures that a new one is compared with */
    PLACE_LINES = 64,  /* of a result that are compared without places in sources */
};

/* How a call ended. */
enum call_end { CALL_END_NONE, CALL_END_OK, CALL_END_FAILED, CALL_END_RUNNING, CALL_END_COUNT };

/* What is known of a call that was made before. */
struct known_call {
    uint64_t outcome;    /* of the last time */
    unsigned char end;   /* enum call_end, of the last time */
    unsigned char flips; /* saturates */
};

/* A failure of a call, its places in sources ("main.c:17") left out. */
struct known_failure {
    uint64_t call, sum;
    uint64_t shapes; /* sum of the different shapes of its lines: all numbers left out */
    double place;    /* number of the first such place, such as a line; 0: none */
    double faults;   /* what it counts that is wrong; 0: nothing */
};

/* The last ones, a ring. */
struct known_failures {
    struct known_failure last[FAILURES_MAX];
    int next;
};

/* Failures in a row for one cause. */
struct refusals {
    unsigned causes;       /* hints that they have in common; 0: the last failure had none */
    int count;             /* saturates */
    int strays;            /* failures since, there, for no cause in common */
    struct word_set names; /* that all of these calls have in their arguments */
};

/* What the present step has shown so far. */
struct step_sums {
    struct digest sums[NEWS_FORMS]; /* of line digests, mod 2^128 */
    uint64_t raw;
    unsigned hints; /* of entropy_hints.h, of the first lines */
    unsigned masks;
    int64_t lines;
    size_t longest; /* bytes of the longest of the first lines */
    bool echo_seen[SHELL_ECHOES_MAX];
    struct word_set said;         /* words of the first lines, if no command line was run */
    uint64_t last_line;           /* of the general form */
    bool last_has_echo;           /* there are words of the call in it */
    uint64_t placeless;           /* sum of the first lines' hashes without places in sources */
    double place;                 /* the first such place; 0: none */
    double faults;                /* sum of the numbers that count what is wrong */
    uint64_t shapes[PLACE_LINES]; /* the different shapes of those lines: all numbers left out */
    int shape_count;
    uint64_t shape_sum;
};

struct entropy_memory {
    struct entropy_limits limits;
    struct entropy_news news;
    struct entropy_table calls;
    struct known_call *known; /* owned; by place in `calls` */
    size_t known_cap;
    struct entropy_table succeeded; /* exact calls that did: another time is no news */
    struct entropy_call call;       /* the present step's */
    struct normaliser_words *words; /* owned; of the present call, may be NULL */
    struct step_sums sums;
    bool attempt; /* the present step is one of ours */
    bool chants;
    bool alike;
    struct word_set talked[TALKED_MAX]; /* of the last messages, a ring */
    int talked_count;                   /* messages since the last call */
    struct word_set spoken;             /* the words of all of them */
    bool paused;                        /* a pause was the last step */
    struct call_text before;            /* of the last call */
    uint64_t failed_tool;               /* of the last call, if that failed; else 0 */
    struct word_set failed_said;        /* the words of its message */
    struct word_set rewritten;          /* content that the last call gave a file */
    uint64_t rewritten_path;            /* that file, 0: the last call was none */
    int rewrites;                       /* such calls in a row, of that file */
    struct refusals *refusals;          /* owned; NULL before the first */
    int sweep;                          /* calls in a row that only ask the same of another name */
    struct known_failures *failures;    /* owned; NULL before the first */
    struct entropy_sample *first, *last, *now; /* owned; NULL until something was masked */
    uint64_t error;                            /* last line of the last step, if that failed */
    int errors;                                /* steps in a row that failed and ended in it */
    bool last_there;                           /* a step has ended: first and last mean something */
};

/* What is known of the call; NULL if it was not made before. */
struct known_call *entropy_tables_known(struct entropy_memory *memory, struct digest call);
/* The same; it is known from now on. */
struct known_call *entropy_tables_know(struct entropy_memory *memory, struct digest call);

#endif
