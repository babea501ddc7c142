#include "capture_parts.h"

#include <assert.h>

#include "clock.h"
#include "phase.h"
#include "protocol.h"

void capture_lacks(struct capture_writer *writer, const char *item, const char *why)
{
    str_json_text(&writer->missing, item, why);
}

static void add_outcome(struct capture_writer *writer)
{
    const struct outcome *outcome = &writer->attempt->outcome;
    struct str *out = writer->out;
    str_json_key(out, "outcome");
    str_add_char(out, '{');
    str_json_text(out, "kind", outcome_kind_name(outcome->kind));
    str_json_i64(out, "code", outcome->code);
    str_json_i64(out, "ran_ms", outcome->ran_ms);
    str_json_i64(out, "stdout_bytes", outcome->bytes[0]);
    str_json_i64(out, "stderr_bytes", outcome->bytes[1]);
    str_json_i64(out, "stdout_lines", outcome->lines[0]);
    str_json_i64(out, "stderr_lines", outcome->lines[1]);
    str_json_i64(out, "rss_kib", outcome->rss_kib_max);
    str_json_i64(out, "cpu_ms", outcome->cpu_ms);
    str_add_char(out, '}');
}

static void add_verdict(struct capture_writer *writer)
{
    const struct attempt_state *attempt = writer->attempt;
    struct str *out = writer->out;
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(writer->step, &room);
    str_json_key(out, "verdict");
    str_add_char(out, '{');
    str_json_text(out, "class", verdict_class_name(attempt->class));
    if (attempt->type != TRANSIENT_NONE)
        str_json_text(out, "type", transient_type_name(attempt->type));
    if (attempt->reason != REASON_NONE)
        str_json_text(out, "reason", reason_name(attempt->reason));
    if (verdict)
        verdict_to_json(verdict, out);
    str_add_char(out, '}');
    if (attempt->partial)
        str_json_bool(out, "partial", true);
    if (attempt->skipped_bytes > 0)
        str_json_i64(out, "skipped_bytes", attempt->skipped_bytes);
}

static void add_head(struct capture_writer *writer)
{
    const struct event *event = writer->facts->event;
    struct str *out = writer->out;
    str_add(out, "{\"v\":1,\"part\":1");
    str_json_text(out, "task", writer->facts->state->plan->tasks[event->task].id);
    str_json_i64(out, "step", event->step + 1);
    str_json_i64(out, "attempt", event->attempt);
    str_json_text(out, "phase", phase_name(writer->plan->phase));
    str_json_text(out, "decision", decision_kind_name((enum decision_kind)event->a));
}

/* What takes a bounded room whatever happens; the two lists of the call have theirs. */
enum { CAPTURE_REST_BYTES = 48 * 1024, JSON_BYTES_MAX = 6 /* of one byte: \u0000 */ };
static_assert(3 * CAPTURE_LIST_BYTES + 2 * JSON_BYTES_MAX * CAPTURE_TAIL_BYTES +
                      JSON_BYTES_MAX * CAPTURE_PROMPT_BYTES +
                      2 * JSON_BYTES_MAX * 2 * ENTROPY_SAMPLE_LINES * ENTROPY_SAMPLE_BYTES +
                      CAPTURE_REST_BYTES <=
                  CAPTURE_BYTES_MAX,
              "a capture is bounded");

static void write_all(struct capture_writer *writer)
{
    add_head(writer);
    add_outcome(writer);
    add_verdict(writer);
    capture_end(writer);
    capture_call(writer);
    capture_agent(writer);
    capture_tree(writer);
    capture_output(writer);
    capture_loop(writer);
    capture_machine(writer);
}

void capture_write(const struct capture_facts *facts, struct str *out)
{
    const int64_t begun_us = clock_mono_us();
    const struct event *event = facts->event;
    const struct plan_task *task = &facts->state->plan->tasks[event->task];
    struct call call = {0};
    struct capture_writer writer = {.facts = facts, .out = out};
    writer.step = &facts->state->tasks[event->task].steps[event->step];
    writer.attempt = step_state_find_attempt(writer.step, event->attempt);
    writer.plan = &task->steps[event->step];
    assert(writer.attempt);
    if (!facts->attempt)
        call_init(&call, facts->setting, event->task, event->step);
    writer.call = facts->attempt ? &facts->attempt->call : &call;

    write_all(&writer);
    str_json_key(out, "missing");
    str_addf(out, "{%s}", str_text(&writer.missing));
    str_json_i64(out, "took_us", clock_mono_us() - begun_us);
    str_add_char(out, '}');
    str_done(&writer.missing);
    call_done(&call);
}
