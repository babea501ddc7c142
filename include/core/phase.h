/*
 * phase.h - the four phases of a task, in their order.
 */
#ifndef DEVS_PHASE_H
#define DEVS_PHASE_H

#include <stdbool.h>

#include "attr.h"

enum phase { PHASE_RED, PHASE_GREEN, PHASE_VERIFY, PHASE_REFACTOR, PHASE_COUNT };

/* "RED", ... */
const char *phase_name(enum phase phase);

/* 'R', 'G', 'V', 'F': what the phase strip shows. */
char phase_letter(enum phase phase);

/* False if the text is no phase name (capitals as above); *out is then untouched. */
ATTR_MUST_USE bool phase_parse(const char *text, enum phase *out);

#endif
