#include "contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract_internal.h"
#include "policy.h"
#include "protocol.h"
#include "repair.h"
#include "row_file.h"
#include "str.h"
#include "test_main.h"

static struct contract *contract;
static struct violations wrong;
static struct str shown;
static struct rows violations_rows, kernel_rows, refused_rows;

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

static void load_bytes(const char *text, size_t len)
{
    const bool ok = contract_load(text, len, &contract, &wrong);
    violations_display(&wrong, &shown);
    ck_assert_msg(ok, "%s: %s", text, str_text(&shown));
    ck_assert_uint_eq(wrong.count, 0);
}

static void load(const char *text)
{
    load_bytes(text, strlen(text));
}

/* Returns the violations of the instance, as lines. */
static const char *check(const char *instance)
{
    const bool fits = contract_check_text(contract, instance, strlen(instance), NULL, &wrong);
    ck_assert(fits == (wrong.count == 0));
    str_clear(&shown);
    violations_display(&wrong, &shown);
    return str_text(&shown);
}

/* A row's last line is the instance, the lines before it are the schema. */
static void check_row(const struct row *row)
{
    const char *end = strrchr(row->input, '\n');
    load_bytes(row->input, (size_t)(end - row->input));
    row_check(row, check(end + 1));
    ck_assert(wrong.mismatch == (strstr(row->want, "MISMATCH]") != NULL));
}

START_TEST(test_D1_what_is_wrong_is_said)
{
    check_row(&violations_rows.items[_i]);
}
END_TEST

START_TEST(test_D1_kernel_and_op_constants_have_codes)
{
    check_row(&kernel_rows.items[_i]);
}
END_TEST

START_TEST(test_D1_what_is_wrong_with_a_contract_is_said)
{
    const struct row *row = &refused_rows.items[_i];
    ck_assert_msg(!contract_load(row->input, strlen(row->input), &contract, &wrong), "%s",
                  row->input);
    violations_display(&wrong, &shown);
    row_check(row, str_text(&shown));
}
END_TEST

START_TEST(test_an_empty_text_is_no_contract)
{
    ck_assert(!contract_load("", 0, &contract, &wrong));
    violations_display(&wrong, &shown);
    ck_assert_str_eq(str_text(&shown),
                     "[NOT_JSON] (root): line 1, column 1: unexpected end of the document\n");
}
END_TEST

/* Contracts that are fine, with a value that fits and one that does not. */
static const struct {
    const char *schema;
    const char *fits;
    const char *misfit;
} accepted[] = {
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
    const char *fits = accepted[_i].fits;
    const char *misfit = accepted[_i].misfit;
    load(accepted[_i].schema);
    if (*fits)
        ck_assert_str_eq(check(fits), "");
    ck_assert_str_ne(check(misfit), "");
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
    ck_assert(contract_uri_resolve(uris[_i].base, uris[_i].reference, &shown, &fragment));
    ck_assert_msg(strcmp(str_text(&shown), uris[_i].want) == 0, "%s: %s", uris[_i].reference,
                  str_text(&shown));
    ck_assert_str_eq(str_text(&fragment), uris[_i].fragment);
    str_done(&fragment);
}
END_TEST

START_TEST(test_uri_has_a_limit)
{
    static char uri[CONTRACT_URI_MAX + 2];
    memset(uri, 'u', sizeof(uri) - 1);
    struct str fragment = {0};
    ck_assert(!contract_uri_resolve("", uri, &shown, &fragment));
    str_clear(&shown);
    uri[CONTRACT_URI_MAX] = '\0';
    ck_assert(contract_uri_resolve("", uri, &shown, &fragment));
    str_clear(&shown);
    ck_assert(!contract_uri_resolve("http://a/", uri, &shown, &fragment));
    str_done(&fragment);
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

START_TEST(test_D1_the_first_of_the_document_are_kept)
{
    struct str instance = {0};
    str_add(&instance, "{\"z\":[");
    for (int i = 0; i < 2 * VIOLATIONS_MAX; i++)
        str_add(&instance, "1,");
    str_add(&instance, "1],\"op\":2,\"a\":3}");
    /* The later members are checked first. */
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
    {"", "line 1, column 1: unexpected end of the document; it is empty"},
    {" \n ", "line 2, column 1: unexpected end of the document; it is empty"},
    {"{\"a\":1", "line 1, column 6: unexpected end of the document"},
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
    {"\xEF\xBB\xBF{}",
     "line 1, column 1: unexpected byte order mark; JSON begins at line 1, column 2"},
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

START_TEST(test_violations_are_added_after_earlier_ones)
{
    violations_add(&wrong, VIOLATION_NOT_JSON, "/first", "m", NULL, NULL);
    struct violations none = {0};
    ck_assert(contract_load("false", 5, &contract, &none));
    ck_assert(!contract_check_text(contract, "1", 1, NULL, &wrong));
    ck_assert_uint_eq(wrong.count, 2);
    ck_assert_str_eq(wrong.items[0].path, "/first");
}
END_TEST

/* Judging an attempt by its output. */

static const char schema[] = "{\"type\": \"object\", \"required\": [\"summary\"], \"properties\": {"
                             "\"kernel\": {\"const\": \"fix\"}, \"op\": {\"const\": \"patch\"}, "
                             "\"summary\": {\"type\": \"string\"}, \"n\": {\"maximum\": 5}}}";

static struct verdict verdict;

static void open_judge(void)
{
    setup();
    load(schema);
    verdict = verdict_new();
}

static void judge_output(const struct contract_output *out)
{
    struct violations found = {0};
    contract_judge(contract, out, &verdict, &found);
    ck_assert_int_eq(found.count > 0, verdict.reason == REASON_CONTRACT);
    violations_done(&found);
}

static void judge(const char *output)
{
    const struct contract_output out = {
        .bytes = output, .len = strlen(output), .written = (int64_t)strlen(output)};
    judge_output(&out);
}

START_TEST(test_output_that_fits_is_a_success)
{
    const struct verdict before = verdict;
    judge("{\"summary\": \"done\", \"kernel\": \"fix\"}\n");
    ck_assert_mem_eq(&before, &verdict, sizeof(before));
}
END_TEST

START_TEST(test_an_earlier_failure_is_kept)
{
    verdict_set_persistent(&verdict, REASON_TEST_FAIL, "", "some.rule");
    const struct verdict before = verdict;
    judge("no JSON at all");
    ck_assert_mem_eq(&before, &verdict, sizeof(before));
}
END_TEST

/* Would a policy with attempts left, which retries on anything, try again? */
static bool is_tried_again(void)
{
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 0};
    const struct protocol_facts facts = {.policy = policy_named(POLICY_DEFAULT),
                                         .phase = PHASE_GREEN,
                                         .outcome = &outcome,
                                         .verdict = &verdict,
                                         .used = 1,
                                         .allowed = 3};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert(decision.kind == DECISION_WAIT || decision.kind == DECISION_FAILED);
    return decision.kind == DECISION_WAIT;
}

static const struct {
    const char *name;
    const char *output;
    const char *code; /* the subtype */
    bool again;
} decisions[] = {
    {"no JSON", "all done", "NOT_JSON", true},
    {"JSON in prose", "Here it is: {\"summary\": \"x\"}", "NOT_JSON", true},
    {"nothing", "", "NOT_JSON", true},
    {"no object", "[]", "NOT_OBJECT", true},
    {"missing field", "{}", "MISSING_FIELD", true},
    {"wrong type", "{\"summary\": 5}", "WRONG_TYPE", true},
    {"invalid value", "{\"summary\": \"x\", \"n\": 6}", "INVALID_VALUE", true},
    {"several", "{\"n\": 6}", NULL, true},
    {"another kernel", "{\"summary\": \"x\", \"kernel\": \"review\"}", "KERNEL_MISMATCH", false},
    {"another op", "{\"summary\": \"x\", \"op\": \"delete\"}", "OP_MISMATCH", false},
    {"mismatch among others", "{\"n\": 6, \"op\": \"delete\"}", "OP_MISMATCH", false},
};

START_TEST(test_D3_a_misfit_is_tried_again_only_where_it_can_be_mended)
{
    judge(decisions[_i].output);
    ck_assert_int_eq((int)verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq((int)verdict.reason, REASON_CONTRACT);
    ck_assert_str_eq(verdict.rule, "contract");
    if (decisions[_i].code)
        ck_assert_str_eq(verdict.subtype, decisions[_i].code);
    ck_assert_msg(verdict.no_retry == !decisions[_i].again, "%s", decisions[_i].name);
    ck_assert_msg(is_tried_again() == decisions[_i].again, "%s", decisions[_i].name);
    ck_assert(!verdict.ask);
}
END_TEST

START_TEST(test_D4_the_evidence_has_the_lines)
{
    judge("{\"n\": 6}");
    const char *second = strchr(verdict.violations, '\n');
    ck_assert_ptr_nonnull(second);
    ck_assert(strncmp(verdict.violations, "[INVALID_VALUE] /n: ", 20) == 0);
    ck_assert(strncmp(second + 1, "[MISSING_FIELD] /summary: ", 26) == 0);
    ck_assert_uint_eq(strlen(verdict.match), strcspn(verdict.violations, "\n"));
    ck_assert(strncmp(verdict.match, verdict.violations, strlen(verdict.match)) == 0);
}
END_TEST

START_TEST(test_evidence_counts_the_violations_that_it_leaves_out)
{
    struct str output = {0};
    contract_free(contract);
    load("{\"items\": {\"type\": \"string\"}}");
    for (int i = 0; i < 300; i++)
        str_addf(&output, "%s%d", i == 0 ? "[" : ",", i);
    str_add_char(&output, ']');
    const struct contract_output out = {
        .bytes = output.data, .len = output.len, .written = (int64_t)output.len};
    judge_output(&out);
    str_done(&output);

    int lines = 0;
    const char *last = verdict.violations;
    for (const char *p = verdict.violations; *p; p++) {
        lines += *p == '\n' ? 1 : 0;
        last = *p == '\n' && p[1] ? p + 1 : last;
    }
    char *end = NULL;
    ck_assert_int_gt(lines, 5);
    ck_assert(strncmp(last, "... and ", 8) == 0);
    ck_assert_int_eq(strtol(last + 8, &end, 10) + lines - 1, 300);
    ck_assert_str_eq(end, " more\n");
}
END_TEST

START_TEST(test_evidence_has_no_control_bytes)
{
    judge("{\"summary\": \"x\", \"kernel\": \"a\\n\\u001b[31mb\"}");
    for (const char *p = verdict.violations; *p; p++)
        ck_assert((unsigned char)*p >= 0x20 || *p == '\n');
    ck_assert_ptr_eq(strchr(verdict.violations, '\n'),
                     verdict.violations + strlen(verdict.violations) - 1);
}
END_TEST

START_TEST(test_truncated_output_never_fits)
{
    struct str kept = {0};
    str_add(&kept, "{\"summary\": \"\"}");
    while (kept.len < CONTRACT_OUTPUT_MAX)
        str_add_char(&kept, ' ');
    struct contract_output out = {
        .bytes = kept.data, .len = kept.len, .written = CONTRACT_OUTPUT_MAX};
    judge_output(&out);
    ck_assert_int_eq((int)verdict.class, VERDICT_SUCCESS);
    out.written++;
    judge_output(&out);
    str_done(&kept);
    ck_assert_int_eq((int)verdict.reason, REASON_CONTRACT);
    ck_assert(!verdict.no_retry);
    ck_assert_str_eq(verdict.match, "[INVALID_VALUE] (root): the output is too large to check "
                                    "(expected at most 1 MiB, got 1048577 bytes)");
}
END_TEST

/* docs/contracts.md */

static char *doc;

static void read_doc(void)
{
    doc = test_read_file(test_source_path("docs/contracts.md"));
    ck_assert_ptr_nonnull(doc);
}

static void free_doc(void)
{
    free(doc);
}

/* Is the word a keyword, whatever its value? */
static bool is_keyword(const char *word)
{
    bool known = true;
    setup();
    str_addf(&shown, "{\"%s\":null}", word);
    if (!contract_load(str_text(&shown), shown.len, &contract, &wrong))
        known = strncmp(wrong.items[0].message, "unsupported keyword",
                        strlen("unsupported keyword")) != 0;
    teardown();
    return known;
}

/* The words in backticks from `at` up to `end`; returns how many are keywords. */
static int count_keywords(const char *at, const char *end)
{
    int count = 0;
    for (at = strchr(at, '`'); at && at < end; at = strchr(at + 1, '`')) {
        char word[64];
        const size_t len = strcspn(at + 1, "`");
        ck_assert_uint_lt(len, sizeof(word));
        (void)snprintf(word, sizeof(word), "%.*s", (int)len, at + 1);
        ck_assert_msg(is_keyword(word), "%s", word);
        at += len + 1;
        count++;
    }
    return count;
}

START_TEST(test_D1_keywords_are_documented)
{
    enum { KEYWORDS = 52 }; /* rows of the table in contract_keywords.c */
    const char *from = strstr(doc, "## Keywords");
    ck_assert_ptr_nonnull(from);
    const char *end = strstr(from, "Any other keyword");
    ck_assert_ptr_nonnull(end);
    ck_assert_int_eq(count_keywords(from, end), KEYWORDS);

    static const char *const refused[] = {"unevaluatedProperties", "unevaluatedItems",
                                          "$dynamicRef", "$dynamicAnchor"};
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        ck_assert_ptr_nonnull(strstr(end, refused[i]));
        ck_assert(!is_keyword(refused[i]));
    }
}
END_TEST

START_TEST(test_D1_codes_are_documented)
{
    struct str row = {0};
    str_addf(&row, "| `%s` |", violation_code_name((enum violation_code)_i));
    ck_assert_msg(strstr(doc, str_text(&row)), "%s", str_text(&row));
    str_done(&row);
}
END_TEST

static const struct {
    const char *text;
    long value;
} limits[] = {
    {"1 MiB, ", CONTRACT_BYTES_MAX / (1024 * 1024)},
    {"1 MiB |", CONTRACT_OUTPUT_MAX / (1024 * 1024)},
    {"20,000 schemas", CONTRACT_SCHEMAS_MAX / 1000},
    {"200 deep", CONTRACT_NESTING_MAX},
    {"400 |", CONTRACT_CHAIN_MAX},
    {"4 MiB; for the output", CONTRACT_INSTANCE_MAX / (1024 * 1024)},
    {"1,500 |", CONTRACT_CHECK_DEPTH_MAX / 1500},
    {"1 million; for a plan", CONTRACT_TEXT_STEPS_MAX / 1000000},
    {"20 million or", CONTRACT_STEPS_MAX / 1000000},
    {"4,096 bytes", CONTRACT_PATTERN_MAX / 1024},
    {"16 for each byte", CONTRACT_MATCH_STEPS_PER_BYTE},
    {"512; ", CONTRACT_MATCH_STEPS_MIN},
    {"128 steps each | ", CONTRACT_MATCH_STEPS_FREE},
    {"4 million |", CONTRACT_MATCH_STEPS_MAX / 1000000},
    {"4 million; ", CONTRACT_MATCH_STEPS_TEXT / 1000000},
    {"20 million |", CONTRACT_MATCH_STEPS_ALL / 1000000},
    {"100 violations", VIOLATIONS_MAX},
    {"20 violations", REPAIR_SHOWN_MAX},
    {"16 KiB", REPAIR_PROMPT_MAX / 1024},
};

START_TEST(test_limits_are_documented)
{
    ck_assert_msg(strstr(doc, limits[_i].text), "%s", limits[_i].text);
    ck_assert_int_eq(limits[_i].value, strtol(limits[_i].text, NULL, 10));
}
END_TEST

Suite *test_suite(void)
{
    violations_rows = rows_read("contracts/violations.txt");
    kernel_rows = rows_read("contracts/kernel.txt");
    refused_rows = rows_read("contracts/refused.txt");
    Suite *suite = suite_create("contract");
    TCase *loading = test_case(suite, "loading");
    tcase_add_checked_fixture(loading, setup, teardown);
    tcase_add_loop_test(loading, test_D1_what_is_wrong_with_a_contract_is_said, 0,
                        refused_rows.count);
    tcase_add_test(loading, test_an_empty_text_is_no_contract);
    tcase_add_loop_test(loading, test_references_lead_to_schemas, 0, TABLE_LEN(accepted));
    tcase_add_loop_test(loading, test_uri_is_resolved, 0, TABLE_LEN(uris));
    tcase_add_test(loading, test_uri_has_a_limit);
    TCase *checking = test_case(suite, "checking");
    tcase_add_checked_fixture(checking, setup, teardown);
    tcase_add_loop_test(checking, test_D1_what_is_wrong_is_said, 0, violations_rows.count);
    tcase_add_loop_test(checking, test_D1_kernel_and_op_constants_have_codes, 0, kernel_rows.count);
    tcase_add_test(checking, test_D1_the_nearest_alternative_is_told_within_bounds);
    tcase_add_test(checking, test_D1_the_first_of_the_document_are_kept);
    tcase_add_loop_test(checking, test_D1_text_that_is_no_json_says_where_json_begins, 0,
                        TABLE_LEN(texts));
    tcase_add_test(checking, test_value_of_a_text_that_fits_is_given);
    tcase_add_test(checking, test_text_that_is_too_large_is_not_read);
    tcase_add_loop_test(checking, test_numbers_are_decimals, 0, TABLE_LEN(numbers));
    tcase_add_test(checking, test_a_contract_is_copied_from_its_document);
    tcase_add_test(checking, test_violations_are_added_after_earlier_ones);
    TCase *judging = test_case(suite, "judging");
    tcase_add_checked_fixture(judging, open_judge, teardown);
    tcase_add_test(judging, test_output_that_fits_is_a_success);
    tcase_add_test(judging, test_an_earlier_failure_is_kept);
    tcase_add_loop_test(judging, test_D3_a_misfit_is_tried_again_only_where_it_can_be_mended, 0,
                        TABLE_LEN(decisions));
    tcase_add_test(judging, test_D4_the_evidence_has_the_lines);
    tcase_add_test(judging, test_evidence_counts_the_violations_that_it_leaves_out);
    tcase_add_test(judging, test_evidence_has_no_control_bytes);
    tcase_add_test(judging, test_truncated_output_never_fits);
    TCase *page = test_case(suite, "docs");
    tcase_add_checked_fixture(page, read_doc, free_doc);
    tcase_add_test(page, test_D1_keywords_are_documented);
    tcase_add_loop_test(page, test_D1_codes_are_documented, 0, VIOLATION_CODE_COUNT);
    tcase_add_loop_test(page, test_limits_are_documented, 0, TABLE_LEN(limits));
    return suite;
}
