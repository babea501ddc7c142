/* Questions and the line that is typed in, beside the scripts acts.txt and prompts.txt. */
#include "prompt.h"

#include <string.h>

#include "term.h"
#include "test_main.h"

enum { OPENED_MS = 5000, LATER_MS = OPENED_MS + PROMPT_DEAF_MS };

static const struct prompt_target waiting = {
    .task = 3,
    .id = "T-104",
    .title = "checkout: tax rounding",
    .status = TASK_BACKOFF,
    .step = 1,
    .phase = PHASE_GREEN,
    .attempt = 3,
    .attempts = 3,
};

static const struct prompt_many six = {
    .kind = PROMPT_CANCEL_MANY,
    .whose = "tasks of one fault",
    .ids = "T-104 T-105 T-106 T-107 T-108 T-109",
    .count = 6,
    .left_why = "",
};

static struct prompt prompt;
static struct line_edit edit;
static struct canvas canvas;
static struct str text;

static void setup(void)
{
    canvas_init(&canvas, 6, 80, false);
    prompt_open(&prompt, PROMPT_CANCEL, &waiting, OPENED_MS);
}

static void teardown(void)
{
    canvas_done(&canvas);
    str_done(&text);
}

static const char *drawn(void)
{
    canvas_clear(&canvas);
    prompt_draw(&prompt, &canvas);
    str_clear(&text);
    canvas_to_text(&canvas, &text);
    return str_text(&text);
}

static void open_kind(enum prompt_kind kind)
{
    struct prompt_many many = six;
    many.kind = kind;
    many.agents = 2;
    prompt_close(&prompt);
    if (kind == PROMPT_QUIT)
        prompt_open_quit(&prompt, 3, 2, OPENED_MS);
    else if (kind == PROMPT_CANCEL || kind == PROMPT_KILL || kind == PROMPT_RETRY_WITH)
        prompt_open(&prompt, kind, &waiting, OPENED_MS);
    else
        prompt_open_many(&prompt, &many, OPENED_MS);
}

/* The keys that answer a question, and what they decide. */
static const struct {
    enum prompt_kind kind;
    const char *keys;
    enum prompt_choice choices[4];
} answers[] = {
    {PROMPT_CANCEL, "stK", {PROMPT_STOP, PROMPT_TERM, PROMPT_KILLED}},
    {PROMPT_CANCEL_MANY, "stK", {PROMPT_STOP, PROMPT_TERM, PROMPT_KILLED}},
    {PROMPT_KILL, "K", {PROMPT_KILLED}},
    {PROMPT_KILL_MANY, "K", {PROMPT_KILLED}},
    {PROMPT_RETRY_MANY, "s", {PROMPT_GO}},
    {PROMPT_HOLD_MANY, "h", {PROMPT_GO}},
    {PROMPT_RELEASE_MANY, "r", {PROMPT_GO}},
    {PROMPT_QUIT, "wcd", {PROMPT_WAIT, PROMPT_CANCEL_ALL, PROMPT_DETACH}},
};

/* No other key does, above all not Enter, y and the key that asked; and none right after the
 * question has opened, except Esc. */
START_TEST(test_only_its_answers_decide)
{
    const enum prompt_kind kind = answers[_i].kind;
    for (uint32_t key = 1; key <= 0x7f; key++) {
        const char *answer = strchr(answers[_i].keys, (int)key);
        const enum prompt_choice want = key == TERM_KEY_ESC ? PROMPT_KEPT
                                        : answer ? answers[_i].choices[answer - answers[_i].keys]
                                                 : PROMPT_UNDECIDED;
        open_kind(kind);
        if (key != TERM_KEY_ESC)
            ck_assert_int_eq((int)prompt_key(&prompt, key, LATER_MS - 1), (int)PROMPT_UNDECIDED);
        ck_assert_int_eq((int)prompt.kind, (int)kind);
        ck_assert_msg(prompt_key(&prompt, key, LATER_MS) == want, "key %u", (unsigned)key);
        ck_assert_int_eq(prompt.kind == PROMPT_NONE, want != PROMPT_UNDECIDED);
    }
}
END_TEST

START_TEST(test_escape_is_always_heard)
{
    ck_assert_int_eq((int)prompt_key(&prompt, TERM_KEY_ESC, OPENED_MS), (int)PROMPT_KEPT);
    ck_assert_int_eq((int)prompt.kind, (int)PROMPT_NONE);
}
END_TEST

START_TEST(test_closed_prompt_takes_nothing)
{
    prompt_close(&prompt);
    ck_assert_int_eq((int)prompt_key(&prompt, 's', LATER_MS), (int)PROMPT_UNDECIDED);
    ck_assert_int_eq(prompt_rows(&prompt, 24), 0);
    ck_assert_str_eq(drawn(), "\n\n\n\n\n\n");
}
END_TEST

START_TEST(test_same_target_changes_nothing)
{
    ck_assert(!prompt_update(&prompt, &waiting, OPENED_MS + 100));
    ck_assert(!prompt.changed);
    ck_assert_int_eq((int)prompt_key(&prompt, 's', LATER_MS), (int)PROMPT_STOP);
    open_kind(PROMPT_CANCEL_MANY); /* the caller keeps its tasks */
    ck_assert(!prompt_update(&prompt, &waiting, LATER_MS));
}
END_TEST

/* Below the question, where a title may be truncated, every answer has a text that fits. */
START_TEST(test_narrow_screens_cut_no_answer)
{
    for (int columns = 40; columns <= 60; columns += 20) {
        open_kind((enum prompt_kind)_i);
        canvas_resize(&canvas, 12, columns);
        const char *frame = drawn();
        frame += strspn(frame, "\n");
        const char *below = strchr(frame, '\n');
        ck_assert_ptr_nonnull(below);
        ck_assert_msg(!strstr(below, "…"), "%s", frame);
    }
}
END_TEST

static void open_cancel(const struct prompt_target *target)
{
    prompt_close(&prompt);
    prompt_open(&prompt, PROMPT_CANCEL, target, OPENED_MS);
}

START_TEST(test_hint_of_a_check_is_for_the_next_round)
{
    struct prompt_target target = waiting;
    target.hint_goes = HINT_GOES_BACK;
    prompt_close(&prompt);
    prompt_open(&prompt, PROMPT_RETRY_WITH, &target, OPENED_MS);
    const char *frame = drawn();
    ck_assert_msg(strstr(frame, "for the agent's prompt in the next round\n"), "%s", frame);
}
END_TEST

START_TEST(test_long_title_does_not_hide_the_state)
{
    char title[400];
    memset(title, 'z', sizeof(title));
    title[sizeof(title) - 1] = '\0';
    struct prompt_target target = waiting;
    target.title = title;
    open_cancel(&target);

    ck_assert_ptr_nonnull(strstr(drawn(), " Cancel T-104 zzz"));
    ck_assert_ptr_nonnull(strstr(drawn(), "…   it waits for try 4, nothing running\n"));
}
END_TEST

START_TEST(test_title_is_cut_between_runes)
{
    char title[PROMPT_TITLE_MAX + 8];
    memset(title, 'z', sizeof(title));
    memcpy(title + PROMPT_TITLE_MAX - 2, "é", sizeof("é"));
    struct prompt_target target = waiting;
    target.title = title;
    open_cancel(&target);
    ck_assert_uint_eq(strlen(prompt.title), PROMPT_TITLE_MAX - 2);
}
END_TEST

START_TEST(test_prompt_covers_what_is_below)
{
    canvas_rule(&canvas, 5, 0, 80);
    canvas_choose(&canvas, 5, 0, 80);
    prompt_draw(&prompt, &canvas);
    ck_assert_uint_eq(canvas_cell(&canvas, 5, 70)->rune, ' ');
    ck_assert(!canvas_cell(&canvas, 5, 70)->chosen);
}
END_TEST

START_TEST(test_small_canvases)
{
    for (int rows = 1; rows <= 5; rows++) {
        for (int columns = 1; columns <= 40; columns++) {
            canvas_resize(&canvas, rows, columns);
            prompt_draw(&prompt, &canvas);
            ck_assert_int_le(prompt_rows(&prompt, rows), rows);
            bool named = columns < 16 || strstr(drawn(), "T-104") != NULL;
            ck_assert_msg(named, "%dx%d does not name its task", columns, rows);
        }
    }
}
END_TEST

static void type(const char *keys)
{
    for (; *keys; keys++)
        ck_assert_int_eq((int)line_edit_key(&edit, (unsigned char)*keys), (int)LINE_EDIT_OPEN);
}

START_TEST(test_typing_edits)
{
    line_edit_open(&edit);
    type("abc");
    line_edit_key(&edit, 0xe9);
    line_edit_key(&edit, 0x65e5);
    line_edit_key(&edit, 0x1f600);
    ck_assert_str_eq(edit.text, "abcé日😀");
    line_edit_key(&edit, TERM_KEY_BACKSPACE);
    line_edit_key(&edit, TERM_KEY_BACKSPACE);
    line_edit_key(&edit, TERM_KEY_BACKSPACE);
    ck_assert_str_eq(edit.text, "abc");
    ck_assert_uint_eq(edit.len, 3);
    line_edit_key(&edit, 0x15);
    ck_assert_str_eq(edit.text, "");
    line_edit_key(&edit, TERM_KEY_BACKSPACE);
    ck_assert_uint_eq(edit.len, 0);
    ck_assert(edit.open);
}
END_TEST

static const uint32_t no_text[] = {0x01,         0x9b,         0xd800, TERM_KEY_UP, TERM_KEY_RESIZE,
                                   TERM_KEY_TAB, TERM_KEY_NONE};

START_TEST(test_keys_that_are_no_text)
{
    line_edit_open(&edit);
    ck_assert_int_eq((int)line_edit_key(&edit, no_text[_i]), (int)LINE_EDIT_OPEN);
    ck_assert_uint_eq(edit.len, 0);
}
END_TEST

START_TEST(test_enter_keeps_and_esc_clears)
{
    line_edit_open(&edit);
    type("tax");
    ck_assert_int_eq((int)line_edit_key(&edit, TERM_KEY_ENTER), (int)LINE_EDIT_KEPT);
    ck_assert(!edit.open);
    ck_assert_str_eq(edit.text, "tax");
    line_edit_open(&edit);
    ck_assert_str_eq(edit.text, "tax");
    ck_assert_int_eq((int)line_edit_key(&edit, TERM_KEY_ESC), (int)LINE_EDIT_CLEARED);
    ck_assert(!edit.open);
    ck_assert_str_eq(edit.text, "");
}
END_TEST

START_TEST(test_full_line_takes_no_more)
{
    line_edit_open(&edit);
    for (int i = 0; i < LINE_EDIT_MAX + 10; i++)
        line_edit_key(&edit, 'a');
    ck_assert_uint_eq(edit.len, LINE_EDIT_MAX - 1);
    ck_assert_uint_eq(strlen(edit.text), LINE_EDIT_MAX - 1);
    line_edit_key(&edit, TERM_KEY_BACKSPACE);
    line_edit_key(&edit, 0xe9); /* two bytes, but only one is free */
    ck_assert_uint_eq(edit.len, LINE_EDIT_MAX - 2);
}
END_TEST

static const struct {
    int columns;
    const char *typed, *want;
    int cursor;
} edit_cases[] = {
    {20, "tax", " filter: tax", 12},
    {20, "", " filter:", 9},
    {14, "abcdefgh", " filter: efgh", 13},
    {14, "日本語", " filter: 本語", 13},
    {4, "abc", " fi…", 3},
};

START_TEST(test_edit_drawn)
{
    canvas_resize(&canvas, 1, edit_cases[_i].columns);
    line_edit_open(&edit);
    for (const char *at = edit_cases[_i].typed; *at; at++)
        edit.text[edit.len++] = *at;

    line_edit_draw(&edit, &canvas, 0, "filter: ");

    canvas_to_text(&canvas, &text);
    text.data[text.len - 1] = '\0';
    ck_assert_str_eq(text.data, edit_cases[_i].want);
    ck_assert_int_eq(canvas.cursor_row, 0);
    ck_assert_int_eq(canvas.cursor_column, edit_cases[_i].cursor);
}
END_TEST

START_TEST(test_closed_edit_has_no_cursor)
{
    line_edit_draw(&edit, &canvas, 0, "filter: ");
    ck_assert_int_eq(canvas.cursor_row, -1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("prompt");
    TCase *tcase = test_case(suite, "prompt");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_only_its_answers_decide, 0, TABLE_LEN(answers));
    tcase_add_test(tcase, test_closed_prompt_takes_nothing);
    tcase_add_test(tcase, test_same_target_changes_nothing);
    tcase_add_test(tcase, test_escape_is_always_heard);
    tcase_add_loop_test(tcase, test_narrow_screens_cut_no_answer, PROMPT_CANCEL, PROMPT_KIND_COUNT);
    tcase_add_test(tcase, test_hint_of_a_check_is_for_the_next_round);
    tcase_add_test(tcase, test_long_title_does_not_hide_the_state);
    tcase_add_test(tcase, test_title_is_cut_between_runes);
    tcase_add_test(tcase, test_prompt_covers_what_is_below);
    tcase_add_test(tcase, test_small_canvases);
    tcase = test_case(suite, "line edit");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_typing_edits);
    tcase_add_loop_test(tcase, test_keys_that_are_no_text, 0, TABLE_LEN(no_text));
    tcase_add_test(tcase, test_enter_keeps_and_esc_clears);
    tcase_add_test(tcase, test_full_line_takes_no_more);
    tcase_add_loop_test(tcase, test_edit_drawn, 0, TABLE_LEN(edit_cases));
    tcase_add_test(tcase, test_closed_edit_has_no_cursor);
    return suite;
}
