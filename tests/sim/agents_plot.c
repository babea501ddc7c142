#include "agents.h"

#include "chance.h"

enum { CALLS_MAX = 14, CALL_KINDS = 3, MICRO = 1000 };

int agents_first_step(const struct plot_task *task, int step)
{
    while (step >= 0 && !task->steps[step].agent)
        step--;
    return step;
}

bool agents_has(const struct plot_task *task)
{
    return agents_first_step(task, task->step_count - 1) >= 0;
}

static void make_budget(int64_t budget[BUDGET_KIND_COUNT], struct chance *chance, int factor)
{
    if (chance_hits(chance, 30))
        budget[BUDGET_COST] = chance_between(chance, 1, 40) * factor * MICRO;
    if (chance_hits(chance, 30))
        budget[BUDGET_TURNS] = chance_between(chance, 1, 40) * factor;
    if (chance_hits(chance, 20))
        budget[BUDGET_CALLS] = chance_between(chance, 1, 60) * factor;
    if (chance_hits(chance, 40))
        budget[BUDGET_WALL] = chance_between(chance, 1, 40) * factor * 1000;
}

static void make_agents(struct plot_step *step)
{
    step->agent = true;
    step->expects_failure = step->has_match = false;
    step->reasons = 0;
}

void agents_make_task(struct plot_task *task, int infrastructure, struct chance *chance)
{
    if (!chance_hits(chance, 45))
        return;
    make_agents(&task->steps[chance_below(chance, task->step_count)]);
    if (chance_hits(chance, 15))
        make_agents(&task->steps[task->step_count - 1]);
    for (int i = 0; i < task->step_count && chance_hits(chance, 70); i++) {
        if (agents_first_step(task, i) >= 0 && !task->steps[i].agent)
            task->steps[i].policy = infrastructure; /* as for a step that names no policy */
        task->steps[i].idempotent = true;
    }
    task->rounds = chance_hits(chance, 75) ? (int)chance_between(chance, 2, 4) : 1;
    if (chance_hits(chance, 50))
        make_budget(task->budget, chance, 1);
}

void agents_make_run(struct plot *plot, struct chance *chance)
{
    if (chance_hits(chance, 25))
        make_budget(plot->budget, chance, 4);
    if (chance_hits(chance, 20))
        plot->budget[BUDGET_DAY] = chance_between(chance, 1, 120) * MICRO;
}

void agents_make_op(struct plot_op *op, struct chance *chance)
{
    static const int kinds[] = {15, 40, 45};
    struct event *fact = &op->fact;
    *fact = event_new((enum event_kind)(EVENT_AGENT_SESSION + chance_pick(chance, kinds, 3)));
    op->count = 1;
    op->call = chance_below(chance, CALL_KINDS);
    op->news = chance_hits(chance, 25);
    op->result = (int)chance_between(chance, 1, 2);
    if (fact->kind == EVENT_AGENT_USED) {
        struct agent_used *used = &fact->used.used;
        used->turns = chance_between(chance, 0, 30);
        used->calls = chance_between(chance, 0, 40);
        used->cost_micro = chance_between(chance, 0, 40) * MICRO;
        used->tokens = chance_below(chance, 10000);
        used->own_retries = chance_below(chance, 4);
    } else if (fact->kind == EVENT_AGENT_CALL) {
        op->count = (int)chance_between(chance, 1, CALLS_MAX);
        op->call = chance_hits(chance, 6) ? -1 : op->call;
        fact->call.ms = chance_below(chance, 5000);
        fact->call.code = chance_hits(chance, 30);
    }
    if (!chance_hits(chance, 4))
        return;
    const int64_t wrong = chance_hits(chance, 50) ? -1 : INT64_MAX;
    if (fact->kind == EVENT_AGENT_USED)
        fact->used.used.calls = wrong;
    else if (fact->kind == EVENT_AGENT_CALL)
        fact->call.ms = wrong;
}

void agents_write_budget(const int64_t budget[BUDGET_KIND_COUNT], struct str *out)
{
    static const char *const names[] = {NULL, "cost_usd", "turns", "calls", "wall_s", "day_usd"};
    static const int64_t units[] = {1, 1000 * MICRO, 1, 1, 1000, 1000 * MICRO};
    bool is_open = false;
    for (int kind = 1; kind < BUDGET_KIND_COUNT; kind++) {
        if (budget[kind] == 0)
            continue;
        str_addf(out, "%s\"%s\":%.17g", is_open ? "," : ",\"budget\":{", names[kind],
                 (double)budget[kind] / (double)units[kind]);
        is_open = true;
    }
    str_add(out, is_open ? "}" : "");
}

/* Call -1 is a message from the user. */
struct event agents_fact(const struct plot_op *op)
{
    static const char *const sessions[CALL_KINDS] = {"s0", "s1", "s2"};
    struct event fact = op->fact;
    if (fact.kind == EVENT_AGENT_SESSION) {
        fact.session.agent = "claude";
        fact.session.session = sessions[op->call];
    } else if (fact.kind == EVENT_AGENT_CALL && op->call < 0) {
        fact.call.tool = "user";
        fact.call.what = "do it in another way";
    } else if (fact.kind == EVENT_AGENT_CALL) {
        fact.call.tool = "Bash";
        fact.call.what = "make";
        fact.call.has_loop = true;
        fact.call.loop = (struct entropy_fact){
            .gain = op->news ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE,
            .bits = ENTROPY_MASKED | (fact.call.code != 0 ? (unsigned)ENTROPY_FAILED : 0),
            .call = {.hi = 100 + (uint64_t)op->call, .lo = 700 + (uint64_t)op->call},
            .outcome = {.hi = 200 + (uint64_t)op->result, .lo = 1},
            .new_permille = 0,
            .lines = 1,
        };
    }
    return fact;
}
