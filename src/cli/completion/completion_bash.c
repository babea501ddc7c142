/* completion_bash.c - completion for bash. */
#include "completion.h"
#include "completion_devs_bash.h"

/* A kind as one word, for the functions in assets/completions/devs.bash; a list is its name. */
static void add_kind(struct str *out, struct completion_kind kind)
{
    static const char *const words[COMPLETION_SOURCE_COUNT] = {
        [COMPLETION_NOTHING] = "-",       [COMPLETION_FILE] = "FILE", [COMPLETION_DIR] = "DIR",
        [COMPLETION_COMMAND] = "COMMAND", [COMPLETION_FIXED] = "",    [COMPLETION_ASK] = "@",
    };
    str_add(out, words[kind.source]);
    str_add(out, kind.list ? kind.list : "");
}

/* "--json --task=@task -j=-": behind those that take a value, what it is. */
static void add_option(struct str *out, const char *command, const struct option_spec *spec)
{
    struct str kind = {0};
    if (spec->metavar) {
        str_add_char(&kind, '=');
        add_kind(&kind, completion_option_kind(command, spec));
    }
    str_addf(out, " --%s%s", spec->name, str_text(&kind));
    if (spec->letter != '\0')
        str_addf(out, " -%c%s", spec->letter, str_text(&kind));
    str_done(&kind);
}

static void add_command(struct str *out, const struct completion_command *command)
{
    str_addf(out, "    '%s')\n        options='", command->name);
    for (size_t i = 0; i < command->options.count; i++)
        add_option(out, command->name, &command->options.specs[i]);
    str_add(out, "'\n        operands='");
    for (size_t i = 0; i < command->operand_count; i++) {
        str_add(out, i > 0 ? " " : "");
        add_kind(out, command->operands[i].kind);
        str_add(out, command->operands[i].repeats ? "+" : "");
    }
    str_addf(out, "'\n        stops=%s\n        ;;\n",
             command->options.rest_after_first ? "yes" : "");
}

static void add_lists(struct str *out)
{
    const char *name;
    str_add(out, "_devs_list() # NAME: its words\n{\n    case $1 in\n");
    for (size_t i = 0; (name = completion_list_at(i)); i++) {
        str_addf(out, "    %s) words='", name);
        (void)completion_list(name, out); /* it is there: its name is */
        str_add(out, "' ;;\n");
    }
    str_add(out, "    *) words= ;;\n    esac\n}\n");
}

void completion_bash(struct str *out)
{
    struct completion_command command;
    const struct command *named;
    str_add(out, "# How bash completes devs: what \"devs completion bash\" prints.\n"
                 "_devs_commands='");
    for (size_t i = 0; (named = command_at(i)); i++)
        str_addf(out, "%s%s", i > 0 ? " " : "", named->name);
    str_add(out, "'\n\n_devs_table() # COMMAND: its options and operands\n{\n    case $1 in\n");
    for (size_t i = 0; completion_command_at(i, &command); i++)
        add_command(out, &command);
    str_add(out, "    *) return 1 ;;\n    esac\n}\n\n");
    add_lists(out);
    str_add_n(out, completion_devs_bash, completion_devs_bash_len);
}
