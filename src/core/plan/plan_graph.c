#include "plan_graph.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

enum { CYCLE_NAMED_MAX = 12 }; /* ids of a circle that are written out */

/* A name beside its first bytes, as a number that has their order: most names differ there, and of
 * many names each lies elsewhere in memory. */
struct ranked_name {
    uint64_t first;
    struct plan_name name;
};

static uint64_t first_bytes(const char *id)
{
    uint64_t first = 0;
    bool is_over = false;
    for (size_t i = 0; i < sizeof(first); i++) {
        is_over = is_over || id[i] == '\0';
        first = first << 8 | (is_over ? 0 : (unsigned char)id[i]);
    }
    return first;
}

static int compare_names(const void *left, const void *right)
{
    const struct ranked_name *a = left;
    const struct ranked_name *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    int order = strcmp(a->name.id, b->name.id);
    return order != 0 ? order : (a->name.task > b->name.task) - (a->name.task < b->name.task);
}

void plan_index_ids(struct plan *plan)
{
    struct ranked_name *ranked = xcalloc((size_t)plan->task_count, sizeof(*ranked));
    size_t count = 0;
    for (int i = 0; i < plan->task_count; i++) {
        const char *id = plan->tasks[i].id;
        if (id)
            ranked[count++] = (struct ranked_name){first_bytes(id), {id, i}};
    }
    qsort(ranked, count, sizeof(*ranked), compare_names);
    plan->by_id = xcalloc((size_t)plan->task_count, sizeof(*plan->by_id));
    plan->by_id_count = (int)count;
    for (size_t i = 0; i < count; i++)
        plan->by_id[i] = ranked[i].name;
    free(ranked);
}

bool plan_ids_differ(const struct plan *plan)
{
    for (int i = 1; i < plan->by_id_count; i++) {
        if (strcmp(plan->by_id[i - 1].id, plan->by_id[i].id) == 0)
            return false;
    }
    return true;
}

void plan_link_dependents(struct plan *plan)
{
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int j = 0; j < task->need_count; j++)
            plan->tasks[task->needs[j]].dependent_count++;
    }
    for (int i = 0; i < plan->task_count; i++) {
        struct plan_task *task = &plan->tasks[i];
        task->dependents = xcalloc((size_t)task->dependent_count, sizeof(*task->dependents));
        task->dependent_count = 0;
    }
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[i];
        for (int j = 0; j < task->need_count; j++) {
            struct plan_task *needed = &plan->tasks[task->needs[j]];
            needed->dependents[needed->dependent_count++] = i;
        }
    }
}

/* Take away, again and again, tasks all of whose needs are taken away, into the queue. What is
 * left (unmet > 0) is in a circle or needs one. */
static void take_orderly(const struct plan *plan, int *unmet, int *queue)
{
    int queued = 0;
    for (int i = 0; i < plan->task_count; i++) {
        unmet[i] = plan->tasks[i].need_count;
        if (unmet[i] == 0)
            queue[queued++] = i;
    }
    for (int taken = 0; taken < queued; taken++) {
        const struct plan_task *task = &plan->tasks[queue[taken]];
        for (int j = 0; j < task->dependent_count; j++) {
            int dependent = task->dependents[j];
            if (--unmet[dependent] == 0)
                queue[queued++] = dependent;
        }
    }
}

void plan_graph_order(const struct plan *plan, int *order_out)
{
    int *unmet = xcalloc((size_t)plan->task_count, sizeof(*unmet));
    take_orderly(plan, unmet, order_out);
    free(unmet);
}

static int first_unmet_need(const struct plan_task *task, const int *unmet)
{
    for (int j = 0; j < task->need_count; j++) {
        if (unmet[task->needs[j]] > 0)
            return task->needs[j];
    }
    return -1;
}

static int first_of_circle(const int *next, int member)
{
    int first = member;
    for (int i = next[member]; i != member; i = next[i])
        first = i < first ? i : first;
    return first;
}

/* Each task that is left has one `next`: a walk along it ends in a circle. A walk
 * that meets the trace of an earlier one has nothing new to find. */
static void mark_circles(struct plan_cycles *cycles, int count)
{
    int *trace = xcalloc((size_t)count, sizeof(*trace));
    for (int start = 0; start < count; start++) {
        int at = start;
        while (cycles->next[at] >= 0 && trace[at] == 0) {
            trace[at] = start + 1;
            at = cycles->next[at];
        }
        if (cycles->next[at] >= 0 && trace[at] == start + 1)
            cycles->starts[first_of_circle(cycles->next, at)] = true;
    }
    free(trace);
}

void plan_cycles_init(struct plan_cycles *cycles, const struct plan *plan)
{
    size_t count = (size_t)plan->task_count;
    int *unmet = xcalloc(count, sizeof(*unmet));
    int *queue = xcalloc(count, sizeof(*queue));
    cycles->next = xcalloc(count, sizeof(*cycles->next));
    cycles->starts = xcalloc(count, sizeof(*cycles->starts));
    take_orderly(plan, unmet, queue);
    free(queue);
    for (int i = 0; i < plan->task_count; i++)
        cycles->next[i] = unmet[i] > 0 ? first_unmet_need(&plan->tasks[i], unmet) : -1;
    free(unmet);
    mark_circles(cycles, plan->task_count);
}

void plan_cycles_done(struct plan_cycles *cycles)
{
    if (!cycles)
        return;
    free(cycles->next);
    free(cycles->starts);
    *cycles = (struct plan_cycles){0};
}

void plan_cycles_name(const struct plan_cycles *cycles, const struct plan *plan, int task,
                      struct str *out)
{
    int length = 0;
    int at = task;
    do {
        if (length < CYCLE_NAMED_MAX)
            str_addf(out, "%s -> ", plan->tasks[at].id);
        length++;
        at = cycles->next[at];
    } while (at != task);
    if (length > CYCLE_NAMED_MAX)
        str_addf(out, "... %d more ... -> ", length - CYCLE_NAMED_MAX);
    str_add(out, plan->tasks[task].id);
}
