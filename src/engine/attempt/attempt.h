/*
 * attempt.h - one attempt: its surroundings, its child, its two streams, when it was heard.
 *
 * Belongs to the loop's thread. It is opened, prepared by a job where it has
 * surroundings, started, finished by another job, judged. One that has ended
 * stays until attempt_close(), so that its last output and its evidence can be
 * taken. What its child writes loses its secrets before anything else sees it.
 */
#ifndef DEVS_ATTEMPT_H
#define DEVS_ATTEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_run.h"
#include "call.h"
#include "child.h"
#include "classify.h"
#include "fingerprint.h"
#include "gains.h"
#include "growth.h"
#include "output.h"
#include "redact.h"
#include "scheduler.h"
#include "surroundings.h"
#include "violation.h"
#include "workers.h"
#include "workspace.h"

struct attempt;
struct attempt_setting;

/* Told from within the loop's callbacks. */
struct attempt_watcher {
    void *ctx;                                           /* borrowed until the attempt is closed */
    void (*started)(void *ctx, struct attempt *attempt); /* its process is there */
    void (*refused)(void *ctx, struct attempt *attempt); /* none could be; start_why says why */
    void (*heard)(void *ctx, struct attempt *attempt);   /* output came */
    void (*ended)(void *ctx, struct attempt *attempt);   /* nothing of it is left */
    /* Something for the log; `text` is a JSON object, NULL = none; both for the call. */
    void (*fact)(void *ctx, const struct attempt *attempt, const struct input_fact *fact,
                 const char *text);
};

enum attempt_stage {
    ATTEMPT_PREPARES, /* a job makes its surroundings */
    ATTEMPT_STARTS,   /* its process is on its way */
    ATTEMPT_RUNS,     /* it is there */
    ATTEMPT_FINISHES, /* a job looks after its sandbox, and removes it */
    ATTEMPT_KEEPS,    /* it passed, a job keeps its task's result */
    ATTEMPT_IS_OVER,
};

struct attempt {
    int task, step, number;
    enum attempt_stage stage;
    const struct plan_step *plan; /* borrowed */
    struct call call;
    struct agent_run *agent;     /* owned; NULL: it runs a command */
    struct surroundings *around; /* owned; NULL: it needs none */
    struct job *job;             /* borrowed; the one of its stage, NULL = none */
    bool is_cancelled;           /* a person asked while no process was there */
    bool has_run;                /* its process was there */
    struct child *child;         /* NULL before it runs and once it has ended */
    struct child_end end;
    char *start_why;                         /* owned; it never started: why; else NULL */
    int memory_killed;                       /* as in classify_input */
    char memory_words[SANDBOX_EVIDENCE_MAX]; /* what says so */
    struct redact_stream *redact[2];         /* owned; NULL before the first output */
    struct redact_stream *redact_own[2];     /* owned; before that: growth_redactor() */
    struct output streams[2];
    int64_t judged_from[2];          /* what came before is of a start that was given up */
    struct fingerprint *fingerprint; /* owned; NULL before the first output or the end */
    bool remembered;                 /* the task's memory knows of it */
    struct violations violations;    /* of its step's contract; none before it was judged */
    struct str tail, repair;         /* of a failure: what is told in another round */
    struct input *ending;            /* owned; judged, while its result is kept; else NULL */
    int64_t heard_ms;                /* start, or last output */
    bool quiet;                      /* it was called so */
    bool is_idle;                    /* it is being ended, since it was silent for too long */
    bool is_hopeless;                /* it is being ended: its agent's own retries cannot succeed */
    size_t slot;                     /* where the owner keeps it */
    int feed; /* owned; what it reads on stdin if call.is_fed, -1 = none, or it has started */
    struct attempt_watcher watcher;
    const struct attempt_setting *setting; /* borrowed */
};

struct attempt_setting {
    struct call_setting call;
    const char *uid;       /* of the run */
    const char *log_dir;   /* borrowed */
    const char *log_db;    /* the log in it; borrowed */
    const char *plan_path; /* the plan's file; borrowed; NULL = there is none */
    struct nursery *nursery;
    const struct classifier *classifier;
    const struct redactor *redactor;  /* borrowed; NULL: nothing is cut */
    const struct run_state *state;    /* borrowed; what the log has so far */
    struct gains *gains;              /* borrowed */
    const struct growth *growth;      /* borrowed; what added tasks read on stdin */
    struct workspace_set *workspaces; /* borrowed */
    int64_t grace_ms;
    void (*tee)(void *ctx, int stream, const char *bytes, size_t len); /* NULL = nobody */
    void *tee_ctx;                                                     /* borrowed */
};

/* What `action` says, not started yet. False: it can have no workspace; it is over then, with
 * OUTCOME_NOT_STARTED, and start_why says why. */
ATTR_MUST_USE bool attempt_open(struct attempt **out, const struct attempt_setting *setting,
                                const struct action *action, const struct attempt_watcher *watcher);
void attempt_close(struct attempt *attempt);

/* Start its process, in its surroundings if it has some: `started` or `refused` is told later. A
 * refused one has ended with OUTCOME_NOT_STARTED. */
void attempt_start(struct attempt *attempt);

/* It never started, for this reason. */
void attempt_refuse(struct attempt *attempt, int code, const char *why);
/* It never started, since a person asked. */
void attempt_call_off(struct attempt *attempt);
/* What its sandbox says of its end, after surroundings_finish(). */
void attempt_take_end(struct attempt *attempt);

/* It was silent for as long as its step allows: its time is used up. */
void attempt_end_idle(struct attempt *attempt);

/* Did its agent's CLI say that it does not know the session which it was to go on in? */
bool attempt_lost_session(const struct attempt *attempt);
/* Then it begins again within the same attempt, in a new session, the tree restored: as after
 * attempt_open(). */
void attempt_begin_anew(struct attempt *attempt);

/* Append the text without the secrets of its own variables and of the run. */
void attempt_redact(const struct attempt *attempt, const char *text, size_t len, struct str *out);
/* What was cut out of its output: {"NAME":3,...}; how many in all. */
int64_t attempt_cuts(const struct attempt *attempt, struct str *out);

/* attempt.c: what is around it, the task's workspace (NULL = in place) and its sandbox; for
 * attempt_agent.c. */
void attempt_open_surroundings(struct attempt *attempt, struct workspace_slot *slot);
/* attempt_agent.c: the agent of a step that has one, for attempt_open(). */
void attempt_open_agent(struct attempt *attempt);
/* Is it an agent's CLI that is not there, by the code of the start? Then `words` say so, and how
 * to get it. */
bool attempt_lacks_agent(const struct attempt *attempt, int code, struct str *words);

/* When output of it is to be taken for the log; INT64_MAX = there is none. */
int64_t attempt_output_due(const struct attempt *attempt);

/* An input about it, with nothing else in it. */
struct input attempt_input(const struct attempt *attempt, enum input_kind kind);

/* The one of these with that task and number, NULL = none. */
struct attempt *attempt_find(struct attempt *const *attempts, size_t count, int task, int number);

/* The task's memory, which knows that this attempt writes now. */
struct entropy_memory *attempt_memory(struct attempt *attempt);
/* Made with the first output, or at the end of what wrote nothing. */
struct fingerprint *attempt_fingerprint(struct attempt *attempt);

/* It was judged; tail and repair, where its task has rounds. The attempt owns
 * them. */
void attempt_tell_round(struct attempt *attempt, struct input *input);

/* Whether its agent's result goes into a file. */
bool attempt_has_output(const struct attempt *attempt);

/* Writes that file for an attempt that would pass. If it cannot be written, the verdict says so. */
void attempt_write_output(struct attempt *attempt, struct verdict *verdict);

/* Makes the verdict of an attempt that would pass a failure if a file that its step expects is
 * missing or not as expected. attempt_judge() does so, but where attempt_has_output(). */
void attempt_check_files(struct attempt *attempt, struct verdict *verdict);

/* Fill outcome, verdict, fingerprint, fact, masks and expectation_met from how it ended, as
 * judged at input->now. Once. */
void attempt_judge(struct attempt *attempt, const struct attempt_setting *setting,
                   struct input *input);

/* What an outcome is as an exit code: 125..127 if nothing could be started. */
int attempt_exit_code(const struct outcome *outcome);

#endif
