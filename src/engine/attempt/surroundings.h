/*
 * surroundings.h - what is around one attempt: its task's workspace and its own sandbox.
 *
 * They are made before the attempt's process and looked after once it is over. What blocks
 * is for a job (workers.h) of the task's line; everything else, and what such a job has found,
 * is for the loop's thread while no job is under way.
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

enum { SURROUNDINGS_ERR_TAIL = 4096 }; /* bytes of stderr that a sandbox may say something in */

/* All borrowed until surroundings_close(). */
struct surroundings_call {
    struct workspace_slot *slot; /* NULL: the task works in place */
    enum workspace_kind kind;
    const struct sandbox_spec *spec;
    const struct call *call; /* argv, folder, environment as they are without a sandbox */
    char *const *own;        /* the step's own entries of the environment; NULL = none */
    char *const *our_environment;
    const char *run_dir;
    const char *log_dir;
    const char *log_db;    /* the log in it */
    const char *plan_path; /* the plan's file; NULL = there is none */
    const char *uid;       /* of the run */
    const char *task_id;
    const char *title; /* of the task, for its result */
    int step, attempt;
    int64_t processes; /* the plan's limit, 0 = none */
    bool knows_place;  /* where the workspace is is in the log already */
    bool begins_round; /* the tree is saved anew: what an earlier round saved counts no more */
    bool keeps_tree;   /* a further attempt goes on with the tree as it is: its agent knows it */
};

struct surroundings {
    struct surroundings_call call;
    char *name;              /* owned; the sandbox's */
    char **environment;      /* owned array of borrowed texts; NULL = the call's */
    struct sandbox *sandbox; /* owned; NULL before and after */
    bool has_sandbox;        /* there is one, or groups and limits: it is prepared, finished */
    struct str err_tail;     /* what the process wrote to stderr at last */
    struct outcome raw;      /* how the process ended */

    /* What surroundings_prepare() found. */
    bool is_ready;  /* the process may be started; else: */
    int start_code; /* why not */
    struct err err; /* likewise, in words */
    bool has_made, has_before, was_reset;
    struct workspace_made made;
    struct tree_facts before;
    struct str lacks, lacks_why; /* keys that are not enforced; "" = all are */

    /* What surroundings_finish() found. */
    struct sandbox_end end;

    /* What surroundings_keep() found. */
    bool is_kept, has_after;
    struct err keep_err;
    struct tree_facts after;
    struct workspace_kept kept;
};

/* Does the attempt need any of this? Else it is started as it is. */
bool surroundings_are_wanted(const struct surroundings_call *call);

/* Nothing is made yet; *call is copied, what it points to borrowed. */
void surroundings_open(struct surroundings **out, const struct surroundings_call *call);
/* No job may have it; surroundings_remove() comes first where is_ready. */
void surroundings_close(struct surroundings *around);

/* Blocks. Workspace and sandbox as the attempt is to find them. */
void surroundings_prepare(struct surroundings *around, const atomic_bool *stop);
/* Blocks. The process has ended as `raw` and `err_tail` say: what that means, and the sandbox's
 * end. */
void surroundings_finish(struct surroundings *around);
/* Blocks. The sandbox of a process that could not be started. */
void surroundings_remove(struct surroundings *around);
/* Blocks. The last step of its task passed: keep the result, and what it is. */
void surroundings_keep(struct surroundings *around, const atomic_bool *stop);

/* Told of one fact for the log; `text` is a JSON object, NULL = none; both for the call. */
typedef void surroundings_fact_fn(void *ctx, const struct input_fact *fact, const char *text);
/* What surroundings_prepare(), or surroundings_keep(), found. */
void surroundings_tell_prepared(const struct surroundings *around, surroundings_fact_fn *tell,
                                void *ctx);
/* The same after surroundings_keep(). */
void surroundings_tell_kept(const struct surroundings *around, surroundings_fact_fn *tell,
                            void *ctx);

#endif
