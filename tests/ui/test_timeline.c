#include <string.h>

#include "attr.h"
#include "golden.h"
#include "stage.h"
#include "test_main.h"
#include "timeline.h"
#include "timeline_axis.h"

static void set_up(void)
{
    stage_open(story_init_day, "T-104");
    trail_go(&view.trail, SCREEN_TIMELINE);
}

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
} sizes[] = {
    {"timeline-80x24", 24, 80, false},      {"timeline-80x24-ascii", 24, 80, true},
    {"timeline-140x40", 40, 140, false},    {"timeline-140x40-ascii", 40, 140, true},
    {"timeline-84x46", 46, 84, false},      {"timeline-60x20", 20, 60, false},
    {"timeline-60x20-ascii", 20, 60, true}, {"timeline-40x12", 12, 40, false},
    {"timeline-40x12-ascii", 12, 40, true}, {"timeline-24x3", 3, 24, false},
    {"timeline-24x3-ascii", 3, 24, true},
};

START_TEST(test_P4_the_timeline_is_as_it_was_drawn)
{
    stage_draw(sizes[_i].rows, sizes[_i].columns, sizes[_i].ascii);
    golden_check(&canvas, sizes[_i].name);
}
END_TEST

/* The totals of the mock-ups. */
START_TEST(test_the_time_of_the_day_adds_up)
{
    struct time_spent spent;
    struct str words = {0};
    time_spent_of_run(&spent, &story.state, &story.now, false);
    time_spent_words(&spent, &words);
    ck_assert_str_eq(str_text(&words),
                     "work 39:44 (69%), wait 10:31 (18%; timeout 5:48, test-fail 3:23, "
                     "rate-limit 1:20), you 2:41 (5%), quiet 4:50 (8%)");
    ck_assert_int_eq(spent.failed, 17);
    str_done(&words);
}
END_TEST

/* A column's start time maps to that column, at any zoom and with any folds. Check writes to a pipe
 * at each assertion, so there is none for each column. */
static void check_axis(const struct timeline_axis *axis)
{
    int first = 0;
    for (int column = 0; column < axis->columns; column++) {
        const int64_t ms = axis_time(axis, column);
        const int fold = axis_fold_at(axis, column, &first);
        bool is_right = axis_column(axis, ms) == (fold >= 0 ? first : column);
        if (fold >= 0) {
            const int middle = axis_column(axis, ms + axis->folds[fold].ms / 2);
            is_right = is_right && axis_fold_at(axis, middle, &first) == fold;
        } else {
            is_right = is_right && axis_column(axis, ms - 1) == column - 1;
        }
        if (!is_right)
            ck_abort_msg("column %d of %d", column, axis->columns);
    }
}

START_TEST(test_an_axis_is_the_same_both_ways)
{
    const struct stretch idle[] = {{500000, 1100000}, {2000000, 9000000}};
    struct axis_window window = {.whole = {123457, 123457 + (int64_t)(_i + 1) * _i * 98765},
                                 .now = {1763646600000, 5000000},
                                 .idle = idle,
                                 .idle_count = _i % 3};
    while (window.idle_count > 0 && idle[window.idle_count - 1].until_ms > window.whole.until_ms)
        window.idle_count--;
    struct timeline_axis axis;
    for (int columns = 1; columns <= 130; columns += 43) {
        for (window.zoom = 0; window.zoom < 8; window.zoom++) {
            window.centre_ms = window.whole.from_ms + (int64_t)_i * 100000;
            axis_make(&axis, &window, columns);
            check_axis(&axis);
        }
        window.zoom = 0;
        axis_make(&axis, &window, columns);
        ck_assert_int_ge(axis_column(&axis, window.whole.from_ms), 0);
        ck_assert_int_lt(axis_column(&axis, window.whole.until_ms), columns);
    }
}
END_TEST

static const struct {
    enum span_end ends[3];
    const char *bar; /* when all spans are in the first columns */
} end_cases[] = {
    {{SPAN_END_FAILED, SPAN_END_NONE, SPAN_END_PASSED}, "✗✓"},
    {{SPAN_END_GAVE_UP, SPAN_END_NONE, SPAN_END_PASSED}, "■✓"},
    {{SPAN_END_PASSED, SPAN_END_NONE, SPAN_END_NONE}, "G✓"},
    {{SPAN_END_FAILED, SPAN_END_GAVE_UP, SPAN_END_FAILED}, "■✗"},
};

/* With two ends in one column, the last one, which matches the task's state, is shown. */
START_TEST(test_last_end_of_a_row_is_told)
{
    struct plan_step step = {.phase = PHASE_GREEN};
    const struct plan_task plan = {.steps = &step, .step_count = 1};
    const struct axis_window window = {.whole = {0, 100000}, .now = {1763646600000, 100000}};
    struct timeline_axis axis;
    struct bar_cell cells[10];
    struct span spans[4] = {{.kind = SPAN_RUNNING, .attempt = 1, .until_ms = 12000}};
    for (int i = 0; i < 3; i++) {
        spans[i + 1] = (struct span){.kind = i == 1 ? SPAN_OVER : SPAN_RUNNING,
                                     .end = end_cases[_i].ends[i],
                                     .attempt = i + 2,
                                     .from_ms = 12000 + 1000 * i,
                                     .until_ms = 13000 + 1000 * i};
    }
    const struct timeline timeline = {.spans = spans, .count = 4};
    axis_make(&axis, &window, 10);
    bar_make(&timeline, &plan, &axis, cells);
    struct str bar = {0};
    for (int i = 0; i < 10; i++)
        str_add(&bar, strcmp(cells[i].sign, " ") == 0 ? "" : cells[i].sign);
    ck_assert_str_eq(str_text(&bar), end_cases[_i].bar);
    str_done(&bar);
}
END_TEST

/* At each moment of the day, everything is drawn within its area. */
START_TEST(test_every_moment_of_a_run_can_be_drawn)
{
    static const int widths[] = {20, 40, 80, 140};
    const int rows = widths[_i] / 3 > 4 ? widths[_i] / 3 : 4;
    story_done(&story);
    story_begin_day(&story);
    facts.state = &story.state;
    facts.log = &story.tail;
    for (int at = 0; at <= STORY_DAY_S; at += 13) {
        story_done(&story);
        story_begin_day(&story);
        story_tell_day(&story, at);
        facts.now = facts.clock = story.now;
        stage_draw(rows, widths[_i], at % 2 == 0);
        ck_assert_int_eq(view_screen(&view), SCREEN_TIMELINE);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timeline");
    TCase *frames = test_case(suite, "frames");
    tcase_add_checked_fixture(frames, set_up, stage_close);
    tcase_add_loop_test(frames, test_P4_the_timeline_is_as_it_was_drawn, 0, ARRAY_LEN(sizes));
    tcase_add_test(frames, test_the_time_of_the_day_adds_up);
    tcase_add_loop_test(frames, test_every_moment_of_a_run_can_be_drawn, 0, 4);
    TCase *axis = test_case(suite, "axis");
    tcase_add_loop_test(axis, test_last_end_of_a_row_is_told, 0, ARRAY_LEN(end_cases));
    tcase_add_loop_test(axis, test_an_axis_is_the_same_both_ways, 0, 40);
    return suite;
}
