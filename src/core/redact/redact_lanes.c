#include "redact_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "redact_stream_parts.h"
#include "redactor.h"
#include "xalloc.h"

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

static void stop_lane(struct redact_lanes *lanes, struct redact_lane *lane)
{
    lanes->active -= lane->node != REDACT_TRIE_ROOT;
    lane->node = REDACT_TRIE_ROOT;
    lane->count = 0;
}

void redact_lanes_reset(struct redact_lanes *lanes)
{
    for (int i = 0; lanes && i < REDACT_LANES; i++) {
        stop_lane(lanes, &lanes->lanes[i]);
        lanes->lanes[i].unit.taken = 0;
    }
}

/* Where in the stream a byte of the lane's text is. */
static int64_t raw_of(const struct redact_lane *lane, int64_t at)
{
    size_t low = 0, high = lane->count; /* the last escape that starts at or before it */
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

/* Where what the lane matches begins. */
static int64_t start_of(const struct redact_stream *stream, const struct redact_lane *lane,
                        uint32_t node)
{
    return raw_of(lane, lane->read - (int64_t)stream->redactor->trie.nodes[node].depth);
}

/* Those before what the lane matches are done with. */
static void drop_escapes(struct redact_lane *lane, int64_t from)
{
    size_t gone = 0;
    while (gone < lane->count && lane->escapes[gone].end <= from)
        gone++;
    if (gone == 0)
        return;
    lane->offset = lane->escapes[gone - 1].raw_end - lane->escapes[gone - 1].end;
    lane->count -= gone;
    memmove(lane->escapes, lane->escapes + gone, lane->count * sizeof(*lane->escapes));
}

/* False: there are too many. */
static bool add_escape(struct redact_lane *lane, int64_t raw_start, size_t len, int64_t from)
{
    if (lane->count == lane->cap)
        drop_escapes(lane, from);
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

/* May a value go on in another notation after this node? */
static bool may_continue(const struct redact_stream *stream, uint32_t node, int64_t limit,
                         bool ended, bool *is_open)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    const int64_t depth = (int64_t)trie->nodes[node].depth;
    if (node != REDACT_TRIE_ROOT && trie->nodes[node].passing < 0)
        return false;
    if (depth >= REDACT_TRIE_BLOCK)
        return true;
    const int64_t start = stream->searched - depth;
    const unsigned char *bytes = stream->bytes + (start - stream->base);
    return redact_trie_may_start(trie, bytes, (size_t)(limit - start), ended, is_open);
}

/* The longest beginning of a value that ends where the search is, if it may go on in another
 * notation. */
static bool find_beginning(const struct redact_stream *stream, int64_t limit, bool ended,
                           uint32_t *node, bool *is_open)
{
    const struct redact_node *nodes = stream->redactor->trie.nodes;
    *is_open = false;
    for (*node = stream->node;; *node = nodes[*node].shorter) {
        if (may_continue(stream, *node, limit, ended, is_open))
            return true;
        if (*is_open || *node == REDACT_TRIE_ROOT)
            return false;
    }
}

/* The stream ends within an escape: so much of the value came. */
static void cut_broken_off(struct redact_stream *stream, int64_t start, uint32_t node)
{
    const struct redact_node *nodes = stream->redactor->trie.nodes;
    while (node != REDACT_TRIE_ROOT && nodes[node].passing < 0) {
        start += (int64_t)nodes[node].depth - (int64_t)nodes[nodes[node].shorter].depth;
        node = nodes[node].shorter;
    }
    if (nodes[node].depth >= REDACT_VALUE_MIN)
        redact_search_add_span(stream, start, stream->searched, nodes[node].passing);
}

/* `node`: what the lane matches, or begins after. */
static bool prepare_lane(struct redact_stream *stream, int index, uint32_t node, int64_t limit,
                         bool ended)
{
    struct redact_lane *lane = &stream->lanes->lanes[index];
    const char *bytes = redact_stream_at(stream, stream->searched);
    const size_t len = (size_t)(limit - stream->searched);
    const struct redact_escapers escapers = escapers_of(index);
    if (redact_unit_read(escapers, bytes, len, false, &lane->unit))
        return true;
    if (!ended)
        return false;
    cut_broken_off(stream,
                   lane->node != REDACT_TRIE_ROOT
                       ? start_of(stream, lane, node)
                       : stream->searched - (int64_t)stream->redactor->trie.nodes[node].depth,
                   node);
    return redact_unit_read(escapers, bytes, len, true, &lane->unit);
}

/* A plus is a blank in a form. */
static bool is_plus(int index, char c)
{
    const struct redact_escapers escapers = escapers_of(index);
    return c == '+' && (escapers.outer == REDACT_PERCENT || escapers.inner == REDACT_PERCENT);
}

/* Lanes that do nothing begin here if there is an escape for them. */
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

/* What ends here is a value. One without an escape in it is found by the search. */
static void take_endings(struct redact_stream *stream, const struct redact_lane *lane, int64_t end)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    uint32_t ending = redact_trie_ends(trie, lane->node);
    for (; ending != REDACT_TRIE_ROOT; ending = trie->nodes[ending].also) {
        if (trie->nodes[ending].value >= 0)
            redact_search_add_span(stream, start_of(stream, lane, ending), end,
                                   trie->nodes[ending].value);
    }
}

/* Is there an escape in what the lane matches? Else the search knows it. */
static bool has_escape(const struct redact_stream *stream, const struct redact_lane *lane)
{
    const int64_t depth = (int64_t)stream->redactor->trie.nodes[lane->node].depth;
    return lane->count > 0 && lane->escapes[lane->count - 1].end > lane->read - depth;
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
        take_endings(stream, lane, end);
    }
    lane->node = is_kept ? redact_trie_settle(trie, node) : REDACT_TRIE_ROOT;
    if (lane->node != REDACT_TRIE_ROOT &&
        (!has_escape(stream, lane) ||
         end - start_of(stream, lane, lane->node) > REDACT_LANE_BYTES_MAX))
        lane->node = REDACT_TRIE_ROOT;
}

static void begin_lane(struct redact_stream *stream, int index)
{
    struct redact_lane *lane = &stream->lanes->lanes[index];
    const bool is_blank = stream->bytes[stream->searched - stream->base] == '+';
    if (!lane->unit.is_escaped && !(is_blank && is_plus(index, '+')))
        return;
    const int64_t depth = (int64_t)stream->redactor->trie.nodes[stream->lanes_from].depth;
    lane->node = stream->lanes_from;
    lane->read = depth;
    lane->offset = stream->searched - depth;
    lane->count = 0;
    take_unit(stream, index);
}

void redact_lanes_take(struct redact_stream *stream)
{
    struct redact_lanes *lanes = stream->lanes;
    if (!lanes || (lanes->active == 0 && stream->lanes_from == UINT32_MAX))
        return;
    lanes->active = 0;
    for (int i = 0; i < REDACT_LANES; i++) {
        struct redact_lane *lane = &lanes->lanes[i];
        const bool is_idle = lane->node == REDACT_TRIE_ROOT;
        if (is_idle && stream->lanes_from != UINT32_MAX)
            begin_lane(stream, i);
        else if (!is_idle && stream->searched >= lane->resume_at)
            take_unit(stream, i);
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
        const int64_t start = start_of(stream, lane, lane->node);
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
            redact_search_add_span(stream, start_of(stream, lane, node), stream->searched,
                                   nodes[node].passing);
    }
}
