#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "command.h"
#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "follower.h"
#include "secrets.h"
#include "target.h"

/* The words of the command line. */
struct export_words {
    const char *format, *file;
    bool yes, json;
};

static void add_size(int64_t bytes, struct str *out)
{
    if (bytes < 1000)
        str_addf(out, "%lld bytes", (long long)bytes);
    else if (bytes < 1000000)
        str_addf(out, "%.1f kB", (double)bytes / 1000);
    else
        str_addf(out, "%.1f MB", (double)bytes / 1000000);
}

static void add_count(int64_t count, const char *one, const char *many, struct str *out)
{
    str_addf(out, "%lld %s", (long long)count, count == 1 ? one : many);
}

static void add_cut(const struct bundle_cut *cut, const char *name, struct str *out)
{
    str_addf(out, "  %-24s", name);
    if (cut->recorded > 0)
        str_addf(out, "  %lld cut when it was recorded", (long long)cut->recorded);
    if (cut->now > 0)
        str_addf(out, "%s%lld more cut now", cut->recorded > 0 ? ", " : "  ", (long long)cut->now);
    str_add_char(out, '\n');
}

static void write_words(const struct bundle_contents *contents, const char *file, struct str *out)
{
    str_addf(out, "run #%lld as %s, ", (long long)contents->run, file);
    add_size(contents->bytes, out);
    str_add(out, "\nin it: the plan, the rules, ");
    add_count(contents->tasks, "task, ", "tasks, ", out);
    add_count(contents->attempts, "try, ", "tries, ", out);
    add_count(contents->events, "event, ", "events, ", out);
    add_count(contents->captures, "capture, ", "captures, ", out);
    add_count(contents->controls, "act, ", "acts, ", out);
    if (contents->bookmarks > 0)
        add_count(contents->bookmarks, "bookmark, ", "bookmarks, ", out);
    add_size(contents->output_bytes, out);
    str_add(out, " of output\n");
    if (contents->cut_count == 0) {
        str_add(out,
                "secrets: none was found, neither then nor now. What no variable and no known\n"
                "form gives away is not found: look before you hand it on\n");
        return;
    }
    str_add(out, "secrets that were cut (their values are in no byte of it):\n");
    for (int i = 0; i < contents->cut_count; i++)
        add_cut(&contents->cuts[i], contents->cuts[i].name, out);
    if (contents->other_cuts.recorded + contents->other_cuts.now > 0)
        add_cut(&contents->other_cuts, "others", out);
}

static void write_cut(const struct bundle_cut *cut, const char *name, struct str *out)
{
    str_json_key(out, name);
    str_add_char(out, '{');
    str_json_i64(out, "recorded", cut->recorded);
    str_json_i64(out, "now", cut->now);
    str_add_char(out, '}');
}

static void write_json(const struct bundle_contents *contents, const char *file, struct str *out)
{
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", contents->run);
    str_json_text(out, "file", file);
    str_json_i64(out, "bytes", contents->bytes);
    str_json_i64(out, "tasks", contents->tasks);
    str_json_i64(out, "attempts", contents->attempts);
    str_json_i64(out, "events", contents->events);
    str_json_i64(out, "captures", contents->captures);
    str_json_i64(out, "controls", contents->controls);
    str_json_i64(out, "bookmarks", contents->bookmarks);
    str_json_i64(out, "output_bytes", contents->output_bytes);
    str_json_key(out, "secrets");
    str_add_char(out, '{');
    for (int i = 0; i < contents->cut_count; i++)
        write_cut(&contents->cuts[i], contents->cuts[i].name, out);
    if (contents->other_cuts.recorded + contents->other_cuts.now > 0)
        write_cut(&contents->other_cuts, "...", out);
    str_add(out, "}}\n");
}

static void show(const struct bundle_contents *contents, const char *file, bool json)
{
    struct str text = {0};
    if (json) {
        write_json(contents, file, &text);
        (void)fputs(text.data, stdout);
    } else {
        write_words(contents, file, &text);
        say(text.data);
    }
    (void)fflush(stdout);
    str_done(&text);
}

/* Only on a terminal: a script has said what it wants. Anything but y keeps it from being
 * written. */
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

/* Built, shown, and only then given its name. */
static int export_bundle(const struct export_words *words, const struct bundle_asked *asked)
{
    struct err err = {0};
    struct bundle *bundle = NULL;
    if (!bundle_open(&bundle, asked, &err))
        return fail(&err);
    show(bundle_contents(bundle), asked->file, words->json);
    bool wanted = is_wanted(words);
    bool ok = !wanted || bundle_keep(bundle, &err);
    bundle_close(bundle);
    if (!ok)
        return fail(&err);
    if (!wanted)
        (void)puts("nothing was written");
    else if (!words->json)
        (void)printf("written; devs debug --logs %s opens it\n", asked->file);
    return wanted ? EXIT_ALL_PASSED : EXIT_GAVE_UP;
}

/* The secrets that are known here and now: of the environment, the settings, and of the run's
 * own plan, which an older devs wrote as it was. */
static bool open_redactor(struct redactor **out, const struct place *place, int64_t run,
                          const struct config *config, struct err *err)
{
    struct follower *follower = NULL;
    bool ok = follower_open(&follower, place, run, err) &&
              secrets_redactor(out, follower_state(follower)->plan, &config->settings.secrets, err);
    follower_close(follower);
    return ok;
}

static int export_run(struct globals *globals, const struct export_words *words, const char *run)
{
    struct err err = {0};
    struct place place;
    struct target target;
    struct redactor *redactor = NULL;
    struct str file = {0};
    if (!target_parse(run, &target, &err) || !find_log(globals->db, false, &place, &err))
        return fail(&err);
    if (target.task[0] != '\0')
        return fail_usage("devs export RUN --format bundle",
                          "export: '%s' is a task; a bundle holds a run", run);
    char dir[PATH_MAX];
    struct config config = {0};
    int code = getcwd(dir, sizeof(dir)) ? config_read(dir, &config) : EXIT_ALL_PASSED;
    if (code != EXIT_ALL_PASSED)
        return code;
    bool ok = open_redactor(&redactor, &place, target.run, &config, &err);
    config_done(&config);
    if (!ok)
        return fail(&err);
    if (words->file)
        str_add(&file, words->file);
    else
        str_addf(&file, "run-%lld.devs", (long long)target.run);
    const struct bundle_asked asked = {
        .place = &place, .run = target.run, .file = file.data, .redactor = redactor};
    code = export_bundle(words, &asked);
    redactor_close(redactor);
    str_done(&file);
    return code;
}

int cmd_export(struct globals *globals, int argc, char **argv)
{
    struct export_words words = {0};
    const struct option_spec specs[] = {
        {"format", 0, "F", "bundle: one file that devs debug --logs opens", NULL, &words.format},
        {"output", 'o', "FILE", "the file (else run-RUN.devs here)", NULL, &words.file},
        {"yes", 'y', NULL, "do not ask", &words.yes, NULL},
        {"json", 0, NULL, "say what is in it as one JSON object; does not ask", &words.json, NULL},
    };
    struct command_line line = {.name = "export",
                                .specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .min_operands = 1,
                                .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (!words.format)
        return fail_usage("devs export RUN --format bundle", "export: in which format?");
    if (strcmp(words.format, "bundle") != 0)
        return fail_usage("devs export RUN --format bundle",
                          "export: format '%s' is not known; there is: bundle", words.format);
    return export_run(globals, &words, argv[0]);
}
