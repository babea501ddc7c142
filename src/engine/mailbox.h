/*
 * mailbox.h - what other threads ask of the engine's thread: cancel, leave, stay alone, stop.
 *
 * Any thread may post; the loop takes. Asking twice is asking once.
 */
#ifndef DEVS_MAILBOX_H
#define DEVS_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "control.h"

struct uv_async_s;

enum { MAIL_WHY_MAX = 160 };

struct mail {
    bool cancel; /* the whole run, by a person */
    bool leave;  /* start nothing more */
    bool alone;  /* nobody watches any more: do not linger at the end */
    bool stop;   /* the engine itself */
    char by[CONTROL_BY_MAX];
    char why[MAIL_WHY_MAX]; /* of alone, for the log */
};

struct mailbox {
    pthread_mutex_t lock;    /* guards the two fields below */
    struct uv_async_s *wake; /* borrowed; NULL while nobody listens */
    struct mail mail;
};

void mailbox_init(struct mailbox *mailbox);
void mailbox_done(struct mailbox *mailbox);

/* The loop listens by `wake`, NULL = no longer. Mail posted before is heard. */
void mailbox_listen(struct mailbox *mailbox, struct uv_async_s *wake);

void mailbox_post_cancel(struct mailbox *mailbox, const char *by);
void mailbox_post_leave(struct mailbox *mailbox);
void mailbox_post_alone(struct mailbox *mailbox, const char *why);
void mailbox_post_stop(struct mailbox *mailbox);

struct mail mailbox_take(struct mailbox *mailbox);

#endif
