#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
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

void judge_run_read(struct judge_run *run, const char *lines)
{
    static const char err[] = "err: ";
    *run = (struct judge_run){0};
    const char *end = strchr(lines, '\n');
    const size_t len = strcspn(lines, " \n");
    ck_assert_uint_lt(len, sizeof(run->agent));
    (void)snprintf(run->agent, sizeof(run->agent), "%.*s", (int)len, lines);
    ck_assert_msg(strcmp(run->agent, "unknown") == 0 || adapters_find(NULL, run->agent),
                  "no agent is called '%s'", run->agent);
    char *after_code = NULL;
    run->code = (int)strtol(lines + len, &after_code, 10);
    ck_assert_msg(*after_code == '\n' || *after_code == '\0', "not an exit code: %.40s", lines);
    while (end) {
        const char *line = end + 1;
        end = strchr(line, '\n');
        const bool on_err = strncmp(line, err, sizeof(err) - 1) == 0;
        line += on_err ? sizeof(err) - 1 : 0;
        struct str *stream = on_err ? &run->err : &run->out;
        str_add_n(stream, line, end ? (size_t)(end - line) : strlen(line));
        str_add_char(stream, '\n');
    }
}

void judge_run_done(struct judge_run *run)
{
    str_done(&run->out);
    str_done(&run->err);
}

const struct adapter *judge_run_adapter(const struct judge_run *run)
{
    return strcmp(run->agent, "unknown") == 0 ? NULL : adapters_find(NULL, run->agent);
}
