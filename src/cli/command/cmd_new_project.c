/* cmd_new_project.c - devs new-project: an agent turns an idea into a project in phases. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "fail.h"
#include "plan_file.h"
#include "project.h"
#include "text_file.h"

enum { IDEA_MAX = 64 * 1024 }; /* bytes */

/* The question to the agent, and the folder of the new project. */
struct asking {
    struct workflow_words words;
    struct config config; /* owned */
    char dir[PATH_MAX];
    struct str idea; /* owned */
    const struct adapter *adapter;
};

static bool read_idea(const char *word, struct str *out, struct err *err)
{
    struct err why = {0};
    if (strcmp(word, "-") != 0)
        str_add(out, word);
    else if (!read_text(stdin, IDEA_MAX, out, &why))
        return err_set(err, ERR_INVALID, "the idea: %s", why.message);
    if (out->len > IDEA_MAX)
        return err_set(err, ERR_INVALID, "the idea is longer than %d KiB", IDEA_MAX / 1024);
    if (strspn(str_text(out), " \t\r\n") == out->len)
        return err_set(err, ERR_INVALID, "the idea is empty");
    return true;
}

/* Finds the folder of the new project. Refuses to overwrite an existing project. */
static bool find_room(struct asking *asking, struct err *err)
{
    if (!getcwd(asking->dir, sizeof(asking->dir)))
        return err_set_errno(err, errno, "cannot determine the current folder");
    if (asking->words.force || access(PROJECT_FILE_NAME, F_OK) != 0)
        return true;
    (void)err_set(err, ERR_INVALID, "'" PROJECT_FILE_NAME "' already exists");
    return err_hint(err, "devs plan-phase 1 continues with it; --force starts over");
}

/* Adds the idea, the agent and its session to the project file, which has the agent's answer. */
static int take_project(void *ctx, const char *session, struct str *json)
{
    const struct asking *asking = ctx;
    const struct project_facts facts = {.idea = str_text(&asking->idea),
                                        .agent = adapter_name(asking->adapter),
                                        .session = session};
    struct project project;
    struct str words = {0};
    struct err err = {0};
    int code = project_read(asking->dir, &project);
    if (code != EXIT_ALL_PASSED)
        return code;
    if (!project_write(&project, &facts, &err))
        code = fail(&err);
    str_json_key(json, "project");
    json_write(json, project.root);
    if (code == EXIT_ALL_PASSED && !asking->words.json) {
        str_add_char(&words, '\n');
        project_words(&project, &words);
        str_addf(&words, "\nsaved as %s/" PROJECT_FILE_NAME "\nnext: devs plan-phase 1\n",
                 asking->dir);
        say(str_text(&words));
    }
    str_done(&words);
    project_done(&project);
    return code;
}

static bool write_prompt(const struct asking *asking, struct str *contract, struct str *out,
                         struct err *err)
{
    struct str text = {0};
    bool ok = workflow_text_read(&asking->config, "new-project.json", contract, err) &&
              workflow_text_read(&asking->config, "new-project.md", &text, err);
    const struct workflow_value values[] = {{"idea", str_text(&asking->idea)},
                                            {"folder", asking->dir},
                                            {"contract", str_text(contract)}};
    const struct workflow_values all = {values, ARRAY_LEN(values)};
    ok = ok && workflow_prompt_fill(str_text(&text), &all, out, err);
    str_done(&text);
    return ok;
}

static int ask_agent(struct globals *globals, struct asking *asking)
{
    struct str prompt = {0}, contract = {0};
    struct err err = {0};
    int code = EXIT_USAGE;
    if (write_prompt(asking, &contract, &prompt, &err)) {
        const struct workflow_question question = {
            .globals = globals,
            .words = &asking->words,
            .command = "new-project",
            .title = str_text(&asking->idea),
            .dir = asking->dir,
            .config = &asking->config,
            .adapter = asking->adapter,
            .session = asking->words.resume,
            .prompt = str_text(&prompt),
            .contract = str_text(&contract),
            .output = PROJECT_FILE_NAME,
            .take = take_project,
            .ctx = asking,
        };
        code = workflow_ask(&question);
    } else {
        code = fail(&err);
    }
    str_done(&prompt);
    str_done(&contract);
    return code;
}

int cmd_new_project(struct globals *globals, int argc, char **argv)
{
    struct asking asking = {0};
    const struct workflow_command command = {
        .own = {"force", 0, NULL, "overwrite the existing project", &asking.words.force, NULL},
        .words = &asking.words,
    };
    bool done = false;
    int code = workflow_parse(globals, &command, argc, argv, &done);
    if (done)
        return code;
    struct err err = {0};
    if (!read_idea(argv[0], &asking.idea, &err) || !find_room(&asking, &err))
        code = fail(&err);
    if (code == EXIT_ALL_PASSED)
        code = config_read(asking.dir, CONFIG_ACTS, &asking.config);
    if (code == EXIT_ALL_PASSED) {
        const struct settings *settings = &asking.config.settings;
        const char *name = asking.words.agent ? asking.words.agent : settings->agent;
        code = agent_choose(settings->agents, name, &asking.adapter);
    }
    if (code == EXIT_ALL_PASSED)
        code = ask_agent(globals, &asking);
    str_done(&asking.idea);
    config_done(&asking.config);
    return code;
}
