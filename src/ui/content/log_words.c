#include "log_words.h"

#include <string.h>

#include "failure_class.h"
#include "shell_word.h"
#include "shown.h"

static const struct step_state *step_of(const struct run_state *state,
                                        const struct log_output_key *key)
{
    return &state->tasks[key->task].steps[key->step];
}

static const struct plan_step *plan_of(const struct run_state *state,
                                       const struct log_output_key *key)
{
    return &state->plan->tasks[key->task].steps[key->step];
}

const struct attempt_state *log_words_attempt(const struct run_state *state,
                                              const struct log_output_key *key)
{
    return key->attempt > 0 ? step_state_find_attempt(step_of(state, key), key->attempt) : NULL;
}

static bool has_failed(const struct attempt_state *attempt)
{
    return attempt->ended.mono_ms != 0 && attempt->class != VERDICT_SUCCESS;
}

const struct verdict *log_words_verdict(const struct run_state *state,
                                        const struct log_output_key *key, struct verdict *room)
{
    const struct step_state *step = step_of(state, key);
    for (size_t i = step->attempt_count; i > 0; i--) {
        if (has_failed(&step->attempts[i - 1]))
            return step->attempts[i - 1].number == key->attempt ? step_state_verdict(step, room)
                                                                : NULL;
    }
    return NULL;
}

static bool is_shell(char *const *argv)
{
    return argv[0] && strcmp(argv[0], "/bin/sh") == 0 && argv[1] && strcmp(argv[1], "-c") == 0 &&
           argv[2];
}

void log_words_command(const struct run_state *state, const struct log_output_key *key,
                       struct str *out)
{
    char *const *argv = plan_of(state, key)->argv;
    if (!log_words_attempt(state, key) || !argv || !argv[0])
        return;
    str_add(out, "$");
    if (is_shell(argv)) {
        str_addf(out, " %s", argv[2]);
        return;
    }
    for (; *argv; argv++) {
        str_add_char(out, ' ');
        shell_word_add(*argv, out);
    }
}

static void add_lines(const struct outcome *outcome, struct str *out)
{
    str_add(out, "; ");
    shown_count(outcome->lines[0], "line to out", "lines to out", out);
    str_addf(out, ", %lld to err", (long long)outcome->lines[1]);
}

void log_words_end(const struct run_state *state, const struct log_output_key *key, struct str *out)
{
    const struct attempt_state *attempt = log_words_attempt(state, key);
    if (!attempt || attempt->ended.mono_ms == 0)
        return;
    const struct outcome *outcome = &attempt->outcome;
    str_add(out, "-- ");
    outcome_words(outcome, out);
    if (outcome->kind == OUTCOME_NOT_STARTED)
        return;
    if (!outcome_is_seen(outcome)) {
        str_add(out, ": devs died, nobody saw its end");
        return;
    }
    str_add(out, " after ");
    shown_ran(outcome, out);
    add_lines(outcome, out);
    if (outcome->rss_kib_max > 0) {
        str_add(out, "; ");
        shown_size_kib(outcome->rss_kib_max, out);
        str_add(out, " peak");
    }
}

static void add_class(const struct attempt_state *attempt, const struct verdict *verdict,
                      struct str *out)
{
    const struct failure_class class = failure_class_of(attempt);
    const size_t before = out->len;
    if (verdict)
        shown_attempt_class(attempt, verdict, out);
    else if (attempt->class != VERDICT_SUCCESS || attempt->correction)
        failure_class_word(&class, out);
    if (out->len == before)
        str_add(out, attempt->class == VERDICT_SUCCESS ? shown_word(SHOWN_PASSED) : "failed");
    failure_class_original(attempt, out);
}

static void add_wait(const struct step_state *step, struct str *out)
{
    struct str formula = {0};
    str_add(out, ", waits ");
    shown_seconds(step_state_formulas(step)->delay.delay_ms, out);
    shown_formula(step, &formula);
    if (formula.len > 0)
        str_addf(out, " (%s)", formula.data);
    str_done(&formula);
}

static void add_try(const struct run_state *state, const struct log_output_key *key,
                    const struct attempt_state *attempt, struct str *out)
{
    const struct task_agent *agent = state->tasks[key->task].agent;
    const bool has_rounds = agent && agent->rounds > 1;
    struct try_count count = {.number = attempt->number};
    if (!has_rounds)
        count = run_state_try_count(state, key->task, key->step, attempt->number);
    str_add(out, ", try ");
    shown_try_count(&count, " of ", out);
    if (has_rounds)
        str_addf(out, " in round %d", attempt->round);
}

/* Of an attempt that others followed: when the next one came. */
static void add_next(const struct step_state *step, const struct attempt_state *attempt,
                     struct str *out)
{
    const struct attempt_state *next = attempt + 1;
    if (next >= step->attempts + step->attempt_count)
        return;
    if (next->round != attempt->round) {
        str_addf(out, ", then round %d", next->round);
        return;
    }
    str_add(out, ", waited ");
    shown_seconds(next->waited_ms, out);
    str_addf(out, " for try %d", next->number);
}

/* Of what was cancelled the class says so, and what is left is by whom. */
static void add_ending(const struct run_state *state, const struct log_output_key *key,
                       struct str *out)
{
    const struct task_state *task = &state->tasks[key->task];
    struct str ending = {0};
    if (task->status == TASK_CANCELLED)
        str_addf(&ending, "by %s", task->by ? task->by : "a person");
    else
        shown_ending(state, key->task, &ending);
    if (ending.len > 0)
        str_addf(out, ", %s", ending.data);
    str_done(&ending);
}

void log_words_decision(const struct run_state *state, const struct log_output_key *key,
                        struct str *out)
{
    const struct step_state *step = step_of(state, key);
    const struct attempt_state *attempt = log_words_attempt(state, key);
    const bool is_last = attempt && attempt == step_state_attempt(step);
    if (!attempt || attempt->ended.mono_ms == 0 || (is_last && !step->judged))
        return;
    struct verdict room;
    str_add(out, "== engine: ");
    add_class(attempt, log_words_verdict(state, key, &room), out);
    add_try(state, key, attempt, out);
    if (!is_last) {
        add_next(step, attempt, out);
    } else if (step->status == STEP_WAITING) {
        add_wait(step, out);
    } else if (step->status == STEP_ENDED && key->step == run_state_step_number(state, key->task)) {
        add_ending(state, key, out);
    }
}
