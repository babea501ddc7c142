/* Reads the words of a result or a message: hints about its kind, similarity of two texts, quoted
 * arguments, and repetition within one message. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "entropy_hash.h"
#include "loops_internal.h"
#include "text.h"
#include "utf8.h"
#include "xalloc.h"

/* Hints: phrases that show what kind of result it is. */

enum { LINE_BYTES = 256 };

/* Sorted, for the search by first letter. Matched as whole words in lower case. */
static const struct {
    const char *phrase;
    unsigned hints;
} phrases[] = {
    {"0 files", HINT_EMPTY},
    {"0 found", HINT_EMPTY},
    {"0 hits", HINT_EMPTY},
    {"0 matches", HINT_EMPTY},
    {"0 replacements", HINT_NO_CHANGE},
    {"0 results", HINT_EMPTY},
    {"0 rows", HINT_EMPTY},
    {"0 tests", HINT_EMPTY},
    {"401", CAUSE_FORBIDDEN},
    {"403", CAUSE_FORBIDDEN},
    {"407", CAUSE_FORBIDDEN},
    {"429", HINT_PASSES},
    {"502", HINT_PASSES},
    {"503", HINT_PASSES},
    {"504", HINT_PASSES},
    {"access denied", CAUSE_DENIED},
    {"access is denied", CAUSE_DENIED},
    {"accessdenied", CAUSE_FORBIDDEN},
    {"accessdeniedexception", CAUSE_FORBIDDEN},
    {"added", HINT_ACK},
    {"already", HINT_NO_CHANGE},
    {"are you root", CAUSE_DENIED},
    {"authentication failed", CAUSE_FORBIDDEN},
    {"authentication failure", CAUSE_DENIED},
    {"authentication required", CAUSE_FORBIDDEN},
    {"bad credentials", CAUSE_FORBIDDEN},
    {"bad request", HINT_TROUBLE},
    {"blocked", HINT_TROUBLE},
    {"building", HINT_BUSY},
    {"can't", HINT_TROUBLE},
    {"can't connect", CAUSE_REFUSED},
    {"can't resolve", CAUSE_NAME},
    {"cannot", HINT_TROUBLE},
    {"cannot be resolved", CAUSE_NAME},
    {"cannot connect", HINT_HOPELESS | CAUSE_REFUSED},
    {"cannot resolve", CAUSE_NAME},
    {"certificate is not trusted", CAUSE_CERTIFICATE},
    {"certificate problem", CAUSE_CERTIFICATE},
    {"certificate signed by unknown authority", CAUSE_CERTIFICATE},
    {"certificate verify failed", CAUSE_CERTIFICATE},
    {"command not found", HINT_MISSING},
    {"completed", HINT_OVER},
    {"connecting", HINT_BUSY},
    {"connection refused", CAUSE_REFUSED},
    {"containercreating", HINT_PENDING},
    {"could not be resolved", CAUSE_NAME},
    {"could not connect", CAUSE_REFUSED},
    {"could not find", HINT_EMPTY},
    {"could not get lock", HINT_PASSES},
    {"could not resolve", CAUSE_NAME},
    {"couldn't connect", HINT_PASSES | CAUSE_REFUSED},
    {"couldn't resolve", CAUSE_NAME},
    {"created", HINT_ACK},
    {"database is locked", HINT_PASSES},
    {"deleted", HINT_ACK},
    {"denied", HINT_HOPELESS},
    {"disk full", CAUSE_FULL},
    {"disk quota exceeded", CAUSE_FULL},
    {"does not exist", HINT_EMPTY | HINT_HOPELESS},
    {"did not find", HINT_EMPTY},
    {"done", HINT_OVER | HINT_ACK},
    {"e401", CAUSE_FORBIDDEN},
    {"e403", CAUSE_FORBIDDEN},
    {"eacces", CAUSE_DENIED},
    {"eai_again", CAUSE_NAME},
    {"econnrefused", CAUSE_REFUSED},
    {"econnreset", HINT_PASSES},
    {"ehostunreach", CAUSE_UNREACHABLE},
    {"empty set", HINT_EMPTY},
    {"enetunreach", CAUSE_UNREACHABLE},
    {"enospc", CAUSE_FULL},
    {"enotfound", CAUSE_NAME},
    {"eperm", CAUSE_DENIED},
    {"erofs", CAUSE_READ_ONLY},
    {"errno 1", CAUSE_DENIED},
    {"errno 111", CAUSE_REFUSED},
    {"errno 13", CAUSE_DENIED},
    {"errno 28", CAUSE_FULL},
    {"errno 30", CAUSE_READ_ONLY},
    {"error", HINT_TROUBLE},
    {"errored", HINT_FAILURE},
    {"etimedout", HINT_PASSES},
    {"exception", HINT_TROUBLE},
    {"exited", HINT_OVER},
    {"failed", HINT_OVER},
    {"failed to connect", HINT_PASSES | CAUSE_REFUSED},
    {"failed to lookup address", CAUSE_NAME},
    {"failed to parse", HINT_HOPELESS},
    {"failed to resolve", CAUSE_NAME},
    {"failed to verify certificate", CAUSE_CERTIFICATE},
    {"failure", HINT_FAILURE},
    {"failure resolving", CAUSE_NAME},
    {"fatal", HINT_TROUBLE},
    {"finished", HINT_OVER},
    {"forbidden", HINT_HOPELESS | CAUSE_FORBIDDEN},
    {"getaddrinfo", CAUSE_NAME},
    {"hook declined", CAUSE_FORBIDDEN},
    {"identical", HINT_NO_CHANGE},
    {"in progress", HINT_PENDING},
    {"in_progress", HINT_PENDING},
    {"initializing", HINT_BUSY},
    {"insufficient privilege", CAUSE_DENIED},
    {"insufficient privileges", CAUSE_DENIED},
    {"insufficient scope", CAUSE_FORBIDDEN},
    {"insufficient scopes", CAUSE_FORBIDDEN},
    {"insufficient_scope", CAUSE_FORBIDDEN},
    {"insufficientpermissions", CAUSE_FORBIDDEN},
    {"invalid", HINT_HOPELESS},
    {"invalid credentials", CAUSE_FORBIDDEN},
    {"invalid peer certificate", CAUSE_CERTIFICATE},
    {"is locked by another", HINT_PASSES},
    {"local issuer certificate", CAUSE_CERTIFICATE},
    {"must be root", CAUSE_DENIED},
    {"malformed", HINT_HOPELESS},
    {"name or service not known", CAUSE_NAME},
    {"name resolution", CAUSE_NAME},
    {"network is unreachable", CAUSE_UNREACHABLE},
    {"no address associated", CAUSE_NAME},
    {"no change", HINT_NO_CHANGE},
    {"no changes", HINT_NO_CHANGE},
    {"no data", HINT_EMPTY},
    {"no entries", HINT_EMPTY},
    {"no files", HINT_EMPTY},
    {"no hits", HINT_EMPTY},
    {"no match", HINT_EMPTY | HINT_NO_CHANGE},
    {"no matches", HINT_EMPTY | HINT_NO_CHANGE},
    {"no new output", HINT_PENDING},
    {"no output yet", HINT_PENDING},
    {"no records", HINT_EMPTY},
    {"no results", HINT_EMPTY},
    {"no route to host", CAUSE_UNREACHABLE},
    {"no space left", CAUSE_FULL},
    {"no such", HINT_EMPTY | HINT_HOPELESS},
    {"no such host", CAUSE_NAME},
    {"no test", HINT_EMPTY},
    {"no tests", HINT_EMPTY},
    {"no usages", HINT_EMPTY},
    {"nodename nor servname", CAUSE_NAME},
    {"not authorized", CAUSE_FORBIDDEN | CAUSE_DENIED},
    {"not enough space", CAUSE_FULL},
    {"not found", HINT_EMPTY | HINT_HOPELESS},
    {"not permitted", CAUSE_DENIED},
    {"not ready", HINT_PENDING},
    {"not yet", HINT_PENDING},
    {"nothing found", HINT_EMPTY},
    {"nothing matched", HINT_EMPTY},
    {"nothing to", HINT_NO_CHANGE},
    {"nxdomain", CAUSE_NAME},
    {"ok", HINT_ACK},
    {"operation not permitted", CAUSE_DENIED},
    {"parse error", HINT_HOPELESS},
    {"password is required", CAUSE_DENIED},
    {"pending", HINT_PENDING},
    {"permission denied", CAUSE_DENIED},
    {"permission_denied", CAUSE_FORBIDDEN},
    {"processing", HINT_BUSY},
    {"protected branch", CAUSE_FORBIDDEN},
    {"protected-branches", CAUSE_FORBIDDEN},
    {"proxy authentication required", CAUSE_FORBIDDEN},
    {"queued", HINT_PENDING},
    {"rate limit", HINT_PASSES},
    {"read-only file system", CAUSE_READ_ONLY},
    {"refused", HINT_PASSES},
    {"removed", HINT_ACK},
    {"reset by peer", HINT_PASSES},
    {"resource is denied", CAUSE_FORBIDDEN},
    {"resource not accessible by", CAUSE_FORBIDDEN},
    {"resource temporarily unavailable", HINT_PASSES},
    {"running", HINT_PENDING},
    {"saved", HINT_ACK},
    {"self signed certificate", CAUSE_CERTIFICATE},
    {"self-signed certificate", CAUSE_CERTIFICATE},
    {"self_signed_cert_in_chain", CAUSE_CERTIFICATE},
    {"server can't find", CAUSE_NAME},
    {"server certificate verification failed", CAUSE_CERTIFICATE},
    {"socket hang up", HINT_PASSES},
    {"starting", HINT_BUSY},
    {"still", HINT_PENDING},
    {"succeeded", HINT_OVER},
    {"success", HINT_ACK},
    {"successfully", HINT_ACK},
    {"syntax error", HINT_HOPELESS},
    {"temporarily", HINT_PASSES},
    {"temporary failure resolving", CAUSE_NAME},
    {"timed out", HINT_PASSES},
    {"timeout", HINT_PASSES},
    {"traceback", HINT_TROUBLE},
    {"try again", HINT_PASSES},
    {"unable to", HINT_TROUBLE},
    {"unable to connect", CAUSE_REFUSED},
    {"unable to resolve", CAUSE_NAME},
    {"unable_to_get_issuer_cert_locally", CAUSE_CERTIFICATE},
    {"unable_to_verify_leaf_signature", CAUSE_CERTIFICATE},
    {"unauthenticated", CAUSE_FORBIDDEN},
    {"unauthorized", HINT_HOPELESS | CAUSE_FORBIDDEN},
    {"unchanged", HINT_NO_CHANGE},
    {"unknown", HINT_HOPELESS},
    {"unknown host", CAUSE_NAME},
    {"unknownissuer", CAUSE_CERTIFICATE},
    {"unrecognized", HINT_HOPELESS},
    {"unreachable", HINT_PASSES},
    {"up to date", HINT_NO_CHANGE},
    {"up-to-date", HINT_NO_CHANGE},
    {"updated", HINT_ACK},
    {"waiting", HINT_BUSY},
    {"written", HINT_ACK},
    {"wrote", HINT_ACK},
};

static bool is_word(char c)
{
    return ascii_is_lower(c) || ascii_is_digit(c) || c == '_';
}

/* Returns the hints of the phrases at the start of the text, which is not empty. */
static unsigned hints_at(const char *text, size_t len)
{
    unsigned hints = 0;
    size_t first = 0; /* the first phrase that begins with this byte or a later one */
    size_t high = ARRAY_LEN(phrases);
    while (first < high) {
        const size_t middle = (first + high) / 2;
        if (phrases[middle].phrase[0] < text[0])
            first = middle + 1;
        else
            high = middle;
    }
    for (size_t i = first; i < ARRAY_LEN(phrases); i++) {
        const char *phrase = phrases[i].phrase;
        if (phrase[0] != text[0])
            break;
        const size_t phrase_len = strlen(phrase);
        const bool fits = phrase_len <= len && memcmp(phrase, text, phrase_len) == 0;
        if (fits && (phrase_len == len || !is_word(text[phrase_len])))
            hints |= phrases[i].hints;
    }
    return hints;
}

/* Returns true for "running" in "Running 5 tests" or "server running on port 80": a command reports
 * its own work, not a state that somebody polls. */
static bool is_own_work(const char *line, size_t at, size_t len)
{
    static const char running[] = "running";
    static const char *const places[] = {" on ", " at ", " in ", " as "};
    const size_t word = sizeof(running) - 1;
    if (len - at <= word || memcmp(line + at, running, word) != 0 || line[at + word] != ' ')
        return false;
    const char next = len - at > word + 1 ? line[at + word + 1] : '\0';
    bool own = at == 0 || ascii_is_digit(next);
    for (size_t i = 0; i < ARRAY_LEN(places) && !own; i++)
        own = len - at >= word + 4 && memcmp(line + at + word, places[i], 4) == 0;
    return own;
}

unsigned entropy_hints(const char *line, size_t len)
{
    char lower[LINE_BYTES];
    unsigned hints = 0;
    const size_t kept = len < LINE_BYTES ? len : LINE_BYTES;
    for (size_t i = 0; i < kept; i++)
        lower[i] = ascii_lower(line[i]);
    for (size_t i = 0; i < kept; i++)
        if (is_word(lower[i]) && (i == 0 || !is_word(lower[i - 1])))
            hints |=
                is_own_work(lower, i, kept) ? (unsigned)HINT_BUSY : hints_at(lower + i, kept - i);
    /* An empty list in a JSON result. */
    if (kept > 0 && (lower[0] == '{' || lower[0] == '['))
        for (size_t i = 0; i + 1 < kept; i++)
            if (lower[i] == '[' && lower[i + 1] == ']')
                hints |= HINT_EMPTY;
    return hints;
}

/*
 * Similarity: how many words two texts share.
 */

enum { WORD_BYTES = 64, NAME_BYTES_MIN = 4, ACRONYM_BYTES_MIN = 3, PERCENT = 100 };

/* Reads the word at the start of the text, in lower case and cut at WORD_BYTES; a number becomes
 * "#". Returns the number of bytes read; if the text does not start with a word, returns 0 and sets
 * *word_len to 0. */
static size_t read_word(const unsigned char *text, size_t len, char word[WORD_BYTES],
                        size_t *word_len)
{
    size_t at = 0;
    *word_len = 0;
    if (ascii_is_digit(text[0])) {
        while (at < len && ascii_is_digit(text[at]))
            at++;
        word[(*word_len)++] = '#';
    } else if (ascii_is_letter(text[0])) {
        for (; at < len && ascii_is_letter(text[at]); at++)
            if (*word_len < WORD_BYTES)
                word[(*word_len)++] = (char)(text[at] | 0x20);
    } else if (text[0] >= 0x80) {
        do {
            if (*word_len < WORD_BYTES)
                word[(*word_len)++] = (char)text[at];
            at++;
        } while (at < len && utf8_is_inner((char)text[at]));
    }
    return at;
}

static void put_word(struct word_set *set, uint32_t word)
{
    int low = 0;
    int high = set->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (set->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < set->count && set->words[low] == word)
        return;
    if (set->count == ALIKE_WORDS_MAX)
        return;
    const size_t after = (size_t)(set->count - low);
    memmove(&set->words[low + 1], &set->words[low], after * sizeof(set->words[0]));
    set->words[low] = word;
    set->count++;
}

static bool may_name(const char *word, size_t len)
{
    static const char *const sayers[] = {"echo", "export", "printf"};
    for (size_t i = 0; i < ARRAY_LEN(sayers); i++)
        if (strlen(sayers[i]) == len && memcmp(sayers[i], word, len) == 0)
            return false;
    return len >= NAME_BYTES_MIN;
}

static void add_words(struct word_set *set, const char *text, size_t len, bool only_names)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t end = len < ALIKE_BYTES_MAX ? len : ALIKE_BYTES_MAX;
    for (size_t at = 0; at < end && set->count < ALIKE_WORDS_MAX;) {
        char word[WORD_BYTES];
        size_t word_len;
        if (bytes[at] == '\\' && at + 1 < end && strchr("nrt", text[at + 1])) {
            at += 2; /* an escaped line feed or tab: its letter belongs to no word */
            continue;
        }
        const size_t read = read_word(bytes + at, end - at, word, &word_len);
        if (read > 0 && (!only_names || may_name(word, word_len)))
            put_word(set, (uint32_t)entropy_hash(word, word_len));
        at += read > 0 ? read : 1;
    }
}

void word_set_add(struct word_set *set, const char *text, size_t len)
{
    add_words(set, text, len, false);
}

void word_set_add_names(struct word_set *set, const char *text, size_t len)
{
    add_words(set, text, len, true);
}

/* Returns true for a byte that separates words as they are written. */
static bool is_between_words(char c)
{
    return ascii_is_blank(c) || (c != '\0' && strchr("\"()[]{}<>,;", c));
}

static bool is_in_word(char c)
{
    return ascii_is_letter(c) || ascii_is_digit(c) || (unsigned char)c >= 0x80;
}

/* Returns true if the word may name something: it has a digit, an underscore, a slash, a dot, or a
 * capital after a small letter, or consists of at least ACRONYM_BYTES_MIN capitals. */
static bool is_marked(const char *word, size_t len)
{
    size_t capitals = 0;
    for (size_t i = 0; i < len; i++) {
        const bool capital = ascii_is_upper(word[i]);
        if (ascii_is_digit(word[i]) || word[i] == '_' || word[i] == '/' || word[i] == '.' ||
            (i > 0 && capital && ascii_is_lower(word[i - 1])))
            return true;
        capitals += capital;
    }
    return len >= ACRONYM_BYTES_MIN && capitals == len;
}

void word_set_add_written(struct word_set *set, const char *text, size_t len, bool only_marked)
{
    const size_t end = len < ALIKE_BYTES_MAX ? len : ALIKE_BYTES_MAX;
    for (size_t at = 0; at < end && set->count < ALIKE_WORDS_MAX;) {
        char word[WORD_BYTES];
        size_t start = at;
        while (at < end && !is_between_words(text[at]))
            at++;
        size_t stop = at;
        at += at == start;
        const bool is_quoted = stop > start && text[start] == '`';
        while (start < stop && !is_in_word(text[start]))
            start++;
        while (stop > start && !is_in_word(text[stop - 1]))
            stop--;
        const size_t word_len = stop - start < sizeof(word) ? stop - start : sizeof(word);
        if (word_len == 0 || (only_marked && !is_quoted && !is_marked(text + start, stop - start)))
            continue;
        for (size_t i = 0; i < word_len; i++)
            word[i] = ascii_lower(text[start + i]);
        put_word(set, (uint32_t)entropy_hash(word, word_len));
    }
}

uint64_t entropy_words_sum(const char *text, size_t len)
{
    uint64_t sum = 0;
    for (size_t at = 0; at < len;) {
        const size_t start = at;
        while (at < len && !is_between_words(text[at]))
            at++;
        sum += at > start ? entropy_hash(text + start, at - start) : 0;
        at += at == start;
    }
    return sum;
}

static int count_common(const struct word_set *a, const struct word_set *b)
{
    int common = 0;
    int i = 0;
    int j = 0;
    while (i < a->count && j < b->count) {
        if (a->words[i] == b->words[j]) {
            common++;
            i++;
            j++;
        } else if (a->words[i] < b->words[j]) {
            i++;
        } else {
            j++;
        }
    }
    return common;
}

int word_set_alike(const struct word_set *a, const struct word_set *b)
{
    const int common = count_common(a, b);
    const int all = a->count + b->count - common;
    return all > 0 ? common * PERCENT / all : 0;
}

int word_set_within(const struct word_set *a, const struct word_set *b)
{
    return a->count > 0 ? count_common(a, b) * PERCENT / a->count : 0;
}

void word_set_unite(struct word_set *set, const struct word_set *other)
{
    for (int i = 0; i < other->count; i++)
        put_word(set, other->words[i]);
}

/* Keeps the words that are in the other set or, if in_other is false, the words that are not. */
static void keep_words(struct word_set *set, const struct word_set *other, bool in_other)
{
    int kept = 0;
    int j = 0;
    for (int i = 0; i < set->count; i++) {
        while (j < other->count && other->words[j] < set->words[i])
            j++;
        const bool found = j < other->count && other->words[j] == set->words[i];
        if (found == in_other)
            set->words[kept++] = set->words[i];
    }
    set->count = kept;
}

void word_set_remove(struct word_set *set, const struct word_set *other)
{
    keep_words(set, other, false);
}

void word_set_intersect(struct word_set *set, const struct word_set *other)
{
    keep_words(set, other, true);
}

uint64_t word_set_hash(const struct word_set *set)
{
    return entropy_hash(set->words, (size_t)set->count * sizeof(set->words[0]));
}

/*
 * Echoes: a quoted argument is one echo, not one for each of its words.
 */

enum { ECHO_WORD_BYTES = 3 /* minimum letters of a meaningful word */ };

static const char mark[] = "<arg>";
enum { MARK_BYTES = sizeof(mark) - 1 };

static bool is_mark(const char *line, size_t len, size_t at)
{
    return len - at >= MARK_BYTES && memcmp(line + at, mark, MARK_BYTES) == 0;
}

/* Returns where the quotation that continues at `at` ends: at a digit, the `<` of another mark,
 * a word, or the end of the line. */
static size_t skip_between(const char *line, size_t len, size_t at)
{
    size_t word = 0;
    for (size_t i = at; i < len; i++) {
        if (is_mark(line, len, i))
            return i;
        if (line[i] == '<' || ascii_is_digit(line[i]))
            return i - word;
        const bool letter = ascii_is_letter(line[i]) || (unsigned char)line[i] >= 0x80;
        word = letter ? word + 1 : 0;
        if (word == ECHO_WORD_BYTES)
            return i + 1 - word;
    }
    return len;
}

size_t entropy_echo_join(const char *line, size_t len, char out[ECHO_BYTES_MAX])
{
    size_t out_len = 0;
    bool joined = false;
    if (len > ECHO_BYTES_MAX)
        return 0;
    for (size_t at = 0; at < len;) {
        if (!is_mark(line, len, at)) {
            out[out_len++] = line[at++];
            continue;
        }
        memcpy(out + out_len, mark, MARK_BYTES);
        out_len += MARK_BYTES;
        while (at < len && is_mark(line, len, at)) {
            const size_t next = skip_between(line, len, at + MARK_BYTES);
            joined = joined || next > at + MARK_BYTES;
            at = next;
        }
    }
    return joined ? out_len : 0;
}

/* Announcements: how often a message says that something will be repeated. */

/* Returns the number that a word stands for, at most ANNOUNCED_MAX, or 0 if it is not a number. */
static int number_of_word(const char *word, size_t len)
{
    static const struct {
        const char *word;
        int number;
    } numbers[] = {{"five", 5},     {"six", 6},     {"eight", 8},   {"ten", 10},  {"twelve", 12},
                   {"fifteen", 15}, {"twenty", 20}, {"thirty", 30}, {"forty", 40}};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (strlen(numbers[i].word) == len && memcmp(numbers[i].word, word, len) == 0)
            return numbers[i].number;
    int number = 0;
    for (size_t i = 0; i < len; i++) {
        if (!ascii_is_digit(word[i]))
            return 0;
        number = number * 10 + (word[i] - '0');
        if (number > ANNOUNCED_MAX)
            number = ANNOUNCED_MAX;
    }
    return number;
}

int entropy_announced(const char *text, size_t len)
{
    static const char *const units[] = {"times", "runs", "iterations", "repetitions", "rounds"};
    static const char *const plans[] = {"will", "ll", "let", "going"};
    static const char *const others[] = {"faster", "slower", "longer", "larger", "smaller",
                                         "more",   "as",     "the",    "a"};
    enum { GAP_MAX = 2 }; /* maximum words from a number to its unit */
    char word[WORD_BYTES];
    size_t word_len = 0;
    int number = 0, since = 0, most = 0;
    int candidate = 0; /* "20 times", unless the next word gives it another meaning */
    bool is_plan = false;
    for (size_t i = 0; i <= len; i++) {
        const char c = i < len ? ascii_lower(text[i]) : '.';
        if (is_word(c)) {
            if (word_len < sizeof(word) - 1)
                word[word_len++] = c;
            continue;
        }
        word[word_len] = '\0';
        if (word_len > 0) {
            if (candidate > most && !text_is_in(others, ARRAY_LEN(others), word))
                most = candidate;
            candidate = 0;
            since++;
            const int value = number_of_word(word, word_len);
            if (value > 0) {
                number = is_plan ? value : 0;
                since = 0;
            } else if (since <= GAP_MAX && text_is_in(units, ARRAY_LEN(units), word)) {
                candidate = number;
            }
            is_plan = is_plan || text_is_in(plans, ARRAY_LEN(plans), word);
            word_len = 0;
        }
        if (c == '.' || c == '!' || c == '?' || c == '\n') {
            most = candidate > most ? candidate : most;
            candidate = number = 0;
            is_plan = false;
        }
    }
    return most;
}

/*
 * Chants: one message that repeats itself. Code blocks, lists, tables, quotations and rules are
 * skipped: they repeat by design.
 */

enum {
    LETTERS_MIN = 3,  /* a piece with fewer different letters is ornament */
    RULE_LEAD = 0xe2, /* first byte of U+2000..U+2FFF: dashes, boxes, blocks, arrows */
    RULE_BYTES = 3,
};

/* Returns true for an empty line and for lines that repeat by design: "- x", "* x", "+ x", "12. x",
 * "3) x", "| x", "> x". */
static bool is_by_design(const char *line, size_t len)
{
    if (len == 0)
        return true;
    if (strchr("|>", line[0]))
        return true;
    if (len > 1 && strchr("-*+", line[0]) && line[1] == ' ')
        return true;
    size_t digits = 0;
    while (digits < len && ascii_is_digit(line[digits]))
        digits++;
    return digits > 0 && digits < len && strchr(".)", line[digits]);
}

/* Copies the words of a line, each followed by one blank; skips drawn rules. */
static size_t copy_words(const char *line, size_t len, char *out)
{
    size_t out_len = 0;
    for (size_t i = 0; i < len; i++) {
        if ((unsigned char)line[i] == RULE_LEAD) {
            i += RULE_BYTES - 1;
            continue;
        }
        if (loops_is_blank(line[i]) && (out_len == 0 || out[out_len - 1] == ' '))
            continue;
        out[out_len++] = loops_is_blank(line[i]) ? ' ' : line[i];
    }
    if (out_len > 0 && out[out_len - 1] != ' ')
        out[out_len++] = ' ';
    return out_len;
}

/* Copies the prose of the message. `out` must have room for one more byte than the message. */
static size_t copy_prose(const char *text, size_t len, char *out)
{
    const char *message_end = text + len;
    size_t out_len = 0;
    bool fenced = false;
    while (text < message_end) {
        const char *feed = memchr(text, '\n', (size_t)(message_end - text));
        const char *line = text;
        const char *end = feed ? feed : message_end;
        text = feed ? feed + 1 : message_end;
        while (line < end && loops_is_blank(line[0]))
            line++;
        while (line < end && loops_is_blank(end[-1]))
            end--;
        const size_t line_len = (size_t)(end - line);
        const bool fence =
            line_len >= 3 && (memcmp(line, "```", 3) == 0 || memcmp(line, "~~~", 3) == 0);
        fenced = fenced != fence;
        if (!fenced && !fence && !is_by_design(line, line_len))
            out_len += copy_words(line, line_len, out + out_len);
    }
    return out_len;
}

/* Returns true for words, false for ornament such as "=====" or "ha ha". */
static bool has_letters(const char *piece, size_t len)
{
    unsigned seen = 0;
    int letters = 0;
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)piece[i];
        if (byte >= 0x80)
            return true;
        const unsigned letter = (byte | 0x20u) - 'a';
        if (letter > 'z' - 'a' || seen & 1u << letter)
            continue;
        seen |= 1u << letter;
        letters++;
    }
    return letters >= LETTERS_MIN;
}

/* Returns true if a piece of `period` bytes repeats `periods` times in a row. Neighboring blocks of
 * that length are then equal, wherever they begin, so comparing a few blocks is enough. */
static bool chants_with_period(const char *text, size_t len, size_t period, size_t periods)
{
    const size_t wanted = period * periods;
    if (wanted > len)
        return false;
    /* A run of `wanted` bytes has equal neighboring blocks at its first `step` positions, so
     * checking every `step` bytes is enough. */
    const size_t step = periods > 2 ? period * (periods - 2) : 1;
    for (size_t at = 0; at + 2 * period <= len; at += step) {
        if (memcmp(text + at, text + at + period, period) != 0)
            continue;
        /* Extends the block in both directions while its bytes equal the bytes one period later. */
        size_t start = at;
        size_t end = at;
        while (end + period < len && text[end] == text[end + period])
            end++;
        while (start > 0 && text[start - 1] == text[start - 1 + period])
            start--;
        if (end - start + period >= wanted && has_letters(text + at, period))
            return true;
    }
    return false;
}

bool entropy_chants(const char *text, size_t len, int periods)
{
    if (periods < 2 || len < (size_t)periods * CHANT_PERIOD_MIN)
        return false;
    if (len > CHANT_BYTES_MAX) {
        text += len - CHANT_BYTES_MAX;
        len = CHANT_BYTES_MAX;
    }
    char *prose = xcalloc(len + 1, 1);
    const size_t prose_len = copy_prose(text, len, prose);
    bool chants = false;
    for (size_t period = CHANT_PERIOD_MIN; period <= CHANT_PERIOD_MAX && !chants; period++)
        chants = chants_with_period(prose, prose_len, period, (size_t)periods);
    free(prose);
    return chants;
}
