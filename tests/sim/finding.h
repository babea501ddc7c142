/*
 * finding.h - the first broken invariant of a simulated run.
 */
#ifndef DEVS_SIM_FINDING_H
#define DEVS_SIM_FINDING_H

#include <stdbool.h>

#include "attr.h"

enum { FINDING_NAME_MAX = 64, FINDING_WORDS_MAX = 600 };

struct finding {
    bool broken;
    int turn;
    char name[FINDING_NAME_MAX]; /* of the invariant */
    char words[FINDING_WORDS_MAX];
};

/* Checks that invariant `name` holds. If it does not, records it, unless another one was recorded
 * before. Returns `holds`. */
ATTR_PRINTF(4, 5)
bool finding_check(struct finding *finding, bool holds, const char *name, const char *fmt, ...);

#endif
