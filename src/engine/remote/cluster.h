/*
 * cluster.h - the jobs of a run on a cluster: one for each task that needs one.
 *
 * Thread: engine, including the callbacks. A job is asked for when the first attempt of its task
 * begins, and released after the task's end; meanwhile its steps, attempts and rounds run in it. In
 * the job, devs-hand (hold) waits for attempts; a job that is idle for a while ends itself, so that
 * a devs that has died leaves no jobs behind for long.
 *
 * The cluster is asked for the states of all jobs at once, and then for the numbers of its nodes,
 * at most every `poll_s`. So that a start
 * is noticed earlier, each job writes the name of its node to a file in a folder that the nodes
 * share with this machine. The file is only a hint: a forged one makes devs open a channel to the
 * job too early.
 */
#ifndef DEVS_CLUSTER_H
#define DEVS_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>

#include "executor.h"
#include "remote.h"

enum {
    CLUSTER_ERRANDS_MAX = 8,        /* submissions, cancellations and releases at a time */
    CLUSTER_LIST_MAX = 1024 * 1024, /* bytes of a list of jobs */
    CLUSTER_ANSWER_MAX = 64 * 1024, /* bytes of the output of a submission */
    CLUSTER_LOOK_MS = 200,          /* how often the files of new jobs are looked for */
    CLUSTER_LOOK_LATE_MS = 1000,    /* and those of jobs that wait for longer */
    CLUSTER_NEW_MS = 30 * 1000,     /* how long a job counts as new */
    CLUSTER_START_MS = 60 * 1000,   /* how long a running job may take to leave its file */
    CLUSTER_MISSES_MAX = 2,         /* lists without a job before it counts as ended */
    CLUSTER_CAUSE_MS = 15 * 1000,   /* how long the cause of an end is waited for */
    CLUSTER_CAUSE_POLL_MS = 1000,   /* and how often the cluster is asked for it */
    CLUSTER_WHO_MAX = 4,            /* how often it is asked who cancelled a job, with that pause */
};

struct cluster;
struct cluster_job;

/* What happened to a job. The texts are borrowed for the call. */
struct job_news {
    enum job_state state;
    const char *reason, *node; /* "" = none; of a cancelled job, `reason` may say by whom */
    int code;                  /* if it ended before it ran: an enum start_code; otherwise 0 */
    const char *why;           /* then: why, in words */
};
/* Hears of the job. */
typedef void job_news_fn(void *ctx, const struct job_news *news);

struct cluster_call {
    const struct plan_executor *executor; /* borrowed, as all of these */
    char *const *environment;
    const char *run_mark;
    const char *uid; /* the run's uid; it becomes part of names */
    const char *dir; /* a folder of this machine for the files of starts; NULL = none */
    /* A query failed because the cluster does not answer, or succeeded again. */
    void (*answers)(void *ctx, bool does, const char *why);
    /* The numbers of its nodes have changed. NULL = they are not asked for. */
    void (*has_nodes)(void *ctx, const struct cluster_nodes *nodes);
    void *ctx;
};
/* Opens the cluster; the call's members are borrowed until it is closed. */
struct cluster *cluster_open(struct nursery *nursery, struct uv_loop_s *loop,
                             const struct cluster_call *call);
/* Ends all queries, and releases all jobs; these errands keep the loop running until they are done.
 * With `at_once` there are none, and the jobs end themselves. May be called again. */
void cluster_leave(struct cluster *cluster, bool at_once);
/* Frees it, when no errand is on its way. The loop must run once more to close a handle. */
void cluster_close(struct cluster *cluster);

/* Returns the task's job; asks for a new one if there is none or it has ended. */
struct cluster_job *cluster_job_of(struct cluster *cluster, int task,
                                   const struct executor_resources *resources);
/* Returns the task's job; NULL = none. */
struct cluster_job *cluster_job_find(const struct cluster *cluster, int task);
/* Adds a job of an earlier devs. Its state is asked for at once. */
void cluster_adopt(struct cluster *cluster, int task, const char *name, const char *holder,
                   const struct executor_resources *resources);
/* Sets the function that hears of the job from now on, first of its current state if that is known,
 * but not from within this call. NULL = none. */
void cluster_job_watch(struct cluster_job *job, job_news_fn *tell, void *ctx);
/* Returns whether channels to the job are possible, as far as is known. */
bool cluster_job_runs(const struct cluster_job *job);
/* Returns the cause of the job's end; CAUSE_NONE = not known, or it has not ended. */
enum outcome_cause cluster_job_cause(const struct cluster_job *job);
/* Returns who cancelled the job; "" = not known, or it was not cancelled. */
const char *cluster_job_canceller(const struct cluster_job *job);
/* Asks for the state at once, and again until it is an end. */
void cluster_job_ask(struct cluster_job *job);
/* Returns a new job for the same task, and cancels this one, which cannot be used. The watcher
 * moves to the new one. */
struct cluster_job *cluster_job_renew(struct cluster_job *job);
/* Cancels a job in which nothing was started. */
void cluster_job_drop(struct cluster_job *job);

/* The cluster's name of the job; "" before it is known. */
const char *cluster_job_name(const struct cluster_job *job);
/* The name of devs-hand's holder in it. */
const char *cluster_job_holder(const struct cluster_job *job);

/* The folder `name` of an ended attempt of the task is to be removed with the job. */
void cluster_clean(struct cluster *cluster, int task, const char *name);
/* Releases the task's job, if it has one. */
void cluster_release(struct cluster *cluster, int task);

#endif
