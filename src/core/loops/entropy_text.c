/*
 * Loop detection in words: verdicts as text, the hint for a looping agent, the facts of a step as
 * JSON, and the table of thresholds.
 */
#include <assert.h>
#include <string.h>

#include "entropy.h"
#include "entropy_limits.h"
#include "fingerprint.h"
#include "json.h"
#include "str.h"
#include "text.h"

/*
 * Verdicts as text.
 */

static const char *const level_names[] = {
    [ENTROPY_OK] = "ok",
    [ENTROPY_SUSPECT] = "suspect",
    [ENTROPY_STUCK] = "stuck",
};
static_assert(ARRAY_LEN(level_names) == ENTROPY_LEVEL_COUNT, "every level has a name");

static const char *const rung_names[] = {
    [ENTROPY_RUNG_NONE] = "none",           [ENTROPY_RUNG_REPEAT] = "repeat",
    [ENTROPY_RUNG_CYCLE] = "cycle",         [ENTROPY_RUNG_FAILURE] = "failure",
    [ENTROPY_RUNG_BARREN] = "barren",       [ENTROPY_RUNG_PAUSE] = "pause",
    [ENTROPY_RUNG_MONOLOGUE] = "monologue", [ENTROPY_RUNG_CHANT] = "chant",
};
static_assert(ARRAY_LEN(rung_names) == ENTROPY_RUNG_COUNT, "every rung has a name");

const char *entropy_level_name(enum entropy_level level)
{
    assert(level < ENTROPY_LEVEL_COUNT);
    return level_names[level];
}

const char *entropy_rung_name(enum entropy_rung rung)
{
    assert(rung < ENTROPY_RUNG_COUNT);
    return rung_names[rung];
}

enum entropy_rung entropy_rung_named(const char *name)
{
    for (int i = 0; i < ENTROPY_RUNG_COUNT; i++)
        if (strcmp(rung_names[i], name) == 0)
            return (enum entropy_rung)i;
    return ENTROPY_RUNG_NONE;
}

void entropy_why(const struct entropy_verdict *verdict, struct str *out)
{
    const int count = verdict->count;
    switch (verdict->rung) {
    case ENTROPY_RUNG_NONE:
        return;
    case ENTROPY_RUNG_REPEAT:
        str_addf(out,
                 verdict->poll ? "looked %d times in a row at something that does not change"
                               : "the same call with the same result, %d times in a row",
                 count);
        break;
    case ENTROPY_RUNG_CYCLE:
        str_addf(out, "the same %d steps, %d laps", verdict->period, count);
        break;
    case ENTROPY_RUNG_FAILURE:
        str_addf(out, "the same call failed in the same way %d times", count);
        break;
    case ENTROPY_RUNG_BARREN:
        str_addf(out, "%d steps in a row brought nothing new", count);
        break;
    case ENTROPY_RUNG_PAUSE:
        str_addf(out, "%d pauses in a row and nothing else", count);
        break;
    case ENTROPY_RUNG_MONOLOGUE:
        str_addf(out, "%d messages in a row say the same", count);
        break;
    case ENTROPY_RUNG_CHANT:
        str_add(out, "a message repeats itself over and over");
        break;
    case ENTROPY_RUNG_COUNT:
        break;
    }
}

/*
 * The hint that a looping agent receives.
 */

enum { CALL_SHOWN_MAX = 120 /* bytes of a call in a nudge */ };

/* What the agent could do instead. */
static const char *const advice[] = {
    [ENTROPY_RUNG_NONE] = "",
    [ENTROPY_RUNG_REPEAT] = "do something else, or say what blocks you",
    [ENTROPY_RUNG_CYCLE] = "leave this round of steps: try another way, or say what blocks you",
    [ENTROPY_RUNG_FAILURE] = "read the message again and change what it names",
    [ENTROPY_RUNG_BARREN] = "use what is known by now, or say what is missing",
    [ENTROPY_RUNG_PAUSE] = "look at what is waited for",
    [ENTROPY_RUNG_MONOLOGUE] = "act, or say that you are done",
    [ENTROPY_RUNG_CHANT] = "stop here and say it once",
};
static_assert(ARRAY_LEN(advice) == ENTROPY_RUNG_COUNT, "every rung has its advice");

void entropy_nudge(const struct entropy_verdict *verdict, const char *call, unsigned masks,
                   struct str *out)
{
    if (verdict->level == ENTROPY_OK)
        return;
    assert(verdict->rung < ENTROPY_RUNG_COUNT);
    str_add(out, "You may be in a loop: ");
    entropy_why(verdict, out);
    if (call && call[0] != '\0') {
        const size_t all = strlen(call);
        const size_t len = text_cut(call, all, CALL_SHOWN_MAX);
        str_add(out, ", last `");
        for (size_t i = 0; i < len; i++) { /* keeps the call on one line */
            const unsigned char byte = (unsigned char)call[i];
            str_add_char(out, byte < ' ' || byte == 0x7f ? ' ' : call[i]);
        }
        str_add(out, len < all ? "...`" : "`");
    }
    /* Does not mention that the call's own words are masked: it would read as if its arguments
     * did not count, and they do. */
    masks &= ~(1u << NORMALISER_ARGUMENTS);
    bool has_masks = false;
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++) {
        if (!(masks & 1u << i))
            continue;
        str_addf(out, "%s%s", has_masks ? ", " : " (",
                 normaliser_mask_words((enum normaliser_mask)i));
        has_masks = true;
    }
    if (has_masks)
        str_add(out, " not counted)");
    str_add(out, ". ");
    if (verdict->poll)
        str_add(out, "If it needs time, wait longer between looks (5, 10, 30, 60 s); if not, ");
    else
        str_add(out, "Please ");
    str_add(out, advice[verdict->rung]);
    str_add_char(out, '.');
}

/*
 * Facts as JSON, and back.
 */

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
    /* Signed, because JSON readers keep 63 bits and a sign. */
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

/* Returns the index of the member's value in `names`, 0 if the member is missing, or -1 if the
 * value is unknown. */
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

/*
 * The thresholds, as one table for the parser of plans and settings, the documentation and the
 * screen. The defaults were measured on about two hundred labeled trajectories of twenty agents;
 * see docs/entropy.md.
 */

#define FIELD(field) #field, offsetof(struct entropy_limits, field)

enum { PERCENT = 100 };

static const struct entropy_limit table[] = {
    {FIELD(repeat_nudge), 3, 1, 1000, "the same call with the same result, in a row: suspect"},
    {FIELD(repeat_stop), 5, 1, 1000, "the same: stuck"},
    {FIELD(repeat_masked_stop), 8, 1, 1000,
     "successful calls in a row whose results differ only in masked bytes: stuck"},
    {FIELD(poll_nudge), 10, 1, 1000, "looks in a row at something that does not change: suspect"},
    {FIELD(poll_stop), 20, 1, 1000, "the same: stuck"},
    {FIELD(cycle_stop), 3, 2, 12, "laps of a cycle of 2 to 8 steps: stuck"},
    {FIELD(failure_nudge), 4, 1, 96,
     "one call fails the same way, other steps in between: suspect"},
    {FIELD(failure_stop), 5, 1, 96, "the same, nothing changed since: stuck"},
    {FIELD(failure_edited_stop), 8, 1, 96, "the same, whatever was changed in between: stuck"},
    {FIELD(barren_nudge), 4, 1, 1000, "steps in a row that bring nothing new: suspect"},
    {FIELD(barren_stop), 8, 1, 1000, "the same: stuck"},
    {FIELD(poll_weight), 40, 1, PERCENT, "percent of such a step that a poll counts"},
    {FIELD(review_weight), 50, 1, PERCENT,
     "percent of such a step that another view of known data counts"},
    {FIELD(pause_nudge), 10, 1, 1000, "pauses in a row and nothing else: suspect"},
    {FIELD(pause_stop), 20, 1, 1000, "the same: stuck"},
    {FIELD(monologue_nudge), 3, 1, 1000, "similar messages in a row, no call in between: suspect"},
    {FIELD(monologue_stop), 5, 1, 1000, "the same: stuck"},
    {FIELD(chant_stop), 1, 1, 1000, "messages that chant: stuck"},
    {FIELD(chant_periods), 10, 2, 100, "equal parts in a row that make a chant"},
    {FIELD(alike_percent), 60, 1, PERCENT, "share of common words that makes two messages alike"},
    {FIELD(rewrite_percent), 80, 1, PERCENT, "the same for two texts written to one file in a row"},
    {FIELD(lone_counter), 12, 1, 1000, "steps for which a counter that goes up by one is news"},
    {FIELD(drift_turns), 2, 1, 100, "changes of direction after which a number is not news"},
    {FIELD(flips), 4, 1, 1000, "changes between success and failure of a call that are news"},
    {FIELD(nudges), 2, 1, 8, "hints to the agent before a person is needed"},
};

static_assert(ARRAY_LEN(table) * sizeof(int) == sizeof(struct entropy_limits),
              "every threshold has its row");

const struct entropy_limit *entropy_limit(size_t index)
{
    return index < ARRAY_LEN(table) ? &table[index] : NULL;
}

const struct entropy_limit *entropy_limit_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

int entropy_limit_get(const struct entropy_limits *limits, const struct entropy_limit *limit)
{
    int value;
    memcpy(&value, (const char *)limits + limit->offset, sizeof(value));
    return value;
}

static void put_limit(struct entropy_limits *limits, const struct entropy_limit *limit, int value)
{
    memcpy((char *)limits + limit->offset, &value, sizeof(value));
}

bool entropy_limit_set(struct entropy_limits *limits, const struct entropy_limit *limit,
                       int64_t value, struct err *err)
{
    if (value < 0 || value > limit->max || (value > 0 && value < limit->min))
        return limit->min > 1
                   ? err_set(err, ERR_INVALID, "'%s' must be 0, or %d to %d", limit->name,
                             limit->min, limit->max)
                   : err_set(err, ERR_INVALID, "'%s' must be 0 to %d", limit->name, limit->max);
    put_limit(limits, limit, (int)value);
    return true;
}

struct entropy_limits entropy_limits_new(void)
{
    struct entropy_limits limits = {0};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        put_limit(&limits, &table[i], table[i].initial);
    return limits;
}
