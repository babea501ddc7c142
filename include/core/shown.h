/*
 * shown.h - the words and signs that every screen, line and JSON object uses.
 */
#ifndef DEVS_SHOWN_H
#define DEVS_SHOWN_H

#include <stdbool.h>

#include "entropy.h"
#include "run_state.h"
#include "shown_times.h"
#include "str.h"

/* A task's state as people see it: its status, and what lies over it. */
enum shown {
    SHOWN_NEEDS_YOU,
    SHOWN_BACKOFF,
    SHOWN_RUNNING,
    SHOWN_QUIET,
    SHOWN_STOPPING, /* it runs, and a person has cancelled it */
    SHOWN_QUEUED,
    SHOWN_HELD,
    SHOWN_PASSED,
    SHOWN_GAVE_UP,
    SHOWN_CANCELLED,
    SHOWN_STUCK,
    SHOWN_BLOCKED,
    SHOWN_LOST, /* it ran when its engine died */
    SHOWN_COUNT,
};

/* `orphaned`: the run has not ended but nobody owns it (devs was killed). */
enum shown shown_task(const struct run_state *state, int task, bool orphaned);
/* The parts of a task's state that shown_task() reads. */
struct shown_parts {
    enum task_status status;
    bool held;
    bool cancelling;
    bool quiet; /* read only while the task runs */
};
/* As shown_task(), for callers that have no fold. */
enum shown shown_status(const struct shown_parts *parts, bool orphaned);

/* "needs-you", "backoff", ... */
const char *shown_word(enum shown shown);
/* One column each: UTF-8 sign and its ASCII twin. */
const char *shown_sign(enum shown shown, bool ascii);

/* The four phase letters with a mark behind each, as in "R✓G▸V·F·"; phases the
 * task has no step for are left out. '?' is a proof that is stale. */
void shown_strip(const struct run_state *state, int task, bool ascii, struct str *out);

/* How many tries of a task that passed failed before a pass of the same step in the same round: the
 * same work was tried. What never started, and what devs' own end interrupted, did not fail. */
int shown_failed_attempts(const struct run_state *state, int task);

/* The CLASS column: "test-fail", "flaky 1x" for a pass that took tries in
 * its round, the blocker for a blocked task; "" where there is nothing to say. */
void shown_class(const struct run_state *state, int task, struct str *out);

enum { SHOWN_CLOCK_MAX = 32 };
/* A time of day in the person's own zone: "03:00", "Sun 03:00" where that is not the day of
 * `now_ms`. clock_short() is one. */
typedef const char *shown_clock_fn(int64_t at_ms, int64_t now_ms, char out[SHOWN_CLOCK_MAX]);
/* The same with seconds, whatever the day: clock_hms(). */
typedef const char *shown_hms_fn(int64_t at_ms, char out[SHOWN_CLOCK_MAX]);

/* The time that is shown. For a run that is over (or orphaned) it is the moment of its last
 * event: then nothing depends on the clock. */
struct shown_time {
    struct moment now;
    shown_clock_fn *clock;
    shown_hms_fn *hms;
    enum shown_times times; /* else than AGO: what is over is told by its time */
};

/* How tries are counted wherever they are shown: "3/6", "3/6 +2" after two that a server asked for,
 * "1/3 (4th in all)" after a retry by hand, "3" where it is not known of how many. `of` stands
 * between the two numbers. */
void shown_try_count(const struct try_count *count, const char *of, struct str *out);
/* The same as the member "try" of an object: {"number","of","free","in_all"}, only what is not 0.
 */
void shown_try_count_json(const struct try_count *count, struct str *out);

/* The TRY column: "3/6", "r2 1/4" where there may be several rounds (the first try of the second
 * round, whatever its number), or "start 2/4" while a start
 * fails or is tried again. */
void shown_try(const struct run_state *state, int task, struct str *out);

/* The same in words: "try 3 of 6", "start 2 of 4"; "" before the first. */
void shown_try_of(const struct run_state *state, int task, struct str *out);

/* The number of the first needed task that has not passed; -1 = all have. */
int shown_needed(const struct run_state *state, int task);
/* The NEXT/FOR column: "in 0:18", "until 03:00", "3:12", "held 2:41", "after T-104",
 * "ended 0:57", "resets 03:00", "slot 1st", "limit 0:18", "starting", "needs tax". */
void shown_next(const struct run_state *state, int task, bool orphaned,
                const struct shown_time *time, struct str *out);

/* When what a person is needed for may go on again, wall clock ms: the time that the
 * verdict is parked until; -1 = none is known. */
int64_t shown_resets_at_ms(const struct step_state *step);

/* Does anything on the screen change with time alone? */
bool shown_counts(const struct run_state *state, bool orphaned);

/* What a failed expectation is called: "passed, but was expected to fail: ", "red for the wrong
 * reason: "; "" for any other verdict. */
const char *shown_expectation(const struct verdict *verdict);

/* Why the task is as it is, one line of plain words: class, rule and the matched
 * text, a person's correction; "" if there is nothing to explain. */
void shown_cause(const struct run_state *state, int task, struct str *out);
/* The same and why the policy did not go on: "test-fail, rule tap.not-ok (gave up: 6 of 6
 * tries used)". */
void shown_why(const struct run_state *state, int task, struct str *out);

/* shown_decision.c, shown_end.c: what was decided and by what, as it is in the log. */

/* A wait's formula with its inputs: "15 s x2^2 = 60 s, jitter 0.75 -> 45 s, cap 5:00"; ""
 * where they are not recorded, or nothing waits. */
void shown_formula(const struct step_state *step, struct str *out);
/* Why the policy did not go on when the step ended: "6 of 6 tries used"; "" where it is not
 * recorded, or it did not end so. */
void shown_end(const struct plan_step *plan, const struct step_state *step, struct str *out);
/* Whether the step ended because a person must allow a refused call. */
bool shown_needs_allowing(const struct step_state *step);
/* The same, and what the log calls it where that says more: "gave up (retry exhausted)". */
void shown_end_named(enum decision_kind kind, struct str *out);
/* How the task's step ended, and why: "gave up: 6 of 6 tries used"; "" if it has not ended, or
 * well. */
void shown_ending(const struct run_state *state, int task, struct str *out);
/* The same with the log's own name: "gave up (retry exhausted): 6 of 6 tries used". */
void shown_ending_named(const struct run_state *state, int task, struct str *out);
/* Where it stands: " at out:5"; " at out byte 100107" where the lines before it were not all looked
 * at; "" where it is in no stream. */
void shown_evidence_place(const struct verdict *verdict, struct str *out);
/* What the verdict went by: `rule tap.not-ok at out:5: "not ok 3"`; "" for none. */
void shown_evidence(const struct verdict *verdict, struct str *out);
/* Rules that nearly decided: "rate-limit (quoted) at err byte 12"; "" for none. */
void shown_near(const struct verdict *verdict, struct str *out);
/* The server's hint and the rule it came from: "wait 45 s, by http.retry-after". */
void shown_hint(const struct verdict *verdict, struct str *out);
/* The class as a person corrected it, else as it was judged: "network". */
void shown_attempt_class(const struct attempt_state *attempt, const struct verdict *verdict,
                         struct str *out);
/* "15 s", "0.5 s"; two minutes and more as shown_duration(). */
void shown_seconds(int64_t ms, struct str *out);

/* shown_gate.c: sources that let not everything through. */

enum shown_room { SHOWN_IN_FULL, SHOWN_IN_BRIEF };
/* Does any gate keep something back? Not once the run has ended. */
bool shown_has_gate(const struct run_state *state);
/* How many wait for this source: behind its gate, and for a next try. */
int shown_waiting(const struct run_state *state, int source);
/* One gate, by its source's number: "rate limit of claude: T-104 tries; T-105 and T-109 wait", in
 * brief "...; 2 wait"; "" if it is open. */
void shown_gate(const struct run_state *state, int source, const struct shown_time *time,
                enum shown_room room, struct str *out);
/* The gate that changes next, and how many more there are: "rate limit of claude until 14:02:55
 * (0:18); T-104, T-105 and 4 more wait; met 2 times in a row   +2"; "" if all are open. */
void shown_gates(const struct run_state *state, const struct shown_time *time, enum shown_room room,
                 struct str *out);
/* For a step that waits behind its gate: "limit 0:18", "after T-104"; false where no gate
 * keeps it back. */
bool shown_behind_gate(const struct run_state *state, int task, const struct moment *now,
                       struct str *out);

/* shown_place.c: where a task works, and what that is worth. */

enum shown_proof {
    SHOWN_PROOF_NONE,  /* the step has not passed */
    SHOWN_PROOF_HOLDS, /* it passed, and nothing is known to have changed since */
    SHOWN_PROOF_STALE, /* it passed on another tree than there is now */
};
/* Of a step (from 0) of the task. */
enum shown_proof shown_proof(const struct run_state *state, int task, int step);
/* "proven on tree 0b1e12bc0d1e by try 2"; "" for none. */
void shown_proof_words(const struct run_state *state, int task, int step, struct str *out);
/* Steps whose proofs are stale: "step 1 RED: the tree has changed since"; "" for none. */
void shown_stale(const struct run_state *state, int task, struct str *out);
/* "worktree /home/ann/shop/.devs/work/...", "result on branch devs/41/tax"; "" in place. */
void shown_workspace(const struct run_state *state, int task, struct str *out);
/* "sandbox does not enforce pids, network"; "" where all is. */
void shown_lacks(const struct run_state *state, int task, struct str *out);
/* "1 try", "3 tries": a number of things. */
void shown_count(int64_t count, const char *one, const char *many, struct str *out);
/* What files hold: "312 bytes", "5 KiB", "3072 MiB"; rounded down. */
void shown_size(int64_t bytes, struct str *out);
/* Likewise of memory, which is counted in KiB. A log may say any number. */
void shown_size_kib(int64_t kib, struct str *out);

/* shown_circles.c: what loops, or may loop. Nothing is added while the verdict is ok. */

/* What is known of a task's looping. */
struct shown_circle {
    struct entropy_verdict verdict; /* its numbers are attempts of the steps below */
    int first_step, last_step;      /* from 0 */
    unsigned masks;                 /* what was masked in the last one: normaliser bits */
    bool of_calls; /* they are calls and messages of the agent within its latest attempt, counted
                      together as EVENT_AGENT_CALL does */
};
/* Suspected, or why its step ended as stuck, be it by a rung or by its policy's window. False,
 * and *out is ok, where there is nothing. */
bool shown_circles_of(const struct run_state *state, int task, struct shown_circle *out);
struct json;
/* The same as a decision's or an event's text in the log has it; level is stuck. `attempt` and
 * `step` are the event's. False, and *out untouched, where it says nothing of circles. */
bool shown_circles_read(const struct json *inputs, int step, int attempt, struct shown_circle *out);
/* From which try to which: "tries 2 to 4"; "step 1 try 3 to step 2 try 1" where they are not
 * all of `step`; "calls and messages 12 to 14". */
void shown_circles_span(const struct shown_circle *circle, int step, struct str *out);
/* "same result 5 times", "3 laps of 2 steps", "nothing new in 8 tries"; of an agent's calls
 * "nothing new in 16 calls". */
void shown_circle_words(const struct shown_circle *circle, struct str *out);
/* The same in a column of 11: "same 5x"; "loop? 3x" while it is suspected only. */
void shown_circles_brief(const struct entropy_verdict *verdict, struct str *out);
/* The CLASS column where there is one word's room: circles before the class, for they are the
 * news; where there is no class, the refused calls of its agents: "2 refused"; "" where there is
 * nothing to say. */
void shown_circles_or_class(const struct run_state *state, int task, struct str *out);
/* What was found equal: "the call and its result"; "" while ok. */
const char *shown_circles_equal(const struct entropy_verdict *verdict);
/* What was masked: "times, temp paths, pids"; "" for none. */
void shown_masks(unsigned masks, struct str *out);
/* The share of an attempt's lines that are new: ".04", "1.0"; "" for -1, not known. */
void shown_new(int permille, struct str *out);

/* ", and 10 retries by the agent itself"; nothing for 0. */
void shown_own_retries(int64_t count, struct str *out);
/* shown_agent.c: the agent of a task. Nothing is added where it has none, or nothing is known. */

/* A session's id as people tell it from others: the first eight digits of a UUID, else all. */
void shown_session(const char *session, struct str *out);
/* "12 turns, 31 calls, $0.31, 3 own retries"; only what is not 0, tokens where the cost
 * is not known. */
void shown_used(const struct agent_used *used, struct str *out);
/* "claude, session 83ca3d6e, 12 turns, 31 calls, $0.31": all rounds together. */
void shown_agent(const struct run_state *state, int task, struct str *out);
/* "$0.31 of $2.00 (15 %), 31 of 100 calls (31 %)": what has a limit, of a task or the run (-1). */
void shown_budgets(const struct run_state *state, int task, const struct moment *now,
                   struct str *out);
/* How much of it is used, rounded down. */
int shown_budget_percent(const struct budget_use *use);
/* "2 of 3: check `make test` exit 2": the current round of a task that may have several, and why it
 * began; "2 of 3" for a task that has passed. */
void shown_round(const struct run_state *state, int task, struct str *out);

/* m:ss or h:mm:ss; "0:00" for negative. */
void shown_duration(int64_t ms, struct str *out);
/* How long an attempt that has ended ran; "?" where its end was not seen. */
void shown_ran(const struct outcome *outcome, struct str *out);
/* The same of what is left of a wait: a second that has begun counts in full. */
void shown_left(int64_t ms, struct str *out);

#endif
