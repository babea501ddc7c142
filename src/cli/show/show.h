/* show.h - a run as `devs status` shows it, as text and as JSON; the parts that other commands
 * print, too; and the reasons that `devs why` prints. */
#ifndef DEVS_SHOW_H
#define DEVS_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "control.h"
#include "err.h"
#include "follower.h"
#include "log_reader.h"
#include "moment.h"
#include "protocol.h"
#include "retry_help.h"
#include "rows.h"
#include "run_state.h"
#include "shown.h"
#include "str.h"
#include "target.h"
#include "verdict.h"

enum { STATUS_TASKS_MAX = 200 }; /* a run with more tasks gets an overview, unless --all is given */

struct status {
    struct log_reader *reader; /* owned if there is no follower, otherwise the follower's */
    struct follower *follower; /* has read all events, or all before the damage; NULL = only the
                                  overview is shown */
    struct err damage;
    bool orphaned;
    bool needs_adopting; /* the log does not belong to the user (log_own.h) */
    int live_runs;       /* active runs in the log */
    bool ascii;
    bool is_brief;                /* too many tasks: only the overview is shown */
    struct log_overview overview; /* filled in if is_brief */
    struct moment now; /* the time to show: now, or if no clock is running, the end of the run or
                          its last sign of life */
};

/* Returns the row of the run. Borrowed from the status. */
const struct log_run_info *status_run(const struct status *status);

/* Returns whether the run has ended, but the log is damaged before that point. */
bool status_is_cut_short(const struct status *status);

/* Opens the run on status->reader, which the follower then owns, and reads all its events. A
 * damaged log is no error: see status->damage. */
ATTR_MUST_USE bool status_read(struct status *status, int64_t run, struct err *err);
/* Prints what is wrong with the log, if anything. Returns the exit code. */
int status_tell_trouble(const struct status *status);

/* Returns how the status shows tasks: its time and its clock formats. */
struct shown_look status_look(const struct status *status);
/* Adds the rows of the run (rows_run() and rows_run_notes()). */
void status_rows(const struct status *status, struct rows *rows);

/* Returns the facts of a run in the log, for rows_run(). `info` must outlive them. */
struct run_facts run_facts_of(const struct log_run_info *info);

/* Appends "seed" as a string, because it may exceed the range of JSON numbers. */
void seed_json(uint64_t seed, struct str *out);

/* Appends one object, {"v":1,...}, without a line feed. */
void status_json(const struct status *status, struct str *out);

/* Prints the machines of the run, one line each. */
void status_print_hosts(const struct status *status);
/* Appends "slots", "used" and "hosts", the machines of the run, as members of the caller's object.
 * docs/screens.md has the members of each. */
void hosts_json(const struct run_state *state, const struct shown_look *look, struct str *out);

/* Prints the status to stdout: each task, or the overview if `is_brief`. */
void status_print(const struct status *status);

/* Agents, loops and workspaces of a run as members of JSON objects. Pure. Each function appends
 * members inside the caller's braces. */

/* Appends "turns", "calls", "cost_usd", "tokens", and "own_retries" and "refused" if not 0. */
void agent_used_json(const struct agent_used *used, struct str *out);
/* For a task with an agent, appends "agent" and "session_id" once known, "round", "rounds",
 * "turns", "calls", "cost_usd", "tokens", "own_retries", "refused", "refused_call" (the last one of
 * the latest attempt), "nudge", and "budgets" with "used" and "limit" for each budget that has a
 * limit. Appends nothing for other tasks. */
void agent_json(const struct run_state *state, int task, const struct moment *now, struct str *out);

/* Appends "circles":{"level","rung","count","period","first_step","first_attempt","last_step",
 * "last_attempt","masked","masks","equal","words"}; appends nothing if the level is ok. Steps and
 * attempts count from 1. Members that do not apply are omitted. */
void circles_json(const struct shown_circle *circle, struct str *out);

/* Appends "workspace": {"kind","path","branch","result"} unless the task works in place, without a
 * path once the result is kept; "sandbox_lacks": the sandbox keys that are not enforced, as a
 * string; and "proofs": what is known about each passed step. */
void place_json(const struct run_state *state, int task, struct str *out);

/* Lines in columns. */

enum { COLUMNS_ID_MIN = 6 }; /* minimum width of the column of task ids */

/* Appends the text, padded to the width. Text that is too wide still gets a blank after it. */
void columns_add(struct str *out, const char *text, int columns);

/* Widens the column of ids to fit this one. Ids are never truncated, because they are typed in
 * the next command. */
void columns_widen(int *columns, const char *id);

/* The most informative line of a failed task's output. */

enum { TELLING_BYTES = 16 * 1024 };
/* Appends one clean line about a failed task: the line that decided its class, or else the most
 * informative line of its last output, stderr before stdout. Appends nothing if the task wrote
 * nothing. Reads at most TELLING_BYTES of the log. */
void telling_line(struct log_reader *reader, int64_t run, const struct run_state *state, int task,
                  struct str *out);

/*
 * How an attempt ended and why, according to the log: for `devs why`.
 */

struct json;

/* A decision as recorded in the log. */
struct why_decided {
    bool there;
    struct str inputs;  /* owned; the inputs of the decision, a JSON object; may be empty */
    struct str formula; /* owned; the decision as text; may be empty */
};

struct why {
    struct follower *follower; /* borrowed; has read all events */
    struct attempt_pick pick;
    bool orphaned;
    struct moment now; /* the time to show: now, or if no clock is running, the end of the run or
                          its last sign of life */
    bool judged;
    struct verdict verdict;       /* valid if judged */
    struct why_decided wait;      /* the decision to try again after a wait */
    struct wait_facts wait_facts; /* valid if wait.there */
    struct shown_circle
        circle; /* a suspected loop, or the loop that ended the step; otherwise its level is ok */
    struct why_decided stop; /* the decision that ended the step, possibly after a wait */
    enum decision_kind end;  /* valid if stop.there */
    struct json *evidence;   /* owned; the capture of the loop that ended the step; NULL = none */
    struct rows facts;       /* owned; other facts that the engine recorded */
    struct str facts_json;   /* owned; the same facts as comma-separated objects */
    bool entropy;            /* the end of the step counts toward entropy */
    bool captured;           /* valid if stop.there: the end of the step was captured */
    bool has_odds;           /* a retry is possible, and enough similar retries were recorded */
    struct retry_odds odds;
};

/* Folds the run again and keeps the facts about this attempt. The caller ends *out with why_done(),
 * also after an error. */
ATTR_MUST_USE bool why_read(struct follower *follower, const struct attempt_pick *pick,
                            struct why *out, struct err *err);
void why_done(struct why *why);

/* For people: appends the lines, each with a line feed. */
void why_words(const struct why *why, struct str *out);
/* For programs: appends one object, {"v":1,...}, without a line feed. */
void why_json(const struct why *why, struct str *out);

#endif
