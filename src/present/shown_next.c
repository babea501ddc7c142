/* shown_next.c - what a task does now, what it does next and when, or how long ago it ended, for a
 * column and as a sentence; and a forecast of the next attempts of a waiting task. */
#include <stddef.h>
#include <string.h>

#include "scheduler.h"
#include "shown.h"
#include "text.h"

enum { LONG_WAIT_MS = 3600 * 1000 }; /* longer waits for a server are shown as a time of day */

/* Appends ":07". */
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

/* Appends "2:10 (Priority)". */
static void add_queue(const struct task_job *job, const struct moment *now, struct str *out)
{
    shown_duration(now->mono_ms - job->since.mono_ms, out);
    if (job->reason[0] == '\0')
        return;
    str_add(out, " (");
    text_clean_line(out, job->reason, strlen(job->reason));
    str_add_char(out, ')');
}

static void queued_next(const struct run_state *state, int task, const struct moment *now,
                        struct str *out)
{
    const struct task_job *job = run_state_queue(state, task);
    if (job) {
        add_queue(job, now, out);
        return;
    }
    if (!state->started || state->ended || shown_behind_gate(state, task, now, out))
        return;
    if (state->tasks[task].unmet > 0) {
        str_addf(out, "needs %s", needed_id(state, task));
        return;
    }
    const bool is_away = state->plan->tasks[task].executor >= 0;
    int place = 1 + number_set_before(is_away ? &state->ready_away : &state->ready, task);
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

static void running_next(const struct run_state *state, int task, const struct shown_time *time,
                         struct str *out)
{
    const struct moment *now = &time->now;
    const struct task_state *it = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const struct moment *since = attempt ? &attempt->started : &it->since;
    if (it->cancelling && it->fence.at_ms > now->at_ms)
        add_clock("fenced until ", it->fence.at_ms, time, out);
    else if (it->away_since.at_ms > 0)
        add_since("no contact ", now->mono_ms - it->away_since.mono_ms, "", out);
    else if (it->cancelling)
        add_since("", now->mono_ms - it->cancelled_at.mono_ms, "", out);
    else if (step->quiet)
        add_since("no out ", now->mono_ms - step->heard_mono_ms, "", out);
    else
        add_since("", now->mono_ms - since->mono_ms, "", out);
}

void shown_next(const struct run_state *state, int task, bool orphaned,
                const struct shown_time *time, struct str *out)
{
    const struct moment *now = &time->now;
    const struct task_state *it = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
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
    case SHOWN_QUIET:
    case SHOWN_STOPPING:
        running_next(state, task, time, out);
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
    case SHOWN_STUCK:                     /* "8:27 ago", "ended 8:27", "at 13:54:10" */
        if (it->fence.at_ms > now->at_ms) /* it may still run where it was */
            add_clock("fenced until ", it->fence.at_ms, time, out);
        else if (stands || time->times != SHOWN_TIMES_AGO)
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

/* The reason why a step waits at its gate. */
struct gate_wait {
    int after;       /* task whose try the step waits for; -1 = it waits for the time `left_ms` */
    int64_t left_ms; /* if `after` is -1: time until the gate lets the step through */
};

/* Finds out what the task waits for at its gate. Returns false if no gate holds it back. */
static bool find_gate_wait(const struct run_state *state, int task, const struct moment *now,
                           struct gate_wait *out)
{
    const struct gate_state *gate = run_state_gate(state, task);
    if (!run_state_is_behind_gate(state, task))
        return false;
    *out = (struct gate_wait){.after = gate->probe, .left_ms = gate->due.mono_ms - now->mono_ms};
    if (gate->status == GATE_PROBING)
        return true;
    if (gate->status == GATE_SPREADING)
        out->left_ms += number_set_before(&gate->line, task) * gate->spacing_ms;
    const bool moves = out->left_ms <= 0 || gate->chosen >= 0;
    out->after = moves ? gate_next(gate) : -1;
    return !moves || (gate->status == GATE_CLOSED &&
                      out->after != task); /* otherwise the task waits for a slot */
}

bool shown_behind_gate(const struct run_state *state, int task, const struct moment *now,
                       struct str *out)
{
    struct gate_wait wait;
    if (!find_gate_wait(state, task, now, &wait))
        return false;
    str_add(out, wait.after >= 0 ? "after " : "limit ");
    if (wait.after >= 0)
        str_add(out, state->plan->tasks[wait.after].id);
    else
        shown_left(wait.left_ms, out);
    return true;
}

/* The state in a sentence. */

/* Appends "in 0:18, at 14:02:55", with the date if that is a different day. */
static void add_due(const struct shown_time *time, int64_t left_ms, int64_t at_ms, struct str *out)
{
    char text[SHOWN_CLOCK_MAX], hms[SHOWN_CLOCK_MAX];
    const char *blank = strrchr(time->clock(at_ms, time->now.at_ms, text), ' ');
    str_add(out, "in ");
    shown_left(left_ms, out);
    str_addf(out, ", at %.*s%s", blank ? (int)(blank + 1 - text) : 0, text, time->hms(at_ms, hms));
}

/* Appends "try 4 in 0:18, at 14:02:55", or "start 2 of 4 in ..." after a failed start. */
static void backoff_now(const struct run_state *state, int task, const struct shown_time *time,
                        struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct start_tries start = run_state_start_tries(state, task);
    const int64_t left_ms = step->due.mono_ms - time->now.mono_ms;
    if (start.at > 0) /* the latest start failed */
        str_addf(out, "start %d of %d ", start.at + 1, start.of);
    else
        str_addf(out, "try %u ", step->attempt_count + 1);
    if (left_ms <= 0)
        str_add(out, "is due");
    else
        add_due(time, left_ms, step->due.at_ms, out);
}

/* Appends ", fenced until 14:07:00: it ends itself by then", while that is in the future. */
static void add_fence(const struct task_state *task, const struct shown_time *time, struct str *out)
{
    char hms[SHOWN_CLOCK_MAX];
    if (task->fence.at_ms > time->now.at_ms)
        str_addf(out, ", fenced until %s: it ends itself by then",
                 time->hms(task->fence.at_ms, hms));
}

/* Appends ", no contact for 0:12, fenced until 14:07:00"; nothing if there is contact. */
static void add_contact(const struct run_state *state, int task, const struct shown_time *time,
                        struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    if (it->away_since.at_ms == 0)
        return;
    str_add(out, ", no contact for ");
    shown_duration(time->now.mono_ms - it->away_since.mono_ms, out);
    add_fence(it, time, out);
}

static void running_now(const struct run_state *state, int task, const struct shown_look *look,
                        struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const int number = run_state_step_number(state, task);
    const struct moment *now = &look->time.now;
    if (!attempt)
        return;
    if (step->status == STEP_JUDGING) {
        str_addf(out, "try %d has ended", attempt->number);
        return;
    }
    str_addf(out, "running %s for ", phase_name(state->plan->tasks[task].steps[number].phase));
    shown_duration(run_state_running_ms(state, task, attempt, now->mono_ms), out);
    if (attempt->pid > 0 && !look->is_brief)
        str_addf(out, ", pid %lld", (long long)attempt->pid);
    if (attempt->host >= 0)
        str_addf(out, " on %s", run_state_host_place(state, attempt->host).host);
    add_contact(state, task, &look->time, out);
    if (step->quiet) {
        str_add(out, ", no output for ");
        shown_duration(now->mono_ms - step->heard_mono_ms, out);
    }
    if (state->tasks[task].held)
        str_add(out, ", held: no more tries after this one");
}

static void lost_now(const struct run_state *state, const struct attempt_state *attempt,
                     struct str *out)
{
    str_add(out, "was running ");
    if (attempt && attempt->host >= 0)
        str_addf(out, "on %s when devs died, and may still run there",
                 run_state_host_place(state, attempt->host).host);
    else
        str_add(out, "when devs died");
}

/* Appends "waits for a slot; 2 of 2 in use", or the same of an executor: "waits for a slot of lab;
 * 9 of 9 in use, gpu2 is down". */
static void slots_now(const struct run_state *state, int task, struct str *out)
{
    const struct plan *plan = state->plan;
    const struct plan_executor *executor = plan_task_executor(plan, &plan->tasks[task]);
    if (!executor) {
        str_addf(out, "waits for a slot; %d of %d in use", state->running - state->running_away,
                 state->jobs);
        return;
    }
    struct str down = {0};
    int used = 0;
    int slots = 0;
    const int first = run_state_host(state, executor->name, executor->hosts[0].host);
    for (int i = 0; i < executor->host_count; i++) {
        const struct host_state *host = &state->hosts[first + i];
        used += host->running;
        slots += host->down ? 0 : executor->hosts[i].slots;
        if (host->down)
            str_addf(&down, ", %s is down", executor->hosts[i].host);
    }
    str_addf(out, "waits for a slot of %s; %d of %d in use%s", executor->name, used, slots,
             str_text(&down));
    str_done(&down);
}

/* Appends what the task waits for: a cluster, a rate limit ("waits for the rate limit of claude,
 * may start in 0:18"), a slot, or other tasks. */
static void queued_now(const struct run_state *state, int task, const struct moment *now,
                       struct str *out)
{
    const struct plan *plan = state->plan;
    const struct plan_task *planned = &plan->tasks[task];
    const struct task_job *job = run_state_queue(state, task);
    struct gate_wait wait;
    if (job) {
        str_addf(out, "waits in the queue of %s for ", plan_task_executor(plan, planned)->name);
        add_queue(job, now, out);
        if (job->id[0] != '\0')
            str_addf(out, ", job %s", job->id);
    } else if (find_gate_wait(state, task, now, &wait)) {
        const int number = run_state_step_number(state, task);
        const bool probes = run_state_gate(state, task)->status == GATE_PROBING;
        str_addf(out, "waits for the rate limit of %s, ",
                 plan->sources[planned->steps[number].source]);
        if (wait.after >= 0) {
            str_addf(out, "%s %s is tried", probes ? "while" : "after", plan->tasks[wait.after].id);
        } else {
            str_add(out, "may start in ");
            shown_left(wait.left_ms, out);
        }
    } else if (!state->started) {
        str_add(out, "the run has not started");
    } else if (state->tasks[task].unmet == 0) {
        slots_now(state, task, out);
    } else {
        const char *before = "waits for ";
        for (int i = 0; i < planned->need_count; i++) {
            if (state->tasks[planned->needs[i]].status == TASK_PASSED)
                continue;
            str_addf(out, "%s%s", before, plan->tasks[planned->needs[i]].id);
            before = ", ";
        }
    }
}

/* Appends when the task entered its state and, unless the run is over, how long ago that was. */
static void add_state_since(const struct run_state *state, int task, const struct shown_look *look,
                            struct str *out)
{
    const struct moment *since = &state->tasks[task].since;
    char hms[SHOWN_CLOCK_MAX];
    if (since->at_ms <= 0)
        return;
    str_addf(out, " at %s", look->time.hms(since->at_ms, hms));
    if (!shown_counts(state, look->orphaned))
        return;
    str_add(out, ", ");
    shown_duration(look->time.now.mono_ms - since->mono_ms, out);
    str_add(out, " ago");
}

/* Appends when a limit resets, if that is known and in the future. The task does not wait for
 * it. */
static void add_resets(const struct step_state *step, const struct shown_time *time,
                       struct str *out)
{
    const int64_t at_ms = shown_resets_at_ms(step);
    const int64_t left_ms = at_ms - time->now.at_ms;
    if (at_ms < 0 || left_ms <= 0)
        return;
    str_add(out, "; resets ");
    add_due(time, left_ms, at_ms, out);
}

void shown_now(const struct run_state *state, int task, const struct shown_look *look,
               struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const enum shown shown = shown_task(state, task, look->orphaned);
    switch (shown) {
    case SHOWN_BACKOFF:
        backoff_now(state, task, &look->time, out);
        break;
    case SHOWN_RUNNING:
    case SHOWN_QUIET:
        running_now(state, task, look, out);
        break;
    case SHOWN_STOPPING:
        str_addf(out, "cancelled by %s ", shown_person(it->by));
        shown_duration(look->time.now.mono_ms - it->cancelled_at.mono_ms, out);
        str_add(out, " ago; its processes have not exited yet");
        add_contact(state, task, &look->time, out);
        break;
    case SHOWN_QUEUED:
        queued_now(state, task, &look->time.now, out);
        break;
    case SHOWN_HELD:
        if (it->follows >= 0)
            str_addf(out, "waits for %s, which has the same fault",
                     state->plan->tasks[it->follows].id);
        else
            str_addf(out, "held: no new tries until %s",
                     look->release ? look->release : "it is released");
        break;
    case SHOWN_LOST:
        lost_now(state, attempt, out);
        break;
    case SHOWN_NEEDS_YOU:
    case SHOWN_STUCK:
    case SHOWN_PASSED:
    case SHOWN_GAVE_UP:
    case SHOWN_CANCELLED:
    case SHOWN_BLOCKED:
        str_add(out, shown == SHOWN_NEEDS_YOU ? "stopped" : shown_word(shown));
        add_state_since(state, task, look, out);
        add_fence(it, &look->time, out);
        if (shown != SHOWN_STUCK && (!attempt || attempt->reason != REASON_BUDGET))
            add_resets(step, &look->time, out);
        break;
    case SHOWN_COUNT:
        break;
    }
}

void shown_progress(const struct run_state *state, int task, const struct moment *now,
                    struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const struct task_state *it = &state->tasks[task];
    struct str tries = {0}, class = {0};
    shown_try_of(state, task, &tries);
    if (it->held) {
        str_addf(out, "held by %s", shown_person(it->by));
    } else if (step->status == STEP_WAITING) {
        str_add(out, "next try in ");
        shown_duration(step->due.mono_ms - now->mono_ms, out);
        shown_class(state, task, &class);
        str_addf(out, "%s%s, %s so far", class.len > 0 ? " after " : "", str_text(&class),
                 str_text(&tries));
    } else if (step->status == STEP_RUNNING && attempt) {
        str_addf(out, "%s running for ", str_text(&tries));
        shown_duration(run_state_since_ms(state, task, attempt, now->mono_ms), out);
        str_add(out, step->quiet ? ", quiet" : "");
    } else {
        str_add(out, "waits for a slot");
    }
    str_done(&tries);
    str_done(&class);
}

/* The forecast: repeats the last failure until the protocol stops retrying. */

/* Returns how many equal results in a row end the step; 0 = no number does. */
static int equal_results_max(const struct protocol_facts *facts)
{
    const int least = protocol_equal_max(facts);
    const int unchanged = protocol_unchanged_max(facts);
    const bool may_repeat = unchanged > 0 && facts->verdict->class == VERDICT_PERSISTENT;
    return may_repeat && (least == 0 || unchanged < least) ? unchanged : least;
}

/* Adds further tries and how they end. Assumes that every try fails with the same class, with a
 * different result and without a retry hint from a server. */
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
    if (!waits || outcome_is_broken_off(last->outcome.kind))
        return false;

    /* Recreate the decision about the last failed attempt. Later attempts use the same facts except
     * for the counters. */
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
    str_addf(out, "%s %s", ahead->count > 1 ? "; then" : ", the last one; if it fails,",
             shown_status_word(task_status_after(ahead->end)));
    if (ahead->count > 1)
        str_addf(out, ", no sooner than %s plus the run times",
                 time->hms(ahead->due.at_ms + ahead->more_ms, clock));
    if (ahead->alike > 0)
        str_addf(out, "; %d equal results in a row end it earlier", ahead->alike);
}
