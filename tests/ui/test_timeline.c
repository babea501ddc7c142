#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attr.h"
#include "frame.h"
#include "golden.h"
#include "story.h"
#include "test_main.h"

static struct story story;
static struct view view;
static struct view_facts facts;
static struct canvas canvas;

static void set_up(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    story_init_day(&story);
    view_init(&view, story.plan->task_count);
    facts = (struct view_facts){
        .state = &story.state, .log = &story.tail, .now = story.now, .clock = story.now};
    view.chosen = story_task(&story, "T-104");
    trail_go(&view.trail, SCREEN_TIMELINE);
}

static void tear_down(void)
{
    view_done(&view);
    story_done(&story);
    canvas_done(&canvas);
}

static void draw(int rows, int columns, bool ascii)
{
    struct frame_input input = {.facts = &facts,
                                .view = &view,
                                .replay = facts.mode == VIEW_REPLAY ? &story.replay : NULL,
                                .name = "shop-api",
                                .number = 41};
    canvas_done(&canvas);
    canvas_init(&canvas, rows, columns, ascii);
    view_arrange(&view, &facts);
    frame_fit(&view, rows, columns, &input);
    frame_draw(&canvas, &input);
}

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
} sizes[] = {
    {"timeline-80x24", 24, 80, false},   {"timeline-80x24-ascii", 24, 80, true},
    {"timeline-140x40", 40, 140, false}, {"timeline-140x40-ascii", 40, 140, true},
    {"timeline-60x20", 20, 60, false},   {"timeline-60x20-ascii", 20, 60, true},
    {"timeline-40x12", 12, 40, false},   {"timeline-40x12-ascii", 12, 40, true},
    {"timeline-24x3", 3, 24, false},     {"timeline-24x3-ascii", 3, 24, true},
};

START_TEST(test_golden)
{
    draw(sizes[_i].rows, sizes[_i].columns, sizes[_i].ascii);
    golden_check(&canvas, sizes[_i].name);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("timeline");
    TCase *frames = test_case(suite, "frames");
    tcase_add_checked_fixture(frames, set_up, tear_down);
    tcase_add_loop_test(frames, test_golden, 0, ARRAY_LEN(sizes));
    return suite;
}
