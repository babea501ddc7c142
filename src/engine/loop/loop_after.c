/* loop_after.c - runs the commands of the plan's `after`.
 *
 * They run outside every sandbox, in the folder of the run, one after the other in the order in
 * which the tasks ended. The run does not fail because of them. Their ends are in the log, so that
 * an engine that continues the run ends those that still run, and runs those that are missing. */
#include <stdio.h>
#include <stdlib.h>

#include "loop.h"
#include "shown.h"
#include "text.h"
#include "tool_run.h"
#include "xalloc.h"

enum { AFTER_OUTPUT_MAX = 64 * 1024, WORDS = 6 };

struct after_job {
    struct loop *loop; /* borrowed */
    int task;
    enum plan_after what;
    char **argv;        /* owned */
    char **environment; /* owned; its strings are borrowed or in `texts` */
    struct str texts;   /* owned */
    struct tool_result result;
    struct err err;
    bool has_ended; /* `result` is set; otherwise it was not started */
};

static void free_job(struct after_job *job)
{
    text_list_free(job->argv);
    free(job->environment);
    str_done(&job->texts);
    tool_result_done(&job->result);
    free(job);
}

static void run_job(void *ctx, const atomic_bool *stop)
{
    struct after_job *job = ctx;
    const struct tool_call call = {.argv = job->argv,
                                   .environment = job->environment,
                                   .cwd = job->loop->options->run_dir,
                                   .timeout_ms = LOOP_AFTER_MS,
                                   .out_max = AFTER_OUTPUT_MAX,
                                   .err_max = AFTER_OUTPUT_MAX,
                                   .stop = stop,
                                   .own_session = true};
    job->has_ended = tool_run(&call, &job->result, NULL, &job->err);
    job->result.out_cut = false; /* the output is not used, so it may be cut */
}

static void queue_end(struct after_job *job)
{
    struct input input = {.kind = INPUT_FACT, .task = job->task, .step = -1};
    struct str command = {0};
    shell_words_add(job->argv, (int)text_list_count(job->argv), &command);
    const bool ok = job->has_ended && tool_succeeded(&job->result, job->argv[0], &job->err);
    input.fact_event = event_new(EVENT_AFTER_ENDED);
    input.fact_event.after.what = job->what;
    input.fact_event.after.code =
        job->has_ended && job->result.signal_number == 0 && !job->result.timed_out
            ? job->result.exit_code
            : -1;
    input.fact_event.after.command = str_text(&command);
    input.fact_event.after.why = ok ? NULL : job->err.message;
    loop_queue(job->loop, input);
    str_done(&command);
}

static void job_done(void *ctx, bool has_run)
{
    struct after_job *job = ctx;
    struct loop *loop = job->loop;
    loop->after_runs = false;
    loop->wanted = true;                 /* the engine may be able to exit now */
    if (has_run && !job->result.stopped) /* otherwise an engine that continues repeats it */
        queue_end(job);
    free_job(job);
}

static struct after_job *new_job(struct loop *loop, int task, enum plan_after what)
{
    const struct plan_task *plan = &loop->state.plan->tasks[task];
    const struct task_state *state = &loop->state.tasks[task];
    const char *branch = state->place && state->place->branch ? state->place->branch : "";
    struct after_job *job = xcalloc(1, sizeof(*job));
    struct str why = {0};
    char run[24];
    *job = (struct after_job){.loop = loop, .task = task, .what = what};
    (void)snprintf(run, sizeof(run), "%lld", (long long)loop->number);
    shown_why(&loop->state, task, &why);
    const struct text_filling words[WORDS] = {
        {"{run}", run},       {"{task}", plan->id},      {"{title}", plan->title},
        {"{branch}", branch}, {"{why}", str_text(&why)}, {"{after}", plan_after_name(what)},
    };
    const struct loop_variable variables[] = {
        /* as in an attempt, so that an engine that continues the run ends what runs before it
         * repeats the command */
        {"DEVS_RUN", log_writer_uid(loop->recorder.writer)},
        {"DEVS_NUMBER", run},
        {"DEVS_TASK", plan->id},
        {"DEVS_TITLE", plan->title},
        {"DEVS_BRANCH", branch},
        {"DEVS_WHY", str_text(&why)},
        {"DEVS_AFTER", plan_after_name(what)},
    };
    struct arg_list argv = {0};
    arg_list_fill(&argv, loop->setting.call.plan->after[what], words, WORDS);
    job->argv = argv.items;
    job->environment =
        loop_environment(loop->options->environment, variables, ARRAY_LEN(variables), &job->texts);
    str_done(&why);
    return job;
}

/* Starts the next command, unless one runs. */
static void start_next(struct loop *loop)
{
    while (!loop->after_runs && loop->after_next < loop->after_count && !loop->stopping) {
        const int task = loop->after[loop->after_next++];
        enum plan_after what;
        if (!run_state_after(&loop->state, task, &what))
            continue; /* it was reopened */
        struct after_job *job = new_job(loop, task, what);
        const struct job_call call = {
            .line = LOOP_AFTER_LINE, .work = run_job, .done = job_done, .ctx = job};
        loop->after_runs = jobs_add(loop->jobs, &call) != NULL;
        if (loop->after_runs)
            continue;
        loop->after_next--; /* the end of another job tries again */
        free_job(job);
        return;
    }
    if (loop->after_next == loop->after_count)
        loop->after_next = loop->after_count = 0;
}

static void add_task(struct loop *loop, int task)
{
    enum plan_after what;
    if (!run_state_after(&loop->state, task, &what))
        return;
    loop->after = xgrow(loop->after, &loop->after_cap, loop->after_count + 1, sizeof(*loop->after));
    loop->after[loop->after_count++] = task;
}

void loop_after_open(struct loop *loop)
{
    for (int i = 0; i < loop->state.plan->task_count; i++)
        add_task(loop, i);
    start_next(loop);
}

void loop_after_turn(struct loop *loop)
{
    for (size_t i = 0; i < loop->turn.events.count; i++) {
        const struct event *event = &loop->turn.events.items[i];
        if (event->kind == EVENT_STEP_ENDED)
            add_task(loop, event->task);
    }
    start_next(loop);
}

bool loop_after_is_idle(const struct loop *loop)
{
    return loop->stopping || (!loop->after_runs && loop->after_next == loop->after_count);
}
