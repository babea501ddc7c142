/*
 * gc.h - what devs gc finds, and what becomes of it.
 */
#ifndef DEVS_GC_H
#define DEVS_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "log_gc.h"
#include "place.h"
#include "settings.h"

enum { GC_NAMES_MAX = 64 };

struct gc {
    struct place place;
    bool dry, json;
    int64_t older_ms; /* of kept workspaces; -1 = they stay */
    int64_t now_ms;
    char *const *names; /* borrowed; RUN or RUN/TASK whose workspaces go whatever their age; with
                           `deletes` runs that go from the log */
    int name_count;
    bool deletes;
    struct log_limits limits; /* of runs in the log */
    bool kept_named;          /* a run that was named is still there */
    int count;                /* of what was told */
    int kept_workspaces;      /* that "--older" would remove */
    int branches;             /* that hold results, of workspaces that are there no more */
};

enum gc_action { GC_KEPT, GC_REMOVED, GC_WOULD_REMOVE, GC_MERGED, GC_WOULD_MERGE };

struct gc_thing {
    const char *kind; /* "spill", "lock", "workspace", "run", "room" */
    const char *name;
    int64_t bytes; /* -1 = not known */
    enum gc_action action;
    const char *why;
};

/* A line, or an object, for the person. */
void gc_tell(struct gc *gc, const struct gc_thing *thing);

/* Workspaces of runs without an engine. Keeps results and, unless asked otherwise, the workspaces
 * of tasks that did not pass. */
ATTR_MUST_USE bool gc_workspaces(struct gc *gc, struct err *err);

/* Runs that are over, out of the log. */

/* Numbers as on the command line; NULL = not said. */
struct gc_limit_words {
    const char *days, *runs, *mib;
};
/* What was said, else what the settings say. */
ATTR_MUST_USE bool gc_limits(const struct gc_limit_words *words,
                             const struct retention_settings *settings, struct log_limits *out,
                             struct err *err);
/* Take out the runs that were named, else those beyond the limits, and print what was done. */
ATTR_MUST_USE bool gc_runs(struct gc *gc, struct err *err);

enum { GC_AUTOMATIC_RUNS = 16, GC_AUTOMATIC_BYTES = 64 * 1024 * 1024 };
/* At the end of a run, where the settings ask for it: at most so many runs go, and so much room is
 * given back; what is left is for the next time. Says how many went, on stderr. NULL: nobody asks.
 */
void gc_automatic(const struct place *place, const struct retention_settings *settings);

#endif
