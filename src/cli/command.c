/* command.c - parses options, prints help, and contains the table of commands.
 *
 * A command can list its options without running: then its parser fills globals->listing and
 * returns. Options may be anywhere before "--". */
#include "command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "appearance.h"
#include "err.h"
#include "fail.h"
#include "lines.h"

/* Parsing options, and printing them as help. */

/* Reads the option at argv[*at]. If its value is the next word, sets *at to the index of that word.
 * A repeatable option appends to its earlier values; any other option replaces its earlier
 * value. */
static bool read_option(const struct options *options, int argc, char **argv, int *at,
                        struct err *err)
{
    static const char dots[] = "...";
    const char *word = argv[*at];
    const bool is_long = word[1] == '-';
    const char *equals = is_long ? strchr(word, '=') : NULL;
    const size_t name_len = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    const struct option_spec *spec = NULL;
    for (size_t i = 0; !spec && i < options->count; i++) {
        const struct option_spec *known = &options->specs[i];
        bool is_named = known->letter == word[1];
        if (is_long)
            is_named =
                strlen(known->name) == name_len && strncmp(known->name, word + 2, name_len) == 0;
        if (is_named)
            spec = known;
    }
    const char *value = equals ? equals + 1 : NULL;
    if (!is_long && word[2] != '\0')
        value = word + 2;
    if (!spec || (spec->flag && value && !is_long))
        return err_set(err, ERR_INVALID, "unknown option '%s'", word);
    if (spec->flag) {
        if (value)
            return err_set(err, ERR_INVALID, "--%s takes no value", spec->name);
        *spec->flag = true;
        return true;
    }
    if (!value) {
        if (*at + 1 >= argc)
            return err_set(err, ERR_INVALID, "--%s needs %s", spec->name, spec->metavar);
        value = argv[++*at];
    }
    const size_t len = strlen(spec->metavar);
    const bool is_repeatable =
        len >= strlen(dots) && strcmp(spec->metavar + len - strlen(dots), dots) == 0;
    size_t count = 0;
    while (is_repeatable && spec->value[count])
        count++;
    if (count == OPTION_WORDS_MAX)
        return err_set(err, ERR_INVALID, "--%s is given more than %d times", spec->name,
                       OPTION_WORDS_MAX);
    spec->value[count] = value;
    return true;
}

bool options_parse(const struct options *options, int argc, char **argv, int *count_out,
                   struct err *err)
{
    int operands = 0;
    bool only_operands = false;
    for (int at = 0; at < argc; at++) {
        char *word = argv[at];
        /* "-1" is a number, because no option starts with a digit */
        const bool is_option =
            !only_operands && word[0] == '-' && word[1] != '\0' && (word[1] < '0' || word[1] > '9');
        if (is_option && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (is_option) {
            if (!read_option(options, argc, argv, &at, err))
                return false;
        } else {
            argv[operands++] = word;
            only_operands = only_operands || options->rest_after_first;
        }
    }
    *count_out = operands;
    return true;
}

enum { HELP_COLUMNS = 80, HELP_WORDS_AT = 27 };

/* Prints the text from column `at` on. Further lines begin in the column of the descriptions. */
static void print_words(const char *words, int at)
{
    size_t len = strlen(words);
    for (;;) {
        const size_t fit = line_wrap_fit(words, len, HELP_COLUMNS - at);
        size_t shown = fit;
        while (shown > 0 && words[shown - 1] == ' ')
            shown--;
        (void)printf("%.*s\n", (int)shown, words);
        words += fit;
        len -= fit;
        if (len == 0)
            return;
        at = printf("%*s", HELP_WORDS_AT, "");
    }
}

/* The commands. */

static const struct command commands[] = {
    {"init", "[FILE]", "write a commented starter plan", cmd_init, .group = COMMAND_RUN,
     .is_daily = true},
    {"run", "PLAN", "run a plan; --continue RUN runs the rest of an earlier run", cmd_run,
     .group = COMMAND_RUN, .is_daily = true},
    {"exec", "-- COMMAND [ARG...]", "run one command under the retry engine", cmd_exec,
     .group = COMMAND_RUN, .is_daily = true},

    {"status", "[RUN]", "show what each task of a run is doing", cmd_status, .group = COMMAND_LOOK,
     .is_daily = true, .needs = COMMAND_NEEDS_LOG, .is_far = true},
    {"why", "[RUN/]TASK", "explain why a try ended as it did, and what comes next", cmd_why,
     .group = COMMAND_LOOK, .is_daily = true, .needs = COMMAND_NEEDS_TASK, .is_far = true},
    {"log", "[RUN/]TASK", "print the output of a task", cmd_log, .group = COMMAND_LOOK,
     .is_daily = true, .needs = COMMAND_NEEDS_TASK, .is_far = true},
    {"replay", "[RUN...]", "play back past runs; in a pipe, print their records", cmd_replay,
     .group = COMMAND_LOOK, .is_daily = true, .is_far = true},
    {"runs", "", "list the runs in the log", cmd_runs, .group = COMMAND_LOOK,
     .needs = COMMAND_NEEDS_LOG, .is_far = true},
    {"hosts", "[RUN]", "show the machines that run the tasks of a run", cmd_hosts,
     .group = COMMAND_LOOK, .needs = COMMAND_NEEDS_LOG, .is_far = true},
    {"costs", "", "sum up what agents have used, by day, run, task, agent or model", cmd_costs,
     .group = COMMAND_LOOK, .needs = COMMAND_NEEDS_LOG, .is_far = true},

    {"retry", "RUN[/TASK]", "try again now; an ended run continues without a terminal", cmd_retry,
     .group = COMMAND_CONTROL, .is_daily = true, .needs = COMMAND_NEEDS_RUN, .writes = true,
     .is_far = true},
    {"cancel", "RUN[/TASK]", "stop a run or a task", cmd_cancel, .group = COMMAND_CONTROL,
     .is_daily = true, .needs = COMMAND_NEEDS_RUN, .writes = true, .is_far = true},
    {"hold", "RUN[/TASK]", "start no new tries", cmd_hold, .group = COMMAND_CONTROL,
     .needs = COMMAND_NEEDS_RUN, .writes = true, .is_far = true},
    {"release", "RUN[/TASK]", "release a held run or task", cmd_release, .group = COMMAND_CONTROL,
     .needs = COMMAND_NEEDS_RUN, .writes = true, .is_far = true},
    {"correct", "[RUN/]TASK CLASS", "correct a try's class; the original verdict is kept",
     cmd_correct, .group = COMMAND_CONTROL, .needs = COMMAND_NEEDS_RUN, .writes = true,
     .is_far = true},

    {"diff", "[RUN/]TASK", "show what a task changed in its workspace", cmd_diff,
     .group = COMMAND_RESULT, .is_daily = true, .needs = COMMAND_NEEDS_TASK, .is_far = true},
    {"apply", "[RUN/]TASK", "apply a task's result to your tree", cmd_apply,
     .group = COMMAND_RESULT, .is_daily = true, .needs = COMMAND_NEEDS_TASK, .writes = true},

    {"verify", "[RUN...]", "recompute every decision and verdict; exit with 3 if any differ",
     cmd_verify, .group = COMMAND_PAST, .is_far = true},
    {"what-if", "POLICY.json [RUN...]", "show what other policies would have decided", cmd_what_if,
     .group = COMMAND_PAST},
    {"debug", "--MODE [RUN...]", "compare tries, print evidence, keep bookmarks, and more",
     cmd_debug, .group = COMMAND_PAST, .is_far = true},
    {"export", "RUN --format F", "write a run to a file: records, trace, bundle or recording",
     cmd_export, .group = COMMAND_PAST},
    {"import", "FILE...", "import recorded agent sessions as runs", cmd_import,
     .group = COMMAND_PAST},
    {"collect", "HOST[:DIR]...", "copy the runs of logs on other machines into this one",
     cmd_collect, .group = COMMAND_PAST},

    {"plan", "--from FILE", "make a plan of a check list or of exported issues", cmd_plan,
     .group = COMMAND_AGENT},
    {"new-project", "IDEA", "ask an agent to split an idea into phases (IDEA -: from stdin)",
     cmd_new_project, .group = COMMAND_AGENT},
    {"plan-phase", "N", "ask an agent for a plan of phase N", cmd_plan_phase,
     .group = COMMAND_AGENT},
    {"execute-phase", "N", "run the plan of phase N", cmd_execute_phase, .group = COMMAND_AGENT},
    {"agents", "[FILE]", "list agents; --try NAME shows which rule matches each line", cmd_agents,
     .group = COMMAND_AGENT},
    {"mcp", "", "serve tools to a coding agent (MCP on stdin and stdout)", cmd_mcp,
     .group = COMMAND_AGENT},
    {"hook", "[install|uninstall|status]", "record what an agent does; called by the agent's hooks",
     cmd_hook, .group = COMMAND_AGENT},

    {"classify", "[FILE...]", "classify failures, JSON lines in and out; exit 2: invalid line",
     cmd_classify, .group = COMMAND_JUDGE},
    {"entropy", "[FILE...]", "detect trajectories that loop, JSON lines in and out", cmd_entropy,
     .group = COMMAND_JUDGE},
    {"rules", "", "list the rules; try a new one on all recorded tries, or add it", cmd_rules,
     .group = COMMAND_JUDGE},
    {"validate", "--contract FILE [FILE|-]", "check whether an output matches its contract",
     cmd_validate, .group = COMMAND_JUDGE},

    {"doctor", "[PLAN]", "check what works on this machine, or on the hosts of executors",
     cmd_doctor, .group = COMMAND_SETUP},
    {"trust", "[PATH]", "trust a project's settings; --dry-run, --list, --revoke", cmd_trust,
     .group = COMMAND_SETUP},
    {"gc", "[RUN...]", "clean up after dead runs, and remove past runs from the log", cmd_gc,
     .group = COMMAND_SETUP},
    {"keys", "", "print the cockpit's keys", cmd_keys, .group = COMMAND_SETUP},
    {"completion", "bash|zsh|fish", "print the completion script for a shell", cmd_completion,
     .group = COMMAND_SETUP},
    {"feed", "[DIR]", "send a log to devs --on or devs collect on another machine", cmd_feed,
     .group = COMMAND_SETUP},
    {"help", "[NAME|all]", "list the common commands, or all; show the help of one", cmd_help,
     .group = COMMAND_SETUP},
};

const struct command *command_at(size_t index)
{
    return index < ARRAY_LEN(commands) ? &commands[index] : NULL;
}

const struct command *command_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

int command_run(const struct command *command, struct globals *globals, int argc, char **argv)
{
    globals->command = command;
    return command->run(globals, argc, argv);
}

/* Prints the usage, a line for each option, and the additional text of line->print_more(). */
static void print_help(const struct command *command, const struct command_line *line,
                       const struct options *options)
{
    (void)printf("usage: devs %s [options]%s%s\n%s\n\n", command->name,
                 command->usage[0] != '\0' ? " " : "", command->usage, command->words);
    for (size_t i = 0; i < options->count; i++) {
        const struct option_spec *spec = &options->specs[i];
        char left[40];
        char letter[5] = "    ";
        if (spec->letter != '\0')
            (void)snprintf(letter, sizeof(letter), "-%c, ", spec->letter);
        (void)snprintf(left, sizeof(left), "%s--%s%s%s", letter, spec->name,
                       spec->metavar ? " " : "", spec->metavar ? spec->metavar : "");
        print_words(spec->words, printf("  %-*s ", HELP_WORDS_AT - 3, left));
    }
    if (line->print_more)
        line->print_more();
}

static int refuse_line(const struct globals *globals, const struct command_line *line,
                       const struct err *err)
{
    if (!line->is_of_hook)
        return fail(err);
    warn("%s: %s", globals->command->name, err->message);
    return EXIT_ALL_PASSED;
}

/* Lists the options. The pointers of the shared options belong to this invocation, so the listing
 * omits them. */
static void fill_listing(const struct command_line *line, const struct options *options,
                         struct command_listing *out)
{
    assert(options->count <= COMMAND_SPECS_MAX);
    *out = (struct command_listing){.count = options->count,
                                    .rest_after_first = line->rest_after_first};
    for (size_t i = 0; i < options->count; i++) {
        out->specs[i] = options->specs[i];
        out->specs[i].flag = NULL;
        out->specs[i].value = NULL;
    }
}

void command_list(const struct command *command, struct command_listing *out)
{
    struct globals globals = {.listing = out};
    const int code = command_run(command, &globals, 0, NULL);
    assert(code == EXIT_ALL_PASSED && out->count >= COMMAND_GLOBAL_SPECS);
    (void)code;
}

int command_parse(struct globals *globals, struct command_line *line, int argc, char **argv)
{
    const struct command *command = globals->command;
    bool help = false;
    struct option_spec specs[COMMAND_SPECS_MAX] = {
        {"db", 0, "FILE", "the run log (default: DEVS_DB, else .devs/devs.db)", NULL, &globals->db},
        {"ascii", 0, NULL, "draw with ASCII only", &globals->ascii, NULL},
        {"no-color", 0, NULL, "no colors (NO_COLOR does the same)", &globals->no_color, NULL},
        {"theme", 0, "NAME", "colors: auto, dark, light, mono, contrast, cb, FILE", NULL,
         &globals->theme},
        {"help", 'h', NULL, "show this help", &help, NULL},
    };
    for (size_t i = 0; i < line->spec_count; i++)
        specs[COMMAND_GLOBAL_SPECS + i] = line->specs[i];
    struct options options = {.specs = specs,
                              .count = COMMAND_GLOBAL_SPECS + line->spec_count,
                              .rest_after_first = line->rest_after_first};
    struct err err = {0};
    line->done = true;
    if (globals->listing) {
        fill_listing(line, &options, globals->listing);
        return EXIT_ALL_PASSED;
    }
    if (!options_parse(&options, argc, argv, &line->operands, &err)) {
        (void)err_hint(&err, "see devs %s --help", command->name);
        return refuse_line(globals, line, &err);
    }
    struct theme theme;
    if (globals->theme && !appearance_theme(globals, NULL, &theme, &err))
        return refuse_line(globals, line, &err);
    if (help) {
        print_help(command, line, &options);
        return EXIT_ALL_PASSED;
    }
    if (line->operands < line->min_operands)
        (void)err_set(&err, ERR_INVALID, "%s: missing argument: devs %s %s", command->name,
                      command->name, command->usage);
    else if (line->max_operands >= 0 && line->operands > line->max_operands)
        (void)err_set(&err, ERR_INVALID, "%s: unexpected argument '%s'", command->name,
                      argv[line->max_operands]);
    if (err.code != ERR_NONE) {
        (void)err_hint(&err, "see devs %s --help", command->name);
        return refuse_line(globals, line, &err);
    }
    line->done = false;
    return EXIT_ALL_PASSED;
}
