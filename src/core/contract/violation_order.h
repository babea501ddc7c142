/*
 * violation_order.h - putting lists of violations together in the order of the document.
 */
#ifndef DEVS_VIOLATION_ORDER_H
#define DEVS_VIOLATION_ORDER_H

#include "json.h"
#include "violation.h"

/* Move what is in `more` into `list`; `more` is empty afterwards. Both are in the order of
 * the document, and so is the list then: of one place, what was in it comes first. A value
 * comes before what is in it, a key that is missing after those that are there. Without a
 * document `more` goes to the end. */
void violations_merge(struct violations *list, struct violations *more,
                      const struct json *document);

#endif
