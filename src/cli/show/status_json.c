/* status_json.c - the present state of a run as a JSON object, and the parts of it that other
 * commands print, too. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "rounded.h"
#include "show.h"
#include "shown.h"
#include "timeline.h"

void seed_json(uint64_t seed, struct str *out)
{
    char text[sizeof("18446744073709551615")];
    (void)snprintf(text, sizeof(text), "%" PRIu64, seed);
    str_json_text(out, "seed", text);
}

static const struct run_state *state_of(const struct status *status)
{
    return follower_state(status->follower);
}

static const char *id_of(const struct status *status, int task)
{
    return state_of(status)->plan->tasks[task].id;
}

static void begin_item(struct str *out)
{
    str_add(out, out->data[out->len - 1] == '[' ? "{" : ",{");
}

/* Agents, loops and workspaces, as members of other objects too. */

enum { MS_PER_S = 1000 };

static void add_dollars(const char *key, int64_t micro, struct str *out)
{
    const double micros_per_dollar = 1e6;
    str_json_key(out, key);
    str_add_number(out, (double)micro / micros_per_dollar);
}

static void add_amount(const char *key, enum budget_kind kind, int64_t amount, struct str *out)
{
    if (kind == BUDGET_COST || kind == BUDGET_DAY)
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
    const enum shown_claim claim = shown_claim(state, task);
    if (claim != SHOWN_CLAIM_NONE) {
        /* The agent's last message, and the results of the checks after it. */
        str_json_key(out, "said");
        str_add_char(out, '{');
        str_json_text(out, "text", agent->said);
        str_json_i64(out, "step", agent->said_step + 1);
        str_json_i64(out, "attempt", agent->said_attempt);
        str_json_text(out, "proof", shown_claim_name(claim));
        str_add_char(out, '}');
    }
    add_budgets(state, task, now, out);
}

/* Appends the sums and budgets of the run; nothing if no task has an agent. Also appends
 * "session_id" if all agents share one session. */
static void add_agents(const struct run_state *state, const struct moment *now, struct str *out)
{
    bool has_agent = false;
    bool is_shared = true;
    const char *session = NULL;
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct task_agent *agent = state->tasks[i].agent;
        has_agent = has_agent || agent;
        if (!agent || !agent->session)
            continue;
        is_shared = is_shared && (!session || strcmp(session, agent->session) == 0);
        session = agent->session;
    }
    if (!has_agent)
        return;
    if (session && is_shared)
        str_json_text(out, "session_id", session);
    agent_used_json(&state->used, out);
    add_budgets(state, -1, now, out);
}

void circles_json(const struct shown_circle *circle, struct str *out)
{
    const struct entropy_verdict *verdict = &circle->verdict;
    struct str words = {0};
    if (verdict->level == ENTROPY_OK)
        return;
    str_json_key(out, "circles");
    str_add_char(out, '{');
    str_json_text(out, "level", entropy_level_name(verdict->level));
    str_json_text(out, "rung", entropy_rung_name(verdict->rung));
    str_json_i64(out, "count", verdict->count);
    if (verdict->period > 0)
        str_json_i64(out, "period", verdict->period);
    /* Numbers of an agent's calls, or else numbers of steps and attempts. */
    if (circle->of_calls) {
        str_json_i64(out, "first_call", verdict->first_number);
        str_json_i64(out, "last_call", verdict->last_number);
    } else {
        str_json_i64(out, "first_step", circle->first_step + 1);
        str_json_i64(out, "first_attempt", verdict->first_number);
        str_json_i64(out, "last_step", circle->last_step + 1);
        str_json_i64(out, "last_attempt", verdict->last_number);
    }
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

void place_json(const struct run_state *state, int task, struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    const struct task_place *place = it->place;
    if (place && (place->path || place->is_kept)) {
        str_json_key(out, "workspace");
        str_add_char(out, '{');
        str_json_text(out, "kind", workspace_kind_name(place->kind));
        add_text("path", place->is_kept ? NULL : place->path, out);
        add_text("branch", place->branch, out);
        add_text("result", place->result, out);
        str_add_char(out, '}');
    }
    if (place)
        add_text("sandbox_lacks", place->lacks, out);
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    if (attempt && attempt->host >= 0) {
        const struct host_place at = run_state_host_place(state, attempt->host);
        str_json_text(out, "executor", at.executor->name);
        str_json_text(out, "host", at.host);
    }
    if (it->job) {
        str_json_key(out, "job");
        str_add_char(out, '{');
        str_json_text(out, "id", it->job->id);
        str_json_text(out, "state", job_state_name(it->job->state));
        str_json_i64(out, "since_ms", it->job->since.at_ms);
        add_text("reason", it->job->reason[0] != '\0' ? it->job->reason : NULL, out);
        add_text("node", it->job->node[0] != '\0' ? it->job->node : NULL, out);
        str_add_char(out, '}');
    }
    if (it->away_since.at_ms > 0)
        str_json_i64(out, "no_contact_since_ms", it->away_since.at_ms);
    if (it->fence.at_ms > 0)
        str_json_i64(out, "fence_ms", it->fence.at_ms);
    str_json_key(out, "proofs");
    str_add_char(out, '[');
    for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
        const enum shown_proof proof = shown_proof(state, task, i);
        if (proof == SHOWN_PROOF_NONE)
            continue;
        const struct step_trees *trees = step_state_trees(&it->steps[i]);
        begin_item(out);
        str_json_i64(out, "step", i + 1);
        str_json_bool(out, "stale", proof == SHOWN_PROOF_STALE);
        if (digest_is_known(trees->proven)) {
            char hex[DIGEST_HEX_MAX];
            digest_to_hex(trees->proven, hex);
            str_json_text(out, "tree", hex);
            str_json_i64(out, "attempt", trees->proven_attempt);
        }
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

/* The state of a run. */

static void add_gate(const struct status *status, int source, struct str *out)
{
    const struct run_state *state = state_of(status);
    const struct gate_state *gate = &state->gates[source];
    begin_item(out);
    str_json_text(out, "source", state->plan->sources[source]);
    str_json_text(out, "state", shown_gate_name(gate->status));
    str_json_i64(out, "waiting", shown_waiting(state, source));
    if (gate->status != GATE_OPEN) {
        str_json_i64(out, "limits", gate->closed);
        str_json_i64(out, "since_ms", gate->since.at_ms);
    }
    if (gate->status == GATE_CLOSED || gate->status == GATE_SPREADING)
        str_json_i64(out, "due_at_ms", gate->due.at_ms);
    if (gate->status == GATE_SPREADING)
        str_json_i64(out, "spacing_ms", gate->spacing_ms);
    if (gate->status == GATE_PROBING)
        str_json_text(out, "probe", id_of(status, gate->probe));
    str_add_char(out, '}');
}

static void add_fault(const struct status *status, const struct fault *fault, struct str *out)
{
    const struct run_state *state = state_of(status);
    char hex[DIGEST_HEX_MAX];
    struct str class = {0};
    const char *comma = "";
    digest_to_hex(fault->fingerprint, hex);
    shown_class(state, fault->first, &class);
    begin_item(out);
    str_json_text(out, "fingerprint", hex);
    str_json_text(out, "class", str_text(&class));
    str_json_i64(out, "count", fault->count);
    str_json_i64(out, "since_ms", fault->since.at_ms);
    str_json_i64(out, "due_first_at_ms", fault->due_first.at_ms);
    str_json_i64(out, "due_last_at_ms", fault->due_last.at_ms);
    str_json_key(out, "members");
    str_add_char(out, '[');
    for (int i = fault->first; i < state->plan->task_count; i++) {
        if (!fault_has(fault, state, i))
            continue;
        str_addf(out, "%s\"%s\"", comma, id_of(status, i));
        comma = ",";
    }
    str_add(out, "]}");
    str_done(&class);
}

static void add_step(const struct status *status, int task, struct str *out)
{
    const struct run_state *state = state_of(status);
    const struct step_state *step = run_state_step(state, task);
    const struct start_tries start = run_state_start_tries(state, task);
    int number = run_state_step_number(state, task);
    int64_t resume_at_ms = shown_resets_at_ms(step);
    struct shown_circle circle;
    str_json_i64(out, "step", number + 1);
    str_json_text(out, "phase", phase_name(state->plan->tasks[task].steps[number].phase));
    str_json_i64(out, "attempt", (int64_t)step->attempt_count);
    str_json_i64(out, "attempts_max", run_state_tries(state, task));
    const struct try_count count = run_state_try_count(state, task, number, 0);
    shown_try_count_json(&count, out);
    if (start.of > 0) {
        str_json_key(out, "start");
        str_addf(out, "{\"try\":%d,\"max\":%d}", start.at, start.of);
    }
    str_json_i64(out, "entropy", state->tasks[task].entropy);
    if (step->status == STEP_WAITING)
        str_json_i64(out, "due_at_ms", step->due.at_ms);
    if (resume_at_ms >= 0)
        str_json_i64(out, "resume_at_ms", resume_at_ms);
    if (shown_circles_of(state, task, &circle))
        circles_json(&circle, out);
    if (state->tasks[task].follows >= 0)
        str_json_text(out, "follows", id_of(status, state->tasks[task].follows));
}

static void add_task(const struct status *status, int task, struct str *out)
{
    const struct run_state *state = state_of(status);
    const struct shown_look look = status_look(status);
    struct rows rows = {0};
    struct str line = {0};
    rows_task(&rows, state, task, &look);
    begin_item(out);
    str_json_text(out, "task", rows_value(&rows, "task"));
    str_json_text(out, "title", rows_value(&rows, "title"));
    str_json_text(out, "state", rows_value(&rows, "state"));
    add_step(status, task, out);
    str_json_text(out, "class", rows_value(&rows, "class"));
    str_json_text(out, "why", rows_value(&rows, "why"));
    if (task_status_is_failed(state->tasks[task].status))
        telling_line(follower_reader(status->follower), status_run(status)->number, state, task,
                     &line);
    if (line.len > 0)
        str_json_text(out, "line", line.data);
    agent_json(state, task, &status->now, out);
    place_json(state, task, out);
    str_add_char(out, '}');
    str_done(&line);
    rows_done(&rows);
}

/* Appends a machine. */
static void add_host(const struct hosts *hosts, const struct run_state *state, int number,
                     const struct shown_look *look, struct str *out)
{
    const struct host_facts *facts = &hosts->items[number + 1];
    const struct host_state *host = number == HOST_HERE ? NULL : &state->hosts[number];
    begin_item(out);
    if (host) {
        const struct host_place at = run_state_host_place(state, number);
        str_json_text(out, "executor", at.executor->name);
        str_json_text(out, "host", at.host);
    } else {
        str_json_text(out, "executor", "local");
    }
    str_json_text(out, "state", shown_host_word(facts->shown));
    if (host && host->since.at_ms > 0)
        str_json_i64(out, "since_ms", host->since.at_ms);
    if (host && host->why[0] != '\0')
        str_json_text(out, "why", host->why);
    if (host && shown_has_nodes(&host->nodes)) {
        str_json_key(out, "nodes");
        str_addf(out, "{\"up\":%d,\"drain\":%d,\"down\":%d}", host->nodes.up, host->nodes.drain,
                 host->nodes.down);
    }
    str_json_i64(out, "slots", facts->slots);
    str_json_i64(out, "used", facts->used);
    if (host) {
        str_json_bool(out, "contact", host->reached > 0 && shown_counts(state, look->orphaned));
        str_json_i64(out, "no_contact", facts->away);
        if (facts->queued > 0)
            str_json_i64(out, "queued", facts->queued);
    }
    if (host && host->heard.at_ms > 0)
        str_json_i64(out, "heard_ms", host->heard.at_ms);
    int64_t fence_ms = 0;
    str_json_key(out, "tasks");
    str_add_char(out, '[');
    for (int task = facts->first_task; task >= 0; task = hosts->next[task]) {
        const int64_t ms = state->tasks[task].fence.at_ms;
        str_addf(out, "%s\"%s\"", task == facts->first_task ? "" : ",",
                 state->plan->tasks[task].id);
        fence_ms = ms > fence_ms ? ms : fence_ms;
    }
    str_add_char(out, ']');
    if (fence_ms > 0)
        str_json_i64(out, "fence_ms", fence_ms);
    str_add_char(out, '}');
}

void hosts_json(const struct run_state *state, const struct shown_look *look, struct str *out)
{
    struct hosts hosts;
    hosts_read(&hosts, state);
    str_json_i64(out, "slots", hosts.slots);
    str_json_i64(out, "used", hosts.used);
    str_json_key(out, "hosts");
    str_add_char(out, '[');
    for (int i = 0; i < hosts.count; i++)
        add_host(&hosts, state, hosts.order[i], look, out);
    str_add_char(out, ']');
    hosts_done(&hosts);
}

void status_json(const struct status *status, struct str *out)
{
    const struct run_state *state = state_of(status);
    const struct log_run_info *run = follower_run(status->follower);
    struct rows rows = {0};
    status_rows(status, &rows);
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", run->number);
    str_json_text(out, "uid", run->uid);
    str_json_text(out, "name", rows_value(&rows, "name"));
    str_json_text(out, "state", rows_value(&rows, "state"));
    rows_done(&rows);
    if (run->owner_stopped && !state->ended)
        str_json_bool(out, "stopped", true);
    str_json_i64(out, "live_runs", status->live_runs);
    str_json_i64(out, "started_at_ms", run->started_at_ms);
    seed_json(run->seed, out);
    if (state->ended) {
        str_json_i64(out, "ended_at_ms", state->ended_at.at_ms);
        str_json_i64(out, "exit_code", state->exit_code);
    }
    str_json_i64(out, "attempts", state->attempts);
    str_json_i64(out, "waited_ms", state->waited_ms);
    struct time_spent spent; /* time of all tasks together */
    time_spent_of_run(&spent, state, &status->now, status->orphaned);
    str_json_key(out, "time");
    str_add_char(out, '{');
    time_spent_json(&spent, out);
    str_add_char(out, '}');
    if (state->stopped_ms > 0)
        str_json_i64(out, "stopped_ms", state->stopped_ms);
    if (state->secrets_cut > 0)
        str_json_i64(out, "secrets_cut", state->secrets_cut);
    add_agents(state, &status->now, out);
    str_json_key(out, "gates");
    str_add_char(out, '[');
    for (int i = 0; i < state->plan->source_count; i++)
        add_gate(status, i, out);
    str_add_char(out, ']');
    const struct shown_look look = status_look(status);
    if (state->plan->executor_count > 0)
        hosts_json(state, &look, out);
    struct fault faults[FAULTS_MAX];
    int count = shown_counts(state, status->orphaned) ? run_state_faults(state, faults) : 0;
    str_json_key(out, "faults");
    str_add_char(out, '[');
    for (int i = 0; i < count; i++)
        add_fault(status, &faults[i], out);
    str_add_char(out, ']');
    str_json_key(out, "tasks");
    str_add_char(out, '[');
    for (int i = 0; i < state->plan->task_count; i++)
        add_task(status, i, out);
    str_add(out, "]}");
}
