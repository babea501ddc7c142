/* entropy_words.c - a verdict of the rungs in words. */
#include "entropy.h"

#include <assert.h>
#include <string.h>

#include "str.h"

static const char *const level_names[] = {
    [ENTROPY_OK] = "ok",
    [ENTROPY_SUSPECT] = "suspect",
    [ENTROPY_STUCK] = "stuck",
};
static_assert(ARRAY_LEN(level_names) == ENTROPY_LEVEL_COUNT, "every level has a name");

static const char *const rung_names[] = {
    [ENTROPY_RUNG_NONE] = "none",           [ENTROPY_RUNG_REPEAT] = "repeat",
    [ENTROPY_RUNG_CYCLE] = "cycle",         [ENTROPY_RUNG_FAILURE] = "failure",
    [ENTROPY_RUNG_BARREN] = "barren",       [ENTROPY_RUNG_PAUSE] = "pause",
    [ENTROPY_RUNG_MONOLOGUE] = "monologue", [ENTROPY_RUNG_CHANT] = "chant",
};
static_assert(ARRAY_LEN(rung_names) == ENTROPY_RUNG_COUNT, "every rung has a name");

const char *entropy_level_name(enum entropy_level level)
{
    assert(level < ENTROPY_LEVEL_COUNT);
    return level_names[level];
}

const char *entropy_rung_name(enum entropy_rung rung)
{
    assert(rung < ENTROPY_RUNG_COUNT);
    return rung_names[rung];
}

enum entropy_rung entropy_rung_named(const char *name)
{
    for (int i = 0; i < ENTROPY_RUNG_COUNT; i++)
        if (strcmp(rung_names[i], name) == 0)
            return (enum entropy_rung)i;
    return ENTROPY_RUNG_NONE;
}

void entropy_why(const struct entropy_verdict *verdict, struct str *out)
{
    const int count = verdict->count;
    switch (verdict->rung) {
    case ENTROPY_RUNG_NONE:
        return;
    case ENTROPY_RUNG_REPEAT:
        str_addf(out,
                 verdict->poll ? "looked %d times in a row at something that does not change"
                               : "the same call with the same result, %d times in a row",
                 count);
        break;
    case ENTROPY_RUNG_CYCLE:
        str_addf(out, "the same %d steps, %d laps", verdict->period, count);
        break;
    case ENTROPY_RUNG_FAILURE:
        str_addf(out, "the same call failed in the same way %d times", count);
        break;
    case ENTROPY_RUNG_BARREN:
        str_addf(out, "%d steps in a row brought nothing new", count);
        break;
    case ENTROPY_RUNG_PAUSE:
        str_addf(out, "%d pauses in a row and nothing else", count);
        break;
    case ENTROPY_RUNG_MONOLOGUE:
        str_addf(out, "%d messages in a row say the same", count);
        break;
    case ENTROPY_RUNG_CHANT:
        str_add(out, "a message repeats itself over and over");
        break;
    case ENTROPY_RUNG_COUNT:
        break;
    }
}
