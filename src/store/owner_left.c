/* owner_left.c - owner files that nobody holds any more. */
#include <dirent.h>
#include <stddef.h>

#include "owner.h"
#include "private_file.h"

/* Taken and dropped, so that a run that begins in this moment keeps its own. */
static bool clear_one(const struct place *place, const char *uid)
{
    int fd = -1;
    if (!owner_take(place, uid, &fd, NULL))
        return false;
    owner_drop(place, uid, fd);
    return true;
}

size_t owner_clear_left(const struct place *place, enum owner_clear how)
{
    char folder[PATH_MAX];
    size_t count = 0;
    DIR *dir = private_path_join(folder, sizeof(folder), place->dir, "/owner", NULL)
                   ? opendir(folder)
                   : NULL;
    const struct dirent *entry = dir ? readdir(dir) : NULL;
    for (int seen = 0; entry && seen < OWNER_FILES_MAX; seen++) {
        bool is_left = entry->d_name[0] != '.' && !owner_is_alive(place, entry->d_name);
        if (is_left && (how == OWNER_COUNT || clear_one(place, entry->d_name)))
            count++;
        entry = readdir(dir);
    }
    if (dir)
        (void)closedir(dir);
    return count;
}
