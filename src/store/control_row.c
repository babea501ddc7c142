#include "control_row.h"

#include <stdio.h>

#include "clock.h"
#include "plan.h"
#include "str.h"

bool control_row_read(sqlite3_stmt *row, struct control *out)
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

static void bind_row(sqlite3_stmt *insert, int64_t run, const struct control *control,
                     const char *args)
{
    (void)sqlite3_bind_int64(insert, 1, run);
    (void)sqlite3_bind_int(insert, 2, (int)control->verb);
    db_bind_unless(insert, 3, control->task, -1);
    db_bind_unless(insert, 4, control->step, -1);
    db_bind_unless(insert, 5, control->attempt, 0);
    db_bind_text(insert, 6, args);
    db_bind_text(insert, 7, control->by);
    db_bind_unless(insert, 8, control->key_at_ms, 0);
    (void)sqlite3_bind_int64(insert, 9, clock_now().at_ms);
}

bool control_row_insert(const struct db *db, sqlite3_stmt *insert, int64_t run,
                        const struct control *control, struct err *err)
{
    struct str args = {0};
    control_args(control, &args);
    bind_row(insert, run, control, args.data);
    bool ok = db_run(db, insert, err);
    if (ok && sqlite3_changes(db->handle) == 0)
        ok = err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)run);
    str_done(&args);
    return ok;
}
