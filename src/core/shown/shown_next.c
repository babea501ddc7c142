/* shown_next.c - what comes next of a task and when, or since when it is over. */
#include "shown.h"

enum { LONG_WAIT_MS = 3600 * 1000 }; /* told by the time of day from here */

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

static const char *ordinal(int n)
{
    bool teen = n % 100 >= 11 && n % 100 <= 13;
    if (teen)
        return "th";
    return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

int shown_needed(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    for (int i = 0; i < plan->need_count; i++) {
        if (state->tasks[plan->needs[i]].status != TASK_PASSED)
            return plan->needs[i];
    }
    return -1;
}

static const char *needed_id(const struct run_state *state, int task)
{
    const int needed = shown_needed(state, task);
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
    str_addf(out, "slot %d%s", place, ordinal(place));
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

/* A countdown never shows 0:00 before it is over: it counts up to the next second. A long
 * wait that a server asked for ends at a time of day. */
static void backoff_next(const struct step_state *step, const struct shown_time *time,
                         struct str *out)
{
    int64_t left_ms = step->due.mono_ms - time->now.mono_ms;
    if (left_ms <= 0) {
        str_add(out, "starting");
    } else if (step_state_formulas(step)->delay.hint_ms >= 0 && left_ms >= LONG_WAIT_MS) {
        add_clock("until ", step->due.at_ms, time, out);
    } else {
        str_add(out, "in ");
        shown_left(left_ms, out);
    }
}

static void needs_you_next(const struct run_state *state, int task, bool stands,
                           const struct shown_time *time, struct str *out)
{
    const struct moment *since = &state->tasks[task].since;
    int64_t resets_at_ms = shown_resets_at_ms(run_state_step(state, task));
    if (resets_at_ms > time->now.at_ms)
        add_clock("resets ", resets_at_ms, time, out);
    else if (stands)
        add_at(time, since->at_ms, out);
    else
        add_since("for ", time->now.mono_ms - since->mono_ms, "", out);
}

static void held_next(const struct run_state *state, int task, bool stands,
                      const struct shown_time *time, struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    if (it->follows >= 0)
        str_addf(out, "after %s", state->plan->tasks[it->follows].id);
    else if (stands)
        add_at(time, it->held_since.at_ms, out);
    else
        add_since("held ", time->now.mono_ms - it->held_since.mono_ms, "", out);
}

/* "8:27 ago", "ended 8:27", "at 13:54:10": of what is over. */
static void over_next(const struct run_state *state, int task, bool stands,
                      const struct shown_time *time, struct str *out)
{
    const struct moment *since = &state->tasks[task].since;
    const int64_t since_ms = time->now.mono_ms - since->mono_ms;
    if (stands || time->times != SHOWN_TIMES_AGO)
        add_at(time, since->at_ms, out);
    else if (state->tasks[task].status == TASK_PASSED)
        add_since("", since_ms, " ago", out);
    else
        add_since("ended ", since_ms, "", out);
}

void shown_next(const struct run_state *state, int task, bool orphaned,
                const struct shown_time *time, struct str *out)
{
    const struct moment *now = &time->now;
    const struct task_state *it = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    int64_t since_ms = now->mono_ms - it->since.mono_ms;
    const bool stands = !shown_counts(state, orphaned);

    switch (shown_task(state, task, orphaned)) {
    case SHOWN_BACKOFF:
        if (orphaned)
            str_add(out, "no waiter");
        else
            backoff_next(step, time, out);
        break;
    case SHOWN_RUNNING:
        add_since("", attempt ? now->mono_ms - attempt->started.mono_ms : since_ms, "", out);
        break;
    case SHOWN_QUIET:
        add_since("no out ", now->mono_ms - step->heard_mono_ms, "", out);
        break;
    case SHOWN_STOPPING:
        add_since("", now->mono_ms - state->tasks[task].cancelled_at.mono_ms, "", out);
        break;
    case SHOWN_QUEUED:
        queued_next(state, task, now, out);
        break;
    case SHOWN_HELD:
        held_next(state, task, stands, time, out);
        break;
    case SHOWN_NEEDS_YOU:
        needs_you_next(state, task, stands, time, out);
        break;
    case SHOWN_PASSED:
    case SHOWN_GAVE_UP:
    case SHOWN_CANCELLED:
    case SHOWN_STUCK:
        over_next(state, task, stands, time, out);
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
