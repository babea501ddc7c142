/*
 * content_internal.h - what forensics.c, which reads and prints the forensics of an attempt, and
 * forensics_sections.c, which makes its sections, share.
 */
#ifndef DEVS_CONTENT_INTERNAL_H
#define DEVS_CONTENT_INTERNAL_H

#include "forensics.h"
#include "json.h"

struct forensics_facts {
    const struct run_state *state; /* borrowed, as all below */
    const struct plan_step *plan;
    const struct step_state *step;
    const struct attempt_state *attempt;
    const struct event_page *events; /* of the attempt, those that the state has */
    struct json *capture;            /* owned; NULL = there is none */
    struct json *changes;            /* owned; its second part; likewise */
    struct json *verdict;            /* owned; the judgement's text; NULL = none, or a success */
    const struct output_page *output;
    size_t captured_bytes;
};

/* Lines of the section that is being made. Line feeds in the text begin new
 * lines. */
void forensics_add(struct forensics *out, enum forensics_mark mark, const char *text, size_t len);
/* One line as printf makes it, at most TEXT_LINE_MAX bytes; its line feeds begin new ones. */
ATTR_PRINTF(3, 4)
/* One line as printf makes it, at most TEXT_LINE_MAX bytes; its line feeds begin new ones. */
void forensics_addf(struct forensics *out, enum forensics_mark mark, const char *fmt, ...);
/* "label      value" */
ATTR_PRINTF(3, 4)
/* One line of the two; line feeds in the value become blanks. */
void forensics_pair(struct forensics *out, const char *label, const char *fmt, ...);
/* Why an item is not there: the capture's word, else why there is no capture. `label` begins the
 * line. */
void forensics_lacks(struct forensics *out, const struct forensics_facts *facts, const char *label,
                     const char *item);
/* Does the capture have it? */
const struct json *forensics_item(const struct forensics_facts *facts, const char *item);

/* "14.2 kB"; a file may say any number. */
void forensics_size(int64_t bytes, struct str *out);
/* The same of KiB. */
void forensics_size_kib(int64_t kib, struct str *out);

/* Makes the lines of one section of what is known. */
typedef void forensics_section_fn(struct forensics *out, const struct forensics_facts *facts);
forensics_section_fn forensics_verdict, forensics_command, forensics_tree, forensics_diff,
    forensics_out, forensics_err, forensics_end, forensics_tests, forensics_processes,
    forensics_machine;

/* A word or two beside the section's name in the list. */
ATTR_PRINTF(3, 4)
/* Write it, at most FORENSICS_NOTE_MAX bytes; an earlier one is gone. */
void forensics_note(struct forensics *out, enum forensics_section section, const char *fmt, ...);

#endif
