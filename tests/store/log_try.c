#include "log_try.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "must.h"

void other_program_open(struct db *db, const struct place *place, enum db_mode mode)
{
    must(db_init(db, place->db, mode, &err));
    ck_assert_int_eq(sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 1, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 1, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1, NULL),
                     SQLITE_OK);
}

int64_t log_number(const struct place *place, const char *sql)
{
    struct db db;
    int64_t number = -1;
    other_program_open(&db, place, DB_READ);
    must(db_number(&db, sql, &number, &err));
    db_done(&db);
    return number;
}

void log_change(const struct place *place, const char *sql)
{
    struct db db;
    other_program_open(&db, place, DB_WRITE);
    must(db_exec(&db, sql, &err));
    db_done(&db);
}

struct log_reader *log_reader_of(const struct place *place)
{
    struct log_reader *reader = NULL;
    must(log_reader_open(&reader, place, &err));
    return reader;
}

struct follower *log_follow(const struct place *place, int64_t run)
{
    struct follower *follower = NULL;
    must(follower_open(&follower, place, run, &err));
    must(follower_read(follower, 0, NULL, NULL, NULL, &err));
    return follower;
}

void log_check_fold(const struct place *place, int64_t run, uint64_t digest)
{
    struct follower *follower = log_follow(place, run);
    ck_assert_uint_eq(run_state_digest(follower_state(follower)), digest);
    follower_close(follower);
}

void log_commit(struct log_writer *writer, const struct log_batch *batch)
{
    /* A checkpoint keeps the lock while it syncs. On a disk that is slower than TURNS_WAIT_MS_MAX,
     * the engine would spill; here, the batch is repeated. */
    enum { TRIES = 20 };
    struct err failed = {.code = ERR_BUSY};
    for (int i = 0; failed.code == ERR_BUSY && i < TRIES; i++) {
        if (log_writer_commit(writer, batch, LOG_SYNC_NORMAL, &failed))
            return;
    }
    ck_abort_msg("log_writer_commit(): %s", failed.message);
}

void log_commit_notes(struct log_writer *writer, int64_t seq, size_t count)
{
    struct event *events = sample_notes(seq, count);
    log_commit(writer, &(struct log_batch){.events = events, .event_count = count});
    free(events);
}

void log_commit_output(struct log_writer *writer, struct log_output output)
{
    if (output.bytes && output.len == 0)
        output.len = strlen(output.bytes);
    log_commit(writer, &(struct log_batch){.outputs = &output, .output_count = 1});
}

void check_mode(const char *path, mode_t mode)
{
    struct stat info;
    ck_assert_msg(lstat(path, &info) == 0, "no %s", path);
    ck_assert_msg((info.st_mode & 07777) == mode, "%s: %o", path, (unsigned)info.st_mode);
}

void check_exit(pid_t pid)
{
    int status = -1;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_int_eq(status, 0);
}

void sample_close_log(struct sample *sample)
{
    log_writer_close(sample->writer);
    sample->writer = NULL;
}
