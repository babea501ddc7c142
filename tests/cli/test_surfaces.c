/*
 * The surfaces that show the facts of a run, a gate, a task and a failure, all in the words of
 * src/present: whoever rewords a fact there changes no other file, and a surface with words of its
 * own fails here.
 */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attr.h"
#include "clock.h"
#include "follower.h"
#include "overview.h"
#include "rows.h"
#include "show.h"
#include "shown.h"
#include "test_main.h"

/* The facts that a surface says. */
enum fact {
    CLASS,    /* the row of the class: "test-fail (persistent, TEST_FAILURE)" */
    WHY,      /* shown_evidence(): the rule and the line that it matched */
    END,      /* shown_ending(): how the step ended */
    STATE,    /* of the task: "gave-up" */
    TRY,      /* "2/2" */
    NEXT,     /* when it ended, or what it waits for: "at 13:54:10", "after lim" */
    NOW,      /* shown_now(): "gave-up at 13:54:10", "waits for the rate limit of api, ..." */
    NOW_ROW,  /* rows_now(): "gave-up, at 13:54:10" */
    ADVICE,   /* rows_advice(): "the work must change: a test fails; then devs retry 1/tax" */
    CONTINUE, /* shown_continue(): "continue it: devs run --continue 1" */
    CAPTURED, /* rows_captured(): "devs debug --forensics 1/tax --try 2 shows ..." */
    TRIES,    /* rows_tries(): "2 tries: gave up: 2 of 2 tries used" */
    RUN,      /* the state of the run: "ended" */
    STARTED,  /* when it started */
    WORK,     /* rows_work(): "2 tries" */
    COUNTS,   /* shown_task_counts(): "1 gave-up" */
    RESULT,   /* rows_result(): "0 of 1 passed, 1 gave-up" */
    GATE,     /* rows_gates(): "rate limit of api: trying lim; later waits" */
    GATE_BRIEF,
    GATE_NAME, /* shown_gate_name(): "probing" */
    FACT_COUNT,
};
#define SAYS(fact) (1U << (fact))
#define FAILURE    (SAYS(WHY) | SAYS(END))

enum source {
    ENDED,       /* a run of one task that failed */
    TOOL,        /* the same command as a tool call, which is a run of its own */
    LIVE,        /* a run with a gate that one task waits behind while another one tries */
    INTERRUPTED, /* the same run, whose devs was killed */
};

#define FRAME "debug --logs 1 --at end --task "

static const struct surface {
    const char *name;
    const char *command; /* arguments of devs */
    unsigned says;
    enum source source;
    bool is_json;
} surfaces[] = {
    {"why", "why 1/tax",
     FAILURE | SAYS(CLASS) | SAYS(STATE) | SAYS(NEXT) | SAYS(NOW_ROW) | SAYS(ADVICE) |
         SAYS(CAPTURED),
     ENDED, false},
    {"why as JSON", "why 1/tax --json",
     FAILURE | SAYS(CLASS) | SAYS(STATE) | SAYS(NOW_ROW) | SAYS(ADVICE) | SAYS(CAPTURED), ENDED,
     true},
    {"status", "status --all 1",
     FAILURE | SAYS(STATE) | SAYS(TRY) | SAYS(NEXT) | SAYS(RUN) | SAYS(STARTED), ENDED, false},
    {"status as JSON", "status --json 1", FAILURE | SAYS(STATE) | SAYS(RUN), ENDED, true},
    {"runs", "runs", SAYS(RUN) | SAYS(STARTED), ENDED, false},
    {"runs as JSON", "runs --json", SAYS(RUN), ENDED, true},
    {"summary", "run --plain plan.json", SAYS(COUNTS) | SAYS(WORK), ENDED, false},
    {"list", FRAME "tax --frame 140x40 --view tasks",
     SAYS(STATE) | SAYS(TRY) | SAYS(NEXT) | SAYS(RESULT), ENDED, false},
    {"detail", FRAME "tax --frame 140x60 --view detail",
     FAILURE | SAYS(CLASS) | SAYS(STATE) | SAYS(NOW), ENDED, false},
    {"preview", FRAME "tax --frame 80x24 --view tasks", FAILURE | SAYS(NOW), ENDED, false},
    {"forensics", FRAME "tax --frame 140x60 --view forensics", SAYS(CLASS) | SAYS(WHY), ENDED,
     false},
    {"forensics as text", "debug --forensics 1/tax", SAYS(CLASS) | SAYS(WHY), ENDED, false},
    {"timeline", FRAME "tax --frame 140x40 --view timeline", SAYS(TRY), ENDED, false},
    {"comparison", "debug --diff 1/tax", FAILURE | SAYS(CLASS), ENDED, false},
    {"comparison as JSON", "debug --diff 1/tax --json", FAILURE | SAYS(CLASS), ENDED, true},
    {"comparison of runs", "debug --diff 1 1", SAYS(STARTED) | SAYS(WORK), ENDED, false},
    {"records", "debug --logs 1 --plain", SAYS(WHY) | SAYS(COUNTS), ENDED, false},
    {"log", FRAME "tax --frame 140x40 --view log", SAYS(END), ENDED, false},
    {"a tool's result", "mcp <calls.json", FAILURE | SAYS(CLASS) | SAYS(TRIES), TOOL, true},
    {"status of a live run", "status 1",
     SAYS(GATE) | SAYS(STATE) | SAYS(TRY) | SAYS(NEXT) | SAYS(RUN), LIVE, false},
    {"status as JSON of a live run", "status --json 1", SAYS(GATE_NAME) | SAYS(STATE) | SAYS(RUN),
     LIVE, true},
    {"status in a line", "status --line 1", SAYS(GATE_BRIEF), LIVE, false},
    {"gate and preview", FRAME "later --frame 100x24 --view tasks",
     SAYS(GATE) | SAYS(STATE) | SAYS(TRY) | SAYS(NEXT) | SAYS(NOW), LIVE, false},
    {"gate on a narrow screen", FRAME "later --frame 50x20 --view tasks",
     SAYS(GATE_BRIEF) | SAYS(TRY) | SAYS(NEXT), LIVE, false},
    {"why of an interrupted run", "why 1/later", SAYS(NOW_ROW) | SAYS(ADVICE) | SAYS(CONTINUE),
     INTERRUPTED, false},
    {"status of an interrupted run", "status 1", SAYS(RUN) | SAYS(STATE) | SAYS(CONTINUE),
     INTERRUPTED, false},
    {"detail behind a gate", FRAME "later --frame 140x60 --view detail", SAYS(STATE) | SAYS(NOW),
     LIVE, false},
};

static const char plan[] =
    "{'version':1,'name':'shop','idempotent':true,"
    "'policies':{'twice':{'like':'default','max_attempts':2,'base_delay_ms':1}},"
    "'tasks':[{'id':'tax','steps':[{'policy':'twice',"
    "'run':['sh','-c','echo not ok 3 - tax; exit 1']}]}]}";

/* The task that the words of a live run are about comes second. */
static const char live_plan[] =
    "{'version':1,'name':'shop','idempotent':true,'jobs':1,"
    "'policies':{'soon':{'like':'transport','base_delay_ms':1,'jitter':0}},"
    "'tasks':[{'id':'lim','steps':[{'policy':'soon','source':'api','run':['sh','-c',"
    "'if test -e tried; then while test -e live.json; do sleep 1; done; exit; fi; "
    "touch tried; echo HTTP/1.1 429 Too Many Requests; exit 1'"
    "]}]},{'id':'later','steps':[{'source':'api','run':['true']}]}]}";

static const char tool_calls[] =
    "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'2025-06-18',"
    "'capabilities':{},'clientInfo':{'name':'t','version':'1'}}}\n"
    "{'jsonrpc':'2.0','method':'notifications/initialized'}\n"
    "{'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'execute_command',"
    "'arguments':{'argv':['sh','-c','echo not ok 3 - tax; exit 1'],'idempotent':true}}}\n";

static void setup(void)
{
    ck_assert_int_eq(chdir(test_tmpdir()), 0);
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", test_tmpdir(), 1), 0);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", test_tmpdir(), 1), 0);
    test_write_file("plan.json", test_json(plan), 0644);
    test_write_file("live.json", test_json(live_plan), 0644);
    test_write_file("calls.json", test_json(tool_calls), 0644);
}

/* Starts devs, with its output in the file; returns its process. */
static pid_t start_devs(const char *arguments, const char *file)
{
    struct str command = {0};
    str_addf(&command, "exec \"$DEVS\" %s >%s 2>&1", arguments, file);
    const pid_t child = fork();
    if (child == 0) {
        (void)execl("/bin/sh", "sh", "-c", command.data, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_gt(child, 0);
    str_done(&command);
    return child;
}

/* Returns what devs prints; the caller frees it. */
static char *run_devs(const char *arguments)
{
    int status = 0;
    const pid_t child = start_devs(arguments, "printed");
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return test_read_file("printed");
}

static pid_t live = 0;

static void start_live_run(void)
{
    enum { LOOKS_MAX = 600, LOOK_MS = 100 };
    live = start_devs("run --plain live.json", "live.out");
    bool probes = false;
    for (int i = 0; i < LOOKS_MAX && !probes; i++) {
        char *text = run_devs("status --json");
        probes = strstr(text, "\"state\":\"probing\"") != NULL;
        free(text);
        if (!probes)
            (void)poll(NULL, 0, LOOK_MS);
    }
    ck_assert_msg(probes, "no task tries at the gate");
}

static void stop_live_run(int signal)
{
    if (live <= 0)
        return;
    (void)kill(live, signal);
    (void)waitpid(live, NULL, 0);
    live = 0;
}

static void teardown(void)
{
    (void)unlink("live.json"); /* ends the try that a killed devs left behind */
    stop_live_run(SIGTERM);
}

static void add_value(const struct rows *rows, const char *key, struct str *out)
{
    str_add(out, rows_value(rows, key));
}

/* The words of src/present for the last task of the run. */
static void read_words(struct str words[FACT_COUNT])
{
    struct place place;
    struct follower *follower = NULL;
    struct verdict room;
    struct rows rows = {0}, brief = {0}, run = {0}, advice = {0};
    struct err err = {0};
    ck_assert_msg(place_find(NULL, false, &place, &err) &&
                      follower_open(&follower, &place, 0, &err) &&
                      follower_read(follower, 0, NULL, NULL, NULL, &err),
                  "%s", err.message);
    const struct run_state *state = follower_state(follower);
    const int task = state->plan->task_count - 1;
    const struct step_state *step = run_state_step(state, task);
    const struct verdict *verdict = step_state_verdict(step, &room);
    struct shown_look look = {
        .time = {.now = state->last, .clock = clock_short, .hms = clock_hms, .date = clock_date},
        .orphaned = follower_is_orphaned(follower)};
    const struct run_facts facts = run_facts_of(follower_run(follower));
    rows_task(&rows, state, task, &look);
    add_value(&rows, "state", &words[STATE]);
    add_value(&rows, "try", &words[TRY]);
    add_value(&rows, "next", &words[NEXT]);
    shown_now(state, task, &look, &words[NOW]);
    rows_now(&rows, state, task, 0, &look);
    add_value(&rows, "now", &words[NOW_ROW]);
    rows_captured(&rows, state, &facts, task, 0, (int)step->attempt_count);
    add_value(&rows, "captured", &words[CAPTURED]);
    rows_advice(&advice, state, task, &facts, &look);
    add_value(&advice, "next", &words[ADVICE]);
    shown_continue(facts.number, false, &words[CONTINUE]);
    if (state->ended) { /* how long ago depends on the clock */
        const char *comma = strchr(str_text(&words[NOW]), ',');
        str_cut(&words[NOW], comma ? (size_t)(comma - words[NOW].data) : words[NOW].len);
    }
    if (verdict) {
        rows_done(&rows);
        rows_verdict(&rows, &state->plan->tasks[task].steps[0], step_state_attempt(step), verdict,
                     &look.time);
        add_value(&rows, "class", &words[CLASS]);
        shown_evidence(verdict, &words[WHY]);
        shown_ending(state, task, &words[END]);
        rows_tries(&rows, state, task);
        add_value(&rows, "tries", &words[TRIES]);
    }
    rows_run(&run, &facts, &look.time);
    rows_work(&run, state);
    rows_result(&run, state);
    add_value(&run, "state", &words[RUN]);
    add_value(&run, "started", &words[STARTED]);
    add_value(&run, "work", &words[WORK]);
    add_value(&run, "result", &words[RESULT]);
    shown_task_counts(state, &words[COUNTS]);
    rows_gates(&run, state, &look);
    add_value(&run, "gate", &words[GATE]);
    look.is_brief = true;
    rows_gates(&brief, state, &look);
    add_value(&brief, "gate", &words[GATE_BRIEF]);
    if (state->plan->source_count > 0)
        str_add(&words[GATE_NAME], shown_gate_name(state->gates[0].status));
    rows_done(&rows);
    rows_done(&run);
    rows_done(&brief);
    rows_done(&advice);
    follower_close(follower);
}

static void check_said(const struct surface *surface, const struct str *words, const char *text)
{
    struct str wanted = {0};
    ck_assert_uint_gt(words->len, 0);
    str_add(&wanted, words->data);
    if (surface->is_json) {
        str_json_quote(&wanted, 0);
        wanted.data[wanted.len - 1] = '\0'; /* without the quotes around it */
    }
    ck_assert_msg(strstr(text, wanted.data + surface->is_json) != NULL,
                  "%s does not say %s in:\n%s", surface->name, words->data, text);
    str_done(&wanted);
}

START_TEST(test_surface_uses_the_words_of_present)
{
    const struct surface *surface = &surfaces[_i];
    struct str words[FACT_COUNT] = {{0}};
    if (surface->source == LIVE || surface->source == INTERRUPTED)
        start_live_run();
    else if (surface->source == ENDED && strncmp(surface->command, "run ", 4) != 0)
        free(run_devs("run --plain plan.json"));
    if (surface->source == INTERRUPTED)
        stop_live_run(SIGKILL);
    char *text = run_devs(surface->command);
    ck_assert_ptr_nonnull(text);
    read_words(words);
    for (int fact = 0; fact < FACT_COUNT; fact++) {
        if ((surface->says & SAYS(fact)) != 0)
            check_said(surface, &words[fact], text);
        str_done(&words[fact]);
    }
    free(text);
}
END_TEST

/* A run with many tasks gets an overview, from tables instead of events. */
START_TEST(test_overview_uses_the_words_of_present)
{
    enum { TASKS = STATUS_TASKS_MAX + 1 };
    const struct surface status = {.name = "overview"};
    struct place place;
    struct follower *follower = NULL;
    struct overview overview;
    struct rows sum = {0}, rows = {0};
    struct str many = {0};
    struct err err = {0};
    str_add(&many, "{'version':1,'idempotent':true,'jobs':8,'policies':{'once':{'like':'default',"
                   "'max_attempts':1}},'tasks':[");
    for (int i = 0; i < TASKS; i++)
        str_addf(&many, "%s{'id':'t%d','steps':[{'policy':'once','run':['false']}]}",
                 i > 0 ? "," : "", i);
    str_add(&many, "]}");
    test_write_file("many.json", test_json(many.data), 0644);
    free(run_devs("run --plain many.json"));
    char *text = run_devs("status");
    ck_assert_msg(place_find(NULL, false, &place, &err) &&
                      follower_open(&follower, &place, 0, &err) &&
                      follower_read(follower, 0, NULL, NULL, NULL, &err),
                  "%s", err.message);
    const struct run_state *state = follower_state(follower);
    const struct run_facts facts = run_facts_of(follower_run(follower));
    const struct shown_look look = {
        .time = {.now = state->last, .clock = clock_short, .hms = clock_hms, .date = clock_date}};
    static const char *const keys[] = {"state", "try", "next", "why"};
    static const char *const sums[] = {"tasks", "tries"};
    overview_of_state(&overview, state, false);
    ck_assert_int_gt(overview.row_counts[OVERVIEW_GAVE_UP], 0);
    rows_overview(&sum, &overview, &facts, &look.time);
    rows_listed(&rows, &overview.rows[OVERVIEW_GAVE_UP][0], true, &look);
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        struct str words = {0};
        add_value(&rows, keys[i], &words);
        check_said(&status, &words, text);
        str_done(&words);
    }
    for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
        struct str words = {0};
        add_value(&sum, sums[i], &words);
        check_said(&status, &words, text);
        str_done(&words);
    }
    rows_done(&sum);
    rows_done(&rows);
    str_done(&many);
    free(text);
    follower_close(follower);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("surfaces");
    TCase *tcase = test_case(suite, "surfaces");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_surface_uses_the_words_of_present, 0, TABLE_LEN(surfaces));
    tcase_add_test(tcase, test_overview_uses_the_words_of_present);
    return suite;
}
