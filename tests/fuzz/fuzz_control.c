/*
 * Whatever a row of the table `control` holds: it is understood or refused, and what is
 * understood is answered with one event, and may be said again in the same words.
 *
 * A row is verb, task, step, attempt, a byte with the length of `by` and it, then the args.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "control.h"
#include "plan.h"
#include "scheduler.h"
#include "str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD_BYTES = 5 };

static const char plan_text[] =
    "{\"version\":1,\"idempotent\":true,\"jobs\":2,\"tasks\":["
    "{\"id\":\"a\",\"steps\":[{\"run\":[\"x\"]},{\"run\":[\"x\"],\"phase\":\"VERIFY\"}]},"
    "{\"id\":\"b\",\"needs\":[\"a\"],\"steps\":[{\"run\":[\"x\"]}]},"
    "{\"id\":\"c\",\"steps\":[{\"run\":[\"x\"]}]}]}";

static void must(bool holds)
{
    if (!holds)
        abort();
}

static struct input input_of(enum input_kind kind, int64_t after_ms)
{
    return (struct input){
        .kind = kind,
        .jobs = 2,
        .now = {.at_ms = INT64_C(1700000000000) + after_ms, .mono_ms = 1000 + after_ms}};
}

static int count_answers(const struct turn *turn)
{
    int count = 0;
    for (size_t i = 0; i < turn->events.count; i++)
        count += turn->events.items[i].kind == EVENT_CONTROL_ANSWERED;
    return count;
}

/* Task a has failed its first attempt and waits, c runs, b waits for a. */
static void begin(struct scheduler *scheduler, struct turn *turn)
{
    const struct input start = input_of(INPUT_START, 0);
    struct input ended = input_of(INPUT_ENDED, 5);
    scheduler_step(scheduler, &start, turn);
    ended.attempt = 1;
    ended.outcome = (struct outcome){.kind = OUTCOME_EXIT, .code = 1};
    ended.verdict = verdict_new();
    verdict_set_persistent(&ended.verdict, REASON_TEST_FAIL, "", "a.rule");
    scheduler_step(scheduler, &ended, turn);
    turn_clear(turn);
}

static void act(struct scheduler *scheduler, struct turn *turn, const struct control *control)
{
    for (int i = 0; i < 2; i++) { /* the second time it may fit no more */
        struct input input = input_of(INPUT_CONTROL, 10 + i);
        input.control = *control;
        input.control.id = i + 1;
        scheduler_step(scheduler, &input, turn);
        must(count_answers(turn) == 1);
        turn_clear(turn);
    }
}

static void check_said_again(const struct control *control)
{
    struct str args = {0};
    struct control again = *control;
    control_args(control, &args);
    must(control_args_parse(args.len > 0 ? args.data : NULL, &again));
    must(again.mode == control->mode);
    str_done(&args);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    const uint8_t verb = data[0] % CONTROL_VERB_COUNT;
    struct control control = {.verb = (enum control_verb)(verb ? verb : CONTROL_CANCEL),
                              .task = (int8_t)data[1] < -1 ? -1 : (int8_t)data[1],
                              .step = (int8_t)data[2] < -1 ? -1 : (int8_t)data[2],
                              .attempt = data[3]};
    size_t by_len = data[4] < size - HEAD_BYTES ? data[4] : size - HEAD_BYTES;
    const char *by = (const char *)data + HEAD_BYTES;
    (void)snprintf(control.by, sizeof(control.by), "%.*s", (int)by_len, by);
    struct str args = {0};
    str_add_n(&args, by + by_len, size - HEAD_BYTES - by_len);
    const bool sound = control_args_parse(args.len > 0 ? args.data : NULL, &control);
    str_done(&args);
    if (!sound)
        return 0;
    check_said_again(&control);

    struct plan *plan = NULL;
    struct violations violations = {0};
    must(plan_parse(plan_text, sizeof(plan_text) - 1, &plan, &violations));
    struct run_state state;
    run_state_init(&state, plan, 7);
    struct scheduler scheduler = {.state = &state};
    struct turn turn = {0};
    begin(&scheduler, &turn);
    act(&scheduler, &turn, &control);
    turn_done(&turn);
    run_state_done(&state);
    plan_free(plan);
    violations_done(&violations);
    return 0;
}
