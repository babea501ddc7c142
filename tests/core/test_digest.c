#include "digest.h"

#include <string.h>

#include "fingerprint.h"
#include "scheduler.h"
#include "sha256.h"
#include "test_main.h"

/*
 * A digest: 128 bits.
 */

START_TEST(test_only_zero_is_unknown)
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

START_TEST(test_hex_is_written_and_read)
{
    char hex[DIGEST_HEX_MAX];
    struct digest back = {0};
    digest_to_hex((struct digest){0x0123456789abcdef, 0xf}, hex);
    ck_assert_str_eq(hex, "0123456789abcdef000000000000000f");
    ck_assert(digest_from_hex(hex, &back));
    ck_assert(digest_equal(back, (struct digest){0x0123456789abcdef, 0xf}));
}
END_TEST

static const char *const not_hex[] = {
    "",
    "0123456789abcdef000000000000000",
    "0123456789abcdef000000000000000f0",
    "0123456789abcdef000000000000000g",
    "0123456789ABCDEF000000000000000F",
    "0x23456789abcdef000000000000000f",
};

START_TEST(test_other_text_is_not_a_digest)
{
    const struct digest ones = {UINT64_MAX, UINT64_MAX};
    struct digest untouched = ones;
    ck_assert_msg(!digest_from_hex(not_hex[_i], &untouched), "%s", not_hex[_i]);
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

/*
 * SHA-256.
 */

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

START_TEST(test_sha256_of_parts_and_at_once)
{
    unsigned char hash[SHA256_BYTES];
    char hex[SHA256_HEX_MAX];
    struct sha256 *sha256;
    sha256_open(&sha256);
    for (int i = 0; i < hashes[_i].times; i++)
        sha256_add(sha256, hashes[_i].text, strlen(hashes[_i].text));
    sha256_add(sha256, NULL, 0);
    sha256_finish(sha256, hash);
    sha256_hex(hash, hex);
    ck_assert_str_eq(hex, hashes[_i].want);

    if (hashes[_i].times == 1) {
        sha256_of(hashes[_i].text, strlen(hashes[_i].text), hash);
        sha256_hex(hash, hex);
        ck_assert_str_eq(hex, hashes[_i].want);
    }
}
END_TEST

/*
 * Canonical JSON.
 */

static struct json *parse(const char *text)
{
    struct json *json = NULL;
    ck_assert_msg(json_parse(text, strlen(text), &json, NULL, NULL), "%s", text);
    return json;
}

static struct digest digest_of(const char *text)
{
    unsigned char hash[CANONICAL_HASH_BYTES];
    struct json *json = parse(text);
    canonical_hash(json, hash);
    json_free(json);
    return digest_from_bytes(hash);
}

static const struct {
    const char *text, *want;
} texts[] = {
    {"{ \"b\" : 1 ,\n \"a\" : [ ] }", "{\"a\":[],\"b\":1}"},
    {"{\"a\":{\"d\":1,\"c\":2},\"B\":0,\"ab\":3}", "{\"B\":0,\"a\":{\"c\":2,\"d\":1},\"ab\":3}"},
    {"{\"\\u00e9\":1,\"z\":2}", "{\"z\":2,\"\xc3\xa9\":1}"}, /* ordered by bytes */
    {"[3,1,2]", "[3,1,2]"},
    {"[true,false,null,{}]", "[true,false,null,{}]"},
    {"[1.0,1e0,10E-1,100e-2]", "[1,1,1,1]"},
    {"[-0,-0.0,0e5]", "[0,0,0]"},
    {"[1e3,-25.0e1]", "[1000,-250]"},
    {"[9007199254740993,9223372036854775807]", "[9007199254740993,9223372036854775807]"},
    {"[0.1,0.30000000000000004,1.5,-2.25e-3]", "[0.1,0.30000000000000004,1.5,-0.00225]"},
    {"[0.123456789012345,1e300,1.7976931348623157e308]",
     "[0.123456789012345,1e+300,1.7976931348623157e+308]"},
    {"[9223372036854775808.0,1e-7]", "[9.223372036854776e+18,1e-07]"},
    {"\"a\\/b\\u0041\\u000a\\u001f\\\"\"", "\"a/bA\\n\\u001f\\\"\""},
    {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
};

START_TEST(test_C2_text_is_canonical)
{
    struct str out = {0};
    struct json *json = parse(texts[_i].text);
    canonical_write(json, &out);
    ck_assert_str_eq(str_text(&out), texts[_i].want);
    json_free(json);

    json = parse(texts[_i].want); /* a canonical text stays as it is */
    str_clear(&out);
    canonical_write(json, &out);
    ck_assert_str_eq(str_text(&out), texts[_i].want);
    json_free(json);
    str_done(&out);
}
END_TEST

static const struct {
    const char *a, *b;
    bool equal;
} pairs[] = {
    {"{\"a\":1,\"b\":{\"c\":2,\"d\":[1,2]}}", "{\"b\":{\"d\":[1.0,2e0],\"c\":2},\"a\":1}", true},
    {"{\"a\":1}", "{\"a\":2}", false},
    {"{\"a\":1}", "{\"a\":\"1\"}", false},
    {"{\"a\":null}", "{}", false},
    {"[1,2]", "[2,1]", false},
    {"[[1],[2]]", "[[1,2]]", false},
    {"{\"a\":\"x\",\"b\":\"y\"}", "{\"a\":\"y\",\"b\":\"x\"}", false},
    {"1.5", "1.50", true},
    {"0.1", "0.10000000000000001", true},
    {"0.1", "0.1000000000000001", false},
};

START_TEST(test_C2_equal_content_is_one_digest)
{
    bool equal = digest_equal(digest_of(pairs[_i].a), digest_of(pairs[_i].b));
    ck_assert_msg(equal == pairs[_i].equal, "%s and %s", pairs[_i].a, pairs[_i].b);
}
END_TEST

START_TEST(test_C2_hash_is_sha256_of_the_text)
{
    /* printf '{"a":1,"b":[true,null]}' | sha256sum */
    static const char want[] = "1cc69c7fa23616ca2ec3ee70d24390a6225c8832db8a4c814c7e0e7f942f8668";
    char hex[SHA256_HEX_MAX];
    unsigned char hash[CANONICAL_HASH_BYTES];
    struct json *json = parse("{\"b\": [true, null], \"a\": 1.0}");
    canonical_hash(json, hash);
    sha256_hex(hash, hex);
    ck_assert_str_eq(hex, want);
    json_free(json);
}
END_TEST

START_TEST(test_lines_hold_one_value_each)
{
    struct str out = {0};
    struct json *json = parse("{\"b\":[1,{}],\"a\":\"x\\ny\"}");
    canonical_write_lines(json, &out);
    ck_assert_str_eq(str_text(&out), "{\n\"a\":\"x\\ny\",\n\"b\":[\n1,\n{}]}");
    json_free(json);
    str_done(&out);
}
END_TEST

START_TEST(test_deep_values_are_written)
{
    enum { DEPTH = 1000 };
    char text[2 * DEPTH + 1];
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    text[sizeof(text) - 1] = '\0';
    struct str out = {0};
    struct json *json = parse(text);
    canonical_write(json, &out);
    ck_assert_str_eq(str_text(&out), text);
    json_free(json);
    str_done(&out);
}
END_TEST

START_TEST(test_a_missing_value_is_null)
{
    struct str out = {0};
    canonical_write(NULL, &out);
    ck_assert_str_eq(str_text(&out), "null");
    str_done(&out);
}
END_TEST

/*
 * The digest of a call.
 */

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

/* All of these calls differ. */
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

static struct digest call_of(int i)
{
    return digest_with(&calls[i].step, calls[i].run_dir, calls[i].environment);
}

START_TEST(test_another_call_has_another_digest)
{
    for (int other = 0; other < TABLE_LEN(calls); other++) {
        bool equal = digest_equal(call_of(_i), call_of(other));
        ck_assert_msg(equal == (other == _i), "%s and %s", calls[_i].name, calls[other].name);
    }
}
END_TEST

START_TEST(test_order_of_variables_does_not_count)
{
    struct plan_step ab = {.argv = argv_plain, .env = env_ab};
    struct plan_step ba = {.argv = argv_plain, .env = env_ba};
    ck_assert(digest_equal(digest_with(&ab, "/p", env_ab), digest_with(&ba, "/p", env_ba)));
    ck_assert_ptr_eq(env_ba[0], var_b);
}
END_TEST

START_TEST(test_settings_of_a_step_do_not_count)
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
    ck_assert(digest_equal(digest_with(&plain, "/p", NULL), digest_with(&other, "/p", env_none)));
}
END_TEST

/* Nothing of one call gets into the next. */
START_TEST(test_one_digester_takes_many_calls)
{
    struct call_digester *digester = NULL;
    call_digester_open(&digester, "/p", env_ab);
    for (int i = 0; i < TABLE_LEN(calls); i++) {
        const bool is_alike = strcmp(calls[i].run_dir, "/p") == 0 && calls[i].environment == env_ab;
        if (is_alike)
            ck_assert(digest_equal(call_digester_take(digester, &calls[i].step), call_of(i)));
    }
    call_digester_close(digester);
}
END_TEST

/* Logs keep it: the encoding must not change by accident. */
START_TEST(test_call_digest_is_the_same_in_every_build)
{
    struct digest digest = call_of(0);
    ck_assert_uint_eq(digest.hi, UINT64_C(0x460e62b87ca31c31));
    ck_assert_uint_eq(digest.lo, UINT64_C(0x3b9eaeab036bf422));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("digest");
    TCase *digest = test_case(suite, "digest");
    tcase_add_test(digest, test_only_zero_is_unknown);
    tcase_add_test(digest, test_both_halves_are_compared);
    tcase_add_loop_test(digest, test_sums_wrap_at_128_bits, 0, TABLE_LEN(sums));
    tcase_add_test(digest, test_hex_is_written_and_read);
    tcase_add_loop_test(digest, test_other_text_is_not_a_digest, 0, TABLE_LEN(not_hex));
    tcase_add_test(digest, test_bytes_are_taken_highest_first);
    tcase_add_loop_test(digest, test_sha256_of_parts_and_at_once, 0, TABLE_LEN(hashes));
    TCase *canonical = test_case(suite, "canonical");
    tcase_add_loop_test(canonical, test_C2_text_is_canonical, 0, TABLE_LEN(texts));
    tcase_add_loop_test(canonical, test_C2_equal_content_is_one_digest, 0, TABLE_LEN(pairs));
    tcase_add_test(canonical, test_C2_hash_is_sha256_of_the_text);
    tcase_add_test(canonical, test_lines_hold_one_value_each);
    tcase_add_test(canonical, test_deep_values_are_written);
    tcase_add_test(canonical, test_a_missing_value_is_null);
    TCase *call = test_case(suite, "calls");
    tcase_add_loop_test(call, test_another_call_has_another_digest, 0, TABLE_LEN(calls));
    tcase_add_test(call, test_order_of_variables_does_not_count);
    tcase_add_test(call, test_settings_of_a_step_do_not_count);
    tcase_add_test(call, test_one_digester_takes_many_calls);
    tcase_add_test(call, test_call_digest_is_the_same_in_every_build);
    return suite;
}
