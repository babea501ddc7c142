/* loop_attempt.c - takes an attempt through its stages: prepare, start, output, finish, judge.
 *
 * An attempt without surroundings needs no job. Work that blocks is a job on the task's line. Each
 * stage begins on the engine's thread when the previous one has ended. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "adapter.h"
#include "capture.h"
#include "clock.h"
#include "loop.h"
#include "plan.h"
#include "xalloc.h"

static void queue_fact(struct loop *loop, const struct fact_about *about, const struct event *fact)
{
    loop_queue(loop, (struct input){.kind = INPUT_FACT,
                                    .task = about->task,
                                    .step = about->step,
                                    .attempt = about->attempt,
                                    .fact_event = *fact});
}

static void attempt_tells(void *ctx, const struct attempt *attempt, const struct event *fact)
{
    const struct fact_about about = {attempt->task, attempt->step, attempt->number};
    struct loop *loop = ctx;
    queue_fact(loop, &about, fact);
    if (fact->kind != EVENT_CONTACT_LOST && fact->kind != EVENT_CONTACT_FOUND)
        return;
    if (loop->clusters[attempt_host(attempt)])
        return; /* a node of a cluster says nothing about the others */
    if (fact->kind == EVENT_CONTACT_LOST)
        loop_host_is_down(loop, attempt_host(attempt), "no contact");
    else
        loop_host_is_up(loop, attempt_host(attempt));
}

static void tell_fact(void *ctx, const struct event *fact)
{
    const struct attempt *attempt = ctx;
    attempt_tells(attempt->watcher.ctx, attempt, fact);
}

/* Ends an attempt. It is kept until the turn has handled its end. */
static void end_attempt(struct attempt *attempt, const struct input *input)
{
    struct loop *loop = attempt->watcher.ctx;
    const struct child_end *end = &attempt->end;
    struct str names = {0};
    struct str text = {0};

    attempt->stage = ATTEMPT_IS_OVER;
    loop->alive[attempt->slot] = loop->alive[--loop->alive_count];
    loop->alive[attempt->slot]->slot = attempt->slot;

    struct event cuts = event_new(EVENT_SECRETS_CUT);
    cuts.secrets.count = attempt_cuts(attempt, &names);
    if (cuts.secrets.count > 0) {
        cuts.secrets.names = names.len <= EVENT_TEXT_MAX ? str_text(&names) : NULL;
        tell_fact(attempt, &cuts);
    }
    if (end->outcome.processes_left != 0) {
        if (end->left[0].pid != 0)
            child_left_words(end, &text);
        else
            str_addf(&text, "cannot kill %d processes of its sandbox", end->outcome.processes_left);
        loop_note(loop, call_name(&attempt->call), str_text(&text));
    }
    str_done(&text);
    str_done(&names);

    loop->last_attempt_code = attempt_exit_code(&input->outcome);
    loop_queue_end(loop, input, attempt);
}

static void result_kept(void *ctx, bool has_run)
{
    struct attempt *attempt = ctx;
    struct loop *loop = attempt->watcher.ctx;
    const struct surroundings *around = attempt->around;
    struct verdict *verdict = &attempt->ending->verdict;
    attempt->job = NULL;
    if (has_run && around->is_kept) {
        const struct str *left_out = &around->kept.left_out;
        surroundings_tell_kept(around, tell_fact, attempt);
        if (left_out->len > 0)
            loop_note(loop, "not part of the result, because they are separate repositories",
                      str_text(left_out));
    } else if (attempt->is_cancelled) {
        attempt->ending->outcome.kind = OUTCOME_CANCELLED;
        verdict_set_persistent(verdict, REASON_CANCELLED, "", "known.cancelled");
    } else { /* if its result cannot be kept, the task has not passed */
        verdict_set_persistent(verdict, REASON_SETUP, "KEEP", "known.keep");
        verdict->ask = true;
        loop_note(loop, "cannot keep the result", around->keep_err.message);
    }
    end_attempt(attempt, attempt->ending);
}

static void keep_result(void *ctx, const atomic_bool *stop)
{
    const struct attempt *attempt = ctx;
    surroundings_keep(attempt->around, stop);
}

typedef void job_work_fn(void *ctx, const atomic_bool *stop);
typedef void job_done_fn(void *ctx, bool has_run);

static void add_job(struct attempt *attempt, enum attempt_stage stage, job_work_fn *work,
                    job_done_fn *done)
{
    struct loop *loop = attempt->watcher.ctx;
    const struct job_call call = {.line = attempt->task,
                                  .work = work,
                                  .done = done,
                                  .ctx = attempt,
                                  .always = stage == ATTEMPT_FINISHES};
    attempt->stage = stage;
    attempt->job = jobs_add(loop->jobs, &call);
    assert(attempt->job); /* LOOP_FOLLOW_MAX leaves room for running attempts */
}

static void open_the_way(struct attempt *attempt);

static void judge_attempt(struct attempt *attempt)
{
    struct loop *loop = attempt->watcher.ctx;
    const struct plan *plan = attempt->setting->call.plan;
    struct input input = attempt_input(attempt, INPUT_ENDED);
    if (!loop->stopping && !loop->state.tasks[attempt->task].cancelling &&
        attempt_lost_session(attempt)) {
        /* The agent has not done anything yet, so start the attempt again. */
        struct str why = {0};
        str_addf(&why, "%s has no session %s: starting a new one",
                 adapter_name(attempt->plan->agent->adapter), attempt->agent->session);
        loop_note(loop, call_name(&attempt->call), str_text(&why));
        str_done(&why);
        attempt_begin_anew(attempt);
        open_the_way(attempt);
        return;
    }

    input.now = clock_now();
    attempt_judge(attempt, attempt->setting, &input);
    if (attempt_has_output(attempt) && scheduler_would_pass(attempt->plan, &input)) {
        attempt_write_output(attempt, &input.verdict);
        attempt_check_files(attempt, &input.verdict); /* attempt_judge() has checked the files of
                                                         steps without an output file */
    }
    attempt_tell_round(attempt, &input);
    const bool leaves_result =
        attempt->around && attempt->around->call.slot &&
        attempt->step == plan->tasks[attempt->task].step_count - 1 &&
        scheduler_would_pass(attempt->plan, &input); /* so its task would pass */
    if (!leaves_result) {
        end_attempt(attempt, &input);
        return;
    }
    attempt->ending = xcalloc(1, sizeof(*attempt->ending));
    *attempt->ending = input;
    add_job(attempt, ATTEMPT_KEEPS, keep_result, result_kept);
}

static void sandbox_finished(void *ctx, bool has_run)
{
    struct attempt *attempt = ctx;
    attempt->job = NULL;
    assert(has_run); /* the job is `always` */
    (void)has_run;
    attempt_take_end(attempt);
    judge_attempt(attempt);
}

static void finish_sandbox(void *ctx, const atomic_bool *stop)
{
    const struct attempt *attempt = ctx;
    (void)stop;
    surroundings_finish(attempt->around);
}

/* Notes that a killed attempt may still work on its machine. */
static void note_unproven(struct loop *loop, const struct attempt *attempt)
{
    const struct outcome *outcome = &attempt->end.outcome;
    const struct task_state *task = &loop->state.tasks[attempt->task];
    const bool is_killed = outcome->kind == OUTCOME_CANCELLED || outcome->kind == OUTCOME_TIMEOUT;
    if (attempt_host(attempt) < 0 || !is_killed || outcome->proof != PROOF_NONE)
        return;
    struct str why = {0};
    char due[CLOCK_TEXT_MAX];
    str_addf(&why, "%s has not confirmed its end; without contact, it ends itself there",
             run_state_host_place(&loop->state, attempt_host(attempt)).host);
    if (task->fence.at_ms > 0)
        str_addf(&why, " by %s", clock_short(task->fence.at_ms, clock_now().at_ms, due));
    loop_note(loop, call_name(&attempt->call), str_text(&why));
    str_done(&why);
}

static void process_ended(void *ctx, struct attempt *attempt)
{
    struct surroundings *around = attempt->around;
    note_unproven(ctx, attempt);
    if (!around || !around->sandbox) {
        judge_attempt(attempt);
        return;
    }
    const struct classify_text tail = output_tail(&attempt->streams[1], SURROUNDINGS_ERR_TAIL);
    if (tail.len > 0)
        str_add_n(&around->err_tail, tail.bytes, tail.len);
    around->raw = attempt->end.outcome;
    add_job(attempt, ATTEMPT_FINISHES, finish_sandbox, sandbox_finished);
}

static void was_heard(void *ctx, struct attempt *attempt)
{
    struct loop *loop = ctx;
    const int64_t due_ms = attempt_output_due(attempt);
    const int64_t now_ms = clock_now().mono_ms;

    /* An agent that only reports its own retries counts as silent. */
    if (!attempt->agent || agent_stream_has_spoken(attempt->agent->stream)) {
        attempt->heard_ms = now_ms;
        if (attempt->quiet)
            loop_queue(loop, attempt_input(attempt, INPUT_HEARD));
        attempt->quiet = false;
    }
    if (due_ms <= now_ms)
        loop->wanted = true;
    else
        loop_alarm(loop, due_ms);
}

static void sandbox_removed(void *ctx, bool has_run)
{
    struct attempt *attempt = ctx;
    attempt->job = NULL;
    assert(has_run);
    (void)has_run;
    judge_attempt(attempt);
}

static void remove_sandbox(void *ctx, const atomic_bool *stop)
{
    const struct attempt *attempt = ctx;
    (void)stop;
    surroundings_remove(attempt->around);
}

/* Removes the surroundings of an attempt that has no process, then ends it. */
static void give_up_attempt(struct attempt *attempt)
{
    if (attempt->around && attempt->around->sandbox)
        add_job(attempt, ATTEMPT_FINISHES, remove_sandbox, sandbox_removed);
    else
        judge_attempt(attempt);
}

static void was_started(void *ctx, struct attempt *attempt)
{
    struct loop *loop = ctx;
    struct input input = attempt_input(attempt, INPUT_RUNNING);
    if (attempt->child) { /* a pid of another machine means nothing here */
        input.pid = child_pid(attempt->child);
        input.pid_start = child_pid_start(attempt->child);
        input.slot = attempt->machine_slot;
        input.port = attempt->machine_slot > 0 ? machine_slot_port(attempt->machine_slot) : 0;
    }
    loop_queue_late(loop, input);
}

static void was_refused(void *ctx, struct attempt *attempt)
{
    if (attempt->is_cancelled)
        attempt_call_off(attempt);
    else
        loop_note(ctx, call_name(&attempt->call), attempt->start_why);
    if (attempt->end.outcome.code == START_EXECUTOR_DOWN)
        loop_host_is_down(ctx, attempt_host(attempt), attempt->start_why);
    give_up_attempt(attempt);
}

static void refuse_unprepared(struct attempt *attempt)
{
    const struct surroundings *around = attempt->around;
    attempt_refuse(attempt, around->start_code, around->err.message);
    if (around->start_code == START_EXECUTOR_DOWN)
        loop_host_is_down(attempt->watcher.ctx, attempt_host(attempt), attempt->start_why);
}

static void way_prepared(void *ctx, bool has_run)
{
    struct attempt *attempt = ctx;
    const struct surroundings *around = attempt->around;
    attempt->job = NULL;
    surroundings_tell_prepared(around, tell_fact, attempt);
    bool off =
        !has_run || attempt->is_cancelled || (!around->is_ready && around->start_code == ECANCELED);
    if (off)
        attempt_call_off(attempt);
    else if (!around->is_ready)
        refuse_unprepared(attempt);
    if (off || !around->is_ready)
        give_up_attempt(attempt);
    else
        attempt_start(attempt);
}

static void prepare_way(void *ctx, const atomic_bool *stop)
{
    const struct attempt *attempt = ctx;
    surroundings_prepare(attempt->around, stop);
}

/* Starts the attempt, after preparing its surroundings if it has any. */
static void open_the_way(struct attempt *attempt)
{
    if (attempt->around)
        add_job(attempt, ATTEMPT_PREPARES, prepare_way, way_prepared);
    else
        attempt_start(attempt);
}

/* Refuses an attempt of a resumed run if processes of the previous devs are still alive, or if only
 * that devs had its secrets or input. */
static bool is_start_refused(struct loop *loop, struct attempt *attempt)
{
    const struct engine_options *options = loop->options;
    char name[REDACT_NAME_MAX + 1];
    struct err err = {0};
    if (recovery_refuses(&loop->recovery, attempt->task, &err)) {
        attempt_refuse(attempt, START_LEFT_ALIVE, err.message);
        return true;
    }
    if (attempt->call.is_fed) {
        const bool is_open =
            options->open_stdin
                ? options->open_stdin(options->stdin_ctx, &attempt->feed, &err)
                : err_set(&err, ERR_NOT_FOUND,
                          "its standard input was lost with the devs that started it");
        if (!is_open) {
            attempt_refuse(attempt, START_STDIN_GONE, err.message);
            return true;
        }
    }
    if (options->resume == 0)
        return false;
    /* A secret may be missing for the step, or for the setup of its workspace if that still has to
     * run. */
    const struct plan_task *task = &attempt->setting->call.plan->tasks[attempt->task];
    const struct workspace_slot *slot = attempt->around ? attempt->around->call.slot : NULL;
    if (!plan_step_lacks(attempt->plan, name) &&
        !(slot && !workspace_is_made(slot->workspace) && plan_setup_lacks(task, name)))
        return false;
    (void)err_set(&err, ERR_INVALID,
                  "its secret %s is neither in the log nor in the environment of this devs", name);
    attempt_refuse(attempt, START_SECRET_MISSING, err.message);
    return true;
}

/* Opens the attempt that the action names. Returns false if it cannot have a workspace. */
static bool open_attempt(struct loop *loop, const struct action *action, struct attempt **out)
{
    const struct attempt_watcher watcher = {.ctx = loop,
                                            .started = was_started,
                                            .refused = was_refused,
                                            .heard = was_heard,
                                            .ended = process_ended,
                                            .fact = attempt_tells};
    bool ok = attempt_open(out, &loop->setting, action, &watcher);
    loop->alive =
        xgrow(loop->alive, &loop->alive_cap, loop->alive_count + 1, sizeof(struct attempt *));
    (*out)->slot = loop->alive_count;
    loop->alive[loop->alive_count++] = *out;
    loop_host_share(loop, attempt_host(*out));
    return ok;
}

void loop_start_attempt(struct loop *loop, const struct action *action)
{
    struct attempt *attempt;
    if (!open_attempt(loop, action, &attempt) || is_start_refused(loop, attempt))
        judge_attempt(attempt);
    else
        open_the_way(attempt);
}

void loop_attach_attempt(struct loop *loop, const struct action *action)
{
    struct attempt *attempt;
    if (!open_attempt(loop, action, &attempt)) {
        judge_attempt(attempt);
        return;
    }
    const struct workspace_slot *slot = attempt->around ? attempt->around->call.slot : NULL;
    if (!slot || workspace_is_ready(slot->workspace, attempt->step, attempt->number)) {
        attempt_attach(attempt);
        return;
    }
    /* The earlier devs was still preparing its worktree: nothing was sent that could run. */
    if (loop->state.tasks[attempt->task].cancelling)
        attempt_call_off(attempt);
    else
        attempt->end.outcome.kind = OUTCOME_INTERRUPTED;
    judge_attempt(attempt);
}

void loop_end_attempt(struct loop *loop, const struct action *action)
{
    struct attempt *attempt =
        attempt_find(loop->alive, loop->alive_count, action->task, action->attempt);
    if (!attempt)
        return;
    switch (attempt->stage) {
    case ATTEMPT_STARTS:
        attempt->is_cancelled = true;
        attempt_cancel(attempt, action->mode);
        break;
    case ATTEMPT_RUNS:
        attempt_cancel(attempt, action->mode);
        break;
    case ATTEMPT_PREPARES:
    case ATTEMPT_KEEPS:
        attempt->is_cancelled = true;
        job_stop(attempt->job);
        break;
    case ATTEMPT_FINISHES: /* the process has exited on its own */
    case ATTEMPT_IS_OVER:
        break;
    }
}

/* Jobs that follow the end of an attempt, in the background.
 *
 * They record the changes of a failed attempt and the tree of a passed step as evidence, and remove
 * the workspace of a passed task. They are on the task's line, so the next attempt resets the tree
 * only after them. They begin once the end is in the log. */

enum follow_kind {
    FOLLOW_CHANGES, /* a failed attempt: record its changes */
    FOLLOW_PROOF,   /* a passed step: record its tree */
    FOLLOW_DROP,    /* a passed task: remove its workspace */
};

struct follow {
    enum follow_kind kind;
    struct loop *loop;           /* borrowed */
    struct workspace *workspace; /* borrowed; NULL if the attempt worked in place */
    struct fact_about about;

    /* The result of the job. */
    bool found;
    struct tree_facts tree;
    struct tree_diff diff;
    struct str capture; /* the forensic record, as JSON */
    struct err err;
};

static void work_on_follow(void *ctx, const atomic_bool *stop)
{
    struct follow *follow = ctx;
    const struct engine_options *options = follow->loop->options;
    const struct diff_limits limits = {0};
    switch (follow->kind) {
    case FOLLOW_CHANGES:
        if (!follow->workspace) {
            struct str scratch = {0};
            str_addf(&scratch, "%s/work", options->place->dir);
            const struct changes_call call = {.dir = options->run_dir,
                                              .scratch = scratch.data,
                                              .environment = options->environment};
            capture_changes_in_place(&call, stop, &follow->capture);
            str_done(&scratch);
            break;
        }
        follow->found = workspace_diff(follow->workspace, follow->about.step, &limits, stop,
                                       &follow->diff, &follow->err);
        if (follow->found)
            capture_changes_write(&follow->diff, &follow->capture);
        else
            capture_changes_none(follow->err.message, &follow->capture);
        break;
    case FOLLOW_PROOF:
        follow->found = workspace_hash(follow->workspace, stop, &follow->tree, &follow->err);
        break;
    case FOLLOW_DROP:
        follow->found = workspace_drop(follow->workspace, stop, &follow->err);
        break;
    }
}

static void close_follow(struct follow *follow)
{
    tree_diff_done(&follow->diff);
    str_done(&follow->capture);
    free(follow);
}

static void report_follow(struct follow *follow)
{
    struct loop *loop = follow->loop;
    struct tree_diff *diff = &follow->diff;
    struct str text = {0};
    switch (follow->kind) {
    case FOLLOW_CHANGES:
        if (follow->workspace) {
            if (!follow->found)
                str_add(&diff->why, follow->err.message);
            const struct event fact = capture_changes_event(diff, &text);
            queue_fact(loop, &follow->about, &fact);
            str_done(&text);
        }
        if (follow->capture.len > 0)
            loop_keep_capture(loop, &follow->about, &follow->capture);
        break;
    case FOLLOW_PROOF:
        if (follow->found) {
            const struct event fact = tree_fact(EVENT_TREE_PROVEN, &follow->tree);
            queue_fact(loop, &follow->about, &fact);
        }
        break;
    case FOLLOW_DROP:
        if (!follow->found)
            loop_note(loop, "the workspace is kept", follow->err.message);
        break;
    }
}

static void follow_done(void *ctx, bool has_run)
{
    struct follow *follow = ctx;
    follow->loop->wanted = true; /* the engine may be able to exit now */
    if (has_run)
        report_follow(follow);
    close_follow(follow);
}

static void add_follow(struct loop *loop, const struct attempt *attempt, enum follow_kind kind)
{
    const struct workspace_slot *slot = workspace_set_find(&loop->workspaces, attempt->task);
    if (jobs_count(loop->jobs) >= LOOP_FOLLOW_MAX)
        return;
    struct follow *follow = xcalloc(1, sizeof(*follow));
    follow->kind = kind;
    follow->loop = loop;
    follow->about = (struct fact_about){attempt->task, attempt->step, attempt->number};
    follow->workspace = slot ? slot->workspace : NULL;
    const struct job_call call = {
        .line = attempt->task, .work = work_on_follow, .done = follow_done, .ctx = follow};
    if (!jobs_add(loop->jobs, &call))
        close_follow(follow);
}

/* Returns whether the turn has a forensic record of the end of this step. */
static bool has_capture(const struct loop *loop, const struct attempt *attempt)
{
    for (size_t i = 0; i < loop->turn.events.count; i++) {
        const struct event *event = &loop->turn.events.items[i];
        if (event->kind == EVENT_STEP_ENDED && event->task == attempt->task &&
            event->step_ended.capture)
            return true;
    }
    return false;
}

/* Removes what an attempt has left on another machine. Only after its end is in the log, because
 * its end could not be found again. */
static void clean_host(struct loop *loop, const struct attempt *attempt)
{
    const int host = attempt_host(attempt);
    if (host < 0)
        return;
    struct str name = {0};
    attempt_folder(loop->setting.uid, attempt->task, attempt->step, attempt->number, &name);
    loop_host_clean(loop, host, attempt->task, str_text(&name));
    str_done(&name);
}

void loop_follow_up(struct loop *loop, bool recorded)
{
    for (size_t i = 0; i < loop->ended_count; i++) {
        const struct attempt *attempt = loop->ended[i];
        if (recorded)
            clean_host(loop, attempt);
        const struct task_state *task = &loop->state.tasks[attempt->task];
        const struct step_state *step = &task->steps[attempt->step];
        const bool passed = step->status == STEP_ENDED && step->end == DECISION_SUCCEEDED;
        if (!workspace_set_find(&loop->workspaces, attempt->task)) {
            if (attempt->has_run && has_capture(loop, attempt))
                add_follow(loop, attempt, FOLLOW_CHANGES);
        } else if (task->status == TASK_PASSED) {
            if (recorded)
                add_follow(loop, attempt, FOLLOW_DROP);
        } else if (passed) {
            add_follow(loop, attempt, FOLLOW_PROOF);
        } else if (attempt->has_run) {
            add_follow(loop, attempt, FOLLOW_CHANGES);
        }
    }
}
