/* turns_holder.c - who holds the turn of a log now, for people. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "private_file.h"
#include "turns.h"

enum { LOCKS_MAX = 4096, LINE_MAX_BYTES = 256 };

static bool read_number(const char *digits, int64_t *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtoll(digits, &end, 10);
    return end != digits && errno == 0;
}

/* "12: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"; who waits has "->" after the number. */
static bool read_line(const char *line, int64_t *inode, int64_t *pid)
{
    const char *word = strstr(line, " FLOCK ");
    const char *colon = strrchr(line, ':');
    if (!word || strstr(line, "->"))
        return false;
    static const char before_pid[] = "WRITE ";
    const char *number = strstr(word, before_pid);
    return number && read_number(number + strlen(before_pid), pid) && read_number(colon + 1, inode);
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
        int64_t inode = 0;
        int64_t pid = 0;
        if (read_line(line, &inode, &pid) && inode == (int64_t)info.st_ino && pid > 0)
            found = pid;
    }
    (void)fclose(locks); /* only read */
    return found;
}
