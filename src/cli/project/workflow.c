/* workflow.c - asks an agent a question as a run of one step, and takes its answer.
 *
 * The run has a plan of its own, whose step works in place. If the answer is invalid, the agent
 * gets the errors and is asked again, with at most ROUNDS prompts in all. Prompts are templates
 * with {{names}}; a project's own files replace the built-in ones. */
#include "project.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter.h"
#include "contract.h"
#include "fail.h"
#include "new_project_json.h"
#include "new_project_md.h"
#include "parse.h"
#include "plan.h"
#include "plan_file.h"
#include "plan_phase_md.h"
#include "text.h"
#include "text_file.h"

bool workflow_prompt_fill(const char *text, const struct workflow_values *values, struct str *out,
                          struct err *err)
{
    static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz_";
    while (*text != '\0') {
        const size_t plain = strcspn(text, "{");
        str_add_n(out, text, plain);
        text += plain;
        if (*text == '\0')
            break;
        const bool opens = strncmp(text, "{{", 2) == 0;
        const char *name = opens ? text + 2 : text;
        const size_t len = opens ? strspn(name, name_letters) : 0;
        if (len == 0 || strncmp(name + len, "}}", 2) != 0) { /* not {{name}} */
            str_add_char(out, *text++);
            continue;
        }
        const char *value = NULL;
        for (size_t i = 0; !value && i < values->count; i++) {
            const char *known = values->items[i].name;
            if (strlen(known) == len && strncmp(known, name, len) == 0)
                value = values->items[i].text;
        }
        if (!value)
            return err_set(err, ERR_INVALID, "unknown placeholder {{%.*s}}", (int)len, name);
        str_add(out, value);
        text = name + len + 2;
    }
    return true;
}

/* Opens the project's own file, if any; relative folders start at the folder of the settings. */
static bool open_own(const struct config *config, const char *name, char path[PATH_MAX],
                     FILE **file_out, struct err *err)
{
    const char *folder = config->settings.workflows;
    const char *slash = strrchr(config->path, '/');
    struct stat info;
    *file_out = NULL;
    if (!folder)
        return true;
    int base = *folder == '/' || !slash ? 0 : (int)(slash - config->path) + 1;
    int len = snprintf(path, PATH_MAX, "%.*s%s", base, config->path, folder);
    if (len < 0 || len >= PATH_MAX || stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return err_set(err, ERR_INVALID, "%s: \"workflows\": no folder '%s'", config->path, folder);
    int more = snprintf(path + len, (size_t)(PATH_MAX - len), "/%s", name);
    if (more < 0 || more >= PATH_MAX - len)
        return err_set(err, ERR_INVALID, "%s: the name is too long", folder);
    struct err why = {0};
    *file_out = read_text_open(path, &why);
    return *file_out || why.code == ERR_NOT_FOUND ||
           err_set(err, ERR_INVALID, "%s: %s", path, why.message);
}

bool workflow_text_read(const struct config *config, const char *name, struct str *out,
                        struct err *err)
{
    const struct {
        const char *name, *text;
    } builtins[] = {
        {"new-project.md", new_project_md},
        {"new-project.json", new_project_json},
        {"plan-phase.md", plan_phase_md},
    };
    char path[PATH_MAX];
    const char *builtin = NULL;
    for (size_t i = 0; !builtin && i < ARRAY_LEN(builtins); i++) {
        if (strcmp(builtins[i].name, name) == 0)
            builtin = builtins[i].text;
    }
    assert(builtin);
    FILE *file = NULL;
    if (!open_own(config, name, path, &file, err))
        return false;
    if (!file) {
        str_add(out, builtin);
        return true;
    }
    struct err why = {0};
    bool ok = read_text(file, WORKFLOW_TEXT_MAX, out, &why);
    (void)fclose(file); /* only read */
    return ok || err_set(err, ERR_INVALID, "%s: %s", path, why.message);
}

enum {
    ROUNDS = 3, /* prompts at most: after an invalid answer the agent is asked up to twice more */
    TITLE_MAX = 120, /* bytes of a task's title */
    JOBS = 1,        /* there is only one task */
};

int workflow_parse(struct globals *globals, const struct workflow_command *command, int argc,
                   char **argv, bool *done)
{
    struct workflow_words *words = command->words;
    const struct option_spec specs[] = {
        {"agent", 0, "NAME", "the agent to ask", NULL, &words->agent},
        {"model", 0, "NAME", "the agent's model (default: the agent's own choice)", NULL,
         &words->model},
        {"resume", 0, "SESSION_ID", "continue this session", NULL, &words->resume},
        {"fresh", 0, NULL, "start a new session, even if the project has one", &words->fresh, NULL},
        {"plain", 0, NULL, "print a line for each event instead of a screen", &words->plain, NULL},
        {"json", 0, NULL, "print a JSON object for each event; the last one has the session_id",
         &words->json, NULL},
        command->own,
    };
    struct command_line line = {
        .specs = specs, .spec_count = ARRAY_LEN(specs), .min_operands = 1, .max_operands = 1};
    const int code = command_parse(globals, &line, argc, argv);
    *done = true;
    if (line.done)
        return code;
    if (words->resume && words->fresh)
        return fail_usage(NULL, "--resume and --fresh are mutually exclusive");
    if (words->resume && !adapter_session_is_id(words->resume))
        return fail_usage("use the session_id from the --json output of an earlier command",
                          "--resume needs a session id");
    if (words->model && !adapter_session_is_id(words->model))
        return fail_usage(NULL, "--model needs a model name");
    *done = false;
    return EXIT_ALL_PASSED;
}

/* Writes a plan with one step, which asks the agent. It works in the folder itself, whatever the
 * settings say about workspaces, because the answer must stay there. */
static void write_plan(const struct workflow_question *question, struct str *out)
{
    struct str title = {0}; /* first line of the question's title, truncated */
    str_add(out, "{\"version\":1");
    str_json_text(out, "name", question->command);
    str_json_text(out, "workspace", "inplace");
    str_add(out, ",\"tasks\":[{");
    str_json_text(out, "id", question->command);
    text_clean(&title, question->title,
               text_cut(question->title, strcspn(question->title, "\n"), TITLE_MAX));
    str_json_text(out, "title", title.len > 0 ? str_text(&title) : "?");
    str_json_i64(out, "rounds", ROUNDS);
    str_add(out, ",\"steps\":[{\"phase\":\"GREEN\"");
    str_json_text(out, "agent", adapter_name(question->adapter));
    str_json_text(out, "prompt", question->prompt);
    if (question->words->model)
        str_json_text(out, "model", question->words->model);
    if (question->session)
        str_json_text(out, "resume", question->session);
    str_json_key(out, "contract");
    str_add(out, question->contract);
    str_json_text(out, "output", question->output);
    str_add(out, "}]}]}");
    str_done(&title);
}

struct workflow_agent workflow_agent(const struct session_end *end)
{
    struct workflow_agent found = {0};
    for (int i = 0; end->state && i < end->state->plan->task_count; i++) {
        const struct task_agent *agent = end->state->tasks[i].agent;
        if (agent && agent->agent && (agent->session || !found.session))
            found = (struct workflow_agent){.agent = agent->agent, .session = agent->session};
    }
    return found;
}

void workflow_print_result(const struct workflow_result *result)
{
    struct str out = {0};
    str_add(&out, "{\"v\":1,\"kind\":\"workflow\"");
    str_json_text(&out, "command", result->command);
    str_json_i64(&out, "run", result->run);
    str_json_i64(&out, "exit", result->exit_code);
    if (result->by.agent)
        str_json_text(&out, "agent", result->by.agent);
    str_json_key(&out, "session_id");
    if (result->by.session)
        str_add_json(&out, result->by.session, strlen(result->by.session));
    else
        str_add(&out, "null");
    if (*result->more != '\0')
        str_addf(&out, ",%s", result->more);
    str_add(&out, "}\n");
    say_json(str_text(&out));
    str_done(&out);
}

/* A session_ended_fn: passes the answer to the question's take(), and prints the result with
 * --json. */
static int take_answer(void *ctx, const struct session_end *end)
{
    const struct workflow_question *question = ctx;
    struct str more = {0};
    const struct workflow_agent by = workflow_agent(end);
    int code = end->exit_code;
    if (code == EXIT_ALL_PASSED) {
        code = question->take(question->ctx, by.session, &more);
    } else if (end->is_watched && by.session && !question->words->json) {
        /* the session can be continued even if the answer is lost */
        struct str words = {0};
        str_addf(&words, "  %-10s %s, continue it with --resume\n", "session", by.session);
        say(str_text(&words));
        str_done(&words);
    }
    const struct workflow_result result = {.command = question->command,
                                           .run = end->run,
                                           .exit_code = code,
                                           .by = by,
                                           .more = str_text(&more)};
    if (question->words->json)
        workflow_print_result(&result);
    str_done(&more);
    return code;
}

int workflow_ask(const struct workflow_question *question)
{
    const struct settings *settings = &question->config->settings;
    const struct plan_context context = {.settings = settings};
    struct workflow_question taken = *question;
    struct plan *plan = NULL;
    struct str text = {0};
    struct violations wrong = {0};
    int code = EXIT_USAGE;
    write_plan(question, &text);
    if (plan_parse_with(str_text(&text), text.len, &context, &plan, &wrong)) {
        str_clear(&text);
        plan_write(plan, &text); /* including defaults from the settings */
        const struct session session = {
            .globals = question->globals,
            .plan = plan,
            .plan_text = str_text(&text),
            .kind = "workflow",
            .rules = settings->rules,
            .ui = &settings->ui,
            .secrets = &settings->secrets,
            .run_dir = question->dir,
            .jobs = JOBS,
            .watch = session_choose_watch(question->words->plain, question->words->json),
            .ended = take_answer,
            .ended_ctx = &taken,
        };
        code = session_run(&session);
    } else {
        code = fail_violations(question->command, "nothing was started", &wrong);
    }
    plan_free(plan);
    str_done(&text);
    violations_done(&wrong);
    return code;
}

int phase_words_read(struct phase_words *at, const char *number)
{
    char dir[PATH_MAX];
    int64_t chosen = 0;
    struct err err = {0};
    if (!parse_i64(number, 1, PROJECT_PHASES_MAX, &chosen, NULL))
        return fail_usage("phases are numbered from 1", "invalid phase number '%s'", number);
    if (!getcwd(dir, sizeof(dir))) {
        (void)err_set_errno(&err, errno, "cannot determine the current folder");
        return fail(&err);
    }
    int code = project_read(dir, &at->project);
    if (code != EXIT_ALL_PASSED)
        return code;
    int count = project_phase_count(&at->project);
    if (chosen > count)
        return fail_usage("phases are numbered from 1",
                          "no phase '%s': %s/" PROJECT_FILE_NAME " has %d", number, at->project.dir,
                          count);
    at->number = (int)chosen;
    return config_read(at->project.dir, CONFIG_ACTS, &at->config);
}

int phase_words_agent(struct phase_words *at)
{
    const char *name = at->words.agent;
    if (!name)
        name = project_agent(&at->project);
    if (!name)
        name = at->config.settings.agent;
    return agent_choose(at->config.settings.agents, name, &at->adapter);
}

const char *phase_words_session(const struct phase_words *at)
{
    const char *owner = project_agent(&at->project);
    if (at->words.resume || at->words.fresh)
        return at->words.resume;
    bool is_same = owner && strcmp(owner, adapter_name(at->adapter)) == 0;
    return is_same ? project_session(&at->project) : NULL;
}

void phase_words_done(struct phase_words *at)
{
    project_done(&at->project);
    config_done(&at->config);
}
