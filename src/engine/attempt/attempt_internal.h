/* attempt_internal.h - the parts of an attempt: its call, its agent, its output, the detection of
 * new output, and its surroundings. Other folders include attempt.h.
 *
 * The call is the way a step of a plan is started: folder, files, environment. It is the same for
 * every attempt of a step, except that an agent's attempts have an argv of their own. Any
 * thread. */
#ifndef DEVS_ATTEMPT_INTERNAL_H
#define DEVS_ATTEMPT_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "child.h"
#include "classify.h"
#include "entropy.h"
#include "err.h"
#include "log_writer.h"
#include "outcome.h"
#include "plan.h"
#include "run_state.h"
#include "sandbox.h"
#include "scheduler.h"
#include "str.h"
#include "workspace.h"

/* Numbers of the tasks that run on this machine, whoever runs them: no two have the same at a time.
 * A task keeps its slot between its attempts, until it is over. One thread. */

enum {
    MACHINE_SLOTS_MAX = EVENT_SLOT_MAX,
    MACHINE_SLOT_PORTS = 8, /* ports of a slot; they do not overlap */
};

struct machine_slots;

/* `path` is the file of the machine's locks; it is created if needed, and never removed. If it
 * cannot be used, there are no slots. */
struct machine_slots *machine_slots_open(const char *path);
/* Releases all slots. `slots` may be NULL. */
void machine_slots_close(struct machine_slots *slots);
/* Returns the number of a slot for an attempt of the task, or 0 if there is none. The first of
 * these wins: the slot that the task has; slot `last` (0 = none) if it is free; the lowest free
 * slot; the slot of another task of ours that has no attempt now. A slot is free if nobody has
 * locked it and nothing listens on its TCP ports. */
int machine_slots_take(struct machine_slots *slots, int task, int last);
/* Notes that the attempt has ended; the task keeps its slot. */
void machine_slots_rest(struct machine_slots *slots, int task);
/* Releases the slot of a task that is over, unless an attempt uses it. */
void machine_slots_drop(struct machine_slots *slots, int task);
/* Returns the first port of the slot. */
int machine_slot_port(int slot);

/* Shared by all calls of a run. All borrowed; must outlive the calls. */
struct call_setting {
    const struct plan *plan;
    const char *run_dir;      /* absolute */
    char *const *environment; /* NULL-terminated */
    const char *run_mark;     /* "DEVS_RUN=..." */
};

struct call {
    char *const *argv; /* borrowed from the plan, or from the owner of a replacement */
    char *cwd;         /* owned; absolute */
    char *stdin_path;  /* owned; absolute, NULL = /dev/null */
    bool is_fed;       /* the step's stdin is PLAN_STDIN_OURS; stdin_path is NULL then */
    const struct launch_input *input; /* borrowed; bytes for stdin instead of a path; NULL =
                                         none, as after call_init() */
    char *step_mark;                  /* owned; "DEVS_STEP=task/1" */
    char **slot;                      /* owned, with its strings: "DEVS_SLOT=3", "DEVS_PORT_1=..."
                                         and so on, NULL-terminated; NULL = no slot */
    char **own; /* owned array of borrowed strings, NULL-terminated: the step's own entries */
    size_t given_count; /* entries at the beginning of `environment` that are not inherited */
    char **environment; /* owned array of borrowed strings, NULL-terminated */
};

/* Fills in argv, folder, environment and stdin from the step in the plan. `slot`: see
 * machine_slots_take(). */
void call_init(struct call *call, const struct call_setting *setting, int task, int step, int slot);
void call_done(struct call *call);

/* Returns "task/1", the step's name for display. */
const char *call_name(const struct call *call);

/* One output stream of one attempt: decides what is kept and when it is logged.
 *
 * The first OUTPUT_HEAD_BYTES are logged as they arrive. The last OUTPUT_RING_BYTES of the rest are
 * kept in memory. While the attempt runs, their end (the live tail) is logged repeatedly,
 * overwriting one row. When it ends, all kept bytes are logged. The middle is only counted. A
 * stream without output allocates nothing. One thread. */

enum {
    OUTPUT_HEAD_BYTES = 256 * 1024,
    OUTPUT_RING_BYTES = 1024 * 1024,
    OUTPUT_PIECE_BYTES =
        64 * 1024,        /* maximum bytes of a row in the log, and size of the live tail */
    OUTPUT_HEAD_MS = 50,  /* the head is logged at most this often */
    OUTPUT_TAIL_MS = 500, /* the live tail is logged at most this often */
    OUTPUT_URGENT_BYTES = 128 * 1024, /* log the head at once if this much of it is not logged */
    /* Maximum number of pieces that one output_take() returns. */
    OUTPUT_PIECES_MAX = (OUTPUT_HEAD_BYTES + OUTPUT_RING_BYTES) / OUTPUT_PIECE_BYTES + 2,
};

struct output {
    int64_t bytes, lines; /* totals of the stream; a line longer than line_max counts as several */
    int64_t line_max;
    int64_t line_bytes; /* length so far of the current, incomplete line */
    char *kept;         /* owned; the last bytes of the stream, contiguous */
    size_t kept_len, kept_cap;
    int64_t logged;           /* bytes of the head that were taken for the log */
    int64_t tail_logged;      /* value of `bytes` when the live tail was last taken */
    int64_t head_ms, tail_ms; /* when the head and the live tail were last taken */
    int head_pieces;
};

/* now_ms: the first pieces are due some time after it. line_max: in bytes, at least 1. */
void output_init(struct output *output, int64_t now_ms, int64_t line_max);
void output_done(struct output *output);

/* Copies the next bytes, at most OUTPUT_PIECE_BYTES. */
void output_add(struct output *output, const char *bytes, size_t len);

/* Returns when the next piece is due; INT64_MAX if there is none. */
int64_t output_due(const struct output *output);

/* Takes the output that is due at now_ms or, once the attempt has ended, everything left to log.
 * Fills in part, index, offset, bytes and len of at most OUTPUT_PIECES_MAX pieces and returns their
 * number. The bytes are borrowed until the next output_add(). */
size_t output_take(struct output *output, int64_t now_ms, struct log_output *pieces);
/* Takes the current contents of the ring while the attempt is still running, as pieces with part
 * LOG_OUTPUT_REST. Otherwise like output_take(). */
size_t output_take_rest(struct output *output, int64_t now_ms, struct log_output *pieces);

/* Returns the last bytes, at most `max`, borrowed until the next output_add(). */
struct classify_text output_tail(const struct output *output, size_t max);

/*
 * The agent of one attempt: builds its command line and parses its output.
 *
 * Reads the bytes that the agent's CLI writes, already redacted. Produces readable text for people
 * and facts for the log: the session, each call with its result, and the usage. Thread: engine.
 */

struct entropy_memory;
struct redactor;

enum {
    AGENT_USED_MS = 1000,      /* usage is reported at most this often, except to a budget */
    AGENT_MESSAGE_MAX = 16384, /* maximum bytes of a message that loop detection compares */
    AGENT_TOOL_MAX = 100,      /* maximum bytes of a tool name in the log */
    AGENT_SESSIONS_MAX = 100,  /* maximum sessions of one attempt that are logged */
};

/* Called from agent_run_add() and agent_run_end(). */
struct agent_listener {
    void *ctx; /* borrowed until agent_run_close() */
    /* Logs a fact, which is borrowed for the call; only the fields of its kind are used. */
    void (*fact)(void *ctx, const struct event *fact);
    /* Receives text for people, at most OUTPUT_PIECE_BYTES at once. */
    void (*words)(void *ctx, const char *bytes, size_t len);
    /* The agent's CLI reported a retry of its own. */
    void (*retry)(void *ctx);
    /* Returns the memory of what the task's agent has called and seen so far. */
    struct entropy_memory *(*memory)(void *ctx);
};

/* All borrowed until agent_run_close(). */
struct agent_run_call {
    const struct plan_step *plan;    /* the plan's step as it is started, not redacted */
    const struct run_state *state;   /* the state after the start of the attempt */
    const struct redactor *redactor; /* redacts the readable text again, since a secret may arrive
                                        in pieces; NULL = redacts nothing */
    int task, step, attempt;
    int64_t now_ms;
    int64_t line_max; /* see output_init() */
};

struct agent_run {
    struct agent_run_call call;
    struct agent_listener listener;
    char *session; /* owned; the session to continue; NULL = start a new one */
    char *prompt;  /* owned */
    char **argv;   /* owned, NULL-terminated */
    struct launch_input input;
    bool on_stdin;               /* send `input` on stdin */
    struct agent_stream *stream; /* owned */
    struct output words;
    char *logged_session; /* owned; the session that was logged last; NULL = none */
    int logged_sessions;  /* number of sessions logged */
    struct agent_used logged;
    int64_t used_logged_ms;  /* when the usage was last logged */
    int64_t items;           /* calls and messages logged */
    int64_t retries_from_ms; /* start of the current series of the agent's own retries; 0 = none */
    int64_t own_wait_ms;     /* total time of the completed series of retries */
    struct {
        int64_t number;
        int64_t began_ms;
    } open[AGENT_OPEN_CALLS_MAX]; /* calls without a result */
    size_t open_count;
};

/* Prepares the command line of an agent step. Copies both structs and borrows what they point
 * to. */
void agent_run_open(struct agent_run **out, const struct agent_run_call *call,
                    const struct agent_listener *listener);
/* `run` may be NULL. */
void agent_run_close(struct agent_run *run);

/* Starts over in a new session with the full prompt, because the CLI does not know the old session.
 * Forgets all output so far. */
void agent_run_begin_anew(struct agent_run *run);

/* Parses the next bytes of stdout (stream 0) or stderr (1). */
void agent_run_add(struct agent_run *run, int stream, const char *bytes, size_t len,
                   int64_t now_ms);
/* Ends the output. If the agent was `killed`, logs the calls that were still running. */
void agent_run_end(struct agent_run *run, bool killed, int64_t now_ms);

/* Returns when agent_run_tell_used() is due; INT64_MAX if there is no new usage. */
int64_t agent_run_due(const struct agent_run *run);
/* Reports the usage if it has changed and the report is due. */
void agent_run_tell_used(struct agent_run *run, int64_t now_ms);

/* Remembers what the attempts of each task have written, to tell new output from repeated output,
 * and saves that in the log.
 *
 * A task has a memory (entropy.h) from its first output until it is over. A failed task keeps it,
 * since a person may retry it. For tasks that are not running and whose memories are in the log,
 * only the last GAINS_KEPT_MAX memories are kept in RAM; the others are reloaded from the log when
 * the task's next attempt writes. Thread: engine. */

enum { GAINS_KEPT_MAX = 64 }; /* maximum memories kept of tasks that are waiting or failed */

struct gains {
    const struct run_state *state; /* borrowed */
    struct log_writer *writer;     /* borrowed; NULL: memories that are not kept are lost */
    struct gain *tasks;            /* owned; by task number */
    size_t task_cap;               /* capacity of `tasks` */
    int task_count;
    struct log_gain *rows; /* owned, including their bytes; rows of this turn */
    size_t row_count, row_cap;
    int oldest, newest; /* ends of the list of saved memories that are kept; -1 = none */
    int kept;           /* number of saved memories that are kept */
    bool lost;          /* a memory could not be reloaded; cleared once that has been reported */
};

/* Starts empty. Borrows both until gains_done(). */
void gains_init(struct gains *gains, const struct run_state *state, struct log_writer *writer);
void gains_done(struct gains *gains);
/* Makes room for this many tasks after the plan has grown. */
void gains_make_room(struct gains *gains, int task_count);
/* Call this first if another engine started the run: memories that it saved are then loaded from
 * the log on demand. */
void gains_resume(struct gains *gains);

/* Returns the memory of the task's output, after loading it from the log or creating it. */
struct entropy_memory *gains_memory(struct gains *gains, int task);
/* Returns the memory of the calls and messages of the task's agent, which is separate. Loaded or
 * created like gains_memory(). */
struct entropy_memory *gains_calls(struct gains *gains, int task);
/* Forgets the agent's calls, which its new session does not remember. */
void gains_forget_calls(struct gains *gains, int task);
/* Returns the memory of the task's output; NULL if it has none. */
struct entropy_memory *gains_find(const struct gains *gains, int task);

/* Returns whether the memory has seen the task's output from its beginning. A memory loaded from
 * the log has no sample lines to show. */
bool gains_has_samples(const struct gains *gains, int task);

/* Call this after each step of the scheduler. Makes rows for the tasks whose attempts have ended,
 * to be logged with the events of the turn, and forgets tasks that are over. */
void gains_collect(struct gains *gains, const struct turn *turn);
/* Drops the rows once they are written. */
void gains_clear(struct gains *gains);

/*
 * The surroundings of one attempt: the workspace of its task and its own sandbox.
 *
 * They are prepared before the attempt's process starts and inspected after it has ended. Functions
 * that block belong in a job (workers.h) on the task's line. All other functions, and the results
 * of such a job, are for the engine's thread while no job is running.
 */

enum {
    SURROUNDINGS_ERR_TAIL = 4096
}; /* maximum bytes of stderr searched for messages of a sandbox */

/* All borrowed until surroundings_close(). */
struct surroundings_call {
    struct workspace_slot *slot; /* NULL if the task works in place */
    const char *host;            /* the host of the attempt; NULL = this machine */
    const char *control;         /* see struct remote_place */
    enum workspace_kind kind;
    const struct sandbox_spec *spec;
    const struct call *call; /* argv, folder and environment as they are outside a sandbox */
    char *const *own;        /* the step's own environment entries; NULL = none */
    char *const *our_environment;
    const char *run_dir;
    const char *log_dir;
    const char *log_db;    /* the log database */
    const char *plan_path; /* path of the plan file; NULL if there is none */
    const char *uid;       /* the run's uid */
    const char *task_id;
    const char *title; /* the task's title, for its result */
    int step, attempt;
    int64_t processes; /* the plan's limit; 0 = none */
    bool knows_place;  /* the location of the workspace is already logged */
    bool begins_round; /* save the tree again, and ignore what an earlier round saved */
    bool keeps_tree; /* a later attempt continues with the tree as it is, because its agent knows it
                      */
};

struct surroundings {
    struct surroundings_call call;
    char *name;              /* owned; name of the sandbox */
    char **environment;      /* owned array of borrowed strings; NULL = the call's */
    struct sandbox *sandbox; /* owned; NULL unless prepared */
    bool has_sandbox; /* there is a sandbox, or control groups and limits, to prepare and to finish
                       */
    struct str err_tail; /* the last bytes the process wrote to stderr */
    struct outcome raw;  /* how the process ended */

    /* Results of surroundings_prepare(). */
    bool is_ready;  /* the process may be started; otherwise `start_code` and `err` are set */
    int start_code; /* error code */
    struct err err; /* error message */
    bool has_made, has_before, was_reset;
    struct workspace_made made;
    struct tree_facts before;
    struct str lacks, lacks_why; /* keys that are not enforced, and why; "" = all are enforced */

    /* Results of surroundings_finish(). */
    struct sandbox_end end;

    /* Results of surroundings_keep(). */
    bool is_kept, has_after;
    struct err keep_err;
    struct tree_facts after;
    struct workspace_kept kept;
};

/* Sets *out to NULL if the attempt needs no surroundings and is started directly. Prepares nothing
 * yet. Copies *call, and borrows what it points to. */
void surroundings_open(struct surroundings **out, const struct surroundings_call *call);
/* No job may be using it. If is_ready, call surroundings_remove() first. */
void surroundings_close(struct surroundings *around);

/* Blocks. Prepares the workspace and the sandbox for the attempt. */
void surroundings_prepare(struct surroundings *around, const atomic_bool *stop);
/* Blocks. Interprets how the process ended (`raw`, `err_tail`), then inspects and removes the
 * sandbox. */
void surroundings_finish(struct surroundings *around);
/* Blocks. Removes the sandbox of a process that could not be started. */
void surroundings_remove(struct surroundings *around);
/* Blocks. Keeps the result after the last step of its task has passed, and records what it is. */
void surroundings_keep(struct surroundings *around, const atomic_bool *stop);

/* Returns the fact of this kind about a whole tree. */
struct event tree_fact(enum event_kind kind, const struct tree_facts *tree);

/* Receives one fact for the log, which is borrowed for the call. */
typedef void surroundings_fact_fn(void *ctx, const struct event *fact);
/* Reports the results of surroundings_prepare(). */
void surroundings_tell_prepared(const struct surroundings *around, surroundings_fact_fn *tell,
                                void *ctx);
/* Reports the results of surroundings_keep(). */
void surroundings_tell_kept(const struct surroundings *around, surroundings_fact_fn *tell,
                            void *ctx);

#endif
