#include "gains.h"

#include <assert.h>
#include <stdlib.h>

#include "xalloc.h"

static_assert((int)ENTROPY_BLOB_BYTES_MAX <= (int)LOG_GAIN_BYTES_MAX,
              "the log keeps what a memory saves");

struct gain {
    struct entropy_memory *memory; /* owned; NULL before the first output, and while only the log
                                      has it */
    bool saved;                    /* the log has a row of it */
};

void gains_init(struct gains *gains, const struct run_state *state, struct log_writer *writer)
{
    *gains = (struct gains){.state = state, .writer = writer};
    for (size_t i = 0; i < GAINS_KEPT_MAX; i++)
        gains->kept[i] = -1;
    gains->tasks = xcalloc((size_t)state->plan->task_count + 1, sizeof(*gains->tasks));
}

void gains_done(struct gains *gains)
{
    if (!gains->tasks)
        return;
    for (int i = 0; i < gains->state->plan->task_count; i++)
        entropy_memory_close(gains->tasks[i].memory);
    gains_clear(gains);
    free(gains->rows);
    free(gains->tasks);
    *gains = (struct gains){0};
}

struct entropy_memory *gains_find(const struct gains *gains, int task)
{
    return gains->tasks[task].memory;
}

/* What the log has of the task. Without it all that comes counts as new. */
static void load(struct gains *gains, int task)
{
    struct log_gain row = {.task = task};
    struct str bytes = {0};
    bool ok = gains->writer && log_writer_load_gain(gains->writer, &row, &bytes, NULL) &&
              entropy_memory_load(gains->tasks[task].memory, str_text(&bytes), bytes.len, NULL);
    gains->lost = gains->lost || !ok;
    str_done(&bytes);
}

struct entropy_memory *gains_memory(struct gains *gains, int task)
{
    struct gain *gain = &gains->tasks[task];
    if (gain->memory)
        return gain->memory;
    entropy_memory_open(&gain->memory, &gains->state->plan->loops);
    if (gain->saved)
        load(gains, task);
    return gain->memory;
}

/* The memory of this task was saved; the one saved so many before need not be kept, unless
 * its task runs. */
static void keep(struct gains *gains, int task)
{
    int oldest = gains->kept[gains->kept_next];
    gains->kept[gains->kept_next] = task;
    gains->kept_next = (gains->kept_next + 1) % GAINS_KEPT_MAX;
    if (oldest < 0 || oldest == task || gains->state->tasks[oldest].status == TASK_RUNNING)
        return;
    entropy_memory_close(gains->tasks[oldest].memory);
    gains->tasks[oldest].memory = NULL;
}

static void add_row(struct gains *gains, const struct log_gain *row)
{
    gains->rows = xgrow(gains->rows, &gains->row_cap, gains->row_count + 1, sizeof(*gains->rows));
    gains->rows[gains->row_count++] = *row;
}

static void save(struct gains *gains, const struct event *event)
{
    struct gain *gain = &gains->tasks[event->task];
    if (!gain->memory)
        return;
    struct str bytes = {0};
    entropy_memory_save(gain->memory, &bytes);
    add_row(gains, &(struct log_gain){.task = event->task,
                                      .step = event->step,
                                      .attempt = event->attempt,
                                      .bytes = bytes.data,
                                      .len = bytes.len});
    gain->saved = true;
    keep(gains, event->task);
}

static void forget(struct gains *gains, int task)
{
    struct gain *gain = &gains->tasks[task];
    entropy_memory_close(gain->memory);
    gain->memory = NULL;
    if (gain->saved)
        add_row(gains, &(struct log_gain){.task = task});
    gain->saved = false;
}

/* Nothing that the task has written counts for what may still come of it. */
static bool is_over(enum task_status status)
{
    return task_status_is_final(status) && status != TASK_STUCK;
}

void gains_collect(struct gains *gains, const struct turn *turn)
{
    for (size_t i = 0; i < turn->event_count; i++) {
        const struct event *event = &turn->events[i];
        if (event->task < 0)
            continue;
        bool over = is_over(gains->state->tasks[event->task].status);
        if (event->kind == EVENT_ATTEMPT_ENDED && !over)
            save(gains, event);
        else if (event->kind == EVENT_STEP_ENDED && over)
            forget(gains, event->task);
    }
}

void gains_clear(struct gains *gains)
{
    for (size_t i = 0; i < gains->row_count; i++)
        free((void *)(uintptr_t)gains->rows[i].bytes); /* save() made them */
    gains->row_count = 0;
}
