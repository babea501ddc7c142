#include "recorder.h"

#include <stdlib.h>
#include <string.h>

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

static void drop_kept(struct recorder *recorder)
{
    for (size_t i = 0; i < recorder->kept_count; i++)
        free_text(&recorder->kept[i]);
    recorder->kept_count = 0;
    recorder->kept_bytes = 0;
}

void recorder_done(struct recorder *recorder)
{
    if (!recorder)
        return;
    drop_kept(recorder);
    free(recorder->kept);
    log_writer_close(recorder->writer);
    *recorder = (struct recorder){0};
}

static void keep_events(struct recorder *recorder, const struct log_batch *batch)
{
    for (size_t i = 0; i < batch->event_count; i++) {
        struct event event = batch->events[i];
        event.text = event.text ? xstrdup(event.text) : NULL;
        recorder->kept_bytes += sizeof(event) + (event.text ? strlen(event.text) : 0);
        recorder->kept = xgrow(recorder->kept, &recorder->kept_cap, recorder->kept_count + 1,
                               sizeof(*recorder->kept));
        recorder->kept[recorder->kept_count++] = event;
    }
    if (batch->output_count > 0 || batch->capture_count > 0)
        recorder->lost = true;
    if (recorder->kept_bytes > RECORDER_KEPT_BYTES) {
        recorder->lost = true;
        recorder->over = true;
        drop_kept(recorder);
    }
}

static bool write_batch(struct recorder *recorder, const struct log_batch *batch,
                        enum log_sync sync, int64_t now_ms)
{
    struct err err = {0};
    if (!log_writer_commit(recorder->writer, batch, sync, &err)) {
        if (recorder->err.code == ERR_NONE)
            recorder->err = err;
        recorder->failing = true;
        recorder->retry_ms = now_ms + RECORDER_RETRY_MS;
        return false;
    }
    recorder->recovered = recorder->recovered || recorder->failing;
    recorder->failing = false;
    return true;
}

/* Everything that waits and then the new events, as one batch. */
static bool write_kept(struct recorder *recorder, const struct log_batch *batch, int64_t now_ms)
{
    keep_events(recorder, batch);
    if (recorder->over)
        return false;
    const struct log_batch all = {.events = recorder->kept, .event_count = recorder->kept_count};
    if (!write_batch(recorder, &all, LOG_SYNC_FULL, now_ms))
        return false;
    drop_kept(recorder);
    return true;
}

bool recorder_commit(struct recorder *recorder, const struct log_batch *batch,
                     enum recorder_urgency urgency, int64_t now_ms)
{
    if (recorder->over)
        return false;
    if (recorder->failing) {
        if (urgency == RECORDER_NOW || now_ms >= recorder->retry_ms)
            return write_kept(recorder, batch, now_ms);
        keep_events(recorder, batch);
        return false;
    }
    enum log_sync sync = urgency == RECORDER_NOW ? LOG_SYNC_FULL : LOG_SYNC_NORMAL;
    if (write_batch(recorder, batch, sync, now_ms))
        return true;
    keep_events(recorder, batch);
    return false;
}

int64_t recorder_due(const struct recorder *recorder)
{
    return recorder->failing && !recorder->over ? recorder->retry_ms : INT64_MAX;
}
