/* completion_shells.c - the kinds of words on a command line, and the completion files of the
 * shells. */
#include <assert.h>
#include <string.h>

#include "completion.h"
#include "completion_devs_bash.h"
#include "completion_devs_fish.h"
#include "completion_devs_zsh.h"

/* The kinds of option values. The first row that matches wins. */
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

/* The meaning of words in a usage or an option's help. */
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
    {"debug", "RUN", {COMPLETION_ASK, "target"}}, /* some forms of the command take a task */
    {"replay", "RUN", {COMPLETION_ASK, "target"}},
    {NULL, "POLICY.json", {COMPLETION_FILE, NULL}},
    {NULL, "RUN", {COMPLETION_ASK, "run"}},
    {NULL, "RUN[/TASK]", {COMPLETION_ASK, "target"}},
    {NULL, "[RUN/]TASK", {COMPLETION_ASK, "run_task"}},
    {NULL, "CLASS", {COMPLETION_FIXED, "class"}},
    {NULL, "install|uninstall|status", {COMPLETION_FIXED, "hook_act"}},
    {NULL, "bash|zsh|fish", {COMPLETION_FIXED, "shell"}},
    {NULL, "NAME|all", {COMPLETION_FIXED, "command"}},
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

/* Adds an operand. Brackets make it optional and dots repeat it: "[FILE...]". Brackets inside a
 * word belong to it: "[RUN/]TASK". */
static void add_operand(struct completion_command *command, const char *word, size_t len)
{
    assert(command->operand_count < COMPLETION_OPERANDS_MAX && len < COMPLETION_LABEL_MAX);
    struct completion_operand *operand = &command->operands[command->operand_count++];
    const bool is_optional = word[0] == '[' && word[len - 1] == ']';
    const size_t bracket = is_optional ? 1 : 0;
    const size_t end = len - 2 * bracket;
    memcpy(operand->label, word + bracket, end);
    operand->label[end] = '\0';
    operand->repeats = strstr(operand->label, "...") != NULL;
    if (end >= 3 && strcmp(operand->label + end - 3, "...") == 0)
        operand->label[end - 3] = '\0';
    operand->kind = label_kind(command->name, operand->label);
}

/* Reads the operands from the usage, which is written for people: the options in it and their
 * values are not operands. */
static void read_usage(struct completion_command *command, const char *usage)
{
    const char *word = usage;
    bool is_value = false;
    for (size_t len; *word; word += len + strspn(word + len, " ")) {
        len = strcspn(word, " ");
        if (strncmp(word, "--", 2) == 0) {
            char name[COMPLETION_LABEL_MAX] = "";
            memcpy(name, word + 2, len - 2 < sizeof(name) ? len - 2 : sizeof(name) - 1);
            size_t i = 0;
            while (i < command->options.count && strcmp(command->options.specs[i].name, name) != 0)
                i++;
            is_value = i < command->options.count && command->options.specs[i].metavar;
        } else if (is_value) {
            is_value = false;
        } else if (strncmp(word, "...", len) == 0) {
            command->operands[command->operand_count - 1].repeats = true;
        } else {
            add_operand(command, word, len);
        }
    }
}

bool completion_command_at(size_t index, struct completion_command *out)
{
    if (index == 0) {
        /* The options accepted before the name of a command: the common ones, and those of devs
         * itself. */
        static const struct option_spec version = {
            .name = "version", .letter = 'V', .words = "show the version"};
        static const struct option_spec on = {
            .name = "on", .metavar = "HOST[:DIR]", .words = "a log on another machine"};
        *out = (struct completion_command){.name = "", .words = "the cockpit"};
        command_list(command_at(0), &out->options);
        out->options.count = COMMAND_GLOBAL_SPECS;
        out->options.specs[out->options.count++] = on;
        out->options.specs[out->options.count++] = version;
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

/* Appends a kind as one word for the functions in assets/completions/devs.bash; a list is written
 * as its name. */
static void add_bash_kind(struct str *out, struct completion_kind kind)
{
    static const char *const words[COMPLETION_SOURCE_COUNT] = {
        [COMPLETION_NOTHING] = "-",       [COMPLETION_FILE] = "FILE", [COMPLETION_DIR] = "DIR",
        [COMPLETION_COMMAND] = "COMMAND", [COMPLETION_FIXED] = "",    [COMPLETION_ASK] = "@",
    };
    str_add(out, words[kind.source]);
    str_add(out, kind.list ? kind.list : "");
}

static void add_bash_command(struct str *out, const struct completion_command *command)
{
    str_addf(out, "    '%s')\n        options='", command->name);
    for (size_t i = 0; i < command->options.count; i++) {
        /* "--json --task=@task -j=-": the kind follows an option that takes a value. */
        const struct option_spec *spec = &command->options.specs[i];
        struct str kind = {0};
        if (spec->metavar) {
            str_add_char(&kind, '=');
            add_bash_kind(&kind, completion_option_kind(command->name, spec));
        }
        str_addf(out, " --%s%s", spec->name, str_text(&kind));
        if (spec->letter != '\0')
            str_addf(out, " -%c%s", spec->letter, str_text(&kind));
        str_done(&kind);
    }
    str_add(out, "'\n        operands='");
    for (size_t i = 0; i < command->operand_count; i++) {
        str_add(out, i > 0 ? " " : "");
        add_bash_kind(out, command->operands[i].kind);
        str_add(out, command->operands[i].repeats ? "+" : "");
    }
    str_addf(out, "'\n        stops=%s\n        ;;\n",
             command->options.rest_after_first ? "yes" : "");
}

void completion_bash(struct str *out)
{
    struct completion_command command;
    const struct command *named;
    const char *list;
    str_add(out, "# How bash completes devs: what \"devs completion bash\" prints.\n"
                 "_devs_commands='");
    for (size_t i = 0; (named = command_at(i)); i++)
        str_addf(out, "%s%s", i > 0 ? " " : "", named->name);
    str_add(out, "'\n\n_devs_table() # COMMAND: its options and operands\n{\n    case $1 in\n");
    for (size_t i = 0; completion_command_at(i, &command); i++)
        add_bash_command(out, &command);
    str_add(out, "    *) return 1 ;;\n    esac\n}\n\n");
    str_add(out, "_devs_list() # NAME: its words\n{\n    case $1 in\n");
    for (size_t i = 0; (list = completion_list_at(i)); i++) {
        str_addf(out, "    %s) words='", list);
        (void)completion_list(list, out); /* cannot fail: the name comes from the table */
        str_add(out, "' ;;\n");
    }
    str_add(out, "    *) words= ;;\n    esac\n}\n");
    str_add_n(out, completion_devs_bash, completion_devs_bash_len);
}

/* Appends the text as a single-quoted string for fish. */
static void add_fish_quoted(struct str *out, const char *text)
{
    str_add_char(out, '\'');
    for (const char *c = text; *c; c++) {
        if (*c == '\'' || *c == '\\')
            str_add_char(out, '\\');
        str_add_char(out, *c);
    }
    str_add_char(out, '\'');
}

/* Options for fish's `complete`; ASK words keep their order. The description after the tab is
 * empty, because otherwise each word would get the description of its option. */
static const struct completion_form fish_forms[COMPLETION_SOURCE_COUNT] = {
    [COMPLETION_NOTHING] = {"", "", NULL},
    [COMPLETION_FILE] = {" -F", "", NULL},
    [COMPLETION_DIR] = {" -a '(__fish_complete_directories)'", "", NULL},
    [COMPLETION_COMMAND] = {" -a '(__fish_complete_command)'", "", NULL},
    [COMPLETION_FIXED] = {" -a '", "\\t'", "\\t "},
    [COMPLETION_ASK] = {" -k -a '(__devs_ask ", ")'", NULL},
};

static void add_fish_option(struct str *out, const char *command, const struct option_spec *spec)
{
    str_addf(out, "complete -c devs -n '__devs_at \"%s\"' -l %s", command, spec->name);
    if (spec->letter != '\0')
        str_addf(out, " -s %c", spec->letter);
    str_add(out, " -d ");
    add_fish_quoted(out, spec->words);
    if (spec->metavar) {
        const struct completion_kind kind = completion_option_kind(command, spec);
        str_add(out, kind.source == COMPLETION_FILE ? " -r" : " -x");
        completion_add_kind(fish_forms, kind, out);
    }
    str_add_char(out, '\n');
}

/* Appends the options that take a value, for the function that counts operands. */
static void add_fish_values(struct str *out)
{
    struct completion_command command;
    str_add(out,
            "function __devs_takes_value # 'COMMAND OPTION'\n    switch $argv[1]\n        case");
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        for (size_t j = 0; j < command.options.count; j++) {
            const struct option_spec *spec = &command.options.specs[j];
            if (spec->metavar)
                str_addf(out, " '%s --%s'", command.name, spec->name);
            if (spec->metavar && spec->letter != '\0')
                str_addf(out, " '%s -%c'", command.name, spec->letter);
        }
    }
    str_add(out, "\n            return 0\n    end\n    return 1\nend\n");
}

void completion_fish(struct str *out)
{
    struct completion_command command;
    str_add(out, "# How fish completes devs: what \"devs completion fish\" prints.\n");
    add_fish_values(out);
    str_add_n(out, completion_devs_fish, completion_devs_fish_len);
    str_add(out, "\ncomplete -c devs -f\n");
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        if (command.name[0] != '\0') {
            str_addf(out, "complete -c devs -n '__devs_at \"\" 1' -a %s -d ", command.name);
            add_fish_quoted(out, command.words);
            str_add_char(out, '\n');
        }
        for (size_t j = 0; j < command.options.count; j++)
            add_fish_option(out, command.name, &command.options.specs[j]);
        for (size_t j = 0; j < command.operand_count; j++) {
            const struct completion_operand *operand = &command.operands[j];
            if (operand->kind.source == COMPLETION_NOTHING)
                continue;
            str_addf(out, "complete -c devs -n '__devs_at %s %zu%s'", command.name, j + 1,
                     operand->repeats ? "+" : "");
            completion_add_kind(fish_forms, operand->kind, out);
            str_add_char(out, '\n');
        }
    }
}

/* Appends the text, escaped for single quotes in zsh and for _arguments, which interprets brackets
 * and colons. */
static void add_zsh_quoted(struct str *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            str_add(out, "'\\''");
        else if (strchr("[]:\\", *c))
            str_addf(out, "\\%c", *c);
        else
            str_add_char(out, *c);
    }
}

/* The actions of _arguments, which complete a word. A single blank only shows the message; a
 * blank before a command keeps it from getting arguments for compadd. */
static const struct completion_form zsh_forms[COMPLETION_SOURCE_COUNT] = {
    [COMPLETION_NOTHING] = {" ", "", NULL},
    [COMPLETION_FILE] = {"_files", "", NULL},
    [COMPLETION_DIR] = {"_files -/", "", NULL},
    [COMPLETION_COMMAND] = {"_command_names -e", "", NULL},
    [COMPLETION_FIXED] = {"(", ")", NULL},
    [COMPLETION_ASK] = {" _devs_ask ", "", NULL},
};

/* Appends an option for _arguments: either "-j" or "--jobs", and only once; "T..." may be
 * repeated. */
static void add_zsh_spec(struct str *out, const char *command, const struct option_spec *spec,
                         bool is_letter)
{
    const bool repeats = spec->metavar && strstr(spec->metavar, "...");
    str_add(out, "      '");
    if (repeats)
        str_add_char(out, '*');
    else if (spec->letter != '\0')
        str_addf(out, "(-%c --%s)", spec->letter, spec->name);
    if (is_letter)
        str_addf(out, "-%c%s[", spec->letter, spec->metavar ? "+" : "");
    else
        str_addf(out, "--%s%s[", spec->name, spec->metavar ? "=" : "");
    add_zsh_quoted(out, spec->words);
    str_add_char(out, ']');
    if (spec->metavar) {
        str_add_char(out, ':');
        add_zsh_quoted(out, spec->metavar);
        str_add_char(out, ':');
        completion_add_kind(zsh_forms, completion_option_kind(command, spec), out);
    }
    str_add(out, "'\n");
}

static void add_zsh_command(struct str *out, const struct completion_command *command)
{
    str_addf(out, "    '%s') specs=(\n", command->name);
    for (size_t i = 0; i < command->options.count; i++) {
        const struct option_spec *spec = &command->options.specs[i];
        add_zsh_spec(out, command->name, spec, false);
        if (spec->letter != '\0')
            add_zsh_spec(out, command->name, spec, true);
    }
    if (command->options.rest_after_first) /* the arguments belong to the command that is run */
        str_add(out, "      '(-):COMMAND:_command_names -e'\n      '*::ARG:_normal'\n");
    for (size_t i = 0; i < command->operand_count && !command->options.rest_after_first; i++) {
        const struct completion_operand *operand = &command->operands[i];
        str_addf(out, "      '%s:", operand->repeats ? "*" : "");
        add_zsh_quoted(out, operand->label);
        str_add_char(out, ':');
        completion_add_kind(zsh_forms, operand->kind, out);
        str_add(out, "'\n");
    }
    str_add(out, "      ) ;;\n");
}

void completion_zsh(struct str *out)
{
    struct completion_command command;
    const struct command *named;
    str_add(out, "#compdef devs\n# How zsh completes devs: what \"devs completion zsh\" prints.\n"
                 "typeset -ga _devs_commands\n");
    str_add(out, "_devs_commands=(\n");
    for (size_t i = 0; (named = command_at(i)); i++) {
        str_addf(out, "  '%s:", named->name);
        add_zsh_quoted(out, named->words);
        str_add(out, "'\n");
    }
    str_add(out, ")\n\n");
    str_add(out, "_devs_specs() { # COMMAND: its options and operands, for _arguments\n"
                 "  case $1 in\n");
    for (size_t i = 0; completion_command_at(i, &command); i++)
        add_zsh_command(out, &command);
    str_add(out, "    *) return 1 ;;\n  esac\n}\n");
    str_add_n(out, completion_devs_zsh, completion_devs_zsh_len);
}
