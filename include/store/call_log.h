/*
 * call_log.h - the calls of an agent that devs did not start, as a run of the log.
 *
 * Such a run has the kind "agent", one task with one step and one attempt, which lasts as long
 * as the agent's session. Nobody owns it between two calls: who has one to add opens the run by
 * the name of the agent and the id of its session, adds, and lets go. Two at a time wait for
 * each other. A session whose run has ended, or is full, goes on in another run.
 *
 * To add a call costs the same however long the session is: what tells circles (entropy.h) from
 * progress is kept in the table `gain`, and only where that is missing are the events read.
 * Outputs are not kept; of a call there is one line, and digests. A call log belongs to one
 * thread.
 *
 * Whatever adds, commits or ends can fail as the commit that it may bring about: ERR_BUSY: others
 * keep the log; ERR_IO, ERR_DAMAGED: it cannot be written, or is gone. What was added and is not
 * committed yet is tried again with the next commit.
 */
#ifndef DEVS_CALL_LOG_H
#define DEVS_CALL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent_used.h"
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
    CALL_LOG_WHAT_MAX = 200,               /* bytes of the line that says what a call is */
    CALL_LOG_AGENT_MAX = 32,               /* bytes of an agent's name */
    CALL_LOG_SESSION_MAX = 200,            /* bytes of a session's id */
    CALL_LOG_OUTPUT_MAX = 8 * 1024 * 1024, /* bytes of a result that are looked at */
    CALL_LOG_WORDS_MAX = 64 * 1024,        /* bytes of words that one row holds */
    CALL_LOG_BATCH_MAX = 512,              /* calls that one commit holds, about */
    CALL_LOG_END_STUCK = -1,               /* in place of an exit code */
    CALL_LOG_END_UNTOLD = -2,              /* stuck if its last calls look like a loop, else 0 */
};

/* Whose calls. All is borrowed until the call log is closed. */
struct call_session {
    const char *agent;               /* "claude": letters, digits, '.', '_' and '-' */
    const char *id;                  /* what the agent calls its session: no control characters */
    const char *dir;                 /* where it works */
    const struct settings *settings; /* thresholds of the detector for a run that begins; NULL =
                                        the defaults */
    const struct redactor *redactor; /* for the lines that are kept; NULL cuts nothing */
    int wait_ms;                     /* how long others may be waited for, in all */
    bool anew;                       /* a run begins whatever there is: for what is over, and is
                                        written down from a record of it */
};

struct call_log;

/* Find the session's run, or begin one; `now` is when it begins. ERR_BUSY: others have had it
 * for wait_ms; ERR_DAMAGED, ERR_IO: the log is none, of a newer devs, or cannot be written;
 * ERR_INVALID: no name of an agent, or no id. The caller ends *out with call_log_close(). */
ATTR_MUST_USE bool call_log_open(struct call_log **out, const struct place *place,
                                 const struct call_session *session, const struct moment *now,
                                 struct err *err);
/* What was not committed is lost. NULL is allowed. */
void call_log_close(struct call_log *log);
/* The number of its run; another one once it was full. */
int64_t call_log_run(const struct call_log *log);

/* A call that is over. All is borrowed for the call. */
struct call_made {
    const char *tool;
    const struct json *args; /* an object; NULL = none */
    const char *output;      /* what it gave, with its errors; may be NULL */
    size_t output_len;
    int exit;       /* 0 where it went well; 1 where nothing more is known of its failure */
    bool uncertain; /* how it ended is not known: it leaves no fact for the detector */
    int64_t ms;     /* that it took; 0, or what no call takes = not known */
    struct moment at;
};

/* What the rungs say after a step. Texts are owned by the call log, until the next step. */
struct call_verdict {
    enum entropy_level level;
    bool news;         /* nobody has been told of these circles yet */
    const char *why;   /* in a few words; "" while ok */
    const char *nudge; /* one line for the agent; "" while ok */
    bool stop_asked;   /* a person wants the session to end, and has said nothing to it since */
};

/* Add a call. *out may be NULL. Committed by call_log_commit(), or by itself after
 * CALL_LOG_BATCH_MAX. */
ATTR_MUST_USE bool call_log_add(struct call_log *log, const struct call_made *call,
                                struct call_verdict *out, struct err *err);
/* Add words of the agent; the same circles are looked for in them. */
ATTR_MUST_USE bool call_log_add_message(struct call_log *log, const char *text,
                                        const struct moment *at, struct call_verdict *out,
                                        struct err *err);
/* Add a person's words: what the agent did before counts for no circle any more. */
ATTR_MUST_USE bool call_log_add_prompt(struct call_log *log, const char *text,
                                       const struct moment *at, struct err *err);
/* Something the person should read: one line, why the agent's turn failed. */
ATTR_MUST_USE bool call_log_add_note(struct call_log *log, const char *text,
                                     const struct moment *at, struct err *err);

/* Was that the last of what happened: nobody has said or called anything since? */
bool call_log_turn_failed(const struct call_log *log);

/* Is the agent in a loop of calls, or was its last call denied because of one? */
bool call_log_is_stuck(const struct call_log *log);

/* What the session has used, as its record says; its calls are counted here. */
ATTR_MUST_USE bool call_log_add_used(struct call_log *log, const struct agent_used *used,
                                     const struct moment *at, struct err *err);

/* Add words for people, as output of the attempt (LOG_STREAM_AGENT), behind what was added
 * before; they may come in pieces of any size. Whoever calls sees to their limit, and that they
 * are redacted. */
ATTR_MUST_USE bool call_log_add_words(struct call_log *log, const char *bytes, size_t len,
                                      const struct moment *at, struct err *err);

/* Why a call is not to be made. */
struct call_refusal {
    int times;      /* so often since the agent was found to be stuck, this one counted; 0 = it may
                       be made */
    bool by_person; /* a person wants the session to end */
};

/* A call that is about to be made (its tool, args and at): is it one of those that the agent goes
 * round in? Then *why gets a line for the agent, and that it was turned away is written down. */
ATTR_MUST_USE bool call_log_turn_away(struct call_log *log, const struct call_made *call,
                                      struct call_refusal *out, struct str *why, struct err *err);

/* Whatever was added is in the log when it returns. */
ATTR_MUST_USE bool call_log_commit(struct call_log *log, struct err *err);

/* The session is over: its attempt ended with this exit code, or one of CALL_LOG_END_. Reads all
 * events. Nothing may be added after it. */
ATTR_MUST_USE bool call_log_end(struct call_log *log, int exit, const struct moment *at,
                                struct err *err);

/* May call_log_turn_away() have something against the next call of this session? One look,
 * nothing is written or waited for. False where there is no such session. */
bool call_log_may_turn_away(const struct place *place, const char *agent, const char *session);

/* The newest run of this session, ended or not; false where there is none. */
bool call_log_find(const struct place *place, const char *agent, const char *session,
                   int64_t *run_out);

#endif
