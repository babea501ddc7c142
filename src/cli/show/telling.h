/*
 * telling.h - the line of a failed task's output that says most, for summaries and status.
 */
#ifndef DEVS_TELLING_H
#define DEVS_TELLING_H

#include <stdint.h>

#include "log_reader.h"
#include "run_state.h"
#include "str.h"

enum { TELLING_BYTES = 16 * 1024 };
/* Appends one clean line about a failed task: the line that its class was decided by, else the line
 * of its last output that says most, stderr before stdout. Nothing if it wrote nothing. Reads at
 * most TELLING_BYTES of the log. */
void telling_line(struct log_reader *reader, int64_t run, const struct run_state *state, int task,
                  struct str *out);

#endif
