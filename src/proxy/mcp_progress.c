/* mcp_progress.c - how a call is getting on. */
#include "mcp_result.h"
#include "shown.h"

static void add_class(const struct run_state *state, int task, struct str *out)
{
    struct str class = {0};
    shown_class(state, task, &class);
    if (class.len > 0)
        str_addf(out, " after %s", str_text(&class));
    str_done(&class);
}

void mcp_progress_words(const struct run_state *state, int task, const struct moment *now,
                        struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const struct task_state *at = &state->tasks[task];
    struct str tries = {0};
    shown_try_of(state, task, &tries);
    if (at->held) {
        str_addf(out, "held by %s", at->by ? at->by : "a person");
    } else if (step->status == STEP_WAITING) {
        str_add(out, "next try in ");
        shown_duration(step->due.mono_ms - now->mono_ms, out);
        add_class(state, task, out);
        str_addf(out, ", %s so far", str_text(&tries));
    } else if (step->status == STEP_RUNNING && attempt) {
        str_addf(out, "%s runs for ", str_text(&tries));
        shown_duration(now->mono_ms - attempt->started.mono_ms, out);
        if (step->quiet)
            str_add(out, ", quiet");
    } else {
        str_add(out, "waits for a slot");
    }
    str_done(&tries);
}
