/* what_if_words.c - what other policies would have decided, as lines for people. */
#include <inttypes.h>
#include <string.h>

#include "line_wrap.h"
#include "text.h"
#include "what_if_parts.h"

/* The words behind a label, over as many lines as they take; those after the first begin below
 * the first word. */
static void add_wrapped(const char *label, const char *text, const struct what_if_look *look,
                        struct str *out)
{
    enum { INDENT_MAX = 12 };
    const int label_width = text_width(label, strlen(label));
    const int indent = label_width < INDENT_MAX ? label_width : 3;
    size_t len = strlen(text);
    int columns = what_if_width(look) - label_width;
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
        columns = what_if_width(look) - indent;
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

/* "first difference: 13:52:30 T-105 after try 2: ..."; nothing where there is none. */
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

static void add_not_run(const struct what_if_task *task, struct str *out)
{
    const int of_step = task->not_run_to - task->not_run_from + 1;
    if (task->not_run <= 0)
        return;
    str_addf(out, "; %d tr%s not run: #%d", task->not_run, task->not_run == 1 ? "y" : "ies",
             task->not_run_from);
    if (of_step > 1)
        str_addf(out, " to #%d", task->not_run_to);
    if (task->not_run > of_step)
        str_add(out, " and those of later steps");
}

/* One that is not as recorded. */
static void add_task(const struct what_if *what, int number, const struct what_if_look *look,
                     struct str *out)
{
    const struct what_if_task *task = what_if_task(what, number);
    struct str text = {0};
    add_place(what, number, task->step, task->attempt, &text);
    if (task->course == WHAT_IF_BLOCKED)
        str_add(&text, ": blocked, what it needs does not pass");
    else if (task->course == WHAT_IF_ENDS)
        str_addf(&text, ": %s", task_status_name(task->status));
    else if (task->attempt > 0)
        str_add(&text, ": goes on; how that would have gone is not known");
    else
        str_add(&text, ": needs a task of which it is not known");
    add_not_run(task, &text);
    add_wrapped(" ", str_text(&text), look, out);
    str_done(&text);
}

/* Those that fare otherwise, WHAT_IF_TASKS_SHOWN at most. */
static void add_tasks(const struct what_if *what, const struct what_if_look *look, struct str *out)
{
    const int count = what_if_state(what)->plan->task_count;
    int told = 0;
    int more = 0;
    for (int i = 0; i < count; i++) {
        if (what_if_task(what, i)->course == WHAT_IF_SAME)
            continue;
        if (told++ < WHAT_IF_TASKS_SHOWN)
            add_task(what, i, look, out);
        else
            more++;
    }
    if (more > 0)
        str_addf(out, " ... and %d more tasks (--json has all)\n", more);
}

static void add_counts(const struct what_if_sum *sum, struct str *out)
{
    const struct {
        int64_t count;
        const char *words;
    } rows[] = {
        {sum->waits, "in the length of a wait"},
        {sum->ends, "by an end"},
        {sum->goes_on, "by going on"},
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

/* What is taken for granted where the two differ. */
static void add_assumed(const struct what_if_sum *sum, struct str *out)
{
    str_add(out, "a try has the same result after another wait");
    if (sum->rate_limits)
        str_add(out, "; waits after a rate limit are no shorter than they were");
    if (sum->by_hand > 0)
        str_addf(out, "; what a person let go on goes on (%" PRId64 " time%s)", sum->by_hand,
                 sum->by_hand == 1 ? "" : "s");
    str_add(out, "; slots, budgets and loops are as recorded");
    if (sum->gates)
        str_add(out, ", waits behind a gate too");
}

/* Which steps it is about, where not all. */
static void add_reach(const struct what_if_sum *sum, const struct what_if_look *look,
                      struct str *out)
{
    struct str text = {0};
    if (sum->steps_changed < sum->steps) {
        str_addf(&text, "policy B changes the policy of %d of %d steps", sum->steps_changed,
                 sum->steps);
        add_wrapped(" ", str_text(&text), look, out);
    }
    str_clear(&text);
    if (sum->steps_refused > 0) {
        str_addf(&text,
                 "a plan with policy B would be refused: it tries %d step%s again in place, not "
                 "declared idempotent",
                 sum->steps_refused, sum->steps_refused == 1 ? "" : "s");
        add_wrapped(" ", str_text(&text), look, out);
    }
    str_done(&text);
}

void what_if_notes(const struct what_if_sum *sum, const struct what_if_look *look, struct str *out)
{
    struct str text = {0};
    add_counts(sum, &text);
    add_wrapped(" ", str_text(&text), look, out);
    add_reach(sum, look, out);
    if (sum->differ > 0) {
        str_clear(&text);
        add_assumed(sum, &text);
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
    add_tasks(what, look, out);
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
    str_addf(&text,
             "this devs decides %lld time%s differently than recorded, without any change, the "
             "first time at %s: see devs debug --verify %lld",
             (long long)sum.differ, sum.differ == 1 ? "" : "s",
             look->hms(sum.first.at.at_ms, clock), (long long)run);
    add_wrapped(" ", str_text(&text), look, out);
    str_done(&text);
}

/* Does every task come to what it came to? */
static bool is_same_result(const struct what_if_sum *sum)
{
    bool same = sum->other.unknown == 0 && sum->goes_on == 0;
    for (int i = 0; i < TASK_STATUS_COUNT; i++)
        same = same && sum->recorded.counts[i] == sum->other.counts[i];
    return same;
}

void what_if_savings(const struct what_if_sum *sum, struct str *out)
{
    enum { SECOND_MS = 1000 };
    const int64_t attempts = sum->recorded.tries - sum->other.tries;
    const int64_t ms =
        sum->recorded.waited_ms + sum->recorded.ran_ms - sum->other.waited_ms - sum->other.ran_ms;
    if (attempts <= 0 || !is_same_result(sum))
        return;
    shown_count(attempts, "attempt", "attempts", out);
    if (ms >= SECOND_MS) {
        str_add(out, " and ");
        shown_duration(ms, out);
    }
    str_add(out, " less, same result");
}
