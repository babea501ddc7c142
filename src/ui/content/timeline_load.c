#include "timeline_load.h"

#include <ctype.h>

#include "run_state.h"

static bool is_taken(const struct timeline_load *load, char letter)
{
    for (int i = 0; i < load->class_count; i++) {
        if (load->classes[i].letter == letter)
            return true;
    }
    return false;
}

/* The first letter of its word that is free, as a capital if it can be. */
static char pick_letter(const struct timeline_load *load, const struct failure_class *class)
{
    struct str word = {0};
    char found = TIMELINE_LOAD_SEVERAL;
    failure_class_word(class, &word);
    for (size_t i = 0; i < word.len && found == TIMELINE_LOAD_SEVERAL; i++) {
        const unsigned char c = (unsigned char)word.data[i];
        if (isalpha(c) && !is_taken(load, (char)toupper(c)))
            found = (char)toupper(c);
        else if (isalpha(c) && !is_taken(load, (char)tolower(c)))
            found = (char)tolower(c);
    }
    str_done(&word);
    return found;
}

static char letter_of(struct timeline_load *load, const struct failure_class *class)
{
    for (int i = 0; i < load->class_count; i++) {
        if (!failure_class_equals(&load->classes[i].class, class))
            continue;
        load->classes[i].count++;
        return load->classes[i].letter;
    }
    if (load->class_count == TIMELINE_LOAD_CLASSES_MAX)
        return TIMELINE_LOAD_SEVERAL;
    const char letter = pick_letter(load, class);
    load->classes[load->class_count++] = (struct timeline_load_class){*class, letter, 1};
    return letter;
}

/* What is told of a task's spans. */
struct told {
    const struct run_state *state;
    const struct timeline_axis *axis;
    int task;
    int64_t now_ms;
};

static void add_span(struct timeline_load *load, const struct told *told, const struct span *span)
{
    const struct timeline_axis *axis = told->axis;
    const bool runs = span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
    const int first = axis_column(axis, span->from_ms);
    const int last =
        axis_column(axis, span->until_ms > span->from_ms ? span->until_ms - 1 : span->from_ms);
    /* Counted at the end of a column: no try is counted twice in one that it ends in. */
    for (int i = first > 0 ? first : 0; runs && i < axis->columns && i <= last; i++)
        load->running[i] += i < last || span->until_ms >= told->now_ms;
    if (span->end < SPAN_END_FAILED || last < 0 || last >= axis->columns)
        return;
    const struct attempt_state *attempt = span_attempt(span, told->state, told->task);
    if (!attempt)
        return;
    const struct failure_class class = failure_class_of(attempt);
    const char letter = letter_of(load, &class);
    load->failed[last] =
        load->failed[last] == 0 || load->failed[last] == letter ? letter : TIMELINE_LOAD_SEVERAL;
}

void timeline_load_read(struct timeline_load *load, const struct run_state *state,
                        const struct timeline_axis *axis, const struct moment *now, bool orphaned)
{
    struct timeline timeline = {0};
    *load = (struct timeline_load){0};
    for (int task = 0; task < state->plan->task_count; task++) {
        const struct told told = {state, axis, task, now->mono_ms};
        timeline_read(&timeline, state, task, now, orphaned);
        for (size_t i = 0; i < timeline.count; i++)
            add_span(load, &told, &timeline.spans[i]);
    }
    timeline_done(&timeline);
}
