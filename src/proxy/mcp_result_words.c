/* mcp_result_words.c - a call's result in words for the model. */
#include <string.h>

#include "mcp_advice.h"
#include "mcp_result_parts.h"
#include "shown.h"

/* "exit 1, test-fail", "cancelled by ann". */
static void add_end(const struct mcp_ended *ended, struct str *out)
{
    const struct task_state *task = &ended->state->tasks[ended->task];
    const struct attempt_state *attempt = step_state_attempt(mcp_ended_step(ended));
    char word[VERDICT_WORD_MAX];
    if (task->status == TASK_CANCELLED) {
        str_addf(out, "cancelled by %s", task->by ? task->by : "somebody");
        return;
    }
    if (!attempt) {
        str_add(out, "never started");
        return;
    }
    outcome_words(&attempt->outcome, out);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(mcp_ended_step(ended), &room);
    if (!mcp_ended_failed(ended) || !verdict)
        return;
    (void)verdict_word(verdict, &attempt->outcome, word);
    if (strcmp(word, str_text(out)) != 0 && word[0] != '\0')
        str_addf(out, ", %s", word);
    if (verdict->subtype[0] != '\0')
        str_addf(out, " (%s)", verdict->subtype);
}

static void add_evidence(const struct mcp_ended *ended, struct str *out)
{
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(mcp_ended_step(ended), &room);
    struct str words = {0};
    if (!mcp_ended_failed(ended) || !verdict || verdict->class == VERDICT_SUCCESS)
        return;
    shown_evidence(verdict, &words);
    if (words.len > 0)
        str_addf(out, "%s, %s\n", verdict_class_name(verdict->class), str_text(&words));
    str_done(&words);
}

/* "2 of 3 tries, 1.5 s waited between them: gave up (retry exhausted) ..."; nothing of a call that
 * was to be executed once. */
static void add_tries(const struct mcp_ended *ended, struct str *out)
{
    const struct task_state *task = &ended->state->tasks[ended->task];
    const int count = (int)mcp_ended_step(ended)->attempt_count;
    struct str ending = {0};
    if (run_state_tries(ended->state, ended->task) == 1)
        return;
    shown_ending_named(ended->state, ended->task, &ending);
    if (count == 1 && (ending.len == 0 || ended->request->path)) {
        str_done(&ending);
        return;
    }
    shown_count(count, "try", "tries", out);
    if (task->waited_ms > 0) {
        str_add(out, ", ");
        shown_seconds(task->waited_ms, out);
        str_add(out, " waited between them");
    }
    if (ending.len > 0)
        str_addf(out, ": %s", str_text(&ending));
    str_add_char(out, '\n');
    str_done(&ending);
}

static void add_tests(const struct mcp_ended *ended, struct str *out)
{
    struct test_report report;
    struct str failing = {0};
    if (mcp_find_report(ended, &report))
        str_addf(out, "tests (%s): %s\n", report.form, report.line);
    if (mcp_find_failing(ended, &failing) > 0)
        str_addf(out, "failing: %s\n", str_text(&failing));
    str_done(&failing);
}

static void add_place(const struct mcp_ended *ended, struct str *out)
{
    str_addf(out, "[run #%lld, %s]\n", (long long)ended->run,
             ended->state->plan->tasks[ended->task].id);
}

static void add_streams(const struct mcp_shown *shown, struct str *out)
{
    for (int i = 0; i < 2; i++) {
        const struct str *text = &shown->texts[i];
        if (text->len == 0)
            continue;
        str_addf(out, "--- %s\n%s", mcp_stream_name(i), str_text(text));
        if (text->data[text->len - 1] != '\n')
            str_add_char(out, '\n');
    }
}

void mcp_result_words(const struct mcp_ended *ended, const struct mcp_shown *shown,
                      const char *advice, struct str *out)
{
    struct str once = {0};
    add_end(ended, out);
    str_add_char(out, '\n');
    add_tries(ended, out);
    add_evidence(ended, out);
    mcp_once(ended, &once);
    if (once.len > 0)
        str_addf(out, "%s\n", str_text(&once));
    add_tests(ended, out);
    add_streams(shown, out);
    if (*advice != '\0')
        str_addf(out, "--- what to do\n%s\n", advice);
    if (*ended->nudge != '\0')
        str_addf(out, "--- in circles?\n%s\n", ended->nudge);
    add_place(ended, out);
    str_done(&once);
}
