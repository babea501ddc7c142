#define _GNU_SOURCE /* renameat2 */

#include "bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bundle_parts.h"
#include "clock.h"
#include "follower.h"
#include "json.h"
#include "private_file.h"
#include "schema.h"
#include "spill.h"
#include "xalloc.h"

enum { FILE_MODE = 0600 };

static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};

/* The table is what a bundle is known by; nobody writes to one that has it. */
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

bool bundle_tell(const struct bundle *bundle, struct err *err)
{
    const struct bundle_asked *asked = bundle->asked;
    return !asked->tell || asked->tell(asked->ctx, bundle->contents.events, bundle->last_seq, err);
}

void bundle_count_recorded(struct bundle *bundle, const char *text)
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

static void count_now(struct bundle *bundle)
{
    size_t names = redactor_name_count(bundle->redactor);
    for (size_t i = 0; i < names && i < bundle->counts.size; i++) {
        if (bundle->counts.by_name[i] > 0)
            cut_of(&bundle->contents, redactor_name(bundle->redactor, i))->now +=
                bundle->counts.by_name[i];
    }
}

static bool make_file(struct bundle *bundle, const char *file, struct err *err)
{
    char part[32];
    struct stat info;
    (void)snprintf(bundle->file, sizeof(bundle->file), "%s", file);
    if (strlen(file) >= sizeof(bundle->file) - sizeof(part))
        return err_set(err, ERR_LIMIT, "path '%.100s...' is too long", file);
    if (lstat(file, &info) == 0) {
        (void)err_set(err, ERR_INVALID, "'%s' is there already", file);
        return err_hint(err, "-o FILE names another one");
    }
    (void)snprintf(part, sizeof(part), ".part-%ld", (long)getpid());
    char path[PATH_MAX];
    if (!private_path_join(path, sizeof(path), file, part, err) ||
        !place_of_file(path, &bundle->temp, err))
        return false;
    int fd = open(bundle->temp.db, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot make '%s'", bundle->temp.db);
    bundle->made = true;
    (void)fchmod(fd, FILE_MODE); /* the umask may have taken bits away */
    (void)close(fd);             /* nothing was written to it */
    return true;
}

/* A WAL would leave files beside it wherever it is read. */
static bool finish_file(struct bundle *bundle, struct err *err)
{
    int64_t ignored = 0;
    bool ok = db_exec(&bundle->to, "COMMIT", err) &&
              db_exec(&bundle->to, "PRAGMA journal_mode=DELETE", err) &&
              db_number(&bundle->to, "SELECT count(*) FROM bundle", &ignored, err);
    db_done(&bundle->to);
    return ok;
}

static bool open_log(struct bundle *bundle, const struct place *place, struct err *err)
{
    int newer = 0;
    if (!db_init(&bundle->from, place->db, DB_READ, err) ||
        !schema_check_read(&bundle->from, &newer, err))
        return false;
    return newer == 0 || err_set(err, ERR_DAMAGED, "the log was written by a newer devs");
}

/* Nobody else has the file: it needs no shared memory beside it. */
static bool open_sides(struct bundle *bundle, const struct bundle_asked *asked, struct err *err)
{
    return open_log(bundle, asked->place, err) &&
           db_init(&bundle->to, bundle->temp.db, DB_WRITE, err) &&
           db_exec(&bundle->to, "PRAGMA locking_mode=EXCLUSIVE", err) &&
           schema_ensure(&bundle->to, err) && db_exec(&bundle->to, bundle_table, err);
}

static bool describe(struct bundle *bundle, struct err *err)
{
    char at[CLOCK_TEXT_MAX];
    return put_note(bundle, "made_at", clock_rfc3339(clock_now().at_ms, at), err) &&
           put_note(bundle, "devs", DEVS_VERSION, err);
}

static bool copy(struct bundle *bundle, struct err *err)
{
    bool ok = db_exec(&bundle->from, "BEGIN", err) && db_exec(&bundle->to, "BEGIN", err) &&
              bundle_copy_tables(bundle, err) && bundle_copy_output(bundle, err) &&
              describe(bundle, err);
    db_roll_back(&bundle->from);
    if (!ok)
        db_roll_back(&bundle->to);
    return ok && finish_file(bundle, err);
}

/* Whoever gets it can read it: it is read here first. */
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
        goes_on = ok && bundle_tell(bundle, err);
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
        (void)err_set(err, ERR_INVALID, "a part of run #%lld is in a second log, '%s'",
                      (long long)info.number, spill.db);
        ok = err_hint(err, "devs gc --merge FILE brings it home, once the run is over");
    }
    log_run_info_done(&info);
    log_reader_close(reader);
    return ok;
}

static bool build(struct bundle *bundle, const struct bundle_asked *asked, struct err *err)
{
    struct stat info;
    bool ok = look_for_spill(bundle, asked, err) && make_file(bundle, asked->file, err) &&
              open_sides(bundle, asked, err) && copy(bundle, err);
    db_done(&bundle->from);
    db_done(&bundle->to);
    if (!ok || !read_through(bundle, err))
        return false;
    if (stat(bundle->temp.db, &info) != 0)
        return err_set_errno(err, errno, "cannot look at '%s'", bundle->temp.db);
    bundle->contents.bytes = (int64_t)info.st_size;
    bundle->contents.run = bundle->run;
    count_now(bundle);
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
    if (!build(bundle, asked, err)) {
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

/* To the disk: nobody has it open any more. */
static bool sync_path(const char *path, int flags, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0)
        return err_set_errno(err, errno, "cannot open '%s'", path);
    bool ok = fsync(fd) == 0 || err_set_errno(err, errno, "cannot bring '%s' to the disk", path);
    (void)close(fd); /* read only */
    return ok;
}

bool bundle_keep(struct bundle *bundle, struct err *err)
{
    if (!sync_path(bundle->temp.db, O_NOFOLLOW, err))
        return false;
    if (renameat2(AT_FDCWD, bundle->temp.db, AT_FDCWD, bundle->file, RENAME_NOREPLACE) != 0) {
        struct stat info;
        bool unknown = errno == EINVAL || errno == ENOSYS; /* of a file system without it */
        if (!unknown || lstat(bundle->file, &info) == 0 ||
            rename(bundle->temp.db, bundle->file) != 0)
            return err_set_errno(err, errno, "cannot make '%s'", bundle->file);
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
            (void)unlink(path); /* it may not be there */
    }
    redact_counts_done(&bundle->counts);
    free(bundle);
}
