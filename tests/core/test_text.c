#include "text.h"

#include <string.h>

#include "clean_text.h"
#include "data_rows.h"
#include "lines.h"
#include "test_main.h"

#define ELLIPSIS "\xe2\x80\xa6"

static struct str out;

static void setup(void)
{
    out = (struct str){0};
}

static void teardown(void)
{
    str_done(&out);
}

static const struct {
    const char *name;
    const char *bytes;
    const char *want;
} clean_cases[] = {
    {"plain", "hello", "hello"},
    {"empty", "", ""},
    {"lines stay", "a\nb\n", "a\nb\n"},
    {"two marks stay", "e\u0301\u0302x", "e\u0301\u0302x"},
    {"a pile of marks", "e\u0301\u0302\u0303\u0304\u0301x\u0301", "e\u0301\u0302x\u0301"},
    {"marks without a letter", "a\n\u0301\u0302\u0303", "a\n\u0301\u0302"},
    {"marks behind a tab", "\t\u0301\u0302\u0303", "        \u0301\u0302"},
    {"marks on what is overwritten", "e\u0301\u0302\r\u0301\u0302\u0303", "\u0301\u0302"},
    {"color", "\x1b[31mred\x1b[0m", "red"},
    {"color with colons", "\x1b[38:2::255:0:0mx", "x"},
    {"clear screen", "a\x1b[2Jb", "ab"},
    {"private mode", "\x1b[?1049hx", "x"},
    {"title by OSC and BEL", "\x1b]0;evil\x07ok", "ok"},
    {"OSC and ST", "\x1b]52;c;ZXZpbA==\x1b\\ok", "ok"},
    {"OSC cut by a line feed", "\x1b]0;evil\nok", "\nok"},
    {"OSC never finished", "ok\x1b]0;evil", "ok"},
    {"DCS", "\x1bP1$r0m\x1b\\ok", "ok"},
    {"APC", "\x1b_Gf=24;AAAA\x1b\\ok", "ok"},
    {"charset", "\x1b(0qqq\x1b(B", "qqq"},
    {"ESC alone at the end", "ok\x1b", "ok"},
    {"reset",
     "\x1b"
     "cok",
     "ok"},
    {"CSI with a control inside", "\x1b[3\nok", "\nok"},
    {"bell and backspace", "a\x07\x08z", "az"},
    {"C1 as UTF-8",
     "a\xc2\x9b"
     "31mz",
     "a31mz"},
    {"DEL", "a\x7fz", "az"},
    {"bad UTF-8", "a\xffz", "a?z"},
    {"raw C1 byte", "a\x9bz", "a?z"},
    {"overlong", "\xc0\xaf", "??"},
    {"surrogate", "\xed\xa0\x80", "???"},
    {"above Unicode", "\xf4\x90\x80\x80", "????"},
    {"cut in a character", "a\xe2\x82", "a??"},
    {"good UTF-8", "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
    {"right to left override", "a\xe2\x80\xaez", "a?z"},
    {"isolate", "\xe2\x81\xa6z", "?z"},
    {"arabic letter mark", "\xd8\x9cz", "?z"},
    {"zero width space", "a\xe2\x80\x8bz", "a?z"},
    {"joined emoji come apart", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7z",
     "\xf0\x9f\x91\xa9\xf0\x9f\x91\xa7z"},
    {"byte order mark", "\xef\xbb\xbfz", "?z"},
    {"line separator", "a\xe2\x80\xa8z", "a?z"},
    {"tag character", "\xf3\xa0\x81\x81", "?"},
    {"combining stays", "e\xcc\x81", "e\xcc\x81"},
    {"tab to column 8", "a\tb", "a       b"},
    {"tab at column 8", "12345678\tb", "12345678        b"},
    {"tab after wide", "\xe4\xb8\xad\tb", "\xe4\xb8\xad      b"},
    {"progress", "10%\r42%\r100%", "100%"},
    {"CRLF", "one\r\ntwo\r\n", "one\ntwo\n"},
    {"progress then line", "x\n10%\rdone\ny", "x\ndone\ny"},
    {"CR at the end", "abc\r", "abc"},
    {"CR then tab", "abc\r\tz", "        z"},
};

START_TEST(test_clean_keeps_visible_text)
{
    text_clean(&out, clean_cases[_i].bytes, strlen(clean_cases[_i].bytes));

    ck_assert_msg(strcmp(str_text(&out), clean_cases[_i].want) == 0, "%s: '%s'",
                  clean_cases[_i].name, str_text(&out));
}
END_TEST

START_TEST(test_clean_drops_nul)
{
    text_clean(&out, "a\0z", 3);

    ck_assert_str_eq(str_text(&out), "az");
    ck_assert_uint_eq(out.len, 2);
}
END_TEST

/* Plain text is copied in groups of bytes. */
START_TEST(test_clean_drops_controls_in_any_place)
{
    enum { LEN = 24 };
    static const char controls[] = {0x01, 0x1f, 0x7f};
    for (size_t i = 0; i < sizeof(controls); i++) {
        for (size_t at = 0; at < LEN; at++) {
            char bytes[LEN];
            memset(bytes, at % 2 == 0 ? '~' : ' ', LEN);
            bytes[at] = controls[i];
            text_clean(&out, bytes, LEN);
            ck_assert_uint_eq(out.len, LEN - 1);
            ck_assert_ptr_null(memchr(out.data, controls[i], out.len));
            str_clear(&out);
        }
    }
}
END_TEST

START_TEST(test_clean_cuts_long_lines)
{
    struct str in = {0};
    for (int i = 0; i < TEXT_LINE_MAX * 2; i++)
        str_add_char(&in, 'x');
    str_add(&in, "\nnext");

    text_clean(&out, in.data, in.len);

    const char *feed = strchr(str_text(&out), '\n');
    ck_assert_ptr_nonnull(feed);
    ck_assert_int_eq(feed - out.data, TEXT_LINE_MAX);
    ck_assert(strncmp(feed - 3, ELLIPSIS, 3) == 0);
    ck_assert_str_eq(feed, "\nnext");
    str_done(&in);
}
END_TEST

START_TEST(test_clean_appends)
{
    str_add(&out, "a\r> ");

    text_clean(&out, "x\ry", 3);

    ck_assert_str_eq(str_text(&out), "a\r> y");
}
END_TEST

/* Nothing that moves the cursor is left of any input. */
START_TEST(test_clean_of_noise_is_harmless)
{
    uint32_t state = 12345U + (uint32_t)_i;
    char bytes[600];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        state = state * 1664525U + 1013904223U;
        bytes[i] = (char)(state >> 24U);
    }

    text_clean(&out, bytes, sizeof(bytes));

    for (size_t i = 0; i < out.len;) {
        uint32_t rune = 0;
        const int taken = text_rune(out.data + i, out.len - i, &rune);
        ck_assert_msg(rune == '\n' || (rune != UINT32_MAX && rune_is_shown(rune)),
                      "seed %d: U+%04X", _i, rune);
        i += (size_t)taken;
    }
}
END_TEST

static const struct {
    int width;
    const char *characters;
} widths[] = {
    {-1, "\n\xc2\x9b"},
    /* acute accent, Hebrew point, virama, joiner, variation selector, Hangul vowel */
    {0, "\u0301\u05b0\u094d\u200d\ufe0f\u1161"},
    /* ambiguous ones, a halfwidth kana, half a flag, private use */
    {1, "a\u00e9\u2026\u2500\u221e\u2713\uff71\U0001f1e6\ue000"},
    /* emoji, Hangul, kana, Han of several blocks, Yi, a fullwidth letter */
    {2, "\u231a\u2705\u1100\u3000\u3042\u4e2d\ua000\uac00\uf900\uff21"
        "\U0001f600\U0001f680\U0001fae0\U00020000"},
};

START_TEST(test_characters_have_a_width)
{
    const char *text = widths[_i].characters;
    for (size_t at = 0; at < strlen(text);) {
        uint32_t rune = 0;
        at += (size_t)text_rune(text + at, strlen(text) - at, &rune);
        ck_assert_msg(rune_width(rune) == widths[_i].width, "U+%04X: %d", rune, rune_width(rune));
    }
}
END_TEST

START_TEST(test_text_width_adds_up)
{
    ck_assert_int_eq(text_width("abc", 3), 3);
    ck_assert_int_eq(text_width("\xe4\xb8\xad\xe6\x96\x87", 6), 4);
    ck_assert_int_eq(text_width("e\xcc\x81", 3), 1);
    ck_assert_int_eq(text_width("", 0), 0);
}
END_TEST

static const struct {
    const char *name;
    const char *text;
    int columns;
    int flags;
    const char *want;
} fit_cases[] = {
    {"fits", "abc", 3, TEXT_PLAIN, "abc"},
    {"cut", "abcd", 3, TEXT_PLAIN, "ab" ELLIPSIS},
    {"cut in ascii", "abcd", 3, TEXT_ASCII, "ab."},
    {"pad", "ab", 4, TEXT_PAD, "ab  "},
    {"no pad", "ab", 4, TEXT_PLAIN, "ab"},
    {"one column", "abc", 1, TEXT_PLAIN, ELLIPSIS},
    {"no column", "abc", 0, TEXT_PAD, ""},
    {"less than none", "abc", -1, TEXT_PAD, ""},
    {"empty padded", "", 2, TEXT_PAD, "  "},
    {"wide does not split", "\xe4\xb8\xad\xe6\x96\x87", 3, TEXT_PAD, "\xe4\xb8\xad" ELLIPSIS},
    {"wide leaves a blank", "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 4, TEXT_PAD | TEXT_ASCII,
     "\xe4\xb8\xad. "},
    {"combining goes along", "e\xcc\x81", 1, TEXT_PLAIN, "e\xcc\x81"},
};

START_TEST(test_text_is_cut_and_padded)
{
    text_fit(&out, fit_cases[_i].text, fit_cases[_i].columns, fit_cases[_i].flags);

    ck_assert_msg(strcmp(str_text(&out), fit_cases[_i].want) == 0, "%s: '%s'", fit_cases[_i].name,
                  str_text(&out));
}
END_TEST

START_TEST(test_cut_keeps_characters_whole)
{
    ck_assert_uint_eq(text_cut("ab\xe2\x82\xac", 5, 4), 2);
    ck_assert_uint_eq(text_cut("ab\xe2\x82\xac", 5, 5), 5);
    ck_assert_uint_eq(text_cut("ab\xe2\x82\xac", 5, 9), 5);
    ck_assert_uint_eq(text_cut("ab\xe2\x82\xac"
                               "c",
                               6, 5),
                      5);
}
END_TEST

static const struct {
    const char *bytes, *want;
} escape_cases[] = {
    {"plain \u00e4 \u4e2d\n\n", "plain \u00e4 \u4e2d\n\n"},
    {"\t\r\x1b[0m\x7f", "\\u0009\\u000d\\u001b[0m\\u007f"},
    {"\u202e\u200b\u00ad\ufeff", "\\u202e\\u200b\\u00ad\\ufeff"},
    {"\xc2\x85\xc2\x9b", "\\u0085\\u009b"},
    {"\U000e0041", "\\udb40\\udc41"},
    {"\xff\xc0\x80", "\\u00ff\\u00c0\\u0080"},
    {"e\u0301\u0302\u0303x", "e\u0301\u0302\\u0303x"},
};

START_TEST(test_hidden_characters_are_escaped)
{
    text_escape(&out, escape_cases[_i].bytes, strlen(escape_cases[_i].bytes));
    ck_assert_str_eq(str_text(&out), escape_cases[_i].want);
}
END_TEST

START_TEST(test_clean_line_has_no_line_feed)
{
    str_add(&out, "a\n");
    text_clean_line(&out, "b\nc\r\n\x1b[1md", 10);
    ck_assert_str_eq(str_text(&out), "a\nb c d");
}
END_TEST

/*
 * Wrapped lines.
 */

static const struct {
    const char *text;
    int columns;
    const char *want; /* rows, each ended by '|' */
} wraps[] = {
    {"", 10, "|"},
    {"short", 10, "short|"},
    {"exactly 10", 10, "exactly 10|"},
    {"one two three", 8, "one two |three|"},
    {"abcdefghijkl", 5, "abcde|fghij|kl|"},
    {"a bcdefghijkl", 6, "a bcde|fghijk|l|"}, /* the blank is too far back */
    {"日本語", 4, "日本|語|"},
    {"日本語", 3, "日|本|語|"},
    {"日本", 1, "日|本|"}, /* too narrow: a character in each row all the same */
    {"x\xcc\x81x\xcc\x81", 1, "x\xcc\x81|x\xcc\x81|"},
};

START_TEST(test_a_line_is_wrapped_at_blanks)
{
    const char *text = wraps[_i].text;
    const size_t len = strlen(text);
    int rows = 0;
    size_t at = 0;
    do {
        ck_assert_uint_eq(line_wrap_at(text, len, wraps[_i].columns, rows), at);
        const size_t part = line_wrap_fit(text + at, len - at, wraps[_i].columns);
        str_add_n(&out, text + at, part);
        str_add_char(&out, '|');
        at += part;
        rows++;
    } while (at < len);
    ck_assert_str_eq(str_text(&out), wraps[_i].want);
    ck_assert_int_eq(line_wrap_rows(text, len, wraps[_i].columns), rows);
}
END_TEST

START_TEST(test_columns_are_skipped)
{
    int lack = -1;
    ck_assert_uint_eq(line_wrap_skip("abcdef", 6, 2, &lack), 2);
    ck_assert_int_eq(lack, 0);
    ck_assert_uint_eq(line_wrap_skip("日本語", 9, 1, &lack), 3);
    ck_assert_int_eq(lack, 1); /* its right half is not drawn */
    ck_assert_uint_eq(line_wrap_skip("ab", 2, 9, &lack), 2);
    ck_assert_int_eq(lack, 0);
}
END_TEST

/*
 * What a log, a CI system or a container puts before each line.
 */

/* "rest" is what the program wrote. */
static void check_prefix(const struct json *row, void *ctx)
{
    (void)ctx;
    const char *line = data_text(row, "line");
    size_t indent = 0;
    const size_t len = line_prefix_len(line, strlen(line), &indent);
    ck_assert_str_eq(line + len, data_text(row, "rest"));
}

/* Every cut of every line, so that reading beyond its end shows. */
static void check_cuts(const struct json *row, void *ctx)
{
    (void)ctx;
    const char *line = data_text(row, "line");
    char copy[256];
    bool is_within = true;
    ck_assert_uint_lt(strlen(line), sizeof(copy));
    for (size_t len = 0; len <= strlen(line); len++) {
        size_t indent = 0;
        memcpy(copy, line, len);
        memset(copy + len, '1', sizeof(copy) - len);
        is_within = is_within && line_prefix_len(copy, len, &indent) <= len;
    }
    ck_assert_msg(is_within, "%s", line);
}

START_TEST(test_prefix_of_a_line_is_found)
{
    ck_assert_int_eq(data_rows("tests/data/line-prefixes.jsonl", check_prefix, NULL), 62);
    data_rows("tests/data/line-prefixes.jsonl", check_cuts, NULL);
}
END_TEST

START_TEST(test_lines_below_a_mark_lose_its_indent)
{
    static const char mark[] = "  \xe2\x8e\xbf  first";
    size_t indent = 0;
    ck_assert_uint_eq(line_prefix_len(mark, strlen(mark), &indent), strlen(mark) - 5);
    ck_assert_uint_eq(line_prefix_len("     second", 11, &indent), 5);
    ck_assert_uint_eq(line_prefix_len("       third", 12, &indent), 5);
    ck_assert_uint_eq(line_prefix_len("other", 5, &indent), 0);
    ck_assert_uint_eq(line_prefix_len("     after", 10, &indent), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("text");
    TCase *clean = test_case(suite, "clean");
    tcase_add_checked_fixture(clean, setup, teardown);
    tcase_add_loop_test(clean, test_clean_keeps_visible_text, 0, TABLE_LEN(clean_cases));
    tcase_add_test(clean, test_clean_drops_nul);
    tcase_add_test(clean, test_clean_drops_controls_in_any_place);
    tcase_add_test(clean, test_clean_cuts_long_lines);
    tcase_add_test(clean, test_clean_appends);
    tcase_add_loop_test(clean, test_clean_of_noise_is_harmless, 0, 20);
    tcase_add_loop_test(clean, test_hidden_characters_are_escaped, 0, TABLE_LEN(escape_cases));
    tcase_add_test(clean, test_clean_line_has_no_line_feed);
    TCase *width = test_case(suite, "width");
    tcase_add_loop_test(width, test_characters_have_a_width, 0, TABLE_LEN(widths));
    tcase_add_test(width, test_text_width_adds_up);
    TCase *fit = test_case(suite, "fit");
    tcase_add_checked_fixture(fit, setup, teardown);
    tcase_add_loop_test(fit, test_text_is_cut_and_padded, 0, TABLE_LEN(fit_cases));
    tcase_add_test(fit, test_cut_keeps_characters_whole);
    TCase *lines = test_case(suite, "lines");
    tcase_add_checked_fixture(lines, setup, teardown);
    tcase_add_loop_test(lines, test_a_line_is_wrapped_at_blanks, 0, TABLE_LEN(wraps));
    tcase_add_test(lines, test_columns_are_skipped);
    tcase_add_test(lines, test_prefix_of_a_line_is_found);
    tcase_add_test(lines, test_lines_below_a_mark_lose_its_indent);
    return suite;
}
