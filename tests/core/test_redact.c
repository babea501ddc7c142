#include "redact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "test_main.h"
#include "xalloc.h"

#define SECRET "pa55/W0rd+\"x' \303\251&Z"

static struct redactor *open_with(char *const *environment, const struct secret_settings *settings)
{
    const struct redact_setting setting = {.environment = environment, .settings = settings};
    struct redactor *redactor = NULL;
    struct err err = {0};
    ck_assert_msg(redactor_open(&redactor, &setting, &err), "%s", err.message);
    return redactor;
}

static void check(const struct redactor *redactor, const char *name, const char *text,
                  const char *want)
{
    char *got = redact_string(redactor, text, NULL);
    ck_assert_msg(strcmp(got, want) == 0, "%s: %s\nis cut to %s\nand not %s", name, text, got,
                  want);
    free(got);
}

static const struct {
    const char *name, *text, *want;
} forms[] = {
    {"raw", "<pa55/W0rd+\"x' \303\251&Z>", "<[cut:API_TOKEN]>"},
    {"base64 alone", "cGE1NS9XMHJkKyJ4JyDDqSZa\n", "[cut:API_TOKEN]\n"},
    {"base64 with a line feed", "cGE1NS9XMHJkKyJ4JyDDqSZaCg==\n", "[cut:API_TOKEN]\n"},
    {"base64 after 1", "YXBhNTUvVzByZCsieCcgw6kmWg==", "YX[cut:API_TOKEN]"},
    {"base64 after 2", "YWJwYTU1L1cwcmQrIngnIMOpJlo=", "YWJ[cut:API_TOKEN]"},
    {"base64 in the middle", "dXNlcjpwYTU1L1cwcmQrIngnIMOpJlpAaG9zdC1hbmQtbW9yZQ==",
     "dXNlcjp[cut:API_TOKEN]pAaG9zdC1hbmQtbW9yZQ=="},
    {"base64 for URLs", "cGE1NS9XMHJkKyJ4JyDDqSZa", "[cut:API_TOKEN]"},
    {"base64 unpadded", "cGE1NS9XMHJkKyJ4JyDDqSZa&", "[cut:API_TOKEN]&"},
    {"hex", "0x706135352f573072642b22782720c3a9265a", "0x[cut:API_TOKEN]"},
    {"HEX", "0x706135352F573072642B22782720C3A9265A", "0x[cut:API_TOKEN]"},
    {"URL", "?k=pa55%2FW0rd%2B%22x%27%20%C3%A9%26Z", "?k=[cut:API_TOKEN]"},
    {"URL small", "?k=pa55%2fW0rd%2b%22x%27%20%c3%a9%26Z", "?k=[cut:API_TOKEN]"},
    {"URL path", "?k=pa55/W0rd%2B%22x%27%20%C3%A9%26Z", "?k=[cut:API_TOKEN]"},
    {"form", "k=pa55%2FW0rd%2B%22x%27+%C3%A9%26Z", "k=[cut:API_TOKEN]"},
    {"component", "k=pa55%2FW0rd%2B%22x'%20%C3%A9%26Z", "k=[cut:API_TOKEN]"},
    {"all percent", "%70%61%35%35%2F%57%30%72%64%2B%22%78%27%20%C3%A9%26%5A", "[cut:API_TOKEN]"},
    {"JSON", "\"pa55/W0rd+\\\"x' \303\251&Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON ASCII", "\"pa55/W0rd+\\\"x' \\u00e9&Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON slashes", "\"pa55\\/W0rd+\\\"x' \303\251&Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON markup", "\"pa55/W0rd+\\\"x' \303\251\\u0026Z\"", "\"[cut:API_TOKEN]\""},
    {"JSON in JSON", "\"\\\"pa55/W0rd+\\\\\\\"x' \303\251&Z\\\"\"", "\"\\\"[cut:API_TOKEN]\\\"\""},
    {"single quotes", "'pa55/W0rd+\"x'\\'' \303\251&Z'", "'[cut:API_TOKEN]'"},
    {"quotes in quotes", "'pa55/W0rd+\"x'\"'\"' \303\251&Z'", "'[cut:API_TOKEN]'"},
    {"double quotes", "\"pa55/W0rd+\\\"x' \303\251&Z\"", "\"[cut:API_TOKEN]\""},
    {"backslashes", "pa55/W0rd+\\\"x\\'\\ \303\251\\&Z", "[cut:API_TOKEN]"},
    {"XML", ">pa55/W0rd+&quot;x&apos; \303\251&amp;Z<", ">[cut:API_TOKEN]<"},
    {"HTML", ">pa55/W0rd+&#34;x&#39; \303\251&amp;Z<", ">[cut:API_TOKEN]<"},
};

START_TEST(test_value_is_cut_in_every_form)
{
    char variable[] = "API_TOKEN=" SECRET;
    char *const environment[] = {variable, NULL};
    struct redactor *redactor = open_with(environment, NULL);
    check(redactor, forms[_i].name, forms[_i].text, forms[_i].want);
    redactor_close(redactor);
}
END_TEST

START_TEST(test_base64_for_urls_has_an_alphabet_of_its_own)
{
    char variable[] = "API_TOKEN=k?>k?>k?>k?>";
    char *const environment[] = {variable, NULL};
    struct redactor *redactor = open_with(environment, NULL);
    check(redactor, "standard", "az8+az8+az8+az8+", "[cut:API_TOKEN]");
    check(redactor, "for URLs", "az8-az8-az8-az8-", "[cut:API_TOKEN]");
    redactor_close(redactor);
}
END_TEST

START_TEST(test_value_of_several_lines_is_cut_line_by_line)
{
    char variable[] = "DEPLOY_KEY=first line 1\nab\n  second line 2\n";
    char *const environment[] = {variable, NULL};
    struct redactor *redactor = open_with(environment, NULL);
    check(redactor, "whole", "<first line 1\nab\n  second line 2>", "<[cut:DEPLOY_KEY]>");
    check(redactor, "terminal", "<first line 1\r\nab\r\n  second line 2>", "<[cut:DEPLOY_KEY]>");
    check(redactor, "JSON", "first line 1\\nab\\n  second line 2", "[cut:DEPLOY_KEY]");
    check(redactor, "lines", "1: second line 2\n2: first line 1\n3: ab\n",
          "1: [cut:DEPLOY_KEY]\n2: [cut:DEPLOY_KEY]\n3: ab\n");
    redactor_close(redactor);
}
END_TEST

START_TEST(test_long_value_is_cut_as_one)
{
    enum { LONG = 10000, BEFORE = sizeof("BIG_SECRET=") - 1 };
    char *variable = xcalloc(BEFORE + LONG + 1, 1);
    char *const environment[] = {variable, NULL};
    memcpy(variable, "BIG_SECRET=", BEFORE);
    for (int i = 0; i < LONG; i++)
        variable[BEFORE + i] = (char)('!' + (i * i + i / 7) % 90);
    struct redactor *redactor = open_with(environment, NULL);
    char *got = redact_string(redactor, variable, NULL);
    ck_assert_uint_eq(strlen(got), strlen("BIG_SECRET=[cut:BIG_SECRET]"));
    ck_assert_str_eq(got, "BIG_SECRET=[cut:BIG_SECRET]");
    free(got);
    redactor_close(redactor);
    free(variable);
}
END_TEST

START_TEST(test_what_has_a_form_is_a_value_too)
{
    char url[] = "DATABASE_URL=postgres://app:s3cretp4ss@db/x";
    char argument[] = "EXTRA=--header=ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    char *const environment[] = {url, argument, NULL};
    struct redactor *redactor = open_with(environment, NULL);
    check(redactor, "password",
          "s3cretp4ss, czNjcmV0cDRzcw==", "[cut:DATABASE_URL], [cut:DATABASE_URL]");
    check(redactor, "hex",
          "6768705f6162636465666768696a6b6c6d6e6f707172737475767778797a30313233343536373839",
          "[cut:EXTRA]");
    check(redactor, "the rest stays", "--header= app postgres://db/x",
          "--header= app postgres://db/x");
    redactor_close(redactor);
}
END_TEST

START_TEST(test_what_is_no_secret_stays)
{
    char ordinary[] = "HOME=/home/somebody-else", socket[] = "SSH_AUTH_SOCK=/tmp/ssh-abc/agent.1";
    char key_path[] = "SSH_KEY=/home/me/.ssh/id_rsa", number[] = "MAX_TOKENS=100000000";
    char word[] = "DB_PASSWORD=postgres", brief[] = "PIN_SECRET=abc1234", no_name[] = "=strange";
    char *const environment[] = {ordinary, socket, key_path, number, word, brief, no_name, NULL};
    const char *text = "/home/somebody-else /tmp/ssh-abc/agent.1 /home/me/.ssh/id_rsa 100000000 "
                       "postgres abc1234 =strange";
    struct redactor *redactor = open_with(environment, NULL);
    check(redactor, "ordinary", text, text);
    redactor_close(redactor);
}
END_TEST

START_TEST(test_settings_add_and_keep_names)
{
    char variable[] = "DEPLOY_PIN_7=12345678", kept[] = "PUBLIC_TOKEN=not-a-secret-at-all";
    char *const environment[] = {variable, kept, NULL};
    char name[] = "DEPLOY_*", keep[] = "PUBLIC_TOKEN", form[] = "jwt";
    char *names[] = {name, NULL}, *keeps[] = {keep, form, NULL};
    const struct secret_settings settings = {.names = names, .keep = keeps};
    struct redactor *redactor = open_with(environment, &settings);
    check(redactor, "kept", "not-a-secret-at-all", "not-a-secret-at-all");
    check(redactor, "a form that is kept", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl",
          "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefghijkl");
    check(redactor, "named", "the pin is 12345678", "the pin is [cut:DEPLOY_PIN_7]");
    ck_assert(redactor_hides(redactor, "DEPLOY_PIN_7"));
    ck_assert(redactor_hides(redactor, "API_KEY"));
    ck_assert(!redactor_hides(redactor, "PUBLIC_TOKEN"));
    ck_assert(redactor_hides(NULL, "PUBLIC_TOKEN"));
    redactor_close(redactor);
}
END_TEST

static struct redactor *open_patterns(struct redact_pattern *patterns, size_t count)
{
    const struct secret_settings settings = {.patterns = patterns, .pattern_count = count};
    return open_with(NULL, &settings);
}

START_TEST(test_patterns_cut_within_lines)
{
    char name[] = "badge", regex[] = "B-[0-9]{4}", other[] = "pin", group[] = "^pin: (\\w+)$";
    struct redact_pattern patterns[] = {{name, regex}, {other, group}};
    struct redactor *redactor = open_patterns(patterns, 2);
    check(redactor, "all of them", "B-1234 and B-5678\nB-\n9999",
          "[cut:badge] and [cut:badge]\nB-\n9999");
    check(redactor, "the group", "pin: 77\r\npin: 78 no\npin: 79",
          "pin: [cut:pin]\r\npin: 78 no\npin: [cut:pin]");
    redactor_close(redactor);
}
END_TEST

START_TEST(test_pattern_at_its_limit_cuts_the_line)
{
    char name[] = "slow", regex[] = "(a+)+$";
    struct redact_pattern patterns[] = {{name, regex}};
    struct redactor *redactor = open_patterns(patterns, 1);
    check(redactor, "slow", "fine\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\nfine\n",
          "fine\n[cut:slow]\nfine\n");
    redactor_close(redactor);
}
END_TEST

START_TEST(test_pattern_sees_lines_longer_than_its_window)
{
    enum { LINE = 5 * REDACT_LINE_MAX };
    static const char found[] = "B-1234";
    char name[] = "badge", regex[] = "B-[0-9]{4}";
    struct redact_pattern patterns[] = {{name, regex}};
    struct redactor *redactor = open_patterns(patterns, 1);
    for (size_t at = 0; at < LINE; at += 1021) {
        char *line = xcalloc(LINE + 8, 1);
        struct redact_counts counts = {0};
        memset(line, '.', LINE + 7);
        for (size_t i = 0; i < sizeof(found) - 1; i++)
            line[at + i] = found[i];
        char *got = redact_string(redactor, line, &counts);
        ck_assert_msg(strstr(got, ".[cut:badge].") || at == 0, "at %zu", at);
        ck_assert_int_eq(counts.all, 1);
        ck_assert_uint_eq(strlen(got), LINE + 7 - 6 + strlen("[cut:badge]"));
        redact_counts_done(&counts);
        free(got);
        free(line);
    }
    redactor_close(redactor);
}
END_TEST

START_TEST(test_wrong_pattern_is_refused_by_name)
{
    char name[] = "half", regex[] = "(";
    struct redact_pattern patterns[] = {{name, regex}};
    const struct secret_settings settings = {.patterns = patterns, .pattern_count = 1};
    const struct redact_setting setting = {.settings = &settings};
    struct redactor *redactor = NULL;
    struct err err = {0};
    ck_assert(!redactor_open(&redactor, &setting, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "pattern half: "));
    ck_assert_ptr_null(redactor);
}
END_TEST

START_TEST(test_more_secrets_than_there_may_be_are_refused)
{
    enum { SIZE = REDACT_BYTES_MAX + 100, BEFORE = sizeof("A_SECRET=") - 1 };
    char *variable = xcalloc(SIZE + 1, 1);
    char *const environment[] = {variable, NULL};
    const struct redact_setting setting = {.environment = environment};
    struct redactor *redactor = NULL;
    struct err err = {0};
    unsigned state = 1;
    (void)snprintf(variable, SIZE, "A_SECRET=");
    for (int i = BEFORE; i < SIZE; i++) {
        state = state * 1103515245U + 12345U;
        variable[i] = (char)('A' + (state >> 16) % 26);
    }
    ck_assert(!redactor_open(&redactor, &setting, &err));
    ck_assert_int_eq(err.code, ERR_LIMIT);
    ck_assert_ptr_nonnull(strstr(err.message, "A_SECRET"));
    ck_assert_ptr_nonnull(strstr(err.hint, "keep"));
    free(variable);
}
END_TEST

START_TEST(test_values_of_a_plan_are_cut)
{
    static const char text[] = "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", "
                               "\"steps\": [{\"run\": [\"true\"],"
                               " \"env\": {\"DEPLOY_TOKEN\": \"from-the-plan-1\"}},"
                               "{\"run\": [\"true\", \"u=AKIAABCDEFGH23456789\"]}]}]}";
    struct plan *plan = NULL;
    struct violations wrong = {0};
    struct redactor *redactor = NULL;
    struct err err = {0};
    struct str told = {0};
    bool parsed = plan_parse(text, strlen(text), &plan, &wrong);
    violations_display(&wrong, &told);
    ck_assert_msg(parsed, "%s", str_text(&told));
    str_done(&told);
    const struct redact_setting setting = {.plan = plan};
    ck_assert(redactor_open(&redactor, &setting, &err));
    check(redactor, "of a step", "x from-the-plan-1 y", "x [cut:DEPLOY_TOKEN] y");
    check(redactor, "an argument", "QUtJQUFCQ0RFRkdIMjM0NTY3ODk=", "[cut:aws-key-id]");
    redactor_close(redactor);
    plan_free(plan);
    violations_done(&wrong);
}
END_TEST

START_TEST(test_cuts_are_counted_by_name)
{
    char first[] = "A_TOKEN=aaaa-bbbb-1", second[] = "B_TOKEN=cccc-dddd-2";
    char *const environment[] = {first, second, NULL};
    struct redactor *redactor = open_with(environment, NULL);
    struct redact_counts counts = {0};
    struct str json = {0};
    redact_counts_json(redactor, &counts, &json);
    ck_assert_str_eq(json.data, "{}");
    free(redact_string(redactor, "aaaa-bbbb-1 aaaa-bbbb-1 cccc-dddd-2", &counts));
    free(redact_string(redactor, "cccc-dddd-2 https://me:you@there/", &counts));
    str_clear(&json);
    redact_counts_json(redactor, &counts, &json);
    ck_assert_str_eq(json.data, "{\"url-password\":1,\"A_TOKEN\":2,\"B_TOKEN\":2}");
    ck_assert_int_eq(counts.all, 5);
    str_done(&json);
    redact_counts_done(&counts);
    redactor_close(redactor);
}
END_TEST

START_TEST(test_cuts_that_overlap_are_one)
{
    char first[] = "A_TOKEN=one-two-three", second[] = "B_TOKEN=three-four-five";
    char third[] = "C_TOKEN=two-three-four-five-six";
    char *const environment[] = {first, second, third, NULL};
    struct redactor *redactor = open_with(environment, NULL);
    check(redactor, "the first one names it", "<one-two-three-four-five>", "<[cut:A_TOKEN]>");
    check(redactor, "one in another", "<two-three-four-five-six>", "<[cut:C_TOKEN]>");
    check(redactor, "side by side", "<one-two-threethree-four-five>",
          "<[cut:A_TOKEN][cut:B_TOKEN]>");
    check(redactor, "a value before a form", "https://u:one-two-three@host",
          "https://u:[cut:A_TOKEN]@host");
    redactor_close(redactor);
}
END_TEST

START_TEST(test_name_in_a_mark_is_plain)
{
    char odd[] = "MY \"odd\"]\nTOKEN=abcdef-123456";
    char *const environment[] = {odd, NULL};
    struct redactor *redactor = open_with(environment, NULL);
    check(redactor, "odd", "abcdef-123456", "[cut:MY__odd___TOKEN]");
    redactor_close(redactor);
}
END_TEST

START_TEST(test_nothing_to_look_for_lets_all_through)
{
    check(NULL, "no redactor", "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
          "ghp_abcdefghijklmnopqrstuvwxyz0123456789");
    ck_assert_ptr_null(redact_string(NULL, NULL, NULL));
    redactor_close(NULL);
}
END_TEST

START_TEST(test_marks_become_values_again)
{
    char variable[] = "A_TOKEN=the value", longer[] = "A_TOKEN_2=no";
    char *const environment[] = {longer, variable, NULL};
    char name[REDACT_NAME_MAX + 1];
    struct str text = {0};
    ck_assert(redact_restore("a [cut:A_TOKEN] b [cut:] [cut", environment, &text));
    ck_assert_str_eq(text.data, "a the value b [cut:] [cut");
    str_clear(&text);
    ck_assert(!redact_restore("[cut:B][cut:A_TOKEN]", environment, &text));
    ck_assert_str_eq(text.data, "[cut:B]the value");
    ck_assert(redact_find_mark(text.data, name));
    ck_assert_str_eq(name, "B");
    ck_assert(!redact_find_mark("nothing [cut:", name));
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("redact");
    TCase *tcase = test_case(suite, "values");
    tcase_add_loop_test(tcase, test_value_is_cut_in_every_form, 0, TABLE_LEN(forms));
    tcase_add_test(tcase, test_base64_for_urls_has_an_alphabet_of_its_own);
    tcase_add_test(tcase, test_value_of_several_lines_is_cut_line_by_line);
    tcase_add_test(tcase, test_long_value_is_cut_as_one);
    tcase_add_test(tcase, test_what_has_a_form_is_a_value_too);
    tcase_add_test(tcase, test_what_is_no_secret_stays);
    tcase_add_test(tcase, test_values_of_a_plan_are_cut);
    tcase_add_test(tcase, test_more_secrets_than_there_may_be_are_refused);
    tcase = test_case(suite, "settings");
    tcase_add_test(tcase, test_settings_add_and_keep_names);
    tcase_add_test(tcase, test_patterns_cut_within_lines);
    tcase_add_test(tcase, test_pattern_at_its_limit_cuts_the_line);
    tcase_add_test(tcase, test_pattern_sees_lines_longer_than_its_window);
    tcase_add_test(tcase, test_wrong_pattern_is_refused_by_name);
    tcase = test_case(suite, "marks");
    tcase_add_test(tcase, test_cuts_are_counted_by_name);
    tcase_add_test(tcase, test_cuts_that_overlap_are_one);
    tcase_add_test(tcase, test_name_in_a_mark_is_plain);
    tcase_add_test(tcase, test_nothing_to_look_for_lets_all_through);
    tcase_add_test(tcase, test_marks_become_values_again);
    return suite;
}
