/* plan_file.c - reads a plan with the settings of its project, and shows it for --dry-run.
 *
 * A plan not named by the user needs trust, because an attempt may have written it. The log gets
 * the plan together with the settings and the contract files. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "plan_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter.h"
#include "fail.h"
#include "parse.h"
#include "plan.h"
#include "redact.h"
#include "secrets.h"
#include "shown.h"
#include "text.h"
#include "text_file.h"
#include "trust.h"

enum { JOBS_DEFAULT = 2 };

static bool make_absolute(const char *path, char out[PATH_MAX])
{
    char here[PATH_MAX] = "";
    if (path[0] != '/' && !getcwd(here, sizeof(here)))
        return false;
    const int wrote = snprintf(out, PATH_MAX, "%s%s%s", here, here[0] ? "/" : "", path);
    return wrote > 0 && wrote < PATH_MAX;
}

/* Finds the plan's path and folder. A plan from a pipe has no folder of its own and uses the
 * current one. */
static bool find_dir(const char *path, struct plan_file *file, struct err *err)
{
    struct stat info;
    bool is_file = strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    char whole[PATH_MAX];
    file->path[0] = '\0';
    if (is_file && !make_absolute(path, file->path))
        return err_set(err, ERR_INVALID, "plan '%s': path too long", path);
    if (!realpath(is_file ? path : ".", whole))
        return err_set(err, ERR_INVALID, "plan '%s': its folder does not exist", path);
    char *slash = strrchr(whole, '/');
    if (is_file && slash)
        slash[slash == whole ? 1 : 0] = '\0';
    (void)snprintf(file->dir, sizeof(file->dir), "%s", whole);
    return true;
}

/* Reads a contract from a file of its own; `ctx` is the plan's folder. An untrusted plan may
 * name any file. */
static bool read_contract(void *ctx, const char *name, struct str *out, struct err *err)
{
    const char *dir = ctx;
    char path[PATH_MAX];
    bool is_absolute = name[0] == '/';
    int len = snprintf(path, sizeof(path), "%s%s%s", is_absolute ? "" : dir, is_absolute ? "" : "/",
                       name);
    if (len >= PATH_MAX)
        return err_set(err, ERR_INVALID, "path too long");
    return read_text_file(path, CONTRACT_BYTES_MAX, out, err);
}

static int parse_plan_text(const char *path, bool may_share_sessions, struct plan_file *file)
{
    struct violations violations = {0};
    const struct plan_files files = {.read = read_contract, .ctx = file->dir};
    const struct plan_context context = {.settings = &file->config.settings, .files = &files};
    int code = EXIT_ALL_PASSED;
    const bool ok = plan_parse_with(str_text(&file->text), file->text.len, &context, &file->plan,
                                    &violations) &&
                    plan_is_whole(file->plan, &violations) &&
                    (may_share_sessions || plan_sessions_check(file->plan, &violations));
    if (!ok) {
        char what[PATH_MAX + 16];
        (void)snprintf(what, sizeof(what), "plan '%s'", path); /* truncated if too long */
        code = fail_violations(what, "nothing was started", &violations);
    } else if (plan_has_more(file->plan)) {
        /* The log records the plan as it runs: with the settings, and with contracts from files. */
        plan_file_rewrite(file);
        if (file->text.len > PLAN_BYTES_MAX)
            code =
                fail_usage(NULL, "plan '%s' is larger than %d MiB with its settings and contracts",
                           path, PLAN_BYTES_MAX / (1024 * 1024));
    }
    violations_done(&violations);
    return code;
}

/* Warns and returns EXIT_USAGE unless the plan is trusted, because an attempt may have written
 * it. */
static int check_trust(const struct plan_file *file)
{
    struct str command = {0};
    const enum trust_state state = trust_find(file->path, &file->source);
    if (state == TRUST_GIVEN)
        return EXIT_ALL_PASSED;
    str_add(&command, "devs trust ");
    shell_word_add(file->path, &command);
    warn("%s: %s; read the plan, then run: %s", file->path,
         state == TRUST_CHANGED ? "the plan has changed since you trusted it or devs wrote it"
                                : "devs plan-phase did not write this plan here, so it needs your "
                                  "trust",
         str_text(&command));
    str_done(&command);
    return EXIT_USAGE;
}

/* Reads the plan. With `edit`, the plan needs trust and is changed first. */
static int read_plan(const char *path, enum config_use use, plan_file_edit_fn *edit, void *ctx,
                     struct plan_file *out)
{
    struct err err = {0};
    struct err why = {0};
    struct plan_file file = {0};
    bool is_read = read_text_input(path, PLAN_BYTES_MAX, &file.source, &why);
    if (!is_read) {
        (void)err_set(&err, why.code, "plan '%s': %s", path, why.message);
        if (why.code == ERR_NOT_FOUND)
            (void)err_hint(&err, "devs init writes a starter plan");
    }
    if (!is_read || !find_dir(path, &file, &err)) {
        plan_file_done(&file);
        return fail(&err);
    }
    /* Invalid JSON stays unchanged, and is reported when it is parsed. */
    struct json *root = NULL;
    if (edit && json_parse_data(str_text(&file.source), file.source.len, &root, NULL, NULL))
        edit(ctx, root, &file.text);
    else
        str_add_n(&file.text, str_text(&file.source), file.source.len);
    json_free(root);
    int code = edit ? check_trust(&file) : EXIT_ALL_PASSED;
    if (code == EXIT_ALL_PASSED)
        code = config_read(file.dir, use, &file.config);
    if (code == EXIT_ALL_PASSED)
        code = parse_plan_text(path, edit != NULL, &file);
    if (code != EXIT_ALL_PASSED)
        plan_file_done(&file);
    else
        *out = file;
    return code;
}

int plan_file_read(const char *path, enum config_use use, struct plan_file *out)
{
    return read_plan(path, use, NULL, NULL, out);
}

int plan_file_read_trusted(const char *path, plan_file_edit_fn *edit, void *ctx,
                           struct plan_file *out)
{
    return read_plan(path, CONFIG_ACTS, edit, ctx, out);
}

bool plan_file_jobs(const struct plan_file *file, const char *given, int *out, struct err *err)
{
    int64_t jobs = file->plan->jobs > 0 ? file->plan->jobs : JOBS_DEFAULT;
    if (given && !parse_i64(given, 1, PLAN_JOBS_MAX, &jobs, err)) {
        (void)err_hint(err, "-j takes 1 to %d", PLAN_JOBS_MAX);
        return false;
    }
    *out = (int)jobs;
    return true;
}

void plan_file_rewrite(struct plan_file *file)
{
    str_clear(&file->text);
    plan_write(file->plan, &file->text);
}

void plan_file_done(struct plan_file *file)
{
    plan_free(file->plan);
    str_done(&file->text);
    str_done(&file->source);
    config_done(&file->config);
    file->plan = NULL;
}

/* Describes the policy as it applies in this plan. */
static void add_policy_words(const struct plan *plan, const struct policy *policy, struct str *out)
{
    struct policy applied = *policy;
    if (plan->loops.preset == ENTROPY_OFF)
        applied.window = applied.same_stops = applied.unchanged_stops = 0;
    policy_words(&applied, out);
}

static void add_policy(const struct plan *plan, const struct policy *policy, int tries,
                       struct str *out)
{
    str_addf(out, "(%s", policy->name);
    if (tries > 1 || policy->deadline_ms > 0)
        str_add(out, ": ");
    if (tries > 1)
        add_policy_words(plan, policy, out);
    else
        policy_deadline_words(policy, out);
    str_add_char(out, ')');
}

/* The text of a step's retries, which is usually the same for many steps in a row. */
struct retries {
    const struct policy *policy;
    enum phase phase;
    int tries;
    bool may_repeat;
    struct str text;
};

static void add_retries(const struct plan *plan, struct retries *last, const struct plan_task *task,
                        const struct plan_step *step, struct str *out)
{
    const struct policy *policy = step->policy;
    const int tries = plan_step_attempts(step);
    const bool may_repeat = step->idempotent || workspace_can_be_reset(task->workspace);
    if (policy != last->policy || step->phase != last->phase || tries != last->tries ||
        may_repeat != last->may_repeat) {
        *last = (struct retries){policy, step->phase, tries, may_repeat, last->text};
        str_clear(&last->text);
        str_addf(&last->text, " %-8s %d tr%s ", phase_name(step->phase), tries,
                 tries == 1 ? "y  " : "ies");
        add_policy(plan, policy, tries, &last->text);
        /* Waits requested by a server can add attempts, which needs a policy that retries. */
        if (may_repeat && policy_fits_phase(policy, step->phase) &&
            policy_retries_on(policy, VERDICT_TRANSIENT, false) && policy->retry_after_cap_ms > 0)
            str_addf(&last->text, " and up to %d more if the server requests a wait",
                     POLICY_FREE_HINTS);
    }
    str_add_n(out, str_text(&last->text), last->text.len);
}

/* Appends a line " LABEL WORDS"; nothing if the plan has no such words. */
static void add_words(const char *label, char *const *words, struct str *out)
{
    const int count = (int)text_list_count(words);
    if (count == 0)
        return;
    str_addf(out, "    %-8s ", label);
    shell_words_add(words, count, out);
    str_add_char(out, '\n');
}

/* Appends a line " LABEL TEXT" with the beginning of the text's first line. */
static void add_text(const char *label, const char *text, struct str *out)
{
    enum { SHOWN_MAX = 160 };
    if (!text)
        return;
    size_t line = strcspn(text, "\n");
    size_t shown = text_cut(text, line, SHOWN_MAX);
    str_addf(out, "    %-8s %.*s%s\n", label, (int)shown, text, text[shown] != '\0' ? " ..." : "");
}

/* Appends the command line; for an agent, without the prompt. */
static void add_call(const struct plan_task *task, int number, struct str *out)
{
    const struct plan_step *step = &task->steps[number];
    const struct plan_agent *agent = step->agent;
    struct str session = {0};
    char **argv = NULL;
    if (agent) {
        /* The session that the agent continues: the one reported by the agent of an earlier step of
         * the task, as agent_session_next() finds it, or else the plan's. There is none for a new
         * session. */
        int before = number - 1;
        while (before >= 0 && !task->steps[before].agent)
            before--;
        const bool is_same = before >= 0 && strcmp(adapter_name(task->steps[before].agent->adapter),
                                                   adapter_name(agent->adapter)) == 0;
        const bool resumes = adapter_resumes(agent->adapter);
        if (resumes && is_same)
            str_addf(&session, "{session of step %d}", before + 1);
        else if (resumes && agent->resume)
            str_add(&session, agent->resume);
        const struct adapter_call call = {.session = session.len > 0 ? session.data : NULL,
                                          .model = agent->model,
                                          .args = agent->args,
                                          .permission_args = agent->permission_args};
        adapter_argv(agent->adapter, &call, &argv);
    }
    char *const *words = argv ? argv : step->argv;
    shell_words_add(words, (int)text_list_count(words), out);
    adapter_argv_free(argv);
    str_done(&session);
}

static void add_step(const struct plan *plan, const struct plan_task *task, int number,
                     struct retries *last, struct str *out)
{
    const struct plan_step *step = &task->steps[number];
    str_add(out, "  ");
    str_add_i64(out, number + 1);
    add_retries(plan, last, task, step, out);
    str_add(out, step->expect.what == PLAN_EXPECT_FAILURE ? " must fail" : "");
    if (step->source >= 0)
        str_addf(out, " source %s", plan->sources[step->source]);
    if (!sandbox_spec_is_empty(step->sandbox)) {
        str_add(out, " in ");
        sandbox_spec_words(step->sandbox, out);
    }
    str_add(out, "  ");
    add_call(task, number, out);
    str_add_char(out, '\n');
    if (step->agent) {
        const struct plan_agent *agent = step->agent;
        struct str missing = {0};
        plan_agents_missing(plan, task, step, &missing);
        add_text("missing", missing.len > 0 ? missing.data : NULL, out);
        str_done(&missing);
        add_text("model", agent->model, out);
        add_text("session", agent->resume, out);
        add_text("prompt", agent->prompt, out);
        add_text("output", agent->output, out);
        add_words("args", agent->args, out);
        add_words("allows", agent->permission_args, out);
    }
    for (int i = 0; i < step->file_count; i++) {
        /* "    leaves   report.md, at least 3 lines, with 'done'" */
        const struct plan_expected_file *file = &step->files[i];
        struct str words = {0};
        str_add(&words, file->path);
        if (file->min_lines > 0)
            str_addf(&words, ", at least %lld line%s", (long long)file->min_lines,
                     file->min_lines == 1 ? "" : "s");
        if (file->contains)
            str_addf(&words, ", with '%s'", file->contains);
        add_text("leaves", words.data, out);
        str_done(&words);
    }
    add_words("writable", step->sandbox->writable, out);
    add_words("env", step->sandbox->env, out);
    add_words("args", step->sandbox->args, out);
}

static void add_task(const struct plan *plan, const struct plan_task *task, struct retries *last,
                     struct str *out)
{
    const struct workspace_spec *workspace = task->workspace;
    str_add(out, task->id);
    if (strcmp(task->id, task->title) != 0)
        str_addf(out, "  %s", task->title);
    for (int n = 0; n < task->need_count; n++)
        str_addf(out, "%s%s", n == 0 ? "  needs " : ", ", plan->tasks[task->needs[n]].id);
    if (workspace_can_be_reset(workspace))
        str_addf(out, "  in a %s", workspace_kind_name(workspace->kind));
    const struct plan_executor *executor = plan_task_executor(plan, task);
    if (executor) {
        str_add(out, "  ");
        plan_executor_words(executor, out);
    }
    if (task->rounds > 1)
        str_addf(out, "  up to %d rounds", task->rounds);
    const char *before = "  budget "; /* "  budget $0.00 of $2.50, 0 of 40 turns" */
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        const struct budget_use use = {.kind = (enum budget_kind)kind,
                                       .limit = task->budget.limits[kind]};
        if (use.limit == 0)
            continue;
        str_add(out, before);
        budget_use_words(&use, out);
        before = ", ";
    }
    str_add_char(out, '\n');
    add_words("copy", workspace->copy, out);
    add_words("exclude", workspace->exclude, out);
    const int setup_count = (int)text_list_count(workspace->setup);
    if (setup_count > 0) {
        const struct sandbox_spec spec = plan_setup_sandbox(workspace, plan_task_sandbox(task));
        str_add(out, "    setup    ");
        shell_words_add(workspace->setup, setup_count, out);
        str_add(out, spec.kind == SANDBOX_NONE ? "  outside any sandbox" : "  in ");
        if (spec.kind != SANDBOX_NONE)
            sandbox_spec_words(&spec, out);
        str_add_char(out, '\n');
    }
    for (int s = 0; s < task->step_count; s++)
        add_step(plan, task, s, last, out);
}

/* Adds names to a line "  LABEL     NAME, NAME", as many as fit. */
struct name_line {
    const char *label;
    struct str *out;
    int count;
};

enum { NAMES_SHOWN = 6 };

static void add_name(struct name_line *line, const char *id, int step)
{
    if (line->count == 0)
        str_addf(line->out, "  %-8s ", line->label);
    if (line->count < NAMES_SHOWN)
        str_addf(line->out, "%s%s", line->count > 0 ? ", " : "", id);
    if (line->count < NAMES_SHOWN && step > 0)
        str_addf(line->out, "/%d", step);
    line->count++;
}

static void end_names(const struct name_line *line)
{
    if (line->count > NAMES_SHOWN)
        str_addf(line->out, " and %d more", line->count - NAMES_SHOWN);
    if (line->count > 0)
        str_add_char(line->out, '\n');
}

static void add_open_steps(const struct plan *plan, struct str *out)
{
    struct name_line steps = {.label = "steps", .out = out};
    bool has_sandbox = false;
    for (int i = 0; i < plan->task_count; i++)
        has_sandbox = has_sandbox || plan_task_sandbox(&plan->tasks[i])->kind != SANDBOX_NONE;
    if (!has_sandbox) {
        str_addf(out, "  %-8s all\n", "steps");
        return;
    }
    for (int i = 0; i < plan->task_count; i++) {
        for (int s = 0; s < plan->tasks[i].step_count; s++) {
            if (plan->tasks[i].steps[s].sandbox->kind == SANDBOX_NONE)
                add_name(&steps, plan->tasks[i].id, s + 1);
        }
    }
    end_names(&steps);
}

/* Appends a line for each kind of container that a step names. */
static void add_clients(const struct plan *plan, struct str *out)
{
    bool seen[SANDBOX_KIND_COUNT] = {false};
    for (int i = 0; i < plan->task_count; i++) {
        for (int s = 0; s < plan->tasks[i].step_count; s++)
            seen[plan->tasks[i].steps[s].sandbox->kind] = true;
    }
    for (int kind = 0; kind < SANDBOX_KIND_COUNT; kind++) {
        if (!seen[kind] || !sandbox_kind_is_container((enum sandbox_kind)kind))
            continue;
        const char *name =
            kind == SANDBOX_CONTAINER ? "podman" : sandbox_kind_name((enum sandbox_kind)kind);
        str_addf(out, "  %-8s the client that starts the containers%s\n", name,
                 kind == SANDBOX_CONTAINER ? ", or docker" : "");
    }
}

/* Appends a line for each executor that runs a task: how it is reached. */
static void add_executors(const struct plan *plan, struct str *out)
{
    bool used[PLAN_EXECUTORS_MAX] = {false};
    for (int i = 0; i < plan->task_count; i++) {
        if (plan_task_executor(plan, &plan->tasks[i]))
            used[plan->tasks[i].executor] = true;
    }
    for (int i = 0; i < plan->executor_count; i++) {
        const struct plan_executor *executor = &plan->executors[i];
        if (!used[i])
            continue;
        str_addf(out, "  %-8s ", executor_kind_name(executor->kind));
        shell_words_add(executor->args, (int)text_list_count(executor->args), out);
        str_addf(out, "%sHOST ", executor->args ? " " : "");
        shell_word_add(executor->hand, out);
        str_addf(out, "  (executor %s)\n", executor->name);
    }
}

/* Appends all programs that run with the user's rights, for users who run another person's plan. */
static void add_outside(const struct plan_file *file, struct str *out)
{
    char *const *notify = file->config.settings.ui.notify_command;
    str_add(out, "outside any sandbox:\n");
    add_open_steps(file->plan, out);
    struct name_line setups = {.label = "setup", .out = out};
    for (int i = 0; i < file->plan->task_count; i++) {
        const struct plan_task *task = &file->plan->tasks[i];
        const struct sandbox_spec spec =
            plan_setup_sandbox(task->workspace, plan_task_sandbox(task));
        if (text_list_count(task->workspace->setup) > 0 && spec.kind == SANDBOX_NONE)
            add_name(&setups, task->id, 0);
    }
    end_names(&setups);
    str_addf(out, "  %-8s devs' own commands, with devs' own configuration\n", "git");
    add_clients(file->plan, out);
    add_executors(file->plan, out);
    for (int i = 0; i < AFTER_COUNT; i++) {
        char *const *after = file->plan->after[i];
        if (!after)
            continue;
        str_addf(out, "  %-8s ", "after");
        shell_words_add(after, (int)text_list_count(after), out);
        str_addf(out, "  (after %s)\n", plan_after_name((enum plan_after)i));
    }
    if (text_list_count(notify) == 0)
        return;
    str_addf(out, "  %-8s ", "notify");
    shell_words_add(notify, (int)text_list_count(notify), out);
    str_add(out, "  (notify_command, only in a project that you trust)\n");
}

static bool open_redactor(const struct plan_file *file, struct redactor **out, struct err *err)
{
    struct secret_settings secrets = file->config.settings.secrets; /* borrows all its members */
    if (config_trust_waits(&file->config.trust))
        secrets.keep = NULL;
    return secrets_redactor(out, file->plan, &secrets, err);
}

int plan_shown(const struct plan_file *file, int jobs)
{
    const struct plan *plan = file->plan;
    struct redactor *redactor = NULL;
    struct err err = {0};
    struct str out = {0};
    if (!open_redactor(file, &redactor, &err))
        return fail(&err);
    str_addf(&out, "%s: ", plan->name);
    shown_count(plan->task_count, "task, ", "tasks, ", &out);
    shown_count(plan->step_count, "step, ", "steps, ", &out);
    str_addf(&out, "%d at a time\n", jobs);
    const struct policy *starts = plan_policy_find(plan, "infrastructure");
    str_addf(&out, "if a command cannot start: up to %d starts (", starts->max_attempts);
    add_policy_words(plan, starts, &out);
    str_add(&out, ")\n");
    if (plan->loops.preset != ENTROPY_PRESET_NONE) {
        str_add(&out, "loops: ");
        entropy_limits_words(&plan->loops, &out);
        str_add_char(&out, '\n');
    }
    struct retries last = {0};
    for (int i = 0; i < plan->task_count; i++)
        add_task(plan, &plan->tasks[i], &last, &out);
    str_done(&last.text);
    const struct config *config = &file->config;
    if (config_trust_waits(&config->trust)) { /* without effect until the user allows them */
        str_addf(&out, "%s needs your trust before the run can start: devs trust\n", config->path);
        config_trust_lines(&config->trust, &out);
    }
    add_outside(file, &out);
    secrets_say(redactor, str_text(&out));
    str_done(&out);
    redactor_close(redactor);
    return EXIT_ALL_PASSED;
}

int plan_shown_json(const struct plan_file *file)
{
    struct redactor *redactor = NULL;
    struct err err = {0};
    struct str out = {0};
    if (!open_redactor(file, &redactor, &err))
        return fail(&err);
    redact_text(redactor, str_text(&file->text), file->text.len, &out, NULL);
    if (out.len == 0 || out.data[out.len - 1] != '\n')
        str_add_char(&out, '\n');
    say_json(out.data);
    str_clear(&out);
    if (config_trust_waits(&file->config.trust)) {
        config_trust_brief(&file->config.trust, &out);
        warn("%s: %s; read the file, then run: devs trust", file->config.path, str_text(&out));
    }
    str_done(&out);
    redactor_close(redactor);
    return EXIT_ALL_PASSED;
}
