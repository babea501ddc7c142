/*
 * plan_shape.h - the form of a plan or of settings, before anything is read from it.
 */
#ifndef DEVS_PLAN_SHAPE_H
#define DEVS_PLAN_SHAPE_H

#include <stdbool.h>

#include "attr.h"
#include "contract.h"
#include "json.h"
#include "violation.h"

/* Does the document fit its schema, and has no string U+0000, which JSON may have and no
 * argument, path or name can? Only contracts may, and comments. What is wrong is added to
 * `wrong`, which is empty, in the order of the document. */
ATTR_MUST_USE bool plan_shape_check(const struct contract *schema, const struct json *root,
                                    struct violations *wrong);

#endif
