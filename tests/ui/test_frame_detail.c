#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frame.h"
#include "golden.h"
#include "log_reader.h"
#include "story.h"
#include "term.h"
#include "test_main.h"

static struct story story;
static struct view view;
static struct view_facts facts;
static struct canvas canvas;

static void set_up_story(void (*init)(struct story *story), const char *chosen)
{
    setenv("TZ", "UTC", 1);
    tzset();
    init(&story);
    view_init(&view, story.plan->task_count);
    facts = (struct view_facts){
        .state = &story.state, .log = &story.tail, .now = story.now, .clock = story.now};
    view.chosen = story_task(&story, chosen);
    trail_go(&view.trail, SCREEN_DETAIL);
}

static void set_up(void)
{
    set_up_story(story_init_full, "T-104");
}

static void tear_down(void)
{
    view_done(&view);
    story_done(&story);
    canvas_done(&canvas);
}

static void draw(int rows, int columns, bool ascii)
{
    struct frame_input input = {
        .facts = &facts,
        .view = &view,
        .replay = facts.mode == VIEW_REPLAY ? &story.replay : NULL,
        .name = "shop-api",
        .number = 41,
    };
    canvas_done(&canvas);
    canvas_init(&canvas, rows, columns, ascii);
    view_arrange(&view, &facts);
    frame_fit(&view, rows, columns, &input);
    frame_draw(&canvas, &input);
}

__attribute__((unused)) static bool shows(const char *text)
{
    struct str out = {0};
    canvas_to_text(&canvas, &out);
    bool found = strstr(str_text(&out), text) != NULL;
    if (!found)
        printf("no \"%s\" in:\n%s", text, str_text(&out));
    str_done(&out);
    return found;
}

__attribute__((unused)) static struct view_todo press(uint32_t key)
{
    return view_key(&view, key, &facts);
}

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
} sizes[] = {
    {"detail-80x24", 24, 80, false},         {"detail-80x24-ascii", 24, 80, true},
    {"detail-140x40", 40, 140, false},       {"detail-140x40-ascii", 40, 140, true},
    {"detail-60x20", 20, 60, false},         {"detail-60x20-ascii", 20, 60, true},
    {"detail-40x12", 12, 40, false},         {"detail-40x12-ascii", 12, 40, true},
    {"detail-24x3", 3, 24, false},           {"detail-24x3-ascii", 3, 24, true},
    {"detail-84x46", 46, 84, false},
};

START_TEST(test_golden_detail)
{
    draw(sizes[_i].rows, sizes[_i].columns, sizes[_i].ascii);
    golden_check(&canvas, sizes[_i].name);
}
END_TEST

static const char *const others[] = {"T-101", "T-102", "T-105", "T-106", "T-107", "T-110", "T-111"};

START_TEST(test_golden_detail_of_every_state)
{
    char frame[64];
    view.chosen = story_task(&story, others[_i]);
    log_tail_clear(&story.tail);
    draw(24, 80, false);
    (void)snprintf(frame, sizeof(frame), "detail-%s", others[_i]);
    golden_check(&canvas, frame);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("detail");
    TCase *tcase = test_case(suite, "frame");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_add_loop_test(tcase, test_golden_detail, 0, TABLE_LEN(sizes));
    tcase_add_loop_test(tcase, test_golden_detail_of_every_state, 0, TABLE_LEN(others));
    return suite;
}
