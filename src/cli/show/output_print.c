#include "output_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "text.h"

static void print_bytes(const char *bytes, size_t len)
{
    if (!isatty(STDOUT_FILENO)) {
        (void)fwrite(bytes, 1, len, stdout); /* a closed pipe ends nothing of ours */
        return;
    }
    struct str clean = {0};
    text_clean(&clean, bytes, len);
    (void)fwrite(str_text(&clean), 1, clean.len, stdout);
    str_done(&clean);
}

/* A line that another stream breaks into goes on behind a time of its own. */
static void print_timed(struct output_print *print, const struct log_output_row *row,
                        const char *bytes, size_t len)
{
    static const char *const names[] = {
        [LOG_STREAM_OUT] = "out", [LOG_STREAM_ERR] = "err", [LOG_STREAM_AGENT] = "agent"};
    char time[CLOCK_TEXT_MAX];
    while (len > 0) {
        const char *feed = memchr(bytes, '\n', len);
        const size_t part = feed ? (size_t)(feed - bytes) + 1 : len;
        if (print->open_stream != row->stream)
            (void)printf("%s%s %s ", print->open_stream != 0 ? "\n" : "",
                         clock_hms_ms(row->at_ms, time), names[row->stream]);
        print_bytes(bytes, part);
        print->open_stream = feed ? 0 : row->stream;
        bytes += part;
        len -= part;
    }
}

static void print_gap(struct output_print *print, int64_t bytes)
{
    (void)printf("%s[%" PRId64 " bytes were not kept]\n",
                 print->times && print->open_stream == 0 ? "" : "\n", bytes);
    print->open_stream = 0;
}

static void print_row(struct output_print *print, const struct log_output_row *row)
{
    const char *bytes = str_text(&print->page.text) + row->start;
    size_t len = row->len;
    int64_t *next = &print->next[row->stream];

    if (row->offset > *next)
        print_gap(print, row->offset - *next);
    int64_t seen = *next - row->offset; /* of this row, because a tail overlaps the head */
    if (seen > 0) {
        size_t skip = (size_t)seen < len ? (size_t)seen : len;
        bytes += skip;
        len -= skip;
    }
    if (print->times)
        print_timed(print, row, bytes, len);
    else
        print_bytes(bytes, len);
    if (row->offset + (int64_t)row->len > *next)
        *next = row->offset + (int64_t)row->len;
}

bool output_print_more(struct output_print *print, struct err *err)
{
    size_t count = 0;
    do {
        if (!log_reader_output(print->reader, &print->key, print->after, &print->page, err))
            return false;
        count = print->page.count;
        for (size_t i = 0; i < count; i++) {
            print->after = print->page.rows[i].id;
            if (!print->page.rows[i].replaceable)
                print_row(print, &print->page.rows[i]);
        }
    } while (count > 0);
    (void)fflush(stdout);
    return true;
}

void output_print_done(struct output_print *print)
{
    if (print->open_stream != 0)
        (void)putchar('\n');
    output_page_done(&print->page);
}
