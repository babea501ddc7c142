/*
 * export.h - shared by the formats of `devs export`. Main thread.
 */
#ifndef DEVS_EXPORT_H
#define DEVS_EXPORT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "attr.h"
#include "bundle.h"
#include "command.h"
#include "err.h"
#include "fail.h"
#include "place.h"
#include "redact.h"

enum { EXPORT_AT_MAX = 32 }; /* moments per invocation */

/* The options; NULL or false = not given. */
struct export_words {
    const char *format, *file, *size, *speed, *view, *task;
    const char *moments; /* comma-separated */
    bool yes, json;
    const char *at[EXPORT_AT_MAX]; /* the moments, split; borrowed */
    int at_count;
};

/* One export. Everything is borrowed. */
struct export_call {
    const struct globals *globals;
    const struct export_words *words;
    const struct place *log;   /* the log of the run */
    const struct place *place; /* a copy of the run without secrets */
    int64_t run;
    struct export_sink *sink;
    const char *at; /* for a picture: its moment; NULL = the last event */
};

/* Prints the contents of a copy of a run, and what was redacted; `to` is stdout or stderr. */
void export_show(const struct bundle_contents *contents, const char *file,
                 const struct export_words *words, FILE *to);

/* The formats. Each writes everything to the sink. */
/* Writes one object per event. */
ATTR_MUST_USE bool export_jsonl(const struct export_call *call, struct err *err);
/* Writes the run for trace viewers (timeline.h). */
ATTR_MUST_USE bool export_trace(const struct export_call *call, struct err *err);
/* Writes a recording of the screens (app_cast.h). */
ATTR_MUST_USE bool export_cast(const struct export_call *call, struct err *err);
/* Writes the frame at call->at as a picture. */
ATTR_MUST_USE bool export_svg(const struct export_call *call, struct err *err);

/* Owned by the caller, who calls export_sink_close(). */
struct export_sink {
    FILE *file; /* owned unless it is stdout */
    char path[PATH_MAX];
    char part[PATH_MAX]; /* temporary name until the file is complete; "" = standard output */
    int64_t bytes;
    struct progress progress;
};

/* Opens the file of an export; "-" is standard output. Fails with ERR_INVALID if the file already
 * exists. Only its owner can read the file. */
ATTR_MUST_USE bool export_sink_open(struct export_sink *sink, const char *path, struct err *err);
/* Completes the file: syncs it and gives it its name. */
ATTR_MUST_USE bool export_sink_keep(struct export_sink *sink, struct err *err);
/* Removes the file unless it was kept. */
void export_sink_close(struct export_sink *sink);

struct export_copy;

/* Copies the run into a private folder in $TMPDIR (else /tmp). Borrows `redactor` until the copy
 * is closed. Fails like bundle_open(). The caller ends *out with export_copy_close(). */
ATTR_MUST_USE bool export_copy_open(struct export_copy **out, const struct place *place,
                                    int64_t run, const struct redactor *redactor, struct err *err);
/* Returns the log of the copy, in which the run keeps its number. This and the contents are
 * owned by the copy. */
const struct place *export_copy_place(const struct export_copy *copy);
/* Returns the counts of the copied rows, and the redacted secrets. */
const struct bundle_contents *export_copy_contents(const struct export_copy *copy);
/* A progress callback for struct bundle_asked: `progress` is a struct progress. */
bool export_copy_tell(void *progress, int64_t done, int64_t all, struct err *err);
/* Removes the copy. NULL is allowed. */
void export_copy_close(struct export_copy *copy);

#endif
