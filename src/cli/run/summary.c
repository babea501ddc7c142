#include "summary.h"

#include <stddef.h>

#include "shown.h"
#include "status.h"
#include "text.h"

enum {
    IDS_COLUMNS_MAX = 46,
    LABEL_COLUMNS = 10,
    PLACES_MAX = 3,
    FAILED_MAX = 5,          /* failed tasks with a line each */
    TELLING_COLUMNS_MAX = 60 /* of each task's output */
};

/* Appends the ids of all tasks in this state, as many as fit on a line. */
static void add_ids(const struct run_state *state, enum task_status status, struct str *out)
{
    size_t start = out->len;
    int left = state->counts[status];
    for (int i = 0; i < state->plan->task_count && left > 0; i++) {
        if (state->tasks[i].status != status)
            continue;
        if (out->len - start > IDS_COLUMNS_MAX) {
            str_addf(out, " and %d more", left);
            return;
        }
        str_addf(out, "%s%s", out->len > start ? " " : "", state->plan->tasks[i].id);
        left--;
    }
}

static void add_counts(const struct run_state *state, struct str *out)
{
    const char *comma = "";
    for (int i = 0; i < TASK_STATUS_COUNT; i++) {
        if (state->counts[i] == 0)
            continue;
        str_addf(out, "%s%d %s", comma, state->counts[i], task_status_name((enum task_status)i));
        comma = ", ";
    }
}

static void add_head(const struct run_state *state, int64_t run, struct str *out)
{
    str_addf(out, "run #%lld %s: ", (long long)run, state->plan->name);
    add_counts(state, out);
    str_add(out, ", after ");
    shown_duration(run_state_elapsed_ms(state, &state->last), out);
    if (state->ended)
        str_addf(out, " (exit %d)", state->exit_code);
    else
        str_add(out, " (left before its end)");
    str_add_char(out, '\n');
}

static int flaky_count(const struct run_state *state)
{
    int flaky = 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str class = {0};
        if (state->tasks[i].status == TASK_PASSED)
            shown_class(state, i, &class);
        flaky += class.len > 0;
        str_done(&class);
    }
    return flaky;
}

/* Appends where the work of the first passed or failed tasks is. Returns the first of them; -1
 * if none. */
static int add_places(const struct run_state *state, bool passed, const char *label,
                      struct str *out)
{
    int first = -1;
    int shown = 0;
    for (int i = 0; i < state->plan->task_count && shown < PLACES_MAX; i++) {
        const struct task_place *place = state->tasks[i].place;
        bool is_there = place && (passed ? place->is_kept : place->path && !place->is_kept);
        if (!is_there || (state->tasks[i].status == TASK_PASSED) != passed)
            continue;
        str_addf(out, "  %-*s %s: ", LABEL_COLUMNS, label, state->plan->tasks[i].id);
        shown_workspace(state, i, out);
        str_add_char(out, '\n');
        first = first < 0 ? i : first;
        shown++;
    }
    return first;
}

static void add_workspaces(const struct run_state *state, int64_t run, struct str *out)
{
    (void)add_places(state, false, "workspace", out);
    int first = add_places(state, true, "kept", out);
    if (first < 0)
        return;
    const char *id = state->plan->tasks[first].id;
    str_addf(out, "  %-*s devs diff %lld/%s, devs apply %lld/%s\n", LABEL_COLUMNS, "bring home",
             (long long)run, id, (long long)run, id);
}

static size_t count_failed_starts(const struct step_state *step)
{
    size_t failed = 0;
    for (size_t i = 0; i < step->attempt_count; i++) {
        const struct attempt_state *attempt = &step->attempts[i];
        failed += attempt->ended.at_ms != 0 && attempt->outcome.kind == OUTCOME_NOT_STARTED;
    }
    return failed;
}

/* Appends failed tasks: "  gave-up    tax: rounding is off by one   devs why 41/tax". */
static void add_failed(const struct summary *summary, enum task_status status, struct str *out)
{
    const struct run_state *state = summary->state;
    int shown = 0;
    for (int i = 0; i < state->plan->task_count && shown < FAILED_MAX; i++) {
        struct str line = {0};
        if (state->tasks[i].status != status)
            continue;
        const char *id = state->plan->tasks[i].id;
        str_addf(out, "  %-*s %s", LABEL_COLUMNS, task_status_name(status), id);
        telling_line(summary->reader, summary->run, state, i, &line);
        if (line.len == 0)
            shown_class(state, i, &line);
        if (line.len > 0) {
            str_add(out, ": ");
            text_fit(out, line.data, TELLING_COLUMNS_MAX, 0);
        }
        str_addf(out, "   devs why %lld/%s\n", (long long)summary->run, id);
        str_done(&line);
        shown++;
    }
    if (state->counts[status] > shown)
        str_addf(out, "  %-*s and %d more\n", LABEL_COLUMNS, task_status_name(status),
                 state->counts[status] - shown);
}

/* A command that could not be started does not count as a try. */
static void add_failed_starts(const struct run_state *state, struct str *out)
{
    size_t failed = 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        for (int k = 0; k < state->plan->tasks[i].step_count; k++)
            failed += count_failed_starts(&state->tasks[i].steps[k]);
    }
    if (failed > 0)
        shown_count((int64_t)failed, "start that failed, ", "starts that failed, ", out);
}

/* Appends what the agents of all tasks used, and their budgets. */
static void add_agents(const struct run_state *state, struct str *out)
{
    struct str budgets = {0};
    const struct moment *end = state->ended ? &state->ended_at : &state->last;
    if (state->used.turns == 0 && state->used.calls == 0 && state->used.cost_micro == 0)
        return;
    str_addf(out, "  %-*s ", LABEL_COLUMNS, "agents");
    shown_used(&state->used, out);
    shown_budgets(state, -1, end, &budgets);
    if (budgets.len > 0)
        str_addf(out, "; budget %s", budgets.data);
    str_add_char(out, '\n');
    str_done(&budgets);
}

void summary_write(const struct summary *summary, struct str *out)
{
    static const enum task_status failed[] = {TASK_NEEDS_YOU, TASK_STUCK, TASK_GAVE_UP};
    static const enum task_status order[] = {TASK_BLOCKED, TASK_CANCELLED, TASK_PASSED};
    const struct run_state *state = summary->state;
    add_head(state, summary->run, out);
    for (size_t i = 0; i < ARRAY_LEN(failed); i++)
        add_failed(summary, failed[i], out);
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        if (state->counts[order[i]] == 0)
            continue;
        str_addf(out, "  %-*s ", LABEL_COLUMNS, task_status_name(order[i]));
        add_ids(state, order[i], out);
        int flaky = order[i] == TASK_PASSED ? flaky_count(state) : 0;
        if (flaky > 0)
            str_addf(out, " (%d after failures)", flaky);
        str_add_char(out, '\n');
    }
    str_addf(out, "  %-*s ", LABEL_COLUMNS, "work");
    shown_count(state->attempts, "try, ", "tries, ", out);
    add_failed_starts(state, out);
    shown_duration(state->waited_ms, out);
    str_add(out, " of waiting\n");
    add_agents(state, out);
    add_workspaces(state, summary->run, out);
    str_addf(out, "  %-*s devs debug --logs %lld\n", LABEL_COLUMNS, "replay",
             (long long)summary->run);
}
