/* test_line_diff.c - what was added and removed between two texts. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "lines.h"
#include "test_main.h"

enum { LETTERS_MAX = 4096 };

/* A letter is a line. */
struct letters {
    struct digest lines[LETTERS_MAX];
    size_t count;
};

static void take(struct letters *to, const char *text)
{
    to->count = strlen(text);
    ck_assert_uint_le(to->count, LETTERS_MAX);
    for (size_t i = 0; i < to->count; i++)
        to->lines[i] = (struct digest){.hi = 1, .lo = (uint64_t)text[i]};
}

static void diff(struct line_diff *out, const struct letters *first, const struct letters *second)
{
    line_diff_read(out, &(struct line_diff_text){first->lines, first->count},
                   &(struct line_diff_text){second->lines, second->count});
}

/* "=ab-c+d": a word for each span. Also checks the place of each span in both texts. */
static void spell(const struct line_diff *diff, const char *first, const char *second, char *out)
{
    size_t x = 0;
    size_t y = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct line_diff_span *span = &diff->spans[i];
        const bool is_added = span->change == LINE_ADDED;
        ck_assert_uint_eq(span->first, x);
        ck_assert_uint_eq(span->second, y);
        *out++ = "=-+"[span->change];
        memcpy(out, is_added ? second + y : first + x, span->count);
        out += span->count;
        x += is_added ? 0 : span->count;
        y += span->change == LINE_REMOVED ? 0 : span->count;
    }
    *out = '\0';
    ck_assert_uint_eq(x, strlen(first));
    ck_assert_uint_eq(y, strlen(second));
}

static const struct {
    const char *first, *second, *want;
} cases[] = {
    {"", "", ""},
    {"abc", "abc", "=abc"},
    {"", "abc", "+abc"},
    {"abc", "", "-abc"},
    {"abc", "abxc", "=ab+x=c"},
    {"abxc", "abc", "=ab-x=c"},
    {"abc", "axc", "=a-b+x=c"},
    {"aaa", "aa", "=aa-a"},
    {"abcabba", "cbabac", "-ab=c+b=ab-b=a+c"},
    {"xabcy", "zabcw", "-x+z=abc-y+w"},
    {"ab", "cd", "-ab+cd"},
};

START_TEST(test_changes_are_the_fewest)
{
    struct letters first;
    struct letters second;
    struct line_diff out;
    char spelled[64];
    take(&first, cases[_i].first);
    take(&second, cases[_i].second);
    diff(&out, &first, &second);
    spell(&out, cases[_i].first, cases[_i].second, spelled);
    ck_assert_str_eq(spelled, cases[_i].want);
    ck_assert(!out.is_cut);
    line_diff_done(&out);
}
END_TEST

/* The fewest changes: all lines of both except those of their longest common part, by the
 * quadratic table. */
static size_t fewest_changes(const char *first, const char *second)
{
    static unsigned short common[65][65];
    const size_t a = strlen(first);
    const size_t b = strlen(second);
    memset(common, 0, sizeof(common));
    for (size_t i = a; i-- > 0;) {
        for (size_t j = b; j-- > 0;) {
            const unsigned short best =
                common[i + 1][j] > common[i][j + 1] ? common[i + 1][j] : common[i][j + 1];
            common[i][j] =
                first[i] == second[j] ? (unsigned short)(common[i + 1][j + 1] + 1) : best;
        }
    }
    return a + b - 2U * common[0][0];
}

START_TEST(test_random_texts_have_the_fewest_changes)
{
    unsigned seed = 7;
    for (int round = 0; round < 400; round++) {
        char texts[2][65];
        char spelled[400];
        struct letters first;
        struct letters second;
        struct line_diff out;
        for (int i = 0; i < 2; i++) {
            const size_t len = (seed = seed * 1103515245U + 12345U) >> 16 & 63U;
            for (size_t at = 0; at < len; at++)
                texts[i][at] = (char)('a' + ((seed = seed * 1103515245U + 12345U) >> 16) % 5U);
            texts[i][len] = '\0';
        }
        take(&first, texts[0]);
        take(&second, texts[1]);
        diff(&out, &first, &second);
        spell(&out, texts[0], texts[1], spelled);
        ck_assert_msg(out.removed + out.added == fewest_changes(texts[0], texts[1]), "%s %s: %s",
                      texts[0], texts[1], spelled);
        line_diff_done(&out);
    }
}
END_TEST

START_TEST(test_more_changes_than_the_limit_are_cut)
{
    struct letters *first = calloc(1, sizeof(*first));
    struct letters *second = calloc(1, sizeof(*second));
    struct line_diff out;
    ck_assert(first && second);
    /* One line at the start is equal, and ten after the limit; all others differ. */
    first->count = second->count = LINE_DIFF_CHANGES_MAX + 100;
    for (size_t i = 0; i < first->count; i++) {
        const bool is_equal = i == 3 || i >= first->count - 10;
        first->lines[i] = (struct digest){.hi = 1, .lo = i};
        second->lines[i] = (struct digest){.hi = is_equal ? 1 : 2, .lo = i};
    }
    second->lines[second->count - 1].hi = 2;
    diff(&out, first, second);
    ck_assert(out.is_cut);
    ck_assert_uint_ge(out.same, 1);
    ck_assert_uint_eq(out.same + out.removed, first->count);
    ck_assert_uint_eq(out.same + out.added, second->count);
    line_diff_done(&out);
    free(first);
    free(second);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("line_diff");
    TCase *tcase = test_case(suite, "diff");
    tcase_add_loop_test(tcase, test_changes_are_the_fewest, 0, (int)ARRAY_LEN(cases));
    tcase_add_test(tcase, test_random_texts_have_the_fewest_changes);
    tcase_add_test(tcase, test_more_changes_than_the_limit_are_cut);
    return suite;
}
