/*
 * mcp_output.h - what an attempt wrote, as the log has it, in a size that a model can read.
 *
 * Reads the log on the caller's thread. Secrets were cut before it was written.
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
    MCP_HEAD_BYTES = 8 * 1024,  /* of a stream that is too long to be given whole */
    MCP_TAIL_BYTES = 16 * 1024, /* likewise: the end says more */
};

/* One stream. */
struct mcp_stream {
    struct str kept;   /* what the log has of it */
    size_t gap_at;     /* where in `kept` bytes are missing */
    int64_t gap_bytes; /* so many; 0 = none */
    int64_t next;      /* offset of the byte that comes next */
};

/* stdout and stderr. */
struct mcp_output {
    struct mcp_stream streams[2];
};

/* All that is kept of this attempt, which is over. The caller ends *out with
 * mcp_output_done(), also where this failed. */
ATTR_MUST_USE bool mcp_output_read(struct log_reader *reader, const struct log_output_key *key,
                                   struct mcp_output *out, struct err *err);
void mcp_output_done(struct mcp_output *output);

/* Append the stream fit for reading: no escape sequences, head and tail only where it is long,
 * with a line between them that says how much is left out. */
void mcp_stream_text(const struct mcp_stream *stream, struct str *out);

enum {
    MCP_FAILING_MAX = 50,       /* names that are listed */
    MCP_FAILING_NAME_MAX = 200, /* bytes of one */
};

/* The names in the text as elements of a JSON array (no brackets), each once; returns how many
 * there are, at most MCP_FAILING_MAX. */
int mcp_failing_find(const char *bytes, size_t len, struct str *out);

struct json;
struct mcp_loops;

/* `limits` are copied. The caller ends *out with mcp_loops_close(). */
void mcp_loops_open(struct mcp_loops **out, const struct entropy_limits *limits);
void mcp_loops_close(struct mcp_loops *loops);

/* A call that is over. */
struct mcp_loops_call {
    const char *tool;
    const struct json *args; /* an object; NULL = none */
    const struct mcp_output *output;
    bool failed, transient;
};

/* What the rungs say after it: *verdict, and unless that is "ok" a line for the agent in
 * *nudge. */
void mcp_loops_add(struct mcp_loops *loops, const struct mcp_loops_call *call,
                   struct entropy_verdict *verdict, struct str *nudge);

#endif
