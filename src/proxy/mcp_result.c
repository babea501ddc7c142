#include "mcp_result.h"

#include <string.h>

#include "mcp_advice.h"
#include "mcp_failing.h"
#include "shown.h"
#include "test_report.h"
#include "text.h"

static const char *const stream_names[2] = {"stdout", "stderr"};

static const struct step_state *step_of(const struct mcp_ended *ended)
{
    return run_state_step(ended->state, ended->task);
}

static bool has_passed(const struct mcp_ended *ended)
{
    return ended->state->tasks[ended->task].status == TASK_PASSED;
}

bool mcp_ended_failed(const struct mcp_ended *ended)
{
    return !has_passed(ended);
}

bool mcp_ended_is_transient(const struct mcp_ended *ended)
{
    const struct attempt_state *attempt = step_state_attempt(step_of(ended));
    return !has_passed(ended) && attempt && attempt->class == VERDICT_TRANSIENT;
}

/* Attempts that ran; a start that failed is none. */
static int count_attempts(const struct step_state *step)
{
    return (int)step->attempt_count;
}

/* The two streams of the last attempt, fit for reading. */
struct shown_output {
    struct str texts[2];
};

static void show_output(const struct mcp_ended *ended, struct shown_output *out)
{
    *out = (struct shown_output){0};
    const bool is_file = ended->request->tool == MCP_TOOL_READ && has_passed(ended);
    for (int i = 0; i < 2; i++) {
        const struct mcp_stream *stream = &ended->output->streams[i];
        if (is_file && i == 0)
            str_add_n(&out->texts[i], str_text(&stream->kept), stream->kept.len);
        else
            mcp_stream_text(stream, &out->texts[i]);
    }
}

static void shown_output_done(struct shown_output *shown)
{
    for (int i = 0; i < 2; i++)
        str_done(&shown->texts[i]);
}

/* "exit 1, test-fail", "cancelled by ann". */
static void add_end(const struct mcp_ended *ended, struct str *out)
{
    const struct task_state *task = &ended->state->tasks[ended->task];
    const struct attempt_state *attempt = step_state_attempt(step_of(ended));
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
    const struct verdict *verdict = step_of(ended)->verdict;
    if (has_passed(ended) || !verdict)
        return;
    (void)verdict_word(verdict, &attempt->outcome, word);
    if (strcmp(word, str_text(out)) != 0 && word[0] != '\0')
        str_addf(out, ", %s", word);
    if (verdict->subtype[0] != '\0')
        str_addf(out, " (%s)", verdict->subtype);
}

static void add_evidence(const struct mcp_ended *ended, struct str *out)
{
    const struct verdict *verdict = step_of(ended)->verdict;
    struct str words = {0};
    if (has_passed(ended) || !verdict || verdict->class == VERDICT_SUCCESS)
        return;
    shown_evidence(verdict, &words);
    if (words.len > 0)
        str_addf(out, "%s, %s\n", verdict_class_name(verdict->class), str_text(&words));
    str_done(&words);
}

/* "2 of 3 tries, 1.5 s waited between them: retry exhausted ..." */
static void add_tries(const struct mcp_ended *ended, struct str *out)
{
    const struct task_state *task = &ended->state->tasks[ended->task];
    const int count = count_attempts(step_of(ended));
    struct str ending = {0};
    shown_ending(ended->state, ended->task, &ending);
    if (count != 1 || ending.len > 0)
        str_addf(out, "%d %s", count, count == 1 ? "try" : "tries");
    if (task->waited_ms > 0) {
        str_add(out, ", ");
        shown_seconds(task->waited_ms, out);
        str_add(out, " waited between them");
    }
    if (ending.len > 0)
        str_addf(out, ": %s", str_text(&ending));
    if (count != 1 || ending.len > 0)
        str_add_char(out, '\n');
    str_done(&ending);
}

static bool find_report(const struct mcp_ended *ended, struct test_report *out)
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

/* Elements of a JSON array. */
static int find_failing(const struct mcp_ended *ended, struct str *out)
{
    int count = 0;
    for (int i = 0; i < 2 && count == 0 && ended->request->tool == MCP_TOOL_TESTS; i++) {
        const struct str *kept = &ended->output->streams[i].kept;
        count = mcp_failing_find(str_text(kept), kept->len, out);
    }
    return count;
}

static void add_tests(const struct mcp_ended *ended, struct str *out)
{
    struct test_report report;
    struct str failing = {0};
    if (find_report(ended, &report))
        str_addf(out, "tests (%s): %s\n", report.form, report.line);
    if (find_failing(ended, &failing) > 0)
        str_addf(out, "failing: %s\n", str_text(&failing));
    str_done(&failing);
}

static void add_place(const struct mcp_ended *ended, struct str *out)
{
    str_addf(out, "[run #%lld, %s]\n", (long long)ended->run,
             ended->state->plan->tasks[ended->task].id);
}

static void add_streams(const struct shown_output *shown, struct str *out)
{
    for (int i = 0; i < 2; i++) {
        const struct str *text = &shown->texts[i];
        if (text->len == 0)
            continue;
        str_addf(out, "--- %s\n%s", stream_names[i], str_text(text));
        if (text->data[text->len - 1] != '\n')
            str_add_char(out, '\n');
    }
}

static void add_words(const struct mcp_ended *ended, const struct shown_output *shown,
                      const char *advice, struct str *out)
{
    struct str once = {0};
    add_end(ended, out);
    str_add_char(out, '\n');
    add_tries(ended, out);
    add_evidence(ended, out);
    mcp_once(ended, &once);
    if (!has_passed(ended) && once.len > 0)
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

static void write_verdict(const struct mcp_ended *ended, struct str *out)
{
    const struct step_state *step = step_of(ended);
    const struct attempt_state *attempt = step_state_attempt(step);
    const struct verdict *verdict = has_passed(ended) ? NULL : step->verdict;
    char word[VERDICT_WORD_MAX];
    str_json_text(out, "verdict",
                  has_passed(ended)
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
    const struct step_state *step = step_of(ended);
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
    str_json_i64(out, "attempts", count_attempts(step));
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

static void write_call(const struct mcp_ended *ended, struct str *out)
{
    struct str once = {0};
    str_json_i64(out, "run", ended->run);
    str_json_text(out, "task", ended->state->plan->tasks[ended->task].id);
    str_json_text(out, "phase", phase_name(ended->request->phase));
    str_json_bool(out, "idempotent", ended->request->idempotent);
    mcp_once(ended, &once);
    if (once.len > 0)
        str_json_text(out, "executed_once", str_text(&once));
    str_done(&once);
}

static void write_tests(const struct mcp_ended *ended, struct str *out)
{
    struct test_report report;
    struct str failing = {0};
    if (find_report(ended, &report)) {
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
    if (find_failing(ended, &failing) > 0)
        str_addf(out, ",\"failing\":[%s]", str_text(&failing));
    str_done(&failing);
}

static void write_output(const struct mcp_ended *ended, const struct shown_output *shown,
                         struct str *out)
{
    const struct attempt_state *attempt = step_state_attempt(step_of(ended));
    const bool is_file = ended->request->tool == MCP_TOOL_READ && has_passed(ended);
    static const char *const sizes[2] = {"stdout_bytes", "stderr_bytes"};
    for (int i = 0; i < 2; i++) {
        str_json_key(out, is_file && i == 0 ? "content" : stream_names[i]);
        str_add_json(out, str_text(&shown->texts[i]), shown->texts[i].len);
        if (attempt)
            str_json_i64(out, sizes[i], attempt->outcome.bytes[i]);
    }
    if (ended->request->path)
        str_json_text(out, "path", ended->request->path);
    if (strstr(str_text(&shown->texts[0]), "[cut:"))
        str_json_bool(out, "secrets_cut", true);
}

static void write_loop(const struct mcp_ended *ended, struct str *out)
{
    const struct entropy_verdict *loop = ended->loop;
    if (loop->level == ENTROPY_OK)
        return;
    str_json_key(out, "loop");
    str_add_char(out, '{');
    str_json_text(out, "level", entropy_level_name(loop->level));
    str_json_text(out, "rung", entropy_rung_name(loop->rung));
    str_json_i64(out, "count", loop->count);
    str_json_text(out, "nudge", ended->nudge);
    str_add_char(out, '}');
}

/* A file's text comes first and alone, as it is. */
static void write_content(const struct mcp_ended *ended, const struct shown_output *shown,
                          const char *advice, struct str *out)
{
    const bool is_file = ended->request->tool == MCP_TOOL_READ && has_passed(ended);
    struct str words = {0};
    str_add(out, "\"content\":[{\"type\":\"text\",\"text\":");
    if (is_file) {
        str_add_json(out, str_text(&shown->texts[0]), shown->texts[0].len);
        str_add(out, "}");
        str_add(&words, str_text(&shown->texts[1]));
        if (*ended->nudge != '\0')
            str_addf(&words, "%s\n", ended->nudge);
    } else {
        add_words(ended, shown, advice, &words);
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
    const bool is_error = !has_passed(ended) || ended->loop->level == ENTROPY_STUCK;
    struct shown_output shown;
    struct str advice = {0};
    show_output(ended, &shown);
    mcp_advice(ended, &advice);
    write_content(ended, &shown, str_text(&advice), out);
    str_json_bool(out, "isError", is_error);
    str_json_key(out, "structuredContent");
    str_add_char(out, '{');
    write_verdict(ended, out);
    write_attempts(ended, out);
    write_call(ended, out);
    write_tests(ended, out);
    write_output(ended, &shown, out);
    write_loop(ended, out);
    if (advice.len > 0)
        str_json_text(out, "next", str_text(&advice));
    str_add_char(out, '}');
    str_done(&advice);
    shown_output_done(&shown);
}

static void add_class(const struct run_state *state, int task, struct str *out)
{
    struct str class = {0};
    shown_class(state, task, &class);
    if (class.len > 0)
        str_addf(out, " after %s", str_text(&class));
    str_done(&class);
}

void mcp_progress_words(const struct run_state *state, int task, const struct moment *now,
                        struct str *out)
{
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    const struct task_state *at = &state->tasks[task];
    struct str tries = {0};
    shown_try_of(state, task, &tries);
    if (at->held) {
        str_addf(out, "held by %s", at->by ? at->by : "a person");
    } else if (step->status == STEP_WAITING) {
        str_add(out, "next try in ");
        shown_duration(step->due.mono_ms - now->mono_ms, out);
        add_class(state, task, out);
        str_addf(out, ", %s so far", str_text(&tries));
    } else if (step->status == STEP_RUNNING && attempt) {
        str_addf(out, "%s runs for ", str_text(&tries));
        shown_duration(now->mono_ms - attempt->started.mono_ms, out);
        if (step->quiet)
            str_add(out, ", quiet");
    } else {
        str_add(out, "waits for a slot");
    }
    str_done(&tries);
}
