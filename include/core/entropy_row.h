/*
 * entropy_row.h - one trajectory as a JSON row, and the verdict on it as another: what
 * `devs entropy` reads and writes. Pure.
 *
 *   {"id": "x", "steps": [{"tool": "shell", "args": {"command": "make"}, "exit": 2,
 *    "output": "..."}, ...]}
 *   {"id":"x","verdict":"stuck","rung":"repeat","step":5,"identity":"...","why":"..."}
 *
 * `exit` -1: still running; other than 0: failed; missing: 0. Tool "message" with
 * args.text: words of the agent. Tool "user", or a message with args.role "user": a
 * person's word, a new segment begins.
 */
#ifndef DEVS_ENTROPY_ROW_H
#define DEVS_ENTROPY_ROW_H

#include "attr.h"
#include "entropy_limits.h"
#include "err.h"
#include "str.h"

enum {
    ENTROPY_ROW_STEPS_MAX = 100000,
    ENTROPY_ROW_VALUES_MAX = 650000, /* values of a row; each takes some 200 bytes while read */
};

/* Append the row of the highest verdict that is reached, with the step (from 1) where it
 * first is, and a line feed. ERR_INVALID says what of the row is wrong; nothing is
 * appended then. */
ATTR_MUST_USE bool entropy_row(const struct entropy_limits *limits, const struct str *row,
                               struct str *out, struct err *err);

/* Thresholds from a JSON object of their names; those that are not named stay. `text`
 * ends with NUL. ERR_INVALID, and *limits unchanged, for anything else. */
ATTR_MUST_USE bool entropy_limits_read(struct entropy_limits *limits, const char *text,
                                       struct err *err);

#endif
