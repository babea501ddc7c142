/* project_file.c - reads and writes devs.project.json, and names the files of its phases.
 *
 * The file is untrusted, and its session becomes an argument of a program, so everything is
 * checked. */
#include "project.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "adapter.h"
#include "contract.h"
#include "fail.h"
#include "new_project_json.h"
#include "text_file.h"

enum { FOLDERS_MAX = 128, PLAN_NAME_MAX = 32 };

/* The keys kept from the answer, in the order of the file. */
static const char *const answered[] = {"name", "summary"};

/* Walks up from project->dir, which becomes the folder of the file. Returns NULL if there is
 * none. */
static FILE *open_nearest(struct project *project, struct err *err)
{
    for (int i = 0; i < FOLDERS_MAX; i++) {
        char path[PATH_MAX];
        int len = snprintf(path, sizeof(path), "%s/%s", project->dir, PROJECT_FILE_NAME);
        struct err why = {.code = ERR_NONE};
        FILE *file = len < PATH_MAX ? read_text_open(path, &why) : NULL;
        if (!file && why.code != ERR_NONE && why.code != ERR_NOT_FOUND)
            (void)err_set(err, ERR_INVALID, "%s: %s", path, why.message);
        char *slash = strrchr(project->dir, '/');
        if (file || err->code != ERR_NONE || !slash)
            return file;
        *slash = '\0';
    }
    return NULL;
}

/* Checks that the file has everything that the agent must provide; it may have more. */
static int check_project(const struct str *text, struct project *project)
{
    struct contract *contract = NULL;
    struct violations wrong = {0};
    bool is_loaded = contract_load(new_project_json, new_project_json_len, &contract, &wrong);
    assert(is_loaded);
    int code = EXIT_ALL_PASSED;
    if (!contract_check_text(contract, str_text(text), text->len, &project->root, &wrong))
        code = fail_violations(PROJECT_FILE_NAME, "nothing was started", &wrong);
    contract_free(contract);
    violations_done(&wrong);
    if (code != EXIT_ALL_PASSED)
        return code;
    /* the file is untrusted, and the session becomes an argument of the agent's program */
    const char *session = project_session(project);
    struct err err = {0};
    if (!session || adapter_session_is_id(session))
        return EXIT_ALL_PASSED;
    project_done(project);
    (void)err_set(&err, ERR_INVALID, PROJECT_FILE_NAME ": invalid session_id");
    (void)err_hint(&err, "remove that line from the file, and find out who added it");
    return fail(&err);
}

int project_read(const char *dir, struct project *out)
{
    struct project project = {0};
    struct str text = {0};
    struct err err = {0};
    (void)snprintf(project.dir, sizeof(project.dir), "%s", dir);
    FILE *file = open_nearest(&project, &err);
    if (!file && err.code == ERR_NONE)
        return fail_usage("devs new-project IDEA creates one",
                          "no " PROJECT_FILE_NAME " in this folder or above");
    bool ok = file && read_text(file, PROJECT_BYTES_MAX, &text, &err);
    if (file)
        (void)fclose(file); /* only read */
    int code = EXIT_USAGE;
    if (ok)
        code = check_project(&text, &project);
    else
        (void)fail(&err);
    str_done(&text);
    if (code == EXIT_ALL_PASSED)
        *out = project;
    return code;
}

void project_done(struct project *project)
{
    json_free(project->root);
    project->root = NULL;
}

int project_phase_count(const struct project *project)
{
    return (int)json_count(
        json_get(project->root,
                 "phases")); /* fits into int, because the contract limits the number of phases */
}

static const struct json *find_phase(const struct project *project, int number)
{
    assert(number >= 1);
    assert(number <= project_phase_count(project));
    return json_at(json_get(project->root, "phases"), (size_t)number - 1);
}

const char *project_phase_title(const struct project *project, int number)
{
    return json_text(json_get(find_phase(project, number), "title"), "");
}

void project_phase_json(const struct project *project, int number, struct str *out)
{
    json_write_indented(out, find_phase(project, number));
}

const char *project_agent(const struct project *project)
{
    return json_text(json_get(project->root, "agent"), NULL);
}

const char *project_session(const struct project *project)
{
    return json_text(json_get(project->root, "session_id"), NULL);
}

static void add_known(struct str *out, const char *key, const char *text)
{
    if (text)
        str_json_text(out, key, text);
}

/* Appends the members of the project as compact JSON, without the closing brace. */
static void add_members(const struct project *project, const char *idea, struct str *out)
{
    add_known(out, "idea", idea ? idea : json_text(json_get(project->root, "idea"), NULL));
    for (size_t i = 0; i < ARRAY_LEN(answered); i++)
        add_known(out, answered[i], json_text(json_get(project->root, answered[i]), NULL));
    str_json_key(out, "phases");
    json_write(out, json_get(project->root, "phases"));
}

/* Appends JSON written by us, indented for people. */
static void indent_json(const struct str *compact, struct str *out)
{
    struct json *root = NULL;
    bool is_json = json_parse_data(str_text(compact), compact->len, &root, NULL, NULL);
    assert(is_json);
    json_write_indented(out, root);
    json_free(root);
}

void project_json(const struct project *project, struct str *out)
{
    struct str text = {0};
    str_add_char(&text, '{');
    add_members(project, NULL, &text);
    str_add_char(&text, '}');
    indent_json(&text, out);
    str_done(&text);
}

bool project_write(const struct project *project, const struct project_facts *facts,
                   struct err *err)
{
    char path[PATH_MAX];
    struct str text = {0}, shown = {0};
    str_add(&text, "{\"version\":1");
    add_members(project, facts->idea, &text);
    add_known(&text, "agent", facts->agent ? facts->agent : project_agent(project));
    add_known(&text, "session_id", facts->session);
    str_add_char(&text, '}');
    indent_json(&text, &shown);
    int len = snprintf(path, sizeof(path), "%s/%s", project->dir, PROJECT_FILE_NAME);
    bool ok = len < PATH_MAX ? save_file(path, &shown, err)
                             : err_set(err, ERR_LIMIT, "the folder's name is too long");
    str_done(&text);
    str_done(&shown);
    return ok;
}

void project_words(const struct project *project, struct str *out)
{
    str_addf(out, "%s: %s\n", json_text(json_get(project->root, "name"), ""),
             json_text(json_get(project->root, "summary"), ""));
    for (int i = 1; i <= project_phase_count(project); i++) {
        const struct json *phase = find_phase(project, i);
        str_addf(out, "  %d  %s\n     %s\n     done when: %s\n", i, project_phase_title(project, i),
                 json_text(json_get(phase, "goal"), ""),
                 json_text(json_get(phase, "done_when"), ""));
    }
}

void project_plan_name(int number, char *name, size_t size)
{
    (void)snprintf(name, size, "phase-%d.plan.json", number);
}

bool project_is_plan_name(const char *name)
{
    char wanted[PLAN_NAME_MAX];
    for (int number = 1; number <= PROJECT_PHASES_MAX; number++) {
        project_plan_name(number, wanted, sizeof(wanted));
        if (strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

static void project_path(const struct project *project, const char *name, char path[PATH_MAX])
{
    int len = snprintf(path, PATH_MAX, "%s/%s", project->dir, name);
    if (len >= PATH_MAX)
        path[0] = '\0'; /* an empty path: no file has this name */
}

void project_plan_path(const struct project *project, int number, char path[PATH_MAX])
{
    char name[PLAN_NAME_MAX];
    project_plan_name(number, name, sizeof(name));
    project_path(project, name, path);
}

void project_summary_path(const struct project *project, int number, char path[PATH_MAX])
{
    char name[PLAN_NAME_MAX];
    (void)snprintf(name, sizeof(name), "phase-%d.summary.md", number);
    project_path(project, name, path);
}
