#include "verdict.h"

#include <stdlib.h>
#include <string.h>

#include "event.h"
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
    {OUTCOME_LOST, "lost"},
};

START_TEST(test_outcome_kinds_have_names)
{
    ck_assert_str_eq(outcome_kind_name(outcome_names[_i].kind), outcome_names[_i].want);
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
    const char *word; /* as it is written */
    struct verdict_label want;
} labels[] = {
    {"network_timeout",
     "NETWORK_TIMEOUT",
     {.class = VERDICT_TRANSIENT, .type = TRANSIENT_NETWORK_TIMEOUT}},
    {"rate-limit",
     "API_RATE_LIMIT",
     {.class = VERDICT_TRANSIENT, .type = TRANSIENT_API_RATE_LIMIT}},
    {"busy", "RESOURCE_BUSY", {.class = VERDICT_TRANSIENT, .type = TRANSIENT_RESOURCE_BUSY}},
    {"AUTH", "auth", {.class = VERDICT_PERSISTENT, .reason = REASON_AUTH}},
    {"persistent", "persistent", {.class = VERDICT_PERSISTENT}},
    {"Success", "success", {.class = VERDICT_SUCCESS}},
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
 * In an event.
 */

/* Returns false if the event is damaged. */
static bool read_judged(const char *text, struct verdict *out)
{
    struct event event = event_new(EVENT_ATTEMPT_JUDGED);
    struct str room = {0};
    str_reserve(&room, strlen(text) + 1);
    const bool ok = event_read(&event, text, strlen(text), &room);
    if (ok)
        verdict_from_record(&event.judged, out);
    str_done(&room);
    return ok;
}

static struct verdict read_verdict(const char *text)
{
    struct verdict verdict;
    ck_assert_msg(read_judged(text, &verdict), "%s", text);
    return verdict;
}

#define NEAR(rule) "{\"rule\":\"" rule "\",\"why\":\"exit\",\"stream\":\"stderr\",\"offset\":7}"

static const struct {
    const char *text;
    const char *want; /* as it is written again; NULL: the same */
} evidences[] = {
    {"{\"class\":\"success\"}", NULL},
    {"{\"class\":\"transient\",\"type\":\"API_RATE_LIMIT\",\"expectation\":\"unexpected pass\","
     "\"rule\":\"b1.http-429\",\"subtype\":\"HTTP_429\",\"stream\":\"stdout\","
     "\"offset\":5000000000,\"line\":12,\"match\":\"error: \\\"429\\\" \xe2\x82\xac\","
     "\"retry_after_ms\":0,\"resume_at_ms\":1795227600000,\"hint_rule\":\"hint.limit-epoch\","
     "\"near\":[{\"rule\":\"a\",\"why\":\"quoted\",\"stream\":\"stdout\",\"offset\":1},"
     "{\"rule\":\"b\",\"why\":\"unless\"},{\"rule\":\"c\",\"why\":\"pattern\"},"
     "{\"rule\":\"d\",\"why\":\"outranked\"}],"
     "\"ask\":true,\"no_retry\":true,"
     "\"violations\":[\"[MISSING_FIELD] /summary: required\",\"[WRONG_TYPE] /n: \\\"wrong\\\"\"]}",
     NULL},
    {"{\"class\":\"persistent\",\"near\":[" NEAR("a") "," NEAR("b") "," NEAR("c") "," NEAR(
         "d") "," NEAR("e") "],\"later\":[1]}",
     "{\"class\":\"persistent\",\"near\":[" NEAR("a") "," NEAR("b") "," NEAR("c") "," NEAR(
         "d") "]}"},
    {"{\"class\":\"success\",\"retry_after_ms\":1000000000000,\"resume_at_ms\":1000000000000000}",
     NULL},
    /* Text from a log must not start a new line where it is printed. */
    {"{\"class\":\"success\",\"rule\":\"r\\nx\",\"subtype\":\"S\\r\\nx\","
     "\"match\":\"one\\ndone  all "
     "passed\",\"hint_rule\":\"h\\nx\",\"violations\":[\"a\",\"\",\"c\"]}",
     "{\"class\":\"success\",\"rule\":\"r\",\"subtype\":\"S\",\"match\":\"one\",\"hint_rule\":"
     "\"h\","
     "\"violations\":[\"a\",\"c\"]}"},
};

START_TEST(test_evidence_is_read_and_written)
{
    const char *text = evidences[_i].text;
    const struct verdict verdict = read_verdict(text);
    struct event event = event_new(EVENT_ATTEMPT_JUDGED);
    verdict_to_record(&verdict, &event.judged);
    char *object = event_object(&event);
    ck_assert_str_eq(object, evidences[_i].want ? evidences[_i].want : text);
    free(object);
}
END_TEST

static const char *const damaged[] = {
    "{\"expectation\":99}",
    "{\"stream\":\"odd\"}",
    "{\"offset\":-1}",
    "{\"retry_after_ms\":1000000000001}",
    "{\"resume_at_ms\":1000000000000001}",
    "{\"retry_after_ms\":-9223372036854775808}",
    "{\"near\":{}}",
    "{\"near\":[7]}",
    "{\"near\":[{\"rule\":\"a\",\"why\":\"odd\"}]}",
    "{\"near\":[{\"offset\":-1}]}",
    "{\"violations\":\"a\"}",
    "{\"violations\":[5]}",
};

START_TEST(test_damaged_evidence_is_refused)
{
    struct verdict verdict;
    ck_assert_msg(!read_judged(damaged[_i], &verdict), "%s", damaged[_i]);
}
END_TEST

/* A text that is too long for a verdict is cut between characters, and lines that do not fit are
 * left out. */
START_TEST(test_long_evidence_is_cut)
{
    struct str text = {0};
    str_add(&text, "{\"match\":\"x");
    for (int i = 0; i < VERDICT_MATCH_MAX; i++)
        str_add(&text, "\xc3\xa4");
    str_add(&text, "\",\"violations\":[\"first\",\"");
    for (int i = 0; i < VERDICT_LINES_MAX; i++)
        str_add_char(&text, 'y');
    str_add(&text, "\"]}");
    const struct verdict verdict = read_verdict(text.data);
    ck_assert_uint_eq(strlen(verdict.match), VERDICT_MATCH_MAX - 1);
    ck_assert_str_eq(verdict.violations, "first\n");
    str_done(&text);
}
END_TEST

START_TEST(test_members_of_evidence_have_their_meaning)
{
    const struct verdict none = read_verdict("{}");
    ck_assert_int_eq(none.retry_after_ms, -1);
    ck_assert_int_eq(none.resume_at_ms, -1);
    ck_assert_int_eq(none.stream, VERDICT_STREAM_NONE);
    ck_assert(!none.ask);

    const struct verdict verdict = read_verdict(evidences[1].text);
    ck_assert_str_eq(verdict.rule, "b1.http-429");
    ck_assert_str_eq(verdict.subtype, "HTTP_429");
    ck_assert_str_eq(verdict.hint_rule, "hint.limit-epoch");
    ck_assert_int_eq(verdict.stream, VERDICT_STREAM_OUT);
    ck_assert_int_eq(verdict.offset, 5000000000);
    ck_assert_int_eq(verdict.line, 12);
    ck_assert_int_eq(verdict.retry_after_ms, 0);
    ck_assert_int_eq(verdict.resume_at_ms, 1795227600000);
    ck_assert_int_eq(verdict.near_count, VERDICT_NEAR_MAX);
    ck_assert_int_eq(verdict.near[0].stream, VERDICT_STREAM_OUT);
    ck_assert_int_eq(verdict.near[3].why, NEAR_OUTRANKED);
}
END_TEST

START_TEST(test_lines_of_violations_fill_their_space)
{
    static const char first[] = "[MISSING_FIELD] /summary: required";
    char full[VERDICT_LINES_MAX];
    struct verdict verdict = verdict_new();
    memset(full, 'x', sizeof(full));
    ck_assert(!verdict_add_line(&verdict, full, sizeof(full) - 1));
    ck_assert_str_eq(verdict.violations, "");
    ck_assert(verdict_add_line(&verdict, full, sizeof(full) - 2));
    ck_assert(!verdict_add_line(&verdict, "", 0));
    ck_assert_uint_eq(strlen(verdict.violations), sizeof(full) - 1);

    verdict = verdict_new();
    ck_assert(verdict_add_line(&verdict, first, strlen(first)));
    ck_assert(!verdict_add_line(&verdict, full, sizeof(full) - strlen(first) - 2));
    ck_assert(verdict_add_line(&verdict, full, sizeof(full) - strlen(first) - 3));
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
    TCase *words = test_case(suite, "words");
    tcase_add_loop_test(words, test_a_verdict_has_a_short_word, 0, TABLE_LEN(short_words));
    tcase_add_loop_test(words, test_a_label_is_read_and_written, 0, TABLE_LEN(labels));
    tcase_add_loop_test(words, test_unknown_label_is_refused, 0, TABLE_LEN(not_labels));
    tcase_add_test(words, test_every_listed_label_can_be_read);
    TCase *json = test_case(suite, "event");
    tcase_add_loop_test(json, test_evidence_is_read_and_written, 0, TABLE_LEN(evidences));
    tcase_add_loop_test(json, test_damaged_evidence_is_refused, 0, TABLE_LEN(damaged));
    tcase_add_test(json, test_long_evidence_is_cut);
    tcase_add_test(json, test_members_of_evidence_have_their_meaning);
    tcase_add_test(json, test_lines_of_violations_fill_their_space);
    return suite;
}
