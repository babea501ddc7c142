#include "container_args.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox_paths.h"

enum {
    GROUP_SLACK_BYTES = 4 * SANDBOX_MIB, /* our own group's limit is met first, and counts */
    ENTRY_BYTES_MAX = 32 * 1024,
    NAME_BYTES_MAX = 100, /* of a variable, in a message */
};

static void add_pair(struct arg_list *argv, const char *option, const char *value)
{
    arg_list_add(argv, option);
    arg_list_add(argv, value);
}

/* A mount's description is a list with commas, and quotes mean something in it. */
static bool can_be_mounted(const char *path, struct err *err)
{
    if (!strpbrk(path, ",\"\n"))
        return true;
    return err_set(err, ERR_INVALID, "a container cannot be given '%s': comma, quote or new line",
                   path);
}

static bool add_mount(struct arg_list *argv, const char *source, const char *target,
                      const char *more, struct err *err)
{
    if (!can_be_mounted(source, err) || !can_be_mounted(target, err))
        return false;
    struct str mount = {0};
    str_addf(&mount, "type=bind,source=%s,target=%s%s", source, target, more);
    if (!arg_list_has(argv, str_text(&mount))) /* folders of `writable` may overlap */
        add_pair(argv, "--mount", str_text(&mount));
    str_done(&mount);
    return true;
}

/* An empty folder; podman would copy what is under it unless told not to. */
static bool add_mask(struct arg_list *argv, const struct sandbox *sandbox, const char *folder,
                     struct err *err)
{
    const char *how = sandbox->tool.is_podman ? "notmpcopyup,ro," : "readonly,";
    if (!can_be_mounted(folder, err))
        return false;
    arg_list_add(argv, "--mount");
    arg_list_addf(argv, "type=tmpfs,tmpfs-mode=0700,%starget=%s", how, folder);
    return true;
}

/* Of the log a container sees what is in the workspace. */
static bool mask_log(struct arg_list *argv, const struct sandbox *sandbox,
                     const struct sandbox_log *log, struct err *err)
{
    const char *workspace = sandbox->call.workspace;
    for (size_t i = 0; i < log->folders.count; i++) {
        const char *folder = log->folders.items[i];
        if (sandbox_path_is_below(folder, workspace) && !add_mask(argv, sandbox, folder, err))
            return false;
    }
    for (size_t i = 0; i < log->files.count; i++) {
        const char *file = log->files.items[i];
        if (sandbox_path_is_below(file, workspace) &&
            !add_mount(argv, "/dev/null", file, ",readonly", err))
            return false;
    }
    return true;
}

static bool add_writable(struct arg_list *argv, const struct sandbox_call *call, struct err *err)
{
    char **writable = call->spec->writable;
    for (size_t i = 0; writable && writable[i]; i++) {
        char real[PATH_MAX];
        if (!sandbox_writable_path(call, writable[i], real, err))
            return false;
        /* One that is relative is in the workspace. */
        if (writable[i][0] == '/' && !add_mount(argv, real, writable[i], "", err))
            return false;
    }
    return true;
}

/* Where a path of the machine is in the container: `writable` may name it through a link. Several
 * mounts may hold it; each of them is a way to it. */
static bool add_in_each_mount(struct arg_list *argv, const struct sandbox_call *call,
                              const char *path, const char *more, struct err *err)
{
    char **writable = call->spec->writable;
    bool ok =
        !sandbox_path_is_below(path, call->workspace) || add_mount(argv, path, path, more, err);
    for (size_t i = 0; ok && writable && writable[i]; i++) {
        char real[PATH_MAX];
        char target[PATH_MAX];
        if (!sandbox_writable_path(call, writable[i], real, err))
            return false;
        if (writable[i][0] != '/' || !sandbox_path_is_below(path, real))
            continue;
        const int wrote =
            snprintf(target, sizeof(target), "%s%s", writable[i], path + strlen(real));
        if (wrote < 0 || wrote >= PATH_MAX)
            return err_set_errno(err, ENAMETOOLONG, "sandbox: writable '%.100s...'", writable[i]);
        ok = add_mount(argv, path, target, more, err);
    }
    return ok;
}

/* What decides what devs and git run is read-only in it, too: sandbox_protected_find(). */
static bool protect(struct arg_list *argv, const struct sandbox_call *call,
                    const struct arg_list *areas, struct arg_list *unwanted, struct err *err)
{
    struct sandbox_protected found;
    bool ok = sandbox_protected_find(call, areas, &found, err);
    for (size_t i = 0; ok && i < found.pins.count; i++)
        ok = add_in_each_mount(argv, call, found.pins.items[i], "", err);
    for (size_t i = 0; ok && i < found.paths.count; i++)
        ok = add_in_each_mount(argv, call, found.paths.items[i], ",readonly", err);
    if (ok)
        arg_list_add_all(unwanted, found.unwanted.items);
    sandbox_protected_done(&found);
    return ok;
}

static bool add_mounts(struct arg_list *argv, const struct sandbox *sandbox,
                       struct arg_list *unwanted, struct err *err)
{
    const struct sandbox_call *call = &sandbox->call;
    struct arg_list areas = {0};
    struct sandbox_log log;
    sandbox_log_find(call, &log);
    const bool ok = sandbox_areas_find(call, &areas, err) &&
                    add_mount(argv, call->workspace, call->workspace, "", err) &&
                    add_writable(argv, call, err) && protect(argv, call, &areas, unwanted, err) &&
                    mask_log(argv, sandbox, &log, err);
    arg_list_done(&areas);
    sandbox_log_done(&log);
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
    add_pair(argv, "--log-driver", "none"); /* the output is in our log, once */
    if (sandbox->tool.is_podman) {
        arg_list_add(argv, "--http-proxy=false"); /* proxies hold passwords */
    } else if (geteuid() != 0) {
        arg_list_add(argv, "--user");
        arg_list_addf(argv, "%u:%u", (unsigned)geteuid(), (unsigned)getegid());
    }
}

static bool has_name(const char *entry, const char *other)
{
    size_t len = strcspn(entry, "=");
    return strncmp(entry, other, len) == 0 && other[len] == '=';
}

/* The clients read the file by lines, and podman none longer than 64 KiB. */
static bool fits_file(const char *entry)
{
    return strlen(entry) < ENTRY_BYTES_MAX && !strpbrk(entry, "\r\n");
}

/* A value that cannot be in the file can only be passed through the client's own environment. Taken
 * from a plan, LD_PRELOAD or PATH would act on the client there: pass what is in it anyway, and our
 * own names. */
static bool add_long(struct arg_list *argv, struct arg_list *environment, const char *entry,
                     struct err *err)
{
    const size_t len = strcspn(entry, "=");
    if (!arg_list_has(environment, entry)) {
        if (strncmp(entry, "DEVS_", strlen("DEVS_")) != 0)
            return err_set(err, ERR_INVALID,
                           "a container cannot be given the variable '%.*s' of a plan: its value "
                           "has a newline or is longer than 32 KiB",
                           len < NAME_BYTES_MAX ? (int)len : NAME_BYTES_MAX, entry);
        for (size_t i = 0; i < environment->count; i++) {
            if (has_name(entry, environment->items[i]))
                environment->items[i][0] = '='; /* no name, so nobody reads it */
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
        if (fits_file(entry))
            str_addf(file, "%s\n", entry);
        else
            ok = add_long(argv, environment, entry, err);
    }
    if (file->len > 0)
        add_pair(argv, "--env-file", "/dev/stdin");
    return ok;
}

bool container_args(struct sandbox *sandbox, struct arg_list *argv, struct str *environment_file,
                    struct arg_list *environment, struct err *err)
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
