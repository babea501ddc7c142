/* log_writer_resume.c - continues a run, and changes its owner. */
#include <assert.h>
#include <string.h>

#include "log_reader.h"
#include "log_write.h"
#include "owner.h"
#include "owner_state.h"
#include "spill.h"

/* The part of a run's row that the next owner needs. */
struct found_run {
    char uid[LOG_UID_MAX];
    char boot[LOG_UID_MAX];
    int64_t last_seq;
    int64_t pid, pid_start; /* process of the owner, dead or alive */
    bool has_ended;
    struct str rules; /* owned; empty if the log has none */
};

static bool find_run(struct log_writer *writer, int64_t number, struct found_run *out,
                     struct err *err)
{
    sqlite3_stmt *find = writer->statements[LOG_FIND_RUN];
    (void)sqlite3_bind_int64(find, 1, number);
    bool row = false;
    bool ok = db_next(&writer->db, find, &row, err);
    if (ok && !row)
        ok = err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)number);
    if (ok) {
        const char *rules = (const char *)sqlite3_column_text(find, 3);
        db_copy_text(find, 0, out->uid, LOG_UID_MAX);
        db_copy_text(find, 1, out->boot, LOG_UID_MAX);
        out->last_seq = sqlite3_column_int64(find, 2);
        out->pid = sqlite3_column_int64(find, 4);
        out->pid_start = sqlite3_column_int64(find, 5);
        out->has_ended = sqlite3_column_type(find, 6) != SQLITE_NULL;
        str_clear(&out->rules);
        str_add(&out->rules, rules ? rules : "");
    }
    (void)sqlite3_reset(find); /* repeats the step's error */
    return ok;
}

/* Merges the spill that the last owner left, if any. */
static bool bring_spill_home(struct log_writer *writer, int64_t number, const char *uid,
                             struct err *err)
{
    struct place spill;
    if (!spill_find(uid, &spill))
        return true;
    /* If the log was replaced, the lock next to the new one does not reveal an owner that writes to
     * the spill. */
    if (owner_is_alive(&spill, uid))
        return err_set(err, ERR_BUSY, "run #%lld continues in a spill log, '%s'", (long long)number,
                       spill.db);
    struct err why = {0};
    /* The spill is empty if its devs was killed while creating it. */
    if (!log_write_merge(writer, number, &spill, &why) && why.code != ERR_NOT_FOUND)
        return err_set(err, why.code, "%s", why.message);
    spill_remove(&spill);
    return true;
}

/* A run that was collected belongs to the log that recorded it: its processes and its folder are on
 * another machine. */
static bool check_origin(const struct log_writer *writer, int64_t number, struct err *err)
{
    static const char *const sql = "SELECT host FROM origin WHERE run=?";
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = db_prepare(&writer->db, &sql, 1, &query, err);
    if (ok)
        (void)sqlite3_bind_int64(query, 1, number);
    ok = ok && db_next(&writer->db, query, &row, err);
    if (ok && row) {
        const char *host = (const char *)sqlite3_column_text(query, 0);
        (void)err_set(err, ERR_INVALID, "run #%lld was collected from '%.200s'", (long long)number,
                      host ? host : "?");
        ok = err_hint(err, "it can only be continued and changed there");
    }
    db_finalize(&query, 1);
    return ok;
}

/* Makes the writer the owner of the run; log_writer_close() releases the lock. */
static bool take_over(struct log_writer *writer, int64_t number, struct found_run *run,
                      struct err *err)
{
    int owner_fd = -1;
    struct err why = {0};
    struct this_process self;
    if (!check_origin(writer, number, err) || !find_run(writer, number, run, err))
        return false;
    if (!owner_take(&writer->place, run->uid, &owner_fd, &why)) {
        if (why.code == ERR_BUSY)
            return err_set(err, ERR_BUSY,
                           "run #%lld belongs to another process: it continues there",
                           (long long)number);
        return err_set(err, why.code, "%s", why.message);
    }
    /* An owner may still be running although its lock file was moved away. */
    this_process_read(&self);
    if (run->pid != self.pid && strcmp(run->boot, self.boot) == 0 &&
        owner_process_holds(run->pid, run->pid_start, run->uid)) {
        owner_drop(&writer->place, run->uid, owner_fd);
        return err_set(err, ERR_BUSY, "run #%lld belongs to process %lld: it continues there",
                       (long long)number, (long long)run->pid);
    }
    /* Read the row again under the lock: the previous owner may have appended to the run. */
    if (!bring_spill_home(writer, number, run->uid, err) || !find_run(writer, number, run, err)) {
        owner_drop(&writer->place, run->uid, owner_fd);
        return false;
    }
    memcpy(writer->uid, run->uid, sizeof(writer->uid));
    writer->owner_fd = owner_fd;
    writer->run = number;
    return true;
}

static void give_back(struct log_writer *writer)
{
    owner_drop(&writer->place, writer->uid, writer->owner_fd);
    writer->owner_fd = -1;
    writer->uid[0] = '\0';
    writer->run = 0;
}

bool log_writer_resume(struct log_writer *writer, int64_t number, const struct run_state *state,
                       struct err *err)
{
    assert(writer->run == 0);
    struct found_run run = {0};
    bool ok = take_over(writer, number, &run, err);
    if (ok && run.last_seq != state->last_seq) {
        ok = err_set(err, ERR_BUSY, "run #%lld has been continued in the meantime",
                     (long long)number);
        give_back(writer);
    }
    if (ok)
        log_write_follow(writer, number, state);
    str_done(&run.rules);
    return ok;
}

/* Applies all events of the run. This process owns the run, so nobody else appends events. */
static bool fold_events(const struct log_writer *writer, const struct log_heir *heir,
                        struct err *err)
{
    struct log_reader *reader = NULL;
    if (!log_reader_open(&reader, &writer->place, err))
        return false;
    struct event_page page = {0};
    bool ok = true;
    do {
        ok = log_reader_events(reader, writer->run, heir->state->last_seq, &page, err);
        for (size_t i = 0; ok && i < page.count; i++) {
            ok = run_state_apply(heir->state, &page.events[i], err);
            if (ok && heir->each)
                heir->each(heir->ctx, &page.events[i]);
        }
    } while (ok && page.count > 0);
    event_page_done(&page);
    log_reader_close(reader);
    return ok;
}

static bool may_go_on(int64_t number, const struct log_heir *heir, struct err *err)
{
    const struct run_state *state = heir->state;
    if (state->ended != heir->has_ended)
        return err_set(err, ERR_INVALID, "run #%lld has %s in the meantime", (long long)number,
                       state->ended ? "ended" : "continued");
    if (state->unknown_events == 0)
        return true;
    (void)err_set(err, ERR_DAMAGED,
                  "run #%lld has %lld events from a newer devs: it cannot be continued",
                  (long long)number, (long long)state->unknown_events);
    return err_hint(err, "update devs");
}

bool log_writer_continue(struct log_writer *writer, int64_t number, const struct log_heir *heir,
                         struct log_estate *out, struct err *err)
{
    assert(writer->run == 0);
    assert(heir->state->last_seq == 0);
    struct found_run run = {0};
    bool ok = take_over(writer, number, &run, err);
    if (ok && !(fold_events(writer, heir, err) && may_go_on(number, heir, err))) {
        ok = false;
        give_back(writer);
    }
    if (ok) {
        struct this_process self;
        this_process_read(&self);
        out->rebooted = run.boot[0] == '\0' || strcmp(run.boot, self.boot) != 0;
        str_add_n(&out->rules, str_text(&run.rules), run.rules.len);
        log_write_follow(writer, number, heir->state);
        writer->new_owner = true;
    }
    str_done(&run.rules);
    return ok;
}

bool log_write_owner(struct log_writer *writer, struct err *err)
{
    if (!writer->new_owner)
        return true;
    static const char *const sql = "UPDATE run SET boot=?2, devs=?3, pid=?4, pid_start=?5"
                                   " WHERE id=?1";
    struct this_process self;
    this_process_read(&self);
    sqlite3_stmt *put = NULL;
    bool ok = db_prepare(&writer->db, &sql, 1, &put, err);
    if (ok) {
        (void)sqlite3_bind_int64(put, 1, writer->run);
        db_bind_text(put, 2, self.boot);
        db_bind_text(put, 3, DEVS_VERSION);
        (void)sqlite3_bind_int64(put, 4, self.pid);
        (void)sqlite3_bind_int64(put, 5, self.pid_start);
        ok = db_run(&writer->db, put, err);
    }
    db_finalize(&put, 1);
    return ok;
}
