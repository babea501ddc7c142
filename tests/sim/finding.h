/*
 * finding.h - the first thing that was not as it has to be, in one simulated run.
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

/* Unless it holds, the invariant `name` is broken; only the first one is kept. Returns
 * whether it holds. */
ATTR_PRINTF(4, 5)
bool finding_check(struct finding *finding, bool holds, const char *name, const char *fmt, ...);

#endif
