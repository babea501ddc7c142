/* Looks for many secrets at once in the output of a child. */
#define _DEFAULT_SOURCE /* explicit_bzero */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "redact_internal.h"
#include "xalloc.h"

/*
 * The trie. Nearly all bytes of all output pass through redact_trie_skip(), so most of this is
 * about skipping quickly.
 */

enum { FIRST_CAP = 1024 };

static uint32_t add_node(struct redact_trie *trie, unsigned char byte, uint32_t depth)
{
    assert(trie->count < UINT32_MAX);
    if (trie->count == trie->cap) { /* not xgrow(), which would leave a copy of the old nodes */
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

/* The layout of `twos`. Given two bytes and the next two, a start is possible at the first byte if
 * the first pair begins a start whose third byte has the group of the third byte; and at the second
 * byte if it has the group of the first byte of a start that the second pair continues. Each test
 * is an AND of two table values, shifted by HALF. */
enum {
    BOTH_BEGIN = 0,
    SECOND_BEGINS = REDACT_TRIE_GROUPS,
    HALF = 2 * REDACT_TRIE_GROUPS,
    FIRST_IS_THIRD = HALF + BOTH_BEGIN,
    BOTH_FOLLOW = HALF + SECOND_BEGINS,
    GROUPS_MASK = (1 << REDACT_TRIE_GROUPS) - 1,
};

static_assert(2 * HALF == 64, "what is known of two bytes fills a uint64_t");

/* Returns the group of a byte, as a bit. Bytes that begin an escape have a group of their own: they
 * occur in many starts, but rarely in text. */
static unsigned group_of(unsigned char byte)
{
    if (redact_escape_begins(byte))
        return 1U << (REDACT_TRIE_GROUPS - 1);
    return 1U << (byte ^ byte >> 2) % (REDACT_TRIE_GROUPS - 1);
}

/* Adds the first block of an entry. */
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

void redact_trie_add_start(struct redact_trie *trie, const unsigned char *bytes, size_t len)
{
    if (len < 2 * REDACT_TRIE_BLOCK) {
        add_short_start(trie, bytes);
    } else {
        add_block(trie, bytes);
        add_hash(&trie->pairs, hash_pair(bytes));
    }
}

/* Adds an entry and returns its node. Names the nodes on the way that have no name yet. */
static uint32_t add_path(struct redact_trie *trie, const char *bytes, size_t len, int name)
{
    const unsigned char *at = (const unsigned char *)bytes;
    uint32_t node = REDACT_TRIE_ROOT;
    assert(len >= REDACT_TRIE_BLOCK);
    redact_trie_add_start(trie, at, len);
    /* Also find entries whose first one or two bytes have a different color from the rest. */
    const unsigned char one[REDACT_TRIE_BLOCK] = {at[0], '\033', '['};
    const unsigned char two[REDACT_TRIE_BLOCK] = {at[0], at[1], '\033'};
    add_short_start(trie, one);
    add_short_start(trie, two);
    for (size_t i = 0; i < len; i++) {
        uint32_t child = child_of(trie, node, at[i]);
        if (child == 0) {
            child = add_node(trie, at[i], trie->nodes[node].depth + 1);
            trie->nodes[child].next = trie->nodes[node].child;
            trie->nodes[node].child = child;
            if (node == REDACT_TRIE_ROOT)
                trie->first[at[i]] = child;
        }
        node = child;
        if (trie->nodes[node].passing == REDACT_TRIE_NAMELESS)
            trie->nodes[node].passing = name;
    }
    return node;
}

void redact_trie_add_code(struct redact_trie *trie, const char *bytes, size_t len, int name)
{
    const uint32_t node = add_path(trie, bytes, len, name);
    if (trie->nodes[node].value == REDACT_TRIE_NAMELESS)
        trie->nodes[node].value = name;
}

bool redact_trie_add_value(struct redact_trie *trie, const char *bytes, size_t len, int name)
{
    redact_trie_add_code(trie, bytes, len, name);
    const uint32_t node = add_path(trie, bytes, len, name);
    const bool is_new = !trie->nodes[node].raw;
    trie->nodes[node].raw = true;
    return is_new;
}

void redact_trie_add_form(struct redact_trie *trie, const char *start, int form)
{
    const uint32_t node = add_path(trie, start, strlen(start), REDACT_TRIE_NAMELESS);
    if (trie->nodes[node].form < 0)
        trie->nodes[node].form = (int16_t)form;
}

void redact_trie_build(struct redact_trie *trie)
{
    uint32_t *queue = xcalloc(trie->count, sizeof(*queue));
    size_t queued = 1; /* the root */
    for (size_t i = 0; i < queued;
         i++) { /* the suffix links of all nodes nearer the root are set */
        const struct redact_node *node = &trie->nodes[queue[i]];
        for (uint32_t child = node->child; child != 0; child = trie->nodes[child].next) {
            struct redact_node *it = &trie->nodes[child];
            if (queue[i] != REDACT_TRIE_ROOT)
                it->shorter = redact_trie_step(trie, node->shorter, it->byte);
            it->also = redact_trie_ends(trie, it->shorter);
            queue[queued++] = child;
        }
    }
    assert(queued == trie->count);
    free(queue);
    /* Add the bits that depend on only one of the two bytes. */
    for (unsigned two = 0; two < ARRAY_LEN(trie->twos); two++) {
        const uint64_t first = trie->thirds[two & UINT8_MAX], second = trie->firsts[two >> 8];
        trie->twos[two] |= first << FIRST_IS_THIRD | second << SECOND_BEGINS;
    }
}

/* Number of places checked at once. */
enum { RUN = 8 };

static uint32_t starts_in(uint64_t two, uint64_t next)
{
    return (uint32_t)(two & next >> HALF);
}

/* Returns true if none of these places begins the first block of an entry. Uses one load for two
 * places and no branch, because nearly all bytes of all output pass through here. */
static bool starts_none(const uint64_t twos[1 << 16], const unsigned char *bytes)
{
    const uint64_t a = twos[two_at(bytes)], b = twos[two_at(bytes + 2)];
    const uint64_t c = twos[two_at(bytes + 4)], d = twos[two_at(bytes + 6)];
    const uint64_t e = twos[two_at(bytes + RUN)];
    return (starts_in(a, b) | starts_in(b, c) | starts_in(c, d) | starts_in(d, e)) == 0;
}

/* Returns whether the first block of an entry may begin here. Reads a fourth byte to need only one
 * load. */
static bool is_start(const struct redact_trie *trie, const unsigned char *bytes)
{
    const uint32_t four = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
                          (uint32_t)bytes[3] << 24;
    return has_hash(&trie->starts, hash_of(four << 8)); /* a block as in block_at() */
}

/* Returns the next place that begins the first block of an entry, or `last` + 1. */
static size_t find_start(const struct redact_trie *trie, const unsigned char *bytes, size_t at,
                         size_t last)
{
    for (; at <= last && last - at >= RUN; at += RUN) {
        if (starts_none(trie->twos, bytes + at))
            continue;
        for (size_t i = at; i < at + RUN; i += 2) {
            const uint64_t two = trie->twos[two_at(bytes + i)];
            const uint32_t starts = starts_in(two, trie->twos[two_at(bytes + i + 2)]);
            if (starts & GROUPS_MASK && is_start(trie, bytes + i))
                return i;
            if (starts >> SECOND_BEGINS && is_start(trie, bytes + i + 1))
                return i + 1;
        }
    }
    while (at <= last && !is_start(trie, bytes + at))
        at++;
    return at;
}

/* Returns true if this byte may begin a gap or an escape, after which a value may continue. */
static bool breaks_value(unsigned char byte)
{
    return redact_gap_begins(byte) || redact_escape_begins(byte);
}

/* Checks the bytes after a first block that matches. */
static bool may_start(const struct redact_trie *trie, const unsigned char *bytes, size_t len)
{
    return len < 2 * REDACT_TRIE_BLOCK || breaks_value(bytes[3]) || breaks_value(bytes[4]) ||
           breaks_value(bytes[5]) || has_hash(&trie->pairs, hash_pair(bytes)) ||
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
    const struct redact_node *it = &trie->nodes[node];
    return it->value != REDACT_TRIE_NAMELESS || it->form >= 0 ? node : it->also;
}

uint32_t redact_trie_settle(const struct redact_trie *trie, uint32_t node)
{
    while (node != REDACT_TRIE_ROOT && trie->nodes[node].child == 0)
        node = trie->nodes[node].shorter;
    return node;
}

/*
 * Lanes: values in escaped text.
 */

static struct redact_escapers escapers_of(int lane)
{
    return (struct redact_escapers){
        .outer = (enum redact_escaper)(REDACT_ESCAPER_NONE + 1 + lane / REDACT_ESCAPER_COUNT),
        .inner = (enum redact_escaper)(lane % REDACT_ESCAPER_COUNT)};
}

void redact_lanes_done(struct redact_lanes *lanes)
{
    for (int i = 0; lanes && i < REDACT_LANES; i++)
        free(lanes->lanes[i].escapes);
    free(lanes);
}

void redact_lanes_reset(struct redact_lanes *lanes)
{
    for (int i = 0; lanes && i < REDACT_LANES; i++) {
        struct redact_lane *lane = &lanes->lanes[i];
        lanes->active -= lane->node != REDACT_TRIE_ROOT;
        lane->node = REDACT_TRIE_ROOT;
        lane->count = 0;
        lane->unit.taken = 0;
    }
}

/* Returns the stream offset of a byte of the lane's text. */
static int64_t raw_of(const struct redact_lane *lane, int64_t at)
{
    size_t low = 0, high = lane->count; /* find the last escape that starts at or before `at` */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (lane->escapes[middle].start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return at + lane->offset;
    const struct redact_lane_escape *escape = &lane->escapes[low - 1];
    return at < escape->end ? escape->raw_start : escape->raw_end + (at - escape->end);
}

/* Returns the stream offset at which the string of `node` begins, given that it ends where the lane
 * is. */
static int64_t lane_start_of(const struct redact_stream *stream, const struct redact_lane *lane,
                             uint32_t node)
{
    return raw_of(lane, lane->read - (int64_t)stream->redactor->trie.nodes[node].depth);
}

/* Adds the lane's next unit as an escape. If the memory is full, first drops the escapes before
 * `from`, where the lane's match begins. Fails if there are too many. */
static bool add_escape(struct redact_lane *lane, int64_t raw_start, size_t len, int64_t from)
{
    size_t gone = 0;
    while (lane->count == lane->cap && gone < lane->count && lane->escapes[gone].end <= from)
        gone++;
    if (gone > 0) {
        lane->offset = lane->escapes[gone - 1].raw_end - lane->escapes[gone - 1].end;
        lane->count -= gone;
        memmove(lane->escapes, lane->escapes + gone, lane->count * sizeof(*lane->escapes));
    }
    if (lane->count == REDACT_LANE_ESCAPES_MAX)
        return false;
    lane->escapes = xgrow(lane->escapes, &lane->cap, lane->count + 1, sizeof(*lane->escapes));
    lane->escapes[lane->count++] =
        (struct redact_lane_escape){.raw_start = raw_start,
                                    .raw_end = raw_start + (int64_t)lane->unit.taken,
                                    .start = lane->read,
                                    .end = lane->read + (int64_t)len};
    return true;
}

/* Finds the longest beginning of a value that ends at the current position and may continue in
 * another notation. */
static bool find_beginning(const struct redact_stream *stream, int64_t limit, bool ended,
                           uint32_t *node, bool *is_open)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    *is_open = false;
    for (*node = stream->node;; *node = trie->nodes[*node].shorter) {
        const int64_t depth = (int64_t)trie->nodes[*node].depth;
        const int64_t start = stream->searched - depth;
        const bool is_value = *node == REDACT_TRIE_ROOT || trie->nodes[*node].passing >= 0;
        /* The first block of a longer beginning has matched already, and its bytes may have been
         * dropped. */
        if (is_value && (depth >= REDACT_TRIE_BLOCK ||
                         redact_trie_may_start(trie, stream->bytes + (start - stream->base),
                                               (size_t)(limit - start), ended, is_open)))
            return true;
        if (*is_open || *node == REDACT_TRIE_ROOT)
            return false;
    }
}

/* Reads the next unit of a lane. `node` is the lane's match; for an inactive lane, the match after
 * which it begins. */
static bool prepare_lane(struct redact_stream *stream, int index, uint32_t node, int64_t limit,
                         bool ended)
{
    struct redact_lane *lane = &stream->lanes->lanes[index];
    const struct redact_node *nodes = stream->redactor->trie.nodes;
    const char *bytes = redact_stream_at(stream, stream->searched);
    const size_t len = (size_t)(limit - stream->searched);
    const struct redact_escapers escapers = escapers_of(index);
    if (redact_unit_read(escapers, bytes, len, false, &lane->unit))
        return true;
    if (!ended)
        return false;
    /* The stream ends within an escape: cut the part of the value that has arrived. */
    int64_t start = stream->searched - (int64_t)nodes[node].depth;
    if (lane->node != REDACT_TRIE_ROOT)
        start = lane_start_of(stream, lane, node);
    while (node != REDACT_TRIE_ROOT && nodes[node].passing < 0) {
        start += (int64_t)nodes[node].depth - (int64_t)nodes[nodes[node].shorter].depth;
        node = nodes[node].shorter;
    }
    if (nodes[node].depth >= REDACT_VALUE_MIN)
        redact_search_add_span(stream, start, stream->searched, nodes[node].passing);
    return redact_unit_read(escapers, bytes, len, true, &lane->unit);
}

/* Returns true for a plus that may stand for a blank, as in URL-encoded forms. */
static bool is_plus(int index, char c)
{
    const struct redact_escapers escapers = escapers_of(index);
    return c == '+' && (escapers.outer == REDACT_PERCENT || escapers.inner == REDACT_PERCENT);
}

/* Prepares each inactive lane if an escape of its notations may begin here. */
static bool prepare_begin(struct redact_stream *stream, int64_t limit, bool ended)
{
    const unsigned char byte = stream->bytes[stream->searched - stream->base];
    uint32_t node;
    bool is_open;
    stream->lanes_from = UINT32_MAX;
    if (!find_beginning(stream, limit, ended, &node, &is_open))
        return !is_open;
    if (!stream->lanes)
        stream->lanes = xcalloc(1, sizeof(*stream->lanes));
    stream->lanes_from = node;
    for (int i = 0; i < REDACT_LANES; i++) {
        struct redact_lane *lane = &stream->lanes->lanes[i];
        if (lane->node != REDACT_TRIE_ROOT)
            continue;
        lane->unit = (struct redact_unit){.bytes = {byte}, .len = 1, .taken = 1};
        if (redact_escape_begins_in(escapers_of(i), byte) &&
            !prepare_lane(stream, i, node, limit, ended))
            return false;
    }
    return true;
}

bool redact_lanes_prepare(struct redact_stream *stream, int64_t limit, bool ended)
{
    const unsigned char byte = stream->bytes[stream->searched - stream->base];
    for (int i = 0; stream->lanes && stream->lanes->active > 0 && i < REDACT_LANES; i++) {
        const struct redact_lane *lane = &stream->lanes->lanes[i];
        if (lane->node != REDACT_TRIE_ROOT && stream->searched >= lane->resume_at &&
            !prepare_lane(stream, i, lane->node, limit, ended))
            return false;
    }
    stream->lanes_from = UINT32_MAX;
    return !redact_escape_begins(byte) || prepare_begin(stream, limit, ended);
}

/* Cuts values that end here. The plain search finds values without an escape. */
static void take_lane_endings(struct redact_stream *stream, const struct redact_lane *lane,
                              int64_t end)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    uint32_t ending = redact_trie_ends(trie, lane->node);
    for (; ending != REDACT_TRIE_ROOT; ending = trie->nodes[ending].also) {
        if (trie->nodes[ending].value >= 0)
            redact_search_add_span(stream, lane_start_of(stream, lane, ending), end,
                                   trie->nodes[ending].value);
    }
}

static void take_unit(struct redact_stream *stream, int index)
{
    struct redact_lane *lane = &stream->lanes->lanes[index];
    const struct redact_trie *trie = &stream->redactor->trie;
    const int64_t end = stream->searched + (int64_t)lane->unit.taken;
    const int64_t from = lane->read - (int64_t)trie->nodes[lane->node].depth;
    uint32_t node = lane->node;
    bool is_escaped = lane->unit.is_escaped;
    if (lane->unit.len == 1 && is_plus(index, (char)lane->unit.bytes[0])) {
        const uint32_t blank = redact_trie_step(trie, node, ' ');
        const bool is_blank =
            trie->nodes[blank].depth == trie->nodes[node].depth + 1 &&
            trie->nodes[redact_trie_step(trie, node, '+')].depth <= trie->nodes[node].depth;
        lane->unit.bytes[0] = is_blank ? ' ' : '+';
        is_escaped = is_escaped || is_blank;
    }
    const bool is_kept = !is_escaped || add_escape(lane, stream->searched, lane->unit.len, from);
    lane->resume_at = end;
    for (size_t i = 0; is_kept && i < lane->unit.len; i++) {
        node = redact_trie_step(trie, node, lane->unit.bytes[i]);
        lane->read++;
        lane->node = node;
        take_lane_endings(stream, lane, end);
    }
    lane->node = is_kept ? redact_trie_settle(trie, node) : REDACT_TRIE_ROOT;
    if (lane->node == REDACT_TRIE_ROOT)
        return;
    /* If the lane's match contains no escape, the plain search finds it. */
    const int64_t match = lane->read - (int64_t)trie->nodes[lane->node].depth;
    const bool has_escape = lane->count > 0 && lane->escapes[lane->count - 1].end > match;
    if (!has_escape || end - lane_start_of(stream, lane, lane->node) > REDACT_LANE_BYTES_MAX)
        lane->node = REDACT_TRIE_ROOT;
}

void redact_lanes_take(struct redact_stream *stream)
{
    struct redact_lanes *lanes = stream->lanes;
    if (!lanes || (lanes->active == 0 && stream->lanes_from == UINT32_MAX))
        return;
    const bool at_plus = stream->bytes[stream->searched - stream->base] == '+';
    lanes->active = 0;
    for (int i = 0; i < REDACT_LANES; i++) {
        struct redact_lane *lane = &lanes->lanes[i];
        if (lane->node != REDACT_TRIE_ROOT) {
            if (stream->searched >= lane->resume_at)
                take_unit(stream, i);
        } else if (stream->lanes_from != UINT32_MAX &&
                   (lane->unit.is_escaped || (at_plus && is_plus(i, '+')))) {
            const int64_t depth = (int64_t)stream->redactor->trie.nodes[stream->lanes_from].depth;
            lane->node = stream->lanes_from;
            lane->read = depth;
            lane->offset = stream->searched - depth;
            lane->count = 0;
            take_unit(stream, i);
        }
        lanes->active += lane->node != REDACT_TRIE_ROOT;
    }
}

int64_t redact_lanes_settled(const struct redact_stream *stream, int64_t at)
{
    const struct redact_lanes *lanes = stream->lanes;
    for (int i = 0; lanes && lanes->active > 0 && i < REDACT_LANES; i++) {
        const struct redact_lane *lane = &lanes->lanes[i];
        if (lane->node == REDACT_TRIE_ROOT)
            continue;
        const int64_t start = lane_start_of(stream, lane, lane->node);
        at = start < at ? start : at;
    }
    return at;
}

void redact_lanes_cut_short(struct redact_stream *stream)
{
    const struct redact_node *nodes = stream->redactor->trie.nodes;
    for (int i = 0; stream->lanes && i < REDACT_LANES; i++) {
        const struct redact_lane *lane = &stream->lanes->lanes[i];
        uint32_t node = lane->node;
        while (node != REDACT_TRIE_ROOT && nodes[node].passing < 0)
            node = nodes[node].shorter;
        if (nodes[node].depth >= REDACT_VALUE_MIN)
            redact_search_add_span(stream, lane_start_of(stream, lane, node), stream->searched,
                                   nodes[node].passing);
    }
}
