#include <stdio.h>
#include <string.h>

#include "event_text.h"
#include "json.h"
#include "outcome.h"
#include "play.h"
#include "test_main.h"

static struct play play;
static struct str line, words;
static struct json *record;

/* A source for the gates, and a name that JSON has to escape. */
static const char plan[] =
    "{\"version\":1,\"idempotent\":true,\"policies\":{\"p\":{\"like\":\"transport\","
    "\"jitter\":0}},\"tasks\":[{\"id\":\"a\",\"title\":\"\\\"x\\\" \\u00e4\\u0007\",\"steps\":"
    "[{\"phase\":\"GREEN\",\"policy\":\"p\",\"source\":\"s\",\"run\":[\"printf\",\"\\u00e4 "
    "\\\"%s\\\"\\n\\u001b\",\"\\ud83d\\ude00\"]}]}]}";

static void setup(void)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    (void)snprintf(verdict.match, sizeof(verdict.match), "429 \"Too\\Many\"\t\x01 \xc3\xa4 \xff");
    play_open(&play, plan);
    play_start(&play, 1);
    play_exit(&play, "a", 1, verdict);
    line = (struct str){0};
    words = (struct str){0};
    record = NULL;
}

static void teardown(void)
{
    play_close(&play);
    str_done(&line);
    str_done(&words);
    json_free(record);
}

/* Texts with all that a writer by hand can get wrong; each is the "text" of an event. */
static const char *const texts[] = {
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

/* The member is there and is this. */
static void want_text(const char *key, const char *want)
{
    const char *text = json_text(json_get(record, key), NULL);
    ck_assert_msg(text != NULL, "%s in %s", key, line.data);
    ck_assert_str_eq(text, want);
}

/* The words, as JSON can hold them: a byte that is no UTF-8 is U+FFFD. */
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

static void want_data(const char *text)
{
    struct str want = {0};
    struct str got = {0};
    struct json *tree = NULL;
    ck_assert(json_parse(text, strlen(text), &tree, NULL, NULL));
    json_write(&want, tree);
    json_write(&got, json_get(record, "data"));
    ck_assert_str_eq(got.data, want.data);
    json_free(tree);
    str_done(&want);
    str_done(&got);
}

static struct event full_event(enum event_kind kind, const char *text)
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
                          .text = text};
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
    for (size_t i = 0; i <= ARRAY_LEN(texts); i++) {
        struct event event = full_event((enum event_kind)_i, i == 0 ? NULL : texts[i - 1]);
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
        struct event event = full_event(of_runs[i], texts[0]);
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

START_TEST(test_what_a_later_build_wrote_is_kept_or_left_out)
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

Suite *test_suite(void)
{
    Suite *suite = suite_create("event_json");
    TCase *tcase = test_case(suite, "event_json");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_B6_a_record_of_each_kind_is_read_by_a_json_library,
                        EVENT_NONE + 1, EVENT_KIND_COUNT);
    tcase_add_test(tcase, test_B6_a_record_of_the_run_names_no_task);
    tcase_add_test(tcase, test_A5_the_end_of_a_step_has_its_members);
    tcase_add_test(tcase, test_numbers_are_exact);
    tcase_add_test(tcase, test_a_digest_is_hex);
    tcase_add_test(tcase, test_what_a_later_build_wrote_is_kept_or_left_out);
    return suite;
}
