/*
 * test_main.h - what every test program shares: main(), cases, a folder of its own.
 */
#ifndef DEVS_TEST_MAIN_H
#define DEVS_TEST_MAIN_H

#include <check.h>

#define TABLE_LEN(t) ((int)(sizeof(t) / sizeof((t)[0])))

/* Each test program defines this one. */
Suite *test_suite(void);

/* A new case of the suite. */
TCase *test_case(Suite *suite, const char *name);

/* A new empty folder under $TMPDIR; static, so copy it before the next call. */
const char *test_tmpdir(void);

/* The file's text as a new string (the caller frees); NULL if it cannot be read. */
char *test_read_file(const char *path);

/* Path of a file of the source tree: "tests/data/x". Static, as above. */
const char *test_source_path(const char *relative);

#endif
