/*
 * mailbox.h - what other threads ask of the engine's thread: cancel, leave, stay alone, stop, and
 * in a run whose plan grows tasks and notes.
 *
 * Any thread may post; the loop takes. Asking twice is asking once, but for tasks and notes. Who
 * posts a task waits for its answer.
 */
#ifndef DEVS_MAILBOX_H
#define DEVS_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "attr.h"
#include "control.h"
#include "engine.h"
#include "err.h"

struct redactor;
struct uv_async_s;

enum { MAIL_WHY_MAX = 160 };

/* A task that is to be added, and what became of it. */
struct mail_task {
    const struct engine_task *task; /* borrowed until the answer */
    const char *record;             /* likewise: text of its event */
    struct redactor *own;           /* of its own variables; the loop's to close if it is added */
    struct mail_task *next;
    bool is_answered;
    int number;     /* of the task; -1: it was not added, */
    struct err err; /* and why */
};

struct mail_note {
    struct mail_note *next;
    int task;                       /* -1 = the run */
    char text[ENGINE_NOTE_MAX + 1]; /* UTF-8 */
};

struct mail {
    bool cancel;             /* the whole run, by a person */
    bool leave;              /* start nothing more */
    bool alone;              /* nobody watches any more: do not linger at the end */
    bool stop;               /* the engine itself */
    bool close;              /* no more tasks come */
    struct mail_task *tasks; /* in order; the loop answers each */
    struct mail_note *notes; /* owned by whoever took the mail; in order */
    char by[CONTROL_BY_MAX];
    char why[MAIL_WHY_MAX]; /* of alone, for the log; "" = not noted */
};

struct mailbox {
    pthread_mutex_t lock;    /* guards the fields below, and what became of tasks */
    pthread_cond_t answered; /* some task was */
    struct uv_async_s *wake; /* borrowed; NULL while nobody listens */
    bool shut;               /* the loop takes no more */
    int task_count;          /* in the mail */
    int note_count;
    struct mail mail;
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_done(struct mailbox *mailbox);

/* The loop listens by `wake`, NULL = no longer. Mail posted before is heard. */
void mailbox_listen(struct mailbox *mailbox, struct uv_async_s *wake);

/* Cancel the run for `by`, which is copied. */
void mailbox_post_cancel(struct mailbox *mailbox, const char *by);
/* Start nothing more, and end when what runs has ended. */
void mailbox_post_leave(struct mailbox *mailbox);
/* `why` may be NULL. */
void mailbox_post_alone(struct mailbox *mailbox, const char *why);
/* The engine is to end now, whatever runs. */
void mailbox_post_stop(struct mailbox *mailbox);

/* No more tasks come to a plan that grows. */
void mailbox_post_close(struct mailbox *mailbox);
/* At most ENGINE_ADDS_MAX notes wait; more are dropped. */
void mailbox_post_note(struct mailbox *mailbox, int task, const char *text);
/* Wait for the answer: false if it was not added, as mail->err says. ERR_BUSY: ENGINE_ADDS_MAX
 * wait already. */
ATTR_MUST_USE bool mailbox_post_task(struct mailbox *mailbox, struct mail_task *mail);

/* The loop: all that was asked, which is the caller's now. */
struct mail mailbox_take(struct mailbox *mailbox);

/* The loop: this one was added (number), or was not (-1, err filled). It is not touched
 * afterwards. */
void mailbox_answer(struct mailbox *mailbox, struct mail_task *mail);
/* The loop ends: tasks that wait, and those that come, are not added. */
void mailbox_shut(struct mailbox *mailbox);

#endif
