#include "plot.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void drop_need(struct plot_task *task, int need)
{
    int kept = 0;
    for (int i = 0; i < task->need_count; i++) {
        if (task->needs[i] != need)
            task->needs[kept++] = task->needs[i] - (task->needs[i] > need ? 1 : 0);
    }
    task->need_count = kept;
}

void plot_drop_task(struct plot *plot, int task)
{
    plot->task_count--;
    memmove(&plot->tasks[task], &plot->tasks[task + 1],
            (size_t)(plot->task_count - task) * sizeof(plot->tasks[0]));
    for (int i = 0; i < plot->task_count; i++)
        drop_need(&plot->tasks[i], task);
}

void plot_drop_step(struct plot *plot, int task, int step)
{
    struct plot_task *of = &plot->tasks[task];
    of->step_count--;
    memmove(&of->steps[step], &of->steps[step + 1],
            (size_t)(of->step_count - step) * sizeof(of->steps[0]));
}

void plot_drop_ops(struct plot *plot, int from, int count)
{
    plot->op_count -= count;
    memmove(&plot->ops[from], &plot->ops[from + count],
            (size_t)(plot->op_count - from) * sizeof(plot->ops[0]));
}

void plot_drop_ending(struct plot_step *step, int ending)
{
    step->ending_count--;
    memmove(&step->endings[ending], &step->endings[ending + 1],
            (size_t)(step->ending_count - ending) * sizeof(step->endings[0]));
}

static void print_ending(const struct plot_ending *ending)
{
    (void)printf("    %s %d after %" PRId64 " ms, %s %s%s", outcome_kind_name(ending->kind),
                 ending->code, ending->runs_ms, verdict_class_name(ending->class),
                 transient_type_name(ending->type), reason_name(ending->reason));
    if (ending->hint_ms >= 0)
        (void)printf(", hint %" PRId64 " ms", ending->hint_ms);
    (void)printf("%s%s", ending->ask ? ", asks" : "", ending->matches ? ", matches" : "");
    if (ending->fingerprint != 0)
        (void)printf(", result %d", ending->fingerprint);
    if (ending->has_fact)
        (void)printf(", a fact%s, bytes %d", ending->news ? ", new" : "", ending->raw);
    (void)printf("\n");
}

static void print_control(const struct plot_op *op)
{
    (void)printf("%s %s%s aim %d", control_verb_name(op->verb),
                 op->verb == CONTROL_CANCEL ? cancel_mode_name(op->mode) : "",
                 op->of_run ? " the run" : "", op->aim);
    if (op->unknown_task)
        (void)printf(" a task that is not there\n");
    else if (!op->of_run)
        (void)printf(" a task, %s\n", op->any_task ? "any" : task_status_name(op->status));
    else
        (void)printf("\n");
}

static void print_op(const struct plot_op *op)
{
    static const char *const names[] = {
        [PLOT_CONTROL] = "control", [PLOT_CRASH] = "crash",
        [PLOT_LEAVE] = "leave",     [PLOT_WALL_JUMP] = "clock",
        [PLOT_SLEEP] = "sleep",     [PLOT_STALE] = "stale news",
        [PLOT_NOTE] = "note",       [PLOT_START_AGAIN] = "started again",
        [PLOT_FACT] = "fact",       [PLOT_AGENT] = "agent",
        [PLOT_HOST] = "host",       [PLOT_TOLD] = "told",
    };
    (void)printf("  turn %d: %s ", op->turn, names[op->kind]);
    if (op->kind == PLOT_CONTROL)
        print_control(op);
    else if (op->kind == PLOT_CRASH)
        (void)printf("after %s, %" PRId64 " ms%s, %d acts\n",
                     op->after == EVENT_NONE ? "nothing" : event_kind_name(op->after), op->ms,
                     op->rebooted ? ", rebooted" : "", op->orphan_acts);
    else
        (void)printf("%" PRId64 " ms\n", op->ms);
}

void plot_print(const struct plot *plot)
{
    struct str plan = {0};
    plot_write_plan(plot, &plan);
    (void)printf("plan, %d jobs: %s\n", plot->jobs, str_text(&plan));
    str_done(&plan);
    for (int i = 0; i < plot->task_count; i++) {
        for (int k = 0; k < plot->tasks[i].step_count; k++) {
            const struct plot_step *step = &plot->tasks[i].steps[k];
            (void)printf("  number %d (t%d), step %d:%s\n", i, plot->tasks[i].id, k,
                         step->ending_count == 0 ? " goes well" : "");
            for (int n = 0; n < step->ending_count; n++)
                print_ending(&step->endings[n]);
        }
    }
    for (int i = 0; i < plot->op_count; i++)
        print_op(&plot->ops[i]);
}
