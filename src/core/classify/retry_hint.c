#include "retry_hint.h"

static int64_t read_match(const struct scan *scan, const struct scan_match *match, int group,
                          hint_form_fn *read)
{
    const struct clean_text *text = &scan->streams[match->stream].text;
    const char *line = text->bytes + text->lines[match->line].start;
    const struct rule_span time = match->spans[group];
    const struct rule_span zone = match->spans[2];
    const struct hint_text found = {
        .time = line + time.start,
        .time_len = time.end - time.start,
        .zone = line + zone.start,
        .zone_len = group == 1 ? zone.end - zone.start : 0,
        .unit_ms = match->rule->unit_ms,
        .input = scan->input,
    };
    return read(&found);
}

/* Of several lines that say a time, the longest counts: all of them must have
 * come. */
struct longest {
    struct retry_hint *hint;
    bool stop; /* the server wants no try */
};

static bool take_longer(void *ctx, const struct scan *scan, const struct scan_match *match)
{
    struct longest *longest = ctx;
    const int64_t ms = read_match(scan, match, 1, match->rule->form);
    longest->stop = longest->stop || ms == HINT_STOP;
    if (ms > longest->hint->ms)
        *longest->hint = (struct retry_hint){
            .ms = ms, .rule = match->rule, .stream = match->stream, .line = match->line};
    return match->rule->most;
}

bool retry_hint_find(struct scan *scan, struct retry_hint *out)
{
    *out = (struct retry_hint){.ms = HINT_NONE};
    const struct rule_list *hints = &scan->rules->hints;
    struct longest longest = {.hint = out};
    for (size_t i = 0; i < hints->count && out->ms == HINT_NONE && !longest.stop; i++)
        scan_each(scan, &hints->items[i], take_longer, &longest);
    if (longest.stop)
        *out = (struct retry_hint){.ms = HINT_NONE};
    return out->ms != HINT_NONE;
}

int64_t retry_hint_of_group(const struct scan *scan, const struct scan_match *match)
{
    if (match->stream < 0 || match->rule->retry_group == 0)
        return HINT_NONE;
    const int64_t ms =
        read_match(scan, match, match->rule->retry_group, hint_form_find("duration"));
    return ms >= 0 ? ms : HINT_NONE;
}
