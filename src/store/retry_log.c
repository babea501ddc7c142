/* retry_log.c - reads past attempts, to measure how often retrying helps.
 *
 * The results come from the table `attempt`. A scan of the events finds the facts that the table
 * lacks: corrections, hints, ends of rounds and silence. Both results are sorted by attempt, and
 * then joined. */
#include "retry_log.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"
#include "event_row.h"
#include "log_read.h"
#include "outcome.h"
#include "verdict.h"
#include "xalloc.h"

enum { ATTEMPT_MARKS_MAX = 1024 * 1024 }; /* maximum per run; more than any valid log has */

/* Reading details about attempts from events, because the projection `attempt` lacks them. */

struct attempt_key {
    int task, step, attempt;
};

struct attempt_mark {
    struct attempt_key key;
    int64_t seq;
    /* CLASS_CORRECTED; ROUND_STARTED: the attempt was the last of its round; HINT_GIVEN: the next
     * attempt got a hint; ATTEMPT_ENDED: the attempt was silent for too long. */
    enum event_kind kind;
    struct verdict_label label; /* only for CLASS_CORRECTED */
};

struct attempt_marks {
    struct attempt_mark *items; /* owned; sorted by attempt, then by event */
    size_t count, cap;
    size_t at; /* the first mark not belonging to an earlier attempt */
};

enum { MARK_SEQ, MARK_KIND, MARK_TASK, MARK_STEP, MARK_ATTEMPT, MARK_DATA };

static const char marks_sql[] =
    "SELECT seq, kind, task_no, step, attempt, data FROM event WHERE run=?1 AND seq>?2"
    " AND (kind IN('class_corrected', 'round_started')"
    " OR (kind='hint_given' AND data LIKE '%\"hint\":%')"
    " OR (kind='attempt_ended' AND data LIKE '%\"outcome\":\"timeout\"%'"
    " AND data LIKE '%\"quiet_ms\":%'))"
    " ORDER BY seq LIMIT ?3";

/* Compares in the order of the projection; returns -1, 0 or 1. */
static int compare_keys(const struct attempt_key *a, const struct attempt_key *b)
{
    const int differences[][2] = {{a->task, b->task}, {a->step, b->step}, {a->attempt, b->attempt}};
    for (size_t i = 0; i < ARRAY_LEN(differences); i++) {
        if (differences[i][0] != differences[i][1])
            return differences[i][0] < differences[i][1] ? -1 : 1;
    }
    return 0;
}

static int compare_marks(const void *a, const void *b)
{
    const struct attempt_mark *left = a;
    const struct attempt_mark *right = b;
    const int order = compare_keys(&left->key, &right->key);
    return order != 0 ? order : left->seq < right->seq ? -1 : left->seq > right->seq;
}

static bool take_mark(sqlite3_stmt *row, struct attempt_mark *out)
{
    struct attempt_mark mark = {.seq = sqlite3_column_int64(row, MARK_SEQ),
                                .kind = event_row_kind(row, MARK_KIND)};
    if (!log_read_int(row, MARK_TASK, 0, INT_MAX, &mark.key.task) ||
        !log_read_int(row, MARK_STEP, 0, INT_MAX, &mark.key.step) ||
        !log_read_int(row, MARK_ATTEMPT, 0, INT_MAX, &mark.key.attempt))
        return false;
    if (mark.kind == EVENT_CLASS_CORRECTED) {
        const char *data = (const char *)sqlite3_column_text(row, MARK_DATA);
        struct event event = event_new(mark.kind);
        struct str room = {0};
        const size_t len = data ? strlen(data) : 0;
        str_reserve(&room, len + 1);
        const bool is_sound = data && event_read(&event, data, len, &room);
        mark.label = event.corrected;
        str_done(&room);
        if (!is_sound)
            return false;
    }
    *out = mark;
    return true;
}

/* Reads the marks of one run by scanning all its events. Fails with ERR_DAMAGED if one is invalid,
 * ERR_LIMIT if there are more than ATTEMPT_MARKS_MAX. The caller frees out->items, even after a
 * failure. */
static bool attempt_marks_read(struct attempt_marks *out, struct log_reader *reader, int64_t run,
                               struct err *err)
{
    static const char *const sql = marks_sql;
    sqlite3_stmt *query = NULL;
    size_t before = 0;
    *out = (struct attempt_marks){0};
    bool ok = db_prepare(&reader->db, &sql, 1, &query, err);
    while (ok) {
        before = out->count;
        (void)sqlite3_bind_int64(query, 1, run);
        (void)sqlite3_bind_int64(query, 2, before > 0 ? out->items[before - 1].seq : 0);
        (void)sqlite3_bind_int(query, 3, LOG_PAGE_EVENTS);
        bool row = true;
        while (ok && row) {
            ok = db_next(&reader->db, query, &row, err);
            if (!ok || !row)
                break;
            out->items = xgrow(out->items, &out->cap, out->count + 1, sizeof(*out->items));
            ok = take_mark(query, &out->items[out->count]) ||
                 err_set(err, ERR_DAMAGED, "event %lld of run #%lld is invalid",
                         (long long)sqlite3_column_int64(query, MARK_SEQ), (long long)run);
            out->count += ok;
        }
        (void)sqlite3_reset(query); /* only repeats the error of sqlite3_step() */
        if (ok && out->count > ATTEMPT_MARKS_MAX)
            ok = err_set(err, ERR_LIMIT, "run #%lld has more than %d corrections and hints",
                         (long long)run, ATTEMPT_MARKS_MAX);
        if (out->count - before < LOG_PAGE_EVENTS)
            break; /* this was the last page */
    }
    db_finalize(&query, 1);
    if (ok && out->count > 1)
        qsort(out->items, out->count, sizeof(*out->items), compare_marks);
    return ok;
}

/* Returns the next mark of this attempt; NULL if there are no more. Pass attempts in ascending
 * order. */
static const struct attempt_mark *attempt_marks_next(struct attempt_marks *marks,
                                                     const struct attempt_key *key)
{
    while (marks->at < marks->count && compare_keys(&marks->items[marks->at].key, key) < 0)
        marks->at++;
    if (marks->at == marks->count || compare_keys(&marks->items[marks->at].key, key) > 0)
        return NULL;
    return &marks->items[marks->at++];
}

enum {
    AT_TASK,
    AT_STEP,
    AT_ATTEMPT,
    AT_ENDED,
    AT_WAITED,
    AT_OUTCOME,
    AT_CODE,
    AT_RAN,
    AT_CLASS,
    AT_TYPE,
    AT_REASON,
    AT_PRINT_HI,
    AT_PRINT_LO,
};

static const char attempts_sql[] =
    "SELECT task, step, attempt, ended_at_ms, waited_ms, outcome, code, ran_ms, class, type,"
    " reason, print_hi, print_lo FROM attempt WHERE run=?1"
    " AND (task, step, attempt)>(?2, ?3, ?4) ORDER BY task, step, attempt LIMIT ?5";

struct reading {
    int64_t run;
    struct attempt_marks marks;
    struct attempt_key
        last;    /* the last attempt that was read; its number is 0 before the first one */
    bool hinted; /* the next attempt got a hint */
    struct retry_step step;
};

/* Reads the row of a finished attempt. */
static bool take_row(sqlite3_stmt *row, struct attempt_state *out)
{
    int kind = 0;
    int class = 0;
    int type = 0;
    int reason = 0;
    if (!log_read_int(row, AT_OUTCOME, 0, OUTCOME_KIND_COUNT - 1, &kind) ||
        !log_read_int(row, AT_CODE, 0, INT_MAX, &out->outcome.code) ||
        !log_read_int(row, AT_CLASS, 0, VERDICT_CLASS_COUNT - 1, &class) ||
        !log_read_int(row, AT_TYPE, 0, TRANSIENT_TYPE_COUNT - 1, &type) ||
        !log_read_int(row, AT_REASON, 0, REASON_COUNT - 1, &reason))
        return false;
    out->outcome.kind = (enum outcome_kind)kind;
    out->outcome.ran_ms = log_read_nearest(row, AT_RAN);
    out->waited_ms = log_read_nearest(row, AT_WAITED);
    out->class = (enum verdict_class) class;
    out->type = (enum transient_type)type;
    out->reason = (enum reason)reason;
    out->fingerprint = (struct digest){.hi = (uint64_t)sqlite3_column_int64(row, AT_PRINT_HI),
                                       .lo = (uint64_t)sqlite3_column_int64(row, AT_PRINT_LO)};
    return true;
}

/* Reads the row of an attempt; adds it, with all its marks, if it has ended. */
static bool take_attempt(struct reading *reading, sqlite3_stmt *row, struct err *err)
{
    struct attempt_state attempt = {0};
    struct attempt_key key = {0};
    const struct attempt_mark *mark = NULL;
    const bool ended = sqlite3_column_type(row, AT_ENDED) != SQLITE_NULL;
    if (!log_read_int(row, AT_TASK, 0, INT_MAX, &key.task) ||
        !log_read_int(row, AT_STEP, 0, INT_MAX, &key.step) ||
        !log_read_int(row, AT_ATTEMPT, 1, INT_MAX, &key.attempt) ||
        (ended && !take_row(row, &attempt)))
        return err_set(err, ERR_DAMAGED, "an attempt of run #%lld in the log is invalid",
                       (long long)reading->run);
    if (key.task != reading->last.task || key.step != reading->last.step ||
        reading->last.attempt == 0) {
        /* A hint for the step's first attempt is stored as a mark of attempt 0. */
        const struct attempt_key none = {.task = key.task, .step = key.step};
        reading->step = (struct retry_step){.help = reading->step.help};
        reading->hinted = false;
        while ((mark = attempt_marks_next(&reading->marks, &none)))
            reading->hinted = reading->hinted || mark->kind == EVENT_HINT_GIVEN;
    }
    reading->last = key;
    if (!ended)
        return true;

    struct retry_attempt told = {.number = key.attempt, .hinted = reading->hinted};
    struct correction correction;
    reading->hinted = false;
    while ((mark = attempt_marks_next(&reading->marks, &key))) {
        if (mark->kind == EVENT_CLASS_CORRECTED) {
            correction = (struct correction){.label = mark->label};
            attempt.correction = &correction;
        }
        reading->hinted = reading->hinted || mark->kind == EVENT_HINT_GIVEN;
        told.ends_round = told.ends_round || mark->kind == EVENT_ROUND_STARTED;
        if (mark->kind == EVENT_ATTEMPT_ENDED)
            attempt.outcome.quiet_ms = 1; /* any value but 0: it was silent for too long */
    }
    told.class = failure_class_of(&attempt);
    told.outcome = attempt.outcome.kind;
    told.fingerprint = attempt.fingerprint;
    told.waited_ms = attempt.waited_ms;
    told.ran_ms = attempt.outcome.ran_ms;
    retry_step_add(&reading->step, &told);
    return true;
}

bool retry_log_add(struct log_reader *reader, int64_t run, struct retry_help *help, struct err *err)
{
    static const char *const sql = attempts_sql;
    struct reading reading = {.run = run, .step = {.help = help}};
    sqlite3_stmt *query = NULL;
    size_t count = LOG_PAGE_EVENTS;
    bool ok = db_prepare(&reader->db, &sql, 1, &query, err) &&
              attempt_marks_read(&reading.marks, reader, run, err);
    while (ok && count == LOG_PAGE_EVENTS) {
        (void)sqlite3_bind_int64(query, 1, run);
        (void)sqlite3_bind_int(query, 2, reading.last.task);
        (void)sqlite3_bind_int(query, 3, reading.last.step);
        (void)sqlite3_bind_int(query, 4, reading.last.attempt);
        (void)sqlite3_bind_int(query, 5, LOG_PAGE_EVENTS);
        bool row = true;
        count = 0;
        while (ok && row) {
            ok = db_next(&reader->db, query, &row, err);
            if (ok && row) {
                ok = take_attempt(&reading, query, err);
                count++;
            }
        }
        (void)sqlite3_reset(query); /* only repeats the error of sqlite3_step() */
    }
    db_finalize(&query, 1);
    free(reading.marks.items);
    help->runs += ok;
    return ok;
}

bool retry_log_read(struct log_reader *reader, const struct retry_log_scope *scope,
                    struct retry_help *out, struct err *err)
{
    enum { RUNS_AT_ONCE = 20 };
    struct log_run_info runs[RUNS_AT_ONCE];
    int64_t before = scope->before;
    int64_t left = scope->events;
    size_t count = RUNS_AT_ONCE;
    *out = (struct retry_help){0};
    for (int i = 0; i < RETRY_LOG_RUNS_MAX / RUNS_AT_ONCE && count == RUNS_AT_ONCE && left > 0;
         i++) {
        if (!log_reader_runs(reader, before, runs, RUNS_AT_ONCE, &count, err))
            return false;
        before = count > 0 ? runs[count - 1].number : 0;
        bool ok = true;
        for (size_t at = 0; at < count; at++) {
            const bool fits = runs[at].last_seq >= 0 && runs[at].last_seq <= left;
            if (ok && fits) {
                left -= runs[at].last_seq;
                ok = retry_log_add(reader, runs[at].number, out, err);
            }
            log_run_info_done(&runs[at]);
        }
        if (!ok)
            return false;
    }
    retry_help_sort(out);
    return true;
}
