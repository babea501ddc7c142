/* completion_kinds.c - what the words of options and usages stand for. */
#include <assert.h>
#include <string.h>

#include "completion.h"

/* What the value of an option is. Of several rows the first one that fits counts. */
static const struct {
    const char *command, *option; /* NULL = any */
    struct completion_kind kind;
} of_options[] = {
    {NULL, "theme", {COMPLETION_FIXED, "theme"}},
    {NULL, "phase", {COMPLETION_FIXED, "phase"}},
    {NULL, "sandbox", {COMPLETION_FIXED, "sandbox"}},
    {NULL, "workspace", {COMPLETION_FIXED, "workspace"}},
    {NULL, "view", {COMPLETION_FIXED, "view"}},
    {NULL, "level", {COMPLETION_FIXED, "level"}},
    {NULL, "kind", {COMPLETION_FIXED, "kind"}},
    {NULL, "schema", {COMPLETION_FIXED, "schema"}},
    {NULL, "format", {COMPLETION_FIXED, "format"}},
    {"hook", "agent", {COMPLETION_FIXED, "hook_agent"}},
    {"agents", "try", {COMPLETION_ASK, "agent"}},
    {NULL, "agent", {COMPLETION_ASK, "agent"}},
    {NULL, "policy", {COMPLETION_ASK, "policy"}},
    {NULL, "task", {COMPLETION_ASK, "task"}},
    {NULL, "only", {COMPLETION_ASK, "plan_task"}},
    {NULL, "continue", {COMPLETION_ASK, "unfinished"}},
};

/* What a word of a usage, or of an option's help, stands for. */
static const struct {
    const char *command, *label; /* NULL = any */
    struct completion_kind kind;
} of_labels[] = {
    {NULL, "FILE", {COMPLETION_FILE, NULL}},
    {NULL, "FILE|-", {COMPLETION_FILE, NULL}},
    {NULL, "PATH", {COMPLETION_FILE, NULL}},
    {NULL, "PLAN", {COMPLETION_FILE, NULL}},
    {NULL, "DIR", {COMPLETION_DIR, NULL}},
    {NULL, "DIR...", {COMPLETION_DIR, NULL}},
    {NULL, "COMMAND", {COMPLETION_COMMAND, NULL}},
    {NULL, "ARG", {COMPLETION_FILE, NULL}},
    {"debug", "RUN", {COMPLETION_ASK, "target"}}, /* some of its uses are of a task */
    {NULL, "RUN", {COMPLETION_ASK, "run"}},
    {NULL, "RUN[/TASK]", {COMPLETION_ASK, "target"}},
    {NULL, "[RUN/]TASK", {COMPLETION_ASK, "run_task"}},
    {NULL, "CLASS", {COMPLETION_FIXED, "class"}},
    {NULL, "install|uninstall|status", {COMPLETION_FIXED, "hook_act"}},
    {NULL, "bash|zsh|fish", {COMPLETION_FIXED, "shell"}},
};

static bool is_of(const char *command, const char *wanted)
{
    return !wanted || strcmp(command, wanted) == 0;
}

static struct completion_kind label_kind(const char *command, const char *label)
{
    for (size_t i = 0; i < ARRAY_LEN(of_labels); i++) {
        if (is_of(command, of_labels[i].command) && strcmp(label, of_labels[i].label) == 0)
            return of_labels[i].kind;
    }
    return (struct completion_kind){COMPLETION_NOTHING, NULL};
}

struct completion_kind completion_option_kind(const char *command, const struct option_spec *spec)
{
    assert(spec->metavar);
    for (size_t i = 0; i < ARRAY_LEN(of_options); i++) {
        if (is_of(command, of_options[i].command) && strcmp(spec->name, of_options[i].option) == 0)
            return of_options[i].kind;
    }
    return label_kind(command, spec->metavar);
}

static const struct option_spec *find_spec(const struct command_listing *options, const char *word)
{
    for (size_t i = 0; i < options->count; i++) {
        if (strcmp(options->specs[i].name, word) == 0)
            return &options->specs[i];
    }
    return NULL;
}

static void cut_end(char *word, const char *end)
{
    const size_t len = strlen(word), cut = strlen(end);
    if (len >= cut && strcmp(word + len - cut, end) == 0)
        word[len - cut] = '\0';
}

/* "[FILE...]": brackets say that it may be left out, dots that more may follow. Those inside of a
 * word belong to it: "[RUN/]TASK". */
static void add_operand(struct completion_command *command, const char *word, size_t len)
{
    assert(command->operand_count < COMPLETION_OPERANDS_MAX && len < COMPLETION_LABEL_MAX);
    struct completion_operand *operand = &command->operands[command->operand_count++];
    const bool is_optional = word[0] == '[' && word[len - 1] == ']';
    const size_t bracket = is_optional ? 1 : 0;
    memcpy(operand->label, word + bracket, len - 2 * bracket);
    operand->label[len - 2 * bracket] = '\0';
    operand->repeats = strstr(operand->label, "...") != NULL;
    cut_end(operand->label, "...");
    operand->kind = label_kind(command->name, operand->label);
}

/* The usage is for people, and says it all: options that it names are no operands, nor are their
 * values. */
static void read_usage(struct completion_command *command, const char *usage)
{
    const char *word = usage;
    bool is_value = false;
    for (size_t len; *word; word += len + strspn(word + len, " ")) {
        len = strcspn(word, " ");
        if (strncmp(word, "--", 2) == 0) {
            char name[COMPLETION_LABEL_MAX] = "";
            memcpy(name, word + 2, len - 2 < sizeof(name) ? len - 2 : sizeof(name) - 1);
            const struct option_spec *spec = find_spec(&command->options, name);
            is_value = spec && spec->metavar;
        } else if (is_value) {
            is_value = false;
        } else if (strncmp(word, "...", len) == 0) {
            command->operands[command->operand_count - 1].repeats = true;
        } else {
            add_operand(command, word, len);
        }
    }
}

/* Before a command's name stand the options that all commands have, and two of its own. */
static void describe_devs(struct completion_command *out)
{
    static const struct option_spec version = {
        .name = "version", .letter = 'V', .words = "which devs this is"};
    *out = (struct completion_command){.name = "", .words = "the cockpit"};
    command_list(command_at(0), &out->options);
    out->options.count = COMMAND_GLOBAL_SPECS;
    out->options.specs[out->options.count++] = version;
}

bool completion_command_at(size_t index, struct completion_command *out)
{
    if (index == 0) {
        describe_devs(out);
        return true;
    }
    const struct command *command = command_at(index - 1);
    if (!command)
        return false;
    *out = (struct completion_command){.name = command->name, .words = command->words};
    command_list(command, &out->options);
    read_usage(out, command->usage);
    return true;
}
