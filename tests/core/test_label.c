#include "verdict.h"

#include <string.h>

#include "test_main.h"

static const struct {
    const char *text;
    struct verdict_label want;
    const char *word; /* as it is said back */
} words[] = {
    {"NETWORK_TIMEOUT",
     {.class = VERDICT_TRANSIENT, .type = TRANSIENT_NETWORK_TIMEOUT},
     "NETWORK_TIMEOUT"},
    {"network_timeout",
     {.class = VERDICT_TRANSIENT, .type = TRANSIENT_NETWORK_TIMEOUT},
     "NETWORK_TIMEOUT"},
    {"rate-limit",
     {.class = VERDICT_TRANSIENT, .type = TRANSIENT_API_RATE_LIMIT},
     "API_RATE_LIMIT"},
    {"busy", {.class = VERDICT_TRANSIENT, .type = TRANSIENT_RESOURCE_BUSY}, "RESOURCE_BUSY"},
    {"test-fail", {.class = VERDICT_PERSISTENT, .reason = REASON_TEST_FAIL}, "test-fail"},
    {"AUTH", {.class = VERDICT_PERSISTENT, .reason = REASON_AUTH}, "auth"},
    {"persistent", {.class = VERDICT_PERSISTENT}, "persistent"},
    {"Success", {.class = VERDICT_SUCCESS}, "success"},
};

START_TEST(test_word)
{
    struct verdict_label label = {0};
    ck_assert_msg(verdict_label_parse(words[_i].text, &label), "%s", words[_i].text);
    ck_assert(verdict_label_equals(&label, &words[_i].want));
    ck_assert_str_eq(verdict_label_word(&label), words[_i].word);
}
END_TEST

static const char *const strangers[] = {"", "transient", "net work", "429", "test-fail ", "lucky"};

START_TEST(test_an_unknown_word_is_refused)
{
    struct verdict_label label = {.class = VERDICT_PERSISTENT, .reason = REASON_CRASH};
    ck_assert(!verdict_label_parse(strangers[_i], &label));
    ck_assert_int_eq(label.reason, REASON_CRASH);
}
END_TEST

START_TEST(test_every_listed_word_is_a_label)
{
    struct str list = {0};
    int count = 0;
    verdict_label_words(&list);
    char *rest = list.data;
    for (char *word = strtok_r(rest, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        struct verdict_label label;
        ck_assert_msg(verdict_label_parse(word, &label), "%s", word);
        ck_assert_str_eq(verdict_label_word(&label), word);
        count++;
    }
    ck_assert_int_eq(count, TRANSIENT_TYPE_COUNT - 1 + REASON_COUNT - 1 + 2);
    str_done(&list);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("label");
    TCase *tcase = test_case(suite, "words");
    tcase_add_loop_test(tcase, test_word, 0, TABLE_LEN(words));
    tcase_add_loop_test(tcase, test_an_unknown_word_is_refused, 0, TABLE_LEN(strangers));
    tcase_add_test(tcase, test_every_listed_word_is_a_label);
    return suite;
}
