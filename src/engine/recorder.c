#include "recorder.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "xalloc.h"

bool recorder_init(struct recorder *recorder, const struct place *place, struct err *err)
{
    *recorder = (struct recorder){0};
    return log_writer_open(&recorder->writer, place, err);
}

static void free_text(struct event *event)
{
    free((void *)(uintptr_t)event->text); /* keep_events() copied it */
    event->text = NULL;
}

static size_t cost_of(const struct event *event)
{
    return sizeof(*event) + (event->text ? strlen(event->text) : 0);
}

/* The first `count` of what waits. */
static void drop_kept(struct recorder *recorder, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        recorder->kept_bytes -= cost_of(&recorder->kept[i]);
        free_text(&recorder->kept[i]);
    }
    recorder->kept_count -= count;
    if (count > 0)
        memmove(recorder->kept, recorder->kept + count,
                recorder->kept_count * sizeof(*recorder->kept));
}

/* A commit that failed may have written the first ones. */
static void drop_committed(struct recorder *recorder)
{
    int64_t committed = log_writer_committed_seq(recorder->writer);
    size_t count = 0;
    while (count < recorder->kept_count && recorder->kept[count].seq <= committed)
        count++;
    drop_kept(recorder, count);
}

void recorder_done(struct recorder *recorder)
{
    if (!recorder)
        return;
    drop_kept(recorder, recorder->kept_count);
    free(recorder->kept);
    log_writer_close(recorder->writer);
    *recorder = (struct recorder){0};
}

static void keep_events(struct recorder *recorder, const struct log_batch *batch)
{
    int64_t committed = log_writer_committed_seq(recorder->writer);
    for (size_t i = 0; i < batch->event_count; i++) {
        struct event event = batch->events[i];
        if (event.seq <= committed)
            continue;
        event.text = event.text ? xstrdup(event.text) : NULL;
        recorder->kept_bytes += cost_of(&event);
        recorder->kept = xgrow(recorder->kept, &recorder->kept_cap, recorder->kept_count + 1,
                               sizeof(*recorder->kept));
        recorder->kept[recorder->kept_count++] = event;
    }
}

static void lose_output(struct recorder *recorder, const struct log_batch *batch)
{
    if (batch->output_count == 0 && batch->capture_count == 0)
        return;
    recorder->output_lost = true;
    recorder->lost = true;
}

static bool write_batch(struct recorder *recorder, const struct log_batch *batch,
                        enum log_sync sync, int64_t now_ms)
{
    struct err err = {0};
    if (!log_writer_commit(recorder->writer, batch, sync, &err)) {
        if (recorder->err.code == ERR_NONE)
            recorder->err = err;
        recorder->failing = true;
        recorder->busy = err.code == ERR_BUSY;
        if (now_ms >= recorder->retry_ms)
            recorder->retry_ms = now_ms + RECORDER_RETRY_MS;
        return false;
    }
    recorder->recovered = recorder->recovered || recorder->failing;
    recorder->failing = false;
    if (!log_writer_synced(recorder->writer, &recorder->sync_err)) /* the first error stays */
        recorder->unsynced = true;
    return true;
}

/* Everything that waits and then what is new, as one batch. */
static bool write_kept(struct recorder *recorder, const struct log_batch *batch, int64_t now_ms)
{
    bool is_due = now_ms >= recorder->retry_ms;
    keep_events(recorder, batch);
    struct log_batch all = *batch;
    all.events = recorder->kept;
    all.event_count = recorder->kept_count;
    bool ok = write_batch(recorder, &all, LOG_SYNC_FULL, now_ms);
    if (!ok)
        lose_output(recorder, batch);
    drop_committed(recorder);
    if (!ok && is_due && recorder->kept_bytes > RECORDER_KEPT_BYTES) {
        recorder->lost = true;
        recorder->over = true;
        drop_kept(recorder, recorder->kept_count);
    }
    return ok;
}

bool recorder_commit(struct recorder *recorder, const struct log_batch *batch,
                     enum recorder_urgency urgency, int64_t now_ms)
{
    if (recorder->over)
        return false;
    if (recorder->failing && (urgency == RECORDER_NOW || now_ms >= recorder->retry_ms))
        return write_kept(recorder, batch, now_ms);
    enum log_sync sync = urgency == RECORDER_NOW ? LOG_SYNC_FULL : LOG_SYNC_NORMAL;
    if (!recorder->failing && write_batch(recorder, batch, sync, now_ms))
        return true;
    keep_events(recorder, batch);
    lose_output(recorder, batch);
    return false;
}

void recorder_finish(struct recorder *recorder)
{
    const struct log_batch none = {0};
    int64_t until_ms = clock_now().mono_ms + RECORDER_FINISH_MS;
    int64_t now_ms = 0;
    /* A try waits for its turn itself. */
    while (recorder->failing && recorder->busy && !recorder->over && now_ms < until_ms) {
        now_ms = clock_now().mono_ms;
        (void)recorder_commit(recorder, &none, RECORDER_NOW, now_ms);
    }
}

struct recorder_news recorder_news(struct recorder *recorder)
{
    struct recorder_news news = {.what = NULL, .why = recorder->err.message};
    if (recorder->recovered) {
        news.what = recorder->output_lost
                        ? "the log could not be written for a while, output of then is missing"
                        : "the log could not be written for a while, nothing is missing";
        recorder->recovered = false;
        recorder->output_lost = false;
    } else if (recorder->unsynced && !recorder->told) {
        news.what = "the log is written, but a power failure may take the end of it";
        news.why = recorder->sync_err.message;
        recorder->told = true;
    }
    return news;
}

int64_t recorder_due(const struct recorder *recorder)
{
    return recorder->failing && !recorder->over ? recorder->retry_ms : INT64_MAX;
}
