/* token_key.c - values whose key says that they move (rules 4, 9, 10 and 11). */
#include <stdlib.h>

#include "attr.h"
#include "token_scan.h"

enum {
    KEY_MAX = 24,         /* letters of a key */
    VALUE_MAX = 512,      /* bytes of a value; a longer one is content */
    BARE_VALUE_MAX = 128, /* where no quotes hold it together */
};

/* Where the value of a key is masked: only in JSON, an attribute or an assignment, or also
 * after "key: " in plain text. */
enum key_form { KEY_STRICT, KEY_ANYWHERE };

/* Sorted; small letters without '-' and '_'. */
static const struct key {
    const char *name;
    enum token_name token;
    enum normaliser_mask mask;
    enum key_form form;
} keys[] = {
    {"attempt", TOKEN_TRY, NORMALISER_TRIES, KEY_ANYWHERE},
    {"bitrate", TOKEN_RATE, NORMALISER_RATES, KEY_STRICT},
    {"completedat", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"correlationid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"createdat", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"duration", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_STRICT},
    {"durationms", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_ANYWHERE},
    {"durationseconds", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_ANYWHERE},
    {"elapsed", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_STRICT},
    {"elapsedms", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_ANYWHERE},
    {"etag", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"expiresat", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"finishedat", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"fps", TOKEN_RATE, NORMALISER_RATES, KEY_STRICT},
    {"iteration", TOKEN_TRY, NORMALISER_TRIES, KEY_ANYWHERE},
    {"latencyms", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_ANYWHERE},
    {"messageid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"nonce", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"pgid", TOKEN_PID, NORMALISER_PIDS, KEY_ANYWHERE},
    {"pid", TOKEN_PID, NORMALISER_PIDS, KEY_ANYWHERE},
    {"ppid", TOKEN_PID, NORMALISER_PIDS, KEY_ANYWHERE},
    {"requestid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"retry", TOKEN_TRY, NORMALISER_TRIES, KEY_ANYWHERE},
    {"runid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"seed", TOKEN_SEED, NORMALISER_SEEDS, KEY_ANYWHERE},
    {"sessionid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"shellid", TOKEN_PID, NORMALISER_PIDS, KEY_ANYWHERE}, /* Copilot counts its commands */
    {"spanid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"speed", TOKEN_RATE, NORMALISER_RATES, KEY_STRICT},
    {"startedat", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"starttime", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"tid", TOKEN_PID, NORMALISER_PIDS, KEY_ANYWHERE},
    {"time", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_STRICT},
    {"timestamp", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"tookms", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_ANYWHERE},
    {"traceid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"try", TOKEN_TRY, NORMALISER_TRIES, KEY_ANYWHERE},
    {"ts", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"updatedat", TOKEN_VALUE, NORMALISER_TIMES, KEY_ANYWHERE},
    {"uptime", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_STRICT},
    {"xamzrequestid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"xcorrelationid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"xrequestid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"xruntime", TOKEN_VALUE, NORMALISER_DURATIONS, KEY_ANYWHERE},
    {"xtraceid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
};

/* Most words before a ':' are no key, and their first or last letter says so. */
static bool may_be_key(byte first, byte last)
{
    return strchr("abcdefilmnprstux", first | 0x20) && strchr("degnpsty", last | 0x20);
}

static int compare_key(const void *wanted, const void *row)
{
    return strcmp(wanted, ((const struct key *)row)->name);
}

/* The key that from..to is, its case and joints aside. */
static const struct key *key_named(const byte *from, const byte *to)
{
    char name[KEY_MAX + 1];
    size_t len = 0;
    for (const byte *p = from; p < to; p++) {
        if (*p == '_' || *p == '-')
            continue;
        if (len == KEY_MAX)
            return NULL;
        name[len++] = (char)(byte_is(*p, CLASS_UPPER) ? *p + ('a' - 'A') : *p);
    }
    name[len] = '\0';
    return len < 2 ? NULL : bsearch(name, keys, ARRAY_LEN(keys), sizeof(keys[0]), compare_key);
}

/* A key that ends at `to`, with what may join its words. */
static const byte *key_start(const struct token_scan *scan, const byte *to)
{
    const byte *from = to;
    while (from > scan->start && to - from < 2 * KEY_MAX &&
           (byte_is(from[-1], CLASS_LETTER) || from[-1] == '_' || from[-1] == '-'))
        from--;
    while (from < to && (*from == '-' || *from == '_'))
        from++; /* an option's dashes */
    return from;
}

/* The end of the opening quote of a value, "\"" in JSON that is text of JSON; `at` if there
 * is none. */
static const byte *skip_quote(const struct token_scan *scan, const byte *at)
{
    const byte *quote = at + (byte_at(scan, at) == '\\');
    return byte_at(scan, quote) == '"' || byte_at(scan, quote) == '\'' ? quote + 1 : at;
}

/* The end of a value; NULL if it is too long or a quote is never closed. */
static const byte *value_end(const struct token_scan *scan, const byte *at, bool quoted)
{
    const byte quote = quoted ? at[-1] : 0;
    const ptrdiff_t most = quoted ? VALUE_MAX : BARE_VALUE_MAX;
    const byte *limit = scan->end - at > most ? at + most : scan->end;
    const byte *p = at;
    while (p < limit && (quoted ? *p != quote : !strchr(" ,;)]}\"'&<>", *p)))
        p++;
    if (p == limit && (quoted || limit != scan->end))
        return NULL;
    if (quoted && p > at && p[-1] == '\\')
        p--;
    return p;
}

static bool has_digit(const byte *from, const byte *to)
{
    while (from < to && !byte_is(*from, CLASS_DIGIT))
        from++;
    return from < to;
}

bool token_keyed(const struct token_scan *scan, const byte *at, struct token *out)
{
    if (byte_at(scan, at + 1) == ':')
        return false; /* file::test, std::string */
    const byte *to = at;
    to -= to > scan->start && to[-1] == ' ';
    const byte last = byte_before(scan, to);
    const bool quoted_key = last == '"' || last == '\'';
    if (quoted_key)
        to -= 1 + (to - scan->start > 1 && to[-2] == '\\');
    else if (!byte_is(last, CLASS_LETTER) || to != at)
        return false;
    const byte *name = key_start(scan, to);
    const struct key *key = name < to && may_be_key(*name, to[-1]) ? key_named(name, to) : NULL;
    bool spoken = *at == ':' && !quoted_key; /* but not main.ts:88 */
    if (!key || (spoken && (key->form == KEY_STRICT || byte_before(scan, name) == '.')))
        return false;

    const byte *from = at + 1;
    from += byte_at(scan, from) == ' ';
    const byte *inner = skip_quote(scan, from);
    const byte *end = value_end(scan, inner, inner != from);
    if (!end || end == inner)
        return false;
    bool number_only = key->token != TOKEN_VALUE;
    bool fits = number_only ? byte_is(*inner, CLASS_DIGIT) : inner != from || has_digit(inner, end);
    return fits && token_set(out, inner, end, key->token, key->mask);
}
