/* shown.h - the text and signs that all screens, lines and JSON objects share.
 *
 * Functions with a parameter `out` append to it. */
#ifndef DEVS_SHOWN_H
#define DEVS_SHOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
#include "entropy.h"
#include "moment.h"
#include "protocol.h"
#include "run_state.h"
#include "str.h"
#include "ui_settings.h"

/* A task's state as users see it: its status, or a condition that overrides it. */
enum shown {
    SHOWN_NEEDS_YOU,
    SHOWN_BACKOFF,
    SHOWN_RUNNING,
    SHOWN_QUIET,
    SHOWN_STOPPING, /* running, but a user has cancelled it */
    SHOWN_QUEUED,
    SHOWN_HELD,
    SHOWN_PASSED,
    SHOWN_GAVE_UP,
    SHOWN_CANCELLED,
    SHOWN_STUCK,
    SHOWN_BLOCKED,
    SHOWN_LOST, /* the task was running when its engine died */
    SHOWN_COUNT,
};

/* Returns the state of a task as users see it. `orphaned` means that the run has not ended but has
 * no owner (devs was killed). */
enum shown shown_task(const struct run_state *state, int task, bool orphaned);
/* The parts of a task's state that shown_task() reads. */
struct shown_parts {
    enum task_status status;
    bool held;
    bool cancelling;
    bool quiet;    /* read only while the task is running */
    bool in_queue; /* its attempt waits in a cluster's queue; the same */
};
/* Like shown_task(), for callers without a run state. */
enum shown shown_status(const struct shown_parts *parts, bool orphaned);

/* Returns the name of the user who acted; "a person" for "" and NULL. */
const char *shown_person(const char *by);

/* Returns whether the task failed (task_status_is_failed()). */
static inline bool shown_is_failed(enum shown shown)
{
    return shown == SHOWN_NEEDS_YOU || shown == SHOWN_GAVE_UP || shown == SHOWN_STUCK;
}

/* Returns the name of the state: "needs-you", "backoff", ... Static. */
const char *shown_word(enum shown shown);
/* Returns the name of a status, like shown_word(). Static. */
const char *shown_status_word(enum task_status status);
/* Returns a sign that is one column wide: UTF-8, or its ASCII equivalent. Static. */
const char *shown_sign(enum shown shown, bool ascii);

/* Appends the four phase letters, each followed by a mark: "R✓G▸V·F·". Leaves out phases for which
 * the task has no step. '?' marks a stale proof. */
void shown_strip(const struct run_state *state, int task, bool ascii, struct str *out);

/* Returns how many attempts of a passed task failed before a pass of the same step in the same
 * round, that is, on the same work. Does not count attempts that never started, were cancelled by a
 * user, or were interrupted because devs died. */
int shown_failed_attempts(const struct run_state *state, int task);

/* Returns the number of attempts of all steps of the task. */
int64_t shown_attempts(const struct run_state *state, int task);

/* Appends the CLASS column: "test-fail", or "flaky 1x" for a pass that took several attempts within
 * a round. Appends nothing if there is nothing to say. */
void shown_class(const struct run_state *state, int task, struct str *out);

enum { SHOWN_CLOCK_MAX = 32 };
/* Formats a time of day in the user's time zone: "03:00", or "Sun 03:00" if it is on a different
 * day than `now_ms`. clock_short() is such a function. */
typedef const char *shown_clock_fn(int64_t at_ms, int64_t now_ms, char out[SHOWN_CLOCK_MAX]);
/* Like shown_clock_fn, but with seconds and without the day (clock_hms()), or with the full date
 * (clock_date()). */
typedef const char *shown_hms_fn(int64_t at_ms, char out[SHOWN_CLOCK_MAX]);

/* The current time and how to format times. For a run that has ended or is orphaned, `now` is
 * its end or its last sign of life, so that the output does not depend on the clock. */
struct shown_time {
    struct moment now;
    shown_clock_fn *clock;
    shown_hms_fn *hms, *date;
    enum shown_times
        times; /* times of past events: as clock times, or as how long ago they were (AGO) */
};

/* Appends the number of an attempt: "3/6", "3/6 +2" after two attempts requested by a server, "1/3
 * (4th in all)" after a manual retry, "3" if the total is not known. `of` separates the two
 * numbers. */
void shown_try_count(const struct try_count *count, const char *of, struct str *out);
/* Appends the number as the member "try" of an object: {"number","of","free","in_all"}. Leaves out
 * zeros. */
void shown_try_count_json(const struct try_count *count, struct str *out);

/* Appends the TRY column: "3/6", "r2 1/4" if the task may have several rounds (first try of round
 * 2, whatever its number), or "start 2/4" while a start fails or is retried. */
void shown_try(const struct run_state *state, int task, struct str *out);

/* Like shown_try(), but spelled out: "try 3 of 6", "start 2 of 4". Appends nothing before the first
 * attempt. */
void shown_try_of(const struct run_state *state, int task, struct str *out);

/* Appends the NEXT/FOR column: "in 0:18", "until 03:00", "3:12", "held 2:41", "after T-104", "ended
 * 0:57", "resets 03:00", "slot 1st", "limit 0:18", "starting", "needs tax"; on another machine also
 * "no contact 0:12" and, if that cannot be ended for lack of contact, "fenced until 14:07"; in a
 * cluster's queue "2:10 (Priority)". */
void shown_next(const struct run_state *state, int task, bool orphaned,
                const struct shown_time *time, struct str *out);

/* Appends the WHERE column: the host of the current step's latest attempt, without its user, or the
 * node of a cluster; "gpu1?" without contact; the executor before that is known; "local" on this
 * machine. Appends nothing if the plan has no executors. */
void shown_where(const struct run_state *state, int task, struct str *out);

/* Appends "5 of 30 slots": those in use, of this machine and of all hosts. O(hosts). */
void shown_slots(const struct run_state *state, struct str *out);

/* How a surface shows tasks. */
struct shown_look {
    struct shown_time time;
    bool orphaned; /* the run has not ended but has no owner */
    bool ascii;
    bool is_brief;       /* show only the essentials, because there is little space */
    const char *release; /* action that releases a held task: "p releases it"; NULL = unknown */
};

/* Appends the state of the task in a sentence: "try 4 in 0:18, at 14:02:55", "waits for a slot; 2
 * of 2 in use", "passed at 13:54:10, 8:27 ago". */
void shown_now(const struct run_state *state, int task, const struct shown_look *look,
               struct str *out);
/* Appends the state of an unfinished task, for the caller of a tool: "next try in 0:18 after
 * network, try 2 of 6 so far". */
void shown_progress(const struct run_state *state, int task, const struct moment *now,
                    struct str *out);

/* Returns when the task may continue without a user, if its verdict says so (wall clock, ms), or
 * -1. */
int64_t shown_resets_at_ms(const struct step_state *step);

/* Returns whether the display of the run changes with time, even without new events. */
bool shown_counts(const struct run_state *state, bool orphaned);
/* Returns the time to show: `clock` if shown_counts(), otherwise the end of the run or its last
 * sign of life. */
struct moment shown_moment(const struct run_state *state, bool orphaned,
                           const struct moment *clock);

/* Returns the text in front of the class if an expectation failed: "passed, but was expected to
 * fail: ", "red for the wrong reason: "; "" for other verdicts. Static. */
const char *shown_expectation(const struct verdict *verdict);

/* Appends why the task is in its state, in one line: class, rule and matched text, or a user's
 * correction. Appends nothing if there is nothing to explain. */
void shown_cause(const struct run_state *state, int task, struct str *out);
/* Like shown_cause(), followed by why the task was not retried: "test-fail, rule tap.not-ok (gave
 * up: 6 of 6 tries used)". */
void shown_why(const struct run_state *state, int task, struct str *out);

/* Decisions, as recorded in the log. */

/* Appends the formula of a wait with its inputs: "15 s x2^2 = 60 s, jitter 0.75 -> 45 s, cap 5:00".
 * Appends nothing if they are not recorded or nothing waits. */
void shown_formula(const struct step_state *step, struct str *out);
/* Appends why the policy did not retry when the step ended: "6 of 6 tries used". Appends nothing if
 * that is not recorded or the step ended for a different reason. */
void shown_end(const struct plan_step *plan, const struct step_state *step, struct str *out);
/* Returns whether the step ended because a user must allow a denied call. */
bool shown_needs_allowing(const struct step_state *step);
/* Appends how the task's step ended and why: "gave up: 6 of 6 tries used". Appends nothing if it
 * passed or has not ended. */
void shown_ending(const struct run_state *state, int task, struct str *out);
/* Appends the evidence of the verdict: `rule tap.not-ok at out:5: "not ok 3"`. Appends nothing if
 * there is none. */
void shown_evidence(const struct verdict *verdict, struct str *out);
/* Appends the class of an attempt: as a user corrected it, or otherwise as judged: "network".
 * `verdict` may be NULL. */
void shown_attempt_class(const struct attempt_state *attempt, const struct verdict *verdict,
                         struct str *out);
/* Appends the class of an ended attempt if its full verdict is not known: "test-fail", "network
 * (was test-fail)", "passed". */
void shown_try_class(const struct attempt_state *attempt, struct str *out);
/* Appends "network, corrected by ann; was "; the caller appends the original class. Appends nothing
 * if there is no correction. */
void shown_correction(const struct attempt_state *attempt, struct str *out);
/* Appends "15 s" or "0.5 s"; like shown_duration() from two minutes on. */
void shown_seconds(int64_t ms, struct str *out);

/* A run as a whole. rows.h has its facts as rows. */

/* Appends "#41" or "#41, 2 live". */
void shown_run_number(int64_t number, int live_runs, struct str *out);
/* Appends "a session reported by an agent's hooks, last seen at 14:02:55". */
void shown_session_seen(const char *at, struct str *out);
/* Appends "its devs (pid 4711) is suspended: fg or kill -CONT resumes it; ...". */
void shown_suspended(int64_t pid, struct str *out);

/* Appends "continue it: devs run --continue 41". `needs_adopting`: the log does not belong to the
 * user, so that `devs gc --adopt` must come first. */
void shown_continue(int64_t run, bool needs_adopting, struct str *out);

/* Appends the time until the waits of a fault's tasks end: "0:12..1:04", or "0:12" if all end at
 * the same time. */
void shown_fault_due(const struct fault *fault, const struct moment *now, struct str *out);
/* Appends "3 passed, 1 gave-up". */
void shown_task_counts(const struct run_state *state, struct str *out);
/* Appends "3 of 4 passed". */
void shown_passed(const struct run_state *state, struct str *out);

/* Gates: rate-limited sources that hold tasks back. */

/* Returns whether a gate holds any task back. Returns false if the run has ended or has no
 * engine. */
bool shown_has_gate(const struct run_state *state, bool orphaned);
/* Returns how many tasks wait for this source, at its gate or for the next attempt. */
int shown_waiting(const struct run_state *state, int source);
/* Returns the name of a status for programs: "open", "closed", "probing", "spreading". Static. */
const char *shown_gate_name(enum gate_status status);
/* Appends why a step waits at a gate: "limit 0:18", "after T-104". Returns false if no gate holds
 * the step back. */
bool shown_behind_gate(const struct run_state *state, int task, const struct moment *now,
                       struct str *out);

/* The workspaces of tasks, and whether the proofs of their steps still hold. */

enum shown_proof {
    SHOWN_PROOF_NONE,  /* the step has not passed */
    SHOWN_PROOF_HOLDS, /* the step has passed, and no change is known since */
    SHOWN_PROOF_STALE, /* the step has passed, but on a different tree */
};
/* Returns the status of a step's proof. `step` counts from 0. */
enum shown_proof shown_proof(const struct run_state *state, int task, int step);
/* Appends "proven on tree 0b1e12bc0d1e by try 2". Appends nothing if there is no proof. */
void shown_proof_words(const struct run_state *state, int task, int step, struct str *out);
/* Appends the steps with stale proofs: "step 1 RED: the tree has changed since". Appends nothing if
 * there are none. */
void shown_stale(const struct run_state *state, int task, struct str *out);
/* Appends "worktree /home/ann/shop/.devs/work/..." or "result on branch devs/41/tax". Appends
 * nothing if the task works in place. */
void shown_workspace(const struct run_state *state, int task, struct str *out);
/* Appends "sandbox does not enforce pids, network". Appends nothing if it enforces everything. */
void shown_lacks(const struct run_state *state, int task, struct str *out);
/* Appends "1 try" or "3 tries". */
void shown_count(int64_t count, const char *one, const char *many, struct str *out);
/* Appends the size of files: "312 bytes", "5 KiB", "3072 MiB"; rounded down. */
void shown_size(int64_t bytes, struct str *out);
/* Appends the size of memory in KiB. Accepts any number, because it comes from a log. */
void shown_size_kib(int64_t kib, struct str *out);

/* Certain and suspected loops. Nothing is appended if the verdict is ENTROPY_OK. */

/* Facts about a task's loop. */
struct shown_circle {
    /* The numbers in the verdict are attempts of the steps first_step to last_step. */
    struct entropy_verdict verdict;
    int first_step, last_step; /* numbers of steps, from 0 */
    unsigned masks;            /* normalizer bits of the text masked in the last attempt */
    bool of_calls; /* the numbers in `verdict` are instead calls and messages of the agent in its
                      latest attempt, counted together as in EVENT_AGENT_CALL */
};
/* Finds a suspected loop, or the loop that made the step end as stuck (a rung or the policy's
 * window). Returns false and sets *out to ok if there is none. */
bool shown_circles_of(const struct run_state *state, int task, struct shown_circle *out);
/* Finds a certain loop in the facts of an event about `step`. Returns false and leaves *out
 * unchanged if there is none. */
bool shown_loop_facts(const struct loop_facts *facts, int step, struct shown_circle *out);
/* Finds a certain loop in the inputs of the decision that ended the step after this attempt (a rung
 * or the policy's window). Returns false and leaves *out unchanged if there is none. */
bool shown_end_loop(const struct decision_inputs *inputs, int step, int attempt,
                    struct shown_circle *out);
/* Appends the attempts of the loop: "tries 2 to 4"; "step 1 try 3 to step 2 try 1" unless all are
 * in `step`; "calls and messages 12 to 14". */
void shown_circles_span(const struct shown_circle *circle, int step, struct str *out);
/* Appends the kind of loop: "same result 5 times", "3 laps of 2 steps", "nothing new in 8 tries";
 * for an agent's calls, "nothing new in 16 calls". */
void shown_circle_words(const struct shown_circle *circle, struct str *out);
/* Like shown_circle_words(), but at most 11 columns wide: "same 5x"; "loop? 3x" if the loop is only
 * suspected. */
void shown_circles_brief(const struct entropy_verdict *verdict, struct str *out);
/* Appends the CLASS column if there is space for one word only: a loop takes precedence over the
 * class, because it is news. Without either, appends the number of denied calls of the agents of a
 * running or passed task: "2 refused". Appends nothing if there is nothing to say. */
void shown_circles_or_class(const struct run_state *state, int task, struct str *out);
/* Returns what was equal: "the call and its result"; "" if there is no loop. Static. */
const char *shown_circles_equal(const struct entropy_verdict *verdict);
/* Appends what was masked: "times, temp paths, pids". Appends nothing for 0. */
void shown_masks(unsigned masks, struct str *out);
/* Appends the share of new lines of an attempt: ".04", "1.0". Appends nothing for -1 (unknown). */
void shown_new(int permille, struct str *out);

/* Appends ", and 10 retries by the agent itself". Appends nothing for 0. */
void shown_own_retries(int64_t count, struct str *out);
/* The agent of a task. Nothing is appended if there is no agent, or if nothing is known about
 * it. */

/* Appends a short form of a session id: the first eight digits of a UUID, otherwise the whole
 * id. */
void shown_session(const char *session, struct str *out);
/* Appends "12 turns, 31 calls, $0.31, 3 own retries". Leaves out zeros; shows tokens if the cost is
 * not known. */
void shown_used(const struct agent_used *used, struct str *out);
/* Appends "claude, session 83ca3d6e, 12 turns, 31 calls, $0.31", with the sums of all rounds. */
void shown_agent(const struct run_state *state, int task, struct str *out);
/* Appends the budgets of a task, or of the run if `task` is -1: "$0.31 of $2.00 (15%), 31 of 100
 * calls (31%)". */
void shown_budgets(const struct run_state *state, int task, const struct moment *now,
                   struct str *out);
/* Returns how much of the budget is used, in percent, rounded down. */
int shown_budget_percent(const struct budget_use *use);
/* Appends the current round of a task that may have several, and why the round began: "2 of 3:
 * check `make test` exit 2"; "2 of 3" for a passed task. */
void shown_round(const struct run_state *state, int task, struct str *out);

/* Appends a duration as m:ss or h:mm:ss; "0:00" if it is negative. */
void shown_duration(int64_t ms, struct str *out);
/* Appends how long an attempt ran; "?" if its end was not observed. */
void shown_ran(const struct outcome *outcome, struct str *out);
/* Appends the rest of a wait, rounded up to seconds. */
void shown_left(int64_t ms, struct str *out);

/* The times of the next attempts of a waiting task, and the time when it gives up if none of these
 * passes.
 *
 * Decisions are made by protocol.h. The delays are exact, because the jitter of each attempt is
 * known in advance (policy.h), but the run times of the attempts are not known. Each attempt is
 * assumed to fail like the last one, with a different result and without a retry hint from a
 * server. */

struct tries_ahead {
    int first;         /* number of the next attempt */
    int shown;         /* number to show; for a start, the number of that start */
    int count;         /* number of future attempts, including the first; at least 1 */
    struct moment due; /* time of the first attempt */
    int64_t waits_ms[POLICY_ATTEMPTS_MAX]; /* total wait before each attempt */
    int64_t more_ms;                       /* sum of the waits after the first attempt */
    enum decision_kind end;                /* decision after the last attempt */
    bool is_start; /* the attempts are starts of the same attempt, which has never run */
    int alike;     /* this many equal results in a row end the step sooner; 0 = no limit */
};

/* Fills in the next attempts of a task. Returns false and leaves *out unchanged if the task does
 * not wait for an attempt, or waits for a user. */
ATTR_MUST_USE bool tries_ahead(const struct run_state *state, int task, struct tries_ahead *out);

/* Appends "try 4 at 14:02:55; if it fails try 5 0:51 later, try 6 1:42 later; then gave-up, no
 * sooner than 14:05:28 plus the run times". Formats times with time->hms. */
void tries_ahead_words(const struct tries_ahead *ahead, const struct shown_time *time,
                       struct str *out);

/* The last claim of a task's agent, and whether later checks support it.
 *
 * A claim proves nothing by itself; a later step that passes in the same round does. Text does not
 * count as a claim before its attempt has ended. */

enum shown_claim {
    SHOWN_CLAIM_NONE,      /* no agent, or its attempt made no claim or is still running */
    SHOWN_CLAIM_UNCHECKED, /* no check has ended since the claim */
    SHOWN_CLAIM_REFUTED,   /* the last check after the claim failed */
    SHOWN_CLAIM_STALE,     /* the check passed, but the tree has changed since then */
    SHOWN_CLAIM_PROVEN,    /* the check passed */
    SHOWN_CLAIM_COUNT,
};

/* Returns the status of the last claim. O(steps of the task). */
enum shown_claim shown_claim(const struct run_state *state, int task);
/* Returns the name of a status other than NONE, for programs: "unchecked", "refuted", "stale",
 * "proven". Static. */
const char *shown_claim_name(enum shown_claim claim);
/* Appends `"All tests pass now."   not proven: later VERIFY: exit 1`. Truncates the quotation to
 * fit into `columns`, but keeps at least a few words of it. Appends nothing if there is no
 * claim. */
void shown_said(const struct run_state *state, int task, int columns, struct str *out);

/* Appends a size in decimal units: "312 bytes", "1.4 kB", "14 MB". Accepts any number, because it
 * may come from a log. */
void size_text_add(int64_t bytes, struct str *out);

#endif
