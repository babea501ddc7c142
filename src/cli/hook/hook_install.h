/*
 * hook_install.h - devs hook install, uninstall and status: the settings files of agent CLIs. These
 * functions print. Main thread.
 */
#ifndef DEVS_HOOK_INSTALL_H
#define DEVS_HOOK_INSTALL_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "err.h"
#include "hook_event.h"
#include "str.h"

struct hook_install {
    const struct hook_agent *agent; /* NULL: claude; for the status: all */
    bool of_user;
    const char *db; /* --db; NULL = not given */
};

/* Installs the hooks. These functions return the exit code. */
int hook_install(const struct hook_install *asked);
/* Removes exactly what hook_install() added. */
int hook_uninstall(const struct hook_install *asked);
/* Prints, for each agent, where its hooks are and whether they call devs. */
int hook_status(const struct hook_install *install);

enum { HOOK_SETTINGS_MAX = 4 * 1024 * 1024 /* bytes of a settings file */ };

/* The text of settings files. These functions fail with ERR_INVALID if the text is not a JSON
 * object, or if its "hooks" have an unknown form. Blank text counts as an empty object. */

/* Adds `command` for each event of the agent that does not have it. */
ATTR_MUST_USE bool hook_settings_add(struct str *text, const struct hook_agent *agent,
                                     const char *command, struct err *err);
/* Removes each hook that calls "devs hook", and whatever becomes empty. */
ATTR_MUST_USE bool hook_settings_remove(struct str *text, struct err *err);
/* Counts the events of the agent that call "devs hook". */
ATTR_MUST_USE bool hook_settings_count(const struct str *text, const struct hook_agent *agent,
                                       size_t *count_out, struct err *err);

#endif
