#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "forensics_print.h"
#include "parse.h"
#include "session.h"
#include "stream.h"
#include "target.h"
#include "watch_run.h"

/* The words of the command line. */
struct debug_words {
    const char *task, *level, *frame, *at, *view, *theme;
    bool logs, forensics, plain, json, follow, svg;
    struct attempt_words attempt;
};

static bool parse_level(const char *word, enum event_level *out, struct err *err)
{
    *out = EVENT_LEVEL_DEBUG;
    if (!word)
        return true;
    for (int i = EVENT_LEVEL_ERROR; i <= EVENT_LEVEL_DEBUG; i++) {
        if (strcmp(word, event_level_name((enum event_level)i)) == 0) {
            *out = (enum event_level)i;
            return true;
        }
    }
    (void)err_set(err, ERR_INVALID, "unknown level '%s'", word);
    return err_hint(err, "error, info or debug");
}

/* RUN, or a FILE that is a log. */
static bool choose_log(struct globals *globals, const char *word, struct place *place,
                       struct target *target, struct err *err)
{
    *target = (struct target){0};
    bool is_file = word && (access(word, F_OK) == 0 || word[0] == '/' || word[0] == '.');
    const char *db = is_file ? word : globals->db;
    return (!word || is_file || target_parse(word, target, err)) && find_log(db, false, place, err);
}

/* "80x24" */
static bool parse_size(const char *word, struct app_picture *out, struct err *err)
{
    char columns[8];
    const char *x = strchr(word, 'x');
    size_t len = x ? (size_t)(x - word) : 0;
    int64_t numbers[2] = {0};
    if (len == 0 || len >= sizeof(columns)) {
        (void)err_set(err, ERR_INVALID, "'%s' is no size", word);
        return err_hint(err, "columns x rows, as in 80x24");
    }
    memcpy(columns, word, len);
    columns[len] = '\0';
    if (!parse_i64(columns, 1, CANVAS_COLUMNS_MAX, &numbers[0], err) ||
        !parse_i64(x + 1, 1, CANVAS_ROWS_MAX, &numbers[1], err))
        return false;
    out->columns = (int)numbers[0];
    out->rows = (int)numbers[1];
    return true;
}

/* Without colours, too, there is bold and underline. */
static bool find_theme(const struct globals *globals, const char *name, struct theme *out,
                       struct err *err)
{
    const char *wanted = name ? name : globals->no_color ? "mono" : "auto";
    if (theme_named(wanted, out))
        return true;
    (void)err_set(err, ERR_INVALID, "there is no theme '%s'", wanted);
    struct str names = {0};
    for (size_t i = 0; theme_name_at(i); i++)
        str_addf(&names, "%s%s", i > 0 ? ", " : "", theme_name_at(i));
    (void)err_hint(err, "%s", str_text(&names));
    str_done(&names);
    return false;
}

static int print_frame(struct globals *globals, const struct debug_words *words,
                       const struct place *place, const struct target *target)
{
    struct err err = {0};
    struct theme theme;
    const char *of = target->task[0] != '\0' ? target->task : NULL;
    struct app_picture picture = {.at = words->at,
                                  .task = words->task ? words->task : of,
                                  .view = words->view,
                                  .theme = words->svg ? &theme : NULL};
    struct str text = {0};
    struct app_options options = {
        .place = place, .run = target->run, .mode = APP_LIVE, .ascii = globals->ascii};
    bool ok = parse_size(words->frame, &picture, &err) &&
              find_theme(globals, words->theme, &theme, &err) &&
              app_draw_picture(&options, &picture, &text, &err);
    if (ok)
        (void)fputs(str_text(&text), stdout);
    str_done(&text);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}

int cmd_debug(struct globals *globals, int argc, char **argv)
{
    struct debug_words words = {0};
    const struct option_spec specs[] = {
        {"logs", 0, NULL, "the run log: replay on a terminal, else records", &words.logs, NULL},
        {"forensics", 0, NULL, "what was captured of the end of [RUN/]TASK", &words.forensics,
         NULL},
        {"try", 0, "N", "of this try (else the latest that failed)", NULL, &words.attempt.try},
        {"step", 0, "N", "of this step, from 1 (else whichever)", NULL, &words.attempt.step},
        {"plain", 0, NULL, "a line for each record", &words.plain, NULL},
        {"json", 0, NULL, "a JSON object for each record; one object of all that was captured",
         &words.json, NULL},
        {"task", 0, "T", "only records of this task; in a frame, the chosen one", NULL,
         &words.task},
        {"level", 0, "L", "error, info or debug (default; said outright, with hashes)", NULL,
         &words.level},
        {"follow", 'f', NULL, "go on until the run ends", &words.follow, NULL},
        {"frame", 0, "CxR", "one frame of the cockpit as text, so many columns and rows", NULL,
         &words.frame},
        {"at", 0, "TIME", "the frame of then: 14:00:31, -2m, #211 (a record), 'T try 2', start",
         NULL, &words.at},
        {"view", 0, "V", "of tasks (default), detail, log, forensics, timeline or runs", NULL,
         &words.view},
        {"svg", 0, NULL, "the frame as a picture", &words.svg, NULL},
        {"theme", 0, "NAME", "in these colours: auto, dark, light, mono, contrast, cb", NULL,
         &words.theme},
    };
    struct command_line line = {
        .name = "debug", .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (words.forensics && line.operands == 0)
        return fail_usage("devs debug --forensics [RUN/]TASK [--try N]",
                          "debug --forensics: of which task?");
    if (words.forensics)
        return forensics_print(globals, argv[0], &words.attempt, words.json);
    if (!words.frame && (words.at || words.view || words.svg || words.theme))
        return fail_usage("devs debug --logs [RUN] --frame 80x24 [--at TIME] [--view V] [--svg]",
                          "debug: --at, --view, --svg and --theme are about a --frame");
    if (!words.logs && !words.plain && !words.json && !words.frame)
        return fail_usage("devs debug --logs [RUN|FILE], devs debug --forensics [RUN/]TASK",
                          "debug: what of? --logs or --forensics is missing");

    struct err err = {0};
    struct place place;
    struct target target;
    struct stream stream = {.place = &place,
                            .form = words.json ? STREAM_JSON : STREAM_PLAIN,
                            .task = words.task,
                            .follow = words.follow,
                            .details = words.level && strcmp(words.level, "debug") == 0,
                            .done_fd = -1,
                            .signal_fd = -1};
    if (!parse_level(words.level, &stream.level, &err) ||
        !choose_log(globals, line.operands > 0 ? argv[0] : NULL, &place, &target, &err))
        return fail(&err);
    if (words.frame)
        return print_frame(globals, &words, &place, &target);
    bool lines = words.plain || words.json || words.follow || !session_has_terminal();
    if (!lines)
        return watch_run(globals, &place, target.run, APP_REPLAY);
    stream.run = target.run;
    if (target.task[0] != '\0')
        stream.task = target.task;
    return stream_print(&stream, &err) ? EXIT_ALL_PASSED : fail(&err);
}
