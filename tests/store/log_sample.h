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

/* A plan of so many tasks: every fifth fails, every seventh needs the one before. 0: one that
 * grows. */
void sample_init(struct sample *sample, int tasks);
/* As above, with a log and an entered run. */
void sample_open(struct sample *sample, const struct place *place, int tasks);
void sample_done(struct sample *sample);

/* One step of the scheduler, committed if there is a log. */
void sample_step(struct sample *sample, struct input input);
/* Begin the run. */
void sample_start(struct sample *sample);
/* Add so many tasks to a plan that grows: "t000", "t001", ... */
void sample_add(struct sample *sample, int count);
/* A person's act, as if it came from the log. */
void sample_control(struct sample *sample, struct control control);
/* Let the next thing happen: an attempt ends or a wait. False when nothing can. */
bool sample_advance(struct sample *sample);
/* sample_advance() until nothing can. */
void sample_drive(struct sample *sample);

/* From now on files of this process cannot grow beyond the WAL's size and so many
 * bytes: a full disk. Less than 0: as they like. */
void sample_limit_wal(const struct sample *sample, int64_t more);

/* Batch of so many notes, numbered on from `seq`. Owned by the caller: free(). */
struct event *sample_notes(int64_t seq, size_t count);

#endif
