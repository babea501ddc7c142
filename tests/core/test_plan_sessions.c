#include "plan.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

#define TASK(id, more) "{\"id\": \"" id "\", " more "}"
#define IN(agent, session)                                                                         \
    "\"steps\": [{\"agent\": \"" agent "\", \"prompt\": \"go\", \"resume\": \"" session "\"}]"
#define NEEDS(ids) "\"needs\": [" ids "], "
#define COMMAND    "\"steps\": [{\"run\": [\"true\"]}]"
#define REFUSED(place, id)                                                                         \
    "[INVALID_VALUE] /tasks/" place "/steps/0/resume: task " id " continues this session too, "    \
    "possibly at the same time: make one need the other\n"

/* Tasks, and what is said of them. */
static const struct {
    const char *tasks, *wanted;
} cases[] = {
    {TASK("a", IN("claude", "s1")), ""},
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("claude", "s2")), ""},
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("claude", "s1")), REFUSED("1", "a")},
    /* The ids of two agents' sessions are not of one kind. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("codex", "s1")), ""},
    {TASK("a", IN("claude", "s1")) "," TASK("b", NEEDS("\"a\"") IN("claude", "s1")), ""},
    {TASK("a", NEEDS("\"b\"") IN("claude", "s1")) "," TASK("b", IN("claude", "s1")), ""},
    /* By way of another one, which is in none. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", NEEDS("\"a\"") COMMAND) "," TASK(
         "c", NEEDS("\"b\"") IN("claude", "s1")),
     ""},
    /* Both need the same, and not each other. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", NEEDS("\"a\"") IN("claude", "s1")) "," TASK(
         "c", NEEDS("\"a\"") IN("claude", "s1")),
     REFUSED("2", "b")},
    /* Two pairs: each is said. */
    {TASK("a", IN("claude", "s1")) "," TASK("b", IN("claude", "s2")) "," TASK(
         "c", IN("claude", "s1")) "," TASK("d", IN("claude", "s2")),
     REFUSED("2", "a") REFUSED("3", "b")},
    /* One task may begin twice. */
    {TASK("a", "\"steps\": [{\"agent\": \"claude\", \"prompt\": \"go\", \"resume\": \"s1\"},"
               "{\"agent\": \"claude\", \"prompt\": \"on\", \"resume\": \"s1\"}]"),
     ""},
};

static bool check(const char *tasks, struct str *out)
{
    struct plan *plan = NULL;
    struct violations violations = {0};
    struct str text = {0};
    str_addf(&text, "{\"version\": 1, \"idempotent\": true, \"tasks\": [%s]}", tasks);
    const bool is_plan = plan_parse(str_text(&text), text.len, &plan, &violations);
    const bool ok = is_plan && plan_sessions_check(plan, &violations);
    violations_display(&violations, out);
    ck_assert_msg(is_plan, "%s", str_text(out));
    plan_free(plan);
    violations_done(&violations);
    str_done(&text);
    return ok;
}

START_TEST(test_two_tasks_are_never_in_one_session_at_a_time)
{
    struct str said = {0};
    const bool ok = check(cases[_i].tasks, &said);
    ck_assert_str_eq(str_text(&said), cases[_i].wanted);
    ck_assert_int_eq(ok, cases[_i].wanted[0] == '\0');
    str_done(&said);
}
END_TEST

START_TEST(test_so_many_sessions_may_be_shared)
{
    struct str tasks = {0};
    struct str said = {0};
    for (int i = 0; i <= PLAN_SESSIONS_SHARED_MAX; i++) {
        str_addf(&tasks,
                 "%s{\"id\": \"a%d\", \"steps\": [{\"agent\": \"claude\", \"prompt\": \"go\","
                 " \"resume\": \"s%d\"}]},"
                 "{\"id\": \"b%d\", \"needs\": [\"a%d\"], \"steps\": [{\"agent\": \"claude\","
                 " \"prompt\": \"go\", \"resume\": \"s%d\"}]}",
                 i > 0 ? "," : "", i, i, i, i, i);
        ck_assert_int_eq(check(str_text(&tasks), &said), i < PLAN_SESSIONS_SHARED_MAX);
    }
    ck_assert_ptr_nonnull(strstr(str_text(&said), "too many sessions"));
    str_done(&said);
    str_done(&tasks);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_sessions");
    TCase *sessions = test_case(suite, "sessions");
    tcase_add_loop_test(sessions, test_two_tasks_are_never_in_one_session_at_a_time, 0,
                        TABLE_LEN(cases));
    tcase_add_test(sessions, test_so_many_sessions_may_be_shared);
    return suite;
}
