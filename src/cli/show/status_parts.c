/* status_parts.c - what is said of a run before its tasks and after them. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "fail.h"
#include "line_wrap.h"
#include "looks.h"
#include "status.h"
#include "text.h"

const struct log_run_info *status_run(const struct status *status)
{
    return status->follower ? follower_run(status->follower) : &status->overview.run;
}

static bool has_ended(const struct status *status)
{
    return status->follower ? follower_state(status->follower)->ended
                            : status->overview.run.ended_at_ms != 0;
}

bool status_is_cut_short(const struct status *status)
{
    return status->damage.code == ERR_DAMAGED && !has_ended(status) &&
           status_run(status)->ended_at_ms != 0;
}

const char *status_run_word(const struct status *status)
{
    if (has_ended(status) || status_is_cut_short(status))
        return "ended";
    if (status_run(status)->is_session)
        return "open";
    return status->orphaned ? "interrupted" : "live";
}

struct shown_time status_time(const struct status *status)
{
    return (struct shown_time){.now = status->now, .clock = clock_short, .hms = clock_hms};
}

void status_say_line(const struct status *status, const struct str *line)
{
    const int columns = looks_print_columns();
    struct str out = {0};
    if (columns > 0)
        text_fit(&out, str_text(line), columns, status->ascii ? TEXT_ASCII : TEXT_PLAIN);
    else
        str_add(&out, str_text(line));
    while (out.len > 0 && out.data[out.len - 1] == ' ')
        str_cut(&out, out.len - 1);
    str_add_char(&out, '\n');
    say(out.data);
    str_done(&out);
}

void status_say_wrapped(const struct str *line)
{
    enum { INDENT = 6 };
    const int columns = looks_print_columns();
    struct str out = {0};
    for (const char *rest = str_text(line); *rest != '\0';) {
        const int indent = out.len > 0 ? INDENT : 0;
        const size_t len = strlen(rest);
        const size_t fit = columns > indent ? line_wrap_fit(rest, len, columns - indent) : len;
        str_addf(&out, "%*s", indent, "");
        str_add_n(&out, rest, fit);
        while (out.len > 0 && out.data[out.len - 1] == ' ')
            str_cut(&out, out.len - 1);
        str_add_char(&out, '\n');
        rest += fit;
    }
    say(str_text(&out));
    str_done(&out);
}

/* A line for each that keeps something back. Without an engine nothing is let through. */
static void print_gates(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    const struct shown_time time = status_time(status);
    for (int i = 0; i < state->plan->source_count && !status->orphaned; i++) {
        struct str line = {0};
        shown_gate(state, i, &time, SHOWN_IN_FULL, &line);
        if (line.len > 0)
            status_say_line(status, &line);
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
    struct str first = {0}, last = {0};
    shown_left(fault->due_first.mono_ms - status->now.mono_ms, &first);
    shown_left(fault->due_last.mono_ms - status->now.mono_ms, &last);
    str_addf(out, ", next in %s", str_text(&first));
    if (strcmp(str_text(&first), str_text(&last)) != 0)
        str_addf(out, "..%s", str_text(&last));
    str_done(&first);
    str_done(&last);
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
        status_say_line(status, &line);
        str_done(&line);
    }
}

/* What the tasks are then is not how they ended. */
static void print_cut(const struct status *status)
{
    if (status_is_cut_short(status))
        (void)printf("the log is damaged: %lld of %lld events can be read, and tell this\n",
                     (long long)follower_state(status->follower)->last_seq,
                     (long long)follower_run(status->follower)->last_seq);
}

/* Nobody owns it between two calls, and no end of it may ever come. */
static void print_session(const struct status *status)
{
    const struct log_run_info *run = status_run(status);
    char heard[CLOCK_TEXT_MAX];
    if (run->is_session && !has_ended(status))
        (void)printf("a session that an agent's hooks tell of, last heard at %s\n",
                     clock_date(run->last_at_ms, heard));
}

void status_print_head(const struct status *status)
{
    const struct log_run_info *run = status_run(status);
    char started[CLOCK_TEXT_MAX];
    struct str head = {0};
    str_addf(&head, "run #%lld", (long long)run->number);
    if (status->live_runs > (has_ended(status) ? 0 : 1))
        str_addf(&head, ", %d live ", status->live_runs);
    str_addf(&head, " %s  %s  started %s\n", run->name, status_run_word(status),
             clock_date(run->started_at_ms, started));
    if (run->owner_stopped && !has_ended(status))
        str_addf(&head,
                 "its devs (pid %lld) is stopped: it starts nothing and keeps no time until it is "
                 "continued (fg)\n",
                 (long long)run->pid);
    say(str_text(&head));
    str_done(&head);
    print_session(status);
    if (!status->follower)
        return; /* nothing is kept back, and nothing is damaged */
    print_cut(status);
    print_gates(status);
    print_faults(status);
}

void status_print_end(const struct status *status)
{
    if (status->orphaned && !has_ended(status) && !status_is_cut_short(status))
        (void)printf("go on with it: %sdevs run --continue %lld\n",
                     status->needs_adopting ? "devs gc --adopt, then " : "",
                     (long long)status_run(status)->number);
}
