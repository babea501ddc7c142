#include <stdlib.h>
#include <time.h>

#include "story.h"
#include "test_main.h"
#include "view.h"

static struct replay replay;

/* Events one second apart, then ten minutes of silence, then one more. */
static void set_up(void)
{
    replay_init(&replay);
    for (int i = 0; i < 5; i++) {
        int64_t at = i < 4 ? i * 1000 : 603000;
        replay_add(&replay, &(struct event){
                                .seq = i + 1,
                                .at = {.at_ms = 1000000 + at, .mono_ms = 500 + at},
                                .kind = i % 2 == 0 ? EVENT_ATTEMPT_STARTED : EVENT_ATTEMPT_ENDED,
                                .task = 3,
                                .attempt = i / 2 + 1,
                            });
    }
}

static void tear_down(void)
{
    replay_done(&replay);
}

static const struct {
    const char *name;
    enum replay_move move;
    int from, to; /* the same: there is nothing in that direction */
    int other;    /* another task than the third */
} moves[] = {
    {"one on", REPLAY_EVENT_ON, .from = 2, .to = 3},
    {"one back", REPLAY_EVENT_BACK, .from = 2, .to = 1},
    {"before the first", REPLAY_EVENT_BACK, .from = 1, .to = 0},
    {"no further back", REPLAY_EVENT_BACK, .from = 0, .to = 0},
    {"no further on", REPLAY_EVENT_ON, .from = 5, .to = 5},
    {"the try after", REPLAY_TRY_ON, .from = 1, .to = 3},
    {"the try before", REPLAY_TRY_BACK, .from = 5, .to = 3},
    {"no try after", REPLAY_TRY_ON, .from = 5, .to = 5},
    {"no try before", REPLAY_TRY_BACK, .from = 1, .to = 1},
    {"no try of another task", REPLAY_TRY_ON, .from = 0, .to = 0, .other = 4},
    {"no failure after", REPLAY_FAILURE_ON, .from = 0, .to = 0},
    {"no failure before", REPLAY_FAILURE_BACK, .from = 5, .to = 5},
    {"start", REPLAY_START, .from = 4, .to = 0},
    {"end", REPLAY_END, .from = 1, .to = 5},
    {"at the end already", REPLAY_END, .from = 5, .to = 5},
    {"nothing to play", REPLAY_PLAY, .from = 5, .to = 5},
};

START_TEST(test_failures_of_any_task_are_gone_to)
{
    const struct event judged = {.seq = 6,
                                 .kind = EVENT_ATTEMPT_JUDGED,
                                 .task = 7,
                                 .judged = {.label = {.class = VERDICT_TRANSIENT}},
                                 .at = {1700000, 700000}};
    replay_add(&replay, &judged);
    replay.playing = true;
    ck_assert(replay_move(&replay, REPLAY_FAILURE_ON, 3));
    ck_assert_int_eq(replay.at, 6);
    ck_assert(!replay.playing);
    ck_assert(!replay_move(&replay, REPLAY_FAILURE_ON, 3));
    replay.at = 6;
    ck_assert(!replay_move(&replay, REPLAY_FAILURE_BACK, 3));
}
END_TEST

START_TEST(test_move)
{
    replay.at = moves[_i].from;
    const int task = moves[_i].other ? moves[_i].other : 3;
    const bool moved = replay_move(&replay, moves[_i].move, task);
    ck_assert_msg(moved == (moves[_i].from != moves[_i].to), "%s", moves[_i].name);
    ck_assert_msg(replay.at == moves[_i].to, "%s: at %d", moves[_i].name, (int)replay.at);
}
END_TEST

START_TEST(test_moves_of_an_empty_recording)
{
    struct replay empty;
    replay_init(&empty);
    for (int move = REPLAY_EVENT_BACK; move <= REPLAY_END; move++) {
        (void)replay_move(&empty, (enum replay_move)move, 0);
        ck_assert_int_eq(empty.at, 0);
    }
    ck_assert_int_eq(replay_now(&empty).at_ms, 0);
    ck_assert(!empty.playing);
    replay_done(&empty);
}
END_TEST

START_TEST(test_play_goes_by_recorded_time)
{
    replay.at = 1;
    ck_assert(replay_move(&replay, REPLAY_PLAY, 3));
    ck_assert(replay_play(&replay, 400));
    ck_assert_int_eq(replay.at, 1);
    ck_assert_int_eq(replay_now(&replay).at_ms, 1000400);
    ck_assert_int_eq(replay_now(&replay).mono_ms, 900);
    ck_assert(replay_play(&replay, 600));
    ck_assert_int_eq(replay.at, 2);
    ck_assert(replay_play(&replay, 1500));
    ck_assert_int_eq(replay.at, 3);
    ck_assert_int_eq(replay_now(&replay).at_ms, 1002500);
}
END_TEST

START_TEST(test_paused_stands_still)
{
    replay.at = 2;
    ck_assert(!replay_play(&replay, 100000));
    ck_assert_int_eq(replay.at, 2);
}
END_TEST

START_TEST(test_long_gap_is_cut)
{
    replay.at = 4;
    replay.playing = true;
    ck_assert(replay_play(&replay, REPLAY_GAP_CUT_MS / 2));
    ck_assert_int_eq(replay.at, 4);
    ck_assert_int_eq(replay_now(&replay).at_ms, 1000000 + 3000 + 300000);
    ck_assert(replay_play(&replay, REPLAY_GAP_CUT_MS / 2));
    ck_assert_int_eq(replay.at, 5);
    ck_assert(!replay.playing);
}
END_TEST

START_TEST(test_speed_doubles_within_bounds)
{
    int steps = 0;
    while (replay_move(&replay, REPLAY_FASTER, 3))
        steps++;
    ck_assert_int_eq(steps, 6);
    ck_assert_int_eq(replay.speed, REPLAY_SPEED_MAX);
    steps = 0;
    while (replay_move(&replay, REPLAY_SLOWER, 3))
        steps++;
    ck_assert_int_eq(steps, 8);
    ck_assert_int_eq(replay.speed, REPLAY_SPEED_MIN);

    replay.at = 1;
    replay.playing = true;
    ck_assert(replay_play(&replay, 2000));
    ck_assert_int_eq(replay_now(&replay).at_ms, 1000500);
}
END_TEST

START_TEST(test_going_to_a_try_continues_to_play)
{
    replay.at = 1;
    replay.playing = true;
    ck_assert(replay_move(&replay, REPLAY_TRY_ON, 3));
    ck_assert(replay.playing);
    ck_assert(replay_move(&replay, REPLAY_EVENT_BACK, 3));
    ck_assert(!replay.playing);
}
END_TEST

START_TEST(test_step_back_from_between_goes_to_the_event)
{
    replay.at = 3;
    replay.playing = true;
    ck_assert(replay_play(&replay, 500));
    ck_assert(replay_move(&replay, REPLAY_EVENT_BACK, 3));
    ck_assert_int_eq(replay.at, 3);
    ck_assert_int_eq(replay.on_ms, 0);
    ck_assert(!replay.playing);
}
END_TEST

static void add_replay_cases(Suite *suite)
{
    TCase *moving = test_case(suite, "transport");
    tcase_add_checked_fixture(moving, set_up, tear_down);
    tcase_add_loop_test(moving, test_move, 0, TABLE_LEN(moves));
    tcase_add_test(moving, test_moves_of_an_empty_recording);
    tcase_add_test(moving, test_play_goes_by_recorded_time);
    tcase_add_test(moving, test_paused_stands_still);
    tcase_add_test(moving, test_long_gap_is_cut);
    tcase_add_test(moving, test_speed_doubles_within_bounds);
    tcase_add_test(moving, test_failures_of_any_task_are_gone_to);
    tcase_add_test(moving, test_going_to_a_try_continues_to_play);
    tcase_add_test(moving, test_step_back_from_between_goes_to_the_event);
}

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

/* At event 3; at the start; at an event that does not exist; without a name. */
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
    {"13:59", 9, 410000}, /* later than everything recorded */
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

static void add_time_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "words");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_words_lead_to_a_place, 0, TABLE_LEN(places));
    tcase_add_loop_test(tcase, test_no_such_place_is_told, 0, TABLE_LEN(failures));
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("replay");
    add_replay_cases(suite);
    add_time_cases(suite);
    return suite;
}
