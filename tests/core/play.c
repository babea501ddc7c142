#include "play.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play_past.h"
#include "redecide.h"
#include "run_state.h"
#include "what_if.h"
#include "xalloc.h"

enum { PLAY_START_MS = 1000000 };

/* JSON whose texts are in single quotes, unless it has double quotes. The caller frees. */
static char *with_double_quotes(const char *json)
{
    char *out = xstrdup(json);
    if (!strchr(json, '"')) {
        for (char *at = out; *at != '\0'; at++)
            *at = *at == '\'' ? '"' : *at;
    }
    return out;
}

void play_open(struct play *play, const char *plan)
{
    struct violations violations = {0};
    char *json = with_double_quotes(plan);
    memset(play, 0, sizeof(*play));
    bool ok = plan_parse(json, strlen(json), &play->plan, &violations);
    free(json);
    struct str text = {0};
    violations_display(&violations, &text);
    ck_assert_msg(ok, "%s", str_text(&text));
    str_done(&text);
    violations_done(&violations);
    run_state_init(&play->state, play->plan, 7);
    play->scheduler = (struct scheduler){.state = &play->state};
    call_digester_open(&play->scheduler.calls, "/work", NULL);
    play->now = (struct moment){.at_ms = PLAY_START_MS + 5000, .mono_ms = PLAY_START_MS};
}

/* The same state in other memory; the old one is gone. */
static void move_by_copy(struct run_state *state)
{
    struct run_state copy;
    run_state_copy(&copy, state);
    ck_assert_uint_eq(run_state_digest(&copy), run_state_digest(state));
    run_state_done(state);
    *state = copy;
}

/* All events anew, and on the way the state is copied now and then: a copy takes as long as the
 * plan is large. */
static void check_fold(const struct play *play)
{
    enum { COPIED_EVERY = 5, COPIES_MAX = 50 };
    const size_t every = COPIED_EVERY + play->events.count / COPIES_MAX;
    struct run_state again;
    struct err err = {0};
    run_state_init(&again, play->plan, 7);
    for (size_t i = 0; i < play->events.count; i++) {
        ck_assert_msg(run_state_apply(&again, &play->events.items[i], &err), "%s", err.message);
        if (i % every == 0 && run_state_can_copy(&again))
            move_by_copy(&again);
    }
    ck_assert_uint_eq(run_state_digest(&again), run_state_digest(&play->state));
    run_state_done(&again);
}

/* Acts are read in the order of their requests: all have the same number. */
static bool next_act(void *ctx, int64_t id, struct control *out)
{
    struct play *play = ctx;
    (void)id;
    if (play->act_read == play->act_count)
        return false;
    *out = play->acts[play->act_read++];
    return true;
}

static void differs(void *ctx, const struct redecide_difference *difference)
{
    const struct event *recorded = difference->recorded;
    const struct event *made = difference->made;
    (void)ctx;
    char *recorded_object = recorded ? event_object(recorded) : NULL;
    char *made_object = made ? event_object(made) : NULL;
    ck_abort_msg("after event %lld: recorded %s %s, made %s %s", (long long)difference->cause->seq,
                 recorded ? event_kind_name(recorded->kind) : "nothing",
                 recorded_object ? recorded_object : "",
                 made ? event_kind_name(made->kind) : "nothing", made_object ? made_object : "");
}

static void check_decisions(struct play *play)
{
    struct redecide *redecide = NULL;
    struct err err = {0};
    const struct redecide_run run = {.plan = play->plan,
                                     .seed = 7,
                                     .dir = "/work",
                                     .act = next_act,
                                     .differs = differs,
                                     .ctx = play};
    redecide_open(&redecide, &run);
    bool ok = true;
    for (size_t i = 0; i < play->events.count && ok; i++)
        ok = redecide_add(redecide, &play->events.items[i], &err);
    ck_assert_msg(ok && redecide_finish(redecide, &err), "%s", err.message);
    const struct redecide_sum *sum = redecide_sum(redecide);
    ck_assert_int_eq(sum->same, sum->decisions);
    ck_assert_int_eq(sum->events, (int64_t)play->events.count);
    redecide_close(redecide);
}

struct what_if *play_what_if(const struct play *play, const char *policies)
{
    struct violations violations = {0};
    struct policy_change *change = NULL;
    struct what_if *what = NULL;
    struct err err = {0};
    struct str text = {0};
    plan_write(play->plan, &text);
    char *json = policies ? with_double_quotes(policies) : NULL;
    ck_assert(!json || policy_change_read(json, strlen(json), &change, &violations));
    free(json);
    ck_assert_msg(what_if_new(&what, str_text(&text), 7, change, &err), "%s", err.message);
    for (size_t i = 0; i < play->events.count; i++)
        ck_assert_msg(what_if_take(what, &play->events.items[i], &err), "%s", err.message);
    policy_change_free(change);
    str_done(&text);
    return what;
}

/* With the recorded policies nothing differs, and the sums are those of the fold. */
static void check_what_if(const struct play *play)
{
    enum { TASKS_MAX = 1000 }; /* a plan is read twice for it */
    struct what_if_sum sum;
    if (play->plan->task_count > TASKS_MAX)
        return;
    struct what_if *what = play_what_if(play, NULL);
    what_if_sum(what, &sum);
    ck_assert_msg(sum.differ == 0, "after event of %lld: %s", (long long)sum.first.at.mono_ms,
                  sum.first.why);
    ck_assert_mem_eq(&sum.recorded, &sum.other, sizeof(sum.other));
    ck_assert_int_eq(sum.recorded.tries, play->state.attempts);
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        ck_assert_int_eq(sum.recorded.counts[i], play->state.counts[i]);
    ck_assert_int_eq(sum.recorded.cost_micro, play->state.used.cost_micro);
    what_if_free(what);
}

void play_close(struct play *play)
{
    check_fold(play);
    play_past_check(play->plan, play->events.items, play->events.count, 1);
    play_past_check(play->plan, play->events.items, play->events.count, 7);
    play_past_check(play->plan, play->events.items, play->events.count, 50);
    check_what_if(play);
    if (!play->is_unlike)
        check_decisions(play);
    free(play->acts);
    event_list_done(&play->events);
    turn_done(&play->turn);
    call_digester_close(play->scheduler.calls);
    run_state_done(&play->state);
    plan_free(play->plan);
}

void play_input(struct play *play, struct input input)
{
    input.now = play->now;
    if (input.kind == INPUT_CONTROL && input.control.id != 0) {
        play->acts = xgrow(play->acts, &play->act_cap, play->act_count + 1, sizeof(*play->acts));
        play->acts[play->act_count++] = input.control;
    } else if (input.kind == INPUT_CONTROL && input.control.verb != CONTROL_CANCEL) {
        play->is_unlike =
            true; /* acts without a number leave no trace of the request, unless they cancel */
    }
    turn_clear(&play->turn);
    scheduler_step(&play->scheduler, &input, &play->turn);
    for (size_t i = 0; i < play->turn.events.count; i++)
        (void)event_list_add(&play->events, &play->turn.events.items[i]);
}

void play_start(struct play *play, int jobs)
{
    play_input(play, (struct input){.kind = INPUT_START, .jobs = jobs, .control.by = "test"});
}

void play_wait(struct play *play, int64_t ms)
{
    play->now.at_ms += ms;
    play->now.mono_ms += ms;
    play_input(play, (struct input){.kind = INPUT_TIME});
}

void play_crash(struct play *play, size_t keep, bool rebooted)
{
    struct err err = {0};
    run_state_done(&play->state);
    run_state_init(&play->state, play->plan, 7);
    for (size_t i = keep; i < play->events.count; i++)
        play->act_count -= play->events.items[i].kind == EVENT_CONTROL_ANSWERED;
    play->events.count = keep;
    for (size_t i = 0; i < keep; i++)
        ck_assert_msg(run_state_apply(&play->state, &play->events.items[i], &err), "%s",
                      err.message);
    play->is_unlike = play->is_unlike || play->plan->grows; /* it would be ended */
    if (rebooted)
        play->now.mono_ms = 100;
    const int before = play->state.started ? play->state.jobs : 2;
    struct input input = {.kind = INPUT_RECOVER,
                          .jobs = play->jobs_after > 0 ? play->jobs_after : before,
                          .rebooted = rebooted,
                          .control.by = "test"};
    play_input(play, input);
}

int play_task(const struct play *play, const char *id)
{
    int task = plan_find(play->state.plan, id);
    ck_assert_msg(task >= 0, "no task %s", id);
    return task;
}

void play_outcome(struct play *play, const char *id, struct outcome outcome, struct verdict verdict)
{
    int task = play_task(play, id);
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&play->state, task));
    ck_assert_msg(attempt != NULL, "%s has not been tried", id);
    play_input(play, (struct input){.kind = INPUT_ENDED,
                                    .task = task,
                                    .step = run_state_step_number(&play->state, task),
                                    .attempt = attempt->number,
                                    .outcome = outcome,
                                    .verdict = verdict});
}

void play_exit(struct play *play, const char *task, int code, struct verdict verdict)
{
    play_outcome(play, task, (struct outcome){.kind = OUTCOME_EXIT, .code = code, .ran_ms = 10},
                 verdict);
}

void play_control(struct play *play, enum control_verb verb, const char *task,
                  enum cancel_mode mode)
{
    struct input input = {.kind = INPUT_CONTROL,
                          .control = {.id = 1,
                                      .verb = verb,
                                      .mode = mode,
                                      .task = task ? play_task(play, task) : -1,
                                      .step = -1,
                                      .by = "ann"}};
    play_input(play, input);
}

enum task_status play_status(const struct play *play, const char *id)
{
    return play->state.tasks[play_task(play, id)].status;
}

int play_count(const struct play *play, enum event_kind kind, const char *task)
{
    int number = task ? play_task(play, task) : -1;
    int count = 0;
    for (size_t i = 0; i < play->events.count; i++)
        count +=
            play->events.items[i].kind == kind && (!task || play->events.items[i].task == number);
    return count;
}

const struct event *play_last(const struct play *play, enum event_kind kind)
{
    for (size_t i = play->events.count; i > 0; i--) {
        if (play->events.items[i - 1].kind == kind)
            return &play->events.items[i - 1];
    }
    return NULL;
}

struct verdict play_passed(void)
{
    return verdict_new();
}

struct verdict play_persistent(enum reason reason)
{
    struct verdict verdict = verdict_new();
    verdict.class = VERDICT_PERSISTENT;
    verdict.reason = reason;
    (void)snprintf(verdict.rule, sizeof(verdict.rule), "test.rule");
    return verdict;
}

struct verdict play_transient(enum transient_type type)
{
    struct verdict verdict = verdict_new();
    verdict.class = VERDICT_TRANSIENT;
    verdict.type = type;
    (void)snprintf(verdict.rule, sizeof(verdict.rule), "test.rule");
    return verdict;
}
