/* cmd_plan_phase.c - devs plan-phase: an agent plans a phase of the project. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "fail.h"
#include "plan_file.h"
#include "project.h"
#include "text_file.h"
#include "trust.h"

enum { NAME_MAX_BYTES = 32 };

/* The question to the agent, and the plan file for its answer. */
struct planning {
    struct phase_words at;
    char name[NAME_MAX_BYTES]; /* name of the plan's file */
    char path[PATH_MAX];
};

/* Trusts the plan, because the user has just requested it. */
static void trust_plan(const char *path, const struct str *text)
{
    struct err err = {0};
    if (!trust_record(path, text, &err))
        warn("%s; devs execute-phase will require devs trust", err.message);
}

/* Indents the plan: an agent may write everything on one line, but people read and edit plans. */
static bool indent_plan(const char *path, struct str *indented, struct err *err)
{
    struct str text = {0};
    struct json *root = NULL;
    struct err why = {0};
    bool ok = read_text_file(path, PLAN_BYTES_MAX, &text, &why) &&
              json_parse_data(str_text(&text), text.len, &root, NULL, &why);
    if (ok) {
        json_write_indented(indented, root);
        ok = save_file(path, indented, err);
    } else {
        (void)err_set(err, ERR_INVALID, "plan '%s': %s", path, why.message);
    }
    json_free(root);
    str_done(&text);
    return ok;
}

/* Shows the plan as `devs run` would run it, with the settings, and trusts it. */
static int show_plan(const struct planning *planning)
{
    struct plan_file file;
    struct err err = {0};
    int jobs = 0;
    int code = plan_file_read(planning->path, CONFIG_SHOWS, &file);
    if (code != EXIT_ALL_PASSED)
        return code;
    (void)putchar('\n');
    code = plan_file_jobs(&file, NULL, &jobs, &err) ? plan_shown(&file, jobs) : fail(&err);
    if (code == EXIT_ALL_PASSED)
        trust_plan(planning->path, &file.source);
    plan_file_done(&file);
    if (code != EXIT_ALL_PASSED)
        return code;
    struct str words = {0};
    str_addf(&words, "\nsaved as %s\nnext: devs execute-phase %d\n", planning->path,
             planning->at.number);
    say(str_text(&words));
    str_done(&words);
    return code;
}

/* Reformats the plan file that the agent wrote, and records agent and session in the project file.
 * Then shows the plan and trusts it; with --json, only trusts it. */
static int take_plan(void *ctx, const char *session, struct str *json)
{
    const struct planning *planning = ctx;
    const struct project_facts facts = {.agent = adapter_name(planning->at.adapter),
                                        .session = session};
    struct str text = {0};
    struct err err = {0};
    const bool ok = indent_plan(planning->path, &text, &err) &&
                    project_write(&planning->at.project, &facts, &err);
    if (ok && planning->at.words.json)
        trust_plan(planning->path, &text);
    str_done(&text);
    if (!ok)
        return fail(&err);
    str_json_i64(json, "phase", planning->at.number);
    str_json_text(json, "plan", planning->path);
    return planning->at.words.json ? EXIT_ALL_PASSED : show_plan(planning);
}

static bool write_prompt(const struct planning *planning, struct str *out, struct err *err)
{
    const struct phase_words *at = &planning->at;
    char number[NAME_MAX_BYTES];
    struct str text = {0}, project = {0}, phase = {0};
    (void)snprintf(number, sizeof(number), "%d", at->number);
    project_json(&at->project, &project);
    project_phase_json(&at->project, at->number, &phase);
    const struct workflow_value values[] = {{"project", str_text(&project)},
                                            {"phase", str_text(&phase)},
                                            {"number", number},
                                            {"folder", at->project.dir},
                                            {"agent", adapter_name(at->adapter)}};
    const struct workflow_values all = {values, ARRAY_LEN(values)};
    bool ok = workflow_text_read(&at->config, "plan-phase.md", &text, err) &&
              workflow_prompt_fill(str_text(&text), &all, out, err);
    str_done(&text);
    str_done(&project);
    str_done(&phase);
    return ok;
}

static int ask_agent(struct globals *globals, struct planning *planning)
{
    const struct phase_words *at = &planning->at;
    struct str prompt = {0}, title = {0};
    struct err err = {0};
    int code = EXIT_USAGE;
    str_addf(&title, "A plan for phase %d: %s", at->number,
             project_phase_title(&at->project, at->number));
    if (!at->words.force && access(planning->path, F_OK) == 0) {
        (void)err_set(&err, ERR_INVALID, "'%s' already exists", planning->path);
        (void)err_hint(&err, "devs execute-phase %d runs it; --force plans again", at->number);
        code = fail(&err);
    } else if (write_prompt(planning, &prompt, &err)) {
        const struct workflow_question question = {
            .globals = globals,
            .words = &at->words,
            .command = "plan-phase",
            .title = str_text(&title),
            .dir = at->project.dir,
            .config = &at->config,
            .adapter = at->adapter,
            .session = phase_words_session(at),
            .prompt = str_text(&prompt),
            .contract = "\"" PLAN_CONTRACT_PLAN "\"",
            .output = planning->name,
            .take = take_plan,
            .ctx = planning,
        };
        code = workflow_ask(&question);
    } else {
        code = fail(&err);
    }
    str_done(&prompt);
    str_done(&title);
    return code;
}

int cmd_plan_phase(struct globals *globals, int argc, char **argv)
{
    struct planning planning = {0};
    const struct workflow_command command = {
        .own = {"force", 0, NULL, "overwrite the existing plan", &planning.at.words.force, NULL},
        .words = &planning.at.words,
    };
    bool done = false;
    int code = workflow_parse(globals, &command, argc, argv, &done);
    if (done)
        return code;
    code = phase_words_read(&planning.at, argv[0]);
    if (code == EXIT_ALL_PASSED)
        code = phase_words_agent(&planning.at);
    if (code == EXIT_ALL_PASSED) {
        project_plan_name(planning.at.number, planning.name, sizeof(planning.name));
        project_plan_path(&planning.at.project, planning.at.number, planning.path);
        code = ask_agent(globals, &planning);
    }
    phase_words_done(&planning.at);
    return code;
}
