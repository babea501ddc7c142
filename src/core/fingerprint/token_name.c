/*
 * Tokens that name something: ids, hashes and paths.
 */
#include <stdlib.h>

#include "attr.h"
#include "fingerprint_internal.h"

/*
 * Ids and hashes: generated for each request or object (rules 4, 5 and 7).
 */

static unsigned classes_of(const byte *from, const byte *to)
{
    unsigned classes = 0;
    for (const byte *p = from; p < to; p++)
        classes |= token_classes[*p];
    return classes;
}

/* Counts the parts of a word, split at digits and before a capital that follows a lower-case
 * letter. Random text has many parts for its length, names chosen by people have few. */
static int token_parts(const byte *from, const byte *to)
{
    int parts = from < to;
    for (const byte *p = from + 1; p < to; p++) {
        bool hump = byte_is(p[-1], CLASS_LOWER) && byte_is(*p, CLASS_UPPER);
        bool digit = byte_is(p[-1], CLASS_DIGIT) != byte_is(*p, CLASS_DIGIT);
        parts += hump || digit;
    }
    return parts;
}

enum {
    KEY_MAX = 24,         /* maximum letters of a key */
    VALUE_MAX = 512,      /* maximum bytes of a value; a longer value is content */
    BARE_VALUE_MAX = 128, /* maximum bytes of a value without quotes */
};

/* Where the value of a key is masked: only in JSON, an attribute or an assignment, or also after
 * "key: " in plain text. */
enum key_form { KEY_STRICT, KEY_ANYWHERE };

/* Sorted; lower case, without '-' and '_'. */
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

static int compare_key(const void *wanted, const void *row)
{
    return strcmp(wanted, ((const struct key *)row)->name);
}

/* Returns the key whose name is from..to, ignoring case, '-' and '_'; NULL if there is none. */
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

/* Returns the start of the key that ends at `to`. A key may contain '-' and '_', but does not begin
 * with them. */
static const byte *key_start(const struct token_scan *scan, const byte *to)
{
    const byte *from = to;
    while (from > scan->start && to - from < 2 * KEY_MAX &&
           (byte_is(from[-1], CLASS_LETTER) || from[-1] == '_' || from[-1] == '-'))
        from--;
    while (from < to && (*from == '-' || *from == '_'))
        from++; /* skip the dashes of an option */
    return from;
}

/* Returns the end of a value; NULL if it is too long or its quote is never closed. */
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

bool token_keyed(const struct token_scan *scan, const byte *at, struct token *out)
{
    if (byte_at(scan, at + 1) == ':')
        return false; /* not a key: file::test, std::string */
    const byte *to = at;
    to -= to > scan->start && to[-1] == ' ';
    const byte last = byte_before(scan, to);
    const bool quoted_key = last == '"' || last == '\'';
    if (quoted_key)
        to -= 1 + (to - scan->start > 1 && to[-2] == '\\');
    else if (!byte_is(last, CLASS_LETTER) || to != at)
        return false;
    const byte *name = key_start(scan, to);
    /* Most words before a ':' are not keys, as their first or last letter shows. */
    const bool may_be_key =
        name < to && strchr("abcdefilmnprstux", *name | 0x20) && strchr("degnpsty", to[-1] | 0x20);
    const struct key *key = may_be_key ? key_named(name, to) : NULL;
    bool spoken = *at == ':' && !quoted_key; /* not for main.ts:88 */
    if (!key || (spoken && (key->form == KEY_STRICT || byte_before(scan, name) == '.')))
        return false;

    const byte *from = at + 1;
    from += byte_at(scan, from) == ' ';
    /* Skip the opening quote, if there is one: "\"" in JSON within JSON. */
    const byte *quote = from + (byte_at(scan, from) == '\\');
    const byte *inner =
        byte_at(scan, quote) == '"' || byte_at(scan, quote) == '\'' ? quote + 1 : from;
    const byte *end = value_end(scan, inner, inner != from);
    if (!end || end == inner)
        return false;
    bool number_only = key->token != TOKEN_VALUE;
    bool fits = number_only ? byte_is(*inner, CLASS_DIGIT)
                            : inner != from || (classes_of(inner, end) & CLASS_DIGIT);
    return fits && token_set(out, inner, end, key->token, key->mask);
}

enum {
    UUID_LEN = 36,
    HEX_MIN = 7,
    HEX_SURE = 12, /* minimum length for which digits alone suffice */
    HEX_MAX = 128, /* hex digits of a SHA-512 digest */
    JOINED_HEX_MIN = 6,
    POD_SET_MIN = 8, /* minimum length of the generated name of a pod's replica set */
    POD_SET_MAX = 10,
    POD_LEN = 5,
    NAME_MIN = 5, /* minimum letters of a word that happens to be hex */
    NAME_MAX = 8, /* maximum length of a hex word with a number after it */
    ID_MIN = 16,
    ID_MAX = 128,
    SPELT_PERCENT = 38, /* maximum percentage of an id in runs of lower-case letters */
    SECRET_PART_MAX = 2048,
    POINTER_HALF = 8, /* hex digits on each side of a debugger's grave accent */
};

/* Finds a UUID at the word, or one that begins a group earlier if that group has no digit. */
static bool find_uuid(const struct token_scan *scan, const struct token_word *word,
                      struct token *out)
{
    const ptrdiff_t len = word->to - word->from;
    const byte *at = word->from;
    if (len == 4 && byte_before(scan, at) == '-' && at - scan->floor >= 9)
        at -= 9;
    else if (len != 8)
        return false;
    bool inside = at > scan->start && byte_is(at[-1], CLASS_WORD);
    if (inside || scan->end - at < UUID_LEN)
        return false;
    for (int i = 0; i < UUID_LEN; i++) {
        bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? at[i] != '-' : !byte_is(at[i], CLASS_HEX))
            return false;
    }
    return !byte_is(byte_at(scan, at + UUID_LEN), CLASS_WORD) &&
           token_set(out, at, at + UUID_LEN, TOKEN_UUID, NORMALISER_IDS);
}

/* Returns the end of a run of URL-safe base64 of at most `max` bytes. */
static const byte *base64_end(const struct token_scan *scan, const byte *at, ptrdiff_t max)
{
    const byte *end = scan->end - at > max ? at + max : scan->end;
    while (at < end && ((byte_is(*at, CLASS_WORD) && *at < 0x80) || *at == '-'))
        at++;
    return at;
}

/* Finds a signed token, which begins with {" in base64 and has parts. */
static bool find_web_token(const struct token_scan *scan, const struct token_word *word,
                           struct token *out)
{
    if (!token_is_next(scan, word->from, "eyJ") || byte_before(scan, word->from) == '-')
        return false;
    const byte *end = base64_end(scan, word->from, SECRET_PART_MAX);
    const byte *head = end;
    for (int part = 0; part < 2 && byte_at(scan, end) == '.'; part++) {
        const byte *next = base64_end(scan, end + 1, SECRET_PART_MAX);
        if (next == end + 1)
            break;
        end = next;
    }
    return end > head && token_set(out, word->from, end, TOKEN_SECRET, NORMALISER_IDS);
}

/* Returns true for at least sixteen characters of both cases and digits, mixed as no person would
 * mix them: hardly any runs of letters, or parts of fewer than three letters on average. Names such
 * as testParsesRfc3339Times have longer parts. */
static bool is_made_up(const byte *from, const byte *to)
{
    const unsigned all = CLASS_DIGIT | CLASS_LOWER | CLASS_UPPER;
    const ptrdiff_t len = to - from;
    if (len < ID_MIN || len > ID_MAX || (classes_of(from, to) & all) != all)
        return false;
    /* Bytes in runs of three or more lower-case letters: most of a chosen name, little of a random
     * one. */
    ptrdiff_t spelt = 0;
    for (const byte *p = from; p < to;) {
        const byte *run = p;
        while (p < to && byte_is(*p, CLASS_LOWER))
            p++;
        spelt += p - run >= 3 ? p - run : 0;
        p += p == run;
    }
    return spelt * 100 < len * SPELT_PERCENT || len < 3 * (ptrdiff_t)token_parts(from, to);
}

static bool is_hex(const byte *from, const byte *to)
{
    while (from < to && byte_is(*from, CLASS_HEX))
        from++;
    return from == to;
}

/* Returns the end of base64 that is joined to an id by '/' and '+', if a '+' or '=' shows that
 * it is not a path. */
static const byte *padded_end(const struct token_scan *scan, const byte *at)
{
    const byte *limit = scan->end - at > ID_MAX ? at + ID_MAX : scan->end;
    const byte *end = at;
    bool shown = false;
    while (end < limit && (byte_is(*end, CLASS_LETTER | CLASS_DIGIT) || *end == '/' ||
                           *end == '+' || *end == '=')) {
        shown |= *end == '+' || *end == '=';
        end++;
    }
    return shown ? end : at;
}

static bool find_made_up(const struct token_scan *scan, const struct token_word *word,
                         struct token *out)
{
    const ptrdiff_t len = word->to - word->from;
    if (len >= ID_MIN) {
        const byte *suffix =
            word->to; /* the part after the last '_': "toolu_7LNLOFCzklCz5IzBkhwYLAyI" */
        while (suffix > word->from && suffix[-1] != '_')
            suffix--;
        if (is_made_up(word->from, word->to) || is_made_up(suffix, word->to))
            return token_set(out, word->from, padded_end(scan, word->to), TOKEN_ID, NORMALISER_IDS);
    }
    /* Hex digits alone are a hash, whatever is joined to them. */
    const bool is_long_hex = len >= HEX_MIN && (word->all_classes & CLASS_HEX) &&
                             (word->classes & CLASS_LETTER) != CLASS_LETTER;
    if (byte_at(scan, word->to) != '-' || is_long_hex)
        return false;
    const byte *end = base64_end(scan, word->from, ID_MAX + 1);
    return end - word->from > ID_MIN && is_made_up(word->from, end) &&
           token_set(out, word->from, end, TOKEN_ID, NORMALISER_IDS);
}

static bool find_address(const struct token_scan *scan, const struct token_word *word,
                         struct token *out)
{
    const byte *at = word->from;
    const ptrdiff_t len = word->to - at;
    if (len > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && is_hex(at + 2, word->to))
        return token_set(out, at, word->to, TOKEN_ADDRESS, NORMALISER_ADDRESSES);
    if (len != POINTER_HALF || byte_at(scan, word->to) != '`' || !is_hex(at, word->to))
        return false;
    const byte *low = word->to + 1;
    return run_end(scan, low, CLASS_WORD) - low == POINTER_HALF &&
           is_hex(low, low + POINTER_HALF) &&
           token_set(out, at, low + POINTER_HALF, TOKEN_ADDRESS, NORMALISER_ADDRESSES);
}

bool token_id(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    return find_uuid(scan, word, out) || find_web_token(scan, word, out) ||
           find_address(scan, word, out) || find_made_up(scan, word, out);
}

/* Returns true for a word of hex letters with a number after it: "facade1". */
static bool is_numbered_name(const byte *from, const byte *to)
{
    const byte *figures = from;
    while (figures < to && byte_is(*figures, CLASS_LETTER))
        figures++;
    const byte *end = figures;
    while (end < to && byte_is(*end, CLASS_DIGIT))
        end++;
    return end == to && figures - from >= NAME_MIN && to - from <= NAME_MAX;
}

/* Returns the end of a run of letters and digits that Kubernetes uses in generated names: no
 * vowels, nothing ambiguous (k8s.io/apimachinery/pkg/util/rand). */
static const byte *cluster_end(const struct token_scan *scan, const byte *at)
{
    while (at < scan->end && *at != '\0' && strchr("bcdfghjklmnpqrstvwxz2456789", *at))
        at++;
    return at;
}

/* Finds the generated end of a pod's name: "7c9d8b6f5-x2x4q". */
static bool find_pod(const struct token_scan *scan, const struct token_word *word,
                     struct token *out)
{
    const ptrdiff_t len = word->to - word->from;
    if (byte_before(scan, word->from) != '-' || byte_at(scan, word->to) != '-' ||
        len < POD_SET_MIN || len > POD_SET_MAX || cluster_end(scan, word->from) < word->to)
        return false;
    const byte *end = cluster_end(scan, word->to + 1);
    return end - word->to == 1 + POD_LEN && !byte_is(byte_at(scan, end), CLASS_WORD) &&
           token_set(out, word->from, end, TOKEN_ID, NORMALISER_IDS);
}

/* Returns true for at least six hex digits that are joined to a name or to another such part
 * ("runner-ce9a15", "18.7320ca35.1771341215"), and mixed as in no version number. */
static bool is_joined_hex(const struct token_scan *scan, const struct token_word *word)
{
    const byte before = byte_before(scan, word->from);
    if (word->to - word->from < JOINED_HEX_MIN || (before != '-' && before != '.') ||
        token_parts(word->from, word->to) < 3)
        return false;
    if (before == '-')
        return true;
    const byte *p = word->from; /* not 1234567e5 */
    while (p < word->to && byte_is(*p, CLASS_DIGIT))
        p++;
    if (p == word->to || (*p | 0x20) != 'e')
        return true;
    for (p++; p < word->to && byte_is(*p, CLASS_DIGIT);)
        p++;
    return p != word->to;
}

/* Finds at least 7 hex digits of one case, with digits and letters, or 12 of any kind; not a
 * fraction. */
bool token_hex(const struct token_scan *scan, const struct token_word *word, struct token *out)
{
    const ptrdiff_t len = word->to - word->from;
    const unsigned cases = word->classes & CLASS_LETTER;
    if (find_pod(scan, word, out))
        return true;
    if (len < JOINED_HEX_MIN || len > HEX_MAX || !(word->all_classes & CLASS_HEX) ||
        cases == CLASS_LETTER)
        return false;
    if (cases != 0 && is_joined_hex(scan, word))
        return token_set(out, word->from, word->to, TOKEN_HEX, NORMALISER_HEX);
    bool fraction = word->from - scan->start >= 2 && word->from[-1] == '.' &&
                    byte_is(word->from[-2], CLASS_DIGIT);
    bool sure = cases != 0 ? len >= HEX_MIN : len >= HEX_SURE;
    return sure && !fraction && !is_numbered_name(word->from, word->to) &&
           token_set(out, word->from, word->to, TOKEN_HEX, NORMALISER_HEX);
}

/*
 * Temporary files with generated names (rule 6).
 */

enum {
    SUFFIX_MIN = 6, /* shortest suffix; mkstemp() generates exactly this many characters */
    SUFFIX_MAX = 12,
    FIGURES_MIN = 6,      /* minimum digits of a number within a name */
    LAST_FIGURES_MIN = 3, /* minimum digits of a number at the end, as in "build.4711" */
    PYTHON_SUFFIX = 8,
    COMPILER_SUFFIX = 6,
};

static const char *const places[] = {
    "/tmp/", "/var/tmp/", "/private/tmp/", "/private/var/tmp/", "/dev/shm/",
};

static bool begins_with(const byte *from, const byte *to, const char *text)
{
    const size_t len = strlen(text);
    return (size_t)(to - from) >= len && memcmp(from, text, len) == 0;
}

static unsigned all_classes(const byte *from, const byte *to)
{
    unsigned classes = ~0U;
    for (const byte *p = from; p < to; p++)
        classes &= token_classes[*p];
    return classes;
}

static bool has_other_than_lower(const byte *from, const byte *to)
{
    return !(all_classes(from, to) & CLASS_LOWER);
}

/* Returns true if a run of letters and digits in a name looks random. `last` is true if the name
 * ends with the run. */
static bool is_random_run(const byte *from, const byte *to, bool last)
{
    const ptrdiff_t len = to - from;
    const unsigned all = all_classes(from, to);
    if (all & CLASS_DIGIT)
        return len >= (last ? LAST_FIGURES_MIN : FIGURES_MIN);
    if ((all & CLASS_HEX) && len >= SUFFIX_MIN + 1 && has_other_than_lower(from, to))
        return true;
    const byte *figures = to; /* "go-build1234567" */
    while (figures > from && byte_is(figures[-1], CLASS_DIGIT))
        figures--;
    if (to - figures >= FIGURES_MIN)
        return true;
    /* Letters and digits mixed as no person would mix them: parts of fewer than 2.6 letters. */
    return len >= SUFFIX_MIN && len * 10 < 26 * (ptrdiff_t)token_parts(from, to);
}

/* Returns true for names that begin like "ccUwfH2T.s" of compilers, "tmpab12_x9z" of Python or
 * "tmp.Xa81bQz0Kd" of mktemp. */
static bool is_known_form(const byte *from, const byte *to)
{
    const byte *end = from;
    while (end < to && byte_is(*end, CLASS_WORD))
        end++;
    if (begins_with(from, end, "cc") && end - from == 2 + COMPILER_SUFFIX)
        return has_other_than_lower(from + 2, end);
    if (begins_with(from, end, "tmp") && end - from == 3 + PYTHON_SUFFIX)
        return true;
    if (!begins_with(from, to, "tmp."))
        return false;
    const byte *suffix = from + 4;
    return to - suffix >= SUFFIX_MIN && (all_classes(suffix, to) & CLASS_WORD) &&
           (has_other_than_lower(suffix, to) || to - suffix == 10);
}

/* Returns true for the characters that mktemp substitutes for XXXXXX at the end of a name: letters
 * of both cases with a capital after the first letter, or digits among them. After a dot, one
 * capital in six or digits in two places suffice, because no file extension looks like that. */
static bool is_template_end(const byte *from, const byte *to)
{
    const byte *run = to;
    unsigned classes = 0;
    unsigned later = 0;
    while (run > from && byte_is(run[-1], CLASS_LETTER | CLASS_DIGIT)) {
        run--;
        later = classes;
        classes |= token_classes[*run];
    }
    const ptrdiff_t len = to - run;
    const unsigned mixed = CLASS_UPPER | CLASS_LOWER | CLASS_DIGIT;
    if (run == from || len < SUFFIX_MIN || len > SUFFIX_MAX || len % 2 != 0)
        return false;
    if (run[-1] == '.' &&
        (token_parts(run, to) >= 3 || (len == SUFFIX_MIN && (classes & CLASS_UPPER))))
        return true;
    return ((later & CLASS_UPPER) && (classes & CLASS_LOWER)) || (classes & mixed) == mixed;
}

/* Returns true for "MSBuildTempKfsaZYot": generated after the word "Temp", with a capital
 * inside. */
static bool is_temp_name(const byte *from, const byte *to)
{
    static const char word[] = "Temp";
    for (const byte *p = from; to - p >= (ptrdiff_t)sizeof(word) - 1 + SUFFIX_MIN; p++) {
        if (memcmp(p, word, sizeof(word) - 1) == 0) {
            const byte *suffix = p + sizeof(word) - 1;
            bool plain = (all_classes(suffix, to) & CLASS_WORD) != 0;
            return plain && has_other_than_lower(suffix + 1, to);
        }
    }
    return false;
}

/* Returns true if this part of a path, between two slashes, was generated. */
static bool is_random(const byte *from, const byte *to)
{
    if (is_known_form(from, to) || is_template_end(from, to) || is_temp_name(from, to))
        return true;
    const byte *p = from;
    while (p < to) {
        const byte *run = p;
        while (p < to && (byte_is(*p, CLASS_LETTER) || byte_is(*p, CLASS_DIGIT)))
            p++;
        bool tail = p == to && run > from && (run[-1] == '.' || run[-1] == '-');
        if (p > run && is_random_run(run, p, tail))
            return true;
        p += p < to;
    }
    return false;
}

/* Returns the end of the last generated part from `at` to the end of the path. Returns NULL if
 * people chose all names; the scan then skips the path. */
static const byte *random_end(struct token_scan *scan, const byte *at)
{
    const byte *found = NULL;
    const byte *folder = NULL;
    while (at < scan->end) {
        const byte *end = run_end(scan, at, CLASS_PATH);
        const byte *to = end;
        while (to > at && (to[-1] == '.' || to[-1] == ','))
            to--; /* the full stop or comma belongs to the sentence, not to the name */
        /* "pytest-31" in "pytest-of-ci". */
        const bool is_numbered = folder && begins_with(folder, at, "pytest-of-") &&
                                 begins_with(at, to, "pytest-") && to - at > 7 &&
                                 byte_is(at[7], CLASS_DIGIT);
        if (is_numbered || is_random(at, to))
            found = to;
        if (to == at || byte_at(scan, to) != '/') {
            at = end;
            break;
        }
        folder = at;
        at = to + 1;
    }
    if (!found)
        scan->chosen = at;
    return found;
}

/* Returns the end of a user's folder below /var/folders/ on macOS, which is two parts deep; NULL if
 * the path is shorter. */
static const byte *mac_folder_end(const struct token_scan *scan, const byte *at)
{
    for (int part = 0; part < 2; part++) {
        const byte *end = run_end(scan, at, CLASS_PATH);
        if (end == at || byte_at(scan, end) != '/')
            return NULL;
        at = end + 1;
    }
    return at - 1;
}

/* Returns true after "output saved to": the harness made the name that follows. */
static bool is_saved_output(const struct token_scan *scan, const byte *at)
{
    static const char *const words[] = {"utput saved to", "utput written to", "utput stored in"};
    if (byte_before(scan, at) != ' ')
        return false;
    const byte *to = at - 1;
    to -= byte_before(scan, to) == ':';
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        const ptrdiff_t len = (ptrdiff_t)strlen(words[i]);
        if (to - scan->start >= len && memcmp(to - len, words[i], (size_t)len) == 0)
            return true;
    }
    return false;
}

/* Returns the end of the generated part of a path in a folder for temporary files; NULL if the path
 * is in no such folder, or if people chose all names. */
static const byte *temp_end(struct token_scan *scan, const byte *at)
{
    const byte first = byte_at(scan, at + 1);
    if (first != 't' && first != 'v' && first != 'p' && first != 'd')
        return NULL; /* not below any of these folders */
    const byte *end = NULL;
    if (token_is_next(scan, at, "/var/folders/"))
        end = mac_folder_end(scan, at + sizeof("/var/folders/") - 1);
    else if (token_is_next(scan, at, "/private/var/folders/"))
        end = mac_folder_end(scan, at + sizeof("/private/var/folders/") - 1);
    if (end) {
        const byte *further = byte_at(scan, end) == '/' ? random_end(scan, end + 1) : NULL;
        return further ? further : end;
    }
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        if (token_is_next(scan, at, places[i]))
            return random_end(scan, at + strlen(places[i]));
    }
    return NULL;
}

bool token_temp(struct token_scan *scan, const byte *at, struct token *out)
{
    const byte before = byte_before(scan, at);
    bool is_absolute =
        !byte_is(before, CLASS_PATH) || before == '=' || before == ',' || before == '@';
    if (before == '/')
        is_absolute = at - scan->start >= 2 && at[-2] == '/'; /* file:///tmp/x */
    if ((scan->chosen && at < scan->chosen) || !is_absolute)
        return false;
    const byte *end = NULL;
    if (is_saved_output(scan, at)) {
        end = at;
        while (end < scan->end && (byte_is(*end, CLASS_PATH) || *end == '/'))
            end++;
    } else {
        end = temp_end(scan, at);
    }
    return end && token_set(out, at, end, TOKEN_TEMP, NORMALISER_TEMPS);
}

/* Returns true if the bytes before `at` end with `text` (in lower case), ignoring case. */
static bool is_before(const struct token_scan *scan, const byte *at, const char *text)
{
    const ptrdiff_t len = (ptrdiff_t)strlen(text);
    if (at - scan->start < len)
        return false;
    for (ptrdiff_t i = 0; i < len; i++) {
        const byte c = at[i - len];
        const byte lower = (byte)(byte_is(c, CLASS_UPPER) ? c + ('a' - 'A') : c);
        if (lower != (byte)text[i])
            return false;
    }
    return true;
}

bool token_temp_windows(const struct token_scan *scan, const byte *at, struct token *out)
{
    const byte *folder = at - (byte_before(scan, at) ==
                               '\\'); /* the backslash may be doubled, in JSON and in code */
    if (!is_before(scan, folder, "\\temp") && !is_before(scan, folder, "%temp%"))
        return false;
    const byte *end = run_end(scan, at + 1, CLASS_PATH);
    return is_random(at + 1, end) && token_set(out, at + 1, end, TOKEN_TEMP, NORMALISER_TEMPS);
}
