#include "entropy_table.h"

#include <assert.h>
#include <stdlib.h>

#include "xalloc.h"

enum { SLOTS_MIN = 32, PLACES_MIN = 16 };

/* Keys are hashes already, but hostile logs may hold any: spread them once more. */
static size_t home(const struct entropy_table *table, uint64_t key)
{
    return (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (table->slot_count - 1);
}

static size_t next_slot(const struct entropy_table *table, size_t slot)
{
    return (slot + 1) & (table->slot_count - 1);
}

/* Where the key is, or the free slot where it would be. */
static size_t find_slot(const struct entropy_table *table, uint64_t key)
{
    size_t slot = home(table, key);
    while (table->slots[slot] != 0 && table->keys[table->slots[slot] - 1] != key)
        slot = next_slot(table, slot);
    return slot;
}

long entropy_table_find(const struct entropy_table *table, uint64_t key)
{
    if (table->count == 0)
        return ENTROPY_TABLE_NONE;
    return (long)table->slots[find_slot(table, key)] - 1;
}

/* Half of the slots stay free, so that looking for one ends soon. */
static void grow_slots(struct entropy_table *table)
{
    if (table->slot_count >= 2 * (table->count + 1))
        return;
    free(table->slots);
    table->slot_count = table->slot_count == 0 ? SLOTS_MIN : table->slot_count * 2;
    table->slots = xcalloc(table->slot_count, sizeof(*table->slots));
    for (size_t place = 0; place < table->count; place++)
        table->slots[find_slot(table, table->keys[place])] = (uint32_t)place + 1;
}

/* Is `slot` within the run from `from` (not itself) to `to`, around the end? */
static bool is_between(size_t from, size_t slot, size_t to)
{
    return from <= to ? from < slot && slot <= to : from < slot || slot <= to;
}

/* Closes the gap: keys behind it that a search would no longer find move up. */
static void take_out(struct entropy_table *table, uint64_t key)
{
    size_t gap = find_slot(table, key);
    assert(table->slots[gap] != 0);
    for (size_t slot = next_slot(table, gap); table->slots[slot] != 0;
         slot = next_slot(table, slot)) {
        if (is_between(gap, home(table, table->keys[table->slots[slot] - 1]), slot))
            continue;
        table->slots[gap] = table->slots[slot];
        gap = slot;
    }
    table->slots[gap] = 0;
}

static size_t new_place(struct entropy_table *table)
{
    if (table->count < table->max) {
        if (table->count == table->cap) {
            const size_t want = table->cap == 0 ? PLACES_MIN : table->cap + 1;
            table->keys = xgrow(table->keys, &table->cap, want, sizeof(*table->keys));
        }
        return table->count++;
    }
    const size_t place = table->oldest;
    take_out(table, table->keys[place]);
    table->oldest = table->oldest + 1 == table->max ? 0 : table->oldest + 1;
    return place;
}

size_t entropy_table_add(struct entropy_table *table, uint64_t key, bool *added)
{
    assert(table->max > 0);
    grow_slots(table);
    const size_t slot = find_slot(table, key);
    *added = table->slots[slot] == 0;
    if (!*added)
        return table->slots[slot] - 1;
    const size_t place = new_place(table);
    table->keys[place] = key;
    table->slots[find_slot(table, key)] = (uint32_t)place + 1;
    return place;
}

size_t entropy_table_place(const struct entropy_table *table, size_t index)
{
    assert(index < table->count);
    return (table->oldest + index) % table->count;
}

void entropy_table_done(struct entropy_table *table)
{
    free(table->keys);
    free(table->slots);
    *table = (struct entropy_table){.max = table->max};
}
