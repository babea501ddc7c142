/*
 * trace_json.h - a run in the Trace Event Format, which Perfetto and chrome://tracing open. Pure.
 *
 * The run is a process, each task a thread of it; attempts and waits are slices, all other events
 * are instants, and a counter says how many tasks run and how many wait. Times are microseconds
 * from the run's first event, by the steady clock; where the machine was started anew in between,
 * by the wall clock. They never go back.
 * Format: "Trace Event Format" (Google, 2016), the forms M, X, i and C.
 */
#ifndef DEVS_TRACE_JSON_H
#define DEVS_TRACE_JSON_H

#include <stdint.h>

#include "event.h"
#include "run_state.h"
#include "str.h"

struct trace_json;

/* A run of this number and name; appends the beginning of the text. The caller ends *out with
 * trace_json_close(). */
void trace_json_open(struct trace_json **out, int64_t run, const char *name, struct str *text);
/* The next event, all from the first one on; `state` has it folded in. Appends whole objects. */
void trace_json_add(struct trace_json *trace, const struct run_state *state,
                    const struct event *event, struct str *text);
/* Appends what was still open, up to the last event, the names of the tasks, and the end. */
void trace_json_end(struct trace_json *trace, const struct run_state *state, struct str *text);
/* NULL is allowed. */
void trace_json_close(struct trace_json *trace);

#endif
