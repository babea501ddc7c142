/* sandbox.c - prepares, starts and ends a sandbox of any kind, and checks what can be enforced.
 *
 * Each kind has its own file. The shared parts are here: the environment filter, the limits, the
 * control group, and the decision whether memory ran out: any evidence is enough to conclude that a
 * process was killed, but only a counter can show that none was. At the end, removes files that
 * must not exist, because git would read its configuration from them. */
#define _GNU_SOURCE /* O_PATH */

#include "sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup.h"
#include "rounded.h"
#include "sandbox_internal.h"
#include "xalloc.h"

/* How bwrap, podman and docker report the end of an attempt; for bwrap.c and container.c. */

void sandbox_last_line(const char *text, char *out, size_t size)
{
    size_t len = strlen(text);
    while (len > 0 && strchr("\r\n \t", text[len - 1]))
        len--;
    size_t from = len;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    (void)snprintf(out, size, "%.*s", (int)(len - from), text + from);
    for (char *c = out; *c; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = ' ';
    }
}

bool sandbox_ended_itself(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_EXIT || outcome->kind == OUTCOME_SIGNAL;
}

void sandbox_was_not_started(struct sandbox_end *end, int start_code, const char *why)
{
    end->outcome.kind = OUTCOME_NOT_STARTED;
    end->outcome.code = start_code;
    (void)snprintf(end->start_why, sizeof(end->start_why), "%s", why);
}

/* The environment of a step in a sandbox. */

/* Variables passed into every sandbox. Variables with paths of this machine are useless in a
 * container, which has its own files. A name ending in '*' is a prefix. */
static const char *const names_everywhere[] = {"DEVS_*", "LANG", "LANGUAGE", "LC_*", "TERM", "TZ"};
static const char *const names_of_here[] = {"HOME", "LOGNAME", "PATH", "SHELL", "USER"};

static bool name_fits(const char *pattern, const char *entry)
{
    size_t len = strlen(pattern);
    if (len > 0 && pattern[len - 1] == '*')
        return strncmp(entry, pattern, len - 1) == 0;
    return strncmp(entry, pattern, len) == 0 && entry[len] == '=';
}

static bool fits_any(const char *const *patterns, size_t count, const char *entry)
{
    for (size_t i = 0; i < count; i++) {
        if (name_fits(patterns[i], entry))
            return true;
    }
    return false;
}

/* Returns whether the sandbox passes the variable on: it is one of the step's `own`, it is passed
 * into every sandbox, or the plan names it. */
static bool is_let_in(const struct sandbox_spec *spec, char *const *own, const char *entry)
{
    if (spec->kind == SANDBOX_NONE)
        return true;
    const size_t len = strcspn(entry, "=");
    for (size_t i = 0; own && own[i]; i++) {
        if (strncmp(own[i], entry, len) == 0 && own[i][len] == '=')
            return true;
    }
    if (fits_any(names_everywhere, ARRAY_LEN(names_everywhere), entry))
        return true;
    bool is_here = !sandbox_kind_is_container(spec->kind);
    if (is_here && fits_any(names_of_here, ARRAY_LEN(names_of_here), entry))
        return true;
    for (size_t i = 0; spec->env && spec->env[i]; i++) {
        if (name_fits(spec->env[i], entry))
            return true;
    }
    return false;
}

char **sandbox_environment(const struct sandbox_spec *spec, char *const *own,
                           char *const *environment)
{
    size_t all = 0;
    size_t count = 0;
    while (environment[all])
        all++;
    char **out = xcalloc(all + 1, sizeof(*out));
    for (size_t i = 0; i < all; i++) {
        if (is_let_in(spec, own, environment[i]))
            out[count++] = environment[i];
    }
    return out;
}

/* Checks which parts of a sandbox this machine can enforce. */

/* The keys that cannot be enforced, and why. */
struct lacking {
    struct str *keys, *why;
};

static void add_lacking(struct lacking *lacking, const char *key, const char *why)
{
    str_addf(lacking->keys, "%s%s", lacking->keys->len > 0 ? ", " : "", key);
    if (strstr(str_text(lacking->why), why))
        return;
    str_addf(lacking->why, "%s%s", lacking->why->len > 0 ? "; " : "", why);
}

static void check_groups(const struct sandbox_spec *spec, struct lacking *lacking)
{
    struct cgroup_means means;
    if (spec->memory_mb == 0 && spec->pids == 0)
        return;
    cgroup_means(&means);
    if (spec->memory_mb > 0 && !means.memory)
        add_lacking(lacking, "memory_mb", means.why);
    if (spec->pids > 0 && !means.pids)
        add_lacking(lacking, "pids", means.why);
}

static bool check_bwrap(const struct sandbox_spec *spec, struct lacking *lacking, struct err *err)
{
    struct bwrap_means means;
    bwrap_means(&means);
    if (!means.works) {
        (void)err_set(err, ERR_NOT_FOUND, "sandbox: bwrap cannot be used here: %s", means.why);
        return err_hint(err, "devs doctor");
    }
    if (spec->network != SANDBOX_NETWORK_ON && !means.network)
        add_lacking(lacking, "network", means.why);
    check_groups(spec, lacking);
    return true;
}

/* Checks a container sandbox. A daemon that is not running may be started later, so that is not an
 * error here; the attempt checks it. */
static bool check_container(const struct sandbox_spec *spec, struct lacking *lacking,
                            struct err *err)
{
    struct container_tool tool;
    container_tool(spec->kind, &tool);
    if (!tool.program[0]) {
        (void)err_set(err, ERR_NOT_FOUND, "sandbox: kind %s cannot be used here: %s",
                      sandbox_kind_name(spec->kind), tool.why);
        return err_hint(err, "devs doctor");
    }
    if (!tool.works)
        return true;
    char why[160];
    (void)snprintf(why, sizeof(why), "%s has no control group controller for it", tool.name);
    if (spec->memory_mb > 0 && !tool.limits_memory)
        add_lacking(lacking, "memory_mb", why);
    if (spec->pids > 0 && !tool.limits_pids)
        add_lacking(lacking, "pids", why);
    return true;
}

bool sandbox_check(const struct sandbox_spec *spec, struct str *lacks, struct str *why,
                   struct err *err)
{
    static const char needs_kind[] = "this needs a sandbox of kind bwrap or container";
    struct lacking lacking = {.keys = lacks, .why = why};

    if (spec->kind == SANDBOX_NONE) {
        if (spec->network == SANDBOX_NETWORK_OFF)
            add_lacking(&lacking, "network", needs_kind);
        if (spec->root == SANDBOX_ROOT_READ_ONLY)
            add_lacking(&lacking, "read_only", needs_kind);
        check_groups(spec, &lacking);
    } else if (spec->kind == SANDBOX_BWRAP ? !check_bwrap(spec, &lacking, err)
                                           : !check_container(spec, &lacking, err)) {
        return false;
    }
    if (lacks->len == 0 || spec->best_effort)
        return true;
    (void)err_set(err, ERR_INVALID, "sandbox: %s cannot be enforced here: %s", lacks->data,
                  str_text(why));
    return err_hint(err, "set \"best_effort\": true in the plan's sandbox to run anyway");
}

bool sandbox_is_plain(const struct sandbox_spec *spec, int64_t processes)
{
    bool limited = spec->memory_mb > 0 || spec->pids > 0 || spec->cpu_s > 0 || processes > 0;
    return spec->kind == SANDBOX_NONE && !limited;
}

struct cgroup_limits sandbox_limits(const struct sandbox_call *call)
{
    struct cgroup_limits limits = {.memory_bytes = call->spec->memory_mb * SANDBOX_MIB,
                                   .pids = call->spec->pids};
    if (call->processes > 0 && (limits.pids == 0 || call->processes < limits.pids))
        limits.pids = call->processes;
    return limits;
}

/* Makes a name that is valid for containers and control groups. */
static void make_valid_name(const char *from, char out[SANDBOX_NAME_MAX])
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

/* Makes the control group. Without limits, it only provides evidence and makes sure that all
 * processes end, so failing to make it does not prevent the start. */
static bool open_group(struct sandbox *sandbox, struct err *err)
{
    struct err ignored = {0};
    const struct sandbox_call *call = &sandbox->call;
    struct cgroup_limits limits = sandbox_limits(call);

    limits.at_top = is_container(sandbox);
    if (limits.at_top) {
        limits.pids = 0; /* the container has its own limit */
        if (!sandbox->tool.takes_groups)
            return true;
    } else {
        /* Drops limits that are not available here; sandbox_check() has reported them. */
        struct cgroup_means means;
        cgroup_means(&means);
        if (!means.memory)
            limits.memory_bytes = 0;
        if (!means.pids)
            limits.pids = 0;
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

static bool prepare_kind(struct sandbox *sandbox, const atomic_bool *stop, int *start_code,
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
    sandbox->filter_fd = -1;
    sandbox->kernel_log = -1;
    make_valid_name(call->name, sandbox->name);
    if (!prepare_kind(sandbox, stop, start_code, err)) {
        sandbox_close(sandbox);
        return false;
    }
    *out = sandbox;
    return true;
}

void sandbox_launch(const struct sandbox *sandbox, struct sandbox_launch *out)
{
    const struct sandbox_call *call = &sandbox->call;
    /* bwrap: the step's variables must not affect bwrap itself, which runs outside. */
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
    close_fd(&sandbox->filter_fd);
}

void sandbox_signal(struct sandbox *sandbox, int signal_number)
{
    if (sandbox->call.spec->kind == SANDBOX_BWRAP)
        bwrap_signal(sandbox, signal_number);
}

static void set_evidence(struct sandbox_end *end, int killed, const char *words)
{
    end->memory_killed = killed;
    (void)snprintf(end->evidence, sizeof(end->evidence), "%s", words);
}

/* Decides whether memory ran out. Any evidence is enough to conclude that a process was killed, but
 * only a counter can show that none was. */
static void judge_memory(struct sandbox *sandbox, bool oom_reported, struct sandbox_end *end)
{
    struct cgroup_facts facts = {.memory_killed = -1};
    char words[SANDBOX_EVIDENCE_MAX];
    long long limit_mb = sandbox->call.spec->memory_mb;

    if (sandbox->cgroup)
        cgroup_read(sandbox->cgroup, &facts);
    end->peak_kib = facts.peak_kib;
    (void)snprintf(words, sizeof(words),
                   "control group: %s for memory (limit %lld MiB, peak %lld MiB)",
                   facts.memory_killed == 1 ? "killed" : "nothing was killed", limit_mb,
                   (long long)rounded(facts.peak_kib, 1024));
    if (limit_mb == 0)
        (void)snprintf(words, sizeof(words), "control group: %s for memory (no limit)",
                       facts.memory_killed == 1 ? "killed" : "nothing was killed");
    if (facts.memory_killed == 1)
        set_evidence(end, 1, words);
    else if (oom_reported)
        set_evidence(end, 1, "the container's state is OOMKilled");
    else if (kernel_log_tells_kill(sandbox->kernel_log, sandbox->name, sandbox->container_id))
        set_evidence(end, 1, "the kernel log reports an out-of-memory kill in it");
    else if (facts.memory_killed == 0)
        set_evidence(end, 0, words);
    else
        set_evidence(end, -1, "out-of-memory kills are not counted here");
}

/* Opens the parent of the path's last name, starting from the folder `at`, which it closes. Does
 * not follow symlinks. With `removes_links`, a symlink in the path is removed and the search ends.
 * Returns -1 if there is nothing to remove. */
static int open_parent(int at, char *path, const char **last, bool removes_links)
{
    char *name = path + strspn(path, "/");
    for (char *slash; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        struct stat info;
        *slash = '\0';
        const int inner = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0 && removes_links && fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISLNK(info.st_mode))
            (void)unlinkat(at, name, 0); /* a symlink that an attempt created */
        (void)close(at);
        at = inner;
    }
    *last = name;
    return at;
}

/* Removes an unwanted file. The entry is FOLDER//REST; an attempt can have made only REST,
 * including links in it. */
static void remove_unwanted_file(const char *entry)
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
    (void)unlinkat(at, last, 0); /* usually there is no such file; this does not remove a folder */
    (void)close(at);
}

void sandbox_finish(struct sandbox *sandbox, const struct outcome *raw, const char *err_tail,
                    struct sandbox_end *out)
{
    bool oom_reported = false;

    *out = (struct sandbox_end){.outcome = *raw, .memory_killed = -1};
    if (is_container(sandbox))
        container_finish(sandbox, err_tail, out, &oom_reported);
    else if (sandbox->call.spec->kind == SANDBOX_BWRAP)
        bwrap_finish(sandbox, err_tail, out);
    judge_memory(sandbox, oom_reported, out);
    if (sandbox->cgroup) {
        size_t left;
        (void)cgroup_end(sandbox->cgroup, &left);
        if ((size_t)out->outcome.processes_left < left)
            out->outcome.processes_left = (int)left;
    }
    /* Remove the files that did not exist before the attempt: git would read its configuration from
     * them. */
    for (size_t i = 0; i < sandbox->unwanted.count; i++)
        remove_unwanted_file(sandbox->unwanted.items[i]);
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
    close_fd(&sandbox->filter_fd);
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

static void note_start(void *ctx, pid_t pid)
{
    sandbox_started(ctx, (int)pid);
}

/* Signals a helper's sandbox. bwrap itself must keep running, because everything inside gets KILL
 * when it exits. The client of a container passes TERM on. */
static void send_signal(void *ctx, int signal_number)
{
    sandbox_signal(ctx, signal_number);
}

static bool run_prepared(struct sandbox *sandbox, int64_t timeout_ms, const atomic_bool *stop,
                         struct sandbox_ran *out, struct err *err)
{
    struct sandbox_launch launch;
    sandbox_launch(sandbox, &launch);
    const struct tool_call tool = {.argv = launch.argv,
                                   .environment = launch.environment,
                                   .cwd = launch.cwd,
                                   .timeout_ms = timeout_ms,
                                   .stop = stop,
                                   .limits = launch.limits,
                                   .keeps_path = true,
                                   .own_session = true,
                                   .started = note_start,
                                   .terminate = launch.signals_apart ? send_signal : NULL,
                                   .ctx = sandbox};
    if (!tool_run(&tool, &out->tool, &out->start_code, err))
        return false;
    struct outcome raw = {.kind = OUTCOME_EXIT, .code = out->tool.exit_code};
    if (out->tool.timed_out)
        raw = (struct outcome){.kind = OUTCOME_TIMEOUT};
    else if (out->tool.stopped)
        raw = (struct outcome){.kind = OUTCOME_CANCELLED};
    else if (out->tool.signal_number != 0)
        raw = (struct outcome){.kind = OUTCOME_SIGNAL, .code = out->tool.signal_number};
    const struct outcome *outcome = &out->end.outcome;
    sandbox_finish(sandbox, &raw, str_text(&out->tool.err), &out->end);
    if (outcome->kind == OUTCOME_NOT_STARTED) {
        out->start_code = outcome->code;
        return err_set(err, ERR_IO, "%s", out->end.start_why);
    }
    if (outcome->processes_left > 0) {
        out->start_code = START_LEFT_ALIVE;
        return err_set(err, ERR_IO, "cannot kill %d of its processes", outcome->processes_left);
    }
    if (outcome->kind == OUTCOME_EXIT) {
        out->tool.exit_code = outcome->code;
        out->tool.signal_number = 0;
    }
    out->start_code = 0;
    return true;
}

bool sandbox_run(const struct sandbox_call *call, int64_t timeout_ms, const atomic_bool *stop,
                 struct sandbox_ran *out, struct err *err)
{
    struct sandbox *sandbox = NULL;
    *out = (struct sandbox_ran){.end = {.memory_killed = -1}};
    if (!sandbox_prepare(&sandbox, call, stop, &out->start_code, err))
        return false;
    const bool ok = run_prepared(sandbox, timeout_ms, stop, out, err);
    sandbox_close(sandbox);
    return ok;
}
