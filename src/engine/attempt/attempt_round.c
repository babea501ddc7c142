/*
 * attempt_round.c - what an agent is told, in another round, of an attempt that failed.
 */
#include <assert.h>
#include <string.h>

#include "attempt.h"
#include "repair.h"
#include "text.h"

enum { ROUND_TAIL_BYTES = 16 * 1024 }; /* of each stream; the prompt has room for less */
static_assert(2 * ROUND_TAIL_BYTES <= SCHEDULER_TAIL_MAX, "both are taken");

static void add_tail(struct attempt *attempt, const struct output *output)
{
    const struct classify_text tail = output_tail(output, ROUND_TAIL_BYTES);
    struct str clean = {0};
    if (tail.len > 0)
        text_clean(&clean, tail.bytes, tail.len);
    const size_t from = clean.len > ROUND_TAIL_BYTES ? clean.len - ROUND_TAIL_BYTES : 0;
    str_add_n(&attempt->tail, str_text(&clean) + from, clean.len - from);
    str_done(&clean);
}

/* A contract may name what is secret. */
static void add_repair(struct attempt *attempt)
{
    struct str words = {0};
    repair_prompt_within(&attempt->violations, SCHEDULER_PROMPT_MAX, &words);
    attempt_redact(attempt, str_text(&words), words.len, &attempt->repair);
    str_done(&words);
}

/* Of files that are not as expected; the lines are cut already. */
static void add_files(struct attempt *attempt, const struct verdict *verdict)
{
    str_addf(
        &attempt->repair,
        "The files that you have to leave are not as expected:\n\n%s\nWrite them. Each path is "
        "relative to the folder that you work in; a link in its place does not count. When you "
        "are done, they are checked again.\n",
        verdict->violations);
}

void attempt_tell_round(struct attempt *attempt, struct input *input)
{
    const struct plan_task *task = &attempt->setting->call.plan->tasks[attempt->task];
    if (task->rounds <= 1 || input->verdict.class == VERDICT_SUCCESS)
        return;
    if (attempt->agent) {
        add_tail(attempt, &attempt->agent->words);
    } else {
        add_tail(attempt, &attempt->streams[0]);
        add_tail(attempt, &attempt->streams[1]);
    }
    if (strcmp(input->verdict.rule, EXPECT_FILES_RULE) == 0)
        add_files(attempt, &input->verdict);
    else if (input->verdict.reason == REASON_CONTRACT)
        add_repair(attempt);
    input->tail = attempt->tail.data;
    input->tail_len = attempt->tail.len;
    input->repair = attempt->repair.data;
}
