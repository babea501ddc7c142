/* scheduler_rounds.c - when an agent is prompted once more, and what it is told. */
#include <string.h>

#include "fold.h"
#include "repair.h"
#include "scheduling.h"
#include "utf8.h"

/* What was tried ends here because of the work, not because of the world or a person. */
static bool is_over_for_the_work(const struct protocol_facts *facts,
                                 const struct decision *decision)
{
    const struct verdict *verdict = facts->verdict;
    const struct outcome *outcome = facts->outcome;
    const bool has_run =
        outcome->kind == OUTCOME_EXIT || outcome->kind == OUTCOME_SIGNAL ||
        (outcome->kind == OUTCOME_NOT_STARTED && !start_code_is_known(outcome->code));
    const bool is_final = decision->kind == DECISION_FAILED ||
                          decision->kind == DECISION_RETRY_EXHAUSTED ||
                          decision->kind == DECISION_MAX_RETRIES;
    return has_run && is_final && verdict->class == VERDICT_PERSISTENT && !verdict->ask &&
           !protocol_is_parked(verdict);
}

/* What is wrong with an agent's own answer it can mend if it is the form (requirement D3). */
static bool can_be_mended(const struct plan_step *step, const struct verdict *verdict)
{
    if (verdict->reason == REASON_CONTRACT)
        return !verdict->no_retry;
    return !step->agent;
}

bool scheduler_round_follows(const struct scheduling *now, int task,
                             const struct protocol_facts *facts, const struct decision *decision)
{
    const struct task_state *state = &now->state->tasks[task];
    const struct plan_task *plan = &now->state->plan->tasks[task];
    const int step = run_state_step_number(now->state, task);
    return state->agent && state->agent->round < state->agent->rounds && !state->cancelling &&
           state->agent->round < FOLD_COUNT_MAX && plan_task_agent_step(plan, step) >= 0 &&
           is_over_for_the_work(facts, decision) &&
           can_be_mended(&plan->steps[step], facts->verdict);
}

/* Did the step end in the round before as it does now, all output the same? */
static bool ends_as_before(const struct step_state *step)
{
    const struct attempt_state *now = step_state_attempt(step);
    for (size_t i = step->attempt_count - 1; i > 0; i--) {
        const struct attempt_state *before = &step->attempts[i - 1];
        if (before->round < now->round)
            return before->round == now->round - 1 && digest_is_known(now->fingerprint) &&
                   digest_equal(before->fingerprint, now->fingerprint);
    }
    return false;
}

static void write_failure(const struct scheduling *now, int task,
                          const struct protocol_facts *facts, struct str *out)
{
    const struct input *input = now->input;
    const struct plan_step *step = scheduler_plan_step(now->state, task);
    const struct verdict *verdict = facts->verdict;
    if (step->agent && input->repair && strlen(input->repair) <= SCHEDULER_PROMPT_MAX) {
        str_add(out, input->repair);
        return;
    }
    struct str ended = {0};
    outcome_words(facts->outcome, &ended);
    if (verdict->match[0] != '\0' && verdict->violations[0] == '\0')
        str_addf(&ended, ": %s", verdict->match);
    const size_t tail = input->tail_len < SCHEDULER_TAIL_MAX ? input->tail_len : SCHEDULER_TAIL_MAX;
    const struct repair_failure failure = {
        .argv = step->agent ? NULL : step->argv,
        .ended = str_text(&ended),
        .violations = verdict->violations[0] != '\0' ? verdict->violations : NULL,
        .tail = input->tail ? input->tail + input->tail_len - tail : NULL,
        .tail_len = tail,
        .expected_to_fail = step->expect.what == PLAN_EXPECT_FAILURE,
    };
    repair_failure_prompt(&failure, SCHEDULER_PROMPT_MAX, out);
    str_done(&ended);
}

/* The prompt as JSON, without its beginning where that makes it too long: its end says what to
 * do. */
static void prompt_text(const struct str *prompt, struct str *out)
{
    size_t from = 0;
    for (;;) {
        str_clear(out);
        str_add_char(out, '{');
        str_json_text(out, "prompt", str_text(prompt) + from);
        str_add_char(out, '}');
        if (out->len <= EVENT_TEXT_MAX)
            return;
        from += out->len - EVENT_TEXT_MAX;
        while (from < prompt->len && utf8_is_inner(prompt->data[from]))
            from++;
        if (from > prompt->len)
            from = prompt->len;
    }
}

/* An agent that repeats itself hears of it before that is why the task ends. */
static void write_prompt(const struct scheduling *now, int task, const struct protocol_facts *facts,
                         struct str *out)
{
    write_failure(now, task, facts, out);
    if (ends_as_before(run_state_step(now->state, task)))
        str_add(out, "\nThis is the same result as in the previous round: nothing done since has "
                     "changed it. Try another way, or say what blocks you.\n");
}

void scheduler_round_start(const struct scheduling *now, int task,
                           const struct protocol_facts *facts)
{
    const struct plan_task *plan = &now->state->plan->tasks[task];
    struct event event = scheduler_event(now, EVENT_ROUND_STARTED, task);
    struct str prompt = {0};
    struct str text = {0};
    event.a = now->state->tasks[task].agent->round + 1;
    event.b = plan_task_agent_step(plan, event.step);
    event.c = event.step;
    event.d = event.attempt;
    write_prompt(now, task, facts, &prompt);
    prompt_text(&prompt, &text);
    scheduler_emit(now, event, text.data);
    str_done(&text);
    str_done(&prompt);
}
