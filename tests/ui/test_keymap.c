#include <stdlib.h>
#include <string.h>

#include "keymap.h"
#include "own_keys.h"
#include "str.h"
#include "term.h"
#include "test_main.h"
#include "view_command.h"

static const struct key_binding *row_at(size_t index)
{
    ck_assert_uint_lt(index, keymap_builtin()->count);
    return &keymap_builtin()->rows[index];
}

static struct key_place on_tasks(enum keymap_mode mode)
{
    return (struct key_place){mode, SCREEN_TASKS};
}

START_TEST(test_no_key_twice_at_a_place)
{
    size_t count = keymap_builtin()->count;
    ck_assert_uint_gt(count, 30);
    for (size_t i = 0; i < count; i++) {
        const struct key_binding *one = row_at(i);
        for (size_t j = i + 1; j < count; j++) {
            const struct key_binding *two = row_at(j);
            ck_assert_msg(one->key != two->key || (one->modes & two->modes) == 0 ||
                              (one->screens & two->screens) == 0,
                          "key %u is bound twice", (unsigned)one->key);
        }
    }
}
END_TEST

START_TEST(test_rows_are_whole_and_in_order)
{
    for (size_t i = 0; i < keymap_builtin()->count; i++) {
        const struct key_binding *row = row_at(i);
        ck_assert_uint_ne(row->key, 0);
        ck_assert(row->act > UI_NONE && row->act < UI_ACT_COUNT);
        ck_assert_uint_ne(row->modes, 0);
        ck_assert_uint_ne(row->screens, 0);
        ck_assert(row->brief[0] && row->words[0]);
        ck_assert_msg(strlen(row->words) <= 27, "'%s' is too long for the help", row->words);
        if (i > 0)
            ck_assert_msg(row->group >= row_at(i - 1)->group, "'%s' is out of its group",
                          row->words);
    }
}
END_TEST

START_TEST(test_every_act_has_a_key)
{
    for (enum act act = UI_NONE + 1; act < UI_ACT_COUNT; act++) {
        bool bound = false;
        for (enum screen screen = 0; screen < SCREEN_COUNT; screen++)
            bound = bound ||
                    keymap_of(keymap_builtin(), act, (struct key_place){KEYMAP_LIVE, screen}) ||
                    keymap_of(keymap_builtin(), act, (struct key_place){KEYMAP_REPLAY, screen});
        ck_assert_msg(bound, "act %d has no key", (int)act);
        ck_assert_msg(keymap_act_name(act) != NULL, "act %d has no name in keymap.c", (int)act);
    }
    ck_assert_ptr_null(keymap_of(keymap_builtin(), UI_NONE, on_tasks(KEYMAP_LIVE)));
}
END_TEST

START_TEST(test_bindings_of_an_act_are_neighbours)
{
    for (size_t i = 1; i < keymap_builtin()->count; i++) {
        if (row_at(i)->act == row_at(i - 1)->act)
            continue;
        for (size_t j = 0; j < i; j++)
            ck_assert_int_ne((int)row_at(j)->act, (int)row_at(i)->act);
    }
}
END_TEST

static const enum act some_acts[] = {UI_OPEN, UI_RETRY, UI_PLAY, UI_HELP};

/* Which key is for what is in docs/keys.md, see test_docs_have_all_keys_and_commands. */
static const struct {
    uint32_t key;
    enum act act;
    bool live, replay;
} find_cases[] = {
    {'j', UI_DOWN, true, true},           {TERM_KEY_DOWN, UI_DOWN, true, true},
    {0x04, UI_HALF_DOWN, true, true},     {0x03, UI_QUIT, true, true},
    {TERM_KEY_ESC, UI_BACK, true, true},  {'r', UI_RETRY, true, false},
    {'x', UI_CANCEL, true, false},        {',', UI_EVENT_BACK, true, true},
    {'.', UI_EVENT_FORWARD, false, true}, {'$', UI_END, false, true},
};

static const char *const refusal_words[KEYMAP_MODE_COUNT] = {
    [KEYMAP_LIVE] = "replay", [KEYMAP_PAST] = "past", [KEYMAP_REPLAY] = "replay"};

START_TEST(test_find)
{
    for (enum keymap_mode mode = 0; mode < KEYMAP_MODE_COUNT; mode++) {
        const struct key_binding *found =
            keymap_find(keymap_builtin(), on_tasks(mode), find_cases[_i].key);
        bool works = mode == KEYMAP_LIVE ? find_cases[_i].live : find_cases[_i].replay;
        ck_assert_ptr_nonnull(found);
        ck_assert_int_eq((int)found->act, (int)find_cases[_i].act);
        ck_assert_int_eq(keymap_works(found, on_tasks(mode)), works);
        if (!works)
            ck_assert_ptr_nonnull(
                strstr(keymap_refusal(found, on_tasks(mode)), refusal_words[mode]));
    }
}
END_TEST

START_TEST(test_one_key_may_do_two_things_in_two_places)
{
    const struct keymap *keys = keymap_builtin();
    ck_assert_int_eq((int)keymap_find(keys, on_tasks(KEYMAP_LIVE), ' ')->act, (int)UI_MARK);
    ck_assert_int_eq((int)keymap_find(keys, on_tasks(KEYMAP_PAST), ' ')->act, (int)UI_PLAY);
    ck_assert_int_eq((int)keymap_find(keys, on_tasks(KEYMAP_REPLAY), ' ')->act, (int)UI_PLAY);
}
END_TEST

static const uint32_t unbound[] = {'d',  'D',  0x02,          0x01,
                                   0x13, 0x11, TERM_KEY_NONE, TERM_KEY_RESIZE};

START_TEST(test_keys_that_must_do_nothing)
{
    ck_assert_ptr_null(keymap_find(keymap_builtin(), on_tasks(KEYMAP_LIVE), unbound[_i]));
    ck_assert_ptr_null(keymap_find(keymap_builtin(), on_tasks(KEYMAP_REPLAY), unbound[_i]));
}
END_TEST

static const struct {
    uint32_t key;
    const char *name, *ascii;
} name_cases[] = {
    {'j', "j", "j"},
    {0x04, "^D", "^D"},
    {' ', "Space", "Space"},
    {TERM_KEY_ENTER, "⏎", "Enter"},
    {TERM_KEY_TAB, "Tab", "Tab"},
    {TERM_KEY_ESC, "Esc", "Esc"},
    {TERM_KEY_UP, "↑", "Up"},
    {TERM_KEY_F1, "F1", "F1"},
    {0xe9, "U+00E9", "U+00E9"},
};

START_TEST(test_key_name)
{
    char name[KEY_NAME_MAX];
    ck_assert_str_eq(keymap_key_name(name_cases[_i].key, false, name), name_cases[_i].name);
    ck_assert_str_eq(keymap_key_name(name_cases[_i].key, true, name), name_cases[_i].ascii);
}
END_TEST

static const struct {
    const char *name;
    enum keymap_mode mode;
    int columns;
    bool ascii;
    const char *want;
} footer_cases[] = {
    {"live", KEYMAP_LIVE, 80, false, " ⏎ open  r retry now  ? help\n"},
    {"replay", KEYMAP_REPLAY, 80, false, " ⏎ open  Space play  ? help\n"},
    {"ASCII", KEYMAP_LIVE, 80, true, " Enter open  r retry now  ? help\n"},
    {"exactly", KEYMAP_LIVE, 28, false, " ⏎ open  r retry now  ? help\n"},
    {"narrow", KEYMAP_LIVE, 18, false, " ⏎ open  ? help\n"},
    {"tiny", KEYMAP_LIVE, 3, false, "\n"},
};

START_TEST(test_footer)
{
    struct canvas canvas;
    struct str text = {0};
    struct footer footer = {
        keymap_builtin(), some_acts, 4, on_tasks(footer_cases[_i].mode), NULL, 1};
    canvas_init(&canvas, 1, footer_cases[_i].columns, footer_cases[_i].ascii);

    keymap_footer(&canvas, 0, &footer);

    canvas_to_text(&canvas, &text);
    ck_assert_msg(strcmp(str_text(&text), footer_cases[_i].want) == 0, "%s: '%s'",
                  footer_cases[_i].name, str_text(&text));
    str_done(&text);
    canvas_done(&canvas);
}
END_TEST

START_TEST(test_footer_styles)
{
    struct canvas canvas;
    struct footer footer = {keymap_builtin(), some_acts, 1, on_tasks(KEYMAP_LIVE), NULL, 1};
    canvas_init(&canvas, 1, 20, false);
    keymap_footer(&canvas, 0, &footer);
    ck_assert_uint_eq(canvas_cell(&canvas, 0, 1)->style, STYLE_KEY);
    ck_assert_uint_eq(canvas_cell(&canvas, 0, 3)->style, STYLE_PLAIN);
    canvas_done(&canvas);
}
END_TEST

START_TEST(test_table_as_text)
{
    struct str text = {0};
    keymap_to_text(NULL, true, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text),
                                 "\nx           ACT    cancel           live          "
                                 "cancel: choose s, t or K (all but Runs, Hosts)\n"));
    ck_assert_ptr_nonnull(
        strstr(str_text(&text), "\nEnter       MOVE   open             always        "));
    for (const char *at = str_text(&text); *at; at++)
        ck_assert_int_eq((unsigned char)*at & 0x80, 0);
    str_done(&text);
}
END_TEST

/* The page lists exactly the output of devs keys, and names every command. */
START_TEST(test_docs_have_all_keys_and_commands)
{
    char *doc = test_read_file(test_source_path("docs/keys.md"));
    struct str text = {0};
    ck_assert_ptr_nonnull(doc);
    str_add(&text, "```text\n");
    keymap_to_text(NULL, false, &text);
    str_add(&text, "```\n");
    ck_assert_msg(strstr(doc, str_text(&text)) != NULL,
                  "docs/keys.md does not hold what devs keys prints:\n%s", str_text(&text));
    const struct command_row *row;
    for (size_t i = 0; (row = view_command_at(i)); i++) {
        str_clear(&text);
        str_addf(&text, "| `:%s", row->name);
        ck_assert_msg(strstr(doc, str_text(&text)) != NULL, "docs/keys.md: no :%s", row->name);
    }
    str_done(&text);
    free(doc);
}
END_TEST

static void check_said(const struct keymap *keys, const char *words, const char *want)
{
    struct str out = {0};
    keymap_say(keys, words, &out);
    ck_assert_str_eq(str_text(&out), want);
    str_done(&out);
}

START_TEST(test_sentences_name_the_keys_that_a_person_has)
{
    static const struct key_binding row = {.key = 'Q', .act = UI_CANCEL};
    const struct keymap own = {&row, 1};
    const struct keymap *keys = keymap_builtin();
    check_said(keys, "{cancel} cancels, {open} opens; {end} leads back",
               "x cancels, Enter opens; $ leads back");
    check_said(&own, "{cancel} cancels, {retry} tries again", "Q cancels, :retry tries again");
    check_said(keys, "{nobody} {} {cancel", "{nobody} {} {cancel");
}
END_TEST

static void add_keymap_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "table");
    tcase_add_test(tcase, test_no_key_twice_at_a_place);
    tcase_add_test(tcase, test_rows_are_whole_and_in_order);
    tcase_add_test(tcase, test_every_act_has_a_key);
    tcase_add_test(tcase, test_sentences_name_the_keys_that_a_person_has);
    tcase_add_test(tcase, test_bindings_of_an_act_are_neighbours);
    tcase_add_loop_test(tcase, test_find, 0, TABLE_LEN(find_cases));
    tcase_add_test(tcase, test_one_key_may_do_two_things_in_two_places);
    tcase_add_loop_test(tcase, test_keys_that_must_do_nothing, 0, TABLE_LEN(unbound));
    tcase = test_case(suite, "shown");
    tcase_add_loop_test(tcase, test_key_name, 0, TABLE_LEN(name_cases));
    tcase_add_loop_test(tcase, test_footer, 0, TABLE_LEN(footer_cases));
    tcase_add_test(tcase, test_footer_styles);
    tcase_add_test(tcase, test_table_as_text);
    tcase_add_test(tcase, test_docs_have_all_keys_and_commands);
}

static struct keymap *keys; /* of the user */
static struct str problems;

static void read_keys(const char *text)
{
    keys = own_keys_read("keys.json", text, strlen(text), &problems);
}

static void read_good_keys(const char *text)
{
    read_keys(text);
    ck_assert_str_eq(str_text(&problems), "");
}

static void free_keys(void)
{
    own_keys_free(keys);
    keys = NULL;
    str_done(&problems);
}

static enum act act_of(uint32_t key)
{
    const struct key_binding *row = keymap_find(keys, on_tasks(KEYMAP_LIVE), key);
    return row && keymap_works(row, on_tasks(KEYMAP_LIVE)) ? row->act : UI_NONE;
}

START_TEST(test_what_is_not_named_stays)
{
    read_good_keys("{\"// why\": 1, \"retry\": [\"^R\", \"F1\"], \"help\": [\"?\"]}");
    ck_assert_int_eq((int)act_of(0x12), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of(TERM_KEY_F1), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of('r'), (int)UI_NONE);
    ck_assert_int_eq((int)act_of('?'), (int)UI_HELP);
    ck_assert_int_eq((int)act_of('x'), (int)UI_CANCEL);
    ck_assert_uint_eq(keymap_of(keys, UI_RETRY, on_tasks(KEYMAP_LIVE))->key, 0x12);
}
END_TEST

START_TEST(test_keys_are_swapped)
{
    read_good_keys("{\"cancel\": [\"r\"], \"retry\": [\"x\"]}");
    ck_assert_int_eq((int)act_of('x'), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of('r'), (int)UI_CANCEL);
}
END_TEST

START_TEST(test_key_that_is_named_twice_is_there_once)
{
    read_good_keys("{\"retry\": [\"^R\", \"^R\"]}");
    size_t found = 0;
    for (size_t i = 0; i < keys->count; i++)
        found += keys->rows[i].key == 0x12;
    ck_assert_uint_eq(found, 1);
}
END_TEST

START_TEST(test_an_act_works_where_it_did)
{
    read_good_keys("{\"slower\": [\"(\"]}");
    const struct key_binding *row =
        keymap_find(keys, (struct key_place){KEYMAP_REPLAY, SCREEN_TASKS}, '(');
    ck_assert_ptr_nonnull(row);
    ck_assert_int_eq((int)row->act, (int)UI_SLOWER);
    ck_assert(!keymap_works(row, on_tasks(KEYMAP_LIVE)));
    ck_assert_ptr_null(keymap_find(keys, on_tasks(KEYMAP_LIVE), '<'));
}
END_TEST

static const struct {
    const char *text, *problems;
} wrong_cases[] = {
    {"{\n\"retri\": [\"t\"]\n}", "keys.json:2: unknown action 'retri': did you mean 'retry'?\n"},
    {"{\"zzzzzz\": [\"t\"]}", "keys.json:1: unknown action 'zzzzzz': devs keys lists them\n"},
    {"{\n\n\"retry\": [\"Alt-x\"]}", "keys.json:3: 'Alt-x' is not a key: try r, ^R, Space or F1\n"},
    {"{\"retry\": \"t\"}", "keys.json:1: retry needs a list of keys, such as [\"r\"]\n"},
    {"{\"retry\": [1]}", "keys.json:1: '' is not a key: try r, ^R, Space or F1\n"},
    {"{\"quit\": []}", "keys.json:1: quit needs a key\n"},
    {"{\"filter\": [\"?\"],\n\"retry\": [\"x\"]}",
     "keys.json:1: ? is used by help: not assigned to filter\n"
     "keys.json:2: x is used by cancel: not assigned to retry\n"},
    {"{\"filter\": [\"(\"],\n\"retry\": [\"(\"]}",
     "keys.json:2: ( is used by filter: not assigned to retry\n"},
    {"[]", "keys.json:1: expected an object, such as {\"retry\": [\"r\"]}\n"},
};

START_TEST(test_what_is_wrong_is_told_and_left_out)
{
    read_keys(wrong_cases[_i].text);
    ck_assert_str_eq(str_text(&problems), wrong_cases[_i].problems);
    ck_assert_int_eq((int)act_of('r'), (int)UI_RETRY);
    ck_assert_int_eq((int)act_of('x'), (int)UI_CANCEL);
    ck_assert_int_eq((int)act_of('q'), (int)UI_QUIT);
}
END_TEST

START_TEST(test_no_json_says_the_line)
{
    read_keys("{\n\"retry\": [\"t\"\n");
    ck_assert_int_eq(strncmp(str_text(&problems), "keys.json:", 10), 0);
    ck_assert_uint_eq(keys->count, keymap_builtin()->count);
}
END_TEST

START_TEST(test_a_key_can_be_taken_away)
{
    read_good_keys("{\"cancel\": []}");
    ck_assert_int_eq((int)act_of('x'), (int)UI_NONE);
    ck_assert_ptr_null(keymap_of(keys, UI_CANCEL, on_tasks(KEYMAP_LIVE)));
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

static void add_own_keys_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "file");
    tcase_add_checked_fixture(tcase, NULL, free_keys);
    tcase_add_test(tcase, test_what_is_not_named_stays);
    tcase_add_test(tcase, test_keys_are_swapped);
    tcase_add_test(tcase, test_key_that_is_named_twice_is_there_once);
    tcase_add_test(tcase, test_an_act_works_where_it_did);
    tcase_add_loop_test(tcase, test_what_is_wrong_is_told_and_left_out, 0, TABLE_LEN(wrong_cases));
    tcase_add_test(tcase, test_no_json_says_the_line);
    tcase_add_test(tcase, test_a_key_can_be_taken_away);
    tcase_add_test(tcase, test_names_lead_back_to_keys);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("keymap");
    add_keymap_cases(suite);
    add_own_keys_cases(suite);
    return suite;
}
