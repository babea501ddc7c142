#include "container.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "container_args.h"
#include "sandbox_parts.h"
#include "tool_run.h"

static bool ask(const struct sandbox *sandbox, const char *const *words, struct tool_result *result)
{
    return tool_ask(words, sandbox->call.our_environment, SANDBOX_CALL_MS, result, NULL);
}

static bool has_image(const struct sandbox *sandbox)
{
    const char *const words[] = {
        sandbox->tool.program,     "image", "inspect", "--format", "{{.Id}}",
        sandbox->call.spec->image, NULL};
    struct tool_result result = {0};
    bool has = ask(sandbox, words, &result);
    tool_result_done(&result);
    return has;
}

static bool says_daemon_is_down(const char *text)
{
    static const char *const words[] = {"Cannot connect to the Docker daemon",
                                        "Is the docker daemon running", "error during connect",
                                        "annot connect to Podman", "nable to connect to Podman"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (strstr(text, words[i]))
            return true;
    }
    return false;
}

/* Why `create` did not make one. False, always. */
static bool explain(const struct sandbox *sandbox, const struct tool_result *result,
                    int *start_code, struct err *err)
{
    const char *name = sandbox->tool.name;
    const char *image = sandbox->call.spec->image;
    char line[ERR_MESSAGE_MAX - 100];

    if (result->stopped) {
        *start_code = ECANCELED;
        return err_set(err, ERR_BUSY, "%s: stopped while it made the container", name);
    }
    if (result->timed_out) {
        *start_code = START_TIMED_OUT;
        return err_set(err, ERR_IO, "%s: no container after %lld ms (start_timeout_ms)", name,
                       (long long)sandbox->call.spec->start_timeout_ms);
    }
    if (says_daemon_is_down(str_text(&result->err))) {
        *start_code = START_DAEMON_DOWN;
        sandbox_last_line(str_text(&result->err), line, sizeof(line));
        return err_set(err, ERR_IO, "%s", line);
    }
    if (!has_image(sandbox)) {
        *start_code = START_IMAGE_MISSING;
        (void)err_set(err, ERR_NOT_FOUND, "%s: image '%.200s' is not here", name, image);
        return err_hint(err, "%s pull %.150s", name, image);
    }
    *start_code = START_SANDBOX_FAILED;
    sandbox_last_line(str_text(&result->err), line, sizeof(line));
    return err_set(err, ERR_IO, "%s create: %s", name, line);
}

static bool create(struct sandbox *sandbox, const atomic_bool *stop, struct tool_result *result,
                   struct err *err)
{
    struct arg_list argv = {0};
    struct arg_list environment = {0};
    struct str file = {0};

    bool ok = container_args(sandbox, &argv, &file, &environment, err);
    if (ok) {
        const struct tool_call call = {.argv = argv.items,
                                       .environment = environment.items,
                                       .cwd = "/",
                                       .input = file.data,
                                       .input_len = file.len,
                                       .timeout_ms = sandbox->call.spec->start_timeout_ms,
                                       .stop = stop};
        ok = tool_run(&call, result, NULL, err);
    }
    str_done(&file);
    arg_list_done(&argv);
    arg_list_done(&environment);
    return ok;
}

static void take_id(struct sandbox *sandbox, const struct tool_result *result)
{
    sandbox_last_line(str_text(&result->out), sandbox->container_id, CONTAINER_ID_MAX);
    sandbox->container_is_there = true;
}

bool container_prepare(struct sandbox *sandbox, const atomic_bool *stop, int *start_code,
                       struct err *err)
{
    struct tool_result result = {0};

    *start_code = START_SANDBOX_FAILED;
    if (!sandbox->tool.program[0])
        return err_set(err, ERR_NOT_FOUND, "%s", sandbox->tool.why);
    if (!create(sandbox, stop, &result, err)) {
        tool_result_done(&result);
        return false;
    }
    bool ok = result.exit_code == 0 && !result.timed_out && !result.stopped;
    if (ok) {
        take_id(sandbox, &result);
        arg_list_add(&sandbox->argv, sandbox->tool.program);
        arg_list_add(&sandbox->argv, "start");
        arg_list_add(&sandbox->argv, "--attach");
        if (sandbox->call.has_stdin)
            arg_list_add(&sandbox->argv, "--interactive");
        arg_list_add(&sandbox->argv, sandbox->name);
    } else {
        (void)explain(sandbox, &result, start_code, err);
        (void)container_remove(sandbox); /* it may have been made after all */
    }
    tool_result_done(&result);
    return ok;
}

bool container_remove(struct sandbox *sandbox)
{
    const struct container_tool *tool = &sandbox->tool;
    bool removed =
        container_end(tool->program, tool->is_podman, sandbox->name, sandbox->call.our_environment);
    if (removed)
        sandbox->container_is_there = false;
    return removed;
}

enum { STATE_STATUS, STATE_OOM, STATE_CODE, STATE_STARTED, STATE_FIELDS };

/* What the engine knows of it; fields of `text`. False: it knows nothing. */
static bool inspect(const struct sandbox *sandbox, struct tool_result *result,
                    char *fields[STATE_FIELDS])
{
    static const char format[] =
        "{{.State.Status}}|{{.State.OOMKilled}}|{{.State.ExitCode}}|{{.State.StartedAt}}|";
    const char *const words[] = {sandbox->tool.program, "container", "inspect", "--format", format,
                                 sandbox->name,         NULL};
    if (!ask(sandbox, words, result) || result->out.len == 0)
        return false;
    char *at = result->out.data;
    for (int i = 0; i < STATE_FIELDS; i++) {
        char *end = strchr(at, '|');
        if (!end)
            return false;
        *end = '\0';
        fields[i] = at;
        at = end + 1;
    }
    return true;
}

/* The command is not in the image, or may not be executed; or the engine broke. */
static void explain_start(const struct sandbox *sandbox, const char *err_tail,
                          struct sandbox_end *end)
{
    char line[ERR_MESSAGE_MAX];
    int code = START_SANDBOX_FAILED;

    sandbox_last_line(err_tail, line, sizeof(line));
    if (says_daemon_is_down(line))
        code = START_DAEMON_DOWN;
    else if (strstr(line, "executable file") && strstr(line, "not found"))
        code = ENOENT;
    else if (strstr(line, "no such file or directory") && strstr(line, sandbox->call.argv[0]))
        code = ENOENT;
    else if (end->outcome.code == 126 && strstr(line, "permission denied"))
        code = EACCES;
    if (!line[0])
        (void)snprintf(line, sizeof(line), "%s ended without having started the container",
                       sandbox->tool.name);
    sandbox_was_not_started(end, code, line);
}

void container_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end,
                      bool *oom_told)
{
    struct tool_result result = {0};
    char *fields[STATE_FIELDS];

    bool known = inspect(sandbox, &result, fields);
    bool by_itself = sandbox_ended_itself(&end->outcome);
    if (known) {
        bool started = strncmp(fields[STATE_STARTED], "0001-", 5) != 0;
        bool is_over = strcmp(fields[STATE_STATUS], "exited") == 0 ||
                       strcmp(fields[STATE_STATUS], "stopped") == 0;
        *oom_told = strcmp(fields[STATE_OOM], "true") == 0;
        if (by_itself && !started) {
            explain_start(sandbox, err_tail, end);
        } else if (by_itself && is_over) {
            end->outcome.kind = OUTCOME_EXIT;
            end->outcome.code = (int)strtol(fields[STATE_CODE], NULL, 10) & 0xff;
        }
    } else if (by_itself && says_daemon_is_down(err_tail)) {
        explain_start(sandbox, err_tail, end);
    }
    tool_result_done(&result);
    if (!container_remove(sandbox) && end->outcome.left == 0)
        end->outcome.left = 1;
}
