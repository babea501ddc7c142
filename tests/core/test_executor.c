/* Adapters of executors: their command lines, and what clusters print. */
#include <string.h>

#include "executor.h"
#include "json.h"
#include "plan.h"
#include "str.h"
#include "test_main.h"
#include "text.h"

static struct plan_executor executor;
static struct executor_resources resources;
static struct str text;

static void set_kind(enum executor_kind kind)
{
    static char name[] = "farm", hand[] = "devs-hand", dir[] = "~/.cache/devs",
                shared[] = "/nfs/a b";
    static char image[] = "reg/agent:1", part[] = "--partition=p", quoted[] = "--comment=a\"b";
    static char *args[] = {part, quoted, NULL};
    executor_adapter_done(&executor.adapter);
    executor = (struct plan_executor){.name = name,
                                      .kind = kind,
                                      .hand = hand,
                                      .dir = dir,
                                      .shared = shared,
                                      .image = image,
                                      .args = args};
    executor_adapter_init(&executor.adapter, kind);
}

static void setup(void)
{
    text = (struct str){0};
    executor = (struct plan_executor){0};
    resources = (struct executor_resources){0};
    set_kind(EXECUTOR_SLURM);
}

static void teardown(void)
{
    executor_adapter_done(&executor.adapter);
    str_done(&text);
}

static const struct executor_words all = {.run = "devs-1",
                                          .name = "devs-1-7",
                                          .job = "17",
                                          .hold = "echo \"$HOME\"; exec 'devs-hand' hold",
                                          .command = "exec devs-hand run 'a b'",
                                          .resources = &resources};

/* Writes the arguments with bars between them. */
static const char *line_of(char *const *list)
{
    char **argv = executor_argv(&executor, list, &all);
    str_clear(&text);
    for (size_t i = 0; argv && argv[i]; i++)
        str_addf(&text, "%s%s", i > 0 ? "|" : "", argv[i]);
    text_list_free(argv);
    return str_text(&text);
}

START_TEST(test_slurm_is_called_like_this)
{
    ck_assert_str_eq(line_of(executor.adapter.submit),
                     "sbatch|--parsable|--no-requeue|--export=NIL|--nodes=1|--ntasks=1|"
                     "--output=/dev/null|--chdir=/|--job-name=devs-1|--partition=p|--comment=a\"b");
    ck_assert_str_eq(line_of(executor.adapter.channel),
                     "srun|--jobid=17|--overlap|--unbuffered|--nodes=1|--ntasks=1|"
                     "--export=PATH,HOME|--chdir=/|--quiet|sh|-c|exec devs-hand run 'a b'");
    ck_assert_str_eq(line_of(executor.adapter.cancel), "scancel|17");
    ck_assert_str_eq(line_of(executor.adapter.list),
                     "squeue|--noheader|--states=all|--me|--name=devs-1|--format=%i|%T|%r|%N");
    ck_assert_str_eq(line_of(executor.adapter.nodes), "sinfo|--noheader|--format=%T|%D");
    str_clear(&text);
    executor_script(&executor, &all, &text);
    ck_assert_str_eq(str_text(&text), "#!/bin/sh\nDEVS_NODE=$SLURMD_NODENAME\necho \"$HOME\"; "
                                      "exec 'devs-hand' hold\n");
}
END_TEST

START_TEST(test_resources_become_arguments)
{
    static char features[] = "fast&{value}";
    resources = (struct executor_resources){
        .cpus = 4, .memory_mb = 8000, .time_s = 90, .gpus = 2, .features = features};
    const char *line = line_of(executor.adapter.submit);
    ck_assert_ptr_nonnull(strstr(line, "|--cpus-per-task=4|--mem=8000M|--time=0:90|--gres=gpu:2|"
                                       "--constraint=fast&{value}|--partition=p|"));
    ck_assert_int_eq(executor_lacks(&executor.adapter, &resources), RESOURCE_COUNT);
    set_kind(EXECUTOR_KUBERNETES);
    ck_assert_int_eq(executor_lacks(&executor.adapter, &resources), RESOURCE_TIME_S);
    resources = (struct executor_resources){.features = features};
    ck_assert_int_eq(executor_lacks(&executor.adapter, &resources), RESOURCE_FEATURES);
}
END_TEST

/* Every text of a plan stays within its string of the document. */
START_TEST(test_a_pod_is_valid_json)
{
    struct json *pod = NULL;
    struct err err = {0};
    set_kind(EXECUTOR_KUBERNETES);
    executor_script(&executor, &all, &text);
    ck_assert_msg(json_parse(str_text(&text), text.len, &pod, NULL, &err), "%s", err.message);
    const struct json *spec = json_get(pod, "spec");
    const struct json *container = json_at(json_get(spec, "containers"), 0);
    ck_assert_str_eq(json_text(json_get(container, "image"), ""), "reg/agent:1");
    ck_assert_str_eq(json_text(json_at(json_get(container, "command"), 2), ""), all.hold);
    ck_assert_str_eq(json_text(json_get(json_get(pod, "metadata"), "name"), ""), "devs-1-7");
    const struct json *volume = json_at(json_get(spec, "volumes"), 0);
    ck_assert_str_eq(json_text(json_get(json_get(volume, "hostPath"), "path"), ""), "/nfs/a b");
    json_free(pod);

    resources = (struct executor_resources){.cpus = 4, .gpus = 2};
    struct executor_words words = all;
    words.resources = &resources;
    str_clear(&text);
    pod = NULL;
    executor_script(&executor, &words, &text);
    ck_assert_msg(json_parse(str_text(&text), text.len, &pod, NULL, &err), "%s", err.message);
    container = json_at(json_get(json_get(pod, "spec"), "containers"), 0);
    const char *const parts[] = {"requests", "limits"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        const struct json *part = json_get(json_get(container, "resources"), parts[i]);
        ck_assert_str_eq(json_text(json_get(part, "cpu"), ""), "4");
        ck_assert_str_eq(json_text(json_get(part, "nvidia.com/gpu"), ""), "2");
        ck_assert_ptr_null(json_get(part, "memory"));
    }
    json_free(pod);
    ck_assert_str_eq(line_of(executor.adapter.channel),
                     "kubectl|--partition=p|--comment=a\"b|exec|--stdin|17|--|sh|-c|"
                     "exec devs-hand run 'a b'");
}
END_TEST

static const struct {
    enum executor_kind kind;
    const char *line;
    bool is_line;
    enum job_meaning meaning;
    const char *job, *reason, *node;
} lines[] = {
    {EXECUTOR_SLURM, "17|PENDING|Priority|", true, MEANS_QUEUED, "17", "Priority", ""},
    {EXECUTOR_SLURM, "17|PENDING|None|", true, MEANS_QUEUED, "17", "", ""},
    {EXECUTOR_SLURM, "17|RUNNING|None|n1", true, MEANS_RUNNING, "17", "", "n1"},
    {EXECUTOR_SLURM, "17|COMPLETING|None|n1", true, MEANS_ENDING, "17", "", "n1"},
    {EXECUTOR_SLURM, "17|COMPLETED|None|n1", true, MEANS_ENDED, "17", "", "n1"},
    {EXECUTOR_SLURM, "17|NODE_FAIL|None|n1", true, MEANS_NODE_FAILED, "17", "", "n1"},
    {EXECUTOR_SLURM, "17|TIMEOUT|TimeLimit|n1", true, MEANS_TIME_LIMIT, "17", "TimeLimit", "n1"},
    {EXECUTOR_SLURM, "17|PREEMPTED|None|n1", true, MEANS_PREEMPTED, "17", "", "n1"},
    {EXECUTOR_SLURM, "17|CANCELLED|None|n1", true, MEANS_CANCELLED, "17", "", "n1"},
    {EXECUTOR_SLURM, "17|OUT_OF_MEMORY|OutOfMemory|n1", true, MEANS_MEMORY, "17", "OutOfMemory",
     "n1"},
    {EXECUTOR_SLURM, "17|LATER_STATE|None|n1", true, MEANS_RUNNING, "17", "", "n1"},
    {EXECUTOR_SLURM, " 17 | PENDING |a\x1b[31mb|", true, MEANS_QUEUED, "17", "ab", ""},
    {EXECUTOR_SLURM, "17|PENDING|Priority", false, MEANS_QUEUED, "", "", ""},
    {EXECUTOR_SLURM, "|PENDING||", false, MEANS_QUEUED, "", "", ""},
    {EXECUTOR_SLURM, "slurm_load_jobs error: Invalid job id specified", false, MEANS_QUEUED, "", "",
     ""},
    {EXECUTOR_SLURM, "", false, MEANS_QUEUED, "", "", ""},
    {EXECUTOR_KUBERNETES, "p|Pending|   |", true, MEANS_QUEUED, "p", "", ""},
    {EXECUTOR_KUBERNETES, "p|Pending| Unschedulable  |", true, MEANS_QUEUED, "p", "Unschedulable",
     ""},
    {EXECUTOR_KUBERNETES, "p|Pending|  ImagePullBackOff |k1", true, MEANS_REFUSED, "p",
     "ImagePullBackOff", "k1"},
    {EXECUTOR_KUBERNETES, "p|Running|   |k1", true, MEANS_RUNNING, "p", "", "k1"},
    {EXECUTOR_KUBERNETES, "p|Failed|Evicted   |k1", true, MEANS_PREEMPTED, "p", "Evicted", "k1"},
    {EXECUTOR_KUBERNETES, "p|Failed|   OOMKilled|k1", true, MEANS_MEMORY, "p", "OOMKilled", "k1"},
    {EXECUTOR_KUBERNETES, "p|Failed|   Error|k1", true, MEANS_ENDED, "p", "Error", "k1"},
    {EXECUTOR_KUBERNETES, "p|Succeeded|   Completed|k1", true, MEANS_ENDED, "p", "Completed", "k1"},
};

START_TEST(test_a_line_about_a_job)
{
    struct job_line line;
    set_kind(lines[_i].kind);
    ck_assert(executor_read_line(&executor.adapter, lines[_i].line, strlen(lines[_i].line),
                                 &line) == lines[_i].is_line);
    if (!lines[_i].is_line)
        return;
    ck_assert_int_eq(line.meaning, lines[_i].meaning);
    ck_assert_str_eq(line.job, lines[_i].job);
    ck_assert_str_eq(line.reason, lines[_i].reason);
    ck_assert_str_eq(line.node, lines[_i].node);
}
END_TEST

START_TEST(test_long_texts_are_cut_between_characters)
{
    struct job_line line;
    struct str long_line = {0};
    str_add(&long_line, "17|PENDING|");
    for (int i = 0; i < 100; i++)
        str_add(&long_line, "\xc3\xa4");
    str_add(&long_line, "|n1");
    ck_assert(executor_read_line(&executor.adapter, long_line.data, long_line.len, &line));
    ck_assert_uint_eq(strlen(line.reason), JOB_TEXT_MAX - 2);
    ck_assert_str_eq(line.node, "n1");
    for (int i = 0; i < JOB_LINE_MAX; i++)
        str_add(&long_line, "x");
    ck_assert(!executor_read_line(&executor.adapter, long_line.data, long_line.len, &line));
    str_done(&long_line);
}
END_TEST

static const struct {
    const char *output;
    bool is_read;
    struct cluster_nodes nodes;
} node_lists[] = {
    {"idle|3\nallocated|1\n", true, {.up = 4}},
    {"mixed|2\ndraining|1\ndrained*|2\ndown*|1\nidle~|5", true, {7, 3, 1}},
    {"later_state|2\n", true, {.up = 2}},
    {"sinfo: error: no controller\nidle|2\n", true, {.up = 2}},
    {"idle|99999999999999999999\nidle|x\nidle|-4\nidle|\nidle|3x\n|\n", false, {0}},
    {"idle|10000000\nidle|10000000\n", true, {.up = NODES_MAX}},
    {"", false, {0}},
};

START_TEST(test_nodes_are_counted_by_what_they_take)
{
    struct cluster_nodes nodes;
    const char *output = node_lists[_i].output;
    ck_assert(executor_read_nodes(&executor.adapter, output, strlen(output), &nodes) ==
              node_lists[_i].is_read);
    ck_assert_mem_eq(&nodes, &node_lists[_i].nodes, sizeof(nodes));
}
END_TEST

static const struct {
    const char *output, *job; /* NULL = none */
} names[] = {
    {"17\n", "17"},           {"17;main\n", "17"}, {"pod/devs-1-7\n", "devs-1-7"},
    {"warning: x\n18", "18"}, {"", NULL},          {"\n", NULL},
    {"-1\n", NULL},           {"1 2\n", NULL},     {"a\x1b\n", NULL},
    {";main\n", NULL},
};

START_TEST(test_the_name_of_a_job)
{
    char job[JOB_TEXT_MAX] = "";
    const bool is_there = executor_read_job(names[_i].output, strlen(names[_i].output), job);
    ck_assert(is_there == (names[_i].job != NULL));
    if (names[_i].job)
        ck_assert_str_eq(job, names[_i].job);
}
END_TEST

#define LONG_NAME "a23456789b23456789c23456789d23456789e23456789f23456789g23456789h23456789i234567"
static const struct {
    const char *output, *user; /* NULL = none */
} users[] = {
    {"bob\n", "bob"},
    {"CORP\\ann", "CORP\\ann"},
    {"ann.x@corp-1\n", "ann.x@corp-1"},
    {"4242\n", "uid 4242"},
    {"", NULL},
    {"\n", NULL},
    {"bob\nroot\n", NULL},
    {"bob or root", NULL},
    {"-u", NULL},
    {"b\x1b[2Job", NULL},
    {"b\xc3\xb6"
     "b",
     NULL},
    {"b\xff", NULL},
    {LONG_NAME, LONG_NAME},
    {LONG_NAME LONG_NAME, NULL},
};

START_TEST(test_the_user_who_cancelled_a_job)
{
    char user[JOB_TEXT_MAX] = "";
    const bool is_there = executor_read_user(users[_i].output, strlen(users[_i].output), user);
    ck_assert(is_there == (users[_i].user != NULL));
    ck_assert_str_eq(user, is_there ? users[_i].user : "");
    ck_assert(!executor_read_user("bo\0b", 4, user));
}
END_TEST

static const struct {
    enum executor_kind kind;
    const char *message;
    bool is_refusal;
} messages[] = {
    {EXECUTOR_SSH, "ann@h: Permission denied (publickey).", true},
    {EXECUTOR_SSH, "ssh: Could not resolve hostname h: Temporary failure in name resolution",
     false},
    {EXECUTOR_SSH, "ssh: connect to host h port 22: Connection refused", false},
    {EXECUTOR_SLURM, "sbatch: error: invalid partition specified: x", true},
    {EXECUTOR_SLURM,
     "sbatch: error: Batch job submission failed: Unable to contact slurm controller", false},
    {EXECUTOR_SLURM, "slurm_load_jobs error: Socket timed out on send/recv operation", false},
    {EXECUTOR_KUBERNETES, "error: You must be logged in to the server (Unauthorized)", true},
    {EXECUTOR_KUBERNETES, "Unable to connect to the server: dial tcp: i/o timeout", false},
};

START_TEST(test_refusals_are_told_from_outages)
{
    set_kind(messages[_i].kind);
    ck_assert(executor_refuses(&executor.adapter, messages[_i].message) == messages[_i].is_refusal);
}
END_TEST

static const struct {
    enum job_meaning meaning;
    enum outcome_cause cause;
} causes[] = {
    {MEANS_QUEUED, CAUSE_NONE},           {MEANS_RUNNING, CAUSE_NONE},
    {MEANS_ENDING, CAUSE_NONE},           {MEANS_ENDED, CAUSE_NONE},
    {MEANS_TIME_LIMIT, CAUSE_TIME_LIMIT}, {MEANS_PREEMPTED, CAUSE_PREEMPTED},
    {MEANS_CANCELLED, CAUSE_CANCELLED},   {MEANS_MEMORY, CAUSE_MEMORY},
    {MEANS_NODE_FAILED, CAUSE_NODE},      {MEANS_REFUSED, CAUSE_NONE},
};

START_TEST(test_an_end_has_its_cause)
{
    ck_assert_int_eq(TABLE_LEN(causes), MEANING_COUNT);
    ck_assert_int_eq(meaning_cause(causes[_i].meaning), causes[_i].cause);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("executor");
    TCase *tcase = test_case(suite, "adapters");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_slurm_is_called_like_this);
    tcase_add_test(tcase, test_resources_become_arguments);
    tcase_add_test(tcase, test_a_pod_is_valid_json);
    tcase_add_loop_test(tcase, test_a_line_about_a_job, 0, TABLE_LEN(lines));
    tcase_add_test(tcase, test_long_texts_are_cut_between_characters);
    tcase_add_loop_test(tcase, test_nodes_are_counted_by_what_they_take, 0, TABLE_LEN(node_lists));
    tcase_add_loop_test(tcase, test_the_name_of_a_job, 0, TABLE_LEN(names));
    tcase_add_loop_test(tcase, test_the_user_who_cancelled_a_job, 0, TABLE_LEN(users));
    tcase_add_loop_test(tcase, test_refusals_are_told_from_outages, 0, TABLE_LEN(messages));
    tcase_add_loop_test(tcase, test_an_end_has_its_cause, 0, TABLE_LEN(causes));
    return suite;
}
