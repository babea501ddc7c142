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
    plan = NULL;
    again = NULL;
    settings = (struct settings){0};
    violations = (struct violations){0};
    text = (struct str){0};
    shown = (struct str){0};
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

/* `root`, `task` and `step` end with a comma, or are empty. */
static bool parse(const char *root, const char *task, const char *step)
{
    const struct plan_context context = {.settings = &settings};
    str_clear(&text);
    str_addf(
        &text,
        "{%s\"version\": 1, \"tasks\": [{%s\"id\": \"a\", \"steps\": [{%s\"run\": [\"x\"]}]}]}",
        root, task, step);
    bool ok = plan_parse_with(str_text(&text), text.len, &context, &plan, &violations);
    violations_display(&violations, &shown);
    return ok;
}

static void parse_good(const char *root, const char *task, const char *step)
{
    ck_assert_msg(parse(root, task, step), "%s", str_text(&shown));
}

static const struct sandbox_spec *sandbox(void)
{
    return plan->tasks[0].steps[0].sandbox;
}

static const struct workspace_spec *workspace(void)
{
    return plan->tasks[0].workspace;
}

#define SAFE "\"idempotent\": true, "

static const struct {
    const char *root, *task, *step;
    const char *want; /* all violations as displayed */
} bad[] = {
    {SAFE "\"sandbox\": \"moon\", ", "", "",
     "[INVALID_VALUE] /sandbox: not one of the allowed values (expected \"none\", \"bwrap\", "
     "\"container\", \"podman\" or \"docker\", got \"moon\")\n"},
    {SAFE "\"sandbox\": \"podman\", ", "", "",
     "[MISSING_FIELD] /sandbox/image: a container needs an image, which must be on this machine\n"},
    {SAFE, "", "\"sandbox\": {\"kind\": \"docker\"}, ",
     "[MISSING_FIELD] /tasks/0/steps/0/sandbox/image: a container needs an image, which must be on "
     "this machine\n"},
    {SAFE "\"sandbox\": {\"kind\": \"bwrap\", \"image\": \"a\"}, ", "", "",
     "[INVALID_VALUE] /sandbox/image: only containers have an image: \"kind\" must be "
     "\"container\", \"podman\" or \"docker\"\n"},
    {SAFE "\"sandbox\": {\"kind\": \"podman\", \"image\": \"--rm\"}, ", "", "",
     "[INVALID_VALUE] /sandbox/image: an image name must not begin with '-'\n"},
    {SAFE "\"sandbox\": {\"network\": true}, ", "", "",
     "[INVALID_VALUE] /sandbox/network: without a sandbox the network is always on: remove this "
     "key, or set a \"kind\"\n"},
    {SAFE "\"sandbox\": {\"env\": [\"CI\"], \"args\": [\"-x\"], \"writable\": [\"/var\"]}, ", "",
     "",
     "[INVALID_VALUE] /sandbox/env: without a sandbox a step has the whole environment: set a "
     "\"kind\"\n"
     "[INVALID_VALUE] /sandbox/args: there is no sandbox to give arguments to: set a \"kind\"\n"
     "[INVALID_VALUE] /sandbox/writable: without a sandbox everything is writable: set a "
     "\"kind\"\n"},
    {SAFE "\"sandbox\": {\"kind\": \"bwrap\", \"writable\": [\"a/../../b\", \"//\", \"..\"]}, ", "",
     "",
     "[INVALID_VALUE] /sandbox/writable/0: must not contain \"..\"\n"
     "[INVALID_VALUE] /sandbox/writable/1: the whole file system cannot be writable: set "
     "\"read_only\": "
     "false\n"
     "[INVALID_VALUE] /sandbox/writable/2: must not contain \"..\"\n"},
    {SAFE "\"sandbox\": {\"kind\": \"bwrap\", \"env\": [\"A=1\", \"*\", \"OK_*\"]}, ", "", "",
     "[INVALID_VALUE] /sandbox/env/0: does not match the pattern (expected a name, or the "
     "beginning "
     "of names and *, got \"A=1\")\n"
     "[INVALID_VALUE] /sandbox/env/1: does not match the pattern (expected a name, or the "
     "beginning "
     "of names and *, got \"*\")\n"},
    {SAFE "\"sandbox\": {\"kind\": \"podman\", \"image\": \"i\", \"memory_mb\": 1048577, "
          "\"pids\": -1, \"start_timeout_ms\": 99}, ",
     "", "",
     "[INVALID_VALUE] /sandbox/memory_mb: too large (expected 0 to 1048576, got 1048577)\n"
     "[INVALID_VALUE] /sandbox/pids: too small (expected 0 to 100000, got -1)\n"
     "[INVALID_VALUE] /sandbox/start_timeout_ms: too small (expected 100 to 3600000, got 99)\n"},
    {SAFE "\"sandbox\": {\"kind\": \"bwrap\", \"transientRetries\": 3}, ", "", "",
     "[INVALID_VALUE] /sandbox/transientRetries: unknown key\n"},
    {SAFE "\"sandbox\": {\"start_timeout_ms\": 100}, ", "",
     "\"sandbox\": {\"kind\": \"bwrap\", \"start_timeout_ms\": 100}, ",
     "[INVALID_VALUE] /sandbox/start_timeout_ms: only containers take time to start: \"kind\" must "
     "be \"container\", \"podman\" or \"docker\"\n"
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox/start_timeout_ms: only containers take time to "
     "start: \"kind\" must be \"container\", \"podman\" or \"docker\"\n"},
    {SAFE "\"workspace\": {\"snapshot_bytes_max\": 1}, ",
     "\"workspace\": {\"setup_timeout_s\": 1}, ", "",
     "[INVALID_VALUE] /workspace/snapshot_bytes_max: needs a workspace of its own: set \"kind\" to "
     "\"worktree\" or \"copy\"\n"
     "[INVALID_VALUE] /tasks/0/workspace/setup_timeout_s: needs a workspace of its own: set "
     "\"kind\" to \"worktree\" or \"copy\"\n"},
    {SAFE "\"workspace\": {\"setup\": [\"make\"]}, ", "", "",
     "[INVALID_VALUE] /workspace/setup: needs a workspace of its own: set \"kind\" to \"worktree\" "
     "or \"copy\"\n"},
    {SAFE "\"workspace\": {\"setup_in\": \"outside\"}, ", "", "",
     "[INVALID_VALUE] /workspace/setup_in: needs a workspace of its own: set \"kind\" to "
     "\"worktree\" or \"copy\"\n"},
    {SAFE "\"workspace\": {\"kind\": \"copy\", \"setup_in\": \"host\"}, ", "", "",
     "[INVALID_VALUE] /workspace/setup_in: not one of the allowed values (expected \"sandbox\", "
     "\"network\" or \"outside\", got \"host\")\n"},
    {"", "\"workspace\": {\"kind\": \"worktree\", \"copy\": [\"/etc\", \"a/../..\", \".\"]}, ", "",
     "[INVALID_VALUE] /tasks/0/workspace/copy/0: must be within the tree: no \"..\", not absolute "
     "(expected a relative path, got /etc)\n"
     "[INVALID_VALUE] /tasks/0/workspace/copy/1: must be within the tree: no \"..\", not absolute "
     "(expected a relative path, got a/../..)\n"
     "[INVALID_VALUE] /tasks/0/workspace/copy/2: must be within the tree: no \"..\", not absolute "
     "(expected a relative path, got .)\n"},
    {"", "\"workspace\": {\"kind\": \"copy\", \"copy\": [\"a\"], \"setup\": [\"\"]}, ", "",
     "[INVALID_VALUE] /tasks/0/workspace/copy: a copy has all files: use \"exclude\" to leave some "
     "out\n"
     "[INVALID_VALUE] /tasks/0/workspace/setup: the command is empty\n"},
    {SAFE "\"limits\": {\"output_line_bytes\": 10, \"process\": 1}, ", "", "",
     "[INVALID_VALUE] /limits/output_line_bytes: too small (expected 1024 to 67108864, got 10)\n"
     "[INVALID_VALUE] /limits/process: unknown key, did you mean \"processes\"?\n"},
    {SAFE "\"on_hangup\": \"die\", ", "", "",
     "[INVALID_VALUE] /on_hangup: not one of the allowed values (expected \"go-on\", \"wait\" or "
     "\"cancel\", got \"die\")\n"},
};

START_TEST(test_what_cannot_be_is_told_with_a_hint)
{
    ck_assert_msg(!parse(bad[_i].root, bad[_i].task, bad[_i].step), "%d: accepted", _i);
    ck_assert_str_eq(str_text(&shown), bad[_i].want);
}
END_TEST

START_TEST(test_nothing_said_is_in_place_and_without_a_sandbox)
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

START_TEST(test_all_that_a_plan_may_say_is_read)
{
    parse_good(ROOT_ALL, "", "");
    check_all();
    check_sandbox();
}
END_TEST

/* Who says something of his own says how it differs. */
START_TEST(test_what_is_nearer_wins_key_by_key)
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

/* An image is nothing to bwrap, nor are podman's arguments. */
START_TEST(test_another_kind_takes_only_what_it_may_have)
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

/* The log's text alone must be enough to go on. */
START_TEST(test_a_plan_that_is_written_says_all_of_it)
{
    struct str first = {0};
    struct str second = {0};
    parse_good(kept[_i].root, kept[_i].task, kept[_i].step);
    plan_write(plan, &first);
    ck_assert_msg(plan_parse(first.data, first.len, &again, &violations), "%s", first.data);
    plan_write(again, &second);
    ck_assert_str_eq(first.data, second.data);
    ck_assert_int_eq((int)again->tasks[0].workspace->kind, (int)workspace()->kind);
    ck_assert_int_eq((int)again->tasks[0].workspace->setup_in, (int)workspace()->setup_in);
    ck_assert_int_eq((int)again->tasks[0].steps[0].sandbox->kind, (int)sandbox()->kind);
    ck_assert_int_eq((int)again->tasks[0].steps[0].sandbox->network, (int)sandbox()->network);
    ck_assert_int_eq(again->tasks[0].steps[0].sandbox->pids, sandbox()->pids);
    str_done(&first);
    str_done(&second);
}
END_TEST

static const struct {
    const char *root, *step, *more; /* `more`: steps after the first one */
    enum sandbox_kind kind;         /* where setup runs */
    enum sandbox_network network;
    int64_t pids;
} setups[] = {
    {"", "", "", SANDBOX_NONE, SANDBOX_NETWORK_UNSAID, 0},
    /* limits alone are no sandbox */
    {"\"sandbox\": {\"pids\": 3}, ", "", "", SANDBOX_NONE, SANDBOX_NETWORK_UNSAID, 0},
    {"\"sandbox\": {\"kind\": \"bwrap\", \"pids\": 3}, ", "", "", SANDBOX_BWRAP,
     SANDBOX_NETWORK_UNSAID, 3},
    /* the first step's own, also where a later one has another */
    {"\"sandbox\": {\"kind\": \"bwrap\", \"pids\": 3}, ",
     "\"sandbox\": {\"kind\": \"podman\", \"image\": \"i\", \"pids\": 4}, ", "{\"run\": [\"y\"]}",
     SANDBOX_PODMAN, SANDBOX_NETWORK_UNSAID, 4},
    /* a first step without a sandbox does not let setup out of the second one's */
    {"\"sandbox\": {\"kind\": \"bwrap\", \"pids\": 3}, ", "\"sandbox\": \"none\", ",
     "{\"run\": [\"y\"]}", SANDBOX_BWRAP, SANDBOX_NETWORK_UNSAID, 3},
    {"\"sandbox\": \"bwrap\", \"workspace\": {\"kind\": \"copy\", \"setup_in\": \"network\"}, ", "",
     "", SANDBOX_BWRAP, SANDBOX_NETWORK_ON, 0},
    {"\"workspace\": {\"kind\": \"copy\", \"setup_in\": \"network\"}, ", "", "", SANDBOX_NONE,
     SANDBOX_NETWORK_UNSAID, 0},
    {"\"sandbox\": \"bwrap\", \"workspace\": {\"kind\": \"copy\", \"setup_in\": \"outside\"}, ", "",
     "", SANDBOX_NONE, SANDBOX_NETWORK_UNSAID, 0},
};

START_TEST(test_setup_runs_in_the_first_sandbox_of_its_task)
{
    str_addf(&text,
             "{%s \"idempotent\": true, \"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": "
             "[{%s\"run\": "
             "[\"x\"]}%s%s]}]}",
             setups[_i].root, setups[_i].step, setups[_i].more[0] ? ", " : "", setups[_i].more);
    ck_assert_msg(plan_parse(str_text(&text), text.len, &plan, &violations), "%s", str_text(&text));
    const struct plan_task *task = &plan->tasks[0];
    const struct sandbox_spec spec = plan_setup_sandbox(task->workspace, plan_task_sandbox(task));
    ck_assert_int_eq((int)spec.kind, (int)setups[_i].kind);
    ck_assert_int_eq((int)spec.network, (int)setups[_i].network);
    ck_assert_int_eq(spec.pids, setups[_i].pids);
}
END_TEST

START_TEST(test_a_part_of_a_plan_keeps_its_places)
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

static void set(const char *json)
{
    ck_assert_msg(settings_parse(json, strlen(json), &settings, &violations), "%s", json);
}

START_TEST(test_settings_are_what_plans_begin_with)
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

    /* and what the log keeps needs them no more */
    struct str written = {0};
    plan_write(plan, &written);
    plan_free(plan);
    plan = NULL;
    ck_assert(plan_parse(written.data, written.len, &plan, &violations));
    str_done(&written);
    ck_assert_int_eq((int)workspace()->kind, WORKSPACE_WORKTREE);
    ck_assert_int_eq(sandbox()->pids, 5);
    ck_assert_int_eq((int)plan->on_hangup, PLAN_HANGUP_CANCEL);
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

START_TEST(test_settings_that_cannot_be)
{
    static const char json[] = "{\"workspace\": {\"exclude\": [\"x\"]}, \"sandbox\": "
                               "{\"kind\": \"podman\"}}";
    ck_assert(!settings_parse(json, strlen(json), &settings, &violations));
    violations_display(&violations, &shown);
    ck_assert_str_eq(str_text(&shown),
                     "[INVALID_VALUE] /workspace/exclude: needs a workspace of its own: set "
                     "\"kind\" to \"worktree\" or \"copy\"\n"
                     "[MISSING_FIELD] /sandbox/image: a container needs an image, which must be on "
                     "this machine\n");
}
END_TEST

/* A log that was written with other settings says how it was then. */
START_TEST(test_a_text_from_a_log_takes_no_settings)
{
    set("{\"sandbox\": \"bwrap\"}");
    parse_good(SAFE "\"settings\": {\"policies\": {}}, ", "", "");
    ck_assert_int_eq((int)sandbox()->kind, SANDBOX_NONE);
}
END_TEST

START_TEST(test_a_command_works_in_place_in_the_sandbox_of_the_settings)
{
    char word[] = "x";
    char *const argv[] = {word, NULL};
    set("{\"workspace\": \"worktree\", \"sandbox\": \"bwrap\"}");
    const struct plan_exec exec = {
        .argv = argv, .policy = policy_named(POLICY_DEFAULT), .settings = &settings};
    ck_assert(plan_for_command(&exec, &plan, NULL));
    ck_assert_int_eq((int)workspace()->kind, WORKSPACE_INPLACE);
    ck_assert_int_eq((int)sandbox()->kind, SANDBOX_BWRAP);
    plan_write(plan, &shown);
    ck_assert(plan_parse(shown.data, shown.len, &again, &violations));
    ck_assert_int_eq((int)again->tasks[0].workspace->kind, WORKSPACE_INPLACE);
    ck_assert_int_eq((int)again->tasks[0].steps[0].sandbox->kind, SANDBOX_BWRAP);
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
    {"{}", "podman:", "'' is not an image name"},
    {"{}", "podman:--rm", "'--rm' is not an image name"},
    {"{}", "bwrap:i", "only containers have an image, 'bwrap' has none"},
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

static const struct {
    const char *root, *task;
    bool fits;
} resets[] = {
    {"", "", false},
    {SAFE, "", true},
    {"", "\"workspace\": \"worktree\", ", true},
    {"", "\"workspace\": \"copy\", ", true},
    {"\"workspace\": \"copy\", ", "", true},
    {"\"workspace\": \"copy\", ", "\"workspace\": \"inplace\", ", false},
};

START_TEST(test_A11_what_can_be_put_back_needs_not_be_idempotent)
{
    ck_assert(parse(resets[_i].root, resets[_i].task, "") == resets[_i].fits);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_surroundings");
    TCase *tcase = test_case(suite, "surroundings");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_what_cannot_be_is_told_with_a_hint, 0, TABLE_LEN(bad));
    tcase_add_loop_test(tcase, test_a_command_names_its_sandbox, 0, TABLE_LEN(chosen));
    tcase_add_test(tcase, test_nothing_said_is_in_place_and_without_a_sandbox);
    tcase_add_test(tcase, test_all_that_a_plan_may_say_is_read);
    tcase_add_test(tcase, test_what_is_nearer_wins_key_by_key);
    tcase_add_test(tcase, test_another_kind_takes_only_what_it_may_have);
    tcase_add_loop_test(tcase, test_a_plan_that_is_written_says_all_of_it, 0, TABLE_LEN(kept));
    tcase_add_loop_test(tcase, test_setup_runs_in_the_first_sandbox_of_its_task, 0,
                        TABLE_LEN(setups));
    tcase_add_test(tcase, test_a_part_of_a_plan_keeps_its_places);
    tcase_add_test(tcase, test_settings_are_what_plans_begin_with);
    tcase_add_test(tcase, test_retries_alone_are_no_sandbox);
    tcase_add_test(tcase, test_settings_that_cannot_be);
    tcase_add_test(tcase, test_a_text_from_a_log_takes_no_settings);
    tcase_add_test(tcase, test_a_command_works_in_place_in_the_sandbox_of_the_settings);
    tcase_add_loop_test(tcase, test_A11_what_can_be_put_back_needs_not_be_idempotent, 0,
                        TABLE_LEN(resets));
    return suite;
}
