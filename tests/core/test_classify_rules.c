#include "classify_rules.h"

#include <stdio.h>
#include <string.h>

#include "classify_user.h"
#include "json.h"
#include "judge.h"
#include "test_main.h"

START_TEST(test_rules_have_a_hash)
{
    const char *hash = classifier_hash(judge_classifier());
    ck_assert_uint_eq(strlen(hash), 64);
    ck_assert_uint_eq(strspn(hash, "0123456789abcdef"), 64);

    struct json *json = NULL;
    const char *text = classifier_rules(judge_classifier());
    ck_assert(json_parse(text, strlen(text), &json, NULL, NULL));
    ck_assert_uint_gt(json_count(json_get(json, "rules")), 100);
    json_free(json);
}
END_TEST

START_TEST(test_rules_hash_is_that_of_the_text)
{
    const char *empty = "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[]}";
    char hash[RULES_HASH_MAX];
    rules_hash(empty, strlen(empty), hash);
    ck_assert_str_eq(hash, "9f722706e074a8263d901c8eb06757296052030d00204ab9de0c0b955215fceb");

    const char *text = classifier_rules(judge_classifier());
    rules_hash(text, strlen(text), hash);
    ck_assert_str_eq(classifier_hash(judge_classifier()), hash);
}
END_TEST

START_TEST(test_rule_names_are_unique)
{
    struct json *json = NULL;
    const char *text = classifier_rules(judge_classifier());
    ck_assert(json_parse(text, strlen(text), &json, NULL, NULL));
    const struct json *rules = json_get(json, "rules");
    for (size_t i = 0; i < json_count(rules); i++) {
        for (size_t j = i + 1; j < json_count(rules); j++) {
            const char *one = json_text(json_get(json_at(rules, i), "id"), "");
            ck_assert_str_ne(one, json_text(json_get(json_at(rules, j), "id"), ""));
        }
    }
    json_free(json);
}
END_TEST

static const struct {
    const char *rule;
    const char *want;
} bad_rules[] = {
    {"{}", "rule 1 ''"},
    {"{\"id\":\"a\",\"need\":[\"x\"],\"pattern\":\"(\"}", "pattern, byte"},
    {"{\"id\":\"a\",\"pattern\":\"x\"}", "a pattern needs a literal"},
    {"{\"id\":\"a\",\"reason\":\"auth\"}", "neither a pattern nor an exit code"},
    {"{\"id\":\"a\",\"exit\":[1],\"class\":\"odd\"}", "class is"},
    {"{\"id\":\"a\",\"exit\":[1],\"class\":\"transient\"}", "seven types"},
    {"{\"id\":\"a\",\"exit\":[1],\"type\":\"NETWORK_TIMEOUT\"}", "no type"},
    {"{\"id\":\"a\",\"exit\":[1],\"reason\":\"odd\"}", "'odd' is no reason"},
    {"{\"id\":\"a\",\"exit\":[256]}", "0..255"},
    {"{\"id\":\"a\",\"exit\":[1],\"stream\":\"odd\"}", "stream is"},
    {"{\"id\":\"a\",\"exit\":[1],\"odd\":1}", "'odd' is no member"},
    {"{\"id\":\"a\",\"need\":[\"\"],\"pattern\":\"x\"}", "list of words"},
    {"{\"id\":\"a-name-that-is-much-longer-than-the-log-has-room-for\",\"exit\":[1]}",
     "id is longer"},
    {"7", "rule 1 ''"},
    {"{\"id\":\"a\",\"signal\":0}", "signal: a number 1..64"},
    {"{\"id\":\"a\",\"exit\":[1],\"kind\":\"odd\"}", "kind is"},
    {"{\"id\":\"a\",\"exit\":[1],\"form\":\"odd\"}", "no form of a time"},
    {"{\"id\":\"a\",\"exit\":[1],\"retry_after\":10}", "number of a group"},
};

START_TEST(test_bad_rule_is_named)
{
    char json[400];
    (void)snprintf(json, sizeof(json), "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[%s]}",
                   bad_rules[_i].rule);
    struct rules *rules = NULL;
    struct err err = {0};

    ck_assert(!rules_open(&rules, json, strlen(json), &err));

    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strstr(err.message, bad_rules[_i].want) != NULL, "%s", err.message);
    ck_assert_ptr_null(rules);
}
END_TEST

START_TEST(test_rules_that_are_no_json)
{
    struct rules *rules = NULL;
    struct err err = {0};

    ck_assert(!rules_open(&rules, "{", 1, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert(!rules_open(&rules, "{}", 2, NULL));
    rules_close(NULL);
    classifier_close(NULL);
}
END_TEST

/* Judge with the built-in rules and these. */
static struct verdict judge_with(const char *user, const struct classify_input *input)
{
    struct classifier *classifier = NULL;
    struct err err = {0};
    struct verdict verdict;
    ck_assert_msg(classifier_open(&classifier, user, &err), "%s", err.message);
    classify(classifier, input, &verdict);

    /* What the log keeps judges the same. */
    struct classifier *again = NULL;
    struct verdict second;
    ck_assert_msg(classifier_open(&again, classifier_rules(classifier), &err), "%s", err.message);
    classify(again, input, &second);
    ck_assert_str_eq(second.rule, verdict.rule);
    ck_assert_int_eq(second.class, verdict.class);
    ck_assert_int_eq(second.retry_after_ms, verdict.retry_after_ms);
    ck_assert_str_eq(classifier_hash(again), classifier_hash(classifier));
    classifier_close(again);
    classifier_close(classifier);
    return verdict;
}

static struct classify_input failure(int code, const char *err)
{
    return (struct classify_input){
        .outcome = {.kind = OUTCOME_EXIT, .code = code}, .err = text_of(err), .memory_killed = -1};
}

static const char hsm_rule[] =
    "[{\"name\":\"hsm\",\"type\":\"RESOURCE_BUSY\",\"verdict\":\"transient\",\"subtype\":\"HSM\","
    "\"pattern\":\"HSM busy(?:, again in (\\\\d+ ?\\\\w+))?\",\"unless\":\"simulated\","
    "\"retry_after\":1,\"only_if\":{\"exit\":[1,9]}}]";

START_TEST(test_own_rule)
{
    struct classify_input input = failure(9, "HSM busy, again in 45 seconds\n");
    struct verdict verdict = judge_with(hsm_rule, &input);
    ck_assert_str_eq(verdict.rule, "hsm");
    ck_assert_int_eq(verdict.type, TRANSIENT_RESOURCE_BUSY);
    ck_assert_str_eq(verdict.subtype, "HSM");
    ck_assert_int_eq(verdict.retry_after_ms, 45000);
    ck_assert_str_eq(verdict.hint_rule, "hsm");

    input = failure(1, "HSM busy\n");
    ck_assert_int_eq(judge_with(hsm_rule, &input).retry_after_ms, -1);
    input = failure(2, "HSM busy\n");
    ck_assert_int_eq(judge_with(hsm_rule, &input).class, VERDICT_PERSISTENT);
    input = failure(1, "simulated: HSM busy\n");
    ck_assert_int_eq(judge_with(hsm_rule, &input).class, VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_own_rule_stands_first)
{
    const struct classify_input input = failure(1, "HTTP 429: tenant closed\n");
    const struct verdict verdict =
        judge_with("[{\"name\":\"closed\",\"verdict\":\"persistent\",\"reason\":\"setup\","
                   "\"ask\":true,\"pattern\":\"tenant closed\"}]",
                   &input);

    ck_assert_int_eq(verdict.reason, REASON_SETUP);
    ck_assert(verdict.ask);
    ck_assert_int_eq(verdict.near_count > 0, 1);
    ck_assert_str_eq(verdict.near[0].rule, "b1.http-429");
    ck_assert_int_eq(verdict.near[0].why, NEAR_OUTRANKED);
}
END_TEST

START_TEST(test_own_rule_takes_the_place_of_one)
{
    const struct classify_input input = failure(1, "HTTP 429\n");
    const struct verdict verdict = judge_with(
        "[{\"name\":\"b1.http-429\",\"verdict\":\"persistent\",\"pattern\":\"HTTP 429\"}]", &input);

    ck_assert_str_eq(verdict.rule, "b1.http-429");
    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_a_rule_is_switched_off)
{
    const struct classify_input input = failure(1, "read ECONNRESET\n");

    const struct verdict verdict = judge_with("[{\"id\":\"b1.network\",\"off\":true}]", &input);

    ck_assert_str_ne(verdict.rule, "b1.network");
}
END_TEST

START_TEST(test_own_rule_for_a_signal)
{
    struct classify_input input = failure(9, "");
    input.outcome.kind = OUTCOME_SIGNAL;
    const char *rule = "[{\"name\":\"killed\",\"verdict\":\"transient\",\"type\":\"CONTAINER_OOM\","
                       "\"only_if\":{\"signal\":9}}]";

    ck_assert_str_eq(judge_with(rule, &input).rule, "killed");
    input.outcome.code = 15;
    ck_assert_str_eq(judge_with(rule, &input).rule, "known.signal");
    input = failure(9, "");
    ck_assert_int_eq(judge_with(rule, &input).class, VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_own_rule_for_a_kind_of_step)
{
    struct classify_input input = failure(1, "gateway closed\n");
    const char *rule = "[{\"name\":\"gw\",\"verdict\":\"transient\",\"type\":\"NETWORK_TIMEOUT\","
                       "\"pattern\":\"gateway closed\",\"only_if\":{\"kind\":\"agent\"}}]";

    ck_assert_int_eq(judge_with(rule, &input).class, VERDICT_PERSISTENT);
    input.agent = adapters_find(NULL, "claude");
    ck_assert_str_eq(judge_with(rule, &input).rule, "gw");
    input.program = "claude";
    ck_assert_str_eq(judge_with("[{\"name\":\"p\",\"verdict\":\"transient\",\"type\":"
                                "\"NETWORK_TIMEOUT\",\"only_if\":{\"program\":\"claude\"},"
                                "\"pattern\":\"closed\"}]",
                                &input)
                         .rule,
                     "p");
}
END_TEST

START_TEST(test_own_pattern_is_limited)
{
    struct str err = {0};
    for (int i = 0; i < 4000; i++)
        str_add(&err, "aaaaaaaaaaaaaaaa");
    const struct classify_input input = failure(1, str_text(&err));

    const struct verdict verdict =
        judge_with("[{\"name\":\"slow\",\"verdict\":\"transient\",\"type\":\"RESOURCE_BUSY\","
                   "\"pattern\":\"(a+)+[bc]\"}]",
                   &input);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.near_count, 1);
    ck_assert_str_eq(verdict.near[0].rule, "slow");
    ck_assert_int_eq(verdict.near[0].why, NEAR_PATTERN);
    str_done(&err);
}
END_TEST

static const struct {
    const char *rules;
    const char *want;
} bad_user_rules[] = {
    {"{", "ends too early"},
    {"7", "a list is expected"},
    {"[7]", "rule 1 '': an object is expected"},
    {"[{\"verdict\":\"transient\"}]", "rule 1 '': name is missing"},
    {"[{\"name\":\"a\",\"pattern\":\"x\"}]", "rule 1 'a': verdict is missing"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"\"}]",
     "rule 1 'a': pattern is empty"},
    {"[{\"name\":\"a\",\"verdict\":\"transient\",\"type\":\"RESOURCE_BUSY\","
     "\"pattern\":\"in (x)\",\"retry_after\":2}]",
     "rule 1 'a': retry_after is group 2, and the pattern has 1"},
    {"[{\"name\":\"a\",\"verdict\":\"odd\",\"pattern\":\"x\"}]", "'transient' or 'persistent'"},
    {"[{\"name\":\"a\",\"verdict\":\"transient\",\"pattern\":\"x\"}]", "seven types"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":7}]", "pattern is a string"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"(\"}]",
     "rule 1 'a': pattern, byte"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"odd\":1}]", "'odd' is no member"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"only_if\":{\"odd\":1}}]", "not 'odd'"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"only_if\":{\"exit\":\"x\"}}]", "exit: "},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"only_if\":{\"kind\":\"x\"},\"pattern\":\"x\"}]",
     "kind is 'run' or 'agent'"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\"}]", "neither a pattern"},
    {"[{\"name\":\"nothing\",\"off\":true}]", "no built-in rule"},
    {"[{\"name\":\"guard.diff\",\"verdict\":\"persistent\",\"pattern\":\"x\"}]", "name is taken"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"x\"},"
     "{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"y\"}]",
     "rule 2 'a': a rule of that name"},
};

START_TEST(test_bad_user_rule_is_named)
{
    struct classifier *classifier = NULL;
    struct err err = {0};

    ck_assert(!classifier_open(&classifier, bad_user_rules[_i].rules, &err));

    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strstr(err.message, bad_user_rules[_i].want) != NULL, "%s: %s",
                  bad_user_rules[_i].rules, err.message);
    ck_assert_ptr_null(classifier);
}
END_TEST

START_TEST(test_own_pattern_has_a_length_limit)
{
    struct str rules = {0};
    str_add(&rules, "[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"");
    for (int i = 0; i <= USER_PATTERN_MAX; i++)
        str_add_char(&rules, 'x');
    str_add(&rules, "\"}]");
    struct classifier *classifier = NULL;
    struct err err = {0};

    ck_assert(!classifier_open(&classifier, str_text(&rules), &err));

    ck_assert_msg(strstr(err.message, "longer than 1024") != NULL, "%s", err.message);
    str_done(&rules);
}
END_TEST

START_TEST(test_no_rules_of_ones_own_change_nothing)
{
    struct classifier *classifier = NULL;
    ck_assert(classifier_open(&classifier, "[]", NULL));
    ck_assert_str_eq(classifier_hash(classifier), classifier_hash(judge_classifier()));
    classifier_close(classifier);

    ck_assert(classifier_open(&classifier, hsm_rule, NULL));
    ck_assert_str_ne(classifier_hash(classifier), classifier_hash(judge_classifier()));
    classifier_close(classifier);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("classify_rules");
    TCase *rules = judge_case(suite, "rules");
    tcase_add_test(rules, test_rules_have_a_hash);
    tcase_add_test(rules, test_rules_hash_is_that_of_the_text);
    tcase_add_test(rules, test_rule_names_are_unique);
    tcase_add_loop_test(rules, test_bad_rule_is_named, 0, TABLE_LEN(bad_rules));
    tcase_add_test(rules, test_rules_that_are_no_json);
    TCase *own = judge_case(suite, "own");
    tcase_add_test(own, test_own_rule);
    tcase_add_test(own, test_own_rule_stands_first);
    tcase_add_test(own, test_own_rule_takes_the_place_of_one);
    tcase_add_test(own, test_a_rule_is_switched_off);
    tcase_add_test(own, test_own_rule_for_a_signal);
    tcase_add_test(own, test_own_rule_for_a_kind_of_step);
    tcase_add_test(own, test_own_pattern_is_limited);
    tcase_add_loop_test(own, test_bad_user_rule_is_named, 0, TABLE_LEN(bad_user_rules));
    tcase_add_test(own, test_own_pattern_has_a_length_limit);
    tcase_add_test(own, test_no_rules_of_ones_own_change_nothing);
    return suite;
}
