#include "retry_log.h"

#include <limits.h>

#include "attempt_marks.h"

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
    struct log_reader *reader; /* borrowed */
    int64_t run;
    sqlite3_stmt *query; /* owned */
    struct attempt_marks marks;
    struct attempt_key last; /* that was read; attempt 0: none of its step */
    bool hinted;             /* the next attempt was told something */
    struct retry_step step;
};

/* What the row says of an attempt that is over. */
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

static bool take_key(sqlite3_stmt *row, struct attempt_key *out)
{
    return log_read_int(row, AT_TASK, 0, INT_MAX, &out->task) &&
           log_read_int(row, AT_STEP, 0, INT_MAX, &out->step) &&
           log_read_int(row, AT_ATTEMPT, 1, INT_MAX, &out->attempt);
}

/* What is said of attempt 0 of a step: a hint for its first one. */
static bool was_hinted_first(struct reading *reading, const struct attempt_key *key)
{
    const struct attempt_key none = {.task = key->task, .step = key->step};
    const struct attempt_mark *mark = NULL;
    bool hinted = false;
    while ((mark = attempt_marks_next(&reading->marks, &none)))
        hinted = hinted || mark->kind == EVENT_HINT_GIVEN;
    return hinted;
}

static void begin_step(struct reading *reading, const struct attempt_key *key)
{
    reading->step = (struct retry_step){.help = reading->step.help};
    reading->hinted = was_hinted_first(reading, key);
}

/* Count the attempt with all that is said of it. */
static void add(struct reading *reading, const struct attempt_key *key,
                struct attempt_state *attempt)
{
    struct retry_attempt told = {.number = key->attempt, .hinted = reading->hinted};
    struct correction correction;
    const struct attempt_mark *mark = NULL;
    reading->hinted = false;
    while ((mark = attempt_marks_next(&reading->marks, key))) {
        if (mark->kind == EVENT_CLASS_CORRECTED) {
            correction = (struct correction){.label = mark->label};
            attempt->correction = &correction;
        }
        reading->hinted = reading->hinted || mark->kind == EVENT_HINT_GIVEN;
        told.ends_round = told.ends_round || mark->kind == EVENT_ROUND_STARTED;
        attempt->outcome.quiet_ms =
            mark->kind == EVENT_ATTEMPT_ENDED ? 1 : attempt->outcome.quiet_ms;
    }
    told.class = failure_class_of(attempt);
    told.outcome = attempt->outcome.kind;
    told.fingerprint = attempt->fingerprint;
    told.waited_ms = attempt->waited_ms;
    told.ran_ms = attempt->outcome.ran_ms;
    retry_step_add(&reading->step, &told);
}

static bool take(struct reading *reading, sqlite3_stmt *row, struct err *err)
{
    struct attempt_state attempt = {0};
    struct attempt_key key = {0};
    const bool ended = sqlite3_column_type(row, AT_ENDED) != SQLITE_NULL;
    if (!take_key(row, &key) || (ended && !take_row(row, &attempt)))
        return err_set(err, ERR_DAMAGED, "an attempt of run #%lld in the log cannot be true",
                       (long long)reading->run);
    if (key.task != reading->last.task || key.step != reading->last.step ||
        reading->last.attempt == 0)
        begin_step(reading, &key);
    reading->last = key;
    if (ended)
        add(reading, &key, &attempt);
    return true;
}

static bool read_page(struct reading *reading, size_t *count, struct err *err)
{
    sqlite3_stmt *query = reading->query;
    (void)sqlite3_bind_int64(query, 1, reading->run);
    (void)sqlite3_bind_int(query, 2, reading->last.task);
    (void)sqlite3_bind_int(query, 3, reading->last.step);
    (void)sqlite3_bind_int(query, 4, reading->last.attempt);
    (void)sqlite3_bind_int(query, 5, LOG_PAGE_EVENTS);
    bool row = true;
    bool ok = true;
    *count = 0;
    while (ok && row) {
        ok = db_next(&reading->reader->db, query, &row, err);
        if (ok && row) {
            ok = take(reading, query, err);
            *count += 1;
        }
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

bool retry_log_add(struct log_reader *reader, int64_t run, struct retry_help *help, struct err *err)
{
    static const char *const sql = attempts_sql;
    struct reading reading = {.reader = reader, .run = run, .step = {.help = help}};
    size_t count = 0;
    bool ok = db_prepare(&reader->db, &sql, 1, &reading.query, err) &&
              attempt_marks_read(&reading.marks, reader, run, err);
    do {
        ok = ok && read_page(&reading, &count, err);
    } while (ok && count == LOG_PAGE_EVENTS);
    db_finalize(&reading.query, 1);
    attempt_marks_done(&reading.marks);
    help->runs += ok;
    return ok;
}

/* Those that there is room for; *left is what is left of it. */
static bool add_runs(struct log_reader *reader, struct log_run_info *runs, size_t count,
                     struct retry_help *out, int64_t *left, struct err *err)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        const bool fits = runs[i].last_seq >= 0 && runs[i].last_seq <= *left;
        if (ok && fits) {
            *left -= runs[i].last_seq;
            ok = retry_log_add(reader, runs[i].number, out, err);
        }
        log_run_info_done(&runs[i]);
    }
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
        if (!add_runs(reader, runs, count, out, &left, err))
            return false;
    }
    retry_help_sort(out);
    return true;
}
