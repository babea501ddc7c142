/* run_state_query.c - queries of the state of a run: tries, agents, gates, faults, classes of
 * failures, a digest. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "attr.h"
#include "pack.h"
#include "run_state.h"
#include "xalloc.h"

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
    if (!step->evidence)
        return NULL;
    packed_read(step->evidence, room, sizeof(*room));
    return room;
}

void step_state_keep_verdict(struct step_state *step, const struct verdict *verdict)
{
    free(step->evidence);
    step->evidence = packed_new(verdict, sizeof(*verdict));
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

/* Returns the last attempt number that a step can reach with the current set of attempts. */
static int tries_of_set(const struct run_state *state, int task, int number)
{
    const struct step_state *step = &state->tasks[task].steps[number];
    const struct plan_step *plan = &state->plan->tasks[task].steps[number];
    int allowed = step->allowed;
    if (step->grant == 0)
        allowed = plan_step_attempts(plan);

    /* `used` does not include a running attempt yet, and never an attempt that did not start. */
    int left = allowed - step->used - (step->status == STEP_RUNNING ? 1 : 0);
    return (int)step->attempt_count + (left > 0 ? left : 0);
}

int run_state_step_tries(const struct run_state *state, int task, int number)
{
    const int tries = tries_of_set(state, task, number);
    const int before = state->tasks[task].steps[number].tries_max;
    return tries > before ? tries : before;
}

struct try_count run_state_try_count(const struct run_state *state, int task, int number,
                                     int attempt)
{
    const struct step_state *step = &state->tasks[task].steps[number];
    const int latest = (int)step->attempt_count;
    const int round = run_state_round(state, task);
    int before = 0; /* attempts before the current set */
    while ((size_t)before < step->attempt_count &&
           (step->attempts[before].round < round ||
            (step->grant > 1 && step->attempts[before].grant < step->grant)))
        before++;
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

int run_state_unmet(const struct run_state *state, int task)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    for (int i = 0; i < plan->need_count; i++) {
        if (state->tasks[plan->needs[i]].status != TASK_PASSED)
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

static void mix_all(uint64_t *digest, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mix(digest, values[i]);
}

static void mix_text(uint64_t *digest, const char *text)
{
    for (; *text; text++)
        mix(digest, (unsigned char)*text);
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
        attempt->in_queue_ms,
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
    mix_all(digest, facts, ARRAY_LEN(facts));
    const struct correction *correction = attempt->correction;
    mix(digest, correction != NULL);
    if (correction) {
        mix(digest, correction->label.class);
        mix(digest, correction->label.type);
        mix(digest, correction->label.reason);
        mix(digest, correction->at_ms);
        mix_text(digest, correction->by);
    }
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
    mix_all(digest, facts, ARRAY_LEN(facts));
    for (size_t i = 0; i < step->attempt_count; i++)
        mix_attempt(digest, &step->attempts[i]);
    mix_hint(digest, step->hint);
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
    mix_all(digest, facts, ARRAY_LEN(facts));
}

static void mix_used(uint64_t *digest, const struct agent_used *used)
{
    const int64_t facts[] = {used->turns,  used->calls,       used->cost_micro,
                             used->tokens, used->own_retries, used->refused};
    mix_all(digest, facts, ARRAY_LEN(facts));
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

/* Adds an agent to the digest. Only adds whether it has a repair prompt and a nudge, not their
 * text. */
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

static void mix_task(uint64_t *digest, const struct run_state *state, int number)
{
    const struct task_state *task = &state->tasks[number];
    const struct gate_state *gate = run_state_gate(state, number);
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
        gate && number_set_has(&gate->line, number),
        heap_has(&state->waits, number),
        heap_has(&state->walls, number) ? heap_key(&state->walls, number) : -1,
    };
    mix_all(digest, facts, ARRAY_LEN(facts));
    mix_circles(digest, task->circles);
    const struct task_place *place = task->place;
    mix(digest, place != NULL);
    if (place) {
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
    mix_agent(digest, task->agent);
    for (size_t i = 0; task->pauses && i < task->pauses->count; i++) {
        const struct task_pause *pause = &task->pauses->items[i];
        mix(digest, pause->kind);
        mix(digest, pause->ended);
        mix(digest, pause->from.mono_ms);
        mix(digest, pause->until.mono_ms);
    }
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
    mix_all(&digest, facts, ARRAY_LEN(facts));
    mix_used(&digest, &state->used);
    mix_budget(&digest, &state->budget);
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        mix(&digest, state->counts[i]);
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct gate_state *gate = &state->gates[i];
        const int64_t parts[] = {
            gate->status,     gate->closed, gate->since.at_ms, gate->due.mono_ms,
            gate->spacing_ms, gate->probe,  gate->chosen,      gate->line.count,
        };
        mix_all(&digest, parts, ARRAY_LEN(parts));
    }
    for (int i = 0; i < state->plan->task_count; i++)
        mix_task(&digest, state, i);
    return digest;
}

/* The agent of a task, and what it may use. */

struct agent_used task_agent_used(const struct task_agent *agent)
{
    struct agent_used sum = agent->past;
    agent_used_add(&sum, &agent->now);
    return sum;
}

static int64_t used_of(const struct agent_used *used, enum budget_kind kind)
{
    switch (kind) {
    case BUDGET_COST:
    case BUDGET_DAY:
        return used->cost_micro;
    case BUDGET_TURNS:
        return used->turns;
    case BUDGET_CALLS:
        return used->calls;
    case BUDGET_WALL:
    case BUDGET_NONE:
    case BUDGET_KIND_COUNT:
        break;
    }
    return 0;
}

bool run_state_budget(const struct run_state *state, int task, enum budget_kind kind,
                      const struct moment *now, struct budget_use *out)
{
    const struct task_agent *agent = task >= 0 ? state->tasks[task].agent : NULL;
    const struct budget_state *budget = agent ? &agent->budget : &state->budget;
    const struct budget *limits =
        task >= 0 ? &state->plan->tasks[task].budget : &state->plan->budget;
    const struct agent_used used = agent ? task_agent_used(agent) : state->used;
    *out = (struct budget_use){.kind = kind};
    if (task >= 0 && !agent)
        return false;
    out->used = used_of(&used, kind);
    if (kind == BUDGET_DAY) /* what the log has, and what this run has used since */
        out->used += state->day.cost_micro - state->day.own_micro;
    if (kind == BUDGET_WALL) {
        const int64_t ms = now->mono_ms - budget->wall_from.mono_ms;
        out->used = budget->wall_ms + (budget->runs && ms > 0 ? ms : 0);
    }
    out->limit = limits->limits[kind];
    if (out->limit == 0)
        return false;
    out->base = budget->base[kind];
    out->limit += out->base;
    return true;
}

static bool budget_is_due(const struct run_state *state, int of, enum budget_kind kind,
                          int64_t more)
{
    const struct budget_state *budget = of >= 0 ? &state->tasks[of].agent->budget : &state->budget;
    const unsigned bit = 1U << kind;
    struct budget_use use;
    if (!run_state_budget(state, of, kind, &state->last, &use) || (budget->spent & bit) != 0)
        return false;
    use.used += more;
    return budget_use_is_spent(&use) || (budget_use_is_near(&use) && (budget->told & bit) == 0);
}

bool run_state_budget_is_due(const struct run_state *state, int task, const struct agent_used *used)
{
    static const enum budget_kind kinds[] = {BUDGET_COST, BUDGET_TURNS, BUDGET_CALLS, BUDGET_DAY};
    const struct task_agent *agent = state->tasks[task].agent;
    bool due = false;
    if (!agent)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const int64_t more = used_of(used, kinds[i]) - used_of(&agent->now, kinds[i]);
        due = due || budget_is_due(state, task, kinds[i], more) ||
              budget_is_due(state, -1, kinds[i], more);
    }
    return due;
}

int64_t run_state_wall_due(const struct run_state *state, int task)
{
    const struct task_agent *agent = task >= 0 ? state->tasks[task].agent : NULL;
    const struct budget_state *budget = agent ? &agent->budget : &state->budget;
    const unsigned bit = 1U << BUDGET_WALL;
    struct budget_use use;
    if (!run_state_budget(state, task, BUDGET_WALL, &state->last, &use) || !budget->runs ||
        (budget->spent & bit) != 0)
        return -1;
    const int64_t mark_ms = (budget->told & bit) != 0 ? use.limit : budget_use_mark(&use);
    const int64_t due_ms = budget->wall_from.mono_ms + mark_ms - budget->wall_ms;
    return due_ms > 0 ? due_ms : 0;
}

/* The gate of a step, and the tasks that it lets start. */

struct gate_state *run_state_gate(const struct run_state *state, int task)
{
    const int source = state->plan->tasks[task].steps[run_state_step_number(state, task)].source;
    return source >= 0 ? &state->gates[source] : NULL;
}

bool run_state_is_behind_gate(const struct run_state *state, int task)
{
    const struct gate_state *gate = run_state_gate(state, task);
    return gate && gate->status != GATE_OPEN && number_set_has(&gate->line, task);
}

bool gate_lets_start(const struct gate_state *gate, int64_t now_mono_ms)
{
    switch (gate->status) {
    case GATE_OPEN:
        return true;
    case GATE_CLOSED:
        return gate->chosen >= 0 || now_mono_ms >= gate->due.mono_ms;
    case GATE_SPREADING:
        return now_mono_ms >= gate->due.mono_ms;
    case GATE_PROBING:
    case GATE_STATUS_COUNT:
        break;
    }
    return false;
}

int gate_next(const struct gate_state *gate)
{
    return gate->chosen >= 0 ? gate->chosen : number_set_first(&gate->line);
}

/* Tasks that failed, or wait, because of the same fault. */

static struct digest last_result(const struct run_state *state, int task)
{
    const struct attempt_state *attempt = step_state_attempt(run_state_step(state, task));
    return attempt ? attempt->fingerprint : (struct digest){0};
}

/* Returns the source of the task's current step, or -1. Failures of different sources are
 * unrelated, however similar they look. */
static int source_of(const struct run_state *state, int task)
{
    return state->plan->tasks[task].steps[run_state_step_number(state, task)].source;
}

bool run_state_waits_alike(const struct run_state *state, int task, int other)
{
    const struct step_state *step = run_state_step(state, task);
    const struct step_state *with = run_state_step(state, other);
    struct digest result = last_result(state, task);
    if (step->status != STEP_WAITING || with->status != STEP_WAITING || !digest_is_known(result))
        return false;
    if (source_of(state, task) != source_of(state, other))
        return false;
    int64_t apart_ms = step->wait_from.mono_ms - with->wait_from.mono_ms;
    return digest_equal(result, last_result(state, other)) && apart_ms <= FAULT_SPAN_MS &&
           apart_ms >= -FAULT_SPAN_MS;
}

bool fault_has(const struct fault *fault, const struct run_state *state, int task)
{
    const struct step_state *step = run_state_step(state, task);
    return step->status == STEP_WAITING &&
           digest_equal(last_result(state, task), fault->fingerprint) &&
           source_of(state, task) == source_of(state, fault->first) &&
           step->wait_from.mono_ms >= fault->since.mono_ms &&
           step->wait_from.mono_ms <= fault->latest.mono_ms;
}

/* A task that waits and has a known result. */
struct candidate {
    struct digest result;
    const struct step_state *step;
    int task, source;
    bool taken; /* belongs to a fault that was reported */
};

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Orders by result and source, then by the start of the wait. */
static int by_result(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int64_t a_ms = a->step->wait_from.mono_ms, b_ms = b->step->wait_from.mono_ms;
    int order = compare_u64(a->result.hi, b->result.hi);
    if (order == 0)
        order = compare_u64(a->result.lo, b->result.lo);
    if (order == 0)
        order = a->source - b->source;
    if (order == 0)
        order = (a_ms > b_ms) - (a_ms < b_ms);
    return order != 0 ? order : a->task - b->task;
}

/* Gathers the waiting tasks with a known result; if there are too many, the tasks with the lowest
 * numbers. Returns their number. */
static int gather_waits(const struct run_state *state, struct candidate *out)
{
    int count = 0;
    for (int i = 0; i < state->plan->task_count && count < FAULT_WAITS_MAX; i++) {
        struct digest result = last_result(state, i);
        if (heap_has(&state->waits, i) && digest_is_known(result))
            out[count++] = (struct candidate){.result = result,
                                              .step = run_state_step(state, i),
                                              .task = i,
                                              .source = source_of(state, i)};
    }
    qsort(out, (size_t)count, sizeof(*out), by_result);
    return count;
}

/* A range of sorted candidates with one result and source, whose waits began within the span. */
struct window {
    int from, count;
};

static struct window largest_window(const struct candidate *sorted, int count)
{
    struct window best = {0};
    int end = 0;
    for (int from = 0; from < count; from++) {
        const struct candidate *first = &sorted[from];
        const int64_t from_ms = first->step->wait_from.mono_ms;
        end = end > from ? end : from;
        while (end < count && !sorted[end].taken &&
               digest_equal(first->result, sorted[end].result) &&
               first->source == sorted[end].source &&
               sorted[end].step->wait_from.mono_ms - from_ms <= FAULT_SPAN_MS)
            end++;
        if (end - from > best.count)
            best = (struct window){.from = from, .count = end - from};
    }
    return best;
}

static struct fault take_fault(struct candidate *members, int count)
{
    const struct step_state *step = members[0].step;
    struct fault fault = {.fingerprint = members[0].result,
                          .first = members[0].task,
                          .count = count,
                          .since = step->wait_from,
                          .latest = members[count - 1].step->wait_from,
                          .due_first = step->due,
                          .due_last = step->due};
    for (int i = 0; i < count; i++) {
        members[i].taken = true;
        step = members[i].step;
        if (members[i].task < fault.first)
            fault.first = members[i].task;
        if (step->due.mono_ms < fault.due_first.mono_ms)
            fault.due_first = step->due;
        if (step->due.mono_ms > fault.due_last.mono_ms)
            fault.due_last = step->due;
    }
    return fault;
}

static int by_first(const void *left, const void *right)
{
    const struct fault *a = left, *b = right;
    return a->first - b->first;
}

int run_state_faults(const struct run_state *state, struct fault out[FAULTS_MAX])
{
    if (state->waits.count < FAULT_TASKS_MIN)
        return 0;
    size_t cap = 0;
    struct candidate *sorted = xgrow(NULL, &cap, FAULT_WAITS_MAX, sizeof(*sorted));
    int candidates = gather_waits(state, sorted);
    int count = 0;
    while (count < FAULTS_MAX) {
        struct window window = largest_window(sorted, candidates);
        if (window.count < FAULT_TASKS_MIN)
            break;
        out[count++] = take_fault(&sorted[window.from], window.count);
    }
    free(sorted);
    qsort(out, (size_t)count, sizeof(*out), by_first);
    return count;
}

/* Classes of failures. */

/* Returns the class that devs itself gave the attempt. */
static struct failure_class class_as_judged(const struct attempt_state *attempt)
{
    struct failure_class out = {
        .label = {.class = attempt->class, .type = attempt->type, .reason = attempt->reason}};
    const enum outcome_kind kind = attempt->outcome.kind;
    /* The outcome says more than the class: RESOURCE_BUSY may mean a timeout, silence or an
     * interruption. */
    bool has_ending = attempt->class == VERDICT_PERSISTENT && attempt->reason == REASON_NONE;
    if (attempt->class == VERDICT_TRANSIENT)
        has_ending =
            kind == OUTCOME_LOST || (attempt->type == TRANSIENT_RESOURCE_BUSY &&
                                     (kind == OUTCOME_TIMEOUT || kind == OUTCOME_INTERRUPTED));
    if (has_ending) {
        out.kind = kind;
        out.is_silent = out.kind == OUTCOME_TIMEOUT && attempt->outcome.quiet_ms > 0;
        if (out.kind == OUTCOME_EXIT || out.kind == OUTCOME_SIGNAL)
            out.code = attempt->outcome.code;
    }
    return out;
}

struct failure_class failure_class_of(const struct attempt_state *attempt)
{
    if (attempt->correction)
        return (struct failure_class){.label = attempt->correction->label};
    return class_as_judged(attempt);
}

bool failure_class_equals(const struct failure_class *a, const struct failure_class *b)
{
    return verdict_label_equals(&a->label, &b->label) && a->kind == b->kind && a->code == b->code &&
           a->is_silent == b->is_silent;
}

void failure_class_word(const struct failure_class *class, struct str *out)
{
    struct verdict verdict = verdict_new();
    const struct outcome outcome = {.kind = class->kind, .code = class->code};
    char word[VERDICT_WORD_MAX];
    if (class->kind == OUTCOME_TIMEOUT)
        (void)snprintf(verdict.subtype, sizeof(verdict.subtype), "%s",
                       class->is_silent ? "SILENT" : "TIMEOUT");
    else if (class->kind == OUTCOME_INTERRUPTED)
        (void)snprintf(verdict.subtype, sizeof(verdict.subtype), "INTERRUPTED");
    else if (class->kind == OUTCOME_LOST)
        (void)snprintf(verdict.subtype, sizeof(verdict.subtype), "HOST_LOST");
    verdict.class = class->label.class;
    verdict.type = class->label.type;
    verdict.reason = class->label.reason;
    if (verdict.class == VERDICT_SUCCESS)
        str_add(out, verdict_class_name(VERDICT_SUCCESS));
    else
        str_add(out, verdict_word(&verdict, &outcome, word));
}

void failure_class_original(const struct attempt_state *attempt, struct str *out)
{
    const struct failure_class judged = class_as_judged(attempt);
    if (!attempt->correction)
        return;
    str_add(out, " (was ");
    if (attempt->class == VERDICT_SUCCESS)
        str_add(out, verdict_class_name(VERDICT_SUCCESS));
    else
        failure_class_word(&judged, out);
    str_add_char(out, ')');
}
