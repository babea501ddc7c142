/* shown.c - the state, the steps and the tries of a task, as text and symbols. */
#include "shown.h"

#include <assert.h>
#include <stddef.h>

#include "text.h"

static const struct {
    const char *word;
    const char *sign;
    const char *ascii;
} looks[] = {
    [SHOWN_NEEDS_YOU] = {"needs-you", "!", "!"}, [SHOWN_BACKOFF] = {"backoff", "↻", "~"},
    [SHOWN_RUNNING] = {"running", "●", "*"},     [SHOWN_QUIET] = {"quiet", "◔", "z"},
    [SHOWN_STOPPING] = {"stopping", "■", "s"},   [SHOWN_QUEUED] = {"queued", "○", "."},
    [SHOWN_HELD] = {"held", "❚", "="},           [SHOWN_PASSED] = {"passed", "✓", "+"},
    [SHOWN_GAVE_UP] = {"gave-up", "✗", "x"},     [SHOWN_CANCELLED] = {"cancelled", "⊘", "/"},
    [SHOWN_STUCK] = {"stuck", "∞", "@"},         [SHOWN_BLOCKED] = {"blocked", "⊝", "-"},
    [SHOWN_LOST] = {"lost", "?", "?"},
};
static_assert(ARRAY_LEN(looks) == SHOWN_COUNT, "every shown state has its looks");

const char *shown_word(enum shown shown)
{
    assert(shown < SHOWN_COUNT);
    return looks[shown].word;
}

const char *shown_sign(enum shown shown, bool ascii)
{
    assert(shown < SHOWN_COUNT);
    return ascii ? looks[shown].ascii : looks[shown].sign;
}

const char *shown_person(const char *by)
{
    return by && by[0] != '\0' ? by : "a person";
}

enum shown shown_status(const struct shown_parts *parts, bool orphaned)
{
    switch (parts->status) {
    case TASK_RUNNING:
        if (orphaned)
            return SHOWN_LOST;
        if (parts->cancelling)
            return SHOWN_STOPPING;
        if (parts->in_queue)
            return SHOWN_QUEUED;
        return parts->quiet ? SHOWN_QUIET : SHOWN_RUNNING;
    case TASK_BACKOFF:
        return parts->held ? SHOWN_HELD : SHOWN_BACKOFF;
    case TASK_PASSED:
        return SHOWN_PASSED;
    case TASK_GAVE_UP:
        return SHOWN_GAVE_UP;
    case TASK_CANCELLED:
        return SHOWN_CANCELLED;
    case TASK_BLOCKED:
        return SHOWN_BLOCKED;
    case TASK_NEEDS_YOU:
        return SHOWN_NEEDS_YOU;
    case TASK_STUCK:
        return SHOWN_STUCK;
    case TASK_QUEUED:
    case TASK_STATUS_COUNT:
        break;
    }
    return parts->held ? SHOWN_HELD : SHOWN_QUEUED;
}

const char *shown_status_word(enum task_status status)
{
    const struct shown_parts parts = {.status = status};
    return shown_word(shown_status(&parts, false));
}

enum shown shown_task(const struct run_state *state, int task, bool orphaned)
{
    const struct task_state *it = &state->tasks[task];
    const struct shown_parts parts = {
        .status = it->status,
        .held = it->held,
        .cancelling = it->cancelling,
        .quiet = it->status == TASK_RUNNING && run_state_step(state, task)->quiet,
        .in_queue = run_state_queue(state, task) != NULL,
    };
    return shown_status(&parts, orphaned);
}

enum mark {
    MARK_PROVEN,
    MARK_NOW,
    MARK_FAILED,
    MARK_NOT_YET,
    MARK_YOU,
    MARK_CANCELLED,
    MARK_STALE,
};

static enum mark mark_of_current(const struct task_state *task)
{
    switch (task->status) {
    case TASK_GAVE_UP:
    case TASK_STUCK:
        return MARK_FAILED;
    case TASK_CANCELLED:
        return MARK_CANCELLED;
    case TASK_NEEDS_YOU:
        return MARK_YOU;
    case TASK_PASSED:
        return MARK_PROVEN;
    case TASK_QUEUED:
    case TASK_RUNNING:
    case TASK_BACKOFF:
    case TASK_BLOCKED:
    case TASK_STATUS_COUNT:
        break;
    }
    return task->first_start.at_ms != 0 ? MARK_NOW : MARK_NOT_YET;
}

void shown_strip(const struct run_state *state, int task, bool ascii, struct str *out)
{
    static const char *const signs[] = {"✓", "▸", "✗", "·", "!", "⊘", "?"};
    static const char *const twins[] = {"+", ">", "x", ".", "!", "/", "?"};
    const struct plan_task *plan = &state->plan->tasks[task];
    const struct task_state *it = &state->tasks[task];
    int end = 0;
    for (int i = 0; i < plan->step_count; i = end) {
        enum phase phase = plan->steps[i].phase;
        while (end < plan->step_count && plan->steps[end].phase == phase)
            end++;
        enum mark mark = MARK_NOT_YET;
        if (it->step >= end) {
            mark = MARK_PROVEN;
            for (int k = i; k < end && mark == MARK_PROVEN; k++) {
                if (shown_proof(state, task, k) == SHOWN_PROOF_STALE)
                    mark = MARK_STALE;
            }
        } else if (it->step >= i) {
            mark = mark_of_current(it);
        }
        str_add_char(out, phase_letter(phase));
        str_add(out, ascii ? twins[mark] : signs[mark]);
    }
}

/* Counts only failures in a round in which the step passed later. In any other round the agent's
 * work was at fault, which is not flakiness. */
int shown_failed_attempts(const struct run_state *state, int task)
{
    int failures = 0;
    for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
        const struct step_state *step = &state->tasks[task].steps[i];
        int last_passed = 0; /* the round of the next pass */
        for (size_t k = step->attempt_count; k > 0; k--) {
            const struct attempt_state *attempt = &step->attempts[k - 1];
            const enum outcome_kind kind = attempt->outcome.kind;
            const bool is_by_hand =
                kind == OUTCOME_CANCELLED && attempt->outcome.stop == STOP_ASKED;
            const bool has_run = !outcome_is_broken_off(attempt->outcome.kind) &&
                                 kind != OUTCOME_NOT_STARTED && !is_by_hand;
            if (has_run && attempt->class == VERDICT_SUCCESS)
                last_passed = attempt->round;
            else
                failures += has_run && attempt->round == last_passed;
        }
    }
    return failures;
}

int64_t shown_attempts(const struct run_state *state, int task)
{
    int64_t attempts = 0;
    for (int i = 0; i < state->plan->tasks[task].step_count; i++)
        attempts += state->tasks[task].steps[i].attempt_count;
    return attempts;
}

/* A held task keeps the class of its failure after its wait has ended. */
static bool has_class(const struct task_state *task)
{
    return task->status == TASK_BACKOFF || (task->status == TASK_QUEUED && task->held) ||
           task_status_is_failed(task->status);
}

void shown_class(const struct run_state *state, int task, struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    if (it->status == TASK_PASSED) {
        int failed = shown_failed_attempts(state, task);
        if (failed > 0)
            str_addf(out, "flaky %dx", failed);
        return;
    }
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct verdict room;
    const struct verdict *verdict = has_class(it) ? step_state_verdict(step, &room) : NULL;
    if (attempt && verdict)
        shown_attempt_class(attempt, verdict, out);
}

/* Returns which start of the current attempt this is, or 0 once its process exists. For an attempt
 * that ended without starting, returns its starts, because there is nothing else to show. */
static struct start_tries start_at_hand(const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    bool has_begun = step->status == STEP_RUNNING && attempt && attempt->pid > 0;
    return has_begun ? (struct start_tries){0} : run_state_start_tries(state, task);
}

static bool has_rounds(const struct run_state *state, int task)
{
    const struct task_agent *agent = state->tasks[task].agent;
    return agent && agent->rounds > 1;
}

static void add_numbers(const struct try_count *count, const char *of, struct str *out)
{
    str_add_i64(out, count->number);
    if (count->of > 0)
        str_addf(out, "%s%d", of, count->of);
    if (count->free > 0)
        str_addf(out, " +%d", count->free);
}

void shown_try_count(const struct try_count *count, const char *of, struct str *out)
{
    add_numbers(count, of, out);
    if (count->in_all > 0)
        str_addf(out, " (%d%s in all)", count->in_all, text_ordinal(count->in_all));
}

void shown_try_count_json(const struct try_count *count, struct str *out)
{
    const struct {
        const char *name;
        int value;
    } members[] = {{"of", count->of}, {"free", count->free}, {"in_all", count->in_all}};
    str_json_key(out, "try");
    str_addf(out, "{\"number\":%d", count->number);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        if (members[i].value > 0)
            str_json_i64(out, members[i].name, members[i].value);
    }
    str_add_char(out, '}');
}

void shown_try(const struct run_state *state, int task, struct str *out)
{
    struct start_tries start = start_at_hand(state, task);
    if (start.at > 0) {
        str_addf(out, "start %d/%d", start.at, start.of);
        return;
    }
    if (has_rounds(state, task))
        str_addf(out, "r%d ", run_state_round(state, task));
    const struct try_count count =
        run_state_try_count(state, task, run_state_step_number(state, task), 0);
    add_numbers(&count, "/", out);
    if (count.in_all > 0) /* the column is narrow */
        str_addf(out, " (%d%s)", count.in_all, text_ordinal(count.in_all));
}

void shown_try_of(const struct run_state *state, int task, struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct start_tries start = start_at_hand(state, task);
    const struct try_count count =
        run_state_try_count(state, task, run_state_step_number(state, task), 0);
    const bool has_tries = count.number > 0;
    if (has_rounds(state, task) && (start.at > 0 || step->attempt_count > 0))
        str_addf(out, "round %d of %d%s", run_state_round(state, task),
                 state->tasks[task].agent->rounds, start.at > 0 || has_tries ? ", " : "");
    if (start.at > 0) {
        str_addf(out, "start %d of %d", start.at, start.of);
    } else if (has_tries) {
        str_add(out, "try ");
        shown_try_count(&count, " of ", out);
    }
}

bool shown_counts(const struct run_state *state, bool orphaned)
{
    return state->started && !state->ended && !orphaned;
}

struct moment shown_moment(const struct run_state *state, bool orphaned, const struct moment *clock)
{
    if (state->ended)
        return state->ended_at;
    return shown_counts(state, orphaned) ? *clock : state->heard;
}

const char *shown_expectation(const struct verdict *verdict)
{
    static const char *const words[] = {
        [VERDICT_AS_IT_IS] = "",
        [VERDICT_UNEXPECTED_PASS] = "passed, but was expected to fail: ",
        [VERDICT_WRONG_REASON] = "red for the wrong reason: ",
    };
    static_assert(ARRAY_LEN(words) == VERDICT_EXPECTATION_COUNT, "each has its words");
    return words[verdict->expectation];
}

void shown_try_class(const struct attempt_state *attempt, struct str *out)
{
    const struct failure_class class = failure_class_of(attempt);
    if (attempt->class != VERDICT_SUCCESS || attempt->correction)
        failure_class_word(&class, out);
    else
        str_add(out, shown_word(SHOWN_PASSED));
    failure_class_original(attempt, out);
}

void shown_correction(const struct attempt_state *attempt, struct str *out)
{
    if (!attempt->correction)
        return;
    shown_attempt_class(attempt, NULL, out);
    str_addf(out, ", corrected by %s; was ", shown_person(attempt->correction->by));
}

static void add_failure(const struct step_state *step, struct str *out)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    const struct attempt_state *attempt = step_state_attempt(step);
    char word[VERDICT_WORD_MAX];
    shown_correction(attempt, out);
    str_add(out, shown_expectation(verdict));
    str_add(out, verdict_word(verdict, &attempt->outcome, word));
    if (verdict->rule[0] != '\0' || verdict->match[0] != '\0')
        str_add(out, ", ");
    shown_evidence(verdict, out);
}

void shown_cause(const struct run_state *state, int task, struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    const struct step_state *step = run_state_step(state, task);
    if (it->status == TASK_BLOCKED) {
        const int needed = run_state_unmet(state, task);
        str_addf(out, "it needs %s (%s)", needed >= 0 ? state->plan->tasks[needed].id : "a task",
                 needed >= 0 ? shown_status_word(state->tasks[needed].status) : "missing");
        return;
    }
    if (it->status == TASK_CANCELLED) {
        str_addf(out, "cancelled by %s", shown_person(it->by));
        return;
    }
    bool has_reason = has_class(it) && step->evidence && step_state_attempt(step);
    if (it->held)
        str_addf(out, "held by %s", shown_person(it->by));
    if (it->follows >= 0)
        str_addf(out, " until %s gets through", state->plan->tasks[it->follows].id);
    if (it->held && has_reason)
        str_add(out, "; ");
    if (has_reason)
        add_failure(step, out);
}

void shown_why(const struct run_state *state, int task, struct str *out)
{
    struct str end = {0};
    shown_cause(state, task, out);
    shown_ending(state, task, &end);
    bool has_said_who = state->tasks[task].status == TASK_CANCELLED;
    if (end.len > 0 && !has_said_who)
        str_addf(out, " (%s)", end.data);
    str_done(&end);
}
