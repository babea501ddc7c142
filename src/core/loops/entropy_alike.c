#include "entropy_alike.h"

#include <stdbool.h>
#include <string.h>

#include "ascii.h"
#include "attr.h"
#include "entropy_hash.h"
#include "utf8.h"

enum { WORD_BYTES = 64, NAME_BYTES_MIN = 4, PERCENT = 100 };

/* The word at the text's start, in lower case; 0 where there is none. Cut at WORD_BYTES. */
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

static void put(struct word_set *set, uint32_t word)
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

typedef bool word_filter_fn(const char *word, size_t len);

static void add_words(struct word_set *set, const char *text, size_t len, word_filter_fn *keeps)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t end = len < ALIKE_BYTES_MAX ? len : ALIKE_BYTES_MAX;
    for (size_t at = 0; at < end && set->count < ALIKE_WORDS_MAX;) {
        char word[WORD_BYTES];
        size_t word_len;
        const size_t read = read_word(bytes + at, end - at, word, &word_len);
        if (read > 0 && (!keeps || keeps(word, word_len)))
            put(set, (uint32_t)entropy_hash(word, word_len));
        at += read > 0 ? read : 1;
    }
}

void word_set_add(struct word_set *set, const char *text, size_t len)
{
    add_words(set, text, len, NULL);
}

static bool may_name(const char *word, size_t len)
{
    static const char *const sayers[] = {"echo", "export", "printf"};
    for (size_t i = 0; i < ARRAY_LEN(sayers); i++)
        if (strlen(sayers[i]) == len && memcmp(sayers[i], word, len) == 0)
            return false;
    return len >= NAME_BYTES_MIN;
}

void word_set_add_names(struct word_set *set, const char *text, size_t len)
{
    add_words(set, text, len, may_name);
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
        put(set, other->words[i]);
}

void word_set_intersect(struct word_set *set, const struct word_set *other)
{
    int kept = 0;
    int j = 0;
    for (int i = 0; i < set->count; i++) {
        while (j < other->count && other->words[j] < set->words[i])
            j++;
        if (j < other->count && other->words[j] == set->words[i])
            set->words[kept++] = set->words[i];
    }
    set->count = kept;
}

uint64_t word_set_hash(const struct word_set *set)
{
    return entropy_hash(set->words, (size_t)set->count * sizeof(set->words[0]));
}
