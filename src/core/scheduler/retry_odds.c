/* retry_odds.c - what may be said of the next attempt of one task. */
#include "retry_help.h"

/* The number of the last attempt of earlier rounds; 0 for none. */
static int last_before(const struct step_state *step, int round)
{
    int number = 0;
    for (size_t i = 0; i < step->attempt_count && step->attempts[i].round < round; i++)
        number = step->attempts[i].number;
    return number;
}

bool retry_case_of(const struct run_state *state, int task, struct retry_case *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *last = step_state_attempt(step);
    if (!last || last->ended.at_ms == 0 || last->outcome.kind == OUTCOME_CANCELLED ||
        last->outcome.kind == OUTCOME_INTERRUPTED)
        return false;
    const struct failure_class class = failure_class_of(last);
    if (class.label.class == VERDICT_SUCCESS || last->round != run_state_round(state, task))
        return false;
    const struct attempt_state *before = step_state_find_attempt(step, last->number - 1);
    const int number = last->number + 1;
    *out = (struct retry_case){
        .class = class,
        .same = before && before->round == last->round &&
                digest_is_same(before->fingerprint, last->fingerprint),
        .number = number,
        .try = number - last_before(step, last->round),
    };
    return true;
}

static const struct retry_class *find(const struct retry_help *help,
                                      const struct failure_class *class)
{
    for (int i = 0; i < help->class_count; i++) {
        if (failure_class_equals(&help->classes[i].class, class))
            return &help->classes[i];
    }
    return NULL;
}

bool retry_help_odds(const struct retry_help *help, const struct retry_case *like,
                     struct retry_odds *out)
{
    const struct retry_class *class = find(help, &like->class);
    const enum retry_of fault = like->same ? RETRY_OF_SAME_FAULT : RETRY_OF_NEW_FAULT;
    int nth = like->try;
    if (nth > RETRY_TRIES_MAX)
        nth = RETRY_TRIES_MAX;
    if (!class)
        return false;
    struct retry_odds odds = {.like = *like, .by_fault = true, .by_try = true};
    odds.count = retry_class_count(class, fault, nth, nth);
    if (odds.count.cases < RETRY_CASES_MIN) {
        odds.by_try = false;
        odds.count = retry_class_count(class, fault, 0, 0);
    }
    if (odds.count.cases < RETRY_CASES_MIN) {
        odds.by_fault = false;
        odds.count = retry_class_count(class, RETRY_OF_ALL, 0, 0);
    }
    if (odds.count.cases < RETRY_CASES_MIN)
        return false;
    *out = odds;
    return true;
}
