/* judge.h - for tests of the classifier: the built-in rules, and their verdict on some output. */
#ifndef DEVS_TEST_JUDGE_H
#define DEVS_TEST_JUDGE_H

#include "classify.h"
#include "test_main.h"

/* A test case whose tests share one classifier. */
TCase *judge_case(Suite *suite, const char *name);
const struct classifier *judge_classifier(void);

struct classify_text text_of(const char *text);

struct verdict judge_input(const struct classify_input *input);

/* An exit with this code, after this output. */
struct verdict judge(int code, const char *err, const char *out);
struct verdict judge_agent(const char *agent, int code, const char *err, const char *out);

/* Checks what classify_row() says to test's "row" at 01:19:00.250 UTC on 21 November 2026: the
 * members of its "answer", or a part of its "error". */
void judge_row(const struct classifier *with, const struct json *test);

#endif
