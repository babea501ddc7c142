/* cmd_feed.c - devs feed: the other side of devs --on and devs collect. */
#include <errno.h>
#include <unistd.h>

#include "command.h"
#include "fail.h"
#include "far.h"

int cmd_feed(struct globals *globals, int argc, char **argv)
{
    struct command_line line = {.max_operands = 1};
    struct err err = {0};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO))
        return fail_usage("use devs --on HOST[:DIR] on another machine",
                          "devs feed is for other programs, not for a terminal");
    if (line.operands == 1 && chdir(argv[0]) != 0) {
        (void)err_set_errno(&err, errno, "'%s'", argv[0]);
        return fail(&err);
    }
    return far_serve(globals->db);
}
