/*
 * sandbox_options.h - the options of a command that say in which sandbox its steps run.
 */
#ifndef DEVS_SANDBOX_OPTIONS_H
#define DEVS_SANDBOX_OPTIONS_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "options.h"
#include "sandbox_spec.h"
#include "settings.h"

/* All zero: none was given. */
struct sandbox_options {
    const char *kind;             /* KIND or KIND:IMAGE; NULL = what the settings say */
    bool network;                 /* with the machine's network */
    struct option_words writable; /* files and folders of this machine */
};

/* Rows for the option table of a command; `given` is its struct sandbox_options. */
#define SANDBOX_OPTIONS(given)                                                                     \
    {"sandbox",    0, "K", "none, bwrap, podman or docker; podman:IMAGE names the image", NULL,    \
     &(given).kind},                                                                               \
        {"network", 0, NULL, "let the sandbox use the network", &(given).network, NULL},           \
    {                                                                                              \
        "writable", 0, "DIR...", "a folder that the sandbox may write, too; may be repeated",      \
            NULL, (given).writable.words                                                           \
    }

/*
 * The sandbox of a command: that of the settings, changed by the options. *is_given becomes whether
 * there were any options; then the caller ends *out with sandbox_spec_done(), on failure too.
 * Paths are looked up from the current folder and must exist. ERR_INVALID for an unknown kind and
 * for network or writable without a sandbox.
 */
ATTR_MUST_USE bool sandbox_options_choose(const struct sandbox_options *words,
                                          const struct settings *settings, bool *is_given,
                                          struct sandbox_spec *out, struct err *err);

#endif
