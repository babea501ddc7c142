/*
 * What people read of waits, ends, evidence, gates and of what lies ahead: of runs that the real
 * core plays.
 */
#include <stdio.h>
#include <string.h>

#include "attr.h"
#include "play.h"
#include "rows.h"
#include "shown.h"
#include "test_main.h"

enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

/* One step of a policy, which is like `sandbox` and says more. */
#define PLAN_OF(policy)                                                                            \
    "{'version':1,'idempotent':true,'policies':{'p':{'like':'default'" policy                      \
    "}},'tasks':[{'id':'a','steps':[{'run':['x'],'policy':'p'}]},"                                 \
    "{'id':'b','steps':[{'run':['x'],'policy':'p'}]},"                                             \
    "{'id':'c','steps':[{'run':['x'],'policy':'p'}]}]}"

#define PLAIN                                                                                      \
    ",'max_attempts':6,'base_delay_ms':15000,'multiplier':2,'cap_ms':300000,'jitter':'none',"      \
    "'window':0"

static struct play play;
static struct str text;

static const char *fake_clock(int64_t at_ms, int64_t now_ms, char out[SHOWN_CLOCK_MAX])
{
    (void)snprintf(out, SHOWN_CLOCK_MAX, "+%lldm", (long long)((at_ms - now_ms) / MINUTE));
    return out;
}

static const char *fake_hms(int64_t at_ms, char out[SHOWN_CLOCK_MAX])
{
    (void)snprintf(out, SHOWN_CLOCK_MAX, "@%lld", (long long)(at_ms / SECOND));
    return out;
}

static void open(const char *plan, int jobs)
{
    play_open(&play, plan);
    play_start(&play, jobs);
}

static void teardown(void)
{
    str_done(&text);
    play_close(&play);
}

static struct step_state *step_of(const char *id)
{
    return run_state_step(&play.state, play_task(&play, id));
}

static const char *formula(const char *id)
{
    str_clear(&text);
    shown_formula(step_of(id), &text);
    return str_text(&text);
}

static const char *end_of(const char *id)
{
    str_clear(&text);
    shown_ending(&play.state, play_task(&play, id), &text);
    return str_text(&text);
}

static const char *next_of(const char *id)
{
    const struct shown_time time = {.now = play.now, .clock = fake_clock, .hms = fake_hms};
    str_clear(&text);
    shown_next(&play.state, play_task(&play, id), false, &time, &text);
    return str_text(&text);
}

static const char *try_of(const char *id)
{
    str_clear(&text);
    shown_try(&play.state, play_task(&play, id), &text);
    return str_text(&text);
}

static const char *why_of(const char *id)
{
    str_clear(&text);
    shown_why(&play.state, play_task(&play, id), &text);
    return str_text(&text);
}

static const char *gates(bool is_brief)
{
    const struct shown_look look = {.time = {.now = play.now, .clock = fake_clock, .hms = fake_hms},
                                    .is_brief = is_brief};
    struct rows rows = {0};
    str_clear(&text);
    rows_gates(&rows, &play.state, &look);
    str_add(&text, rows_value(&rows, "gate"));
    rows_done(&rows);
    return str_text(&text);
}

static const char *now_of(const char *id, const char *release)
{
    const struct shown_look look = {.time = {.now = play.now, .clock = fake_clock, .hms = fake_hms},
                                    .release = release};
    str_clear(&text);
    shown_now(&play.state, play_task(&play, id), &look, &text);
    return str_text(&text);
}

static void fail_and_wait(int times)
{
    for (int i = 0; i < times; i++) {
        play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
        if (i < times - 1)
            play_wait(&play, step_of("a")->due.mono_ms - play.now.mono_ms);
    }
}

static struct verdict hinted(enum transient_type type, int64_t ms)
{
    struct verdict verdict = play_transient(type);
    verdict.retry_after_ms = ms;
    (void)snprintf(verdict.hint_rule, sizeof(verdict.hint_rule), "http.retry-after");
    return verdict;
}

static const struct {
    const char *name, *plan;
    int failures;
    const char *want;
} formulas[] = {
    {"the first wait", PLAN_OF(PLAIN), 1, "15 s, cap 5:00"},
    {"the third wait", PLAN_OF(PLAIN), 3, "15 s x2^2 = 60 s, cap 5:00"},
    {"the cap cuts",
     PLAN_OF(",'max_attempts':6,'base_delay_ms':500,'multiplier':10,'cap_ms':30000,"
             "'jitter':'none','window':0"),
     3, "0.5 s x10^2, limited to 30 s, cap 30 s"},
};

START_TEST(test_formula)
{
    open(formulas[_i].plan, 3);
    fail_and_wait(formulas[_i].failures);
    ck_assert_msg(strcmp(formula("a"), formulas[_i].want) == 0, "%s: %s", formulas[_i].name,
                  formula("a"));
}
END_TEST

static const struct {
    const char *json, *words;
} jitters[] = {{"0.25", ", jitter "}, {"'full'", ", full jitter "}};

/* The shown time is the time that is waited. */
START_TEST(test_formula_tells_the_factor_of_the_jitter)
{
    char plan[2048];
    struct str seconds = {0};
    (void)snprintf(plan, sizeof(plan),
                   PLAN_OF(",'base_delay_ms':60000,'cap_ms':300000,'jitter':%s"), jitters[_i].json);
    open(plan, 1);
    fail_and_wait(1);
    const char *said = strstr(formula("a"), jitters[_i].words);
    ck_assert_msg(said != NULL, "%s", formula("a"));
    str_add(&seconds, " -> ");
    shown_seconds(step_state_formulas(step_of("a"))->delay.delay_ms, &seconds);
    str_add(&seconds, ", cap 5:00");
    ck_assert_msg(strstr(said, seconds.data) != NULL, "no %s: %s", seconds.data, said);
    str_done(&seconds);
}
END_TEST

START_TEST(test_formula_tells_the_hint_and_that_it_is_free)
{
    open(PLAN_OF(PLAIN), 3);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_OVERLOADED, 90 * SECOND));
    ck_assert_str_eq(
        formula("a"),
        "15 s, cap 5:00; the server requested 90 s (http.retry-after); does not count as a try");
    play_wait(&play, 90 * SECOND);
    ck_assert_str_eq(formula("a"), "");
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_OVERLOADED, SECOND));
    ck_assert_ptr_nonnull(
        strstr(formula("a"),
               "; the server requested only 1 s (http.retry-after); does not count as a try"));
    play_wait(&play, step_of("a")->due.mono_ms - play.now.mono_ms);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_OVERLOADED, 90 * SECOND));
    ck_assert_ptr_nonnull(strstr(formula("a"), "the server requested 90 s"));
    ck_assert_ptr_null(strstr(formula("a"), "does not count as a try"));
}
END_TEST

START_TEST(test_long_wait_for_a_server_ends_at_a_time_of_day)
{
    open(PLAN_OF(PLAIN), 3);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_OVERLOADED, 59 * MINUTE));
    ck_assert_str_eq(next_of("a"), "in 59:00");
    play_wait(&play, 59 * MINUTE);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_OVERLOADED, HOUR));
    ck_assert_str_eq(next_of("a"), "until +60m");
    play_wait(&play, SECOND);
    ck_assert_str_eq(next_of("a"), "in 59:59");
}
END_TEST

START_TEST(test_a_hint_that_is_too_long_says_when_it_resets)
{
    open(PLAN_OF(PLAIN ",'retry_after_cap_ms':60000"), 1);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_OVERLOADED, 2 * HOUR));
    ck_assert_int_eq(play_status(&play, "a"), TASK_NEEDS_YOU);
    ck_assert_str_eq(next_of("a"), "resets +120m");
    ck_assert_str_eq(end_of("a"),
                     "needs you: the server requested 2:00:00, but the policy waits at most 1:00");
    play_wait(&play, 2 * HOUR + SECOND);
    ck_assert_str_eq(next_of("a"), "for 2:00:01");
    play_control(&play, CONTROL_HOLD, "b", CANCEL_STOP);
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    play_exit(&play, "b", 0, play_passed());
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_int_eq((int)shown_resets_at_ms(step_of("a")), -1);
    play_exit(&play, "a", 0, play_passed()); /* what the server said before is over */
    ck_assert_int_eq((int)shown_resets_at_ms(step_of("a")), -1);
}
END_TEST

START_TEST(test_parked_verdict_says_when_it_resets)
{
    struct verdict verdict = play_persistent(REASON_QUOTA);
    verdict.ask = true;
    open(PLAN_OF(PLAIN), 1);
    verdict.resume_at_ms = play.now.at_ms + 3 * (int64_t)HOUR;
    play_exit(&play, "a", 1, verdict);
    ck_assert_str_eq(next_of("a"), "resets +180m");
    ck_assert_str_eq(end_of("a"), "needs you: trying again would not help");
}
END_TEST

/* How the first end of `a` is told, under the policy p. */
static const struct {
    const char *name, *plan;
    int64_t wait_ms; /* until then */
    struct outcome outcome;
    enum transient_type type; /* TRANSIENT_NONE: persistent, for `reason` */
    enum reason reason;
    const char *want;
} endings[] = {
    {.name = "class",
     .plan = PLAN_OF(",'retry_on':['transient']"),
     .outcome = {.code = 1},
     .reason = REASON_TEST_FAIL,
     .want = "gave up: policy p does not retry a persistent failure"},
    {.name = "phase",
     .plan = PLAN_OF(",'phases':['VERIFY']"),
     .outcome = {.code = 1},
     .type = TRANSIENT_NETWORK_TIMEOUT,
     .want = "gave up: policy p does not retry in GREEN"},
    {.name = "a start, which is tried again in every phase",
     .plan = PLAN_OF(",'phases':['VERIFY']"),
     .outcome = {.kind = OUTCOME_NOT_STARTED, .code = 2},
     .reason = REASON_NOT_FOUND,
     .want = "gave up: policy infrastructure does not retry a persistent failure"},
    {.name = "time-out",
     .plan = PLAN_OF(",'retry_timeouts':false"),
     .outcome = {.kind = OUTCOME_TIMEOUT},
     .type = TRANSIENT_RESOURCE_BUSY,
     .want = "gave up: policy p does not retry after a timeout"},
    {.name = "deadline",
     .plan = PLAN_OF(PLAIN ",'deadline_ms':60000"),
     .wait_ms = 50 * SECOND,
     .outcome = {.code = 1},
     .type = TRANSIENT_NETWORK_TIMEOUT,
     .want = "gave up: the next try would start after its deadline of 1:00; 50.0 s have passed"},
    {.name = "a short deadline, with tenths",
     .plan = PLAN_OF(PLAIN ",'deadline_ms':1800"),
     .wait_ms = 1250,
     .outcome = {.code = 1},
     .type = TRANSIENT_NETWORK_TIMEOUT,
     .want = "gave up: the next try would start after its deadline of 1.8 s; 1.3 s have passed"},
};

START_TEST(test_end_says_why_the_policy_does_not_go_on)
{
    const bool transient = endings[_i].type != TRANSIENT_NONE;
    open(endings[_i].plan, 1);
    play_wait(&play, endings[_i].wait_ms);
    play_outcome(&play, "a", endings[_i].outcome,
                 transient ? play_transient(endings[_i].type)
                           : play_persistent(endings[_i].reason));
    ck_assert_msg(strcmp(end_of("a"), endings[_i].want) == 0, "%s: %s", endings[_i].name,
                  text.data);
}
END_TEST

START_TEST(test_end_tells_tries_that_are_used_up)
{
    open(PLAN_OF(",'max_attempts':2,'jitter':'none','window':0"), 3);
    fail_and_wait(2);
    ck_assert_str_eq(end_of("a"), "gave up: 2 of 2 tries used");
    ck_assert_ptr_nonnull(strstr(why_of("a"), "(gave up: 2 of 2 tries used)"));
    ck_assert_str_eq(end_of("c"), "");
}
END_TEST

/* It fails with one and the same result. */
static void fail_alike(const char *id, const struct entropy_fact *fact)
{
    struct input input = {.kind = INPUT_ENDED,
                          .task = play_task(&play, id),
                          .attempt = (int)step_of(id)->attempt_count,
                          .outcome = {.kind = OUTCOME_EXIT, .code = 1},
                          .fingerprint = {.hi = 1, .lo = 2},
                          .has_fact = fact != NULL,
                          .verdict = play_transient(TRANSIENT_NETWORK_TIMEOUT)};
    if (fact)
        input.fact = *fact;
    play_input(&play, input);
}

START_TEST(test_end_of_a_loop_says_what_was_seen)
{
    static const struct {
        const char *plan;
        bool has_fact;
        int times;
        const char *want;
    } cases[] = {
        {PLAN_OF(",'max_attempts':6,'window':2"), false, 2,
         "stuck: the same result 2 times in a row, and its policy stops at 2"},
        {PLAN_OF(",'max_attempts':9"), true, 5, "stuck: same result 5 times"},
    };
    const struct entropy_fact fact = {.bits = ENTROPY_FAILED, .new_permille = -1};
    open(cases[_i].plan, 9);
    for (int i = 0; i < cases[_i].times; i++) {
        fail_alike("a", cases[_i].has_fact ? &fact : NULL);
        play_wait(&play, MINUTE);
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_STUCK);
    ck_assert_str_eq(end_of("a"), cases[_i].want);
}
END_TEST

/* An earlier interruption says nothing about a later end. */
START_TEST(test_a_failed_start_is_not_shown_as_interrupted)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = START_SECRET_MISSING};
    struct verdict verdict = play_persistent(REASON_SETUP);
    verdict.ask = true;
    open(PLAN_OF(PLAIN), 1);
    play_crash(&play, play.events.count, false);
    play_wait(&play, SECOND);
    play_outcome(&play, "a", not_started, verdict);
    ck_assert_int_eq(step_of("a")->interrupted, 1);
    ck_assert_str_eq(end_of("a"), "needs you: not started: a secret of the plan is not in the "
                                  "environment");
}
END_TEST

START_TEST(test_start_tries_are_no_tries)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = 2};
    open(PLAN_OF(PLAIN), 1);
    ck_assert_str_eq(try_of("a"), "1/6");
    play_outcome(&play, "a", not_started, play_transient(TRANSIENT_RESOURCE_BUSY));
    ck_assert_int_eq(step_of("a")->status, STEP_WAITING);
    ck_assert_str_eq(try_of("a"), "start 1/4");
    ck_assert_ptr_null(strstr(formula("a"), "does not count as a try"));
    play_control(&play, CONTROL_HOLD, "b", CANCEL_STOP);
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    play_exit(&play, "b", 0, play_passed());
    play_wait(&play, step_of("a")->due.mono_ms - play.now.mono_ms);
    ck_assert_str_eq(try_of("a"), "start 2/4");
    play_input(&play, (struct input){.kind = INPUT_RUNNING, .attempt = 2, .pid = 7});
    ck_assert_str_eq(try_of("a"), "2/7");
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    ck_assert_str_eq(try_of("a"), "2/7");
}
END_TEST

START_TEST(test_starts_that_failed_for_good_are_no_tries)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = 11};
    struct str words = {0};
    open(PLAN_OF(PLAIN), 3);
    for (int i = 1; i <= 4; i++) {
        play_outcome(&play, "a", not_started, play_transient(TRANSIENT_RESOURCE_BUSY));
        if (i < 4)
            play_wait(&play, step_of("a")->due.mono_ms - play.now.mono_ms);
    }
    ck_assert_int_eq(step_of("a")->status, STEP_ENDED);
    ck_assert_str_eq(try_of("a"), "start 4/4");
    shown_try_of(&play.state, play_task(&play, "a"), &words);
    ck_assert_str_eq(str_text(&words), "start 4 of 4");
    ck_assert_pstr_eq(strstr(end_of("a"), "4 of 4"), "4 of 4 starts failed");
    str_done(&words);
}
END_TEST

START_TEST(test_evidence_near_misses_and_hint)
{
    const struct shown_time time = {.date = fake_hms};
    struct verdict verdict = play_persistent(REASON_TEST_FAIL);
    struct rows rows = {0};
    const struct verdict_near nears[] = {
        {.rule = "rate-limit", .why = NEAR_QUOTED, .stream = VERDICT_STREAM_ERR, .offset = 12},
        {.rule = "oom", .why = NEAR_EXIT},
    };
    verdict_set_persistent(&verdict, REASON_TEST_FAIL, "", "tap.not-ok");
    verdict.stream = VERDICT_STREAM_OUT;
    verdict.line = 62;
    (void)snprintf(verdict.match, sizeof(verdict.match), "not ok 3");
    shown_evidence(&verdict, &text);
    ck_assert_str_eq(text.data, "rule tap.not-ok at out:62: \"not ok 3\"");
    str_clear(&text);
    verdict.offset = 100107; /* lines before what was looked at were not counted */
    shown_evidence(&verdict, &text);
    ck_assert_str_eq(text.data, "rule tap.not-ok at out byte 100107: \"not ok 3\"");
    for (size_t i = 0; i < ARRAY_LEN(nears); i++)
        verdict_add_near(&verdict, &nears[i]);
    rows_verdict_more(&rows, &verdict, &time);
    ck_assert_str_eq(rows_value(&rows, "near"),
                     "rate-limit: the line only quotes it (stderr, byte 12)\n"
                     "oom: exit code, signal, program or kind of step does not match");
    ck_assert_str_eq(rows_value(&rows, "server"), "");
    rows_done(&rows);
    verdict = hinted(TRANSIENT_API_RATE_LIMIT, 45 * SECOND);
    rows_verdict_more(&rows, &verdict, &time);
    ck_assert_str_eq(rows_value(&rows, "near"), "no other rule came close");
    ck_assert_str_eq(rows_value(&rows, "server"),
                     "requested a wait of 45 s, by rule http.retry-after");
    rows_done(&rows);
    verdict.retry_after_ms = -1;
    verdict.resume_at_ms = SECOND;
    rows_verdict_more(&rows, &verdict, &time);
    ck_assert_str_eq(rows_value(&rows, "server"),
                     "requested a wait until @1, by rule http.retry-after");
    rows_done(&rows);
    open(PLAN_OF(""), 1);
}
END_TEST

START_TEST(test_correction_stands_before_the_first_verdict)
{
    struct verdict verdict = play_persistent(REASON_TEST_FAIL);
    (void)snprintf(verdict.rule, sizeof(verdict.rule), "tap.not-ok");
    open(PLAN_OF(",'retry_on':['persistent','transient']"), 1);
    play_exit(&play, "a", 1, verdict);
    const struct verdict_label network = {.class = VERDICT_TRANSIENT,
                                          .type = TRANSIENT_NETWORK_TIMEOUT};
    play_input(
        &play,
        (struct input){
            .kind = INPUT_CONTROL,
            .control = {
                .verb = CONTROL_CORRECT, .task = 0, .step = 0, .by = "ann", .label = network}});
    ck_assert_ptr_eq(
        strstr(why_of("a"), "network, corrected by ann; was test-fail, rule tap.not-ok"),
        text.data);
    str_clear(&text);
    shown_class(&play.state, 0, &text);
    ck_assert_str_eq(text.data, "network");
}
END_TEST

START_TEST(test_follower_names_whom_it_waits_for)
{
    open(PLAN_OF(PLAIN), 3);
    fail_alike("a", NULL);
    fail_alike("b", NULL);
    fail_alike("c", NULL);
    play_control(&play, CONTROL_SEND_ONE, "b", CANCEL_STOP);
    ck_assert_str_eq(next_of("a"), "after b");
    ck_assert_ptr_eq(strstr(why_of("c"), "held by ann until b gets through; network"), text.data);
}
END_TEST

static const char gated[] = "{'version':1,'idempotent':true,'tasks':["
                            "{'id':'a','steps':[{'run':['x'],'source':'api'}]},"
                            "{'id':'b','steps':[{'run':['x'],'source':'api'}]},"
                            "{'id':'c','steps':[{'run':['x'],'source':'api'}]},"
                            "{'id':'d','steps':[{'run':['y'],'source':'web'}]}]}";

START_TEST(test_a_gate_is_shown_from_closing_to_opening)
{
    open(gated, 1);
    ck_assert(!shown_has_gate(&play.state, false));
    ck_assert_str_eq(gates(false), "");
    ck_assert_str_eq(next_of("b"), "slot 1st");
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_RATE_LIMIT, 20 * SECOND));
    ck_assert(shown_has_gate(&play.state, false));
    ck_assert_str_eq(gates(false), "rate limit of api until @1025 (0:20); a, b and 1 more wait");
    ck_assert_str_eq(gates(true), "rate limit of api 0:20; 3 wait");
    ck_assert_str_eq(next_of("b"), "limit 0:20");
    play_exit(&play, "d", 0, play_passed());

    play_wait(&play, 20 * SECOND);
    ck_assert_str_eq(gates(false), "rate limit of api: trying a; b and c wait");
    ck_assert_str_eq(next_of("c"), "after a");
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_RATE_LIMIT, 60 * SECOND));
    ck_assert_str_eq(
        gates(false),
        "rate limit of api until @1085 (1:00); a, b and 1 more wait; hit 2 times in a row");
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_str_eq(gates(false), "rate limit of api: trying c; a and b wait");
    play_exit(&play, "c", 0, play_passed());
    play_wait(&play, 1); /* b starts at once */
    ck_assert_ptr_null(strstr(gates(false), "closed"));
}
END_TEST

/* The gate is due but there is no slot: the first in line waits for a slot, the rest for it. */
START_TEST(test_tasks_behind_a_due_gate_wait_for_the_first)
{
    open(gated, 1);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_RATE_LIMIT, 20 * SECOND));
    play_wait(&play, 30 * SECOND); /* d has the slot */
    ck_assert_str_eq(gates(false), "rate limit of api: trying the next task; a, b and 1 more wait");
    ck_assert_str_eq(next_of("a"), "slot 1st");
    ck_assert_str_eq(next_of("b"), "after a");
    ck_assert_str_eq(next_of("c"), "after a");
}
END_TEST

/* A task that a person sends past a closed gate, but that has no slot yet. */
START_TEST(test_the_state_of_a_queued_task_says_what_it_waits_for)
{
    open(gated, 1);
    ck_assert_str_eq(now_of("b", NULL), "waits for a slot; 1 of 1 in use");
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_RATE_LIMIT, 20 * SECOND));
    ck_assert_str_eq(now_of("a", NULL), "try 2 in 0:20, at @1025");
    ck_assert_str_eq(now_of("b", NULL), "waits for the rate limit of api, may start in 0:20");
    play_control(&play, CONTROL_RETRY, "c", CANCEL_STOP);
    ck_assert_str_eq(gates(false), "rate limit of api: c is sent; a, b and 1 more wait");
    ck_assert_str_eq(next_of("b"), "after c");
    ck_assert_str_eq(now_of("b", NULL), "waits for the rate limit of api, after c is tried");
    play_exit(&play, "d", 0, play_passed());
    ck_assert_str_eq(now_of("b", NULL), "waits for the rate limit of api, while c is tried");
    play_control(&play, CONTROL_HOLD, "b", CANCEL_STOP);
    ck_assert_str_eq(now_of("b", NULL), "held: no new tries until it is released");
    ck_assert_str_eq(now_of("b", "p releases it"), "held: no new tries until p releases it");
}
END_TEST

/* Without an engine no gate lets anything through. */
START_TEST(test_an_orphaned_run_shows_no_gate)
{
    const struct shown_look look = {.time = {.now = play.now, .clock = fake_clock, .hms = fake_hms},
                                    .orphaned = true};
    struct rows rows = {0};
    open(gated, 1);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_RATE_LIMIT, 20 * SECOND));
    rows_gates(&rows, &play.state, &look);
    ck_assert_str_eq(rows_value(&rows, "gate"), "");
    ck_assert_str_eq(rows_value(&rows, "gates"), "");
    ck_assert(!shown_has_gate(&play.state, true));
    rows_done(&rows);
}
END_TEST

START_TEST(test_opening_gate_tells_how_many_are_left)
{
    open(gated, 1);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_RATE_LIMIT, 20 * SECOND));
    play_wait(&play, 20 * SECOND);
    play_exit(&play, "d", 0, play_passed());
    play_exit(&play, "a", 0, play_passed());
    ck_assert_str_eq(gates(false), "rate limit of api is over, one start a second, 1 left");
    ck_assert_str_eq(gates(true), "rate limit of api is over, 1 left");
    ck_assert_str_eq(next_of("c"), "limit 0:01");
}
END_TEST

START_TEST(test_the_most_urgent_gate_is_shown)
{
    open(gated, 2);
    play_exit(&play, "a", 1, hinted(TRANSIENT_API_RATE_LIMIT, 50 * SECOND));
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "d", 1, hinted(TRANSIENT_API_RATE_LIMIT, 20 * SECOND));
    ck_assert_str_eq(gates(false), "rate limit of web until @1025 (0:20); d waits   +1");
    const struct shown_look look = {
        .time = {.now = play.now, .clock = fake_clock, .hms = fake_hms}};
    struct rows rows = {0};
    rows_gates(&rows, &play.state, &look);
    ck_assert_str_eq(rows_value(&rows, "gates"),
                     "rate limit of api until @1055 (0:50); a and c wait\n"
                     "rate limit of web until @1025 (0:20); d waits");
    rows_done(&rows);
}
END_TEST

/* What comes next for a task that waits. */
static const char waiting[] =
    "{'version':1,'idempotent':true,'tasks':[{'id':'a','steps':[{'phase':'GREEN','run':['x'],"
    "'policy':{'max_attempts':4,'base_delay_ms':1000,'jitter':0.5}}]},"
    "{'id':'b','steps':[{'phase':'GREEN','run':['x'],'policy':{'max_attempts':9,"
    "'base_delay_ms':60000,'cap_ms':600000,'deadline_ms':400000,'same_stops':2}}]}]}";

static struct tries_ahead ahead;

static void setup_ahead(void)
{
    open(waiting, 2);
}

static void want_words(const char *want)
{
    const struct shown_time time = {.hms = fake_hms};
    struct str words = {0};
    tries_ahead_words(&ahead, &time, &words);
    ck_assert_str_eq(str_text(&words), want);
    str_done(&words);
}

/* Every wait that was foretold is the one that comes, jitter and all. */
START_TEST(test_the_waits_that_were_foretold_come)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    const struct tries_ahead foretold = ahead;
    ck_assert_int_eq(foretold.first, 2);
    ck_assert_int_eq(foretold.count, 3);
    ck_assert_int_eq(foretold.end, DECISION_RETRY_EXHAUSTED);
    for (int i = 0; i < foretold.count; i++) {
        const struct step_state *step = run_state_step(&play.state, 0);
        ck_assert_int_eq(step_state_formulas(step)->delay.delay_ms, foretold.waits_ms[i]);
        play_wait(&play, step_state_formulas(step)->delay.delay_ms);
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    }
    ck_assert_int_eq(run_state_step(&play.state, 0)->end, foretold.end);
    ck_assert(!tries_ahead(&play.state, 0, &ahead));
}
END_TEST

START_TEST(test_a_deadline_ends_it_before_the_tries_do)
{
    play_exit(&play, "b", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    ck_assert(tries_ahead(&play.state, 1, &ahead));
    ck_assert_int_eq(ahead.count, 2); /* after 1 and 3 min; 7 min would be too late */
    ck_assert_int_eq(ahead.end, DECISION_DEADLINE);
    want_words("try 2 at @1065; if it fails try 3 2:00 later; then gave-up, no sooner than @1185 "
               "plus the run times; 2 equal results in a row end it earlier");
}
END_TEST

START_TEST(test_the_last_try_is_announced)
{
    for (int i = 0; i < 3; i++) {
        play_wait(&play, 5000);
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    }
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    ck_assert_int_eq(ahead.count, 1);
    ck_assert_int_eq(ahead.more_ms, 0);
    const struct shown_time time = {.hms = fake_hms};
    struct str words = {0};
    tries_ahead_words(&ahead, &time, &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), ", the last one; if it fails, gave-up"));
    str_done(&words);
}
END_TEST

START_TEST(test_a_wait_for_a_server_uses_up_nothing)
{
    struct verdict limited = play_transient(TRANSIENT_API_RATE_LIMIT);
    limited.retry_after_ms = 5000;
    play_exit(&play, "a", 1, limited);
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    ck_assert_int_eq(ahead.first, 2);
    ck_assert_int_eq(ahead.count, 4);
    ck_assert_int_eq(ahead.waits_ms[0], 5000);
}
END_TEST

START_TEST(test_starts_have_their_own_count)
{
    const struct outcome not_started = {.kind = OUTCOME_NOT_STARTED, .code = START_DAEMON_DOWN};
    play_outcome(&play, "a", not_started, play_transient(TRANSIENT_DOCKER_SOCKET_UNAVAILABLE));
    ck_assert(tries_ahead(&play.state, 0, &ahead));
    ck_assert(ahead.is_start);
    ck_assert_int_eq(ahead.shown, 2);
    ck_assert_int_eq(ahead.count, 3);
    want_words("start 2 at @1006; if it fails start 3 0:02 later, start 4 0:04 later; then "
               "gave-up, no sooner than @1012 plus the run times");
}
END_TEST

START_TEST(test_only_a_wait_has_tries_ahead)
{
    ck_assert(!tries_ahead(&play.state, 0, &ahead)); /* runs */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    ck_assert(!tries_ahead(&play.state, 0, &ahead)); /* a person holds it */
    play_control(&play, CONTROL_RELEASE, "a", CANCEL_STOP);
    ck_assert(tries_ahead(&play.state, 0, &ahead));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shown_decision");
    TCase *tcase = test_case(suite, "decisions");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_loop_test(tcase, test_formula, 0, TABLE_LEN(formulas));
    tcase_add_loop_test(tcase, test_formula_tells_the_factor_of_the_jitter, 0, TABLE_LEN(jitters));
    tcase_add_test(tcase, test_formula_tells_the_hint_and_that_it_is_free);
    tcase_add_test(tcase, test_long_wait_for_a_server_ends_at_a_time_of_day);
    tcase_add_test(tcase, test_a_hint_that_is_too_long_says_when_it_resets);
    tcase_add_test(tcase, test_parked_verdict_says_when_it_resets);
    tcase_add_test(tcase, test_start_tries_are_no_tries);
    tcase_add_test(tcase, test_a_failed_start_is_not_shown_as_interrupted);
    tcase_add_test(tcase, test_starts_that_failed_for_good_are_no_tries);
    tcase_add_loop_test(tcase, test_end_says_why_the_policy_does_not_go_on, 0, TABLE_LEN(endings));
    tcase_add_test(tcase, test_end_tells_tries_that_are_used_up);
    tcase_add_loop_test(tcase, test_end_of_a_loop_says_what_was_seen, 0, 2);
    tcase_add_test(tcase, test_evidence_near_misses_and_hint);
    tcase_add_test(tcase, test_correction_stands_before_the_first_verdict);
    tcase_add_test(tcase, test_follower_names_whom_it_waits_for);
    tcase = test_case(suite, "gates");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_a_gate_is_shown_from_closing_to_opening);
    tcase_add_test(tcase, test_tasks_behind_a_due_gate_wait_for_the_first);
    tcase_add_test(tcase, test_the_state_of_a_queued_task_says_what_it_waits_for);
    tcase_add_test(tcase, test_an_orphaned_run_shows_no_gate);
    tcase_add_test(tcase, test_opening_gate_tells_how_many_are_left);
    tcase_add_test(tcase, test_the_most_urgent_gate_is_shown);
    tcase = test_case(suite, "ahead");
    tcase_add_checked_fixture(tcase, setup_ahead, teardown);
    tcase_add_test(tcase, test_the_waits_that_were_foretold_come);
    tcase_add_test(tcase, test_a_deadline_ends_it_before_the_tries_do);
    tcase_add_test(tcase, test_the_last_try_is_announced);
    tcase_add_test(tcase, test_a_wait_for_a_server_uses_up_nothing);
    tcase_add_test(tcase, test_starts_have_their_own_count);
    tcase_add_test(tcase, test_only_a_wait_has_tries_ahead);
    return suite;
}
