/* cmd_export.c - devs export: exports a run for other programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "export.h"
#include "fail.h"
#include "follower.h"
#include "secrets.h"
#include "target.h"
#include "xalloc.h"

#define USAGE "use devs export RUN --format jsonl|perfetto|bundle|asciicast|svg [-o FILE|-]"

/* A format in which a run can be written. */
struct export_format {
    const char *name, *ending;
    /* NULL: the file is the copy itself. */
    bool (*write)(const struct export_call *call, struct err *err);
    const char *before,
        *behind; /* hint on how to use the file: the parts before and after the file's name */
};

static const struct export_format formats[] = {
    {"jsonl", "jsonl", export_jsonl, "lnav ", " reads it, as do jq and similar tools"},
    {"perfetto", "trace.json", export_trace, "ui.perfetto.dev and chrome://tracing open ", ""},
    {"bundle", "devs", NULL, "devs replay ", " opens it"},
    {"asciicast", "cast", export_cast, "asciinema play ", " plays it"},
    {"svg", "svg", export_svg, "any browser shows ", ""},
};

/* An export of one recorded run. */
struct exporting {
    const struct globals *globals;
    const struct export_words *words;
    const struct export_format *format;
    struct place place;
    int64_t run;
    struct redactor *redactor; /* owned */
};

static const struct export_format *find_format(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    }
    return NULL;
}

static bool is_stdout(const char *file)
{
    return strcmp(file, "-") == 0;
}

/* Asks whether to write the file, but only on a terminal, because a script cannot answer. Any
 * answer except y or yes cancels. */
static bool is_wanted(const struct export_words *words)
{
    char answer[16];
    if (words->yes || words->json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return true;
    (void)fputs("write it? y/N ", stdout);
    (void)fflush(stdout);
    if (!fgets(answer, sizeof(answer), stdin))
        return false;
    return strcmp(answer, "y\n") == 0 || strcmp(answer, "yes\n") == 0;
}

static int tell_end(const struct exporting *now, const char *file, bool wanted)
{
    struct str words = {0};
    if (!wanted)
        str_add(&words, "nothing was written\n");
    else if (!now->words->json && !is_stdout(file))
        str_addf(&words, "written; %s%s%s\n", now->format->before, file, now->format->behind);
    say(str_text(&words));
    str_done(&words);
    return wanted ? EXIT_ALL_PASSED : EXIT_GAVE_UP;
}

/* Builds the bundle and shows its contents before the file gets its final name. */
static int export_bundle(const struct exporting *now, const char *file)
{
    struct err err = {0};
    struct bundle *bundle = NULL;
    struct progress progress = progress_new();
    const struct bundle_asked asked = {.place = &now->place,
                                       .run = now->run,
                                       .file = file,
                                       .redactor = now->redactor,
                                       .tell = export_copy_tell,
                                       .ctx = &progress};
    bool ok = bundle_open(&bundle, &asked, &err);
    progress_done(&progress);
    if (!ok)
        return fail(&err);
    export_show(bundle_contents(bundle), file, now->words, stdout);
    bool wanted = is_wanted(now->words);
    ok = !wanted || bundle_keep(bundle, &err);
    bundle_close(bundle);
    return ok ? tell_end(now, file, wanted) : fail(&err);
}

/* Makes one file from the copy. */
static int export_file(const struct exporting *now, const struct export_copy *copy,
                       const char *file, const char *at)
{
    struct err err = {0};
    struct export_sink sink;
    struct bundle_contents contents = *export_copy_contents(copy);
    const struct export_call call = {.globals = now->globals,
                                     .words = now->words,
                                     .log = &now->place,
                                     .place = export_copy_place(copy),
                                     .run = now->run,
                                     .sink = &sink,
                                     .at = at};
    bool ok = export_sink_open(&sink, file, &err) && now->format->write(&call, &err);
    if (ok)
        contents.bytes = sink.bytes;
    /* if the export goes to stdout, list what was redacted on stderr */
    if (ok && !is_stdout(sink.path))
        export_show(&contents, sink.path, now->words, stdout);
    else if (ok && contents.cut_count > 0)
        export_show(&contents, "standard output", now->words, stderr);
    const bool wanted = ok && (is_stdout(file) || is_wanted(now->words));
    ok = ok && (!wanted || export_sink_keep(&sink, &err));
    export_sink_close(&sink);
    return ok ? tell_end(now, file, wanted) : fail(&err);
}

/* Appends "run-41.svg", or "run-41-2.svg" for one of several. */
static void name_file(const struct exporting *now, int number, struct str *out)
{
    const char *given = now->words->file;
    const char *dot = given ? strrchr(given, '.') : NULL;
    const bool has_ending = dot && !strchr(dot, '/');
    if (!given)
        str_addf(out, "run-%lld", (long long)now->run);
    else if (number > 0 && has_ending)
        str_add_n(out, given, (size_t)(dot - given));
    else
        str_add(out, given);
    if (number > 0)
        str_addf(out, "-%d", number);
    if (!given)
        str_addf(out, ".%s", now->format->ending);
    else if (number > 0 && has_ending)
        str_add(out, dot);
}

/* Makes one file, or for pictures one file per moment, in the given order. */
static int export_run(const struct exporting *now)
{
    struct err err = {0};
    struct export_copy *copy = NULL;
    struct str file = {0};
    int code = EXIT_ALL_PASSED;
    if (!now->format->write) {
        name_file(now, 0, &file);
        code = export_bundle(now, str_text(&file));
    } else if (export_copy_open(&copy, &now->place, now->run, now->redactor, &err)) {
        const int count = now->words->at_count;
        for (int i = 0; i < (count > 0 ? count : 1) && code == EXIT_ALL_PASSED; i++) {
            str_clear(&file);
            name_file(now, count > 1 ? i + 1 : 0, &file);
            code = export_file(now, copy, str_text(&file), count > 0 ? now->words->at[i] : NULL);
        }
    } else {
        code = fail(&err);
    }
    export_copy_close(copy);
    str_done(&file);
    return code;
}

static int find_and_export(struct exporting *now, const char *run)
{
    struct err err = {0};
    struct target target;
    struct follower *follower = NULL;
    if (!log_word_find(now->globals, run, &now->place, &target, &err))
        return fail(&err);
    if (target.task[0] != '\0')
        return fail_usage(USAGE, "export: '%s' is a task; expected a run", run);
    if (!follower_open(&follower, &now->place, target.run, &err))
        return fail(&err);
    /* The secrets known now: from the environment, the settings of the run's folder, and the run's
     * own plan, because older versions of devs recorded it unredacted. */
    int code =
        secrets_of_run(follower_run(follower)->dir, follower_state(follower)->plan, &now->redactor);
    now->run = follower_run(follower)->number;
    follower_close(follower);
    if (code == EXIT_ALL_PASSED)
        code = export_run(now);
    redactor_close(now->redactor);
    return code;
}

/* Splits `moments` in place; it must live as long as `words`. Then checks whether the options can
 * be combined. */
static int check_words(struct export_words *words, const struct export_format *format,
                       char *moments)
{
    const bool is_cast = format->write == export_cast;
    const bool is_svg = format->write == export_svg;
    const bool is_drawn = is_cast || is_svg;
    char *rest = moments;
    for (char *at = strtok_r(moments, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) {
        if (words->at_count == EXPORT_AT_MAX)
            return fail_usage(USAGE, "export: at most %d moments at a time", EXPORT_AT_MAX);
        words->at[words->at_count++] = at + strspn(at, " ");
    }
    if (words->file && is_stdout(words->file) && !format->write)
        return fail_usage(USAGE, "export: cannot write a bundle to standard output; use -o FILE");
    if (words->file && is_stdout(words->file) && words->at_count > 1)
        return fail_usage(USAGE,
                          "export: cannot write several pictures to standard output; use -o FILE");
    if (words->at_count > 0 && !is_svg)
        return fail_usage(USAGE, "export: --at is only for --format svg");
    if (words->speed && !is_cast)
        return fail_usage(USAGE, "export: --speed is only for --format asciicast");
    if ((words->size || words->view || words->task) && !is_drawn)
        return fail_usage(USAGE, "export: --size, --view and --task are only for screens: --format "
                                 "asciicast or svg");
    return EXIT_ALL_PASSED;
}

int cmd_export(struct globals *globals, int argc, char **argv)
{
    struct export_words words = {0};
    const struct option_spec specs[] = {
        {"format", 0, "F",
         "jsonl (records), perfetto (a trace), bundle (a standalone log), asciicast or svg "
         "(screens)",
         NULL, &words.format},
        {"output", 'o', "FILE",
         "output file (default: run-RUN.EXTENSION in this folder); - is standard output", NULL,
         &words.file},
        {"size", 0, "CxR", "size of the screens (default: 80x24)", NULL, &words.size},
        {"speed", 0, "N", "asciicast only: seconds of the run per second of playback (default: 1)",
         NULL, &words.speed},
        {"view", 0, "V",
         "view to draw: tasks (default), detail, log, forensics, timeline, runs or hosts", NULL,
         &words.view},
        {"task", 0, "T", "the task selected on the screens", NULL, &words.task},
        {"at", 0, "TIME,...",
         "svg only: moment to draw, as for devs replay --at (default: the end); several moments "
         "give one file each",
         NULL, &words.moments},
        {"yes", 'y', NULL, "do not ask for confirmation", &words.yes, NULL},
        {"json", 0, NULL, "describe the export as one JSON object; do not ask for confirmation",
         &words.json, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (!words.format)
        return fail_usage(USAGE, "export: missing --format");
    struct exporting now = {
        .globals = globals, .words = &words, .format = find_format(words.format)};
    if (!now.format)
        return fail_usage(USAGE, "export: unknown format '%s'", words.format);
    char *moments = xstrdup(words.moments ? words.moments : "");
    code = check_words(&words, now.format, moments);
    stop_signal_watch();
    if (code == EXIT_ALL_PASSED)
        code = find_and_export(&now, argv[0]);
    free(moments);
    return stop_signal() != 0 ? 128 + stop_signal() : code;
}
