#define _XOPEN_SOURCE 700 /* realpath */

#include "sandbox_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool add_writable(const struct sandbox_options *words, struct sandbox_spec *spec,
                         struct err *err)
{
    for (size_t i = 0; words->writable.words[i]; i++) {
        char real[PATH_MAX];
        const char *path = words->writable.words[i];
        if (!realpath(path, real))
            return err_set(err, ERR_INVALID, "--writable '%s': %s", path, strerror(errno));
        if (strcmp(real, "/") == 0) {
            (void)err_set(err, ERR_INVALID, "--writable '%s' would open the whole file system",
                          path);
            return err_hint(err, "\"sandbox\": {\"read_only\": false} in devs.config.json");
        }
        sandbox_spec_add_writable(spec, real);
    }
    return true;
}

bool sandbox_options_choose(const struct sandbox_options *words, const struct settings *settings,
                            bool *is_given, struct sandbox_spec *out, struct err *err)
{
    const bool opens = words->network || words->writable.words[0];
    *is_given = words->kind || opens;
    if (!*is_given)
        return true;
    *out = settings->said & PLAN_SAYS_SANDBOX ? sandbox_spec_copy(&settings->sandbox)
                                              : sandbox_spec_new();
    if (words->kind && words->kind[0] == '-') {
        (void)err_set(err, ERR_INVALID, "--sandbox needs a kind, not '%s'", words->kind);
        return err_hint(err, "none, bwrap, podman:IMAGE, docker:IMAGE or container:IMAGE");
    }
    if (words->kind && !sandbox_spec_choose(out, words->kind, err))
        return false;
    if (opens && out->kind == SANDBOX_NONE) {
        (void)err_set(err, ERR_INVALID, "%s needs a sandbox",
                      words->network ? "--network" : "--writable");
        return err_hint(err, "--sandbox bwrap");
    }
    if (words->network)
        out->network = SANDBOX_NETWORK_ON;
    return add_writable(words, out, err);
}
