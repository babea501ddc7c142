#include "run_state_copy.h"

#include <assert.h>
#include <string.h>

#include "entropy_window.h"
#include "xalloc.h"

/* NULL, or a block of its own with the same bytes. */
static void *copy_of(const void *block, size_t count, size_t size)
{
    if (!block || count == 0)
        return NULL;
    void *copy = xcalloc(count, size);
    memcpy(copy, block, count * size);
    return copy;
}

static char *copy_of_text(const char *text)
{
    return text ? xstrdup(text) : NULL;
}

static struct circles *copy_of_circles(const struct circles *circles)
{
    struct circles *copy = copy_of(circles, 1, sizeof(*circles));
    if (!copy || !circles->state.window)
        return copy;
    struct entropy_window *window = copy_of(circles->state.window, 1, sizeof(*window));
    window->past = copy_of(window->past, (size_t)window->cap, sizeof(*window->past));
    window->asides = copy_of(window->asides, 1, sizeof(*window->asides));
    window->nudges = copy_of(window->nudges, 1, sizeof(*window->nudges));
    copy->state.window = window;
    return copy;
}

static struct task_place *copy_of_place(const struct task_place *place)
{
    struct task_place *copy = copy_of(place, 1, sizeof(*place));
    if (!copy)
        return NULL;
    copy->path = copy_of_text(place->path);
    copy->branch = copy_of_text(place->branch);
    copy->result = copy_of_text(place->result);
    copy->lacks = copy_of_text(place->lacks);
    return copy;
}

static struct task_agent *copy_of_agent(const struct task_agent *agent)
{
    struct task_agent *copy = copy_of(agent, 1, sizeof(*agent));
    if (!copy)
        return NULL;
    copy->agent = copy_of_text(agent->agent);
    copy->session = copy_of_text(agent->session);
    copy->repair = copy_of_text(agent->repair);
    copy->nudge = copy_of_text(agent->nudge);
    copy->said = copy_of_text(agent->said);
    copy->refused = copy_of_text(agent->refused);
    copy->hint = copy_of(agent->hint, 1, sizeof(*agent->hint));
    copy->calls = copy_of_circles(agent->calls);
    return copy;
}

static struct task_pauses *copy_of_pauses(const struct task_pauses *pauses)
{
    struct task_pauses *copy = copy_of(pauses, 1, sizeof(*pauses));
    if (!copy)
        return NULL;
    copy->items = copy_of(pauses->items, pauses->count, sizeof(*pauses->items));
    copy->cap = pauses->count;
    return copy;
}

static struct step_formulas *copy_of_formulas(const struct step_formulas *formulas)
{
    struct step_formulas *copy = copy_of(formulas, 1, sizeof(*formulas));
    if (!copy)
        return NULL;
    copy->wait_json = copy_of_text(copy->wait_json);
    copy->end_json = copy_of_text(copy->end_json);
    return copy;
}

static void copy_step(struct step_state *copy)
{
    copy->formulas = copy_of_formulas(copy->formulas);
    copy->trees = copy_of(copy->trees, 1, sizeof(*copy->trees));
    copy->verdict_json = copy_of_text(copy->verdict_json);
    copy->hint = copy_of(copy->hint, 1, sizeof(*copy->hint));
    copy->attempts = copy_of(copy->attempts, copy->attempt_count, sizeof(*copy->attempts));
    copy->attempt_cap = copy->attempt_count;
    for (size_t i = 0; i < copy->attempt_count; i++) {
        struct attempt_state *attempt = &copy->attempts[i];
        attempt->correction = copy_of(attempt->correction, 1, sizeof(*attempt->correction));
        attempt->hint = copy_of(attempt->hint, 1, sizeof(*attempt->hint));
    }
}

static void copy_task(struct task_state *copy)
{
    copy->circles = copy_of_circles(copy->circles);
    copy->place = copy_of_place(copy->place);
    copy->agent = copy_of_agent(copy->agent);
    copy->pauses = copy_of_pauses(copy->pauses);
    copy->by = copy_of_text(copy->by);
}

static void copy_heap(struct heap *copy)
{
    const size_t size = (size_t)copy->cap;
    copy->items = copy_of(copy->items, size, sizeof(*copy->items));
    copy->places = copy_of(copy->places, size, sizeof(*copy->places));
    copy->keys = copy_of(copy->keys, size, sizeof(*copy->keys));
}

static void copy_set(struct number_set *copy)
{
    copy->words = copy_of(copy->words, number_set_words(copy), sizeof(*copy->words));
}

bool run_state_can_copy(const struct run_state *state)
{
    return !state->growing;
}

void run_state_copy(struct run_state *out, const struct run_state *state)
{
    const struct plan *plan = state->plan;
    assert(run_state_can_copy(state));
    *out = *state;
    out->past = NULL;
    out->tasks = copy_of(state->tasks, (size_t)plan->task_count + 1, sizeof(*state->tasks));
    out->steps = copy_of(state->steps, (size_t)plan->step_count + 1, sizeof(*state->steps));
    out->gates = copy_of(state->gates, (size_t)plan->source_count + 1, sizeof(*state->gates));
    copy_set(&out->ready);
    copy_heap(&out->waits);
    copy_heap(&out->walls);
    for (int i = 0; i < plan->source_count; i++)
        copy_set(&out->gates[i].line);
    for (int i = 0; i < plan->step_count; i++)
        copy_step(&out->steps[i]);
    for (int i = 0; i < plan->task_count; i++) {
        out->tasks[i].steps = out->steps + (state->tasks[i].steps - state->steps);
        copy_task(&out->tasks[i]);
    }
}
