/*
 * scheduler.c - only the rules: how many attempts per second scheduler and fold decide, without
 * processes, log and checks, and the cost of one input as the plan grows.
 *
 * usage: bench_scheduler [ATTEMPTS]
 *
 * The inputs are the engine's: an attempt runs, then ends, with the numbers and the fingerprint of
 * a real attempt. They are made once, and only the members that differ are set for each attempt.
 * One of four tasks first fails for a cause outside, waits, and then passes. The result is the
 * processor time of the best of several rounds. ATTEMPTS is for one round: fewer are enough for a
 * profile.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "contract.h"
#include "figure.h"
#include "parse.h"
#include "plan.h"
#include "scheduler.h"
#include "str.h"

enum {
    SMALL = 500,
    LARGE = 50000,
    JOBS = 16,
    FAILS_EVERY = 4,
    ATTEMPTS_LEAST = 400000, /* of one round, in as many runs as necessary */
    ROUNDS = 5,
};

enum shape { CHAIN, STAR, INDEPENDENT, SHAPE_COUNT };

static const char *const shape_names[] = {
    [CHAIN] = "chain", [STAR] = "star", [INDEPENDENT] = "independent"};
static_assert(ARRAY_LEN(shape_names) == SHAPE_COUNT, "every shape has a name");

static char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
static char home[] = "HOME=/home/dev";
static char *const environment[] = {path, home, NULL};

/* A running run. */
struct play {
    struct run_state state;
    struct scheduler scheduler;
    struct turn turn;
    struct moment now;
    struct action live[JOBS]; /* attempts that were started, in order */
    int live_count;
    struct input runs, passes, fails; /* of the attempt reported last */
    int64_t inputs, attempts;
};

static struct plan *make_plan(enum shape shape, int tasks)
{
    struct str text = {0};
    struct plan *plan = NULL;
    struct violations violations = {0};
    str_add(&text, "{\"version\":1,\"tasks\":[");
    for (int i = 0; i < tasks; i++) {
        str_addf(&text, "%s{\"id\":\"t%d\",", i > 0 ? "," : "", i);
        if (i > 0 && shape != INDEPENDENT)
            str_addf(&text, "\"needs\":[\"t%d\"],", shape == CHAIN ? i - 1 : 0);
        str_addf(&text, "\"steps\":[{\"run\":[\"make\",\"check-%d\"],\"idempotent\":true}]}", i);
    }
    str_add(&text, "]}");
    if (!plan_parse(text.data, text.len, &plan, &violations)) {
        fputs("bench_scheduler: its own plan is refused\n", stderr);
        exit(EXIT_FAILURE);
    }
    violations_done(&violations);
    str_done(&text);
    return plan;
}

/* Attempts to start are live at once. */
static void give(struct play *play, struct input *input)
{
    input->now = play->now;
    turn_clear(&play->turn);
    scheduler_step(&play->scheduler, input, &play->turn);
    play->inputs++;
    for (size_t i = 0; i < play->turn.action_count; i++)
        play->live[play->live_count++] = play->turn.actions[i];
}

/* The members that every end of an attempt has. */
static struct input new_end(bool fails)
{
    struct input ended = {
        .kind = INPUT_ENDED,
        .outcome = {.kind = OUTCOME_EXIT,
                    .code = fails,
                    .bytes = {2048, fails ? 120 : 0},
                    .lines = {31, fails ? 2 : 0},
                    .rss_kib_max = 3400,
                    .cpu_ms = 2},
        .verdict = verdict_new(),
        .has_fact = true,
        .fact = {.gain = ENTROPY_GAIN_LINE, .new_permille = 1000, .lines = 31},
    };
    if (fails) {
        verdict_set_transient(&ended.verdict, TRANSIENT_NETWORK_TIMEOUT, "connect", "net.connect");
        verdict_set_match(&ended.verdict, "curl: (28) Failed to connect to example.org port 443");
    }
    return ended;
}

static void begin(struct play *play, const struct plan *plan, struct call_digester *calls)
{
    *play = (struct play){
        .now = {.at_ms = 1700000000000, .mono_ms = 5000000},
        .runs = {.kind = INPUT_RUNNING, .pid_start = 123456},
        .passes = new_end(false),
        .fails = new_end(true),
    };
    run_state_init(&play->state, plan, 7);
    play->scheduler = (struct scheduler){.state = &play->state, .calls = calls};
}

static void name_attempt(struct input *input, const struct action *of)
{
    input->task = of->task;
    input->step = of->step;
    input->attempt = of->attempt;
}

static void tell_end(struct play *play, const struct action *of)
{
    const bool fails = of->task % FAILS_EVERY == 0 && of->attempt == 1;
    const uint64_t result = (uint64_t)of->task * UINT64_C(0x9E3779B97F4A7C15) + 1;
    struct input *ended = fails ? &play->fails : &play->passes;
    name_attempt(ended, of);
    ended->outcome.ran_ms = 2 + of->task % 7;
    ended->fingerprint = (struct digest){.hi = result, .lo = ~result};
    ended->fact.raw = result;
    give(play, ended);
}

/* Runs and ends the oldest live attempt. */
static void land(struct play *play)
{
    const struct action of = play->live[0];
    play->live_count--;
    memmove(play->live, play->live + 1, (size_t)play->live_count * sizeof(play->live[0]));
    name_attempt(&play->runs, &of);
    play->runs.pid = 4000 + of.task;
    give(play, &play->runs);
    play->now.at_ms++;
    play->now.mono_ms++;
    tell_end(play, &of);
    play->attempts++;
}

static void pass_time(struct play *play)
{
    const int64_t due_ms = scheduler_next_due(&play->scheduler);
    const int64_t by_ms = due_ms > play->now.mono_ms ? due_ms - play->now.mono_ms : 0;
    play->now.at_ms += by_ms;
    play->now.mono_ms += by_ms;
    give(play, &(struct input){.kind = INPUT_TIME});
}

static void run_whole(struct play *play)
{
    give(play, &(struct input){.kind = INPUT_START, .jobs = JOBS, .control.by = "bench"});
    while (!play->state.ended) {
        const int64_t due_ms = scheduler_next_due(&play->scheduler);
        if (play->live_count == 0 || (due_ms >= 0 && due_ms <= play->now.mono_ms))
            pass_time(play);
        else
            land(play);
    }
}

/* The cost of a shape at a size: the smallest of the rounds so far. */
struct cost {
    double attempt_ns, input_ns; /* 0 before the first round */
};

static double less(double so_far, double ns)
{
    return so_far > 0 && so_far < ns ? so_far : ns;
}

/* Makes as many runs as give this number of attempts; only the time of their steps counts. */
static void measure(const struct plan *plan, int64_t attempts_least, struct cost *cost)
{
    struct call_digester *calls = NULL;
    double ms = 0;
    int64_t inputs = 0;
    int64_t attempts = 0;
    call_digester_open(&calls, "/home/dev/shop", environment);
    while (attempts < attempts_least) {
        struct play play;
        begin(&play, plan, calls);
        const double start_ms = figure_cpu_ms();
        run_whole(&play);
        ms += figure_cpu_ms() - start_ms;
        inputs += play.inputs;
        attempts += play.attempts;
        if (play.state.counts[TASK_PASSED] != plan->task_count)
            exit(EXIT_FAILURE);
        turn_done(&play.turn);
        run_state_done(&play.state);
    }
    call_digester_close(calls);
    cost->attempt_ns = less(cost->attempt_ns, ms * 1e6 / (double)attempts);
    cost->input_ns = less(cost->input_ns, ms * 1e6 / (double)inputs);
}

static void bench(enum shape shape, int64_t attempts_least)
{
    struct plan *small = make_plan(shape, SMALL);
    struct plan *large = make_plan(shape, LARGE);
    struct cost of_small = {0};
    struct cost of_large = {0};
    char what[64];
    for (int i = 0; i < ROUNDS; i++) {
        measure(small, attempts_least, &of_small);
        measure(large, attempts_least, &of_large);
    }
    (void)snprintf(what, sizeof(what), "%s, 50,000 tasks: rate of decisions", shape_names[shape]);
    figure_print(&(struct figure){.what = what,
                                  .value = 1e9 / of_large.attempt_ns,
                                  .unit = "attempts/s",
                                  .wanted = "at least 1,000,000 attempts/s"});
    (void)snprintf(what, sizeof(what), "%s, 50,000 tasks: time per input", shape_names[shape]);
    figure_print(&(struct figure){.what = what,
                                  .value = of_large.input_ns,
                                  .unit = "ns",
                                  .peer = "500 tasks",
                                  .peer_value = of_small.input_ns,
                                  .wanted = "at most 3 x"});
    plan_free(small);
    plan_free(large);
}

int main(int argc, char **argv)
{
    int64_t attempts_least = ATTEMPTS_LEAST;
    if (argc > 2 || (argc == 2 && !parse_i64(argv[1], 1, INT64_MAX, &attempts_least, NULL))) {
        fputs("usage: bench_scheduler [ATTEMPTS]\n", stderr);
        return EXIT_FAILURE;
    }
    for (int shape = 0; shape < SHAPE_COUNT; shape++)
        bench((enum shape)shape, attempts_least);
    return EXIT_SUCCESS;
}
