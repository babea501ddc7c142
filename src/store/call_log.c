#include "call_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_kept.h"
#include "call_logging.h"
#include "call_run.h"
#include "clock.h"
#include "log_reader.h"
#include "owner.h"
#include "sha256.h"
#include "xalloc.h"

enum { US_PER_MS = 1000 };

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

static const char controls[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
                               "\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f";

/* Like owner_take(), but for as long as the session waits, in all. */
static bool take_lock(struct call_log *log, const char *uid, int *fd, struct err *err)
{
    for (;;) {
        struct err why = {0};
        if (owner_take(&log->place, uid, fd, &why))
            return true;
        if (why.code != ERR_BUSY || clock_mono_us() >= log->until_us)
            return err_set(err, why.code, "%s", why.message);
    }
}

/* Its id, if that may be a file's name, else a digest of it. Sessions that share a name only
 * wait for each other. */
static void name_lock(struct call_log *log)
{
    const char *id = log->session.id;
    const size_t len = strlen(id);
    char hex[DIGEST_HEX_MAX];
    unsigned char hash[SHA256_BYTES];
    if (len < sizeof(log->lock) - 1 && strspn(id, name_letters) == len) {
        (void)snprintf(log->lock, sizeof(log->lock), "s%s", id);
        return;
    }
    sha256_of(id, len, hash);
    digest_to_hex(digest_from_bytes(hash), hex);
    (void)snprintf(log->lock, sizeof(log->lock), "s%s", hex);
}

/* Two that find no run at the same time would both begin one: they queue at a lock that is
 * named after the session. */
static bool take_session(struct call_log *log, struct err *err)
{
    name_lock(log);
    return take_lock(log, log->lock, &log->lock_fd, err);
}

/* What others have appended since, or all where nothing was kept. */
static bool catch_up(struct call_log *log, struct err *err)
{
    struct log_reader *reader = NULL;
    struct event_page page = {0};
    if (!log_reader_open(&reader, &log->place, err))
        return false;
    bool ok = true;
    do {
        ok = log_reader_events(reader, log->run.number, log->kept.seq, &page, err);
        for (size_t i = 0; ok && i < page.count; i++)
            call_kept_apply(&log->kept, &page.events[i]);
    } while (ok && page.count > 0);
    event_page_done(&page);
    log_reader_close(reader);
    return ok;
}

static bool load_kept(struct call_log *log, struct err *err)
{
    struct str bytes = {0};
    struct entropy_limits limits = entropy_limits_new();
    bool ok = call_rows_kept(&log->rows, log->run.number, &bytes, err);
    call_kept_done(&log->kept);
    call_kept_init(&log->kept, &limits);
    const bool is_there = ok && call_kept_load(&log->kept, str_text(&bytes), bytes.len, NULL) &&
                          log->kept.seq <= log->run.last_seq;
    str_done(&bytes);
    if (ok && !is_there) {
        ok = call_run_limits(&log->place, log->run.number, &limits, err);
        call_kept_done(&log->kept);
        call_kept_init(&log->kept, &limits);
    }
    return ok && (log->kept.seq == log->run.last_seq || catch_up(log, err));
}

/* The run's lock, then a look again: whoever had it may have gone on, or ended it. */
static bool own_run(struct call_log *log, struct err *err)
{
    if (!take_lock(log, log->run.uid, &log->owner_fd, err))
        return false;
    return call_rows_find(&log->rows, log->session.agent, log->session.id, &log->run, err);
}

static void disown_run(struct call_log *log)
{
    owner_drop(&log->place, log->run.uid, log->owner_fd);
    log->owner_fd = -1;
}

static bool begin_run(struct call_log *log, const struct moment *now, struct err *err)
{
    return call_run_begin(&log->place, &log->session, now, err) &&
           (log->rows.db.handle || call_rows_open(&log->rows, &log->place, err)) &&
           call_rows_find(&log->rows, log->session.agent, log->session.id, &log->run, err) &&
           (log->run.number != 0 ||
            err_set(err, ERR_DAMAGED, "the run that has just begun is not in the log")) &&
           own_run(log, err) && load_kept(log, err);
}

/* The run that the session has now, if it takes more. */
static bool find_run(struct call_log *log, bool *found, struct err *err)
{
    *found = false;
    struct err why = {0};
    if (!call_rows_open(&log->rows, &log->place, &why))
        return why.code == ERR_NOT_FOUND || why.code == ERR_IO ||
               err_set(err, why.code, "%s", why.message); /* beginning a run makes what is not
                                                            there, or says what is wrong */
    if (!call_rows_find(&log->rows, log->session.agent, log->session.id, &log->run, err))
        return false;
    if (log->run.number == 0 || log->run.ended)
        return true;
    if (!own_run(log, err))
        return false;
    *found = !log->run.ended;
    if (*found)
        return load_kept(log, err);
    disown_run(log);
    return true;
}

static bool check_names(const struct call_session *session, struct err *err)
{
    const size_t len = strlen(session->agent);
    if (len == 0 || len > CALL_LOG_AGENT_MAX || strspn(session->agent, name_letters) != len ||
        strchr("._-", session->agent[0]))
        return err_set(err, ERR_INVALID, "'%.*s' is no name of an agent", CALL_LOG_AGENT_MAX,
                       session->agent);
    const size_t id_len = strlen(session->id);
    if (id_len == 0 || id_len > CALL_LOG_SESSION_MAX || strcspn(session->id, controls) != id_len)
        return err_set(err, ERR_INVALID,
                       "a session's id has 1 to %d bytes, no control characters among them",
                       CALL_LOG_SESSION_MAX);
    return true;
}

bool call_log_open(struct call_log **out, const struct place *place,
                   const struct call_session *session, const struct moment *now, struct err *err)
{
    bool found = false;
    if (!check_names(session, err))
        return false;
    struct call_log *log = xcalloc(1, sizeof(*log));
    log->place = *place;
    log->session = *session;
    log->lock_fd = log->owner_fd = -1;
    log->until_us = clock_mono_us() + (int64_t)session->wait_ms * US_PER_MS;
    log->rows = (struct call_rows){.turns = {.gate_fd = -1, .write_fd = -1}, .bell = {.fd = -1}};
    bool ok = take_session(log, err) && (session->anew || find_run(log, &found, err)) &&
              (found || begin_run(log, now, err));
    if (ok)
        *out = log;
    else
        call_log_close(log);
    return ok;
}

static void forget_pending(struct call_log *log)
{
    for (size_t i = 0; i < log->count; i++)
        free((void *)(uintptr_t)log->events[i].text); /* call_logging_append() copied it */
    log->count = 0;
}

void call_log_close(struct call_log *log)
{
    if (!log)
        return;
    forget_pending(log);
    free(log->events);
    call_kept_done(&log->kept);
    call_rows_close(&log->rows);
    disown_run(log);
    owner_drop(&log->place, log->lock, log->lock_fd);
    str_done(&log->words);
    free(log->pieces);
    str_done(&log->why);
    str_done(&log->nudge);
    free(log);
}

int64_t call_log_run(const struct call_log *log)
{
    return log->run.number;
}

/* The clock since boot may have begun anew since the last event: it goes on by the wall clock. */
static struct moment after(const struct moment *last, const struct moment *at)
{
    struct moment moment = *at;
    if (moment.mono_ms < last->mono_ms)
        moment.mono_ms = last->mono_ms + (at->at_ms > last->at_ms ? at->at_ms - last->at_ms : 0);
    return moment;
}

void call_logging_append(struct call_log *log, struct event event, const char *text)
{
    event.seq = log->kept.seq + 1;
    event.at = after(&log->kept.last, &event.at);
    event.task = event.step = 0;
    event.round = event.grant = event.attempt = 1;
    event.text = text ? xstrdup(text) : NULL;
    log->events = xgrow(log->events, &log->cap, log->count + 1, sizeof(*log->events));
    log->events[log->count++] = event;
    log->kept.seq = event.seq;
    log->kept.last = event.at;
}

bool call_log_commit(struct call_log *log, struct err *err)
{
    struct str bytes = {0};
    if (log->has_used)
        call_logging_used(log, &log->kept.last);
    if (log->count == 0 && log->words.len > 0)
        call_logging_used(log, &log->spoken); /* a commit is of an event at least */
    if (log->count == 0)
        return true;
    call_kept_save(&log->kept, &bytes);
    const struct call_batch batch = {.run = log->run.number,
                                     .events = log->events,
                                     .count = log->count,
                                     .kept = &bytes,
                                     .words = &log->words,
                                     .pieces = log->pieces,
                                     .piece_count = log->piece_count};
    const bool ok = call_rows_commit(&log->rows, &log->place, &batch, err);
    str_done(&bytes);
    if (ok)
        forget_pending(log);
    if (ok) {
        str_clear(&log->words);
        log->piece_count = 0;
    }
    return ok;
}

bool call_log_end(struct call_log *log, int exit, const struct moment *at, struct err *err)
{
    const struct moment end = after(&log->kept.last, at);
    if (!call_log_commit(log, err))
        return false;
    disown_run(log);
    return call_run_end(&log->place, log->run.number, exit, &end, err);
}

bool call_logging_room(struct call_log *log, const struct moment *at, struct err *err)
{
    if (log->count >= CALL_LOG_BATCH_MAX && !call_log_commit(log, err))
        return false;
    if (log->kept.number < AGENT_CALLS_MAX)
        return true;
    return call_log_end(log, 0, at, err) && begin_run(log, at, err);
}

bool call_log_may_turn_away(const struct place *place, const char *agent, const char *session)
{
    struct call_rows rows;
    struct call_run run = {0};
    struct str bytes = {0};
    bool may = false;
    if (!call_rows_open(&rows, place, NULL))
        return false;
    if (call_rows_find(&rows, agent, session, &run, NULL) && run.number != 0 && !run.ended &&
        call_rows_kept_head(&rows, run.number, CALL_KEPT_HEAD_BYTES, &bytes, NULL))
        may = call_kept_is_alarming(str_text(&bytes), bytes.len, run.last_seq);
    str_done(&bytes);
    call_rows_close(&rows);
    return may;
}

bool call_log_find(const struct place *place, const char *agent, const char *session,
                   int64_t *run_out)
{
    struct call_rows rows;
    struct call_run run = {0};
    if (!call_rows_open(&rows, place, NULL))
        return false;
    const bool found = call_rows_find(&rows, agent, session, &run, NULL) && run.number != 0;
    call_rows_close(&rows);
    if (found)
        *run_out = run.number;
    return found;
}
