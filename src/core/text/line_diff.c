/* Digests of lines, and the line-by-line difference of two texts. */
#include "lines.h"

#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

#include "entropy_hash.h"
#include "xalloc.h"

#define XXH_INLINE_ALL

struct digest entropy_digest(const void *bytes, size_t len)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, len);
    const bool none = hash.high64 == 0 && hash.low64 == 0;
    return (struct digest){.hi = hash.high64, .lo = none ? 1 : hash.low64};
}

uint64_t entropy_hash(const void *bytes, size_t len)
{
    return XXH3_64bits(bytes, len);
}

uint64_t entropy_hash_pair(uint64_t a, uint64_t b)
{
    const uint64_t both[] = {a, b};
    return XXH3_64bits(both, sizeof(both));
}

/*
 * The shortest list of changes, as in E. W. Myers, "An O(ND) difference algorithm and its
 * variations", Algorithmica 1 (1986), 251-266. Lines are compared by digest, so the caller
 * decides what makes two lines equal.
 */

/* The search between the equal beginning and the equal end of both texts. x and y count lines of
 * the two texts in that part; a diagonal is x - y. */
struct search {
    const struct digest *first, *second;
    int x_end, y_end;
    int *reached; /* owned; row d: the largest x reached on diagonals -d..d with d changes */
    bool *removed, *added; /* owned; one flag per line */
};

struct digest line_digest(const char *bytes, size_t len)
{
    return entropy_digest(bytes, len);
}

/* Returns row d. Rows 0..d - 1 have 1 + 3 + 5 ... numbers. */
static int *row_of(const struct search *search, int d)
{
    return search->reached + (size_t)d * (size_t)d + (size_t)d;
}

/* Returns true if the path to diagonal k with d changes ends with an added line, false if with a
 * removed one. */
static bool comes_by_adding(const int *before, int d, int k)
{
    return k == -d || (k != d && before[k - 1] < before[k + 1]);
}

/* Walks back from diagonal k of row d to the beginning and marks each change. */
static void mark_changes(const struct search *search, int d, int k)
{
    for (; d > 0; d--) {
        const int *before = row_of(search, d - 1);
        const bool adds = comes_by_adding(before, d, k);
        k += adds ? 1 : -1;
        if (adds)
            search->added[before[k] - k] = true;
        else
            search->removed[before[k]] = true;
    }
}

/* Returns the diagonal that got furthest within both texts in the last row. */
static int furthest_line(const struct search *search, int d)
{
    int best = 0;
    int sum = -1;
    for (int k = -d; k <= d; k += 2) {
        const int x = row_of(search, d)[k];
        const bool is_within = x <= search->x_end && x - k <= search->y_end && x - k >= 0;
        if (is_within && x + x - k > sum) {
            sum = x + x - k;
            best = k;
        }
    }
    return best;
}

/* Finds the shortest path. Returns false if it has more than LINE_DIFF_CHANGES_MAX changes; the
 * rest of both texts then counts as changed. */
static bool find_changes(const struct search *search)
{
    const int goal = search->x_end - search->y_end;
    for (int d = 0; d <= LINE_DIFF_CHANGES_MAX; d++) {
        int *row = row_of(search, d);
        for (int k = -d; k <= d; k += 2) {
            int x = 0;
            if (d > 0) {
                const int *before = row_of(search, d - 1);
                x = comes_by_adding(before, d, k) ? before[k + 1] : before[k - 1] + 1;
            }
            /* Follows equal lines. A path past the end of a text is never chosen. */
            while (x < search->x_end && x - k < search->y_end &&
                   digest_equal(search->first[x], search->second[x - k]))
                x++;
            row[k] = x;
            if (k == goal && x == search->x_end) {
                mark_changes(search, d, k);
                return true;
            }
        }
    }
    const int k = furthest_line(search, LINE_DIFF_CHANGES_MAX);
    const int x = row_of(search, LINE_DIFF_CHANGES_MAX)[k];
    mark_changes(search, LINE_DIFF_CHANGES_MAX, k);
    for (int i = x; i < search->x_end; i++)
        search->removed[i] = true;
    for (int i = x - k; i < search->y_end; i++)
        search->added[i] = true;
    return false;
}

static void add_span(struct line_diff *out, struct line_diff_span span)
{
    struct line_diff_span *last = out->count > 0 ? &out->spans[out->count - 1] : NULL;
    if (span.count == 0)
        return;
    if (last && last->change == span.change) {
        last->count += span.count;
        return;
    }
    out->spans = xgrow(out->spans, &out->cap, out->count + 1, sizeof(*out->spans));
    out->spans[out->count++] = span;
}

/* Adds the searched part line by line. `before` is the number of lines before it in both texts. */
static void add_changes(struct line_diff *out, const struct search *search, size_t before)
{
    int x = 0;
    int y = 0;
    while (x < search->x_end || y < search->y_end) {
        struct line_diff_span span = {
            .first = before + (size_t)x, .second = before + (size_t)y, .count = 1};
        if (x < search->x_end && search->removed[x]) {
            span.change = LINE_REMOVED;
            x++;
        } else if (y < search->y_end && search->added[y]) {
            span.change = LINE_ADDED;
            y++;
        } else {
            span.change = LINE_SAME;
            x++;
            y++;
        }
        add_span(out, span);
    }
}

void line_diff_read(struct line_diff *out, const struct line_diff_text *first,
                    const struct line_diff_text *second)
{
    assert(first->count <= LINE_DIFF_LINES_MAX && second->count <= LINE_DIFF_LINES_MAX);
    const size_t fewer = first->count < second->count ? first->count : second->count;
    size_t before = 0;
    size_t after = 0;
    while (before < fewer && digest_equal(first->lines[before], second->lines[before]))
        before++;
    while (after < fewer - before && digest_equal(first->lines[first->count - 1 - after],
                                                  second->lines[second->count - 1 - after]))
        after++;
    enum { ROWS = LINE_DIFF_CHANGES_MAX + 1 };
    const struct search search = {
        .first = first->count > 0 ? first->lines + before : NULL,
        .second = second->count > 0 ? second->lines + before : NULL,
        .x_end = (int)(first->count - before - after),
        .y_end = (int)(second->count - before - after),
        .reached = xcalloc((size_t)ROWS * ROWS, sizeof(int)),
        .removed = xcalloc(first->count + 1, sizeof(bool)),
        .added = xcalloc(second->count + 1, sizeof(bool)),
    };
    *out = (struct line_diff){0};
    out->is_cut = !find_changes(&search);
    add_span(out, (struct line_diff_span){.change = LINE_SAME, .count = before});
    add_changes(out, &search, before);
    add_span(out, (struct line_diff_span){.change = LINE_SAME,
                                          .first = first->count - after,
                                          .second = second->count - after,
                                          .count = after});
    for (size_t i = 0; i < out->count; i++) {
        const struct line_diff_span *span = &out->spans[i];
        out->same += span->change == LINE_SAME ? span->count : 0;
        out->removed += span->change == LINE_REMOVED ? span->count : 0;
        out->added += span->change == LINE_ADDED ? span->count : 0;
    }
    free(search.reached);
    free(search.removed);
    free(search.added);
}

void line_diff_done(struct line_diff *diff)
{
    free(diff->spans);
    *diff = (struct line_diff){0};
}
