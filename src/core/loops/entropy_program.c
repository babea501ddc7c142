#include "entropy_program.h"

#include <stddef.h>
#include <string.h>

#include "attr.h"
#include "entropy_tool.h"

/* Programs that only look. Alphabetical. */
static const char *const readers[] = {
    "[",       "ag",    "awk",       "basename", "cat",    "column",  "comm",     "cut",
    "date",    "diff",  "dirname",   "du",       "df",     "env",     "fd",       "file",
    "find",    "fgrep", "egrep",     "grep",     "head",   "hexdump", "id",       "jq",
    "less",    "ls",    "lsof",      "man",      "md5sum", "more",    "nl",       "nm",
    "objdump", "od",    "pgrep",     "printenv", "ps",     "pwd",     "readlink", "realpath",
    "rg",      "sed",   "sha256sum", "sort",     "ss",     "stat",    "strings",  "tac",
    "tail",    "test",  "tr",        "tree",     "type",   "uname",   "uniq",     "wc",
    "whereis", "which", "whoami",    "xxd",      "yq",
};

/* Programs that say nothing of the rest. */
static const char *const fillers[] = {"cd", "date", "echo",  "printf", "export", "set",  "source",
                                      ".",  "true", "pushd", "popd",   "unset",  "clear"};

/* Programs that change files. */
static const char *const changers[] = {"tee",      "mv",    "cp",    "rm",      "mkdir", "rmdir",
                                       "touch",    "chmod", "chown", "ln",      "patch", "rsync",
                                       "truncate", "dd",    "unzip", "install", "kill",  "pkill"};

/* Programs with a word or two that say more; NULL: any. */
static const struct {
    const char *program, *word;
    unsigned traits;
} pairs[] = {
    {"git", "status", CALL_READS | CALL_NO_LOOK},
    {"git", "log", CALL_READS | CALL_NO_LOOK},
    {"git", "diff", CALL_READS | CALL_NO_LOOK},
    {"git", "show", CALL_READS | CALL_NO_LOOK},
    {"git", "blame", CALL_READS | CALL_NO_LOOK},
    {"git", "grep", CALL_READS | CALL_NO_LOOK},
    {"git", "ls-files", CALL_READS | CALL_NO_LOOK},
    {"git", "ls-remote", CALL_READS | CALL_NO_LOOK},
    {"git", "rev-parse", CALL_READS | CALL_NO_LOOK},
    {"git", "remote", CALL_READS | CALL_NO_LOOK},
    {"git", NULL, CALL_CHANGES | CALL_NO_LOOK},
    {"go", "env", CALL_READS},
    {"go", "get", CALL_CHANGES},
    {"pip", "install", CALL_CHANGES},
    {"pip", "uninstall", CALL_CHANGES},
    {"pip3", "install", CALL_CHANGES},
    {"npm", "install", CALL_CHANGES},
    {"npm", "i", CALL_CHANGES},
    {"npm", "ci", CALL_CHANGES},
    {"yarn", "add", CALL_CHANGES},
    {"pnpm", "add", CALL_CHANGES},
    {"pnpm", "install", CALL_CHANGES},
    {"cargo", "add", CALL_CHANGES},
    {"apt", "install", CALL_CHANGES},
    {"apt-get", "install", CALL_CHANGES},
    {"sed", "-i", CALL_CHANGES},
    {"perl", "-i", CALL_CHANGES},
    {"kubectl", "get", CALL_LOOKS},
    {"kubectl", "describe", CALL_LOOKS},
    {"kubectl", "rollout", CALL_LOOKS | CALL_PROBES},
    {"kubectl", "wait", CALL_LOOKS | CALL_PROBES},
    {"kubectl", "logs", CALL_LOOKS},
    {"kubectl", "top", CALL_LOOKS},
    {"oc", "get", CALL_LOOKS},
    {"docker", "ps", CALL_LOOKS},
    {"docker", "logs", CALL_LOOKS},
    {"docker", "inspect", CALL_LOOKS},
    {"docker", "stats", CALL_LOOKS},
    {"docker", "wait", CALL_LOOKS},
    {"docker", "images", CALL_READS},
    {"podman", "ps", CALL_LOOKS},
    {"podman", "logs", CALL_LOOKS},
    {"podman", "inspect", CALL_LOOKS},
    {"gh", "run", CALL_LOOKS | CALL_PROBES},
    {"gh", "pr checks", CALL_LOOKS | CALL_PROBES},
    {"gh", "pr status", CALL_LOOKS},
    {"gh", "workflow", CALL_LOOKS},
    {"glab", "ci", CALL_LOOKS},
    {"systemctl", "status", CALL_LOOKS},
    {"systemctl", "is-active", CALL_LOOKS | CALL_PROBES},
    {"supervisorctl", "status", CALL_LOOKS},
    {"redis-cli", "ping", CALL_LOOKS | CALL_PROBES},
    {"mysqladmin", "ping", CALL_LOOKS | CALL_PROBES},
    {"nc", "-z", CALL_LOOKS | CALL_PROBES},
    {"pg_isready", NULL, CALL_LOOKS | CALL_PROBES},
    {"tail", NULL, CALL_LOOKS | CALL_READS},
    {"journalctl", NULL, CALL_LOOKS | CALL_READS},
    {"ps", NULL, CALL_LOOKS | CALL_READS},
    {"pgrep", NULL, CALL_LOOKS | CALL_READS | CALL_PROBES},
    {"jobs", NULL, CALL_LOOKS},
    {"nvidia-smi", NULL, CALL_LOOKS},
    {"squeue", NULL, CALL_LOOKS},
    {"sacct", NULL, CALL_LOOKS},
    {"qstat", NULL, CALL_LOOKS},
    {"bjobs", NULL, CALL_LOOKS},
    {"ping", NULL, CALL_LOOKS | CALL_PROBES},
};

static bool is_in(const char *const *list, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], word) == 0)
            return true;
    return false;
}

/* Is it the first of the words, or the first two? */
static bool begins_with(const char *words, const char *wanted)
{
    const size_t len = strlen(wanted);
    return strncmp(words, wanted, len) == 0 && (words[len] == '\0' || words[len] == ' ');
}

unsigned entropy_program_traits(const char *program, const char *words)
{
    if (is_in(changers, ARRAY_LEN(changers), program))
        return CALL_CHANGES;
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (strcmp(pairs[i].program, program) == 0 &&
            (!pairs[i].word || begins_with(words, pairs[i].word)))
            return pairs[i].traits;
    return is_in(readers, ARRAY_LEN(readers), program) ? CALL_READS : 0;
}

/* Programs that run what is given to them as text. */
bool entropy_program_runs_code(const char *program, const char *words)
{
    static const char *const programs[] = {"python", "python3", "node", "ruby", "perl", "php"};
    return is_in(programs, ARRAY_LEN(programs), program) &&
           (begins_with(words, "-c") || begins_with(words, "-e") || begins_with(words, "-") ||
            strncmp(words, "<<", 2) == 0);
}

bool entropy_program_is_filler(const char *program)
{
    return is_in(fillers, ARRAY_LEN(fillers), program);
}
