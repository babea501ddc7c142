/*
 * expect_files.h - are the files there that a step has to leave? Any thread; blocks on the disk.
 */
#ifndef DEVS_EXPECT_FILES_H
#define DEVS_EXPECT_FILES_H

#include "plan.h"
#include "str.h"

enum { EXPECT_FILES_BYTES_MAX = 8 * 1024 * 1024 }; /* of a file whose content is looked at */

/* Look at the files below the folder `dir` and append a line with its line feed for each that is
 * not as expected: "report.md: missing". Nothing is appended where all are. No link is followed,
 * and nothing but a regular file is opened for reading: a step may have left anything there. */
void expect_files_check(const char *dir, const struct plan_step *step, struct str *out);

#endif
