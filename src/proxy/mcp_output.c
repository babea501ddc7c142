#include "mcp_output.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "agent_what.h"
#include "attr.h"
#include "entropy_memory.h"
#include "text.h"
#include "xalloc.h"

/* Appends a row. Rows come in the order of their offsets; one may repeat the end of the previous
 * one. */
static void add_row(struct mcp_stream *stream, const char *bytes, const struct log_output_row *row)
{
    int64_t known = stream->next - row->offset;
    if (known >= (int64_t)row->len)
        return;
    if (known < 0 && stream->gap_bytes == 0)
        stream->gap_at = stream->kept.len;
    if (known < 0)
        stream->gap_bytes -= known;
    const size_t skip = known > 0 ? (size_t)known : 0;
    str_add_n(&stream->kept, bytes + skip, row->len - skip);
    stream->next = row->offset + (int64_t)row->len;
}

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
            if (row->stream == LOG_STREAM_OUT || row->stream == LOG_STREAM_ERR)
                add_row(&out->streams[row->stream - LOG_STREAM_OUT],
                        str_text(&page.text) + row->start, row);
            after = row->id;
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

static bool is_line_end(char c)
{
    return c == '\n';
}

/* Returns the size of the head: whole lines, if one ends in the second half of the limit. */
static size_t head_len(const char *bytes, size_t len)
{
    size_t end = text_cut(bytes, len, MCP_HEAD_BYTES);
    size_t line = end;
    while (line > MCP_HEAD_BYTES / 2 && !is_line_end(bytes[line - 1]))
        line--;
    return line > MCP_HEAD_BYTES / 2 ? line : end;
}

static size_t tail_start(const char *bytes, size_t len, size_t from)
{
    size_t start = len - from > MCP_TAIL_BYTES ? len - MCP_TAIL_BYTES : from;
    size_t line = start;
    while (line > from && line < len - MCP_TAIL_BYTES / 2 && !is_line_end(bytes[line - 1]))
        line++;
    return line;
}

void mcp_stream_text(const struct mcp_stream *stream, struct str *out)
{
    const char *bytes = str_text(&stream->kept);
    const size_t len = stream->kept.len;
    if (stream->gap_bytes == 0 && len <= MCP_HEAD_BYTES + MCP_TAIL_BYTES) {
        text_clean(out, bytes, len);
        return;
    }
    const bool is_whole = stream->gap_bytes == 0;
    const size_t head = head_len(bytes, is_whole ? len : stream->gap_at);
    const size_t tail = tail_start(bytes, len, is_whole ? head : stream->gap_at);
    const int64_t left_out = stream->gap_bytes + (int64_t)(tail - head);
    text_clean(out, bytes, head);
    str_addf(out, "%s[... %lld bytes left out ...]\n",
             out->len > 0 && !is_line_end(str_text(out)[out->len - 1]) ? "\n" : "",
             (long long)left_out);
    text_clean(out, bytes + tail, len - tail);
}

/* Finding the names of failed tests in the output of test programs. */

/* A line of output without leading and trailing whitespace. */
struct line {
    const char *bytes;
    size_t len;
};

static struct line trimmed(const char *bytes, size_t len)
{
    while (len > 0 && (*bytes == ' ' || *bytes == '\t')) {
        bytes++;
        len--;
    }
    while (len > 0 && strchr(" \t\r", bytes[len - 1]))
        len--;
    return (struct line){bytes, len};
}

static bool begins(const struct line *line, const char *with)
{
    const size_t len = strlen(with);
    return line->len > len && memcmp(line->bytes, with, len) == 0;
}

static bool ends(const struct line *line, const char *with)
{
    const size_t len = strlen(with);
    return line->len > len && memcmp(line->bytes + line->len - len, with, len) == 0;
}

static struct line cut(const struct line *line, size_t front, size_t back)
{
    return front + back < line->len ? trimmed(line->bytes + front, line->len - front - back)
                                    : (struct line){line->bytes, 0};
}

/* Returns the part before the first occurrence of these words. */
static struct line before(struct line line, const char *words)
{
    const size_t len = strlen(words);
    for (size_t i = 0; i + len <= line.len; i++) {
        if (memcmp(line.bytes + i, words, len) == 0)
            return trimmed(line.bytes, i);
    }
    return line;
}

/* Returns the number of leading digits. */
static size_t digits(const struct line *line)
{
    size_t count = 0;
    while (count < line->len && isdigit((unsigned char)line->bytes[count]))
        count++;
    return count;
}

/* "not ok 3 - name": number and dash are optional; tests that are expected to fail do not count. */
static struct line of_tap(const struct line *line)
{
    static const struct line none = {"", 0};
    if (!begins(line, "not ok "))
        return none;
    struct line rest = cut(line, strlen("not ok "), 0);
    rest = cut(&rest, digits(&rest), 0);
    if (begins(&rest, "- "))
        rest = cut(&rest, 2, 0);
    const struct line name = before(rest, " # ");
    return begins(&name, "# ") || name.len < rest.len ? none : name;
}

/* "3 - name (Failed)" */
static struct line of_ctest(const struct line *line)
{
    static const char *const ways[] = {" (Failed)", " (Timeout)", " (SEGFAULT)"};
    const size_t number = digits(line);
    for (size_t i = 0; number > 0 && i < ARRAY_LEN(ways); i++) {
        const struct line rest = cut(line, number, strlen(ways[i]));
        if (ends(line, ways[i]) && begins(&rest, "- "))
            return cut(&rest, 2, 0);
    }
    return (struct line){"", 0};
}

/* "[  FAILED  ] Case.Name (3 ms)", but not the summary line. */
static struct line of_gtest(const struct line *line)
{
    static const char mark[] = "[  FAILED  ] ";
    const struct line name = before(cut(line, strlen(mark), 0), " (");
    bool is_name =
        begins(line, mark) && digits(&name) == 0 && before(name, ", where").len == name.len;
    return is_name ? name : (struct line){"", 0};
}

static struct line of_line(const struct line *line)
{
    if (begins(line, "FAILED ") && memchr(line->bytes, ':', line->len))
        return before(cut(line, strlen("FAILED "), 0), " - ");
    if (begins(line, "FAIL: ") || begins(line, "ERROR: "))
        return ends(line, ")") ? cut(line, strcspn(line->bytes, ":") + 1, 0) : (struct line){"", 0};
    if (begins(line, "test ") && ends(line, " ... FAILED"))
        return cut(line, strlen("test "), strlen(" ... FAILED"));
    if (begins(line, "--- FAIL: "))
        return before(cut(line, strlen("--- FAIL: "), 0), " (");
    if (begins(line, "\u25cf "))
        return cut(line, strlen("\u25cf "), 0);
    struct line name = of_tap(line);
    if (name.len == 0)
        name = of_ctest(line);
    return name.len > 0 ? name : of_gtest(line);
}

/* Returns true if the name is already in the list. */
static bool is_listed(const struct str *list, const struct str *element)
{
    const char *at = strstr(str_text(list), str_text(element));
    return at && (at[element->len] == ',' || at[element->len] == '\0');
}

static bool add_name(const struct line *name, struct str *out)
{
    struct str clean = {0};
    struct str element = {0};
    text_clean(&clean, name->bytes, name->len);
    const size_t len = text_cut(str_text(&clean), clean.len, MCP_FAILING_NAME_MAX);
    str_add_json(&element, str_text(&clean), len);
    bool is_new = len > 0 && !is_listed(out, &element);
    if (is_new)
        str_addf(out, "%s%s", out->len > 0 ? "," : "", str_text(&element));
    str_done(&element);
    str_done(&clean);
    return is_new;
}

int mcp_failing_find(const char *bytes, size_t len, struct str *out)
{
    const char *const end = bytes + len;
    int count = 0;
    while (bytes < end && count < MCP_FAILING_MAX) {
        const char *feed = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *stop = feed ? feed : end;
        const struct line line = trimmed(bytes, (size_t)(stop - bytes));
        const struct line name = of_line(&line);
        if (name.len > 0 && add_name(&name, out))
            count++;
        bytes = feed ? feed + 1 : end;
    }
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

static void add_lines(struct entropy_memory *memory, const struct mcp_output *output)
{
    for (int i = 0; i < 2; i++) {
        const struct str *kept = &output->streams[i].kept;
        entropy_memory_text(memory, str_text(kept), kept->len);
    }
}

static void add_nudge(const struct mcp_loops *loops, const struct mcp_loops_call *call,
                      const struct entropy_verdict *verdict, struct str *nudge)
{
    const struct entropy_sample *last = entropy_memory_last(loops->memory);
    struct str what = {0};
    struct str words = {0};
    agent_call_what(call->args, &what);
    str_addf(&words, "%s%s%s", call->tool, what.len > 0 ? " " : "", str_text(&what));
    entropy_nudge(verdict, str_text(&words), last ? last->masks : 0, nudge);
    str_done(&words);
    str_done(&what);
}

void mcp_loops_add(struct mcp_loops *loops, const struct mcp_loops_call *call,
                   struct entropy_verdict *verdict, struct str *nudge)
{
    const struct entropy_end end = {.failed = call->failed, .transient = call->transient};
    struct entropy_fact fact;
    entropy_memory_begin_call(loops->memory, call->tool, call->args);
    add_lines(loops->memory, call->output);
    entropy_memory_end(loops->memory, &end, &fact);
    entropy_apply(&loops->state, &fact, ++loops->calls, &loops->limits, verdict);
    if (verdict->level != ENTROPY_OK)
        add_nudge(loops, call, verdict, nudge);
}
