/*
 * adapters_merge.h - an adapter that is like another: its JSON, and what may be wrong with it.
 */
#ifndef DEVS_ADAPTERS_MERGE_H
#define DEVS_ADAPTERS_MERGE_H

#include <stdbool.h>

#include "adapter.h"
#include "attr.h"
#include "json.h"
#include "violation.h"

/* The members of `own` (an object), and those of `model` that it does not have; no "like", no
 * comments. The program is the name if neither has one. The caller frees. */
ATTR_MUST_USE struct json *adapters_merge(const struct json *model, const struct json *own,
                                          const char *name);

/* Complain about what no schema can say of one that was made; `own` is what was written. */
void adapters_check(const struct adapter *adapter, const struct json *own,
                    struct violations *wrong);
/* Complain about a "like" that names none, or goes round. */
void adapters_complain_like(const char *name, const struct json *own, bool name_is_known,
                            struct violations *wrong);

#endif
