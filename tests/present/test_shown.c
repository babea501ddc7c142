#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_text.h"
#include "fingerprint.h"
#include "json.h"
#include "plan.h"
#include "play.h"
#include "policy.h"
#include "test_main.h"

#define PLAN                                                                                       \
    "{'version':1,'idempotent':true,'tasks':[{'id':'a','steps':[{'phase':'RED','run':['x'],"       \
    "'expect':'failure'},{'run':['x']},{'phase':'VERIFY','run':['y']}]},"                          \
    "{'id':'b','needs':['a'],'steps':[{'run':['x']}]},{'id':'c','steps':[{'run':['x']}]}]}"

static struct play play;
static struct str text;

static void setup(void)
{
    play_open(&play, PLAN);
    play_start(&play, 1);
}

static void free_text(void)
{
    str_done(&text);
}

static void teardown(void)
{
    free_text();
    play_close(&play);
}

static const char *fake_clock(int64_t at_ms, int64_t now_ms, char out[SHOWN_CLOCK_MAX])
{
    int64_t minutes = at_ms / 60000;
    bool same_day = at_ms / 86400000 == now_ms / 86400000;
    (void)snprintf(out, SHOWN_CLOCK_MAX, "%s%02d:%02d", same_day ? "" : "Sun ",
                   (int)(minutes / 60 % 24), (int)(minutes % 60));
    return out;
}

static const char *fake_hms(int64_t at_ms, char out[SHOWN_CLOCK_MAX])
{
    int64_t s = at_ms / 1000;
    (void)snprintf(out, SHOWN_CLOCK_MAX, "%02d:%02d:%02d", (int)(s / 3600 % 24), (int)(s / 60 % 60),
                   (int)(s % 60));
    return out;
}

static struct shown_time time_at(int64_t later_ms)
{
    return (struct shown_time){
        .now = {.at_ms = play.now.at_ms + later_ms, .mono_ms = play.now.mono_ms + later_ms},
        .clock = fake_clock,
        .hms = fake_hms};
}

static const char *next_of(int task, int64_t later_ms)
{
    struct shown_time time = time_at(later_ms);
    str_clear(&text);
    shown_next(&play.state, task, false, &time, &text);
    return str_text(&text);
}

static const char *strip_of(int task)
{
    str_clear(&text);
    shown_strip(&play.state, task, true, &text);
    return str_text(&text);
}

static const char *class_of(int task)
{
    str_clear(&text);
    shown_class(&play.state, task, &text);
    return str_text(&text);
}

START_TEST(test_strip_walks_through_the_phases)
{
    ck_assert_str_eq(strip_of(0), "R>G.V.");
    ck_assert_str_eq(strip_of(1), "G.");
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP); /* the slot is a's alone */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    ck_assert_str_eq(strip_of(0), "R+G>V.");
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
        play_wait(&play, 60000);
    }
    ck_assert_str_eq(strip_of(0), "R+GxV.");
    str_clear(&text);
    shown_strip(&play.state, 0, false, &text);
    ck_assert_str_eq(str_text(&text), "R✓G✗V·");
}
END_TEST

START_TEST(test_next_counts_down_and_never_below_zero)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* RED is met */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* waits 500 ms */
    ck_assert_str_eq(next_of(0, 0), "in 0:01");
    ck_assert_str_eq(next_of(0, 499), "in 0:01");
    ck_assert_str_eq(next_of(0, 500), "starting");
    ck_assert_str_eq(next_of(0, 5000), "starting");
    ck_assert_str_eq(class_of(0), "test-fail");
}
END_TEST

START_TEST(test_held_task_keeps_its_class_after_its_wait)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* RED is met */
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* waits 500 ms */
    play_control(&play, CONTROL_HOLD, "a", CANCEL_STOP);
    play_wait(&play, 60000);
    ck_assert_int_eq(shown_task(&play.state, 0, false), SHOWN_HELD);
    ck_assert_int_eq(play.state.tasks[0].status, TASK_QUEUED);
    ck_assert_str_eq(class_of(0), "test-fail");
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP); /* it has not run */
    ck_assert_str_eq(class_of(2), "");
}
END_TEST

START_TEST(test_cancelled_task_is_stopping_until_it_has_ended)
{
    play_wait(&play, 3000);
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    ck_assert_int_eq(shown_task(&play.state, 0, false), SHOWN_STOPPING);
    ck_assert_int_eq(shown_task(&play.state, 0, true), SHOWN_LOST);
    ck_assert_str_eq(next_of(0, 7000), "0:07");
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_KILL);
    ck_assert_str_eq(next_of(0, 7000), "0:07"); /* since it was asked first */
    play_exit(&play, "a", 143, play_persistent(REASON_NONE));
    ck_assert_int_eq(shown_task(&play.state, 0, false), SHOWN_CANCELLED);
}
END_TEST

START_TEST(test_next_says_what_each_waits_for)
{
    ck_assert_str_eq(next_of(0, 61000), "1:01");
    ck_assert_str_eq(next_of(1, 0), "needs a");
    ck_assert_str_eq(next_of(2, 0), "slot 1st");
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    ck_assert_str_eq(next_of(2, 3600000), "held 1:00:00");
}
END_TEST

/* "at 13:54:10" of that task's present state. */
static void check_at(int task, bool orphaned)
{
    char hms[SHOWN_CLOCK_MAX];
    const struct shown_time time = time_at(61000);
    struct str want = {0};
    str_addf(&want, "at %s", fake_hms(play.state.tasks[task].since.at_ms, hms));
    str_clear(&text);
    shown_next(&play.state, task, orphaned, &time, &text);
    ck_assert_str_eq(str_text(&text), str_text(&want));
    str_done(&want);
}

START_TEST(test_an_ended_run_shows_times_of_day)
{
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL)); /* RED is met */
    for (int i = 0; i < 4; i++) {
        play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
        play_wait(&play, 60000);
    }
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    ck_assert_ptr_nonnull(strstr(next_of(0, 0), "ended "));
    check_at(0, true);
    play_control(&play, CONTROL_CANCEL, "c", CANCEL_STOP);
    ck_assert(play.state.ended);
    check_at(0, false);
    check_at(2, false);
}
END_TEST

START_TEST(test_an_orphaned_run_shows_what_ran_as_lost)
{
    ck_assert_int_eq(shown_task(&play.state, 0, true), SHOWN_LOST);
    ck_assert_int_eq(shown_task(&play.state, 2, true), SHOWN_QUEUED);
    ck_assert(!shown_counts(&play.state, true));
}
END_TEST

START_TEST(test_flaky_says_how_often_it_failed_first)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_control(&play, CONTROL_HOLD, "c", CANCEL_STOP);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_wait(&play, 500);
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "a", 0, play_passed());
    ck_assert_str_eq(class_of(0), "flaky 1x");
    struct attempt_state *failed = &play.state.tasks[0].steps[1].attempts[0];
    failed->outcome.kind = OUTCOME_INTERRUPTED; /* devs' end is no failure of the task's */
    ck_assert_str_eq(class_of(0), "");
    failed->outcome.kind = OUTCOME_NOT_STARTED;
    ck_assert_str_eq(class_of(0), "");
    failed->outcome.kind = OUTCOME_CANCELLED;
    failed->outcome.stop = STOP_ASKED; /* a person's act is none either */
    ck_assert_str_eq(class_of(0), "");
    failed->outcome.kind = OUTCOME_EXIT; /* as the events say: they are played again */
}
END_TEST

/* Each event has a line and a JSON object that can be parsed. */
START_TEST(test_every_event_has_words_and_json)
{
    play_exit(&play, "a", 1, play_persistent(REASON_TEST_FAIL));
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_TERM);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_TERM);
    for (size_t i = 0; i < play.events.count; i++) {
        struct json *json = NULL;
        struct err err = {0};
        str_clear(&text);
        event_json(&play.state, 1, &play.events.items[i], &text);
        ck_assert_msg(json_parse(text.data, text.len, &json, NULL, &err), "%s: %s", err.message,
                      text.data);
        ck_assert_int_eq(json_i64(json_get(json, "v"), 0), 1);
        ck_assert_int_eq(json_i64(json_get(json, "seq"), 0), (int64_t)i + 1);
        ck_assert_str_ne(json_text(json_get(json, "message"), ""), "");
        ck_assert_ptr_null(strpbrk(json_text(json_get(json, "message"), ""), "\n\r"));
        json_free(json);
    }
}
END_TEST

static const struct {
    int64_t ms;
    const char *want;
} durations[] = {{-5, "0:00"},       {0, "0:00"},          {999, "0:00"},         {61000, "1:01"},
                 {3599999, "59:59"}, {3600000, "1:00:00"}, {90061000, "25:01:01"}};

static const char *date_of(int64_t at_ms, char out[SHOWN_CLOCK_MAX])
{
    (void)snprintf(out, SHOWN_CLOCK_MAX, "D%lld", (long long)at_ms);
    return out;
}

static const struct {
    struct run_facts facts;
    const char *run, *state, *tries, *notes; /* notes: suspended, session */
    bool is_open;
} runs[] = {
    {{.number = 41, .state = SHOWN_RUN_LIVE, .live_runs = 1, .tasks = 3, .passed = 1, .tries = 1},
     "#41",
     "live",
     "1 try",
     "",
     true},
    {{.number = 41, .state = SHOWN_RUN_LIVE, .live_runs = 2, .waited_ms = 61000},
     "#41, 2 live",
     "live",
     "0 tries, waited 1:01 in total",
     "",
     false},
    {{.number = 9, .state = SHOWN_RUN_ENDED, .live_runs = 1, .tries = 5, .waited_ms = 900},
     "#9, 1 live",
     "ended",
     "5 tries",
     "",
     false},
    {{.number = 9, .state = SHOWN_RUN_INTERRUPTED, .tasks = 2, .failed = 1, .cancelled = 1},
     "#9",
     "interrupted",
     "0 tries",
     "",
     false},
    {{.number = 9, .state = SHOWN_RUN_OPEN, .last_at_ms = 7},
     "#9",
     "open",
     "0 tries",
     "a session reported by an agent's hooks, last seen at D7",
     false},
    {{.number = 9, .state = SHOWN_RUN_LIVE, .is_suspended = true, .pid = 4711},
     "#9",
     "live",
     "0 tries",
     "its devs (pid 4711) is suspended: fg or kill -CONT resumes it; until then nothing starts and "
     "no timer runs",
     false},
};

START_TEST(test_a_run_in_rows)
{
    const struct shown_time time = {.date = date_of};
    struct run_facts facts = runs[_i].facts;
    struct rows rows = {0}, notes = {0};
    facts.name = "shop";
    rows_run(&rows, &facts, &time);
    ck_assert_str_eq(rows_value(&rows, "name"), "shop");
    ck_assert_str_eq(rows_value(&rows, "run"), runs[_i].run);
    ck_assert_str_eq(rows_value(&rows, "state"), runs[_i].state);
    ck_assert_str_eq(rows_value(&rows, "tries"), runs[_i].tries);
    for (size_t i = 0; i < rows.count; i++) {
        const struct row *row = &rows.items[i];
        bool is_aside = strcmp(row->key, "state") == 0 && facts.state == SHOWN_RUN_ENDED;
        is_aside = is_aside || (strcmp(row->key, "cancelled") == 0 && facts.cancelled == 0);
        is_aside = is_aside || (strcmp(row->key, "open") == 0 && !runs[_i].is_open);
        ck_assert_int_eq(row->style, is_aside ? ROW_ASIDE : ROW_PLAIN);
    }
    rows_run_notes(&notes, &facts, &time);
    str_clear(&text);
    str_addf(&text, "%s%s", rows_value(&notes, "suspended"), rows_value(&notes, "session"));
    ck_assert_str_eq(str_text(&text), runs[_i].notes);
    rows_done(&rows);
    rows_done(&notes);
}
END_TEST

static const struct {
    struct wait_facts wait;
    const char *then, *until;
} waits[] = {
    {{.delay = {.delay_ms = 1500}, .due_at_ms = 7}, "tries again after 1.5 s", "D7"},
    {{.used = 1, .allowed = 4, .is_over = true},
     "tries again at once; try 1 of 4",
     "D0; the wait is over"},
    {{.delay = {.delay_ms = 1000}, .used = 2, .allowed = 3, .is_start = true, .due_at_ms = 9},
     "tries again after 1 s; start 2 of 3",
     "D9"},
    {{.is_free = true,
      .used = 1,
      .allowed = 4,
      .own_retries = 2,
      .is_over = true,
      .skipped_by = "ann"},
     "tries again at once: it does not count as a try; try 1 of 4, and 2 retries by the agent "
     "itself",
     "D0; skipped by ann"},
};

START_TEST(test_a_wait_in_rows)
{
    const struct shown_time time = {.date = date_of};
    struct rows rows = {0};
    rows_wait(&rows, &waits[_i].wait);
    rows_wait_more(&rows, &waits[_i].wait, "15 s, cap 5:00", &time);
    ck_assert_str_eq(rows_value(&rows, "then"), waits[_i].then);
    ck_assert_str_eq(rows_value(&rows, "formula"), "15 s, cap 5:00");
    ck_assert_str_eq(rows_value(&rows, "until"), waits[_i].until);
    rows_done(&rows);
}
END_TEST

/* The overview and the list of tasks say the same of a task. */
START_TEST(test_a_listed_task_is_worded_as_in_the_list)
{
    static const char *const keys[] = {"state", "task", "try", "next"};
    struct overview overview;
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(&play, 1500);
    const struct shown_look look = {.time = time_at(0)};
    overview_of_state(&overview, &play.state, false);
    int listed = 0;
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        for (int i = 0; i < overview.row_counts[kind]; i++) {
            const struct overview_row *row = &overview.rows[kind][i];
            struct rows brief = {0}, full = {0};
            rows_listed(&brief, row, false, &look);
            rows_task(&full, &play.state, row->task, &look);
            for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
                ck_assert_str_eq(rows_value(&brief, keys[k]), rows_value(&full, keys[k]));
            rows_done(&brief);
            rows_done(&full);
            listed++;
        }
    }
    ck_assert_int_eq(listed, 2); /* one waits, one runs */
}
END_TEST

START_TEST(test_durations)
{
    shown_duration(durations[_i].ms, &text);
    ck_assert_str_eq(str_text(&text), durations[_i].want);
}
END_TEST

/* An attempt that ran for an hour until devs died did not run "0:00". */
START_TEST(test_how_long_it_ran_is_told_where_its_end_was_seen)
{
    static const struct {
        struct outcome outcome;
        const char *want;
    } cases[] = {
        {{.kind = OUTCOME_EXIT, .ran_ms = 61000}, "1:01"},
        {{.kind = OUTCOME_EXIT}, "0:00"},
        {{.kind = OUTCOME_INTERRUPTED}, "?"},
        {{.kind = OUTCOME_INTERRUPTED, .ran_ms = 61000},
         "1:01"}, /* another process took its exit code */
    };
    shown_ran(&cases[_i].outcome, &text);
    ck_assert_str_eq(str_text(&text), cases[_i].want);
}
END_TEST

START_TEST(test_docs_have_every_state_with_its_signs)
{
    char *doc = test_read_file(test_source_path("docs/screens.md"));
    ck_assert_ptr_nonnull(doc);
    for (int i = 0; i < SHOWN_COUNT; i++) {
        enum shown shown = (enum shown)i;
        str_clear(&text);
        str_addf(&text, "\n| %s | `%s` | `%s` | ", shown_word(shown), shown_sign(shown, false),
                 shown_sign(shown, true));
        ck_assert_msg(strstr(doc, str_text(&text)) != NULL, "docs/screens.md: no row%s",
                      str_text(&text));
    }
    free(doc);
}
END_TEST

static const struct {
    struct entropy_verdict verdict;
    const char *words, *brief, *equal;
} rungs[] = {
    {{.level = ENTROPY_OK, .rung = ENTROPY_RUNG_REPEAT, .count = 9}, "", "", ""},
    {{.level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 3, .period = 1},
     "same result 3 times",
     "loop? 3x",
     "the call and its result"},
    {{.level = ENTROPY_SUSPECT, .rung = ENTROPY_RUNG_REPEAT, .count = 10, .period = 1},
     "same result 10 times",
     "loop? 10x",
     "the call and its result"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_REPEAT, .count = 5, .period = 1},
     "same result 5 times",
     "same 5x",
     "the call and its result"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_CYCLE, .count = 3, .period = 2},
     "3 laps of 2 steps",
     "cycle 3x",
     "the calls of each lap and their results"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_FAILURE, .count = 8},
     "same failure 8 times",
     "fault 8x",
     "the call and how it fails"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_BARREN, .count = 16},
     "nothing new in 16 tries",
     "no news 16x",
     "no result has anything new"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_PAUSE, .count = 20},
     "20 pauses and nothing else",
     "pauses 20x",
     "nothing but waiting"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_MONOLOGUE, .count = 5},
     "5 similar messages",
     "alike 5x",
     "the text of the messages"},
    {{.level = ENTROPY_STUCK, .rung = ENTROPY_RUNG_CHANT, .count = 1},
     "one message repeats itself",
     "chants",
     "the parts of one message"},
};

START_TEST(test_each_rung_has_its_words)
{
    enum { CLASS_COLUMN = 11 };
    struct str words = {0}, brief = {0};
    shown_circle_words(&(struct shown_circle){.verdict = rungs[_i].verdict}, &words);
    shown_circles_brief(&rungs[_i].verdict, &brief);
    ck_assert_str_eq(str_text(&words), rungs[_i].words);
    ck_assert_str_eq(str_text(&brief), rungs[_i].brief);
    ck_assert_uint_le(brief.len, CLASS_COLUMN);
    ck_assert_str_eq(shown_circles_equal(&rungs[_i].verdict), rungs[_i].equal);
    str_done(&words);
    str_done(&brief);
}
END_TEST

/* The loop in a decision's inputs, for try 6 of step 1. */
static const struct {
    const char *text;
    const char *words; /* NULL = no loop */
    const char *span;
} texts[] = {
    {"{\"rung\":\"repeat\",\"count\":5,\"period\":1,\"first\":2,\"last\":6,\"masked\":true}",
     "same result 5 times", "tries 2 to 6"},
    {"{\"rung\":\"cycle\",\"count\":3,\"period\":2,\"first\":1,\"last\":6}", "3 laps of 2 steps",
     "tries 1 to 6"},
    {"{\"rung\":\"barren\",\"count\":8,\"first\":4,\"last\":6,\"first_step\":0}",
     "nothing new in 8 tries", "step 1 try 4 to step 2 try 6"},
    {"{\"rung\":\"chant\",\"count\":1,\"first\":6,\"last\":6}", "one message repeats itself",
     "try 6"},
    {"{\"used\":3,\"allowed\":9,\"same\":3,\"window\":3}", "same result 3 times", "tries 4 to 6"},
    {"{\"used\":2,\"allowed\":9,\"same\":2,\"same_stops\":2}", "same result 2 times",
     "tries 5 to 6"},
    {"{\"used\":3,\"allowed\":3,\"same\":3}", NULL, NULL},
    {"{\"of\":\"calls\",\"rung\":\"repeat\",\"count\":5,\"first\":2,\"last\":10}",
     "same result 5 times", "calls and messages 2 to 10"},
    {"{\"of\":\"calls\",\"rung\":\"chant\",\"count\":5,\"first\":4,\"last\":4}",
     "one message repeats itself", "call or message 4"},
    {"{\"rung\":\"none\",\"count\":5}", NULL, NULL},
    {"{\"of\":\"agent\",\"rung\":\"repeat\",\"count\":5}", NULL, NULL},
};

START_TEST(test_text_of_the_log_has_its_words)
{
    struct shown_circle circle;
    struct event event = event_new(EVENT_STEP_ENDED);
    struct str room = {0}, words = {0}, span = {0};
    str_reserve(&room, strlen(texts[_i].text) + 1);
    ck_assert(event_read(&event, texts[_i].text, strlen(texts[_i].text), &room));
    bool found = shown_end_loop(&event.step_ended.inputs, 1, 6, &circle);
    ck_assert_int_eq(found, texts[_i].words != NULL);
    if (found) {
        ck_assert_int_eq(circle.verdict.level, ENTROPY_STUCK);
        ck_assert_int_eq(circle.verdict.masked, strstr(texts[_i].text, "masked") != NULL);
        shown_circle_words(&circle, &words);
        shown_circles_span(&circle, 1, &span);
        ck_assert_str_eq(str_text(&words), texts[_i].words);
        ck_assert_str_eq(str_text(&span), texts[_i].span);
    }
    str_done(&words);
    str_done(&span);
    str_done(&room);
}
END_TEST

static const struct {
    unsigned masks;
    const char *want;
} mask_rows[] = {
    {0, ""},
    {1U << NORMALISER_TIMES, "times"},
    {1U << NORMALISER_TIMES | 1U << NORMALISER_TEMPS | 1U << NORMALISER_ARGUMENTS,
     "times, temp paths, arguments"},
    {1U << NORMALISER_MASK_COUNT, ""},
};

START_TEST(test_masks_have_names)
{
    shown_masks(mask_rows[_i].masks, &text);
    ck_assert_str_eq(str_text(&text), mask_rows[_i].want);
}
END_TEST

static const struct {
    int permille;
    const char *want;
} shares[] = {{-1, ""},    {0, ".00"},   {4, ".00"},   {40, ".04"},
              {49, ".04"}, {610, ".61"}, {999, ".99"}, {1000, "1.0"}};

START_TEST(test_share_of_new_lines_is_cut_to_two_digits)
{
    shown_new(shares[_i].permille, &text);
    ck_assert_str_eq(str_text(&text), shares[_i].want);
}
END_TEST

static const struct {
    const char *session, *words;
} sessions[] = {
    {"83ca3d6e-1111-4222-8333-444455556666", "83ca3d6e"},
    {"ses_e04481003ffeqKkRapYd8zJji4", "ses_e04481003ffeqKkRapYd8zJji4"},
    {"p1", "p1"},
    {"01a20206-bb30", "01a20206-bb30"},
};

START_TEST(test_a_session_is_known_by_its_first_digits)
{
    shown_session(sessions[_i].session, &text);
    ck_assert_str_eq(str_text(&text), sessions[_i].words);
}
END_TEST

static const struct {
    struct agent_used used;
    const char *words;
} uses[] = {
    {{0}, ""},
    {{.turns = 1, .calls = 1}, "1 turn, 1 call"},
    {{.turns = 12, .calls = 31, .cost_micro = 310000, .tokens = 9}, "12 turns, 31 calls, $0.31"},
    {{.turns = 2, .tokens = 1500}, "2 turns, 1500 tokens"},
    {{.cost_micro = 740, .own_retries = 1}, "$0.0007, 1 own retry"},
    {{.cost_micro = 7, .own_retries = 3}, "<$0.0001, 3 own retries"},
    {{.cost_micro = 12345678}, "$12.35"},
};

START_TEST(test_usage_in_words)
{
    shown_used(&uses[_i].used, &text);
    ck_assert_str_eq(str_text(&text), uses[_i].words);
}
END_TEST

static struct plan *plan;
static struct run_state state;
static struct str told; /* the words of the last event */

static void set_up_agent(void)
{
    static const char json[] =
        "{\"version\": 1, \"name\": \"x\", \"idempotent\": true, \"budget\": {\"turns\": 50}, "
        "\"tasks\": ["
        "{\"id\": \"tax\", \"rounds\": 3, \"budget\": {\"cost_usd\": 2, \"calls\": 40},"
        " \"steps\": [{\"phase\": \"GREEN\", \"agent\": \"claude\", \"prompt\": \"go\"},"
        " {\"phase\": \"VERIFY\", \"run\": [\"make\", \"test\"]}]},"
        "{\"id\": \"plain\", \"steps\": [{\"phase\": \"GREEN\", \"run\": [\"true\"]}]}]}";
    struct violations violations = {0};
    ck_assert(plan_parse(json, strlen(json), &plan, &violations));
    violations_done(&violations);
    run_state_init(&state, plan, 1);
}

static void tear_down_agent(void)
{
    str_done(&told);
    run_state_done(&state);
    plan_free(plan);
}

static void add(enum event_kind kind, int step, const char *json)
{
    int attempt = step < 0 ? 0 : (int)state.tasks[0].steps[step].attempt_count;
    if (kind == EVENT_ATTEMPT_STARTED)
        attempt++;
    struct event event = {.seq = state.last_seq + 1,
                          .at = {1000 + state.last_seq, 1000 + state.last_seq},
                          .kind = kind,
                          .task = kind == EVENT_RUN_STARTED ? -1 : 0,
                          .step = kind == EVENT_RUN_STARTED ? -1 : step,
                          .round = kind == EVENT_RUN_STARTED ? 0 : run_state_round(&state, 0),
                          .grant = run_state_round(&state, 0),
                          .attempt = attempt};
    struct err err = {0};
    struct str room = {0};
    str_reserve(&room, strlen(json));
    ck_assert_msg(event_read(&event, json, strlen(json), &room), "%s", json);
    ck_assert_msg(run_state_apply(&state, &event, &err), "%s", err.message);
    str_clear(&told);
    event_words(&state, &event, &told);
    str_done(&room);
}

/* The words of the last event begin with these. */
static void want_told(const char *words)
{
    ck_assert_msg(strncmp(str_text(&told), words, strlen(words)) == 0, "%s", str_text(&told));
}

static void run_agent(void)
{
    add(EVENT_RUN_STARTED, -1, "{\"jobs\":1}");
    add(EVENT_ATTEMPT_STARTED, 0, "{}");
    add(EVENT_ATTEMPT_RUNNING, 0, "{\"pid\":77}");
    add(EVENT_AGENT_SESSION, 0, "{\"agent\":\"claude\",\"session\":\"s1\"}");
    add(EVENT_AGENT_USED, 0, "{\"turns\":9,\"calls\":30,\"cost_micro\":1700000}");
}

/* The check fails with exit 1 (its step's number). */
static void fail_check(void)
{
    add(EVENT_ATTEMPT_ENDED, 0, "{\"outcome\":\"exit\",\"code\":0}");
    add(EVENT_STEP_ENDED, 0, "{\"decision\":\"succeeded\"}");
    add(EVENT_ATTEMPT_STARTED, 1, "{}");
    add(EVENT_ATTEMPT_RUNNING, 1, "{\"pid\":78}");
    add(EVENT_ATTEMPT_ENDED, 1, "{\"outcome\":\"exit\",\"code\":1}");
    add(EVENT_ATTEMPT_JUDGED, 1, "{\"class\":\"persistent\"}");
    add(EVENT_ROUND_STARTED, 1,
        "{\"new_round\":2,\"from_step\":0,\"failed_step\":1,\"failed_attempt\":1,\"prompt\":\"make "
        "test failed\"}");
}

typedef void words_fn(const struct run_state *state, int task, struct str *out);

static void check(words_fn *words, int task, const char *want)
{
    struct str out = {0};
    words(&state, task, &out);
    ck_assert_str_eq(str_text(&out), want);
    str_done(&out);
}

START_TEST(test_an_agent_and_its_rounds_in_words)
{
    check(shown_agent, 0, "");
    run_agent();
    check(shown_agent, 0, "claude, session s1, 9 turns, 30 calls, $1.70");
    check(shown_round, 0, "1 of 3");
    check(shown_try, 0, "r1 1/4");
    fail_check();
    check(shown_agent, 0, "claude, session s1, 9 turns, 30 calls, $1.70");
    check(shown_round, 0, "2 of 3: check `make test` exit 1");
    check(shown_try, 0, "r2 0/4");
    check(shown_try_of, 0, "round 2 of 3");
    want_told("tax round 2 of 3: check `make test` exit 1");
    add(EVENT_ATTEMPT_STARTED, 0, "{}");
    add(EVENT_ATTEMPT_RUNNING, 0, "{\"pid\":79}");
    check(shown_try, 0, "r2 1/4");
    check(shown_try_of, 0, "round 2 of 3, try 1 of 4");
    want_told("tax try 2 GREEN ");
    check(shown_agent, 1, "");
    check(shown_round, 1, "");
    check(shown_try, 1, "0/3");
}
END_TEST

/* Not every agent tells a session. */
START_TEST(test_an_agent_is_named_once_it_is_asked)
{
    add(EVENT_RUN_STARTED, -1, "{\"jobs\":1}");
    check(shown_agent, 0, "");
    add(EVENT_ATTEMPT_STARTED, 0, "{}");
    check(shown_agent, 0, "claude");
}
END_TEST

START_TEST(test_budgets_in_words)
{
    struct str out = {0};
    run_agent();
    const struct moment now = {9000, 9000};
    shown_budgets(&state, 0, &now, &out);
    ck_assert_str_eq(str_text(&out), "$1.70 of $2.00 (85%), 30 of 40 calls (75%)");
    str_clear(&out);
    shown_budgets(&state, -1, &now, &out);
    ck_assert_str_eq(str_text(&out), "9 of 50 turns (18%)");
    str_clear(&out);
    shown_budgets(&state, 1, &now, &out);
    ck_assert_uint_eq(out.len, 0);
    str_done(&out);
}
END_TEST

/* In 72 columns. */
static void said(const struct run_state *of, int task, struct str *out)
{
    shown_said(of, task, 72, out);
}

static void check_claim(enum shown_claim want)
{
    ck_assert_str_eq(shown_claim_name(shown_claim(&state, 0)), shown_claim_name(want));
}

static void say(const char *json)
{
    add(EVENT_AGENT_CALL, 0, json);
}

START_TEST(test_a_running_agent_claims_nothing)
{
    run_agent();
    check_claim(SHOWN_CLAIM_NONE);
    say("{\"number\":1,\"tool\":\"\",\"what\":\"All tests pass now.\"}");
    check_claim(SHOWN_CLAIM_NONE);
    check(said, 0, "");
    check(said, 1, "");
}
END_TEST

START_TEST(test_a_claim_is_proven_by_the_check_after_it)
{
    run_agent();
    say("{\"number\":1,\"tool\":\"\",\"what\":\"All tests pass now.\"}");
    say("{\"number\":1,\"tool\":\"Bash\",\"what\":\"make test\"}");
    add(EVENT_ATTEMPT_ENDED, 0, "{\"outcome\":\"exit\",\"code\":0}");
    check_claim(SHOWN_CLAIM_UNCHECKED);
    check(said, 0, "\"All tests pass now.\"   not proven: no check has run since");
    add(EVENT_STEP_ENDED, 0, "{\"decision\":\"succeeded\"}");
    add(EVENT_ATTEMPT_STARTED, 1, "{}");
    check(said, 0, "\"All tests pass now.\"   not proven yet: VERIFY is running");
    add(EVENT_ATTEMPT_ENDED, 1, "{\"outcome\":\"exit\",\"code\":1}");
    add(EVENT_STEP_ENDED, 1, "{\"decision\":\"succeeded\"}");
    check_claim(SHOWN_CLAIM_PROVEN);
    check(said, 0, "\"All tests pass now.\"   proven by VERIFY");
}
END_TEST

START_TEST(test_a_claim_is_refuted_by_the_check_after_it)
{
    run_agent();
    say("{\"number\":1,\"tool\":\"\",\"what\":\"I have fixed the rounding, and now all of the "
        "tests pass.\"}");
    fail_check();
    check_claim(SHOWN_CLAIM_REFUTED);
    check(said, 0,
          "\"I have fixed the rounding, and now\u2026\"   not proven: later VERIFY: exit 1");
    add(EVENT_ATTEMPT_STARTED, 0, "{}"); /* it has claimed nothing yet */
    check_claim(SHOWN_CLAIM_NONE);
    add(EVENT_ATTEMPT_ENDED, 0, "{\"outcome\":\"exit\",\"code\":0}");
    check_claim(SHOWN_CLAIM_NONE);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("shown");
    TCase *tcase = test_case(suite, "shown");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_strip_walks_through_the_phases);
    tcase_add_test(tcase, test_next_counts_down_and_never_below_zero);
    tcase_add_test(tcase, test_held_task_keeps_its_class_after_its_wait);
    tcase_add_test(tcase, test_cancelled_task_is_stopping_until_it_has_ended);
    tcase_add_test(tcase, test_next_says_what_each_waits_for);
    tcase_add_test(tcase, test_an_ended_run_shows_times_of_day);
    tcase_add_test(tcase, test_an_orphaned_run_shows_what_ran_as_lost);
    tcase_add_test(tcase, test_flaky_says_how_often_it_failed_first);
    tcase_add_test(tcase, test_every_event_has_words_and_json);
    tcase_add_test(tcase, test_a_listed_task_is_worded_as_in_the_list);
    tcase = test_case(suite, "words");
    tcase_add_checked_fixture(tcase, NULL, free_text);
    tcase_add_loop_test(tcase, test_a_run_in_rows, 0, TABLE_LEN(runs));
    tcase_add_loop_test(tcase, test_a_wait_in_rows, 0, TABLE_LEN(waits));
    tcase_add_loop_test(tcase, test_durations, 0, TABLE_LEN(durations));
    tcase_add_loop_test(tcase, test_how_long_it_ran_is_told_where_its_end_was_seen, 0, 4);
    tcase_add_test(tcase, test_docs_have_every_state_with_its_signs);
    tcase_add_loop_test(tcase, test_each_rung_has_its_words, 0, TABLE_LEN(rungs));
    tcase_add_loop_test(tcase, test_text_of_the_log_has_its_words, 0, TABLE_LEN(texts));
    tcase_add_loop_test(tcase, test_masks_have_names, 0, TABLE_LEN(mask_rows));
    tcase_add_loop_test(tcase, test_share_of_new_lines_is_cut_to_two_digits, 0, TABLE_LEN(shares));
    tcase_add_loop_test(tcase, test_a_session_is_known_by_its_first_digits, 0, TABLE_LEN(sessions));
    tcase_add_loop_test(tcase, test_usage_in_words, 0, TABLE_LEN(uses));
    tcase = test_case(suite, "agent");
    tcase_add_checked_fixture(tcase, set_up_agent, tear_down_agent);
    tcase_add_test(tcase, test_an_agent_and_its_rounds_in_words);
    tcase_add_test(tcase, test_an_agent_is_named_once_it_is_asked);
    tcase_add_test(tcase, test_budgets_in_words);
    tcase_add_test(tcase, test_a_running_agent_claims_nothing);
    tcase_add_test(tcase, test_a_claim_is_proven_by_the_check_after_it);
    tcase_add_test(tcase, test_a_claim_is_refuted_by_the_check_after_it);
    return suite;
}
