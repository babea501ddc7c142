/*
 * mcp_output.h - what an attempt wrote, as the log has it, in a size that a model can read.
 *
 * Reads the log on the caller's thread. Secrets were cut before it was written.
 */
#ifndef DEVS_MCP_OUTPUT_H
#define DEVS_MCP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "attr.h"
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

#endif
