/* call_log.h - records the tool calls of an agent that devs did not start, as a run of the log.
 *
 * Such a run has the kind "agent" and one task with one step and one attempt, which lasts as long
 * as the agent's session. No process owns the run between calls: to add one, a process opens the
 * run by the agent's name and session id, adds the call, and closes it. Concurrent processes wait
 * for each other. When the run of a session has ended or is full, the session continues in a new
 * run.
 *
 * Adding a call costs the same however long the session is: the state of the loop detector
 * (entropy.h) is kept in the table `gain`, and events are read only if that is missing. Outputs are
 * not stored; each call is recorded as one line and digests. A call log belongs to one thread.
 *
 * Functions that add, commit or end may have to commit, and then fail with ERR_BUSY if other
 * processes keep the log locked, and with ERR_IO or ERR_DAMAGED if it was deleted or cannot be
 * written. The next commit retries whatever was added but not committed. */
#ifndef DEVS_CALL_LOG_H
#define DEVS_CALL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_stream.h"
#include "attr.h"
#include "entropy.h"
#include "err.h"
#include "moment.h"
#include "place.h"
#include "redact.h"

struct json;
struct settings;
struct str;

enum {
    CALL_LOG_WHAT_MAX = 200,               /* maximum bytes of the one-line description of a call */
    CALL_LOG_AGENT_MAX = 32,               /* maximum bytes of an agent's name */
    CALL_LOG_SESSION_MAX = 200,            /* maximum bytes of a session's id */
    CALL_LOG_OUTPUT_MAX = 8 * 1024 * 1024, /* maximum bytes of a result that are examined */
    CALL_LOG_WORDS_MAX = 64 * 1024,        /* maximum bytes of text in one row */
    CALL_LOG_BATCH_MAX = 512,              /* approximate number of calls per commit */
    CALL_LOG_END_STUCK = -1,  /* in place of an exit code: the session ended because of a loop */
    CALL_LOG_END_UNTOLD = -2, /* in place of an exit code: CALL_LOG_END_STUCK if the last calls look
                                 like a loop, otherwise 0 */
};

/* Identifies the session. Everything is borrowed until the call log is closed. */
struct call_session {
    const char *agent;               /* such as "claude"; letters, digits, '.', '_' and '-' */
    const char *id;                  /* the agent's id for its session: no control characters */
    const char *dir;                 /* the agent's working directory */
    const struct settings *settings; /* detector thresholds for a new run; NULL = defaults */
    const struct redactor *redactor; /* redactor of the stored lines; NULL = redact nothing */
    int wait_ms;                     /* maximum time to wait for other processes, in total */
    bool new_run; /* always begin a new run: for a past session imported from its transcript */
};

struct call_log;

/* Opens the session's run, or begins one at time `now`. Fails with ERR_BUSY if other processes held
 * it for wait_ms; ERR_DAMAGED or ERR_IO if the file is not a log, is from a newer devs, or cannot
 * be written; ERR_INVALID if the agent's name or the session id is invalid. The caller closes *out
 * with call_log_close(). */
ATTR_MUST_USE bool call_log_open(struct call_log **out, const struct place *place,
                                 const struct call_session *session, const struct moment *now,
                                 struct err *err);
/* Closes the call log and discards uncommitted calls. `log` may be NULL. */
void call_log_close(struct call_log *log);
/* Returns the run number. It changes when a run is full and the session continues in a new one. */
int64_t call_log_run(const struct call_log *log);

/* A completed call. Everything is borrowed for the call. */
struct call_made {
    const char *tool;
    const struct json *args; /* an object; NULL = none */
    const char *output;      /* the result, including errors; may be NULL */
    size_t output_len;
    int exit;       /* 0 if it succeeded; 1 if it failed and nothing else is known */
    bool uncertain; /* the outcome is unknown: the detector ignores the call */
    int64_t ms;     /* duration; 0 or an impossible value = unknown */
    struct moment at;
};

/* The detector's verdict after a call or message. Strings are owned by the call log and valid until
 * the next verdict. */
struct call_verdict {
    enum entropy_level level;
    bool news;         /* the loop has not been reported yet */
    const char *why;   /* short reason; "" while ok */
    const char *nudge; /* one line for the agent; "" while ok */
    bool stop_asked;   /* the user wants the session to end, and has not sent a prompt since */
};

/* Adds a call. `out` may be NULL. The call is committed by call_log_commit(), or automatically
 * after CALL_LOG_BATCH_MAX calls. */
ATTR_MUST_USE bool call_log_add(struct call_log *log, const struct call_made *call,
                                struct call_verdict *out, struct err *err);
/* Adds a message of the agent, which takes part in loop detection. */
ATTR_MUST_USE bool call_log_add_message(struct call_log *log, const char *text,
                                        const struct moment *at, struct call_verdict *out,
                                        struct err *err);
/* Adds a prompt of the user. Loop detection starts over. */
ATTR_MUST_USE bool call_log_add_prompt(struct call_log *log, const char *text,
                                       const struct moment *at, struct err *err);
/* Adds a one-line note for the user: why the agent's turn failed. */
ATTR_MUST_USE bool call_log_add_note(struct call_log *log, const char *text,
                                     const struct moment *at, struct err *err);

/* Returns true if the agent's turn failed and nothing was said or called since. */
bool call_log_turn_failed(const struct call_log *log);

/* Returns true if the agent is in a loop of calls, or its last call was denied because of one. */
bool call_log_is_stuck(const struct call_log *log);

/* Records the resources that the session has used so far according to its transcript, in place of
 * earlier values. The number of calls is counted here and not taken from `used`. */
ATTR_MUST_USE bool call_log_add_used(struct call_log *log, const struct agent_used *used,
                                     const struct moment *at, struct err *err);

/* Appends text for people to the output of the attempt (LOG_STREAM_AGENT), in pieces of any size.
 * The caller limits and redacts the text. */
ATTR_MUST_USE bool call_log_add_words(struct call_log *log, const char *bytes, size_t len,
                                      const struct moment *at, struct err *err);

/* Whether and why a call is denied. */
struct call_refusal {
    int times; /* denials since the agent was found to be stuck, including this one; 0 = allowed */
    bool by_person; /* the user wants the session to end */
};

/* Checks a call that is about to be made (only its tool, args and at), and denies it if it is part
 * of the agent's current loop. In that case, records the denial and appends a line for the agent to
 * *why. */
ATTR_MUST_USE bool call_log_turn_away(struct call_log *log, const struct call_made *call,
                                      struct call_refusal *out, struct str *why, struct err *err);

/* Commits everything that was added. */
ATTR_MUST_USE bool call_log_commit(struct call_log *log, struct err *err);

/* Records the end of the session with this exit code or a CALL_LOG_END_ value. Reads all events.
 * Nothing may be added afterwards. */
ATTR_MUST_USE bool call_log_end(struct call_log *log, int exit, const struct moment *at,
                                struct err *err);

/* Returns true if call_log_turn_away() might deny the next call of this session. A quick check that
 * neither writes nor waits. Returns false if there is no such session. */
bool call_log_may_turn_away(const struct place *place, const char *agent, const char *session);

/* Finds the newest run of this session, ended or not. Returns false if there is none. */
bool call_log_find(const struct place *place, const char *agent, const char *session,
                   int64_t *run_out);

#endif
