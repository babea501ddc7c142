/*
 * shown.h - the words and signs that every screen, line and JSON object uses.
 */
#ifndef DEVS_SHOWN_H
#define DEVS_SHOWN_H

#include <stdbool.h>

#include "run_state.h"
#include "str.h"

/* A task's state as people see it: its status, and what lies over it. */
enum shown {
    SHOWN_NEEDS_YOU,
    SHOWN_BACKOFF,
    SHOWN_RUNNING,
    SHOWN_QUIET,
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

/* "needs-you", "backoff", ... */
const char *shown_word(enum shown shown);
/* One column each: UTF-8 sign and its ASCII twin. */
const char *shown_sign(enum shown shown, bool ascii);

/* The four phase letters with a mark behind each, as in "R✓G▸V·F·"; phases the
 * task has no step for are left out. */
void shown_strip(const struct run_state *state, int task, bool ascii, struct str *out);

/* The CLASS column: "test-fail", "flaky 1x" for a pass that took tries, the
 * blocker for a blocked task; "" where there is nothing to say. */
void shown_class(const struct run_state *state, int task, struct str *out);

/* The NEXT/FOR column at `now`: "in 0:18", "3:12", "held 2:41", "ended 0:57",
 * "slot 1st", "starting", "needs tax". For a run that is over (or orphaned) pass
 * the moment of its last event: then nothing depends on the clock. */
void shown_next(const struct run_state *state, int task, bool orphaned, const struct moment *now,
                struct str *out);

/* Does anything on the screen change with time alone? */
bool shown_counts(const struct run_state *state, bool orphaned);

/* What a failed expectation is called: "passed, but was to fail: ", "red for the wrong
 * reason: "; "" for any other verdict. */
const char *shown_expectation(const struct verdict *verdict);

/* Why the task is as it is, one line of plain words: class, rule and the matched
 * text; "" if there is nothing to explain. */
void shown_why(const struct run_state *state, int task, struct str *out);

/* m:ss or h:mm:ss; "0:00" for negative. */
void shown_duration(int64_t ms, struct str *out);

#endif
