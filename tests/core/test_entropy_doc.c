/* docs/entropy.md says what the code does: thresholds, rules, what is masked, words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entropy.h"
#include "fingerprint.h"
#include "shown.h"
#include "test_main.h"
#include "xalloc.h"

static char *doc;
static char *prose; /* the same on one line */

static void setup(void)
{
    doc = test_read_file(test_source_path("docs/entropy.md"));
    ck_assert_ptr_nonnull(doc);
    prose = xstrdup(doc);
    for (char *at = strchr(prose, '\n'); at; at = strchr(at, '\n'))
        *at = ' ';
}

static void teardown(void)
{
    free(prose);
    free(doc);
    prose = doc = NULL;
}

static void says(const char *words)
{
    ck_assert_msg(strstr(doc, words) != NULL, "docs/entropy.md does not say: %s", words);
}

static void says_somewhere(const char *words)
{
    ck_assert_msg(strstr(prose, words) != NULL, "docs/entropy.md does not say: %s", words);
}

static int rows_that_begin(const char *start)
{
    int count = 0;
    for (const char *at = strstr(doc, start); at; at = strstr(at + 1, start))
        count++;
    return count;
}

/* Name, default, most and meaning, as the table of the code has them. */
START_TEST(test_C8_every_threshold_is_documented)
{
    size_t count = 0;
    for (const struct entropy_limit *limit; (limit = entropy_limit(count)); count++) {
        char row[256];
        (void)snprintf(row, sizeof(row), "\n| `%s` | %d | %d | %s |\n", limit->name, limit->initial,
                       limit->max, limit->about);
        says(row);
    }
    ck_assert_uint_gt(count, 0);
}
END_TEST

START_TEST(test_C8_every_rule_and_its_thresholds_are_documented)
{
    const struct entropy_limits limits = entropy_limits_new();
    const struct {
        enum entropy_rung rung;
        int suspects, stops; /* 0: never */
    } rules[] = {
        {ENTROPY_RUNG_REPEAT, limits.repeat_nudge, limits.repeat_stop},
        {ENTROPY_RUNG_CYCLE, 0, limits.cycle_stop},
        {ENTROPY_RUNG_FAILURE, limits.failure_nudge, limits.failure_stop},
        {ENTROPY_RUNG_BARREN, limits.barren_nudge, limits.barren_stop},
        {ENTROPY_RUNG_PAUSE, limits.pause_nudge, limits.pause_stop},
        {ENTROPY_RUNG_MONOLOGUE, limits.monologue_nudge, limits.monologue_stop},
        {ENTROPY_RUNG_CHANT, 0, limits.chant_stop},
    };
    ck_assert_uint_eq(TABLE_LEN(rules), ENTROPY_RUNG_COUNT - 1);
    for (size_t i = 0; i < TABLE_LEN(rules); i++) {
        char start[64];
        char suspects[32] = "-";
        char stops[32];
        (void)snprintf(start, sizeof(start), "\n| `%s` | ", entropy_rung_name(rules[i].rung));
        if (rules[i].suspects > 0)
            (void)snprintf(suspects, sizeof(suspects), "%d", rules[i].suspects);
        (void)snprintf(stops, sizeof(stops), "%d", rules[i].stops);
        const char *row = strstr(doc, start);
        ck_assert_msg(row != NULL, "no row of %s", start);
        const char *second = strstr(row + strlen(start), " | ");
        ck_assert_msg(second && strncmp(second + 3, suspects, strlen(suspects)) == 0,
                      "%s suspects at %s", start, suspects);
        const char *third = strstr(second + 3, " | ");
        ck_assert_msg(third && strncmp(third + 3, stops, strlen(stops)) == 0, "%s stops at %s",
                      start, stops);
    }
}
END_TEST

START_TEST(test_C8_everything_that_is_masked_is_documented)
{
    for (int mask = 0; mask < NORMALISER_MASK_COUNT; mask++) {
        char start[64];
        (void)snprintf(start, sizeof(start), "\n| `%s` | ",
                       normaliser_mask_words((enum normaliser_mask)mask));
        ck_assert_msg(rows_that_begin(start) == 1, "no row of %s", start);
    }
}
END_TEST

START_TEST(test_words_of_the_list_are_documented)
{
    for (int rung = ENTROPY_RUNG_NONE + 1; rung < ENTROPY_RUNG_COUNT; rung++) {
        const struct entropy_verdict stuck = {
            .level = ENTROPY_STUCK, .rung = (enum entropy_rung)rung, .count = 0};
        struct str brief = {0};
        shown_circles_brief(&stuck, &brief);
        char *digit = strchr(brief.data, '0');
        char word[64];
        (void)snprintf(word, sizeof(word), "`%.*s",
                       digit ? (int)(digit - brief.data) : (int)brief.len, brief.data);
        says(word);
        str_done(&brief);
    }
    says("loop? 3x");
}
END_TEST

START_TEST(test_windows_going_on_and_misses_are_documented)
{
    char words[64];
    says_somewhere("`research`");
    says_somewhere("`loops`");
    says_somewhere("devs entropy");
    says_somewhere("exit code 3");
    (void)snprintf(words, sizeof(words), "last %d steps", ENTROPY_WINDOW);
    says_somewhere(words);
    (void)snprintf(words, sizeof(words), "%d equal results in a row always stop",
                   ENTROPY_REPEAT_MAX);
    says_somewhere(words);
    says_somewhere("What it cannot see");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("entropy_doc");
    TCase *tcase = test_case(suite, "documents");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_C8_every_threshold_is_documented);
    tcase_add_test(tcase, test_C8_every_rule_and_its_thresholds_are_documented);
    tcase_add_test(tcase, test_C8_everything_that_is_masked_is_documented);
    tcase_add_test(tcase, test_words_of_the_list_are_documented);
    tcase_add_test(tcase, test_windows_going_on_and_misses_are_documented);
    return suite;
}
