#include "event.h"

#include <assert.h>
#include <stddef.h>

#include "attr.h"

static const char *const names[] = {
    [EVENT_NONE] = "none",
    [EVENT_RUN_STARTED] = "run_started",
    [EVENT_RUN_ENDED] = "run_ended",
    [EVENT_ATTEMPT_STARTED] = "attempt_started",
    [EVENT_ATTEMPT_RUNNING] = "attempt_running",
    [EVENT_ATTEMPT_ENDED] = "attempt_ended",
    [EVENT_ATTEMPT_JUDGED] = "attempt_judged",
    [EVENT_WAIT_STARTED] = "wait_started",
    [EVENT_WAIT_ENDED] = "wait_ended",
    [EVENT_STEP_ENDED] = "step_ended",
    [EVENT_STEP_REOPENED] = "step_reopened",
    [EVENT_TASK_BLOCKED] = "task_blocked",
    [EVENT_TASK_HELD] = "task_held",
    [EVENT_TASK_RELEASED] = "task_released",
    [EVENT_CANCEL_ASKED] = "cancel_asked",
    [EVENT_CONTROL_ANSWERED] = "control_answered",
    [EVENT_ATTEMPT_QUIET] = "attempt_quiet",
    [EVENT_ATTEMPT_HEARD] = "attempt_heard",
    [EVENT_NOTE] = "note",
    [EVENT_GATE_CLOSED] = "gate_closed",
    [EVENT_GATE_OPENED] = "gate_opened",
    [EVENT_CLASS_CORRECTED] = "class_corrected",
    [EVENT_RUN_RECOVERED] = "run_recovered",
    [EVENT_LOOP_SUSPECTED] = "loop_suspected",
    [EVENT_WORKSPACE_MADE] = "workspace_made",
    [EVENT_WORKSPACE_SAVED] = "workspace_saved",
    [EVENT_WORKSPACE_RESET] = "workspace_reset",
    [EVENT_TREE_PROVEN] = "tree_proven",
    [EVENT_WORKSPACE_CHANGED] = "workspace_changed",
    [EVENT_RESULT_KEPT] = "result_kept",
    [EVENT_SANDBOX_LACKS] = "sandbox_lacks",
    [EVENT_TIME_STOPPED] = "time_stopped",
    [EVENT_SECRETS_CUT] = "secrets_cut",
    [EVENT_AGENT_SESSION] = "agent_session",
    [EVENT_AGENT_USED] = "agent_used",
    [EVENT_AGENT_CALL] = "agent_call",
    [EVENT_BUDGET] = "budget",
    [EVENT_ROUND_STARTED] = "round_started",
    [EVENT_TASK_ADDED] = "task_added",
    [EVENT_HINT_GIVEN] = "hint_given",
};
static_assert(ARRAY_LEN(names) == EVENT_KIND_COUNT, "every kind has a name");

const char *event_kind_name(enum event_kind kind)
{
    bool in_table = (size_t)kind < ARRAY_LEN(names);
    return in_table ? names[kind] : "?";
}

bool event_kind_is_known(int64_t kind)
{
    return kind > EVENT_NONE && kind < EVENT_KIND_COUNT;
}

const char *take_up_name(enum take_up take_up)
{
    static const char *const take_ups[] = {
        [TAKE_UP_OPEN] = "open",
        [TAKE_UP_REST] = "rest",
        [TAKE_UP_FAILED] = "failed",
        [TAKE_UP_ASKED] = "asked",
    };
    static_assert(ARRAY_LEN(take_ups) == TAKE_UP_COUNT, "each has a name");
    return take_ups[take_up];
}

bool event_kind_is_fact(enum event_kind kind)
{
    return kind >= EVENT_WORKSPACE_MADE && kind <= EVENT_AGENT_CALL;
}
