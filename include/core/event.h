/*
 * event.h - one row of the run log: what happened, never what is.
 *
 * Kinds and the meaning of their fields are in every log ever written: add, never renumber.
 * docs/run-log.md has the same table for people.
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
    /* a, b: call digest; c: number of this start (0 for the attempt as such) */
    EVENT_ATTEMPT_STARTED = 3,
    /* a: pid; b: its start time in clock ticks since boot */
    EVENT_ATTEMPT_RUNNING = 4,
    /* a: outcome kind; b: its code; c: ran ms; d: stdout bytes; e: stderr bytes; text:
     * {"rss","cpu","out_lines","err_lines","left","fp","partial","skipped","new",
     * "fails","loop","start","stop","quiet"}, without zeros; fp: 32 hex digits, the fingerprint of
     * the result; partial: true if it does not cover all of the output; skipped: bytes of which it
     * has only the number; new: permille of lines that the task had not written before, missing if
     * there are no lines; fails: true if it exited with code 0 but was not a success; loop: the
     * attempt as a step of the task's trajectory (entropy.h) besides call, fp and new. Missing for
     * the last attempt of a task that passes, and unless the outcome is exit, signal or timeout.
     * start: for an attempt that never started, the line that says why. stop: enum outcome_stop of
     * a cancelled one; quiet: ms of silence that timed out */
    EVENT_ATTEMPT_ENDED = 5,
    /* a: verdict class; b: transient type; c: reason; text: evidence (verdict.h). Not written for a
     * plain success. */
    EVENT_ATTEMPT_JUDGED = 6,
    /* a: delay ms; b: due, wall ms; c: due, mono ms; d: exact ms before jitter; e: 1 if the wait
     * was requested by a server and the attempt does not count; text: the formula's inputs
     * {"policy","n","base","multiplier","cap","jitter", "factor","hint","used","allowed"} */
    EVENT_WAIT_STARTED = 7,
    /* a: 0 it was due, 1 a person skipped it; text (1): {"by"} */
    EVENT_WAIT_ENDED = 8,
    /* a: decision kind; b: attempts used; c: 1 if it counts as entropy; d: 1 if a capture was
     * taken; text: the inputs of the decision (protocol.h); none for a success, for a cancellation,
     * and for a deadline that had passed before the start */
    EVENT_STEP_ENDED = 9,
    /* a: the new grant's number; b: attempts it allows; c: known loops remain, and thresholds are
     * multiplied by c from now on; 0: a new segment begins; text: {"by"} */
    EVENT_STEP_REOPENED = 10,
    /* a: number of the needed task that did not pass */
    EVENT_TASK_BLOCKED = 11,
    /* a: number of the task that it follows + 1, 0: none; text: {"by"} */
    EVENT_TASK_HELD = 12,
    /* a: due, wall ms; b: due, mono ms, if this makes its wait end later; otherwise 0; text:
     * {"by"}, none if the task it followed got through */
    EVENT_TASK_RELEASED = 13,
    /* a: cancel mode; text: {"by"}; task -1: the whole run */
    EVENT_CANCEL_ASKED = 14,
    /* a: control id; b: 1 done, 0 refused; c: verb; text: {"answer","by"} */
    EVENT_CONTROL_ANSWERED = 15,
    /* a: ms without output */
    EVENT_ATTEMPT_QUIET = 16,
    EVENT_ATTEMPT_HEARD = 17,
    /* text: {"note"}: something a person should read */
    EVENT_NOTE = 18,
    /* a: source; b: due, wall ms; c: due, mono ms; d: consecutive limits; e: number of the task in
     * the queue that a person sends before that + 1, 0: none. The event names the step that met the
     * limit, or that was sent. */
    EVENT_GATE_CLOSED = 19,
    /* a: source; b: how many steps wait at it; c: ms between their starts. The event names the task
     * that got through; its step is the current one, which after a success is the next one. */
    EVENT_GATE_OPENED = 20,
    /* a: verdict class; b: transient type; c: reason; text: {"by"}; of any attempt */
    EVENT_CLASS_CORRECTED = 21,
    /* Another engine continues the run. a: 1 if the machine was rebooted; b: attempts at a time
     * from now on, 0: as before; c: enum take_up; text: {"by"} */
    EVENT_RUN_RECOVERED = 22,
    /* It may be looping; of the attempt that has just ended. a: rung; b: its first attempt, c: its
     * last; d: count; e: 1 if it is about the calls of a running agent: b and c are the numbers of
     * calls, and it may be stuck; text: what the rungs say (circles.h), {"nudge"}: a line for the
     * agent */
    EVENT_LOOP_SUSPECTED = 23,
    /* 24 to 32 are facts that the engine found besides the ends of attempts; all but
     * EVENT_TIME_STOPPED name an attempt, running or ended. Digests are of a whole tree. */
    /* a: workspace kind; b: ms that it took; text: {"path","base","branch","setup_ms","copied"} */
    EVENT_WORKSPACE_MADE = 24,
    /* the tree before the step's first attempt was saved. a, b: its digest; c: files; d: bytes;
     * e: ms */
    EVENT_WORKSPACE_SAVED = 25,
    /* restored and verified. a, b: its digest; c: paths corrected; d: bytes written; e: ms */
    EVENT_WORKSPACE_RESET = 26,
    /* the tree after an attempt that succeeded. a, b: its digest; c: files; d: bytes; e: ms */
    EVENT_TREE_PROVEN = 27,
    /* what a failed attempt changed. a: paths; b: lines added; c: lines removed; d: 1 if not
     * everything was looked at; e: ms; text: {"paths":[["M","src/a.c"],...],"why"} */
    EVENT_WORKSPACE_CHANGED = 28,
    /* of the task's last step: its result is kept. a: 1 as a branch, 2 as a tree; text:
     * {"branch","commit","path"} */
    EVENT_RESULT_KEPT = 29,
    /* keys of the sandbox that are not enforced here; text: {"keys":[...],"why"} */
    EVENT_SANDBOX_LACKS = 30,
    /* a: ms for which devs was suspended, which no timeout counts. Of the run. */
    EVENT_TIME_STOPPED = 31,
    /* a: how many secrets were removed from the attempt's output; text: {"names":{"NAME":n}} */
    EVENT_SECRETS_CUT = 32,
    /* 33 to 35 are facts about the running attempt of an agent. */
    /* its session; again if it changes. text: {"agent": the adapter, "session": its id, "resumed":
     * true if it had begun before} */
    EVENT_AGENT_SESSION = 33,
    /* what the attempt has used so far. a: turns; b: tool calls; c: cost in millionths of a US
     * dollar; d: tokens, in and out; e: requests that the CLI retried on its own; text:
     * {"refused","call"}, the number of calls that the CLI denied and the last one; none if every
     * call was allowed */
    EVENT_AGENT_USED = 34,
    /* a tool call or a message. a: its number within the attempt, from 1; b: duration in ms, 0: not
     * known; c: its exit code, or 1 if it is only known to have failed; d: 1 if it is still
     * running; text: {"tool","what": one line, "loop": the call as a step of the attempt's
     * trajectory (entropy.h)}; a person's message is tool "user", without "loop": a new trajectory
     * begins */
    EVENT_AGENT_CALL = 35,
    /* of a task, or of the run (no task). a: enum budget_kind; b: used; c: the limit; d: enum
     * event_budget_mark */
    EVENT_BUDGET = 36,
    /* a step failed, and the agent before it is prompted again; of the failed attempt. a: number of
     * the new round, from 2; b: the step at which it begins, the agent's; c: the failed step; d:
     * its attempt; text: {"prompt": the text for the agent} */
    EVENT_ROUND_STARTED = 37,
    /* a: number of the task, which is the previous number of tasks; text: {"task": as in a plan} */
    EVENT_TASK_ADDED = 38,
    /* what a person adds to a retry, of the current step before its next attempt. a: attempts that
     * its set has in all from now on, 0: as before; text: {"hint","by"}; no "hint": none. The hint
     * is for the agent that is prompted next: run_state_hint_goes() */
    EVENT_HINT_GIVEN = 39,
    EVENT_KIND_COUNT,
};

/* What EVENT_RESULT_KEPT keeps. */
enum { EVENT_KEPT_BRANCH = 1, EVENT_KEPT_TREE = 2 };

/* What EVENT_RUN_RECOVERED runs: what an interrupted run left open, or, in a run that has ended,
 * everything that did not pass, only what failed, or only what later controls name. */
enum take_up {
    TAKE_UP_OPEN = 0,
    TAKE_UP_REST = 1,
    TAKE_UP_FAILED = 2,
    TAKE_UP_ASKED = 3,
    TAKE_UP_COUNT,
};

/* What EVENT_BUDGET reports: most of it is used, or all. */
enum event_budget_mark { EVENT_BUDGET_TOLD = 1, EVENT_BUDGET_SPENT = 2 };

/* What EVENT_LOOP_SUSPECTED is about: the attempts of a task, or the calls of the running agent,
 * which may be stuck. */
enum { EVENT_LOOP_OF_ATTEMPTS = 0, EVENT_LOOP_OF_CALLS = 1 };

enum {
    AGENT_CALLS_MAX = 10000
}; /* EVENT_AGENT_CALL of one attempt; further calls are only counted */

enum { EVENT_TEXT_MAX = 4096 }; /* bytes of `text`; longer ones are not written */

struct event {
    int64_t seq; /* from 1, without gaps, within its run; 0 = not appended yet */
    struct moment at;
    enum event_kind kind;
    int task;    /* number, -1 = none */
    int step;    /* number within the task, -1 = none */
    int round;   /* from 1; 0 = none */
    int grant;   /* from 1; 0 = none */
    int attempt; /* from 1; 0 = none */
    int64_t a, b, c, d, e;
    const char *text; /* JSON object, NULL = none; owned by the owner of the event */
};

/* "attempt_started"; "?" for a kind that this build does not know: see event_kind_is_known(). */
const char *event_kind_name(enum event_kind kind);
/* Returns whether this build knows the kind. Others are kept, and skipped by the fold. */
bool event_kind_is_known(int64_t kind);
/* "open", "rest", "failed" or "asked". */
const char *take_up_name(enum take_up take_up);
/* Returns whether INPUT_FACT may bring this kind: 24 to 35. */
bool event_kind_is_fact(enum event_kind kind);

struct json;
/* Returns the outcome in EVENT_ATTEMPT_ENDED; `text` is its parsed text. */
struct outcome outcome_of_end(const struct event *event, const struct json *text);

#endif
