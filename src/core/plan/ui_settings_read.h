/*
 * ui_settings_read.h - reading the key `ui` of devs.config.json.
 */
#ifndef DEVS_UI_SETTINGS_READ_H
#define DEVS_UI_SETTINGS_READ_H

#include "plan_reader.h"
#include "ui_settings.h"

/* Takes what the schema finds right. `value` may be NULL. */
void ui_settings_read(struct plan_reader *reader, const struct json *value,
                      struct ui_settings *out);

#endif
