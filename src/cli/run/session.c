/* session.c - runs an engine and its front end: a screen, lines, or just the command's output.
 *
 * The first signal cancels the run, which is still shown; the second one kills its attempts and
 * leaves. When the terminal hangs up, the plan decides whether the run continues, starts nothing
 * new, or is cancelled. A session may fork (foreground.c), which must come before any thread
 * starts. */
#define _GNU_SOURCE /* environ */

#include "session.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/types.h>
#include <unistd.h>

#include "app.h"
#include "appearance.h"
#include "clock.h"
#include "config.h"
#include "control_desk.h"
#include "engine.h"
#include "fail.h"
#include "follower.h"
#include "gc.h"
#include "log_reader.h"
#include "log_writer.h"
#include "place.h"
#include "run_internal.h"
#include "secrets.h"
#include "spill.h"
#include "stdin_feed.h"
#include "str.h"
#include "stream.h"
#include "target.h"
#include "text_file.h"
#include "what_if_log.h"
#include "workspace_list.h"

/* A session in progress. */
struct watching {
    const struct session *session;
    enum session_watch watch; /* how the run is watched, which may differ from the request */
    struct place place;
    struct foreground *foreground; /* borrowed; the process that the shell waits for; may be NULL */
    struct secrets secrets;
    struct engine *engine;
    struct tee *tee;           /* owned; SESSION_OUTPUT only */
    struct follower *follower; /* owned; NULL if the run was not watched */
    int64_t run;
    int64_t shown_seq; /* skip events up to this one */
    int signal_fd;
    int unwritten;      /* errno of a line that could not be written; 0 = none */
    int signal;         /* the signal that made us leave; 0 = none */
    int64_t signals_ms; /* time of that signal: steady clock */
    bool alone;         /* the terminal has hung up, or the reader has closed the pipe */
    bool nohup;         /* SIGHUP was ignored when we started */
    char by[SESSION_BY_MAX];
    char uid[LOG_UID_MAX]; /* uid of the run; "" before it has started */
};

bool session_block_signals(int *fd_out, struct err *err)
{
    sigset_t set;
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    *fd_out = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (*fd_out < 0)
        return err_set(err, ERR_IO, "cannot set up signal handling");
    return true;
}

static void cancel_run(struct watching *watching, int signal)
{
    watching->signal = signal;
    watching->signals_ms = clock_now().mono_ms;
    engine_cancel(watching->engine, watching->by);
}

/* Called when the terminal has hung up: the plan decides whether the run continues or ends. */
static void hang_up(struct watching *watching)
{
    static const char *const words[] = {
        [PLAN_HANGUP_GO_ON] = "the terminal was closed, the run continues (on_hangup: go-on)",
        [PLAN_HANGUP_WAIT] = "the terminal was closed, nothing more is started (on_hangup: wait)",
        [PLAN_HANGUP_CANCEL] =
            "the terminal was closed, everything is cancelled (on_hangup: cancel)",
    };
    enum plan_hangup hangup = watching->session->plan->on_hangup;
    static_assert(ARRAY_LEN(words) == PLAN_HANGUP_COUNT, "words for each");
    if (watching->alone)
        return;
    watching->alone = true;
    foreground_forget_terminal();
    engine_detach(watching->engine, words[hangup]);
    if (hangup == PLAN_HANGUP_WAIT)
        engine_leave(watching->engine);
    else if (hangup == PLAN_HANGUP_CANCEL)
        cancel_run(watching, SIGHUP);
}

/* The first signal cancels the run, which is still watched to its end. The second one stops
 * watching and kills the attempts that still run. */
static bool session_take_signal(void *ctx, int signal)
{
    struct watching *watching = ctx;
    if (signal == SIGHUP) {
        if (!watching->nohup)
            hang_up(watching);
        return true;
    }
    /* The signal was sent both to us and to our parent, which passed it on. */
    if (watching->foreground && signal == watching->signal &&
        clock_now().mono_ms - watching->signals_ms < FOREGROUND_SAME_MS)
        return true;
    bool first = watching->signal == 0;
    if (first) {
        cancel_run(watching, signal);
        if (signal != SIGPIPE)
            warn("cancelling: SIGTERM now, SIGKILL after 10 s; a second signal kills at once");
    }
    watching->signal = signal;
    return first;
}

/* Waits until the engine has ended, or until a signal tells us to stop waiting. */
static void session_wait(struct watching *watching)
{
    struct outlet signals = {
        .signal_fd = watching->signal_fd, .on_signal = session_take_signal, .ctx = watching};
    struct pollfd fds[] = {
        {.fd = engine_done_fd(watching->engine), .events = POLLIN},
        {.fd = watching->signal_fd, .events = POLLIN},
    };
    while (fds[0].revents == 0) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return;
        if (fds[1].revents != 0 && !outlet_take_signals(&signals))
            return;
    }
}

/* Continues without a terminal, prints where the run is, and releases the shell. */
static void session_detach(struct watching *watching)
{
    const long long run = (long long)watching->run;
    const int pid = (int)getpid();
    struct str words = {0};
    if (watching->session->said)
        str_add(&words, watching->session->said);
    if (watching->session->watch == SESSION_JSON)
        str_addf(&words, "{\"v\":1,\"run\":%lld,\"pid\":%d}\n", run, pid);
    else
        str_addf(&words,
                 "run #%lld continues without a terminal (pid %d)\n"
                 "  watch it   devs\n"
                 "  status     devs status %lld\n"
                 "  cancel it  devs cancel %lld\n",
                 run, pid, run, run);
    watching->alone = true;
    follower_close(watching->follower); /* the run may last for days */
    watching->follower = NULL;
    engine_detach(watching->engine, "the run continues without a terminal");
    foreground_let_go(watching->foreground, 0, str_text(&words));
    str_done(&words);
}

/* Returns whether stdin and stdout are a terminal that can draw a screen. */
static bool has_terminal(void)
{
    const char *term = getenv("TERM");
    bool drawable = term && *term && strcmp(term, "dumb") != 0;
    return drawable && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool session_has_screen(void)
{
    struct err err = {0};
    if (!has_terminal())
        return false;
    if (term_check(&err))
        return true;
    warn("%s: using plain lines instead", err.message);
    return false;
}

enum session_watch session_choose_watch(bool plain, bool json)
{
    if (json)
        return SESSION_JSON;
    return plain || !has_terminal() ? SESSION_PLAIN : SESSION_COCKPIT;
}

const char *session_by(char out[SESSION_BY_MAX])
{
    const struct passwd *user = getpwuid(geteuid());
    const char *tty = isatty(STDIN_FILENO) ? ttyname(STDIN_FILENO) : NULL;
    if (tty && strncmp(tty, "/dev/", 5) == 0)
        tty += 5;
    (void)snprintf(out, SESSION_BY_MAX, "%s%s%s", user ? user->pw_name : "somebody", tty ? "@" : "",
                   tty ? tty : "");
    return out;
}

/* Warns about other active runs in this tree. Called once our own run is in the log, so that at
 * least one of two simultaneous runs sees the other. */
static void warn_of_others(const struct watching *watching)
{
    enum { LOOK_AT_RUNS = 16 /* newest runs of the log that are checked */ };
    struct log_reader *reader = NULL;
    if (!log_reader_open(&reader, &watching->place, NULL))
        return; /* without a log there is no other run */
    struct log_run_info runs[LOOK_AT_RUNS];
    size_t count = 0;
    if (!log_reader_runs(reader, 0, runs, LOOK_AT_RUNS, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        bool same_tree = strcmp(runs[i].dir, watching->session->run_dir) == 0;
        bool other = runs[i].number != watching->run && !runs[i].is_session;
        if (other && runs[i].owner_alive && runs[i].ended_at_ms == 0 && same_tree)
            warn("run #%lld %s is also running in this tree (pid %lld)", (long long)runs[i].number,
                 runs[i].name, (long long)runs[i].pid);
        log_run_info_done(&runs[i]);
    }
    log_reader_close(reader);
}

static bool start_engine(struct watching *watching, struct err *err)
{
    const struct session *session = watching->session;
    uint64_t seed = session->seed;
    if (session->resume == 0 && getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        return err_set(err, ERR_IO, "cannot get random numbers");
    struct engine_options options = {
        .place = &watching->place,
        .plan = watching->secrets.plan,
        .calls = watching->secrets.calls,
        .plan_text = watching->secrets.plan_text,
        .rules = session->rules,
        .kind = session->kind,
        .name = watching->secrets.plan->name,
        .command = session->globals->command_line,
        .run_dir = session->run_dir,
        .plan_path = session->plan_path,
        .environment = environ,
        .by = watching->by,
        .jobs = session->jobs,
        .seed = seed,
        .redactor = watching->secrets.redactor,
        .resume = session->resume,
        .take_up = session->take_up,
        .asked = session->asked,
        .asked_count = session->asked_count,
        .open_stdin = session->feed ? stdin_feed_open : NULL,
        .stdin_ctx = session->feed,
        .tee = watching->tee ? tee_put : NULL,
        .tee_ctx = watching->tee,
        .at_end = watching->watch == SESSION_COCKPIT ? ENGINE_LINGER : ENGINE_LEAVE,
    };
    /* exec sends no notifications: its caller waits for the exit code. */
    if (session->ui && strcmp(session->kind, "exec") != 0) {
        options.notify_command = session->ui->notify_command;
        options.notify = session->ui->notify;
    }
    if (!engine_start(&watching->engine, &options, &watching->run, err))
        return false;
    (void)snprintf(watching->uid, sizeof(watching->uid), "%s", engine_uid(watching->engine));
    return true;
}

/* Prints lines until the engine has ended; with done_fd -1, until the run has. */
static bool print_lines(struct watching *watching, int done_fd, struct err *err)
{
    static const enum stream_form forms[] = {
        [SESSION_COCKPIT] = STREAM_PLAIN,
        [SESSION_PLAIN] = STREAM_PLAIN,
        [SESSION_JSON] = STREAM_JSON,
        [SESSION_OUTPUT] = STREAM_OUTPUT,
    };
    struct stream stream = {
        .place = &watching->place,
        .run = watching->run,
        .known = {.plan = watching->secrets.plan, .uid = watching->uid},
        .shown_seq = watching->shown_seq,
        .form = forms[watching->watch],
        .folds = forms[watching->watch] == STREAM_PLAIN,
        .follow = true,
        .done_fd = done_fd,
        .unwritten = done_fd >= 0 ? &watching->unwritten : NULL, /* the run continues without it */
        .signal_fd = watching->signal_fd,
        .tee = watching->tee,
        .on_signal = session_take_signal,
        .ctx = watching,
    };
    follower_close(watching->follower);
    watching->follower = NULL;
    return stream_follow(&stream, &watching->follower, err);
}

/* Does what the user chose when leaving the screen. */
static bool session_leave_as_chosen(struct watching *watching, const struct app_result *result,
                                    struct err *err)
{
    if (result->leave == APP_LEFT)
        return true;
    if (!session_block_signals(&watching->signal_fd, err))
        return false;
    switch (result->leave) {
    case APP_LEFT:
    case APP_LEFT_TAKE_UP: /* not for a run whose engine is in this process */
        break;
    case APP_LEFT_PLAIN: /* lines instead of the screen */
        watching->watch = SESSION_PLAIN;
        watching->shown_seq = result->seen_seq;
        warn("run #%lld continues as plain lines: ^C cancels it; devs in another terminal shows "
             "the screen",
             (long long)watching->run);
        engine_detach(watching->engine, NULL);
        return print_lines(watching, engine_done_fd(watching->engine), err);
    case APP_LEFT_WAIT:
        engine_leave(watching->engine); /* repeating it does no harm */
        break;
    case APP_LEFT_CANCEL:
        engine_cancel(watching->engine, watching->by);
        break;
    case APP_LEFT_DETACH:
        session_detach(watching);
        break;
    case APP_LEFT_SIGNAL:
        if (result->signal == SIGHUP)
            hang_up(watching);
        else
            cancel_run(watching, result->signal);
        break;
    }
    session_wait(watching);
    return true;
}

static void leave_engine(void *ctx)
{
    engine_leave(ctx);
}

static bool save_rule(void *ctx, const char *rule_json, struct err *err)
{
    const struct session *session = ctx;
    return rules_add(session->run_dir, rule_json, err);
}

static bool watch_on_screen(struct watching *watching, struct err *err)
{
    struct session session = *watching->session;
    struct control_desk *desk = NULL;
    if (!control_desk_start(&desk, &watching->place, err))
        return false;
    struct app_options options = {
        .place = &watching->place,
        .run = watching->run,
        .mode = APP_LIVE,
        .desk = desk,
        .by = watching->by,
        .engine_here = true,
        .engine_done_fd = engine_done_fd(watching->engine),
        .leave = leave_engine,
        .leave_ctx = watching->engine,
        .rules = session.rules,
        .save_rule = save_rule,
        .save_ctx = &session,
        .read_file = read_text_file,
        .redactor = watching->secrets.redactor,
        .open_redactor = secrets_redactor,
        .secrets = session.secrets,
        .opens_view = session.opens_view,
    };
    if (session.asked_count > 0) /* keep the selection on the row on which r or R was pressed */
        options.opens_task = session.plan->tasks[session.asked[0].task].id;
    struct theme theme;
    appearance_set(&options, session.globals, session.ui, &theme);
    struct keys_file keys;
    keys_file_set(&keys, &options);
    struct app_result result = {0};
    /* A signal that arrives after the screen has closed must not end us. The screen replaces these
     * handlers and restores them when it ends. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGTERM, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    bool ok = app_run(&options, &result, err);
    watching->follower = result.follower;
    keys_file_done(&keys);
    control_desk_stop(desk);
    return ok && session_leave_as_chosen(watching, &result, err);
}

/* Waits for the run without showing it, after the screen or the stream failed. */
static bool watch_blindly(struct watching *watching, const struct err *why)
{
    struct err err = {0};
    (void)fail(why);
    warn("the run continues; devs status and devs replay show its progress");
    if (watching->signal_fd < 0 && !session_block_signals(&watching->signal_fd, &err))
        return false;
    bool lingers = watching->watch == SESSION_COCKPIT;
    if (lingers && !print_lines(watching, -1, &err))
        engine_leave(watching->engine); /* the log cannot be followed at all */
    if (!lingers || err.code != ERR_NONE)
        session_wait(watching);
    return true;
}

/* Opens the recorded run. The log may have been deleted or replaced meanwhile; then the whole run
 * is in its spill log. */
static bool open_recorded(const struct watching *watching, struct follower **out, struct err *err)
{
    struct place spill;
    bool ok = follower_open(out, &watching->place, watching->run, err);
    if (watching->uid[0] == '\0' || (ok && strcmp(follower_run(*out)->uid, watching->uid) == 0))
        return ok;
    if (!spill_find(watching->uid, &spill))
        return ok ? err_set(err, ERR_NOT_FOUND, "'%s' is a different log now", watching->place.db)
                  : false;
    follower_close(*out);
    *out = NULL;
    *err = (struct err){0};
    return follower_open(out, &spill, watching->run, err);
}

static void print_summary(const struct watching *watching, const struct run_state *state)
{
    struct str text = {0};
    const struct summary summary = {
        .state = state, .reader = follower_reader(watching->follower), .run = watching->run};
    summary_write(&summary, &text);
    /* a task ended without success after more than one attempt of a step */
    bool has_retried_in_vain = false;
    for (int i = 0; state->ended && i < state->plan->task_count && !has_retried_in_vain; i++)
        has_retried_in_vain =
            state->tasks[i].status != TASK_PASSED && run_state_step(state, i)->attempt_count > 1;
    if (has_retried_in_vain)
        what_if_careful(&watching->place, watching->run, &text);
    say(str_text(&text));
    str_done(&text);
}

/* Reports the result. Returns the exit code. */
static int tell_end(struct watching *watching, bool is_summed_up, int exit_code)
{
    const struct session *session = watching->session;
    struct err err = {0};
    if (!is_summed_up && !session->ended)
        return exit_code;
    /* The state of a run that was watched to its end is already known. Otherwise, or if the log was
     * replaced, the run is read from the beginning. */
    bool has_state = watching->follower &&
                     follower_read(watching->follower, 0, NULL, NULL, NULL, NULL) &&
                     follower_state(watching->follower)->ended;
    if (!has_state) {
        follower_close(watching->follower);
        watching->follower = NULL;
        has_state = open_recorded(watching, &watching->follower, &err) &&
                    follower_read(watching->follower, 0, NULL, NULL, NULL, &err);
    }
    const struct run_state *state = has_state ? follower_state(watching->follower) : NULL;
    if (!state)
        (void)fail(&err);
    else if (is_summed_up)
        print_summary(watching, state);
    const struct session_end end = {.run = watching->run,
                                    .state = state,
                                    .exit_code = exit_code,
                                    .is_watched = !watching->alone};
    return session->ended ? session->ended(session->ended_ctx, &end) : exit_code;
}

static int exit_code_of(const struct watching *watching, const struct engine_result *result)
{
    bool exec = strcmp(watching->session->kind, "exec") == 0;
    int code = result->exit_code;
    if (watching->signal != 0 && watching->signal != SIGINT)
        code = 128 + watching->signal;
    else if (exec && result->exit_code != EXIT_STOPPED && result->last_attempt_code != 0)
        code = result->last_attempt_code;
    summary_spill(&watching->place, watching->uid);
    if (!result->recording_failed)
        return code;
    struct err err = result->err;
    if (err.code == ERR_NONE)
        (void)err_set(&err, ERR_IO, "the end of the run could not be written to the log");
    (void)fail(&err);
    return code == EXIT_ALL_PASSED ? EXIT_NOT_RECORDED : code;
}

static int run_watched(struct watching *watching)
{
    enum { MANY_WORKSPACES = 20 };
    const struct session *session = watching->session;
    struct err err = {0};
    (void)session_by(watching->by);
    const bool has_begun =
        find_log(session->globals->db, true, &watching->place, &err) &&
        (watching->watch == SESSION_COCKPIT || session_block_signals(&watching->signal_fd, &err)) &&
        (watching->watch != SESSION_OUTPUT || tee_open(&watching->tee, &err)) &&
        secrets_open(&watching->secrets, session, &err) && start_engine(watching, &err);
    if (!has_begun) {
        tee_close(watching->tee);
        secrets_close(&watching->secrets);
        return fail(&err);
    }
    if (session->begun)
        session->begun(session->begun_ctx);
    warn_of_others(watching);

    bool ok = true;
    if (session->detach) {
        session_detach(watching); /* another devs may be watching the run */
        session_wait(watching);
    } else if (watching->watch == SESSION_COCKPIT) {
        ok = watch_on_screen(watching, &err);
    } else {
        ok = print_lines(watching, engine_done_fd(watching->engine), &err);
    }
    ok = ok || watch_blindly(watching, &err);
    struct engine_result result = {0};
    if (watching->tee)
        tee_give_up(watching->tee);
    engine_stop(watching->engine, &result);
    if (result.notify_err.code != ERR_NONE)
        warn("notify_command failed: %s", result.notify_err.message);
    tee_close(watching->tee);
    if (watching->signal_fd >= 0)
        (void)close(watching->signal_fd);

    bool is_read = watching->watch == SESSION_COCKPIT || watching->watch == SESSION_PLAIN;
    bool is_summed_up = ok && is_read && !watching->alone && watching->unwritten == 0;
    int code = tell_end(watching, is_summed_up, exit_code_of(watching, &result));
    /* If the lines could not be written, the result was not reported, so exit code 0 would be
     * wrong. After a hangup nobody reads it. */
    if (watching->unwritten != 0 && !watching->alone) {
        struct err unwritten = {0};
        (void)err_set_errno(&unwritten, watching->unwritten, "stdout");
        const int unwritten_code = fail(&unwritten);
        code = code == EXIT_ALL_PASSED ? unwritten_code : code;
    }
    follower_close(watching->follower);
    secrets_close(&watching->secrets);
    gc_automatic(&watching->place, session->retention);
    /* Workspaces of tasks that did not pass are kept until the user removes them. */
    const size_t workspaces = is_read ? workspace_count(watching->place.dir) : 0;
    if (workspaces > MANY_WORKSPACES)
        warn("%zu workspaces are kept in %s/work; devs gc --older DAYS removes old ones",
             workspaces, watching->place.dir);
    return code;
}

static void tell_crash(const void *ctx, pid_t child, int signal_number)
{
    const struct globals *globals = ctx;
    summary_crash(globals->db, child, signal_number);
}

int session_run(const struct session *session)
{
    struct err err = {0};
    struct foreground foreground = {.fd = -1};
    struct sigaction hangup;
    struct watching watching = {.session = session,
                                .watch = session->detach ? SESSION_PLAIN : session->watch,
                                .shown_seq = session->shown_seq,
                                .signal_fd = -1};
    /* An unusable terminal is detected before anything is started. */
    if (watching.watch == SESSION_COCKPIT && !term_check(&err)) {
        warn("%s: using plain lines instead", err.message);
        watching.watch = SESSION_PLAIN;
    }
    /* Under nohup SIGHUP is ignored, but we still receive it, because it is blocked. Checked
     * before we ignore it ourselves. */
    watching.nohup = sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler == SIG_IGN;
    if (session->detach || watching.watch == SESSION_COCKPIT) {
        enum foreground_kind kind = session->detach ? FOREGROUND_APART : FOREGROUND_HERE;
        const struct foreground_end end = {.died = tell_crash, .ctx = session->globals};
        if (!foreground_open(&foreground, kind, &end, &err))
            return err.code != ERR_NONE ? fail(&err) : foreground.exit_code;
        watching.foreground = &foreground;
    }
    int code = run_watched(&watching);
    foreground_close(&foreground);
    return code;
}
