#include "clean_text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "line_prefix.h"
#include "text.h"
#include "xalloc.h"

enum { ESC = 0x1b };

static void begin_line(struct clean_text *text, int64_t offset, int64_t number)
{
    text->lines = xgrow(text->lines, &text->cap, text->count + 1, sizeof(*text->lines));
    text->lines[text->count] =
        (struct clean_line){.start = text->len, .offset = offset, .number = number};
    text->count++;
}

/* A log may have put something before the line of the program. */
static void strip_prefix(struct clean_text *text)
{
    const struct clean_line *line = &text->lines[text->count - 1];
    char *bytes = text->bytes + line->start;
    const size_t len = text->len - line->start;
    if (line->continues)
        return;
    const size_t prefix = line_prefix_len(bytes, len, &text->indent);
    if (prefix > 0)
        memmove(bytes, bytes + prefix, len - prefix);
    text->len -= prefix;
}

static void end_line(struct clean_text *text)
{
    struct clean_line *line = &text->lines[text->count - 1];
    line->len = text->len - line->start;
    text->bytes[text->len++] = '\n';
}

/* Empty lines say nothing: the next one takes their place. */
static void next_line(struct clean_text *text, int64_t offset, int64_t number)
{
    struct clean_line *line = &text->lines[text->count - 1];
    if (text->len > line->start)
        strip_prefix(text);
    if (text->len == line->start && !line->continues) {
        line->offset = offset;
        line->number = number;
        return;
    }
    end_line(text);
    begin_line(text, offset, number);
}

/* Copy one character; what no terminal could show becomes '?'. Returns the
 * bytes taken. */
static size_t put_character(struct clean_text *text, const char *bytes, size_t len)
{
    const unsigned char first = (unsigned char)bytes[0];
    if (first >= 0x20 && first < 0x7f) {
        text->bytes[text->len++] = bytes[0];
        return 1;
    }
    if (first < 0x80) {
        text->bytes[text->len++] = first == '\0' ? '?' : ' ';
        return 1;
    }

    uint32_t rune = 0;
    const size_t taken = (size_t)text_rune(bytes, len, &rune);
    if (rune == UINT32_MAX) {
        text->bytes[text->len++] = '?';
    } else {
        memcpy(text->bytes + text->len, bytes, taken);
        text->len += taken;
    }
    return taken;
}

/* "- Captured log call -" and the like: what follows, up to the next header,
 * is what a test said while it ran. */
static bool is_captured_header(const char *line, size_t len)
{
    static const char word[] = " Captured ";
    size_t dashes = 0;
    while (dashes < len && line[dashes] == '-')
        dashes++;
    return dashes >= 3 && len - dashes >= sizeof(word) - 1 &&
           memcmp(line + dashes, word, sizeof(word) - 1) == 0;
}

static bool is_header(const char *line, size_t len)
{
    return len >= 5 && (memcmp(line, "=====", 5) == 0 || memcmp(line, "-----", 5) == 0 ||
                        memcmp(line, "_____", 5) == 0);
}

static void mark_captured(struct clean_text *text)
{
    bool captured = false;
    for (size_t i = 0; i < text->count; i++) {
        struct clean_line *line = &text->lines[i];
        const char *bytes = text->bytes + line->start;
        if (is_captured_header(bytes, line->len))
            captured = true;
        else if (is_header(bytes, line->len))
            captured = false;
        if (captured)
            line->state = CLEAN_LINE_QUOTED;
    }
}

/* A line that gets too long goes on as another one. */
static void cut_long_line(struct clean_text *text, int64_t offset, int64_t number)
{
    const struct clean_line *line = &text->lines[text->count - 1];
    const size_t len = text->len - line->start;
    const char last = len > 0 ? text->bytes[text->len - 1] : '\0';
    if (len < CLEAN_PART_LEN || (len < CLEAN_PART_MAX && last != ' ' && last != ','))
        return;
    strip_prefix(text);
    end_line(text);
    begin_line(text, offset, number);
    text->lines[text->count - 1].continues = true;
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && (unsigned char)c < 0x7f;
}

/* Copy what needs no change, at most up to where a long line may be cut. */
static size_t put_plain(struct clean_text *text, const char *bytes, size_t len)
{
    const size_t used = text->len - text->lines[text->count - 1].start;
    const size_t room = used < CLEAN_PART_LEN ? CLEAN_PART_LEN - used : 1;
    const size_t most = len < room ? len : room;
    size_t count = 0;
    while (count < most && is_plain(bytes[count]))
        count++;
    memcpy(text->bytes + text->len, bytes, count);
    text->len += count;
    return count;
}

/* Take what stands at bytes[i]; returns the bytes taken. */
static size_t take_next(struct clean_text *text, const char *bytes, size_t len, int64_t offset,
                        int64_t *number)
{
    if (bytes[0] == ESC)
        return text_escape_len(bytes, len);
    if (bytes[0] != '\n' && bytes[0] != '\r') {
        cut_long_line(text, offset, *number);
        const size_t count = put_plain(text, bytes, len);
        return count > 0 ? count : put_character(text, bytes, len);
    }
    const size_t taken = bytes[0] == '\r' && len > 1 && bytes[1] == '\n' ? 2 : 1;
    *number += bytes[taken - 1] == '\n';
    next_line(text, offset + (int64_t)taken, *number);
    return taken;
}

void clean_text_init(struct clean_text *text, const struct classify_text *raw)
{
    const size_t skip = raw->len > CLASSIFY_TAIL_MAX ? raw->len - CLASSIFY_TAIL_MAX : 0;
    const size_t len = raw->len - skip;
    const char *bytes = raw->len > 0 ? raw->bytes + skip : "";
    const int64_t offset = raw->offset + (int64_t)skip;
    int64_t number = 1;

    *text = (struct clean_text){.bytes = xcalloc(len + len / CLEAN_PART_LEN + 2, 1)};
    begin_line(text, offset, number);
    for (size_t i = 0; i < len;)
        i += take_next(text, bytes + i, len - i, offset + (int64_t)i, &number);
    strip_prefix(text);
    end_line(text);
    mark_captured(text);
    assert(text->len <= len + len / CLEAN_PART_LEN + 1);
}

void clean_text_done(struct clean_text *text)
{
    free(text->bytes);
    free(text->lines);
    *text = (struct clean_text){0};
}

size_t clean_text_tail(const struct clean_text *text, int count)
{
    size_t i = text->count;
    while (i > 0 && count > 0) {
        i--;
        count -= text->lines[i].len > 0; /* the last one may be empty */
    }
    return i;
}
