/* main.c - the command line: selects the command, and does the setup shared by all commands. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attr.h"
#include "command.h"
#include "err.h"
#include "fail.h"
#include "program_find.h"
#include "str.h"
#include "text.h"
#include "version.h"

enum { NAME_COLUMNS = 13 }; /* column width of names in the help */

static int print_help(void)
{
    (void)puts("devs - run coding agents and tests, retry by policy, explain why\n"
               "\n"
               "usage: devs [--db FILE]              the cockpit: the live run, else the newest\n"
               "       devs COMMAND [options]        devs COMMAND --help has details\n");
    const struct command *command = NULL;
    for (size_t i = 0; (command = command_at(i)); i++)
        (void)printf("  %-*s %s\n", NAME_COLUMNS, command->name, command->words);
    (void)puts("\noptions for all commands: --db FILE (the run log), --theme NAME, --no-color,\n"
               "--ascii, --help; devs --version prints the version");
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

/* Skips options before the command's name, which every command accepts. */
static int skip_globals(struct globals *globals, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--db") == 0 && at + 1 < argc)
            globals->db = argv[++at];
        else if (strncmp(argv[at], "--db=", 5) == 0)
            globals->db = argv[at] + 5;
        else if (strcmp(argv[at], "--ascii") == 0)
            globals->ascii = true;
        else if (strcmp(argv[at], "--no-color") == 0)
            globals->no_color = true;
        else if (strcmp(argv[at], "--theme") == 0 && at + 1 < argc)
            globals->theme = argv[++at];
        else if (strncmp(argv[at], "--theme=", 8) == 0)
            globals->theme = argv[at] + 8;
        else
            break;
    }
    return at;
}

/* Returns our equivalent of a command of other programs; NULL if there is none. */
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
        {"replay", "devs debug --logs"},
        {"watch", "devs"},
        {"start", "devs run"},
        {"resume", "devs run --continue"},
        {"continue", "devs run --continue"},
        {"restart", "devs retry"},
        {"kill", "devs cancel"},
        {"stop", "devs cancel"},
        {"pause", "devs hold"},
        {"verify", "devs debug --verify"},
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        if (strcmp(all[i].name, name) == 0)
            return all[i].here;
    }
    return NULL;
}

static int fail_unknown(const char *name)
{
    struct near_word near = near_word_new(name);
    const struct command *command = NULL;
    const char *here = known_elsewhere(name);
    if (here)
        return fail_usage("devs --help lists the commands",
                          "unknown command '%s', did you mean '%s'?", name, here);
    if (strcmp(name, "--db") == 0 || strcmp(name, "--theme") == 0)
        return fail_usage("devs --help lists the options for all commands", "%s needs a value",
                          name);
    for (size_t i = 0; (command = command_at(i)) != NULL; i++)
        near_word_offer(&near, command->name);
    if (name[0] != '-' && near.nearest)
        return fail_usage("devs --help lists the commands",
                          "unknown command '%s', did you mean '%s'?", name, near.nearest);
    return fail_usage("devs --help lists the commands", "unknown %s '%s'",
                      name[0] == '-' ? "option" : "command", name);
}

static int dispatch_command(struct globals *globals, int argc, char **argv)
{
    int at = skip_globals(globals, argc, argv);
    if (at >= argc)
        return cmd_cockpit(globals, 0, argv + at);
    const char *name = argv[at];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        (void)printf("devs %s\n", version_text());
        return EXIT_ALL_PASSED;
    }
    if (strcmp(name, "help") == 0 && at + 1 < argc) { /* "devs help run" is "devs run --help" */
        char word[] = "--help";
        char *words[] = {word, NULL};
        const struct command *topic = command_find(argv[at + 1]);
        return topic ? command_run(topic, globals, 1, words) : fail_unknown(argv[at + 1]);
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return print_help();
    const struct command *command = command_find(name);
    if (!command)
        return fail_unknown(name);
    return command_run(command, globals, argc - at - 1, argv + at + 1);
}

/* Reports output that could not be written, unless its reader is gone. Returns the exit code of
 * an otherwise successful command. */
static int flush_stdout(void)
{
    struct err err = {0};
    const int why = fflush(stdout) == 0 ? 0 : errno;
    if (why == 0 && !ferror(stdout))
        return EXIT_ALL_PASSED;
    /* A write larger than the buffer fails without saying why, but poll() shows whether a pipe
     * still has a reader. */
    struct pollfd out = {.fd = STDOUT_FILENO};
    if (why == EPIPE || (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP)) != 0))
        return EXIT_GAVE_UP;
    if (why != 0)
        (void)err_set_errno(&err, why, "stdout");
    else
        (void)err_set(&err, ERR_IO, "stdout: some output could not be written");
    return fail(&err);
}

int main(int argc, char **argv)
{
    /* if a standard stream were closed, the next file we open would get its number */
    int fd = 0;
    while (fd <= STDERR_FILENO && fd >= 0)
        fd = open("/dev/null", O_RDWR); /* the lowest free one */
    if (fd > STDERR_FILENO)
        (void)close(fd);
    (void)setlocale(LC_CTYPE, "");  /* keep LC_NUMERIC: JSON needs a decimal point */
    (void)signal(SIGPIPE, SIG_IGN); /* writing to a closed pipe must fail, not kill us */

    program_avoid(".");
    struct str line = {0};
    shell_words_add(argv, argc, &line);
    struct globals globals = {.command_line = str_text(&line)};
    int code = dispatch_command(&globals, argc, argv);
    const int lost = flush_stdout();
    code = code == EXIT_ALL_PASSED ? lost : code;
    str_done(&line);
    return code;
}
