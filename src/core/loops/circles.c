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

/* Encodes a step and its attempt number as one number, for entropy.h. No step has more attempts. */
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
    circles->state.scale = scale; /* as logged, whatever this build would compute */
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

/* Appends what circles_to_json() says beside the rung, its count, and the first and last number. */
static void add_details(const struct circles *circles, int step, unsigned masks, struct str *out)
{
    const struct entropy_verdict *verdict = &circles->verdict;
    char identity[DIGEST_HEX_MAX];
    struct str why = {0};
    digest_to_hex(verdict->identity, identity);
    entropy_why(verdict, &why);
    if (verdict->period > 0)
        str_json_i64(out, "period", verdict->period);
    if (circles->first_step != step)
        str_json_i64(out, "first_step", circles->first_step);
    if (circles->last_step != step)
        str_json_i64(out, "last_step", circles->last_step);
    str_json_text(out, "identity", identity);
    if (verdict->masked)
        str_json_bool(out, "masked", true);
    if (verdict->poll)
        str_json_bool(out, "poll", true);
    if (masks != 0)
        str_json_i64(out, "masks", masks);
    str_json_text(out, "why", str_text(&why));
    str_done(&why);
}

void circles_to_json(const struct circles *circles, int step, unsigned masks, struct str *out)
{
    const struct entropy_verdict *verdict = &circles->verdict;
    if (verdict->level == ENTROPY_OK)
        return;
    str_json_text(out, "rung", entropy_rung_name(verdict->rung));
    str_json_i64(out, "count", verdict->count);
    str_json_i64(out, "first", verdict->first_number);
    str_json_i64(out, "last", verdict->last_number);
    add_details(circles, step, masks, out);
}

void circles_suspicion(const struct circles *circles, unsigned masks, struct event *event,
                       struct str *more)
{
    const struct entropy_verdict *verdict = &circles->verdict;
    event->loop.rung = verdict->rung;
    event->loop.first = verdict->first_number;
    event->loop.last = verdict->last_number;
    event->loop.count = verdict->count;
    str_add_char(more, '{');
    if (verdict->level != ENTROPY_OK)
        add_details(circles, event->step, masks, more);
    str_add_char(more, '}');
    event->more = str_text(more);
}

void circles_free(struct circles *circles)
{
    if (!circles)
        return;
    entropy_state_done(&circles->state);
    free(circles);
}
