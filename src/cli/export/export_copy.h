/*
 * export_copy.h - a run without the secrets of now, in a file that nobody keeps: what exports are
 * made of, so that all of them cut what a bundle cuts. Main thread.
 */
#ifndef DEVS_EXPORT_COPY_H
#define DEVS_EXPORT_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "bundle.h"
#include "err.h"
#include "place.h"
#include "redact.h"

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
