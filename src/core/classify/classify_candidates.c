#include "classify_candidates.h"

/* The more has been done, the nearer to the end of the text a line must be. */
static int tries_left(const struct scan *scan)
{
    if (scan->work > SCAN_WORK_MAX / 2)
        return SCAN_TRIES_MAX / 32;
    return scan->work > SCAN_WORK_MAX / 4 ? SCAN_TRIES_MAX / 8 : SCAN_TRIES_MAX;
}

bool candidates_find(const struct scan *scan, int index, const struct rule *rule,
                     struct candidates *out)
{
    out->stream = &scan->streams[index];
    out->all = rule->need_count == 0;
    out->before = out->stream->text.count;
    out->hit_count = 0;
    for (int i = 0; i < rule->need_count; i++) {
        const int32_t hit = out->stream->latest[rule->needs[i]];
        if (hit != SCAN_NO_HIT)
            out->hits[out->hit_count++] = hit;
    }
    out->left = tries_left(scan);
    return out->all || out->hit_count > 0;
}

static bool next_hit(struct candidates *candidates, size_t *line_out)
{
    const struct scan_hit *hits = candidates->stream->hits;
    bool any = false;
    for (int i = 0; i < candidates->hit_count; i++) {
        const int32_t hit = candidates->hits[i];
        if (hit != SCAN_NO_HIT && (!any || hits[hit].line > *line_out)) {
            *line_out = hits[hit].line;
            any = true;
        }
    }
    for (int i = 0; any && i < candidates->hit_count; i++) {
        const int32_t hit = candidates->hits[i];
        if (hit != SCAN_NO_HIT && hits[hit].line == *line_out)
            candidates->hits[i] = hits[hit].older;
    }
    return any;
}

bool candidates_next(struct candidates *candidates, size_t *line_out)
{
    if (candidates->left-- <= 0)
        return false;
    if (!candidates->all)
        return next_hit(candidates, line_out);
    if (candidates->before == 0)
        return false;
    *line_out = --candidates->before;
    return true;
}
