/*
 * event.h - one row of the run log. What happened, never what is.
 *
 * Kinds and the meaning of their fields are in every log ever written: add,
 * never renumber. docs/run-log.md has the same table for people.
 */
#ifndef DEVS_EVENT_H
#define DEVS_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "moment.h"

enum event_kind {
    EVENT_NONE = 0,
    /* a: jobs; text: {"by"} */
    EVENT_RUN_STARTED = 1,
    /* a: exit code of the run */
    EVENT_RUN_ENDED = 2,
    /* a, b: call digest; c: number of this start try (0 for an attempt as such) */
    EVENT_ATTEMPT_STARTED = 3,
    /* a: pid; b: its start time in clock ticks since boot */
    EVENT_ATTEMPT_RUNNING = 4,
    /* a: outcome kind; b: its code; c: ran ms; d: stdout bytes; e: stderr bytes;
     * text: {"rss","cpu","out_lines","err_lines","left","fp","partial","skipped","new",
     * "fails","loop","start","stop","quiet"}, only what is not 0; fp: 32 hex digits, the
     * fingerprint of the result; partial: true if it is not of all the output; skipped: bytes that
     * it only counts; new: permille of its lines that the task had not written before, none where
     * it has no lines; fails: true if it ended with code 0 and is no success all the same; loop:
     * what the attempt is as a step of the task's trajectory (entropy.h) beside call, fp and new.
     * Not there for the last attempt of a task that passes, and where the outcome is none of exit,
     * signal and timeout. start: of what never started, the line that says why. stop: enum
     * outcome_stop of a cancelled one; quiet: ms of silence that timed out */
    EVENT_ATTEMPT_ENDED = 5,
    /* a: verdict class; b: transient type; c: reason; text: evidence (verdict.h).
     * Not written for a plain success. */
    EVENT_ATTEMPT_JUDGED = 6,
    /* a: delay ms; b: due, wall ms; c: due, mono ms; d: exact ms before jitter;
     * e: 1 if a server's hint is waited out and the attempt uses up none of the grant;
     * text: the formula's inputs {"policy","n","base","multiplier","cap","jitter",
     * "factor","hint","used","allowed"} */
    EVENT_WAIT_STARTED = 7,
    /* a: 0 it was due, 1 a person skipped it; text (1): {"by"} */
    EVENT_WAIT_ENDED = 8,
    /* a: decision kind; b: attempts used; c: 1 if it counts as entropy; d: 1 if a
     * capture was taken; text: what the decision went by (protocol.h); none for a
     * success, for a cancel, and for a deadline that was over before the start */
    EVENT_STEP_ENDED = 9,
    /* a: the new grant's number; b: attempts it allows; c: what was seen of circles stays, and
     * its thresholds are c times theirs from now; 0: a new segment begins; text: {"by"} */
    EVENT_STEP_REOPENED = 10,
    /* a: number of the needed task that did not pass */
    EVENT_TASK_BLOCKED = 11,
    /* a: number of the task that it follows + 1, 0: none; text: {"by"} */
    EVENT_TASK_HELD = 12,
    /* a: due, wall ms; b: due, mono ms, if its wait ends later for it; else 0;
     * text: {"by"}, none when what it followed is through */
    EVENT_TASK_RELEASED = 13,
    /* a: cancel mode; text: {"by"}; task -1: the whole run */
    EVENT_CANCEL_ASKED = 14,
    /* a: control id; b: 1 done, 0 refused; c: verb; text: {"answer","by"} */
    EVENT_CONTROL_ANSWERED = 15,
    /* a: ms without output */
    EVENT_ATTEMPT_QUIET = 16,
    EVENT_ATTEMPT_HEARD = 17,
    /* text: {"note"}: something the person should read */
    EVENT_NOTE = 18,
    /* a: source; b: due, wall ms; c: due, mono ms; d: how many limits in a row;
     * e: number of the task in line that a person sends before that + 1, 0: none. The event
     * names the step that met the limit, or that was sent. */
    EVENT_GATE_CLOSED = 19,
    /* a: source; b: how many steps wait behind it; c: ms between their starts. The event
     * names the task that came through; its step is the current one, which after a success
     * is the one that follows. */
    EVENT_GATE_OPENED = 20,
    /* a: verdict class; b: transient type; c: reason; text: {"by"}; of any attempt */
    EVENT_CLASS_CORRECTED = 21,
    /* Another engine takes the run up. a: 1 if the clock since boot began anew; b: attempts at a
     * time from now on, 0: as before; c: enum take_up; text: {"by"} */
    EVENT_RUN_RECOVERED = 22,
    /* It may be looping; of the attempt that has just ended. a: rung; b: the first attempt
     * of it, c: the last; d: count; e: 1 if it is about the calls of an agent that runs: b and c
     * are the numbers of calls, and it may be stuck; text: what the rungs say (circles.h),
     * {"nudge"}: a line for the agent */
    EVENT_LOOP_SUSPECTED = 23,
    /* 24 to 32 are facts that the engine found beside the attempts' ends; all but
     * EVENT_TIME_STOPPED name an attempt, live or over. Digests stand for a whole tree. */
    /* a: workspace kind; b: ms that it took; text: {"path","base","branch","setup_ms","copied"} */
    EVENT_WORKSPACE_MADE = 24,
    /* the tree before the step's first attempt was saved. a, b: its digest; c: files; d: bytes;
     * e: ms */
    EVENT_WORKSPACE_SAVED = 25,
    /* it was put back, and that was verified. a, b: its digest; c: paths put right; d: bytes
     * written; e: ms */
    EVENT_WORKSPACE_RESET = 26,
    /* the tree after an attempt that succeeded. a, b: its digest; c: files; d: bytes; e: ms */
    EVENT_TREE_PROVEN = 27,
    /* what an attempt that failed changed. a: paths; b: lines added; c: lines removed; d: 1 if
     * not all was looked at; e: ms; text: {"paths":[["M","src/a.c"],...],"why"} */
    EVENT_WORKSPACE_CHANGED = 28,
    /* of the task's last step: what it made is kept. a: 1 as a branch, 2 as a tree; text:
     * {"branch","commit","path"} */
    EVENT_RESULT_KEPT = 29,
    /* keys of the sandbox that are not enforced here; text: {"keys":[...],"why"} */
    EVENT_SANDBOX_LACKS = 30,
    /* a: ms that devs itself stood still; no timeout counts them. Of the run. */
    EVENT_TIME_STOPPED = 31,
    /* a: how many secrets were cut from what the attempt wrote; text: {"names":{"NAME":n}} */
    EVENT_SECRETS_CUT = 32,
    /* 33 to 35 are facts of the attempt of an agent that runs. */
    /* its conversation; again where that becomes another one. text: {"agent": the adapter,
     * "session": its id, "resumed": true if it had begun before} */
    EVENT_AGENT_SESSION = 33,
    /* what the attempt has used so far. a: turns; b: calls of tools; c: cost in millionths of a
     * US dollar; d: tokens, in and out; e: requests that the CLI made again by itself; text:
     * {"refused","call"}, the number of calls that the CLI did not allow and the last one; none if
     * every call was allowed */
    EVENT_AGENT_USED = 34,
    /* a call of a tool, or a message. a: its number within the attempt, from 1; b: ms it took, 0:
     * not known; c: its exit code, or 1 where all that is known is that it failed; d: 1 if it
     * still runs; text: {"tool","what": one line, "loop": the call as a step of the attempt's
     * trajectory (entropy.h)}; the words of a person are tool "user", without "loop": a new
     * trajectory begins */
    EVENT_AGENT_CALL = 35,
    /* of a task, or of the run (no task). a: enum budget_kind; b: used; c: the limit; d: enum
     * event_budget_mark */
    EVENT_BUDGET = 36,
    /* a step failed, and the agent before it is prompted once more; of the attempt that failed. a:
     * number of the new round, from 2; b: the step at which it begins, the agent's; c: the step
     * that failed; d: its attempt; text: {"prompt": what the agent is told} */
    EVENT_ROUND_STARTED = 37,
    /* a: number of the task: as many as there were before; text: {"task": as in a plan} */
    EVENT_TASK_ADDED = 38,
    /* what a person says with a retry, of the current step before its next attempt. a: tries that
     * its set has in all from now on, 0: as before; text: {"hint","by"}; no "hint": none. The hint
     * is for the agent that is prompted next: run_state_hint_goes() */
    EVENT_HINT_GIVEN = 39,
    EVENT_KIND_COUNT,
};

/* What EVENT_RESULT_KEPT keeps. */
enum { EVENT_KEPT_BRANCH = 1, EVENT_KEPT_TREE = 2 };

/* What EVENT_RUN_RECOVERED runs: what an interrupted run left open, or, of a run that has ended,
 * all that did not pass, only what failed, or only what the acts after the event name. */
enum take_up {
    TAKE_UP_OPEN = 0,
    TAKE_UP_REST = 1,
    TAKE_UP_FAILED = 2,
    TAKE_UP_ASKED = 3,
    TAKE_UP_COUNT,
};

/* What EVENT_BUDGET says: most of it is used, or all. */
enum event_budget_mark { EVENT_BUDGET_TOLD = 1, EVENT_BUDGET_SPENT = 2 };

/* Whose circles EVENT_LOOP_SUSPECTED is about: the attempts of a task, or the calls of the agent
 * that runs, which may be stuck. */
enum { EVENT_LOOP_OF_ATTEMPTS = 0, EVENT_LOOP_OF_CALLS = 1 };

enum { AGENT_CALLS_MAX = 10000 }; /* EVENT_AGENT_CALL of one attempt; more are only counted */

enum { EVENT_TEXT_MAX = 4096 }; /* bytes of `text`; longer ones are not written */

struct event {
    int64_t seq; /* from 1, without gaps, within its run; 0 = not yet appended */
    struct moment at;
    enum event_kind kind;
    int task;    /* number, -1 = none */
    int step;    /* number within the task, -1 = none */
    int round;   /* from 1; 0 = none */
    int grant;   /* from 1; 0 = none */
    int attempt; /* from 1; 0 = none */
    int64_t a, b, c, d, e;
    const char *text; /* JSON object, NULL = none; owned by whoever holds the event */
};

/* "attempt_started"; "?" for a kind this build does not know: see
 * event_kind_is_known(). */
const char *event_kind_name(enum event_kind kind);
/* Does this build know the kind? Others are kept, and skipped by the fold. */
bool event_kind_is_known(int64_t kind);
/* "open", "rest", "failed" or "asked". */
const char *take_up_name(enum take_up take_up);
/* Is it one that INPUT_FACT may bring: 24 to 35? */
bool event_kind_is_fact(enum event_kind kind);

#endif
