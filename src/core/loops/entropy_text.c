/* Texts of loop detection: names, verdicts, the hint for a looping agent, and the table of
 * thresholds and presets. */
#include <assert.h>
#include <stdlib.h>
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

const char *entropy_kind_name(enum entropy_kind kind)
{
    assert(kind < ENTROPY_KIND_COUNT);
    return kind_names[kind];
}

const char *entropy_gain_name(enum entropy_gain gain)
{
    assert(gain < ENTROPY_GAIN_COUNT);
    return gain_names[gain];
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
        str_addf(out, "the same %d steps %d times in a row", verdict->period, count);
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
        str_addf(out, "%d messages in a row say the same thing", count);
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

enum { CALL_SHOWN_MAX = 120 /* maximum bytes of a call in a nudge */ };

/* What the agent could do instead. */
static const char *const advice[] = {
    [ENTROPY_RUNG_NONE] = "",
    [ENTROPY_RUNG_REPEAT] = "do something else, or say what blocks you",
    [ENTROPY_RUNG_CYCLE] =
        "stop repeating these steps: try a different approach, or say what blocks you",
    [ENTROPY_RUNG_FAILURE] = "read the error message again and fix its cause",
    [ENTROPY_RUNG_BARREN] = "use what you already know, or say what is missing",
    [ENTROPY_RUNG_PAUSE] = "check what you are waiting for",
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
    /* Does not mention that the call's own words are masked: that would read as if the arguments
     * did not count, but they do. */
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
        str_add(out, "If it needs time, wait longer between checks (5, 10, 30, 60 s); if not, ");
    else
        str_add(out, "Please ");
    str_add(out, advice[verdict->rung]);
    str_add_char(out, '.');
}

/*
 * The thresholds, as one table for the parser of plans and settings, the documentation and the
 * screen, with the numbers of all presets. `normal` and `strict` were measured on 290 labeled
 * trajectories of many agents; see docs/entropy.md.
 *
 * The comment above a row says why `strict` has that number. Rows below it without a comment of
 * their own have the same reason. `off` disables all rungs and hints, and keeps the other numbers
 * for a plan that switches one rung on again.
 */

#define FIELD(field) #field, offsetof(struct entropy_limits, field)

enum { PERCENT = 100 };

/* Name and offset; strict, normal, off; least and most; what it counts. */
static const struct entropy_limit table[] = {
    /* The first repeat of a result is worth a hint: the agent sees the hint before it tries
     * again. */
    {FIELD(repeat_nudge), 2, 3, 0, 1, 1000,
     "the same call with the same result, in a row: suspect"},
    /* One step after the hint; 3 stop no labeled trajectory that makes progress. */
    {FIELD(repeat_stop), 3, 5, 0, 1, 1000, "the same call with the same result, in a row: stuck"},
    /* As in normal: 7 already stop two labeled series of measurements, which differ in times. */
    {FIELD(repeat_masked_stop), 8, 8, 0, 1, 1000,
     "successful calls in a row whose results differ only in masked parts: stuck"},
    /* Half of poll_stop, as in normal. */
    {FIELD(poll_nudge), 6, 10, 0, 1, 1000,
     "checks in a row of something that does not change: suspect"},
    /* 12 stop no labeled wait, 10 stop four. */
    {FIELD(poll_stop), 12, 20, 0, 1, 1000,
     "checks in a row of something that does not change: stuck"},
    /* The fewest laps that are a repeat. Stops two labeled series of runs of a flaky test. */
    {FIELD(cycle_stop), 2, 3, 0, 2, 12, "laps of a cycle of 2 to 8 steps: stuck"},
    /* Like repeat_nudge and repeat_stop: nothing was changed, so the next failure is the same. */
    {FIELD(failure_nudge), 2, 4, 0, 1, 96,
     "equal failures of one call, with other steps in between: suspect"},
    {FIELD(failure_stop), 3, 5, 0, 1, 96,
     "equal failures of one call, with no change in between: stuck"},
    /* Edits need a few tries: 6 stop two labeled repairs that succeed later, 5 stop three. */
    {FIELD(failure_edited_stop), 6, 8, 0, 1, 96,
     "equal failures of one call, despite changes in between: stuck"},
    /* Half of barren_stop, as in normal. */
    {FIELD(barren_nudge), 3, 4, 0, 1, 1000, "steps in a row that bring nothing new: suspect"},
    /* Stops loops of changing calls two steps earlier than normal, and by mistake four labeled
       trajectories, such as one question to twelve hosts. */
    {FIELD(barren_stop), 6, 8, 0, 1, 1000, "steps in a row that bring nothing new: stuck"},
    /* As in normal: strict gives these steps the same weight, but allows fewer. */
    {FIELD(poll_weight), 40, 40, 40, 1, PERCENT,
     "weight of a step that waits, among steps that bring nothing new, in percent"},
    {FIELD(review_weight), 50, 50, 50, 1, PERCENT,
     "weight of a step that shows known data in a different way, among these steps, in percent"},
    /* Half of normal: an agent that does nothing else can wait in one longer sleep. */
    {FIELD(pause_nudge), 5, 10, 0, 1, 1000, "consecutive pauses without any other step: suspect"},
    {FIELD(pause_stop), 10, 20, 0, 1, 1000, "consecutive pauses without any other step: stuck"},
    /* Like repeat_nudge and repeat_stop: a message changes nothing. */
    {FIELD(monologue_nudge), 2, 3, 0, 1, 1000,
     "similar messages in a row, without a call in between: suspect"},
    {FIELD(monologue_stop), 3, 5, 0, 1, 1000,
     "similar messages in a row, without a call in between: stuck"},
    /* As in normal, which already stops at the first chant. */
    {FIELD(chant_stop), 1, 1, 0, 1, 1000, "messages that are chants: stuck"},
    /* As in normal: these thresholds say which steps count as repeats, not how many are too
     * many. */
    {FIELD(chant_periods), 10, 10, 10, 2, 100,
     "how many equal parts in a row make a message a chant"},
    {FIELD(alike_percent), 60, 60, 60, 1, PERCENT,
     "percentage of common words at which two messages count as similar"},
    {FIELD(rewrite_percent), 80, 80, 80, 1, PERCENT,
     "percentage of common words at which two versions of a file, written in a row, count as "
     "similar"},
    {FIELD(lone_counter), 12, 12, 12, 1, 1000,
     "steps for which a counter that goes up by one is news"},
    {FIELD(drift_turns), 2, 2, 2, 1, 100,
     "changes of direction after which a number is no longer news"},
    {FIELD(flips), 4, 4, 4, 1, 1000,
     "how many changes of a call between success and failure are news"},
    /* As in normal: fewer hints would not stop anything earlier. */
    {FIELD(nudges), 2, 2, 2, 1, 8, "hints to the agent before a person is needed"},
};

static_assert(offsetof(struct entropy_limits, repeat_nudge) + ARRAY_LEN(table) * sizeof(int) ==
                  sizeof(struct entropy_limits),
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

/*
 * Presets.
 */

static const char *const preset_names[] = {
    [ENTROPY_PRESET_NONE] = "",
    [ENTROPY_STRICT] = "strict",
    [ENTROPY_NORMAL] = "normal",
    [ENTROPY_OFF] = "off",
};
static_assert(ARRAY_LEN(preset_names) == ENTROPY_PRESET_COUNT, "every preset has a name");

const char *entropy_preset_name(enum entropy_preset preset)
{
    assert(preset < ENTROPY_PRESET_COUNT);
    return preset_names[preset];
}

static int number_of_preset(const struct entropy_limit *limit, enum entropy_preset preset)
{
    if (preset == ENTROPY_STRICT)
        return limit->strict;
    return preset == ENTROPY_OFF ? limit->off : limit->normal;
}

struct entropy_limits entropy_limits_preset(enum entropy_preset preset)
{
    struct entropy_limits limits = {.preset = preset};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        put_limit(&limits, &table[i], number_of_preset(&table[i], preset));
    return limits;
}

struct entropy_limits entropy_limits_new(void)
{
    return entropy_limits_preset(ENTROPY_PRESET_NONE);
}

/* Replaces all numbers with those of the preset that `json` names. */
static bool read_preset(struct entropy_limits *limits, const struct json *json, struct err *err)
{
    enum { SHOWN_MAX = 40 };
    const char *name = json_text(json, "");
    for (int i = ENTROPY_PRESET_NONE + 1; i < ENTROPY_PRESET_COUNT; i++) {
        if (strcmp(preset_names[i], name) == 0) {
            *limits = entropy_limits_preset((enum entropy_preset)i);
            return true;
        }
    }
    char *shown = json_brief(json, SHOWN_MAX);
    (void)err_set(err, ERR_INVALID, "unknown preset %s; expected \"strict\", \"normal\" or \"off\"",
                  shown);
    free(shown);
    return false;
}

static bool read_limit(struct entropy_limits *limits, const char *name, const struct json *json,
                       struct err *err)
{
    const struct entropy_limit *limit = entropy_limit_named(name);
    if (limit) {
        const double number = json_number(json, -1);
        const bool is_whole = number >= 0 && number <= limit->max && number == (int)number;
        return entropy_limit_set(limits, limit, is_whole ? (int)number : -1, err);
    }
    struct near_word near = near_word_new(name);
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        near_word_offer(&near, table[i].name);
    return near.nearest ? err_set(err, ERR_INVALID, "unknown threshold '%s', did you mean '%s'?",
                                  name, near.nearest)
                        : err_set(err, ERR_INVALID, "unknown threshold '%s'", name);
}

bool entropy_limits_read(struct entropy_limits *limits, const struct json *json, struct err *err)
{
    if (json_kind(json) == JSON_KIND_STRING)
        return read_preset(limits, json, err);
    if (json_kind(json) != JSON_KIND_OBJECT)
        return err_set(err, ERR_INVALID, "thresholds must be the name of a preset, or an object");
    struct entropy_limits read = *limits;
    const struct json *preset = json_get(json, "preset");
    bool ok = !preset || read_preset(&read, preset, err);
    const char *key;
    const struct json *value;
    void *iter = NULL;
    while (ok && json_next(json, &iter, &key, &value))
        ok = value == preset || strncmp(key, "//", 2) == 0 || read_limit(&read, key, value, err);
    if (ok)
        *limits = read;
    return ok;
}

bool entropy_limits_parse(struct entropy_limits *limits, const char *text, struct err *err)
{
    struct json *json = NULL;
    struct json_place place = {0};
    if (!json_parse(text, strlen(text), &json, &place, err))
        return false;
    const bool ok = entropy_limits_read(limits, json, err);
    json_free(json);
    return ok;
}

void entropy_limits_write(const struct entropy_limits *limits, struct str *out)
{
    str_add_char(out, '{');
    if (limits->preset != ENTROPY_PRESET_NONE)
        str_json_text(out, "preset", preset_names[limits->preset]);
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        str_json_i64(out, table[i].name, entropy_limit_get(limits, &table[i]));
    str_add_char(out, '}');
}

void entropy_limits_words(const struct entropy_limits *limits, struct str *out)
{
    if (limits->preset == ENTROPY_PRESET_NONE)
        return;
    str_add(out, preset_names[limits->preset]);
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        const int number = entropy_limit_get(limits, &table[i]);
        if (number != number_of_preset(&table[i], limits->preset))
            str_addf(out, ", %s %d", table[i].name, number);
    }
}
