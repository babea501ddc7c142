#define _GNU_SOURCE /* mkdtemp */

#include "export_copy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "progress.h"
#include "xalloc.h"

struct export_copy {
    struct bundle *bundle; /* owned; never kept */
    char folder[PATH_MAX]; /* "" = none was made */
    char file[PATH_MAX];
};

static bool make_folder(struct export_copy *copy, struct err *err)
{
    const char *top = getenv("TMPDIR");
    char pattern[PATH_MAX];
    const int len = snprintf(pattern, sizeof(pattern), "%s/devs-export-XXXXXX",
                             top && top[0] == '/' ? top : "/tmp");
    if (len < 0 || (size_t)len >= sizeof(pattern))
        return err_set(err, ERR_LIMIT, "$TMPDIR is too long a name");
    if (!mkdtemp(pattern))
        return err_set_errno(err, errno, "cannot make a folder '%s'", pattern);
    (void)snprintf(copy->folder, sizeof(copy->folder), "%s", pattern);
    const int file_len = snprintf(copy->file, sizeof(copy->file), "%s/run", copy->folder);
    return (file_len > 0 && (size_t)file_len < sizeof(copy->file)) ||
           err_set(err, ERR_LIMIT, "$TMPDIR is too long a name");
}

bool export_copy_tell(void *progress, int64_t done, int64_t all, struct err *err)
{
    return progress_tell(progress, "copying", done, all, err);
}

bool export_copy_open(struct export_copy **out, const struct place *place, int64_t run,
                      const struct redactor *redactor, struct err *err)
{
    struct export_copy *copy = xcalloc(1, sizeof(*copy));
    struct progress progress = progress_new();
    const struct bundle_asked asked = {.place = place,
                                       .run = run,
                                       .file = copy->file,
                                       .redactor = redactor,
                                       .tell = export_copy_tell,
                                       .ctx = &progress};
    const bool ok = make_folder(copy, err) && bundle_open(&copy->bundle, &asked, err);
    progress_done(&progress);
    if (ok)
        *out = copy;
    else
        export_copy_close(copy);
    return ok;
}

const struct place *export_copy_place(const struct export_copy *copy)
{
    return bundle_place(copy->bundle);
}

const struct bundle_contents *export_copy_contents(const struct export_copy *copy)
{
    return bundle_contents(copy->bundle);
}

void export_copy_close(struct export_copy *copy)
{
    if (!copy)
        return;
    bundle_close(copy->bundle);
    if (copy->folder[0] != '\0')
        (void)rmdir(copy->folder); /* best effort */
    free(copy);
}
