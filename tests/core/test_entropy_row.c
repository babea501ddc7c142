#include "entropy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data_rows.h"
#include "fingerprint.h"
#include "shown.h"
#include "test_main.h"
#include "xalloc.h"

/*
 * entropy_row(): a recorded trajectory is judged.
 */

static struct entropy_limits limits;
static struct str answer;
static struct err err;

static void setup(void)
{
    limits = entropy_limits_new();
    err = (struct err){0};
}

static void teardown(void)
{
    str_done(&answer);
}

static bool judge(const char *text, size_t len)
{
    struct str row = {0};
    str_add_n(&row, text, len);
    str_clear(&answer);
    const bool ok = entropy_row(&limits, &row, &answer, &err);
    str_done(&row);
    return ok;
}

static bool says(const char *part)
{
    return strstr(str_text(&answer), part) != NULL;
}

/* One row with `count` steps of the same text. */
static void judge_steps(const char *step, int count)
{
    struct str row = {0};
    str_add(&row, "{\"id\":\"x\",\"steps\":[");
    for (int i = 0; i < count; i++)
        str_addf(&row, "%s%s", i > 0 ? "," : "", step);
    str_add(&row, "]}");
    ck_assert_msg(judge(row.data, row.len), "%s", err.message);
    str_done(&row);
}

/* Counts the rows whose verdict is as expected. */
static void check_verdict(const struct json *row, void *ctx)
{
    int *good = ctx;
    struct str text = {0};
    json_write(&text, row);
    ck_assert_msg(judge(text.data, text.len), "%s", err.message);
    const bool want = strcmp(data_text(row, "expect"), "stuck") == 0;
    if (says("\"verdict\":\"stuck\"") == want)
        (*good)++;
    else
        (void)fprintf(stderr, "%s: %s", data_text(row, "id"), str_text(&answer));
    str_done(&text);
}

/* No stuck row is missed, and no ok row is stopped at any of its steps: the verdict of a row is
 * the highest that a step reached. */
static const struct {
    const char *path;
    int rows;
} files[] = {{"tests/data/loops.jsonl", 96},
             {"tests/data/loops-more.jsonl", 42},
             {"tests/data/loops-fresh.jsonl", 184}};

START_TEST(test_labeled_trajectories)
{
    int good = 0;
    ck_assert_int_eq(data_rows(files[_i].path, check_verdict, &good), files[_i].rows);
    ck_assert_int_eq(good, files[_i].rows);
}
END_TEST

/* The figures of docs/entropy.md about the presets, on the same trajectories. */
static const struct {
    enum entropy_preset preset;
    int caught, wrong;
} measured[] = {{ENTROPY_STRICT, 153, 9}, {ENTROPY_NORMAL, 153, 0}, {ENTROPY_OFF, 0, 0}};

struct counted {
    int loops, caught, wrong, rows;
};

static void count_row(const struct json *row, void *ctx)
{
    struct counted *counted = ctx;
    struct str text = {0};
    json_write(&text, row);
    ck_assert_msg(judge(text.data, text.len), "%s", err.message);
    const bool is_loop = strcmp(data_text(row, "expect"), "stuck") == 0;
    const bool is_stuck = says("\"verdict\":\"stuck\"");
    counted->rows++;
    counted->loops += is_loop;
    counted->caught += is_loop && is_stuck;
    counted->wrong += !is_loop && is_stuck;
    str_done(&text);
}

START_TEST(test_presets_on_labeled_trajectories)
{
    struct counted counted = {0};
    limits = entropy_limits_preset(measured[_i].preset);
    for (size_t i = 0; i < TABLE_LEN(files); i++)
        (void)data_rows(files[i].path, count_row, &counted);
    ck_assert_int_eq(counted.caught, measured[_i].caught);
    ck_assert_int_eq(counted.wrong, measured[_i].wrong);
    ck_assert_int_eq(counted.loops, 153);
    ck_assert_int_eq(counted.rows, 322);
}
END_TEST

START_TEST(test_an_answer_names_rung_step_and_identity)
{
    judge_steps("{\"tool\":\"read\",\"args\":{\"path\":\"a\"},\"exit\":0,\"output\":\"x\"}", 6);
    ck_assert(
        says("{\"id\":\"x\",\"verdict\":\"stuck\",\"rung\":\"repeat\",\"step\":5,\"identity\":"));
    ck_assert(says("\"why\":\"the same call with the same result, 5 times in a row\"}\n"));
    judge_steps("{\"tool\":\"read\",\"args\":{\"path\":\"a\"},\"exit\":0,\"output\":\"x\"}", 4);
    ck_assert(says("\"verdict\":\"suspect\",\"rung\":\"repeat\",\"step\":3,"));
    judge_steps("{\"tool\":\"read\",\"args\":{\"path\":\"a\"},\"exit\":0,\"output\":\"x\"}", 2);
    ck_assert_str_eq(str_text(&answer),
                     "{\"id\":\"x\",\"verdict\":\"ok\",\"rung\":null,\"step\":null,"
                     "\"identity\":null,\"why\":null}\n");
}
END_TEST

START_TEST(test_a_person_begins_a_new_segment)
{
    static const char row[] =
        "{\"id\":\"x\",\"steps\":["
        "{\"tool\":\"make\",\"exit\":1,\"output\":\"a\"},{\"tool\":\"make\",\"exit\":1,\"output\":"
        "\"a\"},{\"tool\":\"user\",\"args\":{\"text\":\"again\"}},{\"tool\":\"make\",\"exit\":1,"
        "\"output\":\"a\"},{\"tool\":\"message\",\"args\":{\"role\":\"user\",\"text\":\"and "
        "again\"}},{\"tool\":\"make\",\"exit\":1,\"output\":\"a\"},{\"tool\":\"make\",\"exit\":1,"
        "\"output\":\"a\"}]}";
    ck_assert(judge(row, strlen(row)));
    ck_assert(says("\"verdict\":\"ok\""));
}
END_TEST

static const struct {
    const char *row, *why;
} bad_rows[] = {
    {"[]", "expected an object, got array"},
    {"null", "expected an object, got null"},
    {"{\"steps\":[]}", "\"id\" must be a string"},
    {"{\"id\":\"a\"}", "\"steps\" must be a list"},
    {"{\"id\":\"a\",\"steps\":{}}", "\"steps\" must be a list"},
    {"{\"id\":\"a\",\"steps\":[1]}", "step 1 must have"},
    {"{\"id\":\"a\",\"steps\":[{\"tool\":\"x\"},{\"tool\":1}]}", "step 2 must have"},
    {"{\"id\":\"a\",\"steps\":[{\"tool\":\"x\",\"args\":[]}]}", "step 1 must have"},
    {"{\"id\":\"a\",\"steps\":[{\"tool\":\"x\",\"exit\":\"0\"}]}", "step 1 must have"},
    {"{\"id\":\"a\",\"steps\":[{\"tool\":\"x\",\"output\":0}]}", "step 1 must have"},
    {"{\"id\":\"a\",\"steps\":[", "column "},
    {"", "column "},
};

START_TEST(test_a_bad_row_is_refused)
{
    ck_assert(!judge(bad_rows[_i].row, strlen(bad_rows[_i].row)));
    ck_assert_msg(strstr(err.message, bad_rows[_i].why), "%s: %s", bad_rows[_i].row, err.message);
    ck_assert_uint_eq(answer.len, 0);
}
END_TEST

START_TEST(test_too_many_steps_are_refused)
{
    struct str row = {0};
    str_add(&row, "{\"id\":\"x\",\"steps\":[{\"tool\":\"a\"}");
    for (int i = 0; i < ENTROPY_ROW_STEPS_MAX; i++)
        str_add(&row, ",{}");
    str_add(&row, "]}");
    ck_assert(!judge(row.data, row.len));
    ck_assert_str_eq(err.message, "more than 100000 steps");
    str_done(&row);
}
END_TEST

START_TEST(test_too_many_values_are_refused)
{
    struct str row = {0};
    str_add(&row, "{\"id\":\"x\",\"text\":\"\\\",[{\",\"x\":[{}");
    for (int i = 0; i < ENTROPY_ROW_VALUES_MAX / 2; i++)
        str_add(&row, ",{}");
    str_add(&row, "],\"steps\":[]}");
    ck_assert(!judge(row.data, row.len));
    ck_assert_str_eq(err.message, "more than 650000 values");
    str_done(&row);
}
END_TEST

START_TEST(test_thresholds_are_read_from_json)
{
    ck_assert(entropy_limits_parse(&limits, "{\"repeat_stop\": 7, \"nudges\": 0}", &err));
    ck_assert_int_eq(limits.repeat_stop, 7);
    ck_assert_int_eq(limits.nudges, 0);
    ck_assert(!entropy_limits_parse(&limits, "{\"repeat_stop\": 9, \"repeats\": 1}", &err));
    ck_assert_str_eq(err.message, "unknown threshold 'repeats'");
    err = (struct err){0};
    ck_assert(!entropy_limits_parse(&limits, "{\"repeat_stopp\": 9}", &err));
    ck_assert_ptr_nonnull(strstr(err.message, "did you mean 'repeat_stop'?"));
    ck_assert_int_eq(limits.repeat_stop, 7);
    ck_assert(!entropy_limits_parse(&limits, "{\"repeat_stop\": \"9\"}", NULL));
    ck_assert(!entropy_limits_parse(&limits, "{", NULL));
}
END_TEST

/* The limits after reading `text`, starting from the preset `before`. */
static const struct {
    enum entropy_preset before;
    const char *text;
    enum entropy_preset preset;
    int repeat_stop, poll_stop;
    const char *words;
} choices[] = {
    {ENTROPY_PRESET_NONE, "{}", ENTROPY_PRESET_NONE, 5, 20, ""},
    {ENTROPY_PRESET_NONE, "{\"repeat_stop\": 9}", ENTROPY_PRESET_NONE, 9, 20, ""},
    {ENTROPY_PRESET_NONE, "\"strict\"", ENTROPY_STRICT, 3, 12, "strict"},
    {ENTROPY_PRESET_NONE, "\"normal\"", ENTROPY_NORMAL, 5, 20, "normal"},
    {ENTROPY_PRESET_NONE, "\"off\"", ENTROPY_OFF, 0, 0, "off"},
    {ENTROPY_PRESET_NONE, "{\"repeat_stop\": 9.0, \"//\": 1, \"preset\": \"strict\"}",
     ENTROPY_STRICT, 9, 12, "strict, repeat_stop 9"},
    {ENTROPY_PRESET_NONE, "{\"preset\": \"off\", \"poll_stop\": 7, \"nudges\": 1}", ENTROPY_OFF, 0,
     7, "off, poll_stop 7, nudges 1"},
    {ENTROPY_STRICT, "{\"poll_stop\": 30}", ENTROPY_STRICT, 3, 30, "strict, poll_stop 30"},
    {ENTROPY_OFF, "\"normal\"", ENTROPY_NORMAL, 5, 20, "normal"},
    {ENTROPY_STRICT, "{\"preset\": \"normal\"}", ENTROPY_NORMAL, 5, 20, "normal"},
};

START_TEST(test_a_preset_is_a_base_and_numbers_replace_its_own)
{
    struct str words = {0};
    struct str written = {0};
    limits = entropy_limits_preset(choices[_i].before);
    ck_assert_msg(entropy_limits_parse(&limits, choices[_i].text, &err), "%s", err.message);
    ck_assert_int_eq(limits.preset, choices[_i].preset);
    ck_assert_int_eq(limits.repeat_stop, choices[_i].repeat_stop);
    ck_assert_int_eq(limits.poll_stop, choices[_i].poll_stop);
    entropy_limits_words(&limits, &words);
    ck_assert_str_eq(str_text(&words), choices[_i].words);
    entropy_limits_write(&limits, &written);
    struct entropy_limits again = entropy_limits_new();
    ck_assert(entropy_limits_parse(&again, written.data, NULL));
    ck_assert_mem_eq(&again, &limits, sizeof(again));
    str_done(&words);
    str_done(&written);
}
END_TEST

static const struct {
    const char *text, *why;
} bad_limits[] = {
    {"\"strikt\"", "unknown preset \"strikt\"; expected \"strict\", \"normal\" or \"off\""},
    {"\"\"", "unknown preset \"\"; expected \"strict\", \"normal\" or \"off\""},
    {"{\"preset\": 3}", "unknown preset 3; expected \"strict\", \"normal\" or \"off\""},
    {"{\"preset\": \"off\", \"preset_\": 1}", "unknown threshold 'preset_'"},
    {"{\"preset\": \"strict\", \"repeat_stop\": 1001}", "'repeat_stop' must be 0 to 1000"},
    {"{\"repeat_stop\": 1.5}", "'repeat_stop' must be 0 to 1000"},
    {"{\"cycle_stop\": 1}", "'cycle_stop' must be 0, or 2 to 12"},
    {"[]", "thresholds must be the name of a preset, or an object"},
    {"7", "thresholds must be the name of a preset, or an object"},
};

START_TEST(test_bad_thresholds_are_one_error_and_change_nothing)
{
    const struct entropy_limits before = limits;
    ck_assert(!entropy_limits_parse(&limits, bad_limits[_i].text, &err));
    ck_assert_str_eq(err.message, bad_limits[_i].why);
    ck_assert_mem_eq(&limits, &before, sizeof(before));
}
END_TEST

/* What the rules are known to miss or to get wrong (docs/entropy.md). A change that fixes one of
 * these is welcome and shows here. Each step has another number before `after`. */
static const struct {
    const char *name;
    const char *step, *after;
    int count;
    bool stuck;
} known_misses[] = {
    {"an all-digit short hash counts as a number",
     "{\"tool\":\"shell\",\"args\":{\"command\":\"git rev-parse HEAD\"},\"output\":\"", "1234\"}",
     7, false},
    {"nine measurements by an unknown program that differ only in their times are stopped",
     "{\"tool\":\"shell\",\"args\":{\"command\":\"./measure\"},\"output\":\"took ", " ms\"}", 9,
     true},
    {"a counter that climbs forever by more than one is progress",
     "{\"tool\":\"shell\",\"args\":{\"command\":\"./x\"},\"exit\":1,\"output\":\"", "0 left\"}", 60,
     false},
    {"a poll whose only news is another commit is stopped",
     "{\"tool\":\"shell\",\"args\":{\"command\":\"git rev-parse origin/main\"},\"output\":"
     "\"c0ffee",
     "a1b2c3d4d\"}", 9, true},
};

START_TEST(test_known_misses)
{
    struct str row = {0};
    str_add(&row, "{\"id\":\"x\",\"steps\":[");
    for (int i = 0; i < known_misses[_i].count; i++)
        str_addf(&row, "%s%s%d%s", i > 0 ? "," : "", known_misses[_i].step, 100 + i * 7 + i % 2,
                 known_misses[_i].after);
    str_add(&row, "]}");
    ck_assert_msg(judge(row.data, row.len), "%s", err.message);
    ck_assert_msg(says("\"stuck\"") == known_misses[_i].stuck, "%s: %s", known_misses[_i].name,
                  str_text(&answer));
    str_done(&row);
}
END_TEST

/*
 * docs/entropy.md says what the code does.
 */

static char *doc;
static char *prose; /* the same on one line */

static void read_document(void)
{
    doc = test_read_file(test_source_path("docs/entropy.md"));
    ck_assert_ptr_nonnull(doc);
    prose = xstrdup(doc);
    for (char *at = strchr(prose, '\n'); at; at = strchr(at, '\n'))
        *at = ' ';
}

static void free_document(void)
{
    free(prose);
    free(doc);
    prose = doc = NULL;
}

static void documents(const char *words)
{
    ck_assert_msg(strstr(doc, words) != NULL, "docs/entropy.md does not say: %s", words);
}

static void says_somewhere(const char *words)
{
    ck_assert_msg(strstr(prose, words) != NULL, "docs/entropy.md does not say: %s", words);
}

static int rows_that_begin(const char *start)
{
    int count = 0;
    for (const char *at = strstr(doc, start); at; at = strstr(at + 1, start))
        count++;
    return count;
}

START_TEST(test_the_measured_presets_are_documented)
{
    for (size_t i = 0; i < TABLE_LEN(measured); i++) {
        char row[128];
        (void)snprintf(row, sizeof(row), " | %d of 153 | %d of 169 |\n", measured[i].caught,
                       measured[i].wrong);
        char start[32];
        (void)snprintf(start, sizeof(start), "\n| `%s` | ",
                       entropy_preset_name(measured[i].preset));
        const char *line = strstr(doc, start);
        ck_assert_msg(line != NULL, "no row of %s", start);
        const char *found = strstr(line, row);
        ck_assert_msg(found && found < strchr(line + 1, '\n'), "%s does not say%s", start, row);
    }
}
END_TEST

START_TEST(test_C8_every_rule_and_its_thresholds_are_documented)
{
    const struct entropy_limits initial = entropy_limits_new();
    const struct {
        enum entropy_rung rung;
        int suspects, stops; /* 0: never */
    } rules[] = {
        {ENTROPY_RUNG_REPEAT, initial.repeat_nudge, initial.repeat_stop},
        {ENTROPY_RUNG_CYCLE, 0, initial.cycle_stop},
        {ENTROPY_RUNG_FAILURE, initial.failure_nudge, initial.failure_stop},
        {ENTROPY_RUNG_BARREN, initial.barren_nudge, initial.barren_stop},
        {ENTROPY_RUNG_PAUSE, initial.pause_nudge, initial.pause_stop},
        {ENTROPY_RUNG_MONOLOGUE, initial.monologue_nudge, initial.monologue_stop},
        {ENTROPY_RUNG_CHANT, 0, initial.chant_stop},
    };
    ck_assert_uint_eq(TABLE_LEN(rules), ENTROPY_RUNG_COUNT - 1);
    for (size_t i = 0; i < TABLE_LEN(rules); i++) {
        char start[64];
        char suspects[32] = "-";
        char stops[32];
        (void)snprintf(start, sizeof(start), "\n| `%s` | ", entropy_rung_name(rules[i].rung));
        if (rules[i].suspects > 0)
            (void)snprintf(suspects, sizeof(suspects), "%d", rules[i].suspects);
        (void)snprintf(stops, sizeof(stops), "%d", rules[i].stops);
        const char *row = strstr(doc, start);
        ck_assert_msg(row != NULL, "no row of %s", start);
        const char *second = strstr(row + strlen(start), " | ");
        ck_assert_msg(second && strncmp(second + 3, suspects, strlen(suspects)) == 0,
                      "%s suspects at %s", start, suspects);
        const char *third = strstr(second + 3, " | ");
        ck_assert_msg(third && strncmp(third + 3, stops, strlen(stops)) == 0, "%s stops at %s",
                      start, stops);
    }
}
END_TEST

START_TEST(test_C8_everything_that_is_masked_is_documented)
{
    for (int mask = 0; mask < NORMALISER_MASK_COUNT; mask++) {
        char start[64];
        (void)snprintf(start, sizeof(start), "\n| `%s` | ",
                       normaliser_mask_words((enum normaliser_mask)mask));
        ck_assert_msg(rows_that_begin(start) == 1, "no row of %s", start);
    }
}
END_TEST

START_TEST(test_words_of_the_task_list_are_documented)
{
    for (int rung = ENTROPY_RUNG_NONE + 1; rung < ENTROPY_RUNG_COUNT; rung++) {
        const struct entropy_verdict stuck = {
            .level = ENTROPY_STUCK, .rung = (enum entropy_rung)rung, .count = 0};
        struct str brief = {0};
        shown_circles_brief(&stuck, &brief);
        char *digit = strchr(brief.data, '0');
        char word[64];
        (void)snprintf(word, sizeof(word), "`%.*s",
                       digit ? (int)(digit - brief.data) : (int)brief.len, brief.data);
        documents(word);
        str_done(&brief);
    }
    documents("loop? 3x");
}
END_TEST

START_TEST(test_windows_continuing_and_misses_are_documented)
{
    char words[64];
    says_somewhere("`research`");
    says_somewhere("`loops`");
    says_somewhere("devs entropy");
    says_somewhere("exit code 3");
    (void)snprintf(words, sizeof(words), "last %d steps", ENTROPY_WINDOW);
    says_somewhere(words);
    (void)snprintf(words, sizeof(words), "%d equal results in a row always stop",
                   ENTROPY_REPEAT_MAX);
    says_somewhere(words);
    says_somewhere("What it cannot see");
}
END_TEST

static TCase *add_case(Suite *suite, const char *name)
{
    TCase *tcase = test_case(suite, name);
    tcase_add_checked_fixture(tcase, setup, teardown);
    return tcase;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("entropy_row");
    TCase *rows = add_case(suite, "rows");
    tcase_add_loop_test(rows, test_labeled_trajectories, 0, TABLE_LEN(files));
    tcase_add_test(rows, test_an_answer_names_rung_step_and_identity);
    tcase_add_test(rows, test_a_person_begins_a_new_segment);
    tcase_add_loop_test(rows, test_a_bad_row_is_refused, 0, TABLE_LEN(bad_rows));
    tcase_add_test(rows, test_too_many_steps_are_refused);
    tcase_add_test(rows, test_too_many_values_are_refused);
    tcase_add_test(rows, test_thresholds_are_read_from_json);
    tcase_add_loop_test(rows, test_presets_on_labeled_trajectories, 0, TABLE_LEN(measured));
    tcase_add_loop_test(rows, test_a_preset_is_a_base_and_numbers_replace_its_own, 0,
                        TABLE_LEN(choices));
    tcase_add_loop_test(rows, test_bad_thresholds_are_one_error_and_change_nothing, 0,
                        TABLE_LEN(bad_limits));
    tcase_add_loop_test(rows, test_known_misses, 0, TABLE_LEN(known_misses));
    TCase *document = test_case(suite, "document");
    tcase_add_checked_fixture(document, read_document, free_document);
    tcase_add_test(document, test_the_measured_presets_are_documented);
    tcase_add_test(document, test_C8_every_rule_and_its_thresholds_are_documented);
    tcase_add_test(document, test_C8_everything_that_is_masked_is_documented);
    tcase_add_test(document, test_words_of_the_task_list_are_documented);
    tcase_add_test(document, test_windows_continuing_and_misses_are_documented);
    return suite;
}
