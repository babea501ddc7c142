/* What a replay shows of a moment is what the engine knew then: digests of its state, taken while a
 * run of real processes goes on, and those of the log at the same events. */
#include <stdlib.h>

#include "engine_try.h"
#include "follower.h"
#include "run_state.h"
#include "test_main.h"
#include "xalloc.h"

enum { TASKS = 7, KEPT_EVERY = 8, SEEKS = 400, SEED = 1 };

static const char tasks[] =
    "{'id':'pass','steps':[{'run':['true']},{'run':['sh','-c','echo fine']}]},"
    "{'id':'mend','steps':[{'phase':'RED','run':['false'],'expect':'failure'},"
    " {'phase':'GREEN','policy':'quick','run':['sh','-c','echo no >&2; test -f up || { : >up; exit "
    "1; }']}]},"
    "{'id':'limit','steps':[{'policy':'quick','source':'api',"
    " 'run':['sh','-c','echo HTTP 429 Too Many Requests >&2; test -f gate || { : >gate; exit 1; "
    "}']}"
    "]},"
    "{'id':'behind','steps':[{'source':'api','run':['true']}]},"
    "{'id':'circles','steps':[{'policy':'quick','run':['sh','-c','echo same; exit 1']}]},"
    "{'id':'late','needs':['circles'],'steps':[{'run':['true']}]},"
    "{'id':'next','needs':['pass','mend'],'steps':[{'run':['true'],'timeout_s':5}]}";

/* The engine's state after some of its turns. */
struct seen {
    int64_t seq;
    uint64_t digest;
};
static struct {
    struct seen *items; /* owned */
    size_t count, cap;
} seen;

static void look(void *ctx, const struct run_state *state)
{
    (void)ctx;
    seen.items = xgrow(seen.items, &seen.cap, seen.count + 1, sizeof(*seen.items));
    seen.items[seen.count++] =
        (struct seen){.seq = state->last_seq, .digest = run_state_digest(state)};
}

/* Far and near, on and back. */
static const struct seen *choose(size_t i)
{
    return &seen.items[(i * i + 5 * i) % seen.count];
}

static void run_all(void)
{
    try_open();
    tried.options.look = look;
    try_start(tasks);
    (void)try_finish();
    engine_stop(tried.engine, NULL);
    tried.engine = NULL;
    try_read_log();
}

static void forget(void)
{
    try_close();
    free(seen.items);
    seen.items = NULL;
    seen.count = seen.cap = 0;
}

START_TEST(test_P6_a_replay_shows_what_the_engine_knew)
{
    struct follower *follower = NULL;
    struct err err = {0};
    ck_assert_uint_gt(seen.count, TASKS);
    ck_assert_int_eq(seen.items[seen.count - 1].seq, tried.state.last_seq);
    ck_assert_msg(follower_open(&follower, &tried.place, tried.number, &err), "%s", err.message);
    for (size_t i = 0; i < SEEKS; i++) {
        const struct seen *then = choose(i);
        ck_assert_msg(follower_seek(follower, then->seq, &err), "%s", err.message);
        ck_assert_msg(run_state_digest(follower_state(follower)) == then->digest,
                      "at event %lld the log says something else", (long long)then->seq);
    }
    follower_close(follower);
}
END_TEST

START_TEST(test_so_do_the_states_that_are_kept_on_the_way)
{
    struct run_state state;
    struct err err = {0};
    int moments = 0; /* that were kept */
    run_state_init(&state, tried.plan, SEED);
    struct run_past *past = run_past_new(&state, KEPT_EVERY);
    for (size_t i = 0; i < SEEKS; i++) {
        const struct seen *then = i == 0 ? &seen.items[seen.count - 1] : choose(i);
        run_past_approach(past, then->seq);
        while (state.last_seq < then->seq) {
            ck_assert_msg(run_state_apply(&state, &tried.page.events[state.last_seq], &err), "%s",
                          err.message);
            run_past_pass(past);
        }
        ck_assert_uint_eq(run_state_digest(&state), then->digest);
    }
    run_past_approach(past, 0);
    ck_assert_int_eq(state.last_seq, 0);
    for (size_t i = 0; i < seen.count; i++) {
        const int64_t before = state.last_seq;
        run_past_approach(past, seen.items[i].seq);
        moments += state.last_seq > before;
    }
    ck_assert_int_gt(moments, 2);
    run_past_free(past);
    run_state_done(&state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_replay");
    TCase *tcase = test_case(suite, "replay");
    tcase_add_checked_fixture(tcase, run_all, forget);
    tcase_add_test(tcase, test_P6_a_replay_shows_what_the_engine_knew);
    tcase_add_test(tcase, test_so_do_the_states_that_are_kept_on_the_way);
    return suite;
}
