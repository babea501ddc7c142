#include "growth.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "plan_grow.h"
#include "xalloc.h"

void growth_init(struct growth *growth, const struct plan *plan)
{
    *growth = (struct growth){.plan = plan_growing(plan)};
}

static void free_call(struct growth *growth, int task)
{
    struct growth_call *call = growth->calls[task];
    if (!call)
        return;
    free((void *)(uintptr_t)call->input.bytes); /* copy_input() made them */
    redactor_close(call->redactor);
    free(call);
    growth->calls[task] = NULL;
}

void growth_done(struct growth *growth)
{
    if (!growth || !growth->plan)
        return;
    assert(!growth->asked && !growth->settled);
    for (int i = 0; i < growth->plan->task_count; i++)
        free_call(growth, i);
    free(growth->calls);
    plan_free(growth->plan);
    *growth = (struct growth){0};
}

static struct launch_input copy_input(const struct engine_task *task)
{
    if (!task->stdin_bytes)
        return (struct launch_input){0};
    char *bytes = xcalloc(task->stdin_len + 1, 1);
    if (task->stdin_len > 0)
        memcpy(bytes, task->stdin_bytes, task->stdin_len);
    return (struct launch_input){.bytes = bytes, .len = task->stdin_len};
}

/* Add what the task is called with; its bytes are copied, mail->own is taken over. As plan_grow()
 * into mail->err. */
static bool growth_add(struct growth *growth, struct mail_task *mail)
{
    const int number = growth->plan->task_count;
    if (!plan_grow(growth->plan, mail->task->json, mail->task->json_len, &mail->err))
        return false;
    growth->calls =
        xgrow(growth->calls, &growth->call_cap, (size_t)number + 1, sizeof(struct growth_call *));
    struct growth_call *call = xcalloc(1, sizeof(*call));
    *call = (struct growth_call){.input = copy_input(mail->task), .redactor = mail->own};
    growth->calls[number] = call;
    mail->own = NULL;
    return true;
}

const struct launch_input *growth_input(const struct growth *growth, int task)
{
    const struct growth_call *call = growth->plan ? growth->calls[task] : NULL;
    return call && call->input.bytes ? &call->input : NULL;
}

const struct redactor *growth_redactor(const struct growth *growth, int task)
{
    const struct growth_call *call = growth->plan ? growth->calls[task] : NULL;
    return call ? call->redactor : NULL;
}

void growth_redact(const struct growth *growth, int task, const struct redactor *run,
                   const char *text, size_t len, struct str *out)
{
    struct str once = {0};
    const struct redactor *own = task >= 0 ? growth_redactor(growth, task) : NULL;
    redact_text(own, text, len, &once, NULL);
    redact_text(run, str_text(&once), once.len, out, NULL);
    str_done(&once);
}

/* Tasks that are added while the run goes on. Requests of other threads are taken at the beginning
 * of a turn, recorded with it, and answered afterwards. */

static void put_last(struct mail_task **list, struct mail_task *mail)
{
    while (*list)
        list = &(*list)->next;
    *list = mail;
}

void loop_ask_tasks(struct loop *loop, struct mail_task *tasks)
{
    if (!tasks)
        return;
    put_last(&loop->growth.asked, tasks);
    loop->wanted = true;
}

void loop_close_plan(struct loop *loop)
{
    if (!loop->scheduler.awaits_more || !loop->growth.plan)
        return;
    loop->scheduler.awaits_more = false;
    loop_queue(loop, (struct input){.kind = INPUT_TIME}); /* it may be over */
}

static bool takes_tasks(const struct loop *loop, struct err *err)
{
    if (!loop->growth.plan)
        return err_set(err, ERR_INVALID, "the plan of this run does not grow");
    if (loop->state.ended)
        return err_set(err, ERR_NOT_FOUND, "the run takes no more tasks: it is over");
    if (loop->state.stopped_by_person || loop->cancelled || loop->stopping)
        return err_set(err, ERR_NOT_FOUND, "the run takes no more tasks: it is being cancelled");
    if (!loop->scheduler.awaits_more || loop->left)
        return err_set(err, ERR_NOT_FOUND, "the run takes no more tasks: its end was said");
    return true;
}

static bool add_task(struct loop *loop, struct mail_task *mail)
{
    const struct plan *plan = loop->state.plan;
    const int number = plan->task_count;
    if (!takes_tasks(loop, &mail->err) || !growth_add(&loop->growth, mail))
        return false;
    gains_make_room(&loop->gains, number + 1);
    const struct input input = {
        .kind = INPUT_TASK, .now = clock_now(), .task = -1, .step = -1, .note = mail->record};
    scheduler_step(&loop->scheduler, &input, &loop->turn);
    if (plan->task_count > number) {
        mail->number = number;
        return true;
    }
    free_call(&loop->growth, loop->growth.plan->task_count - 1); /* what growth_add() added */
    plan_shrink(loop->growth.plan);
    return err_set(&mail->err, ERR_INVALID, "without its secrets it is no task any more");
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
        put_last(&loop->growth.settled, mail);
        mail = next;
    }
}

void loop_answer_tasks(struct loop *loop)
{
    struct mail_task *mail = loop->growth.settled;
    loop->growth.settled = NULL;
    while (mail) {
        struct mail_task *next = mail->next; /* it is gone once it is answered */
        mailbox_answer(loop->mailbox, mail);
        mail = next;
    }
}

void loop_forget_tasks(struct loop *loop)
{
    for (size_t i = 0; loop->growth.plan && i < loop->turn.event_count; i++) {
        const struct event *event = &loop->turn.events[i];
        if (event->kind == EVENT_STEP_ENDED &&
            task_status_is_final(loop->state.tasks[event->task].status)) {
            free_call(&loop->growth, event->task);
            plan_forget_calls(loop->growth.plan, event->task);
        }
    }
}
