/* log_writer_gain.c - what a task's attempts wrote, kept for telling news. */
#include <assert.h>

#include "log_write.h"

enum { GAIN_ROW_BYTES = 64 }; /* about what a row costs beside its bytes */

static bool drop_gain(struct log_writer *writer, int task, struct err *err)
{
    sqlite3_stmt *drop = writer->statements[LOG_DROP_GAIN];
    (void)sqlite3_bind_int64(drop, 1, writer->run);
    (void)sqlite3_bind_int(drop, 2, task);
    return db_run(&writer->db, drop, err);
}

static bool put_gain(struct log_writer *writer, const struct log_gain *gain, struct err *err)
{
    sqlite3_stmt *put = writer->statements[LOG_PUT_GAIN];
    (void)sqlite3_bind_int64(put, 1, writer->run);
    (void)sqlite3_bind_int(put, 2, gain->task);
    (void)sqlite3_bind_int(put, 3, gain->step);
    (void)sqlite3_bind_int(put, 4, gain->attempt);
    (void)sqlite3_bind_blob64(put, 5, gain->bytes, gain->len, SQLITE_STATIC);
    return db_run(&writer->db, put, err);
}

bool log_write_gains(struct log_writer *writer, const struct log_batch *batch, struct err *err)
{
    for (size_t i = 0; i < batch->gain_count; i++) {
        const struct log_gain *gain = &batch->gains[i];
        bool kept = gain->bytes && gain->len <= LOG_GAIN_BYTES_MAX;
        bool ok = kept ? put_gain(writer, gain, err) : drop_gain(writer, gain->task, err);
        if (!ok || !log_write_spend(writer, (kept ? gain->len : 0) + GAIN_ROW_BYTES, err))
            return false;
    }
    return true;
}

bool log_writer_load_gain(struct log_writer *writer, struct log_gain *gain, struct str *bytes,
                          struct err *err)
{
    assert(writer->run > 0);
    sqlite3_stmt *get = writer->statements[LOG_GET_GAIN];
    (void)sqlite3_bind_int64(get, 1, writer->run);
    (void)sqlite3_bind_int(get, 2, gain->task);
    bool row = false;
    bool ok = db_next(&writer->db, get, &row, err);
    if (ok && !row)
        ok = err_set(err, ERR_NOT_FOUND, "nothing is kept of task %d", gain->task);
    if (ok) {
        int len = sqlite3_column_bytes(get, 2);
        const char *from = sqlite3_column_blob(get, 2);
        gain->step = (int)db_column_or(get, 0, -1);
        gain->attempt = (int)db_column_or(get, 1, 0);
        if (from && len > 0)
            str_add_n(bytes, from, (size_t)len);
    }
    (void)sqlite3_reset(get);
    return ok;
}
