/* Attempts on other machines: which host gets a task, and what the state keeps of it. */
#include <stdio.h>
#include <string.h>

#include "play.h"
#include "run_state.h"
#include "test_main.h"

/* Two hosts of one executor with two slots and one. */
#define LAB                                                                                        \
    "'executors':{'lab':{'like':'ssh','shared':'/s','hosts':[{'host':'h1','slots':2},'h2']}}"

static struct play play;

static void teardown(void)
{
    play_close(&play);
}

static void begin(const char *tasks, int jobs)
{
    char plan[2048];
    (void)snprintf(plan, sizeof(plan), "{'version':1,'idempotent':true," LAB ",%s}", tasks);
    play_open(&play, plan);
    play_start(&play, jobs);
}

/* Four tasks there and two here. */
static void begin_six(int jobs)
{
    begin("'executor':'lab','tasks':[{'id':'a','steps':[{'run':['x']}]},"
          "{'id':'b','steps':[{'run':['x']}]},{'id':'c','steps':[{'run':['x']}]},"
          "{'id':'d','steps':[{'run':['x']}]},"
          "{'id':'here','executor':'local','steps':[{'run':['x']}]},"
          "{'id':'too','executor':'local','steps':[{'run':['x']}]}]",
          jobs);
}

static int host_of(const char *id)
{
    const struct attempt_state *attempt =
        step_state_attempt(run_state_step(&play.state, play_task(&play, id)));
    return attempt ? attempt->host : -2;
}

static void tell_host(const char *host, bool is_down)
{
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(EVENT_HOST_STATE);
    input.fact_event.host.executor = "lab";
    input.fact_event.host.host = host;
    input.fact_event.host.is_down = is_down;
    input.fact_event.host.why = is_down ? "no route" : NULL;
    play_input(&play, input);
}

static void tell_contact(const char *id, enum event_kind kind)
{
    const int task = play_task(&play, id);
    struct input input = {.kind = INPUT_FACT,
                          .task = task,
                          .step = 0,
                          .attempt = step_state_attempt(run_state_step(&play.state, task))->number};
    input.fact_event = event_new(kind);
    if (kind == EVENT_CONTACT_LOST) {
        input.fact_event.contact_lost.since = play.now;
        input.fact_event.contact_lost.fence =
            (struct moment){play.now.at_ms + 60000, play.now.mono_ms + 60000};
    }
    play_input(&play, input);
}

static void tell_job(const char *id, enum job_state state, const char *reason, const char *node)
{
    const int task = play_task(&play, id);
    struct input input = {.kind = INPUT_FACT,
                          .task = task,
                          .step = 0,
                          .attempt = step_state_attempt(run_state_step(&play.state, task))->number};
    input.fact_event = event_new(EVENT_JOB_STATE);
    input.fact_event.job.state = state;
    input.fact_event.job.job = "17";
    input.fact_event.job.holder = "devs-17";
    input.fact_event.job.reason = reason;
    input.fact_event.job.node = node;
    play_input(&play, input);
}

static void lose(const char *id)
{
    play_outcome(&play, id, (struct outcome){.kind = OUTCOME_LOST, .proof = PROOF_FENCED},
                 play_transient(TRANSIENT_NETWORK_TIMEOUT));
}

/* A state of a job is recorded only if something about it has changed. */
START_TEST(test_a_job_is_recorded_when_it_changes)
{
    begin_six(1);
    tell_job("a", JOB_QUEUED, NULL, NULL);
    tell_job("a", JOB_QUEUED, NULL, NULL);
    ck_assert_int_eq(play_count(&play, EVENT_JOB_STATE, NULL), 1);
    tell_job("a", JOB_QUEUED, "Priority", NULL);
    tell_job("a", JOB_QUEUED, "Priority", NULL);
    ck_assert_int_eq(play_count(&play, EVENT_JOB_STATE, NULL), 2);
    tell_job("a", JOB_RUNNING, NULL, "n1");
    tell_job("a", JOB_RUNNING, NULL, "n1");
    tell_job("a", JOB_RUNNING, NULL, NULL);
    ck_assert_int_eq(play_count(&play, EVENT_JOB_STATE, NULL), 3);
    const struct task_job *job = play.state.tasks[play_task(&play, "a")].job;
    ck_assert_str_eq(job->node, "n1");
    ck_assert_str_eq(job->reason, "");
    tell_job("here", JOB_RUNNING, NULL, "n1"); /* it is on this machine */
    ck_assert_int_eq(play_count(&play, EVENT_JOB_STATE, NULL), 3);
}
END_TEST

START_TEST(test_slots_of_hosts_and_of_this_machine)
{
    begin_six(1);
    ck_assert_int_eq(host_of("a"), 0);
    ck_assert_int_eq(host_of("b"), 0);
    ck_assert_int_eq(host_of("c"), 1);
    ck_assert_int_eq(host_of("d"), -2);
    ck_assert_int_eq(host_of("here"), -1);
    ck_assert_int_eq(host_of("too"), -2);
    ck_assert_int_eq(play.state.running, 4);
    ck_assert_int_eq(play.state.running_away, 3);
    ck_assert_int_eq(play.state.hosts[0].running, 2);
    play_exit(&play, "c", 0, play_passed());
    ck_assert_int_eq(host_of("d"), 1);
    ck_assert_int_eq(host_of("too"), -2);
    play_exit(&play, "here", 0, play_passed());
    ck_assert_int_eq(host_of("too"), -1);
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "d", 0, play_passed());
    play_exit(&play, "too", 0, play_passed());
    ck_assert(play.state.ended);
    ck_assert_int_eq(play.state.running_away, 0);
    ck_assert_int_eq(play.state.hosts[0].running, 0);
    ck_assert_int_eq(play.state.hosts[1].running, 0);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_PLACED, NULL), 4);
}
END_TEST

START_TEST(test_host_that_is_down_gets_nothing)
{
    begin_six(1);
    tell_host("h1", true);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(host_of("d"), -2);
    tell_host("h1", false);
    ck_assert_int_eq(host_of("d"), 0);
}
END_TEST

/* A retry prefers its host, unless that was lost. A lost attempt is not a try. */
START_TEST(test_retry_prefers_its_host)
{
    begin("'executor':'lab','tasks':[{'id':'a','steps':[{'run':['x'],'policy':{'max_attempts':3,"
          "'base_delay_ms':1,'jitter':0}}]}]",
          1);
    ck_assert_int_eq(host_of("a"), 0);
    lose("a");
    play_wait(&play, 600000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 2);
    ck_assert_int_eq(host_of("a"), 0); /* it has more free slots than the other one */
    tell_host("h1", true);
    lose("a");
    play_wait(&play, 600000);
    ck_assert_int_eq(host_of("a"), 1);
    tell_host("h1", false);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    play_wait(&play, 600000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 4);
    ck_assert_int_eq(host_of("a"), 1);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
}
END_TEST

/* After its first passed step, a task stays on the host of its worktree; before, it may move. */
START_TEST(test_worktree_binds_its_task)
{
    play_open(
        &play,
        "{'version':1,'workspace':'worktree','executors':{'lab':{'like':'ssh','hosts':['h1',"
        "'h2']}},'executor':'lab','tasks':[{'id':'a','steps':[{'run':['x']},{'run':['y']}]},"
        "{'id':'b','steps':[{'run':['x']},{'run':['y']}]},{'id':'c','steps':[{'run':['x']}]}]}");
    play_start(&play, 1);
    ck_assert_int_eq(host_of("a"), 0);
    ck_assert_int_eq(host_of("b"), 1);
    tell_host("h1", true);
    tell_host("h2", true);
    lose("a");
    play_exit(&play, "b", 0, play_passed());
    play_wait(&play, 600000);
    ck_assert_int_eq(run_state_bound_host(&play.state, play_task(&play, "a")), -1);
    ck_assert_int_eq(run_state_bound_host(&play.state, play_task(&play, "b")), 1);
    ck_assert_int_eq(run_state_bound_host(&play.state, play_task(&play, "c")), -1);
    tell_host("h1", false); /* not the host of b, which does not keep others from starting there */
    ck_assert_int_eq(host_of("a"), 0);
    ck_assert_int_eq(host_of("b"), -2);
    play_exit(&play, "a", 0, play_passed());
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(host_of("c"), 0);
    ck_assert_int_eq(host_of("b"), -2);
    tell_host("h2", false);
    ck_assert_int_eq(host_of("b"), 1);
    play_exit(&play, "b", 0, play_passed());
    play_exit(&play, "c", 0, play_passed());
    ck_assert(play.state.ended);
}
END_TEST

START_TEST(test_contact)
{
    begin_six(1);
    const struct task_state *task = &play.state.tasks[play_task(&play, "a")];
    tell_contact("a", EVENT_CONTACT_LOST);
    ck_assert_int_eq(task->fence.mono_ms, play.now.mono_ms + 60000);
    tell_contact("a", EVENT_CONTACT_FOUND);
    ck_assert_int_eq(task->away_since.at_ms, 0);
    tell_contact("a", EVENT_CONTACT_LOST);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(task->away_since.at_ms, 0);
    ck_assert_int_eq(task->fence.at_ms, 0);
    const int lost = play_count(&play, EVENT_CONTACT_LOST, NULL);
    tell_contact("a", EVENT_CONTACT_LOST);    /* it has ended */
    tell_contact("here", EVENT_CONTACT_LOST); /* it is here */
    ck_assert_int_eq(play_count(&play, EVENT_CONTACT_LOST, NULL), lost);
}
END_TEST

static void tell_running(const char *id)
{
    const int task = play_task(&play, id);
    const struct attempt_state *attempt = step_state_attempt(run_state_step(&play.state, task));
    play_input(&play,
               (struct input){.kind = INPUT_RUNNING, .task = task, .attempt = attempt->number});
}

/* What the state keeps of a host: contact, when it was last heard, since when and why it is down.
 */
START_TEST(test_host_is_reached_and_heard)
{
    begin_six(1);
    const struct host_state *host = &play.state.hosts[0];
    ck_assert_int_eq(host->reached, 0); /* two were started; it has not answered yet */
    ck_assert_int_eq(host->heard.at_ms, 0);
    tell_running("a");
    tell_running("a");
    tell_running("b");
    ck_assert_int_eq(host->reached, 2);
    const struct moment heard = play.now;
    play_wait(&play, 5000);
    tell_contact("a", EVENT_CONTACT_LOST);
    tell_contact("a", EVENT_CONTACT_LOST);
    ck_assert_int_eq(host->reached, 1);
    tell_host("h1", true);
    ck_assert_str_eq(host->why, "no route");
    ck_assert_int_eq(host->since.at_ms, play.now.at_ms);
    ck_assert_int_eq(host->reached, 1);
    tell_contact("b", EVENT_CONTACT_LOST);
    ck_assert_int_eq(host->reached, 0);
    ck_assert_int_gt(host->heard.at_ms, heard.at_ms);
    play_wait(&play, 5000);
    tell_host("h1", false);
    ck_assert_str_eq(host->why, "");
    ck_assert_int_eq(host->since.at_ms, play.now.at_ms);
    ck_assert_int_eq(host->heard.at_ms, play.now.at_ms);
    tell_contact("a", EVENT_CONTACT_FOUND);
    ck_assert_int_eq(host->reached, 1);
    play_wait(&play, 5000);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(host->reached, 0);
    ck_assert_int_eq(host->heard.at_ms, play.now.at_ms);
}
END_TEST

/* The reason comes from another machine. */
START_TEST(test_reason_is_clean_and_short)
{
    char why[1000] = "\x1b[31mred\n";
    begin_six(1);
    memset(why + strlen(why), 'x', sizeof(why) - strlen(why) - 1);
    struct input input = {.kind = INPUT_FACT, .task = -1, .step = -1};
    input.fact_event = event_new(EVENT_HOST_STATE);
    input.fact_event.host.executor = "lab";
    input.fact_event.host.host = "h1";
    input.fact_event.host.is_down = true;
    input.fact_event.host.why = why;
    play_input(&play, input);
    const char *kept = play.state.hosts[0].why;
    ck_assert_uint_eq(strlen(kept), HOST_WHY_MAX - 1);
    ck_assert_ptr_null(strchr(kept, '\x1b'));
    ck_assert_ptr_null(strchr(kept, '\n'));
}
END_TEST

/* An attempt that was killed without contact may still run until the fence. */
START_TEST(test_fence_outlives_an_end_without_proof)
{
    begin_six(1);
    const struct task_state *task = &play.state.tasks[play_task(&play, "a")];
    tell_running("a");
    tell_contact("a", EVENT_CONTACT_LOST);
    const struct moment fence = task->fence;
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_KILL);
    play_outcome(&play, "a", (struct outcome){.kind = OUTCOME_CANCELLED},
                 play_persistent(REASON_CANCELLED));
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
    ck_assert_int_eq(task->fence.at_ms, fence.at_ms);
    ck_assert_int_eq(task->away_since.at_ms, 0);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_TERM);
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED); /* refused: it could run twice */
    play.now.at_ms = fence.at_ms;
    play.now.mono_ms = fence.mono_ms;
    play_control(&play, CONTROL_RETRY, "a", CANCEL_TERM);
    play_exit(&play, "c", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    ck_assert_int_eq(task->fence.at_ms, 0);
    /* with a proof, nothing is left */
    tell_contact("b", EVENT_CONTACT_LOST);
    play_control(&play, CONTROL_CANCEL, "b", CANCEL_KILL);
    play_outcome(&play, "b", (struct outcome){.kind = OUTCOME_CANCELLED, .proof = PROOF_FENCED},
                 play_persistent(REASON_CANCELLED));
    ck_assert_int_eq(play.state.tasks[play_task(&play, "b")].fence.at_ms, 0);
}
END_TEST

static void check_answer(const char *id, enum cancel_mode mode, const char *wanted)
{
    play_control(&play, CONTROL_CANCEL, id, mode);
    const char *answer = play_last(&play, EVENT_CONTROL_ANSWERED)->answered.answer;
    ck_assert_msg(strncmp(answer, wanted, strlen(wanted)) == 0, "%s", answer);
}

/* A signal is only said to be sent if it can be. */
START_TEST(test_answers_to_a_cancel_name_the_host)
{
    begin_six(1);
    check_answer("a", CANCEL_TERM, "SIGTERM sent to its processes on h1, SIGKILL follows");
    check_answer("a", CANCEL_KILL, "SIGKILL sent to its processes on h1");
    tell_contact("c", EVENT_CONTACT_LOST);
    check_answer("c", CANCEL_TERM, "no contact with h2: sent once there is");
    check_answer("c", CANCEL_KILL,
                 "no contact with h2: the try may run there until it ends itself");
    check_answer("b", CANCEL_STOP, "no more tries; the running try may finish");
    check_answer("here", CANCEL_TERM, "SIGTERM sent to its process group, SIGKILL follows");
}
END_TEST

/* A devs that died had contact until then, and the next one has none yet. */
START_TEST(test_next_engine_has_no_contact_yet)
{
    begin_six(1);
    tell_running("a");
    play_wait(&play, 5000);
    tell_running("c");
    const struct moment heard = play.state.heard;
    play_wait(&play, 60000);
    play_crash(&play, play.events.count, false);
    ck_assert_int_eq(play.state.hosts[0].reached, 0);
    ck_assert_int_eq(play.state.hosts[0].heard.at_ms, heard.at_ms);
    tell_contact("a", EVENT_CONTACT_LOST); /* at once: since then nothing was heard */
    ck_assert_int_eq(play.state.hosts[0].heard.at_ms, heard.at_ms);
    tell_running("c");
    ck_assert_int_eq(play.state.hosts[1].reached, 1);
}
END_TEST

/* Hosts that the plan does not have, and kinds of other machines for tasks of this one. */
START_TEST(test_unknown_host_is_ignored)
{
    begin_six(1);
    tell_host("h3", true);
    ck_assert_int_eq(play_count(&play, EVENT_HOST_STATE, NULL), 0);
}
END_TEST

static bool is_sound(struct event event)
{
    struct run_state copy;
    run_state_copy(&copy, &play.state);
    event.seq = copy.last_seq + 1;
    event.at = play.now;
    const bool sound = run_state_apply(&copy, &event, NULL);
    run_state_done(&copy);
    return sound;
}

static struct event placed(const char *id, const char *executor, const char *host)
{
    struct event event = event_new(EVENT_ATTEMPT_PLACED);
    event.task = play_task(&play, id);
    event.step = 0;
    event.attempt = 1;
    event.round = event.grant = 1;
    event.placed.executor = executor;
    event.placed.host = host;
    return event;
}

START_TEST(test_place_of_a_log_is_checked)
{
    begin_six(1);
    ck_assert(!is_sound(placed("a", "lab", "h1")));    /* placed before */
    ck_assert(!is_sound(placed("here", "lab", "h1"))); /* of this machine */
    ck_assert(!is_sound(placed("d", "lab", "h1")));    /* not started */
    ck_assert(!is_sound(placed("here", NULL, NULL)));
    struct event event = event_new(EVENT_HOST_STATE);
    ck_assert(!is_sound(event));
    event.host.executor = "lab";
    event.host.host = "h2";
    ck_assert(is_sound(event));
}
END_TEST

static const struct action *action_of(const char *id)
{
    for (size_t i = 0; i < play.turn.action_count; i++) {
        if (play.turn.actions[i].task == play_task(&play, id))
            return &play.turn.actions[i];
    }
    return NULL;
}

static int actions_of(const char *id)
{
    int count = 0;
    for (size_t i = 0; i < play.turn.action_count; i++)
        count += play.turn.actions[i].task == play_task(&play, id);
    return count;
}

static bool is_attached(const char *task)
{
    const struct action *action = action_of(task);
    return action && action->kind == ACTION_ATTACH;
}

/* The next engine takes up what runs on other machines, and counts its slots. */
START_TEST(test_recovery_takes_up_what_runs_there)
{
    begin_six(1);
    tell_host("h2", true);
    tell_contact("a", EVENT_CONTACT_LOST);
    play_crash(&play, play.events.count, false);
    ck_assert(is_attached("a"));
    ck_assert(is_attached("b"));
    ck_assert(is_attached("c"));
    ck_assert_ptr_null(action_of("d"));
    ck_assert_int_eq(play.state.hosts[0].running, 2);
    ck_assert(play.state.hosts[1].down);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
    ck_assert_int_eq(
        run_state_step(&play.state, play_task(&play, "here"))->attempts[0].outcome.kind,
        OUTCOME_INTERRUPTED);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_status(&play, "a"), TASK_PASSED);
    ck_assert_int_eq(host_of("d"), 0);
}
END_TEST

/* A canceled attempt is taken up too, and ended again: the signal may never have been sent. */
START_TEST(test_recovery_ends_what_was_cancelled)
{
    begin_six(1);
    play_control(&play, CONTROL_CANCEL, "a", CANCEL_STOP);
    play_control(&play, CONTROL_CANCEL, "b", CANCEL_TERM);
    play_crash(&play, play.events.count, false);
    ck_assert(is_attached("a"));
    ck_assert(is_attached("b"));
    ck_assert_int_eq(actions_of("a"), 1);
    ck_assert_int_eq(actions_of("b"), 2);
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
    play_exit(&play, "a", 1, play_transient(TRANSIENT_NETWORK_TIMEOUT));
    ck_assert_int_eq(play_status(&play, "a"), TASK_CANCELLED);
}
END_TEST

/* A reboot of this machine ends nothing there. */
START_TEST(test_recovery_after_a_reboot)
{
    begin_six(1);
    tell_contact("a", EVENT_CONTACT_LOST);
    play_crash(&play, play.events.count, true);
    ck_assert(is_attached("a"));
    ck_assert_int_eq(play_status(&play, "a"), TASK_RUNNING);
}
END_TEST

/* The first task in the line of a gate has no slot; those behind it have. */
START_TEST(test_task_without_slot_does_not_block_its_source)
{
    begin("'tasks':["
          "{'id':'a','executor':'lab','steps':[{'run':['x'],'source':'api'}]},"
          "{'id':'b','steps':[{'run':['x'],'source':'api'}],'needs':['z']},"
          "{'id':'z','steps':[{'run':['x']}]}]",
          2);
    tell_host("h1", true);
    tell_host("h2", true);
    lose("a");
    play_wait(&play, 600000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "a"), 1);
    play_exit(&play, "z", 0, play_passed());
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "b"), 1);
    tell_host("h2", false);
    ck_assert_int_eq(host_of("a"), 1);
}
END_TEST

static struct verdict limited(int64_t retry_after_ms)
{
    struct verdict verdict = play_transient(TRANSIENT_API_RATE_LIMIT);
    verdict.retry_after_ms = retry_after_ms;
    return verdict;
}

/* `a` there and `b` here have the same source, whose limit `a` meets. */
static void meet_limit(void)
{
    begin("'tasks':["
          "{'id':'a','executor':'lab','steps':[{'run':['x'],'source':'api'}]},"
          "{'id':'b','needs':['z'],'steps':[{'run':['x'],'source':'api'}]},"
          "{'id':'z','steps':[{'run':['x']}]}]",
          2);
    play_exit(&play, "a", 1, limited(20000));
    play_exit(&play, "z", 0, play_passed());
}

/* The task that a person sends has no slot: the others go when the limit ends. */
START_TEST(test_the_sent_one_without_slot_delays_nobody)
{
    meet_limit();
    const int64_t due_ms = play.state.gates[0].due.mono_ms;
    tell_host("h1", true);
    tell_host("h2", true);
    play_control(&play, CONTROL_RETRY, "a", CANCEL_STOP);
    ck_assert_int_eq(play.state.gates[0].chosen, 0);
    ck_assert_int_eq(scheduler_next_due(&play.scheduler), due_ms);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "b"), 0);
    play_wait(&play, 20000);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "b"), 1);
}
END_TEST

/* A probe that runs elsewhere survives its engine: nothing else tries the source meanwhile. */
START_TEST(test_probe_elsewhere_goes_on)
{
    meet_limit();
    play_wait(&play, 20000);
    ck_assert_int_eq(play.state.gates[0].probe, 0);
    play_crash(&play, play.events.count, false);
    ck_assert(is_attached("a"));
    ck_assert_int_eq(play.state.gates[0].status, GATE_PROBING);
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "b"), 0);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(play_count(&play, EVENT_ATTEMPT_STARTED, "b"), 1);
}
END_TEST

/* A held task takes no slot. */
START_TEST(test_held_task_leaves_its_slot_to_others)
{
    begin_six(1);
    play_control(&play, CONTROL_HOLD, "d", CANCEL_TERM);
    play_exit(&play, "a", 0, play_passed());
    ck_assert_int_eq(host_of("d"), -2);
    ck_assert_int_eq(play.state.hosts[0].running, 1);
    play_control(&play, CONTROL_RELEASE, "d", CANCEL_TERM);
    ck_assert_int_eq(host_of("d"), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("hosts");
    TCase *tcase = test_case(suite, "hosts");
    tcase_add_checked_fixture(tcase, NULL, teardown);
    tcase_add_test(tcase, test_a_job_is_recorded_when_it_changes);
    tcase_add_test(tcase, test_slots_of_hosts_and_of_this_machine);
    tcase_add_test(tcase, test_host_that_is_down_gets_nothing);
    tcase_add_test(tcase, test_retry_prefers_its_host);
    tcase_add_test(tcase, test_worktree_binds_its_task);
    tcase_add_test(tcase, test_contact);
    tcase_add_test(tcase, test_host_is_reached_and_heard);
    tcase_add_test(tcase, test_reason_is_clean_and_short);
    tcase_add_test(tcase, test_fence_outlives_an_end_without_proof);
    tcase_add_test(tcase, test_answers_to_a_cancel_name_the_host);
    tcase_add_test(tcase, test_next_engine_has_no_contact_yet);
    tcase_add_test(tcase, test_unknown_host_is_ignored);
    tcase_add_test(tcase, test_place_of_a_log_is_checked);
    tcase_add_test(tcase, test_recovery_takes_up_what_runs_there);
    tcase_add_test(tcase, test_recovery_ends_what_was_cancelled);
    tcase_add_test(tcase, test_recovery_after_a_reboot);
    tcase_add_test(tcase, test_task_without_slot_does_not_block_its_source);
    tcase_add_test(tcase, test_the_sent_one_without_slot_delays_nobody);
    tcase_add_test(tcase, test_probe_elsewhere_goes_on);
    tcase_add_test(tcase, test_held_task_leaves_its_slot_to_others);
    return suite;
}
