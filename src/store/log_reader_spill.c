/* log_reader_spill.c - the spill of a run that is read, where there is one. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "log_read.h"
#include "owner.h"
#include "spill.h"

static const char uid_sql[] = "SELECT uid FROM run WHERE id=?";

/* A run's uid does not change, so it is asked for once. */
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

static void close_spill(struct log_reader *reader)
{
    log_reader_close(reader->spill);
    reader->spill = NULL;
}

static void open_spill(struct log_reader *reader, const struct place *place, uint64_t inode)
{
    struct log_reader *spill = NULL;
    if (!log_reader_open(&spill, place, NULL))
        return; /* it is being made, or taken home: looked at again */
    spill->is_spill = true;
    reader->spill = spill;
    reader->spill_inode = inode;
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
    if (!is_open) {
        close_spill(reader);
        if (is_there)
            open_spill(reader, &place, (uint64_t)info.st_ino);
    }
    return reader->spill;
}

bool log_read_has_owner(const struct log_reader *reader, const char *uid)
{
    struct place spill;
    return owner_is_alive(&reader->place, uid) ||
           (!reader->is_spill && spill_find(uid, &spill) && owner_is_alive(&spill, uid));
}

static bool say_spill(struct log_reader *reader, int64_t run, struct log_trouble *out)
{
    const struct log_reader *spill = log_read_spill(reader, run);
    struct spill_info info;
    if (!spill || !spill_read_info(&spill->place, &info, NULL))
        return false;
    bool lives = log_read_has_owner(reader, info.uid);
    out->kind = lives ? LOG_TROUBLE_SPILLED : LOG_TROUBLE_LEFT;
    out->since_ms = info.reason.since_ms;
    const char *text = lives ? info.reason.why : info.place.db;
    (void)snprintf(out->text, sizeof(out->text), "%.*s", LOG_TROUBLE_TEXT_MAX - 1, text);
    return true;
}

static void say_newer(struct log_reader *reader, struct log_trouble *out)
{
    const char *sql = "SELECT devs FROM run ORDER BY id DESC LIMIT 1";
    sqlite3_stmt *query = NULL;
    bool row = false;
    out->kind = LOG_TROUBLE_NEWER;
    out->schema = reader->newer;
    bool ok = db_prepare(&reader->db, &sql, 1, &query, NULL) &&
              db_next(&reader->db, query, &row, NULL) && row;
    const char *version = ok ? (const char *)sqlite3_column_text(query, 0) : NULL;
    (void)snprintf(out->text, sizeof(out->text), "%.*s", LOG_TROUBLE_TEXT_MAX - 1,
                   version ? version : "?");
    db_finalize(&query, 1);
}

void log_reader_trouble(struct log_reader *reader, int64_t run, struct log_trouble *out)
{
    *out = (struct log_trouble){0};
    if (run > 0 && say_spill(reader, run, out))
        return;
    if (!db_is_in_place(&reader->db))
        out->kind = LOG_TROUBLE_CUT_OFF;
    else if (reader->newer != 0)
        say_newer(reader, out);
    else if (reader->still)
        out->kind = LOG_TROUBLE_STILL;
}
