/*
 * entropy_table.h - a bounded set of 64-bit keys, the oldest out when it is full.
 *
 * A key has a place, a number below the set's size, for what its owner keeps about it
 * in an array of its own; the place of a key that goes is given to the one that comes.
 * All zero but `max` is a valid empty set. Private to core.
 */
#ifndef DEVS_ENTROPY_TABLE_H
#define DEVS_ENTROPY_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct entropy_table {
    uint64_t *keys;  /* owned; by place */
    uint32_t *slots; /* owned; place + 1 by hash, 0: free; a power of two of them */
    size_t max;      /* keys; set by the owner, below 2^31 */
    size_t count;    /* keys in it */
    size_t cap;      /* places allocated */
    size_t slot_count;
    size_t oldest; /* place of the oldest key, once it is full */
};

enum { ENTROPY_TABLE_NONE = -1 };

/* The key's place, ENTROPY_TABLE_NONE where it is not in. */
long entropy_table_find(const struct entropy_table *table, uint64_t key);
/* The same; puts it in where it is not, and says so in *added. */
size_t entropy_table_add(struct entropy_table *table, uint64_t key, bool *added);

/* The places in the order in which their keys came, the oldest first. */
size_t entropy_table_place(const struct entropy_table *table, size_t index);

/* Free; the set is empty afterwards and keeps its `max`. */
void entropy_table_done(struct entropy_table *table);

#endif
