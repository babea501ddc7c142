/*
 * workflow_prompt.h - the prompt of a workflow, from its text and what differs from case to case.
 *
 * Pure; any thread.
 */
#ifndef DEVS_WORKFLOW_PROMPT_H
#define DEVS_WORKFLOW_PROMPT_H

#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "str.h"

/* What stands for {{name}}. Both borrowed. */
struct workflow_value {
    const char *name; /* small letters and '_' */
    const char *text;
};

struct workflow_values {
    const struct workflow_value *items; /* borrowed */
    size_t count;
};

/* Append the text, each {{name}} replaced by its value, which is taken as it is: nothing in it is
 * replaced. Braces around anything but such a name are text. ERR_INVALID for a name that has no
 * value. */
ATTR_MUST_USE bool workflow_prompt_fill(const char *text, const struct workflow_values *values,
                                        struct str *out, struct err *err);

#endif
