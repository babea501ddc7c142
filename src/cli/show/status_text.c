/* status_text.c - a run task by task, for people. */
#include <string.h>

#include "columns.h"
#include "looks.h"
#include "status.h"
#include "telling.h"
#include "text.h"
#include "time_spent.h"

static int widest_id(const struct plan *plan)
{
    int widest = COLUMNS_ID_MIN;
    for (int i = 0; i < plan->task_count; i++)
        columns_widen(&widest, plan->tasks[i].id);
    return widest;
}

/* Widths of the columns that depend on the run. */
struct columns {
    int id, try, next;
};

static void widen(int *columns, const struct str *text)
{
    int width = text_width(str_text(text), text->len);
    *columns = width > *columns ? width : *columns;
}

static struct columns measure(const struct status *status)
{
    enum { TRY_COLUMNS_MIN = 5, NEXT_COLUMNS_MIN = 12 };
    const struct run_state *state = follower_state(status->follower);
    const struct shown_time time = status_time(status);
    struct columns columns = {
        .id = widest_id(state->plan), .try = TRY_COLUMNS_MIN, .next = NEXT_COLUMNS_MIN};
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str text = {0};
        shown_try(state, i, &text);
        widen(&columns.try, &text);
        str_clear(&text);
        shown_next(state, i, status->orphaned, &time, &text);
        widen(&columns.next, &text);
        str_done(&text);
    }
    return columns;
}

/* The columns of the screen, as a line. */
static void print_task(const struct status *status, int task, const struct columns *columns)
{
    const struct run_state *state = follower_state(status->follower);
    const struct shown_time time = status_time(status);
    enum shown shown = shown_task(state, task, status->orphaned);
    struct str line = {0}, part = {0};
    str_addf(&line, "%s %-9s ", shown_sign(shown, status->ascii), shown_word(shown));
    columns_add(&line, state->plan->tasks[task].id, columns->id + 1);
    shown_strip(state, task, status->ascii, &part);
    columns_add(&line, str_text(&part), 9);
    str_clear(&part);
    shown_try(state, task, &part);
    columns_add(&line, str_text(&part), columns->try + 1);
    str_clear(&part);
    shown_next(state, task, status->orphaned, &time, &part);
    columns_add(&line, str_text(&part), columns->next + 1);
    str_clear(&part);
    shown_circles_or_class(state, task, &part);
    columns_add(&line, str_text(&part), 13);
    str_clear(&part);
    shown_why(state, task, &part);
    str_add(&line, str_text(&part));
    status_say_line(status, &line);
    str_done(&line);
    str_done(&part);
}

/* What a failed task wrote, and how to look at it. */
static void print_failed(const struct status *status, int task)
{
    enum { INDENT = 12, TELLING_COLUMNS_MAX = 60, TELLING_COLUMNS_MIN = 20 };
    const struct run_state *state = follower_state(status->follower);
    const int64_t run = status_run(status)->number;
    const int columns = looks_print_columns();
    struct str line = {0}, telling = {0}, why = {0}, command = {0};
    if (!task_status_is_failed(state->tasks[task].status))
        return;
    shown_why(state, task, &why);
    telling_line(follower_reader(status->follower), run, state, task, &telling);
    if (strstr(str_text(&why), str_text(&telling)))
        str_clear(&telling); /* the line above has it */
    str_addf(&command, "%sdevs why %lld/%s", telling.len > 0 ? "   " : "", (long long)run,
             state->plan->tasks[task].id);
    int room = columns - INDENT - text_width(str_text(&command), command.len);
    room = columns == 0 || room > TELLING_COLUMNS_MAX ? TELLING_COLUMNS_MAX : room;
    str_addf(&line, "%*s", INDENT, "");
    text_fit(&line, str_text(&telling), room < TELLING_COLUMNS_MIN ? TELLING_COLUMNS_MIN : room,
             status->ascii ? TEXT_ASCII : TEXT_PLAIN);
    str_add(&line, str_text(&command));
    status_say_line(status, &line);
    str_done(&line);
    str_done(&telling);
    str_done(&why);
    str_done(&command);
}

/* What a plan asked for and this machine does not give. */
static void print_lacks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str lacks = {0};
        shown_lacks(state, i, &lacks);
        if (lacks.len > 0) {
            struct str line = {0};
            str_addf(&line, "%s: %s", state->plan->tasks[i].id, lacks.data);
            status_say_line(status, &line);
            str_done(&line);
        }
        str_done(&lacks);
    }
}

/* What the agents have used, a line for each that is known. */
static void print_agents(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str line = {0}, part = {0};
        shown_agent(state, i, &part);
        if (part.len > 0) {
            str_addf(&line, "%s: %s", state->plan->tasks[i].id, part.data);
            str_clear(&part);
            shown_budgets(state, i, &status->now, &part);
            if (part.len > 0)
                str_addf(&line, "; budget %s", part.data);
            str_clear(&part);
            shown_round(state, i, &part);
            if (part.len > 0)
                str_addf(&line, "; round %s", part.data);
            status_say_line(status, &line);
        }
        str_done(&line);
        str_done(&part);
    }
}

/* Where the time of all tasks went. */
static void print_time(const struct status *status)
{
    struct time_spent spent;
    struct str words = {0};
    time_spent_of_run(&spent, follower_state(status->follower), &status->now, status->orphaned);
    time_spent_words(&spent, &words);
    if (words.len > 0) {
        struct str line = {0};
        str_addf(&line, "time: %s", words.data);
        status_say_wrapped(&line);
        str_done(&line);
    }
    str_done(&words);
}

static void print_tasks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    print_lacks(status);
    const struct columns columns = measure(status);
    for (int i = 0; i < state->plan->task_count; i++) {
        print_task(status, i, &columns);
        print_failed(status, i);
    }
    print_agents(status);
    print_time(status);
}

void status_print(const struct status *status)
{
    status_print_head(status);
    if (status->is_brief)
        status_print_overview(status);
    else
        print_tasks(status);
    status_print_end(status);
}
