/*
 * mcp_output.h - reads the output of an attempt from the log and shortens it for a model.
 *
 * Reads the log on the caller's thread. Secrets were redacted before the output was logged.
 */
#ifndef DEVS_MCP_OUTPUT_H
#define DEVS_MCP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "entropy.h"
#include "err.h"
#include "log_reader.h"
#include "str.h"

enum {
    MCP_HEAD_BYTES = 8 * 1024,  /* kept from the start of a stream that is too long */
    MCP_TAIL_BYTES = 16 * 1024, /* kept from its end, which usually says more */
};

/* One stream. */
struct mcp_stream {
    struct str kept;   /* the bytes in the log */
    size_t gap_at;     /* position in `kept` of missing bytes */
    int64_t gap_bytes; /* how many bytes are missing; 0 = none */
    int64_t next;      /* stream offset of the next byte */
};

/* stdout and stderr. */
struct mcp_output {
    struct mcp_stream streams[2];
};

/* Reads everything that is kept of a finished attempt. The caller frees *out with
 * mcp_output_done(), even after a failure. */
ATTR_MUST_USE bool mcp_output_read(struct log_reader *reader, const struct log_output_key *key,
                                   struct mcp_output *out, struct err *err);
void mcp_output_done(struct mcp_output *output);

/* Appends the stream for reading: without escape sequences, and if it is long, only head and tail
 * with a line between them that says how much is missing. */
void mcp_stream_text(const struct mcp_stream *stream, struct str *out);

enum {
    MCP_FAILING_MAX = 50,       /* maximum number of names */
    MCP_FAILING_NAME_MAX = 200, /* maximum size of a name in bytes */
};

/* Appends the names of failed tests in the text as elements of a JSON array, without brackets or
 * duplicates. Returns their number, at most MCP_FAILING_MAX. */
int mcp_failing_find(const char *bytes, size_t len, struct str *out);

struct json;
struct mcp_loops;

/* Copies `limits`. The caller closes *out with mcp_loops_close(). */
void mcp_loops_open(struct mcp_loops **out, const struct entropy_limits *limits);
void mcp_loops_close(struct mcp_loops *loops);

/* A finished call. */
struct mcp_loops_call {
    const char *tool;
    const struct json *args; /* an object; NULL = none */
    const struct mcp_output *output;
    bool failed, transient;
};

/* Adds a call and sets *verdict to the loop detector's verdict. Unless that is "ok", also appends a
 * line for the agent to *nudge. */
void mcp_loops_add(struct mcp_loops *loops, const struct mcp_loops_call *call,
                   struct entropy_verdict *verdict, struct str *nudge);

#endif
