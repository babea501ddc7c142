/*
 * agent_run.h - the agent of one attempt: how it is called, and what it says.
 *
 * What it says comes in as the bytes that its CLI writes, secrets cut already; out go readable
 * words for people, and facts for the log: its session, its calls with what each brings, what it
 * has used. Belongs to the loop's thread.
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
    AGENT_USED_MS = 1000,      /* what it has used is told at most this often, but to a budget */
    AGENT_MESSAGE_MAX = 16384, /* bytes of a message that the detector looks at */
    AGENT_TOOL_MAX = 100,      /* bytes of a tool's name in the log */
    AGENT_SESSIONS_MAX = 100,  /* sessions of one attempt that the log is told of */
};

/* Told from within agent_run_add() and agent_run_end(). */
struct agent_listener {
    void *ctx; /* borrowed until the agent's run is closed */
    /* For the log; `text` is a JSON object, NULL = none; both for the call. */
    void (*fact)(void *ctx, const struct input_fact *fact, const char *text);
    /* Words for people, at most OUTPUT_PIECE_BYTES at once. */
    void (*words)(void *ctx, const char *bytes, size_t len);
    /* The agent CLI reports an own retry. */
    void (*retry)(void *ctx);
    /* What the task's agent has called and seen so far. */
    struct entropy_memory *(*memory)(void *ctx);
};

/* All borrowed until agent_run_close(). */
struct agent_run_call {
    const struct plan_step *plan;    /* as it is called: no secret is cut */
    const struct run_state *state;   /* with the attempt's start folded in */
    const struct redactor *redactor; /* for the words: a secret may come in pieces; NULL cuts
                                        nothing */
    int task, step, attempt;
    int64_t now_ms;
    int64_t line_max; /* as output_init() wants it */
};

struct agent_run {
    struct agent_run_call call;
    struct agent_listener listener;
    char *session; /* owned; it goes on in this one; NULL = a new one */
    char *prompt;  /* owned */
    char **argv;   /* owned, NULL-terminated */
    struct launch_input input;
    bool on_stdin;               /* `input` is wanted */
    struct agent_stream *stream; /* owned */
    struct output words;
    char *told_session; /* owned; the last that the log was told of, NULL = none */
    int told_sessions;  /* so many in all */
    struct agent_used told;
    int64_t told_ms;         /* when its use was last written to the log */
    int64_t items;           /* calls and messages written to the log */
    int64_t retries_from_ms; /* start of its current own retries; 0 = none */
    int64_t own_wait_ms;     /* sum of the ended ones */
    struct {
        int64_t number;
        int64_t began_ms;
    } open[AGENT_OPEN_CALLS_MAX]; /* calls without a result */
    size_t open_count;
};

/* Make the call of an agent step; both are copied, what they point to is borrowed. */
void agent_run_open(struct agent_run **out, const struct agent_run_call *call,
                    const struct agent_listener *listener);
/* NULL is allowed. */
void agent_run_close(struct agent_run *run);

/* Its session is not known to its CLI: a new one, told everything. What came is forgotten. */
void agent_run_begin_anew(struct agent_run *run);

/* The next bytes that it wrote; then the end. Where it was `killed`, the log is told of the calls
 * that it was in. */
void agent_run_add(struct agent_run *run, const char *bytes, size_t len, int64_t now_ms);
/* The same, on standard error. */
void agent_run_add_err(struct agent_run *run, const char *bytes, size_t len, int64_t now_ms);
/* Its output is over. */
void agent_run_end(struct agent_run *run, bool killed, int64_t now_ms);

/* When agent_run_tell_used() is wanted; INT64_MAX = nothing new was used. */
int64_t agent_run_due(const struct agent_run *run);
/* Tell what it has used, if that is news and its time has come. */
void agent_run_tell_used(struct agent_run *run, int64_t now_ms);

#endif
