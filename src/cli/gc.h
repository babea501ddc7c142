/*
 * gc.h - what devs gc finds, and what becomes of it.
 */
#ifndef DEVS_GC_H
#define DEVS_GC_H

#include <stdbool.h>
#include <stdint.h>

#include "place.h"

struct gc {
    struct place place;
    bool dry, json;
    int count; /* of what was told */
};

enum gc_action { GC_KEPT, GC_REMOVED, GC_WOULD_REMOVE, GC_MERGED, GC_WOULD_MERGE };

struct gc_thing {
    const char *kind; /* "spill", "lock" */
    const char *name;
    int64_t bytes; /* -1 = not known */
    enum gc_action action;
    const char *why;
};

/* A line, or an object, for the person. */
void gc_tell(struct gc *gc, const struct gc_thing *thing);

#endif
