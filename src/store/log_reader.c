/*
 * log_reader.c - reads runs, events and their summaries.
 *
 * The log may be untrusted: numbers outside of their range are an error or become the nearest valid
 * one, so that callers can calculate with them. Events in the spill of a run count only if they
 * follow the last event of the log directly. If SQLite cannot create files next to the log, the
 * file is opened as immutable. Only SQLite may open the file: closing any other descriptor of it
 * would release the locks of this process.
 */
#include "log_reader.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "db.h"
#include "event_row.h"
#include "log_read.h"
#include "log_writer.h"
#include "owner_state.h"
#include "run_state.h"
#include "xalloc.h"

#define RUN_COLUMNS                                                                                \
    "id, uid, name, kind, dir, command, ruleset, seed, jobs, tasks, pid, started_at_ms,"           \
    " ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed, failed, cancelled,"          \
    " waited_ms, boot"

/* Reads either stdout or an agent's messages, not both: see struct log_output_key. */
#define OUTPUT_IDS                                                                                 \
    "(SELECT id FROM output WHERE run=?1 AND task=?2 AND step=?3 AND attempt=?4 AND id>?5"         \
    " AND stream<>CASE WHEN ?6 AND EXISTS(SELECT 1 FROM output WHERE run=?1 AND task=?2"           \
    " AND step=?3 AND attempt=?4 AND stream=3) THEN 1 ELSE 3 END)"

#define EVENT_COLUMNS "seq, at_ms, mono_ms, kind, task_no, step, round, grant_no, attempt, data"

static const char *const query_sql[] = {
    [LOG_QUERY_RUN] = "SELECT " RUN_COLUMNS " FROM run WHERE expired=0 AND"
                      " id=CASE ?1 WHEN 0 THEN (SELECT max(id) FROM run WHERE expired=0)"
                      " ELSE ?1 END",
    [LOG_QUERY_PLAN] = "SELECT text FROM plan WHERE run=?",
    [LOG_QUERY_RUNS] = "SELECT " RUN_COLUMNS " FROM run WHERE expired=0 AND id<?"
                       " ORDER BY id DESC LIMIT ?",
    [LOG_QUERY_UNENDED] =
        "SELECT id, uid FROM run WHERE expired=0 AND ended_at_ms IS NULL AND kind<>'agent'"
        " AND id>(SELECT max(id) FROM run)-?1 ORDER BY id DESC LIMIT ?2",
    [LOG_QUERY_EVENTS] = "SELECT " EVENT_COLUMNS " FROM event WHERE run=? AND seq>?"
                         " ORDER BY seq LIMIT ?",
    [LOG_QUERY_ATTEMPT_EVENTS] = "SELECT " EVENT_COLUMNS " FROM event WHERE run=? AND task_no=?"
                                 " AND step=? AND attempt=? AND kind<>'agent_call'"
                                 " ORDER BY seq LIMIT ?",
    [LOG_QUERY_AGENT_EVENTS] = "SELECT " EVENT_COLUMNS " FROM event WHERE run=? AND seq>?"
                               " AND kind IN('agent_session','agent_used') ORDER BY seq LIMIT ?",
    /* The index yields the ids, which are sorted; then the rows are fetched one by one. */
    [LOG_QUERY_OUTPUT] = "SELECT id, stream, offset, at_ms, part, bytes FROM output WHERE id IN"
                         " " OUTPUT_IDS " ORDER BY id",
    [LOG_QUERY_OUTPUT_SIZES] =
        "SELECT id, length(bytes) FROM output WHERE id IN " OUTPUT_IDS " ORDER BY id DESC",
    /* One stream backwards: the rest after the gap, the live tail, the head. */
    [LOG_QUERY_STREAM_END] = "SELECT offset, bytes FROM output WHERE run=? AND task=? AND step=?"
                             " AND attempt=? AND stream=? ORDER BY part DESC, idx DESC",
    [LOG_QUERY_ANSWER] = "SELECT applied_at_ms, done, answer FROM control WHERE id=?",
    /* The text prefix identifies the part (LOG_CAPTURE_CHANGES), so no JSON is parsed. */
    [LOG_QUERY_CAPTURE] = "SELECT json FROM capture WHERE run=?1 AND task=?2 AND step=?3"
                          " AND (?4=0 OR attempt=?4)"
                          " AND (substr(json,1,length(?5))=?5)=?6"
                          " ORDER BY attempt DESC, id DESC LIMIT 1",
    [LOG_QUERY_TOTALS] = LOG_TOTALS_SQL,
    [LOG_QUERY_SUM] = LOG_SUM_SQL,
    [LOG_QUERY_STATES] = LOG_STATES_SQL,
};
static_assert(ARRAY_LEN(query_sql) == LOG_QUERY_COUNT, "every query has its text");

static bool open_db(struct log_reader *reader, enum db_mode mode, struct err *err)
{
    struct err why = {0};
    bool ok = db_init(&reader->db, reader->place.db, mode, err) &&
              schema_check_read(&reader->db, &reader->newer, err);
    if (ok && db_prepare(&reader->db, query_sql, LOG_QUERY_COUNT, reader->queries, &why))
        return true;
    if (ok && (reader->newer == 0 || schema_check(&reader->db, err)))
        (void)err_set(err, why.code, "%s", why.message);
    db_finalize(reader->queries, LOG_QUERY_COUNT);
    db_done(&reader->db);
    return false;
}

static bool open_reader(struct log_reader *reader, struct err *err)
{
    struct err why = {0};
    if (open_db(reader, DB_READ, &why))
        return true;
    /* If SQLite cannot create files next to the log, it only reports that on the first read. */
    reader->still = why.code == ERR_IO && access(reader->place.dir, W_OK) != 0;
    if (reader->still && open_db(reader, DB_READ_STILL, err))
        return true;
    (void)err_set(err, why.code, "%s", why.message);
    if (why.code == ERR_DAMAGED && !why.hint[0])
        return db_hint_recover(reader->place.db, err);
    return err_hint(err, "%s", why.hint);
}

bool log_reader_open(struct log_reader **out, const struct place *place, struct err *err)
{
    struct stat info;
    /* Uses only stat(2): nobody but SQLite may open the file. */
    if (stat(place->db, &info) != 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return err_set(err, ERR_NOT_FOUND, "no log at '%s'", place->db);
        return err_set_errno(err, errno, "cannot access '%s'", place->db);
    }
    if (!S_ISREG(info.st_mode))
        return err_set(err, ERR_DAMAGED, "'%s' is not a file", place->db);

    struct log_reader *reader = xcalloc(1, sizeof(*reader));
    reader->place = *place;
    if (open_reader(reader, err)) {
        *out = reader;
        return true;
    }
    log_reader_close(reader);
    return false;
}

void log_reader_close(struct log_reader *reader)
{
    if (!reader)
        return;
    log_reader_close(reader->spill); /* a spill has no spill */
    db_finalize(reader->queries, LOG_QUERY_COUNT);
    db_done(&reader->db);
    free(reader);
}

const struct place *log_reader_place(const struct log_reader *reader)
{
    return &reader->place;
}

void log_run_info_done(struct log_run_info *info)
{
    if (!info)
        return;
    free(info->texts);
    free(info->plan_text);
    free(info->boot);
    *info = (struct log_run_info){0};
}

bool log_read_int(sqlite3_stmt *row, int at, int least, int most, int *out)
{
    int64_t value = db_column_or(row, at, least);
    if (value < least || value > most)
        return false;
    *out = (int)value;
    return true;
}

/* Reads a time, a duration (ms) or a count; NULL is 0. Returns false if the value is not in
 * 0..LOG_NUMBER_MAX, so that sums and differences of a few values cannot overflow. */
static bool log_read_number(sqlite3_stmt *row, int at, int64_t *out)
{
    *out = db_column_or(row, at, 0);
    return *out >= 0 && *out <= LOG_NUMBER_MAX;
}

int64_t log_read_nearest(sqlite3_stmt *row, int at)
{
    const int64_t value = db_column_or(row, at, 0);
    return value < 0 ? 0 : value > LOG_NUMBER_MAX ? LOG_NUMBER_MAX : value;
}

/* The log may be untrusted, and every screen cleans and draws these strings. A command can be as
 * long as the kernel allows. */
enum { RUN_TEXT_MAX = 4 * 1024 * 1024 };

/* Copies the strings into one block, except the boot, which follower.c replaces. */
static void take_texts(sqlite3_stmt *row, struct log_run_info *run)
{
    const char **const texts[] = {&run->uid, &run->name,    &run->kind,
                                  &run->dir, &run->command, &run->rules_hash};
    enum { FIRST_COLUMN = 1 };
    size_t lengths[ARRAY_LEN(texts)];
    size_t size = 0;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        *texts[i] = (const char *)sqlite3_column_text(row, FIRST_COLUMN + (int)i);
        lengths[i] = (size_t)sqlite3_column_bytes(row, FIRST_COLUMN + (int)i);
        size += lengths[i] + 1;
    }
    char *end = run->texts = xcheck(malloc(size));
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (lengths[i] > 0)
            memcpy(end, *texts[i], lengths[i]);
        end[lengths[i]] = '\0';
        *texts[i] = end;
        end += lengths[i] + 1;
    }
}

static bool take_run(struct log_reader *reader, sqlite3_stmt *row, struct log_run_info *out,
                     struct err *err)
{
    static const int texts[] = {1, 2, 3, 4, 5, 6, 21};
    struct log_run_info run = {.number = sqlite3_column_int64(row, 0),
                               .seed = (uint64_t)sqlite3_column_int64(row, 7),
                               .pid = sqlite3_column_int64(row, 10)};
    bool is_sound = true;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        is_sound = is_sound && sqlite3_column_bytes(row, texts[i]) <= RUN_TEXT_MAX;
    is_sound = is_sound && log_read_int(row, 8, 0, PLAN_JOBS_MAX, &run.jobs) &&
               log_read_int(row, 9, 0, PLAN_TASKS_MAX, &run.tasks) &&
               log_read_number(row, 11, &run.started_at_ms) &&
               log_read_number(row, 12, &run.ended_at_ms) &&
               log_read_int(row, 13, 0, INT_MAX, &run.exit_code) &&
               log_read_number(row, 14, &run.last_seq) &&
               log_read_number(row, 15, &run.last_at_ms) &&
               log_read_number(row, 16, &run.attempts) && log_read_number(row, 17, &run.passed) &&
               log_read_number(row, 18, &run.failed) && log_read_number(row, 19, &run.cancelled) &&
               log_read_number(row, 20, &run.waited_ms);
    if (!is_sound)
        return err_set(err, ERR_DAMAGED, "the row of run #%lld in the log is invalid",
                       (long long)run.number);
    take_texts(row, &run);
    run.boot = db_column_copy(row, 21);
    run.is_session = strcmp(run.kind, "agent") == 0;
    run.owner_alive =
        run.ended_at_ms == 0 && (run.is_session || log_read_has_owner(reader, run.uid));
    if (run.is_session)
        run.pid = 0; /* the pid of a hook that has exited */
    run.owner_stopped = run.owner_alive && !run.is_session && owner_is_stopped(run.pid);
    *out = run;
    return true;
}

bool log_reader_live(struct log_reader *reader, struct log_live *out, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_UNENDED];
    (void)sqlite3_bind_int64(query, 1, LOG_LIVE_LOOK_RUNS);
    (void)sqlite3_bind_int64(query, 2, LOG_LIVE_MAX);
    *out = (struct log_live){0};
    bool row = true;
    bool ok = true;
    while (ok && row) {
        ok = db_next(&reader->db, query, &row, err);
        const char *uid = ok && row ? (const char *)sqlite3_column_text(query, 1) : NULL;
        if (!uid || !log_read_has_owner(reader, uid))
            continue;
        out->count++;
        if (out->newest == 0)
            out->newest = sqlite3_column_int64(query, 0);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

static bool read_run_row(struct log_reader *reader, int64_t number, struct log_run_info *out,
                         struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_RUN];
    (void)sqlite3_bind_int64(query, 1, number);
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && !row && number == 0)
        ok = err_set(err, ERR_NOT_FOUND, "no run in this log yet");
    else if (ok && !row)
        ok = err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)number);
    ok = ok && take_run(reader, query, out, err);
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

/* Replaces the row with the row in the run's spill, if that is newer. */
static void prefer_spill(struct log_reader *reader, struct log_run_info *run)
{
    struct log_run_info newer = {0};
    struct log_reader *spill = log_read_spill(reader, run->number);
    if (!spill || !read_run_row(spill, run->number, &newer, NULL))
        return;
    bool is_same = newer.uid && run->uid && strcmp(newer.uid, run->uid) == 0;
    struct log_run_info other = newer;
    if (is_same && newer.last_seq >= run->last_seq) {
        other = *run;
        *run = newer;
    }
    log_run_info_done(&other);
}

bool log_reader_run_row(struct log_reader *reader, int64_t number, struct log_run_info *out,
                        struct err *err)
{
    struct log_run_info run = {0};
    struct log_live live = {0};
    if (number == 0 && !log_reader_live(reader, &live, err))
        return false;
    if (!read_run_row(reader, number != 0 ? number : live.newest, &run, err))
        return false;
    if (run.ended_at_ms == 0)
        prefer_spill(reader, &run);
    *out = run;
    return true;
}

static bool read_plan(struct log_reader *reader, int64_t run, char **out, struct err *err)
{
    /* The plan can be megabytes long: avoids the copy that reading a column makes. */
    sqlite3_blob *blob = NULL;
    char *text = NULL;
    if (sqlite3_blob_open(reader->db.handle, "main", "plan", "text", run, 0, &blob) == SQLITE_OK) {
        const int len = sqlite3_blob_bytes(blob);
        text = xcheck(malloc((size_t)len + 1));
        text[len] = '\0';
        const bool is_text =
            sqlite3_blob_read(blob, text, len, 0) == SQLITE_OK && strlen(text) == (size_t)len;
        if (!is_text) { /* the read failed, or the text has a different encoding */
            free(text);
            text = NULL;
        }
    }
    (void)sqlite3_blob_close(blob);
    *out = text;
    if (text)
        return true;

    sqlite3_stmt *query = reader->queries[LOG_QUERY_PLAN];
    (void)sqlite3_bind_int64(query, 1, run);
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && !row)
        ok = err_set(err, ERR_DAMAGED, "run #%lld has no plan in the log", (long long)run);
    if (ok)
        *out = db_column_copy(query, 0);
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

bool log_reader_run(struct log_reader *reader, int64_t number, struct log_run_info *out,
                    struct err *err)
{
    struct log_run_info info = {0};
    if (!log_reader_run_row(reader, number, &info, err))
        return false;
    if (!read_plan(reader, info.number, &info.plan_text, err)) {
        log_run_info_done(&info);
        return false;
    }
    *out = info;
    return true;
}

bool log_reader_runs(struct log_reader *reader, int64_t before, struct log_run_info *out,
                     size_t max, size_t *count_out, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_RUNS];
    size_t limit = max < LOG_PAGE_RUNS ? max : LOG_PAGE_RUNS;
    (void)sqlite3_bind_int64(query, 1, before > 0 ? before : INT64_MAX);
    (void)sqlite3_bind_int64(query, 2, (int64_t)limit);

    size_t count = 0;
    int64_t last = before > 0 ? before : INT64_MAX;
    bool row = limit > 0;
    bool ok = true;
    while (ok && row && count < limit) {
        ok = db_next(&reader->db, query, &row, err);
        if (ok && row) {
            ok = take_run(reader, query, &out[count], err);
            if (ok)
                count++;
            /* A damaged B-tree could return the same runs forever. */
            if (ok && out[count - 1].number >= last)
                ok = err_set(err, ERR_DAMAGED, "log: the runs are not in order");
            last = count > 0 ? out[count - 1].number : last;
        }
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    for (size_t i = 0; i < count; i++) {
        if (ok && out[i].ended_at_ms == 0)
            prefer_spill(reader, &out[i]);
        else if (!ok)
            log_run_info_done(&out[i]);
    }
    if (ok)
        *count_out = count;
    return ok;
}

bool log_reader_each_run(struct log_reader *reader, log_run_fn *look, void *ctx, struct err *err)
{
    struct log_run_info runs[LOG_PAGE_RUNS];
    int64_t before = 0;
    size_t count = 0;
    bool ok = true;
    do {
        ok = log_reader_runs(reader, before, runs, LOG_PAGE_RUNS, &count, err);
        for (size_t i = 0; i < count; i++) {
            before = runs[i].number;
            ok = ok && look(ctx, &runs[i], err);
            log_run_info_done(&runs[i]);
        }
    } while (ok && count == LOG_PAGE_RUNS);
    return ok;
}

/* Describing problems with the log. */

void log_trouble_words(const struct log_trouble *trouble, struct str *out)
{
    enum { MS_PER_S = 1000 };
    const long long busy_s = (long long)trouble->for_ms / MS_PER_S;
    char hms[CLOCK_TEXT_MAX];
    switch (trouble->kind) {
    case LOG_TROUBLE_NONE:
        break;
    case LOG_TROUBLE_SPILLED:
        str_addf(out,
                 "the log cannot be written since %s: %s. Runs continue, recorded in a spill log",
                 clock_hms(trouble->since_ms, hms), trouble->text);
        break;
    case LOG_TROUBLE_LEFT:
        str_addf(out, "the end of this run is in a spill log: devs gc --merge %s merges it",
                 trouble->text);
        break;
    case LOG_TROUBLE_CUT_OFF:
        str_add(out, "the log was deleted, moved or replaced: this is its last known content");
        break;
    case LOG_TROUBLE_NEWER:
        str_addf(out, "this log was written by devs %s (schema %d, latest known %d): read only",
                 trouble->text, trouble->schema, (int)SCHEMA_VERSION);
        break;
    case LOG_TROUBLE_STILL:
        str_add(out, "the log's folder is not writable: read only, actions are refused");
        break;
    case LOG_TROUBLE_BUSY:
        str_addf(out, "log busy for %lld s (another devs", busy_s);
        if (trouble->pid > 0)
            str_addf(out, ", pid %lld", (long long)trouble->pid);
        str_addf(out, "): shown data is %lld s old", busy_s);
        break;
    }
}

/* Reading pages of events, including runs with a spill. */

void event_page_done(struct event_page *page)
{
    if (!page)
        return;
    free(page->events);
    str_done(&page->texts);
    str_done(&page->fields);
    *page = (struct event_page){0};
}

/* Reads a time. Returns false if it is so large that calculations could overflow. */
static bool read_time(sqlite3_stmt *row, int at, int64_t *out)
{
    *out = sqlite3_column_int64(row, at);
    return *out >= 0 && *out <= LOG_NUMBER_MAX;
}

/* Adds the row with its data as text; the fields are read by read_page() once all rows of the page
 * have been added. */
static bool take_event(sqlite3_stmt *row, struct event_page *page, struct err *err)
{
    const char *kind = (const char *)sqlite3_column_text(row, 3);
    const char *data = (const char *)sqlite3_column_text(row, 9);
    struct event event = {
        .seq = sqlite3_column_int64(row, 0),
        .kind = event_row_kind(row, 3),
    };
    const bool is_sound =
        kind && strlen(kind) < EVENT_KIND_NAME_MAX && data &&
        sqlite3_column_bytes(row, 9) <= EVENT_DATA_MAX && read_time(row, 1, &event.at.at_ms) &&
        read_time(row, 2, &event.at.mono_ms) && log_read_int(row, 4, -1, INT_MAX, &event.task) &&
        log_read_int(row, 5, -1, INT_MAX, &event.step) &&
        log_read_int(row, 6, 0, INT_MAX, &event.round) &&
        log_read_int(row, 7, 0, INT_MAX, &event.grant) &&
        log_read_int(row, 8, 0, INT_MAX, &event.attempt);
    if (!is_sound)
        return err_set(err, ERR_DAMAGED, "event %lld in the log is invalid", (long long)event.seq);
    if (event.kind == EVENT_UNKNOWN)
        str_add_n(&page->texts, kind, strlen(kind) + 1);
    str_add_n(&page->texts, data, strlen(data) + 1);
    page->events = xgrow(page->events, &page->cap, page->count + 1, sizeof(*page->events));
    page->events[page->count++] = event;
    return true;
}

/* Reads the fields of the page's events. Strings move while the page grows, so this comes last. */
static void read_page(struct event_page *page)
{
    const char *at = str_text(&page->texts);
    str_clear(&page->fields);
    str_reserve(&page->fields, page->texts.len + 1);
    for (size_t i = 0; i < page->count; i++) {
        struct event *event = &page->events[i];
        if (event->kind == EVENT_UNKNOWN) {
            event->unknown.kind = at;
            at += strlen(at) + 1;
        }
        const size_t len = strlen(at);
        event->is_damaged = !event_read(event, at, len, &page->fields);
        at += len + 1;
    }
}

static void empty_page(struct event_page *page)
{
    page->count = 0;
    str_clear(&page->texts);
}

/* Appends the rows of a bound statement to the page. */
static bool add_events(struct log_reader *reader, sqlite3_stmt *query, struct event_page *page,
                       struct err *err)
{
    bool row = true;
    bool ok = true;
    while (ok && row) {
        ok = db_next(&reader->db, query, &row, err);
        if (ok && row)
            ok = take_event(query, page, err);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

static bool add_events_after(struct log_reader *reader, int64_t run, int64_t after,
                             struct event_page *page, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_EVENTS];
    (void)sqlite3_bind_int64(query, 1, run);
    (void)sqlite3_bind_int64(query, 2, after);
    (void)sqlite3_bind_int64(query, 3, LOG_PAGE_EVENTS - (int64_t)page->count);
    return add_events(reader, query, page, err);
}

/* Returns the events before a damaged database page; only the following ones are lost. */
bool log_reader_events(struct log_reader *reader, int64_t run, int64_t after,
                       struct event_page *page, struct err *err)
{
    struct err why = {0};
    empty_page(page);
    const bool ok = add_events_after(reader, run, after, page, &why);
    const int64_t last = page->count > 0 ? page->events[page->count - 1].seq : after;

    /* Events in the spill count only if they follow the last event directly. */
    if (page->count < LOG_PAGE_EVENTS) {
        const size_t count = page->count;
        const size_t texts_len = page->texts.len;
        struct log_reader *spill = log_read_spill(reader, run);
        const bool follows = spill && add_events_after(spill, run, last, page, NULL) &&
                             page->count > count && page->events[count].seq == last + 1;
        if (!follows) {
            page->count = count;
            str_cut(&page->texts, texts_len);
        }
    }
    read_page(page);
    return ok || page->count > 0 || err_set(err, why.code, "%s", why.message);
}

/* Reads a page with a query of the log and of the run's spill. `numbers` are the parameters of the
 * query before its limit; the first is the run. */
static bool read_both(struct log_reader *reader, enum log_query number, const int64_t *numbers,
                      int count, struct event_page *page, struct err *err)
{
    struct log_reader *const readers[] = {reader, log_read_spill(reader, numbers[0])};
    bool ok = true;
    empty_page(page);
    for (size_t i = 0; ok && i < ARRAY_LEN(readers) && readers[i]; i++) {
        sqlite3_stmt *query = readers[i]->queries[number];
        for (int n = 0; n < count; n++)
            (void)sqlite3_bind_int64(query, n + 1, numbers[n]);
        (void)sqlite3_bind_int64(query, count + 1, LOG_PAGE_EVENTS - (int64_t)page->count);
        ok = add_events(readers[i], query, page, err);
    }
    if (!ok)
        page->count = 0;
    read_page(page);
    return ok;
}

bool log_reader_attempt_events(struct log_reader *reader, const struct log_output_key *key,
                               struct event_page *page, struct err *err)
{
    const int64_t numbers[] = {key->run, key->task, key->step, key->attempt};
    return read_both(reader, LOG_QUERY_ATTEMPT_EVENTS, numbers, ARRAY_LEN(numbers), page, err);
}

bool log_reader_agent_events(struct log_reader *reader, int64_t run, int64_t after,
                             struct event_page *page, struct err *err)
{
    const int64_t numbers[] = {run, after};
    return read_both(reader, LOG_QUERY_AGENT_EVENTS, numbers, ARRAY_LEN(numbers), page, err);
}

struct cost_sum {
    struct log_reader *reader; /* borrowed */
    int64_t from_ms;
    struct event_page page; /* owned */
    int64_t micro;
};

/* The usage of an attempt; each report has its total. */
struct attempt_cost {
    int task, step, attempt;
    int64_t at_ms, micro;
};

static struct attempt_cost *find_cost(struct attempt_cost **items, size_t *count, size_t *cap,
                                      const struct event *event)
{
    for (size_t i = *count; i-- > 0;) {
        struct attempt_cost *item = &(*items)[i];
        if (item->task == event->task && item->step == event->step &&
            item->attempt == event->attempt)
            return item;
    }
    *items = xgrow(*items, cap, *count + 1, sizeof(**items));
    struct attempt_cost *item = &(*items)[(*count)++];
    *item =
        (struct attempt_cost){.task = event->task, .step = event->step, .attempt = event->attempt};
    return item;
}

static bool add_cost(void *ctx, const struct log_run_info *run, struct err *err)
{
    struct cost_sum *sum = ctx;
    struct event_page *page = &sum->page;
    struct attempt_cost *items = NULL;
    size_t count = 0;
    size_t cap = 0;
    int64_t after = 0;
    bool ok = true;
    if (run->last_at_ms < sum->from_ms)
        return true;
    do {
        ok = log_reader_agent_events(sum->reader, run->number, after, page, err);
        for (size_t i = 0; ok && i < page->count; i++) {
            const struct event *event = &page->events[i];
            after = event->seq;
            if (event->kind != EVENT_AGENT_USED)
                continue;
            struct attempt_cost *item = find_cost(&items, &count, &cap, event);
            item->at_ms = event->at.at_ms;
            item->micro = event->used.used.cost_micro;
        }
    } while (ok && page->count == LOG_PAGE_EVENTS);
    for (size_t i = 0; i < count; i++) {
        if (items[i].at_ms >= sum->from_ms && sum->micro < LOG_COST_MAX)
            sum->micro += items[i].micro < LOG_COST_MAX ? items[i].micro : LOG_COST_MAX;
    }
    free(items);
    return ok;
}

bool log_reader_cost_since(struct log_reader *reader, int64_t from_ms, int64_t *out,
                           struct err *err)
{
    struct cost_sum sum = {.reader = reader, .from_ms = from_ms};
    const bool ok = log_reader_each_run(reader, add_cost, &sum, err);
    event_page_done(&sum.page);
    *out = sum.micro < LOG_COST_MAX ? sum.micro : LOG_COST_MAX;
    return ok;
}

/* Summaries of runs that need no events. */

bool log_reader_totals(struct log_reader *reader, struct log_totals *out, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_TOTALS];
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && row)
        *out = (struct log_totals){.runs = log_read_nearest(query, 0),
                                   .attempts = log_read_nearest(query, 1)};
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

enum {
    AT_RUNNING,
    AT_FAILED,
    AT_PRINTS,
    AT_HI,
    AT_LO = 5,
    AT_CLASS = 7,
    AT_TYPE = 9,
    AT_REASON = 11,
    AT_END = 13,
    AT_RAN = AT_END
};

static bool take_sum(sqlite3_stmt *row, struct log_run_sum *out)
{
    struct log_run_sum sum = {.ran_ms = log_read_nearest(row, AT_RAN)};
    int class = 0;
    int type = 0;
    int reason = 0;
    bool ok = log_read_int(row, AT_RUNNING, 0, INT_MAX, &sum.running) &&
              log_read_int(row, AT_FAILED, 0, INT_MAX, &sum.own_failures) &&
              log_read_int(row, AT_CLASS, 0, VERDICT_CLASS_COUNT - 1, &class) &&
              log_read_int(row, AT_TYPE, 0, TRANSIENT_TYPE_COUNT - 1, &type) &&
              log_read_int(row, AT_REASON, 0, REASON_COUNT - 1, &reason);
    sum.alike = sum.own_failures > 0 &&
                sqlite3_column_int64(row, AT_PRINTS) == sqlite3_column_int64(row, AT_FAILED);
    for (int i = AT_HI; i < AT_END; i += 2) /* minimum and maximum are in adjacent columns */
        sum.alike = sum.alike && sqlite3_column_int64(row, i) == sqlite3_column_int64(row, i + 1);
    if (sum.alike) {
        sum.fault = (struct digest){.hi = (uint64_t)sqlite3_column_int64(row, AT_HI),
                                    .lo = (uint64_t)sqlite3_column_int64(row, AT_LO)};
        sum.class = (enum verdict_class) class;
        sum.type = (enum transient_type)type;
        sum.reason = (enum reason)reason;
    }
    if (ok)
        *out = sum;
    return ok;
}

bool log_reader_sum(struct log_reader *reader, int64_t run, struct log_run_sum *out,
                    struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_SUM];
    (void)sqlite3_bind_int64(query, 1, run);
    (void)sqlite3_bind_int(query, 2, TASK_RUNNING);
    int column = 3;
    for (enum task_status status = 0; status < TASK_STATUS_COUNT; status++) {
        if (task_status_is_failed(status))
            (void)sqlite3_bind_int(query, column++, (int)status);
    }
    assert(column == 6); /* the query has parameters for three states */
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && row && !take_sum(query, out))
        ok = err_set(err, ERR_DAMAGED, "the counts of run #%lld in the log are invalid",
                     (long long)run);
    (void)sqlite3_reset(query); /* repeats the step's error */
    if (!ok)
        return false;

    /* The number of tasks in each state. */
    query = reader->queries[LOG_QUERY_STATES];
    (void)sqlite3_bind_int64(query, 1, run);
    ok = db_next(&reader->db, query, &row, err);
    while (ok && row) {
        int status = 0;
        int count = 0;
        if (log_read_int(query, 0, 0, TASK_STATUS_COUNT - 1, &status) &&
            log_read_int(query, 1, 0, INT_MAX, &count))
            out->states[status] = count;
        ok = db_next(&reader->db, query, &row, err);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}
