/* recorder.c - commits the batches of a run, even while its log cannot be written.
 *
 * A run does not stop because of its log. The recorder first continues in a spill log, and merges
 * that when the log can be written again. If the spill log cannot be written either, events (but
 * not output) wait in memory until a commit succeeds. If they exceed RECORDER_KEPT_BYTES, recording
 * stops for good. */
#include "loop.h"

#include <stdio.h>

#include "clock.h"
#include "spill.h"

bool recorder_init(struct recorder *recorder, const struct place *place, struct err *err)
{
    *recorder = (struct recorder){.spill_controls = INT64_MAX};
    return log_writer_open(&recorder->writer, place, err);
}

/* Returns the writer that currently takes commits. */
static struct log_writer *present_writer(const struct recorder *recorder)
{
    return recorder->spill ? recorder->spill : recorder->writer;
}

/* Returns the memory that waiting event `i` needs. */
static size_t event_cost(const struct recorder *recorder, size_t i)
{
    return sizeof(struct event) + recorder->kept.texts[i].len;
}

/* Drops the first `count` waiting events. */
static void drop_kept_events(struct recorder *recorder, size_t count)
{
    for (size_t i = 0; i < count; i++)
        recorder->kept_bytes -= event_cost(recorder, i);
    if (count > 0)
        event_list_drop(&recorder->kept, count);
}

void recorder_done(struct recorder *recorder)
{
    if (!recorder)
        return;
    event_list_done(&recorder->kept);
    log_writer_close(recorder->spill); /* first, because its owner lock was taken second */
    log_writer_close(recorder->writer);
    *recorder = (struct recorder){0};
}

static void keep_events(struct recorder *recorder, const struct log_batch *batch)
{
    int64_t committed = log_writer_committed_seq(present_writer(recorder));
    for (size_t i = 0; i < batch->event_count; i++) {
        if (batch->events[i].seq <= committed)
            continue;
        (void)event_list_add(&recorder->kept, &batch->events[i]);
        recorder->kept_bytes += event_cost(recorder, recorder->kept.count - 1);
    }
}

static void lose_output(struct recorder *recorder, const struct log_batch *batch)
{
    if (batch->output_count == 0 && batch->capture_count == 0)
        return;
    recorder->output_lost = true;
    recorder->lost = true;
}

/* Records the run in a spill log from now on, because the log cannot be written. */
static bool open_spill(struct recorder *recorder, const struct err *why)
{
    struct spill_reason reason = {.since_ms = clock_now().at_ms,
                                  .whole = log_writer_is_cut_off(recorder->writer) ||
                                           why->code == ERR_DAMAGED};
    (void)snprintf(reason.why, sizeof(reason.why), "%.*s", SPILL_WHY_MAX - 1, why->message);
    if (!log_writer_spill(&recorder->spill, recorder->writer, &reason, NULL))
        return false; /* the caller reports the problem with the log itself, which matters more to
                         the user */
    if (recorder->spill_control_seen > recorder->control_seen)
        recorder->control_seen = recorder->spill_control_seen;
    recorder->lost = recorder->lost || log_writer_is_broken(recorder->writer);
    recorder->left_output = recorder->has_output && log_writer_is_cut_off(recorder->writer);
    recorder->spill_control_seen = 0;
    recorder->spill_controls = log_writer_first_control(recorder->spill);
    recorder->spilled = true;
    return true;
}

static bool try_batch(struct recorder *recorder, const struct log_batch *batch, enum log_sync sync,
                      struct err *err)
{
    bool has_output = batch->output_count > 0 || batch->capture_count > 0;
    struct log_batch fitting = *batch;
    /* A spill log that is full of output still has room for events. */
    if (recorder->spill && has_output && !log_writer_has_room(recorder->spill)) {
        lose_output(recorder, batch);
        fitting.output_count = 0;
        fitting.capture_count = 0;
    }
    return log_writer_commit(present_writer(recorder), &fitting, sync, err);
}

static bool write_batch(struct recorder *recorder, const struct log_batch *batch,
                        enum log_sync sync, int64_t now_ms)
{
    struct err err = {0};
    bool ok = try_batch(recorder, batch, sync, &err);
    if (!ok && !recorder->spill && open_spill(recorder, &err)) {
        recorder->err = err;
        recorder->retry_ms = now_ms + RECORDER_RETRY_MS;
        err = (struct err){0};
        ok = try_batch(recorder, batch, sync, &err);
    }
    if (!ok) {
        if (!recorder->failing && !recorder->spill)
            recorder->err = err;
        recorder->failing = true;
        recorder->busy = err.code == ERR_BUSY;
        if (now_ms >= recorder->retry_ms)
            recorder->retry_ms = now_ms + RECORDER_RETRY_MS;
        return false;
    }
    recorder->has_output =
        recorder->has_output || batch->output_count > 0 || batch->capture_count > 0;
    recorder->recovered = recorder->recovered || recorder->failing;
    recorder->failing = false;
    /* Keeps the first error. */
    if (!log_writer_synced(present_writer(recorder), &recorder->sync_err))
        recorder->unsynced = true;
    return true;
}

/* If the log can be written again, merges the spill log into it. Returns true if the only obstacle
 * is another process that holds the log. */
static bool merge_spill(struct recorder *recorder, int64_t now_ms)
{
    const struct place place = *log_writer_place(recorder->spill);
    struct err err = {0};
    recorder->retry_ms = now_ms + RECORDER_RETRY_MS;
    if (!log_writer_take_home(recorder->writer, &place, &err))
        return err.code == ERR_BUSY;
    log_writer_close(recorder->spill);
    recorder->spill = NULL;
    spill_remove(&place);
    recorder->home = true;
    recorder->left_output = false;
    return false;
}

/* Writes the waiting events, then the new ones, as one batch. */
static bool write_kept_events(struct recorder *recorder, const struct log_batch *batch,
                              int64_t now_ms)
{
    bool is_due = now_ms >= recorder->retry_ms;
    keep_events(recorder, batch);
    struct log_batch all = *batch;
    all.events = recorder->kept.items;
    all.event_count = recorder->kept.count;
    bool ok = write_batch(recorder, &all, LOG_SYNC_FULL, now_ms);
    if (!ok)
        lose_output(recorder, batch);
    /* A failed commit may have written the first events. */
    const int64_t committed = log_writer_committed_seq(present_writer(recorder));
    size_t count = 0;
    while (count < recorder->kept.count && recorder->kept.items[count].seq <= committed)
        count++;
    drop_kept_events(recorder, count);
    if (!ok && is_due && recorder->kept_bytes > RECORDER_KEPT_BYTES) {
        recorder->lost = true;
        recorder->over = true;
        drop_kept_events(recorder, recorder->kept.count);
    }
    return ok;
}

bool recorder_commit(struct recorder *recorder, const struct log_batch *batch,
                     enum recorder_urgency urgency, int64_t now_ms)
{
    if (recorder->over)
        return false;
    if (recorder->spill && now_ms >= recorder->retry_ms)
        (void)merge_spill(recorder, now_ms);
    if (recorder->failing && (urgency == RECORDER_NOW || now_ms >= recorder->retry_ms))
        return write_kept_events(recorder, batch, now_ms);
    enum log_sync sync = urgency == RECORDER_NOW ? LOG_SYNC_FULL : LOG_SYNC_NORMAL;
    if (!recorder->failing && write_batch(recorder, batch, sync, now_ms))
        return true;
    keep_events(recorder, batch);
    lose_output(recorder, batch);
    return false;
}

bool recorder_controls(struct recorder *recorder, struct control *out, size_t max,
                       size_t *count_out, struct err *err)
{
    struct log_writer *const writers[] = {recorder->writer, recorder->spill};
    size_t total = 0;
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(writers) && total < max; i++) {
        struct control *controls = out + total;
        size_t count = 0;
        if (!writers[i] || !log_writer_controls(writers[i], controls, max - total, &count, err))
            continue;
        any = true;
        for (size_t k = 0; k < count; k++) {
            const struct control *control = &controls[k];
            const bool of_spill = control->id >= recorder->spill_controls;
            int64_t *seen = of_spill ? &recorder->spill_control_seen : &recorder->control_seen;
            if (control->id <= *seen)
                continue; /* this control was returned earlier; its answer is not logged yet */
            *seen = control->id;
            out[total++] = *control;
        }
    }
    if (any)
        *count_out = total;
    return any;
}

bool recorder_is_away(const struct recorder *recorder)
{
    return recorder->spill != NULL;
}

void recorder_finish(struct recorder *recorder)
{
    const struct log_batch none = {0};
    struct err err = {0};
    /* The log may have been damaged since the last commit; check it. */
    if (!recorder->spill && !recorder->failing && !log_writer_check(recorder->writer, &err)) {
        recorder->err = err;
        if (!open_spill(recorder, &err))
            recorder->lost = true;
    }

    int64_t until_ms = clock_now().mono_ms + RECORDER_FINISH_MS;
    int64_t now_ms = 0;
    bool is_in_the_way = recorder->spill != NULL;
    while (is_in_the_way && now_ms < until_ms) {
        now_ms = clock_now().mono_ms;
        is_in_the_way = merge_spill(recorder, now_ms);
    }
    if (recorder->home && recorder->failing)
        (void)recorder_commit(recorder, &none, RECORDER_NOW, clock_now().mono_ms);
    /* Each commit waits for the other process. */
    while (recorder->failing && recorder->busy && !recorder->over && now_ms < until_ms) {
        now_ms = clock_now().mono_ms;
        (void)recorder_commit(recorder, &none, RECORDER_NOW, now_ms);
    }
}

struct recorder_news recorder_news(struct recorder *recorder)
{
    struct recorder_news news = {.what = NULL, .why = recorder->err.message};
    if (recorder->spilled) {
        news.what = "the log cannot be written; the run continues, recorded in a spill log";
        recorder->spilled = false;
    } else if (recorder->home) {
        news.what = recorder->output_lost
                        ? "the log can be written again, but some output is missing"
                        : "the log can be written again; nothing is missing";
        news.why = ""; /* the error is resolved, and was reported before */
        recorder->home = false;
        recorder->recovered = false;
        recorder->output_lost = false;
    } else if (recorder->recovered) {
        news.what = recorder->output_lost
                        ? "some output is missing: the log could not be written for a while"
                        : "nothing is missing, but the log could not be written for a while";
        recorder->recovered = false;
        recorder->output_lost = false;
    } else if (recorder->unsynced && !recorder->unsynced_reported) {
        news.what = "the log is written, but a power failure may lose its end";
        news.why = recorder->sync_err.message;
        recorder->unsynced_reported = true;
    }
    return news;
}

int64_t recorder_due(const struct recorder *recorder)
{
    bool waits = recorder->spill || recorder->failing;
    return waits && !recorder->over ? recorder->retry_ms : INT64_MAX;
}
