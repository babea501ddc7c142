/*
 * gc.h - what devs gc finds, and what becomes of it.
 */
#ifndef DEVS_GC_H
#define DEVS_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"
#include "place.h"

enum { GC_NAMES_MAX = 64 };

struct gc {
    struct place place;
    bool dry, json;
    int64_t older_ms; /* of kept workspaces; -1 = they stay */
    int64_t now_ms;
    char *const *names; /* borrowed; RUN or RUN/TASK whose workspaces go whatever their age */
    int name_count;
    int count; /* of what was told */
};

enum gc_action { GC_KEPT, GC_REMOVED, GC_WOULD_REMOVE, GC_MERGED, GC_WOULD_MERGE };

struct gc_thing {
    const char *kind; /* "spill", "lock", "workspace" */
    const char *name;
    int64_t bytes; /* -1 = not known */
    enum gc_action action;
    const char *why;
};

/* A line, or an object, for the person. */
void gc_tell(struct gc *gc, const struct gc_thing *thing);

/* gc_workspaces.c: of runs that nobody owns. Results stay, and so do workspaces of tasks that did
 * not pass, until somebody says otherwise. */
ATTR_MUST_USE bool gc_workspaces(struct gc *gc, struct err *err);

#endif
