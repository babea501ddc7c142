/* cmd_control.c - devs cancel, retry, hold, release, correct: controls a run from another
 * process. */
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "command.h"
#include "continue_run.h"
#include "control_desk.h"
#include "fail.h"
#include "follower.h"
#include "parse.h"
#include "policy.h"
#include "secrets.h"
#include "session.h"
#include "target.h"

enum { ANSWER_WAIT_MS = 10000 }; /* how long to wait for an answer */

/* A control that is waiting for its answer. */
struct asked {
    struct control_desk *desk;
    struct follower *follower;
    int64_t ticket;
    int64_t row; /* 0 until it is written */
    bool answered, done;
    struct str words;
};

static bool wait_for_answer(struct asked *asked, struct err *err)
{
    enum { LOOK_MS = 50 };
    const int64_t end_ms = clock_now().mono_ms + ANSWER_WAIT_MS;
    for (;;) {
        if (asked->row == 0 && !control_desk_row(asked->desk, asked->ticket, &asked->row, err))
            return false;
        if (asked->row != 0 &&
            !log_reader_answer(follower_reader(asked->follower), asked->row, &asked->answered,
                               &asked->done, &asked->words, err))
            return false;
        if (asked->answered || clock_now().mono_ms >= end_ms)
            return true;
        struct pollfd fd = {.fd = follower_fd(asked->follower), .events = POLLIN};
        (void)poll(&fd, 1, LOOK_MS);
        (void)follower_heard(asked->follower);
    }
}

static int print_answer(const struct asked *asked, const struct target *target,
                        enum control_verb verb)
{
    struct str line = {0};
    str_addf(&line, "#%lld%s%s", (long long)target->run, target->task[0] != '\0' ? "/" : "",
             target->task);
    if (!asked->answered)
        str_addf(&line, ": %s: requested, but the engine has not answered yet",
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

/* The control, and the attempts or tasks that it applies to. */
struct act {
    struct control control;
    struct attempt_words words; /* the attempt, for `correct` only */
    bool fault;                 /* apply to all tasks that wait because of the same fault */
};

static bool needs_task(const struct act *act)
{
    return act->fault || act->control.hint[0] != '\0' || act->control.tries > 0 ||
           act->control.verb == CONTROL_CORRECT || act->control.verb == CONTROL_SEND_ONE;
}

static bool aim_act(struct follower *follower, struct target *target, struct act *act,
                    struct err *err)
{
    struct control *control = &act->control;
    const struct run_state *state = follower_state(follower);
    control->task = -1;
    control->step = -1;
    control->key_at_ms = clock_now().at_ms;
    (void)session_by(control->by);
    const bool names_task = target->task[0] != '\0';
    /* Tasks added to a growing run are only in its events. */
    const bool reads = names_task && (needs_task(act) || state->plan->grows);
    if (reads && !follower_read(follower, 0, NULL, NULL, NULL, err))
        return false;
    target_settle(target, state->plan);
    if (target->task[0] == '\0' && needs_task(act)) {
        (void)err_set(err, ERR_INVALID, "#%lld does not name a task", (long long)target->run);
        return err_hint(err, "name a task: RUN/TASK");
    }
    if (target->task[0] == '\0')
        return true;
    if (!target_task(target, state->plan, &control->task, err))
        return false;
    if (control->verb != CONTROL_CORRECT)
        return true;

    struct attempt_pick pick; /* the attempt that `devs why` shows */
    if (!attempt_pick(state, control->task, &act->words, &pick, err))
        return false;
    if (pick.attempt == 0)
        return err_set(err, ERR_INVALID, "%s has not been tried yet",
                       state->plan->tasks[control->task].id);
    control->step = pick.step;
    control->attempt = pick.attempt;
    return true;
}

static int ask_and_tell(const struct place *place, struct follower *follower,
                        const struct target *target, struct control *control)
{
    struct err err = {0};
    struct asked asked = {.follower = follower};
    follower_watch(follower);
    bool ok = control_desk_start(&asked.desk, place, &err);
    if (ok) {
        ok = control_desk_ask(asked.desk, follower_run(follower)->number, control, &asked.ticket,
                              &err) &&
             wait_for_answer(&asked, &err);
        control_desk_stop(asked.desk);
    }
    const int code = ok ? print_answer(&asked, target, control->verb) : fail(&err);
    str_done(&asked.words);
    return code;
}

/* Applies the control to each task that waits because of the same fault as the named task. */
static int act_on_fault(const struct place *place, struct follower *follower,
                        const struct target *named, struct control *control)
{
    const struct run_state *state = follower_state(follower);
    struct fault faults[FAULTS_MAX];
    int count = run_state_faults(state, faults);
    int at = 0;
    while (at < count && !fault_has(&faults[at], state, control->task))
        at++;
    if (at == count)
        return fail_usage("devs status lists the faults that several tasks share",
                          "%s is not waiting because of a fault that %d or more tasks share",
                          named->task, FAULT_TASKS_MIN);
    int code = EXIT_ALL_PASSED;
    for (int task = 0; task < state->plan->task_count; task++) {
        if (!fault_has(&faults[at], state, task))
            continue;
        struct target target = *named;
        (void)snprintf(target.task, sizeof(target.task), "%s", state->plan->tasks[task].id);
        control->task = task;
        int one = ask_and_tell(place, follower, &target, control);
        code = one > code ? one : code;
    }
    return code;
}

/* Starts an engine without a terminal, for a run that has ended and has no owner. */
static int retry_ended(const struct globals *globals, const struct place *place, int64_t run,
                       const struct control *control)
{
    const struct continue_run_how how = {.detach = true, .watch = SESSION_PLAIN};
    const struct continue_run_asked asked = {
        .place = place, .run = run, .controls = control, .count = 1};
    struct err err = {0};
    struct str answer = {0};
    size_t done = 0;
    int code = EXIT_GAVE_UP;
    if (!continue_run_check(&asked, &answer, &done, &err))
        code = fail(&err);
    else if (done > 0)
        code = continue_run_retry(globals, &asked, &how, str_text(&answer));
    else
        warn("%.*s", (int)strcspn(str_text(&answer), "\n"), str_text(&answer));
    str_done(&answer);
    return code;
}

static int perform_act(struct globals *globals, const char *word, struct act *act)
{
    struct err err = {0};
    struct subject on;
    const bool ok = subject_open(&on, globals->command, globals->db, word, &err) &&
                    aim_act(on.follower, &on.target, act, &err);
    if (ok && act->control.verb == CONTROL_RETRY &&
        continue_run_is_needed(&on.place, on.target.run)) {
        const struct place place = on.place;
        const int64_t run = on.target.run;
        subject_close(&on); /* close the log first: the next step forks */
        return retry_ended(globals, &place, run, &act->control);
    }
    int code = !ok          ? fail(&err)
               : act->fault ? act_on_fault(&on.place, on.follower, &on.target, &act->control)
                            : ask_and_tell(&on.place, on.follower, &on.target, &act->control);
    subject_close(&on);
    return code;
}

int cmd_cancel(struct globals *globals, int argc, char **argv)
{
    bool stop = false, kill = false;
    const struct option_spec specs[] = {
        {"stop", 0, NULL, "only stop retrying: a running try may finish", &stop, NULL},
        {"kill", 0, NULL, "SIGKILL at once (default: SIGTERM, SIGKILL after 10 s)", &kill, NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (stop && kill)
        return fail_usage("choose one", "--stop and --kill are mutually exclusive");
    struct act cancel = {.control = {.verb = CONTROL_CANCEL,
                                     .mode = stop   ? CANCEL_STOP
                                             : kill ? CANCEL_KILL
                                                    : CANCEL_TERM}};
    return perform_act(globals, argv[0], &cancel);
}

/* Removes known secrets from the hint before it is written. */
static int take_hint(const char *hint, struct control *control)
{
    struct redactor *redactor = NULL;
    struct str cut = {0};
    if (!hint)
        return EXIT_ALL_PASSED;
    if (hint[0] == '\0')
        return fail_usage("use --hint TEXT", "the hint is empty");
    int code = secrets_here(&redactor);
    if (code != EXIT_ALL_PASSED)
        return code;
    redact_text(redactor, hint, strlen(hint), &cut, NULL);
    redactor_close(redactor);
    if (cut.len >= sizeof(control->hint))
        code = fail_usage("shorten it", "the hint has %zu bytes, the maximum is %d", cut.len,
                          CONTROL_HINT_MAX - 1);
    else
        memcpy(control->hint, str_text(&cut), cut.len + 1);
    str_done(&cut);
    return code;
}

int cmd_retry(struct globals *globals, int argc, char **argv)
{
    bool one = false;
    const char *hint = NULL;
    const char *attempts = NULL;
    const struct option_spec specs[] = {
        {"one", 0, NULL,
         "retry only this task; others with the same fault follow once it gets through", &one,
         NULL},
        {"hint", 0, "TEXT", "text for the agent's next prompt; recorded in the log", NULL, &hint},
        {"attempts", 0, "N", "number of tries from now, 1 to 100 (default: as planned)", NULL,
         &attempts},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct act retry = {.control = {.verb = one ? CONTROL_SEND_ONE : CONTROL_RETRY}};
    if (one && (hint || attempts))
        return fail_usage("omit --one", "--one cannot be combined with --hint or --attempts");
    if (attempts) {
        int64_t tries = 0;
        struct err err = {0};
        if (!parse_i64(attempts, 1, POLICY_ATTEMPTS_MAX, &tries, &err))
            return fail_usage(NULL, "--attempts: %s", err.message);
        retry.control.tries = (int)tries;
    }
    code = take_hint(hint, &retry.control);
    return code == EXIT_ALL_PASSED ? perform_act(globals, argv[0], &retry) : code;
}

int cmd_hold(struct globals *globals, int argc, char **argv)
{
    struct act hold = {.control = {.verb = CONTROL_HOLD}};
    const struct option_spec specs[] = {
        {"fault", 0, NULL, "hold all tasks that are waiting because of the same fault", &hold.fault,
         NULL},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    return line.done ? code : perform_act(globals, argv[0], &hold);
}

int cmd_release(struct globals *globals, int argc, char **argv)
{
    struct act release = {.control = {.verb = CONTROL_RELEASE}};
    struct command_line line = {.min_operands = 1, .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    return line.done ? code : perform_act(globals, argv[0], &release);
}

int cmd_correct(struct globals *globals, int argc, char **argv)
{
    struct act correct = {.control = {.verb = CONTROL_CORRECT}};
    const struct option_spec specs[] = {
        {"try", 0, "N", "number of the try (default: the latest that failed)", NULL,
         &correct.words.try},
        {"step", 0, "N", "number of the step, from 1 (default: any)", NULL, &correct.words.step},
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 2, .max_operands = 2};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (verdict_label_parse(argv[1], &correct.control.label))
        return perform_act(globals, argv[0], &correct);
    struct str words = {0};
    verdict_label_words(&words);
    warn("unknown class '%s'", argv[1]);
    (void)fprintf(stderr, "hint: use one of %s\n", words.data);
    str_done(&words);
    return EXIT_USAGE;
}
