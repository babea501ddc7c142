/*
 * config.h - devs.config.json: the project's settings, in the run's folder or one
 * above it. Main thread.
 */
#ifndef DEVS_CONFIG_H
#define DEVS_CONFIG_H

#include <limits.h>

#include "settings.h"

struct config {
    struct settings settings; /* nothing is set where there is no file */
    char path[PATH_MAX];      /* of the file; "" = there is none */
};

/* Find, read and check the settings, their rules too. Prints what is wrong and returns
 * the exit code; 0 = all well, *out is ended with config_done(). */
int config_read(const char *dir, struct config *out);
void config_done(struct config *config);

#endif
