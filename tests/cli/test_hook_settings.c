#include "hook.h"

#include <string.h>

#include "json.h"
#include "json_edit.h"
#include "test_main.h"

static struct str text;
static const struct hook_agent *agent;

static void setup(void)
{
    text = (struct str){0};
    agent = hook_agent_named("codex");
}

static void teardown(void)
{
    str_done(&text);
}

static void add(const char *command)
{
    struct err err = {0};
    ck_assert_msg(hook_settings_add(&text, agent, command, &err), "%s", err.message);
}

static void take_out(void)
{
    struct err err = {0};
    ck_assert_msg(hook_settings_remove(&text, &err), "%s", err.message);
}

static size_t count(void)
{
    size_t count = 0;
    ck_assert(hook_settings_count(&text, agent, &count, NULL));
    return count;
}

/* Each comes back byte by byte, but for what the second text says. */
static const struct {
    const char *name;
    const char *text;
    const char *after; /* NULL: the same */
} trips[] = {
    {"none", "", "{}\n"},
    {"empty", "{}\n", NULL},
    {"empty, without a line feed", "{}", NULL},
    {"one line", "{\"model\":\"x\",\"env\":{\"A\":\"1\"}}", NULL},
    {"two spaces", "{\n  \"model\": \"x\",\n  \"env\": {\n    \"A\": \"1\"\n  }\n}\n", NULL},
    {"tabs", "{\n\t\"model\": \"x\"\n}\n", NULL},
    {"CRLF", "{\r\n    \"model\": \"x\"\r\n}\r\n", NULL},
    {"order and odd spaces", "{ \"z\" : 1 ,\n \"a\":[1,2 , 3]\n}", NULL},
    {"comments",
     "// mine\n{\n  // first\n  \"a\": 1, /* one */\n  \"b\": \"//no\" // last\n}\n// end\n", NULL},
    {"a comma too many", "{\n  \"a\": [1, 2, ],\n  \"b\": 1,\n}\n", NULL},
    {"a mark at the start", "\xef\xbb\xbf{\n  \"a\": 1\n}\n", NULL},
    {"large numbers", "{\n  \"a\": 123456789012345678901234567890,\n  \"b\": 1e300\n}\n", NULL},
    {"hooks of others",
     "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          {\n            "
     "\"type\": \"command\",\n            \"command\": \"say done\"\n          }\n        ]\n      "
     "}\n    ],\n    \"Notification\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": "
     "\"x\"}]}\n    ]\n  },\n  \"model\": \"x\"\n}\n",
     NULL},
    {"hooks of others, one line",
     "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"}]}]}}", NULL},
    {"hooks of others with comments",
     "{\n  \"hooks\": {\n    // when it stops\n    \"Stop\": [\n      {\"hooks\": [{\"command\": "
     "\"x\"}]}, // mine\n    ], /* the end */\n  },\n}\n",
     NULL},
    {"hooks that are there and empty", "{\n  \"hooks\": {}\n}\n", "{}\n"},
    {"one line and a comment", "{\"a\": 1 // mine\n}\n", NULL},
    {"one line, a comma too many and a comment", "{\"a\": 1, // mine\n}", NULL},
    {"a comment where it ends", "{ // mine\n \"a\": 1}", NULL},
    {"names with escapes",
     "{\"ho\\u006fks\": {\"St\\u006fp\": [{\"h\\u006foks\": [{\"command\": \"x\"}]}]}}\n", NULL},
    {"brackets and quotes in texts", "{\n  \"a\": \"}]\\\"{[/*\",\n  \"b]\": \"//\"\n}\n", NULL},
};

START_TEST(test_settings_come_back_as_they_were)
{
    str_add(&text, trips[_i].text);
    add("devs hook --agent codex");
    ck_assert_uint_eq(count(), 5);
    struct jsonc jsonc;
    struct err err = {0};
    ck_assert_msg(jsonc_open(&jsonc, &text, &err), "%s\n%s", err.message, text.data);
    const struct json *stop = json_get(json_get(jsonc.tree, "hooks"), "Stop");
    const struct json *last = json_at(stop, json_count(stop) - 1);
    ck_assert_str_eq(json_text(json_get(json_at(json_get(last, "hooks"), 0), "command"), ""),
                     "devs hook --agent codex");
    jsonc_close(&jsonc);
    take_out();
    ck_assert_uint_eq(count(), 0);
    const char *want = trips[_i].after ? trips[_i].after : trips[_i].text;
    ck_assert_msg(strcmp(str_text(&text), want) == 0, "%s: got\n%s", trips[_i].name,
                  str_text(&text));
}
END_TEST

START_TEST(test_added_twice_is_added_once)
{
    struct str first = {0};
    str_add(&text, "{\n  \"model\": \"x\" // mine\n}\n");
    add("devs hook --agent codex");
    str_add(&first, str_text(&text));
    add("devs hook --agent codex");
    ck_assert_str_eq(str_text(&text), str_text(&first));
    add("/opt/a b/devs hook --agent codex"); /* it has moved */
    ck_assert_uint_eq(count(), 0);           /* that is no word of a shell */
    take_out();
    add("'/opt/a b/devs' hook --agent codex");
    ck_assert_uint_eq(count(), 5);
    add("devs hook --agent codex");
    ck_assert_ptr_null(strstr(str_text(&text), "/opt/a b/devs' hook"));
    str_done(&first);
}
END_TEST

START_TEST(test_only_our_hooks_go)
{
    str_add(&text, "{\"hooks\":{\"Stop\":[{\"matcher\":\"*\",\"hooks\":["
                   "{\"command\":\"notdevs hook\"},{\"command\":\"/usr/bin/devs hook\"},"
                   "{\"command\":\"devs hooks\"},{\"command\":\"echo devs hook\"}]}]}}");
    take_out();
    ck_assert_str_eq(str_text(&text),
                     "{\"hooks\":{\"Stop\":[{\"matcher\":\"*\",\"hooks\":["
                     "{\"command\":\"notdevs hook\"},"
                     "{\"command\":\"devs hooks\"},{\"command\":\"echo devs hook\"}]}]}}");
}
END_TEST

/* What stands behind ours on its line stays out of the comment before it. */
static const struct {
    const char *text, *after;
} commented[] = {
    {"{\"hooks\": {\"Stop\": [ // mine\n  {\"hooks\": [{\"command\": \"devs hook\"}]}, {}]}}",
     "{\"hooks\": {\"Stop\": [ // mine\n {}]}}"},
    {"{\"hooks\": {\"Stop\": [ // mine\n  {\"hooks\": [{\"command\": \"devs hook\"}]}]}}",
     "{\"hooks\": {\"Stop\": [ // mine\n]}}"},
};

START_TEST(test_a_comment_before_ours_takes_nothing_in)
{
    str_add(&text, commented[_i].text);
    take_out();
    ck_assert_str_eq(str_text(&text), commented[_i].after);
}
END_TEST

static const char *const wrong[] = {
    "[]",
    "nonsense",
    "{\"a\": 1",
    "{\"a\": 1} {",
    "{\"hooks\": []}",
    "{\"hooks\": {\"Stop\": {}}}",
    "{\"hooks\": {\"Stop\": \"x\"}}",
    "{\"a\": 1, \"a\": 2}",
    "{\"a\": 1 /* no end }",
    "{,}",
    "{\"a\": [,]}",
};

START_TEST(test_what_cannot_be_read_stays)
{
    struct err err = {0};
    str_add(&text, wrong[_i]);
    ck_assert(!hook_settings_add(&text, agent, "devs hook", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert(err.message[0] != '\0');
    ck_assert_str_eq(str_text(&text), wrong[_i]);
    ck_assert(!hook_settings_remove(&text, NULL));
    ck_assert_str_eq(str_text(&text), wrong[_i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hook_settings");
    TCase *tcase = test_case(suite, "hook_settings");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_settings_come_back_as_they_were, 0,
                        (int)(sizeof(trips) / sizeof(trips[0])));
    tcase_add_test(tcase, test_added_twice_is_added_once);
    tcase_add_test(tcase, test_only_our_hooks_go);
    tcase_add_loop_test(tcase, test_a_comment_before_ours_takes_nothing_in, 0,
                        (int)(sizeof(commented) / sizeof(commented[0])));
    tcase_add_loop_test(tcase, test_what_cannot_be_read_stays, 0,
                        (int)(sizeof(wrong) / sizeof(wrong[0])));
    return suite;
}
