#include "mailbox.h"

#include <stdio.h>
#include <uv.h>

void mailbox_init(struct mailbox *mailbox)
{
    *mailbox = (struct mailbox){.wake = NULL};
    (void)pthread_mutex_init(&mailbox->lock, NULL);
}

void mailbox_done(struct mailbox *mailbox)
{
    (void)pthread_mutex_destroy(&mailbox->lock);
}

/* With the lock held: the loop closes its handle as soon as it no longer
 * listens, so nobody may send after that. */
static void wake_listener(struct mailbox *mailbox)
{
    if (mailbox->wake)
        (void)uv_async_send(mailbox->wake);
}

void mailbox_listen(struct mailbox *mailbox, struct uv_async_s *wake)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mailbox->wake = wake;
    wake_listener(mailbox);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_post_cancel(struct mailbox *mailbox, const char *by)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mailbox->mail.cancel = true;
    (void)snprintf(mailbox->mail.by, sizeof(mailbox->mail.by), "%s", by);
    wake_listener(mailbox);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_post_leave(struct mailbox *mailbox)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mailbox->mail.leave = true;
    wake_listener(mailbox);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_post_alone(struct mailbox *mailbox, const char *why)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mailbox->mail.alone = true;
    (void)snprintf(mailbox->mail.why, sizeof(mailbox->mail.why), "%s", why);
    wake_listener(mailbox);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_post_stop(struct mailbox *mailbox)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mailbox->mail.stop = true;
    wake_listener(mailbox);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

struct mail mailbox_take(struct mailbox *mailbox)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    struct mail mail = mailbox->mail;
    mailbox->mail = (struct mail){0};
    (void)pthread_mutex_unlock(&mailbox->lock);
    return mail;
}
