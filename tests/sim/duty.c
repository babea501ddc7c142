#include "duty.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "agents.h"
#include "facts.h"

#define BIT(kind) (1U << (kind))

/* Inputs, as bits. */
enum {
    ANY_INPUT = (1 << INPUT_KIND_COUNT) - 1,
    OF_END = BIT(INPUT_ENDED) | BIT(INPUT_RECOVER),
};

/* The inputs that may cause an event of a kind; 0 = a fact. */
static const unsigned causes[EVENT_KIND_COUNT] = {
    [EVENT_RUN_STARTED] = BIT(INPUT_START) | BIT(INPUT_RECOVER),
    [EVENT_RUN_ENDED] = ANY_INPUT,
    [EVENT_ATTEMPT_STARTED] = ANY_INPUT,
    [EVENT_ATTEMPT_PLACED] = ANY_INPUT,
    [EVENT_ATTEMPT_RUNNING] = BIT(INPUT_RUNNING),
    [EVENT_ATTEMPT_ENDED] = OF_END,
    [EVENT_ATTEMPT_JUDGED] = OF_END,
    [EVENT_WAIT_STARTED] = OF_END,
    [EVENT_WAIT_ENDED] = ANY_INPUT,
    [EVENT_STEP_ENDED] = ANY_INPUT,
    [EVENT_STEP_REOPENED] = BIT(INPUT_CONTROL),
    [EVENT_TASK_BLOCKED] = ANY_INPUT,
    [EVENT_TASK_HELD] = BIT(INPUT_CONTROL),
    [EVENT_TASK_RELEASED] = ANY_INPUT,
    [EVENT_CANCEL_ASKED] = BIT(INPUT_CONTROL),
    [EVENT_CONTROL_ANSWERED] = BIT(INPUT_CONTROL),
    [EVENT_ATTEMPT_QUIET] = BIT(INPUT_QUIET),
    [EVENT_ATTEMPT_HEARD] = BIT(INPUT_HEARD),
    [EVENT_NOTE] = BIT(INPUT_NOTE),
    [EVENT_GATE_CLOSED] = OF_END | BIT(INPUT_CONTROL),
    [EVENT_GATE_OPENED] = OF_END,
    [EVENT_CLASS_CORRECTED] = BIT(INPUT_CONTROL),
    [EVENT_RUN_RECOVERED] = BIT(INPUT_RECOVER),
    [EVENT_LOOP_SUSPECTED] = OF_END | BIT(INPUT_FACT),
    [EVENT_BUDGET] = ANY_INPUT,
    [EVENT_ROUND_STARTED] = OF_END,
};

static bool is_open(const struct run_state *state, int task)
{
    return !task_status_is_final(state->tasks[task].status);
}

static bool is_failed(const struct run_state *state, int task)
{
    return !is_open(state, task) && state->tasks[task].status != TASK_PASSED;
}

/* Returns how many needs of the task have failed; *unmet is how many have not passed. */
static int failed_needs(const struct plot *plot, const struct run_state *state, int task,
                        int *unmet)
{
    const struct plot_task *needy = &plot->tasks[task];
    int failed = 0;
    *unmet = 0;
    for (int i = 0; i < needy->need_count; i++) {
        failed += is_failed(state, needy->needs[i]);
        *unmet += state->tasks[needy->needs[i]].status != TASK_PASSED;
    }
    return failed;
}

int duty_source(const struct run_state *state, int task)
{
    return state->plan->tasks[task].steps[run_state_step_number(state, task)].source;
}

bool duty_is_in_line(const struct plot *plot, const struct run_state *state, int task)
{
    int unmet = 0;
    (void)failed_needs(plot, state, task, &unmet);
    return unmet == 0 && state->tasks[task].status == TASK_QUEUED && !state->tasks[task].held &&
           run_state_step(state, task)->status == STEP_READY;
}

static bool gate_lets(const struct gate_state *gate, int task, int64_t now_ms)
{
    bool sent = gate->status == GATE_CLOSED && gate->chosen == task;
    return gate->status == GATE_OPEN || sent ||
           (gate->status != GATE_PROBING && gate->due.mono_ms <= now_ms);
}

static bool is_agents(const struct turn_seen *seen, const struct run_state *state, int task)
{
    return seen->plot->tasks[task].steps[run_state_step_number(state, task)].agent;
}

/* Before the turn. */

static bool names_host(const struct plot *plot, const char *executor, const char *host)
{
    bool is_there = false;
    for (int i = 0; executor && host && i < plot->host_count; i++)
        is_there = is_there ||
                   (strcmp(executor, PLOT_EXECUTOR) == 0 && strcmp(host, plot_host_name(i)) == 0);
    return is_there;
}

/* The plots have one job, and one reason; a running job has a node, which is then always the
 * same. */
static bool repeats_job_state(const struct task_job *job, const struct event *fact)
{
    return fact->kind == EVENT_JOB_STATE && job && job->state == fact->job.state;
}

/* Returns whether the state has this cost already, with what the run has used since. */
static bool repeats_day(const struct run_state *before, const struct event *fact)
{
    return fact->day.date == before->day.date &&
           fact->day.cost_micro - before->day.cost_micro ==
               before->used.cost_micro - before->day.own_micro;
}

static bool names_attempt(const struct turn_seen *seen, const struct run_state *before)
{
    const struct input *input = seen->input;
    const struct event *fact = &input->fact_event;
    const bool of_host = input->kind == INPUT_FACT && fact->kind == EVENT_HOST_STATE;
    const bool of_run = of_host || (input->kind == INPUT_FACT && fact->kind == EVENT_TIME_STOPPED);
    if (input->kind == INPUT_FACT && !facts_are_valid(fact))
        return false;
    if (of_host && !names_host(seen->plot, fact->host.executor, fact->host.host))
        return false;
    if (input->kind == INPUT_FACT && fact->kind == EVENT_DAY_COST)
        return before->started && !repeats_day(before, fact);
    if (input->kind == INPUT_FACT && fact->kind == EVENT_AFTER_ENDED)
        return before->started && input->task >= 0 && input->task < seen->plot->task_count;
    if (of_run || input->kind == INPUT_NOTE)
        return before->started || input->kind == INPUT_NOTE;
    if (input->task < 0 || input->task >= seen->plot->task_count || input->step < 0 ||
        input->step >= seen->plot->tasks[input->task].step_count)
        return false;
    const struct step_state *step = &before->tasks[input->task].steps[input->step];
    const bool lives = step->status == STEP_RUNNING && input->attempt == (int)step->attempt_count &&
                       input->step == run_state_step_number(before, input->task);
    if (input->kind != INPUT_FACT)
        return lives;
    if (fact->kind >= EVENT_HOST_STATE)
        return lives && step_state_latest(step)->host >= 0 &&
               !repeats_job_state(before->tasks[input->task].job, fact);
    if (fact->kind >= EVENT_AGENT_SESSION)
        return lives && is_agents(seen, before, input->task);
    return input->attempt >= 1 && input->attempt <= (int)step->attempt_count;
}

static bool may_correct(const struct turn_seen *seen, const struct run_state *before)
{
    const struct control *control = &seen->input->control;
    const int number =
        control->step >= 0 ? control->step : run_state_step_number(before, control->task);
    if (number >= seen->plot->tasks[control->task].step_count)
        return false;
    const struct step_state *step = &before->tasks[control->task].steps[number];
    const int count = (int)step->attempt_count;
    const int attempt = control->attempt != 0 ? control->attempt : count;
    return attempt >= 1 && attempt <= count && (attempt < count || step->status != STEP_RUNNING);
}

/* Returns whether a person may do this to the task now. */
static bool may_act(const struct turn_seen *seen, const struct run_state *before, int task)
{
    const struct task_state *state = &before->tasks[task];
    const int source = duty_source(before, task);
    int unmet = 0;
    switch (seen->input->control.verb) {
    case CONTROL_CANCEL:
        return is_open(before, task);
    case CONTROL_HOLD:
        return is_open(before, task) && !state->held;
    case CONTROL_RELEASE:
        return state->held;
    case CONTROL_SEND_ONE:
        return run_state_step(before, task)->status == STEP_WAITING;
    case CONTROL_CORRECT:
        return may_correct(seen, before);
    case CONTROL_RETRY:
        if (is_failed(before, task)) /* and its last attempt runs nowhere any more */
            return failed_needs(seen->plot, before, task, &unmet) == 0 &&
                   (state->fence.at_ms == 0 || state->fence.at_ms <= seen->input->now.at_ms);
        if (state->status == TASK_QUEUED && !state->held)
            return source >= 0 && duty_is_in_line(seen->plot, before, task) &&
                   (before->gates[source].status == GATE_CLOSED ||
                    before->gates[source].status == GATE_PROBING);
        return is_open(before, task) && state->status != TASK_RUNNING;
    case CONTROL_VERB_COUNT:
        break;
    }
    return false;
}

static void expect_acts(const struct turn_seen *seen, const struct run_state *before,
                        struct turn_duty *out)
{
    const struct control *control = &seen->input->control;
    const int task = control->task;
    const bool whole = control->verb == CONTROL_CANCEL;
    if (!before->started || task >= seen->plot->task_count)
        return;
    if (task < 0 && whole)
        out->acts = !before->ended;
    for (int i = 0; task < 0 && i < seen->plot->task_count; i++) {
        out->acts_on[i] = control->verb != CONTROL_SEND_ONE && control->verb != CONTROL_CORRECT &&
                          may_act(seen, before, i);
        out->acts = out->acts || (out->acts_on[i] && !whole);
    }
    if (task < 0)
        return;
    const bool aims_past =
        control->verb != CONTROL_CORRECT &&
        ((control->step >= 0 && control->step != run_state_step_number(before, task)) ||
         (control->attempt != 0 &&
          control->attempt != (int)run_state_step(before, task)->attempt_count));
    out->acts = out->acts_on[task] = !aims_past && may_act(seen, before, task);
}

/* The tasks that wait with the same result on the same source follow the task that is sent, except
 * held ones, if all began to wait within a minute. */
static void expect_followers(const struct turn_seen *seen, const struct run_state *before,
                             struct turn_duty *out)
{
    const int leader = seen->input->control.task;
    if (seen->input->control.verb != CONTROL_SEND_ONE || !out->acts)
        return;
    const struct step_state *led = run_state_step(before, leader);
    const struct digest result = step_state_latest(led)->fingerprint;
    int64_t first_ms = INT64_MAX, last_ms = INT64_MIN;
    for (int i = 0; i < seen->plot->task_count; i++) {
        const struct step_state *step = run_state_step(before, i);
        if (step->status != STEP_WAITING || duty_source(before, i) != duty_source(before, leader) ||
            !digest_is_same(step_state_latest(step)->fingerprint, result))
            continue;
        out->follows[i] = i != leader && !before->tasks[i].held;
        first_ms = step->wait_from.mono_ms < first_ms ? step->wait_from.mono_ms : first_ms;
        last_ms = step->wait_from.mono_ms > last_ms ? step->wait_from.mono_ms : last_ms;
    }
    if (first_ms <= last_ms && last_ms - first_ms > FAULT_SPAN_MS)
        memset(out->follows, 0, sizeof(out->follows));
}

void duty_expect(const struct turn_seen *seen, const struct run_state *before,
                 struct turn_duty *out)
{
    *out = (struct turn_duty){0};
    out->names_attempt = names_attempt(seen, before);
    out->used_micro = before->used.cost_micro;
    out->starts_run = !before->started;
    for (int i = 0; i < seen->plot->task_count; i++) {
        out->alive[i] = before->tasks[i].status == TASK_RUNNING
                            ? (int)run_state_step(before, i)->attempt_count
                            : 0;
        out->held[i] = before->tasks[i].held;
        out->status[i] = before->tasks[i].status;
        const int source = duty_source(before, i);
        int unmet = 0;
        (void)failed_needs(seen->plot, before, i, &unmet);
        out->gated[i] = source >= 0 && unmet == 0 && before->gates[source].status == GATE_CLOSED;
    }
    if (seen->input->kind != INPUT_CONTROL)
        return;
    expect_acts(seen, before, out);
    expect_followers(seen, before, out);
}

/* After the turn: the effect of the input. */

/* Returns an event of the turn of this kind about this task; NULL if there is none. */
static const struct event *find_event(const struct turn_seen *seen, enum event_kind kind, int task)
{
    for (size_t i = 0; i < seen->turn->events.count; i++) {
        const struct event *event = &seen->turn->events.items[i];
        if (event->kind == kind && event->task == task)
            return event;
    }
    return NULL;
}

static int count_events(const struct turn_seen *seen, enum event_kind kind)
{
    int count = 0;
    for (size_t i = 0; i < seen->turn->events.count; i++)
        count += seen->turn->events.items[i].kind == kind;
    return count;
}

/* Returns whether the event has to name a person: 1 or 0; -1 if it may. */
static int names_person(const struct event *event)
{
    switch (event->kind) {
    case EVENT_RUN_STARTED:
    case EVENT_RUN_RECOVERED:
    case EVENT_STEP_REOPENED:
    case EVENT_TASK_HELD:
    case EVENT_CANCEL_ASKED:
    case EVENT_CONTROL_ANSWERED:
    case EVENT_CLASS_CORRECTED:
        return 1;
    case EVENT_WAIT_ENDED:
        return event->wait_ended.skipped;
    case EVENT_TASK_RELEASED:
    case EVENT_GATE_CLOSED:
        return -1;
    default: /* not caused by a person */
        return 0;
    }
}

static void check_causes(const struct turn_seen *seen, const struct turn_duty *duty)
{
    const struct input *input = seen->input;
    for (size_t i = 0; i < seen->turn->events.count; i++) {
        const struct event *event = &seen->turn->events.items[i];
        const unsigned cause =
            event_kind_is_fact(event->kind) ? BIT(INPUT_FACT) : causes[event->kind];
        const int named = names_person(event);
        const char *by = event->by;
        const bool acts =
            event->kind == EVENT_CONTROL_ANSWERED || input->kind != INPUT_CONTROL || duty->acts;
        (void)finding_check(seen->finding,
                            (cause & BIT(input->kind)) != 0 &&
                                event->at.at_ms == input->now.at_ms &&
                                event->at.mono_ms == input->now.mono_ms,
                            "nothing happens without a cause", "%s of t%d",
                            event_kind_name(event->kind), event->task);
        (void)finding_check(seen->finding,
                            (named < 0 || (named != 0) == (by != NULL)) &&
                                (!by || (acts && strcmp(by, input->control.by) == 0)),
                            "an act names the person", "%s: by %s", event_kind_name(event->kind),
                            by ? by : "nobody");
    }
}

/* Each report is in the log once, unchanged. */
static void check_news(const struct turn_seen *seen, const struct turn_duty *duty)
{
    const struct input *input = seen->input;
    struct event want = event_new(EVENT_NONE);
    const struct event *have = NULL;
    int task = input->task;
    switch (input->kind) {
    case INPUT_RUNNING:
        want = event_new(EVENT_ATTEMPT_RUNNING);
        want.running.pid = input->pid;
        want.running.pid_start = input->pid_start;
        break;
    case INPUT_QUIET:
        want = event_new(EVENT_ATTEMPT_QUIET);
        want.quiet.quiet_ms = input->quiet_ms;
        break;
    case INPUT_HEARD:
        want = event_new(EVENT_ATTEMPT_HEARD);
        break;
    case INPUT_ENDED: /* the onlooker compares the end */
        (void)finding_check(seen->finding,
                            count_events(seen, EVENT_ATTEMPT_ENDED) == duty->names_attempt,
                            "an end is recorded once", "t%d", task);
        return;
    case INPUT_NOTE:
        want = event_new(EVENT_NOTE);
        want.note.note = input->note;
        break;
    case INPUT_FACT:
        facts_put(&want, &input->fact_event);
        if (want.kind == EVENT_TIME_STOPPED || want.kind == EVENT_HOST_STATE ||
            want.kind == EVENT_DAY_COST)
            task = -1;
        if (want.kind == EVENT_DAY_COST)
            want.day.own_micro = duty->used_micro;
        break;
    case INPUT_START:
    case INPUT_RECOVER: /* with as many jobs as before */
        have = find_event(seen, EVENT_RUN_RECOVERED, -1);
        (void)finding_check(seen->finding,
                            count_events(seen, EVENT_RUN_STARTED) == duty->starts_run &&
                                (!duty->starts_run || seen->scheduler->state->jobs == input->jobs),
                            "a run starts once", "%d jobs", seen->scheduler->state->jobs);
        (void)finding_check(
            seen->finding,
            count_events(seen, EVENT_RUN_RECOVERED) == (input->kind == INPUT_RECOVER) &&
                (!have || (have->recovered.rebooted == input->rebooted &&
                           have->recovered.jobs == 0 && have->recovered.take_up == TAKE_UP_OPEN)),
            "a run is recovered once", "rebooted: %d", input->rebooted);
        return;
    case INPUT_TIME:
    case INPUT_CONTROL:
    case INPUT_TASK:
    case INPUT_KIND_COUNT:
        return;
    }
    have = find_event(seen, want.kind, task);
    char *reported = event_object(&want);
    char *kept = have ? event_object(have) : NULL;
    const bool same = duty->names_attempt ? kept && strcmp(reported, kept) == 0 : !have;
    const bool place = !have || task < 0 || want.kind == EVENT_NOTE ||
                       (have->step == input->step && have->attempt == input->attempt);
    (void)finding_check(seen->finding,
                        same && place && count_events(seen, want.kind) == duty->names_attempt,
                        "a report is recorded once, unchanged", "%s: %s, should be %s",
                        event_kind_name(want.kind), kept ? kept : "nothing", reported);
    free(reported);
    free(kept);
}

/* A person's act has its effect on the task. */
static bool has_acted(const struct turn_seen *seen, const struct turn_duty *duty, int task)
{
    const struct control *control = &seen->input->control;
    const struct task_state *state = &seen->scheduler->state->tasks[task];
    const bool waited = duty->status[task] == TASK_BACKOFF;
    const struct event *event = NULL;
    switch (control->verb) {
    case CONTROL_CANCEL:
        event = find_event(seen, EVENT_CANCEL_ASKED, control->task);
        return event && event->cancel.mode == control->mode && state->cancelling &&
               state->cancel_mode == control->mode &&
               (duty->alive[task] > 0 || task_status_is_final(state->status));
    case CONTROL_HOLD:
        event = find_event(seen, EVENT_TASK_HELD, task);
        return event && event->held.follows < 0;
    case CONTROL_RELEASE:
        return find_event(seen, EVENT_TASK_RELEASED, task) != NULL;
    case CONTROL_SEND_ONE:
    case CONTROL_RETRY:
        if (duty->status[task] != TASK_QUEUED && !waited)
            return find_event(seen, EVENT_STEP_REOPENED, task) != NULL;
        event = find_event(seen, EVENT_GATE_CLOSED, task);
        return (!duty->held[task] || find_event(seen, EVENT_TASK_RELEASED, task)) &&
               (!waited || find_event(seen, EVENT_WAIT_ENDED, task)) &&
               (!duty->gated[task] || (event && event->gate_closed.chosen == task));
    case CONTROL_CORRECT:
        event = find_event(seen, EVENT_CLASS_CORRECTED, task);
        return event && verdict_label_equals(&event->corrected, &control->label) &&
               (control->step < 0 || event->step == control->step) &&
               (control->attempt == 0 || event->attempt == control->attempt);
    case CONTROL_VERB_COUNT:
        break;
    }
    return false;
}

static void check_control(const struct turn_seen *seen, const struct turn_duty *duty)
{
    const struct control *control = &seen->input->control;
    const bool there = control->task >= 0 && control->task < seen->plot->task_count;
    const struct event *answer =
        find_event(seen, EVENT_CONTROL_ANSWERED, there ? control->task : -1);
    if (seen->tally)
        seen->tally->acts[control->verb][control->task < 0][duty->acts]++;
    (void)finding_check(seen->finding,
                        count_events(seen, EVENT_CONTROL_ANSWERED) == (control->id != 0) &&
                            (control->id == 0 || answer),
                        "each control is answered once", "%s", control_verb_name(control->verb));
    (void)finding_check(seen->finding,
                        !answer || (answer->answered.control == control->id &&
                                    answer->answered.done == duty->acts &&
                                    answer->answered.verb == control->verb &&
                                    answer->answered.answer && *answer->answered.answer != '\0'),
                        "controls are done or refused", "%s of t%d",
                        control_verb_name(control->verb), control->task);
    for (int i = 0; duty->acts && i < seen->plot->task_count; i++) {
        (void)finding_check(seen->finding, !duty->acts_on[i] || has_acted(seen, duty, i),
                            "an act has its effect", "%s of t%d", control_verb_name(control->verb),
                            i);
        const struct event *held = find_event(seen, EVENT_TASK_HELD, i);
        const bool follows = held && held->held.follows == control->task && control->task >= 0;
        (void)finding_check(seen->finding, !duty->follows[i] || follows,
                            "tasks with the same result follow the task that is sent", "t%d", i);
        (void)finding_check(seen->finding, duty->acts_on[i] || !held || follows,
                            "an act is about its task", "t%d", i);
    }
}

/* After the turn: actions. */

static bool has_kill(const struct turn_seen *seen, int task, enum cancel_mode mode)
{
    for (size_t i = 0; i < seen->turn->action_count; i++) {
        const struct action *action = &seen->turn->actions[i];
        if (action->kind == ACTION_KILL && action->task == task && action->mode == mode)
            return true;
    }
    return false;
}

/* Returns whether the task's attempt runs on a host. */
static bool is_away_alive(const struct turn_seen *seen, int task)
{
    const struct step_state *step = run_state_step(seen->scheduler->state, task);
    return step->status == STEP_RUNNING && step_state_latest(step)->host >= 0;
}

/* An engine that takes up what runs on hosts sends the signal of a cancel again. */
static bool is_cancelled_away(const struct turn_seen *seen, int task)
{
    const struct task_state *state = &seen->scheduler->state->tasks[task];
    return seen->input->kind == INPUT_RECOVER && is_away_alive(seen, task) && state->cancelling &&
           state->cancel_mode != CANCEL_STOP && !find_event(seen, EVENT_ATTEMPT_STARTED, task);
}

/* A budget that is spent, or a loop in its calls, ends a running agent; but not if the budget was
 * spent at the end of another attempt. Sets which attempts may have been ended. */
static void check_ended(const struct turn_seen *seen, const struct turn_duty *duty,
                        bool may_end[PLOT_TASKS_MAX])
{
    const struct run_state *state = seen->scheduler->state;
    const bool surely = (OF_END & BIT(seen->input->kind)) == 0;
    for (int i = 0; seen->input->kind == INPUT_RECOVER && i < seen->plot->task_count; i++)
        may_end[i] = is_away_alive(seen, i) && state->tasks[i].agent && !state->tasks[i].cancelling;
    for (size_t i = 0; i < seen->turn->events.count; i++) {
        const struct event *event = &seen->turn->events.items[i];
        const bool is_spent = event->kind == EVENT_BUDGET && event->budget.is_spent;
        const bool is_loop = event->kind == EVENT_LOOP_SUSPECTED && event->loop.of_calls &&
                             state->tasks[event->task].agent->is_stuck;
        for (int k = 0; (is_spent || is_loop) && k < seen->plot->task_count; k++) {
            bool meant = event->task < 0 ? is_agents(seen, state, k) : event->task == k;
            bool lives = duty->alive[k] > 0 && state->tasks[k].status == TASK_RUNNING &&
                         (is_loop || !state->tasks[k].cancelling) &&
                         (int)run_state_step(state, k)->attempt_count == duty->alive[k];
            may_end[k] = may_end[k] || (meant && lives);
            (void)finding_check(seen->finding,
                                !meant || !lives || !surely || has_kill(seen, k, CANCEL_TERM),
                                "a spent budget or a loop ends the attempt", "t%d", k);
        }
    }
}

static void check_actions(const struct turn_seen *seen, const struct turn_duty *duty)
{
    const struct run_state *state = seen->scheduler->state;
    const struct control *control = seen->input->kind == INPUT_CONTROL && duty->acts &&
                                            seen->input->control.verb == CONTROL_CANCEL
                                        ? &seen->input->control
                                        : NULL;
    bool may_end[PLOT_TASKS_MAX] = {false};
    int spawns = 0;
    int attached = 0;
    check_ended(seen, duty, may_end);
    for (size_t i = 0; i < seen->turn->action_count; i++) {
        const struct action *action = &seen->turn->actions[i];
        const bool is_kill = action->kind == ACTION_KILL;
        if (action->kind == ACTION_ATTACH) {
            const struct step_state *step = run_state_step(state, action->task);
            (void)finding_check(seen->finding,
                                seen->input->kind == INPUT_RECOVER &&
                                    step->status == STEP_RUNNING &&
                                    step_state_latest(step)->host >= 0 &&
                                    action->attempt == step_state_latest(step)->number,
                                "an engine attaches to what runs on hosts", "t%d", action->task);
            attached++;
            continue;
        }
        const struct event *started = find_event(seen, EVENT_ATTEMPT_STARTED, action->task);
        const bool cancelled = (control && duty->acts_on[action->task] &&
                                control->mode != CANCEL_STOP && action->mode == control->mode) ||
                               (is_cancelled_away(seen, action->task) &&
                                action->mode == state->tasks[action->task].cancel_mode);
        spawns += !is_kill;
        (void)finding_check(seen->finding,
                            is_kill ? action->attempt == duty->alive[action->task] &&
                                          action->step == run_state_step_number(state, action->task)
                                    : started && started->attempt == action->attempt &&
                                          started->step == action->step,
                            "an action names its attempt", "%s of t%d", is_kill ? "kill" : "spawn",
                            action->task);
        (void)finding_check(seen->finding,
                            !is_kill || cancelled ||
                                (may_end[action->task] && action->mode == CANCEL_TERM),
                            "nothing is stopped without a cause", "t%d", action->task);
    }
    (void)finding_check(seen->finding, spawns == count_events(seen, EVENT_ATTEMPT_STARTED),
                        "every start is carried out", "%d", spawns);
    for (int i = 0; seen->input->kind == INPUT_RECOVER && i < seen->plot->task_count; i++) {
        attached -= is_away_alive(seen, i) && !find_event(seen, EVENT_ATTEMPT_STARTED, i);
        (void)finding_check(seen->finding,
                            !is_cancelled_away(seen, i) ||
                                has_kill(seen, i, state->tasks[i].cancel_mode),
                            "an engine stops again what was cancelled on hosts", "t%d", i);
    }
    (void)finding_check(seen->finding, attached == 0,
                        "an engine attaches to all that runs on hosts", "%d", attached);
    for (int i = 0; control && control->mode != CANCEL_STOP && i < seen->plot->task_count; i++)
        (void)finding_check(seen->finding,
                            !duty->acts_on[i] || duty->alive[i] == 0 ||
                                has_kill(seen, i, control->mode),
                            "a cancel stops running attempts", "t%d", i);
}

/* After the turn: the state. */

/* Blocked exactly when a need can no longer pass, ended exactly when nothing is open. An engine
 * that is gone may have left the first half done. */
static void check_ends(const struct turn_seen *seen)
{
    const struct run_state *state = seen->scheduler->state;
    const bool half_done = seen->scheduler->orphaned;
    bool any_open = false;
    for (int i = 0; i < seen->plot->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        int unmet = 0;
        const int failed = failed_needs(seen->plot, state, i, &unmet);
        any_open = any_open || is_open(state, i);
        (void)finding_check(seen->finding, half_done || !is_open(state, i) || failed == 0,
                            "a task that cannot continue is blocked", "t%d", i);
        (void)finding_check(seen->finding,
                            task->status != TASK_BLOCKED ||
                                (failed > 0 && is_failed(state, task->blocked_by)),
                            "a task that can continue is not blocked", "t%d", i);
        (void)finding_check(seen->finding,
                            half_done || !task->cancelling || !is_open(state, i) ||
                                task->status == TASK_RUNNING,
                            "a cancelled task ends", "t%d", i);
        (void)finding_check(seen->finding,
                            half_done || task->follows < 0 || is_open(state, task->follows),
                            "followers are released when their leader ends", "t%d", i);
    }
    (void)finding_check(seen->finding, !state->started || state->ended == !any_open,
                        "a run ends when nothing can continue", "ended %d", state->ended);
}

/* Returns the earlier of two times, -1 = never. */
static int64_t earlier(int64_t a_ms, int64_t b_ms)
{
    return a_ms < 0 || (b_ms >= 0 && b_ms < a_ms) ? b_ms : a_ms;
}

bool duty_has_slot(const struct plot *plot, const struct run_state *state, int task)
{
    bool found = !plot->tasks[task].away && state->running - state->running_away < state->jobs;
    for (int i = 0; plot->tasks[task].away && i < plot->host_count; i++)
        found = found || (!state->hosts[i].down && state->hosts[i].running < plot->host_slots[i]);
    return found;
}

/* Nothing is due and not done, no slot is free while a task may start, and the scheduler is woken
 * for the next thing that will be due. */
static void check_due(const struct turn_seen *seen)
{
    const struct scheduler *scheduler = seen->scheduler;
    const struct run_state *state = scheduler->state;
    const int64_t now_ms = seen->input->now.mono_ms;
    const bool starts =
        !scheduler->orphaned && !scheduler->starts_nothing && state->started && !state->ended;
    int64_t due_ms = -1;
    for (int i = 0; i < seen->plot->task_count; i++) {
        const struct step_state *step = run_state_step(state, i);
        const int source = duty_source(state, i);
        const struct gate_state *gate = source >= 0 ? &state->gates[source] : NULL;
        const bool lets = !gate || gate_lets(gate, i, now_ms);
        if (state->tasks[i].status == TASK_BACKOFF && state->tasks[i].follows < 0) {
            due_ms = earlier(due_ms, step->due.mono_ms);
            (void)finding_check(seen->finding, step->due.mono_ms > now_ms,
                                "a wait ends when it is due", "t%d", i);
        }
        if (!duty_is_in_line(seen->plot, state, i))
            continue;
        (void)finding_check(seen->finding, !starts || !duty_has_slot(seen->plot, state, i) || !lets,
                            "no slot is idle while something may start", "t%d", i);
        const bool waits_for_other = gate && gate->chosen >= 0 && seen->plot->host_count == 0;
        if (!lets && gate->status != GATE_PROBING && !waits_for_other)
            due_ms = earlier(due_ms, gate->due.mono_ms);
    }
    due_ms = earlier(due_ms, run_state_wall_due(state, -1));
    for (int i = 0; i < seen->plot->task_count; i++) {
        if (state->tasks[i].agent)
            due_ms = earlier(due_ms, run_state_wall_due(state, i));
    }
    const int64_t next_ms = scheduler_next_due(scheduler);
    (void)finding_check(seen->finding, next_ms == due_ms, "the next wake-up is the right one",
                        "%" PRId64 ", should be %" PRId64, next_ms, due_ms);
}

/* Returns whether budgets of a task, or of the run (-1), that are used up or nearly so have been
 * reported. */
static bool budgets_are_reported(const struct turn_seen *seen, int task)
{
    const struct run_state *state = seen->scheduler->state;
    const struct budget_state *budget =
        task < 0 ? &state->budget : &state->tasks[task].agent->budget;
    for (int kind = BUDGET_NONE + 1; kind < BUDGET_KIND_COUNT; kind++) {
        struct budget_use use;
        if (!run_state_budget(state, task, (enum budget_kind)kind, &seen->input->now, &use))
            continue;
        const unsigned told = budget_use_is_spent(&use) ? budget->spent : budget->told;
        if (budget_use_is_near(&use) && (told & BIT(kind)) == 0)
            return false;
    }
    return true;
}

/* Nothing is left half done: each end is decided on, each probe runs, each loop and budget has been
 * reported, and no attempt of an engine that is gone is still running. */
static void check_rest(const struct turn_seen *seen)
{
    const struct run_state *state = seen->scheduler->state;
    for (int i = 0; i < seen->plot->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        const struct step_state *step = run_state_step(state, i);
        const struct circles *calls = task->agent ? task->agent->calls : NULL;
        const bool runs = step->status == STEP_RUNNING;
        (void)finding_check(seen->finding, step->status != STEP_JUDGING,
                            "an end is followed by a decision", "t%d", i);
        (void)finding_check(seen->finding,
                            !runs || seen->input->kind != INPUT_RECOVER || is_away_alive(seen, i) ||
                                find_event(seen, EVENT_ATTEMPT_STARTED, i),
                            "no attempt of a dead engine is alive", "t%d", i);
        const bool looping = task->circles && task->circles->verdict.level == ENTROPY_SUSPECT &&
                             task->circles->verdict.news && !task->circles->told;
        const bool calling = runs && is_agents(seen, state, i) && calls &&
                             calls->verdict.level != ENTROPY_OK && calls->verdict.news &&
                             !calls->told;
        (void)finding_check(seen->finding, !(looping && is_open(state, i)) && !calling,
                            "a suspected loop is reported", "t%d", i);
        (void)finding_check(seen->finding, !task->agent || budgets_are_reported(seen, i),
                            "budgets are reported", "t%d", i);
    }
    (void)finding_check(seen->finding, budgets_are_reported(seen, -1), "budgets are reported",
                        "the run");
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct gate_state *gate = &state->gates[i];
        const bool runs = gate->probe >= 0 && state->tasks[gate->probe].status == TASK_RUNNING &&
                          duty_source(state, gate->probe) == i;
        (void)finding_check(seen->finding, gate->status != GATE_PROBING || runs,
                            "a gate that probes has a running probe", "source %d", i);
    }
}

/* The counters and queues of the state match its tasks. */
static void check_sums(const struct turn_seen *seen)
{
    const struct run_state *state = seen->scheduler->state;
    int counts[TASK_STATUS_COUNT] = {0};
    int running = 0, held = 0, follow = 0, away = 0;
    int on_host[PLOT_HOSTS_MAX] = {0}, reached[PLOT_HOSTS_MAX] = {0};
    for (int i = 0; i < seen->plot->task_count; i++) {
        const struct task_state *task = &state->tasks[i];
        const struct step_state *step = run_state_step(state, i);
        const int source = duty_source(state, i);
        const bool in_line = duty_is_in_line(seen->plot, state, i);
        const bool waits = task->status == TASK_BACKOFF && task->follows < 0;
        int unmet = 0, followers = 0;
        (void)failed_needs(seen->plot, state, i, &unmet);
        for (int k = 0; k < seen->plot->task_count; k++)
            followers += state->tasks[k].follows == i;
        counts[task->status]++;
        running += step->status == STEP_RUNNING;
        if (is_away_alive(seen, i)) {
            const int host = step_state_latest(step)->host;
            away++;
            on_host[host]++;
            reached[host] += task->reached;
        }
        held += task->held;
        follow += task->follows >= 0;
        bool same = unmet == task->unmet && followers == task->followers &&
                    number_set_has(&state->ready, i) ==
                        (in_line && source < 0 && !seen->plot->tasks[i].away) &&
                    (state->plan->executor_count > 0 && number_set_has(&state->ready_away, i)) ==
                        (in_line && source < 0 && seen->plot->tasks[i].away) &&
                    heap_has(&state->waits, i) == waits &&
                    (!waits || heap_key(&state->waits, i) == step->due.mono_ms) &&
                    (task->status == TASK_RUNNING) ==
                        (step->status == STEP_RUNNING || step->status == STEP_JUDGING);
        for (int k = 0; k < state->plan->source_count; k++)
            same = same && number_set_has(&state->gates[k].line, i) == (in_line && source == k);
        (void)finding_check(seen->finding, same, "the queues of the state match its tasks", "t%d",
                            i);
    }
    (void)finding_check(seen->finding,
                        memcmp(counts, state->counts, sizeof(counts)) == 0 &&
                            running == state->running && held == state->held_count &&
                            follow == state->follow_count && away == state->running_away,
                        "the state counts its tasks", "%d running, %d held", running, held);
    for (int i = 0; i < seen->plot->host_count; i++)
        (void)finding_check(seen->finding,
                            on_host[i] == state->hosts[i].running &&
                                reached[i] == state->hosts[i].reached,
                            "the state counts the attempts of a host", "h%d: %d, %d with contact",
                            i, on_host[i], reached[i]);
}

void duty_check(const struct turn_seen *seen, const struct turn_duty *duty)
{
    check_causes(seen, duty);
    check_news(seen, duty);
    if (seen->input->kind == INPUT_CONTROL)
        check_control(seen, duty);
    check_actions(seen, duty);
    check_ends(seen);
    check_due(seen);
    if (!seen->scheduler->orphaned)
        check_rest(seen);
    check_sums(seen);
}
