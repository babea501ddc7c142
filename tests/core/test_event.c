/* The kinds of events, and what a record and a line of the log say of them. */
#include <stdio.h>
#include <string.h>

#include "event.h"
#include "event_text.h"
#include "json.h"
#include "outcome.h"
#include "play.h"
#include "test_main.h"

/* The numbers are in every log ever written. A row may be added, none changed. */
static const struct {
    int number;
    const char *name;
} kinds[] = {
    {1, "run_started"},        {2, "run_ended"},        {3, "attempt_started"},
    {4, "attempt_running"},    {5, "attempt_ended"},    {6, "attempt_judged"},
    {7, "wait_started"},       {8, "wait_ended"},       {9, "step_ended"},
    {10, "step_reopened"},     {11, "task_blocked"},    {12, "task_held"},
    {13, "task_released"},     {14, "cancel_asked"},    {15, "control_answered"},
    {16, "attempt_quiet"},     {17, "attempt_heard"},   {18, "note"},
    {19, "gate_closed"},       {20, "gate_opened"},     {21, "class_corrected"},
    {22, "run_recovered"},     {23, "loop_suspected"},  {24, "workspace_made"},
    {25, "workspace_saved"},   {26, "workspace_reset"}, {27, "tree_proven"},
    {28, "workspace_changed"}, {29, "result_kept"},     {30, "sandbox_lacks"},
    {31, "time_stopped"},      {32, "secrets_cut"},     {33, "agent_session"},
    {34, "agent_used"},        {35, "agent_call"},      {36, "budget"},
    {37, "round_started"},     {38, "task_added"},      {39, "hint_given"},
};

static const int64_t unknown[] = {
    INT64_MIN, -1, 0, EVENT_KIND_COUNT, EVENT_KIND_COUNT + 1, 1000, (int64_t)1 << 32, INT64_MAX,
};

START_TEST(test_number_and_name_stay)
{
    ck_assert(event_kind_is_known(kinds[_i].number));
    ck_assert_str_eq(event_kind_name((enum event_kind)kinds[_i].number), kinds[_i].name);
}
END_TEST

START_TEST(test_unknown_kind)
{
    ck_assert(!event_kind_is_known(unknown[_i]));
}
END_TEST

START_TEST(test_name_of_an_unknown_kind)
{
    ck_assert_str_eq(event_kind_name((enum event_kind)EVENT_KIND_COUNT), "?");
    ck_assert_str_eq(event_kind_name((enum event_kind)1000), "?");
}
END_TEST

START_TEST(test_every_kind_is_pinned)
{
    ck_assert_int_eq(TABLE_LEN(kinds), EVENT_KIND_COUNT - 1);
}
END_TEST

static const struct {
    enum outcome_kind kind;
    const char *want;
} outcomes[] = {
    {OUTCOME_EXIT, "exit"},
    {OUTCOME_SIGNAL, "signal"},
    {OUTCOME_NOT_STARTED, "not started"},
    {OUTCOME_TIMEOUT, "timeout"},
    {OUTCOME_CANCELLED, "cancelled"},
    {OUTCOME_INTERRUPTED, "interrupted"},
};

START_TEST(test_outcome_has_its_name)
{
    ck_assert_str_eq(outcome_kind_name(outcomes[_i].kind), outcomes[_i].want);
}
END_TEST

START_TEST(test_every_outcome_is_covered)
{
    ck_assert_int_eq(TABLE_LEN(outcomes), OUTCOME_KIND_COUNT);
}
END_TEST

static struct play play;
static struct str line, words, text;
static struct json *record;

/* A source for the gates, and a name that JSON has to escape. */
static const char strange[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"transport\","
    "\"jitter\":0}},\"tasks\":[{\"id\":\"a\",\"title\":\"\\\"x\\\" \\u00e4\\u0007\",\"steps\":"
    "[{\"phase\":\"GREEN\",\"policy\":\"p\",\"source\":\"s\",\"run\":[\"printf\",\"\\u00e4 "
    "\\\"%s\\\"\\n\\u001b\",\"\\ud83d\\ude00\"]}]}]}";

static void setup_record(void)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    (void)snprintf(verdict.match, sizeof(verdict.match), "429 \"Too\\Many\"\t\x01 \xc3\xa4 \xff");
    play_open(&play, strange);
    play_start(&play, 1);
    play_exit(&play, "a", 1, verdict);
}

static void teardown(void)
{
    play_close(&play);
    str_done(&line);
    str_done(&words);
    str_done(&text);
    json_free(record);
    record = NULL;
}

/* Texts with all that a writer by hand can get wrong; each is the "text" of an event. */
static const char *const data[] = {
    "{\"by\":\"ann\",\"note\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u00e4\\ud83d\\ude00\"}",
    "{ \"by\" : \"\xc3\xa4\xe2\x82\xac\" , \"n\" : 2, \"allowed\" : 4,\n \"x\": [ 1 , -2.5e10 ] }",
    "{\"rule\":\"r\",\"match\":\"m\",\"exact\":9007199254740993,\"deep\":{\"a\":[[],{}]}}",
};

static void write_record(const struct event *event)
{
    struct err err = {0};
    str_clear(&line);
    str_clear(&words);
    json_free(record);
    record = NULL;
    event_json(&play.state, 41, event, &line);
    event_words(&play.state, event, &words);
    ck_assert_msg(json_parse(line.data, line.len, &record, NULL, &err), "%s: %s", err.message,
                  line.data);
    ck_assert_ptr_null(strchr(line.data, '\n'));
}

static void want_number(const char *key, int64_t want)
{
    const struct json *member = json_get(record, key);
    ck_assert_msg(json_kind(member) == JSON_KIND_INTEGER, "%s in %s", key, line.data);
    ck_assert_int_eq(json_i64(member, 0), want);
}

/* The member exists and has this text. */
static void want_text(const char *key, const char *want)
{
    const char *is = json_text(json_get(record, key), NULL);
    ck_assert_msg(is != NULL, "%s in %s", key, line.data);
    ck_assert_str_eq(is, want);
}

/* The message, as JSON can hold it: bytes that are not UTF-8 become U+FFFD. */
static void want_message(void)
{
    struct str json = {0};
    struct json *want = NULL;
    str_add_json(&json, str_text(&words), words.len);
    ck_assert(json_parse(json.data, json.len, &want, NULL, NULL));
    want_text("message", json_text(want, "?"));
    json_free(want);
    str_done(&json);
}

static void want_data(const char *json)
{
    struct str want = {0};
    struct str got = {0};
    struct json *tree = NULL;
    ck_assert(json_parse(json, strlen(json), &tree, NULL, NULL));
    json_write(&want, tree);
    json_write(&got, json_get(record, "data"));
    ck_assert_str_eq(got.data, want.data);
    json_free(tree);
    str_done(&want);
    str_done(&got);
}

static struct event full_event(enum event_kind kind, const char *json)
{
    return (struct event){.seq = INT64_MAX,
                          .at = {.at_ms = 1795351693499, .mono_ms = 47562091},
                          .kind = kind,
                          .step = 0,
                          .round = 1,
                          .grant = 1,
                          .attempt = 1,
                          .a = 1,
                          .b = 1,
                          .c = 1,
                          .d = 1,
                          .e = 1,
                          .text = json};
}

static void check_record(const struct event *event)
{
    write_record(event);
    want_number("v", 1);
    want_number("run", 41);
    want_number("seq", event->seq);
    want_number("at_ms", event->at.at_ms);
    want_number("mono_ms", event->at.mono_ms);
    want_text("kind", event_kind_name(event->kind));
    want_text("level", event_level_name(event_level(event)));
    want_message();
    if (event->task >= 0) {
        want_text("task", "a");
        want_number("step", 1);
        want_text("phase", "GREEN");
        want_number("attempt", event->attempt);
    } else {
        ck_assert_ptr_null(json_get(record, "task"));
    }
    if (event->text)
        want_data(event->text);
    else
        ck_assert_ptr_null(json_get(record, "data"));
}

START_TEST(test_B6_a_record_of_each_kind_is_read_by_a_json_library)
{
    for (size_t i = 0; i <= ARRAY_LEN(data); i++) {
        struct event event = full_event((enum event_kind)_i, i == 0 ? NULL : data[i - 1]);
        check_record(&event);
    }
}
END_TEST

START_TEST(test_B6_a_record_of_the_run_names_no_task)
{
    static const enum event_kind of_runs[] = {
        EVENT_RUN_STARTED, EVENT_RUN_ENDED,     EVENT_CANCEL_ASKED, EVENT_CONTROL_ANSWERED,
        EVENT_NOTE,        EVENT_RUN_RECOVERED, EVENT_TIME_STOPPED, EVENT_BUDGET,
    };
    for (size_t i = 0; i < ARRAY_LEN(of_runs); i++) {
        struct event event = full_event(of_runs[i], data[0]);
        event.task = -1;
        event.step = -1;
        check_record(&event);
    }
}
END_TEST

START_TEST(test_numbers_are_exact)
{
    struct event event = full_event(EVENT_ATTEMPT_ENDED, NULL);
    event.a = OUTCOME_EXIT;
    event.b = 255;
    event.c = INT64_MAX;
    event.d = 9007199254740993; /* no double holds it */
    event.e = 0;
    check_record(&event);
    want_text("outcome", outcome_kind_name(OUTCOME_EXIT));
    want_number("code", 255);
    want_number("ran_ms", INT64_MAX);
    want_number("out_bytes", 9007199254740993);
    want_number("err_bytes", 0);
    event = full_event(EVENT_AGENT_USED, NULL);
    event.c = INT64_MIN;
    write_record(&event);
    want_number("cost_micro", INT64_MIN);
}
END_TEST

START_TEST(test_a_digest_is_hex)
{
    struct event event = full_event(EVENT_TREE_PROVEN, NULL);
    event.a = -1;
    event.b = 15;
    write_record(&event);
    want_text("tree", "ffffffffffffffff000000000000000f");
}
END_TEST

START_TEST(test_events_of_a_later_build_are_kept_or_left_out)
{
    struct event event = full_event((enum event_kind)(EVENT_KIND_COUNT + 7), "{\"new\": 1}");
    write_record(&event);
    want_text("kind", "?");
    want_text("message", "?47");
    ck_assert_int_eq(json_i64(json_get(json_get(record, "data"), "new"), 0), 1);
    event.text = "{\"new\": ";
    write_record(&event);
    ck_assert_ptr_null(json_get(record, "data"));
    want_text("level", "info");
}
END_TEST

/* How the last attempt of a step ended, as members of their own. */
START_TEST(test_A5_the_end_of_a_step_has_its_members)
{
    const struct event ended = {.kind = EVENT_STEP_ENDED,
                                .task = 0,
                                .step = 0,
                                .attempt = 1,
                                .a = DECISION_TRANSIENT_EXHAUSTED,
                                .b = 1};
    write_record(&ended);
    want_text("decision", "transient exhausted");
    want_text("call", "a/1");
    want_text("type", "API_RATE_LIMIT");
    want_number("exit_code", 1);
    want_number("attempts", 1);
    ck_assert_int_eq(json_kind(json_get(record, "signal")), JSON_KIND_NULL);

    struct attempt_state *attempt = &play.state.tasks[0].steps[0].attempts[0];
    const struct attempt_state before = *attempt;
    attempt->outcome = (struct outcome){.kind = OUTCOME_SIGNAL, .code = 9};
    attempt->type = TRANSIENT_NONE;
    write_record(&ended);
    *attempt = before;
    want_number("signal", 9);
    ck_assert_int_eq(json_kind(json_get(record, "exit_code")), JSON_KIND_NULL);
    ck_assert_int_eq(json_kind(json_get(record, "type")), JSON_KIND_NULL);
}
END_TEST

static const char one_step[] =
    "{'version':1,'idempotent':true,'policies':{'p':{'like':'transport','jitter':0}},'tasks':["
    "{'id':'a','steps':[{'phase':'GREEN','policy':'p','run':['true']}]}]}";

static void setup_words(void)
{
    play_open(&play, one_step);
    play_start(&play, 1);
}

/* Starts another plan with one slot. */
static void begin(const char *plan)
{
    play_close(&play);
    play_open(&play, plan);
    play_start(&play, 1);
}

/* What is said of the last event of a kind. */
static const struct str *words_of(enum event_kind kind)
{
    str_clear(&text);
    event_words(&play.state, play_last(&play, kind), &text);
    return &text;
}

static const struct str *json_of(enum event_kind kind)
{
    str_clear(&text);
    event_json(&play.state, 1, play_last(&play, kind), &text);
    return &text;
}

static void want(const struct str *in, const char *part)
{
    ck_assert_msg(strstr(str_text(in), part) != NULL, "'%s' is not in: %s", part, str_text(in));
}

START_TEST(test_E4_each_retry_says_attempt_max_delay_and_error)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    (void)snprintf(verdict.match, sizeof(verdict.match), "HTTP 429 Too Many Requests");
    play_exit(&play, "a", 1, verdict);
    ck_assert_str_eq(str_text(words_of(EVENT_WAIT_STARTED)),
                     "a try 1/4 GREEN [TRANSIENT RETRY] attempt 1/3 for taskId=a, "
                     "reason=API_RATE_LIMIT: waits 2 s, then try 2; error: HTTP 429 Too Many "
                     "Requests");

    want(json_of(EVENT_WAIT_STARTED), "\"attempt\":1,");
    want(&text, "\"delay_ms\":2000,");
    want(&text, "\"retry\":1,\"retries_max\":3,\"error\":\"HTTP 429 Too Many Requests\"");
}
END_TEST

static const char many_tries[] =
    "{'version':1,'idempotent':true,'policies':{'p':{'like':'default','max_attempts':10}},"
    "'tasks':[{'id':'a','steps':[{'policy':'p','run':['true']}]}]}";

/* The attempt fails with the same output as before, apart from what is masked. */
static void fail_alike(int attempt)
{
    play_input(&play, (struct input){.kind = INPUT_ENDED,
                                     .attempt = attempt,
                                     .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                                     .fingerprint = {.hi = 1, .lo = 2},
                                     .has_fact = true,
                                     .fact = {.bits = ENTROPY_FAILED | ENTROPY_MASKED,
                                              .raw = (uint64_t)attempt,
                                              .new_permille = attempt > 1 ? 0 : 1000,
                                              .lines = 4},
                                     .verdict = play_persistent(REASON_TEST_FAIL)});
    play_wait(&play, 60 * 1000);
}

START_TEST(test_a_suspected_loop_and_its_end_have_words_and_members)
{
    begin(many_tries);
    for (int i = 1; i <= 5; i++)
        fail_alike(i);
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);

    ck_assert_str_eq(str_text(words_of(EVENT_LOOP_SUSPECTED)),
                     "a try 3/10 GREEN may be looping: same result 3 times, "
                     "tries 1 to 3");
    want(json_of(EVENT_LOOP_SUSPECTED), "\"kind\":\"loop_suspected\",\"level\":\"info\"");
    want(&text, "\"rung\":\"repeat\",\"first_attempt\":1,\"last_attempt\":3,\"count\":3");
    want(&text, "\"why\":\"the same call with the same result, 3 times in a row\"");

    ck_assert_str_eq(str_text(words_of(EVENT_STEP_ENDED)),
                     "a try 5/10 GREEN entropy detected after 5 of 10 attempts in phase GREEN, "
                     "step a/1: exit 1: same result 5 times, tries 1 to 5");

    str_clear(&text);
    ck_assert(event_details(&play.state, play_last(&play, EVENT_ATTEMPT_ENDED), &text));
    want(&text, ", 5 equal in a row, new .00");
}
END_TEST

START_TEST(test_without_a_matched_line_the_error_is_how_it_ended)
{
    play_exit(&play, "a", 125, play_transient(TRANSIENT_RESOURCE_BUSY));
    want(words_of(EVENT_WAIT_STARTED), "; error: exit 125");
}
END_TEST

/* Starts that fail use up no try: only attempts that run show how many there may be. */
START_TEST(test_a_start_that_fails_is_no_try_of_so_many)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = START_DAEMON_DOWN};
    play_outcome(&play, "a", not_started, play_transient(TRANSIENT_DOCKER_SOCKET_UNAVAILABLE));
    ck_assert_int_eq(play.state.attempts, 0);
    want(words_of(EVENT_ATTEMPT_ENDED),
         "a try 1 GREEN not started: the container daemon does not answer");
    play_wait(&play, 60 * 1000);
    want(words_of(EVENT_ATTEMPT_STARTED), "a try 2 GREEN start 2/4: ");
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_int_eq(play.state.attempts, 1);
    want(words_of(EVENT_ATTEMPT_ENDED), "a try 2/5 GREEN exit 1");
}
END_TEST

static const char no_delay[] =
    "{'version':1,'idempotent':true,'policies':{'p':{'like':'default','base_delay_ms':3}},"
    "'tasks':[{'id':'a','steps':[{'policy':'p','run':['true']}]}]}";

START_TEST(test_a_tiny_wait_is_shown_as_at_once)
{
    begin(no_delay);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    want(words_of(EVENT_WAIT_STARTED), "reason=test-fail: at once, try 2; error: ");
}
END_TEST

static const char one_retry[] =
    "{'version':1,'idempotent':true,'policies':{'p':{'like':'transport','max_attempts':2,"
    "'jitter':0}},'tasks':[{'id':'a','steps':[{'policy':'p','run':['true']}]}]}";

START_TEST(test_a_free_wait_after_the_last_retry_is_not_past_the_most)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    begin(one_retry);
    play_exit(&play, "a", 1, verdict);
    play_wait(&play, 60000);
    verdict.retry_after_ms = 90000;
    play_exit(&play, "a", 1, verdict);
    want(words_of(EVENT_WAIT_STARTED), "attempt 2/2 for taskId=a");
    want(&text, ": waits 90 s (uses up no attempt), then try 3; error: ");
    want(json_of(EVENT_WAIT_STARTED), "\"retry\":2,\"retries_max\":2,");

    play_wait(&play, 90000);
    verdict.retry_after_ms = -1;
    play_exit(&play, "a", 1, verdict);
    want(words_of(EVENT_STEP_ENDED),
         "transient exhausted after 2 of 2 attempts (+1 free) in phase ");
}
END_TEST

START_TEST(test_starts_are_counted_as_starts)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = 24};
    for (int i = 0; i < 4; i++) {
        play_outcome(&play, "a", not_started, play_transient(TRANSIENT_RESOURCE_BUSY));
        play_wait(&play, 60000);
    }
    want(words_of(EVENT_ATTEMPT_STARTED), "start 4/4: true");
    want(words_of(EVENT_STEP_ENDED), "transient exhausted after 4 of 4 starts in phase GREEN");
}
END_TEST

START_TEST(test_a_recovery_says_who_and_after_what)
{
    play_crash(&play, play.event_count, true);
    want(words_of(EVENT_RUN_RECOVERED), "run continued by ");
    want(&text, ", after a reboot");
}
END_TEST

START_TEST(test_a_correction_leaves_the_first_verdict)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_input(&play, (struct input){.kind = INPUT_CONTROL,
                                     .control = {.verb = CONTROL_CORRECT,
                                                 .task = 0,
                                                 .step = -1,
                                                 .label = {.class = VERDICT_TRANSIENT,
                                                           .type = TRANSIENT_NETWORK_TIMEOUT},
                                                 .by = "ann"}});
    want(words_of(EVENT_CLASS_CORRECTED),
         "GREEN reclassified as NETWORK_TIMEOUT by ann; the original verdict is kept");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event");
    TCase *tcase = test_case(suite, "names");
    tcase_add_loop_test(tcase, test_number_and_name_stay, 0, TABLE_LEN(kinds));
    tcase_add_loop_test(tcase, test_unknown_kind, 0, TABLE_LEN(unknown));
    tcase_add_test(tcase, test_name_of_an_unknown_kind);
    tcase_add_test(tcase, test_every_kind_is_pinned);
    tcase_add_loop_test(tcase, test_outcome_has_its_name, 0, TABLE_LEN(outcomes));
    tcase_add_test(tcase, test_every_outcome_is_covered);
    tcase = test_case(suite, "records");
    tcase_add_checked_fixture(tcase, setup_record, teardown);
    tcase_add_loop_test(tcase, test_B6_a_record_of_each_kind_is_read_by_a_json_library,
                        EVENT_NONE + 1, EVENT_KIND_COUNT);
    tcase_add_test(tcase, test_B6_a_record_of_the_run_names_no_task);
    tcase_add_test(tcase, test_A5_the_end_of_a_step_has_its_members);
    tcase_add_test(tcase, test_numbers_are_exact);
    tcase_add_test(tcase, test_a_digest_is_hex);
    tcase_add_test(tcase, test_events_of_a_later_build_are_kept_or_left_out);
    tcase = test_case(suite, "words");
    tcase_add_checked_fixture(tcase, setup_words, teardown);
    tcase_add_test(tcase, test_E4_each_retry_says_attempt_max_delay_and_error);
    tcase_add_test(tcase, test_without_a_matched_line_the_error_is_how_it_ended);
    tcase_add_test(tcase, test_a_suspected_loop_and_its_end_have_words_and_members);
    tcase_add_test(tcase, test_a_tiny_wait_is_shown_as_at_once);
    tcase_add_test(tcase, test_a_start_that_fails_is_no_try_of_so_many);
    tcase_add_test(tcase, test_a_free_wait_after_the_last_retry_is_not_past_the_most);
    tcase_add_test(tcase, test_starts_are_counted_as_starts);
    tcase_add_test(tcase, test_a_recovery_says_who_and_after_what);
    tcase_add_test(tcase, test_a_correction_leaves_the_first_verdict);
    return suite;
}
