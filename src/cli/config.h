/*
 * config.h - devs.config.json: the project's settings, in the run's folder or one
 * above it. Any thread, but what prints is for the main thread.
 */
#ifndef DEVS_CONFIG_H
#define DEVS_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "attr.h"
#include "err.h"
#include "settings.h"
#include "str.h"
#include "trust.h"

/* What is done with the settings. A key that needs the person's trust and waits for it
 * matters to each in another way. */
enum config_use {
    CONFIG_ACTS,  /* something runs, is stored or is deleted by them: refused while a key waits */
    CONFIG_LOOKS, /* keys that wait are left out */
    CONFIG_SHOWS, /* all keys as they are written, to show them; nothing may act on them */
};

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

struct config {
    struct settings settings; /* nothing is set where there is no file */
    char path[PATH_MAX];      /* of the file; "" = there is none */
    struct config_trust trust;
    struct str text; /* owned; the text that was read, CONFIG_SHOWS only */
};

/* The file nearest to the folder, an absolute path, walking up; *out is NULL if there is none. One
 * that is there and cannot be opened is an error: what it says would go unheeded. The caller closes
 * *out. */
ATTR_MUST_USE bool config_open(const char *dir, char path[PATH_MAX], FILE **out, struct err *err);

/* Finds, reads and checks the settings, their rules too. Prints what is wrong and returns the exit
 * code; 0 = all well, *out is ended with config_done(). The text that trust is looked up for is the
 * text that is parsed: the file is read once. */
int config_read(const char *dir, enum config_use use, struct config *out);
/* The same with CONFIG_LOOKS, for callers that need to know what is a secret and nothing else:
 * other mistakes are a line of warning, and only the settings of secrets are reliable then. */
int config_read_secrets(const char *dir, struct config *out);
/* The same with CONFIG_LOOKS for callers that must not print; rules are not checked. False and
 * nothing set where the settings cannot be read or are wrong. The caller ends *out with
 * settings_done(). */
ATTR_MUST_USE bool config_read_quietly(const char *dir, struct settings *out);
void config_done(struct config *config);

/* The policy of that name, as settings_policy() has it; NULL, and an error that lists those that
 * there are, for none. Borrowed from the settings. */
const struct policy *config_policy(const struct settings *settings, const char *name,
                                   struct err *err);

/* Finds the nearest folder, from `dir` up to but not including that of `found` ("" = up to the
 * root), whose settings were trusted and are gone. False if there is none. */
ATTR_MUST_USE bool config_trust_find_gone(const char *dir, const char *found, char path[PATH_MAX]);

/* Must the person trust the file before its settings are acted on? */
bool config_trust_waits(const struct config_trust *trust);

/* Appends why the file needs trust, for messages: "ui.notify_command runs a command, so it needs
 * your trust (and 2 more keys do)". The file waits. */
void config_trust_brief(const struct config_trust *trust, struct str *out);
/* Appends a line for each key, with its whole value, for people; not cleaned. */
void config_trust_lines(const struct config_trust *trust, struct str *out);
/* Appends the same as members of a JSON object: "reason", and "keys", an array. */
void config_trust_json(const struct config_trust *trust, struct str *out);

#endif
