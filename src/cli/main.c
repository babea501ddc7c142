/* main.c - the command line: selects the command, and does the setup shared by all commands. */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "err.h"
#include "fail.h"
#include "program_find.h"
#include "str.h"
#include "text.h"
#include "version.h"

/* Skips options before the command's name, which every command accepts. */
static int skip_globals(struct globals *globals, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--db") == 0 && at + 1 < argc)
            globals->db = argv[++at];
        else if (strncmp(argv[at], "--db=", 5) == 0)
            globals->db = argv[at] + 5;
        else if (strcmp(argv[at], "--on") == 0 && at + 1 < argc)
            globals->on = argv[++at];
        else if (strncmp(argv[at], "--on=", 5) == 0)
            globals->on = argv[at] + 5;
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

static int dispatch_command(struct globals *globals, int argc, char **argv)
{
    int at = skip_globals(globals, argc, argv);
    if (globals->on && (at >= argc || argv[at][0] != '-'))
        return command_far(globals, argc - at, argv + at);
    if (at >= argc)
        return cmd_cockpit(globals, 0, argv + at);
    const char *name = argv[at];
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        (void)printf("devs %s\n", version_text());
        return EXIT_ALL_PASSED;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return command_run(command_find("help"), globals, 0, argv + at);
    const struct command *command = command_find(name);
    if (!command)
        return command_fail_unknown(name);
    return command_run(command, globals, argc - at - 1, argv + at + 1);
}

/* Reports output that could not be written, unless the reader has closed the pipe. Returns the exit
 * code of an otherwise successful command. */
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
        fd = open("/dev/null", O_RDWR); /* open() returns the lowest free descriptor */
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
