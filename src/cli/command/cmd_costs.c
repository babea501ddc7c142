/* cmd_costs.c - devs costs: what agents have used, summed up. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "clock.h"
#include "command.h"
#include "fail.h"
#include "log_reader.h"
#include "parse.h"
#include "show.h"
#include "target.h"
#include "text.h"
#include "xalloc.h"

enum { NAME_COLUMNS_MIN = 10, NAME_COLUMNS_MAX = 40, DAY_CHARS = 10, DAYS_MAX = 36500 };
#define MS_PER_DAY (INT64_C(24) * 60 * 60 * 1000)

enum costs_by { BY_DAY, BY_RUN, BY_TASK, BY_AGENT, BY_MODEL, BY_COUNT };

static const char *const by_names[BY_COUNT] = {
    [BY_DAY] = "day",     [BY_RUN] = "run",     [BY_TASK] = "task",
    [BY_AGENT] = "agent", [BY_MODEL] = "model",
};

/* What the agent of one attempt, or of several with the same name, has used. */
struct cost {
    char *name;              /* owned; the day, run, task and so on */
    int task, step, attempt; /* of an attempt */
    int64_t tries;
    int64_t unpriced; /* tries with tokens or turns, but without a cost */
    struct agent_used used;
};

struct costs {
    enum costs_by by;
    bool json;
    int64_t since_ms;          /* runs that were active since then; 0 = all */
    struct log_reader *reader; /* borrowed */
    struct event_page page;    /* owned; reused for all runs */
    struct cost *items;        /* owned */
    size_t count, cap;
};

static void costs_done(struct costs *costs)
{
    for (size_t i = 0; i < costs->count; i++)
        free(costs->items[i].name);
    free(costs->items);
    event_page_done(&costs->page);
}

static struct cost *add_cost(struct costs *costs)
{
    costs->items = xgrow(costs->items, &costs->cap, costs->count + 1, sizeof(*costs->items));
    struct cost *cost = &costs->items[costs->count++];
    *cost = (struct cost){0};
    return cost;
}

/* Returns the item of the event's attempt among those of its run, which begin at `first`. */
static struct cost *find_attempt(struct costs *costs, size_t first, const struct event *event)
{
    for (size_t i = costs->count; i > first; i--) {
        struct cost *cost = &costs->items[i - 1];
        if (cost->task == event->task && cost->step == event->step &&
            cost->attempt == event->attempt)
            return cost;
    }
    struct cost *cost = add_cost(costs);
    cost->task = event->task;
    cost->step = event->step;
    cost->attempt = event->attempt;
    cost->tries = 1;
    return cost;
}

static void set_name(struct cost *cost, const char *name)
{
    free(cost->name);
    cost->name = xstrdup(name && name[0] != '\0' ? name : "unknown");
}

/* The plan's names for what the costs of a run are grouped by. */
struct naming {
    struct costs *costs;
    size_t first;
};

static void name_by_plan(void *ctx, const struct plan *plan)
{
    const struct naming *naming = ctx;
    for (size_t i = naming->first; i < naming->costs->count; i++) {
        struct cost *cost = &naming->costs->items[i];
        if (cost->task >= plan->task_count)
            continue;
        const struct plan_task *task = &plan->tasks[cost->task];
        if (naming->costs->by == BY_TASK)
            set_name(cost, task->id);
        else if (cost->step < task->step_count && task->steps[cost->step].agent)
            set_name(cost, task->steps[cost->step].agent->model);
    }
}

/* Takes the agent of an attempt, or its usage so far. */
static void take_event(struct costs *costs, size_t first, const struct event *event)
{
    char date[CLOCK_TEXT_MAX];
    if (event->task < 0)
        return;
    struct cost *cost = find_attempt(costs, first, event);
    if (event->kind == EVENT_AGENT_SESSION && costs->by == BY_AGENT)
        set_name(cost, event->session.agent);
    if (event->kind == EVENT_AGENT_USED)
        cost->used = event->used.used;
    if (costs->by == BY_DAY) {
        (void)clock_date(event->at.at_ms, date);
        date[DAY_CHARS] = '\0';
        set_name(cost, date);
    }
}

static bool add_run(void *ctx, const struct log_run_info *run, struct err *err)
{
    struct costs *costs = ctx;
    struct event_page *page = &costs->page;
    const size_t first = costs->count;
    char number[32];
    int64_t after = 0;
    bool ok = true;
    if (run->last_at_ms < costs->since_ms)
        return true;
    do {
        ok = log_reader_agent_events(costs->reader, run->number, after, page, err);
        for (size_t i = 0; ok && i < page->count; i++) {
            take_event(costs, first, &page->events[i]);
            after = page->events[i].seq;
        }
    } while (ok && page->count == LOG_PAGE_EVENTS);
    if (!ok || costs->count == first)
        return ok;
    if (costs->by == BY_TASK || costs->by == BY_MODEL)
        target_show_plan(costs->reader, run->number, name_by_plan,
                         &(struct naming){.costs = costs, .first = first});
    (void)snprintf(number, sizeof(number), "#%lld", (long long)run->number);
    for (size_t i = first; i < costs->count; i++) {
        struct cost *cost = &costs->items[i];
        if (costs->by == BY_RUN || !cost->name)
            set_name(cost, costs->by == BY_RUN ? number : NULL);
        cost->unpriced =
            cost->used.cost_micro == 0 && (cost->used.tokens > 0 || cost->used.turns > 0);
    }
    return true;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct cost *)left)->name, ((const struct cost *)right)->name);
}

static int compare(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

/* The largest first; equal ones by name. */
static int by_size(const void *left, const void *right)
{
    const struct cost *a = left;
    const struct cost *b = right;
    if (a->used.cost_micro != b->used.cost_micro)
        return compare(b->used.cost_micro, a->used.cost_micro);
    if (a->used.tokens != b->used.tokens)
        return compare(b->used.tokens, a->used.tokens);
    return strcmp(a->name, b->name);
}

static void add_to(struct cost *sum, const struct cost *cost)
{
    sum->tries += cost->tries;
    sum->unpriced += cost->unpriced;
    agent_used_add(&sum->used, &cost->used);
}

/* Adds up the costs with the same name. Days stay in the order of time. */
static void group(struct costs *costs)
{
    size_t kept = 0;
    qsort(costs->items, costs->count, sizeof(*costs->items), by_name);
    for (size_t i = 0; i < costs->count; i++) {
        if (kept > 0 && strcmp(costs->items[kept - 1].name, costs->items[i].name) == 0) {
            add_to(&costs->items[kept - 1], &costs->items[i]);
            free(costs->items[i].name);
        } else {
            costs->items[kept++] = costs->items[i];
        }
    }
    costs->count = kept;
    if (costs->by != BY_DAY)
        qsort(costs->items, costs->count, sizeof(*costs->items), by_size);
}

/* A sum that leaves out tries has a plus sign. */
static void add_cost_words(const struct cost *cost, struct str *out)
{
    if (cost->used.cost_micro > 0)
        agent_cost_words(cost->used.cost_micro, out);
    else if (cost->unpriced == 0)
        str_add(out, "0");
    if (cost->unpriced > 0)
        str_add(out, cost->used.cost_micro > 0 ? "+" : "unknown");
}

static void print_row(const char *name, int columns, const struct cost *cost)
{
    struct str words = {0};
    struct str clean = {0};
    text_clean(&clean, name, strlen(name));
    add_cost_words(cost, &words);
    (void)printf("%-*s %7lld %8lld %8lld %12lld %11s\n", columns, str_text(&clean),
                 (long long)cost->tries, (long long)cost->used.turns, (long long)cost->used.calls,
                 (long long)cost->used.tokens, str_text(&words));
    str_done(&words);
    str_done(&clean);
}

static void print_text(const struct costs *costs)
{
    struct cost sum = {0};
    size_t columns = NAME_COLUMNS_MIN;
    for (size_t i = 0; i < costs->count; i++) {
        const size_t len = strlen(costs->items[i].name);
        columns = len > columns ? len : columns;
    }
    const int width = columns < NAME_COLUMNS_MAX ? (int)columns : NAME_COLUMNS_MAX;
    if (costs->count == 0) {
        (void)puts("no agent has run");
        return;
    }
    (void)printf("%-*s %7s %8s %8s %12s %11s\n", width, by_names[costs->by], "tries", "turns",
                 "calls", "tokens", "cost");
    for (size_t i = 0; i < costs->count; i++) {
        print_row(costs->items[i].name, width, &costs->items[i]);
        add_to(&sum, &costs->items[i]);
    }
    if (costs->count > 1)
        print_row("sum", width, &sum);
    if (sum.unpriced > 0)
        (void)printf("%lld of %lld tries: their agent reports no cost\n", (long long)sum.unpriced,
                     (long long)sum.tries);
}

static void print_json(const struct costs *costs)
{
    struct str out = {0};
    for (size_t i = 0; i < costs->count; i++) {
        const struct cost *cost = &costs->items[i];
        str_clear(&out);
        str_add_char(&out, '{');
        str_json_i64(&out, "v", 1);
        str_json_text(&out, "by", by_names[costs->by]);
        str_json_text(&out, "name", cost->name);
        str_json_i64(&out, "tries", cost->tries);
        str_json_i64(&out, "turns", cost->used.turns);
        str_json_i64(&out, "calls", cost->used.calls);
        str_json_i64(&out, "tokens", cost->used.tokens);
        str_json_i64(&out, "cost_micro", cost->used.cost_micro);
        str_json_i64(&out, "unpriced", cost->unpriced);
        str_add(&out, "}\n");
        say_json(out.data);
    }
    str_done(&out);
}

static bool parse_by(const char *word, enum costs_by *out, struct err *err)
{
    for (int i = 0; i < BY_COUNT; i++) {
        if (strcmp(word, by_names[i]) == 0) {
            *out = (enum costs_by)i;
            return true;
        }
    }
    (void)err_set(err, ERR_INVALID, "costs: '%s' is not a grouping", word);
    return err_hint(err, "use --by day, run, task, agent or model");
}

int cmd_costs(struct globals *globals, int argc, char **argv)
{
    struct costs costs = {0};
    const char *by = by_names[BY_DAY];
    const char *days_word = NULL;
    int64_t days = 0;
    const struct option_spec specs[] = {
        {"by", 0, "NAME", "sum up by day (the default), run, task, agent or model", NULL, &by},
        {"days", 0, "N", "only runs that were active in the last N days", NULL, &days_word},
        {"json", 0, NULL, "print a JSON object for each row", &costs.json, NULL},
    };
    struct command_line line = {.specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 0};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct subject subject = {0};
    bool ok = parse_by(by, &costs.by, &err);
    if (ok && days_word && !parse_i64(days_word, 1, DAYS_MAX, &days, &err))
        ok = err_hint(&err, "--days takes a number of days");
    if (days > 0)
        costs.since_ms = clock_now().at_ms - days * MS_PER_DAY;
    ok = ok && subject_open(&subject, globals->command, globals->db, NULL, &err);
    costs.reader = subject.reader;
    ok = ok && log_reader_each_run(subject.reader, add_run, &costs, &err);
    if (ok) {
        group(&costs);
        if (costs.json)
            print_json(&costs);
        else
            print_text(&costs);
    }
    subject_close(&subject);
    costs_done(&costs);
    return ok ? EXIT_ALL_PASSED : fail(&err);
}
