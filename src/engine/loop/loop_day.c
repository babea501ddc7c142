/* loop_day.c - what all runs of the log have used today, for a budget of the day.
 *
 * The log is read when the engine starts, and then every minute while an attempt runs, so that runs
 * of other processes count. What this run uses in between is added by the fold. */
#include <stdlib.h>
#include <time.h>

#include "clock.h"
#include "log_reader.h"
#include "loop.h"
#include "xalloc.h"

enum { DAY_LOOK_MS = 60 * 1000, YEAR_BASE = 1900, YEAR = 10000, MONTH = 100, MS_PER_S = 1000 };

struct day_job {
    struct loop *loop; /* borrowed */
    int date;
    int64_t from_ms; /* the beginning of the day here */
    int64_t micro;
    bool ok;
};

static bool has_limit(const struct loop *loop)
{
    return loop->state.plan->budget.limits[BUDGET_DAY] > 0;
}

/* Finds out which day it is, and when it began. */
static void find_day(struct day_job *job)
{
    const time_t now = (time_t)(clock_now().at_ms / MS_PER_S);
    struct tm day = {0};
    (void)localtime_r(&now, &day);
    job->date = (day.tm_year + YEAR_BASE) * YEAR + (day.tm_mon + 1) * MONTH + day.tm_mday;
    day.tm_hour = day.tm_min = day.tm_sec = 0;
    day.tm_isdst = -1;
    job->from_ms = (int64_t)mktime(&day) * MS_PER_S;
}

static void read_day(void *ctx, const atomic_bool *stop)
{
    struct day_job *job = ctx;
    struct log_reader *reader = NULL;
    (void)stop;
    find_day(job);
    job->ok = log_reader_open(&reader, job->loop->options->place, NULL) &&
              log_reader_cost_since(reader, job->from_ms, &job->micro, NULL);
    log_reader_close(reader);
}

static void set_fact(const struct day_job *job, struct event *out)
{
    *out = event_new(EVENT_DAY_COST);
    out->day.date = job->date;
    out->day.cost_micro = job->micro;
}

static void day_is_read(void *ctx, bool has_run)
{
    struct day_job *job = ctx;
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    job->loop->day_runs = false;
    job->loop->wanted = true; /* the engine may be able to exit now */
    if (has_run && job->ok) {
        set_fact(job, &input.fact_event);
        loop_queue(job->loop, input);
    }
    free(job);
}

void loop_day_first(struct loop *loop, struct event *out)
{
    struct day_job job = {.loop = loop};
    if (!has_limit(loop))
        return;
    read_day(&job, NULL);
    if (job.ok)
        set_fact(&job, out);
    loop->day_due_ms = clock_now().mono_ms + DAY_LOOK_MS;
}

int64_t loop_day_due(const struct loop *loop)
{
    return has_limit(loop) && loop->alive_count > 0 && !loop->day_runs ? loop->day_due_ms
                                                                       : INT64_MAX;
}

void loop_day_look(struct loop *loop, int64_t now_ms)
{
    if (loop_day_due(loop) > now_ms)
        return;
    struct day_job *job = xcalloc(1, sizeof(*job));
    job->loop = loop;
    const struct job_call call = {
        .line = LOOP_DAY_LINE, .work = read_day, .done = day_is_read, .ctx = job};
    loop->day_due_ms = now_ms + DAY_LOOK_MS;
    loop->day_runs = jobs_add(loop->jobs, &call) != NULL;
    if (!loop->day_runs)
        free(job);
}
