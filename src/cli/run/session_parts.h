/*
 * session_parts.h - what the files of a session share. Main thread.
 */
#ifndef DEVS_SESSION_PARTS_H
#define DEVS_SESSION_PARTS_H

#include "app.h"
#include "engine.h"
#include "front.h"
#include "log_writer.h"
#include "place.h"
#include "secrets.h"
#include "session.h"
#include "tee.h"

/* A session under way. */
struct watching {
    const struct session *session;
    enum session_watch watch; /* what it came to */
    struct place place;
    struct front *front; /* borrowed; the process that the shell waits for, if it is another */
    struct secrets secrets;
    struct engine *engine;
    struct tee *tee;           /* owned; SESSION_OUTPUT only */
    struct follower *follower; /* owned; of who has watched the run, NULL = nobody has */
    int64_t run;
    int64_t shown_seq; /* events up to this one are not printed */
    int signal_fd;
    int unwritten;      /* errno of a line that could not be written; 0 = none */
    int signal;         /* that made us leave; 0 = none */
    int64_t signals_ms; /* when it came: steady clock */
    bool alone;         /* nobody watches any more */
    bool nohup;         /* whoever started us wants a terminal that goes away to be nothing */
    char by[SESSION_BY_MAX];
    char uid[LOG_UID_MAX]; /* of the run; "" before it */
};

/* Is SIGHUP ignored, as under nohup? It is delivered to us all the same: it is blocked. Asked
 * before we ignore it ourselves. */
bool session_is_nohup(void);
/* Block INT, TERM and HUP in this thread and those that it starts; *fd_out is a descriptor that is
 * readable when one has come. */
ATTR_MUST_USE bool session_block_signals(int *fd_out, struct err *err);
/* As an outlet_signal_fn; ctx is the watching. */
bool session_take_signal(void *ctx, int signal);
/* Until the engine has ended by itself, or a signal says not to wait. */
void session_wait(struct watching *watching);
/* What the person chose on leaving the screen is done before we end. */
ATTR_MUST_USE bool session_leave_as_chosen(struct watching *watching,
                                           const struct app_result *result, struct err *err);
/* From now on lines are printed instead of the screen. */
ATTR_MUST_USE bool session_go_plain(struct watching *watching, const struct app_result *result,
                                    struct err *err);
/* From now on the run goes on without a terminal: the shell has its prompt back. */
void session_detach(struct watching *watching);

#endif
