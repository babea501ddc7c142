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

/* How much an event matters: gave up and needs you are errors, bookkeeping is debug. */
enum event_level event_level(const struct event *event);
/* "error", "info", "debug". Static. */
const char *event_level_name(enum event_level level);

/* Words without time: "tax try 2/3 GREEN failed test-fail (rule) exit 1 ran 1:51".
 * `state` has the event folded in. No line feed. */
void event_words(const struct run_state *state, const struct event *event, struct str *out);

/* The same without the task and the attempt. */
void event_words_alone(const struct run_state *state, const struct event *event, struct str *out);

/* One JSON object, no line feed: {"v":1,"run":..,"seq":..,"at":..,"kind":..,
 * "level":..,"task":..,...,"message":words}. Every recorded retry has the
 * message "[TRANSIENT RETRY] attempt N/max for taskId=X, reason=TYPE" (B6). */
void event_json(const struct run_state *state, int64_t run, const struct event *event,
                struct str *out);

/* What only the debug level says of an event, as a second line in words: the hash of an
 * attempt's result, how many are equal in a row and the share of its lines that are new. False if
 * there is nothing. */
bool event_details(const struct run_state *state, const struct event *event, struct str *out);

#endif
