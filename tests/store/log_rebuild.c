#include "log_rebuild.h"

#include "follower.h"
#include "log_write.h"

static bool forget_projections(struct log_writer *writer, struct err *err)
{
    static const char *const sql[] = {"DELETE FROM attempt WHERE run=?",
                                      "DELETE FROM task WHERE run=?"};
    sqlite3_stmt *statements[ARRAY_LEN(sql)] = {NULL};
    bool ok = db_prepare(&writer->db, sql, (int)ARRAY_LEN(sql), statements, err);
    for (size_t i = 0; ok && i < ARRAY_LEN(sql); i++) {
        (void)sqlite3_bind_int64(statements[i], 1, writer->run);
        ok = db_run(&writer->db, statements[i], err);
    }
    db_finalize(statements, (int)ARRAY_LEN(sql));
    return ok;
}

static bool make_again(struct log_writer *writer, struct err *err)
{
    bool ok = log_write_begin(writer, err) && forget_projections(writer, err) &&
              log_write_projections(writer, err) && log_write_end(writer, err);
    if (!ok)
        log_write_abort(writer);
    return ok;
}

static bool rebuild_from(struct follower *follower, const struct place *place, struct err *err)
{
    struct log_writer *writer = NULL;
    if (!follower_read(follower, 0, NULL, NULL, NULL, err) || !log_writer_open(&writer, place, err))
        return false;
    bool ok =
        log_writer_resume(writer, follower_run(follower)->number, follower_state(follower), err) &&
        make_again(writer, err);
    log_writer_close(writer);
    return ok;
}

bool log_rebuild(const struct place *place, int64_t run, struct err *err)
{
    struct follower *follower = NULL;
    if (!follower_open(&follower, place, run, err))
        return false;
    bool ok = rebuild_from(follower, place, err);
    follower_close(follower);
    return ok;
}
