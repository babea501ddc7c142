/*
 * Equality as in JSON Schema (core, 4.2.2): numbers are compared as decimals, members of objects
 * in any order.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "contract_internal.h"
#include "decimal.h"
#include "xalloc.h"

enum {
    STEP_BYTES = 64, /* bytes of a string per step */
    STEPS_REAL = 8,  /* additional steps to read a real as a decimal */
};

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv */
static const uint64_t fnv_basis = 0xcbf29ce484222325;
static const uint64_t fnv_prime = 0x100000001b3;

/* Index and hash of an element. */
struct hashed {
    uint64_t hash;
    size_t index;
};

static bool is_number(enum json_kind kind)
{
    return kind == JSON_KIND_INTEGER || kind == JSON_KIND_REAL;
}

static void spend_number(int64_t *steps_left, const struct json *number)
{
    *steps_left -= json_kind(number) == JSON_KIND_REAL ? STEPS_REAL : 0;
}

/* Spends the additional steps of a long string. */
static void spend_steps(int64_t *steps_left, size_t len)
{
    *steps_left -= (int64_t)(len / STEP_BYTES);
}

bool contract_equal(const struct json *a, const struct json *b, int64_t *steps_left)
{
    const enum json_kind kind = json_kind(a);
    const size_t count = json_count(a);
    bool same = true;
    if (--*steps_left < 0)
        return false;
    if (is_number(kind) && is_number(json_kind(b))) {
        spend_number(steps_left, a);
        spend_number(steps_left, b);
        return decimal_compare(decimal_of(a), decimal_of(b)) == 0;
    }
    if (kind != json_kind(b))
        return false;
    switch (kind) {
    case JSON_KIND_OBJECT: {
        void *iter = NULL;
        const char *key = NULL;
        const struct json *value = NULL;
        same = json_count(b) == count;
        while (same && json_next(a, &iter, &key, &value)) {
            const struct json *other = json_get(b, key);
            same = other && contract_equal(value, other, steps_left);
        }
        break;
    }
    case JSON_KIND_ARRAY:
        same = json_count(b) == count;
        for (size_t i = 0; same && i < count; i++)
            same = contract_equal(json_at(a, i), json_at(b, i), steps_left);
        break;
    case JSON_KIND_STRING: {
        size_t a_len = 0;
        size_t b_len = 0;
        const char *a_text = json_bytes(a, &a_len);
        const char *b_text = json_bytes(b, &b_len);
        spend_steps(steps_left, a_len);
        same = a_len == b_len && memcmp(a_text, b_text, a_len) == 0;
        break;
    }
    case JSON_KIND_INTEGER:
    case JSON_KIND_REAL:
    case JSON_KIND_TRUE:
    case JSON_KIND_FALSE:
    case JSON_KIND_NULL:
    case JSON_KIND_NONE:
    case JSON_KIND_COUNT:
        break;
    }
    return same;
}

static uint64_t add_bytes(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ byte[i]) * fnv_prime;
    return hash;
}

static uint64_t add_u64(uint64_t hash, uint64_t value)
{
    return add_bytes(hash, &value, sizeof(value));
}

/* Returns a hash that is the same for equal values. */
static uint64_t hash_of(const struct json *value, int64_t *steps_left)
{
    const enum json_kind kind = json_kind(value);
    if (--*steps_left < 0)
        return 0;
    if (is_number(kind)) {
        spend_number(steps_left, value);
        const struct decimal decimal = decimal_of(value);
        uint64_t hash = add_u64(fnv_basis, decimal.digits);
        hash = add_u64(hash, (uint64_t)decimal.exponent);
        return add_u64(hash, decimal.negative ? 1 : 0);
    }
    uint64_t hash = add_u64(fnv_basis, (uint64_t)kind);
    size_t len = 0;
    const char *text = json_bytes(value, &len);
    spend_steps(steps_left, len);
    if (text)
        return add_bytes(hash, text, len);
    if (kind == JSON_KIND_OBJECT) {
        void *iter = NULL;
        const char *key = NULL;
        const struct json *member = NULL;
        uint64_t sum = 0; /* a sum, so that the order of members does not matter */
        while (json_next(value, &iter, &key, &member)) {
            const size_t key_len = strlen(key);
            spend_steps(steps_left, key_len);
            sum += add_u64(add_bytes(fnv_basis, key, key_len), hash_of(member, steps_left));
        }
        return add_u64(hash, sum);
    }
    for (size_t i = 0; i < json_count(value); i++)
        hash = add_u64(hash, hash_of(json_at(value, i), steps_left));
    return hash;
}

static int compare_hashed(const void *a, const void *b)
{
    const struct hashed *one = a;
    const struct hashed *other = b;
    if (one->hash != other->hash)
        return one->hash < other->hash ? -1 : 1;
    return one->index < other->index ? -1 : 1;
}

bool contract_all_differ(const struct json *array, contract_equal_fn *tell, void *ctx,
                         int64_t *steps_left)
{
    const size_t count = json_count(array);
    struct hashed *rows = xcalloc(count + 1, sizeof(*rows));
    for (size_t i = 0; i < count && *steps_left >= 0; i++)
        rows[i] = (struct hashed){.hash = hash_of(json_at(array, i), steps_left), .index = i};
    qsort(rows, count, sizeof(*rows), compare_hashed);
    bool differ = true;
    bool goes_on = true;
    size_t start = 0; /* first of the rows with the same hash */
    for (size_t i = 1; i < count && goes_on && *steps_left >= 0; i++) {
        start = rows[i].hash == rows[start].hash ? start : i;
        const struct hashed *equal = NULL; /* the first element that equals this one */
        for (size_t k = start; !equal && k < i && *steps_left >= 0; k++) {
            if (contract_equal(json_at(array, rows[k].index), json_at(array, rows[i].index),
                               steps_left))
                equal = &rows[k];
        }
        if (!equal)
            continue;
        differ = false;
        goes_on = tell(ctx, equal->index, rows[i].index);
    }
    free(rows);
    return differ;
}
