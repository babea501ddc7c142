/* cmd_mcp.c - devs mcp: the tool proxy for an agent. */
#define _DEFAULT_SOURCE /* environ, realpath */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "command.h"
#include "config.h"
#include "fail.h"
#include "file_act.h"
#include "parse.h"
#include "proxy.h"
#include "secrets.h"
#include "session.h"
#include "shown.h"
#include "str.h"
#include "trust.h"

extern char **environ;

/* The options. */
struct mcp_words {
    struct sandbox_options sandbox;
    const char *workspace, *policy, *name, *dir;
    /* For the file tools, see mcp_request.h. */
    const char *read_file, *write_file, *offset, *length;
};

/* A running server. */
struct serving {
    const struct globals *globals;
    const struct mcp_words *words;
    struct config config; /* owned */
    struct str plan_text;
    struct plan *plan;               /* owned */
    struct workspace_spec workspace; /* owned; the workspace that the calls use */
    struct secrets secrets;
    char dir[PATH_MAX];
    char program[PATH_MAX];
    struct proxy_options options;
};

static bool write_sandbox(const struct serving *serving, struct str *out, struct err *err)
{
    const struct settings *settings = &serving->config.settings;
    struct sandbox_spec spec = sandbox_spec_new();
    bool is_given = false;
    bool ok = sandbox_options_choose(&serving->words->sandbox, settings, &is_given, &spec, err);
    if (!is_given && settings->said & PLAN_SAYS_SANDBOX)
        spec = sandbox_spec_copy(&settings->sandbox);
    if (ok && !sandbox_spec_is_empty(&spec)) {
        str_json_key(out, "sandbox");
        sandbox_spec_write(&spec, out);
    }
    sandbox_spec_done(&spec);
    return ok;
}

/* Chooses the kind of the workspace: in place unless the command line says otherwise. Takes
 * everything else from the settings. */
static bool choose_workspace(struct serving *serving, struct err *err)
{
    const struct settings *settings = &serving->config.settings;
    const char *word = serving->words->workspace;
    enum workspace_kind kind = WORKSPACE_INPLACE;
    if (word && !workspace_kind_parse(word, &kind)) {
        (void)err_set(err, ERR_INVALID, "unknown workspace '%s'", word);
        return err_hint(err, "use inplace, worktree or copy");
    }
    serving->workspace = settings->said & PLAN_SAYS_WORKSPACE
                             ? workspace_spec_copy(&settings->workspace)
                             : workspace_spec_new();
    serving->workspace.kind = kind;
    return true;
}

/* Makes the plan that grows with each call. */
static bool make_plan(struct serving *serving, struct err *err)
{
    const struct plan_context context = {.settings = &serving->config.settings};
    const char *policy = serving->words->policy;
    struct violations violations = {0};
    struct str text = {0};
    str_addf(&text, "{\"version\":1,\"name\":\"mcp\",\"grows\":true,\"jobs\":%d", PROXY_JOBS);
    bool ok = !policy || config_policy(&serving->config.settings, policy, err);
    if (ok && policy)
        str_json_text(&text, "policy", policy);
    ok = ok && write_sandbox(serving, &text, err);
    str_add(&text, ",\"tasks\":[]}");
    if (ok) {
        ok = plan_parse_with(str_text(&text), text.len, &context, &serving->plan, &violations);
        if (!ok)
            (void)err_set(err, ERR_INVALID, "%s: %s", violations.items[0].path,
                          violations.items[0].message);
    }
    if (ok)
        plan_write(serving->plan, &serving->plan_text);
    violations_done(&violations);
    str_done(&text);
    return ok;
}

static bool fill_options(struct serving *serving, struct err *err)
{
    const struct ui_settings *ui = &serving->config.settings.ui;
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof(seed), 0) != (ssize_t)sizeof(seed))
        return err_set(err, ERR_IO, "cannot get random numbers");
    if (!realpath("/proc/self/exe", serving->program))
        return err_set_errno(err, errno, "/proc/self/exe");
    serving->options = (struct proxy_options){.db = serving->globals->db,
                                              .workspace = &serving->workspace,
                                              .name = serving->words->name,
                                              .tests = serving->config.settings.tests,
                                              .program = serving->program,
                                              .engine = {.plan = serving->secrets.plan,
                                                         .calls = serving->secrets.calls,
                                                         .plan_text = serving->secrets.plan_text,
                                                         .rules = serving->config.settings.rules,
                                                         .command = serving->globals->command_line,
                                                         .run_dir = serving->dir,
                                                         .environment = environ,
                                                         .jobs = PROXY_JOBS,
                                                         .seed = seed,
                                                         .notify_command = ui->notify_command,
                                                         .notify = ui->notify,
                                                         .redactor = serving->secrets.redactor}};
    return true;
}

/* Gives the protocol its own descriptors, which no child inherits, so that nothing else in this
 * process can read or write them. */
static bool take_stdio(struct proxy_options *options, struct err *err)
{
    sigset_t pipe_signal;
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    (void)sigprocmask(SIG_BLOCK, &pipe_signal, NULL);
    options->in_fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    options->out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool ok = options->in_fd >= 0 && options->out_fd >= 0 && null_fd >= 0 &&
              dup2(null_fd, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (!ok)
        (void)err_set_errno(err, errno, "cannot redirect stdin and stdout");
    if (null_fd >= 0)
        (void)close(null_fd);
    return ok && session_block_signals(&options->signal_fd, err);
}

static int tell_end(const struct proxy_result *result)
{
    if (result->run > 0) {
        struct str calls = {0};
        shown_count(result->calls, "call", "calls", &calls);
        warn("run #%lld: %s", (long long)result->run, str_text(&calls));
        str_done(&calls);
    }
    if (result->notify_err.code != ERR_NONE)
        warn("notify_command failed: %s", result->notify_err.message);
    if (result->kept.len > 0)
        warn("the result is kept as %s", str_text(&result->kept));
    if (result->err.code != ERR_NONE || result->recording_failed) {
        (void)fail(&result->err);
        return EXIT_NOT_RECORDED;
    }
    return result->signal_number != 0 ? 128 + result->signal_number : EXIT_ALL_PASSED;
}

static int serve_client(struct serving *serving)
{
    struct proxy_result result = {0};
    struct err err = {0};
    bool ok = choose_workspace(serving, &err) && make_plan(serving, &err);
    const struct session session = {.globals = serving->globals,
                                    .plan = serving->plan,
                                    .plan_text = str_text(&serving->plan_text),
                                    .rules = serving->config.settings.rules,
                                    .secrets = &serving->config.settings.secrets};
    ok = ok && secrets_open(&serving->secrets, &session, &err) && fill_options(serving, &err) &&
         take_stdio(&serving->options, &err) && proxy_run(&serving->options, &result, &err);
    int code = ok ? tell_end(&result) : fail(&err);
    str_done(&result.kept);
    secrets_close(&serving->secrets);
    workspace_spec_done(&serving->workspace);
    plan_free(serving->plan);
    str_done(&serving->plan_text);
    return code;
}

static int serve_words(const struct globals *globals, const struct mcp_words *words)
{
    struct serving serving = {.globals = globals, .words = words};
    if (words->dir && chdir(words->dir) != 0)
        return fail_usage(NULL, "--dir '%s': %s", words->dir, strerror(errno));
    if (!getcwd(serving.dir, sizeof(serving.dir)))
        return fail_usage(NULL, "this folder no longer exists");
    int code = config_read(serving.dir, CONFIG_ACTS, &serving.config);
    if (code != EXIT_ALL_PASSED)
        return code;
    code = serve_client(&serving);
    config_done(&serving.config);
    return code;
}

/* Runs as a step of the proxy's run: reads or writes a file for one of the file tools. */
static int act_on_file(const struct mcp_words *words)
{
    int64_t offset = 0;
    int64_t length = 0;
    struct err err = {0};
    if (words->write_file) {
        /* No client may grant trust: its writable folder may be the user's home. */
        char folder[PATH_MAX], real[PATH_MAX];
        const bool is_known = trust_folder(folder, NULL);
        const char *guarded = is_known ? folder : NULL;
        if (is_known && realpath(folder, real))
            guarded = real;
        return file_act_write(words->write_file, guarded);
    }
    if (!parse_i64(words->offset ? words->offset : "0", 0, INT64_MAX, &offset, &err) ||
        !parse_i64(words->length ? words->length : "0", 0, INT64_MAX - offset, &length, &err))
        return fail(&err);
    return file_act_read(words->read_file, offset, length);
}

int cmd_mcp(struct globals *globals, int argc, char **argv)
{
    struct mcp_words words = {0};
    const struct option_spec specs[] = {
        SANDBOX_OPTIONS(words.sandbox),
        {"workspace", 0, "K",
         "inplace (default), worktree or copy: one tree for all calls of the session", NULL,
         &words.workspace},
        {"policy", 0, "NAME",
         "retry policy of the calls: default, another built-in policy, or one from "
         "devs.config.json",
         NULL, &words.policy},
        {"name", 0, "NAME", "name of the run (default: the client's name)", NULL, &words.name},
        {"dir", 0, "DIR", "the project (default: this folder)", NULL, &words.dir},
        {"read-file", 0, "PATH", "used by the tool read_file: print a file below this folder", NULL,
         &words.read_file},
        {"write-file", 0, "PATH",
         "used by the tool write_file: write stdin to a file below this folder", NULL,
         &words.write_file},
        {"offset", 0, "N", "with --read-file: offset of the first byte", NULL, &words.offset},
        {"length", 0, "N", "with --read-file: number of bytes", NULL, &words.length},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    return words.read_file || words.write_file ? act_on_file(&words) : serve_words(globals, &words);
}
