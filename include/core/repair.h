/*
 * repair.h - what an agent is told when its output does not fit its contract, or a check of its
 * work fails, and whether it is asked again at all (requirements D2, D3).
 */
#ifndef DEVS_REPAIR_H
#define DEVS_REPAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "str.h"
#include "violation.h"

enum {
    REPAIR_SHOWN_MAX = 20,         /* violations in a prompt; the others are counted */
    REPAIR_PROMPT_MAX = 16 * 1024, /* bytes of a prompt */
    REPAIR_PROMPT_MIN = 2500,      /* what any limit leaves room for */
};

/* May the agent be asked to repair these? False if one of them, kept or dropped, is
 * KERNEL_MISMATCH or OP_MISMATCH: it did something else than was asked, and words do not
 * mend that. False for an empty list: there is nothing to repair. */
bool repair_may_retry(const struct violations *violations);

/* Append the prompt: each violation with its path, code, error, and what was expected and
 * got where known, the most important first, then what to do. No control byte gets in; at
 * most REPAIR_PROMPT_MAX bytes. */
void repair_prompt(const struct violations *violations, struct str *out);
/* The same in at most `max` bytes, which is REPAIR_PROMPT_MAX at most, REPAIR_PROMPT_MIN at
 * least. */
void repair_prompt_within(const struct violations *violations, size_t max, struct str *out);

/* A step behind an agent that failed, or the agent's own output where only the lines of its
 * verdict are left. All borrowed; NULL = not known. */
struct repair_failure {
    char *const *argv;      /* NULL-terminated; NULL: it is the agent's output */
    const char *ended;      /* how, in a few words */
    const char *violations; /* lines that say what keeps the output from its contract */
    const char *tail;       /* the end of its output; need not be text */
    size_t tail_len;
    bool expected_to_fail; /* and it passed, or failed in another way */
};

/* Append what the agent is told of it in the next round: the command, how it ended, what is
 * wrong, and as much of the end of the output as has room, in at most `max` bytes
 * (REPAIR_PROMPT_MIN at least). No control byte but line feeds and tabs gets in. */
void repair_failure_prompt(const struct repair_failure *failure, size_t max, struct str *out);

#endif
