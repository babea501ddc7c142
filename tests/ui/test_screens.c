/* The scripts of tests/data/screens. */
#include "script.h"
#include "test_main.h"

static const char *const paths[] = {
    "tests/data/screens/acts.txt",     "tests/data/screens/commands.txt",
    "tests/data/screens/correct.txt",  "tests/data/screens/detail.txt",
    "tests/data/screens/frames.txt",   "tests/data/screens/help.txt",
    "tests/data/screens/hosts.txt",    "tests/data/screens/list.txt",
    "tests/data/screens/log.txt",      "tests/data/screens/prompts.txt",
    "tests/data/screens/terminal.txt", "tests/data/screens/timeline.txt",
};

static struct script scripts[TABLE_LEN(paths)];

/* A test of its own for each case of each file. */
START_TEST(test_script)
{
    size_t number = (size_t)_i;
    size_t file = 0;
    while (number >= scripts[file].count)
        number -= scripts[file++].count;
    script_play(&scripts[file], number);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("screens");
    size_t count = 0;
    for (int i = 0; i < TABLE_LEN(paths); i++) {
        script_read(&scripts[i], paths[i]);
        count += scripts[i].count;
    }
    tcase_add_loop_test(test_case(suite, "scripts"), test_script, 0, (int)count);
    return suite;
}
