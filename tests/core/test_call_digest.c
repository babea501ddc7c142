#include <string.h>

#include "circles.h"
#include "test_main.h"

static char make[] = "make";
static char tests[] = "tests";
static char maketests[] = "maketests";
static char empty[] = "";
static char dir[] = "sub";
static char file[] = "in.txt";
static char var_a[] = "A=1";
static char var_b[] = "B=2";
static char var_ab[] = "A=1B=2";

static char *argv_plain[] = {make, tests, NULL};
static char *argv_joined[] = {maketests, NULL};
static char *argv_short[] = {make, NULL};
static char *argv_swapped[] = {tests, make, NULL};
static char *argv_longer[] = {make, tests, empty, NULL};
static char *env_none[] = {NULL};
static char *env_ab[] = {var_a, var_b, NULL};
static char *env_ba[] = {var_b, var_a, NULL};
static char *env_a[] = {var_a, NULL};
static char *env_glued[] = {var_ab, NULL};

static const struct sandbox_spec boxed = {.kind = SANDBOX_BWRAP, .memory_mb = 64};
static const struct sandbox_spec larger = {.kind = SANDBOX_BWRAP, .memory_mb = 65};
static const struct sandbox_spec unsaid = {.start_timeout_ms = SANDBOX_START_MS};

/* Every row is another call; all of their digests differ. */
static const struct {
    const char *name;
    struct plan_step step;
    const char *run_dir;
    char **environment;
} calls[] = {
    {"plain", {.argv = argv_plain}, "/p", env_ab},
    {"words joined", {.argv = argv_joined}, "/p", env_ab},
    {"word less", {.argv = argv_short}, "/p", env_ab},
    {"words swapped", {.argv = argv_swapped}, "/p", env_ab},
    {"empty word more", {.argv = argv_longer}, "/p", env_ab},
    {"other folder", {.argv = argv_plain}, "/q", env_ab},
    {"cwd", {.argv = argv_plain, .cwd = dir}, "/p", env_ab},
    {"empty cwd", {.argv = argv_plain, .cwd = empty}, "/p", env_ab},
    {"stdin", {.argv = argv_plain, .stdin_path = file}, "/p", env_ab},
    {"stdin as cwd", {.argv = argv_plain, .cwd = file}, "/p", env_ab},
    {"variable less", {.argv = argv_plain}, "/p", env_a},
    {"variables glued", {.argv = argv_plain}, "/p", env_glued},
    {"no variables", {.argv = argv_plain}, "/p", env_none},
    {"variable of the step", {.argv = argv_plain, .env = env_a}, "/p", env_ab},
    {"sandbox", {.argv = argv_plain, .sandbox = &boxed}, "/p", env_ab},
    {"larger sandbox", {.argv = argv_plain, .sandbox = &larger}, "/p", env_ab},
    {"variables of the step", {.argv = argv_plain, .env = env_ab}, "/p", env_none},
};

static struct digest digest_with(const struct plan_step *step, const char *run_dir,
                                 char *const *environment)
{
    struct call_digester *digester = NULL;
    call_digester_open(&digester, run_dir, environment);
    const struct digest digest = call_digester_take(digester, step);
    call_digester_close(digester);
    return digest;
}

static struct digest digest_of(int i)
{
    return digest_with(&calls[i].step, calls[i].run_dir, calls[i].environment);
}

static bool digests_equal(struct digest a, struct digest b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

START_TEST(test_another_call_has_another_digest)
{
    for (int other = 0; other < TABLE_LEN(calls); other++) {
        bool equal = digests_equal(digest_of(_i), digest_of(other));
        ck_assert_msg(equal == (other == _i), "%s and %s", calls[_i].name, calls[other].name);
    }
}
END_TEST

START_TEST(test_order_of_variables_does_not_count)
{
    struct plan_step ab = {.argv = argv_plain, .env = env_ab};
    struct plan_step ba = {.argv = argv_plain, .env = env_ba};
    ck_assert(digests_equal(digest_with(&ab, "/p", env_ab), digest_with(&ba, "/p", env_ba)));
    ck_assert_ptr_eq(env_ba[0], var_b);
}
END_TEST

START_TEST(test_what_is_no_part_of_the_call_does_not_count)
{
    struct plan_step plain = {.argv = argv_plain};
    struct plan_step other = {
        .argv = argv_plain,
        .phase = PHASE_VERIFY,
        .timeout_ms = 5,
        .idempotent = true,
        .policy = policy_named("research"),
        .sandbox = &unsaid,
    };
    ck_assert(digests_equal(digest_with(&plain, "/p", NULL), digest_with(&other, "/p", env_none)));
}
END_TEST

/* What is kept from one call to the next is no part of the next. */
START_TEST(test_one_digester_takes_many)
{
    struct call_digester *digester = NULL;
    call_digester_open(&digester, "/p", env_ab);
    for (int i = 0; i < TABLE_LEN(calls); i++) {
        const bool is_alike = strcmp(calls[i].run_dir, "/p") == 0 && calls[i].environment == env_ab;
        if (is_alike)
            ck_assert(digests_equal(call_digester_take(digester, &calls[i].step), digest_of(i)));
    }
    call_digester_close(digester);
}
END_TEST

/* In logs for ever: the encoding must not change by accident. */
START_TEST(test_digest_is_the_same_in_every_build)
{
    struct digest digest = digest_of(0);
    ck_assert_uint_eq(digest.hi, UINT64_C(0x460e62b87ca31c31));
    ck_assert_uint_eq(digest.lo, UINT64_C(0x3b9eaeab036bf422));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("call_digest");
    TCase *calls_case = test_case(suite, "calls");
    tcase_add_loop_test(calls_case, test_another_call_has_another_digest, 0, TABLE_LEN(calls));
    tcase_add_test(calls_case, test_order_of_variables_does_not_count);
    tcase_add_test(calls_case, test_what_is_no_part_of_the_call_does_not_count);
    tcase_add_test(calls_case, test_one_digester_takes_many);
    tcase_add_test(calls_case, test_digest_is_the_same_in_every_build);
    return suite;
}
