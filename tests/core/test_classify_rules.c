#include "classify_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "judge.h"
#include "str.h"
#include "test_main.h"

START_TEST(test_rules_have_a_hash)
{
    const char *hash = classifier_hash(judge_classifier());
    ck_assert_uint_eq(strlen(hash), 64);
    ck_assert_uint_eq(strspn(hash, "0123456789abcdef"), 64);

    struct json *json = NULL;
    const char *text = classifier_rules(judge_classifier());
    ck_assert(json_parse(text, strlen(text), &json, NULL, NULL));
    ck_assert_uint_gt(json_count(json_get(json, "rules")), 100);
    json_free(json);
}
END_TEST

START_TEST(test_rules_hash_is_that_of_the_text)
{
    const char *empty = "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[]}";
    char hash[RULES_HASH_MAX];
    rules_hash(empty, strlen(empty), hash);
    ck_assert_str_eq(hash, "9f722706e074a8263d901c8eb06757296052030d00204ab9de0c0b955215fceb");

    const char *text = classifier_rules(judge_classifier());
    rules_hash(text, strlen(text), hash);
    ck_assert_str_eq(classifier_hash(judge_classifier()), hash);
}
END_TEST

START_TEST(test_rule_names_are_unique)
{
    struct json *json = NULL;
    const char *text = classifier_rules(judge_classifier());
    ck_assert(json_parse(text, strlen(text), &json, NULL, NULL));
    const struct json *rules = json_get(json, "rules");
    for (size_t i = 0; i < json_count(rules); i++) {
        for (size_t j = i + 1; j < json_count(rules); j++) {
            const char *one = json_text(json_get(json_at(rules, i), "id"), "");
            ck_assert_str_ne(one, json_text(json_get(json_at(rules, j), "id"), ""));
        }
    }
    json_free(json);
}
END_TEST

static const struct {
    const char *rule;
    const char *want;
} bad_rules[] = {
    {"{}", "rule 1 ''"},
    {"{\"id\":\"a\",\"need\":[\"x\"],\"pattern\":\"(\"}", "pattern, byte"},
    {"{\"id\":\"a\",\"pattern\":\"x\"}", "a pattern needs a literal"},
    {"{\"id\":\"a\",\"reason\":\"auth\"}", "no pattern, exit code"},
    {"{\"id\":\"a\",\"exit\":[1],\"class\":\"odd\"}", "class must be"},
    {"{\"id\":\"a\",\"exit\":[1],\"class\":\"transient\"}", "seven types"},
    {"{\"id\":\"a\",\"exit\":[1],\"type\":\"NETWORK_TIMEOUT\"}", "must not have a type"},
    {"{\"id\":\"a\",\"exit\":[1],\"reason\":\"odd\"}", "unknown reason 'odd'"},
    {"{\"id\":\"a\",\"exit\":[256]}", "from 0 to 255"},
    {"{\"id\":\"a\",\"exit\":[1],\"stream\":\"odd\"}", "stream must be"},
    {"{\"id\":\"a\",\"exit\":[1],\"rank\":\"odd\"}", "rank must be"},
    {"{\"id\":\"a\",\"exit\":[1],\"odd\":1}", "unknown key 'odd'"},
    {"{\"id\":\"a\",\"need\":[\"\"],\"pattern\":\"x\"}", "list of words"},
    {"{\"id\":\"a-name-that-is-much-longer-than-the-log-has-room-for\",\"exit\":[1]}",
     "id is longer"},
    {"7", "rule 1 ''"},
    {"{\"id\":\"a\",\"signal\":0}", "signal: expected a number from 1 to 64"},
    {"{\"id\":\"a\",\"exit\":[1],\"kind\":\"odd\"}", "kind must be"},
    {"{\"id\":\"a\",\"exit\":[1],\"form\":\"odd\"}", "unknown time format"},
    {"{\"id\":\"a\",\"exit\":[1],\"retry_after\":10}", "number of a group"},
};

START_TEST(test_bad_rule_is_named)
{
    char json[400];
    (void)snprintf(json, sizeof(json), "{\"guards\":[],\"errors\":[],\"hints\":[],\"rules\":[%s]}",
                   bad_rules[_i].rule);
    struct rules *rules = NULL;
    struct err err = {0};

    ck_assert(!rules_open(&rules, json, strlen(json), &err));

    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strstr(err.message, bad_rules[_i].want) != NULL, "%s", err.message);
    ck_assert_ptr_null(rules);
}
END_TEST

START_TEST(test_rules_that_are_no_json)
{
    struct rules *rules = NULL;
    struct err err = {0};

    ck_assert(!rules_open(&rules, "{", 1, &err));
    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert(!rules_open(&rules, "{}", 2, NULL));
    rules_close(NULL);
    classifier_close(NULL);
}
END_TEST

/* Judge with the built-in rules and these. */
static struct verdict judge_with(const char *user, const struct classify_input *input)
{
    struct classifier *classifier = NULL;
    struct err err = {0};
    struct verdict verdict;
    ck_assert_msg(classifier_open(&classifier, user, &err), "%s", err.message);
    classify(classifier, input, &verdict);

    /* What the log keeps judges the same. */
    struct classifier *again = NULL;
    struct verdict second;
    ck_assert_msg(classifier_open(&again, classifier_rules(classifier), &err), "%s", err.message);
    classify(again, input, &second);
    ck_assert_str_eq(second.rule, verdict.rule);
    ck_assert_int_eq(second.class, verdict.class);
    ck_assert_int_eq(second.retry_after_ms, verdict.retry_after_ms);
    ck_assert_str_eq(classifier_hash(again), classifier_hash(classifier));
    classifier_close(again);
    classifier_close(classifier);
    return verdict;
}

static struct classify_input failure(int code, const char *err)
{
    return (struct classify_input){
        .outcome = {.kind = OUTCOME_EXIT, .code = code}, .err = text_of(err), .memory_killed = -1};
}

static const char hsm_rule[] =
    "[{\"name\":\"hsm\",\"type\":\"RESOURCE_BUSY\",\"verdict\":\"transient\",\"subtype\":\"HSM\","
    "\"pattern\":\"HSM busy(?:, again in (\\\\d+ ?\\\\w+))?\",\"unless\":\"simulated\","
    "\"retry_after\":1,\"only_if\":{\"exit\":[1,9]}}]";

START_TEST(test_own_rule)
{
    struct classify_input input = failure(9, "HSM busy, again in 45 seconds\n");
    struct verdict verdict = judge_with(hsm_rule, &input);
    ck_assert_str_eq(verdict.rule, "hsm");
    ck_assert_int_eq(verdict.type, TRANSIENT_RESOURCE_BUSY);
    ck_assert_str_eq(verdict.subtype, "HSM");
    ck_assert_int_eq(verdict.retry_after_ms, 45000);
    ck_assert_str_eq(verdict.hint_rule, "hsm");

    input = failure(1, "HSM busy\n");
    ck_assert_int_eq(judge_with(hsm_rule, &input).retry_after_ms, -1);
    input = failure(2, "HSM busy\n");
    ck_assert_int_eq(judge_with(hsm_rule, &input).class, VERDICT_PERSISTENT);
    input = failure(1, "simulated: HSM busy\n");
    ck_assert_int_eq(judge_with(hsm_rule, &input).class, VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_own_rule_stands_first)
{
    const struct classify_input input = failure(1, "HTTP 429: tenant closed\n");
    const struct verdict verdict =
        judge_with("[{\"name\":\"closed\",\"verdict\":\"persistent\",\"reason\":\"setup\","
                   "\"ask\":true,\"pattern\":\"tenant closed\"}]",
                   &input);

    ck_assert_int_eq(verdict.reason, REASON_SETUP);
    ck_assert(verdict.ask);
    ck_assert_int_eq(verdict.near_count > 0, 1);
    ck_assert_str_eq(verdict.near[0].rule, "b1.http-429");
    ck_assert_int_eq(verdict.near[0].why, NEAR_OUTRANKED);
}
END_TEST

START_TEST(test_own_rule_takes_the_place_of_one)
{
    const struct classify_input input = failure(1, "HTTP 429\n");
    const struct verdict verdict = judge_with(
        "[{\"name\":\"b1.http-429\",\"verdict\":\"persistent\",\"pattern\":\"HTTP 429\"}]", &input);

    ck_assert_str_eq(verdict.rule, "b1.http-429");
    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_a_rule_is_switched_off)
{
    const struct classify_input input = failure(1, "read ECONNRESET\n");

    const struct verdict verdict = judge_with("[{\"id\":\"b1.network\",\"off\":true}]", &input);

    ck_assert_str_ne(verdict.rule, "b1.network");
}
END_TEST

START_TEST(test_own_rule_for_a_signal)
{
    struct classify_input input = failure(9, "");
    input.outcome.kind = OUTCOME_SIGNAL;
    const char *rule = "[{\"name\":\"killed\",\"verdict\":\"transient\",\"type\":\"CONTAINER_OOM\","
                       "\"only_if\":{\"signal\":9}}]";

    ck_assert_str_eq(judge_with(rule, &input).rule, "killed");
    input.outcome.code = 15;
    ck_assert_str_eq(judge_with(rule, &input).rule, "known.signal");
    input = failure(9, "");
    ck_assert_int_eq(judge_with(rule, &input).class, VERDICT_PERSISTENT);
}
END_TEST

START_TEST(test_own_rule_for_a_kind_of_step)
{
    struct classify_input input = failure(1, "gateway closed\n");
    const char *rule = "[{\"name\":\"gw\",\"verdict\":\"transient\",\"type\":\"NETWORK_TIMEOUT\","
                       "\"pattern\":\"gateway closed\",\"only_if\":{\"kind\":\"agent\"}}]";

    ck_assert_int_eq(judge_with(rule, &input).class, VERDICT_PERSISTENT);
    input.agent = adapters_find(NULL, "claude");
    ck_assert_str_eq(judge_with(rule, &input).rule, "gw");
    input.program = "claude";
    ck_assert_str_eq(judge_with("[{\"name\":\"p\",\"verdict\":\"transient\",\"type\":"
                                "\"NETWORK_TIMEOUT\",\"only_if\":{\"program\":\"claude\"},"
                                "\"pattern\":\"closed\"}]",
                                &input)
                         .rule,
                     "p");
}
END_TEST

static const struct {
    const char *argv[10];
    const char *wanted;
    bool found;
} commands[] = {
    {{"srun", "-n1", "true"}, "srun", true},
    {{"/opt/slurm/bin/srun"}, "srun", true},
    {{"srunner"}, "srun", false},
    {{"echo", "srun"}, "srun", false},
    {{"env"}, "srun", false},
    {{"env", "-u", "HOME", "A=1", "srun", "x"}, "srun", true},
    {{"timeout", "-k", "5", "10", "srun"}, "srun", true},
    {{"timeout", "--signal=KILL", "10", "srun"}, "srun", true},
    {{"timeout", "srun", "true"}, "srun", false},
    {{"nice", "-n", "5", "nohup", "sudo", "-u", "ann", "srun"}, "srun", true},
    {{"sh", "-c", "srun x"}, "srun", true},
    {{"bash", "-lc", "cd x && A=1 srun -n1 y"}, "srun", true},
    {{"sh", "-e", "-c", "if true; then srun x; fi"}, "srun", true},
    {{"sh", "-c", "x=$(srun hostname)"}, "srun", true},
    {{"sh", "-c", "env sh -c 'exec srun x'"}, "srun", true},
    {{"sh", "-c", "'sr'\"un\" x"}, "srun", true},
    {{"sh", "-c", "pytest 'srun x; srun' \"a; srun\""}, "srun", false},
    {{"sh", "-c", "true # srun\nfalse"}, "srun", false},
    {{"sh", "-c", "echo a\\; srun"}, "srun", false},
    {{"sh", "-c"}, "srun", false},
    {{"sh", "srun"}, "srun", false},
    {{"sh", "-c", "sh -c 'sh -c \"sh -c \\\"sh -c srun\\\"\"'"}, "srun", false},
    {{"sbatch", "--wait", "x"}, "sbatch --wait", true},
    {{"sh", "-c", "sbatch -n1 --wait x | tee y"}, "sbatch --wait", true},
    {{"sbatch", "x"}, "sbatch --wait", false},
    {{"sh", "-c", "sbatch x; other --wait"}, "sbatch --wait", false},
};

START_TEST(test_a_command_is_found_behind_others)
{
    char *argv[10] = {0};
    for (int i = 0; commands[_i].argv[i]; i++)
        argv[i] = strdup(commands[_i].argv[i]);
    ck_assert_msg(launched_find(argv, commands[_i].wanted) == commands[_i].found, "case %d", _i);
    for (int i = 0; argv[i]; i++)
        free(argv[i]);
    ck_assert(!launched_find(NULL, "srun"));
}
END_TEST

static const struct {
    const char *rule; /* "" = it passed */
    const char *program;
    int code;
    const char *err;
} launches[] = {
    {"launch.node", "srun", 0, "srun: error: Node failure on n2\n"},
    {"launch.node", "srun", 0, "3: slurmstepd-n1: error: *** STEP 1.0 DUE TO NODE FAILURE ***\n"},
    {"launch.time", "srun", 0,
     "slurmstepd: error: *** STEP 7.0 ON n1 CANCELLED AT 2026-11-26T01:00:00 DUE TO TIME LIMIT "
     "***\n"},
    {"launch.preempted", "srun", 9,
     "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-26T01:00:00 DUE TO PREEMPTION ***\n"},
    {"launch.folder", "srun", 0,
     "slurmstepd: error: couldn't chdir to `/x': No such file or directory: going to /tmp "
     "instead\n"},
    {"launch.folder", "ssh", 0, "slurmstepd: error: couldn't chdir to `/x': Permission denied\n"},
    {"launch.home", "ssh", 0, "Could not chdir to home directory /home/ann: No such file\n"},
    {"", "srun", 0, "Could not chdir to home directory /home/ann: No such file\n"},
    {"", "pytest", 0, "srun: error: Node failure on n2\n"},
    {"", "srun", 0, "the log says: srun: error: Node failure on n2\n"},
    {"", "srun", 0, "warning: jobs may end DUE TO TIME LIMIT\n"},
    {"", "sbatch", 0, "srun: error: Node failure on n2\n"},
};

/* Launchers exit with 0 although the work was cut short or ran elsewhere. */
START_TEST(test_a_launcher_is_not_believed)
{
    char program[16];
    char *argv[] = {program, NULL};
    (void)snprintf(program, sizeof(program), "%s", launches[_i].program);
    struct classify_input input = failure(launches[_i].code, launches[_i].err);
    input.argv = argv;
    const struct verdict verdict = judge_with(NULL, &input);
    ck_assert_str_eq(verdict.rule, launches[_i].rule);
    ck_assert_int_eq(verdict.class == VERDICT_SUCCESS, launches[_i].rule[0] == '\0');
    ck_assert(classify_may_deny(judge_classifier(), &input) ==
              (input.outcome.code == 0 && strcmp(program, "pytest") != 0 &&
               strcmp(program, "sbatch") != 0));
}
END_TEST

START_TEST(test_own_rule_denies_a_success)
{
    char program[] = "qsub";
    char *argv[] = {program, NULL};
    struct classify_input input = failure(0, "job aborted by the queue\n");
    const char *rule = "[{\"name\":\"queue\",\"verdict\":\"persistent\",\"on_success\":true,"
                       "\"pattern\":\"aborted by the queue\",\"only_if\":{\"launcher\":\"qsub\"}}]";
    input.argv = argv;
    ck_assert_str_eq(judge_with(rule, &input).rule, "queue");
    input.outcome.code = 3;
    ck_assert_str_eq(judge_with(rule, &input).rule, "queue");
    input.outcome.code = 0;
    input.argv = NULL;
    ck_assert_int_eq(judge_with(rule, &input).class, VERDICT_SUCCESS);
    input.argv = argv;
    ck_assert_int_eq(judge_with("[{\"name\":\"queue\",\"verdict\":\"persistent\","
                                "\"pattern\":\"aborted by the queue\"}]",
                                &input)
                         .class,
                     VERDICT_SUCCESS);
}
END_TEST

START_TEST(test_own_pattern_is_limited)
{
    struct str err = {0};
    for (int i = 0; i < 4000; i++)
        str_add(&err, "aaaaaaaaaaaaaaaa");
    const struct classify_input input = failure(1, str_text(&err));

    const struct verdict verdict =
        judge_with("[{\"name\":\"slow\",\"verdict\":\"transient\",\"type\":\"RESOURCE_BUSY\","
                   "\"pattern\":\"(a+)+[bc]\"}]",
                   &input);

    ck_assert_int_eq(verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict.near_count, 1);
    ck_assert_str_eq(verdict.near[0].rule, "slow");
    ck_assert_int_eq(verdict.near[0].why, NEAR_PATTERN);
    str_done(&err);
}
END_TEST

static const struct {
    const char *rules;
    const char *want;
} bad_user_rules[] = {
    {"{", "ends too early"},
    {"7", "expected a list"},
    {"[7]", "rule 1 '': expected an object"},
    {"[{\"verdict\":\"transient\"}]", "rule 1 '': name is missing"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"on_success\":1,\"pattern\":\"x\"}]",
     "on_success is true or false, got"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"on_success\":true,\"only_if\":{\"exit\":0}}]",
     "on_success needs a pattern"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"on_success\":true,\"pattern\":\"x\","
     "\"only_if\":{\"exit\":1}}]",
     "on_success needs exit 0 among its exit codes"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"x\",\"only_if\":{\"launcher\":[]}}"
     "]",
     "launcher: expected 1..8 programs"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"x\",\"only_if\":{\"launcher\":7}}]",
     "launcher: expected 1..8 programs"},
    {"[{\"name\":\"a\",\"pattern\":\"x\"}]", "rule 1 'a': verdict is missing"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"\"}]",
     "rule 1 'a': pattern is empty"},
    {"[{\"name\":\"a\",\"verdict\":\"transient\",\"type\":\"RESOURCE_BUSY\","
     "\"pattern\":\"in (x)\",\"retry_after\":2}]",
     "rule 1 'a': retry_after is group 2, but the pattern has 1"},
    {"[{\"name\":\"a\",\"verdict\":\"odd\",\"pattern\":\"x\"}]", "'transient' or 'persistent'"},
    {"[{\"name\":\"a\",\"verdict\":\"transient\",\"pattern\":\"x\"}]", "seven types"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":7}]", "pattern is a string"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"(\"}]",
     "rule 1 'a': pattern, byte"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"odd\":1}]", "unknown key 'odd'"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"only_if\":{\"odd\":1}}]", "not 'odd'"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"only_if\":{\"exit\":\"x\"}}]", "exit: "},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"only_if\":{\"kind\":\"x\"},\"pattern\":\"x\"}]",
     "kind must be 'run' or 'agent'"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\"}]", "no pattern"},
    {"[{\"name\":\"nothing\",\"off\":true}]", "no built-in rule"},
    {"[{\"name\":\"guard.diff\",\"verdict\":\"persistent\",\"pattern\":\"x\"}]", "name is taken"},
    {"[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"x\"},"
     "{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"y\"}]",
     "an earlier rule has the same name"},
};

START_TEST(test_bad_user_rule_is_named)
{
    struct classifier *classifier = NULL;
    struct err err = {0};

    ck_assert(!classifier_open(&classifier, bad_user_rules[_i].rules, &err));

    ck_assert_int_eq(err.code, ERR_INVALID);
    ck_assert_msg(strstr(err.message, bad_user_rules[_i].want) != NULL, "%s: %s",
                  bad_user_rules[_i].rules, err.message);
    ck_assert_ptr_null(classifier);
}
END_TEST

START_TEST(test_own_pattern_has_a_length_limit)
{
    struct str rules = {0};
    str_add(&rules, "[{\"name\":\"a\",\"verdict\":\"persistent\",\"pattern\":\"");
    for (int i = 0; i <= USER_PATTERN_MAX; i++)
        str_add_char(&rules, 'x');
    str_add(&rules, "\"}]");
    struct classifier *classifier = NULL;
    struct err err = {0};

    ck_assert(!classifier_open(&classifier, str_text(&rules), &err));

    ck_assert_msg(strstr(err.message, "longer than 1024") != NULL, "%s", err.message);
    str_done(&rules);
}
END_TEST

START_TEST(test_no_rules_of_ones_own_change_nothing)
{
    struct classifier *classifier = NULL;
    ck_assert(classifier_open(&classifier, "[]", NULL));
    ck_assert_str_eq(classifier_hash(classifier), classifier_hash(judge_classifier()));
    classifier_close(classifier);

    ck_assert(classifier_open(&classifier, hsm_rule, NULL));
    ck_assert_str_ne(classifier_hash(classifier), classifier_hash(judge_classifier()));
    classifier_close(classifier);
}
END_TEST

/* What is near, before or after, tells more than that the connection ended. */
static const struct {
    const char *err;
    const char *rule;
} ranked[] = {
    {"git@h: Permission denied (publickey).\nscp: Connection closed\n", "auth.words"},
    {"scp: Connection closed\nHost key verification failed.\n", "ssh.config"},
    {"Host key verification failed.\nrsync: connection unexpectedly closed (0 bytes)\n",
     "ssh.config"},
    {"scp: Connection closed\n", "net.reset"},
    {"Error: Error acquiring the state lock\nError message: resource not found\n",
     "resource.missing"},
    {"Error: Error acquiring the state lock\n", "busy.lock"},
    {"curl: (35) error:0A00042E:SSL routines::tlsv1 alert protocol version\n", "tls.refused"},
    {"curl: (56) CONNECT tunnel failed, response 407\n", "proxy.refused"},
    {"curl: (56) CONNECT tunnel failed, response 503\n", "net.curl-code"},
    {"Error from server (InternalError): x: dial tcp 10.0.0.1:443: i/o timeout\n", "net.timeout"},
    {"Error from server (InternalError): x\n", "api.kube"},
};

START_TEST(test_a_cause_outranks_a_symptom)
{
    const struct verdict verdict = judge(1, ranked[_i].err, "");
    ck_assert_str_eq(verdict.rule, ranked[_i].rule);
}
END_TEST

START_TEST(test_a_cause_far_from_the_symptom_is_another_failure)
{
    struct str err = {0};
    str_add(&err, "git@h: Permission denied (publickey).\n");
    for (int i = 0; i < 50; i++)
        str_add(&err, "more output\n");
    str_add(&err, "scp: Connection closed\n");
    ck_assert_str_eq(judge(1, str_text(&err), "").rule, "net.reset");
    str_done(&err);
}
END_TEST

START_TEST(test_nothing_outranks_an_own_rule)
{
    const struct classify_input input =
        failure(1, "lab gone\ngit@h: Permission denied (publickey).\ncat: a: No such file or "
                   "directory\n");
    const struct verdict verdict =
        judge_with("[{\"name\":\"lab\",\"type\":\"NETWORK_TIMEOUT\",\"verdict\":\"transient\","
                   "\"pattern\":\"lab gone\",\"stream\":\"any\"}]",
                   &input);
    ck_assert_str_eq(verdict.rule, "lab");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("classify_rules");
    TCase *rules = judge_case(suite, "rules");
    tcase_add_test(rules, test_rules_have_a_hash);
    tcase_add_test(rules, test_rules_hash_is_that_of_the_text);
    tcase_add_test(rules, test_rule_names_are_unique);
    tcase_add_loop_test(rules, test_bad_rule_is_named, 0, TABLE_LEN(bad_rules));
    tcase_add_test(rules, test_rules_that_are_no_json);
    tcase_add_loop_test(rules, test_a_cause_outranks_a_symptom, 0, TABLE_LEN(ranked));
    tcase_add_test(rules, test_a_cause_far_from_the_symptom_is_another_failure);
    TCase *own = judge_case(suite, "own");
    tcase_add_test(own, test_nothing_outranks_an_own_rule);
    tcase_add_test(own, test_own_rule);
    tcase_add_test(own, test_own_rule_stands_first);
    tcase_add_test(own, test_own_rule_takes_the_place_of_one);
    tcase_add_test(own, test_a_rule_is_switched_off);
    tcase_add_test(own, test_own_rule_for_a_signal);
    tcase_add_test(own, test_own_rule_for_a_kind_of_step);
    tcase_add_loop_test(own, test_a_command_is_found_behind_others, 0, TABLE_LEN(commands));
    tcase_add_loop_test(own, test_a_launcher_is_not_believed, 0, TABLE_LEN(launches));
    tcase_add_test(own, test_own_rule_denies_a_success);
    tcase_add_test(own, test_own_pattern_is_limited);
    tcase_add_loop_test(own, test_bad_user_rule_is_named, 0, TABLE_LEN(bad_user_rules));
    tcase_add_test(own, test_own_pattern_has_a_length_limit);
    tcase_add_test(own, test_no_rules_of_ones_own_change_nothing);
    return suite;
}
