/* frame_detail_head.c - how a task stands: the two lines on top of Detail. */
#include <stddef.h>

#include "agent_what.h"
#include "frame_detail_parts.h"
#include "text.h"

enum { GAP_COLUMNS = 3, PART_COUNT_MAX = 8 };

static const struct task_state *task_of(const struct detail *detail)
{
    return &detail->state->tasks[detail->task];
}

/* "phase GREEN (R✓G▸V·)". */
static void add_phase(const struct detail *detail, bool ascii, struct str *out)
{
    const int step = run_state_step_number(detail->state, detail->task);
    const struct plan_task *plan = &detail->state->plan->tasks[detail->task];
    str_addf(out, "phase %s (", phase_name(plan->steps[step].phase));
    shown_strip(detail->state, detail->task, ascii, out);
    str_add_char(out, ')');
}

/* The working time of all attempts, of a running one until now. */
static int64_t ran_ms(const struct detail *detail)
{
    const int steps = detail->state->plan->tasks[detail->task].step_count;
    const int64_t now_ms = frame_now(detail->input).mono_ms;
    int64_t sum_ms = 0;
    for (int i = 0; i < steps; i++) {
        const struct step_state *step = &task_of(detail)->steps[i];
        for (size_t n = 0; n < step->attempt_count; n++) {
            const struct attempt_state *attempt = &step->attempts[n];
            const bool ended = attempt->ended.mono_ms != 0;
            sum_ms += ended ? attempt->outcome.ran_ms - attempt->outcome.own_wait_ms
                            : now_ms - attempt->started.mono_ms;
        }
    }
    return sum_ms;
}

static void add_work_and_wait(const struct detail *detail, struct str *out)
{
    const struct step_state *step = run_state_step(detail->state, detail->task);
    str_add(out, " (ran ");
    shown_duration(ran_ms(detail), out);
    str_add(out, ", waited ");
    shown_duration(task_of(detail)->waited_ms, out);
    if (step->status == STEP_WAITING) {
        str_add(out, " + now ");
        shown_duration(frame_now(detail->input).mono_ms - step->wait_from.mono_ms, out);
    }
    str_add_char(out, ')');
}

/* "age 6:42", up to its end where it has one. */
static void add_age(const struct detail *detail, struct str *out)
{
    const struct task_state *task = task_of(detail);
    const bool is_over = task_status_is_final(task->status);
    const int64_t until_ms = is_over ? task->since.mono_ms : frame_now(detail->input).mono_ms;
    if (task->first_start.at_ms == 0)
        return;
    str_add(out, "age ");
    shown_duration(until_ms - task->first_start.mono_ms, out);
    if (detail->is_wide)
        add_work_and_wait(detail, out);
}

static void add_agent(const struct detail *detail, struct str *out)
{
    const struct task_agent *agent = task_of(detail)->agent;
    if (!agent)
        return;
    const struct agent_used used = task_agent_used(agent);
    if (used.cost_micro > 0) {
        str_add(out, "cost ");
        agent_cost_words(used.cost_micro, out);
    }
    if (detail->is_wide && agent->agent)
        str_addf(out, "%sagent %s", out->len > 0 ? "   " : "", agent->agent);
}

/* One after the other while there is room; returns the column after them. */
static int put_parts(struct canvas *canvas, struct spot spot, const struct str *parts, int count)
{
    for (int i = 0; i < count; i++) {
        const int width = text_width(str_text(&parts[i]), parts[i].len);
        if (width == 0)
            continue;
        if (width > spot.width)
            break;
        const int end = frame_put(canvas, spot, STYLE_PLAIN, str_text(&parts[i])) + GAP_COLUMNS;
        spot.width -= end - spot.column;
        spot.column = end;
    }
    return spot.column;
}

static void draw_first(struct canvas *canvas, struct spot spot, const struct detail *detail)
{
    const enum shown shown =
        shown_task(detail->state, detail->task, detail->input->facts->orphaned);
    struct str parts[PART_COUNT_MAX] = {0};
    struct str state = {0};
    str_addf(&state, "%s %s", shown_sign(shown, canvas->ascii), shown_word(shown));
    const int end = frame_put(canvas, spot, frame_style(shown), str_text(&state)) + GAP_COLUMNS;
    spot.width -= end - spot.column;
    spot.column = end;
    add_phase(detail, canvas->ascii, &parts[0]);
    shown_try_of(detail->state, detail->task, &parts[1]);
    add_age(detail, &parts[2]);
    add_agent(detail, &parts[3]);
    (void)put_parts(canvas, spot, parts, PART_COUNT_MAX);
    for (int i = 0; i < PART_COUNT_MAX; i++)
        str_done(&parts[i]);
    str_done(&state);
}

/* When it goes on, or since when it stands so; by what formula where there is room. */
static void draw_second(struct canvas *canvas, struct spot spot, const struct detail *detail)
{
    struct str parts[PART_COUNT_MAX] = {0};
    frame_add_state(detail->input, detail->task, &parts[0]);
    const int width = text_width(str_text(&parts[0]), parts[0].len);
    if (width > spot.width) {
        (void)frame_put(canvas, spot, STYLE_PLAIN, str_text(&parts[0]));
    } else {
        frame_add_bar(detail->input, detail->task, &parts[1]);
        shown_formula(run_state_step(detail->state, detail->task), &parts[2]);
        (void)put_parts(canvas, spot, parts, PART_COUNT_MAX);
    }
    for (int i = 0; i < PART_COUNT_MAX; i++)
        str_done(&parts[i]);
}

void detail_draw_head(struct canvas *canvas, const struct frame_box *box,
                      const struct detail *detail)
{
    struct spot spot = {box->row, box->column + 1, box->columns - 1};
    if (box->rows > 0)
        draw_first(canvas, spot, detail);
    spot.row++;
    if (box->rows > 1)
        draw_second(canvas, spot, detail);
}
