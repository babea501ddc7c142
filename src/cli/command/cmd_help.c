/* cmd_help.c - devs help: lists the commands, and suggests one for an unknown name. */
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "command.h"
#include "fail.h"
#include "text.h"

enum { NAME_COLUMNS = 13 }; /* column width of names in the help */

static void print_commands(bool all)
{
    static const char *const titles[] = {
        [COMMAND_RUN] = "start",
        [COMMAND_LOOK] = "look at runs",
        [COMMAND_CONTROL] = "control a run",
        [COMMAND_RESULT] = "use the result",
        [COMMAND_PAST] = "examine past runs",
        [COMMAND_AGENT] = "work with agents",
        [COMMAND_JUDGE] = "judge output",
        [COMMAND_SETUP] = "set up",
    };
    static_assert(ARRAY_LEN(titles) == COMMAND_GROUP_COUNT, "every group has its title");
    enum command_group group = COMMAND_GROUP_COUNT;
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)); i++) {
        if (!all && !command->is_daily)
            continue;
        if (command->group != group)
            (void)printf("%s:\n", titles[command->group]);
        group = command->group;
        (void)printf("  %-*s %s\n", NAME_COLUMNS, command->name, command->words);
    }
}

static int print_help(bool all)
{
    (void)puts("devs - run coding agents and tests, retry by policy, explain why\n"
               "\n"
               "usage: devs [--db FILE]              the cockpit: the live run, else the newest\n"
               "       devs --on HOST[:DIR]          the cockpit for a log on another machine\n"
               "       devs COMMAND [options]        devs COMMAND --help has details\n");
    print_commands(all);
    if (!all) {
        (void)puts("\ndevs help all lists all commands, common options and exit codes");
        return EXIT_ALL_PASSED;
    }
    (void)puts(
        "\noptions for all commands: --db FILE (the run log), --theme NAME, --no-color,\n"
        "--ascii, --help; devs --version prints the version\n"
        "\ndevs --on HOST[:DIR] COMMAND runs status, why, log, runs, replay, retry, cancel,\n"
        "hold, release, correct, diff, verify or debug there");
    (void)puts("\nexit codes: 0 all passed, 1 something gave up or was cancelled, 2 usage or an\n"
               "invalid plan, 3 looping, 4 needs a person, 65 damaged log, 66 no such\n"
               "log, run or file, 69 an agent is not installed, 73 log or output cannot be\n"
               "written, 74 all passed but not recorded, 75 in use by another process, 130\n"
               "stopped by a person\n"
               "\ndevs exec exits as the last try of its command did: 128 + N after signal N,\n"
               "125 to 127 if nothing could be started, and 1 if it exited with 0 but a rule\n"
               "denied the success");
    return EXIT_ALL_PASSED;
}

/* Returns our equivalent of another program's command; NULL if there is none. */
static const char *known_elsewhere(const char *name)
{
    static const struct {
        const char *name, *here;
    } all[] = {
        {"version", "devs --version"},
        {"ps", "devs status"},
        {"show", "devs status"},
        {"ls", "devs runs"},
        {"list", "devs runs"},
        {"watch", "devs"},
        {"start", "devs run"},
        {"resume", "devs run --continue"},
        {"continue", "devs run --continue"},
        {"restart", "devs retry"},
        {"kill", "devs cancel"},
        {"stop", "devs cancel"},
        {"pause", "devs hold"},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        if (strcmp(all[i].name, name) == 0)
            return all[i].here;
    }
    return NULL;
}

int command_fail_unknown(const char *name)
{
    struct near_word near = near_word_new(name);
    const struct command *command = NULL;
    const char *here = known_elsewhere(name);
    if (here)
        return fail_usage("devs help all lists the commands",
                          "unknown command '%s', did you mean '%s'?", name, here);
    if (strcmp(name, "--db") == 0 || strcmp(name, "--theme") == 0 || strcmp(name, "--on") == 0)
        return fail_usage("devs help all lists the options for all commands", "%s needs a value",
                          name);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        near_word_offer(&near, command->name);
    if (name[0] != '-' && near.nearest)
        return fail_usage("devs help all lists the commands",
                          "unknown command '%s', did you mean '%s'?", name, near.nearest);
    return fail_usage("devs help all lists the commands", "unknown %s '%s'",
                      name[0] == '-' ? "option" : "command", name);
}

int cmd_help(struct globals *globals, int argc, char **argv)
{
    struct command_line line = {.max_operands = 1};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    const char *name = line.operands > 0 ? argv[0] : NULL;
    if (!name || strcmp(name, "all") == 0)
        return print_help(name != NULL);
    const struct command *topic = command_find(name);
    char word[] = "--help"; /* "devs help run" is "devs run --help" */
    char *words[] = {word, NULL};
    return topic ? command_run(topic, globals, 1, words) : command_fail_unknown(name);
}
