#include "repair.h"

#include <stdio.h>
#include <string.h>

#include "test_main.h"

static const struct {
    const char *name;
    struct agent_prompt prompt;
    const char *said;
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
     "Your answer does not have the requested form:\n/a: MISSING_FIELD\n"
     "Give the whole result again, as JSON that matches, and nothing else."},
};

START_TEST(test_prompt_says_what_the_session_does_not_know)
{
    struct str said = {0};
    agent_prompt_write(&cases[_i].prompt, &said);
    ck_assert_msg(strcmp(str_text(&said), cases[_i].said) == 0, "%s: '%s'", cases[_i].name,
                  str_text(&said));
    str_done(&said);
}
END_TEST

START_TEST(test_why_is_one_clean_line)
{
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
    struct verdict verdict = verdict_new();
    struct str why = {0};
    (void)snprintf(verdict.match, sizeof(verdict.match), "API Error: 429\033[2J\nsecond");
    agent_prompt_why(&outcome, &verdict, &why);
    ck_assert_str_eq(str_text(&why), "exit 1: API Error: 429");
    str_done(&why);
}
END_TEST

START_TEST(test_why_without_a_verdict_is_the_outcome)
{
    const struct outcome outcome = {.kind = OUTCOME_TIMEOUT, .code = 143};
    struct str why = {0};
    agent_prompt_why(&outcome, NULL, &why);
    ck_assert_str_eq(str_text(&why), "timeout");
    str_done(&why);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("agent_prompt");
    TCase *words = test_case(suite, "words");
    tcase_add_loop_test(words, test_prompt_says_what_the_session_does_not_know, 0,
                        TABLE_LEN(cases));
    tcase_add_test(words, test_why_is_one_clean_line);
    tcase_add_test(words, test_why_without_a_verdict_is_the_outcome);
    return suite;
}
