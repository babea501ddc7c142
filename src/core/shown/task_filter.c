/* task_filter.c - reading a filter; which tasks fit is in task_filter_fits.c. */
#include "task_filter.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "near_word.h"
#include "phase.h"
#include "words.h"

enum { PERMILLE = 1000, MS = 1000, DIGITS_MAX = 9 };

static const char *const field_names[] = {
    [FILTER_ANY] = "",          [FILTER_ID] = "id",       [FILTER_TITLE] = "title",
    [FILTER_STATE] = "state",   [FILTER_CLASS] = "class", [FILTER_PHASE] = "phase",
    [FILTER_TRY] = "try",       [FILTER_EXIT] = "exit",   [FILTER_NEW] = "new",
    [FILTER_WAITED] = "waited",
};
static_assert(ARRAY_LEN(field_names) == FILTER_FIELD_COUNT, "every field has a name");

const char *task_filter_field_name(enum task_filter_field field)
{
    assert(field < FILTER_FIELD_COUNT);
    return field_names[field];
}

static bool is_number(enum task_filter_field field)
{
    return field >= FILTER_TRY;
}

/* Digits up to the first that is none; false where there are none, or too many. */
static bool read_digits(const char **at, int64_t *out)
{
    int count = 0;
    *out = 0;
    for (; ascii_is_digit(**at); (*at)++, count++) {
        if (count == DIGITS_MAX)
            return false;
        *out = *out * 10 + (**at - '0');
    }
    return count > 0;
}

/* ".04", "0.1", "1": of a thousand; what is finer is left out. */
static bool read_share(const char *text, int64_t *out)
{
    int64_t whole = 0;
    int64_t part = 0;
    const bool has_whole = read_digits(&text, &whole);
    const bool has_point = *text == '.';
    if (!has_whole && !has_point)
        return false;
    text += has_point;
    int64_t unit = PERMILLE / 10;
    for (; has_point && ascii_is_digit(*text); text++, unit /= 10)
        part += unit * (*text - '0');
    *out = whole * PERMILLE + part;
    return *text == '\0';
}

/* "90", "30s", "1m", "2h", "1:30", "1:00:00": in ms. */
static bool read_duration(const char *text, int64_t *out)
{
    static const struct {
        char letter;
        int64_t s;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    int64_t s = 0;
    if (!read_digits(&text, &s))
        return false;
    for (int i = 0; *text == ':' && i < 2; i++) {
        int64_t more = 0;
        text++;
        if (!read_digits(&text, &more))
            return false;
        s = s * 60 + more;
    }
    for (size_t i = 0; *text && i < ARRAY_LEN(units); i++) {
        if (text[0] == units[i].letter && text[1] == '\0') {
            s *= units[i].s;
            text++;
        }
    }
    *out = s * MS;
    return *text == '\0';
}

static bool read_number(enum task_filter_field field, const char *text, int64_t *out)
{
    if (field == FILTER_NEW)
        return read_share(text, out);
    if (field == FILTER_WAITED)
        return read_duration(text, out);
    const bool is_negative = field == FILTER_EXIT && *text == '-';
    text += is_negative;
    const bool ok = read_digits(&text, out) && *text == '\0';
    *out = is_negative ? -*out : *out;
    return ok;
}

static bool is_phase(const char *text)
{
    for (enum phase phase = 0; phase < PHASE_COUNT; phase++) {
        if (words_begin(phase_name(phase), text))
            return true;
    }
    return false;
}

/* The comparison at the beginning of the text; its length, 0 for none. */
static size_t read_compare(const char *text, enum task_filter_compare *out)
{
    static const struct {
        const char *sign;
        enum task_filter_compare compare;
    } signs[] = {{"!=", FILTER_UNEQUAL}, {">=", FILTER_AT_LEAST}, {"<=", FILTER_AT_MOST},
                 {"=", FILTER_EQUAL},    {">", FILTER_MORE},      {"<", FILTER_LESS}};
    for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
        const size_t len = strlen(signs[i].sign);
        if (strncmp(text, signs[i].sign, len) == 0) {
            *out = signs[i].compare;
            return len;
        }
    }
    return 0;
}

static enum task_filter_field find_field(const char *text, size_t len)
{
    for (enum task_filter_field field = FILTER_ANY + 1; field < FILTER_FIELD_COUNT; field++) {
        if (strlen(field_names[field]) == len && strncmp(field_names[field], text, len) == 0)
            return field;
    }
    return FILTER_ANY;
}

/* Behind the word that begins at `at`: blanks within quotes do not end it. */
static const char *word_end(const char *at)
{
    for (bool quoted = false; *at && (quoted || *at != ' '); at++)
        quoted = quoted != (*at == '"');
    return at;
}

/* Without the quotes. */
static void copy_value(const char *from, const char *end, char value[TASK_FILTER_TEXT_MAX])
{
    size_t len = 0;
    for (; from < end && len + 1 < TASK_FILTER_TEXT_MAX; from++) {
        if (*from != '"')
            value[len++] = *from;
    }
    value[len] = '\0';
}

/* What stands behind the field and its comparison. */
static void read_value(struct task_filter_word *word)
{
    const bool only_equal = word->compare == FILTER_EQUAL || word->compare == FILTER_UNEQUAL;
    if (word->value[0] == '\0')
        return;
    if (is_number(word->field))
        word->is_wrong = !read_number(word->field, word->value, &word->number);
    else
        word->is_wrong = !only_equal || (word->field == FILTER_PHASE && !is_phase(word->value));
}

static void read_word(const char *at, const char *end, struct task_filter_word *word)
{
    word->is_not = *at == '!' && at[1] != '=';
    at += word->is_not;
    const char *sign = at + strcspn(at, "=!<>\" ");
    const size_t len = sign < end ? read_compare(sign, &word->compare) : 0;
    word->field = len > 0 ? find_field(at, (size_t)(sign - at)) : FILTER_ANY;
    if (word->field != FILTER_ANY) {
        copy_value(sign + len, end, word->value);
        read_value(word);
    }
    if (word->field == FILTER_ANY || word->is_wrong)
        copy_value(at, end, word->value);
    if (word->field == FILTER_ANY)
        word->compare = FILTER_EQUAL;
    word->is_open = word->value[0] == '\0';
    word->is_wrong = word->is_wrong || (len > 0 && word->field == FILTER_ANY && sign > at);
}

void task_filter_read(const char *text, struct task_filter *out)
{
    const char *at = text;
    *out = (struct task_filter){.count = 0};
    while (out->count < TASK_FILTER_WORDS_MAX) {
        at += strspn(at, " ");
        const char *end = word_end(at);
        if (end == at)
            return;
        struct task_filter_word *word = &out->words[out->count++];
        word->from = (int)(at - text);
        word->len = (int)(end - at);
        read_word(at, end, word);
        at = end;
    }
}

static void complain_of_field(const char *text, struct str *out)
{
    char name[TASK_FILTER_TEXT_MAX];
    const size_t len = strcspn(text, "=!<>");
    memcpy(name, text, len);
    name[len] = '\0';
    struct near_word near = near_word_new(name);
    for (enum task_filter_field field = FILTER_ANY + 1; field < FILTER_FIELD_COUNT; field++)
        near_word_offer(&near, field_names[field]);
    str_addf(out, "unknown field '%s': ", name);
    if (near.nearest) {
        str_addf(out, "%s is", near.nearest);
        return;
    }
    for (enum task_filter_field field = FILTER_ANY + 1; field < FILTER_FIELD_COUNT; field++)
        str_addf(out, "%s%s", field > FILTER_ANY + 1 ? " " : "", field_names[field]);
    str_add(out, " are");
}

bool task_filter_wrong(const struct task_filter *filter, struct str *out)
{
    static const char *const wanted[] = {
        [FILTER_ID] = "= or != and a part of it",
        [FILTER_TITLE] = "= or != and a part of it",
        [FILTER_STATE] = "= or != and a state",
        [FILTER_CLASS] = "= or != and a class",
        [FILTER_PHASE] = "RED, GREEN, VERIFY or REFACTOR",
        [FILTER_TRY] = "a number, as in try>2",
        [FILTER_EXIT] = "a number, as in exit=1",
        [FILTER_NEW] = "a share, as in new<.1",
        [FILTER_WAITED] = "a time, as in waited>1m",
    };
    for (int i = 0; i < filter->count; i++) {
        const struct task_filter_word *word = &filter->words[i];
        if (!word->is_wrong)
            continue;
        if (word->field == FILTER_ANY)
            complain_of_field(word->value, out);
        else
            str_addf(out, "%s: %s wants %s", word->value, field_names[word->field],
                     wanted[word->field]);
        return true;
    }
    return false;
}
