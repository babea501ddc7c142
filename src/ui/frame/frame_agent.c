/* frame_agent.c - the agent of the chosen task: what it used, its round, in the preview. */
#include "frame_preview.h"
#include "shown_said.h"

/* Is any of its budget spoken of, or all there is to show? */
static bool is_worth_a_line(const struct preview *preview, const struct task_agent *agent)
{
    return preview->kind == FRAME_PREVIEW_ROOMY || agent->budget.told != 0 ||
           agent->budget.spent != 0;
}

static void put_budget(struct preview *preview, const struct task_agent *agent)
{
    struct str text = {0};
    const struct moment now = frame_now(preview->input);
    if (is_worth_a_line(preview, agent))
        shown_budgets(preview->state, preview->task, &now, &text);
    if (text.len > 0 && agent->budget.spent != 0)
        str_add(&text, ", spent");
    preview_put(preview, "budget", str_text(&text));
    str_done(&text);
}

/* A nudge is for the next prompt; what is over needs none. */
static bool is_to_be_said(const struct preview *preview)
{
    const enum task_status status = preview->state->tasks[preview->task].status;
    return status == TASK_STUCK || !task_status_is_final(status);
}

void preview_put_agent(struct preview *preview)
{
    const struct task_agent *agent = preview->state->tasks[preview->task].agent;
    struct str text = {0};
    if (!agent)
        return;
    shown_agent(preview->state, preview->task, &text);
    preview_put(preview, "agent", str_text(&text));
    put_budget(preview, agent);
    str_clear(&text);
    if (agent->round > 1 || preview->kind == FRAME_PREVIEW_ROOMY)
        shown_round(preview->state, preview->task, &text);
    preview_put(preview, "round", str_text(&text));
    if (agent->nudge && is_to_be_said(preview))
        preview_put(preview, "nudge", agent->nudge);
    str_done(&text);
}

void preview_put_said(struct preview *preview)
{
    const int rows = preview->kind == FRAME_PREVIEW_ROOMY ? 2 : 1;
    const int columns = preview->box->columns - preview->text_column;
    struct str text = {0};
    shown_said(preview->state, preview->task, rows * columns, &text);
    preview_put(preview, "said", str_text(&text));
    str_done(&text);
}
