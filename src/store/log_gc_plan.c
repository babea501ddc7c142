/* log_gc_plan.c - which runs leave the log. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "db.h"
#include "log_gc.h"
#include "log_read.h"
#include "log_reader.h"
#include "schema.h"
#include "spill.h"
#include "text.h"
#include "xalloc.h"

/* What is asked of the log of each run; ?1 is the run. */
enum plan_query { PLAN_BYTES, PLAN_BOOKMARKS, PLAN_BEGUN, PLAN_QUERY_COUNT };
static const char *const query_sql[] = {
    [PLAN_BYTES] = "SELECT (SELECT ifnull(sum(length(CAST(text AS BLOB))),0)+64*count(*) FROM event"
                   " WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(bytes)),0)+64*count(*) FROM output WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(json)),0)+64*count(*) FROM capture WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(bytes)),0) FROM gain WHERE run=?1)"
                   " +(SELECT 128*count(*) FROM attempt WHERE run=?1)"
                   " +(SELECT 128*count(*) FROM task WHERE run=?1)"
                   " +(SELECT ifnull(sum(length(text)),0) FROM plan WHERE run=?1)",
    [PLAN_BOOKMARKS] = "SELECT count(*) FROM bookmark WHERE run=?1",
    [PLAN_BEGUN] = "SELECT id, name, last_at_ms FROM run WHERE expired=1 AND ?1=0 ORDER BY id DESC",
};
static_assert(ARRAY_LEN(query_sql) == PLAN_QUERY_COUNT, "every query has its text");

/* A plan under way. */
struct planning {
    const struct log_gc_asked *asked;
    struct db db;
    bool has_bookmarks;
    struct log_gc_run *runs; /* owned until it is handed on */
    size_t count, cap;
    int64_t kept_runs, kept_bytes;
    bool is_full; /* a run was too much for the size: no older one stays either */
};

struct log_limits log_limits_new(void)
{
    return (struct log_limits){.age_ms = -1, .runs = -1, .bytes = -1};
}

bool log_gc_goes(enum log_gc_why why)
{
    return why >= LOG_GC_NAMED;
}

static bool ask(const struct planning *planning, enum plan_query which, int64_t run, int64_t *out,
                struct err *err)
{
    sqlite3_stmt *query = NULL;
    bool row = false;
    bool ok = db_prepare(&planning->db, &query_sql[which], 1, &query, err);
    if (ok)
        (void)sqlite3_bind_int64(query, 1, run);
    ok = ok && db_next(&planning->db, query, &row, err);
    if (ok)
        *out = row ? sqlite3_column_int64(query, 0) : 0;
    db_finalize(&query, 1);
    return ok;
}

static struct log_gc_run *add_run(struct planning *planning, int64_t number, const char *name)
{
    planning->runs =
        xgrow(planning->runs, &planning->cap, planning->count + 1, sizeof(*planning->runs));
    struct log_gc_run *run = &planning->runs[planning->count++];
    *run = (struct log_gc_run){.number = number, .bytes = -1};
    const size_t len = text_cut(name, strlen(name), LOG_GC_NAME_MAX);
    memcpy(run->name, name, len);
    return run;
}

bool log_gc_is_named(const struct log_gc_asked *asked, int64_t number)
{
    for (size_t i = 0; i < asked->named_count; i++) {
        if (asked->named[i] == number)
            return true;
    }
    return false;
}

static bool is_alive(const struct log_run_info *info, int64_t now_ms)
{
    if (!info->is_session)
        return info->owner_alive;
    return info->ended_at_ms == 0 && info->last_at_ms > now_ms - LOG_GC_SESSION_MS;
}

/* What keeps it whatever the limits; LOG_GC_WITHIN: nothing does. */
static bool find_keeper(const struct planning *planning, const struct log_run_info *info,
                        enum log_gc_why *out, struct err *err)
{
    struct place spill;
    int64_t bookmarks = 0;
    if (planning->has_bookmarks && !ask(planning, PLAN_BOOKMARKS, info->number, &bookmarks, err))
        return false;
    *out = LOG_GC_WITHIN;
    if (is_alive(info, planning->asked->now_ms))
        *out = LOG_GC_ALIVE;
    else if (bookmarks > 0)
        *out = LOG_GC_BOOKMARKED;
    else if (spill_find(info->uid, &spill))
        *out = LOG_GC_SPILLED;
    return true;
}

/* Of one that nothing keeps. `bytes` is -1 where there is no limit of size. */
static enum log_gc_why judge(struct planning *planning, const struct log_run_info *info,
                             int64_t bytes)
{
    const struct log_limits *limits = &planning->asked->limits;
    const int64_t now_ms = planning->asked->now_ms;
    if (log_gc_is_named(planning->asked, info->number))
        return LOG_GC_NAMED;
    if (planning->count == 1)
        return LOG_GC_NEWEST;
    if (limits->age_ms >= 0 && info->last_at_ms <= now_ms - limits->age_ms)
        return LOG_GC_OLD;
    if (limits->runs >= 0 && planning->kept_runs >= limits->runs)
        return LOG_GC_MANY;
    planning->is_full =
        planning->is_full || (limits->bytes >= 0 && planning->kept_bytes + bytes > limits->bytes);
    return planning->is_full ? LOG_GC_LARGE : LOG_GC_WITHIN;
}

static bool take_run(struct planning *planning, const struct log_run_info *info, struct err *err)
{
    struct log_gc_run *run = add_run(planning, info->number, info->name ? info->name : "");
    run->last_at_ms = info->last_at_ms;
    if (planning->asked->limits.bytes >= 0 &&
        !ask(planning, PLAN_BYTES, info->number, &run->bytes, err))
        return false;
    if (!find_keeper(planning, info, &run->why, err))
        return false;
    if (run->why == LOG_GC_WITHIN)
        run->why = judge(planning, info, run->bytes);
    if (!log_gc_goes(run->why)) {
        planning->kept_runs++;
        planning->kept_bytes += run->bytes;
        return true;
    }
    return run->bytes >= 0 || ask(planning, PLAN_BYTES, info->number, &run->bytes, err);
}

static bool take_page(struct planning *planning, struct log_run_info *page, size_t count,
                      struct err *err)
{
    bool ok = true;
    for (size_t i = 0; i < count; i++) {
        ok = ok && take_run(planning, &page[i], err);
        log_run_info_done(&page[i]);
    }
    return ok;
}

static bool take_runs(struct planning *planning, struct log_reader *reader, struct err *err)
{
    struct log_run_info *page = xcalloc(LOG_PAGE_RUNS, sizeof(*page));
    int64_t before = 0;
    size_t count = 0;
    bool ok = true;
    do {
        ok = log_reader_runs(reader, before, page, LOG_PAGE_RUNS, &count, err);
        if (ok && count > 0)
            before = page[count - 1].number;
        ok = ok && take_page(planning, page, count, err);
    } while (ok && count == LOG_PAGE_RUNS && planning->count < LOG_GC_RUNS_MAX);
    free(page);
    return ok;
}

/* Those that no reader finds any more. */
static bool take_begun(struct planning *planning, struct err *err)
{
    sqlite3_stmt *query = NULL;
    bool row = true;
    bool ok = db_prepare(&planning->db, &query_sql[PLAN_BEGUN], 1, &query, err);
    if (ok)
        (void)sqlite3_bind_int64(query, 1, 0);
    for (int begun = 0; ok && row && begun < LOG_GC_RUNS_MAX; begun++) {
        ok = db_next(&planning->db, query, &row, err);
        if (!ok || !row)
            break;
        const char *name = (const char *)sqlite3_column_text(query, 1);
        struct log_gc_run *run =
            add_run(planning, sqlite3_column_int64(query, 0), name ? name : "");
        run->last_at_ms = log_read_nearest(query, 2);
        run->why = LOG_GC_BEGUN;
        ok = ask(planning, PLAN_BYTES, run->number, &run->bytes, err);
    }
    db_finalize(&query, 1);
    return ok;
}

static bool check_named(const struct planning *planning, struct err *err)
{
    for (size_t i = 0; i < planning->asked->named_count; i++) {
        const int64_t number = planning->asked->named[i];
        bool found = false;
        for (size_t j = 0; !found && j < planning->count; j++)
            found = planning->runs[j].number == number;
        if (!found)
            return err_set(err, ERR_NOT_FOUND, "no run #%lld in this log", (long long)number);
    }
    return true;
}

bool log_gc_plan(const struct log_gc_asked *asked, struct log_gc_run **out, size_t *count_out,
                 struct err *err)
{
    struct planning planning = {.asked = asked};
    struct log_reader *reader = NULL;
    bool ok = log_reader_open(&reader, asked->place, err) &&
              db_init(&planning.db, asked->place->db, DB_READ, err) &&
              schema_check(&planning.db, err) &&
              schema_has_bookmarks(&planning.db, &planning.has_bookmarks, err) &&
              take_runs(&planning, reader, err) && take_begun(&planning, err) &&
              check_named(&planning, err);
    db_done(&planning.db);
    log_reader_close(reader);
    if (!ok) {
        free(planning.runs);
        return false;
    }
    *out = planning.runs;
    *count_out = planning.count;
    return true;
}
