/*
 * adapter_path.h - the small paths into JSON that rules of adapters are made of.
 *
 * "message.content.*.text": members by name, elements by number ("-1" is the last one), "*" is
 * every element. "." is the value itself. Pure.
 */
#ifndef DEVS_ADAPTER_PATH_H
#define DEVS_ADAPTER_PATH_H

#include <stdbool.h>

#include "json.h"

enum { ADAPTER_PATH_PARTS_MAX = 8 };

/* All zero is ".". */
struct adapter_path {
    char *text; /* owned; cut at the dots */
    const char *parts[ADAPTER_PATH_PARTS_MAX];
    int count;
};

/* Parts beyond the limit are left out: the schema refuses them. */
void adapter_path_init(struct adapter_path *path, const char *text);
void adapter_path_done(struct adapter_path *path);

/* False: no more are wanted. */
typedef bool adapter_found_fn(void *ctx, const struct json *value);

/* Each value that the path leads to, in order. */
void adapter_path_walk(const struct adapter_path *path, const struct json *root,
                       adapter_found_fn *found, void *ctx);
/* The first one; NULL if there is none. */
const struct json *adapter_path_first(const struct adapter_path *path, const struct json *root);

#endif
