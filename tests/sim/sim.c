/*
 * sim.c - plays seeded random runs on every core until an invariant is broken.
 *
 * Exit codes: 0 all invariants hold; 1 an invariant is broken; 2 usage error; 3 all hold, but
 * something did not occur often enough (--full).
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shrink.h"
#include "world.h"
#include "xalloc.h"

enum { WORKERS_MAX = 64, PLAY_SECONDS_MAX = 20, EXIT_BROKEN = 1, EXIT_USAGE = 2, EXIT_SELDOM = 3 };

struct options {
    uint64_t seed; /* the only seed, or the first one */
    bool one;
    uint64_t seeds;  /* 0 = no limit */
    int64_t seconds; /* 0 = no limit */
    int workers;
    bool trace, quiet, full;
};

/* A worker's report, in memory shared by all. */
struct report {
    uint64_t seed; /* the seed being played, or the one that failed */
    bool done, broken;
    struct tally tally;
    struct finding finding;
};

struct board {
    volatile sig_atomic_t stop;
    struct report reports[WORKERS_MAX];
};

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void work(const struct options *options, struct board *board, int number)
{
    struct report *report = &board->reports[number];
    struct plot *plot = xcalloc(1, sizeof(*plot));
    int64_t until_ms = now_ms() + options->seconds * 1000;
    for (uint64_t at = (uint64_t)number; !board->stop; at += (uint64_t)options->workers) {
        if ((options->seeds > 0 && at >= options->seeds) ||
            (options->seconds > 0 && now_ms() >= until_ms))
            break;
        report->seed = options->seed + at;
        (void)alarm(PLAY_SECONDS_MAX);
        plot_make(plot, report->seed);
        if (!world_play(plot, &report->tally, false, &report->finding)) {
            report->broken = true;
            board->stop = 1;
            break;
        }
    }
    (void)alarm(0);
    free(plot);
    report->done = true;
}

static pid_t start_worker(const struct options *options, struct board *board, int number)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    work(options, board, number);
    exit(0); /* not _exit(), so that leaks are detected */
}

/* Returns the report of the lowest seed that failed, NULL if none did. */
static struct report *run_workers(const struct options *options, struct board *board)
{
    pid_t children[WORKERS_MAX];
    for (int i = 0; i < options->workers; i++)
        children[i] = start_worker(options, board, i);
    struct report *broken = NULL;
    for (int i = 0; i < options->workers; i++) {
        struct report *report = &board->reports[i];
        int status = 0;
        while (waitpid(children[i], &status, 0) < 0 && errno == EINTR) {
        }
        if (status != 0) {
            board->stop = 1;
            report->broken = true;
        }
        if (report->broken && (!broken || report->seed < broken->seed))
            broken = report;
    }
    return broken;
}

static int tell_broken(const struct options *options, const char *program, uint64_t seed)
{
    struct plot *plot = xcalloc(1, sizeof(*plot));
    struct finding finding = {0};
    plot_make(plot, seed);
    bool again = !shrink_play(plot, &finding);
    (void)printf("seed %" PRIu64 ": broken: %s: %s\n", seed,
                 again ? finding.name : "a worker ended, and this seed alone does not do it",
                 finding.words);
    (void)printf("replay: %s --seed %" PRIu64 " --trace\n", program, seed);
    if (again && !options->quiet) {
        shrink(plot, &finding);
        (void)printf("shrunk to:\n");
        plot_print(plot);
        shrink_trace(plot);
        (void)printf("which gives, at turn %d: %s: %s\n", finding.turn, finding.name,
                     finding.words);
    }
    free(plot);
    return EXIT_BROKEN;
}

static int play_many(const struct options *options, const char *program)
{
    struct board *board =
        mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (board == MAP_FAILED)
        abort();
    int64_t from_ms = now_ms();
    const struct report *broken = run_workers(options, board);
    if (broken)
        return tell_broken(options, program, broken->seed);

    struct tally sum = {0};
    for (int i = 0; i < options->workers; i++)
        tally_add(&sum, &board->reports[i].tally);
    (void)munmap(board, sizeof(*board));
    bool rich = tally_is_rich(&sum, stdout);
    bool enough = !options->full || tally_is_enough(&sum, stdout);
    if (!options->quiet)
        tally_print(&sum, stdout);
    (void)printf("%" PRId64 " runs, no invariant broken, %" PRId64 " ms\n", sum.runs,
                 now_ms() - from_ms);
    return rich && enough ? 0 : EXIT_SELDOM;
}

static int play_one(const struct options *options, const char *program)
{
    if (!options->trace) {
        struct plot *plot = xcalloc(1, sizeof(*plot));
        struct finding finding = {0};
        plot_make(plot, options->seed);
        bool holds = shrink_play(plot, &finding);
        free(plot);
        if (!holds)
            return tell_broken(options, program, options->seed);
        (void)printf("seed %" PRIu64 ": no invariant broken\n", options->seed);
        return 0;
    }
    struct plot *plot = xcalloc(1, sizeof(*plot));
    struct finding finding = {0};
    plot_make(plot, options->seed);
    plot_print(plot);
    bool holds = world_play(plot, NULL, true, &finding);
    if (!holds)
        (void)printf("broken at turn %d: %s: %s\n", finding.turn, finding.name, finding.words);
    free(plot);
    return holds ? 0 : EXIT_BROKEN;
}

static int usage(void)
{
    (void)fputs("usage: sim [--seeds N] [--seconds N] [--from SEED] [--jobs N] [--full] [--quiet]\n"
                "       sim --seed SEED [--trace]\n",
                stderr);
    return EXIT_USAGE;
}

static bool read_number(const char *text, uint64_t *out)
{
    char *end = NULL;
    if (!text || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* Parses an option with a number. */
static bool read_option(struct options *options, const char *name, const char *value)
{
    uint64_t number;
    if (!read_number(value, &number))
        return false;
    if (strcmp(name, "--seeds") == 0) {
        options->seeds = number;
    } else if (strcmp(name, "--seconds") == 0 && number < 1000000) {
        options->seconds = (int64_t)number;
    } else if (strcmp(name, "--jobs") == 0 && number >= 1 && number <= WORKERS_MAX) {
        options->workers = (int)number;
    } else if (strcmp(name, "--seed") == 0 || strcmp(name, "--from") == 0) {
        options->seed = number;
        options->one = options->one || strcmp(name, "--seed") == 0;
    } else {
        return false;
    }
    return true;
}

static bool read_options(struct options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool *flag = NULL;
        if (strcmp(argv[i], "--trace") == 0)
            flag = &options->trace;
        else if (strcmp(argv[i], "--quiet") == 0)
            flag = &options->quiet;
        else if (strcmp(argv[i], "--full") == 0)
            flag = &options->full;
        if (flag)
            *flag = true;
        else if (i + 1 >= argc || !read_option(options, argv[i], argv[i + 1]))
            return false;
        else
            i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct options options = {.workers = cpus < 1 ? 1 : (int)(cpus > 16 ? 16 : cpus)};
    if (!read_options(&options, argc, argv))
        return usage();
    if (options.seeds == 0 && options.seconds == 0)
        options.seeds = 1000;
    return options.one ? play_one(&options, argv[0]) : play_many(&options, argv[0]);
}
