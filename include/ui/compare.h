/*
 * compare.h - two attempts side by side: how each ended and what was decided, what the second one
 * wrote that the first did not, and what each changed in its workspace.
 *
 * Outputs are compared as the fingerprint compares them: line by line with what moves by itself
 * masked (normaliser.h), so "<ts>" or "<dur>" stands where two clocks differ. The difference is
 * made here and not by a child `git diff`: lines equal but for masks have to count as equal, which
 * git cannot be told, and a screen's thread starts no process and writes no file for a key.
 *
 * A value of its own, made by one call on the readers' thread; any one thread afterwards.
 */
#ifndef DEVS_COMPARE_H
#define DEVS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "line_diff.h"
#include "log_reader.h"
#include "report_rows.h"
#include "run_state.h"
#include "str.h"

enum { COMPARE_FIRST, COMPARE_SECOND, COMPARE_SIDES };

/* Which attempt. All borrowed for the call. */
struct compare_subject {
    const struct run_state *state; /* of the key's run */
    struct log_reader *reader;
    struct log_output_key key; /* `readable` says whether an agent's stdout is compared as words */
};

/* What is told of both, in this order. */
enum compare_fact {
    COMPARE_ENDED,
    COMPARE_CLASS,
    COMPARE_WHY,  /* the rule and what it went by */
    COMPARE_THEN, /* what was decided */
    COMPARE_STARTED,
    COMPARE_RAN,
    COMPARE_WAITED,
    COMPARE_USED,   /* CPU and memory */
    COMPARE_RESULT, /* the fingerprint, in brief */
    COMPARE_NEW,
    COMPARE_BY,
    COMPARE_AGENT,
    COMPARE_CHANGED,
    COMPARE_FACT_COUNT,
};

/* Texts that are compared by line. */
enum compare_text {
    COMPARE_OUT,
    COMPARE_ERR,
    COMPARE_WORDS, /* of an agent */
    COMPARE_DIFF,  /* what it changed, as a patch; nothing is masked in it */
    COMPARE_TEXT_COUNT,
};

enum { COMPARE_BYTES_MAX = 64 * 1024 * 1024 }; /* of the lines of one text */
struct compare_line {
    size_t start, len; /* in `bytes`; cleaned for a terminal */
};

struct compare_lines {
    struct str bytes;
    struct compare_line *items; /* owned */
    struct digest *digests;     /* owned; of each line */
    size_t count, cap, digest_cap;
    unsigned masks; /* bits 1 << enum normaliser_mask */
    bool is_cut;    /* there were more than LINE_DIFF_LINES_MAX, or COMPARE_BYTES_MAX */
};

enum { COMPARE_PATHS_MAX = 500 };
struct compare_path {
    char letter;            /* 'A', 'M', 'D', ...: as in the run log */
    int64_t added, removed; /* lines; -1 = not counted */
    char *path;             /* owned */
};

struct compare_side {
    struct log_output_key key;
    struct str name; /* "#41/tax try 1 of GREEN" */
    struct str facts[COMPARE_FACT_COUNT];
    bool passed;
    struct digest fingerprint;
    struct compare_lines texts[COMPARE_TEXT_COUNT];
    struct compare_path paths[COMPARE_PATHS_MAX];
    size_t path_count;
    bool paths_known; /* what it changed was looked at */
};

struct compare {
    struct compare_side sides[COMPARE_SIDES];
    struct line_diff diffs[COMPARE_TEXT_COUNT];
    size_t fresh, second_lines; /* of the second's out, err and words: lines that the first has
                                   nowhere, and all of them */
};

/* The caller ends *out with compare_done(), also after an error. About 40 KiB, and what was
 * written. */
ATTR_MUST_USE bool compare_read(struct compare *out,
                                const struct compare_subject subjects[COMPARE_SIDES],
                                struct err *err);
/* Frees what it holds. */
void compare_done(struct compare *compare);

/* "ended", "class", ...: the words of labels and JSON. Static. */
const char *compare_fact_name(enum compare_fact fact);
/* "out", "err", ...: likewise. */
const char *compare_text_name(enum compare_text text);

struct compare_look {
    int columns; /* 0: lines are not cut, and facts stand as on 80 */
    bool ascii;
};
/* All of it in rows for that width; what *out held is forgotten. At most REPORT_ROWS_MAX, and a
 * last one that says how many are missing. */
void compare_lay(const struct compare *compare, const struct compare_look *look,
                 struct report_rows *out);

#endif
