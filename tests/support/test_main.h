/*
 * test_main.h - shared by all test programs: main(), test cases, a temporary folder.
 */
#ifndef DEVS_TEST_MAIN_H
#define DEVS_TEST_MAIN_H

#include <check.h>
#include <sys/types.h>

#define TABLE_LEN(t) ((int)(sizeof(t) / sizeof((t)[0])))

/* Each test program defines this one. */
Suite *test_suite(void);

/* Adds a new case to the suite. */
TCase *test_case(Suite *suite, const char *name);

/* Returns a new empty folder under $TMPDIR; static, so copy it before the next call. */
const char *test_tmpdir(void);

/* Returns "folder/name". Static: valid for the next seven calls. */
char *test_path(const char *folder, const char *name);

/* Returns JSON that was written with ' for ", so that it is readable in C. Static: valid for the
 * next seven calls. */
const char *test_json(const char *text);

/* Writes this text to a new or truncated file with this mode. */
void test_write_file(const char *path, const char *text, mode_t mode);

/* Returns the contents of a file as a new string, which the caller frees; NULL if it cannot be
 * read. */
char *test_read_file(const char *path);

/* Returns the path of a file in the source tree, such as "tests/data/x". Static, as above. */
const char *test_source_path(const char *relative);

#endif
