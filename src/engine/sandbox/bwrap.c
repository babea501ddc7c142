#define _GNU_SOURCE /* pipe2, realpath */

#include "bwrap.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc.h"
#include "sandbox_paths.h"

enum {
    STATUS_BYTES_MAX = 4096,
    FIRST_FREE_FD = 3,
    NOT_EXECUTED_EXIT = 1, /* bwrap's own, when the program cannot be executed */
};

/* What root may still do inside: what a container's root may, without devices. */
static const char *const root_keeps[] = {
    "CAP_CHOWN",  "CAP_DAC_OVERRIDE", "CAP_FOWNER",  "CAP_FSETID",           "CAP_KILL",
    "CAP_SETGID", "CAP_SETUID",       "CAP_SETPCAP", "CAP_NET_BIND_SERVICE",
};

static void add_bind(struct arg_list *argv, const char *how, const char *path)
{
    arg_list_add(argv, how);
    arg_list_add(argv, path);
    arg_list_add(argv, path);
}

static void add_pair(struct arg_list *argv, const char *option, const char *value)
{
    arg_list_add(argv, option);
    arg_list_add(argv, value);
}

static void add_namespaces(struct arg_list *argv, const struct sandbox_spec *spec)
{
    struct bwrap_means means;
    bwrap_means(&means);
    arg_list_add(argv, means.program);
    arg_list_add(argv, "--unshare-pid");
    arg_list_add(argv, "--unshare-ipc");
    arg_list_add(argv, "--unshare-uts");
    arg_list_add(argv, "--die-with-parent");
    if (spec->network != SANDBOX_NETWORK_ON && means.network)
        arg_list_add(argv, "--unshare-net");
    if (geteuid() != 0)
        return;
    add_pair(argv, "--cap-drop", "ALL");
    for (size_t i = 0; i < ARRAY_LEN(root_keeps); i++)
        add_pair(argv, "--cap-add", root_keeps[i]);
}

/* An empty folder, or an empty file, in the place of what is there. */
static void add_mask(struct arg_list *argv, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return;
    if (!S_ISDIR(info.st_mode)) {
        arg_list_add(argv, "--ro-bind");
        add_pair(argv, "/dev/null", path);
        return;
    }
    add_pair(argv, "--tmpfs", path);
}

static bool add_writable(struct arg_list *argv, const struct sandbox_call *call, struct err *err)
{
    char **writable = call->spec->writable;
    for (size_t i = 0; writable && writable[i]; i++) {
        char real[PATH_MAX];
        if (!sandbox_writable_path(call, writable[i], real, err))
            return false;
        add_bind(argv, "--bind", real);
    }
    return true;
}

static void mask_log(struct arg_list *argv, const struct sandbox_log *log)
{
    for (size_t i = 0; i < log->folders.count; i++)
        add_pair(argv, "--tmpfs", log->folders.items[i]);
    for (size_t i = 0; i < log->files.count; i++)
        add_mask(argv, log->files.items[i]);
}

static bool is_in_log(const struct sandbox_call *call, const struct sandbox_log *log)
{
    for (size_t i = 0; i < log->folders.count; i++) {
        if (sandbox_path_is_below(call->workspace, log->folders.items[i]))
            return true;
    }
    return false;
}

/* The order is the meaning: later ones lie over earlier ones. */
static bool add_mounts(struct arg_list *argv, const struct sandbox_call *call, struct err *err)
{
    struct arg_list masks = {0};
    struct sandbox_log log;
    bool holds_tmp = strcmp(call->workspace, "/tmp") == 0 || strcmp(call->workspace, "/") == 0;

    sandbox_log_find(call, &log);
    add_bind(argv, call->spec->read_only ? "--ro-bind" : "--bind", "/");
    add_pair(argv, "--dev", "/dev");
    add_pair(argv, "--proc", "/proc");
    add_bind(argv, "--ro-bind-try", "/sys"); /* control groups: the limits are there */
    if (!holds_tmp)
        add_pair(argv, "--tmpfs", "/tmp");
    if (!is_in_log(call, &log))
        add_bind(argv, "--bind", call->workspace);
    mask_log(argv, &log);
    if (is_in_log(call, &log))
        add_bind(argv, "--bind", call->workspace);
    bwrap_masks(call, &masks);
    for (size_t i = 0; i < masks.count; i++)
        add_mask(argv, masks.items[i]);
    arg_list_done(&masks);
    bool ok = add_writable(argv, call, err);
    for (size_t i = 0; i < log.folders.count; i++) /* what would be lost fails instead */
        add_pair(argv, "--remount-ro", log.folders.items[i]);
    sandbox_log_done(&log);
    add_pair(argv, "--chdir", call->cwd);
    return ok;
}

static bool open_status(struct sandbox *sandbox, struct err *err)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
        return err_set_errno(err, errno, "pipe");
    for (int i = 0; i < 2; i++) {
        sandbox->status_fds[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, FIRST_FREE_FD);
        (void)close(fds[i]);
    }
    if (sandbox->status_fds[0] < 0 || sandbox->status_fds[1] < 0)
        return err_set_errno(err, errno, "pipe");
    sandbox->limits.keep = sandbox->status_fds[1];
    return true;
}

bool bwrap_prepare(struct sandbox *sandbox, int *start_code, struct err *err)
{
    const struct sandbox_call *call = &sandbox->call;
    struct arg_list *argv = &sandbox->argv;

    if (!open_status(sandbox, err)) {
        *start_code = EMFILE;
        return false;
    }
    add_namespaces(argv, call->spec);
    if (!add_mounts(argv, call, err)) {
        *start_code = START_SANDBOX_FAILED;
        return false;
    }
    arg_list_add(argv, "--json-status-fd");
    arg_list_addf(argv, "%d", sandbox->status_fds[1]);
    arg_list_add_all(argv, call->spec->args);
    arg_list_add(argv, "--");
    arg_list_add_all(argv, call->argv);
    return true;
}

/* What it has said so far of the number with this key; -1: nothing. */
static int find_number(const char *status, const char *key)
{
    const char *at = strstr(status, key);
    return at ? (int)strtol(at + strlen(key), NULL, 10) : -1;
}

struct telling {
    pid_t keeper; /* bwrap itself: the session's leader; its child is the init inside */
    int signal_number;
};

static bool tell(void *ctx, const struct proc_facts *facts)
{
    const struct telling *telling = ctx;
    bool keeps = facts->pid == telling->keeper || facts->parent == telling->keeper;
    if (facts->session == telling->keeper && !keeps)
        (void)kill(facts->pid, telling->signal_number);
    return true;
}

void bwrap_signal(struct sandbox *sandbox, int signal_number)
{
    struct telling telling = {.keeper = sandbox->pid, .signal_number = signal_number};
    if (sandbox->pid > 0)
        proc_each(tell, &telling);
}

static void put_right(const char *status, const char *err_tail, struct sandbox_end *end)
{
    char line[ERR_MESSAGE_MAX];
    int code = find_number(status, "\"exit-code\":");

    if (end->outcome.kind != OUTCOME_EXIT)
        return;
    sandbox_last_line(err_tail, line, sizeof(line));
    bool says_why = strncmp(line, "bwrap: ", 7) == 0;
    if (end->outcome.code == NOT_EXECUTED_EXIT && says_why && strstr(line, ": execvp ")) {
        bool forbidden = strstr(line, "ermission denied") != NULL;
        sandbox_was_not_started(end, forbidden ? EACCES : ENOENT, line);
        return;
    }
    if (code >=
        0) /* bwrap says it of each program that it started, also of one that ended with 0 */
        end->outcome.code = code;
    else
        sandbox_was_not_started(end, START_SANDBOX_FAILED,
                                says_why ? line : "bwrap ended without having started the program");
}

void bwrap_finish(struct sandbox *sandbox, const char *err_tail, struct sandbox_end *end)
{
    char status[STATUS_BYTES_MAX];
    size_t len = 0;

    while (len < sizeof(status) - 1) {
        ssize_t got = read(sandbox->status_fds[0], status + len, sizeof(status) - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    status[len] = '\0';
    put_right(status, err_tail, end);
}
