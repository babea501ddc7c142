/* bwrap_masks.c - folders and files that are hidden from a step in bubblewrap. Every kind of
 * sandbox hides the sealed paths. */
#define _GNU_SOURCE /* realpath, d_type */

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "foreign_file.h"
#include "git.h"
#include "log_own.h"
#include "sandbox_internal.h"

enum {
    SOCKETS_MAX = 500, /* maximum number of sockets that are hidden one by one */
    SOCKET_LINE_MAX =
        512, /* bytes; a line of /proc/net/unix has eight numbers and a path of up to 108 bytes */
    WORKTREES_MAX = 1000, /* maximum number of worktrees of one repository searched for logs */
    KERNEL_DEPTH_MAX = 4, /* maximum depth below /proc that is searched for writable files */
};

/* Keys and tokens that are hidden unless the plan lists the path in `writable`; a step does not
 * need them. The logins of agents are not included, because agents need them. Listed in
 * docs/sandboxes.md. */
static const char *const below_home[] = {
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".password-store",
    ".vault-token",
    ".terraform.d",
    ".terraformrc",
    ".s3cfg",
    ".boto",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".bundle/config",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".gradle/gradle.properties",
    ".yarnrc.yml",
    ".composer/auth.json",
    ".nuget/NuGet/NuGet.Config",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".local/share/containers",
    ".mozilla",
    ".thunderbird",
};
/* Hidden paths below $XDG_CONFIG_HOME and ~/.config; programs may use either. */
static const char *const below_config[] = {
    "gcloud",
    "gh",
    "glab-cli",
    "hub",
    "git/credentials",
    "op",
    "rclone",
    "containers/auth.json",
    "doctl",
    "flyctl",
    "heroku",
    "netlify",
    "configstore",
    "composer/auth.json",
    "pypoetry/auth.toml",
    "NuGet/NuGet.Config",
    "sops",
    "age",
    "chromium",
    "google-chrome",
    "BraveSoftware",
    "microsoft-edge",
};
/* Hidden paths that are set by a variable, or are in a folder set by a variable. */
static const struct {
    const char *variable, *below;
} homes[] = {
    {"CARGO_HOME", "credentials"},
    {"CARGO_HOME", "credentials.toml"},
    {"GRADLE_USER_HOME", "gradle.properties"},
    {"GNUPGHOME", ""},
    {"DOCKER_CONFIG", ""},
    {"KUBECONFIG", ""},
    {"AWS_SHARED_CREDENTIALS_FILE", ""},
    {"AWS_CONFIG_FILE", ""},
    {"CLOUDSDK_CONFIG", ""},
    {"GH_CONFIG_DIR", ""},
    {"NETRC", ""},
    {"NPM_CONFIG_USERCONFIG", ""},
    {"PGPASSFILE", ""},
    {"PASSWORD_STORE_DIR", ""},
    {"GOOGLE_APPLICATION_CREDENTIALS", ""},
    {"REGISTRY_AUTH_FILE", ""},
    {"SSH_AUTH_SOCK", ""},
    {"XDG_RUNTIME_DIR", ""},
};
static const char *const anywhere[] = {
    "/var/lib/containers",
    "/var/lib/docker",
    "/var/lib/containerd",
    "/var/lib/kubelet",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/kubernetes",
    "/etc/rancher",
    "/etc/ssl/private",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
    "/etc/NetworkManager/system-connections",
};
/* The parts of /run that do not belong to services. Other parts are shown if a file of
 * `linked_files` links to them. */
static const char *const of_run[] = {
    "/run/current-system",
    "/run/booted-system",
    "/run/opengl-driver",
    "/run/opengl-driver-32",
};
static const char *const linked_files[] = {
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/hostname",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/passwd",
    "/etc/group",
    "/etc/nsswitch.conf",
    "/etc/machine-id",
    "/etc/os-release",
    "/etc/ssl/certs/ca-certificates.crt",
};

/* Adds the path with symlinks resolved. A mount on a link would end up in a different location. */
static void add_existing(const char *path, struct arg_list *out)
{
    char real[PATH_MAX];
    if (path[0] == '/' && realpath(path, real) && strcmp(real, "/") != 0 &&
        !arg_list_has(out, real))
        arg_list_add(out, real);
}

ATTR_PRINTF(2, 3) static void add_path(struct arg_list *out, const char *fmt, ...)
{
    char path[PATH_MAX];
    va_list args;
    va_start(args, fmt);
    const int wrote = vsnprintf(path, sizeof(path), fmt, args);
    va_end(args);
    if (wrote > 0 && wrote < PATH_MAX)
        add_existing(path, out);
}

static void find_secrets(const struct sandbox_call *call, struct arg_list *out)
{
    char *const *environment = call->our_environment;
    char home[PATH_MAX];
    const bool has_home = sandbox_home_find(call, home);
    const char *config = sandbox_variable(environment, "XDG_CONFIG_HOME");
    for (size_t i = 0; has_home && i < ARRAY_LEN(below_home); i++)
        add_path(out, "%s/%s", home, below_home[i]);
    for (size_t i = 0; i < ARRAY_LEN(below_config); i++) {
        if (has_home)
            add_path(out, "%s/.config/%s", home, below_config[i]);
        if (config)
            add_path(out, "%s/%s", config, below_config[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(homes); i++) {
        const char *value = sandbox_variable(environment, homes[i].variable);
        if (value)
            add_path(out, "%s%s%s", value, homes[i].below[0] ? "/" : "", homes[i].below);
    }
    /* Files that we cannot read ourselves need no mask, because an attempt cannot read them
     * either. */
    for (size_t i = 0; i < ARRAY_LEN(anywhere); i++) {
        if (access(anywhere[i], R_OK) == 0)
            add_existing(anywhere[i], out);
    }
}

/* Finds bound sockets in this network namespace. Sockets in /run are hidden with it, but others can
 * be anywhere, such as a database's socket in /var/lib. */
static void find_sockets(struct arg_list *out)
{
    char line[SOCKET_LINE_MAX];
    struct stat info;
    FILE *file = fopen("/proc/net/unix", "re");
    while (file && out->count < SOCKETS_MAX && fgets(line, sizeof(line), file)) {
        char *path = strchr(line, '/'); /* the preceding numbers contain no slash */
        if (!path)
            continue;
        path[strcspn(path, "\n")] = '\0';
        if (sandbox_path_is_below(path, "/dev") || sandbox_path_is_below(path, "/proc"))
            continue;
        if (stat(path, &info) == 0 && S_ISSOCK(info.st_mode))
            add_existing(path, out);
    }
    if (file)
        (void)fclose(file); /* opened for reading only */
}

/* Finds the logs in the worktrees of a repository. Its files worktrees/NAME/gitdir contain their
 * paths. */
static void find_worktree_logs(const char *git_dir, struct arg_list *out)
{
    char path[PATH_MAX];
    char line[PATH_MAX];
    int left = WORKTREES_MAX;
    struct str text = {0};
    (void)snprintf(path, sizeof(path), "%.*s/worktrees", PATH_MAX - 16, git_dir);
    DIR *dir = opendir(path);
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && left > 0;
         entry = readdir(dir), left--) {
        const int wrote = snprintf(line, sizeof(line), "%s/%s/gitdir", path, entry->d_name);
        if (wrote < 0 || wrote >= PATH_MAX || !foreign_file_read(line, GIT_FILE_MAX, &text))
            continue;
        str_cut(&text, strcspn(text.data, "\n"));
        const char *slash = strrchr(text.data, '/');
        if (slash)
            add_path(out, "%.*s/.devs", (int)(slash - text.data), text.data);
    }
    str_done(&text);
    if (dir)
        (void)closedir(dir); /* opened for reading only */
}

/* If the folder is a working tree, finds the logs of all worktrees of its repository. */
static void find_repository_logs(const char *folder, struct arg_list *out)
{
    static const char word[] = "gitdir: ";
    char path[PATH_MAX];
    struct str text = {0};
    (void)snprintf(path, sizeof(path), "%.*s/.git", PATH_MAX - 16, folder);
    find_worktree_logs(path, out);
    if (foreign_file_read(path, GIT_FILE_MAX, &text) &&
        strncmp(text.data, word, strlen(word)) == 0) {
        str_cut(&text, strcspn(text.data, "\n"));
        char *end = strstr(text.data, "/worktrees/");
        if (end) {
            *end = '\0';
            find_worktree_logs(text.data + strlen(word), out);
            add_path(out, "%s/../.devs", text.data + strlen(word));
        }
    }
    str_done(&text);
}

static void add_log(void *ctx, const char *dir)
{
    add_existing(dir, ctx);
}

void sandbox_sealed_find(const struct sandbox_call *call, struct arg_list *out)
{
    char *const *environment = call->our_environment;
    char home[PATH_MAX];
    char folder[PATH_MAX];
    const char *state = sandbox_variable(environment, "XDG_STATE_HOME");
    const char *data = sandbox_variable(environment, "XDG_DATA_HOME");
    struct sandbox_log log;
    if (sandbox_home_find(call, home)) {
        add_path(out, "%s/.local/state/devs", home);
        add_path(out, "%s/.local/share/devs", home);
    }
    if (state)
        add_path(out, "%s/devs", state);
    if (data)
        add_path(out, "%s/devs", data);
    /* Add the logs of the folder and its parents, and of the repositories that contain them. */
    (void)snprintf(folder, sizeof(folder), "%s", call->run_dir ? call->run_dir : call->workspace);
    for (;;) {
        add_path(out, "%s/.devs", folder);
        find_repository_logs(folder, out);
        char *slash = strrchr(folder, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    log_own_each(add_log, out);
    sandbox_log_find(call, &log);
    for (size_t i = 0; i < log.folders.count; i++)
        add_existing(log.folders.items[i], out);
    for (size_t i = 0; i < log.files.count; i++)
        add_existing(log.files.items[i], out);
    sandbox_log_done(&log);
}

void bwrap_paths_find(const struct sandbox_call *call, const struct arg_list *areas,
                      struct bwrap_paths *out)
{
    char cwd[PATH_MAX];
    *out = (struct bwrap_paths){.sealed = {0}};
    sandbox_sealed_find(call, &out->sealed);
    find_secrets(call, &out->hidden);
    find_sockets(&out->sockets);
    /* Hide the folders where services and users keep their sockets, but show the parts of them that
     * steps need. */
    add_existing("/tmp", &out->empty);
    add_existing("/run", &out->empty);
    add_existing("/var/run", &out->empty);
    for (size_t i = 0; i < ARRAY_LEN(of_run); i++)
        add_existing(of_run[i], &out->shown);
    for (size_t i = 0; i < ARRAY_LEN(linked_files); i++) {
        struct stat info;
        if (stat(linked_files[i], &info) == 0 && S_ISREG(info.st_mode))
            add_existing(linked_files[i], &out->shown);
    }
    if (sandbox_fixed_path(areas, call->cwd, cwd))
        arg_list_add(&out->shown, cwd);
}

void bwrap_paths_done(struct bwrap_paths *paths)
{
    arg_list_done(&paths->sealed);
    arg_list_done(&paths->hidden);
    arg_list_done(&paths->sockets);
    arg_list_done(&paths->empty);
    arg_list_done(&paths->shown);
}

/* The kernel's memory, keys and timers, and the machine's firmware. Hidden here as in
 * containers. */
static const char *const kernel_hidden[] = {
    "/proc/acpi",
    "/proc/asound",
    "/proc/kcore",
    "/proc/keys",
    "/proc/key-users",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/sys/devices/virtual/powercap",
    "/sys/firmware",
    "/sys/fs/bpf",
    "/sys/kernel/debug",
    "/sys/kernel/tracing",
};
/* Modules and devices add files below these folders, so they are always read-only. */
static const char *const kernel_read_only[] = {"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs"};

static bool is_empty_folder(const char *path)
{
    DIR *dir = opendir(path);
    bool is_empty = dir != NULL;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && is_empty; entry = readdir(dir))
        is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (dir)
        (void)closedir(dir); /* opened for reading only */
    return is_empty;
}

/* Returns whether the path is a file that we may write, or a folder that contains one. */
static bool has_writable(const char *path, int depth)
{
    char below[PATH_MAX];
    struct stat info;
    if (lstat(path, &info) != 0 || S_ISLNK(info.st_mode))
        return false;
    if (!S_ISDIR(info.st_mode))
        return (info.st_mode & 0222) != 0 && access(path, W_OK) == 0;
    DIR *dir = depth < KERNEL_DEPTH_MAX ? opendir(path) : NULL;
    bool found = false;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && !found; entry = readdir(dir)) {
        const int wrote = snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
        found = entry->d_name[0] != '.' && wrote > 0 && wrote < PATH_MAX &&
                has_writable(below, depth + 1);
    }
    if (dir)
        (void)closedir(dir); /* opened for reading only */
    return found;
}

static struct {
    pthread_once_t once;
    struct arg_list read_only, hidden;
} kernel = {.once = PTHREAD_ONCE_INIT};

/* Finds kernel paths that need a mount. Each mount adds about half a millisecond to every start, so
 * mounts without effect are left out. */
static void look_at_kernel(void)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < ARRAY_LEN(kernel_hidden); i++) {
        if (access(kernel_hidden[i], R_OK) == 0 && !is_empty_folder(kernel_hidden[i]))
            arg_list_add(&kernel.hidden, kernel_hidden[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(kernel_read_only); i++) {
        if (access(kernel_read_only[i], F_OK) == 0)
            arg_list_add(&kernel.read_only, kernel_read_only[i]);
    }
    DIR *dir = opendir("/proc");
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        const bool is_process = strspn(entry->d_name, "0123456789") > 0;
        (void)snprintf(path, sizeof(path), "/proc/%s", entry->d_name);
        if (!is_process && entry->d_name[0] != '.' && !arg_list_has(&kernel.hidden, path) &&
            !arg_list_has(&kernel.read_only, path) && has_writable(path, 0))
            arg_list_add(&kernel.read_only, path);
    }
    if (dir)
        (void)closedir(dir); /* opened for reading only */
}

void bwrap_kernel_paths(const struct arg_list **read_only, const struct arg_list **hidden)
{
    (void)pthread_once(&kernel.once, look_at_kernel);
    *read_only = &kernel.read_only;
    *hidden = &kernel.hidden;
}
