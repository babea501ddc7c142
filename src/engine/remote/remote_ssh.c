/* remote_ssh.c - ssh: its command lines, its errors, and short calls of devs-hand on a machine. */
#include "remote_internal.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "xalloc.h"

/* Appends a path as a word of the other machine's shell. A leading "~/" is the home folder. */
static void add_path(const char *path, struct str *out)
{
    if (strncmp(path, "~/", 2) == 0) {
        str_add(out, "\"$HOME\"/");
        path += 2;
    }
    shell_word_add(path, out);
}

void ssh_add_hand(const struct plan_executor *executor, const char *words, const char *name,
                  struct str *out)
{
    add_path(executor->hand, out);
    str_addf(out, " %s", words);
    if (!name)
        return;
    struct str dir = {0};
    str_addf(&dir, "%s/%s", executor->dir, name);
    str_add_char(out, ' ');
    add_path(str_text(&dir), out);
    str_done(&dir);
}

/* Completes the line, of which only the command is known. */
static void ssh_line_make(const struct remote_place *place, struct ssh_line *out)
{
    const struct plan_executor *executor = place->executor;
    str_addf(&out->connect, "ConnectTimeout=%d", REMOTE_CONNECT_S);
    /* The keep-alive ends a channel whose link is dead. A new master would outlive the attempt, so
     * none is begun; one that the person has is used. */
    const char *const fixed[] = {"ssh", "-T",
                                 "-o",  "BatchMode=yes",
                                 "-o",  "ControlMaster=no",
                                 "-o",  "ServerAliveInterval=10",
                                 "-o",  "ServerAliveCountMax=3",
                                 "-o",  out->connect.data};
    const size_t extra = text_list_count(executor->args);
    size_t count = 0;
    out->argv = xcalloc(ARRAY_LEN(fixed) + extra + 4, sizeof(*out->argv));
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        out->argv[count++] = (char *)(uintptr_t)fixed[i]; /* a start does not modify it */
    for (size_t i = 0; i < extra; i++)
        out->argv[count++] = executor->args[i];
    out->argv[count++] = (char *)(uintptr_t) "--";
    out->argv[count++] = (char *)(uintptr_t)place->host;
    out->argv[count] = out->command.data;

    const size_t given = text_list_count(place->environment);
    out->environment = xcalloc(given + 3, sizeof(*out->environment));
    out->environment[0] = (char *)(uintptr_t)place->run_mark;
    out->environment[1] = (char *)(uintptr_t)place->step_mark;
    memcpy(out->environment + 2, place->environment, given * sizeof(*out->environment));
}

void ssh_line_done(struct ssh_line *line)
{
    free(line->argv);
    free(line->environment);
    str_done(&line->command);
    str_done(&line->connect);
    *line = (struct ssh_line){0};
}

void ssh_last_error(const struct str *errors, struct str *out)
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

void ssh_add_error(struct str *errors, const char *bytes, size_t len)
{
    const size_t room = REMOTE_ERRORS_MAX - errors->len;
    str_add_n(errors, bytes, len < room ? len : room);
}

struct child *ssh_start(struct nursery *nursery, const struct remote_place *place,
                        struct ssh_line *line, const int *feed, const struct child_watcher *watcher)
{
    ssh_line_make(place, line);
    const struct child_call child = {
        .spawn = {.argv = line->argv, .environment = line->environment, .cwd = "/", .feed = feed},
        .run_mark = place->run_mark,
        .step_mark = place->step_mark,
        .timeout_ms = line->timeout_ms,
    };
    return child_start(nursery, &child, watcher);
}

/* Short calls of devs-hand. */

struct errand {
    struct ssh_line line;
    struct str errors;
    void *ctx;
    remote_done_fn *done;
};

static void errand_over(struct errand *errand, int code)
{
    struct str line = {0};
    ssh_last_error(&errand->errors, &line);
    errand->done(errand->ctx, code, str_text(&line));
    str_done(&line);
    ssh_line_done(&errand->line);
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
    if (stream == 1)
        ssh_add_error(&errand->errors, bytes, len);
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

/* Takes over the command. */
static struct child *run_errand(struct nursery *nursery, const struct remote_place *place,
                                struct str *command, void *ctx, remote_done_fn *done)
{
    struct errand *errand = xcalloc(1, sizeof(*errand));
    errand->ctx = ctx;
    errand->done = done;
    errand->line.command = *command;
    const struct child_watcher watcher = {.ctx = errand,
                                          .started = errand_started,
                                          .failed = errand_failed,
                                          .output = errand_output,
                                          .ended = errand_ended};
    errand->line.timeout_ms = REMOTE_HELLO_MS;
    return ssh_start(nursery, place, &errand->line, NULL, &watcher);
}

struct child *remote_probe(struct nursery *nursery, const struct remote_place *place, void *ctx,
                           remote_done_fn *done)
{
    struct str command = {0};
    str_add(&command, "exec ");
    ssh_add_hand(place->executor, "--version", NULL, &command);
    return run_errand(nursery, place, &command, ctx, done);
}

struct child *remote_clean(struct nursery *nursery, const struct remote_place *place,
                           const struct str *names, size_t count, void *ctx, remote_done_fn *done)
{
    struct str command = {0};
    enum { COMMAND_MAX = 64 * 1024 }; /* Linux limits an argument to 128 KiB */
    for (size_t i = 0; i < count && command.len < COMMAND_MAX; i++) {
        ssh_add_hand(place->executor, "clean --lost", names[i].data, &command);
        str_add(&command, " 2>/dev/null; ");
    }
    if (count > 0) { /* the run's folder, which they share, once it is empty */
        struct str dir = {0};
        str_addf(&dir, "%s/%.*s", place->executor->dir, (int)strcspn(names[0].data, "/"),
                 names[0].data);
        str_add(&command, "rmdir ");
        add_path(str_text(&dir), &command);
        str_add(&command, " 2>/dev/null; true");
        str_done(&dir);
    }
    return run_errand(nursery, place, &command, ctx, done);
}
