/* event_data.c - the fields of events: a table for each kind. Writing and reading the JSON object
 * of an event, its default values and the range check are derived from it (event_codec.c). */
#include <assert.h>
#include <stddef.h>

#include "event.h"
#include "event_field.h"
#include "fold.h"
#include "plan.h"

/* Words of enums. */

/* NOLINTBEGIN(bugprone-macro-parentheses): names of types and members */
#define WORDS(name, function, type)                                                                \
    static const char *name(int number)                                                            \
    {                                                                                              \
        return function((enum type)number);                                                        \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

WORDS(outcome_word, outcome_kind_name, outcome_kind)
WORDS(after_word, plan_after_name, plan_after)
WORDS(class_word, verdict_class_name, verdict_class)
WORDS(type_word, transient_type_name, transient_type)
WORDS(reason_word, reason_name, reason)
WORDS(stream_word, verdict_stream_name, verdict_stream)
WORDS(near_word, near_why_name, near_why)
WORDS(decision_word_of, decision_kind_name, decision_kind)
WORDS(of_word, decision_of_name, decision_of)
WORDS(mode_word, cancel_mode_name, cancel_mode)
WORDS(verb_word, control_verb_name, control_verb)
WORDS(run_word, take_up_name, take_up)
WORDS(rung_word, entropy_rung_name, entropy_rung)
WORDS(step_kind_word, entropy_kind_name, entropy_kind)
WORDS(gain_word, entropy_gain_name, entropy_gain)
WORDS(workspace_word, workspace_kind_name, workspace_kind)
WORDS(budget_word, budget_kind_name, budget_kind)

/* Returns the name of the phase `number` - 1, or "" for 0. */
static const char *phase_word(int number)
{
    return number == 0 ? "" : phase_name((enum phase)(number - 1));
}

static const char *expectation_word(int number)
{
    static const char *const names[] = {
        [VERDICT_AS_IT_IS] = "",
        [VERDICT_UNEXPECTED_PASS] = "unexpected pass",
        [VERDICT_WRONG_REASON] = "wrong reason",
    };
    static_assert(ARRAY_LEN(names) == VERDICT_EXPECTATION_COUNT, "every expectation has a name");
    return names[number];
}

WORDS(cause_word, outcome_cause_name, outcome_cause)
WORDS(job_word, job_state_name, job_state)

static const char *proof_word(int number)
{
    static const char *const names[] = {
        [PROOF_NONE] = "none",
        [PROOF_REAPED] = "reaped",
        [PROOF_FENCED] = "fenced",
    };
    static_assert(ARRAY_LEN(names) == PROOF_COUNT, "every proof has a name");
    return names[number];
}

static const char *stop_word(int number)
{
    static const char *const names[] = {
        [STOP_ASKED] = "asked",
        [STOP_LOOP] = "loop",
        [STOP_BUDGET] = "budget",
        [STOP_HOPELESS] = "hopeless",
    };
    static_assert(ARRAY_LEN(names) == STOP_COUNT, "every reason has a name");
    return names[number];
}

/* The fields of each kind, in the order in which they are written. */

#define AT(member) (unsigned)offsetof(struct event, member)
#define PERMILLE   1000
#define DATE_MAX   99991231

#define INT(name, member, most, means)                                                             \
    {                                                                                              \
        name, means, EVENT_FIELD_INT, false, AT(member), 0, 0, most, NULL                          \
    }
#define INT_ALWAYS(name, member, least, most, means)                                               \
    {                                                                                              \
        name, means, EVENT_FIELD_INT, true, AT(member), 0, least, most, NULL                       \
    }
#define I64(name, member, most, means)                                                             \
    {                                                                                              \
        name, means, EVENT_FIELD_I64, false, AT(member), 0, 0, most, NULL                          \
    }
#define I64_ALWAYS(name, member, least, most, means)                                               \
    {                                                                                              \
        name, means, EVENT_FIELD_I64, true, AT(member), 0, least, most, NULL                       \
    }
#define TIME(name, member, means)                                                                  \
    {                                                                                              \
        name, means, EVENT_FIELD_I64, false, AT(member), 0, -FOLD_TIME_MAX_MS, FOLD_TIME_MAX_MS,   \
            NULL                                                                                   \
    }
#define BOOL(name, member, means)                                                                  \
    {                                                                                              \
        name, means, EVENT_FIELD_BOOL, false, AT(member), 0, 0, 1, NULL                            \
    }
#define BOOL_ALWAYS(name, member, means)                                                           \
    {                                                                                              \
        name, means, EVENT_FIELD_BOOL, true, AT(member), 0, 0, 1, NULL                             \
    }
#define WORD(name, member, words, word, means)                                                     \
    {                                                                                              \
        name, means, EVENT_FIELD_WORD, true, AT(member), 0, 0, words, word                         \
    }
#define WORD_OPTIONAL(name, member, words, word, means)                                            \
    {                                                                                              \
        name, means, EVENT_FIELD_WORD, false, AT(member), 0, 0, words, word                        \
    }
#define DIGEST(name, member, means)                                                                \
    {                                                                                              \
        name, means, EVENT_FIELD_DIGEST, false, AT(member), 0, 0, 0, NULL                          \
    }
#define TEXT(name, member, means)                                                                  \
    {                                                                                              \
        name, means, EVENT_FIELD_TEXT, false, AT(member), 0, 0, 0, NULL                            \
    }
#define JSON(name, member, means)                                                                  \
    {                                                                                              \
        name, means, EVENT_FIELD_JSON, false, AT(member), 0, 0, 0, NULL                            \
    }
#define LINES(name, member, means)                                                                 \
    {                                                                                              \
        name, means, EVENT_FIELD_LINES, false, AT(member), 0, 0, 0, NULL                           \
    }
#define REAL_OR(name, member, otherwise, most, means)                                              \
    {                                                                                              \
        name, means, EVENT_FIELD_REAL, false, AT(member), otherwise, 0, most, NULL                 \
    }
/* An int from 0 to `most`; -1 = does not apply. */
#define INT_OR_NONE(name, member, most, means)                                                     \
    {                                                                                              \
        name, means, EVENT_FIELD_INT, false, AT(member), -1, -1, most, NULL                        \
    }
#define I64_OR_NONE(name, member, most, means)                                                     \
    {                                                                                              \
        name, means, EVENT_FIELD_I64, false, AT(member), -1, -1, most, NULL                        \
    }
#define LOOP(member, is_there)                                                                     \
    {                                                                                              \
        "loop", "facts for loop detection, see [below](#loop-facts)", EVENT_FIELD_LOOP, false,     \
            AT(member), 0, AT(is_there), 0, NULL                                                   \
    }
#define BY TEXT("by", by, "the person who caused the event")

static const struct event_field run_started[] = {
    INT_ALWAYS("jobs", run_started.jobs, 0, FOLD_COUNT_MAX, "maximum number of attempts at a time"),
    BY,
};
static const struct event_field run_ended[] = {
    INT_ALWAYS("exit_code", run_ended.exit_code, INT32_MIN, INT32_MAX, "exit code of the run"),
};
static const struct event_field attempt_started[] = {
    DIGEST("call", started.call, "digest of the command with its folder, environment and sandbox"),
    INT("start", started.start, INT32_MAX,
        "number of the start, counting failed starts; missing: 1"),
};
static const struct event_field attempt_placed[] = {
    TEXT("executor", placed.executor, "name of the executor in the plan"),
    TEXT("host", placed.host, "the machine, as in the plan"),
};
static const struct event_field attempt_running[] = {
    I64_ALWAYS("pid", running.pid, INT64_MIN, INT64_MAX, "process id"),
    I64_ALWAYS("pid_start", running.pid_start, INT64_MIN, INT64_MAX,
               "start time of the process, in clock ticks since boot"),
    INT("slot", running.slot, EVENT_SLOT_MAX, "number of the task on this machine, `DEVS_SLOT`"),
    INT("port", running.port, UINT16_MAX, "the first of its eight ports, `DEVS_PORT_1`"),
};
static const struct event_field attempt_ended[] = {
    WORD("outcome", ended.outcome.kind, OUTCOME_KIND_COUNT, outcome_word, "how the attempt ended"),
    INT_ALWAYS("code", ended.outcome.code, INT32_MIN, INT32_MAX,
               "exit code, signal number, or why the attempt did not start (an errno, or a number "
               "above 1000 that devs defines)"),
    I64_ALWAYS("ran_ms", ended.outcome.ran_ms, -FOLD_TIME_MAX_MS, FOLD_TIME_MAX_MS,
               "time from start to end"),
    I64_ALWAYS("out_bytes", ended.outcome.bytes[0], INT64_MIN, INT64_MAX,
               "bytes written to stdout"),
    I64_ALWAYS("err_bytes", ended.outcome.bytes[1], INT64_MIN, INT64_MAX,
               "bytes written to stderr"),
    {"out_lines", "line feeds in stdout", EVENT_FIELD_I64, false, AT(ended.outcome.lines[0]), 0,
     INT64_MIN, INT64_MAX, NULL},
    {"err_lines", "line feeds in stderr", EVENT_FIELD_I64, false, AT(ended.outcome.lines[1]), 0,
     INT64_MIN, INT64_MAX, NULL},
    {"rss_kib", "peak memory", EVENT_FIELD_I64, false, AT(ended.outcome.rss_kib_max), 0, INT64_MIN,
     INT64_MAX, NULL},
    {"cpu_ms", "user and system time", EVENT_FIELD_I64, false, AT(ended.outcome.cpu_ms), 0,
     INT64_MIN, INT64_MAX, NULL},
    {"processes_left", "processes that the attempt left behind", EVENT_FIELD_INT, false,
     AT(ended.outcome.processes_left), 0, INT32_MIN, INT32_MAX, NULL},
    DIGEST("fingerprint", ended.fingerprint, "digest of the normalized output"),
    BOOL("partial", ended.partial, "the fingerprint does not cover all output"),
    I64("skipped_bytes", ended.skipped_bytes, INT64_MAX,
        "bytes that the fingerprint counts but does not cover"),
    TEXT("start_error", ended.start_error, "why the attempt never started"),
    BOOL("fails", ended.fails, "the attempt exited with 0 but failed"),
    WORD_OPTIONAL("stop", ended.outcome.stop, STOP_COUNT, stop_word,
                  "why devs stopped the attempt (hopeless: the agent's own retries cannot "
                  "succeed); missing: a person requested it, or devs did not stop the attempt"),
    WORD_OPTIONAL("proof", ended.outcome.proof, PROOF_COUNT, proof_word,
                  "on another machine: the evidence that no process of the attempt is left "
                  "(reaped: devs-hand waited for every process; fenced: its lease and the grace "
                  "period are over)"),
    WORD_OPTIONAL("cause", ended.outcome.cause, CAUSE_COUNT, cause_word,
                  "what a cluster did to the attempt's job"),
    I64("quiet_ms", ended.outcome.quiet_ms, FOLD_DELAY_MAX_MS,
        "how long the attempt was silent, if this was why it timed out"),
    INT("own_retries", ended.outcome.own_retries, FOLD_COUNT_MAX,
        "the agent's own retries since the model's last answer"),
    I64("own_wait_ms", ended.outcome.own_wait_ms, FOLD_DELAY_MAX_MS,
        "time from the agent's first own retry to the next answer or the end"),
    INT_OR_NONE("new_permille", ended.new_permille, PERMILLE,
                "share of lines that are new to the task; missing: the attempt printed no lines"),
    LOOP(ended.loop, ended.has_loop),
};
static const struct event_field attempt_judged[] = {
    WORD("class", judged.label.class, VERDICT_CLASS_COUNT, class_word, "the verdict"),
    WORD_OPTIONAL("type", judged.label.type, TRANSIENT_TYPE_COUNT, type_word,
                  "type of a transient failure"),
    WORD_OPTIONAL("reason", judged.label.reason, REASON_COUNT, reason_word,
                  "reason for a persistent failure"),
    WORD_OPTIONAL("expectation", judged.expectation, VERDICT_EXPECTATION_COUNT, expectation_word,
                  "how a step that was expected to fail ended instead"),
    TEXT("rule", judged.rule, "the rule that decided the verdict"),
    TEXT("subtype", judged.subtype, "kind of failure, according to that rule"),
    WORD_OPTIONAL("stream", judged.stream, VERDICT_STREAM_COUNT, stream_word,
                  "the stream that contains the match"),
    I64("offset", judged.offset, INT64_MAX, "byte offset of the match in the whole stream"),
    I64("line", judged.line, INT64_MAX,
        "line number of the match in the text that was searched, from 1"),
    TEXT("match", judged.match, "the matching line"),
    I64_OR_NONE("retry_after_ms", judged.retry_after_ms, FOLD_DELAY_MAX_MS,
                "the wait that the server requested; missing: none"),
    I64_OR_NONE("resume_at_ms", judged.resume_at_ms, FOLD_TIME_MAX_MS,
                "when the parked task continues, UTC; missing: not parked"),
    TEXT("hint_rule", judged.hint_rule, "the rule that found `retry_after_ms` or `resume_at_ms`"),
    {"near", "up to 4 rules that nearly decided the verdict: rule, why, stream, offset",
     EVENT_FIELD_NEAR, false, AT(judged.near), 0, AT(judged.near_count), 0, NULL},
    BOOL("ask", judged.ask, "only a person can help"),
    BOOL("no_retry", judged.no_retry, "no policy retries the failure"),
    LINES("violations", judged.violations, "why the output does not match its contract"),
};
/* NOLINTBEGIN(bugprone-macro-parentheses) */
/* The inputs of a decision; `in` is a struct decision_inputs. */
#define LIMITS(in)                                                                                 \
    INT("used", in.used, INT32_MAX, "tries used; starts used, if the command never started"),      \
        INT("allowed", in.allowed, INT32_MAX, "tries that the policy allows"),                     \
        INT("own_retries", in.own_retries, INT32_MAX,                                              \
            "the agent's own retries among the tries used"),                                       \
        INT("same", in.same, INT32_MAX, "equal results in a row"),                                 \
        INT("window", in.window, INT32_MAX,                                                        \
            "number of equal results in a row that ends the step; \"go on\" raises it"),           \
        INT("same_stops", in.same_stops, INT32_MAX, "like `window`, for a task with rounds"),      \
        INT("unchanged_stops", in.unchanged_stops, INT32_MAX,                                      \
            "number of equal failures on an unchanged tree that ends the step"),                   \
        BOOL("unchanged", in.unchanged, "the tree has not changed since the previous try"),        \
        I64_OR_NONE("hint_cap_ms", in.hint_cap_ms, FOLD_TIME_MAX_MS,                               \
                    "longest retry-after that devs waits for; missing: the server sent none"),     \
        INT("free_hints", in.free_hints, INT32_MAX, "waits so far that did not count as tries"),   \
        I64("deadline_ms", in.deadline_ms, FOLD_TIME_MAX_MS, "time that the step may take"),       \
        TIME("since_start_ms", in.since_start_ms,                                                  \
             "time since the first start of the step, if it has a deadline"),                      \
        I64("held_ms", in.held_ms, FOLD_TIME_MAX_MS, "time for which the step was held"),          \
        INT("interrupted", in.interrupted, INT32_MAX, "tries interrupted because devs died")
/* The facts of a loop rule; `facts` is a struct loop_facts. */
#define LOOP_FACTS(facts)                                                                          \
    INT("period", facts.period, INT32_MAX, "number of steps per lap"),                             \
        INT_OR_NONE("first_step", facts.first_step, FOLD_COUNT_MAX,                                \
                    "step of the first attempt, from 0; missing: the step of the event"),          \
        INT_OR_NONE("last_step", facts.last_step, FOLD_COUNT_MAX,                                  \
                    "step of the last attempt, from 0; missing: the step of the event"),           \
        DIGEST("identity", facts.identity, "digest of the set of calls in the loop"),              \
        BOOL("masked", facts.masked, "the results are equal only because parts were masked"),      \
        BOOL("poll", facts.poll, "the calls check something that does not change"),                \
        {"masks",                                                                                  \
         "kinds of masked parts in the last result, see [below](#loop-facts)",                     \
         EVENT_FIELD_UNSIGNED,                                                                     \
         false,                                                                                    \
         AT(facts.masks),                                                                          \
         0,                                                                                        \
         0,                                                                                        \
         UINT32_MAX,                                                                               \
         NULL},                                                                                    \
        TEXT("why", facts.why, "a description of the loop")
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct event_field wait_started[] = {
    I64_ALWAYS("delay_ms", wait.delay.delay_ms, 0, FOLD_DELAY_MAX_MS, "the actual delay"),
    TIME("due_at_ms", wait.due.at_ms, "when the next attempt is due, UTC"),
    TIME("due_mono_ms", wait.due.mono_ms, "when the next attempt is due, in ms since boot"),
    I64("exact_ms", wait.delay.exact_ms, FOLD_DELAY_MAX_MS, "delay before jitter"),
    BOOL("free", wait.is_free, "a server requested the wait, so it does not use up an attempt"),
    INT_ALWAYS("retry_number", wait.delay.retry_number, 0, 2 * FOLD_COUNT_MAX,
               "n in the formula of the delay; 1 for the first retry"),
    REAL_OR("factor", wait.delay.factor, 1, FOLD_COUNT_MAX,
            "factor by which jitter multiplied `exact_ms`; missing: 1"),
    I64_OR_NONE("hint_ms", wait.delay.hint_ms, FOLD_DELAY_MAX_MS,
                "the server's retry-after; missing: none"),
    TEXT("policy", wait.inputs.policy, "name of the policy"),
    I64("base_ms", wait.inputs.base_ms, FOLD_TIME_MAX_MS,
        "the policy's delay before the first retry"),
    REAL_OR("multiplier", wait.inputs.multiplier, 1, FOLD_COUNT_MAX,
            "ratio of each delay to the previous one; missing: 1"),
    I64("cap_ms", wait.inputs.cap_ms, FOLD_TIME_MAX_MS, "the policy's longest delay"),
    REAL_OR("jitter", wait.inputs.jitter, 0, FOLD_COUNT_MAX,
            "largest fraction of the delay that jitter adds or subtracts"),
    BOOL("full_jitter", wait.inputs.full_jitter, "the wait is a random fraction of the delay"),
    LIMITS(wait.inputs),
};
static const struct event_field wait_ended[] = {
    BOOL("skipped", wait_ended.skipped, "true: a person skipped the wait; false: its time was up"),
    BY,
};
static const struct event_field step_ended[] = {
    WORD("decision", step_ended.decision, DECISION_KIND_COUNT, decision_word_of,
         "how the step ended"),
    INT_ALWAYS("attempts", step_ended.attempts, INT32_MIN, INT32_MAX, "attempts used"),
    BOOL("entropy", step_ended.entropy, "the end of the step counts as entropy"),
    BOOL("capture", step_ended.capture, "the step has rows in `capture`"),
    TEXT("policy", step_ended.inputs.policy,
         "name of the policy; like the fields below, missing after a success or a cancel, or if "
         "the deadline or the budget prevented the start"),
    WORD_OPTIONAL("phase", step_ended.inputs.phase, PHASE_COUNT + 1, phase_word,
                  "phase of the step"),
    LIMITS(step_ended.inputs),
    INT("round", step_ended.inputs.round, INT32_MAX,
        "round of the agent's step that precedes this step"),
    INT("rounds", step_ended.inputs.rounds, INT32_MAX, "maximum number of rounds"),
    WORD_OPTIONAL("of", step_ended.inputs.of, DECISION_OF_COUNT, of_word,
                  "owner of the loop (`agent`: the agent's own guard found it; `calls`: it is in "
                  "the agent's calls) or of the budget"),
    WORD_OPTIONAL("rung", step_ended.inputs.loop.rung, ENTROPY_RUNG_COUNT, rung_word,
                  "the loop rule; missing: the policy's window"),
    INT("count", step_ended.inputs.loop.count, INT32_MAX, "number of repeats, laps, failures, ..."),
    I64("first", step_ended.inputs.loop.first, INT64_MAX, "first attempt or call of the loop"),
    I64("last", step_ended.inputs.loop.last, INT64_MAX, "last attempt or call of the loop"),
    LOOP_FACTS(step_ended.inputs.loop),
    TEXT("refused", step_ended.inputs.refused, "the agent's last refused call"),
    WORD_OPTIONAL("budget", step_ended.inputs.budget, BUDGET_KIND_COUNT, budget_word,
                  "the kind of budget that is spent"),
    I64("spent", step_ended.inputs.spent, INT64_MAX,
        "amount used: millionths of a US dollar, a count, or milliseconds"),
    I64("limit", step_ended.inputs.spent_limit, INT64_MAX, "the limit, in the same unit"),
};
static const struct event_field step_reopened[] = {
    INT_ALWAYS("new_grant", reopened.grant, 1, FOLD_COUNT_MAX, "number of the new grant"),
    INT_ALWAYS("allowed", reopened.allowed, 1, FOLD_COUNT_MAX, "attempts that the grant allows"),
    INT("scale", reopened.scale, ENTROPY_SCALE_MAX,
        "factor for the loop thresholds after \"go on\"; missing: counting starts from zero"),
    BY,
};
static const struct event_field task_blocked[] = {
    INT_ALWAYS("needs", blocked.needs, INT32_MIN, INT32_MAX,
               "`task_no` of the required task that did not pass"),
};
static const struct event_field task_held[] = {
    INT_OR_NONE("follows", held.follows, PLAN_TASKS_MAX,
                "`task_no` of the task that this task follows; missing: a person holds this task"),
    BY,
};
static const struct event_field task_released[] = {
    TIME("due_at_ms", released.due.at_ms, "new end of the task's wait, UTC; missing: unchanged"),
    TIME("due_mono_ms", released.due.mono_ms, "the same time, in ms since boot"),
    TEXT("by", by,
         "the person who released the task; missing: the task that it followed got through"),
};
static const struct event_field cancel_asked[] = {
    WORD("mode", cancel.mode, CANCEL_MODE_COUNT, mode_word, "how the attempt is stopped"),
    BY,
};
static const struct event_field control_answered[] = {
    I64_ALWAYS("control", answered.control, INT64_MIN, INT64_MAX, "`id` of the row in `control`"),
    BOOL_ALWAYS("done", answered.done, "true: accepted; false: rejected"),
    {"verb", "the action", EVENT_FIELD_WORD, true, AT(answered.verb), 0, 1, CONTROL_VERB_COUNT,
     verb_word},
    TEXT("answer", answered.answer, "the answer, for people to read"),
    BY,
};
static const struct event_field attempt_quiet[] = {
    I64_ALWAYS("quiet_ms", quiet.quiet_ms, 0, FOLD_TIME_MAX_MS, "time without output"),
};
static const struct event_field note[] = {
    TEXT("note", note.note, "a message for people"),
};
static const struct event_field gate_closed[] = {
    INT_ALWAYS("source", gate_closed.source, 0, INT32_MAX,
               "number of the source in the order of the plan, from 0"),
    TIME("due_at_ms", gate_closed.due.at_ms, "when the next attempt may start, UTC"),
    TIME("due_mono_ms", gate_closed.due.mono_ms, "the same time, in ms since boot"),
    INT_ALWAYS("limits", gate_closed.limits, 1, FOLD_COUNT_MAX, "number of rate limits in a row"),
    INT_OR_NONE("chosen", gate_closed.chosen, PLAN_TASKS_MAX,
                "`task_no` of the waiting task that a person sends first; missing: none"),
    BY,
};
static const struct event_field gate_opened[] = {
    INT_ALWAYS("source", gate_opened.source, 0, INT32_MAX,
               "number of the source in the order of the plan, from 0"),
    INT_ALWAYS("waiting", gate_opened.waiting, INT32_MIN, INT32_MAX,
               "number of steps waiting at the gate"),
    I64_ALWAYS("spacing_ms", gate_opened.spacing_ms, 0, FOLD_SPACING_MAX_MS,
               "time between the starts of these steps"),
};
static const struct event_field class_corrected[] = {
    WORD("class", corrected.class, VERDICT_CLASS_COUNT, class_word, "the new verdict"),
    WORD_OPTIONAL("type", corrected.type, TRANSIENT_TYPE_COUNT, type_word,
                  "type of a transient failure"),
    WORD_OPTIONAL("reason", corrected.reason, REASON_COUNT, reason_word,
                  "reason for a persistent failure"),
    BY,
};
static const struct event_field run_recovered[] = {
    BOOL("rebooted", recovered.rebooted, "the clock since boot was reset"),
    INT("jobs", recovered.jobs, PLAN_JOBS_MAX,
        "maximum number of attempts at a time from now on; missing: unchanged"),
    WORD_OPTIONAL(
        "runs_again", recovered.take_up, TAKE_UP_COUNT, run_word,
        "tasks that run again: all that did not pass (`rest`), all that failed (`failed`), or the "
        "tasks that the next actions name (`asked`); missing: the open tasks"),
    BY,
};
static const struct event_field loop_suspected[] = {
    WORD("rung", loop.facts.rung, ENTROPY_RUNG_COUNT, rung_word, "the loop rule"),
    I64_ALWAYS("first", loop.facts.first, INT64_MIN, INT64_MAX,
               "first attempt or call of the loop"),
    I64_ALWAYS("last", loop.facts.last, INT64_MIN, INT64_MAX, "last attempt or call of the loop"),
    INT_ALWAYS("count", loop.facts.count, INT32_MIN, INT32_MAX,
               "number of repeats, laps, failures, ..."),
    BOOL("of_calls", loop.of_calls, "the loop is in the calls of a running agent"),
    TEXT("nudge", loop.nudge, "a hint for the agent, in one line"),
    LOOP_FACTS(loop.facts),
};
static const struct event_field workspace_made[] = {
    WORD("workspace", workspace.kind, WORKSPACE_KIND_COUNT, workspace_word,
         "kind of the workspace"),
    I64_ALWAYS("ms", workspace.ms, 0, FOLD_TIME_MAX_MS, "time taken"),
    TEXT("path", workspace.path, "folder of the workspace; `HOST:PATH` on another machine"),
    TEXT("base", workspace.base, "commit that the workspace started from"),
    TEXT("branch", workspace.branch, "branch of the workspace"),
    I64("setup_ms", workspace.setup_ms, INT64_MAX, "time taken by `setup`"),
    I64("copied", workspace.copied, INT64_MAX, "number of files copied because of `copy`"),
};
#define TREE(counted, means, size)                                                                 \
    DIGEST("tree", tree.tree, "digest of the whole tree"),                                         \
        I64_ALWAYS(counted, tree.count, 0, FOLD_TIME_MAX_MS, means),                               \
        I64_ALWAYS("bytes", tree.bytes, 0, FOLD_TIME_MAX_MS, size),                                \
        I64_ALWAYS("ms", tree.ms, 0, FOLD_TIME_MAX_MS, "time taken")
static const struct event_field workspace_saved[] = {
    TREE("files", "number of files in the tree", "total size of the files")};
static const struct event_field workspace_reset[] = {
    TREE("paths", "number of paths restored", "bytes written to restore the paths")};
static const struct event_field tree_proven[] = {
    TREE("files", "number of files in the tree", "total size of the files")};
static const struct event_field workspace_changed[] = {
    I64_ALWAYS("paths", changes.paths, 0, FOLD_TIME_MAX_MS, "number of changed paths"),
    I64_ALWAYS("added", changes.added, 0, FOLD_TIME_MAX_MS, "number of lines added"),
    I64_ALWAYS("removed", changes.removed, 0, FOLD_TIME_MAX_MS, "number of lines removed"),
    BOOL("partial", changes.partial, "not everything was examined"),
    I64_ALWAYS("ms", changes.ms, 0, FOLD_TIME_MAX_MS, "time taken"),
    TEXT("why", changes.why, "why not everything was examined"),
    LINES("changed", changes.changed, "the first changed paths: `[\"M src/a.c\",...]`"),
};
static const struct event_field result_kept[] = {
    BOOL("as_folder", kept.is_folder, "true: kept as a folder; false: kept as a branch"),
    TEXT("branch", kept.branch, "the branch"),
    TEXT("commit", kept.commit, "commit of the branch"),
    TEXT("path", kept.path, "the folder"),
};
static const struct event_field sandbox_lacks[] = {
    LINES("keys", lacks.keys, "keys of the sandbox that are not enforced"),
    TEXT("why", lacks.why, "why they are not enforced"),
};
static const struct event_field time_stopped[] = {
    I64_ALWAYS("ms", stopped.ms, 0, FOLD_DELAY_MAX_MS, "time that does not count toward timeouts"),
};
static const struct event_field host_state[] = {
    TEXT("executor", host.executor, "name of the executor in the plan"),
    TEXT("host", host.host, "the machine, as in the plan"),
    BOOL_ALWAYS("down", host.is_down, "true: it does not answer, and nothing is started there"),
    TEXT("why", host.why, "why it is down"),
    INT("nodes_up", host.nodes.up, NODES_MAX, "nodes of the cluster that take jobs"),
    INT("nodes_drain", host.nodes.drain, NODES_MAX, "nodes that take no new jobs"),
    INT("nodes_down", host.nodes.down, NODES_MAX, "nodes that do not work"),
};
static const struct event_field day_cost[] = {
    INT_ALWAYS("date", day.date, 0, DATE_MAX,
               "the day by local time: year, month, day, as in 20261201"),
    I64("cost_micro", day.cost_micro, INT64_MAX / 4,
        "cost on that day, in millionths of a US dollar"),
    I64("own_micro", day.own_micro, INT64_MAX / 4, "cost of this run so far"),
};
static const struct event_field after_ended[] = {
    WORD("after", after.what, AFTER_COUNT, after_word, "what the command follows"),
    INT_OR_NONE("code", after.code, INT32_MAX, "its exit code; missing: it has none"),
    TEXT("command", after.command, "the command as a line of shell"),
    TEXT("why", after.why, "if it failed: the last line of stderr, or why it did not run"),
};
static const struct event_field job_state[] = {
    WORD("state", job.state, JOB_STATE_COUNT, job_word, "what the job does"),
    TEXT("job", job.job, "the cluster's name of the job"),
    TEXT("holder", job.holder, "the name of devs-hand's holder in the job"),
    TEXT("reason", job.reason, "the cluster's words for the state"),
    TEXT("node", job.node, "where the job runs"),
};
static const struct event_field contact_lost[] = {
    TIME("since_at_ms", contact_lost.since.at_ms, "when the machine was last heard, UTC"),
    TIME("since_mono_ms", contact_lost.since.mono_ms, "the same time, in ms since boot"),
    TIME("fence_at_ms", contact_lost.fence.at_ms,
         "when the attempt has ended itself at the latest, UTC"),
    TIME("fence_mono_ms", contact_lost.fence.mono_ms, "the same time, in ms since boot"),
};
static const struct event_field contact_found[] = {
    I64("from_byte", contact_found.from, INT64_MAX,
        "byte of the attempt's spool on its machine at which reading continues"),
};
static const struct event_field secrets_cut[] = {
    I64_ALWAYS("count", secrets.count, 0, FOLD_DELAY_MAX_MS, "number of secrets removed"),
    {"names", "number removed, by name: `{\"NAME\":n}`", EVENT_FIELD_COUNTS, false,
     AT(secrets.names), 0, 0, 0, NULL},
};
static const struct event_field agent_session[] = {
    TEXT("agent", session.agent, "name of the adapter"),
    TEXT("session", session.session, "id of the session"),
    BOOL("resumed", session.resumed, "the session existed before"),
};
static const struct event_field agent_used[] = {
    I64_ALWAYS("turns", used.used.turns, 0, FOLD_TIME_MAX_MS, "number of turns of the agent"),
    I64_ALWAYS("calls", used.used.calls, 0, FOLD_TIME_MAX_MS, "number of tool calls"),
    I64_ALWAYS("cost_micro", used.used.cost_micro, 0, FOLD_TIME_MAX_MS,
               "cost in millionths of a US dollar"),
    I64_ALWAYS("tokens", used.used.tokens, 0, FOLD_TIME_MAX_MS,
               "number of input and output tokens"),
    I64("own_retries", used.used.own_retries, FOLD_TIME_MAX_MS,
        "number of requests that the CLI repeated on its own"),
    I64("refused", used.used.refused, AGENT_USED_MAX, "number of calls that the CLI refused"),
    TEXT("refused_call", used.refused_call, "the last refused call"),
};
static const struct event_field agent_call[] = {
    I64_ALWAYS("number", call.number, 1, AGENT_CALLS_MAX,
               "number of the call or message within the attempt"),
    TEXT("tool", call.tool,
         "the tool; missing or `message`: a message from the agent; `user`: a message from a "
         "person"),
    TEXT("what", call.what, "the call or message in one line"),
    I64("ms", call.ms, FOLD_TIME_MAX_MS, "time taken; missing: unknown"),
    {"code", "exit code; 1 if only the failure is known", EVENT_FIELD_INT, false, AT(call.code), 0,
     INT32_MIN, INT32_MAX, NULL},
    BOOL("running", call.running, "the call has not ended"),
    LOOP(call.loop, call.has_loop),
};
static const struct event_field budget[] = {
    {"resource", "the limited resource", EVENT_FIELD_WORD, true, AT(budget.kind), 0, 1,
     BUDGET_KIND_COUNT, budget_word},
    I64_ALWAYS("used", budget.used, 0, FOLD_TIME_MAX_MS,
               "amount used: millionths of a US dollar, a count, or milliseconds"),
    I64_ALWAYS("limit", budget.limit, INT64_MIN, INT64_MAX, "the limit, in the same unit"),
    BOOL_ALWAYS("spent", budget.is_spent,
                "true if the whole budget is spent, false if most of it is"),
};
static const struct event_field round_started[] = {
    INT_ALWAYS("new_round", round_started.round, 0, FOLD_COUNT_MAX,
               "number of the new round, from 2"),
    INT_ALWAYS("from_step", round_started.from_step, 0, INT32_MAX,
               "number of the agent's step that begins the round, from 0"),
    INT_ALWAYS("failed_step", round_started.failed_step, 0, INT32_MAX,
               "number of the step that failed, from 0"),
    INT_ALWAYS("failed_attempt", round_started.failed_attempt, 0, INT32_MAX,
               "number of the failed attempt of that step"),
    TEXT("prompt", round_started.prompt, "the prompt for the agent"),
};
static const struct event_field task_added[] = {
    INT_ALWAYS("number", task_added.number, 0, INT32_MAX, "`task_no` of the new task"),
    JSON("task", task_added.task,
         "the task as in a plan, but shortened and without secrets: "
         "[plan.md](plan.md#a-run-that-grows)"),
};
static const struct event_field hint_given[] = {
    INT("allowed", hint.allowed, FOLD_COUNT_MAX,
        "new total number of tries in the current set; missing: unchanged"),
    TEXT("hint", hint.hint, "the hint for the agent"),
    BY,
};

#define FIELDS(fields, means)                                                                      \
    {                                                                                              \
        fields, ARRAY_LEN(fields), means                                                           \
    }
#define NO_FIELDS(means)                                                                           \
    {                                                                                              \
        NULL, 0, means                                                                             \
    }

const struct event_fields event_kind_fields[] = {
    [EVENT_NONE] = NO_FIELDS(""),
    [EVENT_RUN_STARTED] = FIELDS(run_started, ""),
    [EVENT_RUN_ENDED] = FIELDS(run_ended, ""),
    [EVENT_ATTEMPT_STARTED] = FIELDS(attempt_started, ""),
    [EVENT_ATTEMPT_PLACED] =
        FIELDS(attempt_placed, "the attempt runs on another machine; follows `attempt_started`"),
    [EVENT_ATTEMPT_RUNNING] = FIELDS(attempt_running, "the process of the attempt exists"),
    [EVENT_ATTEMPT_ENDED] = FIELDS(attempt_ended, ""),
    [EVENT_ATTEMPT_JUDGED] = FIELDS(attempt_judged, "not written for a plain success"),
    [EVENT_WAIT_STARTED] = FIELDS(wait_started, ""),
    [EVENT_WAIT_ENDED] = FIELDS(wait_ended, ""),
    [EVENT_STEP_ENDED] = FIELDS(step_ended, ""),
    [EVENT_STEP_REOPENED] = FIELDS(step_reopened, "a person retries the step"),
    [EVENT_TASK_BLOCKED] = FIELDS(task_blocked, ""),
    [EVENT_TASK_HELD] = FIELDS(task_held, ""),
    [EVENT_TASK_RELEASED] = FIELDS(task_released, ""),
    [EVENT_CANCEL_ASKED] = FIELDS(cancel_asked, "without a task: for the whole run"),
    [EVENT_CONTROL_ANSWERED] = FIELDS(control_answered, ""),
    [EVENT_ATTEMPT_QUIET] = FIELDS(attempt_quiet, ""),
    [EVENT_ATTEMPT_HEARD] = NO_FIELDS("the attempt writes output again"),
    [EVENT_NOTE] = FIELDS(note, ""),
    [EVENT_GATE_CLOSED] = FIELDS(gate_closed, "a source reported a rate limit"),
    [EVENT_GATE_OPENED] = FIELDS(gate_opened, "the event's task got through"),
    [EVENT_CLASS_CORRECTED] =
        FIELDS(class_corrected, "a person corrected the verdict of an attempt that has ended"),
    [EVENT_RUN_RECOVERED] = FIELDS(run_recovered, "a new engine continues the run"),
    [EVENT_LOOP_SUSPECTED] =
        FIELDS(loop_suspected,
               "a loop is suspected in the attempts so far, or in the calls of a running agent"),
    [EVENT_WORKSPACE_MADE] = FIELDS(workspace_made, ""),
    [EVENT_WORKSPACE_SAVED] = FIELDS(workspace_saved, "a snapshot before the step's first attempt"),
    [EVENT_WORKSPACE_RESET] = FIELDS(workspace_reset, "the tree was restored and verified"),
    [EVENT_TREE_PROVEN] = FIELDS(tree_proven, "the tree after an attempt that succeeded"),
    [EVENT_WORKSPACE_CHANGED] = FIELDS(workspace_changed, "changes made by a failed attempt"),
    [EVENT_RESULT_KEPT] = FIELDS(result_kept, "the result of the task's last step"),
    [EVENT_SANDBOX_LACKS] =
        FIELDS(sandbox_lacks, "limits that are not enforced, as `best_effort` allows"),
    [EVENT_TIME_STOPPED] =
        FIELDS(time_stopped, "devs itself was suspended; applies to the whole run"),
    [EVENT_HOST_STATE] =
        FIELDS(host_state, "a machine went down or came back, or a cluster's nodes changed"),
    [EVENT_CONTACT_LOST] =
        FIELDS(contact_lost, "the connection to the attempt's machine broke; it may still run"),
    [EVENT_CONTACT_FOUND] = FIELDS(contact_found, "the connection is back"),
    [EVENT_JOB_STATE] = FIELDS(job_state, "the state of the attempt's job on a cluster changed"),
    [EVENT_DAY_COST] = FIELDS(day_cost, "what agents in all runs of the log have used on this day"),
    [EVENT_AFTER_ENDED] = FIELDS(after_ended, "a command of the plan's `after` has ended"),
    [EVENT_SECRETS_CUT] =
        FIELDS(secrets_cut, "secrets were removed from the output of the attempt"),
    [EVENT_AGENT_SESSION] = FIELDS(agent_session, "the session of a running agent"),
    [EVENT_AGENT_USED] = FIELDS(agent_used, "usage so far in this attempt"),
    [EVENT_AGENT_CALL] = FIELDS(agent_call, "a tool call, or a message"),
    [EVENT_BUDGET] = FIELDS(budget, "without a task: the budget of the run"),
    [EVENT_ROUND_STARTED] =
        FIELDS(round_started,
               "a new round follows the failed attempt; replaces step_ended and counts as entropy"),
    [EVENT_TASK_ADDED] = FIELDS(task_added, "a task was added to a run that grows"),
    [EVENT_HINT_GIVEN] = FIELDS(
        hint_given, "a person gave a hint or more tries with a retry, for the step's next attempt"),
};
static_assert(ARRAY_LEN(event_kind_fields) == EVENT_KIND_COUNT, "every kind has its fields");

/* Fields of a step of a trajectory; offsets are in struct entropy_fact. */
#define FACT_AT(member) (unsigned)offsetof(struct entropy_fact, member)
static const struct event_field loop_fields[] = {
    {"kind", "call, neutral, pause, message", EVENT_FIELD_WORD, false, FACT_AT(kind), 0, 0,
     ENTROPY_KIND_COUNT, step_kind_word},
    {"call", "", EVENT_FIELD_DIGEST, false, FACT_AT(call), 0, 0, 0, NULL},
    {"outcome", "", EVENT_FIELD_DIGEST, false, FACT_AT(outcome), 0, 0, 0, NULL},
    {"raw", "", EVENT_FIELD_BITS, false, FACT_AT(raw), 0, INT64_MIN, INT64_MAX, NULL},
    {"bits", "", EVENT_FIELD_UNSIGNED, false, FACT_AT(bits), 0, 0, ENTROPY_BITS_ALL, NULL},
    {"gain", "", EVENT_FIELD_WORD, false, FACT_AT(gain), 0, 0, ENTROPY_GAIN_COUNT, gain_word},
    {"new_permille", "", EVENT_FIELD_INT, false, FACT_AT(new_permille), -1, -1, PERMILLE, NULL},
    {"lines", "", EVENT_FIELD_I64, false, FACT_AT(lines), 0, 0, INT32_MAX, NULL},
};
static_assert(sizeof(enum entropy_kind) == sizeof(int), "enums are read and written as int");
const struct event_fields event_loop_fields = FIELDS(loop_fields, "");

/* The fields of a rule that nearly decided; offsets are in struct verdict_near_record. */
#define NEAR_AT(member) (unsigned)offsetof(struct verdict_near_record, member)
static const struct event_field near_fields[] = {
    {"rule", "", EVENT_FIELD_TEXT, false, NEAR_AT(rule), 0, 0, 0, NULL},
    {"why", "", EVENT_FIELD_WORD, true, NEAR_AT(why), 0, 0, NEAR_WHY_COUNT, near_word},
    {"stream", "", EVENT_FIELD_WORD, false, NEAR_AT(stream), 0, 0, VERDICT_STREAM_COUNT,
     stream_word},
    {"offset", "", EVENT_FIELD_I64, false, NEAR_AT(offset), 0, 0, INT64_MAX, NULL},
};
const struct event_fields event_near_fields = FIELDS(near_fields, "");

/* The table for docs/run-log.md. */

static void add_words(const struct event_field *field, struct str *out)
{
    const char *before = "; one of ";
    for (int64_t i = field->least; i < field->most; i++) {
        const char *word = field->word((int)i);
        if (word[0] == '\0' || (!field->always && i == field->otherwise))
            continue; /* never written */
        str_addf(out, "%s`%s`", before, word);
        before = ", ";
    }
}

void event_fields_table(struct str *out)
{
    static const char *const types[] = {
        [EVENT_FIELD_INT] = "number",      [EVENT_FIELD_I64] = "number",
        [EVENT_FIELD_UNSIGNED] = "number", [EVENT_FIELD_BITS] = "number",
        [EVENT_FIELD_REAL] = "number",     [EVENT_FIELD_BOOL] = "true or false",
        [EVENT_FIELD_WORD] = "word",       [EVENT_FIELD_DIGEST] = "hex",
        [EVENT_FIELD_TEXT] = "text",       [EVENT_FIELD_JSON] = "JSON",
        [EVENT_FIELD_LINES] = "array",     [EVENT_FIELD_COUNTS] = "object",
        [EVENT_FIELD_LOOP] = "object",     [EVENT_FIELD_NEAR] = "array",
    };
    str_add(out, "| kind | field | type | meaning |\n|---|---|---|---|\n");
    for (int kind = EVENT_NONE + 1; kind < EVENT_KIND_COUNT; kind++) {
        str_addf(out, "| %s | | | %s |\n", event_kind_name((enum event_kind)kind),
                 event_kind_fields[kind].means);
        for (size_t i = 0; i < event_kind_fields[kind].count; i++) {
            const struct event_field *field = &event_kind_fields[kind].items[i];
            str_addf(out, "| | %s | %s | %s", field->name, types[field->type], field->means);
            if (field->type == EVENT_FIELD_WORD)
                add_words(field, out);
            str_add(out, " |\n");
        }
    }
}
