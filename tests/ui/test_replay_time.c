#include "replay.h"

#include <stdlib.h>
#include <time.h>

#include "story.h"
#include "test_main.h"

static struct story story;

static void setup(void)
{
    ck_assert_int_eq(setenv("TZ", "UTC", 1), 0);
    tzset();
    story_init(&story, "T-1 T-2", "RG");
    story_at(&story, 1, 0);
    story_start(&story, "T-1"); /* events 2 and 3 */
    story_at(&story, 2, 0);
    story_try_again(&story, "T-1", 10); /* 4 to 9, the second try at 13:52:10 */
}

static void teardown(void)
{
    story_done(&story);
}

/* At event 3; at the start; at an event that there is not; without a name. */
static const struct bookmark bookmarks[] = {
    {.seq = 3, .at_ms = 0, .name = "Here"},
    {.seq = 0, .at_ms = 1, .name = "first of all"},
    {.seq = 10, .name = "beyond"},
    {.seq = 4},
};

static bool find(const char *text, struct replay_point *out, struct err *err)
{
    const struct replay_words words = {.text = text,
                                       .plan = story.plan,
                                       .end_ms = story.now.at_ms + 60000,
                                       .bookmarks = bookmarks,
                                       .bookmark_count = ARRAY_LEN(bookmarks)};
    return replay_find(&story.replay, &words, out, err);
}

static const struct {
    const char *words;
    int64_t seq, on_ms;
} places[] = {
    {"start", 0, 0},      {"end", 9, 0},
    {"#3", 3, 0},         {"3", 3, 0},
    {"T-1", 2, 0},        {"T-1 try 2", 8, 0},
    {"13:50", 1, 0},      {"13:51:20", 3, 20000},
    {"13:52", 6, 0},      {"-60s", 9, 0},
    {"-30s", 9, 30000},   {"2025-11-20T13:51:01Z", 3, 1000},
    {"here", 3, 0},       {"FIRST of all", 0, 0},
    {"13:59", 9, 410000}, /* later than all that is recorded */
};

START_TEST(test_words_lead_to_a_place)
{
    struct replay_point point = {0};
    struct err err = {0};
    ck_assert_msg(find(places[_i].words, &point, &err), "%s: %s", places[_i].words, err.message);
    ck_assert_msg(point.seq == places[_i].seq && point.on_ms == places[_i].on_ms,
                  "%s: event %lld and %lld ms", places[_i].words, (long long)point.seq,
                  (long long)point.on_ms);
}
END_TEST

static const struct {
    const char *words;
    enum err_code code;
} failures[] = {
    {"#10", ERR_NOT_FOUND},     {"beyond", ERR_INVALID},
    {"T-2", ERR_NOT_FOUND},     {"T-1 try 3", ERR_NOT_FOUND},
    {"T-1 try x", ERR_INVALID}, {"tea time", ERR_INVALID},
    {"#", ERR_INVALID},         {"2025-11-20 13:00", ERR_NOT_FOUND},
    {"-1h", ERR_NOT_FOUND},
};

START_TEST(test_no_such_place_is_told)
{
    struct replay_point point = {0};
    struct err err = {0};
    ck_assert_msg(!find(failures[_i].words, &point, &err), "%s", failures[_i].words);
    ck_assert_msg(err.code == failures[_i].code, "%s: %s", failures[_i].words, err.message);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("replay_time");
    TCase *tcase = test_case(suite, "words");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_words_lead_to_a_place, 0, TABLE_LEN(places));
    tcase_add_loop_test(tcase, test_no_such_place_is_told, 0, TABLE_LEN(failures));
    return suite;
}
