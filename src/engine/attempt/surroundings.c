#include "surroundings.h"

#include <assert.h>
#include <stdlib.h>

#include "outcome.h"
#include "xalloc.h"

/* Is there something that may not be had, and that has to be said? */
static bool may_lack(const struct surroundings_call *call)
{
    return call->spec->best_effort && !sandbox_spec_is_empty(call->spec);
}

bool surroundings_are_wanted(const struct surroundings_call *call)
{
    return call->slot || may_lack(call) || !sandbox_is_plain(call->spec, call->processes);
}

void surroundings_open(struct surroundings **out, const struct surroundings_call *call)
{
    struct surroundings *around = xcalloc(1, sizeof(*around));
    struct str name = {0};
    around->call = *call;
    around->has_sandbox = !sandbox_is_plain(call->spec, call->processes);
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

/* What the steps before this one made is in it: without it there is nothing to go on with. */
static bool is_gone(struct surroundings *around, const struct workspace *workspace)
{
    if (around->call.step == 0 || workspace_is_made(workspace))
        return false;
    around->start_code = START_WORKSPACE_FAILED;
    (void)err_set(&around->err, ERR_NOT_FOUND,
                  "the workspace is gone, and with it what the steps before made");
    return true;
}

/* The tree as the step's first attempt found it. */
static bool prepare_tree(struct surroundings *around, const atomic_bool *stop)
{
    struct workspace_slot *slot = around->call.slot;
    struct workspace *workspace = slot ? slot->workspace : NULL;
    const int step = around->call.step;
    if (!workspace)
        return true;
    if (!slot->is_made) {
        if (is_gone(around, workspace) ||
            !workspace_make(workspace, stop, &around->made, &around->start_code, &around->err))
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
    /* A plan that cannot be had was refused before the run: plan_check(). */
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
    around->has_after = workspace_hash(workspace, stop, &around->after, NULL);
    around->is_kept =
        workspace_keep(workspace, around->call.title, stop, &around->kept, &around->keep_err);
}
