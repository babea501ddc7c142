/*
 * log_sample.h - a run to fill a log with: a plan of many tasks, driven by the real
 * scheduler with made-up outcomes on a made-up clock.
 */
#ifndef DEVS_LOG_SAMPLE_H
#define DEVS_LOG_SAMPLE_H

#include "log_writer.h"
#include "place.h"
#include "plan.h"
#include "run_state.h"
#include "scheduler.h"
#include "str.h"

/* Attempts that the scheduler asked for and that have not ended. */
struct sample_live {
    int task, step, attempt;
};

struct sample {
    struct place place;
    struct str plan_text; /* owned */
    struct plan *plan;    /* owned */
    struct run_state state;
    struct scheduler scheduler;
    struct turn turn;
    struct moment now;
    struct log_writer *writer; /* owned; NULL without a log */
    int64_t number;
    struct sample_live *live; /* owned */
    size_t live_count, live_cap;
};

/* A log in a new folder of its own. */
struct place sample_place(void);

/* A plan with this many tasks: every fifth fails, every seventh needs the one before. 0: an empty
 * plan that grows. */
void sample_init(struct sample *sample, int tasks);
/* Like sample_init(), with a log and a run in it. */
void sample_open(struct sample *sample, const struct place *place, int tasks);
void sample_done(struct sample *sample);

/* Makes one step of the scheduler, and commits it if there is a log. */
void sample_step(struct sample *sample, struct input input);
/* Starts the run. */
void sample_start(struct sample *sample);
/* Adds tasks to a plan that grows: "t000", "t001", ... */
void sample_add(struct sample *sample, int count);
/* Takes a person's act, as if it came from the log. */
void sample_control(struct sample *sample, struct control control);
/* Ends the next attempt or wait. Returns false if there is none. */
bool sample_advance(struct sample *sample);
/* Calls sample_advance() until it returns false. */
void sample_drive(struct sample *sample);

/* Simulates a full disk: files of this process cannot grow beyond the present size of the WAL and
 * `more` bytes. Below 0: no limit. */
void sample_limit_wal(const struct sample *sample, int64_t more);

/* Returns `count` notes, numbered from `seq`. The caller frees. */
struct event *sample_notes(int64_t seq, size_t count);

#endif
