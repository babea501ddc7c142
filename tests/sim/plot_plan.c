#include "plot.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "agents.h"
#include "chance.h"

enum {
    ALL_PHASES = 1 << PHASE_RED | 1 << PHASE_GREEN | 1 << PHASE_VERIFY | 1 << PHASE_REFACTOR,
    SIX_HOURS_MS = 6 * 60 * 60 * 1000,
};

/* The table of the design, written by hand. */
static const struct plot_policy builtin[PLOT_BUILTIN] = {
    {.name = POLICY_DEFAULT,
     .like = -1,
     .attempts = 3,
     .base_ms = 500,
     .multiplier = 2,
     .cap_ms = 30000,
     .on_transient = true,
     .timeouts = true,
     .on_persistent = true,
     .phases = 1 << PHASE_GREEN | 1 << PHASE_VERIFY,
     .hint_cap_ms = SIX_HOURS_MS},
    {.name = "infrastructure",
     .like = -1,
     .attempts = 4,
     .base_ms = 1000,
     .multiplier = 2,
     .cap_ms = 30000,
     .on_transient = true,
     .timeouts = true,
     .phases = ALL_PHASES,
     .hint_cap_ms = SIX_HOURS_MS},
    {.name = "research",
     .like = -1,
     .attempts = 3,
     .base_ms = 1000,
     .multiplier = 2,
     .cap_ms = 60000,
     .on_transient = true,
     .timeouts = true,
     .on_persistent = true,
     .phases = ALL_PHASES,
     .window = 3,
     .hint_cap_ms = SIX_HOURS_MS,
     .max_retries = true},
    {.name = "transport",
     .like = -1,
     .attempts = 4,
     .base_ms = 2000,
     .multiplier = 2,
     .cap_ms = 60000,
     .jitter = PLOT_JITTER_PROPORTIONAL,
     .fraction = 0.5,
     .on_transient = true,
     .phases = ALL_PHASES,
     .hint_cap_ms = SIX_HOURS_MS},
};

static void change_times(struct plot_policy *policy, struct chance *chance)
{
    static const double multipliers[] = {1, 1.5, 2, 3, 10, 100};
    if (chance_hits(chance, 60))
        policy->attempts = (int)chance_between(chance, 1, 7);
    if (chance_hits(chance, 50))
        policy->base_ms = chance_between(chance, 0, 10) * (chance_hits(chance, 50) ? 500 : 487);
    if (chance_hits(chance, 40))
        policy->multiplier = multipliers[chance_below(chance, 6)];
    if (chance_hits(chance, 50))
        policy->cap_ms = chance_between(chance, 0, 60000);
    if (chance_hits(chance, 30))
        policy->hint_cap_ms = chance_between(chance, 2, 120) * 500;
    if (chance_hits(chance, 40))
        policy->deadline_ms = chance_hits(chance, 5) ? 1 : chance_between(chance, 1, 120) * 500;
}

static void change_jitter(struct plot_policy *policy, struct chance *chance)
{
    policy->jitter = (enum plot_jitter)chance_below(chance, 3);
    policy->fraction = 0;
    if (policy->jitter == PLOT_JITTER_PROPORTIONAL)
        policy->fraction = (double)chance_between(chance, 1, 100) / 100;
}

static void change_rules(struct plot_policy *policy, struct chance *chance)
{
    if (chance_hits(chance, 60))
        change_jitter(policy, chance);
    if (chance_hits(chance, 30)) {
        policy->on_transient = chance_hits(chance, 80);
        policy->on_persistent = chance_hits(chance, 60);
    }
    if (chance_hits(chance, 30))
        policy->phases = (unsigned)chance_below(chance, 1 + ALL_PHASES);
    if (chance_hits(chance, 40))
        policy->window = chance_hits(chance, 30) ? 0 : (int)chance_between(chance, 2, 4);
    if (chance_hits(chance, 30))
        policy->same_stops = (int)chance_between(chance, 2, 4);
    if (chance_hits(chance, 30))
        policy->max_retries = !policy->max_retries;
    if (chance_hits(chance, 30))
        policy->timeouts = !policy->timeouts;
}

/* A plan's own "infrastructure" hides the built-in policy of that name. */
static int pick_policy(const struct plot *plot, struct chance *chance)
{
    int policy = chance_below(chance, plot->policy_count);
    return policy == 1 ? plot->infrastructure : policy;
}

/* Picks a policy of that shape to derive another one from; unnamed policies cannot be picked. */
static int pick_like(const struct plot *plot, struct chance *chance)
{
    int like = pick_policy(plot, chance);
    return plot->policies[like].at_step ? 0 : like;
}

static void name_policy(const struct plot_policy *like, struct plot_policy *policy, int number)
{
    char name[sizeof(policy->name)] = {'p', (char)('a' + number), '\0'};
    if (policy->at_step)
        (void)snprintf(name, sizeof(name), "%.14s+", like->name);
    memcpy(policy->name, name, sizeof(name));
}

static void make_policies(struct plot *plot, struct chance *chance)
{
    memcpy(plot->policies, builtin, sizeof(builtin));
    plot->policy_count = PLOT_BUILTIN;
    plot->infrastructure = 1;
    int own = (int)chance_between(chance, 1, PLOT_POLICIES_MAX - PLOT_BUILTIN);
    for (int i = 0; i < own; i++) {
        int like = pick_like(plot, chance);
        struct plot_policy *policy = &plot->policies[plot->policy_count];
        *policy = plot->policies[like];
        policy->like = like;
        policy->at_step = i > 0 && chance_hits(chance, 25);
        name_policy(&plot->policies[like], policy, i);
        change_times(policy, chance);
        change_rules(policy, chance);
        bool of_starts = i == 0 && chance_hits(chance, 30);
        if (of_starts) {
            memcpy(policy->name, builtin[1].name, sizeof(policy->name));
            plot->infrastructure = plot->policy_count;
        }
        plot->policy_count++;
    }
}

static bool may_repeat(const struct plot *plot, const struct plot_step *step)
{
    const struct plot_policy *policy = &plot->policies[step->policy];
    return policy->attempts > 1 && (policy->phases & 1U << step->phase) != 0;
}

static void make_step(struct plot *plot, struct chance *chance, const struct plot_task *task,
                      struct plot_step *step)
{
    step->policy = pick_policy(plot, chance);
    bool must = may_repeat(plot, step) && task->workspace == WORKSPACE_INPLACE;
    step->idempotent = must || chance_hits(chance, 50);
    step->source = plot->source_count > 0 && chance_hits(chance, 40)
                       ? chance_below(chance, plot->source_count)
                       : -1;
    step->expects_failure = chance_hits(chance, step->phase == PHASE_RED ? 70 : 10);
    if (!step->expects_failure)
        return;
    step->has_match = chance_hits(chance, 40);
    if (chance_hits(chance, 50))
        step->reasons = (unsigned)chance_between(chance, 1, (1 << REASON_COUNT) - 1);
}

static void make_task(struct plot *plot, struct chance *chance, int number)
{
    struct plot_task *task = &plot->tasks[number];
    task->id = number;
    int want = number > 0 && chance_hits(chance, 45) ? (int)chance_between(chance, 1, 3) : 0;
    for (int i = 0; i < want; i++) {
        int need = chance_below(chance, number);
        bool there = false;
        for (int k = 0; k < task->need_count; k++)
            there = there || task->needs[k] == need;
        if (!there)
            task->needs[task->need_count++] = need;
    }
    if (chance_hits(chance, 30))
        task->workspace = chance_hits(chance, 50) ? WORKSPACE_WORKTREE : WORKSPACE_COPY;
    task->step_count = (int)chance_between(chance, 2, PLOT_STEPS_MAX);
    enum phase phase = chance_hits(chance, 50) ? PHASE_RED : PHASE_GREEN;
    for (int i = 0; i < task->step_count; i++) {
        if (phase < PHASE_REFACTOR && i > 0 && chance_hits(chance, 45))
            phase = (enum phase)(phase + 1);
        task->steps[i].phase = phase;
        make_step(plot, chance, task, &task->steps[i]);
    }
    agents_make_task(task, plot->infrastructure, chance);
}

static int any_nudge(struct chance *chance)
{
    return chance_hits(chance, 10) ? 0 : (int)chance_between(chance, 2, 3);
}

static int any_stop(struct chance *chance)
{
    return chance_hits(chance, 20) ? 0 : (int)chance_between(chance, 2, 6);
}

/* Uses only the loop rungs that are easy to predict. There are no hints about barren steps, because
 * they would depend on all the calls in between. */
static void make_loops(struct plot *plot, struct chance *chance)
{
    plot->loops = (struct entropy_limits){
        .repeat_nudge = any_nudge(chance),
        .repeat_stop = any_stop(chance),
        .repeat_masked_stop = any_stop(chance),
        .poll_nudge = any_nudge(chance),
        .poll_stop = any_stop(chance),
        .cycle_stop = chance_hits(chance, 30) ? 0 : (int)chance_between(chance, 2, 3),
        .failure_nudge = any_nudge(chance),
        .failure_stop = any_stop(chance),
        .failure_edited_stop = any_stop(chance),
        .barren_stop = chance_hits(chance, 50) ? 0 : (int)chance_between(chance, 3, 9),
        .poll_weight = (int)chance_between(chance, 0, 100),
        .nudges = chance_hits(chance, 10) ? 0 : (int)chance_between(chance, 1, 3),
    };
}

void plot_make_plan(struct plot *plot, struct chance *chance)
{
    plot->jobs = (int)chance_between(chance, 1, chance_hits(chance, 30) ? 12 : 4);
    plot->source_count = chance_hits(chance, 85) ? (int)chance_between(chance, 1, 2) : 0;
    make_policies(plot, chance);
    make_loops(plot, chance);
    plot->task_count = (int)chance_between(chance, 6, PLOT_TASKS_MAX);
    for (int i = 0; i < plot->task_count; i++)
        make_task(plot, chance, i);
    agents_make_run(plot, chance);
}

static void write_words(struct str *out, unsigned bits, const char *const *words)
{
    str_add_char(out, '[');
    for (int i = 0, written = 0; bits >> i != 0; i++) {
        if ((bits & 1U << i) != 0)
            str_addf(out, "%s\"%s\"", written++ > 0 ? "," : "", words[i]);
    }
    str_add_char(out, ']');
}

static void write_numbers(const struct plot_policy *policy, const struct plot_policy *like,
                          struct str *out)
{
    const struct {
        const char *key;
        int64_t value, before;
    } rows[] = {
        {"max_attempts", policy->attempts, like->attempts},
        {"base_delay_ms", policy->base_ms, like->base_ms},
        {"cap_ms", policy->cap_ms, like->cap_ms},
        {"window", policy->window, like->window},
        {"same_stops", policy->same_stops, like->same_stops},
        {"retry_after_cap_ms", policy->hint_cap_ms, like->hint_cap_ms},
        {"deadline_ms", policy->deadline_ms, like->deadline_ms},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].value != rows[i].before)
            str_json_i64(out, rows[i].key, rows[i].value);
    }
    if (policy->multiplier != like->multiplier)
        str_addf(out, ",\"multiplier\":%.17g", policy->multiplier);
}

static void write_jitter(const struct plot_policy *policy, struct str *out)
{
    if (policy->jitter == PLOT_JITTER_PROPORTIONAL)
        str_addf(out, ",\"jitter\":%.17g", policy->fraction);
    else
        str_json_text(out, "jitter", policy->jitter == PLOT_JITTER_FULL ? "full" : "none");
}

/* Writes the JSON object of a policy: what it is derived from, and the differences. */
static void write_policy(const struct plot *plot, const struct plot_policy *policy, struct str *out)
{
    static const char *const classes[] = {"transient", "persistent"};
    static const char *const phases[] = {"RED", "GREEN", "VERIFY", "REFACTOR"};
    const struct plot_policy *like = &plot->policies[policy->like];
    str_add_char(out, '{');
    str_json_text(out, "like", like->name);
    write_numbers(policy, like, out);
    if (policy->jitter != like->jitter || policy->fraction != like->fraction)
        write_jitter(policy, out);
    if (policy->on_transient != like->on_transient ||
        policy->on_persistent != like->on_persistent) {
        str_json_key(out, "retry_on");
        write_words(out, (policy->on_transient ? 1U : 0) | (policy->on_persistent ? 2U : 0),
                    classes);
    }
    if (policy->phases != like->phases) {
        str_json_key(out, "phases");
        write_words(out, policy->phases, phases);
    }
    if (policy->timeouts != like->timeouts)
        str_addf(out, ",\"retry_timeouts\":%s", policy->timeouts ? "true" : "false");
    if (policy->max_retries != like->max_retries)
        str_json_text(out, "exhausted", policy->max_retries ? "max-retries" : "by-class");
    str_add_char(out, '}');
}

static void write_expectation(const struct plot_step *step, struct str *out)
{
    str_json_key(out, "expect");
    if (!step->has_match && step->reasons == 0) {
        str_add(out, "\"failure\"");
        return;
    }
    str_add_char(out, '{');
    if (step->has_match)
        str_json_text(out, "match", "as it should be");
    if (step->reasons != 0) {
        str_json_key(out, "reason");
        str_add_char(out, '[');
        for (int i = 0, written = 0; i < REASON_COUNT; i++) {
            const char *word = i == REASON_NONE ? "none" : reason_name((enum reason)i);
            if ((step->reasons & 1U << i) != 0)
                str_addf(out, "%s\"%s\"", written++ > 0 ? "," : "", word);
        }
        str_add_char(out, ']');
    }
    str_add_char(out, '}');
}

static void write_step(const struct plot *plot, const struct plot_task *task, int number,
                       struct str *out)
{
    static const char *const phases[] = {"RED", "GREEN", "VERIFY", "REFACTOR"};
    const struct plot_step *step = &task->steps[number];
    str_addf(out, "%s{\"phase\":\"%s\",\"idempotent\":%s", number > 0 ? "," : "",
             phases[step->phase], step->idempotent ? "true" : "false");
    if (step->agent)
        str_addf(out, ",\"agent\":\"claude\",\"prompt\":\"do %d %d\"", task->id, number);
    else
        str_addf(out, ",\"run\":[\"do\",\"%d\",\"%d\"]", task->id, number);
    const struct plot_policy *policy = &plot->policies[step->policy];
    if (policy->at_step) {
        str_json_key(out, "policy");
        write_policy(plot, policy, out);
    } else {
        str_json_text(out, "policy", policy->name);
    }
    if (step->source >= 0)
        str_addf(out, ",\"source\":\"s%d\"", step->source);
    if (step->expects_failure)
        write_expectation(step, out);
    str_add_char(out, '}');
}

static void write_task(const struct plot *plot, int number, struct str *out)
{
    const struct plot_task *task = &plot->tasks[number];
    str_addf(out, "%s{\"id\":\"t%d\"", number > 0 ? "," : "", task->id);
    if (task->need_count > 0) {
        str_add(out, ",\"needs\":[");
        for (int i = 0; i < task->need_count; i++)
            str_addf(out, "%s\"t%d\"", i > 0 ? "," : "", plot->tasks[task->needs[i]].id);
        str_add_char(out, ']');
    }
    if (task->away)
        str_json_text(out, "executor", PLOT_EXECUTOR);
    if (task->workspace != WORKSPACE_INPLACE)
        str_json_text(out, "workspace", workspace_kind_name(task->workspace));
    if (agents_has(task)) {
        agents_write_budget(task->budget, out);
        if (task->rounds > 0)
            str_json_i64(out, "rounds", task->rounds);
    }
    str_add(out, ",\"steps\":[");
    for (int i = 0; i < task->step_count; i++)
        write_step(plot, task, i, out);
    str_add(out, "]}");
}

static void write_loops(const struct plot *plot, struct str *out)
{
    const struct entropy_limit *limit = NULL;
    str_json_key(out, "loops");
    str_add_char(out, '{');
    for (size_t i = 0; (limit = entropy_limit(i)) != NULL; i++)
        str_json_i64(out, limit->name, entropy_limit_get(&plot->loops, limit));
    str_add_char(out, '}');
}

const char *plot_host_name(int host)
{
    static const char *const names[PLOT_HOSTS_MAX] = {"h0", "h1", "h2"};
    assert(host >= 0 && host < PLOT_HOSTS_MAX);
    return names[host];
}

static void write_hosts(const struct plot *plot, struct str *out)
{
    if (plot->host_count == 0)
        return;
    str_add(out, ",\"executors\":{\"" PLOT_EXECUTOR
                 "\":{\"like\":\"ssh\",\"shared\":\"/work\",\"hosts\":[");
    for (int i = 0; i < plot->host_count; i++)
        str_addf(out, "%s{\"host\":\"%s\",\"slots\":%d}", i > 0 ? "," : "", plot_host_name(i),
                 plot->host_slots[i]);
    str_add(out, "]}}");
}

void plot_write_plan(const struct plot *plot, struct str *out)
{
    str_add(out, "{\"version\":1");
    write_loops(plot, out);
    agents_write_budget(plot->budget, out);
    write_hosts(plot, out);
    str_add(out, ",\"policies\":{");
    for (int i = PLOT_BUILTIN, written = 0; i < plot->policy_count; i++) {
        if (plot->policies[i].at_step)
            continue;
        str_addf(out, "%s\"%s\":", written++ > 0 ? "," : "", plot->policies[i].name);
        write_policy(plot, &plot->policies[i], out);
    }
    str_add(out, "},\"tasks\":[");
    for (int i = 0; i < plot->task_count; i++)
        write_task(plot, i, out);
    str_add(out, "]}");
}
