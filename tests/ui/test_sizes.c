/* Every screen at every small size: nothing is refused, nothing is drawn outside, nothing but what
 * a canvas lets through is in it. */

#include "compare.h"
#include "frame.h"
#include "stage.h"
#include "test_main.h"
#include "text.h"
#include "view.h"

static void setup(void)
{
    stage_open(story_init_full, "T-104");
}

/* A wide rune is never cut, and an ASCII canvas has ASCII only. */
static void check(int rows, int columns, bool ascii)
{
    ck_assert_int_eq(canvas.rows, rows);
    ck_assert_int_eq(canvas.columns, columns);
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            const struct cell *cell = canvas_cell(&canvas, row, column);
            const struct cell *left = canvas_cell(&canvas, row, column - 1);
            ck_assert_msg(cell->rune != 0 || (left && rune_width(left->rune) == 2), "%dx%d: %d,%d",
                          columns, rows, row, column);
            ck_assert(!ascii || (cell->rune >= 0x20 && cell->rune < 0x7f));
            ck_assert(cell->rune == 0 || rune_is_shown(cell->rune));
        }
    }
}

/* As the app does before each frame. */
static void fit_report(int rows)
{
    const size_t count = facts.report ? facts.report->count : 0;
    view_report_fit(&view, (int)count, frame_report_rows(rows, count));
}

static void draw_all_sizes(void)
{
    static const int rows[] = {1, 2, 3, 4, 5, 6, 8, 11, 14};
    static const int columns[] = {1, 2, 3, 5, 8, 13, 19, 20, 21, 30, 39, 40, 59, 60, 79, 80, 120};
    for (int i = 0; i < TABLE_LEN(rows); i++) {
        for (int k = 0; k < TABLE_LEN(columns); k++) {
            const bool ascii = (i + k) % 2 == 0;
            fit_report(rows[i]);
            stage_draw(rows[i], columns[k], ascii);
            check(rows[i], columns[k], ascii);
        }
    }
}

static const struct {
    const char *keys;
    enum view_mode mode;
} cases[] = {
    {"", VIEW_LIVE},    {"", VIEW_REPLAY},  {"", VIEW_ENDED},   {"", VIEW_INTERRUPTED},
    {"2", VIEW_LIVE},   {"2", VIEW_REPLAY}, {"3", VIEW_LIVE},   {"3", VIEW_REPLAY},
    {"4", VIEW_LIVE},   {"4", VIEW_REPLAY}, {"5", VIEW_LIVE},   {"5", VIEW_REPLAY},
    {"6", VIEW_LIVE},   {"?", VIEW_LIVE},   {"?tr", VIEW_LIVE}, {"x", VIEW_LIVE},
    {"R", VIEW_LIVE},   {"q", VIEW_LIVE},   {"/no", VIEW_LIVE}, {":ho", VIEW_LIVE},
    {"s", VIEW_LIVE},   {"C", VIEW_LIVE},   {"2z", VIEW_LIVE},  {"\tz", VIEW_LIVE},
    {"b1", VIEW_LIVE},  {"!", VIEW_LIVE},   {"*", VIEW_LIVE},   {"2?", VIEW_REPLAY},
    {"m", VIEW_REPLAY}, {"L", VIEW_REPLAY}, {"=b", VIEW_LIVE},
};

START_TEST(test_every_screen_at_every_small_size)
{
    facts.mode = cases[_i].mode;
    stage_draw(24, 80, false);
    for (const char *key = cases[_i].keys; *key != '\0'; key++)
        (void)view_key(&view, (uint32_t)(unsigned char)*key, &facts);
    draw_all_sizes();
}
END_TEST

START_TEST(test_report_at_every_small_size)
{
    static struct compare compare;
    struct report_rows rows = {0};
    str_add(&compare.sides[COMPARE_FIRST].name, "#1/T-104 try 1 of GREEN");
    str_add(&compare.sides[COMPARE_SECOND].name, "#1/日本語 try 2 of GREEN");
    for (int columns = 1; columns <= 81; columns += 40) {
        const struct compare_look look = {.columns = columns, .ascii = columns > 1};
        compare_lay(&compare, &look, &rows);
        facts.report = &rows;
        view.report.kind = REPORT_COMPARE;
        view.report.top = columns; /* scrolled on a larger screen */
        draw_all_sizes();
    }
    report_rows_done(&rows);
    compare_done(&compare);
}
END_TEST

START_TEST(test_strange_titles_at_every_small_size)
{
    story_done(&story);
    view_done(&view);
    story_init_tasks(
        &story, "{\"id\": \"T-1\", \"title\": \"日本語 👩\u200d👩\u200d👧 🇩🇪 ❤\ufe0f e\u0301\u0302 "
                "\u202eevil\u202c \\u001b[2J \u061c\", \"steps\": [{\"phase\": "
                "\"GREEN\", \"run\": [\"true\"], \"idempotent\": true}]}");
    view_init(&view, story.plan->task_count);
    facts.state = &story.state;
    facts.log = &story.tail;
    story_start(&story, "T-1");
    story_say(&story, "T-1", "日本語\033[2J\tx\r\ny \xff\xfe \u2066z\n");
    view.chosen = 0;
    if (_i > 0)
        (void)view_key(&view, (uint32_t)('0' + _i), &facts);
    draw_all_sizes();
}
END_TEST

/* A banner, a gate and the lines of a replay leave the list a row, and the preview none of its. */
START_TEST(test_list_has_a_row_below_all_that_may_be_above_it)
{
    story_done(&story);
    view_done(&view);
    story_init_retries(&story);
    view_init(&view, story.plan->task_count);
    facts.state = &story.state;
    facts.mode = VIEW_REPLAY;
    facts.banner = "log not readable";
    facts.replay = &story.replay;
    const struct frame_input input = {.facts = &facts, .view = &view};
    for (int rows = 12; rows < 20; rows++) {
        for (int columns = 60; columns <= 120; columns += 20) {
            const struct frame_layout layout = frame_layout(rows, columns, &input);
            ck_assert_int_gt(layout.heads, layout.gate);
            ck_assert_int_ge(layout.list.rows, 1);
            ck_assert_int_eq(layout.preview_rule, layout.list.row + layout.list.rows);
            ck_assert_int_le(layout.preview.row + layout.preview.rows, layout.edges.bottom_rule);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sizes");
    TCase *tcase = test_case(suite, "sizes");
    tcase_add_checked_fixture(tcase, setup, stage_close);
    tcase_add_loop_test(tcase, test_every_screen_at_every_small_size, 0, TABLE_LEN(cases));
    tcase_add_test(tcase, test_report_at_every_small_size);
    tcase_add_loop_test(tcase, test_strange_titles_at_every_small_size, 0, 7);
    tcase_add_test(tcase, test_list_has_a_row_below_all_that_may_be_above_it);
    return suite;
}
