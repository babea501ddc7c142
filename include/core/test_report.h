/*
 * test_report.h - how many tests passed and failed, by the test program's own summary.
 *
 * Reads only lines with the form of a known summary (pytest, unittest, jest, mocha, TAP as
 * written by node and tape, cargo, CTest, Check, GoogleTest, JUnit); counts and guesses nothing.
 * Pure; any thread.
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
    int64_t passed;   /* each -1 if the summary does not say */
    int64_t failed;   /* failures and errors together */
    int64_t skipped;
    int64_t total;
    char line[TEST_REPORT_LINE_MAX]; /* the last line of the summary, cut; clean text */
};

/* Finds the last summary in the text. Returns false and leaves *out alone if there is none.
 * Reads the last CLASSIFY_TAIL_MAX bytes. */
ATTR_MUST_USE bool test_report_find(const struct classify_text *text, struct test_report *out);

#endif
