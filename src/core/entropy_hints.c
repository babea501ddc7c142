#include "entropy_hints.h"

#include <stdbool.h>
#include <string.h>

#include "attr.h"

enum { LINE_BYTES = 256 };

/* Sorted: the first of a letter is looked up. Compared in lower case, whole words. */
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
    {"429", HINT_PASSES},
    {"502", HINT_PASSES},
    {"503", HINT_PASSES},
    {"504", HINT_PASSES},
    {"already", HINT_NO_CHANGE},
    {"building", HINT_PENDING},
    {"cannot connect", HINT_HOPELESS},
    {"completed", HINT_OVER},
    {"connecting", HINT_PENDING},
    {"containercreating", HINT_PENDING},
    {"could not find", HINT_EMPTY},
    {"couldn't connect", HINT_PASSES},
    {"denied", HINT_HOPELESS},
    {"does not exist", HINT_EMPTY | HINT_HOPELESS},
    {"done", HINT_OVER},
    {"exited", HINT_OVER},
    {"failed", HINT_OVER},
    {"failed to connect", HINT_PASSES},
    {"finished", HINT_OVER},
    {"forbidden", HINT_HOPELESS},
    {"identical", HINT_NO_CHANGE},
    {"in progress", HINT_PENDING},
    {"in_progress", HINT_PENDING},
    {"initializing", HINT_PENDING},
    {"invalid", HINT_HOPELESS},
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
    {"no such", HINT_EMPTY | HINT_HOPELESS},
    {"no test", HINT_EMPTY},
    {"no tests", HINT_EMPTY},
    {"not found", HINT_EMPTY | HINT_HOPELESS},
    {"not ready", HINT_PENDING},
    {"not yet", HINT_PENDING},
    {"nothing found", HINT_EMPTY},
    {"nothing matched", HINT_EMPTY},
    {"nothing to", HINT_NO_CHANGE},
    {"pending", HINT_PENDING},
    {"processing", HINT_PENDING},
    {"queued", HINT_PENDING},
    {"rate limit", HINT_PASSES},
    {"refused", HINT_PASSES},
    {"reset by peer", HINT_PASSES},
    {"running", HINT_PENDING},
    {"starting", HINT_PENDING},
    {"still", HINT_PENDING},
    {"succeeded", HINT_OVER},
    {"temporarily", HINT_PASSES},
    {"timed out", HINT_PASSES},
    {"timeout", HINT_PASSES},
    {"try again", HINT_PASSES},
    {"unauthorized", HINT_HOPELESS},
    {"unchanged", HINT_NO_CHANGE},
    {"unknown", HINT_HOPELESS},
    {"unreachable", HINT_PASSES},
    {"up to date", HINT_NO_CHANGE},
    {"up-to-date", HINT_NO_CHANGE},
    {"waiting", HINT_PENDING},
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* Index of the first phrase that begins with this byte or a later one. */
static size_t first_of(char letter)
{
    size_t low = 0;
    size_t high = ARRAY_LEN(phrases);
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (phrases[middle].phrase[0] < letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static unsigned hints_at(const char *text, size_t len)
{
    unsigned hints = 0;
    for (size_t i = first_of(text[0]); i < ARRAY_LEN(phrases); i++) {
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

unsigned entropy_hints(const char *line, size_t len)
{
    char lower[LINE_BYTES];
    unsigned hints = 0;
    const size_t kept = len < LINE_BYTES ? len : LINE_BYTES;
    for (size_t i = 0; i < kept; i++)
        lower[i] = line[i] >= 'A' && line[i] <= 'Z' ? (char)(line[i] | 0x20) : line[i];
    for (size_t i = 0; i < kept; i++)
        if (is_word(lower[i]) && (i == 0 || !is_word(lower[i - 1])))
            hints |= hints_at(lower + i, kept - i);
    return hints;
}
