/* completion_zsh.c - completion for zsh. */
#include <string.h>

#include "completion.h"
#include "completion_devs_zsh.h"

/* Between single quotes of zsh, where _arguments reads brackets and colons. */
static void add_quoted(struct str *out, const char *text)
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

/* What _arguments calls the action: how the word is completed. A blank alone leaves the message,
 * one before a command keeps it from getting words for compadd. */
static const struct completion_form forms[COMPLETION_SOURCE_COUNT] = {
    [COMPLETION_NOTHING] = {" ", "", NULL},
    [COMPLETION_FILE] = {"_files", "", NULL},
    [COMPLETION_DIR] = {"_files -/", "", NULL},
    [COMPLETION_COMMAND] = {"_command_names -e", "", NULL},
    [COMPLETION_FIXED] = {"(", ")", NULL},
    [COMPLETION_ASK] = {" _devs_ask ", "", NULL},
};

/* Each of "-j" and "--jobs" once, and only one of them. "T..." may be said again. */
static void add_spec(struct str *out, const char *command, const struct option_spec *spec,
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
    add_quoted(out, spec->words);
    str_add_char(out, ']');
    if (spec->metavar) {
        str_add_char(out, ':');
        add_quoted(out, spec->metavar);
        str_add_char(out, ':');
        completion_add_kind(forms, completion_option_kind(command, spec), out);
    }
    str_add(out, "'\n");
}

static void add_options(struct str *out, const struct completion_command *command)
{
    for (size_t i = 0; i < command->options.count; i++) {
        add_spec(out, command->name, &command->options.specs[i], false);
        if (command->options.specs[i].letter != '\0')
            add_spec(out, command->name, &command->options.specs[i], true);
    }
}

static void add_operand(struct str *out, const struct completion_operand *operand)
{
    str_addf(out, "      '%s:", operand->repeats ? "*" : "");
    add_quoted(out, operand->label);
    str_add_char(out, ':');
    completion_add_kind(forms, operand->kind, out);
    str_add(out, "'\n");
}

/* The words behind a command that is run are that command's own. */
static void add_operands(struct str *out, const struct completion_command *command)
{
    if (command->options.rest_after_first) {
        str_add(out, "      '(-):COMMAND:_command_names -e'\n      '*::ARG:_normal'\n");
        return;
    }
    for (size_t i = 0; i < command->operand_count; i++)
        add_operand(out, &command->operands[i]);
}

static void add_commands(struct str *out)
{
    const struct command *command;
    str_add(out, "_devs_commands=(\n");
    for (size_t i = 0; (command = command_at(i)); i++) {
        str_addf(out, "  '%s:", command->name);
        add_quoted(out, command->words);
        str_add(out, "'\n");
    }
    str_add(out, ")\n\n");
}

void completion_zsh(struct str *out)
{
    struct completion_command command;
    str_add(out, "#compdef devs\n# How zsh completes devs: what \"devs completion zsh\" prints.\n"
                 "typeset -ga _devs_commands\n");
    add_commands(out);
    str_add(out, "_devs_specs() { # COMMAND: its options and operands, for _arguments\n"
                 "  case $1 in\n");
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        str_addf(out, "    '%s') specs=(\n", command.name);
        add_options(out, &command);
        add_operands(out, &command);
        str_add(out, "      ) ;;\n");
    }
    str_add(out, "    *) return 1 ;;\n  esac\n}\n");
    str_add_n(out, completion_devs_zsh, completion_devs_zsh_len);
}
