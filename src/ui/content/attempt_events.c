#include "attempt_events.h"

#include <string.h>

bool attempt_events_read(struct log_reader *reader, const struct log_output_key *key,
                         int64_t last_seq, struct event_page *out, struct err *err)
{
    if (!log_reader_attempt_events(reader, key, out, err))
        return false;
    while (out->count > 0 && out->events[out->count - 1].seq > last_seq)
        out->count--;
    return true;
}

const struct event *attempt_events_last(const struct event_page *events, enum event_kind kind)
{
    for (size_t i = events->count; i > 0; i--) {
        if (events->events[i - 1].kind == kind)
            return &events->events[i - 1];
    }
    return NULL;
}

struct json *attempt_events_parse(const char *text)
{
    struct json *json = NULL;
    if (!text || !json_parse_data(text, strlen(text), &json, NULL, NULL))
        return NULL;
    return json;
}
