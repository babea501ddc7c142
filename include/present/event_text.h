/*
 * event_text.h - an event as a line for people and as a JSON object for programs.
 */
#ifndef DEVS_EVENT_TEXT_H
#define DEVS_EVENT_TEXT_H

#include <stdbool.h>

#include "event.h"
#include "run_state.h"
#include "str.h"

enum event_level { EVENT_LEVEL_ERROR, EVENT_LEVEL_INFO, EVENT_LEVEL_DEBUG };

/* Returns the importance of an event: a step that gave up or needs a person is an error,
 * bookkeeping is debug. */
enum event_level event_level(const struct event *event);
/* Returns "error", "info" or "debug". Static. */
const char *event_level_name(enum event_level level);

/* Appends the event as text, without time and line feed: "tax try 2/3 GREEN failed test-fail (rule)
 * exit 1 ran 1:51". `state` must be the state after the event. */
void event_words(const struct run_state *state, const struct event *event, struct str *out);

/* Like event_words(), without the task and the attempt. */
void event_words_alone(const struct run_state *state, const struct event *event, struct str *out);

/* Appends one JSON object without a line feed: {"v":1,"run":..,"seq":..,"at":..,"kind":..,
 * "level":..,"task":..,...,"message":text}. The message of every recorded retry is "[TRANSIENT
 * RETRY] attempt N/max for taskId=X, reason=TYPE" (requirement B6). */
void event_json(const struct run_state *state, int64_t run, const struct event *event,
                struct str *out);

/* Appends the additional line that is shown at the debug level: the hash of an attempt's result,
 * the number of equal results in a row, and the share of new lines. Returns false if there is no
 * such line. */
bool event_details(const struct run_state *state, const struct event *event, struct str *out);

#endif
