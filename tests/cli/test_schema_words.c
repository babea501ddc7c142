#include "schema_words.h"

#include <string.h>

#include "test_main.h"

static const struct {
    const char *name, *schema, *wanted;
} cases[] = {
    {"nothing", "{\"type\":\"object\"}", ""},
    {"numbers",
     "{\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,"
     "\"description\":\"How many.\"},"
     "\"m\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":0.5,\"description\":\"A.\"}}}",
     "n\n    integer, 1 to 9\n    How many.\n"
     "\nm\n    number, above 0, at most 0.5\n    A.\n"},
    {"choices",
     "{\"properties\":{\"k\":{\"enum\":[\"a\",\"b\",3],\"description\":\"One.\"},"
     "\"s\":{\"type\":[\"string\",\"object\"],\"if\":{\"type\":\"string\"},"
     "\"then\":{\"enum\":[\"x\",\"y\"]},\"description\":\"Two.\"},"
     "\"v\":{\"anyOf\":[true],\"description\":\"Three.\"}}}",
     "k\n    \"a\", \"b\" or 3\n    One.\n"
     "\ns\n    string or object; a string is \"x\" or \"y\"\n    Two.\n"
     "\nv\n    one of several kinds\n    Three.\n"},
    {"lists",
     "{\"properties\":{\"l\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"string\","
     "\"maxLength\":5},\"description\":\"L.\"},"
     "\"r\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"description\":\"Each.\","
     "\"properties\":{\"x\":{\"type\":\"boolean\",\"description\":\"X.\"}}},"
     "\"description\":\"R.\"}}}",
     "l\n    array, at most 2 values, each string, at most 5 characters\n    L.\n"
     "\nr\n    array\n    R.\n"
     "\nr[]\n    object\n    Each.\n"
     "\nr[].x\n    boolean\n    X.\n"},
    {"names",
     "{\"properties\":{\"p\":{\"type\":\"object\",\"maxProperties\":64,\"description\":\"P.\","
     "\"additionalProperties\":{\"$ref\":\"#/$defs/q\"}},"
     "\"own\":{\"$ref\":\"#/$defs/q\"}},"
     "\"$defs\":{\"q\":{\"type\":\"object\",\"description\":\"Q.\","
     "\"properties\":{\"a\":{\"type\":\"string\",\"description\":\"A.\"}}}}}",
     "p\n    object, at most 64 names\n    P.\n"
     "\np.NAME\n    object\n    Q.\n"
     "\np.NAME.a\n    string\n    A.\n"
     "\nown\n    object\n    Q.\n    Its keys are those of p.NAME.\n"},
    {"a definition that holds itself",
     "{\"properties\":{\"t\":{\"$ref\":\"#/$defs/t\"}},"
     "\"$defs\":{\"t\":{\"type\":\"object\",\"description\":\"T.\","
     "\"properties\":{\"t\":{\"$ref\":\"#/$defs/t\"}}}}}",
     "t\n    object\n    T.\n"
     "\nt.t\n    object\n    T.\n    Its keys are those of t.\n"},
};

START_TEST(test_schema)
{
    struct str out = {0};
    schema_words(cases[_i].schema, &out);
    ck_assert_msg(strcmp(str_text(&out), cases[_i].wanted) == 0, "%s: %s", cases[_i].name,
                  str_text(&out));
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("schema_words");
    tcase_add_loop_test(test_case(suite, "words"), test_schema, 0, TABLE_LEN(cases));
    return suite;
}
