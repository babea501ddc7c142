/* status_text.c - a run for people: each task, or an overview; and the columns and the most
 * informative line, which other commands use, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "appearance.h"
#include "attr.h"
#include "clock.h"
#include "fail.h"
#include "lines.h"
#include "show.h"
#include "text.h"
#include "timeline.h"
#include "xalloc.h"

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

bool status_read(struct status *status, int64_t run, struct err *err)
{
    if (!follower_open_on(&status->follower, status->reader, run, err)) {
        status->reader = NULL;
        return false;
    }
    if (!follower_read(status->follower, 0, NULL, NULL, NULL, &status->damage) &&
        status->damage.code != ERR_DAMAGED)
        return err_set(err, status->damage.code, "%s", status->damage.message);
    const struct run_state *state = follower_state(status->follower);
    const struct moment clock = clock_now();
    status->orphaned = follower_is_orphaned(status->follower) || status_is_cut_short(status);
    status->now = shown_moment(state, status->orphaned, &clock);
    if (status->is_brief)
        overview_of_state(&status->overview.tasks, state, status->orphaned);
    return true;
}

int status_tell_trouble(const struct status *status)
{
    struct log_trouble trouble;
    struct str words = {0};
    if (status->follower)
        follower_trouble(status->follower, clock_now().mono_ms, &trouble);
    else
        log_reader_trouble(status->reader, status->overview.run.number, &trouble);
    log_trouble_words(&trouble, &words);
    if (words.len > 0)
        warn("%s", words.data);
    str_done(&words);
    return status->damage.code == ERR_NONE ? EXIT_ALL_PASSED : fail(&status->damage);
}

struct shown_look status_look(const struct status *status)
{
    return (struct shown_look){
        .time = {.now = status->now, .clock = clock_short, .hms = clock_hms, .date = clock_date},
        .orphaned = status->orphaned,
        .ascii = status->ascii};
}

struct run_facts run_facts_of(const struct log_run_info *info)
{
    return (struct run_facts){
        .number = info->number,
        .name = info->name,
        .command = info->command,
        .is_plan = strcmp(info->kind, "plan") == 0,
        .state = info->ended_at_ms != 0 ? SHOWN_RUN_ENDED
                 : info->is_session     ? SHOWN_RUN_OPEN
                 : info->owner_alive    ? SHOWN_RUN_LIVE
                                        : SHOWN_RUN_INTERRUPTED,
        .is_suspended = info->owner_stopped,
        .pid = info->pid,
        .started_at_ms = info->started_at_ms,
        .last_at_ms = info->last_at_ms,
        .lasted_ms =
            (info->ended_at_ms != 0 ? info->ended_at_ms : info->last_at_ms) - info->started_at_ms,
        .tasks = info->tasks,
        .passed = info->passed,
        .failed = info->failed,
        .cancelled = info->cancelled,
        .tries = info->attempts,
        .waited_ms = info->waited_ms,
    };
}

/* Returns the facts of the run. Events that have been read may be newer than the row of the run. */
static struct run_facts facts_of(const struct status *status)
{
    struct run_facts facts = run_facts_of(status_run(status));
    if (has_ended(status) || status_is_cut_short(status))
        facts.state = SHOWN_RUN_ENDED;
    else if (facts.state != SHOWN_RUN_OPEN)
        facts.state = status->orphaned ? SHOWN_RUN_INTERRUPTED : SHOWN_RUN_LIVE;
    facts.live_runs = status->live_runs;
    facts.lasted_ms = status->now.at_ms - facts.started_at_ms;
    return facts;
}

void status_rows(const struct status *status, struct rows *rows)
{
    const struct run_facts facts = facts_of(status);
    const struct shown_look look = status_look(status);
    rows_run(rows, &facts, &look.time);
    rows_run_notes(rows, &facts, &look.time);
}

static void say_line(const struct status *status, const char *text)
{
    const int columns = appearance_print_columns();
    struct str out = {0};
    if (columns > 0)
        text_fit(&out, text, columns, status->ascii ? TEXT_ASCII : TEXT_PLAIN);
    else
        str_add(&out, text);
    while (out.len > 0 && out.data[out.len - 1] == ' ')
        str_cut(&out, out.len - 1);
    str_add_char(&out, '\n');
    say(out.data);
    str_done(&out);
}

/* Prints the lines of a row; nothing for "". */
static void say_row(const struct status *status, const struct rows *rows, const char *key)
{
    for (const char *at = rows_value(rows, key); *at != '\0';) {
        const size_t len = strcspn(at, "\n");
        struct str line = {0};
        str_add_n(&line, at, len);
        say_line(status, str_text(&line));
        str_done(&line);
        at += len + (at[len] == '\n');
    }
}

/* Prints text in as many lines as it needs; nothing for "". */
static void say_wrapped(const char *text)
{
    enum { INDENT = 6 };
    const int columns = appearance_print_columns();
    struct str out = {0};
    for (const char *rest = text; *rest != '\0';) {
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

static void status_print_head(const struct status *status)
{
    const struct shown_look look = status_look(status);
    struct rows rows = {0};
    struct str head = {0};
    status_rows(status, &rows);
    const char *number = rows_value(&rows, "run");
    str_addf(&head, "run %s%s %s  %s  started %s\n", number, strchr(number, ',') ? " " : "",
             rows_value(&rows, "name"), rows_value(&rows, "state"), rows_value(&rows, "started"));
    say(head.data);
    str_done(&head);
    say_wrapped(rows_value(&rows, "suspended"));
    say_wrapped(rows_value(&rows, "session"));
    if (status->follower) { /* without a follower, nothing is held back and no damage is known */
        const struct run_state *state = follower_state(status->follower);
        /* At the damage, the tasks are not yet in their final states. */
        if (status_is_cut_short(status))
            (void)printf("the log is damaged: %lld of %lld events can be read and are shown here\n",
                         (long long)state->last_seq, (long long)status_run(status)->last_seq);
        rows_gates(&rows, state, &look);
        rows_faults(&rows, state, &look);
        rows_hosts_down(&rows, state, &look);
        say_row(status, &rows, "gates");
        say_row(status, &rows, "faults");
        say_row(status, &rows, "down");
    }
    rows_done(&rows);
}

enum {
    SIGN_COLUMNS = 12,
    LACKS_SHOWN = 5, /* distinct sets of missing features with a line each */
};

/* The columns of a list of tasks. */
static const struct {
    const char *key;
    bool is_measured; /* as wide as its longest text */
} columns_shown[] = {{"state", false}, {"task", true},  {"phases", false}, {"try", true},
                     {"next", true},   {"place", true}, {"news", false},   {"why", false}};
enum { COLUMN_COUNT = (int)ARRAY_LEN(columns_shown) };
struct columns {
    int widths[COLUMN_COUNT]; /* including the gap after the column; 0 = column left out */
};

/* Prints the sign of the state and the columns of one task. */
static void print_columns(const struct status *status, enum shown shown, const struct rows *rows,
                          const struct columns *columns)
{
    struct str line = {0};
    str_addf(&line, "%s ", shown_sign(shown, status->ascii));
    for (int i = 0; i < COLUMN_COUNT; i++) {
        if (columns->widths[i] > 0)
            columns_add(&line, rows_value(rows, columns_shown[i].key), columns->widths[i]);
    }
    say_line(status, line.data);
    str_done(&line);
}

/* Prints sandbox features that the plan requests and this machine does not provide, one line for
 * all tasks that lack the same features. */
static void print_overview_lacks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    struct str texts[LACKS_SHOWN] = {{0}}; /* distinct descriptions of missing features */
    int tasks[LACKS_SHOWN] = {0};          /* number of tasks that lack these features */
    int others = 0;                        /* tasks that lack other features */
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
        say_line(status, str_text(&line));
        str_done(&line);
        str_done(&texts[i]);
    }
    if (others > 0)
        (void)printf("and %d more with a partly enforced sandbox\n", others);
}

static void status_print_overview(const struct status *status)
{
    const struct overview *tasks = &status->overview.tasks;
    const struct run_facts facts = facts_of(status);
    const struct shown_look look = status_look(status);
    const long long number = (long long)facts.number;
    int id_columns = COLUMNS_ID_MIN;
    struct rows sum = {0};
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        for (int i = 0; i < tasks->row_counts[kind]; i++)
            columns_widen(&id_columns, tasks->rows[kind][i].id);
    }
    const struct columns columns = {{10, id_columns + 1, 0, 8, 14, 0, 0, 1}};
    rows_overview(&sum, tasks, &facts, &look.time);
    (void)puts(rows_value(&sum, "tasks"));
    if (status->follower)
        print_overview_lacks(status);
    say_line(status, rows_value(&sum, "tries"));
    rows_done(&sum);
    /* The first tasks of each kind, and how many more there are. */
    for (int kind = 0; kind < OVERVIEW_KINDS; kind++) {
        const int listed = tasks->row_counts[kind];
        const int count = overview_count(tasks, (enum overview_kind)kind);
        for (int i = 0; i < listed; i++) {
            const struct overview_row *row = &tasks->rows[kind][i];
            struct rows rows = {0};
            rows_listed(&rows, row, status_run(status)->ended_at_ms != 0, &look);
            print_columns(status, overview_shown(row, status->orphaned), &rows, &columns);
            rows_done(&rows);
        }
        if (count > listed)
            (void)printf("%*sand %d more\n", SIGN_COLUMNS, "", count - listed);
    }
    /* Says whether the events were read, because only reading them finds damage. */
    (void)printf("all tasks%s: devs status --all %lld\n",
                 status->follower ? "" : ", recomputed from the events", number);
}

/* Widens the measured columns to fit the values of the task. */
static void widen_columns(struct columns *columns, const struct rows *rows)
{
    for (int i = 0; i < COLUMN_COUNT; i++) {
        const char *text = rows_value(rows, columns_shown[i].key);
        const int width = text_width(text, strlen(text)) + 1;
        if (columns_shown[i].is_measured && columns->widths[i] > 0 && width > columns->widths[i])
            columns->widths[i] = width;
    }
}

/* Prints the output of a failed task, and the command that shows more. */
static void print_failed(const struct status *status, int task, const char *why)
{
    enum { INDENT = 12, TELLING_COLUMNS_MAX = 60, TELLING_COLUMNS_MIN = 20 };
    const struct run_state *state = follower_state(status->follower);
    const int64_t run = status_run(status)->number;
    const int columns = appearance_print_columns();
    struct str line = {0}, telling = {0}, command = {0};
    if (!task_status_is_failed(state->tasks[task].status))
        return;
    telling_line(follower_reader(status->follower), run, state, task, &telling);
    if (strstr(why, str_text(&telling)))
        str_clear(&telling); /* the line above already has it */
    str_addf(&command, "%sdevs why %lld/%s", telling.len > 0 ? "   " : "", (long long)run,
             state->plan->tasks[task].id);
    int room = columns - INDENT - text_width(str_text(&command), command.len);
    room = columns == 0 || room > TELLING_COLUMNS_MAX ? TELLING_COLUMNS_MAX : room;
    str_addf(&line, "%*s", INDENT, "");
    text_fit(&line, str_text(&telling), room < TELLING_COLUMNS_MIN ? TELLING_COLUMNS_MIN : room,
             status->ascii ? TEXT_ASCII : TEXT_PLAIN);
    str_add(&line, str_text(&command));
    say_line(status, str_text(&line));
    str_done(&line);
    str_done(&telling);
    str_done(&command);
}

/* Prints "tax: " and the text; nothing for "". */
static void say_of_task(const struct status *status, int task, const char *text)
{
    struct str line = {0};
    str_addf(&line, "%s: %s", follower_state(status->follower)->plan->tasks[task].id, text);
    if (*text != '\0')
        say_line(status, line.data);
    str_done(&line);
}

/* Prints what the sandbox of each task does not enforce. */
static void print_lacks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    for (int i = 0; i < state->plan->task_count; i++) {
        struct str lacks = {0};
        shown_lacks(state, i, &lacks);
        say_of_task(status, i, str_text(&lacks));
        str_done(&lacks);
    }
}

/* Prints what the agents have used: "tax: claude, session 83ca3d6e; budget $0.31 of $2.00". */
static void print_agents(const struct status *status)
{
    static const char *const more[] = {"budget", "round"};
    const struct run_state *state = follower_state(status->follower);
    for (int i = 0; i < state->plan->task_count; i++) {
        struct rows rows = {0};
        struct str line = {0};
        rows_agent(&rows, state, i, &status->now);
        str_add(&line, rows_value(&rows, "agent"));
        for (size_t k = 0; k < ARRAY_LEN(more) && line.len > 0; k++) {
            if (*rows_value(&rows, more[k]) != '\0')
                str_addf(&line, "; %s %s", more[k], rows_value(&rows, more[k]));
        }
        say_of_task(status, i, str_text(&line));
        str_done(&line);
        rows_done(&rows);
    }
}

static void print_tasks(const struct status *status)
{
    const struct run_state *state = follower_state(status->follower);
    const struct shown_look look = status_look(status);
    const int count = state->plan->task_count;
    struct rows *tasks = xcalloc((size_t)count, sizeof(*tasks));
    print_lacks(status);
    const int place_columns = state->plan->executor_count > 0 ? 6 : 0;
    struct columns columns = {{10, COLUMNS_ID_MIN + 1, 9, 6, 13, place_columns, 13, 1}};
    for (int i = 0; i < count; i++) {
        rows_task(&tasks[i], state, i, &look);
        widen_columns(&columns, &tasks[i]);
    }
    for (int i = 0; i < count; i++) {
        print_columns(status, shown_task(state, i, status->orphaned), &tasks[i], &columns);
        print_failed(status, i, rows_value(&tasks[i], "why"));
        rows_done(&tasks[i]);
    }
    free(tasks);
    print_agents(status);
    /* The time of all tasks, by use. */
    static const char label[] = "time: ";
    struct time_spent spent;
    struct str line = {0};
    str_add(&line, label);
    time_spent_of_run(&spent, state, &status->now, status->orphaned);
    time_spent_words(&spent, &line);
    if (line.len > sizeof(label) - 1)
        say_wrapped(line.data);
    str_done(&line);
}

void status_print(const struct status *status)
{
    status_print_head(status);
    if (status->is_brief)
        status_print_overview(status);
    else
        print_tasks(status);
    if (!status->orphaned || has_ended(status) || status_is_cut_short(status))
        return;
    struct str line = {0};
    shown_continue(status_run(status)->number, status->needs_adopting, &line);
    (void)printf("%s\n", line.data);
    str_done(&line);
}

void status_print_hosts(const struct status *status)
{
    static const struct {
        const char *key;
        int columns_min;
    } columns_of[] = {{"host", 13}, {"executor", 9}, {"state", 6},
                      {"slots", 6}, {"contact", 8},  {"tasks", 1}};
    const struct run_state *state = follower_state(status->follower);
    const struct shown_look look = status_look(status);
    int widths[ARRAY_LEN(columns_of)];
    struct hosts hosts;
    struct rows sum = {0};
    hosts_read(&hosts, state);
    rows_hosts_sum(&sum, &hosts);
    say_line(status, rows_value(&sum, "hosts"));
    rows_done(&sum);
    struct rows *rows = xcalloc((size_t)hosts.count, sizeof(*rows));
    for (size_t k = 0; k < ARRAY_LEN(columns_of); k++)
        widths[k] = columns_of[k].columns_min;
    for (int i = 0; i < hosts.count; i++) {
        rows_host(&rows[i], &hosts, state, hosts.order[i], &look);
        for (size_t k = 0; k + 1 < ARRAY_LEN(columns_of); k++) {
            const char *text = rows_value(&rows[i], columns_of[k].key);
            const int width = text_width(text, strlen(text)) + 2;
            widths[k] = width > widths[k] ? width : widths[k];
        }
    }
    for (int i = 0; i < hosts.count; i++) {
        struct str line = {0};
        const enum shown sign = shown_host_sign(hosts.items[hosts.order[i] + 1].shown);
        str_addf(&line, "%s ", shown_sign(sign, status->ascii));
        for (size_t k = 0; k < ARRAY_LEN(columns_of); k++)
            columns_add(&line, rows_value(&rows[i], columns_of[k].key), widths[k]);
        say_line(status, line.data);
        str_done(&line);
        rows_done(&rows[i]);
    }
    free(rows);
    hosts_done(&hosts);
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
