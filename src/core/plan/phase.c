#include "phase.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const char *const names[] = {
    [PHASE_RED] = "RED",
    [PHASE_GREEN] = "GREEN",
    [PHASE_VERIFY] = "VERIFY",
    [PHASE_REFACTOR] = "REFACTOR",
};
static_assert(ARRAY_LEN(names) == PHASE_COUNT, "every phase has a name");

const char *phase_name(enum phase phase)
{
    assert(phase < PHASE_COUNT);
    return names[phase];
}

char phase_letter(enum phase phase)
{
    assert(phase < PHASE_COUNT);
    return "RGVF"[phase];
}

bool phase_parse(const char *text, enum phase *out)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(names[i], text) == 0) {
            *out = (enum phase)i;
            return true;
        }
    }
    return false;
}
