#include "control.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

static const char *const verb_names[] = {
    [CONTROL_CANCEL] = "cancel",
    [CONTROL_RETRY] = "retry",
    [CONTROL_HOLD] = "hold",
    [CONTROL_RELEASE] = "release",
};
static_assert(ARRAY_LEN(verb_names) == CONTROL_VERB_COUNT, "every verb has a name");

static const char *const mode_names[] = {
    [CANCEL_STOP] = "stop",
    [CANCEL_TERM] = "term",
    [CANCEL_KILL] = "kill",
};
static_assert(ARRAY_LEN(mode_names) == CANCEL_MODE_COUNT, "every mode has a name");

const char *control_verb_name(enum control_verb verb)
{
    assert(verb >= CONTROL_CANCEL);
    assert(verb < CONTROL_VERB_COUNT);
    return verb_names[verb];
}

bool control_verb_parse(const char *text, enum control_verb *out)
{
    for (size_t i = CONTROL_CANCEL; i < ARRAY_LEN(verb_names); i++) {
        if (strcmp(verb_names[i], text) == 0) {
            *out = (enum control_verb)i;
            return true;
        }
    }
    return false;
}

const char *cancel_mode_name(enum cancel_mode mode)
{
    assert(mode < CANCEL_MODE_COUNT);
    return mode_names[mode];
}

bool cancel_mode_parse(const char *text, enum cancel_mode *out)
{
    for (size_t i = 0; i < ARRAY_LEN(mode_names); i++) {
        if (strcmp(mode_names[i], text) == 0) {
            *out = (enum cancel_mode)i;
            return true;
        }
    }
    return false;
}
