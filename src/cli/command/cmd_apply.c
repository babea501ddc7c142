/* cmd_apply.c - devs apply: applies the changes of a task to the user's tree. */

#include <string.h>

#include "attr.h"
#include "command.h"
#include "fail.h"
#include "target.h"

struct apply_options {
    bool check;
    bool json;
};

static void print_result(const struct result_target *value, const struct apply_options *options,
                         bool was_there)
{
    struct str text = {0};
    if (options->json) {
        result_target_json(value, &text);
        str_json_bool(&text, "applied", !options->check);
        str_json_bool(&text, "was_there", was_there);
        str_add(&text, "}\n");
    } else {
        str_addf(&text, "%s: ", value->target.task);
        if (value->changes.count == 0) {
            str_add(&text, "no changes to apply to");
        } else if (was_there) {
            str_add(&text, "already applied to");
        } else {
            result_target_sum(&value->changes, &text);
            str_addf(&text, "; %s", options->check ? "can be applied to" : "applied to");
        }
        str_addf(&text, " %s\n", str_text(&value->changes.origin));
    }
    if (options->json)
        say_json(text.data);
    else
        say(text.data);
    str_done(&text);
}

/* Returns whether the file affects what devs runs next. */
static bool is_governing(const char *path)
{
    static const char *const names[] = {"devs.config.json", "devs.project.json", "plan.json"};
    static const char plan_end[] = ".plan.json";
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const size_t len = strlen(name);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return len > strlen(plan_end) && strcmp(name + len - strlen(plan_end), plan_end) == 0;
}

int cmd_apply(struct globals *globals, int argc, char **argv)
{
    struct apply_options options = {0};
    const struct option_spec specs[] = {
        {"check", 0, NULL, "check whether the result can be applied, but change nothing",
         &options.check, NULL},
        {"json", 0, NULL, "print one JSON object", &options.json, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct subject subject;
    struct result_target value = {0};
    bool was_there = false;
    const enum workspace_apply what = options.check ? WORKSPACE_APPLY_CHECK : WORKSPACE_APPLY;
    bool ok = subject_open(&subject, globals->command, globals->db, argv[0], &err) &&
              result_target_open(&value, &subject, &err);
    const bool names_task = subject.target.task[0] != '\0';
    subject_close(&subject);
    ok = ok && workspace_result_apply(value.result, &value.changes, what, &was_there, &err);
    if (ok)
        print_result(&value, &options, was_there);
    /* the result comes from a task, and sandboxes do not protect these files */
    for (size_t i = 0; ok && !was_there && i < value.changes.count; i++) {
        if (is_governing(value.changes.items[i].path))
            warn("the result changes '%s', which controls what devs runs next: review it first",
                 value.changes.items[i].path);
    }
    result_target_done(&value);
    if (ok)
        return EXIT_ALL_PASSED;
    const int failed = fail(&err);
    return err.code == ERR_INVALID && names_task ? EXIT_GAVE_UP : failed;
}
