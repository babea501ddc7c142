/*
 * shown_next.c - what a task does next and when, or how long ago it ended.
 *
 * Also the sources behind which tasks wait, and a forecast of the next attempts of a waiting task.
 */
#include <stddef.h>

#include "scheduler.h"
#include "shown.h"
#include "text.h"

enum { LONG_WAIT_MS = 3600 * 1000 }; /* longer waits are shown by their time of day */

/* ":07" */
static void add_sixtieths(int64_t count, struct str *out)
{
    str_add(out, count < 10 ? ":0" : ":");
    str_add_i64(out, count);
}

void shown_duration(int64_t ms, struct str *out)
{
    const int64_t s = ms > 0 ? ms / 1000 : 0;
    if (s >= 3600) {
        str_add_i64(out, s / 3600);
        add_sixtieths(s / 60 % 60, out);
    } else {
        str_add_i64(out, s / 60);
    }
    add_sixtieths(s % 60, out);
}

void shown_ran(const struct outcome *outcome, struct str *out)
{
    if (outcome_is_seen(outcome))
        shown_duration(outcome->ran_ms, out);
    else
        str_add_char(out, '?');
}

void shown_left(int64_t ms, struct str *out)
{
    enum { ROUND_UP_MS = 999 };
    shown_duration(ms > 0 ? ms + ROUND_UP_MS : 0, out);
}

static void add_since(const char *before, int64_t ms, const char *after, struct str *out)
{
    str_add(out, before);
    shown_duration(ms, out);
    str_add(out, after);
}

static const char *needed_id(const struct run_state *state, int task)
{
    const int needed = run_state_unmet(state, task);
    return needed >= 0 ? state->plan->tasks[needed].id : "";
}

static void queued_next(const struct run_state *state, int task, const struct moment *now,
                        struct str *out)
{
    if (!state->started || state->ended || shown_behind_gate(state, task, now, out))
        return;
    if (state->tasks[task].unmet > 0) {
        str_addf(out, "needs %s", needed_id(state, task));
        return;
    }
    int place = 1 + number_set_before(&state->ready, task);
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct gate_state *gate = &state->gates[i];
        if (gate->status == GATE_OPEN)
            place += number_set_before(&gate->line, task);
    }
    str_addf(out, "slot %d%s", place, text_ordinal(place));
}

static void add_clock(const char *before, int64_t at_ms, const struct shown_time *time,
                      struct str *out)
{
    char text[SHOWN_CLOCK_MAX];
    str_addf(out, "%s%s", before, time->clock(at_ms, time->now.at_ms, text));
}

static void add_at(const struct shown_time *time, int64_t at_ms, struct str *out)
{
    char hms[SHOWN_CLOCK_MAX];
    str_addf(out, "at %s", time->hms(at_ms, hms));
}

void shown_next(const struct run_state *state, int task, bool orphaned,
                const struct shown_time *time, struct str *out)
{
    const struct moment *now = &time->now;
    const struct task_state *it = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const int64_t since_ms = now->mono_ms - it->since.mono_ms;
    const bool stands = !shown_counts(state, orphaned);

    switch (shown_task(state, task, orphaned)) {
    case SHOWN_BACKOFF: {
        const int64_t due_ms = step->due.mono_ms - now->mono_ms;
        /* The countdown rounds up, so that it never shows 0:00 before the wait ends. A long wait
         * requested by a server is shown by the time of day at which it ends. */
        if (orphaned) {
            str_add(out, "devs died");
        } else if (due_ms <= 0) {
            str_add(out, "starting");
        } else if (step_state_formulas(step)->delay.hint_ms >= 0 && due_ms >= LONG_WAIT_MS) {
            add_clock("until ", step->due.at_ms, time, out);
        } else {
            str_add(out, "in ");
            shown_left(due_ms, out);
        }
        break;
    }
    case SHOWN_RUNNING:
        add_since("", attempt ? now->mono_ms - attempt->started.mono_ms : since_ms, "", out);
        break;
    case SHOWN_QUIET:
        add_since("no out ", now->mono_ms - step->heard_mono_ms, "", out);
        break;
    case SHOWN_STOPPING:
        add_since("", now->mono_ms - it->cancelled_at.mono_ms, "", out);
        break;
    case SHOWN_QUEUED:
        queued_next(state, task, now, out);
        break;
    case SHOWN_HELD:
        if (it->follows >= 0)
            str_addf(out, "after %s", state->plan->tasks[it->follows].id);
        else if (stands)
            add_at(time, it->held_since.at_ms, out);
        else
            add_since("held ", now->mono_ms - it->held_since.mono_ms, "", out);
        break;
    case SHOWN_NEEDS_YOU: {
        const int64_t resets_at_ms = shown_resets_at_ms(step);
        if (resets_at_ms > now->at_ms)
            add_clock("resets ", resets_at_ms, time, out);
        else if (stands)
            add_at(time, it->since.at_ms, out);
        else
            add_since("for ", since_ms, "", out);
        break;
    }
    case SHOWN_PASSED:
    case SHOWN_GAVE_UP:
    case SHOWN_CANCELLED:
    case SHOWN_STUCK: /* "8:27 ago", "ended 8:27", "at 13:54:10" */
        if (stands || time->times != SHOWN_TIMES_AGO)
            add_at(time, it->since.at_ms, out);
        else if (it->status == TASK_PASSED)
            add_since("", since_ms, " ago", out);
        else
            add_since("ended ", since_ms, "", out);
        break;
    case SHOWN_BLOCKED:
        str_addf(out, "needs %s", needed_id(state, task));
        break;
    case SHOWN_LOST:
        str_add(out, "devs died");
        break;
    case SHOWN_COUNT:
        break;
    }
}

/* Gates: the sources that currently hold tasks back. */

enum { SECOND_MS = 1000 };

static bool keeps_back(const struct run_state *state, int source)
{
    return state->started && !state->ended && state->gates[source].status != GATE_OPEN;
}

bool shown_has_gate(const struct run_state *state)
{
    for (int i = 0; i < state->plan->source_count; i++) {
        if (keeps_back(state, i))
            return true;
    }
    return false;
}

int shown_waiting(const struct run_state *state, int source)
{
    const struct gate_state *gate = &state->gates[source];
    int count = gate->line.count;
    for (int i = 0; i < state->waits.count; i++)
        count += run_state_gate(state, state->waits.items[i]) == gate;
    return count;
}

/* "; T-104, T-105 and 4 more wait", "; 6 wait". */
static void add_waiting(const struct run_state *state, int source, enum shown_room room,
                        struct str *out)
{
    enum { NAMED_MAX = 2 };
    const struct gate_state *gate = &state->gates[source];
    const int count = shown_waiting(state, source);
    int named = 0;
    if (count == 0)
        return;
    str_add(out, "; ");
    for (int i = 0; room == SHOWN_IN_FULL && i < state->plan->task_count && named < NAMED_MAX;
         i++) {
        if (!number_set_has(&gate->line, i) &&
            (!heap_has(&state->waits, i) || run_state_gate(state, i) != gate))
            continue;
        const bool is_last = named + 1 == count;
        str_addf(out, "%s%s", named == 0 ? "" : is_last ? " and " : ", ", state->plan->tasks[i].id);
        named++;
    }
    if (named > 0 && count > named)
        str_addf(out, " and %d more", count - named);
    else if (named == 0)
        str_addf(out, "%d", count);
    str_add(out, count == 1 ? " waits" : " wait");
}

void shown_gate(const struct run_state *state, int source, const struct shown_time *time,
                enum shown_room room, struct str *out)
{
    const struct gate_state *gate = &state->gates[source];
    char text[SHOWN_CLOCK_MAX];
    if (!keeps_back(state, source))
        return;
    str_addf(out, "rate limit of %s", state->plan->sources[source]);
    switch (gate->status) {
    case GATE_CLOSED: {
        const int64_t left_ms = gate->due.mono_ms - time->now.mono_ms;
        if (gate->chosen >= 0) {
            str_addf(out, ": %s is sent", state->plan->tasks[gate->chosen].id);
        } else if (left_ms <= 0) {
            str_add(out, ": the next one tries");
        } else if (room == SHOWN_IN_FULL) {
            str_addf(out, " until %s (", time->hms(gate->due.at_ms, text));
            shown_left(left_ms, out);
            str_add_char(out, ')');
        } else {
            str_add_char(out, ' ');
            shown_left(left_ms, out);
        }
        add_waiting(state, source, room, out);
        if (gate->closed > 1)
            str_addf(out, "; hit %d times in a row", gate->closed);
        break;
    }
    case GATE_PROBING:
        str_addf(out, ": %s tries", state->plan->tasks[gate->probe].id);
        add_waiting(state, source, room, out);
        break;
    case GATE_SPREADING:
        str_add(out, " is over");
        if (room == SHOWN_IN_FULL && gate->spacing_ms == SECOND_MS) {
            str_add(out, ", one start a second");
        } else if (room == SHOWN_IN_FULL) {
            str_add(out, ", one start in ");
            shown_seconds(gate->spacing_ms, out);
        }
        str_addf(out, ", %d left", gate->line.count);
        break;
    case GATE_OPEN:
    case GATE_STATUS_COUNT:
        break;
    }
}

void shown_gates(const struct run_state *state, const struct shown_time *time, enum shown_room room,
                 struct str *out)
{
    int soonest = -1, more = 0;
    for (int i = 0; i < state->plan->source_count; i++) {
        if (!keeps_back(state, i))
            continue;
        const struct gate_state *gate = &state->gates[i];
        if (soonest < 0) {
            soonest = i;
            continue;
        }
        more++;
        /* Which gate changes next: one with a running probe may change at any moment. */
        const struct gate_state *first = &state->gates[soonest];
        const bool probes = gate->status == GATE_PROBING;
        const bool first_probes = first->status == GATE_PROBING;
        bool is_sooner = gate->due.mono_ms < first->due.mono_ms;
        if (probes || first_probes)
            is_sooner = probes && !first_probes;
        soonest = is_sooner ? i : soonest;
    }
    if (soonest < 0)
        return;
    shown_gate(state, soonest, time, room, out);
    if (more > 0)
        str_addf(out, "   +%d", more);
}

bool shown_behind_gate(const struct run_state *state, int task, const struct moment *now,
                       struct str *out)
{
    const struct gate_state *gate = run_state_gate(state, task);
    if (!run_state_is_behind_gate(state, task))
        return false;
    int64_t left_ms = gate->due.mono_ms - now->mono_ms;
    if (gate->status == GATE_PROBING) {
        str_addf(out, "after %s", state->plan->tasks[gate->probe].id);
        return true;
    }
    if (gate->status == GATE_SPREADING)
        left_ms += number_set_before(&gate->line, task) * gate->spacing_ms;
    int next = gate_next(gate);
    bool is_next = gate->status != GATE_CLOSED || next == task;
    bool moves = left_ms <= 0 || gate->chosen >= 0;
    if (moves && is_next)
        return false; /* waiting for a slot */
    if (moves) {
        str_addf(out, "after %s", state->plan->tasks[next].id);
        return true;
    }
    str_add(out, "limit ");
    shown_left(left_ms, out);
    return true;
}

/* The forecast: repeats the last failure until the protocol stops retrying. */

/* Returns how many equal results in a row end the step, or 0. */
static int equal_results_max(const struct protocol_facts *facts)
{
    const int least = protocol_equal_max(facts);
    const int unchanged = protocol_unchanged_max(facts);
    const bool may_repeat = unchanged > 0 && facts->verdict->class == VERDICT_PERSISTENT;
    return may_repeat && (least == 0 || unchanged < least) ? unchanged : least;
}

/* Lets every next attempt fail with the same class, with a different result and without a retry
 * hint from a server. */
static void look_ahead(const struct run_state *state, int task, struct protocol_facts *facts,
                       struct tries_ahead *out)
{
    struct decision decision;
    for (;;) {
        const struct draw_key key = {.seed = state->seed,
                                     .task = task,
                                     .step = run_state_step_number(state, task),
                                     .round = run_state_round(state, task),
                                     .attempt = out->first + out->count - 1};
        facts->draw = policy_draw(&key);
        facts->used++;
        facts->results = NULL;
        facts->result_count = 0;
        facts->circles = NULL;
        facts->is_unchanged = false;
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
    const bool waits = step->status == STEP_WAITING && last && step->evidence && !of->held &&
                       !of->cancelling && !state->ended;
    if (!waits || last->outcome.kind == OUTCOME_INTERRUPTED)
        return false;

    /* Recreates the decision about the last failed attempt. Later attempts use the same facts,
     * except for counters. */
    struct scheduler_ruling ruling;
    struct verdict verdict;
    scheduler_rule_at(state, &step->wait_from, task, &last->outcome,
                      step_state_verdict(step, &verdict), &ruling);
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
                                .alike = equal_results_max(&ruling.facts)};
    look_ahead(state, task, &ruling.facts, out);
    return true;
}

void tries_ahead_words(const struct tries_ahead *ahead, const struct shown_time *time,
                       struct str *out)
{
    enum { NAMED_MAX = 3 }; /* more would add nothing */
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
        str_addf(out, "; %d equal results in a row end it earlier", ahead->alike);
}
