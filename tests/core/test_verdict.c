#include "verdict.h"

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "outcome.h"
#include "test_main.h"

START_TEST(test_new_says_nothing)
{
    const struct verdict verdict = verdict_new();

    ck_assert_int_eq(verdict.class, VERDICT_SUCCESS);
    ck_assert_int_eq(verdict.retry_after_ms, -1);
    ck_assert_str_eq(verdict.rule, "");
    ck_assert(!verdict.ask);
}
END_TEST

START_TEST(test_class_names)
{
    ck_assert_str_eq(verdict_class_name(VERDICT_SUCCESS), "success");
    ck_assert_str_eq(verdict_class_name(VERDICT_TRANSIENT), "transient");
    ck_assert_str_eq(verdict_class_name(VERDICT_PERSISTENT), "persistent");
}
END_TEST

START_TEST(test_type_names_come_back)
{
    enum transient_type type = TRANSIENT_NONE;
    const char *name = transient_type_name((enum transient_type)_i);

    ck_assert_msg(transient_type_parse(name, &type), "%s", name);
    ck_assert_int_eq(type, _i);
}
END_TEST

START_TEST(test_reason_names_come_back)
{
    enum reason reason = REASON_NONE;
    const char *name = reason_name((enum reason)_i);

    ck_assert_msg(reason_parse(name, &reason), "%s", name);
    ck_assert_int_eq(reason, _i);
}
END_TEST

START_TEST(test_unknown_names_are_refused)
{
    enum transient_type type = TRANSIENT_CONTAINER_OOM;
    enum reason reason = REASON_AUTH;

    ck_assert(!transient_type_parse("", &type));
    ck_assert(!transient_type_parse("network_timeout", &type));
    ck_assert(!reason_parse("", &reason));
    ck_assert(!reason_parse("tests-fail", &reason));
    ck_assert_int_eq(type, TRANSIENT_CONTAINER_OOM);
    ck_assert_int_eq(reason, REASON_AUTH);
    ck_assert_str_eq(transient_type_name(TRANSIENT_NONE), "");
    ck_assert_str_eq(reason_name(REASON_NONE), "");
}
END_TEST

static const struct {
    struct verdict verdict;
    struct outcome outcome;
    const char *want;
} word_cases[] = {
    {{.class = VERDICT_SUCCESS}, {.kind = OUTCOME_EXIT}, ""},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_NETWORK_TIMEOUT}, {.code = 1}, "network"},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_DOCKER_SOCKET_UNAVAILABLE}, {0}, "docker"},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_CONTAINER_OOM}, {.code = 137}, "oom"},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_API_RATE_LIMIT}, {.code = 1}, "rate-limit"},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_API_OVERLOADED}, {.code = 1}, "overloaded"},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_SANDBOX_START_TIMEOUT}, {0}, "start-timeout"},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_RESOURCE_BUSY}, {.code = 75}, "busy"},
    {{.class = VERDICT_TRANSIENT, .type = TRANSIENT_RESOURCE_BUSY, .subtype = "TIMEOUT"},
     {.kind = OUTCOME_TIMEOUT},
     "timeout"},
    {{.class = VERDICT_PERSISTENT, .reason = REASON_TEST_FAIL}, {.code = 1}, "test-fail"},
    {{.class = VERDICT_PERSISTENT}, {.kind = OUTCOME_EXIT, .code = 1}, "exit 1"},
    {{.class = VERDICT_PERSISTENT}, {.kind = OUTCOME_SIGNAL, .code = 9}, "signal 9"},
    {{.class = VERDICT_PERSISTENT}, {.kind = OUTCOME_NOT_STARTED, .code = 5}, "not started"},
};

START_TEST(test_word)
{
    char word[VERDICT_WORD_MAX];

    ck_assert_str_eq(verdict_word(&word_cases[_i].verdict, &word_cases[_i].outcome, word),
                     word_cases[_i].want);
}
END_TEST

static struct verdict there_and_back(const struct verdict *verdict, struct str *text)
{
    str_add(text, "{");
    verdict_to_json(verdict, text);
    str_add(text, "}");
    struct json *json = NULL;
    ck_assert(json_parse(str_text(text), text->len, &json, NULL, NULL));
    struct verdict back = verdict_new();
    verdict_from_json(json, &back);
    json_free(json);
    return back;
}

START_TEST(test_evidence_comes_back)
{
    struct verdict verdict = {
        .subtype = "HTTP_429",
        .rule = "b1.http-429",
        .stream = VERDICT_STREAM_OUT,
        .offset = 5000000000,
        .line = 12,
        .match = "error: \"429\" \xe2\x82\xac",
        .retry_after_ms = 0,
        .ask = true,
    };
    struct str text = {0};

    const struct verdict back = there_and_back(&verdict, &text);

    ck_assert_str_eq(back.subtype, verdict.subtype);
    ck_assert_str_eq(back.rule, verdict.rule);
    ck_assert_str_eq(back.match, verdict.match);
    ck_assert_int_eq(back.stream, VERDICT_STREAM_OUT);
    ck_assert_int_eq(back.offset, 5000000000);
    ck_assert_int_eq(back.line, 12);
    ck_assert_int_eq(back.retry_after_ms, 0);
    ck_assert(back.ask);
    str_done(&text);
}
END_TEST

START_TEST(test_lines_of_violations_come_back)
{
    static const char first[] = "[MISSING_FIELD] /summary: required";
    static const char second[] = "[WRONG_TYPE] /n: \"wrong\" type (expected integer, got string)";
    char full[VERDICT_LINES_MAX];
    struct verdict verdict = verdict_new();
    struct str text = {0};
    memset(full, 'x', sizeof(full));
    ck_assert(verdict_add_line(&verdict, first, strlen(first)));
    ck_assert(verdict_add_line(&verdict, second, strlen(second)));
    ck_assert(!verdict_add_line(&verdict, full, sizeof(full) - strlen(first) - strlen(second)));
    verdict.no_retry = true;

    const struct verdict back = there_and_back(&verdict, &text);

    ck_assert(back.no_retry);
    ck_assert_str_eq(back.violations, verdict.violations);
    ck_assert_uint_eq(strlen(back.violations), strlen(first) + strlen(second) + 2);
    ck_assert_ptr_nonnull(strstr(str_text(&text), "\"violations\":[\"[MISSING_FIELD] /summary"));
    str_done(&text);
}
END_TEST

START_TEST(test_lines_fill_their_room)
{
    char full[VERDICT_LINES_MAX];
    struct verdict verdict = verdict_new();
    memset(full, 'x', sizeof(full));
    ck_assert(!verdict_add_line(&verdict, full, sizeof(full) - 1));
    ck_assert_str_eq(verdict.violations, "");
    ck_assert(verdict_add_line(&verdict, full, sizeof(full) - 2));
    ck_assert(!verdict_add_line(&verdict, "", 0));
    ck_assert_uint_eq(strlen(verdict.violations), sizeof(full) - 1);
}
END_TEST

/* A row of somebody else's log must not make lines of its own where it is printed. */
START_TEST(test_texts_that_come_back_are_of_one_line)
{
    static const char text[] =
        "{\"rule\":\"r\\nx\",\"subtype\":\"S\\r\\nx\",\"match\":\"one\\n"
        "done  all passed\",\"hint_rule\":\"h\\nx\",\"violations\":[\"a\\nb\", 5, "
        "\"\", \"c\"]}";
    struct json *json = NULL;
    struct verdict back = verdict_new();
    ck_assert(json_parse(text, sizeof(text) - 1, &json, NULL, NULL));
    verdict_from_json(json, &back);
    json_free(json);
    ck_assert_str_eq(back.rule, "r");
    ck_assert_str_eq(back.subtype, "S");
    ck_assert_str_eq(back.match, "one");
    ck_assert_str_eq(back.hint_rule, "h");
    ck_assert_str_eq(back.violations, "a\nc\n");
}
END_TEST

START_TEST(test_parked_and_near_misses_come_back)
{
    struct verdict verdict = verdict_new();
    verdict.class = VERDICT_PERSISTENT;
    verdict.retry_after_ms = 3600000;
    verdict.resume_at_ms = 1795227600000;
    (void)snprintf(verdict.hint_rule, sizeof(verdict.hint_rule), "hint.limit-epoch");
    for (int i = 0; i < VERDICT_NEAR_MAX + 2; i++) {
        struct verdict_near near = {.why = (enum near_why)(i % NEAR_WHY_COUNT),
                                    .stream = VERDICT_STREAM_ERR,
                                    .offset = 100 + i};
        (void)snprintf(near.rule, sizeof(near.rule), "near.%d", i % 10);
        verdict_add_near(&verdict, &near);
    }
    struct str text = {0};

    const struct verdict back = there_and_back(&verdict, &text);

    ck_assert_int_eq(back.resume_at_ms, 1795227600000);
    ck_assert_str_eq(back.hint_rule, "hint.limit-epoch");
    ck_assert_int_eq(back.near_count, VERDICT_NEAR_MAX);
    for (int i = 0; i < VERDICT_NEAR_MAX; i++) {
        ck_assert_str_eq(back.near[i].rule, verdict.near[i].rule);
        ck_assert_int_eq(back.near[i].why, i);
        ck_assert_int_eq(back.near[i].stream, VERDICT_STREAM_ERR);
        ck_assert_int_eq(back.near[i].offset, 100 + i);
    }
    str_done(&text);
}
END_TEST

START_TEST(test_near_miss_of_an_unknown_kind_is_left_out)
{
    static const char text[] = "{\"near\":[{\"rule\":\"a\",\"why\":\"odd\"},"
                               "{\"rule\":\"b\",\"why\":\"exit\"}]}";
    struct json *json = NULL;
    ck_assert(json_parse(text, sizeof(text) - 1, &json, NULL, NULL));
    struct verdict verdict = verdict_new();

    verdict_from_json(json, &verdict);

    ck_assert_int_eq(verdict.near_count, 1);
    ck_assert_str_eq(verdict.near[0].rule, "b");
    ck_assert_int_eq(verdict.near[0].why, NEAR_EXIT);
    ck_assert_int_eq(verdict.near[0].stream, VERDICT_STREAM_NONE);
    json_free(json);
}
END_TEST

START_TEST(test_empty_evidence_is_empty_json)
{
    const struct verdict verdict = verdict_new();
    struct str text = {0};

    const struct verdict back = there_and_back(&verdict, &text);

    ck_assert_str_eq(str_text(&text), "{}");
    ck_assert_int_eq(back.retry_after_ms, -1);
    ck_assert_int_eq(back.stream, VERDICT_STREAM_NONE);
    ck_assert(!back.ask);
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("verdict");
    TCase *names = test_case(suite, "names");
    tcase_add_test(names, test_new_says_nothing);
    tcase_add_test(names, test_class_names);
    tcase_add_loop_test(names, test_type_names_come_back, 1, TRANSIENT_TYPE_COUNT);
    tcase_add_loop_test(names, test_reason_names_come_back, 1, REASON_COUNT);
    tcase_add_test(names, test_unknown_names_are_refused);
    tcase_add_loop_test(test_case(suite, "word"), test_word, 0, TABLE_LEN(word_cases));
    TCase *json = test_case(suite, "json");
    tcase_add_test(json, test_evidence_comes_back);
    tcase_add_test(json, test_lines_of_violations_come_back);
    tcase_add_test(json, test_lines_fill_their_room);
    tcase_add_test(json, test_texts_that_come_back_are_of_one_line);
    tcase_add_test(json, test_parked_and_near_misses_come_back);
    tcase_add_test(json, test_near_miss_of_an_unknown_kind_is_left_out);
    tcase_add_test(json, test_empty_evidence_is_empty_json);
    return suite;
}
