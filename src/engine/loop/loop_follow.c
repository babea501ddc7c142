/*
 * loop_follow.c - what is done about a workspace after an attempt's end, beside the loop.
 *
 * What a failed attempt changed, and what the tree of a passed one is, is evidence; the
 * workspace of a task that passed is removed. These are jobs of the task's line: the next
 * attempt's reset comes after them. They begin once the end is in the log.
 */
#include <stdlib.h>

#include "capture_changes.h"
#include "loop.h"
#include "xalloc.h"

enum follow_kind {
    FOLLOW_CHANGES, /* a failed attempt: what did it change? */
    FOLLOW_PROOF,   /* a passed step: what is its tree? */
    FOLLOW_DROP,    /* a passed task: its workspace is not needed any more */
};

struct follow {
    enum follow_kind kind;
    struct loop *loop;           /* borrowed */
    struct workspace *workspace; /* borrowed; NULL: it worked in place */
    struct fact_about about;

    /* What the job found. */
    bool found;
    struct tree_facts tree;
    struct tree_diff diff;
    struct str capture; /* JSON */
    struct err err;
};

static void find_changes(struct follow *follow, const atomic_bool *stop)
{
    const struct diff_limits limits = {0};
    if (!follow->workspace) {
        const struct engine_options *options = follow->loop->options;
        struct str scratch = {0};
        str_addf(&scratch, "%s/work", options->place->dir);
        const struct changes_call call = {
            .dir = options->run_dir, .scratch = scratch.data, .environment = options->environment};
        capture_changes_in_place(&call, stop, &follow->capture);
        str_done(&scratch);
        return;
    }
    follow->found = workspace_diff(follow->workspace, follow->about.step, &limits, stop,
                                   &follow->diff, &follow->err);
    if (follow->found)
        capture_changes_write(&follow->diff, &follow->capture);
    else
        capture_changes_none(follow->err.message, &follow->capture);
}

static void work(void *ctx, const atomic_bool *stop)
{
    struct follow *follow = ctx;
    switch (follow->kind) {
    case FOLLOW_CHANGES:
        find_changes(follow, stop);
        break;
    case FOLLOW_PROOF:
        follow->found = workspace_hash(follow->workspace, stop, &follow->tree, &follow->err);
        break;
    case FOLLOW_DROP:
        follow->found = workspace_drop(follow->workspace, &follow->err);
        break;
    }
}

static void tell_proof(struct follow *follow)
{
    const struct tree_facts *tree = &follow->tree;
    const struct input_fact fact = {.kind = EVENT_TREE_PROVEN,
                                    .a = (int64_t)tree->digest.hi,
                                    .b = (int64_t)tree->digest.lo,
                                    .c = tree->files,
                                    .d = tree->bytes,
                                    .e = tree->ms};
    if (follow->found)
        loop_queue_fact(follow->loop, &follow->about, &fact, NULL);
}

static void tell_changes(struct follow *follow)
{
    struct loop *loop = follow->loop;
    struct str text = {0};
    if (follow->workspace) {
        struct tree_diff *diff = &follow->diff;
        if (!follow->found)
            str_add(&diff->why, follow->err.message);
        const struct input_fact fact = {.kind = EVENT_WORKSPACE_CHANGED,
                                        .a = diff->changed,
                                        .b = diff->added,
                                        .c = diff->removed,
                                        .d = diff->why.len > 0,
                                        .e = diff->ms};
        capture_changes_event(diff, &text);
        loop_queue_fact(loop, &follow->about, &fact, str_text(&text));
    }
    if (follow->capture.len > 0)
        loop_keep_capture(loop, &follow->about, &follow->capture);
    str_done(&text);
}

static void follow_close(struct follow *follow)
{
    tree_diff_done(&follow->diff);
    str_done(&follow->capture);
    free(follow);
}

static void done(void *ctx, bool has_run)
{
    struct follow *follow = ctx;
    struct loop *loop = follow->loop;
    loop->wanted = true; /* it may leave now */
    if (has_run && follow->kind == FOLLOW_PROOF)
        tell_proof(follow);
    if (has_run && follow->kind == FOLLOW_CHANGES)
        tell_changes(follow);
    if (has_run && follow->kind == FOLLOW_DROP && !follow->found)
        loop_note(loop, "the workspace stays", follow->err.message);
    follow_close(follow);
}

static void add(struct loop *loop, const struct attempt *attempt, enum follow_kind kind)
{
    const struct workspace_slot *slot = workspace_set_find(&loop->workspaces, attempt->task);
    if (jobs_count(loop->jobs) >= LOOP_FOLLOW_MAX)
        return;
    struct follow *follow = xcalloc(1, sizeof(*follow));
    follow->kind = kind;
    follow->loop = loop;
    follow->about = (struct fact_about){attempt->task, attempt->step, attempt->number};
    follow->workspace = slot ? slot->workspace : NULL;
    const struct job_call call = {.line = attempt->task, .work = work, .done = done, .ctx = follow};
    if (!jobs_add(loop->jobs, &call))
        follow_close(follow);
}

/* Did a record of this step's end come with the turn? */
static bool has_capture(const struct loop *loop, const struct attempt *attempt)
{
    for (size_t i = 0; i < loop->turn.event_count; i++) {
        const struct event *event = &loop->turn.events[i];
        if (event->kind == EVENT_STEP_ENDED && event->task == attempt->task && event->d == 1)
            return true;
    }
    return false;
}

static void follow_up(struct loop *loop, const struct attempt *attempt, bool recorded)
{
    const struct task_state *task = &loop->state.tasks[attempt->task];
    const struct step_state *step = &task->steps[attempt->step];
    const bool passed = step->status == STEP_ENDED && step->end == DECISION_SUCCEEDED;
    const struct workspace_slot *slot = workspace_set_find(&loop->workspaces, attempt->task);
    if (!slot) {
        if (attempt->has_run && has_capture(loop, attempt))
            add(loop, attempt, FOLLOW_CHANGES);
    } else if (task->status == TASK_PASSED) {
        if (recorded)
            add(loop, attempt, FOLLOW_DROP);
    } else if (passed) {
        add(loop, attempt, FOLLOW_PROOF);
    } else if (attempt->has_run) {
        add(loop, attempt, FOLLOW_CHANGES);
    }
}

void loop_follow_up(struct loop *loop, bool recorded)
{
    for (size_t i = 0; i < loop->ended_count; i++)
        follow_up(loop, loop->ended[i], recorded);
}
