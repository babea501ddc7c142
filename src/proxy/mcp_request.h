/*
 * mcp_request.h - the tools: checks the arguments of a call, turns the call into a task, and its
 * output into a result. Pure, except that mcp_output_read() reads the log on the caller's thread.
 */
#ifndef DEVS_MCP_REQUEST_H
#define DEVS_MCP_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attr.h"
#include "entropy.h"
#include "err.h"
#include "json.h"
#include "log_reader.h"
#include "outcome.h"
#include "run_state.h"
#include "str.h"
#include "workspace_spec.h"

enum mcp_tool {
    MCP_TOOL_EXECUTE,
    MCP_TOOL_TESTS,
    MCP_TOOL_WRITE,
    MCP_TOOL_READ,
    MCP_TOOL_COUNT,
};

enum {
    MCP_TIMEOUT_MS = 600 * 1000,     /* default time limit of one try */
    MCP_READ_BYTES_MAX = 192 * 1024, /* maximum bytes per read_file: the head that the log keeps */
    MCP_PATH_MAX = 4095,             /* maximum length of a path, in bytes */
};

/* A checked call. */
struct mcp_request {
    enum mcp_tool tool;
    struct json *args; /* owned; the original arguments, NULL = none */
    char **argv; /* owned, NULL-terminated; NULL for file tools, and for run_tests if it uses the
                    project's own command */
    char *cwd;   /* owned; NULL = the run's directory */
    char **env;  /* owned, NULL-terminated "NAME=value"; NULL = none */
    char *input; /* owned; stdin, or the file's new content; NULL = none */
    size_t input_len; /* bytes */
    int64_t timeout_ms;
    enum phase phase;
    bool idempotent;
    bool says_idempotent;   /* `idempotent` is from the call, not the tool's default */
    char *path;             /* owned; only file tools: relative, without ".." */
    int64_t offset, length; /* bytes; only read_file */
};

/* Reads the arguments (NULL = none). Fails with ERR_INVALID if an argument is unknown, missing or
 * has the wrong type, ERR_LIMIT if it is too large. `root` is the run's directory: paths below it
 * may be absolute. The caller frees *out with mcp_request_done() in either case. */
ATTR_MUST_USE bool mcp_request_read(enum mcp_tool tool, const struct json *args, const char *root,
                                    struct mcp_request *out, struct err *err);
void mcp_request_done(struct mcp_request *request);

/* Returns a name such as "execute_command". */
const char *mcp_tool_name(enum mcp_tool tool);

/* Finds the tool with that name; returns false if there is none. */
bool mcp_tool_parse(const char *name, enum mcp_tool *out);

/* Appends the array of tools as one line of JSON. */
void mcp_tool_list(struct str *out);

enum { MCP_TITLE_BYTES = 160 /* maximum length of a task's title, in bytes */ };

/* The environment for calls. Everything is borrowed. */
struct mcp_setting {
    char *const *tests;     /* command of run_tests; NULL = not set */
    const char *program;    /* devs, which reads and writes files outside of sandboxes */
    enum sandbox_kind kept; /* the sandbox of the run's steps */
};

/* Appends the task as JSON, in the form of a plan. Fails with ERR_NOT_FOUND for run_tests without a
 * command. */
ATTR_MUST_USE bool mcp_task_write(const struct mcp_request *request, const struct mcp_setting *set,
                                  int64_t number, struct str *out, struct err *err);

/* The output of an attempt, shortened for a model. Secrets were redacted before it was logged. */

enum {
    MCP_HEAD_BYTES = 8 * 1024, /* bytes kept from the start of a stream that is too long */
    /* Bytes kept from the end of the stream, which is usually more informative. */
    MCP_TAIL_BYTES = 16 * 1024,
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

/* Reads all kept output of a finished attempt. The caller frees *out with mcp_output_done(), even
 * after a failure. */
ATTR_MUST_USE bool mcp_output_read(struct log_reader *reader, const struct log_output_key *key,
                                   struct mcp_output *out, struct err *err);
void mcp_output_done(struct mcp_output *output);

/* Appends the stream as readable text, without escape sequences. For a long stream, appends only
 * the head and the tail, with a line between them that says how much is missing. */
void mcp_stream_text(const struct mcp_stream *stream, struct str *out);

enum {
    MCP_FAILING_MAX = 50,       /* maximum number of names */
    MCP_FAILING_NAME_MAX = 200, /* maximum size of a name in bytes */
};

/* Appends the names of failed tests in the text as elements of a JSON array, without brackets or
 * duplicates. Returns their number, at most MCP_FAILING_MAX. */
int mcp_failing_find(const char *bytes, size_t len, struct str *out);

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

/* Adds a call and sets *verdict to the loop detector's verdict. Unless the verdict is "ok", also
 * appends a line for the agent to *nudge. */
void mcp_loops_add(struct mcp_loops *loops, const struct mcp_loops_call *call,
                   struct entropy_verdict *verdict, struct str *nudge);

/* The result of a finished call: as text for the model, and as data. */

/* A finished call. All pointers are borrowed. */
struct mcp_ended {
    const struct run_state *state;
    int64_t run; /* run number */
    int task;    /* the task of the call; it has ended */
    const struct mcp_request *request;
    const struct mcp_output *output;    /* output of the last attempt */
    const struct entropy_verdict *loop; /* the loop detector's verdict on the session's calls */
    const char *nudge;                  /* "" = none */
};

/* Returns true if the call failed for any reason. */
bool mcp_ended_failed(const struct mcp_ended *ended);
/* Returns true if the call failed for a reason that may go away on its own. */
bool mcp_ended_is_transient(const struct mcp_ended *ended);

/* Appends the members of the tool's result. */
void mcp_result_write(const struct mcp_ended *ended, struct str *out);

#endif
