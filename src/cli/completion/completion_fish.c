/* completion_fish.c - completion for fish. */
#include "completion.h"
#include "completion_devs_fish.h"

/* Between single quotes of fish. */
static void add_quoted(struct str *out, const char *text)
{
    str_add_char(out, '\'');
    for (const char *c = text; *c; c++) {
        if (*c == '\'' || *c == '\\')
            str_add_char(out, '\\');
        str_add_char(out, *c);
    }
    str_add_char(out, '\'');
}

/* As options of fish's `complete`; the words of ASK stay in the order of the answer. Behind a tab
 * stands what a word is: nothing here, else each would have the words of its option. */
static const struct completion_form forms[COMPLETION_SOURCE_COUNT] = {
    [COMPLETION_NOTHING] = {"", "", NULL},
    [COMPLETION_FILE] = {" -F", "", NULL},
    [COMPLETION_DIR] = {" -a '(__fish_complete_directories)'", "", NULL},
    [COMPLETION_COMMAND] = {" -a '(__fish_complete_command)'", "", NULL},
    [COMPLETION_FIXED] = {" -a '", "\\t'", "\\t "},
    [COMPLETION_ASK] = {" -k -a '(__devs_ask ", ")'", NULL},
};

static void add_option(struct str *out, const char *command, const struct option_spec *spec)
{
    str_addf(out, "complete -c devs -n '__devs_at \"%s\"' -l %s", command, spec->name);
    if (spec->letter != '\0')
        str_addf(out, " -s %c", spec->letter);
    str_add(out, " -d ");
    add_quoted(out, spec->words);
    if (spec->metavar) {
        const struct completion_kind kind = completion_option_kind(command, spec);
        str_add(out, kind.source == COMPLETION_FILE ? " -r" : " -x");
        completion_add_kind(forms, kind, out);
    }
    str_add_char(out, '\n');
}

static void add_operand(struct str *out, const struct completion_command *command, size_t index)
{
    const struct completion_operand *operand = &command->operands[index];
    if (operand->kind.source == COMPLETION_NOTHING)
        return;
    str_addf(out, "complete -c devs -n '__devs_at %s %zu%s'", command->name, index + 1,
             operand->repeats ? "+" : "");
    completion_add_kind(forms, operand->kind, out);
    str_add_char(out, '\n');
}

/* For the function that counts operands: which options have a word behind them. */
static void add_values(struct str *out)
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
    add_values(out);
    str_add_n(out, completion_devs_fish, completion_devs_fish_len);
    str_add(out, "\ncomplete -c devs -f\n");
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        if (command.name[0] != '\0') {
            str_addf(out, "complete -c devs -n '__devs_at \"\" 1' -a %s -d ", command.name);
            add_quoted(out, command.words);
            str_add_char(out, '\n');
        }
        for (size_t j = 0; j < command.options.count; j++)
            add_option(out, command.name, &command.options.specs[j]);
        for (size_t j = 0; j < command.operand_count; j++)
            add_operand(out, &command, j);
    }
}
