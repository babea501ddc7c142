/* Steps that prompt an agent, whose CLI is a script that says what the test wrote down. */
#define _GNU_SOURCE /* memmem */

#include "engine_try.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log_reader.h"
#include "redact.h"
#include "test_main.h"

#define SESSION "5c2d9c1e-0000-4000-8000-000000000001"
#define INIT    "{'type':'system','subtype':'init','session_id':'" SESSION "'}"
#define TEXT(words)                                                                                \
    "{'type':'assistant','session_id':'" SESSION                                                   \
    "','message':{'id':'m','content':[{'type':'text','text':'" words "'}]}}"
#define CALL(id, command)                                                                          \
    "{'type':'assistant','session_id':'" SESSION "','message':{'id':'m" id                         \
    "','content':[{'type':'tool_use','id':'t" id "','name':'Bash','input':{'command':'" command    \
    "'}}]}}"
#define RESULT(id, output)                                                                         \
    "{'type':'user','session_id':'" SESSION                                                        \
    "','message':{'content':[{'type':'tool_result','tool_use_id':'t" id "','content':'" output     \
    "'}]}}"
#define DONE(words)                                                                                \
    "{'type':'result','subtype':'success','is_error':false,'num_turns':2,'result':'" words         \
    "','session_id':'" SESSION "','total_cost_usd':0.25,'usage':{'input_tokens':20,"               \
    "'output_tokens':10}}"
#define LIMITED                                                                                    \
    "{'type':'result','subtype':'success','is_error':true,'api_error_status':429,'num_turns':1,"   \
    "'result':'API Error: Request rejected (429) rate limit','session_id':'" SESSION               \
    "','total_cost_usd':0}"

/* The n-th call: its arguments and what it was told are kept, it writes say.n and does do.n. */
static const char fake[] = "#!/bin/sh\n"
                           "echo \"$*\" >>calls\n"
                           "n=$(($(wc -l <calls)))\n"
                           "cat >prompt.$n\n"
                           "[ ! -f say.$n ] || cat say.$n\n"
                           "[ ! -f do.$n ] || . ./do.$n\n"
                           "exit 0\n";

static const char keys[] = "'agents':{'fake':{'like':'claude','program':'./fake.sh'},"
                           "'pieces':{'like':'gemini','program':'./fake.sh'},"
                           "'spoken':{'like':'claude','program':'./fake.sh','prompt':'argument'},"
                           "'gone':{'like':'claude','program':'no-such-agent',"
                           "'install':'npm install -g it'}},";
#define QUICK "'policy':{'like':'transport','base_delay_ms':1,'jitter':0}"

static void write_file(const char *name, const char *text, mode_t mode)
{
    test_write_file(test_path(tried.dir, name), text, mode);
}

/* What the n-th call says: lines with ' for ". */
static void say(int number, const char *text)
{
    char name[32];
    struct str lines = {0};
    str_add(&lines, text);
    for (size_t i = 0; i < lines.len; i++) {
        if (lines.data[i] == '\'')
            lines.data[i] = '"';
    }
    str_add_char(&lines, '\n');
    (void)snprintf(name, sizeof(name), "say.%d", number);
    write_file(name, lines.data, 0600);
    str_done(&lines);
}

static void and_do(int number, const char *script)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "do.%d", number);
    write_file(name, script, 0600);
}

/* A file that the run left, "" where it left none; the caller frees. */
static char *read_file(const char *name)
{
    char *text = test_read_file(test_path(tried.dir, name));
    return text ? text : strdup("");
}

static void check_file(const char *name, const char *wanted)
{
    char *text = read_file(name);
    ck_assert_str_eq(text, wanted);
    free(text);
}

static void check_file_has(const char *name, const char *wanted)
{
    char *text = read_file(name);
    ck_assert_msg(strstr(text, wanted) != NULL, "%s: '%s' is not in '%s'", name, wanted, text);
    free(text);
}

static void setup(void)
{
    try_open();
    tried.keys = keys;
    write_file("fake.sh", fake, 0700);
}

START_TEST(test_agent_runs_live_and_its_session_is_kept)
{
    say(1, INIT "\n" TEXT("I look.") "\n" CALL("1", "ls") "\n" RESULT("1", "a.c") "\n" DONE("ok"));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','output':'out.txt'}]}", 0);

    check_file("prompt.1", "Make it.");
    check_file_has("calls", "--output-format stream-json");
    check_file("out.txt", "ok");
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_AGENT_SESSION, 0)->data, SESSION));
    ck_assert(!try_find(EVENT_AGENT_SESSION, 0)->session.resumed);
    ck_assert_uint_eq(try_count(EVENT_AGENT_CALL, 0), 2);
    ck_assert_int_eq(tried.state.tasks[0].agent->past.turns, 2);
    ck_assert_int_eq(tried.state.tasks[0].agent->past.calls, 1);
    ck_assert_int_eq(tried.state.tasks[0].agent->past.cost_micro, 250000);
    ck_assert_int_eq(tried.state.tasks[0].agent->past.tokens, 30);
    ck_assert_str_eq(tried.state.tasks[0].agent->session, SESSION);
    struct str words = {0};
    try_read_output(0, 1, LOG_STREAM_AGENT, &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "I look.\n"));
    ck_assert_ptr_nonnull(strstr(str_text(&words), "Bash: ls"));
    ck_assert_ptr_null(strstr(str_text(&words), "tool_use"));
    str_done(&words);
}
END_TEST

START_TEST(test_a_prompt_can_be_an_argument)
{
    say(1, INIT "\n" DONE("ok"));
    try_run("{'id':'a','steps':[{'agent':'spoken','prompt':'Make it.'}]}", 0);
    check_file_has("calls", "Make it.");
    check_file("prompt.1", "");
}
END_TEST

START_TEST(test_E2_limit_is_waited_out_and_the_session_goes_on)
{
    say(1, INIT "\n" LIMITED);
    and_do(1, "exit 1\n");
    say(2, INIT "\n" DONE("ok"));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'," QUICK "}]}", 0);

    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 2);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_JUDGED, 0)->judged.label.type,
                     TRANSIENT_API_RATE_LIMIT);
    check_file_has("calls", "--resume " SESSION);
    check_file_has("prompt.2", "cut short");
    check_file_has("prompt.2", "429");
}
END_TEST

START_TEST(test_a_lost_session_is_replaced_within_the_try)
{
    say(1, INIT "\n" LIMITED);
    and_do(1, "exit 1\n");
    and_do(2, "echo 'No conversation found with session ID: x' >&2; exit 1\n");
    say(3, INIT "\n" DONE("ok"));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'," QUICK "}]}", 0);

    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 2);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_RUNNING, 0), 3);
    check_file("prompt.3", "Make it.");
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_NOTE, -1)->data, "starting a new one"));
}
END_TEST

START_TEST(test_E5_step_begins_in_the_session_that_it_names)
{
    say(1, INIT "\n" DONE("ok"));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','resume':'1234'}]}", 0);
    check_file_has("calls", "--resume 1234");
    check_file("prompt.1", "Make it.");
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_AGENT_SESSION, 0)->data, "\"resumed\":true"));
}
END_TEST

START_TEST(test_E2_agent_that_is_not_there_is_told_with_how_to_get_it)
{
    try_run("{'id':'a','steps':[{'agent':'gone','prompt':'Make it.'," QUICK "}]}", 1);
    ck_assert_uint_eq(try_count(EVENT_ATTEMPT_STARTED, 0), 1);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_JUDGED, 0)->judged.label.reason, REASON_NOT_FOUND);
    const char *why = try_find(EVENT_ATTEMPT_ENDED, 0)->data;
    ck_assert_ptr_nonnull(strstr(why, "agent CLI not found: 'no-such-agent'"));
    ck_assert_ptr_nonnull(strstr(why, "npm install -g it"));
}
END_TEST

START_TEST(test_E2_silent_agent_is_ended_with_all_that_it_started)
{
    say(1, INIT "\n" CALL("1", "make wait"));
    and_do(1, "sleep 1000 & exec sleep 1000\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','quiet_s':2,"
            "'policy':{'like':'transport','max_attempts':1}}]}",
            1);
    const struct event *ended = try_find(EVENT_ATTEMPT_ENDED, 0);
    ck_assert_int_eq(ended->ended.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_eq(tried.state.steps[0].attempts[0].outcome.quiet_ms, 2000);
    ck_assert_int_eq(tried.state.steps[0].attempts[0].outcome.processes_left, 0);
    ck_assert_int_eq(try_find(EVENT_AGENT_CALL, 0)->call.running, 1); /* that it was in */
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_AGENT_CALL, 0)->data, "make wait"));
}
END_TEST

START_TEST(test_own_retries_count_as_silence)
{
    say(1, INIT);
    and_do(1, "while :; do\n"
              "echo '{\"type\":\"system\",\"subtype\":\"api_retry\",\"error\":\"server_error\"}'\n"
              "sleep 0.05\ndone\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','quiet_s':1,"
            "'policy':{'like':'transport','max_attempts':1}}]}",
            1);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_TIMEOUT);
    ck_assert_int_eq(tried.state.steps[0].attempts[0].outcome.quiet_ms, 1000);
    ck_assert_int_gt(tried.state.tasks[0].agent->past.own_retries, 1);
}
END_TEST

static const struct {
    const char *error;
    int status;
    int exit_code;
    enum outcome_kind kind;
    enum reason reason;
    enum transient_type type;
} retried[] = {
    {"authentication_failed", 401, 4, OUTCOME_CANCELLED, REASON_AUTH, TRANSIENT_NONE},
    {"You exceeded your current quota, please check your plan and billing details", 429, 4,
     OUTCOME_CANCELLED, REASON_QUOTA, TRANSIENT_NONE},
    {"server_error", 500, 1, OUTCOME_TIMEOUT, REASON_NONE, TRANSIENT_API_OVERLOADED},
};

START_TEST(test_an_own_retry_names_the_cause)
{
    struct str line = {0};
    str_addf(&line,
             INIT "\n{'type':'system','subtype':'api_retry','attempt':1,'max_retries':10,"
                  "'error_status':%d,'error':'%s'}",
             retried[_i].status, retried[_i].error);
    say(1, str_text(&line));
    and_do(1, "exec sleep 1000\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','quiet_s':1}]}",
            retried[_i].exit_code);
    const struct attempt_state *attempt = &tried.state.steps[0].attempts[0];
    ck_assert_uint_eq(tried.state.steps[0].attempt_count, 1);
    ck_assert_int_eq(attempt->outcome.kind, retried[_i].kind);
    ck_assert_int_eq(attempt->reason, retried[_i].reason);
    ck_assert_int_eq(attempt->type, retried[_i].type);
    if (attempt->outcome.kind == OUTCOME_CANCELLED)
        ck_assert_int_eq(attempt->outcome.stop, STOP_HOPELESS);
    str_done(&line);
}
END_TEST

/* Before the one it repeats, it made a request that was answered: that one's retry counts for
 * nothing. */
#define OWN_RETRY                                                                                  \
    "echo '{\"type\":\"system\",\"subtype\":\"api_retry\",\"error_status\":529,"                   \
    "\"error\":\"overloaded\"}'; sleep 0.2\n"
#define OVERLOADED                                                                                 \
    "echo '{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":true,\"num_turns\":1,"        \
    "\"result\":\"API Error: Repeated 529 Overloaded errors\"}'; exit 1\n"
#define ANSWERED                                                                                   \
    OWN_RETRY "echo '{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":["              \
              "{\"type\":\"text\",\"text\":\"I look.\"}]}}'\n"

START_TEST(test_own_retries_count_like_tries_and_their_time_as_waiting)
{
    say(1, INIT);
    and_do(1, ANSWERED OWN_RETRY OWN_RETRY OVERLOADED);
    say(2, INIT);
    and_do(2, OWN_RETRY OVERLOADED);
    say(3, INIT "\n" DONE("too late"));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.',"
            "'policy':{'like':'transport','base_delay_ms':1,'jitter':0,'max_attempts':5}}]}",
            1);
    const struct step_state *step = &tried.state.steps[0];
    ck_assert_int_eq(step->end, DECISION_TRANSIENT_EXHAUSTED);
    ck_assert_uint_eq(step->attempt_count, 2);
    ck_assert_int_eq(step->attempts[0].outcome.own_retries, 2);
    ck_assert_int_eq(step->attempts[1].outcome.own_retries, 1);
    ck_assert_int_eq(step->own_retries, 3);
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_WAIT_STARTED, 0)->data, "\"retry_number\":3"));
    const int64_t own_ms =
        step->attempts[0].outcome.own_wait_ms + step->attempts[1].outcome.own_wait_ms;
    ck_assert_int_ge(own_ms, 600);
    ck_assert_int_le(step->attempts[0].outcome.own_wait_ms, step->attempts[0].outcome.ran_ms);
    ck_assert_int_ge(tried.state.waited_ms, own_ms);
    ck_assert_int_ge(tried.state.tasks[0].waited_ms, own_ms);
}
END_TEST

START_TEST(test_quiet_limit_holds_for_a_command_too)
{
    try_run("{'id':'a','steps':[{'run':['sleep','1000'],'quiet_s':0.1,'phase':'REFACTOR'}]}", 1);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_TIMEOUT);
}
END_TEST

START_TEST(test_D2_result_that_breaks_its_contract_is_repaired_in_the_session)
{
    say(1, INIT "\n" DONE("nothing"));
    say(2, INIT "\n" DONE("{\\'summary\\':\\'s\\'}"));
    try_run("{'id':'a','rounds':3,'steps':[{'agent':'fake','prompt':'Make it.','output':'out.json',"
            "'contract':{'type':'object','required':['summary']}}]}",
            0);
    ck_assert_uint_eq(try_count(EVENT_ROUND_STARTED, 0), 1);
    check_file_has("calls", "--resume " SESSION);
    check_file_has("prompt.2", "NOT_JSON");
    check_file("out.json", "{\"summary\":\"s\"}");
}
END_TEST

START_TEST(test_red_check_goes_to_the_agent_until_it_is_green)
{
    say(1, INIT "\n" DONE("done"));
    say(2, INIT "\n" DONE("really done"));
    and_do(2, "touch fixed\n");
    try_run("{'id':'a','rounds':3,'steps':[{'agent':'fake','prompt':'Make it.'},"
            "{'run':['sh','-c','test -f fixed || { echo 2 tests failed >&2; exit 3; }'],"
            "'idempotent':true}]}",
            0);
    ck_assert_uint_eq(try_count(EVENT_ROUND_STARTED, 0), 1);
    ck_assert_int_eq(tried.state.tasks[0].agent->round, 2);
    check_file_has("calls", "--resume " SESSION);
    check_file_has("prompt.2", "2 tests failed");
    check_file_has("prompt.2", "exit 3");
}
END_TEST

#define DENIED(id)                                                                                 \
    "{'type':'user','session_id':'" SESSION                                                        \
    "','message':{'content':[{'type':'tool_result','tool_use_id':'t" id                            \
    "','is_error':true,'content':'Claude requested permissions to use Bash'}]}}"

START_TEST(test_refused_call_as_the_last_one_needs_a_person)
{
    say(1, INIT "\n" CALL("1", "git push") "\n" DENIED("1") "\n" DONE("All done."));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'," QUICK "}]}", 4);
    const struct attempt_state *attempt = &tried.state.steps[0].attempts[0];
    ck_assert_uint_eq(tried.state.steps[0].attempt_count, 1);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_NEEDS_YOU);
    ck_assert_int_eq(attempt->reason, REASON_PERMISSION);
    ck_assert_ptr_nonnull(
        strstr(try_find(EVENT_ATTEMPT_JUDGED, 0)->data, "refused: Bash: git push"));
    ck_assert_int_eq(task_agent_used(tried.state.tasks[0].agent).refused, 1);
    ck_assert_str_eq(tried.state.tasks[0].agent->refused, "Bash: git push");
}
END_TEST

START_TEST(test_refused_calls_of_an_agent_that_went_on_are_only_counted)
{
    say(1, INIT "\n" CALL("1", "git push") "\n" DENIED("1") "\n" CALL("2", "curl x") "\n" DENIED(
               "2") "\n" CALL("3", "make") "\n" RESULT("3", "ok") "\n" DONE("All done."));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'," QUICK "}]}", 0);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    ck_assert_int_eq(tried.state.used.refused, 2);
}
END_TEST

START_TEST(test_check_that_passes_outweighs_a_refused_call)
{
    say(1, INIT "\n" CALL("1", "make test") "\n" DENIED("1") "\n" DONE("I need permission."));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'},{'run':['true'],"
            "'idempotent':true}]}",
            0);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_PASSED);
    ck_assert_int_eq(tried.state.used.refused, 1);
}
END_TEST

START_TEST(test_check_that_fails_after_a_refused_call_needs_a_person)
{
    const struct event *ended = NULL;
    say(1, INIT "\n" CALL("1", "make test") "\n" DENIED("1") "\n" DONE("All done."));
    say(2, INIT "\n" CALL("1", "make all") "\n" DENIED("1") "\n" DONE("All done."));
    try_run("{'id':'a','rounds':2,'steps':[{'agent':'fake','prompt':'Make it.'},"
            "{'run':['sh','-c','cat calls; exit 1'],'idempotent':true}]}",
            4);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_NEEDS_YOU);
    ck_assert_int_eq(tried.state.tasks[0].agent->round, 2); /* it had its chance to mend that */
    ck_assert_int_eq(tried.state.used.refused, 2);
    for (size_t i = 0; i < tried.page.count; i++) {
        if (tried.page.events[i].kind == EVENT_STEP_ENDED)
            ended = &tried.page.events[i];
    }
    ck_assert_ptr_nonnull(ended);
    ck_assert_int_eq(ended->step_ended.decision, DECISION_NEEDS_YOU);
    ck_assert_ptr_nonnull(strstr(ended->data, "\"refused\":\"Bash: make all\""));
}
END_TEST

/* The same call with the same result, again and again, then silence. */
static void say_loop(int calls)
{
    struct str lines = {0};
    str_add(&lines, INIT);
    for (int i = 0; i < calls; i++) {
        str_addf(&lines,
                 "\n{'type':'assistant','session_id':'" SESSION
                 "','message':{'id':'m%d','content':[{'type':'tool_use','id':'t%d','name':'Bash',"
                 "'input':{'command':'make'}}]}}\n{'type':'user','session_id':'" SESSION
                 "','message':{'content':[{'type':'tool_result','tool_use_id':'t%d','content':"
                 "'error: no','is_error':true}]}}",
                 i, i, i);
    }
    say(1, str_text(&lines));
    and_do(1, "exec sleep 1000\n");
    str_done(&lines);
}

START_TEST(test_C4_calls_that_go_in_circles_are_stopped)
{
    say_loop(60);
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'}]}", 3);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_STUCK);
    ck_assert(try_find(EVENT_LOOP_SUSPECTED, 0)->loop.of_calls);
}
END_TEST

/* It says that it has failed, and begins again, and again. */
START_TEST(test_what_failed_before_a_loop_of_messages_is_kept)
{
    struct str lines = {0};
    str_add(&lines, INIT);
    for (int i = 0; i < 20; i++)
        str_add(&lines, "\n{'type':'result','is_error':true,'result':'ContextOverflowError: 215123 "
                        "tokens'}\n" TEXT("I make the conversation shorter and go on."));
    say(1, str_text(&lines));
    and_do(1, "exec sleep 1000\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'}]}", 3);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(&tried.state.steps[0], &room);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_STUCK);
    ck_assert_int_eq(verdict->reason, REASON_LOOP);
    ck_assert_ptr_nonnull(strstr(verdict->match, "ContextOverflowError: 215123 tokens"));
    str_done(&lines);
}
END_TEST

/* Enough of the same for a word, not for a stop; then the turn ends by a limit of the world. */
START_TEST(test_a_nudge_comes_with_the_next_prompt)
{
    say_loop(4);
    and_do(1, "cat <<'END'\n"
              "{\"type\":\"result\",\"is_error\":true,\"api_error_status\":529,\"result\":"
              "\"API Error: Overloaded\",\"session_id\":\"" SESSION "\"}\nEND\nexit 1\n");
    say(2, INIT "\n" DONE("ok"));
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'," QUICK "}]}", 0);
    const struct event *suspected = try_find(EVENT_LOOP_SUSPECTED, 0);
    ck_assert(suspected->loop.of_calls);
    ck_assert_ptr_nonnull(strstr(suspected->data, "\"nudge\""));
    check_file_has("prompt.2", "cut short");
    check_file_has("prompt.2", "same");
    ck_assert_ptr_null(tried.state.tasks[0].agent->nudge);
}
END_TEST

START_TEST(test_wall_budget_ends_the_agent)
{
    say(1, INIT);
    and_do(1, "exec sleep 1000\n");
    try_run("{'id':'a','budget':{'wall_s':1},'steps':[{'agent':'fake','prompt':'Make it.'}]}", 4);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_NEEDS_YOU);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_CANCELLED);
}
END_TEST

START_TEST(test_budget_that_is_spent_holds_the_task)
{
    say_loop(2);
    try_run("{'id':'a','budget':{'calls':2},'steps':[{'agent':'fake','prompt':'Make it.'}]}", 4);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_NEEDS_YOU);
    ck_assert_uint_ge(try_count(EVENT_BUDGET, 0), 1);
}
END_TEST

/* Four turns in one write: it is stopped at the third, and was told of at the second. */
START_TEST(test_fast_agent_is_stopped_at_its_budget)
{
    say(1, INIT
        "\n" CALL("1", "ls") "\n" CALL("2", "ls a") "\n" CALL("3", "ls b") "\n" CALL("4", "ls c"));
    and_do(1, "exec sleep 1000\n");
    try_run("{'id':'a','budget':{'turns':3},'steps':[{'agent':'fake','prompt':'Make it.'}]}", 4);
    ck_assert_uint_eq(try_count(EVENT_BUDGET, 0), 2);
    const struct event *told = try_find(EVENT_BUDGET, 0);
    const struct event *spent = told + 1;
    while (spent->kind != EVENT_BUDGET)
        spent++;
    ck_assert(!told->budget.is_spent);
    ck_assert_int_eq(told->budget.used, 2);
    ck_assert(spent->budget.is_spent);
    ck_assert_int_eq(spent->budget.used, 3);
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_NEEDS_YOU);
}
END_TEST

START_TEST(test_output_makes_the_folders_above_it)
{
    say(1, INIT "\n" DONE("ok"));
    and_do(1, "mkdir out\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.',"
            "'output':'out/of/it/answer.txt'}]}",
            0);
    check_file("out/of/it/answer.txt", "ok");
}
END_TEST

START_TEST(test_output_never_follows_a_link)
{
    say(1, INIT "\n" DONE("ok"));
    and_do(1, "ln -s / away\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','output':'away/tmp/out.txt'}]}",
            1);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_JUDGED, 0)->judged.label.reason, REASON_SETUP);
    ck_assert_ptr_nonnull(strstr(try_find(EVENT_ATTEMPT_JUDGED, 0)->data, "away/tmp/out.txt"));
}
END_TEST

/* A folder stands where the file is to be: the person is told of the name that they know. */
START_TEST(test_output_that_cannot_be_written_is_told_by_its_name)
{
    say(1, INIT "\n" DONE("ok"));
    and_do(1, "mkdir -p out.txt/in\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','output':'out.txt'}]}", 1);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_JUDGED, 0)->judged.label.reason, REASON_SETUP);
    const char *why = try_find(EVENT_ATTEMPT_JUDGED, 0)->data;
    ck_assert_ptr_nonnull(strstr(why, "cannot rename a file to 'out.txt'"));
    ck_assert_ptr_null(strstr(why, "/proc/"));
    ck_assert(!try_has_file("out.txt.new"));
}
END_TEST

START_TEST(test_capture_names_session_and_costs)
{
    struct str text = {0};
    struct err err = {0};
    const struct log_output_key key = {.run = 1, .attempt = 1};
    say(1, INIT "\n" CALL("1", "ls") "\n" RESULT("1", "a.c") "\n" LIMITED);
    and_do(1, "exit 1\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.','policy':{'like':'transport',"
            "'max_attempts':1}}]}",
            1);
    ck_assert(log_reader_capture(tried.reader, &key, &text, &err));
    ck_assert_ptr_nonnull(
        strstr(str_text(&text), "\"agent\":{\"name\":\"fake\",\"session\":\"" SESSION));
    ck_assert_ptr_nonnull(strstr(str_text(&text), "\"prompt\":\"Make it.\""));
    ck_assert_ptr_nonnull(strstr(str_text(&text), "\"calls\":1"));
    str_done(&text);
}
END_TEST

static const char secret[] = "hunter2-hunter2-hunter2";

/* Is it in the log, in any byte of its files? */
static bool is_in_log(const char *text)
{
    static const char *const names[] = {"devs.db", "devs.db-wal"};
    bool found = false;
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char path[PATH_MAX];
        (void)snprintf(path, sizeof(path), "%s/%s", tried.dir, names[i]);
        FILE *file = fopen(path, "rb");
        struct str bytes = {0};
        char piece[4096];
        size_t got = 0;
        while (file && (got = fread(piece, 1, sizeof(piece), file)) > 0)
            str_add_n(&bytes, piece, got);
        found = found || (bytes.len > 0 && memmem(bytes.data, bytes.len, text, strlen(text)));
        str_done(&bytes);
        if (file)
            (void)fclose(file);
    }
    return found;
}

/* The plan that is called, beside the one in the log: tried.options.calls. */
static struct plan *parse_calls(const char *agent)
{
    struct violations violations = {0};
    struct plan *plan = NULL;
    struct str text = {0};
    str_addf(&text,
             "{'version':1,'name':'test',%s'tasks':[{'id':'a','steps':[{'agent':'%s',"
             "'prompt':'Use %s.','policy':{'like':'transport','max_attempts':1}}]}]}",
             keys, agent, secret);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'')
            text.data[i] = '"';
    }
    ck_assert(plan_parse(text.data, text.len, &plan, &violations));
    violations_done(&violations);
    str_done(&text);
    return plan;
}

static const char *const prompted_how[] = {"fake", "spoken"};

START_TEST(test_a_secret_in_a_prompt_reaches_only_the_agent)
{
    char entry[64];
    char task[256];
    struct err err = {0};
    struct redactor *redactor = NULL;
    (void)snprintf(entry, sizeof(entry), "MY_TOKEN=%s", secret);
    char *const environment[] = {entry, NULL};
    const struct redact_setting setting = {.environment = environment};
    ck_assert_msg(redactor_open(&redactor, &setting, &err), "%s", err.message);
    struct plan *calls = parse_calls(prompted_how[_i]);
    tried.options.redactor = redactor;
    tried.options.calls = calls;
    and_do(1, "cat prompt.1; echo \"$*\"; exit 1\n");
    (void)snprintf(task, sizeof(task),
                   "{'id':'a','steps':[{'agent':'%s','prompt':'Use [cut:MY_TOKEN].','policy':"
                   "{'like':'transport','max_attempts':1}}]}",
                   prompted_how[_i]);
    try_run(task, 1);
    check_file_has(_i == 0 ? "prompt.1" : "calls", secret);
    ck_assert(!is_in_log(secret));
    ck_assert(is_in_log("[cut:MY_TOKEN]"));
    plan_free(calls);
    redactor_close(redactor);
}
END_TEST

#define DELTA(words) "{'type':'message','role':'assistant','content':'" words "','delta':true}"

/* Neither piece is the secret; the message that is made of them is. */
START_TEST(test_secret_in_pieces_of_a_message_is_cut)
{
    struct str words = {0};
    struct err err = {0};
    struct redactor *redactor = NULL;
    char entry[] = "MY_TOKEN=first-half-second-half";
    char *const environment[] = {entry, NULL};
    const struct redact_setting setting = {.environment = environment};
    ck_assert_msg(redactor_open(&redactor, &setting, &err), "%s", err.message);
    tried.options.redactor = redactor;
    say(1, "{'type':'init','session_id':'" SESSION "'}\n" DELTA("It is first-h") "\n" DELTA(
               "alf-second-half.") "\n{'type':'result','status':'success'}");
    try_run("{'id':'a','steps':[{'agent':'pieces','prompt':'Say it.','output':'out.txt'}]}", 0);
    try_read_output(0, 1, LOG_STREAM_AGENT, &words);
    ck_assert_ptr_nonnull(strstr(str_text(&words), "It is [cut:MY_TOKEN]."));
    ck_assert(!is_in_log("first-half-second-half"));
    check_file("out.txt", "It is [cut:MY_TOKEN].");
    str_done(&words);
    redactor_close(redactor);
}
END_TEST

START_TEST(test_a_child_that_the_agent_leaves_is_ended)
{
    char *text;
    say(1, INIT "\n" DONE("ok"));
    and_do(1, "(trap '' HUP TERM; exec setsid sleep 1000) & echo $! >child\n");
    try_run("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'}]}", 0);
    text = read_file("child");
    const pid_t pid = (pid_t)strtol(text, NULL, 10);
    free(text);
    ck_assert_int_gt(pid, 1);
    ck_assert_int_eq(kill(pid, 0), -1);
    ck_assert_int_eq(tried.state.steps[0].attempts[0].outcome.processes_left, 0);
}
END_TEST

static bool has_prompt(void)
{
    return try_has_file("prompt.1") && try_has_file("ready");
}

START_TEST(test_a_canceled_agent_that_exits_0_has_not_passed)
{
    say(1, INIT "\n" DONE("ok"));
    and_do(1, "trap 'exit 0' TERM; touch ready; while :; do sleep 0.01; done\n");
    try_start("{'id':'a','steps':[{'agent':'fake','prompt':'Make it.'}]}");
    ck_assert(try_await(has_prompt));
    engine_cancel(tried.engine, "tester");
    ck_assert_int_eq(try_finish().exit_code, 130);
    try_read_log();
    ck_assert_int_eq(tried.state.tasks[0].status, TASK_CANCELLED);
    ck_assert_int_eq(try_find(EVENT_ATTEMPT_ENDED, 0)->ended.outcome.kind, OUTCOME_CANCELLED);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("engine_agent");
    TCase *runs = test_case(suite, "runs");
    tcase_add_checked_fixture(runs, setup, try_close);
    tcase_add_test(runs, test_agent_runs_live_and_its_session_is_kept);
    tcase_add_test(runs, test_a_prompt_can_be_an_argument);
    tcase_add_test(runs, test_E5_step_begins_in_the_session_that_it_names);
    tcase_add_test(runs, test_output_makes_the_folders_above_it);
    tcase_add_test(runs, test_output_never_follows_a_link);
    TCase *fails = test_case(suite, "fails");
    tcase_add_checked_fixture(fails, setup, try_close);
    tcase_add_test(fails, test_E2_limit_is_waited_out_and_the_session_goes_on);
    tcase_add_test(fails, test_a_lost_session_is_replaced_within_the_try);
    tcase_add_test(fails, test_E2_agent_that_is_not_there_is_told_with_how_to_get_it);
    tcase_add_test(fails, test_E2_silent_agent_is_ended_with_all_that_it_started);
    tcase_add_test(fails, test_own_retries_count_as_silence);
    tcase_add_loop_test(fails, test_an_own_retry_names_the_cause, 0, TABLE_LEN(retried));
    tcase_add_test(fails, test_own_retries_count_like_tries_and_their_time_as_waiting);
    tcase_add_test(fails, test_quiet_limit_holds_for_a_command_too);
    tcase_add_test(fails, test_capture_names_session_and_costs);
    tcase_add_test(fails, test_output_that_cannot_be_written_is_told_by_its_name);
    tcase_add_test(fails, test_secret_in_pieces_of_a_message_is_cut);
    tcase_add_test(fails, test_a_child_that_the_agent_leaves_is_ended);
    tcase_add_test(fails, test_a_canceled_agent_that_exits_0_has_not_passed);
    tcase_add_loop_test(fails, test_a_secret_in_a_prompt_reaches_only_the_agent, 0,
                        TABLE_LEN(prompted_how));
    TCase *rounds = test_case(suite, "rounds");
    tcase_add_checked_fixture(rounds, setup, try_close);
    tcase_add_test(rounds, test_D2_result_that_breaks_its_contract_is_repaired_in_the_session);
    tcase_add_test(rounds, test_red_check_goes_to_the_agent_until_it_is_green);
    tcase_add_test(rounds, test_refused_call_as_the_last_one_needs_a_person);
    tcase_add_test(rounds, test_refused_calls_of_an_agent_that_went_on_are_only_counted);
    tcase_add_test(rounds, test_check_that_passes_outweighs_a_refused_call);
    tcase_add_test(rounds, test_check_that_fails_after_a_refused_call_needs_a_person);
    tcase_add_test(rounds, test_C4_calls_that_go_in_circles_are_stopped);
    tcase_add_test(rounds, test_what_failed_before_a_loop_of_messages_is_kept);
    tcase_add_test(rounds, test_a_nudge_comes_with_the_next_prompt);
    tcase_add_test(rounds, test_budget_that_is_spent_holds_the_task);
    tcase_add_test(rounds, test_fast_agent_is_stopped_at_its_budget);
    tcase_add_test(rounds, test_wall_budget_ends_the_agent);
    return suite;
}
