/*
 * docs/contracts.md and the code: the keywords that it lists are those that contracts may use,
 * and the limits are the code's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "contract_internal.h"
#include "repair.h"
#include "test_main.h"

static char *doc;

static void setup(void)
{
    doc = test_read_file(test_source_path("docs/contracts.md"));
    ck_assert_ptr_nonnull(doc);
}

static void teardown(void)
{
    free(doc);
}

/* Is it refused as a keyword, whatever its value? */
static bool is_keyword(const char *word)
{
    struct contract *contract = NULL;
    struct violations wrong = {0};
    struct str text = {0};
    str_addf(&text, "{\"%s\":null}", word);
    bool known = true;
    if (!contract_load(str_text(&text), text.len, &contract, &wrong))
        known = strncmp(wrong.items[0].message, "not a keyword", 13) != 0;
    contract_free(contract);
    violations_done(&wrong);
    str_done(&text);
    return known;
}

/* The words in backticks from `at` up to `end`; returns how many are keywords. */
static int count_keywords(const char *at, const char *end)
{
    int count = 0;
    for (at = strchr(at, '`'); at && at < end; at = strchr(at + 1, '`')) {
        char word[64];
        const size_t len = strcspn(at + 1, "`");
        ck_assert_uint_lt(len, sizeof(word));
        (void)snprintf(word, sizeof(word), "%.*s", (int)len, at + 1);
        ck_assert_msg(is_keyword(word), "%s", word);
        at += len + 1;
        count++;
    }
    return count;
}

START_TEST(test_D1_keywords_are_documented)
{
    enum { KEYWORDS = 52 }; /* rows of the table in contract_keywords.c */
    const char *from = strstr(doc, "## Keywords");
    ck_assert_ptr_nonnull(from);
    const char *end = strstr(from, "Any other keyword");
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq(count_keywords(from, end), KEYWORDS);

    static const char *const refused[] = {"unevaluatedProperties", "unevaluatedItems",
                                          "$dynamicRef", "$dynamicAnchor"};
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        ck_assert_ptr_nonnull(strstr(end, refused[i]));
        ck_assert(!is_keyword(refused[i]));
    }
}
END_TEST

START_TEST(test_D1_codes_are_documented)
{
    struct str row = {0};
    str_addf(&row, "| `%s` |", violation_code_name((enum violation_code)_i));
    ck_assert_msg(strstr(doc, str_text(&row)), "%s", str_text(&row));
    str_done(&row);
}
END_TEST

static const struct {
    const char *text;
    long value;
} limits[] = {
    {"1 MiB, ", CONTRACT_BYTES_MAX / (1024 * 1024)},
    {"1 MiB |", CONTRACT_OUTPUT_MAX / (1024 * 1024)},
    {"20,000 schemas", CONTRACT_SCHEMAS_MAX / 1000},
    {"200 deep", CONTRACT_NESTING_MAX},
    {"400 |", CONTRACT_CHAIN_MAX},
    {"4 MiB; the output", CONTRACT_INSTANCE_MAX / (1024 * 1024)},
    {"1,500 |", CONTRACT_CHECK_DEPTH_MAX / 1500},
    {"1 million; of a plan", CONTRACT_TEXT_STEPS_MAX / 1000000},
    {"20 million, or", CONTRACT_STEPS_MAX / 1000000},
    {"4,096 bytes", CONTRACT_PATTERN_MAX / 1024},
    {"16 for each byte", CONTRACT_MATCH_STEPS_PER_BYTE},
    {"512; ", CONTRACT_MATCH_STEPS_MIN},
    {"128 | ", CONTRACT_MATCH_STEPS_FREE},
    {"4 million |", CONTRACT_MATCH_STEPS_MAX / 1000000},
    {"4 million; ", CONTRACT_MATCH_STEPS_TEXT / 1000000},
    {"20 million |", CONTRACT_MATCH_STEPS_ALL / 1000000},
    {"100 violations", VIOLATIONS_MAX},
    {"20 violations", REPAIR_SHOWN_MAX},
    {"16 KiB", REPAIR_PROMPT_MAX / 1024},
};

START_TEST(test_limits_are_documented)
{
    ck_assert_msg(strstr(doc, limits[_i].text), "%s", limits[_i].text);
    ck_assert_int_eq(limits[_i].value, strtol(limits[_i].text, NULL, 10));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contract_doc");
    TCase *page = test_case(suite, "page");
    tcase_add_checked_fixture(page, setup, teardown);
    tcase_add_test(page, test_D1_keywords_are_documented);
    tcase_add_loop_test(page, test_D1_codes_are_documented, 0, VIOLATION_CODE_COUNT);
    tcase_add_loop_test(page, test_limits_are_documented, 0, TABLE_LEN(limits));
    return suite;
}
