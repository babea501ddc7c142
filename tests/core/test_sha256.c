#include "sha256.h"

#include <stdio.h>
#include <string.h>

#include "test_main.h"

enum { HEX_CHARS = 2 * SHA256_BYTES };

/* The examples of FIPS 180-4. */
static const struct {
    const char *text;
    int times;
    const char *want;
} hashes[] = {
    {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {"aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
};

static void expect_hash(const unsigned char hash[SHA256_BYTES], const char *want)
{
    char hex[HEX_CHARS + 1];
    for (size_t i = 0; i < SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    ck_assert_str_eq(hex, want);
}

START_TEST(test_bytes_that_come_in_parts_are_hashed)
{
    unsigned char hash[SHA256_BYTES];
    struct sha256 *sha256;
    sha256_open(&sha256);
    for (int i = 0; i < hashes[_i].times; i++)
        sha256_add(sha256, hashes[_i].text, strlen(hashes[_i].text));
    sha256_add(sha256, NULL, 0);
    sha256_finish(sha256, hash);
    expect_hash(hash, hashes[_i].want);
}
END_TEST

START_TEST(test_bytes_are_hashed_at_once)
{
    unsigned char hash[SHA256_BYTES];
    if (hashes[_i].times > 1)
        return; /* told in parts */
    sha256_of(hashes[_i].text, strlen(hashes[_i].text), hash);
    expect_hash(hash, hashes[_i].want);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sha256");
    TCase *tcase = test_case(suite, "sha256");
    tcase_add_loop_test(tcase, test_bytes_that_come_in_parts_are_hashed, 0, TABLE_LEN(hashes));
    tcase_add_loop_test(tcase, test_bytes_are_hashed_at_once, 0, TABLE_LEN(hashes));
    return suite;
}
