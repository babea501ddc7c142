/*
 * Reads a command line: which programs it runs and what they do.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "entropy_hash.h"
#include "loops_internal.h"
#include "str.h"
#include "text.h"

/*
 * Programs that agents run in a shell.
 */

/* Programs that only read. Alphabetical. */
static const char *const readers[] = {
    "[",        "ack",     "ag",    "awk",       "basename", "cat",    "column",  "comm",
    "cut",      "date",    "diff",  "dirname",   "du",       "df",     "env",     "fd",
    "file",     "find",    "fgrep", "egrep",     "grep",     "head",   "hexdump", "id",
    "jq",       "less",    "ls",    "lsof",      "man",      "md5sum", "more",    "nl",
    "nm",       "objdump", "od",    "pgrep",     "printenv", "ps",     "pwd",     "readlink",
    "realpath", "rg",      "sed",   "sha256sum", "sort",     "ss",     "stat",    "strings",
    "tac",      "tail",    "test",  "tr",        "tree",     "type",   "uname",   "uniq",
    "wc",       "whereis", "which", "whoami",    "xxd",      "yq",
};

/* Programs that say nothing about what the line does. */
static const char *const fillers[] = {"cd", "date", "echo",  "printf", "export", "set",  "source",
                                      ".",  "true", "pushd", "popd",   "unset",  "clear"};

/* Programs that change files. */
static const char *const changers[] = {"tee",      "mv",    "cp",    "rm",      "mkdir", "rmdir",
                                       "touch",    "chmod", "chown", "ln",      "patch", "rsync",
                                       "truncate", "dd",    "unzip", "install", "kill",  "pkill"};

/* Programs whose next word or two matter; NULL: any word. */
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
    /* Benchmarks are meant to be repeated. */
    {"hyperfine", NULL, CALL_LOOKS},
    {"perf", "stat", CALL_LOOKS},
    {"cargo", "bench", CALL_LOOKS},
    {"fio", NULL, CALL_LOOKS},
    {"wrk", NULL, CALL_LOOKS},
    {"iperf3", NULL, CALL_LOOKS},
};

/* Returns true if `wanted` is the first word, or the first two. */
static bool begins_with(const char *words, const char *wanted)
{
    const size_t len = strlen(wanted);
    return strncmp(words, wanted, len) == 0 && (words[len] == '\0' || words[len] == ' ');
}

/* Returns the traits of a program with the words after it ("gh", "pr checks"; "" for none), or 0
 * if the program is unknown. */
static unsigned traits_of_program(const char *program, const char *words)
{
    if (text_is_in(changers, ARRAY_LEN(changers), program))
        return CALL_CHANGES;
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
        if (strcmp(pairs[i].program, program) == 0 &&
            (!pairs[i].word || begins_with(words, pairs[i].word)))
            return pairs[i].traits;
    if (strstr(program, "bench")) /* pgbench, sysbench, build/parse_bench */
        return CALL_LOOKS;
    return text_is_in(readers, ARRAY_LEN(readers), program) ? CALL_READS : 0;
}

/*
 * The command line.
 */

enum {
    WORD_BYTES = 64,
    WORDS_MAX = 4,
    COMMAND_BYTES = 256, /* bytes of a simple command that are searched for options */
};

/* How a simple command is connected to the previous one. */
enum tie {
    TIE_NONE,
    TIE_PIPE,
    TIE_IF, /* && and ||: may not run at all */
    TIE_LIST,
};

/* The first words of a simple command, unquoted and cut. */
struct simple {
    char words[WORDS_MAX][WORD_BYTES];
    int count;
    bool to_file;      /* its output is redirected to a file */
    size_t start, end; /* positions in the text */
    enum tie before;
};

/* Returns where the quoted text at `at` ends, after its closing quote. */
static size_t skip_quoted(const char *text, size_t len, size_t at)
{
    const char quote = text[at++];
    while (at < len && text[at] != quote)
        at += text[at] == '\\' && quote == '"' && at + 1 < len ? 2 : 1;
    return at < len ? at + 1 : len;
}

/* Copies the command with single blanks and without comments. */
static void squeeze_text(const char *text, size_t len, struct str *out)
{
    const size_t before = out->len;
    bool blank = false;
    for (size_t at = 0; at < len;) {
        const bool starts = out->len == before || blank || str_text(out)[out->len - 1] == '\n';
        if (text[at] == '#' && starts) {
            while (at < len && text[at] != '\n')
                at++;
        } else if (loops_is_blank(text[at])) {
            blank = true;
            at++;
        } else {
            const bool quoted = text[at] == '\'' || text[at] == '"';
            const size_t end = quoted ? skip_quoted(text, len, at) : at + 1;
            if (blank && out->len > before && text[at] != '\n' &&
                str_text(out)[out->len - 1] != '\n')
                str_add_char(out, ' ');
            blank = false;
            if (text[at] != '\n' || (out->len > before && str_text(out)[out->len - 1] != '\n'))
                str_add_n(out, text + at, end - at);
            at = end;
        }
    }
    while (out->len > before && (str_text(out)[out->len - 1] == '\n'))
        out->data[--out->len] = '\0';
}

static void add_to_word(struct simple *simple, size_t *word_len, const char *bytes, size_t len)
{
    if (simple->count >= WORDS_MAX)
        return;
    for (size_t i = 0; i < len && *word_len + 1 < WORD_BYTES; i++)
        simple->words[simple->count][(*word_len)++] = bytes[i];
    simple->words[simple->count][*word_len] = '\0';
}

/* Ends the current word. Words that may precede the program are dropped. */
static void end_word(struct simple *simple, size_t *word_len, bool *has_word)
{
    static const char *const prefixes[] = {"sudo", "time", "nohup", "env", "command",
                                           "exec", "then", "do",    "!",   "("};
    if (!*has_word)
        return;
    *has_word = false;
    *word_len = 0;
    if (simple->count >= WORDS_MAX)
        return;
    if (simple->count == 0) {
        const char *word = simple->words[0];
        const char *equals = strchr(word, '=');
        const bool assigns = equals && equals > word && word[0] != '-' && !strchr("/.", word[0]);
        if (assigns || text_is_in(prefixes, ARRAY_LEN(prefixes), word))
            return;
    }
    if (simple->count == 1 && strcmp(simple->words[0], "timeout") == 0) {
        simple->count = 0; /* skip its first argument, too */
        return;
    }
    static const char *const wrappers[] = {"taskset", "nice",   "ionice",
                                           "chrt",    "stdbuf", "numactl"};
    if (simple->count == 1 && text_is_in(wrappers, ARRAY_LEN(wrappers), simple->words[0])) {
        static const char *const classes[] = {"idle", "best-effort", "realtime"};
        const char *word = simple->words[1];
        const bool is_mask = strcmp(simple->words[0], "taskset") == 0 &&
                             word[strspn(word, "0123456789abcdef")] == '\0';
        if (word[0] != '-' && !ascii_is_digit(word[0]) && !is_mask &&
            !text_is_in(classes, ARRAY_LEN(classes), word)) /* not an option or its value */
            memcpy(simple->words[0], word, WORD_BYTES);
        return;
    }
    simple->count++;
}

/* Returns true for a redirection to a file, not for `>&2`, `2>&1` or `>/dev/null`. */
static bool goes_to_file(const char *text, size_t len, size_t at)
{
    at++;
    while (at < len && (text[at] == '>' || text[at] == '|' || loops_is_blank(text[at])))
        at++;
    if (at >= len || text[at] == '&')
        return false;
    static const char null[] = "/dev/null";
    return len - at < sizeof(null) - 1 || memcmp(text + at, null, sizeof(null) - 1) != 0;
}

static bool ends_simple(const char *text, size_t len, size_t at, enum tie *next)
{
    const char c = text[at];
    const bool ampersand =
        c == '&' && (at == 0 || text[at - 1] != '>') && !(at + 1 < len && text[at + 1] == '>');
    const bool twice = at + 1 < len && text[at + 1] == c;
    if (c == '|')
        *next = twice ? TIE_IF : TIE_PIPE;
    else
        *next = c == '&' && twice ? TIE_IF : TIE_LIST;
    return c == ';' || c == '\n' || c == '|' || ampersand;
}

/* Reads one simple command and moves *at past its end. */
static void read_simple(const char *text, size_t len, size_t *at, enum tie *tie, struct simple *out)
{
    size_t word_len = 0;
    bool has_word = false;
    *out = (struct simple){.start = *at, .before = *tie};
    for (; *at < len; (*at)++) {
        const char c = text[*at];
        if (ends_simple(text, len, *at, tie))
            break;
        if (c == '\'' || c == '"') {
            const size_t end = skip_quoted(text, len, *at);
            const size_t inner = end > *at + 1 ? end - *at - 2 : 0;
            add_to_word(out, &word_len, text + *at + 1, inner);
            has_word = true;
            *at = end - 1;
        } else if (loops_is_blank(c)) {
            end_word(out, &word_len, &has_word);
        } else {
            out->to_file = out->to_file || (c == '>' && goes_to_file(text, len, *at));
            add_to_word(out, &word_len, &c, 1);
            has_word = true;
        }
    }
    end_word(out, &word_len, &has_word);
    out->end = *at;
    /* `&&` and `||` are two bytes long. */
    while (*at < len && strchr(";&|\n ", text[*at]))
        (*at)++;
}

static const char *program_of(const struct simple *simple)
{
    const char *slash = strrchr(simple->words[0], '/');
    return slash ? slash + 1 : simple->words[0];
}

/* Returns true if the command has one of the options. */
static bool has_option(const char *text, const struct simple *simple, const char *const *options,
                       size_t count)
{
    char command[COMMAND_BYTES];
    const size_t len = simple->end - simple->start;
    const size_t kept = len < sizeof(command) - 1 ? len : sizeof(command) - 1;
    memcpy(command, text + simple->start, kept);
    command[kept] = '\0';
    for (size_t i = 0; i < count; i++)
        if (strstr(command, options[i]))
            return true;
    return false;
}

/* Returns true if the exit code is the answer, and the output is not wanted. */
static bool is_check(const char *text, const struct simple *simple)
{
    static const char *const quiet[] = {" -q",          " --quiet",     " --silent",
                                        " >/dev/null",  " > /dev/null", " &>/dev/null",
                                        " &> /dev/null"};
    const char *program = program_of(simple);
    return strcmp(program, "test") == 0 || strcmp(program, "[") == 0 ||
           (strcmp(program, "cmp") == 0 && strcmp(simple->words[1], "-s") == 0) ||
           has_option(text, simple, quiet, ARRAY_LEN(quiet));
}

/* Returns the traits of a transfer: `curl` reads unless an option makes it send or save; `wget`
 * saves unless an option makes it print. */
static unsigned traits_of_transfer(const char *text, const struct simple *simple, bool saves)
{
    static const char *const sending[] = {" -X", " -d", " --data", " -F", " --upload", " -T"};
    static const char *const saving[] = {" -o", " -O", " --output", " -sO", " -LO", " -fsSLo"};
    static const char *const nowhere[] = {" -o /dev/null", " -O /dev/null", " --output /dev/null"};
    static const char *const reading[] = {" -O-", " -O -", " -qO-", " -qO -", " --spider"};
    if (has_option(text, simple, sending, ARRAY_LEN(sending)))
        return 0;
    const bool writes = saves ? !has_option(text, simple, reading, ARRAY_LEN(reading))
                              : has_option(text, simple, saving, ARRAY_LEN(saving));
    return writes && !has_option(text, simple, nowhere, ARRAY_LEN(nowhere)) ? CALL_CHANGES
                                                                            : CALL_READS;
}

static unsigned traits_of_simple(const char *text, const struct simple *simple)
{
    static const char *const interpreters[] = {"python", "python3", "node", "ruby", "perl", "php"};
    const char *program = program_of(simple);
    char words[2 * WORD_BYTES];
    const bool elsewhere = strcmp(program, "git") == 0 && simple->count > 1 &&
                           strcmp(simple->words[1], "-C") == 0; /* the folder comes first */
    const int first = elsewhere ? 3 : 1;
    (void)snprintf(words, sizeof(words), "%s%s%s",
                   simple->count > first ? simple->words[first] : "",
                   simple->count > first + 1 ? " " : "",
                   simple->count > first + 1 ? simple->words[first + 1] : "");
    if (simple->to_file)
        return CALL_CHANGES;
    if (strcmp(program, "curl") == 0 || strcmp(program, "wget") == 0)
        return traits_of_transfer(text, simple, program[0] == 'w');
    /* Code that is part of the command, as in `python -c '...'`. */
    if (text_is_in(interpreters, ARRAY_LEN(interpreters), program) &&
        (begins_with(words, "-c") || begins_with(words, "-e") || begins_with(words, "-") ||
         strncmp(words, "<<", 2) == 0))
        return CALL_CODE;
    const bool takes = strcmp(program, "git") != 0 &&
                       ((simple->count > 1 && entropy_tool_takes(simple->words[1])) ||
                        (simple->count > 2 && entropy_tool_takes(simple->words[2])));
    return traits_of_program(program, words) | (takes ? (unsigned)CALL_TAKES : 0);
}

/* Returns the length of "$(date ...)" at the start of the text, or 0. Nothing else may run in it.
 */
static size_t date_len(const char *text, size_t len)
{
    static const char date[] = "$(date";
    size_t at = sizeof(date) - 1;
    if (len <= at || strncmp(text, date, at) != 0 || !strchr(") ", text[at]))
        return 0;
    while (at < len && !strchr(")(;&|<>$`\n", text[at]))
        at++;
    return at < len && text[at] == ')' ? at + 1 : 0;
}

/* Returns true if the shell expands anything other than the date, or runs a process to read from
 * or write to, as in <(make). */
static bool is_expanded(const char *text, size_t len)
{
    for (size_t at = 0; at < len; at++) {
        if (text[at] == '(' && at > 0 && strchr("<>", text[at - 1]))
            return true;
        if (text[at] != '$' && text[at] != '`')
            continue;
        const size_t date = date_len(text + at, len - at);
        if (date == 0)
            return true;
        at += date - 1;
    }
    return false;
}

/* Returns true for a command that always runs, does nothing, and prints at most fixed words and
 * the date: echo, true, ":" and exit 0. */
static bool is_idle(const char *text, const struct simple *simple, enum tie after)
{
    static const char *const idle[] = {"echo", "true", ":"};
    if (simple->count == 0 || simple->to_file || after == TIE_PIPE ||
        (simple->before != TIE_NONE && simple->before != TIE_LIST))
        return false;
    if (simple->count == 2 && strcmp(simple->words[0], "exit") == 0)
        return strcmp(simple->words[1], "0") == 0;
    return text_is_in(idle, ARRAY_LEN(idle), simple->words[0]) &&
           !is_expanded(text + simple->start, simple->end - simple->start);
}

static void note_echo(struct shell_command *out, const char *text, const struct simple *echo)
{
    size_t start = echo->start;
    size_t end = echo->end;
    if (out->echo_count == SHELL_ECHOES_MAX)
        return;
    while (start < end && !loops_is_blank(text[start]))
        start++;
    while (start < end && loops_is_blank(text[start]))
        start++;
    while (end > start && loops_is_blank(text[end - 1]))
        end--;
    const bool quoted = end - start > 1 && (text[start] == '"' || text[start] == '\'') &&
                        text[end - 1] == text[start];
    out->echoes[out->echo_count++] =
        entropy_hash(text + start + quoted, end - start - 2 * (size_t)quoted);
}

/* Sets the traits that all simple commands have together. Leaves idle commands out of the key, and
 * notes their echoes. */
static void read_list(const char *text, size_t len, struct shell_command *out)
{
    const size_t start = out->text->len;
    bool sleeps = false, acts = false, all_read = true, all_look = true;
    unsigned any = 0;
    enum tie tie = TIE_NONE;
    for (size_t at = 0; at < len;) {
        struct simple simple;
        read_simple(text, len, &at, &tie, &simple);
        if (is_idle(text, &simple, at < len ? tie : TIE_LIST)) {
            if (strcmp(simple.words[0], "echo") == 0)
                note_echo(out, text, &simple);
            continue;
        }
        str_add_n(out->text, text + simple.start, at - simple.start);
        const char *program = program_of(&simple);
        if (simple.count == 0 ||
            (!simple.to_file && text_is_in(fillers, ARRAY_LEN(fillers), program)))
            continue;
        if (strcmp(program, "sleep") == 0) {
            sleeps = true;
            continue;
        }
        unsigned traits = traits_of_simple(text, &simple);
        if (is_check(text, &simple))
            traits &= ~(unsigned)CALL_READS;
        acts = true;
        all_read = all_read && (traits & CALL_READS);
        /* Filters in a pipe are not polls, and change nothing. */
        if (simple.before != TIE_PIPE)
            all_look = all_look && (traits & CALL_LOOKS);
        any |= simple.before == TIE_PIPE ? traits & CALL_CHANGES : traits;
    }
    while (out->text->len > start && strchr("; &|\n", out->text->data[out->text->len - 1]))
        out->text->data[--out->text->len] = '\0';
    if (out->text->len == start && len > 0) {
        str_add_char(out->text, ':');
        out->traits = CALL_IDLE;
        return;
    }

    if (!acts) {
        out->traits = sleeps ? CALL_PAUSES : 0;
        return;
    }
    out->traits = any & (CALL_CHANGES | CALL_NO_LOOK);
    if (out->traits & CALL_CHANGES)
        return;
    out->traits |= any & (CALL_CODE | CALL_TAKES);
    if (all_look)
        out->traits |= any & (CALL_LOOKS | CALL_PROBES);
    if (sleeps)
        out->traits |= CALL_LOOKS | CALL_SLEEPS;
    if (all_read)
        out->traits |= CALL_READS;
}

void entropy_shell_read(const char *command, size_t len, struct shell_command *out)
{
    struct str squeezed = {0};
    const size_t read = len < SHELL_BYTES_MAX ? len : SHELL_BYTES_MAX;
    out->echo_count = 0;
    squeeze_text(command, read, &squeezed);
    read_list(str_text(&squeezed), squeezed.len, out);
    if (squeezed.len == 0)
        out->traits = CALL_LOOKS; /* an empty command waits for more output of a running one */
    if (read < len) {
        str_add_n(out->text, command + read, len - read);
        out->traits &= ~(unsigned)CALL_IDLE; /* the rest may do anything */
    }
    str_done(&squeezed);
}
