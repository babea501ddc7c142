/*
 * test_report.h - how many tests passed and failed, as a test program's own summary says.
 *
 * Only lines that are such a summary by their form are taken (pytest, unittest, jest, mocha,
 * TAP as node and tape write it, cargo, CTest, Check, GoogleTest, JUnit); nothing is counted or
 * guessed. Pure; any thread.
 */
#ifndef DEVS_TEST_REPORT_H
#define DEVS_TEST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "classify.h"

enum { TEST_REPORT_LINE_MAX = 160, TEST_REPORT_NUMBER_MAX = 1000000000 };

/* A plain value. */
struct test_report {
    const char *form; /* static: "pytest", "cargo", ... */
    int64_t passed;   /* each -1 where the summary does not say */
    int64_t failed;   /* failures and errors together */
    int64_t skipped;
    int64_t total;
    char line[TEST_REPORT_LINE_MAX]; /* the last line of the summary, cut; clean text */
};

/* The last summary in the text; false, and *out untouched, if there is none. Looks at the last
 * CLASSIFY_TAIL_MAX bytes. */
ATTR_MUST_USE bool test_report_find(const struct classify_text *text, struct test_report *out);

#endif
