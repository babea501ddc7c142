#include "capture.h"

#include <assert.h>
#include <string.h>

#include "phase.h"
#include "protocol.h"

static void add_bytes(struct str *out, const char *key, const char *bytes, size_t len)
{
    str_json_key(out, key);
    str_add_json(out, bytes, len);
}

static void add_texts(struct str *out, const char *key, char *const *texts)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    for (size_t i = 0; texts[i]; i++) {
        if (i > 0)
            str_add_char(out, ',');
        str_add_json(out, texts[i], strlen(texts[i]));
    }
    str_add_char(out, ']');
}

static void add_names(struct str *out, char *const *environment)
{
    str_json_key(out, "env");
    str_add_char(out, '[');
    for (size_t i = 0; environment[i]; i++) {
        if (i > 0)
            str_add_char(out, ',');
        str_add_json(out, environment[i], strcspn(environment[i], "="));
    }
    str_add_char(out, ']');
}

static void add_outcome(struct str *out, const struct outcome *outcome)
{
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

static void add_verdict(struct str *out, const struct attempt_state *attempt,
                        const struct verdict *evidence)
{
    str_json_key(out, "verdict");
    str_add_char(out, '{');
    str_json_text(out, "class", verdict_class_name(attempt->class));
    if (attempt->type != TRANSIENT_NONE)
        str_json_text(out, "type", transient_type_name(attempt->type));
    if (attempt->reason != REASON_NONE)
        str_json_text(out, "reason", reason_name(attempt->reason));
    if (evidence)
        verdict_to_json(evidence, out);
    str_add_char(out, '}');
}

static void add_machine(struct str *out, const char *run_dir)
{
    struct proc_machine machine;
    proc_machine(run_dir, &machine);
    str_json_key(out, "load");
    str_addf(out, "[%.2f,%.2f,%.2f]", machine.load[0], machine.load[1], machine.load[2]);
    str_json_i64(out, "memory_available_kib", machine.memory_available_kib);
    str_json_i64(out, "disk_free_kib", machine.disk_free_kib);
}

static void add_left(struct str *out, const struct child_end *end)
{
    str_json_i64(out, "left", end->outcome.left);
    str_json_key(out, "left_processes");
    str_add_char(out, '[');
    for (int i = 0; i < end->outcome.left && i < CHILD_LEFT_MAX; i++) {
        if (i > 0)
            str_add_char(out, ',');
        str_add_char(out, '{');
        str_json_i64(out, "pid", end->left[i].pid);
        add_bytes(out, "name", end->left[i].name, strlen(end->left[i].name));
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

static void add_call(struct str *out, const struct capture_facts *facts)
{
    struct call call;
    call_init(&call, facts->setting, facts->event->task, facts->event->step);
    add_texts(out, "argv", call.argv);
    add_bytes(out, "cwd", call.cwd, strlen(call.cwd));
    add_names(out, call.environment);
    call_done(&call);
}

static void add_tails(struct str *out, const struct attempt *attempt)
{
    static const char *const keys[] = {"stdout_tail", "stderr_tail"};
    for (int i = 0; i < 2; i++) {
        struct classify_text tail = output_tail(&attempt->streams[i], CAPTURE_TAIL_BYTES);
        add_bytes(out, keys[i], tail.len > 0 ? tail.bytes : "", tail.len);
    }
}

void capture_write(const struct capture_facts *facts, struct str *out)
{
    const struct event *event = facts->event;
    const struct plan_task *task = &facts->state->plan->tasks[event->task];
    const struct step_state *step = &facts->state->tasks[event->task].steps[event->step];
    const struct attempt_state *attempt = step_state_find_attempt(step, event->attempt);
    assert(attempt);

    str_add(out, "{\"v\":1");
    add_bytes(out, "task", task->id, strlen(task->id));
    str_json_i64(out, "step", event->step + 1);
    str_json_i64(out, "attempt", event->attempt);
    str_json_text(out, "phase", phase_name(task->steps[event->step].phase));
    str_json_text(out, "decision", decision_kind_name((enum decision_kind)event->a));
    add_outcome(out, &attempt->outcome);
    add_verdict(out, attempt, step->verdict);
    add_call(out, facts);
    if (facts->attempt) {
        add_tails(out, facts->attempt);
        add_left(out, &facts->attempt->end);
    }
    add_machine(out, facts->setting->run_dir);
    str_add_char(out, '}');
}
