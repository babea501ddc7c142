#include "event_phrases.h"

#include <assert.h>
#include <string.h>

#include "event.h"

static_assert(EVENT_PHRASES_TEXT_MAX == EVENT_TEXT_MAX, "all of a text that is ours is spelled");

enum { PHRASE_BYTES = 0x20 }; /* that a phrase may have as its byte */

struct phrase {
    const char *text; /* NULL: the byte is itself */
    size_t len;
};

#define PHRASE_ROW(byte, phrase) [byte] = {phrase, sizeof(phrase) - 1},

static const struct phrase phrases[PHRASE_BYTES] = {EVENT_PHRASES_ALL(PHRASE_ROW)};

static const struct phrase *phrase_of(char c)
{
    const struct phrase *phrase = &phrases[(unsigned char)c % PHRASE_BYTES];
    return (unsigned char)c < PHRASE_BYTES && phrase->text ? phrase : NULL;
}

/* The byte of the phrase that a text begins with, 0 = none. All of them begin with a bracket, a
 * comma or a quote. */
static char find_phrase(const char *text, size_t len)
{
    if (*text != '{' && *text != ',' && *text != '"')
        return 0;
    for (int i = 0; i < PHRASE_BYTES; i++) {
        const struct phrase *phrase = &phrases[i];
        if (phrase->text && phrase->len <= len && phrase->text[2] == text[2] &&
            memcmp(phrase->text, text, phrase->len) == 0)
            return (char)i;
    }
    return 0;
}

size_t event_phrases_pack(const char *text, char *out)
{
    const char *end = text + strlen(text);
    size_t len = 0;
    while (text < end) {
        const char byte = find_phrase(text, (size_t)(end - text));
        if (byte != 0)
            out[len++] = byte;
        else
            out[len++] = phrase_of(*text) ? ' ' : *text;
        text += byte != 0 ? phrases[(unsigned char)byte].len : 1;
    }
    return len;
}

/* How many bytes come before the next phrase. */
static size_t plain_len(const char *bytes, size_t len)
{
    size_t at = 0;
    while (at < len && !phrase_of(bytes[at]))
        at++;
    return at;
}

bool event_phrases_spell(const char *bytes, size_t len, size_t max, struct str *out)
{
    const size_t from = out->len;
    while (len > 0) {
        const struct phrase *phrase = phrase_of(*bytes);
        const size_t taken = phrase ? 1 : plain_len(bytes, len);
        const size_t more = phrase ? phrase->len : taken;
        if (more > max - (out->len - from))
            return false;
        str_add_n(out, phrase ? phrase->text : bytes, more);
        bytes += taken;
        len -= taken;
    }
    return true;
}
