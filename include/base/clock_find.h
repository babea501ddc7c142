/*
 * clock_find.h - moments in people's words: local time, as on a screen. Not for core.
 */
#ifndef DEVS_CLOCK_FIND_H
#define DEVS_CLOCK_FIND_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "err.h"

/* What words about time are said of: UTC, ms. */
struct clock_span {
    int64_t from_ms, until_ms;
};

/* Wall time that the words say:
 *   "14:00", "14:00:31"            of the day on which the span begins, or of the next one where
 * that lies in the span or nearer to it "2025-11-20 14:00[:31]"        local time; T may stand for
 * the blank "2025-11-20T14:00:31Z"         UTC
 *   "-2m", "-90s", "-1h", "-1:30"  so long before the end of the span
 * ERR_INVALID for anything else. *out_ms need not lie in the span. Any thread. */
ATTR_MUST_USE bool clock_find(const char *words, const struct clock_span *span, int64_t *out_ms,
                              struct err *err);

#endif
