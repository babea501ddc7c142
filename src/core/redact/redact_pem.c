#include "redact_pem.h"

#include <string.h>

#include "attr.h"
#include "redact_alphabet.h"

enum {
    BETWEEN_MAX = 64, /* bytes of line feeds and blanks between two lines */
    LONG_LINE = 16,   /* letters of base64 that no word has */
    FIELD_MAX = 256,  /* bytes of a header field */
    END_MAX = 80,     /* bytes of the last line */
};

struct lines {
    const char *bytes;
    size_t len;
    bool ended;
};

enum line { LINE_NONE, LINE_UNFINISHED, LINE_OF_KEY, LINE_LAST };

static bool is_gap(const struct lines *lines, size_t at)
{
    return redact_is_one_of((unsigned char)lines->bytes[at], " \t\r\n");
}

/* \n, \r and \t written out, maybe more than once over. 0: none is here. */
static size_t escape_at(const struct lines *lines, size_t at)
{
    size_t end = at;
    while (end < lines->len && lines->bytes[end] == '\\')
        end++;
    const bool is_one =
        end > at && end < lines->len && redact_is_one_of((unsigned char)lines->bytes[end], "nrt");
    return is_one ? end + 1 - at : 0;
}

/* Past what is between two lines. */
static size_t skip_gap(const struct lines *lines, size_t at)
{
    const size_t limit = at + BETWEEN_MAX;
    while (at < lines->len && at < limit) {
        const size_t step = is_gap(lines, at) ? 1 : escape_at(lines, at);
        if (step == 0)
            break;
        at += step;
    }
    return at;
}

/* Does a line end at `at`, or is it filled up as base64 is? */
static bool ends_line(const struct lines *lines, size_t at)
{
    return at >= lines->len || lines->bytes[at - 1] == '=' ||
           redact_is_one_of((unsigned char)lines->bytes[at], "\r\n\\");
}

/* How many of these bytes stand at the start, at most so many. */
static size_t run_of(const char *bytes, size_t len, char byte, size_t max)
{
    size_t count = 0;
    while (count < len && count < max && bytes[count] == byte)
        count++;
    return count;
}

/* -----END RSA PRIVATE KEY----- */
static enum line look_at_end(const struct lines *lines, size_t at, size_t *end)
{
    static const char last[] = "-----END ";
    static const char rule[] = "-----";
    const char *line = lines->bytes + at;
    const size_t there = lines->len - at;
    const size_t seen = there < sizeof(last) - 1 ? there : sizeof(last) - 1;
    if (memcmp(line, last, seen) != 0)
        return LINE_NONE;
    size_t len = seen + redact_run(REDACT_LABEL, line + seen, there - seen, END_MAX);
    if (len + sizeof(rule) - 1 > there && !lines->ended && len < END_MAX)
        return LINE_UNFINISHED;
    /* No more than these: what comes after them may not be there yet. */
    const size_t dashes = run_of(line + len, there - len, '-', sizeof(rule) - 1);
    *end = at + len + dashes;
    return LINE_LAST;
}

/* The header fields that RFC 1421, 4.6 and RFC 4880, 6.2 have; a log's "FAILED: ..." is none. */
static bool is_field(const char *line, size_t len)
{
    static const char *const names[] = {
        "Proc-Type:", "DEK-Info:", "Version:", "Comment:", "MessageID:", "Hash:", "Charset:"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const size_t name = strlen(names[i]);
        if (len >= name && memcmp(line, names[i], name) == 0)
            return true;
    }
    return false;
}

/* "DEK-Info: AES-128-CBC,3F17F5316E2BAC89" */
static enum line look_at_field(const struct lines *lines, size_t from, size_t *end)
{
    size_t at = from;
    while (at < lines->len && at - from < FIELD_MAX && lines->bytes[at] != '\n' &&
           lines->bytes[at] != '\\')
        at++;
    *end = at;
    if (at == lines->len && at - from < FIELD_MAX && !lines->ended)
        return LINE_UNFINISHED;
    return is_field(lines->bytes + from, at - from) ? LINE_OF_KEY : LINE_NONE;
}

static enum line look_at_line(const struct lines *lines, struct redact_tail *tail, size_t at,
                              size_t *end)
{
    const char *line = lines->bytes + at;
    const size_t there = lines->len - at;
    const size_t run = redact_run(REDACT_BASE64, line, there, REDACT_PEM_LINE_MAX);
    if (run == there && run < REDACT_PEM_LINE_MAX && !lines->ended)
        return LINE_UNFINISHED;
    if (run == 0)
        return look_at_end(lines, at, end);
    const bool names_field = run < there && (line[run] == ':' || line[run] == '-');
    if (names_field)
        return look_at_field(lines, at, end);
    const bool is_long = run >= LONG_LINE;
    const bool is_last = tail->after_long && ends_line(lines, at + run);
    tail->after_long = is_long;
    *end = at + run;
    return is_long || is_last ? LINE_OF_KEY : LINE_NONE;
}

/* Nothing but what may become a gap is left. */
static bool may_go_on(const struct lines *lines, size_t at, size_t taken)
{
    while (at < lines->len && lines->bytes[at] == '\\')
        at++;
    return at == lines->len && !lines->ended && at - taken < BETWEEN_MAX;
}

size_t redact_pem_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended)
{
    const struct lines lines = {.bytes = bytes, .len = len, .ended = ended};
    size_t taken = 0;
    for (;;) {
        const size_t at = skip_gap(&lines, taken);
        size_t end = at;
        if (may_go_on(&lines, at, taken))
            return taken;
        const enum line line = at < len ? look_at_line(&lines, tail, at, &end) : LINE_NONE;
        if (line == LINE_UNFINISHED)
            return taken;
        if (line != LINE_NONE)
            taken = end;
        if (line != LINE_OF_KEY) {
            tail->rest = REDACT_REST_NONE;
            return taken;
        }
    }
}
