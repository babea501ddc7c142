#include "mcp_output.h"

#include "text.h"

/* Rows come in the order of their offsets; one may repeat the end of what came before. */
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

/* Whole lines, where the last of them ends within the bytes that there is room for. */
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
