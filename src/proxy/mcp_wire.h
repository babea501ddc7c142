/*
 * mcp_wire.h - lines of a client, the messages of JSON-RPC 2.0 (jsonrpc.org/specification) in them
 * and what is wrong with those that are invalid, versions of MCP, and lines back to the client.
 */
#ifndef DEVS_MCP_WIRE_H
#define DEVS_MCP_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "str.h"

/* Codes of errors: the first five are JSON-RPC's own; -32000 is of the range that it leaves to
 * servers; -32022 is MCP's (2026-07-28): a version that is not served. */
enum mcp_error {
    MCP_ERROR_NONE = 0,
    MCP_ERROR_PARSE = -32700,
    MCP_ERROR_REQUEST = -32600,
    MCP_ERROR_METHOD = -32601,
    MCP_ERROR_PARAMS = -32602,
    MCP_ERROR_VERSION = -32022,
};

enum {
    MCP_ID_MAX = 1024,   /* bytes of an id, and of a progress token, as JSON text */
    MCP_BATCH_MAX = 64,  /* messages of a batch */
    MCP_METHOD_MAX = 64, /* bytes of a method that are said again in an error */
};

enum mcp_kind {
    MCP_REQUEST,
    MCP_NOTIFICATION,
    MCP_RESPONSE, /* to a request; devs sends no requests */
    MCP_BROKEN,   /* `error` and `why` say what is wrong */
};

/* All borrowed from the JSON value, but for the id's text. */
struct mcp_message {
    enum mcp_kind kind;
    const char *method;        /* requests and notifications */
    const struct json *params; /* an object; NULL = none */
    struct str id;             /* as JSON text; "" = there is none, or it cannot be known */
    enum mcp_error error;      /* MCP_BROKEN only */
    const char *why;           /* likewise; static */
};

/* What this value is. The caller ends *out with mcp_message_done(). */
void mcp_message_read(const struct json *json, struct mcp_message *out);
void mcp_message_done(struct mcp_message *message);

/* Is it an id, or a progress token: a string or an integer, of bounded length? */
bool mcp_is_id(const struct json *json);

enum { MCP_LINE_MAX = 8 * 1024 * 1024 }; /* bytes of a message, its line feed not counted */

/* `line` has no line feed and no NUL behind it that counts; NULL: it was too long. Borrowed for
 * the call. */
typedef void mcp_line_fn(void *ctx, const char *line, size_t len);

struct mcp_lines {
    struct str part; /* of a line whose end has not come */
    bool skipping;   /* what comes up to the next line feed belongs to one that is too long */
    size_t max;      /* 0 = MCP_LINE_MAX */
};

/* The next bytes. Calls back for each line that they end, but for blank ones. */
void mcp_lines_add(struct mcp_lines *lines, const char *bytes, size_t len, mcp_line_fn *each,
                   void *ctx);
/* The stream is over: a last line may lack its line feed. */
void mcp_lines_end(struct mcp_lines *lines, mcp_line_fn *each, void *ctx);
void mcp_lines_done(struct mcp_lines *lines);

enum mcp_version {
    MCP_2024_11_05,
    MCP_2025_03_26, /* the only one with batches */
    MCP_2025_06_18,
    MCP_2025_11_25,
    MCP_2026_07_28,
    MCP_VERSION_COUNT,
    /* What `initialize` is answered with where it asks for what is not known. */
    MCP_NEWEST_LEGACY = MCP_2025_11_25,
};

enum mcp_era {
    MCP_ERA_LEGACY,    /* initialize */
    MCP_ERA_STATELESS, /* _meta with each request */
};

/* "2025-11-25". */
const char *mcp_version_name(enum mcp_version version);
/* The inverse; false for one that is not served. */
bool mcp_version_parse(const char *name, enum mcp_version *out);
enum mcp_era mcp_version_era(enum mcp_version version);
/* May a line hold several messages in an array? */
bool mcp_version_has_batches(enum mcp_version version);

/* The served versions as a JSON array, the newest first. */
void mcp_version_list(struct str *out);

enum {
    MCP_OUT_HIGH = 1024 * 1024, /* bytes queued from which on nothing more is read of a client */
};

struct mcp_out {
    int fd;           /* borrowed; -1 = the client is gone, all is thrown away */
    struct str bytes; /* whole messages */
    size_t written;   /* of these */
};

/* Queue a message; its line feed is added. `text` is JSON without one. */
void mcp_out_add(struct mcp_out *out, const char *text, size_t len);

/* Bytes that are waiting. */
size_t mcp_out_waiting(const struct mcp_out *out);

/* Write what the descriptor takes; it is ready, as poll() said. False once the client is gone. */
bool mcp_out_write(struct mcp_out *out);

void mcp_out_done(struct mcp_out *out);

#endif
