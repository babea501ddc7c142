#include "own_keys.h"

#include <string.h>

#include "keymap.h"
#include "term.h"
#include "test_main.h"

static const struct key_place on_tasks = {KEYMAP_LIVE, SCREEN_TASKS};

static struct keymap *keys_of(const char *text, struct str *problems)
{
    return own_keys_read("keys.json", text, strlen(text), problems);
}

static enum act act_of(const struct keymap *keys, uint32_t key)
{
    const struct key_binding *row = keymap_find(keys, on_tasks, key);
    return row && keymap_works(row, on_tasks) ? row->act : UI_NONE;
}

START_TEST(test_what_is_not_named_stays)
{
    struct str problems = {0};
    struct keymap *keys =
        keys_of("{\"// why\": 1, \"retry\": [\"^R\", \"F1\"], \"help\": [\"?\"]}", &problems);
    ck_assert_str_eq(str_text(&problems), "");
    ck_assert_int_eq((int)act_of(keys, 0x12), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of(keys, TERM_KEY_F1), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of(keys, 'r'), (int)UI_NONE);
    ck_assert_int_eq((int)act_of(keys, '?'), (int)UI_HELP);
    ck_assert_int_eq((int)act_of(keys, 'x'), (int)UI_CANCEL);
    ck_assert_uint_eq(keymap_of(keys, UI_RETRY, on_tasks)->key, 0x12);
    own_keys_free(keys);
}
END_TEST

START_TEST(test_keys_are_swapped)
{
    struct str problems = {0};
    struct keymap *keys = keys_of("{\"cancel\": [\"r\"], \"retry\": [\"x\"]}", &problems);
    ck_assert_str_eq(str_text(&problems), "");
    ck_assert_int_eq((int)act_of(keys, 'x'), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of(keys, 'r'), (int)UI_CANCEL);
    own_keys_free(keys);
}
END_TEST

START_TEST(test_key_that_is_named_twice_is_there_once)
{
    struct str problems = {0};
    struct keymap *keys = keys_of("{\"retry\": [\"^R\", \"^R\"]}", &problems);
    size_t found = 0;
    for (size_t i = 0; i < keys->count; i++)
        found += keys->rows[i].key == 0x12;
    ck_assert_str_eq(str_text(&problems), "");
    ck_assert_uint_eq(found, 1);
    own_keys_free(keys);
}
END_TEST

START_TEST(test_an_act_works_where_it_did)
{
    struct str problems = {0};
    struct keymap *keys = keys_of("{\"slower\": [\"(\"]}", &problems);
    const struct key_binding *row =
        keymap_find(keys, (struct key_place){KEYMAP_REPLAY, SCREEN_TASKS}, '(');
    ck_assert_ptr_nonnull(row);
    ck_assert_int_eq((int)row->act, (int)UI_SLOWER);
    ck_assert(!keymap_works(row, on_tasks));
    ck_assert_ptr_null(keymap_find(keys, on_tasks, '<'));
    own_keys_free(keys);
}
END_TEST

static const struct {
    const char *text, *problems;
} wrong_cases[] = {
    {"{\n\"retri\": [\"t\"]\n}", "keys.json:2: no act is called 'retri': did you mean 'retry'?\n"},
    {"{\"zzzzzz\": [\"t\"]}", "keys.json:1: no act is called 'zzzzzz': devs keys lists them\n"},
    {"{\n\n\"retry\": [\"Alt-x\"]}", "keys.json:3: 'Alt-x' is no key: as r, ^R, Space, F1\n"},
    {"{\"retry\": \"t\"}", "keys.json:1: retry needs a list of keys, as [\"r\"]\n"},
    {"{\"retry\": [1]}", "keys.json:1: '' is no key: as r, ^R, Space, F1\n"},
    {"{\"quit\": []}", "keys.json:1: quit needs a key\n"},
    {"{\"filter\": [\"?\"],\n\"retry\": [\"x\"]}",
     "keys.json:1: ? belongs to help: filter does not get it\n"
     "keys.json:2: x belongs to cancel: retry does not get it\n"},
    {"{\"filter\": [\"(\"],\n\"retry\": [\"(\"]}",
     "keys.json:2: ( belongs to filter: retry does not get it\n"},
    {"[]", "keys.json:1: an object is wanted, as {\"retry\": [\"r\"]}\n"},
};

START_TEST(test_what_is_wrong_is_told_and_left_out)
{
    struct str problems = {0};
    struct keymap *keys = keys_of(wrong_cases[_i].text, &problems);
    ck_assert_str_eq(str_text(&problems), wrong_cases[_i].problems);
    ck_assert_int_eq((int)act_of(keys, 'r'), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of(keys, 'x'), (int)UI_CANCEL);
    ck_assert_int_eq((int)act_of(keys, 'q'), (int)UI_QUIT);
    str_done(&problems);
    own_keys_free(keys);
}
END_TEST

START_TEST(test_no_json_says_the_line)
{
    struct str problems = {0};
    struct keymap *keys = keys_of("{\n\"retry\": [\"t\"\n", &problems);
    ck_assert_int_eq(strncmp(str_text(&problems), "keys.json:", 10), 0);
    ck_assert_uint_eq(keys->count, keymap_builtin()->count);
    str_done(&problems);
    own_keys_free(keys);
}
END_TEST

START_TEST(test_a_key_can_be_taken_away)
{
    struct str problems = {0};
    struct keymap *keys = keys_of("{\"cancel\": []}", &problems);
    ck_assert_str_eq(str_text(&problems), "");
    ck_assert_int_eq((int)act_of(keys, 'x'), (int)UI_NONE);
    ck_assert_ptr_null(keymap_of(keys, UI_CANCEL, on_tasks));
    own_keys_free(keys);
}
END_TEST

START_TEST(test_names_lead_back_to_keys)
{
    for (size_t i = 0; i < keymap_builtin()->count; i++) {
        char name[KEY_NAME_MAX];
        uint32_t key = 0;
        const uint32_t want = keymap_builtin()->rows[i].key;
        ck_assert_msg(keymap_parse_key(keymap_key_name(want, true, name), &key), "%s", name);
        ck_assert_uint_eq(key, want);
        ck_assert(keymap_parse_key(keymap_key_name(want, false, name), &key));
        ck_assert_uint_eq(key, want);
    }
    for (enum act act = UI_NONE + 1; act < UI_ACT_COUNT; act++)
        ck_assert_int_eq((int)keymap_parse_act(keymap_act_name(act)), (int)act);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("own_keys");
    TCase *tcase = test_case(suite, "file");
    tcase_add_test(tcase, test_what_is_not_named_stays);
    tcase_add_test(tcase, test_keys_are_swapped);
    tcase_add_test(tcase, test_key_that_is_named_twice_is_there_once);
    tcase_add_test(tcase, test_an_act_works_where_it_did);
    tcase_add_loop_test(tcase, test_what_is_wrong_is_told_and_left_out, 0, TABLE_LEN(wrong_cases));
    tcase_add_test(tcase, test_no_json_says_the_line);
    tcase_add_test(tcase, test_a_key_can_be_taken_away);
    tcase_add_test(tcase, test_names_lead_back_to_keys);
    return suite;
}
