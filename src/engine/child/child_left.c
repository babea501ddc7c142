/* child_left.c - what could not be ended of a child's tree, in words. */
#include <stdio.h>
#include <sys/stat.h>

#include "child.h"
#include "str.h"

enum { PROC_PATH_MAX = 64 };

/* Whose process it is, as far as that is of interest. */
static const char *owner_words(pid_t pid)
{
    char path[PROC_PATH_MAX];
    struct stat info;
    (void)snprintf(path, sizeof(path), "/proc/%d", (int)pid);
    return stat(path, &info) == 0 && info.st_uid == 0 ? " (runs as root)" : "";
}

static void add_denied(const struct child_end *end, int count, struct str *out)
{
    const char *comma = "";
    for (int i = 0; i < count; i++) {
        if (!end->left_denied[i])
            continue;
        str_addf(out, "%scannot signal pid %d: not permitted%s", comma, (int)end->left[i].pid,
                 owner_words(end->left[i].pid));
        comma = ", ";
    }
}

/* Those that may be told KILL and live. */
static void add_deaf(const struct child_end *end, int count, int denied, struct str *out)
{
    const int deaf = end->outcome.left - denied;
    const char *open = " (";
    str_addf(out, "%d of %d processes %s KILL", deaf,
             end->seen > end->outcome.left ? end->seen : end->outcome.left,
             deaf == 1 ? "ignores" : "ignore");
    for (int i = 0; i < count; i++) {
        if (end->left_denied[i])
            continue;
        str_addf(out, "%sstate %c, pid %d", open, end->left[i].state, (int)end->left[i].pid);
        open = "; ";
    }
    str_add(out, ")");
}

void child_left_words(const struct child_end *end, struct str *out)
{
    const int count = end->outcome.left < CHILD_LEFT_MAX ? end->outcome.left : CHILD_LEFT_MAX;
    int denied = 0;
    for (int i = 0; i < count; i++)
        denied += end->left_denied[i];
    add_denied(end, count, out);
    if (denied > 0 && denied < end->outcome.left)
        str_add(out, ", ");
    if (denied < end->outcome.left)
        add_deaf(end, count, denied, out);
}
