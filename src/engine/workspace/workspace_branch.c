/* workspace_branch.c - the name of a task's branch. */
#include "workspace_parts.h"

#include <stdio.h>
#include <string.h>

/* What git-check-ref-format(1) forbids and a task's id may have: "..", a '.' at the end, ".lock"
 * at the end. There the '.' is written as "%2E"; an id has no '%'. */
static bool is_forbidden(const char *dot)
{
    return dot[1] == '.' || dot[1] == '\0' || strcmp(dot, ".lock") == 0;
}

void workspace_branch_name(const struct workspace *workspace, enum workspace_naming naming,
                           char out[WORKSPACE_NAME_MAX])
{
    struct str name = {0};
    const bool by_uid = naming == WORKSPACE_BY_UID;
    str_addf(&name, "devs/%s/", by_uid ? workspace->uid : workspace->run);
    for (const char *c = workspace->task; *c; c++) {
        if (*c == '.' && is_forbidden(c))
            str_add(&name, "%2E");
        else
            str_add_char(&name, *c);
    }
    (void)snprintf(out, WORKSPACE_NAME_MAX, "%s", str_text(&name));
    str_done(&name);
}
