/*
 * What settings, plans, tasks and steps say about policies, loops, workspaces and sandboxes, and
 * whose word counts.
 */
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "str.h"
#include "test_main.h"

static struct plan *plan, *again;
static struct settings settings;
static struct violations violations;
static struct str text, shown;

static void setup(void)
{
    plan = again = NULL;
    settings = (struct settings){0};
    violations = (struct violations){0};
    text = shown = (struct str){0};
}

static void teardown(void)
{
    plan_free(plan);
    plan_free(again);
    settings_done(&settings);
    violations_done(&violations);
    str_done(&text);
    str_done(&shown);
}

static void set(const char *json)
{
    ck_assert_msg(settings_parse(json, strlen(json), &settings, &violations), "%s", json);
}

static bool parse_text(void)
{
    const struct plan_context context = {.settings = &settings};
    bool ok = plan_parse_with(str_text(&text), text.len, &context, &plan, &violations);
    violations_display(&violations, &shown);
    return ok;
}

/* A plan with one task. `root` and `task` are members, each with a comma after it. */
static bool parse_task(const char *root, const char *task, const char *steps)
{
    str_clear(&text);
    str_addf(&text, "{%s\"version\": 1, \"tasks\": [{%s\"id\": \"a\", \"steps\": [%s]}]}", root,
             task, steps);
    return parse_text();
}

#define SAFE "\"idempotent\": true, "
#define STEP "{\"run\": [\"x\"]}"

static bool parse(const char *root, const char *steps)
{
    return parse_task(root, "", steps);
}

/* `step` are members of the only step. */
static void parse_good(const char *root, const char *task, const char *step)
{
    struct str steps = {0};
    str_addf(&steps, "{%s\"run\": [\"x\"]}", step);
    ck_assert_msg(parse_task(root, task, str_text(&steps)), "%s", str_text(&shown));
    str_done(&steps);
}

/* Reads the written plan into `again`, without any settings. Both write the same. */
static void read_again(void)
{
    struct str first = {0}, second = {0};
    plan_write(plan, &first);
    ck_assert_msg(plan_parse(first.data, first.len, &again, &violations), "%s", first.data);
    plan_write(again, &second);
    ck_assert_str_eq(first.data, second.data);
    str_done(&first);
    str_done(&second);
}

/* Policies */

static const struct policy *policy_of(int step)
{
    return plan->tasks[0].steps[step].policy;
}

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

START_TEST(test_steps_without_a_policy_have_that_of_the_settings)
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
    set("{\"policies\": {\"default\": {\"max_attempts\": 8}, \"mine\": {\"like\": \"research\"}}, "
        "\"retry_limit\": 7, \"sandbox\": {\"transientRetries\": 6}}");
    ck_assert_msg(parse(heads[_i], steps), "%s", str_text(&shown));
    read_again();
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
}
END_TEST

START_TEST(test_one_task_alone_keeps_policies_and_sources)
{
    static const char json[] =
        "{\"version\": 1, \"idempotent\": true, \"policy\": {\"window\": 2}, \"tasks\": ["
        "{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"], \"source\": \"s\"}]}, "
        "{\"id\": \"b\", \"steps\": [{\"run\": [\"x\"], \"policy\": \"mine\", \"source\": \"t\"}, "
        "{\"run\": [\"y\"]}]}]}";
    struct plan *whole = NULL;
    set("{\"policies\": {\"mine\": {\"like\": \"research\"}}}");
    ck_assert(plan_parse_with(json, strlen(json), &(struct plan_context){.settings = &settings},
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

/* A log that was written with other settings says how it was then. */
START_TEST(test_a_text_from_a_log_keeps_its_own_settings)
{
    set("{\"policies\": {\"default\": {\"max_attempts\": 8}}, \"sandbox\": \"bwrap\"}");
    ck_assert(
        parse(SAFE "\"settings\": {\"policies\": {\"default\": {\"max_attempts\": 5}}},", STEP));
    ck_assert_int_eq(policy_of(0)->max_attempts, 5);
    ck_assert_int_eq((int)plan->tasks[0].steps[0].sandbox->kind, SANDBOX_NONE);
}
END_TEST

START_TEST(test_an_unknown_policy_lists_those_of_the_settings)
{
    set("{\"policies\": {\"mine\": {}}}");
    ck_assert(!parse(SAFE "\"policy\": \"x\",", STEP));
    ck_assert_str_eq(str_text(&shown),
                     "[INVALID_VALUE] /policy: unknown policy (expected default, infrastructure, "
                     "research, transport, careful, mine, got \"x\")\n");
}
END_TEST

/* In place, nothing can be reset before another try. */
static const struct {
    const char *root, *task, *step;
    bool is_good;
} repeats[] = {
    {"", "", STEP, false},
    {"", "", "{\"run\": [\"x\"], \"idempotent\": true}", true},
    {SAFE, "", STEP, true},
    {SAFE, "", "{\"run\": [\"x\"], \"idempotent\": false}", false},
    {"", "", "{\"phase\": \"RED\", \"run\": [\"x\"]}", true},
    {"", "", "{\"phase\": \"VERIFY\", \"run\": [\"x\"]}", false},
    {"", "", "{\"phase\": \"RED\", \"run\": [\"x\"], \"policy\": \"transport\"}", false},
    {"", "", "{\"run\": [\"x\"], \"policy\": {\"max_attempts\": 1}}", true},
    {"", "", "{\"run\": [\"x\"], \"policy\": {\"phases\": [\"RED\"]}}", true},
    {"\"policy\": {\"max_attempts\": 1},", "", STEP, true},
    {"\"policy\": \"once\",", "", STEP, true},
    {"", "\"workspace\": \"worktree\", ", STEP, true},
    {"", "\"workspace\": \"copy\", ", STEP, true},
    {"\"workspace\": \"copy\", ", "", STEP, true},
    {"\"workspace\": \"copy\", ", "\"workspace\": \"inplace\", ", STEP, false},
};

START_TEST(test_A11_what_is_tried_again_in_place_is_idempotent)
{
    set("{\"policies\": {\"once\": {\"max_attempts\": 1}}}");
    ck_assert(parse_task(repeats[_i].root, repeats[_i].task, repeats[_i].step) ==
              repeats[_i].is_good);
    if (!repeats[_i].is_good)
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

/* Loops */

static void check_equal(const struct entropy_limits *got, const struct entropy_limits *want)
{
    const struct entropy_limit *limit;
    for (size_t i = 0; (limit = entropy_limit(i)) != NULL; i++)
        ck_assert_msg(entropy_limit_get(got, limit) == entropy_limit_get(want, limit), "%s: %d",
                      limit->name, entropy_limit_get(got, limit));
}

START_TEST(test_a_plan_without_limits_of_loops_has_the_defaults)
{
    const struct entropy_limits initial = entropy_limits_new();
    ck_assert(parse(SAFE, STEP));
    ck_assert(!plan->has_loops);
    check_equal(&plan->loops, &initial);
}
END_TEST

START_TEST(test_a_plan_has_its_own_limits_of_loops)
{
    struct entropy_limits want = entropy_limits_new();
    want.repeat_stop = 12;
    want.barren_stop = 0;
    ck_assert(
        parse(SAFE "\"loops\": {\"repeat_stop\": 12, \"//\": 1, \"barren_stop\": 0.0},", STEP));
    ck_assert(plan->has_loops);
    check_equal(&plan->loops, &want);
}
END_TEST

START_TEST(test_limits_of_loops_of_the_plan_win_over_the_settings)
{
    struct entropy_limits want = entropy_limits_new();
    want.repeat_stop = 12;
    want.poll_stop = 30;
    set("{\"loops\": {\"repeat_stop\": 7, \"poll_stop\": 30}}");
    ck_assert(parse(SAFE "\"loops\": {\"repeat_stop\": 12},", STEP));
    check_equal(&plan->loops, &want);
}
END_TEST

/* The settings, the plan, and the resulting loops. */
static const struct {
    const char *settings, *plan;
    enum entropy_preset preset;
    int repeat_stop, poll_stop;
} chosen_loops[] = {
    {"{}", "\"loops\": \"strict\",", ENTROPY_STRICT, 3, 12},
    {"{}", "\"loops\": {\"repeat_stop\": 4, \"preset\": \"off\"},", ENTROPY_OFF, 4, 0},
    {"{\"loops\": \"strict\"}", "", ENTROPY_STRICT, 3, 12},
    {"{\"loops\": \"strict\"}", "\"loops\": {\"poll_stop\": 30},", ENTROPY_STRICT, 3, 30},
    {"{\"loops\": \"off\"}", "\"loops\": \"normal\",", ENTROPY_NORMAL, 5, 20},
    {"{\"loops\": {\"repeat_stop\": 7}}", "\"loops\": \"strict\",", ENTROPY_STRICT, 3, 12},
};

START_TEST(test_a_preset_of_the_plan_replaces_the_numbers_of_the_settings)
{
    set(chosen_loops[_i].settings);
    struct str root = {0};
    str_addf(&root, SAFE "%s", chosen_loops[_i].plan);
    ck_assert_msg(parse(root.data, STEP), "%s", str_text(&shown));
    str_done(&root);
    ck_assert(plan->has_loops);
    ck_assert_int_eq(plan->loops.preset, chosen_loops[_i].preset);
    ck_assert_int_eq(plan->loops.repeat_stop, chosen_loops[_i].repeat_stop);
    ck_assert_int_eq(plan->loops.poll_stop, chosen_loops[_i].poll_stop);
    read_again();
    ck_assert_int_eq(again->loops.preset, plan->loops.preset);
    check_equal(&again->loops, &plan->loops);
}
END_TEST

/* A log's text gives the same limits again, whatever the settings say by then. */
START_TEST(test_the_written_plan_has_every_limit_of_loops)
{
    struct str written = {0};
    set("{\"loops\": {\"repeat_stop\": 7}}");
    ck_assert(parse(SAFE, STEP));
    ck_assert(plan_has_more(plan));
    plan_write(plan, &written);
    settings.loops.repeat_stop = 99;
    settings.loops.poll_stop = 98;
    const struct plan_context context = {.settings = &settings};
    ck_assert(plan_parse_with(written.data, written.len, &context, &again, &violations));
    check_equal(&again->loops, &plan->loops);
    ck_assert_int_eq(again->loops.repeat_stop, 7);
    str_done(&written);
}
END_TEST

/* A limit of the base policy that is switched off stays off in the log's text. */
START_TEST(test_the_written_plan_keeps_limits_that_are_off)
{
    ck_assert(parse(SAFE, "{\"run\": [\"x\"], \"policy\": {\"like\": \"careful\", "
                          "\"unchanged_stops\": 0}}"));
    ck_assert_int_eq(policy_of(0)->unchanged_stops, 0);
    read_again();
    ck_assert_int_eq(again->tasks[0].steps[0].policy->unchanged_stops, 0);
}
END_TEST

START_TEST(test_settings_without_such_keys_leave_the_text_alone)
{
    set("{\"rules\": []}");
    ck_assert(parse(SAFE "\"loops\": {\"repeat_stop\": 12},", STEP));
    ck_assert(!plan_has_more(plan));
}
END_TEST

/* 0, which is off, and from the smallest of the table to the largest. */
START_TEST(test_the_range_of_a_limit_of_loops)
{
    const struct entropy_limit *limit = entropy_limit((size_t)_i);
    char members[100];
    const int below = limit->min > 1 ? limit->min - 1 : -1;
    const int values[] = {0, limit->min, limit->max, limit->max + 1, below};
    for (int i = 0; i < TABLE_LEN(values); i++) {
        teardown();
        setup();
        (void)snprintf(members, sizeof(members), SAFE "\"loops\": {\"%s\": %d},", limit->name,
                       values[i]);
        bool ok = parse(members, STEP);
        ck_assert_msg(ok == (i < 3), "%s: %s", members, str_text(&shown));
        if (ok)
            ck_assert_int_eq(entropy_limit_get(&plan->loops, limit), values[i]);
        else
            ck_assert_ptr_nonnull(strstr(str_text(&shown), limit->name));
    }
}
END_TEST

/* Workspaces and sandboxes */

static const struct sandbox_spec *sandbox(void)
{
    return plan->tasks[0].steps[0].sandbox;
}

static const struct workspace_spec *workspace(void)
{
    return plan->tasks[0].workspace;
}

START_TEST(test_a_plan_is_in_place_and_without_a_sandbox_by_default)
{
    parse_good(SAFE, "", "");
    ck_assert_int_eq((int)workspace()->kind, WORKSPACE_INPLACE);
    ck_assert_int_eq(workspace()->snapshot_bytes_max, WORKSPACE_SNAPSHOT_BYTES);
    ck_assert_int_eq(workspace()->setup_timeout_ms, 600000);
    ck_assert(sandbox_spec_is_empty(sandbox()));
    ck_assert_int_eq((int)sandbox()->network, SANDBOX_NETWORK_UNSAID);
    ck_assert_int_eq(sandbox()->start_timeout_ms, 30000);
    ck_assert_int_eq(plan->limits.output_line_bytes, 1048576);
    ck_assert_int_eq(plan->limits.processes, 0);
    ck_assert_int_eq((int)plan->on_hangup, PLAN_HANGUP_GO_ON);
    plan_write(plan, &shown);
    ck_assert_ptr_null(strstr(str_text(&shown), "workspace"));
    ck_assert_ptr_null(strstr(str_text(&shown), "limits"));
}
END_TEST

#define ROOT_ALL                                                                                   \
    "\"on_hangup\": \"wait\", \"limits\": {\"output_line_bytes\": 2048, \"processes\": 9}, "       \
    "\"workspace\": {\"kind\": \"worktree\", \"copy\": [\".env\"], \"setup\": [\"make\", \"\"], "  \
    "\"setup_in\": \"network\", "                                                                  \
    "\"exclude\": [\"out/\"], \"snapshot_bytes_max\": 5, \"setup_timeout_s\": 1.5}, "              \
    "\"sandbox\": {\"kind\": \"podman\", \"image\": \"busybox\", \"network\": true, "              \
    "\"memory_mb\": 64, \"pids\": 7, \"cpu_s\": 8, \"read_only\": true, \"writable\": "            \
    "[\"/var/x\", "                                                                                \
    "\"y\"], \"env\": [\"CI\", \"NPM_*\"], \"start_timeout_ms\": 5000, \"args\": [\"--init\"], "   \
    "\"best_effort\": true}, "

static void check_all(void)
{
    const struct workspace_spec *where = workspace();
    ck_assert_int_eq((int)where->kind, WORKSPACE_WORKTREE);
    ck_assert_str_eq(where->copy[0], ".env");
    ck_assert_str_eq(where->setup[0], "make");
    ck_assert_str_eq(where->setup[1], "");
    ck_assert_ptr_null(where->setup[2]);
    ck_assert_int_eq((int)where->setup_in, WORKSPACE_SETUP_IN_NETWORK);
    ck_assert_str_eq(where->exclude[0], "out/");
    ck_assert_int_eq(where->snapshot_bytes_max, 5);
    ck_assert_int_eq(where->setup_timeout_ms, 1500);
    ck_assert_int_eq(plan->limits.output_line_bytes, 2048);
    ck_assert_int_eq(plan->limits.processes, 9);
    ck_assert_int_eq((int)plan->on_hangup, PLAN_HANGUP_WAIT);
}

static void check_sandbox(void)
{
    const struct sandbox_spec *spec = sandbox();
    ck_assert_int_eq((int)spec->kind, SANDBOX_PODMAN);
    ck_assert_str_eq(spec->image, "busybox");
    ck_assert_int_eq((int)spec->network, SANDBOX_NETWORK_ON);
    ck_assert_int_eq(spec->memory_mb, 64);
    ck_assert_int_eq(spec->pids, 7);
    ck_assert_int_eq(spec->cpu_s, 8);
    ck_assert_int_eq((int)spec->root, SANDBOX_ROOT_READ_ONLY);
    ck_assert_str_eq(spec->writable[1], "y");
    ck_assert_str_eq(spec->env[1], "NPM_*");
    ck_assert_int_eq(spec->start_timeout_ms, 5000);
    ck_assert_str_eq(spec->args[0], "--init");
    ck_assert(spec->best_effort);
}

START_TEST(test_every_key_is_read)
{
    parse_good(ROOT_ALL, "", "");
    check_all();
    check_sandbox();
}
END_TEST

/* A task or step says only how it differs. */
START_TEST(test_task_and_step_win_key_by_key)
{
    parse_good(ROOT_ALL, "\"workspace\": {\"exclude\": []}, ",
               "\"sandbox\": {\"memory_mb\": 0, \"network\": false, \"env\": [\"HOME\"]}, ");
    ck_assert_int_eq((int)workspace()->kind, WORKSPACE_WORKTREE);
    ck_assert_str_eq(workspace()->copy[0], ".env");
    ck_assert_ptr_null(workspace()->exclude);
    ck_assert_str_eq(sandbox()->image, "busybox");
    ck_assert_int_eq(sandbox()->memory_mb, 0);
    ck_assert_int_eq(sandbox()->pids, 7);
    ck_assert_int_eq((int)sandbox()->network, SANDBOX_NETWORK_OFF);
    ck_assert_str_eq(sandbox()->env[0], "HOME");
    ck_assert_ptr_null(sandbox()->env[1]);
}
END_TEST

/* bwrap has no image, and no use for the arguments of podman. */
START_TEST(test_another_kind_inherits_only_what_it_may_have)
{
    parse_good(ROOT_ALL SAFE, "\"workspace\": \"inplace\", ", "\"sandbox\": \"bwrap\", ");
    ck_assert_ptr_null(sandbox()->image);
    ck_assert_ptr_null(sandbox()->args);
    ck_assert_str_eq(sandbox()->writable[0], "/var/x");
    ck_assert_int_eq((int)workspace()->kind, WORKSPACE_INPLACE);
    ck_assert_ptr_null(workspace()->setup);
    ck_assert_int_eq((int)workspace()->setup_in, WORKSPACE_SETUP_IN_SANDBOX);
    ck_assert_int_eq(workspace()->snapshot_bytes_max, WORKSPACE_SNAPSHOT_BYTES);
    ck_assert_int_eq(workspace()->setup_timeout_ms, WORKSPACE_SETUP_MS);
    ck_assert_int_eq(sandbox()->start_timeout_ms, SANDBOX_START_MS);
    plan_free(plan);
    plan = NULL;
    parse_good(ROOT_ALL, "\"workspace\": {\"kind\": \"copy\"}, ", "\"sandbox\": \"none\", ");
    ck_assert_ptr_null(workspace()->copy);
    ck_assert_str_eq(workspace()->exclude[0], "out/");
    ck_assert_ptr_null(sandbox()->env);
    ck_assert_ptr_null(sandbox()->writable);
    ck_assert_int_eq((int)sandbox()->root, SANDBOX_ROOT_UNSAID);
    ck_assert_int_eq((int)sandbox()->network, SANDBOX_NETWORK_UNSAID);
    ck_assert_int_eq(sandbox()->memory_mb, 64);
    ck_assert(!sandbox_spec_is_empty(sandbox()));
}
END_TEST

static const struct {
    const char *root, *task, *step;
} kept[] = {
    {ROOT_ALL, "", ""},
    {ROOT_ALL, "\"workspace\": {\"setup_in\": \"sandbox\"}, ", ""},
    {ROOT_ALL, "\"workspace\": {\"setup_in\": \"outside\"}, ", ""},
    {ROOT_ALL, "\"workspace\": {\"kind\": \"copy\", \"setup\": []}, ",
     "\"sandbox\": {\"read_only\": false, \"cpu_s\": 0, \"writable\": []}, "},
    {ROOT_ALL SAFE, "\"workspace\": \"inplace\", ",
     "\"sandbox\": {\"kind\": \"none\", \"pids\": 3}, "},
    {SAFE "\"sandbox\": {\"read_only\": true, \"writable\": [\"x\"]}, ", "",
     "\"sandbox\": {\"kind\": \"container\", \"image\": \"i\"}, "},
    {"\"on_hangup\": \"cancel\", ", "\"workspace\": \"worktree\", ", "\"sandbox\": \"bwrap\", "},
};

START_TEST(test_a_written_plan_has_every_key)
{
    parse_good(kept[_i].root, kept[_i].task, kept[_i].step);
    read_again();
    const struct plan_task *task = &again->tasks[0];
    ck_assert_int_eq((int)task->workspace->kind, (int)workspace()->kind);
    ck_assert_int_eq((int)task->workspace->setup_in, (int)workspace()->setup_in);
    ck_assert_int_eq((int)task->steps[0].sandbox->kind, (int)sandbox()->kind);
    ck_assert_int_eq((int)task->steps[0].sandbox->network, (int)sandbox()->network);
    ck_assert_int_eq(task->steps[0].sandbox->pids, sandbox()->pids);
}
END_TEST

static const struct {
    const char *root, *steps;
    enum sandbox_kind kind; /* where setup runs */
    enum sandbox_network network;
    int64_t pids;
} setups[] = {
    {.root = SAFE, .steps = STEP},
    /* limits alone are no sandbox */
    {.root = SAFE "\"sandbox\": {\"pids\": 3}, ", .steps = STEP},
    {.root = SAFE "\"sandbox\": {\"kind\": \"bwrap\", \"pids\": 3}, ",
     .steps = STEP,
     .kind = SANDBOX_BWRAP,
     .pids = 3},
    /* the first step's own, even if a later one has another */
    {.root = SAFE "\"sandbox\": {\"kind\": \"bwrap\", \"pids\": 3}, ",
     .steps = "{\"sandbox\": {\"kind\": \"podman\", \"image\": \"i\", \"pids\": 4}, "
              "\"run\": [\"x\"]}, " STEP,
     .kind = SANDBOX_PODMAN,
     .pids = 4},
    /* a first step without a sandbox does not take setup out of the second one's */
    {.root = SAFE "\"sandbox\": {\"kind\": \"bwrap\", \"pids\": 3}, ",
     .steps = "{\"sandbox\": \"none\", \"run\": [\"x\"]}, " STEP,
     .kind = SANDBOX_BWRAP,
     .pids = 3},
    {.root = "\"sandbox\": \"bwrap\", "
             "\"workspace\": {\"kind\": \"copy\", \"setup_in\": \"network\"}, ",
     .steps = STEP,
     .kind = SANDBOX_BWRAP,
     .network = SANDBOX_NETWORK_ON},
    {.root = "\"workspace\": {\"kind\": \"copy\", \"setup_in\": \"network\"}, ", .steps = STEP},
    {.root = "\"sandbox\": \"bwrap\", "
             "\"workspace\": {\"kind\": \"copy\", \"setup_in\": \"outside\"}, ",
     .steps = STEP},
};

START_TEST(test_setup_runs_in_the_first_sandbox_of_its_task)
{
    ck_assert_msg(parse(setups[_i].root, setups[_i].steps), "%s", str_text(&shown));
    const struct plan_task *task = &plan->tasks[0];
    const struct sandbox_spec spec = plan_setup_sandbox(task->workspace, plan_task_sandbox(task));
    ck_assert_int_eq((int)spec.kind, (int)setups[_i].kind);
    ck_assert_int_eq((int)spec.network, (int)setups[_i].network);
    ck_assert_int_eq(spec.pids, setups[_i].pids);
}
END_TEST

START_TEST(test_a_part_of_a_plan_keeps_workspaces_and_sandboxes)
{
    parse_good(ROOT_ALL, "", "");
    ck_assert(plan_only(plan, "a", &again, NULL));
    struct plan *whole = plan;
    plan = again;
    again = whole;
    check_all();
    check_sandbox();
}
END_TEST

START_TEST(test_settings_are_defaults_of_plans)
{
    set("{\"workspace\": \"worktree\", \"sandbox\": {\"kind\": \"bwrap\", \"network\": true, "
        "\"transientRetries\": 1}, \"limits\": {\"processes\": 4}, \"on_hangup\": \"cancel\"}");
    parse_good("\"sandbox\": {\"pids\": 5}, ", "", "");
    ck_assert(plan_has_more(plan));
    ck_assert_int_eq((int)workspace()->kind, WORKSPACE_WORKTREE);
    ck_assert_int_eq((int)sandbox()->kind, SANDBOX_BWRAP);
    ck_assert_int_eq((int)sandbox()->network, SANDBOX_NETWORK_ON);
    ck_assert_int_eq(sandbox()->pids, 5);
    ck_assert_int_eq(plan->limits.processes, 4);
    ck_assert_int_eq((int)plan->on_hangup, PLAN_HANGUP_CANCEL);

    read_again();
    ck_assert_int_eq((int)again->tasks[0].workspace->kind, WORKSPACE_WORKTREE);
    ck_assert_int_eq(again->tasks[0].steps[0].sandbox->pids, 5);
    ck_assert_int_eq((int)again->on_hangup, PLAN_HANGUP_CANCEL);
}
END_TEST

START_TEST(test_retries_alone_are_no_sandbox)
{
    set("{\"sandbox\": {\"transientRetries\": 1}}");
    ck_assert_uint_eq(settings.said, 0);
    settings_done(&settings);
    set("{\"sandbox\": \"bwrap\"}");
    ck_assert_uint_eq(settings.said, PLAN_SAYS_SANDBOX);
}
END_TEST

/* Commands of `devs exec` */

START_TEST(test_a_command_has_what_the_settings_say)
{
    char word[] = "make";
    char *const argv[] = {word, NULL};
    set("{\"policies\": {\"mine\": {\"max_attempts\": 6}}, \"loops\": {\"repeat_stop\": 7}, "
        "\"workspace\": \"worktree\", \"sandbox\": {\"kind\": \"bwrap\", \"transientRetries\": "
        "1}}");
    const struct plan_exec exec = {.argv = argv,
                                   .phase = PHASE_VERIFY,
                                   .policy = settings_policy(&settings, "mine"),
                                   .settings = &settings};
    ck_assert(plan_for_command(&exec, &plan, NULL));
    read_again();
    ck_assert_ptr_ne(policy_of(0), exec.policy);
    for (int i = 0; i < 2; i++) {
        const struct plan *each = i == 0 ? plan : again;
        const struct plan_step *step = &each->tasks[0].steps[0];
        ck_assert_str_eq(step->policy->name, "mine");
        ck_assert_int_eq(step->policy->max_attempts, 6);
        ck_assert_int_eq(plan_policy_find(each, "infrastructure")->max_attempts, 2);
        ck_assert_int_eq(each->loops.repeat_stop, 7);
        ck_assert_int_eq(each->loops.poll_stop, entropy_limits_new().poll_stop);
        /* a command is run where the person is */
        ck_assert_int_eq((int)each->tasks[0].workspace->kind, WORKSPACE_INPLACE);
        ck_assert_int_eq((int)step->sandbox->kind, SANDBOX_BWRAP);
    }
}
END_TEST

static const struct {
    const char *settings, *word;
    const char *want; /* the plan's sandbox, or why there is none */
} chosen[] = {
    {"{}", "bwrap", "{\"kind\":\"bwrap\",\"memory_mb\":0,"},
    {"{}", "podman:a:5000/b@x", "\"image\":\"a:5000/b@x\""},
    {"{\"sandbox\": {\"kind\": \"podman\", \"image\": \"i\", \"pids\": 7}}", "docker",
     "{\"kind\":\"docker\",\"memory_mb\":0,\"pids\":7,\"cpu_s\":0,"
     "\"writable\":[],\"env\":[],\"image\":\"i\""},
    {"{\"sandbox\": {\"kind\": \"bwrap\", \"network\": true, \"pids\": 7}}", "none",
     "{\"kind\":\"none\",\"memory_mb\":0,\"pids\":7,"},
    {"{}", "moon", "unknown sandbox 'moon'"},
    {"{}", "", "unknown sandbox ''"},
    {"{}", "podman", "a container needs an image, which must be on this machine"},
    {"{}", "podman:", "invalid image name ''"},
    {"{}", "podman:--rm", "invalid image name '--rm'"},
    {"{}", "bwrap:i", "only containers have an image, but 'bwrap' is not a container"},
};

START_TEST(test_a_command_names_its_sandbox)
{
    char word[] = "x";
    char *const argv[] = {word, NULL};
    struct err err = {0};
    set(chosen[_i].settings);
    struct sandbox_spec spec = settings.said & PLAN_SAYS_SANDBOX
                                   ? sandbox_spec_copy(&settings.sandbox)
                                   : sandbox_spec_new();
    const struct plan_exec exec = {.argv = argv,
                                   .policy = policy_named(POLICY_DEFAULT),
                                   .settings = &settings,
                                   .sandbox = &spec};
    if (sandbox_spec_choose(&spec, chosen[_i].word, &err)) {
        ck_assert(plan_for_command(&exec, &plan, NULL));
        plan_write(plan, &shown);
        ck_assert(plan_parse(shown.data, shown.len, &again, &violations));
    } else {
        ck_assert_int_eq((int)err.code, ERR_INVALID);
        str_add(&shown, err.message);
    }
    sandbox_spec_done(&spec);
    ck_assert_msg(strstr(str_text(&shown), chosen[_i].want), "%s", str_text(&shown));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_settings");
    TCase *policies = test_case(suite, "policies");
    tcase_add_checked_fixture(policies, setup, teardown);
    tcase_add_test(policies, test_E4_a_call_may_override_the_policy);
    tcase_add_test(policies, test_A9_step_before_plan_before_settings_before_builtin);
    tcase_add_test(policies, test_steps_without_a_policy_have_that_of_the_settings);
    tcase_add_test(policies, test_the_plan_names_the_policy_of_its_steps);
    tcase_add_test(policies, test_a_plan_hides_a_policy_of_the_settings);
    tcase_add_test(policies, test_B7_a_plan_changes_what_the_settings_say_of_starts);
    tcase_add_loop_test(policies, test_the_written_plan_needs_no_settings, 0, 3);
    tcase_add_test(policies, test_one_task_alone_keeps_policies_and_sources);
    tcase_add_test(policies, test_a_text_from_a_log_keeps_its_own_settings);
    tcase_add_test(policies, test_an_unknown_policy_lists_those_of_the_settings);
    tcase_add_loop_test(policies, test_A11_what_is_tried_again_in_place_is_idempotent, 0,
                        TABLE_LEN(repeats));
    tcase_add_test(policies, test_an_agent_program_is_a_source);
    tcase_add_loop_test(policies, test_sources_have_a_limit, 0, 2);
    TCase *loops = test_case(suite, "loops");
    tcase_add_checked_fixture(loops, setup, teardown);
    tcase_add_test(loops, test_a_plan_without_limits_of_loops_has_the_defaults);
    tcase_add_test(loops, test_a_plan_has_its_own_limits_of_loops);
    tcase_add_test(loops, test_limits_of_loops_of_the_plan_win_over_the_settings);
    tcase_add_loop_test(loops, test_a_preset_of_the_plan_replaces_the_numbers_of_the_settings, 0,
                        TABLE_LEN(chosen_loops));
    tcase_add_test(loops, test_the_written_plan_has_every_limit_of_loops);
    tcase_add_test(loops, test_the_written_plan_keeps_limits_that_are_off);
    tcase_add_test(loops, test_settings_without_such_keys_leave_the_text_alone);
    int limits = 0;
    while (entropy_limit((size_t)limits))
        limits++;
    tcase_add_loop_test(loops, test_the_range_of_a_limit_of_loops, 0, limits);
    TCase *places = test_case(suite, "workspaces and sandboxes");
    tcase_add_checked_fixture(places, setup, teardown);
    tcase_add_test(places, test_a_plan_is_in_place_and_without_a_sandbox_by_default);
    tcase_add_test(places, test_every_key_is_read);
    tcase_add_test(places, test_task_and_step_win_key_by_key);
    tcase_add_test(places, test_another_kind_inherits_only_what_it_may_have);
    tcase_add_loop_test(places, test_a_written_plan_has_every_key, 0, TABLE_LEN(kept));
    tcase_add_loop_test(places, test_setup_runs_in_the_first_sandbox_of_its_task, 0,
                        TABLE_LEN(setups));
    tcase_add_test(places, test_a_part_of_a_plan_keeps_workspaces_and_sandboxes);
    tcase_add_test(places, test_settings_are_defaults_of_plans);
    tcase_add_test(places, test_retries_alone_are_no_sandbox);
    TCase *commands = test_case(suite, "commands");
    tcase_add_checked_fixture(commands, setup, teardown);
    tcase_add_test(commands, test_a_command_has_what_the_settings_say);
    tcase_add_loop_test(commands, test_a_command_names_its_sandbox, 0, TABLE_LEN(chosen));
    return suite;
}
