/* bwrap_masks.c - the folders and files that a step in bubblewrap does not see. */
#define _DEFAULT_SOURCE /* realpath */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bwrap.h"

/* Keys and tokens that a step has no business with unless its plan names the place in
 * `writable`, and sockets through which one would be out of the sandbox. What agents keep
 * of their own log-ins is not among them: they need it. Listed in docs/sandboxes.md. */
static const char *const below_home[] = {
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".config/gcloud",
    ".netrc",
    ".git-credentials",
    ".config/gh",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/chromium",
    ".config/google-chrome",
};
static const char *const anywhere[] = {
    "/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/dbus",
    "/run/libvirt",
    "/run/systemd/private",
    "/var/lib/containers",
    "/var/lib/docker",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/ssh/ssh_host_rsa_key",
    "/etc/ssh/ssh_host_ecdsa_key",
    "/etc/ssh/ssh_host_ed25519_key",
};

static const char *find_value(char *const *environment, const char *name)
{
    size_t len = strlen(name);
    for (; *environment; environment++) {
        if (strncmp(*environment, name, len) == 0 && (*environment)[len] == '=')
            return *environment + len + 1;
    }
    return NULL;
}

static bool holds(const char *folder, const char *path)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* As it is without links: a mount on a link would be one elsewhere. */
static void add_mask(const struct sandbox_call *call, const char *path, struct arg_list *out)
{
    char real[PATH_MAX];
    if (path[0] == '/' && realpath(path, real) && !holds(real, call->workspace) &&
        strcmp(real, "/") != 0)
        arg_list_add(out, real);
}

void bwrap_masks(const struct sandbox_call *call, struct arg_list *out)
{
    char path[PATH_MAX];
    const char *home = find_value(call->our_environment, "HOME");
    const char *run_dir = find_value(call->our_environment, "XDG_RUNTIME_DIR");

    for (size_t i = 0; home && i < ARRAY_LEN(below_home); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", home, below_home[i]);
        add_mask(call, path, out);
    }
    for (size_t i = 0; i < ARRAY_LEN(anywhere); i++)
        add_mask(call, anywhere[i], out);
    (void)snprintf(path, sizeof(path), "/run/user/%u", (unsigned)geteuid());
    add_mask(call, path, out);
    if (run_dir)
        add_mask(call, run_dir, out);
}
