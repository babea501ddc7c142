#include "agent_output.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tree_folder.h"
#include "whole_file.h"

bool agent_output_write(const char *dir, const char *path, const struct str *text, struct err *err)
{
    struct tree_folder folder;
    struct err why = {0};
    const char *name = NULL;
    int fd = -1;
    const int top = tree_folder_open(AT_FDCWD, dir);
    if (top < 0)
        return err_set_errno(err, errno, "cannot open '%s'", dir);
    tree_folder_init(&folder, top);
    bool ok = tree_folder_make_parents(top, path, &why) &&
              tree_folder_reach(&folder, path, &fd, &name, &why);
    ok = ok && whole_file_write_at(fd, name, text, &why);
    tree_folder_done(&folder);
    (void)close(top); /* a folder: nothing was written to it */
    return ok || err_set(err, why.code, "output '%s' cannot be written: %s", path, why.message);
}
