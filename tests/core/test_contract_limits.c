#include <string.h>

#include "contract.h"
#include "test_main.h"

static const char too_many_steps[] = "not fully checked: this contract takes too many steps";

static struct contract *contract;
static struct violations wrong;
static struct str schema;
static struct str instance;

static void setup(void)
{
    contract = NULL;
    wrong = (struct violations){0};
    schema = (struct str){0};
    instance = (struct str){0};
}

static void teardown(void)
{
    contract_free(contract);
    violations_done(&wrong);
    str_done(&schema);
    str_done(&instance);
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

/* Each level looks twice at the one below: 2^40 ways through them. */
START_TEST(test_alternatives_within_alternatives_come_to_an_end)
{
    str_add(&schema, "{\"$ref\":\"#/$defs/d40\",\"$defs\":{\"d0\":false");
    for (int i = 1; i <= 40; i++)
        str_addf(&schema,
                 ",\"d%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]}", i,
                 i - 1, i - 1);
    str_add(&schema, "}}");
    str_add(&instance, "1");
    ck_assert(!check());
    ck_assert_str_eq(wrong.items[0].message, too_many_steps);
}
END_TEST

START_TEST(test_an_end_by_the_limit_is_no_pass)
{
    str_add(&schema, "{\"not\":{\"$ref\":\"#/$defs/d40\"},\"$defs\":{\"d0\":false");
    for (int i = 1; i <= 40; i++)
        str_addf(&schema,
                 ",\"d%d\":{\"anyOf\":[{\"$ref\":\"#/$defs/d%d\"},{\"$ref\":\"#/$defs/d%d\"}]}", i,
                 i - 1, i - 1);
    str_add(&schema, "}}");
    str_add(&instance, "1");
    ck_assert(!check());
    ck_assert_uint_ge(wrong.count, 1);
}
END_TEST

static void add_nested(int depth)
{
    for (int i = 0; i < depth; i++)
        str_add_char(&instance, '[');
    for (int i = 0; i < depth; i++)
        str_add_char(&instance, ']');
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
    ck_assert_str_eq(last_message(), "elements must be unique, but 1 is equal to 0");
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
    ck_assert_str_eq(last_message(), "elements must be unique, but 200000 is equal to 7");
}
END_TEST

START_TEST(test_a_thousand_equal_elements_are_quickly_found)
{
    str_add(&schema, "{\"uniqueItems\":true}");
    str_add(&instance, "[");
    for (int i = 0; i < 200000; i++)
        str_add(&instance, "1,");
    str_add(&instance, "1]");
    ck_assert(!check());
    ck_assert_str_eq(wrong.items[0].message, "elements must be unique, but 1 is equal to 0");
    ck_assert_uint_eq(wrong.count + wrong.dropped, 200000);
}
END_TEST

START_TEST(test_many_violations_are_counted)
{
    str_add(&schema, "{\"items\":{\"type\":\"string\",\"minLength\":1}}");
    str_add(&instance, "[");
    for (int i = 0; i < 300000; i++)
        str_add(&instance, "1,");
    str_add(&instance, "\"\"]");
    ck_assert(!check());
    ck_assert_uint_eq(wrong.count, VIOLATIONS_MAX);
    ck_assert_uint_eq(wrong.dropped, 300001 - VIOLATIONS_MAX);
}
END_TEST

/* Work that is not a step each: members of the contract, words that are compared, decimals, the
 * way to a violation, places where a match may begin. Each took more than a second. */
static const struct {
    const char *name;
    const char *schema; /* begins like this */
    const char *part;   /* then `parts` of this, with a number, and commas */
    int parts;
    const char *end;
    const char *before, *value, *after; /* the text: `values` of the value, with commas */
    int values;
    int depth; /* arrays around it */
    const char *message;
} costly[] = {
    {"dependentRequired", "{\"items\":{\"dependentRequired\":{", "\"k%d\":[\"a\"]", 30000, "}}}",
     "[", "{}", "]", 3000, 0, too_many_steps},
    {"dependentSchemas", "{\"items\":{\"dependentSchemas\":{", "\"k%d\":{}", 15000, "}}}", "[",
     "{}", "]", 5000, 0, too_many_steps},
    {"words",
     "{\"items\":{\"anyOf\":[{\"type\":\"null\"},{\"additionalProperties\":false,"
     "\"properties\":{",
     "\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz%04d\":true", 1000, "}}]}}", "[",
     "{\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcd\":1}", "]", 300, 0,
     too_many_steps},
    {"decimals", "{\"items\":{\"enum\":[", "%d.123456789012345", 1000, "]}}", "[",
     "0.1234567890123456", "]", 5000, 0, too_many_steps},
    {"decimals of different elements", "{\"uniqueItems\":true", ",\"maxItems\":9%d000000", 1, "}",
     "[", "0.1234567890123456", "]", 150000, 0, too_many_steps},
    {"the way", "{\"items\":{\"$ref\":\"#\"}", ",\"type\":[\"array\"],\"maxItems\":9%d000000", 1,
     "}", "[", "1", "]", 200000, 700, too_many_steps},
    {"a look ahead", "{\"pattern\":\"", "(?=a*|%d)a[^a]", 1, "\"}", "\"", "a", "\"", 500000, 0,
     "matching a pattern takes too many steps"},
    {"a look back", "{\"pattern\":\"", "^(.*)\\\\1b|%d", 1, "\"}", "\"", "a", "\"", 500000, 0,
     "matching a pattern takes too many steps"},
    {"a search", "{\"pattern\":\"", "(?:a|%d|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)[bc]", 1, "\"}",
     "\"", "a", "\"", 500000, 0, "matching a pattern takes too many steps"},
};

static void add_parts(struct str *out, const char *part, int parts)
{
    const char *number = strstr(part, "%d");
    const char *padded = strstr(part, "%04d");
    const char *at = number ? number : padded;
    for (int i = 0; i < parts; i++) {
        if (i > 0)
            str_add_char(out, ',');
        str_add_n(out, part, (size_t)(at - part));
        str_addf(out, number ? "%d" : "%04d", i);
        str_add(out, at + (number ? strlen("%d") : strlen("%04d")));
    }
}

START_TEST(test_work_that_costs_more_than_a_step_is_counted)
{
    const bool is_text = costly[_i].before[0] == '"';
    str_add(&schema, costly[_i].schema);
    add_parts(&schema, costly[_i].part, costly[_i].parts);
    str_add(&schema, costly[_i].end);
    for (int i = 0; i < costly[_i].depth; i++)
        str_add_char(&instance, '[');
    str_add(&instance, costly[_i].before);
    for (int i = 0; i < costly[_i].values; i++) {
        str_add(&instance, i > 0 && !is_text ? "," : "");
        str_add(&instance, costly[_i].value);
    }
    str_add(&instance, costly[_i].after);
    for (int i = 0; i < costly[_i].depth; i++)
        str_add_char(&instance, ']');
    ck_assert(!check());
    ck_assert_msg(strcmp(wrong.items[0].message, costly[_i].message) == 0, "%s: %s",
                  costly[_i].name, wrong.items[0].message);
    ck_assert_str_eq(wrong.items[0].path, "");
}
END_TEST

/* What is our own may be larger than what an agent gives. */
START_TEST(test_a_document_of_our_own_takes_more_steps)
{
    struct json *value = NULL;
    str_add(&schema, "{\"items\":{\"allOf\":[true,true,true,true]}}");
    str_add(&instance, "[");
    for (int i = 0; i < 250000; i++)
        str_add(&instance, "1,");
    str_add(&instance, "1]");
    ck_assert(!check());
    ck_assert_str_eq(wrong.items[0].message, too_many_steps);
    ck_assert(json_parse(str_text(&instance), instance.len, &value, NULL, NULL));
    ck_assert(contract_check(contract, value, &wrong));
    json_free(value);
}
END_TEST

/* A match that takes too many steps is a violation, also where its answer is turned round. */
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

START_TEST(test_a_match_without_an_answer_is_no_pass)
{
    str_add(&schema, limited[_i].schema);
    str_add(&instance, limited[_i].before);
    for (int i = 0; i < 60; i++)
        str_add_char(&instance, 'a');
    str_add(&instance, "b");
    str_add(&instance, limited[_i].after);
    ck_assert(!check());
    ck_assert_str_eq(last_message(), limited[_i].message);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contract_limits");
    TCase *limits = test_case(suite, "limits");
    tcase_add_checked_fixture(limits, setup, teardown);
    tcase_add_test(limits, test_alternatives_within_alternatives_come_to_an_end);
    tcase_add_test(limits, test_an_end_by_the_limit_is_no_pass);
    tcase_add_test(limits, test_values_may_be_nested);
    tcase_add_test(limits, test_values_may_not_be_nested_too_deeply);
    tcase_add_test(limits, test_deep_values_are_compared);
    tcase_add_test(limits, test_many_elements_are_compared);
    tcase_add_test(limits, test_a_thousand_equal_elements_are_quickly_found);
    tcase_add_test(limits, test_many_violations_are_counted);
    tcase_add_loop_test(limits, test_work_that_costs_more_than_a_step_is_counted, 0,
                        TABLE_LEN(costly));
    tcase_add_test(limits, test_a_document_of_our_own_takes_more_steps);
    tcase_add_loop_test(limits, test_a_match_without_an_answer_is_no_pass, 0, TABLE_LEN(limited));
    return suite;
}
