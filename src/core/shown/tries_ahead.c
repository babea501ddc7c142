#include "tries_ahead.h"

#include <stddef.h>

#include "scheduling.h"

/* What was decided of the attempt that failed last, made again: its facts are those of the next
 * ones but for what counts on. */
static void last_facts(const struct run_state *state, int task, const struct verdict *verdict,
                       struct scheduler_ruling *out)
{
    struct run_state *of = (struct run_state *)(uintptr_t)state; /* nothing is emitted */
    const struct step_state *step = run_state_step(state, task);
    const struct input input = {.now = step->wait_from};
    const struct scheduling now = {.state = of, .input = &input};
    scheduler_rule(&now, task, &step_state_attempt(step)->outcome, verdict, out);
}

/* The same failure once more: with another result, and no server names a time. */
static void fail_again(const struct run_state *state, int task, int attempt,
                       struct protocol_facts *facts)
{
    const struct draw_key key = {.seed = state->seed,
                                 .task = task,
                                 .step = run_state_step_number(state, task),
                                 .round = run_state_round(state, task),
                                 .attempt = attempt};
    facts->draw = policy_draw(&key);
    facts->used++;
    facts->results = NULL;
    facts->result_count = 0;
    facts->circles = NULL;
    facts->is_unchanged = false;
}

static int alike_of(const struct protocol_facts *facts)
{
    const int window = facts->policy->window;
    const int stops = facts->policy->same_stops;
    int least = window > 0 ? window : stops;
    if (stops > 0 && stops < least)
        least = stops;
    least *= facts->scale;
    const int unchanged = facts->policy->unchanged_stops;
    const bool may_repeat = unchanged > 0 && facts->verdict->class == VERDICT_PERSISTENT;
    return may_repeat && (least == 0 || unchanged < least) ? unchanged : least;
}

static void look_ahead(const struct run_state *state, int task, struct protocol_facts *facts,
                       struct tries_ahead *out)
{
    struct decision decision;
    for (;;) {
        fail_again(state, task, out->first + out->count - 1, facts);
        protocol_decide(facts, &decision);
        if (decision.kind != DECISION_WAIT || out->count == POLICY_ATTEMPTS_MAX)
            break;
        out->waits_ms[out->count++] = decision.delay.delay_ms;
        out->more_ms += decision.delay.delay_ms;
        facts->now = decision.due;
    }
    out->end = decision.kind;
}

bool tries_ahead(const struct run_state *state, int task, struct tries_ahead *out)
{
    const struct task_state *of = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *last = step_state_attempt(step);
    const bool waits = step->status == STEP_WAITING && last && step->verdict_json && !of->held &&
                       !of->cancelling && !state->ended;
    if (!waits || last->outcome.kind == OUTCOME_INTERRUPTED)
        return false;
    struct scheduler_ruling ruling;
    struct verdict verdict;
    last_facts(state, task, step_state_verdict(step, &verdict), &ruling);
    verdict.retry_after_ms = -1;
    ruling.facts.verdict = &verdict;
    ruling.facts.now = step->due;
    const bool is_start = last->outcome.kind == OUTCOME_NOT_STARTED;
    ruling.facts.used = is_start ? step->start_failures : step->used;
    *out = (struct tries_ahead){.first = last->number + 1,
                                .shown = is_start ? step->start_failures + 1 : last->number + 1,
                                .count = 1,
                                .due = step->due,
                                .waits_ms = {step_state_formulas(step)->delay.delay_ms},
                                .is_start = is_start,
                                .alike = alike_of(&ruling.facts)};
    look_ahead(state, task, &ruling.facts, out);
    return true;
}

void tries_ahead_words(const struct tries_ahead *ahead, const struct shown_time *time,
                       struct str *out)
{
    enum { NAMED_MAX = 3 }; /* more of them say nothing more */
    const char *noun = ahead->is_start ? "start" : "try";
    char clock[SHOWN_CLOCK_MAX];
    str_addf(out, "%s %d at %s", noun, ahead->shown, time->hms(ahead->due.at_ms, clock));
    for (int i = 1; i < ahead->count && i <= NAMED_MAX; i++) {
        str_addf(out, "%s%s %d ", i > 1 ? ", " : "; if it fails ", noun, ahead->shown + i);
        shown_duration(ahead->waits_ms[i], out);
        str_add(out, " later");
    }
    if (ahead->count > NAMED_MAX + 1)
        str_addf(out, ", and so on to %s %d", noun, ahead->shown + ahead->count - 1);
    str_addf(out, "%s %s", ahead->count > 1 ? "; then" : ", the last one: else",
             task_status_name(task_status_after(ahead->end)));
    if (ahead->count > 1)
        str_addf(out, ", no sooner than %s plus the run times",
                 time->hms(ahead->due.at_ms + ahead->more_ms, clock));
    if (ahead->alike > 0)
        str_addf(out, "; %d equal results in a row end it before", ahead->alike);
}
