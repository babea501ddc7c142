/* bundle_output.c - a bundle's output: what attempts wrote, cut of secrets. */
#include "bundle_parts.h"

#include <stdlib.h>
#include <string.h>

#include "xalloc.h"

/* In the order of the index, so that what follows each other in a stream is read so. */
static const char select_sql[] =
    "SELECT task, step, attempt, stream, part, idx, offset, at_ms, bytes FROM output WHERE run=?1"
    " ORDER BY run, task, step, attempt, stream, part, idx";
static const char insert_sql[] =
    "INSERT INTO output(run, task, step, attempt, stream, part, idx, offset, at_ms, bytes)"
    " VALUES(?,?,?,?,?,?,?,?,?,?)";

enum { KEY_COLUMNS = 4 /* whose stream it is */, OFFSET_COLUMN = 6, BYTES_COLUMN = 8 };

/* A row of output without its bytes. */
struct piece {
    int64_t part, index, at_ms;
    int64_t offset; /* once it is known */
    size_t len;
};

/* Rows of one stream that follow each other: a secret may go from one into the next. */
struct segment {
    sqlite3_stmt *to; /* borrowed; what puts a row into the bundle */
    int64_t key[KEY_COLUMNS];
    int64_t offset;
    struct str bytes;     /* owned */
    struct piece *pieces; /* owned */
    size_t count, cap;
};

static bool put_piece(const struct bundle *bundle, const struct segment *segment,
                      const struct piece *piece, const char *bytes, struct err *err)
{
    sqlite3_stmt *to = segment->to;
    (void)sqlite3_bind_int64(to, 1, bundle->run);
    for (int i = 0; i < KEY_COLUMNS; i++)
        (void)sqlite3_bind_int64(to, i + 2, segment->key[i]);
    (void)sqlite3_bind_int64(to, 6, piece->part);
    (void)sqlite3_bind_int64(to, 7, piece->index);
    (void)sqlite3_bind_int64(to, 8, piece->offset);
    (void)sqlite3_bind_int64(to, 9, piece->at_ms);
    (void)sqlite3_bind_blob64(to, 10, piece->len > 0 ? bytes : "", piece->len, SQLITE_STATIC);
    return db_run(&bundle->to, to, err);
}

/* The rows get the bytes that are left, each as many as it had, the last one what remains. */
static bool put_segment(struct bundle *bundle, const struct segment *segment, struct err *err)
{
    struct str cut = {0};
    size_t at = 0;
    bool ok = true;
    redact_text(bundle->redactor, str_text(&segment->bytes), segment->bytes.len, &cut,
                &bundle->counts);
    for (size_t i = 0; ok && i < segment->count; i++) {
        struct piece piece = segment->pieces[i];
        bool is_last = i + 1 == segment->count;
        if (is_last || piece.len > cut.len - at)
            piece.len = cut.len - at;
        piece.offset = segment->offset + (int64_t)at;
        ok = put_piece(bundle, segment, &piece, str_text(&cut) + at, err);
        at += piece.len;
    }
    bundle->contents.output_bytes += (int64_t)cut.len;
    str_done(&cut);
    return ok;
}

static bool goes_on(const struct segment *segment, sqlite3_stmt *from)
{
    for (int i = 0; i < KEY_COLUMNS; i++) {
        if (segment->key[i] != sqlite3_column_int64(from, i))
            return false;
    }
    return segment->count > 0 && segment->bytes.len < BUNDLE_SEGMENT_MAX &&
           sqlite3_column_int64(from, OFFSET_COLUMN) ==
               segment->offset + (int64_t)segment->bytes.len;
}

static void take_row(struct segment *segment, sqlite3_stmt *from)
{
    const char *bytes = sqlite3_column_blob(from, BYTES_COLUMN);
    size_t len = (size_t)sqlite3_column_bytes(from, BYTES_COLUMN);
    if (segment->count == 0) {
        for (int i = 0; i < KEY_COLUMNS; i++)
            segment->key[i] = sqlite3_column_int64(from, i);
        segment->offset = sqlite3_column_int64(from, OFFSET_COLUMN);
    }
    segment->pieces =
        xgrow(segment->pieces, &segment->cap, segment->count + 1, sizeof(struct piece));
    segment->pieces[segment->count++] = (struct piece){.part = sqlite3_column_int64(from, 4),
                                                       .index = sqlite3_column_int64(from, 5),
                                                       .at_ms = sqlite3_column_int64(from, 7),
                                                       .len = len};
    if (len > 0)
        str_add_n(&segment->bytes, bytes, len);
}

static bool copy_rows(struct bundle *bundle, sqlite3_stmt *from, sqlite3_stmt *to, struct err *err)
{
    struct segment segment = {.to = to};
    bool row = true;
    bool ok = true;
    while (ok && row) {
        ok = db_next(&bundle->from, from, &row, err);
        bool is_over = ok && segment.count > 0 && (!row || !goes_on(&segment, from));
        if (is_over) {
            ok = put_segment(bundle, &segment, err) && bundle_tell(bundle, err);
            segment.count = 0;
            str_clear(&segment.bytes);
        }
        if (ok && row)
            take_row(&segment, from);
    }
    str_done(&segment.bytes);
    free(segment.pieces);
    return ok;
}

bool bundle_copy_output(struct bundle *bundle, struct err *err)
{
    const char *const selects = select_sql;
    const char *const inserts = insert_sql;
    sqlite3_stmt *from = NULL;
    sqlite3_stmt *to = NULL;
    bool ok = db_prepare(&bundle->from, &selects, 1, &from, err) &&
              db_prepare(&bundle->to, &inserts, 1, &to, err);
    if (ok)
        (void)sqlite3_bind_int64(from, 1, bundle->run);
    ok = ok && copy_rows(bundle, from, to, err);
    db_finalize(&from, 1);
    db_finalize(&to, 1);
    return ok;
}
