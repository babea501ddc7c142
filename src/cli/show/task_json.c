#include <stddef.h>
#include <string.h>

#include "digest.h"
#include "rounded.h"
#include "shown.h"
#include "task_json.h"

enum { MS_PER_S = 1000 };

static void add_dollars(const char *key, int64_t micro, struct str *out)
{
    const double micros_per_dollar = 1e6;
    str_json_key(out, key);
    str_add_number(out, (double)micro / micros_per_dollar);
}

static void add_amount(const char *key, enum budget_kind kind, int64_t amount, struct str *out)
{
    if (kind == BUDGET_COST)
        add_dollars(key, amount, out);
    else
        str_json_i64(out, key, kind == BUDGET_WALL ? rounded(amount, MS_PER_S) : amount);
}

static void add_budgets(const struct run_state *state, int task, const struct moment *now,
                        struct str *out)
{
    struct str budgets = {0};
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        struct budget_use use;
        if (!run_state_budget(state, task, (enum budget_kind)kind, now, &use))
            continue;
        str_add(&budgets, budgets.len > 0 ? "," : "");
        str_addf(&budgets, "\"%s\":{", budget_kind_name(use.kind));
        add_amount("used", use.kind, use.used, &budgets);
        add_amount("limit", use.kind, use.limit, &budgets);
        str_json_bool(&budgets, "spent", budget_use_is_spent(&use));
        str_add_char(&budgets, '}');
    }
    if (budgets.len > 0) {
        str_json_key(out, "budgets");
        str_addf(out, "{%s}", budgets.data);
    }
    str_done(&budgets);
}

void agent_used_json(const struct agent_used *used, struct str *out)
{
    str_json_i64(out, "turns", used->turns);
    str_json_i64(out, "calls", used->calls);
    add_dollars("cost_usd", used->cost_micro, out);
    str_json_i64(out, "tokens", used->tokens);
    if (used->own_retries > 0)
        str_json_i64(out, "own_retries", used->own_retries);
    if (used->refused > 0)
        str_json_i64(out, "refused", used->refused);
}

/* Its last words, and what the checks after it say. */
static void add_said(const struct run_state *state, int task, struct str *out)
{
    const enum shown_claim claim = shown_claim(state, task);
    const struct task_agent *agent = state->tasks[task].agent;
    if (claim == SHOWN_CLAIM_NONE)
        return;
    str_json_key(out, "said");
    str_add_char(out, '{');
    str_json_text(out, "text", agent->said);
    str_json_i64(out, "step", agent->said_step + 1);
    str_json_i64(out, "attempt", agent->said_attempt);
    str_json_text(out, "proof", shown_claim_name(claim));
    str_add_char(out, '}');
}

void agent_json(const struct run_state *state, int task, const struct moment *now, struct str *out)
{
    const struct task_agent *agent = state->tasks[task].agent;
    if (!agent)
        return;
    const struct agent_used used = task_agent_used(agent);
    if (agent->agent)
        str_json_text(out, "agent", agent->agent);
    if (agent->session)
        str_json_text(out, "session_id", agent->session);
    str_json_i64(out, "round", agent->round);
    str_json_i64(out, "rounds", agent->rounds);
    agent_used_json(&used, out);
    if (agent->refused)
        str_json_text(out, "refused_call", agent->refused);
    if (agent->nudge)
        str_json_text(out, "nudge", agent->nudge);
    add_said(state, task, out);
    add_budgets(state, task, now, out);
}

/* The session of all agents; NULL if there is none or more than one. */
static const char *only_session(const struct run_state *state, bool *has_agent)
{
    const char *session = NULL;
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct task_agent *agent = state->tasks[i].agent;
        *has_agent = *has_agent || agent;
        if (!agent || !agent->session)
            continue;
        if (session && strcmp(session, agent->session) != 0)
            return NULL;
        session = agent->session;
    }
    return session;
}

void agents_json(const struct run_state *state, const struct moment *now, struct str *out)
{
    bool has_agent = false;
    const char *session = only_session(state, &has_agent);
    if (!has_agent)
        return;
    if (session)
        str_json_text(out, "session_id", session);
    agent_used_json(&state->used, out);
    add_budgets(state, -1, now, out);
}

/* Of an agent's calls their numbers, else steps and attempts. */
static void add_span(const struct shown_circle *circle, struct str *out)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    if (circle->of_calls) {
        str_json_i64(out, "first_call", verdict->first_number);
        str_json_i64(out, "last_call", verdict->last_number);
        return;
    }
    str_json_i64(out, "first_step", circle->first_step + 1);
    str_json_i64(out, "first_attempt", verdict->first_number);
    str_json_i64(out, "last_step", circle->last_step + 1);
    str_json_i64(out, "last_attempt", verdict->last_number);
}

void circles_json(const struct shown_circle *circle, enum entropy_level level, struct str *out)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    struct str words = {0};
    if (level == ENTROPY_OK)
        return;
    str_json_key(out, "circles");
    str_add_char(out, '{');
    str_json_text(out, "level", entropy_level_name(level));
    str_json_text(out, "rung", entropy_rung_name(verdict->rung));
    str_json_i64(out, "count", verdict->count);
    if (verdict->period > 0)
        str_json_i64(out, "period", verdict->period);
    add_span(circle, out);
    if (verdict->masked)
        str_json_bool(out, "masked", true);
    if (circle->masks != 0) {
        shown_masks(circle->masks, &words);
        str_json_text(out, "masks", str_text(&words));
        str_clear(&words);
    }
    shown_circle_words(circle, &words);
    str_json_text(out, "equal", shown_circles_equal(verdict));
    str_json_text(out, "words", str_text(&words));
    str_add_char(out, '}');
    str_done(&words);
}

static void add_text(const char *key, const char *text, struct str *out)
{
    if (text)
        str_json_text(out, key, text);
}

static void add_workspace(const struct task_place *place, struct str *out)
{
    if (place->path || place->is_kept) {
        str_json_key(out, "workspace");
        str_add_char(out, '{');
        str_json_text(out, "kind", workspace_kind_name(place->kind));
        add_text("path", place->is_kept ? NULL : place->path, out);
        add_text("branch", place->branch, out);
        add_text("result", place->result, out);
        str_add_char(out, '}');
    }
    add_text("sandbox_lacks", place->lacks, out);
}

static void add_proof(const struct step_state *step, enum shown_proof proof, int number,
                      struct str *out)
{
    str_add(out, out->data[out->len - 1] == '[' ? "{" : ",{");
    str_json_i64(out, "step", number + 1);
    str_json_bool(out, "stale", proof == SHOWN_PROOF_STALE);
    const struct step_trees *trees = step_state_trees(step);
    if (digest_is_known(trees->proven)) {
        char hex[DIGEST_HEX_MAX];
        digest_to_hex(trees->proven, hex);
        str_json_text(out, "tree", hex);
        str_json_i64(out, "attempt", trees->proven_attempt);
    }
    str_add_char(out, '}');
}

void place_json(const struct run_state *state, int task, struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    if (it->place)
        add_workspace(it->place, out);
    str_json_key(out, "proofs");
    str_add_char(out, '[');
    for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
        const enum shown_proof proof = shown_proof(state, task, i);
        if (proof != SHOWN_PROOF_NONE)
            add_proof(&it->steps[i], proof, i, out);
    }
    str_add_char(out, ']');
}
