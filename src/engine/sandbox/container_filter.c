/* container_filter.c - podman's own seccomp profile, changed to reject the system calls that devs
 * rejects in every sandbox. */
#define _GNU_SOURCE /* realpath, mkostemp */

#include "sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "foreign_file.h"
#include "json.h"

enum {
    PROFILE_BYTES_MAX = 4 * 1024 * 1024,
    NETLINK_AUDIT = 9,
    FAMILIES_MAX = 64, /* more than the number of socket families; Linux 6.12 has 46 */
};

static const char allow[] = "SCMP_ACT_ALLOW";

/* Returns whether to remove this call from the calls that the profile allows. */
static bool is_refused(const char *name, bool network)
{
    static const char *const always[] = {"add_key", "request_key", "keyctl"};
    static const char *const offline[] = {"socket", "socketcall", "io_uring_setup"};
    for (size_t i = 0; i < ARRAY_LEN(always); i++) {
        if (strcmp(name, always[i]) == 0)
            return true;
    }
    for (size_t i = 0; !network && i < ARRAY_LEN(offline); i++) {
        if (strcmp(name, offline[i]) == 0)
            return true;
    }
    return false;
}

static void add_separator(struct str *out)
{
    if (out->data[out->len - 1] != '[')
        str_add_char(out, ',');
}

/* Writes a rule of the profile without the refused calls, or nothing if no names are left. */
static void write_rule(struct str *out, const struct json *rule, bool network)
{
    void *iter = NULL;
    const char *key;
    const struct json *value;
    const struct json *names = json_get(rule, "names");
    const size_t before = out->len;
    add_separator(out);
    str_add_char(out, '{');
    str_add(out, "\"names\":[");
    const size_t begin = out->len;
    for (size_t i = 0; i < json_count(names); i++) {
        const struct json *name = json_at(names, i);
        if (is_refused(json_text(name, ""), network))
            continue;
        add_separator(out);
        json_write(out, name);
    }
    if (out->len == begin) {
        str_cut(out, before);
        return;
    }
    str_add_char(out, ']');
    while (json_next(rule, &iter, &key, &value)) {
        if (strcmp(key, "names") == 0)
            continue;
        str_json_key(out, key);
        json_write(out, value);
    }
    str_add_char(out, '}');
}

/* Adds a rule that allows socket() for a family. `how` is libseccomp's comparison operator for the
 * family, the first argument of socket(). */
static void allow_socket(struct str *out, const char *how, int family, const char *more)
{
    add_separator(out);
    str_addf(out,
             "{\"names\":[\"socket\"],\"action\":\"%s\",\"args\":[{\"index\":0,\"value\":%d,"
             "\"op\":\"SCMP_CMP_%s\"}%s]}",
             allow, family, how, more);
}

/* Allows every socket family except AF_VSOCK, and except the protocol of AF_NETLINK that podman
 * rejects. A rule can compare an argument only once, and compares 64 bits, but the kernel uses only
 * 32 bits of the family, so a larger value could still mean AF_VSOCK. So each family has its own
 * rule. */
static void allow_sockets(struct str *out, const struct json *profile)
{
    char not_audit[80];
    (void)snprintf(not_audit, sizeof(not_audit),
                   ",{\"index\":2,\"value\":%d,\"op\":\"SCMP_CMP_NE\"}", NETLINK_AUDIT);
    allow_socket(out, "LT", AF_NETLINK, "");
    allow_socket(out, "EQ", AF_NETLINK, not_audit);
    for (int family = AF_NETLINK + 1; family < FAMILIES_MAX; family++) {
        if (family != AF_VSOCK)
            allow_socket(out, "EQ", family, "");
    }
    /* libseccomp also turns a rule for socket() into a rule for socketcall(), which 32-bit programs
     * use, but ignores the family there. A rule without conditions overrides that. libseccomp drops
     * such a rule if its action is the profile's default, so use a different error. */
    const int by_default = (int)json_i64(json_get(profile, "defaultErrnoRet"), EPERM);
    add_separator(out);
    str_addf(out, "{\"names\":[\"socketcall\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":%d}",
             by_default == EPERM ? ENOSYS : EPERM);
}

static void write_rules(struct str *out, const struct json *profile, bool network)
{
    static const char refused[] = "\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":38}";
    const struct json *rules = json_get(profile, "syscalls");
    /* An open profile allows all calls that it does not list. */
    const bool is_open = strcmp(json_text(json_get(profile, "defaultAction"), ""), allow) == 0;
    str_add_char(out, '[');
    for (size_t i = 0; i < json_count(rules); i++)
        write_rule(out, json_at(rules, i), network);
    if (is_open) {
        add_separator(out);
        str_addf(out, "{\"names\":[\"add_key\",\"request_key\",\"keyctl\"%s],%s",
                 network ? "" : ",\"socketcall\",\"io_uring_setup\"", refused);
        if (!network)
            str_addf(out,
                     ",{\"names\":[\"socket\"],\"args\":[{\"index\":0,\"value\":%u,\"valueTwo\":%d,"
                     "\"op\":\"SCMP_CMP_MASKED_EQ\"}],%s",
                     UINT32_MAX, AF_VSOCK, refused);
    } else if (!network) {
        allow_sockets(out, profile);
    }
    str_add_char(out, ']');
}

static void write_profile(struct str *out, const struct json *profile, bool network)
{
    void *iter = NULL;
    const char *key;
    const struct json *value;
    str_add_char(out, '{');
    while (json_next(profile, &iter, &key, &value)) {
        str_json_key(out, key);
        if (strcmp(key, "syscalls") == 0)
            write_rules(out, profile, network);
        else
            json_write(out, value);
    }
    str_add_char(out, '}');
}

/* Makes a file that only we can read, in a folder that is also visible in podman's own
 * namespace. */
static bool write_filter_file(const struct str *text, char path[PATH_MAX], struct err *err)
{
    (void)snprintf(path, PATH_MAX, "/tmp/devs-seccomp-XXXXXX");
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        path[0] = '\0';
        return err_set_errno(err, errno, "cannot create '/tmp/devs-seccomp-XXXXXX'");
    }
    size_t done = 0;
    while (done < text->len) {
        const ssize_t wrote = write(fd, text->data + done, text->len - done);
        if (wrote < 0 && errno != EINTR)
            break;
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    int number = done < text->len ? errno : 0;
    if (close(fd) != 0 && number == 0)
        number = errno;
    if (number == 0)
        return true;
    return err_set_errno(err, number, "cannot write '%s'", path);
}

bool container_filter_make(const struct container_tool *tool, bool network, char path[PATH_MAX],
                           struct err *err)
{
    char real[PATH_MAX];
    struct str text = {0};
    struct str own = {0};
    struct json *profile = NULL;
    path[0] = '\0';
    if (!tool->filter[0])
        return true;
    bool ok = realpath(tool->filter, real) && foreign_file_read(real, PROFILE_BYTES_MAX, &text) &&
              json_parse_data(str_text(&text), text.len, &profile, NULL, NULL) &&
              json_kind(json_get(profile, "syscalls")) == JSON_KIND_ARRAY;
    if (!ok)
        (void)err_set(err, ERR_INVALID, "%s: cannot read its filter '%s'", tool->name,
                      tool->filter);
    if (ok) {
        write_profile(&own, profile, network);
        ok = write_filter_file(&own, path, err);
    }
    json_free(profile);
    str_done(&text);
    str_done(&own);
    return ok;
}

void container_filter_remove(const char *path)
{
    if (path[0])
        (void)unlink(path);
}
