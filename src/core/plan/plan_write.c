/* plan_write.c - writes a plan as JSON. */
#include <assert.h>
#include <stdatomic.h>
#include <string.h>

#include "config_schema_json.h"
#include "plan.h"
#include "plan_internal.h"
#include "plan_schema_json.h"
#include "str.h"

/* Adds a comma, except for the first element of an array. */
static void add_comma(struct str *out)
{
    bool is_first = out->data[out->len - 1] == '[';
    str_add(out, is_first ? "" : ",");
}

static void add_text(struct str *out, const char *text)
{
    add_comma(out);
    str_add_json(out, text, strlen(text));
}

static void write_own_policy(const struct policy *policy, struct str *out)
{
    str_json_key(out, "policy");
    plan_policy_write(policy, out);
}

static void write_step(const struct plan *plan, const struct plan_step *step, struct str *out)
{
    add_comma(out);
    str_add_char(out, '{');
    fields_write(&plan_step_fields, step, out);
    if (step->own_policy)
        write_own_policy(step->own_policy, out);
    else if (step->policy != plan->own_policy)
        str_json_text(out, "policy", step->policy->name);
    if (step->source >= 0)
        str_json_text(out, "source", plan->sources[step->source]);
    if (step->contract) {
        /* Named contracts are written once, in the plan, because several steps may refer to
         * them. */
        const char *name = step->contract->name;
        str_json_key(out, "contract");
        if (name)
            str_add_json(out, name, strlen(name));
        else
            str_add(out, step->contract->text);
    }
    str_add_char(out, '}');
}

static void write_task(const struct plan *plan, const struct plan_task *task, struct str *out)
{
    add_comma(out);
    str_add_char(out, '{');
    str_json_text(out, "id", task->id);
    fields_write(&plan_task_fields, task, out);
    if (task->need_count > 0) {
        str_json_key(out, "needs");
        str_add_char(out, '[');
        for (int i = 0; i < task->need_count; i++)
            add_text(out, plan->tasks[task->needs[i]].id);
        str_add_char(out, ']');
    }
    plan_executor_write_task(plan, task, out);
    str_json_key(out, "steps");
    str_add_char(out, '[');
    for (int i = 0; i < task->step_count; i++)
        write_step(plan, &task->steps[i], out);
    str_add(out, "]}");
}

/* Writes the policies from `first` up to, but not including, `end`. */
static void write_policies(const struct plan *plan, int first, int end, struct str *out)
{
    str_json_key(out, "policies");
    str_add_char(out, '{');
    for (int i = first; i < end; i++) {
        str_json_key(out, plan->policies[i].name);
        plan_policy_write(&plan->policies[i], out);
    }
    str_add_char(out, '}');
}

static void write_contracts(const struct plan *plan, struct str *out)
{
    bool is_open = false;
    for (int i = 0; i < plan->contract_count; i++) {
        const struct plan_contract *contract = plan->contracts[i];
        if (!contract->name || !contract->text)
            continue; /* written in the step, or built in */
        if (!is_open) {
            str_json_key(out, "contracts");
            str_add_char(out, '{');
            is_open = true;
        }
        str_json_key(out, contract->name);
        str_add(out, contract->text);
    }
    if (is_open)
        str_add_char(out, '}');
}

bool plan_has_more(const struct plan *plan)
{
    return plan->has_settings || plan->has_files || plan->adapters;
}

void plan_write(const struct plan *plan, struct str *out)
{
    str_add(out, "{\"version\":1");
    str_json_text(out, "name", plan->name);
    if (plan->jobs > 0)
        str_json_i64(out, "jobs", plan->jobs);
    if (plan->grows)
        str_json_bool(out, "grows", true);
    str_json_bool(out, "idempotent", plan->idempotent);
    if (plan->has_settings) {
        str_json_key(out, "settings");
        str_add_char(out, '{');
        write_policies(plan, 0, plan->setting_count, out);
        str_add_char(out, '}');
    }
    if (plan->policy_count > plan->setting_count)
        write_policies(plan, plan->setting_count, plan->policy_count, out);
    if (plan->own_policy)
        write_own_policy(plan->own_policy, out);
    if (plan->has_loops) {
        str_json_key(out, "loops");
        entropy_limits_write(&plan->loops, out);
    }
    plan_surroundings_write(plan, out);
    write_contracts(plan, out);
    plan_budget_write(&plan->budget, out);
    if (plan->after[AFTER_KEPT] || plan->after[AFTER_FAILED]) {
        str_json_key(out, "after");
        fields_write_object(&plan_after_fields, &plan->after, out);
    }
    plan_agents_write(plan, out);
    plan_executors_write(plan, out);
    str_json_key(out, "tasks");
    str_add_char(out, '[');
    for (int i = 0; i < plan->task_count; i++)
        write_task(plan, &plan->tasks[i], out);
    str_add(out, "]}");
}

/* The only global state of this layer. Whichever thread makes a contract, the value is the same. */
static _Atomic(struct contract *) plan_contract;
static _Atomic(struct contract *) settings_contract;

/* Returns the contract, compiling it on first use. If two threads do so at once, one contract is
 * kept and the other freed. */
static const struct contract *contract_made_once(_Atomic(struct contract *) *place,
                                                 const char *text)
{
    struct contract *kept = atomic_load(place);
    if (kept)
        return kept;
    struct violations wrong = {0};
    struct contract *made = NULL;
    bool ok = contract_load(text, strlen(text), &made, &wrong);
    assert(ok); /* built in, and loaded by a test */
    violations_done(&wrong);
    if (atomic_compare_exchange_strong(place, &kept, made))
        return made;
    contract_free(made);
    return kept;
}

const char *plan_schema_text(void)
{
    return plan_schema_json;
}

const char *settings_schema_text(void)
{
    return config_schema_json;
}

const struct contract *plan_schema(void)
{
    return contract_made_once(&plan_contract, plan_schema_json);
}

const struct contract *settings_schema(void)
{
    return contract_made_once(&settings_contract, config_schema_json);
}
