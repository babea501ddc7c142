#include "attempt_marks.h"

#include <limits.h>
#include <stdlib.h>

#include "outcome.h"
#include "xalloc.h"

enum { AT_SEQ, AT_KIND, AT_TASK, AT_STEP, AT_ATTEMPT, AT_LABEL };

static const char marks_sql[] =
    "SELECT seq, kind, task, step, attempt, a, b, c FROM event WHERE run=?1 AND seq>?2"
    " AND (kind IN(?3, ?4) OR (kind=?5 AND text LIKE '%\"hint\":%')"
    " OR (kind=?6 AND a=?7 AND text LIKE '%\"quiet\":%'))"
    " ORDER BY seq LIMIT ?8";

/* Of the one before or behind another, in the order of the projection: -1, 0, 1. */
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

static bool take_label(sqlite3_stmt *row, struct verdict_label *out)
{
    int class = 0;
    int type = 0;
    int reason = 0;
    if (!log_read_int(row, AT_LABEL, 0, VERDICT_CLASS_COUNT - 1, &class) ||
        !log_read_int(row, AT_LABEL + 1, 0, TRANSIENT_TYPE_COUNT - 1, &type) ||
        !log_read_int(row, AT_LABEL + 2, 0, REASON_COUNT - 1, &reason))
        return false;
    *out = (struct verdict_label){.class = (enum verdict_class) class,
                                  .type = (enum transient_type)type,
                                  .reason = (enum reason)reason};
    return true;
}

static bool take_mark(sqlite3_stmt *row, struct attempt_mark *out)
{
    struct attempt_mark mark = {.seq = sqlite3_column_int64(row, AT_SEQ),
                                .kind = (enum event_kind)sqlite3_column_int(row, AT_KIND)};
    if (!log_read_int(row, AT_TASK, 0, INT_MAX, &mark.key.task) ||
        !log_read_int(row, AT_STEP, 0, INT_MAX, &mark.key.step) ||
        !log_read_int(row, AT_ATTEMPT, 0, INT_MAX, &mark.key.attempt))
        return false;
    if (mark.kind == EVENT_CLASS_CORRECTED && !take_label(row, &mark.label))
        return false;
    *out = mark;
    return true;
}

/* At most LOG_PAGE_EVENTS more; fewer: there are no more. */
static bool read_page(struct attempt_marks *marks, struct log_reader *reader, int64_t run,
                      sqlite3_stmt *query, struct err *err)
{
    const int64_t after = marks->count > 0 ? marks->items[marks->count - 1].seq : 0;
    (void)sqlite3_bind_int64(query, 1, run);
    (void)sqlite3_bind_int64(query, 2, after);
    (void)sqlite3_bind_int(query, 3, EVENT_CLASS_CORRECTED);
    (void)sqlite3_bind_int(query, 4, EVENT_ROUND_STARTED);
    (void)sqlite3_bind_int(query, 5, EVENT_HINT_GIVEN);
    (void)sqlite3_bind_int(query, 6, EVENT_ATTEMPT_ENDED);
    (void)sqlite3_bind_int(query, 7, OUTCOME_TIMEOUT);
    (void)sqlite3_bind_int(query, 8, LOG_PAGE_EVENTS);
    bool row = true;
    bool ok = true;
    while (ok && row) {
        ok = db_next(&reader->db, query, &row, err);
        if (!ok || !row)
            break;
        marks->items = xgrow(marks->items, &marks->cap, marks->count + 1, sizeof(*marks->items));
        ok = take_mark(query, &marks->items[marks->count]) ||
             err_set(err, ERR_DAMAGED, "event %lld of run #%lld cannot be true",
                     (long long)sqlite3_column_int64(query, AT_SEQ), (long long)run);
        marks->count += ok;
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

bool attempt_marks_read(struct attempt_marks *out, struct log_reader *reader, int64_t run,
                        struct err *err)
{
    static const char *const sql = marks_sql;
    sqlite3_stmt *query = NULL;
    size_t before = 0;
    *out = (struct attempt_marks){0};
    bool ok = db_prepare(&reader->db, &sql, 1, &query, err);
    do {
        before = out->count;
        ok = ok && read_page(out, reader, run, query, err);
        if (ok && out->count > ATTEMPT_MARKS_MAX)
            ok = err_set(err, ERR_LIMIT, "run #%lld has more than %d corrections and hints",
                         (long long)run, ATTEMPT_MARKS_MAX);
    } while (ok && out->count - before == LOG_PAGE_EVENTS);
    db_finalize(&query, 1);
    if (ok && out->count > 1)
        qsort(out->items, out->count, sizeof(*out->items), compare_marks);
    return ok;
}

void attempt_marks_done(struct attempt_marks *marks)
{
    free(marks->items);
    *marks = (struct attempt_marks){0};
}

const struct attempt_mark *attempt_marks_next(struct attempt_marks *marks,
                                              const struct attempt_key *key)
{
    while (marks->at < marks->count && compare_keys(&marks->items[marks->at].key, key) < 0)
        marks->at++;
    if (marks->at == marks->count || compare_keys(&marks->items[marks->at].key, key) > 0)
        return NULL;
    return &marks->items[marks->at++];
}
