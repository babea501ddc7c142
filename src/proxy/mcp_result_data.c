/* mcp_result_data.c - a call's result as structured content. */
#include "mcp_advice.h"
#include "mcp_result_parts.h"
#include "shown.h"

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
    shown_ending_named(ended->state, ended->task, &words);
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

void mcp_result_data(const struct mcp_ended *ended, const struct mcp_shown *shown,
                     const char *advice, struct str *out)
{
    write_verdict(ended, out);
    write_attempts(ended, out);
    write_call(ended, out);
    write_tests(ended, out);
    write_output(ended, shown, out);
    write_loop(ended, out);
    if (*advice != '\0')
        str_json_text(out, "next", advice);
}
