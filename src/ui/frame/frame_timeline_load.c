/* frame_timeline_load.c - how many tries ran at a time, and what failed, below the bars. */
#include <ctype.h>
#include <string.h>

#include "failure_class.h"
#include "frame_timeline_parts.h"

enum { CLASSES_MAX = 12, DIGIT_MAX = 9 };

/* A class of failures, and the letter that stands for it. */
struct load_class {
    struct failure_class class;
    char letter;
    int count;
};

struct load {
    const struct timeline_look *look;
    int running[CANVAS_COLUMNS_MAX];
    char failed[CANVAS_COLUMNS_MAX]; /* 0 = none */
    struct load_class classes[CLASSES_MAX];
    int class_count;
};

static const char several = '*'; /* failures of several classes in one column */

static bool is_taken(const struct load *load, char letter)
{
    for (int i = 0; i < load->class_count; i++) {
        if (load->classes[i].letter == letter)
            return true;
    }
    return false;
}

/* The first letter of its word that is free, as a capital if it can be. */
static char pick_letter(const struct load *load, const struct failure_class *class)
{
    struct str word = {0};
    char found = several;
    failure_class_word(class, &word);
    for (size_t i = 0; i < word.len && found == several; i++) {
        const unsigned char c = (unsigned char)word.data[i];
        if (isalpha(c) && !is_taken(load, (char)toupper(c)))
            found = (char)toupper(c);
        else if (isalpha(c) && !is_taken(load, (char)tolower(c)))
            found = (char)tolower(c);
    }
    str_done(&word);
    return found;
}

static char letter_of(struct load *load, const struct failure_class *class)
{
    for (int i = 0; i < load->class_count; i++) {
        if (!failure_class_equals(&load->classes[i].class, class))
            continue;
        load->classes[i].count++;
        return load->classes[i].letter;
    }
    if (load->class_count == CLASSES_MAX)
        return several;
    const char letter = pick_letter(load, class);
    load->classes[load->class_count++] = (struct load_class){*class, letter, 1};
    return letter;
}

static void add_span(struct load *load, const struct span *span, int task, int64_t now_ms)
{
    const struct timeline_axis *axis = &load->look->axis;
    const bool runs = span->kind == SPAN_RUNNING || span->kind == SPAN_QUIET;
    const int first = axis_column(axis, span->from_ms);
    const int last =
        axis_column(axis, span->until_ms > span->from_ms ? span->until_ms - 1 : span->from_ms);
    /* Counted at the end of a column: no try is counted twice in one that it ends in. */
    for (int i = first > 0 ? first : 0; runs && i < axis->columns && i <= last; i++)
        load->running[i] += i < last || span->until_ms >= now_ms;
    if (span->end < SPAN_END_FAILED || last < 0 || last >= axis->columns)
        return;
    const struct attempt_state *attempt = span_attempt(span, load->look->input->facts->state, task);
    if (!attempt)
        return;
    const struct failure_class class = failure_class_of(attempt);
    const char letter = letter_of(load, &class);
    load->failed[last] = load->failed[last] == 0 || load->failed[last] == letter ? letter : several;
}

static void gather(struct load *load)
{
    const struct frame_input *input = load->look->input;
    const struct run_state *state = input->facts->state;
    const struct moment now = frame_now(input);
    struct timeline timeline = {0};
    for (int task = 0; task < state->plan->task_count; task++) {
        timeline_read(&timeline, state, task, &now, input->facts->orphaned);
        for (size_t i = 0; i < timeline.count; i++)
            add_span(load, &timeline.spans[i], task, now.mono_ms);
    }
    timeline_done(&timeline);
}

static void draw_running(const struct load *load, int row)
{
    const struct timeline_look *look = load->look;
    for (int i = 0; i < look->axis.columns; i++) {
        const int count = load->running[i];
        char text[2] = {count > DIGIT_MAX ? '+' : (char)('0' + count), '\0'};
        if (count > 0)
            (void)canvas_text(look->canvas, (struct spot){row, look->column + i, 1}, STYLE_PLAIN,
                              text);
    }
}

static void draw_failed(const struct load *load, int row)
{
    const struct timeline_look *look = load->look;
    for (int i = 0; i < look->axis.columns; i++) {
        char text[2] = {load->failed[i], '\0'};
        if (load->failed[i] != 0)
            (void)canvas_text(look->canvas, (struct spot){row, look->column + i, 1}, STYLE_FAILED,
                              text);
    }
}

/* "T test-fail 8   t timeout 6   * several at once" */
static void add_letters(const struct load *load, struct str *out)
{
    for (int i = 0; i < load->class_count; i++) {
        str_addf(out, "%s%c ", i > 0 ? "   " : "", load->classes[i].letter);
        failure_class_word(&load->classes[i].class, out);
        str_addf(out, " %d", load->classes[i].count);
    }
    if (load->class_count == 0)
        str_add(out, "nothing failed");
    if (memchr(load->failed, several, sizeof(load->failed)))
        str_addf(out, "   %c several classes", several);
}

void timeline_draw_load(struct timeline_look *look, int row)
{
    struct load load = {.look = look};
    struct canvas *canvas = look->canvas;
    struct str text = {0};
    gather(&load);
    frame_rule(canvas, (struct spot){row, 0, canvas->columns}, "load and failures", "");
    str_addf(&text, "running (of %d slots)", look->input->facts->state->jobs);
    (void)frame_put(canvas, (struct spot){row + 1, 1, look->column - 2}, STYLE_LABEL, text.data);
    draw_running(&load, row + 1);
    (void)frame_put(canvas, (struct spot){row + 2, 1, look->column - 2}, STYLE_LABEL,
                    "failures by class");
    draw_failed(&load, row + 2);
    str_clear(&text);
    add_letters(&load, &text);
    (void)frame_put(canvas, (struct spot){row + 3, 1, canvas->columns - 2}, STYLE_LABEL,
                    str_text(&text));
    str_done(&text);
}
