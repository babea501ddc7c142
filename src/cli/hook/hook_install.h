/*
 * hook_install.h - devs hook install, uninstall and status: the settings files of agent CLIs.
 * They print; main thread.
 */
#ifndef DEVS_HOOK_INSTALL_H
#define DEVS_HOOK_INSTALL_H

#include <stdbool.h>

#include "hook_agent.h"

struct hook_install {
    const struct hook_agent *agent; /* NULL: claude; for the status: all */
    bool of_user;
    const char *db; /* --db, NULL = not given */
};

/* Each returns the exit code. */
int hook_install(const struct hook_install *asked);
/* Take out what hook_install() wrote, and nothing else. */
int hook_uninstall(const struct hook_install *asked);
/* Print, for each agent, where its hooks are and whether they call devs. */
int hook_status(const struct hook_install *install);

#endif
