/* shown_place.c - where a task works, what its proofs are worth, what its sandbox lacks. */
#include "shown.h"

#include "digest.h"
#include "rounded.h"

enum {
    TREE_SHOWN = 12, /* hex digits of a tree */
    KIB = 1024,
};

enum shown_proof shown_proof(const struct run_state *state, int task, int step)
{
    const struct step_state *it = &state->tasks[task].steps[step];
    if (it->status != STEP_ENDED || it->end != DECISION_SUCCEEDED)
        return SHOWN_PROOF_NONE;
    /* That a test was red before the work is true whatever the work changes. */
    if (state->plan->tasks[task].steps[step].expect.what == PLAN_EXPECT_FAILURE)
        return SHOWN_PROOF_HOLDS;
    return run_state_tree_is_stale(state, task, step) ? SHOWN_PROOF_STALE : SHOWN_PROOF_HOLDS;
}

void shown_proof_words(const struct run_state *state, int task, int step, struct str *out)
{
    const struct step_trees *it = step_state_trees(&state->tasks[task].steps[step]);
    const enum shown_proof proof = shown_proof(state, task, step);
    if (proof == SHOWN_PROOF_NONE)
        return;
    if (!digest_is_known(it->proven)) {
        str_add(out, "proven; no tree was kept");
        return;
    }
    char hex[DIGEST_HEX_MAX];
    digest_to_hex(it->proven, hex);
    str_addf(out, "%s tree %.*s by try %d",
             proof == SHOWN_PROOF_STALE ? "stale: it was proven on another" : "proven on",
             TREE_SHOWN, hex, it->proven_attempt);
}

void shown_workspace(const struct run_state *state, int task, struct str *out)
{
    const struct task_place *place = state->tasks[task].place;
    if (!place)
        return;
    if (place->is_kept && place->result)
        str_addf(out, "result at %s", place->result);
    else if (place->is_kept && place->branch)
        str_addf(out, "result on branch %s", place->branch);
    else if (place->path)
        str_addf(out, "%s %s", workspace_kind_name(place->kind), place->path);
}

void shown_stale(const struct run_state *state, int task, struct str *out)
{
    const struct plan_task *plan = &state->plan->tasks[task];
    const char *separator = "";
    for (int i = 0; i < plan->step_count; i++) {
        if (shown_proof(state, task, i) != SHOWN_PROOF_STALE)
            continue;
        str_addf(out, "%sstep %d %s", separator, i + 1, phase_name(plan->steps[i].phase));
        separator = ", ";
    }
    str_add(out, *separator ? ": the tree has changed since" : "");
}

void shown_lacks(const struct run_state *state, int task, struct str *out)
{
    const struct task_place *place = state->tasks[task].place;
    if (place && place->lacks)
        str_addf(out, "sandbox does not enforce %s", place->lacks);
}

void shown_count(int64_t count, const char *one, const char *many, struct str *out)
{
    str_add_i64(out, count);
    str_add_char(out, ' ');
    str_add(out, count == 1 ? one : many);
}

void shown_size(int64_t bytes, struct str *out)
{
    const int64_t kib = rounded(bytes, KIB);
    if (bytes < KIB)
        shown_count(bytes, "byte", "bytes", out);
    else if (kib < KIB)
        str_addf(out, "%lld KiB", (long long)kib);
    else
        str_addf(out, "%lld MiB", (long long)rounded(bytes, (int64_t)KIB * KIB));
}

void shown_size_kib(int64_t kib, struct str *out)
{
    shown_size(kib < INT64_MAX / KIB ? kib * KIB : INT64_MAX, out);
}
