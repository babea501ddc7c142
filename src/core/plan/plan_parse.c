/* plan_parse.c - a plan from its text: the schema, then what a schema cannot say. */
#include "plan.h"

#include <stdlib.h>

#include "plan_agent.h"
#include "plan_contract.h"
#include "plan_loops.h"
#include "plan_policy.h"
#include "plan_reader.h"
#include "plan_schema.h"
#include "plan_shape.h"
#include "plan_surroundings.h"
#include "plan_task.h"
#include "violation_order.h"
#include "xalloc.h"

static void read_name(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    plan_reader_text(reader, path, value, &reader->plan->name);
}

static void read_jobs(struct plan_reader *reader, const struct json_pointer *path,
                      const struct json *value)
{
    int64_t jobs = 0;
    (void)path;
    plan_reader_whole(value, &jobs);
    reader->plan->jobs = (int)jobs;
}

static void read_grows(struct plan_reader *reader, const struct json_pointer *path,
                       const struct json *value)
{
    struct plan *plan = reader->plan;
    (void)path;
    plan->grows = json_bool(value, false);
    if (!plan->grows)
        return;
    workspace_spec_done(&plan->workspace); /* whatever the settings say: plan_grow.h */
    plan->said &= ~(unsigned)PLAN_SAYS_WORKSPACE;
}

static void check_policy(struct plan_reader *reader, const struct json_pointer *path,
                         const struct json *value)
{
    struct policy scratch; /* load_policy() has taken it */
    if (json_kind(value) == JSON_KIND_OBJECT)
        plan_policy_read_own(reader, path, value, policy_named(POLICY_DEFAULT), &scratch);
    else
        (void)plan_policy_by_name(reader, path, value); /* has complained */
}

/* Only devs itself writes these: what devs.config.json said when the run began. */
static void check_settings(struct plan_reader *reader, const struct json_pointer *path,
                           const struct json *value)
{
    static const struct plan_field rows[] = {{"policies", plan_policies_check}};
    static const struct plan_fields fields = {rows, ARRAY_LEN(rows)};
    struct policy_list all = reader->policies;
    reader->policies.count = reader->plan->setting_count;
    reader->policies.inner = 0;
    reader->builtin_may_change = true;
    plan_reader_walk(reader, path, value, &fields);
    reader->builtin_may_change = false;
    reader->policies = all;
}

static const struct plan_field plan_rows[] = {
    {"name", read_name},
    {"jobs", read_jobs},
    {"grows", read_grows},
    {"workspace", plan_surroundings_check_workspace},
    {"sandbox", plan_surroundings_check_sandbox},
    {"settings", check_settings},
    {"policies", plan_policies_check},
    {"policy", check_policy},
    {"tasks", plan_tasks_read},
};
static const struct plan_fields plan_fields = {plan_rows, ARRAY_LEN(plan_rows)};

/* The policies of the settings: those that the document brings along, else those given. */
static void load_settings(struct plan_reader *reader, const struct json *value,
                          const struct settings *settings)
{
    struct policy_list *list = &reader->policies;
    if (value) {
        reader->builtin_may_change = true;
        plan_policies_load(reader, json_get(value, "policies"));
        reader->builtin_may_change = false;
        reader->plan->setting_count = list->count;
        reader->plan->has_settings = true;
    } else if (settings) {
        plan_take_settings(reader->plan, settings);
        list->count = reader->plan->policy_count;
    }
}

/* What steps get that name no policy. What is wrong is said when the walk is there. */
static void load_policy(struct plan_reader *reader, const struct json *value)
{
    static const struct json_pointer root = {0};
    static const struct json_pointer place = {.up = &root, .key = "policy"};
    struct plan *plan = reader->plan;
    struct violations unsaid = {0};
    struct violations *said = reader->violations;
    plan->policy = policy_list_find(&reader->policies, POLICY_DEFAULT);
    reader->violations = &unsaid;
    if (json_kind(value) == JSON_KIND_OBJECT) {
        plan->own_policy = xcalloc(1, sizeof(*plan->own_policy));
        plan_policy_read_own(reader, &place, value, plan->policy, plan->own_policy);
        plan->policy = plan->own_policy;
    } else if (value) {
        const struct policy *named = plan_policy_by_name(reader, &place, value);
        plan->policy = named ? named : plan->policy;
    }
    reader->violations = said;
    reader->default_is_sound = unsaid.count == 0 && plan_reader_is_sound(reader, &place);
    violations_done(&unsaid);
}

static void load_policies(struct plan_reader *reader, const struct json *root,
                          const struct settings *settings)
{
    struct plan *plan = reader->plan;
    /* Steps point into this array, so it is as large as it may get from the start. */
    plan->policies = xcalloc(PLAN_POLICY_ROOM, sizeof(*plan->policies));
    reader->policies.items = plan->policies;
    load_settings(reader, json_get(root, "settings"), settings);
    plan_policies_load(reader, json_get(root, "policies"));
    plan->policy_count = reader->policies.count;
    load_policy(reader, json_get(root, "policy"));
}

/* Those of the settings are in the text that a log keeps, as far as it needs them. */
static void load_agents(struct plan_reader *reader, const struct json *root,
                        const struct settings *settings)
{
    const bool is_kept = json_get(root, "settings") != NULL;
    plan_agents_load(reader, json_get(root, "agents"),
                     settings && !is_kept ? settings->agents : NULL);
}

/* What has to be known before the walk. */
static void prepare(struct plan_reader *reader, const struct json *root,
                    const struct settings *settings)
{
    /* If it is no boolean, one complaint is enough: its steps need none. */
    const struct json *idempotent = json_get(root, "idempotent");
    reader->plan->idempotent = json_bool(idempotent, idempotent);
    plan_surroundings_init(reader->plan);
    load_policies(reader, root, settings);
    plan_surroundings_load(reader, root);
    plan_contracts_load(reader, json_get(root, "contracts"));
    load_agents(reader, root, settings);
    plan_budget_take(json_get(root, "budget"), &reader->plan->budget);
    plan_loops_read(json_get(root, "loops"), &reader->plan->loops, &reader->plan->has_loops);
    plan_tasks_prepare(reader, json_get(root, "tasks"));
}

static void read_root(struct plan_reader *reader, const struct json *root,
                      const struct settings *settings)
{
    static const struct json_pointer path = {0};
    prepare(reader, root, settings);
    plan_reader_walk(reader, &path, root, &plan_fields);
    if (!reader->plan->name)
        reader->plan->name = xstrdup("plan");
}

/* First the form, then what it means; all that is wrong comes in the order of the text. */
static struct plan *read_document(const struct json *root, const char *text, size_t len,
                                  const struct plan_context *context, struct violations *wrong)
{
    struct violations meaning = {0};
    struct violations contracts = {0};
    struct violations agents = {0};
    struct plan_reader reader = {.shape = wrong,
                                 .violations = &meaning,
                                 .contract_violations = &contracts,
                                 .agent_violations = &agents,
                                 .files = context->files};
    bool is_formed = plan_shape_check_read(plan_schema(), root, text, len, wrong);
    reader.plan = xcalloc(1, sizeof(*reader.plan));
    read_root(&reader, root, context->settings);
    free(reader.named);
    workspace_spec_done(&reader.base_workspace);
    sandbox_spec_done(&reader.base_sandbox);
    plan_cycles_done(&reader.cycles);

    bool ok = is_formed && meaning.count == 0 && contracts.count == 0 && agents.count == 0;
    violations_merge(wrong, &meaning, root);
    violations_merge(wrong, &contracts, root);
    violations_merge(wrong, &agents, root);
    if (ok)
        return reader.plan;
    plan_free(reader.plan);
    return NULL;
}

bool plan_parse_with(const char *text, size_t len, const struct plan_context *context,
                     struct plan **out, struct violations *violations)
{
    struct json *root = plan_reader_json(text, len, PLAN_BYTES_MAX, violations);
    if (!root)
        return false;
    struct violations wrong = {0};
    struct plan *plan = read_document(root, text, len, context, &wrong);
    violations_merge(violations, &wrong, NULL);
    json_free(root);
    if (plan)
        *out = plan;
    return plan;
}

bool plan_parse(const char *text, size_t len, struct plan **out, struct violations *violations)
{
    static const struct plan_context nothing = {0};
    return plan_parse_with(text, len, &nothing, out, violations);
}
