#include "log_sample.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "must.h"
#include "test_main.h"
#include "xalloc.h"

enum { JOBS = 3, STEP_MS = 10, START_AT_MS = 1700000000, RUN_MS = 1500 };

/* As large as can be: it is kept as a signed number. */
static const uint64_t sample_seed = UINT64_MAX - 6;

struct place sample_place(void)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    struct place place;
    must(place_find(path, true, &place, &err));
    return place;
}

static void write_plan(struct sample *sample, int tasks)
{
    struct str *text = &sample->plan_text;
    if (tasks == 0) {
        str_add(text, "{\"version\":1,\"name\":\"sample\",\"grows\":true,\"tasks\":[]}");
        return;
    }
    str_addf(text, "{\"version\":1,\"name\":\"sample\",\"jobs\":%d,\"idempotent\":true,\"tasks\":[",
             JOBS);
    for (int i = 0; i < tasks; i++) {
        str_addf(text, "%s{\"id\":\"t%d\",", i > 0 ? "," : "", i);
        if (i % 7 == 6)
            str_addf(text, "\"needs\":[\"t%d\"],", i - 1);
        str_add(text, "\"steps\":[{\"phase\":\"VERIFY\",\"run\":[\"true\"]}]}");
    }
    str_add(text, "]}");
}

void sample_init(struct sample *sample, int tasks)
{
    *sample = (struct sample){.now = {.at_ms = START_AT_MS, .mono_ms = STEP_MS}};
    write_plan(sample, tasks);
    struct violations violations = {0};
    bool ok = plan_parse(sample->plan_text.data, sample->plan_text.len, &sample->plan, &violations);
    ck_assert_msg(ok, "%s", violations.count > 0 ? violations.items[0].message : "?");
    violations_done(&violations);
    run_state_init(&sample->state, sample->plan, sample_seed);
    sample->scheduler =
        (struct scheduler){.state = &sample->state, .awaits_more = sample->plan->grows};
    call_digester_open(&sample->scheduler.calls, "/", NULL);
}

void sample_open(struct sample *sample, const struct place *place, int tasks)
{
    sample_init(sample, tasks);
    sample->place = *place;
    struct log_run run = {.name = "sample",
                          .kind = "plan",
                          .plan_text = sample->plan_text.data,
                          .dir = "/",
                          .command = "devs run sample.json",
                          .rules_hash = "abc",
                          .rules_text = "{}",
                          .seed = sample_seed,
                          .jobs = JOBS,
                          .tasks = tasks,
                          .now = sample->now};
    must(log_writer_open(&sample->writer, place, &err));
    must(log_writer_begin(sample->writer, &run, &sample->state, &sample->number, &err));
}

void sample_done(struct sample *sample)
{
    log_writer_close(sample->writer);
    turn_done(&sample->turn);
    call_digester_close(sample->scheduler.calls);
    run_state_done(&sample->state);
    plan_free(sample->plan);
    str_done(&sample->plan_text);
    free(sample->live);
}

static void take_actions(struct sample *sample)
{
    for (size_t i = 0; i < sample->turn.action_count; i++) {
        const struct action *action = &sample->turn.actions[i];
        if (action->kind != ACTION_SPAWN)
            continue;
        sample->live =
            xgrow(sample->live, &sample->live_cap, sample->live_count + 1, sizeof(*sample->live));
        sample->live[sample->live_count++] =
            (struct sample_live){action->task, action->step, action->attempt};
    }
}

void sample_step(struct sample *sample, struct input input)
{
    sample->now.at_ms += STEP_MS;
    sample->now.mono_ms += STEP_MS;
    input.now = sample->now;
    turn_clear(&sample->turn);
    scheduler_step(&sample->scheduler, &input, &sample->turn);
    take_actions(sample);
    if (!sample->writer)
        return;
    struct log_batch batch = {.events = sample->turn.events.items,
                              .event_count = sample->turn.events.count};
    must(log_writer_commit(sample->writer, &batch, LOG_SYNC_NORMAL, &err));
}

void sample_start(struct sample *sample)
{
    sample_step(sample,
                (struct input){.kind = INPUT_START, .jobs = JOBS, .control = {.by = "test"}});
}

void sample_add(struct sample *sample, int count)
{
    for (int i = 0; i < count; i++) {
        char text[200];
        (void)snprintf(text, sizeof(text), "{\"id\":\"t%03d\",\"steps\":[{\"run\":[\"true\"]}]}",
                       sample->state.plan->task_count);
        sample_step(sample, (struct input){.kind = INPUT_TASK, .task = -1, .note = text});
    }
}

void sample_control(struct sample *sample, struct control control)
{
    sample_step(sample, (struct input){.kind = INPUT_CONTROL, .control = control});
}

static void end_attempt(struct sample *sample, const struct sample_live *live)
{
    bool fails = live->task % 5 == 4;
    struct input input = {.kind = INPUT_ENDED,
                          .task = live->task,
                          .step = live->step,
                          .attempt = live->attempt,
                          .outcome = {.kind = OUTCOME_EXIT,
                                      .code = fails ? 1 : 0,
                                      .ran_ms = RUN_MS,
                                      .bytes = {live->task, 2},
                                      .lines = {1, 1},
                                      .rss_kib_max = 1024,
                                      .cpu_ms = 3},
                          .verdict = verdict_new(),
                          .fingerprint = {.hi = 1, .lo = (uint64_t)live->task + 1}};
    if (fails) {
        input.verdict.class = VERDICT_PERSISTENT;
        input.verdict.reason = REASON_TEST_FAIL;
        (void)snprintf(input.verdict.match, sizeof(input.verdict.match), "it is \"red\"");
    }
    sample_step(sample, input);
}

bool sample_advance(struct sample *sample)
{
    if (sample->live_count > 0) {
        struct sample_live live = sample->live[0];
        sample->live_count--;
        memmove(sample->live, sample->live + 1, sample->live_count * sizeof(*sample->live));
        sample_step(sample, (struct input){.kind = INPUT_RUNNING,
                                           .task = live.task,
                                           .step = live.step,
                                           .attempt = live.attempt,
                                           .pid = 1000 + live.task,
                                           .pid_start = 5});
        end_attempt(sample, &live);
        return true;
    }
    int64_t due = scheduler_next_due(&sample->scheduler);
    if (due < 0)
        return false;
    int64_t wait_ms = due - sample->now.mono_ms;
    sample->now.at_ms += wait_ms > 0 ? wait_ms : 0;
    sample->now.mono_ms += wait_ms > 0 ? wait_ms : 0;
    sample_step(sample, (struct input){.kind = INPUT_TIME});
    return true;
}

void sample_drive(struct sample *sample)
{
    while (sample_advance(sample))
        continue;
}

void sample_limit_wal(const struct sample *sample, int64_t more)
{
    char path[PATH_MAX + 8];
    struct stat info;
    struct rlimit limit;
    (void)snprintf(path, sizeof(path), "%s-wal", sample->place.db);
    ck_assert_int_eq(stat(path, &info), 0);
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = more < 0 ? limit.rlim_max : (rlim_t)info.st_size + (rlim_t)more;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

struct event *sample_notes(int64_t seq, size_t count)
{
    struct event *events = xcalloc(count, sizeof(*events));
    for (size_t i = 0; i < count; i++) {
        events[i] = event_new(EVENT_NOTE);
        events[i].seq = seq + (int64_t)i;
        events[i].at = (struct moment){.at_ms = START_AT_MS + (int64_t)i, .mono_ms = 1};
        events[i].note.note = "hello";
    }
    return events;
}
