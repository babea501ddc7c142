#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "control_row.h"
#include "db.h"
#include "log_read.h"
#include "plan_grow.h"
#include "verify_verdicts.h"

enum { QUERY_ACT, QUERY_RULES, QUERY_COUNT };

static const char *const query_sql[QUERY_COUNT] = {
    [QUERY_ACT] = "SELECT " CONTROL_ROW_COLUMNS " FROM control WHERE run=? AND id=?",
    [QUERY_RULES] = "SELECT text FROM ruleset WHERE hash=?",
};

/* One run that is looked at. */
struct verifying {
    const struct verify_asked *asked;   /* borrowed */
    sqlite3_stmt *queries[QUERY_COUNT]; /* owned */
    struct log_run_info run;            /* owned */
    struct plan *plan;                  /* owned */
    struct plan *growing;               /* owned; NULL where the plan does not grow */
    struct redecide *redecide;          /* owned */
    struct verify_judge judge;
    struct event_page page; /* owned */
};

static bool find_act(void *ctx, int64_t id, struct control *out)
{
    struct verifying *verifying = ctx;
    sqlite3_stmt *query = verifying->queries[QUERY_ACT];
    (void)sqlite3_bind_int64(query, 1, verifying->run.number);
    (void)sqlite3_bind_int64(query, 2, id);
    bool row = false;
    const bool found = db_next(&verifying->asked->reader->db, query, &row, NULL) && row &&
                       control_row_read(query, out);
    (void)sqlite3_reset(query); /* what cannot be read is not there */
    return found;
}

/* NULL where none was recorded. */
static bool read_rules(struct verifying *verifying, char **out, struct err *err)
{
    sqlite3_stmt *query = verifying->queries[QUERY_RULES];
    const char *hash = verifying->run.rules_hash;
    if (!hash || hash[0] == '\0')
        return true;
    db_bind_text(query, 1, hash);
    bool row = false;
    const bool ok = db_next(&verifying->asked->reader->db, query, &row, err);
    if (ok && row)
        *out = db_column_copy(query, 0);
    (void)sqlite3_reset(query); /* repeats the step's error */
    return ok;
}

static bool read_plan(struct verifying *verifying, struct err *err)
{
    const struct log_run_info *run = &verifying->run;
    struct violations violations = {0};
    const bool ok =
        plan_parse(run->plan_text, strlen(run->plan_text), &verifying->plan, &violations);
    if (!ok)
        (void)err_set(err, ERR_DAMAGED, "the plan of run #%lld in the log cannot be read%s%s",
                      (long long)run->number, violations.count > 0 ? ": " : "",
                      violations.count > 0 ? violations.items[0].message : "");
    violations_done(&violations);
    if (ok && verifying->plan->grows)
        verifying->growing = plan_growing(verifying->plan);
    return ok;
}

static void differs(void *ctx, const struct redecide_difference *difference)
{
    const struct verifying *verifying = ctx;
    if (verifying->asked->differs)
        verifying->asked->differs(verifying->asked->ctx, difference);
}

static bool open_judge(struct verifying *verifying, struct err *err)
{
    struct verify_judge *judge = &verifying->judge;
    char *rules = NULL;
    *judge = (struct verify_judge){
        .asked = verifying->asked,
        .run = verifying->run.number,
        .plan = verifying->growing ? verifying->growing : verifying->plan,
        .is_session = verifying->run.is_session,
    };
    const bool ok =
        read_rules(verifying, &rules, err) &&
        verify_judge_open(judge, verifying->asked->reader, verifying->run.rules_hash, rules, err);
    free(rules);
    return ok;
}

static bool open_parts(struct verifying *verifying, struct err *err)
{
    struct log_reader *reader = verifying->asked->reader;
    if (!db_prepare(&reader->db, query_sql, QUERY_COUNT, verifying->queries, err) ||
        !log_reader_run(reader, verifying->asked->run, &verifying->run, err) ||
        !read_plan(verifying, err) || !open_judge(verifying, err))
        return false;
    const struct redecide_run run = {.plan = verifying->plan,
                                     .seed = verifying->run.seed,
                                     .dir = verifying->run.dir,
                                     .is_session = verifying->run.is_session,
                                     .act = find_act,
                                     .differs = differs,
                                     .ctx = verifying};
    redecide_open(&verifying->redecide, &run);
    return true;
}

static bool take_page(struct verifying *verifying, struct err *err)
{
    for (size_t i = 0; i < verifying->page.count; i++) {
        const struct event *event = &verifying->page.events[i];
        evidence_take_task(verifying->growing, event);
        if (!redecide_add(verifying->redecide, event, err) ||
            !verify_judge_add(&verifying->judge, event, err))
            return false;
    }
    return true;
}

/* Page by page; output is read between the pages, never within one. */
static bool take_events(struct verifying *verifying, struct err *err)
{
    const struct verify_asked *asked = verifying->asked;
    int64_t after = 0;
    do {
        if (!log_reader_events(asked->reader, verifying->run.number, after, &verifying->page,
                               err) ||
            !take_page(verifying, err))
            return false;
        if (verifying->page.count > 0)
            after = verifying->page.events[verifying->page.count - 1].seq;
        if (asked->progress)
            asked->progress(asked->progress_ctx, after, verifying->run.last_seq);
    } while (verifying->page.count == LOG_PAGE_EVENTS);
    return redecide_finish(verifying->redecide, err) && verify_judge_finish(&verifying->judge, err);
}

static void close_parts(struct verifying *verifying)
{
    event_page_done(&verifying->page);
    redecide_close(verifying->redecide);
    verify_judge_done(&verifying->judge);
    plan_free(verifying->growing);
    plan_free(verifying->plan);
    log_run_info_done(&verifying->run);
    db_finalize(verifying->queries, QUERY_COUNT);
}

bool verify_run(const struct verify_asked *asked, struct verify_sum *out, struct err *err)
{
    struct verifying verifying = {.asked = asked};
    *out = (struct verify_sum){0};
    bool ok = open_parts(&verifying, err);
    if (ok) {
        ok = take_events(&verifying, err);
        out->decisions = *redecide_sum(verifying.redecide);
        out->verdicts = verifying.judge.sum;
    }
    close_parts(&verifying);
    return ok;
}
