/* cmd_classify.c - devs classify: the classifier as a filter of JSON lines. */
#include <limits.h>
#include <unistd.h>

#include "classify.h"
#include "clock.h"
#include "command.h"
#include "config.h"
#include "fail.h"
#include "row_feed.h"
#include "str.h"
#include "text_file.h"
#include "zone.h"

/* The settings and rules for judging rows. */
struct judge {
    struct config config; /* includes the agents */
    struct classifier *classifier;
};

static bool answer_row(void *ctx, const struct str *row, struct str *out, struct err *err)
{
    const struct judge *judge = ctx;
    const struct classify_edge edge = {.now_ms = clock_now().at_ms,
                                       .zone_offset = zone_offset,
                                       .adapters = judge->config.settings.agents};
    return classify_row(judge->classifier, row, &edge, out, err);
}

/* Combines the rules in force with those of the file, which replace rules of the same name. */
static bool add_rules(const char *in_force, const char *path, struct str *out, struct err *err)
{
    struct str text = {0};
    struct err why = {0};
    bool ok = read_text_input(path, RULE_LIST_BYTES_MAX, &text, &why) &&
              rule_list_add(in_force, str_text(&text), out, &why);
    if (!ok)
        ok = err_set(err, why.code, "%s: %s", path, why.message);
    str_done(&text);
    return ok;
}

/* Loads the rules that `devs exec` would use in this folder, and those of the file `path` unless it
 * is NULL. */
static int open_rules(const char *path, struct judge *out)
{
    char dir[PATH_MAX];
    struct err err = {0};
    struct str rules = {0};
    if (!getcwd(dir, sizeof(dir)))
        return fail_usage(NULL, "this folder no longer exists");
    int code = config_read(dir, CONFIG_LOOKS, &out->config);
    if (code != EXIT_ALL_PASSED)
        return code;
    const char *in_force = out->config.settings.rules;
    bool ok = !path || add_rules(in_force, path, &rules, &err);
    struct err why = {0};
    if (ok && !classifier_open(&out->classifier, path ? str_text(&rules) : in_force, &why))
        ok = err_set(&err, why.code, "%s: %s", path ? path : out->config.path, why.message);
    str_done(&rules);
    if (!ok)
        config_done(&out->config);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

int cmd_classify(struct globals *globals, int argc, char **argv)
{
    const char *rules = NULL;
    const struct option_spec specs[] = {
        {"rules", 0, "FILE",
         "a rule, or a JSON list of rules, in addition to those in devs.config.json", NULL, &rules},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = -1};
    struct judge judge = {0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    code = open_rules(rules, &judge);
    if (code != EXIT_ALL_PASSED)
        return code;
    const struct row_feed feed = {.command = "classify", .answer = answer_row, .ctx = &judge};
    code = row_feed_run(&feed, line.operands, argv);
    classifier_close(judge.classifier);
    config_done(&judge.config);
    return code;
}
