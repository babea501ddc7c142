/* Masks secrets in a stream; holds back bytes that may still become a secret. */
#define _DEFAULT_SOURCE /* explicit_bzero */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "redact_internal.h"
#include "text.h"
#include "xalloc.h"

/* The search: finds values (also across gaps), known forms, and matches of patterns in lines. */

/* Returns true if `a` gives the name when both cuts become one. */
static bool names_both(const struct redactor *redactor, const struct redact_span *a,
                       const struct redact_span *b)
{
    const enum redact_rank ranks[] = {redactor->names[a->name].rank, redactor->names[b->name].rank};
    if (a->start != b->start)
        return a->start < b->start;
    if (ranks[0] != ranks[1])
        return ranks[0] < ranks[1];
    return a->end != b->end ? a->end > b->end : a->name < b->name;
}

/* Adds a cut, merging it with the cuts that it overlaps. The cut that begins first gives the name;
 * of several, the one with the best rank, then the longest. */
static void redact_spans_add(struct redact_spans *spans, const struct redactor *redactor,
                             struct redact_span span)
{
    assert(span.start < span.end);
    size_t at = spans->count;
    while (at > spans->first && spans->items[at - 1].start >= span.end)
        at--;
    size_t from = at;
    while (from > spans->first && spans->items[from - 1].end > span.start) {
        const struct redact_span *other = &spans->items[--from];
        span = (struct redact_span){
            .start = other->start < span.start ? other->start : span.start,
            .end = other->end > span.end ? other->end : span.end,
            .name = names_both(redactor, other, &span) ? other->name : span.name,
        };
    }
    if (from == at)
        spans->items = xgrow(spans->items, &spans->cap, spans->count + 1, sizeof(*spans->items));
    memmove(spans->items + from + 1, spans->items + at,
            (spans->count - at) * sizeof(*spans->items));
    spans->items[from] = span;
    spans->count += from + 1 - at;
}

/* Finds one match at or after `from`, and where to look for the next one. A pattern that hits its
 * limits counts as matching the rest of the subject, which may contain a secret. */
static size_t match_once(const struct rule_pattern *pattern, struct rule_matcher *matcher,
                         const struct rule_subject *subject, size_t from, struct rule_span *found)
{
    struct rule_span spans[RULE_SPANS];
    const struct rule_subject rest = {.bytes = subject->bytes + from,
                                      .len = subject->len - from,
                                      .begins = subject->begins && from == 0,
                                      .ends = subject->ends};
    *found = (struct rule_span){.start = from, .end = subject->len};
    switch (rule_pattern_match(pattern, matcher, &rest, spans)) {
    case RULE_MATCH_LIMITED:
        return subject->len;
    case RULE_MATCH_NO:
        found->end = from;
        return subject->len;
    case RULE_MATCH_YES:
        break;
    }
    struct rule_span chosen =
        spans[0]; /* the whole match, or the first group that matched something */
    for (int i = RULE_SPANS - 1; i > 0; i--)
        chosen = spans[i].end > spans[i].start ? spans[i] : chosen;
    found->start = from + chosen.start;
    found->end = from + chosen.end;
    const size_t end = spans[0].end > chosen.end ? spans[0].end : chosen.end;
    return from + (end > 0 ? end : 1);
}

void redact_counts_done(struct redact_counts *counts)
{
    if (!counts)
        return;
    free(counts->by_name);
    *counts = (struct redact_counts){0};
}

static void make_room(struct redact_counts *counts, size_t size)
{
    if (counts->size >= size)
        return;
    int64_t *larger = xcalloc(size, sizeof(*larger));
    for (size_t i = 0; i < counts->size; i++)
        larger[i] = counts->by_name[i];
    free(counts->by_name);
    counts->by_name = larger;
    counts->size = size;
}

void redact_counts_add(struct redact_counts *counts, const struct redact_counts *more)
{
    make_room(counts, more->size);
    for (size_t i = 0; i < more->size; i++)
        counts->by_name[i] += more->by_name[i];
    counts->all += more->all;
}

void redact_counts_lines(const struct redactor *redactor, const struct redact_counts *counts,
                         struct str *out)
{
    /* Bytes of a mark before its name, and around it. */
    enum { BEFORE = sizeof("[cut:") - 1, AROUND = BEFORE + 1 };
    int64_t rest = counts->all;
    int told = 0;
    for (size_t i = 0; i < counts->size && told < REDACT_COUNTED_MAX; i++) {
        if (counts->by_name[i] == 0)
            continue;
        const struct redact_name *name = &redactor->names[i];
        str_addf(out, "%s%lld %.*s", told++ > 0 ? "\n" : "", (long long)counts->by_name[i],
                 (int)(name->mark_len - AROUND), name->mark + BEFORE);
        rest -= counts->by_name[i];
    }
    if (rest > 0)
        str_addf(out, "%s%lld ...", told > 0 ? "\n" : "", (long long)rest);
}

static_assert((int)REDACT_CODE_MAX + (int)REDACT_FORM_BYTES_MAX + (int)REDACT_LINE_MAX <
                  (int)REDACT_HOLD_MAX,
              "all that may be waited for");
static_assert((int)REDACT_LANE_BYTES_MAX + (int)REDACT_FORM_BYTES_MAX + (int)REDACT_LINE_MAX <
                  (int)REDACT_HOLD_MAX,
              "also in what was escaped");

/* A cut that begins before `written` continues one whose mark has been written. */
void redact_search_add_span(struct redact_stream *stream, int64_t start, int64_t end, int name)
{
    if (start == end)
        return;
    if (start < stream->written) {
        stream->written = end > stream->written ? end : stream->written;
        return;
    }
    redact_spans_add(&stream->spans, stream->redactor,
                     (struct redact_span){.start = start, .end = end, .name = name});
}

/* Searches one line, or a window of a long one. Returns false if its end has not arrived. */
static bool look_at_line(struct redact_stream *stream, bool ended)
{
    const size_t there = (size_t)(redact_stream_end_of(stream) - stream->line_at);
    const size_t limit = there < REDACT_LINE_MAX ? there : REDACT_LINE_MAX;
    const char *line = redact_stream_at(stream, stream->line_at);
    const char *feed = there > 0 ? memchr(line, '\n', limit) : NULL;
    const bool is_all = feed || (ended && there <= REDACT_LINE_MAX);
    if (there == 0 || (!is_all && there <= REDACT_LINE_MAX))
        return false;
    const size_t len = feed ? (size_t)(feed - line) : limit;
    const bool has_return = feed && len > 0 && line[len - 1] == '\r';
    const struct rule_subject subject = {.bytes = line,
                                         .len = has_return ? len - 1 : len,
                                         .begins = stream->line_begins,
                                         .ends = is_all};
    const struct redactor *redactor = stream->redactor;
    for (size_t i = 0; i < redactor->pattern_count; i++) {
        size_t from = 0;
        while (from < subject.len) {
            struct rule_span span;
            from = match_once(redactor->patterns[i], stream->matcher, &subject, from, &span);
            if (span.end > span.start)
                redact_search_add_span(stream, stream->line_at + (int64_t)span.start,
                                       stream->line_at + (int64_t)span.end,
                                       redactor->pattern_names[i]);
        }
    }
    stream->line_at += feed ? (int64_t)len + 1 : is_all ? (int64_t)len : REDACT_LINE_MAX / 2;
    stream->line_begins = is_all;
    return true;
}

/* Extends the last cut as far as its form continues. */
static void follow_tail(struct redact_stream *stream, bool ended)
{
    if (stream->tail.rest == REDACT_REST_NONE)
        return;
    const size_t len = (size_t)(redact_stream_end_of(stream) - stream->tail_at);
    const size_t taken =
        redact_tail_take(&stream->tail, redact_stream_at(stream, stream->tail_at), len, ended);
    stream->tail_at += (int64_t)taken;
    if (taken > 0)
        redact_search_add_span(stream, stream->tail_start, stream->tail_at, stream->tail_name);
}

enum {
    ESC = 0x1b,
    DEL = 0x7f,
    C1_LEAD = 0xc2, /* first byte of U+0080 to U+00BF in UTF-8 */
};

bool redact_gap_begins(unsigned char c)
{
    const bool is_control = c < 0x20 && c != '\n' && c != '\r' && c != '\t';
    return is_control || c == DEL || c == C1_LEAD;
}

/* Returns where the last `depth` bytes before `end` begin, not counting the gaps among them. */
static int64_t skip_gaps(const struct redact_gaps *gaps, int64_t end, int64_t depth)
{
    int64_t start = end - depth;
    for (size_t i = gaps->count; i > 0 && start < gaps->items[i - 1].end; i--)
        start -= gaps->items[i - 1].end - gaps->items[i - 1].start;
    return start;
}

/* Returns the length of the invisible escape sequence or control at bytes[0], or 0 if there is
 * none. Sets *open if more bytes may make it one, or make it longer. */
static size_t gap_len(const char *bytes, size_t len, bool *open)
{
    const unsigned char c = (unsigned char)bytes[0];
    *open = false;
    if (!redact_gap_begins(c))
        return 0;
    if (c == C1_LEAD) {
        *open = len < 2;
        return len >= 2 && (unsigned char)bytes[1] >= 0x80 && (unsigned char)bytes[1] < 0xa0 ? 2
                                                                                             : 0;
    }
    if (c != ESC)
        return 1;
    const size_t there = len < REDACT_GAP_MAX ? len : REDACT_GAP_MAX;
    if (there >= 2 && redact_is_one_of((unsigned char)bytes[1], "]PX^_"))
        return 0; /* the string itself may contain a secret */
    const size_t escape = text_escape_len(bytes, there);
    *open = escape == there && len < REDACT_GAP_MAX;
    return escape < REDACT_GAP_MAX ? escape : 0;
}

/* Returns where the string of this node begins, given that it ends at the current position of the
 * search. */
static int64_t start_of(const struct redact_stream *stream, uint32_t node)
{
    return stream->searched - (int64_t)stream->redactor->trie.nodes[node].depth;
}

/* Checks whether the form begins with the first bytes found, and cuts it. Returns false if that
 * depends on further bytes. */
static bool take_form(struct redact_stream *stream, const struct redact_node *node, bool ended)
{
    const size_t form = (size_t)node->form % redact_form_count();
    const size_t wrap = (size_t)node->form / redact_form_count();
    const int64_t start = stream->searched - (int64_t)node->depth;
    const int name = stream->redactor->form_names[form];
    const char *bytes = redact_stream_at(stream, start);
    const bool is_known = start >= stream->letters_at && start < stream->letters_end;
    size_t letters = is_known ? (size_t)(stream->letters_end - start) : 0;
    const struct redact_place place = {.bytes = bytes,
                                       .len = (size_t)(redact_stream_end_of(stream) - start),
                                       .before = start > stream->base ? (unsigned char)bytes[-1]
                                                                      : stream->before,
                                       .ended = ended,
                                       .letters = &letters};
    struct redact_cut cut = {0};
    if (start < stream->tail_at && !stream->tail_is_named)
        return true; /* part of another cut */
    const enum redact_found found =
        wrap == REDACT_PLAIN ? redact_form_look(form, &place, &cut)
                             : redact_base64_look(form, wrap - REDACT_FIRST_PLACE, &place, &cut);
    if (letters > 0) {
        stream->letters_at = start;
        stream->letters_end = start + (int64_t)letters;
    }
    if (found == REDACT_CUT) {
        stream->tail = cut.tail;
        stream->tail_start = start + (int64_t)cut.start;
        stream->tail_at = start + (int64_t)cut.end;
        stream->tail_name = name;
        stream->tail_is_named = redact_form_is_named(form);
        redact_search_add_span(stream, stream->tail_start, stream->tail_at, name);
        follow_tail(stream, ended);
    }
    stream->undecided_from = start + (int64_t)cut.start;
    return found != REDACT_MORE;
}

/* Cuts the values and forms whose entries end at the current position. Returns false if it has to
 * wait for further bytes. */
static bool take_endings(struct redact_stream *stream, bool ended)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    while (stream->ending != REDACT_TRIE_ROOT) {
        const struct redact_node *node = &trie->nodes[stream->ending];
        if (node->value >= 0 && !stream->undecided)
            redact_search_add_span(stream, start_of(stream, stream->ending), stream->searched,
                                   node->value);
        stream->undecided = node->form >= 0 && !take_form(stream, node, ended);
        if (stream->undecided)
            return false;
        stream->ending = node->also;
    }
    stream->node = redact_trie_settle(trie, stream->node);
    return true;
}

/* Cuts the values that end at `end` across a gap; the plain search finds the others. */
static void take_joined(struct redact_stream *stream, int64_t end)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    struct redact_joined *joined = &stream->joined;
    uint32_t ending = redact_trie_ends(trie, joined->node);
    for (; ending != REDACT_TRIE_ROOT; ending = trie->nodes[ending].also) {
        const struct redact_node *node = &trie->nodes[ending];
        if (node->value >= 0)
            redact_search_add_span(stream, skip_gaps(&joined->gaps, end, (int64_t)node->depth), end,
                                   node->value);
    }
    joined->node = redact_trie_settle(trie, joined->node);
    const int64_t depth = (int64_t)trie->nodes[joined->node].depth;
    if (skip_gaps(&joined->gaps, end, depth) == end - depth)
        joined->node = REDACT_TRIE_ROOT; /* without a gap, the plain search has the match */
}

/* Adds the gap at the current position to the gaps in the string of `node`. Returns false if the
 * gap's end has not arrived. */
static bool join_gap(struct redact_stream *stream, uint32_t node, int64_t limit, bool ended)
{
    struct redact_joined *joined = &stream->joined;
    bool open = false;
    const size_t len = gap_len(redact_stream_at(stream, stream->searched),
                               (size_t)(limit - stream->searched), &open);
    if (open && !ended)
        return false;
    const int64_t end = stream->searched + (int64_t)len;
    struct redact_gaps *gaps = &joined->gaps;
    const bool is_gap = len > 0 && gaps->count < REDACT_GAPS_MAX;
    if (is_gap) {
        gaps->items[gaps->count].start = stream->searched;
        gaps->items[gaps->count++].end = end;
    }
    joined->node = is_gap ? node : REDACT_TRIE_ROOT;
    joined->resume_at = end;
    return true;
}

/* Returns true if a gap may follow here within a possible entry. After one or two bytes, a gap may
 * follow only if the trie looks at them (redact_trie_skip()); otherwise the result would depend on
 * how the input is split. */
static bool may_join(const struct redact_stream *stream, int64_t limit)
{
    const unsigned char *bytes = stream->bytes + (stream->searched - stream->base);
    const uint32_t depth = stream->redactor->trie.nodes[stream->node].depth;
    const bool is_escape = *bytes == '\033';
    if (depth == 0 || !redact_gap_begins(*bytes))
        return false;
    if (depth == 1)
        return is_escape && (limit - stream->searched < 2 || bytes[1] == '[');
    return depth >= REDACT_TRIE_BLOCK || is_escape;
}

/* Advances the search across gaps by the next byte. Returns false if it has to wait for further
 * bytes. */
static bool follow_joined(struct redact_stream *stream, int64_t limit, bool ended)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    struct redact_joined *joined = &stream->joined;
    const unsigned char byte = stream->bytes[stream->searched - stream->base];
    if (joined->node == REDACT_TRIE_ROOT) {
        joined->gaps.count = 0;
        return !may_join(stream, limit) || join_gap(stream, stream->node, limit, ended);
    }
    if (stream->searched < joined->resume_at)
        return true;
    const uint32_t next = redact_trie_step(trie, joined->node, byte);
    if (next == REDACT_TRIE_ROOT && redact_gap_begins(byte))
        return join_gap(stream, joined->node, limit, ended);
    joined->node = next;
    take_joined(stream, stream->searched + 1);
    return true;
}

/* Nearly every letter begins some entry. Drops a short match that the next bytes do not continue,
 * so that the search can skip instead of taking each byte of a word. */
static void leave_short(struct redact_stream *stream, int64_t limit)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    const int64_t start = start_of(stream, stream->node);
    bool is_open = false;
    if (trie->nodes[stream->node].depth >= REDACT_TRIE_BLOCK ||
        limit - start < 2 * REDACT_TRIE_BLOCK ||
        redact_trie_may_start(trie, stream->bytes + (start - stream->base), (size_t)(limit - start),
                              false, &is_open))
        return;
    stream->searched = start + 1;
    stream->node = REDACT_TRIE_ROOT;
}

/* Walks to the last byte, to a form that may continue, or to an undecided form. */
static void walk_text(struct redact_stream *stream, bool ended)
{
    const struct redact_trie *trie = &stream->redactor->trie;
    while (take_endings(stream, ended)) {
        const bool in_tail = stream->tail.rest != REDACT_REST_NONE;
        const int64_t limit = in_tail ? stream->tail_at : redact_stream_end_of(stream);
        const bool has_lanes = stream->lanes && stream->lanes->active > 0;
        const bool is_alone = stream->joined.node == REDACT_TRIE_ROOT && !has_lanes;
        if (is_alone && stream->node != REDACT_TRIE_ROOT)
            leave_short(stream, limit);
        if (is_alone && stream->node == REDACT_TRIE_ROOT) {
            const size_t from = (size_t)(stream->searched - stream->base);
            const size_t to =
                redact_trie_skip(trie, stream->bytes, from, (size_t)(limit - stream->base));
            stream->searched = stream->base + (int64_t)to;
        }
        if (stream->searched >= limit || !redact_lanes_prepare(stream, limit, ended) ||
            !follow_joined(stream, limit, ended))
            return;
        redact_lanes_take(stream);
        const unsigned char byte = stream->bytes[stream->searched - stream->base];
        stream->node = redact_trie_step(trie, stream->node, byte);
        stream->searched++;
        stream->ending = redact_trie_ends(trie, stream->node);
    }
}

/* Like start_of(), across gaps. Also right if no byte after the last gap has been read yet. */
static int64_t joined_start(const struct redact_stream *stream, uint32_t node)
{
    const struct redact_joined *joined = &stream->joined;
    const int64_t depth = (int64_t)stream->redactor->trie.nodes[node].depth;
    const int64_t at = stream->searched > joined->resume_at ? stream->searched : joined->resume_at;
    return skip_gaps(&joined->gaps, at, depth);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns the longest suffix of a node that begins a value and is long enough to be cut, or the
 * root. */
static uint32_t find_beginning(const struct redact_stream *stream, uint32_t node)
{
    const struct redact_node *nodes = stream->redactor->trie.nodes;
    while (node != REDACT_TRIE_ROOT && nodes[node].passing < 0)
        node = nodes[node].shorter;
    return nodes[node].depth >= REDACT_VALUE_MIN ? node : REDACT_TRIE_ROOT;
}

/* At the end of the stream: cuts a truncated value as far as it has arrived. */
static void redact_search_cut_short(struct redact_stream *stream)
{
    const struct redact_node *nodes = stream->redactor->trie.nodes;
    const uint32_t node = find_beginning(stream, stream->node);
    const uint32_t joined = find_beginning(stream, stream->joined.node);
    if (joined != REDACT_TRIE_ROOT)
        redact_search_add_span(stream, joined_start(stream, joined), stream->searched,
                               nodes[joined].passing);
    if (node != REDACT_TRIE_ROOT)
        redact_search_add_span(stream, start_of(stream, node), stream->searched,
                               nodes[node].passing);
    redact_lanes_cut_short(stream);
}

/*
 * The bytes of a stream: kept as long as they may be part of a secret, then written.
 */

enum {
    PIECE_MAX = 16 * 1024, /* maximum bytes searched at once */
    FIRST_CAP = 4096,
};

/* One call: where the bytes go, and whether it is the last one. */
struct pass {
    redact_sink_fn *sink;
    void *ctx;
    bool ended;
};

void redact_stream_open(struct redact_stream **out, const struct redactor *redactor)
{
    struct redact_stream *stream = xcalloc(1, sizeof(*stream));
    stream->redactor = redactor;
    stream->before = -1;
    stream->line_begins = true;
    if (redactor && redactor->pattern_count > 0)
        stream->matcher = rule_matcher_new();
    *out = stream;
}

static void free_bytes(struct redact_stream *stream)
{
    if (stream->bytes)
        explicit_bzero(stream->bytes, stream->cap);
    free(stream->bytes);
}

void redact_stream_close(struct redact_stream *stream)
{
    if (!stream)
        return;
    free_bytes(stream);
    free(stream->spans.items);
    redact_lanes_done(stream->lanes);
    redact_counts_done(&stream->counts);
    rule_matcher_free(stream->matcher);
    free(stream);
}

const struct redact_counts *redact_stream_counts(const struct redact_stream *stream)
{
    return &stream->counts;
}

static void give_text(const struct pass *pass, const char *bytes, size_t len)
{
    while (len > 0) {
        const size_t piece = len < REDACT_SINK_MAX ? len : REDACT_SINK_MAX;
        pass->sink(pass->ctx, bytes, piece);
        bytes += piece;
        len -= piece;
    }
}

/* Appends the bytes. Does not use xgrow(), which would leave a copy of the old bytes behind. */
static void append_text(struct redact_stream *stream, const char *bytes, size_t len)
{
    if (stream->cap - stream->len < len) {
        size_t cap = stream->cap > 0 ? stream->cap : FIRST_CAP;
        while (cap - stream->len < len)
            cap *= 2;
        unsigned char *larger = xcalloc(cap, 1);
        if (stream->len > 0)
            memcpy(larger, stream->bytes, stream->len);
        free_bytes(stream);
        stream->bytes = larger;
        stream->cap = cap;
    }
    memcpy(stream->bytes + stream->len, bytes, len);
    stream->len += len;
}

static void write_text(struct redact_stream *stream, const struct pass *pass, int64_t to)
{
    if (to <= stream->written)
        return;
    give_text(pass, redact_stream_at(stream, stream->written), (size_t)(to - stream->written));
    stream->written = to;
}

static void write_up_to(struct redact_stream *stream, const struct pass *pass, int64_t to)
{
    struct redact_spans *spans = &stream->spans;
    struct redact_counts *counts = &stream->counts;
    while (spans->first < spans->count && spans->items[spans->first].start < to) {
        const struct redact_span span = spans->items[spans->first++];
        const struct redact_name *name = &stream->redactor->names[span.name];
        if (spans->first == spans->count)
            spans->first = spans->count = 0;
        write_text(stream, pass, span.start);
        stream->written = span.end;
        make_room(counts, stream->redactor->name_count);
        counts->by_name[span.name]++;
        counts->all++;
        give_text(pass, name->mark, name->mark_len);
    }
    write_text(stream, pass, to);
}

/* Drops the bytes before `settled_at`. */
static void drop_bytes(struct redact_stream *stream, int64_t settled_at)
{
    const int64_t end = redact_stream_end_of(stream);
    const int64_t keep = settled_at < end ? settled_at : end;
    const size_t gone = (size_t)(keep - stream->base);
    if (gone == 0)
        return;
    stream->before = stream->bytes[gone - 1];
    memmove(stream->bytes, stream->bytes + gone, stream->len - gone);
    stream->len -= gone;
    stream->base = keep;
    assert(stream->len <= REDACT_HOLD_MAX);
}

/* Searches the new bytes, writes the bytes that are decided, and drops the bytes that will not be
 * searched again. */
static void look_for_secrets(struct redact_stream *stream, const struct pass *pass)
{
    const bool ended = pass->ended; /* no more bytes will come, so nothing waits for them */
    if (!stream->matcher)
        stream->line_at = redact_stream_end_of(stream);
    while (stream->matcher && look_at_line(stream, ended))
        continue;
    follow_tail(stream, ended);
    walk_text(stream, ended);

    /* Nothing before `settled` will be searched again; no further cut begins before `writable`. */
    const struct redact_joined *joined = &stream->joined;
    int64_t settled = start_of(stream, redact_trie_settle(&stream->redactor->trie, stream->node));
    if (joined->node != REDACT_TRIE_ROOT)
        settled = least(settled, joined_start(stream, joined->node));
    if (stream->tail.rest != REDACT_REST_NONE)
        settled = least(settled, stream->tail_at);
    settled = redact_lanes_settled(stream, least(settled, stream->line_at));
    int64_t writable = settled;
    if (stream->undecided) {
        settled = least(settled, start_of(stream, stream->ending));
        writable = least(writable, stream->undecided_from);
    }
    write_up_to(stream, pass, writable);
    drop_bytes(stream, settled);
}

void redact_stream_add(struct redact_stream *stream, const char *bytes, size_t len,
                       redact_sink_fn *sink, void *ctx)
{
    const struct pass pass = {.sink = sink, .ctx = ctx};
    if (!stream->redactor) {
        give_text(&pass, bytes, len);
        return;
    }
    while (len > 0) {
        const size_t piece = len < PIECE_MAX ? len : PIECE_MAX;
        append_text(stream, bytes, piece);
        look_for_secrets(stream, &pass);
        bytes += piece;
        len -= piece;
    }
}

void redact_stream_end(struct redact_stream *stream, redact_sink_fn *sink, void *ctx)
{
    const struct pass pass = {.sink = sink, .ctx = ctx, .ended = true};
    if (!stream->redactor)
        return;
    if (stream->len > 0)
        look_for_secrets(stream, &pass);
    assert(stream->searched == redact_stream_end_of(stream));
    redact_search_cut_short(stream);
    write_up_to(stream, &pass, redact_stream_end_of(stream));
    stream->base = stream->written = stream->searched = stream->line_at =
        redact_stream_end_of(stream);
    stream->tail_at = stream->base;
    stream->tail.rest = REDACT_REST_NONE;
    stream->len = 0;
    stream->before = -1;
    stream->node = stream->joined.node = REDACT_TRIE_ROOT;
    redact_lanes_reset(stream->lanes);
    stream->line_begins = true;
}

static void add_to_str(void *ctx, const char *bytes, size_t len)
{
    str_add_n(ctx, bytes, len);
}

void redact_text(const struct redactor *redactor, const char *bytes, size_t len, struct str *out,
                 struct redact_counts *counts)
{
    struct redact_stream *stream = NULL;
    redact_stream_open(&stream, redactor);
    redact_stream_add(stream, bytes, len, add_to_str, out);
    redact_stream_end(stream, add_to_str, out);
    if (counts)
        redact_counts_add(counts, redact_stream_counts(stream));
    redact_stream_close(stream);
}

char *redact_string(const struct redactor *redactor, const char *text, struct redact_counts *counts)
{
    struct str out = {0};
    if (!text)
        return NULL;
    redact_text(redactor, text, strlen(text), &out, counts);
    return out.data ? out.data : xstrdup("");
}
