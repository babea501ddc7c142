#include "continue_run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "config.h"
#include "continue_secrets.h"
#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "log_reader.h"
#include "parse.h"
#include "place.h"
#include "plan_sessions.h"
#include "target.h"

/* What the log has of the run. */
struct old_run {
    struct log_run_info info; /* owned */
    struct plan *plan;        /* owned */
    struct config config;     /* owned; the settings of its folder as they are now */
};

static void done(struct old_run *run)
{
    plan_free(run->plan);
    log_run_info_done(&run->info);
    config_done(&run->config);
}

static bool is_interrupted(const struct log_run_info *info)
{
    return info->ended_at_ms == 0 && !info->owner_alive;
}

/* What the pages of the log have; 0 = none. */
struct newest {
    int64_t interrupted, alive;
    int64_t before; /* where the next page begins */
};

static void look_at_page(struct log_run_info *runs, size_t count, struct newest *newest)
{
    for (size_t i = 0; i < count; i++) {
        if (newest->interrupted == 0 && is_interrupted(&runs[i]))
            newest->interrupted = runs[i].number;
        if (newest->alive == 0 && runs[i].ended_at_ms == 0 && runs[i].owner_alive &&
            !runs[i].is_session)
            newest->alive = runs[i].number;
        newest->before = runs[i].number;
        log_run_info_done(&runs[i]);
    }
}

/* Where none was interrupted, one that another process has (perhaps since a moment ago) is what
 * was meant: check_run() says so. */
static bool find_last(struct log_reader *reader, int64_t *out, struct err *err)
{
    enum { RUNS_AT_ONCE = 16 };
    struct log_run_info runs[RUNS_AT_ONCE];
    struct newest newest = {0};
    size_t count = 0;
    do {
        if (!log_reader_runs(reader, newest.before, runs, RUNS_AT_ONCE, &count, err))
            return false;
        look_at_page(runs, count, &newest);
    } while (newest.interrupted == 0 && count == RUNS_AT_ONCE);
    *out = newest.interrupted != 0 ? newest.interrupted : newest.alive;
    if (*out != 0)
        return true;
    (void)err_set(err, ERR_NOT_FOUND, "no run in this log was interrupted");
    return err_hint(err, "devs runs lists them");
}

static bool find_run(const char *word, struct log_reader *reader, int64_t *out, struct err *err)
{
    struct target target;
    if (strcmp(word, "last") == 0)
        return find_last(reader, out, err);
    if (!target_parse(word, &target, err))
        return false;
    if (target.run == 0 || target.task[0] != '\0') {
        (void)err_set(err, ERR_INVALID, "'%s' names no run", word);
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
static bool check_run(const struct log_run_info *info, struct err *err)
{
    struct stat folder;
    long long number = (long long)info->number;
    if (info->ended_at_ms != 0) {
        (void)err_set(err, ERR_INVALID, "run #%lld has ended: there is nothing to go on with",
                      number);
        return err_hint(err, "devs run PLAN starts a new one");
    }
    if (info->is_session) {
        (void)err_set(err, ERR_INVALID, "run #%lld is a session of '%s', which devs did not start",
                      number, info->command);
        return err_hint(err, "the agent itself goes on with it");
    }
    if (is_going_on(info)) {
        (void)err_set(err, ERR_BUSY, "run #%lld is going on in another process (pid %lld)", number,
                      (long long)info->pid);
        return err_hint(err, "devs shows it");
    }
    if (stat(info->dir, &folder) != 0 || !S_ISDIR(folder.st_mode))
        return err_set(err, ERR_INVALID, "the folder of run #%lld is not there: %s", number,
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

static bool read_run(const char *word, const struct place *place, struct old_run *out,
                     struct err *err)
{
    struct log_reader *reader = NULL;
    int64_t number = 0;
    bool ok = log_reader_open(&reader, place, err) && find_run(word, reader, &number, err) &&
              log_reader_run(reader, number, &out->info, err) && check_run(&out->info, err) &&
              parse_plan(out, err);
    log_reader_close(reader);
    return ok;
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

static int go_on(const struct globals *globals, const struct continue_words *words,
                 const struct old_run *run, int jobs)
{
    char plan_path[PATH_MAX];
    const bool has_file = find_plan_file(&run->info, plan_path);
    struct session session = {.globals = globals,
                              .plan = run->plan,
                              .plan_text = run->info.plan_text,
                              .kind = "plan",
                              .rules = run->config.settings.rules,
                              .ui = &run->config.settings.ui,
                              .secrets = &run->config.settings.secrets,
                              .run_dir = run->info.dir,
                              .plan_path = has_file ? plan_path : NULL,
                              .jobs = jobs,
                              .watch = words->watch,
                              .detach = words->detach,
                              .resume = run->info.number,
                              .seed = run->info.seed,
                              .shown_seq = run->info.last_seq};
    return session_run(&session);
}

int continue_run(const struct globals *globals, const struct continue_words *words)
{
    struct err err = {0};
    struct place place;
    struct old_run run = {0};
    int jobs = 0;
    int code = EXIT_ALL_PASSED;
    if (!find_log_to_write(globals->db, &place, &err) ||
        !read_run(words->run, &place, &run, &err) || !choose_jobs(words->jobs, &run, &jobs, &err)) {
        code = fail(&err);
    } else {
        /* The run's own rules are in the log, what is a secret is in the settings alone. */
        code = config_read(run.info.dir, CONFIG_ACTS, &run.config);
        if (code == EXIT_ALL_PASSED)
            code = continue_secrets_check(&place, &run.info, run.plan);
        if (code == EXIT_ALL_PASSED)
            code = go_on(globals, words, &run, jobs);
    }
    done(&run);
    return code;
}
