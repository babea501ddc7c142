#include "plan.h"

#include <string.h>

#include "str.h"
#include "test_main.h"

static struct plan *plan;
static struct violations violations;
static struct str text, shown;
static int files_read;

static void setup(void)
{
    plan = NULL;
    violations = (struct violations){0};
    text = shown = (struct str){0};
    files_read = 0;
}

static void teardown(void)
{
    plan_free(plan);
    violations_done(&violations);
    str_done(&text);
    str_done(&shown);
}

static const struct {
    const char *name;
    const char *text;
} files[] = {
    {"answer.json", "{\"type\": \"object\",\n \"required\": [\"summary\"]}\n"},
    {"broken.json", "{\"type\":\n}"},
    {"wide.json", "{\"const\": [18446744073709551615, \"a\\u0000b\", 1e300]}"},
    {"wrong.json", "{\"properties\": {\"a\": {\"type\": \"strin\"}}}"},
};

static bool read_file(void *ctx, const char *name, struct str *out, struct err *err)
{
    int *count = ctx;
    ++*count;
    for (int i = 0; i < TABLE_LEN(files); i++) {
        if (strcmp(files[i].name, name) == 0) {
            str_add(out, files[i].text);
            return true;
        }
    }
    return err_set(err, ERR_INVALID, "there is nothing");
}

static bool parse_text(const char *json)
{
    const struct plan_files from = {.read = read_file, .ctx = &files_read};
    const struct plan_context context = {.files = &from};
    bool ok = plan_parse_with(json, strlen(json), &context, &plan, &violations);
    violations_display(&violations, &shown);
    return ok;
}

/* A plan with these members and these steps, which are idempotent. */
static bool parse(const char *members, const char *steps)
{
    str_addf(&text,
             "{\"version\": 1, \"idempotent\": true, %s \"tasks\": [{\"id\": \"a\", \"steps\": "
             "[%s]}]}",
             members, steps);
    return parse_text(str_text(&text));
}

#define CONTRACT(json) "{\"run\": [\"x\"], \"contract\": " json "}"
#define PLAN_CONTRACT  CONTRACT("\"devs-plan\"")

static bool fits(int step, const char *output)
{
    const struct plan_contract *contract = plan->tasks[0].steps[step].contract;
    struct violations wrong = {0};
    ck_assert_ptr_nonnull(contract);
    bool ok = contract_check_text(contract->schema, output, strlen(output), NULL, &wrong);
    violations_done(&wrong);
    return ok;
}

/* Replaces the plan with what its written text says. */
static void read_again(void)
{
    struct str written = {0};
    struct plan *again = NULL;
    plan_write(plan, &written);
    ck_assert_msg(plan_parse(written.data, written.len, &again, &violations), "%s", written.data);
    plan_free(plan);
    plan = again;
    str_done(&written);
}

START_TEST(test_a_step_without_contract)
{
    ck_assert(parse("", "{\"run\": [\"x\"]}"));
    ck_assert_ptr_null(plan->tasks[0].steps[0].contract);
}
END_TEST

START_TEST(test_a_contract_in_the_step)
{
    ck_assert_msg(parse("", CONTRACT("{\"required\": [\"summary\"]}")), "%s", str_text(&shown));
    ck_assert(fits(0, "{\"summary\": 1}"));
    ck_assert(!fits(0, "{}"));
    ck_assert_int_eq(files_read, 0);
    ck_assert(!plan_has_more(plan));
}
END_TEST

START_TEST(test_a_contract_of_the_plan)
{
    ck_assert_msg(parse("\"contracts\": {\"//\": \"shared\", \"number\": {\"type\": \"integer\"}},",
                        CONTRACT("\"number\"") "," CONTRACT("\"number\"")),
                  "%s", str_text(&shown));
    ck_assert(fits(0, "5"));
    ck_assert(!fits(1, "\"5\""));
    ck_assert_ptr_eq(plan->tasks[0].steps[0].contract, plan->tasks[0].steps[1].contract);
    ck_assert_int_eq(files_read, 0);
}
END_TEST

START_TEST(test_a_contract_in_a_file_goes_into_the_plan)
{
    ck_assert_msg(parse("", CONTRACT("\"answer.json\"") "," CONTRACT("\"answer.json\"")), "%s",
                  str_text(&shown));
    ck_assert_int_eq(files_read, 1);
    ck_assert(plan_has_more(plan));
    read_again();
    ck_assert(fits(0, "{\"summary\": 1}"));
    ck_assert(!fits(1, "{}"));
}
END_TEST

START_TEST(test_a_contract_of_the_plan_wins_over_a_file)
{
    ck_assert(parse("\"contracts\": {\"answer.json\": true},", CONTRACT("\"answer.json\"")));
    ck_assert(fits(0, "5"));
    ck_assert_int_eq(files_read, 0);
}
END_TEST

START_TEST(test_written_contracts_are_read_as_the_same)
{
    struct str first = {0};
    struct str second = {0};
    struct plan *again = NULL;
    ck_assert(parse(
        "\"contracts\": {\"n\": {\"type\": \"integer\", \"multipleOf\": 0.1}},",
        CONTRACT("\"n\"") "," CONTRACT("{\"const\": \"a\\\"\\u00e9\"}") "," CONTRACT("false")));
    plan_write(plan, &first);
    ck_assert(plan_parse(first.data, first.len, &again, &violations));
    plan_write(again, &second);
    ck_assert_str_eq(first.data, second.data);
    ck_assert_int_eq(again->contract_count, 3);
    ck_assert(fits(1, "\"a\\\"\303\251\""));
    ck_assert(!fits(2, "1"));
    plan_free(again);
    str_done(&first);
    str_done(&second);
}
END_TEST

/* Doubles that need all 17 digits, and those at the ends. */
static const char *const exact[] = {
    "0.1",    "0.12345678901234568",     "0.30000000000000004",
    "5e-324", "1.7976931348623157e+308", "9007199254740993",
};

START_TEST(test_a_written_contract_has_the_same_numbers)
{
    struct str step = {0};
    str_addf(&step, CONTRACT("{\"const\": %s}") "," CONTRACT("{\"maximum\": %s}"), exact[_i],
             exact[_i]);
    ck_assert_msg(parse("", str_text(&step)), "%s", str_text(&shown));
    read_again();
    ck_assert(fits(0, exact[_i]));
    ck_assert(fits(1, exact[_i]));
    str_done(&step);
}
END_TEST

START_TEST(test_contracts_with_near_numbers_are_two)
{
    ck_assert(parse("", CONTRACT("{\"const\": 0.12345678901234561}") "," CONTRACT(
                            "{\"const\": 0.12345678901234568}")));
    ck_assert_int_eq(plan->contract_count, 2);
    ck_assert(fits(0, "0.12345678901234561"));
    ck_assert(!fits(0, "0.12345678901234568"));
    ck_assert(fits(1, "0.12345678901234568"));
}
END_TEST

/* As contract_load() reads it. */
START_TEST(test_a_contract_may_have_any_number_and_text)
{
    static const char *const steps[] = {
        CONTRACT("\"wide.json\""),
        CONTRACT("{\"const\": [18446744073709551615, \"a\\u0000b\", 1e300]}"),
        CONTRACT("\"n\""),
    };
    struct plan *whole = NULL;
    ck_assert_msg(parse("\"contracts\": {\"n\": {\"const\": [18446744073709551615, "
                        "\"a\\u0000b\", 1e300]}},",
                        steps[_i]),
                  "%s", str_text(&shown));
    read_again();
    whole = plan;
    plan = NULL;
    ck_assert(plan_only(whole, "a", &plan, NULL));
    plan_free(whole);
    ck_assert(fits(0, "[18446744073709551615, \"a\\u0000b\", 1e300]"));
    ck_assert(!fits(0, "[18446744073709551615, \"a\", 1e300]"));
}
END_TEST

START_TEST(test_one_task_alone_keeps_its_contracts)
{
    struct plan *whole = NULL;
    ck_assert(parse("\"contracts\": {\"n\": {\"type\": \"integer\"}},",
                    "{\"run\": [\"x\"], \"contract\": \"n\"}"));
    whole = plan;
    plan = NULL;
    ck_assert(plan_only(whole, "a", &plan, NULL));
    plan_free(whole);
    ck_assert(!fits(0, "{}"));
}
END_TEST

static const struct {
    const char *file;
    const char *want; /* after the place */
} bad_files[] = {
    {"none.json", "unknown contract \"none.json\", and no such file can be read: there is nothing"},
    {"broken.json", "in 'broken.json': line 2, column 1: unexpected token '}'"},
    {"wrong.json",
     "in 'wrong.json' at /properties/a/type: unknown type (expected null, boolean, object, array, "
     "number, string or integer, got \"strin\")"},
};

START_TEST(test_bad_file_of_a_contract)
{
    struct str step = {0};
    str_addf(&step, CONTRACT("\"%s\""), bad_files[_i].file);
    ck_assert(!parse("", str_text(&step)));
    ck_assert_uint_eq(violations.count, 1);
    ck_assert_str_eq(violations.items[0].path, "/tasks/0/steps/0/contract");
    str_clear(&step);
    str_addf(&step, "/tasks/0/steps/0/contract: %s\n", bad_files[_i].want);
    ck_assert_str_eq(strchr(str_text(&shown), '/'), str_text(&step));
    str_done(&step);
}
END_TEST

START_TEST(test_a_bad_file_is_reported_once)
{
    ck_assert(!parse("", CONTRACT("\"none.json\"") "," CONTRACT("\"none.json\"")));
    ck_assert_uint_eq(violations.count, 1);
    ck_assert_int_eq(files_read, 1);
}
END_TEST

START_TEST(test_contracts_have_a_limit)
{
    struct str members = {0};
    str_add(&members, "\"contracts\": {");
    for (int i = 0; i < PLAN_CONTRACTS_MAX - 1; i++)
        str_addf(&members, "%s\"c%d\": true", i > 0 ? ", " : "", i);
    str_add(&members, "},");
    /* Equal contracts count once. */
    bool ok = parse(str_text(&members), _i == 0 ? CONTRACT("{}") "," CONTRACT("{}")
                                                : CONTRACT("{}") "," CONTRACT("{\"maxItems\": 1}"));
    str_done(&members);
    ck_assert_msg(ok == (_i == 0), "%s", str_text(&shown));
    if (!ok)
        ck_assert_str_eq(str_text(&shown),
                         "[INVALID_VALUE] /tasks/0/steps/1/contract: too many contracts in one "
                         "plan; use named contracts, which steps can share (expected at most "
                         "1000, got more)\n");
}
END_TEST

/* Adds a contract with so many schemas, itself included, that equals no other. */
static void add_contract(struct str *out, int number, int schemas)
{
    str_addf(out, "%s\"c%d\": {\"title\": \"%d\", \"allOf\": [true", number > 0 ? "," : "", number,
             number);
    for (int i = 2; i < schemas; i++)
        str_add(out, ",{}");
    str_add(out, "]}");
}

START_TEST(test_schemas_of_all_contracts_have_a_limit)
{
    enum { OF_ONE = 20000, COUNT = 8 };
    struct str members = {0};
    str_add(&members, "\"contracts\": {");
    for (int i = 0; i < (_i == 0 ? PLAN_SCHEMAS_MAX / OF_ONE : COUNT); i++)
        add_contract(&members, i, OF_ONE);
    str_add(&members, "},");
    bool ok = parse(str_text(&members), "{\"run\": [\"x\"]}");
    str_done(&members);
    ck_assert_msg(ok == (_i == 0), "%s", str_text(&shown));
    if (!ok)
        ck_assert_str_eq(str_text(&shown),
                         "[INVALID_VALUE] /contracts/c5: too many schemas in the contracts of the "
                         "plan (expected at most 100000, got more)\n");
}
END_TEST

/* Parses a plan with `count` contracts of about that many bytes each. */
static bool parse_large(int count, int bytes)
{
    struct str members = {0};
    str_add(&members, "\"contracts\": {");
    for (int i = 0; i < count; i++) {
        str_addf(&members, "%s\"c%d\": {\"title\": \"%0*d\"}", i > 0 ? "," : "", i, bytes, i);
    }
    str_add(&members, "},");
    bool ok = parse(str_text(&members), "{\"run\": [\"x\"]}");
    str_done(&members);
    return ok;
}

START_TEST(test_bytes_of_a_contract_have_a_limit)
{
    ck_assert(!parse_large(1, CONTRACT_BYTES_MAX));
    ck_assert_str_eq(str_text(&shown), "[INVALID_VALUE] /contracts/c0: the contract is too large "
                                       "(expected at most 1 MiB, got more)\n");
}
END_TEST

START_TEST(test_bytes_of_all_contracts_have_a_limit)
{
    enum { OF_ONE = CONTRACT_BYTES_MAX - 1024, FITTING = PLAN_CONTRACT_BYTES_MAX / OF_ONE };
    ck_assert_msg(parse_large(FITTING, OF_ONE), "%s", str_text(&shown));
    str_clear(&text);
    str_clear(&shown);
    plan_free(plan);
    plan = NULL;
    ck_assert(!parse_large(FITTING + 2, OF_ONE));
    ck_assert_str_eq(str_text(&shown),
                     "[INVALID_VALUE] /contracts/c16: the contracts of the plan are too large "
                     "in total (expected at most 16 MiB, got more)\n");
}
END_TEST

static const struct {
    const char *output;
    const char *wrong; /* NULL: it fits */
} outputs[] = {
    {"{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [{\"phase\": \"RED\", \"run\": "
     "[\"true\"]}]}]}",
     NULL},
    {"{\"version\": 1}", "[MISSING_FIELD] /tasks: "},
    {"{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [{\"run\": [\"true\"]}]}]}",
     "[INVALID_VALUE] /tasks/0/steps/0"},
    {"```json\n{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [{\"phase\": \"RED\", "
     "\"run\": [\"true\"]}]}]}\n```\n",
     NULL},
    {"```json\n{\"version\": 1}\n```", "[MISSING_FIELD] /tasks: "},
    {"Look:\n```json\n{\"version\": 1}\n```", "JSON begins at line 3, column 1, in a code fence"},
    {"```json\n```", "[NOT_JSON] "},
    {"```", "[NOT_JSON] "},
    {"``````", "[NOT_JSON] "},
    {"[]", "[NOT_OBJECT] "},
    {"", "[NOT_JSON] "},
};

START_TEST(test_an_output_that_must_be_a_plan)
{
    ck_assert(parse("", PLAN_CONTRACT));
    const struct plan_contract *contract = plan->tasks[0].steps[0].contract;
    const char *output = outputs[_i].output;
    bool fits = contract_check_text(contract->schema, output, strlen(output), NULL, &violations);
    ck_assert_int_eq(fits, !outputs[_i].wrong);
    violations_display(&violations, &shown);
    ck_assert_msg(fits || strstr(str_text(&shown), outputs[_i].wrong), "%s", str_text(&shown));
}
END_TEST

START_TEST(test_a_plan_as_output_may_have_the_agents_of_the_plan_around_it)
{
    static const char output[] = "{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": "
                                 "[{\"agent\": \"ours\", \"prompt\": \"p\"}]}]}";
    ck_assert(parse_text("{\"version\": 1, \"agents\": {\"ours\": {\"like\": \"claude\"}}, "
                         "\"tasks\": [{\"id\": \"a\", \"steps\": [{\"agent\": \"claude\", "
                         "\"prompt\": \"p\", \"contract\": \"devs-plan\"}]}]}"));
    const struct contract *contract = plan->tasks[0].steps[0].contract->schema;
    ck_assert(contract_check_text(contract, output, strlen(output), NULL, &violations));
}
END_TEST

START_TEST(test_the_contract_for_plans_is_built_in)
{
    ck_assert(parse("", PLAN_CONTRACT "," PLAN_CONTRACT));
    ck_assert_int_eq(files_read, 0);
    ck_assert_int_eq(plan->contract_count, 1);
    str_clear(&text);
    plan_write(plan, &text);
    ck_assert_ptr_null(strstr(str_text(&text), "\"contracts\""));
    plan_free(plan);
    plan = NULL;
    ck_assert_msg(parse_text(str_text(&text)), "%s", str_text(&shown));
    ck_assert_str_eq(plan->tasks[0].steps[1].contract->name, PLAN_CONTRACT_PLAN);
}
END_TEST

START_TEST(test_a_contract_of_the_plan_wins_over_the_builtin_one)
{
    ck_assert(parse("\"contracts\": {\"devs-plan\": {\"type\": \"integer\"}},", PLAN_CONTRACT));
    ck_assert(fits(0, "7"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("plan_contract");
    TCase *tcase = test_case(suite, "contracts");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_a_step_without_contract);
    tcase_add_test(tcase, test_a_contract_in_the_step);
    tcase_add_test(tcase, test_a_contract_of_the_plan);
    tcase_add_test(tcase, test_a_contract_in_a_file_goes_into_the_plan);
    tcase_add_test(tcase, test_a_contract_of_the_plan_wins_over_a_file);
    tcase_add_test(tcase, test_written_contracts_are_read_as_the_same);
    tcase_add_loop_test(tcase, test_a_written_contract_has_the_same_numbers, 0, TABLE_LEN(exact));
    tcase_add_test(tcase, test_contracts_with_near_numbers_are_two);
    tcase_add_loop_test(tcase, test_a_contract_may_have_any_number_and_text, 0, 3);
    tcase_add_test(tcase, test_one_task_alone_keeps_its_contracts);
    tcase_add_loop_test(tcase, test_bad_file_of_a_contract, 0, TABLE_LEN(bad_files));
    tcase_add_test(tcase, test_a_bad_file_is_reported_once);
    tcase_add_loop_test(tcase, test_contracts_have_a_limit, 0, 2);
    tcase_add_loop_test(tcase, test_schemas_of_all_contracts_have_a_limit, 0, 2);
    tcase_add_test(tcase, test_bytes_of_a_contract_have_a_limit);
    tcase_add_test(tcase, test_bytes_of_all_contracts_have_a_limit);
    tcase_add_loop_test(tcase, test_an_output_that_must_be_a_plan, 0, TABLE_LEN(outputs));
    tcase_add_test(tcase, test_a_plan_as_output_may_have_the_agents_of_the_plan_around_it);
    tcase_add_test(tcase, test_the_contract_for_plans_is_built_in);
    tcase_add_test(tcase, test_a_contract_of_the_plan_wins_over_the_builtin_one);
    return suite;
}
