#include "shown_said.h"

#include <assert.h>
#include <string.h>

#include "attr.h"
#include "shown.h"
#include "text.h"

enum {
    QUOTE_COLUMNS_MIN = 10,
    QUOTE_MARKS = 2,
};

/* The attempt that said it, once that is over. */
static const struct attempt_state *speaker_of(const struct run_state *state, int task)
{
    const struct task_agent *agent = state->tasks[task].agent;
    if (!agent || !agent->said)
        return NULL;
    const struct attempt_state *attempt =
        step_state_find_attempt(&state->tasks[task].steps[agent->said_step], agent->said_attempt);
    return attempt && attempt->ended.at_ms != 0 ? attempt : NULL;
}

/* The last step behind the agent's that was tried in the same round; -1 = none. */
static int check_after(const struct run_state *state, int task, const struct attempt_state *speaker)
{
    const int first = state->tasks[task].agent->said_step + 1;
    for (int i = state->plan->tasks[task].step_count - 1; i >= first; i--) {
        const struct attempt_state *attempt = step_state_attempt(&state->tasks[task].steps[i]);
        if (attempt && attempt->round == speaker->round)
            return i;
    }
    return -1;
}

static enum shown_claim claim_of(const struct run_state *state, int task, int *check_out)
{
    const struct attempt_state *speaker = speaker_of(state, task);
    if (!speaker)
        return SHOWN_CLAIM_NONE;
    const int check = check_after(state, task, speaker);
    *check_out = check;
    if (check < 0 || step_state_attempt(&state->tasks[task].steps[check])->ended.at_ms == 0)
        return SHOWN_CLAIM_UNCHECKED;
    switch (shown_proof(state, task, check)) {
    case SHOWN_PROOF_HOLDS:
        return SHOWN_CLAIM_PROVEN;
    case SHOWN_PROOF_STALE:
        return SHOWN_CLAIM_STALE;
    case SHOWN_PROOF_NONE:
        break;
    }
    return SHOWN_CLAIM_REFUTED;
}

enum shown_claim shown_claim(const struct run_state *state, int task)
{
    int check = -1;
    return claim_of(state, task, &check);
}

const char *shown_claim_name(enum shown_claim claim)
{
    static const char *const names[] = {
        [SHOWN_CLAIM_NONE] = "none",       [SHOWN_CLAIM_UNCHECKED] = "unchecked",
        [SHOWN_CLAIM_REFUTED] = "refuted", [SHOWN_CLAIM_STALE] = "stale",
        [SHOWN_CLAIM_PROVEN] = "proven",
    };
    static_assert(ARRAY_LEN(names) == SHOWN_CLAIM_COUNT, "every claim has a name");
    assert(claim < SHOWN_CLAIM_COUNT);
    return names[claim];
}

/* "proven by VERIFY", "not proven: VERIFY after it: exit 1"; "" for no claim. */
static void claim_words(const struct run_state *state, int task, struct str *out)
{
    int check = -1;
    const enum shown_claim claim = claim_of(state, task, &check);
    const char *phase = check >= 0 ? phase_name(state->plan->tasks[task].steps[check].phase) : "";
    switch (claim) {
    case SHOWN_CLAIM_UNCHECKED:
        if (check >= 0)
            str_addf(out, "not proven yet: %s runs", phase);
        else
            str_add(out, "not proven: no check has run since");
        break;
    case SHOWN_CLAIM_REFUTED:
        str_addf(out, "not proven: %s after it: ", phase);
        outcome_words(&step_state_attempt(&state->tasks[task].steps[check])->outcome, out);
        break;
    case SHOWN_CLAIM_STALE:
        str_addf(out, "not proven any more: the tree has changed since %s", phase);
        break;
    case SHOWN_CLAIM_PROVEN:
        str_addf(out, "proven by %s", phase);
        break;
    case SHOWN_CLAIM_NONE:
    case SHOWN_CLAIM_COUNT:
        break;
    }
}

void shown_said(const struct run_state *state, int task, int columns, struct str *out)
{
    static const char gap[] = "   ";
    struct str proof = {0}, clean = {0};
    claim_words(state, task, &proof);
    if (proof.len > 0) {
        const char *said = state->tasks[task].agent->said;
        const int rest = QUOTE_MARKS + (int)sizeof(gap) - 1 + text_width(proof.data, proof.len);
        const int room = columns - rest > QUOTE_COLUMNS_MIN ? columns - rest : QUOTE_COLUMNS_MIN;
        text_clean(&clean, said, strlen(said));
        str_add_char(out, '"');
        text_fit(out, str_text(&clean), room, TEXT_PLAIN);
        str_addf(out, "\"%s%s", gap, proof.data);
    }
    str_done(&proof);
    str_done(&clean);
}
