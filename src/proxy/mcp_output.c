/*
 * mcp_output.c - reads the output of a call, shortens it for a model, finds failed tests, and
 * detects loops of calls.
 */
#include "mcp_request.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "attr.h"
#include "entropy.h"
#include "text.h"
#include "xalloc.h"

bool mcp_output_read(struct log_reader *reader, const struct log_output_key *key,
                     struct mcp_output *out, struct err *err)
{
    struct output_page page = {0};
    int64_t after = 0;
    bool ok = true;
    *out = (struct mcp_output){0};
    do {
        ok = log_reader_output(reader, key, after, &page, err);
        for (size_t i = 0; ok && i < page.count; i++) {
            const struct log_output_row *row = &page.rows[i];
            after = row->id;
            if (row->stream != LOG_STREAM_OUT && row->stream != LOG_STREAM_ERR)
                continue;
            /* Rows come in the order of their offsets; a row may repeat the end of the previous
             * row. */
            struct mcp_stream *stream = &out->streams[row->stream - LOG_STREAM_OUT];
            const int64_t known = stream->next - row->offset;
            if (known >= (int64_t)row->len)
                continue;
            if (known < 0 && stream->gap_bytes == 0)
                stream->gap_at = stream->kept.len;
            if (known < 0)
                stream->gap_bytes -= known;
            const size_t skip = known > 0 ? (size_t)known : 0;
            str_add_n(&stream->kept, str_text(&page.text) + row->start + skip, row->len - skip);
            stream->next = row->offset + (int64_t)row->len;
        }
    } while (ok && page.count > 0);
    output_page_done(&page);
    return ok;
}

void mcp_output_done(struct mcp_output *output)
{
    for (int i = 0; i < 2; i++)
        str_done(&output->streams[i].kept);
    *output = (struct mcp_output){0};
}

void mcp_stream_text(const struct mcp_stream *stream, struct str *out)
{
    const char *bytes = str_text(&stream->kept);
    const size_t len = stream->kept.len;
    const bool is_whole = stream->gap_bytes == 0;
    if (is_whole && len <= MCP_HEAD_BYTES + MCP_TAIL_BYTES) {
        text_clean(out, bytes, len);
        return;
    }

    /* The head ends with a whole line if a line ends in the second half of the limit. */
    const size_t head_end = text_cut(bytes, is_whole ? len : stream->gap_at, MCP_HEAD_BYTES);
    size_t head = head_end;
    while (head > MCP_HEAD_BYTES / 2 && bytes[head - 1] != '\n')
        head--;
    if (head <= MCP_HEAD_BYTES / 2)
        head = head_end;

    /* The tail begins with a whole line if a line begins in the first half of the tail. */
    const size_t from = is_whole ? head : stream->gap_at;
    size_t tail = len - from > MCP_TAIL_BYTES ? len - MCP_TAIL_BYTES : from;
    while (tail > from && tail < len - MCP_TAIL_BYTES / 2 && bytes[tail - 1] != '\n')
        tail++;

    const int64_t left_out = stream->gap_bytes + (int64_t)(tail - head);
    text_clean(out, bytes, head);
    str_addf(out, "%s[... %lld bytes left out ...]\n",
             out->len > 0 && str_text(out)[out->len - 1] != '\n' ? "\n" : "", (long long)left_out);
    text_clean(out, bytes + tail, len - tail);
}

/* Finding the names of failed tests in the output of test programs. */

/* A line of output without leading and trailing whitespace. */
struct line {
    const char *bytes;
    size_t len;
};

static struct line trimmed_line(const char *bytes, size_t len)
{
    while (len > 0 && (*bytes == ' ' || *bytes == '\t')) {
        bytes++;
        len--;
    }
    while (len > 0 && strchr(" \t\r", bytes[len - 1]))
        len--;
    return (struct line){bytes, len};
}

static bool line_begins(const struct line *line, const char *with)
{
    const size_t len = strlen(with);
    return line->len > len && memcmp(line->bytes, with, len) == 0;
}

static bool line_ends(const struct line *line, const char *with)
{
    const size_t len = strlen(with);
    return line->len > len && memcmp(line->bytes + line->len - len, with, len) == 0;
}

static struct line cut_line(const struct line *line, size_t front, size_t back)
{
    return front + back < line->len ? trimmed_line(line->bytes + front, line->len - front - back)
                                    : (struct line){line->bytes, 0};
}

/* Returns the part of the line before the first occurrence of `words`, or the whole line if there
 * is none. */
static struct line line_before(struct line line, const char *words)
{
    const size_t len = strlen(words);
    for (size_t i = 0; i + len <= line.len; i++) {
        if (memcmp(line.bytes + i, words, len) == 0)
            return trimmed_line(line.bytes, i);
    }
    return line;
}

/* Returns the number of leading digits. */
static size_t leading_digits(const struct line *line)
{
    size_t count = 0;
    while (count < line->len && isdigit((unsigned char)line->bytes[count]))
        count++;
    return count;
}

/* Returns the name in "not ok 3 - name". The number and the dash are optional. A test that is
 * expected to fail does not count. */
static struct line tap_name(const struct line *line)
{
    static const struct line none = {"", 0};
    if (!line_begins(line, "not ok "))
        return none;
    struct line rest = cut_line(line, strlen("not ok "), 0);
    rest = cut_line(&rest, leading_digits(&rest), 0);
    if (line_begins(&rest, "- "))
        rest = cut_line(&rest, 2, 0);
    const struct line name = line_before(rest, " # ");
    return line_begins(&name, "# ") || name.len < rest.len ? none : name;
}

/* Returns the name in "3 - name (Failed)", also with (Timeout) or (SEGFAULT); empty if there is
 * none. */
static struct line ctest_name(const struct line *line)
{
    static const char *const ways[] = {" (Failed)", " (Timeout)", " (SEGFAULT)"};
    const size_t number = leading_digits(line);
    for (size_t i = 0; number > 0 && i < ARRAY_LEN(ways); i++) {
        const struct line rest = cut_line(line, number, strlen(ways[i]));
        if (line_ends(line, ways[i]) && line_begins(&rest, "- "))
            return cut_line(&rest, 2, 0);
    }
    return (struct line){"", 0};
}

/* Returns the name in "[  FAILED  ] Case.Name (3 ms)", but not in the summary line. */
static struct line gtest_name(const struct line *line)
{
    static const char mark[] = "[  FAILED  ] ";
    const struct line name = line_before(cut_line(line, strlen(mark), 0), " (");
    bool is_name = line_begins(line, mark) && leading_digits(&name) == 0 &&
                   line_before(name, ", where").len == name.len;
    return is_name ? name : (struct line){"", 0};
}

/* Returns the name of a failed test that the line reports; empty if there is none. */
static struct line failed_test_name(const struct line *line)
{
    if (line_begins(line, "FAILED ") && memchr(line->bytes, ':', line->len))
        return line_before(cut_line(line, strlen("FAILED "), 0), " - ");
    if (line_begins(line, "FAIL: ") || line_begins(line, "ERROR: "))
        return line_ends(line, ")") ? cut_line(line, strcspn(line->bytes, ":") + 1, 0)
                                    : (struct line){"", 0};
    if (line_begins(line, "test ") && line_ends(line, " ... FAILED"))
        return cut_line(line, strlen("test "), strlen(" ... FAILED"));
    if (line_begins(line, "--- FAIL: "))
        return line_before(cut_line(line, strlen("--- FAIL: "), 0), " (");
    if (line_begins(line, "\u25cf "))
        return cut_line(line, strlen("\u25cf "), 0);
    struct line name = tap_name(line);
    if (name.len == 0)
        name = ctest_name(line);
    return name.len > 0 ? name : gtest_name(line);
}

int mcp_failing_find(const char *bytes, size_t len, struct str *out)
{
    const char *const end = bytes + len;
    struct str clean = {0};
    struct str element = {0};
    int count = 0;
    while (bytes < end && count < MCP_FAILING_MAX) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        const struct line line = trimmed_line(bytes, (size_t)(stop - bytes));
        const struct line name = failed_test_name(&line);
        bytes = feed ? feed + 1 : end;
        if (name.len == 0)
            continue;
        str_clear(&clean);
        str_clear(&element);
        text_clean(&clean, name.bytes, name.len);
        const size_t name_len = text_cut(str_text(&clean), clean.len, MCP_FAILING_NAME_MAX);
        if (name_len == 0)
            continue;
        str_add_json(&element, str_text(&clean), name_len);
        const char *at = strstr(str_text(out), str_text(&element));
        const bool is_listed = at && (at[element.len] == ',' || at[element.len] == '\0');
        if (is_listed)
            continue;
        str_addf(out, "%s%s", out->len > 0 ? "," : "", str_text(&element));
        count++;
    }
    str_done(&element);
    str_done(&clean);
    return count;
}

/* Detecting loops in the calls of a client. */

struct mcp_loops {
    struct entropy_limits limits;
    struct entropy_memory *memory; /* owned */
    struct entropy_state state;
    int64_t calls;
};

void mcp_loops_open(struct mcp_loops **out, const struct entropy_limits *limits)
{
    struct mcp_loops *loops = xcalloc(1, sizeof(*loops));
    loops->limits = *limits;
    entropy_memory_open(&loops->memory, limits);
    *out = loops;
}

void mcp_loops_close(struct mcp_loops *loops)
{
    if (!loops)
        return;
    entropy_memory_close(loops->memory);
    entropy_state_done(&loops->state);
    free(loops);
}

void mcp_loops_add(struct mcp_loops *loops, const struct mcp_loops_call *call,
                   struct entropy_verdict *verdict, struct str *nudge)
{
    const struct entropy_end end = {.failed = call->failed, .transient = call->transient};
    struct entropy_fact fact;
    entropy_memory_begin_call(loops->memory, call->tool, call->args);
    for (int i = 0; i < 2; i++) {
        const struct str *kept = &call->output->streams[i].kept;
        entropy_memory_text(loops->memory, str_text(kept), kept->len);
    }
    entropy_memory_end(loops->memory, &end, &fact);
    entropy_apply(&loops->state, &fact, ++loops->calls, &loops->limits, verdict);
    if (verdict->level == ENTROPY_OK)
        return;
    const struct entropy_sample *last = entropy_memory_last(loops->memory);
    struct str what = {0};
    struct str words = {0};
    agent_call_what(call->args, &what);
    str_addf(&words, "%s%s%s", call->tool, what.len > 0 ? " " : "", str_text(&what));
    entropy_nudge(verdict, str_text(&words), last ? last->masks : 0, nudge);
    str_done(&words);
    str_done(&what);
}
