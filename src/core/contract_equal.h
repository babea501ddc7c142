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

/* Are all elements of the array different? If not, *first and *second get the indexes of two
 * that are equal: the smallest second, and its first. */
bool contract_all_differ(const struct json *array, size_t *first, size_t *second,
                         int64_t *steps_left);

#endif
