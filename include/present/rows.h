/* rows.h - facts about a run, a gate, a task, an attempt, a verdict, a decision, a loop or an
 * agent, as labeled rows.
 *
 * The builder of each subject sets the keys, labels and values of its rows. Text, JSON and panes
 * render the rows; they only choose which subjects to show, and in which order. */
#ifndef DEVS_ROWS_H
#define DEVS_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "control.h"
#include "overview.h"
#include "retry_help.h"
#include "run_state.h"
#include "shown.h"
#include "str.h"
#include "verdict.h"

enum row_style {
    ROW_PLAIN,
    ROW_ASIDE, /* left out of panes with little room */
};

struct row {
    const char *key;   /* the member in a JSON object; static */
    const char *label; /* static */
    struct str value;  /* owned; "" = unknown, not shown; may have several lines */
    enum row_style style;
};

/* All zero is a valid empty value. */
struct rows {
    struct row *items; /* owned */
    size_t count, cap;
};

/* Frees all rows. */
void rows_done(struct rows *rows);
/* Adds a row and returns its value for the caller to append to, valid until the next row. If there
 * is a row with this key already, its value gets another line instead. */
struct str *rows_add(struct rows *rows, const char *key, const char *label, enum row_style style);
/* Returns the value of the row, "" if there is none. */
const char *rows_value(const struct rows *rows, const char *key);

/* Runs, gates and tasks (rows_run.c). Tables draw a row as a column, by its key. */

enum shown_run {
    SHOWN_RUN_LIVE,
    SHOWN_RUN_ENDED,
    SHOWN_RUN_INTERRUPTED,
    SHOWN_RUN_OPEN, /* a session of an agent that devs did not start; it has no recorded end */
    SHOWN_RUN_COUNT,
};
/* Returns "live", "ended", "interrupted" or "open". */
const char *shown_run_state(enum shown_run state);
/* A run as a whole, without its events. */
struct run_facts {
    int64_t number;
    const char *name;    /* borrowed; may be NULL */
    const char *command; /* borrowed; the command line that started it; read by rows_advice() */
    bool is_plan;        /* the run is of a plan, not of one command */
    enum shown_run state;
    int live_runs; /* live runs in the log, including this one */
    bool is_suspended;
    int64_t pid; /* the devs process that owns the run */
    int64_t started_at_ms, last_at_ms, lasted_ms;
    int64_t tasks, passed, failed, cancelled; /* failed: includes blocked tasks */
    int64_t tries, waited_ms;                 /* sums over all tasks */
};
/* Adds "run" (its number, and the number of live runs if others are live), "name", "state",
 * "started", "lasted", "passed", "failed", "cancelled", "open" and "tries" (with the waits). */
void rows_run(struct rows *rows, const struct run_facts *run, const struct shown_time *time);
/* Adds "suspended" if the run's process is suspended, and for an agent's session "session": when it
 * was last seen. */
void rows_run_notes(struct rows *rows, const struct run_facts *run, const struct shown_time *time);
/* Adds "tasks" by state, and "tries" with the waits and the time of the next try. */
void rows_overview(struct rows *rows, const struct overview *overview, const struct run_facts *run,
                   const struct shown_time *time);
/* Adds "result": "3 of 6 passed, 1 after failures, 2 gave-up"; and "flaky": "1 after failures".
 * O(attempts). */
void rows_result(struct rows *rows, const struct run_state *state);
/* Adds "work": tries, failed starts and waits; and "agents": the usage of all agents and the run's
 * budgets. O(attempts). */
void rows_work(struct rows *rows, const struct run_state *state);
/* Adds "gates": the gates that hold tasks back, one line each; and "gate": the next gate that will
 * change, with the number of others. The values are empty if all gates are open, or if the run has
 * ended or has no engine. */
void rows_gates(struct rows *rows, const struct run_state *state, const struct shown_look *look);
/* Adds "faults": the faults that several waiting tasks share, one line each. Adds nothing if the
 * run has ended or has no engine. */
void rows_faults(struct rows *rows, const struct run_state *state, const struct shown_look *look);

/* Adds the columns of a list of tasks: "state", "task", "title", "phases", "try", "next", "class",
 * "news" (a loop, the class or denied calls), "place" (shown_where()) and "why". */
void rows_task(struct rows *rows, const struct run_state *state, int task,
               const struct shown_look *look);
/* Adds "now": the state of the task with its NEXT/FOR column (shown_next()), and the number of
 * `later` tries of the step. */
void rows_now(struct rows *rows, const struct run_state *state, int task, int later,
              const struct shown_look *look);
/* Adds "state", "task", "try", "next" and "why" for a task that an overview lists. `has_ended`: the
 * run has ended. */
void rows_listed(struct rows *rows, const struct overview_row *row, bool has_ended,
                 const struct shown_look *look);
/* Adds "outcome": how the last try of the task's current step ended, or who cancelled the task; and
 * "tries": how many tries the step had, and why not more. */
void rows_tries(struct rows *rows, const struct run_state *state, int task);

/* The machines that run tasks: this one, and the hosts of the plan's executors (rows_host.c). */

enum { HOST_HERE = -1 }; /* this machine, in place of the number of a host */

enum shown_host {
    SHOWN_HOST_UNTRIED,    /* nothing was started there yet */
    SHOWN_HOST_CONNECTING, /* the first attempts are being started there */
    SHOWN_HOST_UP,         /* nothing runs there */
    SHOWN_HOST_BUSY,
    SHOWN_HOST_DRAIN, /* a cluster none of whose nodes takes new jobs */
    SHOWN_HOST_DOWN,
    SHOWN_HOST_COUNT,
};
/* Returns "untried", "connecting", "up", "drain" or "down". Static. */
const char *shown_host_word(enum shown_host host);
/* Returns the state of tasks whose sign and style the host has. */
enum shown shown_host_sign(enum shown_host host);

/* Returns whether the numbers of nodes are known. */
bool shown_has_nodes(const struct cluster_nodes *nodes);
/* Appends `before` and "3 of 4 nodes take jobs, 1 drained"; nothing if they are not known. */
void shown_nodes(const struct cluster_nodes *nodes, const char *before, struct str *out);

struct host_facts {
    enum shown_host shown;
    int used, slots;
    int away;       /* of the used ones, attempts without contact */
    int queued;     /* of the used ones, attempts whose job waits in a cluster's queue */
    int first_task; /* the first task that runs there; -1 = none */
};

/* The machines of a run. All zero is a valid empty value. */
struct hosts {
    struct host_facts
        *items; /* owned; this machine, then the hosts by number: index = number + 1 */
    int *order; /* owned; the numbers for display: hosts that are down, other hosts, this machine */
    int count;  /* of both */
    int *next;  /* owned; by task: the next task that runs on the same machine, -1 = none */
    int down, used, slots; /* sums */
};
/* Reads the machines of the state. The caller calls hosts_done(). O(tasks + hosts). */
void hosts_read(struct hosts *out, const struct run_state *state);
/* Frees the members. */
void hosts_done(struct hosts *hosts);
/* Adds the columns of a list of machines, for a host or for HOST_HERE: "host", "executor", "state"
 * ("down 0:42"), "slots" ("3/4", in use), "contact" (the last one) and "tasks" (that run there; for
 * lack of contact until when they are fenced; how many are queued; else why it is down; and how
 * many nodes take jobs, if not all). The host of a cluster is its kind. */
void rows_host(struct rows *rows, const struct hosts *hosts, const struct run_state *state,
               int number, const struct shown_look *look);
/* Adds "now" (its state in a sentence), "nodes", "contact", "fence", "runs" (a line for each task
 * that runs there), "tries" (how those that were there ended), and how it is reached.
 * O(attempts). */
void rows_host_more(struct rows *rows, const struct hosts *hosts, const struct run_state *state,
                    int number, const struct shown_look *look);
/* Adds "hosts": "4 machines, 1 down, 6 of 15 slots in use". */
void rows_hosts_sum(struct rows *rows, const struct hosts *hosts);
/* Adds "down": the hosts that are down, one line each; nothing if the run has ended or has no
 * engine. */
void rows_hosts_down(struct rows *rows, const struct run_state *state,
                     const struct shown_look *look);
/* Adds "host": the machine of an attempt, unless that is this one. */
void rows_attempt_host(struct rows *rows, const struct run_state *state,
                       const struct attempt_state *attempt);

/* Advice, with the commands to type (shown_advice.c). */

/* Returns advice for a start that failed with this enum start_code; NULL if the reason is enough.
 * Static. */
const char *shown_start_remedy(int code);

/* Adds "next": what would help the task and who must do it; empty if there is nothing to do. */
void rows_advice(struct rows *rows, const struct run_state *state, int task,
                 const struct run_facts *run, const struct shown_look *look);
/* Adds "captured": how to show the captured end of an attempt. */
void rows_captured(struct rows *rows, const struct run_state *state, const struct run_facts *run,
                   int task, int step, int attempt);

/* Attempts, verdicts, decisions, loops and agents (rows.c). */

/* Adds when the attempt started and how and when it ended, its wait, the time and memory that it
 * used, how much it wrote, the share of new lines and the fingerprint. */
void rows_attempt(struct rows *rows, const struct attempt_state *attempt,
                  const struct shown_time *time);
/* Adds the hint that a person gave for the attempt. */
void rows_hint(struct rows *rows, const struct attempt_state *attempt);
/* Adds the class of an ended attempt, its evidence and certainty, contract violations, near misses
 * and the server's hint. `verdict` may be NULL if it is not known. */
void rows_verdict(struct rows *rows, const struct plan_step *plan,
                  const struct attempt_state *attempt, const struct verdict *verdict,
                  const struct shown_time *time);
/* Adds the last rows of rows_verdict(): facts that shown_cause() does not have. */
void rows_verdict_more(struct rows *rows, const struct verdict *verdict,
                       const struct shown_time *time);
/* Adds the other tries of the step and the other tasks that have the same result as this failed
 * attempt. O(attempts of the run). */
void rows_same(struct rows *rows, const struct run_state *state, int task, int step,
               const struct attempt_state *attempt);
/* A wait for the next attempt. */
struct wait_facts {
    struct delay delay;
    int64_t due_at_ms;
    bool is_free;  /* the wait used up no attempt */
    bool is_start; /* the wait follows a failed start, not a failed try */
    bool is_over;
    int used, allowed, own_retries;  /* tries, or starts; 0 = not recorded */
    char skipped_by[CONTROL_BY_MAX]; /* the person who skipped it; "" = nobody */
};
/* Adds the decision to try again after a delay. */
void rows_wait(struct rows *rows, const struct wait_facts *wait);
/* Adds the formula of the delay (shown_formula()), and when and how the wait ends. */
void rows_wait_more(struct rows *rows, const struct wait_facts *wait, const char *formula,
                    const struct shown_time *time);
/* Adds the decision that ended a step: its kind, the reason (shown_end()), and the person who
 * cancelled it (NULL = nobody). */
void rows_end(struct rows *rows, enum decision_kind kind, const char *reason, const char *by);
/* Adds that the end of a step counts toward the entropy of its task. */
void rows_entropy(struct rows *rows, const struct run_state *state, int task);
/* Adds how the task's step ended, and why (shown_ending()). */
void rows_ending(struct rows *rows, const struct run_state *state, int task);
/* Adds why the task is in its state (shown_cause()), and how its step ended. */
void rows_cause(struct rows *rows, const struct run_state *state, int task);
/* Adds a loop, as seen from this step (from 0); no rows while its verdict is ok. */
void rows_loop(struct rows *rows, const struct shown_circle *circle, int step);
/* Adds a mask that the tries of a loop were compared with, for loops without masks of their own. */
void rows_masked(struct rows *rows, const char *mask);
/* Adds a line of the first and of the last try of a loop, and what both look like once masked. */
void rows_sample(struct rows *rows, const char *first, const char *last, const char *compared);
/* Adds the limits of the plan's loop detector, unless it is off. */
void rows_limits(struct rows *rows, const struct plan *plan);
/* Adds the task's agent, its budgets, its round, and the nudge for its next prompt. */
void rows_agent(struct rows *rows, const struct run_state *state, int task,
                const struct moment *now);
/* Adds the last claim of the task's agent, fitted to `columns` columns (shown_said()). */
void rows_said(struct rows *rows, const struct run_state *state, int task, int columns);
/* Adds the proof that this attempt gave, if the tree has changed since then. */
void rows_proof(struct rows *rows, const struct run_state *state, int task, int step, int attempt);
/* Adds the limits that the sandbox does not enforce, stale proofs, the task's workspace, and its
 * job on a cluster. */
void rows_place(struct rows *rows, const struct run_state *state, int task);
/* Adds the forecast: the next attempts of a waiting task, unless its run is orphaned; and if `odds`
 * is not NULL, how likely the next attempt is to pass. */
void rows_ahead(struct rows *rows, const struct run_state *state, int task, bool orphaned,
                const struct retry_odds *odds, const struct shown_time *time);

/* Called with each line of a value. `label` is "" after the first line. */
typedef void rows_line_fn(void *ctx, const char *label, const char *text, enum row_style style);
/* Calls `line` with the lines of all rows. */
void rows_each(const struct rows *rows, rows_line_fn *line, void *ctx);
/* Appends each line as text, indented, with a column of labels. */
void rows_text(const struct rows *rows, int label_columns, struct str *out);
/* Appends each row that has a value as a member of the caller's JSON object. */
void rows_json(const struct rows *rows, struct str *out);

#endif
