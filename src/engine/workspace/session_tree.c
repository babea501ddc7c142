#include "session_tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan.h"
#include "workspace.h"
#include "xalloc.h"

enum { ID_MAX = 32 };

static const char task_id[] = "session";

struct session_tree {
    struct workspace *workspace; /* owned */
    struct str base;
    char id[ID_MAX];
    atomic_bool stop; /* never set: the caller waits */
    bool is_unkept;   /* something in it is nowhere else */
};

bool session_tree_make(struct session_tree **out, const struct session_tree_call *call,
                       struct err *err)
{
    struct session_tree *tree = xcalloc(1, sizeof(*tree));
    struct workspace_made made = {0};
    int start_code = 0;
    (void)snprintf(tree->id, sizeof(tree->id), "mcp-%08" PRIx32, (uint32_t)(call->seed >> 32));
    str_addf(&tree->base, "%s/sessions/%s", call->log_dir, tree->id);
    const struct sandbox_spec setup_sandbox = plan_setup_sandbox(call->spec, call->sandbox);
    const struct workspace_place place = {.run_dir = call->run_dir,
                                          .base = str_text(&tree->base),
                                          .run = tree->id,
                                          .uid = tree->id,
                                          .environment = call->environment,
                                          .setup_sandbox = &setup_sandbox,
                                          .log_dir = call->log_dir,
                                          .log_db = call->log_db,
                                          .processes = call->processes};
    bool ok = workspace_open(&tree->workspace, &place, call->spec, task_id, NULL, err) &&
              workspace_make(tree->workspace, &tree->stop, &made, &start_code, err);
    if (ok)
        *out = tree;
    else
        session_tree_close(tree);
    return ok;
}

const char *session_tree_dir(const struct session_tree *tree)
{
    return workspace_dir(tree->workspace);
}

bool session_tree_keep(struct session_tree *tree, const char *title, struct str *where,
                       struct err *err)
{
    struct workspace_kept kept = {0};
    tree->is_unkept = !workspace_keep(tree->workspace, title, &tree->stop, &kept, err);
    if (!tree->is_unkept && kept.is_branch)
        str_addf(where, "branch %s", kept.branch);
    else if (!tree->is_unkept)
        str_addf(where, "folder %s", str_text(&kept.path));
    workspace_kept_done(&kept);
    return !tree->is_unkept;
}

void session_tree_close(struct session_tree *tree)
{
    if (!tree)
        return;
    if (tree->workspace && !tree->is_unkept && !workspace_drop(tree->workspace, NULL))
        tree->is_unkept = true; /* whatever stays is found in sessions/ */
    workspace_close(tree->workspace);
    str_done(&tree->base);
    free(tree);
}
