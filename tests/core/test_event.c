/* The kinds of events, and what a record and a line of the log say of them. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "event_text.h"
#include "json.h"
#include "outcome.h"
#include "play.h"
#include "test_main.h"

/* The names are in every log. A row may be added, none changed. */
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
    {40, "attempt_placed"},    {41, "host_state"},      {42, "contact_lost"},
    {43, "contact_found"},     {44, "job_state"},       {45, "after_ended"},
    {46, "day_cost"},
};

static const int64_t unknown[] = {
    INT64_MIN, -1, 0, EVENT_KIND_COUNT, EVENT_KIND_COUNT + 1, 1000, (int64_t)1 << 32, INT64_MAX,
};

START_TEST(test_number_and_name_stay)
{
    ck_assert(event_kind_is_known((enum event_kind)kinds[_i].number));
    ck_assert_str_eq(event_kind_name((enum event_kind)kinds[_i].number), kinds[_i].name);
    ck_assert_int_eq(event_kind_named(kinds[_i].name, strlen(kinds[_i].name)), kinds[_i].number);
}
END_TEST

START_TEST(test_unknown_kind)
{
    ck_assert(!event_kind_is_known((enum event_kind)unknown[_i]));
}
END_TEST

START_TEST(test_name_of_an_unknown_kind)
{
    ck_assert_str_eq(event_kind_name((enum event_kind)EVENT_KIND_COUNT), "?");
    ck_assert_str_eq(event_kind_name((enum event_kind)1000), "?");
    ck_assert_int_eq(event_kind_named("step_endeds", 11), EVENT_UNKNOWN);
    ck_assert_int_eq(event_kind_named("step_ende", 9), EVENT_UNKNOWN);
    ck_assert_int_eq(event_kind_named("", 0), EVENT_UNKNOWN);
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
    {OUTCOME_LOST, "lost"},
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
static struct str room; /* texts of the event that read_event() made last */
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
    str_done(&room);
    json_free(record);
    record = NULL;
}

/* The object of each kind with every field, in the order of the table, and none with its default.
 */
#define DIGEST_A "\"000000000000000100000000000000ab\""
#define LOOP                                                                                       \
    "\"loop\":{\"kind\":\"neutral\",\"call\":" DIGEST_A ",\"outcome\":" DIGEST_A                   \
    ",\"raw\":-5,\"bits\":3,\"gain\":\"line\",\"new_permille\":500,\"lines\":4}"
#define LOOP_FACTS                                                                                 \
    "\"period\":2,\"first_step\":0,\"last_step\":1,\"identity\":" DIGEST_A                         \
    ",\"masked\":true,\"poll\":true,\"masks\":3,\"why\":\"w\""
#define LIMITS                                                                                     \
    "\"used\":1,\"allowed\":2,\"own_retries\":3,\"same\":4,\"window\":5,\"same_stops\":6,"         \
    "\"unchanged_stops\":7,\"unchanged\":true,\"hint_cap_ms\":0,\"free_hints\":8,\"deadline_ms\":" \
    "9,"                                                                                           \
    "\"since_start_ms\":-10,\"held_ms\":11,\"interrupted\":12"
#define LABEL       "\"class\":\"transient\",\"type\":\"API_RATE_LIMIT\",\"reason\":\"test-fail\""
#define BY          ",\"by\":\"\\\"\\\\\xc3\xa4\\n\""
#define TREE(count) "{\"tree\":" DIGEST_A ",\"" count "\":3,\"bytes\":900719925474099,\"ms\":5}"
static const char *const full[] = {
    [EVENT_NONE] = "{}",
    [EVENT_RUN_STARTED] = "{\"jobs\":4" BY "}",
    [EVENT_RUN_ENDED] = "{\"exit_code\":3}",
    [EVENT_ATTEMPT_STARTED] = "{\"call\":" DIGEST_A ",\"start\":2}",
    [EVENT_ATTEMPT_PLACED] = "{\"executor\":\"lab\",\"host\":\"ann@gpu1\"}",
    [EVENT_ATTEMPT_RUNNING] = "{\"pid\":77,\"pid_start\":-9223372036854775808,\"slot\":1000,"
                              "\"port\":27992}",
    [EVENT_ATTEMPT_ENDED] =
        "{\"outcome\":\"signal\",\"code\":-9,\"ran_ms\":10,\"out_bytes\":9223372036854775807,"
        "\"err_bytes\":2,\"out_lines\":3,\"err_lines\":4,\"rss_kib\":5,\"cpu_ms\":6,\"processes_"
        "left\":7,"
        "\"fingerprint\":" DIGEST_A ",\"partial\":true,\"skipped_bytes\":8,"
        "\"start_error\":\"no \\u001b\",\"fails\":true,\"stop\":\"hopeless\","
        "\"proof\":\"fenced\",\"cause\":\"time limit\",\"quiet_ms\":9,"
        "\"own_retries\":10,\"own_wait_ms\":11,\"new_permille\":1000," LOOP "}",
    [EVENT_ATTEMPT_JUDGED] =
        "{" LABEL ",\"expectation\":\"wrong reason\",\"rule\":\"r\",\"subtype\":\"S\","
        "\"stream\":\"stderr\",\"offset\":1,\"line\":2,\"match\":\"m\\n\",\"retry_after_ms\":0,"
        "\"resume_at_ms\":3,\"hint_rule\":\"h\",\"near\":[{\"rule\":\"a\",\"why\":\"unless\"},"
        "{\"rule\":\"b\",\"why\":\"exit\",\"stream\":\"stdout\",\"offset\":9}],\"ask\":true,"
        "\"no_retry\":true,\"violations\":[\"one\",\"two \\u001b\"]}",
    [EVENT_WAIT_STARTED] =
        "{\"delay_ms\":10,\"due_at_ms\":-20,\"due_mono_ms\":30,\"exact_ms\":40,\"free\":true,"
        "\"retry_number\":2,\"factor\":1.5,\"hint_ms\":0,\"policy\":\"p\",\"base_ms\":1,"
        "\"multiplier\":0.5,"
        "\"cap_ms\":2,\"jitter\":0.25,\"full_jitter\":true," LIMITS "}",
    [EVENT_WAIT_ENDED] = "{\"skipped\":true" BY "}",
    [EVENT_STEP_ENDED] =
        "{\"decision\":\"needs you\",\"attempts\":3,\"entropy\":true,\"capture\":true,"
        "\"policy\":\"p\",\"phase\":\"RED\"," LIMITS ",\"round\":1,\"rounds\":2,\"of\":\"calls\","
        "\"rung\":\"cycle\",\"count\":3,\"first\":1,\"last\":2," LOOP_FACTS ",\"refused\":\"Bash\","
        "\"budget\":\"turns\",\"spent\":5,\"limit\":6}",
    [EVENT_STEP_REOPENED] = "{\"new_grant\":2,\"allowed\":3,\"scale\":2" BY "}",
    [EVENT_TASK_BLOCKED] = "{\"needs\":2}",
    [EVENT_TASK_HELD] = "{\"follows\":0" BY "}",
    [EVENT_TASK_RELEASED] = "{\"due_at_ms\":1,\"due_mono_ms\":2" BY "}",
    [EVENT_CANCEL_ASKED] = "{\"mode\":\"kill\"" BY "}",
    [EVENT_CONTROL_ANSWERED] =
        "{\"control\":5,\"done\":true,\"verb\":\"correct\",\"answer\":\"yes\"" BY "}",
    [EVENT_ATTEMPT_QUIET] = "{\"quiet_ms\":300}",
    [EVENT_ATTEMPT_HEARD] = "{}",
    [EVENT_NOTE] = "{\"note\":\"\xf0\x9f\x98\x80\"}",
    [EVENT_GATE_CLOSED] =
        "{\"source\":0,\"due_at_ms\":1,\"due_mono_ms\":2,\"limits\":3,\"chosen\":0" BY "}",
    [EVENT_GATE_OPENED] = "{\"source\":0,\"waiting\":1,\"spacing_ms\":2}",
    [EVENT_CLASS_CORRECTED] = "{" LABEL BY "}",
    [EVENT_RUN_RECOVERED] = "{\"rebooted\":true,\"jobs\":2,\"runs_again\":\"asked\"" BY "}",
    [EVENT_LOOP_SUSPECTED] =
        "{\"rung\":\"cycle\",\"first\":1,\"last\":2,\"count\":3,\"of_calls\":true,"
        "\"nudge\":\"stop\"," LOOP_FACTS "}",
    [EVENT_WORKSPACE_MADE] = "{\"workspace\":\"copy\",\"ms\":1,\"path\":\"/w\",\"base\":\"b\","
                             "\"branch\":\"c\",\"setup_ms\":2,\"copied\":3}",
    [EVENT_WORKSPACE_SAVED] = TREE("files"),
    [EVENT_WORKSPACE_RESET] = TREE("paths"),
    [EVENT_TREE_PROVEN] = TREE("files"),
    [EVENT_WORKSPACE_CHANGED] = "{\"paths\":1,\"added\":2,\"removed\":3,\"partial\":true,\"ms\":4,"
                                "\"why\":\"time\",\"changed\":[\"M a\",\"D b\"]}",
    [EVENT_RESULT_KEPT] = "{\"as_folder\":true,\"branch\":\"b\",\"commit\":\"c\",\"path\":\"/r\"}",
    [EVENT_SANDBOX_LACKS] = "{\"keys\":[\"pids\"],\"why\":\"no cgroup\"}",
    [EVENT_TIME_STOPPED] = "{\"ms\":1}",
    [EVENT_HOST_STATE] =
        "{\"executor\":\"lab\",\"host\":\"gpu1\",\"down\":true,\"why\":\"no route\","
        "\"nodes_up\":3,\"nodes_drain\":1,\"nodes_down\":2}",
    [EVENT_CONTACT_LOST] = "{\"since_at_ms\":1,\"since_mono_ms\":2,\"fence_at_ms\":3,"
                           "\"fence_mono_ms\":4}",
    [EVENT_CONTACT_FOUND] = "{\"from_byte\":9223372036854775807}",
    [EVENT_JOB_STATE] = "{\"state\":\"running\",\"job\":\"17\",\"holder\":\"devs-1\","
                        "\"reason\":\"Priority\",\"node\":\"n1\"}",
    [EVENT_AFTER_ENDED] = "{\"after\":\"failed\",\"code\":3,\"command\":\"gh pr create\","
                          "\"why\":\"no network\"}",
    [EVENT_DAY_COST] = "{\"date\":20261201,\"cost_micro\":5,\"own_micro\":3}",
    [EVENT_SECRETS_CUT] = "{\"count\":2,\"names\":{\"KEY\":2,\"a \\\"b\":0}}",
    [EVENT_AGENT_SESSION] = "{\"agent\":\"claude\",\"session\":\"s\",\"resumed\":true}",
    [EVENT_AGENT_USED] = "{\"turns\":1,\"calls\":2,\"cost_micro\":3,\"tokens\":4,"
                         "\"own_retries\":5,\"refused\":6,\"refused_call\":\"rm\"}",
    [EVENT_AGENT_CALL] = "{\"number\":1,\"tool\":\"Bash\",\"what\":\"make\",\"ms\":2,\"code\":3,"
                         "\"running\":true," LOOP "}",
    [EVENT_BUDGET] = "{\"resource\":\"wall_s\",\"used\":1,\"limit\":2,\"spent\":true}",
    [EVENT_ROUND_STARTED] = "{\"new_round\":2,\"from_step\":1,\"failed_step\":3,"
                            "\"failed_attempt\":4,\"prompt\":\"go\"}",
    [EVENT_TASK_ADDED] = "{\"number\":1,\"task\":{\"id\":\"b\"}}",
    [EVENT_HINT_GIVEN] = "{\"allowed\":5,\"hint\":\"look\"" BY "}",
};
static_assert(TABLE_LEN(full) == EVENT_KIND_COUNT, "every kind has an object");

static bool read_event(struct event *event, const char *json)
{
    const size_t len = strlen(json);
    str_clear(&room);
    str_reserve(&room, len);
    return event_read(event, json, len, &room);
}

static void want_object(const struct event *event, const char *want)
{
    char *object = event_object(event);
    ck_assert_str_eq(object, want);
    free(object);
}

/* The event as if it had been made here. */
static struct event made_of(enum event_kind kind, const char *json)
{
    struct event event = {.kind = kind, .task = -1, .step = -1};
    ck_assert_msg(read_event(&event, json), "%s", json);
    ck_assert_ptr_eq(event.data, json);
    want_object(&event, json);
    event.data = NULL;
    return event;
}

START_TEST(test_every_field_is_written_as_it_was_read)
{
    const struct event event = made_of((enum event_kind)_i, full[_i]);
    ck_assert(event_is_in_range(&event));
    want_object(&event, full[_i]);
    const struct event empty = event_new((enum event_kind)_i);
    struct event missing = {.kind = (enum event_kind)_i, .task = -1, .step = -1};
    /* Some fields have no default: which control was answered, which budget, ... */
    ck_assert(read_event(&missing, "{}") == event_is_in_range(&empty));
    if (!event_is_in_range(&empty))
        return;
    missing.data = NULL;
    char *want = event_object(&empty);
    want_object(&missing, want);
    free(want);
}
END_TEST

/* Every row of the table of fields is in the object above. */
START_TEST(test_every_field_is_tried)
{
    struct str table = {0};
    char *rest = NULL;
    int kind = EVENT_NONE;
    int fields = 0;
    event_fields_table(&table);
    for (char *row = strtok_r(table.data, "\n", &rest); row; row = strtok_r(NULL, "\n", &rest)) {
        char name[64];
        if (sscanf(row, "| | %60[a-z_] |", name) == 1) {
            struct str key = {0};
            str_addf(&key, "\"%s\":", name);
            ck_assert_msg(strstr(full[kind], key.data) != NULL, "%s: %s", name, full[kind]);
            str_done(&key);
            fields++;
        } else if (strncmp(row, "| kind ", 7) != 0 && strncmp(row, "|---", 4) != 0) {
            kind++;
            ck_assert_int_eq(strncmp(row + 2, event_kind_name((enum event_kind)kind),
                                     strlen(event_kind_name((enum event_kind)kind))),
                             0);
        }
    }
    ck_assert_int_eq(kind, EVENT_KIND_COUNT - 1);
    ck_assert_int_gt(fields, 100);
    str_done(&table);
}
END_TEST

static const struct {
    enum event_kind kind;
    const char *json;
} plain[] = {
    {EVENT_RUN_STARTED, "{\"jobs\":0}"},
    {EVENT_ATTEMPT_STARTED, "{}"},
    {EVENT_ATTEMPT_ENDED,
     "{\"outcome\":\"exit\",\"code\":0,\"ran_ms\":0,\"out_bytes\":0,\"err_bytes\":0}"},
    {EVENT_ATTEMPT_JUDGED, "{\"class\":\"success\"}"},
    {EVENT_WAIT_STARTED, "{\"delay_ms\":0,\"retry_number\":0}"},
    {EVENT_WAIT_ENDED, "{}"},
    {EVENT_TASK_HELD, "{}"},
    {EVENT_RUN_RECOVERED, "{}"},
    {EVENT_HINT_GIVEN, "{}"},
};

START_TEST(test_defaults_are_left_out)
{
    const struct event event = event_new(plain[_i].kind);
    want_object(&event, plain[_i].json);
}
END_TEST

START_TEST(test_a_new_event_has_its_defaults)
{
    ck_assert_int_eq(event_new(EVENT_TASK_HELD).held.follows, -1);
    ck_assert_int_eq(event_new(EVENT_GATE_CLOSED).gate_closed.chosen, -1);
    ck_assert_int_eq(event_new(EVENT_ATTEMPT_ENDED).ended.new_permille, -1);
    ck_assert_int_eq(event_new(EVENT_WAIT_STARTED).wait.delay.hint_ms, -1);
    ck_assert_int_eq((int)(event_new(EVENT_WAIT_STARTED).wait.delay.factor * 100), 100);
    ck_assert_int_eq(event_new(EVENT_NOTE).task, -1);
}
END_TEST

static const struct {
    enum event_kind kind;
    const char *json;
} invalid[] = {
    {EVENT_NOTE, ""},
    {EVENT_NOTE, "{"},
    {EVENT_NOTE, "[]"},
    {EVENT_NOTE, "1"},
    {EVENT_NOTE, "null"},
    {EVENT_NOTE, "{\"note\":"},
    {EVENT_NOTE, "{\"note\":\"x\"} x"},
    {EVENT_NOTE, "{\"note\":1}"},
    {EVENT_NOTE, "{\"note\":null}"},
    {EVENT_RUN_STARTED, "{\"jobs\":\"1\"}"},
    {EVENT_RUN_STARTED, "{\"jobs\":1.5}"},
    {EVENT_RUN_STARTED, "{\"jobs\":true}"},
    {EVENT_RUN_STARTED, "{\"jobs\":-1}"},
    {EVENT_RUN_STARTED, "{\"jobs\":1000001}"},
    {EVENT_RUN_STARTED, "{\"jobs\":4294967297}"},
    {EVENT_RUN_STARTED, "{\"jobs\":9223372036854775808}"},
    {EVENT_RUN_STARTED, "{\"by\":[]}"},
    {EVENT_WAIT_ENDED, "{\"skipped\":1}"},
    {EVENT_WAIT_ENDED, "{\"skipped\":\"true\"}"},
    {EVENT_WAIT_STARTED, "{\"factor\":\"1\"}"},
    {EVENT_WAIT_STARTED, "{\"factor\":-0.5}"},
    {EVENT_WAIT_STARTED, "{\"factor\":1e300}"},
    {EVENT_WAIT_STARTED, "{\"hint_ms\":-2}"},
    {EVENT_WAIT_STARTED, "{\"delay_ms\":-1}"},
    {EVENT_ATTEMPT_ENDED, "{\"outcome\":\"luck\"}"},
    {EVENT_ATTEMPT_ENDED, "{\"outcome\":0}"},
    {EVENT_ATTEMPT_ENDED, "{\"fingerprint\":\"0000000000000000000000000000000z\"}"},
    {EVENT_ATTEMPT_ENDED, "{\"fingerprint\":\"00\"}"},
    {EVENT_ATTEMPT_ENDED, "{\"fingerprint\":1}"},
    {EVENT_ATTEMPT_ENDED, "{\"new_permille\":1001}"},
    {EVENT_ATTEMPT_ENDED, "{\"new_permille\":-2}"},
    {EVENT_ATTEMPT_ENDED, "{\"loop\":1}"},
    {EVENT_ATTEMPT_ENDED, "{\"loop\":{\"gain\":\"luck\"}}"},
    {EVENT_ATTEMPT_ENDED, "{\"loop\":{\"bits\":8192}}"},
    {EVENT_ATTEMPT_ENDED, "{\"loop\":{\"new_permille\":1001}}"},
    {EVENT_AGENT_CALL, "{\"number\":0}"},
    {EVENT_AGENT_CALL, "{\"number\":10001}"},
    {EVENT_CONTROL_ANSWERED, "{\"verb\":\"\"}"},
    {EVENT_BUDGET, "{\"budget\":\"none\"}"},
    {EVENT_BUDGET, "{\"used\":-1}"},
    /* Invalid JSON that a scan for members would accept. */
    {EVENT_NOTE, "{\"x\":{]}"},
    {EVENT_NOTE, "{\"x\":[1,]}"},
    {EVENT_NOTE, "{\"x\":tru}"},
    {EVENT_NOTE, "{\"x\":nan}"},
    {EVENT_NOTE, "{\"note\":\"a\nb\"}"},
    {EVENT_NOTE, "{\"note\":\"\\q\"}"},
    {EVENT_NOTE, "{\"note\":\"\\u12\"}"},
    {EVENT_NOTE, "{\"note\":\"\\ud800\"}"},
    {EVENT_NOTE, "{\"note\":\"\xff\"}"},
    {EVENT_RUN_STARTED, "{\"jobs\":01}"},
    {EVENT_WAIT_STARTED, "{\"factor\":0x1}"},
    {EVENT_WAIT_ENDED, "{\"skipped\":tyes}"},
};

START_TEST(test_invalid_data_is_refused)
{
    struct event event = {.kind = invalid[_i].kind};
    ck_assert_msg(!read_event(&event, invalid[_i].json), "%s", invalid[_i].json);
}
END_TEST

/* An invalid escape would take more bytes decoded than encoded, so that the texts before it move.
 */
START_TEST(test_texts_stay_within_their_room)
{
    enum { ESCAPES = EVENT_DATA_MAX / 2 - 100 };
    struct str json = {0};
    struct event event = {.kind = EVENT_CONTROL_ANSWERED};
    str_add(&json,
            "{\"answer\":\"first\",\"control\":1,\"done\":true,\"verb\":\"retry\",\"by\":\"");
    for (int i = 0; i < ESCAPES; i++)
        str_add(&json, "\\u");
    str_add(&json, "\"}");
    str_clear(&room);
    str_reserve(&room, json.len + 1);
    const char *before = room.data;
    ck_assert(!event_read(&event, json.data, json.len, &room));
    ck_assert_ptr_eq(room.data, before);
    str_done(&json);
}
END_TEST

START_TEST(test_members_of_a_later_build_are_kept)
{
    static const char json[] = "{\"x\":[1,{\"jobs\":-1}],\"jobs\":2,\"later\":null}";
    struct event event = {.kind = EVENT_RUN_STARTED};
    ck_assert(read_event(&event, json));
    ck_assert_int_eq(event.run_started.jobs, 2);
    want_object(&event, json);
    event = (struct event){.kind = EVENT_UNKNOWN};
    ck_assert(read_event(&event, json));
    want_object(&event, json);
}
END_TEST

START_TEST(test_lists_may_be_empty)
{
    struct event event = event_new(EVENT_SANDBOX_LACKS);
    event.lacks.keys = "";
    want_object(&event, "{\"keys\":[]}");
    event = event_new(EVENT_SECRETS_CUT);
    event.secrets.names = "";
    want_object(&event, "{\"count\":0,\"names\":{}}");
    struct event read = {.kind = EVENT_SANDBOX_LACKS};
    ck_assert(read_event(&read, "{\"keys\":[\"\",\"\\nx\"]}"));
    ck_assert_ptr_null(read.lacks.keys);
    ck_assert(read_event(&read, "{\"keys\":[\"\",\"a\\nx\",\"b\"]}"));
    ck_assert_str_eq(read.lacks.keys, "a\nb");
}
END_TEST

static const struct {
    enum event_kind kind;
    const char *json;
} not_lists[] = {
    {EVENT_SANDBOX_LACKS, "{\"keys\":{\"a\":1}}"},
    {EVENT_SANDBOX_LACKS, "{\"keys\":[1]}"},
    {EVENT_SECRETS_CUT, "{\"names\":[\"a\"]}"},
    {EVENT_SECRETS_CUT, "{\"names\":{\"a\":-1}}"},
    {EVENT_SECRETS_CUT, "{\"names\":{\"a\":\"b\"}}"},
    {EVENT_WORKSPACE_CHANGED, "{\"changed\":[[\"M\",\"a\"]]}"},
};

START_TEST(test_invalid_lists_are_refused)
{
    struct event event = event_new(not_lists[_i].kind);
    ck_assert_msg(!read_event(&event, not_lists[_i].json), "%s", not_lists[_i].json);
}
END_TEST

START_TEST(test_numbers_of_an_event_have_ranges)
{
    struct event event = event_new(EVENT_RUN_STARTED);
    ck_assert(event_is_in_range(&event));
    event.run_started.jobs = -1;
    ck_assert(!event_is_in_range(&event));
    event = event_new(EVENT_ATTEMPT_ENDED);
    event.ended.outcome.kind = OUTCOME_KIND_COUNT;
    ck_assert(!event_is_in_range(&event));
    event = event_new(EVENT_WAIT_STARTED);
    event.wait.delay.factor = -1;
    ck_assert(!event_is_in_range(&event));
    event = event_new(EVENT_AGENT_CALL);
    event.call.number = 1;
    event.call.loop.new_permille = 1001;
    ck_assert(event_is_in_range(&event)); /* there is no step */
    event.call.has_loop = true;
    ck_assert(!event_is_in_range(&event));
}
END_TEST

/* Fills `text` with a text of this length. */
static const char *long_text(size_t len)
{
    str_clear(&text);
    for (size_t i = 0; i < len; i++)
        str_add_char(&text, 'x');
    return str_text(&text);
}

START_TEST(test_data_has_a_limit)
{
    enum { FRAME = sizeof("{\"note\":\"\"}") - 1 };
    for (int over = 0; over < 2; over++) {
        struct str json = {0};
        struct event event = {.kind = EVENT_NOTE};
        str_addf(&json, "{\"note\":\"%s\"}", long_text((size_t)(EVENT_DATA_MAX - FRAME + over)));
        ck_assert(read_event(&event, json.data) == (over == 0));
        event = event_new(EVENT_NOTE);
        event.note.note = str_text(&text);
        event_limit(&event);
        ck_assert((event.note.note != NULL) == (over == 0));
        str_done(&json);
    }
}
END_TEST

START_TEST(test_kept_texts_are_copies)
{
    struct str kept = {0};
    struct event event = event_new(EVENT_NOTE);
    event_keep(&event, &kept);
    ck_assert_ptr_null(event.note.note);
    event = made_of((enum event_kind)_i, full[_i]);
    char *want = event_object(&event);
    event_keep(&event, &kept);
    memset(room.data, '!', room.len);
    want_object(&event, want);
    free(want);
    str_done(&kept);
}
END_TEST

START_TEST(test_the_name_of_an_unknown_kind_is_kept)
{
    char name[] = "later";
    struct event_list list = {0};
    struct event event = {.kind = EVENT_UNKNOWN, .unknown = {.kind = name}, .data = "{}"};
    (void)event_list_add(&list, &event);
    name[0] = 'L';
    ck_assert_str_eq(list.items[0].unknown.kind, "later");
    ck_assert_str_eq(list.items[0].data, "{}");
    event_list_done(&list);
}
END_TEST

START_TEST(test_a_list_keeps_its_events)
{
    struct event_list list = {0};
    for (int kind = EVENT_NONE + 1; kind < EVENT_KIND_COUNT; kind++) {
        const struct event event = made_of((enum event_kind)kind, full[kind]);
        const struct event *kept = event_list_add(&list, &event);
        ck_assert_ptr_eq(kept, &list.items[list.count - 1]);
    }
    ck_assert_uint_eq(list.count, EVENT_KIND_COUNT - 1);
    for (size_t i = 0; i < list.count; i++)
        want_object(&list.items[i], full[i + 1]);
    event_list_drop(&list, 5);
    ck_assert_uint_eq(list.count, EVENT_KIND_COUNT - 6);
    for (size_t i = 0; i < list.count; i++)
        want_object(&list.items[i], full[i + 6]);
    for (int i = 0; i < 20; i++) {
        const struct event event = made_of(EVENT_NOTE, full[EVENT_NOTE]);
        want_object(event_list_add(&list, &event), full[EVENT_NOTE]);
    }
    event_list_drop(&list, list.count);
    ck_assert_uint_eq(list.count, 0);
    event_list_done(&list);
    ck_assert_ptr_null(list.items);
}
END_TEST

static void teardown_data(void)
{
    str_done(&room);
    str_done(&text);
}

/* Objects with all that a writer by hand can get wrong. */
static const char *const data[] = {
    "{\"by\":\"ann\",\"note\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u00e4\\ud83d\\ude00\"}",
    "{ \"by\" : \"\xc3\xa4\xe2\x82\xac\" , \"n\" : 2, \"allowed\" : 4,\n \"x\": [ 1 , -2.5e10 ] }",
    "{\"rule\":\"r\",\"match\":\"m\",\"exact\":900719925474099,\"deep\":{\"a\":[[],{}]}}",
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

/* Reads an event of the only step from `json`. */
static bool full_event(struct event *event, enum event_kind kind, const char *json)
{
    *event = (struct event){.seq = INT64_MAX,
                            .at = {.at_ms = 1795351693499, .mono_ms = 47562091},
                            .kind = kind,
                            .step = 0,
                            .round = 1,
                            .grant = 1,
                            .attempt = 1};
    return read_event(event, json);
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
    char *object = event_object(event);
    want_data(object);
    free(object);
}

START_TEST(test_B6_a_record_of_each_kind_is_read_by_a_json_library)
{
    const struct event empty = event_new((enum event_kind)_i);
    struct event event;
    ck_assert(full_event(&event, empty.kind, full[_i]));
    check_record(&event);
    event.data = NULL;
    check_record(&event);
    for (size_t i = 0; i < ARRAY_LEN(data); i++) {
        /* Kinds with a field that has no default cannot be read without it. */
        const bool is_read = full_event(&event, empty.kind, data[i]);
        ck_assert(is_read == event_is_in_range(&empty));
        if (!is_read)
            continue;
        check_record(&event);
        event.data = NULL;
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
        struct event event;
        ck_assert(full_event(&event, of_runs[i], full[of_runs[i]]));
        event.task = -1;
        event.step = -1;
        check_record(&event);
    }
}
END_TEST

/* A member of the record's data. */
static const struct json *of_data(const char *key)
{
    const struct json *member = json_get(json_get(record, "data"), key);
    ck_assert_msg(member != NULL, "%s in %s", key, line.data);
    return member;
}

START_TEST(test_numbers_are_exact)
{
    struct event event = event_new(EVENT_ATTEMPT_ENDED);
    event.task = event.step = 0;
    event.attempt = 1;
    event.ended.outcome = (struct outcome){.kind = OUTCOME_EXIT,
                                           .code = 255,
                                           .ran_ms = INT64_MAX,
                                           .bytes = {900719925474099, 0}}; /* no double holds it */
    check_record(&event);
    ck_assert_str_eq(json_text(of_data("outcome"), ""), outcome_kind_name(OUTCOME_EXIT));
    ck_assert_int_eq(json_i64(of_data("code"), 0), 255);
    ck_assert_int_eq(json_i64(of_data("ran_ms"), 0), INT64_MAX);
    ck_assert_int_eq(json_i64(of_data("out_bytes"), 0), 900719925474099);
    ck_assert_int_eq(json_i64(of_data("err_bytes"), 1), 0);
    event = event_new(EVENT_AGENT_USED);
    event.used.used.cost_micro = INT64_MIN;
    write_record(&event);
    ck_assert_int_eq(json_i64(of_data("cost_micro"), 0), INT64_MIN);
}
END_TEST

START_TEST(test_a_digest_is_hex)
{
    struct event event = event_new(EVENT_TREE_PROVEN);
    event.tree.tree = (struct digest){.hi = UINT64_MAX, .lo = 15};
    write_record(&event);
    ck_assert_str_eq(json_text(of_data("tree"), ""), "ffffffffffffffff000000000000000f");
}
END_TEST

START_TEST(test_events_of_a_later_build_are_kept_or_left_out)
{
    struct event event = {.kind = EVENT_UNKNOWN,
                          .task = -1,
                          .step = -1,
                          .unknown.kind = "task_split",
                          .data = "{\"new\": 1}"};
    write_record(&event);
    want_text("kind", "task_split");
    want_text("message", "?task_split");
    ck_assert_int_eq(json_i64(of_data("new"), 0), 1);
    event.data = "{\"new\": ";
    write_record(&event);
    ck_assert_ptr_null(json_get(record, "data"));
    want_text("level", "info");
}
END_TEST

/* How the last attempt of a step ended, as members of their own. */
START_TEST(test_A5_the_end_of_a_step_has_its_members)
{
    const struct event ended = {
        .kind = EVENT_STEP_ENDED,
        .task = 0,
        .step = 0,
        .attempt = 1,
        .step_ended = {.decision = DECISION_TRANSIENT_EXHAUSTED, .attempts = 1}};
    write_record(&ended);
    ck_assert_str_eq(json_text(of_data("decision"), ""), "transient exhausted");
    want_text("call", "a/1");
    want_text("type", "API_RATE_LIMIT");
    want_number("exit_code", 1);
    ck_assert_int_eq(json_i64(of_data("attempts"), 0), 1);
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
    want(
        &text,
        "\"retry\":1,\"retries_max\":3,\"delay_ms\":2000,\"error\":\"HTTP 429 Too Many Requests\"");
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
    want(&text, "\"rung\":\"repeat\",\"first\":1,\"last\":3,\"count\":3");
    want(&text, "\"why\":\"the same call with the same result, 3 times in a row\"");

    ck_assert_str_eq(str_text(words_of(EVENT_STEP_ENDED)),
                     "a try 5/10 GREEN entropy detected after 5 of 10 attempts in phase GREEN, "
                     "step a/1: exit 1: same result 5 times, tries 1 to 5");

    str_clear(&text);
    ck_assert(event_details(&play.state, play_last(&play, EVENT_ATTEMPT_ENDED), &text));
    want(&text, ", 5 in a row, new .00");
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
    want(&text, ": waits 90 s (does not count as an attempt), then try 3; error: ");
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
    play_crash(&play, play.events.count, true);
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
    tcase = test_case(suite, "data");
    tcase_add_checked_fixture(tcase, NULL, teardown_data);
    tcase_add_loop_test(tcase, test_every_field_is_written_as_it_was_read, EVENT_NONE,
                        EVENT_KIND_COUNT);
    tcase_add_test(tcase, test_every_field_is_tried);
    tcase_add_loop_test(tcase, test_defaults_are_left_out, 0, TABLE_LEN(plain));
    tcase_add_test(tcase, test_a_new_event_has_its_defaults);
    tcase_add_loop_test(tcase, test_invalid_data_is_refused, 0, TABLE_LEN(invalid));
    tcase_add_test(tcase, test_texts_stay_within_their_room);
    tcase_add_test(tcase, test_members_of_a_later_build_are_kept);
    tcase_add_test(tcase, test_lists_may_be_empty);
    tcase_add_loop_test(tcase, test_invalid_lists_are_refused, 0, TABLE_LEN(not_lists));
    tcase_add_test(tcase, test_numbers_of_an_event_have_ranges);
    tcase_add_test(tcase, test_data_has_a_limit);
    tcase_add_loop_test(tcase, test_kept_texts_are_copies, EVENT_NONE, EVENT_KIND_COUNT);
    tcase_add_test(tcase, test_the_name_of_an_unknown_kind_is_kept);
    tcase_add_test(tcase, test_a_list_keeps_its_events);
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
