/* cmd_completion.c - devs completion: prints the completion files of the shells, and the words that
 * they ask for. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "completion.h"
#include "fail.h"

static const struct shell {
    const char *name;
    void (*write)(struct str *out);
} shells[] = {
    {"bash", completion_bash},
    {"zsh", completion_zsh},
    {"fish", completion_fish},
};

static int print_for(const char *name)
{
    const struct shell *shell = NULL;
    for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
        if (strcmp(shells[i].name, name) == 0)
            shell = &shells[i];
    }
    if (!shell)
        return fail_usage("use devs completion bash, zsh or fish", "completion: unknown shell '%s'",
                          name);
    struct str text = {0};
    shell->write(&text);
    (void)fputs(str_text(&text), stdout);
    str_done(&text);
    return EXIT_ALL_PASSED;
}

static void print_more(void)
{
    (void)puts("\nfor the current shell only:\n"
               "  bash   eval \"$(devs completion bash)\"\n"
               "  zsh    source <(devs completion zsh)      (after compinit)\n"
               "  fish   devs completion fish | source\n"
               "make install and the packages put the scripts where shells find them");
}

int cmd_completion(struct globals *globals, int argc, char **argv)
{
    const char *list = NULL;
    const struct option_spec specs[] = {
        {"list", 0, "LIST",
         "for the scripts: print the runs, tasks, ... that complete the last of the following "
         "words; print nothing without a log",
         NULL, &list},
    };
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = -1,
                                .print_more = print_more};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    const char *word = line.operands > 0 ? argv[0] : NULL;
    const struct completion_question question = {.globals = globals,
                                                 .list = list,
                                                 .prefix = word ? word : "",
                                                 .words = argv + (word ? 1 : 0),
                                                 .word_count =
                                                     word ? (size_t)line.operands - 1 : 0};
    if (list) {
        struct str text = {0};
        if (!completion_ask(&question, &text))
            return fail_usage(
                "use run, unfinished, task, target, run_task, policy, agent or plan_task",
                "completion: unknown list '%s'", list);
        (void)fputs(str_text(&text), stdout);
        str_done(&text);
        return EXIT_ALL_PASSED;
    }
    if (line.operands > 1)
        return fail_usage("use devs completion bash, zsh or fish",
                          "completion: unexpected argument '%s'", argv[1]);
    return word ? print_for(word)
                : fail_usage("use devs completion bash, zsh or fish", "completion: missing shell");
}
