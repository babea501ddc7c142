#define _GNU_SOURCE /* environ, mkdtemp */

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "git.h"
#include "sandbox_internal.h"
#include "sandbox_try.h"
#include "test_main.h"

static void setup(void)
{
    try_open(SANDBOX_BWRAP);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    test_write_file(test_path(folder, name), text, 0644);
}

static void make_folder(const char *folder, const char *name)
{
    ck_assert_int_eq(mkdir(test_path(folder, name), 0755), 0);
}

static void make_git_dir(const char *folder, const char *name)
{
    char dir[PATH_MAX];
    (void)snprintf(dir, sizeof(dir), "%.3000s/%.500s", folder, name);
    ck_assert_int_eq(mkdir(dir, 0755), 0);
    make_folder(dir, "objects");
    make_folder(dir, "refs");
    make_folder(dir, "hooks");
    write_file(dir, "HEAD", "ref: refs/heads/main\n");
    write_file(dir, "config", "[core]\n\tbare = false\n");
}

/* An index of version 2 with one entry, a submodule. */
static void write_gitlink(const char *git_dir, const char *name)
{
    enum { HEAD_BYTES = 12, MODE_AT = 12 + 24, NAME_AT = 12 + 62, HASH_BYTES = 20, GITLINK = 0xe0 };
    char index[256] = "DIRC\0\0\0\2\0\0\0\1";
    index[MODE_AT + 2] = (char)GITLINK;
    index[NAME_AT - 1] = (char)strlen(name);
    memcpy(index + NAME_AT, name, strlen(name));
    const size_t entry = (NAME_AT - HEAD_BYTES + strlen(name) + 8) & ~(size_t)7; /* with NULs */
    FILE *file = fopen(test_path(git_dir, "index"), "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq((int)fwrite(index, HEAD_BYTES + entry + HASH_BYTES, 1, file), 1);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_exit_code_is_the_programs)
{
    run_script("exit 7");
    want_exit(7);
    run_script("true");
    want_exit(0);
    ck_assert_str_eq(result.end.start_why, "");
}
END_TEST

START_TEST(test_a_signal_becomes_128_and_its_number)
{
    run_script("kill -9 $$");
    want_exit(137);
}
END_TEST

/* What a command writes cannot make its failure a start that failed. */
START_TEST(test_messages_of_bwrap_cannot_be_forged)
{
    run_script("echo 'bwrap: execvp make: No such file or directory' >&2; exit 1");
    want_exit(1);
    run_script("echo 'bwrap: execvp make: Permission denied' >&2; exit 127");
    want_exit(127);
}
END_TEST

START_TEST(test_workspace_is_written_the_rest_is_not)
{
    spec.root = _i == 0 ? SANDBOX_ROOT_UNSAID : SANDBOX_ROOT_READ_ONLY;
    run_script("echo x > mine; for f in /usr /etc /var; do echo x > $f/devs-test 2>/dev/null && "
               "echo wrote $f; done; echo y > /tmp/only-here; cat mine");
    want_exit(0);
    ck_assert_str_eq(result.out, "x\n");
    ck_assert_int_ne(access("/tmp/only-here", F_OK), 0);
    ck_assert_str_eq(try_read(test_path(place.workspace, "mine")), "x\n");
}
END_TEST

START_TEST(test_all_files_are_written_where_that_is_said)
{
    char here[PATH_MAX];
    char script[2 * PATH_MAX + 128];
    ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
    if (strncmp(here, "/tmp/", 5) == 0)
        return; /* the sandbox has a /tmp of its own */
    (void)snprintf(script, sizeof(script), "echo x >'%s/devs-test-%d' && rm '%s/devs-test-%d'",
                   here, (int)getpid(), here, (int)getpid());
    run_script(script);
    ck_assert_int_ne(result.end.outcome.code, 0);
    spec.root = SANDBOX_ROOT_WRITABLE;
    run_script(script);
    want_exit(0);
}
END_TEST

START_TEST(test_writable_paths_are_written)
{
    char beside[PATH_MAX + 8];
    char script[PATH_MAX + 64];
    (void)snprintf(beside, sizeof(beside), "%s/beside", place.top);
    ck_assert_int_eq(mkdir(beside, 0700), 0);
    spec.root = SANDBOX_ROOT_READ_ONLY;
    spec.writable = (char *[]){beside, NULL};
    (void)snprintf(script, sizeof(script), "echo x > %s/f", beside);
    run_script(script);
    want_exit(0);
    spec.writable = NULL;
    run_script(script);
    ck_assert_int_ne(result.end.outcome.code, 0);
}
END_TEST

START_TEST(test_writable_path_that_is_not_there_is_named)
{
    spec.writable = (char *[]){(char[]){"/no/such/place"}, NULL};
    want_refused(START_SANDBOX_FAILED, "/no/such/place");
}
END_TEST

/* An attempt may leave a link in the place of what the plan calls writable. */
START_TEST(test_writable_link_that_leads_out_is_refused)
{
    char link[PATH_MAX + 8];
    (void)snprintf(link, sizeof(link), "%s/out", place.workspace);
    ck_assert_int_eq(symlink(place.log_dir, link), 0);
    spec.writable = (char *[]){(char[]){"out"}, NULL};
    const struct try_call call = {.spec = &spec, .script = "true"};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_int_eq(unlink(link), 0);
    ck_assert_int_eq(mkdir(link, 0700), 0);
    spec.writable = (char *[]){(char[]){"out/"}, NULL};
    try_run(&place, &call, &result);
    ck_assert_msg(result.prepared, "%s", result.err.message);

    ck_assert_int_eq(rmdir(link), 0);
    ck_assert_int_eq(symlink(place.top, link), 0);
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);
    ck_assert_int_eq(result.start_code, START_SANDBOX_FAILED);
    ck_assert_ptr_nonnull(strstr(result.err.message, "is a link that leads to"));

    spec.writable = (char *[]){link, NULL};
    try_run(&place, &call, &result);
    ck_assert(!result.prepared);

    ck_assert_int_eq(mkdir(test_path(place.top, "real"), 0700), 0);
    ck_assert_int_eq(symlink(test_path(place.top, "real"), test_path(place.top, "link")), 0);
    spec.writable = (char *[]){test_path(place.top, "link"), NULL};
    try_run(&place, &call, &result); /* the person's own link, outside of the workspace */
    ck_assert_msg(result.prepared, "%s", result.err.message);
}
END_TEST

START_TEST(test_log_is_masked)
{
    test_write_file(test_path(place.log_dir, "devs.db"), "the log", 0644);
    run_script("ls -A .devs; cat .devs/devs.db; echo x > .devs/new && echo written");
    ck_assert_str_eq(result.out, "");
    ck_assert_str_eq(try_read(test_path(place.log_dir, "devs.db")), "the log");
}
END_TEST

START_TEST(test_log_beside_a_project_is_masked_alone)
{
    try_log_beside();
    run_script("cat run.db run.db-wal; cat run.dbx mine; echo x > run.db-wal; echo x > new");
    want_exit(0);
    ck_assert_str_eq(result.out, "run.dbxmine");
    ck_assert_str_eq(try_read(test_path(place.workspace, "run.db-wal")), "run.db-wal");
    ck_assert_str_eq(try_read(test_path(place.workspace, "new")), "x\n");
}
END_TEST

START_TEST(test_workspace_below_the_log_is_there)
{
    struct try_place below = place;
    test_write_file(test_path(place.log_dir, "devs.db"), "the log", 0644);
    ck_assert_int_eq(mkdir(test_path(place.log_dir, "tree"), 0700), 0);
    (void)snprintf(below.workspace, sizeof(below.workspace), "%.4000s",
                   test_path(place.log_dir, "tree"));
    const struct try_call call = {.spec = &spec, .script = "echo x > f; cat f; ls -A .."};
    try_run(&below, &call, &result);
    want_exit(0);
    ck_assert_str_eq(result.out, "x\ntree\n");
}
END_TEST

START_TEST(test_well_known_secrets_are_masked)
{
    char path[PATH_MAX + 32];
    ck_assert_int_eq(mkdir(test_path(place.top, ".ssh"), 0700), 0);
    test_write_file(test_path(place.top, ".ssh/id"), "key", 0644);
    (void)snprintf(path, sizeof(path), "%s/.netrc", place.top);
    test_write_file(path, "password", 0644);
    ck_assert_int_eq(setenv("HOME", place.top, 1), 0);
    run_script("cat ../.ssh/id ../.netrc; ls -A ../.ssh");
    ck_assert_str_eq(result.out, "");
    spec.writable = (char *[]){path, NULL};
    run_script("cat ../.netrc");
    ck_assert_str_eq(result.out, "password");
}
END_TEST

/* A folder of `writable` around a mask does not lift it; the log is never opened. */
START_TEST(test_masks_hold_in_writable_folders)
{
    static const char *const names[] = {
        "conf",  "conf/gh",    "conf/git", ".cargo", ".config",      ".config/op",       ".m2",
        "state", "state/devs", ".devs",    ".local", ".local/share", ".local/share/devs"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        make_folder(place.top, names[i]);
    static const char *const files[] = {
        "conf/gh/hosts.yml",  "conf/git/credentials", ".cargo/credentials.toml",
        ".config/op/config",  ".m2/settings.xml",     ".vault-token",
        "state/devs/devs.db", ".devs/devs.db",        ".local/share/devs/trust"};
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        write_file(place.top, files[i], "secret");
    write_file(place.top, ".profile", "open");
    ck_assert_int_eq(setenv("XDG_CONFIG_HOME", test_path(place.top, "conf"), 1), 0);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", test_path(place.top, "state"), 1), 0);
    ck_assert_int_eq(setenv("HOME", place.top, 1), 0);
    spec.writable = (char *[]){place.top, NULL};
    run_script("cd ..; cat .profile; grep -rs secret conf .cargo .config .m2 .vault-token state "
               ".devs .local; for d in state/devs .devs .local/share/devs; do "
               "(echo x > $d/new) 2>/dev/null && echo wrote $d; done; "
               "mv .local gone 2>/dev/null && echo moved; mv state gone 2>/dev/null && echo moved");
    ck_assert_str_eq(result.out, "open");
    spec.writable = (char *[]){place.top, test_path(place.top, "conf/gh"), NULL};
    run_script("cat ../conf/gh/hosts.yml");
    ck_assert_str_eq(result.out, "secret");
    spec.writable = (char *[]){place.top, test_path(place.top, "state/devs"), NULL};
    want_refused(START_SANDBOX_FAILED, "state/devs' is a devs log");
}
END_TEST

START_TEST(test_run_is_empty_but_for_what_is_needed)
{
    run_script("ls -A /run; cat /etc/resolv.conf >/dev/null && echo dns");
    if (access("/etc/resolv.conf", R_OK) == 0)
        ck_assert_ptr_nonnull(strstr(result.out, "dns\n"));
    ck_assert_ptr_null(strstr(result.out, "dbus"));
    ck_assert_ptr_null(strstr(result.out, "user"));
    char below[] = "/run/devs-test-XXXXXX";
    if (!mkdtemp(below))
        return; /* only root may */
    struct try_place there = place;
    (void)snprintf(there.workspace, sizeof(there.workspace), "%s", below);
    const struct try_call call = {.spec = &spec, .script = "echo x > f; cat f; rm f"};
    try_run(&there, &call, &result);
    (void)rmdir(below);
    want_exit(0);
    ck_assert_str_eq(result.out, "x\n");
}
END_TEST

/* A socket leads to who listens, whether or not its file system is read-only. */
START_TEST(test_sockets_outside_the_workspace_are_hidden)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char here[PATH_MAX];
    char script[PATH_MAX + 128];
    ck_assert_ptr_nonnull(getcwd(here, sizeof(here)));
    const int wrote =
        snprintf(address.sun_path, sizeof(address.sun_path), "%.80s/s%d", here, (int)getpid());
    if (wrote >= (int)sizeof(address.sun_path) || strlen(here) > 80)
        return;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(fd, 1), 0);
    (void)snprintf(script, sizeof(script), "test -S '%s' && echo there; true", address.sun_path);
    run_script(script);
    (void)unlink(address.sun_path);
    (void)close(fd);
    want_exit(0);
    ck_assert_str_eq(result.out, "");
}
END_TEST

/* A socket may go between the list of what to hide and the mount. */
START_TEST(test_start_is_tried_again_where_a_file_is_gone)
{
    char gone[] = "/usr/devs-test-gone";
    spec.args = (char *[]){(char[]){"--ro-bind"}, (char[]){"/dev/null"}, gone, NULL};
    run_script("true");
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(result.end.outcome.code, START_TIMED_OUT);

    static const struct {
        const char *line;
        int code;
    } rows[] = {
        {"bwrap: Can't bind mount /oldroot/dev/null on /newroot/var/tmp/devs-gone/s: No such file "
         "or "
         "directory\n",
         START_TIMED_OUT},
        {"bwrap: Can't bind mount /oldroot/dev/null on /newroot/devs-gone: Unable to mount source "
         "on "
         "destination: No such file or directory\n",
         START_TIMED_OUT},
        {"bwrap: Can't bind mount /oldroot/dev/null on /newroot/usr: Not a directory\n",
         START_SANDBOX_FAILED},
        {"bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n",
         START_SANDBOX_FAILED},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct sandbox sandbox = {0};
        struct sandbox_end end = {.outcome = {.kind = OUTCOME_EXIT, .code = 1}};
        ck_assert_int_eq(pipe(sandbox.status_fds), 0);
        (void)close(sandbox.status_fds[1]);
        bwrap_finish(&sandbox, rows[i].line, &end);
        (void)close(sandbox.status_fds[0]);
        ck_assert_int_eq(end.outcome.kind, OUTCOME_NOT_STARTED);
        ck_assert_int_eq(end.outcome.code, rows[i].code);
    }
}
END_TEST

START_TEST(test_network_is_off_unless_it_is_on)
{
    static const char script[] = "cat /proc/net/dev | sed '1,2d; s/:.*//; s/ //g'";
    run_script(script);
    ck_assert_str_eq(result.out, "lo\n");
    spec.network = SANDBOX_NETWORK_ON;
    run_script(script);
    ck_assert_str_eq(result.out + strlen(result.out) - 1, "\n");
    char own[TRY_TEXT_MAX];
    (void)snprintf(own, sizeof(own), "%s", result.out);
    spec.kind = SANDBOX_NONE;
    run_script(script);
    ck_assert_str_eq(own, result.out);
}
END_TEST

/* What the kernel does with a call, as it runs the filter: SECCOMP_RET_ALLOW, or the errno. */
static uint32_t judge_call(bool network, uint32_t arch, uint32_t number, uint32_t argument)
{
    struct str bytes = {0};
    bwrap_filter_write(network, &bytes);
    const size_t count = bytes.len / sizeof(struct sock_filter);
    struct seccomp_data data = {.nr = (int)number, .arch = arch, .args = {argument}};
    uint32_t value = 0;
    for (size_t at = 0; at < count; at++) {
        struct sock_filter one;
        memcpy(&one, bytes.data + at * sizeof(one), sizeof(one));
        switch (one.code) {
        case BPF_LD | BPF_W | BPF_ABS:
            ck_assert_uint_le(one.k + sizeof(value), sizeof(data));
            memcpy(&value, (const char *)&data + one.k, sizeof(value));
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            value &= one.k;
            break;
        case BPF_JMP | BPF_JEQ | BPF_K:
            at += value == one.k ? one.jt : one.jf;
            break;
        case BPF_RET | BPF_K:
            str_done(&bytes);
            return one.k == SECCOMP_RET_ALLOW ? one.k : one.k & SECCOMP_RET_DATA;
        default:
            ck_abort_msg("instruction %zu: code %#x", at, one.code);
        }
    }
    ck_abort_msg("the filter does not end");
}

/* Calls by the kernel's 32-bit interface have other numbers. */
START_TEST(test_filter_knows_each_interface)
{
    static const struct {
        uint32_t arch, number, argument, want, want_with_network;
    } calls[] = {
#if defined(__x86_64__)
        {AUDIT_ARCH_X86_64, SYS_keyctl, 11, ENOSYS, ENOSYS},
        {AUDIT_ARCH_X86_64, SYS_add_key, 0, ENOSYS, ENOSYS},
        {AUDIT_ARCH_X86_64, SYS_request_key, 0, ENOSYS, ENOSYS},
        {AUDIT_ARCH_X86_64, 0x40000000 | SYS_keyctl, 11, ENOSYS, ENOSYS}, /* x32 */
        {AUDIT_ARCH_X86_64, SYS_socket, AF_VSOCK, EAFNOSUPPORT, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_X86_64, SYS_socket, AF_UNIX, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_X86_64, SYS_io_uring_setup, 1, ENOSYS, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_X86_64, SYS_read, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_X86_64, 288, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW}, /* accept4 */
        {AUDIT_ARCH_I386, 286, 0, ENOSYS, ENOSYS},
        {AUDIT_ARCH_I386, 287, 0, ENOSYS, ENOSYS},
        {AUDIT_ARCH_I386, 288, 11, ENOSYS, ENOSYS},
        {AUDIT_ARCH_I386, 359, AF_VSOCK, EAFNOSUPPORT, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_I386, 102, 1, ENOSYS, SECCOMP_RET_ALLOW},            /* socketcall: socket */
        {AUDIT_ARCH_I386, 102, 3, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW}, /* connect */
        {AUDIT_ARCH_I386, 250, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW}, /* fadvise64 */
        {AUDIT_ARCH_ARM, 311, 0, ENOSYS, ENOSYS},
#elif defined(__aarch64__)
        {AUDIT_ARCH_AARCH64, SYS_keyctl, 11, ENOSYS, ENOSYS},
        {AUDIT_ARCH_AARCH64, SYS_socket, AF_VSOCK, EAFNOSUPPORT, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_AARCH64, SYS_read, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_ARM, 311, 11, ENOSYS, ENOSYS},
        {AUDIT_ARCH_ARM, 281, AF_VSOCK, EAFNOSUPPORT, SECCOMP_RET_ALLOW},
        {AUDIT_ARCH_ARM, 3, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
#else
        {0, SYS_keyctl, 11, ENOSYS, ENOSYS},
        {0, SYS_socket, AF_VSOCK, EAFNOSUPPORT, SECCOMP_RET_ALLOW},
        {0, SYS_read, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_ALLOW},
#endif
    };
    for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
        for (int network = 0; network < 2; network++)
            ck_assert_msg(
                judge_call(network == 1, calls[i].arch, calls[i].number, calls[i].argument) ==
                    (network == 1 ? calls[i].want_with_network : calls[i].want),
                "call %zu, network %d", i, network);
    }
}
END_TEST

START_TEST(test_processes_of_others_are_not_seen)
{
    char script[64];
    (void)snprintf(script, sizeof(script), "test ! -d /proc/%d && echo hidden", (int)getpid());
    run_script(script);
    ck_assert_str_eq(result.out, "hidden\n");
}
END_TEST

START_TEST(test_what_is_left_behind_ends_with_it)
{
    run_script("setsid sh -c 'trap \"\" TERM; while :; do sleep 0.01; echo x > beat; done' "
               ">/dev/null 2>&1 & while ! test -s beat; do :; done");
    want_exit(0);
    ck_assert_int_eq(result.end.outcome.processes_left, 0);
    ck_assert_int_eq(unlink(test_path(place.workspace, "beat")), 0);
    run_script("sleep 0.1; ls");
    ck_assert_str_eq(result.out, "");
}
END_TEST

START_TEST(test_root_inside_is_not_root_outside)
{
    if (geteuid() != 0)
        return;
    run_script("mount -t tmpfs none /usr 2>/dev/null && echo mounted; mknod dev c 1 11 "
               "2>/dev/null && echo node; echo 0 > /proc/sys/kernel/sysrq 2>/dev/null && echo "
               "sys; echo 1 > /sys/fs/cgroup/memory/tasks 2>/dev/null && echo group; true");
    want_exit(0);
    ck_assert_str_eq(result.out, "");
}
END_TEST

/* Each line is a way out that root has where /proc is not protected, also from another namespace
 * made inside. Values are written that are there already. */
START_TEST(test_kernel_is_not_written_to)
{
    run_script("try() { sh -c \"$1\" >/dev/null 2>&1 && echo \"$1\"; }\n"
               "for f in kernel/core_pattern kernel/pid_max kernel/modprobe kernel/hotplug "
               "kernel/randomize_va_space fs/file-max fs/suid_dumpable vm/overcommit_memory "
               "vm/panic_on_oom net/ipv4/ip_forward fs/binfmt_misc/register; do\n"
               "  f=/proc/sys/$f; old=$(cat $f 2>/dev/null); try \"echo '$old' > $f\"; done\n"
               "try 'echo > /proc/sysrq-trigger'\n"
               "for f in $(find /proc/[a-z]* /sys -maxdepth 3 -type f -perm /222 2>/dev/null | "
               "grep -v '^/proc/self/\\|^/proc/thread-self/'); do try \": >> $f\"; done\n"
               "try 'unshare -Um umount /proc/sys'\n"
               "try 'unshare -Um mount -o remount,bind,rw /proc/sys'\n"
               "try 'unshare -m true'\n"
               "try 'nsenter -t 1 -m ls /proc/1/root/../.devs-none'\n"
               "try 'mknod node b 8 0'\n"
               "try 'mount -t cgroup2 none /mnt'\n"
               "try 'head -c 1 /proc/kcore | grep -q .'\n"
               "try 'grep -q . /proc/keys'\n"
               "try 'ls -A /sys/firmware | grep -q .'\n");
    ck_assert_str_eq(result.out, "");
}
END_TEST

/* Prints each of the paths that a script, in one way or another, could change or replace. */
static const char attack[] =
    "for f in %s; do\n"
    "  (echo evil >> $f) 2>/dev/null && echo \"appended $f\"\n"
    "  (echo evil > $f) 2>/dev/null && echo \"wrote $f\"\n"
    "  (rm -rf $f) 2>/dev/null && echo \"removed $f\"\n"
    "  mv $f moved 2>/dev/null && echo \"moved $f\"\n"
    "  ln $f other 2>/dev/null && echo \"linked $f\"\n"
    "  echo evil > new; mv new $f 2>/dev/null && test ! -d $f && echo \"replaced $f\"\n"
    "  chmod 777 $f 2>/dev/null && echo \"opened $f\"\n"
    "  (echo evil > $f/pre-commit) 2>/dev/null && echo \"added to $f\"\n"
    "  d=$(dirname $f); while test $d != . && test $d != /; do\n"
    "    mv $d gone 2>/dev/null && echo \"moved folder $d\"\n"
    "    d=$(dirname $d); done\n"
    "  unshare -Um sh -c \"umount $f || umount -l $f || mount -o remount,bind,rw $f\" 2>/dev/null "
    "&& echo \"unmounted $f\"\n"
    "done; true";

static void want_protected(const struct try_call *call, const char *paths)
{
    char script[8192];
    struct try_call attacked = *call;
    (void)snprintf(script, sizeof(script), attack, paths);
    attacked.script = script;
    attacked.spec = &spec;
    try_run(&place, &attacked, &result);
    ck_assert_msg(result.prepared, "%s", result.err.message);
    want_exit(0);
    ck_assert_str_eq(result.out, "");
}

START_TEST(test_what_decides_what_runs_is_read_only)
{
    char plan[PATH_MAX];
    (void)snprintf(plan, sizeof(plan), "%.4000s/plans/plan.json", place.workspace);
    write_file(place.workspace, "devs.config.json", "{}");
    make_folder(place.workspace, "plans");
    write_file(place.workspace, "plans/plan.json", "{}");
    make_git_dir(place.workspace, ".git");
    make_folder(place.workspace, ".git/modules");
    make_folder(place.workspace, ".git/modules/libs");
    make_git_dir(place.workspace, ".git/modules/libs/a");
    make_folder(place.workspace, "libs");
    make_folder(place.workspace, "libs/a");
    write_file(place.workspace, "libs/a/.git", "gitdir: ../../.git/modules/libs/a\n");
    write_gitlink(test_path(place.workspace, ".git"), "libs/a");
    make_folder(place.workspace, ".git/worktrees");
    make_folder(place.workspace, ".git/worktrees/w");
    write_file(place.workspace, ".git/worktrees/w/HEAD", "ref: refs/heads/w\n");
    write_file(place.workspace, ".git/worktrees/w/commondir", "../..\n");
    write_file(place.workspace, ".git/worktrees/w/gitdir", "/elsewhere/.git\n");
    make_folder(place.workspace, "husky");
    write_file(place.workspace, "shared.inc", "[include] path = deeper.inc ; and more\n");
    write_file(place.workspace, "deeper.inc", "[user]\n\tname = x\n");
    write_file(place.workspace, ".git/config.worktree", "");
    write_file(place.workspace, ".git/config",
               "[core]\n\thooksPath = \"husky\"\n[Include \"x\"]\n[include]\n\tPath = "
               "../shared.inc\n[extensions]\n\tworktreeConfig = true\n");
    const struct try_call call = {.plan_path = plan};
    want_protected(&call, "devs.config.json plans/plan.json .git/config .git/hooks "
                          ".git/config.worktree .git/modules/libs/a/config "
                          ".git/modules/libs/a/hooks libs/a/.git .git/worktrees/w/commondir "
                          ".git/worktrees/w/gitdir husky shared.inc deeper.inc");
    run_script("cat .git/HEAD; (echo x > .git/index.lock) 2>/dev/null; mkdir .git/objects/aa "
               "2>/dev/null; echo z > libs/a/file");
    want_exit(0);
    ck_assert_str_eq(result.out, "ref: refs/heads/main\n");
    /* Where the plan opens it, git works there; what decides what runs stays read-only. */
    spec.writable = (char *[]){(char[]){".git"}, NULL};
    want_protected(&call, "devs.config.json plans/plan.json .git/config .git/hooks "
                          ".git/config.worktree .git/modules/libs/a/config "
                          ".git/modules/libs/a/hooks libs/a/.git .git/worktrees/w/commondir "
                          ".git/worktrees/w/gitdir husky shared.inc deeper.inc");
    run_script("echo x > .git/index.lock && mv .git/index.lock .git/index && echo y > "
               ".git/refs/r && mkdir .git/objects/aa && echo z > libs/a/file");
    want_exit(0);
    spec.writable = NULL;
    spec.root = SANDBOX_ROOT_WRITABLE;
    want_protected(&call, "devs.config.json plans/plan.json .git/config .git/hooks");
}
END_TEST

/* A folder of `writable` opens what it names itself, and no more. */
START_TEST(test_writable_does_not_open_what_is_protected)
{
    char *const all[] = {place.top, NULL};
    char *const config[] = {(char[]){"devs.config.json"}, (char[]){".git/hooks"}, NULL};
    write_file(place.workspace, "devs.config.json", "{}");
    write_file(place.top, "devs.config.json", "{}");
    make_git_dir(place.workspace, ".git");
    spec.writable = (char **)(uintptr_t)all;
    const struct try_call call = {.plan_path = NULL};
    want_protected(&call, "devs.config.json ../devs.config.json .git/config .git/hooks");
    spec.writable = (char **)(uintptr_t)config;
    run_script("echo mine > devs.config.json; echo hook > .git/hooks/a; echo x >> .git/config");
    ck_assert_str_eq(try_read(test_path(place.workspace, "devs.config.json")), "mine\n");
    ck_assert_str_eq(try_read(test_path(place.workspace, ".git/hooks/a")), "hook\n");
    ck_assert_str_eq(try_read(test_path(place.workspace, ".git/config")),
                     "[core]\n\tbare = false\n");
}
END_TEST

/* A step beside this one could replace the folder by a link just when it is mounted. */
START_TEST(test_writable_in_the_workspace_is_no_mount_of_its_own)
{
    make_folder(place.workspace, "a");
    make_folder(place.workspace, "a/b");
    spec.writable = (char *[]){(char[]){"a/b"}, NULL};
    run_script("grep -c /a/b /proc/self/mountinfo; echo x > a/b/c && cat a/b/c");
    want_exit(0);
    ck_assert_str_eq(result.out, "0\nx\n");
}
END_TEST

/* commondir says where the configuration of the repository is. */
START_TEST(test_files_that_git_would_obey_are_removed)
{
    make_git_dir(place.workspace, ".git");
    write_file(place.workspace, ".git/config",
               "[include]\npath = ../none.inc\n[core]\nhooksPath = a/../hooks/new\n");
    spec.writable = (char *[]){(char[]){".git"}, NULL};
    run_script("mkdir evil; echo ../evil > .git/commondir; echo evil > none.inc; "
               "echo evil > hooks/new/pre-commit 2>/dev/null || mv hooks x 2>/dev/null || "
               "echo kept");
    want_exit(0);
    ck_assert_str_eq(result.out, "kept\n");
    ck_assert_int_ne(access(test_path(place.workspace, ".git/commondir"), F_OK), 0);
    ck_assert_int_ne(access(test_path(place.workspace, "none.inc"), F_OK), 0);
}
END_TEST

/* The tree of a task is its result; the repository it belongs to is not. */
START_TEST(test_tree_of_a_task_is_its_own)
{
    char git[PATH_MAX];
    char text[PATH_MAX + 64];
    (void)snprintf(git, sizeof(git), "%.4000s/repo", place.top);
    ck_assert_int_eq(mkdir(git, 0755), 0);
    make_git_dir(git, ".git");
    make_folder(git, ".git/worktrees");
    make_folder(git, ".git/worktrees/w");
    write_file(git, ".git/worktrees/w/HEAD", "x");
    write_file(git, ".git/worktrees/w/commondir", "../..\n");
    (void)snprintf(text, sizeof(text), "gitdir: %s/.git/worktrees/w\n", git);
    write_file(place.workspace, ".git", text);
    write_file(place.workspace, "devs.config.json", "{}");
    const struct try_call call = {
        .spec = &spec, .run_dir = git, .script = "echo mine > devs.config.json && echo y > plan"};
    try_run(&place, &call, &result);
    want_exit(0);
    want_protected(&call, ".git");
    (void)snprintf(text, sizeof(text), "%.4000s/.git", git);
    spec.writable = (char *[]){text, NULL};
    want_protected(&call, ".git ../repo/.git/config ../repo/.git/hooks "
                          "../repo/.git/worktrees/w/commondir");
    try_run(&place,
            &(struct try_call){.spec = &spec, .run_dir = git, .script = "echo x > ../repo/.git/y"},
            &result);
    want_exit(0);
}
END_TEST

START_TEST(test_what_cannot_be_protected_is_refused)
{
    char one[PATH_MAX + 32];
    char other[PATH_MAX + 32];
    (void)snprintf(one, sizeof(one), "%s/devs.config.json", place.workspace);
    (void)snprintf(other, sizeof(other), "%s/real.json", place.workspace);
    test_write_file(other, "{}", 0644);
    ck_assert_int_eq(symlink("real.json", one), 0);
    want_refused(START_SANDBOX_FAILED,
                 "devs.config.json' cannot be kept read-only: it is a symbolic link");
    ck_assert_int_eq(unlink(one), 0);
    ck_assert_int_eq(link(other, one), 0);
    want_refused(START_SANDBOX_FAILED,
                 "devs.config.json' cannot be kept read-only: it has other hard links");
    ck_assert_int_eq(unlink(one), 0);
    make_git_dir(place.workspace, "real.git");
    (void)snprintf(one, sizeof(one), "%s/.git", place.workspace);
    ck_assert_int_eq(symlink("real.git", one), 0);
    want_refused(START_SANDBOX_FAILED, ".git' cannot be kept read-only: it is a symbolic link");
    ck_assert_int_eq(unlink(one), 0);
    make_git_dir(place.workspace, ".git");
    write_gitlink(one, "sub");
    FILE *file = fopen(test_path(place.workspace, ".git/index"), "r+e");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq((int)fwrite("DIRC\0\0\0\11", 8, 1, file), 1); /* an unknown version */
    ck_assert_int_eq(fclose(file), 0);
    want_refused(START_SANDBOX_FAILED, "cannot list the submodules of '");
}
END_TEST

/* A step may leave pipes where devs and git look for files. */
START_TEST(test_pipes_in_the_place_of_git_files_block_nothing)
{
    make_git_dir(place.workspace, ".git");
    make_folder(place.workspace, ".git/worktrees");
    make_folder(place.workspace, ".git/worktrees/w");
    ck_assert_int_eq(mkfifo(test_path(place.workspace, ".git/worktrees/w/gitdir"), 0600), 0);
    run_script("true");
    want_exit(0);
    write_gitlink(test_path(place.workspace, ".git"), "sub");
    ck_assert_int_eq(symlink("/dev/zero", test_path(place.workspace, ".git/commondir")), 0);
    want_refused(START_SANDBOX_FAILED,
                 ".git/commondir' cannot be kept read-only: it is not a regular file");
    ck_assert_int_eq(unlink(test_path(place.workspace, ".git/commondir")), 0);
    ck_assert_int_eq(unlink(test_path(place.workspace, ".git/config")), 0);
    ck_assert_int_eq(mkfifo(test_path(place.workspace, ".git/config"), 0600), 0);
    want_refused(START_SANDBOX_FAILED,
                 ".git/config' cannot be kept read-only: it is not a regular file");
}
END_TEST

START_TEST(test_pipe_as_git_file_blocks_nothing)
{
    ck_assert_int_eq(mkfifo(test_path(place.workspace, ".git"), 0600), 0);
    run_script("true");
    want_exit(0);
}
END_TEST

START_TEST(test_configs_that_include_themselves_are_read_once)
{
    char text[64 * 1024];
    static const char line[] = "[include] path = config\n[include] path = ../none.inc\n";
    make_git_dir(place.workspace, ".git");
    for (size_t i = 0; i < 10; i++)
        memcpy(text + i * strlen(line), line, sizeof(line));
    write_file(place.workspace, ".git/config", text);
    run_script("echo evil > none.inc");
    want_exit(0);
    for (size_t i = 0; i <= SANDBOX_GIT_INCLUDES_MAX / 2; i++)
        memcpy(text + i * strlen(line), line, sizeof(line));
    write_file(place.workspace, ".git/config", text);
    want_refused(START_SANDBOX_FAILED, "cannot be kept read-only: too many files are included");
}
END_TEST

START_TEST(test_configs_are_read_as_git_does)
{
    make_git_dir(place.workspace, ".git");
    for (int i = 0; i < 8; i++)
        write_file(place.workspace, (char[]){(char)('a' + i), '\0'}, "x");
    write_file(place.workspace, ".git/config",
               "\xef\xbb\xbf[include] path = ../a ; comment \\\n"
               "[include]\r\n path = ../\\\nb\r\n"
               "[includeIf \"hasconfig:remote.*.url:x]y\"] path = ../c\n"
               "[include] path = \"..\"/d\n"
               "[include]\n\tpath\t=\t../\"e\"\n path = \"../f\" # comment\n"
               "[alias]\n x = \"a;b\" \\\n [include]\n[user] name\n[include] path = ../g\n"
               "[include \"a\\\"]b\"] path = ../h\n");
    const struct try_call call = {.plan_path = NULL};
    want_protected(&call, "a b c d e f g h");
}
END_TEST

START_TEST(test_home_that_is_no_absolute_path_is_left_out)
{
    const char *const homes[] = {"", "relative", NULL};
    const char *before = getenv("HOME");
    char *home = before ? strdup(before) : NULL;
    make_git_dir(place.workspace, ".git");
    write_file(place.workspace, ".git/config",
               "[include]\npath = ~/x\npath = ~//x\npath = ~root/x\npath = ~nobody-here/x\n"
               "path = ~\n[core]\nhooksPath = ~nobody-here/x\n");
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(homes[i] ? setenv("HOME", homes[i], 1) : unsetenv("HOME"), 0);
        run_script("true");
        want_exit(0);
    }
    if (home)
        ck_assert_int_eq(setenv("HOME", home, 1), 0);
    free(home);
}
END_TEST

START_TEST(test_config_that_cannot_be_read_is_refused)
{
    char path[PATH_MAX + 64];
    make_git_dir(place.workspace, ".git");
    (void)snprintf(path, sizeof(path), "%s/.git/config", place.workspace);
    ck_assert_int_eq(truncate(path, GIT_CONFIG_MAX + 1), 0);
    want_refused(START_SANDBOX_FAILED,
                 ".git/config' cannot be kept read-only: it is larger than 1 MiB");
    ck_assert_int_eq(truncate(path, 8), 0);
    ck_assert_int_eq(truncate(path, 9), 0);
    want_refused(START_SANDBOX_FAILED, ".git/config' cannot be kept read-only: it has a NUL byte");
    if (geteuid() == 0)
        return; /* root may read all files */
    ck_assert_int_eq(chmod(path, 0), 0);
    want_refused(START_SANDBOX_FAILED, ".git/config' cannot be kept read-only: it cannot be read");
}
END_TEST

/* A folder on the way to what is removed may be a link that the step made. */
START_TEST(test_no_link_is_followed_to_what_is_removed)
{
    char foreign[PATH_MAX + 32];
    make_git_dir(place.workspace, ".git");
    make_folder(place.workspace, "old");
    write_file(place.workspace, ".git/config",
               "[include]\npath = ../conf/local\npath = ../old/local\n");
    (void)snprintf(foreign, sizeof(foreign), "%s/foreign", place.top);
    ck_assert_int_eq(mkdir(foreign, 0755), 0);
    write_file(foreign, "local", "mine");
    run_script("ln -s ../foreign conf; mv old away 2>/dev/null && echo moved; ln -s x old/local");
    want_exit(0);
    ck_assert_str_eq(result.out, "");
    ck_assert_str_eq(try_read(test_path(foreign, "local")), "mine");
    struct stat info;
    /* git would obey what it leads to */
    ck_assert_int_ne(lstat(test_path(place.workspace, "conf"), &info), 0);
    ck_assert_int_ne(lstat(test_path(place.workspace, "old/local"), &info), 0);
    run_script("mkdir conf; echo evil > conf/local; mkfifo old/local");
    ck_assert_int_ne(lstat(test_path(place.workspace, "conf/local"), &info), 0);
}
END_TEST

/* The folder of the trusted settings exists before a step that could make it. */
START_TEST(test_trust_cannot_be_made)
{
    char home[PATH_MAX + 32];
    const char *before = getenv("HOME");
    const char *state = getenv("XDG_STATE_HOME");
    char *kept_home = before ? strdup(before) : NULL;
    char *kept_state = state ? strdup(state) : NULL;
    (void)snprintf(home, sizeof(home), "%s/home", place.top);
    ck_assert_int_eq(mkdir(home, 0755), 0);
    ck_assert_int_eq(setenv("HOME", home, 1), 0);
    ck_assert_int_eq(unsetenv("XDG_STATE_HOME"), 0);
    spec.writable = (char *[]){home, NULL};
    run_script("cd ../home && touch mine && rm -rf .local 2>/dev/null; mv .local x 2>/dev/null; "
               "mkdir -p .local/state/devs/trust 2>/dev/null && echo made");
    ck_assert_str_eq(result.out, "");
    ck_assert_int_eq(access(test_path(home, ".local/state/devs"), F_OK), 0);
    ck_assert_int_ne(access(test_path(home, ".local/state/devs/trust"), F_OK), 0);
    ck_assert_int_eq(access(test_path(home, "mine"), F_OK), 0);
    if (kept_home)
        ck_assert_int_eq(setenv("HOME", kept_home, 1), 0);
    if (kept_state)
        ck_assert_int_eq(setenv("XDG_STATE_HOME", kept_state, 1), 0);
    free(kept_home);
    free(kept_state);
}
END_TEST

START_TEST(test_program_that_is_not_there_is_not_found)
{
    char *const argv[] = {(char[]){"no-such-program-here"}, NULL};
    const struct try_call call = {.spec = &spec, .argv = argv};
    try_run(&place, &call, &result);
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(result.end.outcome.code, ENOENT);
    ck_assert_ptr_nonnull(strstr(result.end.start_why, "no-such-program-here"));
}
END_TEST

START_TEST(test_B3_sandbox_that_breaks_is_a_start_failure_of_its_own)
{
    spec.args = (char *[]){(char[]){"--bind"}, (char[]){"/no/such"}, (char[]){"/mnt"}, NULL};
    run_script("true");
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(result.end.outcome.code, START_SANDBOX_FAILED);
    ck_assert_ptr_nonnull(strstr(result.end.start_why, "bwrap: "));
    ck_assert_ptr_nonnull(strstr(result.end.start_why, "/no/such"));
}
END_TEST

static void term_when_up(struct sandbox *sandbox)
{
    try_await(test_path(place.workspace, "up"));
    sandbox_signal(sandbox, SIGTERM);
}

START_TEST(test_bwrap_that_started_nothing_has_not_passed)
{
    spec.args = (char *[]){(char[]){"--version"}, NULL};
    run_script("true");
    ck_assert_int_eq(result.end.outcome.kind, OUTCOME_NOT_STARTED);
    ck_assert_int_eq(result.end.outcome.code, START_SANDBOX_FAILED);
}
END_TEST

START_TEST(test_term_gives_the_program_its_grace)
{
    const struct try_call call = {
        .spec = &spec,
        .script = "trap 'echo told; exit 5' TERM; echo x > up; while :; do sleep 0.01; done",
        .meanwhile = term_when_up};
    try_run(&place, &call, &result);
    want_exit(5);
    ck_assert_str_eq(result.out, "told\n");
}
END_TEST

START_TEST(test_cpu_limit_ends_it)
{
    spec.cpu_s = 1;
    run_script("while :; do :; done");
    want_exit(128 + SIGXCPU);
}
END_TEST

START_TEST(test_B1_eating_memory_is_told_as_a_kill_for_memory)
{
    struct cgroup_means means;
    cgroup_means(&means);
    if (!means.memory)
        return;
    spec.memory_mb = 48;
    run_script("tail /dev/zero");
    want_exit(137);
    ck_assert_int_eq(result.end.memory_killed, 1);
    ck_assert_ptr_nonnull(strstr(result.end.evidence, "killed for memory"));
    run_script("(tail /dev/zero); exit 1");
    want_exit(1);
    ck_assert_int_eq(result.end.memory_killed, 1);
}
END_TEST

START_TEST(test_B1_exit_137_with_memory_to_spare_is_no_kill_for_memory)
{
    struct cgroup_means means;
    cgroup_means(&means);
    if (!means.memory)
        return;
    spec.memory_mb = 256;
    run_script("exit 137");
    want_exit(137);
    ck_assert_int_eq(result.end.memory_killed, 0);
    run_script("kill -9 $$");
    ck_assert_int_eq(result.end.memory_killed, 0);
}
END_TEST

START_TEST(test_environment_is_what_was_given)
{
    char *const environment[] = {(char[]){"PATH=/usr/bin:/bin"}, (char[]){"A.b=1"}, NULL};
    const struct try_call call = {
        .spec = &spec, .script = "tr '\\0' '\\n' < /proc/$$/environ", .environment = environment};
    try_run(&place, &call, &result);
    char want[PATH_MAX + 64];
    (void)snprintf(want, sizeof(want), "PATH=/usr/bin:/bin\nA.b=1\nPWD=%s\n", place.workspace);
    ck_assert_str_eq(result.out, want);
}
END_TEST

Suite *test_suite(void)
{
    struct bwrap_means means;
    bwrap_means(&means);
    if (!means.works) {
        (void)printf("skipped: bwrap does not work here: %s\n", means.why);
        exit(77);
    }
    Suite *suite = suite_create("bwrap");
    TCase *tcase = test_case(suite, "bwrap");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_exit_code_is_the_programs);
    tcase_add_test(tcase, test_a_signal_becomes_128_and_its_number);
    tcase_add_test(tcase, test_messages_of_bwrap_cannot_be_forged);
    tcase_add_loop_test(tcase, test_workspace_is_written_the_rest_is_not, 0, 2);
    tcase_add_test(tcase, test_all_files_are_written_where_that_is_said);
    tcase_add_test(tcase, test_kernel_is_not_written_to);
    tcase_add_test(tcase, test_what_decides_what_runs_is_read_only);
    tcase_add_test(tcase, test_writable_does_not_open_what_is_protected);
    tcase_add_test(tcase, test_writable_in_the_workspace_is_no_mount_of_its_own);
    tcase_add_test(tcase, test_files_that_git_would_obey_are_removed);
    tcase_add_test(tcase, test_tree_of_a_task_is_its_own);
    tcase_add_test(tcase, test_what_cannot_be_protected_is_refused);
    tcase_add_test(tcase, test_pipes_in_the_place_of_git_files_block_nothing);
    tcase_add_test(tcase, test_pipe_as_git_file_blocks_nothing);
    tcase_add_test(tcase, test_configs_that_include_themselves_are_read_once);
    tcase_add_test(tcase, test_configs_are_read_as_git_does);
    tcase_add_test(tcase, test_home_that_is_no_absolute_path_is_left_out);
    tcase_add_test(tcase, test_config_that_cannot_be_read_is_refused);
    tcase_add_test(tcase, test_no_link_is_followed_to_what_is_removed);
    tcase_add_test(tcase, test_trust_cannot_be_made);
    tcase_add_test(tcase, test_masks_hold_in_writable_folders);
    tcase_add_test(tcase, test_run_is_empty_but_for_what_is_needed);
    tcase_add_test(tcase, test_sockets_outside_the_workspace_are_hidden);
    tcase_add_test(tcase, test_writable_paths_are_written);
    tcase_add_test(tcase, test_writable_path_that_is_not_there_is_named);
    tcase_add_test(tcase, test_writable_link_that_leads_out_is_refused);
    tcase_add_test(tcase, test_log_is_masked);
    tcase_add_test(tcase, test_log_beside_a_project_is_masked_alone);
    tcase_add_test(tcase, test_workspace_below_the_log_is_there);
    tcase_add_test(tcase, test_well_known_secrets_are_masked);
    tcase_add_test(tcase, test_start_is_tried_again_where_a_file_is_gone);
    tcase_add_test(tcase, test_network_is_off_unless_it_is_on);
    tcase_add_test(tcase, test_filter_knows_each_interface);
    tcase_add_test(tcase, test_processes_of_others_are_not_seen);
    tcase_add_test(tcase, test_what_is_left_behind_ends_with_it);
    tcase_add_test(tcase, test_root_inside_is_not_root_outside);
    tcase_add_test(tcase, test_program_that_is_not_there_is_not_found);
    tcase_add_test(tcase, test_B3_sandbox_that_breaks_is_a_start_failure_of_its_own);
    tcase_add_test(tcase, test_bwrap_that_started_nothing_has_not_passed);
    tcase_add_test(tcase, test_term_gives_the_program_its_grace);
    tcase_add_test(tcase, test_cpu_limit_ends_it);
    tcase_add_test(tcase, test_B1_eating_memory_is_told_as_a_kill_for_memory);
    tcase_add_test(tcase, test_B1_exit_137_with_memory_to_spare_is_no_kill_for_memory);
    tcase_add_test(tcase, test_environment_is_what_was_given);
    return suite;
}
