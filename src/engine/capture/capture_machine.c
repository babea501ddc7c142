/* capture_machine.c - a capture's part about the machine. */
#define _DEFAULT_SOURCE /* NAME_MAX, dirfd */

#include "capture_parts.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
    INTERFACES_MAX = 16, /* that are named */
    INTERFACES_LOOKED_AT = 64,
    STATE_MAX = 32,
};

static void add_disks(struct capture_writer *writer, const struct proc_machine *machine)
{
    struct proc_machine log;
    if (machine->disk_free_kib >= 0)
        str_json_i64(writer->out, "disk_free_kib", machine->disk_free_kib);
    else
        capture_lacks(writer, "disk_free", "the folder's file system does not say");
    if (!writer->facts->log_dir) {
        capture_lacks(writer, "log_disk_free", "the log's folder is not known");
        return;
    }
    proc_machine(writer->facts->log_dir, &log);
    if (log.disk_free_kib >= 0)
        str_json_i64(writer->out, "log_disk_free_kib", log.disk_free_kib);
    else
        capture_lacks(writer, "log_disk_free", "its file system does not say");
}

static void add_load(struct capture_writer *writer, const struct proc_machine *machine)
{
    if (machine->load[0] >= 0) {
        str_json_key(writer->out, "load");
        str_add_char(writer->out, '[');
        for (int i = 0; i < 3; i++) {
            str_add(writer->out, i > 0 ? "," : "");
            str_add_number(writer->out, machine->load[i]);
        }
        str_add_char(writer->out, ']');
    } else {
        capture_lacks(writer, "load", "/proc/loadavg cannot be read");
    }
    if (machine->memory_available_kib >= 0)
        str_json_i64(writer->out, "memory_available_kib", machine->memory_available_kib);
    else
        capture_lacks(writer, "memory_available", "/proc/meminfo cannot be read");
}

/* "up", "down", "unknown": in words of the kernel. */
static bool read_state(int net, const char *name, char out[STATE_MAX])
{
    char path[NAME_MAX + 16];
    int len = snprintf(path, sizeof(path), "%s/operstate", name);
    int fd = len > 0 && (size_t)len < sizeof(path) ? openat(net, path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    ssize_t got = read(fd, out, STATE_MAX - 1);
    (void)close(fd); /* read only */
    out[got > 0 ? got : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return out[0] != '\0';
}

/* Interfaces but for the loopback; is any of them up? */
static bool add_interfaces(struct str *out, DIR *net)
{
    bool up = false;
    int named = 0;
    for (int i = 0; i < INTERFACES_LOOKED_AT; i++) {
        const struct dirent *entry = readdir(net);
        char state[STATE_MAX];
        if (!entry)
            break;
        bool counts = entry->d_name[0] != '.' && strcmp(entry->d_name, "lo") != 0;
        if (!counts || !read_state(dirfd(net), entry->d_name, state))
            continue;
        up = up || strcmp(state, "up") == 0 || strcmp(state, "unknown") == 0;
        if (named == INTERFACES_MAX)
            continue;
        str_add(out, named > 0 ? ",{" : "{");
        str_json_text(out, "name", entry->d_name);
        str_json_text(out, "state", state);
        str_add_char(out, '}');
        named++;
    }
    return up;
}

static void add_network(struct capture_writer *writer)
{
    DIR *net = opendir("/sys/class/net");
    if (!net) {
        capture_lacks(writer, "network", "/sys/class/net cannot be read");
        return;
    }
    struct str *out = writer->out;
    str_json_key(out, "network");
    str_add_char(out, '{');
    str_json_key(out, "interfaces");
    str_add_char(out, '[');
    bool up = add_interfaces(out, net);
    str_add_char(out, ']');
    str_json_bool(out, "up", up);
    str_add_char(out, '}');
    (void)closedir(net);
}

static void add_versions(struct capture_writer *writer)
{
    struct utsname kernel;
    struct str *out = writer->out;
    str_json_key(out, "versions");
    str_add_char(out, '{');
    str_json_text(out, "devs", DEVS_VERSION);
    if (uname(&kernel) == 0) {
        str_json_text(out, "kernel", kernel.release);
        str_json_text(out, "machine", kernel.machine);
    }
    str_add_char(out, '}');
}

void capture_machine(struct capture_writer *writer)
{
    struct proc_machine machine;
    proc_machine(writer->call->cwd, &machine);
    if (machine.disk_free_kib < 0) /* its folder may be gone */
        proc_machine(writer->facts->setting->run_dir, &machine);
    add_load(writer, &machine);
    add_disks(writer, &machine);
    add_network(writer);
    add_versions(writer);
}
