#include "shop_run.h"

#include <string.h>

#include "attr.h"
#include "log_reader.h"

enum { MS_PER_S = 1000, MONO_START_MS = 5000000, TRIES_MAX = 6, JOBS = 5, FIRST_PID = 48201 };

/* 2025-11-20 13:50:00 UTC */
static const int64_t shop_opens_ms = 1763646600000;
static const uint64_t seed = 0x5eed;

/* How an attempt fails: its end, and the evidence for the verdict. */
static const struct failure {
    enum outcome_kind end;
    int code;
    enum verdict_class class;
    enum transient_type type;
    enum reason reason;
    const char *rule, *subtype, *match;
    int stream;       /* stream that contains `match` */
    const char *more; /* further members of the verdict's JSON */
} failures[] = {
    [SHOP_TEST] = {OUTCOME_EXIT, 1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_TEST_FAIL,
                   "test.tap", "TEST_FAILURE", "not ok ", LOG_STREAM_OUT,
                   ",\"near\":[{\"rule\":\"b1.http-429\",\"why\":\"pattern\",\"stream\":"
                   "\"stdout\",\"offset\":10}]"},
    [SHOP_TIMEOUT] = {OUTCOME_TIMEOUT, 143, VERDICT_TRANSIENT, TRANSIENT_RESOURCE_BUSY, REASON_NONE,
                      "known.timeout", "TIMEOUT", NULL, LOG_STREAM_OUT, ""},
    [SHOP_RATE_LIMIT] = {OUTCOME_EXIT, 1, VERDICT_TRANSIENT, TRANSIENT_API_RATE_LIMIT, REASON_NONE,
                         "b1.http-429", "RATE_LIMIT", "429 Too Many Requests", LOG_STREAM_ERR, ""},
    [SHOP_AUTH] = {OUTCOME_EXIT, 1, VERDICT_PERSISTENT, TRANSIENT_NONE, REASON_AUTH, "http.401",
                   "AUTHENTICATION", "401 token expired", LOG_STREAM_ERR, ",\"ask\":true"},
};

static void add_task(struct str *json, const char *id, size_t len, const char *phases)
{
    char name[16] = "";
    const char *comma = "";
    memcpy(name, id, len < sizeof(name) ? len : sizeof(name) - 1);
    str_addf(json, "{\"id\":\"%s\",\"title\":\"%s\",\"steps\":[", name, shop_story_title(name));
    for (; *phases != '\0'; phases++) {
        for (int i = 0; i < PHASE_COUNT; i++) {
            if (phase_letter((enum phase)i) != *phases)
                continue;
            str_addf(json,
                     "%s{\"phase\":\"%s\",\"run\":[\"agent\",\"--task\",\"%s\"],\"policy\":"
                     "\"patient\"%s}",
                     comma, phase_name((enum phase)i), name,
                     *phases == 'R' ? ",\"expect\":\"failure\"" : "");
            comma = ",";
        }
    }
    str_add(json, "]}");
}

static void write_plan(struct str *json, const char *ids, const char *phases)
{
    str_addf(json,
             "{\"version\":1,\"name\":\"shop-api\",\"jobs\":%d,\"idempotent\":true,\"policies\":{"
             "\"patient\":{\"like\":\"default\",\"max_attempts\":%d,\"base_delay_ms\":15000,"
             "\"cap_ms\":300000,\"phases\":[\"RED\",\"GREEN\",\"VERIFY\",\"REFACTOR\"]}},"
             "\"tasks\":[",
             JOBS, TRIES_MAX);
    const char *comma = "";
    while (*ids != '\0') {
        size_t len = strcspn(ids, " ");
        str_add(json, comma);
        add_task(json, ids, len, phases);
        comma = ",";
        ids += len;
        ids += strspn(ids, " ");
    }
    str_add(json, "]}");
}

static void set_time(struct shop_run *run, int64_t at_s)
{
    int64_t on_ms = (run->began_s + at_s) * MS_PER_S;
    /* The monotonic clock starts before the oldest run. */
    int64_t days_ms = (int64_t)30 * 86400 * MS_PER_S;
    run->now =
        (struct moment){.at_ms = shop_opens_ms + on_ms, .mono_ms = MONO_START_MS + days_ms + on_ms};
}

static bool commit(struct shop_run *run, const struct log_batch *batch, struct err *err)
{
    return log_writer_commit(run->writer, batch, LOG_SYNC_NORMAL, err);
}

static bool add_event(struct shop_run *run, struct event event, struct err *err)
{
    event.seq = run->state.last_seq + 1;
    event.at = run->now;
    return run_state_apply(&run->state, &event, err) &&
           commit(run, &(struct log_batch){.events = &event, .event_count = 1}, err);
}

/* Returns an event of the run; the number is its jobs or its exit code. */
static struct event of_run(enum event_kind kind, int number)
{
    struct event event = event_new(kind);
    if (kind == EVENT_RUN_STARTED)
        event.run_started.jobs = number;
    else
        event.run_ended.exit_code = number;
    return event;
}

bool shop_run_begin(struct shop_run *run, const struct place *place, const char *ids,
                    const char *phases, int64_t at_s, struct err *err)
{
    struct str json = {0};
    struct violations violations = {0};
    int64_t number = 0;
    *run = (struct shop_run){.began_s = at_s};
    set_time(run, 0);
    write_plan(&json, ids, phases);
    bool ok = plan_parse(json.data, json.len, &run->plan, &violations);
    if (!ok)
        (void)err_set(err, ERR_INVALID, "the shop's plan: %s",
                      violations.count > 0 ? violations.items[0].message : "?");
    violations_done(&violations);
    if (ok) {
        const struct log_run row = {.name = "shop-api",
                                    .kind = "plan",
                                    .plan_text = json.data,
                                    .dir = "/home/ann/shop-api",
                                    .command = "devs run plan.json",
                                    .rules_hash = "41d0",
                                    .rules_text = "{}",
                                    .seed = seed,
                                    .jobs = JOBS,
                                    .tasks = run->plan->task_count,
                                    .now = run->now};
        run_state_init(&run->state, run->plan, seed);
        ok = log_writer_open(&run->writer, place, err) &&
             log_writer_begin(run->writer, &row, &run->state, &number, err) &&
             add_event(run, of_run(EVENT_RUN_STARTED, JOBS), err);
    }
    str_done(&json);
    return ok;
}

void shop_run_done(struct shop_run *run)
{
    log_writer_close(run->writer);
    for (int i = 0; i < SHOP_TASKS_MAX; i++) {
        for (int j = 0; j < SHOP_STREAMS; j++)
            str_done(&run->output[i].text[j]);
    }
    if (run->plan)
        run_state_done(&run->state);
    plan_free(run->plan);
}

/* Returns an event of the task's current step and latest attempt. */
static struct event about(const struct shop_run *run, int task, enum event_kind kind)
{
    const struct step_state *step = run_state_step(&run->state, task);
    struct event event = event_new(kind);
    event.task = task;
    event.step = run_state_step_number(&run->state, task);
    event.grant = step->grant;
    event.attempt = (int)step->attempt_count;
    return event;
}

static bool start(struct shop_run *run, int task, struct err *err)
{
    struct event event = about(run, task, EVENT_ATTEMPT_STARTED);
    for (int i = 0; i < SHOP_STREAMS; i++) {
        str_clear(&run->output[task].text[i]);
        run->output[task].rows[i] = 0;
    }
    event.attempt++;
    if (!add_event(run, event, err))
        return false;
    event = about(run, task, EVENT_ATTEMPT_RUNNING);
    event.running.pid = FIRST_PID + run->state.last_seq;
    return add_event(run, event, err);
}

static bool say(struct shop_run *run, int task, int stream, const char *text, struct err *err)
{
    struct str *so_far = &run->output[task].text[stream - 1];
    const struct event at = about(run, task, EVENT_NONE);
    const struct log_output output = {.task = task,
                                      .step = at.step,
                                      .attempt = at.attempt,
                                      .stream = stream,
                                      .part = LOG_OUTPUT_HEAD,
                                      .index = run->output[task].rows[stream - 1]++,
                                      .offset = (int64_t)so_far->len,
                                      .at = run->now,
                                      .bytes = text,
                                      .len = strlen(text)};
    str_add(so_far, text);
    return commit(run, &(struct log_batch){.outputs = &output, .output_count = 1}, err);
}

static bool say_build(struct shop_run *run, int task, int lines, struct err *err)
{
    static const char *const names[] = {"tax", "money", "cart", "order", "mail", "user", "stock"};
    struct str text = {0};
    for (int i = 0; i < lines; i++)
        str_addf(&text, "cc -O2 -c src/%s_%d.c\n", names[i % (int)ARRAY_LEN(names)], i);
    bool ok = say(run, task, LOG_STREAM_OUT, str_text(&text), err);
    str_done(&text);
    return ok;
}

static int lines_of(const struct str *text, size_t end)
{
    int count = 0;
    for (size_t i = 0; i < end; i++)
        count += text->data[i] == '\n';
    return count;
}

/* Sets the fields that the JSON object has; *room gets their texts. */
static bool set_fields(struct event *event, const char *json, struct str *room, struct err *err)
{
    str_reserve(room, strlen(json) + 1);
    const bool ok = event_read(event, json, strlen(json), room) ||
                    err_set(err, ERR_INVALID, "an event of the shop: %s", json);
    event->data = NULL;
    return ok;
}

static bool end_try(struct shop_run *run, int task, enum outcome_kind end, int code,
                    const char *more, struct err *err)
{
    struct event event = about(run, task, EVENT_ATTEMPT_ENDED);
    const struct str *text = run->output[task].text;
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&run->state, task));
    struct str json = {0};
    struct str room = {0};
    str_addf(&json, "{%s}", more ? more : "");
    bool ok = set_fields(&event, json.data, &room, err);
    event.ended.outcome.kind = end;
    event.ended.outcome.code = code;
    event.ended.outcome.ran_ms = run->now.mono_ms - attempt->started.mono_ms;
    event.ended.outcome.rss_kib_max = 31744;
    event.ended.outcome.cpu_ms = 22000;
    for (int i = 0; i < SHOP_STREAMS; i++) {
        event.ended.outcome.bytes[i] = (int64_t)text[i].len;
        event.ended.outcome.lines[i] = lines_of(&text[i], text[i].len);
    }
    ok = ok && add_event(run, event, err);
    str_done(&room);
    str_done(&json);
    return ok;
}

static bool judge(struct shop_run *run, int task, const struct failure *failure, struct err *err)
{
    struct event event = about(run, task, EVENT_ATTEMPT_JUDGED);
    const struct str *text = &run->output[task].text[failure->stream - 1];
    const char *at = failure->match ? strstr(str_text(text), failure->match) : NULL;
    struct str json = {0};
    struct str room = {0};
    str_addf(&json, "{\"rule\":\"%s\",\"subtype\":\"%s\"", failure->rule, failure->subtype);
    if (at) {
        size_t offset = (size_t)(at - text->data);
        str_addf(&json, ",\"stream\":\"%s\",\"offset\":%zu,\"line\":%d,\"match\":\"%.*s\"",
                 failure->stream == LOG_STREAM_OUT ? "stdout" : "stderr", offset,
                 lines_of(text, offset) + 1, (int)strcspn(at, "\n"), at);
    }
    str_addf(&json, "%s}", failure->more);
    event.judged.label = (struct verdict_label){
        .class = failure->class, .type = failure->type, .reason = failure->reason};
    bool ok = set_fields(&event, json.data, &room, err) && add_event(run, event, err);
    str_done(&room);
    str_done(&json);
    return ok;
}

static bool fail(struct shop_run *run, int task, const struct shop_step *step, struct err *err)
{
    const struct failure *failure = &failures[step->number];
    return end_try(run, task, failure->end, failure->code, step->text, err) &&
           judge(run, task, failure, err);
}

static bool tell_change(struct shop_run *run, int task, const struct shop_step *step,
                        struct err *err)
{
    struct event event = about(run, task, EVENT_WORKSPACE_CHANGED);
    static const int added[] = {0, 6, 41}, removed[] = {0, 6, 3};
    event.changes.paths = step->number;
    event.changes.added = added[step->number];
    event.changes.removed = removed[step->number];
    event.changes.ms = 12;
    event.changes.changed = step->text;
    return add_event(run, event, err);
}

/* The first wait, doubled with each attempt; the rest is what jitter made of that, or what a server
 * requested. */
static bool wait_for(struct shop_run *run, int task, const struct shop_step *step, struct err *err)
{
    struct event event = about(run, task, EVENT_WAIT_STARTED);
    bool is_asked_for = step->text != NULL;
    int64_t base_ms = (int64_t)15 * MS_PER_S;
    struct delay *delay = &event.wait.delay;
    delay->delay_ms = (int64_t)step->number * MS_PER_S;
    event.wait.due.at_ms = run->now.at_ms + delay->delay_ms;
    event.wait.due.mono_ms = run->now.mono_ms + delay->delay_ms;
    while (!is_asked_for && base_ms << (event.attempt - 1) < delay->delay_ms)
        base_ms *= 2;
    delay->exact_ms = base_ms << (event.attempt - 1);
    delay->retry_number = event.attempt;
    if (is_asked_for)
        delay->hint_ms = delay->delay_ms;
    else /* three digits */
        delay->factor = (double)(delay->delay_ms * 1000 / delay->exact_ms) / 1000;
    event.wait.inputs.policy = "patient";
    event.wait.inputs.base_ms = base_ms;
    event.wait.inputs.multiplier = 2;
    event.wait.inputs.cap_ms = 300000;
    event.wait.inputs.jitter = 0.5;
    event.wait.inputs.used = event.attempt;
    event.wait.inputs.allowed = TRIES_MAX;
    return add_event(run, event, err);
}

static bool end_step(struct shop_run *run, int task, enum decision_kind decision, struct err *err)
{
    struct event event = about(run, task, EVENT_STEP_ENDED);
    event.step_ended.decision = decision;
    event.step_ended.attempts = event.attempt;
    if (decision == DECISION_TRANSIENT_EXHAUSTED) {
        event.step_ended.inputs.policy = "patient";
        event.step_ended.inputs.phase = PHASE_GREEN + 1;
        event.step_ended.inputs.used = event.step_ended.inputs.allowed = 6;
    }
    return add_event(run, event, err);
}

static bool pass(struct shop_run *run, int task, struct err *err)
{
    const int step = run_state_step_number(&run->state, task);
    const int code = run->plan->tasks[task].steps[step].phase == PHASE_RED ? 1 : 0;
    return end_try(run, task, OUTCOME_EXIT, code, NULL, err) &&
           end_step(run, task, DECISION_SUCCEEDED, err);
}

static bool cancel(struct shop_run *run, int task, struct err *err)
{
    struct event asked = event_new(EVENT_CANCEL_ASKED);
    asked.task = task;
    asked.cancel.mode = CANCEL_TERM;
    asked.by = "ann@pts/2";
    return add_event(run, asked, err) && end_try(run, task, OUTCOME_CANCELLED, 0, NULL, err) &&
           end_step(run, task, DECISION_CANCELLED, err);
}

static bool go_quiet(struct shop_run *run, int task, int seconds, struct err *err)
{
    struct event event = about(run, task, EVENT_ATTEMPT_QUIET);
    event.quiet.quiet_ms = (int64_t)seconds * MS_PER_S;
    return add_event(run, event, err);
}

bool shop_run_step(struct shop_run *run, const struct shop_step *step, struct err *err)
{
    int task = step->task ? plan_find(run->plan, step->task) : -1;
    set_time(run, step->at_s);
    switch (step->verb) {
    case SHOP_NOTHING:
        return true;
    case SHOP_START:
        return start(run, task, err);
    case SHOP_AGAIN:
        return add_event(run, about(run, task, EVENT_WAIT_ENDED), err) && start(run, task, err);
    case SHOP_SAY:
        return say(run, task, LOG_STREAM_OUT, step->text, err);
    case SHOP_BUILD:
        return say_build(run, task, step->number, err);
    case SHOP_WARN:
        return say(run, task, LOG_STREAM_ERR, step->text, err);
    case SHOP_QUIET:
        return go_quiet(run, task, step->number, err);
    case SHOP_PASS:
        return pass(run, task, err);
    case SHOP_FAIL:
        return fail(run, task, step, err);
    case SHOP_CHANGE:
        return tell_change(run, task, step, err);
    case SHOP_WAIT:
        return wait_for(run, task, step, err);
    case SHOP_GIVE_UP:
        return end_step(run, task, DECISION_TRANSIENT_EXHAUSTED, err);
    case SHOP_ASK:
        return end_step(run, task, DECISION_NEEDS_YOU, err);
    case SHOP_CANCEL:
        return cancel(run, task, err);
    case SHOP_END_RUN:
        return add_event(run, of_run(EVENT_RUN_ENDED, step->number), err);
    }
    return false;
}
