#include "event_row.h"

#include <stdio.h>
#include <string.h>

#include "event.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"

static struct sample sample;

static void setup(void)
{
    struct place place = sample_place();
    sample_open(&sample, &place, 3);
}

static void teardown(void)
{
    sample_done(&sample);
}

#define TEXT_ROW(byte, phrase) {byte, phrase},

static const struct {
    char byte;
    const char *text;
} phrases[] = {EVENT_PHRASES_ALL(TEXT_ROW)};

static const char *const texts[] = {
    "",
    "{}",
    "{\"by\":\"ann\"}",
    "{\"cpu\":6,\"err_lines\":1,\"fp\":\"5134908574d621cce696d360ad83064a\",\"new\":1000,"
    "\"loop\":{\"raw\":-1221796672453447937,\"bits\":69,\"gain\":\"line\",\"lines\":1}}",
    "{\"rule\":\"test.tap\",\"subtype\":\"TEST_FAILURE\",\"stream\":\"stdout\",\"offset\":71,"
    "\"line\":3,\"match\":\"not ok 3 - \\\",\\\"n\\\":\"}",
    "{\"policy\":\"patient\",\"n\":1,\"base\":5000,\"multiplier\":1,\"cap\":1,\"jitter\":0,"
    "\"factor\":1,\"hint\":-1,\"used\":1,\"allowed\":4}",
    /* Almost a phrase, and a phrase at the end of the text. */
    "{\"cpu\" :1,\"jitter\":0.5,\"factor\":1,\"hint\":-10,\"used\":",
    "{\"note\":\"\xc3\xa4\xe2\x80\x98\x7f\"}",
};

static void spell(const char *bytes, size_t len, struct str *out)
{
    str_clear(out);
    ck_assert(event_phrases_spell(bytes, len, EVENT_TEXT_MAX, out));
}

START_TEST(test_a_text_comes_back_as_it_was)
{
    char packed[EVENT_TEXT_MAX];
    struct str out = {0};
    const size_t len = event_phrases_pack(texts[_i], packed);
    ck_assert_uint_le(len, strlen(texts[_i]));
    spell(packed, len, &out);
    ck_assert_str_eq(str_text(&out), texts[_i]);
    /* A text of an older log is unchanged. */
    spell(texts[_i], strlen(texts[_i]), &out);
    ck_assert_str_eq(str_text(&out), texts[_i]);
    str_done(&out);
}
END_TEST

/* Otherwise a row of an older log would get another meaning. */
START_TEST(test_each_phrase_is_one_byte_and_not_json_whitespace)
{
    char packed[EVENT_TEXT_MAX];
    ck_assert_uint_eq(event_phrases_pack(phrases[_i].text, packed), 1);
    ck_assert_int_eq(packed[0], phrases[_i].byte);
    ck_assert(packed[0] > 0 && packed[0] < ' ' && packed[0] != '\n' && packed[0] != '\r');
}
END_TEST

START_TEST(test_a_byte_of_a_phrase_becomes_a_blank)
{
    char packed[8];
    ck_assert_uint_eq(event_phrases_pack("{\t\"a\x01\"\n", packed), 7);
    ck_assert_mem_eq(packed, "{ \"a \"\n", 7);
}
END_TEST

START_TEST(test_spelling_stops_at_the_limit)
{
    struct str out = {0};
    ck_assert(event_phrases_spell("\x10\x10", 2, 2 * strlen("{\"rule\":\""), &out));
    ck_assert(!event_phrases_spell("\x10\x10", 2, 2 * strlen("{\"rule\":\"") - 1, &out));
    ck_assert(!event_phrases_spell("abc", 3, 2, &out));
    str_done(&out);
}
END_TEST

static void commit(const char *text)
{
    const struct event event = {.seq = 1, .kind = EVENT_NOTE, .task = -1, .step = -1, .text = text};
    log_commit(sample.writer, &(struct log_batch){.events = &event, .event_count = 1});
}

static void check_reader(const char *text)
{
    struct log_reader *reader = log_reader_of(&sample.place);
    struct event_page page = {0};
    must(log_reader_events(reader, sample.number, 0, &page, &err));
    ck_assert_uint_eq(page.count, 1);
    ck_assert_pstr_eq(page.events[0].text, text[0] ? text : NULL);
    event_page_done(&page);
    log_reader_close(reader);
}

/* Other programs read the view, ours the table. */
START_TEST(test_the_view_spells_what_the_row_holds)
{
    char sql[2 * EVENT_TEXT_MAX];
    commit(texts[_i]);
    check_reader(texts[_i]);
    (void)snprintf(sql, sizeof(sql), "SELECT ifnull(text, '')='%s' FROM events", texts[_i]);
    ck_assert_int_eq(log_number(&sample.place, sql), 1);
}
END_TEST

START_TEST(test_a_row_is_short)
{
    commit(texts[3]);
    ck_assert_int_lt(log_number(&sample.place, "SELECT length(text) FROM event"),
                     (int64_t)strlen(texts[3]) / 2);
}
END_TEST

/* A row that no devs has written: each of its bytes becomes 42. */
START_TEST(test_the_view_limits_the_text_of_a_hostile_row)
{
    const size_t phrase = strlen(",\"jitter\":0,\"factor\":1,\"hint\":-1,\"used\":");
    log_change(&sample.place, "INSERT INTO event(run, seq, at_ms, mono_ms, kind, task, text)"
                              " SELECT id, 1, 0, 0, 1, -1,"
                              " replace(hex(zeroblob(50000)), '0', char(27)) FROM run");
    ck_assert_int_eq(log_number(&sample.place, "SELECT length(text) FROM event"), 100000);
    ck_assert_int_eq(log_number(&sample.place, "SELECT length(text) FROM events"),
                     (int64_t)phrase * EVENT_TEXT_MAX);
}
END_TEST

/* An older devs can still read it. */
START_TEST(test_a_log_of_the_first_format_stays_one)
{
    struct place place = sample.place;
    ck_assert_int_eq(log_number(&sample.place, "PRAGMA user_version"), SCHEMA_VERSION);
    sample_done(&sample);
    log_change(&place, "DELETE FROM run; PRAGMA user_version=1");
    sample_open(&sample, &place, 3);
    commit(texts[3]);
    ck_assert_int_eq(log_number(&sample.place, "SELECT length(text) FROM event"),
                     (int64_t)strlen(texts[3]));
    ck_assert_int_eq(log_number(&sample.place, "PRAGMA user_version"), 1);
    check_reader(texts[3]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event_phrases");
    TCase *pure = test_case(suite, "text");
    tcase_add_loop_test(pure, test_a_text_comes_back_as_it_was, 0, TABLE_LEN(texts));
    tcase_add_loop_test(pure, test_each_phrase_is_one_byte_and_not_json_whitespace, 0,
                        TABLE_LEN(phrases));
    tcase_add_test(pure, test_a_byte_of_a_phrase_becomes_a_blank);
    tcase_add_test(pure, test_spelling_stops_at_the_limit);
    TCase *rows = test_case(suite, "rows");
    tcase_add_checked_fixture(rows, setup, teardown);
    tcase_add_loop_test(rows, test_the_view_spells_what_the_row_holds, 0, TABLE_LEN(texts));
    tcase_add_test(rows, test_a_row_is_short);
    tcase_add_test(rows, test_the_view_limits_the_text_of_a_hostile_row);
    tcase_add_test(rows, test_a_log_of_the_first_format_stays_one);
    return suite;
}
