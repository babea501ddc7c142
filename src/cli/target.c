/* target.c - finds the log, run, task, attempt or runs that words on the command line name.
 *
 * The sections, in this order: runs and tasks, the kept result of a task, the log, the run or file
 * of devs debug, an attempt, several runs. */
#define _GNU_SOURCE /* environ */

#include "target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "fail.h"
#include "follower.h"
#include "log_own.h"
#include "log_reader.h"
#include "parse.h"
#include "shown.h"
#include "str.h"
#include "text.h"
#include "xalloc.h"

/* Runs and tasks. */

bool target_parse(const char *word, struct target *out, struct err *err)
{
    struct target target = {0};
    const char *start = word[0] == '#' ? word + 1 : word;
    const char *slash = strchr(start, '/');
    size_t len = slash ? (size_t)(slash - start) : strlen(start);
    const char *task = slash ? slash + 1 : "";

    /* an empty name, such as from an unset variable in a script, must not select a whole run */
    if (*start == '\0' || (slash && *task == '\0')) {
        (void)err_set(err, ERR_INVALID, "'%s' does not name a %s", word, slash ? "task" : "run");
        return err_hint(
            err, "use 41, 41/tax or tax; devs runs lists the runs, devs status --all the tasks");
    }
    if (len > 0 && strspn(start, "0123456789") >= len) {
        char digits[24];
        if (len >= sizeof(digits))
            return err_set(err, ERR_INVALID, "'%s' is not a run number", word);
        memcpy(digits, start, len);
        digits[len] = '\0';
        if (!parse_i64(digits, 1, INT64_MAX, &target.run, err))
            return false;
    } else if (slash && len == strlen("last") && strncmp(start, "last", len) == 0) {
        target.is_newest = true;
    } else if (slash) {
        (void)err_set(err, ERR_INVALID, "'%s' does not name a run", word);
        return err_hint(err, "use 41/TASK, last/TASK or TASK; devs runs lists the runs");
    } else {
        task = word;
        target.is_last = strcmp(word, "last") == 0;
    }
    if (strlen(task) > PLAN_ID_MAX)
        return err_set(err, ERR_INVALID, "'%s' is too long for a task id", task);
    (void)snprintf(target.task, sizeof(target.task), "%s", task);
    *out = target;
    return true;
}

bool target_parse_task(const char *word, const char *hint, struct target *out, struct err *err)
{
    if (!target_parse(word, out, err))
        return false;
    if (out->task[0] != '\0')
        return true;
    (void)err_set(err, ERR_INVALID, "'%s' does not name a task", word);
    return err_hint(err, "%s", hint);
}

bool target_parse_run(const char *word, const char *hint, int64_t *out, struct err *err)
{
    struct target target = {0};
    bool is_newest = !word || strcmp(word, "last") == 0;
    if (!is_newest && !target_parse(word, &target, err))
        return false;
    if (target.task[0] != '\0') {
        (void)err_set(err, ERR_INVALID, "'%s' is not a run", word);
        return err_hint(err, "%s", hint);
    }
    *out = target.run;
    return true;
}

bool target_names_run(const char *word)
{
    int64_t run = 0;
    return target_parse_run(word, "", &run, NULL);
}

void target_show_plan(struct log_reader *reader, int64_t run, target_plan_fn *look, void *ctx)
{
    struct log_run_info info = {0};
    struct plan *plan = NULL;
    struct violations wrong = {0};
    if (!log_reader_run(reader, run, &info, NULL))
        return;
    bool ok = plan_parse(info.plan_text, strlen(info.plan_text), &plan, &wrong);
    if (ok && plan->grows) {
        /* the tasks of a growing run are in its events, not in its recorded plan */
        struct follower *follower = NULL;
        if (follower_open(&follower, log_reader_place(reader), info.number, NULL) &&
            follower_read(follower, 0, NULL, NULL, NULL, NULL))
            look(ctx, follower_state(follower)->plan);
        follower_close(follower);
    } else if (ok) {
        look(ctx, plan);
    }
    plan_free(plan);
    violations_done(&wrong);
    log_run_info_done(&info);
}

enum { LOOK_AT_RUNS = 16 }; /* number of newest runs searched for a task given without its run */

struct sought {
    const char *task;
    bool found;
};

static void seek_task(void *ctx, const struct plan *plan)
{
    struct sought *sought = ctx;
    sought->found = plan_find(plan, sought->task) >= 0;
}

static bool find_run(struct target *target, struct log_reader *reader, struct err *err)
{
    struct log_run_info runs[LOOK_AT_RUNS];
    size_t count = 0;
    if (target->run != 0 || target->is_newest || target->task[0] == '\0')
        return true;
    if (!log_reader_runs(reader, 0, runs, LOOK_AT_RUNS, &count, err))
        return false;
    for (int alive = 1; alive >= 0 && target->run == 0; alive--) {
        for (size_t i = 0; i < count && target->run == 0; i++) {
            struct sought sought = {.task = target->task};
            bool is_alive = runs[i].owner_alive && runs[i].ended_at_ms == 0;
            if (is_alive == alive)
                target_show_plan(reader, runs[i].number, seek_task, &sought);
            if (sought.found)
                target->run = runs[i].number;
        }
    }
    for (size_t i = 0; i < count; i++)
        log_run_info_done(&runs[i]);
    return true;
}

bool target_follow(struct target *target, const struct place *place, struct follower **out,
                   struct err *err)
{
    struct log_reader *reader = NULL;
    if (!log_reader_open(&reader, place, err))
        return false;
    bool ok = find_run(target, reader, err);
    log_reader_close(reader);
    if (!ok || !follower_open(out, place, target->run, err))
        return false;
    target->run = follower_run(*out)->number;
    return true;
}

void target_settle(struct target *target, const struct plan *plan)
{
    if (target->is_last && plan_find(plan, target->task) < 0)
        target->task[0] = '\0';
}

/* The ids listed in a hint. */
struct named_ids {
    const char *ids[TARGET_IDS_NAMED];
    int count;
};

static void name_id(struct named_ids *named, const char *id)
{
    for (int i = 0; i < named->count; i++) {
        if (strcmp(named->ids[i], id) == 0)
            return;
    }
    if (named->count < TARGET_IDS_NAMED)
        named->ids[named->count++] = id;
}

bool target_hint_near(const struct plan *plan, const char *id, const char *lists, struct err *err)
{
    enum { ALIKE_BYTES = 2 };
    struct named_ids named = {.count = 0};
    struct str ids = {0};
    struct near_word near = near_word_new(id);
    for (int i = 0; i < plan->task_count; i++)
        near_word_offer(&near, plan->tasks[i].id);
    if (near.nearest)
        name_id(&named, near.nearest);
    for (int i = 0; i < plan->task_count && named.count < TARGET_IDS_NAMED; i++) {
        if (strncmp(plan->tasks[i].id, id, ALIKE_BYTES) == 0)
            name_id(&named, plan->tasks[i].id);
    }
    const bool is_near = named.count > 0;
    for (int i = 0; i < plan->task_count && i < TARGET_IDS_NAMED && !is_near; i++)
        name_id(&named, plan->tasks[i].id);
    for (int i = 0; i < named.count; i++)
        str_addf(&ids, "%s'%s'", i == 0 ? "" : ", ", named.ids[i]);
    if (named.count > 0)
        (void)err_hint(err, "use a known task, such as %s; %s lists all", str_text(&ids), lists);
    str_done(&ids);
    return false;
}

bool target_task(const struct target *target, const struct plan *plan, int *out, struct err *err)
{
    int number = plan_find(plan, target->task);
    if (number < 0) {
        (void)err_set(err, ERR_NOT_FOUND, "run #%lld has no task '%s'", (long long)target->run,
                      target->task);
        return target_hint_near(plan, target->task, "devs status --all", err);
    }
    *out = number;
    return true;
}

bool target_only_task(struct target *target, const struct plan *plan, const char *command, int *out,
                      struct err *err)
{
    target_settle(target, plan);
    if (target->task[0] != '\0' || plan->task_count == 0)
        return target_task(target, plan, out, err);
    if (plan->task_count == 1) {
        *out = 0;
        (void)snprintf(target->task, sizeof(target->task), "%s", plan->tasks[0].id);
        return true;
    }
    (void)err_set(err, ERR_INVALID, "run #%lld has %d tasks", (long long)target->run,
                  plan->task_count);
    return err_hint(err, "use devs %s %lld/TASK with a task such as %s", command,
                    (long long)target->run, plan->tasks[0].id);
}

/* What a command works on. */

bool subject_open(struct subject *out, const struct command *command, const char *db,
                  const char *word, struct err *err)
{
    *out = (struct subject){0};
    struct target *target = &out->target;
    const bool needs_log = command->needs == COMMAND_NEEDS_LOG;
    if (!needs_log && !target_parse(word, target, err))
        return false;
    if (!(command->writes ? find_log_to_write(db, &out->place, err)
                          : find_log(db, false, &out->place, err)))
        return false;
    if (needs_log)
        return log_reader_open(&out->reader, &out->place, err);
    if (!target_follow(target, &out->place, &out->follower, err))
        return false;
    if (command->needs == COMMAND_NEEDS_RUN)
        return true;
    if (!follower_read(out->follower, 0, NULL, NULL, NULL, err))
        return false;
    return target_only_task(target, follower_state(out->follower)->plan, command->name, &out->task,
                            err);
}

void subject_close(struct subject *subject)
{
    log_reader_close(subject->reader);
    follower_close(subject->follower);
    *subject = (struct subject){0};
}

/* The kept result of a task. */

bool result_target_open(struct result_target *out, const struct subject *subject, struct err *err)
{
    char run[24];
    const struct log_run_info *info = follower_run(subject->follower);
    const struct plan *plan = follower_state(subject->follower)->plan;
    const struct plan_task *of = &plan->tasks[subject->task];
    *out = (struct result_target){.target = subject->target, .run_dir = xstrdup(info->dir)};
    const char **needed = xcalloc((size_t)of->need_count + 1, sizeof(*needed));
    for (int i = 0; i < of->need_count; i++)
        needed[i] = plan->tasks[of->needs[i]].id;
    (void)snprintf(run, sizeof(run), "%" PRId64, info->number);
    const struct workspace_result_call call = {.log_dir = subject->place.dir,
                                               .uid = info->uid,
                                               .run = run,
                                               .task = of->id,
                                               .needed = needed,
                                               .environment = environ};
    const bool ok = workspace_result_open(&out->result, &call, err) &&
                    workspace_result_changes(out->result, &out->changes, err);
    free(needed);
    return ok;
}

void result_target_done(struct result_target *value)
{
    workspace_changes_done(&value->changes);
    workspace_result_close(value->result);
    free(value->run_dir);
    value->result = NULL;
}

static void sum_lines(const struct workspace_changes *changes, int64_t *added, int64_t *removed)
{
    *added = 0;
    *removed = 0;
    for (size_t i = 0; i < changes->count; i++) {
        if (changes->items[i].added >= 0) {
            *added += changes->items[i].added;
            *removed += changes->items[i].removed;
        }
    }
}

void result_target_sum(const struct workspace_changes *changes, struct str *out)
{
    int64_t added;
    int64_t removed;
    sum_lines(changes, &added, &removed);
    shown_count((int64_t)changes->count, "path changed, ", "paths changed, ", out);
    shown_count(added, "line added, ", "lines added, ", out);
    str_add_i64(out, removed);
    str_add(out, " removed");
}

static void text_if(struct str *out, const char *key, const char *text)
{
    if (text[0])
        str_json_text(out, key, text);
}

void result_target_json(const struct result_target *value, struct str *out)
{
    const struct workspace_changes *changes = &value->changes;
    int64_t added;
    int64_t removed;
    sum_lines(changes, &added, &removed);
    str_add(out, "{");
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", value->target.run);
    str_json_text(out, "task", value->target.task);
    str_json_bool(out, "result", changes->is_result);
    text_if(out, "base", changes->base);
    text_if(out, "commit", changes->commit);
    text_if(out, "branch", str_text(&changes->branch));
    text_if(out, "path", str_text(&changes->path));
    text_if(out, "tree", str_text(&changes->origin));
    text_if(out, "why", str_text(&changes->why));
    str_json_i64(out, "added", added);
    str_json_i64(out, "removed", removed);
    str_json_key(out, "paths");
    for (size_t i = 0; i < changes->count; i++) {
        const struct workspace_change *change = &changes->items[i];
        const char kind[] = {change->kind, '\0'};
        str_add(out, i == 0 ? "[{" : ",{");
        str_json_text(out, "kind", kind);
        str_json_text(out, "path", change->path);
        if (change->added >= 0) {
            str_json_i64(out, "added", change->added);
            str_json_i64(out, "removed", change->removed);
        }
        str_add(out, "}");
    }
    str_add(out, changes->count == 0 ? "[]" : "]");
}

/* The log. */

static bool find_with_warning(const char *db, bool create, struct place *out, struct err *err)
{
    if (!place_find(db, create, out, err))
        return false;
    if (out->is_shared)
        warn(create ? "cannot keep a log in this folder: the run is recorded in '%s'"
                    : "no log in this folder or above: using the shared log '%s'",
             out->db);
    return true;
}

bool find_log(const char *db, bool create, struct place *out, struct err *err)
{
    struct err why = {0};
    if (!find_with_warning(db, create, out, err))
        return false;
    if (!create && !log_own_check(out, &why) && why.code == ERR_INVALID && !bundle_is_one(out))
        warn("%s", why.message);
    return true;
}

bool find_log_to_write(const char *db, struct place *out, struct err *err)
{
    return find_with_warning(db, false, out, err) &&
           (bundle_is_one(out) || log_own_check(out, err));
}

/* A run or a file of `devs debug`. */

static bool ends_with(const char *word, const char *end)
{
    const size_t len = strlen(word);
    return len > strlen(end) && strcmp(word + len - strlen(end), end) == 0;
}

/* Returns whether the word looks like the name of a log or a bundle. A task with an id like that
 * must be named with its run. */
static bool is_like_file(const char *word)
{
    const char *slash = strchr(word, '/');
    if (!slash)
        return ends_with(word, ".db") || ends_with(word, ".devs");
    struct target target;
    return !target_parse(word, &target, NULL);
}

bool log_word_find(const struct globals *globals, const char *word, struct place *place,
                   struct target *target, struct err *err)
{
    *target = (struct target){0};
    bool is_file = word && (access(word, F_OK) == 0 || word[0] == '/' || word[0] == '.');
    if (word && !is_file && is_like_file(word))
        return err_set(err, ERR_NOT_FOUND, "no such file '%s'", word);
    bool is_newest = !word || strcmp(word, "last") == 0; /* as in devs run --continue */
    const char *db = is_file ? word : globals->db;
    return (is_newest || is_file || target_parse(word, target, err)) &&
           find_log(db, false, place, err);
}

/* The attempt. */

/* Picks the latest failed attempt of the steps from `first` to `last`, or else the latest
 * attempt. */
static void pick_latest(const struct task_state *task, int first, int last,
                        struct attempt_pick *pick)
{
    pick->step = last;
    pick->attempt = 0;
    for (int step = last; step >= first; step--) {
        for (size_t i = task->steps[step].attempt_count; i > 0; i--) {
            const struct attempt_state *attempt = &task->steps[step].attempts[i - 1];
            const bool failed = attempt->ended.at_ms != 0 && attempt->class != VERDICT_SUCCESS;
            if (failed || pick->attempt == 0) {
                pick->step = step;
                pick->attempt = attempt->number;
            }
            if (failed)
                return;
        }
    }
}

bool attempt_pick(const struct run_state *state, int task, const struct attempt_words *words,
                  struct attempt_pick *out, struct err *err)
{
    const struct task_state *it = &state->tasks[task];
    struct attempt_pick pick = {.task = task};
    int current = run_state_step_number(state, task);
    int64_t step = current + 1;
    if (words->step && !parse_i64(words->step, 1, state->plan->tasks[task].step_count, &step, err))
        return err_hint(err, "%s has %d step%s", state->plan->tasks[task].id,
                        state->plan->tasks[task].step_count,
                        state->plan->tasks[task].step_count == 1 ? "" : "s");
    int last = (int)step - 1;
    /* Falls back from a step that has not started to the previous one. */
    while (!words->step && last > 0 && it->steps[last].attempt_count == 0)
        last--;
    if (words->try) {
        const int64_t latest = (int64_t)it->steps[last].attempt_count;
        int64_t attempt = 0;
        if (latest == 0)
            return err_set(err, ERR_INVALID, "step %d has not been tried yet", last + 1);
        if (!parse_i64(words->try, 1, latest, &attempt, err))
            return err_hint(err, "step %d has had %lld tr%s", last + 1, (long long)latest,
                            latest == 1 ? "y" : "ies");
        pick.step = last;
        pick.attempt = (int)attempt;
    } else {
        pick_latest(it, words->step ? last : 0, last, &pick);
    }
    *out = pick;
    return true;
}

/* Several runs of one log. */

void run_choice_done(struct run_choice *choice)
{
    free(choice->runs);
    *choice = (struct run_choice){0};
}

static bool add_run(struct run_choice *choice, int64_t run, struct err *err)
{
    for (size_t i = 0; i < choice->count; i++) {
        if (choice->runs[i] == run)
            return true;
    }
    if (choice->count == RUN_CHOICE_MAX)
        return err_set(err, ERR_LIMIT, "at most %d runs at a time", RUN_CHOICE_MAX);
    choice->runs = xgrow(choice->runs, &choice->cap, choice->count + 1, sizeof(*choice->runs));
    choice->runs[choice->count++] = run;
    return true;
}

static bool add_known_run(struct log_reader *reader, int64_t run, struct run_choice *out,
                          struct err *err)
{
    struct log_run_info info;
    if (!log_reader_run(reader, run, &info, err))
        return false;
    const int64_t number = info.number;
    log_run_info_done(&info);
    return add_run(out, number, err);
}

/* Adds all runs from `first` to `last`, newest first. */
static bool add_between(struct log_reader *reader, int64_t first, int64_t last,
                        struct run_choice *out, struct err *err)
{
    enum { RUNS_AT_ONCE = 16 };
    struct log_run_info runs[RUNS_AT_ONCE];
    int64_t before = last < INT64_MAX ? last + 1 : 0;
    size_t count = 0;
    bool ok = true;
    do {
        ok = log_reader_runs(reader, before, runs, RUNS_AT_ONCE, &count, err);
        for (size_t i = 0; ok && i < count; i++) {
            before = runs[i].number;
            ok = before < first || add_run(out, before, err);
        }
        for (size_t i = 0; i < count; i++)
            log_run_info_done(&runs[i]);
    } while (ok && count == RUNS_AT_ONCE && before > first);
    return ok;
}

/* Parses "38-41". Returns false for any other word. */
static bool parse_range(const char *word, int64_t *first, int64_t *last)
{
    enum { DIGITS_MAX = 20 };
    const char *dash = strchr(word, '-');
    char digits[DIGITS_MAX + 1];
    const size_t len = dash ? (size_t)(dash - word) : 0;
    if (len == 0 || len > DIGITS_MAX)
        return false;
    memcpy(digits, word, len);
    digits[len] = '\0';
    const char *from = digits[0] == '#' ? digits + 1 : digits;
    const char *to = dash[1] == '#' ? dash + 2 : dash + 1;
    return parse_i64(from, 1, INT64_MAX, first, NULL) &&
           parse_i64(to, *first, INT64_MAX, last, NULL);
}

bool run_choice_add(struct log_reader *reader, char *const *words, int count,
                    struct run_choice *out, struct err *err)
{
    static const char hint[] = "use a number from devs runs, 38-41, last or all";
    bool ok = true;
    for (int i = 0; ok && i < count; i++) {
        int64_t run = 0, first = 0, last = 0;
        if (strcmp(words[i], "all") == 0)
            ok = add_between(reader, 1, INT64_MAX, out, err);
        else if (parse_range(words[i], &first, &last))
            ok = add_between(reader, first, last, out, err);
        else
            ok =
                target_parse_run(words[i], hint, &run, err) && add_known_run(reader, run, out, err);
    }
    return ok;
}

bool run_choice_find(const struct globals *globals, char *const *words, int count,
                     struct log_reader **reader, struct run_choice *out, struct err *err)
{
    struct place place;
    struct target target;
    *reader = NULL;
    *out = (struct run_choice){0};
    const bool is_all = count > 0 && strcmp(words[0], "all") == 0;
    const char *log = count > 0 && !is_all ? words[0] : NULL;
    if (!log_word_find(globals, log, &place, &target, err) || !log_reader_open(reader, &place, err))
        return false;
    const bool is_file =
        log && target.run == 0 && target.task[0] == '\0' && strcmp(log, "last") != 0;
    const int first = is_file ? 1 : 0;
    if (count <= first)
        return add_known_run(*reader, 0, out, err);
    return run_choice_add(*reader, words + first, count - first, out, err);
}
