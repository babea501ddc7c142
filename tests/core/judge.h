/*
 * judge.h - for tests of the classifier: the built-in rules, and a verdict on
 * a few words.
 */
#ifndef DEVS_TEST_JUDGE_H
#define DEVS_TEST_JUDGE_H

#include "adapter.h"
#include "classify.h"
#include "str.h"
#include "test_main.h"

/* A test case whose tests share one classifier. */
TCase *judge_case(Suite *suite, const char *name);
const struct classifier *judge_classifier(void);

struct classify_text text_of(const char *text);

/* An attempt of an agent as tests/data/agents/ has it. */
struct judge_run {
    char agent[32]; /* "unknown": none is known */
    int code;
    struct str out, err;
};

/* Reads lines: the agent with an exit code, if there is one, then the output. Lines of stderr begin
 * with "err: ". The caller calls judge_run_done(). */
void judge_run_read(struct judge_run *run, const char *lines);
void judge_run_done(struct judge_run *run);
/* Returns the run's adapter; NULL if it is unknown. */
const struct adapter *judge_run_adapter(const struct judge_run *run);

/* An exit with this code, after these words. */
struct verdict judge(int code, const char *err, const char *out);
struct verdict judge_agent(const char *agent, int code, const char *err, const char *out);
struct verdict judge_input(const struct classify_input *input);

#endif
