/* forensics.h - everything that is known about the end of one attempt, in sections of lines. The
 * screen and piped output share the same text.
 *
 * Built from the capture, the attempt's events and its output in the log. Every line went through
 * text_clean(). If something was not captured, a line says why. A standalone value, made by one
 * call; it belongs to the reader's thread while it is being made, and to any one thread
 * afterwards. */
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

/* What a line means, which decides its style. */
enum forensics_mark {
    FORENSICS_PLAIN,
    FORENSICS_LABEL,   /* a heading within the section */
    FORENSICS_LACKS,   /* not captured, and why */
    FORENSICS_HIT,     /* the bytes that the rule matched */
    FORENSICS_ADDED,   /* an added line of a diff */
    FORENSICS_REMOVED, /* a removed line of a diff */
};

/* A line, or a piece of a long one; each fits on a small screen. */
struct forensics_line {
    size_t start, len; /* position in `text` */
    enum forensics_mark mark;
    bool goes_on; /* the next line continues this one */
    bool is_rest; /* continues the previous line */
    int hang;     /* indentation of continuation rows, in columns, if the line needs several rows */
};

enum {
    FORENSICS_NOTE_MAX = 32,
    FORENSICS_LABEL_COLUMNS = 12, /* width of the label in "label value" lines */
};

struct forensics {
    struct log_output_key key;    /* the attempt; attempt 0: there is none */
    struct verdict verdict;       /* verdict of a failed attempt; otherwise its class is success */
    struct str head;              /* how the attempt ended and what was captured; one line */
    struct str secrets;           /* the names of redacted secrets, "" if none; one line */
    struct str nothing;           /* why there is no capture, "" if there is one; one line */
    struct str text;              /* the text of all lines */
    struct forensics_line *lines; /* owned; grouped by section */
    size_t count, cap;
    struct {
        size_t first, count;           /* indexes into `lines` */
        char note[FORENSICS_NOTE_MAX]; /* a short note for the list: "96 lines" */
        bool there; /* whether the section has content, not just a reason why it is empty */
    } sections[FORENSICS_SECTION_COUNT];
};

/* Returns the name shown in the list: "verdict", "command, env", ... Static. */
const char *forensics_name(enum forensics_section section);
/* Returns the section's heading: "VERDICT". Static. */
const char *forensics_title(enum forensics_section section);

/* Collects everything that is known about attempt `key` as of state->last_seq. `key->run` is the
 * reader's number of the run in `state`. Frees the old contents of *out; the caller frees the new
 * value with forensics_done(). Fails if the log cannot be read; then `nothing` says why and the
 * attempt is 0. */
ATTR_MUST_USE bool forensics_read(struct forensics *out, const struct run_state *state,
                                  const struct log_output_key *key, struct log_reader *reader,
                                  struct err *err);
/* Frees the contents and leaves an empty value. `forensics` may be NULL. */
void forensics_done(struct forensics *forensics);

/* Returns the text of a line, which is not NUL-terminated. */
const char *forensics_line(const struct forensics *forensics, size_t index);

/* Appends everything as text for a pipe: headings in capitals, lines indented. */
void forensics_to_text(const struct forensics *forensics, struct str *out);

#endif
