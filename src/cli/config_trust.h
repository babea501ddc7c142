/*
 * config_trust.h - does a devs.config.json need the person's trust, and has it been given?
 * Main thread.
 */
#ifndef DEVS_CONFIG_TRUST_H
#define DEVS_CONFIG_TRUST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "str.h"
#include "trust.h"

/* A key that needs trust. */
struct trust_need {
    char *key;       /* owned: "ui.notify_command" */
    const char *why; /* static: "runs a command"; follows the key in a sentence */
    char *value;     /* owned: JSON, whole */
};

/* All zero: there are no settings. */
struct config_trust {
    enum trust_state state;
    struct str reason; /* owned; why the file needs trust whatever is in it; empty = it does not */
    struct trust_need *needs; /* owned, in document order */
    size_t need_count, need_room;
};

/* Looks at settings found at `path`, whose text was read from the file of `info`. */
void config_trust_look(const char *path, const struct str *text, const struct stat *info,
                       struct config_trust *out);
/* Finds the nearest folder, from `dir` up to but not including that of `found` ("" = up to the
 * root), whose settings were trusted and are gone. False if there is none. */
ATTR_MUST_USE bool config_trust_find_gone(const char *dir, const char *found, char path[PATH_MAX]);
void config_trust_done(struct config_trust *trust);

/* Must the person trust the file before its settings are acted on? */
bool config_trust_waits(const struct config_trust *trust);

/* Prints one line that says what needs trust, and why. Returns EXIT_USAGE. */
int config_trust_refuse(const char *path, const struct config_trust *trust);
/* The same for trusted settings that are gone. */
int config_trust_refuse_gone(const char *path);

/* Appends why the file needs trust, for messages: "ui.notify_command runs a command, so it needs
 * your trust (and 2 more keys do)". The file waits. */
void config_trust_brief(const struct config_trust *trust, struct str *out);
/* Appends a line for each key, with its whole value, for people; not cleaned. */
void config_trust_lines(const struct config_trust *trust, struct str *out);
/* Appends the same as members of a JSON object: "reason", and "keys", an array. */
void config_trust_json(const struct config_trust *trust, struct str *out);

#endif
