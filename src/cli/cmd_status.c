#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "command.h"
#include "exit_code.h"
#include "fail.h"
#include "find_log.h"
#include "follower.h"
#include "looks.h"
#include "shown.h"
#include "status.h"
#include "target.h"
#include "text.h"
#include "time_spent.h"

/* A text that is too wide for its column still ends before the next one begins. */
static void add_padded(struct str *out, const char *text, int columns)
{
    int width = text_width(text, strlen(text));
    str_add(out, text);
    for (int i = width < columns ? width : columns - 1; i < columns; i++)
        str_add_char(out, ' ');
}

static int widest_id(const struct plan *plan)
{
    enum { ID_COLUMNS_MIN = 6, ID_COLUMNS_MAX = 24 };
    int widest = ID_COLUMNS_MIN;
    for (int i = 0; i < plan->task_count; i++) {
        int width = (int)strlen(plan->tasks[i].id);
        if (width > widest)
            widest = width;
    }
    return widest < ID_COLUMNS_MAX ? widest : ID_COLUMNS_MAX;
}

/* Widths of the columns that depend on the run. */
struct columns {
    int id, try, next;
};

static struct shown_time time_of(const struct status *status)
{
    return (struct shown_time){.now = status->now, .clock = clock_short, .hms = clock_hms};
}

static void widen(int *columns, const struct str *text)
{
    int width = text_width(str_text(text), text->len);
    *columns = width > *columns ? width : *columns;
}

static struct columns measure(const struct status *status)
{
    enum { TRY_COLUMNS_MIN = 5, NEXT_COLUMNS_MIN = 12 };
    const struct run_state *state = follower_state(status->follower);
    const struct shown_time time = time_of(status);
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
    const struct shown_time time = time_of(status);
    enum shown shown = shown_task(state, task, status->orphaned);
    struct str line = {0}, part = {0};
    str_addf(&line, "%s %-9s ", shown_sign(shown, status->ascii), shown_word(shown));
    add_padded(&line, state->plan->tasks[task].id, columns->id + 1);
    shown_strip(state, task, status->ascii, &part);
    add_padded(&line, str_text(&part), 9);
    str_clear(&part);
    shown_try(state, task, &part);
    add_padded(&line, str_text(&part), columns->try + 1);
    str_clear(&part);
    shown_next(state, task, status->orphaned, &time, &part);
    add_padded(&line, str_text(&part), columns->next + 1);
    str_clear(&part);
    shown_circles_or_class(state, task, &part);
    add_padded(&line, str_text(&part), 13);
    str_clear(&part);
    shown_why(state, task, &part);
    str_addf(&line, "%s\n", str_text(&part));
    say(str_text(&line));
    str_done(&line);
    str_done(&part);
}

/* A line for each that keeps something back. Without an engine nothing is let through. */
static void print_gates(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    const struct shown_time time = time_of(status);
    for (int i = 0; i < state->plan->source_count && !status->orphaned; i++) {
        struct str line = {0};
        shown_gate(state, i, &time, SHOWN_IN_FULL, &line);
        if (line.len > 0) {
            str_add_char(&line, '\n');
            say(line.data);
        }
        str_done(&line);
    }
}

static void add_members(const struct run_state *state, const struct fault *fault, struct str *out)
{
    enum { MEMBERS_SHOWN = 8 };
    int shown = 0;
    for (int i = fault->first; i < state->plan->task_count && shown < MEMBERS_SHOWN; i++) {
        if (!fault_has(fault, state, i))
            continue;
        str_addf(out, " %s", state->plan->tasks[i].id);
        shown++;
    }
    if (fault->count > shown)
        str_addf(out, " and %d more", fault->count - shown);
}

static bool is_all_held(const struct run_state *state, const struct fault *fault)
{
    for (int i = fault->first; i < state->plan->task_count; i++) {
        if (fault_has(fault, state, i) && !state->tasks[i].held)
            return false;
    }
    return true;
}

/* When they go on: ", next in 0:12..1:04", or that they do not. */
static void add_fault_next(const struct status *status, const struct fault *fault, struct str *out)
{
    if (is_all_held(follower_state(status->follower), fault)) {
        str_add(out, ", held");
        return;
    }
    str_add(out, ", next in ");
    shown_duration(fault->due_first.mono_ms - status->now.mono_ms, out);
    str_add(out, "..");
    shown_duration(fault->due_last.mono_ms - status->now.mono_ms, out);
}

/* What several wait with, a line for each. Without an engine nobody waits. */
static void print_faults(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    struct fault faults[FAULTS_MAX];
    int count = state->ended || status->orphaned ? 0 : run_state_faults(state, faults);
    for (int i = 0; i < count; i++) {
        const struct fault *fault = &faults[i];
        char since[CLOCK_TEXT_MAX];
        struct str line = {0};
        str_addf(&line, "one fault, %d tasks: ", fault->count);
        shown_class(state, fault->first, &line);
        str_addf(&line, " since %s", clock_hms(fault->since.at_ms, since));
        add_fault_next(status, fault, &line);
        str_add_char(&line, ':');
        add_members(state, fault, &line);
        str_add_char(&line, '\n');
        say(line.data);
        str_done(&line);
    }
}

/* What a plan asked for and this machine does not give. */
static void print_lacks(const struct run_state *state)
{
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str lacks = {0};
        shown_lacks(state, i, &lacks);
        if (lacks.len > 0) {
            struct str line = {0};
            str_addf(&line, "%s: %s\n", state->plan->tasks[i].id, lacks.data);
            say(line.data);
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
            str_add_char(&line, '\n');
            say(line.data);
        }
        str_done(&line);
        str_done(&part);
    }
}

/* It ended, and the log is damaged before it says how. */
static bool is_cut_short(const struct status *status)
{
    return status->damage.code == ERR_DAMAGED && !follower_state(status->follower)->ended &&
           follower_run(status->follower)->ended_at_ms != 0;
}

/* What the tasks are then is not how they ended. */
static void print_cut(const struct status *status)
{
    if (is_cut_short(status))
        (void)printf("the log is damaged: %lld of %lld events can be read, and tell this\n",
                     (long long)follower_state(status->follower)->last_seq,
                     (long long)follower_run(status->follower)->last_seq);
}

const char *status_run_word(const struct status *status)
{
    if (follower_state(status->follower)->ended || is_cut_short(status))
        return "ended";
    if (follower_run(status->follower)->is_session)
        return "open";
    return status->orphaned ? "interrupted" : "live";
}

/* Nobody owns it between two calls, and no end of it may ever come. */
static void print_session(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    char heard[CLOCK_TEXT_MAX];
    if (follower_run(status->follower)->is_session && !state->ended)
        (void)printf("a session that an agent's hooks tell of, last heard at %s\n",
                     clock_date(state->last.at_ms, heard));
}

/* Where the time of all tasks went. */
static void print_time(const struct status *status)
{
    struct time_spent spent;
    struct str words = {0};
    time_spent_of_run(&spent, follower_state(status->follower), &status->now, status->orphaned);
    time_spent_words(&spent, &words);
    if (words.len > 0)
        (void)printf("time: %s\n", words.data);
    str_done(&words);
}

static void print_text(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    const struct log_run_info *run = follower_run(status->follower);
    char started[CLOCK_TEXT_MAX];
    struct str head = {0};
    str_addf(&head, "run #%lld %s  %s  started %s\n", (long long)run->number, run->name,
             status_run_word(status), clock_date(run->started_at_ms, started));
    if (run->owner_stopped && !state->ended)
        str_addf(&head,
                 "its devs (pid %lld) is stopped: it starts nothing and keeps no time until it is "
                 "continued (fg)\n",
                 (long long)run->pid);
    say(str_text(&head));
    str_done(&head);
    print_session(status);
    print_cut(status);
    print_gates(status);
    print_faults(status);
    print_lacks(state);
    const struct columns columns = measure(status);
    for (int i = 0; i < state->plan->task_count; i++)
        print_task(status, i, &columns);
    print_agents(status);
    print_time(status);
    if (status->orphaned && !state->ended && !is_cut_short(status))
        (void)printf("go on with it: devs run --continue %lld\n", (long long)run->number);
}

static void print_json(const struct status *status)
{
    struct str out = {0};
    status_json(status, &out);
    (void)puts(out.data);
    str_done(&out);
}

/* For a status bar: counts by sign, one line. */
static void print_line(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    int counts[SHOWN_COUNT] = {0};
    for (int i = 0; i < state->plan->task_count; i++)
        counts[shown_task(state, i, status->orphaned)]++;
    say(state->plan->name);
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (counts[i] > 0)
            (void)printf(" %s%d", shown_sign((enum shown)i, status->ascii), counts[i]);
    }
    struct str gates = {0};
    const struct shown_time time = time_of(status);
    if (!status->orphaned)
        shown_gates(state, &time, SHOWN_IN_BRIEF, &gates);
    if (gates.len > 0) {
        (void)putchar(' ');
        say(gates.data);
    }
    str_done(&gates);
    (void)putchar('\n');
}

static bool ask(const struct place *place, int64_t run, struct status *status, struct err *err)
{
    if (!follower_open(&status->follower, place, run, err))
        return false;
    if (!follower_read(status->follower, 0, NULL, NULL, NULL, &status->damage) &&
        status->damage.code != ERR_DAMAGED)
        return err_set(err, status->damage.code, "%s", status->damage.message);
    const struct run_state *state = follower_state(status->follower);
    status->orphaned = follower_is_orphaned(status->follower) || is_cut_short(status);
    status->now = state->ended                            ? state->ended_at
                  : shown_counts(state, status->orphaned) ? clock_now()
                                                          : state->heard;
    return true;
}

/* What is wrong with the log, beside what it says. Returns the exit code. */
static int tell_trouble(const struct status *status)
{
    struct log_trouble trouble;
    struct str words = {0};
    follower_trouble(status->follower, clock_now().mono_ms, &trouble);
    log_trouble_words(&trouble, &words);
    if (words.len > 0)
        warn("%s", words.data);
    str_done(&words);
    return status->damage.code == ERR_NONE ? EXIT_ALL_PASSED : fail(&status->damage);
}

int cmd_status(struct globals *globals, int argc, char **argv)
{
    bool json = false, one_line = false;
    const struct option_spec specs[] = {
        {"json", 0, NULL, "one JSON object", &json, NULL},
        {"line", 0, NULL, "counts in one line, for a status bar", &one_line, NULL},
    };
    struct command_line line = {
        .name = "status", .specs = specs, .spec_count = ARRAY_LEN(specs), .max_operands = 1};
    int code = command_parse(globals, &line, argc, argv);
    if (line.done)
        return code;
    struct err err = {0};
    struct place place;
    int64_t run = 0;
    struct status status = {.ascii = looks_print_ascii(globals)};
    static const char hint[] =
        "a number as devs runs has it, or last; devs why says more of one task";
    bool ok = target_parse_run(line.operands > 0 ? argv[0] : NULL, hint, &run, &err) &&
              find_log(globals->db, false, &place, &err) && ask(&place, run, &status, &err);
    if (!ok)
        code = fail(&err);
    else if (json)
        print_json(&status);
    else if (one_line)
        print_line(&status);
    else
        print_text(&status);
    if (ok)
        code = tell_trouble(&status);
    follower_close(status.follower);
    return code;
}
