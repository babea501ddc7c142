#include <stdio.h>
#include <string.h>

#include "command.h"
#include "continue_run.h"
#include "exit_code.h"
#include "fail.h"
#include "parse.h"
#include "plan_file.h"
#include "secrets.h"
#include "session.h"

enum { RUN_JOBS_DEFAULT = 2 };

/* May waits on a server's hint add attempts? Only where it is tried again at all. */
static bool has_free_tries(const struct plan_task *task, const struct plan_step *step)
{
    bool may_repeat = step->idempotent || workspace_can_be_reset(task->workspace);
    return may_repeat && policy_fits_phase(step->policy, step->phase) &&
           policy_retries_on(step->policy, VERDICT_TRANSIENT) &&
           step->policy->retry_after_cap_ms > 0;
}

static void add_policy(const struct plan_task *task, const struct plan_step *step, int tries,
                       struct str *out)
{
    str_addf(out, "(%s", step->policy->name);
    if (tries > 1 || step->policy->deadline_ms > 0)
        str_add(out, ": ");
    if (tries > 1)
        policy_words(step->policy, out);
    else
        policy_deadline_words(step->policy, out);
    str_add_char(out, ')');
    if (has_free_tries(task, step))
        str_addf(out, " and up to %d more on a server's hint", POLICY_FREE_HINTS);
}

/* A line "    LABEL  WORDS", if there are any: what the plan says of its own accord. */
static void add_words(const char *label, char *const *words, struct str *out)
{
    int count = 0;
    while (words && words[count])
        count++;
    if (count == 0)
        return;
    str_addf(out, "    %-8s ", label);
    command_line_text(count, words, out);
    str_add_char(out, '\n');
}

static void add_step(const struct plan *plan, const struct plan_task *task, int number,
                     struct str *out)
{
    const struct plan_step *step = &task->steps[number];
    int tries = plan_step_attempts(step);
    int argc = 0;
    while (step->argv[argc])
        argc++;
    str_addf(out, "  %d %-8s %d tr%s ", number + 1, phase_name(step->phase), tries,
             tries == 1 ? "y  " : "ies");
    add_policy(task, step, tries, out);
    str_add(out, step->expect.what == PLAN_EXPECT_FAILURE ? " must fail" : "");
    if (step->source >= 0)
        str_addf(out, " source %s", plan->sources[step->source]);
    if (!sandbox_spec_is_empty(step->sandbox)) {
        str_add(out, " in ");
        sandbox_spec_words(step->sandbox, out);
    }
    str_add(out, "  ");
    command_line_text(argc, step->argv, out);
    str_add_char(out, '\n');
    add_words("writable", step->sandbox->writable, out);
    add_words("lets in", step->sandbox->env, out);
    add_words("args", step->sandbox->args, out);
}

static void add_task(const struct plan *plan, const struct plan_task *task, struct str *out)
{
    str_addf(out, "%s  %s", task->id, strcmp(task->id, task->title) == 0 ? "" : task->title);
    for (int n = 0; n < task->need_count; n++)
        str_addf(out, "%s%s", n == 0 ? "  needs " : ", ", plan->tasks[task->needs[n]].id);
    if (workspace_can_be_reset(task->workspace))
        str_addf(out, "  in a %s", workspace_kind_name(task->workspace->kind));
    str_add_char(out, '\n');
    add_words("copy", task->workspace->copy, out);
    add_words("exclude", task->workspace->exclude, out);
    add_words("setup", task->workspace->setup, out);
    for (int s = 0; s < task->step_count; s++)
        add_step(plan, task, s, out);
}

/* What would run, in words; nothing is started and no log is touched. */
static int print_dry(const struct plan_file *file, int jobs)
{
    const struct plan *plan = file->plan;
    struct redactor *redactor = NULL;
    struct err err = {0};
    struct str out = {0};
    if (!secrets_redactor(&redactor, plan, &file->config.settings.secrets, &err))
        return fail(&err);
    str_addf(&out, "%s: %d tasks, %d steps, %d at a time\n", plan->name, plan->task_count,
             plan->step_count, jobs);
    const struct policy *starts = plan_policy_find(plan, "infrastructure");
    str_addf(&out, "what does not start: %d starts in all (", starts->max_attempts);
    policy_words(starts, &out);
    str_add(&out, ")\n");
    for (int i = 0; i < plan->task_count; i++)
        add_task(plan, &plan->tasks[i], &out);
    secrets_say(redactor, str_text(&out));
    redactor_close(redactor);
    str_done(&out);
    return EXIT_ALL_PASSED;
}

static bool choose_jobs(const char *given, const struct plan *plan, int *out, struct err *err)
{
    int64_t jobs = plan->jobs > 0 ? plan->jobs : RUN_JOBS_DEFAULT;
    if (given && !parse_i64(given, 1, PLAN_JOBS_MAX, &jobs, err)) {
        (void)err_hint(err, "-j takes 1 to %d", PLAN_JOBS_MAX);
        return false;
    }
    *out = (int)jobs;
    return true;
}

/* Keep one task and what it needs. */
static bool keep_only(struct plan_file *file, const char *id, struct err *err)
{
    struct plan *kept = NULL;
    if (!plan_only(file->plan, id, &kept, err))
        return false;
    plan_free(file->plan);
    file->plan = kept;
    plan_file_rewrite(file);
    return true;
}

static enum session_watch choose_watch(bool plain, bool json)
{
    if (json)
        return SESSION_JSON;
    return plain || !session_has_terminal() ? SESSION_PLAIN : SESSION_COCKPIT;
}

int cmd_run(struct globals *globals, int argc, char **argv)
{
    bool plain = false, json = false, dry = false;
    bool detach = false;
    const char *jobs_text = NULL, *only = NULL, *again = NULL;
    const struct option_spec specs[] = {
        {"plain", 0, NULL, "a line for each event, no screen", &plain, NULL},
        {"json", 0, NULL, "a JSON object for each event", &json, NULL},
        {"jobs", 'j', "N", "attempts at a time (else the plan's, else 2)", NULL, &jobs_text},
        {"only", 0, "TASK", "this task and what it needs", NULL, &only},
        {"continue", 0, "RUN", "go on with a run that was interrupted (41, or last)", NULL, &again},
        {"detach", 0, NULL, "return at once; the run goes on without a terminal", &detach, NULL},
        {"dry-run", 0, NULL, "say what would run, start nothing", &dry, NULL},
    };
    struct command_line line = {
        .name = "run", .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    if (again) {
        const struct continue_words words = {
            .run = again, .jobs = jobs_text, .detach = detach, .watch = choose_watch(plain, json)};
        if (line.operands > 0 || only || dry)
            return fail_usage("devs run --continue RUN [-j N] [--plain|--json] [--detach]",
                              "run: with --continue the plan is the one in the log");
        return continue_run(globals, &words);
    }
    if (line.operands == 0)
        return fail_usage("devs run PLAN, or devs run --continue RUN", "run: which plan?");

    struct plan_file file;
    code = plan_file_read(argv[0], &file);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct err err = {0};
    int jobs = 0;
    if (!choose_jobs(jobs_text, file.plan, &jobs, &err) ||
        (only && !keep_only(&file, only, &err))) {
        plan_file_done(&file);
        (void)fail(&err);
        return EXIT_USAGE;
    }
    struct session session = {.globals = globals,
                              .plan = file.plan,
                              .plan_text = str_text(&file.text),
                              .kind = "plan",
                              .rules = file.config.settings.rules,
                              .secrets = &file.config.settings.secrets,
                              .run_dir = file.dir,
                              .jobs = jobs,
                              .watch = choose_watch(plain, json),
                              .detach = detach};
    code = dry ? print_dry(&file, jobs) : session_run(&session);
    plan_file_done(&file);
    return code;
}
