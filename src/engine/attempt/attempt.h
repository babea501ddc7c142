/*
 * attempt.h - one attempt: its surroundings, its child process, its two output streams; and the
 * tasks that are added to a run.
 *
 * Thread: engine. An attempt is opened, prepared by a job if it has surroundings, started, finished
 * by another job, and judged. After its end it is kept until attempt_close(), so that its last
 * output and its evidence can be read. Output of the child is redacted before anything else sees
 * it.
 */
#ifndef DEVS_ATTEMPT_H
#define DEVS_ATTEMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attempt_internal.h"
#include "attr.h"
#include "child.h"
#include "classify.h"
#include "cluster.h"
#include "contract.h"
#include "err.h"
#include "fingerprint.h"
#include "plan.h"
#include "redact.h"
#include "remote.h"
#include "scheduler.h"
#include "workers.h"
#include "workspace.h"

/* The tasks of a run whose plan grows, with their real commands.
 *
 * In the log and in the folded state, such a task is redacted and truncated (task_record.h). Its
 * real command is kept here until it is over. Thread: engine. */

struct engine_task;
struct mail_task;

/* What a task has besides its entry in the plan. */
struct growth_call {
    struct launch_input input; /* owns its bytes; NULL = no input */
    struct redactor *redactor; /* owned; redacts the task's own variables; NULL if it has none */
};

/* All zero if the plan does not grow. */
struct growth {
    struct plan *plan; /* owned; a copy that grows, with the same numbers as the folded state */
    struct growth_call **calls; /* owned, each; indexed by task; NULL once the task is over */
    size_t call_cap;
    struct mail_task *asked;   /* borrowed from their senders; not handled yet, oldest first */
    struct mail_task *settled; /* borrowed from their senders; answered once the turn is recorded */
};

/* `plan` is borrowed until growth_done(). */
void growth_init(struct growth *growth, const struct plan *plan);
void growth_done(struct growth *growth);

/* Adds the task to the plan and copies its input. `own` redacts the secrets of its own variables,
 * NULL if it has none. Takes ownership of `own` unless this fails, like plan_grow(). */
ATTR_MUST_USE bool growth_add(struct growth *growth, const struct engine_task *task,
                              struct redactor *own, struct err *err);
/* Frees the task's real call. */
void growth_forget(struct growth *growth, int task);

/* Returns the task's stdin; NULL = none, or the stdin that its steps name. */
const struct launch_input *growth_input(const struct growth *growth, int task);
/* Returns the redactor for the task's own variables, which runs before the run's redactor; NULL if
 * it has none. */
const struct redactor *growth_redactor(const struct growth *growth, int task);
/* Appends the text without the secrets of the task's own variables (task -1 has none) and without
 * the secrets that `run` knows (may be NULL). */
void growth_redact(const struct growth *growth, int task, const struct redactor *run,
                   const char *text, size_t len, struct str *out);

struct attempt;
struct attempt_setting;

/* Called from callbacks of the event loop. */
struct attempt_watcher {
    void *ctx;                                           /* borrowed until the attempt is closed */
    void (*started)(void *ctx, struct attempt *attempt); /* the process has started */
    void (*refused)(void *ctx, struct attempt *attempt); /* could not be started; see start_why */
    void (*heard)(void *ctx, struct attempt *attempt);   /* the process wrote output */
    void (*ended)(void *ctx, struct attempt *attempt);   /* no process of the attempt is left */
    /* Logs a fact, which is borrowed for the call; only the fields of its kind are used. */
    void (*fact)(void *ctx, const struct attempt *attempt, const struct event *fact);
};

enum attempt_stage {
    ATTEMPT_PREPARES, /* a job prepares the surroundings */
    ATTEMPT_STARTS,   /* the process is being started */
    ATTEMPT_RUNS,     /* the process is running */
    ATTEMPT_FINISHES, /* a job inspects and removes the sandbox */
    ATTEMPT_KEEPS,    /* the attempt passed; a job keeps the result of the task */
    ATTEMPT_IS_OVER,
};

/* An output stream of an attempt, for callbacks. */
struct attempt_stream {
    struct attempt *attempt;
    int number; /* 0 = stdout, 1 = stderr */
};

struct attempt {
    int task, step, number;
    enum attempt_stage stage;
    const struct plan_step *plan; /* borrowed */
    struct call call;
    int machine_slot;            /* see machine_slots_take(); 0 = none */
    struct agent_run *agent;     /* owned; NULL if the step runs a command */
    struct surroundings *around; /* owned; NULL if the attempt needs none */
    struct job *job;             /* borrowed; the job of the current stage; NULL = none */
    bool is_cancelled;           /* a person canceled the attempt before it had a process */
    bool has_run;                /* the process was started */
    struct child *child;         /* NULL before the process runs, once it has ended, and for an
                                    attempt on another machine */
    struct remote *remote;       /* the same for an attempt on another machine, else NULL */
    struct remote_words *words;  /* owned; what `remote` borrows; NULL = none */
    bool is_attached;            /* an earlier engine started it */
    bool is_away;                /* there is no contact to its machine */
    struct child_end end;
    char *start_why;   /* owned; why the attempt could not be started; NULL = no error */
    int memory_killed; /* see classify_input */
    char memory_words[SANDBOX_EVIDENCE_MAX]; /* the evidence for memory_killed */
    struct redact_stream *redact[2];         /* owned; NULL before the first output */
    struct redact_stream *redact_own[2]; /* owned; runs before `redact`: see growth_redactor() */
    struct attempt_stream sink_ctx[2];   /* contexts of the sinks of both streams */
    struct output streams[2];
    int64_t judged_from[2]; /* offset; output before it belongs to a start that was discarded */
    struct fingerprint *fingerprint; /* owned; NULL before the first output or the end */
    bool remembered;                 /* the task's memory knows about this attempt */
    struct violations violations;    /* violations of the step's contract; empty until judged */
    struct str tail, repair;         /* text about a failure, for the next round's prompt */
    struct input *ending; /* owned; the verdict, while the result is being kept; else NULL */
    int64_t heard_ms;     /* time of the start, or of the last output */
    bool quiet;           /* the attempt has been reported as quiet */
    bool is_idle;         /* being stopped because the attempt was silent for too long */
    bool is_hopeless;     /* being stopped because the agent's own retries cannot succeed */
    size_t slot;          /* index in the owner's array */
    int feed;             /* owned; the child's stdin if call.is_fed, until the start; else -1 */
    struct attempt_watcher watcher;
    const struct attempt_setting *setting; /* borrowed */
};

struct attempt_setting {
    struct call_setting call;
    const char *uid;       /* the run's uid */
    const char *log_dir;   /* borrowed */
    const char *log_db;    /* the log database in log_dir; borrowed */
    const char *plan_path; /* path of the plan file; borrowed; NULL if there is none */
    struct nursery *nursery;
    struct uv_loop_s *uv;            /* borrowed */
    struct cluster *const *clusters; /* borrowed; by the number of the host in the run's state; NULL
                                        = that of ssh; the array may be NULL */
    struct remote_share *const *shares; /* the same; NULL = no connection is shared */
    const struct classifier *classifier;
    const struct redactor *redactor;  /* borrowed; NULL = redacts nothing */
    const struct run_state *state;    /* borrowed; the state according to the log so far */
    struct gains *gains;              /* borrowed */
    struct machine_slots *slots;      /* borrowed */
    const struct growth *growth;      /* borrowed; the stdin of added tasks */
    struct workspace_set *workspaces; /* borrowed */
    int64_t grace_ms;
    void (*tee)(void *ctx, int stream, const char *bytes, size_t len); /* may be NULL */
    void *tee_ctx;                                                     /* borrowed */
};

/* Opens the attempt that `action` names, without starting it. Returns false if it cannot have a
 * workspace: it has then ended with OUTCOME_NOT_STARTED, and start_why says why. */
ATTR_MUST_USE bool attempt_open(struct attempt **out, const struct attempt_setting *setting,
                                const struct action *action, const struct attempt_watcher *watcher);
void attempt_close(struct attempt *attempt);

/* Starts the attempt's process, in the attempt's surroundings if it has any. Calls `started` or
 * `refused` later. A refused attempt has ended with OUTCOME_NOT_STARTED. */
void attempt_start(struct attempt *attempt);

/* Attaches to an attempt that an earlier engine started on another machine. Reads its output again
 * from the beginning; it replaces the output in the log. */
void attempt_attach(struct attempt *attempt);

/* Appends the name of the folder of an attempt on another machine; `uid` is that of the run. */
void attempt_folder(const char *uid, int task, int step, int number, struct str *out);

/* Returns the number of the host in the run's state on which the attempt runs; -1 = this machine.
 */
int attempt_host(const struct attempt *attempt);

/* Returns whether the attempt is starting or running, here or on another machine. */
bool attempt_is_live(const struct attempt *attempt);
/* Like child_cancel(), for an attempt on any machine. Does nothing if it is not live. */
void attempt_cancel(struct attempt *attempt, enum cancel_mode mode);
/* Like child_time_out(), for an attempt on any machine. Does nothing if it is not live. */
void attempt_time_out(struct attempt *attempt);
/* Like child_stood_still(), for an attempt on any machine. Does nothing if it is not live. */
void attempt_stood_still(struct attempt *attempt, int64_t still_ms);

/* Ends an attempt that could not be started, for the reason `why`. */
void attempt_refuse(struct attempt *attempt, int code, const char *why);
/* Ends an attempt that a person canceled before it was started. */
void attempt_call_off(struct attempt *attempt);
/* Takes over the sandbox's report on the attempt's end, after surroundings_finish(). */
void attempt_take_end(struct attempt *attempt);

/* Returns whether the agent's CLI reported that it does not know the session that it was asked to
 * continue. */
bool attempt_lost_session(const struct attempt *attempt);
/* Restarts the same attempt in a new session with its tree restored, as if just opened by
 * attempt_open(). */
void attempt_begin_anew(struct attempt *attempt);

/* Appends the text without the secrets of the run and of the task's own variables. */
void attempt_redact(const struct attempt *attempt, const char *text, size_t len, struct str *out);
/* Appends how often each secret was cut out of the attempt's output: {"NAME":3,...}. Returns the
 * total. */
int64_t attempt_cuts(const struct attempt *attempt, struct str *out);

/* attempt.c: opens the attempt's surroundings: the task's workspace (NULL = in place) and its
 * sandbox; for attempt_agent.c. */
void attempt_open_surroundings(struct attempt *attempt, struct workspace_slot *slot);
/* attempt_agent.c: sets up the step's agent if it has one; for attempt_open(). */
void attempt_open_agent(struct attempt *attempt);

/* Returns when the attempt's output must next be logged; INT64_MAX if there is nothing to log. */
int64_t attempt_output_due(const struct attempt *attempt);

/* Returns an input that names the attempt, with all other fields zero. */
struct input attempt_input(const struct attempt *attempt, enum input_kind kind);

/* Returns the attempt of that task with that number; NULL if there is none. */
struct attempt *attempt_find(struct attempt *const *attempts, size_t count, int task, int number);

/* Returns the task's memory, and records in it that this attempt has begun. */
struct entropy_memory *attempt_memory(struct attempt *attempt);
/* Returns the fingerprint. Creates it with the first output, or at the end if there was no
 * output. */
struct fingerprint *attempt_fingerprint(struct attempt *attempt);

/* Adds tail and repair to the input of a judged attempt whose task has rounds. They stay owned by
 * the attempt. */
void attempt_tell_round(struct attempt *attempt, struct input *input);

/* Returns whether the agent's result goes into a file. */
bool attempt_has_output(const struct attempt *attempt);

/* Writes the agent's result into its file for an attempt that would pass. If this fails, the
 * verdict says so. */
void attempt_write_output(struct attempt *attempt, struct verdict *verdict);

/* Turns the verdict of an attempt that would pass into a failure if a file that its step expects is
 * missing or not as expected. attempt_judge() calls this, except if attempt_has_output(). */
void attempt_check_files(struct attempt *attempt, struct verdict *verdict);

/* Fills in outcome, verdict, fingerprint, fact, masks and expectation_met from how the attempt
 * ended, judged at input->now. Call it once. */
void attempt_judge(struct attempt *attempt, const struct attempt_setting *setting,
                   struct input *input);

/* Returns the outcome as an exit code; 125..127 if nothing could be started. */
int attempt_exit_code(const struct outcome *outcome);

#endif
