/* notice.h - the events that a user is notified of, and the text of the notices.
 *
 * Pure. The engine sends the notices (engine/loop/notifier.c); the cockpit rings the bell for the
 * same events. */
#ifndef DEVS_NOTICE_H
#define DEVS_NOTICE_H

#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "run_state.h"
#include "str.h"

enum {
    NOTICE_LINE_MAX = 200,     /* maximum size of the deciding line, and of the reason, in bytes */
    NOTICE_NAMED_MAX = 3,      /* maximum notices that are spelled out in a message */
    NOTICE_MESSAGE_MAX = 1000, /* maximum size of a message, in bytes */
};

/* All zero is empty. Free with notice_done(). */
struct notice {
    unsigned event; /* one flag of enum ui_notify; in notice_message() also several */
    char *task;     /* owned; id of the task; NULL = the run */
    char *reason;   /* owned; NULL = not given */
    char *line;     /* owned; the line of output that decided the verdict; may be "" */
    char *command;  /* owned; a command that shows more about the event */
};

/* Returns the flag for a task in this state, or 0. */
unsigned notice_of_status(enum task_status status);

/* Returns the flag for an event of the turn that led to `state`, or 0 if users are not notified of
 * it. */
unsigned notice_of(const struct run_state *state, const struct event *event);

/* Returns the text of the most urgent flag, such as "gave up"; NULL if none is set. Static. */
const char *notice_predicate(unsigned flags);

/* Fills in the notice of an event. `output` is the end of the attempt's output, which is used if no
 * rule names a line; may be NULL. The caller frees *out with notice_done(). */
void notice_make(const struct run_state *state, const struct event *event, int64_t run,
                 const char *output, struct notice *out);
/* Frees the strings. `notice` may be NULL. */
void notice_done(struct notice *notice);

/* Notices that are sent together. */
struct notice_list {
    const struct notice *items; /* borrowed, oldest first; at least one */
    size_t count;
    size_t total;     /* more than count if some were dropped */
    int64_t run;      /* number of the run */
    const char *name; /* borrowed; name of the run; NULL = the message does not name the run */
    const char *dir;  /* borrowed; the directory in which the commands work */
};

/* Returns the most urgent notice, which represents the list. If several are equally urgent, returns
 * the first. */
const struct notice *notice_chief(const struct notice_list *list);
/* Appends one line: "#41 shop: tax gave up: 3 of 3 tries used; the run has ended: 2 of 3
 * passed". */
void notice_message(const struct notice_list *list, struct str *out);
/* Appends a JSON object without a line feed. */
void notice_json(const struct notice_list *list, struct str *out);

#endif
