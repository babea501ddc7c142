/* data_rows.h - the rows of a corpus in tests/data: a JSON object on each line. */
#ifndef DEVS_TEST_DATA_ROWS_H
#define DEVS_TEST_DATA_ROWS_H

#include "json.h"

/* Calls `check` with each row of a file, such as "tests/data/loops.jsonl". Returns their number. */
int data_rows(const char *path, void (*check)(const struct json *row, void *ctx), void *ctx);

/* A member that is a text; "" if it is missing. */
const char *data_text(const struct json *row, const char *key);

#endif
