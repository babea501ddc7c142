/* status_json.c - a run's present state as an object for programs. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "shown.h"
#include "status.h"
#include "task_json.h"
#include "telling.h"
#include "timeline.h"

void seed_json(uint64_t seed, struct str *out)
{
    char text[sizeof("18446744073709551615")];
    (void)snprintf(text, sizeof(text), "%" PRIu64, seed);
    str_json_text(out, "seed", text);
}

static const struct run_state *state_of(const struct status *status)
{
    return follower_state(status->follower);
}

static const char *id_of(const struct status *status, int task)
{
    return state_of(status)->plan->tasks[task].id;
}

static void begin_item(struct str *out)
{
    str_add(out, out->data[out->len - 1] == '[' ? "{" : ",{");
}

static void add_gate(const struct status *status, int source, struct str *out)
{
    static const char *const words[] = {
        [GATE_OPEN] = "open",
        [GATE_CLOSED] = "closed",
        [GATE_PROBING] = "probing",
        [GATE_SPREADING] = "spreading",
    };
    static_assert(ARRAY_LEN(words) == GATE_STATUS_COUNT, "every state of a gate has its word");
    const struct run_state *state = state_of(status);
    const struct gate_state *gate = &state->gates[source];
    begin_item(out);
    str_json_text(out, "source", state->plan->sources[source]);
    str_json_text(out, "state", words[gate->status]);
    str_json_i64(out, "waiting", shown_waiting(state, source));
    if (gate->status != GATE_OPEN) {
        str_json_i64(out, "limits", gate->closed);
        str_json_i64(out, "since_ms", gate->since.at_ms);
    }
    if (gate->status == GATE_CLOSED || gate->status == GATE_SPREADING)
        str_json_i64(out, "due_at_ms", gate->due.at_ms);
    if (gate->status == GATE_SPREADING)
        str_json_i64(out, "spacing_ms", gate->spacing_ms);
    if (gate->status == GATE_PROBING)
        str_json_text(out, "probe", id_of(status, gate->probe));
    str_add_char(out, '}');
}

static void add_gates(const struct status *status, struct str *out)
{
    str_json_key(out, "gates");
    str_add_char(out, '[');
    for (int i = 0; i < state_of(status)->plan->source_count; i++)
        add_gate(status, i, out);
    str_add_char(out, ']');
}

static void add_fault(const struct status *status, const struct fault *fault, struct str *out)
{
    const struct run_state *state = state_of(status);
    char hex[DIGEST_HEX_MAX];
    struct str class = {0};
    const char *comma = "";
    digest_to_hex(fault->fingerprint, hex);
    shown_class(state, fault->first, &class);
    begin_item(out);
    str_json_text(out, "fingerprint", hex);
    str_json_text(out, "class", str_text(&class));
    str_json_i64(out, "count", fault->count);
    str_json_i64(out, "since_ms", fault->since.at_ms);
    str_json_i64(out, "due_first_at_ms", fault->due_first.at_ms);
    str_json_i64(out, "due_last_at_ms", fault->due_last.at_ms);
    str_json_key(out, "members");
    str_add_char(out, '[');
    for (int i = fault->first; i < state->plan->task_count; i++) {
        if (!fault_has(fault, state, i))
            continue;
        str_addf(out, "%s\"%s\"", comma, id_of(status, i));
        comma = ",";
    }
    str_add(out, "]}");
    str_done(&class);
}

static void add_faults(const struct status *status, struct str *out)
{
    const struct run_state *state = state_of(status);
    struct fault faults[FAULTS_MAX];
    int count = state->ended || status->orphaned ? 0 : run_state_faults(state, faults);
    str_json_key(out, "faults");
    str_add_char(out, '[');
    for (int i = 0; i < count; i++)
        add_fault(status, &faults[i], out);
    str_add_char(out, ']');
}

static void add_step(const struct status *status, int task, struct str *out)
{
    const struct run_state *state = state_of(status);
    const struct step_state *step = run_state_step(state, task);
    const struct start_tries start = run_state_start_tries(state, task);
    int number = run_state_step_number(state, task);
    int64_t resume_at_ms = shown_resets_at_ms(step);
    struct shown_circle circle;
    str_json_i64(out, "step", number + 1);
    str_json_text(out, "phase", phase_name(state->plan->tasks[task].steps[number].phase));
    str_json_i64(out, "attempt", (int64_t)step->attempt_count);
    str_json_i64(out, "attempts_max", run_state_tries(state, task));
    const struct try_count count = run_state_try_count(state, task, number, 0);
    shown_try_count_json(&count, out);
    if (start.of > 0) {
        str_json_key(out, "start");
        str_addf(out, "{\"try\":%d,\"max\":%d}", start.at, start.of);
    }
    str_json_i64(out, "entropy", state->tasks[task].entropy);
    if (step->status == STEP_WAITING)
        str_json_i64(out, "due_at_ms", step->due.at_ms);
    if (resume_at_ms >= 0)
        str_json_i64(out, "resume_at_ms", resume_at_ms);
    if (shown_circles_of(state, task, &circle))
        circles_json(&circle, circle.verdict.level, out);
    if (state->tasks[task].follows >= 0)
        str_json_text(out, "follows", id_of(status, state->tasks[task].follows));
}

static void add_task(const struct status *status, int task, struct str *out)
{
    const struct run_state *state = state_of(status);
    struct str part = {0};
    begin_item(out);
    str_json_text(out, "task", id_of(status, task));
    str_json_text(out, "title", state->plan->tasks[task].title);
    str_json_text(out, "state", shown_word(shown_task(state, task, status->orphaned)));
    add_step(status, task, out);
    shown_class(state, task, &part);
    str_json_text(out, "class", str_text(&part));
    str_clear(&part);
    shown_why(state, task, &part);
    str_json_text(out, "why", str_text(&part));
    str_clear(&part);
    if (task_status_is_failed(state->tasks[task].status))
        telling_line(follower_reader(status->follower), status_run(status)->number, state, task,
                     &part);
    if (part.len > 0)
        str_json_text(out, "line", str_text(&part));
    agent_json(state, task, &status->now, out);
    place_json(state, task, out);
    str_done(&part);
    str_add_char(out, '}');
}

/* Where the time of all tasks went. */
static void add_time(const struct status *status, struct str *out)
{
    struct time_spent spent;
    time_spent_of_run(&spent, state_of(status), &status->now, status->orphaned);
    str_json_key(out, "time");
    str_add_char(out, '{');
    time_spent_json(&spent, out);
    str_add_char(out, '}');
}

void status_json(const struct status *status, struct str *out)
{
    const struct run_state *state = state_of(status);
    const struct log_run_info *run = follower_run(status->follower);
    str_add_char(out, '{');
    str_json_i64(out, "v", 1);
    str_json_i64(out, "run", run->number);
    str_json_text(out, "uid", run->uid);
    str_json_text(out, "name", run->name);
    str_json_text(out, "state", status_run_word(status));
    if (run->owner_stopped && !state->ended)
        str_json_bool(out, "stopped", true);
    str_json_i64(out, "live_runs", status->live_runs);
    str_json_i64(out, "started_at_ms", run->started_at_ms);
    seed_json(run->seed, out);
    if (state->ended) {
        str_json_i64(out, "ended_at_ms", state->ended_at.at_ms);
        str_json_i64(out, "exit_code", state->exit_code);
    }
    str_json_i64(out, "attempts", state->attempts);
    str_json_i64(out, "waited_ms", state->waited_ms);
    add_time(status, out);
    if (state->stopped_ms > 0)
        str_json_i64(out, "stopped_ms", state->stopped_ms);
    if (state->secrets_cut > 0)
        str_json_i64(out, "secrets_cut", state->secrets_cut);
    agents_json(state, &status->now, out);
    add_gates(status, out);
    add_faults(status, out);
    str_json_key(out, "tasks");
    str_add_char(out, '[');
    for (int i = 0; i < state->plan->task_count; i++)
        add_task(status, i, out);
    str_add(out, "]}");
}
