/* status_text.c - a run for people: each task, or an overview; and the columns and the most
 * informative line, which other commands use, too. */
#include <stdio.h>
#include <string.h>

#include "appearance.h"
#include "clock.h"
#include "fail.h"
#include "lines.h"
#include "show.h"
#include "text.h"
#include "timeline.h"

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
    return (struct shown_time){
        .now = status->now, .clock = clock_short, .hms = clock_hms, .date = clock_date};
}

static void status_say_line(const struct status *status, const struct str *line)
{
    const int columns = appearance_print_columns();
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

static void status_say_wrapped(const struct str *line)
{
    enum { INDENT = 6 };
    const int columns = appearance_print_columns();
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

/* Appends when the tasks continue, ", next in 0:12..1:04", or that they are held. */
static void add_fault_next(const struct status *status, const struct fault *fault, struct str *out)
{
    const struct run_state *state = follower_state(status->follower);
    bool is_all_held = true;
    for (int i = fault->first; i < state->plan->task_count && is_all_held; i++)
        is_all_held = !fault_has(fault, state, i) || state->tasks[i].held;
    if (is_all_held) {
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

/* Prints a line for each fault that several tasks are waiting for. Without an engine no task
 * waits. */
static void print_faults(const struct status *status)
{
    enum { MEMBERS_SHOWN = 8 };
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
        int shown = 0;
        for (int k = fault->first; k < state->plan->task_count && shown < MEMBERS_SHOWN; k++) {
            if (!fault_has(fault, state, k))
                continue;
            str_addf(&line, " %s", state->plan->tasks[k].id);
            shown++;
        }
        if (fault->count > shown)
            str_addf(&line, " and %d more", fault->count - shown);
        status_say_line(status, &line);
        str_done(&line);
    }
}

static void status_print_head(const struct status *status)
{
    const struct log_run_info *run = status_run(status);
    char started[CLOCK_TEXT_MAX];
    char heard[CLOCK_TEXT_MAX];
    struct str head = {0};
    str_addf(&head, "run #%lld", (long long)run->number);
    if (status->live_runs > (has_ended(status) ? 0 : 1))
        str_addf(&head, ", %d live ", status->live_runs);
    str_addf(&head, " %s  %s  started %s\n", run->name, status_run_word(status),
             clock_date(run->started_at_ms, started));
    if (run->owner_stopped && !has_ended(status))
        str_addf(&head,
                 "its devs (pid %lld) is suspended: nothing starts and no timer runs until it is "
                 "resumed (fg)\n",
                 (long long)run->pid);
    say(str_text(&head));
    str_done(&head);
    /* A session has no engine between two calls and may never end. */
    if (run->is_session && !has_ended(status))
        (void)printf("a session reported by an agent's hooks, last seen at %s\n",
                     clock_date(run->last_at_ms, heard));
    if (!status->follower)
        return; /* nothing is held back or damaged */
    /* The task states at the damage are not how the tasks ended. */
    const struct run_state *state = follower_state(status->follower);
    if (status_is_cut_short(status))
        (void)printf("the log is damaged: %lld of %lld events can be read, as shown here\n",
                     (long long)state->last_seq, (long long)run->last_seq);
    /* A line for each gate that holds tasks back. Without an engine no gate lets anything
     * through. */
    const struct shown_time time = status_time(status);
    for (int i = 0; i < state->plan->source_count && !status->orphaned; i++) {
        struct str line = {0};
        shown_gate(state, i, &time, SHOWN_IN_FULL, &line);
        if (line.len > 0)
            status_say_line(status, &line);
        str_done(&line);
    }
    print_faults(status);
}

enum {
    SIGN_COLUMNS = 12,
    TRY_COLUMNS = 8,
    NEXT_COLUMNS = 14,
    LACKS_SHOWN = 5, /* different ones, one line each */
};

static void add_left(const char *before, int64_t due_at_ms, const struct status *status,
                     struct str *out)
{
    str_add(out, before);
    shown_left(due_at_ms - status->now.at_ms, out);
}

/* Prints "26120 tries in 15:06, 1:02:03 of waits; the next try in 0:12". */
static void print_tries(const struct status *status)
{
    const struct log_run_info *run = status_run(status);
    const int64_t due_at_ms = status->overview.tasks.due_at_ms;
    struct str line = {0};
    shown_count(run->attempts, "try", "tries", &line);
    str_add(&line, " in ");
    shown_duration(status->now.at_ms - run->started_at_ms, &line);
    if (run->waited_ms > 0) {
        str_add(&line, ", waited ");
        shown_duration(run->waited_ms, &line);
        str_add(&line, " in total");
    }
    if (due_at_ms != 0 && run->ended_at_ms == 0 && !status->orphaned)
        add_left("; the next try in ", due_at_ms, status, &line);
    status_say_line(status, &line);
    str_done(&line);
}

/* Leaves out the age once nothing changes any more. */
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

/* Appends since when, or how much longer. */
static void add_next(const struct status *status, const struct overview_row *row, enum shown shown,
                     struct str *out)
{
    if (shown == SHOWN_BACKOFF && status->orphaned)
        str_add(out, "devs died");
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
    else if (shown_is_failed(shown) && row->ended_at_ms != 0)
        add_since("ended ", row->ended_at_ms, status, out);
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
    /* Shows who holds the task and the class of its last failure. */
    const bool has_failed = row->ended_at_ms != 0 && row->class.label.class != VERDICT_SUCCESS;
    if (shown == SHOWN_HELD)
        str_addf(&line, "held by %s", row->by[0] != '\0' ? row->by : "a person");
    if (shown == SHOWN_HELD && has_failed)
        str_add(&line, "; ");
    if (has_failed)
        failure_class_word(&row->class, &line);
    status_say_line(status, &line);
    str_done(&line);
    str_done(&part);
}

/* Prints sandbox features that the plan requests and this machine does not provide, one line for
 * all tasks that lack the same. */
static void print_overview_lacks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    struct str texts[LACKS_SHOWN] = {{0}}; /* distinct texts of missing features, */
    int tasks[LACKS_SHOWN] = {0};          /* and how many lack it */
    int others = 0;                        /* tasks that lack something else */
    for (int task = 0; task < state->plan->task_count; task++) {
        struct str text = {0};
        int at = 0;
        shown_lacks(state, task, &text);
        while (text.len > 0 && at < LACKS_SHOWN && tasks[at] > 0 &&
               strcmp(str_text(&texts[at]), text.data) != 0)
            at++;
        if (text.len > 0 && at == LACKS_SHOWN) {
            others++;
        } else if (text.len > 0) {
            if (tasks[at] == 0)
                str_add(&texts[at], text.data);
            tasks[at]++;
        }
        str_done(&text);
    }
    for (int i = 0; i < LACKS_SHOWN && tasks[i] > 0; i++) {
        struct str line = {0};
        shown_count(tasks[i], "task: ", "tasks: ", &line);
        str_add(&line, str_text(&texts[i]));
        status_say_line(status, &line);
        str_done(&line);
        str_done(&texts[i]);
    }
    if (others > 0)
        (void)printf("%d more whose sandbox is only partly enforced\n", others);
}

static void status_print_overview(const struct status *status)
{
    const struct overview *tasks = &status->overview.tasks;
    const long long run = status_run(status)->number;
    int id_columns = COLUMNS_ID_MIN;
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        for (int i = 0; i < tasks->row_counts[kind]; i++)
            columns_widen(&id_columns, tasks->rows[kind][i].id);
    }
    /* "5224 tasks: 653 stuck, 1306 gave-up, 2612 passed" */
    struct str counts = {0};
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (tasks->counts[i] > 0)
            str_addf(&counts, "%s%d %s", counts.len > 0 ? ", " : "", tasks->counts[i],
                     shown_word((enum shown)i));
    }
    (void)printf("%d tasks%s%s\n", tasks->tasks, counts.len > 0 ? ": " : "", str_text(&counts));
    str_done(&counts);
    if (status->follower)
        print_overview_lacks(status);
    print_tries(status);
    /* The first tasks of each kind, and how many more there are. */
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        const int listed = tasks->row_counts[kind];
        const int count = overview_count(tasks, (enum overview_kind)kind);
        for (int i = 0; i < listed; i++)
            print_row(status, &tasks->rows[kind][i], id_columns);
        if (count > listed)
            (void)printf("%*sand %d more\n", SIGN_COLUMNS, "", count - listed);
    }
    /* Notes whether the events were read: only reading them finds damage. */
    if (status->follower)
        (void)printf("all tasks: devs status --all %lld\n", run);
    else
        (void)printf("all tasks, read from the events (unlike this list): devs status --all %lld\n",
                     run);
}

/* Widths of the columns that depend on the run. */
struct columns {
    int id, try, next;
};

static void widen_column(int *columns, const struct str *text)
{
    int width = text_width(str_text(text), text->len);
    *columns = width > *columns ? width : *columns;
}

static struct columns measure_columns(const struct status *status)
{
    enum { TRY_COLUMNS_MIN = 5, NEXT_COLUMNS_MIN = 12 };
    const struct run_state *state = follower_state(status->follower);
    const struct shown_time time = status_time(status);
    struct columns columns = {
        .id = COLUMNS_ID_MIN, .try = TRY_COLUMNS_MIN, .next = NEXT_COLUMNS_MIN};
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str text = {0};
        columns_widen(&columns.id, state->plan->tasks[i].id);
        shown_try(state, i, &text);
        widen_column(&columns.try, &text);
        str_clear(&text);
        shown_next(state, i, status->orphaned, &time, &text);
        widen_column(&columns.next, &text);
        str_done(&text);
    }
    return columns;
}

/* Prints the columns of the screen as a line. */
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

/* Prints the output of a failed task, and the command that shows more. */
static void print_failed(const struct status *status, int task)
{
    enum { INDENT = 12, TELLING_COLUMNS_MAX = 60, TELLING_COLUMNS_MIN = 20 };
    const struct run_state *state = follower_state(status->follower);
    const int64_t run = status_run(status)->number;
    const int columns = appearance_print_columns();
    struct str line = {0}, telling = {0}, why = {0}, command = {0};
    if (!task_status_is_failed(state->tasks[task].status))
        return;
    shown_why(state, task, &why);
    telling_line(follower_reader(status->follower), run, state, task, &telling);
    if (strstr(str_text(&why), str_text(&telling)))
        str_clear(&telling); /* the line above already has it */
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

/* Prints sandbox features that the plan requests and this machine does not provide. */
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

/* Prints what the agents have used, one line for each known amount. */
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

static void print_tasks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    print_lacks(status);
    const struct columns columns = measure_columns(status);
    for (int i = 0; i < state->plan->task_count; i++) {
        print_task(status, i, &columns);
        print_failed(status, i);
    }
    print_agents(status);
    /* Where the time of all tasks went. */
    static const char label[] = "time: ";
    struct time_spent spent;
    struct str line = {0};
    str_add(&line, label);
    time_spent_of_run(&spent, state, &status->now, status->orphaned);
    time_spent_words(&spent, &line);
    if (line.len > sizeof(label) - 1)
        status_say_wrapped(&line);
    str_done(&line);
}

void status_print(const struct status *status)
{
    status_print_head(status);
    if (status->is_brief)
        status_print_overview(status);
    else
        print_tasks(status);
    if (status->orphaned && !has_ended(status) && !status_is_cut_short(status))
        (void)printf("continue it: %sdevs run --continue %lld\n",
                     status->needs_adopting ? "devs gc --adopt, then " : "",
                     (long long)status_run(status)->number);
}

/* Columns, and the most informative line of a failed task. */

void columns_add(struct str *out, const char *text, int columns)
{
    int width = text_width(text, strlen(text));
    str_add(out, text);
    for (int i = width < columns ? width : columns - 1; i < columns; i++)
        str_add_char(out, ' ');
}

/* Ids are ASCII, so bytes are columns. */
void columns_widen(int *columns, const char *id)
{
    const int wanted = (int)strlen(id);
    *columns = wanted > *columns ? wanted : *columns;
}

/* Appends the most informative line of one stream of the page. Returns false if there is none. */
static bool add_telling(const struct output_page *page, bool is_stderr, struct str *out)
{
    struct str text = {0};
    size_t len = 0;
    for (size_t i = 0; i < page->count; i++) {
        const struct log_output_row *row = &page->rows[i];
        if ((row->stream == LOG_STREAM_ERR) == is_stderr)
            str_add_n(&text, page->text.data + row->start, row->len);
    }
    const char *line = line_telling(str_text(&text), text.len, &len);
    if (line)
        text_clean_line(out, line, len);
    str_done(&text);
    return line != NULL;
}

void telling_line(struct log_reader *reader, int64_t run, const struct run_state *state, int task,
                  struct str *out)
{
    struct verdict storage;
    struct output_page page = {0};
    const struct step_state *step = run_state_step(state, task);
    const struct attempt_state *attempt = step_state_attempt(step);
    if (!attempt)
        return;
    const struct verdict *verdict = step_state_verdict(step, &storage);
    if (verdict && verdict->match[0] != '\0') {
        str_add(out, verdict->match);
        return;
    }
    const struct log_output_key key = {.run = run,
                                       .task = task,
                                       .step = state->tasks[task].step,
                                       .attempt = attempt->number,
                                       .readable = true};
    if (log_reader_output_tail(reader, &key, TELLING_BYTES, &page, NULL) &&
        !add_telling(&page, true, out))
        (void)add_telling(&page, false, out);
    output_page_done(&page);
}
