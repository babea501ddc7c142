#include "launched.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "attr.h"
#include "xalloc.h"

/* Programs that run the command in their arguments. */
static const struct {
    const char *name;
    const char *valued; /* short options whose value is the next word */
    int operands;       /* words before the command */
} wrappers[] = {
    {"env", "uC", 0},    {"timeout", "ks", 1}, {"nice", "n", 0},     {"ionice", "cn", 0},
    {"nohup", "", 0},    {"setsid", "", 0},    {"stdbuf", "ioe", 0}, {"time", "fo", 0},
    {"sudo", "ugCD", 0}, {"exec", "a", 0},     {"command", "", 0},   {"xargs", "ILnPsd", 0},
};

static const char *const shells[] = {"sh", "bash", "dash", "zsh", "ksh"};

/* Words of a script after which a command begins. */
static const char *const openers[] = {"if",    "then", "else", "elif", "while",
                                      "until", "do",   "!",    "{",    "("};

static bool find_at_depth(char *const *argv, const char *wanted, int depth);

static bool is_in(const char *const *list, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i], word) == 0)
            return true;
    }
    return false;
}

static bool is_assignment(const char *word)
{
    const size_t name =
        strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    return name > 0 && word[name] == '=';
}

/* Behind the wrapper's own options and operands. */
static char *const *skip_wrapper(char *const *argv, size_t wrapper)
{
    int operands = wrappers[wrapper].operands;
    for (argv++; *argv; argv++) {
        const char *word = *argv;
        if (strcmp(word, "--") == 0)
            continue;
        if (word[0] == '-') {
            const bool takes_next =
                word[1] != '\0' && word[2] == '\0' && strchr(wrappers[wrapper].valued, word[1]);
            argv += takes_next && argv[1] ? 1 : 0;
        } else if (!is_assignment(word) && operands-- <= 0) {
            break;
        }
    }
    return argv;
}

/* The text behind -c, also as in `bash -lc`; NULL for a shell that reads a file. */
static const char *script_of(char *const *argv)
{
    for (argv++; *argv && (*argv)[0] == '-'; argv++) {
        if ((*argv)[1] != '-' && strchr(*argv, 'c'))
            return argv[1];
    }
    return NULL;
}

/* The word at *at, with its quotes removed in place; *at is then the separator after it. */
static char *take_word(char **at)
{
    char *word = *at;
    char *out = word;
    char *in = word;
    while (*in != '\0' && !strchr(" \t\r\n;&|()", *in)) {
        if (*in == '\'' || *in == '"') {
            const char quote = *in++;
            while (*in != '\0' && *in != quote) {
                in += quote == '"' && *in == '\\' && in[1] != '\0' ? 1 : 0;
                *out++ = *in++;
            }
            in += *in != '\0' ? 1 : 0;
        } else {
            in += *in == '\\' && in[1] != '\0' ? 1 : 0;
            *out++ = *in++;
        }
    }
    if (out < in)
        *out = '\0';
    *at = in;
    return word;
}

struct script {
    char *words[LAUNCHED_WORDS_MAX + 1];
    int count;
    const char *wanted;
    int depth;
    bool found;
};

static void end_command(struct script *script)
{
    script->words[script->count] = NULL;
    if (script->count > 0 && !script->found)
        script->found = find_at_depth(script->words, script->wanted, script->depth);
    script->count = 0;
}

static void add_word(struct script *script, char *word)
{
    const bool begins = script->count == 0;
    if (begins && (is_assignment(word) || is_in(openers, ARRAY_LEN(openers), word)))
        return;
    if (script->count < LAUNCHED_WORDS_MAX)
        script->words[script->count++] = word;
}

static bool find_in_script(const char *text, const char *wanted, int depth)
{
    struct script script = {.wanted = wanted, .depth = depth};
    char *copy = xstrndup(text, LAUNCHED_SCRIPT_MAX);
    for (char *at = copy; *at != '\0' && !script.found;) {
        if (*at == '#' && (at == copy || strchr(" \t\n;", at[-1]))) {
            at += strcspn(at, "\n");
        } else if (strchr(" \t\r", *at)) {
            *at++ = '\0';
        } else if (strchr("\n;&|()", *at)) {
            *at++ = '\0';
            end_command(&script);
        } else {
            char *word = take_word(&at);
            const char separator = *at;
            *at = '\0';
            add_word(&script, word);
            *at = separator; /* still to be read */
        }
    }
    end_command(&script);
    free(copy);
    return script.found;
}

/* `wanted` is "NAME" or "NAME OPTION". */
static bool is_wanted(char *const *argv, const char *wanted)
{
    const char *program = adapter_program_of(argv[0]);
    const size_t len = strcspn(wanted, " ");
    if (strlen(program) != len || strncmp(program, wanted, len) != 0)
        return false;
    if (wanted[len] == '\0')
        return true;
    for (int i = 1; argv[i]; i++) {
        if (strcmp(argv[i], wanted + len + 1) == 0)
            return true;
    }
    return false;
}

static bool find_at_depth(char *const *argv, const char *wanted, int depth)
{
    while (argv[0]) {
        const char *program = adapter_program_of(argv[0]);
        size_t wrapper = 0;
        if (is_wanted(argv, wanted))
            return true;
        if (is_in(shells, ARRAY_LEN(shells), program)) {
            const char *script = script_of(argv);
            return script && depth < LAUNCHED_DEPTH_MAX &&
                   find_in_script(script, wanted, depth + 1);
        }
        while (wrapper < ARRAY_LEN(wrappers) && strcmp(wrappers[wrapper].name, program) != 0)
            wrapper++;
        if (wrapper == ARRAY_LEN(wrappers))
            return false;
        argv = skip_wrapper(argv, wrapper);
    }
    return false;
}

bool launched_find(char *const *argv, const char *wanted)
{
    return argv && find_at_depth(argv, wanted, 0);
}
