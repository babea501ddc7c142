/* What a state does not keep, since it is not for that, is missed by nobody: over all golden runs.
 */
#include "follower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "golden_log.h"
#include "plan.h"
#include "str.h"
#include "test_main.h"

enum { RUN = 1 };

/* The words of each event, in all their forms; and a state that decides, beside. */
struct told {
    struct str words;
    struct run_state *decides; /* NULL: none is folded beside */
};

static struct plan *plan_of(const char *text)
{
    struct plan *plan = NULL;
    struct violations violations = {0};
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    violations_done(&violations);
    return plan;
}

static bool tell(void *ctx, const struct run_state *state, const struct event *event)
{
    struct told *told = ctx;
    struct err err = {0};
    event_words(state, event, &told->words);
    str_add_char(&told->words, '\n');
    (void)event_details(state, event, &told->words);
    str_add_char(&told->words, '\n');
    event_json(state, RUN, event, &told->words);
    str_add_char(&told->words, '\n');
    if (!told->decides)
        return true;
    ck_assert_msg(run_state_apply(told->decides, event, &err), "%s", err.message);
    ck_assert_uint_eq(run_state_digest(told->decides), run_state_digest(state));
    return true;
}

static void read_all(struct follower *follower, struct told *told)
{
    struct err err = {0};
    ck_assert_msg(follower_read(follower, 0, tell, told, NULL, &err), "%s", err.message);
    follower_close(follower);
}

static struct str told_by_all(const struct place *place)
{
    struct follower *follower = NULL;
    struct run_state decides;
    struct told told = {.decides = &decides};
    struct err err = {0};
    ck_assert_msg(follower_open(&follower, place, 0, &err), "%s", err.message);
    struct plan *const plan = plan_of(follower_run(follower)->plan_text);
    run_state_init_for(&decides, plan, follower_run(follower)->seed, RUN_STATE_DECIDES);
    read_all(follower, &told);
    run_state_done(&decides);
    plan_free(plan);
    return told.words;
}

static struct str told_by_little(const struct place *place, const struct known_plan *known)
{
    struct follower *follower = NULL;
    struct told told = {0};
    struct err err = {0};
    ck_assert_msg(follower_open_to_tell(&follower, place, 0, known, &err), "%s", err.message);
    ck_assert_int_eq(follower_state(follower)->use, RUN_STATE_TELLS);
    const bool is_shared = known->plan && !known->plan->grows;
    ck_assert_int_eq(follower_state(follower)->plan == known->plan, is_shared);
    read_all(follower, &told);
    return told.words;
}

START_TEST(test_what_is_not_kept_is_not_missed)
{
    char file[64];
    (void)snprintf(file, sizeof(file), "%s.sql", golden_log_name(_i));
    char *sql = golden_log_read(file);
    const struct place place = golden_log_make(sql);
    const struct known_plan none = {0};
    struct str all = told_by_all(&place);
    struct str little = told_by_little(&place, &none);
    ck_assert_uint_gt(all.len, 1000);
    ck_assert_str_eq(str_text(&little), str_text(&all));
    str_done(&little);
    str_done(&all);
    free(sql);
}
END_TEST

/* A plan is shared where it is that of the run; one of another run is not taken for it. */
START_TEST(test_a_plan_that_is_known_is_shared)
{
    char *sql = golden_log_read("retries.sql");
    const struct place place = golden_log_make(sql);
    struct follower *follower = NULL;
    struct err err = {0};
    ck_assert_msg(follower_open(&follower, &place, 0, &err), "%s", err.message);
    struct plan *plan = plan_of(follower_run(follower)->plan_text);
    char *uid = strdup(follower_run(follower)->uid);
    ck_assert_ptr_nonnull(uid);
    follower_close(follower);
    struct str all = told_by_all(&place);
    struct str shared = told_by_little(&place, &(struct known_plan){.plan = plan, .uid = uid});
    ck_assert_str_eq(str_text(&shared), str_text(&all));
    ck_assert(follower_open_to_tell(&follower, &place, 0,
                                    &(struct known_plan){.plan = plan, .uid = "another"}, &err));
    ck_assert_ptr_ne(follower_state(follower)->plan, plan);
    ck_assert_ptr_nonnull(follower_run(follower)->plan_text);
    follower_close(follower);
    str_done(&shared);
    str_done(&all);
    plan_free(plan);
    free(uid);
    free(sql);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("follower_tell");
    TCase *tcase = test_case(suite, "tell");
    tcase_add_loop_test(tcase, test_what_is_not_kept_is_not_missed, 0, golden_log_count());
    tcase_add_test(tcase, test_a_plan_that_is_known_is_shared);
    return suite;
}
