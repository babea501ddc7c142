/*
 * test_report.c - finds the summary that a test program has written, and reads its numbers.
 *
 * A table describes the lines of each test program. Consecutive lines of one form are one summary.
 */
#include "fingerprint.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "clean_text.h"
#include "text.h"

/* Order of numbers and words: "13 passed" or "passed 13", "Failures: 1", "failures=1". */
enum order { NUMBER_FIRST, WORD_FIRST };

/* A line has a form if it begins with `begins` (after blanks) and contains `holds`. Consecutive
 * lines of one form are one summary. */
static const struct form {
    const char *name, *begins, *holds;
    enum order order;
    bool adds; /* several test programs each write such a line; their numbers are added */
} forms[] = {
    {"pytest", "=", " in ", NUMBER_FIRST, false},
    {"cargo", "test result:", " passed;", NUMBER_FIRST, true},
    {"jest", "Tests:", " total", NUMBER_FIRST, false},
    {"vitest", "Tests ", "(", NUMBER_FIRST, false},
    {"junit", "Tests run:", "Failures:", WORD_FIRST, false},
    {"tap", "# tests ", "", WORD_FIRST, false},
    {"tap", "# pass ", "", WORD_FIRST, false},
    {"tap", "# fail ", "", WORD_FIRST, false},
    {"unittest", "Ran ", " in ", NUMBER_FIRST, false},
    {"unittest", "FAILED (", "=", WORD_FIRST, false},
    {"gtest", "[  PASSED  ]", " test", NUMBER_FIRST, false},
    {"gtest", "[  FAILED  ]", " listed below", NUMBER_FIRST, false},
    {"check", "", "%: Checks: ", WORD_FIRST, false},
    {"ctest", "", " tests failed out of ", NUMBER_FIRST, false},
    {"mocha", "", " passing (", NUMBER_FIRST, false},
    {"mocha", "", " failing", NUMBER_FIRST, false},
};

/* The meaning of words next to a number. */
static const struct meaning {
    const char *word;
    size_t at; /* offset in struct test_report */
} meanings[] = {
    {"passed", offsetof(struct test_report, passed)},
    {"pass", offsetof(struct test_report, passed)},
    {"passing", offsetof(struct test_report, passed)},
    {"failed", offsetof(struct test_report, failed)},
    {"fail", offsetof(struct test_report, failed)},
    {"failing", offsetof(struct test_report, failed)},
    {"failures", offsetof(struct test_report, failed)},
    {"failure", offsetof(struct test_report, failed)},
    {"errors", offsetof(struct test_report, failed)},
    {"error", offsetof(struct test_report, failed)},
    {"skipped", offsetof(struct test_report, skipped)},
    {"ignored", offsetof(struct test_report, skipped)},
    {"total", offsetof(struct test_report, total)},
    {"tests", offsetof(struct test_report, total)},
    {"test", offsetof(struct test_report, total)},
    {"run", offsetof(struct test_report, total)},
    {"checks", offsetof(struct test_report, total)},
};

enum { WORD_MAX = 16 };

static int64_t *number_of(struct test_report *report, size_t at)
{
    return (int64_t *)(void *)((char *)report + at);
}

/* Returns the number that `word` stands for, or NULL. */
static int64_t *meant_by(struct test_report *report, const char *word, size_t len)
{
    char lower[WORD_MAX];
    if (len == 0 || len >= sizeof(lower))
        return NULL;
    for (size_t i = 0; i < len; i++)
        lower[i] = (char)tolower((unsigned char)word[i]);
    lower[len] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(meanings); i++) {
        if (strcmp(meanings[i].word, lower) == 0)
            return number_of(report, meanings[i].at);
    }
    return NULL;
}

static void add_to_number(int64_t *number, int64_t value)
{
    *number = (*number < 0 ? 0 : *number) + value;
}

static int64_t read_number(const char **at)
{
    int64_t value = 0;
    for (; isdigit((unsigned char)**at); (*at)++) {
        if (value < TEST_REPORT_NUMBER_MAX)
            value = value * 10 + (**at - '0');
    }
    return value;
}

static size_t word_len(const char *at)
{
    size_t len = 0;
    while (isalpha((unsigned char)at[len]))
        len++;
    return len;
}

/* Reads every number of the line with the word next to it. */
static void read_numbers(const char *line, enum order order, struct test_report *report)
{
    const char *word = line; /* the last word before `at` */
    size_t len = 0;
    for (const char *at = line; *at;) {
        bool stands_alone = at == line || !isalnum((unsigned char)at[-1]);
        if (isalpha((unsigned char)*at)) {
            word = at;
            len = word_len(at);
            at += len;
        } else if (isdigit((unsigned char)*at) && stands_alone) {
            int64_t value = read_number(&at);
            const char *next = at + strspn(at, " ");
            int64_t *number = order == WORD_FIRST ? meant_by(report, word, len)
                                                  : meant_by(report, next, word_len(next));
            if (number && *at != '.' && *at != '%')
                add_to_number(number, value);
        } else {
            at++;
        }
    }
}

/* Reads "92% tests passed, 1 tests failed out of 13", in which the words next to the numbers do not
 * tell what is counted. */
static void read_ctest(const char *line, struct test_report *report)
{
    static const char middle[] = " tests failed out of ";
    const char *at = strstr(line, middle);
    const char *from = at;
    while (from > line && isdigit((unsigned char)from[-1]))
        from--;
    report->failed = read_number(&from);
    at += sizeof(middle) - 1;
    report->total = read_number(&at);
    report->passed = report->total >= report->failed ? report->total - report->failed : -1;
}

static const struct form *find_form(const char *line)
{
    const char *from = line + strspn(line, " \t");
    for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
        if (strncmp(from, forms[i].begins, strlen(forms[i].begins)) == 0 &&
            strstr(from, forms[i].holds))
            return &forms[i];
    }
    return NULL;
}

static struct test_report new_report(const char *form)
{
    return (struct test_report){
        .form = form, .passed = -1, .failed = -1, .skipped = -1, .total = -1};
}

/* Adds one line of a form to its summary. */
static void take_line(const struct form *form, const char *line, struct test_report *report)
{
    struct test_report one = new_report(form->name);
    if (strcmp(form->name, "ctest") == 0) {
        read_ctest(line, &one);
    } else if (strcmp(form->name, "gtest") == 0) {
        /* "[  PASSED  ] 13 tests.", "[  FAILED  ] 1 test, listed below:" */
        const char *at = strchr(line, ']');
        at += strcspn(at, "0123456789");
        *(strstr(line, "PASSED") ? &one.passed : &one.failed) = read_number(&at);
    } else {
        read_numbers(line, form->order, &one);
    }

    bool other = !report->form || strcmp(report->form, form->name) != 0;
    if (other)
        *report = new_report(form->name);
    static const size_t numbers[] = {
        offsetof(struct test_report, passed), offsetof(struct test_report, failed),
        offsetof(struct test_report, skipped), offsetof(struct test_report, total)};
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        int64_t value = *number_of(&one, numbers[i]);
        int64_t *into = number_of(report, numbers[i]);
        if (value >= 0 && form->adds)
            add_to_number(into, value);
        else if (value >= 0)
            *into = value;
    }
    size_t len = text_cut(line, strlen(line), sizeof(report->line) - 1);
    (void)snprintf(report->line, sizeof(report->line), "%.*s", (int)len, line);
}

bool test_report_find(const struct classify_text *text, struct test_report *out)
{
    enum { LINE_MAX_LOOKED_AT = 1024 };
    struct test_report report = {0};
    struct clean_text clean;
    clean_text_init(&clean, text);
    for (size_t i = 0; i < clean.count; i++) {
        const struct clean_line *line = &clean.lines[i];
        char copy[LINE_MAX_LOOKED_AT];
        if (line->len >= sizeof(copy))
            continue; /* no summary is that long */
        (void)snprintf(copy, sizeof(copy), "%.*s", (int)line->len, clean.bytes + line->start);
        const struct form *form = find_form(copy);
        if (form)
            take_line(form, copy, &report);
    }
    clean_text_done(&clean);
    bool found = report.form && (report.passed >= 0 || report.failed >= 0);
    if (found)
        *out = report;
    return found;
}
