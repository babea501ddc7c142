#include <stdlib.h>

#include "log_read.h"
#include "log_writer.h"
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

static bool take_row(sqlite3_stmt *query, struct output_page *page, struct err *err)
{
    int stream = 0;
    int64_t offset = sqlite3_column_int64(query, 2);
    /* In this order: asking for the bytes' pointer may change their length. */
    const char *bytes = sqlite3_column_blob(query, 5);
    size_t len = (size_t)sqlite3_column_bytes(query, 5);
    if (!log_read_int(query, 1, 1, 2, &stream) || offset < 0 || offset > INT64_MAX - (int64_t)len)
        return err_set(err, ERR_DAMAGED, "row %lld of the output in the log cannot be true",
                       (long long)sqlite3_column_int64(query, 0));
    page->rows = xgrow(page->rows, &page->cap, page->count + 1, sizeof(*page->rows));
    page->rows[page->count++] = (struct log_output_row){
        .id = sqlite3_column_int64(query, 0),
        .stream = stream,
        .offset = offset,
        .at_ms = sqlite3_column_int64(query, 3),
        .start = page->text.len,
        .len = len,
        .replaceable = sqlite3_column_int(query, 4) == LOG_OUTPUT_TAIL,
    };
    if (len > 0)
        str_add_n(&page->text, bytes, len);
    return true;
}

bool log_reader_output(struct log_reader *reader, const struct log_output_key *key, int64_t after,
                       struct output_page *page, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_OUTPUT];
    bind_key(query, key);
    (void)sqlite3_bind_int64(query, 5, after);

    page->count = 0;
    str_clear(&page->text);
    bool row = true;
    bool ok = true;
    while (ok && row && page->text.len < LOG_PAGE_BYTES) {
        ok = db_next(&reader->db, query, &row, err);
        if (ok && row)
            ok = take_row(query, page, err);
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    if (!ok)
        page->count = 0;
    return ok;
}

/* The id before the first of the last rows that hold this many bytes together. */
static bool find_tail(struct log_reader *reader, const struct log_output_key *key, size_t bytes,
                      int64_t *after, struct err *err)
{
    sqlite3_stmt *query = reader->queries[LOG_QUERY_OUTPUT_SIZES];
    bind_key(query, key);
    size_t found = 0;
    *after = 0;
    bool row = true;
    bool ok = true;
    while (ok && row && found < bytes) {
        ok = db_next(&reader->db, query, &row, err);
        if (ok && row) {
            *after = sqlite3_column_int64(query, 0) - 1;
            found += (size_t)sqlite3_column_int64(query, 1);
        }
    }
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

bool log_reader_output_tail(struct log_reader *reader, const struct log_output_key *key,
                            size_t bytes, struct output_page *page, struct err *err)
{
    int64_t after = 0;
    return find_tail(reader, key, bytes, &after, err) &&
           log_reader_output(reader, key, after, page, err);
}

bool log_reader_answer(struct log_reader *reader, int64_t control, bool *answered, bool *done,
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

/* The newest row of one part. */
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

bool log_reader_capture(struct log_reader *reader, const struct log_output_key *key,
                        struct str *out, struct err *err)
{
    return read_capture(reader, key, false, out, err);
}

bool log_reader_changes(struct log_reader *reader, const struct log_output_key *key,
                        struct str *out, struct err *err)
{
    return read_capture(reader, key, true, out, err);
}
