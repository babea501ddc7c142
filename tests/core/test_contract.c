#include "contract.h"

#include <stdlib.h>
#include <string.h>

#include "test_main.h"

static struct contract *contract;
static struct violations wrong;
static struct str shown;

static void setup(void)
{
    contract = NULL;
    wrong = (struct violations){0};
    shown = (struct str){0};
}

static void teardown(void)
{
    contract_free(contract);
    violations_done(&wrong);
    str_done(&shown);
}

static void load(const char *text)
{
    const bool ok = contract_load(text, strlen(text), &contract, &wrong);
    violations_display(&wrong, &shown);
    ck_assert_msg(ok, "%s: %s", text, str_text(&shown));
    ck_assert_uint_eq(wrong.count, 0);
}

/* What is wrong with the instance, as lines. */
static const char *check(const char *instance)
{
    const bool fits = contract_check_text(contract, instance, strlen(instance), NULL, &wrong);
    ck_assert(fits == (wrong.count == 0));
    str_clear(&shown);
    violations_display(&wrong, &shown);
    return str_text(&shown);
}

/* What is wrong, one row for each kind of keyword. */
static const struct {
    const char *schema;
    const char *instance;
    const char *want;
} lines[] = {
    {"{\"type\":\"object\"}", "{}", ""},
    {"{\"type\":\"object\"}", "[1]",
     "[NOT_OBJECT] (root): must be an object (expected object, got array)\n"},
    {"{\"type\":[\"object\",\"null\"]}", "7",
     "[WRONG_TYPE] (root): wrong type (expected null or object, got 7)\n"},
    {"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":42}",
     "[WRONG_TYPE] /a: wrong type (expected string, got 42)\n"},
    {"{\"properties\":{\"a\":{\"type\":\"object\"}}}", "{\"a\":[]}",
     "[WRONG_TYPE] /a: wrong type (expected object, got array)\n"},
    {"{\"required\":[\"a\",\"b\"],\"properties\":{\"b\":{\"type\":\"integer\"}}}", "{}",
     "[MISSING_FIELD] /a: required\n"
     "[MISSING_FIELD] /b: required (expected integer, got nothing)\n"},
    {"{\"properties\":{\"a/b~c\":{\"required\":[\"\"]}}}", "{\"a/b~c\":{}}",
     "[MISSING_FIELD] /a~1b~0c/: required\n"},
    {"{\"enum\":[\"red\",\"green\",3]}", "\"gren\"",
     "[INVALID_VALUE] (root): not one of the allowed values, did you mean \"green\"? "
     "(expected \"red\", \"green\" or 3, got \"gren\")\n"},
    {"{\"const\":{\"a\":1}}", "{\"a\":2}",
     "[INVALID_VALUE] (root): must be this value (expected {\"a\":1}, got {\"a\":2})\n"},
    {"{\"minimum\":3,\"multipleOf\":2}", "1",
     "[INVALID_VALUE] (root): too small (expected at least 3, got 1)\n"
     "[INVALID_VALUE] (root): not a multiple (expected a multiple of 2, got 1)\n"},
    {"{\"exclusiveMinimum\":3}", "3.0",
     "[INVALID_VALUE] (root): too small (expected more than 3, got 3.0)\n"},
    {"{\"maximum\":3,\"exclusiveMaximum\":3}", "1e300",
     "[INVALID_VALUE] (root): too large (expected at most 3, got 1e300)\n"
     "[INVALID_VALUE] (root): too large (expected less than 3, got 1e300)\n"},
    {"{\"minLength\":3}", "\"\303\251\\u0000\"",
     "[INVALID_VALUE] (root): too short (expected at least 3 characters, got 2)\n"},
    {"{\"minimum\":1,\"maximum\":256}", "0",
     "[INVALID_VALUE] (root): too small (expected 1 to 256, got 0)\n"},
    {"{\"minItems\":1,\"maxItems\":3}", "[]",
     "[INVALID_VALUE] (root): too few elements (expected 1 to 3 elements, got 0)\n"},
    {"{\"minItems\":1,\"maxItems\":1}", "[]",
     "[INVALID_VALUE] (root): too few elements (expected 1 element, got 0)\n"},
    {"{\"maxItems\":0}", "[0]",
     "[INVALID_VALUE] (root): too many elements (expected at most 0 elements, got 1)\n"},
    {"{\"maxLength\":2}", "\"abc\"",
     "[INVALID_VALUE] (root): too long (expected at most 2 characters, got 3)\n"},
    {"{\"pattern\":\"^a+$\"}", "\"a\\n\"",
     "[INVALID_VALUE] (root): does not match the pattern (expected ^a+$, got \"a\\n\")\n"},
    {"{\"pattern\":\"^a\",\"description\":\"an a first\"}", "\"b\"",
     "[INVALID_VALUE] (root): does not match the pattern (expected an a first, got \"b\")\n"},
    {"{\"not\":{\"const\":1,\"description\":\"any other\"}}", "1",
     "[INVALID_VALUE] (root): not allowed (expected any other, got 1)\n"},
    {"{\"minItems\":1}", "[]",
     "[INVALID_VALUE] (root): too few elements (expected at least 1 element, got 0)\n"},
    {"{\"maxItems\":1,\"items\":{\"type\":\"null\"}}", "[null,1]",
     "[INVALID_VALUE] (root): too many elements (expected at most 1 element, got 2)\n"
     "[WRONG_TYPE] /1: wrong type (expected null, got 1)\n"},
    {"{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[1,2]",
     "[WRONG_TYPE] /0: wrong type (expected string, got 1)\n"
     "[INVALID_VALUE] /1: not allowed here\n"},
    {"{\"contains\":{\"type\":\"null\"},\"minContains\":2}", "[null]",
     "[INVALID_VALUE] (root): too few matching elements (expected at least 2 matching "
     "elements, "
     "got 1)\n"},
    {"{\"contains\":{\"type\":\"null\"},\"maxContains\":1}", "[null,null]",
     "[INVALID_VALUE] (root): too many matching elements (expected 1 matching element, "
     "got 2)\n"},
    {"{\"uniqueItems\":true}", "[1,{\"a\":[1]},{\"a\":[1.0]},1]",
     "[INVALID_VALUE] /2: elements must be unique, but 2 is equal to 1\n"
     "[INVALID_VALUE] /3: elements must be unique, but 3 is equal to 0\n"},
    {"{\"uniqueItems\":true}", "[1,1,1.0,2,2]",
     "[INVALID_VALUE] /1: elements must be unique, but 1 is equal to 0\n"
     "[INVALID_VALUE] /2: elements must be unique, but 2 is equal to 0\n"
     "[INVALID_VALUE] /4: elements must be unique, but 4 is equal to 3\n"},
    {"{\"required\":[\"a\",\"b\",\"c\",\"d\",\"e\"],\"properties\":{"
     "\"a\":{\"const\":\"x\",\"type\":\"string\"},\"b\":{\"enum\":[1,2]},"
     "\"c\":{\"$ref\":\"#/$defs/far\"},\"d\":{\"minimum\":1}},"
     "\"$defs\":{\"far\":{\"$ref\":\"#/$defs/near\"},\"near\":{\"enum\":[\"y\"]}}}",
     "{}",
     "[MISSING_FIELD] /a: required (expected \"x\", got nothing)\n"
     "[MISSING_FIELD] /b: required (expected 1 or 2, got nothing)\n"
     "[MISSING_FIELD] /c: required (expected \"y\", got nothing)\n"
     "[MISSING_FIELD] /d: required\n"
     "[MISSING_FIELD] /e: required\n"},
    {"{\"anyOf\":[{\"minimum\":3}]}", "1",
     "[INVALID_VALUE] (root): does not match the only alternative\n"
     "[INVALID_VALUE] (root): too small (expected at least 3, got 1)\n"},
    {"{\"minimum\":5,\"maximum\":3}", "4",
     "[INVALID_VALUE] (root): too small (expected at least 5, got 4)\n"
     "[INVALID_VALUE] (root): too large (expected at most 3, got 4)\n"},
    {"{\"const\":0.30000000000000004}", "0.3",
     "[INVALID_VALUE] (root): must be this value (expected 0.30000000000000004, got 0.3)\n"},
    {"{\"enum\":[]}", "1", "[INVALID_VALUE] (root): no value is allowed here\n"},
    {"{\"minProperties\":1}", "{}",
     "[INVALID_VALUE] (root): too few members (expected at least 1 member, got 0)\n"},
    {"{\"properties\":{\"needs\":true},\"additionalProperties\":false}",
     "{\"need\":1,\"other\":2,\"needs\":3}",
     "[INVALID_VALUE] /need: unknown key, did you mean \"needs\"?\n"
     "[INVALID_VALUE] /other: unknown key\n"},
    {"{\"additionalProperties\":{\"type\":\"string\"}}", "{\"a\":null}",
     "[WRONG_TYPE] /a: wrong type (expected string, got null)\n"},
    {"{\"patternProperties\":{\"^n\":{\"type\":\"number\"},\"m$\":false}}", "{\"nm\":\"\"}",
     "[WRONG_TYPE] /nm: wrong type (expected number, got \"\")\n"
     "[INVALID_VALUE] /nm: not allowed here\n"},
    {"{\"propertyNames\":{\"maxLength\":2}}", "{\"abc\":1}",
     "[INVALID_VALUE] /abc: the name is not allowed: too long (expected at most 2 characters, "
     "got \"abc\")\n"},
    {"{\"propertyNames\":{\"pattern\":\"^a\",\"description\":\"an a first\"}}", "{\"b\":1}",
     "[INVALID_VALUE] /b: the name is not allowed (expected an a first, got \"b\")\n"},
    {"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}",
     "[MISSING_FIELD] /b: required if \"a\" is present\n"},
    {"{\"dependentSchemas\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1}",
     "[MISSING_FIELD] /b: required\n"},
    {"{\"not\":{\"const\":0}}", "0.0",
     "[INVALID_VALUE] (root): must not be this value (expected not 0, got 0.0)\n"},
    {"{\"not\":{\"type\":\"null\"}}", "null",
     "[INVALID_VALUE] (root): must not match this schema (expected not {\"type\":\"null\"}, got "
     "null)\n"},
    {"{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]},\"else\":false}", "{\"a\":1}",
     "[MISSING_FIELD] /b: required\n"},
    {"{\"if\":{\"required\":[\"a\"]},\"then\":{\"required\":[\"b\"]},\"else\":false}", "{}",
     "[INVALID_VALUE] (root): not allowed here\n"},
    {"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"null\"}]}", "{}",
     "[WRONG_TYPE] (root): wrong type (expected null or string, got object)\n"},
    {"{\"oneOf\":[{\"const\":\"a\"},{\"const\":\"b\"}]}", "\"c\"",
     "[INVALID_VALUE] (root): not one of the allowed values (expected \"a\" or \"b\", got "
     "\"c\")\n"},
    {"{\"oneOf\":[{\"required\":[\"a\"]},{\"type\":\"object\"}]}", "{\"a\":1}",
     "[INVALID_VALUE] (root): matches more than one alternative: number 1 and number 2 (expected "
     "exactly one, got object)\n"},
    {"{\"anyOf\":[{\"type\":\"string\"},{\"properties\":{\"a\":{\"minimum\":5},"
     "\"b\":{\"minimum\":5}}}]}",
     "{\"b\":1,\"a\":1}",
     "[INVALID_VALUE] (root): matches none of the 2 alternatives; the closest is number 2\n"
     "[INVALID_VALUE] /b: too small (expected at least 5, got 1)\n"
     "[INVALID_VALUE] /a: too small (expected at least 5, got 1)\n"},
    {"{\"oneOf\":[{\"properties\":{\"t\":{\"const\":1}},\"required\":[\"x\"]},"
     "{\"properties\":{\"t\":{\"const\":2}},\"required\":[\"y\",\"z\"]}]}",
     "{\"t\":2}",
     "[INVALID_VALUE] (root): matches none of the 2 alternatives; the closest is number 2\n"
     "[MISSING_FIELD] /y: required\n"
     "[MISSING_FIELD] /z: required\n"},
    {"{\"properties\":{\"a\":{\"anyOf\":[{\"properties\":{\"b\":{\"oneOf\":["
     "{\"minimum\":5},{\"minimum\":4,\"multipleOf\":2}]}}},{\"type\":\"null\"}]},"
     "\"z\":false}}",
     "{\"z\":0,\"a\":{\"b\":1}}",
     "[INVALID_VALUE] /z: not allowed here\n"
     "[INVALID_VALUE] /a: matches none of the 2 alternatives; the closest is number 1\n"
     "[INVALID_VALUE] /a/b: matches none of the 2 alternatives; the closest is number 1\n"
     "[INVALID_VALUE] /a/b: too small (expected at least 5, got 1)\n"},
};

START_TEST(test_D1_what_is_wrong_is_said)
{
    load(lines[_i].schema);
    const char *got = check(lines[_i].instance);
    ck_assert_msg(strcmp(got, lines[_i].want) == 0, "%s: got:\n%swanted:\n%s", lines[_i].schema,
                  got, lines[_i].want);
}
END_TEST

static const struct {
    const char *name;
    const char *schema;
    const char *instance;
    enum violation_code code; /* of the first */
    const char *path;
} identities[] = {
    {"kernel", "{\"properties\":{\"kernel\":{\"const\":\"k1\"}}}", "{\"kernel\":\"k2\"}",
     VIOLATION_KERNEL_MISMATCH, "/kernel"},
    {"op", "{\"properties\":{\"op\":{\"enum\":[\"sum\"]}}}", "{\"op\":\"mul\"}",
     VIOLATION_OP_MISMATCH, "/op"},
    {"in allOf", "{\"allOf\":[{\"properties\":{\"op\":{\"const\":\"sum\"}}}]}", "{\"op\":1}",
     VIOLATION_OP_MISMATCH, "/op"},
    {"of another type", "{\"properties\":{\"kernel\":{\"type\":\"string\",\"const\":\"k\"}}}",
     "{\"kernel\":5}", VIOLATION_KERNEL_MISMATCH, "/kernel"},
    {"of each alternative",
     "{\"oneOf\":[{\"properties\":{\"kernel\":{\"const\":\"a\"}},\"required\":[\"x\"]},"
     "{\"$ref\":\"#/$defs/b\"}],\"$defs\":{\"b\":{\"properties\":{\"kernel\":"
     "{\"const\":\"b\"}}}}}",
     "{\"kernel\":\"c\"}", VIOLATION_KERNEL_MISMATCH, "/kernel"},
    {"of each alternative of the member",
     "{\"properties\":{\"op\":{\"anyOf\":[{\"const\":\"a\"},{\"const\":\"b\"}]}}}",
     "{\"op\":\"c\"}", VIOLATION_OP_MISMATCH, "/op"},
    {"of all that are objects",
     "{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"op\":{\"const\":\"a\"}}},"
     "{\"type\":\"null\"}]}",
     "{\"op\":\"c\"}", VIOLATION_OP_MISMATCH, "/op"},
    {"of the only alternative", "{\"anyOf\":[{\"properties\":{\"op\":{\"const\":\"a\"}}}]}",
     "{\"op\":\"c\"}", VIOLATION_OP_MISMATCH, "/op"},
    {"missing", "{\"required\":[\"kernel\"],\"properties\":{\"kernel\":{\"const\":\"k\"}}}", "{}",
     VIOLATION_MISSING_FIELD, "/kernel"},
    {"one of two", "{\"properties\":{\"op\":{\"enum\":[\"a\",\"b\"]}}}", "{\"op\":\"c\"}",
     VIOLATION_INVALID_VALUE, "/op"},
    {"not of the root", "{\"properties\":{\"in\":{\"properties\":{\"op\":{\"const\":1}}}}}",
     "{\"in\":{\"op\":2}}", VIOLATION_INVALID_VALUE, "/in/op"},
    {"another name", "{\"properties\":{\"ops\":{\"const\":1}}}", "{\"ops\":2}",
     VIOLATION_INVALID_VALUE, "/ops"},
};

START_TEST(test_D1_kernel_and_op_constants_have_codes)
{
    load(identities[_i].schema);
    (void)check(identities[_i].instance);
    ck_assert_msg(wrong.count == 1 && wrong.items[0].code == identities[_i].code, "%s: %s",
                  identities[_i].name, str_text(&shown));
    ck_assert_str_eq(wrong.items[0].path, identities[_i].path);
    ck_assert(wrong.mismatch == violation_is_mismatch(identities[_i].code));
}
END_TEST

/* Only where no alternative has the kernel or the op is the output of another one. */
static const struct {
    const char *instance;
    const char *want;
} alternatives[] = {
    {"{\"kernel\":\"c\",\"op\":\"sum\"}",
     "[KERNEL_MISMATCH] /kernel: not one of the requested kernels (expected \"a\" or \"b\", "
     "got \"c\")\n"},
    {"{\"kernel\":\"b\",\"op\":\"mul\"}",
     "[INVALID_VALUE] (root): matches none of the 3 alternatives; the closest is number 2\n"
     "[MISSING_FIELD] /x: required\n"},
    {"{\"kernel\":\"a\",\"op\":\"x\"}",
     "[OP_MISMATCH] /op: not one of the requested ops (expected \"sum\" or \"mul\" or "
     "\"div\", got "
     "\"x\")\n"},
    {"{\"op\":\"div\"}",
     "[INVALID_VALUE] (root): matches none of the 3 alternatives; the closest is number 3\n"
     "[MISSING_FIELD] /kernel: required (expected \"b\", got nothing)\n"},
    {"{\"kernel\":5,\"op\":\"div\"}",
     "[KERNEL_MISMATCH] /kernel: not one of the requested kernels (expected \"a\" or \"b\", "
     "got 5)\n"},
};

START_TEST(test_D1_output_of_no_alternative_is_a_mismatch)
{
    load("{\"oneOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/b\"},{\"$ref\":\"#/$defs/c\"}],"
         "\"$defs\":{"
         "\"a\":{\"properties\":{\"kernel\":{\"const\":\"a\"},\"op\":{\"const\":\"sum\"}}},"
         "\"b\":{\"required\":[\"x\"],\"properties\":"
         "{\"kernel\":{\"const\":\"b\"},\"op\":{\"const\":\"mul\"}}},"
         "\"c\":{\"required\":[\"kernel\"],\"properties\":"
         "{\"kernel\":{\"const\":\"b\"},\"op\":{\"const\":\"div\"}}}}}");
    ck_assert_str_eq(check(alternatives[_i].instance), alternatives[_i].want);
    const bool is_mismatch = strstr(alternatives[_i].want, "MISMATCH") != NULL;
    ck_assert(wrong.mismatch == is_mismatch);
}
END_TEST

START_TEST(test_D1_the_nearest_alternative_is_told_within_bounds)
{
    struct str instance = {0};
    str_add(&instance, "[");
    for (int i = 0; i < 2 * VIOLATIONS_MAX; i++)
        str_add(&instance, "1,");
    str_add(&instance, "1]");
    load("{\"anyOf\":[{\"items\":false},{\"type\":\"null\"}]}");
    (void)check(str_text(&instance));
    ck_assert_uint_eq(wrong.count, 21);
    ck_assert_str_eq(wrong.items[0].path, "");
    ck_assert_str_eq(wrong.items[20].path, "/19");
    ck_assert_uint_eq(wrong.dropped, 2 * VIOLATIONS_MAX + 1 - 20);
    str_done(&instance);
}
END_TEST

START_TEST(test_D1_all_at_once_in_document_order)
{
    load("{\"required\":[\"x\"],\"allOf\":[{\"properties\":{\"c\":{\"type\":\"null\"}}},"
         "{\"required\":[\"y\",\"x\"]},{\"$ref\":\"#/$defs/all\"}],"
         "\"properties\":{\"a\":{\"items\":{\"type\":\"null\"}}},\"maxProperties\":2,"
         "\"$defs\":{\"all\":{\"properties\":{\"b\":{\"type\":\"null\"},"
         "\"a\":{\"maxItems\":1}}}}}");
    ck_assert_str_eq(check("{\"c\":1,\"b\":2,\"a\":[null,3,4]}"),
                     "[INVALID_VALUE] (root): too many members (expected at most 2 members, got "
                     "3)\n"
                     "[WRONG_TYPE] /c: wrong type (expected null, got 1)\n"
                     "[WRONG_TYPE] /b: wrong type (expected null, got 2)\n"
                     "[INVALID_VALUE] /a: too many elements (expected at most 1 element, got 3)\n"
                     "[WRONG_TYPE] /a/1: wrong type (expected null, got 3)\n"
                     "[WRONG_TYPE] /a/2: wrong type (expected null, got 4)\n"
                     "[MISSING_FIELD] /x: required\n"
                     "[MISSING_FIELD] /y: required\n");
}
END_TEST

START_TEST(test_D1_the_first_of_the_document_are_kept)
{
    struct str instance = {0};
    str_add(&instance, "{\"z\":[");
    for (int i = 0; i < 2 * VIOLATIONS_MAX; i++)
        str_add(&instance, "1,");
    str_add(&instance, "1],\"op\":2,\"a\":3}");
    /* The later members are looked at first. */
    load("{\"allOf\":[{\"properties\":{\"a\":false,\"op\":{\"const\":1}}},"
         "{\"properties\":{\"z\":{\"items\":false}}}]}");
    (void)check(str_text(&instance));
    ck_assert_uint_eq(wrong.count, VIOLATIONS_MAX);
    ck_assert_uint_eq(wrong.dropped, VIOLATIONS_MAX + 3);
    ck_assert_str_eq(wrong.items[0].path, "/z/0");
    ck_assert_str_eq(wrong.items[VIOLATIONS_MAX - 1].path, "/z/99");
    ck_assert(wrong.mismatch);
    str_done(&instance);
}
END_TEST

static const struct {
    const char *text;
    const char *want;
} texts[] = {
    {"", "line 1, column 1: the text ends too early; it is empty"},
    {" \n ", "line 2, column 1: the text ends too early; it is empty"},
    {"{\"a\":1", "line 1, column 6: the text ends too early"},
    {"Here it is:\n{\"a\":1}\n",
     "line 1, column 1: invalid token 'Here'; JSON begins at line 2, column 1"},
    {"Done, see [1].\n\n```json\n{\"a\":[1,2]}\n```\nBye.",
     "line 1, column 1: invalid token 'Done'; the last JSON begins at line 4, column 1, in a code "
     "fence"},
    {"{\"a\":[1,2]}\nor\n{\"a\":1}\n",
     "line 2, column 1: unexpected text after the value; the last JSON begins at line 3, column 1"},
    {"{\"a\":[1,2]} (see [1])",
     "line 1, column 13: unexpected text after the value; JSON begins at line 1, column 1"},
    {"so [1] or [2]",
     "line 1, column 1: invalid token 'so'; the last JSON begins at line 1, column 11"},
    {"{\"a\":1}\nDone.",
     "line 2, column 1: unexpected text after the value; JSON begins at line 1, column 1"},
    {"So: {\"a\":[1,",
     "line 1, column 1: invalid token 'So'; JSON begins at line 1, column 5 and is incomplete"},
    {"\xEF\xBB\xBF{}", "line 1, column 1: a byte order mark; JSON begins at line 1, column 2"},
    {"I cannot do that.", "line 1, column 1: invalid token 'I'"},
    {"{\"a\":1,\"a\":2}", "line 1, column 8: duplicate key \"a\""},
    {"{'a':{\"b\":1}}", "line 1, column 2: string or '}' expected, not '''"},
};

START_TEST(test_D1_text_that_is_no_json_says_where_json_begins)
{
    load("{\"type\":\"object\"}");
    (void)check(texts[_i].text);
    ck_assert_uint_eq(wrong.count, 1);
    ck_assert_int_eq((int)wrong.items[0].code, VIOLATION_NOT_JSON);
    ck_assert_str_eq(wrong.items[0].path, "");
    ck_assert_str_eq(wrong.items[0].message, texts[_i].want);
}
END_TEST

START_TEST(test_value_of_a_text_that_fits_is_given)
{
    static const char text[] = " {\"a\": [1, \"x\\u0000\"]} ";
    struct json *value = NULL;
    load("true");
    ck_assert(contract_check_text(contract, text, strlen(text), &value, &wrong));
    ck_assert_int_eq(json_i64(json_at(json_get(value, "a"), 0), 0), 1);
    json_free(value);
}
END_TEST

START_TEST(test_text_that_is_too_large_is_not_read)
{
    char *text = calloc(1, CONTRACT_INSTANCE_MAX + 1);
    ck_assert_ptr_nonnull(text);
    memset(text, ' ', CONTRACT_INSTANCE_MAX + 1);
    load("true");
    ck_assert(!contract_check_text(contract, text, CONTRACT_INSTANCE_MAX + 1, NULL, &wrong));
    ck_assert_str_eq(wrong.items[0].message, "larger than 4 MiB");
    free(text);
}
END_TEST

/* Numbers are decimals. */
static const struct {
    const char *schema;
    const char *instance;
    bool fits;
} numbers[] = {
    {"{\"multipleOf\":0.0001}", "0.0075", true},
    {"{\"multipleOf\":0.0001}", "0.00751", false},
    {"{\"multipleOf\":0.1}", "0.3", true},
    {"{\"multipleOf\":0.01}", "19.99", true},
    {"{\"multipleOf\":0.01}", "4.35", true},
    {"{\"multipleOf\":0.123456789}", "1e308", false},
    {"{\"multipleOf\":1e-8}", "12391239123", true},
    {"{\"multipleOf\":3}", "9223372036854775806", true},
    {"{\"multipleOf\":3}", "9223372036854775807", false},
    {"{\"multipleOf\":1e300}", "3e300", true},
    {"{\"multipleOf\":7}", "0", true},
    {"{\"multipleOf\":7}", "-21.0", true},
    {"{\"multipleOf\":9223372036854775807}", "9223372036854775807", true},
    {"{\"type\":\"integer\"}", "1.0", true},
    {"{\"type\":\"integer\"}", "1e3", true},
    {"{\"type\":\"integer\"}", "1.5", false},
    {"{\"type\":\"integer\"}", "123456789012345678901234567890", true},
    {"{\"type\":\"integer\"}", "-0.0", true},
    {"{\"type\":\"integer\"}", "1e-400", true}, /* no double is as small: 0 */
    {"{\"const\":1}", "1.0", true},
    {"{\"const\":1.0}", "true", false},
    {"{\"const\":0}", "-0.0", true},
    {"{\"const\":9007199254740993}", "9007199254740992", false},
    {"{\"const\":9007199254740993}", "9007199254740993.0", false}, /* the double is ...992 */
    {"{\"const\":0.1}", "1e-1", true},
    {"{\"const\":[1,{\"a\":2.0}]}", "[1.0,{\"a\":2}]", true},
    {"{\"maximum\":9223372036854775807}", "9223372036854775808", false},
    {"{\"maximum\":9223372036854775806}", "9223372036854775807", false},
    {"{\"minimum\":-1.5}", "-1.50001", false},
    {"{\"minimum\":-1.5}", "-1.5", true},
    {"{\"exclusiveMaximum\":1e308}", "1e309", false},
    {"{\"maximum\":-1e-10}", "0", false},
    {"{\"maxLength\":2.0}", "\"abc\"", false},
    {"{\"maxLength\":1e30}", "\"abc\"", true},
};

START_TEST(test_numbers_are_decimals)
{
    load(numbers[_i].schema);
    const char *got = check(numbers[_i].instance);
    ck_assert_msg((*got == '\0') == numbers[_i].fits, "%s: %s: %s", numbers[_i].schema,
                  numbers[_i].instance, got);
}
END_TEST

START_TEST(test_a_contract_is_copied_from_its_document)
{
    static const char text[] = "{\"const\":[\"a\"]}";
    struct json *document = NULL;
    ck_assert(json_parse(text, strlen(text), &document, NULL, NULL));
    ck_assert(contract_load_json(document, &contract, &wrong));
    json_free(document);
    ck_assert_str_eq(check("[\"a\"]"), "");
}
END_TEST

START_TEST(test_violations_are_added_behind_those_there)
{
    violations_add(&wrong, VIOLATION_NOT_JSON, "/first", "m", NULL, NULL);
    struct violations none = {0};
    ck_assert(contract_load("false", 5, &contract, &none));
    ck_assert(!contract_check_text(contract, "1", 1, NULL, &wrong));
    ck_assert_uint_eq(wrong.count, 2);
    ck_assert_str_eq(wrong.items[0].path, "/first");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contract");
    TCase *saying = test_case(suite, "what is wrong");
    tcase_add_checked_fixture(saying, setup, teardown);
    tcase_add_loop_test(saying, test_D1_what_is_wrong_is_said, 0, TABLE_LEN(lines));
    tcase_add_loop_test(saying, test_D1_kernel_and_op_constants_have_codes, 0,
                        TABLE_LEN(identities));
    tcase_add_loop_test(saying, test_D1_output_of_no_alternative_is_a_mismatch, 0,
                        TABLE_LEN(alternatives));
    tcase_add_test(saying, test_D1_the_nearest_alternative_is_told_within_bounds);
    tcase_add_test(saying, test_D1_all_at_once_in_document_order);
    tcase_add_test(saying, test_D1_the_first_of_the_document_are_kept);
    tcase_add_loop_test(saying, test_D1_text_that_is_no_json_says_where_json_begins, 0,
                        TABLE_LEN(texts));
    TCase *values = test_case(suite, "values");
    tcase_add_checked_fixture(values, setup, teardown);
    tcase_add_test(values, test_value_of_a_text_that_fits_is_given);
    tcase_add_test(values, test_text_that_is_too_large_is_not_read);
    tcase_add_loop_test(values, test_numbers_are_decimals, 0, TABLE_LEN(numbers));
    tcase_add_test(values, test_a_contract_is_copied_from_its_document);
    tcase_add_test(values, test_violations_are_added_behind_those_there);
    return suite;
}
