/* The prompt opened by C: keys, fields, frames, and its effect on the view. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app_internal.h"
#include "clock.h"
#include "correct.h"
#include "golden.h"
#include "json.h"
#include "log_writer.h"
#include "stage.h"
#include "story.h"
#include "term.h"
#include "test_main.h"

enum { AWAKE_MS = PROMPT_DEAF_MS };

static void set_up(void)
{
    stage_open(story_init_full, "T-104");
}

static void awake(void)
{
    facts.clock.mono_ms += AWAKE_MS;
    facts.clock.at_ms += AWAKE_MS;
}

static struct view_todo press(uint32_t key)
{
    return view_key(&view, key, &facts);
}

static void type(const char *text)
{
    for (; *text != '\0'; text++)
        (void)press((uint32_t)(unsigned char)*text);
}

static void open_for(const char *id)
{
    view.chosen = story_task(&story, id);
    struct view_todo todo = press('C');
    ck_assert_int_eq(todo.kind, VIEW_ASKED);
    awake();
}

static const char *chosen_word(void)
{
    static char word[VERDICT_WORD_MAX];
    struct verdict_label found[CORRECT_CLASSES_MAX];
    int count = correct_found(&view.correct, found);
    return count > 0 ? correct_word(&found[view.correct.chosen], word) : "";
}

static void draw(int rows, int columns, bool ascii)
{
    (void)view_update_prompt(&view, &facts);
    stage_draw(rows, columns, ascii);
}

START_TEST(test_enter_asks_for_the_chosen_class_of_the_attempt)
{
    open_for("T-104");
    ck_assert_str_eq(view.correct.name, "T-104 GREEN try 3");
    ck_assert_str_eq(view.correct.now, "test-fail, rule tap.not-ok");
    ck_assert_str_eq(chosen_word(), "test-fail");
    type("rate");
    ck_assert_str_eq(chosen_word(), "rate-limit");
    struct view_todo todo = press(TERM_KEY_ENTER);
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.verb, CONTROL_CORRECT);
    ck_assert_int_eq(todo.control.task, story_task(&story, "T-104"));
    ck_assert_int_eq(todo.control.step, 1);
    ck_assert_int_eq(todo.control.attempt, 3);
    ck_assert_int_eq(todo.control.label.class, VERDICT_TRANSIENT);
    ck_assert_int_eq(todo.control.label.type, TRANSIENT_API_RATE_LIMIT);
    ck_assert_int_eq(todo.control.key_at_ms, facts.clock.at_ms);
    ck_assert_int_eq(view.correct.stage, CORRECT_CLOSED);
}
END_TEST

/* Neither the selection on the screen nor a new attempt matters while the prompt is open. */
START_TEST(test_target_is_the_one_there_was_when_it_opened)
{
    open_for("T-104");
    view.chosen = story_task(&story, "T-101");
    story_add(&story, story_event(&story, "T-104", EVENT_WAIT_ENDED));
    story_start(&story, "T-104");
    type("oom");
    struct view_todo todo = press(TERM_KEY_ENTER);
    ck_assert_int_eq(todo.kind, VIEW_ASK);
    ck_assert_int_eq(todo.control.task, story_task(&story, "T-104"));
    ck_assert_int_eq(todo.control.step, 1);
    ck_assert_int_eq(todo.control.attempt, 3);
}
END_TEST

static const struct {
    const char *id;
    int step, attempt;
    const char *name, *word;
} targets[] = {
    {"T-104", 1, 3, "T-104 GREEN try 3", "test-fail"}, /* waits */
    {"T-105", 0, 1, "T-105 RED try 1", "compile"},     /* gave up */
    {"T-107", 0, 1, "T-107 RED try 1", "auth"},        /* needs the user */
    {"T-102", 2, 1, "T-102 VERIFY try 1", "success"},  /* has passed */
};

START_TEST(test_latest_attempt_that_is_over)
{
    open_for(targets[_i].id);
    ck_assert_int_eq(view.correct.step, targets[_i].step);
    ck_assert_int_eq(view.correct.attempt, targets[_i].attempt);
    ck_assert_str_eq(view.correct.name, targets[_i].name);
    ck_assert_str_eq(chosen_word(), targets[_i].word);
}
END_TEST

START_TEST(test_running_task_has_its_last_try_that_is_over)
{
    story_add(&story, story_event(&story, "T-104", EVENT_WAIT_ENDED));
    story_start(&story, "T-104");
    open_for("T-104");
    ck_assert_int_eq(view.correct.attempt, 3);
    ck_assert_str_eq(view.correct.now, "test-fail, rule tap.not-ok");
}
END_TEST

static const char *const untried[] = {"T-101", "T-103", "T-106", "T-108", "T-110", "T-111"};

START_TEST(test_nothing_over_is_said)
{
    view.chosen = story_task(&story, untried[_i]);
    ck_assert_int_eq(press('C').kind, VIEW_DRAW);
    ck_assert_int_eq(view.correct.stage, CORRECT_CLOSED);
    ck_assert_pstr_eq(strstr(view.message, untried[_i]), view.message);
    ck_assert_ptr_nonnull(strstr(view.message, "has no finished try"));
}
END_TEST

START_TEST(test_nothing_chosen_is_said)
{
    type("/nothing\n");
    ck_assert_int_eq(press('C').kind, VIEW_DRAW);
    ck_assert_str_eq(view.message, "no task selected");
}
END_TEST

START_TEST(test_keys_typed_ahead_are_not_taken)
{
    view.chosen = story_task(&story, "T-104");
    (void)press('C');
    facts.clock.mono_ms += PROMPT_DEAF_MS - 1;
    type("network\n");
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
    ck_assert_str_eq(chosen_word(), "test-fail");
    (void)press(TERM_KEY_ESC);
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
}
END_TEST

START_TEST(test_present_class_is_no_correction)
{
    open_for("T-104");
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_DRAW);
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
    ck_assert_str_eq(view.correct.note, "it is already test-fail");
    (void)press('C'); /* the key that opened the prompt does not confirm */
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
}
END_TEST

static const struct {
    const char *keys;
    const char *want;
} moves[] = {
    {"per", "test-fail"},
    {"TRANS", "network"},
    {"API_", "rate-limit"},
    {"/network", "network"},
    {"/n", "test-fail"},
    {"succ", "success"},
    {"zzz", ""},
    {"zzz\x7f\x7f\x7f", "test-fail"},
    {"/\x7fper", "test-fail"},
};

START_TEST(test_choosing)
{
    open_for("T-104");
    type(moves[_i].keys);
    ck_assert_msg(strcmp(chosen_word(), moves[_i].want) == 0, "%s: %s", moves[_i].keys,
                  chosen_word());
}
END_TEST

START_TEST(test_arrows_move_while_text_is_typed)
{
    open_for("T-104");
    type("transient");
    ck_assert(view_wants_text(&view));
    (void)press(TERM_KEY_DOWN);
    ck_assert_str_eq(chosen_word(), "docker");
    (void)press(TERM_KEY_END);
    ck_assert_str_eq(chosen_word(), "busy");
    (void)press(TERM_KEY_PAGE_UP);
    ck_assert_str_eq(chosen_word(), "network");
    (void)press(TERM_KEY_UP);
    ck_assert_str_eq(chosen_word(), "network");
}
END_TEST

START_TEST(test_every_letter_can_be_typed)
{
    open_for("T-104");
    type("network");
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
    ck_assert_str_eq(view.correct.filter.text, "network");
    ck_assert_str_eq(chosen_word(), "network");
    (void)press(TERM_KEY_ESC);
    type("jk");
    ck_assert_str_eq(view.correct.filter.text, "jk");
    (void)press(TERM_KEY_ESC);
    type("busy+"); /* a new rule for the matching class */
    ck_assert_int_eq(view.correct.stage, CORRECT_WRITING);
}
END_TEST

START_TEST(test_every_class_can_be_picked)
{
    struct verdict_label found[CORRECT_CLASSES_MAX];
    open_for("T-104");
    int count = correct_found(&view.correct, found);
    ck_assert_int_eq(count, (TRANSIENT_TYPE_COUNT - 1) + REASON_COUNT + 1);
    for (int i = 0; i < count; i++) {
        char word[VERDICT_WORD_MAX];
        struct verdict_label label;
        ck_assert_msg(verdict_label_parse(correct_word(&found[i], word), &label), "%s", word);
        ck_assert_msg(verdict_label_equals(&label, &found[i]), "%s", word);
    }
}
END_TEST

START_TEST(test_esc_goes_back_step_by_step)
{
    open_for("T-104");
    type("+");
    ck_assert_int_eq(view.correct.stage, CORRECT_WRITING);
    (void)press(TERM_KEY_ESC);
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
    type("busy");
    (void)press(TERM_KEY_ESC); /* shows all; the match stays selected */
    ck_assert_str_eq(view.correct.filter.text, "");
    ck_assert_str_eq(chosen_word(), "busy");
    type("zzz");
    (void)press(TERM_KEY_ESC);
    ck_assert_str_eq(chosen_word(), "test-fail");
    ck_assert_int_eq(press(TERM_KEY_ESC).kind, VIEW_DRAW);
    ck_assert_int_eq(view.correct.stage, CORRECT_CLOSED);
    ck_assert_str_eq(view.filter.text, "");
}
END_TEST

static void correct_it(enum transient_type type, const char *by)
{
    struct event event = story_event(&story, "T-104", EVENT_CLASS_CORRECTED);
    event.a = VERDICT_TRANSIENT;
    event.b = type;
    event.text = by;
    story_add(&story, event);
}

START_TEST(test_correction_of_another_person_is_seen)
{
    open_for("T-104");
    type("docker");
    correct_it(TRANSIENT_NETWORK_TIMEOUT, "{\"by\":\"ann@tty2\"}");
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_DRAW); /* ignores keys again */
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
    ck_assert_str_eq(view.correct.now, "network, says ann@tty2; was test-fail, rule tap.not-ok");
    ck_assert_ptr_nonnull(strstr(view.correct.note, "changed"));
    awake();
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_ASK);
}
END_TEST

START_TEST(test_replay_names_the_command)
{
    facts.mode = VIEW_REPLAY;
    ck_assert_int_eq(press('C').kind, VIEW_DRAW);
    ck_assert_int_eq(view.correct.stage, CORRECT_CLOSED);
    ck_assert_str_eq(view.message, "a replay is read only: devs correct --step 2 --try 3 41/T-104 "
                                   "CLASS");
    view.chosen = story_task(&story, "T-111");
    (void)press('C');
    ck_assert_ptr_nonnull(strstr(view.message, "replay"));
}
END_TEST

static const char *field(enum correct_field field)
{
    return view.correct.fields[field].text;
}

static void check_now(void)
{
    (void)view_update_prompt(&view, &facts);
}

START_TEST(test_new_rule_is_filled_in)
{
    open_for("T-104");
    type("+");
    check_now();
    ck_assert_int_eq(view.correct.stage, CORRECT_WRITING);
    ck_assert_str_eq(field(CORRECT_ID), "my-test-fail");
    ck_assert_str_eq(field(CORRECT_CLASS), "test-fail");
    ck_assert_str_eq(field(CORRECT_PATTERN), "expected 19\\.99, got 20\\.00");
    ck_assert_str_eq(view.correct.problem, "");
    ck_assert(view_wants_text(&view));
}
END_TEST

START_TEST(test_class_chosen_in_the_list_is_the_rules)
{
    open_for("T-104");
    type("rate");
    (void)press(TERM_KEY_ESC);
    type("+");
    ck_assert_str_eq(field(CORRECT_ID), "my-rate-limit");
    ck_assert_str_eq(field(CORRECT_CLASS), "rate-limit");
}
END_TEST

START_TEST(test_name_that_is_taken_is_not_proposed)
{
    facts.rules = "[{\"name\":\"my-test-fail\",\"verdict\":\"persistent\",\"pattern\":\"a b\"},"
                  "{\"id\":\"my-test-fail-2\",\"verdict\":\"persistent\",\"pattern\":\"c d\"}]";
    open_for("T-104");
    type("+");
    check_now();
    ck_assert_str_eq(field(CORRECT_ID), "my-test-fail-3");
    ck_assert_str_eq(view.correct.problem, "");
}
END_TEST

START_TEST(test_success_is_no_class_for_a_rule)
{
    open_for("T-104");
    (void)press(TERM_KEY_END);
    type("+");
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
    ck_assert_ptr_nonnull(strstr(view.correct.note, "choose another one"));
}
END_TEST

/* If no rule matched, suggests the last line of stderr, as long as there is room for it. */
START_TEST(test_last_line_is_the_pattern_where_nothing_matched)
{
    char line[400] = "end (of) [it] ";
    for (size_t i = strlen(line); i < sizeof(line) - 1; i++)
        line[i] = '.';
    line[sizeof(line) - 1] = '\0';
    story_at(&story, 13, 0);
    story_fail(&story, "T-101", REASON_NONE, "{}");
    story_end(&story, "T-101", DECISION_FAILED);
    story_say(&story, "T-101", line);
    open_for("T-101");
    ck_assert_str_eq(view.correct.now, "exit 1");
    type("+");
    check_now();
    ck_assert_ptr_nonnull(strstr(field(CORRECT_PATTERN), "end \\(of\\) \\[it] \\.\\."));
    ck_assert_uint_lt(strlen(field(CORRECT_PATTERN)), LINE_EDIT_MAX);
    ck_assert_str_eq(view.correct.problem, "");
}
END_TEST

START_TEST(test_pattern_is_of_the_first_line)
{
    struct verdict_label label = {.class = VERDICT_PERSISTENT};
    struct correct_target target = {
        .attempt = 1, .name = "x", .now = "exit 1", .line = "one.\ntwo"};
    correct_open(&view.correct, &target, NULL, 0);
    correct_rule_begin(&view.correct, &label);
    ck_assert_str_eq(field(CORRECT_PATTERN), "one\\.");
}
END_TEST

static void retype(enum correct_field which, const char *text)
{
    while (view.correct.field != which)
        (void)press(TERM_KEY_TAB);
    (void)press(0x15);
    type(text);
    check_now();
}

static const struct {
    enum correct_field field;
    const char *text;
    const char *problem;
} problems[] = {
    {CORRECT_ID, "", "id: "},
    {CORRECT_ID, "my rule", "id: "},
    {CORRECT_ID, "an-id-that-is-much-longer-than-what-the-log-has-room-for", "id: "},
    {CORRECT_CLASS, "", "class: "},
    {CORRECT_CLASS, "transient", "class: "},
    {CORRECT_CLASS, "success", "class: "},
    {CORRECT_PATTERN, "", "pattern: "},
    {CORRECT_PATTERN, "  ", "pattern: "},
    {CORRECT_PATTERN, "open (here", "pattern"},
    {CORRECT_ID, "my.rule_2", ""},
    {CORRECT_CLASS, "API_OVERLOADED", ""},
    {CORRECT_CLASS, "persistent", ""},
    {CORRECT_PATTERN, "lost (connection|link)", ""},
};

START_TEST(test_field_is_checked_at_once)
{
    open_for("T-104");
    type("+");
    retype(problems[_i].field, problems[_i].text);
    const char *problem = view.correct.problem;
    bool sound = problems[_i].problem[0] == '\0';
    ck_assert_msg(sound == (problem[0] == '\0'), "%s: %s", problems[_i].text, problem);
    ck_assert_msg(strncmp(problem, problems[_i].problem, strlen(problems[_i].problem)) == 0,
                  "%s: %s", problems[_i].text, problem);
    struct view_todo todo = press(TERM_KEY_ENTER);
    ck_assert_int_eq(todo.kind, sound ? VIEW_TRY_RULE : VIEW_DRAW);
    ck_assert_int_eq(view.correct.stage, sound ? CORRECT_TRYING : CORRECT_WRITING);
}
END_TEST

START_TEST(test_tab_goes_round_the_fields)
{
    open_for("T-104");
    type("+");
    ck_assert_int_eq(view.correct.field, CORRECT_PATTERN);
    (void)press(TERM_KEY_TAB);
    ck_assert_int_eq(view.correct.field, CORRECT_ID);
    type("x");
    (void)press(TERM_KEY_DOWN);
    ck_assert_int_eq(view.correct.field, CORRECT_CLASS);
    (void)press(TERM_KEY_BACK_TAB);
    ck_assert_str_eq(field(CORRECT_ID), "my-test-failx");
    (void)press(TERM_KEY_UP);
    ck_assert_int_eq(view.correct.field, CORRECT_PATTERN);
}
END_TEST

static const struct {
    const char *class;
    const char *want;
} rules[] = {
    {"network", "{\"name\":\"my-test-fail\",\"verdict\":\"transient\",\"type\":\"NETWORK_TIMEOUT\","
                "\"pattern\":\"a \\\"b\\\" \\\\d+\"}"},
    {"compile", "{\"name\":\"my-test-fail\",\"verdict\":\"persistent\",\"reason\":\"compile\","
                "\"pattern\":\"a \\\"b\\\" \\\\d+\"}"},
    {"persistent", "{\"name\":\"my-test-fail\",\"verdict\":\"persistent\","
                   "\"pattern\":\"a \\\"b\\\" \\\\d+\"}"},
};

START_TEST(test_rule_as_json)
{
    struct str json = {0};
    struct json *parsed = NULL;
    open_for("T-104");
    type("+");
    retype(CORRECT_CLASS, rules[_i].class);
    retype(CORRECT_PATTERN, "a \"b\" \\d+");
    correct_rule_json(&view.correct, &json);
    ck_assert_str_eq(str_text(&json), rules[_i].want);
    ck_assert(json_parse(json.data, json.len, &parsed, NULL, NULL));
    json_free(parsed);
    str_done(&json);
}
END_TEST

static void try_it(void)
{
    open_for("T-104");
    type("+");
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_TRY_RULE);
}

static void tell(bool over, bool failed, const char *words)
{
    struct correct_trial_news news = {over, failed, 312, 640, words};
    correct_news(&view.correct, &news, facts.clock.mono_ms);
}

static const char findings[] =
    "14 of 640 would change: 12 exit 1 -> test-fail, 2 network -> test-fail (look at these: "
    "#41/T-104 try 2, #40/T-9 try 1)";

START_TEST(test_trial_can_be_stopped)
{
    try_it();
    tell(false, false, "");
    type("s\nq");
    ck_assert_int_eq(view.correct.stage, CORRECT_TRYING);
    ck_assert_int_eq(press(TERM_KEY_ESC).kind, VIEW_STOP_TRIAL);
    ck_assert_int_eq(view.correct.stage, CORRECT_WRITING);
    tell(true, false, findings); /* arrives too late */
    ck_assert_int_eq(view.correct.stage, CORRECT_WRITING);
}
END_TEST

START_TEST(test_rule_is_saved_only_by_s_after_its_trial)
{
    try_it();
    tell(true, false, findings);
    ck_assert_int_eq(view.correct.stage, CORRECT_TRIED);
    ck_assert_int_eq(press('s').kind, VIEW_DRAW); /* typed ahead */
    awake();
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_DRAW);
    ck_assert_int_eq(press('y').kind, VIEW_DRAW);
    ck_assert_int_eq(press('s').kind, VIEW_SAVE_RULE);
    correct_saved(&view.correct, "disk full");
    ck_assert_int_eq(view.correct.stage, CORRECT_TRIED);
    ck_assert_str_eq(view.correct.note, "disk full");
    correct_saved(&view.correct, NULL);
    ck_assert_int_eq(view.correct.stage, CORRECT_CLOSED);
}
END_TEST

START_TEST(test_rule_whose_trial_failed_is_not_saved)
{
    try_it();
    tell(true, true, "the log is damaged");
    awake();
    ck_assert_int_eq(press('s').kind, VIEW_DRAW);
    ck_assert_int_eq(view.correct.stage, CORRECT_TRIED);
    (void)press(TERM_KEY_ESC);
    ck_assert_int_eq(view.correct.stage, CORRECT_WRITING);
}
END_TEST

static const struct {
    const char *name;
    int rows, columns;
    bool ascii;
} frames[] = {
    {"80x24", 24, 80, false},      {"80x24-ascii", 24, 80, true}, {"40x12", 12, 40, false},
    {"40x12-ascii", 12, 40, true}, {"24x3", 3, 24, false},
};

/* Checks the prompt alone; what is under it is covered by other tests. */
static void check_frame(const char *stage, int i)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "correct-%s-%s", stage, frames[i].name);
    check_now();
    canvas_init(&canvas, frames[i].rows, frames[i].columns, frames[i].ascii);
    correct_draw(&view.correct, &canvas);
    golden_check(&canvas, name);
}

START_TEST(test_frame_of_picking)
{
    open_for("T-104");
    check_frame("pick", _i);
}
END_TEST

START_TEST(test_frame_of_finding)
{
    open_for("T-104");
    type("lim");
    check_frame("find", _i);
}
END_TEST

START_TEST(test_frame_of_writing)
{
    open_for("T-104");
    type("+");
    check_frame("rule", _i);
}
END_TEST

START_TEST(test_frame_of_tried)
{
    try_it();
    tell(true, false, findings);
    check_frame("tried", _i);
}
END_TEST

START_TEST(test_nothing_found_is_said)
{
    open_for("T-104");
    type("xyzzy");
    draw(24, 80, false);
    ck_assert(stage_shows(" now    test-fail"));
    ck_assert(stage_shows("no class name matches"));
    ck_assert(stage_shows("find: xyzzy"));
    ck_assert_int_eq(press(TERM_KEY_ENTER).kind, VIEW_DRAW);
    ck_assert_int_eq(view.correct.stage, CORRECT_PICKING);
}
END_TEST

static bool names_key(const char *words)
{
    canvas_done(&canvas);
    canvas_init(&canvas, 24, 80, false);
    correct_draw(&view.correct, &canvas);
    return stage_shows(words);
}

START_TEST(test_keys_are_named_where_they_do_something)
{
    open_for("T-104");
    ck_assert(!names_key("accept")); /* its present class is selected */
    (void)press(TERM_KEY_DOWN);
    ck_assert(names_key("accept"));
    type("xyzzy");
    ck_assert(!names_key("accept"));
    ck_assert(!names_key("new rule"));
    ck_assert(!names_key("choose"));
    ck_assert(names_key("show all"));
    (void)press(TERM_KEY_ESC);
    ck_assert(names_key("choose"));
    type("success");
    ck_assert(names_key("accept"));
    ck_assert(!names_key("new rule"));
    (void)press(TERM_KEY_ESC);
    type("test-fail+");
    ck_assert(names_key("try it"));
    (void)press('(');
    check_now();
    ck_assert(!names_key("try it"));
}
END_TEST

START_TEST(test_trying_counts)
{
    try_it();
    draw(24, 80, false);
    ck_assert(stage_shows("counting the recorded tries"));
    tell(false, false, "");
    draw(24, 80, false);
    ck_assert(stage_shows("312 of 640"));
    ck_assert(stage_shows("Esc stop it"));
}
END_TEST

START_TEST(test_problem_is_shown_where_it_is)
{
    open_for("T-104");
    type("+");
    (void)press('(');
    draw(24, 80, false);
    ck_assert(stage_shows("missing closing parenthesis"));
    ck_assert_int_ge(canvas.cursor_row, 0);
}
END_TEST

static const int heights[] = {1, 2, 3, 6, 8, 12}, widths[] = {1, 12, 24, 40};

/* At any size, it is drawn within the canvas, and the active item is visible. */
START_TEST(test_any_size)
{
    int high = heights[_i / TABLE_LEN(widths)];
    int width = widths[_i % TABLE_LEN(widths)];
    bool wide = width >= 24;
    open_for("T-104");
    draw(high, width, false);
    ck_assert(!wide || stage_shows("▸"));
    type("+");
    draw(high, width, false);
    ck_assert(!wide || stage_shows("▸ pattern"));
    (void)press(TERM_KEY_ENTER);
    tell(true, false, findings);
    draw(high, width, true);
}
END_TEST

static void add_prompt_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "class");
    tcase_add_checked_fixture(tcase, set_up, stage_close);
    tcase_add_test(tcase, test_enter_asks_for_the_chosen_class_of_the_attempt);
    tcase_add_test(tcase, test_target_is_the_one_there_was_when_it_opened);
    tcase_add_loop_test(tcase, test_latest_attempt_that_is_over, 0, TABLE_LEN(targets));
    tcase_add_test(tcase, test_running_task_has_its_last_try_that_is_over);
    tcase_add_loop_test(tcase, test_nothing_over_is_said, 0, TABLE_LEN(untried));
    tcase_add_test(tcase, test_nothing_chosen_is_said);
    tcase_add_test(tcase, test_keys_typed_ahead_are_not_taken);
    tcase_add_test(tcase, test_present_class_is_no_correction);
    tcase_add_loop_test(tcase, test_choosing, 0, TABLE_LEN(moves));
    tcase_add_test(tcase, test_arrows_move_while_text_is_typed);
    tcase_add_test(tcase, test_every_class_can_be_picked);
    tcase_add_test(tcase, test_every_letter_can_be_typed);
    tcase_add_test(tcase, test_esc_goes_back_step_by_step);
    tcase_add_test(tcase, test_correction_of_another_person_is_seen);
    tcase_add_test(tcase, test_replay_names_the_command);
    tcase = test_case(suite, "rule");
    tcase_add_checked_fixture(tcase, set_up, stage_close);
    tcase_add_test(tcase, test_new_rule_is_filled_in);
    tcase_add_test(tcase, test_class_chosen_in_the_list_is_the_rules);
    tcase_add_test(tcase, test_name_that_is_taken_is_not_proposed);
    tcase_add_test(tcase, test_success_is_no_class_for_a_rule);
    tcase_add_test(tcase, test_last_line_is_the_pattern_where_nothing_matched);
    tcase_add_test(tcase, test_pattern_is_of_the_first_line);
    tcase_add_loop_test(tcase, test_field_is_checked_at_once, 0, TABLE_LEN(problems));
    tcase_add_test(tcase, test_tab_goes_round_the_fields);
    tcase_add_loop_test(tcase, test_rule_as_json, 0, TABLE_LEN(rules));
    tcase_add_test(tcase, test_trial_can_be_stopped);
    tcase_add_test(tcase, test_rule_is_saved_only_by_s_after_its_trial);
    tcase_add_test(tcase, test_rule_whose_trial_failed_is_not_saved);
    tcase = test_case(suite, "frame");
    tcase_add_checked_fixture(tcase, set_up, stage_close);
    tcase_add_loop_test(tcase, test_frame_of_picking, 0, TABLE_LEN(frames));
    tcase_add_loop_test(tcase, test_frame_of_finding, 0, TABLE_LEN(frames));
    tcase_add_loop_test(tcase, test_frame_of_writing, 0, TABLE_LEN(frames));
    tcase_add_loop_test(tcase, test_frame_of_tried, 0, TABLE_LEN(frames));
    tcase_add_test(tcase, test_nothing_found_is_said);
    tcase_add_test(tcase, test_keys_are_named_where_they_do_something);
    tcase_add_test(tcase, test_trying_counts);
    tcase_add_test(tcase, test_problem_is_shown_where_it_is);
    tcase_add_loop_test(tcase, test_any_size, 0, TABLE_LEN(heights) * TABLE_LEN(widths));
}

enum { DEADLINE_MS = 60000, TOTAL = 640 };

static const char rule[] =
    "{\"name\":\"my-net\",\"verdict\":\"transient\",\"type\":\"NETWORK_TIMEOUT\","
    "\"pattern\":\"lost the link\"}";

static struct place place;
static struct correct_trial *trial;
static int lead[2]; /* each byte lets the stand-in judge one more attempt; closing lets it finish */
static bool saw_new_rule, saw_old_rules;

static void set_up_trial(void)
{
    ck_assert_int_eq(pipe(lead), 0);
    trial = NULL;
    saw_new_rule = false;
    saw_old_rules = false;
}

static void tear_down(void)
{
    correct_trial_stop(trial);
}

/* Judges one attempt per byte received. */
static bool stand_in(const struct rule_trial_asked *asked, struct rule_trial *out, struct err *err)
{
    char byte = 0;
    saw_new_rule = strstr(asked->new_rules, "lost the link") != NULL;
    saw_old_rules = asked->rules && strstr(asked->rules, "old-one") != NULL &&
                    strstr(asked->new_rules, "old-one") != NULL;
    while (read(lead[0], &byte, 1) == 1) {
        if (byte == 'f')
            return err_set(err, ERR_IO, "cannot read the log");
        out->attempts++;
        if (!asked->progress(asked->ctx, out->attempts, TOTAL)) {
            out->cancelled = true;
            return true;
        }
    }
    return true;
}

static void start(const char *given_rules)
{
    struct err err = {0};
    struct correct_trial_job job = {stand_in, &place, given_rules, rule};
    ck_assert_msg(correct_trial_start(&trial, &job, &err), "%s", err.message);
}

static void give(const char *bytes)
{
    ck_assert_int_eq(write(lead[1], bytes, strlen(bytes)), (ssize_t)strlen(bytes));
}

static struct correct_trial_news wait_for(bool over, int64_t done)
{
    int64_t until = clock_now().mono_ms + DEADLINE_MS;
    struct correct_trial_news news = correct_trial_look(trial);
    while (news.over != over || news.done < done) {
        ck_assert_msg(clock_now().mono_ms < until, "no news: %lld done", (long long)news.done);
        (void)sched_yield();
        news = correct_trial_look(trial);
    }
    return news;
}

START_TEST(test_news_come_while_it_works)
{
    start("[{\"name\":\"old-one\",\"verdict\":\"persistent\",\"pattern\":\"a b\"}]");
    ck_assert(!correct_trial_look(trial).over);
    give("..");
    struct correct_trial_news news = wait_for(false, 2);
    ck_assert_int_eq(news.total, TOTAL);
    ck_assert_str_eq(news.words, "");
    (void)close(lead[1]);
    news = wait_for(true, 2);
    ck_assert(!news.failed);
    ck_assert_ptr_nonnull(strstr(news.words, "of 2"));
    ck_assert(saw_new_rule);
    ck_assert(saw_old_rules);
}
END_TEST

START_TEST(test_cancelled_trial_ends_at_its_next_attempt)
{
    start(NULL);
    give(".");
    (void)wait_for(false, 1);
    ck_assert(!correct_trial_is_cancelled(trial));
    correct_trial_cancel(trial);
    ck_assert(correct_trial_is_cancelled(trial));
    give(".");
    ck_assert_int_eq(wait_for(true, 2).done, 2);
}
END_TEST

/* The screen stays responsive: a new trial is refused until the last one has ended, and nothing
 * waits for that. */
START_TEST(test_next_trial_does_not_wait_for_the_last)
{
    struct app_options options = {.place = &place};
    struct app *app = calloc(1, sizeof(*app));
    ck_assert_ptr_nonnull(app);
    app->options = &options;
    app->view.correct.stage = CORRECT_TRYING;
    start(NULL);
    app->trial = trial;
    app_rule_stop(app);
    app_rule_try(app);
    ck_assert_ptr_eq(app->trial, trial);
    ck_assert_int_eq(app->view.correct.stage, CORRECT_TRIED);
    ck_assert(app->view.correct.failed);
    (void)close(lead[1]);
    (void)wait_for(true, 0);
    app_rule_look(app);
    ck_assert_ptr_null(app->trial);
    trial = NULL;
    free(app);
}
END_TEST

START_TEST(test_failure_is_told_in_words)
{
    start(NULL);
    give("f");
    struct correct_trial_news news = wait_for(true, 0);
    ck_assert(news.failed);
    ck_assert_str_eq(news.words, "cannot read the log");
}
END_TEST

START_TEST(test_stop_waits_for_what_works)
{
    start(NULL);
    give(".....");
    (void)close(lead[1]);
    correct_trial_stop(trial);
    trial = NULL;
    char byte;
    ck_assert(saw_new_rule);
    ck_assert_int_le(read(lead[0], &byte, 1), 1);
}
END_TEST

START_TEST(test_what_is_no_rule_is_not_tried)
{
    struct err err = {0};
    struct correct_trial_job job = {stand_in, &place, NULL, "[]"};
    ck_assert(!correct_trial_start(&trial, &job, &err));
    ck_assert_ptr_null(trial);
    ck_assert_int_eq(err.code, ERR_INVALID);
}
END_TEST

/* Records a log with one attempt that failed and printed the reason. */
static void record(void)
{
    struct story trial_story;
    struct log_writer *writer = NULL;
    struct err err = {0};
    struct str plan = {0};
    int64_t number = 0;
    char path[4096];
    static const char said[] = "boat: lost the link\n";
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    ck_assert_msg(place_find(path, true, &place, &err), "%s", err.message);
    story_init(&trial_story, "alpha", "G");
    story_start(&trial_story, "alpha");
    story_fail(&trial_story, "alpha", REASON_NONE, NULL);
    plan_write(trial_story.plan, &plan);
    struct log_run run = {.name = "boats",
                          .kind = "plan",
                          .plan_text = plan.data,
                          .dir = "/",
                          .command = "devs run plan.json",
                          .rules_hash = "0",
                          .rules_text = "{}",
                          .seed = 1,
                          .jobs = 1,
                          .tasks = 1,
                          .now = clock_now()};
    run_state_done(&trial_story.state);
    run_state_init(&trial_story.state, trial_story.plan, 1);
    ck_assert_msg(log_writer_open(&writer, &place, &err), "%s", err.message);
    ck_assert_msg(log_writer_begin(writer, &run, &trial_story.state, &number, &err), "%s",
                  err.message);
    for (size_t i = 0; i < trial_story.event_count; i++)
        ck_assert(run_state_apply(&trial_story.state, &trial_story.events[i], &err));
    struct log_output output = {.task = 0,
                                .step = 0,
                                .attempt = 1,
                                .stream = 2,
                                .bytes = said,
                                .len = sizeof(said) - 1,
                                .at = trial_story.now};
    struct log_batch batch = {.events = trial_story.events,
                              .event_count = trial_story.event_count,
                              .outputs = &output,
                              .output_count = 1};
    ck_assert_msg(log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, &err), "%s", err.message);
    log_writer_close(writer);
    str_done(&plan);
    story_done(&trial_story);
}

START_TEST(test_real_trial_reads_the_log)
{
    struct err err = {0};
    struct correct_trial_job job = {rule_trial_run, &place, NULL, rule};
    record();
    ck_assert_msg(correct_trial_start(&trial, &job, &err), "%s", err.message);
    struct correct_trial_news news = wait_for(true, 0);
    ck_assert_msg(!news.failed, "%s", news.words);
    ck_assert_int_eq(news.done, 1);
    ck_assert_int_eq(news.total, 1);
    ck_assert_msg(strstr(news.words, "1 of 1 would change: 1 exit 1 -> network"), "%s", news.words);
}
END_TEST

/* A trial of a rule in its thread. The work is done by a stand-in that the test controls, and once
 * by the real code over a log. */
static void add_trial_cases(Suite *suite)
{
    TCase *tcase = test_case(suite, "trial");
    tcase_add_checked_fixture(tcase, set_up_trial, tear_down);
    tcase_add_test(tcase, test_news_come_while_it_works);
    tcase_add_test(tcase, test_cancelled_trial_ends_at_its_next_attempt);
    tcase_add_test(tcase, test_next_trial_does_not_wait_for_the_last);
    tcase_add_test(tcase, test_failure_is_told_in_words);
    tcase_add_test(tcase, test_stop_waits_for_what_works);
    tcase_add_test(tcase, test_what_is_no_rule_is_not_tried);
    tcase_add_test(tcase, test_real_trial_reads_the_log);
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("correct");
    add_prompt_cases(suite);
    add_trial_cases(suite);
    return suite;
}
