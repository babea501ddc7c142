#include "redact_words.h"

#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "redact.h"
#include "text.h"

bool redact_is_one_of(unsigned char c, const char *chars)
{
    return c != '\0' && strchr(chars, c);
}

bool redact_is_in(enum redact_alphabet alphabet, unsigned char c)
{
    const bool alnum = ascii_is_letter(c) || ascii_is_digit(c);
    switch (alphabet) {
    case REDACT_LETTER:
        return ascii_is_letter(c);
    case REDACT_ALNUM:
        return alnum;
    case REDACT_UPPER:
        return ascii_is_upper(c) || ascii_is_digit(c);
    case REDACT_HEX:
        return ascii_is_digit(c) || redact_is_one_of(c, "abcdefABCDEF");
    case REDACT_NAME:
        return alnum || c == '_';
    case REDACT_WORD:
        return alnum || c == '_' || c == '-';
    case REDACT_DOTTED:
        return alnum || redact_is_one_of(c, "_-.");
    case REDACT_BASE64:
        return alnum || redact_is_one_of(c, "+/=");
    case REDACT_BEARER:
        return alnum || redact_is_one_of(c, "._~+/=-");
    case REDACT_LABEL:
        return ascii_is_upper(c) || ascii_is_digit(c) || c == ' ';
    case REDACT_LOWER_HEX:
        return ascii_is_digit(c) || redact_is_one_of(c, "abcdef");
    case REDACT_PATH:
        return alnum || redact_is_one_of(c, "_-/@");
    case REDACT_COOKIE:
        return c > ' ' && c < 0x7f && !redact_is_one_of(c, "\"'\\;,");
    case REDACT_COOKIES:
        return c >= ' ' && c < 0x7f && !redact_is_one_of(c, "\"'\\");
    case REDACT_AUTHORITY:
        return c > ' ' && c != 0x7f && !redact_is_one_of(c, "/?#\"'<>()`\\|");
    }
    return false;
}

size_t redact_run(enum redact_alphabet alphabet, const char *bytes, size_t len, size_t limit)
{
    const size_t end = len < limit ? len : limit;
    size_t run = 0;
    while (run < end && redact_is_in(alphabet, (unsigned char)bytes[run]))
        run++;
    return run;
}

static const char mark_start[] = "[cut:";

/* The next mark at or after `text`: where it begins, and its name. NULL: none. */
static const char *next_mark(const char *text, char name[REDACT_NAME_MAX + 1])
{
    const size_t start = sizeof(mark_start) - 1;
    const char *at = strstr(text, mark_start);
    for (; at; at = strstr(at + 1, mark_start)) {
        const size_t len =
            redact_run(REDACT_DOTTED, at + start, strlen(at + start), REDACT_NAME_MAX);
        if (len == 0 || at[start + len] != ']')
            continue;
        memcpy(name, at + start, len);
        name[len] = '\0';
        return at;
    }
    return NULL;
}

bool redact_find_mark(const char *text, char name[REDACT_NAME_MAX + 1])
{
    return next_mark(text, name) != NULL;
}

static const char *value_of(char *const *environment, const char *name)
{
    const size_t len = strlen(name);
    for (size_t i = 0; environment && environment[i]; i++) {
        if (strncmp(environment[i], name, len) == 0 && environment[i][len] == '=')
            return environment[i] + len + 1;
    }
    return NULL;
}

bool redact_restore(const char *text, char *const *environment, struct str *out)
{
    char name[REDACT_NAME_MAX + 1];
    bool all = true;
    const char *mark = next_mark(text, name);
    for (; mark; mark = next_mark(text, name)) {
        const char *value = value_of(environment, name);
        const size_t len = sizeof(mark_start) + strlen(name); /* its bracket is the NUL's byte */
        all = all && value;
        str_add_n(out, text, (size_t)(mark - text));
        if (value)
            str_add(out, value);
        else
            str_add_n(out, mark, len);
        text = mark + len;
    }
    str_add(out, text);
    return all;
}

enum {
    ESC = 0x1b,
    DEL = 0x7f,
    C1_LEAD = 0xc2, /* of U+0080 to U+00BF in UTF-8 */
};

bool redact_gaps_add(struct redact_gaps *gaps, int64_t start, int64_t end)
{
    if (gaps->count == REDACT_GAPS_MAX)
        return false;
    gaps->items[gaps->count].start = start;
    gaps->items[gaps->count++].end = end;
    return true;
}

int64_t redact_gaps_start(const struct redact_gaps *gaps, int64_t end, int64_t depth)
{
    int64_t start = end - depth;
    for (size_t i = gaps->count; i > 0 && start < gaps->items[i - 1].end; i--)
        start -= gaps->items[i - 1].end - gaps->items[i - 1].start;
    return start;
}

bool redact_gaps_within(const struct redact_gaps *gaps, int64_t end, int64_t depth)
{
    return redact_gaps_start(gaps, end, depth) != end - depth;
}

bool redact_gap_begins(unsigned char c)
{
    const bool is_control = c < 0x20 && c != '\n' && c != '\r' && c != '\t';
    return is_control || c == DEL || c == C1_LEAD;
}

size_t redact_gap_len(const char *bytes, size_t len, bool *open)
{
    const unsigned char c = (unsigned char)bytes[0];
    *open = false;
    if (!redact_gap_begins(c))
        return 0;
    if (c == C1_LEAD) {
        *open = len < 2;
        return len >= 2 && (unsigned char)bytes[1] >= 0x80 && (unsigned char)bytes[1] < 0xa0 ? 2
                                                                                             : 0;
    }
    if (c != ESC)
        return 1;
    const size_t there = len < REDACT_GAP_MAX ? len : REDACT_GAP_MAX;
    if (there >= 2 && redact_is_one_of((unsigned char)bytes[1], "]PX^_"))
        return 0; /* what is in a string may be a secret itself */
    const size_t escape = text_escape_len(bytes, there);
    *open = escape == there && len < REDACT_GAP_MAX;
    return escape < REDACT_GAP_MAX ? escape : 0;
}

enum {
    WORDS_MAX = 32,   /* of a name, between its underscores; the last ones count */
    NUMBER_LEN = 16,  /* digits from which on a number may be a secret: a time in ms has 13 */
    DISTINCT_MIN = 3, /* different bytes that a secret has */
};

/* Anywhere in a name. */
static const char *const parts[] = {"TOKEN",      "SECRET",  "PASSWORD",   "PASSWD",
                                    "PASSPHRASE", "PRIVATE", "CREDENTIAL", "AUTHORIZATION",
                                    "COOKIE",     "APIKEY"};
/* One of the words of a name. */
static const char *const words[] = {"KEY", "KEYS",  "AUTH",    "PASS", "PWD",
                                    "DSN", "CREDS", "WEBHOOK", "PAT",  "CONNSTR"};
/* At the end of a word: ACCESSKEY, DBPASS, PGPWD. */
static const char *const endings[] = {"KEY", "PASS", "PWD"};
/* But these words are others. */
static const char *const others[] = {"MONKEY", "TURKEY", "DONKEY",  "HOCKEY", "HOTKEY",
                                     "BYPASS", "OLDPWD", "COMPASS", "ASKPASS"};
/* The last word says that it is about a secret and none: a file, a place, a number. */
static const char *const about[] = {
    "ALGORITHM", "COMMAND", "COUNT", "DIR",      "DISABLED", "EMAIL",    "ENABLED",  "ENDPOINT",
    "EXPIRES",   "EXPIRY",  "FILE",  "FILES",    "FOLDER",   "FORMAT",   "HELPER",   "HOST",
    "LAYOUT",    "LENGTH",  "LIMIT", "LOCATION", "MAX",      "METHOD",   "MIN",      "MODE",
    "NAME",      "PATH",    "PORT",  "PROMPT",   "PROVIDER", "REALM",    "REQUIRED", "SCOPE",
    "SCOPES",    "SIZE",    "SOCK",  "SOCKET",   "SOURCE",   "STORE",    "TIMEOUT",  "TTL",
    "TTY",       "TYPE",    "URL",   "URI",      "USER",     "USERNAME", "VERSION",  "PARALLELISM",
};
/* Whole names. */
static const char *const never[] = {"PWD", "OLDPWD", "XAUTHORITY", "GPG_KEY", "PYTHON_GPG_KEY"};

static char upper(char c)
{
    return ascii_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

/* A name in capitals; what is longer is cut at its beginning, for its end says what it is. */
struct name {
    char text[REDACT_NAME_MAX + 1];
    size_t len;
};

static struct name read_name(const char *text)
{
    struct name name = {.len = strlen(text)};
    if (name.len > REDACT_NAME_MAX) {
        text += name.len - REDACT_NAME_MAX;
        name.len = REDACT_NAME_MAX;
    }
    for (size_t i = 0; i < name.len; i++)
        name.text[i] = upper(text[i]);
    return name;
}

static bool is_one_of(const char *word, size_t len, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(list[i]) == len && memcmp(list[i], word, len) == 0)
            return true;
    }
    return false;
}

static bool ends_like_one(const char *word, size_t len)
{
    for (size_t i = 0; i < ARRAY_LEN(endings); i++) {
        const size_t ending = strlen(endings[i]);
        if (len > ending && memcmp(word + len - ending, endings[i], ending) == 0)
            return !is_one_of(word, len, others, ARRAY_LEN(others));
    }
    return false;
}

static size_t word_len(const char *word)
{
    return redact_run(REDACT_ALNUM, word, strlen(word), REDACT_NAME_MAX);
}

static bool has_secret_word(const struct name *name)
{
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (strstr(name->text, parts[i]))
            return true;
    }
    const char *word = name->text;
    while (*word) {
        const size_t len = word_len(word);
        if (is_one_of(word, len, words, ARRAY_LEN(words)) || ends_like_one(word, len))
            return true;
        word += word[len] ? len + 1 : len;
    }
    return strstr(name->text, "CONNECTION_STRING") != NULL;
}

/* The word after the last underscore. */
static const char *last_word(const struct name *name)
{
    const char *underscore = strrchr(name->text, '_');
    return underscore ? underscore + 1 : name->text;
}

bool redact_name_is_secret(const char *text)
{
    const struct name name = read_name(text);
    const char *last = last_word(&name);
    if (is_one_of(name.text, name.len, never, ARRAY_LEN(never)))
        return false;
    return has_secret_word(&name) && !is_one_of(last, strlen(last), about, ARRAY_LEN(about));
}

bool redact_is_listed(char *const *list, const char *name)
{
    for (size_t i = 0; list && list[i]; i++) {
        const size_t len = strlen(list[i]);
        const bool is_start = len > 0 && list[i][len - 1] == '*';
        if (is_start ? strncmp(list[i], name, len - 1) == 0 : strcmp(list[i], name) == 0)
            return true;
    }
    return false;
}

static bool begins_with(const char *value, size_t len, const char *start)
{
    return len >= strlen(start) && memcmp(value, start, strlen(start)) == 0;
}

/* By its form alone: one of the folders that all systems have, or no capital in all of it, as no
 * base64 of this length is. */
static bool is_path(const char *value, size_t len)
{
    static const char *const roots[] = {"/home/", "/usr/",   "/etc/", "/var/",    "/tmp/", "/run/",
                                        "/opt/",  "/root/",  "/mnt/", "/Users/",  "/dev/", "/srv/",
                                        "/proc/", "/media/", "/nix/", "/Library/"};
    for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
        if (begins_with(value, len, roots[i]))
            return true;
    }
    const bool is_relative = begins_with(value, len, "./") || begins_with(value, len, "../") ||
                             begins_with(value, len, "~/");
    if (!is_relative && value[0] != '/')
        return false;
    for (size_t i = 0; i < len; i++) {
        const bool fits = ascii_is_lower(value[i]) ||
                          redact_is_one_of((unsigned char)value[i], "0123456789/._-~");
        if (!fits)
            return false;
    }
    return true;
}

static bool is_short_number(const char *value, size_t len)
{
    size_t at = 0;
    while (at < len && redact_is_one_of((unsigned char)value[at], "0123456789.,:+-"))
        at++;
    return at == len && len < NUMBER_LEN;
}

static bool has_few_bytes(const char *value, size_t len)
{
    char seen[DISTINCT_MIN];
    size_t count = 0;
    for (size_t i = 0; i < len && count < DISTINCT_MIN; i++) {
        if (count == 0 || !memchr(seen, value[i], count))
            seen[count++] = value[i];
    }
    return count < DISTINCT_MIN;
}

/* Settings, and passwords that are no secret to anybody: to cut them would cut the words too. */
static bool is_common(const char *value, size_t len)
{
    static const char *const common[] = {
        "anonymous", "automatic", "changeit",  "changeme",    "disabled",
        "enabled",   "example",   "localhost", "mariadb",     "minioadmin",
        "optional",  "password",  "postgres",  "postgresql",  "production",
        "required",  "rabbitmq",  "undefined", "development", "unlimited",
    };
    return is_one_of(value, len, common, ARRAY_LEN(common));
}

/* A plan out of a log: what was secret in it is cut already. */
static bool has_mark(const char *value, size_t len)
{
    static const char mark[] = "[cut:";
    for (size_t i = 0; i + sizeof(mark) <= len; i++) {
        if (memcmp(value + i, mark, sizeof(mark) - 1) == 0)
            return true;
    }
    return false;
}

bool redact_may_be_secret(const char *value, size_t len)
{
    return len >= REDACT_VALUE_MIN && !has_mark(value, len) && !is_path(value, len) &&
           !is_short_number(value, len) && !has_few_bytes(value, len) && !is_common(value, len);
}
