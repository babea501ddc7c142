/* What a set of rules may hold, and how it is said where it holds more. */
#include <string.h>

#include "classify_internal.h"
#include "test_main.h"

static bool open_rules(const struct str *text, struct err *err)
{
    struct rules *rules = NULL;
    bool ok = rules_open(&rules, str_text(text), text->len, err);
    rules_close(rules);
    return ok;
}

static const struct {
    const char *json;
    const char *why; /* NULL: it is taken */
} sets[] = {
    {"{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[]}", NULL},
    {"{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[],\"said\":[]}", NULL},
    {"{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[],\"said\":{}}", "list of at most 512"},
    {"{\"errors\":[],\"hints\":[],\"rules\":[]}", "list of at most 512"},
    {"{\"guards\":[],\"hints\":[],\"rules\":[]}", "list of at most 512"},
    {"{\"guards\":[],\"errors\":[],\"rules\":[]}", "list of at most 512"},
    {"{\"guards\":[],\"errors\":[],\"hints\":[]}", "list of at most 512"},
    {"{\"guards\":{},\"errors\":[],\"hints\":[],\"rules\":[]}", "list of at most 512"},
    {"{\"guards\":[{\"id\":\"g\",\"exit\":1}],\"errors\":[],\"hints\":[],\"rules\":[]}",
     "rule 1 'g': no pattern"},
    {"[]", "list of at most 512"},
    {"{", ""},
};

START_TEST(test_set_is_complete)
{
    struct err err = {0};
    struct str text = {0};
    str_add(&text, sets[_i].json);
    bool ok = open_rules(&text, &err);
    ck_assert_msg(ok == !sets[_i].why, "%s: %s", sets[_i].json, err.message);
    if (!ok)
        ck_assert_msg(strstr(err.message, sets[_i].why) != NULL, "%s", err.message);
    str_done(&text);
}
END_TEST

/* Members of the one rule of a set. */
static const struct {
    const char *members;
    const char *why;
} rules[] = {
    {"\"exit\":1", NULL},
    {"\"exit\":[1,2]", NULL},
    {"\"exit\":1,\"kind\":\"run\"", NULL},
    {"\"exit\":1,\"kind\":\"agent\"", NULL},
    {"\"signal\":[9]", NULL},
    {"\"exit\":[]", "exit: expected 1..16 numbers"},
    {"\"exit\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "exit: expected 1..16 numbers"},
    {"\"exit\":-1", "exit: expected a number from 0 to 255"},
    {"\"signal\":[1,2,3,4,5,6,7,8,9]", "signal: expected 1..8 numbers"},
    {"\"signal\":65", "signal: expected a number from 1 to 64"},
    {"\"exit\":1,\"class\":\"transient\",\"type\":\"NETWORK_TIMEOUT\",\"reason\":\"auth\"",
     "seven types"},
    {"\"exit\":1,\"retry_after\":-1", "number of a group"},
    {"\"exit\":1,\"subtype\":\"a-subtype-that-is-longer-than-there-is-room\"", "subtype is longer"},
    {"\"exit\":1,\"program\":\"a-program-of-some-length\"", "program is longer"},
    {"\"exit\":1,\"need\":[\"a\\nb\"]", "need must be a list of words"},
    {"\"exit\":1,\"need\":[7]", "need must be a list of words"},
    {"\"need\":[\"x\"],\"pattern\":\"x\",\"after\":\"(\"", "pattern, byte"},
    {"\"need\":[\"x\"],\"pattern\":\"x\",\"unless\":\"(\"", "pattern, byte"},
    {"\"need\":[\"x\"],\"pattern\":\"x\",\"unless_text\":\"(\"", "pattern, byte"},
    {"\"pattern\":\"x\",\"user\":true", NULL},
};

START_TEST(test_rule_is_within_its_limits)
{
    struct err err = {0};
    struct str text = {0};
    str_addf(&text, "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[{\"id\":\"r\",%s}]}",
             rules[_i].members);
    bool ok = open_rules(&text, &err);
    ck_assert_msg(ok == !rules[_i].why, "%s: %s", rules[_i].members, err.message);
    if (!ok)
        ck_assert_msg(strstr(err.message, rules[_i].why) != NULL, "%s", err.message);
    str_done(&text);
}
END_TEST

/* So many items, one more than which is too many. */
static void add_items(struct str *text, int count, const char *item)
{
    for (int i = 0; i < count; i++)
        str_addf(text, "%s%s", i > 0 ? "," : "", item);
}

START_TEST(test_so_many_guards)
{
    struct err err = {0};
    struct str text = {0};
    str_add(&text, "{\"guards\":[");
    add_items(&text, RULE_GUARDS_MAX + _i, "{\"id\":\"g\",\"need\":[\"x\"],\"pattern\":\"x\"}");
    str_add(&text, "],\"errors\":[],\"hints\":[],\"rules\":[]}");
    ck_assert_int_eq(open_rules(&text, &err), _i == 0);
    if (_i > 0)
        ck_assert_ptr_nonnull(strstr(err.message, "more than 64 guards"));
    str_done(&text);
}
END_TEST

START_TEST(test_so_many_rules)
{
    struct err err = {0};
    struct str text = {0};
    str_add(&text, "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[");
    add_items(&text, RULES_MAX + _i, "{\"id\":\"r\",\"exit\":1}");
    str_add(&text, "]}");
    ck_assert_int_eq(open_rules(&text, &err), _i == 0);
    if (_i > 0)
        ck_assert_ptr_nonnull(strstr(err.message, "at most 512 rules"));
    str_done(&text);
}
END_TEST

START_TEST(test_so_many_literals)
{
    struct err err = {0};
    struct str text = {0};
    str_add(&text, "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[{\"id\":\"r\",\"exit\":1,"
                   "\"need\":[");
    add_items(&text, RULE_NEEDS_MAX + _i, "\"x\"");
    str_add(&text, "]}]}");
    ck_assert_int_eq(open_rules(&text, &err), _i == 0);
    if (_i > 0)
        ck_assert_ptr_nonnull(strstr(err.message, "more than 64 literals"));
    str_done(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("classify_limits");
    TCase *tcase = test_case(suite, "limits");
    tcase_add_loop_test(tcase, test_set_is_complete, 0, TABLE_LEN(sets));
    tcase_add_loop_test(tcase, test_rule_is_within_its_limits, 0, TABLE_LEN(rules));
    tcase_add_loop_test(tcase, test_so_many_guards, 0, 2);
    tcase_add_loop_test(tcase, test_so_many_rules, 0, 2);
    tcase_add_loop_test(tcase, test_so_many_literals, 0, 2);
    return suite;
}
