#include "classify_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_rows.h"
#include "judge.h"
#include "judge_row.h"
#include "rule_pattern.h"
#include "str.h"
#include "test_main.h"

/*
 * The built-in rules, and what a set of rules may hold.
 */

START_TEST(test_built_in_rules_have_unique_names_and_the_hash_of_their_text)
{
    struct json *json = NULL;
    char hash[RULES_HASH_MAX];
    const char *text = classifier_rules(judge_classifier());
    rules_hash(text, strlen(text), hash);
    ck_assert_str_eq(classifier_hash(judge_classifier()), hash);

    ck_assert(json_parse(text, strlen(text), &json, NULL, NULL));
    const struct json *rules = json_get(json, "rules");
    ck_assert_uint_gt(json_count(rules), 100);
    for (size_t i = 0; i < json_count(rules); i++) {
        for (size_t j = i + 1; j < json_count(rules); j++)
            ck_assert_str_ne(data_text(json_at(rules, i), "id"),
                             data_text(json_at(rules, j), "id"));
    }
    json_free(json);
}
END_TEST

/* Logs keep this hash: it is SHA-256 in every version. */
START_TEST(test_hash_of_rules_is_sha256)
{
    const char *empty = "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[]}";
    char hash[RULES_HASH_MAX];
    rules_hash(empty, strlen(empty), hash);
    ck_assert_str_eq(hash, "9f722706e074a8263d901c8eb06757296052030d00204ab9de0c0b955215fceb");
}
END_TEST

static bool open_rules(const char *text, struct err *err)
{
    struct rules *rules = NULL;
    const bool ok = rules_open(&rules, text, strlen(text), err);
    ck_assert(ok == (rules != NULL));
    rules_close(rules);
    return ok;
}

static bool open_user_rules(const char *text, struct err *err)
{
    struct classifier *classifier = NULL;
    const bool ok = classifier_open(&classifier, text, err);
    ck_assert(ok == (classifier != NULL));
    classifier_close(classifier);
    return ok;
}

/* A row has a "set" of rules, the one "rule" of a set, or the list of a "user", and a part of the
 * "error"; null if the rules are accepted. */
static void check_row(const struct json *row, void *ctx)
{
    (void)ctx;
    const char *want = data_text(row, "error");
    const struct json *user = json_get(row, "user");
    struct err err = {0};
    struct str text = {0};
    if (json_get(row, "rule")) {
        str_add(&text, "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[");
        json_write(&text, json_get(row, "rule"));
        str_add(&text, "]}");
    } else {
        json_write(&text, user ? user : json_get(row, "set"));
    }
    const bool ok =
        user ? open_user_rules(str_text(&text), &err) : open_rules(str_text(&text), &err);
    ck_assert_msg(ok == (want[0] == '\0'), "%s: %s", str_text(&text), err.message);
    if (!ok) {
        ck_assert_int_eq(err.code, ERR_INVALID);
        ck_assert_msg(strstr(err.message, want), "%s: %s", str_text(&text), err.message);
    }
    str_done(&text);
}

START_TEST(test_rules_are_checked)
{
    ck_assert_int_eq(data_rows("tests/data/rules-checked.jsonl", check_row, NULL), 74);
}
END_TEST

START_TEST(test_text_that_is_not_json_is_refused)
{
    struct err err = {0};
    ck_assert(!open_rules("{", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    err = (struct err){0};
    ck_assert(!open_user_rules("{", &err));
    ck_assert_ptr_nonnull(strstr(err.message, "unexpected end"));
    rules_close(NULL);
    classifier_close(NULL);
}
END_TEST

static const struct {
    const char *before, *item, *after;
    int most;
    enum err_code code;
    const char *why;
} limits[] = {
    {"{\"guards\":[", "{\"id\":\"g\",\"need\":[\"x\"],\"pattern\":\"x\"}",
     "],\"errors\":[],\"hints\":[],\"rules\":[]}", RULE_GUARDS_MAX, ERR_LIMIT,
     "more than 64 guards"},
    {"{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[", "{\"id\":\"r\",\"exit\":1}", "]}",
     RULES_MAX, ERR_INVALID, "at most 512 rules"},
    {"{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[{\"id\":\"r\",\"exit\":1,\"need\":[",
     "\"x\"", "]}]}", RULE_NEEDS_MAX, ERR_INVALID, "expected array of at most 64 strings"},
};

START_TEST(test_lists_have_limits)
{
    for (int more = 0; more <= 1; more++) {
        struct err err = {0};
        struct str text = {0};
        str_add(&text, limits[_i].before);
        for (int i = 0; i < limits[_i].most + more; i++)
            str_addf(&text, "%s%s", i > 0 ? "," : "", limits[_i].item);
        str_add(&text, limits[_i].after);
        ck_assert(open_rules(str_text(&text), &err) == (more == 0));
        ck_assert_int_eq(err.code, more == 0 ? ERR_NONE : limits[_i].code);
        ck_assert(more == 0 || strstr(err.message, limits[_i].why));
        str_done(&text);
    }
}
END_TEST

START_TEST(test_user_pattern_has_a_length_limit)
{
    struct str rules = {0};
    struct err err = {0};
    str_add(&rules, "[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"");
    for (int i = 0; i <= USER_PATTERN_MAX; i++)
        str_add_char(&rules, 'x');
    str_add(&rules, "\"}]");
    ck_assert(!open_user_rules(str_text(&rules), &err));
    ck_assert_msg(strstr(err.message, "longer than 1024") != NULL, "%s", err.message);
    str_done(&rules);
}
END_TEST

START_TEST(test_a_cause_far_from_the_symptom_does_not_outrank_it)
{
    struct str err = {0};
    str_add(&err, "git@h: Permission denied (publickey).\n");
    for (int i = 0; i < 50; i++)
        str_add(&err, "more output\n");
    str_add(&err, "scp: Connection closed\n");
    ck_assert_str_eq(judge(1, str_text(&err), "").rule, "net.reset");
    str_done(&err);
}
END_TEST

/*
 * Rules of a user.
 */

/* A group has "rules", and rows with what judge_row() expects with these and the built-in ones. */
static void check_group(const struct json *group, void *ctx)
{
    (void)ctx;
    const struct json *rows = json_get(group, "rows");
    struct classifier *classifier = NULL;
    struct classifier *again = NULL;
    struct str rules = {0};
    json_write(&rules, json_get(group, "rules"));
    ck_assert_msg(classifier_open(&classifier, str_text(&rules), NULL), "%s", str_text(&rules));
    /* The rules that the log keeps give the same verdicts. */
    ck_assert(classifier_open(&again, classifier_rules(classifier), NULL));
    ck_assert_str_eq(classifier_hash(again), classifier_hash(classifier));
    ck_assert_int_eq(strcmp(classifier_hash(classifier), classifier_hash(judge_classifier())) == 0,
                     json_count(json_get(group, "rules")) == 0);
    for (size_t i = 0; i < json_count(rows); i++) {
        judge_row(classifier, json_at(rows, i));
        judge_row(again, json_at(rows, i));
    }
    classifier_close(again);
    classifier_close(classifier);
    str_done(&rules);
}

START_TEST(test_own_rules)
{
    ck_assert_int_eq(data_rows("tests/data/own-rules.jsonl", check_group, NULL), 10);
}
END_TEST

static struct verdict judge_with(const char *rules, const char *err)
{
    const struct classify_input input = {
        .outcome = {.code = 1}, .err = text_of(err), .memory_killed = -1};
    struct classifier *classifier = NULL;
    struct verdict verdict;
    ck_assert(classifier_open(&classifier, rules, NULL));
    classify(classifier, &input, &verdict);
    classifier_close(classifier);
    return verdict;
}

START_TEST(test_own_rule_comes_first)
{
    const struct verdict verdict =
        judge_with("[{\"name\":\"closed\",\"verdict\":\"persistent\",\"reason\":\"setup\","
                   "\"ask\":true,\"pattern\":\"tenant closed\"}]",
                   "HTTP 429: tenant closed\n");

    ck_assert_int_eq(verdict.reason, REASON_SETUP);
    ck_assert(verdict.ask);
    ck_assert_int_ge(verdict.near_count, 1);
    ck_assert_str_eq(verdict.near[0].rule, "b1.http-429");
    ck_assert_int_eq(verdict.near[0].why, NEAR_OUTRANKED);
}
END_TEST

START_TEST(test_own_rule_names_the_source_of_its_hint)
{
    const struct verdict verdict =
        judge_with("[{\"name\":\"hsm\",\"verdict\":\"transient\",\"type\":\"RESOURCE_BUSY\","
                   "\"pattern\":\"HSM busy, again in (\\\\d+ s)\",\"retry_after\":1}]",
                   "HSM busy, again in 45 s\n");

    ck_assert_int_eq(verdict.retry_after_ms, 45000);
    ck_assert_str_eq(verdict.hint_rule, "hsm");
}
END_TEST

START_TEST(test_own_pattern_is_limited)
{
    struct str err = {0};
    for (int i = 0; i < 4000; i++)
        str_add(&err, "aaaaaaaaaaaaaaaa");
    const struct verdict verdict =
        judge_with("[{\"name\":\"slow\",\"verdict\":\"transient\",\"type\":\"RESOURCE_BUSY\","
                   "\"pattern\":\"(a+)+[bc]\"}]",
                   str_text(&err));

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.near_count, 1);
    ck_assert_str_eq(verdict.near[0].rule, "slow");
    ck_assert_int_eq(verdict.near[0].why, NEAR_PATTERN);
    str_done(&err);
}
END_TEST

/*
 * Launchers: commands that start other commands.
 */

static const struct {
    const char *argv[10];
    const char *wanted;
    bool found;
} launched[] = {
    {{"srun", "-n1", "true"}, "srun", true},
    {{"/opt/slurm/bin/srun"}, "srun", true},
    {{"srunner"}, "srun", false},
    {{"echo", "srun"}, "srun", false},
    {{"env"}, "srun", false},
    {{"env", "-u", "HOME", "A=1", "srun", "x"}, "srun", true},
    {{"timeout", "-k", "5", "10", "srun"}, "srun", true},
    {{"timeout", "--signal=KILL", "10", "srun"}, "srun", true},
    {{"timeout", "srun", "true"}, "srun", false},
    {{"nice", "-n", "5", "nohup", "sudo", "-u", "ann", "srun"}, "srun", true},
    {{"sh", "-c", "srun x"}, "srun", true},
    {{"bash", "-lc", "cd x && A=1 srun -n1 y"}, "srun", true},
    {{"sh", "-e", "-c", "if true; then srun x; fi"}, "srun", true},
    {{"sh", "-c", "x=$(srun hostname)"}, "srun", true},
    {{"sh", "-c", "env sh -c 'exec srun x'"}, "srun", true},
    {{"sh", "-c", "'sr'\"un\" x"}, "srun", true},
    {{"sh", "-c", "pytest 'srun x; srun' \"a; srun\""}, "srun", false},
    {{"sh", "-c", "true # srun\nfalse"}, "srun", false},
    {{"sh", "-c", "echo a\\; srun"}, "srun", false},
    {{"sh", "-c"}, "srun", false},
    {{"sh", "srun"}, "srun", false},
    {{"sh", "-c", "sh -c 'sh -c \"sh -c \\\"sh -c srun\\\"\"'"}, "srun", false},
    {{"sbatch", "--wait", "x"}, "sbatch --wait", true},
    {{"sh", "-c", "sbatch -n1 --wait x | tee y"}, "sbatch --wait", true},
    {{"sbatch", "x"}, "sbatch --wait", false},
    {{"sh", "-c", "sbatch x; other --wait"}, "sbatch --wait", false},
};

START_TEST(test_a_launcher_is_found_in_a_command)
{
    char *argv[10] = {0};
    for (int i = 0; launched[_i].argv[i]; i++)
        argv[i] = strdup(launched[_i].argv[i]);
    ck_assert_msg(launched_find(argv, launched[_i].wanted, false) == launched[_i].found, "case %d",
                  _i);
    for (int i = 0; argv[i]; i++)
        free(argv[i]);
    ck_assert(!launched_find(NULL, "srun", false));
}
END_TEST

static const struct {
    const char *program;
    int code;
    bool may_deny;
} launchers[] = {
    {"srun", 0, true},    {"ssh", 0, true},     {"srun", 9, false},
    {"pytest", 0, false}, {"sbatch", 0, false},
};

START_TEST(test_a_rule_may_deny_the_success_of_a_launcher)
{
    char program[16];
    char *argv[] = {program, NULL};
    (void)snprintf(program, sizeof(program), "%s", launchers[_i].program);
    const struct classify_input input = {.outcome = {.code = launchers[_i].code}, .argv = argv};
    ck_assert(classify_may_deny(judge_classifier(), &input) == launchers[_i].may_deny);
}
END_TEST

/*
 * rule_list_add(): a rule is added to a list of rules or replaces one.
 */

static const struct {
    const char *name;
    const char *rules;
    const char *rule;
    const char *want;
} added[] = {
    {"first rule", NULL, "{\"name\":\"a\",\"x\":1}", "[{\"name\":\"a\",\"x\":1}]"},
    {"appended", "[{\"name\":\"a\"}]", " {\"id\": \"b\"} ", "[{\"name\":\"a\"},{\"id\":\"b\"}]"},
    {"replaced", "[{\"name\":\"a\"},{\"name\":\"b\"}]", "{\"name\":\"a\",\"x\":2}",
     "[{\"name\":\"a\",\"x\":2},{\"name\":\"b\"}]"},
    {"id is name", "[{\"id\":\"a\"}]", "{\"name\":\"a\"}", "[{\"name\":\"a\"}]"},
    {"a list", "[{\"name\":\"a\"}]", "[{\"name\":\"b\"},{\"name\":\"a\",\"x\":1}]",
     "[{\"name\":\"a\",\"x\":1},{\"name\":\"b\"}]"},
};

START_TEST(test_a_rule_is_added_or_replaces_one)
{
    struct str out = {0};
    struct err err = {0};
    ck_assert_msg(rule_list_add(added[_i].rules, added[_i].rule, &out, &err), "%s: %s",
                  added[_i].name, err.message);
    ck_assert_str_eq(str_text(&out), added[_i].want);
    str_done(&out);
}
END_TEST

static const struct {
    const char *name;
    const char *rules;
    const char *rule;
    const char *want;
} refused[] = {
    {"no JSON", NULL, "{\"name\":\n x}", "the rule: line 2, column 2: invalid token 'x'"},
    {"not a rule", NULL, "3", "a rule must be an object, got integer"},
    {"list of numbers", NULL, "[3]", "a rule must be an object, got integer"},
    {"empty list", NULL, "[]", "a rule must be an object, got an empty list"},
    {"no name", NULL, "{}", "a rule needs a name"},
    {"empty name", NULL, "{\"name\":\"\"}", "a rule needs a name"},
    {"duplicate", NULL, "[{\"name\":\"a\"},{\"id\":\"a\"}]", "rule a is listed twice"},
    {"rules not a list", "{}", "{\"name\":\"a\"}", "the rules: expected a list, got object"},
};

START_TEST(test_an_invalid_rule_is_refused)
{
    struct str out = {0};
    struct err err = {0};
    ck_assert(!rule_list_add(refused[_i].rules, refused[_i].rule, &out, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.message, refused[_i].want);
    ck_assert_uint_eq(out.len, 0);
}
END_TEST

/*
 * Patterns.
 */

static enum rule_match match(const char *source, const struct rule_subject *subject,
                             struct rule_span spans[RULE_SPANS])
{
    struct rule_matcher *matcher = rule_matcher_new();
    struct rule_pattern *pattern = NULL;
    struct err err = {0};
    ck_assert_msg(rule_pattern_open(&pattern, source, &err), "%s", err.message);
    enum rule_match result = rule_pattern_match(pattern, matcher, subject, spans);
    rule_pattern_close(pattern);
    rule_matcher_free(matcher);
    return result;
}

static const struct {
    const char *pattern;
    const char *text;
    bool begins, ends;
    enum rule_match want;
} matches[] = {
    {"^error: ", "error: x", true, true, RULE_MATCH_YES},
    {"^error: ", "error: x", false, true, RULE_MATCH_NO}, /* in the middle of a line */
    {" 429$", "HTTP 429", true, true, RULE_MATCH_YES},
    {" 429$", "HTTP 429", true, false, RULE_MATCH_NO},
    {"(a+)+$", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", true, true, RULE_MATCH_LIMITED},
    {"x{1,40}x{1,40}x{1,40}x{1,40}y|z",
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", true, true,
     RULE_MATCH_LIMITED}, /* each loop takes its steps */
    {"a.c",
     "a\xff"
     "c",
     true, true, RULE_MATCH_YES}, /* bytes, not characters */
    {"", "", true, true, RULE_MATCH_YES},
};

START_TEST(test_pattern_matches)
{
    struct rule_subject subject = {.bytes = matches[_i].text,
                                   .len = strlen(matches[_i].text),
                                   .begins = matches[_i].begins,
                                   .ends = matches[_i].ends};
    ck_assert_msg(match(matches[_i].pattern, &subject, NULL) == matches[_i].want, "%s",
                  matches[_i].pattern);
}
END_TEST

START_TEST(test_spans_of_groups)
{
    struct rule_span spans[RULE_SPANS];
    struct rule_subject subject = {.bytes = "in 30 s", .len = 7, .begins = true, .ends = true};
    ck_assert_int_eq(match("(never)?in ([0-9]+)", &subject, spans), RULE_MATCH_YES);
    ck_assert_uint_eq(spans[0].start, 0);
    ck_assert_uint_eq(spans[0].end, 5);
    ck_assert_uint_eq(spans[1].end, 0); /* took no part */
    ck_assert_uint_eq(spans[2].start, 3);
    ck_assert_uint_eq(spans[2].end, 5);
    ck_assert_uint_eq(spans[3].end, 0); /* the pattern has no third group */
}
END_TEST

START_TEST(test_only_nine_groups_are_kept)
{
    struct rule_span spans[RULE_SPANS];
    struct rule_subject subject = {.bytes = "abcdefghijkl", .len = 12};
    ck_assert_int_eq(match("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)", &subject, spans),
                     RULE_MATCH_YES);
    ck_assert_uint_eq(spans[0].end, 12);
    ck_assert_uint_eq(spans[9].start, 8);
    ck_assert_uint_eq(spans[9].end, 9);
}
END_TEST

START_TEST(test_bad_pattern_names_its_byte)
{
    struct rule_pattern *pattern = NULL;
    struct err err = {0};
    ck_assert(!rule_pattern_open(&pattern, "a(b", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "byte 3"));
    ck_assert_ptr_null(pattern);
}
END_TEST

START_TEST(test_pattern_has_a_length_limit)
{
    struct rule_pattern *pattern = NULL;
    struct err err = {0};
    char *source = calloc(1, RULE_PATTERN_MAX + 2);
    ck_assert_ptr_nonnull(source);
    memset(source, 'a', RULE_PATTERN_MAX + 1);
    ck_assert(!rule_pattern_open(&pattern, source, &err));
    ck_assert_ptr_nonnull(strstr(err.message, "4096"));
    source[RULE_PATTERN_MAX] = '\0';
    err = (struct err){0};
    ck_assert_msg(rule_pattern_open(&pattern, source, &err), "%s", err.message);
    rule_pattern_close(pattern);
    free(source);
}
END_TEST

START_TEST(test_null_is_freed)
{
    rule_pattern_close(NULL);
    rule_matcher_free(NULL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("rules");
    TCase *sets = judge_case(suite, "sets");
    tcase_add_test(sets, test_built_in_rules_have_unique_names_and_the_hash_of_their_text);
    tcase_add_test(sets, test_hash_of_rules_is_sha256);
    tcase_add_test(sets, test_rules_are_checked);
    tcase_add_test(sets, test_text_that_is_not_json_is_refused);
    tcase_add_loop_test(sets, test_lists_have_limits, 0, TABLE_LEN(limits));
    tcase_add_test(sets, test_user_pattern_has_a_length_limit);
    tcase_add_test(sets, test_a_cause_far_from_the_symptom_does_not_outrank_it);
    TCase *own = judge_case(suite, "own");
    tcase_add_test(own, test_own_rules);
    tcase_add_test(own, test_own_rule_comes_first);
    tcase_add_test(own, test_own_rule_names_the_source_of_its_hint);
    tcase_add_test(own, test_own_pattern_is_limited);
    TCase *commands = judge_case(suite, "launchers");
    tcase_add_loop_test(commands, test_a_launcher_is_found_in_a_command, 0, TABLE_LEN(launched));
    tcase_add_loop_test(commands, test_a_rule_may_deny_the_success_of_a_launcher, 0,
                        TABLE_LEN(launchers));
    TCase *lists = test_case(suite, "lists");
    tcase_add_loop_test(lists, test_a_rule_is_added_or_replaces_one, 0, TABLE_LEN(added));
    tcase_add_loop_test(lists, test_an_invalid_rule_is_refused, 0, TABLE_LEN(refused));
    TCase *patterns = test_case(suite, "patterns");
    tcase_add_loop_test(patterns, test_pattern_matches, 0, TABLE_LEN(matches));
    tcase_add_test(patterns, test_spans_of_groups);
    tcase_add_test(patterns, test_only_nine_groups_are_kept);
    tcase_add_test(patterns, test_bad_pattern_names_its_byte);
    tcase_add_test(patterns, test_pattern_has_a_length_limit);
    tcase_add_test(patterns, test_null_is_freed);
    return suite;
}
