#include <assert.h>
#include <stdio.h>

#include "clock.h"
#include "log_write.h"

/* Another program may have written the row: nothing in it is taken for granted. */
static bool read_control(sqlite3_stmt *row, struct control *out)
{
    int64_t verb = sqlite3_column_int64(row, 1);
    int64_t task = db_column_or(row, 2, -1);
    int64_t step = db_column_or(row, 3, -1);
    int64_t attempt = db_column_or(row, 4, 0);
    const char *by = (const char *)sqlite3_column_text(row, 6);
    *out =
        (struct control){.id = sqlite3_column_int64(row, 0), .key_at_ms = db_column_or(row, 7, 0)};
    bool sound = verb > 0 && verb < CONTROL_VERB_COUNT && task >= -1 && task < PLAN_TASKS_MAX &&
                 step >= -1 && step < PLAN_STEPS_MAX && attempt >= 0 && attempt < INT32_MAX;
    if (!sound)
        return false;
    out->verb = (enum control_verb)verb;
    out->task = (int)task;
    out->step = (int)step;
    out->attempt = (int)attempt;
    (void)snprintf(out->by, sizeof(out->by), "%s", by ? by : "");
    return control_args_parse((const char *)sqlite3_column_text(row, 5), out);
}

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
        if (read_control(open, &out[count]))
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
