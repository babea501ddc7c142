/* remote_tool.c - programs of this machine that reach other ones: their command lines, their
 * errors, and calls that only wait for their end. */
#include "remote_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster.h"
#include "outcome.h"
#include "ssh_channel.h"
#include "text.h"
#include "xalloc.h"

void ssh_path_add(const char *path, struct str *out)
{
    if (strncmp(path, "~/", 2) == 0) {
        str_add(out, "\"$HOME\"/");
        path += 2;
    }
    shell_word_add(path, out);
}

void hand_add_call(const struct remote_place *place, const char *words, const char *name,
                   struct str *out)
{
    const struct plan_executor *executor = place->executor;
    ssh_path_add(executor->hand, out);
    str_addf(out, " %s", words);
    if (!name)
        return;
    struct str dir = {0};
    str_addf(&dir, "%s/%s", executor->dir, name);
    str_add_char(out, ' ');
    ssh_path_add(str_text(&dir), out);
    str_done(&dir);
}

/* Appends the arguments of ssh up to the host. The keep-alive ends a connection whose link is dead.
 * A connection that is shared is used, but not begun, because it would outlive the attempt: ours at
 * `control` (NULL = none), or one that the person has. */
static void add_ssh(const char *host, char *const *args, bool is_master, const char *control,
                    struct arg_list *out)
{
    static const char *const fixed[] = {"ssh", "-T",
                                        "-o",  "BatchMode=yes",
                                        "-o",  "ServerAliveInterval=10",
                                        "-o",  "ServerAliveCountMax=3"};
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        arg_list_add(out, fixed[i]);
    arg_list_addf(out, "-oConnectTimeout=%d", REMOTE_CONNECT_S);
    arg_list_addf(out, "-oControlMaster=%s", is_master ? "yes" : "no");
    if (is_master)
        arg_list_add(out, "-N");
    arg_list_add_all(out, args); /* ssh uses the first value of an option */
    if (control)
        arg_list_addf(out, "-oControlPath=%s", control);
    arg_list_add(out, "--");
    arg_list_add(out, host);
}

char **ssh_argv(const char *host, char *const *args, const char *command)
{
    struct arg_list argv = {0};
    add_ssh(host, args, false, NULL, &argv);
    arg_list_add(&argv, command);
    return argv.items;
}

char **share_argv(const struct remote_place *place, const char *script, const char *control)
{
    struct arg_list argv = {0};
    arg_list_add(&argv, "sh");
    arg_list_add(&argv, "-c");
    arg_list_add(&argv, script);
    arg_list_add(&argv, "devs");
    add_ssh(place->host, place->executor->args, true, control, &argv);
    return argv.items;
}

char **channel_argv(const struct remote_place *place, const char *command)
{
    if (!place->job) {
        struct arg_list argv = {0};
        const bool is_shared = place->control && access(place->control, F_OK) == 0;
        add_ssh(place->host, place->executor->args, false, is_shared ? place->control : NULL,
                &argv);
        arg_list_add(&argv, command);
        return argv.items;
    }
    const struct executor_words words = {.job = cluster_job_name(place->job), .command = command};
    return executor_argv(place->executor, place->executor->adapter.channel, &words);
}

void tool_line_done(struct tool_line *line)
{
    text_list_free(line->argv);
    free(line->environment);
    *line = (struct tool_line){0};
}

void tool_last_error(const struct str *errors, struct str *out)
{
    const char *text = str_text(errors);
    size_t end = errors->len;
    while (end > 0 && (text[end - 1] == '\n' || text[end - 1] == '\r'))
        end--;
    size_t from = end;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    text_clean(out, text + from, end - from);
}

void tool_add_error(struct str *errors, const char *bytes, size_t len)
{
    const size_t room = REMOTE_ERRORS_MAX - errors->len;
    str_add_n(errors, bytes, len < room ? len : room);
}

/* Returns the environment of such a program. The caller frees the array; the strings are borrowed.
 */
static char **make_environment(const struct remote_place *place)
{
    const size_t given = text_list_count(place->environment);
    char **environment = xcalloc(given + 3, sizeof(*environment));
    environment[0] = (char *)(uintptr_t)place->run_mark; /* a start does not modify it */
    environment[1] = (char *)(uintptr_t)place->step_mark;
    memcpy(environment + 2, place->environment, given * sizeof(*environment));
    return environment;
}

struct child *tool_start(struct nursery *nursery, const struct remote_place *place,
                         struct tool_line *line, const int *feed, const struct launch_input *input,
                         const struct child_watcher *watcher)
{
    line->environment = make_environment(place);
    const struct child_call child = {
        .spawn = {.argv = line->argv,
                  .environment = line->environment,
                  .cwd = "/",
                  .feed = feed,
                  .input = input},
        .run_mark = place->run_mark,
        .step_mark = place->step_mark,
        .timeout_ms = line->timeout_ms,
    };
    return child_start(nursery, &child, watcher);
}

/* Programs that a worker waits for. */

/* Reports why there is no exit code of the program. */
static bool report_no_answer(const struct remote_place *place, const struct tool_result *result,
                             int *start_code, struct err *err)
{
    const bool is_refused =
        executor_refuses(&place->executor->adapter, str_text(&result->err)) && !result->stopped;
    struct str line = {0};
    tool_last_error(&result->err, &line);
    *start_code = result->stopped ? ECANCELED
                  : is_refused    ? START_EXECUTOR_REFUSED
                                  : START_EXECUTOR_DOWN;
    (void)err_set(err, ERR_IO, "%s: %.200s", place->host,
                  result->stopped     ? "stopped"
                  : result->timed_out ? "no answer in time"
                  : line.len > 0      ? str_text(&line)
                                      : "the connection broke");
    str_done(&line);
    return false;
}

bool remote_run(const struct remote_place *place, const struct remote_program *program,
                struct tool_result *out, int *start_code, struct err *err)
{
    struct str command = {0};
    struct tool_result result = {0};
    str_add(&command, "exec");
    for (const char *const *word = program->argv; *word; word++) {
        str_add_char(&command, ' ');
        shell_word_add(*word, &command);
    }
    if (command.len > REMOTE_WORDS_MAX) {
        str_done(&command);
        *start_code = E2BIG;
        return err_set(err, ERR_LIMIT, "%s: the command is longer than %d bytes", place->host,
                       REMOTE_WORDS_MAX);
    }
    struct tool_line line = {.argv = channel_argv(place, str_text(&command)),
                             .environment = make_environment(place)};
    const struct tool_call call = {.argv = line.argv,
                                   .environment = line.environment,
                                   .cwd = "/",
                                   .input_path = program->input_path,
                                   .timeout_ms = program->timeout_ms,
                                   .out_max = program->out_max,
                                   .ends_when_full = true,
                                   .stop = program->stop};
    *start_code = START_EXECUTOR_DOWN;
    bool ok = tool_run(&call, &result, NULL, err);
    tool_line_done(&line);
    str_done(&command);
    if (ok && !result.out_cut &&
        (result.stopped || result.timed_out || result.signal_number != 0 ||
         result.exit_code == SSH_FAILED))
        ok = report_no_answer(place, &result, start_code, err);
    if (ok) {
        *out = result;
        *start_code = 0;
    } else {
        tool_result_done(&result);
    }
    return ok;
}

/* Short runs. */

struct errand {
    struct tool_line line;
    struct str input;
    struct launch_input given;
    struct str out, errors;
    size_t out_max;
    void *ctx;
    errand_done_fn *done;
};

static void errand_over(struct errand *errand, int code)
{
    struct str line = {0};
    tool_last_error(&errand->errors, &line);
    errand->done(errand->ctx, code, &errand->out, str_text(&line));
    str_done(&line);
    tool_line_done(&errand->line);
    str_done(&errand->input);
    str_done(&errand->out);
    str_done(&errand->errors);
    free(errand);
}

static void errand_started(void *ctx)
{
    (void)ctx;
}

static void errand_output(void *ctx, int stream, const char *bytes, size_t len)
{
    struct errand *errand = ctx;
    const size_t room = errand->out_max - errand->out.len;
    if (stream == 1)
        tool_add_error(&errand->errors, bytes, len);
    else
        str_add_n(&errand->out, bytes, len < room ? len : room);
}

static void errand_failed(void *ctx, int number, const struct err *err)
{
    struct errand *errand = ctx;
    (void)number;
    str_add(&errand->errors, err->message);
    errand_over(errand, -1);
}

static void errand_ended(void *ctx, const struct child_end *end)
{
    errand_over(ctx, end->outcome.kind == OUTCOME_EXIT ? end->outcome.code : -1);
}

struct child *errand_start(struct nursery *nursery, const struct remote_place *place,
                           const struct errand_call *call, void *ctx, errand_done_fn *done)
{
    struct errand *errand = xcalloc(1, sizeof(*errand));
    errand->ctx = ctx;
    errand->done = done;
    errand->out_max = call->out_max;
    errand->line = (struct tool_line){.argv = call->argv, .timeout_ms = REMOTE_HELLO_MS};
    if (call->input)
        str_add(&errand->input, call->input);
    errand->given = (struct launch_input){str_text(&errand->input), errand->input.len};
    const struct child_watcher watcher = {.ctx = errand,
                                          .started = errand_started,
                                          .failed = errand_failed,
                                          .output = errand_output,
                                          .ended = errand_ended};
    return tool_start(nursery, place, &errand->line, NULL, call->input ? &errand->given : NULL,
                      &watcher);
}

/* An errand whose output does not matter. */
struct quiet_errand {
    void *ctx;
    remote_done_fn *done;
};

static void quiet_over(void *ctx, int code, const struct str *out, const char *error)
{
    struct quiet_errand *quiet = ctx;
    (void)out;
    quiet->done(quiet->ctx, code, error);
    free(quiet);
}

static struct child *run_quietly(struct nursery *nursery, const struct remote_place *place,
                                 char **argv, void *ctx, remote_done_fn *done)
{
    struct quiet_errand *quiet = xcalloc(1, sizeof(*quiet));
    *quiet = (struct quiet_errand){ctx, done};
    const struct errand_call call = {.argv = argv};
    return errand_start(nursery, place, &call, quiet, quiet_over);
}

struct child *remote_probe(struct nursery *nursery, const struct remote_place *place, void *ctx,
                           remote_done_fn *done)
{
    const struct executor_adapter *adapter = &place->executor->adapter;
    if (adapter->ping) {
        const struct executor_words words = {0};
        return run_quietly(nursery, place, executor_argv(place->executor, adapter->ping, &words),
                           ctx, done);
    }
    struct str command = {0};
    str_add(&command, "exec ");
    hand_add_call(place, "--version", NULL, &command);
    char **argv = channel_argv(place, str_text(&command));
    str_done(&command);
    return run_quietly(nursery, place, argv, ctx, done);
}

struct child *remote_clean(struct nursery *nursery, const struct remote_place *place,
                           const struct str *names, size_t count, void *ctx, remote_done_fn *done)
{
    struct str command = {0};
    enum { COMMAND_MAX = 64 * 1024 }; /* Linux limits an argument to 128 KiB */
    for (size_t i = 0; i < count && command.len < COMMAND_MAX; i++) {
        hand_add_call(place, "clean --lost", names[i].data, &command);
        str_add(&command, " 2>/dev/null; ");
    }
    if (count > 0) { /* the run's folder, which they share, once it is empty */
        struct str dir = {0};
        str_addf(&dir, "%s/%.*s", place->executor->dir, (int)strcspn(names[0].data, "/"),
                 names[0].data);
        str_add(&command, "rmdir ");
        ssh_path_add(str_text(&dir), &command);
        str_add(&command, " 2>/dev/null; ");
        str_done(&dir);
    }
    if (place->job) {
        struct str words = {0};
        str_addf(&words, "release %s", cluster_job_holder(place->job));
        hand_add_call(place, str_text(&words), NULL, &command);
        str_done(&words);
    } else {
        str_add(&command, "true");
    }
    char **argv = channel_argv(place, str_text(&command));
    str_done(&command);
    return run_quietly(nursery, place, argv, ctx, done);
}
