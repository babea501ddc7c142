/*
 * settings_secrets.h - the key `secrets` of devs.config.json.
 */
#ifndef DEVS_SETTINGS_SECRETS_H
#define DEVS_SETTINGS_SECRETS_H

#include "plan_reader.h"
#include "redact.h"

/* Takes what the schema finds right; complains about patterns that are none. `value` may be
 * NULL. */
void settings_secrets_read(struct plan_reader *reader, const struct json *value,
                           struct secret_settings *out);

#endif
