/* redact_named.c - secrets recognized by the text before them: a name (password=..., "api_key":
 * "...", Cookie: ..., netrc), or the first line of a PEM block. */
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "redact_internal.h"

enum {
    BETWEEN_MAX = 64, /* maximum bytes of line feeds and blanks between two lines */
    LONG_LINE = 16,   /* minimum letters of a long line of base64; no word is that long */
    FIELD_MAX = 256,  /* maximum bytes of a header field */
    END_MAX = 80,     /* maximum bytes of the last line */
};

struct lines {
    const char *bytes;
    size_t len;
    bool ended;
};

enum line { LINE_NONE, LINE_UNFINISHED, LINE_OF_KEY, LINE_LAST };

/* Skips the blanks and line ends between two lines, including \n, \r and \t written out, possibly
 * escaped several times. */
static size_t skip_gap(const struct lines *lines, size_t at)
{
    const size_t limit = at + BETWEEN_MAX;
    while (at < lines->len && at < limit) {
        size_t end = at;
        while (end < lines->len && lines->bytes[end] == '\\')
            end++;
        const bool is_escape = end > at && end < lines->len &&
                               redact_is_one_of((unsigned char)lines->bytes[end], "nrt");
        if (!is_escape && !redact_is_one_of((unsigned char)lines->bytes[at], " \t\r\n"))
            break;
        at = is_escape ? end + 1 : at + 1;
    }
    return at;
}

/* Looks for the last line, such as "-----END RSA PRIVATE KEY-----". */
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
    /* Take no more than these dashes, because further bytes may not have arrived yet. */
    const size_t most = len + sizeof(rule) - 1;
    while (len < there && len < most && line[len] == '-')
        len++;
    *end = at + len;
    return LINE_LAST;
}

/* Looks for a line such as "DEK-Info: AES-128-CBC,3F17F5316E2BAC89": header fields of RFC 1421, 4.6
 * and RFC 4880, 6.2. "FAILED: ..." in a log is not a header field. */
static enum line look_at_field(const struct lines *lines, size_t from, size_t *end)
{
    static const char *const names[] = {
        "Proc-Type:", "DEK-Info:", "Version:", "Comment:", "MessageID:", "Hash:", "Charset:"};
    size_t at = from;
    while (at < lines->len && at - from < FIELD_MAX && lines->bytes[at] != '\n' &&
           lines->bytes[at] != '\\')
        at++;
    *end = at;
    if (at == lines->len && at - from < FIELD_MAX && !lines->ended)
        return LINE_UNFINISHED;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (redact_begins_with(lines->bytes + from, at - from, names[i]))
            return LINE_OF_KEY;
    }
    return LINE_NONE;
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
    /* The line ends here, or is padded as base64 is. */
    const bool is_whole = run == there || line[run - 1] == '=' ||
                          redact_is_one_of((unsigned char)line[run], "\r\n\\");
    const bool is_last = tail->after_long && is_whole;
    tail->after_long = is_long;
    *end = at + run;
    return is_long || is_last ? LINE_OF_KEY : LINE_NONE;
}

size_t redact_pem_take(struct redact_tail *tail, const char *bytes, size_t len, bool ended)
{
    const struct lines lines = {.bytes = bytes, .len = len, .ended = ended};
    size_t taken = 0;
    for (;;) {
        const size_t at = skip_gap(&lines, taken);
        size_t end = at;
        while (end < len && bytes[end] == '\\')
            end++;
        if (end == len && !ended && end - taken < BETWEEN_MAX)
            return taken; /* only something that may become a gap is left */
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

enum {
    MARKS_MAX = 16,   /* maximum bytes of quotes or blanks in a row */
    VALUE_MAX = 1024, /* longer values are not cut by their name */
    PASSWORD_MIN = 6, /* minimum bytes of a password */
    KEY_MIN = 8,      /* minimum bytes of a key */
    TOKEN_MIN = 16,   /* minimum bytes of a token */
    WORD_SURE = 20,   /* minimum lower-case letters of a value that is not a word */
    UUID_LEN = 36,    /* bytes of a UUID */
    COOKIE_MIN = 6,   /* minimum bytes of a cookie's value */
    COOKIE_NAME_MAX = 128,
    NETRC_WORDS_MAX = 8, /* host, "login", name, "account", name, "password" */
    NETRC_WORD_MAX = 256,
};

static size_t skip_blanks(const struct redact_place *place, size_t at)
{
    const size_t limit = at + MARKS_MAX;
    while (at < place->len && at < limit && redact_is_blank(place->bytes[at]))
        at++;
    return at;
}

/* A quotation mark with the backslashes before it, or its HTML entity. */
struct quote {
    size_t backslashes;
    char mark; /* ", ' or `; & for an HTML entity; NUL: none */
    size_t len;
};

static size_t entity_len(const char *bytes, size_t len)
{
    static const char *const entities[] = {"&quot;", "&#34;", "&#39;", "&#x27;", "&apos;"};
    for (size_t i = 0; i < ARRAY_LEN(entities); i++) {
        const size_t size = strlen(entities[i]);
        if (len >= size && memcmp(bytes, entities[i], size) == 0)
            return size;
    }
    return 0;
}

static struct quote quote_at(const struct redact_place *place, size_t at)
{
    struct quote quote = {0};
    const size_t entity = at < place->len ? entity_len(place->bytes + at, place->len - at) : 0;
    if (entity > 0)
        return (struct quote){.mark = '&', .len = entity};
    while (at + quote.backslashes < place->len && quote.backslashes < MARKS_MAX &&
           place->bytes[at + quote.backslashes] == '\\')
        quote.backslashes++;
    const size_t end = at + quote.backslashes;
    const char c = end < place->len ? place->bytes[end] : '\0';
    if (c != '"' && c != '\'' && c != '`')
        return (struct quote){0};
    quote.mark = c;
    quote.len = quote.backslashes + 1;
    return quote;
}

/* The separator between a name and its value. */
struct separator {
    struct quote quote; /* before the value */
    bool is_tight;      /* an equals sign without blanks around it */
};

/* Finds the value after the end of a name: `=`, `": "`, ` => '`. */
static enum redact_found find_value(const struct redact_place *place, size_t *at,
                                    struct separator *out)
{
    *at += quote_at(place, *at).len;
    const size_t blanks = *at;
    *at = skip_blanks(place, *at);
    if (*at >= place->len)
        return place->ended ? REDACT_NOT : REDACT_MORE;
    const char sign = place->bytes[*at];
    if (sign == '\\' || sign == '&')
        return redact_is_open(place, *at + MARKS_MAX) ? REDACT_MORE : REDACT_NOT;
    if (sign != '=' && sign != ':')
        return REDACT_NOT;
    out->is_tight = sign == '=' && blanks == *at;
    (*at)++;
    if (*at < place->len && place->bytes[*at] == '=') {
        if (sign == '=')
            return REDACT_NOT; /* a comparison, not an assignment */
        (*at)++;
    } else if (*at < place->len && sign == '=' && place->bytes[*at] == '>') {
        (*at)++;
    }
    const size_t before = *at;
    *at = skip_blanks(place, *at);
    out->is_tight = out->is_tight && before == *at;
    out->quote = quote_at(place, *at);
    if (out->quote.mark == '\0' && redact_is_open(place, *at + MARKS_MAX) &&
        (*at >= place->len || strchr("\\&", place->bytes[*at])))
        return REDACT_MORE;
    *at += out->quote.len;
    return redact_is_open(place, *at) ? REDACT_MORE : *at < place->len ? REDACT_CUT : REDACT_NOT;
}

/* Finds the quotation mark that ends the value, escaped no more often than the opening one. */
static enum redact_found find_closing(const struct redact_place *place, size_t from,
                                      const struct quote *quote, size_t *end)
{
    size_t backslashes = 0;
    for (*end = from; *end < place->len && *end - from < VALUE_MAX; (*end)++) {
        const char c = place->bytes[*end];
        if (c == '\n' || c == '\r')
            return REDACT_NOT;
        if (c == quote->mark && quote->mark == '&' &&
            entity_len(place->bytes + *end, place->len - *end) > 0)
            return REDACT_CUT;
        if (c == quote->mark && quote->mark != '&' && backslashes <= quote->backslashes) {
            *end -= backslashes;
            return REDACT_CUT;
        }
        backslashes = c == '\\' ? backslashes + 1 : 0;
    }
    if (redact_is_open(place, *end))
        return REDACT_MORE;
    return *end == place->len ? REDACT_CUT : REDACT_NOT;
}

/* Returns the length of an unquoted value, which ends before the first character that no password
 * in a line, a URL or a list has. Generated values use fewer characters. */
static size_t bare_len(enum redact_trust trust, const struct redact_place *place, size_t from)
{
    size_t at = from;
    while (at < place->len && at - from < VALUE_MAX && trust != REDACT_TRUST_PASSWORD &&
           (redact_is_in(REDACT_BEARER, (unsigned char)place->bytes[at]) ||
            place->bytes[at] == '%' || place->bytes[at] == ':'))
        at++;
    while (at < place->len && at - from < VALUE_MAX && trust == REDACT_TRUST_PASSWORD &&
           (unsigned char)place->bytes[at] > ' ' && place->bytes[at] != 0x7f &&
           !strchr("\"'`,;&<>()[]{}|\\", place->bytes[at]))
        at++;
    return at - from;
}

static bool value_contains(const char *value, size_t len, const char *part)
{
    const size_t size = strlen(part);
    for (size_t i = 0; i + size <= len; i++) {
        size_t same = 0;
        while (same < size && (value[i + same] | 0x20) == (part[same] | 0x20))
            same++;
        if (same == size)
            return true;
    }
    return false;
}

/* Returns true for a placeholder for a secret, or a remark about one. */
static bool is_placeholder(const char *value, size_t len)
{
    static const char *const starts[] = {"$",  "{", "<", "%(", "%{", "%s",  "#{", "[", "*", "^",
                                         "@{", "(", "=", "/",  "./", "../", "~/", "&", "!", "\\"};
    static const char *const parts[] = {
        "[cut:",    "***",   "xxxx",  "....",    "://",       "redacted", "example", "placeholder",
        "changeme", "your_", "your-", "omitted", "undefined", "<",        "${",      "$("};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        if (redact_begins_with(value, len, starts[i]))
            return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (value_contains(value, len, parts[i]))
            return true;
    }
    return false;
}

/* Returns true for names of algorithms, types and notations that contain digits. */
static bool is_term(const char *value, size_t len)
{
    static const char *const terms[] = {"sha-1",   "sha224",   "sha256", "sha-256", "sha384",
                                        "sha512",  "sha-512",  "base64", "base32",  "argon2",
                                        "argon2i", "argon2id", "pbkdf2", "utf8mb4", "oauth2",
                                        "uint32",  "uint64",   "string1"};
    for (size_t i = 0; i < ARRAY_LEN(terms); i++) {
        if (strlen(terms[i]) == len && value_contains(value, len, terms[i]))
            return true;
    }
    return false;
}

/* Returns true for an expression in a program: "args.password", "self.token2", "MY_TOKEN". */
static bool is_name(const char *value, size_t len)
{
    bool has_dot = false, has_line = false;
    for (size_t i = 0; i < len; i++) {
        const char c = value[i];
        const bool begins = i == 0 || value[i - 1] == '.';
        const bool fits =
            ascii_is_letter(c) || c == '_' || (!begins && (ascii_is_digit(c) || c == '.'));
        if (!fits)
            return false;
        has_dot = has_dot || c == '.';
        has_line = has_line || c == '_';
    }
    const bool says_so = value_contains(value, len, "password") ||
                         value_contains(value, len, "passwd") ||
                         value_contains(value, len, "token") ||
                         value_contains(value, len, "secret") || value_contains(value, len, "key");
    return has_dot || (has_line && says_so);
}

/* Returns true for hex digits with the length of a hash, and for a UUID. */
static bool is_hash(const char *value, size_t len)
{
    bool is_uuid = len == UUID_LEN;
    for (size_t i = 0; i < len && is_uuid; i++) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        is_uuid = is_dash ? value[i] == '-' : redact_is_in(REDACT_HEX, (unsigned char)value[i]);
    }
    const bool has_length = len == 32 || len == 40 || len == 64 || len == 128;
    return is_uuid || (has_length && redact_run(REDACT_HEX, value, len, len) == len);
}

static bool is_secret(enum redact_trust trust, const char *value, size_t len, bool quoted)
{
    static const size_t least[] = {[REDACT_TRUST_PASSWORD] = PASSWORD_MIN,
                                   [REDACT_TRUST_KEY] = KEY_MIN,
                                   [REDACT_TRUST_TOKEN] = TOKEN_MIN};
    bool digit = false, lower = false, upper = false, symbol = false, dot_or_line = false;
    for (size_t i = 0; i < len; i++) {
        const char c = value[i];
        const bool is_line = c == '_' || c == '.' || c == '-' || c == ':' || c == '/';
        digit = digit || ascii_is_digit(c);
        lower = lower || ascii_is_lower(c);
        upper = upper || ascii_is_upper(c);
        dot_or_line = dot_or_line || is_line;
        symbol = symbol || (!is_line && !ascii_is_digit(c) && !ascii_is_letter(c));
    }
    if (len < least[trust] || is_placeholder(value, len) || is_term(value, len) ||
        memchr(value, ' ', len) || (!quoted && is_name(value, len)))
        return false;
    if (trust == REDACT_TRUST_TOKEN)
        return digit && (lower || upper) && !is_hash(value, len) && !is_name(value, len);
    if (digit || symbol)
        return true;
    const bool is_mixed = quoted && lower && upper && ascii_is_lower(value[0]);
    return !dot_or_line && ((is_mixed && len >= KEY_MIN) || (len >= WORD_SURE && !upper));
}

/* Checks whether the value is the last one on its line or in its list. Prose continues with another
 * word. */
static enum redact_found ends_value(const struct redact_place *place, size_t at)
{
    const size_t end = skip_blanks(place, at);
    if (end >= place->len)
        return place->ended ? REDACT_CUT : REDACT_MORE;
    const char c = place->bytes[end];
    const bool fits =
        c == '\n' || c == '\r' || c == '#' || c == '\\' || (end == at && strchr(",;\"'`})]<|&", c));
    return fits ? REDACT_CUT : REDACT_NOT;
}

enum redact_found redact_assigned_look(enum redact_trust trust, const struct redact_place *place,
                                       size_t name_len, struct redact_cut *cut)
{
    struct separator separator = {0};
    size_t at = name_len, end = 0;
    cut->start = name_len;
    enum redact_found found = find_value(place, &at, &separator);
    if (found != REDACT_CUT)
        return found;
    const bool is_quoted = separator.quote.mark != '\0';
    if (is_quoted) {
        found = find_closing(place, at, &separator.quote, &end);
    } else {
        end = at + bare_len(trust, place, at);
        if (end - at == VALUE_MAX)
            return REDACT_NOT;
        if (redact_is_open(place, end))
            return REDACT_MORE;
        const char next = end < place->len ? place->bytes[end] : '\n';
        found = strchr("([{<", next) && next != '\0' ? REDACT_NOT
                : separator.is_tight                 ? REDACT_CUT
                                                     : ends_value(place, end);
    }
    if (found != REDACT_CUT)
        return found;
    if (!is_secret(trust, place->bytes + at, end - at, is_quoted))
        return REDACT_NOT;
    *cut = (struct redact_cut){.start = at, .end = end};
    return REDACT_CUT;
}

enum redact_found redact_cookie_look(const struct redact_place *place, size_t name_len,
                                     struct redact_cut *cut)
{
    const bool is_set = place->before == '-'; /* Set-Cookie has attributes after its value */
    struct separator separator = {0};
    size_t at = name_len;
    cut->start = name_len;
    const enum redact_found found = find_value(place, &at, &separator);
    if (found != REDACT_CUT)
        return found;
    const size_t name = at;
    while (at < place->len && at - name < COOKIE_NAME_MAX &&
           (redact_is_in(REDACT_DOTTED, (unsigned char)place->bytes[at]) ||
            redact_is_one_of((unsigned char)place->bytes[at], "$!*")))
        at++;
    if (redact_is_open(place, at) && at - name < COOKIE_NAME_MAX)
        return REDACT_MORE;
    if (at == name || at >= place->len || place->bytes[at] != '=')
        return REDACT_NOT;
    const size_t start = at + 1;
    const enum redact_alphabet alphabet = is_set ? REDACT_COOKIE : REDACT_COOKIES;
    const size_t run =
        redact_run(REDACT_COOKIE, place->bytes + start, place->len - start, COOKIE_MIN);
    if (run < COOKIE_MIN && redact_is_open(place, start + run))
        return REDACT_MORE;
    if (run < COOKIE_MIN || is_placeholder(place->bytes + start, run))
        return REDACT_NOT;
    *cut = (struct redact_cut){
        .start = start, .end = start + run, .tail = {REDACT_REST_RUN, alphabet, false}};
    return REDACT_CUT;
}

/* Returns the length of the gap at `at`: blanks and line ends, including \n, \r and \t written
 * out. */
static size_t netrc_gap(const struct redact_place *place, size_t at)
{
    size_t end = at;
    while (end < place->len && end - at < MARKS_MAX) {
        const char *bytes = place->bytes + end;
        if (redact_is_blank(*bytes) || *bytes == '\n' || *bytes == '\r')
            end++;
        else if (end + 1 < place->len && *bytes == '\\' && strchr("nrt", bytes[1]))
            end += 2;
        else
            break;
    }
    return end - at;
}

static size_t netrc_word(const struct redact_place *place, size_t at)
{
    size_t len = 0;
    while (at + len < place->len && len < NETRC_WORD_MAX &&
           (unsigned char)place->bytes[at + len] > ' ' && !strchr("\\\"'", place->bytes[at + len]))
        len++;
    return len;
}

enum redact_found redact_netrc_look(const struct redact_place *place, size_t name_len,
                                    struct redact_cut *cut)
{
    static const char *const words[] = {"login", "account", "user", "port"};
    size_t at = name_len;
    bool is_value = true; /* the host */
    cut->start = name_len;
    for (int i = 0; i < NETRC_WORDS_MAX; i++) {
        at += netrc_gap(place, at);
        const size_t len = netrc_word(place, at);
        const char *word = place->bytes + at;
        if (redact_is_open(place, at + len) || redact_is_open(place, at + len + 1))
            return REDACT_MORE; /* one more byte is needed to recognize a \n written out */
        if (len == 0 || len == NETRC_WORD_MAX)
            return REDACT_NOT;
        at += len;
        if (is_value) {
            is_value = false;
            continue;
        }
        if ((len == 8 && memcmp(word, "password", 8) == 0) ||
            (len == 6 && memcmp(word, "passwd", 6) == 0))
            break;
        for (size_t known = 0; known < ARRAY_LEN(words); known++)
            is_value =
                is_value || (strlen(words[known]) == len && memcmp(word, words[known], len) == 0);
        if (!is_value)
            return REDACT_NOT;
    }
    at += netrc_gap(place, at);
    const size_t len = netrc_word(place, at);
    if (redact_is_open(place, at + len))
        return REDACT_MORE;
    if (len < 4 || len == NETRC_WORD_MAX || is_placeholder(place->bytes + at, len))
        return REDACT_NOT;
    *cut = (struct redact_cut){.start = at, .end = at + len};
    return REDACT_CUT;
}
