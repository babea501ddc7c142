/*
 * capture.h - the forensic record of a step that failed, as JSON text: its first part, which is
 * taken immediately (docs/forensics.md describes all members).
 *
 * Every item is either present, or "missing" says why not. Has names of environment variables, but
 * never their values. Reads /proc, /sys and the few files of a git repository that say which commit
 * is checked out; starts no process. At most CAPTURE_BYTES_MAX bytes, and takes at most 5 ms on a
 * healthy machine (measured by bench/bench-forensics). Any thread.
 */
#ifndef DEVS_CAPTURE_H
#define DEVS_CAPTURE_H

#include "attempt.h"
#include "event.h"
#include "redact.h"
#include "run_state.h"
#include "str.h"

enum {
    CAPTURE_TAIL_BYTES = 4096,      /* per stream */
    CAPTURE_PROMPT_BYTES = 4096,    /* for the prompt of an agent */
    CAPTURE_LIST_BYTES = 32 * 1024, /* for argv, and for the names of the environment, as JSON */
    CAPTURE_BYTES_MAX = 256 * 1024,
};

struct capture_facts {
    const struct run_state *state;       /* with the end of the step folded in */
    const struct event *event;           /* the end of the step */
    const struct attempt *attempt;       /* NULL if it was over before */
    bool knows_first;                    /* the memory also has lines of the first attempt */
    const struct entropy_memory *memory; /* the task's; NULL if it has none */
    const struct call_setting *setting;
    const char *rules_hash;          /* hash of the rules that judged it */
    const char *log_dir;             /* NULL = unknown */
    const struct redactor *redactor; /* redacts values; NULL = none */
    int memory_killed;               /* see classify_input */
    const char *memory_evidence;     /* evidence for memory_killed; NULL = none */
};

/* Appends the capture as a JSON object. Inspects the machine, which takes a few milliseconds. */
void capture_write(const struct capture_facts *facts, struct str *out);

#endif
