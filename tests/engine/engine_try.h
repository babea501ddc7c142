/*
 * engine_try.h - what the tests of the engine share: a folder, a log in it, one run, and what
 * the log says of it afterwards. One at a time.
 */
#ifndef DEVS_ENGINE_TRY_H
#define DEVS_ENGINE_TRY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine.h"
#include "event.h"
#include "log_reader.h"
#include "run_state.h"
#include "str.h"

/* The deadline is no measure: a busy machine takes what it takes. */
enum { TRY_DEADLINE_MS = 60000, TRY_GRACE_MS = 200, TRY_ANY_EXIT = -1 };

struct engine_try {
    char dir[PATH_MAX - 512]; /* the run's folder */
    struct place place;
    struct engine_options options; /* may be changed before try_start() */
    const char *keys;              /* members of the plan beside its tasks, with ' for " */
    int deadline_ms;               /* of try_finish(); 0 = TRY_DEADLINE_MS */
    struct plan *plan;
    struct engine *engine;
    int64_t number;
    struct log_reader *reader;
    struct event_page page;
    struct run_state state; /* the fold of the log */
};
extern struct engine_try tried;

/* Fixtures: run and log in a new folder. */
void try_open(void);
void try_close(void);
/* The same in folders that are there. */
void try_open_at(const char *dir, const char *log_dir);

/* A plan of these tasks, with ' for ", is run. */
void try_start(const char *tasks);
/* The same where the engine is to refuse it; false if it did not. */
bool try_refuse(const char *tasks, struct err *err);
/* Wait until the engine ends by itself. */
struct engine_result try_finish(void);

/* All of it: start the tasks, wait for the end, check the exit code, and read the log. */
void try_run(const char *tasks, int exit_code);

/* Wait until `ready` says so; false once the deadline is over. */
bool try_await(bool (*ready)(void));

/* Read all events and fold them. */
void try_read_log(void);
size_t try_count(enum event_kind kind, int task);
/* The first one; there has to be one. */
const struct event *try_find(enum event_kind kind, int task);
/* What the log has of one stream of an attempt of the task's first step. */
void try_read_output(int task, int attempt, int stream, struct str *out);

void try_make_file(const char *name);
bool try_has_file(const char *name);
/* try_has_file("ready"). */
bool try_is_ready(void);

#endif
