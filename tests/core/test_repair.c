#include "repair.h"

#include <stdio.h>
#include <string.h>

#include "test_main.h"

static struct violations list;
static struct str prompt;

static void setup(void)
{
    list = (struct violations){0};
    prompt = (struct str){0};
}

static void teardown(void)
{
    violations_done(&list);
    str_done(&prompt);
}

static void add(enum violation_code code)
{
    violations_add(&list, code, "/a", "wrong", NULL, NULL);
}

START_TEST(test_D2_prompt_is_as_required)
{
    violations_add(&list, VIOLATION_MISSING_FIELD, "/summary", "required", "string", "nothing");
    violations_add(&list, VIOLATION_NOT_JSON, "", "line 1, column 1: invalid token", NULL, NULL);
    violations_add(&list, VIOLATION_WRONG_TYPE, "/n", "wrong type", "integer", "\"3\"");

    repair_prompt(&list, &prompt);

    ck_assert_str_eq(str_text(&prompt), "YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS.\n"
                                        "\n"
                                        "VIOLATIONS:\n"
                                        "  - Path: (root)\n"
                                        "    Code: NOT_JSON\n"
                                        "    Error: line 1, column 1: invalid token\n"
                                        "  - Path: /summary\n"
                                        "    Code: MISSING_FIELD\n"
                                        "    Error: required\n"
                                        "    Expected: string\n"
                                        "    Got: nothing\n"
                                        "  - Path: /n\n"
                                        "    Code: WRONG_TYPE\n"
                                        "    Error: wrong type\n"
                                        "    Expected: integer\n"
                                        "    Got: \"3\"\n"
                                        "\n"
                                        "INSTRUCTIONS:\n"
                                        "1. Fix ALL of the violations above\n"
                                        "2. Return ONLY valid JSON matching the OUTPUT CONTRACT\n"
                                        "3. Do NOT use markdown code blocks\n"
                                        "4. Do NOT add any explanation or preamble\n"
                                        "\n"
                                        "Return the corrected JSON response now:\n");
}
END_TEST

START_TEST(test_D5_RY1_prompt_carries_all_fields)
{
    violations_add(&list, VIOLATION_WRONG_TYPE, "/field", "Type mismatch", "string", "number");

    repair_prompt(&list, &prompt);

    static const char *const parts[] = {"YOUR PREVIOUS RESPONSE HAD VALIDATION ERRORS.",
                                        "VIOLATIONS:",
                                        "  - Path: /field",
                                        "Code: WRONG_TYPE",
                                        "Error: Type mismatch",
                                        "Expected: string",
                                        "Got: number",
                                        "INSTRUCTIONS:",
                                        "2. Return ONLY valid JSON matching the OUTPUT CONTRACT",
                                        "Return the corrected JSON response now:"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        ck_assert_msg(strstr(str_text(&prompt), parts[i]), "%s", parts[i]);
}
END_TEST

START_TEST(test_D5_RY2_no_retry_on_kernel_mismatch)
{
    add(VIOLATION_KERNEL_MISMATCH);
    ck_assert(!repair_may_retry(&list));
}
END_TEST

START_TEST(test_D5_RY3_retry_on_missing_field)
{
    add(VIOLATION_MISSING_FIELD);
    ck_assert(repair_may_retry(&list));
}
END_TEST

START_TEST(test_D5_RY4_display_format)
{
    violations_add(&list, VIOLATION_WRONG_TYPE, "/field", "Type mismatch", "string", "number");
    violations_add(&list, VIOLATION_MISSING_FIELD, "/other", "required", NULL, NULL);

    violations_display(&list, &prompt);

    ck_assert_str_eq(str_text(&prompt),
                     "[WRONG_TYPE] /field: Type mismatch (expected string, got number)\n"
                     "[MISSING_FIELD] /other: required\n");
}
END_TEST

START_TEST(test_D3_each_code_decides)
{
    static const bool may[] = {
        [VIOLATION_NOT_JSON] = true,      [VIOLATION_NOT_OBJECT] = true,
        [VIOLATION_MISSING_FIELD] = true, [VIOLATION_WRONG_TYPE] = true,
        [VIOLATION_INVALID_VALUE] = true, [VIOLATION_KERNEL_MISMATCH] = false,
        [VIOLATION_OP_MISMATCH] = false,
    };
    add((enum violation_code)_i);
    ck_assert(repair_may_retry(&list) == may[_i]);
    add(VIOLATION_MISSING_FIELD);
    ck_assert(repair_may_retry(&list) == may[_i]);
}
END_TEST

START_TEST(test_D3_nothing_wrong_is_nothing_to_repair)
{
    ck_assert(!repair_may_retry(&list));
}
END_TEST

START_TEST(test_D3_a_mismatch_that_was_dropped_counts)
{
    for (int i = 0; i < VIOLATIONS_MAX; i++)
        add(VIOLATION_MISSING_FIELD);
    ck_assert(repair_may_retry(&list));
    add(VIOLATION_OP_MISMATCH);
    ck_assert_uint_eq(list.dropped, 1);
    ck_assert(!repair_may_retry(&list));
}
END_TEST

START_TEST(test_D2_the_most_important_come_first)
{
    static const enum violation_code order[] = {
        VIOLATION_KERNEL_MISMATCH, VIOLATION_OP_MISMATCH,   VIOLATION_NOT_JSON,
        VIOLATION_NOT_OBJECT,      VIOLATION_MISSING_FIELD, VIOLATION_WRONG_TYPE,
        VIOLATION_INVALID_VALUE,
    };
    for (size_t i = ARRAY_LEN(order); i > 0; i--)
        add(order[i - 1]);
    repair_prompt(&list, &prompt);

    /* The two mismatches have the same rank, so they keep their order. */
    const char *at = strstr(str_text(&prompt), violation_code_name(VIOLATION_OP_MISMATCH));
    ck_assert_ptr_nonnull(at);
    for (size_t i = 2; i < ARRAY_LEN(order); i++) {
        at = strstr(at, violation_code_name(order[i]));
        ck_assert_msg(at, "%s", violation_code_name(order[i]));
    }
    ck_assert_ptr_nonnull(
        strstr(str_text(&prompt), "VIOLATIONS:\n  - Path: /a\n    Code: OP_MISMATCH\n"));
}
END_TEST

START_TEST(test_D2_prompt_is_bounded)
{
    static char text[5000];
    memset(text, '\001', sizeof(text) - 1);
    for (int i = 0; i < VIOLATIONS_MAX + 12; i++)
        violations_add(&list, VIOLATION_INVALID_VALUE, text, text, text, text);
    repair_prompt(&list, &prompt);

    ck_assert_uint_le(prompt.len, REPAIR_PROMPT_MAX);
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "  - Path: \\u0001"));
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "  ... and 111 more\n"));
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "Return the corrected JSON response now"));
    for (size_t i = 0; i < prompt.len; i++)
        ck_assert(prompt.data[i] == '\n' || (unsigned char)prompt.data[i] >= ' ');
}
END_TEST

START_TEST(test_D2_those_not_shown_are_counted)
{
    for (int i = 0; i < REPAIR_SHOWN_MAX + 12; i++)
        add(VIOLATION_INVALID_VALUE);
    repair_prompt(&list, &prompt);
    int shown = 0;
    for (const char *at = str_text(&prompt); (at = strstr(at, "  - Path: /a\n")); at++)
        shown++;
    ck_assert_int_eq(shown, REPAIR_SHOWN_MAX);
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "\n  ... and 12 more\n"));
}
END_TEST

/* Whatever a check has printed, and however long its command is. */
START_TEST(test_prompt_of_a_failure_is_bounded_and_clean)
{
    struct str mess = {0};
    for (int i = 0; i < 9000; i++)
        str_add_char(&mess, (char)(i % 255 + 1));
    char *argv[] = {mess.data, mess.data, NULL};
    struct str lines = {0};
    for (int i = 0; i < 300; i++)
        str_add(&lines, "[WRONG_TYPE] /a: wrong type\n");
    const struct repair_failure failure = {.argv = argv,
                                           .ended = mess.data,
                                           .violations = lines.data,
                                           .tail = mess.data,
                                           .tail_len = mess.len};
    repair_failure_prompt(&failure, REPAIR_PROMPT_MIN, &prompt);
    ck_assert_uint_le(prompt.len, REPAIR_PROMPT_MIN);
    for (size_t i = 0; i < prompt.len; i++)
        ck_assert_int_ge((unsigned char)prompt.data[i], prompt.data[i] == '\n' ? '\n' : ' ');
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "...\n"));
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "is run again.\n"));
    str_done(&lines);
    str_done(&mess);
}
END_TEST

/* If only the lines of the verdict are left of an output. */
START_TEST(test_D2_lines_of_a_verdict_are_violations)
{
    struct str lines = {0};
    str_add(&lines,
            "[WRONG_TYPE] /a: wrong type (expected string, got number)\n... and 2 more\n[odd\n");
    struct repair_failure failure = {.violations = lines.data};
    repair_failure_prompt(&failure, REPAIR_PROMPT_MIN, &prompt);
    ck_assert_ptr_nonnull(strstr(str_text(&prompt),
                                 "VIOLATIONS:\n"
                                 "  - Path: /a\n"
                                 "    Code: WRONG_TYPE\n"
                                 "    Error: wrong type (expected string, got number)\n"
                                 "  - ... and 2 more\n"
                                 "  - [odd\n"
                                 "\nINSTRUCTIONS:\n"));
    for (int i = 0; i < 300; i++)
        str_add(&lines, "[WRONG_TYPE] /a: wrong type\n");
    failure.violations = lines.data;
    str_clear(&prompt);
    repair_failure_prompt(&failure, REPAIR_PROMPT_MIN, &prompt);
    ck_assert_uint_le(prompt.len, REPAIR_PROMPT_MIN);
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "  ...\n\nINSTRUCTIONS:\n"));
    str_done(&lines);
}
END_TEST

START_TEST(test_prompt_of_a_step_that_was_expected_to_fail)
{
    char make[] = "make";
    char test[] = "t";
    char *argv[] = {make, test, NULL};
    const struct repair_failure failure = {
        .argv = argv, .ended = "exit 0", .expected_to_fail = true};
    repair_failure_prompt(&failure, REPAIR_PROMPT_MIN, &prompt);
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "did not fail in the expected way"));
    ck_assert_ptr_nonnull(strstr(str_text(&prompt), "Command: make t\nIt ended with: exit 0\n"));
    ck_assert_ptr_null(strstr(str_text(&prompt), "The end of its output"));
}
END_TEST

/* The prompt of an attempt */

static const struct {
    const char *name;
    struct agent_prompt prompt;
    const char *want;
} cases[] = {
    {"first", {.step = "Make it."}, "Make it."},
    {"first with a nudge", {.step = "Make it.", .nudge = "Stop that."}, "Make it.\n\nStop that."},
    {"a round in the same session",
     {.step = "Make it.", .repair = "exit 1", .resumes = true},
     "exit 1"},
    {"a round with a nudge",
     {.step = "Make it.", .repair = "exit 1", .nudge = "Stop that.", .resumes = true},
     "exit 1\n\nStop that."},
    {"a round in a new session", {.step = "Make it.", .repair = "exit 1"}, "Make it.\n\nexit 1"},
    {"a hint comes last",
     {.step = "Make it.", .nudge = "Stop that.", .hint = "Mind tax.c."},
     "Make it.\n\nStop that.\n\nA hint from the person who requested this try:\nMind tax.c."},
    {"another step in the same session", {.step = "Now b.", .resumes = true}, "Now b."},
    {"a further try in the same session",
     {.step = "Make it.", .why = "timeout", .resumes = true, .was_asked = true},
     "The last turn was cut short before it was done: timeout\n"
     "Continue where you stopped: look at what is already there, then do the rest."},
    {"a further try of a round in the same session",
     {.step = "Make it.",
      .repair = "exit 1",
      .why = "timeout",
      .nudge = "Stop that.",
      .resumes = true,
      .was_asked = true},
     "The last turn was cut short before it was done: timeout\n"
     "Continue where you stopped: look at what is already there, then do the rest.\n\nStop that."},
    {"a further try after an interruption",
     {.step = "Make it.", .resumes = true, .was_asked = true},
     "The last turn was cut short before it was done: it was interrupted\n"
     "Continue where you stopped: look at what is already there, then do the rest."},
    {"a further try in a new session",
     {.step = "Make it.", .repair = "exit 1", .why = "timeout"},
     "Make it.\n\nexit 1"},
    {"a result that does not fit",
     {.step = "Make it.",
      .why = "exit 0",
      .violations = "/a: MISSING_FIELD",
      .resumes = true,
      .was_asked = true},
     "Your answer does not have the requested format:\n/a: MISSING_FIELD\n"
     "Give the whole result again, as JSON that matches, and nothing else."},
};

START_TEST(test_prompt_has_what_the_session_does_not_know)
{
    agent_prompt_write(&cases[_i].prompt, &prompt);
    ck_assert_msg(strcmp(str_text(&prompt), cases[_i].want) == 0, "%s: '%s'", cases[_i].name,
                  str_text(&prompt));
}
END_TEST

START_TEST(test_why_is_one_clean_line)
{
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
    struct verdict verdict = verdict_new();
    (void)snprintf(verdict.match, sizeof(verdict.match), "API Error: 429\033[2J\nsecond");
    agent_prompt_why(&outcome, &verdict, &prompt);
    ck_assert_str_eq(str_text(&prompt), "exit 1: API Error: 429");
}
END_TEST

START_TEST(test_why_without_a_verdict_is_the_outcome)
{
    const struct outcome outcome = {.kind = OUTCOME_TIMEOUT, .code = 143};
    agent_prompt_why(&outcome, NULL, &prompt);
    ck_assert_str_eq(str_text(&prompt), "timeout");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("repair");
    TCase *prompts = test_case(suite, "prompt");
    tcase_add_checked_fixture(prompts, setup, teardown);
    tcase_add_test(prompts, test_D2_prompt_is_as_required);
    tcase_add_test(prompts, test_D2_the_most_important_come_first);
    tcase_add_test(prompts, test_D2_prompt_is_bounded);
    tcase_add_test(prompts, test_D2_those_not_shown_are_counted);
    tcase_add_test(prompts, test_prompt_of_a_failure_is_bounded_and_clean);
    tcase_add_test(prompts, test_D2_lines_of_a_verdict_are_violations);
    tcase_add_test(prompts, test_prompt_of_a_step_that_was_expected_to_fail);
    tcase_add_test(prompts, test_D5_RY1_prompt_carries_all_fields);
    tcase_add_test(prompts, test_D5_RY4_display_format);
    TCase *agents = test_case(suite, "prompt of a step");
    tcase_add_checked_fixture(agents, setup, teardown);
    tcase_add_loop_test(agents, test_prompt_has_what_the_session_does_not_know, 0,
                        TABLE_LEN(cases));
    tcase_add_test(agents, test_why_is_one_clean_line);
    tcase_add_test(agents, test_why_without_a_verdict_is_the_outcome);
    TCase *retry = test_case(suite, "retry");
    tcase_add_checked_fixture(retry, setup, teardown);
    tcase_add_loop_test(retry, test_D3_each_code_decides, 0, VIOLATION_CODE_COUNT);
    tcase_add_test(retry, test_D3_nothing_wrong_is_nothing_to_repair);
    tcase_add_test(retry, test_D3_a_mismatch_that_was_dropped_counts);
    tcase_add_test(retry, test_D5_RY2_no_retry_on_kernel_mismatch);
    tcase_add_test(retry, test_D5_RY3_retry_on_missing_field);
    return suite;
}
