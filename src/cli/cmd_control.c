#include <poll.h>
#include <stdio.h>

#include "clock.h"
#include "command.h"
#include "control_desk.h"
#include "exit_code.h"
#include "fail.h"
#include "follower.h"
#include "session.h"
#include "target.h"
#include "watch.h"

enum { ANSWER_WAIT_MS = 10000 }; /* how long an act waits for its answer */

/* An act that was asked for and is waiting for its answer. */
struct asked {
    struct control_desk *desk;
    struct follower *follower;
    int64_t ticket;
    int64_t row; /* 0 until it is written */
    bool answered, done;
    struct str words;
};

static bool look(struct asked *asked, struct err *err)
{
    if (asked->row == 0 && !control_desk_row(asked->desk, asked->ticket, &asked->row, err))
        return false;
    return asked->row == 0 || log_reader_answer(follower_reader(asked->follower), asked->row,
                                                &asked->answered, &asked->done, &asked->words, err);
}

static bool wait_for_answer(struct asked *asked, struct err *err)
{
    enum { LOOK_MS = 50 };
    int64_t end_ms = clock_now().mono_ms + ANSWER_WAIT_MS;
    while (look(asked, err)) {
        if (asked->answered || clock_now().mono_ms >= end_ms)
            return true;
        struct pollfd fd = {.fd = follower_fd(asked->follower), .events = POLLIN};
        (void)poll(&fd, 1, LOOK_MS);
        (void)follower_heard(asked->follower);
    }
    return false;
}

static bool ask(const struct place *place, struct follower *follower, struct control *control,
                struct asked *asked, struct err *err)
{
    asked->follower = follower;
    if (!control_desk_start(&asked->desk, place, err))
        return false;
    bool ok = control_desk_ask(asked->desk, follower_run(follower)->number, control, &asked->ticket,
                               err) &&
              wait_for_answer(asked, err);
    control_desk_stop(asked->desk);
    return ok;
}

/* "#41/tax" or "#41" */
static void add_target(const struct target *target, struct str *out)
{
    str_addf(out, "#%lld%s%s", (long long)target->run, target->task[0] != '\0' ? "/" : "",
             target->task);
}

static int print_answer(const struct asked *asked, const struct target *target,
                        enum control_verb verb)
{
    struct str line = {0};
    add_target(target, &line);
    if (!asked->answered)
        str_addf(&line, ": %s: asked, but the engine has not answered yet",
                 control_verb_name(verb));
    else
        str_addf(&line, ": %s%s", asked->done ? "" : "refused: ", str_text(&asked->words));
    if (asked->done) {
        str_add_char(&line, '\n');
        say(line.data);
    } else {
        warn("%s", line.data);
    }
    str_done(&line);
    if (!asked->answered)
        return EXIT_BUSY;
    return asked->done ? EXIT_ALL_PASSED : EXIT_GAVE_UP;
}

static bool aim(struct follower *follower, const struct target *target, struct control *control,
                struct err *err)
{
    control->task = -1;
    control->step = -1;
    control->key_at_ms = clock_now().at_ms;
    (void)session_by(control->by);
    if (target->task[0] == '\0')
        return true;
    return target_task(target, follower_state(follower)->plan, &control->task, err);
}

static int act(struct globals *globals, const char *word, struct control *control)
{
    struct err err = {0};
    struct place place;
    struct target target;
    struct follower *follower = NULL;
    struct asked asked = {0};
    bool ok = target_parse(word, &target, &err) && place_find(globals->db, false, &place, &err) &&
              target_follow(&target, &place, &follower, &err) &&
              aim(follower, &target, control, &err) && ask(&place, follower, control, &asked, &err);
    int code = ok ? print_answer(&asked, &target, control->verb) : fail(&err);
    str_done(&asked.words);
    follower_close(follower);
    return code;
}

int cmd_cancel(struct globals *globals, int argc, char **argv)
{
    bool stop = false, kill = false;
    const struct option_spec specs[] = {
        {"stop", 0, NULL, "only stop retrying: what runs may end by itself", &stop, NULL},
        {"kill", 0, NULL, "KILL at once (else TERM, KILL after 10 s)", &kill, NULL},
    };
    struct command_line line = {.name = "cancel",
                                .specs = specs,
                                .spec_count = ARRAY_LEN(specs),
                                .min_operands = 1,
                                .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (stop && kill)
        return fail_usage("choose one", "--stop and --kill say different things");
    struct control control = {.verb = CONTROL_CANCEL,
                              .mode = stop   ? CANCEL_STOP
                                      : kill ? CANCEL_KILL
                                             : CANCEL_TERM};
    return act(globals, argv[0], &control);
}

static int simple_act(struct globals *globals, int argc, char **argv, enum control_verb verb)
{
    struct command_line line = {
        .name = control_verb_name(verb), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct control control = {.verb = verb};
    return act(globals, argv[0], &control);
}

int cmd_retry(struct globals *globals, int argc, char **argv)
{
    return simple_act(globals, argc, argv, CONTROL_RETRY);
}

int cmd_hold(struct globals *globals, int argc, char **argv)
{
    return simple_act(globals, argc, argv, CONTROL_HOLD);
}

int cmd_release(struct globals *globals, int argc, char **argv)
{
    return simple_act(globals, argc, argv, CONTROL_RELEASE);
}
