/* shown_circles.c - going in circles, in words. */
#include <assert.h>

#include "attr.h"
#include "shown.h"

static const struct {
    const char *brief; /* short enough for "brief 99x" in a column */
    const char *equal;
} rungs[] = {
    [ENTROPY_RUNG_NONE] = {"", ""},
    [ENTROPY_RUNG_REPEAT] = {"same", "the call and its result"},
    [ENTROPY_RUNG_CYCLE] = {"laps", "the calls of each lap and their results"},
    [ENTROPY_RUNG_FAILURE] = {"fault", "the call and how it fails"},
    [ENTROPY_RUNG_BARREN] = {"no news", "no result has a line that was not there before"},
    [ENTROPY_RUNG_PAUSE] = {"pauses", "nothing is done but to wait"},
    [ENTROPY_RUNG_MONOLOGUE] = {"alike", "what the messages say"},
    [ENTROPY_RUNG_CHANT] = {"chants", "the parts of one message"},
};
static_assert(ARRAY_LEN(rungs) == ENTROPY_RUNG_COUNT, "every rung has its words");

void shown_circles(const struct entropy_verdict *verdict, struct str *out)
{
    if (verdict->level == ENTROPY_OK)
        return;
    switch (verdict->rung) {
    case ENTROPY_RUNG_REPEAT:
        str_addf(out, "same result %d times", verdict->count);
        break;
    case ENTROPY_RUNG_CYCLE:
        str_addf(out, "%d laps of %d steps", verdict->count, verdict->period);
        break;
    case ENTROPY_RUNG_FAILURE:
        str_addf(out, "same failure %d times", verdict->count);
        break;
    case ENTROPY_RUNG_BARREN:
        str_addf(out, "nothing new in %d tries", verdict->count);
        break;
    case ENTROPY_RUNG_PAUSE:
        str_addf(out, "%d pauses and nothing else", verdict->count);
        break;
    case ENTROPY_RUNG_MONOLOGUE:
        str_addf(out, "%d messages alike", verdict->count);
        break;
    case ENTROPY_RUNG_CHANT:
        str_add(out, "one message says the same over and over");
        break;
    case ENTROPY_RUNG_NONE:
    case ENTROPY_RUNG_COUNT:
        break;
    }
}

void shown_circles_brief(const struct entropy_verdict *verdict, struct str *out)
{
    enum { SHORT_COUNT_MAX = 9 }; /* more leave no room for the x behind "circles?" */
    if (verdict->level == ENTROPY_OK)
        return;
    if (verdict->level == ENTROPY_SUSPECT)
        str_addf(out, "circles? %d%s", verdict->count, verdict->count > SHORT_COUNT_MAX ? "" : "x");
    else if (verdict->rung == ENTROPY_RUNG_CHANT)
        str_add(out, rungs[verdict->rung].brief);
    else
        str_addf(out, "%s %dx", rungs[verdict->rung].brief, verdict->count);
}

const char *shown_circles_equal(const struct entropy_verdict *verdict)
{
    assert(verdict->rung < ENTROPY_RUNG_COUNT);
    return verdict->level == ENTROPY_OK ? "" : rungs[verdict->rung].equal;
}

/* Cut, not rounded: .99 is not everything. */
void shown_new(int permille, struct str *out)
{
    enum { PERMILLE = 1000, PER_HUNDRED = 10 };
    if (permille < 0)
        return;
    if (permille >= PERMILLE)
        str_add(out, "1.0");
    else
        str_addf(out, ".%02d", permille / PER_HUNDRED);
}
