/* What differs, what explains itself, and what cannot be decided anew. That runs are the same is
 * what play_close() finds of all that the other tests play. */
#include "redecide.h"

#include "play.h"
#include "test_main.h"

#define PLAN(policy)                                                                               \
    "{'version':1,'idempotent':true,'tasks':["                                                     \
    "{'id':'a','steps':[{'run':['x'],'policy':" policy "}]},"                                      \
    "{'id':'b','steps':[{'run':['y']}]}]}"
#define STANDARD "'default'"
#define MANY     "{'like':'transport','max_attempts':100,'cap_ms':2000}"

/* What was told of the run. */
struct told {
    struct play *play;
    int count;
    size_t acts; /* that were asked for */
    bool has_acts;
    enum event_kind recorded, made; /* of the first; EVENT_NONE = nothing */
    enum input_kind input;
    int64_t seq; /* of its cause */
    struct redecide_sum sum;
    struct err err;
};

static void differs(void *ctx, const struct redecide_difference *difference)
{
    struct told *told = ctx;
    if (told->count++ > 0)
        return;
    told->recorded = difference->recorded ? difference->recorded->kind : EVENT_NONE;
    told->made = difference->made ? difference->made->kind : EVENT_NONE;
    told->input = difference->input;
    told->seq = difference->cause->seq;
}

static bool find_act(void *ctx, int64_t id, struct control *out)
{
    struct told *told = ctx;
    (void)id;
    if (!told->has_acts || told->acts == told->play->act_count)
        return false;
    *out = told->play->acts[told->acts++];
    return true;
}

/* Decides the first `count` events of the run again. */
static struct told decide(struct play *play, size_t count, uint64_t seed, bool has_acts)
{
    struct told told = {.play = play, .has_acts = has_acts};
    struct redecide *redecide = NULL;
    const struct redecide_run run = {.plan = play->plan,
                                     .seed = seed,
                                     .dir = "/work",
                                     .act = find_act,
                                     .differs = differs,
                                     .ctx = &told};
    redecide_open(&redecide, &run);
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++)
        ok = redecide_add(redecide, &play->events.items[i], &told.err);
    ok = ok && redecide_finish(redecide, &told.err);
    ck_assert(ok == (told.err.code == ERR_NONE));
    told.sum = *redecide_sum(redecide);
    redecide_close(redecide);
    return told;
}

static struct told decide_all(struct play *play)
{
    return decide(play, play->events.count, 7, true);
}

static struct event *find_event(struct play *play, enum event_kind kind)
{
    for (size_t i = 0; i < play->events.count; i++) {
        if (play->events.items[i].kind == kind)
            return &play->events.items[i];
    }
    ck_abort_msg("no %s", event_kind_name(kind));
}

/* One task fails once and passes, the other passes; each input has its own time. */
static void play_retry(struct play *play)
{
    play_open(play, PLAN(STANDARD));
    play_start(play, 2);
    play_wait(play, 10);
    play_exit(play, "a", 124, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(play, 10);
    play_exit(play, "b", 0, play_passed());
    play_wait(play, 500);
    play_wait(play, 10);
    play_exit(play, "a", 0, play_passed());
}

START_TEST(test_a_run_as_it_was_is_the_same)
{
    struct play play;
    play_retry(&play);
    const struct told told = decide_all(&play);
    ck_assert_int_eq(told.count, 0);
    ck_assert_int_eq(told.sum.events, (int64_t)play.events.count);
    ck_assert_int_eq(told.sum.decisions,
                     8); /* three starts, a wait and its end, two ends, the run */
    ck_assert_int_eq(told.sum.same, 8);
    ck_assert_int_eq(told.sum.calls, 3);
    ck_assert_int_eq(told.sum.facts, (int64_t)play.events.count - 8);
    play_close(&play);
}
END_TEST

START_TEST(test_one_decision_that_differs_hides_no_other)
{
    struct play play;
    play_retry(&play);
    struct event *wait = find_event(&play, EVENT_WAIT_STARTED);
    wait->wait.delay.delay_ms += 1;
    const struct told told = decide_all(&play);
    wait->wait.delay.delay_ms -= 1;
    ck_assert_int_eq(told.count, 1);
    ck_assert_int_eq(told.recorded, EVENT_WAIT_STARTED);
    ck_assert_int_eq(told.made, EVENT_WAIT_STARTED);
    ck_assert_int_eq(told.input, INPUT_ENDED);
    ck_assert_int_eq(told.sum.different, 1);
    ck_assert_int_eq(told.sum.same, 7);
    play_close(&play);
}
END_TEST

/* "a" ends well while the engine leaves, and what comes after it is not started. */
static void play_left(struct play *play)
{
    play_open(play, PLAN(STANDARD));
    play_start(play, 1);
    play->scheduler.starts_nothing = true;
    play_wait(play, 10);
    play_exit(play, "a", 0, play_passed());
}

/* An engine that leaves starts nothing, and nothing in the log says that it left. */
START_TEST(test_starts_skipped_by_a_leaving_engine_are_explained)
{
    struct play play;
    play_left(&play);
    const struct told told = decide_all(&play);
    ck_assert_int_eq(told.count, 0);
    ck_assert_int_eq(told.sum.same, told.sum.decisions);
    play_close(&play);
}
END_TEST

/* If the same engine starts something later, it had not left. */
START_TEST(test_a_skipped_start_is_reported)
{
    struct play play;
    play_left(&play);
    play.scheduler.starts_nothing = false;
    play_wait(&play, 10);
    play.is_unlike = true;
    const struct told told = decide_all(&play);
    ck_assert_int_eq(told.count, 1);
    ck_assert_int_eq(told.recorded, EVENT_NONE);
    ck_assert_int_eq(told.made, EVENT_ATTEMPT_STARTED);
    ck_assert_int_eq(told.input, INPUT_ENDED);
    ck_assert_int_eq(told.sum.decisions, 4); /* two starts, an end, and what was not there */
    ck_assert_int_eq(told.sum.same, 3);
    play_close(&play);
}
END_TEST

START_TEST(test_a_lost_act_is_left_out)
{
    struct play play;
    play_open(&play, PLAN(STANDARD));
    play_start(&play, 2);
    play_wait(&play, 10);
    play_input(&play,
               (struct input){
                   .kind = INPUT_CONTROL,
                   .control = {.id = 5, .verb = CONTROL_HOLD, .task = 0, .step = -1, .by = "ann"}});
    play_wait(&play, 10);
    play_exit(&play, "b", 0, play_passed());
    const struct told told = decide(&play, play.events.count, 7, false);
    ck_assert_int_eq(told.count, 0);
    ck_assert_int_eq(told.sum.lost_acts, 1);
    ck_assert_int_eq(told.sum.lost, 2);
    ck_assert_int_eq(told.sum.same, told.sum.decisions - 2);
    play_close(&play);
}
END_TEST

START_TEST(test_a_step_that_was_cut_off_is_no_difference)
{
    struct play play;
    play_retry(&play);
    const struct told told = decide(&play, play.events.count - 1, 7, true);
    ck_assert_int_eq(told.count, 0);
    ck_assert_int_eq(told.sum.cut_off, 1);
    ck_assert_int_eq(told.sum.same, 7);
    play_close(&play);
}
END_TEST

START_TEST(test_a_kind_of_a_newer_devs_is_counted)
{
    struct play play;
    play_retry(&play);
    struct event *ended = find_event(&play, EVENT_RUN_ENDED);
    ended->kind = (enum event_kind)999;
    const struct told told = decide_all(&play);
    ended->kind = EVENT_RUN_ENDED;
    ck_assert_int_eq(told.err.code, ERR_NONE);
    ck_assert_int_eq(told.sum.unknown, 1);
    play_close(&play);
}
END_TEST

/* Another seed draws other jitter: each wait is another one. */
START_TEST(test_after_too_many_differences_the_rest_is_only_counted)
{
    struct play play;
    play_open(&play, "{'version':1,'idempotent':true,'tasks':["
                     "{'id':'a','steps':[{'run':['x'],'policy':" MANY "}]},"
                     "{'id':'b','steps':[{'run':['y'],'policy':" MANY "}]},"
                     "{'id':'c','steps':[{'run':['z'],'policy':" MANY "}]}]}");
    play_start(&play, 3);
    for (int i = 0; i < 90; i++) {
        for (const char *task = "abc"; *task; task++) {
            const char id[] = {*task, '\0'};
            play_wait(&play, 1);
            play_exit(&play, id, 124, play_transient(TRANSIENT_NETWORK_TIMEOUT));
        }
        play_wait(&play, 4000);
    }
    const struct told told = decide(&play, play.events.count, 8, true);
    ck_assert_int_eq(told.count, REDECIDE_DIFFERENCES_MAX);
    ck_assert_int_gt(told.sum.unseen, 0);
    ck_assert_int_eq(told.sum.same + told.sum.different + told.sum.unseen, told.sum.decisions);
    ck_assert_int_eq(told.sum.events, (int64_t)play.events.count);
    play_close(&play);
}
END_TEST

START_TEST(test_an_event_that_cannot_follow_is_damage)
{
    struct play play;
    play_retry(&play);
    struct event *ended = find_event(&play, EVENT_ATTEMPT_ENDED);
    const enum outcome_kind kind = ended->ended.outcome.kind;
    ended->ended.outcome.kind = OUTCOME_KIND_COUNT;
    const struct told told = decide_all(&play);
    ended->ended.outcome.kind = kind;
    ck_assert_int_eq(told.err.code, ERR_DAMAGED);
    play_close(&play);
}
END_TEST

/* Texts of a run's start and of notes are taken as they were recorded. */
START_TEST(test_a_text_that_is_no_json_is_damage)
{
    struct play play;
    play_retry(&play);
    struct event *started = find_event(&play, EVENT_RUN_STARTED);
    started->is_damaged = true;
    const struct told told = decide_all(&play);
    started->is_damaged = false;
    ck_assert_int_eq(told.err.code, ERR_DAMAGED);
    play_close(&play);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("redecide");
    TCase *tcase = test_case(suite, "redecide");
    tcase_add_test(tcase, test_a_run_as_it_was_is_the_same);
    tcase_add_test(tcase, test_one_decision_that_differs_hides_no_other);
    tcase_add_test(tcase, test_starts_skipped_by_a_leaving_engine_are_explained);
    tcase_add_test(tcase, test_a_skipped_start_is_reported);
    tcase_add_test(tcase, test_a_lost_act_is_left_out);
    tcase_add_test(tcase, test_a_step_that_was_cut_off_is_no_difference);
    tcase_add_test(tcase, test_a_kind_of_a_newer_devs_is_counted);
    tcase_add_test(tcase, test_after_too_many_differences_the_rest_is_only_counted);
    tcase_add_test(tcase, test_an_event_that_cannot_follow_is_damage);
    tcase_add_test(tcase, test_a_text_that_is_no_json_is_damage);
    return suite;
}
