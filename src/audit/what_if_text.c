/* what_if_text.c - formats the result of other policies as a table, as lines, and as JSON. */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "agent_stream.h"
#include "lines.h"
#include "policy.h"
#include "text.h"
#include "what_if.h"

/* Returns the width of a line in columns. */
static int line_width(const struct what_if_look *look)
{
    return look->width > WHAT_IF_WIDTH_MIN ? look->width : WHAT_IF_WIDTH_MIN;
}

/* The columns of the table. */
enum column {
    COLUMN_TRIES,
    COLUMN_WAIT,
    COLUMN_RAN,
    COLUMN_PASSED,
    COLUMN_GAVE_UP,
    COLUMN_STUCK,
    COLUMN_NEEDS_YOU,
    COLUMN_BLOCKED,
    COLUMN_UNKNOWN,
    COLUMN_COST,
    COLUMN_COUNT,
};

static const struct {
    const char *title;
    int width;
    int rank;         /* the lowest ranks stay in a narrow table */
    bool if_not_zero; /* left out if both sides are 0 */
} table_columns[] = {
    [COLUMN_TRIES] = {"tries", 8, 0, false},         [COLUMN_WAIT] = {"wait", 10, 1, false},
    [COLUMN_RAN] = {"run time", 10, 2, false},       [COLUMN_PASSED] = {"passed", 8, 3, false},
    [COLUMN_GAVE_UP] = {"gave-up", 10, 4, false},    [COLUMN_STUCK] = {"stuck", 9, 5, true},
    [COLUMN_NEEDS_YOU] = {"needs-you", 11, 8, true}, [COLUMN_BLOCKED] = {"blocked", 10, 9, true},
    [COLUMN_UNKNOWN] = {"not known", 11, 7, true},   [COLUMN_COST] = {"cost", 10, 6, true},
};
static_assert(ARRAY_LEN(table_columns) == COLUMN_COUNT, "every column has a title");

enum { LABEL_WIDTH = 13 };
static const char label_recorded[] = " as recorded";
static const char label_other[] = " policy B";

static int64_t value_of(const struct what_if_side *side, enum column column)
{
    switch (column) {
    case COLUMN_TRIES:
        return side->tries;
    case COLUMN_WAIT:
        return side->waited_ms;
    case COLUMN_RAN:
        return side->ran_ms;
    case COLUMN_PASSED:
        return side->counts[TASK_PASSED];
    case COLUMN_GAVE_UP:
        return side->counts[TASK_GAVE_UP];
    case COLUMN_STUCK:
        return side->counts[TASK_STUCK];
    case COLUMN_NEEDS_YOU:
        return side->counts[TASK_NEEDS_YOU];
    case COLUMN_BLOCKED:
        return side->counts[TASK_BLOCKED];
    case COLUMN_UNKNOWN:
        return side->unknown;
    case COLUMN_COST:
        return side->cost_micro;
    case COLUMN_COUNT:
        break;
    }
    return 0;
}

/* Returns bits 1 << enum column. */
static unsigned choose_columns(const struct what_if_sum *sum, const struct what_if_look *look)
{
    unsigned chosen = 0;
    int room = line_width(look) - LABEL_WIDTH;
    for (int rank = 0; rank < COLUMN_COUNT; rank++) {
        for (int i = 0; i < COLUMN_COUNT; i++) {
            const bool empty = table_columns[i].if_not_zero &&
                               value_of(&sum->recorded, (enum column)i) == 0 &&
                               value_of(&sum->other, (enum column)i) == 0;
            if (table_columns[i].rank != rank || empty || table_columns[i].width > room)
                continue;
            chosen |= 1U << i;
            room -= table_columns[i].width;
        }
    }
    return chosen;
}

/* Adds a line of the table, or the titles if `side` is NULL. A number of tasks is followed by its
 * difference from `base`: "2 (+1)". */
static void add_row(const char *label, const struct what_if_side *side,
                    const struct what_if_side *base, unsigned chosen, struct str *out)
{
    str_addf(out, "%-*s", LABEL_WIDTH, label);
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const enum column column = (enum column)i;
        struct str cell = {0};
        if ((chosen & 1U << i) == 0)
            continue;
        const int64_t value = side ? value_of(side, column) : 0;
        const int64_t recorded = side ? value_of(base, column) : 0;
        if (!side)
            str_add(&cell, table_columns[i].title);
        else if (column == COLUMN_WAIT || column == COLUMN_RAN)
            shown_duration(value, &cell);
        else if (column == COLUMN_COST)
            agent_cost_words(value, &cell);
        else
            str_add_i64(&cell, value);
        const bool counts_tasks = column >= COLUMN_PASSED && column <= COLUMN_BLOCKED;
        if (counts_tasks && value != recorded)
            str_addf(&cell, " (%+" PRId64 ")", value - recorded);
        const int pad = table_columns[i].width - text_width(str_text(&cell), cell.len);
        str_addf(out, "%*s%s", pad > 0 ? pad : 1, "", str_text(&cell));
        str_done(&cell);
    }
    str_add_char(out, '\n');
}

void what_if_table(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out)
{
    const unsigned chosen = choose_columns(sum, look);
    add_row("", NULL, NULL, chosen, out);
    add_row(label_recorded, &sum->recorded, &sum->recorded, chosen, out);
    add_row(label_other, &sum->other, &sum->recorded, chosen, out);
}

/* Lines for people. */

/* Wraps the text after a label. Further lines are indented to the first word. */
static void add_wrapped(const char *label, const char *text, const struct what_if_look *look,
                        struct str *out)
{
    enum { INDENT_MAX = 12 };
    const int label_width = text_width(label, strlen(label));
    const int indent = label_width < INDENT_MAX ? label_width : 3;
    size_t len = strlen(text);
    int columns = line_width(look) - label_width;
    str_add(out, label);
    do {
        const size_t fits = line_wrap_fit(text, len, columns);
        size_t end = fits;
        while (end > 0 && text[end - 1] == ' ')
            end--;
        str_add_n(out, text, end);
        str_add_char(out, '\n');
        text += fits;
        len -= fits;
        columns = line_width(look) - indent;
        if (len > 0)
            str_addf(out, "%*s", indent, "");
    } while (len > 0);
}

static void add_decision(const struct what_if_decision *decision, bool is_before, struct str *out)
{
    if (decision->new_round) {
        str_add(out, "the agent is prompted once more");
    } else if (decision->kind == DECISION_WAIT && is_before) {
        str_add(out, "the next try starts");
    } else if (decision->kind == DECISION_WAIT) {
        str_add(out, "waits ");
        shown_seconds(decision->delay_ms, out);
    } else {
        str_add(out, task_status_name(task_status_after(decision->kind)));
    }
}

static void add_place(const struct what_if *what, int task, int step, int attempt, struct str *out)
{
    const struct plan_task *plan = &what_if_state(what)->plan->tasks[task];
    str_add(out, plan->id);
    if (plan->step_count > 1)
        str_addf(out, " step %d", step + 1);
    if (attempt > 0)
        str_addf(out, " after try %d", attempt);
}

/* Adds "first difference: 13:52:30 T-105 after try 2: ..."; nothing if there is none. */
static void add_first(const struct what_if *what, const struct what_if_look *look, struct str *out)
{
    struct what_if_sum sum;
    what_if_sum(what, &sum);
    if (!sum.has_first)
        return;
    const struct what_if_difference *first = &sum.first;
    char clock[SHOWN_CLOCK_MAX];
    struct str text = {0};
    str_addf(&text, "%s ", look->hms(first->at.at_ms, clock));
    add_place(what, first->task, first->step, first->attempt, &text);
    str_add(&text, ": as recorded ");
    add_decision(&first->recorded, first->is_before, &text);
    str_add(&text, "; policy B: ");
    add_decision(&first->other, first->is_before, &text);
    if (first->why[0] != '\0')
        str_addf(&text, " (%s)", first->why);
    add_wrapped(" first difference: ", str_text(&text), look, out);
    str_done(&text);
}

/* Adds a line about a task that differs from the record. */
static void add_task(const struct what_if *what, int number, const struct what_if_look *look,
                     struct str *out)
{
    const struct what_if_task *task = what_if_task(what, number);
    struct str text = {0};
    add_place(what, number, task->step, task->attempt, &text);
    if (task->course == WHAT_IF_BLOCKED)
        str_add(&text, ": blocked, a task that it needs does not pass");
    else if (task->course == WHAT_IF_ENDS)
        str_addf(&text, ": %s", task_status_name(task->status));
    else if (task->attempt > 0)
        str_add(&text, ": continues; the log cannot show how");
    else
        str_add(&text, ": needs a task whose outcome is not known");
    if (task->not_run > 0) {
        const int of_step = task->not_run_to - task->not_run_from + 1;
        str_addf(&text, "; %d tr%s not run: #%d", task->not_run, task->not_run == 1 ? "y" : "ies",
                 task->not_run_from);
        if (of_step > 1)
            str_addf(&text, " to #%d", task->not_run_to);
        if (task->not_run > of_step)
            str_add(&text, " and those of later steps");
    }
    add_wrapped(" ", str_text(&text), look, out);
    str_done(&text);
}

static void add_counts(const struct what_if_sum *sum, struct str *out)
{
    const struct {
        int64_t count;
        const char *words;
    } rows[] = {
        {sum->waits, "in the length of a wait"},
        {sum->ends, "by ending"},
        {sum->goes_on, "by continuing"},
    };
    if (sum->differ == 0) {
        str_addf(out, "no decision differs: all %" PRId64 " are the same", sum->decisions);
        return;
    }
    str_addf(out, "%" PRId64 " of %" PRId64 " decisions differ:", sum->differ, sum->decisions);
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].count == 0)
            continue;
        str_addf(out, "%s %" PRId64 " %s", any ? "," : "", rows[i].count, rows[i].words);
        any = true;
    }
}

void what_if_notes(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out)
{
    struct str text = {0};
    add_counts(sum, &text);
    add_wrapped(" ", str_text(&text), look, out);
    if (sum->steps_changed < sum->steps) {
        str_clear(&text);
        str_addf(&text, "policy B changes the policy of %d of %d steps", sum->steps_changed,
                 sum->steps);
        add_wrapped(" ", str_text(&text), look, out);
    }
    if (sum->steps_refused > 0) {
        str_clear(&text);
        str_addf(&text,
                 "a plan with policy B would be rejected: it retries in place %d step%s not "
                 "declared idempotent",
                 sum->steps_refused, sum->steps_refused == 1 ? "" : "s");
        add_wrapped(" ", str_text(&text), look, out);
    }
    if (sum->differ > 0) { /* explain the assumptions about the time after a difference */
        str_clear(&text);
        str_add(&text, "a try would end the same way after a different wait");
        if (sum->rate_limits)
            str_add(&text, "; waits after a rate limit are no shorter than recorded");
        if (sum->by_hand > 0)
            str_addf(&text, "; tasks that a person continued still continue (%" PRId64 " time%s)",
                     sum->by_hand, sum->by_hand == 1 ? "" : "s");
        str_add(&text, "; slots, budgets and loops are as recorded");
        if (sum->gates)
            str_add(&text, ", and so are waits at a gate");
        add_wrapped(" assumed: ", str_text(&text), look, out);
    }
    if (sum->other.unknown > 0)
        add_wrapped(" not known: ", "tries that never happened are not guessed", look, out);
    str_done(&text);
}

void what_if_lines(const struct what_if *what, const struct what_if_look *look, struct str *out)
{
    struct what_if_sum sum;
    what_if_sum(what, &sum);
    what_if_table(&sum, look, out);
    add_first(what, look, out);
    int told = 0;
    int more = 0;
    for (int i = 0; i < what_if_state(what)->plan->task_count; i++) {
        if (what_if_task(what, i)->course == WHAT_IF_SAME)
            continue;
        if (told++ < WHAT_IF_TASKS_SHOWN)
            add_task(what, i, look, out);
        else
            more++;
    }
    if (more > 0)
        str_addf(out, " ... and %d more tasks (--json has all)\n", more);
    what_if_notes(&sum, look, out);
}

void what_if_doubt(const struct what_if *same, int64_t run, const struct what_if_look *look,
                   struct str *out)
{
    char clock[SHOWN_CLOCK_MAX];
    struct what_if_sum sum;
    struct str text = {0};
    what_if_sum(same, &sum);
    if (sum.differ == 0)
        return;
    str_addf(
        &text,
        "even with the same policies, this devs decides differently than recorded %lld time%s, "
        "first at %s: see devs verify %lld",
        (long long)sum.differ, sum.differ == 1 ? "" : "s", look->hms(sum.first.at.at_ms, clock),
        (long long)run);
    add_wrapped(" ", str_text(&text), look, out);
    str_done(&text);
}

void what_if_savings(const struct what_if_sum *sum, struct str *out)
{
    enum { SECOND_MS = 1000 };
    const int64_t attempts = sum->recorded.tries - sum->other.tries;
    const int64_t ms =
        sum->recorded.waited_ms + sum->recorded.ran_ms - sum->other.waited_ms - sum->other.ran_ms;
    bool same_result = sum->other.unknown == 0 && sum->goes_on == 0;
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        same_result = same_result && sum->recorded.counts[i] == sum->other.counts[i];
    if (attempts <= 0 || !same_result)
        return;
    shown_count(attempts, "attempt", "attempts", out);
    if (ms >= SECOND_MS) {
        str_add(out, " and ");
        shown_duration(ms, out);
    }
    str_add(out, " less, same result");
}

/* JSON output. */

static const char *const courses[] = {
    [WHAT_IF_SAME] = "same",
    [WHAT_IF_ENDS] = "ends",
    [WHAT_IF_BLOCKED] = "blocked",
    [WHAT_IF_UNKNOWN] = "not-known",
};
static_assert(ARRAY_LEN(courses) == WHAT_IF_COURSE_COUNT, "every course has a name");

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

static void add_json_decision(const char *key, const struct what_if_decision *decision,
                              const char *why, struct str *out)
{
    str_json_key(out, key);
    str_add_char(out, '{');
    str_json_text(out, "decision",
                  decision->new_round ? "new-round" : decision_kind_name(decision->kind));
    if (decision->kind == DECISION_WAIT && !decision->new_round)
        str_json_i64(out, "delay_ms", decision->delay_ms);
    if (why[0] != '\0')
        str_json_text(out, "why", why);
    str_add_char(out, '}');
}

static void add_json_place(const struct what_if *what, int task, int step, int attempt,
                           struct str *out)
{
    str_json_text(out, "task", what_if_state(what)->plan->tasks[task].id);
    str_json_i64(out, "step", step + 1);
    str_json_i64(out, "attempt", attempt);
}

static void add_json_task(const struct what_if *what, int number, struct str *out)
{
    const struct what_if_task *task = what_if_task(what, number);
    str_add_char(out, '{');
    add_json_place(what, number, task->step, task->attempt, out);
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
    if (sum.has_first) {
        const struct what_if_difference *first = &sum.first;
        str_json_key(out, "first");
        str_add_char(out, '{');
        str_json_i64(out, "at_ms", first->at.at_ms);
        add_json_place(what, first->task, first->step, first->attempt, out);
        str_json_bool(out, "before_start", first->is_before);
        add_json_decision("recorded", &first->recorded, "", out);
        add_json_decision("other", &first->other, first->why, out);
        str_add_char(out, '}');
    }
    str_json_key(out, "tasks");
    str_add_char(out, '[');
    for (int i = 0; i < what_if_state(what)->plan->task_count; i++) {
        const struct what_if_task *task = what_if_task(what, i);
        if (task->course == WHAT_IF_SAME && task->recorded_wait_ms == task->other_wait_ms)
            continue;
        str_add(out, any ? "," : "");
        add_json_task(what, i, out);
        any = true;
    }
    str_add_char(out, ']');
}
