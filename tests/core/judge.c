#include "judge.h"

#include <string.h>

static struct classifier *classifier;

static void setup(void)
{
    struct err err = {0};
    ck_assert_msg(classifier_open(&classifier, NULL, &err), "%s", err.message);
}

static void teardown(void)
{
    classifier_close(classifier);
    classifier = NULL;
}

TCase *judge_case(Suite *suite, const char *name)
{
    TCase *tcase = test_case(suite, name);
    tcase_add_unchecked_fixture(tcase, setup, teardown);
    return tcase;
}

const struct classifier *judge_classifier(void)
{
    return classifier;
}

struct classify_text text_of(const char *text)
{
    return (struct classify_text){.bytes = text, .len = strlen(text)};
}

struct verdict judge_input(const struct classify_input *input)
{
    struct verdict verdict;
    classify(classifier, input, &verdict);
    return verdict;
}

struct verdict judge_agent(const char *agent, int code, const char *err, const char *out)
{
    const struct classify_input input = {
        .outcome = {.kind = OUTCOME_EXIT, .code = code},
        .out = text_of(out),
        .err = text_of(err),
        .agent = agent ? adapters_find(NULL, agent) : NULL,
        .memory_killed = -1,
    };
    return judge_input(&input);
}

struct verdict judge(int code, const char *err, const char *out)
{
    return judge_agent(NULL, code, err, out);
}
