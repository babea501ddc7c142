#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "completion.h"
#include "test_main.h"

static struct completion_command *command_named(const char *name)
{
    static struct completion_command command;
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        if (strcmp(command.name, name) == 0)
            return &command;
    }
    ck_abort_msg("no command '%s'", name);
    return NULL;
}

static const struct option_spec *spec_named(const struct completion_command *command,
                                            const char *name)
{
    for (size_t i = 0; i < command->options.count; i++) {
        if (strcmp(command->options.specs[i].name, name) == 0)
            return &command->options.specs[i];
    }
    ck_abort_msg("%s has no --%s", command->name, name);
    return NULL;
}

START_TEST(test_every_command_tells_its_options)
{
    struct completion_command command;
    size_t count = 0;
    for (; completion_command_at(count, &command); count++) {
        const struct command *wanted = count > 0 ? command_at(count - 1) : NULL;
        ck_assert_str_eq(command.name, wanted ? wanted->name : "");
        ck_assert_str_eq(command.options.specs[0].name, "db");
        ck_assert_str_eq(command.options.specs[COMMAND_GLOBAL_SPECS - 1].name, "help");
    }
    ck_assert_ptr_null(command_at(count - 1));
}
END_TEST

static const struct {
    const char *command, *option;
    enum completion_source source;
    const char *list;
} option_cases[] = {
    {"", "db", COMPLETION_FILE, NULL},
    {"", "theme", COMPLETION_FIXED, "theme"},
    {"run", "jobs", COMPLETION_NOTHING, NULL},
    {"run", "continue", COMPLETION_ASK, "unfinished"},
    {"run", "only", COMPLETION_ASK, "plan_task"},
    {"exec", "policy", COMPLETION_ASK, "policy"},
    {"new-project", "agent", COMPLETION_ASK, "agent"},
    {"hook", "agent", COMPLETION_FIXED, "hook_agent"}, /* only some have hooks */
    {"agents", "try", COMPLETION_ASK, "agent"},
    {"mcp", "dir", COMPLETION_DIR, NULL},
    {"debug", "task", COMPLETION_ASK, "task"},
    {"debug", "what-if", COMPLETION_FILE, NULL},
    {"rules", "try", COMPLETION_FILE, NULL},
    {"log", "try", COMPLETION_NOTHING, NULL},
};

START_TEST(test_option)
{
    const struct completion_command *command = command_named(option_cases[_i].command);
    const struct completion_kind kind =
        completion_option_kind(command->name, spec_named(command, option_cases[_i].option));
    ck_assert_int_eq(kind.source, option_cases[_i].source);
    ck_assert_pstr_eq(kind.list, option_cases[_i].list);
}
END_TEST

/* "RUN=5" is an operand and the number of its source, "+" behind one that may be repeated. */
static const struct {
    const char *command, *wanted;
} operand_cases[] = {
    {"runs", ""},
    {"run", "PLAN=1"},
    {"init", "FILE=1"},
    {"status", "RUN=5"},
    {"classify", "FILE=1+"},
    {"agents", "FILE=1"},
    {"why", "[RUN/]TASK=5"},
    {"cancel", "RUN[/TASK]=5"},
    {"correct", "[RUN/]TASK=5 CLASS=4"},
    {"exec", "COMMAND=3 ARG=1+"},
    {"export", "RUN=5"}, /* --format and what stands behind it are none */
    {"debug", "RUN=5+"}, /* --logs is a flag: what stands behind it is one */
    {"validate", "FILE|-=1"},
    {"hook", "install|uninstall|status=4"},
    {"plan-phase", "N=0"},
};

START_TEST(test_operands_are_those_of_the_usage)
{
    static_assert(COMPLETION_NOTHING == 0 && COMPLETION_FILE == 1 && COMPLETION_COMMAND == 3 &&
                      COMPLETION_FIXED == 4 && COMPLETION_ASK == 5,
                  "the numbers of the table");
    const struct completion_command *command = command_named(operand_cases[_i].command);
    struct str got = {0};
    for (size_t i = 0; i < command->operand_count; i++) {
        const struct completion_operand *operand = &command->operands[i];
        str_addf(&got, "%s%s=%d%s", i > 0 ? " " : "", operand->label, (int)operand->kind.source,
                 operand->repeats ? "+" : "");
    }
    ck_assert_str_eq(str_text(&got), operand_cases[_i].wanted);
    str_done(&got);
}
END_TEST

static void check_kind(const struct completion_kind *kind)
{
    const struct globals globals = {.db = "/nonexistent/devs.db"};
    const struct completion_question question = {
        .globals = &globals, .list = kind->list, .prefix = ""};
    struct str out = {0};
    if (kind->source == COMPLETION_FIXED)
        ck_assert_msg(completion_list(kind->list, &out) && out.len > 0, "no list %s", kind->list);
    if (kind->source == COMPLETION_ASK)
        ck_assert_msg(completion_ask(&question, &out), "no list %s", kind->list);
    str_done(&out);
}

START_TEST(test_every_list_that_is_named_is_there)
{
    struct completion_command command;
    for (size_t i = 0; completion_command_at(i, &command); i++) {
        for (size_t j = 0; j < command.options.count; j++) {
            const struct option_spec *spec = &command.options.specs[j];
            if (!spec->metavar)
                continue;
            const struct completion_kind kind = completion_option_kind(command.name, spec);
            check_kind(&kind);
        }
        for (size_t j = 0; j < command.operand_count; j++)
            check_kind(&command.operands[j].kind);
    }
}
END_TEST

START_TEST(test_a_list_is_added_behind_what_is_there)
{
    struct str out = {0};
    str_add(&out, "(");
    ck_assert(completion_list("phase", &out));
    ck_assert_str_eq(str_text(&out), "(RED GREEN VERIFY REFACTOR");
    ck_assert(!completion_list("nonsense", &out));
    str_done(&out);
}
END_TEST

START_TEST(test_a_log_that_is_not_there_offers_nothing)
{
    const struct globals globals = {.db = "/nonexistent/devs.db"};
    struct completion_question question = {.globals = &globals, .list = "target", .prefix = ""};
    struct str out = {0};
    ck_assert(completion_ask(&question, &out));
    question.list = "run_task";
    question.prefix = "1/";
    ck_assert(completion_ask(&question, &out));
    ck_assert_uint_eq(out.len, 0);
    question.list = "nonsense";
    ck_assert(!completion_ask(&question, &out));
    str_done(&out);
}
END_TEST

/* Words of a line behind "devs", a blank between two, and the plan that is meant. */
static const struct {
    const char *line, *wanted;
} line_cases[] = {
    {"run", "plan.json"},
    {"", "plan.json"},
    {"run --only", "plan.json"},
    {"run --only a plan2.json", "plan2.json"}, /* the value of --only is none */
    {"run own.json --only a", "own.json"},
    {"--db log.db run -j 3 own.json", "own.json"},
    {"run -j3 own.json", "own.json"},
    {"run --jobs=3 own.json", "own.json"},
    {"run --jobs = 3 own.json", "own.json"}, /* as bash has it */
    {"run --plain own.json other.json", "own.json"},
};

START_TEST(test_the_plan_that_a_line_names)
{
    enum { WORDS_MAX = 8 };
    char line[64];
    char *words[WORDS_MAX];
    char *rest = line;
    size_t count = 0;
    (void)snprintf(line, sizeof(line), "%s", line_cases[_i].line);
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    ck_assert_uint_le(count, WORDS_MAX);
    ck_assert_str_eq(completion_plan_named(words, count), line_cases[_i].wanted);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("completion");
    TCase *table = test_case(suite, "table");
    tcase_add_test(table, test_every_command_tells_its_options);
    tcase_add_loop_test(table, test_option, 0, TABLE_LEN(option_cases));
    tcase_add_loop_test(table, test_operands_are_those_of_the_usage, 0, TABLE_LEN(operand_cases));
    tcase_add_test(table, test_every_list_that_is_named_is_there);
    tcase_add_test(table, test_a_list_is_added_behind_what_is_there);
    tcase_add_loop_test(table, test_the_plan_that_a_line_names, 0, TABLE_LEN(line_cases));
    tcase_add_test(test_case(suite, "ask"), test_a_log_that_is_not_there_offers_nothing);
    return suite;
}
