/* call_log.c - adds calls, messages, prompts and text to a session's run, and denies calls.
 *
 * Two locks protect a session. The first has the name of the session: without it, two processes
 * that both find no run would both begin one. The second is the owner lock of the run, whose row is
 * read again once the lock is held.
 *
 * Events wait in memory until call_log_commit(), which writes them together with the state of the
 * loop detector. Opening a session then loads that state, and reads only events that came after
 * it. */
#include "call_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent_stream.h"
#include "call_rows.h"
#include "clock.h"
#include "json.h"
#include "log_reader.h"
#include "owner.h"
#include "sha256.h"
#include "text.h"
#include "xalloc.h"

struct call_log {
    struct place place;
    struct call_session session; /* strings are borrowed */
    struct call_rows rows;
    struct call_run run;
    struct call_kept kept;
    int64_t until_us; /* deadline for all locks together; CLOCK_BOOTTIME */

    char lock[LOG_UID_MAX]; /* name of the session's lock */
    int lock_fd;            /* -1 = not held */
    int owner_fd;           /* lock of the run; -1 = not held */

    struct event_list events; /* events that are not committed yet */

    bool has_used; /* usage has changed since the last EVENT_AGENT_USED */

    struct str words;          /* text that is not committed yet */
    struct call_words *pieces; /* owned; the pieces of `words` */
    size_t piece_count, piece_cap;
    struct moment spoken; /* time of the last piece */

    struct str why, nudge; /* reason and nudge of the last verdict */
};

enum { US_PER_MS = 1000 };

static const char name_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

static const char controls[] = "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
                               "\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f";

/* Like owner_take(), but waits until the session's deadline. */
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

/* Takes a lock named after the session. Without it, two processes that both find no run would both
 * begin one. The lock's name is the session id if that is a valid file name, otherwise a digest of
 * it. Sessions with the same lock name merely wait for each other. */
static bool take_session(struct call_log *log, struct err *err)
{
    const char *id = log->session.id;
    const size_t len = strlen(id);
    if (len < sizeof(log->lock) - 1 && strspn(id, name_letters) == len) {
        (void)snprintf(log->lock, sizeof(log->lock), "s%s", id);
    } else {
        char hex[DIGEST_HEX_MAX];
        unsigned char hash[SHA256_BYTES];
        sha256_of(id, len, hash);
        digest_to_hex(digest_from_bytes(hash), hex);
        (void)snprintf(log->lock, sizeof(log->lock), "s%s", hex);
    }
    return take_lock(log, log->lock, &log->lock_fd, err);
}

/* Loads the saved state, and applies the events that other processes have appended since; all
 * events if there is no saved state. */
static bool load_kept(struct call_log *log, struct err *err)
{
    struct call_kept *kept = &log->kept;
    struct str bytes = {0};
    struct entropy_limits limits = entropy_limits_new();
    bool ok = call_rows_kept(&log->rows, log->run.number, &bytes, err);
    call_kept_done(kept);
    call_kept_init(kept, &limits);
    const bool is_there = ok && call_kept_load(kept, str_text(&bytes), bytes.len, NULL) &&
                          kept->seq <= log->run.last_seq;
    str_done(&bytes);
    if (ok && !is_there) {
        ok = call_run_limits(&log->place, log->run.number, &limits, err);
        call_kept_done(kept);
        call_kept_init(kept, &limits);
    }
    if (!ok || kept->seq == log->run.last_seq)
        return ok;

    struct log_reader *reader = NULL;
    struct event_page page = {0};
    if (!log_reader_open(&reader, &log->place, err))
        return false;
    do {
        ok = log_reader_events(reader, log->run.number, kept->seq, &page, err);
        for (size_t i = 0; ok && i < page.count; i++)
            call_kept_apply(kept, &page.events[i]);
    } while (ok && page.count > 0);
    event_page_done(&page);
    log_reader_close(reader);
    return ok;
}

/* Takes the run's lock and then reads its row again: the previous owner may have appended to the
 * run or ended it. */
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

/* Finds the session's current run. If it accepts more calls, takes its lock, loads its state and
 * sets *found. */
static bool find_run(struct call_log *log, bool *found, struct err *err)
{
    *found = false;
    struct err why = {0};
    if (!call_rows_open(&log->rows, &log->place, &why))
        return why.code == ERR_NOT_FOUND || why.code == ERR_IO ||
               err_set(err, why.code, "%s",
                       why.message); /* begin_run() handles a missing or outdated log */
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

bool call_log_open(struct call_log **out, const struct place *place,
                   const struct call_session *session, const struct moment *now, struct err *err)
{
    bool found = false;
    const size_t len = strlen(session->agent);
    if (len == 0 || len > CALL_LOG_AGENT_MAX || strspn(session->agent, name_letters) != len ||
        strchr("._-", session->agent[0]))
        return err_set(err, ERR_INVALID, "invalid agent name '%.*s'", CALL_LOG_AGENT_MAX,
                       session->agent);
    const size_t id_len = strlen(session->id);
    if (id_len == 0 || id_len > CALL_LOG_SESSION_MAX || strcspn(session->id, controls) != id_len)
        return err_set(err, ERR_INVALID,
                       "a session id must have 1 to %d bytes and no control characters",
                       CALL_LOG_SESSION_MAX);
    struct call_log *log = xcalloc(1, sizeof(*log));
    log->place = *place;
    log->session = *session;
    log->lock_fd = log->owner_fd = -1;
    log->until_us = clock_mono_us() + (int64_t)session->wait_ms * US_PER_MS;
    log->rows = (struct call_rows){.turns = {.gate_fd = -1, .write_fd = -1}, .bell = {.fd = -1}};
    bool ok = take_session(log, err) && (session->new_run || find_run(log, &found, err)) &&
              (found || begin_run(log, now, err));
    if (ok)
        *out = log;
    else
        call_log_close(log);
    return ok;
}

void call_log_close(struct call_log *log)
{
    if (!log)
        return;
    event_list_done(&log->events);
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

/* If the clock since boot was reset after the last event, advances it by the wall clock. */
static struct moment moment_after(const struct moment *last, const struct moment *at)
{
    struct moment moment = *at;
    if (moment.mono_ms < last->mono_ms)
        moment.mono_ms = last->mono_ms + (at->at_ms > last->at_ms ? at->at_ms - last->at_ms : 0);
    return moment;
}

/* Appends an event of the run's attempt, with kind, fields and time from `event`. */
static void call_logging_append(struct call_log *log, struct event event)
{
    event.seq = log->kept.seq + 1;
    event.at = moment_after(&log->kept.last, &event.at);
    event.task = event.step = 0;
    event.round = event.grant = event.attempt = 1;
    event_limit(&event);
    (void)event_list_add(&log->events, &event);
    log->kept.seq = event.seq;
    log->kept.last = event.at;
}

/* Appends EVENT_AGENT_USED with the current usage. */
static void call_logging_used(struct call_log *log, const struct moment *at)
{
    const struct call_kept *kept = &log->kept;
    struct event event = event_new(EVENT_AGENT_USED);
    event.at = *at;
    event.used.used = kept->used;
    call_logging_append(log, event);
    log->has_used = false;
}

bool call_log_commit(struct call_log *log, struct err *err)
{
    struct str bytes = {0};
    if (log->has_used)
        call_logging_used(log, &log->kept.last);
    if (log->events.count == 0 && log->words.len > 0)
        call_logging_used(log, &log->spoken); /* a commit needs at least one event */
    if (log->events.count == 0)
        return true;
    call_kept_save(&log->kept, &bytes);
    const struct call_batch batch = {.run = log->run.number,
                                     .task = log->session.agent,
                                     .events = log->events.items,
                                     .count = log->events.count,
                                     .kept = &bytes,
                                     .words = &log->words,
                                     .pieces = log->pieces,
                                     .piece_count = log->piece_count};
    const bool ok = call_rows_commit(&log->rows, &log->place, &batch, err);
    str_done(&bytes);
    if (ok) {
        log->events.count = 0;
        str_clear(&log->words);
        log->piece_count = 0;
    }
    return ok;
}

bool call_log_end(struct call_log *log, int exit, const struct moment *at, struct err *err)
{
    const struct moment end = moment_after(&log->kept.last, at);
    if (!call_log_commit(log, err))
        return false;
    disown_run(log);
    return call_run_end(&log->place, log->run.number, exit, &end, err);
}

/* Makes room for one more call: commits, or continues in a new run if this one is full. */
static bool call_logging_room(struct call_log *log, const struct moment *at, struct err *err)
{
    if (log->events.count >= CALL_LOG_BATCH_MAX && !call_log_commit(log, err))
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

/* Adding to an agent's session: calls, messages, prompts, text, usage. */

enum { TOOL_BYTES_MAX = 64 };
#define CALL_MS_MAX (INT64_C(366) * 24 * 60 * 60 * 1000) /* one year; more is implausible */

/* Appends the first nonempty line, redacted and safe for a terminal. */
static void add_line(const struct call_log *log, const char *text, size_t max, struct str *out)
{
    struct str cut = {0};
    struct str clean = {0};
    const size_t len = strlen(text) < (size_t)TEXT_LINE_MAX ? strlen(text) : (size_t)TEXT_LINE_MAX;
    redact_text(log->session.redactor, text, text_cut(text, strlen(text), len), &cut, NULL);
    text_clean(&clean, str_text(&cut), cut.len);
    const char *line = str_text(&clean);
    line += strspn(line, " \n");
    const size_t line_len = strcspn(line, "\n");
    str_add_n(out, line, text_cut(line, line_len, max));
    str_done(&cut);
    str_done(&clean);
}

static void add_what(const struct call_log *log, const struct json *args, struct str *out)
{
    struct str what = {0};
    agent_call_what(args, &what);
    add_line(log, str_text(&what), CALL_LOG_WHAT_MAX, out);
    str_done(&what);
}

static void append_call(struct call_log *log, struct event event, const char *tool,
                        const char *what, const struct entropy_fact *fact)
{
    struct str name = {0};
    add_line(log, tool, TOOL_BYTES_MAX, &name);
    event.call.tool = str_text(&name);
    event.call.what = what;
    event.call.has_loop = fact != NULL;
    if (fact)
        event.call.loop = *fact;
    call_logging_append(log, event);
    log->kept.turn_failed = event.call.code != 0 && strcmp(tool, "message") == 0;
    str_done(&name);
}

/* Makes the event of the agent's next call or message. */
static struct event next_call(struct call_log *log, const struct moment *at)
{
    struct event event = event_new(EVENT_AGENT_CALL);
    event.at = *at;
    event.call.number = ++log->kept.number;
    return event;
}

/* Passes the fact to the loop detector and records a new suspicion. `what` is a call with its
 * arguments as one line, or a message. */
static void judge_step(struct call_log *log, const char *what, bool is_call,
                       const struct entropy_fact *fact, const struct moment *at,
                       struct call_verdict *out)
{
    struct call_kept *kept = &log->kept;
    const struct entropy_sample *sample = entropy_memory_last(kept->memory);
    const unsigned masks = sample ? sample->masks : 0;
    call_kept_judge(kept, fact, is_call, at);
    const struct entropy_verdict *verdict = &kept->circles.verdict;
    str_clear(&log->why);
    str_clear(&log->nudge);
    if (verdict->level != ENTROPY_OK) {
        entropy_why(verdict, &log->why);
        entropy_nudge(verdict, what, masks, &log->nudge);
    }
    if (verdict->news) {
        struct event event = event_new(EVENT_LOOP_SUSPECTED);
        struct str why = {0};
        event.at = *at;
        event.loop.of_calls = true;
        event.loop.nudge = str_text(&log->nudge);
        event.loop.facts = circles_facts(&kept->circles, 0, masks, &why);
        call_logging_append(log, event);
        str_done(&why);
    }
    if (out)
        *out = (struct call_verdict){.level = verdict->level,
                                     .news = verdict->news,
                                     .stop_asked = kept->stop_asked,
                                     .why = str_text(&log->why),
                                     .nudge = str_text(&log->nudge)};
}

bool call_log_add(struct call_log *log, const struct call_made *call, struct call_verdict *out,
                  struct err *err)
{
    struct str what = {0};
    struct entropy_fact fact = {0};
    if (out)
        *out = (struct call_verdict){.why = "", .nudge = "", .stop_asked = log->kept.stop_asked};
    if (!call_logging_room(log, &call->at, err))
        return false;
    struct call_kept *kept = &log->kept;
    struct event event = next_call(log, &call->at);
    event.call.ms = call->ms > 0 && call->ms <= CALL_MS_MAX ? call->ms : 0;
    event.call.code = call->exit;
    kept->used.calls++;
    log->has_used = true;
    add_what(log, call->args, &what);
    if (!call->uncertain) {
        const struct entropy_end end = {.failed = call->exit != 0};
        const size_t output_len =
            call->output_len < CALL_LOG_OUTPUT_MAX ? call->output_len : CALL_LOG_OUTPUT_MAX;
        entropy_memory_begin_call(kept->memory, call->tool, call->args);
        entropy_memory_text(kept->memory, call->output, call->output ? output_len : 0);
        entropy_memory_end(kept->memory, &end, &fact);
    }
    append_call(log, event, call->tool, str_text(&what), call->uncertain ? NULL : &fact);
    if (!call->uncertain)
        judge_step(log, str_text(&what), true, &fact, &call->at, out);
    str_done(&what);
    return true;
}

bool call_log_add_message(struct call_log *log, const char *text, const struct moment *at,
                          struct call_verdict *out, struct err *err)
{
    struct str what = {0};
    struct entropy_fact fact;
    const struct entropy_end end = {0};
    if (out)
        *out = (struct call_verdict){.why = "", .nudge = "", .stop_asked = log->kept.stop_asked};
    if (!call_logging_room(log, at, err))
        return false;
    const struct event event = next_call(log, at);
    add_line(log, text, CALL_LOG_WHAT_MAX, &what);
    entropy_memory_begin_message(log->kept.memory, text, strlen(text));
    entropy_memory_end(log->kept.memory, &end, &fact);
    append_call(log, event, "message", str_text(&what), &fact);
    judge_step(log, str_text(&what), false, &fact, at, out);
    str_done(&what);
    return true;
}

bool call_log_add_prompt(struct call_log *log, const char *text, const struct moment *at,
                         struct err *err)
{
    struct str what = {0};
    if (!call_logging_room(log, at, err))
        return false;
    struct call_kept *kept = &log->kept;
    const struct event event = next_call(log, at);
    add_line(log, text, CALL_LOG_WHAT_MAX, &what);
    append_call(log, event, "user", str_text(&what), NULL);
    call_kept_forget(kept);
    str_done(&what);
    return true;
}

bool call_log_add_note(struct call_log *log, const char *text, const struct moment *at,
                       struct err *err)
{
    struct str what = {0};
    if (!call_logging_room(log, at, err))
        return false;
    struct event event = next_call(log, at);
    event.call.code = 1;
    add_line(log, text, CALL_LOG_WHAT_MAX, &what);
    append_call(log, event, "message", str_text(&what), NULL);
    str_done(&what);
    return true;
}

bool call_log_turn_failed(const struct call_log *log)
{
    return log->kept.turn_failed;
}

bool call_log_is_stuck(const struct call_log *log)
{
    return log->kept.turned_away > 0 || entropy_state_is_stuck(&log->kept.circles.state);
}

bool call_log_add_used(struct call_log *log, const struct agent_used *used, const struct moment *at,
                       struct err *err)
{
    if (!call_logging_room(log, at, err))
        return false;
    struct agent_used *kept = &log->kept.used;
    kept->turns = agent_used_sum(0, used->turns);
    kept->cost_micro = agent_used_sum(0, used->cost_micro);
    kept->tokens = agent_used_sum(0, used->tokens);
    kept->own_retries = agent_used_sum(0, used->own_retries);
    log->has_used = true;
    return true;
}

bool call_log_add_words(struct call_log *log, const char *bytes, size_t len,
                        const struct moment *at, struct err *err)
{
    enum { PIECE_MS = 1000 };
    const bool is_full = log->words.len > 0 && log->words.len + len > CALL_LOG_WORDS_MAX;
    if (is_full && !call_log_commit(log, err))
        return false;
    if (len == 0)
        return true;
    str_add_n(&log->words, bytes, len);

    /* Text added within one second forms one piece, so that a replay shows it at the right time. */
    struct call_words *last = log->piece_count > 0 ? &log->pieces[log->piece_count - 1] : NULL;
    if (last && at->at_ms - last->at_ms < PIECE_MS) {
        last->end = log->words.len;
    } else {
        log->pieces =
            xgrow(log->pieces, &log->piece_cap, log->piece_count + 1, sizeof(*log->pieces));
        log->pieces[log->piece_count++] =
            (struct call_words){.end = log->words.len, .at_ms = at->at_ms};
    }
    log->spoken = *at;
    return true;
}

/* Returns true if the agent is stuck and this call is part of its loop. */
static bool is_call_in_loop(const struct call_log *log, const char *tool, const struct json *args)
{
    const struct call_kept *kept = &log->kept;
    struct entropy_memory *memory = NULL;
    struct entropy_fact fact;
    const struct entropy_end end = {0};
    if (!entropy_state_is_stuck(&kept->circles.state))
        return false;
    entropy_memory_open(&memory, &kept->limits); /* computes the call's digest, fact.call */
    entropy_memory_begin_call(memory, tool, args);
    entropy_memory_end(memory, &end, &fact);
    entropy_memory_close(memory);
    return entropy_state_has_call(&kept->circles.state, fact.call, kept->stuck_first);
}

static const char by_person[] =
    "a person has stopped this session in devs: end your turn and say where you are";
static const char in_circles[] =
    "this call is part of a loop and was denied: do something else, or "
    "end your turn and say what blocks you";

bool call_log_turn_away(struct call_log *log, const struct call_made *call,
                        struct call_refusal *out, struct str *why, struct err *err)
{
    struct call_kept *kept = &log->kept;
    struct str what = {0};
    *out = (struct call_refusal){.by_person = kept->stop_asked};
    if (!kept->stop_asked && !is_call_in_loop(log, call->tool, call->args))
        return true;
    if (!call_logging_room(log, &call->at, err))
        return false;
    if (kept->turned_away < INT32_MAX)
        kept->turned_away++;
    out->times = kept->turned_away;
    str_add(why, kept->stop_asked ? by_person : in_circles);
    str_add(&what, CALL_TURNED_AWAY);
    add_what(log, call->args, &what);
    struct event event = next_call(log, &call->at);
    event.call.code = 1;
    append_call(log, event, call->tool, str_text(&what), NULL);
    str_done(&what);
    return true;
}
