#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "private_file.h"
#include "turns.h"

enum { LOCKS_MAX = 4096, LINE_MAX_BYTES = 256 };

/* "12: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"; who waits has "->" after the number. */
static bool read_line(const char *line, unsigned long *inode, long *pid)
{
    const char *word = strstr(line, " FLOCK ");
    const char *colon = strrchr(line, ':');
    if (!word || strstr(line, "->"))
        return false;
    return sscanf(word, " FLOCK ADVISORY WRITE %ld", pid) == 1 && sscanf(colon, ":%lu", inode) == 1;
}

int64_t turns_holder(const struct place *place)
{
    char path[PATH_MAX];
    struct stat info;
    if (!private_path_join(path, sizeof(path), place->db, "-write", NULL) || stat(path, &info) != 0)
        return 0;
    FILE *locks = fopen("/proc/locks", "re");
    if (!locks)
        return 0;
    char line[LINE_MAX_BYTES];
    int64_t found = 0;
    for (int i = 0; i < LOCKS_MAX && found == 0 && fgets(line, sizeof(line), locks); i++) {
        unsigned long inode = 0;
        long pid = 0;
        if (read_line(line, &inode, &pid) && inode == (unsigned long)info.st_ino && pid > 0)
            found = pid;
    }
    (void)fclose(locks); /* only read */
    return found;
}
