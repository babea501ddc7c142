/*
 * mcp_message.h - one message of JSON-RPC 2.0 (jsonrpc.org/specification): what it is, and
 * what is wrong with one that is none. Pure.
 */
#ifndef DEVS_MCP_MESSAGE_H
#define DEVS_MCP_MESSAGE_H

#include "json.h"

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
    MCP_RESPONSE, /* to a request of ours; we make none */
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

#endif
