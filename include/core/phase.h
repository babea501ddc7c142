/*
 * phase.h - the four phases of a task, in order.
 */
#ifndef DEVS_PHASE_H
#define DEVS_PHASE_H

#include <stdbool.h>

#include "attr.h"

enum phase { PHASE_RED, PHASE_GREEN, PHASE_VERIFY, PHASE_REFACTOR, PHASE_COUNT };

/* "RED", ... */
const char *phase_name(enum phase phase);

/* Returns the letter in the phase strip: 'R', 'G', 'V', 'F'. */
char phase_letter(enum phase phase);

/* Returns false and leaves *out alone if the text is not a phase name in capitals. */
ATTR_MUST_USE bool phase_parse(const char *text, enum phase *out);

#endif
