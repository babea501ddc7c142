#include "fingerprint_json.h"

#include <string.h>

#include "normaliser_mask.h"
#include "normaliser_words.h"
#include "sha256.h"

struct hashing {
    struct sha256 *hash;                  /* owned */
    const struct normaliser_words *words; /* borrowed; NULL = none */
    struct str masked, general;
};

/* One member or element, or a part of a long one. Its text has no controls: it is JSON. */
static void add_part(struct hashing *hashing, const char *bytes, size_t len)
{
    struct mask_line line = {.bytes = bytes, .len = len, .text = &hashing->masked};
    mask_tokens(&line);
    str_clear(&hashing->general);
    if (hashing->words &&
        normaliser_words_mask(hashing->words, line.bytes, line.len, &hashing->general)) {
        line.bytes = str_text(&hashing->general);
        line.len = hashing->general.len;
    }
    sha256_add(hashing->hash, line.bytes, line.len);
}

static void add_text(struct hashing *hashing, const char *text, size_t len)
{
    const char *end = text + len;
    while (text < end) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        const char *part_end = feed ? feed : end;
        while (text < part_end) {
            const size_t left = (size_t)(part_end - text);
            const size_t part = left < NORMALISER_LINE_MAX ? left : NORMALISER_LINE_MAX;
            add_part(hashing, text, part);
            text += part;
        }
        text += feed != NULL;
    }
}

void fingerprint_json_hash(const struct json *json, const struct normaliser_words *words,
                           unsigned char out[CANONICAL_HASH_BYTES])
{
    struct hashing hashing = {.words = words};
    struct str text = {0};
    sha256_open(&hashing.hash);
    canonical_write_lines(json, &text);
    add_text(&hashing, str_text(&text), text.len);
    sha256_finish(hashing.hash, out);
    str_done(&text);
    str_done(&hashing.masked);
    str_done(&hashing.general);
}
