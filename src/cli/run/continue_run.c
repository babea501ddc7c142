/* continue_run.c - runs that are already in the log: resumes them, or shows them in the cockpit. */
#include "continue_run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "appearance.h"
#include "clock.h"
#include "config.h"
#include "control_desk.h"
#include "fail.h"
#include "follower.h"
#include "log_own.h"
#include "log_reader.h"
#include "log_writer.h"
#include "owner.h"
#include "parse.h"
#include "plan.h"
#include "redact.h"
#include "run_state.h"
#include "scheduler.h"
#include "secrets.h"
#include "session.h"
#include "stream.h"
#include "target.h"
#include "text_file.h"

/* A recorded run, and the state after resuming it. */
struct old_run {
    struct log_run_info info;  /* owned */
    struct plan *plan;         /* owned */
    struct config config;      /* owned; the current settings of its folder */
    struct follower *follower; /* owned; NULL once the engine may start */
    struct run_state tried;    /* owned; the state after resuming; all zero = not changed */
    enum take_up take_up;
    struct turn turn; /* owned; the turn that resuming would write */
};

static void old_run_done(struct old_run *run)
{
    turn_done(&run->turn);
    run_state_done(&run->tried);
    follower_close(run->follower);
    plan_free(run->plan);
    log_run_info_done(&run->info);
    config_done(&run->config);
}

static bool is_interrupted(const struct log_run_info *info)
{
    return info->ended_at_ms == 0 && !info->owner_alive;
}

/* Returns whether the run ended before all its tasks passed. */
static bool has_rest(const struct log_run_info *info)
{
    return info->ended_at_ms != 0 && info->passed < info->tasks && !info->is_session;
}

bool continue_run_is_unfinished(const struct log_run_info *info)
{
    return is_interrupted(info) || has_rest(info);
}

/* Finds the newest interrupted run, or else the newest ended run with tasks left. If a newer run is
 * active, returns that run, and check_run() rejects it, because it may have just started. With
 * `failed` only ended runs are considered. */
static bool find_last(struct log_reader *reader, bool failed, int64_t *out, struct err *err)
{
    enum { RUNS_AT_ONCE = 16 };
    struct log_run_info runs[RUNS_AT_ONCE];
    int64_t interrupted = 0, alive = 0, with_rest = 0; /* the newest run of each kind; 0 = none */
    int64_t before = 0;                                /* where the next page starts */
    size_t count = 0;
    do {
        if (!log_reader_runs(reader, before, runs, RUNS_AT_ONCE, &count, err))
            return false;
        for (size_t i = 0; i < count; i++) {
            if (interrupted == 0 && is_interrupted(&runs[i]))
                interrupted = runs[i].number;
            if (with_rest == 0 && has_rest(&runs[i]))
                with_rest = runs[i].number;
            if (alive == 0 && runs[i].ended_at_ms == 0 && runs[i].owner_alive &&
                !runs[i].is_session)
                alive = runs[i].number;
            before = runs[i].number;
            log_run_info_done(&runs[i]);
        }
    } while ((failed ? with_rest : interrupted) == 0 && count == RUNS_AT_ONCE);
    if (!failed && interrupted != 0)
        *out = interrupted;
    else
        *out = with_rest > alive ? with_rest : alive;
    if (*out != 0)
        return true;
    (void)err_set(err, ERR_NOT_FOUND,
                  failed ? "no run in this log ended with unfinished tasks"
                         : "no run in this log was interrupted, or ended with unfinished tasks");
    return err_hint(err, "devs runs lists the runs");
}

/* Returns true if the devs of an ended run stays open. One without a screen closes the log just
 * after the run's end, so this waits for it for up to a second. */
static bool stays_open(const struct place *place, const char *uid)
{
    enum { TRIES = 50, PAUSE_NS = 20 * 1000 * 1000 };
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    for (int i = 0; i < TRIES && owner_is_alive(place, uid); i++)
        (void)nanosleep(&pause, NULL); /* if woken early, it looks again early */
    return owner_is_alive(place, uid);
}

/* Checks that the run can be taken over, before anything is changed. Taking over repeats the check
 * under the lock. */
static bool check_run(const struct place *place, const struct log_run_info *info, struct err *err)
{
    struct stat folder;
    long long number = (long long)info->number;
    if (info->is_session) {
        (void)err_set(err, ERR_INVALID, "run #%lld is a session of '%s', which devs did not start",
                      number, info->command);
        return err_hint(err, "continue the session in the agent");
    }
    /* A process that a killed owner was just starting can hold the owner's lock for a moment. If
     * the owner itself has died, taking over waits for the lock, or is refused. */
    if (info->owner_alive && (info->pid <= 0 || kill((pid_t)info->pid, 0) == 0 || errno != ESRCH)) {
        (void)err_set(err, ERR_BUSY, "run #%lld is running in another process (pid %lld)", number,
                      (long long)info->pid);
        return err_hint(err, "run devs to open it");
    }
    if (info->ended_at_ms != 0 && stays_open(place, info->uid)) {
        (void)err_set(err, ERR_BUSY, "run #%lld has ended, but its devs is still open (pid %lld)",
                      number, (long long)info->pid);
        return err_hint(err, "use devs retry %lld, or %lld/TASK", number, number);
    }
    if (stat(info->dir, &folder) != 0 || !S_ISDIR(folder.st_mode))
        return err_set(err, ERR_INVALID, "the folder of run #%lld does not exist: %s", number,
                       info->dir);
    return true;
}

static bool read_run(const struct place *place, int64_t number, struct old_run *out,
                     struct err *err)
{
    struct log_reader *reader = NULL;
    struct violations violations = {0};
    bool ok = log_reader_open(&reader, place, err) &&
              log_reader_run(reader, number, &out->info, err) && check_run(place, &out->info, err);
    log_reader_close(reader);
    if (!ok)
        return false;
    const char *text = out->info.plan_text;
    ok = plan_parse(text, strlen(text), &out->plan, &violations);
    violations_done(&violations);
    if (!ok)
        return err_set(err, ERR_DAMAGED, "the plan of run #%lld in the log cannot be read",
                       (long long)out->info.number);
    return follower_open(&out->follower, place, number, err) &&
           follower_read(out->follower, 0, NULL, NULL, NULL, err);
}

/* Finds the number of the run that the word names: "41", "#41" or "last". */
static bool find_number(const struct place *place, const char *word, bool failed, int64_t *out,
                        struct err *err)
{
    struct log_reader *reader = NULL;
    struct target target;
    bool ok = log_reader_open(&reader, place, err);
    if (ok && strcmp(word, "last") == 0) {
        ok = find_last(reader, failed, out, err);
    } else if (ok && target_parse(word, &target, err)) {
        ok = target.run != 0 && target.task[0] == '\0';
        if (ok) {
            *out = target.run;
        } else {
            (void)err_set(err, ERR_INVALID, "'%s' does not name a run", word);
            (void)err_hint(err, "use devs run --continue 41, or --continue last");
        }
    } else {
        ok = false;
    }
    log_reader_close(reader);
    return ok;
}

/* Applies an input to a private copy of the state. */
static void try_input(struct old_run *run, struct input *input)
{
    struct scheduler scheduler = {.state = &run->tried, .orphaned = true};
    input->now = clock_now();
    scheduler_step(&scheduler, input, &run->turn);
}

static bool try_take_up(struct old_run *run, struct err *err)
{
    const struct run_state *state = follower_state(run->follower);
    struct input input = {.kind = INPUT_RECOVER, .jobs = run->info.jobs, .take_up = run->take_up};
    if (!run_state_can_copy(state)) {
        (void)err_set(err, ERR_INVALID, "run #%lld has ended: all of its calls have been answered",
                      (long long)run->info.number);
        return err_hint(err, "devs mcp starts a new run");
    }
    run_state_copy(&run->tried, state);
    try_input(run, &input);
    return true;
}

/* Chooses the tasks to run: the open ones of an interrupted run, or the remaining ones of an ended
 * run. Fails if there are none. */
static bool choose_rest(struct old_run *run, bool failed, struct err *err)
{
    const struct run_state *state = follower_state(run->follower);
    const long long number = run->info.number;
    const int64_t now_ms = clock_now().at_ms;
    run->take_up = failed ? TAKE_UP_FAILED : TAKE_UP_REST;
    if (!state->ended) {
        run->take_up = TAKE_UP_OPEN;
        if (!failed)
            return true;
        (void)err_set(err, ERR_INVALID,
                      "run #%lld was interrupted: --failed is for runs that have ended", number);
        return err_hint(err, "devs run --continue %lld continues it", number);
    }
    for (int i = 0; i < state->plan->task_count; i++) {
        char clock[CLOCK_TEXT_MAX];
        if (run_state_fence_ms(state, i, now_ms) == 0)
            continue;
        (void)err_set(err, ERR_BUSY, "a try of %s, killed without contact, may still run until %s",
                      state->plan->tasks[i].id,
                      clock_short(state->tasks[i].fence.at_ms, now_ms, clock));
        return err_hint(err, "use the same command after that");
    }
    const int passed = state->counts[TASK_PASSED];
    const int rest = state->plan->task_count - passed;
    if (!try_take_up(run, err))
        return false;
    if (run->tried.counts[TASK_QUEUED] > 0)
        return true;
    for (int i = 0; i < state->plan->task_count; i++) {
        enum plan_after after;
        if (run_state_after(state, i, &after))
            return true; /* devs was killed before it ran the command */
    }
    if (rest == 0 && passed == 1) {
        (void)err_set(err, ERR_INVALID, "run #%lld has ended and its task passed", number);
        return err_hint(err, "devs run PLAN starts a new run");
    }
    if (rest == 0) {
        (void)err_set(err, ERR_INVALID, "run #%lld has ended and all %d tasks passed", number,
                      passed);
        return err_hint(err, "devs run PLAN starts a new run");
    }
    (void)err_set(err, ERR_INVALID, "run #%lld has ended and no task failed", number);
    return err_hint(err, "devs run --continue %lld runs the %d that did not pass", number, rest);
}

/* Returns whether the name is that of a secret variable, and the variable is not set. */
static bool is_missing(const char *name)
{
    return redact_name_is_secret(name) && !getenv(name);
}

/* Finds a missing secret that a remaining step needs. Returns the number of the task; -1 = none.
 * Tasks added while the run was active have no secrets of their own to restore. */
static int find_lack(const struct run_state *state, const struct plan *plan,
                     char name[REDACT_NAME_MAX + 1])
{
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        if (task_status_is_final(state->tasks[i].status))
            continue;
        for (int j = run_state_step_number(state, i); j < task->step_count; j++) {
            if ((plan_step_lacks(&task->steps[j], name) && is_missing(name)) ||
                (plan_setup_lacks(task, name) && is_missing(name)))
                return i;
        }
    }
    return -1;
}

/* Checks the secrets before the run is taken over, because a task without its secret would fail
 * permanently. Secrets that are not variables are not checked here: the run reports them at the
 * step. */
static bool has_secrets(const struct old_run *run, struct err *err)
{
    char name[REDACT_NAME_MAX + 1];
    const long long number = run->info.number;
    if (!redact_find_mark(run->info.plan_text, name))
        return true;
    const struct run_state *state = run->tried.plan ? &run->tried : follower_state(run->follower);
    const int task = find_lack(state, run->plan, name);
    if (task < 0)
        return true;
    (void)err_set(err, ERR_INVALID,
                  "run #%lld: %s needs the secret %s, which is neither in the log nor set here; "
                  "nothing was started",
                  number, run->plan->tasks[task].id, name);
    return err_hint(
        err, "run %s=... devs run --continue %lld; any value will do to run without the secret",
        name, number);
}

/* Allows more jobs than before only if no two tasks could then use one session at the same time. */
static bool choose_jobs(const char *text, const struct old_run *run, int *out, struct err *err)
{
    int64_t jobs = run->info.jobs;
    struct violations violations = {0};
    if (text && !parse_i64(text, 1, PLAN_JOBS_MAX, &jobs, err))
        return false;
    *out = (int)jobs;
    const bool may =
        jobs <= 1 || jobs <= run->info.jobs || plan_sessions_check(run->plan, &violations);
    violations_done(&violations);
    return may || err_set(err, ERR_INVALID,
                          "-j %s: tasks share a session, which takes one prompt at a time", text);
}

/* Finds the plan's file, which sandboxes keep read-only. The log only has its text and the command
 * line: the plan is the last word of the command line that names a file in the run's folder.
 * Returns false if there is none. */
static bool find_plan_file(const struct log_run_info *info, char out[PATH_MAX])
{
    bool found = false;
    for (const char *word = info->command; word && *word; word += strspn(word, " ")) {
        char path[PATH_MAX];
        struct stat file;
        const size_t len = strcspn(word, " ");
        const char *name = word + len;
        while (name > word && name[-1] != '/')
            name--;
        const int wrote =
            snprintf(path, sizeof(path), "%s/%.*s", info->dir, (int)(word + len - name), name);
        if (name < word + len && wrote > 0 && wrote < PATH_MAX && lstat(path, &file) == 0 &&
            !S_ISDIR(file.st_mode)) {
            memcpy(out, path, (size_t)wrote + 1);
            found = true;
        }
        word += len;
    }
    return found;
}

/* Reads the settings of the run's folder, printing errors in them, and starts the engine. */
static int start_engine(const struct globals *globals, struct old_run *run, struct session *session)
{
    char plan_path[PATH_MAX];
    const bool has_file = find_plan_file(&run->info, plan_path);
    run_state_done(&run->tried); /* must be freed before the plan that it borrows */
    follower_close(run->follower);
    run->follower = NULL;
    /* The log has the rules of the run; only the settings say which values are secret. */
    const int code = config_read(run->info.dir, CONFIG_ACTS, &run->config);
    if (code != EXIT_ALL_PASSED)
        return code;
    session->globals = globals;
    session->plan = run->plan;
    session->plan_text = run->info.plan_text;
    session->kind = "plan";
    session->rules = run->config.settings.rules;
    session->ui = &run->config.settings.ui;
    session->secrets = &run->config.settings.secrets;
    session->run_dir = run->info.dir;
    session->plan_path = has_file ? plan_path : NULL;
    session->resume = run->info.number;
    session->seed = run->info.seed;
    session->shown_seq = run->info.last_seq;
    session->take_up = run->take_up;
    return session_run(session);
}

int continue_run(const struct globals *globals, const char *word,
                 const struct continue_run_how *how)
{
    struct err err = {0};
    struct err lack = {0};
    struct place place;
    struct old_run run = {0};
    struct session session = {.watch = how->watch, .detach = how->detach};
    int64_t number = 0;
    int code = EXIT_ALL_PASSED;
    if (!find_log_to_write(globals->db, &place, &err) ||
        !find_number(&place, word, how->failed, &number, &err) ||
        !read_run(&place, number, &run, &err) || !choose_rest(&run, how->failed, &err) ||
        !choose_jobs(how->jobs, &run, &session.jobs, &err)) {
        code = fail(&err);
    } else if (!has_secrets(&run, &lack)) {
        (void)fail(&lack);
        code = EXIT_NEEDS_YOU;
    } else {
        code = start_engine(globals, &run, &session);
    }
    old_run_done(&run);
    return code;
}

bool continue_run_is_needed(const struct place *place, int64_t number)
{
    struct log_reader *reader = NULL;
    struct log_run_info info = {0};
    const bool is_read =
        log_reader_open(&reader, place, NULL) && log_reader_run_row(reader, number, &info, NULL);
    const bool is_needed =
        is_read && info.ended_at_ms != 0 && !info.is_session && !owner_is_alive(place, info.uid);
    log_run_info_done(&info);
    log_reader_close(reader);
    return is_needed;
}

/* Appends the answer to a control from the turn. Only consequences of the control follow the
 * answer. Returns whether the control was accepted. */
static bool find_answer(const struct turn *turn, struct str *out)
{
    for (size_t i = turn->events.count; i-- > 0;) {
        const struct event *event = &turn->events.items[i];
        if (event->kind != EVENT_CONTROL_ANSWERED)
            continue;
        str_add(out, event->answered.answer ? event->answered.answer : "");
        return event->answered.done;
    }
    return false;
}

/* Returns whether this retry would be accepted. */
static bool try_retry(struct old_run *run, const struct control *asked, struct str *answers)
{
    struct input input = {.kind = INPUT_CONTROL, .control = *asked};
    struct str words = {0};
    input.control.id = 1; /* a control without an id gets no answer */
    turn_clear(&run->turn);
    try_input(run, &input);
    const bool done = find_answer(&run->turn, &words);
    str_addf(answers, "#%lld", (long long)run->info.number);
    if (asked->task >= 0 && asked->task < run->plan->task_count)
        str_addf(answers, "/%s", run->plan->tasks[asked->task].id);
    str_addf(answers, ": %s%s\n", done ? "" : "refused: ", str_text(&words));
    str_done(&words);
    return done;
}

bool continue_run_check(const struct continue_run_asked *asked, struct str *answers,
                        size_t *done_out, struct err *err)
{
    struct old_run run = {.take_up = TAKE_UP_ASKED};
    struct log_writer *writer = NULL;
    /* A newer devs may have written the log, or its folder may be read-only. */
    bool ok = log_own_check(asked->place, err) && log_writer_open(&writer, asked->place, err);
    log_writer_close(writer);
    ok = ok && read_run(asked->place, asked->run, &run, err) && try_take_up(&run, err);
    *done_out = 0;
    for (size_t i = 0; ok && i < asked->count; i++)
        *done_out += try_retry(&run, &asked->controls[i], answers);
    ok = ok && has_secrets(&run, err);
    old_run_done(&run);
    return ok;
}

int continue_run_retry(const struct globals *globals, const struct continue_run_asked *asked,
                       const struct continue_run_how *how, const char *said)
{
    struct err err = {0};
    struct old_run run = {.take_up = TAKE_UP_ASKED};
    struct session session = {.watch = how->watch,
                              .detach = how->detach,
                              .asked = asked->controls,
                              .asked_count = asked->count,
                              .opens_view = how->view,
                              .said = said};
    const int code = read_run(asked->place, asked->run, &run, &err) &&
                             choose_jobs(how->jobs, &run, &session.jobs, &err)
                         ? start_engine(globals, &run, &session)
                         : fail(&err);
    old_run_done(&run);
    return code;
}

/* The cockpit on a run whose engine is in another process, or that has ended. */

/* Saves a rule in the settings that the next run in this folder uses; `ctx` is the folder. */
static bool save_rule(void *ctx, const char *rule_json, struct err *err)
{
    return rules_add(ctx, rule_json, err);
}

/* Opens the control desk. Also succeeds if the log can only be read: the run can still be shown,
 * and controls are refused. */
static bool open_desk(struct control_desk **out, const struct place *place, struct err *err)
{
    struct err why = {0};
    struct log_reader *reader = NULL;
    if (control_desk_start(out, place, &why) || log_reader_open(&reader, place, NULL)) {
        log_reader_close(reader);
        return true;
    }
    return err_set(err, why.code, "%s", why.message) || err_hint(err, "%s", why.hint);
}

/* After :plain, prints the same run as lines until it ends. */
static int print_lines(const struct place *place, const struct app_result *result)
{
    struct err err = {0};
    const struct stream stream = {.place = place,
                                  .run = result->run,
                                  .shown_seq = result->seen_seq,
                                  .form = STREAM_PLAIN,
                                  .folds = true,
                                  .follow = true,
                                  .done_fd = -1,
                                  .signal_fd = -1};
    warn("run #%lld continues as plain lines: ^C ends only this output; to see the screen again, "
         "run devs",
         (long long)result->run);
    return stream_print(&stream, &err) ? EXIT_ALL_PASSED : fail(&err);
}

/* Returns whether an engine may be started for these retries; `ctx` is the place. */
static enum app_take_up may_take_up(void *ctx, int64_t run, const struct control *controls,
                                    size_t count, struct str *why)
{
    static const char refused[] = "refused: ";
    const struct continue_run_asked asked = {
        .place = ctx, .run = run, .controls = controls, .count = count};
    struct str answers = {0};
    struct err err = {0};
    size_t done = 0;
    if (!continue_run_is_needed(ctx, run))
        return APP_TAKE_UP_OWNED;
    if (!continue_run_check(&asked, &answers, &done, &err)) {
        str_add(why, err.message);
        done = 0;
    } else if (done == 0) {
        const char *first = strstr(str_text(&answers), refused);
        const char *words = first ? first + strlen(refused) : str_text(&answers);
        str_add_n(why, words, strcspn(words, "\n"));
    }
    str_done(&answers);
    return done > 0 ? APP_TAKE_UP_STARTS : APP_TAKE_UP_REFUSED;
}

/* The same for a run on another machine, where only a command there can start an engine; `ctx` is
 * what the program was called with. */
static enum app_take_up refuse_take_up(void *ctx, int64_t run, const struct control *controls,
                                       size_t count, struct str *why)
{
    const struct globals *globals = ctx;
    (void)controls;
    (void)count;
    str_addf(why, "the run has ended; run: devs --on %s retry %lld", globals->on, (long long)run);
    return APP_TAKE_UP_REFUSED;
}

int watch_run(struct globals *globals, const struct place *place, const struct watch_words *words,
              enum app_mode mode)
{
    char by[SESSION_BY_MAX];
    char dir[PATH_MAX];
    struct err err = {0};
    struct config config = {0};
    struct control_desk *desk = NULL;
    struct redactor *redactor = NULL;
    struct place shown = *place;
    const bool has_dir = getcwd(dir, sizeof(dir)) != NULL;
    struct app_result result = {0};
    bool ok = false;
    if (mode == APP_LIVE && !words->far && !open_desk(&desk, place, &err))
        return fail(&err);
    if (has_dir)
        /* Errors have been printed, and the run can be shown anyway. */
        (void)config_read(dir, CONFIG_LOOKS, &config);
    if (secrets_redactor(&redactor, NULL, &config.settings.secrets, &err)) {
        struct app_options options = {
            .place = place,
            .far = words->far,
            .log_file = words->far_name,
            .run = words->run,
            .opens_at = words->at,
            .opens_view = words->view,
            .opens_task = words->task,
            .mode = mode,
            .desk = words->far ? words->far_desk : desk,
            .by = session_by(by),
            .engine_done_fd = -1,
            .rules = config.settings.rules,
            .save_rule = has_dir && !words->far ? save_rule : NULL,
            .save_ctx = dir,
            .redactor = redactor,
            .open_redactor = secrets_redactor,
            .secrets = &config.settings.secrets,
            .read_file = read_text_file,
            .take_up = words->far ? refuse_take_up : (desk ? may_take_up : NULL),
            .take_up_ctx = words->far ? (void *)globals : (void *)&shown,
        };
        struct theme theme;
        struct keys_file keys;
        appearance_set(&options, globals, &config.settings.ui, &theme);
        keys_file_set(&keys, &options);
        ok = app_run(&options, &result, &err);
        keys_file_done(&keys);
    }
    follower_close(result.follower);
    control_desk_stop(desk);
    redactor_close(redactor);
    config_done(&config);
    if (!ok)
        return fail(&err);
    if (result.leave == APP_LEFT_TAKE_UP) {
        /* The screen has closed: starts an engine for the run, and opens the screen again. */
        const struct continue_run_asked asked = {.place = place,
                                                 .run = result.run,
                                                 .controls = result.asked,
                                                 .count = result.asked_count};
        const struct continue_run_how how = {.watch = SESSION_COCKPIT, .view = result.view};
        const int code = continue_run_retry(globals, &asked, &how, NULL);
        free(result.asked);
        return code;
    }
    if (result.leave == APP_LEFT_PLAIN)
        return print_lines(place, &result);
    return result.leave == APP_LEFT_SIGNAL ? 128 + result.signal : EXIT_ALL_PASSED;
}
