/*
 * redact_trie.h - many byte strings looked for at once, in time linear in the text: a trie with
 * the links of Aho and Corasick (Efficient string matching, CACM 18, 1975).
 *
 * What is looked for has names, or starts a known form, or both. Read-only once it is built.
 */
#ifndef DEVS_REDACT_TRIE_H
#define DEVS_REDACT_TRIE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REDACT_TRIE_ROOT = 0,
    REDACT_TRIE_BLOCK = 3,     /* bytes; no entry is shorter */
    REDACT_TRIE_NAMELESS = -1, /* no value ends here, or passes here */
    REDACT_TRIE_HASH_BITS = 16,
    REDACT_TRIE_GROUPS = 16, /* of bytes: by their value */
};

struct redact_node {
    uint32_t child, next; /* the first child, the next one of the same parent; 0 = none */
    uint32_t shorter;     /* the longest proper ending of this that is in the trie */
    uint32_t also;        /* the longest one of those at which something ends; 0 = none */
    int32_t value;        /* whose value ends here, or NAMELESS */
    int32_t passing;      /* whose value this is the beginning of, or NAMELESS */
    int16_t form;         /* number of the form that starts here, -1 = none */
    bool raw;             /* what ends here is a value itself, no other form of one */
    unsigned char byte;   /* that leads here */
    uint32_t depth;       /* bytes from the root */
};

struct redact_hashes {
    uint64_t bits[(1 << REDACT_TRIE_HASH_BITS) / 64];
};

struct redact_trie {
    struct redact_node *nodes; /* owned */
    size_t count, cap;
    uint32_t first[256]; /* children of the root */
    /* Hashes of what entries begin with: their first blocks; of the shortest entries those
     * alone; of the others the first two blocks. What is not in here starts nothing. */
    struct redact_hashes starts, shorts, pairs;
    /* What two bytes that follow each other may be of a start (redact_trie.c), a bit for each
     * group of its third or its first byte: */
    uint64_t twos[1 << 16];
    uint16_t firsts[256], thirds[256]; /* the groups of bytes that starts have there */
};

void redact_trie_init(struct redact_trie *trie);
/* Overwrites what was in it. */
void redact_trie_done(struct redact_trie *trie);

/* A value: false if it is in already. Of those that are equal the name that came first stays.
 * len >= REDACT_TRIE_BLOCK. */
bool redact_trie_add_value(struct redact_trie *trie, const char *bytes, size_t len, int name);
/* Another form of a value. */
void redact_trie_add_code(struct redact_trie *trie, const char *bytes, size_t len, int name);
/* Of those that are equal the one that came first stays. */
void redact_trie_add_form(struct redact_trie *trie, const char *start, int form);
/* Text that holds an entry may begin so, where an escape is in it: redact_escaped_starts(). */
void redact_trie_add_start(struct redact_trie *trie, const unsigned char *bytes, size_t len);
/* After the last entry. */
void redact_trie_build(struct redact_trie *trie);

/* From the root: the next place at or after `at` where something may start; nothing starts
 * before it. The last bytes before `len` are not looked at. A start goes on behind a gap
 * (redact_gaps.h) or an escape of another notation that comes after its third byte, an escape
 * sequence after its second, a CSI after its first. */
size_t redact_trie_skip(const struct redact_trie *trie, const unsigned char *bytes, size_t at,
                        size_t len);
/* May something start at bytes[0], as redact_trie_skip() sees it? False with *is_open set: it hangs
 * on bytes that have not come; never if `ended`. */
bool redact_trie_may_start(const struct redact_trie *trie, const unsigned char *bytes, size_t len,
                           bool ended, bool *is_open);
/* The node after `byte`, by way of shorter starts where it does not fit; 0, the root, where nothing
 * does. */
uint32_t redact_trie_step(const struct redact_trie *trie, uint32_t node, unsigned char byte);
/* The longest ending of a node with which something may go on. */
uint32_t redact_trie_settle(const struct redact_trie *trie, uint32_t node);
/* The node itself if something ends there, else the longest ending at which something does. */
uint32_t redact_trie_ends(const struct redact_trie *trie, uint32_t node);

#endif
