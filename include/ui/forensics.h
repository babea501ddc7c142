/*
 * forensics.h - what is known of one attempt's end, as sections of lines: the same for a screen
 * and for a pipe.
 *
 * Made from the capture, the attempt's events and its output in the log. Every line went through
 * text_clean(). What was not captured says why. A value of its own, made by one call; belongs to
 * the reader's thread while it is made, to any one thread afterwards.
 */
#ifndef DEVS_FORENSICS_H
#define DEVS_FORENSICS_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "log_reader.h"
#include "run_state.h"
#include "str.h"

enum forensics_section {
    FORENSICS_VERDICT,
    FORENSICS_END,
    FORENSICS_COMMAND,
    FORENSICS_TREE,
    FORENSICS_DIFF,
    FORENSICS_OUT,
    FORENSICS_ERR,
    FORENSICS_TESTS,
    FORENSICS_PROCESSES,
    FORENSICS_MACHINE,
    FORENSICS_SECTION_COUNT,
};

/* How a line is meant. */
enum forensics_mark {
    FORENSICS_PLAIN,
    FORENSICS_LABEL,   /* a head within the section */
    FORENSICS_LACKS,   /* not captured, and why */
    FORENSICS_HIT,     /* the bytes that the rule went by */
    FORENSICS_ADDED,   /* of a diff */
    FORENSICS_REMOVED, /* likewise */
};

/* A line, or a piece of a long one: each fits on a small screen. */
struct forensics_line {
    size_t start, len; /* in `text` */
    enum forensics_mark mark;
    bool goes_on; /* the next one is the rest of it */
    bool is_rest; /* of the one before */
    int hang;     /* columns that its further rows are indented by, where it needs several */
};

enum {
    FORENSICS_NOTE_MAX = 32,
    FORENSICS_LABEL_COLUMNS = 12, /* before the value, in lines that tell one thing by its name */
};

struct forensics {
    struct log_output_key key;    /* whose it is; attempt 0: there is none */
    struct verdict verdict;       /* of one that failed; of any other its class is success */
    struct str head;              /* how it ended, what was kept: one line */
    struct str secrets;           /* what was cut, by name; "" for nothing: one line */
    struct str nothing;           /* why there is no capture; "" if there is one: one line */
    struct str text;              /* of all lines */
    struct forensics_line *lines; /* owned; section by section */
    size_t count, cap;
    struct {
        size_t first, count;           /* of the lines */
        char note[FORENSICS_NOTE_MAX]; /* a word or two for the list: "96 lines" */
        bool there;                    /* it says more than why it is not there */
    } sections[FORENSICS_SECTION_COUNT];
};

/* "verdict", "command, env", ...: for the list. Static. */
const char *forensics_name(enum forensics_section section);
/* The same as a head: "VERDICT". Static. */
const char *forensics_title(enum forensics_section section);

/* What is known of attempt `key` as of state->last_seq. `run` of the key is the reader's run of
 * this state. *out is filled in, what it held before is freed; end it with forensics_done(). Where
 * the log cannot be read `nothing` says why, and the attempt is 0. */
ATTR_MUST_USE bool forensics_read(struct forensics *out, const struct run_state *state,
                                  const struct log_output_key *key, struct log_reader *reader,
                                  struct err *err);
/* Free; NULL is allowed, the value is empty afterwards. */
void forensics_done(struct forensics *forensics);

/* The text of a line, not ended by a NUL. */
const char *forensics_line(const struct forensics *forensics, size_t index);

/* All of it as text, for a pipe: heads in capitals, lines indented. */
void forensics_to_text(const struct forensics *forensics, struct str *out);

#endif
