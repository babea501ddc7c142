/* log_writer_control.c - controls that wait for the owner of a run, and their answers. */
#include <assert.h>

#include "clock.h"
#include "control_row.h"
#include "log_write.h"

bool log_writer_refuse(struct log_writer *writer, int64_t control, const char *answer,
                       struct err *err)
{
    sqlite3_stmt *put = writer->statements[LOG_ANSWER];
    bool ok = log_write_begin(writer, err);
    if (ok) {
        (void)sqlite3_bind_int64(put, 1, control);
        (void)sqlite3_bind_int64(put, 2, writer->run);
        (void)sqlite3_bind_int64(put, 3, clock_now().at_ms);
        (void)sqlite3_bind_int64(put, 4, 0);
        db_bind_text(put, 5, answer);
        ok = db_run(&writer->db, put, err) && log_write_end(writer, err);
    }
    if (!ok)
        log_write_abort(writer);
    bell_ring(&writer->bell);
    return ok;
}

bool log_writer_controls(struct log_writer *writer, struct control *out, size_t max,
                         size_t *count_out, struct err *err)
{
    assert(writer->run > 0);
    sqlite3_stmt *open = writer->statements[LOG_OPEN_CONTROLS];
    (void)sqlite3_bind_int64(open, 1, writer->run);
    (void)sqlite3_bind_int64(open, 2, (int64_t)max);

    size_t count = 0;
    int64_t unsound = 0; /* one is enough: the next call finds the next */
    bool row = false;
    bool ok = db_next(&writer->db, open, &row, err);
    while (ok && row && count < max) {
        if (control_row_read(open, &out[count]))
            count++;
        else
            unsound = out[count].id;
        ok = db_next(&writer->db, open, &row, err);
    }
    (void)sqlite3_reset(open); /* repeats the step's error */
    if (ok && unsound != 0)
        ok = log_writer_refuse(writer, unsound, "this act is not understood", err);
    if (ok)
        *count_out = count;
    return ok;
}

bool log_writer_ask(struct log_writer *writer, const struct control *control, struct err *err)
{
    assert(writer->run > 0);
    const bool ok =
        log_write_begin(writer, err) &&
        control_row_insert(&writer->db, writer->statements[LOG_ASK], writer->run, control, err) &&
        log_write_end(writer, err);
    if (!ok)
        log_write_abort(writer);
    return ok;
}
