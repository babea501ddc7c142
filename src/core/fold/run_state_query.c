/* run_state_query.c - questions to a fold's state that keep nothing. */
#include "run_state.h"

#include <stddef.h>
#include <string.h>

#include "json.h"

struct attempt_state *step_state_attempt(const struct step_state *step)
{
    return step->attempt_count > 0 ? step_state_latest(step) : NULL;
}

const struct step_formulas *step_state_formulas(const struct step_state *step)
{
    static const struct step_formulas none;
    return step->formulas ? step->formulas : &none;
}

const struct step_trees *step_state_trees(const struct step_state *step)
{
    static const struct step_trees none;
    return step->trees ? step->trees : &none;
}

const struct verdict *step_state_verdict(const struct step_state *step, struct verdict *room)
{
    struct json *evidence = NULL;
    if (!step->verdict_json)
        return NULL;
    *room = verdict_new();
    if (json_parse(step->verdict_json, strlen(step->verdict_json), &evidence, NULL, NULL))
        verdict_from_json(evidence, room);
    json_free(evidence);
    room->class = step->verdict.class;
    room->type = step->verdict.type;
    room->reason = step->verdict.reason;
    return room;
}

struct attempt_state *step_state_find_attempt(const struct step_state *step, int number)
{
    bool there = number >= 1 && (size_t)number <= step->attempt_count;
    return there ? &step->attempts[number - 1] : NULL;
}

bool run_state_tree_is_stale(const struct run_state *state, int task, int step)
{
    const struct task_place *place = state->tasks[task].place;
    const struct digest proven = step_state_trees(&state->tasks[task].steps[step])->proven;
    if (!place || !digest_is_known(proven))
        return false;
    return place->is_changed || !digest_equal(place->tree, proven);
}

/* The last attempt number that a step can reach with the set that is open now. */
static int tries_of_set(const struct run_state *state, int task, int number)
{
    const struct step_state *step = &state->tasks[task].steps[number];
    const struct plan_step *plan = &state->plan->tasks[task].steps[number];
    int allowed = step->allowed;
    if (step->grant == 0)
        allowed = plan_step_attempts(plan);

    /* What runs has not been counted yet; what never started never is. */
    int left = allowed - step->used - (step->status == STEP_RUNNING ? 1 : 0);
    return (int)step->attempt_count + (left > 0 ? left : 0);
}

int run_state_step_tries(const struct run_state *state, int task, int number)
{
    const int tries = tries_of_set(state, task, number);
    const int before = state->tasks[task].steps[number].tries_max;
    return tries > before ? tries : before;
}

/* How many attempts there were before the set that is open now. */
static int tries_before_set(const struct run_state *state, int task, const struct step_state *step)
{
    const int round = run_state_round(state, task);
    int count = 0;
    while ((size_t)count < step->attempt_count &&
           (step->attempts[count].round < round ||
            (step->grant > 1 && step->attempts[count].grant < step->grant)))
        count++;
    return count;
}

struct try_count run_state_try_count(const struct run_state *state, int task, int number,
                                     int attempt)
{
    const struct step_state *step = &state->tasks[task].steps[number];
    const int latest = (int)step->attempt_count;
    const int before = tries_before_set(state, task, step);
    const int at = attempt > 0 ? attempt : latest;
    const bool is_counted = at > before && at <= latest && (at == latest || step->free_hints == 0);
    if (attempt > 0 && !is_counted)
        return (struct try_count){.number = attempt};
    const int counted = at - before - step->free_hints;
    return (struct try_count){
        .number = at == before  ? 0
                  : counted > 1 ? counted
                                : 1,
        .of = tries_of_set(state, task, number) - before - step->free_hints,
        .free = step->free_hints,
        .in_all = step->grant > 1 && at > before ? at : 0,
    };
}

int run_state_tries(const struct run_state *state, int task)
{
    return run_state_step_tries(state, task, run_state_step_number(state, task));
}

int run_state_blocker(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    for (int i = 0; i < plan->need_count; i++) {
        enum task_status status = state->tasks[plan->needs[i]].status;
        if (task_status_is_final(status) && status != TASK_PASSED)
            return plan->needs[i];
    }
    return -1;
}

struct start_tries run_state_start_tries(const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    if (step->start_failures == 0)
        return (struct start_tries){0};
    return (struct start_tries){
        .at = step->start_failures + (step->status == STEP_RUNNING ? 1 : 0),
        .of = plan_policy_find(state->plan, "infrastructure")->max_attempts,
    };
}

int64_t run_state_held_ms(const struct run_state *state, int task, const struct moment *now)
{
    const struct step_state *step = run_state_step(state, task);
    if (!state->tasks[task].held || step->first_start.at_ms == 0)
        return 0;
    int64_t from_ms = state->tasks[task].held_since.mono_ms;
    if (from_ms < step->first_start.mono_ms)
        from_ms = step->first_start.mono_ms;
    return now->mono_ms - from_ms;
}

static void mix(uint64_t *digest, int64_t value)
{
    *digest = (*digest ^ (uint64_t)value) * 0x100000001b3ULL;
    *digest ^= *digest >> 29;
}

static void mix_text(uint64_t *digest, const char *text)
{
    for (; *text; text++)
        mix(digest, (unsigned char)*text);
}

static void mix_correction(uint64_t *digest, const struct correction *correction)
{
    mix(digest, correction != NULL);
    if (!correction)
        return;
    mix(digest, correction->label.class);
    mix(digest, correction->label.type);
    mix(digest, correction->label.reason);
    mix(digest, correction->at_ms);
    mix_text(digest, correction->by);
}

static void mix_hint(uint64_t *digest, const struct attempt_hint *hint)
{
    mix(digest, hint != NULL);
    if (!hint)
        return;
    mix_text(digest, hint->text);
    mix_text(digest, hint->by);
}

static void mix_attempt(uint64_t *digest, const struct attempt_state *attempt)
{
    const int64_t facts[] = {
        attempt->number,
        attempt->grant,
        attempt->round,
        attempt->started.at_ms,
        attempt->ended.at_ms,
        attempt->pid,
        attempt->waited_ms,
        attempt->queued_ms,
        attempt->gated,
        attempt->by_hand,
        attempt->tree_known,
        attempt->paths_changed,
        attempt->lines_added,
        attempt->lines_removed,
        (int64_t)attempt->call.hi,
        (int64_t)attempt->call.lo,
        (int64_t)attempt->fingerprint.hi,
        (int64_t)attempt->fingerprint.lo,
        attempt->outcome.kind,
        attempt->outcome.code,
        attempt->outcome.stop,
        attempt->outcome.own_retries,
        attempt->outcome.quiet_ms,
        attempt->outcome.own_wait_ms,
        attempt->outcome.ran_ms,
        attempt->outcome.bytes[0],
        attempt->outcome.bytes[1],
        attempt->partial,
        attempt->skipped_bytes,
        attempt->new_permille,
        attempt->class,
        attempt->type,
        attempt->reason,
    };
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        mix(digest, facts[i]);
    mix_correction(digest, attempt->correction);
    mix_hint(digest, attempt->hint);
}

static void mix_step(uint64_t *digest, const struct step_state *step)
{
    const struct step_trees *trees = step_state_trees(step);
    const int64_t facts[] = {
        step->status,
        step->end,
        step->by_hand,
        step->grant,
        step->used,
        step->own_retries,
        step->allowed,
        step->start_failures,
        step->free_hints,
        step->same,
        step->results_from,
        step->interrupted,
        step->tries_max,
        step->held_ms,
        step->judged,
        step->silent_failure,
        step->quiet,
        step->first_start.mono_ms,
        step->wait_from.mono_ms,
        step->due.at_ms,
        step->due.mono_ms,
        (int64_t)trees->saved.hi,
        (int64_t)trees->saved.lo,
        (int64_t)trees->proven.hi,
        (int64_t)trees->proven.lo,
        trees->proven_attempt,
    };
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        mix(digest, facts[i]);
    for (size_t i = 0; i < step->attempt_count; i++)
        mix_attempt(digest, &step->attempts[i]);
    mix_hint(digest, step->hint);
}

static bool stands_in_line(const struct run_state *state, int task)
{
    const struct gate_state *gate = run_state_gate(state, task);
    return gate && number_set_has(&gate->line, task);
}

static void mix_gate(uint64_t *digest, const struct gate_state *gate)
{
    const int64_t facts[] = {gate->status,     gate->closed, gate->since.at_ms, gate->due.mono_ms,
                             gate->spacing_ms, gate->probe,  gate->chosen,      gate->line.count};
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        mix(digest, facts[i]);
}

static void mix_circles(uint64_t *digest, const struct circles *circles)
{
    mix(digest, circles != NULL);
    if (!circles)
        return;
    const struct entropy_verdict *verdict = &circles->verdict;
    const int64_t facts[] = {
        verdict->level,
        verdict->rung,
        verdict->news,
        verdict->poll,
        verdict->masked,
        verdict->count,
        verdict->period,
        verdict->first,
        verdict->last,
        verdict->first_number,
        verdict->last_number,
        (int64_t)verdict->identity.hi,
        (int64_t)verdict->identity.lo,
        circles->first_step,
        circles->last_step,
        circles->since.at_ms,
        circles->told,
        circles_scale(circles),
        entropy_state_steps(&circles->state),
    };
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        mix(digest, facts[i]);
}

static void mix_used(uint64_t *digest, const struct agent_used *used)
{
    mix(digest, used->turns);
    mix(digest, used->calls);
    mix(digest, used->cost_micro);
    mix(digest, used->tokens);
    mix(digest, used->own_retries);
    mix(digest, used->refused);
}

static void mix_budget(uint64_t *digest, const struct budget_state *budget)
{
    for (int kind = 0; kind < BUDGET_KIND_COUNT; kind++)
        mix(digest, budget->base[kind]);
    mix(digest, budget->told);
    mix(digest, budget->spent);
    mix(digest, budget->runs);
    mix(digest, budget->wall_ms);
    mix(digest, budget->wall_from.mono_ms);
}

/* The words that it is told are not in it, only whether there are any. */
static void mix_agent(uint64_t *digest, const struct task_agent *agent)
{
    mix(digest, agent != NULL);
    if (!agent)
        return;
    mix_text(digest, agent->agent ? agent->agent : "");
    mix_text(digest, agent->session ? agent->session : "");
    mix(digest, agent->heard_step);
    mix(digest, agent->heard_attempt);
    mix(digest, agent->heard_new);
    mix(digest, agent->round);
    mix(digest, agent->rounds);
    mix(digest, agent->repair != NULL);
    mix(digest, agent->nudge != NULL);
    mix_hint(digest, agent->hint);
    mix_text(digest, agent->said ? agent->said : "");
    mix_text(digest, agent->refused ? agent->refused : "");
    mix(digest, agent->said_step);
    mix(digest, agent->said_attempt);
    mix_used(digest, &agent->past);
    mix_used(digest, &agent->now);
    mix_budget(digest, &agent->budget);
    mix_circles(digest, agent->calls);
    mix(digest, agent->is_stuck);
}

static void mix_place(uint64_t *digest, const struct task_place *place)
{
    mix(digest, place != NULL);
    if (!place)
        return;
    const char *const texts[] = {place->path, place->branch, place->result, place->lacks};
    mix(digest, place->kind);
    mix(digest, (int64_t)place->tree.hi);
    mix(digest, (int64_t)place->tree.lo);
    mix(digest, place->is_changed);
    mix(digest, place->is_kept);
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        mix(digest, texts[i] != NULL);
        mix_text(digest, texts[i] ? texts[i] : "");
    }
}

static void mix_pauses(uint64_t *digest, const struct task_pauses *pauses)
{
    for (size_t i = 0; pauses && i < pauses->count; i++) {
        mix(digest, pauses->items[i].kind);
        mix(digest, pauses->items[i].ended);
        mix(digest, pauses->items[i].from.mono_ms);
        mix(digest, pauses->items[i].until.mono_ms);
    }
}

static void mix_task(uint64_t *digest, const struct run_state *state, int number)
{
    const struct task_state *task = &state->tasks[number];
    const int64_t facts[] = {
        task->status,
        task->step,
        task->unmet,
        task->blocked_by,
        task->entropy,
        task->held,
        task->follows,
        task->followers,
        task->cancelling,
        task->cancel_mode,
        task->since.at_ms,
        task->held_since.at_ms,
        task->cancelled_at.at_ms,
        task->waited_ms,
        task->first_start.at_ms,
        number_set_has(&state->ready, number),
        stands_in_line(state, number),
        heap_has(&state->waits, number),
        heap_has(&state->walls, number) ? heap_key(&state->walls, number) : -1,
    };
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        mix(digest, facts[i]);
    mix_circles(digest, task->circles);
    mix_place(digest, task->place);
    mix_agent(digest, task->agent);
    mix_pauses(digest, task->pauses);
    for (int i = 0; i < state->plan->tasks[number].step_count; i++)
        mix_step(digest, &task->steps[i]);
}

enum hint_goes run_state_hint_goes(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const int step = run_state_step_number(state, task);
    if (plan->steps[step].agent)
        return HINT_GOES_HERE;
    if (plan_task_agent_step(plan, plan->step_count - 1) > step)
        return HINT_GOES_ON;
    return plan->rounds > 1 && plan_task_agent_step(plan, step) >= 0 ? HINT_GOES_BACK
                                                                     : HINT_GOES_NOWHERE;
}

int64_t run_state_elapsed_ms(const struct run_state *state, const struct moment *now)
{
    const struct moment *end = state->ended ? &state->ended_at : now;
    return end->mono_ms - state->started_at.mono_ms - state->away_ms;
}

uint64_t run_state_digest(const struct run_state *state)
{
    uint64_t digest = 0xcbf29ce484222325ULL;
    const int64_t facts[] = {
        (int64_t)state->seed, state->jobs,       state->started,     state->ended,
        state->exit_code,     state->last_seq,   state->running,     state->unknown_events,
        state->held_count,    state->attempts,   state->waited_ms,   state->stopped_by_person,
        state->follow_count,  state->stopped_ms, state->secrets_cut, state->away_ms,
    };
    for (size_t i = 0; i < ARRAY_LEN(facts); i++)
        mix(&digest, facts[i]);
    mix_used(&digest, &state->used);
    mix_budget(&digest, &state->budget);
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        mix(&digest, state->counts[i]);
    for (int i = 0; i < state->plan->source_count; i++)
        mix_gate(&digest, &state->gates[i]);
    for (int i = 0; i < state->plan->task_count; i++)
        mix_task(&digest, state, i);
    return digest;
}
