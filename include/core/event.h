/* event.h - one row of the run log. An event records what happened, not a state.
 *
 * A kind has a name and its own fields. One table (event_data.c) describes the fields of each kind:
 * their JSON name, C type, range and meaning. Reading, writing, the range check and the table in
 * docs/run-log.md are derived from it. Names and meanings are in every log: add fields and kinds,
 * never change them. */
#ifndef DEVS_EVENT_H
#define DEVS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "attr.h"
#include "control.h"
#include "digest.h"
#include "entropy.h"
#include "executor.h"
#include "moment.h"
#include "outcome.h"
#include "plan.h"
#include "policy.h"
#include "protocol.h"
#include "str.h"
#include "verdict.h"
#include "workspace_spec.h"

/* The fields in struct event, below, explain each kind. */
enum event_kind {
    EVENT_NONE,
    EVENT_RUN_STARTED,
    EVENT_RUN_ENDED,
    EVENT_ATTEMPT_STARTED,
    EVENT_ATTEMPT_RUNNING,
    EVENT_ATTEMPT_ENDED,
    EVENT_ATTEMPT_JUDGED,
    EVENT_WAIT_STARTED,
    EVENT_WAIT_ENDED,
    EVENT_STEP_ENDED,
    EVENT_STEP_REOPENED,
    EVENT_TASK_BLOCKED,
    EVENT_TASK_HELD,
    EVENT_TASK_RELEASED,
    EVENT_CANCEL_ASKED,
    EVENT_CONTROL_ANSWERED,
    EVENT_ATTEMPT_QUIET,
    EVENT_ATTEMPT_HEARD,
    EVENT_NOTE,
    EVENT_GATE_CLOSED,
    EVENT_GATE_OPENED,
    EVENT_CLASS_CORRECTED,
    EVENT_RUN_RECOVERED,
    EVENT_LOOP_SUSPECTED,
    /* From here to EVENT_AGENT_CALL: facts that the engine found besides the ends of attempts. All
     * but EVENT_TIME_STOPPED name an attempt, running or ended. */
    EVENT_WORKSPACE_MADE,
    EVENT_WORKSPACE_SAVED,
    EVENT_WORKSPACE_RESET,
    EVENT_TREE_PROVEN,
    EVENT_WORKSPACE_CHANGED,
    EVENT_RESULT_KEPT,
    EVENT_SANDBOX_LACKS,
    EVENT_TIME_STOPPED,
    EVENT_SECRETS_CUT,
    EVENT_AGENT_SESSION,
    EVENT_AGENT_USED,
    EVENT_AGENT_CALL,
    EVENT_BUDGET,
    EVENT_ROUND_STARTED,
    EVENT_TASK_ADDED,
    EVENT_HINT_GIVEN,
    EVENT_ATTEMPT_PLACED,
    /* From here to EVENT_DAY_COST: more such facts. To EVENT_JOB_STATE: about other machines.
     * All but EVENT_HOST_STATE name the running attempt. */
    EVENT_HOST_STATE,
    EVENT_CONTACT_LOST,
    EVENT_CONTACT_FOUND,
    EVENT_JOB_STATE,
    EVENT_AFTER_ENDED,
    EVENT_DAY_COST,
    EVENT_KIND_COUNT,
    EVENT_UNKNOWN =
        EVENT_KIND_COUNT, /* a kind of a newer devs: kept, counted, and skipped by the fold */
};

/* The tasks that EVENT_RUN_RECOVERED runs. OPEN: the open tasks of an interrupted run. In a run
 * that has ended: all tasks that did not pass (REST), only the failed ones (FAILED), or only tasks
 * that later controls name (ASKED). */
enum take_up {
    TAKE_UP_OPEN = 0,
    TAKE_UP_REST = 1,
    TAKE_UP_FAILED = 2,
    TAKE_UP_ASKED = 3,
    TAKE_UP_COUNT,
};

enum {
    AGENT_CALLS_MAX =
        10000, /* maximum EVENT_AGENT_CALL events per attempt; further calls are only counted */
    EVENT_TEXT_MAX = 4096,    /* maximum bytes of a long string as JSON: a prompt, a task, a list */
    EVENT_DATA_MAX = 8192,    /* maximum bytes of an event's JSON object */
    EVENT_KIND_NAME_MAX = 32, /* maximum bytes of a kind's name, including the NUL */
};

/* How an attempt ended. */
struct event_end {
    struct outcome outcome;
    struct digest fingerprint; /* fingerprint of the result; unknown = not computed */
    bool partial;              /* the fingerprint does not cover all of the output */
    int64_t skipped_bytes;     /* bytes that the fingerprint counts but does not cover */
    int new_permille; /* share of lines that the task had not written before; -1 = no lines */
    bool fails;       /* the program exited with code 0, but the attempt was not a success */
    /* If set, `loop` is the attempt as a step of the task's trajectory, without the call and the
     * share of new lines. Set only if the outcome is exit, signal or timeout, and not for the last
     * attempt of a task that passes. */
    bool has_loop;
    struct entropy_fact loop;
    const char *start_error; /* why the attempt never started, in one line; NULL = it started */
};

/* A wait for the next attempt. */
struct event_wait {
    struct delay delay;
    struct moment due;
    bool is_free; /* a server requested the wait, so the previous attempt does not count */
    struct decision_inputs inputs;
};

/* One event. Due times are on both clocks. Strings are borrowed from the code that made the event
 * or from the page that it was read into; NULL = none. */
enum { EVENT_SLOT_MAX = 1000 };

struct event {
    int64_t seq; /* from 1, without gaps, within its run; 0 = not appended yet */
    struct moment at;
    enum event_kind kind;
    int task;       /* task number; -1 = none */
    int step;       /* number within the task, -1 = none */
    int round;      /* from 1; 0 = none */
    int grant;      /* from 1; 0 = none */
    int attempt;    /* from 1; 0 = none */
    const char *by; /* the person who caused the event */
    union {
        /* The largest member is first: an initializer that names no member zeroes only the first
         * one. */
        struct event_wait wait;
        struct event_end ended;
        struct {
            int jobs;
        } run_started;
        struct {
            int exit_code;
        } run_ended;
        struct {
            struct digest call;
            int start; /* number of this start, if earlier ones failed; 0 = the first */
        } started;
        /* The machine on which the attempt runs; not written for this machine. */
        struct {
            const char *executor, *host; /* names, as in the plan */
        } placed;
        struct {
            int64_t pid;
            int64_t pid_start; /* clock ticks since boot */
            int slot; /* the task's DEVS_SLOT on this machine, at most EVENT_SLOT_MAX; 0 = none */
            int port; /* its DEVS_PORT_1; 0 = none */
        } running;
        /* Not written for a plain success. */
        struct verdict_record judged;
        struct verdict_label corrected; /* a person's correction, for any attempt that has ended */
        struct {
            bool skipped; /* a person skipped the wait; otherwise it was due */
        } wait_ended;
        struct {
            enum decision_kind decision;
            int attempts; /* number of attempts used */
            bool entropy; /* counts toward entropy */
            bool capture; /* a capture was taken */
            /* Empty for a success, a cancellation, and a deadline that had passed before the
             * start. */
            struct decision_inputs inputs;
        } step_ended;
        struct {
            int grant;   /* number of the new grant */
            int allowed; /* attempts that it allows in total */
            int scale; /* thresholds are multiplied by this from now on, and known loops remain; 0 =
                          a new segment begins */
        } reopened;
        struct {
            int needs; /* number of the needed task that did not pass */
        } blocked;
        struct {
            int follows; /* number of the task that this one follows; -1 = held by a person */
        } held;
        /* `by` is NULL if the task was released because the task that it followed got through. */
        struct {
            struct moment
                due; /* new end of the task's wait, if the release delays it; otherwise 0 */
        } released;
        struct {
            enum cancel_mode mode; /* how to stop running attempts: of the whole run if the event
                                      names no task */
        } cancel;
        struct {
            int64_t control; /* id of the control */
            bool done;       /* false: the control was refused */
            enum control_verb verb;
            const char *answer;
        } answered;
        struct {
            int64_t quiet_ms; /* time without output */
        } quiet;
        struct {
            const char *note; /* a message for the user */
        } note;
        /* The event names the step that hit the limit, or that was sent. */
        struct {
            int source;
            struct moment due;
            int limits; /* consecutive limits */
            int chosen; /* number of the queued task that a person wants to send first; -1 = none */
        } gate_closed;
        /* The event names the task that got through and its current step, which after a success is
         * the next step. */
        struct {
            int source;
            int waiting; /* number of steps waiting at the gate */
            int64_t spacing_ms;
        } gate_opened;
        struct {
            bool rebooted;
            int jobs; /* maximum attempts at the same time from now on; 0 = unchanged */
            enum take_up take_up;
        } recovered;
        /* A loop of the attempt that has just ended, or of the running agent's calls, which may
         * then be stuck. */
        struct {
            struct loop_facts facts;
            bool of_calls;
            const char *nudge; /* the line that the agent gets */
        } loop;
        struct {
            enum workspace_kind kind;
            int64_t ms;
            const char *path, *base, *branch;
            int64_t setup_ms, copied;
        } workspace;
        /* The tree of a workspace: saved before the step's first attempt, restored and verified, or
         * saved after an attempt that succeeded. */
        struct {
            struct digest tree;
            int64_t count; /* files; for a reset: paths corrected */
            int64_t bytes; /* size of the files; for a reset: bytes written */
            int64_t ms;
        } tree;
        /* The changes of a failed attempt. */
        struct {
            int64_t paths, added, removed; /* paths; lines added and removed */
            bool partial;                  /* the changes were not examined completely */
            int64_t ms;
            const char *why;
            const char *changed; /* lines such as "M src/a.c", for the first paths */
        } changes;
        /* The result of the task's last step, which is kept. */
        struct {
            bool is_folder; /* the result is in a folder; otherwise on a branch */
            const char *branch, *commit, *path;
        } kept;
        struct {
            const char *keys; /* keys of the sandbox that are not enforced here, one per line */
            const char *why;
        } lacks;
        struct {
            int64_t
                ms; /* time in which devs was suspended; not counted by any timeout of the run */
        } stopped;
        /* A host of an executor; recorded when it changes. A host is up until it is reported as
         * down. */
        struct {
            const char *executor, *host;
            bool is_down;               /* it does not answer: nothing is started there */
            const char *why;            /* why it is down; NULL if it is up */
            struct cluster_nodes nodes; /* all 0 = not known */
        } host;
        /* The attempt's job on a cluster; recorded when its state, reason or node changes. */
        struct {
            enum job_state state;
            const char *job;    /* the cluster's name of the job */
            const char *holder; /* the name of devs-hand's holder in it */
            const char *reason; /* the cluster's words for the state; NULL = none */
            const char *node;   /* where the job runs; NULL = not known yet */
        } job;
        /* The connection to the attempt's machine broke. Nothing of the attempt works any more
         * after `fence`. */
        struct {
            struct moment since; /* when the machine was last heard */
            struct moment fence;
        } contact_lost;
        /* The connection is back. */
        struct {
            int64_t from; /* byte of the attempt's spool there, from which reading continues */
        } contact_found;
        struct {
            int64_t count;     /* secrets removed from the attempt's output */
            const char *names; /* lines such as "3 NAME" */
        } secrets;
        /* The session of a running agent; recorded again if it changes. */
        struct {
            const char *agent;   /* name of the adapter */
            const char *session; /* id of the session */
            bool resumed;        /* the session had begun before this attempt */
        } session;
        struct {
            struct agent_used used;   /* usage so far in this attempt */
            const char *refused_call; /* the last call that the CLI denied */
        } used;
        /* A tool call, or a message. A message of a person is tool "user" without `loop`; it begins
         * a new trajectory. */
        struct {
            int64_t number; /* number of the call within the attempt, from 1 */
            int64_t ms;     /* duration; 0 = unknown */
            int code;       /* exit code; 1 if the call is only known to have failed */
            bool running;
            const char *tool, *what; /* what: the call in one line */
            bool has_loop;
            struct entropy_fact loop; /* the call as a step of the attempt's trajectory */
        } call;
        /* What all runs of the log have used on this day; only if the plan limits it. */
        struct {
            int date; /* year, month, day: 20261201 */
            int64_t cost_micro;
            int64_t own_micro; /* the cost of this run so far */
        } day;
        /* A command of the plan's `after` has ended. */
        struct {
            enum plan_after what;
            int code;            /* exit code; -1 = it has none */
            const char *command; /* as a line of shell */
            const char *why;     /* if it failed: the last line of stderr, or why it did not run */
        } after;
        /* A budget of a task, or of the run (no task), is almost or completely spent. */
        struct {
            enum budget_kind kind;
            int64_t used, limit;
            bool is_spent;
        } budget;
        /* A step failed, and the agent before it is prompted again. The event names the failed
         * attempt. */
        struct {
            int round;     /* number of the new round, from 2 */
            int from_step; /* the agent's step, where the round begins */
            int failed_step, failed_attempt;
            const char *prompt;
        } round_started;
        struct {
            int number;       /* number of the new task: the previous number of tasks */
            const char *task; /* JSON, as in a plan */
        } task_added;
        /* A person's additions to a retry of the current step, before its next attempt. The hint
         * goes to the agent that is prompted next: run_state_hint_goes(). */
        struct {
            int allowed; /* total attempts of the set from now on; 0 = unchanged */
            const char *hint;
        } hint;
        struct {
            const char *kind; /* name of the kind in the log */
        } unknown;
    };
    bool is_damaged;  /* for an event that was read: its data is invalid, so the fold rejects it */
    const char *data; /* for an event that was read from a log: its whole JSON object; else NULL */
};

/* Returns the name of the kind, such as "attempt_started"; "?" for a kind that this build does not
 * know: see event_kind_is_known(). */
const char *event_kind_name(enum event_kind kind);
/* The inverse of event_kind_name(). Returns EVENT_UNKNOWN for any other name. */
enum event_kind event_kind_named(const char *name, size_t len);
/* Returns whether this build knows the kind. Unknown kinds are kept, and skipped by the fold. */
bool event_kind_is_known(enum event_kind kind);
/* Returns "open", "rest", "failed" or "asked". Static. */
const char *take_up_name(enum take_up take_up);
/* Returns whether INPUT_FACT accepts events of this kind: EVENT_WORKSPACE_MADE to EVENT_AGENT_CALL,
 * and EVENT_HOST_STATE to EVENT_JOB_STATE. */
bool event_kind_is_fact(enum event_kind kind);

/* Returns an event of this kind about the run, with all fields set to their defaults. */
struct event event_new(enum event_kind kind);

/* Appends the fields of the event as a JSON object; for an event that was read, its `data`. Leaves
 * out fields with their default value, unless a reader of the log would miss them. */
void event_write(const struct event *event, struct str *out);
/* Appends the fields of an event that was not read, as members without braces. */
void event_write_members(const struct event *event, struct str *out);
/* Returns the string that event_write() appends. The caller frees. */
ATTR_MUST_USE char *event_object(const struct event *event);
/* Reads the fields of event->kind from a JSON object of a log; missing fields get their default.
 * Decodes strings into *room, which must have more than `len` free bytes (str_reserve()) and must
 * not move while the event is used. Sets event->data to `json`, which must be NUL-terminated and is
 * borrowed just as long. Returns false if `json` is not a JSON object, is longer than
 * EVENT_DATA_MAX, or a value has the wrong type or is out of range. */
ATTR_MUST_USE bool event_read(struct event *event, const char *json, size_t len, struct str *room);
/* Called with a string of an event. May replace it. */
typedef void event_text_fn(void *ctx, const char **text);
/* Calls `visit` for each string of the event, including JSON values and `data`. */
void event_each_text(struct event *event, event_text_fn *visit, void *ctx);
/* Copies all strings of the event to *room, which is cleared first, and makes the event point to
 * the copies. The event must not point into *room before. */
void event_keep(struct event *event, struct str *room);
/* Events with copies of their strings. Zero-initialized: empty. */
struct event_list {
    struct event *items; /* owned */
    struct str
        *texts; /* owned; memory for the strings of each event, reused if `count` is set to 0 */
    size_t count, cap;
};
/* Appends a copy of the event and returns it; valid until the next one is added. */
struct event *event_list_add(struct event_list *list, const struct event *event);
/* Removes the first `count` events. */
void event_list_drop(struct event_list *list, size_t count);
/* Frees the members of the list. */
void event_list_done(struct event_list *list);

/* Removes all strings if the event's JSON object would otherwise exceed EVENT_DATA_MAX. */
void event_limit(struct event *event);
/* Returns whether all numbers of an event of a known kind are in the ranges of their fields. */
bool event_is_in_range(const struct event *event);

/* Appends the fields of each kind as rows of a Markdown table, for docs/run-log.md. */
void event_fields_table(struct str *out);

#endif
