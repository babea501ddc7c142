/*
 * compare_parts.h - what the files that compare two attempts share: compare*.c only.
 */
#ifndef DEVS_COMPARE_PARTS_H
#define DEVS_COMPARE_PARTS_H

#include "compare.h"

/* compare_text.c: what the attempt wrote, line by line, into the side's texts. */
ATTR_MUST_USE bool compare_read_output(struct compare_side *side,
                                       const struct compare_subject *subject, struct err *err);
/* A patch, without masks. */
void compare_add_patch(struct compare_lines *lines, const char *text);

/* compare_facts.c: all but the texts. */
ATTR_MUST_USE bool compare_read_facts(struct compare_side *side,
                                      const struct compare_subject *subject, struct err *err);

/* The same path in the other list; NULL = it is not there. */
const struct compare_path *compare_find_path(const struct compare_side *side, const char *path);

#endif
