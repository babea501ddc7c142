#include "mcp_loops.h"

#include <stdlib.h>

#include "agent_what.h"
#include "entropy_memory.h"
#include "xalloc.h"

struct mcp_loops {
    struct entropy_limits limits;
    struct entropy_memory *memory; /* owned */
    struct entropy_state state;
    int64_t calls;
};

void mcp_loops_open(struct mcp_loops **out, const struct entropy_limits *limits)
{
    struct mcp_loops *loops = xcalloc(1, sizeof(*loops));
    loops->limits = *limits;
    entropy_memory_open(&loops->memory, limits);
    *out = loops;
}

void mcp_loops_close(struct mcp_loops *loops)
{
    if (!loops)
        return;
    entropy_memory_close(loops->memory);
    entropy_state_done(&loops->state);
    free(loops);
}

static void add_lines(struct entropy_memory *memory, const struct mcp_output *output)
{
    for (int i = 0; i < 2; i++) {
        const struct str *kept = &output->streams[i].kept;
        entropy_memory_text(memory, str_text(kept), kept->len);
    }
}

static void add_nudge(const struct mcp_loops *loops, const struct mcp_loops_call *call,
                      const struct entropy_verdict *verdict, struct str *nudge)
{
    const struct entropy_sample *last = entropy_memory_last(loops->memory);
    struct str what = {0};
    struct str words = {0};
    agent_call_what(call->args, &what);
    str_addf(&words, "%s%s%s", call->tool, what.len > 0 ? " " : "", str_text(&what));
    entropy_nudge(verdict, str_text(&words), last ? last->masks : 0, nudge);
    str_done(&words);
    str_done(&what);
}

void mcp_loops_add(struct mcp_loops *loops, const struct mcp_loops_call *call,
                   struct entropy_verdict *verdict, struct str *nudge)
{
    const struct entropy_end end = {.failed = call->failed, .transient = call->transient};
    struct entropy_fact fact;
    entropy_memory_begin_call(loops->memory, call->tool, call->args);
    add_lines(loops->memory, call->output);
    entropy_memory_end(loops->memory, &end, &fact);
    entropy_apply(&loops->state, &fact, ++loops->calls, &loops->limits, verdict);
    if (verdict->level != ENTROPY_OK)
        add_nudge(loops, call, verdict, nudge);
}
