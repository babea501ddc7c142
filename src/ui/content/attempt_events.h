/*
 * attempt_events.h - what the log tells of one attempt: its events, and the JSON they carry.
 *
 * For the thread that owns the reader.
 */
#ifndef DEVS_ATTEMPT_EVENTS_H
#define DEVS_ATTEMPT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "event.h"
#include "json.h"
#include "log_reader.h"

/* As log_reader_attempt_events(), but nothing later than the event last_seq: in a replay the log
 * knows more than the moment that is shown. The caller ends the page with event_page_done(). */
ATTR_MUST_USE bool attempt_events_read(struct log_reader *reader, const struct log_output_key *key,
                                       int64_t last_seq, struct event_page *out, struct err *err);

/* The last event of a kind, which is the page's; NULL for none. */
const struct event *attempt_events_last(const struct event_page *events, enum event_kind kind);

/* A text of the log as JSON, for json_free(). NULL for NULL and for what is damaged, which is shown
 * as if it were not there. */
struct json *attempt_events_parse(const char *text);

#endif
