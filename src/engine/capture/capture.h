/* capture.h - the forensic record of a failed step, as JSON (docs/forensics.md describes all
 * members). The first part is taken immediately; the changes follow.
 *
 * In the first part, every item is present, or "missing" says why it is not. It contains names of
 * environment variables, but never their values. Writing it reads /proc, /sys and the few files of
 * a git repository that say which commit is checked out; it starts no process. The first part is at
 * most CAPTURE_BYTES_MAX bytes long and takes at most 5 ms on a healthy machine (measured by
 * bench/bench-forensics). Any thread. */
#ifndef DEVS_CAPTURE_H
#define DEVS_CAPTURE_H

#include <stdatomic.h>

#include "attempt.h"
#include "event.h"
#include "redact.h"
#include "run_state.h"
#include "str.h"
#include "tree.h"

enum {
    CAPTURE_TAIL_BYTES = 4096,   /* maximum bytes of each stream in the capture */
    CAPTURE_PROMPT_BYTES = 4096, /* maximum bytes of the agent's prompt */
    CAPTURE_LIST_BYTES =
        32 * 1024, /* maximum bytes of argv, and of the names of the environment, as JSON */
    CAPTURE_BYTES_MAX = 256 * 1024,
};

struct capture_facts {
    const struct run_state *state; /* the state after the event that ended the step was applied */
    const struct event *event;     /* the event that ended the step */
    const struct attempt *attempt; /* NULL if the attempt had already ended */
    bool knows_first;              /* the memory also has lines of the first attempt */
    const struct entropy_memory *memory; /* memory of the task; NULL if it has none */
    const struct call_setting *setting;
    const char *rules_hash;          /* hash of the rules that judged the attempt */
    const char *log_dir;             /* NULL = unknown */
    const struct redactor *redactor; /* redacts values; NULL = none */
    int memory_killed;               /* see classify_input */
    const char *memory_evidence;     /* evidence for memory_killed; NULL = none */
};

/* Appends the capture as a JSON object. Inspects the machine, which takes a few milliseconds. */
void capture_write(const struct capture_facts *facts, struct str *out);

/* The second part of a capture: what the attempt changed. JSON.
 *
 * Made on a worker thread after the end, because it has to scan trees. Not redacted yet. Any
 * thread. */

enum {
    CHANGES_PATHS_MAX = 500,         /* paths listed in the capture; more are only counted */
    CHANGES_PATHS_BYTES = 96 * 1024, /* maximum size of these paths as JSON */
    CHANGES_TEXT_BYTES = 96 * 1024,  /* maximum size of the diff as JSON */
    CHANGES_EVENT_PATHS_MAX = 20,
    CHANGES_STATUS_MS = 2000, /* time limit for git status */
};

/* Appends the changes from the step's snapshot to the tree after the attempt. */
void capture_changes_write(const struct tree_diff *diff, struct str *out);
/* Appends the reason why there is no diff. */
void capture_changes_none(const char *why, struct str *out);

/* Returns the EVENT_WORKSPACE_CHANGED of the diff, with the first paths and the reason why others
 * are missing. Stores its strings in *texts, which must be empty. */
struct event capture_changes_event(const struct tree_diff *diff, struct str *texts);

/* The folder to check for changes. All borrowed. */
struct changes_call {
    const char *dir;          /* absolute: the folder the attempt worked in */
    const char *scratch;      /* absolute: a folder of devs for git's temporary private
                                 repository; created if it is missing */
    char *const *environment; /* the user's environment, NULL-terminated */
};

/* The commit that is checked out in the repository of `dir`, read without running git. */
struct capture_commit {
    char commit[65];  /* hex */
    char branch[256]; /* "" = none */
    char why[128];    /* the reason if the commit is unknown; "" = known */
};
/* Fills in *out. If the commit cannot be found, sets out->why to the reason. */
void capture_find_commit(const char *dir, struct capture_commit *out);

/* For a task that works in place and thus has no snapshot: appends all differences from the
 * checked-out commit, including changes by others. Runs git for at most CHANGES_STATUS_MS. */
void capture_changes_in_place(const struct changes_call *call, const atomic_bool *stop,
                              struct str *out);

#endif
