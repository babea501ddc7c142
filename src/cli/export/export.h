/*
 * export.h - what the files of `devs export` share. Main thread.
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
#include "place.h"
#include "progress.h"
#include "redact.h"

enum { EXPORT_AT_MAX = 32 }; /* moments of one call */

/* The words of the command line; NULL or false where nothing was said. */
struct export_words {
    const char *format, *file, *size, *speed, *view, *task;
    const char *moments; /* a comma between two */
    bool yes, json;
    const char *at[EXPORT_AT_MAX]; /* made of the moments; borrowed */
    int at_count;
};

/* One export. All borrowed. */
struct export_call {
    const struct globals *globals;
    const struct export_words *words;
    const struct place *log;   /* that the run is in */
    const struct place *place; /* a copy of the run without secrets */
    int64_t run;
    struct export_sink *sink;
    const char *at; /* of a picture: this moment; NULL = the last event */
};

/* Says what is in a copy of a run, and what was cut; `to` is stdout or stderr. */
void export_show(const struct bundle_contents *contents, const char *file,
                 const struct export_words *words, FILE *to);

/* These write the whole of it to the sink. */
/* An object for each event. */
ATTR_MUST_USE bool export_jsonl(const struct export_call *call, struct err *err);
/* The same run for a viewer of traces: trace_json.h. */
ATTR_MUST_USE bool export_trace(const struct export_call *call, struct err *err);
/* A recording of the screens, one frame as a picture. */
ATTR_MUST_USE bool export_cast(const struct export_call *call, struct err *err);
/* The frame at call->at as a picture. */
ATTR_MUST_USE bool export_svg(const struct export_call *call, struct err *err);

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
/* It is whole: on the disk, under its name. */
ATTR_MUST_USE bool export_sink_keep(struct export_sink *sink, struct err *err);
/* What was not kept is removed. */
void export_sink_close(struct export_sink *sink);

struct export_copy;

/* In a private folder of $TMPDIR (else /tmp). `redactor` is borrowed until the end. As
 * bundle_open() fails. The caller ends *out with export_copy_close(). */
ATTR_MUST_USE bool export_copy_open(struct export_copy **out, const struct place *place,
                                    int64_t run, const struct redactor *redactor, struct err *err);
/* The run has its number there. Both are owned by the copy. */
const struct place *export_copy_place(const struct export_copy *copy);
/* What went into it, and what was cut. */
const struct bundle_contents *export_copy_contents(const struct export_copy *copy);
/* For struct bundle_asked: `progress` is a struct progress. */
bool export_copy_tell(void *progress, int64_t done, int64_t all, struct err *err);
/* Removes it. NULL is allowed. */
void export_copy_close(struct export_copy *copy);

#endif
