/*
 * row_file.h - tables of inputs and expected outputs that are easier to read as text than as C
 * strings: files under tests/data.
 *
 *   # a comment
 *   the input, one line or more
 *       the expected output, each line indented by four spaces
 *
 * An empty line ends a row.
 */
#ifndef DEVS_TEST_ROW_FILE_H
#define DEVS_TEST_ROW_FILE_H

struct row {
    const char *file;
    int line;    /* where it begins */
    char *input; /* lines, without the last line feed */
    char *want;  /* lines, each with its line feed; "" = none */
};

struct rows {
    struct row *items;
    int count;
};

/* Reads tests/data/NAME. For test_suite(), before any test runs: ends the program on failure. */
struct rows rows_read(const char *name);

/* Asserts that `got` is the expected output. */
void row_check(const struct row *row, const char *got);

#endif
