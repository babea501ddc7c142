#include "plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "attr.h"
#include "str.h"
#include "test_main.h"

enum { MANY_TASKS = 50000 };

static struct plan *plan;
static struct violations violations;
static struct str text;
static struct str shown;

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

/* What a fragment of a table row is put into. */
enum wrap { WHOLE, ROOT, TASKS, TASK, STEP, POLICY, WRAP_COUNT };

static const struct {
    const char *before;
    const char *after;
} wraps[] = {
    [WHOLE] = {"", ""},
    [ROOT] = {"{\"version\": 1, \"idempotent\": true, ",
              ", \"tasks\": [{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"]}]}]}"},
    [TASKS] = {"{\"version\": 1, \"idempotent\": true, \"tasks\": [", "]}"},
    [TASK] = {"{\"version\": 1, \"idempotent\": true, \"tasks\": "
              "[{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"]}], ",
              "}]}"},
    [STEP] = {"{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [", "]}]}"},
    [POLICY] = {"{\"version\": 1, \"idempotent\": true, \"tasks\": [{\"id\": \"a\", "
                "\"steps\": [{\"run\": [\"x\"]}]}], \"policies\": {",
                "}}"},
};
static_assert(ARRAY_LEN(wraps) == WRAP_COUNT, "every wrap has its text");

static bool parse_wrapped(enum wrap wrap, const char *fragment)
{
    str_add(&text, wraps[wrap].before);
    str_add(&text, fragment);
    str_add(&text, wraps[wrap].after);
    return parse_text();
}

#define SAFE "\"idempotent\": true"
#define RUN  "\"run\": [\"x\"], " SAFE

static const struct {
    const char *name;
    enum wrap wrap;
    const char *fragment;
    const char *want; /* all violations as displayed */
} bad[] = {
    {"empty", WHOLE, "", "[NOT_JSON] (root): line 1, column 1: "},
    {"syntax", WHOLE, "{\"version\": 1,\n \"tasks\" []}", "[NOT_JSON] (root): line 2, column 10: "},
    {"trailing", WHOLE, "{}\n x", "[NOT_JSON] (root): line 2, column 2: "},
    {"array", WHOLE, "[]", "[NOT_OBJECT] (root): must be an object (expected object, got array)\n"},
    {"nothing in it", WHOLE, "{}",
     "[MISSING_FIELD] /version: required (expected integer, got nothing)\n"
     "[MISSING_FIELD] /tasks: required (expected array, got nothing)\n"},
    {"version 2", WHOLE, "{\"version\": 2, \"tasks\": [{\"id\": \"a\", \"steps\": [{" RUN "}]}]}",
     "[INVALID_VALUE] /version: not allowed (expected 1, the only version of the plan format, got "
     "2)\n"},
    {"version text", WHOLE,
     "{\"version\": \"1\", \"tasks\": [{\"id\": \"a\", \"steps\": [{" RUN "}]}]}",
     "[WRONG_TYPE] /version: wrong type (expected integer, got \"1\")\n"},
    {"no tasks", TASKS, "",
     "[INVALID_VALUE] /tasks: too few elements (expected at least 1 element, got 0)\n"},
    {"tasks are no list", WHOLE, "{\"version\": 1, \"tasks\": {}}",
     "[WRONG_TYPE] /tasks: wrong type (expected array, got object)\n"},
    {"unknown key", ROOT, "\"color\": 1", "[INVALID_VALUE] /color: unknown key\n"},
    {"near key", ROOT, "\"polices\": 1",
     "[INVALID_VALUE] /polices: unknown key, did you mean \"policies\"?\n"},
    {"odd key", ROOT, "\"a b\": 1", "[INVALID_VALUE] /a b: unknown key\n"},
    {"empty name", ROOT, "\"name\": \"\"",
     "[INVALID_VALUE] /name: too short (expected 1 to 200 characters, got 0)\n"},
    {"name type", ROOT, "\"name\": 3", "[WRONG_TYPE] /name: wrong type (expected string, got 3)\n"},
    {"name with U+0000", ROOT, "\"name\": \"a\\u0000b\"",
     "[INVALID_VALUE] /name: U+0000 is not allowed in a string\n"},
    {"word with U+0000", STEP, "{\"run\": [\"x\", \"\\u0000\"], " SAFE "}",
     "[INVALID_VALUE] /tasks/0/steps/0/run/1: U+0000 is not allowed in a string\n"},
    {"name of a contract with U+0000", STEP, "{\"contract\": \"a\\u0000\", " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/contract: U+0000 is not allowed in a string\n"},
    {"jobs without end", ROOT, "\"jobs\": 18446744073709551615",
     "[INVALID_VALUE] /jobs: too large (expected 1 to 256, got 1.8446744073709552e19)\n"},
    {"jobs 0", ROOT, "\"jobs\": 0",
     "[INVALID_VALUE] /jobs: too small (expected 1 to 256, got 0)\n"},
    {"jobs 257", ROOT, "\"jobs\": 257",
     "[INVALID_VALUE] /jobs: too large (expected 1 to 256, got 257)\n"},
    {"jobs 1.5", ROOT, "\"jobs\": 1.5",
     "[WRONG_TYPE] /jobs: wrong type (expected integer, got 1.5)\n"},
    {"workspace unknown", ROOT, "\"workspace\": \"moon\"",
     "[INVALID_VALUE] /workspace: not one of the allowed values (expected \"inplace\", "
     "\"worktree\" or \"copy\", got \"moon\")\n"},
    {"sandbox type", ROOT, "\"sandbox\": 1",
     "[WRONG_TYPE] /sandbox: wrong type (expected object or string, got 1)\n"},
    {"idempotent type", WHOLE,
     "{\"version\": 1, \"idempotent\": 1, \"tasks\": [{\"id\": \"a\", \"steps\": [{\"run\": "
     "[\"x\"]}]}]}",
     "[WRONG_TYPE] /idempotent: wrong type (expected boolean, got 1)\n"},
    {"task type", TASKS, "7", "[WRONG_TYPE] /tasks/0: wrong type (expected object, got 7)\n"},
    {"empty task", TASKS, "{}",
     "[MISSING_FIELD] /tasks/0/id: required (expected string, got nothing)\n"
     "[MISSING_FIELD] /tasks/0/steps: required (expected array, got nothing)\n"},
    {"id type", TASKS, "{\"id\": 1, \"steps\": [{\"run\": [\"x\"]}]}",
     "[WRONG_TYPE] /tasks/0/id: wrong type (expected string, got 1)\n"},
    {"id begins badly", TASKS, "{\"id\": \"-a\", \"steps\": [{\"run\": [\"x\"]}]}",
     "[INVALID_VALUE] /tasks/0/id: does not match the pattern (expected 1 to 64 letters, digits, "
     "'.', '_' or '-', a letter or digit first, got \"-a\")\n"},
    {"id with a slash", TASKS, "{\"id\": \"a/b\", \"steps\": [{\"run\": [\"x\"]}]}",
     "[INVALID_VALUE] /tasks/0/id: does not match the pattern (expected 1 to 64 letters, digits, "
     "'.', '_' or '-', a letter or digit first, got \"a/b\")\n"},
    {"same id", TASKS,
     "{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"]}]}, "
     "{\"id\": \"b\", \"steps\": [{\"run\": [\"x\"]}]}, "
     "{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"]}]}",
     "[INVALID_VALUE] /tasks/2/id: the id \"a\" is taken by /tasks/0\n"},
    {"needs itself", TASK, "\"needs\": [\"a\"]",
     "[INVALID_VALUE] /tasks/0/needs/0: a task cannot need itself\n"},
    {"unknown need", TASK, "\"needs\": [\"lexer\"]",
     "[INVALID_VALUE] /tasks/0/needs/0: unknown task \"lexer\"\n"},
    {"misspelt need", TASKS,
     "{\"id\": \"lexer\", \"steps\": [{\"run\": [\"x\"]}]}, "
     "{\"id\": \"tax\", \"needs\": [\"lexr\"], \"steps\": [{\"run\": [\"x\"]}]}",
     "[INVALID_VALUE] /tasks/1/needs/0: unknown task \"lexr\", did you mean \"lexer\"?\n"},
    {"needed twice", TASKS,
     "{\"id\": \"a\", \"steps\": [{\"run\": [\"x\"]}]}, "
     "{\"id\": \"b\", \"needs\": [\"a\", \"a\"], \"steps\": [{\"run\": [\"x\"]}]}",
     "[INVALID_VALUE] /tasks/1/needs/1: is listed twice\n"},
    {"need type", TASK, "\"needs\": [3]",
     "[WRONG_TYPE] /tasks/0/needs/0: wrong type (expected string, got 3)\n"},
    {"needs type", TASK, "\"needs\": \"b\"",
     "[WRONG_TYPE] /tasks/0/needs: wrong type (expected array, got \"b\")\n"},
    {"rounds", TASK, "\"rounds\": 5",
     "[INVALID_VALUE] /tasks/0/rounds: allowed only in a task with an \"agent\" step\n"},
    {"empty title", TASK, "\"title\": \"\"",
     "[INVALID_VALUE] /tasks/0/title: too short (expected 1 to 200 characters, got 0)\n"},
    {"no steps", STEP, "",
     "[INVALID_VALUE] /tasks/0/steps: too few elements (expected 1 to 64 elements, got 0)\n"},
    {"step type", STEP, "\"make\"",
     "[WRONG_TYPE] /tasks/0/steps/0: wrong type (expected object, got \"make\")\n"},
    {"no run", STEP, "{" SAFE "}",
     "[MISSING_FIELD] /tasks/0/steps/0/run: required (expected array or string, got nothing)\n"},
    {"run without shell", STEP, "{\"run\": \"make\", " SAFE "}",
     "[WRONG_TYPE] /tasks/0/steps/0/run: a command in one string needs \"shell\": true "
     "(expected array of strings, got string)\n"},
    {"run with shell false", STEP, "{\"run\": \"make\", \"shell\": false, " SAFE "}",
     "[WRONG_TYPE] /tasks/0/steps/0/run: a command in one string needs \"shell\": true "
     "(expected array of strings, got string)\n"},
    {"shell with a list", STEP, "{\"run\": [\"make\"], \"shell\": true, " SAFE "}",
     "[WRONG_TYPE] /tasks/0/steps/0/run: wrong type (expected string, as \"shell\" is true, got "
     "array)\n"},
    {"shell type", STEP, "{\"run\": \"make\", \"shell\": 1, " SAFE "}",
     "[WRONG_TYPE] /tasks/0/steps/0/shell: wrong type (expected boolean, got 1)\n"},
    {"empty run", STEP, "{\"run\": [], " SAFE "}",
     "[INVALID_VALUE] /tasks/0/steps/0/run: too few elements (expected 1 to 4096 elements, got "
     "0)\n"},
    {"empty program", STEP, "{\"run\": [\"\"], " SAFE "}",
     "[INVALID_VALUE] /tasks/0/steps/0/run/0: too short (expected at least 1 character, got 0)\n"},
    {"word type", STEP, "{\"run\": [\"x\", 4], " SAFE "}",
     "[WRONG_TYPE] /tasks/0/steps/0/run/1: wrong type (expected string, got 4)\n"},
    {"phase in small letters", STEP, "{\"phase\": \"red\", " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/phase: not one of the allowed values, did you mean \"RED\"? "
     "(expected \"RED\", \"GREEN\", \"VERIFY\" or \"REFACTOR\", got \"red\")\n"},
    {"phase type", STEP, "{\"phase\": 1, " RUN "}",
     "[WRONG_TYPE] /tasks/0/steps/0/phase: wrong type (expected string, got 1)\n"},
    {"phases go back", STEP, "{\"phase\": \"VERIFY\", " RUN "}, {" RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/1/phase: the phases of a task may repeat but not go back "
     "(expected VERIFY or later, got GREEN)\n"},
    {"back from the last", STEP,
     "{\"phase\": \"REFACTOR\", " RUN "}, {\"phase\": \"RED\", " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/1/phase: the phases of a task may repeat but not go back "
     "(expected REFACTOR, got RED)\n"},
    {"cwd", STEP, "{\"cwd\": \"\", " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/cwd: too short (expected 1 to 131072 characters, got 0)\n"},
    {"stdin", STEP, "{\"stdin\": null, " RUN "}",
     "[WRONG_TYPE] /tasks/0/steps/0/stdin: wrong type (expected string, got null)\n"},
    {"env type", STEP, "{\"env\": [\"A=B\"], " RUN "}",
     "[WRONG_TYPE] /tasks/0/steps/0/env: wrong type (expected object, got array)\n"},
    {"env names and values", STEP, "{\"env\": {\"\": \"x\", \"A=B\": \"x\", \"C\": 1}, " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/env/: the name is not allowed (expected a name that "
     "is not empty and has no '=', got \"\")\n"
     "[INVALID_VALUE] /tasks/0/steps/0/env/A=B: the name is not allowed (expected a name that "
     "is not empty and has no '=', got \"A=B\")\n"
     "[WRONG_TYPE] /tasks/0/steps/0/env/C: wrong type (expected string, got 1)\n"},
    {"timeout 0", STEP, "{\"timeout_s\": 0, " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/timeout_s: too small (expected 0.001 to 2592000, got 0)\n"},
    {"timeout type", STEP, "{\"timeout_s\": \"5\", " RUN "}",
     "[WRONG_TYPE] /tasks/0/steps/0/timeout_s: wrong type (expected number, got \"5\")\n"},
    {"expect word", STEP, "{\"expect\": \"fail\", " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/expect: not one of the allowed values (expected \"success\" "
     "or \"failure\", got \"fail\")\n"},
    {"expect type", STEP, "{\"expect\": true, " RUN "}",
     "[WRONG_TYPE] /tasks/0/steps/0/expect: wrong type (expected object or string, got true)\n"},
    {"expect reason", STEP, "{\"expect\": {\"reason\": [\"test-fail\", \"nix\"]}, " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/expect/reason/1: not one of the allowed values (expected "
     "\"none\", \"test-fail\", \"compile\", \"usage\", \"not-found\", \"permission\", \"auth\", "
     "\"quota\" or one of 14 more, got \"nix\")\n"},
    {"expect key", STEP, "{\"expect\": {\"mtch\": \"x\"}, " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/expect/mtch: unknown key, did you mean \"match\"?\n"},
    {"unknown policy", STEP, "{\"policy\": \"patient\", " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/policy: unknown policy (expected default, infrastructure, "
     "research, transport, careful, got \"patient\")\n"},
    {"agent without a prompt", STEP, "{\"agent\": \"claude\"}",
     "[MISSING_FIELD] /tasks/0/steps/0/prompt: required (expected string, got nothing)\n"},
    {"not idempotent", STEP, "{\"run\": [\"x\"]}",
     "[INVALID_VALUE] /tasks/0/steps/0/idempotent: policy \"default\" may run this step again in "
     "GREEN, in place: declare it \"idempotent\": true, or give its task a \"workspace\" that can "
     "be reset\n"},
    {"not idempotent in RED", STEP,
     "{\"phase\": \"RED\", \"policy\": \"research\", \"run\": [\"x\"], \"idempotent\": false}",
     "[INVALID_VALUE] /tasks/0/steps/0/idempotent: policy \"research\" may run this step again in "
     "RED, in place: declare it \"idempotent\": true, or give its task a \"workspace\" that can be "
     "reset\n"},
    {"policies type", ROOT, "\"policies\": []",
     "[WRONG_TYPE] /policies: wrong type (expected object, got array)\n"},
    {"policy type", POLICY, "\"p\": 1",
     "[WRONG_TYPE] /policies/p: wrong type (expected object, got 1)\n"},
    {"policy name taken", POLICY, "\"default\": {}",
     "[INVALID_VALUE] /policies/default: a built-in policy has this name: choose another and set "
     "\"like\"\n"},
    {"policy name", POLICY, "\"p q\": {}",
     "[INVALID_VALUE] /policies/p q: the name is not allowed (expected 1 to 31 letters, "
     "digits, '.', '_' or '-', got \"p q\")\n"},
    {"like nothing", POLICY, "\"p\": {\"like\": \"z\"}, \"q\": {}",
     "[INVALID_VALUE] /policies/p/like: unknown policy (expected default, infrastructure, "
     "research, "
     "transport, careful, q, got \"z\")\n"},
    {"expected files", STEP,
     "{\"expect_files\": [{\"path\": \"../x\"}, {\"path\": \"/x\"}, {\"min_lines\": -1}, "
     "{\"path\": \"a//b\"}], " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/expect_files/0/path: must be inside the folder that the "
     "step works in\n"
     "[INVALID_VALUE] /tasks/0/steps/0/expect_files/1/path: must be inside the folder that the "
     "step works in\n"
     "[INVALID_VALUE] /tasks/0/steps/0/expect_files/2/min_lines: too small (expected 0 to 1000000, "
     "got -1)\n"
     "[MISSING_FIELD] /tasks/0/steps/0/expect_files/2/path: required (expected string, got "
     "nothing)\n"
     "[INVALID_VALUE] /tasks/0/steps/0/expect_files/3/path: must be the path of a file, without "
     "'.', '//' or a trailing '/'\n"},
    {"files of a failure", STEP,
     "{\"expect\": \"failure\", \"expect_files\": [{\"path\": \"x\"}], " RUN "}",
     "[INVALID_VALUE] /tasks/0/steps/0/expect_files: a step that is expected to fail cannot expect "
     "files\n"},
    {"like itself", POLICY, "\"p\": {\"like\": \"p\"}",
     "[INVALID_VALUE] /policies/p/like: a policy cannot be like itself\n"},
    {"cycle of \"like\"", POLICY,
     "\"o\": {\"like\": \"p\"}, \"q\": {\"like\": \"p\"}, \"p\": {\"like\": \"q\", \"window\": -1}",
     "[INVALID_VALUE] /policies/q/like: cycle of \"like\" in policies: q -> p -> q\n"
     "[INVALID_VALUE] /policies/p/window: too small (expected 0 to 100, got -1)\n"},
    {"attempts", POLICY, "\"p\": {\"max_attempts\": 101}",
     "[INVALID_VALUE] /policies/p/max_attempts: too large (expected 1 to 100, got 101)\n"},
    {"delay", POLICY, "\"p\": {\"base_delay_ms\": -1}",
     "[INVALID_VALUE] /policies/p/base_delay_ms: too small (expected 0 to 604800000, got -1)\n"},
    {"multiplier", POLICY, "\"p\": {\"multiplier\": 0.5}",
     "[INVALID_VALUE] /policies/p/multiplier: too small (expected 1 to 100, got 0.5)\n"},
    {"jitter", POLICY, "\"p\": {\"jitter\": 2}",
     "[INVALID_VALUE] /policies/p/jitter: too large (expected 0 to 1, got 2)\n"},
    {"window", POLICY, "\"p\": {\"window\": 1, \"same_stops\": 1}",
     "[INVALID_VALUE] /policies/p/window: not allowed (expected 0, or 2 and more: one result "
     "alone is no loop, got 1)\n"
     "[INVALID_VALUE] /policies/p/same_stops: not allowed (expected 0, or 2 and more: one result "
     "alone is no loop, got 1)\n"},
    {"retry_on", POLICY, "\"p\": {\"retry_on\": [\"transient\", \"all\"]}",
     "[INVALID_VALUE] /policies/p/retry_on/1: not one of the allowed values (expected "
     "\"transient\", \"persistent\" or \"unknown\", got \"all\")\n"},
    {"phases", POLICY, "\"p\": {\"phases\": \"GREEN\"}",
     "[WRONG_TYPE] /policies/p/phases: wrong type (expected array, got \"GREEN\")\n"},
    {"policy key", POLICY, "\"p\": {\"max_attempt\": 2}",
     "[INVALID_VALUE] /policies/p/max_attempt: unknown key, did you mean \"max_attempts\"?\n"},
};

START_TEST(test_bad_plan)
{
    ck_assert_msg(!parse_wrapped(bad[_i].wrap, bad[_i].fragment), "%s: accepted", bad[_i].name);
    bool is_syntax = strncmp(bad[_i].want, "[NOT_JSON]", 10) == 0;
    size_t len = is_syntax ? strlen(bad[_i].want) : shown.len + strlen(bad[_i].want);
    ck_assert_msg(strncmp(str_text(&shown), bad[_i].want, len) == 0, "%s:\n%s", bad[_i].name,
                  str_text(&shown));
}
END_TEST

static const struct {
    const char *name;
    enum wrap wrap;
    const char *fragment;
} good[] = {
    {"comments", ROOT, "\"// a\": 1, \"//\": [], \"$schema\": \"x\""},
    {"workspace and sandbox words", ROOT, "\"workspace\": \"inplace\", \"sandbox\": \"none\""},
    {"workspace and sandbox", ROOT,
     "\"workspace\": {\"kind\": \"inplace\"}, \"sandbox\": {\"kind\": \"none\", \"//\": 0}"},
    {"most jobs", ROOT, "\"jobs\": 256"},
    {"no needs", TASK, "\"needs\": []"},
    {"last argument empty", STEP, "{\"run\": [\"x\", \"\"], " SAFE "}"},
    {"RED is not repeated by default", STEP, "{\"phase\": \"RED\", \"run\": [\"x\"]}"},
    {"phases repeat", STEP,
     "{\"phase\": \"RED\", " RUN "}, {\"phase\": \"RED\", " RUN "}, {" RUN "}, {" RUN "}, "
     "{\"phase\": \"REFACTOR\", " RUN "}"},
    {"step sandbox", STEP, "{\"sandbox\": {\"kind\": \"none\"}, " RUN "}"},
    {"empty policy", POLICY, "\"p\": {}"},
    {"policy that never tries again", POLICY, "\"p\": {\"retry_on\": [], \"phases\": []}"},
    {"like a later one", POLICY, "\"q\": {\"like\": \"p\"}, \"p\": {\"max_attempts\": 9}"},
    {"like an earlier one", POLICY, "\"p\": {\"max_attempts\": 9}, \"q\": {\"like\": \"p\"}"},
};

START_TEST(test_good_plan)
{
    ck_assert_msg(parse_wrapped(good[_i].wrap, good[_i].fragment), "%s: %s", good[_i].name,
                  str_text(&shown));
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
    const char *want;  /* the circles, one a line */
} circles[] = {
    {"none", "ab bc ac", ""},
    {"two", "ab ba", "/tasks/0/needs: a -> b -> a\n"},
    {"three, begun late", "cb ba ac", "/tasks/0/needs: a -> c -> b -> a\n"},
    {"two circles", "ab ba cd dc", "/tasks/0/needs: a -> b -> a\n/tasks/2/needs: c -> d -> c\n"},
    {"with a tail", "ab bc cb de", "/tasks/1/needs: b -> c -> b\n"},
    {"way into it", "ab cb bd db", "/tasks/1/needs: b -> d -> b\n"},
};

static void add_circle_task(char id, const char *edges)
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

START_TEST(test_circle_is_named)
{
    struct str got = {0};
    static const char what[] = "tasks need each other in a cycle: ";
    str_add(&text, "{\"version\": 1, \"tasks\": [");
    for (int id = 'a'; id <= 'e'; id++)
        add_circle_task((char)id, circles[_i].edges);
    str_add(&text, "]}");
    (void)parse_text();
    for (size_t i = 0; i < violations.count; i++) {
        const struct violation *v = &violations.items[i];
        ck_assert_msg(strncmp(v->message, what, strlen(what)) == 0, "%s", v->message);
        str_addf(&got, "%s: %s\n", v->path, v->message + strlen(what));
    }
    ck_assert_msg(strcmp(str_text(&got), circles[_i].want) == 0, "%s:\n%s", circles[_i].name,
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
    ck_assert(parse_wrapped(POLICY, "\"p\": {\"max_attempts\": 9, \"like\": \"research\"},"
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

START_TEST(test_many_tasks_in_a_circle)
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
    const char *name;
    enum wrap wrap;
    const char *before, *element, *after;
    int limit;
    const char *want;
} limits[] = {
    {"steps", STEP, "", "{" RUN "}", "", PLAN_STEPS_MAX,
     "[INVALID_VALUE] /tasks/0/steps: too many elements (expected 1 to 64 elements, got 65)\n"},
    {"words of a command", STEP, "{" SAFE ", \"run\": [", "\"x\"", "]}", PLAN_ARGS_MAX,
     "[INVALID_VALUE] /tasks/0/steps/0/run: too many elements (expected 1 to 4096 elements, got "
     "4097)\n"},
};

START_TEST(test_limit)
{
    for (int extra = 0; extra <= 1; extra++) {
        teardown();
        setup();
        str_add(&text, wraps[limits[_i].wrap].before);
        str_add(&text, limits[_i].before);
        add_times(limits[_i].limit + extra, limits[_i].element);
        str_add(&text, limits[_i].after);
        str_add(&text, wraps[limits[_i].wrap].after);
        ck_assert_msg(parse_text() == (extra == 0), "%s: %s", limits[_i].name, str_text(&shown));
    }
    ck_assert_str_eq(str_text(&shown), limits[_i].want);
}
END_TEST

START_TEST(test_longest_id)
{
    static const char id_64[] = "a234567890123456789012345678901234567890123456789012345678901234";
    str_addf(&text, "{\"version\": 1, \"tasks\": [{\"id\": \"%s\", \"steps\": [{" RUN "}]}]}",
             id_64);
    ck_assert_uint_eq(strlen(id_64), PLAN_ID_MAX);
    ck_assert(parse_text());
    ck_assert_int_eq(plan_find(plan, id_64), 0);

    teardown();
    setup();
    str_addf(&text, "{\"version\": 1, \"tasks\": [{\"id\": \"%s5\", \"steps\": [{" RUN "}]}]}",
             id_64);
    ck_assert(!parse_text());
}
END_TEST

START_TEST(test_too_many_policies)
{
    str_add(&text, wraps[POLICY].before);
    for (int i = 0; i <= PLAN_POLICIES_MAX; i++)
        str_addf(&text, "%s\"p%d\": {}", i > 0 ? ", " : "", i);
    str_add(&text, wraps[POLICY].after);
    ck_assert(!parse_text());
    ck_assert_str_eq(str_text(&shown),
                     "[INVALID_VALUE] /policies: too many (expected at most 64, got more)\n");
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
    ck_assert_str_eq(err.message, "this plan has no task 'z'");
    ck_assert_ptr_null(part);
}
END_TEST

static const char *const shipped[] = {
    "assets/demo/plan.json",
    "assets/demo/self.json",
    "assets/starter-plan.json",
};

START_TEST(test_shipped_plan_is_valid)
{
    char *json = test_read_file(test_source_path(shipped[_i]));
    ck_assert_msg(json != NULL, "%s is missing", shipped[_i]);
    str_add(&text, json);
    free(json);
    ck_assert_msg(parse_text(), "%s:\n%s", shipped[_i], str_text(&shown));
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
    Suite *suite = suite_create("plan");
    TCase *reading = test_case(suite, "reading");
    tcase_add_checked_fixture(reading, setup, teardown);
    tcase_add_loop_test(reading, test_good_plan, 0, TABLE_LEN(good));
    tcase_add_test(reading, test_plan_and_tasks_are_read);
    tcase_add_test(reading, test_steps_are_read);
    tcase_add_test(reading, test_policies_are_read);
    tcase_add_test(reading, test_like_takes_every_field_over);
    tcase_add_test(reading, test_find);
    tcase_add_loop_test(reading, test_one_task_and_what_it_needs, 0, TABLE_LEN(parts));
    tcase_add_test(reading, test_part_of_a_plan_that_is_not_in_it);
    tcase_add_loop_test(reading, test_shipped_plan_is_valid, 0, TABLE_LEN(shipped));
    TCase *violating = test_case(suite, "violations");
    tcase_add_checked_fixture(violating, setup, teardown);
    tcase_add_loop_test(violating, test_bad_plan, 0, TABLE_LEN(bad));
    tcase_add_test(violating, test_all_violations_come_in_document_order);
    tcase_add_test(violating, test_violations_before_are_kept);
    tcase_add_loop_test(violating, test_circle_is_named, 0, TABLE_LEN(circles));
    TCase *limiting = test_case(suite, "limits");
    tcase_add_checked_fixture(limiting, setup, teardown);
    tcase_add_loop_test(limiting, test_limit, 0, TABLE_LEN(limits));
    tcase_add_test(limiting, test_longest_id);
    tcase_add_test(limiting, test_too_many_policies);
    tcase_add_test(limiting, test_hundreds_of_violations_are_counted);
    tcase_add_test(limiting, test_many_tasks_in_a_row);
    tcase_add_test(limiting, test_many_tasks_in_a_circle);
    TCase *writing = test_case(suite, "writing");
    tcase_add_checked_fixture(writing, setup, teardown);
    tcase_add_test(writing, test_written_plan_is_read_as_the_same);
    tcase_add_test(writing, test_plan_for_command);
    tcase_add_loop_test(writing, test_command_without_a_name_or_with_too_much, 0, 3);
    tcase_add_loop_test(writing, test_plan_of_a_command_survives_writing, 0, 2 * PHASE_COUNT);
    tcase_add_test(writing, test_long_command_gets_a_short_title);
    return suite;
}
