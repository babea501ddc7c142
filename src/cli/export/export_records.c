/* export_records.c - an export's events as records. */
#include "event_text.h"
#include "export.h"
#include "follower.h"
#include "trace_json.h"

enum { WRITE_AT_BYTES = 64 * 1024 };

/* What is made of each event. */
struct records {
    const struct export_call *call;
    struct trace_json *trace; /* NULL: records as they are */
    int64_t last_seq;
    struct str text;
    struct err *err;
    bool ok;
};

static bool write_out(struct records *records)
{
    records->ok = export_sink_write(records->call->sink, str_text(&records->text),
                                    records->text.len, records->err);
    str_clear(&records->text);
    return records->ok;
}

static bool add_event(void *ctx, const struct run_state *state, const struct event *event)
{
    struct records *records = ctx;
    if (records->trace) {
        trace_json_add(records->trace, state, event, &records->text);
    } else {
        event_json(state, records->call->run, event, &records->text);
        str_add_char(&records->text, '\n');
    }
    if (records->text.len < WRITE_AT_BYTES)
        return true;
    records->ok =
        export_sink_tell(records->call->sink, event->seq, records->last_seq, records->err);
    return records->ok && write_out(records);
}

static bool read_all(struct records *records, struct follower *follower)
{
    records->last_seq = follower_run(follower)->last_seq;
    if (!follower_read(follower, 0, add_event, records, NULL, records->err) || !records->ok)
        return false;
    if (records->trace)
        trace_json_end(records->trace, follower_state(follower), &records->text);
    return write_out(records);
}

bool export_jsonl(const struct export_call *call, struct err *err)
{
    struct records records = {.call = call, .err = err, .ok = true};
    struct follower *follower = NULL;
    const bool ok =
        follower_open(&follower, call->place, call->run, err) && read_all(&records, follower);
    follower_close(follower);
    str_done(&records.text);
    return ok;
}

bool export_trace(const struct export_call *call, struct err *err)
{
    struct records records = {.call = call, .err = err, .ok = true};
    struct follower *follower = NULL;
    bool ok = follower_open(&follower, call->place, call->run, err);
    if (ok) {
        const char *name = follower_run(follower)->name;
        trace_json_open(&records.trace, call->run, name ? name : "", &records.text);
        ok = read_all(&records, follower);
    }
    trace_json_close(records.trace);
    follower_close(follower);
    str_done(&records.text);
    return ok;
}
