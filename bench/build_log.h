/*
 * build_log.h - output like that of builds and tests, the same in every run.
 */
#ifndef DEVS_BENCH_BUILD_LOG_H
#define DEVS_BENCH_BUILD_LOG_H

#include <stddef.h>

#include "str.h"

enum build_log {
    BUILD_LOG_CMAKE,
    BUILD_LOG_CARGO,
    BUILD_LOG_PYTEST,
    BUILD_LOG_NPM,
    BUILD_LOG_DOCKER,
    BUILD_LOG_COUNT,
};

const char *build_log_name(enum build_log kind);

/* Appends lines until there are `size` bytes or a few more. */
void build_log_write(enum build_log kind, size_t size, struct str *out);

#endif
