#include "call_run.h"

#include <stdio.h>
#include <string.h>

#include "adapter.h"
#include "follower.h"
#include "log_read.h"
#include "log_write.h"
#include "plan.h"
#include "scheduler.h"
#include "text.h"

enum { NAME_ID_BYTES = 8 /* of a session's id, in the run's name */ };

static void add_name(const struct call_session *session, struct str *out)
{
    str_addf(out, "%s ", session->agent);
    str_add_n(out, session->id, text_cut(session->id, strlen(session->id), NAME_ID_BYTES));
}

/* One attempt, that nobody repeats: devs did not start it. */
static void write_plan(const struct call_session *session, struct str *out)
{
    struct str name = {0};
    add_name(session, &name);
    str_add(out, "{\"version\":1,");
    str_json_text(out, "name", str_text(&name));
    str_add(out, ",\"policies\":{\"session\":{\"like\":\"transport\",\"max_attempts\":1}}");
    const bool is_known = adapters_find(NULL, session->agent) != NULL;
    str_add(out, ",\"agents\":{");
    str_json_key(out, session->agent);
    str_add_char(out, '{');
    str_json_text(out, "like", is_known ? session->agent : "generic");
    if (!is_known)
        str_json_text(out, "program", session->agent);
    str_add(out, ",\"argv\":[],\"permission_args\":[]}}");
    str_add(out, ",\"tasks\":[{");
    str_json_text(out, "id", session->agent);
    str_json_text(out, "title", str_text(&name));
    str_add(out, ",\"steps\":[{\"policy\":\"session\",\"idempotent\":true,");
    str_json_text(out, "agent", session->agent);
    str_json_text(out, "prompt", "(a person's)");
    str_add(out, "}]}]}");
    str_done(&name);
}

/* The plan with the settings' thresholds in it; *text is what the log gets. */
static bool make_plan(const struct call_session *session, struct plan **out, struct str *text,
                      struct err *err)
{
    struct violations violations = {0};
    const struct plan_context context = {.settings = session->settings};
    write_plan(session, text);
    bool ok = plan_parse_with(str_text(text), text->len, &context, out, &violations);
    if (!ok)
        (void)err_set(err, ERR_INVALID, "agent '%s': no plan can be made for it: %s",
                      session->agent,
                      violations.count > 0 ? violations.items[0].message : "it is not right");
    violations_done(&violations);
    if (ok && plan_has_more(*out)) {
        str_clear(text);
        plan_write(*out, text);
    }
    return ok;
}

static void start(struct scheduler *scheduler, const struct call_session *session,
                  const struct moment *now, struct turn *turn)
{
    struct str text = {0};
    struct input begin = {.kind = INPUT_START, .now = *now, .jobs = 1};
    struct input fact = {.kind = INPUT_FACT, .now = *now, .attempt = 1};
    (void)snprintf(begin.control.by, sizeof(begin.control.by), "%s", session->agent);
    scheduler_step(scheduler, &begin, turn);
    str_add_char(&text, '{');
    str_json_text(&text, "agent", session->agent);
    str_json_text(&text, "session", session->id);
    str_json_bool(&text, "resumed", false);
    str_add_char(&text, '}');
    fact.fact_event.kind = EVENT_AGENT_SESSION;
    fact.note = str_text(&text);
    scheduler_step(scheduler, &fact, turn);
    str_done(&text);
}

static bool write_begin(struct log_writer *writer, const struct call_session *session,
                        const struct log_run *run, struct run_state *state, struct err *err)
{
    struct scheduler scheduler = {.state = state};
    struct turn turn = {0};
    int64_t number = 0;
    bool ok = log_writer_begin(writer, run, state, &number, err);
    call_digester_open(&scheduler.calls, session->dir, NULL);
    if (ok) {
        start(&scheduler, session, &run->now, &turn);
        const struct log_batch batch = {.events = turn.events, .event_count = turn.event_count};
        ok = log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, err);
    }
    turn_done(&turn);
    call_digester_close(scheduler.calls);
    return ok;
}

bool call_run_begin(const struct place *place, const struct call_session *session,
                    const struct moment *now, struct err *err)
{
    struct log_writer *writer = NULL;
    struct plan *plan = NULL;
    struct run_state state;
    struct str text = {0};
    struct str name = {0};
    if (!make_plan(session, &plan, &text, err)) {
        str_done(&text);
        return false;
    }
    const struct log_run run = {.name = plan->name,
                                .kind = "agent",
                                .plan_text = str_text(&text),
                                .dir = session->dir,
                                .command = session->agent,
                                .jobs = 1,
                                .tasks = 1,
                                .now = *now};
    run_state_init(&state, plan, run.seed);
    bool ok =
        log_writer_open(&writer, place, err) && write_begin(writer, session, &run, &state, err);
    log_writer_close(writer);
    run_state_done(&state);
    plan_free(plan);
    str_done(&text);
    str_done(&name);
    return ok;
}

/* The session went as it went: there is nothing to wait for, and no rule looked at it. A loop that
 * the agent itself found need not be one to devs. */
static struct verdict end_verdict(int exit)
{
    struct verdict verdict = verdict_new();
    if (exit == CALL_LOG_END_STUCK)
        verdict_set_persistent(&verdict, REASON_LOOP, "CALLS", "session.failed");
    else if (exit != 0)
        verdict_set_persistent(&verdict, REASON_NONE, "", "session.failed");
    return verdict;
}

/* The exit code, or CALL_LOG_END_STUCK. */
static int told_end(const struct task_state *task, int exit)
{
    const struct circles *calls = task->agent ? task->agent->calls : NULL;
    if (exit != CALL_LOG_END_UNTOLD)
        return exit;
    return calls && calls->verdict.level != ENTROPY_OK ? CALL_LOG_END_STUCK : 0;
}

/* What is over already takes no end. */
static bool write_end(struct log_writer *writer, struct run_state *state, int exit,
                      const struct moment *at, struct err *err)
{
    const struct step_state *step = run_state_step(state, 0);
    const struct attempt_state *attempt = step_state_attempt(step);
    struct scheduler scheduler = {.state = state};
    struct turn turn = {0};
    struct input input = {.kind = INPUT_ENDED, .now = *at, .attempt = attempt->number};
    const struct task_state *task = &state->tasks[0];
    const bool is_stuck = exit == CALL_LOG_END_STUCK;
    const bool is_stopped = is_stuck && task->agent && task->agent->is_stuck;
    input.outcome = (struct outcome){
        .kind = task->cancelling || is_stopped ? OUTCOME_CANCELLED : OUTCOME_EXIT,
        .code = is_stuck ? 1 : exit,
        .ran_ms =
            at->mono_ms > attempt->started.mono_ms ? at->mono_ms - attempt->started.mono_ms : 0};
    input.verdict = end_verdict(exit);
    scheduler_step(&scheduler, &input, &turn);
    const struct log_gain gain = {.task = 0};
    const struct log_batch batch = {
        .events = turn.events, .event_count = turn.event_count, .gains = &gain, .gain_count = 1};
    bool ok = log_writer_commit(writer, &batch, LOG_SYNC_NORMAL, err);
    turn_done(&turn);
    return ok;
}

bool call_run_end(const struct place *place, int64_t run, int exit, const struct moment *at,
                  struct err *err)
{
    struct follower *follower = NULL;
    struct log_writer *writer = NULL;
    bool ok = follower_open(&follower, place, run, err) &&
              follower_read(follower, 0, NULL, NULL, NULL, err);
    struct run_state *state = ok ? follower_own_state(follower) : NULL;
    const struct attempt_state *attempt = ok ? step_state_attempt(run_state_step(state, 0)) : NULL;
    const bool is_live = attempt && attempt->ended.at_ms == 0 && !state->ended;
    if (ok && is_live)
        ok = log_writer_open(&writer, place, err) && log_writer_resume(writer, run, state, err) &&
             write_end(writer, state, told_end(&state->tasks[0], exit), at, err);
    log_writer_close(writer);
    follower_close(follower);
    return ok;
}

bool call_run_limits(const struct place *place, int64_t run, struct entropy_limits *out,
                     struct err *err)
{
    struct follower *follower = NULL;
    const bool ok = follower_open(&follower, place, run, err);
    if (ok)
        *out = follower_state(follower)->plan->loops;
    follower_close(follower);
    return ok;
}
