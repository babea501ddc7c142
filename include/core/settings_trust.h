/*
 * settings_trust.h - which keys of devs.config.json the person must allow first. Any thread.
 *
 * A project's settings come with the project, so whoever wrote the project wrote them, and so may
 * have a step of an earlier run. A key needs trust if it runs a command, loosens a sandbox, shows a
 * secret, steers an agent or deletes runs. The table in settings_trust.c has every key.
 */
#ifndef DEVS_SETTINGS_TRUST_H
#define DEVS_SETTINGS_TRUST_H

#include <stddef.h>

#include "json.h"
#include "str.h"

/* A key that needs trust. All borrowed: `key` until the callback returns. */
struct settings_trust_key {
    const char *key;          /* "ui.notify_command" */
    const char *why;          /* static: "runs a command"; follows the key in a sentence */
    const struct json *value; /* in the tree that was given */
};

/* Called for each key that needs trust. */
typedef void settings_trust_fn(void *ctx, const struct settings_trust_key *found);

/* Calls `found` for each key of the settings that needs trust, in document order. `root` is any
 * JSON value; keys that devs does not know need trust. */
void settings_trust_each(const struct json *root, settings_trust_fn *found, void *ctx);

/* Appends the settings as JSON without the keys that need trust. Unknown keys stay:
 * settings_parse() refuses them, for they may be misspelled names of secrets. */
void settings_trust_strip(const struct json *root, struct str *out);

/* Returns the next row of the table for tests, NULL past the last: "sandbox.args". A key without a
 * dot stands for all that is below it, unless rows follow that name its members. */
const char *settings_trust_row(size_t index);

#endif
