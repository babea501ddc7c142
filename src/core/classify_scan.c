#include "classify_scan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

enum { OUT = 0, ERR = 1, NO_HIT = -1 };

static void note_hit(void *ctx, int literal)
{
    struct scan_stream *stream = ctx;
    const int32_t older = stream->latest[literal];
    if (older != NO_HIT && stream->hits[older].line == stream->line)
        return;
    stream->hits =
        xgrow(stream->hits, &stream->hit_cap, stream->hit_count + 1, sizeof(*stream->hits));
    stream->hits[stream->hit_count] = (struct scan_hit){.line = stream->line, .older = older};
    stream->latest[literal] = (int32_t)stream->hit_count;
    stream->hit_count++;
}

static void fill_stream(struct scan_stream *stream, const struct rules *rules,
                        const struct classify_text *raw)
{
    clean_text_init(&stream->text, raw);
    stream->latest = xcalloc((size_t)rules->literals.count, sizeof(*stream->latest));
    for (int i = 0; i < rules->literals.count; i++)
        stream->latest[i] = NO_HIT;
    for (size_t i = 0; i < stream->text.count; i++) {
        const struct clean_line *line = &stream->text.lines[i];
        stream->line = (uint32_t)i;
        literals_scan(&rules->literals, stream->text.bytes + line->start, line->len, note_hit,
                      stream);
    }
}

void scan_init(struct scan *scan, const struct rules *rules, const struct classify_input *input)
{
    *scan = (struct scan){.rules = rules, .input = input, .err_names_error = -1};
    scan->matcher = rule_matcher_new();
    fill_stream(&scan->streams[OUT], rules, &input->out);
    fill_stream(&scan->streams[ERR], rules, &input->err);
}

void scan_done(struct scan *scan)
{
    for (int i = 0; i < SCAN_STREAMS; i++) {
        clean_text_done(&scan->streams[i].text);
        free(scan->streams[i].hits);
        free(scan->streams[i].latest);
    }
    rule_matcher_free(scan->matcher);
}

static bool line_matches(const struct scan *scan, const struct scan_stream *stream, size_t line,
                         const struct rule_pattern *pattern, struct rule_span spans[RULE_SPANS])
{
    const struct clean_line *at = &stream->text.lines[line];
    return rule_pattern_matches(pattern, scan->matcher, stream->text.bytes + at->start, at->len,
                                spans);
}

/* Source, a diff, a log of the past, what a test expected: words, but not what
 * the program says about its own end. */
static bool is_quoted(const struct scan *scan, struct scan_stream *stream, size_t index)
{
    struct clean_line *line = &stream->text.lines[index];
    if (line->state != CLEAN_LINE_UNKNOWN)
        return line->state == CLEAN_LINE_QUOTED;

    line->state = CLEAN_LINE_SPOKEN;
    const struct rule_list *guards = &scan->rules->guards;
    for (size_t i = 0; i < guards->count && line->state == CLEAN_LINE_SPOKEN; i++) {
        const struct rule *guard = &guards->items[i];
        if (line_matches(scan, stream, index, guard->pattern, NULL) &&
            !(guard->unless && line_matches(scan, stream, index, guard->unless, NULL)))
            line->state = CLEAN_LINE_QUOTED;
    }
    return line->state == CLEAN_LINE_QUOTED;
}

static bool try_line(struct scan *scan, const struct rule *rule, struct scan_match *match)
{
    struct scan_stream *stream = &scan->streams[match->stream];
    if (!line_matches(scan, stream, match->line, rule->pattern, match->spans))
        return false;
    if (rule->unless && line_matches(scan, stream, match->line, rule->unless, NULL))
        return false;
    return rule->quoted || !is_quoted(scan, stream, match->line);
}

/* The last matching line of one stream, at or after line `first`. */
static bool try_stream(struct scan *scan, const struct rule *rule, int index, size_t first,
                       struct scan_match *out)
{
    const struct scan_stream *stream = &scan->streams[index];
    bool found = false;
    for (int i = 0; i < rule->need_count; i++) {
        int tries = 0;
        int32_t hit = stream->latest[rule->needs[i]];
        for (; hit != NO_HIT && tries < SCAN_TRIES_MAX; hit = stream->hits[hit].older, tries++) {
            struct scan_match match = {.rule = rule, .stream = index};
            match.line = stream->hits[hit].line;
            if (match.line < first)
                break;
            if (!try_line(scan, rule, &match))
                continue;
            *out = match;
            first = match.line + 1; /* only a later line is better */
            found = true;
            break;
        }
    }
    return found;
}

static bool text_holds(const struct scan *scan, const struct rule_pattern *pattern)
{
    for (int i = 0; i < SCAN_STREAMS; i++) {
        const struct clean_text *text = &scan->streams[i].text;
        if (rule_pattern_matches(pattern, scan->matcher, text->bytes, text->len, NULL))
            return true;
    }
    return false;
}

static bool facts_fit(const struct scan *scan, const struct rule *rule)
{
    const struct classify_input *input = scan->input;
    if (rule->memory && input->memory_killed == 0)
        return false;
    if (rule->program[0] != '\0' && (!input->program || strcmp(rule->program, input->program) != 0))
        return false;
    bool fits = rule->exit_count == 0;
    for (int i = 0; i < rule->exit_count; i++)
        fits =
            fits || (input->outcome.kind == OUTCOME_EXIT && rule->exits[i] == input->outcome.code);
    return fits;
}

static bool may_look_at(struct scan *scan, const struct rule *rule, int stream)
{
    if (stream == ERR)
        return rule->stream != RULE_STREAM_OUT;
    if (rule->stream == RULE_STREAM_QUIET)
        return !scan_err_names_error(scan);
    return rule->stream != RULE_STREAM_ERR;
}

bool scan_rule(struct scan *scan, const struct rule *rule, struct scan_match *out)
{
    if (!facts_fit(scan, rule))
        return false;
    if (!rule->pattern) {
        *out = (struct scan_match){.rule = rule, .stream = -1};
        return true;
    }
    for (int stream = ERR; stream >= OUT; stream--) {
        const struct clean_text *text = &scan->streams[stream].text;
        const size_t first = rule->tail > 0 ? clean_text_tail(text, rule->tail) : 0;
        if (try_stream(scan, rule, stream, first, out) && may_look_at(scan, rule, stream))
            return !rule->unless_text || !text_holds(scan, rule->unless_text);
    }
    return false;
}

bool scan_first(struct scan *scan, const struct rule_list *list, size_t first,
                struct scan_match *out)
{
    for (size_t i = first; i < list->count; i++) {
        if (scan_rule(scan, &list->items[i], out))
            return true;
    }
    return false;
}

bool scan_later(struct scan *scan, const struct scan_match *match, struct scan_match *out)
{
    const struct rule_list *list = &scan->rules->verdicts;
    if (match->stream < 0 || match->rule->final)
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const struct rule *rule = &list->items[i];
        if (rule->late && rule > match->rule && facts_fit(scan, rule) &&
            try_stream(scan, rule, match->stream, match->line + 1, out))
            return true;
    }
    return false;
}

bool scan_err_names_error(struct scan *scan)
{
    if (scan->err_names_error < 0) {
        struct scan_match match;
        scan->err_names_error = 0;
        for (size_t i = 0; i < scan->rules->errors.count; i++) {
            if (try_stream(scan, &scan->rules->errors.items[i], ERR, 0, &match))
                scan->err_names_error = 1;
        }
    }
    return scan->err_names_error == 1;
}
