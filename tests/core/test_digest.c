#include "digest.h"

#include "test_main.h"

static const struct digest ones = {UINT64_MAX, UINT64_MAX};

START_TEST(test_only_zero_is_not_known)
{
    ck_assert(!digest_is_known((struct digest){0, 0}));
    ck_assert(digest_is_known((struct digest){1, 0}));
    ck_assert(digest_is_known((struct digest){0, 1}));
    ck_assert(digest_is_same((struct digest){0, 1}, (struct digest){0, 1}));
    ck_assert(!digest_is_same((struct digest){0, 1}, (struct digest){1, 1}));
    ck_assert(!digest_is_same((struct digest){0, 0}, (struct digest){0, 0}));
}
END_TEST

START_TEST(test_both_halves_are_compared)
{
    ck_assert(digest_equal((struct digest){1, 2}, (struct digest){1, 2}));
    ck_assert(!digest_equal((struct digest){1, 2}, (struct digest){3, 2}));
    ck_assert(!digest_equal((struct digest){1, 2}, (struct digest){1, 3}));
}
END_TEST

static const struct {
    const char *name;
    struct digest a, b, want;
} sums[] = {
    {"small", {1, 2}, {3, 4}, {4, 6}},
    {"the low half carries", {0, UINT64_MAX}, {0, 1}, {1, 0}},
    {"the high half wraps", {UINT64_MAX, UINT64_MAX}, {0, 1}, {0, 0}},
    {"both at their end",
     {UINT64_MAX, UINT64_MAX},
     {UINT64_MAX, UINT64_MAX},
     {UINT64_MAX, UINT64_MAX - 1}},
};

START_TEST(test_sums_wrap_at_128_bits)
{
    struct digest sum = digest_sum(sums[_i].a, sums[_i].b);
    struct digest swapped = digest_sum(sums[_i].b, sums[_i].a);
    ck_assert_msg(digest_equal(sum, sums[_i].want), "%s", sums[_i].name);
    ck_assert_msg(digest_equal(sum, swapped), "%s", sums[_i].name);
}
END_TEST

START_TEST(test_hex_goes_there_and_back)
{
    char hex[DIGEST_HEX_MAX];
    struct digest back = {0};
    digest_to_hex((struct digest){0x0123456789abcdef, 0xf}, hex);
    ck_assert_str_eq(hex, "0123456789abcdef000000000000000f");
    ck_assert(digest_from_hex(hex, &back));
    ck_assert(digest_equal(back, (struct digest){0x0123456789abcdef, 0xf}));
}
END_TEST

static const char *const no_hex[] = {
    "",
    "0123456789abcdef000000000000000",
    "0123456789abcdef000000000000000f0",
    "0123456789abcdef000000000000000g",
    "0123456789ABCDEF000000000000000F",
    "0x23456789abcdef000000000000000f",
};

START_TEST(test_other_text_is_no_digest)
{
    struct digest untouched = ones;
    ck_assert_msg(!digest_from_hex(no_hex[_i], &untouched), "%s", no_hex[_i]);
    ck_assert(digest_equal(untouched, ones));
}
END_TEST

START_TEST(test_bytes_are_taken_highest_first)
{
    const unsigned char bytes[DIGEST_BYTES] = {1, 2,  3,  4,  5,  6,  7,  8,
                                               9, 10, 11, 12, 13, 14, 15, 16};
    struct digest digest = digest_from_bytes(bytes);
    ck_assert(digest_equal(digest, (struct digest){0x0102030405060708, 0x090a0b0c0d0e0f10}));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("digest");
    TCase *tcase = test_case(suite, "digest");
    tcase_add_test(tcase, test_only_zero_is_not_known);
    tcase_add_test(tcase, test_both_halves_are_compared);
    tcase_add_loop_test(tcase, test_sums_wrap_at_128_bits, 0, TABLE_LEN(sums));
    tcase_add_test(tcase, test_hex_goes_there_and_back);
    tcase_add_loop_test(tcase, test_other_text_is_no_digest, 0, TABLE_LEN(no_hex));
    tcase_add_test(tcase, test_bytes_are_taken_highest_first);
    return suite;
}
