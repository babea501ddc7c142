/* what_if_json.c - what other policies would have done, as JSON. */
#include <assert.h>

#include "what_if.h"

static const char *const courses[] = {
    [WHAT_IF_SAME] = "same",
    [WHAT_IF_ENDS] = "ends",
    [WHAT_IF_BLOCKED] = "blocked",
    [WHAT_IF_UNKNOWN] = "not-known",
};
static_assert(ARRAY_LEN(courses) == WHAT_IF_COURSE_COUNT, "every course has a name");

static const char *name_of(const struct what_if_decision *decision)
{
    return decision->new_round ? "new-round" : decision_kind_name(decision->kind);
}

static void add_side(const char *key, const struct what_if_side *side, struct str *out)
{
    str_json_key(out, key);
    str_add_char(out, '{');
    str_json_i64(out, "tries", side->tries);
    str_json_i64(out, "waited_ms", side->waited_ms);
    str_json_i64(out, "ran_ms", side->ran_ms);
    if (side->cost_micro > 0)
        str_json_i64(out, "cost_micro_usd", side->cost_micro);
    str_json_key(out, "tasks");
    str_add_char(out, '{');
    for (int i = 0; i < TASK_STATUS_COUNT; i++) {
        if (side->counts[i] > 0)
            str_json_i64(out, task_status_name((enum task_status)i), side->counts[i]);
    }
    if (side->unknown > 0)
        str_json_i64(out, courses[WHAT_IF_UNKNOWN], side->unknown);
    str_add(out, "}}");
}

void what_if_sum_json(const struct what_if_sum *sum, struct str *out)
{
    add_side("recorded", &sum->recorded, out);
    add_side("other", &sum->other, out);
    str_json_i64(out, "decisions", sum->decisions);
    str_json_i64(out, "differ", sum->differ);
    str_json_i64(out, "waits", sum->waits);
    str_json_i64(out, "ends", sum->ends);
    str_json_i64(out, "goes_on", sum->goes_on);
    str_json_i64(out, "not_run", sum->not_run);
    str_json_i64(out, "by_hand", sum->by_hand);
    str_json_i64(out, "steps", sum->steps);
    str_json_i64(out, "steps_changed", sum->steps_changed);
    str_json_i64(out, "steps_refused", sum->steps_refused);
}

static void add_decision(const char *key, const struct what_if_decision *decision, const char *why,
                         struct str *out)
{
    str_json_key(out, key);
    str_add_char(out, '{');
    str_json_text(out, "decision", name_of(decision));
    if (decision->kind == DECISION_WAIT && !decision->new_round)
        str_json_i64(out, "delay_ms", decision->delay_ms);
    if (why[0] != '\0')
        str_json_text(out, "why", why);
    str_add_char(out, '}');
}

static void add_place(const struct what_if *what, int task, int step, int attempt, struct str *out)
{
    str_json_text(out, "task", what_if_state(what)->plan->tasks[task].id);
    str_json_i64(out, "step", step + 1);
    str_json_i64(out, "attempt", attempt);
}

static void add_first(const struct what_if *what, const struct what_if_difference *first,
                      struct str *out)
{
    str_json_key(out, "first");
    str_add_char(out, '{');
    str_json_i64(out, "at_ms", first->at.at_ms);
    add_place(what, first->task, first->step, first->attempt, out);
    str_json_bool(out, "before_start", first->is_before);
    add_decision("recorded", &first->recorded, "", out);
    add_decision("other", &first->other, first->why, out);
    str_add_char(out, '}');
}

static bool fares_otherwise(const struct what_if_task *task)
{
    return task->course != WHAT_IF_SAME || task->recorded_wait_ms != task->other_wait_ms;
}

static void add_task(const struct what_if *what, int number, struct str *out)
{
    const struct what_if_task *task = what_if_task(what, number);
    str_add_char(out, '{');
    add_place(what, number, task->step, task->attempt, out);
    str_json_text(out, "course", courses[task->course]);
    if (task->course == WHAT_IF_ENDS || task->course == WHAT_IF_BLOCKED)
        str_json_text(out, "status", task_status_name(task->status));
    str_json_i64(out, "recorded_wait_ms", task->recorded_wait_ms);
    str_json_i64(out, "other_wait_ms", task->other_wait_ms);
    if (task->not_run > 0) {
        str_json_i64(out, "not_run", task->not_run);
        str_json_i64(out, "not_run_step", task->not_run_step + 1);
        str_json_i64(out, "not_run_from", task->not_run_from);
        str_json_i64(out, "not_run_to", task->not_run_to);
    }
    str_add_char(out, '}');
}

void what_if_json(const struct what_if *what, struct str *out)
{
    struct what_if_sum sum;
    bool any = false;
    what_if_sum(what, &sum);
    what_if_sum_json(&sum, out);
    if (sum.has_first)
        add_first(what, &sum.first, out);
    str_json_key(out, "tasks");
    str_add_char(out, '[');
    for (int i = 0; i < what_if_state(what)->plan->task_count; i++) {
        if (!fares_otherwise(what_if_task(what, i)))
            continue;
        str_add(out, any ? "," : "");
        add_task(what, i, out);
        any = true;
    }
    str_add_char(out, ']');
}
