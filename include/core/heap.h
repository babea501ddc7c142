/* heap.h - an index heap: numbers 0..n-1, each at most once, smallest key first.
 *
 * Equal keys are ordered by number, so the order is the same on every machine. All operations are
 * O(log n), lookup is O(1). Owned by its struct. */
#ifndef DEVS_HEAP_H
#define DEVS_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap {
    int *items;    /* owned; the heap */
    int *places;   /* owned; item -> index in items, -1 = not in the heap */
    int64_t *keys; /* owned; by item */
    int count;
    int size; /* items are 0..size-1 */
    int cap;  /* capacity of the arrays; 0 before the first insertion */
};

/* Makes an empty heap for 0..size-1; it allocates nothing before the first insertion. The caller
 * frees with heap_done(). */
void heap_init(struct heap *heap, int size);
/* Frees the members and leaves an empty heap. */
void heap_done(struct heap *heap);
/* Lets the heap hold 0..size-1 from now on; it never shrinks. */
void heap_grow(struct heap *heap, int size);

/* Returns whether the item is in the heap. O(1). */
bool heap_has(const struct heap *heap, int item);
/* Inserts an item, or changes its key. */
void heap_put(struct heap *heap, int item, int64_t key);
/* Removes an item. Does nothing if it is not in the heap. */
void heap_remove(struct heap *heap, int item);
/* Returns the first item without removing it, or -1 if the heap is empty. */
int heap_first(const struct heap *heap);
/* Returns the key of an item that is in the heap. */
int64_t heap_key(const struct heap *heap, int item);

#endif
