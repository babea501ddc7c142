/*
 * The loop state of a task, as the fold keeps it: the state of the rungs over the attempts of all
 * its steps, and their current verdict.
 *
 * Only attempts that exited, died of a signal or timed out count as steps. Attempts that never
 * started, were canceled or were interrupted do not.
 */
#include "circles.h"

#include <stdint.h>
#include <stdlib.h>

#include "event.h"

/* Number of low bits for the attempt: entropy.h gets step and attempt as one number. No step has
 * 2^24 attempts. */
enum { ATTEMPT_BITS = 24 };
static const int64_t attempt_mask = (INT64_C(1) << ATTEMPT_BITS) - 1;

struct digest circles_call(struct digest call, int step)
{
    /* 2^64 divided by the golden ratio; odd, so that no two steps get the same digest. */
    const uint64_t spread = UINT64_C(0x9e3779b97f4a7c15);
    return (struct digest){.hi = call.hi, .lo = call.lo + (uint64_t)step * spread};
}

bool circles_counts(enum outcome_kind kind)
{
    return kind == OUTCOME_EXIT || kind == OUTCOME_SIGNAL || kind == OUTCOME_TIMEOUT;
}

void circles_apply(struct circles *circles, const struct entropy_fact *fact,
                   const struct circles_attempt *attempt, const struct entropy_limits *limits)
{
    struct entropy_verdict *verdict = &circles->verdict;
    const struct entropy_verdict before = *verdict;
    const int64_t number = (int64_t)attempt->step << ATTEMPT_BITS | attempt->number;

    entropy_apply(&circles->state, fact, number, limits, verdict);
    circles->first_step = (int)(verdict->first_number >> ATTEMPT_BITS);
    circles->last_step = (int)(verdict->last_number >> ATTEMPT_BITS);
    verdict->first_number &= attempt_mask;
    verdict->last_number &= attempt_mask;
    circles->told = false;
    if (before.level == ENTROPY_OK || !digest_equal(before.identity, verdict->identity))
        circles->since = attempt->at;
}

bool circles_is_about(const struct circles *circles, int step, int attempt)
{
    return circles && circles->verdict.level != ENTROPY_OK && circles->last_step == step &&
           circles->verdict.last_number == attempt;
}

int circles_scale(const struct circles *circles)
{
    return circles && circles->state.scale > 1 ? circles->state.scale : 1;
}

int circles_next_scale(const struct circles *circles)
{
    int scale = 2 * circles_scale(circles);
    return scale < ENTROPY_SCALE_MAX ? scale : ENTROPY_SCALE_MAX;
}

void circles_go_on(struct circles *circles, int scale)
{
    entropy_state_go_on(&circles->state);
    circles->state.scale = scale; /* the logged value, whatever this build would compute */
    circles->verdict = (struct entropy_verdict){0};
    circles->first_step = circles->last_step = 0;
    circles->told = false;
}

void circles_begin_anew(struct circles *circles)
{
    const int scale = circles->state.scale;
    entropy_state_reset(&circles->state);
    circles->state.scale = scale;
    circles->verdict = (struct entropy_verdict){0};
    circles->first_step = circles->last_step = 0;
    circles->told = false;
}

struct loop_facts circles_facts(const struct circles *circles, int step, unsigned masks,
                                struct str *why)
{
    const struct entropy_verdict *verdict = &circles->verdict;
    struct loop_facts facts = {.first_step = -1, .last_step = -1};
    if (verdict->level == ENTROPY_OK)
        return facts;
    entropy_why(verdict, why);
    facts.rung = verdict->rung;
    facts.count = verdict->count;
    facts.period = verdict->period;
    facts.first = verdict->first_number;
    facts.last = verdict->last_number;
    if (circles->first_step != step)
        facts.first_step = circles->first_step;
    if (circles->last_step != step)
        facts.last_step = circles->last_step;
    facts.masks = masks;
    facts.masked = verdict->masked;
    facts.poll = verdict->poll;
    facts.identity = verdict->identity;
    facts.why = str_text(why);
    return facts;
}

void circles_free(struct circles *circles)
{
    if (!circles)
        return;
    entropy_state_done(&circles->state);
    free(circles);
}
