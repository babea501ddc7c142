/*
 * contract_equal.h - are two JSON values one value, as JSON Schema has it (core, 4.2.2)?
 * Numbers are compared as decimals, the members of objects in no order. Pure.
 */
#ifndef DEVS_CONTRACT_EQUAL_H
#define DEVS_CONTRACT_EQUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"

/* Both take a step from *steps_left for each value that they look at. Once it is below 0 they
 * stop, and their answer means nothing. As deep a recursion as the values are nested. */
bool contract_equal(const struct json *a, const struct json *b, int64_t *steps_left);

/* Told that an element is equal to one before it; false: no more need be told. */
typedef bool contract_equal_fn(void *ctx, size_t first, size_t second);

/* Are all elements of the array different? Each that is equal to one before it is told, with the
 * first of these, in no order; *steps_left may be changed by who is told. */
bool contract_all_differ(const struct json *array, contract_equal_fn *tell, void *ctx,
                         int64_t *steps_left);

#endif
