/* surroundings.c - the workspace and the sandbox of an attempt, and the facts about them for the
 * log.
 *
 * The first attempt of a step saves the tree, and later ones reset it. If an agent's session
 * continues, the tree stays as it is. Functions that block run as jobs on a worker; their results
 * are logged afterwards, on the engine's thread. */
#include "attempt_internal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "xalloc.h"

void surroundings_open(struct surroundings **out, const struct surroundings_call *call)
{
    const bool has_sandbox = !sandbox_is_plain(call->spec, call->processes);
    /* With best effort, limits may be missing, which must then be reported. */
    const bool may_lack = call->spec->best_effort && !sandbox_spec_is_empty(call->spec);
    struct str name = {0};
    *out = NULL;
    if (!call->slot && !may_lack && !has_sandbox)
        return;
    struct surroundings *around = xcalloc(1, sizeof(*around));
    around->call = *call;
    around->has_sandbox = has_sandbox;
    str_addf(&name, "devs-%s-%s-%d-%d", call->uid, call->task_id, call->step + 1, call->attempt);
    around->name = name.data;
    *out = around;
}

void surroundings_close(struct surroundings *around)
{
    if (!around)
        return;
    assert(!around->sandbox);
    free(around->name);
    free(around->environment);
    str_done(&around->err_tail);
    str_done(&around->lacks);
    str_done(&around->lacks_why);
    workspace_kept_done(&around->kept);
    free(around);
}

/* Makes the workspace if it does not exist. Then saves its tree for the step's first attempt, or
 * restores that tree for a later one, unless the agent's session continues. */
static bool prepare_tree(struct surroundings *around, const atomic_bool *stop)
{
    struct workspace_slot *slot = around->call.slot;
    struct workspace *workspace = slot ? slot->workspace : NULL;
    const int step = around->call.step;
    if (!workspace)
        return true;
    workspace_set_host(workspace, around->call.host, around->call.control);
    if (step > 0 && workspace_is_elsewhere(workspace)) {
        struct str where = {0};
        workspace_where(workspace, &where);
        around->start_code = START_WORKSPACE_FAILED;
        (void)err_set(&around->err, ERR_NOT_FOUND,
                      "the workspace with the results of the earlier steps is at %s",
                      str_text(&where));
        str_done(&where);
        return false;
    }
    if (!slot->is_made || workspace_is_elsewhere(workspace)) {
        if (step > 0 && !workspace_is_made(workspace)) { /* the earlier results are lost */
            around->start_code = START_WORKSPACE_FAILED;
            return err_set(&around->err, ERR_NOT_FOUND,
                           "the workspace was removed, with the results of the earlier steps");
        }
        workspace_set_variables(workspace, around->call.call->slot);
        if (!workspace_make(workspace, stop, &around->made, &around->start_code, &around->err))
            return false;
        slot->is_made = true;
        around->has_made = !around->made.was_there || !around->call.knows_place;
    }
    const bool is_further = workspace_has(workspace, step) && !around->call.begins_round;
    if (is_further && around->call.keeps_tree)
        return true;
    around->was_reset = is_further;
    around->has_before = around->was_reset ? workspace_reset(workspace, step, stop, &around->before,
                                                             &around->start_code, &around->err)
                                           : workspace_save(workspace, step, stop, &around->before,
                                                            &around->start_code, &around->err);
    return around->has_before;
}

static bool prepare_sandbox(struct surroundings *around, const atomic_bool *stop)
{
    const struct surroundings_call *call = &around->call;
    bool is_empty = sandbox_spec_is_empty(call->spec);
    /* plan_check() has rejected unavailable features before the run. */
    if (!is_empty && !sandbox_check(call->spec, &around->lacks, &around->lacks_why, &around->err)) {
        around->start_code = START_SANDBOX_FAILED;
        return false;
    }
    if (!around->has_sandbox)
        return true;
    around->environment = sandbox_environment(call->spec, call->own, call->call->environment);
    const struct sandbox_call sandbox = {
        .spec = call->spec,
        .uid = call->uid,
        .name = around->name,
        .cwd = call->call->cwd,
        .workspace = call->slot ? workspace_top(call->slot->workspace) : call->run_dir,
        .run_dir = call->run_dir,
        .plan_path = call->plan_path,
        .log_dir = call->log_dir,
        .log_db = call->log_db,
        .stdin_path = call->call->stdin_path,
        .has_stdin = call->call->stdin_path || call->call->input || call->call->is_fed,
        .argv = call->call->argv,
        .environment = around->environment,
        .our_environment = call->our_environment,
        .processes = call->processes,
    };
    return sandbox_prepare(&around->sandbox, &sandbox, stop, &around->start_code, &around->err);
}

void surroundings_prepare(struct surroundings *around, const atomic_bool *stop)
{
    around->is_ready = prepare_tree(around, stop) && prepare_sandbox(around, stop);
    struct workspace_slot *slot = around->call.slot;
    if (around->is_ready && slot &&
        !workspace_set_ready(slot->workspace, around->call.step, around->call.attempt,
                             &around->err)) {
        around->is_ready = false;
        around->start_code = START_WORKSPACE_FAILED;
    }
    assert(around->is_ready || around->start_code != 0);
}

void surroundings_finish(struct surroundings *around)
{
    sandbox_finish(around->sandbox, &around->raw, str_text(&around->err_tail), &around->end);
    surroundings_remove(around);
}

void surroundings_remove(struct surroundings *around)
{
    sandbox_close(around->sandbox);
    around->sandbox = NULL;
}

void surroundings_keep(struct surroundings *around, const atomic_bool *stop)
{
    struct workspace *workspace = around->call.slot->workspace;
    workspace_set_host(workspace, around->call.host, around->call.control);
    if (!workspace_is_away(workspace)) /* otherwise the tree comes with the result */
        around->has_after = workspace_hash(workspace, stop, &around->after, NULL);
    around->is_kept =
        workspace_keep(workspace, around->call.title, stop, &around->kept, &around->keep_err);
    if (around->is_kept && around->kept.has_tree) {
        around->has_after = true;
        around->after = around->kept.tree;
    }
}

/* Logs facts about the attempt's workspace and sandbox. */

static void tell_made(const struct surroundings *around, surroundings_fact_fn *tell, void *ctx)
{
    const struct workspace_made *made = &around->made;
    const struct workspace_slot *slot = around->call.slot;
    struct event fact = event_new(EVENT_WORKSPACE_MADE);
    struct str where = {0};
    workspace_where(slot->workspace, &where);
    fact.workspace.kind = around->call.kind;
    fact.workspace.ms = made->ms;
    fact.workspace.path = str_text(&where);
    if (made->base[0] != '\0')
        fact.workspace.base = made->base;
    if (made->branch[0] != '\0')
        fact.workspace.branch = made->branch;
    fact.workspace.setup_ms = made->setup_ms;
    fact.workspace.copied = made->copied;
    tell(ctx, &fact);
    str_done(&where);
}

struct event tree_fact(enum event_kind kind, const struct tree_facts *tree)
{
    struct event fact = event_new(kind);
    fact.tree.tree = tree->digest;
    fact.tree.count = tree->files;
    fact.tree.bytes = tree->bytes;
    fact.tree.ms = tree->ms;
    return fact;
}

void surroundings_tell_prepared(const struct surroundings *around, surroundings_fact_fn *tell,
                                void *ctx)
{
    if (around->has_made)
        tell_made(around, tell, ctx);
    if (around->has_before) {
        const struct tree_facts *tree = &around->before;
        struct event fact =
            tree_fact(around->was_reset ? EVENT_WORKSPACE_RESET : EVENT_WORKSPACE_SAVED, tree);
        if (around->was_reset) {
            fact.tree.count = tree->changed;
            fact.tree.bytes = tree->written;
        }
        tell(ctx, &fact);
    }
    if (around->lacks.len > 0 && around->call.attempt == 1) {
        struct event fact = event_new(EVENT_SANDBOX_LACKS);
        struct str text = {0};
        for (const char *keys = str_text(&around->lacks); *keys;) { /* "memory_mb, network" */
            const size_t len = strcspn(keys, ", ");
            str_addf(&text, "%s%.*s", text.len > 0 && len > 0 ? "\n" : "", (int)len, keys);
            keys += len + strspn(keys + len, ", ");
        }
        fact.lacks.keys = str_text(&text);
        fact.lacks.why = str_text(&around->lacks_why);
        tell(ctx, &fact);
        str_done(&text);
    }
}

void surroundings_tell_kept(const struct surroundings *around, surroundings_fact_fn *tell,
                            void *ctx)
{
    const struct workspace_kept *kept = &around->kept;
    if (around->has_after) {
        const struct event proven = tree_fact(EVENT_TREE_PROVEN, &around->after);
        tell(ctx, &proven);
    }
    struct event fact = event_new(EVENT_RESULT_KEPT);
    fact.kept.is_folder = !kept->is_branch;
    if (kept->is_branch) {
        fact.kept.branch = kept->branch;
        fact.kept.commit = kept->commit;
    } else {
        fact.kept.path = str_text(&kept->path);
    }
    tell(ctx, &fact);
}
