/*
 * ecma_property.h - Unicode properties as ECMA-262 names them (22.2.2.9) for PCRE2. Pure.
 */
#ifndef DEVS_ECMA_PROPERTY_H
#define DEVS_ECMA_PROPERTY_H

#include <stdbool.h>
#include <stddef.h>

#include "attr.h"
#include "str.h"

/* Append what stands for \p{name}, or \P{name} when negated: "Letter", "Lu",
 * "General_Category=Letter", "Script=Greek", "Alphabetic". False if it is no name; whether
 * there is such a script or property is left to PCRE2. */
ATTR_MUST_USE bool ecma_property(struct str *out, const char *name, size_t len, bool negated);

#endif
