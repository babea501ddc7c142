/* status_overview.c - a run of many tasks in a few lines: what one asks for first. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "columns.h"
#include "status.h"

enum {
    SIGN_COLUMNS = 12,
    TRY_COLUMNS = 8,
    NEXT_COLUMNS = 14,
    LACKS_SHOWN = 5, /* different ones, a line each */
};

static void add_count(const struct overview *tasks, enum shown shown, struct str *out)
{
    if (tasks->counts[shown] > 0)
        str_addf(out, "%s%d %s", out->len > 0 ? ", " : "", tasks->counts[shown], shown_word(shown));
}

/* "5224 tasks: 653 stuck, 1306 gave-up, 2612 passed" */
static void print_counts(const struct status *status)
{
    const struct overview *tasks = &status->overview.tasks;
    struct str counts = {0};
    for (int i = 0; i < SHOWN_COUNT; i++)
        add_count(tasks, (enum shown)i, &counts);
    (void)printf("%d tasks%s%s\n", tasks->tasks, counts.len > 0 ? ": " : "", str_text(&counts));
    str_done(&counts);
}

static void add_left(const char *before, int64_t due_at_ms, const struct status *status,
                     struct str *out)
{
    str_add(out, before);
    shown_left(due_at_ms - status->now.at_ms, out);
}

/* "26120 tries in 15:06, 1:02:03 of waits; the next try in 0:12" */
static void print_tries(const struct status *status)
{
    const struct log_run_info *run = status_run(status);
    const int64_t due_at_ms = status->overview.tasks.due_at_ms;
    struct str line = {0};
    shown_count(run->attempts, "try", "tries", &line);
    str_add(&line, " in ");
    shown_duration(status->now.at_ms - run->started_at_ms, &line);
    if (run->waited_ms > 0) {
        str_add(&line, ", waits of ");
        shown_duration(run->waited_ms, &line);
        str_add(&line, " in all");
    }
    if (due_at_ms != 0 && run->ended_at_ms == 0 && !status->orphaned)
        add_left("; the next try in ", due_at_ms, status, &line);
    status_say_line(status, &line);
    str_done(&line);
}

/* Nothing is so long ago once nothing goes on. */
static void add_since(const char *before, int64_t since_ms, const struct status *status,
                      struct str *out)
{
    char hms[CLOCK_TEXT_MAX];
    if (status_run(status)->ended_at_ms != 0 || status->orphaned) {
        str_addf(out, "at %s", clock_hms(since_ms, hms));
        return;
    }
    str_add(out, before);
    shown_duration(status->now.at_ms - since_ms, out);
}

/* Since when, or how long still. */
static void add_next(const struct status *status, const struct overview_row *row, enum shown shown,
                     struct str *out)
{
    if (shown == SHOWN_BACKOFF && status->orphaned)
        str_add(out, "no waiter");
    else if (shown == SHOWN_BACKOFF && row->due_at_ms <= status->now.at_ms)
        str_add(out, "starting");
    else if (shown == SHOWN_BACKOFF)
        add_left("in ", row->due_at_ms, status, out);
    else if (shown == SHOWN_LOST)
        str_add(out, "devs died");
    else if (shown == SHOWN_NEEDS_YOU && row->ended_at_ms != 0)
        add_since("for ", row->ended_at_ms, status, out);
    else if ((shown == SHOWN_RUNNING || shown == SHOWN_QUIET) && row->started_at_ms != 0)
        add_since("", row->started_at_ms, status, out);
    else if ((shown == SHOWN_GAVE_UP || shown == SHOWN_STUCK) && row->ended_at_ms != 0)
        add_since("ended ", row->ended_at_ms, status, out);
}

/* Who holds it, and what it failed with. */
static void add_why(const struct overview_row *row, enum shown shown, struct str *out)
{
    const bool has_failed = row->ended_at_ms != 0 && row->class.label.class != VERDICT_SUCCESS;
    if (shown == SHOWN_HELD)
        str_addf(out, "held by %s", row->by[0] != '\0' ? row->by : "a person");
    if (shown == SHOWN_HELD && has_failed)
        str_add(out, "; ");
    if (has_failed)
        failure_class_word(&row->class, out);
}

static void print_row(const struct status *status, const struct overview_row *row, int id_columns)
{
    const enum shown shown = overview_shown(row, status->orphaned);
    struct str line = {0}, part = {0};
    str_addf(&line, "%s %-9s ", shown_sign(shown, status->ascii), shown_word(shown));
    columns_add(&line, row->id, id_columns + 1);
    str_addf(&part, "%d/%d", row->tried, row->tries);
    columns_add(&line, str_text(&part), TRY_COLUMNS);
    str_clear(&part);
    add_next(status, row, shown, &part);
    columns_add(&line, str_text(&part), NEXT_COLUMNS);
    add_why(row, shown, &line);
    status_say_line(status, &line);
    str_done(&line);
    str_done(&part);
}

static int widest_id(const struct overview *tasks)
{
    int widest = COLUMNS_ID_MIN;
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        for (int i = 0; i < tasks->row_counts[kind]; i++)
            columns_widen(&widest, tasks->rows[kind][i].id);
    }
    return widest;
}

/* The first of a kind, and how many more there are. */
static void print_kind(const struct status *status, enum overview_kind kind, int id_columns)
{
    const struct overview *tasks = &status->overview.tasks;
    const int listed = tasks->row_counts[kind];
    const int count = overview_count(tasks, kind);
    for (int i = 0; i < listed; i++)
        print_row(status, &tasks->rows[kind][i], id_columns);
    if (count > listed)
        (void)printf("%*sand %d more\n", SIGN_COLUMNS, "", count - listed);
}

/* What tasks lack, and how many lack the same. */
struct lacks {
    struct str texts[LACKS_SHOWN]; /* owned */
    int tasks[LACKS_SHOWN];
    int others; /* tasks that lack something else */
};

static void count_lacks(struct lacks *lacks, const char *text)
{
    int at = 0;
    while (at < LACKS_SHOWN && lacks->tasks[at] > 0 &&
           strcmp(str_text(&lacks->texts[at]), text) != 0)
        at++;
    if (at == LACKS_SHOWN) {
        lacks->others++;
        return;
    }
    if (lacks->tasks[at]++ == 0)
        str_add(&lacks->texts[at], text);
}

/* What a plan asked for and this machine does not give, a line for all tasks that lack the same. */
static void print_lacks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    struct lacks lacks = {.others = 0};
    for (int task = 0; task < state->plan->task_count; task++) {
        struct str text = {0};
        shown_lacks(state, task, &text);
        if (text.len > 0)
            count_lacks(&lacks, text.data);
        str_done(&text);
    }
    for (int i = 0; i < LACKS_SHOWN && lacks.tasks[i] > 0; i++) {
        struct str line = {0};
        shown_count(lacks.tasks[i], "task: ", "tasks: ", &line);
        str_add(&line, str_text(&lacks.texts[i]));
        status_say_line(status, &line);
        str_done(&line);
        str_done(&lacks.texts[i]);
    }
    if (lacks.others > 0)
        (void)printf("%d more: sandbox does not enforce all of it\n", lacks.others);
}

/* Where each task stands, and that the events were not looked at: one that is damaged is told by
 * who reads them. */
static void print_where(const struct status *status)
{
    const long long run = status_run(status)->number;
    if (status->follower)
        (void)printf("each task: devs status --all %lld\n", run);
    else
        (void)printf("each task, read from the events (this is not): devs status --all %lld\n",
                     run);
}

void status_print_overview(const struct status *status)
{
    const int id_columns = widest_id(&status->overview.tasks);
    print_counts(status);
    if (status->follower)
        print_lacks(status);
    print_tries(status);
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++)
        print_kind(status, (enum overview_kind)kind, id_columns);
    print_where(status);
}
