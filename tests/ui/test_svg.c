#include "canvas_write.h"

#include <stdio.h>
#include <string.h>

#include "test_main.h"

static struct canvas canvas;
static struct str picture;

static void setup(void)
{
    canvas_init(&canvas, 1, 20, false);
}

static void teardown(void)
{
    canvas_done(&canvas);
    str_done(&picture);
}

static const char *drawn(const char *theme_name, const char *title)
{
    struct theme theme;
    ck_assert(theme_named(theme_name, &theme));
    str_clear(&picture);
    svg_write(&canvas, &theme, title, &picture);
    return str_text(&picture);
}

/* A plan's name and a task's title are whatever somebody wrote. */
START_TEST(test_no_byte_of_a_title_or_a_cell_breaks_the_picture)
{
    const char *hostile = "a\x1b[31m<b>\x01&\xe2\x80\xae\xff\xef\xbf\xbe";
    canvas_text(&canvas, (struct spot){0, 0, 20}, STYLE_PLAIN, hostile);
    const char *text = drawn("auto", hostile);
    for (const char *at = text; *at != '\0'; at++)
        ck_assert_msg((unsigned char)*at >= ' ' || *at == '\n', "byte %d", *at);
    ck_assert_ptr_null(strstr(text, "<b>"));
    ck_assert_ptr_null(strstr(text, "\xe2\x80\xae"));
    ck_assert_ptr_null(strstr(text, "\xef\xbf\xbe"));
    ck_assert_ptr_null(strstr(text, "\xff"));
    ck_assert_msg(strstr(text, "<title id=\"title\">a&lt;b&gt;") != NULL, "%s", text);
}
END_TEST

START_TEST(test_a_light_theme_has_a_light_ground)
{
    char dark[64] = "";
    const char *fill = strstr(drawn("dark", "run"), "rx=\"6\" fill=\"");
    ck_assert_ptr_nonnull(fill);
    (void)snprintf(dark, sizeof(dark), "%.24s", fill);
    ck_assert_ptr_null(strstr(drawn("light", "run"), dark));
    ck_assert_ptr_nonnull(strstr(drawn("auto", "run"), dark));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("svg");
    TCase *tcase = test_case(suite, "svg");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_no_byte_of_a_title_or_a_cell_breaks_the_picture);
    tcase_add_test(tcase, test_a_light_theme_has_a_light_ground);
    return suite;
}
