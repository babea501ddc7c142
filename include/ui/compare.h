/*
 * compare.h - two attempts side by side: how each ended, what was decided, which lines only the
 * second one wrote, and what each changed in its workspace.
 *
 * Outputs are compared as the fingerprint compares them: line by line, with volatile values masked
 * (fingerprint.h), so "<ts>" or "<dur>" appears where two clocks differ. The diff is computed here
 * and not by a child `git diff`, for two reasons: lines that differ only in masked parts must count
 * as equal, which git does not support, and a UI thread must not start a process or write a file on
 * a key press.
 *
 * A standalone value, made by one call on the reader's thread; then used by any one thread.
 */
#ifndef DEVS_COMPARE_H
#define DEVS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "lines.h"
#include "log_reader.h"
#include "report_rows.h"
#include "rows.h"
#include "run_state.h"
#include "str.h"

enum { COMPARE_FIRST, COMPARE_SECOND, COMPARE_SIDES };

/* Identifies an attempt. Borrowed for the call. */
struct compare_subject {
    const struct run_state *state; /* state of the run in `key` */
    struct log_reader *reader;
    struct log_output_key key; /* `readable` says whether an agent's stdout is compared as plain
                                  text */
};

/* Texts that are compared line by line. */
enum compare_text {
    COMPARE_OUT,
    COMPARE_ERR,
    COMPARE_WORDS, /* text written by an agent */
    COMPARE_DIFF,  /* the changes of the attempt as a patch; not masked */
    COMPARE_TEXT_COUNT,
};

enum { COMPARE_BYTES_MAX = 64 * 1024 * 1024 }; /* maximum bytes of the lines of one text */
struct compare_line {
    size_t start, len; /* position in `bytes`, whose text is clean for a terminal */
};

struct compare_lines {
    struct str bytes;
    struct compare_line *items; /* owned */
    struct digest *digests;     /* owned; one per line */
    size_t count, cap, digest_cap;
    unsigned masks; /* bits 1 << enum normaliser_mask */
    bool is_cut;    /* truncated at LINE_DIFF_LINES_MAX lines or COMPARE_BYTES_MAX bytes */
};

enum { COMPARE_PATHS_MAX = 500 };
struct compare_path {
    char letter;            /* 'A', 'M', 'D', ..., as in the run log */
    int64_t added, removed; /* numbers of lines; -1 = not counted */
    char *path;             /* owned */
};

struct compare_side {
    struct log_output_key key;
    struct str name;   /* "#41/tax try 1 of GREEN" */
    struct rows facts; /* the same rows on both sides; each a single line */
    bool passed;
    struct digest fingerprint;
    struct compare_lines texts[COMPARE_TEXT_COUNT];
    struct compare_path paths[COMPARE_PATHS_MAX];
    size_t path_count;
    bool paths_known; /* the changes of the attempt were captured */
};

struct compare {
    struct compare_side sides[COMPARE_SIDES];
    struct line_diff diffs[COMPARE_TEXT_COUNT];
    /* In stdout, stderr and text of the second attempt: */
    size_t fresh;        /* lines that the first attempt does not contain */
    size_t second_lines; /* all lines */
};

/* Compares the two attempts. The caller frees *out with compare_done(), even after an error. Takes
 * about 40 KiB plus the size of the compared texts. */
ATTR_MUST_USE bool compare_read(struct compare *out,
                                const struct compare_subject subjects[COMPARE_SIDES],
                                struct err *err);
/* Frees everything that `compare` owns. */
void compare_done(struct compare *compare);

/* Returns "out", "err", ...: the name used in labels and JSON. Static. */
const char *compare_text_name(enum compare_text text);

struct compare_look {
    int columns; /* 0: lines are not truncated, and facts are laid out for 80 columns */
    bool ascii;
};
/* Lays out the whole comparison in rows of that width and replaces the contents of *out. Writes at
 * most REPORT_ROWS_MAX rows; if there are more, the last row says how many are missing. */
void compare_lay(const struct compare *compare, const struct compare_look *look,
                 struct report_rows *out);

#endif
