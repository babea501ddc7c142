/* plan_agent_write.c - agents in the text of a plan. */
#include "adapter.h"
#include "plan_agent.h"
#include "str.h"
#include "text_list.h"

/* A list that is empty says something, one that is missing does not. */
static void write_list(const char *key, char *const *list, struct str *out)
{
    if (list)
        text_list_write(out, key, list);
}

static void write_text(const char *key, const char *text, struct str *out)
{
    if (text)
        str_json_text(out, key, text);
}

void plan_agent_write(const struct plan_step *step, struct str *out)
{
    const struct plan_agent *agent = step->agent;
    str_json_text(out, "agent", adapter_name(agent->adapter));
    str_json_text(out, "prompt", agent->prompt);
    write_list("args", agent->args, out);
    write_list("permission_args", agent->permission_args, out);
    write_text("model", agent->model, out);
    write_text("resume", agent->resume, out);
    write_text("output", agent->output, out);
}

static bool is_used(const struct plan *plan, const struct adapter *adapter)
{
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int k = 0; k < task->step_count; k++) {
            if (task->steps[k].agent && task->steps[k].agent->adapter == adapter)
                return true;
        }
    }
    return false;
}

void plan_agents_write(const struct plan *plan, struct str *out)
{
    const struct adapter *adapter;
    bool is_open = false;
    for (size_t i = 0; (adapter = adapters_at(plan->adapters, i)) != NULL; i++) {
        if (adapter_is_builtin(adapter) || !is_used(plan, adapter))
            continue;
        if (!is_open) {
            str_json_key(out, "agents");
            str_add_char(out, '{');
            is_open = true;
        }
        str_json_key(out, adapter_name(adapter));
        adapter_write(adapter, out);
    }
    if (is_open)
        str_add_char(out, '}');
}
