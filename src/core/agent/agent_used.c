#include "agent_used.h"

#include <string.h>

#include "event.h"
#include "json_scan.h"

int64_t agent_used_sum(int64_t a, int64_t b)
{
    const int64_t sum = a + b;
    if (sum < 0)
        return 0;
    return sum < AGENT_USED_MAX ? sum : AGENT_USED_MAX;
}

void agent_used_add(struct agent_used *sum, const struct agent_used *used)
{
    sum->turns = agent_used_sum(sum->turns, used->turns);
    sum->calls = agent_used_sum(sum->calls, used->calls);
    sum->cost_micro = agent_used_sum(sum->cost_micro, used->cost_micro);
    sum->tokens = agent_used_sum(sum->tokens, used->tokens);
    sum->own_retries = agent_used_sum(sum->own_retries, used->own_retries);
    sum->refused = agent_used_sum(sum->refused, used->refused);
}

/* Most events have no text: refused calls are rare. */
static int64_t refused_of(const struct event *event)
{
    if (!event->text)
        return 0;
    const int64_t refused =
        json_scan_i64(json_scan_get(event->text, strlen(event->text), "refused"), 0);
    return refused > 0 && refused <= AGENT_USED_MAX ? refused : 0;
}

struct agent_used agent_used_of_event(const struct event *event)
{
    return (struct agent_used){.turns = event->a,
                               .calls = event->b,
                               .cost_micro = event->c,
                               .tokens = event->d,
                               .own_retries = event->e,
                               .refused = refused_of(event)};
}
