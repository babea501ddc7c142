#include "facts.h"

#include <string.h>

#include "agents.h"
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

static bool may_be(const struct event *fact)
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
    default: /* has no number */
        return true;
    }
}

static bool names_an_attempt(const struct model *model, const struct input *input)
{
    if (input->task < 0 || input->task >= model->plot->task_count || input->step < 0 ||
        input->step >= model->plot->tasks[input->task].step_count)
        return false;
    const struct model_step *step = &model->steps[input->task][input->step];
    return input->attempt >= 1 && input->attempt <= step->attempt_count;
}

void facts_foretell(struct oracle *oracle)
{
    const struct input *input = oracle->input;
    const struct event *fact = &input->fact_event;
    if (fact->kind >= EVENT_AGENT_SESSION) {
        agents_foretell(oracle);
        return;
    }
    struct foretold told = oracle_event(oracle, fact->kind, -1);
    bool of_run = fact->kind == EVENT_TIME_STOPPED;
    if (!may_be(fact) ||
        !(of_run ? oracle->model.started : names_an_attempt(&oracle->model, input)))
        return;
    facts_put(&told.event, fact);
    if (!of_run) {
        const struct model_step *step = &oracle->model.steps[input->task][input->step];
        told.event.task = input->task;
        told.event.step = input->step;
        told.event.round = step->rounds[(input->attempt - 1) % MODEL_ATTEMPTS_MAX];
        told.event.grant = step->grants[(input->attempt - 1) % MODEL_ATTEMPTS_MAX];
        told.event.attempt = input->attempt;
    }
    oracle_emit(oracle, &told);
}

static void take_tree(struct model_place *place, const struct event *event)
{
    place->tree = (int64_t)event->tree.tree.hi;
    place->is_changed = false;
}

void facts_take(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model *model = taking->model;
    if (event->kind == EVENT_TIME_STOPPED) {
        model->stopped_ms += event->stopped.ms;
        agents_take_stopped_time(taking);
        return;
    }
    struct model_step *step = &model->steps[event->task][event->step];
    struct model_place *place = &taking->task->place;
    switch (event->kind) {
    case EVENT_WORKSPACE_MADE:
        place->kind = (int)event->workspace.kind;
        place->has_path = true;
        place->is_kept = false;
        place->branch = 't';
        break;
    case EVENT_WORKSPACE_SAVED:
        step->saved_tree = (int64_t)event->tree.tree.hi;
        take_tree(place, event);
        break;
    case EVENT_TREE_PROVEN:
        step->proven_tree = (int64_t)event->tree.tree.hi;
        step->proven_attempt = event->attempt;
        take_tree(place, event);
        break;
    case EVENT_WORKSPACE_RESET:
        take_tree(place, event);
        break;
    case EVENT_WORKSPACE_CHANGED:
        if (event->changes.paths == 0 && !event->changes.partial)
            break;
        place->tree = 0;
        place->is_changed = true;
        break;
    case EVENT_RESULT_KEPT:
        place->branch = 'r';
        place->is_kept = true;
        place->has_result = place->has_result || event->kept.is_folder;
        break;
    case EVENT_SANDBOX_LACKS:
        place->lacks = true;
        break;
    default: /* secrets */
        model->secrets_cut += event->secrets.count;
        break;
    }
}

static bool check_proofs(struct finding *finding, const struct model *model,
                         const struct run_state *state, int task)
{
    const struct model_place *place = &model->tasks[task].place;
    for (int i = 0; i < model->plot->tasks[task].step_count; i++) {
        const struct model_step *want = &model->steps[task][i];
        const struct step_state *have = &state->tasks[task].steps[i];
        bool stale =
            want->proven_tree != 0 && (place->is_changed || place->tree != want->proven_tree);
        const struct step_trees *trees = step_state_trees(have);
        bool same = (int64_t)trees->saved.hi == want->saved_tree &&
                    (int64_t)trees->proven.lo == want->proven_tree &&
                    trees->proven_attempt == want->proven_attempt;
        if (!finding_check(finding, same, "trees are as they were told", "t%d/%d", task, i) ||
            !finding_check(finding, run_state_tree_is_stale(state, task, i) == stale,
                           "a proof is stale once the tree is another", "t%d/%d", task, i))
            return false;
    }
    return true;
}

static char last_of(const char *text)
{
    return text && text[0] != '\0' ? text[strlen(text) - 1] : '\0';
}

bool facts_check(struct finding *finding, const struct model *model, const struct run_state *state,
                 int task)
{
    static const struct task_place nowhere = {0};
    const struct model_place *want = &model->tasks[task].place;
    const struct task_place *place = state->tasks[task].place;
    const struct task_place *have = place ? place : &nowhere;
    bool same = want->kind == (int)have->kind && want->tree == (int64_t)have->tree.hi &&
                want->is_changed == have->is_changed && want->is_kept == have->is_kept &&
                want->has_path == (have->path != NULL) && want->branch == last_of(have->branch) &&
                want->has_result == (have->result != NULL) && want->lacks == (have->lacks != NULL);
    bool sums = model->stopped_ms == state->stopped_ms && model->secrets_cut == state->secrets_cut;
    return finding_check(finding, same && sums, "where a task works is as it was told", "t%d",
                         task) &&
           check_proofs(finding, model, state, task);
}
