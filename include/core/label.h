/*
 * label.h - a verdict's class without its evidence, as one word for people.
 */
#ifndef DEVS_LABEL_H
#define DEVS_LABEL_H

#include <stdbool.h>

#include "attr.h"
#include "str.h"
#include "verdict.h"

/* A plain value. */
struct verdict_label {
    enum verdict_class class;
    enum transient_type type; /* transient only */
    enum reason reason;       /* persistent only; NONE: it has no reason of its own */
};

/* "success", "persistent", a transient type ("NETWORK_TIMEOUT") or a persistent
 * reason ("test-fail"): the words of the run log. */
const char *verdict_label_word(const struct verdict_label *label);

/* The inverse, in any case; the short words of the screen ("network") do too.
 * False if the text is none of them: "transient" alone says too little. */
ATTR_MUST_USE bool verdict_label_parse(const char *text, struct verdict_label *out);

/* The same class, type and reason. */
bool verdict_label_equals(const struct verdict_label *a, const struct verdict_label *b);

/* All words verdict_label_parse() takes in the log's form, with ", " between them. */
void verdict_label_words(struct str *out);

#endif
