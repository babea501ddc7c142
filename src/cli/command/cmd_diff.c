/* cmd_diff.c - devs diff: shows what a task has changed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "command.h"
#include "fail.h"
#include "secrets.h"
#include "target.h"

struct diff_options {
    struct redactor *redactor; /* owned */
    bool stat;
    bool json;
};

/* Prints a line for each path, and the totals. */
static void print_stat(const struct workspace_changes *changes, const struct redactor *redactor)
{
    struct str text = {0};
    for (size_t i = 0; i < changes->count; i++) {
        const struct workspace_change *change = &changes->items[i];
        if (change->added >= 0)
            str_addf(&text, "%c %6" PRId64 " %6" PRId64 "  ", change->kind, change->added,
                     change->removed);
        else
            str_addf(&text, "%c %6s %6s  ", change->kind, "-", "-");
        for (const char *c = change->path; *c; c++)
            str_add_char(&text, *c == '\n' ? '?' : *c);
        str_add_char(&text, '\n');
    }
    result_target_sum(changes, &text);
    secrets_say(redactor, text.data);
    (void)putchar('\n');
    str_done(&text);
}

static void print_json(const struct result_target *value, bool with_text,
                       const struct redactor *redactor)
{
    struct str text = {0};
    result_target_json(value, &text);
    if (with_text) {
        str_json_key(&text, "diff");
        str_add_json(&text, str_text(&value->changes.text), value->changes.text.len);
    }
    str_add(&text, "}\n");
    char *cut = redact_string(redactor, text.data, NULL);
    say_json(cut);
    free(cut);
    str_done(&text);
}

/* Prints the result. A terminal gets clean text without secrets; a pipe gets the exact result, for
 * git apply. */
static void print_result(const struct result_target *value, const struct diff_options *options)
{
    const struct workspace_changes *changes = &value->changes;
    if (options->json)
        print_json(value, !options->stat, options->redactor);
    else if (options->stat)
        print_stat(changes, options->redactor);
    else if (isatty(STDOUT_FILENO))
        secrets_say(options->redactor, str_text(&changes->text));
    else
        (void)fwrite(str_text(&changes->text), 1, changes->text.len, stdout);
    if (!options->json && !changes->is_result)
        warn("%s has not passed: showing the current state of its workspace", value->target.task);
    if (!options->json && changes->why.len > 0)
        warn("%s", str_text(&changes->why));
}

int cmd_diff(struct globals *globals, int argc, char **argv)
{
    struct diff_options options = {0};
    const struct option_spec specs[] = {
        {"stat", 0, NULL, "print a line for each path: kind, lines added, lines removed",
         &options.stat, NULL},
        {"json", 0, NULL, "print one JSON object; with --stat, it does not include the diff itself",
         &options.json, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct subject subject;
    struct result_target value = {0};
    const bool ok = subject_open(&subject, globals->command, globals->db, argv[0], &err) &&
                    result_target_open(&value, &subject, &err);
    const int opened = ok ? secrets_of_run(value.run_dir, NULL, &options.redactor) : fail(&err);
    subject_close(&subject);
    if (opened == EXIT_ALL_PASSED)
        print_result(&value, &options);
    result_target_done(&value);
    redactor_close(options.redactor);
    return opened;
}
