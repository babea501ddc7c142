#define _GNU_SOURCE /* memmem */

#include "attempt.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "clock.h"
#include "xalloc.h"
#include "zone.h"

enum {
    EXIT_TIMEOUT = 124,    /* as timeout(1) says it */
    EXIT_NO_START = 125,   /* the machine had no room for it */
    EXIT_NO_PROGRAM = 126, /* there, but it cannot be executed */
    EXIT_NOT_FOUND = 127,
    EXIT_SIGNAL = 128,
    EXIT_STOPPED = 130,
};

static void on_output(void *ctx, int stream, const char *bytes, size_t len)
{
    struct attempt *attempt = ctx;
    output_add(&attempt->streams[stream], bytes, len);
    if (attempt->fingerprint)
        fingerprint_add(attempt->fingerprint, stream, bytes, len);
    if (attempt->setting->tee)
        attempt->setting->tee(attempt->setting->tee_ctx, stream, bytes, len);
    attempt->watcher.heard(attempt->watcher.ctx, attempt);
}

static void on_ended(void *ctx, const struct child_end *end)
{
    struct attempt *attempt = ctx;
    attempt->end = *end;
    attempt->child = NULL;
    attempt->watcher.ended(attempt->watcher.ctx, attempt);
}

struct attempt *attempt_open(const struct attempt_setting *setting, const struct action *action,
                             const struct attempt_watcher *watcher, struct err *err)
{
    struct attempt *attempt = xcalloc(1, sizeof(*attempt));
    attempt->task = action->task;
    attempt->step = action->step;
    attempt->number = action->attempt;
    attempt->plan = &setting->call.plan->tasks[action->task].steps[action->step];
    attempt->heard_ms = clock_now().mono_ms;
    attempt->watcher = *watcher;
    attempt->setting = setting;
    for (int i = 0; i < 2; i++)
        output_init(&attempt->streams[i], attempt->heard_ms);
    const struct policy *policy = attempt->plan->policy;
    if (policy->window > 0 || policy->same_stops > 0)
        fingerprint_open(&attempt->fingerprint, NULL);

    call_init(&attempt->call, &setting->call, action->task, action->step);
    const struct child_call call = {
        .spawn = {.argv = attempt->call.argv,
                  .environment = attempt->call.environment,
                  .cwd = attempt->call.cwd,
                  .stdin_path = attempt->call.stdin_path},
        .run_mark = setting->call.run_mark,
        .step_mark = attempt->call.step_mark,
        .timeout_ms = attempt->plan->timeout_ms,
        .grace_ms = setting->grace_ms,
    };
    const struct child_watcher child_watcher = {
        .ctx = attempt, .output = on_output, .ended = on_ended};
    int number = 0;
    if (!child_start(&attempt->child, setting->nursery, &call, &child_watcher, &number, err))
        attempt->end.outcome = (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = number};
    return attempt;
}

void attempt_close(struct attempt *attempt)
{
    if (!attempt)
        return;
    assert(!attempt->child);
    for (int i = 0; i < 2; i++)
        output_done(&attempt->streams[i]);
    fingerprint_close(attempt->fingerprint);
    call_done(&attempt->call);
    free(attempt);
}

static bool holds(const struct classify_text *text, const char *wanted)
{
    return text->len > 0 && memmem(text->bytes, text->len, wanted, strlen(wanted));
}

/* The fingerprint of a failure: of all it wrote where a policy compares results, else of
 * the tails, which is enough to see that several tasks wait with the same fault. */
static struct digest take_fingerprint(const struct attempt *attempt,
                                      const struct classify_input *evidence)
{
    const struct outcome *outcome = &evidence->outcome;
    if (attempt->fingerprint)
        return fingerprint_finish(attempt->fingerprint, outcome->kind, outcome->code).digest;
    struct fingerprint *fingerprint = NULL;
    fingerprint_open(&fingerprint, NULL);
    fingerprint_add(fingerprint, 0, evidence->out.bytes, evidence->out.len);
    fingerprint_add(fingerprint, 1, evidence->err.bytes, evidence->err.len);
    struct digest digest = fingerprint_finish(fingerprint, outcome->kind, outcome->code).digest;
    fingerprint_close(fingerprint);
    return digest;
}

void attempt_judge(const struct attempt *attempt, const struct attempt_setting *setting,
                   struct input *input)
{
    input->outcome = attempt->end.outcome;
    for (int i = 0; i < 2; i++) {
        input->outcome.bytes[i] = attempt->streams[i].bytes;
        input->outcome.lines[i] = attempt->streams[i].lines;
    }
    const char *program = agent_program(attempt->call.argv[0]);
    const struct classify_input evidence = {
        .outcome = input->outcome,
        .out = output_tail(&attempt->streams[0], CLASSIFY_TAIL_MAX),
        .err = output_tail(&attempt->streams[1], CLASSIFY_TAIL_MAX),
        .program = program,
        .agent = agent_name(agent_find(program)),
        .memory_killed = -1,
        .now_ms = input->now.at_ms,
        .zone_offset = zone_offset,
    };
    classify(setting->classifier, &evidence, &input->verdict);
    const char *match = attempt->plan->expect.match;
    input->expectation_met = match && (holds(&evidence.out, match) || holds(&evidence.err, match));
    if (attempt->fingerprint || input->verdict.class != VERDICT_SUCCESS)
        input->fingerprint = take_fingerprint(attempt, &evidence);
}

static int start_failure_code(int number)
{
    switch (number) {
    case ENOENT:
        return EXIT_NOT_FOUND;
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        return EXIT_NO_START;
    default:
        return EXIT_NO_PROGRAM;
    }
}

int attempt_exit_code(const struct outcome *outcome)
{
    switch (outcome->kind) {
    case OUTCOME_EXIT:
        return outcome->code;
    case OUTCOME_SIGNAL:
        return EXIT_SIGNAL + outcome->code;
    case OUTCOME_NOT_STARTED:
        return start_failure_code(outcome->code);
    case OUTCOME_TIMEOUT:
        return EXIT_TIMEOUT;
    case OUTCOME_CANCELLED:
    case OUTCOME_INTERRUPTED:
    case OUTCOME_KIND_COUNT:
        break;
    }
    return EXIT_STOPPED;
}
