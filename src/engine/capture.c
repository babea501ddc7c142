#include "capture.h"

#include <assert.h>
#include <string.h>

#include "normaliser.h"
#include "phase.h"
#include "protocol.h"
#include "shown.h"

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

/* What was masked, in words. */
static void add_masks(struct str *out, unsigned masks)
{
    const char *comma = "";
    str_json_key(out, "masks");
    str_add_char(out, '[');
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++) {
        if ((masks & 1U << i) == 0)
            continue;
        const char *words = normaliser_mask_words((enum normaliser_mask)i);
        str_add(out, comma);
        str_add_json(out, words, strlen(words));
        comma = ",";
    }
    str_add_char(out, ']');
}

/* Lines as they came beside what was compared. */
static void add_sample(struct str *out, const char *key, const struct entropy_sample *sample)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    for (int i = 0; sample && i < sample->count; i++) {
        str_add(out, i > 0 ? ",{" : "{");
        str_json_text(out, "raw", sample->lines[i].raw);
        str_json_text(out, "normal", sample->lines[i].normal);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

/* Equal results that filled a window of the policy: where they begin and end. */
static void add_window(struct str *out, const struct step_state *step, int attempt)
{
    str_json_i64(out, "count", step->same);
    str_json_i64(out, "first", attempt - step->same + 1);
    str_json_i64(out, "last", attempt);
    str_json_text(out, "equal", "the results");
}

/* Why it was found to go in circles: by a rung or by the policy's window. */
static void add_loop(struct str *out, const struct capture_facts *facts,
                     const struct step_state *step)
{
    const struct event *event = facts->event;
    const struct circles *circles = facts->state->tasks[event->task].circles;
    const struct entropy_memory *memory = facts->memory;
    const struct entropy_sample *first = facts->knows_first ? entropy_memory_first(memory) : NULL;
    const struct entropy_sample *last = memory ? entropy_memory_last(memory) : NULL;
    str_json_key(out, "loop");
    str_add_char(out, '{');
    if (circles && circles->verdict.level == ENTROPY_STUCK) {
        circles_to_json(circles, event->step, 0, out);
        str_json_text(out, "equal", shown_circles_equal(&circles->verdict));
    } else {
        add_window(out, step, event->attempt);
    }
    add_masks(out, (first ? first->masks : 0) | (last ? last->masks : 0));
    add_sample(out, "first_lines", first);
    add_sample(out, "last_lines", last);
    str_add_char(out, '}');
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
    if (attempt->partial)
        str_json_bool(out, "partial", true);
    if (attempt->skipped_bytes > 0)
        str_json_i64(out, "skipped_bytes", attempt->skipped_bytes);
    add_call(out, facts);
    if (facts->attempt) {
        add_tails(out, facts->attempt);
        add_left(out, &facts->attempt->end);
    }
    if (event->a == DECISION_ENTROPY)
        add_loop(out, facts, step);
    add_machine(out, facts->setting->run_dir);
    str_add_char(out, '}');
}
