/* mcp_server.h - the client side of the tool proxy. The server turns messages into calls and
 * results into messages; it knows neither runs nor clocks, and its host (proxy.c) executes the
 * calls.
 *
 * The server serves both eras at once, decided per request (mcp_wire.h). It belongs to one
 * thread. */
#ifndef DEVS_MCP_SERVER_H
#define DEVS_MCP_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mcp_request.h"
#include "mcp_wire.h"

enum {
    MCP_CALLS_MAX = 64, /* maximum number of concurrent calls, including calls waiting for a slot */
    MCP_CLIENT_MAX = 64, /* maximum size of a client's name in bytes, including the NUL */
};

/* The replies of a batch, collected until they are complete. */
struct mcp_batch {
    int open; /* requests without a reply */
    struct str replies;
};

/* A pending call of a tool. */
struct mcp_call {
    struct str id;           /* as JSON */
    struct str token;        /* progress token as JSON; "" = no progress wanted */
    struct mcp_batch *batch; /* the batch it came in; NULL = none */
    enum mcp_era era;
    int64_t progress;           /* the last reported value */
    bool is_taken_back;         /* cancelled by the client: no reply */
    struct mcp_request request; /* owned */
    void *execution;            /* data of the host about this call */
};

/* Executes calls. Borrows ctx, which must outlive the server. */
struct mcp_host {
    void *ctx;
    /* Begins a call, which mcp_server_answer() ends, during this function or later. */
    void (*begin)(void *ctx, struct mcp_call *call);
    /* Called when the client has cancelled the call, which must still be ended with
     * mcp_server_answer(). */
    void (*take_back)(void *ctx, struct mcp_call *call);
};

struct mcp_server {
    struct mcp_out *out; /* borrowed */
    const char *root;    /* borrowed: the run's directory */
    struct mcp_host host;
    enum mcp_version version;    /* set by initialize; before that, the newest legacy version */
    char client[MCP_CLIENT_MAX]; /* the client's name; "" = unknown */
    struct mcp_batch *batch;     /* the batch being read; NULL = none */
    struct mcp_call *calls[MCP_CALLS_MAX]; /* owned, in order of arrival */
    size_t call_count;
};

/* Initializes a server without a session. Borrows `out` and `root`, copies *host. */
void mcp_server_init(struct mcp_server *server, struct mcp_out *out, const char *root,
                     const struct mcp_host *host);
/* Frees the server. Pending calls get no reply. */
void mcp_server_done(struct mcp_server *server);

/* Processes the next line from the client. An mcp_line_fn; ctx is the server. */
void mcp_server_line(void *ctx, const char *line, size_t len);

/* Sends the result of a call and frees the call. `members` are the members of a tool's result as
 * JSON. */
void mcp_server_answer(struct mcp_server *server, struct mcp_call *call, const char *members);

/* Reports progress of a call if the client wants it. Each value is higher than the previous one. */
void mcp_server_progress(struct mcp_server *server, struct mcp_call *call, const char *message);

enum { MCP_TTL_MS = 3600 * 1000 }; /* how long lists may be cached; they never change */

/* Appends the members of a tool's result for a call that was not executed. */
void mcp_reply_refusal(struct str *out, const char *why, const char *what_to_do);
/* Appends the members of a tool's result for a call that may have been executed, but whose outcome
 * is unknown. */
void mcp_reply_unknown(struct str *out, const char *why);

#endif
