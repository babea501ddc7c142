/* trace_json.c - writes a run as a trace for Perfetto.
 *
 * The slice of an attempt ends with the attempt, but is written when the verdict is known, because
 * the verdict is one of its arguments. */
#include "timeline.h"

#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "outcome.h"
#include "plan.h"
#include "run_state.h"
#include "shown.h"
#include "xalloc.h"

enum { US_PER_MS = 1000, RUN_THREAD = 0 };

enum slice_kind { SLICE_NONE, SLICE_ATTEMPT, SLICE_WAIT };

/* The open slice of a task. */
struct slice {
    enum slice_kind kind;
    int64_t from_ms;
    int64_t until_ms; /* set if the attempt has ended and may still be judged; -1 = it is running */
    int step, attempt;
    char *formula; /* owned; formula of a wait, because the state keeps it only during the wait;
                      otherwise NULL */
};

struct trace_json {
    int64_t run;
    struct slice *slices; /* owned; by task */
    size_t count, cap;
    struct moment last; /* time of the previous event */
    int64_t now_ms;     /* time since the first event */
    bool has_begun;
    int running, waiting; /* values last written */
};

/* Sets now_ms to the time of the event. After a reboot, uses the wall clock, because the steady
 * clock has restarted. */
static void advance_clock(struct trace_json *trace, const struct event *event)
{
    const bool is_new_boot = event->kind == EVENT_RUN_RECOVERED && event->recovered.rebooted;
    const int64_t steady_ms = event->at.mono_ms - trace->last.mono_ms;
    const int64_t wall_ms = event->at.at_ms - trace->last.at_ms;
    const int64_t passed_ms = is_new_boot || steady_ms < 0 ? wall_ms : steady_ms;
    if (trace->has_begun)
        trace->now_ms += fold_length_ms(passed_ms);
    if (trace->now_ms > FOLD_TIME_MAX_MS)
        trace->now_ms = FOLD_TIME_MAX_MS; /* avoids an overflow in microseconds */
    trace->has_begun = true;
    trace->last = event->at;
}

/* Opens the next object of the list with the common members. */
static void begin_object(const struct trace_json *trace, const char *form, int thread,
                         struct str *text)
{
    str_add(text, ",\n{");
    str_json_text(text, "ph", form);
    str_json_i64(text, "pid", trace->run);
    str_json_i64(text, "tid", thread);
}

static void begin_args(struct str *text)
{
    str_json_key(text, "args");
    str_add_char(text, '{');
}

static void add_name(const struct trace_json *trace, const char *what, int thread, const char *name,
                     struct str *text)
{
    begin_object(trace, "M", thread, text);
    str_json_text(text, "name", what);
    begin_args(text);
    str_json_text(text, "name", name);
    str_add(text, "}}");
}

static void add_attempt(const struct slice *slice, const struct run_state *state, int task,
                        struct str *text)
{
    const struct step_state *step = &state->tasks[task].steps[slice->step];
    const struct attempt_state *attempt = step_state_find_attempt(step, slice->attempt);
    const char *phase = phase_name(state->plan->tasks[task].steps[slice->step].phase);
    struct str name = {0};
    str_addf(&name, "%s try %d", phase, slice->attempt);
    str_json_text(text, "name", str_text(&name));
    str_done(&name);
    str_json_text(text, "cat", "attempt");
    begin_args(text);
    str_json_i64(text, "step", slice->step + 1);
    str_json_i64(text, "attempt", slice->attempt);
    str_json_text(text, "phase", phase);
    if (!attempt || slice->until_ms < 0) {
        str_json_text(text, "outcome", "no end recorded");
        str_add_char(text, '}');
        return;
    }
    struct str words = {0};
    outcome_words(&attempt->outcome, &words);
    str_json_text(text, "outcome", str_text(&words));
    str_clear(&words);
    if (attempt->class != VERDICT_SUCCESS) {
        struct verdict room;
        const bool is_last = attempt == step_state_attempt(step);
        shown_attempt_class(attempt, is_last ? step_state_verdict(step, &room) : NULL, &words);
        str_json_text(text, "class", str_text(&words));
    }
    str_json_i64(text, "cpu_ms", attempt->outcome.cpu_ms);
    str_json_i64(text, "rss_kib", attempt->outcome.rss_kib_max);
    str_done(&words);
    str_add_char(text, '}');
}

static void end_slice(struct trace_json *trace, const struct run_state *state, int task,
                      struct str *text)
{
    struct slice *slice = &trace->slices[task];
    if (slice->kind == SLICE_NONE)
        return;
    const int64_t until_ms = slice->until_ms >= 0 ? slice->until_ms : trace->now_ms;
    begin_object(trace, "X", task + 1, text);
    str_json_i64(text, "ts", slice->from_ms * US_PER_MS);
    str_json_i64(text, "dur", (until_ms - slice->from_ms) * US_PER_MS);
    if (slice->kind == SLICE_WAIT) {
        str_json_text(text, "name", "wait");
        str_json_text(text, "cat", "wait");
        begin_args(text);
        str_json_i64(text, "step", slice->step + 1);
        str_json_text(text, "formula", slice->formula);
        str_add_char(text, '}');
    } else {
        add_attempt(slice, state, task, text);
    }
    str_add_char(text, '}');
    free(slice->formula);
    *slice = (struct slice){.kind = SLICE_NONE};
}

static void begin_slice(struct trace_json *trace, enum slice_kind kind, const struct event *event)
{
    trace->slices[event->task] = (struct slice){.kind = kind,
                                                .from_ms = trace->now_ms,
                                                .until_ms = -1,
                                                .step = event->step,
                                                .attempt = event->attempt};
}

/* Begins and ends the slices of the event's task. If an attempt has a verdict, the verdict directly
 * follows the end of the attempt, so the slice stays open until then. */
static void take_slices(struct trace_json *trace, const struct run_state *state,
                        const struct event *event, struct str *text)
{
    struct slice *slice = &trace->slices[event->task];
    const bool is_over = slice->until_ms >= 0;
    struct str formula = {0};
    switch (event->kind) {
    case EVENT_ATTEMPT_STARTED:
        end_slice(trace, state, event->task, text);
        begin_slice(trace, SLICE_ATTEMPT, event);
        return;
    case EVENT_ATTEMPT_ENDED:
        if (slice->kind == SLICE_ATTEMPT)
            slice->until_ms = trace->now_ms;
        return;
    case EVENT_ATTEMPT_JUDGED:
    case EVENT_STEP_ENDED:
    case EVENT_WAIT_ENDED:
        end_slice(trace, state, event->task, text);
        return;
    case EVENT_WAIT_STARTED:
        end_slice(trace, state, event->task, text);
        begin_slice(trace, SLICE_WAIT, event);
        shown_formula(&state->tasks[event->task].steps[event->step], &formula);
        slice->formula = xstrdup(str_text(&formula));
        str_done(&formula);
        return;
    default:
        if (slice->kind == SLICE_ATTEMPT && is_over && event->attempt != slice->attempt)
            end_slice(trace, state, event->task, text);
        return;
    }
}

static void add_instant(const struct trace_json *trace, const struct run_state *state,
                        const struct event *event, struct str *text)
{
    struct str words = {0};
    event_words_alone(state, event, &words);
    begin_object(trace, "i", event->task >= 0 ? event->task + 1 : RUN_THREAD, text);
    str_json_i64(text, "ts", trace->now_ms * US_PER_MS);
    str_json_text(text, "s", event->task >= 0 ? "t" : "p");
    str_json_text(text, "name", event_kind_name(event->kind));
    str_json_text(text, "cat", event_level_name(event_level(event)));
    begin_args(text);
    str_json_i64(text, "seq", event->seq);
    str_json_text(text, "message", str_text(&words));
    str_add(text, "}}");
    str_done(&words);
}

static void add_counter(struct trace_json *trace, const struct run_state *state, struct str *text)
{
    const int waiting = (int)state->waits.count;
    if (state->running == trace->running && waiting == trace->waiting)
        return;
    trace->running = state->running;
    trace->waiting = waiting;
    begin_object(trace, "C", RUN_THREAD, text);
    str_json_i64(text, "ts", trace->now_ms * US_PER_MS);
    str_json_text(text, "name", "tasks");
    begin_args(text);
    str_json_i64(text, "running", state->running);
    str_json_i64(text, "waiting", waiting);
    str_add(text, "}}");
}

/* Makes room for `count` tasks, because a run may grow. */
static void make_room(struct trace_json *trace, size_t count)
{
    if (count <= trace->count)
        return;
    trace->slices = xgrow(trace->slices, &trace->cap, count, sizeof(*trace->slices));
    for (size_t i = trace->count; i < count; i++)
        trace->slices[i] = (struct slice){.kind = SLICE_NONE};
    trace->count = count;
}

void trace_json_open(struct trace_json **out, int64_t run, const char *name, struct str *text)
{
    struct trace_json *trace = xcalloc(1, sizeof(*trace));
    struct str title = {0};
    trace->run = run;
    str_addf(&title, "run #%lld %s", (long long)run, name);
    str_add(text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n{\"ph\":\"M\"");
    str_json_i64(text, "pid", run);
    str_json_i64(text, "tid", RUN_THREAD);
    str_json_text(text, "name", "process_name");
    begin_args(text);
    str_json_text(text, "name", str_text(&title));
    str_add(text, "}}");
    add_name(trace, "thread_name", RUN_THREAD, "run", text);
    str_done(&title);
    *out = trace;
}

void trace_json_add(struct trace_json *trace, const struct run_state *state,
                    const struct event *event, struct str *text)
{
    advance_clock(trace, event);
    make_room(trace, (size_t)state->plan->task_count);
    if (event->task >= 0 && event->task < state->plan->task_count)
        take_slices(trace, state, event, text);
    /* Kinds that slices show need no instant. */
    if (event->kind != EVENT_ATTEMPT_STARTED && event->kind != EVENT_ATTEMPT_RUNNING &&
        event->kind != EVENT_ATTEMPT_ENDED && event->kind != EVENT_WAIT_STARTED &&
        event->kind != EVENT_WAIT_ENDED)
        add_instant(trace, state, event, text);
    add_counter(trace, state, text);
}

void trace_json_end(struct trace_json *trace, const struct run_state *state, struct str *text)
{
    make_room(trace, (size_t)state->plan->task_count);
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct plan_task *task = &state->plan->tasks[i];
        struct str name = {0};
        end_slice(trace, state, i, text);
        str_add(&name, task->id);
        if (strcmp(task->id, task->title) != 0)
            str_addf(&name, " %s", task->title);
        add_name(trace, "thread_name", i + 1, str_text(&name), text);
        begin_object(trace, "M", i + 1, text);
        str_json_text(text, "name", "thread_sort_index");
        begin_args(text);
        str_json_i64(text, "sort_index", i + 1);
        str_add(text, "}}");
        str_done(&name);
    }
    str_add(text, "\n]}\n");
}

void trace_json_close(struct trace_json *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->count; i++)
        free(trace->slices[i].formula);
    free(trace->slices);
    free(trace);
}
