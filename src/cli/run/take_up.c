#include "take_up.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "clock.h"
#include "config.h"
#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "follower.h"
#include "json.h"
#include "log_own.h"
#include "log_reader.h"
#include "log_writer.h"
#include "owner.h"
#include "parse.h"
#include "plan_secrets.h"
#include "plan_sessions.h"
#include "redact.h"
#include "run_state.h"
#include "scheduler.h"
#include "target.h"

/* A run in the log, and its state as it will be once it is taken up. */
struct old_run {
    struct log_run_info info;  /* owned */
    struct plan *plan;         /* owned */
    struct config config;      /* owned; the settings of its folder as they are now */
    struct follower *follower; /* owned; NULL once an engine is to be started */
    struct run_state tried;    /* owned; the state once it is taken up; all zero: as it is */
    enum take_up take_up;
    struct turn turn; /* owned; what taking it up would write */
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

/* Ended, and did not do all that it was for? */
static bool has_rest(const struct log_run_info *info)
{
    return info->ended_at_ms != 0 && info->passed < info->tasks && !info->is_session;
}

bool take_up_is_unfinished(const struct log_run_info *info)
{
    return is_interrupted(info) || has_rest(info);
}

/* What "last" may mean; 0 = there is none. */
struct newest {
    int64_t interrupted, alive, with_rest;
    int64_t before; /* where the next page begins */
};

static void look_at_page(struct log_run_info *runs, size_t count, struct newest *newest)
{
    for (size_t i = 0; i < count; i++) {
        if (newest->interrupted == 0 && is_interrupted(&runs[i]))
            newest->interrupted = runs[i].number;
        if (newest->with_rest == 0 && has_rest(&runs[i]))
            newest->with_rest = runs[i].number;
        if (newest->alive == 0 && runs[i].ended_at_ms == 0 && runs[i].owner_alive &&
            !runs[i].is_session)
            newest->alive = runs[i].number;
        newest->before = runs[i].number;
        log_run_info_done(&runs[i]);
    }
}

/* Finds the newest interrupted run, or else the newest ended run with tasks left. If a newer run is
 * live, that one is returned and check_run() refuses it: it may have been started a moment ago.
 * With `failed` only ended runs are considered. */
static bool find_last(struct log_reader *reader, bool failed, int64_t *out, struct err *err)
{
    enum { RUNS_AT_ONCE = 16 };
    struct log_run_info runs[RUNS_AT_ONCE];
    struct newest newest = {0};
    size_t count = 0;
    do {
        if (!log_reader_runs(reader, newest.before, runs, RUNS_AT_ONCE, &count, err))
            return false;
        look_at_page(runs, count, &newest);
    } while ((failed ? newest.with_rest : newest.interrupted) == 0 && count == RUNS_AT_ONCE);
    *out = !failed && newest.interrupted != 0 ? newest.interrupted
           : newest.with_rest > newest.alive  ? newest.with_rest
                                              : newest.alive;
    if (*out != 0)
        return true;
    (void)err_set(err, ERR_NOT_FOUND,
                  failed ? "no run in this log ended with something left"
                         : "no run in this log was interrupted, or ended with something left");
    return err_hint(err, "devs runs lists them");
}

static bool find_run(const char *word, bool failed, struct log_reader *reader, int64_t *out,
                     struct err *err)
{
    struct target target;
    if (strcmp(word, "last") == 0)
        return find_last(reader, failed, out, err);
    if (!target_parse(word, &target, err))
        return false;
    if (target.run == 0 || target.task[0] != '\0') {
        (void)err_set(err, ERR_INVALID, "'%s' does not name a run", word);
        return err_hint(err, "devs run --continue 41, or last");
    }
    *out = target.run;
    return true;
}

/* The lock of an owner that was killed is held for a moment more by what it was just starting:
 * where the process itself is gone, whoever takes the run over waits for the lock, or is refused.
 */
static bool is_going_on(const struct log_run_info *info)
{
    return info->owner_alive &&
           (info->pid <= 0 || kill((pid_t)info->pid, 0) == 0 || errno != ESRCH);
}

/* Looked at before anything is touched; who takes it over looks again, under its lock. */
static bool check_run(const struct place *place, const struct log_run_info *info, struct err *err)
{
    struct stat folder;
    long long number = (long long)info->number;
    if (info->is_session) {
        (void)err_set(err, ERR_INVALID, "run #%lld is a session of '%s', which devs did not start",
                      number, info->command);
        return err_hint(err, "continue it in the agent itself");
    }
    if (is_going_on(info)) {
        (void)err_set(err, ERR_BUSY, "run #%lld is going on in another process (pid %lld)", number,
                      (long long)info->pid);
        return err_hint(err, "devs shows it");
    }
    if (info->ended_at_ms != 0 && owner_is_alive(place, info->uid)) {
        (void)err_set(err, ERR_BUSY, "run #%lld has ended, but its devs is still open (pid %lld)",
                      number, (long long)info->pid);
        return err_hint(err, "devs retry %lld, or %lld/TASK, asks that one", number, number);
    }
    if (stat(info->dir, &folder) != 0 || !S_ISDIR(folder.st_mode))
        return err_set(err, ERR_INVALID, "the folder of run #%lld does not exist: %s", number,
                       info->dir);
    return true;
}

static bool parse_plan(struct old_run *run, struct err *err)
{
    struct violations violations = {0};
    const char *text = run->info.plan_text;
    bool ok = plan_parse(text, strlen(text), &run->plan, &violations);
    violations_done(&violations);
    return ok || err_set(err, ERR_DAMAGED, "the plan of run #%lld in the log cannot be read",
                         (long long)run->info.number);
}

static bool read_run(const struct place *place, int64_t number, struct old_run *out,
                     struct err *err)
{
    struct log_reader *reader = NULL;
    bool ok = log_reader_open(&reader, place, err) &&
              log_reader_run(reader, number, &out->info, err) &&
              check_run(place, &out->info, err) && parse_plan(out, err);
    log_reader_close(reader);
    return ok && follower_open(&out->follower, place, number, err) &&
           follower_read(out->follower, 0, NULL, NULL, NULL, err);
}

static bool find_number(const struct place *place, const char *word, bool failed, int64_t *out,
                        struct err *err)
{
    struct log_reader *reader = NULL;
    bool ok = log_reader_open(&reader, place, err) && find_run(word, failed, reader, out, err);
    log_reader_close(reader);
    return ok;
}

/* An input to a copy of the state: nobody else sees what comes of it. */
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
        (void)err_set(err, ERR_INVALID, "run #%lld has ended: its callers have the answers",
                      (long long)run->info.number);
        return err_hint(err, "devs mcp starts a new run");
    }
    run_state_copy(&run->tried, state);
    try_input(run, &input);
    return true;
}

/* What is there to run of a run that has ended, and why is there nothing? */
static bool choose_rest(struct old_run *run, bool failed, struct err *err)
{
    const struct run_state *state = follower_state(run->follower);
    const long long number = run->info.number;
    run->take_up = failed ? TAKE_UP_FAILED : TAKE_UP_REST;
    if (!state->ended) {
        run->take_up = TAKE_UP_OPEN;
        if (!failed)
            return true;
        (void)err_set(err, ERR_INVALID,
                      "run #%lld was interrupted: --failed is for runs that have ended", number);
        return err_hint(err, "devs run --continue %lld continues it", number);
    }
    const int passed = state->counts[TASK_PASSED];
    const int rest = state->plan->task_count - passed;
    if (!try_take_up(run, err))
        return false;
    if (run->tried.counts[TASK_QUEUED] > 0)
        return true;
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

/* Could this process have it, and has not? */
static bool is_missing(const char *name)
{
    return redact_name_is_secret(name) && !getenv(name);
}

static bool step_lacks(const struct plan_task *task, int step, char name[REDACT_NAME_MAX + 1])
{
    return (plan_step_lacks(&task->steps[step], name) && is_missing(name)) ||
           (plan_setup_lacks(task, name) && is_missing(name));
}

/* The first step that is still to come; what has been added to the plan as it went has no secrets
 * of its own to put back. */
static int find_lack(const struct run_state *state, const struct plan *plan,
                     char name[REDACT_NAME_MAX + 1])
{
    for (int i = 0; i < plan->task_count; i++) {
        const enum task_status status = state->tasks[i].status;
        if (task_status_is_final(status))
            continue;
        for (int j = run_state_step_number(state, i); j < plan->tasks[i].step_count; j++) {
            if (step_lacks(&plan->tasks[i], j, name))
                return i;
        }
    }
    return -1;
}

/* Looked at before the run is taken over: a task that fails for want of a secret has failed. What
 * no variable holds is left to the run, which says so at the step. */
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
    return err_hint(err, "%s=... devs run --continue %lld; any value, to go without", name, number);
}

/* More than the run had before only if no two tasks could then work in one session at a time. */
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

/* The plan's file, which sandboxes keep read-only: the log has its text and the command line, whose
 * last word with the name of a file in the run's folder it is. False: not found. */
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

/* The settings of its folder are read, which prints what is wrong with them; then the engine. */
static int start(const struct globals *globals, struct old_run *run, struct session *session)
{
    char plan_path[PATH_MAX];
    const bool has_file = find_plan_file(&run->info, plan_path);
    run_state_done(&run->tried); /* before its plan */
    follower_close(run->follower);
    run->follower = NULL;
    /* The run's own rules are in the log, what is a secret is in the settings alone. */
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

int take_up_continue(const struct globals *globals, const char *word, const struct take_up_how *how)
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
        code = start(globals, &run, &session);
    }
    old_run_done(&run);
    return code;
}

bool take_up_is_needed(const struct place *place, int64_t number)
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

/* The answer to an act, which is the last event but for what follows on it. */
static bool find_answer(const struct turn *turn, struct str *out)
{
    for (size_t i = turn->event_count; i-- > 0;) {
        struct json *text = NULL;
        const struct event *event = &turn->events[i];
        if (event->kind != EVENT_CONTROL_ANSWERED || !event->text ||
            !json_parse(event->text, strlen(event->text), &text, NULL, NULL))
            continue;
        str_add(out, json_text(json_get(text, "answer"), ""));
        json_free(text);
        return event->b == 1;
    }
    return false;
}

/* Whether one retry would be done. */
static bool try_retry(struct old_run *run, const struct control *asked, struct str *answers)
{
    struct input input = {.kind = INPUT_CONTROL, .control = *asked};
    struct str words = {0};
    input.control.id = 1; /* else nothing is answered */
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

/* A newer devs may have written the log, or its folder may be read-only. */
static bool may_write(const struct place *place, struct err *err)
{
    struct log_writer *writer = NULL;
    const bool ok = log_own_check(place, err) && log_writer_open(&writer, place, err);
    log_writer_close(writer);
    return ok;
}

bool take_up_check(const struct take_up_asked *asked, struct str *answers, size_t *done_out,
                   struct err *err)
{
    struct old_run run = {.take_up = TAKE_UP_ASKED};
    bool ok = may_write(asked->place, err) && read_run(asked->place, asked->run, &run, err) &&
              try_take_up(&run, err);
    *done_out = 0;
    for (size_t i = 0; ok && i < asked->count; i++)
        *done_out += try_retry(&run, &asked->controls[i], answers);
    ok = ok && has_secrets(&run, err);
    old_run_done(&run);
    return ok;
}

int take_up_retry(const struct globals *globals, const struct take_up_asked *asked,
                  const struct take_up_how *how, const char *said)
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
                         ? start(globals, &run, &session)
                         : fail(&err);
    old_run_done(&run);
    return code;
}
