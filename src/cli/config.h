/* config.h - devs.config.json: the project's settings, in the run's folder or one above it, the
 * options that override them, and a function that adds a rule to them. Any thread; functions that
 * print: main thread. */
#ifndef DEVS_CONFIG_H
#define DEVS_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "attr.h"
#include "command.h"
#include "err.h"
#include "settings.h"
#include "str.h"
#include "trust.h"
#include "workspace_spec.h"

/* What the settings are used for. This decides what happens if a key still needs the user's
 * trust. */
enum config_use {
    CONFIG_ACTS,  /* to run, store or delete something: refused while a key waits */
    CONFIG_LOOKS, /* to display something: waiting keys are left out */
    CONFIG_SHOWS, /* to show all keys as written; nothing may act on them */
};

/* A key that needs trust. */
struct trust_need {
    char *key;       /* owned: "ui.notify_command" */
    const char *why; /* static: "runs a command"; follows the key in a sentence */
    char *value;     /* owned: complete JSON */
};

/* All zero: there are no settings. */
struct config_trust {
    enum trust_state state;
    struct str reason; /* owned; the reason why the file needs trust regardless of its contents;
                          empty = none */
    struct trust_need *needs; /* owned, in document order */
    size_t need_count, need_room;
};

struct config {
    struct settings settings; /* empty if there is no file */
    char path[PATH_MAX];      /* path of the file; "" = none */
    struct config_trust trust;
    struct str text; /* owned; the text of the file, with CONFIG_SHOWS only */
};

/* Opens the nearest settings file, from the folder (an absolute path) upwards; *out is NULL if
 * there is none. A file that cannot be opened is an error, because its settings would be
 * ignored. The caller closes *out. */
ATTR_MUST_USE bool config_open(const char *dir, char path[PATH_MAX], FILE **out, struct err *err);

/* Finds, reads and checks the settings, including their rules. Prints errors and returns the
 * exit code; if 0, the caller ends *out with config_done(). The file is read once, so that the
 * text whose trust is checked is the text that is parsed. */
int config_read(const char *dir, enum config_use use, struct config *out);
/* Like config_read() with CONFIG_LOOKS, for callers that only need the secret settings. Errors in
 * other settings become warnings; those settings are then unreliable. */
int config_read_secrets(const char *dir, struct config *out);
/* Like config_read() with CONFIG_LOOKS, for callers that must not print; rules are not checked.
 * Returns false, with nothing set, if the settings cannot be read or are invalid. The caller
 * ends *out with settings_done(). */
ATTR_MUST_USE bool config_read_quietly(const char *dir, struct settings *out);
void config_done(struct config *config);

/* Returns the policy of that name, as settings_policy() does. Returns NULL if there is none; the
 * hint lists the existing policies or, for a renamed one, its new name. Borrowed from the
 * settings. */
const struct policy *config_policy(const struct settings *settings, const char *name,
                                   struct err *err);

/* Finds the nearest folder, from `dir` up to but not including that of `found` ("" = up to the
 * root), whose settings were trusted and no longer exist. Returns false if there is none. */
ATTR_MUST_USE bool config_trust_find_gone(const char *dir, const char *found, char path[PATH_MAX]);

/* Returns whether the user must trust the file before its settings take effect. */
bool config_trust_waits(const struct config_trust *trust);

/* Appends why the file needs trust, for messages: "ui.notify_command runs a command, so it needs
 * your trust (and 2 more keys do)". The file must be waiting. */
void config_trust_brief(const struct config_trust *trust, struct str *out);
/* Appends the reason, and each key with its complete value, as lines for people; not cleaned. */
void config_trust_lines(const struct config_trust *trust, struct str *out);
/* Appends the reason and the keys as members of a JSON object: "reason", and "keys", an array. */
void config_trust_json(const struct config_trust *trust, struct str *out);

/* The sandbox options of a command. */

/* All zero: no option was given. */
struct sandbox_options {
    const char *kind;             /* KIND or KIND:IMAGE; NULL = from the settings */
    bool network;                 /* use the machine's network */
    struct option_words writable; /* files and folders of this machine */
};

/* Rows for the option table of a command; `given` is its struct sandbox_options. */
#define SANDBOX_OPTIONS(given)                                                                     \
    {"sandbox",    0, "K", "none, bwrap, podman or docker; podman:IMAGE names the image", NULL,    \
     &(given).kind},                                                                               \
        {"network", 0, NULL, "let the sandbox use the network", &(given).network, NULL},           \
    {                                                                                              \
        "writable", 0, "DIR...", "another folder that the sandbox may write to; may be repeated",  \
            NULL, (given).writable.words                                                           \
    }

/* Determines the sandbox of a command: the settings' sandbox with the options applied. Sets
 * *is_given if there were any options; then the caller ends *out with sandbox_spec_done(), also
 * after an error. Paths are relative to the current folder and must exist. Fails with ERR_INVALID
 * for an unknown kind, and for network or writable without a sandbox. */
ATTR_MUST_USE bool sandbox_options_choose(const struct sandbox_options *words,
                                          const struct settings *settings, bool *is_given,
                                          struct sandbox_spec *out, struct err *err);

/* Adds a rule of the user to the project's devs.config.json. */

/* Adds the JSON text of a rule, or of a list of rules, to "rules" in the devs.config.json nearest
 * to `dir`, an absolute path; creates the file in `dir` if there is none. A rule replaces an
 * existing rule of the same name. Everything else in the file is unchanged, including comments and
 * its mode. Savers take turns; fails with ERR_BUSY if another program holds the folder's lock for
 * too long. The new text is checked as a whole, with rules compiled, and then replaces the old one
 * atomically or not at all. Fails with ERR_INVALID, with nothing written. Prints nothing. Any
 * thread. */
ATTR_MUST_USE bool rules_add(const char *dir, const char *rule_json, struct err *err);

#endif
