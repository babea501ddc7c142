/*
 * export.h - what the files of `devs export` share. Main thread.
 */
#ifndef DEVS_EXPORT_H
#define DEVS_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "bundle.h"
#include "command.h"
#include "err.h"
#include "export_sink.h"

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

/* export_words.c: say what is in a copy of a run, and what was cut; `to` is stdout or stderr. */
void export_show(const struct bundle_contents *contents, const char *file,
                 const struct export_words *words, FILE *to);

/* These write the whole of it to the sink. */
/* export_records.c: an object for each event. */
ATTR_MUST_USE bool export_jsonl(const struct export_call *call, struct err *err);
/* The same run for a viewer of traces: trace_json.h. */
ATTR_MUST_USE bool export_trace(const struct export_call *call, struct err *err);
/* export_frames.c: a recording of the screens, one frame as a picture. */
ATTR_MUST_USE bool export_cast(const struct export_call *call, struct err *err);
/* The frame at call->at as a picture. */
ATTR_MUST_USE bool export_svg(const struct export_call *call, struct err *err);

#endif
