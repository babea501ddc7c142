/*
 * The table of fields in docs/run-log.md is the one that the code reads and writes by.
 * DEVS_UPDATE_DOCS=1 writes it anew.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "str.h"
#include "test_main.h"

static const char page_file[] = "docs/run-log.md";
static const char before[] =
    "<!-- made from the table in src/core/fold/event_data.c: a test compares "
    "them -->\n\n";
static const char after[] = "\nA wait is `min(";

START_TEST(test_the_page_has_the_table_of_fields)
{
    char *page = test_read_file(test_source_path(page_file));
    ck_assert_ptr_nonnull(page);
    char *from = strstr(page, before);
    ck_assert_ptr_nonnull(from);
    from += strlen(before);
    char *to = strstr(from, after);
    ck_assert_ptr_nonnull(to);

    struct str table = {0};
    event_fields_table(&table);
    const bool is_same =
        table.len == (size_t)(to - from) && memcmp(str_text(&table), from, table.len) == 0;
    if (!is_same && getenv("DEVS_UPDATE_DOCS")) {
        FILE *file = fopen(test_source_path(page_file), "wb");
        ck_assert_ptr_nonnull(file);
        ck_assert_int_gt(fprintf(file, "%.*s%s%s", (int)(from - page), page, str_text(&table), to),
                         0);
        ck_assert_int_eq(fclose(file), 0);
    } else {
        ck_assert_msg(is_same, "%s has another table of fields: run with DEVS_UPDATE_DOCS=1",
                      page_file);
    }
    str_done(&table);
    free(page);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event_page");
    TCase *page = test_case(suite, "page");
    tcase_add_test(page, test_the_page_has_the_table_of_fields);
    return suite;
}
