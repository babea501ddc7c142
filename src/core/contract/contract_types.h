/*
 * contract_types.h - the types of JSON Schema and their names. Pure.
 */
#ifndef DEVS_CONTRACT_TYPES_H
#define DEVS_CONTRACT_TYPES_H

#include "json.h"
#include "str.h"

/* All names, for messages. */
extern const char contract_type_all[];

/* The bit of a type's name; 0 if there is none. */
unsigned contract_type_named(const char *name);

/* The bits of all types that a value is of: 1.0 is a number and an integer. */
unsigned contract_types_of(const struct json *value);

/* "string", "string or object", "null, string or object". */
void contract_types_add(struct str *out, unsigned mask);

#endif
