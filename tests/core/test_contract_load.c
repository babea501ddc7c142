#include "contract.h"

#include <string.h>

#include "contract_internal.h"
#include "test_main.h"

static struct contract *contract;
static struct violations wrong;
static struct str text;

static void setup(void)
{
    contract = NULL;
    wrong = (struct violations){0};
    text = (struct str){0};
}

static void teardown(void)
{
    contract_free(contract);
    violations_done(&wrong);
    str_done(&text);
}

/* Contracts that are refused, and what is said of them. */
static const struct {
    const char *schema;
    const char *want;
} refused[] = {
    {"", "[NOT_JSON] (root): line 1, column 1: the text ends too early\n"},
    {"[]", "[NOT_OBJECT] (root): not a schema (expected object or boolean, got [])\n"},
    {"{\"typo\":1}",
     "[INVALID_VALUE] /typo: not a keyword that contracts support, did you mean \"type\"?\n"},
    {"{\"properties\":{\"a\":{\"unevaluatedItems\":false}},\"$dynamicRef\":\"#\"}",
     "[INVALID_VALUE] /properties/a/unevaluatedItems: not a keyword that contracts support\n"
     "[INVALID_VALUE] /$dynamicRef: not a keyword that contracts support\n"},
    {"{\"items\":[{\"type\":\"string\"}]}",
     "[WRONG_TYPE] /items: not a schema (expected object or boolean, got "
     "[{\"type\":\"string\"}])\n"},
    {"{\"type\":\"text\"}",
     "[INVALID_VALUE] /type: unknown type (expected null, boolean, object, array, number, string "
     "or integer, got \"text\")\n"},
    {"{\"type\":[\"string\",3]}",
     "[WRONG_TYPE] /type/1: wrong type (expected null, boolean, object, array, number, "
     "string or integer, got 3)\n"},
    {"{\"type\":[]}",
     "[INVALID_VALUE] /type: must not be empty (expected at least one type, got [])\n"},
    {"{\"enum\":1}", "[WRONG_TYPE] /enum: wrong type (expected array, got 1)\n"},
    {"{\"properties\":[]}",
     "[WRONG_TYPE] /properties: wrong type (expected object of schemas, got [])\n"},
    {"{\"patternProperties\":{\"(\":3}}",
     "[INVALID_VALUE] /patternProperties/(: the pattern cannot be compiled: missing closing "
     "parenthesis\n"
     "[WRONG_TYPE] /patternProperties/(: not a schema (expected object or boolean, got "
     "3)\n"},
    {"{\"pattern\":\"(?i)a\"}",
     "[INVALID_VALUE] /pattern: the pattern cannot be compiled: no such group in ECMA-262, at "
     "byte 0\n"},
    {"{\"pattern\":7}", "[WRONG_TYPE] /pattern: wrong type (expected string, got 7)\n"},
    {"{\"required\":[\"a\",1]}", "[WRONG_TYPE] /required/1: not a name (expected string, got 1)\n"},
    {"{\"required\":[\"a\\u0000b\"]}", "[INVALID_VALUE] /required/0: not a name (expected a string "
                                       "without U+0000, got \"a\\u0000b\")\n"},
    {"{\"required\":true}",
     "[WRONG_TYPE] /required: wrong type (expected array of strings, got true)\n"},
    {"{\"dependentRequired\":{\"a\":\"b\"}}",
     "[WRONG_TYPE] /dependentRequired/a: wrong type (expected array of strings, got \"b\")\n"},
    {"{\"anyOf\":[]}",
     "[INVALID_VALUE] /anyOf: must not be empty (expected at least one schema, got [])\n"},
    {"{\"allOf\":[1]}",
     "[WRONG_TYPE] /allOf/0: not a schema (expected object or boolean, got 1)\n"},
    {"{\"minLength\":-1,\"maxLength\":1.5,\"minItems\":\"1\"}",
     "[INVALID_VALUE] /minLength: out of range (expected a whole number of at least 0, got -1)\n"
     "[INVALID_VALUE] /maxLength: out of range (expected a whole number of at least 0, got 1.5)\n"
     "[WRONG_TYPE] /minItems: wrong type (expected a whole number of at least 0, got "
     "\"1\")\n"},
    {"{\"multipleOf\":0}",
     "[INVALID_VALUE] /multipleOf: out of range (expected more than 0, got 0)\n"},
    {"{\"maximum\":\"3\"}", "[WRONG_TYPE] /maximum: wrong type (expected number, got \"3\")\n"},
    {"{\"uniqueItems\":1}", "[WRONG_TYPE] /uniqueItems: wrong type (expected boolean, got 1)\n"},
    {"{\"$schema\":\"http://json-schema.org/draft-07/schema#\"}",
     "[INVALID_VALUE] /$schema: unsupported draft of JSON Schema (expected "
     "https://json-schema.org/draft/2020-12/schema, got "
     "\"http://json-schema.org/draft-07/schema#\")\n"},
    {"{\"$anchor\":\"1a\"}",
     "[INVALID_VALUE] /$anchor: invalid anchor (expected a name: [A-Za-z_][A-Za-z0-9_.-]*, got "
     "\"1a\")\n"},
    {"{\"$defs\":{\"a\":{\"$anchor\":\"x\"},\"b\":{\"$anchor\":\"x\"}}}",
     "[INVALID_VALUE] /$defs/b/$anchor: another schema has this $anchor\n"},
    {"{\"$defs\":{\"a\":{\"$id\":\"x\"},\"b\":{\"$id\":\"./x#\"}}}",
     "[INVALID_VALUE] /$defs/b/$id: another schema has this $id\n"},
    {"{\"$id\":\"#a\"}", "[INVALID_VALUE] /$id: must not have a fragment; $anchor is for that\n"},
    {"{\"$id\":3}", "[WRONG_TYPE] /$id: not a URI (expected string, got 3)\n"},
    {"{\"$ref\":3}", "[WRONG_TYPE] /$ref: not a URI (expected string, got 3)\n"},
    {"{\"$ref\":\"other.json\"}",
     "[INVALID_VALUE] /$ref: only references within the contract are followed, other documents are "
     "not read (expected the path, $anchor or $id of a schema in this contract, got "
     "\"other.json\")\n"},
    {"{\"$ref\":\"http://x/y#/a\"}",
     "[INVALID_VALUE] /$ref: only references within the contract are followed, other documents are "
     "not read (expected the path, $anchor or $id of a schema in this contract, got "
     "\"http://x/y#/a\")\n"},
    {"{\"type\":[\"string\",\"null\",\"string\"]}",
     "[INVALID_VALUE] /type/2: elements must be unique\n"},
    {"{\"required\":[\"a\",\"a\"],\"dependentRequired\":{\"x\":[\"b\",\"b\"]}}",
     "[INVALID_VALUE] /required/1: elements must be unique\n"
     "[INVALID_VALUE] /dependentRequired/x/1: elements must be unique\n"},
    {"{\"format\":5,\"title\":[],\"$comment\":1,\"examples\":{},\"readOnly\":0,\"contentSchema\":"
     "\"x\"}",
     "[WRONG_TYPE] /format: wrong type (expected string, got 5)\n"
     "[WRONG_TYPE] /title: wrong type (expected string, got [])\n"
     "[WRONG_TYPE] /$comment: wrong type (expected string, got 1)\n"
     "[WRONG_TYPE] /examples: wrong type (expected array, got {})\n"
     "[WRONG_TYPE] /readOnly: wrong type (expected boolean, got 0)\n"
     "[WRONG_TYPE] /contentSchema: not a schema (expected object or boolean, got \"x\")\n"},
    {"{\"items\":{\"$ref\":\"#/$defs/a\"},\"$defs\":{\"b\":true}}",
     "[INVALID_VALUE] /items/$ref: no such schema in this contract (expected the path, $anchor or "
     "$id of a schema in this contract, got \"#/$defs/a\")\n"},
    {"{\"$ref\":\"#/enum/0\",\"enum\":[{}]}",
     "[INVALID_VALUE] /$ref: no such schema in this contract (expected the path, $anchor or $id of "
     "a schema in this contract, got \"#/enum/0\")\n"},
    {"{\"$ref\":\"#here\",\"const\":{\"$anchor\":\"here\"}}",
     "[INVALID_VALUE] /$ref: no such schema in this contract (expected the path, $anchor or $id of "
     "a schema in this contract, got \"#here\")\n"},
    {"{\"$ref\":\"#/$defs/~2\",\"$defs\":{\"~2\":true}}",
     "[INVALID_VALUE] /$ref: no such schema in this contract (expected the path, $anchor or $id of "
     "a schema in this contract, got \"#/$defs/~2\")\n"},
    {"{\"$ref\":\"#\"}", "[INVALID_VALUE] /$ref: the reference is circular: it applies to "
                         "the same value forever\n"},
    {"{\"properties\":{\"a\":{\"$ref\":\"#/$defs/x\"}},\"$defs\":{\"x\":{\"anyOf\":[true,"
     "{\"$ref\":\"#/$defs/y\"}]},\"y\":{\"not\":{\"$ref\":\"#/$defs/x\"}}}}",
     "[INVALID_VALUE] /$defs/y/not/$ref: the reference is circular: it applies to the "
     "same value forever\n"},
};

START_TEST(test_D1_what_is_wrong_with_a_contract_is_said)
{
    const char *schema = refused[_i].schema;
    ck_assert_msg(!contract_load(schema, strlen(schema), &contract, &wrong), "%s", schema);
    violations_display(&wrong, &text);
    ck_assert_msg(strcmp(str_text(&text), refused[_i].want) == 0, "%s: got:\n%swanted:\n%s", schema,
                  str_text(&text), refused[_i].want);
}
END_TEST

/* Contracts that are good, with a value that fits and one that does not. */
static const struct {
    const char *schema;
    const char *fits;
    const char *misfit;
} taken[] = {
    {"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"$comment\":\"c\","
     "\"title\":\"t\",\"description\":\"d\",\"default\":1,\"examples\":[1],\"deprecated\":true,"
     "\"readOnly\":true,"
     "\"writeOnly\":true,\"format\":\"email\",\"contentEncoding\":\"x\",\"contentMediaType\":\"y\","
     "\"contentSchema\":{\"no\":1},\"type\":\"string\"}",
     "\"no e-mail\"", "1"},
    {"{\"$defs\":{\"a~/b\":{\"type\":\"null\"}},\"$ref\":\"#/$defs/a~0~1b\"}", "null", "1"},
    {"{\"$defs\":{\"a b\":{\"type\":\"null\"}},\"$ref\":\"#/$defs/a%20b\"}", "null", "1"},
    {"{\"$defs\":{\"x\":{\"$anchor\":\"a.b\",\"type\":\"null\"}},\"$ref\":\"#a.b\"}", "null", "1"},
    {"{\"allOf\":[{\"type\":\"null\"},{\"$ref\":\"#/allOf/0\"}]}", "null", "1"},
    {"{\"$ref\":\"#/items\",\"items\":false}", "", "1"},
    {"{\"type\":\"array\",\"items\":{\"$ref\":\"#\"}}", "[[[]],[]]", "[[[1]]]"},
    {"{\"$id\":\"http://a/b/c.json\",\"$ref\":\"d/e.json#f\",\"$defs\":{\"x\":{\"$id\":\"d/"
     "e.json\","
     "\"$defs\":{\"y\":{\"$anchor\":\"f\",\"type\":\"null\"}}}}}",
     "null", "1"},
    {"{\"$ref\":\"urn:x:1#/$defs/y\",\"$defs\":{\"x\":{\"$id\":\"urn:x:1\",\"$defs\":{\"y\":"
     "{\"type\":\"null\"}}}}}",
     "null", "1"},
    {"{\"$id\":\"http://a/\",\"$ref\":\"http://a/\\u0023/$defs/y\",\"$defs\":{\"y\":{\"type\":"
     "\"null\"}}}",
     "null", "1"},
};

START_TEST(test_references_lead_to_schemas)
{
    const char *schema = taken[_i].schema;
    const bool ok = contract_load(schema, strlen(schema), &contract, &wrong);
    violations_display(&wrong, &text);
    ck_assert_msg(ok, "%s: %s", schema, str_text(&text));
    const char *fits = taken[_i].fits;
    const char *misfit = taken[_i].misfit;
    if (*fits)
        ck_assert_msg(contract_check_text(contract, fits, strlen(fits), NULL, &wrong), "%s",
                      schema);
    ck_assert_msg(!contract_check_text(contract, misfit, strlen(misfit), NULL, &wrong), "%s",
                  schema);
}
END_TEST

/* RFC 3986, 5.4, for http://a/b/c/d;p?q, and a few more. */
static const struct {
    const char *base, *reference, *want, *fragment;
} uris[] = {
    {"http://a/b/c/d;p?q", "g:h", "g:h", ""},
    {"http://a/b/c/d;p?q", "g", "http://a/b/c/g", ""},
    {"http://a/b/c/d;p?q", "./g/", "http://a/b/c/g/", ""},
    {"http://a/b/c/d;p?q", "/g", "http://a/g", ""},
    {"http://a/b/c/d;p?q", "//g", "http://g", ""},
    {"http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y", ""},
    {"http://a/b/c/d;p?q", "g?y#s", "http://a/b/c/g?y", "s"},
    {"http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q", "s"},
    {"http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q", ""},
    {"http://a/b/c/d;p?q", ".", "http://a/b/c/", ""},
    {"http://a/b/c/d;p?q", "..", "http://a/b/", ""},
    {"http://a/b/c/d;p?q", "../g", "http://a/b/g", ""},
    {"http://a/b/c/d;p?q", "../../../g", "http://a/g", ""},
    {"http://a/b/c/d;p?q", "/./g/../h", "http://a/h", ""},
    {"http://a/b/c/d;p?q", "g;x=1/../y", "http://a/b/c/y", ""},
    {"http://a", "g", "http://a/g", ""},
    {"", "x.json#/a%25b%zz", "x.json", "/a%b%zz"},
    {"", "../x", "x", ""},
    {"urn:a:b", "#/c", "urn:a:b", "/c"},
};

START_TEST(test_uri_is_resolved)
{
    struct str fragment = {0};
    ck_assert(contract_uri_resolve(uris[_i].base, uris[_i].reference, &text, &fragment));
    ck_assert_msg(strcmp(str_text(&text), uris[_i].want) == 0, "%s: %s", uris[_i].reference,
                  str_text(&text));
    ck_assert_str_eq(str_text(&fragment), uris[_i].fragment);
    str_done(&fragment);
}
END_TEST

START_TEST(test_uri_has_a_limit)
{
    static char uri[CONTRACT_URI_MAX + 2];
    memset(uri, 'u', sizeof(uri) - 1);
    struct str fragment = {0};
    ck_assert(!contract_uri_resolve("", uri, &text, &fragment));
    str_clear(&text);
    uri[CONTRACT_URI_MAX] = '\0';
    ck_assert(contract_uri_resolve("", uri, &text, &fragment));
    str_clear(&text);
    ck_assert(!contract_uri_resolve("http://a/", uri, &text, &fragment));
    str_done(&fragment);
}
END_TEST

/* The violations of a contract in `text`, which is refused. */
static void refuse(void)
{
    ck_assert(!contract_load(str_text(&text), text.len, &contract, &wrong));
    ck_assert_uint_ge(wrong.count, 1);
}

START_TEST(test_limit_of_bytes)
{
    while (text.len <= CONTRACT_BYTES_MAX)
        str_add(&text, "                                                                ");
    refuse();
    ck_assert_str_eq(wrong.items[0].message, "more than 1024 KiB");
}
END_TEST

START_TEST(test_limit_of_schemas)
{
    str_add(&text, "{\"allOf\":[true");
    for (int i = 0; i < CONTRACT_SCHEMAS_MAX; i++)
        str_add(&text, ",true");
    str_add(&text, "]}");
    refuse();
    ck_assert_uint_eq(wrong.count, 1);
    ck_assert_str_eq(wrong.items[0].message, "too many schemas");
}
END_TEST

START_TEST(test_limit_of_nesting)
{
    for (int i = 0; i <= CONTRACT_NESTING_MAX; i++)
        str_add(&text, "{\"items\":");
    str_add(&text, "true");
    for (int i = 0; i <= CONTRACT_NESTING_MAX; i++)
        str_add(&text, "}");
    refuse();
    ck_assert_str_eq(wrong.items[0].message, "schemas are nested too deeply");
}
END_TEST

static void add_chain(int length)
{
    str_add(&text, "{\"$defs\":{\"d0\":true");
    for (int i = 1; i < length; i++)
        str_addf(&text, ",\"d%d\":{\"$ref\":\"#/$defs/d%d\"}", i, i - 1);
    str_add(&text, "}}");
}

START_TEST(test_limit_of_references_one_after_the_other)
{
    add_chain(400);
    ck_assert(contract_load(str_text(&text), text.len, &contract, &wrong));
    str_clear(&text);
    add_chain(402);
    contract_free(contract);
    contract = NULL;
    refuse();
    ck_assert_uint_eq(wrong.count, 1);
    ck_assert_str_eq(wrong.items[0].message, "the chain of references is too long");
}
END_TEST

START_TEST(test_limit_of_anchors)
{
    str_add(&text, "{\"allOf\":[true");
    for (int i = 0; i < 1100; i++)
        str_addf(&text, ",{\"$anchor\":\"a%d\"}", i);
    str_add(&text, "]}");
    refuse();
    ck_assert_str_eq(wrong.items[0].message, "too many schemas have an $anchor");
}
END_TEST

START_TEST(test_limit_of_ids)
{
    str_add(&text, "{\"allOf\":[true");
    for (int i = 0; i < 1100; i++)
        str_addf(&text, ",{\"$id\":\"a%d\"}", i);
    str_add(&text, "]}");
    refuse();
    ck_assert_str_eq(wrong.items[0].message, "too many schemas have an $id");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contract_load");
    TCase *loading = test_case(suite, "loading");
    tcase_add_checked_fixture(loading, setup, teardown);
    tcase_add_loop_test(loading, test_D1_what_is_wrong_with_a_contract_is_said, 0,
                        TABLE_LEN(refused));
    tcase_add_loop_test(loading, test_references_lead_to_schemas, 0, TABLE_LEN(taken));
    TCase *uri = test_case(suite, "uri");
    tcase_add_checked_fixture(uri, setup, teardown);
    tcase_add_loop_test(uri, test_uri_is_resolved, 0, TABLE_LEN(uris));
    tcase_add_test(uri, test_uri_has_a_limit);
    TCase *limits = test_case(suite, "limits");
    tcase_add_checked_fixture(limits, setup, teardown);
    tcase_add_test(limits, test_limit_of_bytes);
    tcase_add_test(limits, test_limit_of_schemas);
    tcase_add_test(limits, test_limit_of_nesting);
    tcase_add_test(limits, test_limit_of_references_one_after_the_other);
    tcase_add_test(limits, test_limit_of_anchors);
    tcase_add_test(limits, test_limit_of_ids);
    return suite;
}
