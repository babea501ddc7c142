#include "entropy.h"

#include <stdint.h>
#include <string.h>

#include "event.h"
#include "fingerprint.h"
#include "json.h"
#include "str.h"
#include "test_main.h"

static struct entropy_state state;
static struct entropy_limits limits;
static struct entropy_verdict verdict;
static int64_t number;

static void setup(void)
{
    limits = entropy_limits_new();
    state = (struct entropy_state){0};
    number = 100;
}

static void teardown(void)
{
    entropy_state_done(&state);
}

static struct entropy_fact call(uint64_t key, uint64_t outcome, unsigned bits)
{
    return (struct entropy_fact){
        .call = {0, key}, .outcome = {0, outcome}, .bits = bits, .new_permille = -1};
}

static enum entropy_level apply(struct entropy_fact fact)
{
    entropy_apply(&state, &fact, number++, &limits, &verdict);
    return verdict.level;
}

/* A call that always brings news, so that only the rung in question reacts. */
static enum entropy_level apply_news(uint64_t key, uint64_t outcome, unsigned bits)
{
    struct entropy_fact fact = call(key, outcome, bits);
    fact.gain = ENTROPY_GAIN_LINE;
    return apply(fact);
}

static bool same_verdict(const struct entropy_verdict *a, const struct entropy_verdict *b)
{
    return a->level == b->level && a->rung == b->rung && a->news == b->news &&
           a->count == b->count && a->period == b->period && a->first == b->first &&
           a->first_number == b->first_number && digest_equal(a->identity, b->identity);
}

/*
 * The rungs.
 */

static enum entropy_level level_at(int step, int suspect_at, int stuck_at)
{
    if (step >= stuck_at)
        return ENTROPY_STUCK;
    return step >= suspect_at ? ENTROPY_SUSPECT : ENTROPY_OK;
}

static const struct {
    const char *name;
    unsigned bits;
    bool raw_moves;
    int suspect_at, stuck_at;
} repeats[] = {
    {"a failure", ENTROPY_FAILED, false, 3, 5},
    {"a failure, masked", ENTROPY_FAILED, true, 3, 5},
    {"a success", 0, false, 3, 5},
    {"a measurement", 0, true, 3, 8},
    {"a look", ENTROPY_POLL, false, 10, 20},
    {"a look that fails", ENTROPY_POLL | ENTROPY_FAILED, true, 10, 20},
};

START_TEST(test_repeat_is_suspect_then_stuck)
{
    for (int i = 1; i <= repeats[_i].stuck_at; i++) {
        struct entropy_fact fact = call(7, 8, repeats[_i].bits);
        fact.gain = ENTROPY_GAIN_LINE;
        fact.raw = repeats[_i].raw_moves ? (uint64_t)i : 1;
        ck_assert_msg(apply(fact) == level_at(i, repeats[_i].suspect_at, repeats[_i].stuck_at),
                      "%s: step %d is %s", repeats[_i].name, i, entropy_level_name(verdict.level));
    }
    ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_REPEAT);
    ck_assert_int_eq(verdict.count, repeats[_i].stuck_at);
    ck_assert_int_eq(verdict.first, 1);
    ck_assert_int_eq(verdict.last, repeats[_i].stuck_at);
    ck_assert_int_eq(verdict.first_number, 100);
    ck_assert_int_eq(verdict.last_number, 99 + repeats[_i].stuck_at);
    ck_assert_int_eq(verdict.masked, repeats[_i].raw_moves);
    ck_assert_int_eq(verdict.poll, (repeats[_i].bits & ENTROPY_POLL) != 0);
}
END_TEST

START_TEST(test_messages_and_pauses_do_not_break_a_repeat)
{
    const struct entropy_fact words = {.kind = ENTROPY_MESSAGE, .call = {0, 99}};
    const struct entropy_fact pause = {.kind = ENTROPY_PAUSE, .call = {0, 98}};
    for (int i = 0; i < 4; i++) {
        (void)apply_news(1, 1, ENTROPY_FAILED);
        (void)apply(words);
        (void)apply(pause);
    }
    ck_assert_int_eq(apply_news(1, 1, ENTROPY_FAILED), ENTROPY_STUCK);
    ck_assert_int_eq(verdict.last, 13);
}
END_TEST

START_TEST(test_another_result_breaks_a_repeat)
{
    for (uint64_t i = 0; i < 40; i++)
        ck_assert_int_eq(apply_news(1, i / 2, ENTROPY_FAILED), ENTROPY_OK);
}
END_TEST

/* Laps of `period` steps, beginning at step `from` of a lap. Returns the steps until stuck. */
static int go_round(int period, int from)
{
    for (int i = 0; i < 100; i++) {
        const uint64_t key = (uint64_t)((i + from) % period);
        if (apply_news(key + 1, key + 50, 0) == ENTROPY_STUCK)
            return i + 1;
    }
    return -1;
}

START_TEST(test_cycle_is_stuck_after_three_laps)
{
    const int period = _i;
    ck_assert_int_eq(go_round(period, 0), 3 * period);
    ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_CYCLE);
    ck_assert_int_eq(verdict.count, 3);
    ck_assert_int_eq(verdict.period, period);
    ck_assert_int_eq(verdict.first, 1);
    ck_assert_int_eq(verdict.last, 3 * period);
}
END_TEST

START_TEST(test_identity_is_the_same_wherever_a_lap_begins)
{
    const int period = _i;
    ck_assert_int_gt(go_round(period, 0), 0);
    const struct digest identity = verdict.identity;
    for (int from = 1; from < period; from++) {
        entropy_state_reset(&state);
        ck_assert_int_gt(go_round(period, from), 0);
        ck_assert(digest_equal(verdict.identity, identity));
    }
    entropy_state_reset(&state);
    ck_assert_int_gt(go_round(period == 8 ? 7 : period + 1, 0), 0);
    ck_assert(!digest_equal(verdict.identity, identity));
}
END_TEST

/* Longer rounds count as steps without news; their identity is that of the whole round, too. */
START_TEST(test_identity_of_a_long_round_is_that_of_the_round)
{
    enum { PERIOD = 11 };
    struct digest identity = {0};
    for (int from = 0; from < PERIOD; from++) {
        entropy_state_reset(&state);
        int steps = 0;
        enum entropy_level level = ENTROPY_OK;
        for (; level != ENTROPY_STUCK && steps < 100; steps++) {
            const uint64_t key = (uint64_t)((steps + from) % PERIOD) + 1;
            struct entropy_fact fact = call(key, key, 0);
            fact.gain = steps < PERIOD ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE;
            level = apply(fact);
        }
        ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_BARREN);
        ck_assert_int_eq(steps, PERIOD + 8);
        if (from == 0)
            identity = verdict.identity;
        ck_assert(digest_equal(verdict.identity, identity));
    }
}
END_TEST

START_TEST(test_a_cycle_of_looks_is_not_one)
{
    for (int i = 0; i < 40; i++)
        ck_assert_int_eq(apply_news((uint64_t)(i % 2), 5, ENTROPY_POLL), ENTROPY_OK);
}
END_TEST

static const struct {
    unsigned between; /* bits of the calls between the failures */
    int suspect_at, stuck_at;
} failures[] = {{0, 4, 5}, {ENTROPY_CHANGED, 8, 8}};

START_TEST(test_a_failure_counts_over_gaps)
{
    const int last = failures[_i].stuck_at;
    for (int i = 1; i < last; i++) {
        (void)apply_news(1, 1, ENTROPY_FAILED);
        ck_assert_int_eq(verdict.level, level_at(i, failures[_i].suspect_at, last));
        (void)apply_news(50 + (uint64_t)i, 50 + (uint64_t)i, failures[_i].between);
    }
    ck_assert_int_eq(apply_news(1, 1, ENTROPY_FAILED), ENTROPY_STUCK);
    ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_FAILURE);
    ck_assert_int_eq(verdict.count, last);
    ck_assert_int_eq(verdict.first, 1);
    ck_assert_int_eq(verdict.last, 2 * last - 1);
}
END_TEST

START_TEST(test_a_failure_that_changes_is_not_one)
{
    for (uint64_t i = 0; i < 40; i++) {
        ck_assert_int_eq(apply_news(1, 100 - i / 3, ENTROPY_FAILED), ENTROPY_OK);
        (void)apply_news(500 + i, 500 + i, 0);
    }
}
END_TEST

START_TEST(test_nothing_new_is_suspect_at_4_and_stuck_at_8)
{
    (void)apply_news(1, 1, 0);
    for (int i = 1; i <= 8; i++) {
        ck_assert_int_eq(apply(call((uint64_t)i + 10, 9, 0)), level_at(i, 4, 8));
        ck_assert_int_eq(verdict.news, i == 4 || i == 8);
    }
    ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_BARREN);
    ck_assert_int_eq(verdict.count, 8);
    ck_assert_int_eq(verdict.first, 2);
}
END_TEST

START_TEST(test_news_ends_a_barren_streak)
{
    for (uint64_t i = 0; i < 50; i++) {
        const bool news = i % 4 == 3;
        const enum entropy_level level =
            news ? apply_news(i, i, 0) : apply(call(i, i % 3 + 1000, 0));
        ck_assert_int_eq(level, ENTROPY_OK);
    }
}
END_TEST

/* What is read between the failures of one edit has not helped. */
START_TEST(test_news_between_failing_edits_does_not_end_a_barren_streak)
{
    for (uint64_t i = 1; i <= 8; i++) {
        ck_assert_int_eq(apply(call(i, 9, ENTROPY_FAILED)), level_at((int)i, 4, 8));
        if (i < 8)
            ck_assert_int_eq(apply_news(100 + i, 100 + i, ENTROPY_BETWEEN), level_at((int)i, 4, 8));
    }
    ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_BARREN);
    ck_assert_int_eq(verdict.count, 8);
    ck_assert_int_eq(verdict.last, 15);
}
END_TEST

/* A pipe hides the exit code, not what was printed. */
START_TEST(test_reported_failures_count_as_failures_with_changes_in_between)
{
    for (uint64_t i = 1; i <= 8; i++) {
        ck_assert_int_eq(apply_news(1, 1, ENTROPY_REPORTS), level_at((int)i, 8, 8));
        if (i < 8)
            ck_assert_int_eq(apply_news(50 + i, 50 + i, ENTROPY_CHANGED), ENTROPY_OK);
    }
    ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_FAILURE);
    ck_assert_int_eq(verdict.count, 8);
}
END_TEST

START_TEST(test_looks_without_news_weigh_less)
{
    (void)apply_news(1, 1, 0);
    for (uint64_t i = 1; i < 20; i++)
        ck_assert_int_ne(apply(call(i + 10, i % 2, ENTROPY_POLL)), ENTROPY_STUCK);
    ck_assert_int_eq(apply(call(5, 5, ENTROPY_POLL)), ENTROPY_STUCK);
    ck_assert_int_eq(verdict.rung, ENTROPY_RUNG_BARREN);
    ck_assert(verdict.poll);
}
END_TEST

static const struct {
    enum entropy_kind kind;
    unsigned bits;
    enum entropy_rung rung;
    int suspect_at, stuck_at;
} others[] = {
    {ENTROPY_PAUSE, 0, ENTROPY_RUNG_PAUSE, 10, 20},
    {ENTROPY_MESSAGE, ENTROPY_ALIKE, ENTROPY_RUNG_MONOLOGUE, 3, 5},
    {ENTROPY_MESSAGE, ENTROPY_CHANTS, ENTROPY_RUNG_CHANT, 1, 1},
    {ENTROPY_NEUTRAL, 0, ENTROPY_RUNG_REPEAT, 3, 5},
};

START_TEST(test_pauses_messages_and_plans_have_their_rungs)
{
    for (int i = 1; i <= others[_i].stuck_at; i++) {
        const struct entropy_fact fact = {
            .kind = others[_i].kind, .bits = others[_i].bits, .call = {1, 1}};
        ck_assert_int_eq(apply(fact), level_at(i, others[_i].suspect_at, others[_i].stuck_at));
    }
    ck_assert_int_eq(verdict.rung, others[_i].rung);
}
END_TEST

START_TEST(test_a_call_ends_pauses_and_monologues)
{
    const struct entropy_fact pause = {.kind = ENTROPY_PAUSE};
    const struct entropy_fact words = {.kind = ENTROPY_MESSAGE, .bits = ENTROPY_ALIKE};
    for (uint64_t i = 0; i < 30; i++) {
        ck_assert_int_eq(apply(pause), ENTROPY_OK);
        ck_assert_int_eq(apply(words), ENTROPY_OK);
        ck_assert_int_eq(apply_news(i, i, 0), ENTROPY_OK);
    }
}
END_TEST

START_TEST(test_an_identity_is_reported_once_and_two_at_most)
{
    int told = 0;
    for (uint64_t key = 1; key <= 4; key++)
        for (int i = 0; i < 4; i++) {
            (void)apply_news(key, key, 0);
            told += verdict.news;
        }
    ck_assert_int_eq(told, 2);
    ck_assert_int_eq(verdict.level, ENTROPY_SUSPECT);
}
END_TEST

START_TEST(test_each_step_is_judged_on_its_own)
{
    for (int i = 0; i < 5; i++)
        (void)apply_news(1, 1, 0);
    ck_assert_int_eq(verdict.level, ENTROPY_STUCK);
    ck_assert(verdict.news);
    ck_assert_int_eq(apply_news(1, 1, 0), ENTROPY_STUCK);
    ck_assert(!verdict.news);
    ck_assert_int_eq(apply_news(2, 2, ENTROPY_FAILED), ENTROPY_OK);
    entropy_state_reset(&state);
    ck_assert_int_eq(apply_news(1, 1, 0), ENTROPY_OK);
    ck_assert_int_eq(entropy_state_steps(&state), 1);
}
END_TEST

/* Any threshold at its least and at its most, over steps of all kinds. */
START_TEST(test_every_threshold_may_have_any_value)
{
    const struct entropy_limit *limit = entropy_limit((size_t)_i);
    const int values[] = {limit->min, limit->min + 1, limit->max};
    uint64_t random = 7;
    for (size_t k = 0; k < ARRAY_LEN(values); k++) {
        limits = entropy_limits_new();
        ck_assert(entropy_limit_set(&limits, limit, values[k], NULL));
        entropy_state_reset(&state);
        for (int i = 0; i < 3000; i++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const struct entropy_fact fact = {
                .kind = (enum entropy_kind)((random >> 60) % ENTROPY_KIND_COUNT),
                .gain = (random >> 40) % 5 == 0 ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE,
                .bits = (unsigned)(random >> 33) & ENTROPY_BITS_ALL,
                .call = {1, (uint64_t)i / 40 % 3 + (random >> 62)},
                .outcome = {1, (random >> 55) % 2},
            };
            (void)apply(fact);
            ck_assert_int_le(verdict.first, verdict.last);
        }
    }
}
END_TEST

/* "Go on" doubles: 5, then 10, 20, 40 and never more. */
START_TEST(test_go_on_doubles_and_never_ends_the_watch)
{
    static const int stops[] = {5, 10, 20, 40, 40};
    int steps = 0;
    for (size_t i = 0; i < ARRAY_LEN(stops); i++) {
        while (apply_news(1, 1, 0) != ENTROPY_STUCK)
            ck_assert_int_lt(++steps, 1000);
        steps++;
        ck_assert_int_ge(steps, stops[i]);
        ck_assert_int_le(steps, stops[i] + (i == 4));
        entropy_state_go_on(&state);
    }
    ck_assert_int_eq(state.scale, ENTROPY_SCALE_MAX);
}
END_TEST

START_TEST(test_looks_go_on_to_40)
{
    int steps = 1;
    for (; apply_news(1, 1, ENTROPY_POLL) != ENTROPY_STUCK; steps++)
        ck_assert_int_lt(steps, 100);
    ck_assert_int_eq(steps, 20);
    entropy_state_go_on(&state);
    entropy_state_go_on(&state);
    for (steps++; apply_news(1, 1, ENTROPY_POLL) != ENTROPY_STUCK; steps++)
        ck_assert_int_lt(steps, 100);
    ck_assert_int_eq(steps, ENTROPY_REPEAT_MAX);
}
END_TEST

/* Trajectories of one kind of step, and where each preset suspects and stops them; 0: nowhere. */
enum { LENGTH = 120 };

static const struct preset_row {
    const char *name;
    struct entropy_fact step;
    int calls;       /* different ones, which take turns */
    bool has_others; /* every second step is another call that brings news */
    struct {
        int suspect, stuck;
    } want[ENTROPY_PRESET_COUNT];
} presets[] = {
    {"repeat", {.gain = ENTROPY_GAIN_LINE}, 1, false, {{3, 5}, {2, 3}, {3, 5}, {0, 0}}},
    {"poll",
     {.gain = ENTROPY_GAIN_LINE, .bits = ENTROPY_POLL},
     1,
     false,
     {{10, 20}, {6, 12}, {10, 20}, {0, 0}}},
    {"cycle", {.gain = ENTROPY_GAIN_LINE}, 2, false, {{6, 6}, {4, 4}, {6, 6}, {0, 0}}},
    {"failure", {.bits = ENTROPY_FAILED}, 1, true, {{7, 9}, {3, 5}, {7, 9}, {0, 0}}},
    {"failure, with edits",
     {.bits = ENTROPY_FAILED | ENTROPY_CHANGED},
     1,
     true,
     {{15, 15}, {11, 11}, {15, 15}, {0, 0}}},
    {"barren", {.bits = 0}, LENGTH, false, {{4, 8}, {3, 6}, {4, 8}, {0, 0}}},
    {"pause", {.kind = ENTROPY_PAUSE}, 1, false, {{10, 20}, {5, 10}, {10, 20}, {0, 0}}},
    {"monologue",
     {.kind = ENTROPY_MESSAGE, .bits = ENTROPY_ALIKE},
     1,
     false,
     {{3, 5}, {2, 3}, {3, 5}, {0, 0}}},
    {"chant",
     {.kind = ENTROPY_MESSAGE, .bits = ENTROPY_CHANTS},
     1,
     false,
     {{1, 1}, {1, 1}, {1, 1}, {0, 0}}},
};

START_TEST(test_each_preset_stops_a_trajectory_at_its_step)
{
    const struct preset_row *row = &presets[_i];
    for (int preset = 0; preset < ENTROPY_PRESET_COUNT; preset++) {
        int suspect = 0, stuck = 0;
        limits = entropy_limits_preset((enum entropy_preset)preset);
        entropy_state_reset(&state);
        for (int step = 1; step <= LENGTH && stuck == 0; step++) {
            struct entropy_fact fact = row->step;
            fact.call = fact.outcome = (struct digest){1, (uint64_t)(step % row->calls)};
            if (row->has_others && step % 2 == 0)
                fact =
                    (struct entropy_fact){.gain = ENTROPY_GAIN_LINE, .call = {2, (uint64_t)step}};
            const enum entropy_level level = apply(fact);
            if (suspect == 0 && level >= ENTROPY_SUSPECT)
                suspect = step;
            if (level == ENTROPY_STUCK)
                stuck = step;
        }
        ck_assert_msg(suspect == row->want[preset].suspect && stuck == row->want[preset].stuck,
                      "%s, preset %d: %d, %d", row->name, preset, suspect, stuck);
    }
}
END_TEST

/* Presets differ in how many repeats are too many. */
START_TEST(test_presets_are_in_order)
{
    for (size_t i = 0; entropy_limit(i); i++) {
        const struct entropy_limit *limit = entropy_limit(i);
        const size_t len = strlen(limit->name);
        const bool stops = len > 5 && strcmp(limit->name + len - 5, "_stop") == 0;
        const bool hints = len > 6 && strcmp(limit->name + len - 6, "_nudge") == 0;
        ck_assert_msg(limit->strict >= limit->min && limit->strict <= limit->normal, "%s",
                      limit->name);
        ck_assert_int_le(limit->normal, limit->max);
        ck_assert_msg(limit->off == (stops || hints ? 0 : limit->normal), "%s", limit->name);
    }
}
END_TEST

START_TEST(test_zero_switches_a_rung_off)
{
    for (size_t i = 0; entropy_limit(i); i++)
        ck_assert(entropy_limit_set(&limits, entropy_limit(i), 0, NULL));
    for (int i = 0; i < 200; i++) {
        ck_assert_int_eq(apply(call(1, 1, ENTROPY_FAILED)), ENTROPY_OK);
        ck_assert_int_eq(apply((struct entropy_fact){.kind = ENTROPY_PAUSE}), ENTROPY_OK);
        ck_assert_int_eq(apply((struct entropy_fact){.kind = ENTROPY_MESSAGE,
                                                     .bits = ENTROPY_ALIKE | ENTROPY_CHANTS}),
                         ENTROPY_OK);
    }
}
END_TEST

/*
 * Windows of equal results.
 */

START_TEST(test_C1_stuck_is_when_the_last_three_are_equal)
{
    const struct digest a = {1, 1};
    const struct digest b = {1, 2};
    const struct digest unknown = {0, 0};
    const struct digest equal[] = {b, a, a, a};
    const struct digest differ[] = {a, a, b};
    const struct digest back[] = {a, a, b, a};
    const struct digest hidden[] = {unknown, unknown, unknown};
    ck_assert(!entropy_is_stuck(equal, 0, 3));
    ck_assert(!entropy_is_stuck(&equal[1], 2, 3));
    ck_assert(entropy_is_stuck(&equal[1], 3, 3));
    ck_assert(entropy_is_stuck(equal, 4, 3));
    ck_assert(!entropy_is_stuck(equal, 4, 4));
    ck_assert(!entropy_is_stuck(differ, 3, 3));
    ck_assert(!entropy_is_stuck(back, 4, 3));
    ck_assert(!entropy_is_stuck(hidden, 3, 3));
    ck_assert(!entropy_is_stuck(equal, 4, 0));
    ck_assert(!entropy_is_stuck(equal, 4, 1));
}
END_TEST

START_TEST(test_C2_stuck_compares_content_not_reference)
{
    static const char *const texts[] = {"{\"a\":1,\"b\":[2,3]}", "{\"b\":[2,3],\"a\":1.0}",
                                        "{ \"a\" : 1e0, \"b\" : [2, 3] }", "{\"a\":1,\"b\":[3,2]}"};
    struct digest results[TABLE_LEN(texts)];
    unsigned char hash[CANONICAL_HASH_BYTES];
    for (int i = 0; i < TABLE_LEN(texts); i++) {
        struct json *json = NULL;
        ck_assert(json_parse(texts[i], strlen(texts[i]), &json, NULL, NULL));
        canonical_hash(json, hash);
        results[i] = digest_from_bytes(hash);
        json_free(json);
    }
    ck_assert(entropy_is_stuck(results, 3, 3));
    ck_assert(!entropy_is_stuck(results, 4, 3));
}
END_TEST

/*
 * Names and text.
 */

/* Reads the data into the event. */
static bool read_data(struct event *event, const char *data)
{
    struct str room = {0};
    str_reserve(&room, strlen(data));
    const bool ok = event_read(event, data, strlen(data), &room);
    str_done(&room);
    return ok;
}

START_TEST(test_names_go_both_ways)
{
    struct event back = event_new(EVENT_LOOP_SUSPECTED);
    for (int rung = 0; rung < ENTROPY_RUNG_COUNT; rung++) {
        struct event event = event_new(EVENT_LOOP_SUSPECTED);
        struct str data = {0};
        event.loop.facts.rung = (enum entropy_rung)rung;
        event_write(&event, &data);
        ck_assert(read_data(&back, str_text(&data)));
        ck_assert_int_eq(back.loop.facts.rung, rung);
        str_done(&data);
    }
    ck_assert(!read_data(&back, "{\"rung\":\"R1\"}"));
}
END_TEST

START_TEST(test_nudge_is_one_line_that_says_what_to_do)
{
    struct str text = {0};
    char call_text[1000];
    memset(call_text, 'x', sizeof(call_text) - 1);
    call_text[sizeof(call_text) - 1] = '\0';
    const struct entropy_verdict repeat = {
        .level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 3};
    entropy_nudge(&repeat, "make\ntest",
                  1u << NORMALISER_DURATIONS | 1u << NORMALISER_PIDS | 1u << NORMALISER_ARGUMENTS,
                  &text);
    ck_assert_str_eq(str_text(&text),
                     "You may be in a loop: the same call with the same result, 3 times in "
                     "a row, last `make test` (durations, pids not counted). Please do something "
                     "else, or say what blocks you.");
    str_clear(&text);
    const struct entropy_verdict poll = {
        .level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 10, .poll = true};
    entropy_nudge(&poll, call_text, 0, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text), "5, 10, 30, 60 s"));
    ck_assert_uint_lt(text.len, 500);
    str_clear(&text);
    const struct entropy_verdict ok = {0};
    entropy_nudge(&ok, "make", 0, &text);
    ck_assert_uint_eq(text.len, 0);
    str_done(&text);
}
END_TEST

START_TEST(test_every_rung_says_why)
{
    struct str text = {0};
    for (int rung = 1; rung < ENTROPY_RUNG_COUNT; rung++) {
        const struct entropy_verdict stuck = {
            .level = ENTROPY_STUCK, .rung = (enum entropy_rung)rung, .count = 5, .period = 2};
        str_clear(&text);
        entropy_why(&stuck, &text);
        ck_assert_uint_gt(text.len, 10);
        ck_assert_uint_lt(text.len, 100);
    }
    str_done(&text);
}
END_TEST

START_TEST(test_limits_have_names_and_ranges)
{
    struct err err = {0};
    const struct entropy_limit *stop = entropy_limit_named("repeat_stop");
    ck_assert_ptr_nonnull(stop);
    ck_assert_int_eq(entropy_limit_get(&limits, stop), 5);
    ck_assert(entropy_limit_set(&limits, stop, 0, &err));
    ck_assert_int_eq(limits.repeat_stop, 0);
    ck_assert(!entropy_limit_set(&limits, stop, -1, &err));
    ck_assert(!entropy_limit_set(&limits, stop, (int64_t)stop->max + 1, NULL));
    ck_assert_str_eq(err.message, "'repeat_stop' must be 0 to 1000");
    const struct entropy_limit *laps = entropy_limit_named("cycle_stop");
    ck_assert(!entropy_limit_set(&limits, laps, 1, NULL));
    ck_assert(entropy_limit_set(&limits, laps, 2, NULL));
    ck_assert_ptr_null(entropy_limit_named("nothing"));
}
END_TEST

/*
 * Facts as JSON, and the state as bytes.
 */

static const char *const not_facts[] = {
    "[]",
    "1",
    "{\"kind\":\"other\"}",
    "{\"kind\":1}",
    "{\"call\":\"12\"}",
    "{\"call\":\"0123456789abcdef0123456789abcdeX\"}",
    "{\"outcome\":{}}",
    "{\"bits\":-1}",
    "{\"bits\":8192}",
    "{\"bits\":\"1\"}",
    "{\"gain\":\"much\"}",
    "{\"new_permille\":1001}",
    "{\"lines\":-5}",
    "{\"lines\":99999999999}",
};

/* Reads the fact as a log has it. Leaves *out alone if it is invalid. */
static bool read_fact(const char *json, struct entropy_fact *out)
{
    struct event event = event_new(EVENT_AGENT_CALL);
    struct str data = {0};
    event.call.loop = *out;
    str_addf(&data, "{\"number\":1,\"loop\":%s}", json);
    const bool ok = read_data(&event, str_text(&data));
    *out = event.call.loop;
    str_done(&data);
    return ok;
}

START_TEST(test_an_invalid_fact_is_refused)
{
    struct entropy_fact fact = {.lines = 77};
    ck_assert_msg(!read_fact(not_facts[_i], &fact), "%s", not_facts[_i]);
    ck_assert_int_eq(fact.lines, 77);
}
END_TEST

START_TEST(test_members_of_a_fact_may_be_missing)
{
    struct entropy_fact fact = {0};
    ck_assert(read_fact("{\"later\":1}", &fact));
    ck_assert_int_eq(fact.kind, ENTROPY_CALL);
    ck_assert_int_eq(fact.new_permille, -1);
    ck_assert(!digest_is_known(fact.call));
}
END_TEST

/* A trajectory with repeats, laps, failures, messages, plans and pauses in it. */
static struct entropy_fact fact_at(int i)
{
    const int part = i / 40;
    struct entropy_fact fact = {.call = {1, (uint64_t)(i % (1 + part % 5)) + 1},
                                .outcome = {2, (uint64_t)(part + 1)},
                                .raw = (uint64_t)i * (uint64_t)(part % 2),
                                .new_permille = 0};
    if (i % 40 < 3)
        fact.gain = ENTROPY_GAIN_LINE;
    if (part % 3 == 1)
        fact.bits = ENTROPY_FAILED;
    if (i % 11 == 5)
        fact.kind = i % 2 == 0 ? ENTROPY_NEUTRAL : ENTROPY_MESSAGE;
    if (part == 6)
        fact.kind = ENTROPY_PAUSE;
    return fact;
}

static void reload(struct entropy_state *saved)
{
    struct str bytes = {0};
    struct entropy_state again = {0};
    size_t used = 0;
    entropy_state_save(saved, &bytes);
    ck_assert_uint_le(bytes.len, ENTROPY_STATE_BYTES_MAX);
    const size_t len = bytes.len;
    str_add(&bytes, "more");
    ck_assert(entropy_state_load(&again, bytes.data, bytes.len, &used, NULL));
    ck_assert_uint_eq(used, len);
    entropy_state_done(saved);
    *saved = again;
    str_done(&bytes);
}

static struct entropy_fact random_fact(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (struct entropy_fact){
        .kind = (enum entropy_kind)(*random >> 60) % ENTROPY_KIND_COUNT,
        .gain = (enum entropy_gain)(*random >> 40) % ENTROPY_GAIN_COUNT,
        .bits = (unsigned)(*random >> 33) & ENTROPY_BITS_ALL & ~(unsigned)ENTROPY_CHANTS,
        .call = {*random >> 61, 1},
        .outcome = {1, *random >> 62},
        .raw = *random,
        .new_permille = (int)((*random >> 20) % 1002) - 1,
        .lines = (int64_t)(*random >> 34),
    };
}

static struct entropy_fact through_json(const struct entropy_fact *fact)
{
    struct event event = event_new(EVENT_AGENT_CALL);
    struct event back = event;
    struct str data = {0};
    event.call.number = 1;
    event.call.has_loop = true;
    event.call.loop = *fact;
    event_write(&event, &data);
    ck_assert(read_data(&back, str_text(&data)));
    ck_assert(back.call.has_loop);
    str_done(&data);
    return back.call.loop;
}

START_TEST(test_saved_facts_and_states_give_the_same_verdicts)
{
    enum { PLANNED = 400, ALL = 2400 };
    struct entropy_state other = {0};
    int levels[ENTROPY_LEVEL_COUNT] = {0};
    uint64_t random = 42;
    for (int i = 0; i < ALL; i++) {
        const struct entropy_fact fact = i < PLANNED ? fact_at(i) : random_fact(&random);
        const struct entropy_fact back = through_json(&fact);
        struct entropy_verdict again;
        if (i == PLANNED / 2 || (i > PLANNED && verdict.level == ENTROPY_STUCK)) {
            entropy_state_go_on(&state);
            entropy_state_go_on(&other);
        }
        levels[apply(fact)]++;
        entropy_apply(&other, &back, number - 1, &limits, &again);
        ck_assert(same_verdict(&again, &verdict));
        ck_assert_int_eq(entropy_state_is_stuck(&other), verdict.level == ENTROPY_STUCK);
        reload(&other);
        if (i + 1 == PLANNED) {
            for (int level = 0; level < ENTROPY_LEVEL_COUNT; level++)
                ck_assert_int_gt(levels[level], 0);
        }
    }
    entropy_state_done(&other);
}
END_TEST

START_TEST(test_calls_are_found_from_a_step_on)
{
    for (int i = 1; i <= 10; i++) {
        const struct entropy_fact fact = {.call = {7, (uint64_t)i}, .gain = ENTROPY_GAIN_LINE};
        entropy_apply(&state, &fact, i, &limits, &verdict);
    }
    ck_assert(entropy_state_has_call(&state, (struct digest){7, 4}, 1));
    ck_assert(entropy_state_has_call(&state, (struct digest){7, 4}, 4));
    ck_assert(!entropy_state_has_call(&state, (struct digest){7, 4}, 5));
    ck_assert(!entropy_state_has_call(&state, (struct digest){7, 11}, 1));
    entropy_state_reset(&state);
    ck_assert(!entropy_state_has_call(&state, (struct digest){7, 4}, 1));
}
END_TEST

START_TEST(test_damaged_bytes_are_refused)
{
    struct str bytes = {0};
    size_t used = 0;
    for (int i = 0; i < 20; i++) {
        const struct entropy_fact fact = fact_at(i);
        entropy_apply(&state, &fact, i + 1, &limits, &verdict);
    }
    entropy_state_save(&state, &bytes);
    for (size_t len = 0; len < bytes.len; len++) {
        struct err err = {0};
        ck_assert(!entropy_state_load(&state, bytes.data, len, &used, &err));
        ck_assert_int_eq(err.code, ERR_INVALID);
    }
    for (size_t at = 0; at < bytes.len; at++) { /* no byte may lead out of bounds */
        struct entropy_state other = {0};
        const char was = bytes.data[at];
        bytes.data[at] = (char)0xff;
        if (entropy_state_load(&other, bytes.data, bytes.len, &used, NULL)) {
            const struct entropy_fact fact = fact_at(20);
            entropy_apply(&other, &fact, 21, &limits, &verdict);
        }
        entropy_state_done(&other);
        bytes.data[at] = was;
    }
    ck_assert_int_eq(entropy_state_steps(&state), 20);
    str_done(&bytes);
}
END_TEST

/* Loaded numbers are added to, so the next step must fit, too. */
START_TEST(test_numbers_beyond_all_steps_are_refused)
{
    enum { STEPS_AT = 4 + 4 }; /* after the magic and the scale, lowest byte first */
    struct str bytes = {0};
    size_t used = 0;
    entropy_state_save(&state, &bytes);
    ck_assert(entropy_state_load(&state, bytes.data, bytes.len, &used, NULL));
    memset(bytes.data + STEPS_AT, 0xff, 7);
    bytes.data[STEPS_AT + 7] = 0x7f;
    ck_assert(!entropy_state_load(&state, bytes.data, bytes.len, &used, NULL));
    str_done(&bytes);
}
END_TEST

static int limit_count(void)
{
    int count = 0;
    while (entropy_limit((size_t)count))
        count++;
    return count;
}

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = test_case(suite, name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    return tcase;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("entropy");
    TCase *rungs = add_case(suite, "rungs");
    tcase_add_loop_test(rungs, test_repeat_is_suspect_then_stuck, 0, TABLE_LEN(repeats));
    tcase_add_test(rungs, test_messages_and_pauses_do_not_break_a_repeat);
    tcase_add_test(rungs, test_another_result_breaks_a_repeat);
    tcase_add_loop_test(rungs, test_cycle_is_stuck_after_three_laps, 2, ENTROPY_CYCLE_MAX + 1);
    tcase_add_loop_test(rungs, test_identity_is_the_same_wherever_a_lap_begins, 2,
                        ENTROPY_CYCLE_MAX + 1);
    tcase_add_test(rungs, test_identity_of_a_long_round_is_that_of_the_round);
    tcase_add_test(rungs, test_a_cycle_of_looks_is_not_one);
    tcase_add_loop_test(rungs, test_a_failure_counts_over_gaps, 0, TABLE_LEN(failures));
    tcase_add_test(rungs, test_a_failure_that_changes_is_not_one);
    tcase_add_test(rungs, test_nothing_new_is_suspect_at_4_and_stuck_at_8);
    tcase_add_test(rungs, test_news_ends_a_barren_streak);
    tcase_add_test(rungs, test_news_between_failing_edits_does_not_end_a_barren_streak);
    tcase_add_test(rungs, test_reported_failures_count_as_failures_with_changes_in_between);
    tcase_add_test(rungs, test_looks_without_news_weigh_less);
    tcase_add_loop_test(rungs, test_pauses_messages_and_plans_have_their_rungs, 0,
                        TABLE_LEN(others));
    tcase_add_test(rungs, test_a_call_ends_pauses_and_monologues);
    TCase *reaction = add_case(suite, "reaction");
    tcase_add_test(reaction, test_an_identity_is_reported_once_and_two_at_most);
    tcase_add_test(reaction, test_each_step_is_judged_on_its_own);
    tcase_add_loop_test(reaction, test_every_threshold_may_have_any_value, 0, limit_count());
    tcase_add_test(reaction, test_go_on_doubles_and_never_ends_the_watch);
    tcase_add_test(reaction, test_looks_go_on_to_40);
    tcase_add_loop_test(reaction, test_each_preset_stops_a_trajectory_at_its_step, 0,
                        TABLE_LEN(presets));
    tcase_add_test(reaction, test_presets_are_in_order);
    tcase_add_test(reaction, test_zero_switches_a_rung_off);
    tcase_add_test(reaction, test_nudge_is_one_line_that_says_what_to_do);
    tcase_add_test(reaction, test_every_rung_says_why);
    tcase_add_test(reaction, test_names_go_both_ways);
    tcase_add_test(reaction, test_limits_have_names_and_ranges);
    tcase_add_test(reaction, test_C1_stuck_is_when_the_last_three_are_equal);
    tcase_add_test(reaction, test_C2_stuck_compares_content_not_reference);
    TCase *facts = add_case(suite, "facts");
    tcase_add_loop_test(facts, test_an_invalid_fact_is_refused, 0, TABLE_LEN(not_facts));
    tcase_add_test(facts, test_members_of_a_fact_may_be_missing);
    tcase_add_test(facts, test_saved_facts_and_states_give_the_same_verdicts);
    tcase_add_test(facts, test_calls_are_found_from_a_step_on);
    tcase_add_test(facts, test_damaged_bytes_are_refused);
    tcase_add_test(facts, test_numbers_beyond_all_steps_are_refused);
    return suite;
}
