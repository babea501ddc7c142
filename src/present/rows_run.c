/*
 * rows_run.c - a run as a whole, its gates and faults, and its tasks in lists, as labeled rows.
 */
#include <assert.h>
#include <string.h>

#include "attr.h"
#include "rows.h"

enum { SECOND_MS = 1000 };

/* Runs. */

static const char *const run_words[] = {
    [SHOWN_RUN_LIVE] = "live",
    [SHOWN_RUN_ENDED] = "ended",
    [SHOWN_RUN_INTERRUPTED] = "interrupted",
    [SHOWN_RUN_OPEN] = "open",
};
static_assert(ARRAY_LEN(run_words) == SHOWN_RUN_COUNT, "every state of a run has its word");

const char *shown_run_state(enum shown_run state)
{
    return run_words[state];
}

/* Appends "12 tries, 1 failed start in 4:12, waited 0:31 in total". Leaves out failed starts if 0,
 * the duration if negative, and waits of less than a second. */
static void add_tries(int64_t tries, int64_t failed_starts, int64_t lasted_ms, int64_t waited_ms,
                      struct str *out)
{
    shown_count(tries, "try", "tries", out);
    if (failed_starts > 0) {
        str_add(out, ", ");
        shown_count(failed_starts, "failed start", "failed starts", out);
    }
    if (lasted_ms >= 0) {
        str_add(out, " in ");
        shown_duration(lasted_ms, out);
    }
    if (waited_ms >= SECOND_MS) {
        str_add(out, ", waited ");
        shown_duration(waited_ms, out);
        str_add(out, " in total");
    }
}

void shown_run_number(int64_t number, int live_runs, struct str *out)
{
    str_add_char(out, '#');
    str_add_i64(out, number);
    if (live_runs > 0)
        str_addf(out, ", %d live", live_runs);
}

void shown_suspended(int64_t pid, struct str *out)
{
    str_addf(out,
             "its devs (pid %lld) is suspended: fg or kill -CONT resumes it; until then nothing "
             "starts and no timer runs",
             (long long)pid);
}

void shown_session_seen(const char *at, struct str *out)
{
    str_addf(out, "a session reported by an agent's hooks, last seen at %s", at);
}

void rows_run(struct rows *rows, const struct run_facts *run, const struct shown_time *time)
{
    /* tasks that are waiting, running, held or never started */
    const int64_t open = run->tasks - run->passed - run->failed - run->cancelled;
    const bool has_others = run->live_runs > (run->state == SHOWN_RUN_LIVE ? 1 : 0);
    char date[SHOWN_CLOCK_MAX];
    shown_run_number(run->number, has_others ? run->live_runs : 0,
                     rows_add(rows, "run", "run", ROW_PLAIN));
    str_add(rows_add(rows, "name", "name", ROW_PLAIN), run->name ? run->name : "");
    str_add(rows_add(rows, "state", "state", run->state == SHOWN_RUN_ENDED ? ROW_ASIDE : ROW_PLAIN),
            shown_run_state(run->state));
    str_add(rows_add(rows, "started", "started", ROW_PLAIN), time->date(run->started_at_ms, date));
    shown_duration(run->lasted_ms, rows_add(rows, "lasted", "lasted", ROW_PLAIN));
    struct str *out = rows_add(rows, "passed", "passed", ROW_PLAIN);
    str_addf(out, "%lld of ", (long long)run->passed);
    shown_count(run->tasks, "task", "tasks", out);
    str_add_i64(rows_add(rows, "failed", "failed", ROW_PLAIN), run->failed);
    str_add_i64(
        rows_add(rows, "cancelled", "cancelled", run->cancelled > 0 ? ROW_PLAIN : ROW_ASIDE),
        run->cancelled);
    str_add_i64(rows_add(rows, "open", "not finished", open > 0 ? ROW_PLAIN : ROW_ASIDE), open);
    add_tries(run->tries, 0, -1, run->waited_ms, rows_add(rows, "tries", "tries", ROW_PLAIN));
}

void rows_run_notes(struct rows *rows, const struct run_facts *run, const struct shown_time *time)
{
    char date[SHOWN_CLOCK_MAX];
    struct str *out = rows_add(rows, "suspended", "suspended", ROW_PLAIN);
    if (run->is_suspended && run->state != SHOWN_RUN_ENDED)
        shown_suspended(run->pid, out);
    out = rows_add(rows, "session", "session", ROW_PLAIN);
    /* Between two calls no engine runs, and the end may never be recorded. */
    if (run->state == SHOWN_RUN_OPEN)
        shown_session_seen(time->date(run->last_at_ms, date), out);
}

/* Appends "3 passed" after `before`; nothing for 0. Returns the separator before the next count. */
static const char *add_count(const char *before, int count, const char *word, struct str *out)
{
    if (count == 0)
        return before;
    str_addf(out, "%s%d %s", before, count, word);
    return ", ";
}

void rows_overview(struct rows *rows, const struct overview *overview, const struct run_facts *run,
                   const struct shown_time *time)
{
    const bool is_going_on = run->state == SHOWN_RUN_LIVE || run->state == SHOWN_RUN_OPEN;
    struct str *out = rows_add(rows, "tasks", "tasks", ROW_PLAIN);
    const char *before = ": ";
    str_addf(out, "%d tasks", overview->tasks);
    for (int i = 0; i < SHOWN_COUNT; i++)
        before = add_count(before, overview->counts[i], shown_word((enum shown)i), out);
    out = rows_add(rows, "tries", "tries", ROW_PLAIN);
    add_tries(run->tries, 0, run->lasted_ms, run->waited_ms, out);
    if (overview->due_at_ms != 0 && is_going_on) {
        str_add(out, "; the next try in ");
        shown_left(overview->due_at_ms - time->now.at_ms, out);
    }
}

void shown_task_counts(const struct run_state *state, struct str *out)
{
    const char *before = "";
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        before = add_count(before, state->counts[i], shown_status_word((enum task_status)i), out);
}

void shown_passed(const struct run_state *state, struct str *out)
{
    str_addf(out, "%d of %d passed", state->counts[TASK_PASSED], state->plan->task_count);
}

/* Counts the attempts whose command could not be started; they do not count as tries. */
static int64_t count_failed_starts(const struct run_state *state)
{
    int64_t failed = 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        for (int k = 0; k < state->plan->tasks[i].step_count; k++) {
            const struct step_state *step = &state->tasks[i].steps[k];
            for (size_t n = 0; n < step->attempt_count; n++)
                failed += step->attempts[n].ended.at_ms != 0 &&
                          step->attempts[n].outcome.kind == OUTCOME_NOT_STARTED;
        }
    }
    return failed;
}

void rows_result(struct rows *rows, const struct run_state *state)
{
    static const enum task_status others[] = {TASK_GAVE_UP, TASK_STUCK,     TASK_NEEDS_YOU,
                                              TASK_BLOCKED, TASK_CANCELLED, TASK_QUEUED};
    static_assert(ARRAY_LEN(others) + 3 == TASK_STATUS_COUNT, "all but passed, running, waiting");
    int flaky = 0;
    for (int i = 0; i < state->plan->task_count; i++)
        flaky += state->tasks[i].status == TASK_PASSED && shown_failed_attempts(state, i) > 0;
    struct str *out = rows_add(rows, "flaky", "flaky", ROW_ASIDE);
    if (flaky > 0)
        str_addf(out, "%d after failures", flaky);
    out = rows_add(rows, "result", "result", ROW_PLAIN);
    shown_passed(state, out);
    if (flaky > 0)
        str_addf(out, ", %s", rows_value(rows, "flaky"));
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        (void)add_count(", ", state->counts[others[i]], shown_status_word(others[i]), out);
}

void rows_work(struct rows *rows, const struct run_state *state)
{
    const struct moment *end = state->ended ? &state->ended_at : &state->last;
    struct str budgets = {0};
    add_tries(state->attempts, count_failed_starts(state), -1, state->waited_ms,
              rows_add(rows, "work", "work", ROW_PLAIN));
    struct str *out = rows_add(rows, "agents", "agents", ROW_PLAIN);
    if (state->used.turns == 0 && state->used.calls == 0 && state->used.cost_micro == 0)
        return;
    shown_used(&state->used, out);
    shown_budgets(state, -1, end, &budgets);
    str_addf(out, "%s%s", budgets.len > 0 ? "; budget " : "", str_text(&budgets));
    str_done(&budgets);
}

/* Gates: the sources that currently hold tasks back. */

const char *shown_gate_name(enum gate_status status)
{
    static const char *const names[] = {
        [GATE_OPEN] = "open",
        [GATE_CLOSED] = "closed",
        [GATE_PROBING] = "probing",
        [GATE_SPREADING] = "spreading",
    };
    static_assert(ARRAY_LEN(names) == GATE_STATUS_COUNT, "every state of a gate has its name");
    assert(status < GATE_STATUS_COUNT);
    return names[status];
}

static bool keeps_back(const struct run_state *state, int source, bool orphaned)
{
    return shown_counts(state, orphaned) && state->gates[source].status != GATE_OPEN;
}

bool shown_has_gate(const struct run_state *state, bool orphaned)
{
    for (int i = 0; i < state->plan->source_count; i++) {
        if (keeps_back(state, i, orphaned))
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

/* Appends "; T-104, T-105 and 4 more wait", or in brief "; 6 wait". */
static void add_waiting(const struct run_state *state, int source, bool is_brief, struct str *out)
{
    enum { NAMED_MAX = 2 };
    const struct gate_state *gate = &state->gates[source];
    const int count = shown_waiting(state, source);
    int named = 0;
    if (count == 0)
        return;
    str_add(out, "; ");
    for (int i = 0; !is_brief && i < state->plan->task_count && named < NAMED_MAX; i++) {
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

/* Appends "rate limit of claude: trying T-104; T-105 and T-109 wait", in brief "...; 2 wait". */
static void add_gate(const struct run_state *state, int source, const struct shown_look *look,
                     struct str *out)
{
    const struct gate_state *gate = &state->gates[source];
    char text[SHOWN_CLOCK_MAX];
    str_addf(out, "rate limit of %s", state->plan->sources[source]);
    switch (gate->status) {
    case GATE_CLOSED: {
        const int64_t left_ms = gate->due.mono_ms - look->time.now.mono_ms;
        if (gate->chosen >= 0) {
            str_addf(out, ": %s is sent", state->plan->tasks[gate->chosen].id);
        } else if (left_ms <= 0) {
            str_add(out, ": trying the next task");
        } else if (!look->is_brief) {
            str_addf(out, " until %s (", look->time.hms(gate->due.at_ms, text));
            shown_left(left_ms, out);
            str_add_char(out, ')');
        } else {
            str_add_char(out, ' ');
            shown_left(left_ms, out);
        }
        add_waiting(state, source, look->is_brief, out);
        if (gate->closed > 1)
            str_addf(out, "; hit %d times in a row", gate->closed);
        break;
    }
    case GATE_PROBING:
        str_addf(out, ": trying %s", state->plan->tasks[gate->probe].id);
        add_waiting(state, source, look->is_brief, out);
        break;
    case GATE_SPREADING:
        str_add(out, " is over");
        if (!look->is_brief && gate->spacing_ms == SECOND_MS) {
            str_add(out, ", one start a second");
        } else if (!look->is_brief) {
            str_add(out, ", one start every ");
            shown_seconds(gate->spacing_ms, out);
        }
        str_addf(out, ", %d left", gate->line.count);
        break;
    case GATE_OPEN:
    case GATE_STATUS_COUNT:
        break;
    }
}

/* Returns whether `gate` changes before `other`. A gate with a running probe may change at any
 * moment. */
static bool changes_before(const struct gate_state *gate, const struct gate_state *other)
{
    const bool probes = gate->status == GATE_PROBING;
    const bool other_probes = other->status == GATE_PROBING;
    if (probes || other_probes)
        return probes && !other_probes;
    return gate->due.mono_ms < other->due.mono_ms;
}

void rows_gates(struct rows *rows, const struct run_state *state, const struct shown_look *look)
{
    int soonest = -1, more = 0;
    for (int i = 0; i < state->plan->source_count; i++) {
        if (!keeps_back(state, i, look->orphaned))
            continue;
        add_gate(state, i, look, rows_add(rows, "gates", "gates", ROW_ASIDE));
        more += soonest >= 0;
        if (soonest < 0 || changes_before(&state->gates[i], &state->gates[soonest]))
            soonest = i;
    }
    struct str *out = rows_add(rows, "gate", "gate", ROW_PLAIN);
    if (soonest >= 0)
        add_gate(state, soonest, look, out);
    if (more > 0)
        str_addf(out, "   +%d", more);
}

/* Faults. */

void shown_fault_due(const struct fault *fault, const struct moment *now, struct str *out)
{
    struct str first = {0}, last = {0};
    shown_left(fault->due_first.mono_ms - now->mono_ms, &first);
    shown_left(fault->due_last.mono_ms - now->mono_ms, &last);
    str_add(out, str_text(&first));
    if (strcmp(str_text(&first), str_text(&last)) != 0)
        str_addf(out, "..%s", str_text(&last));
    str_done(&first);
    str_done(&last);
}

/* Appends "one fault, 3 tasks: network since 13:58:40, next in 0:12..1:04: T-104 T-105 T-109". */
static void add_fault(const struct run_state *state, const struct fault *fault,
                      const struct shown_time *time, struct str *out)
{
    enum { MEMBERS_SHOWN = 8 };
    char since[SHOWN_CLOCK_MAX];
    struct str members = {0};
    int shown = 0;
    bool is_all_held = true;
    for (int i = fault->first; i < state->plan->task_count; i++) {
        if (!fault_has(fault, state, i))
            continue;
        is_all_held = is_all_held && state->tasks[i].held;
        if (shown++ < MEMBERS_SHOWN)
            str_addf(&members, " %s", state->plan->tasks[i].id);
    }
    str_addf(out, "one fault, %d tasks: ", fault->count);
    shown_class(state, fault->first, out);
    str_addf(out, " since %s, ", time->hms(fault->since.at_ms, since));
    if (is_all_held) {
        str_add(out, shown_word(SHOWN_HELD));
    } else {
        str_add(out, "next in ");
        shown_fault_due(fault, &time->now, out);
    }
    str_addf(out, ":%s", str_text(&members));
    if (fault->count > MEMBERS_SHOWN)
        str_addf(out, " and %d more", fault->count - MEMBERS_SHOWN);
    str_done(&members);
}

void rows_faults(struct rows *rows, const struct run_state *state, const struct shown_look *look)
{
    struct fault faults[FAULTS_MAX];
    const int count = shown_counts(state, look->orphaned) ? run_state_faults(state, faults) : 0;
    for (int i = 0; i < count; i++)
        add_fault(state, &faults[i], &look->time, rows_add(rows, "faults", "faults", ROW_PLAIN));
}

/* Tasks. */

void rows_task(struct rows *rows, const struct run_state *state, int task,
               const struct shown_look *look)
{
    str_add(rows_add(rows, "state", "state", ROW_PLAIN),
            shown_word(shown_task(state, task, look->orphaned)));
    str_add(rows_add(rows, "task", "task", ROW_PLAIN), state->plan->tasks[task].id);
    str_add(rows_add(rows, "title", "title", ROW_PLAIN), state->plan->tasks[task].title);
    shown_strip(state, task, look->ascii, rows_add(rows, "phases", "phases", ROW_PLAIN));
    shown_try(state, task, rows_add(rows, "try", "try", ROW_PLAIN));
    shown_next(state, task, look->orphaned, &look->time, rows_add(rows, "next", "next", ROW_PLAIN));
    shown_class(state, task, rows_add(rows, "class", "class", ROW_ASIDE));
    shown_circles_or_class(state, task, rows_add(rows, "news", "class", ROW_PLAIN));
    shown_where(state, task, rows_add(rows, "place", "where", ROW_PLAIN));
    shown_why(state, task, rows_add(rows, "why", "why", ROW_PLAIN));
}

void rows_now(struct rows *rows, const struct run_state *state, int task, int later,
              const struct shown_look *look)
{
    struct str next = {0};
    struct str *out = rows_add(rows, "now", "now", ROW_PLAIN);
    shown_next(state, task, look->orphaned, &look->time, &next);
    str_addf(out, "%s%s%s", shown_word(shown_task(state, task, look->orphaned)),
             next.len > 0 ? ", " : "", str_text(&next));
    if (later > 0) {
        str_add(out, "; ");
        shown_count(later, "later try of this step", "later tries of this step", out);
    }
    str_done(&next);
}

/* Appends "next" for a listed task like shown_next(), but from fewer facts: how long the state has
 * lasted, or how long the wait will last. If the run is over, appends a time of day instead of an
 * age. */
static void listed_next(const struct overview_row *row, enum shown shown, bool is_over,
                        const struct shown_look *look, struct str *out)
{
    const bool is_waiting = shown == SHOWN_BACKOFF, has_failed = shown_is_failed(shown);
    const bool is_running = shown == SHOWN_RUNNING || shown == SHOWN_QUIET;
    const int64_t now_ms = look->time.now.at_ms;
    const int64_t since_ms = has_failed ? row->ended_at_ms : row->started_at_ms;
    char hms[SHOWN_CLOCK_MAX];
    if (shown == SHOWN_LOST || (is_waiting && look->orphaned)) {
        str_add(out, "devs died");
    } else if (shown == SHOWN_STOPPING && row->fence_at_ms > now_ms) {
        str_addf(out, "fenced until %s", look->time.clock(row->fence_at_ms, now_ms, hms));
    } else if (is_running && row->away_at_ms > 0 && !is_over) {
        str_add(out, "no contact ");
        shown_duration(now_ms - row->away_at_ms, out);
    } else if (is_waiting) {
        str_add(out, row->due_at_ms <= now_ms ? "starting" : "in ");
        if (row->due_at_ms > now_ms)
            shown_left(row->due_at_ms - now_ms, out);
    } else if ((has_failed || is_running) && since_ms != 0 && is_over) {
        str_addf(out, "at %s", look->time.hms(since_ms, hms));
    } else if ((has_failed || is_running) && since_ms != 0) {
        str_add(out, is_running ? "" : shown == SHOWN_NEEDS_YOU ? "for " : "ended ");
        shown_duration(now_ms - since_ms, out);
    }
}

void rows_listed(struct rows *rows, const struct overview_row *row, bool has_ended,
                 const struct shown_look *look)
{
    const enum shown shown = overview_shown(row, look->orphaned);
    const bool has_failed = row->ended_at_ms != 0 && row->class.label.class != VERDICT_SUCCESS;
    str_add(rows_add(rows, "state", "state", ROW_PLAIN), shown_word(shown));
    str_add(rows_add(rows, "task", "task", ROW_PLAIN), row->id);
    str_addf(rows_add(rows, "try", "try", ROW_PLAIN), "%d/%d", row->tried, row->tries);
    listed_next(row, shown, has_ended || look->orphaned, look,
                rows_add(rows, "next", "next", ROW_PLAIN));
    struct str *out = rows_add(rows, "why", "why", ROW_PLAIN);
    if (shown == SHOWN_HELD)
        str_addf(out, "held by %s%s", shown_person(row->by), has_failed ? "; " : "");
    if (has_failed)
        failure_class_word(&row->class, out);
}

void rows_tries(struct rows *rows, const struct run_state *state, int task)
{
    const struct task_state *it = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct str ending = {0};
    struct str *out = rows_add(rows, "outcome", "outcome", ROW_PLAIN);
    if (it->status == TASK_CANCELLED)
        shown_cause(state, task, out);
    else if (attempt)
        outcome_words(&attempt->outcome, out);
    else
        str_add(out, "never started");
    out = rows_add(rows, "tries", "tries", ROW_PLAIN);
    shown_count((int64_t)step->attempt_count, "try", "tries", out);
    if (it->waited_ms > 0) {
        str_add(out, ", ");
        shown_seconds(it->waited_ms, out);
        str_add(out, " waited between them");
    }
    shown_ending(state, task, &ending);
    str_addf(out, "%s%s", ending.len > 0 ? ": " : "", str_text(&ending));
    str_done(&ending);
}
