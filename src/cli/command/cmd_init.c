/* cmd_init.c - devs init: writes a starter plan. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "fail.h"
#include "place.h"
#include "starter_plan.h"

enum { PLAN_MODE = 0644 };

static bool write_plan(const char *path, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, PLAN_MODE);
    if (fd < 0 && errno == EEXIST) {
        (void)err_set(err, ERR_INVALID, "'%s' already exists", path);
        return err_hint(err, "devs init OTHER.json writes a different file");
    }
    if (fd < 0)
        return err_set_errno(err, errno, "cannot write '%s'", path);
    size_t at = 0;
    while (at < starter_plan_len) {
        ssize_t put = write(fd, starter_plan + at, starter_plan_len - at);
        if (put <= 0)
            break;
        at += (size_t)put;
    }
    int number = errno;
    bool ok = close(fd) == 0 && at == starter_plan_len;
    return ok || err_set_errno(err, number, "cannot write '%s'", path);
}

int cmd_init(struct globals *globals, int argc, char **argv)
{
    struct command_line line = {.max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    const char *path = line.operands > 0 ? argv[0] : "plan.json";
    struct err err = {0};
    struct place place;
    if (!write_plan(path, &err))
        return fail(&err);
    if (!place_find(globals->db, true, &place, &err))
        return fail(&err);
    sayf("wrote %s\nthe run log will be %s\nnext: devs run %s\n", path, place.db, path);
    return EXIT_ALL_PASSED;
}
