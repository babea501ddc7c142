/* shown_agent.c - a task's agent and its work, as text: usage, rounds, budgets, the agent's last
 * claim, the workspace, proofs, sizes. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "adapter.h"
#include "agent_stream.h"
#include "attr.h"
#include "digest.h"
#include "rounded.h"
#include "shown.h"
#include "text.h"

enum { PERCENT = 100 };

void shown_session(const char *session, struct str *out)
{
    enum { SHORT_MIN = 20, SHORT = 8 }; /* the first digits identify a long id */
    const size_t len = strlen(session);
    const size_t dash = strcspn(session, "-");
    const bool is_uuid = len >= SHORT_MIN && dash == SHORT;
    str_add_n(out, session, is_uuid ? SHORT : len);
}

static void add_count(int64_t count, const char *one, const char *many, struct str *out)
{
    if (count <= 0)
        return;
    str_add(out, out->len > 0 ? ", " : "");
    shown_count(count, one, many, out);
}

void shown_used(const struct agent_used *used, struct str *out)
{
    struct str words = {0};
    add_count(used->turns, "turn", "turns", &words);
    add_count(used->calls, "call", "calls", &words);
    if (used->cost_micro > 0) {
        str_add(&words, words.len > 0 ? ", " : "");
        agent_cost_words(used->cost_micro, &words);
    } else {
        add_count(used->tokens, "token", "tokens", &words);
    }
    add_count(used->own_retries, "own retry", "own retries", &words);
    add_count(used->refused, "refused", "refused", &words);
    str_add(out, str_text(&words));
    str_done(&words);
}

void shown_own_retries(int64_t count, struct str *out)
{
    if (count > 0)
        str_addf(out, ", and %lld %s by the agent itself", (long long)count,
                 count == 1 ? "retry" : "retries");
}

void shown_agent(const struct run_state *state, int task, struct str *out)
{
    const struct task_agent *agent = state->tasks[task].agent;
    const struct plan_task *plan = &state->plan->tasks[task];
    const int step = plan_task_agent_step(plan, run_state_step_number(state, task));
    if (!agent)
        return;
    /* The name that the agent reported, or the name of its adapter if it reported none. */
    const char *name = agent->agent;
    if (!name && step >= 0 && state->tasks[task].steps[step].attempt_count > 0)
        name = adapter_name(plan->steps[step].agent->adapter);
    if (!name)
        return;
    const struct agent_used used = task_agent_used(agent);
    struct str words = {0};
    str_add(out, name);
    if (agent->session) {
        str_add(out, ", session ");
        shown_session(agent->session, out);
    }
    shown_used(&used, &words);
    if (words.len > 0)
        str_addf(out, ", %s", words.data);
    str_done(&words);
}

int shown_budget_percent(const struct budget_use *use)
{
    const double percent = use->limit > 0 ? (double)use->used * PERCENT / (double)use->limit : 0;
    return percent < 1e6 ? (int)percent : 1000000;
}

void shown_budgets(const struct run_state *state, int task, const struct moment *now,
                   struct str *out)
{
    const char *comma = "";
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        struct budget_use use;
        if (!run_state_budget(state, task, (enum budget_kind)kind, now, &use))
            continue;
        str_add(out, comma);
        budget_use_words(&use, out);
        str_addf(out, " (%d%%)", shown_budget_percent(&use));
        comma = ", ";
    }
}

/* Returns the check that caused this round: the latest attempt of the previous round in the last
 * step that has one; NULL if there is none. Sets *step_out to its step. */
static const struct attempt_state *check_of(const struct run_state *state, int task, int *step_out)
{
    const int before = run_state_round(state, task) - 1;
    for (int i = state->plan->tasks[task].step_count - 1; i >= 0; i--) {
        const struct step_state *step = &state->tasks[task].steps[i];
        for (size_t k = step->attempt_count; k-- > 0;) {
            *step_out = i;
            if (step->attempts[k].round == before)
                return &step->attempts[k];
        }
    }
    return NULL;
}

void shown_round(const struct run_state *state, int task, struct str *out)
{
    enum { COMMAND_BYTES = 60 }; /* maximum bytes shown of a command */
    const struct task_agent *agent = state->tasks[task].agent;
    int number = 0;
    if (!agent || agent->rounds <= 1)
        return;
    str_addf(out, "%d of %d", agent->round, agent->rounds);
    const struct attempt_state *check = check_of(state, task, &number);
    if (agent->round <= 1 || !check || state->tasks[task].status == TASK_PASSED)
        return;
    const struct plan_step *step = &state->plan->tasks[task].steps[number];
    str_add(out, ": ");
    if (step->agent && check->reason == REASON_CONTRACT) {
        str_add(out, "its output did not match its contract");
        return;
    }
    if (step->agent) {
        str_add(out, "the agent failed: ");
    } else {
        const bool is_shell = step->argv && step->argv[0] && step->argv[1] && step->argv[2] &&
                              strcmp(step->argv[1], "-c") == 0;
        struct str line = {0};
        for (int i = is_shell ? 2 : 0; step->argv && step->argv[i]; i++)
            str_addf(&line, "%s%s", line.len > 0 ? " " : "", step->argv[i]);
        const size_t cut = text_cut(str_text(&line), line.len, COMMAND_BYTES);
        str_addf(out, "check `%.*s%s` ", (int)cut, str_text(&line), cut < line.len ? "..." : "");
        str_done(&line);
    }
    outcome_words(&check->outcome, out);
}

/* What the agent said last, and whether a later check supports it. */

enum {
    QUOTE_COLUMNS_MIN = 10,
    QUOTE_MARKS = 2,
};

/* Returns what the agent's last claim is worth. If there is a claim, also sets *check_out to the
 * check: the last step after the agent's step that was tried in the same round, or -1. */
static enum shown_claim claim_of(const struct run_state *state, int task, int *check_out)
{
    const struct task_agent *agent = state->tasks[task].agent;
    const struct step_state *steps = state->tasks[task].steps;
    if (!agent || !agent->said)
        return SHOWN_CLAIM_NONE;
    const struct attempt_state *speaker =
        step_state_find_attempt(&steps[agent->said_step], agent->said_attempt);
    if (!speaker || speaker->ended.at_ms == 0)
        return SHOWN_CLAIM_NONE;
    int check = state->plan->tasks[task].step_count - 1;
    for (; check > agent->said_step; check--) {
        const struct attempt_state *attempt = step_state_attempt(&steps[check]);
        if (attempt && attempt->round == speaker->round)
            break;
    }
    if (check <= agent->said_step)
        check = -1;
    *check_out = check;
    if (check < 0 || step_state_attempt(&steps[check])->ended.at_ms == 0)
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

/* Appends what the agent's last claim is worth, such as "proven by VERIFY" or "not proven: later
 * VERIFY: exit 1"; nothing without a claim. */
static void claim_words(const struct run_state *state, int task, struct str *out)
{
    int check = -1;
    const enum shown_claim claim = claim_of(state, task, &check);
    const char *phase = check >= 0 ? phase_name(state->plan->tasks[task].steps[check].phase) : "";
    switch (claim) {
    case SHOWN_CLAIM_UNCHECKED:
        if (check >= 0)
            str_addf(out, "not proven yet: %s is running", phase);
        else
            str_add(out, "not proven: no check has run since");
        break;
    case SHOWN_CLAIM_REFUTED:
        str_addf(out, "not proven: later %s: ", phase);
        outcome_words(&step_state_attempt(&state->tasks[task].steps[check])->outcome, out);
        break;
    case SHOWN_CLAIM_STALE:
        str_addf(out, "no longer proven: the tree has changed since %s", phase);
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

/* Where a task works, what its proofs are worth, and what its sandbox lacks. */

enum {
    TREE_SHOWN = 12, /* number of hex digits shown of a tree hash */
    KIB = 1024,
};

enum shown_proof shown_proof(const struct run_state *state, int task, int step)
{
    const struct step_state *it = &state->tasks[task].steps[step];
    if (it->status != STEP_ENDED || it->end != DECISION_SUCCEEDED)
        return SHOWN_PROOF_NONE;
    /* That a test failed before the work remains true whatever changes later. */
    if (state->plan->tasks[task].steps[step].expect.what == PLAN_EXPECT_FAILURE)
        return SHOWN_PROOF_HOLDS;
    return run_state_tree_is_stale(state, task, step) ? SHOWN_PROOF_STALE : SHOWN_PROOF_HOLDS;
}

void shown_proof_words(const struct run_state *state, int task, int step, struct str *out)
{
    const struct step_trees *it = step_state_trees(&state->tasks[task].steps[step]);
    const enum shown_proof proof = shown_proof(state, task, step);
    if (proof == SHOWN_PROOF_NONE)
        return;
    if (!digest_is_known(it->proven)) {
        str_add(out, "proven, but the tree was not saved");
        return;
    }
    char hex[DIGEST_HEX_MAX];
    digest_to_hex(it->proven, hex);
    str_addf(out, "%s tree %.*s by try %d",
             proof == SHOWN_PROOF_STALE ? "stale: was proven on" : "proven on", TREE_SHOWN, hex,
             it->proven_attempt);
}

void shown_workspace(const struct run_state *state, int task, struct str *out)
{
    const struct task_place *place = state->tasks[task].place;
    if (!place)
        return;
    if (place->is_kept && place->result)
        str_addf(out, "result at %s", place->result);
    else if (place->is_kept && place->branch)
        str_addf(out, "result on branch %s", place->branch);
    else if (place->path)
        str_addf(out, "%s %s", workspace_kind_name(place->kind), place->path);
}

void shown_stale(const struct run_state *state, int task, struct str *out)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const char *separator = "";
    for (int i = 0; i < plan->step_count; i++) {
        if (shown_proof(state, task, i) != SHOWN_PROOF_STALE)
            continue;
        str_addf(out, "%sstep %d %s", separator, i + 1, phase_name(plan->steps[i].phase));
        separator = ", ";
    }
    str_add(out, *separator ? ": the tree has changed since" : "");
}

void shown_lacks(const struct run_state *state, int task, struct str *out)
{
    const struct task_place *place = state->tasks[task].place;
    if (place && place->lacks)
        str_addf(out, "sandbox does not enforce %s", place->lacks);
}

void shown_count(int64_t count, const char *one, const char *many, struct str *out)
{
    str_add_i64(out, count);
    str_add_char(out, ' ');
    str_add(out, count == 1 ? one : many);
}

void shown_size(int64_t bytes, struct str *out)
{
    const int64_t kib = rounded(bytes, KIB);
    if (bytes < KIB)
        shown_count(bytes, "byte", "bytes", out);
    else if (kib < KIB)
        str_addf(out, "%lld KiB", (long long)kib);
    else
        str_addf(out, "%lld MiB", (long long)rounded(bytes, (int64_t)KIB * KIB));
}

void shown_size_kib(int64_t kib, struct str *out)
{
    shown_size(kib < INT64_MAX / KIB ? kib * KIB : INT64_MAX, out);
}

void size_text_add(int64_t bytes, struct str *out)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    double value = (double)bytes;
    size_t unit = 0;
    for (; value >= 1000 && unit + 1 < ARRAY_LEN(units); unit++)
        value /= 1000;
    str_addf(out, unit > 0 && value < 10 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}
