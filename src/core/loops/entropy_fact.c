/* entropy_fact.c - a fact of the rungs as JSON, and back. */
#include "entropy.h"

#include <assert.h>
#include <string.h>

#include "json.h"
#include "str.h"

enum { PERMILLE = 1000, LINES_MAX = INT32_MAX };

static const char *const kind_names[] = {
    [ENTROPY_CALL] = "call",
    [ENTROPY_NEUTRAL] = "neutral",
    [ENTROPY_PAUSE] = "pause",
    [ENTROPY_MESSAGE] = "message",
};
static_assert(ARRAY_LEN(kind_names) == ENTROPY_KIND_COUNT, "every kind has a name");

static const char *const gain_names[] = {
    [ENTROPY_GAIN_NONE] = "none",     [ENTROPY_GAIN_LINE] = "line",
    [ENTROPY_GAIN_CHANGE] = "change", [ENTROPY_GAIN_FLIP] = "flip",
    [ENTROPY_GAIN_SILENT] = "silent",
};
static_assert(ARRAY_LEN(gain_names) == ENTROPY_GAIN_COUNT, "every gain has a name");

static void write_digest(struct str *out, const char *key, struct digest digest)
{
    char hex[DIGEST_HEX_MAX];
    if (!digest_is_known(digest))
        return;
    digest_to_hex(digest, hex);
    str_json_text(out, key, hex);
}

void entropy_fact_to_json(const struct entropy_fact *fact, struct str *out)
{
    str_add_char(out, '{');
    if (fact->kind != ENTROPY_CALL)
        str_json_text(out, "kind", kind_names[fact->kind]);
    write_digest(out, "call", fact->call);
    write_digest(out, "out", fact->outcome);
    /* As a signed number: JSON readers keep 63 bits and a sign. */
    if (fact->raw != 0)
        str_json_i64(out, "raw", (int64_t)fact->raw);
    if (fact->bits != 0)
        str_json_i64(out, "bits", fact->bits);
    if (fact->gain != ENTROPY_GAIN_NONE)
        str_json_text(out, "gain", gain_names[fact->gain]);
    if (fact->new_permille >= 0)
        str_json_i64(out, "new", fact->new_permille);
    if (fact->lines != 0)
        str_json_i64(out, "lines", fact->lines);
    str_add_char(out, '}');
}

/* Index of the member's word in the names; 0 where it is missing, -1 for another word. */
static int read_name(const struct json *json, const char *key, const char *const *names, int count)
{
    const struct json *member = json_get(json, key);
    if (!member)
        return 0;
    const char *text = json_text(member, "");
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    return -1;
}

static bool read_digest(const struct json *json, const char *key, struct digest *out)
{
    const struct json *member = json_get(json, key);
    return !member || digest_from_hex(json_text(member, ""), out);
}

static bool read_number(const struct json *json, const char *key, int64_t max, int64_t *out)
{
    const struct json *member = json_get(json, key);
    if (!member)
        return true;
    const int64_t value = json_i64(member, -1);
    if (value < 0 || value > max)
        return false;
    *out = value;
    return true;
}

bool entropy_fact_from_json(const struct json *json, struct entropy_fact *out)
{
    if (json_kind(json) != JSON_KIND_OBJECT)
        return false;
    struct entropy_fact fact = {0};
    int64_t bits = 0;
    int64_t permille = -1;
    const int kind = read_name(json, "kind", kind_names, ENTROPY_KIND_COUNT);
    const int gain = read_name(json, "gain", gain_names, ENTROPY_GAIN_COUNT);
    const bool ok = kind >= 0 && gain >= 0 && read_digest(json, "call", &fact.call) &&
                    read_digest(json, "out", &fact.outcome) &&
                    read_number(json, "bits", ENTROPY_BITS_ALL, &bits) &&
                    read_number(json, "new", PERMILLE, &permille) &&
                    read_number(json, "lines", LINES_MAX, &fact.lines);
    if (!ok)
        return false;
    fact.kind = (enum entropy_kind)kind;
    fact.gain = (enum entropy_gain)gain;
    fact.bits = (unsigned)bits;
    fact.raw = (uint64_t)json_i64(json_get(json, "raw"), 0);
    fact.new_permille = (int)permille;
    *out = fact;
    return true;
}
