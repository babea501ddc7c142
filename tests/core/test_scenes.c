/* Whole runs: all that the log gets and all that the state knows, input by input. */
#include "scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_main.h"

static const char *const scenes[] = {
    "circles", "controls", "crashes", "deadline",  "ends",     "expectations", "faults",
    "follow",  "gates",    "gone",    "gone-last", "gone-one", "graph",        "late",
    "limits",  "longer",   "retries", "sent",      "sent-all", "sent-first",
};

/* The number of the first line that is not the same. */
static int first_difference(const char *a, const char *b)
{
    int line = 1;
    for (; *a && *a == *b; a++, b++)
        line += *a == '\n';
    return line;
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_scene_goes_as_written)
{
    char path[256];
    (void)snprintf(path, sizeof(path), "tests/data/scenes/%s.scene", scenes[_i]);
    char *want = test_read_file(test_source_path(path));
    ck_assert_msg(want != NULL, "no %s", path);
    struct str got = {0};
    scene_play(want, &got);
    if (strcmp(want, str_text(&got)) != 0) {
        char kept[512];
        (void)snprintf(kept, sizeof(kept), "%s/%s.scene", test_tmpdir(), scenes[_i]);
        write_file(kept, str_text(&got));
        ck_abort_msg("%s goes otherwise from line %d on; how it went: %s", path,
                     first_difference(want, str_text(&got)), kept);
    }
    str_done(&got);
    free(want);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("scenes");
    TCase *tcase = test_case(suite, "scenes");
    tcase_add_loop_test(tcase, test_scene_goes_as_written, 0, TABLE_LEN(scenes));
    return suite;
}
