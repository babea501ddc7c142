/* token_key.c - numbers that a word before them explains (rules 1, 4, 9 and 10). */
#include <stdlib.h>

#include "attr.h"
#include "token_scan.h"

enum {
    KEY_MAX = 24,     /* letters of a key */
    VALUE_MAX = 512,  /* bytes of a value; a longer one is content */
    PORT_MIN = 33000, /* below are ports that people chose */
    PORT_MAX = 65535,
    PID_LEN_MIN = 3, /* of a number in brackets: shorter ones are indexes */
    PID_LEN_MAX = 8,
    HARNESS_MAX = 200,
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
    {"pid", TOKEN_PID, NORMALISER_PIDS, KEY_ANYWHERE},
    {"ppid", TOKEN_PID, NORMALISER_PIDS, KEY_ANYWHERE},
    {"requestid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"retry", TOKEN_TRY, NORMALISER_TRIES, KEY_ANYWHERE},
    {"runid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
    {"seed", TOKEN_SEED, NORMALISER_SEEDS, KEY_ANYWHERE},
    {"sessionid", TOKEN_VALUE, NORMALISER_IDS, KEY_ANYWHERE},
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
};

/* Most words before a ':' are no key, and their first or last letter says so. */
static bool may_be_key(byte first, byte last)
{
    return strchr("abcdefilmnprstu", first | 0x20) && strchr("degnpsty", last | 0x20);
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
    const byte *limit = scan->end - at > VALUE_MAX ? at + VALUE_MAX : scan->end;
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
    if (!key || (*at == ':' && !quoted_key && key->form == KEY_STRICT))
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

/* Words after which a number counts tries, or names a process or a seed. */
static const struct {
    const char *word;
    byte last; /* letter */
    enum token_name token;
    enum normaliser_mask mask;
} spoken[] = {
    {"attempt", 't', TOKEN_TRY, NORMALISER_TRIES},   {"retry", 'y', TOKEN_TRY, NORMALISER_TRIES},
    {"retrying", 'g', TOKEN_TRY, NORMALISER_TRIES},  {"try", 'y', TOKEN_TRY, NORMALISER_TRIES},
    {"iteration", 'n', TOKEN_TRY, NORMALISER_TRIES}, {"pid", 'd', TOKEN_PID, NORMALISER_PIDS},
    {"ppid", 'd', TOKEN_PID, NORMALISER_PIDS},       {"tid", 'd', TOKEN_PID, NORMALISER_PIDS},
    {"process", 's', TOKEN_PID, NORMALISER_PIDS},    {"goroutine", 'e', TOKEN_PID, NORMALISER_PIDS},
    {"thread", 'd', TOKEN_PID, NORMALISER_PIDS},     {"worker", 'r', TOKEN_PID, NORMALISER_PIDS},
    {"seed", 'd', TOKEN_SEED, NORMALISER_SEEDS},     {"port", 't', TOKEN_PORT, NORMALISER_PORTS},
};

/* Does the text that ends at `to` end with this word, alone or as the last part of a name
 * (random_seed, ForkPoolWorker)? */
static bool ends_with_word(const struct token_scan *scan, const byte *to, const char *word)
{
    const ptrdiff_t len = (ptrdiff_t)strlen(word);
    const byte *from = to - len;
    if (to - scan->start < len || (*from | 0x20) != (byte)word[0])
        return false;
    for (ptrdiff_t i = 1; i < len; i++) {
        if ((from[i] | 0x20) != (byte)word[i])
            return false;
    }
    const byte before = byte_before(scan, from);
    bool hump = byte_is(*from, CLASS_UPPER) && byte_is(before, CLASS_LOWER);
    return hump || before == '_' || !byte_is(before, CLASS_WORD);
}

static bool is_dynamic_port(const struct token_word *word)
{
    int port = 0;
    if (word->to - word->from != 5)
        return false;
    for (const byte *p = word->from; p < word->to; p++)
        port = port * 10 + (*p - '0');
    return port >= PORT_MIN && port <= PORT_MAX;
}

/* "3", "3/5", "3 of 5". */
static const byte *try_end(const struct token_scan *scan, const byte *at)
{
    const byte *most = at;
    if (byte_at(scan, at) == '/')
        most = at + 1;
    else if (token_is_next(scan, at, " of "))
        most = at + 4;
    const byte *end = run_end(scan, most, CLASS_DIGIT);
    return most > at && end > most ? end : at;
}

static bool find_spoken(const struct token_scan *scan, const struct token_word *word,
                        struct token *out)
{
    const byte *to = word->from;
    while (to > scan->start && word->from - to < 3 && strchr(" #:=-(", to[-1]))
        to--;
    if (to == word->from || !byte_is(byte_before(scan, to), CLASS_LETTER))
        return false;
    const byte last = to[-1] | 0x20;
    for (size_t i = 0; i < ARRAY_LEN(spoken); i++) {
        if (last != spoken[i].last || !ends_with_word(scan, to, spoken[i].word))
            continue;
        if (spoken[i].token == TOKEN_PORT && !is_dynamic_port(word))
            return false;
        const byte *end = spoken[i].token == TOKEN_TRY ? try_end(scan, word->to) : word->to;
        return token_set(out, word->from, end, spoken[i].token, spoken[i].mask);
    }
    return false;
}

/* "nginx[4711]:"; but a short number in brackets is an index. */
static bool find_bracketed(const struct token_scan *scan, const struct token_word *word,
                           struct token *out)
{
    const ptrdiff_t len = word->to - word->from;
    bool named = byte_before(scan, word->from) == '[' && word->from - scan->start >= 2 &&
                 byte_is(word->from[-2], CLASS_WORD);
    return named && len >= PID_LEN_MIN && len <= PID_LEN_MAX &&
           token_is_next(scan, word->to, "]:") &&
           token_set(out, word->from, word->to, TOKEN_PID, NORMALISER_PIDS);
}

/* "localhost:41234", "10.0.0.1:54321", "[::1]:54321"; not the line of a file. */
static bool find_port(const struct token_scan *scan, const struct token_word *word,
                      struct token *out)
{
    if (byte_before(scan, word->from) != ':' || !is_dynamic_port(word) ||
        byte_at(scan, word->to) == ':')
        return false;
    const byte *to = word->from - 1;
    const byte *from = to;
    bool has_point = false;
    while (from > scan->start && to - from < KEY_MAX * 2 &&
           (byte_is(from[-1], CLASS_WORD) || from[-1] == '.' || from[-1] == '-')) {
        from--;
        has_point |= *from == '.';
    }
    const byte before = byte_before(scan, from);
    bool host = from < to && (has_point || before == '/' || before == '@' ||
                              ends_with_word(scan, to, "localhost"));
    bool bracket = byte_before(scan, to) == ']' || byte_before(scan, to) == '*';
    return (host || bracket) && token_set(out, word->from, word->to, TOKEN_PORT, NORMALISER_PORTS);
}

bool token_number(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const byte *at = word->from;
    /* pytest's "[gw3]" */
    if (word->to - at <= 4 && at[0] == 'g' && byte_before(scan, at) == '[' &&
        token_is_next(scan, at, "gw") && byte_at(scan, word->to) == ']')
        return token_set(out, at, word->to, TOKEN_PID, NORMALISER_PIDS);
    if (!(word->all_classes & CLASS_DIGIT))
        return false;
    bool fraction =
        byte_at(scan, word->to) == '.' && byte_is(byte_at(scan, word->to + 1), CLASS_DIGIT);
    if (fraction)
        return false;
    return find_bracketed(scan, word, out) || find_port(scan, word, out) ||
           find_spoken(scan, word, out);
}

/* "(12/12 lines shown, read 4 times)": what a harness added about its own reading. */
bool token_harness(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    if (byte_before(scan, word->from) != '(' || byte_at(scan, word->to) != '/')
        return false;
    const byte *total = run_end(scan, word->to + 1, CLASS_DIGIT);
    if (!token_is_next(scan, total, " lines shown"))
        return false;
    const byte *p = total;
    while (p < scan->end && p - total < HARNESS_MAX && *p != ')')
        p++;
    return byte_at(scan, p) == ')' &&
           token_set(out, word->from - 1, p + 1, TOKEN_NOTHING, NORMALISER_TRIES);
}

/* At the line's start, where a shell says which process it put in the background. */
bool token_pid_of_job(const struct token_scan *scan, struct token *out)
{
    if (*scan->start != '[')
        return false;
    const byte *at = run_end(scan, scan->start + 1, CLASS_DIGIT);
    if (at == scan->start + 1 || !token_is_next(scan, at, "] "))
        return false;
    const byte *pid = at + 2;
    const byte *end = run_end(scan, pid, CLASS_DIGIT);
    return end == scan->end && end - pid >= 2 && end - pid <= PID_LEN_MAX &&
           token_set(out, pid, end, TOKEN_PID, NORMALISER_PIDS);
}
