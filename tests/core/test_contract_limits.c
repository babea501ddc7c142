/* What contracts, patterns and checks cost is limited. */
#include "contract.h"

#include <stdlib.h>
#include <string.h>

#include "contract_internal.h"
#include "test_main.h"

static const char too_many_steps[] = "not fully checked: this contract takes too many steps";

static struct contract *contract;
static struct violations wrong;
static struct str schema, instance;
static struct contract_pattern *pattern;
static struct contract_matcher *matcher;

static void setup(void)
{
    contract = NULL;
    wrong = (struct violations){0};
    schema = instance = (struct str){0};
    pattern = NULL;
    matcher = contract_matcher_new(CONTRACT_MATCH_STEPS_ALL);
}

static void teardown(void)
{
    contract_free(contract);
    violations_done(&wrong);
    str_done(&schema);
    str_done(&instance);
    contract_pattern_close(pattern);
    contract_matcher_free(matcher);
}

static bool check(void)
{
    const bool ok = contract_load(str_text(&schema), schema.len, &contract, &wrong);
    ck_assert_msg(ok, "%s", wrong.count > 0 ? wrong.items[0].message : "");
    return contract_check_text(contract, str_text(&instance), instance.len, NULL, &wrong);
}

static const char *last_message(void)
{
    return wrong.count > 0 ? wrong.items[wrong.count - 1].message : "";
}

static void add_times(struct str *out, int times, const char *text)
{
    for (int i = 0; i < times; i++)
        str_add(out, text);
}

/* Adds a text that may have a %d. */
static void add_numbered(struct str *out, const char *text, int number)
{
    const char *at = strstr(text, "%d");
    str_add_n(out, text, at ? (size_t)(at - text) : strlen(text));
    if (at)
        str_addf(out, "%d%s", number, at + strlen("%d"));
}

/* Asserts that `schema` cannot be loaded. */
static void refuse(const char *message, size_t count)
{
    ck_assert(!contract_load(str_text(&schema), schema.len, &contract, &wrong));
    ck_assert_uint_eq(wrong.count, count);
    ck_assert_str_eq(wrong.items[0].message, message);
}

START_TEST(test_bytes_of_a_contract_have_a_limit)
{
    add_times(&schema, CONTRACT_BYTES_MAX + 1, " ");
    refuse("larger than 1024 KiB", 1);
}
END_TEST

static const struct {
    const char *more; /* schemas, each after the one before it */
    int count;
    size_t violations;
    const char *message;
} crowds[] = {
    {",true", CONTRACT_SCHEMAS_MAX, 1, "too many schemas"},
    {",{\"$anchor\":\"a%d\"}", 1100, 100, "too many schemas with an $anchor"},
    {",{\"$id\":\"a%d\"}", 1100, 100, "too many schemas with an $id"},
};

START_TEST(test_schemas_of_a_contract_have_limits)
{
    str_add(&schema, "{\"allOf\":[true");
    for (int i = 0; i < crowds[_i].count; i++)
        add_numbered(&schema, crowds[_i].more, i);
    str_add(&schema, "]}");
    refuse(crowds[_i].message, crowds[_i].violations);
}
END_TEST

START_TEST(test_nesting_of_a_contract_has_a_limit)
{
    add_times(&schema, CONTRACT_NESTING_MAX + 1, "{\"items\":");
    str_add(&schema, "true");
    add_times(&schema, CONTRACT_NESTING_MAX + 1, "}");
    refuse("schemas are nested too deeply", 1);
}
END_TEST

/* Each schema but the first refers to the one before it. */
static void add_chain(int length)
{
    str_clear(&schema);
    str_add(&schema, "{\"$defs\":{\"d0\":true");
    for (int i = 1; i < length; i++)
        str_addf(&schema, ",\"d%d\":{\"$ref\":\"#/$defs/d%d\"}", i, i - 1);
    str_add(&schema, "}}");
}

START_TEST(test_chains_of_references_have_a_limit)
{
    add_chain(400);
    ck_assert(contract_load(str_text(&schema), schema.len, &contract, &wrong));
    contract_free(contract);
    contract = NULL;
    add_chain(402);
    refuse("the chain of references is too long", 1);
}
END_TEST

/* Each level checks the one below it twice: 2^40 ways through them. */
static const struct {
    const char *root;
    const char *message; /* NULL: any */
} exponential[] = {
    {"\"$ref\":\"#/$defs/d40\"", too_many_steps},
    {"\"not\":{\"$ref\":\"#/$defs/d40\"}", NULL},
};

START_TEST(test_alternatives_within_alternatives_come_to_an_end)
{
    str_addf(&schema, "{%s,\"$defs\":{\"d0\":false", exponential[_i].root);
    for (int i = 1; i <= 40; i++)
        str_addf(&schema,
                 ",\"d%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]}", i,
                 i - 1, i - 1);
    str_add(&schema, "}}");
    str_add(&instance, "1");
    ck_assert(!check());
    ck_assert_uint_ge(wrong.count, 1);
    if (exponential[_i].message)
        ck_assert_str_eq(wrong.items[0].message, exponential[_i].message);
}
END_TEST

static void add_nested(int depth)
{
    add_times(&instance, depth, "[");
    add_times(&instance, depth, "]");
}

START_TEST(test_values_may_be_nested)
{
    str_add(&schema, "{\"items\":{\"$ref\":\"#\"}}");
    add_nested(CONTRACT_CHECK_DEPTH_MAX / 2);
    ck_assert(check());
}
END_TEST

START_TEST(test_values_may_not_be_nested_too_deeply)
{
    str_add(&schema, "{\"items\":{\"$ref\":\"#\"}}");
    add_nested(CONTRACT_CHECK_DEPTH_MAX / 2 + 1);
    ck_assert(!check());
    ck_assert_str_eq(last_message(), "not fully checked: nested too deeply");
}
END_TEST

START_TEST(test_deep_values_are_compared)
{
    str_add(&schema, "{\"uniqueItems\":true}");
    str_add(&instance, "[");
    add_nested(2000);
    str_add(&instance, ",");
    add_nested(2000);
    str_add(&instance, "]");
    ck_assert(!check());
    ck_assert_str_eq(last_message(),
                     "elements must be unique, but element 1 is equal to element 0");
}
END_TEST

START_TEST(test_many_elements_are_compared)
{
    str_add(&schema, "{\"uniqueItems\":true}");
    str_add(&instance, "[");
    for (int i = 0; i < 200000; i++)
        str_addf(&instance, "%d,", i);
    str_add(&instance, "7.0]");
    ck_assert(!check());
    ck_assert_str_eq(last_message(),
                     "elements must be unique, but element 200000 is equal to element 7");
}
END_TEST

START_TEST(test_many_equal_elements_are_quickly_found)
{
    str_add(&schema, "{\"uniqueItems\":true}");
    str_add(&instance, "[");
    add_times(&instance, 200000, "1,");
    str_add(&instance, "1]");
    ck_assert(!check());
    ck_assert_str_eq(wrong.items[0].message,
                     "elements must be unique, but element 1 is equal to element 0");
    ck_assert_uint_eq(wrong.count + wrong.dropped, 200000);
}
END_TEST

START_TEST(test_many_violations_are_counted)
{
    str_add(&schema, "{\"items\":{\"type\":\"string\",\"minLength\":1}}");
    str_add(&instance, "[");
    add_times(&instance, 300000, "1,");
    str_add(&instance, "\"\"]");
    ck_assert(!check());
    ck_assert_uint_eq(wrong.count, VIOLATIONS_MAX);
    ck_assert_uint_eq(wrong.dropped, 300001 - VIOLATIONS_MAX);
}
END_TEST

/* Work that takes more than a step: members of the contract, words that are compared, decimals, the
 * path of a violation, places where a match may begin. Each took more than a second. */
static const struct {
    const char *name;
    const char *schema; /* then `parts` of `part`, with a number and commas, then `end` */
    const char *part, *end;
    int parts;
    const char *value; /* the instance has `values` of this: a string if `is_text`, else arrays */
    int values;
    int depth; /* of further arrays around them */
    bool is_text;
} costly[] = {
    {.name = "dependentRequired",
     .schema = "{\"items\":{\"dependentRequired\":{",
     .part = "\"k%d\":[\"a\"]",
     .parts = 30000,
     .end = "}}}",
     .value = "{}",
     .values = 3000},
    {.name = "dependentSchemas",
     .schema = "{\"items\":{\"dependentSchemas\":{",
     .part = "\"k%d\":{}",
     .parts = 15000,
     .end = "}}}",
     .value = "{}",
     .values = 5000},
    {.name = "words",
     .schema = "{\"items\":{\"anyOf\":[{\"type\":\"null\"},{\"additionalProperties\":false,"
               "\"properties\":{",
     .part = "\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz%d\":true",
     .parts = 1000,
     .end = "}}]}}",
     .value = "{\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcd\":1}",
     .values = 300},
    {.name = "decimals",
     .schema = "{\"items\":{\"enum\":[",
     .part = "%d.123456789012345",
     .parts = 1000,
     .end = "]}}",
     .value = "0.1234567890123456",
     .values = 5000},
    {.name = "decimals of different elements",
     .schema = "{\"uniqueItems\":true,\"maxItems\":90000000}",
     .value = "0.1234567890123456",
     .values = 150000},
    {.name = "the path",
     .schema = "{\"items\":{\"$ref\":\"#\"},\"type\":[\"array\"],\"maxItems\":90000000}",
     .value = "1",
     .values = 200000,
     .depth = 700},
    {.name = "a lookahead",
     .schema = "{\"pattern\":\"(?=a*|0)a[^a]\"}",
     .value = "a",
     .values = 500000,
     .is_text = true},
    {.name = "a backreference",
     .schema = "{\"pattern\":\"^(.*)\\\\1b|0\"}",
     .value = "a",
     .values = 500000,
     .is_text = true},
    {.name = "a search",
     .schema = "{\"pattern\":\"(?:a|0|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)[bc]\"}",
     .value = "a",
     .values = 500000,
     .is_text = true},
};

START_TEST(test_work_that_takes_more_than_a_step_is_counted)
{
    enum { NUMBERS_FROM = 1000 }; /* they have one length */
    const bool is_text = costly[_i].is_text;
    const char *comma = is_text ? "" : ",";
    str_add(&schema, costly[_i].schema);
    for (int i = 0; i < costly[_i].parts; i++) {
        str_add(&schema, i > 0 ? "," : "");
        add_numbered(&schema, costly[_i].part, NUMBERS_FROM + i);
    }
    str_add(&schema, costly[_i].parts > 0 ? costly[_i].end : "");
    add_times(&instance, costly[_i].depth, "[");
    str_add_char(&instance, is_text ? '"' : '[');
    for (int i = 0; i < costly[_i].values; i++)
        str_addf(&instance, "%s%s", i > 0 ? comma : "", costly[_i].value);
    str_add_char(&instance, is_text ? '"' : ']');
    add_times(&instance, costly[_i].depth, "]");
    ck_assert(!check());
    ck_assert_msg(strcmp(wrong.items[0].message,
                         is_text ? "matching a pattern takes too many steps" : too_many_steps) == 0,
                  "%s: %s", costly[_i].name, wrong.items[0].message);
    ck_assert_str_eq(wrong.items[0].path, "");
}
END_TEST

/* A plan's own documents may be larger than what an agent returns. */
START_TEST(test_a_document_of_our_own_may_take_more_steps)
{
    struct json *value = NULL;
    str_add(&schema, "{\"items\":{\"allOf\":[true,true,true,true]}}");
    str_add(&instance, "[");
    add_times(&instance, 250000, "1,");
    str_add(&instance, "1]");
    ck_assert(!check());
    ck_assert_str_eq(wrong.items[0].message, too_many_steps);
    ck_assert(json_parse(str_text(&instance), instance.len, &value, NULL, NULL));
    ck_assert(contract_check(contract, value, &wrong));
    json_free(value);
}
END_TEST

/* A match that takes too many steps is a violation, even where its answer is negated. */
static const struct {
    const char *schema;
    const char *before, *after; /* around the text */
    const char *message;
} limited[] = {
    {"{\"pattern\":\"^(a+)+$\"}", "\"", "\"", "matching a pattern takes too many steps"},
    {"{\"not\":{\"pattern\":\"^(a+)+$\"}}", "\"", "\"",
     "not fully checked: a pattern takes too many steps"},
    {"{\"contains\":{\"pattern\":\"^(a+)+$\"},\"minContains\":0}", "[\"", "\"]",
     "not fully checked: a pattern takes too many steps"},
    {"{\"patternProperties\":{\"^(a+)+$\":true}}", "{\"", "\":1}",
     "matching a pattern takes too many steps"},
    {"{\"propertyNames\":{\"pattern\":\"^(a+)+$\"}}", "{\"", "\":1}",
     "the name is not allowed: matching a pattern takes too many steps"},
};

START_TEST(test_a_match_without_an_answer_does_not_pass)
{
    str_add(&schema, limited[_i].schema);
    str_add(&instance, limited[_i].before);
    add_times(&instance, 60, "a");
    str_add(&instance, "b");
    str_add(&instance, limited[_i].after);
    ck_assert(!check());
    ck_assert_str_eq(last_message(), limited[_i].message);
}
END_TEST

/* Patterns are those of ECMA-262 with the flag `u`. */
static const struct {
    const char *pattern;
    const char *matches;
    const char *misses;
} patterns[] = {
    {"^ab", "abc", "cab"},
    {"^", "x", NULL},
    {"b", "abc", "ac"},
    {"^a$", "a", "a\n"},
    {"^\\d+$", "12", "\331\241\331\242"}, /* Arabic digits */
    {"^\\w$", "_", "\303\251"},
    {"^\\s$", "\302\240", "x"},              /* U+00A0 */
    {"^[\\s]$", "\357\273\277", "x"},        /* U+FEFF */
    {"^\\S$", "\303\251", "\342\200\250"},   /* U+2028 */
    {"^[\\S]$", "\303\251", "\343\200\200"}, /* U+3000 */
    {"^[^\\S]$", " ", "a"},
    {"^.$", "\360\237\230\200", "\r"},
    {"^\\u{1F600}$", "\360\237\230\200", "x"},
    {"^\\ud83d\\ude00$", "\360\237\230\200", "x"},
    {"^\\u00e9\\xe9$", "\303\251\303\251", "e"},
    {"^\\v$", "\v", "\n"},
    {"^\\cJ$", "\n", "J"},
    {"^\\p{L}$", "\303\251", "1"},
    {"^\\p{Letter}$", "\303\251", "1"},
    {"^\\P{Letter}$", "1", "\303\251"},
    {"^\\p{General_Category=Uppercase_Letter}$", "A", "a"},
    {"^\\p{Script=Greek}$", "\316\261", "a"},
    {"^\\p{Lowercase}$", "a", "A"},
    {"^\\p{Assigned}$", "a", NULL},
    {"^\\P{digit}$", "a", "1"},
    {"^[\\w.-]+@[\\w-.]+$", "a-b.c@x-y.z", "a b@c"},
    {"^[a-\\d]+$", "a-1", "b"},
    {"^[[:alpha:]]$", ":]", "b"},
    {"^[]$", NULL, "x"},
    {"^[A-Za-z0-9][A-Za-z0-9._-]{0,3}$", "a._-", "a._-z"},
    {"^[A-Za-z0-9][A-Za-z0-9._-]{0,3}$", "Z", ".a"},
    {"^[a-c][xy]{2,3}$", "bxy", "bx"},
    {"^[a-c]{2}$", "ab", "abc"},
    {"^[ab][cd]*$", "a", "acb"},
    {"^[ab][cd]+$", "acdc", "a"},
    {"^[-a]+$", "-a", "b"},
    {"^[a-]$", "-", "ab"},
    {"^[a-c]$", "b", "b\n"},
    {"^[a-c]{0}$", "", "a"},
    {"^[!-~]+$", "]\\^", "\303\251"},
    {"^[^]$", "\n", "xx"},
    {"^a{2}$", "aa", "a"},
    {"^a{,2}$", "a{,2}", "aa"},
    {"^x{$", "x{", "x"},
    {"^(a|b)\\1$", "aa", "ab"},
    {"^(?<q>a|b)\\k<q>$", "bb", "ab"},
    {"^(?:(a)|b)\\1$", "b", "a"}, /* a group that took no part matches nothing */
    {"(?<=a)b(?!c)", "abd", "abc"},
    {"^\\/\\-\\.\\\"$", "/-.\"", "x"},
    {"^\\bfoo\\b$", "foo", "foox"},
    {"^[\\b]$", "\b", "b"},
    {"^a??b*?c+?$", "abc", "ab"},
    {"^\\0$", NULL, "0"},
};

START_TEST(test_pattern_matches_as_in_ECMA_262)
{
    struct err err = {0};
    const char *source = patterns[_i].pattern;
    const char *yes = patterns[_i].matches;
    const char *no = patterns[_i].misses;
    ck_assert_msg(contract_pattern_open(&pattern, source, strlen(source), &err), "%s: %s", source,
                  err.message);
    if (yes)
        ck_assert_msg(contract_pattern_match(pattern, matcher, yes, strlen(yes)) ==
                          CONTRACT_MATCH_YES,
                      "%s does not match %s", source, yes);
    if (no)
        ck_assert_msg(contract_pattern_match(pattern, matcher, no, strlen(no)) == CONTRACT_MATCH_NO,
                      "%s matches %s", source, no);
}
END_TEST

static const struct {
    const char *pattern;
    const char *why; /* part of the message */
} invalid[] = {
    {"(?i)a", "no such group"},
    {"(?>a)", "no such group"},
    {"(?P<n>a)", "no such group"},
    {"(?<1>a)", "no such group"},
    {"(*UTF)a", "no such group"},
    {"a++", "nothing to repeat"},
    {"a{2}+", "nothing to repeat"},
    {"a**", "nothing to repeat"},
    {"\\Aa", "no such escape"},
    {"a\\Z", "no such escape"},
    {"\\Qa\\E", "no such escape"},
    {"\\a", "no such escape"},
    {"\\01", "no such escape"},
    {"\\x1", "no such character"},
    {"\\u12", "four hexadecimal digits"},
    {"\\u{}", "hexadecimal digits and }"},
    {"\\u{110000}", "no such character"},
    {"\\ud800", "no such character"},
    {"\\p{Nonsense}", "unknown property"},
    {"\\p{Foo=Bar}", "no such property"},
    {"\\p{^Lu}", "no such property"},
    {"\\pL", "{PROPERTY}"},
    {"\\k<a", "<GROUP>"},
    {"\\k<a>", "non-existent"},
    {"\\3", "non-existent"},
    {"[\\1]", "a character class cannot"},
    {"[a", "missing terminating ]"},
    {"a)", "unmatched"},
    {"\\", "at the end"},
    {"((((((((((a{1000}){1000}){1000}){1000}){1000}){1000}){1000}))))", "too large"},
};

START_TEST(test_patterns_outside_ECMA_262_are_refused)
{
    struct err err = {0};
    const char *source = invalid[_i].pattern;
    ck_assert_msg(!contract_pattern_open(&pattern, source, strlen(source), &err), "%s", source);
    ck_assert_msg(strstr(err.message, invalid[_i].why), "%s: %s", source, err.message);
    ck_assert_ptr_null(pattern);
}
END_TEST

START_TEST(test_limit_of_a_pattern)
{
    static char text[CONTRACT_PATTERN_MAX + 1];
    struct err err = {0};
    memset(text, 'a', sizeof(text));
    ck_assert(!contract_pattern_open(&pattern, text, sizeof(text), &err));
    ck_assert_str_eq(err.message, "more than 4096 bytes");
}
END_TEST

/* Patterns that take forever on a text that does not match. */
static const char *const slow[] = {
    "^(a+)+$", "(a|a)*c", "^(.*)*b$", "a*a*a*a*a*a*c", "^((ab)*c?(ab)*)*d$", "(?:(?=(a*))a)*b\\1",
};

START_TEST(test_limit_of_steps)
{
    static char text[20000];
    struct err err = {0};
    memset(text, 'a', sizeof(text));
    text[sizeof(text) - 1] = 'e';
    ck_assert(contract_pattern_open(&pattern, slow[_i], strlen(slow[_i]), &err));
    for (int i = 0; i < 20; i++) {
        const enum contract_match match =
            contract_pattern_match(pattern, matcher, text, sizeof(text));
        ck_assert_msg(match != CONTRACT_MATCH_YES, "%s", slow[_i]);
    }
}
END_TEST

START_TEST(test_a_match_says_that_it_was_limited)
{
    struct err err = {0};
    char text[40];
    memset(text, 'a', sizeof(text));
    ck_assert(contract_pattern_open(&pattern, "^(a+)+$", 7, &err));
    text[sizeof(text) - 1] = 'b';
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, sizeof(text)),
                     CONTRACT_MATCH_LIMITED);
}
END_TEST

START_TEST(test_a_long_text_gets_steps_for_its_length)
{
    enum { LEN = 100 * 1000 };
    char *text = calloc(1, LEN);
    struct err err = {0};
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', LEN);
    ck_assert(contract_pattern_open(&pattern, "^(?:a|b)*$", 10, &err));
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, LEN), CONTRACT_MATCH_YES);
    free(text);
}
END_TEST

START_TEST(test_a_byte_that_is_required_and_missing_is_quickly_found)
{
    enum { LEN = 1000 * 1000 };
    char *text = calloc(1, LEN);
    struct err err = {0};
    ck_assert_ptr_nonnull(text);
    memset(text, 'a', LEN);
    ck_assert(contract_pattern_open(&pattern, "[a-z]+@", 7, &err));
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, LEN), CONTRACT_MATCH_NO);
    text[LEN / 2] = '@';
    ck_assert_int_eq((int)contract_pattern_match(pattern, matcher, text, LEN), CONTRACT_MATCH_YES);
    free(text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contract_limits");
    TCase *contracts = test_case(suite, "contracts");
    tcase_add_checked_fixture(contracts, setup, teardown);
    tcase_add_test(contracts, test_bytes_of_a_contract_have_a_limit);
    tcase_add_loop_test(contracts, test_schemas_of_a_contract_have_limits, 0, TABLE_LEN(crowds));
    tcase_add_test(contracts, test_nesting_of_a_contract_has_a_limit);
    tcase_add_test(contracts, test_chains_of_references_have_a_limit);
    TCase *checks = test_case(suite, "checks");
    tcase_add_checked_fixture(checks, setup, teardown);
    tcase_add_loop_test(checks, test_alternatives_within_alternatives_come_to_an_end, 0,
                        TABLE_LEN(exponential));
    tcase_add_test(checks, test_values_may_be_nested);
    tcase_add_test(checks, test_values_may_not_be_nested_too_deeply);
    tcase_add_test(checks, test_deep_values_are_compared);
    tcase_add_test(checks, test_many_elements_are_compared);
    tcase_add_test(checks, test_many_equal_elements_are_quickly_found);
    tcase_add_test(checks, test_many_violations_are_counted);
    tcase_add_test(checks, test_a_document_of_our_own_may_take_more_steps);
    tcase_add_loop_test(checks, test_a_match_without_an_answer_does_not_pass, 0,
                        TABLE_LEN(limited));
    TCase *work = test_case(suite, "work");
    tcase_set_tags(work, "slow");
    tcase_add_checked_fixture(work, setup, teardown);
    tcase_add_loop_test(work, test_work_that_takes_more_than_a_step_is_counted, 0,
                        TABLE_LEN(costly));
    TCase *matching = test_case(suite, "patterns");
    tcase_add_checked_fixture(matching, setup, teardown);
    tcase_add_loop_test(matching, test_pattern_matches_as_in_ECMA_262, 0, TABLE_LEN(patterns));
    tcase_add_loop_test(matching, test_patterns_outside_ECMA_262_are_refused, 0,
                        TABLE_LEN(invalid));
    tcase_add_test(matching, test_limit_of_a_pattern);
    tcase_add_loop_test(matching, test_limit_of_steps, 0, TABLE_LEN(slow));
    tcase_add_test(matching, test_a_match_says_that_it_was_limited);
    tcase_add_test(matching, test_a_long_text_gets_steps_for_its_length);
    tcase_add_test(matching, test_a_byte_that_is_required_and_missing_is_quickly_found);
    return suite;
}
