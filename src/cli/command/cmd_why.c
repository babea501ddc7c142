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

static bool explain_attempt(struct follower *follower, const struct target *target,
                            const struct why_options *options, struct err *err)
{
    const struct run_state *state = follower_state(follower);
    struct attempt_pick pick;
    struct why why = {0};
    int task = 0;
    bool ok = target_only_task(target, state->plan, "devs why", &task, err) &&
              attempt_pick(state, task, &options->words, &pick, err) &&
              why_read(follower, &pick, &why, err);
    if (ok)
        print_why(&why, options->json);
    why_done(&why);
    return ok;
}

int cmd_why(struct globals *globals, int argc, char **argv)
{
    struct why_options options = {0};
    const struct option_spec specs[] = {
        {"try", 0, "N", "this try (default: the latest that failed)", NULL, &options.words.try},
        {"step", 0, "N", "this step, from 1 (default: any)", NULL, &options.words.step},
        {"json", 0, NULL, "one JSON object", &options.json, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct place place;
    struct target target;
    struct follower *follower = NULL;
    bool ok = target_parse(argv[0], &target, &err) && find_log(globals->db, false, &place, &err) &&
              target_follow(&target, &place, &follower, &err) &&
              follower_read(follower, 0, NULL, NULL, NULL, &err) &&
              explain_attempt(follower, &target, &options, &err);
    follower_close(follower);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
