/* Plans with agents: their keys, the sessions they share, the secrets in what they are given. */
#include <stdlib.h>
#include <string.h>

#include "adapter.h"
#include "plan.h"
#include "scheduler.h"
#include "str.h"
#include "test_main.h"

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

/* The text in a log needs no settings. */
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

/* A check that fails goes back to the agent; only infrastructure failures are retried. */
START_TEST(test_checks_after_an_agent_with_rounds_have_the_policy_infrastructure)
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

/* An agent knows what it has done, so it may be asked again in place. */
START_TEST(test_an_agent_needs_no_idempotent)
{
    must_parse("{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [" AGENT("") "]}]}");
    ck_assert(!plan->tasks[0].steps[0].idempotent);
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

/* Sessions that tasks share */

#define TASK(id, more) "{\"id\": \"" id "\", " more "}"
#define IN(agent, session)                                                                         \
    "\"steps\": [{\"agent\": \"" agent "\", \"prompt\": \"go\", \"resume\": \"" session "\"}]"
#define NEEDS(ids) "\"needs\": [" ids "], "
#define COMMAND    "\"steps\": [{\"run\": [\"true\"]}]"
#define REFUSED(place, id)                                                                         \
    "[INVALID_VALUE] /tasks/" place "/steps/0/resume: task " id " also continues this session, "   \
    "possibly at the same time; make one of the tasks need the other\n"

static const struct {
    const char *tasks, *wanted;
} shared[] = {
    {TASK("a", IN("claude", "s1")), ""},
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("claude", "s2")), ""},
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("claude", "s1")), REFUSED("1", "a")},
    /* Sessions of two agents have nothing to do with each other. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("codex", "s1")), ""},
    {TASK("a", IN("claude", "s1")) "," TASK("b", NEEDS("\"a\"") IN("claude", "s1")), ""},
    {TASK("a", NEEDS("\"b\"") IN("claude", "s1")) "," TASK("b", IN("claude", "s1")), ""},
    /* Through a task without a session. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", NEEDS("\"a\"") COMMAND) "," TASK(
         "c", NEEDS("\"b\"") IN("claude", "s1")),
     ""},
    /* Both need the same, and not each other. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", NEEDS("\"a\"") IN("claude", "s1")) "," TASK(
         "c", NEEDS("\"a\"") IN("claude", "s1")),
     REFUSED("2", "b")},
    /* Two pairs: each is reported. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("claude", "s2")) "," TASK(
         "c", IN("claude", "s1")) "," TASK("d", IN("claude", "s2")),
     REFUSED("2", "a") REFUSED("3", "b")},
    /* One task may begin twice. */
    {TASK("a", "\"steps\": [{\"agent\": \"claude\", \"prompt\": \"go\", \"resume\": \"s1\"},"
               "{\"agent\": \"claude\", \"prompt\": \"on\", \"resume\": \"s1\"}]"),
     ""},
};

/* Parses a plan of these tasks, and shows what is wrong with its sessions. */
static bool check_sessions(const char *tasks)
{
    teardown();
    setup();
    str_addf(&text, "{\"version\": 1, \"idempotent\": true, \"tasks\": [%s]}", tasks);
    must_parse(str_text(&text));
    const bool ok = plan_sessions_check(plan, &violations);
    violations_display(&violations, &shown);
    return ok;
}

START_TEST(test_two_tasks_are_never_in_one_session_at_a_time)
{
    const bool ok = check_sessions(shared[_i].tasks);
    ck_assert_str_eq(str_text(&shown), shared[_i].wanted);
    ck_assert_int_eq(ok, shared[_i].wanted[0] == '\0');
}
END_TEST

START_TEST(test_shared_sessions_have_a_limit)
{
    struct str tasks = {0};
    for (int i = 0; i <= PLAN_SESSIONS_SHARED_MAX; i++) {
        str_addf(&tasks,
                 "%s{\"id\": \"a%d\", \"steps\": [{\"agent\": \"claude\", \"prompt\": \"go\","
                 " \"resume\": \"s%d\"}]},"
                 "{\"id\": \"b%d\", \"needs\": [\"a%d\"], \"steps\": [{\"agent\": \"claude\","
                 " \"prompt\": \"go\", \"resume\": \"s%d\"}]}",
                 i > 0 ? "," : "", i, i, i, i, i);
        ck_assert_int_eq(check_sessions(str_text(&tasks)), i < PLAN_SESSIONS_SHARED_MAX);
    }
    ck_assert_ptr_nonnull(strstr(str_text(&shown), "too many sessions"));
    str_done(&tasks);
}
END_TEST

/* Secrets that were cut from a plan */

static char token_variable[] = "A_TOKEN=tok-tok-tok";
static char url_variable[] = "DATABASE_URL=pg://me:pass-pass-1@host/db";
static char *const variables[] = {token_variable, url_variable, NULL};
static struct redactor *redactor;

static void open_redactor(const struct redact_setting *setting)
{
    struct err err = {0};
    ck_assert_msg(redactor_open(&redactor, setting, &err), "%s", err.message);
}

static void setup_secrets(void)
{
    setup();
    redactor = NULL;
}

static void teardown_secrets(void)
{
    redactor_close(redactor);
    teardown();
}

/* Parses a plan, and puts the variables back where their marks are. */
static void restore(const char *json)
{
    open_redactor(&(struct redact_setting){.environment = variables});
    must_parse(json);
    plan_restore_secrets(plan, redactor, variables);
}

START_TEST(test_marks_in_a_plan_become_values)
{
    char name[REDACT_NAME_MAX + 1] = "";
    restore("{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", \"steps\": ["
            "{\"run\": [\"curl\", \"-u\", \"me:[cut:A_TOKEN]\"], \"cwd\": \"[cut:A_TOKEN]\","
            " \"stdin\": \"in-[cut:A_TOKEN]\", \"env\": {\"X\": \"[cut:A_TOKEN]\"}},"
            "{\"run\": [\"true\", \"[cut:GONE_TOKEN]\"]},"
            "{\"run\": [\"true\", \"[cut:DATABASE_URL]\"]},"
            "{\"run\": [\"true\"]}]}]}");
    const struct plan_step *steps = plan->tasks[0].steps;
    ck_assert_str_eq(steps[0].argv[2], "me:tok-tok-tok");
    ck_assert_str_eq(steps[0].cwd, "tok-tok-tok");
    ck_assert_str_eq(steps[0].stdin_path, "in-tok-tok-tok");
    ck_assert_str_eq(steps[0].env[0], "X=tok-tok-tok");
    ck_assert(!plan_step_lacks(&steps[0], name));
    ck_assert(plan_step_lacks(&steps[1], name));
    ck_assert_str_eq(name, "GONE_TOKEN");
    /* Only its password was cut: the whole URL in its place would be another call. */
    ck_assert(plan_step_lacks(&steps[2], name));
    ck_assert_str_eq(name, "DATABASE_URL");
    ck_assert(!plan_step_lacks(&steps[3], name));
}
END_TEST

START_TEST(test_marks_in_a_setup_become_values)
{
    char name[REDACT_NAME_MAX + 1] = "";
    must_parse(
        "{\"version\": 1, \"workspace\": {\"kind\": \"copy\", \"setup\": [\"login\", "
        "\"[cut:A_TOKEN]\"]}, \"tasks\": ["
        "{\"id\": \"a\", \"steps\": [{\"run\": [\"true\"]}]},"
        "{\"id\": \"b\", \"workspace\": {\"kind\": \"copy\", \"setup\": [\"[cut:A_TOKEN]\"]},"
        " \"steps\": [{\"run\": [\"true\"]}]},"
        "{\"id\": \"c\", \"workspace\": {\"kind\": \"copy\", \"setup\": [\"[cut:GONE_TOKEN]\"]},"
        " \"steps\": [{\"run\": [\"true\"]}]}]}");
    ck_assert(plan_setup_lacks(&plan->tasks[0], name));
    ck_assert_str_eq(name, "A_TOKEN");

    open_redactor(&(struct redact_setting){.environment = variables});
    plan_restore_secrets(plan, redactor, variables);

    ck_assert_str_eq(plan->tasks[0].workspace->setup[1], "tok-tok-tok");
    ck_assert_str_eq(plan->tasks[1].workspace->setup[0], "tok-tok-tok");
    ck_assert(!plan_setup_lacks(&plan->tasks[0], name));
    ck_assert(!plan_setup_lacks(&plan->tasks[1], name));
    ck_assert(plan_setup_lacks(&plan->tasks[2], name));
    ck_assert_str_eq(name, "GONE_TOKEN");
}
END_TEST

#define WITH_VARIABLE(value)                                                                       \
    "{\"version\": 1, \"agents\": {\"mine\": {\"env\": {\"A_TOKEN\": \"" value                     \
    "\"}}}, \"tasks\": [{\"id\": \"a\", \"workspace\": \"copy\", \"steps\": ["                     \
    "{\"agent\": \"mine\", \"prompt\": \"do it\"}]}]}"

START_TEST(test_a_variable_of_an_agent_is_cut_from_the_plan)
{
    must_parse(WITH_VARIABLE("tok-tok-tok"));
    open_redactor(&(struct redact_setting){.plan = plan});
    plan_write(plan, &text);
    ck_assert_ptr_nonnull(strstr(str_text(&text), "tok-tok-tok"));
    char *cut = redact_string(redactor, str_text(&text), NULL);
    ck_assert_ptr_null(strstr(cut, "tok-tok-tok"));
    ck_assert_ptr_nonnull(strstr(cut, "[cut:A_TOKEN]"));
    free(cut);
}
END_TEST

START_TEST(test_a_mark_in_a_variable_of_an_agent_becomes_its_value)
{
    char *const nothing[] = {NULL};
    char name[REDACT_NAME_MAX + 1] = "";
    must_parse(WITH_VARIABLE("[cut:A_TOKEN]"));
    const struct plan_step *step = &plan->tasks[0].steps[0];
    open_redactor(&(struct redact_setting){.environment = variables});
    plan_restore_secrets(plan, redactor, nothing);
    ck_assert(plan_step_lacks(step, name));
    ck_assert_str_eq(name, "A_TOKEN");
    plan_restore_secrets(plan, redactor, variables);
    ck_assert_str_eq(adapter_env(step->agent->adapter)[0], "A_TOKEN=tok-tok-tok");
    ck_assert(!plan_step_lacks(step, name));
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
    tcase_add_test(tcase, test_checks_after_an_agent_with_rounds_have_the_policy_infrastructure);
    tcase_add_test(tcase, test_an_agent_needs_no_idempotent);
    tcase_add_test(tcase, test_a_call_is_its_prompt_too);
    tcase_add_test(tcase, test_a_secret_in_a_prompt_is_looked_for);
    TCase *sessions = test_case(suite, "sessions");
    tcase_add_checked_fixture(sessions, setup, teardown);
    tcase_add_loop_test(sessions, test_two_tasks_are_never_in_one_session_at_a_time, 0,
                        TABLE_LEN(shared));
    tcase_add_test(sessions, test_shared_sessions_have_a_limit);
    TCase *secrets = test_case(suite, "secrets");
    tcase_add_checked_fixture(secrets, setup_secrets, teardown_secrets);
    tcase_add_test(secrets, test_marks_in_a_plan_become_values);
    tcase_add_test(secrets, test_marks_in_a_setup_become_values);
    tcase_add_test(secrets, test_a_variable_of_an_agent_is_cut_from_the_plan);
    tcase_add_test(secrets, test_a_mark_in_a_variable_of_an_agent_becomes_its_value);
    return suite;
}
