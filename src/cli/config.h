/*
 * config.h - devs.config.json: the project's settings, in the run's folder or one
 * above it. Any thread, but what prints is for the main thread.
 */
#ifndef DEVS_CONFIG_H
#define DEVS_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "attr.h"
#include "err.h"
#include "settings.h"

struct config {
    struct settings settings; /* nothing is set where there is no file */
    char path[PATH_MAX];      /* of the file; "" = there is none */
};

/* The file nearest to the folder, an absolute path, walking up; *out is NULL if there is none. One
 * that is there and cannot be opened is an error: what it says would go unheeded. The caller closes
 * *out. */
ATTR_MUST_USE bool config_open(const char *dir, char path[PATH_MAX], FILE **out, struct err *err);

/* Find, read and check the settings, their rules too. Prints what is wrong and returns
 * the exit code; 0 = all well, *out is ended with config_done(). */
int config_read(const char *dir, struct config *out);
/* The same for who wants to know what is a secret only: other mistakes are a line of warning, and
 * only the settings of secrets are to be relied on then. */
int config_read_secrets(const char *dir, struct config *out);
void config_done(struct config *config);

/* The policy of that name, as settings_policy() has it; NULL, and an error that lists those that
 * there are, for none. Borrowed from the settings. */
const struct policy *config_policy(const struct settings *settings, const char *name,
                                   struct err *err);

#endif
