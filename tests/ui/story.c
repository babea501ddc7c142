#include "story.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "xalloc.h"

enum { MS_PER_S = 1000, MONO_START_MS = 5000000 };

/* 2025-11-20 13:50:00 UTC */
static const int64_t start_ms = 1763646600000;

void story_add_steps(struct str *json, const char *phases)
{
    const char *comma = "";
    for (const char *at = phases; *at != '\0'; at++) {
        for (int i = 0; i < PHASE_COUNT; i++) {
            if (phase_letter((enum phase)i) != *at)
                continue;
            str_addf(json,
                     "%s{\"phase\": \"%s\", \"run\": [\"make\", \"check\"],"
                     " \"policy\": \"patient\"%s}",
                     comma, phase_name((enum phase)i),
                     *at == 'R' ? ", \"expect\": \"failure\"" : "");
            comma = ", ";
        }
    }
}

/* `keys` are more members of the plan, each followed by a comma. */
static void begin_plan(struct str *json, const char *keys)
{
    str_addf(json,
             "{\"version\": 1, \"name\": \"shop-api\", \"jobs\": 5, \"idempotent\": true, %s"
             " \"policies\": {\"patient\": {\"like\": \"default\", \"max_attempts\": 6,"
             " \"phases\": [\"RED\", \"GREEN\", \"VERIFY\", \"REFACTOR\"]}}, \"tasks\": [",
             keys);
}

static void start_run(struct story *story, struct str *json)
{
    struct violations violations = {0};
    str_add(json, "]}");
    bool ok = plan_parse(json->data, json->len, &story->plan, &violations);
    ck_assert_msg(ok, "the story's plan is not valid: %s", json->data);
    violations_done(&violations);
    str_done(json);
    run_state_init(&story->state, story->plan, 1);
    replay_init(&story->replay);
    log_tail_init(&story->tail);
    story_at(story, 0, 0);
    struct event started = event_new(EVENT_RUN_STARTED);
    started.run_started.jobs = 5;
    story_add(story, started);
}

void story_init(struct story *story, const char *ids, const char *phases)
{
    *story = (struct story){0};
    struct str json = {0};
    begin_plan(&json, "");
    const char *comma = "";
    while (*ids != '\0') {
        size_t len = strcspn(ids, " ");
        str_addf(&json, "%s{\"id\": \"%.*s\", \"steps\": [", comma, (int)len, ids);
        story_add_steps(&json, phases);
        str_add(&json, "]}");
        comma = ", ";
        ids += len;
        ids += strspn(ids, " ");
    }
    start_run(story, &json);
}

void story_init_plan(struct story *story, const char *keys, const char *tasks)
{
    *story = (struct story){0};
    struct str json = {0};
    begin_plan(&json, keys);
    str_add(&json, tasks);
    start_run(story, &json);
}

void story_init_tasks(struct story *story, const char *tasks)
{
    story_init_plan(story, "", tasks);
}

void story_done(struct story *story)
{
    run_state_done(&story->state);
    replay_done(&story->replay);
    log_tail_done(&story->tail);
    plan_free(story->plan);
    event_list_done(&story->events);
    free(story->page.rows);
    str_done(&story->page.text);
}

void story_at(struct story *story, int minutes, int seconds)
{
    int64_t on = ((int64_t)minutes * 60 + seconds) * MS_PER_S;
    story->now = (struct moment){.at_ms = start_ms + on, .mono_ms = MONO_START_MS + on};
}

void story_add(struct story *story, struct event event)
{
    struct err err = {0};
    event.seq = story->state.last_seq + 1;
    event.at = story->now;
    bool ok = run_state_apply(&story->state, &event, &err);
    ck_assert_msg(ok, "%s", err.message);
    replay_add(&story->replay, &event);
    (void)event_list_add(&story->events, &event);
}

void story_add_json(struct story *story, struct event event, const char *json)
{
    struct str room = {0};
    if (json) {
        str_reserve(&room, strlen(json) + 1);
        ck_assert_msg(event_read(&event, json, strlen(json), &room), "%s", json);
        event.data = NULL;
    }
    story_add(story, event);
    str_done(&room);
}

int story_task(const struct story *story, const char *id)
{
    int task = plan_find(story->plan, id);
    ck_assert_msg(task >= 0, "no task %s", id);
    return task;
}

struct event story_event(const struct story *story, const char *id, enum event_kind kind)
{
    int task = story_task(story, id);
    const struct step_state *step = run_state_step(&story->state, task);
    struct event event = event_new(kind);
    event.task = task;
    event.step = run_state_step_number(&story->state, task);
    event.grant = step->grant;
    event.attempt = (int)step->attempt_count;
    return event;
}

void story_start(struct story *story, const char *id)
{
    struct event event = story_event(story, id, EVENT_ATTEMPT_STARTED);
    event.attempt++;
    story_add(story, event);
    event = story_event(story, id, EVENT_ATTEMPT_RUNNING);
    event.running.pid = 48213;
    story_add(story, event);
}

static struct event ended(const struct story *story, const char *id, enum outcome_kind kind,
                          int code)
{
    struct event event = story_event(story, id, EVENT_ATTEMPT_ENDED);
    const struct attempt_state *attempt =
        step_state_attempt(run_state_step(&story->state, event.task));
    event.ended.outcome.kind = kind;
    event.ended.outcome.code = code;
    event.ended.outcome.ran_ms = story->now.mono_ms - attempt->started.mono_ms;
    return event;
}

static void end_attempt(struct story *story, const char *id, int code)
{
    story_add(story, ended(story, id, OUTCOME_EXIT, code));
}

void story_pass(struct story *story, const char *id)
{
    end_attempt(story, id, 0);
    story_end(story, id, DECISION_SUCCEEDED);
}

void story_fail(struct story *story, const char *id, enum reason reason, const char *text)
{
    end_attempt(story, id, 1);
    struct event event = story_event(story, id, EVENT_ATTEMPT_JUDGED);
    event.judged.label.class = VERDICT_PERSISTENT;
    event.judged.label.reason = reason;
    story_add_json(story, event, text);
}

void story_time_out(struct story *story, const char *id)
{
    story_add(story, ended(story, id, OUTCOME_TIMEOUT, 0));
}

static void judge_by_world(struct story *story, const char *id, enum transient_type type,
                           const char *text)
{
    struct event event = story_event(story, id, EVENT_ATTEMPT_JUDGED);
    event.judged.label.class = VERDICT_TRANSIENT;
    event.judged.label.type = type;
    story_add_json(story, event, text);
}

void story_fail_by_world(struct story *story, const char *id, enum transient_type type, int print,
                         const char *text)
{
    static const struct digest prints[] = {
        {0}, {.hi = UINT64_C(0x2d90) << 48, .lo = 1}, {.hi = UINT64_C(0x7c1e) << 48, .lo = 2}};
    struct event event = ended(story, id, OUTCOME_EXIT, 1);
    event.ended.fingerprint = prints[print];
    story_add(story, event);
    judge_by_world(story, id, type, text);
}

/* The attempt could not be started. */
static void fail_to_start(struct story *story, const char *id)
{
    story_add(story, ended(story, id, OUTCOME_NOT_STARTED, 11));
    judge_by_world(story, id, TRANSIENT_RESOURCE_BUSY, "{\"rule\":\"start.eagain\"}");
}

/* Returns the result of the formula before jitter and hint, if its inputs are given. */
static int64_t exact_ms(const char *inputs, int64_t otherwise)
{
    struct json *json = NULL;
    struct err err = {0};
    ck_assert_msg(json_parse(inputs, strlen(inputs), &json, NULL, &err), "%s", err.message);
    int64_t ms = json_i64(json_get(json, "base_ms"), -1);
    for (int64_t n = json_i64(json_get(json, "retry_number"), 1); n > 1; n--)
        ms *= json_i64(json_get(json, "multiplier"), 1);
    json_free(json);
    return ms >= 0 ? ms : otherwise;
}

void story_wait_by(struct story *story, const char *id, int seconds, const char *inputs)
{
    const int64_t delay_ms = (int64_t)seconds * MS_PER_S;
    struct str json = {0};
    str_addf(&json,
             "{\"delay_ms\":%lld,\"due_at_ms\":%lld,\"due_mono_ms\":%lld,\"exact_ms\":%lld,%s",
             (long long)delay_ms, (long long)(story->now.at_ms + delay_ms),
             (long long)(story->now.mono_ms + delay_ms), (long long)exact_ms(inputs, delay_ms),
             inputs + 1);
    story_add_json(story, story_event(story, id, EVENT_WAIT_STARTED), str_text(&json));
    str_done(&json);
}

void story_wait(struct story *story, const char *id, int seconds)
{
    story_wait_by(story, id, seconds, "{\"retry_number\":1,\"factor\":1}");
}

/* Closes the gate of the task's step for `seconds`, for the `closed`th time in a row. */
static void close_gate(struct story *story, const char *id, int seconds, int closed)
{
    struct event event = story_event(story, id, EVENT_GATE_CLOSED);
    event.gate_closed.source = story->plan->tasks[event.task].steps[event.step].source;
    event.gate_closed.due.at_ms = story->now.at_ms + (int64_t)seconds * MS_PER_S;
    event.gate_closed.due.mono_ms = story->now.mono_ms + (int64_t)seconds * MS_PER_S;
    event.gate_closed.limits = closed;
    story_add(story, event);
}

void story_try_again(struct story *story, const char *id, int seconds)
{
    story_fail(story, id, REASON_TEST_FAIL, NULL);
    story_wait(story, id, seconds);
    story->now.at_ms += (int64_t)seconds * MS_PER_S;
    story->now.mono_ms += (int64_t)seconds * MS_PER_S;
    story_add(story, story_event(story, id, EVENT_WAIT_ENDED));
    story_start(story, id);
}

void story_end(struct story *story, const char *id, enum decision_kind end)
{
    struct event event = story_event(story, id, EVENT_STEP_ENDED);
    event.step_ended.decision = end;
    story_add(story, event);
}

void story_end_run(struct story *story)
{
    story_add(story, event_new(EVENT_RUN_ENDED));
}

void story_hold(struct story *story, const char *id, int leader)
{
    struct event event = event_new(EVENT_TASK_HELD);
    event.task = story_task(story, id);
    event.held.follows = leader;
    event.by = "ann";
    story_add(story, event);
}

void story_say(struct story *story, const char *id, const char *text)
{
    struct output_page *page = &story->page;
    page->rows = xgrow(page->rows, &page->cap, page->count + 1, sizeof(*page->rows));
    page->rows[page->count++] = (struct log_output_row){.stream = 1,
                                                        .offset = (int64_t)page->text.len,
                                                        .at_ms = story->now.at_ms,
                                                        .start = page->text.len,
                                                        .len = strlen(text)};
    str_add(&page->text, text);
    struct event event = story_event(story, id, EVENT_NONE);
    struct log_output_key key = {1, event.task, event.step, event.attempt, true};
    log_tail_set(&story->tail, &key, page, INT64_MAX);
}

static const struct {
    const char *id, *title, *needs;
} full_tasks[] = {
    {"T-101", "cart: merge on login", NULL},       {"T-102", "cart: clear on logout", NULL},
    {"T-103", "orders: idempotency key", NULL},    {"T-104", "checkout: tax rounding", NULL},
    {"T-105", "mail: retry bounced", NULL},        {"T-106", "seed: fixtures", NULL},
    {"T-107", "auth: rotate refresh token", NULL}, {"T-108", "mail: digest", "T-105"},
    {"T-110", "search: typo tolerance", NULL},     {"T-111", "docs: openapi sync", NULL},
};

static void tell_the_finished(struct story *story)
{
    story_start(story, "T-102");
    story_at(story, 1, 0);
    story_fail(story, "T-102", REASON_TEST_FAIL, NULL);
    story_end(story, "T-102", DECISION_SUCCEEDED);
    story_start(story, "T-102");
    story_at(story, 2, 0);
    story_try_again(story, "T-102", 10);
    story_pass(story, "T-102");
    story_start(story, "T-102");
    story_at(story, 3, 0);
    story_pass(story, "T-102");

    story_start(story, "T-105");
    story_at(story, 4, 0);
    story_fail(story, "T-105", REASON_COMPILE,
               "{\"rule\":\"cc.error\",\"match\":\"mail.c:7: error\"}");
    story_end(story, "T-105", DECISION_RETRY_EXHAUSTED);
    struct event blocked = event_new(EVENT_TASK_BLOCKED);
    blocked.task = story_task(story, "T-108");
    blocked.blocked.needs = story_task(story, "T-105");
    story_add(story, blocked);

    struct event cancel = event_new(EVENT_CANCEL_ASKED);
    cancel.by = "ann@tty2";
    cancel.task = story_task(story, "T-106");
    story_add(story, cancel);
    story_end(story, "T-106", DECISION_CANCELLED);
}

static void start_at(struct story *story, int minutes, int seconds, const char *id)
{
    story_at(story, minutes, seconds);
    story_start(story, id);
}

static void tell_the_living(struct story *story)
{
    start_at(story, 5, 0, "T-107");
    start_at(story, 5, 0, "T-104");
    story_at(story, 6, 22);
    story_fail(story, "T-104", REASON_TEST_FAIL, NULL);
    story_end(story, "T-104", DECISION_SUCCEEDED);
    story_start(story, "T-104");
    start_at(story, 7, 47, "T-110");
    story_at(story, 8, 26);
    story_try_again(story, "T-104", 8);
    story_at(story, 9, 17); /* output for half a minute, then silence for a minute */
    struct event quiet = story_event(story, "T-110", EVENT_ATTEMPT_QUIET);
    quiet.quiet.quiet_ms = 60000;
    story_add(story, quiet);
    start_at(story, 9, 25, "T-101");
    story_at(story, 9, 56);
    story_fail(story, "T-107", REASON_AUTH,
               "{\"rule\":\"http.401\",\"match\":\"401 token expired\",\"ask\":true}");
    story_end(story, "T-107", DECISION_NEEDS_YOU);
}

static void tell_the_last(struct story *story)
{
    story_at(story, 10, 1);
    story_try_again(story, "T-104", 22);
    story_say(story, "T-104", "All tests pass now.\nTAP version 13\nok 1 - adds tax per line\n");
    story_say(story, "T-104", "not ok 3 - rounds half to even\n# expected 19.99, got 20.00\n");
    start_at(story, 11, 56, "T-103");
    story_at(story, 12, 10);
    story_fail(story, "T-104", REASON_TEST_FAIL,
               "{\"rule\":\"tap.not-ok\","
               "\"match\":\"expected 19.99, got 20.00\"}");
    story_wait(story, "T-104", 45);
}

void story_init_full(struct story *story)
{
    *story = (struct story){0};
    struct str json = {0};
    begin_plan(&json, "");
    for (size_t i = 0; i < ARRAY_LEN(full_tasks); i++) {
        str_addf(&json, "%s{\"id\": \"%s\", \"title\": \"%s\", ", i > 0 ? ", " : "",
                 full_tasks[i].id, full_tasks[i].title);
        if (full_tasks[i].needs)
            str_addf(&json, "\"needs\": [\"%s\"], ", full_tasks[i].needs);
        str_add(&json, "\"steps\": [");
        story_add_steps(&json, "RGV");
        str_add(&json, "]}");
    }
    start_run(story, &json);
    tell_the_finished(story);
    tell_the_living(story);
    tell_the_last(story);
    story_at(story, 12, 37);
}

/* Tasks with one step each, and their source, if any. */
static const struct {
    const char *id, *title, *source;
} retry_tasks[] = {
    {"T-201", "image: build", NULL},        {"T-202", "docs: translate", "claude"},
    {"T-203", "blog: illustrate", "codex"}, {"T-204", "mirror: debian", NULL},
    {"T-205", "mirror: fedora", NULL},      {"T-206", "mirror: arch", NULL},
    {"T-207", "mirror: alpine", NULL},      {"T-208", "mirror: suse", NULL},
    {"T-209", "mirror: nixos", NULL},       {"T-210", "review: billing", "gemini"},
    {"T-211", "review: search", "gemini"},  {"T-212", "review: cart", "gemini"},
    {"T-213", "checkout: tax", NULL},       {"T-214", "seed: fixtures", NULL},
};

static const char *const reset =
    "{\"rule\":\"net.reset\",\"stream\":\"stderr\",\"line\":3,\"offset\":80,"
    "\"match\":\"curl: (56) Recv failure: Connection reset by peer\"}";

/* Six tasks meet the same fault and wait for different times. */
static void tell_the_fault(struct story *story)
{
    static const char *const ids[] = {"T-204", "T-205", "T-206", "T-207", "T-208", "T-209"};
    for (int i = 0; i < (int)ARRAY_LEN(ids); i++) {
        story_at(story, 8, 0);
        story_start(story, ids[i]);
    }
    for (int i = 0; i < (int)ARRAY_LEN(ids); i++) {
        story_at(story, 8, 40 + i);
        story_fail_by_world(story, ids[i], TRANSIENT_NETWORK_TIMEOUT, 1, reset);
        story_wait_by(
            story, ids[i], 249 + 9 * i + (i % 2 == 0 ? 0 : 11),
            "{\"policy\":\"patient\",\"retry_number\":1,\"base_ms\":240000,\"multiplier\":2,"
            "\"cap_ms\":600000,\"jitter\":0.25,\"factor\":1.0375,\"used\":1,"
            "\"allowed\":6}");
    }
}

static void tell_the_waits(struct story *story)
{
    story_start(story, "T-202");
    story_start(story, "T-203");
    story_at(story, 9, 56);
    story_fail_by_world(story, "T-202", TRANSIENT_API_RATE_LIMIT, 0,
                        "{\"rule\":\"claude.usage\",\"stream\":\"stdout\",\"line\":1,"
                        "\"match\":\"usage limit reached, resets 3am\",\"hint_rule\":"
                        "\"claude.resets\",\"retry_after_ms\":46804000}");
    story_wait_by(story, "T-202", 46804,
                  "{\"policy\":\"patient\",\"retry_number\":1,\"base_ms\":15000,\"multiplier\":2,"
                  "\"cap_ms\":300000,\"jitter\":0,\"factor\":1,\"hint_ms\":46804000,\"used\":1,"
                  "\"allowed\":6}");
    story_fail(story, "T-203", REASON_QUOTA,
               "{\"rule\":\"codex.quota\",\"match\":\"weekly limit, resets 18:00\",\"ask\":true,"
               "\"hint_rule\":\"codex.resets\",\"resume_at_ms\":1763661600000}");
    story_end(story, "T-203", DECISION_NEEDS_YOU);
}

static void tell_the_gate(struct story *story)
{
    story_at(story, 12, 0);
    story_start(story, "T-210");
    story_at(story, 12, 5);
    story_fail_by_world(story, "T-210", TRANSIENT_API_RATE_LIMIT, 2,
                        "{\"rule\":\"http.429\",\"stream\":\"stderr\",\"line\":2,\"match\":"
                        "\"HTTP 429 Too Many Requests\",\"retry_after_ms\":50000,"
                        "\"hint_rule\":\"http.retry-after\"}");
    story_wait_by(story, "T-210", 50,
                  "{\"policy\":\"patient\",\"retry_number\":1,\"base_ms\":15000,\"multiplier\":2,"
                  "\"cap_ms\":300000,\"full_jitter\":true,\"factor\":0.31,"
                  "\"hint_ms\":50000,\"used\":2,\"allowed\":6}");
    close_gate(story, "T-210", 50, 2);
}

static void tell_the_starts(struct story *story)
{
    story_at(story, 12, 20);
    story_start(story, "T-201");
    fail_to_start(story, "T-201");
    story_wait(story, "T-201", 1);
    story_at(story, 12, 21);
    story_add(story, story_event(story, "T-201", EVENT_WAIT_ENDED));
    story_start(story, "T-201");
    fail_to_start(story, "T-201");
    story_wait(story, "T-201", 30);
}

static void tell_the_corrected(struct story *story)
{
    story_at(story, 10, 0);
    story_start(story, "T-213");
    story_at(story, 12, 10);
    story_fail(story, "T-213", REASON_TEST_FAIL,
               "{\"rule\":\"tap.not-ok\",\"stream\":\"stdout\",\"line\":62,"
               "\"match\":\"expected ECONNRESET\",\"near\":[{\"rule\":\"net.reset\","
               "\"why\":\"quoted\",\"stream\":\"stdout\",\"offset\":1204}]}");
    story_wait_by(story, "T-213", 45,
                  "{\"policy\":\"patient\",\"retry_number\":3,\"base_ms\":15000,\"multiplier\":2,"
                  "\"cap_ms\":300000,\"jitter\":0.25,\"factor\":0.75,\"used\":3,"
                  "\"allowed\":6}");
    struct event correct = story_event(story, "T-213", EVENT_CLASS_CORRECTED);
    correct.corrected.class = VERDICT_TRANSIENT;
    correct.corrected.type = TRANSIENT_NETWORK_TIMEOUT;
    correct.by = "ann";
    story_add(story, correct);

    story_start(story, "T-214");
    story_fail(story, "T-214", REASON_COMPILE,
               "{\"rule\":\"cc.error\",\"match\":\"seed.c:7: error\"}");
    struct event end = story_event(story, "T-214", EVENT_STEP_ENDED);
    end.step_ended.decision = DECISION_RETRY_EXHAUSTED;
    story_add_json(story, end,
                   "{\"policy\":\"patient\",\"phase\":\"GREEN\",\"used\":6,\"allowed\":6}");
}

void story_init_retries(struct story *story)
{
    *story = (struct story){0};
    struct str json = {0};
    begin_plan(&json, "");
    for (size_t i = 0; i < ARRAY_LEN(retry_tasks); i++) {
        str_addf(&json, "%s{\"id\": \"%s\", \"title\": \"%s\", \"steps\": [{\"run\": [\"make\"],",
                 i > 0 ? ", " : "", retry_tasks[i].id, retry_tasks[i].title);
        if (retry_tasks[i].source)
            str_addf(&json, "\"source\": \"%s\", ", retry_tasks[i].source);
        str_add(&json, "\"policy\": \"patient\"}]}");
    }
    start_run(story, &json);
    tell_the_fault(story);
    tell_the_waits(story);
    tell_the_corrected(story);
    tell_the_gate(story);
    tell_the_starts(story);
    story_at(story, 12, 37);
}
