
#include <string.h>

#include "adapter.h"
#include "circles.h"
#include "plan.h"
#include "str.h"
#include "test_main.h"

#define FIFTY     "1234567890123456789012345678901234567890123456789x"
#define LONG_NAME FIFTY FIFTY FIFTY FIFTY FIFTY "x"

static struct plan *plan;
static struct violations violations;
static struct str text, shown;

static void setup(void)
{
    plan = NULL;
    violations = (struct violations){0};
    text = shown = (struct str){0};
}

static void teardown(void)
{
    plan_free(plan);
    violations_done(&violations);
    str_done(&text);
    str_done(&shown);
}

static bool parse(const char *json)
{
    bool ok = plan_parse(json, strlen(json), &plan, &violations);
    violations_display(&violations, &shown);
    return ok;
}

static void must_parse(const char *json)
{
    ck_assert_msg(parse(json), "%s", str_text(&shown));
}

#define PLAN(members, steps)                                                                       \
    "{\"version\": 1, \"workspace\": \"copy\", \"tasks\": [{\"id\": \"a\", " members               \
    " \"steps\": [" steps "]}]}"
#define AGENT(more) "{\"agent\": \"claude\", \"prompt\": \"do it\"" more "}"

static const char whole[] =
    "{\"version\": 1, \"workspace\": \"copy\", \"budget\": {\"cost_usd\": 2.5, \"calls\": 100},"
    " \"agents\": {\"mine\": {\"like\": \"claude\", \"program\": \"my-claude\"},"
    "              \"other\": {\"like\": \"codex\", \"program\": \"x\"}},"
    " \"tasks\": [{\"id\": \"a\", \"rounds\": 3, \"budget\": {\"turns\": 20, \"wall_s\": 60.5},"
    "  \"steps\": ["
    "   {\"phase\": \"RED\", \"run\": [\"make\", \"t\"], \"expect\": \"failure\"},"
    "   {\"phase\": \"GREEN\", \"agent\": \"mine\", \"prompt\": \"do it\", \"args\": [\"--foo\"],"
    "    \"permission_args\": [], \"model\": \"opus\", \"output\": \"x/y.json\","
    "    \"resume\": \"abc\", \"quiet_s\": 60},"
    "   {\"phase\": \"VERIFY\", \"run\": [\"make\", \"check\"], \"quiet_s\": 5.5}]}]}";

START_TEST(test_the_keys_of_an_agent_are_read)
{
    must_parse(whole);
    const struct plan_task *task = &plan->tasks[0];
    const struct plan_step *step = &task->steps[1];
    ck_assert_int_eq(task->rounds, 3);
    ck_assert_int_eq(task->budget.limits[BUDGET_TURNS], 20);
    ck_assert_int_eq(task->budget.limits[BUDGET_WALL], 60500);
    ck_assert_int_eq(task->budget.limits[BUDGET_COST], 0);
    ck_assert_int_eq(plan->budget.limits[BUDGET_COST], 2500000);
    ck_assert_int_eq(plan->budget.limits[BUDGET_CALLS], 100);
    ck_assert_ptr_nonnull(step->agent);
    ck_assert_str_eq(adapter_name(step->agent->adapter), "mine");
    ck_assert_str_eq(step->agent->prompt, "do it");
    ck_assert_str_eq(step->agent->args[0], "--foo");
    ck_assert_ptr_null(step->agent->permission_args[0]);
    ck_assert_str_eq(step->agent->model, "opus");
    ck_assert_str_eq(step->agent->output, "x/y.json");
    ck_assert_str_eq(step->agent->resume, "abc");
    ck_assert_int_eq(step->quiet_ms, 60000);
    ck_assert_int_eq(task->steps[2].quiet_ms, 5500);
    ck_assert_int_eq(task->steps[0].quiet_ms, 0);
    ck_assert_str_eq(step->argv[0], "my-claude");
    ck_assert_str_eq(plan->sources[step->source], "mine");
}
END_TEST

/* What a log keeps needs nothing but itself. */
START_TEST(test_a_plan_with_agents_is_written_and_read_again)
{
    must_parse(whole);
    plan_write(plan, &text);
    ck_assert(plan_has_more(plan));
    ck_assert_ptr_nonnull(strstr(text.data, "\"mine\":{"));
    ck_assert_msg(!strstr(text.data, "\"other\""), "one that no step names is not kept");
    plan_free(plan);
    plan = NULL;
    must_parse(text.data);
    struct str again = {0};
    plan_write(plan, &again);
    ck_assert_str_eq(again.data, text.data);
    ck_assert_str_eq(plan->tasks[0].steps[1].argv[0], "my-claude");
    str_done(&again);
}
END_TEST

START_TEST(test_E1_an_agent_has_the_policy_transport_unless_it_says_else)
{
    must_parse("{\"version\": 1, \"policy\": \"research\", \"workspace\": \"copy\", \"tasks\": ["
               "{\"id\": \"a\", \"steps\": [" AGENT("") ", " AGENT(
                   ", \"policy\": \"default\"") ","
                                                " {\"run\": [\"x\"]}]}]}");
    const struct plan_step *steps = plan->tasks[0].steps;
    ck_assert_str_eq(steps[0].policy->name, "transport");
    ck_assert_str_eq(steps[1].policy->name, POLICY_DEFAULT);
    ck_assert_str_eq(steps[2].policy->name, "research");
    ck_assert_int_eq(steps[0].quiet_ms, 15 * 60 * 1000);
}
END_TEST

/* A red check goes to the agent; only what the world does is tried again. */
START_TEST(test_checks_behind_an_agent_with_rounds_have_the_policy_infrastructure)
{
    must_parse(PLAN("\"rounds\": 2,", "{\"run\": [\"x\"]}, " AGENT(
                                          "") ", {\"run\": [\"x\"]}, "
                                              "{\"run\": [\"x\"], \"policy\": \"research\"}"));
    const struct plan_step *steps = plan->tasks[0].steps;
    ck_assert_str_eq(steps[0].policy->name, POLICY_DEFAULT);
    ck_assert_str_eq(steps[2].policy->name, "infrastructure");
    ck_assert_str_eq(steps[3].policy->name, "research");
    ck_assert_int_eq(plan_task_agent_step(&plan->tasks[0], 0), -1);
    ck_assert_int_eq(plan_task_agent_step(&plan->tasks[0], 1), 1);
    ck_assert_int_eq(plan_task_agent_step(&plan->tasks[0], 3), 1);
}
END_TEST

/* It knows what it has done: in place it may be asked again. */
START_TEST(test_an_agent_that_goes_on_needs_no_idempotent)
{
    must_parse("{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [" AGENT("") "]}]}");
    ck_assert(!plan->tasks[0].steps[0].idempotent);
}
END_TEST

static const struct {
    const char *name, *json, *want;
} wrong[] = {
    {"unknown agent", PLAN("", "{\"agent\": \"claud\", \"prompt\": \"x\"}"),
     "[INVALID_VALUE] /tasks/0/steps/0/agent: unknown agent \"claud\", did you mean "
     "\"claude\"?\n"},
    {"an agent unlike any", PLAN("", "{\"agent\": \"zzzzzzzzz\", \"prompt\": \"x\"}"),
     "[INVALID_VALUE] /tasks/0/steps/0/agent: unknown agent \"zzzzzzzzz\", known are claude, "
     "codex, copilot, gemini, kimi, opencode, pi, qwen\n"},
    {"generic", PLAN("", "{\"agent\": \"generic\", \"prompt\": \"x\"}"),
     "[INVALID_VALUE] /tasks/0/steps/0/agent: it has no program: define an agent with it as "
     "\"like\" under \"agents\"\n"},
    {"no prompt", PLAN("", "{\"agent\": \"claude\"}"),
     "[MISSING_FIELD] /tasks/0/steps/0/prompt: required (expected string, got nothing)\n"},
    {"agent and run", PLAN("", AGENT(", \"run\": [\"x\"]")),
     "[INVALID_VALUE] /tasks/0/steps/0/run: not allowed in a step with an \"agent\"\n"},
    {"agent with stdin", PLAN("", AGENT(", \"stdin\": \"x\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/stdin: not allowed in a step with an \"agent\"\n"},
    {"agent that is to fail", PLAN("", AGENT(", \"expect\": \"failure\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/expect: an agent cannot be expected to fail\n"},
    {"model without an agent", PLAN("", "{\"run\": [\"x\"], \"model\": \"x\"}"),
     "[INVALID_VALUE] /tasks/0/steps/0/model: allowed only in a step with an \"agent\"\n"},
    {"rounds without an agent", PLAN("\"rounds\": 2,", "{\"run\": [\"x\"]}"),
     "[INVALID_VALUE] /tasks/0/rounds: allowed only in a task with an \"agent\" step\n"},
    {"budget without an agent", PLAN("\"budget\": {\"turns\": 1},", "{\"run\": [\"x\"]}"),
     "[INVALID_VALUE] /tasks/0/budget: allowed only in a task with an \"agent\" step\n"},
    {"too many rounds", PLAN("\"rounds\": 101,", AGENT("")),
     "[INVALID_VALUE] /tasks/0/rounds: too large (expected 1 to 100, got 101)\n"},
    {"unknown budget", PLAN("\"budget\": {\"cost\": 1},", AGENT("")),
     "[INVALID_VALUE] /tasks/0/budget/cost: unknown key\n"},
    {"output above", PLAN("", AGENT(", \"output\": \"a/../../b\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/output: must be inside the folder that the step works in\n"},
    {"output anywhere", PLAN("", AGENT(", \"output\": \"/tmp/b\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/output: must be inside the folder that the step works in\n"},
    {"output in a nameless folder", PLAN("", AGENT(", \"output\": \"a//b\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/output: must be the path of a file, without '.', '//' or a "
     "trailing '/'\n"},
    {"output that is a folder", PLAN("", AGENT(", \"output\": \"a/\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/output: must be the path of a file, without '.', '//' or a "
     "trailing '/'\n"},
    {"output that is the folder itself", PLAN("", AGENT(", \"output\": \".\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/output: must be the path of a file, without '.', '//' or a "
     "trailing '/'\n"},
    {"output of too long a name", PLAN("", AGENT(", \"output\": \"" LONG_NAME "\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/output: has a name that is too long for a file\n"},
    {"an option for a session", PLAN("", AGENT(", \"resume\": \"--last\"")),
     "[INVALID_VALUE] /tasks/0/steps/0/resume: must be the id of a session: no '-' first, no "
     "control "
     "characters\n"},
    {"nearly args", PLAN("", AGENT(", \"arg\": []")),
     "[INVALID_VALUE] /tasks/0/steps/0/arg: unknown key, did you mean \"args\"?\n"},
};

START_TEST(test_what_is_wrong_is_said)
{
    ck_assert(!parse(wrong[_i].json));
    ck_assert_msg(strcmp(str_text(&shown), wrong[_i].want) == 0, "%s: %s", wrong[_i].name,
                  str_text(&shown));
}
END_TEST

START_TEST(test_an_agent_of_the_plan_that_is_wrong_is_said)
{
    ck_assert(!parse("{\"version\": 1, \"agents\": {\"mine\": {\"like\": \"nobody\"}}, \"tasks\": ["
                     "{\"id\": \"a\", \"steps\": [{\"agent\": \"mine\", \"prompt\": \"x\"}]}]}"));
    ck_assert_msg(strstr(str_text(&shown), "/agents/mine"), "%s", str_text(&shown));
    ck_assert_uint_eq(violations.count, 1);
}
END_TEST

/* The same command with another prompt is another call. */
START_TEST(test_a_call_is_its_prompt_too)
{
    struct call_digester *calls = NULL;
    must_parse(PLAN("", AGENT("") ", {\"agent\": \"claude\", \"prompt\": \"else\"}"));
    const struct plan_step *steps = plan->tasks[0].steps;
    call_digester_open(&calls, "/x", NULL);
    const struct digest first = call_digester_take(calls, &steps[0]);
    ck_assert(!digest_equal(first, call_digester_take(calls, &steps[1])));
    ck_assert(digest_equal(first, call_digester_take(calls, &steps[0])));
    call_digester_close(calls);
}
END_TEST

START_TEST(test_a_secret_in_a_prompt_is_looked_for)
{
    char name[REDACT_NAME_MAX + 1];
    must_parse(PLAN("", "{\"agent\": \"claude\", \"prompt\": \"use \xE2\x9F\xA8redacted "
                        "TOKEN\xE2\x9F\xA9 there\"}, " AGENT("")));
    const bool is_mark = redact_find_mark(plan->tasks[0].steps[0].agent->prompt, name);
    ck_assert_int_eq(plan_step_lacks(&plan->tasks[0].steps[0], name), is_mark);
    ck_assert(!plan_step_lacks(&plan->tasks[0].steps[1], name));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_agent");
    TCase *tcase = test_case(suite, "agents");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_the_keys_of_an_agent_are_read);
    tcase_add_test(tcase, test_a_plan_with_agents_is_written_and_read_again);
    tcase_add_test(tcase, test_E1_an_agent_has_the_policy_transport_unless_it_says_else);
    tcase_add_test(tcase, test_checks_behind_an_agent_with_rounds_have_the_policy_infrastructure);
    tcase_add_test(tcase, test_an_agent_that_goes_on_needs_no_idempotent);
    tcase_add_loop_test(tcase, test_what_is_wrong_is_said, 0, TABLE_LEN(wrong));
    tcase_add_test(tcase, test_an_agent_of_the_plan_that_is_wrong_is_said);
    tcase_add_test(tcase, test_a_call_is_its_prompt_too);
    tcase_add_test(tcase, test_a_secret_in_a_prompt_is_looked_for);
    return suite;
}
