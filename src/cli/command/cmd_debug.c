/*
 * cmd_debug.c - devs debug inspects a recorded run, in one of several modes. Three of the modes are
 * commands of their own, with the same options: devs replay, devs verify and devs what-if.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "command.h"
#include "debug_mode.h"
#include "err.h"
#include "fail.h"
#include "lnav_format.h"

/* Prints the description of our records for lnav -i. */
static int run_lnav_format(const struct debug_call *call)
{
    (void)call;
    (void)fwrite(lnav_format, 1, lnav_format_len, stdout);
    return EXIT_ALL_PASSED;
}

struct debug_mode {
    const char *name;               /* the option that selects this mode */
    const char *options;            /* other options allowed in this mode, separated by blanks */
    const char *usage;              /* the whole command, shown after an error */
    int min_operands, max_operands; /* max -1 = any number */
    int (*run)(const struct debug_call *call);
};

/* If several modes are given, the first one in this table wins, and the others must be among its
 * options. */
static const struct debug_mode modes[] = {
    {"frame", "logs at view replay svg task",
     "devs replay [RUN] --frame 80x24 [--at TIME] [--view V] [--svg]", 0, 1, debug_frame},
    {"forensics", "try step json", "devs debug --forensics [RUN/]TASK [--try N] [--step N]", 1, 1,
     debug_forensics},
    {"what-if", "json", "devs what-if POLICY.json [RUN...|all] [--json]", 0, -1, debug_what_if},
    {"diff", "step json", "devs debug --diff [RUN/]TASK#1 3 [--step N], or --diff RUN RUN [--json]",
     1, 2, debug_diff},
    {"verify", "json rules", "devs verify [RUN...|FILE] [--rules] [--json]", 0, -1, debug_verify},
    {"retries", "json", "devs debug --retries [RUN...|FILE] [--json]", 0, -1, debug_retries},
    {"mark", "at name json", "devs debug --mark [RUN] [--at TIME] [--name TEXT]", 0, 1, debug_mark},
    {"marks", "json", "devs debug --marks [RUN]", 0, 1, debug_marks},
    {"unmark", "", "devs debug --unmark N", 0, 1, debug_unmark},
    {"lnav-format", "", "devs debug --lnav-format >devs_log.json && lnav -i devs_log.json", 0, 0,
     run_lnav_format},
    {"logs", "plain json task kind level since until grep follow at view",
     "devs replay [RUN...|FILE|all] [--at TIME] [--plain|--json] ...", 0, -1, debug_records},
};

static void debug_mode_help(void)
{
    (void)puts("\nusage by mode:");
    for (size_t i = 0; i < ARRAY_LEN(modes); i++)
        (void)printf("  %s\n", modes[i].usage);
    (void)puts("\n--logs, --verify and --what-if FILE do the same as devs replay, devs\n"
               "verify and devs what-if FILE, which are preferred.");
}

/* All options and their values. */
struct debug_options {
    const struct option_spec *specs;
    size_t count;
    const struct debug_words *words;
};

static bool is_option_given(const struct option_spec *spec)
{
    return spec->flag ? *spec->flag : *spec->value != NULL;
}

/* Returns the mode, or NULL if none is given. --plain or --json alone means --logs, the last row;
 * devs replay sets words->logs. */
static const struct debug_mode *find_mode(const struct debug_options *options)
{
    for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
        for (size_t j = 0; j < options->count; j++) {
            const struct option_spec *spec = &options->specs[j];
            if (strcmp(spec->name, modes[i].name) == 0 && is_option_given(spec))
                return &modes[i];
        }
    }
    const struct debug_words *words = options->words;
    const bool is_logs = words->logs || words->plain || words->json;
    return is_logs ? &modes[ARRAY_LEN(modes) - 1] : NULL;
}

/* Returns whether `list` contains the word `name`. */
static bool has_word(const char *list, const char *name)
{
    const size_t len = strlen(name);
    for (const char *word = list; *word; word += strspn(word, " ")) {
        size_t word_len = strcspn(word, " ");
        if (word_len == len && strncmp(word, name, len) == 0)
            return true;
        word += word_len;
    }
    return false;
}

/* Prints an error, with the usage of the mode as the hint. Returns EXIT_USAGE. */
ATTR_PRINTF(2, 3) static int fail_mode(const struct debug_mode *mode, const char *fmt, ...)
{
    char message[ERR_MESSAGE_MAX];
    char hint[ERR_HINT_MAX];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    (void)snprintf(hint, sizeof(hint), "use %s", mode->usage);
    return fail_usage(hint, "%s", message);
}

/* Rejects an option that has no meaning in this mode. The hint is the usage of the first mode that
 * allows it. */
static int refuse_mix(const struct debug_options *options, const struct debug_mode *mode,
                      const char *name)
{
    for (size_t i = 0; i < options->count; i++) {
        const struct option_spec *spec = &options->specs[i];
        if (!is_option_given(spec) || strcmp(spec->name, mode->name) == 0 ||
            has_word(mode->options, spec->name))
            continue;
        const struct debug_mode *other = NULL;
        for (size_t j = 0; !other && j < ARRAY_LEN(modes); j++)
            other = has_word(modes[j].options, spec->name) ? &modes[j] : NULL;
        return fail_mode(other ? other : mode, "%s: --%s cannot be used here", name, spec->name);
    }
    return EXIT_ALL_PASSED;
}

/* Rejects a command without a mode, and suggests the mode that shows the run or task in
 * question. */
static int refuse_no_mode(const struct debug_call *call)
{
    char hint[160];
    if (call->operand_count == 0)
        return fail_usage("devs debug --help lists the modes",
                          "debug: missing --forensics, --diff or another mode");
    const char *word = call->operands[0];
    const bool is_task = word[strspn(word, "0123456789")] != '\0' && strcmp(word, "all") != 0;
    (void)snprintf(hint, sizeof(hint), "use devs %s %.60s; devs debug --help lists the other modes",
                   is_task ? "debug --forensics" : "replay", word);
    return fail_usage(hint, "debug: '%.60s' needs --forensics, --diff or another mode", word);
}

/* Runs the mode. Messages name its option, or only the command if the command itself selects the
 * mode. */
static int run_mode(const struct debug_mode *mode, const struct debug_options *options,
                    struct debug_call *call)
{
    char name[32];
    const char *command = call->globals->command->name;
    bool is_option = false;
    for (size_t i = 0; i < options->count; i++)
        is_option = is_option || strcmp(options->specs[i].name, mode->name) == 0;
    (void)snprintf(name, sizeof(name), is_option ? "%s --%s" : "%s", command, mode->name);
    call->name = name;
    const int code = refuse_mix(options, mode, name);
    if (code != EXIT_ALL_PASSED)
        return code;
    if (call->operand_count < mode->min_operands)
        return fail_mode(mode, "%s: missing task", name);
    if (mode->max_operands >= 0 && call->operand_count > mode->max_operands)
        return fail_mode(mode, "%s: unexpected argument '%s'", name,
                         call->operands[mode->max_operands]);
    return mode->run(call);
}

enum { REPLAY_SPECS = 13, DEBUG_SPECS_MAX = 32 };

/* Lists the options of devs replay except --json, which devs debug describes differently. */
static void list_replay_options(struct debug_words *words, struct option_spec out[REPLAY_SPECS])
{
    const struct option_spec specs[] = {
        {"plain", 0, NULL, "print a line for each record", &words->plain, NULL},
        {"task", 0, "T...", "only records of these tasks; with --frame, the selected task", NULL,
         words->record.tasks.words},
        {"kind", 0, "K...", "only records of this kind: wait_started, step_ended, ...", NULL,
         words->record.kinds.words},
        {"level", 0, "L",
         "most detailed level to print: error, info or debug (default; with hashes if given)", NULL,
         &words->record.level},
        {"since", 0, "TIME", "only records from this time on (see --at for the format)", NULL,
         &words->record.since},
        {"until", 0, "TIME", "only records up to this time", NULL, &words->record.until},
        {"grep", 0, "PATTERN", "only records whose text matches this regular expression (PCRE2)",
         NULL, &words->record.grep},
        {"follow", 'f', NULL, "keep printing until the run ends", &words->follow, NULL},
        {"at", 0, "TIME", "moment to show: 14:00:31, -2m, #211 (a record), 'T try 2', start, end",
         NULL, &words->frame.at},
        {"view", 0, "V",
         "view to show: tasks (default), detail, log, forensics, timeline, runs or hosts", NULL,
         &words->frame.view},
        {"frame", 0, "CxR", "print one frame of the cockpit as text, in this size", NULL,
         &words->frame.size},
        {"replay", 0, NULL, "draw the frame as in a replay, with its records", &words->frame.replay,
         NULL},
        {"svg", 0, NULL, "print the frame as an SVG picture", &words->frame.svg, NULL},
    };
    static_assert(ARRAY_LEN(specs) == REPLAY_SPECS, "room for each");
    memcpy(out, specs, sizeof(specs));
}

static size_t list_debug_options(struct debug_words *words, struct option_spec out[DEBUG_SPECS_MAX])
{
    const struct option_spec specs[] = {
        {"logs", 0, NULL, "the same as devs replay", &words->logs, NULL},
        {"verify", 0, NULL, "the same as devs verify", &words->verify, NULL},
        {"rules", 0, NULL,
         "with --verify: exit with 3 also if the current rules give different verdicts",
         &words->rules, NULL},
        {"what-if", 0, "FILE", "the same as devs what-if FILE", NULL, &words->what_if},
        {"forensics", 0, NULL, "show the diagnostics captured when [RUN/]TASK ended",
         &words->forensics, NULL},
        {"try", 0, "N", "number of the try (default: the latest that failed)", NULL,
         &words->attempt.try},
        {"step", 0, "N", "number of the step, from 1 (default: any)", NULL, &words->attempt.step},
        {"diff", 0, NULL,
         "compare two tries: [RUN/]TASK#1 and 3, or [RUN/]TASK#3 and the previous one; or two RUNs",
         &words->diff, NULL},
        {"retries", 0, NULL,
         "show whether retrying helps and where the time went, in RUN... or all runs",
         &words->retries, NULL},
        {"mark", 0, NULL, "bookmark a moment of a run: --at, or its last event", &words->mark,
         NULL},
        {"name", 0, "TEXT", "the bookmark's name", NULL, &words->name},
        {"marks", 0, NULL, "list the bookmarks of a run, or of all runs", &words->marks, NULL},
        {"unmark", 0, "N", "remove bookmark N", NULL, &words->unmark},
        {"lnav-format", 0, NULL,
         "print a format file that lets lnav read the records (lnav -i FILE)", &words->lnav_format,
         NULL},
        {"json", 0, NULL,
         "print a JSON object for each record, bookmark or verified run, otherwise one object",
         &words->json, NULL},
    };
    static_assert(ARRAY_LEN(specs) + REPLAY_SPECS <= DEBUG_SPECS_MAX, "room for each");
    memcpy(out, specs, sizeof(specs));
    list_replay_options(words, out + ARRAY_LEN(specs));
    return ARRAY_LEN(specs) + REPLAY_SPECS;
}

int cmd_debug(struct globals *globals, int argc, char **argv)
{
    struct debug_words words = {0};
    struct option_spec specs[DEBUG_SPECS_MAX];
    const size_t count = list_debug_options(&words, specs);
    struct command_line line = {
        .specs = specs, .spec_count = count, .max_operands = -1, .print_more = debug_mode_help};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    const struct debug_options options = {.specs = specs, .count = count, .words = &words};
    struct debug_call call = {
        .globals = globals, .words = &words, .operands = argv, .operand_count = line.operands};
    const struct debug_mode *mode = find_mode(&options);
    return mode ? run_mode(mode, &options, &call) : refuse_no_mode(&call);
}

static void replay_help(void)
{
    (void)puts("\nRUN is 41, 41/TASK, 38-41, last, all, or the file of a log or a bundle.\n"
               "Without RUN, the cockpit lists all runs, and printed records are those\n"
               "of the newest run.");
}

int cmd_replay(struct globals *globals, int argc, char **argv)
{
    struct debug_words words = {.logs = true};
    struct option_spec specs[REPLAY_SPECS + 1] = {
        {"json", 0, NULL, "print a JSON object for each record", &words.json, NULL}};
    list_replay_options(&words, specs + 1);
    struct command_line line = {.specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .max_operands = -1,
                                .print_more = replay_help};
    const int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    const struct debug_options options = {
        .specs = specs, .count = ARRAY_LEN(specs), .words = &words};
    struct debug_call call = {
        .globals = globals, .words = &words, .operands = argv, .operand_count = line.operands};
    return run_mode(find_mode(&options), &options, &call);
}
