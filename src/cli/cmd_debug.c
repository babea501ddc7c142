#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "forensics_print.h"
#include "frame_print.h"
#include "parse.h"
#include "session.h"
#include "stream.h"
#include "target.h"
#include "watch_run.h"

/* The words of the command line. */
struct debug_words {
    const char *task, *level;
    bool logs, forensics, plain, json, follow;
    struct frame_words frame;
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
    bool is_newest = !word || strcmp(word, "last") == 0; /* as of devs run --continue */
    const char *db = is_file ? word : globals->db;
    return (is_newest || is_file || target_parse(word, target, err)) &&
           find_log(db, false, place, err);
}

int cmd_debug(struct globals *globals, int argc, char **argv)
{
    struct debug_words words = {0};
    const struct option_spec specs[] = {
        {"logs", 0, NULL, "the run log: replay on a terminal (without RUN: all runs), else records",
         &words.logs, NULL},
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
         &words.frame.size},
        {"at", 0, "TIME", "the frame of then: 14:00:31, -2m, #211 (a record), 'T try 2', start",
         NULL, &words.frame.at},
        {"view", 0, "V", "of tasks (default), detail, log, forensics, timeline or runs", NULL,
         &words.frame.view},
        {"svg", 0, NULL, "the frame as a picture", &words.frame.svg, NULL},
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
    if (!words.frame.size && (words.frame.at || words.frame.view || words.frame.svg))
        return fail_usage("devs debug --logs [RUN] --frame 80x24 [--at TIME] [--view V] [--svg]",
                          "debug: --at, --view and --svg are about a --frame");
    if (!words.logs && !words.plain && !words.json && !words.frame.size)
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
    words.frame.task = words.task;
    if (words.frame.size)
        return frame_print(globals, &words.frame, &place, &target);
    bool lines = words.plain || words.json || words.follow || !session_has_screen();
    if (!lines)
        return watch_run(globals, &place, target.run, line.operands > 0 ? APP_REPLAY : APP_RUNS);
    stream.run = target.run;
    if (target.task[0] != '\0')
        stream.task = target.task;
    return stream_print(&stream, &err) ? EXIT_ALL_PASSED : fail(&err);
}
