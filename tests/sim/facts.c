#include "facts.h"

#include <string.h>

#include "agents.h"
#include "chance.h"

enum { SOME_TREES = 3 }; /* few, so that trees often repeat */

void facts_make(struct plot_op *op, struct chance *chance)
{
    struct input_fact *fact = &op->fact;
    const int kinds = EVENT_SECRETS_CUT - EVENT_WORKSPACE_MADE + 1;
    fact->kind = (enum event_kind)(EVENT_WORKSPACE_MADE + chance_below(chance, kinds));
    fact->c = chance_below(chance, 1000);
    fact->d = chance_below(chance, 1000);
    fact->e = chance_below(chance, 1000);
    switch (fact->kind) {
    case EVENT_WORKSPACE_MADE:
        fact->a = chance_below(chance, WORKSPACE_KIND_COUNT);
        break;
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        fact->a = fact->b = chance_below(chance, SOME_TREES) + 1;
        break;
    case EVENT_WORKSPACE_CHANGED:
        fact->a = chance_below(chance, 3);
        fact->d = chance_hits(chance, 20);
        break;
    case EVENT_RESULT_KEPT:
        fact->a = EVENT_KEPT_BRANCH + chance_below(chance, 2);
        break;
    default: /* only counts */
        fact->a = chance_below(chance, 100000);
        break;
    }
    if (chance_hits(chance, 5))
        fact->a = fact->b = fact->c = fact->d = chance_hits(chance, 50) ? -1 : INT64_MAX;
}

const char *facts_text(enum event_kind kind)
{
    switch (kind) {
    case EVENT_WORKSPACE_MADE:
        return "{\"path\":\"/w\",\"branch\":\"devs/1/t\"}";
    case EVENT_RESULT_KEPT:
        return "{\"branch\":\"devs/1/r\",\"path\":\"/r\"}";
    case EVENT_SANDBOX_LACKS:
        return "{\"keys\":[\"pids\",\"cpu_s\"]}";
    default: /* the numbers of the others say everything */
        return NULL;
    }
}

static bool is_count(int64_t value)
{
    return value >= 0 && value < INT64_MAX;
}

static bool may_be(const struct input_fact *fact)
{
    switch (fact->kind) {
    case EVENT_WORKSPACE_MADE:
        return fact->a >= 0 && fact->a < WORKSPACE_KIND_COUNT && is_count(fact->b);
    case EVENT_RESULT_KEPT:
        return fact->a == EVENT_KEPT_BRANCH || fact->a == EVENT_KEPT_TREE;
    case EVENT_WORKSPACE_SAVED:
    case EVENT_WORKSPACE_RESET:
    case EVENT_TREE_PROVEN:
        return is_count(fact->c) && is_count(fact->d);
    case EVENT_SANDBOX_LACKS:
        return true;
    default: /* counts */
        return is_count(fact->a) && is_count(fact->c);
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
    const struct input_fact *fact = &input->fact_event;
    if (fact->kind >= EVENT_AGENT_SESSION) {
        agents_foretell(oracle);
        return;
    }
    struct foretold told = oracle_event(oracle, fact->kind, -1);
    bool of_run = fact->kind == EVENT_TIME_STOPPED;
    if (!may_be(fact) ||
        !(of_run ? oracle->model.started : names_an_attempt(&oracle->model, input)))
        return;
    told.event.a = fact->a;
    told.event.b = fact->b;
    told.event.c = fact->c;
    told.event.d = fact->d;
    told.event.e = fact->e;
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
    place->tree = event->a;
    place->is_changed = false;
}

void facts_take(struct taking *taking)
{
    const struct event *event = taking->event;
    struct model *model = taking->model;
    if (event->kind == EVENT_TIME_STOPPED) {
        model->stopped_ms += event->a;
        agents_take_stopped_time(taking);
        return;
    }
    struct model_step *step = &model->steps[event->task][event->step];
    struct model_place *place = &taking->task->place;
    switch (event->kind) {
    case EVENT_WORKSPACE_MADE:
        place->kind = (int)event->a;
        place->has_path = true;
        place->is_kept = false;
        place->branch = 't';
        break;
    case EVENT_WORKSPACE_SAVED:
        step->saved_tree = event->a;
        take_tree(place, event);
        break;
    case EVENT_TREE_PROVEN:
        step->proven_tree = event->a;
        step->proven_attempt = event->attempt;
        take_tree(place, event);
        break;
    case EVENT_WORKSPACE_RESET:
        take_tree(place, event);
        break;
    case EVENT_WORKSPACE_CHANGED:
        if (event->a == 0 && event->d == 0)
            break;
        place->tree = 0;
        place->is_changed = true;
        break;
    case EVENT_RESULT_KEPT:
        place->branch = 'r';
        place->is_kept = true;
        place->has_result = place->has_result || event->a == EVENT_KEPT_TREE;
        break;
    case EVENT_SANDBOX_LACKS:
        place->lacks = true;
        break;
    default: /* secrets */
        model->secrets_cut += event->a;
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
