#include "container_args.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

/* Folders of `writable` may overlap; each mount is added once. */
static void add_once(struct arg_list *argv, const struct str *mount)
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
    add_once(argv, &mount);
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
    struct str mount = {0};
    str_addf(&mount, "type=tmpfs,tmpfs-mode=0700,%starget=%s", how, folder);
    add_once(argv, &mount);
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
    struct arg_list *unwanted;
    struct err *err;
};

static bool show(const struct mounting *mounting, const char *path, const char *target,
                 enum shown how)
{
    struct stat info;
    if (how != SHOWN_EMPTY)
        return add_mount(mounting->argv, path, target, how == SHOWN_READ_ONLY ? ",readonly" : "",
                         mounting->err);
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return add_mask(mounting->argv, mounting->sandbox, target, mounting->err);
    return add_mount(mounting->argv, "/dev/null", target, ",readonly", mounting->err);
}

/* Is the path in a log of devs, or, if `itself`, a log? A workspace inside a log stays visible. */
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
            !show(mounting, real, writable[i], SHOWN_AS_IS))
            return false;
    }
    return true;
}

/* Where a path of the machine is in the container: `writable` may name it through a link. Several
 * mounts may hold it; each of them is a way to it. */
static bool show_in_each_mount(const struct mounting *mounting, const char *path, enum shown how)
{
    const struct sandbox_call *call = &mounting->sandbox->call;
    char **writable = call->spec->writable;
    bool ok = !sandbox_path_is_below(path, call->workspace) || show(mounting, path, path, how);
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
        ok = show(mounting, path, target, how);
    }
    return ok;
}

static bool show_all(const struct mounting *mounting, const struct arg_list *paths, enum shown how)
{
    bool ok = true;
    for (size_t i = 0; ok && i < paths->count; i++)
        ok = is_sealed(mounting, paths->items[i], how != SHOWN_EMPTY) ||
             show_in_each_mount(mounting, paths->items[i], how);
    return ok;
}

/* What decides what devs and git run is read-only in it, too: sandbox_protected_find(). */
static bool protect(const struct mounting *mounting)
{
    struct sandbox_protected found;
    const bool ok =
        sandbox_protected_find(&mounting->sandbox->call, &mounting->areas, &found, mounting->err) &&
        show_all(mounting, &found.pins, SHOWN_AS_IS) &&
        show_all(mounting, &found.paths, SHOWN_READ_ONLY);
    if (ok)
        arg_list_add_all(mounting->unwanted, found.unwanted.items);
    sandbox_protected_done(&found);
    return ok;
}

static bool add_mounts(struct arg_list *argv, const struct sandbox *sandbox,
                       struct arg_list *unwanted, struct err *err)
{
    const struct sandbox_call *call = &sandbox->call;
    struct mounting mounting = {.argv = argv, .sandbox = sandbox, .unwanted = unwanted, .err = err};
    sandbox_sealed_find(call, &mounting.sealed);
    bool ok = sandbox_areas_find(call, &mounting.areas, err) &&
              show(&mounting, call->workspace, call->workspace, SHOWN_AS_IS) &&
              add_writable(&mounting) && protect(&mounting);
    struct arg_list pins = {0};
    for (size_t i = 0; ok && i < mounting.sealed.count; i++)
        sandbox_add_pins(&mounting.areas, mounting.sealed.items[i], &pins);
    ok = ok && show_all(&mounting, &pins, SHOWN_AS_IS) &&
         show_all(&mounting, &mounting.sealed, SHOWN_EMPTY);
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
