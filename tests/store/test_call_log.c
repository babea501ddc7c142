#include "call_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "json.h"
#include "log_try.h"
#include "must.h"
#include "test_main.h"

enum { PROCESSES = 20, WAIT_MS = 60 * 1000 };

static struct place place;
static struct call_session session;
static struct moment now;

static void setup(void)
{
    char path[PATH_MAX];
    (void)snprintf(path, sizeof(path), "%s/devs.db", test_tmpdir());
    ck_assert(place_find(path, true, &place, NULL));
    session = (struct call_session){
        .agent = "claude", .id = "1a2b3c4d-0000", .dir = "/tmp", .wait_ms = WAIT_MS};
    now = clock_now();
}

static struct call_log *opened(void)
{
    struct call_log *log = NULL;
    must(call_log_open(&log, &place, &session, &now, &err));
    return log;
}

/* The arguments of a call. The caller frees. */
static struct json *args_of(const char *command)
{
    struct str text = {0};
    struct json *args = NULL;
    str_add_char(&text, '{');
    str_json_text(&text, "command", command);
    str_add_char(&text, '}');
    ck_assert(json_parse(str_text(&text), text.len, &args, NULL, NULL));
    str_done(&text);
    return args;
}

static struct call_verdict add(struct call_log *log, const char *command, const char *output,
                               int code)
{
    struct json *args = args_of(command);
    struct call_verdict verdict;
    now.at_ms += 10;
    now.mono_ms += 10;
    const struct call_made call = {.tool = "Bash",
                                   .args = args,
                                   .output = output,
                                   .output_len = strlen(output),
                                   .exit = code,
                                   .at = now};
    must(call_log_add(log, &call, &verdict, &err));
    json_free(args);
    return verdict;
}

/* Like a hook: opens the log for one call. */
static enum entropy_level add_alone(const char *command, const char *output, int code)
{
    struct call_log *log = opened();
    const enum entropy_level level = add(log, command, output, code).level;
    must(call_log_commit(log, &err));
    call_log_close(log);
    return level;
}

/* As many equal calls as are stopped as a loop. */
static void loop(void)
{
    for (int i = 0; i < 10; i++)
        (void)add_alone("make test", "1 failed", 1);
}

START_TEST(test_calls_of_a_session_are_one_run)
{
    ck_assert_int_eq(add_alone("make", "ok 1", 0), ENTROPY_OK);
    ck_assert_int_eq(add_alone("make test", "ok 2", 0), ENTROPY_OK);
    int64_t run = 0;
    ck_assert(call_log_find(&place, "claude", session.id, &run));
    ck_assert_int_eq(run, 1);
    struct follower *follower = log_follow(&place, run);
    const struct run_state *state = follower_state(follower);
    ck_assert_str_eq(follower_run(follower)->kind, "agent");
    ck_assert_str_eq(state->plan->name, "claude 1a2b3c4d");
    ck_assert_int_eq(state->tasks[0].status, TASK_RUNNING);
    ck_assert_ptr_nonnull(state->tasks[0].agent);
    ck_assert_str_eq(state->tasks[0].agent->session, session.id);
    ck_assert_int_eq(task_agent_used(state->tasks[0].agent).calls, 2);
    follower_close(follower);
}
END_TEST

START_TEST(test_another_session_is_another_run)
{
    (void)add_alone("make", "ok", 0);
    session.id = "other";
    (void)add_alone("make", "ok", 0);
    session.agent = "codex";
    (void)add_alone("make", "ok", 0);
    int64_t run = 0;
    ck_assert(call_log_find(&place, "claude", "other", &run));
    ck_assert_int_eq(run, 2);
    ck_assert(call_log_find(&place, "codex", "other", &run));
    ck_assert_int_eq(run, 3);
    ck_assert(!call_log_find(&place, "codex", "1a2b3c4d-0000", &run));
}
END_TEST

START_TEST(test_loops_are_found_across_many_processes)
{
    enum entropy_level level = ENTROPY_OK;
    int calls = 0;
    bool suspected = false;
    while (level != ENTROPY_STUCK && calls < 40) {
        level = add_alone("make test", "1 failed", 1);
        suspected = suspected || level == ENTROPY_SUSPECT;
        calls++;
    }
    ck_assert(suspected);
    ck_assert_int_eq(level, ENTROPY_STUCK);
    ck_assert(call_log_may_turn_away(&place, "claude", session.id));

    struct follower *follower = log_follow(&place, 1); /* the fold says the same */
    const struct task_agent *agent = follower_state(follower)->tasks[0].agent;
    ck_assert_ptr_nonnull(agent->calls);
    ck_assert_int_eq(agent->calls->verdict.level, ENTROPY_STUCK);
    ck_assert_int_eq(agent->calls->verdict.last_number, calls);
    follower_close(follower);
}
END_TEST

static int turned_away(const char *command)
{
    struct call_log *log = opened();
    struct str why = {0};
    struct json *args = args_of(command);
    struct call_refusal refusal = {.times = -1};
    const struct call_made call = {.tool = "Bash", .args = args, .at = now};
    ck_assert(call_log_turn_away(log, &call, &refusal, &why, NULL));
    ck_assert_int_eq(refusal.times > 0, why.len > 0);
    ck_assert(!refusal.by_person);
    ck_assert(call_log_commit(log, NULL));
    call_log_close(log);
    json_free(args);
    str_done(&why);
    return refusal.times;
}

START_TEST(test_only_calls_of_the_loop_are_turned_away)
{
    loop();
    ck_assert_int_eq(turned_away("make test"), 1);
    ck_assert_int_eq(turned_away("make test"), 2);
    ck_assert_int_eq(turned_away("git diff"), 0);
    ck_assert_int_eq(add_alone("git diff", "a new line", 0), ENTROPY_OK);
    ck_assert(!call_log_may_turn_away(&place, "claude", session.id));
    ck_assert_int_eq(turned_away("make test"), 0);
}
END_TEST

START_TEST(test_a_prompt_resets_the_loop)
{
    loop();
    struct call_log *log = opened();
    ck_assert(call_log_add_prompt(log, "go on, please\nsecond line", &now, NULL));
    ck_assert(call_log_commit(log, NULL));
    call_log_close(log);
    ck_assert(!call_log_may_turn_away(&place, "claude", session.id));
    ck_assert_int_eq(add_alone("make test", "1 failed", 1), ENTROPY_OK);
}
END_TEST

START_TEST(test_without_saved_memory_the_events_show_the_loop)
{
    int until = 0;
    while (add_alone("make test", "1 failed", 1) != ENTROPY_STUCK)
        until++;
    session.id = "again";
    for (int i = 0; i < until; i++)
        ck_assert_int_ne(add_alone("make test", "1 failed", 1), ENTROPY_STUCK);
    log_change(&place, "DELETE FROM gain");
    ck_assert_int_eq(add_alone("make test", "1 failed", 1), ENTROPY_STUCK);
}
END_TEST

START_TEST(test_without_saved_memory_only_calls_of_the_loop_are_turned_away)
{
    ck_assert_int_eq(add_alone("git diff", "a new line", 0), ENTROPY_OK);
    loop();
    log_change(&place, "DELETE FROM gain");
    ck_assert_int_eq(turned_away("git diff"), 0);
    ck_assert_int_eq(turned_away("make test"), 1);
}
END_TEST

static void end_session(int code)
{
    struct call_log *log = opened();
    now.at_ms += 1000;
    now.mono_ms += 1000;
    must(call_log_end(log, code, &now, &err));
    call_log_close(log);
}

START_TEST(test_a_session_that_returns_after_its_end_is_a_new_run)
{
    (void)add_alone("make", "ok", 0);
    end_session(0);
    struct follower *follower = log_follow(&place, 1);
    ck_assert(follower_state(follower)->ended);
    ck_assert_int_eq(follower_state(follower)->exit_code, 0);
    ck_assert_int_eq(follower_state(follower)->tasks[0].status, TASK_PASSED);
    follower_close(follower);

    (void)add_alone("make", "ok", 0);
    int64_t run = 0;
    ck_assert(call_log_find(&place, "claude", session.id, &run));
    ck_assert_int_eq(run, 2);
}
END_TEST

/* The session is over, whatever the reason: nobody would wait or retry. */
START_TEST(test_a_failed_end_is_not_retried)
{
    (void)add_alone("make", "ok", 0);
    end_session(1);
    struct follower *follower = log_follow(&place, 1);
    const struct run_state *state = follower_state(follower);
    ck_assert(state->ended);
    ck_assert_int_eq(state->exit_code, 1);
    ck_assert_int_eq(state->tasks[0].status, TASK_GAVE_UP);
    ck_assert_uint_eq(state->tasks[0].steps[0].attempt_count, 1);
    struct verdict room;
    const struct verdict *verdict = step_state_verdict(&state->tasks[0].steps[0], &room);
    ck_assert_ptr_nonnull(verdict);
    ck_assert_int_eq(verdict->class, VERDICT_PERSISTENT);
    ck_assert_int_eq(verdict->retry_after_ms, -1);
    ck_assert_int_eq(verdict->resume_at_ms, -1);
    follower_close(follower);
}
END_TEST

START_TEST(test_a_full_run_continues_in_another)
{
    struct call_log *log = opened();
    char command[32];
    for (int i = 0; i < AGENT_CALLS_MAX + 5; i++) {
        (void)snprintf(command, sizeof(command), "echo %d", i);
        (void)add(log, command, command, 0);
    }
    ck_assert(call_log_commit(log, NULL));
    ck_assert_int_eq(call_log_run(log), 2);
    call_log_close(log);
    struct follower *follower = log_follow(&place, 1);
    ck_assert(follower_state(follower)->ended);
    ck_assert_int_eq(task_agent_used(follower_state(follower)->tasks[0].agent).calls,
                     AGENT_CALLS_MAX);
    follower_close(follower);
    follower = log_follow(&place, 2);
    ck_assert(!follower_state(follower)->ended);
    ck_assert_int_eq(task_agent_used(follower_state(follower)->tasks[0].agent).calls, 5);
    follower_close(follower);
}
END_TEST

START_TEST(test_processes_at_once_lose_no_call)
{
    pid_t pids[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        ck_assert_int_ge(pids[i], 0);
        if (pids[i] == 0) {
            char command[32];
            (void)snprintf(command, sizeof(command), "echo %d", i);
            (void)add_alone(command, command, 0);
            _exit(0);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        ck_assert_int_eq(waitpid(pids[i], &status, 0), pids[i]);
        ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    int64_t run = 0;
    ck_assert(call_log_find(&place, "claude", session.id, &run));
    ck_assert_int_eq(run, 1);
    end_session(0);
    struct follower *follower = log_follow(&place, 1);
    ck_assert_int_eq(task_agent_used(follower_state(follower)->tasks[0].agent).calls, PROCESSES);
    follower_close(follower);
}
END_TEST

START_TEST(test_invalid_names_are_refused)
{
    struct call_log *log = NULL;
    session.agent = "../x";
    must_fail(call_log_open(&log, &place, &session, &now, &err), ERR_INVALID);
    session.agent = "claude";
    const char *const ids[] = {"", "1a\x1b[2J", "1a\n2b"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        session.id = ids[i];
        must_fail(call_log_open(&log, &place, &session, &now, &err), ERR_INVALID);
    }
}
END_TEST

/* An agent may report any numbers: the run can still be read. */
START_TEST(test_impossible_numbers_leave_a_sound_run)
{
    struct call_log *log = opened();
    const int64_t wrong[] = {-1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        const struct agent_used used = {.turns = wrong[i],
                                        .calls = wrong[i],
                                        .cost_micro = wrong[i],
                                        .tokens = wrong[i],
                                        .own_retries = wrong[i]};
        const struct call_made call = {.tool = "Bash", .ms = wrong[i], .at = now};
        must(call_log_add(log, &call, NULL, &err));
        must(call_log_add_used(log, &used, &now, &err));
        must(call_log_commit(log, &err));
    }
    call_log_close(log);
    struct follower *follower = log_follow(&place, 1);
    const struct agent_used used = task_agent_used(follower_state(follower)->tasks[0].agent);
    ck_assert_int_eq(used.calls, 3);
    ck_assert_int_eq(used.turns, AGENT_USED_MAX);
    follower_close(follower);
}
END_TEST

START_TEST(test_an_agent_without_an_adapter_has_a_run_too)
{
    session.agent = "my-own.agent";
    (void)add_alone("make", "ok", 0);
    struct follower *follower = log_follow(&place, 1);
    ck_assert_str_eq(follower_state(follower)->plan->tasks[0].id, "my-own.agent");
    follower_close(follower);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("call_log");
    TCase *tcase = test_case(suite, "call_log");
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_test(tcase, test_calls_of_a_session_are_one_run);
    tcase_add_test(tcase, test_another_session_is_another_run);
    tcase_add_test(tcase, test_loops_are_found_across_many_processes);
    tcase_add_test(tcase, test_only_calls_of_the_loop_are_turned_away);
    tcase_add_test(tcase, test_a_prompt_resets_the_loop);
    tcase_add_test(tcase, test_without_saved_memory_the_events_show_the_loop);
    tcase_add_test(tcase, test_without_saved_memory_only_calls_of_the_loop_are_turned_away);
    tcase_add_test(tcase, test_a_session_that_returns_after_its_end_is_a_new_run);
    tcase_add_test(tcase, test_a_failed_end_is_not_retried);
    tcase_add_test(tcase, test_a_full_run_continues_in_another);
    tcase_add_test(tcase, test_processes_at_once_lose_no_call);
    tcase_add_test(tcase, test_invalid_names_are_refused);
    tcase_add_test(tcase, test_impossible_numbers_leave_a_sound_run);
    tcase_add_test(tcase, test_an_agent_without_an_adapter_has_a_run_too);
    return suite;
}
