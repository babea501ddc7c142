#include "plan_file.h"

#include <string.h>

#include "project.h"
#include "test_main.h"

/* Around one step. */
#define PLAN(step) "{'version':1,'tasks':[{'id':'a','steps':[" step "]}]}"

static const struct {
    const char *name;
    struct plan_agents_edit edit;
    const char *plan;
    const char *want; /* NULL: as it was */
} rows[] = {
    {"nothing is wanted", {0}, PLAN("{'agent':'claude','prompt':'p'}"), NULL},
    {"E5 a session for a step that has none",
     {.session = "s1"},
     PLAN("{'agent':'claude','prompt':'p'}"),
     PLAN("{'agent':'claude','prompt':'p','resume':'s1'}")},
    {"E5 the step's own session stays",
     {.session = "s1"},
     PLAN("{'agent':'claude','prompt':'p','resume':'mine'}"),
     NULL},
    {"the session is another agent's",
     {.session = "s1", .owner = "codex"},
     PLAN("{'agent':'claude','prompt':'p'}"),
     NULL},
    {"the step becomes one of the session's agent",
     {.session = "s1", .owner = "codex", .agent = "codex"},
     PLAN("{'agent':'claude','prompt':'p'}"),
     PLAN("{'agent':'codex','prompt':'p','resume':'s1'}")},
    {"another agent takes nothing that only the one before understands",
     {.agent = "codex"},
     PLAN("{'agent':'claude','prompt':'p','model':'sonnet','resume':'s0','args':['--max-turns','4']"
          ",'permission_args':[],'quiet_s':9}"),
     PLAN("{'agent':'codex','prompt':'p','quiet_s':9}")},
    {"but what it is given itself",
     {.agent = "codex", .model = "m2", .session = "s1"},
     PLAN("{'agent':'claude','prompt':'p','model':'sonnet','resume':'s0'}"),
     PLAN("{'agent':'codex','prompt':'p','model':'m2','resume':'s1'}")},
    {"the same agent keeps all",
     {.agent = "claude"},
     PLAN("{'agent':'claude','prompt':'p','model':'sonnet','args':['-x']}"),
     NULL},
    {"another model",
     {.model = "m2"},
     PLAN("{'agent':'claude','model':'m1','prompt':'p'}"),
     PLAN("{'agent':'claude','model':'m2','prompt':'p'}")},
    {"a model where there was none",
     {.model = "m2"},
     PLAN("{'agent':'claude','prompt':'p'}"),
     PLAN("{'agent':'claude','prompt':'p','model':'m2'}")},
    {"a command is none of an agent",
     {.agent = "codex", .model = "m", .session = "s1"},
     PLAN("{'run':['true']}"),
     NULL},
    {"no list of tasks", {.session = "s1"}, "{'tasks':{'agent':'claude'}}", NULL},
    {"no task is an object", {.session = "s1"}, "{'tasks':[1,'agent']}", NULL},
    {"no plan", {.session = "s1"}, "[{'agent':'claude'}]", NULL},
};

START_TEST(test_E5_steps_go_on_in_the_session_unless_they_say_otherwise)
{
    struct json *plan = NULL;
    struct str out = {0};
    struct plan_agents_edit edit = rows[_i].edit;
    const char *text = test_json(rows[_i].plan);
    ck_assert(json_parse_data(text, strlen(text), &plan, NULL, NULL));
    plan_agents_edit(&edit, plan, &out);
    ck_assert_msg(strcmp(str_text(&out), rows[_i].want ? test_json(rows[_i].want) : text) == 0,
                  "%s: %s", rows[_i].name, str_text(&out));
    json_free(plan);
    str_done(&out);
}
END_TEST

static const struct workflow_value values[] = {
    {"idea", "a {{folder}} in {braces}"},
    {"folder", "/srv"},
    {"done_when", ""},
};
static const struct workflow_values all = {values, ARRAY_LEN(values)};

static const struct {
    const char *text;
    const char *want;
} filled[] = {
    {"", ""},
    {"as it is", "as it is"},
    {"in {{folder}}.", "in /srv."},
    {"{{folder}}{{folder}}", "/srv/srv"},
    {"[{{done_when}}]", "[]"},
    {"{{idea}}", "a {{folder}} in {braces}"},
    {"{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}}"},
    {"{{\"a\": 1}}", "{{\"a\": 1}}"},
    {"{{}} {{ folder }} {{folder} {{Folder}}", "{{}} {{ folder }} {{folder} {{Folder}}"},
    {"{{{folder}}}", "{/srv}"},
    {"{", "{"},
    {"{{", "{{"},
};

START_TEST(test_names_are_replaced)
{
    struct str out = {0};
    struct err err = {0};
    ck_assert(workflow_prompt_fill(filled[_i].text, &all, &out, &err));
    ck_assert_str_eq(str_text(&out), filled[_i].want);
    str_done(&out);
}
END_TEST

START_TEST(test_a_name_without_a_value_is_told)
{
    struct str out = {0};
    struct err err = {0};
    ck_assert(!workflow_prompt_fill("in {{foldr}}", &all, &out, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_str_eq(err.message, "unknown placeholder {{foldr}}");
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("workflow");
    TCase *edit_cases = test_case(suite, "edit");
    tcase_add_loop_test(edit_cases, test_E5_steps_go_on_in_the_session_unless_they_say_otherwise, 0,
                        TABLE_LEN(rows));
    TCase *fill_cases = test_case(suite, "fill");
    tcase_add_loop_test(fill_cases, test_names_are_replaced, 0, TABLE_LEN(filled));
    tcase_add_test(fill_cases, test_a_name_without_a_value_is_told);
    return suite;
}
