/*
 * content_internal.h - shared by forensics.c, which reads and prints the forensics of an attempt,
 * and forensics_sections.c, which builds its sections.
 */
#ifndef DEVS_CONTENT_INTERNAL_H
#define DEVS_CONTENT_INTERNAL_H

#include "forensics.h"
#include "json.h"
#include "rows.h"

struct forensics_facts {
    const struct run_state *state; /* borrowed, like everything below unless noted */
    const struct plan_step *plan;
    const struct step_state *step;
    const struct attempt_state *attempt;
    const struct event_page *events; /* events of the attempt, up to the last one in `state` */
    struct json *capture;            /* owned; NULL = none */
    struct json *changes;            /* owned; the second part of the capture; NULL = none */
    const struct event *judged;      /* the verdict; NULL = none, or a success */
    const struct output_page *output;
    size_t captured_bytes;
};

/* Appends text to the current section. Line feeds start new lines. */
void forensics_add(struct forensics *out, enum forensics_mark mark, const char *text, size_t len);
/* Appends a formatted line of at most TEXT_LINE_MAX bytes. Line feeds start new lines. `fmt` is a
 * printf() format. */
ATTR_PRINTF(3, 4)
void forensics_addf(struct forensics *out, enum forensics_mark mark, const char *fmt, ...);
/* Appends "label      value" as one line. Line feeds in the value become blanks. `fmt` is a
 * printf() format. */
ATTR_PRINTF(3, 4)
void forensics_pair(struct forensics *out, const char *label, const char *fmt, ...);
/* Appends the lines of all rows, like forensics_pair(). */
void forensics_rows(struct forensics *out, const struct rows *rows);
/* Appends a line that says why an item is missing: the capture's reason, or why there is no
 * capture. The line starts with `label`. */
void forensics_lacks(struct forensics *out, const struct forensics_facts *facts, const char *label,
                     const char *item);
/* Returns the item of the capture, or NULL. */
const struct json *forensics_item(const struct forensics_facts *facts, const char *item);

/* Like size_text_add(), for a size in KiB. */
void forensics_size_kib(int64_t kib, struct str *out);

/* Builds the lines of one section. */
typedef void forensics_section_fn(struct forensics *out, const struct forensics_facts *facts);
forensics_section_fn forensics_verdict, forensics_command, forensics_tree, forensics_diff,
    forensics_out, forensics_err, forensics_end, forensics_tests, forensics_processes,
    forensics_machine;

/* Sets the short note beside the section's name in the list, at most FORENSICS_NOTE_MAX bytes.
 * `fmt` is a printf() format. */
ATTR_PRINTF(3, 4)
void forensics_note(struct forensics *out, enum forensics_section section, const char *fmt, ...);

#endif
