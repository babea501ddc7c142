/*
 * workspace_set.h - the workspaces of a run's tasks, each opened when it is first wanted.
 *
 * Belongs to the loop's thread; what a slot points to is used by the jobs of its task alone.
 */
#ifndef DEVS_WORKSPACE_SET_H
#define DEVS_WORKSPACE_SET_H

#include <stdbool.h>

#include "attr.h"
#include "err.h"
#include "run_state.h"
#include "str.h"
#include "workspace.h"

/* All borrowed until workspace_set_done(). */
struct workspace_set_call {
    const struct run_state *state;
    const struct plan *plan; /* as called: no secret of `setup` is cut */
    const char *run_mark;    /* "DEVS_RUN=...": whoever goes on with the run finds what is left */
    const char *run_dir;
    const char *plan_path;    /* as in struct workspace_place */
    const char *log_dir;      /* workspaces are below it */
    const char *log_db;       /* the log in it */
    const char *uid;          /* of the run */
    int64_t number;           /* likewise */
    char *const *environment; /* of git and of `setup` */
};

/* One task's. */
struct workspace_slot {
    struct workspace *workspace; /* owned; NULL: not wanted yet */
    bool is_made;                /* by this engine, or picked up by it: the jobs' */
};

struct workspace_set {
    struct workspace_set_call call;
    struct workspace_slot *slots; /* owned; by task */
    int slot_count;               /* tasks that are added later work in place */
    char **environment;           /* owned array of borrowed texts */
    struct str base;              /* the run's folder for workspaces */
    char run[24];                 /* the number as text */
};

/* A place for each task of the plan, none made yet; *call is copied, what it points to borrowed. */
void workspace_set_init(struct workspace_set *set, const struct workspace_set_call *call);
void workspace_set_done(struct workspace_set *set);

/* The task's, which starts from the results of what it needs. Only for tasks that do not work
 * in place. False: it can have none. */
ATTR_MUST_USE bool workspace_set_get(struct workspace_set *set, int task,
                                     struct workspace_slot **out, struct err *err);

/* The same where it is open already, else NULL. */
struct workspace_slot *workspace_set_find(const struct workspace_set *set, int task);

#endif
