/*
 * repair.h - what an agent is told when its output does not fit its contract, and
 * whether it is asked again at all (requirements D2, D3).
 */
#ifndef DEVS_REPAIR_H
#define DEVS_REPAIR_H

#include <stdbool.h>

#include "str.h"
#include "violation.h"

enum {
    REPAIR_SHOWN_MAX = 20,         /* violations in a prompt; the others are counted */
    REPAIR_PROMPT_MAX = 16 * 1024, /* bytes of a prompt */
};

/* May the agent be asked to repair these? False if one of them, kept or dropped, is
 * KERNEL_MISMATCH or OP_MISMATCH: it did something else than was asked, and words do not
 * mend that. False for an empty list: there is nothing to repair. */
bool repair_may_retry(const struct violations *violations);

/* Append the prompt: each violation with its path, code, error, and what was expected and
 * got where known, the most important first, then what to do. No control byte gets in; at
 * most REPAIR_PROMPT_MAX bytes. */
void repair_prompt(const struct violations *violations, struct str *out);

#endif
