#include "control_row.h"

#include <stdio.h>

#include "plan.h"

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
