/*
 * trace_json.h - a run in the Trace Event Format, which Perfetto and chrome://tracing open. Pure.
 *
 * The run is a process and each task a thread. Attempts and waits are slices, all other events are
 * instants, and a counter has the numbers of running and waiting tasks. Times are microseconds
 * since the run's first event on the steady clock, or on the wall clock across a reboot. They never
 * go back.
 *
 * Format: "Trace Event Format" (Google, 2016), the forms M, X, i and C.
 */
#ifndef DEVS_TRACE_JSON_H
#define DEVS_TRACE_JSON_H

#include <stdint.h>

#include "event.h"
#include "run_state.h"
#include "str.h"

struct trace_json;

/* Appends the beginning for a run with this number and name. The caller frees *out with
 * trace_json_close(). */
void trace_json_open(struct trace_json **out, int64_t run, const char *name, struct str *text);
/* Appends whole objects for the next event. Call it for all events from the first one on; `state`
 * must have the event applied. */
void trace_json_add(struct trace_json *trace, const struct run_state *state,
                    const struct event *event, struct str *text);
/* Appends slices that are still open, up to the last event, the names of the tasks, and the end. */
void trace_json_end(struct trace_json *trace, const struct run_state *state, struct str *text);
/* Accepts NULL. */
void trace_json_close(struct trace_json *trace);

#endif
