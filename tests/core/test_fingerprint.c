#include "fingerprint.h"

#include <string.h>

#include "test_main.h"

struct sample {
    const char *name;
    enum outcome_kind kind;
    int code;
    const char *out[2];
    const char *err;
};

static struct digest take(const struct sample *sample)
{
    struct fingerprint *fingerprint;
    fingerprint_open(&fingerprint);
    for (int i = 0; i < 2; i++) {
        if (sample->out[i])
            fingerprint_add(fingerprint, 0, sample->out[i], strlen(sample->out[i]));
    }
    fingerprint_add(fingerprint, 1, sample->err, strlen(sample->err));
    struct digest digest = fingerprint_finish(fingerprint, sample->kind, sample->code);
    fingerprint_close(fingerprint);
    return digest;
}

static bool is_equal(struct digest a, struct digest b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

static const struct sample base = {"base", OUTCOME_EXIT, 1, {"one two", NULL}, "bad"};

static const struct sample different[] = {
    {"another code", OUTCOME_EXIT, 2, {"one two", NULL}, "bad"},
    {"another kind", OUTCOME_SIGNAL, 1, {"one two", NULL}, "bad"},
    {"another stdout", OUTCOME_EXIT, 1, {"one three", NULL}, "bad"},
    {"another stderr", OUTCOME_EXIT, 1, {"one two", NULL}, "worse"},
    {"a byte moved to the other stream", OUTCOME_EXIT, 1, {"one twob", NULL}, "ad"},
    {"nothing said", OUTCOME_EXIT, 1, {NULL, NULL}, ""},
};

START_TEST(test_different_results_differ)
{
    ck_assert_msg(!is_equal(take(&base), take(&different[_i])), "%s", different[_i].name);
}
END_TEST

START_TEST(test_pieces_do_not_matter)
{
    const struct sample split = {"split", OUTCOME_EXIT, 1, {"one ", "two"}, "bad"};
    ck_assert(is_equal(take(&base), take(&split)));
}
END_TEST

START_TEST(test_is_never_nothing)
{
    const struct sample silent = {"silent", OUTCOME_EXIT, 0, {NULL, NULL}, ""};
    struct digest digest = take(&silent);
    ck_assert(digest.hi != 0 || digest.lo != 0);
    fingerprint_close(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("fingerprint");
    TCase *tcase = test_case(suite, "fingerprint");
    tcase_add_loop_test(tcase, test_different_results_differ, 0, TABLE_LEN(different));
    tcase_add_test(tcase, test_pieces_do_not_matter);
    tcase_add_test(tcase, test_is_never_nothing);
    return suite;
}
