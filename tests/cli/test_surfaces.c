/*
 * The surfaces that explain a failure, all in the words of src/present: whoever rewords a reason
 * there changes no other file, and a surface with words of its own fails here.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "follower.h"
#include "shown.h"
#include "shown_rows.h"
#include "test_main.h"

/* The facts that a surface says. */
enum {
    CLASS = 1, /* the row of the class: "test-fail (persistent, TEST_FAILURE)" */
    WHY = 2,   /* shown_evidence(): the rule and the line that it matched */
    END = 4,   /* shown_ending(): how the step ended */
};

#define FRAME "debug --logs 1 --at end --task tax --frame "
#define TOOL  "mcp <calls.json" /* a run of its own */

static const struct {
    const char *name;
    const char *command; /* arguments of devs */
    int says;
    bool is_json;
} surfaces[] = {
    {"why", "why 1/tax", CLASS | WHY | END, false},
    {"why as JSON", "why 1/tax --json", CLASS | WHY | END, true},
    {"status", "status --all 1", WHY | END, false},
    {"status as JSON", "status --json 1", WHY | END, true},
    {"detail", FRAME "140x60 --view detail", CLASS | WHY | END, false},
    {"preview", FRAME "80x24 --view tasks", WHY | END, false},
    {"forensics", FRAME "140x60 --view forensics", CLASS | WHY, false},
    {"forensics as text", "debug --forensics 1/tax", CLASS | WHY, false},
    {"comparison", "debug --diff 1/tax", CLASS | WHY | END, false},
    {"comparison as JSON", "debug --diff 1/tax --json", CLASS | WHY | END, true},
    {"records", "debug --logs 1 --plain", WHY, false},
    {"log", FRAME "140x40 --view log", END, false},
    {"a tool's result", TOOL, CLASS | WHY | END, true},
};

static const char plan[] =
    "{'version':1,'name':'shop','idempotent':true,"
    "'policies':{'twice':{'like':'default','max_attempts':2,'base_delay_ms':1}},"
    "'tasks':[{'id':'tax','steps':[{'policy':'twice',"
    "'run':['sh','-c','echo not ok 3 - tax; exit 1']}]}]}";

static const char tool_calls[] =
    "{'jsonrpc':'2.0','id':1,'method':'initialize','params':{'protocolVersion':'2025-06-18',"
    "'capabilities':{},'clientInfo':{'name':'t','version':'1'}}}\n"
    "{'jsonrpc':'2.0','method':'notifications/initialized'}\n"
    "{'jsonrpc':'2.0','id':2,'method':'tools/call','params':{'name':'execute_command',"
    "'arguments':{'argv':['sh','-c','echo not ok 3 - tax; exit 1']}}}\n";

static void setup(void)
{
    ck_assert_int_eq(chdir(test_tmpdir()), 0);
    ck_assert_int_eq(setenv("XDG_RUNTIME_DIR", test_tmpdir(), 1), 0);
    ck_assert_int_eq(setenv("XDG_STATE_HOME", test_tmpdir(), 1), 0);
    test_write_file("plan.json", test_json(plan), 0644);
    test_write_file("calls.json", test_json(tool_calls), 0644);
}

/* Returns what devs prints; the caller frees it. */
static char *run_devs(const char *arguments)
{
    struct str command = {0};
    int status = 0;
    str_addf(&command, "\"$DEVS\" %s >printed 2>&1", arguments);
    const pid_t child = fork();
    if (child == 0) {
        (void)execl("/bin/sh", "sh", "-c", command.data, (char *)NULL);
        _exit(127);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    str_done(&command);
    return test_read_file("printed");
}

/* The words of src/present for the only task of the newest run. */
static void read_words(struct str *class, struct str *why, struct str *end)
{
    const struct shown_time time = {.date = clock_date};
    struct place place;
    struct follower *follower = NULL;
    struct verdict room;
    struct rows rows = {0};
    struct err err = {0};
    ck_assert_msg(place_find(NULL, false, &place, &err) &&
                      follower_open(&follower, &place, 0, &err) &&
                      follower_read(follower, 0, NULL, NULL, NULL, &err),
                  "%s", err.message);
    const struct run_state *state = follower_state(follower);
    const struct step_state *step = run_state_step(state, 0);
    const struct verdict *verdict = step_state_verdict(step, &room);
    ck_assert_ptr_nonnull(verdict);
    rows_verdict(&rows, &state->plan->tasks[0].steps[0], step_state_attempt(step), verdict, &time);
    str_add(class, rows_value(&rows, "class"));
    shown_evidence(verdict, why);
    shown_ending(state, 0, end);
    rows_done(&rows);
    follower_close(follower);
}

static void check_said(int surface, int fact, const struct str *words, const char *text)
{
    struct str wanted = {0};
    if ((surfaces[surface].says & fact) == 0)
        return;
    ck_assert_uint_gt(words->len, 0);
    str_add(&wanted, words->data);
    if (surfaces[surface].is_json) {
        str_json_quote(&wanted, 0);
        wanted.data[wanted.len - 1] = '\0'; /* without the quotes around it */
    }
    ck_assert_msg(strstr(text, wanted.data + surfaces[surface].is_json) != NULL,
                  "%s does not say %s in:\n%s", surfaces[surface].name, words->data, text);
    str_done(&wanted);
}

START_TEST(test_surface_uses_the_words_of_present)
{
    const bool is_tool = strcmp(surfaces[_i].command, TOOL) == 0;
    struct str class = {0}, why = {0}, end = {0};
    if (!is_tool)
        free(run_devs("run --plain plan.json"));
    char *text = run_devs(surfaces[_i].command);
    ck_assert_ptr_nonnull(text);
    read_words(&class, &why, &end);
    check_said(_i, CLASS, &class, text);
    check_said(_i, WHY, &why, text);
    check_said(_i, END, &end, text);
    free(text);
    str_done(&class);
    str_done(&why);
    str_done(&end);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("surfaces");
    TCase *tcase = test_case(suite, "surfaces");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, test_surface_uses_the_words_of_present, 0, TABLE_LEN(surfaces));
    return suite;
}
