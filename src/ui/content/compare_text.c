/* compare_text.c - what an attempt wrote, in the lines that are compared. */
#include <assert.h>
#include <string.h>

#include "compare_parts.h"
#include "normaliser.h"
#include "text.h"
#include "xalloc.h"

/* The streams of one attempt while they are read. */
struct reading {
    struct compare_lines *lines[LOG_STREAM_COUNT + 1];    /* borrowed; by stream */
    struct normaliser *normalisers[LOG_STREAM_COUNT + 1]; /* owned */
    int64_t next[LOG_STREAM_COUNT + 1];                   /* offset of the byte that comes next */
};

static const enum compare_text text_of[] = {
    [LOG_STREAM_OUT] = COMPARE_OUT,
    [LOG_STREAM_ERR] = COMPARE_ERR,
    [LOG_STREAM_AGENT] = COMPARE_WORDS,
};
static_assert(ARRAY_LEN(text_of) == LOG_STREAM_COUNT + 1, "every stream is compared");

static void add_line(struct compare_lines *lines, const char *bytes, size_t len, unsigned masked)
{
    if (lines->count == LINE_DIFF_LINES_MAX || lines->bytes.len >= COMPARE_BYTES_MAX) {
        lines->is_cut = true;
        return;
    }
    const size_t start = lines->bytes.len;
    text_clean(&lines->bytes, bytes, len);
    lines->items = xgrow(lines->items, &lines->cap, lines->count + 1, sizeof(*lines->items));
    lines->digests =
        xgrow(lines->digests, &lines->digest_cap, lines->count + 1, sizeof(*lines->digests));
    lines->items[lines->count] =
        (struct compare_line){.start = start, .len = lines->bytes.len - start};
    lines->digests[lines->count++] = line_digest(bytes, len);
    lines->masks |= masked;
}

static void on_line(void *ctx, const struct normaliser_line *line)
{
    add_line(ctx, line->bytes, line->len, line->masked);
}

/* Bytes that were counted and not kept: the same in both as far as anybody knows. */
static void add_gap(struct reading *reading, int stream)
{
    static const char words[] = "(more was written here and not kept)";
    normaliser_end(reading->normalisers[stream]);
    add_line(reading->lines[stream], words, sizeof(words) - 1, 0);
}

static void take_row(struct reading *reading, const struct output_page *page,
                     const struct log_output_row *row)
{
    const int stream = row->stream;
    int64_t seen = reading->next[stream] - row->offset;  /* a tail overlaps the head */
    const bool is_full = reading->lines[stream]->is_cut; /* nothing of the row would be kept */
    if (is_full || row->replaceable || seen >= (int64_t)row->len)
        return;
    if (seen < 0)
        add_gap(reading, stream);
    seen = seen < 0 ? 0 : seen;
    normaliser_add(reading->normalisers[stream], str_text(&page->text) + row->start + (size_t)seen,
                   row->len - (size_t)seen);
    reading->next[stream] = row->offset + (int64_t)row->len;
}

static bool are_full(const struct reading *reading)
{
    bool full = true;
    for (int stream = LOG_STREAM_OUT; stream <= LOG_STREAM_COUNT; stream++)
        full = full && reading->lines[stream]->is_cut;
    return full;
}

static bool read_pages(struct reading *reading, const struct compare_subject *subject,
                       struct err *err)
{
    struct output_page page = {0};
    int64_t after = 0;
    bool ok = true;
    do {
        ok = log_reader_output(subject->reader, &subject->key, after, &page, err);
        for (size_t i = 0; ok && i < page.count; i++) {
            after = page.rows[i].id;
            take_row(reading, &page, &page.rows[i]);
        }
    } while (ok && page.count > 0 && !are_full(reading));
    output_page_done(&page);
    return ok;
}

bool compare_read_output(struct compare_side *side, const struct compare_subject *subject,
                         struct err *err)
{
    struct reading reading = {0};
    const int64_t line_max = subject->state->plan->limits.output_line_bytes;
    for (int stream = LOG_STREAM_OUT; stream <= LOG_STREAM_COUNT; stream++) {
        reading.lines[stream] = &side->texts[text_of[stream]];
        normaliser_open(&reading.normalisers[stream], NULL, on_line, reading.lines[stream]);
        if (line_max > 0)
            normaliser_set_line_max(reading.normalisers[stream], (size_t)line_max);
    }
    const bool ok = read_pages(&reading, subject, err);
    for (int stream = LOG_STREAM_OUT; stream <= LOG_STREAM_COUNT; stream++) {
        if (ok)
            normaliser_end(reading.normalisers[stream]);
        normaliser_close(reading.normalisers[stream]);
    }
    return ok;
}

void compare_add_patch(struct compare_lines *lines, const char *text)
{
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        add_line(lines, text, len, 0);
        text += len + (text[len] == '\n');
    }
}
