#include "plan_graph.h"

#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "plan_sessions.h"
#include "str.h"
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

/* The tasks of an acyclic plan, each after all that it needs; room for all tasks. Dependents are
 * linked. */
static void plan_graph_order(const struct plan *plan, int *order_out)
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

/* A step that begins in a session. */
struct use {
    const char *agent, *session; /* borrowed from the plan */
    int task, step;
    int place; /* of the task, in an order where each comes after what it needs */
};

struct sessions {
    const struct plan *plan;
    int *order;       /* owned: the tasks in that order */
    struct use *uses; /* owned; those of one session side by side, in that order */
    size_t count;
    int *chain; /* owned; by task: how many of a session's tasks a way along needs leads by, with it
                 */
};

static int compare_sessions(const struct use *a, const struct use *b)
{
    const int agents = strcmp(a->agent, b->agent);
    return agents != 0 ? agents : strcmp(a->session, b->session);
}

static int compare_uses(const void *left, const void *right)
{
    const struct use *a = left;
    const struct use *b = right;
    const int sessions = compare_sessions(a, b);
    if (sessions != 0)
        return sessions;
    const int places = (a->place > b->place) - (a->place < b->place);
    return places != 0 ? places : (a->step > b->step) - (a->step < b->step);
}

static void find_uses(struct sessions *sessions)
{
    size_t cap = 0;
    for (int i = 0; i < sessions->plan->task_count; i++) {
        const struct plan_task *task = &sessions->plan->tasks[i];
        for (int j = 0; j < task->step_count; j++) {
            const struct plan_agent *agent = task->steps[j].agent;
            if (!agent || !agent->resume)
                continue;
            sessions->uses =
                xgrow(sessions->uses, &cap, sessions->count + 1, sizeof(*sessions->uses));
            sessions->uses[sessions->count++] = (struct use){.agent = adapter_name(agent->adapter),
                                                             .session = agent->resume,
                                                             .task = i,
                                                             .step = j};
        }
    }
}

/* The tasks in that order, and the uses in the order of their tasks. */
static void put_in_order(struct sessions *sessions)
{
    const size_t count = (size_t)sessions->plan->task_count;
    int *places = xcalloc(count, sizeof(*places));
    sessions->order = xcalloc(count, sizeof(*sessions->order));
    sessions->chain = xcalloc(count, sizeof(*sessions->chain));
    plan_graph_order(sessions->plan, sessions->order);
    for (size_t i = 0; i < count; i++)
        places[sessions->order[i]] = (int)i;
    for (size_t i = 0; i < sessions->count; i++)
        sessions->uses[i].place = places[sessions->uses[i].task];
    qsort(sessions->uses, sessions->count, sizeof(*sessions->uses), compare_uses);
    free(places);
}

/* The longest way along needs, counted in tasks of the session. */
static void count_chains(struct sessions *sessions, const struct use *uses, size_t count)
{
    const struct plan *plan = sessions->plan;
    size_t next = 0;
    for (int i = 0; i < plan->task_count; i++) {
        const struct plan_task *task = &plan->tasks[sessions->order[i]];
        int longest = 0;
        for (int j = 0; j < task->need_count; j++) {
            const int chain = sessions->chain[task->needs[j]];
            longest = chain > longest ? chain : longest;
        }
        while (next < count && uses[next].place < i)
            next++;
        const bool is_one = next < count && uses[next].place == i;
        sessions->chain[sessions->order[i]] = longest + (is_one ? 1 : 0);
    }
}

static void refuse(const struct sessions *sessions, const struct use *first,
                   const struct use *second, struct violations *violations)
{
    struct str path = {0};
    struct str words = {0};
    str_addf(&path, "/tasks/%d/steps/%d/resume", second->task, second->step);
    str_addf(&words,
             "task %s continues this session too, possibly at the same time: let one of "
             "them need the other",
             sessions->plan->tasks[first->task].id);
    violations_add(violations, VIOLATION_INVALID_VALUE, str_text(&path), str_text(&words), NULL,
                   NULL);
    str_done(&words);
    str_done(&path);
}

static void refuse_many(struct violations *violations)
{
    struct str most = {0};
    str_addf(&most, "at most %d", PLAN_SESSIONS_SHARED_MAX);
    violations_add(violations, VIOLATION_INVALID_VALUE, "/tasks",
                   "too many sessions are continued by several tasks", str_text(&most), NULL);
    str_done(&most);
}

/* In a chain of tasks, each of which needs the previous one, the n-th has n on its way. */
static bool check_session(struct sessions *sessions, const struct use *uses, size_t count,
                          struct violations *violations)
{
    count_chains(sessions, uses, count);
    int tasks = 1;
    for (size_t i = 1; i < count; i++) {
        if (uses[i].task == uses[i - 1].task)
            continue;
        if (sessions->chain[uses[i].task] != ++tasks) {
            refuse(sessions, &uses[i - 1], &uses[i], violations);
            return false;
        }
    }
    return true;
}

static bool check_all(struct sessions *sessions, struct violations *violations)
{
    bool ok = true;
    int shared = 0;
    for (size_t from = 0, to; from < sessions->count; from = to) {
        const struct use *first = &sessions->uses[from];
        to = from + 1;
        while (to < sessions->count && compare_sessions(first, &sessions->uses[to]) == 0)
            to++;
        if (sessions->uses[to - 1].task == first->task)
            continue;
        if (++shared > PLAN_SESSIONS_SHARED_MAX) {
            refuse_many(violations);
            return false;
        }
        ok = check_session(sessions, first, to - from, violations) && ok;
    }
    return ok;
}

bool plan_sessions_check(const struct plan *plan, struct violations *violations)
{
    struct sessions sessions = {.plan = plan};
    bool ok = true;
    find_uses(&sessions);
    if (sessions.count > 1) {
        put_in_order(&sessions);
        ok = check_all(&sessions, violations);
    }
    free(sessions.chain);
    free(sessions.uses);
    free(sessions.order);
    return ok;
}
