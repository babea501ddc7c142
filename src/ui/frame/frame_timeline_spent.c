/* frame_timeline_spent.c - where the time of all tasks went, below the bars. */
#include <string.h>

#include "clock.h"
#include "frame_parts.h"
#include "frame_timeline_parts.h"
#include "shown.h"
#include "text.h"
#include "time_spent.h"

enum { SPENT_LABEL = 7, SPENT_BAR_MAX = 42, SPENT_NUMBERS = 17 };

void timeline_put_line(struct timeline_lines *lines, const struct str *text)
{
    const struct frame_box *box = lines->box;
    if (lines->row >= box->row + box->rows || text->len == 0)
        return;
    (void)frame_put(lines->canvas, (struct spot){lines->row, box->column + 1, box->columns - 1},
                    STYLE_PLAIN, str_text(text));
    lines->row++;
}

/* "work  ####------  69 %   39:44" and what there is to say of it. */
static void put_spent(struct timeline_lines *lines, const struct time_spent *spent,
                      enum time_use use, const char *note)
{
    const struct frame_box *box = lines->box;
    const int left = box->columns - 1 - SPENT_LABEL - SPENT_NUMBERS;
    const int room = left * 2 / 3 < SPENT_BAR_MAX ? left * 2 / 3 : SPENT_BAR_MAX;
    const int percent = time_spent_percent(spent, use);
    struct str text = {0};
    struct str time = {0};
    if (lines->row >= box->row + box->rows)
        return;
    int filled = spent->total_ms > 0
                     ? (int)((double)room * (double)spent->ms[use] / (double)spent->total_ms)
                     : 0;
    if (filled == 0 && spent->ms[use] > 0)
        filled = 1; /* it is little, but not nothing */
    str_addf(&text, "%-6s", time_use_name(use));
    for (int i = 0; i < room; i++)
        str_add_char(&text, i < filled ? '#' : '-');
    shown_duration(spent->ms[use], &time);
    str_addf(&text, " %3d %% %7s", percent, str_text(&time));
    const int note_columns = box->columns - 1 - text_width(text.data, text.len) - 2;
    if (*note != '\0' && text_width(note, strlen(note)) <= note_columns)
        str_addf(&text, "  %s", note);
    timeline_put_line(lines, &text);
    str_done(&text);
    str_done(&time);
}

/* "timeout 5:48  test-fail 3:23": as many as `most`. */
static void add_classes(const struct time_spent *spent, int most, struct str *out)
{
    for (int i = 0; i < spent->class_count && i < most; i++) {
        str_add(out, i > 0 ? "   " : "");
        failure_class_word(&spent->classes[i].class, out);
        str_add(out, " ");
        shown_duration(spent->classes[i].waited_ms, out);
    }
}

static void add_longest(const struct time_spent *spent, const struct plan *plan, enum time_use use,
                        struct str *out)
{
    if (spent->longest_task[use] >= 0)
        str_add(out, plan->tasks[spent->longest_task[use]].id);
}

static void put_use(struct timeline_lines *lines, const struct time_spent *spent,
                    const struct plan *plan, enum time_use use)
{
    struct str note = {0};
    if (use == TIME_WAIT)
        add_classes(spent, 1, &note);
    else if (use != TIME_WORK)
        add_longest(spent, plan, use, &note);
    put_spent(lines, spent, use, str_text(&note));
    str_done(&note);
}

static void add_since(const struct run_state *state, struct str *out)
{
    char text[CLOCK_TEXT_MAX];
    str_add(out, "where the time went, all tasks");
    if (state->started)
        str_addf(out, ", since %s", clock_short(state->started_at.at_ms, state->last.at_ms, text));
}

static void put_counts(struct timeline_lines *lines, const struct time_spent *spent,
                       const struct run_state *state)
{
    struct str text = {0};
    str_addf(&text, "tries %d   failed %d   running %d   passed %d   stopped %d", spent->attempts,
             spent->failed, state->running, state->counts[TASK_PASSED],
             state->counts[TASK_CANCELLED]);
    timeline_put_line(lines, &text);
    str_done(&text);
}

void timeline_draw_spent(struct timeline_look *look, const struct frame_box *box)
{
    const struct run_state *state = look->input->facts->state;
    const struct time_spent *spent = &look->input->view->timeline.sum.spent;
    enum { ROWS_ROOMY = 7 };
    const bool is_beside = box->column > 0;
    const bool is_roomy = is_beside || box->rows >= ROWS_ROOMY;
    struct timeline_lines lines = {look->canvas, box, box->row + 1};
    struct str text = {0};
    add_since(state, &text);
    if (is_beside)
        (void)frame_put(look->canvas, (struct spot){box->row, box->column + 1, box->columns - 1},
                        STYLE_HEAD, str_text(&text));
    else
        frame_rule(look->canvas, (struct spot){box->row, box->column, box->columns},
                   str_text(&text), "");
    for (int use = 0; use < TIME_USE_COUNT; use++)
        put_use(&lines, spent, state->plan, (enum time_use)use);
    str_clear(&text);
    if (is_roomy && spent->class_count > 1) {
        str_add(&text, "waits: ");
        add_classes(spent, 4, &text);
        timeline_put_line(&lines, &text);
    }
    if (is_roomy)
        put_counts(&lines, spent, state);
    str_done(&text);
}
