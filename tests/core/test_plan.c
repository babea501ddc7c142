#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "row_file.h"
#include "str.h"
#include "test_main.h"

enum { MANY_TASKS = 50000 };

#define RUN "\"run\": [\"x\"], \"idempotent\": true"

static struct plan *plan;
static struct violations violations;
static struct str text;
static struct str shown;
static struct rows rows;

static void setup(void)
{
    plan = NULL;
    violations = (struct violations){0};
    text = (struct str){0};
    shown = (struct str){0};
}

static void teardown(void)
{
    plan_free(plan);
    violations_done(&violations);
    str_done(&text);
    str_done(&shown);
}

static bool parse_text(void)
{
    bool ok = plan_parse(str_text(&text), text.len, &plan, &violations);
    violations_display(&violations, &shown);
    ck_assert(ok == (violations.count == 0));
    ck_assert(ok == (plan != NULL));
    return ok;
}

/* Wrapped around the fragments of tests/data/plans/violations.txt. */
static const struct {
    const char *word, *before, *after;
} wraps[] = {
    {"plan", "", ""},
    {"root", "{\"version\": 1, \"idempotent\": true, ",
     ", \"tasks\": [{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"]}]}]}"},
    {"tasks", "{\"version\": 1, \"idempotent\": true, \"tasks\": [", "]}"},
    {"task",
     "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", "
     "\"steps\": [{\"run\": [\"x\"]}], ",
     "}]}"},
    {"steps", "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", \"steps\": [",
     "]}]}"},
    {"policies",
     "{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", "
     "\"steps\": [{\"run\": [\"x\"]}]}], \"policies\": {",
     "}}"},
};

/* The words of wraps[] that the tests below use. */
enum { ROOT = 1, TASKS = 2, STEPS = 4, POLICIES = 5 };

static bool parse_wrapped(int wrap, const char *fragment)
{
    str_addf(&text, "%s%s%s", wraps[wrap].before, fragment, wraps[wrap].after);
    return parse_text();
}

static bool parse_row(const struct row *row)
{
    const size_t len = strcspn(row->input, " ");
    int wrap = 0;
    while (strncmp(wraps[wrap].word, row->input, len) != 0 || wraps[wrap].word[len] != '\0')
        ck_assert_int_lt(++wrap, TABLE_LEN(wraps));
    return parse_wrapped(wrap, row->input + len);
}

START_TEST(test_violations_of_a_plan)
{
    const struct row *row = &rows.items[_i];
    (void)parse_row(row);
    row_check(row, str_text(&shown));
}
END_TEST

START_TEST(test_all_violations_come_in_document_order)
{
    char *json = test_read_file(test_source_path("tests/data/plans/many-violations.json"));
    char *want = test_read_file(test_source_path("tests/data/plans/many-violations.txt"));
    ck_assert_ptr_nonnull(json);
    ck_assert_ptr_nonnull(want);
    str_add(&text, json);
    ck_assert(!parse_text());
    ck_assert_str_eq(str_text(&shown), want);
    free(json);
    free(want);
}
END_TEST

START_TEST(test_violations_before_are_kept)
{
    violations_add(&violations, VIOLATION_INVALID_VALUE, "before", "m", NULL, NULL);
    str_add(&text, "{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [{" RUN "}]}]}");
    ck_assert(plan_parse(text.data, text.len, &plan, &violations));
    ck_assert_uint_eq(violations.count, 1);
}
END_TEST

static const struct {
    const char *name;
    const char *edges; /* "ab": a needs b */
    const char *want;  /* the cycles, one a line */
} cycles[] = {
    {"none", "ab bc ac", ""},
    {"two", "ab ba", "/tasks/0/needs: a -> b -> a\n"},
    {"three, begun late", "cb ba ac", "/tasks/0/needs: a -> c -> b -> a\n"},
    {"two cycles", "ab ba cd dc", "/tasks/0/needs: a -> b -> a\n/tasks/2/needs: c -> d -> c\n"},
    {"with a tail", "ab bc cb de", "/tasks/1/needs: b -> c -> b\n"},
    {"way into it", "ab cb bd db", "/tasks/1/needs: b -> d -> b\n"},
};

static void add_cycle_task(char id, const char *edges)
{
    str_addf(&text, "%s{\"id\": \"%c\", \"steps\": [{" RUN "}], \"needs\": [", id == 'a' ? "" : ",",
             id);
    const char *comma = "";
    for (const char *edge = edges; *edge; edge += edge[2] ? 3 : 2) {
        if (edge[0] == id) {
            str_addf(&text, "%s\"%c\"", comma, edge[1]);
            comma = ", ";
        }
    }
    str_add(&text, "]}");
}

START_TEST(test_cycle_is_named)
{
    struct str got = {0};
    static const char what[] = "tasks need each other in a cycle: ";
    str_add(&text, "{\"version\": 1, \"tasks\": [");
    for (int id = 'a'; id <= 'e'; id++)
        add_cycle_task((char)id, cycles[_i].edges);
    str_add(&text, "]}");
    (void)parse_text();
    for (size_t i = 0; i < violations.count; i++) {
        const struct violation *v = &violations.items[i];
        ck_assert_msg(strncmp(v->message, what, strlen(what)) == 0, "%s", v->message);
        str_addf(&got, "%s: %s\n", v->path, v->message + strlen(what));
    }
    ck_assert_msg(strcmp(str_text(&got), cycles[_i].want) == 0, "%s:\n%s", cycles[_i].name,
                  str_text(&got));
    str_done(&got);
}
END_TEST

static const char full[] =
    "{\"version\": 1, \"name\": \"shop\", \"jobs\": 2, \"idempotent\": true,"
    " \"policies\": {\"patient\": {\"like\": \"transport\", \"max_attempts\": 5,"
    "   \"base_delay_ms\": 1500, \"multiplier\": 1.1, \"cap_ms\": 9000, \"jitter\": 0.25,"
    "   \"retry_on\": [\"persistent\"], \"phases\": [\"RED\", \"REFACTOR\"], \"window\": 4,"
    "   \"same_stops\": 2, \"retry_after_cap_ms\": 7, \"deadline_ms\": 60000}},"
    " \"tasks\": ["
    "  {\"id\": \"cart\", \"title\": \"Carts keep their order\", \"needs\": [\"money\"], "
    "\"steps\": ["
    "    {\"phase\": \"RED\", \"run\": [\"make\", \"cart\"], \"expect\": \"failure\"},"
    "    {\"run\": \"make cart | tee log\", \"shell\": true, \"policy\": \"patient\","
    "     \"timeout_s\": 1.5, \"cwd\": \"..\", \"stdin\": \"in.txt\", \"idempotent\": false,"
    "     \"expect_files\": [{\"path\": \"a/b.md\", \"min_lines\": 3, \"contains\": \"ok\"}, "
    "       {\"path\": \"c\"}],"
    "     \"env\": {\"A\": \"b=c\", \"//\": \"no variable\", \"E\": \"\"}},"
    "    {\"phase\": \"VERIFY\", \"run\": [\"check\", \"\"],"
    "     \"expect\": {\"reason\": [\"test-fail\", \"none\"], \"match\": \"3 failed\"}}]},"
    "  {\"id\": \"money\", \"steps\": [{\"run\": [\"true\"]}]},"
    "  {\"id\": \"mail\", \"needs\": [\"money\", \"cart\"], \"steps\": [{\"run\": [\"true\"]}]}]}";

static void parse_full(void)
{
    str_add(&text, full);
    ck_assert_msg(parse_text(), "%s", str_text(&shown));
}

START_TEST(test_plan_and_tasks_are_read)
{
    parse_full();
    ck_assert_str_eq(plan->name, "shop");
    ck_assert_int_eq(plan->jobs, 2);
    ck_assert(plan->idempotent);
    ck_assert_int_eq(plan->task_count, 3);
    ck_assert_int_eq(plan->step_count, 5);

    const struct plan_task *cart = &plan->tasks[0];
    ck_assert_str_eq(cart->id, "cart");
    ck_assert_str_eq(cart->title, "Carts keep their order");
    ck_assert_int_eq(cart->need_count, 1);
    ck_assert_int_eq(cart->needs[0], 1);
    ck_assert_int_eq(cart->dependent_count, 1);
    ck_assert_int_eq(cart->dependents[0], 2);

    const struct plan_task *money = &plan->tasks[1];
    ck_assert_str_eq(money->title, "money");
    ck_assert_int_eq(money->dependent_count, 2);
    ck_assert_int_eq(money->dependents[0], 0);
    ck_assert_int_eq(money->dependents[1], 2);
}
END_TEST

START_TEST(test_steps_are_read)
{
    parse_full();
    const struct plan_step *steps = plan->tasks[0].steps;
    ck_assert_int_eq((int)steps[0].phase, PHASE_RED);
    ck_assert_str_eq(steps[0].argv[0], "make");
    ck_assert_str_eq(steps[0].argv[1], "cart");
    ck_assert_ptr_null(steps[0].argv[2]);
    ck_assert_int_eq((int)steps[0].expect.what, PLAN_EXPECT_FAILURE);
    ck_assert_uint_eq(steps[0].expect.reasons, 0);
    ck_assert(steps[0].idempotent);
    ck_assert_ptr_eq(steps[0].policy, policy_named(POLICY_DEFAULT));
    ck_assert_int_eq(steps[0].timeout_ms, 0);
    ck_assert_ptr_null(steps[0].cwd);
    ck_assert_ptr_null(steps[0].env);

    ck_assert_int_eq((int)steps[1].phase, PHASE_GREEN);
    ck_assert_str_eq(steps[1].argv[0], "/bin/sh");
    ck_assert_str_eq(steps[1].argv[1], "-c");
    ck_assert_str_eq(steps[1].argv[2], "make cart | tee log");
    ck_assert_ptr_null(steps[1].argv[3]);
    ck_assert_int_eq(steps[1].timeout_ms, 1500);
    ck_assert_str_eq(steps[1].cwd, "..");
    ck_assert_str_eq(steps[1].stdin_path, "in.txt");
    ck_assert_str_eq(steps[1].env[0], "A=b=c");
    ck_assert_str_eq(steps[1].env[1], "E=");
    ck_assert_ptr_null(steps[1].env[2]);
    ck_assert(!steps[1].idempotent);
    ck_assert_ptr_eq(steps[1].policy, &plan->policies[0]);

    ck_assert_int_eq(steps[1].file_count, 2);
    ck_assert_str_eq(steps[1].files[0].path, "a/b.md");
    ck_assert_int_eq(steps[1].files[0].min_lines, 3);
    ck_assert_str_eq(steps[1].files[0].contains, "ok");
    ck_assert_int_eq(steps[1].files[1].min_lines, 0);
    ck_assert_ptr_null(steps[1].files[1].contains);
    ck_assert_ptr_null(steps[0].files);

    ck_assert_str_eq(steps[2].argv[1], "");
    ck_assert_int_eq((int)steps[2].expect.what, PLAN_EXPECT_FAILURE);
    ck_assert_uint_eq(steps[2].expect.reasons, 1U << REASON_TEST_FAIL | 1U << REASON_NONE);
    ck_assert_str_eq(steps[2].expect.match, "3 failed");
}
END_TEST

START_TEST(test_policies_are_read)
{
    parse_full();
    ck_assert_int_eq(plan->policy_count, 1);
    const struct policy *p = &plan->policies[0];
    ck_assert_str_eq(p->name, "patient");
    ck_assert_int_eq(p->max_attempts, 5);
    ck_assert_int_eq(p->base_delay_ms, 1500);
    ck_assert(p->multiplier > 1.0999 && p->multiplier < 1.1001);
    ck_assert_int_eq(p->cap_ms, 9000);
    ck_assert(p->jitter > 0.2499 && p->jitter < 0.2501);
    ck_assert_uint_eq(p->retry_on, POLICY_ON_PERSISTENT);
    ck_assert_uint_eq(p->phases, 1U << PHASE_RED | 1U << PHASE_REFACTOR);
    ck_assert_int_eq(p->window, 4);
    ck_assert_int_eq(p->same_stops, 2);
    ck_assert_int_eq(p->retry_after_cap_ms, 7);
    ck_assert_int_eq(p->deadline_ms, 60000);
}
END_TEST

START_TEST(test_like_takes_every_field_over)
{
    ck_assert(parse_wrapped(POLICIES, "\"p\": {\"max_attempts\": 9, \"like\": \"research\"},"
                                      "\"q\": {\"window\": 0, \"like\": \"p\"}, \"r\": {}"));
    struct policy want = *policy_named("research");
    const struct policy *got = plan->policies;
    ck_assert_int_eq(got[0].max_attempts, 9);
    ck_assert_int_eq(got[0].window, want.window);
    ck_assert_int_eq(got[0].cap_ms, want.cap_ms);
    ck_assert_uint_eq(got[0].phases, want.phases);
    ck_assert_int_eq(got[1].max_attempts, 9);
    ck_assert_int_eq(got[1].window, 0);
    ck_assert_int_eq(got[2].max_attempts, policy_named(POLICY_DEFAULT)->max_attempts);
    ck_assert_str_eq(got[1].name, "q");
}
END_TEST

START_TEST(test_written_plan_is_read_as_the_same)
{
    struct str first = {0};
    struct str second = {0};
    parse_full();
    plan_write(plan, &first);
    struct plan *again = NULL;
    ck_assert(plan_parse(first.data, first.len, &again, &violations));
    plan_write(again, &second);
    ck_assert_str_eq(first.data, second.data);

    ck_assert_str_eq(again->tasks[0].title, plan->tasks[0].title);
    ck_assert_int_eq(again->tasks[2].needs[1], 0);
    const struct plan_step *step = &again->tasks[0].steps[1];
    ck_assert_str_eq(step->argv[2], "make cart | tee log");
    ck_assert_str_eq(step->env[0], "A=b=c");
    ck_assert_int_eq(step->timeout_ms, 1500);
    ck_assert(!step->idempotent);
    ck_assert_ptr_eq(step->policy, &again->policies[0]);
    ck_assert_double_eq(again->policies[0].multiplier, plan->policies[0].multiplier);
    ck_assert_uint_eq(again->tasks[0].steps[2].expect.reasons,
                      plan->tasks[0].steps[2].expect.reasons);
    plan_free(again);
    str_done(&first);
    str_done(&second);
}
END_TEST

START_TEST(test_find)
{
    parse_full();
    ck_assert_int_eq(plan_find(plan, "cart"), 0);
    ck_assert_int_eq(plan_find(plan, "money"), 1);
    ck_assert_int_eq(plan_find(plan, "mail"), 2);
    ck_assert_int_eq(plan_find(plan, ""), -1);
    ck_assert_int_eq(plan_find(plan, "car"), -1);
    ck_assert_int_eq(plan_find(plan, "carts"), -1);
    ck_assert_int_eq(plan_find(plan, "zzz"), -1);
}
END_TEST

/* `link` is added to a task's number, modulo the count, for the one it needs. */
static void add_many_tasks(int link, int first_without)
{
    str_add(&text, "{\"version\": 1, \"idempotent\": true, \"tasks\": [");
    for (int i = 0; i < MANY_TASKS; i++) {
        str_addf(&text, "%s{\"id\":\"t%d\",\"steps\":[{\"run\":[\"true\"]}]", i > 0 ? "," : "", i);
        if (i != first_without)
            str_addf(&text, ",\"needs\":[\"t%d\"]", (i + link) % MANY_TASKS);
        str_add_char(&text, '}');
    }
    str_add(&text, "]}");
}

START_TEST(test_many_tasks_in_a_row)
{
    add_many_tasks(1, MANY_TASKS - 1);
    ck_assert_msg(parse_text(), "%s", str_text(&shown));
    ck_assert_int_eq(plan->task_count, MANY_TASKS);
    ck_assert_int_eq(plan->tasks[0].needs[0], 1);
    ck_assert_int_eq(plan->tasks[MANY_TASKS - 1].dependents[0], MANY_TASKS - 2);
    ck_assert_int_eq(plan_find(plan, "t49998"), 49998);
}
END_TEST

START_TEST(test_many_tasks_in_a_cycle)
{
    add_many_tasks(1, -1);
    ck_assert(!parse_text());
    ck_assert_uint_eq(violations.count, 1);
    ck_assert_str_eq(violations.items[0].message,
                     "tasks need each other in a cycle: t0 -> t1 -> t2 -> t3 -> t4 -> t5 -> t6 -> "
                     "t7 -> t8 -> t9 -> t10 -> t11 -> ... 49988 more ... -> t0");
}
END_TEST

/* n times the same element. */
static void add_times(int n, const char *element)
{
    for (int i = 0; i < n; i++) {
        str_add(&text, i > 0 ? "," : "");
        str_add(&text, element);
    }
}

static const struct {
    const char *before, *element, *after; /* in a list of steps */
    int limit;
    const char *want;
} limits[] = {
    {"", "{" RUN "}", "", PLAN_STEPS_MAX,
     "[INVALID_VALUE] /tasks/0/steps: too many elements (expected 1 to 64 elements, got 65)\n"},
    {"{\"run\": [", "\"x\"", "]}", PLAN_ARGS_MAX,
     "[INVALID_VALUE] /tasks/0/steps/0/run: too many elements (expected 1 to 4096 elements, got "
     "4097)\n"},
};

START_TEST(test_steps_and_words_of_a_command_have_limits)
{
    for (int extra = 0; extra <= 1; extra++) {
        teardown();
        setup();
        str_addf(&text, "%s%s", wraps[STEPS].before, limits[_i].before);
        add_times(limits[_i].limit + extra, limits[_i].element);
        str_addf(&text, "%s%s", limits[_i].after, wraps[STEPS].after);
        ck_assert_msg(parse_text() == (extra == 0), "%s", str_text(&shown));
    }
    ck_assert_str_eq(str_text(&shown), limits[_i].want);
}
END_TEST

START_TEST(test_longest_id)
{
    const bool fits = _i == 0;
    struct str id = {0};
    for (int i = 0; i < PLAN_ID_MAX + _i; i++)
        str_add_char(&id, 'a');
    str_addf(&text, "{\"version\": 1, \"tasks\": [{\"id\": \"%s\", \"steps\": [{" RUN "}]}]}",
             str_text(&id));
    ck_assert(parse_text() == fits);
    if (fits)
        ck_assert_int_eq(plan_find(plan, str_text(&id)), 0);
    str_done(&id);
}
END_TEST

START_TEST(test_too_many_policies)
{
    str_add(&text, wraps[POLICIES].before);
    for (int i = 0; i <= PLAN_POLICIES_MAX; i++)
        str_addf(&text, "%s\"p%d\": {}", i > 0 ? ", " : "", i);
    str_add(&text, wraps[POLICIES].after);
    ck_assert(!parse_text());
    ck_assert_str_eq(
        str_text(&shown),
        "[INVALID_VALUE] /policies: too many policies (expected at most 64, got more)\n");
}
END_TEST

START_TEST(test_hundreds_of_violations_are_counted)
{
    str_add(&text, "{\"version\": 1, \"tasks\": [");
    add_times(VIOLATIONS_MAX + 7, "1");
    str_add(&text, "]}");
    ck_assert(!parse_text());
    ck_assert_uint_eq(violations.count, VIOLATIONS_MAX);
    ck_assert_uint_eq(violations.dropped, 7);
}
END_TEST

static const struct {
    const char *task;
    const char *want; /* ids in the order of the plan */
} parts[] = {
    {"a", "a"}, {"b", "ab"}, {"c", "ac"}, {"d", "abcd"}, {"e", "e"},
};

START_TEST(test_one_task_and_what_it_needs)
{
    struct plan *part = NULL;
    ck_assert(parse_wrapped(TASKS,
                            "{\"id\": \"a\", \"steps\": [{" RUN "}]},"
                            "{\"id\": \"b\", \"needs\": [\"a\"], \"steps\": [{" RUN "}]},"
                            "{\"id\": \"c\", \"needs\": [\"a\"], \"steps\": [{" RUN "}]},"
                            "{\"id\": \"d\", \"needs\": [\"b\", \"c\"], \"steps\": [{" RUN "}]},"
                            "{\"id\": \"e\", \"steps\": [{" RUN "}]}"));
    ck_assert(plan_only(plan, parts[_i].task, &part, NULL));
    ck_assert_int_eq(part->task_count, (int)strlen(parts[_i].want));
    for (int i = 0; i < part->task_count; i++)
        ck_assert_int_eq(part->tasks[i].id[0], parts[_i].want[i]);
    plan_free(part);
}
END_TEST

START_TEST(test_part_of_a_plan_that_is_not_in_it)
{
    struct plan *part = NULL;
    struct err err = {0};
    ck_assert(parse_wrapped(ROOT, "\"name\": \"n\""));
    ck_assert(!plan_only(plan, "z", &part, &err));
    ck_assert_int_eq((int)err.code, ERR_NOT_FOUND);
    ck_assert_str_eq(err.message, "no task 'z' in this plan");
    ck_assert_ptr_null(part);
}
END_TEST

static char word_make[] = "make";
static char word_check[] = "check all";
static char *const command[] = {word_make, word_check, NULL};

/* A command that plan_parse() could not read back is refused. */
START_TEST(test_command_without_a_name_or_with_too_much)
{
    static char *many[PLAN_ARGS_MAX + 2];
    static char long_word[PLAN_TEXT_MAX + 2];
    char word[] = "x";
    char empty[] = "";
    for (int i = 0; i <= PLAN_ARGS_MAX; i++)
        many[i] = word;
    memset(long_word, 'x', sizeof(long_word) - 1);
    char *const nothing[] = {empty, NULL};
    char *const too_long[] = {word, long_word, NULL};
    char *const *const commands[] = {nothing, too_long, many};
    struct plan_exec exec = {.argv = commands[_i], .policy = policy_named(POLICY_DEFAULT)};
    struct err err = {0};
    struct plan *made = NULL;
    ck_assert(!plan_for_command(&exec, &made, &err));
    ck_assert_ptr_null(made);
}
END_TEST

START_TEST(test_plan_for_command)
{
    struct plan_exec exec = {
        .argv = command,
        .phase = PHASE_VERIFY,
        .policy = policy_named(POLICY_DEFAULT),
        .timeout_ms = 2500,
        .idempotent = true,
    };
    ck_assert(plan_for_command(&exec, &plan, NULL));
    ck_assert_str_eq(plan->name, "exec");
    ck_assert_int_eq(plan->task_count, 1);
    ck_assert_int_eq(plan->step_count, 1);
    ck_assert_int_eq(plan_find(plan, "exec"), 0);
    ck_assert_str_eq(plan->tasks[0].title, "make check all");
    const struct plan_step *step = &plan->tasks[0].steps[0];
    ck_assert_str_eq(step->argv[1], "check all");
    ck_assert_ptr_ne(step->argv[1], word_check);
    ck_assert_ptr_null(step->argv[2]);
    ck_assert_int_eq((int)step->phase, PHASE_VERIFY);
    ck_assert_int_eq(step->timeout_ms, 2500);
    ck_assert_ptr_eq(step->policy, policy_named(POLICY_DEFAULT));
}
END_TEST

/* By phase: RED is not tried again by the default policy, the others are or not. */
START_TEST(test_plan_of_a_command_survives_writing)
{
    struct policy once = *policy_named(POLICY_DEFAULT);
    (void)memcpy(once.name, "once", sizeof("once"));
    once.max_attempts = 1;
    struct plan_exec exec = {.argv = command, .phase = (enum phase)(_i / 2)};
    exec.policy = _i % 2 == 0 ? &once : policy_named(POLICY_DEFAULT);
    struct plan *made = NULL;
    ck_assert(plan_for_command(&exec, &made, NULL));
    plan_write(made, &text);
    ck_assert_msg(parse_text(), "%s", str_text(&shown));
    const struct plan_step *step = &plan->tasks[0].steps[0];
    ck_assert_str_eq(step->policy->name, exec.policy->name);
    ck_assert_int_eq(step->policy->max_attempts, exec.policy->max_attempts);
    ck_assert(step->idempotent == made->tasks[0].steps[0].idempotent);
    ck_assert_str_eq(step->argv[1], "check all");
    plan_free(made);
}
END_TEST

START_TEST(test_long_command_gets_a_short_title)
{
    static char word[400];
    char *argv[] = {word, NULL};
    word[0] = 'x';
    for (size_t i = 1; i + 2 < sizeof(word); i += 2)
        memcpy(&word[i], "\303\251", 3); /* two bytes each, so a cut at 120 is in the middle */
    struct plan_exec exec = {.argv = argv, .policy = policy_named(POLICY_DEFAULT)};
    ck_assert(plan_for_command(&exec, &plan, NULL));
    ck_assert_uint_eq(strlen(plan->tasks[0].title), 119);
}
END_TEST

Suite *test_suite(void)
{
    rows = rows_read("plans/violations.txt");
    Suite *suite = suite_create("plan");
    TCase *reading = test_case(suite, "reading");
    tcase_add_checked_fixture(reading, setup, teardown);
    tcase_add_test(reading, test_plan_and_tasks_are_read);
    tcase_add_test(reading, test_steps_are_read);
    tcase_add_test(reading, test_policies_are_read);
    tcase_add_test(reading, test_like_takes_every_field_over);
    tcase_add_test(reading, test_find);
    tcase_add_loop_test(reading, test_one_task_and_what_it_needs, 0, TABLE_LEN(parts));
    tcase_add_test(reading, test_part_of_a_plan_that_is_not_in_it);
    TCase *violating = test_case(suite, "violations");
    tcase_add_checked_fixture(violating, setup, teardown);
    tcase_add_loop_test(violating, test_violations_of_a_plan, 0, rows.count);
    tcase_add_test(violating, test_all_violations_come_in_document_order);
    tcase_add_test(violating, test_violations_before_are_kept);
    tcase_add_loop_test(violating, test_cycle_is_named, 0, TABLE_LEN(cycles));
    TCase *limiting = test_case(suite, "limits");
    tcase_add_checked_fixture(limiting, setup, teardown);
    tcase_add_loop_test(limiting, test_steps_and_words_of_a_command_have_limits, 0,
                        TABLE_LEN(limits));
    tcase_add_loop_test(limiting, test_longest_id, 0, 2);
    tcase_add_test(limiting, test_too_many_policies);
    tcase_add_test(limiting, test_hundreds_of_violations_are_counted);
    tcase_add_test(limiting, test_many_tasks_in_a_row);
    tcase_add_test(limiting, test_many_tasks_in_a_cycle);
    TCase *writing = test_case(suite, "writing");
    tcase_add_checked_fixture(writing, setup, teardown);
    tcase_add_test(writing, test_written_plan_is_read_as_the_same);
    tcase_add_test(writing, test_plan_for_command);
    tcase_add_loop_test(writing, test_command_without_a_name_or_with_too_much, 0, 3);
    tcase_add_loop_test(writing, test_plan_of_a_command_survives_writing, 0, 2 * PHASE_COUNT);
    tcase_add_test(writing, test_long_command_gets_a_short_title);
    return suite;
}
