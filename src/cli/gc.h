/* gc.h - removes workspaces, and old runs from the log, for devs gc and at the end of a run. */
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
    int64_t older_ms; /* remove kept workspaces older than this; -1 = keep them all */
    int64_t now_ms;
    char *const *names; /* borrowed; RUN or RUN/TASK whose workspaces are removed whatever their
                           age; with `deletes`, runs to remove from the log */
    int name_count;
    bool deletes;
    struct log_limits limits; /* limits for runs in the log */
    bool kept_named;          /* out: a named run could not be removed */
    int count;                /* out: number of things reported */
    int kept_workspaces;      /* out: number of workspaces that "--older" would remove */
    int branches; /* out: number of branches with results whose workspaces no longer exist */
};

enum gc_action { GC_KEPT, GC_REMOVED, GC_WOULD_REMOVE, GC_MERGED, GC_WOULD_MERGE };

struct gc_thing {
    const char *kind; /* "spill", "lock", "workspace", "run", "room" */
    const char *name;
    int64_t bytes; /* -1 = unknown */
    enum gc_action action;
    const char *why;
};

/* Prints a line, or a JSON object, that describes the thing. */
void gc_tell(struct gc *gc, const struct gc_thing *thing);

/* Removes workspaces of runs without an engine. Keeps results and, unless requested otherwise,
 * the workspaces of tasks that did not pass. */
ATTR_MUST_USE bool gc_workspaces(struct gc *gc, struct err *err);

/* Old runs in the log. */

/* Numbers as on the command line; NULL = not given. */
struct gc_limit_words {
    const char *days, *runs, *mib;
};
/* Reads the limits from the command line, or else from the settings. */
ATTR_MUST_USE bool gc_limits(const struct gc_limit_words *words,
                             const struct retention_settings *settings, struct log_limits *out,
                             struct err *err);
/* Removes the named runs, or else those beyond the limits, and prints what was done. */
ATTR_MUST_USE bool gc_runs(struct gc *gc, struct err *err);

enum { GC_AUTOMATIC_RUNS = 16, GC_AUTOMATIC_BYTES = 64 * 1024 * 1024 };
/* Called at the end of a run, for settings that request it: removes a limited number of runs and
 * frees a limited amount of space; the rest is left for the next time. Reports the number of
 * runs on stderr. `settings` may be NULL. */
void gc_automatic(const struct place *place, const struct retention_settings *settings);

#endif
