/* turn.c - one turn of the loop: takes inputs, passes each to the scheduler, commits, and acts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "clock.h"
#include "log_reader.h"
#include "loop.h"
#include "redact.h"
#include "rounded.h"
#include "text.h"
#include "xalloc.h"

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Replaces the string with a redacted copy. free_fact_text() frees the copy. */
static void redact_fact_text(void *ctx, const char **text)
{
    const struct loop *loop = ctx;
    *text = redact_string(loop->setting.redactor, *text, NULL);
}

static void free_fact_text(void *ctx, const char **text)
{
    (void)ctx;
    free((void *)(uintptr_t)*text);
}

/* Queues a copy of the input with redacted strings. If the input has no time, sets it to now. */
static void add_input(struct loop *loop, const struct input *input, struct attempt *ended)
{
    const struct redactor *redactor = loop->setting.redactor;
    loop->inputs =
        xgrow(loop->inputs, &loop->input_cap, loop->input_count + 1, sizeof(*loop->inputs));
    struct queued *queued = &loop->inputs[loop->input_count++];
    queued->input = *input;
    if (input->now.at_ms == 0)
        queued->input.now = clock_now();
    queued->ended = ended;
    queued->note = redact_string(redactor, input->note, NULL);
    queued->input.note = queued->note;
    if (input->kind == INPUT_FACT)
        event_each_text(&queued->input.fact_event, redact_fact_text, loop);
    if (input->kind == INPUT_CONTROL && input->control.hint[0] != '\0') {
        /* The sender redacted its own secrets; redact the secrets of this run. */
        struct control *control = &queued->input.control;
        struct str cut = {0};
        redact_text(redactor, control->hint, strlen(control->hint), &cut, NULL);
        size_t len = text_cut(str_text(&cut), cut.len, sizeof(control->hint) - 1);
        memcpy(control->hint, str_text(&cut), len);
        control->hint[len] = '\0';
        str_done(&cut);
    }
}

void loop_queue(struct loop *loop, struct input input)
{
    add_input(loop, &input, NULL);
    loop->wanted = true;
}

void loop_queue_late(struct loop *loop, struct input input)
{
    add_input(loop, &input, NULL);
    loop->late_ms = earlier(loop->late_ms, clock_now().mono_ms + LOOP_LATE_MS);
    loop_alarm(loop, loop->late_ms);
}

void loop_queue_end(struct loop *loop, const struct input *input, struct attempt *ended)
{
    add_input(loop, input, ended);
    loop->wanted = true;
}

void loop_note(struct loop *loop, const char *what, const char *why)
{
    struct str text = {0};
    str_addf(&text, "%s%s%s", what, why[0] != '\0' ? ": " : "", why);
    loop_queue(loop, (struct input){.kind = INPUT_NOTE, .task = -1, .note = text.data});
    str_done(&text);
}

static void perform_actions(struct loop *loop)
{
    for (size_t i = 0; i < loop->turn.action_count; i++) {
        const struct action *action = &loop->turn.actions[i];
        switch (action->kind) {
        case ACTION_SPAWN:
            loop_start_attempt(loop, action);
            break;
        case ACTION_ATTACH:
            loop_attach_attempt(loop, action);
            break;
        case ACTION_KILL:
            loop_end_attempt(loop, action);
            break;
        }
    }
}

/* Passes inputs to the scheduler. If exactly two attempts have ended, their ends are handled in
 * separate turns: the slot of the first is filled before the end of the second is recorded.
 * Otherwise the next two attempts could also end together, and nothing would run meanwhile. If more
 * attempts have ended, a commit for each would take too long. */
static void take_inputs(struct loop *loop)
{
    size_t count =
        loop->input_count < ENGINE_TURN_EVENTS_MAX ? loop->input_count : ENGINE_TURN_EVENTS_MAX;
    size_t ends = 0;
    size_t first = 0;
    for (size_t i = 0; i < count && ends <= LOOP_APART_MAX; i++) {
        if (loop->inputs[i].ended && ends++ == 0)
            first = i + 1;
    }
    if (ends > 1 && ends <= LOOP_APART_MAX)
        count = first;

    for (size_t i = 0; i < count; i++) {
        struct queued *queued = &loop->inputs[i];
        scheduler_step(&loop->scheduler, &queued->input, &loop->turn);
        free(queued->note);
        if (queued->input.kind == INPUT_FACT)
            event_each_text(&queued->input.fact_event, free_fact_text, NULL);
        if (queued->ended) {
            loop->ended = xgrow(loop->ended, &loop->ended_cap, loop->ended_count + 1,
                                sizeof(struct attempt *));
            loop->ended[loop->ended_count++] = queued->ended;
        }
    }
    loop->input_count -= count;
    if (loop->input_count > 0) {
        memmove(loop->inputs, loop->inputs + count, loop->input_count * sizeof(*loop->inputs));
        loop->wanted = true;
    } else {
        loop->late_ms = INT64_MAX;
    }
}

/* Reads the controls that other processes left in the log. */
static void ask_controls(struct loop *loop, int64_t now_ms)
{
    struct control controls[LOOP_CONTROLS_MAX];
    size_t count = 0;
    struct err err = {0};

    if (now_ms < loop->controls_due_ms)
        return;
    loop->controls_asked_ms = now_ms;
    loop_hear_bell(loop); /* before reading, so that later rings are noticed */
    bool by_time = !loop->watch || recorder_is_away(&loop->recorder);
    loop->controls_due_ms = by_time ? now_ms + WATCH_POLL_MS : INT64_MAX;
    if (!recorder_controls(&loop->recorder, controls, LOOP_CONTROLS_MAX, &count, &err)) {
        loop->controls_due_ms = now_ms + WATCH_POLL_MS; /* the bell will not ring again, so poll */
        return;
    }
    for (size_t i = 0; i < count; i++)
        loop_queue(loop, (struct input){.kind = INPUT_CONTROL, .control = controls[i]});
    if (count == LOOP_CONTROLS_MAX)
        loop->controls_due_ms = now_ms + LOOP_CONTROLS_MS;
}

static int64_t quiet_ms(const struct loop *loop)
{
    return loop->options->quiet_ms > 0 ? loop->options->quiet_ms : ENGINE_QUIET_MS;
}

/* Returns when the attempt will have been silent for too long; INT64_MAX = never. */
static int64_t idle_due(const struct attempt *attempt)
{
    const bool may_idle = attempt->plan->quiet_ms == 0 || attempt->is_idle || attempt->is_away;
    if (attempt->stage != ATTEMPT_RUNS || may_idle)
        return INT64_MAX;
    return attempt->heard_ms + attempt->plan->quiet_ms;
}

/* Queues the inputs that are due by now. */
static void find_due(struct loop *loop, int64_t now_ms)
{
    int64_t due_ms = scheduler_next_due(&loop->scheduler);

    if (now_ms - loop->reaped_ms >= LOOP_REAP_MS) {
        loop->reaped_ms = now_ms;
        nursery_reap(loop->nursery);
    }
    ask_controls(loop, now_ms);
    for (size_t i = 0; i < loop->alive_count; i++) {
        struct attempt *attempt = loop->alive[i];
        int64_t silence_ms = now_ms - attempt->heard_ms;
        if (attempt->stage != ATTEMPT_RUNS || attempt->quiet || silence_ms < quiet_ms(loop))
            continue;
        attempt->quiet = true;
        struct input input = attempt_input(attempt, INPUT_QUIET);
        input.quiet_ms = silence_ms;
        loop_queue(loop, input);
    }
    for (size_t i = 0; i < loop->alive_count; i++) { /* all attempts, quiet or not */
        struct attempt *attempt = loop->alive[i];
        if (attempt->agent && attempt->stage == ATTEMPT_RUNS)
            agent_run_tell_used(attempt->agent, now_ms);
        if (idle_due(attempt) <= now_ms) {
            attempt->is_idle = true;
            attempt_time_out(attempt);
        }
    }
    loop_probe_hosts(loop, now_ms);
    loop_day_look(loop, now_ms);
    if (due_ms >= 0 && due_ms <= now_ms)
        loop_queue(loop, (struct input){.kind = INPUT_TIME});
}

typedef size_t take_fn(struct output *output, int64_t now_ms, struct log_output *pieces);

static void collect_outputs(struct loop *loop, struct attempt *attempt, take_fn *take,
                            struct moment now)
{
    struct output *const streams[] = {&attempt->streams[0], &attempt->streams[1],
                                      attempt->agent ? &attempt->agent->words : NULL};
    const int numbers[] = {LOG_STREAM_OUT, LOG_STREAM_ERR, LOG_STREAM_AGENT};
    for (size_t i = 0; i < ARRAY_LEN(streams); i++) {
        if (!streams[i] || streams[i]->bytes == 0)
            continue;
        loop->outputs = xgrow(loop->outputs, &loop->output_cap,
                              loop->output_count + OUTPUT_PIECES_MAX, sizeof(*loop->outputs));
        struct log_output *pieces = loop->outputs + loop->output_count;
        const size_t count = take(streams[i], now.mono_ms, pieces);
        for (size_t k = 0; k < count; k++) {
            pieces[k].task = attempt->task;
            pieces[k].step = attempt->step;
            pieces[k].attempt = attempt->number;
            pieces[k].stream = numbers[i];
            pieces[k].at = now;
            pieces[k].begins =
                attempt->is_attached && pieces[k].part == LOG_OUTPUT_HEAD && pieces[k].index == 0;
        }
        loop->output_count += count;
    }
}

static void keep_capture(struct loop *loop, const struct fact_about *about, struct moment now,
                         const struct str *json)
{
    struct str cut = {0};
    growth_redact(&loop->growth, about->task, loop->setting.redactor, str_text(json), json->len,
                  &cut);
    loop->captures =
        xgrow(loop->captures, &loop->capture_cap, loop->capture_count + 1, sizeof(*loop->captures));
    loop->captures[loop->capture_count++] = (struct log_capture){.task = about->task,
                                                                 .step = about->step,
                                                                 .attempt = about->attempt,
                                                                 .at = now,
                                                                 .json = cut.data};
}

void loop_keep_capture(struct loop *loop, const struct fact_about *about, const struct str *json)
{
    keep_capture(loop, about, clock_now(), json);
    loop->wanted = true;
}

static void collect_capture(struct loop *loop, const struct event *event, struct moment now)
{
    struct str text = {0};
    const struct attempt *attempt =
        attempt_find(loop->ended, loop->ended_count, event->task, event->attempt);
    const struct task_agent *agent = loop->state.tasks[event->task].agent;
    const bool is_of_calls = agent && agent->is_stuck;
    const struct capture_facts facts = {
        .state = &loop->state,
        .event = event,
        .attempt = attempt,
        .memory = is_of_calls ? gains_calls(&loop->gains, event->task)
                              : gains_find(&loop->gains, event->task),
        .knows_first = gains_has_samples(&loop->gains, event->task),
        .setting = &loop->setting.call,
        .rules_hash = classifier_hash(loop->classifier),
        .log_dir = loop->options->place->dir,
        .redactor = loop->setting.redactor,
        .memory_killed = attempt ? attempt->memory_killed : -1,
        .memory_evidence = attempt && attempt->memory_words[0] ? attempt->memory_words : NULL,
    };
    capture_write(&facts, &text);
    const struct fact_about about = {event->task, event->step, event->attempt};
    keep_capture(loop, &about, now, &text);
    str_done(&text);
}

static void collect_turn(struct loop *loop, struct moment now)
{
    for (size_t i = 0; i < loop->ended_count; i++)
        collect_outputs(loop, loop->ended[i], output_take_rest, now);
    for (size_t i = 0; i < loop->alive_count; i++) {
        if (attempt_output_due(loop->alive[i]) <= now.mono_ms)
            collect_outputs(loop, loop->alive[i], output_take, now);
    }
    for (size_t i = 0; i < loop->turn.events.count; i++) {
        const struct event *event = &loop->turn.events.items[i];
        if (event->kind == EVENT_STEP_ENDED && event->step_ended.capture)
            collect_capture(loop, event, now);
    }
    gains_collect(&loop->gains, &loop->turn);
}

static bool record_turn(struct loop *loop, int64_t now_ms)
{
    const struct log_batch batch = {
        .events = loop->turn.events.items,
        .event_count = loop->turn.events.count,
        .outputs = loop->outputs,
        .output_count = loop->output_count,
        .captures = loop->captures,
        .capture_count = loop->capture_count,
        .gains = loop->gains.rows,
        .gain_count = loop->gains.row_count,
        .idle = loop->state.running == 0,
    };
    bool news = batch.event_count > 0 || batch.output_count > 0 || batch.capture_count > 0;
    if (!news && recorder_due(&loop->recorder) > now_ms)
        return true;

    enum recorder_urgency urgency = loop->left_noted ? RECORDER_NOW : RECORDER_IN_TIME;
    for (size_t i = 0; i < batch.event_count; i++) {
        enum event_kind kind = batch.events[i].kind;
        /* A sender waits for these events, so they must be on disk before they are reported. */
        if (kind == EVENT_RUN_ENDED || kind == EVENT_CONTROL_ANSWERED)
            urgency = RECORDER_NOW;
    }
    const int64_t before_ms = log_writer_waited_ms(loop->recorder.writer);
    bool ok = recorder_commit(&loop->recorder, &batch, urgency, now_ms);
    heartbeat_excuse(&loop->heartbeat, log_writer_waited_ms(loop->recorder.writer) - before_ms);
    if (!ok)
        return false;
    if (loop->options->look)
        loop->options->look(loop->options->look_ctx, &loop->state);
    return true;
}

static void add_notices(struct loop *loop)
{
    enum { LOOK_BYTES = 4096 };
    for (size_t i = 0; loop->notifier && i < loop->turn.events.count; i++) {
        const struct event *event = &loop->turn.events.items[i];
        struct str output = {0};
        struct notice notice;
        if ((notice_of(&loop->state, event) & loop->options->notify) == 0)
            continue;
        const struct attempt *attempt =
            attempt_find(loop->ended, loop->ended_count, event->task, event->attempt);
        if (attempt) { /* the last part of its output, preferably of stderr, which is more
                          informative */
            const struct output *streams = attempt->streams;
            const struct classify_text tail =
                output_tail(&streams[streams[1].bytes > 0], LOOK_BYTES);
            str_add_n(&output, tail.bytes, tail.len);
        }
        notice_make(&loop->state, event, loop->number, str_text(&output), &notice);
        notifier_add(loop->notifier, &notice);
        str_done(&output);
    }
}

static void forget_turn(struct loop *loop)
{
    for (size_t i = 0; i < loop->capture_count; i++)
        free((void *)(uintptr_t)loop->captures[i].json); /* allocated by collect_capture() */
    for (size_t i = 0; i < loop->ended_count; i++)
        attempt_close(loop->ended[i]);
    loop->capture_count = 0;
    loop->ended_count = 0;
    loop->output_count = 0;
    gains_clear(&loop->gains);
    loop_forget_tasks(loop);
    turn_clear(&loop->turn);
}

static bool is_idle(const struct loop *loop)
{
    return loop->alive_count == 0 && loop->input_count == 0 && loop->capture_count == 0 &&
           !loop->growth.asked && jobs_count(loop->jobs) == 0 && loop_after_is_idle(loop);
}

/* Queues notes about changes in this turn that the user should know. */
static void add_notes(struct loop *loop, const struct moment *now)
{
    const struct recorder_news news = recorder_news(&loop->recorder);
    if (news.what)
        loop_note(loop, news.what, news.why);
    if (recorder_is_away(&loop->recorder)) /* no bell rings for controls in the spill log */
        loop->controls_due_ms =
            earlier(loop->controls_due_ms, loop->controls_asked_ms + WATCH_POLL_MS);

    /* Log that the wall clock was set. Waiting times are not affected. */
    int64_t moved_ms = 0;
    if (clock_jump_look(&loop->clock, now, &moved_ms)) {
        char what[64];
        char hm[CLOCK_TEXT_MAX];
        (void)snprintf(what, sizeof(what), "the clock moved by %+lld s at %s",
                       (long long)rounded(moved_ms, 1000), clock_short(now->at_ms, now->at_ms, hm));
        loop_note(loop, what, "waits follow the monotonic clock");
    }

    /* Earlier output, which new output is compared with, is read from the log, which may fail. */
    if (loop->gains.lost)
        loop_note(loop, "output is compared only from here on",
                  "earlier output could not be read from the log");
    loop->gains.lost = false;

    /* The last note of an engine that is leaving, after all attempts have ended. */
    if (loop->left && !loop->left_noted && !loop->state.ended && is_idle(loop)) {
        loop->left_noted = true;
        loop_note(loop, "left", "tasks that were not started stay in the log");
    }
}

static void set_alarm(struct loop *loop)
{
    int64_t due_ms = scheduler_next_due(&loop->scheduler);
    int64_t next_ms = due_ms >= 0 ? due_ms : INT64_MAX;

    next_ms = earlier(next_ms, loop->late_ms);
    next_ms = earlier(next_ms, loop->controls_due_ms);
    next_ms = earlier(next_ms, recorder_due(&loop->recorder));
    if (loop->alive_count > 0) {
        next_ms = earlier(next_ms, loop->reaped_ms + LOOP_REAP_MS);
        next_ms = earlier(next_ms, clock_now().mono_ms + HEARTBEAT_MS);
    }
    for (size_t i = 0; i < loop->alive_count; i++) {
        const struct attempt *attempt = loop->alive[i];
        next_ms = earlier(next_ms, attempt_output_due(attempt));
        next_ms = earlier(next_ms, idle_due(attempt));
        if (attempt->agent && attempt->stage == ATTEMPT_RUNS)
            next_ms = earlier(next_ms, agent_run_due(attempt->agent));
        if (attempt->stage == ATTEMPT_RUNS && !attempt->quiet)
            next_ms = earlier(next_ms, attempt->heard_ms + quiet_ms(loop));
    }
    next_ms = earlier(next_ms, loop_hosts_due(loop));
    next_ms = earlier(next_ms, loop_day_due(loop));
    loop->alarm_ms = INT64_MAX;
    (void)uv_timer_stop(&loop->alarm);
    loop_alarm(loop, next_ms);
}

bool loop_first_turn(struct loop *loop, struct err *err)
{
    if (loop->options->resume > 0) {
        loop_recover(loop);
    } else {
        struct input input = {.kind = INPUT_START, .jobs = loop->options->jobs};
        (void)snprintf(input.control.by, sizeof(input.control.by), "%s", loop->options->by);
        loop_day_first(loop, &input.fact_event);
        loop_queue(loop, input);
    }
    loop->wanted = false;
    take_inputs(loop);
    struct moment now = clock_now();
    collect_turn(loop, now);
    bool ok = record_turn(loop, now.mono_ms);
    if (ok) {
        add_notices(loop);
        heartbeat_expect(&loop->heartbeat, clock_now().mono_ms, 0); /* timeouts count from here */
        perform_actions(loop);
        forget_turn(loop);
        set_alarm(loop);
    } else {
        *err = loop->recorder.err;
        forget_turn(loop);
    }
    return ok;
}

void loop_turn(struct loop *loop)
{
    struct moment now = clock_now();

    loop->wanted = false;
    find_due(loop, now.mono_ms);
    loop->wanted = false;
    loop_take_tasks(loop);
    take_inputs(loop);
    collect_turn(loop, now);
    bool recorded = record_turn(loop, now.mono_ms); /* continues even if this fails; the recorder
                                                  keeps track */
    add_notices(loop);
    loop_answer_tasks(loop);
    loop_follow_up(loop, recorded);
    loop_after_turn(loop);
    perform_actions(loop);
    forget_turn(loop);
    add_notes(loop, &now);
    set_alarm(loop);
}

bool loop_may_leave(const struct loop *loop)
{
    bool idle = is_idle(loop);
    if (loop->left)
        return idle && (loop->state.ended || loop->left_noted);
    bool wanted = loop->lingers && !loop->stopping && !loop->cancelled;
    return idle && loop->state.ended && !wanted;
}
