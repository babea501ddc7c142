/*
 * literals.h - which of many words stand in a text, in one pass over it.
 *
 * An Aho-Corasick automaton over the literals of all rules; letters match in
 * both cases. Built once, then read by any number of threads.
 */
#ifndef DEVS_LITERALS_H
#define DEVS_LITERALS_H

#include <stddef.h>
#include <stdint.h>

enum {
    LITERALS_CLASSES_MAX = 128, /* different bytes, both cases counted once */
    LITERALS_NODES_MAX = 20000, /* characters in all literals together */
    LITERALS_END = 0x8000,
    LITERAL_NONE = -1,
};

struct literals {
    uint8_t class_of[256]; /* 0: in no literal */
    int classes;
    int32_t *next;    /* owned: [node * LITERALS_CLASSES_MAX + class]; gone once built */
    uint16_t *table;  /* owned: the same, [node * classes + class], small for the caches;
                         LITERALS_END is added where a literal ends in the next node */
    int32_t *literal; /* owned: the literal that ends in this node */
    int32_t *also;    /* owned: the next node whose literal ends here too, 0 for none */
    size_t nodes;
    size_t nodes_cap;
    int count;
};

/* Called for every place where a literal ends. */
typedef void literals_hit_fn(void *ctx, int literal);
/* One pass over the bytes, at most one call for each place and literal. */
void literals_scan(const struct literals *literals, const char *bytes, size_t len,
                   literals_hit_fn *hit, void *ctx);

#endif
