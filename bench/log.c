/*
 * log.c - the cost of appending to the run log: the writer, compared with a bare loop of prepared
 * statements that writes the same rows into the same tables in the same transactions.
 *
 * usage: bench_log LOG RUN DIR
 *
 * Writes the events of a recorded run again, batch by batch, into logs in DIR, which must be empty.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "figure.h"
#include "log_reader.h"
#include "log_rows.h"
#include "log_writer.h"
#include "parse.h"
#include "plan.h"
#include "run_state.h"
#include "xalloc.h"

enum { BATCH = 16, ROUNDS = 5 };

static void must(bool ok, const struct err *err)
{
    if (ok)
        return;
    fprintf(stderr, "bench_log: %s\n", err->message);
    exit(EXIT_FAILURE);
}

/* A recorded run. */
struct source {
    struct log_run_info info;
    struct plan *plan;    /* owned */
    struct event *events; /* owned, including their strings */
    size_t count, cap;
};

static void take_page(struct source *source, const struct event_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        struct event event = page->events[i];
        struct str room = {0}; /* kept until the end of the program */
        event_keep(&event, &room);
        source->events =
            xgrow(source->events, &source->cap, source->count + 1, sizeof(*source->events));
        source->events[source->count++] = event;
    }
}

static void read_source(const char *path, int64_t run, struct source *source)
{
    struct err err = {0};
    struct place place;
    struct log_reader *reader = NULL;
    struct event_page page = {0};
    struct violations violations = {0};
    must(place_of_file(path, &place, &err) && log_reader_open(&reader, &place, &err) &&
             log_reader_run(reader, run, &source->info, &err),
         &err);
    bool ok = plan_parse(source->info.plan_text, strlen(source->info.plan_text), &source->plan,
                         &violations);
    must(ok || err_set(&err, ERR_INVALID, "the plan of the run is none"), &err);
    do {
        must(log_reader_events(reader, run, (int64_t)source->count, &page, &err), &err);
        take_page(source, &page);
    } while (page.count > 0);
    event_page_done(&page);
    log_reader_close(reader);
}

/* A new log with the run in it. */
struct target {
    struct place place;
    struct run_state state;
    struct log_writer *writer; /* owned */
};

static void open_target(const struct source *source, const char *dir, const char *name,
                        struct target *target)
{
    char path[PATH_MAX];
    struct err err = {0};
    int64_t number = 0;
    const struct log_run run = {.name = source->info.name,
                                .kind = source->info.kind,
                                .plan_text = source->info.plan_text,
                                .dir = source->info.dir,
                                .command = source->info.command,
                                .rules_hash = source->info.rules_hash,
                                .rules_text = "{}",
                                .seed = source->info.seed,
                                .jobs = source->info.jobs,
                                .tasks = source->info.tasks,
                                .now = source->events[0].at};
    (void)snprintf(path, sizeof(path), "%s/%s.db", dir, name);
    run_state_init(&target->state, source->plan, source->info.seed);
    must(place_of_file(path, &target->place, &err) &&
             log_writer_open(&target->writer, &target->place, &err) &&
             log_writer_begin(target->writer, &run, &target->state, &number, &err),
         &err);
}

static void close_target(struct target *target)
{
    log_writer_close(target->writer);
    run_state_done(&target->state);
}

/* Returns how long the commits took, without the fold, which is not part of the log. */
static double append(const struct source *source, struct target *target)
{
    struct err err = {0};
    double took = 0;
    for (size_t at = 0; at < source->count; at += BATCH) {
        const size_t left = source->count - at;
        const struct log_batch batch = {.events = source->events + at,
                                        .event_count = left < BATCH ? left : BATCH};
        for (size_t i = 0; i < batch.event_count; i++)
            must(run_state_apply(&target->state, &batch.events[i], &err), &err);
        const bool is_last = at + BATCH >= source->count;
        const double from = figure_wall_ms();
        must(log_writer_commit(target->writer, &batch, is_last ? LOG_SYNC_FULL : LOG_SYNC_NORMAL,
                               &err),
             &err);
        took += figure_wall_ms() - from;
    }
    return took;
}

static double round_of_devs(const struct source *source, const char *dir, const char *name)
{
    struct target target = {0};
    open_target(source, dir, name, &target);
    const double took = append(source, &target);
    close_target(&target);
    return took;
}

static double round_of_peer(const struct source *source, const char *dir, const char *name,
                            const struct log_rows *rows, enum log_rows_which which)
{
    char from[PATH_MAX];
    char to[PATH_MAX];
    struct target target = {0};
    (void)snprintf(from, sizeof(from), "%s/noted.db", dir);
    (void)snprintf(to, sizeof(to), "%s/%s.db", dir, name);
    open_target(source, dir, name, &target);
    close_target(&target);
    return log_rows_write(rows, which, from, to);
}

static void lessen(double *least, double value)
{
    *least = *least == 0 || value < *least ? value : *least;
}

int main(int argc, char **argv)
{
    struct source source = {0};
    struct log_rows rows = {0};
    int64_t run = 0;
    if (argc != 4 || !parse_i64(argv[2], 1, INT64_MAX, &run, NULL)) {
        fputs("usage: bench_log LOG RUN DIR\n", stderr);
        return 2;
    }
    read_source(argv[1], run, &source);
    log_rows_start(&rows);
    (void)round_of_devs(&source, argv[3], "noted");
    log_rows_stop();
    double devs = 0, peer = 0, events = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "devs%d", i);
        lessen(&devs, round_of_devs(&source, argv[3], name));
        (void)snprintf(name, sizeof(name), "peer%d", i);
        lessen(&peer, round_of_peer(&source, argv[3], name, &rows, LOG_ROWS_ALL));
        (void)snprintf(name, sizeof(name), "events%d", i);
        lessen(&events, round_of_peer(&source, argv[3], name, &rows, LOG_ROWS_EVENTS));
    }
    const double count = (double)source.count * 1e3;
    figure_print(&(const struct figure){.what = "append, 16 events per commit",
                                        .value = count / devs,
                                        .unit = "events/s",
                                        .peer = "prepared statements for the same rows",
                                        .peer_value = count / peer,
                                        .wanted = "at least 0.8 x"});
    figure_print(&(const struct figure){.what = "the same, compared with event rows only",
                                        .value = count / devs,
                                        .unit = "events/s",
                                        .peer = "no projections",
                                        .peer_value = count / events});
    return 0;
}
