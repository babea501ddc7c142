/* doctor.c - tries what this machine offers for runs, such as git, control groups and sandboxes.
 *
 * Versions and permissions are not reliable, so each check tries the feature itself; for example,
 * it shares blocks between two unnamed files or starts a container with a program that does not
 * exist. An agent's program is run only if devs itself knows it by this name. */
#define _GNU_SOURCE /* environ, O_TMPFILE */

#include "doctor.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "adapter.h"
#include "cgroup.h"
#include "program_find.h"
#include "sandbox_internal.h"
#include "text.h"
#include "tool_run.h"

enum { ASK_MS = 10000, COMMAND_NOT_FOUND_EXIT = 127 };

struct doctor {
    const char *dir;
    const struct sandbox_spec *spec;
    doctor_line_fn *tell;
    void *ctx;
};

static void set_words(struct doctor_line *line, const char *words)
{
    (void)snprintf(line->words, sizeof(line->words), "%.319s", words);
}

static void set_hint(struct doctor_line *line, const char *words)
{
    (void)snprintf(line->hint, sizeof(line->hint), "%.199s", words);
}

/* Suggests an install command, or just the package if we do not know the system's package
 * manager. */
static void hint_install(struct doctor_line *line, const char *package)
{
    char path[PATH_MAX];
    (void)snprintf(line->hint, sizeof(line->hint), "%s %.60s",
                   program_find("apt", path) ? "apt install" : "install", package);
}

static void look_at_git(const struct doctor *doctor)
{
    char program[PATH_MAX];
    struct doctor_line line = {.name = "git", .state = DOCTOR_LACKS};
    struct tool_result result = {0};

    if (program_find_absolute("git", program)) {
        const char *const words[] = {program, "--version", NULL};
        struct err err = {0};
        if (tool_ask(words, environ, ASK_MS, &result, &err)) {
            line.state = DOCTOR_WORKS;
            const char *said = str_text(&result.out);
            (void)snprintf(line.words, sizeof(line.words), "%.*s", (int)strcspn(said, "\n"), said);
        } else {
            set_words(&line, err.message);
        }
        tool_result_done(&result);
    } else {
        set_words(&line, "not installed: no workspace \"worktree\"");
        hint_install(&line, "git");
    }
    doctor->tell(doctor->ctx, &line);
}

static void look_at_groups(const struct doctor *doctor)
{
    struct cgroup_means means;
    struct doctor_line line = {.name = "control groups", .state = DOCTOR_WORKS};

    cgroup_means(&means);
    if (means.memory && means.pids) {
        set_words(&line, "memory and processes are limited and counted");
    } else {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "%s%s cannot be limited: %s",
                       means.track ? "processes are tracked, but " : "",
                       means.memory ? "processes"
                       : means.pids ? "memory"
                                    : "memory and processes",
                       means.why);
        set_hint(&line, strstr(means.why, "mounted")
                            ? "mount -t cgroup2 none /sys/fs/cgroup"
                            : "systemd-run --user --scope -p Delegate=yes devs ...");
    }
    doctor->tell(doctor->ctx, &line);
}

static void look_at_kernel_log(const struct doctor *doctor)
{
    struct doctor_line line = {.name = "kernel log", .state = DOCTOR_WORKS};
    int fd = kernel_log_open();
    if (fd >= 0) {
        set_words(&line, "readable: shows out-of-memory kills");
    } else {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "not readable: %s", strerror(errno));
        set_hint(&line, "sysctl kernel.dmesg_restrict=0");
    }
    kernel_log_close(fd);
    doctor->tell(doctor->ctx, &line);
}

/* Tries to share blocks between two files. Both are unnamed, so nothing stays behind. */
static void look_at_copies(const struct doctor *doctor)
{
    static const char block[4096];
    struct doctor_line line = {.name = "shared copies", .state = DOCTOR_WORKS};
    int from = open(doctor->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int to = open(doctor->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    int number = from < 0 || to < 0 ? errno : 0;
    if (number == 0 && write(from, block, sizeof(block)) < 0)
        number = errno;
    if (number == 0 && ioctl(to, FICLONE, from) != 0)
        number = errno;
    if (from >= 0)
        (void)close(from);
    if (to >= 0)
        (void)close(to);

    if (number == 0) {
        set_words(&line, "the file system shares blocks: snapshots cost next to nothing");
    } else {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "%s: snapshots are copied in full",
                       strerror(number));
        set_hint(&line, "keep the log on btrfs or XFS, which share blocks");
    }
    doctor->tell(doctor->ctx, &line);
}

static void look_at_bwrap(const struct doctor *doctor)
{
    struct bwrap_means means;
    struct doctor_line line = {.name = "sandbox bwrap", .state = DOCTOR_WORKS};

    bwrap_means(&means);
    if (means.works && means.network) {
        (void)snprintf(line.words, sizeof(line.words), "works (bubblewrap %s)", means.version);
    } else if (means.works) {
        (void)snprintf(line.words, sizeof(line.words), "works, but cannot disable the network: %s",
                       means.why);
    } else {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "does not work: %s", means.why);
        /* The hint depends on bwrap's own message: the cause may be a chroot or kernel settings. */
        if (!means.is_there)
            hint_install(&line, "bubblewrap");
        else if (strstr(means.why, "make / slave"))
            set_hint(&line, "run mount --bind / / first: in a chroot, / is not a mount point, but "
                            "bwrap needs one");
        else
            set_hint(&line, "run sysctl kernel.unprivileged_userns_clone=1, or add an AppArmor "
                            "profile that allows bwrap user namespaces");
    }
    doctor->tell(doctor->ctx, &line);
}

/* Tries to run a program that does not exist in a container with an empty root folder. If the only
 * error is that the program was not found, containers work. */
static bool try_podman(const char *program, char *const *args, struct err *err)
{
    char dir[] = "/tmp/devs-doctor-XXXXXX";
    struct arg_list argv = {0};
    struct tool_result result = {0};

    if (!mkdtemp(dir))
        return err_set_errno(err, errno, "'%s'", dir);
    const char *const words[] = {program, "run", "--rm", "--network", "none", NULL};
    for (size_t i = 0; words[i]; i++)
        arg_list_add(&argv, words[i]);
    arg_list_add_all(&argv, args);
    arg_list_add(&argv, "--rootfs");
    arg_list_add(&argv, dir);
    arg_list_add(&argv, "/devs-doctor");
    struct err why = {0};
    bool ok = !tool_ask((const char *const *)argv.items, environ, ASK_MS, &result, &why);
    ok = ok && result.exit_code == COMMAND_NOT_FOUND_EXIT;
    if (!ok)
        (void)err_set(err, ERR_IO, "%s", why.message);
    tool_result_done(&result);
    arg_list_done(&argv);
    const char *const removal[] = {"rm", "-r", "--", dir, NULL};
    result = (struct tool_result){0};
    ok = tool_ask(removal, environ, ASK_MS, &result, err) && ok;
    tool_result_done(&result);
    return ok;
}

/* Gives advice for a machine that is itself a container or a small virtual machine. */
static void advise_podman(const char *program, struct doctor_line *line)
{
    static const char *const words[] = {"--runtime", "runc",           "--cgroup-manager",
                                        "cgroupfs",  "--ulimit",       "nofile=1024:1024",
                                        "--ulimit",  "nproc=1024:1024"};
    struct arg_list args = {0};
    struct str list = {0};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        arg_list_add(&args, words[i]);
        str_addf(&list, "%s\"%s\"", i > 0 ? ", " : "", words[i]);
    }
    if (try_podman(program, args.items, NULL))
        (void)snprintf(line->hint, sizeof(line->hint),
                       "set this in \"sandbox\" of devs.config.json: \"args\": [%s]", list.data);
    else
        set_hint(
            line,
            "try a different --runtime or --ulimit in \"args\" of \"sandbox\" in devs.config.json");
    str_done(&list);
    arg_list_done(&args);
}

static void look_at_podman(const struct doctor *doctor)
{
    struct container_tool tool;
    struct doctor_line line = {.name = "sandbox podman", .state = DOCTOR_LACKS};
    struct err err = {0};
    char *const *args = sandbox_kind_is_container(doctor->spec->kind) ? doctor->spec->args : NULL;

    container_tool(SANDBOX_PODMAN, &tool);
    if (!tool.works) {
        (void)snprintf(line.words, sizeof(line.words), "does not work: %s", tool.why);
        if (tool.program[0])
            set_hint(&line, "run podman info");
        else
            hint_install(&line, "podman");
    } else if (!try_podman(tool.program, args, &err)) {
        (void)snprintf(line.words, sizeof(line.words),
                       "is installed, but cannot start a container: %.270s", err.message);
        advise_podman(tool.program, &line);
    } else {
        line.state = DOCTOR_WORKS;
        (void)snprintf(line.words, sizeof(line.words), "works (podman %s)%s%s", tool.version,
                       tool.limits_memory ? "" : ", without memory_mb",
                       tool.limits_pids ? "" : ", without pids");
    }
    doctor->tell(doctor->ctx, &line);
}

static void look_at_docker(const struct doctor *doctor)
{
    struct container_tool tool;
    struct doctor_line line = {.name = "sandbox docker", .state = DOCTOR_LACKS};

    container_tool(SANDBOX_DOCKER, &tool);
    if (tool.works) {
        line.state = DOCTOR_WORKS;
        (void)snprintf(line.words, sizeof(line.words), "works (docker %s)", tool.version);
    } else {
        (void)snprintf(line.words, sizeof(line.words), "does not work: %s", tool.why);
        set_hint(&line, tool.program[0] ? "start the daemon: systemctl start docker"
                                        : "install docker, or podman, which needs no daemon");
    }
    doctor->tell(doctor->ctx, &line);
}

void doctor_look(const char *dir, const struct sandbox_spec *spec, doctor_line_fn *tell, void *ctx)
{
    const struct doctor doctor = {.dir = dir, .spec = spec, .tell = tell, .ctx = ctx};
    struct cgroup_means means;
    struct doctor_line none = {.name = "sandbox none", .state = DOCTOR_WORKS};

    look_at_git(&doctor);
    look_at_groups(&doctor);
    look_at_kernel_log(&doctor);
    look_at_copies(&doctor);
    cgroup_means(&means);
    (void)snprintf(none.words, sizeof(none.words), "works, with cpu_s%s%s",
                   means.memory ? ", memory_mb" : "", means.pids ? ", pids" : "");
    tell(ctx, &none);
    look_at_bwrap(&doctor);
    look_at_podman(&doctor);
    look_at_docker(&doctor);
}

/* Agent CLIs. */

enum { VERSION_ASK_MS = 3000, VERSION_MAX = 24 };

/* Adds the version: the first word that starts with a digit, as in "2.0.14 (Claude Code)" or
 * "codex-cli 0.46.0". Adds nothing if the program does not answer; it still counts as installed. */
static void ask_version(const char *program, struct str *out)
{
    const char *const words[] = {program, "--version", NULL};
    struct tool_result result = {0};
    if (tool_ask(words, environ, VERSION_ASK_MS, &result, NULL)) {
        const char *word = str_text(&result.out);
        size_t len = strcspn(word, " \n");
        while (*word && !isdigit((unsigned char)word[0])) {
            word += len;
            word += strspn(word, " \n");
            len = strcspn(word, " \n");
        }
        if (*word) {
            str_add_char(out, ' ');
            text_clean(out, word, len < VERSION_MAX ? len : VERSION_MAX);
        }
    }
    tool_result_done(&result);
}

void doctor_look_at_agents(const struct adapters *adapters, doctor_line_fn *tell, void *ctx)
{
    struct doctor_line line = {.name = "agents", .state = DOCTOR_WORKS};
    struct str here = {0};
    struct str missing = {0};
    const char *install = ""; /* hint for the first missing agent; "" = unknown */
    const struct adapter *adapter = NULL;
    for (size_t i = 0; (adapter = adapters_at(adapters, i)); i++) {
        char path[PATH_MAX];
        const char *program = adapter_program(adapter);
        if (*program == '\0')
            continue; /* "generic" has no program of its own */
        const bool is_here = program_find(program, path);
        struct str *list = is_here ? &here : &missing;
        str_addf(list, "%s%s", list->len > 0 ? ", " : "", adapter_name(adapter));
        /* Runs only programs that devs itself knows by this name. */
        const struct adapter *known = is_here ? adapters_find(NULL, adapter_name(adapter)) : NULL;
        if (known && strcmp(adapter_program(known), program) == 0 &&
            program_find_absolute(program, path))
            ask_version(path, list);
        if (!is_here && *install == '\0')
            install = adapter_install(adapter);
    }
    if (here.len > 0) {
        (void)snprintf(line.words, sizeof(line.words), "%.200s%s%.80s", here.data,
                       missing.len > 0 ? "; not installed: " : "", str_text(&missing));
    } else {
        line.state = DOCTOR_LACKS;
        (void)snprintf(line.words, sizeof(line.words), "none of %.200s is installed: commands only",
                       str_text(&missing));
        (void)snprintf(line.hint, sizeof(line.hint), "%.199s", install);
    }
    tell(ctx, &line);
    str_done(&here);
    str_done(&missing);
}
