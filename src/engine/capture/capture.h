/* capture.h - the forensic record of a step that failed, as JSON text (docs/forensics.md describes
 * all members): its first part, which is taken immediately, and the changes, which follow.
 *
 * In the first part, every item is either present, or "missing" says why not. It contains names of
 * environment variables, but never their values. Writing it reads /proc, /sys and the few files of
 * a git repository that say which commit is checked out; it starts no process. At most
 * CAPTURE_BYTES_MAX bytes, and takes at most 5 ms on a healthy machine (measured by
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
    CAPTURE_TAIL_BYTES = 4096,      /* bytes kept per stream */
    CAPTURE_PROMPT_BYTES = 4096,    /* for the prompt of an agent */
    CAPTURE_LIST_BYTES = 32 * 1024, /* for argv, and for the names of the environment, as JSON */
    CAPTURE_BYTES_MAX = 256 * 1024,
};

struct capture_facts {
    const struct run_state *state;       /* with the end of the step folded in */
    const struct event *event;           /* the event that ended the step */
    const struct attempt *attempt;       /* NULL if the attempt was over before */
    bool knows_first;                    /* the memory also has lines of the first attempt */
    const struct entropy_memory *memory; /* memory of the task; NULL if it has none */
    const struct call_setting *setting;
    const char *rules_hash;          /* hash of the rules that judged it */
    const char *log_dir;             /* NULL = unknown */
    const struct redactor *redactor; /* redacts values; NULL = none */
    int memory_killed;               /* see classify_input */
    const char *memory_evidence;     /* evidence for memory_killed; NULL = none */
};

/* Appends the capture as a JSON object. Inspects the machine, which takes a few milliseconds. */
void capture_write(const struct capture_facts *facts, struct str *out);

/*
 * The second part of a capture: what the attempt changed. JSON text.
 *
 * Made on a worker thread after the end, because it has to scan trees. The text is not redacted
 * yet. Any thread.
 */

enum {
    CHANGES_PATHS_MAX = 500,         /* listed in the capture; further paths are counted */
    CHANGES_PATHS_BYTES = 96 * 1024, /* size of these paths as JSON */
    CHANGES_TEXT_BYTES = 96 * 1024,  /* size of the diff as JSON */
    CHANGES_EVENT_PATHS_MAX = 20,
    CHANGES_STATUS_MS = 2000, /* time limit for git status */
};

/* Appends the changes from the step's snapshot to the tree that the attempt left. */
void capture_changes_write(const struct tree_diff *diff, struct str *out);
/* Appends that there is no diff, and why. */
void capture_changes_none(const char *why, struct str *out);

/* Returns the EVENT_WORKSPACE_CHANGED of the diff, with the first paths, and why some are missing.
 * Its texts are in *texts, which must be empty. */
struct event capture_changes_event(const struct tree_diff *diff, struct str *texts);

/* What to compare. All borrowed. */
struct changes_call {
    const char *dir;          /* absolute: the folder the attempt worked in */
    const char *scratch;      /* absolute: a folder of devs for git's temporary private
                                 repository; created if it is missing */
    char *const *environment; /* the user's, NULL-terminated */
};

/* The commit that is checked out in the repository of `dir`, read without running git. */
struct capture_commit {
    char commit[65];  /* hex */
    char branch[256]; /* "" = none */
    char why[128];    /* why the commit is unknown; "" = it is known */
};
/* Fills in *out; if the commit cannot be found, out->why has the reason. */
void capture_find_commit(const char *dir, struct capture_commit *out);

/* For a task that works in place and thus has no snapshot: appends what differs from the
 * checked-out commit, whoever changed it. Runs git for at most CHANGES_STATUS_MS. */
void capture_changes_in_place(const struct changes_call *call, const atomic_bool *stop,
                              struct str *out);

#endif
