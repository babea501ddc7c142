/*
 * executor.h - executes the calls of a server: each is a task of one run, which begins with the
 * first call. Results are read from the log.
 *
 * Belongs to one thread.
 */
#ifndef DEVS_EXECUTOR_H
#define DEVS_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "control_desk.h"
#include "engine.h"
#include "follower.h"
#include "mcp_output.h"
#include "mcp_request.h"
#include "mcp_server.h"
#include "place.h"
#include "proxy.h"
#include "session_tree.h"

struct executor {
    const struct proxy_options *options; /* borrowed */
    struct mcp_server *server;           /* borrowed */
    struct mcp_setting setting;
    struct place place;
    struct session_tree *tree; /* owned; NULL = calls run in place */
    struct engine *engine;     /* owned; NULL before the first call */
    struct follower *follower; /* owned; NULL before the first call */
    struct control_desk *desk; /* owned; NULL before the first call */
    struct mcp_loops *loops;   /* owned; NULL before the first call */
    char by[CONTROL_BY_MAX];   /* name under which the run is started and calls are cancelled */
    char *name;                /* owned; name of the run */
    int64_t run;               /* run number */
    int64_t calls;             /* so far */
    bool is_closed;            /* no more calls are accepted */
};

/* Initializes the executor; the run begins with the first call. Borrows both. */
void executor_init(struct executor *executor, const struct proxy_options *options,
                   struct mcp_server *server);

/* Begins a call. An mcp_host function; ctx is the executor. */
void executor_begin(void *ctx, struct mcp_call *call);
/* Cancels a call that the client no longer wants; it is still answered like any other. An mcp_host
 * function. */
void executor_take_back(void *ctx, struct mcp_call *call);

/* Reads new events, answers finished calls and reports progress. Fails if the log cannot be read
 * any more; in that case, all calls have been answered with the error. */
ATTR_MUST_USE bool executor_look(struct executor *executor, struct err *err);
/* Answers all pending calls. Call it when the engine has ended and its last events were read. */
void executor_engine_ended(struct executor *executor);
/* Returns how long to wait without new events before the next executor_look(), in ms; -1 =
 * forever. */
int executor_wait_ms(const struct executor *executor);
/* Returns a descriptor that is readable when there are new events; -1 if it is not open yet or the
 * caller has to poll. */
int executor_news_fd(const struct executor *executor);
/* Returns a descriptor that is readable once the engine has ended on its own; -1 if no engine
 * runs. */
int executor_done_fd(const struct executor *executor);

/* Accepts no more calls. The run ends when the current ones have ended. */
void executor_close(struct executor *executor);
/* Sends TERM to everything that runs; executor_stop() kills the rest. */
void executor_cancel(struct executor *executor);
/* Ends the run and frees everything; sets `result` to the engine's result. */
void executor_stop(struct executor *executor, struct proxy_result *result);

#endif
