/* judge_row.h - for tests of classify_row(): a row, and what is expected of it, as JSON. */
#ifndef DEVS_TEST_JUDGE_ROW_H
#define DEVS_TEST_JUDGE_ROW_H

#include "classify.h"

/* Checks what classify_row() says to test's "row" at 01:19:00.250 UTC on 21 November 2026: the
 * members of its "answer", or a part of its "error". */
void judge_row(const struct classifier *with, const struct json *test);

#endif
