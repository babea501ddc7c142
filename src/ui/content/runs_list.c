/*
 * runs_list.c - the list of runs: its pages, its filter, and the notes of its rows.
 *
 * Sums and times of a run are computed when its row is visible, and kept. A failure counts as
 * computed, so that it is not repeated for every frame.
 */
#include "runs_list.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "follower.h"
#include "outcome.h"
#include "scheduler.h"
#include "text.h"
#include "timeline.h"
#include "xalloc.h"

enum { FILTER_WORD_MAX = 64 /* maximum size of a filter word in bytes, including the NUL */ };

static void row_done(struct runs_row *row)
{
    free(row->name);
    *row = (struct runs_row){0};
}

void runs_list_done(struct runs_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++)
        row_done(&list->rows[i]);
    free(list->rows);
    free(list->shown);
    *list = (struct runs_list){0};
}

static enum shown state_of(const struct log_run_info *run)
{
    if (run->ended_at_ms == 0 && run->owner_stopped)
        return SHOWN_QUIET;
    if (run->ended_at_ms == 0)
        return run->owner_alive ? SHOWN_RUNNING : SHOWN_LOST;
    switch (run->exit_code) {
    case RUN_EXIT_PASSED:
        return SHOWN_PASSED;
    case RUN_EXIT_ENTROPY:
        return SHOWN_STUCK;
    case RUN_EXIT_NEEDS_YOU:
        return SHOWN_NEEDS_YOU;
    case RUN_EXIT_STOPPED:
        return SHOWN_CANCELLED;
    default:
        return SHOWN_GAVE_UP;
    }
}

static struct runs_row row_of(const struct log_run_info *run)
{
    const bool is_live = run->ended_at_ms == 0 && run->owner_alive;
    int64_t end = run->ended_at_ms != 0 ? run->ended_at_ms : run->last_at_ms;
    return (struct runs_row){
        .number = run->number,
        .name = xstrdup(run->name),
        .shown = state_of(run),
        .is_live = is_live,
        .pid = run->pid,
        .started_at_ms = run->started_at_ms,
        .ended_at_ms = is_live ? 0 : end,
        .tasks = run->tasks,
        .tries = run->attempts,
        .passed = run->passed,
        .failed = run->failed,
        .cancelled = run->cancelled,
        .events = run->last_seq,
        .waited_percent = -1,
    };
}

/* Returns the index of a run's row, or the index at which to insert it. */
static size_t place_of(const struct runs_list *list, int64_t number)
{
    size_t low = 0;
    size_t high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->rows[middle].number > number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void take_row(struct runs_list *list, const struct log_run_info *run)
{
    struct runs_row row = row_of(run);
    const size_t at = place_of(list, row.number);
    if (at < list->count && list->rows[at].number == row.number) {
        struct runs_row *old = &list->rows[at];
        row.has_sum = old->has_sum && old->tries == row.tries &&
                      old->ended_at_ms == row.ended_at_ms && old->shown == row.shown &&
                      old->failed == row.failed;
        row.sum = old->sum;
        if (row.events == old->events || row.is_live) { /* else compute the percentage again */
            row.time_at_ms = old->time_at_ms;
            row.waited_percent = old->waited_percent;
        }
        row_done(old);
        *old = row;
        return;
    }
    if (list->count == RUNS_LIST_MAX) { /* drop the oldest run */
        list->whole = true;
        if (at == list->count) {
            row_done(&row);
            return;
        }
        row_done(&list->rows[--list->count]);
    }
    list->rows = xgrow(list->rows, &list->cap, list->count + 1, sizeof(*list->rows));
    memmove(&list->rows[at + 1], &list->rows[at], (list->count - at) * sizeof(*list->rows));
    list->rows[at] = row;
    list->count++;
}

static bool read_page(struct runs_list *list, struct log_reader *reader, int64_t before,
                      struct err *err)
{
    struct log_run_info *runs = xcalloc(LOG_PAGE_RUNS, sizeof(*runs));
    size_t count = 0;
    const bool ok = log_reader_runs(reader, before, runs, LOG_PAGE_RUNS, &count, err);
    for (size_t i = 0; i < count; i++) {
        take_row(list, &runs[i]);
        log_run_info_done(&runs[i]);
    }
    free(runs);
    if (ok && count < LOG_PAGE_RUNS && (before > 0 || list->count == count))
        list->whole = true;
    list->live = 0;
    for (size_t i = 0; i < list->count; i++)
        list->live += list->rows[i].is_live;
    return ok;
}

bool runs_list_refresh(struct runs_list *list, struct log_reader *reader, struct err *err)
{
    return log_reader_totals(reader, &list->totals, err) && read_page(list, reader, 0, err);
}

bool runs_list_more(struct runs_list *list, struct log_reader *reader, struct err *err)
{
    if (list->whole)
        return true;
    int64_t before = list->count > 0 ? list->rows[list->count - 1].number : 0;
    return read_page(list, reader, before, err);
}

bool runs_list_sum(struct runs_list *list, size_t at, struct log_reader *reader, struct err *err)
{
    struct runs_row *row = &list->rows[at];
    if (row->has_sum || row->tasks > RUNS_SUM_TASKS_MAX)
        return true;
    row->sum = (struct log_run_sum){0};
    row->has_sum = true; /* on failure, do not retry for every frame */
    return log_reader_sum(reader, row->number, &row->sum, err);
}

bool runs_list_time(struct runs_list *list, size_t at, const struct place *place,
                    const struct moment *now, int64_t *read_out, struct err *err)
{
    struct runs_row *row = &list->rows[at];
    struct follower *follower = NULL;
    *read_out = 0;
    const bool is_recent = row->time_at_ms != 0 &&
                           (!row->is_live || now->mono_ms - row->time_at_ms < RUNS_TIME_LIVE_MS);
    if (is_recent || row->events > RUNS_TIME_EVENTS_MAX)
        return true;
    row->time_at_ms = now->mono_ms; /* on failure, do not retry for every frame */
    if (!follower_open(&follower, place, row->number, err))
        return false;
    const bool ok = follower_read(follower, RUNS_TIME_EVENTS_MAX, NULL, NULL, NULL, err);
    const struct run_state *state = follower_state(follower);
    if (ok) {
        const bool orphaned = follower_is_orphaned(follower);
        const struct moment until = shown_moment(state, orphaned, now);
        struct time_spent spent;
        time_spent_of_run(&spent, state, &until, orphaned);
        if (spent.total_ms > 0)
            row->waited_percent = time_spent_percent(&spent, TIME_WAIT);
    }
    *read_out = state->last_seq;
    follower_close(follower);
    return ok;
}

static bool text_has(const char *text, const char *word)
{
    return words_find(text, strlen(text), word) != NULL;
}

/* Returns true if the row has every word of the filter. */
static bool row_matches(const struct runs_row *row, const char *filter)
{
    char word[FILTER_WORD_MAX];
    char date[CLOCK_TEXT_MAX];
    struct str number = {0};
    str_addf(&number, "#%lld", (long long)row->number);
    (void)clock_date(row->started_at_ms, date);
    bool found = true;
    const char *at = filter + strspn(filter, " ");
    while (*at != '\0' && found) {
        size_t len = strcspn(at, " ");
        size_t kept = len < sizeof(word) ? len : sizeof(word) - 1;
        memcpy(word, at, kept);
        word[kept] = '\0';
        found = text_has(str_text(&number), word) || (row->name && text_has(row->name, word)) ||
                text_has(shown_word(row->shown), word) || text_has(date, word);
        at += len;
        at += strspn(at, " ");
    }
    str_done(&number);
    return found;
}

void runs_list_narrow(struct runs_list *list, const char *filter)
{
    list->shown_count = 0;
    list->shown = xgrow(list->shown, &list->shown_cap, list->count + 1, sizeof(*list->shown));
    for (size_t i = 0; i < list->count; i++) {
        if (row_matches(&list->rows[i], filter))
            list->shown[list->shown_count++] = i;
    }
}

enum { DIGEST_SHOWN = 4 /* number of hex digits shown of a fingerprint */ };

static void add_fault(const struct log_run_sum *sum, struct str *out)
{
    struct verdict verdict = verdict_new();
    const struct outcome outcome = {.kind = OUTCOME_EXIT, .code = 1};
    char word[VERDICT_WORD_MAX];
    char hex[DIGEST_HEX_MAX];
    verdict.class = sum->class;
    verdict.type = sum->type;
    verdict.reason = sum->reason;
    digest_to_hex(sum->fault, hex);
    str_addf(out, "same fault in all %d failed tasks: ", sum->own_failures);
    if (sum->type != TRANSIENT_NONE || sum->reason != REASON_NONE)
        str_addf(out, "%s ", verdict_word(&verdict, &outcome, word));
    str_add_n(out, hex, DIGEST_SHOWN);
}

void runs_row_note(const struct runs_row *row, struct str *out)
{
    if (row->shown == SHOWN_LOST) {
        str_add(out, "end not recorded (devs died)");
        if (row->has_sum && row->sum.running > 0)
            str_addf(out, "; %d %s lost", row->sum.running,
                     row->sum.running == 1 ? "task" : "tasks");
    } else if (row->shown == SHOWN_QUIET) {
        shown_suspended(row->pid, out);
    } else if (row->has_sum && row->sum.alike && row->sum.own_failures >= FAULT_TASKS_MIN) {
        add_fault(&row->sum, out);
    }
}

int runs_row_lines(const struct runs_row *row)
{
    struct str note = {0};
    runs_row_note(row, &note);
    const int lines = note.len > 0 ? 2 : 1;
    str_done(&note);
    return lines;
}

int64_t runs_row_count(const struct runs_row *row, enum task_status status)
{
    if (row->has_sum)
        return row->sum.states[status];
    return status == TASK_GAVE_UP ? row->failed : 0;
}

void runs_row_waited(const struct runs_row *row, struct str *out)
{
    if (row->waited_percent >= 0)
        str_addf(out, "%d%%", row->waited_percent);
}
