/*
 * mailbox.h - requests of other threads to the engine's thread: cancel, leave, stay alone, stop;
 * and, if the plan of the run grows, tasks and notes.
 *
 * Any thread may post; the loop takes. Posting the same request twice has no further effect, except
 * for tasks and notes. The sender of a task waits for its answer.
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

/* A task to add, and the answer. */
struct mail_task {
    const struct engine_task *task; /* borrowed until the answer */
    const char *record;             /* borrowed until the answer; text of its event */
    struct redactor *own;           /* redacts its own variables; the loop takes ownership if
                                       the task is added */
    struct mail_task *next;
    bool is_answered;
    int number;     /* of the task; -1 = it was not added, */
    struct err err; /* for this reason */
};

struct mail_note {
    struct mail_note *next;
    int task;                       /* -1 = the run */
    char text[ENGINE_NOTE_MAX + 1]; /* UTF-8 */
};

struct mail {
    bool cancel;             /* cancel the whole run for a person */
    bool leave;              /* start nothing more */
    bool alone;              /* nobody watches any more, so do not stay at the end */
    bool stop;               /* end the engine itself */
    bool close;              /* no more tasks will be added */
    struct mail_task *tasks; /* oldest first; the loop answers each */
    struct mail_note *notes; /* owned by whoever took the mail; oldest first */
    char by[CONTROL_BY_MAX];
    char why[MAIL_WHY_MAX]; /* reason for `alone`, for the log; "" = do not log */
};

struct mailbox {
    pthread_mutex_t lock;    /* guards the fields below, and the answers of tasks */
    pthread_cond_t answered; /* some task was answered */
    struct uv_async_s *wake; /* borrowed; NULL while the loop does not listen */
    bool shut;               /* the loop accepts no more */
    int task_count;          /* number of tasks in the mail */
    int note_count;
    struct mail mail;
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_done(struct mailbox *mailbox);

/* Lets the loop listen: it is woken through `wake`, NULL = no longer. Earlier mail is not lost. */
void mailbox_listen(struct mailbox *mailbox, struct uv_async_s *wake);

/* The requests of struct mail that have no sender waiting. */
enum mail_request {
    MAIL_CANCEL, /* `text` names who cancels the run */
    MAIL_LEAVE,  /* start nothing more, and end when the running attempts have ended */
    MAIL_ALONE,  /* `text` is the reason, or NULL */
    MAIL_STOP,   /* end the engine now, even if attempts are running */
    MAIL_CLOSE,  /* no more tasks will be added to the plan */
};

/* Posts a request. Copies `text`, which is NULL for requests without one. */
void mailbox_post(struct mailbox *mailbox, enum mail_request request, const char *text);
/* At most ENGINE_ADDS_MAX notes may wait; further ones are dropped. */
void mailbox_post_note(struct mailbox *mailbox, int task, const char *text);
/* Waits for the answer. Returns false if the task was not added; see mail->err. Fails with ERR_BUSY
 * if ENGINE_ADDS_MAX tasks are waiting. */
ATTR_MUST_USE bool mailbox_post_task(struct mailbox *mailbox, struct mail_task *mail);

/* For the loop: takes all requests. The caller owns them. */
struct mail mailbox_take(struct mailbox *mailbox);

/* For the loop: answers that the task was added (number), or was not (-1, with err). Does not use
 * `mail` afterwards. */
void mailbox_answer(struct mailbox *mailbox, struct mail_task *mail);
/* For the loop, at its end: rejects waiting and future tasks. */
void mailbox_shut(struct mailbox *mailbox);

#endif
