/* loop_tasks.c - tasks that are added during a run. Requests from other threads are handled at the
 * beginning of a turn, recorded with the turn, and answered afterwards. */
#include "loop.h"

#include "plan.h"

static void append_task(struct mail_task **list, struct mail_task *mail)
{
    while (*list)
        list = &(*list)->next;
    *list = mail;
}

void loop_ask_tasks(struct loop *loop, struct mail_task *tasks)
{
    if (!tasks)
        return;
    append_task(&loop->growth.asked, tasks);
    loop->wanted = true;
}

static bool add_task(struct loop *loop, struct mail_task *mail)
{
    const struct plan *plan = loop->state.plan;
    const int number = plan->task_count;
    if (!loop->growth.plan)
        return err_set(&mail->err, ERR_INVALID, "tasks cannot be added to this run");
    if (loop->state.ended)
        return err_set(&mail->err, ERR_NOT_FOUND, "the run accepts no more tasks: it has ended");
    if (loop->state.stopped_by_person || loop->cancelled || loop->stopping)
        return err_set(&mail->err, ERR_NOT_FOUND,
                       "the run accepts no more tasks: it is being cancelled");
    if (!loop->scheduler.awaits_more || loop->left)
        return err_set(&mail->err, ERR_NOT_FOUND, "the run accepts no more tasks: it is ending");
    if (!growth_add(&loop->growth, mail->task, mail->own, &mail->err))
        return false;
    mail->own = NULL; /* growth_add() took ownership */
    gains_make_room(&loop->gains, number + 1);
    const struct input input = {
        .kind = INPUT_TASK, .now = clock_now(), .task = -1, .step = -1, .note = mail->record};
    scheduler_step(&loop->scheduler, &input, &loop->turn);
    if (plan->task_count > number) {
        mail->number = number;
        return true;
    }
    growth_forget(&loop->growth, loop->growth.plan->task_count - 1); /* undoes growth_add() */
    plan_shrink(loop->growth.plan);
    return err_set(&mail->err, ERR_INVALID, "the task is not valid without its secrets");
}

void loop_take_tasks(struct loop *loop)
{
    struct mail_task *mail = loop->growth.asked;
    loop->growth.asked = NULL;
    while (mail) {
        struct mail_task *next = mail->next;
        mail->next = NULL;
        if (!add_task(loop, mail))
            mail->number = -1;
        append_task(&loop->growth.settled, mail);
        mail = next;
    }
}

void loop_answer_tasks(struct loop *loop)
{
    struct mail_task *mail = loop->growth.settled;
    loop->growth.settled = NULL;
    while (mail) {
        struct mail_task *next = mail->next; /* the sender frees it once it is answered */
        mailbox_answer(loop->mailbox, mail);
        mail = next;
    }
}

void loop_forget_tasks(struct loop *loop)
{
    for (size_t i = 0; i < loop->turn.events.count; i++) {
        const struct event *event = &loop->turn.events.items[i];
        if (event->kind != EVENT_STEP_ENDED ||
            !task_status_is_final(loop->state.tasks[event->task].status))
            continue;
        machine_slots_drop(loop->slots, event->task);
        if (loop->growth.plan) {
            growth_forget(&loop->growth, event->task);
            plan_forget_calls(loop->growth.plan, event->task);
        }
    }
}
