/* mcp_result.c - the result of a call: text and advice for the model, and the same information as
 * data.
 *
 * The content of a file comes first, in an element of its own, unchanged. */
#include "mcp_request.h"

#include <stddef.h>
#include <string.h>

#include "attr.h"
#include "clock.h"
#include "fingerprint.h"
#include "rows.h"
#include "shown.h"
#include "text.h"

/* The two streams of the last attempt, prepared for reading. For read_file, the unchanged bytes of
 * the file. */
struct mcp_shown {
    struct str texts[2];
};

/* Returns "stdout" or "stderr" for 0 or 1. */
static const char *mcp_stream_name(int stream)
{
    return stream == 0 ? "stdout" : "stderr";
}

/* Returns the step of the call's task. */
static const struct step_state *mcp_ended_step(const struct mcp_ended *ended)
{
    return run_state_step(ended->state, ended->task);
}

bool mcp_ended_failed(const struct mcp_ended *ended)
{
    return ended->state->tasks[ended->task].status != TASK_PASSED;
}

bool mcp_ended_is_transient(const struct mcp_ended *ended)
{
    const struct attempt_state *attempt = step_state_attempt(mcp_ended_step(ended));
    return mcp_ended_failed(ended) && attempt && attempt->class == VERDICT_TRANSIENT;
}

/* Returns true if stdout is the content of a file. */
static bool mcp_ended_is_file(const struct mcp_ended *ended)
{
    return ended->request->tool == MCP_TOOL_READ && !mcp_ended_failed(ended);
}

/* Advice for each reason of a persistent failure. */
static const char *const by_reason[] = {
    [REASON_TEST_FAIL] = "A test failed: read its output, fix the work, then run it again.",
    [REASON_COMPILE] = "The build failed: fix the first error, then run it again.",
    [REASON_USAGE] = "The command line is wrong: read the usage and correct it.",
    [REASON_NOT_FOUND] = "Something was not found: check the names before calling again.",
    [REASON_PERMISSION] = "A permission is missing: do not work around it, ask the person.",
    [REASON_AUTH] = "A login or key is missing: only the person can fix that.",
    [REASON_QUOTA] = "A quota is used up: only the person can fix that.",
    [REASON_CONTEXT_LENGTH] = "The prompt is too long: shorten it.",
    [REASON_BAD_REQUEST] = "The request is wrong: fix it before calling again.",
    [REASON_TOO_LARGE] = "The request is too large: make it smaller.",
    [REASON_LIMIT] = "A limit was hit: do less at a time.",
    [REASON_CONFIG] = "The settings are wrong: fix them before calling again.",
    [REASON_CONFLICT] = "There is a conflict: resolve it before calling again.",
    [REASON_CRASH] = "The program crashed: find out why before calling again.",
    [REASON_SETUP] = "The environment is not set up: set it up, or ask the person.",
    [REASON_DEADLINE] = "The call needs more time: set timeout_s, or do less at a time.",
};

/* Appends why there could be only one try, without a period. Appends nothing if the call's policy
 * allows more. */
static void mcp_once(const struct mcp_ended *ended, struct str *out)
{
    const struct policy *policy = ended->state->plan->policy;
    const struct mcp_request *request = ended->request;
    const struct attempt_state *attempt =
        step_state_attempt(run_state_step(ended->state, ended->task));
    if (!attempt || attempt->outcome.kind == OUTCOME_NOT_STARTED || request->path ||
        !mcp_ended_failed(ended))
        return;
    if (!request->idempotent)
        str_add(out, request->says_idempotent
                         ? "executed once: the call has idempotent: false"
                         : "executed once: the call is not declared idempotent, and what it "
                           "changes in the project cannot be undone");
    else if (!policy_fits_phase(policy, request->phase))
        str_addf(out, "executed once: policy %s does not try again in phase %s", policy->name,
                 phase_name(request->phase));
}

/* Appends one or more sentences about what to do next; nothing after a plain success. */
static void mcp_advice(const struct mcp_ended *ended, struct str *out)
{
    const struct step_state *step = mcp_ended_step(ended);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct verdict room;
    const struct verdict *verdict = attempt ? step_state_verdict(step, &room) : NULL;
    const char *advice = NULL;
    if (ended->loop->level == ENTROPY_STUCK)
        str_add(out, "Stop here: do not make this call again, and tell the person that you are in "
                     "a loop. ");
    switch (ended->state->tasks[ended->task].status) {
    case TASK_CANCELLED:
        advice = "The call was stopped from outside: do not repeat it, ask what to do instead.";
        break;
    case TASK_NEEDS_YOU:
        advice = "Only a person can fix this: tell them what this says, and stop.";
        break;
    case TASK_STUCK:
        advice = "Stop: you are repeating the same thing. Tell the person where you are.";
        break;
    case TASK_PASSED:
        advice = "";
        break;
    case TASK_QUEUED:
    case TASK_RUNNING:
    case TASK_BACKOFF:
    case TASK_BLOCKED:
    case TASK_GAVE_UP:
    case TASK_STATUS_COUNT:
        if (!attempt)
            advice = "The call was not executed: tell the person.";
        else if (attempt->outcome.kind == OUTCOME_TIMEOUT)
            advice = by_reason[REASON_DEADLINE];
        else if (verdict && verdict->class == VERDICT_TRANSIENT)
            advice = "The work is not at fault, so do not change it because of this: the failure "
                     "is temporary. Try again later, or tell the person.";
        else if (verdict && (size_t)verdict->reason < ARRAY_LEN(by_reason))
            advice = by_reason[verdict->reason];
        if (!advice)
            advice = "Read the output, change what is wrong, then call again.";
        break;
    }
    str_add(out, advice);
    if (mcp_ended_is_transient(ended) && !ended->request->idempotent && attempt)
        str_add(out, " If running it twice does no harm, call it with idempotent: true: then it is "
                     "retried automatically.");
}

/* A call's result as text for the model. */

/* Appends how the call ended; the number of tries if it was or could be tried again; and, if it
 * failed, its class and the evidence. */
static void add_facts(const struct mcp_ended *ended, struct str *out)
{
    const struct shown_time time = {.date = clock_date};
    const struct run_state *state = ended->state;
    const struct step_state *step = mcp_ended_step(ended);
    const bool has_failed = mcp_ended_failed(ended);
    const int number = run_state_step_number(state, ended->task);
    struct verdict room;
    const struct verdict *verdict = has_failed ? step_state_verdict(step, &room) : NULL;
    struct rows rows = {0};
    rows_tries(&rows, state, ended->task);
    str_addf(out, "%s\n", rows_value(&rows, "outcome"));
    if (run_state_tries(state, ended->task) != 1 &&
        (step->attempt_count != 1 || (has_failed && !ended->request->path)))
        str_addf(out, "%s\n", rows_value(&rows, "tries"));
    if (verdict && verdict->class != VERDICT_SUCCESS) {
        rows_verdict(&rows, &state->plan->tasks[ended->task].steps[number],
                     step_state_attempt(step), verdict, &time);
        const char *why = rows_value(&rows, "why");
        str_addf(out, "%s%s%s\n", rows_value(&rows, "class"), *why != '\0' ? ", " : "", why);
    }
    rows_done(&rows);
}

/* Test results in a call's result. */

/* Finds the report of a test program in the output of run_tests. Returns false if there is none. */
static bool mcp_find_report(const struct mcp_ended *ended, struct test_report *out)
{
    if (ended->request->tool != MCP_TOOL_TESTS)
        return false;
    for (int i = 0; i < 2; i++) {
        const struct str *kept = &ended->output->streams[i].kept;
        const struct classify_text text = {.bytes = kept->data, .len = kept->len};
        if (kept->len > 0 && test_report_find(&text, out))
            return true;
    }
    return false;
}

/* Appends the names of failed tests as elements of a JSON array and returns their number; 0 if the
 * output names none. */
static int mcp_find_failing(const struct mcp_ended *ended, struct str *out)
{
    int count = 0;
    for (int i = 0; i < 2 && count == 0 && ended->request->tool == MCP_TOOL_TESTS; i++) {
        const struct str *kept = &ended->output->streams[i].kept;
        count = mcp_failing_find(str_text(kept), kept->len, out);
    }
    return count;
}

/* Appends the complete text for the model. */
static void mcp_result_words(const struct mcp_ended *ended, const struct mcp_shown *shown,
                             const char *advice, struct str *out)
{
    struct test_report report;
    struct str words = {0};
    add_facts(ended, out);
    mcp_once(ended, &words);
    if (words.len > 0)
        str_addf(out, "%s\n", str_text(&words));
    if (mcp_find_report(ended, &report))
        str_addf(out, "tests (%s): %s\n", report.form, report.line);
    str_clear(&words);
    if (mcp_find_failing(ended, &words) > 0)
        str_addf(out, "failing: %s\n", str_text(&words));
    for (int i = 0; i < 2; i++) {
        const struct str *text = &shown->texts[i];
        if (text->len == 0)
            continue;
        str_addf(out, "--- %s\n%s", mcp_stream_name(i), str_text(text));
        if (text->data[text->len - 1] != '\n')
            str_add_char(out, '\n');
    }
    if (*advice != '\0')
        str_addf(out, "--- what to do\n%s\n", advice);
    if (*ended->nudge != '\0')
        str_addf(out, "--- looping?\n%s\n", ended->nudge);
    str_addf(out, "[run #%lld, %s]\n", (long long)ended->run,
             ended->state->plan->tasks[ended->task].id);
    str_done(&words);
}

/* A call's result as structured content. */

static void write_verdict(const struct mcp_ended *ended, struct str *out)
{
    const struct step_state *step = mcp_ended_step(ended);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct verdict room;
    const struct verdict *verdict =
        !mcp_ended_failed(ended) ? NULL : step_state_verdict(step, &room);
    char word[VERDICT_WORD_MAX];
    str_json_text(out, "verdict",
                  !mcp_ended_failed(ended)
                      ? "success"
                      : verdict_class_name(attempt && attempt->class != VERDICT_SUCCESS
                                               ? attempt->class
                                               : VERDICT_PERSISTENT));
    if (verdict && attempt) {
        str_json_text(out, "class", verdict_word(verdict, &attempt->outcome, word));
        if (verdict->type != TRANSIENT_NONE)
            str_json_text(out, "type", transient_type_name(verdict->type));
        if (verdict->reason != REASON_NONE)
            str_json_text(out, "reason", reason_name(verdict->reason));
        if (verdict->rule[0] != '\0')
            str_json_text(out, "rule", verdict->rule);
        if (verdict->match[0] != '\0')
            str_json_text(out, "match", verdict->match);
    }
}

static void write_attempts(const struct mcp_ended *ended, struct str *out)
{
    const struct task_state *task = &ended->state->tasks[ended->task];
    const struct step_state *step = mcp_ended_step(ended);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct str words = {0};
    if (attempt) {
        outcome_words(&attempt->outcome, &words);
        str_json_text(out, "outcome", str_text(&words));
        if (attempt->outcome.kind == OUTCOME_EXIT)
            str_json_i64(out, "exit", attempt->outcome.code);
        if (attempt->outcome.kind == OUTCOME_SIGNAL)
            str_json_i64(out, "signal", attempt->outcome.code);
        str_json_i64(out, "ran_ms", attempt->outcome.ran_ms);
    }
    str_json_i64(out, "attempts", (int)step->attempt_count);
    str_json_i64(out, "attempts_max", run_state_tries(ended->state, ended->task));
    str_json_i64(out, "waited_ms", task->waited_ms);
    str_json_text(out, "status", task_status_name(task->status));
    str_clear(&words);
    shown_ending(ended->state, ended->task, &words);
    if (words.len > 0)
        str_json_text(out, "why", str_text(&words));
    if (task->status == TASK_CANCELLED && task->by)
        str_json_text(out, "cancelled_by", task->by);
    str_done(&words);
}

static void write_tests(const struct mcp_ended *ended, struct str *out)
{
    struct test_report report;
    struct str failing = {0};
    if (mcp_find_report(ended, &report)) {
        str_json_key(out, "tests");
        str_add_char(out, '{');
        str_json_text(out, "form", report.form);
        const struct {
            const char *name;
            int64_t count;
        } counts[] = {{"passed", report.passed},
                      {"failed", report.failed},
                      {"skipped", report.skipped},
                      {"total", report.total}};
        for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
            if (counts[i].count >= 0)
                str_json_i64(out, counts[i].name, counts[i].count);
        }
        str_json_text(out, "line", report.line);
        str_add_char(out, '}');
    }
    if (mcp_find_failing(ended, &failing) > 0)
        str_addf(out, ",\"failing\":[%s]", str_text(&failing));
    str_done(&failing);
}

/* Returns why the content of a file must not be written back as shown, or "" if it may. Static. */
static const char *mcp_file_warning(const struct mcp_shown *shown)
{
    const struct str *text = &shown->texts[0];
    uint32_t rune = 0;
    if (strstr(str_text(text), "[cut:"))
        return "Secrets are cut out of this text: do not write it back.";
    for (size_t at = 0; at < text->len;) {
        at += (size_t)text_rune(text->data + at, text->len - at, &rune);
        if (rune == UINT32_MAX)
            return "This is not all UTF-8; invalid bytes are shown as U+FFFD: do not write it "
                   "back.";
    }
    return "";
}

static void write_output(const struct mcp_ended *ended, const struct mcp_shown *shown,
                         struct str *out)
{
    const struct attempt_state *attempt = step_state_attempt(mcp_ended_step(ended));
    const bool is_file = mcp_ended_is_file(ended);
    static const char *const sizes[2] = {"stdout_bytes", "stderr_bytes"};
    for (int i = 0; i < 2; i++) {
        str_json_key(out, is_file && i == 0 ? "content" : mcp_stream_name(i));
        str_add_json(out, str_text(&shown->texts[i]), shown->texts[i].len);
        if (attempt)
            str_json_i64(out, sizes[i], attempt->outcome.bytes[i]);
    }
    if (ended->request->path)
        str_json_text(out, "path", ended->request->path);
    if (is_file && *mcp_file_warning(shown) != '\0')
        str_json_text(out, "warning", mcp_file_warning(shown));
}

/* Appends the content of the result. The content of a file comes first, in an element of its own,
 * unchanged. */
static void write_content(const struct mcp_ended *ended, const struct mcp_shown *shown,
                          const char *advice, struct str *out)
{
    const bool is_file = mcp_ended_is_file(ended);
    struct str words = {0};
    str_add(out, "\"content\":[{\"type\":\"text\",\"text\":");
    if (is_file) {
        str_add_json(out, str_text(&shown->texts[0]), shown->texts[0].len);
        str_add(out, "}");
        str_addf(&words, "%s%s", str_text(&shown->texts[1]), mcp_file_warning(shown));
        if (*ended->nudge != '\0')
            str_addf(&words, "%s\n", ended->nudge);
        if (*advice != '\0')
            str_addf(&words, "%s\n", advice);
    } else {
        mcp_result_words(ended, shown, advice, &words);
        str_add_json(out, str_text(&words), words.len);
        str_add(out, "}");
        str_clear(&words);
    }
    if (words.len > 0) {
        str_add(out, ",{\"type\":\"text\",\"text\":");
        str_add_json(out, str_text(&words), words.len);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
    str_done(&words);
}

void mcp_result_write(const struct mcp_ended *ended, struct str *out)
{
    const bool is_file = mcp_ended_is_file(ended);
    const struct entropy_verdict *loop = ended->loop;
    struct mcp_shown shown = {0};
    struct str advice = {0};
    struct str once = {0};
    for (int i = 0; i < 2; i++) {
        const struct mcp_stream *stream = &ended->output->streams[i];
        if (is_file && i == 0)
            str_add_n(&shown.texts[i], str_text(&stream->kept), stream->kept.len);
        else
            mcp_stream_text(stream, &shown.texts[i]);
    }
    mcp_advice(ended, &advice);
    write_content(ended, &shown, str_text(&advice), out);
    str_json_bool(out, "isError", mcp_ended_failed(ended) || loop->level == ENTROPY_STUCK);

    /* The same result as data. */
    str_json_key(out, "structuredContent");
    str_add_char(out, '{');
    write_verdict(ended, out);
    write_attempts(ended, out);
    str_json_i64(out, "run", ended->run);
    str_json_text(out, "task", ended->state->plan->tasks[ended->task].id);
    str_json_text(out, "phase", phase_name(ended->request->phase));
    str_json_bool(out, "idempotent", ended->request->idempotent);
    mcp_once(ended, &once);
    if (once.len > 0)
        str_json_text(out, "executed_once", str_text(&once));
    write_tests(ended, out);
    write_output(ended, &shown, out);
    if (loop->level != ENTROPY_OK) {
        str_json_key(out, "loop");
        str_add_char(out, '{');
        str_json_text(out, "level", entropy_level_name(loop->level));
        str_json_text(out, "rung", entropy_rung_name(loop->rung));
        str_json_i64(out, "count", loop->count);
        str_json_text(out, "nudge", ended->nudge);
        str_add_char(out, '}');
    }
    if (advice.len > 0)
        str_json_text(out, "next", str_text(&advice));
    str_add_char(out, '}');
    for (int i = 0; i < 2; i++)
        str_done(&shown.texts[i]);
    str_done(&advice);
    str_done(&once);
}
