/*
 * judge.h - for tests of the classifier: the built-in rules, and a verdict on
 * a few words.
 */
#ifndef DEVS_TEST_JUDGE_H
#define DEVS_TEST_JUDGE_H

#include "classify.h"
#include "test_main.h"

/* A test case whose tests share one classifier. */
TCase *judge_case(Suite *suite, const char *name);
const struct classifier *judge_classifier(void);

struct classify_text text_of(const char *text);

/* An exit with this code, after these words. */
struct verdict judge(int code, const char *err, const char *out);
struct verdict judge_agent(const char *agent, int code, const char *err, const char *out);
struct verdict judge_input(const struct classify_input *input);

#endif
