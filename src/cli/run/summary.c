/* summary.c - the summary at the end of a run, and advice after a crash or for a spill log. */
#define _GNU_SOURCE /* sigabbrev_np() */

#include "run_internal.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "err.h"
#include "fail.h"
#include "follower.h"
#include "rows.h"
#include "show.h"
#include "spill.h"
#include "text.h"

enum {
    IDS_COLUMNS_MAX = 46,
    LABEL_COLUMNS = 10,
    PLACES_MAX = 3,
    FAILED_MAX = 5,          /* failed tasks that get a line each */
    TELLING_COLUMNS_MAX = 60 /* columns shown of each task's output */
};

/* Appends the ids of the tasks in this state, as many as fit on a line, and the number of the
 * others. */
static void add_ids(const struct run_state *state, enum task_status status, struct str *out)
{
    size_t start = out->len;
    int left = state->counts[status];
    for (int i = 0; i < state->plan->task_count && left > 0; i++) {
        if (state->tasks[i].status != status)
            continue;
        if (out->len - start > IDS_COLUMNS_MAX) {
            str_addf(out, " and %d more", left);
            return;
        }
        str_addf(out, "%s%s", out->len > start ? " " : "", state->plan->tasks[i].id);
        left--;
    }
}

/* Appends "run #41 build: 3 passed, 1 gave-up, after 4:12 (exit 1)". */
static void add_head(const struct run_state *state, int64_t run, struct str *out)
{
    str_addf(out, "run #%lld %s: ", (long long)run, state->plan->name);
    shown_task_counts(state, out);
    str_add(out, ", after ");
    shown_duration(run_state_elapsed_ms(state, &state->last), out);
    if (state->ended)
        str_addf(out, " (exit %d)", state->exit_code);
    else
        str_add(out, " (not ended yet)");
    str_add_char(out, '\n');
}

/* Appends the workspaces or results of the first passed or failed tasks. Returns the first of these
 * tasks; -1 = none. */
static int add_places(const struct run_state *state, bool passed, const char *label,
                      struct str *out)
{
    int first = -1;
    int shown = 0;
    for (int i = 0; i < state->plan->task_count && shown < PLACES_MAX; i++) {
        const struct task_place *place = state->tasks[i].place;
        bool is_there = place && (passed ? place->is_kept : place->path && !place->is_kept);
        if (!is_there || (state->tasks[i].status == TASK_PASSED) != passed)
            continue;
        str_addf(out, "  %-*s %s: ", LABEL_COLUMNS, label, state->plan->tasks[i].id);
        shown_workspace(state, i, out);
        str_add_char(out, '\n');
        first = first < 0 ? i : first;
        shown++;
    }
    return first;
}

/* Appends failed tasks: "  gave-up    tax: rounding is off by one   devs why 41/tax". */
static void add_failed(const struct summary *summary, enum task_status status, struct str *out)
{
    const struct run_state *state = summary->state;
    int shown = 0;
    for (int i = 0; i < state->plan->task_count && shown < FAILED_MAX; i++) {
        struct str line = {0};
        if (state->tasks[i].status != status)
            continue;
        const char *id = state->plan->tasks[i].id;
        str_addf(out, "  %-*s %s", LABEL_COLUMNS, shown_status_word(status), id);
        telling_line(summary->reader, summary->run, state, i, &line);
        if (line.len == 0)
            shown_class(state, i, &line);
        if (line.len > 0) {
            str_add(out, ": ");
            text_fit(out, line.data, TELLING_COLUMNS_MAX, 0);
        }
        str_addf(out, "   devs why %lld/%s\n", (long long)summary->run, id);
        str_done(&line);
        shown++;
    }
    if (state->counts[status] > shown)
        str_addf(out, "  %-*s and %d more\n", LABEL_COLUMNS, shown_status_word(status),
                 state->counts[status] - shown);
}

void summary_write(const struct summary *summary, struct str *out)
{
    static const enum task_status order[] = {TASK_NEEDS_YOU, TASK_STUCK,     TASK_GAVE_UP,
                                             TASK_BLOCKED,   TASK_CANCELLED, TASK_PASSED};
    static_assert(ARRAY_LEN(order) + 3 == TASK_STATUS_COUNT, "all but the three open states");
    const struct run_state *state = summary->state;
    const long long run = (long long)summary->run;
    struct rows rows = {0}, work = {0};
    rows_result(&rows, state);
    rows_work(&work, state);
    add_head(state, summary->run, out);
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        if (task_status_is_failed(order[i])) {
            add_failed(summary, order[i], out);
            continue;
        }
        if (state->counts[order[i]] == 0)
            continue;
        str_addf(out, "  %-*s ", LABEL_COLUMNS, shown_status_word(order[i]));
        add_ids(state, order[i], out);
        const char *flaky = order[i] == TASK_PASSED ? rows_value(&rows, "flaky") : "";
        if (*flaky != '\0')
            str_addf(out, " (%s)", flaky);
        str_add_char(out, '\n');
    }
    rows_text(&work, LABEL_COLUMNS, out);
    (void)add_places(state, false, "workspace", out);
    const int kept = add_places(state, true, "kept", out);
    if (kept >= 0) {
        const char *id = state->plan->tasks[kept].id;
        str_addf(out, "  %-*s devs diff %lld/%s, devs apply %lld/%s\n", LABEL_COLUMNS, "apply", run,
                 id, run, id);
    }
    str_addf(out, "  %-*s devs replay %lld\n", LABEL_COLUMNS, "replay", run);
    rows_done(&rows);
    rows_done(&work);
}

/* A devs that crashed, and a log that is incomplete. */

enum {
    LOOK_AT_RUNS = 16, /* newest runs of a log that are checked */
    PIDS_NAMED = 20,   /* process ids listed; the others are counted */
};

/* Returns the run of this process; 0 = none. */
static int64_t find_run(const struct place *place, pid_t pid)
{
    struct log_reader *reader = NULL;
    struct log_run_info runs[LOOK_AT_RUNS];
    size_t count = 0;
    int64_t number = 0;
    if (!log_reader_open(&reader, place, NULL))
        return 0;
    if (!log_reader_runs(reader, 0, runs, LOOK_AT_RUNS, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].pid == pid && runs[i].ended_at_ms == 0 && number == 0)
            number = runs[i].number;
        log_run_info_done(&runs[i]);
    }
    log_reader_close(reader);
    return number;
}

static void add_left(const struct run_state *state, struct str *out)
{
    int left = 0;
    for (int i = 0; i < state->plan->task_count; i++) {
        const struct step_state *step = run_state_step(state, i);
        const struct attempt_state *attempt = step ? step_state_attempt(step) : NULL;
        if (!attempt || attempt->pid <= 0 || attempt->ended.at_ms != 0 ||
            kill((pid_t)attempt->pid, 0) != 0)
            continue;
        if (left++ < PIDS_NAMED)
            str_addf(out, "%s%lld", left == 1 ? "" : ", ", (long long)attempt->pid);
    }
    if (left > PIDS_NAMED)
        str_addf(out, " and %d more", left - PIDS_NAMED);
    if (left == 0)
        str_add(out, "none");
}

void summary_crash(const char *db, pid_t pid, int signal_number)
{
    struct place place;
    struct follower *follower = NULL;
    struct str left = {0};
    const char *name = sigabbrev_np(signal_number);
    const int64_t run = place_find(db, false, &place, NULL) ? find_run(&place, pid) : 0;
    if (run == 0) {
        warn("pid %d was killed by signal %s", (int)pid, name ? name : "?");
        return;
    }
    if (follower_open(&follower, &place, run, NULL) &&
        follower_read(follower, 0, NULL, NULL, NULL, NULL))
        add_left(follower_state(follower), &left);
    else
        str_add(&left, "unknown: the log cannot be read");
    follower_close(follower);
    warn("pid %d was killed by signal %s; the log is %s; processes left: %s; devs run --continue "
         "%lld stops them and continues",
         (int)pid, name ? name : "?", place.db, str_text(&left), (long long)run);
    str_done(&left);
}

void summary_spill(const struct place *place, const char *uid)
{
    struct str command = {0};
    struct place spill;
    struct spill_info info = {0};
    struct err err = {0};
    struct err why = {0};
    if (uid[0] == '\0' || !spill_find(uid, &spill))
        return;
    if (!spill_read_info(&spill, &info, &why) && why.code == ERR_NOT_FOUND)
        return; /* there was no space even for the first row, so the spill is empty */
    (void)err_set(&err, ERR_IO, "the log could not be written (%.160s): the rest is in '%s'",
                  why.code == ERR_NONE ? info.reason.why : why.message, spill.db);
    str_add(&command, "run devs gc ");
    if (access(place->db, F_OK) != 0) { /* the log was deleted, and gc would not create it */
        str_add(&command, "--db ");
        shell_word_add(place->db, &command);
        str_add_char(&command, ' ');
    }
    str_add(&command, "--merge ");
    shell_word_add(spill.db, &command);
    (void)err_hint(&err, "%s",
                   command.len < ERR_HINT_MAX ? str_text(&command)
                                              : "run devs gc --db LOG --merge THAT-FILE");
    (void)fail(&err);
    str_done(&command);
}
