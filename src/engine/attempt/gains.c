/* gains.c - each task's memories for the loop detector, in memory and in the log.
 *
 * With its memory, the detector can tell whether output is new compared with all earlier attempts.
 * They are saved when an attempt ends, so that another process can continue the run. If more than
 * GAINS_KEPT_MAX are in memory, the least recently saved one is closed; it is loaded from the log
 * when its task runs again. If the row is missing, all output of the task counts as new. */
#include "attempt_internal.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "entropy.h"
#include "err.h"
#include "log_writer.h"
#include "parse.h"
#include "str.h"
#include "xalloc.h"

/* The bytes of one row in the log: a task's output memory and its agent's call memory. Any
 * thread. */

enum { GAIN_HEAD_BYTES = 8 }; /* bytes before the memories if a row has both */

static_assert(2 * (int)ENTROPY_BLOB_BYTES_MAX + (int)GAIN_HEAD_BYTES <= (int)LOG_GAIN_BYTES_MAX,
              "the log keeps what two memories save");

/* Four bytes that no memory starts with, followed by the length of the first memory. */
enum { MAGIC_BYTES = 4 };
static const char magic[MAGIC_BYTES + 1] = "dTwo";

/* Appends both memories. If `calls` is NULL, appends only the bytes of `attempts`. */
static void gain_bytes_write(const struct entropy_memory *attempts,
                             const struct entropy_memory *calls, struct str *out)
{
    struct str first = {0};
    entropy_memory_save(attempts, &first);
    if (calls) {
        str_add_n(out, magic, MAGIC_BYTES);
        number_bytes_put(out, first.len, GAIN_HEAD_BYTES - MAGIC_BYTES);
    }
    str_add_n(out, str_text(&first), first.len);
    str_done(&first);
    if (calls)
        entropy_memory_save(calls, out);
}

/* Loads the memories. *calls must be NULL, and is created if the bytes contain one. Fails with
 * ERR_INVALID if the bytes do not come from gain_bytes_write(); what was loaded before the error
 * stays loaded. */
static bool gain_bytes_read(const char *bytes, size_t len, const struct entropy_limits *limits,
                            struct entropy_memory *attempts, struct entropy_memory **calls,
                            struct err *err)
{
    const bool are_two = len >= GAIN_HEAD_BYTES && memcmp(bytes, magic, MAGIC_BYTES) == 0;
    if (!are_two)
        return entropy_memory_load(attempts, bytes, len, err);
    struct number_bytes head = {.at = (const unsigned char *)bytes + MAGIC_BYTES,
                                .len = len - MAGIC_BYTES};
    const size_t first = (size_t)number_bytes_take(&head, GAIN_HEAD_BYTES - MAGIC_BYTES);
    const char *rest = bytes + GAIN_HEAD_BYTES;
    const size_t rest_len = len - GAIN_HEAD_BYTES;
    if (first > rest_len)
        return err_set(err, ERR_INVALID, "damaged memories: invalid length");
    if (!entropy_memory_load(attempts, rest, first, err))
        return false;
    entropy_memory_open(calls, limits);
    return entropy_memory_load(*calls, rest + first, rest_len - first, err);
}

struct gain {
    struct entropy_memory
        *memory; /* owned; NULL before the first output and while it is only in the log */
    struct entropy_memory *calls; /* owned; the memory of the agent's calls; NULL before the first
                                     call and while it is only in the log */
    bool saved; /* the log has a row for the task, saved after attempt `attempt` of step `step` */
    int step, attempt;
    bool had_back;    /* the row has been loaded from the log */
    bool inherited;   /* a previous engine saved the row, if there was anything to save */
    bool kept;        /* in the list of saved memories that are kept in memory */
    int older, newer; /* neighbors in that list; -1 = none */
};

void gains_init(struct gains *gains, const struct run_state *state, struct log_writer *writer)
{
    *gains = (struct gains){.state = state, .writer = writer};
    gains->oldest = gains->newest = -1;
    gains_make_room(gains, state->plan->task_count);
}

void gains_make_room(struct gains *gains, int task_count)
{
    gains->tasks =
        xgrow(gains->tasks, &gains->task_cap, (size_t)task_count + 1, sizeof(*gains->tasks));
    for (; gains->task_count < task_count; gains->task_count++)
        gains->tasks[gains->task_count] = (struct gain){0};
}

static void close_memories(struct gain *gain)
{
    entropy_memory_close(gain->memory);
    entropy_memory_close(gain->calls);
    gain->memory = gain->calls = NULL;
}

void gains_done(struct gains *gains)
{
    if (!gains->tasks)
        return;
    for (int i = 0; i < gains->task_count; i++)
        close_memories(&gains->tasks[i]);
    gains_clear(gains);
    free(gains->rows);
    free(gains->tasks);
    *gains = (struct gains){0};
}

/* Returns whether the task will never write again. A failed task can be retried; its new output is
 * then compared with everything it wrote before. */
static bool is_task_over(enum task_status status)
{
    return task_status_is_final(status) && !task_status_is_failed(status);
}

/* Finds the task's row: it belongs to its last attempt that left a fact. */
static void inherit_row(struct gains *gains, int task)
{
    const struct task_state *state = &gains->state->tasks[task];
    struct gain *gain = &gains->tasks[task];
    for (int i = run_state_step_number(gains->state, task); i >= 0; i--) {
        const struct step_state *step = &state->steps[i];
        for (size_t k = step->attempt_count; k-- > 0;) {
            const struct attempt_state *attempt = &step->attempts[k];
            if (attempt->ended.at_ms == 0 || !circles_counts(attempt->outcome.kind))
                continue;
            gain->saved = gain->inherited = true;
            gain->step = i;
            gain->attempt = attempt->number;
            return;
        }
    }
}

void gains_resume(struct gains *gains)
{
    for (int i = 0; i < gains->state->plan->task_count; i++) {
        if (!is_task_over(gains->state->tasks[i].status))
            inherit_row(gains, i);
    }
}

struct entropy_memory *gains_find(const struct gains *gains, int task)
{
    return gains->tasks[task].memory;
}

struct entropy_memory *gains_memory(struct gains *gains, int task)
{
    struct gain *gain = &gains->tasks[task];
    if (gain->memory)
        return gain->memory;
    entropy_memory_open(&gain->memory, &gains->state->plan->loops);
    if (gain->saved) {
        /* Loads the task's row from the log if it belongs to the last attempt that was saved.
         * Without it, all output counts as new. */
        struct log_gain row = {.task = task};
        struct str bytes = {0};
        struct err err = {0};
        bool ok = gains->writer && log_writer_load_gain(gains->writer, &row, &bytes, &err) &&
                  row.step == gain->step && row.attempt == gain->attempt &&
                  gain_bytes_read(str_text(&bytes), bytes.len, &gains->state->plan->loops,
                                  gain->memory, &gain->calls, &err);
        bool was_none = gain->inherited && err.code == ERR_NOT_FOUND;
        gain->had_back = true;
        gains->lost = gains->lost || (!ok && !was_none);
        str_done(&bytes);
    }
    return gain->memory;
}

struct entropy_memory *gains_calls(struct gains *gains, int task)
{
    struct gain *gain = &gains->tasks[task];
    (void)gains_memory(gains, task); /* loads both memories, which are in the same row */
    if (!gain->calls)
        entropy_memory_open(&gain->calls, &gains->state->plan->loops);
    return gain->calls;
}

void gains_forget_calls(struct gains *gains, int task)
{
    if (gains->tasks[task].memory || gains->tasks[task].saved)
        entropy_memory_reset(gains_calls(gains, task));
}

bool gains_has_samples(const struct gains *gains, int task)
{
    return gains->tasks[task].memory && !gains->tasks[task].had_back;
}

static void unlink_kept(struct gains *gains, int task)
{
    struct gain *gain = &gains->tasks[task];
    if (!gain->kept)
        return;
    if (gain->older >= 0)
        gains->tasks[gain->older].newer = gain->newer;
    else
        gains->oldest = gain->newer;
    if (gain->newer >= 0)
        gains->tasks[gain->newer].older = gain->older;
    else
        gains->newest = gain->older;
    gain->kept = false;
    gains->kept--;
}

/* Marks the task's memory as just saved. If there are too many, drops the least recently saved one,
 * unless its task is running. */
static void keep_memory(struct gains *gains, int task)
{
    struct gain *gain = &gains->tasks[task];
    unlink_kept(gains, task);
    gain->older = gains->newest;
    gain->newer = -1;
    if (gains->newest >= 0)
        gains->tasks[gains->newest].newer = task;
    else
        gains->oldest = task;
    gains->newest = task;
    gain->kept = true;
    gains->kept++;
    if (gains->kept <= GAINS_KEPT_MAX)
        return;
    int oldest = gains->oldest;
    unlink_kept(gains, oldest);
    if (gains->state->tasks[oldest].status == TASK_RUNNING)
        return;
    close_memories(&gains->tasks[oldest]);
}

static void add_row(struct gains *gains, const struct log_gain *row)
{
    gains->rows = xgrow(gains->rows, &gains->row_cap, gains->row_count + 1, sizeof(*gains->rows));
    gains->rows[gains->row_count++] = *row;
}

/* Adds a row with the task's memories. Skips attempts that did not end on their own, because they
 * leave the memory in the middle of a step. */
static void save_memory(struct gains *gains, const struct event *event)
{
    struct gain *gain = &gains->tasks[event->task];
    if (!gain->memory || !circles_counts(event->ended.outcome.kind))
        return;
    struct str bytes = {0};
    gain_bytes_write(gain->memory, gain->calls, &bytes);
    add_row(gains, &(struct log_gain){.task = event->task,
                                      .step = event->step,
                                      .attempt = event->attempt,
                                      .bytes = bytes.data,
                                      .len = bytes.len});
    gain->saved = true;
    gain->step = event->step;
    gain->attempt = event->attempt;
    keep_memory(gains, event->task);
}

void gains_collect(struct gains *gains, const struct turn *turn)
{
    for (size_t i = 0; i < turn->events.count; i++) {
        const struct event *event = &turn->events.items[i];
        if (event->kind == EVENT_RUN_ENDED) {
            /* No task of the run will continue, so remove the rows of failed ones, too. */
            for (int task = 0; task < gains->state->plan->task_count; task++) {
                if (gains->tasks[task].saved)
                    add_row(gains, &(struct log_gain){.task = task});
                gains->tasks[task].saved = false;
                unlink_kept(gains, task);
            }
        }
        if (event->task < 0)
            continue;
        struct gain *gain = &gains->tasks[event->task];
        bool over = is_task_over(gains->state->tasks[event->task].status);
        if (event->kind == EVENT_ATTEMPT_ENDED && !over) {
            save_memory(gains, event);
        } else if (event->kind == EVENT_STEP_ENDED && over) {
            close_memories(gain);
            unlink_kept(gains, event->task);
            if (gain->saved)
                add_row(gains, &(struct log_gain){.task = event->task});
            *gain = (struct gain){0};
        }
    }
}

void gains_clear(struct gains *gains)
{
    for (size_t i = 0; i < gains->row_count; i++)
        free((void *)(uintptr_t)gains->rows[i].bytes); /* allocated by save_memory() */
    gains->row_count = 0;
}
