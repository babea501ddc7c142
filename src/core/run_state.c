#include "run_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "xalloc.h"

/* One handler for each kind of event. It is called once the event is known to fit
 * (check_event); `text` is the event's JSON, NULL where it has none. */
struct fold {
    struct run_state *state;
    const struct event *event;
    const struct json *text;
    struct task_state *task; /* NULL for an event of the run */
    struct step_state *step; /* NULL for an event of a task */
};

static const char *const status_names[] = {
    [TASK_QUEUED] = "queued",   [TASK_RUNNING] = "running",     [TASK_BACKOFF] = "backoff",
    [TASK_PASSED] = "passed",   [TASK_GAVE_UP] = "gave-up",     [TASK_CANCELLED] = "cancelled",
    [TASK_BLOCKED] = "blocked", [TASK_NEEDS_YOU] = "needs-you", [TASK_STUCK] = "stuck",
};
static_assert(ARRAY_LEN(status_names) == TASK_STATUS_COUNT, "every status has a name");

const char *task_status_name(enum task_status status)
{
    assert(status < TASK_STATUS_COUNT);
    return status_names[status];
}

bool task_status_is_final(enum task_status status)
{
    return status != TASK_QUEUED && status != TASK_RUNNING && status != TASK_BACKOFF;
}

void run_state_init(struct run_state *state, const struct plan *plan, uint64_t seed)
{
    *state = (struct run_state){.plan = plan, .seed = seed};
    state->tasks = xcalloc((size_t)plan->task_count + 1, sizeof(*state->tasks));
    state->steps = xcalloc((size_t)plan->step_count + 1, sizeof(*state->steps));
    heap_init(&state->ready, plan->task_count);
    heap_init(&state->waits, plan->task_count);
    state->counts[TASK_QUEUED] = plan->task_count;

    struct step_state *steps = state->steps;
    for (int i = 0; i < plan->task_count; i++) {
        state->tasks[i].steps = steps;
        state->tasks[i].unmet = plan->tasks[i].need_count;
        state->tasks[i].blocked_by = -1;
        steps += plan->tasks[i].step_count;
    }
}

void run_state_done(struct run_state *state)
{
    if (!state->plan)
        return;
    for (int i = 0; i < state->plan->task_count; i++)
        free(state->tasks[i].by);
    for (int i = 0; i < state->plan->step_count; i++) {
        free(state->steps[i].attempts);
        free(state->steps[i].verdict);
        free(state->steps[i].wait_json);
    }
    free(state->tasks);
    free(state->steps);
    heap_done(&state->ready);
    heap_done(&state->waits);
    *state = (struct run_state){0};
}

static int task_number(const struct fold *fold)
{
    return (int)(fold->task - fold->state->tasks);
}

static void set_status(const struct fold *fold, struct task_state *task, enum task_status status)
{
    struct run_state *state = fold->state;
    if (task->status == status)
        return;
    state->counts[task->status]--;
    state->counts[status]++;
    task->status = status;
    task->since = fold->event->at;
}

static void set_by(const struct fold *fold)
{
    const char *by = json_text(json_get(fold->text, "by"), NULL);
    free(fold->task->by);
    fold->task->by = by ? xstrdup(by) : NULL;
}

static void set_notice(const struct fold *fold, const char *what)
{
    struct run_state *state = fold->state;
    const char *id = fold->task ? state->plan->tasks[task_number(fold)].id : "";
    (void)snprintf(state->notice, sizeof(state->notice), "%s%s%s", id, *id ? " " : "", what);
    state->notice_at_ms = fold->event->at.at_ms;
}

/* The task's current step may start; a held one waits for its release. */
static void make_ready(const struct fold *fold, int number)
{
    struct task_state *task = &fold->state->tasks[number];
    task->steps[task->step].status = STEP_READY;
    set_status(fold, task, TASK_QUEUED);
    assert(!heap_has(&fold->state->waits, number));
    if (!task->held)
        heap_put(&fold->state->ready, number, number);
}

/* Give the step a set of attempts: the policy's, or one given by hand. */
static void open_grant(struct step_state *step, int grant, int allowed)
{
    step->grant = grant;
    step->allowed = allowed;
    step->used = 0;
    step->retries = 0;
    step->start_failures = 0;
    step->free_hints = 0;
    step->same = 0;
    step->first_start = (struct moment){0};
    step->held_ms = 0;
}

static void on_run_started(const struct fold *fold)
{
    struct run_state *state = fold->state;
    state->started = true;
    state->started_at = fold->event->at;
    state->jobs = (int)fold->event->a;
    for (int i = 0; i < state->plan->task_count; i++) {
        state->tasks[i].since = fold->event->at;
        if (state->tasks[i].unmet == 0)
            make_ready(fold, i);
    }
}

static void on_run_ended(const struct fold *fold)
{
    fold->state->ended = true;
    fold->state->ended_at = fold->event->at;
    fold->state->exit_code = (int)fold->event->a;
}

static void on_attempt_started(const struct fold *fold)
{
    struct run_state *state = fold->state;
    struct step_state *step = fold->step;
    const struct event *event = fold->event;
    int number = task_number(fold);

    heap_remove(&state->ready, number);
    if (step->grant == 0)
        open_grant(step, 1, plan_step_attempts(&state->plan->tasks[number].steps[event->step]));
    if (step->first_start.at_ms == 0)
        step->first_start = event->at;
    if (fold->task->first_start.at_ms == 0)
        fold->task->first_start = event->at;

    step->attempts =
        xgrow(step->attempts, &step->attempt_cap, step->attempt_count + 1, sizeof(*step->attempts));
    step->attempts[step->attempt_count] = (struct attempt_state){
        .number = event->attempt,
        .grant = step->grant,
        .started = event->at,
        .waited_ms = step->wait_from.at_ms != 0 ? event->at.mono_ms - step->wait_from.mono_ms : 0,
        .call = {.hi = (uint64_t)event->a, .lo = (uint64_t)event->b},
    };
    step->attempt_count++;
    step->wait_from = (struct moment){0};
    step->status = STEP_RUNNING;
    step->quiet = false;
    state->attempts++;
    state->running++;
    set_status(fold, fold->task, TASK_RUNNING);
}

static void on_attempt_running(const struct fold *fold)
{
    step_state_attempt(fold->step)->pid = fold->event->a;
}

static struct digest parse_fingerprint(const char *hex)
{
    struct digest digest = {0};
    if (strlen(hex) != 32)
        return digest;
    for (int i = 0; i < 32; i++) {
        const char *digits = "0123456789abcdef";
        const char *at = strchr(digits, hex[i]);
        uint64_t value = at ? (uint64_t)(at - digits) : 0;
        uint64_t *half = i < 16 ? &digest.hi : &digest.lo;
        *half = *half << 4 | value;
    }
    return digest;
}

/* How many results in a row are equal, the newest included. */
static void count_same(struct step_state *step)
{
    const struct attempt_state *now = step_state_attempt(step);
    const struct attempt_state *before =
        step->attempt_count > 1 ? &step->attempts[step->attempt_count - 2] : NULL;
    bool known = now->fingerprint.hi != 0 || now->fingerprint.lo != 0;
    bool equal = known && before && before->grant == now->grant &&
                 before->fingerprint.hi == now->fingerprint.hi &&
                 before->fingerprint.lo == now->fingerprint.lo;
    step->same = equal ? step->same + 1 : 1;
}

static void on_attempt_ended(const struct fold *fold)
{
    struct step_state *step = fold->step;
    const struct event *event = fold->event;
    struct attempt_state *attempt = step_state_attempt(step);

    attempt->ended = event->at;
    attempt->outcome = (struct outcome){
        .kind = (enum outcome_kind)event->a,
        .code = (int)event->b,
        .ran_ms = event->c,
        .bytes = {event->d, event->e},
        .lines = {json_i64(json_get(fold->text, "out_lines"), 0),
                  json_i64(json_get(fold->text, "err_lines"), 0)},
        .rss_kib_max = json_i64(json_get(fold->text, "rss"), 0),
        .cpu_ms = json_i64(json_get(fold->text, "cpu"), 0),
        .left = (int)json_i64(json_get(fold->text, "left"), 0),
    };
    attempt->fingerprint = parse_fingerprint(json_text(json_get(fold->text, "fp"), ""));
    count_same(step);

    if (attempt->outcome.kind == OUTCOME_NOT_STARTED)
        step->start_failures++;
    else if (attempt->outcome.kind == OUTCOME_INTERRUPTED)
        step->interrupted++;
    else
        step->used++;
    step->status = STEP_JUDGING;
    step->quiet = false;
    fold->state->running--;
}

static void on_attempt_judged(const struct fold *fold)
{
    struct attempt_state *attempt = step_state_attempt(fold->step);
    attempt->class = (enum verdict_class)fold->event->a;
    attempt->type = (enum transient_type)fold->event->b;
    attempt->reason = (enum reason)fold->event->c;

    if (!fold->step->verdict)
        fold->step->verdict = xcalloc(1, sizeof(*fold->step->verdict));
    struct verdict *verdict = fold->step->verdict;
    *verdict = verdict_new();
    verdict_from_json(fold->text, verdict);
    verdict->class = attempt->class;
    verdict->type = attempt->type;
    verdict->reason = attempt->reason;
}

static void on_wait_started(const struct fold *fold)
{
    struct step_state *step = fold->step;
    const struct event *event = fold->event;

    step->status = STEP_WAITING;
    step->wait_from = event->at;
    step->due = (struct moment){.at_ms = event->b, .mono_ms = event->c};
    step->delay = (struct delay){
        .delay_ms = event->a,
        .exact_ms = event->d,
        .n = (int)json_i64(json_get(fold->text, "n"), 1),
        .factor = json_number(json_get(fold->text, "factor"), 1),
        .hint_ms = json_i64(json_get(fold->text, "hint"), -1),
    };
    free(step->wait_json);
    step->wait_json = event->text ? xstrdup(event->text) : NULL;
    step->retries++;
    if (event->e != 0 && step->used > 0) {
        step->used--;
        step->free_hints++;
    }
    heap_put(&fold->state->waits, task_number(fold), step->due.mono_ms);
    set_status(fold, fold->task, TASK_BACKOFF);
}

/* The wait is over, by time or by a person. */
static void close_wait(const struct fold *fold)
{
    if (fold->step->status != STEP_WAITING)
        return;
    int64_t waited_ms = fold->event->at.mono_ms - fold->step->wait_from.mono_ms;
    heap_remove(&fold->state->waits, task_number(fold));
    fold->task->waited_ms += waited_ms;
    fold->state->waited_ms += waited_ms;
}

static void on_wait_ended(const struct fold *fold)
{
    close_wait(fold);
    make_ready(fold, task_number(fold));
}

/* One needed task less: the dependents that waited for it only may start. */
static void pass_on(const struct fold *fold)
{
    const struct plan_task *plan = &fold->state->plan->tasks[task_number(fold)];
    for (int i = 0; i < plan->dependent_count; i++) {
        struct task_state *dependent = &fold->state->tasks[plan->dependents[i]];
        dependent->unmet--;
        bool waited = dependent->status == TASK_QUEUED || dependent->status == TASK_BLOCKED;
        if (dependent->unmet == 0 && waited)
            make_ready(fold, plan->dependents[i]);
    }
}

static void step_passed(const struct fold *fold)
{
    struct task_state *task = fold->task;
    int number = task_number(fold);
    task->step++;
    if (task->step < fold->state->plan->tasks[number].step_count) {
        make_ready(fold, number);
        return;
    }
    set_status(fold, task, TASK_PASSED);
    pass_on(fold);
}

static enum task_status status_of(enum decision_kind end)
{
    switch (end) {
    case DECISION_ENTROPY:
        return TASK_STUCK;
    case DECISION_NEEDS_YOU:
        return TASK_NEEDS_YOU;
    case DECISION_CANCELLED:
        return TASK_CANCELLED;
    case DECISION_SUCCEEDED:
    case DECISION_WAIT:
    case DECISION_FAILED:
    case DECISION_RETRY_EXHAUSTED:
    case DECISION_TRANSIENT_EXHAUSTED:
    case DECISION_DEADLINE:
    case DECISION_KIND_COUNT:
        break;
    }
    return TASK_GAVE_UP;
}

static void on_step_ended(const struct fold *fold)
{
    struct task_state *task = fold->task;
    enum decision_kind end = (enum decision_kind)fold->event->a;

    heap_remove(&fold->state->ready, task_number(fold));
    close_wait(fold);
    fold->step->status = STEP_ENDED;
    fold->step->end = end;
    if (fold->event->c != 0)
        task->entropy++;
    if (end == DECISION_SUCCEEDED) {
        step_passed(fold);
        return;
    }
    if (task->held)
        fold->state->held_count--;
    task->held = false;
    set_status(fold, task, status_of(end));
    if (end == DECISION_NEEDS_YOU)
        set_notice(fold, "needs you");
    else if (end != DECISION_CANCELLED)
        set_notice(fold, decision_kind_name(end));
}

static bool has_failed(enum task_status status)
{
    return task_status_is_final(status) && status != TASK_PASSED;
}

/* Does something that this task needs still stand in its way? */
static bool is_still_blocked(const struct run_state *state, int number)
{
    const struct plan_task *plan = &state->plan->tasks[number];
    for (int i = 0; i < plan->need_count; i++) {
        if (has_failed(state->tasks[plan->needs[i]].status))
            return true;
    }
    return false;
}

/* What was blocked by this task only is queued again, and so on down the line. */
static void unblock_dependents(const struct fold *fold, int first)
{
    struct run_state *state = fold->state;
    size_t cap = 0;
    size_t count = 0;
    int *line = xgrow(NULL, &cap, 1, sizeof(*line));
    line[count++] = first;
    for (size_t at = 0; at < count; at++) {
        const struct plan_task *plan = &state->plan->tasks[line[at]];
        for (int i = 0; i < plan->dependent_count; i++) {
            int number = plan->dependents[i];
            struct task_state *task = &state->tasks[number];
            if (task->status != TASK_BLOCKED || is_still_blocked(state, number))
                continue;
            task->blocked_by = -1;
            set_status(fold, task, TASK_QUEUED);
            line = xgrow(line, &cap, count + 1, sizeof(*line));
            line[count++] = number;
        }
    }
    free(line);
}

static void on_step_reopened(const struct fold *fold)
{
    int number = task_number(fold);
    open_grant(fold->step, (int)fold->event->a, (int)fold->event->b);
    fold->task->cancelling = false;
    fold->state->ended = false;
    fold->state->stopped_by_person = false;
    if (fold->task->unmet == 0) {
        make_ready(fold, number);
    } else {
        fold->step->status = STEP_PENDING;
        set_status(fold, fold->task, TASK_QUEUED);
    }
    unblock_dependents(fold, number);
}

static void on_task_blocked(const struct fold *fold)
{
    fold->task->blocked_by = (int)fold->event->a;
    if (fold->task->held)
        fold->state->held_count--;
    fold->task->held = false;
    set_status(fold, fold->task, TASK_BLOCKED);
}

static void on_task_held(const struct fold *fold)
{
    heap_remove(&fold->state->ready, task_number(fold));
    fold->task->held = true;
    fold->task->held_since = fold->event->at;
    fold->state->held_count++;
    set_by(fold);
}

static void on_task_released(const struct fold *fold)
{
    struct task_state *task = fold->task;
    int number = task_number(fold);
    fold->state->held_count--;
    run_state_step(fold->state, number)->held_ms +=
        run_state_held_ms(fold->state, number, &fold->event->at);
    task->held = false;
    if (task->step < fold->state->plan->tasks[number].step_count &&
        task->steps[task->step].status == STEP_READY)
        heap_put(&fold->state->ready, number, number);
}

static void ask_to_cancel(const struct fold *fold, struct task_state *task)
{
    if (task_status_is_final(task->status))
        return;
    task->cancelling = true;
    task->cancel_mode = (enum cancel_mode)fold->event->a;
    const char *by = json_text(json_get(fold->text, "by"), NULL);
    free(task->by);
    task->by = by ? xstrdup(by) : NULL;
}

static void on_cancel_asked(const struct fold *fold)
{
    if (fold->task) {
        ask_to_cancel(fold, fold->task);
        return;
    }
    fold->state->stopped_by_person = true;
    for (int i = 0; i < fold->state->plan->task_count; i++)
        ask_to_cancel(fold, &fold->state->tasks[i]);
}

static void on_attempt_quiet(const struct fold *fold)
{
    fold->step->quiet = true;
    fold->step->heard_mono_ms = fold->event->at.mono_ms - fold->event->a;
}

static void on_attempt_heard(const struct fold *fold)
{
    fold->step->quiet = false;
}

static void on_note(const struct fold *fold)
{
    set_notice(fold, json_text(json_get(fold->text, "note"), ""));
}

static void on_nothing(const struct fold *fold)
{
    (void)fold;
}

/* What an event must name to be folded in. */
enum scope { OF_RUN, OF_RUN_OR_TASK, OF_TASK, OF_STEP, OF_LATEST_ATTEMPT, OF_NEW_ATTEMPT };

/* The states of a step in which an event can happen, as bits. */
enum {
    WHEN_ANY = (1 << STEP_STATUS_COUNT) - 1,
    WHEN_READY = 1 << STEP_READY,
    WHEN_RUNNING = 1 << STEP_RUNNING,
    WHEN_JUDGING = 1 << STEP_JUDGING,
    WHEN_WAITING = 1 << STEP_WAITING,
    WHEN_ENDED = 1 << STEP_ENDED,
    WHEN_IDLE = 1 << STEP_PENDING | WHEN_READY | WHEN_JUDGING | WHEN_WAITING,
};

static const struct {
    void (*apply)(const struct fold *fold);
    enum scope scope;
    unsigned when; /* OF_STEP and below */
} handlers[] = {
    [EVENT_NONE] = {on_nothing, OF_RUN, WHEN_ANY},
    [EVENT_RUN_STARTED] = {on_run_started, OF_RUN, WHEN_ANY},
    [EVENT_RUN_ENDED] = {on_run_ended, OF_RUN, WHEN_ANY},
    [EVENT_ATTEMPT_STARTED] = {on_attempt_started, OF_NEW_ATTEMPT, WHEN_READY},
    [EVENT_ATTEMPT_RUNNING] = {on_attempt_running, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_ATTEMPT_ENDED] = {on_attempt_ended, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_ATTEMPT_JUDGED] = {on_attempt_judged, OF_LATEST_ATTEMPT, WHEN_JUDGING},
    [EVENT_WAIT_STARTED] = {on_wait_started, OF_LATEST_ATTEMPT, WHEN_JUDGING},
    [EVENT_WAIT_ENDED] = {on_wait_ended, OF_STEP, WHEN_WAITING},
    [EVENT_STEP_ENDED] = {on_step_ended, OF_STEP, WHEN_IDLE},
    [EVENT_STEP_REOPENED] = {on_step_reopened, OF_STEP, WHEN_ENDED},
    [EVENT_TASK_BLOCKED] = {on_task_blocked, OF_TASK, WHEN_ANY},
    [EVENT_TASK_HELD] = {on_task_held, OF_TASK, WHEN_ANY},
    [EVENT_TASK_RELEASED] = {on_task_released, OF_TASK, WHEN_ANY},
    [EVENT_CANCEL_ASKED] = {on_cancel_asked, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_CONTROL_ANSWERED] = {on_nothing, OF_RUN_OR_TASK, WHEN_ANY},
    [EVENT_ATTEMPT_QUIET] = {on_attempt_quiet, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_ATTEMPT_HEARD] = {on_attempt_heard, OF_LATEST_ATTEMPT, WHEN_RUNNING},
    [EVENT_NOTE] = {on_note, OF_RUN_OR_TASK, WHEN_ANY},
};
static_assert(ARRAY_LEN(handlers) == EVENT_KIND_COUNT, "every event kind is folded");

/* Holds and blocks change what is not final, once. */
static bool task_can_take(const struct task_state *task, enum event_kind kind)
{
    bool final = task_status_is_final(task->status);
    if (kind == EVENT_TASK_HELD)
        return !final && !task->held;
    if (kind == EVENT_TASK_RELEASED)
        return task->held;
    return kind != EVENT_TASK_BLOCKED || (!final && task->status != TASK_RUNNING);
}

static bool numbers_are_sound(const struct event *event)
{
    switch (event->kind) {
    case EVENT_ATTEMPT_ENDED:
        return event->a >= 0 && event->a < OUTCOME_KIND_COUNT;
    case EVENT_ATTEMPT_JUDGED:
        return event->a >= 0 && event->a < VERDICT_CLASS_COUNT && event->b >= 0 &&
               event->b < TRANSIENT_TYPE_COUNT && event->c >= 0 && event->c < REASON_COUNT;
    case EVENT_STEP_ENDED:
        return event->a >= 0 && event->a < DECISION_KIND_COUNT && event->a != DECISION_WAIT;
    case EVENT_CANCEL_ASKED:
        return event->a >= 0 && event->a < CANCEL_MODE_COUNT;
    default: /* the other kinds carry nothing that is used as an index */
        return true;
    }
}

/* Find what the event names; false if it is not there, or not in a state for it. */
static bool locate(struct fold *fold)
{
    const struct event *event = fold->event;
    enum scope scope = handlers[event->kind].scope;
    const struct plan *plan = fold->state->plan;

    if (event->task < 0)
        return scope == OF_RUN || scope == OF_RUN_OR_TASK;
    if (event->task >= plan->task_count)
        return false;
    fold->task = &fold->state->tasks[event->task];
    if (scope == OF_RUN || scope == OF_RUN_OR_TASK || scope == OF_TASK)
        return task_can_take(fold->task, event->kind);

    bool is_current = event->step >= 0 && event->step == fold->task->step &&
                      event->step < plan->tasks[event->task].step_count;
    if (!is_current)
        return false;
    fold->step = &fold->task->steps[event->step];
    if ((handlers[event->kind].when & 1U << fold->step->status) == 0)
        return false;
    int latest = fold->step->attempt_count > 0 ? step_state_attempt(fold->step)->number : 0;
    if (scope == OF_NEW_ATTEMPT)
        return event->attempt == latest + 1;
    return scope == OF_STEP || (latest > 0 && event->attempt == latest);
}

static bool refuse(const struct event *event, const char *why, struct err *err)
{
    return err_set(err, ERR_DAMAGED, "event %lld (kind %d): %s", (long long)event->seq,
                   (int)event->kind, why);
}

bool run_state_apply(struct run_state *state, const struct event *event, struct err *err)
{
    if (event->seq != state->last_seq + 1)
        return refuse(event, "not the next one", err);

    bool known = event_kind_is_known((int64_t)event->kind);
    struct fold fold = {.state = state, .event = event};
    bool fits = !known || (locate(&fold) && numbers_are_sound(event) &&
                           (event->kind != EVENT_RUN_STARTED || !state->started));
    if (!fits)
        return refuse(event, "it cannot follow what was before", err);

    struct json *text = NULL;
    if (known && event->text && !json_parse(event->text, strlen(event->text), &text, NULL, NULL))
        return refuse(event, "its text is no JSON", err);

    fold.text = text;
    if (known)
        handlers[event->kind].apply(&fold);
    else
        state->unknown_events++;
    state->last_seq = event->seq;
    state->last = event->at;
    json_free(text);
    return true;
}
