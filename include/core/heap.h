/*
 * heap.h - an index heap: numbers 0..n-1, each at most once, least key first.
 *
 * Equal keys come in order of the number, so the order is the same on every
 * machine. All operations O(log n), lookup O(1). Owned by its struct.
 */
#ifndef DEVS_HEAP_H
#define DEVS_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap {
    int *items;    /* owned: the heap */
    int *places;   /* owned: item -> index in items, -1 = not in it */
    int64_t *keys; /* owned: by item */
    int count;
    int size; /* numbers 0..size-1 may be in it */
    int cap;  /* there is room for so many; 0 before the first one is put in */
};

/* Empty, for the numbers 0..size-1; it owns nothing before the first one is put in. The caller ends
 * it with heap_done(). */
void heap_init(struct heap *heap, int size);
/* Frees what it holds; an empty one afterwards. */
void heap_done(struct heap *heap);
/* Numbers 0..size-1 may be in it from now on; it does not shrink. */
void heap_grow(struct heap *heap, int size);

/* Is the item in it? O(1). */
bool heap_has(const struct heap *heap, int item);
/* Put an item in; if it is there already its key changes. */
void heap_put(struct heap *heap, int item, int64_t key);
/* Take an item out; nothing happens if it is not there. */
void heap_remove(struct heap *heap, int item);
/* The first item, -1 if empty; stays in. */
int heap_first(const struct heap *heap);
/* Key of an item that is there. */
int64_t heap_key(const struct heap *heap, int item);

#endif
