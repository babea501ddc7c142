/* capture_agent.c - a capture's part about an agent. */
#include <string.h>

#include "adapter.h"
#include "capture_parts.h"
#include "text.h"

enum { MICROS_OF_DOLLAR = 1000000 };

/* What this attempt told it; its secrets are cut with all the rest of the capture. */
static void add_prompt(struct capture_writer *writer)
{
    const struct attempt *attempt = writer->facts->attempt;
    if (!attempt || !attempt->agent) {
        capture_lacks(writer, "prompt", "it was over before");
        return;
    }
    const char *prompt = attempt->agent->prompt;
    const size_t len = strlen(prompt);
    const size_t kept = text_cut(prompt, len, CAPTURE_PROMPT_BYTES);
    str_json_key(writer->out, "prompt");
    str_add_json(writer->out, prompt, kept);
    if (kept < len)
        str_json_i64(writer->out, "prompt_more", (int64_t)(len - kept));
}

void capture_agent(struct capture_writer *writer)
{
    const struct capture_facts *facts = writer->facts;
    const struct task_agent *agent = facts->state->tasks[facts->event->task].agent;
    struct str *out = writer->out;
    if (!writer->plan->agent || !agent)
        return;
    const struct agent_used used = task_agent_used(agent);
    str_json_key(out, "agent");
    str_add_char(out, '{');
    str_json_text(out, "name", adapter_name(writer->plan->agent->adapter));
    if (agent->session)
        str_json_text(out, "session", agent->session);
    str_json_i64(out, "round", agent->round);
    str_json_i64(out, "turns", used.turns);
    str_json_i64(out, "calls", used.calls);
    str_json_key(out, "cost_usd");
    str_add_number(out, (double)used.cost_micro / MICROS_OF_DOLLAR);
    str_json_i64(out, "tokens", used.tokens);
    str_json_i64(out, "own_retries", used.own_retries);
    str_json_i64(out, "refused", used.refused);
    add_prompt(writer);
    str_add_char(out, '}');
    if (!agent->session)
        capture_lacks(writer, "session", "the agent named none");
}
