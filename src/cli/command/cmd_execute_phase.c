/* cmd_execute_phase.c - devs execute-phase: an agent carries out a phase of the project. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "command.h"
#include "fail.h"
#include "log_reader.h"
#include "plan.h"
#include "plan_file.h"
#include "project.h"
#include "secrets.h"
#include "shown.h"
#include "target.h"
#include "text.h"
#include "text_file.h"
#include "xalloc.h"

/* The summary of a phase. */

enum {
    PHASE_SUMMARY_TASKS_MAX = 500, /* tasks listed; the others are only counted */
    PHASE_SUMMARY_FILES_MAX = 50,  /* files listed per task; the others are only counted */
};

/* The result of a phase, as a Markdown file beside its plan: for people, and for the agent that
 * plans the next phase. Everything is borrowed. */
struct phase_summary {
    const struct globals *globals;
    const struct project *project;
    int number; /* number of the phase */
    const struct session_end *end;
};

/* A file that a task changed, with its path in the project. */
struct changed_file {
    int task;
    char *path; /* owned */
};

struct changed_files {
    struct changed_file *items; /* owned */
    size_t count, cap;
};

/* Appends untrusted text to a line of Markdown, as one line and without markup. */
static void add_text(struct str *out, const char *text)
{
    struct str clean = {0};
    text_clean(&clean, text, strlen(text));
    for (size_t i = 0; i < clean.len; i++) {
        const char c = clean.data[i];
        if (c == '\n' || c == '\t')
            str_add_char(out, ' ');
        else
            str_addf(out, strchr("\\`*_[]<>|#", c) ? "\\%c" : "%c", c);
    }
    str_done(&clean);
}

/* Appends untrusted text as inline code, without backticks, which would end it. */
static void add_code(struct str *out, const char *text)
{
    struct str clean = {0};
    text_clean(&clean, text, strlen(text));
    str_add_char(out, '`');
    for (size_t i = 0; i < clean.len; i++)
        str_add_char(out, clean.data[i] == '`'    ? '\''
                          : clean.data[i] == '\n' ? ' '
                                                  : clean.data[i]);
    str_add_char(out, '`');
    str_done(&clean);
}

static void add_file(struct changed_files *files, int task, const char *path)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->items[i].task == task && strcmp(files->items[i].path, path) == 0)
            return;
    }
    files->items = xgrow(files->items, &files->cap, files->count + 1, sizeof(*files->items));
    files->items[files->count++] = (struct changed_file){.task = task, .path = xstrdup(path)};
}

/* Adds the file that a tool call of the agent wrote, according to the log. */
static void add_written_file(struct changed_files *files, const struct event *event)
{
    static const char *const tools[] = {"Write",      "Edit",    "MultiEdit", "NotebookEdit",
                                        "write_file", "replace", "edit",      "write"};
    const bool is_done =
        event->kind == EVENT_AGENT_CALL && !event->call.running && event->call.code == 0;
    if (!is_done || !event->call.what || !event->call.tool)
        return;
    const char *what = event->call.what;
    const char *tool = event->call.tool;
    bool writes = false;
    for (size_t i = 0; !writes && i < ARRAY_LEN(tools); i++)
        writes = strcmp(tools[i], tool) == 0;
    if (*what != '\0' && writes)
        add_file(files, event->task, what);
}

static void read_calls(const struct phase_summary *summary, struct changed_files *files)
{
    struct place place;
    struct log_reader *reader = NULL;
    struct event_page page = {0};
    int64_t after = 0;
    bool ok = find_log(summary->globals->db, false, &place, NULL) &&
              log_reader_open(&reader, &place, NULL);
    do {
        ok = ok && log_reader_events(reader, summary->end->run, after, &page, NULL);
        for (size_t i = 0; ok && i < page.count; i++) {
            after = page.events[i].seq;
            add_written_file(files, &page.events[i]);
        }
    } while (ok && page.count == LOG_PAGE_EVENTS);
    event_page_done(&page);
    log_reader_close(reader);
}

/* Adds the files that the task changed in its workspace, according to git or to the comparison with
 * the original. */
static void read_result(const struct phase_summary *summary, int task, struct changed_files *files)
{
    const struct run_state *state = summary->end->state;
    struct subject subject;
    struct result_target result = {0};
    struct str word = {0};
    str_addf(&word, "%" PRId64 "/%s", summary->end->run, state->plan->tasks[task].id);
    if (subject_open(&subject, command_find("diff"), summary->globals->db, word.data, NULL) &&
        result_target_open(&result, &subject, NULL)) {
        for (size_t i = 0; i < result.changes.count; i++)
            add_file(files, task, result.changes.items[i].path);
    }
    result_target_done(&result);
    subject_close(&subject);
    str_done(&word);
}

static void read_files(const struct phase_summary *summary, struct changed_files *files)
{
    const struct run_state *state = summary->end->state;
    read_calls(summary, files);
    for (int i = 0; i < state->plan->task_count && i < PHASE_SUMMARY_TASKS_MAX; i++) {
        const struct plan_task *plan = &state->plan->tasks[i];
        if (state->tasks[i].place && state->tasks[i].place->path)
            read_result(summary, i, files);
        for (int k = 0; state->tasks[i].status == TASK_PASSED && k < plan->step_count; k++) {
            if (plan->steps[k].agent && plan->steps[k].agent->output)
                add_file(files, i, plan->steps[k].agent->output);
        }
    }
}

static void add_files(const struct changed_files *files, int task, struct str *out)
{
    size_t found = 0;
    for (size_t i = 0; i < files->count; i++) {
        if (files->items[i].task != task)
            continue;
        if (found++ >= PHASE_SUMMARY_FILES_MAX)
            continue;
        str_add(out, found > 1 ? ", " : "- Files: ");
        add_code(out, files->items[i].path);
    }
    if (found > PHASE_SUMMARY_FILES_MAX)
        str_addf(out, " and %zu more", found - PHASE_SUMMARY_FILES_MAX);
    str_add(out, found > 0 ? "\n" : "- Files: none known\n");
}

/* Appends how the last attempted step ended, which decided the task's result, and the line that
 * decided the verdict. */
static void add_evidence(const struct run_state *state, int task, struct str *out)
{
    const struct step_state *steps = state->tasks[task].steps;
    int number = run_state_step_number(state, task);
    struct str words = {0};
    struct verdict room;
    while (number > 0 && steps[number].attempt_count == 0)
        number--;
    const struct step_state *step = &steps[number];
    str_add(out, "- Evidence: ");
    if (step->attempt_count == 0) {
        str_add(out, "not started\n");
        return;
    }
    const struct attempt_state *attempt = step_state_latest(step);
    const struct verdict *verdict = step_state_verdict(step, &room);
    outcome_words(&attempt->outcome, &words);
    str_addf(out, "step %d of %d in %s: ", number + 1, state->plan->tasks[task].step_count,
             phase_name(state->plan->tasks[task].steps[number].phase));
    add_text(out, str_text(&words));
    if (verdict && verdict->match[0] != '\0') {
        str_add(out, ", ");
        add_code(out, verdict->match);
    }
    str_add_char(out, '\n');
    str_done(&words);
}

static void add_task(const struct phase_summary *summary, const struct changed_files *files,
                     int task, struct str *out)
{
    const struct run_state *state = summary->end->state;
    const struct plan_task *plan = &state->plan->tasks[task];
    struct str reason = {0}, why = {0};
    if (state->tasks[task].status != TASK_PASSED)
        shown_end(&plan->steps[run_state_step_number(state, task)], run_state_step(state, task),
                  &reason);
    shown_cause(state, task, &why);
    str_add(out, "\n## ");
    add_text(out, plan->id);
    if (strcmp(plan->id, plan->title) != 0) {
        str_add(out, ": ");
        add_text(out, plan->title);
    }
    str_addf(out, "\n\n- Outcome: %s", shown_word(shown_task(state, task, false)));
    if (reason.len > 0) {
        str_add(out, ", ");
        add_text(out, reason.data);
    }
    str_add_char(out, '\n');
    if (why.len > 0) {
        str_add(out, "- Why: ");
        add_text(out, why.data);
        str_add_char(out, '\n');
    }
    add_evidence(state, task, out);
    add_files(files, task, out);
    str_addf(out, "- More: `devs why %" PRId64 "/%s`, `devs log %" PRId64 "/%s`\n",
             summary->end->run, plan->id, summary->end->run, plan->id);
    str_done(&why);
    str_done(&reason);
}

static void write_summary(const struct phase_summary *summary, struct str *out)
{
    const struct run_state *state = summary->end->state;
    const int shown = state->plan->task_count < PHASE_SUMMARY_TASKS_MAX ? state->plan->task_count
                                                                        : PHASE_SUMMARY_TASKS_MAX;
    struct changed_files files = {0};
    char at[CLOCK_TEXT_MAX];
    read_files(summary, &files);
    str_addf(out, "# Phase %d: ", summary->number);
    add_text(out, project_phase_title(summary->project, summary->number));
    str_addf(out, "\n\nRun #%" PRId64 " ended with exit code %d at %s: %d of %d tasks passed.\n",
             summary->end->run, summary->end->exit_code, clock_date(state->last.at_ms, at),
             state->counts[TASK_PASSED], state->plan->task_count);
    str_add(out, "\n| task | outcome | attempts |\n| --- | --- | --- |\n");
    for (int i = 0; i < shown; i++) {
        str_add(out, "| ");
        add_text(out, state->plan->tasks[i].id);
        str_addf(out, " | %s | %" PRId64 " |\n", shown_word(shown_task(state, i, false)),
                 shown_attempts(state, i));
    }
    if (shown < state->plan->task_count) {
        str_add(out, "\nand ");
        shown_count(state->plan->task_count - shown, "more task", "more tasks", out);
        str_add_char(out, '\n');
    }
    for (int i = 0; i < shown; i++)
        add_task(summary, &files, i, out);
    for (size_t i = 0; i < files.count; i++)
        free(files.items[i].path);
    free(files.items);
}

ATTR_MUST_USE static bool phase_summary_save(const struct phase_summary *summary,
                                             char path[PATH_MAX], struct err *err)
{
    struct stat info;
    struct redactor *redactor = NULL;
    struct str text = {0};
    struct str cut = {0};
    project_summary_path(summary->project, summary->number, path);
    /* save_file() would replace a link, which the user made on purpose */
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return err_set(err, ERR_INVALID, "'%s' is %s", path,
                       S_ISLNK(info.st_mode) ? "a link" : "not a regular file");
    if (secrets_of_run(summary->project->dir, summary->end->state->plan, &redactor) != 0)
        return err_set(err, ERR_INVALID, "the secrets cannot be determined");
    write_summary(summary, &text);
    char *clean = redact_string(redactor, str_text(&text), NULL);
    str_add(&cut, clean);
    free(clean);
    const bool ok = save_file(path, &cut, err);
    redactor_close(redactor);
    str_done(&cut);
    str_done(&text);
    return ok;
}

/* The command. */

/* A phase that is being carried out. */
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
        (void)err_hint(&err, "devs plan-phase %d creates one", execution->at.number);
        return fail(&err);
    }
    edit.session = words->resume;
    if (!words->resume && !words->fresh) {
        edit.session = project_session(&execution->at.project);
        edit.owner = project_agent(&execution->at.project);
    }
    return plan_file_read_trusted(path, plan_agents_edit, &edit, &execution->file);
}

/* Chooses the number of parallel tasks: 1 if tasks share a session, which can only process one
 * prompt at a time. Fails if the user requested more. */
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

/* Writes the summary once the run has ended. A failed write does not change the result. */
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
    warn("cannot write the summary of the phase: %s", err.message);
    return false;
}

/* A session_ended_fn: saves the summary and prints the result. */
static int print_end(void *ctx, const struct session_end *end)
{
    const struct execution *execution = ctx;
    const int next = execution->at.number + 1;
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
    else if (end->exit_code == EXIT_ALL_PASSED && end->is_watched &&
             next <= project_phase_count(&execution->at.project))
        (void)printf("next: devs plan-phase %d\n", next);
    str_done(&more);
    return end->exit_code;
}

static int run_phase(struct globals *globals, struct execution *execution)
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
        .own = {"jobs", 'j', "N", "number of tasks at a time (default: the plan's, or 2)", NULL,
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
        code = run_phase(globals, &execution);
    plan_file_done(&execution.file);
    phase_words_done(&execution.at);
    return code;
}
