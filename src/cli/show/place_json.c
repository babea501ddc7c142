#include "place_json.h"

#include "digest.h"
#include "shown.h"

static void add_text(const char *key, const char *text, struct str *out)
{
    if (text)
        str_json_text(out, key, text);
}

static void add_workspace(const struct task_place *place, struct str *out)
{
    if (place->path || place->is_kept) {
        str_json_key(out, "workspace");
        str_add_char(out, '{');
        str_json_text(out, "kind", workspace_kind_name(place->kind));
        add_text("path", place->is_kept ? NULL : place->path, out);
        add_text("branch", place->branch, out);
        add_text("result", place->result, out);
        str_add_char(out, '}');
    }
    add_text("sandbox_lacks", place->lacks, out);
}

static void add_proof(const struct step_state *step, enum shown_proof proof, int number,
                      struct str *out)
{
    str_add(out, out->data[out->len - 1] == '[' ? "{" : ",{");
    str_json_i64(out, "step", number + 1);
    str_json_bool(out, "stale", proof == SHOWN_PROOF_STALE);
    const struct step_trees *trees = step_state_trees(step);
    if (digest_is_known(trees->proven)) {
        char hex[DIGEST_HEX_MAX];
        digest_to_hex(trees->proven, hex);
        str_json_text(out, "tree", hex);
        str_json_i64(out, "attempt", trees->proven_attempt);
    }
    str_add_char(out, '}');
}

void place_json(const struct run_state *state, int task, struct str *out)
{
    const struct task_state *it = &state->tasks[task];
    if (it->place)
        add_workspace(it->place, out);
    str_json_key(out, "proofs");
    str_add_char(out, '[');
    for (int i = 0; i < state->plan->tasks[task].step_count; i++) {
        const enum shown_proof proof = shown_proof(state, task, i);
        if (proof != SHOWN_PROOF_NONE)
            add_proof(&it->steps[i], proof, i, out);
    }
    str_add_char(out, ']');
}
