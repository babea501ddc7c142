/* capture_loop.c - a capture's part about going in circles. */
#include "capture_parts.h"

#include <string.h>

#include "normaliser.h"
#include "shown.h"

/* What was masked, in words. */
static void add_masks(struct str *out, unsigned masks)
{
    const char *comma = "";
    str_json_key(out, "masks");
    str_add_char(out, '[');
    for (int i = 0; i < NORMALISER_MASK_COUNT; i++) {
        if ((masks & 1U << i) == 0)
            continue;
        const char *words = normaliser_mask_words((enum normaliser_mask)i);
        str_add(out, comma);
        str_add_json(out, words, strlen(words));
        comma = ",";
    }
    str_add_char(out, ']');
}

/* Lines as they came beside what was compared. */
static void add_sample(struct str *out, const char *key, const struct entropy_sample *sample)
{
    str_json_key(out, key);
    str_add_char(out, '[');
    for (int i = 0; sample && i < sample->count; i++) {
        str_add(out, i > 0 ? ",{" : "{");
        str_json_text(out, "raw", sample->lines[i].raw);
        str_json_text(out, "normal", sample->lines[i].normal);
        str_add_char(out, '}');
    }
    str_add_char(out, ']');
}

/* Equal results that filled a window of the policy: where they begin and end. */
static void add_window(struct str *out, const struct step_state *step, int attempt)
{
    str_json_i64(out, "count", step->same);
    str_json_i64(out, "first", attempt - step->same + 1);
    str_json_i64(out, "last", attempt);
    str_json_text(out, "equal", "the results");
}

void capture_loop(struct capture_writer *writer)
{
    const struct capture_facts *facts = writer->facts;
    const struct event *event = facts->event;
    const struct task_state *task = &facts->state->tasks[event->task];
    const bool is_of_calls = task->agent && task->agent->is_stuck;
    const struct circles *circles = is_of_calls ? task->agent->calls : task->circles;
    const struct entropy_memory *memory = facts->memory;
    const struct entropy_sample *first = facts->knows_first ? entropy_memory_first(memory) : NULL;
    const struct entropy_sample *last = memory ? entropy_memory_last(memory) : NULL;
    struct str *out = writer->out;
    if (event->a != DECISION_ENTROPY)
        return;
    str_json_key(out, "loop");
    str_add_char(out, '{');
    if (is_of_calls)
        str_json_bool(out, "calls", true);
    if (circles && circles->verdict.level == ENTROPY_STUCK) {
        circles_to_json(circles, event->step, 0, out);
        str_json_text(out, "equal", shown_circles_equal(&circles->verdict));
    } else if (step_state_latest(writer->step)->reason == REASON_LOOP) {
        str_json_text(out, "of", "agent");
    } else {
        add_window(out, writer->step, event->attempt);
    }
    add_masks(out, (first ? first->masks : 0) | (last ? last->masks : 0));
    add_sample(out, "first_lines", first);
    add_sample(out, "last_lines", last);
    str_add_char(out, '}');
}
