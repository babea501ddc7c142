/* What y and Y copy, and what a notification says. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app_internal.h"
#include "keyboard.h"
#include "outside.h"
#include "test_main.h"
#include "view_terminal.h"

static struct str text, words;
static struct app_notify notify;

static void setup(void)
{
    keyboard_open(story_init_full, 5, 2);
    facts.log_file = "/project/.devs/devs.db";
    text = words = (struct str){0};
    notify = (struct app_notify){0};
}

static void teardown(void)
{
    str_done(&text);
    str_done(&words);
    app_notify_done(&notify);
    keyboard_close();
}

static void choose(const char *id)
{
    view_choose(&view, story_task(&story, id));
}

START_TEST(test_copies_id_and_title)
{
    choose("T-104");
    ck_assert(view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "T-104 checkout: tax rounding");
    ck_assert_str_eq(str_text(&words), "T-104 checkout: tax rounding");
}
END_TEST

START_TEST(test_copies_all_that_are_marked)
{
    choose("T-104");
    (void)view_key(&view, ' ', &facts);
    choose("T-106");
    (void)view_key(&view, ' ', &facts);
    ck_assert(view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "T-104 checkout: tax rounding\nT-106 seed: fixtures\n");
    ck_assert_str_eq(str_text(&words), "2 marked tasks");
}
END_TEST

START_TEST(test_copies_the_lines_in_sight_of_the_log)
{
    story_say(&story, "T-101", "one\ntwo\nthree\n");
    choose("T-101");
    view.pane = VIEW_PANE_LOG;
    view.log_back = 1;
    ck_assert(view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "one\ntwo\n");
    ck_assert_str_eq(str_text(&words), "2 lines of the log");
}
END_TEST

START_TEST(test_copies_nothing_where_nothing_is_chosen)
{
    view.chosen = -1;
    ck_assert(!view_copy_text(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "");
}
END_TEST

START_TEST(test_copies_the_path_of_the_log)
{
    choose("T-104");
    ck_assert(view_copy_path(&view, &facts, &text, &words));
    ck_assert_str_eq(str_text(&text), "/project/.devs/devs.db");
    facts.log_file = NULL;
    ck_assert(!view_copy_path(&view, &facts, &text, &words));
}
END_TEST

static const char *news(unsigned wanted)
{
    str_clear(&words);
    notify.wanted = wanted;
    (void)app_notify_news(&notify, &story.state, &words);
    return str_text(&words);
}

enum { ALL = NOTIFY_NEEDS_YOU | NOTIFY_GAVE_UP | NOTIFY_ENDED };

START_TEST(test_nothing_is_told_of_what_was_so_at_the_start)
{
    ck_assert_str_eq(news(ALL), "");
    ck_assert_str_eq(news(ALL), "");
}
END_TEST

START_TEST(test_told_once_each_time_it_happens)
{
    (void)news(ALL);
    story_fail(&story, "T-101", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-101", DECISION_RETRY_EXHAUSTED);
    ck_assert_str_eq(news(ALL), "T-101 gave up");
    ck_assert_str_eq(news(ALL), "");
}
END_TEST

START_TEST(test_stuck_is_an_event_of_its_own)
{
    (void)news(NOTIFY_STUCK);
    story_fail(&story, "T-101", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-101", DECISION_ENTROPY);
    ck_assert_str_eq(news(NOTIFY_STUCK), "T-101 is stuck");
}
END_TEST

START_TEST(test_only_what_is_wanted_is_told)
{
    (void)news(NOTIFY_NEEDS_YOU);
    story_fail(&story, "T-101", REASON_TEST_FAIL, NULL);
    story_end(&story, "T-101", DECISION_RETRY_EXHAUSTED);
    ck_assert_str_eq(news(NOTIFY_NEEDS_YOU), "");
}
END_TEST

START_TEST(test_the_end_of_a_run_is_told)
{
    struct story small;
    story_init(&small, "a b", "G");
    notify.wanted = ALL;
    ck_assert_uint_eq(app_notify_news(&notify, &small.state, &words), 0);
    story_start(&small, "a");
    story_pass(&small, "a");
    story_start(&small, "b");
    story_pass(&small, "b");
    story_end_run(&small);
    ck_assert_uint_eq(app_notify_news(&notify, &small.state, &words), NOTIFY_ENDED);
    ck_assert_str_eq(str_text(&words), "the run has ended: 2 of 2 passed");
    story_done(&small);
}
END_TEST

static const struct {
    const char *line;
    const char *want[4];
} split_cases[] = {
    {"less", {"less", NULL}},
    {"less -R  -S", {"less", "-R", "-S", NULL}},
    {"\tmost\n", {"most", NULL}},
    {"a;b $(c)", {"a;b", "$(c)", NULL}}, /* no shell looks at it */
};

START_TEST(test_pager_is_split_at_blanks)
{
    struct outside_words out;
    ck_assert(outside_split(split_cases[_i].line, &out));
    size_t i = 0;
    for (; split_cases[_i].want[i]; i++)
        ck_assert_str_eq(out.argv[i], split_cases[_i].want[i]);
    ck_assert_ptr_null(out.argv[i]);
}
END_TEST

/* The text of a file that a program writes. */
static const char *run_program(char *const *argv, const char *file, struct err *err)
{
    static char said[PATH_MAX];
    pid_t pid = 0;
    said[0] = '\0';
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const bool is_there = outside_start_on_terminal(argv, input, &pid, err);
    (void)close(input);
    if (!is_there)
        return NULL;
    while (outside_look(pid) == OUTSIDE_RUNS)
        (void)poll(NULL, 0, 1);
    FILE *from = fopen(file, "re");
    if (from) {
        said[fread(said, 1, sizeof(said) - 1, from)] = '\0';
        (void)fclose(from);
    }
    return said;
}

/* A folder with hostile programs, which PATH names by relative and empty parts. */
START_TEST(test_nothing_of_the_project_is_run)
{
    struct err err = {0};
    char out[PATH_MAX];
    char script[PATH_MAX * 2];
    char path[PATH_MAX];
    const char *before = getenv("PATH");
    const char *dir = test_tmpdir();
    (void)snprintf(out, sizeof(out), "%.4000s/said", dir);
    (void)snprintf(path, sizeof(path), ":.:bin:%.4000s", before ? before : "/usr/bin:/bin");
    ck_assert_int_eq(chdir(dir), 0);
    ck_assert_int_eq(symlink("/bin/false", "sh"), 0);
    ck_assert_int_eq(symlink("/bin/true", "only-here"), 0);
    ck_assert_int_eq(setenv("PATH", path, 1), 0);

    (void)snprintf(script, sizeof(script), "pwd >'%s'", out);
    char *const argv[] = {(char[]){"sh"}, (char[]){"-c"}, script, NULL};
    ck_assert_str_eq(run_program(argv, out, &err), "/\n");

    char *const here[] = {(char[]){"only-here"}, NULL};
    ck_assert_ptr_null(run_program(here, out, &err));
    ck_assert_str_eq(err.message, "cannot start 'only-here': No such file or directory");
    char *const relative[] = {(char[]){"./only-here"}, NULL};
    err = (struct err){0};
    ck_assert_ptr_null(run_program(relative, out, &err));
    ck_assert_str_eq(err.message, "cannot start './only-here': not an absolute path");
}
END_TEST

START_TEST(test_pager_that_is_no_command)
{
    struct outside_words out;
    char much[OUTSIDE_WORDS_MAX + 1];
    char many[2 * OUTSIDE_ARGS_MAX + 1];
    memset(much, 'x', sizeof(much) - 1);
    much[sizeof(much) - 1] = '\0';
    for (size_t i = 0; i + 1 < sizeof(many); i++)
        many[i] = i % 2 == 0 ? 'x' : ' ';
    many[sizeof(many) - 1] = '\0';
    ck_assert(!outside_split("", &out));
    ck_assert(!outside_split("  ", &out));
    ck_assert(!outside_split(much, &out));
    ck_assert(!outside_split(many, &out));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("terminal_acts");
    TCase *copy = test_case(suite, "copy");
    tcase_add_checked_fixture(copy, setup, teardown);
    tcase_add_test(copy, test_copies_id_and_title);
    tcase_add_test(copy, test_copies_all_that_are_marked);
    tcase_add_test(copy, test_copies_the_lines_in_sight_of_the_log);
    tcase_add_test(copy, test_copies_nothing_where_nothing_is_chosen);
    tcase_add_test(copy, test_copies_the_path_of_the_log);
    TCase *tell = test_case(suite, "notify");
    tcase_add_checked_fixture(tell, setup, teardown);
    tcase_add_test(tell, test_nothing_is_told_of_what_was_so_at_the_start);
    tcase_add_test(tell, test_told_once_each_time_it_happens);
    tcase_add_test(tell, test_stuck_is_an_event_of_its_own);
    tcase_add_test(tell, test_only_what_is_wanted_is_told);
    tcase_add_test(tell, test_the_end_of_a_run_is_told);
    TCase *pager = test_case(suite, "pager");
    tcase_add_loop_test(pager, test_pager_is_split_at_blanks, 0, TABLE_LEN(split_cases));
    tcase_add_test(pager, test_pager_that_is_no_command);
    tcase_add_test(pager, test_nothing_of_the_project_is_run);
    return suite;
}
