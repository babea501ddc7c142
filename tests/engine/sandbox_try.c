#define _GNU_SOURCE /* environ */

#include "sandbox_try.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program_find.h"
#include "test_main.h"

enum { FIRST_FREE_FD = 10, AWAIT_MS = 60000, LOOK_MS = 5 };

struct try_place place;
struct try_result result;
struct sandbox_spec spec;

void try_open(enum sandbox_kind kind)
{
    char top[PATH_MAX - 32];
    (void)snprintf(top, sizeof(top), "%s", test_tmpdir());
    (void)snprintf(place.top, sizeof(place.top), "%s", top);
    (void)snprintf(place.workspace, sizeof(place.workspace), "%s/work", top);
    (void)snprintf(place.log_dir, sizeof(place.log_dir), "%s/work/.devs", top);
    (void)snprintf(place.log_db, sizeof(place.log_db), "%s/work/.devs/devs.db", top);
    ck_assert_int_eq(mkdir(place.workspace, 0755), 0);
    ck_assert_int_eq(mkdir(place.log_dir, 0700), 0);
    spec = (struct sandbox_spec){.kind = kind, .start_timeout_ms = SANDBOX_START_MS};
}

const char *try_uid(void)
{
    static char uid[64];
    (void)snprintf(uid, sizeof(uid), "test%d", (int)getpid());
    return uid;
}

const char *try_name(void)
{
    static char name[80];
    (void)snprintf(name, sizeof(name), "devs-%s-a-1-1", try_uid());
    return name;
}

void try_log_beside(void)
{
    static const char *const names[] = {"run.db", "run.db-wal", "run.dbx", "mine"};
    char top[PATH_MAX - 32];
    char path[PATH_MAX];
    (void)snprintf(top, sizeof(top), "%.4000s", place.workspace);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", top, names[i]);
        test_write_file(path, names[i], 0644);
    }
    (void)snprintf(place.log_dir, sizeof(place.log_dir), "%s", top);
    (void)snprintf(place.log_db, sizeof(place.log_db), "%s/run.db", top);
}

static void read_into(const char *path, char *out, size_t size)
{
    out[0] = '\0';
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t got = read(fd, out, size - 1);
    out[got > 0 ? got : 0] = '\0';
    (void)close(fd);
}

const char *try_read(const char *path)
{
    static char text[TRY_TEXT_MAX];
    read_into(path, text, sizeof(text));
    return text;
}

void try_await(const char *path)
{
    struct stat info;
    for (int waited = 0; waited < AWAIT_MS; waited += LOOK_MS) {
        if (stat(path, &info) == 0 && info.st_size > 0)
            return;
        (void)poll(NULL, 0, LOOK_MS);
    }
    ck_abort_msg("'%s' does not come", path);
}

static int open_high(const char *path, int flags)
{
    int low = open(path, flags | O_CLOEXEC, 0600);
    ck_assert_msg(low >= 0, "%s", path);
    int fd = fcntl(low, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    (void)close(low);
    return fd;
}

/* As launch.c does: the program's path by the child's PATH is not the matter here. */
static void find(const char *name, char out[PATH_MAX])
{
    if (strchr(name, '/'))
        (void)snprintf(out, PATH_MAX, "%s", name);
    else
        (void)program_find_absolute(name, out);
}

static void start_and_await(struct sandbox *sandbox, const struct try_call *call,
                            const char *files[3], struct outcome *raw)
{
    struct sandbox_launch launch;
    char program[PATH_MAX];
    pid_t pid = 0;
    int status = 0;

    sandbox_launch(sandbox, &launch);
    find(launch.argv[0], program);
    struct spawn_call spawn = {.program = program,
                               .argv = launch.argv,
                               .environment = launch.environment,
                               .cwd = launch.cwd,
                               .limits = launch.limits};
    spawn.fds[0] = open_high(files[0], O_RDONLY);
    spawn.fds[1] = open_high(files[1], O_WRONLY | O_CREAT | O_TRUNC);
    spawn.fds[2] = open_high(files[2], O_WRONLY | O_CREAT | O_TRUNC);
    int number = spawn_process(&spawn, &pid);
    for (int i = 0; i < 3; i++)
        (void)close(spawn.fds[i]);
    if (number != 0) {
        *raw = (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = number};
        return;
    }
    sandbox_started(sandbox, pid);
    if (call->meanwhile)
        call->meanwhile(sandbox);
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    bool by_signal = WIFSIGNALED(status);
    *raw = (struct outcome){.kind = by_signal ? OUTCOME_SIGNAL : OUTCOME_EXIT,
                            .code = by_signal ? WTERMSIG(status) : WEXITSTATUS(status)};
}

void try_run(const struct try_place *at, const struct try_call *call, struct try_result *out)
{
    static char path_entry[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char *const only_path[] = {path_entry, NULL};
    char *const shell[] = {(char[]){"sh"}, (char[]){"-c"}, (char *)(uintptr_t)call->script, NULL};
    char names[3][PATH_MAX + 8] = {"/dev/null"};
    const char *files[3] = {names[0], names[1], names[2]};
    struct sandbox *sandbox = NULL;
    struct outcome raw;

    *out = (struct try_result){.prepared = false};
    (void)snprintf(names[1], sizeof(names[1]), "%s/out", at->top);
    (void)snprintf(names[2], sizeof(names[2]), "%s/err", at->top);
    if (call->input) {
        (void)snprintf(names[0], sizeof(names[0]), "%s/in", at->top);
        test_write_file(names[0], call->input, 0644);
    }
    const struct sandbox_call made = {
        .spec = call->spec,
        .uid = try_uid(),
        .name = try_name(),
        .cwd = at->workspace,
        .workspace = at->workspace,
        .run_dir = call->run_dir ? call->run_dir : at->workspace,
        .plan_path = call->plan_path,
        .log_dir = at->log_dir,
        .log_db = at->log_db,
        .has_stdin = call->input,
        .processes = call->processes,
        .argv = call->script ? shell : call->argv,
        .environment = call->environment ? call->environment : only_path,
        .our_environment = environ,
    };
    out->prepared = sandbox_prepare(&sandbox, &made, NULL, &out->start_code, &out->err);
    if (!out->prepared)
        return;
    start_and_await(sandbox, call, files, &raw);
    read_into(files[1], out->out, sizeof(out->out));
    read_into(files[2], out->errors, sizeof(out->errors));
    sandbox_finish(sandbox, &raw, out->errors, &out->end);
    sandbox_close(sandbox);
}

void run_script(const char *script)
{
    const struct try_call call = {.spec = &spec, .script = script};
    try_run(&place, &call, &result);
    ck_assert_msg(result.prepared, "%s", result.err.message);
}

void want_exit(int code)
{
    const struct outcome *outcome = &result.end.outcome;
    ck_assert_msg(outcome->kind == OUTCOME_EXIT && outcome->code == code, "kind %d code %d: %s%s%s",
                  (int)outcome->kind, outcome->code, result.out, result.errors,
                  result.end.start_why);
    ck_assert_int_eq(outcome->processes_left, 0);
}

void want_refused(int start_code, const char *why)
{
    const struct try_call call = {.spec = &spec, .script = "true"};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_int_eq(result.start_code, start_code);
    ck_assert_msg(strstr(result.err.message, why) != NULL, "%s", result.err.message);
}
