/* cmd_execute_phase.c - devs execute-phase: an agent does a phase of the project. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "exit_code.h"
#include "fail.h"
#include "phase_summary.h"
#include "plan.h"
#include "plan_agents.h"
#include "plan_file.h"
#include "workflow.h"

/* The phase that is carried out. */
struct execution {
    struct phase_words at;
    struct plan_file file; /* owned */
    int jobs;
    const struct globals *globals; /* borrowed */
};

static int read_plan(struct execution *execution)
{
    const struct workflow_words *words = &execution->at.words;
    struct plan_agents_edit edit = {.agent = words->agent, .model = words->model};
    char path[PATH_MAX];
    project_plan_path(&execution->at.project, execution->at.number, path);
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        struct err err = {0};
        (void)err_set(&err, ERR_INVALID, "phase %d has no plan yet: no '%s'", execution->at.number,
                      path);
        (void)err_hint(&err, "devs plan-phase %d makes one", execution->at.number);
        return fail(&err);
    }
    edit.session = words->resume;
    if (!words->resume && !words->fresh) {
        edit.session = project_session(&execution->at.project);
        edit.owner = project_agent(&execution->at.project);
    }
    return plan_file_read_trusted(path, plan_agents_edit, &edit, &execution->file);
}

/* One conversation takes one prompt at a time. */
static int choose_jobs(struct execution *execution)
{
    const char *given = execution->at.words.jobs;
    struct err err = {0};
    struct violations violations = {0};
    if (!plan_file_jobs(&execution->file, given, &execution->jobs, &err)) {
        (void)fail(&err);
        return EXIT_USAGE;
    }
    const bool may_overlap = !plan_sessions_check(execution->file.plan, &violations);
    violations_done(&violations);
    if (execution->jobs == 1 || !may_overlap)
        return EXIT_ALL_PASSED;
    if (given)
        return fail_usage("--fresh gives each task its own session",
                          "-j %d: tasks share a session, which takes one prompt at a time",
                          execution->jobs);
    warn("tasks share a session and run one at a time; --fresh gives each its own session");
    execution->jobs = 1;
    return EXIT_ALL_PASSED;
}

static void print_next(const struct execution *execution)
{
    int next = execution->at.number + 1;
    if (next <= project_phase_count(&execution->at.project))
        (void)printf("next: devs plan-phase %d\n", next);
}

/* Once the run has ended. A file that cannot be written changes nothing of what it came to. */
static bool save_summary(const struct execution *execution, const struct session_end *end,
                         char path[PATH_MAX])
{
    struct err err = {0};
    const struct phase_summary summary = {.globals = execution->globals,
                                          .project = &execution->at.project,
                                          .number = execution->at.number,
                                          .end = end};
    if (!end->state || !end->state->ended)
        return false;
    if (phase_summary_save(&summary, path, &err))
        return true;
    warn("the summary of the phase is not written: %s", err.message);
    return false;
}

/* As a session_ended_fn. */
static int print_end(void *ctx, const struct session_end *end)
{
    const struct execution *execution = ctx;
    char path[PATH_MAX];
    struct str more = {0};
    str_json_i64(&more, "phase", execution->at.number);
    const bool is_saved = save_summary(execution, end, path);
    if (is_saved)
        str_json_text(&more, "summary", path);
    if (is_saved && end->is_watched && !execution->at.words.json)
        (void)printf("summary: %s\n", path);
    const struct workflow_result result = {.command = "execute-phase",
                                           .run = end->run,
                                           .exit_code = end->exit_code,
                                           .by = workflow_agent(end),
                                           .more = str_text(&more)};
    if (execution->at.words.json)
        workflow_print_result(&result);
    else if (end->exit_code == EXIT_ALL_PASSED && end->is_watched)
        print_next(execution);
    str_done(&more);
    return end->exit_code;
}

static int run(struct globals *globals, struct execution *execution)
{
    const struct workflow_words *words = &execution->at.words;
    const struct plan_file *file = &execution->file;
    const struct session session = {
        .globals = globals,
        .plan = file->plan,
        .plan_text = str_text(&file->text),
        .kind = "workflow",
        .rules = file->config.settings.rules,
        .ui = &file->config.settings.ui,
        .secrets = &file->config.settings.secrets,
        .run_dir = file->dir,
        .plan_path = file->path[0] ? file->path : NULL,
        .jobs = execution->jobs,
        .watch = session_choose_watch(words->plain, words->json),
        .ended = print_end,
        .ended_ctx = execution,
    };
    return session_run(&session);
}

int cmd_execute_phase(struct globals *globals, int argc, char **argv)
{
    struct execution execution = {.globals = globals};
    const struct workflow_command command = {
        .name = "execute-phase",
        .own = {"jobs", 'j', "N", "tasks at a time (default: the plan's, or 2)", NULL,
                &execution.at.words.jobs},
        .words = &execution.at.words,
    };
    bool done = false;
    int code = workflow_parse(globals, &command, argc, argv, &done);
    if (done)
        return code;
    code = phase_words_read(&execution.at, argv[0]);
    if (code == EXIT_ALL_PASSED)
        code = read_plan(&execution);
    if (code == EXIT_ALL_PASSED)
        code = plan_agents_check(execution.file.plan);
    if (code == EXIT_ALL_PASSED)
        code = choose_jobs(&execution);
    if (code == EXIT_ALL_PASSED)
        code = run(globals, &execution);
    plan_file_done(&execution.file);
    phase_words_done(&execution.at);
    return code;
}
