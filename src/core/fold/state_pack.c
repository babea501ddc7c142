#include "state_pack.h"

#include <assert.h>
#include <string.h>

#include "entropy_window.h"
#include "xalloc.h"

enum { WORD_BYTES = 8, ZEROS_MAX = 255, WORDS_AT_ONCE = 32 };

/* How many of a word's bytes there are, the low ones first, and these; of zeros in a row a 0 and
 * how many words. */
static size_t pack_word(unsigned char *out, uint64_t word)
{
    unsigned char len = 0;
    for (int i = 0; i < WORD_BYTES; i++)
        out[1 + i] = (unsigned char)(word >> 8 * i);
    for (; word != 0; word >>= 8)
        len++;
    out[0] = len;
    return 1 + (size_t)len;
}

static uint64_t word_at(const unsigned char *words, size_t at)
{
    uint64_t word;
    memcpy(&word, words + at, sizeof(word));
    return word;
}

/* Low bytes first, on every machine. */
static uint64_t unpack_word(const unsigned char *packed, unsigned len)
{
    uint64_t word = 0;
    for (int i = 0; i < WORD_BYTES; i++)
        word |= (uint64_t)packed[i] << 8 * i;
    return word & UINT64_MAX >> 8 * (WORD_BYTES - len);
}

static size_t count_zeros(const unsigned char *words, size_t at, size_t size)
{
    size_t zeros = 0;
    while (at + zeros * WORD_BYTES < size && zeros < ZEROS_MAX &&
           word_at(words, at + zeros * WORD_BYTES) == 0)
        zeros++;
    return zeros;
}

/* Words of 8 bytes: `size` is a multiple of that. */
static void pack_words(struct str *out, const void *words, size_t size)
{
    const unsigned char *bytes = words;
    unsigned char packed[WORDS_AT_ONCE * (1 + WORD_BYTES)];
    size_t len = 0;
    assert(size % WORD_BYTES == 0);
    for (size_t at = 0; at < size;) {
        const size_t zeros = count_zeros(bytes, at, size);
        if (zeros > 0) {
            packed[len++] = 0;
            packed[len++] = (unsigned char)zeros;
            at += zeros * WORD_BYTES;
        } else {
            len += pack_word(packed + len, word_at(bytes, at));
            at += WORD_BYTES;
        }
        if (len > sizeof(packed) - (1 + WORD_BYTES)) {
            str_add_n(out, (const char *)packed, len);
            len = 0;
        }
    }
    str_add_n(out, (const char *)packed, len);
}

static void unpack_words(struct unpack *from, void *words, size_t size)
{
    unsigned char *bytes = words;
    const unsigned char *packed = from->at;
    size_t at = 0;
    while (at < size) {
        const unsigned len = *packed++;
        if (len == 0) {
            const size_t zeros = (size_t)*packed++ * WORD_BYTES;
            memset(bytes + at, 0, zeros);
            at += zeros;
            continue;
        }
        const uint64_t word = unpack_word(packed, len);
        memcpy(bytes + at, &word, sizeof(word));
        packed += len;
        at += WORD_BYTES;
    }
    from->at = packed;
}

/* A block that is there; whether it is, the pointer to it says, which is packed before. */
static void pack_block(struct str *out, const void *block, size_t size)
{
    if (block)
        pack_words(out, block, size);
}

static void *unpack_block(struct unpack *from, const void *was_there, size_t size)
{
    if (!was_there)
        return NULL;
    void *block = xcalloc(1, size);
    unpack_words(from, block, size);
    return block;
}

static void pack_text(struct str *out, const char *text)
{
    if (text)
        str_add_n(out, text, strlen(text) + 1);
}

static char *unpack_text(struct unpack *from, const char *was_there)
{
    if (!was_there)
        return NULL;
    char *text = xstrdup((const char *)from->at);
    from->at += strlen(text) + 1;
    return text;
}

static void pack_circles(struct str *out, const struct circles *circles)
{
    pack_block(out, circles, sizeof(*circles));
    const struct entropy_window *window = circles ? circles->state.window : NULL;
    pack_block(out, window, sizeof(*window));
    if (!window)
        return;
    pack_block(out, window->past, (size_t)window->cap * sizeof(*window->past));
    pack_block(out, window->asides, sizeof(*window->asides));
    pack_block(out, window->nudges, sizeof(*window->nudges));
}

static struct circles *unpack_circles(struct unpack *from, const struct circles *was_there)
{
    struct circles *circles = unpack_block(from, was_there, sizeof(*circles));
    if (!circles)
        return NULL;
    struct entropy_window *window = unpack_block(from, circles->state.window, sizeof(*window));
    circles->state.window = window;
    if (!window)
        return circles;
    const size_t size = (size_t)window->cap * sizeof(*window->past);
    window->past = unpack_block(from, window->past, size);
    window->asides = unpack_block(from, window->asides, sizeof(*window->asides));
    window->nudges = unpack_block(from, window->nudges, sizeof(*window->nudges));
    return circles;
}

static void pack_place(struct str *out, const struct task_place *place)
{
    pack_block(out, place, sizeof(*place));
    if (!place)
        return;
    pack_text(out, place->path);
    pack_text(out, place->branch);
    pack_text(out, place->result);
    pack_text(out, place->lacks);
}

static struct task_place *unpack_place(struct unpack *from, const struct task_place *was_there)
{
    struct task_place *place = unpack_block(from, was_there, sizeof(*place));
    if (!place)
        return NULL;
    place->path = unpack_text(from, place->path);
    place->branch = unpack_text(from, place->branch);
    place->result = unpack_text(from, place->result);
    place->lacks = unpack_text(from, place->lacks);
    return place;
}

static void pack_agent(struct str *out, const struct task_agent *agent)
{
    pack_block(out, agent, sizeof(*agent));
    if (!agent)
        return;
    pack_text(out, agent->agent);
    pack_text(out, agent->session);
    pack_text(out, agent->repair);
    pack_text(out, agent->nudge);
    pack_text(out, agent->said);
    pack_text(out, agent->refused);
    pack_block(out, agent->hint, sizeof(*agent->hint));
    pack_circles(out, agent->calls);
}

static struct task_agent *unpack_agent(struct unpack *from, const struct task_agent *was_there)
{
    struct task_agent *agent = unpack_block(from, was_there, sizeof(*agent));
    if (!agent)
        return NULL;
    agent->agent = unpack_text(from, agent->agent);
    agent->session = unpack_text(from, agent->session);
    agent->repair = unpack_text(from, agent->repair);
    agent->nudge = unpack_text(from, agent->nudge);
    agent->said = unpack_text(from, agent->said);
    agent->refused = unpack_text(from, agent->refused);
    agent->hint = unpack_block(from, agent->hint, sizeof(*agent->hint));
    agent->calls = unpack_circles(from, agent->calls);
    return agent;
}

static void pack_pauses(struct str *out, const struct task_pauses *pauses)
{
    pack_block(out, pauses, sizeof(*pauses));
    if (pauses)
        pack_words(out, pauses->items, pauses->count * sizeof(*pauses->items));
}

static struct task_pauses *unpack_pauses(struct unpack *from, const struct task_pauses *was_there)
{
    struct task_pauses *pauses = unpack_block(from, was_there, sizeof(*pauses));
    if (!pauses)
        return NULL;
    pauses->items = unpack_block(from, pauses->items, pauses->count * sizeof(*pauses->items));
    pauses->cap = pauses->count;
    return pauses;
}

static void pack_formulas(struct str *out, const struct step_formulas *formulas)
{
    pack_block(out, formulas, sizeof(*formulas));
    if (!formulas)
        return;
    pack_text(out, formulas->wait_json);
    pack_text(out, formulas->end_json);
}

static struct step_formulas *unpack_formulas(struct unpack *from,
                                             const struct step_formulas *was_there)
{
    struct step_formulas *formulas = unpack_block(from, was_there, sizeof(*formulas));
    if (!formulas)
        return NULL;
    formulas->wait_json = unpack_text(from, formulas->wait_json);
    formulas->end_json = unpack_text(from, formulas->end_json);
    return formulas;
}

static void pack_step(struct str *out, const struct step_state *step)
{
    pack_words(out, step, sizeof(*step));
    pack_formulas(out, step->formulas);
    pack_block(out, step->trees, sizeof(*step->trees));
    pack_text(out, step->verdict_json);
    pack_block(out, step->hint, sizeof(*step->hint));
}

static void unpack_step(struct unpack *from, struct step_state *step)
{
    unpack_words(from, step, sizeof(*step));
    step->formulas = unpack_formulas(from, step->formulas);
    step->trees = unpack_block(from, step->trees, sizeof(*step->trees));
    step->verdict_json = unpack_text(from, step->verdict_json);
    step->hint = unpack_block(from, step->hint, sizeof(*step->hint));
    step->attempts = NULL;
    step->attempt_count = 0;
    step->attempt_cap = 0;
}

void pack_task(struct str *out, const struct task_state *task, int steps)
{
    pack_words(out, task, sizeof(*task));
    pack_circles(out, task->circles);
    pack_place(out, task->place);
    pack_agent(out, task->agent);
    pack_pauses(out, task->pauses);
    pack_text(out, task->by);
    for (int i = 0; i < steps; i++)
        pack_step(out, &task->steps[i]);
}

void unpack_task(struct unpack *from, struct task_state *task, int steps)
{
    struct step_state *const where = task->steps;
    unpack_words(from, task, sizeof(*task));
    task->steps = where;
    task->circles = unpack_circles(from, task->circles);
    task->place = unpack_place(from, task->place);
    task->agent = unpack_agent(from, task->agent);
    task->pauses = unpack_pauses(from, task->pauses);
    task->by = unpack_text(from, task->by);
    for (int i = 0; i < steps; i++)
        unpack_step(from, &task->steps[i]);
}

void pack_attempts(struct str *out, const struct attempt_state *attempts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        pack_words(out, &attempts[i], sizeof(attempts[i]));
        pack_block(out, attempts[i].correction, sizeof(*attempts[i].correction));
        pack_block(out, attempts[i].hint, sizeof(*attempts[i].hint));
    }
}

void unpack_attempts(struct unpack *from, struct attempt_state *attempts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct attempt_state *attempt = &attempts[i];
        unpack_words(from, attempt, sizeof(*attempt));
        attempt->correction = unpack_block(from, attempt->correction, sizeof(*attempt->correction));
        attempt->hint = unpack_block(from, attempt->hint, sizeof(*attempt->hint));
    }
}

static void pack_heap(struct str *out, const struct heap *heap)
{
    for (int i = 0; i < heap->count; i++) {
        const int64_t pair[] = {heap->items[i], heap->keys[heap->items[i]]};
        pack_words(out, pair, sizeof(pair));
    }
}

/* Its count is what it is to be; `was` is what it was, with the memory. */
static void unpack_heap(struct unpack *from, struct heap *heap, const struct heap *was)
{
    const int count = heap->count;
    *heap = *was;
    while (heap->count > 0)
        heap_remove(heap, heap->items[heap->count - 1]);
    for (int i = 0; i < count; i++) {
        int64_t pair[2];
        unpack_words(from, pair, sizeof(pair));
        heap_put(heap, (int)pair[0], pair[1]);
    }
}

static void pack_set(struct str *out, const struct number_set *set)
{
    pack_words(out, set->words, number_set_words(set) * sizeof(*set->words));
}

/* `was` is what it was, with the memory; a set that is kept has the same numbers to choose from. */
static void unpack_set(struct unpack *from, struct number_set *set, const struct number_set *was)
{
    const int count = set->count;
    *set = *was;
    set->count = count;
    unpack_words(from, set->words, number_set_words(set) * sizeof(*set->words));
}

void pack_run(struct str *out, const struct run_state *state)
{
    const int sources = state->plan->source_count;
    pack_words(out, state, sizeof(*state));
    pack_set(out, &state->ready);
    pack_heap(out, &state->waits);
    pack_heap(out, &state->walls);
    for (int i = 0; i < sources; i++) {
        pack_words(out, &state->gates[i], sizeof(state->gates[i]));
        pack_set(out, &state->gates[i].line);
    }
}

void unpack_run(struct unpack *from, struct run_state *state)
{
    const struct run_state was = *state;
    unpack_words(from, state, sizeof(*state));
    state->plan = was.plan;
    state->growing = was.growing;
    state->past = was.past;
    state->tasks = was.tasks;
    state->steps = was.steps;
    state->gates = was.gates;
    unpack_set(from, &state->ready, &was.ready);
    unpack_heap(from, &state->waits, &was.waits);
    unpack_heap(from, &state->walls, &was.walls);
    for (int i = 0; i < state->plan->source_count; i++) {
        const struct number_set line = state->gates[i].line;
        unpack_words(from, &state->gates[i], sizeof(state->gates[i]));
        unpack_set(from, &state->gates[i].line, &line);
    }
}
