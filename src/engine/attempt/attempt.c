/* attempt.c - opens, starts and closes an attempt, and passes its output on.
 *
 * Secrets of the task and of the run are redacted from the output first; only the redacted output
 * is kept, counted, fingerprinted and shown. Bytes that may be the beginning of a secret are held
 * back until more output follows or the process has ended. The last section of this file prepares
 * the text about a failed attempt for the prompt of the next round. Thread: engine. */
#include "attempt.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapter.h"
#include "agent_stream.h"
#include "clock.h"
#include "repair.h"
#include "text.h"
#include "xalloc.h"

struct entropy_memory *attempt_memory(struct attempt *attempt)
{
    const struct attempt_setting *setting = attempt->setting;
    struct entropy_memory *memory = gains_memory(setting->gains, attempt->task);
    if (!attempt->remembered) {
        const struct step_state *step = &setting->state->tasks[attempt->task].steps[attempt->step];
        entropy_memory_begin_attempt(memory,
                                     circles_call(step_state_attempt(step)->call, attempt->step));
        attempt->remembered = true;
    }
    return memory;
}

static void on_line(void *ctx, const struct fingerprint_line *line)
{
    entropy_memory_hashed_line(attempt_memory(ctx), line);
}

struct fingerprint *attempt_fingerprint(struct attempt *attempt)
{
    const struct fingerprint_setting setting = {
        .line = on_line,
        .ctx = attempt,
        .line_max = (size_t)attempt->setting->call.plan->limits.output_line_bytes};
    if (!attempt->fingerprint)
        fingerprint_open(&attempt->fingerprint, &setting);
    return attempt->fingerprint;
}

/* Takes redacted output. Only this is kept, counted and judged. */
static void take_output(void *ctx, const char *bytes, size_t len)
{
    const struct attempt_stream *from = ctx;
    struct attempt *attempt = from->attempt;
    const int stream = from->number;
    output_add(&attempt->streams[stream], bytes, len);
    /* The result of an agent is only its text, not all of its stdout: see attempt_agent.c. */
    if (!attempt->agent || stream != 0)
        fingerprint_add(attempt_fingerprint(attempt), stream, bytes, len);
    if (attempt->agent)
        agent_run_add(attempt->agent, stream, bytes, len, clock_now().mono_ms);
    if (attempt->setting->tee)
        attempt->setting->tee(attempt->setting->tee_ctx, stream, bytes, len);
}

/* Redacts the run's secrets, then passes the output on to take_output(). */
static void cut_output(void *ctx, const char *bytes, size_t len)
{
    const struct attempt_stream *from = ctx;
    const struct redactor *redactor = from->attempt->setting->redactor;
    struct redact_stream **redact = &from->attempt->redact[from->number];
    if (!redactor) {
        take_output(ctx, bytes, len);
        return;
    }
    if (!*redact)
        redact_stream_open(redact, redactor);
    redact_stream_add(*redact, bytes, len, take_output, ctx);
}

static void on_output(void *ctx, int stream, const char *bytes, size_t len)
{
    struct attempt *attempt = ctx;
    const struct redactor *own = growth_redactor(attempt->setting->growth, attempt->task);
    if (!own) {
        cut_output(&attempt->sink_ctx[stream], bytes, len);
    } else {
        if (!attempt->redact_own[stream])
            redact_stream_open(&attempt->redact_own[stream], own);
        redact_stream_add(attempt->redact_own[stream], bytes, len, cut_output,
                          &attempt->sink_ctx[stream]);
    }
    attempt->watcher.heard(attempt->watcher.ctx, attempt);
}

static void on_ended(void *ctx, const struct child_end *end)
{
    struct attempt *attempt = ctx;
    attempt->end = *end;
    attempt->child = NULL;
    attempt->remote = NULL;
    /* Passes on the bytes that were held back because they might have been the start of a
     * secret. */
    for (int i = 0; i < 2; i++) {
        if (attempt->redact_own[i])
            redact_stream_end(attempt->redact_own[i], cut_output, &attempt->sink_ctx[i]);
        if (attempt->redact[i])
            redact_stream_end(attempt->redact[i], take_output, &attempt->sink_ctx[i]);
    }
    if (attempt->agent)
        agent_run_end(attempt->agent, attempt->end.outcome.kind != OUTCOME_EXIT,
                      clock_now().mono_ms);
    attempt->watcher.ended(attempt->watcher.ctx, attempt);
}

/* Returns the socket of the connection that everything on the host shares, or NULL. */
static const char *find_control(const struct attempt_setting *setting, int host)
{
    return setting->shares && host >= 0 ? remote_share_path(setting->shares[host]) : NULL;
}

void attempt_open_surroundings(struct attempt *attempt, struct workspace_slot *slot)
{
    const struct attempt_setting *setting = attempt->setting;
    const struct run_state *state = setting->state;
    const struct plan_task *task = &setting->call.plan->tasks[attempt->task];
    const struct task_place *place = state->tasks[attempt->task].place;
    const struct step_state *step = &state->tasks[attempt->task].steps[attempt->step];
    /* The task runs its steps again in a new round, and this step runs for the first time in it. */
    const bool begins_round = run_state_round(state, attempt->task) > 1 &&
                              !digest_is_known(step_state_trees(step)->saved);
    const int host = attempt_host(attempt);
    const struct surroundings_call call = {
        .slot = slot,
        .host = host >= 0 ? run_state_host_place(state, host).host : NULL,
        .control = find_control(setting, host),
        .kind = task->workspace->kind,
        .spec = attempt->plan->sandbox,
        .call = &attempt->call,
        .own = attempt->call.own,
        .our_environment = setting->call.environment,
        .run_dir = setting->call.run_dir,
        .log_dir = setting->log_dir,
        .log_db = setting->log_db,
        .plan_path = setting->plan_path,
        .uid = setting->uid,
        .task_id = task->id,
        .title = task->title,
        .step = attempt->step,
        .attempt = attempt->number,
        .processes = setting->call.plan->limits.processes,
        .knows_place = place && place->path,
        .begins_round = begins_round,
        .keeps_tree = attempt->agent && attempt->agent->session,
    };
    surroundings_open(&attempt->around, &call);
}

bool attempt_open(struct attempt **out, const struct attempt_setting *setting,
                  const struct action *action, const struct attempt_watcher *watcher)
{
    const struct plan_task *task = &setting->call.plan->tasks[action->task];
    struct workspace_slot *slot = NULL;
    struct call_setting call = setting->call;
    struct err err = {0};

    struct attempt *attempt = xcalloc(1, sizeof(*attempt));
    attempt->task = action->task;
    attempt->step = action->step;
    attempt->number = action->attempt;
    attempt->plan = &task->steps[action->step];
    attempt->heard_ms = clock_now().mono_ms;
    attempt->memory_killed = -1;
    attempt->feed = -1;
    attempt->watcher = *watcher;
    attempt->setting = setting;
    for (int i = 0; i < 2; i++) {
        attempt->sink_ctx[i] = (struct attempt_stream){.attempt = attempt, .number = i};
        output_init(&attempt->streams[i], attempt->heard_ms,
                    setting->call.plan->limits.output_line_bytes);
    }

    bool ok = task->workspace->kind == WORKSPACE_INPLACE ||
              workspace_set_get(setting->workspaces, action->task, &slot, &err);
    if (slot)
        call.run_dir = workspace_dir(slot->workspace);
    if (attempt_host(attempt) < 0)
        attempt->machine_slot = machine_slots_take(setting->slots, action->task,
                                                   run_state_slot(setting->state, action->task));
    call_init(&attempt->call, &call, action->task, action->step, attempt->machine_slot);
    attempt->call.input = growth_input(setting->growth, action->task);
    if (attempt->plan->agent)
        attempt_open_agent(attempt);
    if (ok)
        attempt_open_surroundings(attempt, slot);
    else
        attempt_refuse(attempt, START_WORKSPACE_FAILED, err.message);
    *out = attempt;
    return ok;
}

static void tell_sandbox(void *ctx, int signal_number)
{
    struct attempt *attempt = ctx;
    sandbox_signal(attempt->around->sandbox, signal_number);
}

/* Closes our descriptor of the child's stdin; the child has its own. The writer then notices when
 * the child stops reading. */
static void close_feed(struct attempt *attempt)
{
    if (attempt->feed >= 0)
        (void)close(attempt->feed);
    attempt->feed = -1;
}

static void on_started(void *ctx)
{
    struct attempt *attempt = ctx;
    close_feed(attempt);
    attempt->stage = ATTEMPT_RUNS;
    attempt->has_run = true;
    attempt->heard_ms = clock_now().mono_ms;
    if (attempt->around && attempt->around->sandbox)
        sandbox_started(attempt->around->sandbox, (int)child_pid(attempt->child));
    attempt->watcher.started(attempt->watcher.ctx, attempt);
}

static void on_failed(void *ctx, int number, const struct err *err)
{
    struct attempt *attempt = ctx;
    attempt->child = NULL;
    attempt->remote = NULL;
    attempt_refuse(attempt, number, err->message);
    attempt->watcher.refused(attempt->watcher.ctx, attempt);
}

/* An attempt on another machine. */

struct remote_words {
    struct str name;
    struct str mark; /* of the channels: what ends with them must not include the attempt itself, if
                        its host is this machine */
    char **given;    /* owned array of borrowed strings, NULL-terminated */
};

static void remote_words_free(struct remote_words *words)
{
    if (!words)
        return;
    str_done(&words->name);
    str_done(&words->mark);
    free(words->given);
    free(words);
}

int attempt_host(const struct attempt *attempt)
{
    const struct run_state *state = attempt->setting->state;
    const struct step_state *step = &state->tasks[attempt->task].steps[attempt->step];
    const struct attempt_state *of = step_state_find_attempt(step, attempt->number);
    return of ? of->host : -1;
}

static void on_contact(void *ctx, const struct event *fact)
{
    struct attempt *attempt = ctx;
    if (fact->kind != EVENT_JOB_STATE)
        attempt->is_away = fact->kind == EVENT_CONTACT_LOST;
    attempt->heard_ms = clock_now().mono_ms; /* without contact, silence means nothing */
    attempt->watcher.fact(attempt->watcher.ctx, attempt, fact);
}

/* Finds where the attempt runs. */
static void find_place(const struct attempt *attempt, struct remote_place *out)
{
    const struct attempt_setting *setting = attempt->setting;
    const struct host_place at = run_state_host_place(setting->state, attempt_host(attempt));
    *out = (struct remote_place){
        .executor = at.executor,
        .host = at.host,
        .control = find_control(setting, attempt_host(attempt)),
        .environment = setting->call.environment,
        .run_mark = setting->call.run_mark,
    };
    struct cluster *cluster = setting->clusters ? setting->clusters[attempt_host(attempt)] : NULL;
    if (cluster)
        out->job = cluster_job_of(cluster, attempt->task,
                                  &setting->call.plan->tasks[attempt->task].resources);
}

void attempt_folder(const char *uid, int task, int step, int number, struct str *out)
{
    str_addf(out, "%s/%d-%d-%d", uid, task + 1, step + 1, number);
}

/* Sets the folder of an attempt whose workspace is on its machine. */
static void take_folder_away(struct attempt *attempt)
{
    const struct workspace_slot *slot = attempt->around ? attempt->around->call.slot : NULL;
    const char *cwd = attempt->plan->cwd;
    struct str dir = {0};
    if (!slot || !workspace_away_dir(slot->workspace, &dir) || (cwd && cwd[0] == '/')) {
        str_done(&dir);
        return;
    }
    if (cwd)
        str_addf(&dir, "/%s", cwd);
    free(attempt->call.cwd);
    attempt->call.cwd = dir.data;
}

static void start_remote(struct attempt *attempt, bool is_attach)
{
    const struct attempt_setting *setting = attempt->setting;
    const struct remote_watcher watcher = {.on = {.ctx = attempt,
                                                  .started = on_started,
                                                  .failed = on_failed,
                                                  .output = on_output,
                                                  .ended = on_ended},
                                           .contact = on_contact};
    struct remote_call call = {
        .argv = attempt->call.argv,
        .cwd = attempt->call.cwd,
        .stdin_path = attempt->call.stdin_path,
        .input = attempt->call.input,
        .timeout_ms = attempt->plan->timeout_ms,
        .grace_ms = setting->grace_ms,
        .is_attach = is_attach,
    };
    take_folder_away(attempt);
    call.cwd = attempt->call.cwd;
    attempt->words = xcalloc(1, sizeof(*attempt->words));
    find_place(attempt, &call.place);
    attempt_folder(setting->uid, attempt->task, attempt->step, attempt->number,
                   &attempt->words->name);
    call.name = str_text(&attempt->words->name);
    str_addf(&attempt->words->mark, "DEVS_STEP=channel/%s", call.name);
    call.place.step_mark = str_text(&attempt->words->mark);
    attempt->words->given = xcalloc(attempt->call.given_count + 2, sizeof(*attempt->words->given));
    memcpy(attempt->words->given, attempt->call.environment,
           attempt->call.given_count * sizeof(*attempt->words->given));
    attempt->words->given[attempt->call.given_count] = (char *)(uintptr_t)REMOTE_MARK;
    call.environment = attempt->words->given;
    attempt->stage = ATTEMPT_STARTS;
    const char *shared = call.place.executor->shared;
    const bool is_shared =
        !shared || strcmp(call.cwd, shared) == 0 || sandbox_path_is_below(call.cwd, shared);
    if (is_attach || is_shared) {
        attempt->remote = remote_start(setting->nursery, setting->uv, &call, &watcher);
        return;
    }
    struct err err = {0};
    (void)err_set(&err, ERR_INVALID, "its folder %s is not below %s, which %s shares", call.cwd,
                  shared, call.place.executor->name);
    on_failed(attempt, START_NO_FOLDER, &err);
}

void attempt_attach(struct attempt *attempt)
{
    attempt->is_attached = true;
    start_remote(attempt, true);
}

bool attempt_is_live(const struct attempt *attempt)
{
    return attempt->child || attempt->remote;
}

void attempt_cancel(struct attempt *attempt, enum cancel_mode mode)
{
    if (attempt->child)
        child_cancel(attempt->child, mode);
    else if (attempt->remote)
        remote_cancel(attempt->remote, mode);
}

void attempt_time_out(struct attempt *attempt)
{
    if (attempt->child)
        child_time_out(attempt->child);
    else if (attempt->remote)
        remote_time_out(attempt->remote);
}

void attempt_stood_still(struct attempt *attempt, int64_t still_ms)
{
    if (attempt->child)
        child_stood_still(attempt->child, still_ms);
    else if (attempt->remote)
        remote_stood_still(attempt->remote, still_ms);
}

void attempt_start(struct attempt *attempt)
{
    if (attempt_host(attempt) >= 0) {
        start_remote(attempt, false);
        return;
    }
    const struct attempt_setting *setting = attempt->setting;
    struct sandbox *sandbox = attempt->around ? attempt->around->sandbox : NULL;
    struct sandbox_launch launch = {.argv = attempt->call.argv,
                                    .environment = attempt->call.environment,
                                    .cwd = attempt->call.cwd};
    if (sandbox)
        sandbox_launch(sandbox, &launch);
    const struct child_call call = {
        .spawn = {.argv = launch.argv,
                  .environment = launch.environment,
                  .cwd = launch.cwd,
                  .stdin_path = attempt->call.stdin_path,
                  .stdin_within = launch.stdin_within,
                  .stdin_not_within = launch.stdin_within ? setting->log_dir : NULL,
                  .input = attempt->call.input,
                  .feed = attempt->feed >= 0 ? &attempt->feed : NULL,
                  .limits = launch.limits},
        .run_mark = setting->call.run_mark,
        .step_mark = attempt->call.step_mark,
        .timeout_ms = attempt->plan->timeout_ms,
        .grace_ms = setting->grace_ms,
    };
    const struct child_watcher watcher = {.ctx = attempt,
                                          .started = on_started,
                                          .failed = on_failed,
                                          .output = on_output,
                                          .ended = on_ended,
                                          .tell = launch.signals_apart ? tell_sandbox : NULL};
    attempt->stage = ATTEMPT_STARTS;
    attempt->child = child_start(setting->nursery, &call, &watcher);
}

void attempt_refuse(struct attempt *attempt, int code, const char *why)
{
    struct str words = {0};
    struct str cut = {0};
    struct stat info;
    attempt->end.outcome = (struct outcome){.kind = OUTCOME_NOT_STARTED, .code = code};
    free(attempt->start_why);
    if (attempt->agent && code == ENOENT && stat(attempt->call.cwd, &info) == 0) {
        const struct adapter *adapter = attempt->plan->agent->adapter;
        const char *install = adapter_install(adapter);
        str_addf(&words, "agent CLI not found: '%s'", adapter_program(adapter));
        if (install[0] != '\0')
            str_addf(&words, " (%s)", install);
    } else {
        str_add(&words, why);
    }
    attempt_redact(attempt, str_text(&words), words.len, &cut);
    attempt->start_why = xstrdup(str_text(&cut));
    str_done(&cut);
    str_done(&words);
}

void attempt_call_off(struct attempt *attempt)
{
    attempt->end.outcome = (struct outcome){.kind = OUTCOME_CANCELLED};
}

void attempt_take_end(struct attempt *attempt)
{
    const struct sandbox_end *end = &attempt->around->end;
    attempt->end.outcome = end->outcome;
    if (end->peak_kib > 0)
        attempt->end.outcome.rss_kib_max = end->peak_kib;
    attempt->memory_killed = end->memory_killed;
    memcpy(attempt->memory_words, end->evidence, sizeof(attempt->memory_words));
    if (end->outcome.kind == OUTCOME_NOT_STARTED)
        attempt_refuse(attempt, end->outcome.code, end->start_why);
}

void attempt_close(struct attempt *attempt)
{
    if (!attempt)
        return;
    assert(!attempt_is_live(attempt) && !attempt->job);
    remote_words_free(attempt->words);
    if (attempt->machine_slot > 0)
        machine_slots_rest(attempt->setting->slots, attempt->task);
    for (int i = 0; i < 2; i++) {
        output_done(&attempt->streams[i]);
        redact_stream_close(attempt->redact[i]);
        redact_stream_close(attempt->redact_own[i]);
    }
    close_feed(attempt);
    agent_run_close(attempt->agent);
    surroundings_close(attempt->around);
    fingerprint_close(attempt->fingerprint);
    call_done(&attempt->call);
    str_done(&attempt->tail);
    str_done(&attempt->repair);
    violations_done(&attempt->violations);
    free(attempt->start_why);
    free(attempt->ending);
    free(attempt);
}

void attempt_redact(const struct attempt *attempt, const char *text, size_t len, struct str *out)
{
    const struct attempt_setting *setting = attempt->setting;
    growth_redact(setting->growth, attempt->task, setting->redactor, text, len, out);
}

int64_t attempt_cuts(const struct attempt *attempt, struct str *out)
{
    const struct attempt_setting *setting = attempt->setting;
    const struct redactor *own = growth_redactor(setting->growth, attempt->task);
    struct redact_counts of_run = {0};
    struct redact_counts of_task = {0};
    for (int i = 0; i < 2; i++) {
        if (attempt->redact[i])
            redact_counts_add(&of_run, redact_stream_counts(attempt->redact[i]));
        if (attempt->redact_own[i])
            redact_counts_add(&of_task, redact_stream_counts(attempt->redact_own[i]));
    }
    const int64_t count = of_run.all + of_task.all;
    if (own && of_run.all == 0 && of_task.all > 0) {
        redact_counts_lines(own, &of_task, out);
    } else if (count > 0) {
        of_run.all = count; /* a name may occur in both, so the task's cuts only add to the sum */
        redact_counts_lines(setting->redactor, &of_run, out);
    }
    redact_counts_done(&of_run);
    redact_counts_done(&of_task);
    return count;
}

int64_t attempt_output_due(const struct attempt *attempt)
{
    int64_t due_ms = attempt->agent ? output_due(&attempt->agent->words) : INT64_MAX;
    for (int i = 0; i < 2; i++) {
        const int64_t stream_ms = output_due(&attempt->streams[i]);
        due_ms = stream_ms < due_ms ? stream_ms : due_ms;
    }
    return due_ms;
}

struct attempt *attempt_find(struct attempt *const *attempts, size_t count, int task, int number)
{
    for (size_t i = 0; i < count; i++) {
        if (attempts[i]->task == task && attempts[i]->number == number)
            return attempts[i];
    }
    return NULL;
}

struct input attempt_input(const struct attempt *attempt, enum input_kind kind)
{
    return (struct input){
        .kind = kind, .task = attempt->task, .step = attempt->step, .attempt = attempt->number};
}

/* The text about a failed attempt for the prompt of the next round. */

enum {
    ROUND_TAIL_BYTES = 16 * 1024
}; /* maximum bytes of each stream; the prompt has room for less */
static_assert(2 * ROUND_TAIL_BYTES <= SCHEDULER_TAIL_MAX, "both are taken");

static void add_tail(struct attempt *attempt, const struct output *output)
{
    const struct classify_text tail = output_tail(output, ROUND_TAIL_BYTES);
    struct str clean = {0};
    if (tail.len > 0)
        text_clean(&clean, tail.bytes, tail.len);
    const size_t from = clean.len > ROUND_TAIL_BYTES ? clean.len - ROUND_TAIL_BYTES : 0;
    str_add_n(&attempt->tail, str_text(&clean) + from, clean.len - from);
    str_done(&clean);
}

void attempt_tell_round(struct attempt *attempt, struct input *input)
{
    const struct plan_task *task = &attempt->setting->call.plan->tasks[attempt->task];
    if (task->rounds <= 1 || input->verdict.class == VERDICT_SUCCESS)
        return;
    if (attempt->agent) {
        add_tail(attempt, &attempt->agent->words);
    } else {
        add_tail(attempt, &attempt->streams[0]);
        add_tail(attempt, &attempt->streams[1]);
    }
    if (strcmp(input->verdict.rule, EXPECT_FILES_RULE) == 0) {
        /* The lines about expected files are already redacted. */
        str_addf(&attempt->repair,
                 "These required files are missing or wrong:\n\n%s\nCreate or fix them. Each path "
                 "is relative to your working folder; links do not count. The files are checked "
                 "again when you are done.\n",
                 input->verdict.violations);
    } else if (input->verdict.reason == REASON_CONTRACT) {
        struct str words = {0};
        repair_prompt_within(&attempt->violations, SCHEDULER_PROMPT_MAX, &words);
        /* A contract may contain secrets. */
        attempt_redact(attempt, str_text(&words), words.len, &attempt->repair);
        str_done(&words);
    }
    input->tail = attempt->tail.data;
    input->tail_len = attempt->tail.len;
    input->repair = attempt->repair.data;
}
