/*
 * surroundings.h - the surroundings of one attempt: the workspace of its task and its own sandbox.
 *
 * They are prepared before the attempt's process starts and inspected after it has ended. Functions
 * that block belong in a job (workers.h) on the task's line. All other functions, and the results
 * of such a job, are for the engine's thread while no job is running.
 */
#ifndef DEVS_SURROUNDINGS_H
#define DEVS_SURROUNDINGS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "call.h"
#include "err.h"
#include "outcome.h"
#include "sandbox.h"
#include "scheduler.h"
#include "str.h"
#include "workspace.h"

enum { SURROUNDINGS_ERR_TAIL = 4096 }; /* bytes of stderr searched for messages of a sandbox */

/* All borrowed until surroundings_close(). */
struct surroundings_call {
    struct workspace_slot *slot; /* NULL if the task works in place */
    enum workspace_kind kind;
    const struct sandbox_spec *spec;
    const struct call *call; /* argv, folder and environment as they are outside a sandbox */
    char *const *own;        /* the step's own environment entries; NULL = none */
    char *const *our_environment;
    const char *run_dir;
    const char *log_dir;
    const char *log_db;    /* the log database */
    const char *plan_path; /* path of the plan file; NULL if there is none */
    const char *uid;       /* the run's uid */
    const char *task_id;
    const char *title; /* the task's title, for its result */
    int step, attempt;
    int64_t processes; /* the plan's limit; 0 = none */
    bool knows_place;  /* the location of the workspace is already logged */
    bool begins_round; /* save the tree again, and ignore what an earlier round saved */
    bool keeps_tree; /* a later attempt continues with the tree as it is, because its agent knows it
                      */
};

struct surroundings {
    struct surroundings_call call;
    char *name;              /* owned; name of the sandbox */
    char **environment;      /* owned array of borrowed strings; NULL = the call's */
    struct sandbox *sandbox; /* owned; NULL unless prepared */
    bool has_sandbox; /* there is a sandbox, or control groups and limits, to prepare and to finish
                       */
    struct str err_tail; /* the last bytes the process wrote to stderr */
    struct outcome raw;  /* how the process ended */

    /* Results of surroundings_prepare(). */
    bool is_ready;  /* the process may be started; otherwise see: */
    int start_code; /* the error code */
    struct err err; /* the error message */
    bool has_made, has_before, was_reset;
    struct workspace_made made;
    struct tree_facts before;
    struct str lacks, lacks_why; /* keys that are not enforced, and why; "" = all are */

    /* Results of surroundings_finish(). */
    struct sandbox_end end;

    /* Results of surroundings_keep(). */
    bool is_kept, has_after;
    struct err keep_err;
    struct tree_facts after;
    struct workspace_kept kept;
};

/* Sets *out to NULL if the attempt needs no surroundings and is started directly. Prepares nothing
 * yet. Copies *call, and borrows what it points to. */
void surroundings_open(struct surroundings **out, const struct surroundings_call *call);
/* No job may be using it. If is_ready, call surroundings_remove() first. */
void surroundings_close(struct surroundings *around);

/* Blocks. Prepares the workspace and the sandbox for the attempt. */
void surroundings_prepare(struct surroundings *around, const atomic_bool *stop);
/* Blocks. Interprets how the process ended (`raw`, `err_tail`), then inspects and removes the
 * sandbox. */
void surroundings_finish(struct surroundings *around);
/* Blocks. Removes the sandbox of a process that could not be started. */
void surroundings_remove(struct surroundings *around);
/* Blocks. Keeps the result after the last step of its task has passed, and records what it is. */
void surroundings_keep(struct surroundings *around, const atomic_bool *stop);

/* Receives one fact for the log. `text` is a JSON object, may be NULL. Both are borrowed for the
 * call. */
typedef void surroundings_fact_fn(void *ctx, const struct input_fact *fact, const char *text);
/* Reports the results of surroundings_prepare(). */
void surroundings_tell_prepared(const struct surroundings *around, surroundings_fact_fn *tell,
                                void *ctx);
/* Reports the results of surroundings_keep(). */
void surroundings_tell_kept(const struct surroundings *around, surroundings_fact_fn *tell,
                            void *ctx);

#endif
