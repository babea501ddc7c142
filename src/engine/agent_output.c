#include "agent_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "tree_folder.h"
#include "whole_file.h"

bool agent_output_write(const char *dir, const char *path, const struct str *text, struct err *err)
{
    char place[PATH_MAX];
    struct tree_folder folder;
    struct err why = {0};
    const char *name = NULL;
    int fd = -1;
    const int top = tree_folder_open(AT_FDCWD, dir);
    if (top < 0)
        return err_set_errno(err, errno, "cannot open '%s'", dir);
    tree_folder_init(&folder, top);
    bool ok = tree_folder_reach(&folder, path, &fd, &name, &why);
    if (ok) { /* by its descriptor: nobody can put another folder in its place */
        (void)snprintf(place, sizeof(place), "/proc/self/fd/%d/%s", fd, name);
        ok = whole_file_write(place, text, &why);
    }
    tree_folder_done(&folder);
    (void)close(top); /* a folder: nothing was written to it */
    return ok || err_set(err, why.code, "output '%s' cannot be written: %s", path, why.message);
}
