#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "classify.h"
#include "json.h"
#include "play.h"
#include "str.h"
#include "test_main.h"

static struct plan *plan;
static struct settings settings;
static struct violations violations;
static struct str shown;

static void setup(void)
{
    plan = NULL;
    settings = (struct settings){0};
    violations = (struct violations){0};
    shown = (struct str){0};
}

static void teardown(void)
{
    plan_free(plan);
    settings_done(&settings);
    violations_done(&violations);
    str_done(&shown);
}

/* `head` stands before the tasks and ends with a comma; `steps` are those of one task. */
static bool parse(const char *head, const char *steps)
{
    struct str text = {0};
    str_addf(&text, "{\"version\": 1, %s \"tasks\": [{\"id\": \"a\", \"steps\": [%s]}]}", head,
             steps);
    bool ok = plan_parse_with(text.data, text.len, &(struct plan_context){.settings = &settings},
                              &plan, &violations);
    violations_display(&violations, &shown);
    str_done(&text);
    return ok;
}

static void set(const char *text)
{
    ck_assert(settings_parse(text, strlen(text), &settings, &violations));
}

static const struct policy *policy_of(int step)
{
    return plan->tasks[0].steps[step].policy;
}

#define SAFE "\"idempotent\": true,"

START_TEST(test_E4_a_call_may_override_the_policy)
{
    ck_assert(parse(SAFE, "{\"run\": [\"x\"], \"policy\": {\"like\": \"transport\", "
                          "\"max_attempts\": 2, \"jitter\": \"none\"}}, {\"run\": [\"y\"], "
                          "\"policy\": {\"window\": 2}}, {\"run\": [\"z\"], \"policy\": {}}"));
    ck_assert_str_eq(policy_of(0)->name, "transport+");
    ck_assert_int_eq(policy_of(0)->max_attempts, 2);
    ck_assert_int_eq(policy_of(0)->base_delay_ms, 2000);
    ck_assert_int_eq((int)policy_of(0)->jitter_kind, POLICY_JITTER_NONE);
    ck_assert_str_eq(policy_of(1)->name, "default+");
    ck_assert_int_eq(policy_of(1)->window, 2);
    ck_assert_int_eq(policy_of(2)->max_attempts, 3);
}
END_TEST

START_TEST(test_A9_step_before_plan_before_settings_before_builtin)
{
    set("{\"policies\": {\"default\": {\"max_attempts\": 4, \"base_delay_ms\": 40, \"cap_ms\": "
        "400, \"window\": 4}, \"mine\": {\"like\": \"default\", \"multiplier\": 4}}}");
    ck_assert(parse(SAFE "\"policy\": {\"like\": \"ours\", \"cap_ms\": 300}, \"policies\": "
                         "{\"ours\": {\"like\": \"mine\", \"base_delay_ms\": 30}},",
                    "{\"run\": [\"x\"], \"policy\": {\"max_attempts\": 2}}, {\"run\": [\"x\"]}"));
    const struct policy *step = policy_of(0);
    ck_assert_int_eq(step->max_attempts, 2);    /* the step's own word */
    ck_assert_int_eq(step->cap_ms, 300);        /* the plan's policy for all its steps */
    ck_assert_int_eq(step->base_delay_ms, 30);  /* the plan's "ours" */
    ck_assert_int_eq(step->window, 4);          /* the settings' "default" */
    ck_assert_int_eq((int)step->multiplier, 4); /* the settings' "mine" */
    ck_assert_int_eq(step->retry_after_cap_ms, policy_named(POLICY_DEFAULT)->retry_after_cap_ms);
    ck_assert_str_eq(step->name, "ours+");
    ck_assert_int_eq(policy_of(1)->max_attempts, 4);
    ck_assert_str_eq(policy_of(1)->name, "ours+");
}
END_TEST

START_TEST(test_steps_that_name_no_policy_have_the_settings_sandbox)
{
    set("{\"policies\": {\"default\": {\"max_attempts\": 9}}}");
    ck_assert(parse(SAFE, "{\"run\": [\"x\"]}, {\"run\": [\"x\"], \"policy\": \"default\"}, "
                          "{\"run\": [\"x\"], \"policy\": \"transport\"}"));
    ck_assert_int_eq(policy_of(0)->max_attempts, 9);
    ck_assert_int_eq(policy_of(1)->max_attempts, 9);
    ck_assert_ptr_eq(policy_of(2), policy_named("transport"));
    ck_assert_int_eq(plan_step_attempts(&plan->tasks[0].steps[0]), 9);
}
END_TEST

START_TEST(test_the_plan_names_the_policy_of_its_steps)
{
    ck_assert(parse(SAFE "\"policy\": \"p\", \"policies\": {\"p\": {\"max_attempts\": 6}},",
                    "{\"run\": [\"x\"]}, {\"run\": [\"x\"], \"policy\": \"research\"}"));
    ck_assert_int_eq(policy_of(0)->max_attempts, 6);
    ck_assert_str_eq(policy_of(1)->name, "research");
}
END_TEST

START_TEST(test_a_plan_hides_a_policy_of_the_settings)
{
    set("{\"policies\": {\"mine\": {\"max_attempts\": 9, \"window\": 9}}}");
    ck_assert(parse(SAFE "\"policies\": {\"mine\": {\"like\": \"mine\", \"max_attempts\": 2}, "
                         "\"yours\": {\"like\": \"mine\"}},",
                    "{\"run\": [\"x\"], \"policy\": \"mine\"}, {\"run\": [\"x\"], \"policy\": "
                    "\"yours\"}"));
    ck_assert_int_eq(policy_of(0)->max_attempts, 2);
    ck_assert_int_eq(policy_of(0)->window, 9);
    ck_assert_int_eq(policy_of(1)->max_attempts, 2);
}
END_TEST

START_TEST(test_B7_a_plan_changes_what_the_settings_say_of_starts)
{
    set("{\"sandbox\": {\"transientRetries\": 1}}");
    ck_assert(parse(SAFE "\"policies\": {\"infrastructure\": {\"base_delay_ms\": 5}},",
                    "{\"run\": [\"x\"]}"));
    const struct policy *starts = plan_policy_find(plan, "infrastructure");
    ck_assert_int_eq(starts->max_attempts, 2);
    ck_assert_int_eq(starts->base_delay_ms, 5);
    ck_assert_uint_eq(starts->retry_on, POLICY_ON_TRANSIENT);
}
END_TEST

START_TEST(test_the_written_plan_needs_no_settings)
{
    static const char steps[] =
        "{\"run\": [\"x\"], \"source\": \"api\"}, {\"run\": [\"claude\"], \"policy\": \"mine\"}, "
        "{\"run\": [\"x\"], \"policy\": {\"like\": \"mine\", \"retry_timeouts\": false, "
        "\"exhausted\": \"max-retries\", "
        "\"jitter\": \"full\"}}, {\"run\": [\"x\"], \"policy\": \"ours\"}";
    static const char *const heads[] = {
        SAFE "\"policies\": {\"ours\": {\"jitter\": 0.1}},",
        SAFE "\"policies\": {\"ours\": {}}, \"policy\": \"mine\",",
        SAFE
        "\"policies\": {\"ours\": {}, \"mine\": {\"window\": 5}}, \"policy\": {\"window\": 2},",
    };
    struct str first = {0};
    struct str second = {0};
    struct plan *again = NULL;
    set("{\"policies\": {\"default\": {\"max_attempts\": 8}, \"mine\": {\"like\": \"research\"}}, "
        "\"retry_limit\": 7, \"sandbox\": {\"transientRetries\": 6}}");
    ck_assert_msg(parse(heads[_i], steps), "%s", str_text(&shown));
    plan_write(plan, &first);
    ck_assert(plan_parse(first.data, first.len, &again, &violations));
    plan_write(again, &second);
    ck_assert_str_eq(first.data, second.data);

    ck_assert_int_eq(plan_policy_find(again, "infrastructure")->max_attempts, 7);
    ck_assert_int_eq(again->setting_count, plan->setting_count);
    for (int i = 0; i < plan->step_count; i++) {
        const struct plan_step *step = &again->tasks[0].steps[i];
        ck_assert_str_eq(step->policy->name, policy_of(i)->name);
        ck_assert_int_eq(step->policy->max_attempts, policy_of(i)->max_attempts);
        ck_assert_int_eq(step->policy->window, policy_of(i)->window);
        ck_assert(step->policy->retry_timeouts == policy_of(i)->retry_timeouts);
        ck_assert_int_eq((int)step->policy->exhausted, (int)policy_of(i)->exhausted);
        ck_assert_int_eq((int)step->policy->jitter_kind, (int)policy_of(i)->jitter_kind);
        ck_assert_int_eq(step->source, plan->tasks[0].steps[i].source);
    }
    plan_free(again);
    str_done(&first);
    str_done(&second);
}
END_TEST

START_TEST(test_one_task_alone_keeps_policies_and_sources)
{
    static const char text[] =
        "{\"version\": 1, \"idempotent\": true, \"policy\": {\"window\": 2}, \"tasks\": ["
        "{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"], \"source\": \"s\"}]}, "
        "{\"id\": \"b\", \"steps\": [{\"run\": [\"x\"], \"policy\": \"mine\", \"source\": \"t\"}, "
        "{\"run\": [\"y\"]}]}]}";
    struct plan *whole = NULL;
    set("{\"policies\": {\"mine\": {\"like\": \"research\"}}}");
    ck_assert(plan_parse_with(text, strlen(text), &(struct plan_context){.settings = &settings},
                              &whole, &violations));
    ck_assert(plan_only(whole, "b", &plan, NULL));
    plan_free(whole);
    const struct plan_step *steps = plan->tasks[0].steps;
    ck_assert_int_eq(plan->task_count, 1);
    ck_assert_str_eq(steps[0].policy->name, "mine");
    ck_assert_str_eq(plan->sources[steps[0].source], "t");
    ck_assert_str_eq(steps[1].policy->name, "default+");
    ck_assert_int_eq(steps[1].policy->window, 2);
    ck_assert_int_eq(steps[1].source, -1);
}
END_TEST

START_TEST(test_a_text_from_a_log_keeps_its_own_settings)
{
    set("{\"policies\": {\"default\": {\"max_attempts\": 8}}}");
    ck_assert(parse(SAFE "\"settings\": {\"policies\": {\"default\": {\"max_attempts\": 5}}},",
                    "{\"run\": [\"x\"]}"));
    ck_assert_int_eq(policy_of(0)->max_attempts, 5);
}
END_TEST

static const struct {
    const char *name;
    const char *head, *step;
    const char *want;
} bad[] = {
    {"unknown policy of the plan", SAFE "\"policy\": \"x\",", "{\"run\": [\"x\"]}",
     "[INVALID_VALUE] /policy: unknown policy (expected default, infrastructure, research, "
     "transport, careful, mine, got \"x\")\n"},
    {"policy of the plan", SAFE "\"policy\": 5,", "{\"run\": [\"x\"]}",
     "[WRONG_TYPE] /policy: wrong type (expected object or string, got 5)\n"},
    {"fields of the plan's policy", SAFE "\"policy\": {\"cap\": 5, \"window\": 1},",
     "{\"run\": [\"x\"]}",
     "[INVALID_VALUE] /policy/cap: unknown key\n"
     "[INVALID_VALUE] /policy/window: not allowed (expected 0, or 2 and more: one result "
     "alone is no loop, got 1)\n"},
    {"policy of a step", SAFE, "{\"run\": [\"x\"], \"policy\": [1]}",
     "[WRONG_TYPE] /tasks/0/steps/0/policy: wrong type (expected object or string, got array)\n"},
    {"fields of a step's policy", "",
     "{\"run\": [\"x\"], \"policy\": {\"like\": \"x\", \"retry_on\": [\"all\"]}}",
     "[INVALID_VALUE] /tasks/0/steps/0/policy/like: unknown policy (expected default, "
     "infrastructure, research, transport, careful, mine, got \"x\")\n"
     "[INVALID_VALUE] /tasks/0/steps/0/policy/retry_on/0: not one of the allowed values (expected "
     "\"transient\", \"persistent\" or \"unknown\", got \"all\")\n"},
    {"exhausted", SAFE, "{\"run\": [\"x\"], \"policy\": {\"exhausted\": \"never\"}}",
     "[INVALID_VALUE] /tasks/0/steps/0/policy/exhausted: not one of the allowed values (expected "
     "\"by-class\" or \"max-retries\", got \"never\")\n"},
    {"exhausted type", SAFE, "{\"run\": [\"x\"], \"policy\": {\"exhausted\": 1}}",
     "[WRONG_TYPE] /tasks/0/steps/0/policy/exhausted: wrong type (expected string, got 1)\n"},
    {"jitter type", SAFE, "{\"run\": [\"x\"], \"policy\": {\"jitter\": true}}",
     "[WRONG_TYPE] /tasks/0/steps/0/policy/jitter: wrong type (expected number or string, got "
     "true)\n"},
    {"settings of a text",
     SAFE "\"settings\": {\"policies\": {\"default\": {\"x\": 1}}, \"y\": 2},",
     "{\"run\": [\"x\"]}",
     "[INVALID_VALUE] /settings/policies/default/x: unknown key\n"
     "[INVALID_VALUE] /settings/y: unknown key\n"},
    {"source", SAFE, "{\"run\": [\"x\"], \"source\": \"no name\"}",
     "[INVALID_VALUE] /tasks/0/steps/0/source: does not match the pattern (expected 1 to 64 "
     "letters, digits, '.', '_' or '-', a letter or digit first, got \"no name\")\n"},
    {"source type", SAFE, "{\"run\": [\"x\"], \"source\": null}",
     "[WRONG_TYPE] /tasks/0/steps/0/source: wrong type (expected string, got null)\n"},
};

START_TEST(test_bad_policy)
{
    set("{\"policies\": {\"mine\": {}}}");
    ck_assert_msg(!parse(bad[_i].head, bad[_i].step), "%s: accepted", bad[_i].name);
    ck_assert_msg(strcmp(str_text(&shown), bad[_i].want) == 0, "%s:\n%s", bad[_i].name,
                  str_text(&shown));
}
END_TEST

/* In place nothing can be put back before a second try. */
START_TEST(test_A11_what_is_tried_again_in_place_is_idempotent)
{
    static const struct {
        const char *head, *step;
        bool is_good;
    } cases[] = {
        {"", "{\"run\": [\"x\"]}", false},
        {"", "{\"run\": [\"x\"], \"idempotent\": true}", true},
        {"\"idempotent\": true,", "{\"run\": [\"x\"]}", true},
        {"\"idempotent\": true,", "{\"run\": [\"x\"], \"idempotent\": false}", false},
        {"", "{\"phase\": \"RED\", \"run\": [\"x\"]}", true},
        {"", "{\"phase\": \"VERIFY\", \"run\": [\"x\"]}", false},
        {"", "{\"phase\": \"RED\", \"run\": [\"x\"], \"policy\": \"transport\"}", false},
        {"", "{\"run\": [\"x\"], \"policy\": {\"max_attempts\": 1}}", true},
        {"", "{\"run\": [\"x\"], \"policy\": {\"phases\": [\"RED\"]}}", true},
        {"\"policy\": {\"max_attempts\": 1},", "{\"run\": [\"x\"]}", true},
        {"\"policy\": \"once\",", "{\"run\": [\"x\"]}", true},
    };
    set("{\"policies\": {\"once\": {\"max_attempts\": 1}}}");
    ck_assert_int_eq(_i < TABLE_LEN(cases), 1);
    ck_assert(parse(cases[_i].head, cases[_i].step) == cases[_i].is_good);
    if (!cases[_i].is_good)
        ck_assert_ptr_nonnull(strstr(str_text(&shown), "declare it \"idempotent\": true"));
}
END_TEST

START_TEST(test_an_agent_program_is_a_source)
{
    ck_assert(parse(SAFE, "{\"run\": [\"claude\", \"-p\"]}, {\"run\": [\"/opt/bin/codex\"]}, "
                          "{\"run\": [\"make\", \"claude\"]}, {\"run\": \"claude\", \"shell\": "
                          "true}, {\"run\": [\"claude\"], \"source\": \"work.account-2\"}, "
                          "{\"run\": [\"pi\"], \"source\": \"claude\"}"));
    const struct plan_step *steps = plan->tasks[0].steps;
    ck_assert_int_eq(plan->source_count, 3);
    ck_assert_str_eq(plan->sources[steps[0].source], "claude");
    ck_assert_str_eq(plan->sources[steps[1].source], "codex");
    ck_assert_int_eq(steps[2].source, -1);
    ck_assert_int_eq(steps[3].source, -1);
    ck_assert_str_eq(plan->sources[steps[4].source], "work.account-2");
    ck_assert_int_eq(steps[5].source, steps[0].source);
}
END_TEST

START_TEST(test_sources_have_a_limit)
{
    struct str steps = {0};
    for (int i = 0; i < PLAN_STEPS_MAX; i++)
        str_addf(&steps, "%s{\"run\": [\"x\"], \"source\": \"s%d\"}", i > 0 ? "," : "", i);
    str_addf(&steps,
             "]}, {\"id\": \"b\", \"steps\": [{\"run\": [\"x\"], \"source\": \"s%d\"}, "
             "{\"run\": [\"claude\"]}",
             _i == 0 ? 7 : 64);
    bool ok = parse(SAFE, str_text(&steps));
    str_done(&steps);
    ck_assert(ok == (_i == 0));
    ck_assert_str_eq(str_text(&shown), ok ? ""
                                          : "[INVALID_VALUE] /tasks/1/steps/0/source: too many "
                                            "sources in one plan (expected at most 64 names, got "
                                            "more)\n");
    if (ok)
        ck_assert_int_eq(plan->tasks[1].steps[1].source, -1); /* no room: no source */
}
END_TEST

START_TEST(test_a_command_may_have_a_policy_of_the_settings)
{
    static char word[] = "make";
    char *argv[] = {word, NULL};
    struct str text = {0};
    set("{\"policies\": {\"mine\": {\"max_attempts\": 6}}, \"sandbox\": {\"transientRetries\": "
        "1}}");
    struct plan_exec exec = {.argv = argv,
                             .phase = PHASE_VERIFY,
                             .policy = settings_policy(&settings, "mine"),
                             .settings = &settings};
    struct plan *made = NULL;
    ck_assert(plan_for_command(&exec, &made, NULL));
    plan_write(made, &text);
    ck_assert(plan_parse(text.data, text.len, &plan, &violations));
    ck_assert_ptr_ne(made->tasks[0].steps[0].policy, exec.policy);
    ck_assert_str_eq(policy_of(0)->name, "mine");
    ck_assert_int_eq(policy_of(0)->max_attempts, 6);
    ck_assert_int_eq(plan_policy_find(plan, "infrastructure")->max_attempts, 2);
    plan_free(made);
    str_done(&text);
}
END_TEST

/* What a block of these pages is an example of, by what it has. */
static bool parse_example(const char *text, size_t len)
{
    struct json *json = NULL;
    struct classifier *classifier = NULL;
    struct str step = {0};
    bool ok = json_parse(text, len, &json, NULL, NULL);
    ck_assert_msg(ok, "%.*s", (int)len, text);
    if (json_get(json, "tasks")) {
        ok = plan_parse(text, len, &plan, &violations);
    } else if (json_get(json, "run")) {
        str_add_n(&step, text, len);
        ok = parse(SAFE, str_text(&step));
    } else {
        ok = settings_parse(text, len, &settings, &violations) &&
             classifier_open(&classifier, settings.rules, NULL);
        classifier_close(classifier);
    }
    json_free(json);
    str_done(&step);
    violations_display(&violations, &shown);
    return ok;
}

static const struct {
    const char *name;
    int examples;
} pages[] = {{"docs/plan.md", 12}, {"docs/policies.md", 2}, {"docs/classification.md", 2}};

START_TEST(test_documented_examples_are_right)
{
    static const char begin[] = "\n```json\n";
    char *page = test_read_file(test_source_path(pages[_i].name));
    ck_assert_ptr_nonnull(page);
    int count = 0;
    for (const char *at = page; (at = strstr(at, begin)) != NULL; count++) {
        at += strlen(begin);
        const char *end = strstr(at, "\n```\n");
        ck_assert_ptr_nonnull(end);
        bool ok = parse_example(at, (size_t)(end - at));
        ck_assert_msg(ok, "%.*s\n%s", (int)(end - at), at, str_text(&shown));
        teardown();
        setup();
    }
    ck_assert_int_eq(count, pages[_i].examples);
    free(page);
}
END_TEST

#define RESEARCH                                                                                   \
    "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", \"steps\": "               \
    "[{\"run\": [\"x\"], \"policy\": \"research\"}]}]}"

START_TEST(test_C3_research_is_tried_three_times)
{
    struct play play;
    play_open(&play, RESEARCH);
    play_start(&play, 1);
    for (int i = 0; i < 3; i++) {
        play_exit(&play, "a", i + 1, play_persistent(REASON_NONE));
        play_wait(&play, 4000);
    }
    const struct event *end = play_last(&play, EVENT_STEP_ENDED);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 3);
    ck_assert_int_eq((int)end->a, DECISION_MAX_RETRIES);
    ck_assert_str_eq(decision_kind_name(DECISION_MAX_RETRIES), "max retries exceeded");
    ck_assert_int_eq(play_status(&play, "a"), TASK_GAVE_UP);
    play_close(&play);
}
END_TEST

START_TEST(test_C3_the_first_success_returns)
{
    struct play play;
    play_open(&play, RESEARCH);
    play_start(&play, 1);
    play_exit(&play, "a", 1, play_persistent(REASON_NONE));
    play_wait(&play, 1000);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 2);
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
    play_close(&play);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_policy");
    TCase *tcase = test_case(suite, "policies");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_E4_a_call_may_override_the_policy);
    tcase_add_test(tcase, test_A9_step_before_plan_before_settings_before_builtin);
    tcase_add_test(tcase, test_steps_that_name_no_policy_have_the_settings_sandbox);
    tcase_add_test(tcase, test_the_plan_names_the_policy_of_its_steps);
    tcase_add_test(tcase, test_a_plan_hides_a_policy_of_the_settings);
    tcase_add_test(tcase, test_B7_a_plan_changes_what_the_settings_say_of_starts);
    tcase_add_loop_test(tcase, test_the_written_plan_needs_no_settings, 0, 3);
    tcase_add_test(tcase, test_one_task_alone_keeps_policies_and_sources);
    tcase_add_test(tcase, test_a_text_from_a_log_keeps_its_own_settings);
    tcase_add_loop_test(tcase, test_bad_policy, 0, TABLE_LEN(bad));
    tcase_add_loop_test(tcase, test_A11_what_is_tried_again_in_place_is_idempotent, 0, 11);
    tcase_add_test(tcase, test_an_agent_program_is_a_source);
    tcase_add_loop_test(tcase, test_sources_have_a_limit, 0, 2);
    tcase_add_test(tcase, test_a_command_may_have_a_policy_of_the_settings);
    tcase_add_loop_test(tcase, test_documented_examples_are_right, 0, TABLE_LEN(pages));
    TCase *playing = test_case(suite, "research");
    tcase_add_test(playing, test_C3_research_is_tried_three_times);
    tcase_add_test(playing, test_C3_the_first_success_returns);
    return suite;
}
