/*
 * executor.h - executors: the other machines that a plan may use, and how each kind of them is
 * driven. Pure.
 *
 * An adapter is data: command lines of the programs that reach the machines, and how to read what
 * these print. The built-in ones are files of assets/executors. A kind with jobs (a cluster) gets a
 * job for each task, in which devs-hand holds the place until the task's attempts begin; the
 * cluster alone decides when and where the job runs.
 */
#ifndef DEVS_EXECUTOR_H
#define DEVS_EXECUTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "outcome.h"
#include "str.h"

/* Defaults of `dir` and `hand`. */
#define PLAN_EXECUTOR_DIR  "~/.cache/devs"
#define PLAN_EXECUTOR_HAND "devs-hand"

enum executor_kind { EXECUTOR_SSH, EXECUTOR_SLURM, EXECUTOR_KUBERNETES, EXECUTOR_KIND_COUNT };

/* Returns "ssh", "slurm" or "kubernetes"; "?" for an invalid value. Static. */
const char *executor_kind_name(enum executor_kind kind);
/* Returns whether the kind has jobs, instead of hosts. */
static inline bool executor_has_jobs(enum executor_kind kind)
{
    return kind != EXECUTOR_SSH;
}

/* What a task may ask of a cluster, in the order of the keys of `resources`. */
enum executor_resource {
    RESOURCE_CPUS,
    RESOURCE_MEMORY_MB,
    RESOURCE_TIME_S,
    RESOURCE_GPUS,
    RESOURCE_FEATURES,
    RESOURCE_COUNT,
};

/* A task's resources. All zero: none. */
struct executor_resources {
    int cpus, memory_mb, time_s, gpus; /* 0 = not asked for */
    char *features;                    /* owned; the cluster's words; NULL = none */
};

/*
 * How one kind is driven. Words in braces are replaced: see executor_argv(). An element that is
 * just "{args}" or "{resources}" is replaced by any number of arguments. All members are owned;
 * NULL = the kind has no such thing.
 */
struct executor_adapter {
    char **submit;       /* asks for a job, and prints its name */
    char *script;        /* its stdin */
    bool script_is_json; /* words in `script` are escaped as in a JSON string */
    char **channel;      /* runs {command} in the job, with stdin and stdout */
    char **list;         /* prints a line for each job of the run: JOB|STATE|REASON|NODE */
    char **cancel;       /* ends a job */
    char **who;          /* prints the user who cancelled a job, or a number; may print nothing */
    char **ping;         /* exits with 0 if the cluster answers */
    char **nodes;        /* prints a line for each group of nodes: STATE|COUNT */
    char **states;       /* "STATE=meaning" or "STATE/REASON=meaning": enum job_meaning */
    char **node_states;  /* "STATE=up", "STATE=drain" or "STATE=down" */
    char **refused;      /* parts of error messages that only a person can do something about */
    char **down;         /* parts of error messages that may go away; NULL = all but `refused` */
    char **resources[RESOURCE_COUNT]; /* arguments for each resource; {value} */
};

/* Sets the members to those of the built-in adapter of the kind. */
void executor_adapter_init(struct executor_adapter *adapter, enum executor_kind kind);
/* Frees the members, and makes them NULL. */
void executor_adapter_done(struct executor_adapter *adapter);
/* Returns whether the adapters start the same programs, and read them alike. */
bool executor_adapter_equals(const struct executor_adapter *a, const struct executor_adapter *b);
/* Returns whether it is the built-in adapter of the kind. */
bool executor_adapter_is_builtin(const struct executor_adapter *adapter, enum executor_kind kind);
/* Replaces the members, which belong to another adapter, by copies. */
void executor_adapter_copy(struct executor_adapter *adapter);

/* What a state of the cluster means. */
enum job_meaning {
    MEANS_QUEUED,
    MEANS_RUNNING,
    MEANS_ENDING,     /* nothing can start in it any more; a later list has the reason */
    MEANS_ENDED,      /* for no reason that the cluster gives */
    MEANS_TIME_LIMIT, /* from here to MEANS_NODE_FAILED: see meaning_cause() */
    MEANS_PREEMPTED,
    MEANS_CANCELLED,
    MEANS_MEMORY,
    MEANS_NODE_FAILED,
    MEANS_REFUSED, /* it can never run */
    MEANING_COUNT,
};
/* Returns whether nothing of the job can run any more. */
static inline bool meaning_is_end(enum job_meaning meaning)
{
    return meaning >= MEANS_ENDED;
}
/* Returns the cause of an end of attempts in the job. */
enum outcome_cause meaning_cause(enum job_meaning meaning);

enum {
    JOB_TEXT_MAX = 96,   /* bytes of a text of a cluster that are kept, with the NUL */
    JOB_LINE_MAX = 4096, /* longer lines of `list` are ignored */
};

/* A line of `list`. The texts are safe to show. */
struct job_line {
    char job[JOB_TEXT_MAX];
    enum job_meaning meaning;
    char reason[JOB_TEXT_MAX]; /* the cluster's words; "" = none */
    char node[JOB_TEXT_MAX];   /* "" = none */
};
/* Reads a line without its line feed. Returns false if it is not one. An unknown state counts as
 * running, so that nothing is given up because of it. */
bool executor_read_line(const struct executor_adapter *adapter, const char *line, size_t len,
                        struct job_line *out);
/* The nodes of a cluster. */
struct cluster_nodes {
    int up;    /* take jobs */
    int drain; /* take no new jobs, by order of an administrator */
    int down;  /* do not work */
};
enum { NODES_MAX = 10000000 }; /* of each */
/* Reads the output of `nodes`. Nodes in a state that the adapter does not list count as up. Signs
 * after a state, such as '*', are ignored. Returns false if no line can be read. */
bool executor_read_nodes(const struct executor_adapter *adapter, const char *text, size_t len,
                         struct cluster_nodes *out);

/* Reads the name of a job from the output of `submit`: from its last line, the part after the last
 * '/' and before the first ';'. Returns false if there is none. */
bool executor_read_job(const char *text, size_t len, char out[JOB_TEXT_MAX]);

/* Reads who cancelled a job from the output of `who`: a user, or "uid 1000" for a number. Returns
 * false if it prints no name of a user, which is the case without accounting. */
bool executor_read_user(const char *text, size_t len, char out[JOB_TEXT_MAX]);

/* Returns whether only a person can do something about this error message. */
bool executor_refuses(const struct executor_adapter *adapter, const char *message);

struct plan_executor;
/* Values for the words in braces; NULL = the word stays. All borrowed. */
struct executor_words {
    const char *run;     /* {run}: a label of all jobs of the run: [a-z0-9-] */
    const char *name;    /* {name}: the name of the holder, unique for all time: the same letters */
    const char *job;     /* {job} */
    const char *hold;    /* {hold}: the shell command of the job */
    const char *command; /* {command}: the shell command of a channel */
    const char *host;    /* {host} */
    const struct executor_resources *resources; /* {resources}; NULL = none */
};
/* Returns the command line for a template of the executor's adapter, NULL-terminated; to be freed
 * with text_list_free(). {args}, {image} and {shared} come from the executor. */
char **executor_argv(const struct plan_executor *executor, char *const *list,
                     const struct executor_words *words);
/* Appends the script for `submit`. */
void executor_script(const struct plan_executor *executor, const struct executor_words *words,
                     struct str *out);
/* Returns the first resource that is asked for but that the adapter has no arguments for, or
 * RESOURCE_COUNT. */
enum executor_resource executor_lacks(const struct executor_adapter *adapter,
                                      const struct executor_resources *resources);

#endif
