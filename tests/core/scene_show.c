#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "scene.h"

static const char *const step_words[] = {
    [STEP_PENDING] = "pending", [STEP_READY] = "ready",     [STEP_RUNNING] = "running",
    [STEP_JUDGING] = "judging", [STEP_WAITING] = "waiting", [STEP_ENDED] = "ended",
};

static const char *const gate_words[] = {
    [GATE_OPEN] = "open",
    [GATE_CLOSED] = "closed",
    [GATE_PROBING] = "probing",
    [GATE_SPREADING] = "spreading",
};

struct fact {
    const char *key;
    int64_t value;
    int64_t plain; /* not worth a word */
};

static void add_facts(const struct fact *facts, size_t count, struct str *out)
{
    for (size_t i = 0; i < count; i++) {
        if (facts[i].value != facts[i].plain)
            str_addf(out, " %s=%lld", facts[i].key, (long long)facts[i].value);
    }
}

/* On which clock it is says the key; a moment has both, five seconds apart until the wall
 * clock jumps. */
static void add_moment(const char *key, struct moment moment, struct str *out)
{
    if (moment.at_ms == 0 && moment.mono_ms == 0)
        return;
    str_addf(out, " %s=%lld", key, (long long)moment.mono_ms);
    if (moment.at_ms != moment.mono_ms + 5000)
        str_addf(out, "/%lld", (long long)moment.at_ms);
}

void scene_show_event(const struct play *play, const struct event *event, struct str *out)
{
    str_addf(out, "  %s", event_kind_name(event->kind));
    ck_assert_int_eq(event->at.at_ms, play->now.at_ms);
    ck_assert_int_eq(event->at.mono_ms, play->now.mono_ms);
    if (event->task >= 0)
        str_addf(out, " %s/%d", play->plan->tasks[event->task].id, event->step);
    else
        ck_assert_int_eq(event->step, -1);
    struct event shown = *event;
    if (event->kind == EVENT_ATTEMPT_STARTED) {
        const struct plan_step *step = &play->plan->tasks[event->task].steps[event->step];
        const struct digest call = call_digester_take(play->scheduler.calls, step);
        ck_assert(digest_equal(call, event->started.call));
        shown.started.call = (struct digest){0};
    }
    const struct fact facts[] = {
        {"round", event->round, event->task >= 0},
        {"grant", event->grant, event->task >= 0},
        {"try", event->attempt, 0},
    };
    add_facts(facts, sizeof(facts) / sizeof(facts[0]), out);
    char *object = event_object(&shown);
    str_addf(out, "%s%s\n", strcmp(object, "{}") == 0 ? "" : " ",
             strcmp(object, "{}") == 0 ? "" : object);
    free(object);
}

void scene_show_action(const struct play *play, const struct action *action, struct str *out)
{
    str_addf(out, "  -> %s %s/%d try=%d", action->kind == ACTION_SPAWN ? "spawn" : "kill",
             play->plan->tasks[action->task].id, action->step, action->attempt);
    if (action->kind == ACTION_KILL)
        str_addf(out, " %s", cancel_mode_name(action->mode));
    str_add_char(out, '\n');
}

static void show_run(const struct play *play, struct str *out)
{
    const struct run_state *state = &play->state;
    const struct fact facts[] = {
        {"jobs", state->jobs, 0},
        {"started", state->started, 0},
        {"ended", state->ended, 0},
        {"exit", state->exit_code, 0},
        {"by_person", state->stopped_by_person, 0},
        {"unknown", state->unknown_events, 0},
        {"running", state->running, 0},
        {"held", state->held_count, 0},
        {"followers", state->follow_count, 0},
        {"attempts", state->attempts, 0},
        {"waited", state->waited_ms, 0},
        {"due", scheduler_next_due(&play->scheduler), -1},
        {"ready", state->ready.count, 0},
        {"waits", state->waits.count, 0},
    };
    str_add(out, "  = run");
    add_facts(facts, sizeof(facts) / sizeof(facts[0]), out);
    add_moment("from", state->started_at, out);
    add_moment("to", state->ended_at, out);
    for (enum task_status status = 0; status < TASK_STATUS_COUNT; status++) {
        if (state->counts[status] != 0)
            str_addf(out, " %s=%d", task_status_name(status), state->counts[status]);
    }
    str_add_char(out, '\n');
    if (state->notice[0])
        str_addf(out, "  = notice: %s (%lld)\n", state->notice, (long long)state->notice_at_ms);
}

static void show_task(const struct play *play, int number, struct str *out)
{
    const struct run_state *state = &play->state;
    const struct task_state *task = &state->tasks[number];
    const struct start_tries starts = run_state_start_tries(state, number);
    const struct fact facts[] = {
        {"step", task->step, 0},
        {"tries", run_state_tries(state, number), 0},
        {"start", starts.at, 0},
        {"starts", starts.of, 0},
        {"unmet", task->unmet, 0},
        {"blocked_by", task->blocked_by, -1},
        {"entropy", task->entropy, 0},
        {"held", task->held, 0},
        {"held_for", run_state_held_ms(state, number, &play->now), 0},
        {"follows", task->follows, -1},
        {"cancelling", task->cancelling, 0},
        {"mode", task->cancel_mode, 0},
        {"waited", task->waited_ms, 0},
        {"ready", number_set_has(&state->ready, number), 0},
    };
    str_addf(out, "  = %s: %s", play->plan->tasks[number].id, task_status_name(task->status));
    add_facts(facts, sizeof(facts) / sizeof(facts[0]), out);
    add_moment("since", task->since, out);
    if (task->held)
        add_moment("held_since", task->held_since, out);
    add_moment("first", task->first_start, out);
    if (heap_has(&state->waits, number))
        str_addf(out, " key=%lld", (long long)heap_key(&state->waits, number));
    str_addf(out, "%s%s\n", task->by ? " by " : "", task->by ? task->by : "");
}

static void show_circles(const struct play *play, int number, struct str *out)
{
    const struct circles *circles = play->state.tasks[number].circles;
    if (!circles)
        return;
    const struct entropy_verdict *verdict = &circles->verdict;
    const struct fact facts[] = {
        {"steps", entropy_state_steps(&circles->state), 0},
        {"scale", circles_scale(circles), 1},
        {"count", verdict->count, 0},
        {"period", verdict->period, 0},
        {"first", verdict->first_number, 0},
        {"last", verdict->last_number, 0},
        {"masked", verdict->masked, 0},
        {"poll", verdict->poll, 0},
        {"told", circles->told, 0},
    };
    str_addf(out, "  = %s circles: %s %s", play->plan->tasks[number].id,
             entropy_level_name(verdict->level), entropy_rung_name(verdict->rung));
    add_facts(facts, sizeof(facts) / sizeof(facts[0]), out);
    str_add_char(out, '\n');
}

static void show_step(const char *name, const struct step_state *step, struct str *out)
{
    const struct step_formulas *formulas = step_state_formulas(step);
    const struct fact facts[] = {
        {"grant", step->grant, 0},
        {"used", step->used, 0},
        {"allowed", step->allowed, 0},
        {"start_failures", step->start_failures, 0},
        {"free", step->free_hints, 0},
        {"same", step->same, 0},
        {"interrupted", step->interrupted, 0},
        {"judged", step->judged, 0},
        {"silent", step->silent_failure, 0},
        {"quiet", step->quiet, 0},
        {"heard", step->quiet ? step->heard_mono_ms : 0, 0},
        {"held_ms", step->held_ms, 0},
        {"delay", formulas->delay.delay_ms, 0},
        {"exact", formulas->delay.exact_ms, 0},
        {"n", formulas->delay.retry_number, 0},
        {"factor%", (int64_t)(formulas->delay.factor * 100), 0},
        {"hint", formulas->delay.hint_ms, 0},
    };
    str_addf(out, "  = %s: %s", name, step_words[step->status]);
    if (step->status == STEP_ENDED)
        str_addf(out, " (%s)", decision_kind_name(step->end));
    add_facts(facts, sizeof(facts) / sizeof(facts[0]), out);
    add_moment("first", step->first_start, out);
    if (step->status == STEP_WAITING) {
        add_moment("from", step->wait_from, out);
        add_moment("due", step->due, out);
    }
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(step, &room);
    if (verdict)
        str_addf(out, " %s/%s/%s %s", verdict_class_name(verdict->class),
                 transient_type_name(verdict->type), reason_name(verdict->reason), verdict->rule);
    if (formulas->inputs.policy)
        str_addf(out, " by %s %d/%d", formulas->inputs.policy, formulas->inputs.used,
                 formulas->inputs.allowed);
    str_add_char(out, '\n');
}

static void show_attempt(const char *name, const struct attempt_state *attempt, struct str *out)
{
    const struct outcome *outcome = &attempt->outcome;
    const struct fact facts[] = {
        {"grant", attempt->grant, 0},
        {"pid", attempt->pid, 0},
        {"waited", attempt->waited_ms, 0},
        {"fp", (int64_t)attempt->fingerprint.hi, 0},
        {"fp_low", (int64_t)attempt->fingerprint.lo, 0},
        {"new", attempt->new_permille, -1},
        {"code", outcome->code, 0},
        {"ran", outcome->ran_ms, 0},
        {"out", outcome->bytes[0], 0},
        {"err", outcome->bytes[1], 0},
        {"out_lines", outcome->lines[0], 0},
        {"err_lines", outcome->lines[1], 0},
        {"rss", outcome->rss_kib_max, 0},
        {"cpu", outcome->cpu_ms, 0},
        {"left", outcome->processes_left, 0},
    };
    str_addf(out, "  = %s try %d: %s", name, attempt->number,
             attempt->ended.at_ms != 0 ? outcome_kind_name(outcome->kind) : "alive");
    add_facts(facts, sizeof(facts) / sizeof(facts[0]), out);
    add_moment("from", attempt->started, out);
    add_moment("to", attempt->ended, out);
    if (attempt->ended.at_ms != 0)
        str_addf(out, " %s/%s/%s", verdict_class_name(attempt->class),
                 transient_type_name(attempt->type), reason_name(attempt->reason));
    const struct correction *correction = attempt->correction;
    if (correction)
        str_addf(out, " no: %s, says %s at %lld", verdict_label_word(&correction->label),
                 correction->by, (long long)correction->at_ms);
    str_add_char(out, '\n');
}

static void show_steps(const struct play *play, int task, struct str *out)
{
    for (int i = 0; i < play->plan->tasks[task].step_count; i++) {
        const struct step_state *step = &play->state.tasks[task].steps[i];
        struct str name = {0};
        str_addf(&name, "%s/%d", play->plan->tasks[task].id, i);
        show_step(str_text(&name), step, out);
        for (size_t k = 0; k < step->attempt_count; k++)
            show_attempt(str_text(&name), &step->attempts[k], out);
        str_done(&name);
    }
}

static void show_gate(const struct play *play, int source, struct str *out)
{
    const struct gate_state *gate = &play->state.gates[source];
    const struct fact facts[] = {
        {"closed", gate->closed, 0},
        {"probe", gate->probe, -1},
        {"chosen", gate->chosen, -1},
        {"next", gate_next(gate), -1},
        {"lets", gate_lets_start(gate, play->now.mono_ms), 0},
        {"spacing", gate->spacing_ms, 0},
        {"line", gate->line.count, 0},
    };
    str_addf(out, "  = gate %s: %s", play->plan->sources[source], gate_words[gate->status]);
    add_facts(facts, sizeof(facts) / sizeof(facts[0]), out);
    add_moment("since", gate->since, out);
    add_moment("due", gate->due, out);
    str_add_char(out, '\n');
}

static void show_faults(const struct play *play, struct str *out)
{
    struct fault faults[FAULTS_MAX];
    int count = run_state_faults(&play->state, faults);
    for (int i = 0; i < count; i++) {
        str_addf(out, "  = fault %llu: first=%d count=%d",
                 (unsigned long long)faults[i].fingerprint.hi, faults[i].first, faults[i].count);
        add_moment("since", faults[i].since, out);
        add_moment("due", faults[i].due_first, out);
        add_moment("to", faults[i].due_last, out);
        str_add_char(out, '\n');
    }
}

void scene_show_state(const struct play *play, struct str *out)
{
    show_run(play, out);
    for (int i = 0; i < play->plan->task_count; i++) {
        show_task(play, i, out);
        show_circles(play, i, out);
        show_steps(play, i, out);
    }
    for (int i = 0; i < play->plan->source_count; i++)
        show_gate(play, i, out);
    show_faults(play, out);
}
