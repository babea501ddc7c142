/*
 * bundle.c - copies one run into a new log file, with its secrets redacted again.
 *
 * A secret can cross from one row of output to the next, so contiguous rows of a stream are joined,
 * redacted as one text and divided again. The text columns of the other tables are redacted one by
 * one. At the end the bundle leaves WAL mode, which would create files next to it wherever it is
 * read.
 */
#define _GNU_SOURCE /* renameat2 */

#include "bundle.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "db.h"
#include "event.h"
#include "event_row.h"
#include "follower.h"
#include "json.h"
#include "private_file.h"
#include "spill.h"
#include "xalloc.h"

struct bundle {
    int64_t run;
    struct place temp; /* the file being built */
    bool made;         /* `temp` was created and must be deleted */
    char file[PATH_MAX];
    struct db from, to;               /* owned; the log, in one transaction, and the bundle */
    const struct redactor *redactor;  /* borrowed; NULL = none */
    struct redact_counts counts;      /* owned; secrets cut by the second redaction */
    const struct bundle_asked *asked; /* borrowed while the bundle is built */
    int64_t last_seq;                 /* last event of the run */
    struct bundle_contents contents;
};

static struct bundle_cut *cut_of(struct bundle_contents *contents, const char *name)
{
    for (int i = 0; i < contents->cut_count; i++) {
        if (strcmp(contents->cuts[i].name, name) == 0)
            return &contents->cuts[i];
    }
    if (contents->cut_count == BUNDLE_CUTS_MAX)
        return &contents->other_cuts;
    struct bundle_cut *cut = &contents->cuts[contents->cut_count++];
    (void)snprintf(cut->name, sizeof(cut->name), "%s", name);
    return cut;
}

/* Reports progress. Returns false if the caller wants to abort. */
static bool report_progress(const struct bundle *bundle, struct err *err)
{
    const struct bundle_asked *asked = bundle->asked;
    return !asked->tell || asked->tell(asked->ctx, bundle->contents.events, bundle->last_seq, err);
}

/* Adds up the redactions that an event reports. */
static void count_recorded_cuts(struct bundle *bundle, const char *text)
{
    struct json *json = NULL;
    void *iter = NULL;
    const char *name;
    const struct json *count;
    if (!text || !json_parse_data(text, strlen(text), &json, NULL, NULL))
        return;
    while (json_next(json_get(json, "names"), &iter, &name, &count))
        cut_of(&bundle->contents, name)->recorded += json_i64(count, 0);
    json_free(json);
}

/* Copying the output of attempts, with secrets redacted. */

/* In index order, so that contiguous rows of a stream are read one after the other. */
static const char select_sql[] =
    "SELECT task, step, attempt, stream, part, idx, offset, at_ms, bytes FROM output WHERE run=?1"
    " ORDER BY run, task, step, attempt, stream, part, idx";
static const char insert_sql[] =
    "INSERT INTO output(run, task, step, attempt, stream, part, idx, offset, at_ms, bytes)"
    " VALUES(?,?,?,?,?,?,?,?,?,?)";

enum { KEY_COLUMNS = 4 /* the stream's key */, OFFSET_COLUMN = 6, BYTES_COLUMN = 8 };

/* An output row without its bytes. */
struct piece {
    int64_t part, index, at_ms;
    size_t len;
};

/* Contiguous rows of one stream, joined because a secret may cross from one row to the next. */
struct segment {
    int64_t key[KEY_COLUMNS];
    int64_t offset;
    struct str bytes;     /* owned */
    struct piece *pieces; /* owned */
    size_t count, cap;
};

/* Distributes the redacted bytes over the rows: each row gets as many bytes as it had, the last row
 * the rest. */
static bool put_segment(struct bundle *bundle, const struct segment *segment, sqlite3_stmt *to,
                        struct err *err)
{
    struct str cut = {0};
    size_t at = 0;
    bool ok = true;
    redact_text(bundle->redactor, str_text(&segment->bytes), segment->bytes.len, &cut,
                &bundle->counts);
    for (size_t i = 0; ok && i < segment->count; i++) {
        const struct piece *piece = &segment->pieces[i];
        const bool is_last = i + 1 == segment->count;
        const size_t left = cut.len - at;
        const size_t len = is_last || piece->len > left ? left : piece->len;
        (void)sqlite3_bind_int64(to, 1, bundle->run);
        for (int column = 0; column < KEY_COLUMNS; column++)
            (void)sqlite3_bind_int64(to, column + 2, segment->key[column]);
        (void)sqlite3_bind_int64(to, 6, piece->part);
        (void)sqlite3_bind_int64(to, 7, piece->index);
        (void)sqlite3_bind_int64(to, 8, segment->offset + (int64_t)at);
        (void)sqlite3_bind_int64(to, 9, piece->at_ms);
        (void)sqlite3_bind_blob64(to, 10, len > 0 ? str_text(&cut) + at : "", len, SQLITE_STATIC);
        ok = db_run(&bundle->to, to, err);
        at += len;
    }
    bundle->contents.output_bytes += (int64_t)cut.len;
    str_done(&cut);
    return ok;
}

/* Returns true if the row follows the segment directly and still fits. */
static bool continues_segment(const struct segment *segment, sqlite3_stmt *from)
{
    for (int i = 0; i < KEY_COLUMNS; i++) {
        if (segment->key[i] != sqlite3_column_int64(from, i))
            return false;
    }
    return segment->count > 0 && segment->bytes.len < BUNDLE_SEGMENT_MAX &&
           sqlite3_column_int64(from, OFFSET_COLUMN) ==
               segment->offset + (int64_t)segment->bytes.len;
}

static void add_piece(struct segment *segment, sqlite3_stmt *from)
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

/* Copies the output; contiguous rows stay contiguous. */
static bool copy_output(struct bundle *bundle, struct err *err)
{
    const char *const selects = select_sql;
    const char *const inserts = insert_sql;
    sqlite3_stmt *from = NULL;
    sqlite3_stmt *to = NULL;
    struct segment segment = {0};
    bool row = true;
    bool ok = db_prepare(&bundle->from, &selects, 1, &from, err) &&
              db_prepare(&bundle->to, &inserts, 1, &to, err);
    if (ok)
        (void)sqlite3_bind_int64(from, 1, bundle->run);
    while (ok && row) {
        ok = db_next(&bundle->from, from, &row, err);
        bool is_over = ok && segment.count > 0 && (!row || !continues_segment(&segment, from));
        if (is_over) {
            ok = put_segment(bundle, &segment, to, err) && report_progress(bundle, err);
            segment.count = 0;
            str_clear(&segment.bytes);
        }
        if (ok && row)
            add_piece(&segment, from);
    }
    str_done(&segment.bytes);
    free(segment.pieces);
    db_finalize(&from, 1);
    db_finalize(&to, 1);
    return ok;
}

/* Copying the other tables row by row, with secrets redacted. */

/* A table whose rows are copied column by column; ?1 of `select` is the run. */
static const struct table {
    const char *select;
    const char *insert;
    size_t counted; /* offset in struct bundle_contents of the row count; 0 = not counted */
} tables[] = {
    {"SELECT id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks, pid,"
     " pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts, passed,"
     " failed, cancelled, waited_ms FROM run WHERE id=?1",
     "INSERT INTO run(id, uid, name, kind, dir, command, ruleset, boot, devs, seed, jobs, tasks,"
     " pid, pid_start, started_at_ms, ended_at_ms, exit_code, last_seq, last_at_ms, attempts,"
     " passed, failed, cancelled, waited_ms)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
     0},
    {"SELECT run, text FROM plan WHERE run=?1", "INSERT INTO plan(run, text) VALUES(?,?)", 0},
    {"SELECT hash, text FROM ruleset WHERE hash=(SELECT ruleset FROM run WHERE id=?1)",
     "INSERT INTO ruleset(hash, text) VALUES(?,?)", 0},
    {"SELECT " EVENT_ROW_COLUMNS " FROM event WHERE run=?1 ORDER BY seq", EVENT_ROW_SQL,
     offsetof(struct bundle_contents, events)},
    {"SELECT run, task, step, attempt, at_ms, json FROM capture WHERE run=?1 ORDER BY id",
     "INSERT INTO capture(run, task, step, attempt, at_ms, json) VALUES(?,?,?,?,?,?)",
     offsetof(struct bundle_contents, captures)},
    {"SELECT run, id, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms, applied_at_ms,"
     " answer, done FROM control WHERE run=?1 ORDER BY id",
     "INSERT INTO control(run, id, verb, task, step, attempt, args, by, key_at_ms, asked_at_ms,"
     " applied_at_ms, answer, done) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)",
     offsetof(struct bundle_contents, controls)},
    {"SELECT run, task, agent, session, at_ms FROM session WHERE run=?1 ORDER BY id",
     "INSERT INTO session(run, task, agent, session, at_ms) VALUES(?,?,?,?,?)", 0},
    {"SELECT run, task, id, title, status, step, try, tries, entropy, held, cancelling, by,"
     " blocked_by, due_at_ms, started_at_ms, waited_ms FROM task WHERE run=?1",
     "INSERT INTO task(run, task, id, title, status, step, try, tries, entropy, held,"
     " cancelling, by, blocked_by, due_at_ms, started_at_ms, waited_ms)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
     offsetof(struct bundle_contents, tasks)},
    {"SELECT run, task, step, attempt, grant_no, started_at_ms, ended_at_ms, waited_ms, outcome,"
     " code, ran_ms, out_bytes, err_bytes, out_lines, err_lines, rss_kib, cpu_ms, left_behind,"
     " class, type, reason, print_hi, print_lo FROM attempt WHERE run=?1",
     "INSERT INTO attempt(run, task, step, attempt, grant_no, started_at_ms, ended_at_ms,"
     " waited_ms, outcome, code, ran_ms, out_bytes, err_bytes, out_lines, err_lines, rss_kib,"
     " cpu_ms, left_behind, class, type, reason, print_hi, print_lo)"
     " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
     offsetof(struct bundle_contents, attempts)},
};

/* The table may be missing from the log: schema_has_bookmarks(). */
static const struct table bookmark_table = {
    "SELECT run, id, seq, at_ms, made_at_ms, name, by FROM bookmark WHERE run=?1 ORDER BY id",
    "INSERT INTO bookmark(run, id, seq, at_ms, made_at_ms, name, by) VALUES(?,?,?,?,?,?,?)",
    offsetof(struct bundle_contents, bookmarks)};

enum { EVENT_KIND_COLUMN = 4, EVENT_DATA_COLUMN = 11 }; /* indexes in EVENT_ROW_COLUMNS */

/* Replaces the string with a redacted copy, which the caller frees. */
static void redact_event_text(void *ctx, const char **text)
{
    const struct bundle *bundle = ctx;
    *text = redact_string(bundle->redactor, *text, NULL);
}

static void free_event_text(void *ctx, const char **text)
{
    (void)ctx;
    free((void *)(uintptr_t)*text); /* a copy made by redact_event_text() */
}

/* Rewrites an event whose data exceeds EVENT_DATA_MAX after redaction, because a mark can be longer
 * than its secret and no reader accepts such data. Leaves out all strings if they do not fit. */
static void shorten_event(struct bundle *bundle, enum event_kind kind, const char *data,
                          struct str *redacted_data)
{
    struct event event = event_new(kind);
    struct str room = {0};
    str_reserve(&room, strlen(data) + 1);
    if (event_read(&event, data, strlen(data), &room)) {
        event.data = NULL;
        event_each_text(&event, redact_event_text, bundle);
        struct event redacted = event;
        event_limit(&event);
        str_clear(redacted_data);
        event_write(&event, redacted_data);
        event_each_text(&redacted, free_event_text, NULL);
    }
    str_done(&room);
}

static bool put_row(struct bundle *bundle, const struct table *table, sqlite3_stmt *from,
                    sqlite3_stmt *to, struct err *err)
{
    enum { TELL_EVERY = 1024 };
    struct str text = {0};
    int columns = sqlite3_column_count(from);
    bool ok = true;
    assert(columns == sqlite3_bind_parameter_count(to));
    const bool is_event = table->counted == offsetof(struct bundle_contents, events);
    const enum event_kind kind = is_event ? event_row_kind(from, EVENT_KIND_COLUMN) : EVENT_NONE;
    for (int i = 0; ok && i < columns; i++) {
        if (sqlite3_column_type(from, i) == SQLITE_TEXT) {
            const char *bytes = (const char *)sqlite3_column_text(from, i);
            str_clear(&text);
            redact_text(bundle->redactor, bytes, (size_t)sqlite3_column_bytes(from, i), &text,
                        &bundle->counts);
            if (is_event && i == EVENT_DATA_COLUMN && text.len > EVENT_DATA_MAX)
                shorten_event(bundle, kind, bytes, &text);
            ok = sqlite3_bind_text64(to, i + 1, str_text(&text), text.len, SQLITE_TRANSIENT,
                                     SQLITE_UTF8) == SQLITE_OK;
        } else {
            ok = sqlite3_bind_value(to, i + 1, sqlite3_column_value(from, i)) == SQLITE_OK;
        }
    }
    str_done(&text);
    if (!ok)
        return db_fail(&bundle->to, "bind", err);

    if (kind == EVENT_SECRETS_CUT)
        count_recorded_cuts(bundle, (const char *)sqlite3_column_text(from, EVENT_DATA_COLUMN));
    if (is_event && bundle->contents.events % TELL_EVERY == 0 && !report_progress(bundle, err))
        return false;
    if (table->counted > 0)
        (*(int64_t *)(void *)((char *)&bundle->contents + table->counted))++;
    return db_run(&bundle->to, to, err);
}

static bool copy_table(struct bundle *bundle, const struct table *table, struct err *err)
{
    sqlite3_stmt *from = NULL;
    sqlite3_stmt *to = NULL;
    bool row = true;
    bool ok = db_prepare(&bundle->from, &table->select, 1, &from, err) &&
              db_prepare(&bundle->to, &table->insert, 1, &to, err);
    if (ok)
        (void)sqlite3_bind_int64(from, 1, bundle->run);
    while (ok && row) {
        ok = db_next(&bundle->from, from, &row, err);
        if (ok && row)
            ok = put_row(bundle, table, from, to, err);
    }
    db_finalize(&from, 1);
    db_finalize(&to, 1);
    return ok;
}

enum { FILE_MODE = 0600 };

static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

/* This table marks a file as a bundle, which makes it read-only. */
static const char bundle_table[] =
    "CREATE TABLE bundle(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

static bool put_note(struct bundle *bundle, const char *key, const char *value, struct err *err)
{
    static const char *const sql = "INSERT INTO bundle(key, value) VALUES(?,?)";
    sqlite3_stmt *put = NULL;
    bool ok = db_prepare(&bundle->to, &sql, 1, &put, err);
    if (ok) {
        db_bind_text(put, 1, key);
        db_bind_text(put, 2, value);
        ok = db_run(&bundle->to, put, err);
    }
    db_finalize(&put, 1);
    return ok;
}

static bool make_file(struct bundle *bundle, const char *file, struct err *err)
{
    char part[32];
    struct stat info;
    (void)snprintf(bundle->file, sizeof(bundle->file), "%s", file);
    if (strlen(file) >= sizeof(bundle->file) - sizeof(part))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", file);
    if (lstat(file, &info) == 0) {
        (void)err_set(err, ERR_INVALID, "'%s' already exists", file);
        return err_hint(err, "choose a different file with -o FILE");
    }
    (void)snprintf(part, sizeof(part), ".part-%ld", (long)getpid());
    char path[PATH_MAX];
    if (!private_path_join(path, sizeof(path), file, part, err) ||
        !place_of_file(path, &bundle->temp, err))
        return false;
    int fd = open(bundle->temp.db, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot create '%s'", bundle->temp.db);
    bundle->made = true;
    (void)fchmod(fd, FILE_MODE); /* the umask may have cleared bits */
    (void)close(fd);             /* nothing to lose: never written to */
    return true;
}

static bool open_sides(struct bundle *bundle, const struct bundle_asked *asked, struct err *err)
{
    int newer = 0;
    if (!db_init(&bundle->from, asked->place->db, DB_READ, err) ||
        !schema_check_read(&bundle->from, &newer, err))
        return false;
    if (newer != 0)
        return err_set(err, ERR_DAMAGED, "the log was written by a newer devs");
    /* No other process uses the new file: exclusive mode avoids a shared memory file next to it. */
    return db_init(&bundle->to, bundle->temp.db, DB_WRITE, err) &&
           db_exec(&bundle->to, "PRAGMA locking_mode=EXCLUSIVE", err) &&
           schema_ensure(&bundle->to, err) && db_exec(&bundle->to, bundle_table, err);
}

static bool copy_run(struct bundle *bundle, struct err *err)
{
    char at[CLOCK_TEXT_MAX];
    bool has_bookmarks = false;
    int64_t ignored = 0;
    bool ok = db_exec(&bundle->from, "BEGIN", err) && db_exec(&bundle->to, "BEGIN", err);
    for (size_t i = 0; ok && i < ARRAY_LEN(tables); i++)
        ok = copy_table(bundle, &tables[i], err);
    ok = ok && schema_has_bookmarks(&bundle->from, &has_bookmarks, err) &&
         (!has_bookmarks || copy_table(bundle, &bookmark_table, err)) && copy_output(bundle, err) &&
         put_note(bundle, "made_at", clock_rfc3339(clock_now().at_ms, at), err) &&
         put_note(bundle, "devs", DEVS_VERSION, err);
    db_roll_back(&bundle->from);
    if (!ok) {
        db_roll_back(&bundle->to);
        return false;
    }
    /* A bundle in WAL mode would leave files next to it wherever it is read. */
    ok = db_exec(&bundle->to, "COMMIT", err) &&
         db_exec(&bundle->to, "PRAGMA journal_mode=DELETE", err) &&
         db_number(&bundle->to, "SELECT count(*) FROM bundle", &ignored, err);
    db_done(&bundle->to);
    return ok;
}

/* Reads the whole bundle back, to make sure that its recipient can read it. */
static bool read_through(const struct bundle *bundle, struct err *err)
{
    enum { READ_AT_ONCE = 16384 };
    struct follower *follower = NULL;
    struct err why = {0};
    size_t count = READ_AT_ONCE;
    bool goes_on = true;
    bool ok = follower_open(&follower, &bundle->temp, bundle->run, &why);
    while (ok && goes_on && count == READ_AT_ONCE) {
        ok = follower_read(follower, READ_AT_ONCE, NULL, NULL, &count, &why);
        goes_on = ok && report_progress(bundle, err);
    }
    follower_close(follower);
    if (!ok)
        return err_set(err, why.code, "the bundle could not be read back: %s", why.message);
    return goes_on;
}

static bool look_for_spill(struct bundle *bundle, const struct bundle_asked *asked, struct err *err)
{
    struct log_reader *reader = NULL;
    struct log_run_info info = {0};
    struct place spill;
    bool ok = log_reader_open(&reader, asked->place, err) &&
              log_reader_run(reader, asked->run, &info, err);
    bundle->run = info.number;
    bundle->last_seq = info.last_seq;
    if (ok && spill_find(info.uid, &spill)) {
        (void)err_set(err, ERR_INVALID, "part of run #%lld is in a spill log, '%s'",
                      (long long)info.number, spill.db);
        ok = err_hint(err, "devs gc --merge FILE merges it once the run has ended");
    }
    log_run_info_done(&info);
    log_reader_close(reader);
    return ok;
}

static bool build_bundle(struct bundle *bundle, const struct bundle_asked *asked, struct err *err)
{
    struct stat info;
    bool ok = look_for_spill(bundle, asked, err) && make_file(bundle, asked->file, err) &&
              open_sides(bundle, asked, err) && copy_run(bundle, err);
    db_done(&bundle->from);
    db_done(&bundle->to);
    if (!ok || !read_through(bundle, err))
        return false;
    if (stat(bundle->temp.db, &info) != 0)
        return err_set_errno(err, errno, "cannot access '%s'", bundle->temp.db);
    bundle->contents.bytes = (int64_t)info.st_size;
    bundle->contents.run = bundle->run;
    const size_t names = redactor_name_count(bundle->redactor);
    for (size_t i = 0; i < names && i < bundle->counts.size; i++) {
        if (bundle->counts.by_name[i] > 0)
            cut_of(&bundle->contents, redactor_name(bundle->redactor, i))->now +=
                bundle->counts.by_name[i];
    }
    return true;
}

bool bundle_is_one(const struct place *place)
{
    struct db db;
    int64_t count = 0;
    const bool ok = db_init(&db, place->db, DB_READ, NULL) &&
                    db_number(&db,
                              "SELECT count(*) FROM sqlite_schema WHERE type='table' AND"
                              " name='bundle'",
                              &count, NULL);
    db_done(&db);
    return ok && count > 0;
}

bool bundle_open(struct bundle **out, const struct bundle_asked *asked, struct err *err)
{
    struct bundle *bundle = xcalloc(1, sizeof(*bundle));
    bundle->redactor = asked->redactor;
    bundle->asked = asked;
    if (!build_bundle(bundle, asked, err)) {
        bundle_close(bundle);
        return false;
    }
    bundle->asked = NULL;
    *out = bundle;
    return true;
}

const struct bundle_contents *bundle_contents(const struct bundle *bundle)
{
    return &bundle->contents;
}

const struct place *bundle_place(const struct bundle *bundle)
{
    return &bundle->temp;
}

/* Syncs a file or directory that nobody has open any more. */
static bool sync_path(const char *path, int flags, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    bool ok = fsync(fd) == 0 || err_set_errno(err, errno, "cannot sync '%s' to disk", path);
    (void)close(fd); /* read only */
    return ok;
}

bool bundle_keep(struct bundle *bundle, struct err *err)
{
    if (!sync_path(bundle->temp.db, O_NOFOLLOW, err))
        return false;
    if (renameat2(AT_FDCWD, bundle->temp.db, AT_FDCWD, bundle->file, RENAME_NOREPLACE) != 0) {
        struct stat info;
        bool unknown = errno == EINVAL ||
                       errno == ENOSYS; /* the file system does not support RENAME_NOREPLACE */
        if (!unknown || lstat(bundle->file, &info) == 0 ||
            rename(bundle->temp.db, bundle->file) != 0)
            return err_set_errno(err, errno, "cannot create '%s'", bundle->file);
    }
    bundle->made = false;
    return sync_path(bundle->temp.dir, O_DIRECTORY, err);
}

void bundle_close(struct bundle *bundle)
{
    if (!bundle)
        return;
    db_done(&bundle->from);
    db_done(&bundle->to);
    for (size_t i = 0; bundle->made && i < ARRAY_LEN(suffixes); i++) {
        char path[PATH_MAX];
        if (private_path_join(path, sizeof(path), bundle->temp.db, suffixes[i], NULL))
            (void)unlink(path); /* may not exist */
    }
    redact_counts_done(&bundle->counts);
    free(bundle);
}
