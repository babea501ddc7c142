#include "verdict.h"

#include <stdio.h>
#include <string.h>

#include "json.h"
#include "outcome.h"
#include "test_main.h"

/*
 * Names.
 */

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
    enum outcome_kind kind;
    const char *want;
} outcome_names[OUTCOME_KIND_COUNT] = {
    {OUTCOME_EXIT, "exit"},
    {OUTCOME_SIGNAL, "signal"},
    {OUTCOME_NOT_STARTED, "not started"},
    {OUTCOME_TIMEOUT, "timeout"},
    {OUTCOME_CANCELLED, "cancelled"},
    {OUTCOME_INTERRUPTED, "interrupted"},
};

START_TEST(test_outcome_kinds_have_names)
{
    ck_assert_str_eq(outcome_kind_name(outcome_names[_i].kind), outcome_names[_i].want);
}
END_TEST

static const struct {
    enum phase phase;
    const char *name;
    char letter;
} phases[PHASE_COUNT] = {
    {PHASE_RED, "RED", 'R'},
    {PHASE_GREEN, "GREEN", 'G'},
    {PHASE_VERIFY, "VERIFY", 'V'},
    {PHASE_REFACTOR, "REFACTOR", 'F'},
};

static const char *const not_phases[] = {"", "red", "Red", "REDD", "RE", "REFACTO", " RED", "BLUE"};

START_TEST(test_phases_have_a_name_and_a_letter)
{
    enum phase parsed = PHASE_COUNT;
    ck_assert_int_eq((int)phases[_i].phase, _i);
    ck_assert_str_eq(phase_name(phases[_i].phase), phases[_i].name);
    ck_assert_int_eq(phase_letter(phases[_i].phase), phases[_i].letter);
    ck_assert(phase_parse(phases[_i].name, &parsed));
    ck_assert_int_eq((int)parsed, _i);
}
END_TEST

START_TEST(test_unknown_phase_leaves_the_output_alone)
{
    enum phase parsed = PHASE_VERIFY;
    ck_assert(!phase_parse(not_phases[_i], &parsed));
    ck_assert_int_eq((int)parsed, PHASE_VERIFY);
}
END_TEST

/*
 * A verdict in a word.
 */

static const struct {
    struct verdict verdict;
    struct outcome outcome;
    const char *want;
} short_words[] = {
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

START_TEST(test_a_verdict_has_a_short_word)
{
    char word[VERDICT_WORD_MAX];

    ck_assert_str_eq(verdict_word(&short_words[_i].verdict, &short_words[_i].outcome, word),
                     short_words[_i].want);
}
END_TEST

static const struct {
    const char *text;
    struct verdict_label want;
    const char *word; /* as it is written */
} labels[] = {
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

START_TEST(test_a_label_is_read_and_written)
{
    struct verdict_label label = {0};
    ck_assert_msg(verdict_label_parse(labels[_i].text, &label), "%s", labels[_i].text);
    ck_assert(verdict_label_equals(&label, &labels[_i].want));
    ck_assert_str_eq(verdict_label_word(&label), labels[_i].word);
}
END_TEST

static const char *const not_labels[] = {"", "transient", "net work", "429", "test-fail ", "lucky"};

START_TEST(test_unknown_label_is_refused)
{
    struct verdict_label label = {.class = VERDICT_PERSISTENT, .reason = REASON_CRASH};
    ck_assert(!verdict_label_parse(not_labels[_i], &label));
    ck_assert_int_eq(label.reason, REASON_CRASH);
}
END_TEST

START_TEST(test_every_listed_label_can_be_read)
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

/*
 * As JSON.
 */

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

START_TEST(test_lines_fill_their_space)
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

/* Text from a log must not start a new line where it is printed. */
START_TEST(test_texts_from_json_are_cut_to_one_line)
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

START_TEST(test_resume_time_and_near_misses_come_back)
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

START_TEST(test_unknown_near_miss_is_left_out)
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
    tcase_add_test(names, test_class_names);
    tcase_add_loop_test(names, test_type_names_come_back, 1, TRANSIENT_TYPE_COUNT);
    tcase_add_loop_test(names, test_reason_names_come_back, 1, REASON_COUNT);
    tcase_add_test(names, test_unknown_names_are_refused);
    tcase_add_loop_test(names, test_outcome_kinds_have_names, 0, TABLE_LEN(outcome_names));
    tcase_add_loop_test(names, test_phases_have_a_name_and_a_letter, 0, TABLE_LEN(phases));
    tcase_add_loop_test(names, test_unknown_phase_leaves_the_output_alone, 0,
                        TABLE_LEN(not_phases));
    TCase *words = test_case(suite, "words");
    tcase_add_loop_test(words, test_a_verdict_has_a_short_word, 0, TABLE_LEN(short_words));
    tcase_add_loop_test(words, test_a_label_is_read_and_written, 0, TABLE_LEN(labels));
    tcase_add_loop_test(words, test_unknown_label_is_refused, 0, TABLE_LEN(not_labels));
    tcase_add_test(words, test_every_listed_label_can_be_read);
    TCase *json = test_case(suite, "json");
    tcase_add_test(json, test_evidence_comes_back);
    tcase_add_test(json, test_lines_of_violations_come_back);
    tcase_add_test(json, test_lines_fill_their_space);
    tcase_add_test(json, test_texts_from_json_are_cut_to_one_line);
    tcase_add_test(json, test_resume_time_and_near_misses_come_back);
    tcase_add_test(json, test_unknown_near_miss_is_left_out);
    tcase_add_test(json, test_empty_evidence_is_empty_json);
    return suite;
}
