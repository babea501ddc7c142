#include "facts.h"

#include "chance.h"

enum { SOME_TREES = 3 }; /* few, so that trees often repeat */

struct event facts_plain(enum event_kind kind)
{
    struct event fact = event_new(kind);
    switch (kind) {
    case EVENT_WORKSPACE_MADE:
        fact.workspace.kind = WORKSPACE_WORKTREE;
        fact.workspace.path = "/w";
        fact.workspace.branch = "devs/1/t";
        break;
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        fact.tree.tree = (struct digest){.hi = 1, .lo = 1};
        break;
    case EVENT_WORKSPACE_CHANGED:
        fact.changes.paths = 1;
        break;
    case EVENT_RESULT_KEPT:
        fact.kept.branch = "devs/1/r";
        fact.kept.path = "/r";
        break;
    case EVENT_SANDBOX_LACKS:
        fact.lacks.keys = "pids\ncpu_s";
        break;
    case EVENT_TIME_STOPPED:
        fact.stopped.ms = 1;
        break;
    case EVENT_CONTACT_LOST:
        fact.contact_lost.since = (struct moment){.at_ms = 1, .mono_ms = 1};
        fact.contact_lost.fence = (struct moment){.at_ms = 60001, .mono_ms = 60001};
        break;
    case EVENT_JOB_STATE:
        fact.job.job = "4711";
        fact.job.reason = "Priority";
        break;
    case EVENT_HOST_STATE: /* names no host, so it is not valid as it is */
    case EVENT_CONTACT_FOUND:
        break;
    default: /* secrets */
        fact.secrets.count = 1;
        break;
    }
    return fact;
}

/* Makes some of its numbers invalid. */
static void spoil(struct event *fact, int64_t wrong)
{
    switch (fact->kind) {
    case EVENT_WORKSPACE_MADE:
        fact->workspace.ms = wrong;
        break;
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        fact->tree.count = fact->tree.bytes = wrong;
        break;
    case EVENT_WORKSPACE_CHANGED:
        fact->changes.paths = fact->changes.removed = wrong;
        break;
    case EVENT_TIME_STOPPED:
        fact->stopped.ms = wrong;
        break;
    case EVENT_SECRETS_CUT:
        fact->secrets.count = wrong;
        break;
    default: /* has no number */
        break;
    }
}

void facts_make(struct plot_op *op, struct chance *chance)
{
    const int kinds = EVENT_SECRETS_CUT - EVENT_WORKSPACE_MADE + 1;
    struct event *fact = &op->fact;
    *fact = facts_plain((enum event_kind)(EVENT_WORKSPACE_MADE + chance_below(chance, kinds)));
    const int count = chance_below(chance, 1000);
    const int bytes = chance_below(chance, 1000);
    const int ms = chance_below(chance, 1000);
    switch (fact->kind) {
    case EVENT_WORKSPACE_MADE:
        fact->workspace.kind = (enum workspace_kind)chance_below(chance, WORKSPACE_KIND_COUNT);
        fact->workspace.setup_ms = ms;
        fact->workspace.copied = count;
        break;
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        fact->tree.tree.hi = (uint64_t)chance_below(chance, SOME_TREES) + 1;
        fact->tree.tree.lo = fact->tree.tree.hi;
        fact->tree.count = count;
        fact->tree.bytes = bytes;
        fact->tree.ms = ms;
        break;
    case EVENT_WORKSPACE_CHANGED:
        fact->changes.paths = chance_below(chance, 3);
        fact->changes.removed = count;
        fact->changes.partial = chance_hits(chance, 20);
        fact->changes.ms = ms;
        break;
    case EVENT_RESULT_KEPT:
        fact->kept.is_folder = chance_below(chance, 2) != 0;
        break;
    case EVENT_TIME_STOPPED:
        fact->stopped.ms = chance_below(chance, 100000);
        break;
    case EVENT_SECRETS_CUT:
        fact->secrets.count = chance_below(chance, 100000);
        break;
    default: /* has no number */
        break;
    }
    if (chance_hits(chance, 5))
        spoil(fact, chance_hits(chance, 50) ? -1 : INT64_MAX);
}

void facts_put(struct event *event, const struct event *fact)
{
    const struct event place = *event;
    *event = *fact;
    event->seq = place.seq;
    event->at = place.at;
    event->task = place.task;
    event->step = place.step;
    event->round = place.round;
    event->grant = place.grant;
    event->attempt = place.attempt;
}

static bool is_count(int64_t value)
{
    return value >= 0 && value < INT64_MAX;
}

bool facts_are_valid(const struct event *fact)
{
    switch (fact->kind) {
    case EVENT_WORKSPACE_MADE:
        return is_count(fact->workspace.ms);
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        return is_count(fact->tree.count) && is_count(fact->tree.bytes);
    case EVENT_WORKSPACE_CHANGED:
        return is_count(fact->changes.paths) && is_count(fact->changes.removed);
    case EVENT_TIME_STOPPED:
        return is_count(fact->stopped.ms);
    case EVENT_SECRETS_CUT:
        return is_count(fact->secrets.count);
    case EVENT_AGENT_CALL:
        return fact->call.number >= 1 && fact->call.number <= AGENT_CALLS_MAX &&
               is_count(fact->call.ms);
    case EVENT_AGENT_USED:
        return is_count(fact->used.used.turns) && is_count(fact->used.used.calls) &&
               is_count(fact->used.used.cost_micro);
    default: /* has no number */
        return true;
    }
}
