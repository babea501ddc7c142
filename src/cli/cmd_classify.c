#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "classify.h"
#include "classify_row.h"
#include "clock.h"
#include "command.h"
#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "read_text.h"
#include "row_feed.h"
#include "rule_list.h"
#include "str.h"
#include "zone.h"

static bool answer(void *ctx, const struct str *row, struct str *out, struct err *err)
{
    const struct classify_edge edge = {.now_ms = clock_now().at_ms, .zone_offset = zone_offset};
    return classify_row(ctx, row, &edge, out, err);
}

/* The rules in force with those of the file, which take the place of their namesakes. */
static bool add_rules(const char *in_force, const char *path, struct str *out, struct err *err)
{
    struct str text = {0};
    struct err why = {0};
    FILE *file = fopen(path, "re");
    if (!file)
        return err_set_errno(err, errno, "%s", path);
    bool ok = read_text(file, RULE_LIST_BYTES_MAX, &text, &why) &&
              rule_list_add(in_force, str_text(&text), out, &why);
    if (!ok)
        ok = err_set(err, why.code, "%s: %s", path, why.message);
    (void)fclose(file); /* only read */
    str_done(&text);
    return ok;
}

/* As `devs exec` judges here, and by the rules of the file. */
static int open_rules(const char *path, struct classifier **out)
{
    char dir[PATH_MAX];
    struct config config;
    struct err err = {0};
    struct str rules = {0};
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder is not there any more");
    int code = config_read(dir, &config);
    if (code != EXIT_ALL_PASSED)
        return code;
    bool ok = !path || add_rules(config.settings.rules, path, &rules, &err);
    struct err why = {0};
    if (ok && !classifier_open(out, path ? str_text(&rules) : config.settings.rules, &why))
        ok = err_set(&err, why.code, "%s: %s", path ? path : config.path, why.message);
    str_done(&rules);
    config_done(&config);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

int cmd_classify(struct globals *globals, int argc, char **argv)
{
    const char *rules = NULL;
    const struct option_spec specs[] = {
        {"rules", 0, "FILE", "rules beside those of devs.config.json: one, or a JSON list", NULL,
         &rules},
    };
    struct command_line line = {
        .name = "classify", .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = -1};
    struct classifier *classifier = NULL;
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    code = open_rules(rules, &classifier);
    if (code != EXIT_ALL_PASSED)
        return code;
    const struct row_feed feed = {.command = "classify", .answer = answer, .ctx = classifier};
    code = row_feed_run(&feed, line.operands, argv);
    classifier_close(classifier);
    return code;
}
