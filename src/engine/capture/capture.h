/*
 * capture.h - the forensic record of a step that failed, as JSON text: its first part, which is
 * taken on the loop's thread at once (docs/forensics.md has every member).
 *
 * Each item is there, or "missing" says why not. Names of the environment, never its values.
 * Reads /proc, /sys and the few files of a git repository that say which commit is checked out;
 * starts nothing. At most CAPTURE_BYTES_MAX bytes, and 5 ms on a machine that is not in
 * trouble (measured by bench/bench-forensics). Any thread.
 */
#ifndef DEVS_CAPTURE_H
#define DEVS_CAPTURE_H

#include "attempt.h"
#include "event.h"
#include "redact.h"
#include "run_state.h"
#include "str.h"

enum {
    CAPTURE_TAIL_BYTES = 4096,      /* of each stream */
    CAPTURE_PROMPT_BYTES = 4096,    /* of what an agent was told */
    CAPTURE_LIST_BYTES = 32 * 1024, /* of argv, and of the names of the environment, as JSON */
    CAPTURE_BYTES_MAX = 256 * 1024,
};

struct capture_facts {
    const struct run_state *state;       /* with the step's end folded in */
    const struct event *event;           /* that end */
    const struct attempt *attempt;       /* NULL if it was over before */
    bool knows_first;                    /* the memory has lines of the first attempt, too */
    const struct entropy_memory *memory; /* the task's; NULL if it has none */
    const struct call_setting *setting;
    const char *rules_hash;          /* of the rules that judged it */
    const char *log_dir;             /* the log's folder; NULL = not known */
    const struct redactor *redactor; /* which values are cut; NULL = none */
    int memory_killed;               /* as in classify_input */
    const char *memory_evidence;     /* what says so; NULL = nothing does */
};

/* Append the capture as a JSON object; it looks at the machine meanwhile, for milliseconds. */
void capture_write(const struct capture_facts *facts, struct str *out);

#endif
