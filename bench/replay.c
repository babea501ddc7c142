/*
 * replay.c - the cost of reading, folding and moving through a run with very many events.
 *
 * usage: bench_replay LOG RUN
 *
 * Compared with SQLite itself: a SELECT of every column of the same rows, through its C interface,
 * measured before and after; the better result counts.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"
#include "follower.h"
#include "parse.h"
#include "place.h"

enum { SEEKS = 200, STEPS = 200, REPEATS = 3 };

static void must(bool ok, const struct err *err)
{
    if (ok)
        return;
    fprintf(stderr, "bench_replay: %s\n", err->message);
    exit(EXIT_FAILURE);
}

/* Times are processor time, because nothing here waits. Memory is the peak so far, in KiB. */
static long memory_kib(const char *name)
{
    char line[128];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof(line), file)) {
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtol(line + strlen(name), NULL, 10);
    }
    if (file)
        (void)fclose(file);
    return kib;
}

/* Reads every column of every row with its own type. */
static int64_t take_row(sqlite3_stmt *row)
{
    int64_t sum = 0;
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        const unsigned char *text = NULL;
        if (sqlite3_column_type(row, i) == SQLITE_TEXT)
            text = sqlite3_column_text(row, i);
        sum += text ? text[0] + sqlite3_column_bytes(row, i) : sqlite3_column_int64(row, i);
    }
    return sum;
}

static double select_ms(const char *path, int64_t run, int64_t *rows)
{
    const double start = figure_cpu_ms();
    sqlite3 *db = NULL;
    sqlite3_stmt *query = NULL;
    bool ok = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
              sqlite3_prepare_v2(db,
                                 "SELECT run, seq, at_ms, mono_ms, kind, task, task_no, step,"
                                 " attempt, data, round, grant_no FROM event WHERE run=?"
                                 " ORDER BY seq",
                                 -1, &query, NULL) == SQLITE_OK;
    if (!ok) {
        fprintf(stderr, "bench_replay: %s\n", sqlite3_errmsg(db));
        exit(EXIT_FAILURE);
    }
    (void)sqlite3_bind_int64(query, 1, run);
    volatile int64_t sum = 0;
    *rows = 0;
    while (sqlite3_step(query) == SQLITE_ROW) {
        sum += take_row(query);
        (*rows)++;
    }
    (void)sqlite3_finalize(query);
    (void)sqlite3_close(db);
    return figure_cpu_ms() - start;
}

struct seeks {
    double ms[SEEKS];
    int count;
};

static void tell(const char *what, double value, const char *unit, const char *wanted)
{
    figure_print(
        &(const struct figure){.what = what, .value = value, .unit = unit, .wanted = wanted});
}

static void tell_seeks(const char *what, struct seeks *seeks, const char *wanted)
{
    char words[80];
    (void)snprintf(words, sizeof(words), "%s, median", what);
    tell(words, figure_share(seeks->ms, seeks->count, 0.5), "ms", NULL);
    (void)snprintf(words, sizeof(words), "%s, max", what);
    tell(words, figure_share(seeks->ms, seeks->count, 1), "ms", wanted);
    seeks->count = 0;
}

static void seek(struct follower *follower, int64_t seq, struct seeks *seeks)
{
    struct err err = {0};
    const double start = figure_cpu_ms();
    must(follower_seek(follower, seq, &err), &err);
    seeks->ms[seeks->count++] = figure_cpu_ms() - start;
}

static void measure_seeks(struct follower *follower, int64_t last)
{
    struct seeks seeks = {0};
    uint64_t chance = 1;
    for (int i = 0; i < SEEKS; i++) {
        chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407U;
        seek(follower, (int64_t)((chance >> 33) % (uint64_t)last) + 1, &seeks);
    }
    tell_seeks("go to any event", &seeks, "at most 50 ms");
    seek(follower, last, &seeks);
    seeks.count = 0;
    for (int64_t i = 1; i <= STEPS; i++)
        seek(follower, last - i, &seeks);
    tell_seeks("go back one event", &seeks, "at most 50 ms");
}

struct opened {
    double plan_ms, ms;
};

static struct opened open_run(const struct place *place, int64_t run, struct follower **out)
{
    struct err err = {0};
    struct opened opened;
    const double start = figure_cpu_ms();
    must(follower_open(out, place, run, &err), &err);
    opened.plan_ms = figure_cpu_ms() - start;
    follower_keep_past(*out);
    must(follower_read(*out, 0, NULL, NULL, NULL, &err), &err);
    opened.ms = figure_cpu_ms() - start;
    return opened;
}

int main(int argc, char **argv)
{
    struct err err = {0};
    int64_t run = 0;
    int64_t rows = 0;
    struct place place;
    if (argc != 3 || !parse_i64(argv[2], 1, INT64_MAX, &run, NULL)) {
        fprintf(stderr, "usage: bench_replay LOG RUN\n");
        return EXIT_FAILURE;
    }
    must(place_of_file(argv[1], &place, &err), &err);

    struct follower *follower = NULL;
    double least = select_ms(place.db, run, &rows);
    struct opened opened = {0};
    for (int i = 0; i < REPEATS; i++) {
        follower_close(follower);
        const struct opened once = open_run(&place, run, &follower);
        const double again = select_ms(place.db, run, &rows);
        opened = i == 0 || once.ms < opened.ms ? once : opened;
        least = again < least ? again : least;
    }
    tell("events in the run", (double)rows, "", NULL);
    figure_print(&(const struct figure){.what = "open and fold the run",
                                        .value = opened.ms,
                                        .unit = "ms",
                                        .peer = "SELECT of all columns",
                                        .peer_value = least,
                                        .wanted = "at most 3 x"});
    tell("open the run without folding it", opened.plan_ms, "ms", NULL);
    measure_seeks(follower, follower_state(follower)->last_seq);
    tell("peak memory", (double)memory_kib("VmHWM:") / 1024, "MiB", "at most 192 MiB");
    follower_close(follower);
    return EXIT_SUCCESS;
}
