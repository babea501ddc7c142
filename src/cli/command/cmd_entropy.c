/* cmd_entropy.c - devs entropy: loop detection as a filter of JSON lines. */
#include <stddef.h>

#include "command.h"
#include "entropy.h"
#include "fail.h"
#include "row_feed.h"
#include "str.h"
#include "text_file.h"

enum { LIMITS_BYTES_MAX = 1024 * 1024 };

static bool answer_row(void *ctx, const struct str *row, struct str *out, struct err *err)
{
    return entropy_row(ctx, row, out, err);
}

static bool read_limits(const char *path, struct entropy_limits *limits, struct err *err)
{
    struct str text = {0};
    struct err why = {0};
    bool ok = read_text_input(path, LIMITS_BYTES_MAX, &text, &why) &&
              entropy_limits_parse(limits, str_text(&text), &why);
    if (!ok)
        ok = err_set(err, why.code, "%s: %s", path, why.message);
    str_done(&text);
    return ok;
}

int cmd_entropy(struct globals *globals, int argc, char **argv)
{
    const char *path = NULL;
    const struct option_spec specs[] = {
        {"limits", 0, "FILE", "thresholds as JSON: a preset name in quotes, or an object", NULL,
         &path},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = -1};
    struct entropy_limits limits = entropy_limits_new();
    struct err err = {0};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (path && !read_limits(path, &limits, &err))
        return fail(&err);
    const struct row_feed feed = {.command = "entropy", .answer = answer_row, .ctx = &limits};
    return row_feed_run(&feed, line.operands, argv);
}
