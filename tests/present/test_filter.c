/* Which tasks people find, in a run that the real core plays; and which records they want. */
#include "filter.h"

#include <stdio.h>
#include <string.h>

#include "play.h"
#include "test_main.h"

enum { SECOND = 1000 };

static const char plan_json[] =
    "{'version':1,'idempotent':true,'policies':{'p':{'like':'default','max_attempts':6,"
    "'base_delay_ms':15000,'multiplier':2,'cap_ms':300000,'jitter':'none','window':0}},'tasks':["
    "{'id':'T-1','title':'cart: merge','steps':[{'run':['x'],'policy':'p'}]},"
    "{'id':'T-2','title':'mail: a=b rounding','steps':[{'run':['x'],'policy':'p'}]},"
    "{'id':'T-3','title':'Docs','steps':[{'run':['x'],'policy':'p'}]},"
    "{'id':'T-4','title':'tax','steps':[{'run':['x'],'policy':'p'}]},"
    "{'id':'T-5','title':'last','steps':[{'run':['x'],'policy':'p'}]}]}";

static struct play play;
static struct task_filter_facts facts;

/* T-1 passed, T-2 failed twice and waits, T-3 waits for a network, T-4 runs, T-5 is queued. */
static void set_up(void)
{
    play_open(&play, plan_json);
    play_start(&play, 4);
    play_control(&play, CONTROL_HOLD, "T-5", CANCEL_STOP);
    play_exit(&play, "T-1", 0, play_passed());
    play_exit(&play, "T-2", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(&play, 20 * SECOND);
    play_exit(&play, "T-2", 7, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_exit(&play, "T-3", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(&play, 5 * SECOND);
    facts = (struct task_filter_facts){.state = &play.state, .now = play.now};
}

static void tear_down(void)
{
    play_close(&play);
}

/* "2 3": the tasks that fit. */
static const char *found(const char *text)
{
    static char out[32];
    struct task_filter filter;
    size_t len = 0;
    out[0] = '\0';
    task_filter_read(text, &filter);
    for (int i = 0; i < play.state.plan->task_count; i++) {
        if (task_filter_fits(&filter, &facts, i))
            len +=
                (size_t)snprintf(out + len, sizeof(out) - len, "%s%d", len > 0 ? " " : "", i + 1);
    }
    return out;
}

static const struct {
    const char *text, *want;
} rows[] = {
    {"", "1 2 3 4 5"},
    {"   ", "1 2 3 4 5"},
    {"cart", "1"},
    {"CART", "1"},
    {"T-3", "3"},
    {"docs", "3"},
    {"!docs", "1 2 4 5"},
    {"state=backoff", "2 3"},
    {"state=back", "2 3"},
    {"!state=backoff", "1 4 5"},
    {"state!=backoff", "1 4 5"},
    {"!state!=backoff", "2 3"},
    {"backoff", "2 3"},
    {"state=", "1 2 3 4 5"},
    {"state=held", "5"},
    {"class=rate-limit", "2"},
    {"class=rate*", "2"},
    {"class=*limit", "2"},
    {"class=limit*", ""},
    {"class=*e*t*", "2 3"},
    {"class!=network", "1 2 4 5"},
    {"class=network state=backoff", "3"},
    {"id=T-4", "4"},
    {"id=t-4", "4"},
    {"title=\"a=b round\"", "2"},
    {"title=T-4", ""},
    {"phase=GREEN", "1 2 3 4 5"},
    {"phase=g", "1 2 3 4 5"},
    {"phase=RED", ""},
    {"phase!=RED", "1 2 3 4 5"},
    {"try=0", "5"},
    {"try=1", "1 3 4"},
    {"try>1", "2"},
    {"try>=1", "1 2 3 4"},
    {"try<2", "1 3 4 5"},
    {"try<=1", "1 3 4 5"},
    {"try!=1", "2 5"},
    {"!try=1", "2 5"},
    {"exit=7", "2"},
    {"exit!=0", "2 3"},
    {"exit>1", "2"},
    {"exit=0", "1"},
    {"exit<-1", ""},
    {"new<0.1", ""}, /* it is not known of any */
    {"new>=0", ""},
    {"waited>10s", "2"},
    {"waited>=0:20", "2"},
    {"waited=25", "2"},
    {"waited>1m", ""},
    {"waited<1h", "1 2 3 4 5"},
    {"a=b", "2"}, /* no field, but words of a title */
    {"try>x", ""},
    {"=", "2"},
    {"!", "1 2 3 4 5"}, /* more is to come */
    {"\"", "1 2 3 4 5"},
    {"phase=\"GREEN \"", ""},
    {"phase=\"GREEN x\"", ""},
    {"!=", ""},
};

START_TEST(test_filter_finds)
{
    ck_assert_msg(strcmp(found(rows[_i].text), rows[_i].want) == 0, "'%s' finds %s, not %s",
                  rows[_i].text, found(rows[_i].text), rows[_i].want);
}
END_TEST

static const struct {
    const char *text, *want;
} wrong[] = {
    {"cart try>2", NULL},
    {"clas=x", "unknown field 'clas', did you mean class?"},
    {"foo=x",
     "unknown field 'foo'; expected one of id title state class where phase try exit new waited"},
    {"try>x", "try>x: try takes a number, such as try>2"},
    {"waited>1week", "waited>1week: waited takes a time, such as waited>1m"},
    {"new<.x", "new<.x: new takes a share, such as new<.1"},
    {"phase=\"RED \"", "phase=RED : phase takes RED, GREEN, VERIFY or REFACTOR"},
    {"phase=BLUE", "phase=BLUE: phase takes RED, GREEN, VERIFY or REFACTOR"},
    {"state>backoff", "state>backoff: state takes = or != and a state"},
    {"try>99999999999", "try>99999999999: try takes a number, such as try>2"},
    {"try>", NULL},
};

/* "failed" and "error" are no states, but what a person means by needs-you, stuck and gave-up. */
START_TEST(test_filter_knows_words_for_failures)
{
    play_control(&play, CONTROL_CANCEL, "T-3", CANCEL_STOP);
    while (!task_status_is_final(play.state.tasks[3].status)) {
        play_exit(&play, "T-4", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
        play_wait(&play, 60 * SECOND);
    }
    facts.now = play.now;
    static const char *const words[] = {"gave-up", "failed", "fail",        "failure",
                                        "Error",   "errors", "state=failed"};
    for (int i = 0; i < TABLE_LEN(words); i++)
        ck_assert_msg(strcmp(found(words[i]), "4") == 0, "'%s' finds %s", words[i],
                      found(words[i]));
    ck_assert_str_eq(found("!failed"), "1 2 3 5");
    ck_assert_str_eq(found("err"), "");
    ck_assert_str_eq(found("class=failed"), "");
}
END_TEST

START_TEST(test_filter_says_what_is_wrong)
{
    struct task_filter filter;
    struct str out = {0};
    task_filter_read(wrong[_i].text, &filter);
    ck_assert_int_eq(task_filter_wrong(&filter, &out), wrong[_i].want != NULL);
    ck_assert_str_eq(str_text(&out), wrong[_i].want ? wrong[_i].want : "");
    str_done(&out);
}
END_TEST

static const struct {
    const char *text, *kind, *value;
    int count, from;
} near[] = {
    {"class=rate-limt", "class", "rate-limit", 1, 0},
    {"T state=bakoff", "state", "backoff", 2, 2},
    {"runing", "state", "running", 1, 0},
    {"phase=GREN", "phase", "GREEN", 5, 0},
    {"class=zzzz", NULL, "", 0, 0},
    {"!class=rate-limt", NULL, "", 0, 0},
    {"T-1", NULL, "", 0, 0},
};

START_TEST(test_filter_names_the_nearest)
{
    struct task_filter filter;
    struct task_filter_near out;
    task_filter_read(near[_i].text, &filter);
    task_filter_nearest(&filter, &facts, &out);
    ck_assert_int_eq(out.kind != NULL, near[_i].kind != NULL);
    if (!near[_i].kind)
        return;
    ck_assert_str_eq(out.kind, near[_i].kind);
    ck_assert_str_eq(out.value, near[_i].value);
    ck_assert_int_eq(out.count, near[_i].count);
    ck_assert_int_eq(out.from, near[_i].from);
}
END_TEST

START_TEST(test_filter_has_limits)
{
    char text[1024];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    struct task_filter filter;
    task_filter_read(text, &filter);
    ck_assert_int_eq(filter.count, 1);
    for (size_t i = 1; i < sizeof(text) - 1; i += 2)
        text[i] = ' ';
    task_filter_read(text, &filter);
    ck_assert_int_eq(filter.count, TASK_FILTER_WORDS_MAX);
}
END_TEST

/* Which records are wanted. */
static struct record_filter filter;
static struct err err;

/* "a" meets a limit once and passes, "b" fails for good; "c" needs it. */
static const char records_plan[] =
    "{'version':1,'idempotent':true,'policies':{'p':{'like':'transport','jitter':0}},'tasks':["
    "{'id':'a','steps':[{'phase':'GREEN','policy':'p','run':['true']}]},"
    "{'id':'b','steps':[{'phase':'RED','policy':'p','run':['true']}]},"
    "{'id':'c','needs':['b'],'steps':[{'run':['true']}]}]}";

static void setup_records(void)
{
    filter = (struct record_filter){.level = EVENT_LEVEL_DEBUG};
    err = (struct err){0};
    play_open(&play, records_plan);
    play_start(&play, 2);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_API_RATE_LIMIT));
    play_exit(&play, "b", 1, play_persistent(REASON_TEST_FAIL));
    play_wait(&play, 60 * 1000);
    play_exit(&play, "a", 0, play_passed());
}

static void teardown_records(void)
{
    record_filter_done(&filter);
    play_close(&play);
}

static bool passes(const struct event *event)
{
    struct str words = {0};
    event_words(&play.state, event, &words);
    bool fits = record_filter_wants(&filter, &play.state, event) &&
                record_filter_finds(&filter, str_text(&words), words.len);
    str_done(&words);
    return fits;
}

static int count_wanted(void)
{
    int count = 0;
    for (size_t i = 0; i < play.events.count; i++)
        count += passes(&play.events.items[i]);
    return count;
}

static bool wants_kind(enum event_kind kind)
{
    return passes(play_last(&play, kind));
}

START_TEST(test_an_empty_filter_wants_all)
{
    ck_assert_int_eq(count_wanted(), (int)play.events.count);
}
END_TEST

START_TEST(test_the_level_is_the_least_important_that_is_wanted)
{
    filter.level = EVENT_LEVEL_ERROR;
    ck_assert_int_eq(count_wanted(), 2); /* b gave up, c is blocked */
    ck_assert(wants_kind(EVENT_TASK_BLOCKED));
    filter.level = EVENT_LEVEL_INFO;
    ck_assert(wants_kind(EVENT_ATTEMPT_STARTED));
}
END_TEST

START_TEST(test_several_tasks_and_kinds_are_wanted_together)
{
    ck_assert(record_filter_add_task(&filter, "b", &err));
    ck_assert(record_filter_add_task(&filter, "c", &err));
    ck_assert(wants_kind(EVENT_TASK_BLOCKED));
    ck_assert(!wants_kind(EVENT_WAIT_STARTED));
    ck_assert(!wants_kind(EVENT_RUN_STARTED)); /* of no task */
    ck_assert(record_filter_add_kind(&filter, "step_ended", &err));
    ck_assert_int_eq(count_wanted(), 1);
    ck_assert(record_filter_add_kind(&filter, "task_blocked", &err));
    ck_assert_int_eq(count_wanted(), 2);
}
END_TEST

START_TEST(test_the_bounds_belong_to_what_is_wanted)
{
    const struct event *wait = play_last(&play, EVENT_WAIT_STARTED);
    filter.since.seq = wait->seq;
    filter.until.seq = wait->seq;
    ck_assert_int_eq(count_wanted(), 1);
    filter.since = (struct record_bound){.at_ms = play_last(&play, EVENT_WAIT_ENDED)->at.at_ms};
    filter.until = (struct record_bound){0};
    ck_assert(wants_kind(EVENT_WAIT_ENDED));
    ck_assert(!wants_kind(EVENT_RUN_STARTED));
    filter.until = filter.since;
    filter.since = (struct record_bound){0};
    filter.until.at_ms--;
    ck_assert(!wants_kind(EVENT_WAIT_ENDED));
    ck_assert(wants_kind(EVENT_RUN_STARTED));
}
END_TEST

START_TEST(test_a_pattern_is_looked_for_in_the_words)
{
    ck_assert(record_filter_set_search(&filter, "TRANSIENT RETRY.*taskId=a\\b", &err));
    ck_assert_int_eq(count_wanted(), 1);
    ck_assert(record_filter_set_search(&filter, "(?i)transient retry", &err)); /* another one */
    ck_assert_int_eq(count_wanted(), 1);
    ck_assert(!record_filter_set_search(&filter, "(", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

START_TEST(test_a_pattern_that_takes_too_long_does_not_match)
{
    enum { LETTERS = 4000 };
    char words[LETTERS];
    memset(words, 'a', sizeof(words));
    ck_assert(record_filter_set_search(&filter, "(a+)+b", &err));
    ck_assert(!record_filter_finds(&filter, words, sizeof(words)));
}
END_TEST

START_TEST(test_an_unknown_kind_has_a_suggestion)
{
    ck_assert(!record_filter_add_kind(&filter, "wait_start", &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.hint, "did you mean wait_started?");
    err = (struct err){0};
    ck_assert(!record_filter_add_kind(&filter, "", &err));
    ck_assert_ptr_nonnull(strstr(err.hint, "docs/run-log.md"));
}
END_TEST

START_TEST(test_tasks_have_a_limit)
{
    char id[PLAN_ID_MAX + 2];
    for (int i = 0; i < RECORD_TASKS_MAX; i++) {
        (void)snprintf(id, sizeof(id), "t%d", i);
        ck_assert(record_filter_add_task(&filter, id, &err));
    }
    ck_assert(!record_filter_add_task(&filter, "more", &err));
    memset(id, 'x', sizeof(id) - 1);
    id[sizeof(id) - 1] = '\0';
    ck_assert(!record_filter_add_task(&filter, id, &err));
    ck_assert(!record_filter_add_task(&filter, "", &err));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("filter");
    TCase *tcase = test_case(suite, "tasks");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_test(tcase, test_filter_knows_words_for_failures);
    tcase_add_loop_test(tcase, test_filter_finds, 0, TABLE_LEN(rows));
    tcase_add_loop_test(tcase, test_filter_names_the_nearest, 0, TABLE_LEN(near));
    tcase = test_case(suite, "text");
    tcase_add_loop_test(tcase, test_filter_says_what_is_wrong, 0, TABLE_LEN(wrong));
    tcase_add_test(tcase, test_filter_has_limits);
    tcase = test_case(suite, "records");
    tcase_add_checked_fixture(tcase, setup_records, teardown_records);
    tcase_add_test(tcase, test_an_empty_filter_wants_all);
    tcase_add_test(tcase, test_the_level_is_the_least_important_that_is_wanted);
    tcase_add_test(tcase, test_several_tasks_and_kinds_are_wanted_together);
    tcase_add_test(tcase, test_the_bounds_belong_to_what_is_wanted);
    tcase_add_test(tcase, test_a_pattern_is_looked_for_in_the_words);
    tcase_add_test(tcase, test_a_pattern_that_takes_too_long_does_not_match);
    tcase_add_test(tcase, test_an_unknown_kind_has_a_suggestion);
    tcase_add_test(tcase, test_tasks_have_a_limit);
    return suite;
}
