#define _DEFAULT_SOURCE /* explicit_bzero */

#include "redact_trie.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "redact_escape.h"
#include "redact_words.h"
#include "xalloc.h"

enum { FIRST_CAP = 1024 };

/* xgrow() would leave a copy of the old nodes behind. */
static void make_room(struct redact_trie *trie)
{
    if (trie->count < trie->cap)
        return;
    const size_t cap = trie->cap > 0 ? trie->cap * 2 : FIRST_CAP;
    struct redact_node *larger = xcalloc(cap, sizeof(*larger));
    if (trie->nodes) {
        memcpy(larger, trie->nodes, trie->count * sizeof(*larger));
        explicit_bzero(trie->nodes, trie->cap * sizeof(*larger));
    }
    free(trie->nodes);
    trie->nodes = larger;
    trie->cap = cap;
}

static uint32_t add_node(struct redact_trie *trie, unsigned char byte, uint32_t depth)
{
    assert(trie->count < UINT32_MAX);
    make_room(trie);
    trie->nodes[trie->count] = (struct redact_node){.value = REDACT_TRIE_NAMELESS,
                                                    .passing = REDACT_TRIE_NAMELESS,
                                                    .form = -1,
                                                    .byte = byte,
                                                    .depth = depth};
    return (uint32_t)trie->count++;
}

void redact_trie_init(struct redact_trie *trie)
{
    *trie = (struct redact_trie){0};
    (void)add_node(trie, 0, 0);
}

void redact_trie_done(struct redact_trie *trie)
{
    if (trie->nodes)
        explicit_bzero(trie->nodes, trie->cap * sizeof(*trie->nodes));
    free(trie->nodes);
    explicit_bzero(trie, sizeof(*trie));
}

static uint32_t child_of(const struct redact_trie *trie, uint32_t node, unsigned char byte)
{
    if (node == REDACT_TRIE_ROOT)
        return trie->first[byte];
    uint32_t child = trie->nodes[node].child;
    while (child != 0 && trie->nodes[child].byte != byte)
        child = trie->nodes[child].next;
    return child;
}

static uint32_t add_child(struct redact_trie *trie, uint32_t node, unsigned char byte)
{
    const uint32_t child = add_node(trie, byte, trie->nodes[node].depth + 1);
    trie->nodes[child].next = trie->nodes[node].child;
    trie->nodes[node].child = child;
    if (node == REDACT_TRIE_ROOT)
        trie->first[byte] = child;
    return child;
}

/* Multiplicative hashing: Knuth, The Art of Computer Programming 3, 6.4. */
static uint32_t hash_of(uint32_t value)
{
    return (value * UINT32_C(2654435769)) >> (32 - REDACT_TRIE_HASH_BITS);
}

static bool has_hash(const struct redact_hashes *hashes, uint32_t hash)
{
    return hashes->bits[hash / 64] >> (hash % 64) & 1;
}

static void add_hash(struct redact_hashes *hashes, uint32_t hash)
{
    hashes->bits[hash / 64] |= UINT64_C(1) << (hash % 64);
}

static uint32_t block_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 8 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 24;
}

static uint32_t hash_pair(const unsigned char *bytes)
{
    return hash_of(block_at(bytes) ^ block_at(bytes + REDACT_TRIE_BLOCK) >> 5);
}

static unsigned two_at(const unsigned char *bytes)
{
    return (unsigned)bytes[0] | (unsigned)bytes[1] << 8;
}

/* Where in `twos` the groups are. Two bytes and the two after them have a start where the first of
 * them begin one and the next byte is of the group of its third one; or where the second of them
 * is of the group of one's first byte, which the other two follow: each is an AND of the table's
 * values, shifted by HALF. */
enum {
    BOTH_BEGIN = 0,
    SECOND_BEGINS = REDACT_TRIE_GROUPS,
    HALF = 2 * REDACT_TRIE_GROUPS,
    FIRST_IS_THIRD = HALF + BOTH_BEGIN,
    BOTH_FOLLOW = HALF + SECOND_BEGINS,
    GROUPS_MASK = (1 << REDACT_TRIE_GROUPS) - 1,
};

static_assert(2 * HALF == 64, "what is known of two bytes fills a uint64_t");

/* The bytes that begin an escape are a group of their own: many starts have them, most text has
 * few. */
static unsigned group_of(unsigned char byte)
{
    if (redact_escape_begins(byte))
        return 1U << (REDACT_TRIE_GROUPS - 1);
    return 1U << (byte ^ byte >> 2) % (REDACT_TRIE_GROUPS - 1);
}

/* The first block of an entry. */
static void add_block(struct redact_trie *trie, const unsigned char *block)
{
    const unsigned first = group_of(block[0]), third = group_of(block[2]);
    trie->twos[two_at(block)] |= (uint64_t)third << BOTH_BEGIN;
    trie->twos[two_at(block + 1)] |= (uint64_t)first << BOTH_FOLLOW;
    trie->firsts[block[0]] = (uint16_t)first;
    trie->thirds[block[2]] = (uint16_t)third;
    add_hash(&trie->starts, hash_of(block_at(block)));
}

static void add_short_start(struct redact_trie *trie, const unsigned char block[REDACT_TRIE_BLOCK])
{
    add_block(trie, block);
    add_hash(&trie->shorts, hash_of(block_at(block)));
}

/* What begins in another color than it goes on in. */
static void add_colored_starts(struct redact_trie *trie, const unsigned char *bytes)
{
    const unsigned char one[REDACT_TRIE_BLOCK] = {bytes[0], '\033', '['};
    const unsigned char two[REDACT_TRIE_BLOCK] = {bytes[0], bytes[1], '\033'};
    add_short_start(trie, one);
    add_short_start(trie, two);
}

void redact_trie_add_start(struct redact_trie *trie, const unsigned char *bytes, size_t len)
{
    if (len < 2 * REDACT_TRIE_BLOCK) {
        add_short_start(trie, bytes);
    } else {
        add_block(trie, bytes);
        add_hash(&trie->pairs, hash_pair(bytes));
    }
}

/* The node of an entry; those passed on the way get the name, unless they have one. */
static uint32_t add(struct redact_trie *trie, const char *bytes, size_t len, int name)
{
    const unsigned char *at = (const unsigned char *)bytes;
    uint32_t node = REDACT_TRIE_ROOT;
    assert(len >= REDACT_TRIE_BLOCK);
    redact_trie_add_start(trie, at, len);
    add_colored_starts(trie, at);
    for (size_t i = 0; i < len; i++) {
        uint32_t child = child_of(trie, node, at[i]);
        node = child != 0 ? child : add_child(trie, node, at[i]);
        if (trie->nodes[node].passing == REDACT_TRIE_NAMELESS)
            trie->nodes[node].passing = name;
    }
    return node;
}

void redact_trie_add_code(struct redact_trie *trie, const char *bytes, size_t len, int name)
{
    const uint32_t node = add(trie, bytes, len, name);
    if (trie->nodes[node].value == REDACT_TRIE_NAMELESS)
        trie->nodes[node].value = name;
}

bool redact_trie_add_value(struct redact_trie *trie, const char *bytes, size_t len, int name)
{
    redact_trie_add_code(trie, bytes, len, name);
    const uint32_t node = add(trie, bytes, len, name);
    const bool is_new = !trie->nodes[node].raw;
    trie->nodes[node].raw = true;
    return is_new;
}

void redact_trie_add_form(struct redact_trie *trie, const char *start, int form)
{
    const uint32_t node = add(trie, start, strlen(start), REDACT_TRIE_NAMELESS);
    if (trie->nodes[node].form < 0)
        trie->nodes[node].form = (int16_t)form;
}

static bool ends_here(const struct redact_node *node)
{
    return node->value != REDACT_TRIE_NAMELESS || node->form >= 0;
}

/* The links of a node's children, once those of all shorter nodes are there. */
static void link_children(struct redact_trie *trie, uint32_t node, uint32_t *queue, size_t *queued)
{
    for (uint32_t child = trie->nodes[node].child; child != 0; child = trie->nodes[child].next) {
        struct redact_node *it = &trie->nodes[child];
        if (node != REDACT_TRIE_ROOT)
            it->shorter = redact_trie_step(trie, trie->nodes[node].shorter, it->byte);
        it->also = redact_trie_ends(trie, it->shorter);
        queue[(*queued)++] = child;
    }
}

/* What is known of one of the two bytes. */
static void fill_twos(struct redact_trie *trie)
{
    for (unsigned two = 0; two < ARRAY_LEN(trie->twos); two++) {
        const uint64_t first = trie->thirds[two & UINT8_MAX], second = trie->firsts[two >> 8];
        trie->twos[two] |= first << FIRST_IS_THIRD | second << SECOND_BEGINS;
    }
}

void redact_trie_build(struct redact_trie *trie)
{
    uint32_t *queue = xcalloc(trie->count, sizeof(*queue));
    size_t queued = 1; /* the root */
    for (size_t i = 0; i < queued; i++)
        link_children(trie, queue[i], queue, &queued);
    assert(queued == trie->count);
    free(queue);
    fill_twos(trie);
}

/* block_at() by way of a fourth byte, which makes it one load. */
static uint32_t block_of_four(const unsigned char *bytes)
{
    return ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
            (uint32_t)bytes[3] << 24)
           << 8;
}

/* Places that are looked at in one go. */
enum { RUN = 8 };

static uint32_t starts_in(uint64_t two, uint64_t next)
{
    return (uint32_t)(two & next >> HALF);
}

/* Is there none among them whose first block may be that of an entry? One load for two of them and
 * no branch: nearly all bytes of all output go through here. */
static bool starts_none(const uint64_t twos[1 << 16], const unsigned char *bytes)
{
    const uint64_t a = twos[two_at(bytes)], b = twos[two_at(bytes + 2)];
    const uint64_t c = twos[two_at(bytes + 4)], d = twos[two_at(bytes + 6)];
    const uint64_t e = twos[two_at(bytes + RUN)];
    return (starts_in(a, b) | starts_in(b, c) | starts_in(c, d) | starts_in(d, e)) == 0;
}

static bool is_start(const struct redact_trie *trie, const unsigned char *bytes)
{
    return has_hash(&trie->starts, hash_of(block_of_four(bytes)));
}

/* The first of these places whose first block is that of an entry; RUN if there is none. */
static size_t find_in_run(const struct redact_trie *trie, const unsigned char *bytes)
{
    for (size_t i = 0; i < RUN; i += 2) {
        const uint64_t two = trie->twos[two_at(bytes + i)];
        const uint32_t starts = starts_in(two, trie->twos[two_at(bytes + i + 2)]);
        if (starts & GROUPS_MASK && is_start(trie, bytes + i))
            return i;
        if (starts >> SECOND_BEGINS && is_start(trie, bytes + i + 1))
            return i + 1;
    }
    return RUN;
}

/* The next place whose first block is that of an entry; `last` + 1 if there is none. */
static size_t find_start(const struct redact_trie *trie, const unsigned char *bytes, size_t at,
                         size_t last)
{
    for (; at <= last && last - at >= RUN; at += RUN) {
        if (starts_none(trie->twos, bytes + at))
            continue;
        const size_t found = find_in_run(trie, bytes + at);
        if (found < RUN)
            return at + found;
    }
    while (at <= last && !is_start(trie, bytes + at))
        at++;
    return at;
}

/* Does a value go on in other bytes than its own after this one? */
static bool breaks(unsigned char byte)
{
    return redact_gap_begins(byte) || redact_escape_begins(byte);
}

static bool has_break(const unsigned char *bytes)
{
    return breaks(bytes[3]) || breaks(bytes[4]) || breaks(bytes[5]);
}

/* Its first block is known: so it is with what follows? */
static bool may_start(const struct redact_trie *trie, const unsigned char *bytes, size_t len)
{
    return len < 2 * REDACT_TRIE_BLOCK || has_break(bytes) ||
           has_hash(&trie->pairs, hash_pair(bytes)) ||
           has_hash(&trie->shorts, hash_of(block_at(bytes)));
}

size_t redact_trie_skip(const struct redact_trie *trie, const unsigned char *bytes, size_t at,
                        size_t len)
{
    if (len <= REDACT_TRIE_BLOCK)
        return at;
    const size_t last = len - REDACT_TRIE_BLOCK - 1;
    while (at <= last) {
        at = find_start(trie, bytes, at, last);
        if (at > last || may_start(trie, bytes + at, len - at))
            return at;
        at++;
    }
    return at;
}

bool redact_trie_may_start(const struct redact_trie *trie, const unsigned char *bytes, size_t len,
                           bool ended, bool *is_open)
{
    *is_open = false;
    if (trie->firsts[bytes[0]] == 0)
        return false;
    if (len >= REDACT_TRIE_BLOCK && !has_hash(&trie->starts, hash_of(block_at(bytes))))
        return false;
    if (len >= 2 * REDACT_TRIE_BLOCK)
        return may_start(trie, bytes, len);
    const bool is_short =
        len >= REDACT_TRIE_BLOCK && has_hash(&trie->shorts, hash_of(block_at(bytes)));
    *is_open = !is_short && !ended;
    return is_short || ended;
}

uint32_t redact_trie_step(const struct redact_trie *trie, uint32_t node, unsigned char byte)
{
    for (;;) {
        const uint32_t child = child_of(trie, node, byte);
        if (child != 0 || node == REDACT_TRIE_ROOT)
            return child;
        node = trie->nodes[node].shorter;
    }
}

uint32_t redact_trie_ends(const struct redact_trie *trie, uint32_t node)
{
    return ends_here(&trie->nodes[node]) ? node : trie->nodes[node].also;
}

uint32_t redact_trie_settle(const struct redact_trie *trie, uint32_t node)
{
    while (node != REDACT_TRIE_ROOT && trie->nodes[node].child == 0)
        node = trie->nodes[node].shorter;
    return node;
}
