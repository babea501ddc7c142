/*
 * export_sink.h - where an export goes: standard output, or a file that has its name only once it
 * is whole. Main thread.
 */
#ifndef DEVS_EXPORT_SINK_H
#define DEVS_EXPORT_SINK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "attr.h"
#include "err.h"
#include "progress.h"

/* A value of the caller's; end it with export_sink_close(). */
struct export_sink {
    FILE *file; /* owned unless it is stdout */
    char path[PATH_MAX];
    char part[PATH_MAX]; /* its name until it is whole; "" = standard output */
    int64_t bytes;
    struct progress progress;
};

/* "-" is standard output. ERR_INVALID: a file of this name is there already. The file is for its
 * owner alone. */
ATTR_MUST_USE bool export_sink_open(struct export_sink *sink, const char *path, struct err *err);
/* Append the bytes. ERR_IO: the disk is full, or the reader is gone. */
ATTR_MUST_USE bool export_sink_write(struct export_sink *sink, const char *bytes, size_t len,
                                     struct err *err);
/* So much of so much is written: for whoever waits, as progress_tell(). */
ATTR_MUST_USE bool export_sink_tell(struct export_sink *sink, int64_t done, int64_t all,
                                    struct err *err);
/* It is whole: on the disk, under its name. */
ATTR_MUST_USE bool export_sink_keep(struct export_sink *sink, struct err *err);
/* What was not kept is removed. */
void export_sink_close(struct export_sink *sink);

#endif
