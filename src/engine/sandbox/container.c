/* container.c - runs a step in podman or docker: create, start, inspect, remove.
 *
 * The container is created first, with a time limit. The process of the attempt is a client that
 * starts the container and attaches to it. The exit code of a client does not say whether the
 * program or the engine failed, so we ask the engine afterwards. A container only counts as removed
 * once the engine confirms it.
 *
 * Variables are passed in a file on stdin, where others cannot read them. A value that cannot be
 * passed in the file would have to be in the client's own environment, which a plan must not
 * control. */
#define _GNU_SOURCE /* environ */

#include "sandbox_internal.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attr.h"
#include "clock.h"
#include "err.h"
#include "program_find.h"
#include "sandbox.h"
#include "str.h"
#include "tool_run.h"

/* Asks podman and docker, once each, what they can do on this machine. */

static const char podman_format[] =
    "{{.Version.Version}}|{{.Host.CgroupManager}}|{{.Host.CgroupControllers}}|"
    "{{.Host.Security.Rootless}}|";
/* podman 3.0 does not have these two fields. */
static const char podman_filter_format[] =
    "{{.Host.ServiceIsRemote}}|{{.Host.Security.SECCOMPProfilePath}}|";
static const char docker_format[] =
    "{{.ServerVersion}}|{{.CgroupDriver}}|{{if .MemoryLimit}}memory{{end}} "
    "{{if .PidsLimit}}pids{{end}}|false|";

enum { PODMAN, DOCKER, TOOL_COUNT };

/* The lock guards the other fields. */
static struct {
    pthread_mutex_t lock;
    int64_t next_ms[TOOL_COUNT]; /* when to check again */
    struct container_tool tools[TOOL_COUNT];
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Cuts the next field off a line of fields that are separated by '|', and returns it. */
static char *take_field(char **rest)
{
    char *field = *rest;
    char *end = field + strcspn(field, "|");
    *rest = *end ? end + 1 : end;
    *end = '\0';
    return field;
}

static void parse_info(struct container_tool *tool, char *line)
{
    char *rest = line;
    const char *version = take_field(&rest);
    const char *manager = take_field(&rest);
    const char *controllers = take_field(&rest);
    bool is_rootless = strcmp(take_field(&rest), "true") == 0;

    (void)snprintf(tool->version, sizeof(tool->version), "%.47s", version);
    tool->limits_memory = strstr(controllers, "memory") != NULL;
    tool->limits_pids = strstr(controllers, "pids") != NULL;
    const bool is_local = strcmp(take_field(&rest), "false") == 0;
    const char *filter = take_field(&rest);
    if (is_local && filter[0] == '/')
        (void)snprintf(tool->filter, sizeof(tool->filter), "%s", filter);
    bool is_here = tool->is_podman || !getenv("DOCKER_HOST");
    tool->takes_groups = strcmp(manager, "cgroupfs") == 0 && !is_rootless && is_here;
    tool->works = true;
}

static bool ask_info(const struct container_tool *tool, const char *format,
                     struct tool_result *result, struct err *err)
{
    const char *const words[] = {tool->program, "info", "--format", format, NULL};
    return tool_ask(words, environ, CONTAINER_PROBE_MS, result, err);
}

/* Asks podman or docker what it can do. If the daemon is not running, docker exits with code 0 and
 * an empty version. */
static void probe_tool(struct container_tool *tool)
{
    struct tool_result result = {0};
    struct err err = {0};
    bool ok;

    if (tool->is_podman) {
        /* Ask for all fields first, and for fewer if podman is too old. */
        struct str format = {0};
        str_addf(&format, "%s%s", podman_format, podman_filter_format);
        ok = ask_info(tool, format.data, &result, &err);
        str_done(&format);
        if (!ok && strstr(str_text(&result.err), "can't evaluate field")) {
            tool_result_done(&result);
            result = (struct tool_result){0};
            err = (struct err){0};
            ok = ask_info(tool, podman_format, &result, &err);
        }
    } else {
        ok = ask_info(tool, docker_format, &result, &err);
    }
    if (ok && result.out.len > 0 && result.out.data[0] != '|')
        parse_info(tool, result.out.data);
    else if (ok)
        (void)snprintf(tool->why, sizeof(tool->why), "%s: the daemon does not answer", tool->name);
    else
        (void)snprintf(tool->why, sizeof(tool->why), "%.199s", err.message);
    tool_result_done(&result);
}

static void get_tool(int which, struct container_tool *out)
{
    struct container_tool *tool = &known.tools[which];
    (void)pthread_mutex_lock(&known.lock);
    if (clock_now().mono_ms >= known.next_ms[which]) {
        *tool = (struct container_tool){.is_podman = which == PODMAN};
        tool->name = which == PODMAN ? "podman" : "docker";
        if (program_find_absolute(tool->name, tool->program))
            probe_tool(tool);
        else
            (void)snprintf(tool->why, sizeof(tool->why), "%s is not installed", tool->name);
        known.next_ms[which] = tool->works ? INT64_MAX : clock_now().mono_ms + CONTAINER_AGAIN_MS;
    }
    *out = *tool;
    (void)pthread_mutex_unlock(&known.lock);
}

void container_tool(enum sandbox_kind kind, struct container_tool *out)
{
    struct container_tool docker;

    if (kind == SANDBOX_DOCKER) {
        get_tool(DOCKER, out);
        return;
    }
    get_tool(PODMAN, out);
    if (kind == SANDBOX_PODMAN || out->works)
        return;
    get_tool(DOCKER, &docker);
    if (docker.program[0] && (docker.works || !out->program[0]))
        *out = docker;
}

/* Builds the command line that makes a container. Any thread. */

enum {
    GROUP_SLACK_BYTES = 4 * SANDBOX_MIB, /* makes sure that our own group's limit is hit first */
    ENTRY_BYTES_MAX = 32 * 1024,
    NAME_BYTES_MAX = 100, /* maximum length of a variable's name in a message, in bytes */
};

static void add_pair(struct arg_list *argv, const char *option, const char *value)
{
    arg_list_add(argv, option);
    arg_list_add(argv, value);
}

/* Rejects paths that cannot be in a mount description (a comma-separated list with quotes). */
static bool can_be_mounted(const char *path, struct err *err)
{
    if (!strpbrk(path, ",\"\n"))
        return true;
    return err_set(err, ERR_INVALID,
                   "cannot mount '%s' in a container: it has a comma, quote or newline", path);
}

/* Adds a mount unless it was added before: folders in `writable` may overlap. */
static void add_mount_once(struct arg_list *argv, const struct str *mount)
{
    if (!arg_list_has(argv, str_text(mount)))
        add_pair(argv, "--mount", str_text(mount));
}

static bool add_mount(struct arg_list *argv, const char *source, const char *target,
                      const char *more, struct err *err)
{
    if (!can_be_mounted(source, err) || !can_be_mounted(target, err))
        return false;
    struct str mount = {0};
    str_addf(&mount, "type=bind,source=%s,target=%s%s", source, target, more);
    add_mount_once(argv, &mount);
    str_done(&mount);
    return true;
}

/* How the container sees a path of the machine. */
enum shown { SHOWN_AS_IS, SHOWN_READ_ONLY, SHOWN_EMPTY };

/* The input of the functions that add mounts. */
struct mounting {
    struct arg_list *argv;
    const struct sandbox *sandbox;
    struct arg_list areas, sealed; /* owned */
    struct err *err;
};

static bool show_path(const struct mounting *mounting, const char *path, const char *target,
                      enum shown how)
{
    struct stat info;
    if (how != SHOWN_EMPTY)
        return add_mount(mounting->argv, path, target, how == SHOWN_READ_ONLY ? ",readonly" : "",
                         mounting->err);
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return add_mount(mounting->argv, "/dev/null", target, ",readonly", mounting->err);
    /* Mount an empty folder. podman would copy the image's contents into it unless told not to. */
    const char *as = mounting->sandbox->tool.is_podman ? "notmpcopyup,ro," : "readonly,";
    if (!can_be_mounted(target, mounting->err))
        return false;
    struct str mount = {0};
    str_addf(&mount, "type=tmpfs,tmpfs-mode=0700,%starget=%s", as, target);
    add_mount_once(mounting->argv, &mount);
    str_done(&mount);
    return true;
}

/* Returns whether the path is inside a log of devs or, if `itself` is true, is a log. A workspace
 * inside a log stays visible. */
static bool is_sealed(const struct mounting *mounting, const char *path, bool itself)
{
    const char *workspace = mounting->sandbox->call.workspace;
    const bool is_ours = strcmp(path, workspace) == 0 || sandbox_path_is_below(path, workspace);
    for (size_t i = 0; i < mounting->sealed.count; i++) {
        const char *sealed = mounting->sealed.items[i];
        const bool holds_ours = is_ours && sandbox_path_is_below(workspace, sealed);
        if (!holds_ours &&
            ((itself && strcmp(path, sealed) == 0) || sandbox_path_is_below(path, sealed)))
            return true;
    }
    return false;
}

static bool add_writable(const struct mounting *mounting)
{
    const struct sandbox_call *call = &mounting->sandbox->call;
    char **writable = call->spec->writable;
    for (size_t i = 0; writable && writable[i]; i++) {
        char real[PATH_MAX];
        if (!sandbox_writable_path(call, writable[i], real, mounting->err))
            return false;
        const bool is_there =
            writable[i][0] != '/' ||
            (strcmp(writable[i], real) == 0 && sandbox_path_is_below(real, call->workspace));
        if (!is_there && !is_sealed(mounting, real, true) &&
            !show_path(mounting, real, writable[i], SHOWN_AS_IS))
            return false;
    }
    return true;
}

/* Shows a path in each mount that contains it. `writable` may lead to the path through links, and
 * each mount makes the path accessible. */
static bool show_in_each_mount(const struct mounting *mounting, const char *path, enum shown how)
{
    const struct sandbox_call *call = &mounting->sandbox->call;
    char **writable = call->spec->writable;
    bool ok = !sandbox_path_is_below(path, call->workspace) || show_path(mounting, path, path, how);
    for (size_t i = 0; ok && writable && writable[i]; i++) {
        char real[PATH_MAX];
        char target[PATH_MAX];
        if (!sandbox_writable_path(call, writable[i], real, mounting->err))
            return false;
        if (writable[i][0] != '/' || !sandbox_path_is_below(path, real) ||
            is_sealed(mounting, real, true))
            continue;
        const int wrote =
            snprintf(target, sizeof(target), "%s%s", writable[i], path + strlen(real));
        if (wrote < 0 || wrote >= PATH_MAX)
            return err_set_errno(mounting->err, ENAMETOOLONG, "sandbox: writable '%.100s...'",
                                 writable[i]);
        ok = show_path(mounting, path, target, how);
    }
    return ok;
}

static bool show_paths(const struct mounting *mounting, const struct arg_list *paths,
                       enum shown how)
{
    bool ok = true;
    for (size_t i = 0; ok && i < paths->count; i++)
        ok = is_sealed(mounting, paths->items[i], how != SHOWN_EMPTY) ||
             show_in_each_mount(mounting, paths->items[i], how);
    return ok;
}

static bool add_mounts(struct arg_list *argv, const struct sandbox *sandbox,
                       struct arg_list *unwanted, struct err *err)
{
    const struct sandbox_call *call = &sandbox->call;
    struct mounting mounting = {.argv = argv, .sandbox = sandbox, .err = err};
    sandbox_sealed_find(call, &mounting.sealed);
    bool ok = sandbox_areas_find(call, &mounting.areas, err) &&
              show_path(&mounting, call->workspace, call->workspace, SHOWN_AS_IS) &&
              add_writable(&mounting);
    if (ok) {
        /* As in bwrap, files that determine which programs devs and git run are read-only (see
         * sandbox_protected_find()). */
        struct sandbox_protected found;
        ok = sandbox_protected_find(call, &mounting.areas, &found, err) &&
             show_paths(&mounting, &found.pins, SHOWN_AS_IS) &&
             show_paths(&mounting, &found.paths, SHOWN_READ_ONLY);
        if (ok)
            arg_list_add_all(unwanted, found.unwanted.items);
        sandbox_protected_done(&found);
    }
    struct arg_list pins = {0};
    for (size_t i = 0; ok && i < mounting.sealed.count; i++)
        sandbox_add_pins(&mounting.areas, mounting.sealed.items[i], &pins);
    ok = ok && show_paths(&mounting, &pins, SHOWN_AS_IS) &&
         show_paths(&mounting, &mounting.sealed, SHOWN_EMPTY);
    arg_list_done(&pins);
    arg_list_done(&mounting.areas);
    arg_list_done(&mounting.sealed);
    return ok;
}

static void add_limits(struct arg_list *argv, const struct sandbox *sandbox)
{
    const struct sandbox_spec *spec = sandbox->call.spec;
    struct cgroup_limits limits = sandbox_limits(&sandbox->call);
    const char *group = sandbox->cgroup ? cgroup_path(sandbox->cgroup) : NULL;
    long long bytes = limits.memory_bytes + (group ? GROUP_SLACK_BYTES : 0);

    if (limits.memory_bytes > 0) {
        arg_list_add(argv, "--memory");
        arg_list_addf(argv, "%lldb", bytes);
        arg_list_add(argv, "--memory-swap");
        arg_list_addf(argv, "%lldb", bytes);
    }
    if (limits.pids > 0) {
        arg_list_add(argv, "--pids-limit");
        arg_list_addf(argv, "%lld", (long long)limits.pids);
    }
    if (spec->cpu_s > 0) {
        long long cpu_s = spec->cpu_s;
        arg_list_add(argv, "--ulimit");
        arg_list_addf(argv, "cpu=%lld:%lld", cpu_s, cpu_s + SPAWN_CPU_GRACE_S);
    }
    if (group)
        add_pair(argv, "--cgroup-parent", group);
}

static void add_isolation(struct arg_list *argv, const struct sandbox *sandbox)
{
    const struct sandbox_spec *spec = sandbox->call.spec;

    if (spec->network != SANDBOX_NETWORK_ON)
        add_pair(argv, "--network", "none");
    if (sandbox_spec_is_read_only(spec)) {
        arg_list_add(argv, "--read-only");
        add_pair(argv, "--tmpfs", "/tmp");
    }
    add_pair(argv, "--security-opt", "label=disable");
    add_pair(argv, "--log-driver", "none"); /* the output is in our log anyway */
    if (sandbox->tool.is_podman) {
        arg_list_add(argv, "--http-proxy=false"); /* proxy variables may contain passwords */
    } else if (geteuid() != 0) {
        arg_list_add(argv, "--user");
        arg_list_addf(argv, "%u:%u", (unsigned)geteuid(), (unsigned)getegid());
    }
}

/* Passes a value that the file cannot contain. The only other way is the client's own environment,
 * where LD_PRELOAD or PATH of a plan would affect the client. So passes only values that are
 * already in it, and our own DEVS_ variables. */
static bool add_long_variable(struct arg_list *argv, struct arg_list *environment,
                              const char *entry, struct err *err)
{
    const size_t len = strcspn(entry, "=");
    if (!arg_list_has(environment, entry)) {
        if (strncmp(entry, "DEVS_", strlen("DEVS_")) != 0)
            return err_set(err, ERR_INVALID,
                           "the plan's variable '%.*s' cannot be passed to a container: its value "
                           "has a newline or is longer than 32 KiB",
                           len < NAME_BYTES_MAX ? (int)len : NAME_BYTES_MAX, entry);
        for (size_t i = 0; i < environment->count; i++) {
            char *other = environment->items[i];
            if (strncmp(entry, other, len) == 0 && other[len] == '=')
                other[0] = '='; /* without a name, the old entry is invalid */
        }
        arg_list_add(environment, entry);
    }
    arg_list_add(argv, "--env");
    arg_list_addf(argv, "%.*s", (int)len, entry);
    return true;
}

static bool add_environment(struct arg_list *argv, const struct sandbox_call *call,
                            struct str *file, struct arg_list *environment, struct err *err)
{
    bool ok = true;
    arg_list_add_all(environment, call->our_environment);
    for (size_t i = 0; ok && call->environment[i]; i++) {
        const char *entry = call->environment[i];
        /* The clients read the file line by line, and podman accepts at most 64 KiB per line. */
        if (strlen(entry) < ENTRY_BYTES_MAX && !strpbrk(entry, "\r\n"))
            str_addf(file, "%s\n", entry);
        else
            ok = add_long_variable(argv, environment, entry, err);
    }
    if (file->len > 0)
        add_pair(argv, "--env-file", "/dev/stdin");
    return ok;
}

/* Makes the arguments of `create`, the contents of its stdin (the environment file) and the
 * client's own environment. `filter` is a seccomp profile; "" = the engine's default profile. Adds
 * files that must be removed afterwards to sandbox->unwanted. Keeps all values of the container's
 * environment off the command line. Returns false if a path or a value cannot be passed. */
static bool container_args(struct sandbox *sandbox, const char *filter, struct arg_list *argv,
                           struct str *environment_file, struct arg_list *environment,
                           struct err *err)
{
    const struct sandbox_call *call = &sandbox->call;

    arg_list_add(argv, sandbox->tool.program);
    arg_list_add(argv, "create");
    add_pair(argv, "--name", sandbox->name);
    add_pair(argv, "--pull", "never");
    arg_list_add(argv, "--label");
    arg_list_addf(argv, "%s=%s", CONTAINER_LABEL, call->uid);
    add_pair(argv, "--workdir", call->cwd);
    add_isolation(argv, sandbox);
    if (filter[0]) {
        arg_list_add(argv, "--security-opt");
        arg_list_addf(argv, "seccomp=%s", filter);
    }
    add_limits(argv, sandbox);
    if (!add_mounts(argv, sandbox, &sandbox->unwanted, err))
        return false;
    if (call->has_stdin)
        arg_list_add(argv, "--interactive");
    if (!add_environment(argv, call, environment_file, environment, err))
        return false;
    arg_list_add_all(argv, call->spec->args);
    add_pair(argv, "--entrypoint", call->argv[0]);
    arg_list_add(argv, call->spec->image);
    arg_list_add_all(argv, call->argv + 1);
    return true;
}

/* Ends and removes a container by name. */

static bool ask_client(const char *const *words, char *const *environment, struct tool_result *out)
{
    return tool_ask(words, environment, SANDBOX_CALL_MS, out, NULL);
}

bool container_end(const char *program, bool is_podman, const char *name, char *const *environment)
{
    const char *const at_once[] = {program, "rm", "--force", "--time", "0", name, NULL};
    const char *const plainly[] = {program, "rm", "--force", name, NULL};
    const char *const inspect[] = {program,   "container", "inspect", "--format",
                                   "{{.Id}}", name,        NULL};
    struct tool_result result = {0};

    bool removed = ask_client(is_podman ? at_once : plainly, environment, &result);
    bool may_ask_again = is_podman && !removed && !result.timed_out;
    tool_result_done(&result);
    if (may_ask_again) { /* podman before 4.0 does not have --time */
        result = (struct tool_result){0};
        removed = ask_client(plainly, environment, &result);
        tool_result_done(&result);
    }
    if (removed)
        return true;
    /* Trusts only an explicit answer: if the client fails or the daemon is not running, the
     * container may still exist. */
    result = (struct tool_result){0};
    bool is_there = ask_client(inspect, environment, &result);
    bool gone = !is_there && strstr(str_text(&result.err), "o such container");
    tool_result_done(&result);
    return gone;
}

static bool ask_engine(const struct sandbox *sandbox, const char *const *words,
                       struct tool_result *result)
{
    return tool_ask(words, sandbox->call.our_environment, SANDBOX_CALL_MS, result, NULL);
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

/* Sets *start_code and *err to the reason why `create` failed. Always returns false. */
static bool explain_create(const struct sandbox *sandbox, const struct tool_result *result,
                           int *start_code, struct err *err)
{
    const char *name = sandbox->tool.name;
    const char *image = sandbox->call.spec->image;
    char line[ERR_MESSAGE_MAX - 100];

    if (result->stopped) {
        *start_code = ECANCELED;
        return err_set(err, ERR_BUSY, "%s: stopped while creating the container", name);
    }
    if (result->timed_out) {
        *start_code = START_TIMED_OUT;
        return err_set(err, ERR_IO,
                       "%s: creating the container timed out after %lld ms (start_timeout_ms)",
                       name, (long long)sandbox->call.spec->start_timeout_ms);
    }
    if (says_daemon_is_down(str_text(&result->err))) {
        *start_code = START_DAEMON_DOWN;
        sandbox_last_line(str_text(&result->err), line, sizeof(line));
        return err_set(err, ERR_IO, "%s", line);
    }
    const char *const words[] = {
        sandbox->tool.program, "image", "inspect", "--format", "{{.Id}}", image, NULL};
    struct tool_result asked = {0};
    const bool has_image = ask_engine(sandbox, words, &asked);
    tool_result_done(&asked);
    if (!has_image) {
        *start_code = START_IMAGE_MISSING;
        (void)err_set(err, ERR_NOT_FOUND, "%s: image '%.200s' is not on this machine", name, image);
        return err_hint(err, "%s pull %.150s", name, image);
    }
    *start_code = START_SANDBOX_FAILED;
    sandbox_last_line(str_text(&result->err), line, sizeof(line));
    return err_set(err, ERR_IO, "%s create: %s", name, line);
}

static bool create_container(struct sandbox *sandbox, const atomic_bool *stop,
                             struct tool_result *result, struct err *err)
{
    struct arg_list argv = {0};
    struct arg_list environment = {0};
    struct str file = {0};
    char filter[PATH_MAX];
    const bool network = sandbox->call.spec->network == SANDBOX_NETWORK_ON;

    bool ok = container_filter_make(&sandbox->tool, network, filter, err) &&
              container_args(sandbox, filter, &argv, &file, &environment, err);
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
    container_filter_remove(filter);
    str_done(&file);
    arg_list_done(&argv);
    arg_list_done(&environment);
    return ok;
}

bool container_prepare(struct sandbox *sandbox, const atomic_bool *stop, int *start_code,
                       struct err *err)
{
    struct tool_result result = {0};

    *start_code = START_SANDBOX_FAILED;
    if (!sandbox->tool.program[0])
        return err_set(err, ERR_NOT_FOUND, "%s", sandbox->tool.why);
    if (!create_container(sandbox, stop, &result, err)) {
        tool_result_done(&result);
        return false;
    }
    bool ok = result.exit_code == 0 && !result.timed_out && !result.stopped;
    if (ok) {
        sandbox_last_line(str_text(&result.out), sandbox->container_id, CONTAINER_ID_MAX);
        sandbox->container_is_there = true;
        arg_list_add(&sandbox->argv, sandbox->tool.program);
        arg_list_add(&sandbox->argv, "start");
        arg_list_add(&sandbox->argv, "--attach");
        if (sandbox->call.has_stdin)
            arg_list_add(&sandbox->argv, "--interactive");
        arg_list_add(&sandbox->argv, sandbox->name);
    } else {
        (void)explain_create(sandbox, &result, start_code, err);
        (void)container_remove(sandbox); /* the container may have been created anyway */
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

/* Asks the engine about the container. The fields point into `result`. Returns false if there is no
 * answer. */
static bool inspect_container(const struct sandbox *sandbox, struct tool_result *result,
                              char *fields[STATE_FIELDS])
{
    static const char format[] =
        "{{.State.Status}}|{{.State.OOMKilled}}|{{.State.ExitCode}}|{{.State.StartedAt}}|";
    const char *const words[] = {sandbox->tool.program, "container", "inspect", "--format", format,
                                 sandbox->name,         NULL};
    if (!ask_engine(sandbox, words, result) || result->out.len == 0)
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

/* Explains a failed start: the command is missing in the image or not executable, or the engine
 * failed. */
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
        (void)snprintf(line, sizeof(line), "%s exited without starting the container",
                       sandbox->tool.name);
    sandbox_was_not_started(end, code, line);
}

void container_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end,
                      bool *oom_reported)
{
    struct tool_result result = {0};
    char *fields[STATE_FIELDS];

    bool has_answered = inspect_container(sandbox, &result, fields);
    bool by_itself = sandbox_ended_itself(&end->outcome);
    if (has_answered) {
        bool started = strncmp(fields[STATE_STARTED], "0001-", 5) != 0;
        bool is_over = strcmp(fields[STATE_STATUS], "exited") == 0 ||
                       strcmp(fields[STATE_STATUS], "stopped") == 0;
        *oom_reported = strcmp(fields[STATE_OOM], "true") == 0;
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
    if (!container_remove(sandbox) && end->outcome.processes_left == 0)
        end->outcome.processes_left = 1;
}

/* Finds and ends containers that an earlier devs left behind. */

enum { SWEEP_NAMES_MAX = 1000 };

/* Ends the run's containers in one tool. If the tool does not answer, there is nothing to end:
 * docker's containers end with its daemon, and podman's containers are processes that are found by
 * their groups and marks. */
static bool sweep_tool(const char *tool, const char *uid, struct str *ended, struct str *left)
{
    char program[PATH_MAX];
    char filter[128];
    const char *const words[] = {program, "ps",       "--all",      "--filter",
                                 filter,  "--format", "{{.Names}}", NULL};
    struct tool_result result = {0};
    bool is_podman = strcmp(tool, "podman") == 0;
    bool clean = true;

    if (!program_find_absolute(tool, program))
        return true;
    (void)snprintf(filter, sizeof(filter), "label=%s=%.80s", CONTAINER_LABEL, uid);
    bool ok = tool_ask(words, environ, SANDBOX_CALL_MS, &result, NULL);
    char *rest = ok ? result.out.data : NULL;
    for (int i = 0; rest && *rest && i < SWEEP_NAMES_MAX; i++) {
        char *name = rest;
        size_t len = strcspn(name, "\n");
        rest = name[len] ? name + len + 1 : name + len;
        name[len] = '\0';
        if (!name[0])
            continue;
        bool removed = container_end(program, is_podman, name, environ);
        struct str *list = removed ? ended : left;
        if (list)
            str_addf(list, "%s%s container %s", list->len > 0 ? ", " : "", tool, name);
        clean = clean && removed;
    }
    tool_result_done(&result);
    return clean;
}

bool container_sweep(const char *uid, struct str *ended, struct str *left)
{
    bool podman = sweep_tool("podman", uid, ended, left);
    bool docker = sweep_tool("docker", uid, ended, left);
    return podman && docker;
}
