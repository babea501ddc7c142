#include "mcp_wire.h"

#include <string.h>

#include "attr.h"
#include "test_main.h"

enum { SHORT_MAX = 8 };

/* What came, a line each; "!" for one that was too long. */
static void note(void *ctx, const char *line, size_t len)
{
    struct str *seen = ctx;
    if (line)
        str_add_n(seen, line, len);
    else
        str_add_char(seen, '!');
    str_add_char(seen, '|');
}

static const struct {
    const char *name, *bytes, *want;
} cases[] = {
    {"two lines", "{}\n[]\n", "{}|[]|"},
    {"blank ones are none", "\n \t\n\r\n{}\r\n", "{}\r|"},
    {"as long as may be", "12345678\n", "12345678|"},
    {"too long, then in step again", "123456789\n{}\n", "!|{}|"},
    {"much too long", "123456789012345678901234567890\n{}\n", "!|{}|"},
    {"the last without its end", "{}\n12", "{}|12|"},
    {"the last too long", "1234567890", "!|"},
    {"nothing", "", ""},
};

/* Where the bytes are cut does not matter. */
START_TEST(test_lines_are_the_same_however_they_come)
{
    const char *bytes = cases[_i].bytes;
    const size_t len = strlen(bytes);
    for (size_t piece = 1; piece <= len + 1; piece++) {
        struct mcp_lines lines = {.max = SHORT_MAX};
        struct str seen = {0};
        for (size_t at = 0; at < len; at += piece)
            mcp_lines_add(&lines, bytes + at, at + piece < len ? piece : len - at, note, &seen);
        mcp_lines_end(&lines, note, &seen);
        ck_assert_msg(strcmp(str_text(&seen), cases[_i].want) == 0, "%s in pieces of %zu: %s",
                      cases[_i].name, piece, str_text(&seen));
        mcp_lines_done(&lines);
        str_done(&seen);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("mcp_wire");
    tcase_add_loop_test(test_case(suite, "lines"), test_lines_are_the_same_however_they_come, 0,
                        ARRAY_LEN(cases));
    return suite;
}
