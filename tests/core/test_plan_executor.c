/* Executors of plans and settings: the machines on which tasks run. */
#include <string.h>

#include "plan.h"
#include "redact.h"
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

#define LAB       "{\"like\": \"ssh\", \"shared\": \"/nfs\", \"hosts\": [\"h1\"]}"
#define EXECUTORS "\"executors\": {\"lab\": " LAB "}, "
#define ON_LAB    EXECUTORS "\"executor\": \"lab\", "
#define STEP      "{\"run\": [\"x\"]}"

/* Reads a plan with the tasks a and b. `root`, `task` and `step` are members of the plan, and of
 * task a and its step, each with a comma after it. */
static bool parse(const char *root, const char *task, const char *step)
{
    const struct plan_context context = {.settings = &settings};
    str_clear(&text);
    str_addf(&text,
             "{\"version\": 1, \"idempotent\": true, %s\"tasks\": [{\"id\": \"a\", %s\"steps\": "
             "[{%s\"run\": [\"x\"]}]}, {\"id\": \"b\", \"needs\": [\"a\"], \"steps\": [" STEP
             "]}]}",
             root, task, step);
    const bool ok = plan_parse_with(str_text(&text), text.len, &context, &plan, &violations);
    violations_display(&violations, &shown);
    return ok;
}

static void parse_good(const char *root, const char *task)
{
    ck_assert_msg(parse(root, task, ""), "%s", str_text(&shown));
}

/* Reads the settings with the members `json`. */
static bool set(const char *json)
{
    const bool ok = settings_parse(json, strlen(json), &settings, &violations);
    violations_display(&violations, &shown);
    return ok;
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

static const struct plan_executor *of_task(const struct plan *of, int task)
{
    return plan_task_executor(of, &of->tasks[task]);
}

START_TEST(test_tasks_run_on_this_machine_by_default)
{
    struct str out = {0};
    parse_good("", "\"executor\": \"local\", ");
    ck_assert_int_eq(plan->executor_count, 0);
    ck_assert_int_eq(plan->tasks[0].executor, -1);
    ck_assert_int_eq(plan->tasks[1].executor, -1);
    ck_assert_ptr_null(of_task(plan, 0));
    plan_write(plan, &out);
    ck_assert_ptr_null(strstr(out.data, "executor"));
    str_done(&out);
}
END_TEST

START_TEST(test_missing_keys_have_defaults)
{
    parse_good(EXECUTORS, "\"executor\": \"lab\", ");
    const struct plan_executor *lab = of_task(plan, 0);
    ck_assert_str_eq(lab->name, "lab");
    ck_assert_int_eq((int)lab->kind, EXECUTOR_SSH);
    ck_assert_int_eq(lab->host_count, 1);
    ck_assert_str_eq(lab->hosts[0].host, "h1");
    ck_assert_int_eq(lab->hosts[0].slots, 1);
    ck_assert_str_eq(lab->dir, "~/.cache/devs");
    ck_assert_str_eq(lab->hand, "devs-hand");
    ck_assert_str_eq(lab->shared, "/nfs");
    ck_assert_ptr_null(lab->args);
    ck_assert_int_eq(lab->lease_ms, 300000);
    ck_assert_ptr_null(of_task(plan, 1));
}
END_TEST

/* The executors come after the tasks, and their own keys in an unusual order. */
#define FULL                                                                                       \
    "\"executors\": {\"// note\": 1, \"far\": " LAB ", \"lab\": {\"lease_s\": 5.5, \"args\": "     \
    "[\"-p\", \"2222\"], \"hand\": \"~/bin/devs-hand\", \"dir\": \"/var/tmp/devs\", \"shared\": "  \
    "\"/nfs/work\", \"hosts\": [{\"slots\": 8, \"host\": \"gpu1\"}, \"ann@gpu2\", {\"host\": "     \
    "\"::1\"}], \"like\": \"ssh\"}}, "

static void check_full(const struct plan *of)
{
    ck_assert_int_eq(of->executor_count, 2);
    ck_assert_int_eq(of->executor, 1);
    ck_assert_int_eq(of->tasks[1].executor, 1);
    const struct plan_executor *lab = of_task(of, 1);
    ck_assert_int_eq(lab->host_count, 3);
    ck_assert_int_eq(lab->hosts[0].slots, 8);
    ck_assert_str_eq(lab->hosts[1].host, "ann@gpu2");
    ck_assert_int_eq(lab->hosts[1].slots, 1);
    ck_assert_str_eq(lab->hosts[2].host, "::1");
    ck_assert_int_eq(lab->hosts[2].slots, 1);
    ck_assert_str_eq(lab->dir, "/var/tmp/devs");
    ck_assert_str_eq(lab->hand, "~/bin/devs-hand");
    ck_assert_str_eq(lab->shared, "/nfs/work");
    ck_assert_str_eq(lab->args[1], "2222");
    ck_assert_ptr_null(lab->args[2]);
    ck_assert_int_eq(lab->lease_ms, 5500);
}

START_TEST(test_a_written_plan_has_every_key)
{
    parse_good("\"executor\": \"lab\", " FULL, "\"executor\": \"far\", ");
    check_full(plan);
    ck_assert_str_eq(of_task(plan, 0)->name, "far");
    read_again();
    check_full(again);
    ck_assert_str_eq(of_task(again, 0)->name, "far");
}
END_TEST

/* A cluster counts as one host with the executor's name. */
static void check_cluster(const struct plan *of)
{
    const struct plan_executor *lab = of_task(of, 0);
    ck_assert_int_eq(lab->kind, EXECUTOR_SLURM);
    ck_assert_int_eq(plan_host_count(of), 1);
    ck_assert_str_eq(lab->hosts[0].host, "lab");
    ck_assert_int_eq(lab->hosts[0].slots, 12);
    ck_assert_int_eq(lab->poll_ms, 5000);
    ck_assert_int_eq(lab->queue_ms, 60000);
    ck_assert_int_eq(lab->idle_ms, 90000);
    ck_assert_str_eq(lab->adapter.cancel[0], "qdel");
    ck_assert_str_eq(lab->adapter.submit[0], "sbatch");
    const struct executor_resources *resources = &of->tasks[0].resources;
    ck_assert_int_eq(resources->cpus, 4);
    ck_assert_int_eq(resources->memory_mb, 8000);
    ck_assert_int_eq(resources->time_s, 3600);
    ck_assert_int_eq(resources->gpus, 2);
    ck_assert_str_eq(resources->features, "fast");
}

START_TEST(test_a_written_plan_has_its_cluster)
{
    parse_good(
        "\"executors\": {\"lab\": {\"like\": \"slurm\", \"shared\": \"/nfs\", \"slots\": 12, "
        "\"poll_s\": 5, \"queue_s\": 60, \"idle_s\": 90, \"adapter\": {\"cancel\": "
        "[\"qdel\", \"{job}\"]}}}, ",
        "\"executor\": \"lab\", \"resources\": {\"cpus\": 4, \"memory_mb\": 8000, "
        "\"time_s\": 3600, \"gpus\": 2, \"features\": \"fast\"}, ");
    check_cluster(plan);
    read_again();
    check_cluster(again);
}
END_TEST

START_TEST(test_a_cluster_has_its_defaults)
{
    parse_good("\"executors\": {\"lab\": {\"like\": \"slurm\", \"shared\": \"/nfs\"}}, ",
               "\"executor\": \"lab\", ");
    const struct plan_executor *lab = of_task(plan, 0);
    ck_assert_int_eq(lab->hosts[0].slots, 100);
    ck_assert_int_eq(lab->poll_ms, 30000);
    ck_assert_int_eq(lab->queue_ms, 0);
    ck_assert_int_eq(lab->idle_ms, 60000);
    str_clear(&text);
    plan_write(plan, &text);
    ck_assert_ptr_null(strstr(str_text(&text), "\"adapter\""));
    ck_assert_ptr_null(strstr(str_text(&text), "\"resources\""));
}
END_TEST

START_TEST(test_a_task_can_go_back_to_this_machine)
{
    parse_good("\"executor\": \"lab\", " FULL, "\"executor\": \"local\", ");
    ck_assert_ptr_null(of_task(plan, 0));
    read_again();
    ck_assert_ptr_null(of_task(again, 0));
    check_full(again);
}
END_TEST

START_TEST(test_a_part_of_a_plan_keeps_its_executors)
{
    struct err err = {0};
    parse_good(FULL, "\"executor\": \"far\", ");
    ck_assert(plan_only(plan, "a", &again, &err));
    ck_assert_int_eq(again->task_count, 1);
    ck_assert_str_eq(of_task(again, 0)->name, "far");
}
END_TEST

START_TEST(test_a_command_runs_on_this_machine)
{
    char word[] = "x";
    char *const argv[] = {word, NULL};
    ck_assert(set("{\"executors\": {\"lab\": " LAB "}}"));
    const struct plan_exec exec = {
        .argv = argv, .policy = policy_named(POLICY_DEFAULT), .settings = &settings};
    ck_assert(plan_for_command(&exec, &plan, NULL));
    ck_assert_int_eq(plan->tasks[0].executor, -1);
    plan_write(plan, &shown);
    ck_assert_ptr_null(strstr(shown.data, "executor"));
}
END_TEST

static const struct {
    const char *executors, *want;
} words[] = {
    {FULL, "on lab (gpu1, ann@gpu2, ::1; 10 slots)"},
    {EXECUTORS, "on lab (h1; 1 slot)"},
    {"\"executors\": {\"lab\": {\"like\": \"ssh\", \"shared\": \"/\", \"hosts\": [\"a\", \"b\", "
     "\"c\", \"d\", \"e\", {\"host\": \"f\", \"slots\": 1024}]}}, ",
     "on lab (a, b, c, d and 2 more; 1029 slots)"},
    {"\"executors\": {\"lab\": {\"like\": \"slurm\", \"shared\": \"/\"}}, ",
     "on lab (slurm; at most 100 jobs)"},
    {"\"executors\": {\"lab\": {\"like\": \"kubernetes\", \"image\": \"i\", \"slots\": 7, "
     "\"shared\": \"/\"}}, ",
     "on lab (experimental: kubernetes; at most 7 jobs)"},
};

START_TEST(test_words_name_the_hosts)
{
    parse_good(words[_i].executors, "\"executor\": \"lab\", ");
    str_clear(&shown);
    plan_executor_words(of_task(plan, 0), &shown);
    ck_assert_str_eq(shown.data, words[_i].want);
}
END_TEST

#define HOSTS(list)                                                                                \
    "\"executors\": {\"lab\": {\"like\": \"ssh\", \"shared\": \"/nfs\", \"hosts\": " list "}}, "
#define WITH(member)                                                                               \
    "\"executors\": {\"lab\": {\"like\": \"ssh\", \"hosts\": [\"h\"], " member "}}, "
#define FARM(kind, member)                                                                         \
    "\"executors\": {\"lab\": {\"like\": \"" kind "\", \"shared\": \"/nfs\", " member "}}, "
/* An executor without a shared folder, and a task that it can run. */
#define ALONE           "\"executors\": {\"lab\": {\"like\": \"ssh\", \"hosts\": [\"h\"]}}, "
#define TREE            "\"workspace\": \"worktree\", "
#define TREE_WITH(keys) "\"workspace\": {\"kind\": \"worktree\", " keys "}, "
#define SHARED          "\"shared\": \"/nfs\", "
#define TASK            "\"executor\": \"lab\", "
#define YET(what)       "runs on executor \"lab\", where " what " is not possible yet"

/* Each has exactly one error, which begins so. */
static const struct {
    const char *root, *task, *step, *want;
} wrong[] = {
    {"", "\"executor\": \"lab\", ", "",
     "[INVALID_VALUE] /tasks/0/executor: unknown executor (expected local, got \"lab\")"},
    {EXECUTORS, "\"executor\": \"lap\", ", "",
     "[INVALID_VALUE] /tasks/0/executor: unknown executor, did you mean \"lab\"? (expected local, "
     "lab, got \"lap\")"},
    {"\"executor\": \"lap\", " EXECUTORS, "", "",
     "[INVALID_VALUE] /executor: unknown executor, did you mean \"lab\"?"},
    {"\"executor\": 1, " EXECUTORS, "", "", "[WRONG_TYPE] /executor: "},
    {EXECUTORS, "\"executor\": null, ", "", "[WRONG_TYPE] /tasks/0/executor: "},
    {"\"executors\": [], ", "", "", "[WRONG_TYPE] /executors: "},
    {"\"executors\": {\"lab\": \"h1\"}, ", TASK, "", "[WRONG_TYPE] /executors/lab: "},
    {"\"executors\": {\"a b\": " LAB "}, ", "", "", "[INVALID_VALUE] /executors"},
    {"\"executors\": {\"12345678901234567890123456789012\": " LAB "}, ", "", "",
     "[INVALID_VALUE] /executors"},
    {"\"executors\": {\"local\": " LAB "}, ", "", "",
     "[INVALID_VALUE] /executors/local: \"local\" is this machine; choose a different name"},
    {"\"executors\": {\"lab\": {\"shared\": \"/nfs\", \"hosts\": [\"h\"]}}, ", TASK, "",
     "[MISSING_FIELD] /executors/lab/like: "},
    {"\"executors\": {\"lab\": {\"like\": \"lsf\", \"shared\": \"/nfs\", \"hosts\": [\"h\"]}}, ",
     TASK, "", "[INVALID_VALUE] /executors/lab/like: "},
    {"\"executors\": {\"lab\": {\"like\": \"ssh\", \"shared\": \"/nfs\"}}, ", TASK, "",
     "[MISSING_FIELD] /executors/lab/hosts: "},
    {ALONE, TASK, "",
     "[INVALID_VALUE] /tasks/0/executor: runs on executor \"lab\", which has no \"shared\" folder; "
     "set \"workspace\": \"worktree\", or set \"shared\""},
    {ALONE, TASK "\"workspace\": \"copy\", ", "",
     "[INVALID_VALUE] /tasks/0/executor: runs on executor \"lab\", which has no \"shared\" folder"},
    {ALONE, TASK TREE_WITH("\"copy\": [\".env\"]"), "",
     "[INVALID_VALUE] /tasks/0/executor: " YET("\"workspace.copy\" without \"shared\"")},
    {ALONE, TASK TREE_WITH("\"setup\": [\"make\"]"), "",
     "[INVALID_VALUE] /tasks/0/executor: " YET("\"workspace.setup\" without \"shared\"")},
    {ALONE, TASK TREE_WITH("\"exclude\": [\"dist\"]"), "",
     "[INVALID_VALUE] /tasks/0/executor: " YET("\"workspace.exclude\" without \"shared\"")},
    {ALONE, TASK TREE, "\"expect_files\": [{\"path\": \"a\"}], ",
     "[INVALID_VALUE] /tasks/0/steps/0/expect_files: " YET("\"expect_files\" without \"shared\"")},
    {ALONE, TASK TREE, "\"stdin\": \"input\", ",
     "[INVALID_VALUE] /tasks/0/steps/0/stdin: " YET("a relative \"stdin\" without \"shared\"")},
    {WITH(SHARED "\"image\": \"i\""), "", "", "[INVALID_VALUE] /executors/lab/image: "},
    {HOSTS("[]"), "", "", "[INVALID_VALUE] /executors/lab/hosts: "},
    {HOSTS("[\"\"]"), "", "", "[INVALID_VALUE] /executors/lab/hosts/0: "},
    {HOSTS("[7]"), "", "", "[WRONG_TYPE] /executors/lab/hosts/0: "},
    {HOSTS("[{\"slots\": 2}]"), "", "", "[MISSING_FIELD] /executors/lab/hosts/0/host: "},
    {HOSTS("[{\"host\": \"h\", \"slots\": 0}]"), "", "",
     "[INVALID_VALUE] /executors/lab/hosts/0/slots: "},
    {HOSTS("[{\"host\": \"h\", \"slots\": 1025}]"), "", "",
     "[INVALID_VALUE] /executors/lab/hosts/0/slots: "},
    {HOSTS("[\"-oProxyCommand=x\"]"), "", "",
     "[INVALID_VALUE] /executors/lab/hosts/0: must not begin with '-'"},
    {HOSTS("[{\"host\": \"ann@-v\"}]"), "", "",
     "[INVALID_VALUE] /executors/lab/hosts/0/host: must not begin with '-'"},
    {HOSTS("[\"a\", \"b c\"]"), "", "",
     "[INVALID_VALUE] /executors/lab/hosts/1: must not contain spaces, control characters"},
    {HOSTS("[\"a\\n\"]"), "", "", "[INVALID_VALUE] /executors/lab/hosts/0: must not contain"},
    {HOSTS("[\"a\\u007f\"]"), "", "", "[INVALID_VALUE] /executors/lab/hosts/0: must not contain"},
    {HOSTS("[\"`id`\"]"), "", "", "[INVALID_VALUE] /executors/lab/hosts/0: must not contain"},
    {HOSTS("[\"ann@\"]"), "", "", "[INVALID_VALUE] /executors/lab/hosts/0: must be a host, or"},
    {HOSTS("[\"@h\"]"), "", "", "[INVALID_VALUE] /executors/lab/hosts/0: must be a host, or"},
    {HOSTS("[\"a\", \"b\", {\"host\": \"a\", \"slots\": 2}]"), "", "",
     "[INVALID_VALUE] /executors/lab/hosts/2: is listed twice"},
    {WITH("\"shared\": \"nfs\""), "", "",
     "[INVALID_VALUE] /executors/lab/shared: must be an absolute path"},
    {WITH("\"shared\": \"~/nfs\""), "", "",
     "[INVALID_VALUE] /executors/lab/shared: must be an absolute path"},
    {WITH("\"shared\": \"\""), "", "", "[INVALID_VALUE] /executors/lab/shared: "},
    {WITH(SHARED "\"dir\": \"cache\""), "", "",
     "[INVALID_VALUE] /executors/lab/dir: must be an absolute path, or begin with \"~/\""},
    {WITH(SHARED "\"dir\": \"/a\\tb\""), "", "",
     "[INVALID_VALUE] /executors/lab/dir: must not contain control characters"},
    {WITH(SHARED "\"hand\": \"-x\""), "", "",
     "[INVALID_VALUE] /executors/lab/hand: must be the name of a program, "},
    {WITH(SHARED "\"hand\": \"bin/devs-hand\""), "", "",
     "[INVALID_VALUE] /executors/lab/hand: must be the name of a program, "},
    {WITH(SHARED "\"args\": [\"\"]"), "", "", "[INVALID_VALUE] /executors/lab/args/0: "},
    {WITH(SHARED "\"lease_s\": 4.9"), "", "", "[INVALID_VALUE] /executors/lab/lease_s: "},
    {WITH(SHARED "\"lease_s\": 604801"), "", "", "[INVALID_VALUE] /executors/lab/lease_s: "},
    {FARM("slurm", "\"hosts\": [\"h\"]"), TASK, "",
     "[INVALID_VALUE] /executors/lab/hosts: is not possible for an executor like \"slurm\""},
    {FARM("slurm", "\"image\": \"i\""), TASK, "",
     "[INVALID_VALUE] /executors/lab/image: is not possible for an executor like \"slurm\""},
    {FARM("slurm", "\"slots\": 1025"), TASK, "", "[INVALID_VALUE] /executors/lab/slots: "},
    {FARM("slurm", "\"poll_s\": 0.5"), TASK, "", "[INVALID_VALUE] /executors/lab/poll_s: "},
    {FARM("slurm", "\"adapter\": {\"states\": {\"X\": \"lost\"}}"), TASK, "",
     "[INVALID_VALUE] /executors/lab/adapter/states/X: "},
    {FARM("slurm", "\"adapter\": {\"queue\": []}"), TASK, "",
     "[INVALID_VALUE] /executors/lab/adapter/queue: unknown key"},
    {FARM("kubernetes", "\"poll_s\": 5"), TASK, "",
     "[MISSING_FIELD] /executors/lab/image: needs \"image\", because it is like \"kubernetes\""},
    {FARM("kubernetes", "\"image\": \"a b\""), TASK, "",
     "[INVALID_VALUE] /executors/lab/image: must be the name of an image"},
    {FARM("kubernetes", "\"image\": \"i\""), TASK "\"resources\": {\"time_s\": 1}, ", "",
     "[INVALID_VALUE] /tasks/0/resources/time_s: " YET("this resource")},
    {WITH(SHARED "\"queue_s\": 5"), "", "",
     "[INVALID_VALUE] /executors/lab/queue_s: is not possible for an executor like \"ssh\""},
    {EXECUTORS, TASK "\"resources\": {\"cpus\": 1}, ", "",
     "[INVALID_VALUE] /tasks/0/resources/cpus: " YET("this resource")},
    {EXECUTORS, "\"resources\": {\"cpus\": 1}, ", "",
     "[INVALID_VALUE] /tasks/0/resources/cpus: needs an executor that is a cluster"},
    {FARM("slurm", "\"poll_s\": 5"), TASK "\"resources\": {\"cpus\": 0}, ", "",
     "[INVALID_VALUE] /tasks/0/resources/cpus: "},
    {EXECUTORS, TASK, "\"sandbox\": \"bwrap\", ",
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox: " YET("a sandbox")},
    {EXECUTORS "\"sandbox\": \"bwrap\", ", TASK, "",
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox: " YET("a sandbox")},
    {EXECUTORS, TASK, "\"sandbox\": {\"memory_mb\": 9}, ",
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox: " YET("\"memory_mb\"")},
    {EXECUTORS, TASK, "\"sandbox\": {\"pids\": 9}, ",
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox: " YET("\"pids\"")},
    {EXECUTORS, TASK, "\"sandbox\": {\"cpu_s\": 9}, ",
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox: " YET("\"cpu_s\"")},
    {EXECUTORS, TASK, "\"sandbox\": {\"read_only\": true, \"writable\": [\"x\"]}, ",
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox: " YET("\"read_only\"")},
    {EXECUTORS, TASK, "\"sandbox\": {\"network\": false}, ",
     "[INVALID_VALUE] /tasks/0/steps/0/sandbox: " YET("a sandbox")},
    {EXECUTORS, TASK, "\"stdin\": \"-\", ",
     "[INVALID_VALUE] /tasks/0/steps/0/stdin: " YET("the standard input of devs")},
    {EXECUTORS "\"limits\": {\"processes\": 5}, ", TASK, "",
     "[INVALID_VALUE] /tasks/0/executor: " YET("\"limits.processes\"")},
};

START_TEST(test_a_wrong_executor_is_one_error)
{
    ck_assert(!parse(wrong[_i].root, wrong[_i].task, wrong[_i].step));
    ck_assert_msg(strncmp(str_text(&shown), wrong[_i].want, strlen(wrong[_i].want)) == 0, "%s",
                  str_text(&shown));
    ck_assert_msg(violations.count == 1, "%s", str_text(&shown));
}
END_TEST

START_TEST(test_an_executor_without_a_shared_folder)
{
    parse_good(ALONE, TASK TREE);
    ck_assert(plan_executor_ships(of_task(plan, 0)));
    ck_assert(!plan_executor_ships(of_task(plan, 1)));
    read_again();
    ck_assert(plan_executor_ships(of_task(again, 0)));
    plan_free(plan);
    parse_good(EXECUTORS, TASK);
    ck_assert(!plan_executor_ships(of_task(plan, 0)));
    plan_free(plan);
    ck_assert_msg(parse(ALONE, TASK TREE, "\"stdin\": \"/etc/hosts\", "), "%s", str_text(&shown));
}
END_TEST

/* Tasks on this machine may have what an executor cannot provide. */
START_TEST(test_tasks_on_this_machine_have_no_such_limits)
{
    ck_assert_msg(parse(ON_LAB, "\"executor\": \"local\", ",
                        "\"stdin\": \"-\", \"sandbox\": {\"kind\": \"bwrap\", \"pids\": 3}, "),
                  "%s", str_text(&shown));
    ck_assert_str_eq(of_task(plan, 1)->name, "lab");
}
END_TEST

START_TEST(test_errors_are_in_document_order)
{
    ck_assert(!parse("\"name\": \"\", " HOSTS("[\"-a\"]"), "\"executor\": \"x\", ", ""));
    ck_assert_uint_eq(violations.count, 3);
    ck_assert_str_eq(violations.items[0].path, "/name");
    ck_assert_str_eq(violations.items[1].path, "/executors/lab/hosts/0");
    ck_assert_str_eq(violations.items[2].path, "/tasks/0/executor");
}
END_TEST

START_TEST(test_executors_and_hosts_have_a_limit)
{
    struct str root = {0};
    const bool many_hosts = _i % 2 == 1;
    const bool fits = _i < 2;
    const int most = (many_hosts ? PLAN_HOSTS_MAX : PLAN_EXECUTORS_MAX) + (fits ? 0 : 1);
    str_add(&root, many_hosts ? "\"executors\": {\"lab\": {\"like\": \"ssh\", \"shared\": \"/\", "
                                "\"hosts\": ["
                              : "\"executors\": {");
    for (int i = 0; i < most; i++)
        str_addf(&root, many_hosts ? "%s\"h%d\"" : "%s\"e%d\": " LAB, i > 0 ? ", " : "", i);
    str_add(&root, many_hosts ? "]}}, " : "}, ");
    ck_assert_int_eq(parse(str_text(&root), "", ""), fits);
    str_done(&root);
}
END_TEST

/*
 * The settings.
 */

START_TEST(test_a_plan_names_an_executor_of_the_settings)
{
    ck_assert(set("{\"executors\": {\"far\": " LAB ", \"lab\": " LAB "}}"));
    ck_assert_int_eq(settings.executor_count, 2);
    parse_good("", "\"executor\": \"lab\", ");
    ck_assert_str_eq(of_task(plan, 0)->hosts[0].host, "h1");
    ck_assert_int_eq(plan->executor_count, 1); /* not the unused one */
    ck_assert(plan_has_more(plan));
    read_again();
    ck_assert_str_eq(of_task(again, 0)->name, "lab");
}
END_TEST

START_TEST(test_unused_executors_of_the_settings_leave_the_plan_alone)
{
    struct str with = {0}, without = {0};
    parse_good("", "");
    plan_write(plan, &without);
    plan_free(plan);
    ck_assert(set("{\"executors\": {\"lab\": " LAB "}}"));
    parse_good("", "");
    plan_write(plan, &with);
    ck_assert_str_eq(with.data, without.data);
    ck_assert(!plan_has_more(plan));
    str_done(&with);
    str_done(&without);
}
END_TEST

START_TEST(test_the_executor_of_the_plan_wins)
{
    ck_assert(set("{\"executors\": {\"lab\": " LAB ", \"far\": " LAB "}}"));
    parse_good("\"executor\": \"far\", " HOSTS("[\"mine\"]"), "\"executor\": \"lab\", ");
    ck_assert_str_eq(of_task(plan, 0)->hosts[0].host, "mine");
    ck_assert_str_eq(of_task(plan, 1)->hosts[0].host, "h1");
    read_again();
    ck_assert_str_eq(of_task(again, 0)->hosts[0].host, "mine");
    ck_assert_str_eq(of_task(again, 1)->hosts[0].host, "h1");
}
END_TEST

/* The log has the executors that the run had, whatever the settings are now. */
START_TEST(test_a_text_from_a_log_keeps_its_own_executors)
{
    ck_assert(set("{\"executors\": {\"lab\": " LAB "}}"));
    ck_assert(!parse("\"settings\": {}, ", "\"executor\": \"lab\", ", ""));
    ck_assert_str_eq(violations.items[0].path, "/tasks/0/executor");
}
END_TEST

START_TEST(test_a_plan_with_the_executors_of_the_settings_has_a_limit)
{
    struct str root = {0};
    ck_assert(set("{\"executors\": {\"lab\": " LAB "}}"));
    str_add(&root, "\"executors\": {");
    for (int i = 0; i < PLAN_EXECUTORS_MAX; i++)
        str_addf(&root, "%s\"e%d\": " LAB, i > 0 ? ", " : "", i);
    str_add(&root, "}, ");
    ck_assert(!parse(str_text(&root), "\"executor\": \"lab\", ", ""));
    ck_assert_ptr_nonnull(strstr(str_text(&shown), "/tasks/0/executor: too many executors"));
    str_done(&root);
}
END_TEST

START_TEST(test_wrong_executors_of_the_settings_are_reported)
{
    ck_assert(!set("{\"executors\": {\"lab\": {\"like\": \"ssh\", \"hosts\": [\"-h\"]}}}"));
    ck_assert_uint_eq(violations.count, 1);
    ck_assert_str_eq(violations.items[0].path, "/executors/lab/hosts/0");
}
END_TEST

static void found_key(void *ctx, const struct settings_trust_key *found)
{
    struct str *keys = ctx;
    str_addf(keys, "%s %s;", found->key, found->why);
}

START_TEST(test_executors_of_the_settings_need_trust)
{
    static const char json[] = "{\"executors\": {\"lab\": " LAB "}, \"on_hangup\": \"wait\"}";
    struct json *root = NULL;
    struct str keys = {0}, kept = {0};
    ck_assert(json_parse(json, strlen(json), &root, NULL, NULL));
    settings_trust_each(root, found_key, &keys);
    settings_trust_strip(root, &kept);
    ck_assert_str_eq(keys.data, "executors starts programs on other machines;");
    ck_assert_str_eq(kept.data, "{\"on_hangup\":\"wait\"}");
    json_free(root);
    str_done(&keys);
    str_done(&kept);
}
END_TEST

/*
 * Plans that grow, and plans from the log.
 */

START_TEST(test_a_growing_plan_has_no_executors)
{
    static const char with[] = "{\"version\": 1, \"grows\": true, " EXECUTORS "\"tasks\": []}";
    ck_assert(!plan_parse(with, strlen(with), &plan, &violations));
    ck_assert_str_eq(violations.items[0].path, "/executors");
}
END_TEST

START_TEST(test_an_added_task_runs_on_this_machine)
{
    static const char json[] = "{\"version\": 1, \"grows\": true, \"tasks\": []}";
    static const char good[] = "{\"id\": \"a\", \"steps\": [" STEP "]}";
    static const char bad[] = "{\"id\": \"b\", \"executor\": \"local\", \"steps\": [" STEP "]}";
    struct err err = {0};
    ck_assert(plan_parse(json, strlen(json), &plan, &violations));
    again = plan_growing(plan);
    ck_assert(plan_grow(again, good, strlen(good), &err));
    ck_assert_int_eq(again->tasks[0].executor, -1);
    ck_assert(!plan_grow(again, bad, strlen(bad), &err));
    ck_assert_str_eq(err.message, "an added task must not have \"executor\"");
}
END_TEST

START_TEST(test_secrets_of_executors_are_restored)
{
    char variable[] = "LAB_TOKEN=hunter2hunter2";
    char *variables[] = {variable, NULL};
    const struct redact_setting setting = {.environment = variables};
    struct redactor *redactor = NULL;
    struct err err = {0};
    parse_good("\"executors\": {\"lab\": {\"like\": \"ssh\", \"shared\": \"/nfs\", \"hosts\": "
               "[\"h\"], \"args\": [\"-oSetEnv=X=[cut:LAB_TOKEN]\"]}}, ",
               "\"executor\": \"lab\", ");
    ck_assert(redactor_open(&redactor, &setting, &err));
    plan_restore_secrets(plan, redactor, variables);
    ck_assert_str_eq(of_task(plan, 0)->args[0], "-oSetEnv=X=hunter2hunter2");
    redactor_close(redactor);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_executor");
    TCase *plans = test_case(suite, "plans");
    tcase_add_checked_fixture(plans, setup, teardown);
    tcase_add_test(plans, test_tasks_run_on_this_machine_by_default);
    tcase_add_test(plans, test_missing_keys_have_defaults);
    tcase_add_test(plans, test_a_written_plan_has_every_key);
    tcase_add_test(plans, test_a_written_plan_has_its_cluster);
    tcase_add_test(plans, test_a_cluster_has_its_defaults);
    tcase_add_test(plans, test_a_task_can_go_back_to_this_machine);
    tcase_add_test(plans, test_a_part_of_a_plan_keeps_its_executors);
    tcase_add_test(plans, test_a_command_runs_on_this_machine);
    tcase_add_loop_test(plans, test_words_name_the_hosts, 0, TABLE_LEN(words));
    tcase_add_loop_test(plans, test_a_wrong_executor_is_one_error, 0, TABLE_LEN(wrong));
    tcase_add_test(plans, test_an_executor_without_a_shared_folder);
    tcase_add_test(plans, test_tasks_on_this_machine_have_no_such_limits);
    tcase_add_test(plans, test_errors_are_in_document_order);
    tcase_add_loop_test(plans, test_executors_and_hosts_have_a_limit, 0, 4);
    TCase *outer = test_case(suite, "settings");
    tcase_add_checked_fixture(outer, setup, teardown);
    tcase_add_test(outer, test_a_plan_names_an_executor_of_the_settings);
    tcase_add_test(outer, test_unused_executors_of_the_settings_leave_the_plan_alone);
    tcase_add_test(outer, test_the_executor_of_the_plan_wins);
    tcase_add_test(outer, test_a_text_from_a_log_keeps_its_own_executors);
    tcase_add_test(outer, test_a_plan_with_the_executors_of_the_settings_has_a_limit);
    tcase_add_test(outer, test_wrong_executors_of_the_settings_are_reported);
    tcase_add_test(outer, test_executors_of_the_settings_need_trust);
    TCase *logs = test_case(suite, "growing and logged plans");
    tcase_add_checked_fixture(logs, setup, teardown);
    tcase_add_test(logs, test_a_growing_plan_has_no_executors);
    tcase_add_test(logs, test_an_added_task_runs_on_this_machine);
    tcase_add_test(logs, test_secrets_of_executors_are_restored);
    return suite;
}
