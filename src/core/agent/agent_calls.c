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

/* Index of the call of that id; calls->count if none waits. */
static size_t find_call(const struct agent_calls *calls, const char *id)
{
    size_t i = 0;
    while (i < calls->count && (!calls->items[i].id || strcmp(calls->items[i].id, id) != 0))
        i++;
    return i;
}

bool agent_calls_take(struct agent_calls *calls, const char *id, struct agent_call *out)
{
    const size_t index = id ? find_call(calls, id) : 0;
    if (index == calls->count)
        return false;
    *out = calls->items[index];
    take_out(calls, index);
    return true;
}

const struct agent_call *agent_calls_find(const struct agent_calls *calls, const char *id)
{
    const size_t index = find_call(calls, id);
    return index < calls->count ? &calls->items[index] : NULL;
}

void agent_calls_done(struct agent_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++)
        agent_call_done(&calls->items[i]);
    calls->count = 0;
}
