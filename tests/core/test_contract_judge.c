#include "repair.h"

#include <stdlib.h>
#include <string.h>

#include "policy.h"
#include "protocol.h"
#include "str.h"
#include "test_main.h"

static const char schema[] = "{\"type\": \"object\", \"required\": [\"summary\"], \"properties\": {"
                             "\"kernel\": {\"const\": \"fix\"}, \"op\": {\"const\": \"patch\"}, "
                             "\"summary\": {\"type\": \"string\"}, \"n\": {\"maximum\": 5}}}";

static struct contract *contract;
static struct verdict verdict;

static void setup(void)
{
    struct violations wrong = {0};
    ck_assert(contract_load(schema, strlen(schema), &contract, &wrong));
    verdict = verdict_new();
}

static void teardown(void)
{
    contract_free(contract);
}

static void judge_output(const struct contract *by, const struct contract_output *out)
{
    struct violations found = {0};
    contract_judge(by, out, &verdict, &found);
    ck_assert_int_eq(found.count > 0, verdict.reason == REASON_CONTRACT);
    violations_done(&found);
}

static void judge(const char *output)
{
    const struct contract_output out = {
        .bytes = output, .len = strlen(output), .written = (int64_t)strlen(output)};
    judge_output(contract, &out);
}

START_TEST(test_output_that_fits_is_a_success)
{
    const struct verdict before = verdict;
    judge("{\"summary\": \"done\", \"kernel\": \"fix\"}\n");
    ck_assert_mem_eq(&before, &verdict, sizeof(before));
}
END_TEST

START_TEST(test_a_failure_stays_what_it_is)
{
    verdict_set_persistent(&verdict, REASON_TEST_FAIL, "", "some.rule");
    const struct verdict before = verdict;
    judge("no JSON at all");
    ck_assert_mem_eq(&before, &verdict, sizeof(before));
}
END_TEST

/* Would a policy that has attempts left and tries again on everything go on? */
static bool goes_on(void)
{
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 0};
    const struct protocol_facts facts = {.policy = policy_named(POLICY_DEFAULT),
                                         .phase = PHASE_GREEN,
                                         .outcome = &outcome,
                                         .verdict = &verdict,
                                         .used = 1,
                                         .allowed = 3};
    struct decision decision;
    protocol_decide(&facts, &decision);
    ck_assert(decision.kind == DECISION_WAIT || decision.kind == DECISION_FAILED);
    return decision.kind == DECISION_WAIT;
}

static const struct {
    const char *name;
    const char *output;
    const char *code; /* the subtype */
    bool again;
} decisions[] = {
    {"no JSON", "all done", "NOT_JSON", true},
    {"JSON in prose", "Here it is: {\"summary\": \"x\"}", "NOT_JSON", true},
    {"nothing", "", "NOT_JSON", true},
    {"no object", "[]", "NOT_OBJECT", true},
    {"missing field", "{}", "MISSING_FIELD", true},
    {"wrong type", "{\"summary\": 5}", "WRONG_TYPE", true},
    {"invalid value", "{\"summary\": \"x\", \"n\": 6}", "INVALID_VALUE", true},
    {"several", "{\"n\": 6}", NULL, true},
    {"another kernel", "{\"summary\": \"x\", \"kernel\": \"review\"}", "KERNEL_MISMATCH", false},
    {"another op", "{\"summary\": \"x\", \"op\": \"delete\"}", "OP_MISMATCH", false},
    {"mismatch among others", "{\"n\": 6, \"op\": \"delete\"}", "OP_MISMATCH", false},
};

START_TEST(test_D3_a_misfit_is_tried_again_only_where_it_can_be_mended)
{
    judge(decisions[_i].output);
    ck_assert_int_eq((int)verdict.class, VERDICT_PERSISTENT);
    ck_assert_int_eq((int)verdict.reason, REASON_CONTRACT);
    ck_assert_str_eq(verdict.rule, "contract");
    if (decisions[_i].code)
        ck_assert_str_eq(verdict.subtype, decisions[_i].code);
    ck_assert_msg(verdict.no_retry == !decisions[_i].again, "%s", decisions[_i].name);
    ck_assert_msg(goes_on() == decisions[_i].again, "%s", decisions[_i].name);
    ck_assert(!verdict.ask);
}
END_TEST

START_TEST(test_D4_the_evidence_has_the_lines)
{
    judge("{\"n\": 6}");
    const char *second = strchr(verdict.violations, '\n');
    ck_assert_ptr_nonnull(second);
    ck_assert(strncmp(verdict.violations, "[INVALID_VALUE] /n: ", 20) == 0);
    ck_assert(strncmp(second + 1, "[MISSING_FIELD] /summary: ", 26) == 0);
    ck_assert_uint_eq(strlen(verdict.match), strcspn(verdict.violations, "\n"));
    ck_assert(strncmp(verdict.match, verdict.violations, strlen(verdict.match)) == 0);
}
END_TEST

START_TEST(test_many_violations_are_counted)
{
    struct violations wrong = {0};
    struct contract *strings = NULL;
    static const char text[] = "{\"items\": {\"type\": \"string\"}}";
    struct str output = {0};
    ck_assert(contract_load(text, sizeof(text) - 1, &strings, &wrong));
    for (int i = 0; i < 300; i++)
        str_addf(&output, "%s%d", i == 0 ? "[" : ",", i);
    str_add_char(&output, ']');
    const struct contract_output out = {
        .bytes = output.data, .len = output.len, .written = (int64_t)output.len};
    judge_output(strings, &out);
    contract_free(strings);
    str_done(&output);

    int lines = 0;
    const char *last = verdict.violations;
    for (const char *p = verdict.violations; *p; p++) {
        lines += *p == '\n' ? 1 : 0;
        last = *p == '\n' && p[1] ? p + 1 : last;
    }
    char *end = NULL;
    ck_assert_int_gt(lines, 5);
    ck_assert(strncmp(last, "... and ", 8) == 0);
    ck_assert_int_eq(strtol(last + 8, &end, 10) + lines - 1, 300);
    ck_assert_str_eq(end, " more\n");
}
END_TEST

/* Bytes of strangers: whatever is wrong with them, lines stay lines. */
START_TEST(test_evidence_has_no_control_bytes)
{
    judge("{\"summary\": \"x\", \"kernel\": \"a\\n\\u001b[31mb\"}");
    for (const char *p = verdict.violations; *p; p++)
        ck_assert((unsigned char)*p >= 0x20 || *p == '\n');
    ck_assert_ptr_eq(strchr(verdict.violations, '\n'),
                     verdict.violations + strlen(verdict.violations) - 1);
}
END_TEST

START_TEST(test_output_that_was_cut_fits_nothing)
{
    struct str kept = {0};
    str_add(&kept, "{\"summary\": \"\"}");
    while (kept.len < CONTRACT_OUTPUT_MAX)
        str_add_char(&kept, ' ');
    struct contract_output out = {
        .bytes = kept.data, .len = kept.len, .written = CONTRACT_OUTPUT_MAX};
    judge_output(contract, &out);
    ck_assert_int_eq((int)verdict.class, VERDICT_SUCCESS);
    out.written++;
    judge_output(contract, &out);
    str_done(&kept);
    ck_assert_int_eq((int)verdict.reason, REASON_CONTRACT);
    ck_assert(!verdict.no_retry);
    ck_assert_str_eq(verdict.match, "[INVALID_VALUE] (root): the output is too large to be checked "
                                    "(expected at most 1 MiB, got 1048577 bytes)");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("contract_judge");
    TCase *tcase = test_case(suite, "judge");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_output_that_fits_is_a_success);
    tcase_add_test(tcase, test_a_failure_stays_what_it_is);
    tcase_add_loop_test(tcase, test_D3_a_misfit_is_tried_again_only_where_it_can_be_mended, 0,
                        TABLE_LEN(decisions));
    tcase_add_test(tcase, test_D4_the_evidence_has_the_lines);
    tcase_add_test(tcase, test_many_violations_are_counted);
    tcase_add_test(tcase, test_evidence_has_no_control_bytes);
    tcase_add_test(tcase, test_output_that_was_cut_fits_nothing);
    return suite;
}
