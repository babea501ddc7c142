/*
 * mcp_wire.h - the wire format: lines from a client, the JSON-RPC 2.0 messages in them
 * (jsonrpc.org/specification) and their errors, versions of MCP, and lines to the client.
 */
#ifndef DEVS_MCP_WIRE_H
#define DEVS_MCP_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "json.h"
#include "str.h"

/* Error codes. The first five are JSON-RPC's own; -32000 is in the range reserved for servers;
 * -32022 is MCP's (2026-07-28): unsupported version. */
enum mcp_error {
    MCP_ERROR_NONE = 0,
    MCP_ERROR_PARSE = -32700,
    MCP_ERROR_REQUEST = -32600,
    MCP_ERROR_METHOD = -32601,
    MCP_ERROR_PARAMS = -32602,
    MCP_ERROR_VERSION = -32022,
};

enum {
    MCP_ID_MAX = 1024,   /* maximum size of an id or progress token as JSON text, in bytes */
    MCP_BATCH_MAX = 64,  /* maximum number of messages per batch */
    MCP_METHOD_MAX = 64, /* maximum length of a method that an error repeats, in bytes */
};

enum mcp_kind {
    MCP_REQUEST,
    MCP_NOTIFICATION,
    MCP_RESPONSE, /* a reply to a request; devs sends none */
    MCP_BROKEN,   /* see `error` and `why` */
};

/* A message. Everything except the id's text is borrowed from the JSON value. */
struct mcp_message {
    enum mcp_kind kind;
    const char *method;        /* only requests and notifications */
    const struct json *params; /* an object; NULL = none */
    struct str id;             /* as JSON text; "" = missing or invalid */
    enum mcp_error error;      /* only for MCP_BROKEN */
    const char *why;           /* only for MCP_BROKEN; static */
};

/* Interprets a JSON value as a message. The caller frees *out with mcp_message_done(). */
void mcp_message_read(const struct json *json, struct mcp_message *out);
void mcp_message_done(struct mcp_message *message);

/* Returns true for a valid id or progress token: an integer, or a string of limited length. */
bool mcp_is_id(const struct json *json);

enum { MCP_LINE_MAX = 8 * 1024 * 1024 }; /* maximum bytes of a message, without its line feed */

/* Called for each line. `line` is borrowed for the call and includes no line feed; NULL = the line
 * was too long. */
typedef void mcp_line_fn(void *ctx, const char *line, size_t len);

struct mcp_lines {
    struct str part; /* bytes of an incomplete line */
    bool skipping;   /* the current line is too long: ignore the rest */
    size_t max;      /* 0 = MCP_LINE_MAX */
};

/* Adds the next bytes and calls `each` for each complete line that is not blank. */
void mcp_lines_add(struct mcp_lines *lines, const char *bytes, size_t len, mcp_line_fn *each,
                   void *ctx);
/* Ends the last line, which may lack its line feed. Call this at the end of the stream. */
void mcp_lines_end(struct mcp_lines *lines, mcp_line_fn *each, void *ctx);
void mcp_lines_done(struct mcp_lines *lines);

enum mcp_version {
    MCP_2024_11_05,
    MCP_2025_03_26, /* the only version with batches */
    MCP_2025_06_18,
    MCP_2025_11_25,
    MCP_2026_07_28,
    MCP_VERSION_COUNT,
    /* The answer to `initialize` with an unknown version. */
    MCP_NEWEST_LEGACY = MCP_2025_11_25,
};

enum mcp_era {
    MCP_ERA_LEGACY,    /* uses initialize */
    MCP_ERA_STATELESS, /* sends _meta with each request */
};

/* Returns a name such as "2025-11-25". */
const char *mcp_version_name(enum mcp_version version);
/* The inverse of mcp_version_name(); returns false if the version is not supported. */
bool mcp_version_parse(const char *name, enum mcp_version *out);
enum mcp_era mcp_version_era(enum mcp_version version);
/* Returns true if a line may be an array of messages. */
bool mcp_version_has_batches(enum mcp_version version);

/* Appends the supported versions as a JSON array, newest first. */
void mcp_version_list(struct str *out);

enum {
    MCP_OUT_HIGH = 1024 * 1024, /* with this many bytes queued, stop reading from the client */
};

struct mcp_out {
    int fd;           /* borrowed; -1 = the client has disconnected, discard everything */
    struct str bytes; /* complete messages */
    size_t written;   /* number of bytes that have been written */
};

/* Queues a message and adds a line feed. `text` is JSON without line feeds. */
void mcp_out_add(struct mcp_out *out, const char *text, size_t len);

/* Returns the number of waiting bytes. */
size_t mcp_out_waiting(const struct mcp_out *out);

/* Writes as much as the descriptor accepts; poll() must have reported it as ready. Returns false
 * once the client has disconnected. */
bool mcp_out_write(struct mcp_out *out);

void mcp_out_done(struct mcp_out *out);

#endif
