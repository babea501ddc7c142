/*
 * agent_run.h - the agent of one attempt: builds its command line and parses its output.
 *
 * Reads the bytes that the agent's CLI writes, already redacted. Produces readable text for people
 * and facts for the log: the session, each call with its result, and the usage. Thread: engine.
 */
#ifndef DEVS_AGENT_RUN_H
#define DEVS_AGENT_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "agent_used.h"
#include "launch.h"
#include "output.h"
#include "plan.h"
#include "run_state.h"
#include "scheduler.h"

struct entropy_memory;
struct redactor;

enum {
    AGENT_USED_MS = 1000,      /* usage is reported at most this often, except to a budget */
    AGENT_MESSAGE_MAX = 16384, /* bytes of a message that loop detection looks at */
    AGENT_TOOL_MAX = 100,      /* bytes of a tool name in the log */
    AGENT_SESSIONS_MAX = 100,  /* sessions of one attempt that are logged */
};

/* Called from agent_run_add() and agent_run_end(). */
struct agent_listener {
    void *ctx; /* borrowed until agent_run_close() */
    /* Logs a fact. `text` is a JSON object, may be NULL. Both are borrowed for the call. */
    void (*fact)(void *ctx, const struct input_fact *fact, const char *text);
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
    const struct run_state *state;   /* with the start of the attempt folded in */
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
    char *told_session; /* owned; the session that was logged last; NULL = none */
    int told_sessions;  /* number of sessions logged */
    struct agent_used told;
    int64_t told_ms;         /* when its usage was last logged */
    int64_t items;           /* calls and messages logged */
    int64_t retries_from_ms; /* start of the current series of its own retries; 0 = none */
    int64_t own_wait_ms;     /* total time of the completed series */
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

#endif
