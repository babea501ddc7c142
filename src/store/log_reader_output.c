/* log_reader_output.c - reads output, answers and captures from the log and its spill. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "log_read.h"
#include "log_writer.h"
#include "owner.h"
#include "spill.h"
#include "xalloc.h"

void output_page_done(struct output_page *page)
{
    if (!page)
        return;
    free(page->rows);
    str_done(&page->text);
    *page = (struct output_page){0};
}

static void bind_key(sqlite3_stmt *query, const struct log_output_key *key)
{
    (void)sqlite3_bind_int64(query, 1, key->run);
    (void)sqlite3_bind_int(query, 2, key->task);
    (void)sqlite3_bind_int(query, 3, key->step);
    (void)sqlite3_bind_int(query, 4, key->attempt);
}

/* Binds the parameters of OUTPUT_IDS. */
static void bind_output(sqlite3_stmt *query, const struct log_output_key *key, int64_t after)
{
    bind_key(query, key);
    (void)sqlite3_bind_int64(query, 5, after);
    (void)sqlite3_bind_int(query, 6, key->readable);
}

static bool take_output_row(sqlite3_stmt *query, struct output_page *page, struct err *err)
{
    int stream = 0;
    int64_t offset = sqlite3_column_int64(query, 2);
    /* In this order, because getting the pointer may change the length. */
    const char *bytes = sqlite3_column_blob(query, 5);
    size_t len = (size_t)sqlite3_column_bytes(query, 5);
    if (!log_read_int(query, 1, LOG_STREAM_OUT, LOG_STREAM_COUNT, &stream) || offset < 0 ||
        offset > INT64_MAX - (int64_t)len)
        return err_set(err, ERR_DAMAGED, "row %lld of the output in the log is invalid",
                       (long long)sqlite3_column_int64(query, 0));
    page->rows = xgrow(page->rows, &page->cap, page->count + 1, sizeof(*page->rows));
    page->rows[page->count++] = (struct log_output_row){
        .id = sqlite3_column_int64(query, 0),
        .stream = stream,
        .offset = offset,
        .at_ms = log_read_nearest(query, 3),
        .start = page->text.len,
        .len = len,
        .replaceable = sqlite3_column_int(query, 4) == LOG_OUTPUT_TAIL,
    };
    if (len > 0)
        str_add_n(&page->text, bytes, len);
    return true;
}

static bool add_output(struct log_reader *reader, const struct log_output_key *key, int64_t after,
                       size_t bytes, struct output_page *page, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_OUTPUT];
    bind_output(query, key, after);
    bool row = true;
    bool ok = true;
    while (ok && row && page->text.len < bytes) {
        ok = db_next(&reader->db, query, &row, err);
        if (ok && row)
            ok = take_output_row(query, page, err);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

/* Reads the spill only if the log has no more rows, because rows in a spill have higher ids. */
bool log_reader_output_piece(struct log_reader *reader, const struct log_output_key *key,
                             int64_t after, size_t bytes, struct output_page *page, struct err *err)
{
    page->count = 0;
    str_clear(&page->text);
    bool ok = add_output(reader, key, after, bytes, page, err);
    struct log_reader *spill = ok && page->count == 0 ? log_read_spill(reader, key->run) : NULL;
    if (spill)
        ok = add_output(spill, key, after, bytes, page, err);
    if (!ok)
        page->count = 0;
    return ok;
}

bool log_reader_output(struct log_reader *reader, const struct log_output_key *key, int64_t after,
                       struct output_page *page, struct err *err)
{
    return log_reader_output_piece(reader, key, after, LOG_PAGE_BYTES, page, err);
}

/* Finds the last rows that together have *bytes bytes, and sets *after to the id before their first
 * one. Sets *bytes to the number of bytes that are still missing. */
static bool find_tail(struct log_reader *reader, const struct log_output_key *key, size_t *bytes,
                      int64_t *after, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_OUTPUT_SIZES];
    bind_output(query, key, 0);
    *after = INT64_MAX;
    bool row = true;
    bool ok = true;
    while (ok && row && *bytes > 0) {
        ok = db_next(&reader->db, query, &row, err);
        if (!ok || !row)
            break;
        size_t len = (size_t)sqlite3_column_int64(query, 1);
        *after = sqlite3_column_int64(query, 0) - 1;
        *bytes -= len < *bytes ? len : *bytes;
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

bool log_reader_output_tail(struct log_reader *reader, const struct log_output_key *key,
                            size_t bytes, struct output_page *page, struct err *err)
{
    struct log_reader *const readers[] = {reader, log_read_spill(reader, key->run)};
    int64_t after[ARRAY_LEN(readers)] = {INT64_MAX, INT64_MAX};
    bool ok = true;
    for (size_t i = ARRAY_LEN(readers); ok && i-- > 0;) {
        if (readers[i])
            ok = find_tail(readers[i], key, &bytes, &after[i], err);
    }
    page->count = 0;
    str_clear(&page->text);
    for (size_t i = 0; ok && i < ARRAY_LEN(readers); i++) {
        if (readers[i])
            ok = add_output(readers[i], key, after[i], LOG_PAGE_BYTES, page, err);
    }
    if (!ok)
        page->count = 0;
    return ok;
}

static bool read_answer(struct log_reader *reader, int64_t control, bool *answered, bool *done,
                        struct str *answer, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_ANSWER];
    (void)sqlite3_bind_int64(query, 1, control);
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && !row)
        ok = err_set(err, ERR_NOT_FOUND, "no control %lld in this log", (long long)control);
    if (ok) {
        const char *text = (const char *)sqlite3_column_text(query, 2);
        *answered = sqlite3_column_type(query, 0) != SQLITE_NULL;
        *done = *answered && sqlite3_column_int(query, 1) != 0;
        str_add(answer, text ? text : "");
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

/* Reads the answer from the spill only if the spill is already open: a caller that waits for an
 * answer follows the run. */
bool log_reader_answer(struct log_reader *reader, int64_t control, bool *answered, bool *done,
                       struct str *answer, struct err *err)
{
    struct log_reader *spill = log_read_spill(reader, reader->spill_run);
    bool in_spill = false;
    if (spill && read_answer(spill, control, &in_spill, done, answer, NULL)) {
        *answered = in_spill;
        return true;
    }
    return read_answer(reader, control, answered, done, answer, err);
}

/* Reads the newest row of one part. */
static bool read_capture(struct log_reader *reader, const struct log_output_key *key, bool changes,
                         struct str *out, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_CAPTURE];
    bind_key(query, key);
    db_bind_text(query, 5, LOG_CAPTURE_CHANGES);
    (void)sqlite3_bind_int(query, 6, changes);
    bool row = false;
    bool ok = db_next(&reader->db, query, &row, err);
    if (ok && row) {
        const char *text = (const char *)sqlite3_column_text(query, 0);
        str_add(out, text ? text : "");
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

static bool find_capture(struct log_reader *reader, const struct log_output_key *key, bool changes,
                         struct str *out, struct err *err)
{
    struct log_reader *spill = log_read_spill(reader, key->run);
    const size_t len = out->len;
    if (spill && !read_capture(spill, key, changes, out, err))
        return false;
    return out->len > len || read_capture(reader, key, changes, out, err);
}

bool log_reader_capture(struct log_reader *reader, const struct log_output_key *key,
                        struct str *out, struct err *err)
{
    return find_capture(reader, key, false, out, err);
}

bool log_reader_changes(struct log_reader *reader, const struct log_output_key *key,
                        struct str *out, struct err *err)
{
    return find_capture(reader, key, true, out, err);
}

/* Finding the spill of the run that is read. */

static const char uid_sql[] = "SELECT uid FROM run WHERE id=?";

/* Reads the run's uid once, since it never changes. */
static bool know_uid(struct log_reader *reader, int64_t run)
{
    if (run > 0 && reader->spill_run == run)
        return true;
    const char *sql = uid_sql;
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = run > 0 && db_prepare(&reader->db, &sql, 1, &query, NULL);
    if (ok) {
        (void)sqlite3_bind_int64(query, 1, run);
        ok = db_next(&reader->db, query, &row, NULL) && row;
    }
    const char *uid = ok ? (const char *)sqlite3_column_text(query, 0) : NULL;
    ok = uid && strlen(uid) < sizeof(reader->spill_uid);
    if (ok) {
        memcpy(reader->spill_uid, uid, strlen(uid) + 1);
        reader->spill_run = run;
    }
    db_finalize(&query, 1);
    return ok;
}

struct log_reader *log_read_spill(struct log_reader *reader, int64_t run)
{
    struct place place;
    struct stat info;
    if (reader->is_spill)
        return NULL;
    const int64_t before = reader->spill_run;
    bool is_there = know_uid(reader, run) && spill_find(reader->spill_uid, &place) &&
                    stat(place.db, &info) == 0 && strcmp(place.db, reader->place.db) != 0;
    bool is_open =
        reader->spill && is_there && before == run && reader->spill_inode == (uint64_t)info.st_ino;
    if (is_open)
        return reader->spill;
    log_reader_close(reader->spill);
    reader->spill = NULL;
    struct log_reader *spill = NULL;
    if (is_there && log_reader_open(&spill, &place, NULL)) {
        spill->is_spill = true;
        reader->spill = spill;
        reader->spill_inode = (uint64_t)info.st_ino;
    } /* otherwise, if it is being created or merged, the next call tries again */
    return reader->spill;
}

bool log_read_has_owner(const struct log_reader *reader, const char *uid)
{
    struct place spill;
    return owner_is_alive(&reader->place, uid) ||
           (!reader->is_spill && spill_find(uid, &spill) && owner_is_alive(&spill, uid));
}

void log_reader_trouble(struct log_reader *reader, int64_t run, struct log_trouble *out)
{
    const struct log_reader *spill = run > 0 ? log_read_spill(reader, run) : NULL;
    struct spill_info info;
    const char *text = "";
    sqlite3_stmt *query = NULL;
    *out = (struct log_trouble){0};
    if (spill && spill_read_info(&spill->place, &info, NULL)) {
        const bool lives = log_read_has_owner(reader, info.uid);
        out->kind = lives ? LOG_TROUBLE_SPILLED : LOG_TROUBLE_LEFT;
        out->since_ms = info.reason.since_ms;
        text = lives ? info.reason.why : info.place.db;
    } else if (!db_is_in_place(&reader->db)) {
        out->kind = LOG_TROUBLE_CUT_OFF;
    } else if (reader->newer != 0) {
        const char *sql = "SELECT devs FROM run ORDER BY id DESC LIMIT 1";
        bool row = false;
        const bool ok = db_prepare(&reader->db, &sql, 1, &query, NULL) &&
                        db_next(&reader->db, query, &row, NULL) && row;
        const char *version = ok ? (const char *)sqlite3_column_text(query, 0) : NULL;
        out->kind = LOG_TROUBLE_NEWER;
        out->schema = reader->newer;
        text = version ? version : "?";
    } else if (reader->still) {
        out->kind = LOG_TROUBLE_STILL;
    }
    (void)snprintf(out->text, sizeof(out->text), "%.*s", LOG_TROUBLE_TEXT_MAX - 1, text);
    db_finalize(&query, 1);
}
