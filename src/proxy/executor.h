/*
 * executor.h - executes the calls of a server: each a task of one run, which begins with the
 * first of them. What became of a task is read from the log.
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
    struct session_tree *tree; /* owned; NULL = calls work in place */
    struct engine *engine;     /* owned; NULL before the first call */
    struct follower *follower; /* owned; likewise */
    struct control_desk *desk; /* owned; likewise */
    struct mcp_loops *loops;   /* owned; likewise */
    char by[CONTROL_BY_MAX];   /* who starts the run and cancels for the client */
    char *name;                /* owned; of the run */
    int64_t run;               /* its number */
    int64_t calls;             /* so far */
    bool is_closed;            /* no call is taken any more */
};

/* No run yet: it begins with the first call. Both are borrowed. */
void executor_init(struct executor *executor, const struct proxy_options *options,
                   struct mcp_server *server);

/* As a host of the server; ctx is the executor. */
void executor_begin(void *ctx, struct mcp_call *call);
/* The client does not want it any more: ask for its end; it is answered like any other. */
void executor_take_back(void *ctx, struct mcp_call *call);

/* Read the news, answer the calls that are over, tell progress. False: the log cannot be read
 * any more, and every call was answered with that. */
ATTR_MUST_USE bool executor_look(struct executor *executor, struct err *err);
/* The engine has ended, and its news was read: what still waits is answered with that. */
void executor_engine_ended(struct executor *executor);
/* When to look again at the latest without news: ms from now, -1 = when there is news. */
int executor_wait_ms(const struct executor *executor);
/* Readable when there is something new; -1: not open yet, or the caller has to look from time to
 * time. */
int executor_news_fd(const struct executor *executor);
/* Readable once the engine has ended by itself; -1: no engine runs. */
int executor_done_fd(const struct executor *executor);

/* No more calls. The run ends when what there is has ended. */
void executor_close(struct executor *executor);
/* End what runs: TERM, and once the executor is stopped KILL. */
void executor_cancel(struct executor *executor);
/* End the run and free everything; `result` gets what the engine said. */
void executor_stop(struct executor *executor, struct proxy_result *result);

#endif
