/*
 * shown_inputs.h - the recorded inputs of a decision, read: shown_decision.c and shown_end.c only.
 */
#ifndef DEVS_SHOWN_INPUTS_H
#define DEVS_SHOWN_INPUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "outcome.h"

struct json;
struct step_state;

/* NULL if there is nothing, or nothing that can be read. The caller ends it with json_free(). */
struct json *shown_inputs_parse(const char *text);
/* A number of them; `otherwise` where it is not there, or is more than any run comes to
 * (FOLD_TIME_MAX_MS): it may be computed with. */
int64_t shown_inputs_number(const struct json *inputs, const char *key, int64_t otherwise);
/* Did the step's latest attempt end so? */
bool shown_ended_as(const struct step_state *step, enum outcome_kind kind);

#endif
