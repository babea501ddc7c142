/* A plan that grows: its tasks, the fold of their events, the record of a task in the log. */
#include <stdio.h>
#include <string.h>

#include "event.h"
#include "plan.h"
#include "play.h"
#include "shown.h"
#include "task_record.h"
#include "test_main.h"

static const char base_text[] =
    "{\"version\":1,\"name\":\"mcp\",\"grows\":true,\"policies\":{\"quick\":{\"like\":\"default\","
    "\"base_delay_ms\":1}},\"tasks\":[]}";

static struct plan *base;
static struct plan *plan;
static struct play play;
static struct str one, two;  /* tasks as JSON */
static struct str logged[2]; /* their records */

static void read_base(void)
{
    struct violations violations = {0};
    ck_assert(plan_parse(base_text, strlen(base_text), &base, &violations));
    violations_done(&violations);
}

static void setup(void)
{
    read_base();
    plan = plan_growing(base);
    one = two = logged[0] = logged[1] = (struct str){0};
}

static void teardown(void)
{
    plan_free(plan);
    plan_free(base);
    str_done(&one);
    str_done(&two);
    str_done(&logged[0]);
    str_done(&logged[1]);
}

static void open_play(void)
{
    play_open(&play, base_text);
    play.scheduler.awaits_more = true;
    play_start(&play, 2);
}

static void close_play(void)
{
    play_close(&play);
}

static bool grow(const char *json, struct err *err)
{
    *err = (struct err){0};
    return plan_grow(plan, json, strlen(json), err);
}

static bool grow_id(const char *id)
{
    char json[200];
    struct err err;
    (void)snprintf(json, sizeof(json), "{\"id\":\"%s\",\"steps\":[{\"run\":[\"true\"]}]}", id);
    return grow(json, &err);
}

START_TEST(test_a_growing_plan_begins_empty)
{
    ck_assert(base->grows);
    ck_assert_int_eq(base->task_count, 0);
    struct str text = {0};
    plan_write(base, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text), "\"grows\":true"));
    struct plan *again = NULL;
    struct violations violations = {0};
    ck_assert(plan_parse(str_text(&text), text.len, &again, &violations));
    ck_assert(again->grows);
    plan_free(again);
    str_done(&text);
}
END_TEST

START_TEST(test_a_task_is_found_by_its_id)
{
    const char *const ids[] = {"m", "z", "a", "q", "b", "zz", "0"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++)
        ck_assert(grow_id(ids[i]));
    for (size_t i = 0; i < ARRAY_LEN(ids); i++)
        ck_assert_int_eq(plan_find(plan, ids[i]), (int)i);
    ck_assert_int_eq(plan_find(plan, "c"), -1);
    for (int i = 1; i < plan->by_id_count; i++)
        ck_assert_int_lt(strcmp(plan->by_id[i - 1].id, plan->by_id[i].id), 0);
    ck_assert_int_eq(base->task_count, 0);
}
END_TEST

START_TEST(test_a_task_has_the_rules_of_the_plan)
{
    struct err err;
    ck_assert(grow("{\"id\":\"a\",\"title\":\"A call\",\"steps\":[{\"run\":[\"ls\",\"-l\"],"
                   "\"policy\":\"quick\",\"idempotent\":true,\"timeout_s\":5}]}",
                   &err));
    const struct plan_step *step = &plan->tasks[0].steps[0];
    ck_assert_str_eq(plan->tasks[0].title, "A call");
    ck_assert_ptr_eq(step->policy, plan_policy_find(base, "quick"));
    ck_assert_int_eq(step->timeout_ms, 5000);
    ck_assert_int_eq(plan->step_count, 1);
    ck_assert(!step->once);
    ck_assert_int_eq(plan_step_attempts(step), step->policy->max_attempts);
}
END_TEST

START_TEST(test_a_step_that_is_not_idempotent_runs_once_in_every_phase)
{
    static const char *const phases[] = {"RED", "GREEN", "VERIFY", "REFACTOR"};
    static const char *const policies[] = {POLICY_DEFAULT, "quick", "transport", "infrastructure"};
    struct err err;
    int count = 0;
    for (size_t i = 0; i < ARRAY_LEN(phases); i++) {
        for (size_t k = 0; k < ARRAY_LEN(policies); k++) {
            char json[300];
            (void)snprintf(json, sizeof(json),
                           "{\"id\":\"t%d\",\"steps\":[{\"run\":[\"true\"],\"phase\":\"%s\","
                           "\"policy\":\"%s\"}]}",
                           count, phases[i], policies[k]);
            ck_assert_msg(grow(json, &err), "%s", err.message);
            ck_assert_int_eq(plan_step_attempts(&plan->tasks[count].steps[0]), 1);
            count++;
        }
    }
}
END_TEST

#define TASK_B(members) "{\"id\":\"b\"," members "}"
#define STEP            "\"steps\":[{\"run\":[\"true\"]}]"

static const struct {
    const char *json, *want;
} refused[] = {
    {"{\"id\":\"a\"," STEP "}", "taken"},
    {TASK_B("\"needs\":[\"a\"]," STEP), "\"needs\""},
    {TASK_B("\"workspace\":\"copy\"," STEP), "\"workspace\""},
    {TASK_B("\"steps\":[{\"run\":[\"true\"],\"contract\":true}]"), "contract"},
    {TASK_B("\"steps\":[{\"run\":[\"true\"],\"policy\":\"none such\"}]"),
     "/tasks/0/steps/0/policy"},
    {TASK_B("\"steps\":[{\"run\":[]}]"), "/tasks/0/steps/0/run"},
    {TASK_B("\"steps\":[]"), "/tasks/0/steps"},
    {"{\"id\":\"a b\"," STEP "}", "/tasks/0/id"},
    {"{" STEP "}", "id"},
    {TASK_B(STEP) ",{\"id\":\"c\"," STEP "}", "one task"},
    {"", "one task"},
    {"{", ""},
    {"7", "/tasks/0"},
};

START_TEST(test_a_refused_task_changes_nothing)
{
    struct err err;
    ck_assert(grow_id("a"));
    ck_assert(!grow(refused[_i].json, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strstr(err.message, refused[_i].want), "%s", err.message);
    ck_assert_int_eq(plan->task_count, 1);
    ck_assert_int_eq(plan->step_count, 1);
    ck_assert_int_eq(plan->by_id_count, 1);
    ck_assert_int_eq(plan->source_count, 0);
}
END_TEST

START_TEST(test_the_last_task_can_be_removed)
{
    ck_assert(grow_id("b"));
    ck_assert(grow_id("a"));
    plan_shrink(plan);
    ck_assert_int_eq(plan->task_count, 1);
    ck_assert_int_eq(plan_find(plan, "a"), -1);
    ck_assert_int_eq(plan_find(plan, "b"), 0);
    ck_assert(grow_id("a"));
    ck_assert_int_eq(plan_find(plan, "a"), 1);
}
END_TEST

START_TEST(test_the_command_of_a_task_can_be_forgotten)
{
    struct err err;
    ck_assert(grow("{\"id\":\"a\",\"steps\":[{\"run\":[\"ls\"],\"env\":{\"A\":\"b\"},"
                   "\"sandbox\":{\"kind\":\"none\"}}]}",
                   &err));
    plan_forget_calls(plan, 0);
    ck_assert_ptr_null(plan->tasks[0].steps[0].argv);
    ck_assert_str_eq(plan->tasks[0].id, "a");
    ck_assert_int_eq(plan->tasks[0].step_count, 1);
}
END_TEST

/* Through the scheduler. */

static void add(const char *task_json)
{
    play_input(&play, (struct input){.kind = INPUT_TASK, .task = -1, .note = task_json});
}

static void add_id(const char *id, const char *more)
{
    char json[600];
    (void)snprintf(json, sizeof(json), "{\"id\":\"%s\",\"steps\":[{\"run\":[\"true\"]%s}]}", id,
                   more);
    add(json);
}

START_TEST(test_added_tasks_start_at_once)
{
    add_id("a", "");
    add_id("b", "");
    add_id("c", "");
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "b"), TASK_RUNNING);
    ck_assert_int_eq(play_status(&play, "c"), TASK_QUEUED);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "c"), TASK_RUNNING);
    ck_assert_int_eq(play.state.plan->task_count, 3);
    ck_assert_int_eq(play.plan->task_count, 0);
}
END_TEST

START_TEST(test_the_run_goes_on_until_its_plan_is_closed)
{
    add_id("a", "");
    play_exit(&play, "a", 0, play_passed());
    ck_assert(!play.state.ended);
    play.scheduler.awaits_more = false;
    play_wait(&play, 1);
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.exit_code, 0);
    add_id("b", "");
    ck_assert_int_eq(play.state.plan->task_count, 1);
}
END_TEST

START_TEST(test_a_cancelled_run_takes_no_more)
{
    add_id("a", "");
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_TERM);
    add_id("b", "");
    ck_assert_int_eq(play.state.plan->task_count, 1);
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_CANCELLED}, play_passed());
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.exit_code, 130);
}
END_TEST

START_TEST(test_an_idle_run_ends_when_it_is_cancelled)
{
    play_control(&play, CONTROL_CANCEL, NULL, CANCEL_TERM);
    ck_assert(play.state.ended);
}
END_TEST

START_TEST(test_a_call_fails_once_and_is_not_retried)
{
    add_id("a", ",\"policy\":\"transport\"");
    add_id("b", ",\"policy\":\"quick\",\"idempotent\":true");
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_exit(&play, "b", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    ck_assert_int_eq(play_status(&play, "b"), TASK_BACKOFF);
    struct str why = {0};
    shown_ending(&play.state, play_task(&play, "a"), &why);
    ck_assert_msg(strstr(str_text(&why), "1 of 1 tries used: it is not declared idempotent"), "%s",
                  str_text(&why));
    str_done(&why);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_TERM);
    ck_assert_int_eq(play_last(&play, EVENT_CONTROL_ANSWERED)->answered.done, 0);
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
}
END_TEST

START_TEST(test_a_start_that_failed_never_ran_and_is_tried_again)
{
    struct verdict verdict = play_transient(TRANSIENT_RESOURCE_BUSY);
    add_id("a", "");
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = 11}, verdict);
    ck_assert_int_eq(play_status(&play, "a"), TASK_BACKOFF);
    play_wait(&play, 60 * 1000);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

START_TEST(test_a_source_may_come_with_a_task)
{
    add_id("a", "");
    add_id("b", ",\"source\":\"one\"");
    add_id("c", ",\"source\":\"two\"");
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "b", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    ck_assert_int_eq(play.state.plan->source_count, 2);
    ck_assert_int_eq(play.state.gates[0].status, GATE_CLOSED);
    ck_assert_int_eq(play.state.gates[1].status, GATE_OPEN);
}
END_TEST

START_TEST(test_recovery_ends_running_tasks)
{
    add_id("a", "");
    add_id("b", "");
    play_crash(&play, play.events.count, false);
    ck_assert_int_eq(play.state.plan->task_count, 2);
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
}
END_TEST

START_TEST(test_a_task_number_that_is_not_the_next_is_refused)
{
    struct err err = {0};
    add_id("a", "");
    struct event event = {
        .seq = play.state.last_seq + 1,
        .at = play.now,
        .kind = EVENT_TASK_ADDED,
        .task = -1,
        .step = -1,
        .task_added = {.number = 2, .task = "{\"id\":\"b\",\"steps\":[{\"run\":[\"true\"]}]}"}};
    ck_assert(!run_state_apply(&play.state, &event, &err));
    ck_assert_int_eq(err.code, ERR_DAMAGED);
    ck_assert_int_eq(play.state.plan->task_count, 1);
    event.task_added.number = 1;
    event.task_added.task = "{\"id\":\"a\",\"steps\":[{\"run\":[\"true\"]}]}";
    ck_assert(!run_state_apply(&play.state, &event, &err));
    ck_assert_int_eq(play.state.plan->task_count, 1);
}
END_TEST

/* Random inputs: play_close() folds all events again and compares. */

enum { WALK_STEPS = 400, WALKS = 20 };

static uint32_t draw(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed >> 8;
}

static void add_any(uint32_t *seed)
{
    static const char *const more[] = {
        "",
        ",\"idempotent\":true,\"policy\":\"quick\"",
        ",\"idempotent\":true,\"policy\":\"transport\",\"source\":\"one\"",
        ",\"source\":\"two\"",
        ",\"policy\":\"no such\"",
    };
    char id[16];
    (void)snprintf(id, sizeof(id), "t%u", draw(seed) % 200); /* some are taken */
    add_id(id, more[draw(seed) % ARRAY_LEN(more)]);
}

static void end_any(uint32_t *seed)
{
    int count = play.state.plan->task_count;
    int from = count > 0 ? (int)(draw(seed) % (uint32_t)count) : 0;
    for (int i = 0; i < count; i++) {
        const struct plan_task *task = &play.state.plan->tasks[(from + i) % count];
        if (play_status(&play, task->id) != TASK_RUNNING)
            continue;
        bool fails = draw(seed) % 3 == 0;
        play_exit(&play, task->id, fails,
                  fails ? play_transient(TRANSIENT_API_RATE_LIMIT) : play_passed());
        return;
    }
}

static void do_any(uint32_t *seed)
{
    const char *id = play.state.plan->task_count > 0 ? play.state.plan->tasks[0].id : NULL;
    switch (draw(seed) % 8) {
    case 0:
    case 1:
    case 2:
        add_any(seed);
        break;
    case 3:
    case 4:
        end_any(seed);
        break;
    case 5:
        play_wait(&play, draw(seed) % 20000);
        break;
    case 6:
        play_control(&play, draw(seed) % 2 == 0 ? CONTROL_HOLD : CONTROL_RELEASE, id, CANCEL_TERM);
        break;
    default:
        if (draw(seed) % 10 == 0)
            play_crash(&play, play.events.count, draw(seed) % 2 == 0);
        else if (id)
            play_control(&play, CONTROL_CANCEL, id, CANCEL_TERM);
        break;
    }
}

START_TEST(test_any_order_of_events_folds_equally)
{
    uint32_t seed = (uint32_t)_i + 1;
    for (int i = 0; i < WALK_STEPS; i++)
        do_any(&seed);
    int sum = 0;
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        sum += play.state.counts[i];
    ck_assert_int_eq(sum, play.state.plan->task_count);
    ck_assert_int_eq(play_count(&play, EVENT_TASK_ADDED, NULL), play.state.plan->task_count);
    ck_assert_int_gt(sum, 10);
}
END_TEST

/* The record in the log. */

static bool record(const char *task_json, const char *stdin_bytes, struct str *out)
{
    struct json *json = NULL;
    struct err err = {0};
    ck_assert(json_parse(task_json, strlen(task_json), &json, NULL, &err));
    struct redactor *own = NULL;
    ck_assert(task_record_redactor(json, &own, &err));
    const struct task_record parts = {.task = json,
                                      .stdin_bytes = stdin_bytes,
                                      .stdin_len = stdin_bytes ? strlen(stdin_bytes) : 0,
                                      .own = own};
    bool ok = task_record_write(&parts, out, &err);
    redactor_close(own);
    json_free(json);
    return ok;
}

static bool can_be_read(const struct str *text)
{
    return plan_grow(plan, text->data, text->len, NULL);
}

START_TEST(test_a_short_task_is_recorded_as_it_is)
{
    ck_assert(record("{\"id\":\"a\",\"steps\":[{\"run\":[\"ls\",\"-l\"]}]}", NULL, &logged[0]));
    ck_assert_str_eq(str_text(&logged[0]), "{\"id\":\"a\",\"steps\":[{\"run\":[\"ls\",\"-l\"]}]}");
}
END_TEST

static void add_long_task(struct str *json, char last)
{
    str_add(json, "{\"id\":\"long\",\"steps\":[{\"env\":{");
    for (int i = 0; i < 50; i++)
        str_addf(json, "%s\"V%d\":\"%0400d\"", i > 0 ? "," : "", i, i);
    str_add(json, "},\"run\":[\"x\"");
    for (int i = 0; i < 100; i++)
        str_addf(json, ",\"\xC3\xA4%0600d\"", i);
    str_addf(json, ",\"%c\"]}]}", last);
}

START_TEST(test_a_long_task_is_cut_and_stays_another_one)
{
    add_long_task(&one, '1');
    add_long_task(&two, '2');
    ck_assert(record(one.data, NULL, &logged[0]));
    ck_assert(record(two.data, NULL, &logged[1]));
    ck_assert_uint_le(logged[0].len, EVENT_TEXT_MAX);
    ck_assert_str_ne(logged[0].data, logged[1].data);
    ck_assert(can_be_read(&logged[0]));
}
END_TEST

START_TEST(test_stdin_is_recorded_by_size_and_digest)
{
    str_add(&one, "{\"id\":\"a\",\"steps\":[{\"run\":[\"cat\"],\"stdin\":\"x\"}]}");
    ck_assert(record(one.data, "hello", &logged[0]));
    ck_assert(record(one.data, "hullo", &logged[1]));
    ck_assert_ptr_nonnull(strstr(logged[0].data, "\"stdin\":\"(5 bytes, sha256 "));
    ck_assert_str_ne(logged[0].data, logged[1].data);
    ck_assert(can_be_read(&logged[0]));
}
END_TEST

START_TEST(test_a_variable_named_like_a_secret_is_cut)
{
    ck_assert(record(
        "{\"id\":\"a\",\"steps\":[{\"run\":[\"ls\",\"-x hunter2hunter2\"],\"env\":{\"API_TOKEN\":"
        "\"hunter2hunter2\",\"HOME\":\"/x\"}}]}",
        NULL, &logged[0]));
    ck_assert_ptr_null(strstr(logged[0].data, "hunter2"));
    ck_assert_ptr_nonnull(strstr(logged[0].data, "\"API_TOKEN\":\"[cut:API_TOKEN]\""));
    ck_assert_ptr_nonnull(strstr(logged[0].data, "\"HOME\":\"/x\""));
}
END_TEST

START_TEST(test_too_many_steps_are_refused)
{
    str_add(&one, "{\"id\":\"a\",\"steps\":[");
    for (int i = 0; i < 64; i++)
        str_addf(&one, "%s{\"run\":[\"%0300d\",\"%0300d\"]}", i > 0 ? "," : "", i, i);
    str_add(&one, "]}");
    ck_assert(!record(one.data, NULL, &logged[0]));
    ck_assert_uint_eq(logged[0].len, 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_grow");
    TCase *tasks = test_case(suite, "tasks");
    tcase_add_checked_fixture(tasks, setup, teardown);
    tcase_add_test(tasks, test_a_growing_plan_begins_empty);
    tcase_add_test(tasks, test_a_task_is_found_by_its_id);
    tcase_add_test(tasks, test_a_task_has_the_rules_of_the_plan);
    tcase_add_test(tasks, test_a_step_that_is_not_idempotent_runs_once_in_every_phase);
    tcase_add_loop_test(tasks, test_a_refused_task_changes_nothing, 0, ARRAY_LEN(refused));
    tcase_add_test(tasks, test_the_last_task_can_be_removed);
    tcase_add_test(tasks, test_the_command_of_a_task_can_be_forgotten);
    TCase *fold = test_case(suite, "fold");
    tcase_add_checked_fixture(fold, open_play, close_play);
    tcase_add_test(fold, test_added_tasks_start_at_once);
    tcase_add_test(fold, test_the_run_goes_on_until_its_plan_is_closed);
    tcase_add_test(fold, test_a_cancelled_run_takes_no_more);
    tcase_add_test(fold, test_an_idle_run_ends_when_it_is_cancelled);
    tcase_add_test(fold, test_a_call_fails_once_and_is_not_retried);
    tcase_add_test(fold, test_a_start_that_failed_never_ran_and_is_tried_again);
    tcase_add_test(fold, test_a_source_may_come_with_a_task);
    tcase_add_test(fold, test_recovery_ends_running_tasks);
    tcase_add_test(fold, test_a_task_number_that_is_not_the_next_is_refused);
    tcase_add_loop_test(fold, test_any_order_of_events_folds_equally, 0, WALKS);
    TCase *records = test_case(suite, "record");
    tcase_add_checked_fixture(records, setup, teardown);
    tcase_add_test(records, test_a_short_task_is_recorded_as_it_is);
    tcase_add_test(records, test_a_long_task_is_cut_and_stays_another_one);
    tcase_add_test(records, test_stdin_is_recorded_by_size_and_digest);
    tcase_add_test(records, test_a_variable_named_like_a_secret_is_cut);
    tcase_add_test(records, test_too_many_steps_are_refused);
    return suite;
}
