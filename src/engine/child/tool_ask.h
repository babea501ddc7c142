/*
 * tool_ask.h - a question to a program of the machine: its answer, within limits. Blocks.
 */
#ifndef DEVS_TOOL_ASK_H
#define DEVS_TOOL_ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "tool_run.h"

/* `words`: NULL-terminated, the first one the program. True if it ended with exit code 0 in
 * time; else *err (may be NULL) says why not. The caller ends *out with tool_result_done()
 * either way. */
ATTR_MUST_USE bool tool_ask(const char *const *words, char *const *environment, int64_t timeout_ms,
                            struct tool_result *out, struct err *err);

#endif
