#include "entropy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_rows.h"
#include "fingerprint.h"
#include "json.h"
#include "loops_internal.h"
#include "str.h"
#include "test_main.h"

static struct entropy_memory *memory;
static struct entropy_limits limits;
static struct entropy_fact fact;

static void setup(void)
{
    limits = entropy_limits_new();
    entropy_memory_open(&memory, &limits);
}

static void teardown(void)
{
    entropy_memory_close(memory);
    memory = NULL;
}

static bool same_fact(const struct entropy_fact *a, const struct entropy_fact *b)
{
    return a->kind == b->kind && a->gain == b->gain && a->bits == b->bits && a->raw == b->raw &&
           digest_equal(a->call, b->call) && digest_equal(a->outcome, b->outcome) &&
           a->new_permille == b->new_permille && a->lines == b->lines;
}

static void take_line(void *ctx, const struct normaliser_line *line)
{
    entropy_memory_line(ctx, line);
}

static void end(const char *output, int code)
{
    struct normaliser *normaliser = NULL;
    const struct entropy_end how = {.failed = code > 0, .running = code < 0};
    normaliser_open(&normaliser, entropy_memory_words(memory), take_line, memory);
    normaliser_add(normaliser, output, strlen(output));
    normaliser_end(normaliser);
    normaliser_close(normaliser);
    entropy_memory_end(memory, &how, &fact);
}

/* Plays a step of a row. */
static void play_step(struct entropy_memory *at, const struct json *step, struct entropy_fact *out)
{
    const int64_t exit = json_i64(json_get(step, "exit"), 0);
    const struct entropy_end how = {.failed = exit != 0 && exit != -1, .running = exit == -1};
    const char *output = data_text(step, "output");
    entropy_memory_begin_call(at, data_text(step, "tool"), json_get(step, "args"));
    entropy_memory_text(at, output, strlen(output));
    entropy_memory_end(at, &how, out);
}

static void call(const char *tool, const char *args, const char *output, int code)
{
    struct json *json = NULL;
    ck_assert_msg(json_parse(args, strlen(args), &json, NULL, NULL), "%s", args);
    entropy_memory_begin_call(memory, tool, json);
    end(output, code);
    json_free(json);
}

static void shell(const char *command, const char *output, int code)
{
    struct str args = {0};
    str_add_char(&args, '{');
    str_json_text(&args, "command", command);
    str_add_char(&args, '}');
    call("shell", str_text(&args), output, code);
    str_done(&args);
}

/*
 * What a step is, and what it brings.
 */

/* A row has steps, and what is expected of the last one: kind, gain, poll, between, reports;
 * whether it is the same call as the first one (same_call), with the same result (same_result). */
static void check_steps(const struct json *row, void *ctx)
{
    (void)ctx;
    const struct json *steps = json_get(row, "steps");
    char *text = json_brief(steps, 400);
    struct entropy_fact first;
    struct entropy_fact last;
    const char *kind = json_text(json_get(row, "kind"), NULL);
    const char *gain = json_text(json_get(row, "gain"), NULL);
    entropy_memory_reset(memory);
    play_step(memory, json_at(steps, 0), &first);
    last = first;
    for (size_t i = 1; i < json_count(steps); i++)
        play_step(memory, json_at(steps, i), &last);

    if (kind)
        ck_assert_msg(strcmp(entropy_kind_name(last.kind), kind) == 0, "%s", text);
    if (gain)
        ck_assert_msg(strcmp(entropy_gain_name(last.gain), gain) == 0, "%s: %d", text,
                      (int)last.gain);
    const struct {
        const char *key;
        bool got;
    } facts[] = {
        {"poll", (last.bits & ENTROPY_POLL) != 0},
        {"between", (last.bits & ENTROPY_BETWEEN) != 0},
        {"reports", (last.bits & ENTROPY_REPORTS) != 0},
        {"same_call", digest_equal(first.call, last.call)},
        {"same_result", digest_equal(first.outcome, last.outcome)},
    };
    for (int i = 0; i < TABLE_LEN(facts); i++) {
        const struct json *expected = json_get(row, facts[i].key);
        ck_assert_msg(!expected || json_bool(expected, false) == facts[i].got, "%s: %s", text,
                      facts[i].key);
    }
    free(text);
}

START_TEST(test_steps_are_told_apart)
{
    ck_assert_int_eq(data_rows("tests/data/loop-steps.jsonl", check_steps, NULL), 146);
}
END_TEST

static void take_hashed_line(void *ctx, const struct fingerprint_line *line)
{
    entropy_memory_hashed_line(ctx, line);
}

START_TEST(test_a_hashed_line_counts_as_any_other)
{
    static const char output[] = "cat: alpha.txt: 3 failed in 2 ms\nno matches for 'alpha'\n";
    struct json *args = NULL;
    struct fingerprint *fingerprint = NULL;
    const struct entropy_end how = {.failed = true};
    shell("cat alpha.txt", output, 1);
    const struct entropy_fact want = fact;
    entropy_memory_reset(memory);

    ck_assert(json_parse("{\"command\":\"cat alpha.txt\"}", 27, &args, NULL, NULL));
    entropy_memory_begin_call(memory, "shell", args);
    const struct fingerprint_setting setting = {
        .words = entropy_memory_words(memory), .line = take_hashed_line, .ctx = memory};
    fingerprint_open(&fingerprint, &setting);
    fingerprint_add(fingerprint, 0, output, sizeof(output) - 1);
    (void)fingerprint_finish(fingerprint, OUTCOME_EXIT, 1);
    fingerprint_close(fingerprint);
    entropy_memory_end(memory, &how, &fact);

    ck_assert(same_fact(&fact, &want));
    json_free(args);
}
END_TEST

START_TEST(test_an_attempt_is_a_step)
{
    entropy_memory_begin_attempt(memory, (struct digest){1, 2});
    ck_assert_ptr_null(entropy_memory_words(memory));
    end("3 failed in 1.2s\n", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_LINE);
    ck_assert_int_eq(fact.new_permille, 1000);
    ck_assert(digest_equal(fact.call, (struct digest){1, 2}));
    const struct entropy_fact first = fact;
    entropy_memory_begin_attempt(memory, (struct digest){1, 2});
    end("3 failed in 1.7s\n", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
    ck_assert_int_eq(fact.new_permille, 0);
    ck_assert(digest_equal(fact.outcome, first.outcome));
    ck_assert_uint_ne(fact.raw, first.raw);
    ck_assert_uint_eq(fact.bits, ENTROPY_FAILED | ENTROPY_MASKED);
    entropy_memory_begin_attempt(memory, (struct digest){1, 2});
    entropy_memory_end(memory, &(struct entropy_end){.failed = true, .transient = true}, &fact);
    ck_assert(fact.bits & ENTROPY_POLL);
    ck_assert_int_eq(fact.new_permille, -1);
}
END_TEST

START_TEST(test_equal_results_bring_nothing_new)
{
    const struct entropy_end same = {.failed = true, .result = {5, 6}};
    struct normaliser *normaliser = NULL;
    for (int i = 0; i < 2; i++) {
        const char *json = i == 0 ? "{\"a\":1,\"b\":2}\n" : "{\"b\":2,\"a\":1}\n";
        entropy_memory_begin_attempt(memory, (struct digest){1, 2});
        normaliser_open(&normaliser, NULL, take_line, memory);
        normaliser_add(normaliser, json, strlen(json));
        normaliser_end(normaliser);
        normaliser_close(normaliser);
        entropy_memory_end(memory, &same, &fact);
        ck_assert(digest_equal(fact.outcome, same.result));
        ck_assert_int_eq(fact.new_permille, i == 0 ? 1000 : 0);
        ck_assert_int_eq(fact.gain, i == 0 ? ENTROPY_GAIN_LINE : ENTROPY_GAIN_NONE);
    }
}
END_TEST

START_TEST(test_a_step_that_passes_is_progress)
{
    for (uint64_t step = 0; step < 5; step++) {
        entropy_memory_begin_attempt(memory, (struct digest){1, step + 1});
        end("a line\n100% tests passed\n", 0);
        ck_assert_int_ne(fact.gain, ENTROPY_GAIN_NONE);
    }
    entropy_memory_begin_attempt(memory, (struct digest){1, 1});
    end("a line\n100% tests passed\n", 0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
}
END_TEST

static const struct {
    const char *line;
    unsigned hints;
} hinted[] = {
    {"", 0},
    {"0 results", HINT_EMPTY},
    {"found 10 results", 0},
    {"HTTP 429", HINT_PASSES},
    {"3 failed", HINT_OVER},
    {"unfailed", 0},
    {"Failed to connect to x", HINT_OVER | HINT_PASSES | CAUSE_REFUSED},
    {"status: IN PROGRESS", HINT_PENDING},
    {"Is it running?", HINT_PENDING},
    {"still running, not done", HINT_PENDING | HINT_OVER | HINT_ACK},
    {"no matches found", HINT_EMPTY | HINT_NO_CHANGE},
    {"Already up to date.", HINT_NO_CHANGE},
    {"Permission denied", HINT_HOPELESS | CAUSE_DENIED},
    {"cat: x: No such file or directory", HINT_EMPTY | HINT_HOPELESS},
    {"waiting", HINT_BUSY},
    {"Running 5 tests", HINT_BUSY},
    {"server running on port 80", HINT_BUSY},
    {"process running", HINT_PENDING},
    {"{\"items\":[]}", HINT_EMPTY},
    {"int a[] = {1};", 0},
    {"error: x", HINT_TROUBLE},
    {"saved", HINT_ACK},
    {"awaiting", 0},
    {"zero", 0},
};

START_TEST(test_a_line_of_a_result_has_hints)
{
    const unsigned hints = entropy_hints(hinted[_i].line, strlen(hinted[_i].line));
    ck_assert_msg(hints == hinted[_i].hints, "%s: %x", hinted[_i].line, hints);
}
END_TEST

/*
 * What is news.
 */

static int count_gains(const int *numbers, int count)
{
    int gained = 0;
    for (int i = 0; i < count; i++) {
        struct str text = {0};
        str_addf(&text, "found: %d", numbers[i]);
        shell("./count", str_text(&text), 0);
        gained += fact.gain == ENTROPY_GAIN_LINE;
        str_done(&text);
    }
    return gained;
}

START_TEST(test_a_number_is_news_until_it_turns_twice)
{
    static const int drifting[] = {47, 45, 44, 46, 43, 48, 42, 49, 41, 50};
    int falling[40];
    for (int i = 0; i < 40; i++)
        falling[i] = 1000 - 7 * i;
    ck_assert_int_eq(count_gains(falling, 40), 40);
    entropy_memory_reset(memory);
    /* The first number, two smaller ones, and the first turn; the second turn is not news. */
    ck_assert_int_eq(count_gains(drifting, 10), 4);
}
END_TEST

START_TEST(test_a_counter_of_steps_is_not_news_after_twelve)
{
    int counter[40];
    for (int i = 0; i < 40; i++)
        counter[i] = i;
    ck_assert_int_eq(count_gains(counter, 40), 13);
}
END_TEST

START_TEST(test_flips_are_news_four_times)
{
    int gained = 0;
    shell("./flaky", "a", 0);
    for (int i = 0; i < 20; i++) {
        shell("./flaky", "a", i % 2 == 0);
        gained += fact.gain == ENTROPY_GAIN_FLIP;
    }
    ck_assert_int_eq(gained, limits.flips);
}
END_TEST

static enum entropy_gain write_file(const char *path, const char *content)
{
    struct str args = {0};
    str_add_char(&args, '{');
    str_json_text(&args, "path", path);
    str_json_text(&args, "content", content);
    str_add_char(&args, '}');
    call("write_file", str_text(&args), "ok", 0);
    str_done(&args);
    return fact.gain;
}

START_TEST(test_rewriting_a_file_in_other_words_is_no_change)
{
    static const char *const contents[] = {"the service takes a request and stores it",
                                           "the service takes a request and keeps it",
                                           "the service takes a request and holds it"};
    ck_assert_int_eq(write_file("d.md", contents[0]), ENTROPY_GAIN_CHANGE);
    ck_assert_int_eq(write_file("d.md", contents[1]), ENTROPY_GAIN_CHANGE);
    limits.rewrite_percent = 70;
    teardown();
    entropy_memory_open(&memory, &limits);
    ck_assert_int_eq(write_file("d.md", contents[0]), ENTROPY_GAIN_CHANGE);
    ck_assert_int_eq(write_file("d.md", contents[1]), ENTROPY_GAIN_NONE);
    ck_assert_int_eq(write_file("e.md", contents[2]), ENTROPY_GAIN_CHANGE);
}
END_TEST

/* `count` lines; those from `other` on are of another kind. */
static void long_result(int count, int other)
{
    struct str output = {0};
    for (int i = 0; i < count; i++)
        str_addf(&output, "%s %c%c%c %d\n", i < other ? "unit" : "item", 'a' + i % 26,
                 'a' + i / 26 % 26, 'a' + i / 676 % 26, i);
    shell("make", str_text(&output), 1);
    str_done(&output);
}

static const int long_results[] = {100, 4000, 5000, 17000, 70000};

START_TEST(test_the_share_of_a_long_result_is_right)
{
    const int count = long_results[_i];
    long_result(count, count);
    ck_assert_int_eq(fact.new_permille, 1000);
    ck_assert_int_eq(fact.lines, count);
    long_result(count, count);
    ck_assert_int_eq(fact.new_permille, 0);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
    long_result(count, count / 4 * 3);
    ck_assert_int_ge(fact.new_permille, 220);
    ck_assert_int_le(fact.new_permille, 280);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_LINE);
    /* Short results are compared line by line, whatever came before. */
    shell("cat x", "one\ntwo\nthree\nfour", 0);
    ck_assert_int_eq(fact.new_permille, 1000);
    shell("cat x", "one\ntwo\nthree\nfive", 0);
    ck_assert_int_eq(fact.new_permille, 250);
}
END_TEST

/*
 * Messages.
 */

/* The bits of the fact. */
static unsigned message(const char *text)
{
    entropy_memory_begin_message(memory, text, strlen(text));
    entropy_memory_end(memory, &(struct entropy_end){0}, &fact);
    return fact.bits;
}

START_TEST(test_messages_with_the_same_words_are_alike)
{
    ck_assert(!(message("I will fix the import now.") & ENTROPY_ALIKE));
    ck_assert(message("Now I will fix the import!") & ENTROPY_ALIKE);
    ck_assert(!(message("The tests need a database.") & ENTROPY_ALIKE));
    ck_assert(message("I will fix the import now.") & ENTROPY_ALIKE);
    shell("make", "", 0);
    ck_assert(!(message("I will fix the import now.") & ENTROPY_ALIKE));
}
END_TEST

static const struct {
    const char *before, *piece, *after;
    int times;
    bool chants;
} chants[] = {
    {"", "I will do it. ", "", 10, true},
    {"", "I will do it. ", "", 9, false},
    {"A beginning. ", "I will do it. ", "An end.", 12, true},
    {"", "I will do it.\n", "", 12, true},
    {"", "- I will do it.\n", "", 30, false},
    {"", "1. I will do it.\n", "", 30, false},
    {"", "| cell | cell |\n", "", 30, false},
    {"", "> quoted words\n", "", 30, false},
    {"```\n", "x = call(y)\n", "```\n", 30, false},
    {"~~~\n", "x = call(y)\n", "~~~\n", 30, false},
    {"", "==========", "", 30, false},
    {"", "\xe2\x94\x80\xe2\x94\x80", "", 200, false},
    {"", "ha ", "", 200, false},
    {"", "\xe6\x88\x91\xe4\xbc\x9a\xe5\x81\x9a\xe3\x80\x82", "", 12, true},
};

START_TEST(test_a_message_that_repeats_itself_chants)
{
    struct str text = {0};
    str_add(&text, chants[_i].before);
    for (int i = 0; i < chants[_i].times; i++)
        str_add(&text, chants[_i].piece);
    str_add(&text, chants[_i].after);
    ck_assert_msg((message(str_text(&text)) & ENTROPY_CHANTS) ==
                      (chants[_i].chants ? ENTROPY_CHANTS : 0),
                  "%s x %d", chants[_i].piece, chants[_i].times);
    str_done(&text);
}
END_TEST

/*
 * What is kept and saved.
 */

START_TEST(test_samples_show_what_was_masked)
{
    ck_assert_ptr_null(entropy_memory_last(memory));
    shell("make", "plain\n3 failed in 1.2s", 1);
    shell("make", "plain\n3 failed in 1.7s", 1);
    shell("make", "plain\n3 failed in 2.9s", 1);
    const struct entropy_sample *first = entropy_memory_first(memory);
    const struct entropy_sample *last = entropy_memory_last(memory);
    ck_assert_int_eq(first->count, 1);
    ck_assert_str_eq(first->lines[0].raw, "3 failed in 1.2s");
    ck_assert_str_eq(last->lines[0].raw, "3 failed in 2.9s");
    ck_assert_str_eq(last->lines[0].normal, first->lines[0].normal);
    ck_assert_uint_eq(last->masks, 1u << NORMALISER_DURATIONS);
}
END_TEST

START_TEST(test_a_long_line_is_cut_in_a_sample)
{
    struct str text = {0};
    for (int i = 0; i < 3000; i++)
        str_add(&text, "\xc3\xa9");
    str_add(&text, " 1.2s");
    shell("make", str_text(&text), 1);
    const struct entropy_sample *last = entropy_memory_last(memory);
    ck_assert_int_eq(last->count, 1);
    ck_assert_uint_eq(strlen(last->lines[0].raw), (ENTROPY_SAMPLE_BYTES - 1) / 2 * 2);
    str_done(&text);
}
END_TEST

/* Fills every table far over its limit. */
static void flood(void)
{
    for (int i = 0; i < 6000; i++) {
        struct str args = {0};
        struct str output = {0};
        str_addf(&args, "tool-%d --x", i);
        for (int k = 0; k < 5; k++)
            str_addf(&output, "%c%c%c line %d\n", 'a' + i % 26, 'a' + i / 26 % 26,
                     'a' + i / 676 % 26, i * 5 + k);
        shell(str_text(&args), str_text(&output), i % 3 == 0);
        str_done(&args);
        str_done(&output);
    }
}

/* Saves and loads it: both give the same bytes. */
static void reload(struct entropy_memory **at)
{
    struct entropy_memory *other = NULL;
    struct str saved = {0};
    struct str again = {0};
    struct err err = {0};
    entropy_memory_open(&other, &limits);
    entropy_memory_save(*at, &saved);
    ck_assert_msg(entropy_memory_load(other, saved.data, saved.len, &err), "%s", err.message);
    entropy_memory_save(other, &again);
    ck_assert_uint_eq(again.len, saved.len);
    ck_assert_mem_eq(again.data, saved.data, saved.len);
    entropy_memory_close(*at);
    *at = other;
    str_done(&saved);
    str_done(&again);
}

START_TEST(test_a_full_memory_is_saved_and_loaded)
{
    struct entropy_memory *const whole = memory;
    struct entropy_memory *loaded = NULL;
    struct str saved = {0};
    flood();
    entropy_memory_save(whole, &saved);
    ck_assert_uint_le(saved.len, ENTROPY_BLOB_BYTES_MAX);
    ck_assert_uint_gt(saved.len, ENTROPY_LINES_MAX * 8);
    entropy_memory_open(&loaded, &limits);
    ck_assert(entropy_memory_load(loaded, saved.data, saved.len, NULL));
    reload(&loaded);

    shell("new --tool", "aaa line 1\nnew", 1);
    const struct entropy_fact want = fact;
    memory = loaded;
    shell("new --tool", "aaa line 1\nnew", 1);
    memory = whole;
    ck_assert(same_fact(&fact, &want));
    entropy_memory_close(loaded);
    str_done(&saved);
}
END_TEST

/* A memory that is saved and loaded after each step makes the same facts, except for messages,
 * which are not saved. */
static void check_saved_steps(const struct json *row, void *ctx)
{
    int *played = ctx;
    struct entropy_memory *whole = NULL;
    struct entropy_memory *parts = NULL;
    entropy_memory_open(&whole, &limits);
    entropy_memory_open(&parts, &limits);
    const struct json *steps = json_get(row, "steps");
    for (size_t i = 0; i < json_count(steps); i++, (*played)++) {
        struct entropy_fact a;
        struct entropy_fact b;
        play_step(whole, json_at(steps, i), &a);
        play_step(parts, json_at(steps, i), &b);
        ck_assert_msg(a.kind == ENTROPY_MESSAGE || same_fact(&a, &b), "%s, step %zu",
                      data_text(row, "id"), i + 1);
        reload(&parts);
    }
    entropy_memory_close(whole);
    entropy_memory_close(parts);
}

START_TEST(test_a_memory_saved_after_each_step_knows_the_same)
{
    int played = 0;
    data_rows("tests/data/loops-fresh.jsonl", check_saved_steps, &played);
    ck_assert_int_gt(played, 1000);
}
END_TEST

START_TEST(test_damaged_bytes_are_refused)
{
    struct str saved = {0};
    struct err err = {0};
    shell("make", "3 failed\n2 skipped", 1);
    entropy_memory_save(memory, &saved);
    for (size_t len = 0; len < saved.len; len++)
        ck_assert(!entropy_memory_load(memory, saved.data, len, NULL));
    ck_assert(!entropy_memory_load(memory, saved.data, saved.len - 1, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    for (size_t i = 0; i < 20; i++) {
        saved.data[i] = (char)~saved.data[i];
        ck_assert(!entropy_memory_load(memory, saved.data, saved.len, NULL));
        saved.data[i] = (char)~saved.data[i];
    }
    shell("make", "3 failed\n2 skipped", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_NONE);
    ck_assert(entropy_memory_load(memory, saved.data, saved.len, NULL));
    str_done(&saved);
}
END_TEST

/* Gives every part of the memory something to remember. */
static void remember_everything(void)
{
    static const struct {
        const char *tool, *args, *output;
        int code;
    } steps[] = {
        {"todo_write", "{\"todos\":[{\"status\":\"done\"},{\"status\":\"open\"}]}", "ok", 0},
        {"Task", "{\"prompt\":\"Find the callers.\"}", "They are in src/a.c.", 0},
        {"grep", "{\"pattern\":\"get_rate\"}", "", 0},
        {"grep", "{\"pattern\":\"getRate\"}", "no matches", 1},
        {"edit", "{\"path\":\"a.c\",\"old\":\"rate\",\"new\":\"rates\"}", "text not found", 1},
        {"write_file", "{\"path\":\"b.c\",\"content\":\"int rate;\"}", "ok", 0},
        {"shell", "{\"command\":\"make\"}", "a.c:3:1: error\n7 warnings", 2},
        {"shell", "{\"command\":\"git push\"}", "push: permission denied", 1},
    };
    (void)message("I will run the test 20 times.");
    for (int i = 0; i < TABLE_LEN(steps); i++)
        call(steps[i].tool, steps[i].args, steps[i].output, steps[i].code);
}

/* Loads the bytes, and returns false if they are refused. Whatever was loaded is saved as the same
 * bytes. */
static bool load(const struct str *saved)
{
    struct entropy_memory *loaded = NULL;
    struct str again = {0};
    entropy_memory_open(&loaded, &limits);
    const bool ok = entropy_memory_load(loaded, saved->data, saved->len, NULL);
    if (ok) {
        entropy_memory_save(loaded, &again);
        ck_assert_uint_eq(again.len, saved->len);
        ck_assert_mem_eq(again.data, saved->data, saved->len);
    }
    entropy_memory_close(loaded);
    str_done(&again);
    return ok;
}

START_TEST(test_changed_bytes_are_refused_or_kept)
{
    struct str saved = {0};
    int refused = 0;
    remember_everything();
    entropy_memory_save(memory, &saved);
    ck_assert(load(&saved));
    for (size_t i = 0; i < saved.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            saved.data[i] = (char)(saved.data[i] ^ 1 << bit);
            refused += !load(&saved);
            saved.data[i] = (char)(saved.data[i] ^ 1 << bit);
        }
    }
    ck_assert_int_gt(refused, 0);
    str_done(&saved);
}
END_TEST

START_TEST(test_an_impossible_cause_is_refused)
{
    enum { CAUSES_AT = 7 * 4 + 1 }; /* after the header and the number of failures */
    struct str saved = {0};
    entropy_memory_save(memory, &saved);
    saved.data[CAUSES_AT + 1] = (char)(CAUSE_REFUSED >> 8);
    ck_assert(load(&saved));
    saved.data[CAUSES_AT] = HINT_PENDING;
    ck_assert(!load(&saved));
    str_done(&saved);
}
END_TEST

/* A prompt without words, an edit that is no edit, and numbers that no double holds. */
START_TEST(test_odd_steps_are_saved_and_loaded)
{
    char nines[401];
    struct str text = {0};
    memset(nines, '9', sizeof(nines) - 1);
    nines[sizeof(nines) - 1] = '\0';
    str_addf(&text, "a.c:%s: error\n%s errors", nines, nines);
    call("Task", "{}", "It is in src/a.c.", 0);
    reload(&memory);
    call("edit", "{}", "", 1);
    reload(&memory);
    shell("make", str_text(&text), 1);
    reload(&memory);
    str_done(&text);
}
END_TEST

/* The first byte tells fuzz_entropy.c that a saved memory follows: that of remember_everything().
 */
START_TEST(test_the_fuzzer_begins_with_a_current_memory)
{
    char seed[4096];
    FILE *file = fopen(test_source_path("tests/fuzz/corpus/entropy/memory"), "rb");
    ck_assert_ptr_nonnull(file);
    const size_t len = fread(seed, 1, sizeof(seed), file);
    (void)fclose(file);
    ck_assert_int_eq(seed[0], 'B');
    ck_assert(load(&(struct str){.data = seed + 1, .len = len - 1}));
}
END_TEST

START_TEST(test_a_reset_forgets)
{
    shell("make", "a", 1);
    entropy_memory_reset(memory);
    ck_assert_ptr_null(entropy_memory_last(memory));
    shell("make", "a", 1);
    ck_assert_int_eq(fact.gain, ENTROPY_GAIN_LINE);
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = test_case(suite, name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    return tcase;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("entropy_memory");
    TCase *steps = add_case(suite, "steps");
    tcase_add_test(steps, test_steps_are_told_apart);
    tcase_add_test(steps, test_an_attempt_is_a_step);
    tcase_add_test(steps, test_a_hashed_line_counts_as_any_other);
    tcase_add_test(steps, test_equal_results_bring_nothing_new);
    tcase_add_test(steps, test_a_step_that_passes_is_progress);
    tcase_add_loop_test(steps, test_a_line_of_a_result_has_hints, 0, TABLE_LEN(hinted));
    TCase *news = add_case(suite, "news");
    tcase_add_test(news, test_a_number_is_news_until_it_turns_twice);
    tcase_add_test(news, test_a_counter_of_steps_is_not_news_after_twelve);
    tcase_add_test(news, test_flips_are_news_four_times);
    tcase_add_test(news, test_rewriting_a_file_in_other_words_is_no_change);
    tcase_add_loop_test(news, test_the_share_of_a_long_result_is_right, 0, TABLE_LEN(long_results));
    TCase *messages = add_case(suite, "messages");
    tcase_add_test(messages, test_messages_with_the_same_words_are_alike);
    tcase_add_loop_test(messages, test_a_message_that_repeats_itself_chants, 0, TABLE_LEN(chants));
    TCase *keeping = add_case(suite, "keeping");
    tcase_add_test(keeping, test_samples_show_what_was_masked);
    tcase_add_test(keeping, test_a_long_line_is_cut_in_a_sample);
    tcase_add_test(keeping, test_a_full_memory_is_saved_and_loaded);
    tcase_add_test(keeping, test_a_memory_saved_after_each_step_knows_the_same);
    tcase_add_test(keeping, test_damaged_bytes_are_refused);
    tcase_add_test(keeping, test_changed_bytes_are_refused_or_kept);
    tcase_add_test(keeping, test_an_impossible_cause_is_refused);
    tcase_add_test(keeping, test_odd_steps_are_saved_and_loaded);
    tcase_add_test(keeping, test_the_fuzzer_begins_with_a_current_memory);
    tcase_add_test(keeping, test_a_reset_forgets);
    return suite;
}
