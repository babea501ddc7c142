/*
 * notice.h - which events of a run a person is notified of, and how they are put.
 *
 * Pure. The engine sends the result (engine/loop/notifier.h); the cockpit rings for the same
 * events.
 */
#ifndef DEVS_NOTICE_H
#define DEVS_NOTICE_H

#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "run_state.h"
#include "str.h"

enum {
    NOTICE_LINE_MAX = 200,     /* bytes of the deciding line, and of the reason */
    NOTICE_NAMED_MAX = 3,      /* notices that a message spells out */
    NOTICE_MESSAGE_MAX = 1000, /* bytes */
};

/* All zero is an empty value; end with notice_done(). */
struct notice {
    unsigned event; /* one flag of enum ui_notify */
    char *task;     /* owned; its id, NULL = the run */
    char *reason;   /* owned */
    char *line;     /* owned; what decided: a line of the output; may be "" */
    char *command;  /* owned; to look at it */
};

/* The flag for a task in this state; 0 = none. */
unsigned notice_of_status(enum task_status status);

/* The flag for an event of the turn that led to `state`; 0 = nobody is notified of it. */
unsigned notice_of(const struct run_state *state, const struct event *event);

/* What a task does in the first of these events that is about its state: "needs you", "gave up",
 * "is stuck"; NULL if none is. Static. */
const char *notice_predicate(unsigned events);

/* Everything there is to say about that event. `output` is the end of what the attempt wrote, for
 * where no rule names a line; may be NULL. The caller ends *out with notice_done(). */
void notice_make(const struct run_state *state, const struct event *event, int64_t run,
                 const char *output, struct notice *out);
/* Free the texts. NULL is allowed. */
void notice_done(struct notice *notice);

/* What several notices are sent as. */
struct notice_list {
    const struct notice *items; /* borrowed, in the order of time; at least one */
    size_t count;
    size_t total;     /* how many there were; more than count if some were dropped */
    int64_t run;      /* number */
    const char *name; /* borrowed; of the run */
    const char *dir;  /* borrowed; the folder in which the commands work */
};

/* The most urgent one, the first of those: it stands for all. */
const struct notice *notice_chief(const struct notice_list *list);
/* One line: "#41 shop: tax gave up: 3 of 3 tries used; the run has ended: 2 of 3 passed". */
void notice_message(const struct notice_list *list, struct str *out);
/* One JSON object, without a line feed. */
void notice_json(const struct notice_list *list, struct str *out);

#endif
