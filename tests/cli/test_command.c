#include "command.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "completion.h"
#include "schema_words.h"
#include "str.h"
#include "target.h"
#include "test_main.h"

static bool flag_seen;
static const char *value_seen;

static const struct option_spec specs[] = {
    {"flag", 'f', NULL, "a flag", &flag_seen, NULL},
    {"value", 'v', "V", "a value", NULL, &value_seen},
};
static const struct options any_order = {.specs = specs, .count = 2};
static const struct options exec_like = {.specs = specs, .count = 2, .rest_after_first = true};

enum { ARGS_MAX = 6 };

static const struct {
    const char *name;
    bool like_exec;             /* the first operand ends the options */
    const char *argv[ARGS_MAX]; /* up to the first NULL */
    const char *operands;       /* joined by blanks; NULL = an error */
    bool flag;
    const char *value;
} option_lines[] = {
    {"nothing", .operands = ""},
    {"long", .argv = {"--flag", "--value", "x", "a"}, .operands = "a", .flag = true, .value = "x"},
    {"long with =", .argv = {"a", "--value=x"}, .operands = "a", .value = "x"},
    {"letters", .argv = {"-f", "-v", "x"}, .operands = "", .flag = true, .value = "x"},
    {"letter with its value", .argv = {"-vx", "a"}, .operands = "a", .value = "x"},
    {"after --", .argv = {"--", "--flag", "-v"}, .operands = "--flag -v"},
    {"a lone dash is an operand", .argv = {"-"}, .operands = "-"},
    {"a number below 0 is an operand", .argv = {"-1", "-f"}, .operands = "-1", .flag = true},
    {"the first operand ends the options", .like_exec = true, .argv = {"-f", "ls", "-v"},
     .operands = "ls -v", .flag = true},
    {"-- before the command", .like_exec = true, .argv = {"--", "ls", "--flag"},
     .operands = "ls --flag"},
    {"unknown", .argv = {"--frob"}},
    {"unknown letter", .argv = {"-x"}},
    {"no value", .argv = {"--value"}},
    {"a value for a flag", .argv = {"--flag=1"}},
};

START_TEST(test_options)
{
    char words[ARGS_MAX][32];
    char *argv[ARGS_MAX + 1] = {0};
    int argc = 0;
    for (; argc < ARGS_MAX && option_lines[_i].argv[argc]; argc++) {
        memset(words[argc], 0, sizeof(words[argc]));
        memcpy(words[argc], option_lines[_i].argv[argc], strlen(option_lines[_i].argv[argc]));
        argv[argc] = words[argc];
    }
    flag_seen = false;
    value_seen = NULL;
    int count = 0;
    struct err err = {0};
    bool ok = options_parse(option_lines[_i].like_exec ? &exec_like : &any_order, argc, argv,
                            &count, &err);
    ck_assert_msg(ok == (option_lines[_i].operands != NULL), "%s: %s", option_lines[_i].name,
                  err.message);
    if (!ok)
        return;
    struct str joined = {0};
    for (int i = 0; i < count; i++)
        str_addf(&joined, "%s%s", i > 0 ? " " : "", argv[i]);
    ck_assert_msg(strcmp(str_text(&joined), option_lines[_i].operands) == 0, "%s: '%s'",
                  option_lines[_i].name, str_text(&joined));
    str_done(&joined);
    ck_assert_int_eq(flag_seen, option_lines[_i].flag);
    ck_assert_pstr_eq(value_seen, option_lines[_i].value);
}
END_TEST

START_TEST(test_an_option_with_dots_may_be_said_again)
{
    struct option_words list = {0};
    const struct option_spec repeated[] = {{"task", 't', "T...", "a task", NULL, list.words}};
    const struct options options = {.specs = repeated, .count = 1};
    char one[] = "--task=a", letter[] = "-t", two[] = "b";
    char *argv[] = {one, letter, two};
    int count = 0;
    struct err err = {0};
    ck_assert(options_parse(&options, (int)ARRAY_LEN(argv), argv, &count, &err));
    ck_assert_str_eq(list.words[0], "a");
    ck_assert_str_eq(list.words[1], "b");
    ck_assert_ptr_null(list.words[2]);

    char *many[OPTION_WORDS_MAX];
    for (size_t i = 0; i < ARRAY_LEN(many); i++)
        many[i] = one;
    ck_assert(!options_parse(&options, (int)ARRAY_LEN(many), many, &count, &err));
    ck_assert_str_eq(err.message, "--task is given more than 16 times");
    ck_assert_ptr_null(list.words[OPTION_WORDS_MAX]);
}
END_TEST

static const struct {
    const char *word;
    bool ok;
    int64_t run;
    const char *task;
    bool is_newest;
} targets[] = {
    {"41", true, 41, "", false},
    {"#41", true, 41, "", false},
    {"41/tax", true, 41, "tax", false},
    {"#41/tax", true, 41, "tax", false},
    {"tax", true, 0, "tax", false},
    {"T-1.b_c", true, 0, "T-1.b_c", false},
    {"last/tax", true, 0, "tax", true},
    {"last", true, 0, "last", false}, /* a task may be called so */
    {"last/", false, 0, "", false},
    {"lasts/tax", false, 0, "", false},
    {"", false, 0, "", false},
    {"#", false, 0, "", false},
    {"41/", false, 0, "", false},
    {"/tax", false, 0, "", false},
    {"x/tax", false, 0, "", false},
    {"0", false, 0, "", false},
    {"99999999999999999999", false, 0, "", false},
};

START_TEST(test_target)
{
    struct target target = {0};
    struct err err = {0};
    bool ok = target_parse(targets[_i].word, &target, &err);
    ck_assert_msg(ok == targets[_i].ok, "%s: %s", targets[_i].word, err.message);
    if (!ok)
        return;
    ck_assert_int_eq(target.run, targets[_i].run);
    ck_assert_str_eq(target.task, targets[_i].task);
    ck_assert_int_eq(target.is_newest, targets[_i].is_newest);
}
END_TEST

static const struct {
    const char *word;
    bool ok;
    int64_t run;
} run_cases[] = {
    {NULL, true, 0},      {"last", true, 0}, {"41", true, 41}, {"#41", true, 41},
    {"41/tax", false, 0}, {"tax", false, 0}, {"", false, 0},   {"0", false, 0},
};

START_TEST(test_run)
{
    int64_t run = -1;
    struct err err = {0};
    bool ok = target_parse_run(run_cases[_i].word, "say 41", &run, &err);
    ck_assert_msg(ok == run_cases[_i].ok, "%s: %s", run_cases[_i].word, err.message);
    ck_assert_int_eq(run, ok ? run_cases[_i].run : -1);
    ck_assert(!run_cases[_i].word || target_names_run(run_cases[_i].word) == ok);
}
END_TEST

START_TEST(test_unknown_task_has_a_hint)
{
    static const char text[] =
        "{\"version\":1,\"tasks\":[{\"id\":\"tax\",\"steps\":[{\"phase\":\"RED\","
        "\"run\":[\"x\"]}]}]}";
    struct plan *plan = NULL;
    struct violations violations = {0};
    ck_assert(plan_parse(text, strlen(text), &plan, &violations));
    struct target target = {.run = 1, .task = "tex"};
    struct err err = {0};
    int task = 0;
    ck_assert(!target_task(&target, plan, &task, &err));
    ck_assert_int_eq(err.code, ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.hint, "tax"));
    plan_free(plan);
}
END_TEST

#define TASK(id) "{\"id\":\"" id "\",\"steps\":[{\"phase\":\"RED\",\"run\":[\"x\"]}]}"

static const struct {
    const char *word, *tasks; /* JSON, between brackets */
    enum err_code code;
    int task; /* -1: none */
} only_cases[] = {
    {"1", TASK("tax"), ERR_NONE, 0},
    {"last", TASK("tax"), ERR_NONE, 0},
    {"last", TASK("tax") "," TASK("last"), ERR_NONE, 1},
    {"last", TASK("tax") "," TASK("net"), ERR_INVALID, -1},
    {"1/last", TASK("tax"), ERR_NOT_FOUND, -1},
    {"last/last", TASK("tax"), ERR_NOT_FOUND, -1},
    {"net", TASK("tax"), ERR_NOT_FOUND, -1},
};

START_TEST(test_a_run_of_one_task_needs_no_task_name)
{
    struct str text = {0};
    struct plan *plan = NULL;
    struct violations violations = {0};
    struct target target;
    struct err err = {0};
    int task = -1;
    str_addf(&text, "{\"version\":1,\"tasks\":[%s]}", only_cases[_i].tasks);
    ck_assert(plan_parse(str_text(&text), text.len, &plan, &violations));
    ck_assert(target_parse(only_cases[_i].word, &target, &err));
    const bool ok = target_only_task(&target, plan, "why", &task, &err);
    ck_assert_int_eq(ok, only_cases[_i].code == ERR_NONE);
    ck_assert_int_eq(err.code, only_cases[_i].code);
    ck_assert_int_eq(task, only_cases[_i].task);
    plan_free(plan);
    str_done(&text);
}
END_TEST

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

START_TEST(test_every_command_lists_its_options)
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

START_TEST(test_a_group_of_the_help_is_in_one_place)
{
    const struct command *before = command_at(0);
    ck_assert_int_eq(before->group, 0);
    for (size_t i = 1; command_at(i); i++) {
        const int step = (int)command_at(i)->group - (int)before->group;
        ck_assert_msg(step == 0 || step == 1, "%s is not in its group", command_at(i)->name);
        before = command_at(i);
    }
    ck_assert_int_eq(before->group, COMMAND_GROUP_COUNT - 1);
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
    {"replay", "kind", COMPLETION_FIXED, "kind"},
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
    {"debug", "RUN=5+"}, /* --MODE stands for one of its flags */
    {"replay", "RUN=5+"},
    {"verify", "RUN=5+"},
    {"what-if", "POLICY.json=1 RUN=5+"},
    {"validate", "FILE|-=1"},
    {"hook", "install|uninstall|status=4"},
    {"plan-phase", "N=0"},
    {"help", "NAME|all=4"},
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

START_TEST(test_a_list_is_appended)
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

static const struct {
    const char *name, *schema, *wanted;
} schemas[] = {
    {"nothing", "{\"type\":\"object\"}", ""},
    {"numbers",
     "{\"properties\":{\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,"
     "\"description\":\"How many.\"},"
     "\"m\":{\"type\":\"number\",\"exclusiveMinimum\":0,\"maximum\":0.5,\"description\":\"A.\"}}}",
     "n\n    integer, 1 to 9\n    How many.\n"
     "\nm\n    number, above 0, at most 0.5\n    A.\n"},
    {"choices",
     "{\"properties\":{\"k\":{\"enum\":[\"a\",\"b\",3],\"description\":\"One.\"},"
     "\"s\":{\"type\":[\"string\",\"object\"],\"if\":{\"type\":\"string\"},"
     "\"then\":{\"enum\":[\"x\",\"y\"]},\"description\":\"Two.\"},"
     "\"v\":{\"anyOf\":[true],\"description\":\"Three.\"}}}",
     "k\n    \"a\", \"b\" or 3\n    One.\n"
     "\ns\n    string or object; a string is \"x\" or \"y\"\n    Two.\n"
     "\nv\n    one of several kinds\n    Three.\n"},
    {"lists",
     "{\"properties\":{\"l\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"string\","
     "\"maxLength\":5},\"description\":\"L.\"},"
     "\"r\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"description\":\"Each.\","
     "\"properties\":{\"x\":{\"type\":\"boolean\",\"description\":\"X.\"}}},"
     "\"description\":\"R.\"}}}",
     "l\n    array, at most 2 values, each string, at most 5 characters\n    L.\n"
     "\nr\n    array\n    R.\n"
     "\nr[]\n    object\n    Each.\n"
     "\nr[].x\n    boolean\n    X.\n"},
    {"names",
     "{\"properties\":{\"p\":{\"type\":\"object\",\"maxProperties\":64,\"description\":\"P.\","
     "\"additionalProperties\":{\"$ref\":\"#/$defs/q\"}},"
     "\"own\":{\"$ref\":\"#/$defs/q\"}},"
     "\"$defs\":{\"q\":{\"type\":\"object\",\"description\":\"Q.\","
     "\"properties\":{\"a\":{\"type\":\"string\",\"description\":\"A.\"}}}}}",
     "p\n    object, at most 64 names\n    P.\n"
     "\np.NAME\n    object\n    Q.\n"
     "\np.NAME.a\n    string\n    A.\n"
     "\nown\n    object\n    Q.\n    It has the same keys as p.NAME.\n"},
    {"a definition that holds itself",
     "{\"properties\":{\"t\":{\"$ref\":\"#/$defs/t\"}},"
     "\"$defs\":{\"t\":{\"type\":\"object\",\"description\":\"T.\","
     "\"properties\":{\"t\":{\"$ref\":\"#/$defs/t\"}}}}}",
     "t\n    object\n    T.\n"
     "\nt.t\n    object\n    T.\n    It has the same keys as t.\n"},
};

START_TEST(test_schema)
{
    struct str out = {0};
    schema_words(schemas[_i].schema, &out);
    ck_assert_msg(strcmp(str_text(&out), schemas[_i].wanted) == 0, "%s: %s", schemas[_i].name,
                  str_text(&out));
    str_done(&out);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("command");
    TCase *parse_cases = test_case(suite, "parse");
    tcase_add_loop_test(parse_cases, test_options, 0, TABLE_LEN(option_lines));
    tcase_add_test(parse_cases, test_an_option_with_dots_may_be_said_again);
    TCase *target_cases = test_case(suite, "target");
    tcase_add_loop_test(target_cases, test_target, 0, TABLE_LEN(targets));
    tcase_add_loop_test(target_cases, test_run, 0, TABLE_LEN(run_cases));
    tcase_add_test(target_cases, test_unknown_task_has_a_hint);
    tcase_add_loop_test(target_cases, test_a_run_of_one_task_needs_no_task_name, 0,
                        TABLE_LEN(only_cases));
    TCase *table = test_case(suite, "table");
    tcase_add_test(table, test_every_command_lists_its_options);
    tcase_add_test(table, test_a_group_of_the_help_is_in_one_place);
    tcase_add_loop_test(table, test_option, 0, TABLE_LEN(option_cases));
    tcase_add_loop_test(table, test_operands_are_those_of_the_usage, 0, TABLE_LEN(operand_cases));
    tcase_add_test(table, test_every_list_that_is_named_is_there);
    tcase_add_test(table, test_a_list_is_appended);
    tcase_add_loop_test(table, test_the_plan_that_a_line_names, 0, TABLE_LEN(line_cases));
    tcase_add_test(test_case(suite, "ask"), test_a_log_that_is_not_there_offers_nothing);
    tcase_add_loop_test(test_case(suite, "words"), test_schema, 0, TABLE_LEN(schemas));
    return suite;
}
