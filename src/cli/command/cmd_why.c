/* cmd_why.c - devs why: how a try ended, and why. */

#include "command.h"
#include "fail.h"
#include "show.h"
#include "target.h"

struct why_options {
    struct attempt_words words;
    bool json;
};

static void print_why(const struct why *why, bool json)
{
    struct str text = {0};
    if (json) {
        why_json(why, &text);
        str_add_char(&text, '\n');
        say_json(text.data);
    } else {
        why_words(why, &text);
        say(text.data);
    }
    str_done(&text);
}

static bool explain_attempt(const struct subject *subject, const struct why_options *options,
                            struct err *err)
{
    const struct run_state *state = follower_state(subject->follower);
    struct attempt_pick pick;
    struct why why = {0};
    bool ok = attempt_pick(state, subject->task, &options->words, &pick, err) &&
              why_read(subject->follower, &pick, &why, err);
    if (ok)
        print_why(&why, options->json);
    why_done(&why);
    return ok;
}

int cmd_why(struct globals *globals, int argc, char **argv)
{
    struct why_options options = {0};
    const struct option_spec specs[] = {
        {"try", 0, "N", "number of the try (default: the latest that failed)", NULL,
         &options.words.try},
        {"step", 0, "N", "number of the step, from 1 (default: any)", NULL, &options.words.step},
        {"json", 0, NULL, "print one JSON object", &options.json, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct subject subject;
    const bool ok = subject_open(&subject, globals->command, globals->db, argv[0], &err) &&
                    explain_attempt(&subject, &options, &err);
    subject_close(&subject);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
