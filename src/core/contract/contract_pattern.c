/* contract_pattern.c - patterns of contracts: ECMA-262 expressions, matched by PCRE2 within limits.
 *
 * An expression is first translated for PCRE2, and rejected if ECMA-262 does not allow it. Two
 * simple and common forms do not need PCRE2: "^text", and a sequence of character classes.
 *
 * The output may be hostile, so the steps of all matches together are limited. PCRE2 starts
 * counting again at each position where a match may begin, so patterns are changed to begin at the
 * start of the text. PCRE2 also does not say how many steps a match took, so a match starts with a
 * low limit, which is raised only if necessary. */
#include "contract_internal.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "err.h"
#include "parse.h"
#include "str.h"
#include "xalloc.h"

enum { CONTRACT_WORD_PARTS = 8 }; /* maximum number of classes in one pattern */

struct contract_word {
    unsigned char parts[256]; /* by byte: one bit for each class that contains it */
    size_t count;             /* number of classes; 0 = the pattern has a different form */
    size_t min, max;          /* length of a match, in bytes */
};

/* PropertyValueAliases.txt of Unicode: long names of General_Category, which PCRE2 lacks. */
static const struct {
    const char *name;
    const char *category;
} categories[] = {
    {"Cased_Letter", "L&"},
    {"Close_Punctuation", "Pe"},
    {"Combining_Mark", "M"},
    {"Connector_Punctuation", "Pc"},
    {"Control", "Cc"},
    {"Currency_Symbol", "Sc"},
    {"Dash_Punctuation", "Pd"},
    {"Decimal_Number", "Nd"},
    {"Enclosing_Mark", "Me"},
    {"Final_Punctuation", "Pf"},
    {"Format", "Cf"},
    {"Initial_Punctuation", "Pi"},
    {"LC", "L&"},
    {"Letter", "L"},
    {"Letter_Number", "Nl"},
    {"Line_Separator", "Zl"},
    {"Lowercase_Letter", "Ll"},
    {"Mark", "M"},
    {"Math_Symbol", "Sm"},
    {"Modifier_Letter", "Lm"},
    {"Modifier_Symbol", "Sk"},
    {"Nonspacing_Mark", "Mn"},
    {"Number", "N"},
    {"Open_Punctuation", "Ps"},
    {"Other", "C"},
    {"Other_Letter", "Lo"},
    {"Other_Number", "No"},
    {"Other_Punctuation", "Po"},
    {"Other_Symbol", "So"},
    {"Paragraph_Separator", "Zp"},
    {"Private_Use", "Co"},
    {"Punctuation", "P"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Spacing_Mark", "Mc"},
    {"Surrogate", "Cs"},
    {"Symbol", "S"},
    {"Titlecase_Letter", "Lt"},
    {"Unassigned", "Cn"},
    {"Uppercase_Letter", "Lu"},
    {"cntrl", "Cc"},
    {"digit", "Nd"},
    {"punct", "P"},
};

/* The text before '=', and PCRE2's name for it. */
static const struct {
    const char *name;
    const char *prefix;
} kinds[] = {
    {"General_Category", ""},      {"gc", ""}, {"Script", "sc:"}, {"sc", "sc:"}, {"scx", "scx:"},
    {"Script_Extensions", "scx:"},
};

static bool is_same_name(const char *text, size_t len, const char *word)
{
    return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Appends the PCRE2 form of \p{name}, or of \P{name} if negated: "Letter", "Lu",
 * "General_Category=Letter", "Script=Greek", "Alphabetic". Fails if the name is malformed; PCRE2
 * checks whether the script or property exists. */
static bool ecma_property(struct str *out, const char *name, size_t len, bool negated)
{
    static const char chars[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789_";
    const char *equals = memchr(name, '=', len);
    const char *value = equals ? equals + 1 : name;
    size_t value_len = len - (size_t)(value - name);
    const char *prefix = equals ? NULL : "";
    for (size_t i = 0; equals && i < ARRAY_LEN(kinds); i++) {
        if (is_same_name(name, (size_t)(equals - name), kinds[i].name))
            prefix = kinds[i].prefix;
    }
    if (!prefix || value_len == 0)
        return false;
    for (size_t i = 0; i < value_len; i++) {
        if (value[i] == '\0' || !strchr(chars, value[i]))
            return false;
    }

    const bool is_assigned = is_same_name(name, len, "Assigned");
    str_add(out, negated != is_assigned ? "\\P{" : "\\p{");
    str_add(out, prefix);
    if (is_assigned) {
        value = "Cn";
        value_len = strlen(value);
    }
    const char *category = NULL;
    for (size_t i = 0; !*prefix && !category && i < ARRAY_LEN(categories); i++) {
        if (is_same_name(value, value_len, categories[i].name))
            category = categories[i].category;
    }
    if (category)
        str_add(out, category);
    else
        str_add_n(out, value, value_len);
    str_add_char(out, '}');
    return true;
}

enum {
    CODE_LEN = 4,        /* hexadecimal digits of \uXXXX */
    BYTE_LEN = 2,        /* number of digits in \xXX */
    CODE_DIGITS_MAX = 8, /* maximum number of digits in \u{X} */
    CODE_MAX = 0x10FFFF,
    CONTROL_MASK = 0x1F, /* applied to the letter in \cX */
};

/* White space of ECMA-262 (WhiteSpace, LineTerminator), and its complement. */
static const char space[] = "\\x09-\\x0d\\x20\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}"
                            "\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
static const char no_space[] = "\\x00-\\x08\\x0e-\\x1f\\x21-\\x{9f}\\x{a1}-\\x{167f}"
                               "\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}"
                               "\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}"
                               "\\x{ff00}-\\x{10ffff}";

struct reading {
    const char *text;
    size_t len;
    size_t at; /* position of the next character */
    struct str *out;
    struct err *err;
    bool in_class;
    bool was_set; /* the last item of the class was a set such as \d */
};

/* Returns the character `ahead` bytes after the next one; NUL past the end. */
static char peek_char(const struct reading *reading, size_t ahead)
{
    const size_t at = reading->at + ahead;
    return at < reading->len ? reading->text[at] : '\0';
}

static bool is_one_of(char c, const char *chars)
{
    return c != '\0' && strchr(chars, c);
}

static bool refuse_pattern(const struct reading *reading, const char *what)
{
    return err_set(reading->err, ERR_INVALID, "%s, at byte %zu", what, reading->at);
}

/* Reads `count` hexadecimal digits. Returns -1 if there are fewer. */
static int32_t hex_number(const struct reading *reading, size_t ahead, size_t count)
{
    int32_t value = 0;
    for (size_t i = 0; i < count; i++) {
        const int digit = parse_hex_digit(peek_char(reading, ahead + i));
        if (digit < 0 || value > CODE_MAX)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool take_character(struct reading *reading, int32_t code, size_t len)
{
    if (code < 0 || code > CODE_MAX || (code >= 0xD800 && code <= 0xDFFF))
        return refuse_pattern(reading, "no such character");
    str_addf(reading->out, "\\x{%x}", (unsigned)code);
    reading->at += len;
    return true;
}

/* Reads \u{1F600}, \u00e9, or a surrogate pair. */
static bool take_unicode(struct reading *reading)
{
    if (peek_char(reading, 2) == '{') {
        size_t digits = 0;
        while (digits < CODE_DIGITS_MAX && parse_hex_digit(peek_char(reading, 3 + digits)) >= 0)
            digits++;
        if (digits == 0 || peek_char(reading, 3 + digits) != '}')
            return refuse_pattern(reading, "\\u{ needs hexadecimal digits and }");
        return take_character(reading, hex_number(reading, 3, digits), digits + 4);
    }
    const size_t len = 2 + CODE_LEN;
    const int32_t high = hex_number(reading, 2, CODE_LEN);
    if (high < 0)
        return refuse_pattern(reading, "\\u needs four hexadecimal digits");
    const bool is_pair = high >= 0xD800 && high <= 0xDBFF && peek_char(reading, len) == '\\' &&
                         peek_char(reading, len + 1) == 'u';
    const int32_t low = is_pair ? hex_number(reading, len + 2, CODE_LEN) : 0;
    if (low >= 0xDC00 && low <= 0xDFFF)
        return take_character(reading, 0x10000 + (high - 0xD800) * 0x400 + (low - 0xDC00), 2 * len);
    return take_character(reading, high, len);
}

static bool take_property(struct reading *reading)
{
    const char *name = reading->text + reading->at + 3;
    const char *end =
        peek_char(reading, 2) == '{' ? memchr(name, '}', reading->len - reading->at - 3) : NULL;
    if (!end)
        return refuse_pattern(reading, "\\p must be followed by {PROPERTY}");
    const size_t len = (size_t)(end - name);
    const bool negated = peek_char(reading, 1) == 'P';
    if (!ecma_property(reading->out, name, len, negated))
        return refuse_pattern(reading, "no such property");
    reading->at += len + 4;
    return true;
}

static bool take_as_it_is(struct reading *reading, size_t len)
{
    str_add_n(reading->out, reading->text + reading->at, len);
    reading->at += len;
    return true;
}

/* Translates a sequence that begins with a backslash. */
static bool take_escape(struct reading *reading)
{
    const char c = peek_char(reading, 1);
    if (c == '\0' && reading->at + 1 >= reading->len)
        return refuse_pattern(reading, "\\ at the end");
    reading->was_set = is_one_of(c, "dDwWsSpP");
    if (is_one_of(c, "dDwWbBtnfr"))
        return take_as_it_is(reading, 2);
    if (c == 's' || c == 'S') {
        str_add(reading->out, reading->in_class ? "" : "[");
        str_add(reading->out, c == 's' ? space : no_space);
        str_add(reading->out, reading->in_class ? "" : "]");
        reading->at += 2;
        return true;
    }
    if (c == 'p' || c == 'P')
        return take_property(reading);
    if (c == 'v')
        return take_character(reading, 0x0B, 2);
    if (c == '0' && !ascii_is_digit(peek_char(reading, 2)))
        return take_character(reading, 0, 2);
    if (c >= '1' && c <= '9') {
        size_t digits = 1;
        if (reading->in_class)
            return refuse_pattern(reading, "a character class cannot refer to a group");
        while (ascii_is_digit(peek_char(reading, 1 + digits)))
            digits++;
        str_addf(reading->out, "\\g{%.*s}", (int)digits, reading->text + reading->at + 1);
        reading->at += 1 + digits;
        return true;
    }
    if (c == 'c' && ascii_is_letter(peek_char(reading, 2)))
        return take_character(reading, peek_char(reading, 2) & CONTROL_MASK, 3);
    if (c == 'x')
        return take_character(reading, hex_number(reading, 2, BYTE_LEN), 2 + BYTE_LEN);
    if (c == 'u')
        return take_unicode(reading);
    if (c == 'k') {
        size_t len = 3;
        while (ascii_is_letter(peek_char(reading, len)) ||
               ascii_is_digit(peek_char(reading, len)) || peek_char(reading, len) == '_')
            len++;
        if (peek_char(reading, 2) != '<' || peek_char(reading, len) != '>')
            return refuse_pattern(reading, "\\k must be followed by <GROUP>");
        return take_as_it_is(reading, len + 1);
    }
    if (ascii_is_letter(c) || ascii_is_digit(c) || c == '\0')
        return refuse_pattern(reading, "no such escape in ECMA-262");
    return take_as_it_is(reading, (unsigned char)c < 0x80 ? 2 : 1);
}

static bool take_in_class(struct reading *reading)
{
    const char c = peek_char(reading, 0);
    const bool set_follows =
        peek_char(reading, 1) == '\\' && is_one_of(peek_char(reading, 2), "dDwWsSpP");
    const bool is_literal = c == '[' || (c == '-' && (reading->was_set || set_follows));
    reading->was_set = false;
    if (c == ']')
        reading->in_class = false;
    if (is_literal)
        str_add_char(reading->out, '\\');
    return take_as_it_is(reading, 1);
}

/* Returns the length of "*", "+", "?", "{2}", "{2,}" or "{2,3}" in bytes, or 0. */
static size_t repeat_len(const struct reading *reading)
{
    size_t len = 1;
    if (is_one_of(peek_char(reading, 0), "*+?"))
        return 1;
    if (peek_char(reading, 0) != '{' || !ascii_is_digit(peek_char(reading, 1)))
        return 0;
    while (ascii_is_digit(peek_char(reading, len)))
        len++;
    if (peek_char(reading, len) == ',') {
        len++;
        while (ascii_is_digit(peek_char(reading, len)))
            len++;
    }
    return peek_char(reading, len) == '}' ? len + 1 : 0;
}

static bool take_group(struct reading *reading)
{
    const char kind = peek_char(reading, 1) == '?' ? peek_char(reading, 2) : '\0';
    const bool is_special = peek_char(reading, 1) == '?' || peek_char(reading, 1) == '*';
    const bool is_named = kind == '<' && ascii_is_letter(peek_char(reading, 3));
    const bool looks_back = kind == '<' && is_one_of(peek_char(reading, 3), "=!");
    if (is_special && !is_one_of(kind, ":=!") && !is_named && !looks_back)
        return refuse_pattern(reading, "no such group in ECMA-262");
    size_t len = 1;
    if (is_special)
        len = kind == '<' ? 4 : 3;
    return take_as_it_is(reading, len);
}

static bool take_item(struct reading *reading)
{
    const char c = peek_char(reading, 0);
    if (c == '\\')
        return take_escape(reading);
    if (reading->in_class)
        return take_in_class(reading);
    const size_t repeat = repeat_len(reading);
    if (repeat > 0) {
        const size_t lazy = peek_char(reading, repeat) == '?' ? 1 : 0;
        (void)take_as_it_is(reading, repeat + lazy);
        return repeat_len(reading) == 0 || refuse_pattern(reading, "nothing to repeat");
    }
    if (c == '(')
        return take_group(reading);
    if (c == '{')
        str_add_char(reading->out, '\\');
    if (c != '[')
        return take_as_it_is(reading, 1);
    reading->in_class = true;
    reading->was_set = false;
    return take_as_it_is(reading, peek_char(reading, 1) == '^' ? 2 : 1);
}

/* Appends the pattern for PCRE2, to be compiled with UTF and without UCP. Fails with
 * ERR_INVALID, which says what is not ECMA-262; PCRE2 finds other errors. */
static bool ecma_pattern(struct str *out, const char *text, size_t len, struct err *err)
{
    struct reading reading = {.text = text, .len = len, .out = out, .err = err};
    while (reading.at < len) {
        if (!take_item(&reading))
            return false;
    }
    return true;
}

enum { TIMES_MAX = 65535 }; /* PCRE2's limit in braces */

struct word_reading {
    const char *text;
    size_t len, at;
    struct contract_word word;
};

static char peek_word(const struct word_reading *reading)
{
    return reading->at < reading->len ? reading->text[reading->at] : '\0';
}

static bool take_word_char(struct word_reading *reading, char c)
{
    if (peek_word(reading) != c || c == '\0')
        return false;
    reading->at++;
    return true;
}

/* Returns true for characters that are literal in a class; '-' is literal at the end of a class. */
static bool is_class_char(char c)
{
    return c > ' ' && c < 0x7f && !strchr("\\[]^-", c);
}

static bool take_word_class(struct word_reading *reading)
{
    if (!take_word_char(reading, '[') || reading->word.count == CONTRACT_WORD_PARTS)
        return false;
    const unsigned char bit = (unsigned char)(1U << reading->word.count++);
    do {
        const char first = peek_word(reading);
        char last = first;
        if (!is_class_char(first))
            return false;
        reading->at++;
        if (reading->len - reading->at > 1 && peek_word(reading) == '-' &&
            reading->text[reading->at + 1] != ']') {
            last = reading->text[reading->at + 1];
            reading->at += 2;
        }
        if (!is_class_char(last) || last < first)
            return false;
        for (unsigned char c = (unsigned char)first; c <= (unsigned char)last; c++)
            reading->word.parts[c] |= bit;
        if (take_word_char(reading, '-')) {
            reading->word.parts['-'] |= bit;
            return take_word_char(reading, ']');
        }
    } while (!take_word_char(reading, ']'));
    return true;
}

static bool take_number(struct word_reading *reading, size_t *out)
{
    const size_t from = reading->at;
    size_t number = 0;
    while (ascii_is_digit(peek_word(reading)) && number <= TIMES_MAX)
        number = number * 10 + (size_t)(reading->text[reading->at++] - '0');
    *out = number;
    return reading->at > from && number <= TIMES_MAX;
}

/* Reads how often the last class is repeated; once by default. */
static bool take_times(struct word_reading *reading, size_t *min, size_t *max)
{
    *min = *max = 1;
    if (take_word_char(reading, '*') || take_word_char(reading, '+')) {
        *min = reading->text[reading->at - 1] == '+';
        *max = SIZE_MAX - CONTRACT_WORD_PARTS;
        return true;
    }
    if (!take_word_char(reading, '{'))
        return true;
    if (!take_number(reading, min))
        return false;
    *max = *min;
    if (take_word_char(reading, ',') && !take_number(reading, max))
        return false;
    return *min <= *max && take_word_char(reading, '}');
}

/* Reads a pattern that is a sequence of classes. Returns false and leaves *out alone if the pattern
 * is invalid or has a different form. */
static bool contract_word_read(struct contract_word *out, const char *pattern, size_t len)
{
    struct word_reading reading = {.text = pattern, .len = len};
    size_t min = 0;
    size_t max = 0;
    if (!take_word_char(&reading, '^'))
        return false;
    do {
        if (!take_word_class(&reading))
            return false;
    } while (peek_word(&reading) == '[');
    if (!take_times(&reading, &min, &max) || !take_word_char(&reading, '$') || reading.at != len)
        return false;
    reading.word.min = reading.word.count - 1 + min;
    reading.word.max = reading.word.count - 1 + max;
    *out = reading.word;
    return true;
}

/* Returns true if the pattern matches the text. Linear in the length of the text, at most `max`
 * bytes. */
static bool contract_word_fits(const struct contract_word *word, const char *text, size_t len)
{
    if (len < word->min || len > word->max)
        return false;
    const size_t last = word->count - 1;
    for (size_t i = 0; i < len; i++) {
        const size_t part = i < last ? i : last;
        if ((word->parts[(unsigned char)text[i]] >> part & 1) == 0)
            return false;
    }
    return true;
}

#define PCRE2_CODE_UNIT_WIDTH 8

enum {
    HEAP_LIMIT_KIB = 64 * 1024, /* maximum memory of one match */
    STEP_FACTOR = 16,           /* growth of the step limit from one try to the next */
    STEP_BYTES = 16,            /* bytes of the text that a step may look at for free */
    REASON_MAX = 200,
};

/* Has one of three forms: a literal at the beginning, a word (a sequence of classes), or a compiled
 * PCRE2 pattern. */
struct contract_pattern {
    char *beginning; /* owned; NULL for the other forms */
    size_t beginning_len;
    struct contract_word word;
    pcre2_code *code;  /* owned; NULL for the other forms */
    int required;      /* a byte that every match contains; -1: unknown */
    bool looks_around; /* has a lookaround or a backreference, so a step may read the whole text */
};

struct contract_matcher {
    pcre2_match_data *data;       /* owned */
    pcre2_match_context *context; /* owned */
    int64_t steps_left;
};

/* Returns true for "^literal", which is common and needs no automaton. */
static bool is_plain_beginning(const char *text, size_t len)
{
    if (len == 0 || text[0] != '^')
        return false;
    for (size_t i = 1; i < len; i++) {
        if (text[i] == '\0' || strchr("\\^$.|?*+()[]{}", text[i]))
            return false;
    }
    return true;
}

/* Compiles without possessive optimizations, because PCRE2 does not count them as steps. */
static bool compile_pattern(struct contract_pattern *pattern, const struct str *source,
                            struct err *err)
{
    const uint32_t options = PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_MATCH_UNSET_BACKREF |
                             PCRE2_ALLOW_EMPTY_CLASS | PCRE2_NO_AUTO_POSSESS |
                             PCRE2_NEVER_BACKSLASH_C;
    int number = 0;
    size_t at = 0;
    pcre2_compile_context *context = xcheck(pcre2_compile_context_create(NULL));
    (void)pcre2_set_newline(context,
                            PCRE2_NEWLINE_ANYCRLF); /* characters that '.' does not match */
    pattern->code =
        pcre2_compile((PCRE2_SPTR)str_text(source), source->len, options, &number, &at, context);
    pcre2_compile_context_free(context);
    if (number == PCRE2_ERROR_HEAP_FAILED)
        xalloc_fail();
    if (pattern->code)
        return true;
    char why[REASON_MAX] = {0};
    (void)pcre2_get_error_message(number, (PCRE2_UCHAR *)why, sizeof(why));
    return err_set(err, ERR_INVALID, "%s", why);
}

/* Compiles a pattern so that all steps count. PCRE2 starts counting again at each position where a
 * match may begin, so a pattern that may begin anywhere is changed to begin at the start of the
 * text and skip ahead. */
static bool compile_counted(struct contract_pattern *pattern, const struct str *source,
                            struct err *err)
{
    const char *text = str_text(source);
    uint32_t options = 0;
    bool ok = compile_pattern(pattern, source, err);
    if (ok)
        (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_ALLOPTIONS, &options);
    if (ok && (options & PCRE2_ANCHORED) == 0) {
        struct str counted = {0};
        pcre2_code_free(pattern->code);
        str_add(&counted, "\\A(?s:.*?)(?:");
        str_add_n(&counted, text, source->len);
        str_add_char(&counted, ')');
        ok = compile_pattern(pattern, &counted, err);
        str_done(&counted);
    }
    pattern->required = -1;
    if (!ok)
        return false;

    /* Group names and classes may look like this, too, which only makes the limit stricter than
     * necessary. */
    uint32_t groups = 0;
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_BACKREFMAX, &groups);
    pattern->looks_around =
        groups > 0 || strstr(text, "(?=") || strstr(text, "(?!") || strstr(text, "(?<");

    uint32_t is_known = 0;
    uint32_t byte = 0;
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_LASTCODETYPE, &is_known);
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_LASTCODEUNIT, &byte);
    if (is_known)
        pattern->required = (int)byte;
    return true;
}

bool contract_pattern_open(struct contract_pattern **out, const char *text, size_t len,
                           struct err *err)
{
    if (len > CONTRACT_PATTERN_MAX)
        return err_set(err, ERR_INVALID, "more than %d bytes", CONTRACT_PATTERN_MAX);
    struct contract_pattern *pattern = xcalloc(1, sizeof(*pattern));
    struct str source = {0};
    bool ok = true;
    if (is_plain_beginning(text, len)) {
        pattern->beginning = xstrndup(text + 1, len - 1);
        pattern->beginning_len = len - 1;
    } else if (!contract_word_read(&pattern->word, text, len)) {
        ok = ecma_pattern(&source, text, len, err) && compile_counted(pattern, &source, err);
    }
    str_done(&source);
    if (ok)
        *out = pattern;
    else
        contract_pattern_close(pattern);
    return ok;
}

void contract_pattern_close(struct contract_pattern *pattern)
{
    if (!pattern)
        return;
    pcre2_code_free(pattern->code);
    free(pattern->beginning);
    free(pattern);
}

struct contract_matcher *contract_matcher_new(int64_t steps)
{
    struct contract_matcher *matcher = xcalloc(1, sizeof(*matcher));
    matcher->data = xcheck(pcre2_match_data_create(1, NULL));
    matcher->context = xcheck(pcre2_match_context_create(NULL));
    matcher->steps_left = steps;
    (void)pcre2_set_heap_limit(matcher->context, HEAP_LIMIT_KIB);
    return matcher;
}

void contract_matcher_free(struct contract_matcher *matcher)
{
    if (!matcher)
        return;
    pcre2_match_context_free(matcher->context);
    pcre2_match_data_free(matcher->data);
    free(matcher);
}

static int64_t at_least_one(int64_t steps)
{
    return steps > 0 ? steps : 1;
}

/* PCRE2 does not report how many steps a match took. So a match starts with a low limit, which is
 * raised only if it was not enough. */
enum contract_match contract_pattern_match(const struct contract_pattern *pattern,
                                           struct contract_matcher *matcher, const char *text,
                                           size_t len)
{
    const size_t want = pattern->beginning_len;
    if (pattern->beginning) {
        const bool begins =
            len >= want && (want == 0 || (text[0] == pattern->beginning[0] &&
                                          memcmp(text, pattern->beginning, want) == 0));
        return begins ? CONTRACT_MATCH_YES : CONTRACT_MATCH_NO;
    }
    if (!pattern->code)
        return contract_word_fits(&pattern->word, text, len) ? CONTRACT_MATCH_YES
                                                             : CONTRACT_MATCH_NO;
    if (pattern->required >= 0 && !memchr(text, pattern->required, len))
        return CONTRACT_MATCH_NO;

    const int64_t most = CONTRACT_MATCH_STEPS_MAX;
    const int64_t bytes = len < (size_t)most ? (int64_t)len : most;
    const int64_t wanted = CONTRACT_MATCH_STEPS_MIN + bytes * CONTRACT_MATCH_STEPS_PER_BYTE;
    const int64_t weight = pattern->looks_around ? 1 + (int64_t)(len / STEP_BYTES) : 1;
    const int64_t allowed = at_least_one((wanted < most ? wanted : most) / weight);
    for (int64_t steps = at_least_one(CONTRACT_MATCH_STEPS_FREE / weight);; steps *= STEP_FACTOR) {
        const int64_t now = steps < allowed ? steps : allowed;
        if (now * weight > CONTRACT_MATCH_STEPS_FREE)
            matcher->steps_left -= now * weight;
        if (matcher->steps_left < 0)
            return CONTRACT_MATCH_LIMITED;
        (void)pcre2_set_match_limit(matcher->context, (uint32_t)now);
        const int result = pcre2_match(pattern->code, (PCRE2_SPTR)text, len, 0, PCRE2_NO_UTF_CHECK,
                                       matcher->data, matcher->context);
        if (result == PCRE2_ERROR_NOMATCH)
            return CONTRACT_MATCH_NO;
        if (result >= 0)
            return CONTRACT_MATCH_YES;
        if (result != PCRE2_ERROR_MATCHLIMIT || now == allowed)
            return CONTRACT_MATCH_LIMITED;
    }
}
