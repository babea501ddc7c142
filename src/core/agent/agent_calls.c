#include "agent_calls.h"

#include <stdlib.h>
#include <string.h>

void agent_call_done(struct agent_call *call)
{
    free(call->id);
    free(call->tool);
    json_free(call->args);
    free(call->what);
    *call = (struct agent_call){0};
}

static void take_out(struct agent_calls *calls, size_t index)
{
    calls->count--;
    memmove(&calls->items[index], &calls->items[index + 1],
            (calls->count - index) * sizeof(calls->items[0]));
}

void agent_calls_add(struct agent_calls *calls, const struct agent_call *call)
{
    if (calls->count == AGENT_OPEN_CALLS_MAX) {
        agent_call_done(&calls->items[0]);
        take_out(calls, 0);
    }
    calls->items[calls->count++] = *call;
}

bool agent_calls_take(struct agent_calls *calls, const char *id, struct agent_call *out)
{
    for (size_t i = 0; i < calls->count; i++) {
        const char *own = calls->items[i].id;
        if (id && (!own || strcmp(own, id) != 0))
            continue;
        *out = calls->items[i];
        take_out(calls, i);
        return true;
    }
    return false;
}

const struct agent_call *agent_calls_find(const struct agent_calls *calls, const char *id)
{
    for (size_t i = 0; i < calls->count; i++) {
        if (calls->items[i].id && strcmp(calls->items[i].id, id) == 0)
            return &calls->items[i];
    }
    return NULL;
}

void agent_calls_done(struct agent_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        agent_call_done(&calls->items[i]);
    calls->count = 0;
}
