/* mailbox.c - passes requests of other threads to the engine's thread.
 *
 * Simple requests are flags; tasks and notes are lists of limited length. When the loop ends, it
 * rejects waiting tasks and all later ones, so that no sender waits forever. The loop is woken with
 * the lock held, because it closes its handle as soon as it stops listening. */
#include "loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "text.h"
#include "xalloc.h"

void mailbox_init(struct mailbox *mailbox)
{
    *mailbox = (struct mailbox){.wake = NULL};
    (void)pthread_mutex_init(&mailbox->lock, NULL);
    (void)pthread_cond_init(&mailbox->answered, NULL);
}

void mailbox_done(struct mailbox *mailbox)
{
    struct mail_note *note = mailbox->mail.notes;
    while (note) {
        struct mail_note *next = note->next;
        free(note);
        note = next;
    }
    (void)pthread_cond_destroy(&mailbox->answered);
    (void)pthread_mutex_destroy(&mailbox->lock);
}

/* Wakes the loop. Call this with the lock held, because the loop closes its handle as soon as it
 * stops listening. */
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

void mailbox_post(struct mailbox *mailbox, enum mail_request request, const char *text)
{
    struct mail *mail = &mailbox->mail;
    (void)pthread_mutex_lock(&mailbox->lock);
    switch (request) {
    case MAIL_CANCEL:
        mail->cancel = true;
        (void)snprintf(mail->by, sizeof(mail->by), "%s", text);
        break;
    case MAIL_LEAVE:
        mail->leave = true;
        break;
    case MAIL_ALONE:
        mail->alone = true;
        if (text)
            (void)snprintf(mail->why, sizeof(mail->why), "%s", text);
        break;
    case MAIL_STOP:
        mail->stop = true;
        break;
    case MAIL_CLOSE:
        mail->close = true;
        break;
    }
    wake_listener(mailbox);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

struct mail mailbox_take(struct mailbox *mailbox)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    struct mail mail = mailbox->mail;
    mailbox->mail = (struct mail){0};
    mailbox->task_count = 0;
    mailbox->note_count = 0;
    (void)pthread_mutex_unlock(&mailbox->lock);
    return mail;
}

void mailbox_post_note(struct mailbox *mailbox, int task, const char *text)
{
    struct mail_note *note = xcalloc(1, sizeof(*note));
    const size_t len = text_cut(text, strnlen(text, ENGINE_NOTE_MAX + 1), ENGINE_NOTE_MAX);
    memcpy(note->text, text, len);
    note->task = task;
    (void)pthread_mutex_lock(&mailbox->lock);
    bool takes = !mailbox->shut && mailbox->note_count < ENGINE_ADDS_MAX;
    if (takes) {
        struct mail_note **end = &mailbox->mail.notes;
        while (*end)
            end = &(*end)->next;
        *end = note;
        mailbox->note_count++;
        wake_listener(mailbox);
    }
    (void)pthread_mutex_unlock(&mailbox->lock);
    if (!takes)
        free(note);
}

static void refuse_shut(struct mail_task *mail)
{
    (void)err_set(&mail->err, ERR_NOT_FOUND, "the run accepts no more tasks: it has ended");
    mail->number = -1;
    mail->is_answered = true;
}

bool mailbox_post_task(struct mailbox *mailbox, struct mail_task *mail)
{
    mail->next = NULL;
    mail->is_answered = false;
    (void)pthread_mutex_lock(&mailbox->lock);
    if (mailbox->shut) {
        refuse_shut(mail);
    } else if (mailbox->task_count == ENGINE_ADDS_MAX) {
        (void)err_set(&mail->err, ERR_BUSY, "%d tasks are already waiting to be added",
                      ENGINE_ADDS_MAX);
        mail->number = -1;
        mail->is_answered = true;
    } else {
        struct mail_task **end = &mailbox->mail.tasks;
        while (*end)
            end = &(*end)->next;
        *end = mail;
        mailbox->task_count++;
        wake_listener(mailbox);
    }
    while (!mail->is_answered)
        (void)pthread_cond_wait(&mailbox->answered, &mailbox->lock);
    (void)pthread_mutex_unlock(&mailbox->lock);
    return mail->number >= 0;
}

void mailbox_answer(struct mailbox *mailbox, struct mail_task *mail)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mail->is_answered = true;
    (void)pthread_cond_broadcast(&mailbox->answered);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

void mailbox_shut(struct mailbox *mailbox)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mailbox->shut = true;
    struct mail_task *mail = mailbox->mail.tasks;
    mailbox->mail.tasks = NULL;
    while (mail) {
        struct mail_task *next = mail->next; /* freed by its sender once it is answered */
        refuse_shut(mail);
        mail = next;
    }
    (void)pthread_cond_broadcast(&mailbox->answered);
    (void)pthread_mutex_unlock(&mailbox->lock);
}
