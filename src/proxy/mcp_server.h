/*
 * mcp_server.h - the protocol's side of the tool proxy: messages in, calls out; results in,
 * messages out. Knows no run and no clock; who executes the calls is the host.
 *
 * Serves both eras at once, request by request (mcp_wire.h). Belongs to one thread.
 */
#ifndef DEVS_MCP_SERVER_H
#define DEVS_MCP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcp_request.h"
#include "mcp_wire.h"

enum {
    MCP_CALLS_MAX = 64,  /* calls at once, those counted that wait for a slot */
    MCP_CLIENT_MAX = 64, /* bytes of a client's name, NUL counted */
};

/* Replies of a batch, until all are there. */
struct mcp_batch {
    int open; /* requests without one */
    struct str replies;
};

/* A call of a tool that has no reply yet. */
struct mcp_call {
    struct str id;           /* as JSON */
    struct str token;        /* of progress, as JSON; "" = the client wants none */
    struct mcp_batch *batch; /* that it came in; NULL = none */
    enum mcp_era era;
    int64_t progress;           /* the last value told */
    bool is_taken_back;         /* the client cancelled it: no reply */
    struct mcp_request request; /* owned */
    void *execution;            /* the host's */
};

/* Who executes calls. ctx is borrowed and outlives the server. */
struct mcp_host {
    void *ctx;
    /* A new call; mcp_server_answer() ends it, in this call or later. */
    void (*begin)(void *ctx, struct mcp_call *call);
    /* The client has taken it back; it still has to be ended with mcp_server_answer(). */
    void (*take_back)(void *ctx, struct mcp_call *call);
};

struct mcp_server {
    struct mcp_out *out; /* borrowed */
    const char *root;    /* borrowed: the run's folder */
    struct mcp_host host;
    enum mcp_version version;    /* settled by initialize; before it the newest legacy one */
    char client[MCP_CLIENT_MAX]; /* its name; "" = not told */
    struct mcp_batch *batch;     /* that is being read; NULL = none */
    struct mcp_call *calls[MCP_CALLS_MAX]; /* owned, in the order they came */
    size_t call_count;
};

/* No session yet; `out` and `root` are borrowed, *host is copied. */
void mcp_server_init(struct mcp_server *server, struct mcp_out *out, const char *root,
                     const struct mcp_host *host);
/* Calls without a reply get none. */
void mcp_server_done(struct mcp_server *server);

/* The next line, as an mcp_line_fn; ctx is the server. */
void mcp_server_line(void *ctx, const char *line, size_t len);

/* A call's result: the members of a tool's result as JSON. The call is freed. */
void mcp_server_answer(struct mcp_server *server, struct mcp_call *call, const char *members);

/* How far a call is, if the client wants to know: each value is higher than the one before. */
void mcp_server_progress(struct mcp_server *server, struct mcp_call *call, const char *message);

enum { MCP_TTL_MS = 3600 * 1000 }; /* how long the lists may be kept: they do not change */

/* Members of a tool's result that is an error and nothing else: it was not executed. */
void mcp_reply_refusal(struct str *out, const char *why, const char *what_to_do);
/* Members of the result of a call that may have been executed, if nobody can say how it ended. */
void mcp_reply_unknown(struct str *out, const char *why);

#endif
