/* feed_source.c - reads what the other side of a feed lacks.
 *
 * For each run, the source remembers how far it was sent: the last event by number, the last row of
 * output and the last capture by row id. To follow, the runs that somebody looks at come first,
 * events before output, because the screen draws from the events; older runs follow without output.
 * To collect, a run is sent whole, output before the events that refer to it, as the log's writer
 * does it.
 *
 * Rows of output can also disappear: the rest of a stream replaces its live tail, and an attempt
 * that is read again replaces everything. The other side does the same (log_copy.c); to be certain,
 * it gets the number of rows and of bytes to compare with its own. */
#include "feed_source.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bookmark.h"
#include "db.h"
#include "event_row.h"
#include "log_read.h"
#include "log_reader.h"
#include "spill.h"
#include "xalloc.h"

enum { UIDS_MAX = LOG_UID_MAX, BOOKMARK_LOOK_MS = 1000 };

struct feed_run {
    int64_t number;
    char uid[UIDS_MAX];
    int64_t last_seq, ended_at_ms; /* in the log, at the last look */
    int64_t row_seq, row_ended_ms; /* of the row that was sent; -1 = none was */
    int64_t sent_seq;              /* the last event that was sent */
    int64_t output, capture;       /* the last rows that were sent: their ids */
    int64_t bookmark;
    int64_t checked_ms;      /* when its output was last compared */
    bool is_wanted;          /* with its output */
    bool has_plan;           /* the other side has its row and its plan */
    bool is_synced;          /* FEED_SYNCED was sent for last_seq */
    bool is_alive, was_told; /* `was_told`: FEED_ALIVE was sent, with is_alive */
    bool has_news;           /* output or captures may have changed */
    bool is_unchecked;       /* output was sent since it was compared */
    bool is_done;            /* to collect: everything was sent */
};

enum source_query {
    QUERY_RUNS,
    QUERY_RUN,
    QUERY_RULES,
    QUERY_EVENTS,
    QUERY_MARKS,
    QUERY_OUTPUT,
    QUERY_OUTPUTS,
    QUERY_CAPTURES,
    QUERY_CONTROLS,
    QUERY_CONTROL,
    QUERY_COUNT
};

static const char *const query_sql[QUERY_COUNT] = {
    [QUERY_RUNS] = "SELECT id, uid, last_seq, ifnull(ended_at_ms, 0), kind FROM run WHERE expired=0"
                   " ORDER BY id DESC LIMIT ?1",
    [QUERY_RUN] =
        "SELECT id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks,"
        " started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed,"
        " failed, cancelled, waited_ms FROM run WHERE id=?1",
    [QUERY_RULES] = "SELECT hash, text FROM ruleset WHERE hash=(SELECT ruleset FROM run"
                    " WHERE id=?1)",
    [QUERY_EVENTS] = "SELECT " EVENT_ROW_COLUMNS " FROM event WHERE run=?1 AND seq>?2"
                     " ORDER BY seq LIMIT ?3",
    [QUERY_MARKS] = "SELECT at_ms, mono_ms FROM event WHERE run=?1 AND seq=?2",
    [QUERY_OUTPUT] = "SELECT run, id, task, step, attempt, stream, part, idx, offset, at_ms, bytes"
                     " FROM output WHERE id>?2 AND run=?1 ORDER BY id LIMIT ?3",
    [QUERY_OUTPUTS] = "SELECT ?1, count(*), ifnull(sum(length(bytes)), 0) FROM output WHERE run=?1",
    [QUERY_CAPTURES] = "SELECT run, id, task, step, attempt, at_ms, json FROM capture"
                       " WHERE id>?2 AND run=?1 ORDER BY id LIMIT ?3",
    [QUERY_CONTROLS] = "SELECT " FEED_CONTROL_COLUMNS " FROM control WHERE run=?1 ORDER BY id",
    [QUERY_CONTROL] = "SELECT " FEED_CONTROL_COLUMNS " FROM control WHERE run=?1 AND id=?2",
};

/* The table may be missing: schema_has_bookmarks(). */
static const char bookmarks_sql[] = "SELECT run, id, seq, at_ms, made_at_ms, name, by FROM bookmark"
                                    " WHERE run=?1 AND id>?2 ORDER BY id";

struct feed_source {
    struct log_reader *reader; /* owned */
    enum feed_mode mode;
    struct feed_run *runs; /* owned; newest first */
    size_t count, cap;
    sqlite3_stmt *queries[QUERY_COUNT]; /* owned */
    struct log_reader *spill;           /* owned; of the run that is read; NULL = none */
    int64_t spill_run;
    uint64_t spill_inode;
    sqlite3_stmt *spilled[QUERY_COUNT]; /* owned; those of the spill */
    int64_t old_events;                 /* of runs that are not wanted */
    int64_t bookmarks_ms;               /* when bookmarks were last looked for */
    bool has_bookmarks;
    bool is_begun; /* runs were sent */
};

bool feed_source_open(struct feed_source **out, const struct place *place, enum feed_mode mode,
                      struct err *err)
{
    struct feed_source *source = xcalloc(1, sizeof(*source));
    source->mode = mode;
    source->bookmarks_ms = INT64_MIN / 2;
    const bool ok = log_reader_open(&source->reader, place, err) &&
                    db_prepare(&source->reader->db, query_sql, QUERY_COUNT, source->queries, err) &&
                    schema_has_bookmarks(&source->reader->db, &source->has_bookmarks, err);
    if (!ok) {
        feed_source_close(source);
        return false;
    }
    *out = source;
    return true;
}

static void close_spill(struct feed_source *source)
{
    db_finalize(source->spilled, QUERY_COUNT);
    log_reader_close(source->spill);
    source->spill = NULL;
}

void feed_source_close(struct feed_source *source)
{
    if (!source)
        return;
    db_finalize(source->queries, QUERY_COUNT);
    close_spill(source);
    log_reader_close(source->reader);
    free(source->runs);
    free(source);
}

struct log_reader *feed_source_reader(struct feed_source *source)
{
    return source->reader;
}

static struct feed_run *find_run(const struct feed_source *source, int64_t number)
{
    for (size_t i = 0; i < source->count; i++) {
        if (source->runs[i].number == number)
            return &source->runs[i];
    }
    return NULL;
}

bool feed_source_is_run(const struct feed_source *source, int64_t run,
                        const struct feed_message *message, size_t uid_at)
{
    const struct feed_run *found = find_run(source, run);
    return found && feed_text_is(message, uid_at, found->uid);
}

bool feed_source_want(struct feed_source *source, int64_t run)
{
    struct feed_run *found = find_run(source, run);
    if (!found || found->is_wanted)
        return found != NULL;
    found->is_wanted = true;
    found->has_news = true;
    found->is_synced = false;
    return true;
}

void feed_source_again(struct feed_source *source, int64_t run)
{
    struct feed_run *found = find_run(source, run);
    if (!found)
        return;
    found->output = 0;
    found->has_news = true;
    found->is_done = false;
}

/* Sets the position of a run before its first row. */
static void begin_run(struct feed_run *run)
{
    run->row_seq = run->row_ended_ms = -1;
    run->sent_seq = run->output = run->capture = run->bookmark = 0;
    run->has_plan = run->is_synced = run->was_told = run->is_done = false;
    run->has_news = true;
}

bool feed_source_have(struct feed_source *source, const struct feed_message *have, struct str *out,
                      struct err *err)
{
    const int64_t number = feed_number_at(have, 0, 0);
    const int64_t seq = feed_number_at(have, 2, 0);
    struct feed_run *run = find_run(source, number);
    bool is_same = run && feed_text_is(have, 1, run->uid) && seq <= run->last_seq;
    if (is_same && seq > 0) {
        sqlite3_stmt *query = source->queries[QUERY_MARKS];
        bool row = false;
        (void)sqlite3_bind_int64(query, 1, number);
        (void)sqlite3_bind_int64(query, 2, seq);
        const bool ok = db_next(&source->reader->db, query, &row, err);
        is_same = ok && row && sqlite3_column_int64(query, 0) == feed_number_at(have, 3, 0) &&
                  sqlite3_column_int64(query, 1) == feed_number_at(have, 4, 0);
        (void)sqlite3_reset(query); /* repeats the step's error */
        if (!ok)
            return false;
    }
    if (!is_same) {
        const struct feed_value reset[] = {feed_number(number)};
        if (run)
            begin_run(run);
        return feed_add(out, FEED_RESET, reset, ARRAY_LEN(reset)) ||
               err_set(err, ERR_INVALID, "invalid run");
    }
    run->sent_seq = seq;
    run->output = feed_number_at(have, 5, 0);
    run->capture = feed_number_at(have, 6, 0);
    run->has_plan = seq > 0 || source->mode == FEED_FOLLOW;
    if (feed_number_at(have, 7, 0) != 0)
        (void)feed_source_want(source, number);
    return true;
}

/* Rows as frames. */

/* Returns the column as a value, which borrows it until the next step. */
static struct feed_value value_of(sqlite3_stmt *row, int column)
{
    struct feed_value value = {.type = FEED_NULL};
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        value.type = FEED_NUMBER;
        value.number = sqlite3_column_int64(row, column);
        break;
    case SQLITE_NULL:
        break;
    case SQLITE_BLOB:
        value.type = FEED_BLOB;
        value.bytes = sqlite3_column_blob(row, column);
        value.len = (size_t)sqlite3_column_bytes(row, column);
        break;
    default:
        value.type = FEED_TEXT;
        value.bytes = (const char *)sqlite3_column_text(row, column);
        value.len = (size_t)sqlite3_column_bytes(row, column);
        break;
    }
    return value;
}

static bool add_row(sqlite3_stmt *row, enum feed_kind kind, struct str *out, struct err *err)
{
    struct feed_value values[FEED_VALUES_MAX];
    const int columns = sqlite3_column_count(row);
    assert(columns <= FEED_VALUES_MAX);
    for (int i = 0; i < columns; i++)
        values[i] = value_of(row, i);
    return feed_add(out, kind, values, (size_t)columns) ||
           err_set(err, ERR_DAMAGED, "run #%lld has a row in the log that is invalid",
                   (long long)sqlite3_column_int64(row, 0));
}

/* A query for rows of one run: those after `after`, at most `limit` (0 = the query has neither). */
struct rows {
    enum source_query query;
    enum feed_kind kind;
    int key; /* the column that `after` refers to; -1 = none */
    int64_t limit;
};

static const struct rows event_rows = {QUERY_EVENTS, FEED_EVENT, 1, LOG_PAGE_EVENTS};
static const struct rows output_rows = {QUERY_OUTPUT, FEED_OUTPUT, 1, 64};
static const struct rows capture_rows = {QUERY_CAPTURES, FEED_CAPTURE, 1, 16};
static const struct rows control_rows = {QUERY_CONTROLS, FEED_CONTROL, -1, 0};

/* What is read: the rows of a run that follow *after, up to `until`. */
struct reading {
    const struct rows *rows;
    int64_t run;
    int64_t *after; /* moves to the key of the last row; unused without a key */
    int64_t until;
    struct str *out;
    bool more; /* out: there may be more */
};

/* Appends rows of a connection. Stops at a gap between events: what follows it cannot be used. */
static bool add_rows_of(const struct db *db, sqlite3_stmt *query, struct reading *reading,
                        struct err *err)
{
    const struct rows *rows = reading->rows;
    const bool has_key = rows->key >= 0;
    const size_t begin = reading->out->len;
    int64_t count = 0;
    bool row = true;
    bool ok = true;
    (void)sqlite3_bind_int64(query, 1, reading->run);
    if (has_key) {
        (void)sqlite3_bind_int64(query, 2, *reading->after);
        (void)sqlite3_bind_int64(query, 3, rows->limit);
    }
    while (ok && row && (!has_key || reading->out->len - begin < FEED_PAGE_BYTES)) {
        ok = db_next(db, query, &row, err);
        if (!ok || !row)
            break;
        const int64_t key = has_key ? sqlite3_column_int64(query, rows->key) : 0;
        const bool is_gap = rows->kind == FEED_EVENT && key != *reading->after + 1;
        row = !has_key || (key <= reading->until && !is_gap);
        if (!row)
            break;
        ok = add_row(query, rows->kind, reading->out, err);
        if (ok && has_key)
            *reading->after = key;
        count++;
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    reading->more = row && (!has_key || reading->out->len - begin >= FEED_PAGE_BYTES);
    reading->more = reading->more || (has_key && count == rows->limit);
    return ok;
}

/* Appends all rows of a query without a key. */
static bool add_all_rows(struct feed_source *source, const struct rows *rows, int64_t run,
                         struct str *out, struct err *err)
{
    struct reading reading = {.rows = rows, .run = run, .out = out};
    return add_rows_of(&source->reader->db, source->queries[rows->query], &reading, err);
}

/* Opens the spill of a run that has not ended, if it has one now; otherwise there is none. A reader
 * of its own, because the reader of the log closes its spill when it reads another run. */
static void open_spill(struct feed_source *source, const struct feed_run *run)
{
    struct place place;
    struct stat info;
    const bool is_there = run->ended_at_ms == 0 && spill_find(run->uid, &place) &&
                          stat(place.db, &info) == 0 &&
                          strcmp(place.db, log_reader_place(source->reader)->db) != 0;
    if (source->spill && is_there && source->spill_run == run->number &&
        source->spill_inode == (uint64_t)info.st_ino)
        return;
    close_spill(source);
    if (!is_there || !log_reader_open(&source->spill, &place, NULL))
        return; /* if it is being created or merged, the next call tries again */
    source->spill->is_spill = true;
    source->spill_run = run->number;
    source->spill_inode = (uint64_t)info.st_ino;
    if (!db_prepare(&source->spill->db, query_sql, QUERY_COUNT, source->spilled, NULL))
        close_spill(source);
}

/* Appends rows, about FEED_PAGE_BYTES, from the log and then from the run's spill, whose rows
 * follow. */
static bool add_rows(struct feed_source *source, struct reading *reading, struct err *err)
{
    const enum source_query query = reading->rows->query;
    const size_t begin = reading->out->len;
    bool ok = true;
    for (reading->more = true; ok && reading->more && reading->out->len - begin < FEED_PAGE_BYTES;)
        ok = add_rows_of(&source->reader->db, source->queries[query], reading, err) &&
             (reading->more || !source->spill ||
              add_rows_of(&source->spill->db, source->spilled[query], reading, err));
    return ok;
}

/* Appends the row of the run, from its spill if that is newer. */
static bool add_run_row(struct feed_source *source, struct feed_run *run, struct str *out,
                        struct err *err)
{
    sqlite3_stmt *const queries[] = {source->spill ? source->spilled[QUERY_RUN] : NULL,
                                     source->queries[QUERY_RUN]};
    const struct db *const dbs[] = {source->spill ? &source->spill->db : NULL, &source->reader->db};
    bool row = false;
    bool ok = true;
    for (size_t i = 0; ok && !row && i < ARRAY_LEN(queries); i++) {
        if (!queries[i])
            continue;
        (void)sqlite3_bind_int64(queries[i], 1, run->number);
        ok = db_next(dbs[i], queries[i], &row, err);
        if (ok && row) {
            run->last_seq = sqlite3_column_int64(queries[i], FEED_RUN_LAST_SEQ);
            run->ended_at_ms = db_column_or(queries[i], FEED_RUN_ENDED, 0);
            ok = add_row(queries[i], FEED_RUN, out, err);
        }
        (void)sqlite3_reset(queries[i]); /* repeats the step's error */
    }
    run->row_seq = run->last_seq;
    run->row_ended_ms = run->ended_at_ms;
    return ok;
}

/* Runs. */

/* The row of a run that is not known yet. */
static bool read_run(sqlite3_stmt *row, struct feed_run *out, bool *is_session)
{
    const char *uid = (const char *)sqlite3_column_text(row, 1);
    const char *kind = (const char *)sqlite3_column_text(row, 4);
    *out = (struct feed_run){.number = sqlite3_column_int64(row, 0),
                             .last_seq = sqlite3_column_int64(row, 2),
                             .ended_at_ms = sqlite3_column_int64(row, 3)};
    *is_session = kind && strcmp(kind, "agent") == 0;
    if (!uid || strlen(uid) >= sizeof(out->uid))
        return false;
    memcpy(out->uid, uid, strlen(uid) + 1);
    begin_run(out);
    return true;
}

/* Takes over the position of a run that is known. Returns whether it is. */
static bool take_known(const struct feed_run *before, size_t before_count, struct feed_run *run)
{
    for (size_t i = 0; i < before_count; i++) {
        if (before[i].number != run->number || strcmp(before[i].uid, run->uid) != 0)
            continue;
        struct feed_run known = before[i];
        known.last_seq = run->last_seq;
        known.ended_at_ms = run->ended_at_ms;
        *run = known;
        return true;
    }
    return false;
}

bool feed_source_look(struct feed_source *source, struct str *out, struct err *err)
{
    struct feed_run *before = source->runs;
    const size_t before_count = source->count;
    sqlite3_stmt *query = source->queries[QUERY_RUNS];
    const bool collects = source->mode == FEED_COLLECT;
    struct feed_run *runs = NULL;
    size_t count = 0, cap = 0;
    bool row = true;
    bool ok = true;
    (void)sqlite3_bind_int64(query, 1, collects ? FEED_COLLECT_RUNS_MAX : FEED_RUNS_MAX);
    while (ok && row) {
        struct feed_run run;
        bool is_session = false;
        ok = db_next(&source->reader->db, query, &row, err);
        if (!ok || !row || !read_run(query, &run, &is_session))
            continue;
        const bool is_known = take_known(before, before_count, &run);
        const bool is_alive =
            run.ended_at_ms == 0 && (is_session || log_read_has_owner(source->reader, run.uid));
        run.was_told = run.was_told && is_alive == run.is_alive;
        run.is_alive = is_alive;
        run.has_news = run.has_news || !is_known || is_alive || run.last_seq != run.sent_seq;
        runs = xgrow(runs, &cap, count + 1, sizeof(*runs));
        runs[count++] = run;
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    if (!ok) {
        free(runs);
        return false;
    }
    free(before);
    source->runs = runs;
    source->count = count;
    source->cap = cap;
    for (size_t i = 0; collects && ok && i < count; i++)
        ok = add_run_row(source, &runs[i], out, err);
    return ok && (!collects || feed_add(out, FEED_LISTED, NULL, 0));
}

/* Appends the row, the rules and the plan of a run that the other side does not have. */
static bool add_beginning(struct feed_source *source, struct feed_run *run, struct str *out,
                          struct err *err)
{
    struct log_run_info info = {0};
    const struct rows rules = {QUERY_RULES, FEED_RULES, -1, 0};
    if (!log_reader_run(source->reader, run->number, &info, err))
        return false;
    const struct feed_value plan[] = {feed_number(run->number), feed_text(info.plan_text)};
    const bool ok = add_run_row(source, run, out, err) &&
                    add_all_rows(source, &rules, run->number, out, err) &&
                    (feed_add(out, FEED_PLAN, plan, ARRAY_LEN(plan)) ||
                     err_set(err, ERR_DAMAGED, "the plan of run #%lld in the log is invalid",
                             (long long)run->number));
    log_run_info_done(&info);
    run->has_plan = ok;
    return ok;
}

/* Appends events up to `until`, then the run's row, if it has changed, and FEED_SYNCED. */
static bool add_events(struct feed_source *source, struct feed_run *run, struct str *out,
                       struct err *err)
{
    const int64_t sent = run->sent_seq;
    struct reading events = {&event_rows, run->number, &run->sent_seq, INT64_MAX, out, true};
    if (!add_rows(source, &events, err))
        return false;
    if (!run->is_wanted)
        source->old_events += run->sent_seq - sent;
    if (events.more)
        return true;
    if (run->row_seq != run->last_seq || run->row_ended_ms != run->ended_at_ms ||
        run->sent_seq > run->row_seq) {
        if (!add_run_row(source, run, out, err))
            return false;
    }
    const struct feed_value alive[] = {feed_number(run->number), feed_number(run->is_alive)};
    const struct feed_value synced[] = {feed_number(run->number), feed_number(run->sent_seq)};
    if (!run->was_told && !feed_add(out, FEED_ALIVE, alive, ARRAY_LEN(alive)))
        return false;
    run->was_told = true;
    if ((!run->is_synced || run->sent_seq != sent) &&
        !feed_add(out, FEED_SYNCED, synced, ARRAY_LEN(synced)))
        return false;
    run->is_synced = true;
    return true;
}

/* Appends output and captures. Sets run->has_news to whether there may be more. */
static bool add_output(struct feed_source *source, struct feed_run *run, struct str *out,
                       struct err *err)
{
    const size_t begin = out->len;
    struct reading output = {&output_rows, run->number, &run->output, INT64_MAX, out, true};
    struct reading captures = {&capture_rows, run->number, &run->capture, INT64_MAX, out, true};
    if (!add_rows(source, &output, err))
        return false;
    run->is_unchecked = run->is_unchecked || out->len > begin;
    if (!output.more && !add_rows(source, &captures, err))
        return false;
    run->has_news = output.more || captures.more;
    return true;
}

static bool add_bookmarks(struct feed_source *source, struct feed_run *run, struct str *out,
                          struct err *err)
{
    const char *sql = bookmarks_sql;
    sqlite3_stmt *query = NULL;
    bool row = true;
    bool ok = !source->has_bookmarks || db_prepare(&source->reader->db, &sql, 1, &query, err);
    if (query) {
        (void)sqlite3_bind_int64(query, 1, run->number);
        (void)sqlite3_bind_int64(query, 2, run->bookmark);
    }
    while (ok && query && row) {
        ok = db_next(&source->reader->db, query, &row, err);
        if (ok && row) {
            run->bookmark = sqlite3_column_int64(query, 1);
            ok = add_row(query, FEED_BOOKMARK, out, err);
        }
    }
    db_finalize(&query, 1);
    return ok;
}

/* Appends the number of rows and bytes of the run's output, to compare. */
static bool add_outputs(struct feed_source *source, struct feed_run *run, struct str *out,
                        struct err *err)
{
    const struct rows outputs = {QUERY_OUTPUTS, FEED_OUTPUTS, -1, 0};
    run->is_unchecked = false;
    return source->spill || /* rows are in two files */
           add_all_rows(source, &outputs, run->number, out, err);
}

/* The next rows. */

static bool fill_events(struct feed_source *source, struct feed_run *run, struct str *out,
                        struct err *err)
{
    open_spill(source, run);
    const bool is_same = run->has_plan && run->is_synced && run->was_told && !source->spill &&
                         run->sent_seq == run->last_seq && run->row_seq == run->last_seq &&
                         run->row_ended_ms == run->ended_at_ms;
    if (is_same)
        return true;
    return (run->has_plan || add_beginning(source, run, out, err)) &&
           add_events(source, run, out, err);
}

static bool fill_to_follow(struct feed_source *source, int64_t now_ms, struct str *out,
                           struct err *err)
{
    bool ok = true;
    for (size_t i = 0; ok && i < source->count && out->len < FEED_PAGE_BYTES; i++) {
        if (source->runs[i].is_wanted)
            ok = fill_events(source, &source->runs[i], out, err);
    }
    for (size_t i = 0; ok && i < source->count && out->len < FEED_PAGE_BYTES; i++) {
        struct feed_run *run = &source->runs[i];
        if (!run->is_wanted)
            continue;
        open_spill(source, run);
        if (run->has_news)
            ok = add_output(source, run, out, err);
        if (ok && !run->has_news && run->is_unchecked &&
            now_ms - run->checked_ms >= FEED_CHECK_MS) {
            run->checked_ms = now_ms;
            ok = add_outputs(source, run, out, err);
        }
    }
    const bool looks = now_ms - source->bookmarks_ms >= BOOKMARK_LOOK_MS;
    if (looks)
        source->bookmarks_ms = now_ms;
    for (size_t i = 0; ok && i < source->count && out->len < FEED_PAGE_BYTES; i++) {
        struct feed_run *run = &source->runs[i];
        if (run->is_wanted && looks)
            ok = add_bookmarks(source, run, out, err);
        else if (!run->is_wanted && (run->has_plan || source->old_events < FEED_OLD_EVENTS_MAX))
            ok = fill_events(source, run, out, err);
    }
    return ok;
}

/* Appends the next part of a run that is collected, or its end. */
static bool collect_run(struct feed_source *source, struct feed_run *run, struct str *out,
                        struct err *err)
{
    open_spill(source, run);
    if (!run->has_plan && !add_beginning(source, run, out, err))
        return false;
    /* Output comes before the events that were in the log when the reading of the output began. */
    if (!run->is_synced) {
        struct str row = {0};
        const bool ok = add_run_row(source, run, &row, err); /* for its last event */
        str_done(&row);
        if (!ok)
            return false;
        run->is_synced = true;
        run->has_news = true;
    }
    if (run->has_news)
        return add_output(source, run, out, err);
    struct reading events = {&event_rows, run->number, &run->sent_seq, run->last_seq, out, true};
    if (!add_rows(source, &events, err))
        return false;
    if (events.more)
        return true;
    const struct feed_value synced[] = {feed_number(run->number), feed_number(run->sent_seq)};
    run->is_done = true;
    return add_all_rows(source, &control_rows, run->number, out, err) &&
           add_bookmarks(source, run, out, err) &&
           (run->ended_at_ms == 0 || add_outputs(source, run, out, err)) &&
           feed_add(out, FEED_SYNCED, synced, ARRAY_LEN(synced));
}

bool feed_source_fill(struct feed_source *source, int64_t now_ms, struct str *out, struct err *err)
{
    if (source->mode == FEED_FOLLOW)
        return fill_to_follow(source, now_ms, out, err);
    for (size_t i = source->count;
         i-- > 0;) { /* the oldest first, so that numbers keep the order */
        struct feed_run *run = &source->runs[i];
        while (run->is_wanted && !run->is_done) {
            if (!collect_run(source, run, out, err))
                return false;
            if (out->len >= FEED_PAGE_BYTES)
                return true;
        }
    }
    return true;
}

bool feed_source_control(struct feed_source *source, int64_t run, int64_t control, struct str *out,
                         bool *answered, struct err *err)
{
    enum { APPLIED_COLUMN = 10 };
    const struct feed_run *of = find_run(source, run);
    *answered = false;
    if (!of)
        return err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)run);
    open_spill(source, of);
    sqlite3_stmt *const queries[] = {source->queries[QUERY_CONTROL],
                                     source->spill ? source->spilled[QUERY_CONTROL] : NULL};
    const struct db *const dbs[] = {&source->reader->db, source->spill ? &source->spill->db : NULL};
    bool ok = true;
    for (size_t i = 0; ok && !*answered && i < ARRAY_LEN(queries) && queries[i]; i++) {
        bool row = false;
        (void)sqlite3_bind_int64(queries[i], 1, run);
        (void)sqlite3_bind_int64(queries[i], 2, control);
        ok = db_next(dbs[i], queries[i], &row, err);
        if (ok && row) {
            *answered = sqlite3_column_type(queries[i], APPLIED_COLUMN) != SQLITE_NULL;
            ok = add_row(queries[i], FEED_CONTROL, out, err);
        }
        (void)sqlite3_reset(queries[i]); /* repeats the step's error */
    }
    return ok;
}
