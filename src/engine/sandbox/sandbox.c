#define _GNU_SOURCE /* O_PATH */

#include "sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bwrap.h"
#include "container.h"
#include "kernel_log.h"
#include "rounded.h"
#include "sandbox_parts.h"
#include "sandbox_paths.h"
#include "xalloc.h"

/* What a container and a control group may be called. */
static void make_name(const char *from, char out[SANDBOX_NAME_MAX])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t len = 0;
    for (; *from && len < SANDBOX_NAME_MAX - 1; from++) {
        bool is_letter = strchr(letters, *from) != NULL;
        bool fits = is_letter || (len > 0 && strchr("._-", *from));
        out[len++] = fits ? *from : 'x';
    }
    out[len] = '\0';
}

static bool is_container(const struct sandbox *sandbox)
{
    return sandbox_kind_is_container(sandbox->call.spec->kind);
}

/* A limit that cannot be had here is left out: sandbox_check() has said so. */
static void leave_out(struct cgroup_limits *limits)
{
    struct cgroup_means means;
    cgroup_means(&means);
    if (!means.memory)
        limits->memory_bytes = 0;
    if (!means.pids)
        limits->pids = 0;
}

/* Without a limit a group is for the evidence, and for an end that is proven: none is no
 * reason not to start. */
static bool open_group(struct sandbox *sandbox, struct err *err)
{
    struct err ignored = {0};
    const struct sandbox_call *call = &sandbox->call;
    struct cgroup_limits limits = sandbox_limits(call);

    limits.at_top = is_container(sandbox);
    if (limits.at_top) {
        limits.pids = 0; /* the container's own */
        if (!sandbox->tool.takes_groups)
            return true;
    } else {
        leave_out(&limits);
    }
    bool needed = !limits.at_top && (limits.memory_bytes > 0 || limits.pids > 0);
    if (!needed && call->spec->kind == SANDBOX_NONE)
        return true;
    bool ok =
        cgroup_open(&sandbox->cgroup, call->uid, sandbox->name, &limits, needed ? err : &ignored);
    if (ok && !limits.at_top)
        cgroup_enter(sandbox->cgroup, &sandbox->limits);
    return ok || !needed;
}

static bool prepare(struct sandbox *sandbox, const atomic_bool *stop, int *start_code,
                    struct err *err)
{
    enum sandbox_kind kind = sandbox->call.spec->kind;

    if (sandbox_kind_is_container(kind))
        container_tool(kind, &sandbox->tool);
    if (!open_group(sandbox, err)) {
        *start_code = START_SANDBOX_FAILED;
        return false;
    }
    if (stop && atomic_load(stop)) {
        *start_code = ECANCELED;
        return err_set(err, ERR_BUSY, "stopped");
    }
    sandbox->kernel_log = kernel_log_open();
    if (sandbox_kind_is_container(kind))
        return container_prepare(sandbox, stop, start_code, err);
    sandbox->limits.cpu_s = sandbox->call.spec->cpu_s;
    return kind == SANDBOX_NONE || bwrap_prepare(sandbox, start_code, err);
}

bool sandbox_prepare(struct sandbox **out, const struct sandbox_call *call, const atomic_bool *stop,
                     int *start_code, struct err *err)
{
    assert(call->cwd[0] == '/' && call->workspace[0] == '/');
    assert(call->argv[0] && call->uid[0] && call->name[0]);

    struct sandbox *sandbox = xcalloc(1, sizeof(*sandbox));
    sandbox->call = *call;
    sandbox->status_fds[0] = -1;
    sandbox->status_fds[1] = -1;
    sandbox->options_fd = -1;
    sandbox->kernel_log = -1;
    make_name(call->name, sandbox->name);
    if (!prepare(sandbox, stop, start_code, err)) {
        sandbox_close(sandbox);
        return false;
    }
    *out = sandbox;
    return true;
}

void sandbox_launch(const struct sandbox *sandbox, struct sandbox_launch *out)
{
    const struct sandbox_call *call = &sandbox->call;
    /* bwrap: what the step's environment names must not act on the program that is still outside.
     */
    static char *const nothing[] = {NULL};
    const bool contained = is_container(sandbox);
    const bool is_bwrap = call->spec->kind == SANDBOX_BWRAP;
    bool stdin_is_inside = call->spec->kind != SANDBOX_NONE && call->stdin_path &&
                           sandbox_path_is_below(call->stdin_path, call->workspace);

    *out = (struct sandbox_launch){
        .argv = sandbox->argv.count > 0 ? sandbox->argv.items : call->argv,
        .environment = contained  ? call->our_environment
                       : is_bwrap ? nothing
                                  : call->environment,
        .cwd = contained ? "/" : call->cwd,
        .limits = &sandbox->limits,
        .stdin_within = stdin_is_inside ? call->workspace : NULL,
        .signals_apart = is_bwrap,
    };
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

void sandbox_started(struct sandbox *sandbox, int pid)
{
    sandbox->pid = pid;
    close_fd(&sandbox->status_fds[1]);
    close_fd(&sandbox->options_fd);
}

void sandbox_signal(struct sandbox *sandbox, int signal_number)
{
    if (sandbox->call.spec->kind == SANDBOX_BWRAP)
        bwrap_signal(sandbox, signal_number);
}

static void say(struct sandbox_end *end, int killed, const char *words)
{
    end->memory_killed = killed;
    (void)snprintf(end->evidence, sizeof(end->evidence), "%s", words);
}

/* Any witness of a kill is believed; that there was none is believed of a counter alone. */
static void judge_memory(struct sandbox *sandbox, bool oom_told, struct sandbox_end *end)
{
    struct cgroup_facts facts = {.memory_killed = -1};
    char words[SANDBOX_EVIDENCE_MAX];
    long long limit_mb = sandbox->call.spec->memory_mb;

    if (sandbox->cgroup)
        cgroup_read(sandbox->cgroup, &facts);
    end->peak_kib = facts.peak_kib;
    (void)snprintf(words, sizeof(words),
                   "control group: %s for memory (limit %lld MiB, peak %lld MiB)",
                   facts.memory_killed == 1 ? "killed" : "nobody was killed", limit_mb,
                   (long long)rounded(facts.peak_kib, 1024));
    if (limit_mb == 0)
        (void)snprintf(words, sizeof(words), "control group: %s for memory (no limit)",
                       facts.memory_killed == 1 ? "killed" : "nobody was killed");
    if (facts.memory_killed == 1)
        say(end, 1, words);
    else if (oom_told)
        say(end, 1, "the container's state says OOMKilled");
    else if (kernel_log_tells_kill(sandbox->kernel_log, sandbox->name, sandbox->container_id))
        say(end, 1, "the kernel's log tells of a kill for memory in it");
    else if (facts.memory_killed == 0)
        say(end, 0, words);
    else
        say(end, -1, "nothing here counts kills for memory");
}

static void end_group(struct sandbox *sandbox, struct sandbox_end *end)
{
    size_t left;
    if (!sandbox->cgroup)
        return;
    (void)cgroup_end(sandbox->cgroup, &left);
    if ((size_t)end->outcome.left < left)
        end->outcome.left = (int)left;
}

/* Goes from the folder `at`, which is closed, down to where the last name of the path is. No link
 * is followed: one among the names is removed if `removes_links`. -1: nothing is left to remove. */
static int open_parent(int at, char *path, const char **last, bool removes_links)
{
    char *name = path + strspn(path, "/");
    for (char *slash; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        struct stat info;
        *slash = '\0';
        const int inner = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0 && removes_links && fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK(info.st_mode))
            (void)unlinkat(at, name, 0); /* an attempt made it */
        (void)close(at);
        at = inner;
    }
    *last = name;
    return at;
}

/* FOLDER//REST: only the rest can be an attempt's, links on the way included. */
static void remove_one_unwanted(const char *entry)
{
    char path[PATH_MAX + 1];
    const char *last = "";
    (void)snprintf(path, sizeof(path), "%s", entry);
    char *rest = strstr(path, "//");
    if (!rest)
        return;
    rest[1] = '\0';
    rest += 2;
    int at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    at = open_parent(at, path, &last, false);
    at = open_parent(at, rest, &last, true);
    if (at < 0)
        return;
    (void)unlinkat(at, last, 0); /* mostly there is none; a folder stays */
    (void)close(at);
}

/* They were not there before, and git would look for its configuration where they say. */
static void remove_unwanted(const struct sandbox *sandbox)
{
    for (size_t i = 0; i < sandbox->unwanted.count; i++)
        remove_one_unwanted(sandbox->unwanted.items[i]);
}

void sandbox_finish(struct sandbox *sandbox, const struct outcome *raw, const char *err_tail,
                    struct sandbox_end *out)
{
    bool oom_told = false;

    *out = (struct sandbox_end){.outcome = *raw, .memory_killed = -1};
    if (is_container(sandbox))
        container_finish(sandbox, err_tail, out, &oom_told);
    else if (sandbox->call.spec->kind == SANDBOX_BWRAP)
        bwrap_finish(sandbox, err_tail, out);
    judge_memory(sandbox, oom_told, out);
    end_group(sandbox, out);
    remove_unwanted(sandbox);
}

void sandbox_close(struct sandbox *sandbox)
{
    if (!sandbox)
        return;
    if (sandbox->container_is_there)
        (void)container_remove(sandbox);
    close_fd(&sandbox->status_fds[0]);
    close_fd(&sandbox->status_fds[1]);
    close_fd(&sandbox->options_fd);
    kernel_log_close(sandbox->kernel_log);
    cgroup_close(sandbox->cgroup);
    arg_list_done(&sandbox->argv);
    arg_list_done(&sandbox->options);
    arg_list_done(&sandbox->unwanted);
    free(sandbox);
}

bool sandbox_sweep(const char *uid, struct str *ended, struct str *left)
{
    bool containers = container_sweep(uid, ended, left);
    bool groups = cgroup_sweep(uid, ended, left);
    return containers && groups;
}
