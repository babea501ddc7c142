/* heap.c - a binary heap in an array, with the position and the key of each number.
 *
 * Because the position of a number is known, it can be removed or get a new key without a search.
 * Memory is allocated at the first insertion. */
#include "heap.h"

#include <assert.h>
#include <stdlib.h>

#include "xalloc.h"

enum { NOT_IN_HEAP = -1 };

static bool comes_before(const struct heap *heap, int a, int b)
{
    if (heap->keys[a] != heap->keys[b])
        return heap->keys[a] < heap->keys[b];
    return a < b;
}

static void set_place(struct heap *heap, int place, int item)
{
    heap->items[place] = item;
    heap->places[item] = place;
}

static void move_up(struct heap *heap, int item)
{
    int place = heap->places[item];
    while (place > 0) {
        int parent = (place - 1) / 2;
        if (!comes_before(heap, item, heap->items[parent]))
            break;
        set_place(heap, place, heap->items[parent]);
        place = parent;
    }
    set_place(heap, place, item);
}

static void move_down(struct heap *heap, int item)
{
    int place = heap->places[item];
    while (place < heap->count / 2) {
        int child = 2 * place + 1;
        bool has_right = child + 1 < heap->count;
        if (has_right && comes_before(heap, heap->items[child + 1], heap->items[child]))
            child++;
        if (!comes_before(heap, heap->items[child], item))
            break;
        set_place(heap, place, heap->items[child]);
        place = child;
    }
    set_place(heap, place, item);
}

void heap_init(struct heap *heap, int size)
{
    assert(size >= 0);
    *heap = (struct heap){.size = size};
}

void heap_grow(struct heap *heap, int size)
{
    if (size > heap->size)
        heap->size = size;
}

/* Allocates memory for every number that the heap may hold. */
static void make_room(struct heap *heap)
{
    const size_t size = (size_t)heap->size;
    const int had = heap->cap;
    size_t caps[] = {(size_t)had, (size_t)had,
                     (size_t)had}; /* capacity of each array; all three stay equal */
    if (had >= heap->size)
        return;
    heap->items = xgrow(heap->items, &caps[0], size, sizeof(*heap->items));
    heap->places = xgrow(heap->places, &caps[1], size, sizeof(*heap->places));
    heap->keys = xgrow(heap->keys, &caps[2], size, sizeof(*heap->keys));
    heap->cap = (int)caps[0];
    for (int i = had; i < heap->cap; i++)
        heap->places[i] = NOT_IN_HEAP;
}

void heap_done(struct heap *heap)
{
    if (!heap)
        return;
    free(heap->items);
    free(heap->places);
    free(heap->keys);
    *heap = (struct heap){0};
}

bool heap_has(const struct heap *heap, int item)
{
    assert(item >= 0);
    assert(item < heap->size);
    return item < heap->cap && heap->places[item] != NOT_IN_HEAP;
}

void heap_put(struct heap *heap, int item, int64_t key)
{
    make_room(heap);
    if (!heap_has(heap, item))
        set_place(heap, heap->count++, item);
    heap->keys[item] = key;
    move_up(heap, item);
    move_down(heap, item);
}

void heap_remove(struct heap *heap, int item)
{
    if (!heap_has(heap, item))
        return;

    int place = heap->places[item];
    int last = heap->items[--heap->count];
    heap->places[item] = NOT_IN_HEAP;
    if (last == item)
        return;

    set_place(heap, place, last);
    move_up(heap, last);
    move_down(heap, last);
}

int heap_first(const struct heap *heap)
{
    return heap->count > 0 ? heap->items[0] : -1;
}

int64_t heap_key(const struct heap *heap, int item)
{
    assert(heap_has(heap, item));
    return heap->keys[item];
}
